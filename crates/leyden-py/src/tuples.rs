//! Tuples read and filled where they lie.
//!
//! The stable ABI has a call for each item of a tuple, which takes longer than most items are worth. Where
//! the items lie is no secret, though: after the head that `tuple.__basicsize__` tells the size of. That is
//! tried out once, on a tuple whose items are known; where it does not hold, the calls are made.
#![allow(unsafe_code)]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyTuple};

/// How many bytes of a tuple come before its items; none if that is not known.
static HEAD: PyOnceLock<Option<usize>> = PyOnceLock::new();

/// Larger heads are not believed.
const MOST_WORDS: usize = 6;

fn head(py: Python<'_>) -> Option<usize> {
    *HEAD.get_or_init(py, || tried_out(py).ok().flatten())
}

/// The size of the head, if the items of a tuple are there.
fn tried_out(py: Python<'_>) -> PyResult<Option<usize>> {
    let size: usize = py
        .get_type::<PyTuple>()
        .getattr("__basicsize__")?
        .extract()?;
    let word = size_of::<*mut ffi::PyObject>();
    // Numbers that Python makes anew each time, so that none of them is another.
    let numbers: Vec<_> = (0..8i64).map(|k| PyInt::new(py, (1 << 40) + k)).collect();
    let tuple = PyTuple::new(py, &numbers)?;
    if !size.is_multiple_of(word) || size / word > MOST_WORDS {
        return Ok(None);
    }
    let are_there = numbers.iter().enumerate().take(2).all(|(k, number)| {
        // SAFETY: a tuple of eight items is larger than the largest head and two of them.
        let item = unsafe {
            let items = tuple.as_ptr().byte_add(size).cast::<*mut ffi::PyObject>();
            items.add(k).read()
        };
        item == number.as_ptr()
    });
    Ok(are_there.then_some(size))
}

/// The addresses of a tuple's items.
#[inline]
pub(crate) fn addresses<'t>(tuple: &'t Bound<'_, PyTuple>) -> Option<&'t [usize]> {
    let head = head(tuple.py())?;
    // SAFETY: the items lie there, as was tried out, and stay as long as the tuple does.
    Some(unsafe {
        let items = tuple.as_ptr().byte_add(head).cast::<usize>();
        std::slice::from_raw_parts(items, tuple.len())
    })
}

/// A tuple of objects that are alive and cannot be part of a cycle: numbers, or such tuples of them. So
/// Python's collector need not look at it; it would find that out by itself, but only after it has looked.
pub(crate) fn tuple_of<'py, 'a, I>(py: Python<'py>, items: I) -> PyResult<Bound<'py, PyTuple>>
where
    I: ExactSizeIterator<Item = &'a Py<PyAny>>,
{
    let Some(head) = head(py) else {
        return PyTuple::new(py, items);
    };
    let n_items = items.len();
    // SAFETY: the new tuple has room for that many items, and nobody sees it before it is full; each
    // of them is a reference of its own.
    unsafe {
        let tuple = ffi::PyTuple_New(n_items as ffi::Py_ssize_t);
        let tuple = Bound::from_owned_ptr_or_err(py, tuple)?;
        let room = tuple.as_ptr().byte_add(head).cast::<*mut ffi::PyObject>();
        let mut n_put = 0;
        for item in items.take(n_items) {
            ffi::Py_INCREF(item.as_ptr());
            room.add(n_put).write(item.as_ptr());
            n_put += 1;
        }
        // A place without an item would be a null that Python does not expect.
        assert_eq!(n_put, n_items, "fewer items than were announced");
        if n_items > 0 {
            ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast());
        }
        Ok(tuple.cast_into_unchecked())
    }
}
