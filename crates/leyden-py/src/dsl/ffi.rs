//! Calls of the C API for which PyO3 has no safe form: functions that Python calls without a tuple
//! of arguments, calls without one, numbers read directly, sets that are measured while they grow,
//! and the interpreter's count of nested calls. All of them are in the stable ABI. The drop-in's
//! other modules have no `unsafe`; in this crate only `buffer.rs` and `tuples.rs` have some.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use leyden_dsl::for_each_primitive;
use leyden_dsl::table::{Dialect, Prim};
use pyo3::exceptions::{PyRecursionError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PySlice, PyString};
use pyo3::{Borrowed, PyTypeInfo};

use super::{Cx, Obj, Res, arguments, kernels, obj};
use crate::grid::{self, PyGrid};
use crate::stack;

/// The value of an object that is exactly an `int`, not a `bool`, and fits.
#[inline]
pub(super) fn small_int(object: &Obj<'_>) -> Option<i64> {
    let pointer = object.as_ptr();
    // SAFETY: the object is alive and the interpreter attached, as `object` says; it is an `int`.
    unsafe {
        if ffi::Py_TYPE(pointer) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let mut overflow: c_int = 0;
        let number = ffi::PyLong_AsLongLongAndOverflow(pointer, &mut overflow);
        (overflow == 0).then_some(number)
    }
}

/// The two parts of a tuple of two, borrowed from it.
#[inline]
pub(super) fn parts_of_pair<'a, 'py>(
    object: &'a Obj<'py>,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    let pointer = object.as_ptr();
    // SAFETY: the object is alive for `'a` and a tuple of two parts, so it keeps both alive.
    unsafe {
        if ffi::Py_TYPE(pointer) != &raw mut ffi::PyTuple_Type || ffi::Py_SIZE(pointer) != 2 {
            return None;
        }
        let part = |k| Borrowed::from_ptr(object.py(), ffi::PyTuple_GetItem(pointer, k));
        Some((part(0), part(1)))
    }
}

/// `(a, b)`
#[inline]
pub(super) fn pack<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    // SAFETY: both are alive; two are announced, two are given.
    unsafe {
        let pair = ffi::PyTuple_Pack(2, a.as_ptr(), b.as_ptr());
        Bound::from_owned_ptr_or_err(a.py(), pair)
    }
}

/// `tuple(x)`
pub(super) fn tuple_of<'py>(object: &Obj<'py>) -> Res<'py> {
    // SAFETY: the object is alive.
    unsafe { Bound::from_owned_ptr_or_err(object.py(), ffi::PySequence_Tuple(object.as_ptr())) }
}

/// `frozenset(x)`
pub(super) fn frozenset_of<'py>(object: &Obj<'py>) -> Res<'py> {
    // SAFETY: the object is alive.
    unsafe { Bound::from_owned_ptr_or_err(object.py(), ffi::PyFrozenSet_New(object.as_ptr())) }
}

/// Calls a Python callable.
pub(super) fn call_python<'py>(function: &Obj<'py>, arguments: &[&Obj<'py>]) -> Res<'py> {
    let end = ptr::null_mut::<ffi::PyObject>();
    let function_pointer = function.as_ptr();
    // SAFETY: all are alive; the list of arguments ends in a null, as it must.
    unsafe {
        let result = match arguments {
            [a] => ffi::PyObject_CallFunctionObjArgs(function_pointer, a.as_ptr(), end),
            [a, b] => {
                ffi::PyObject_CallFunctionObjArgs(function_pointer, a.as_ptr(), b.as_ptr(), end)
            }
            _ => return function.call1(pyo3::types::PyTuple::new(function.py(), arguments)?),
        };
        Bound::from_owned_ptr_or_err(function.py(), result)
    }
}

/// A new frozenset that is filled one by one and stops at the cap, not when it is complete.
pub(super) struct FrozenSetBuilder<'py> {
    set: Obj<'py>,
    n_added: usize,
}

/// The number of elements added between two looks at the size.
const ADDED_UNSEEN: usize = 1 << 12;

impl<'py> FrozenSetBuilder<'py> {
    pub(super) fn new(py: Python<'py>) -> PyResult<Self> {
        // SAFETY: the interpreter is attached; null stands for no elements.
        let set =
            unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyFrozenSet_New(ptr::null_mut()))? };
        Ok(FrozenSetBuilder { set, n_added: 0 })
    }

    #[inline]
    pub(super) fn add(&mut self, item: &Obj<'py>) -> PyResult<()> {
        // SAFETY: both are alive, and the set is new: this is the only reference to it.
        if unsafe { ffi::PySet_Add(self.set.as_ptr(), item.as_ptr()) } != 0 {
            return Err(PyErr::fetch(item.py()));
        }
        self.n_added += 1;
        if self.n_added.is_multiple_of(ADDED_UNSEEN) {
            obj::announce_set(self.set.len()?)
        } else {
            Ok(())
        }
    }

    pub(super) fn finish(self) -> Obj<'py> {
        self.set
    }
}

/// A call nested in another, as the interpreter counts them.
pub(super) struct Nested<'py>(PhantomData<Python<'py>>);

impl<'py> Nested<'py> {
    /// Goes one level deeper. Raises `RecursionError` if the interpreter allows no more, or if the
    /// stack of this thread, which may be small, ends.
    #[inline]
    pub(super) fn enter(py: Python<'py>) -> PyResult<Self> {
        if !stack::has_room_for_a_call() {
            return Err(PyRecursionError::new_err(
                "functions of leyden.dsl are nested too deeply for the stack of this thread",
            ));
        }
        // SAFETY: the interpreter is attached; the text is constant. `Drop` leaves again.
        match unsafe { ffi::Py_EnterRecursiveCall(c" in a function of leyden.dsl".as_ptr()) } {
            0 => Ok(Nested(PhantomData)),
            _ => Err(PyErr::fetch(py)),
        }
    }
}

impl Drop for Nested<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `enter` succeeded, and the interpreter is attached as long as this lives.
        unsafe { ffi::Py_LeaveRecursiveCall() }
    }
}

/// `[::-1]`
pub(super) fn backwards(py: Python<'_>) -> PyResult<Bound<'_, PySlice>> {
    slice_of(py, None, None, Some(-1))
}

/// A slice with optional parts.
pub(super) fn slice_of(
    py: Python<'_>,
    start: Option<isize>,
    stop: Option<isize>,
    step: Option<isize>,
) -> PyResult<Bound<'_, PySlice>> {
    let number = |n: Option<isize>| n.map(|n| n.into_pyobject(py)).transpose();
    let (start, stop, step) = (number(start)?, number(stop)?, number(step)?);
    let pointer = |n: &Option<Bound<'_, _>>| n.as_ref().map_or(ptr::null_mut(), Bound::as_ptr);
    // SAFETY: all parts are alive or null, which stands for `None`.
    unsafe {
        let slice = ffi::PySlice_New(pointer(&start), pointer(&stop), pointer(&step));
        Ok(Bound::from_owned_ptr_or_err(py, slice)?.cast_into_unchecked())
    }
}

/// Whether it is a Python function written in C, as all primitives are.
#[inline]
pub(super) fn is_c_function(object: &Obj<'_>) -> bool {
    // SAFETY: the object is alive.
    unsafe { ffi::Py_TYPE(object.as_ptr()) == &raw mut ffi::PyCFunction_Type }
}

/// Whether the object has exactly that type.
#[inline]
pub(super) fn is_exactly<T: PyTypeInfo>(object: &Obj<'_>) -> bool {
    // SAFETY: the object is alive.
    unsafe { ffi::Py_TYPE(object.as_ptr()) == T::type_object_raw(object.py()) }
}

/// The address of the type `leyden.Grid`. Every call compares with it, so it has to be cheap to
/// read.
static GRID_TYPE: AtomicUsize = AtomicUsize::new(0);

/// Remembers the type of `leyden.Grid`, before any primitive is called.
pub(super) fn remember_grids(py: Python<'_>) {
    GRID_TYPE.store(PyGrid::type_object_raw(py) as usize, Ordering::Relaxed);
}

/// Whether it is a `leyden.Grid`. The originals know only tuples: their `isinstance` would take it
/// for a patch.
#[inline]
pub(super) fn is_grid(object: &Obj<'_>) -> bool {
    // SAFETY: the object is alive.
    let kind = unsafe { ffi::Py_TYPE(object.as_ptr()) };
    kind as usize == GRID_TYPE.load(Ordering::Relaxed)
}

/// Replaces every `leyden.Grid` among the arguments by tuples.
#[cold]
pub(super) fn with_tuples<'py>(given: &[&Obj<'py>]) -> PyResult<Vec<Obj<'py>>> {
    let plain = |argument: &&Obj<'py>| match argument.cast_exact::<PyGrid>() {
        Ok(grid) => Ok(grid::tuple_of(argument.py(), &grid.get().grid)?.into_any()),
        Err(_) => Ok((*argument).clone()),
    };
    given.iter().map(plain).collect()
}

type EntryPoint = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Takes a call from Python. Goes directly to the kernel if all arguments are by position.
///
/// # Safety
/// Only for an interpreter that calls a `METH_FASTCALL | METH_KEYWORDS` function.
#[inline]
unsafe fn take_call<const N: usize>(
    arguments: *const *mut ffi::PyObject,
    n_positional: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
    (prim, dialect): (Prim, Dialect),
    kernel: impl for<'a, 'py> FnOnce(Cx<'py>, [&'a Obj<'py>; N]) -> Res<'py>,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls, so it is attached; it owns the arguments while the call lasts.
    let answer = catch_unwind(AssertUnwindSafe(|| unsafe {
        let cx = Cx::new(Python::assume_attached(), dialect);
        let given = |k: usize| Borrowed::from_ptr(cx.py, *arguments.add(k));
        if keywords.is_null() && n_positional as usize == N {
            let taken: [_; N] = std::array::from_fn(given);
            let taken = std::array::from_fn(|k| &*taken[k]);
            return finish(cx, call_kernel(cx, taken, kernel));
        }
        let keywords = Borrowed::from_ptr_or_opt(cx.py, keywords);
        let n_keywords = keywords
            .as_ref()
            .map_or(0, |names| names.len().unwrap_or(0));
        let all = (0..n_positional as usize + n_keywords).map(given);
        let taken = arguments::bind::<N>(
            (prim, dialect),
            all.map(|argument| argument.to_owned()).collect(),
            keywords.as_deref(),
        );
        finish(
            cx,
            taken.and_then(|taken| call_kernel(cx, std::array::from_fn(|k| &taken[k]), kernel)),
        )
    }));
    answer.unwrap_or_else(|_| {
        // SAFETY: as above.
        let py = unsafe { Python::assume_attached() };
        PyRuntimeError::new_err(format!("{prim}: an error of leyden itself")).restore(py);
        ptr::null_mut()
    })
}

/// Calls the kernel with plain values.
#[inline]
fn call_kernel<'py, const N: usize>(
    cx: Cx<'py>,
    given: [&Obj<'py>; N],
    kernel: impl for<'a> FnOnce(Cx<'py>, [&'a Obj<'py>; N]) -> Res<'py>,
) -> Res<'py> {
    if given.iter().any(|argument| is_grid(argument)) {
        let plain = with_tuples(&given)?;
        return kernel(cx, std::array::from_fn(|k| &plain[k]));
    }
    kernel(cx, given)
}

/// Passes a result to the interpreter.
#[inline]
fn finish(cx: Cx<'_>, result: Res<'_>) -> *mut ffi::PyObject {
    match result {
        Ok(value) => value.into_ptr(),
        Err(error) => {
            error.restore(cx.py);
            ptr::null_mut()
        }
    }
}

const fn dialect(is_re_arc: bool) -> Dialect {
    if is_re_arc {
        Dialect::ReArc
    } else {
        Dialect::ArcDsl
    }
}

macro_rules! define_entry_points {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        /// The functions that Python calls, one for each primitive and dialect.
        mod entry_points {
            use super::*;
            $(
                pub(super) unsafe extern "C" fn $prim<const RE_ARC: bool>(
                    _module: *mut ffi::PyObject,
                    arguments: *const *mut ffi::PyObject,
                    n_positional: ffi::Py_ssize_t,
                    keywords: *mut ffi::PyObject,
                ) -> *mut ffi::PyObject {
                    let me = (Prim::$prim, dialect(RE_ARC));
                    // SAFETY: only the interpreter calls this, by the convention of its flags.
                    unsafe {
                        take_call(arguments, n_positional, keywords, me, |cx, [$( $param ),*]| {
                            kernels::or_missing!($prim)(cx, $( $param ),*)
                        })
                    }
                }
            )*
        }

        fn entry_point(prim: Prim, dialect: Dialect) -> Option<EntryPoint> {
            Some(match (prim, dialect) {
                $(
                    (Prim::$prim, Dialect::ArcDsl) => entry_points::$prim::<false>,
                    (Prim::$prim, Dialect::ReArc) => entry_points::$prim::<true>,
                )*
                _ => return None,
            })
        }
    };
}

for_each_primitive!(define_entry_points);

/// Makes the function object of a primitive. It belongs to `module`, and its `__module__` is
/// `home`. `doc` begins with the signature, as Python reads it.
pub(super) fn function_object<'py>(
    module: &Bound<'py, PyModule>,
    home: &Bound<'py, PyString>,
    (prim, dialect): (Prim, Dialect),
    doc: &str,
) -> Res<'py> {
    let no_such = || PyRuntimeError::new_err(format!("{dialect} has no {prim}"));
    let entry_point = entry_point(prim, dialect).ok_or_else(no_such)?;
    // The interpreter keeps these as long as the function, which lives for ever.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: leaked(prim.name())?.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: entry_point,
        },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: leaked(doc)?.as_ptr(),
    }));
    // SAFETY: the definition is never freed, and its flags are those of the entry point's type.
    unsafe {
        let function = ffi::PyCFunction_NewEx(definition, module.as_ptr(), home.as_ptr());
        Bound::from_owned_ptr_or_err(module.py(), function)
    }
}

fn leaked(text: &str) -> PyResult<&'static CStr> {
    Ok(Box::leak(CString::new(text)?.into_boxed_c_str()))
}
