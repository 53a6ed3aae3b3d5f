//! Grids as plain tuples of tuples, in and out, as cheaply as possible.

use leyden_grid::{GridRef, MAX_SIDE};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::tuples::{self, Layout, Rows, Stock};

/// Python's numbers from 0 to 9. Each exists once, so its address identifies it.
struct Digits {
    stock: Stock,
    first: usize,
    /// Whether the numbers lie in a row, each of them [`STRIDE`] after the one before.
    are_in_row: bool,
}

/// The size of a small number since words have eight bytes.
const STRIDE: usize = 32;

static DIGITS: PyOnceLock<Digits> = PyOnceLock::new();

/// Takes the ten numbers when the module is imported. They are kept for ever, and references to
/// them must not appear while a program runs that counts them.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    Digits::get(module.py()).map(|_| ())
}

impl Digits {
    fn get(py: Python<'_>) -> PyResult<&Digits> {
        DIGITS.get_or_try_init(py, || Digits::new(py))
    }

    fn new(py: Python<'_>) -> PyResult<Digits> {
        let mut numbers: [Py<PyAny>; 10] = std::array::from_fn(|_| py.None());
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = k.into_py_any(py)?;
        }
        let address = |k: usize| numbers[k].as_ptr() as usize;
        let first = address(0);
        let is_in_row = |k: usize| address(k) == first.wrapping_add(k * STRIDE);
        let are_in_row = (0..numbers.len()).all(is_in_row);
        Ok(Digits {
            stock: Stock::of(py, numbers),
            first,
            are_in_row,
        })
    }

    /// The number at an address.
    fn which(&self, address: usize) -> Option<u8> {
        let mut numbers = self.stock.numbers().iter();
        let k = numbers.position(|it| it.as_ptr() as usize == address)?;
        Some(k as u8)
    }

    /// The numbers at the addresses of a row, if the numbers lie in a row themselves. Numbers after
    /// the last pass up to 15: the constructor of a grid checks the cells anyway.
    #[inline]
    fn read(&self, addresses: &[usize], cells: &mut [u8]) -> Option<()> {
        let mut bits = 0;
        for (cell, address) in cells.iter_mut().zip(addresses) {
            let distance = address.wrapping_sub(self.first);
            bits |= distance;
            *cell = (distance / STRIDE) as u8;
        }
        (bits & !(15 * STRIDE) == 0).then_some(())
    }
}

/// A buffer for the cells of any grid.
pub(crate) type Room = [u8; MAX_SIDE * MAX_SIDE];

pub(crate) const ROOM: Room = [0; MAX_SIDE * MAX_SIDE];

/// A grid, and the tuple of tuples from which it was read.
#[derive(Clone, Copy)]
pub(crate) struct Read<'r, 'py> {
    pub(crate) grid: GridRef<'r>,
    tuple: &'r Bound<'py, PyTuple>,
}

/// Reads a tuple of tuples as a grid, if a program may get it unchanged: its numbers are plain
/// `int`s, from 0 to 9.
pub(crate) fn grid<'r, 'py>(
    rows: &'r Bound<'py, PyAny>,
    room: &'r mut Room,
) -> Option<Read<'r, 'py>> {
    let py = rows.py();
    let digits = Digits::get(py).ok()?;
    let tuple = rows.cast_exact::<PyTuple>().ok()?;
    let (width, n_cells) = match Layout::get(py) {
        Some(layout) if digits.are_in_row => cells_where_they_lie(digits, layout, tuple, room)?,
        _ => cells_by_calls(digits, tuple, room)?,
    };
    let grid = GridRef::new(n_cells / width, width, &room[..n_cells]).ok()?;
    Some(Read { grid, tuple })
}

/// Reads all cells of a tuple of tuples; returns the width and their number.
fn cells_where_they_lie(
    digits: &Digits,
    layout: Layout,
    rows: &Bound<'_, PyTuple>,
    room: &mut Room,
) -> Option<(usize, usize)> {
    let height = layout.addresses(rows).len();
    let width = layout.addresses_in(rows, 0)?.len();
    if height > MAX_SIDE || !(1..=MAX_SIDE).contains(&width) {
        return None;
    }
    let cells = &mut room[..height * width];
    for (k, cells) in cells.chunks_exact_mut(width).enumerate() {
        let row = layout.addresses_in(rows, k)?;
        if row.len() != width {
            return None;
        }
        digits.read(row, cells)?;
    }
    Some((width, height * width))
}

/// Reads all cells through calls, if the layout of tuples or numbers is unknown.
fn cells_by_calls(
    digits: &Digits,
    rows: &Bound<'_, PyTuple>,
    room: &mut Room,
) -> Option<(usize, usize)> {
    let first = rows.get_borrowed_item(0).ok()?;
    let width = first.cast_exact::<PyTuple>().ok()?.len();
    if rows.len() > MAX_SIDE || !(1..=MAX_SIDE).contains(&width) {
        return None;
    }
    let cells = &mut room[..rows.len() * width];
    for (row, cells) in rows.iter_borrowed().zip(cells.chunks_exact_mut(width)) {
        let row = row.cast_exact::<PyTuple>().ok()?;
        if row.len() != width {
            return None;
        }
        for (item, cell) in row.iter_borrowed().zip(cells) {
            *cell = digits.which(item.as_ptr() as usize)?;
        }
    }
    Some((width, rows.len() * width))
}

/// Makes a tuple of tuples from rows of small numbers. A row that equals the one above, or the one
/// at its place in the input, is that very tuple: tuples never change.
pub(crate) fn tuples<'py>(
    py: Python<'py>,
    (width, cells): (usize, &[i8]),
    input: Option<Read<'_, 'py>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let (digits, bytes) = (Digits::get(py)?, tuples::as_bytes(cells));
    // The fold looks at all cells, which vectorises; a search that stops early does not.
    let are_digits = bytes.iter().fold(true, |all, cell| all & (*cell < 10));
    let rows = if are_digits {
        digits.stock.rows(py, cells.len() / width.max(1))
    } else {
        None
    };
    match rows {
        Some(rows) => Ok(filled(rows?, (width, bytes), input)?.finish()),
        None => tuples_by_calls(py, (width, cells)),
    }
}

fn filled<'s, 'py>(
    mut rows: Rows<'s, 'py>,
    (width, cells): (usize, &[u8]),
    input: Option<Read<'_, 'py>>,
) -> PyResult<Rows<'s, 'py>> {
    let input = input.filter(|input| input.grid.width() == width);
    let mut theirs = input.map(|input| (input.grid.rows(), input.tuple));
    let mut above: &[u8] = &[];
    for (k, row) in cells.chunks_exact(width.max(1)).enumerate() {
        let in_its_place = theirs
            .as_mut()
            .and_then(|(rows, tuple)| Some((rows.next()?, tuple)));
        match in_its_place {
            _ if row == above => rows.repeat(),
            Some((same, tuple)) if row == same => rows.put_row_of(tuple, k),
            _ => rows.put_new(row)?,
        }
        above = row;
    }
    Ok(rows)
}

/// Makes the tuples through calls, if the layout of tuples or numbers is unknown, or numbers are
/// not from 0 to 9.
fn tuples_by_calls<'py>(
    py: Python<'py>,
    (width, cells): (usize, &[i8]),
) -> PyResult<Bound<'py, PyTuple>> {
    let rows = cells.chunks_exact(width.max(1));
    let rows = rows.map(|row| PyTuple::new(py, row));
    PyTuple::new(py, rows.collect::<PyResult<Vec<_>>>()?)
}
