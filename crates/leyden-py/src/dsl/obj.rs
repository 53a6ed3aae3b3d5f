//! The vocabulary of kernels: Python's operators, loops and constructors.

use leyden_dsl::meter::{MAX_ELEMENTS, MAX_SET_ELEMENTS};
use leyden_dsl::value::MAX_NODES;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyStopIteration, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyFrozenSet, PyInt, PyIterator, PyList, PyMemoryView, PyRange, PySet, PySlice, PyTuple,
};

use super::ffi::{self, FrozenSetBuilder};
use super::{Obj, Res};

pub(super) use super::ffi::small_int as small;

#[inline]
pub(super) fn int(py: Python<'_>, number: i64) -> Obj<'_> {
    match number.into_pyobject(py) {
        Ok(number) => number.into_any(),
        Err(never) => match never {},
    }
}

#[inline]
pub(super) fn truth(py: Python<'_>, is_so: bool) -> Obj<'_> {
    PyBool::new(py, is_so).to_owned().into_any()
}

/// `isinstance(x, tuple)`
#[inline]
pub(super) fn is_tuple(object: &Obj<'_>) -> bool {
    is_exact_tuple(object) || object.is_instance_of::<PyTuple>()
}

#[inline]
pub(super) fn is_exact_tuple(object: &Obj<'_>) -> bool {
    ffi::is_exactly::<PyTuple>(object)
}

/// Whether it is exactly a tuple, not a subclass.
#[inline]
pub(super) fn as_tuple<'a, 'py>(object: &'a Obj<'py>) -> Option<&'a Bound<'py, PyTuple>> {
    object.cast_exact::<PyTuple>().ok()
}

/// Whether it is exactly a set or a frozenset, not a subclass.
#[inline]
pub(super) fn is_plain_set(object: &Obj<'_>) -> bool {
    ffi::is_exactly::<PyFrozenSet>(object) || ffi::is_exactly::<PySet>(object)
}

/// `isinstance(x, int)`
#[inline]
pub(super) fn is_int(object: &Obj<'_>) -> bool {
    ffi::is_exactly::<PyInt>(object) || object.is_instance_of::<PyInt>()
}

#[inline]
pub(super) fn is_true(object: &Obj<'_>) -> PyResult<bool> {
    object.is_truthy()
}

/// `len(x)`
#[inline]
pub(super) fn len(object: &Obj<'_>) -> PyResult<usize> {
    match as_tuple(object) {
        Some(tuple) => Ok(tuple.len()),
        None => object.len(),
    }
}

/// `x[k]`
#[inline]
pub(super) fn at<'py>(object: &Obj<'py>, k: usize) -> Res<'py> {
    match as_tuple(object) {
        Some(tuple) => tuple.get_item(k),
        None => object.get_item(k),
    }
}

/// `a == b`, with any result.
#[inline]
pub(super) fn equality<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    match (small(a), small(b)) {
        (Some(a_number), Some(b_number)) => Ok(truth(a.py(), a_number == b_number)),
        _ => a.rich_compare(b, CompareOp::Eq),
    }
}

/// Whether `a == b`.
#[inline]
pub(super) fn equal(a: &Obj<'_>, b: &Obj<'_>) -> PyResult<bool> {
    match (small(a), small(b)) {
        (Some(a), Some(b)) => Ok(a == b),
        _ => a.eq(b),
    }
}

/// `a + b`, computed directly for plain numbers.
#[inline]
pub(super) fn add<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    match small(a).zip(small(b)).and_then(|(a, b)| a.checked_add(b)) {
        Some(sum) => Ok(int(a.py(), sum)),
        None => a.add(b),
    }
}

/// `a - b`, computed directly for plain numbers.
#[inline]
pub(super) fn subtract<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    match small(a).zip(small(b)).and_then(|(a, b)| a.checked_sub(b)) {
        Some(difference) => Ok(int(a.py(), difference)),
        None => a.sub(b),
    }
}

/// `(a, b)`
#[inline]
pub(super) fn pair<'py>(a: Obj<'py>, b: Obj<'py>) -> Res<'py> {
    let py = a.py();
    Ok((a, b).into_pyobject(py)?.into_any())
}

/// `a, b = x`
#[inline]
pub(super) fn unpack<'py>(object: &Obj<'py>) -> PyResult<(Obj<'py>, Obj<'py>)> {
    match ffi::parts_of_pair(object) {
        Some((a, b)) => Ok((a.to_owned(), b.to_owned())),
        None => unpack_anything(object),
    }
}

fn unpack_anything<'py>(object: &Obj<'py>) -> PyResult<(Obj<'py>, Obj<'py>)> {
    let mut parts = object.try_iter()?;
    let too_few = || PyValueError::new_err("not enough values to unpack (expected 2)");
    let mut next = || parts.next().ok_or_else(too_few)?;
    let (a, b) = (next()?, next()?);
    match parts.next() {
        None => Ok((a, b)),
        Some(Err(error)) => Err(error),
        Some(Ok(_)) => Err(PyValueError::new_err(
            "too many values to unpack (expected 2)",
        )),
    }
}

/// `value, (i, j) = cell`
#[inline]
pub(super) fn unpack_cell<'py>(cell: &Obj<'py>) -> PyResult<(Obj<'py>, Obj<'py>, Obj<'py>)> {
    let (value, location) = unpack(cell)?;
    let (i, j) = unpack(&location)?;
    Ok((value, i, j))
}

/// The iteration of a `for` loop.
pub(super) enum Items<'a, 'py> {
    Tuple(&'a Bound<'py, PyTuple>, usize),
    Any(Bound<'py, PyIterator>),
}

impl<'py> Iterator for Items<'_, 'py> {
    type Item = Res<'py>;

    #[inline]
    fn next(&mut self) -> Option<Res<'py>> {
        match self {
            Items::Tuple(tuple, k) => {
                let item = (*k < tuple.len()).then(|| tuple.get_item(*k))?;
                *k += 1;
                Some(item)
            }
            Items::Any(items) => items.next(),
        }
    }
}

/// `iter(x)`
#[inline]
pub(super) fn items<'a, 'py>(object: &'a Obj<'py>) -> PyResult<Items<'a, 'py>> {
    match as_tuple(object) {
        Some(tuple) => Ok(Items::Tuple(tuple, 0)),
        None => Ok(Items::Any(object.try_iter()?)),
    }
}

/// `next(iter(x))`.
pub(super) fn first<'py>(object: &Obj<'py>) -> Res<'py> {
    let stop = || Err(PyStopIteration::new_err(()));
    items(object)?.next().unwrap_or_else(stop)
}

/// Converts the result of a generator's body: a `StopIteration` does not leave it as such.
#[inline]
pub(super) fn generated<T>(py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
    result.map_err(|error| {
        if error.is_instance_of::<PyStopIteration>(py) {
            let outer = PyRuntimeError::new_err("generator raised StopIteration");
            outer.set_cause(py, Some(error));
            outer
        } else {
            error
        }
    })
}

/// `type(like)(…)`, filled one by one as from a generator.
pub(super) enum Maker<'py> {
    Tuple(Vec<Obj<'py>>),
    Frozen(FrozenSetBuilder<'py>),
    Other(Obj<'py>, Vec<Obj<'py>>),
}

impl<'py> Maker<'py> {
    pub(super) fn like(like: &Obj<'py>) -> PyResult<Self> {
        Ok(if is_exact_tuple(like) {
            Maker::Tuple(Vec::new())
        } else if ffi::is_exactly::<PyFrozenSet>(like) {
            Maker::frozen(like.py())?
        } else {
            let class = like.get_type().into_any();
            if refuses_generators(like) {
                class.call1((PyTuple::empty(like.py()).try_iter()?,))?;
            }
            Maker::Other(class, Vec::new())
        })
    }

    pub(super) fn frozen(py: Python<'py>) -> PyResult<Self> {
        Ok(Maker::Frozen(FrozenSetBuilder::new(py)?))
    }

    #[inline]
    pub(super) fn put(&mut self, item: Obj<'py>) -> PyResult<()> {
        match self {
            Maker::Tuple(items) | Maker::Other(_, items) => items.push(item),
            Maker::Frozen(set) => set.add(&item)?,
        }
        Ok(())
    }

    pub(super) fn done(self, py: Python<'py>) -> Res<'py> {
        match self {
            Maker::Tuple(items) => tuple(py, items),
            Maker::Frozen(set) => Ok(set.finish()),
            Maker::Other(class, items) => class.call1((PyList::new(py, items)?.try_iter()?,)),
        }
    }
}

/// Whether its type refuses a generator, with an error before it looks into it.
fn refuses_generators(object: &Obj<'_>) -> bool {
    object.is_exact_instance_of::<PyRange>() || object.is_exact_instance_of::<PyMemoryView>()
}

pub(super) fn tuple<'py>(py: Python<'py>, items: Vec<Obj<'py>>) -> Res<'py> {
    Ok(PyTuple::new(py, items)?.into_any())
}

/// `tuple(x)`
pub(super) fn to_tuple<'py>(object: &Obj<'py>) -> Res<'py> {
    if is_exact_tuple(object) {
        Ok(object.clone())
    } else {
        ffi::tuple_of(object)
    }
}

/// `frozenset(… for …)`
pub(super) fn frozen<'py>(py: Python<'py>, items: impl IntoIterator<Item = Res<'py>>) -> Res<'py> {
    let mut set = FrozenSetBuilder::new(py)?;
    for item in items {
        set.add(&generated(py, item)?)?;
    }
    Ok(set.finish())
}

/// `{… for …}` or `{…, …}`
pub(super) fn set<'py>(
    py: Python<'py>,
    items: impl IntoIterator<Item = Res<'py>>,
) -> PyResult<Bound<'py, PySet>> {
    let set = PySet::empty(py)?;
    for item in items {
        set.add(item?)?;
        announce_set(set.len())?;
    }
    Ok(set)
}

/// `frozenset(x)` of a set, which builds a new table.
pub(super) fn frozen_copy<'py>(set: &Bound<'py, PySet>) -> Res<'py> {
    ffi::frozenset_of(set.as_any())
}

pub(super) fn empty_set(py: Python<'_>) -> Res<'_> {
    Ok(PyFrozenSet::empty(py)?.into_any())
}

/// A built-in function of Python.
pub(super) fn builtin<'py>(py: Python<'py>, name: &str) -> Res<'py> {
    py.import(intern!(py, "builtins"))?.getattr(name)
}

/// `max` or `min` with or without a key, of the rest of a loop. `CompareOp` chooses greater or
/// less.
pub(super) fn extreme<'py>(
    items: impl Iterator<Item = Res<'py>>,
    by: CompareOp,
    mut key: impl FnMut(&Obj<'py>) -> Res<'py>,
) -> PyResult<Option<Obj<'py>>> {
    let mut best: Option<(Obj<'py>, Obj<'py>)> = None;
    for item in items {
        let item = item?;
        let value = key(&item)?;
        let is_better = match &best {
            Some((_, known)) => compare(&value, known, by)?,
            None => true,
        };
        if is_better {
            best = Some((item, value));
        }
    }
    Ok(best.map(|(item, _)| item))
}

/// The truth of `a > b`, `a < b` and so on.
#[inline]
pub(super) fn compare(a: &Obj<'_>, b: &Obj<'_>, by: CompareOp) -> PyResult<bool> {
    match (small(a), small(b)) {
        (Some(a), Some(b)) => Ok(by.matches(a.cmp(&b))),
        _ => a.rich_compare(b, by)?.is_truthy(),
    }
}

/// `0 <= i < n`
pub(super) fn is_below(i: &Obj<'_>, n: usize) -> PyResult<bool> {
    match small(i) {
        Some(i) => Ok(0 <= i && i < n as i64),
        None => {
            let zero = int(i.py(), 0);
            Ok(zero.le(i)? && i.lt(n)?)
        }
    }
}

/// The error of `max` and `min` for an empty argument.
pub(super) fn of_nothing<'py>(best: Option<Obj<'py>>) -> Res<'py> {
    best.ok_or_else(|| PyValueError::new_err("the iterable argument is empty"))
}

/// `x[::-1]`
pub(super) fn reversed<'py>(object: &Obj<'py>) -> Res<'py> {
    static BACKWARDS: PyOnceLock<Py<PySlice>> = PyOnceLock::new();
    let py = object.py();
    let slice = BACKWARDS.get_or_try_init(py, || ffi::backwards(py).map(Bound::unbind))?;
    object.get_item(slice.bind(py))
}

/// `x[start:stop]`, with limits of any type.
pub(super) fn slice<'py>(object: &Obj<'py>, start: &Obj<'py>, stop: &Obj<'py>) -> Res<'py> {
    if let (Some(tuple), Some(start), Some(stop)) = (as_tuple(object), small(start), small(stop)) {
        let within = |k: i64| {
            let n = tuple.len() as i64;
            (if k < 0 { (k + n).max(0) } else { k.min(n) }) as usize
        };
        let (start, stop) = (within(start), within(stop));
        return Ok(tuple.get_slice(start, stop.max(start)).into_any());
    }
    let class = object.py().get_type::<PySlice>();
    object.get_item(class.call1((start, stop))?)
}

/// `tuple(zip(*x))`
pub(super) fn columns<'py>(object: &Obj<'py>) -> Res<'py> {
    static ZIP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let zip = ZIP.get_or_try_init(py, || builtin(py, "zip").map(Bound::unbind))?;
    let rows = to_tuple(object)?;
    announce_columns(rows.cast_exact::<PyTuple>()?)?;
    to_tuple(&zip.bind(py).call1(rows.cast_exact::<PyTuple>()?)?)
}

/// `zip(a, b)`
pub(super) fn zip<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    static ZIP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = a.py();
    let zip = ZIP.get_or_try_init(py, || builtin(py, "zip").map(Bound::unbind))?;
    ffi::call_python(zip.bind(py), &[a, b])
}

/// All elements of the inner containers, one after the other: `e for c in containers for e in c`.
pub(super) fn chained<'py>(containers: &Obj<'py>) -> Res<'py> {
    static CHAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = containers.py();
    let make = || {
        let chain = py.import("itertools")?.getattr("chain")?;
        chain.getattr("from_iterable").map(Bound::unbind)
    };
    ffi::call_python(CHAIN.get_or_try_init(py, make)?.bind(py), &[containers])
}

/// A whole number as `range` takes it.
pub(super) fn as_index(object: &Obj<'_>) -> PyResult<i64> {
    match small(object) {
        Some(number) => Ok(number),
        None if is_int(object) || object.hasattr(intern!(object.py(), "__index__"))? => {
            object.extract::<i64>()
        }
        None => Err(PyTypeError::new_err(
            "object cannot be interpreted as an integer",
        )),
    }
}

/// Announces a tuple before it is made. Kernels call this if their result can be much larger than
/// their arguments. Beyond the engines' caps it raises a `MemoryError`, which leaves the
/// interpreter alive.
pub(super) fn announce(n_items: usize) -> PyResult<()> {
    if n_items > MAX_ELEMENTS {
        Err(too_large(n_items, "items of a tuple", MAX_ELEMENTS))
    } else {
        Ok(())
    }
}

/// Announces a set with this many elements.
#[inline]
pub(super) fn announce_set(n_elements: usize) -> PyResult<()> {
    if n_elements > MAX_SET_ELEMENTS {
        Err(too_large(n_elements, "elements of a set", MAX_SET_ELEMENTS))
    } else {
        Ok(())
    }
}

/// Announces the parts of a value, including the parts of parts.
pub(super) fn announce_parts(n_parts: usize) -> PyResult<()> {
    if n_parts > MAX_NODES as usize {
        Err(too_large(n_parts, "parts of a value", MAX_NODES as usize))
    } else {
        Ok(())
    }
}

/// Announces the result of `zip(*rows)`.
fn announce_columns(rows: &Bound<'_, PyTuple>) -> PyResult<()> {
    let lengths = rows
        .iter_borrowed()
        .map(|row| as_tuple(&row).map(|row| row.len()));
    match lengths.collect::<Option<Vec<_>>>() {
        Some(lengths) => {
            let shortest = lengths.iter().min().copied().unwrap_or(0);
            announce_parts(shortest.saturating_mul(lengths.len()))
        }
        None => Ok(()),
    }
}

#[cold]
fn too_large(n: usize, what: &str, most: usize) -> PyErr {
    PyMemoryError::new_err(format!("{n} {what}: leyden makes at most {most}"))
}

/// A tuple of rows, each made when its turn comes. It stops at the cap, not when it is complete.
pub(super) fn tuple_of_rows<'py>(
    py: Python<'py>,
    rows: impl Iterator<Item = Res<'py>>,
) -> Res<'py> {
    let (mut made, mut n_parts) = (Vec::new(), 0);
    for row in rows {
        let row = row?;
        n_parts += 1 + as_tuple(&row).map_or(0, |row| row.len());
        announce_parts(n_parts)?;
        made.push(row);
        announce(made.len())?;
    }
    tuple(py, made)
}
