//! Functions as values: primitives, functions made of functions, and all other Python callables.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::OnceLock;

use leyden_dsl::for_each_primitive;
use leyden_dsl::table::{Dialect, Prim};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit, intern};
use rustc_hash::FxHashMap;

use super::ffi::{self, Nested};
use super::{Cx, Obj, Res, arguments, kernels, obj};

macro_rules! define_dispatch {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        /// Calls a primitive on plain values.
        fn call_on_plain<'py>(cx: Cx<'py>, prim: Prim, given: &[&Obj<'py>]) -> Res<'py> {
            match prim {
                $( Prim::$prim => match *given {
                    [$( $param ),*] => kernels::or_missing!($prim)(cx, $( $param ),*),
                    _ => arguments::wrong_count(prim, given.len()),
                }, )*
                _ => arguments::wrong_count(prim, given.len()),
            }
        }
    };
}

for_each_primitive!(define_dispatch);

/// Calls a primitive.
#[inline]
fn call_primitive<'py>(cx: Cx<'py>, prim: Prim, given: &[&Obj<'py>]) -> Res<'py> {
    if given.iter().any(|argument| ffi::is_grid(argument)) {
        let plain = ffi::with_tuples(given)?;
        return call_on_plain(cx, prim, &plain.iter().collect::<Vec<_>>());
    }
    call_on_plain(cx, prim, given)
}

/// The primitives by the addresses of their function objects, which live for ever.
static KNOWN: OnceLock<FxHashMap<usize, (Prim, Dialect)>> = OnceLock::new();
static FOUND: Mutex<Vec<(usize, (Prim, Dialect))>> = Mutex::new(Vec::new());

/// Remembers a primitive by its function object.
pub(super) fn make_known(function: &Obj<'_>, me: (Prim, Dialect)) {
    let mut found = FOUND
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    found.push((function.clone().into_ptr() as usize, me));
}

fn known(function: &Obj<'_>) -> Option<(Prim, Dialect)> {
    let all = KNOWN.get_or_init(|| {
        let found = FOUND
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        found.iter().copied().collect()
    });
    all.get(&(function.as_ptr() as usize)).copied()
}

/// The way to call a function.
#[derive(Clone, Copy)]
enum Kind {
    /// A primitive, called without the interpreter.
    Primitive(Prim, Dialect),
    /// A function made by a primitive, called without the interpreter.
    Made,
    /// Any other callable, through the interpreter.
    Foreign,
}

/// A callable whose kind was determined once.
#[derive(Clone, Copy)]
pub(super) struct Callee<'a, 'py> {
    object: &'a Obj<'py>,
    kind: Kind,
}

impl<'a, 'py> Callee<'a, 'py> {
    pub(super) fn of(object: &'a Obj<'py>) -> Self {
        let kind = if ffi::is_c_function(object) {
            known(object).map_or(Kind::Foreign, |(prim, dialect)| {
                Kind::Primitive(prim, dialect)
            })
        } else if ffi::is_exactly::<Function>(object) {
            Kind::Made
        } else {
            Kind::Foreign
        };
        Callee { object, kind }
    }

    #[inline]
    pub(super) fn call(self, arguments: &[&Obj<'py>]) -> Res<'py> {
        match self.kind {
            Kind::Primitive(prim, dialect) => {
                call_primitive(Cx::new(self.object.py(), dialect), prim, arguments)
            }
            Kind::Made => match self.object.cast_exact::<Function>() {
                Ok(function) => function.get().call(self.object.py(), arguments),
                Err(other) => Err(other.into()),
            },
            Kind::Foreign => {
                let _nested = Nested::enter(self.object.py())?;
                ffi::call_python(self.object, arguments)
            }
        }
    }

    #[inline]
    pub(super) fn call1(self, argument: &Obj<'py>) -> Res<'py> {
        self.call(&[argument])
    }

    /// Calls it; returns the truth of the result.
    #[inline]
    pub(super) fn holds(self, argument: &Obj<'py>) -> PyResult<bool> {
        obj::is_true(&self.call1(argument)?)
    }

    /// The number of its arguments by its own claim: `function.__code__.co_argcount` of any object.
    fn n_arguments(self) -> PyResult<i64> {
        let py = self.object.py();
        match self.kind {
            Kind::Primitive(prim, _) => Ok(prim.arity() as i64),
            Kind::Made => Ok(self.object.cast_exact::<Function>()?.get().names().len() as i64),
            Kind::Foreign => {
                let code = self.object.getattr(intern!(py, "__code__"))?;
                let count = code.getattr(intern!(py, "co_argcount"))?;
                // All numbers except 2 and 3 count as 4.
                Ok(obj::small(&count).unwrap_or(4))
            }
        }
    }

    fn keep(self) -> Part {
        Part {
            object: self.object.clone().unbind(),
            kind: self.kind,
        }
    }
}

/// A callable that is kept alive.
struct Part {
    object: Py<PyAny>,
    kind: Kind,
}

impl Part {
    #[inline]
    fn callee<'a, 'py>(&'a self, py: Python<'py>) -> Callee<'a, 'py> {
        Callee {
            object: self.object.bind(py),
            kind: self.kind,
        }
    }
}

/// The primitive that made a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Compose,
    Chain,
    Matcher,
    Fork,
    /// `rbind`, with this many arguments left.
    Rbind(usize),
    Lbind(usize),
}

/// A function that a primitive made of others: `compose`, `chain`, `matcher`, `fork`, `rbind`,
/// `lbind`, `power`.
#[pyclass(frozen, module = "leyden.dsl", name = "function")]
pub(crate) struct Function {
    form: Form,
    /// The functions and values it was made of, in the order of the maker's parameters.
    parts: Vec<Part>,
}

impl Function {
    fn make<'py>(py: Python<'py>, form: Form, parts: &[&Obj<'py>]) -> Res<'py> {
        let parts = parts.iter().map(|part| Callee::of(part).keep()).collect();
        Ok(Bound::new(py, Function { form, parts })?.into_any())
    }

    /// The names of its parameters.
    fn names(&self) -> &'static [&'static str] {
        match self.form {
            Form::Rbind(n) => &["x", "y", "z"][..n],
            Form::Lbind(n) => &["y", "z", "a"][..n],
            _ => &["x"],
        }
    }

    fn call<'py>(&self, py: Python<'py>, given: &[&Obj<'py>]) -> Res<'py> {
        let _nested = Nested::enter(py)?;
        let n = self.names().len();
        if given.len() != n {
            let message = format!(
                "function takes {n} arguments but {} were given",
                given.len()
            );
            return Err(PyTypeError::new_err(message));
        }
        self.apply(py, given)
    }

    fn apply<'py>(&self, py: Python<'py>, given: &[&Obj<'py>]) -> Res<'py> {
        let part = |k: usize| self.parts[k].callee(py);
        let value = |k: usize| self.parts[k].object.bind(py);
        match (self.form, given) {
            (Form::Compose, [x]) => part(0).call1(&part(1).call1(x)?),
            (Form::Chain, [x]) => part(0).call1(&part(1).call1(&part(2).call1(x)?)?),
            (Form::Matcher, [x]) => obj::equality(&part(0).call1(x)?, value(1)),
            (Form::Fork, [x]) => part(0).call(&[&part(1).call1(x)?, &part(2).call1(x)?]),
            (Form::Rbind(_), [x]) => part(0).call(&[x, value(1)]),
            (Form::Rbind(_), [x, y]) => part(0).call(&[x, y, value(1)]),
            (Form::Rbind(_), [x, y, z]) => part(0).call(&[x, y, z, value(1)]),
            (Form::Lbind(_), [y]) => part(0).call(&[value(1), y]),
            (Form::Lbind(_), [y, z]) => part(0).call(&[value(1), y, z]),
            (Form::Lbind(_), [y, z, a]) => part(0).call(&[value(1), y, z, a]),
            _ => Err(PyTypeError::new_err(
                "function called with a wrong number of arguments",
            )),
        }
    }

    /// Adds arguments by keyword to those by position.
    fn bind_keywords<'py>(
        &self,
        given: &mut Vec<Obj<'py>>,
        keywords: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let expected = self.names().iter().skip(given.len());
        for name in expected {
            given.extend(keywords.get_item(name)?);
        }
        let n_known = self
            .names()
            .iter()
            .filter(|name| keywords.contains(name).unwrap_or(false))
            .count();
        if n_known == keywords.len() && given.len() == self.names().len() {
            Ok(())
        } else {
            Err(PyTypeError::new_err(
                "function called with wrong keyword arguments",
            ))
        }
    }
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> Res<'py> {
        let mut given: Vec<Obj<'py>> = arguments.iter().collect();
        if let Some(keywords) = keywords {
            self.bind_keywords(&mut given, keywords)?;
        }
        self.call(py, &given.iter().collect::<Vec<_>>())
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "<lambda>"
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.parts
            .iter()
            .try_for_each(|part| visit.call(&part.object))
    }
}

thread_local! {
    /// Parts of dropped functions, which are released one after the other: a chain of a million
    /// functions must not become a million nested calls.
    static GONE: RefCell<(Vec<Part>, bool)> = const { RefCell::new((Vec::new(), false)) };
}

impl Drop for Function {
    fn drop(&mut self) {
        let is_first = GONE.with_borrow_mut(|(gone, is_busy)| {
            gone.append(&mut self.parts);
            !std::mem::replace(is_busy, true)
        });
        if is_first {
            while let Some(part) = GONE.with_borrow_mut(|(gone, _)| gone.pop()) {
                drop(part);
            }
            GONE.with_borrow_mut(|(_, is_busy)| *is_busy = false);
        }
    }
}

pub(super) fn compose<'py>(cx: Cx<'py>, outer: &Obj<'py>, inner: &Obj<'py>) -> Res<'py> {
    Function::make(cx.py, Form::Compose, &[outer, inner])
}

pub(super) fn chain<'py>(cx: Cx<'py>, h: &Obj<'py>, g: &Obj<'py>, f: &Obj<'py>) -> Res<'py> {
    Function::make(cx.py, Form::Chain, &[h, g, f])
}

pub(super) fn matcher<'py>(cx: Cx<'py>, function: &Obj<'py>, target: &Obj<'py>) -> Res<'py> {
    Function::make(cx.py, Form::Matcher, &[function, target])
}

pub(super) fn fork<'py>(cx: Cx<'py>, outer: &Obj<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    Function::make(cx.py, Form::Fork, &[outer, a, b])
}

/// The number of arguments left of a function when one is fixed. All except 2 and 3 count as 4.
fn n_left(function: &Obj<'_>) -> PyResult<usize> {
    Ok(match Callee::of(function).n_arguments()? {
        2 => 1,
        3 => 2,
        _ => 3,
    })
}

pub(super) fn rbind<'py>(cx: Cx<'py>, function: &Obj<'py>, fixed: &Obj<'py>) -> Res<'py> {
    Function::make(cx.py, Form::Rbind(n_left(function)?), &[function, fixed])
}

pub(super) fn lbind<'py>(cx: Cx<'py>, function: &Obj<'py>, fixed: &Obj<'py>) -> Res<'py> {
    Function::make(cx.py, Form::Lbind(n_left(function)?), &[function, fixed])
}

pub(super) fn power<'py>(cx: Cx<'py>, function: &Obj<'py>, n: &Obj<'py>) -> Res<'py> {
    let _nested = Nested::enter(cx.py)?;
    let one = obj::int(cx.py, 1);
    if obj::equal(n, &one)? {
        return Ok(function.clone());
    }
    let rest = power(cx, function, &n.sub(one)?)?;
    compose(cx, function, &rest)
}
