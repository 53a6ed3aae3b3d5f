//! Frozensets that iterate in a given order.
//!
//! The order of a set in CPython is that of its table, which depends on the table's size and on the
//! order of insertion. Both can be chosen: a set of a list grows as it goes, and a set of a
//! dictionary is made large enough at once. So this module inserts the elements in the wanted
//! order, in a table of either size. If hashes collide and the order differs, it inserts pairs of
//! elements in wrong order the other way round.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList};

/// The number of tries. Each step corrects one pair and may disturb others.
const MOST_STEPS: usize = 200;

/// The largest set that is tried again. The order of larger sets rarely matters.
const MOST_ELEMENTS: usize = 2_000;

/// A frozenset of these distinct elements. It iterates in their order if some order of insertion
/// gives that.
pub(crate) fn frozenset<'py>(
    py: Python<'py>,
    wanted: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyFrozenSet>> {
    let plain = PyFrozenSet::new(py, &wanted)?;
    if first_wrong(&plain, &wanted).is_none() || wanted.len() > MOST_ELEMENTS {
        return Ok(plain);
    }
    for make in [at_once, one_by_one] {
        if let Some(found) = search(py, &wanted, make)? {
            return Ok(found);
        }
    }
    Ok(plain)
}

type Make = for<'py> fn(Python<'py>, &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyFrozenSet>>;

fn one_by_one<'py>(
    py: Python<'py>,
    elements: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyFrozenSet>> {
    PyFrozenSet::new(py, elements)
}

fn at_once<'py>(
    py: Python<'py>,
    elements: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyFrozenSet>> {
    let dict = py.get_type::<PyDict>();
    let dict = dict.call_method1("fromkeys", (PyList::new(py, elements)?,))?;
    let set = py.get_type::<PyFrozenSet>().call1((dict,))?;
    Ok(set.cast_into()?)
}

/// The first element that comes too early, and the one that should be in its place.
fn first_wrong<'py>(
    set: &Bound<'py, PyFrozenSet>,
    wanted: &[Bound<'py, PyAny>],
) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let found = set.iter().zip(wanted).find(|(a, b)| !a.is(*b));
    found.map(|(early, due)| (early, due.clone()))
}

fn search<'py>(
    py: Python<'py>,
    wanted: &[Bound<'py, PyAny>],
    make: Make,
) -> PyResult<Option<Bound<'py, PyFrozenSet>>> {
    let mut inserted = wanted.to_vec();
    for _ in 0..MOST_STEPS {
        let set = make(py, &inserted)?;
        let Some((early, due)) = first_wrong(&set, wanted) else {
            return Ok(Some(set));
        };
        let place = |it: &Bound<'py, PyAny>| inserted.iter().position(|other| other.is(it));
        let (Some(a), Some(b)) = (place(&early), place(&due)) else {
            return Ok(None);
        };
        let later = inserted.remove(a.max(b));
        inserted.insert(a.min(b), later);
    }
    Ok(None)
}
