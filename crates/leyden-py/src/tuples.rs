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

/// Cells as bytes: numbers from 0 to 9 stay what they are, and no other becomes one of them.
pub(crate) fn as_bytes(cells: &[i8]) -> &[u8] {
    // SAFETY: both have one byte, and any byte will do.
    unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) }
}

/// A new tuple with room for that many items. Python's collector does not look at it: it would find out
/// by itself that tuples of numbers, and tuples of those, are part of no cycle, but only after it has looked.
fn new_tuple(py: Python<'_>, n_items: usize) -> PyResult<Bound<'_, PyTuple>> {
    // SAFETY: a new tuple is a tuple, and one with items is known to the collector.
    unsafe {
        let tuple = ffi::PyTuple_New(n_items as ffi::Py_ssize_t);
        let tuple = Bound::from_owned_ptr_or_err(py, tuple)?;
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
}

/// Ten numbers that tuples are made of.
pub(crate) struct Stock {
    numbers: [Py<PyAny>; 10],
    /// Where the number lies that a byte stands for, and what it adds to a tally. Bytes that stand for none
    /// of them have those of the first: so nobody has to look at a byte before it is used.
    addresses: [usize; 256],
    units: [u64; 256],
    /// None if it is not known how tuples lie or how references are counted.
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

    /// A tuple of that many rows, to be put into it one by one; nothing if that has to be left to Python.
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

/// New references to the numbers of a stock that are not counted yet. To count them one by one takes long
/// where the same number comes again and again: each time, the processor waits for the one before.
struct Tally<'s> {
    stock: &'s Stock,
    n_cells: usize,
    /// Of each number how many, six bits each.
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
            // Numbers that live for ever are never written to: other interpreters may share them.
            if n == 0 {
                continue;
            }
            // SAFETY: references are counted there, as was tried out, unless there are none to count. We
            // are attached, so nobody else counts now.
            unsafe { *number.as_ptr().cast::<usize>() += n };
        }
        (self.n_cells, self.sum) = (0, 0);
    }
}

/// What was put into tuples is counted whatever happens.
impl Drop for Tally<'_> {
    fn drop(&mut self) {
        if self.sum != 0 {
            self.count();
        }
    }
}

/// A tuple of rows that is being filled.
pub(crate) struct Rows<'s, 'py> {
    // The first to be dropped: what counts references comes before what gives them back.
    tally: Tally<'s>,
    layout: Layout,
    tuple: Bound<'py, PyTuple>,
    n_rows: usize,
    n_put: usize,
}

impl<'py> Rows<'_, 'py> {
    /// Puts a new row of these numbers, all of them from 0 to 9.
    pub(crate) fn put_new(&mut self, cells: &[u8]) -> PyResult<()> {
        let row = new_tuple(self.tuple.py(), cells.len())?;
        // SAFETY: the row has room for that many items, and nobody else has seen it.
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

    /// Puts the latest row once more.
    pub(crate) fn repeat(&mut self) {
        let latest = self.layout.addresses(&self.tuple)[self.n_put - 1];
        self.put_counted(latest);
    }

    /// Puts a row of another tuple of rows.
    pub(crate) fn put_row_of(&mut self, rows: &Bound<'py, PyTuple>, k: usize) {
        let row = self.layout.addresses(rows)[k];
        self.put_counted(row);
    }

    /// Puts what lies in a tuple.
    fn put_counted(&mut self, row: usize) {
        let row = row as *mut ffi::PyObject;
        // SAFETY: what lies in a tuple is an object.
        unsafe { ffi::Py_INCREF(row) };
        self.put(row);
    }

    /// Puts a row that belongs to the tuple from now on.
    fn put(&mut self, row: *mut ffi::PyObject) {
        assert!(self.n_put < self.n_rows, "more rows than were announced");
        // SAFETY: there is room for that many rows, and nobody else has seen the tuple.
        unsafe {
            let items = self.tuple.as_ptr().byte_add(self.layout.head);
            items
                .cast::<*mut ffi::PyObject>()
                .add(self.n_put)
                .write(row);
        }
        self.n_put += 1;
    }

    /// The tuple, once all rows are there: a place without one would be a null that Python does not expect.
    pub(crate) fn finish(self) -> Bound<'py, PyTuple> {
        assert_eq!(self.n_put, self.n_rows, "fewer rows than were announced");
        self.tuple
    }
}

/// How references to these numbers are counted, if that can be told.
fn counting_of(py: Python<'_>, numbers: &[Py<PyAny>; 10]) -> Option<Counting> {
    // A number that is not known to Python beforehand is surely counted.
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

/// How much larger the first word of an object is while there is one more reference to it.
fn added_by_reference(object: &Bound<'_, PyAny>) -> usize {
    // SAFETY: an object is larger than a word.
    let first_word = || unsafe { object.as_ptr().cast::<usize>().read_volatile() };
    let before = first_word();
    let _other = object.clone();
    first_word().wrapping_sub(before)
}
