//! Tuples read and filled where they lie.
//!
//! The stable ABI has a call for each item of a tuple, which takes longer than most items are worth. Where
//! the items lie is no secret, though: after the head that `tuple.__basicsize__` tells the size of. That is
//! tried out once, on tuples whose items are known; where it does not hold, the calls are made. The same
//! goes for the count of the references to an object, which is its first word.
#![allow(unsafe_code)]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyTuple};

/// How tuples lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// How many bytes come before the items.
    head: usize,
}

/// None if it is not known.
static LAYOUT: PyOnceLock<Option<Layout>> = PyOnceLock::new();

/// The number of items is the third word, after the count of references and the type.
const LENGTH_AT: usize = 2;

/// Larger heads are not believed.
const MOST_WORDS: usize = 6;

const WORD: usize = size_of::<*mut ffi::PyObject>();

impl Layout {
    pub(crate) fn get(py: Python<'_>) -> Option<Layout> {
        *LAYOUT.get_or_init(py, || Layout::tried_out(py).ok().flatten())
    }

    /// The layout, if the items of tuples are where they should be.
    fn tried_out(py: Python<'_>) -> PyResult<Option<Layout>> {
        let head: usize = py
            .get_type::<PyTuple>()
            .getattr("__basicsize__")?
            .extract()?;
        if !head.is_multiple_of(WORD) || !(LENGTH_AT + 1..=MOST_WORDS).contains(&(head / WORD)) {
            return Ok(None);
        }
        for n_items in [8, 9] {
            let numbers: Vec<_> = (0..n_items).map(|k| new_number(py, k)).collect();
            let tuple = PyTuple::new(py, &numbers)?;
            // SAFETY: a tuple of eight items is larger than the largest head and two of them.
            let (length, first, second) = unsafe {
                let word = |k: usize| tuple.as_ptr().cast::<usize>().add(k).read();
                (word(LENGTH_AT), word(head / WORD), word(head / WORD + 1))
            };
            let wanted = [numbers[0].as_ptr(), numbers[1].as_ptr()].map(|it| it as usize);
            if length as i64 != n_items || [first, second] != wanted {
                return Ok(None);
            }
        }
        Ok(Some(Layout { head }))
    }

    /// The addresses of a tuple's items.
    #[inline]
    pub(crate) fn addresses<'t>(self, tuple: &'t Bound<'_, PyTuple>) -> &'t [usize] {
        // SAFETY: it is a tuple, and stays as long as it is borrowed.
        unsafe { self.addresses_at(tuple.as_ptr()) }
    }

    /// The same of a tuple that is itself an item of a tuple; nothing if there is something else.
    #[inline]
    pub(crate) fn addresses_in<'t>(
        self,
        tuple: &'t Bound<'_, PyTuple>,
        k: usize,
    ) -> Option<&'t [usize]> {
        let item = *self.addresses(tuple).get(k)? as *mut ffi::PyObject;
        // SAFETY: what lies in a tuple is an object that stays as long as the tuple does.
        unsafe { (ffi::PyTuple_CheckExact(item) != 0).then(|| self.addresses_at(item)) }
    }

    /// # Safety
    /// There has to be a tuple, for as long as the addresses are used.
    #[inline]
    unsafe fn addresses_at<'t>(self, tuple: *mut ffi::PyObject) -> &'t [usize] {
        // SAFETY: length and items lie there, as was tried out; neither changes.
        unsafe {
            let length = tuple.cast::<usize>().add(LENGTH_AT).read();
            std::slice::from_raw_parts(tuple.byte_add(self.head).cast(), length)
        }
    }
}

/// A number that Python makes anew each time, so that it is no other.
fn new_number(py: Python<'_>, k: i64) -> Bound<'_, PyInt> {
    PyInt::new(py, (1 << 40) + k)
}

/// A tuple of objects that cannot be part of a cycle: numbers, or such tuples of them. So Python's
/// collector need not look at it; it would find that out by itself, but only after it has looked.
pub(crate) fn tuple_of(py: Python<'_>, items: Vec<Py<PyAny>>) -> PyResult<Bound<'_, PyTuple>> {
    let Some(layout) = Layout::get(py) else {
        return PyTuple::new(py, items);
    };
    let items = items.into_iter().map(Py::into_ptr);
    // SAFETY: each item is a reference that was ours and is the tuple's now.
    unsafe { filled(py, layout, items) }
}

/// A new tuple of these items.
///
/// # Safety
/// Each item has to be a counted reference to an object that cannot be part of a cycle.
#[inline(always)]
unsafe fn filled(
    py: Python<'_>,
    layout: Layout,
    items: impl ExactSizeIterator<Item = *mut ffi::PyObject>,
) -> PyResult<Bound<'_, PyTuple>> {
    let n_items = items.len();
    // SAFETY: the new tuple has room for that many items, and nobody sees it before it is full.
    unsafe {
        let tuple = ffi::PyTuple_New(n_items as ffi::Py_ssize_t);
        let tuple = Bound::from_owned_ptr_or_err(py, tuple)?;
        let room = tuple.as_ptr().byte_add(layout.head);
        let room = room.cast::<*mut ffi::PyObject>();
        let mut n_put = 0;
        for item in items.take(n_items) {
            room.add(n_put).write(item);
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

/// How references to objects are counted.
#[derive(Clone, Copy, PartialEq)]
enum Counting {
    /// Not at all: the objects live for ever.
    Never,
    /// By adding to their first word.
    InPlace,
    /// By asking Python to.
    ByCall,
}

/// Ten numbers that tuples are made of.
pub(crate) struct Stock {
    numbers: [Py<PyAny>; 10],
    counting: Counting,
    layout: Option<Layout>,
}

impl Stock {
    pub(crate) fn of(py: Python<'_>, numbers: [Py<PyAny>; 10]) -> Stock {
        let counting = counting_of(py, &numbers);
        Stock {
            numbers,
            counting,
            layout: Layout::get(py),
        }
    }

    pub(crate) fn numbers(&self) -> &[Py<PyAny>; 10] {
        &self.numbers
    }

    /// A tuple of some of them; nothing if others are asked for, too.
    pub(crate) fn tuple<'py>(
        &self,
        py: Python<'py>,
        which: &[i8],
    ) -> Option<PyResult<Bound<'py, PyTuple>>> {
        let are_here = which.iter().fold(true, |all, k| all & ((*k as u8) < 10));
        if !are_here {
            return None;
        }
        let numbers = which.iter().map(|k| &self.numbers[*k as u8 as usize]);
        let Some(layout) = self.layout else {
            return Some(PyTuple::new(py, numbers));
        };
        let pointers = numbers.map(Py::as_ptr);
        // SAFETY: numbers are part of no cycle, and each is counted as was tried out. We are attached, so
        // nobody else counts now.
        Some(unsafe {
            match self.counting {
                Counting::Never => filled(py, layout, pointers),
                Counting::InPlace => {
                    let counted = |number: *mut ffi::PyObject| {
                        *number.cast::<usize>() += 1;
                        number
                    };
                    filled(py, layout, pointers.map(counted))
                }
                Counting::ByCall => {
                    let counted = |number: *mut ffi::PyObject| {
                        ffi::Py_INCREF(number);
                        number
                    };
                    filled(py, layout, pointers.map(counted))
                }
            }
        })
    }
}

/// How references to these numbers are counted.
fn counting_of(py: Python<'_>, numbers: &[Py<PyAny>; 10]) -> Counting {
    // A number that is not known to Python beforehand is surely counted.
    if added_by_reference(new_number(py, 0).as_any()) != 1 {
        return Counting::ByCall;
    }
    let all_add = |n: usize| {
        let mut numbers = numbers.iter();
        numbers.all(|number| added_by_reference(number.bind(py)) == n)
    };
    match (all_add(0), all_add(1)) {
        (true, _) => Counting::Never,
        (_, true) => Counting::InPlace,
        _ => Counting::ByCall,
    }
}

/// How much larger the first word of an object is while there is one more reference to it.
fn added_by_reference(object: &Bound<'_, PyAny>) -> usize {
    // SAFETY: an object is larger than a word.
    let first_word = || unsafe { object.as_ptr().cast::<usize>().read_volatile() };
    let before = first_word();
    let _other = object.clone();
    first_word().wrapping_sub(before)
}
