//! Reads and fills tuples in place.
//!
//! The stable ABI has a call for each item of a tuple, which costs more than most items are worth.
//! But the place of the items is known: they follow the head, and `tuple.__basicsize__` is the size
//! of the head. This module tests that once, on tuples with known items. If the test fails, it uses
//! the calls. It tests in this way, too, that the first word of an object counts its references.
#![allow(unsafe_code)]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyTuple};

/// The layout of tuples in memory.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// The number of bytes before the items.
    head: usize,
}

/// The layout; `None` if it is unknown.
static LAYOUT: PyOnceLock<Option<Layout>> = PyOnceLock::new();

/// The index of the word with the number of items, after the count of references and the type.
const LENGTH_AT: usize = 2;

/// The largest plausible number of words in a head.
const MOST_WORDS: usize = 6;

const WORD: usize = size_of::<*mut ffi::PyObject>();

impl Layout {
    pub(crate) fn get(py: Python<'_>) -> Option<Layout> {
        *LAYOUT.get_or_init(py, || Layout::tried_out(py).ok().flatten())
    }

    /// Tests the layout; `None` if the items are not where they should be.
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
        // SAFETY: it is a tuple, and lives as long as it is borrowed.
        unsafe { self.addresses_at(tuple.as_ptr()) }
    }

    /// The addresses of the items of a tuple that is itself an item; `None` if the item is not a
    /// tuple.
    #[inline]
    pub(crate) fn addresses_in<'t>(
        self,
        tuple: &'t Bound<'_, PyTuple>,
        k: usize,
    ) -> Option<&'t [usize]> {
        let item = *self.addresses(tuple).get(k)? as *mut ffi::PyObject;
        // SAFETY: an item of a tuple is an object that lives as long as the tuple does.
        unsafe { (ffi::PyTuple_CheckExact(item) != 0).then(|| self.addresses_at(item)) }
    }

    /// # Safety
    /// `tuple` is a tuple that lives as long as the addresses are used.
    #[inline]
    unsafe fn addresses_at<'t>(self, tuple: *mut ffi::PyObject) -> &'t [usize] {
        // SAFETY: length and items lie there, as the test showed; neither changes.
        unsafe {
            let length = tuple.cast::<usize>().add(LENGTH_AT).read();
            std::slice::from_raw_parts(tuple.byte_add(self.head).cast(), length)
        }
    }
}

/// A number that Python makes each time, so that it is a new object.
fn new_number(py: Python<'_>, k: i64) -> Bound<'_, PyInt> {
    PyInt::new(py, (1 << 40) + k)
}

/// Cells as bytes. Numbers from 0 to 9 keep their value, and no other number becomes one of them.
pub(crate) fn as_bytes(cells: &[i8]) -> &[u8] {
    // SAFETY: both types have one byte, and every byte is valid.
    unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) }
}

/// A new tuple for this many items, which Python's collector ignores. The collector would find out
/// by itself that tuples of numbers, and tuples of those, are part of no cycle, but only after it
/// has visited them.
fn new_tuple(py: Python<'_>, n_items: usize) -> PyResult<Bound<'_, PyTuple>> {
    // SAFETY: a new tuple is a tuple, and the collector tracks one with items.
    unsafe {
        let tuple = ffi::PyTuple_New(n_items as ffi::Py_ssize_t);
        let tuple = Bound::from_owned_ptr_or_err(py, tuple)?;
        if n_items > 0 {
            ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast());
        }
        Ok(tuple.cast_into_unchecked())
    }
}

/// The way in which Python counts references to objects.
#[derive(Clone, Copy, PartialEq)]
enum Counting {
    /// The objects live for ever and are not counted.
    Never,
    /// The count is the first word.
    InPlace,
}

/// The ten numbers of which tuples are made.
pub(crate) struct Stock {
    numbers: [Py<PyAny>; 10],
    /// The address of the number for a byte, and its addend in a tally. All other bytes have those
    /// of the first number, so the code need not check a byte before using it.
    addresses: [usize; 256],
    units: [u64; 256],
    /// The layout; `None` if the layout of tuples or the counting of references is unknown.
    layout: Option<Layout>,
}

impl Stock {
    pub(crate) fn of(py: Python<'_>, numbers: [Py<PyAny>; 10]) -> Stock {
        let counting = counting_of(py, &numbers);
        let which = |byte: usize| if byte < 10 { byte } else { 0 };
        let unit = |byte: usize| match counting {
            Some(Counting::InPlace) => 1 << (which(byte) * BITS_OF_TALLY),
            _ => 0,
        };
        let addresses = std::array::from_fn(|byte| numbers[which(byte)].as_ptr() as usize);
        Stock {
            numbers,
            addresses,
            units: std::array::from_fn(unit),
            layout: Layout::get(py).filter(|_| counting.is_some()),
        }
    }

    pub(crate) fn numbers(&self) -> &[Py<PyAny>; 10] {
        &self.numbers
    }

    /// Begins a tuple of rows, which are put into it one by one; `None` if Python has to make it.
    pub(crate) fn rows<'py>(
        &self,
        py: Python<'py>,
        n_rows: usize,
    ) -> Option<PyResult<Rows<'_, 'py>>> {
        let layout = self.layout?;
        Some(new_tuple(py, n_rows).map(|tuple| Rows {
            layout,
            tuple,
            n_rows,
            n_put: 0,
            tally: Tally {
                stock: self,
                n_cells: 0,
                sum: 0,
            },
        }))
    }
}

/// New references to the numbers of a stock that are not counted yet. Counting one by one is slow
/// if one number comes again and again: each time, the processor waits for the previous addition.
struct Tally<'s> {
    stock: &'s Stock,
    n_cells: usize,
    /// The number of references to each number, six bits each.
    sum: u64,
}

const BITS_OF_TALLY: usize = 6;
const MOST_TALLIED: usize = (1 << BITS_OF_TALLY) - 1;

impl Tally<'_> {
    /// Puts numbers into new items, at most [`MOST_TALLIED`].
    #[inline]
    fn put(&mut self, items: &mut [usize], cells: &[u8]) {
        if self.n_cells + cells.len() > MOST_TALLIED {
            self.count();
        }
        self.n_cells += cells.len();
        let Stock {
            addresses, units, ..
        } = self.stock;
        let mut sum = self.sum;
        for (item, cell) in items.iter_mut().zip(cells) {
            *item = addresses[usize::from(*cell)];
            sum += units[usize::from(*cell)];
        }
        self.sum = sum;
    }

    fn count(&mut self) {
        for (k, number) in self.stock.numbers.iter().enumerate() {
            let n = (self.sum >> (k * BITS_OF_TALLY)) as usize & MOST_TALLIED;
            // The code never writes to numbers that live for ever: other interpreters may share
            // them.
            if n == 0 {
                continue;
            }
            // SAFETY: references are counted there, as the test showed, unless there are none to
            // count. This thread is attached, so no other counts now.
            unsafe { *number.as_ptr().cast::<usize>() += n };
        }
        (self.n_cells, self.sum) = (0, 0);
    }
}

/// Counts the references in tuples in every case.
impl Drop for Tally<'_> {
    fn drop(&mut self) {
        if self.sum != 0 {
            self.count();
        }
    }
}

/// An unfinished tuple of rows.
pub(crate) struct Rows<'s, 'py> {
    // This field is dropped first: references are counted before they are returned.
    tally: Tally<'s>,
    layout: Layout,
    tuple: Bound<'py, PyTuple>,
    n_rows: usize,
    n_put: usize,
}

impl<'py> Rows<'_, 'py> {
    /// Puts a new row of these numbers, all from 0 to 9.
    pub(crate) fn put_new(&mut self, cells: &[u8]) -> PyResult<()> {
        let row = new_tuple(self.tuple.py(), cells.len())?;
        // SAFETY: the row has room for that many items, and no other code has seen it.
        let mut items = unsafe {
            let items = row.as_ptr().byte_add(self.layout.head).cast::<usize>();
            std::slice::from_raw_parts_mut(items, cells.len())
        };
        let mut cells = cells;
        while let Some((few, others)) = cells.split_at_checked(MOST_TALLIED) {
            let (items_of_few, other_items) = items.split_at_mut(MOST_TALLIED);
            self.tally.put(items_of_few, few);
            (items, cells) = (other_items, others);
        }
        self.tally.put(items, cells);
        self.put(row.into_ptr());
        Ok(())
    }

    /// Puts the latest row again.
    pub(crate) fn repeat(&mut self) {
        let latest = self.layout.addresses(&self.tuple)[self.n_put - 1];
        self.put_counted(latest);
    }

    /// Puts a row of another tuple of rows.
    pub(crate) fn put_row_of(&mut self, rows: &Bound<'py, PyTuple>, k: usize) {
        let row = self.layout.addresses(rows)[k];
        self.put_counted(row);
    }

    /// Puts a row that another tuple owns, too.
    fn put_counted(&mut self, row: usize) {
        let row = row as *mut ffi::PyObject;
        // SAFETY: an item of a tuple is an object.
        unsafe { ffi::Py_INCREF(row) };
        self.put(row);
    }

    /// Puts a row that this tuple owns from now on.
    fn put(&mut self, row: *mut ffi::PyObject) {
        assert!(self.n_put < self.n_rows, "more rows than were announced");
        // SAFETY: there is room for that many rows, and no other code has seen the tuple.
        unsafe {
            let items = self.tuple.as_ptr().byte_add(self.layout.head);
            items
                .cast::<*mut ffi::PyObject>()
                .add(self.n_put)
                .write(row);
        }
        self.n_put += 1;
    }

    /// The finished tuple. All rows must be there: an empty place would be a null that Python does
    /// not expect.
    pub(crate) fn finish(self) -> Bound<'py, PyTuple> {
        assert_eq!(self.n_put, self.n_rows, "fewer rows than were announced");
        self.tuple
    }
}

/// The way in which references to these numbers are counted; `None` if it is unknown.
fn counting_of(py: Python<'_>, numbers: &[Py<PyAny>; 10]) -> Option<Counting> {
    // A new number is surely counted.
    if added_by_reference(new_number(py, 0).as_any()) != 1 {
        return None;
    }
    let all_add = |n: usize| {
        let mut numbers = numbers.iter();
        numbers.all(|number| added_by_reference(number.bind(py)) == n)
    };
    match (all_add(0), all_add(1)) {
        (true, _) => Some(Counting::Never),
        (_, true) => Some(Counting::InPlace),
        _ => None,
    }
}

/// The growth of an object's first word with one more reference.
fn added_by_reference(object: &Bound<'_, PyAny>) -> usize {
    // SAFETY: an object is larger than a word.
    let first_word = || unsafe { object.as_ptr().cast::<usize>().read_volatile() };
    let before = first_word();
    let _other = object.clone();
    first_word().wrapping_sub(before)
}
