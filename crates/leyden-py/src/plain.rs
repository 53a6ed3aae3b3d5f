//! Grids as plain tuples of tuples, in and out, as cheaply as can be.

use leyden_grid::{Grid, MAX_COLOUR};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::tuples;

/// Python's numbers from 0 to 9. Of each there is only one, so an address says which it is.
struct Digits {
    numbers: Vec<Py<PyAny>>,
    first: usize,
    /// From one to the next, if they stand in a row.
    stride: Option<usize>,
}

static DIGITS: PyOnceLock<Digits> = PyOnceLock::new();

impl Digits {
    fn get(py: Python<'_>) -> PyResult<&Digits> {
        DIGITS.get_or_try_init(py, || Digits::new(py))
    }

    fn new(py: Python<'_>) -> PyResult<Digits> {
        let numbers = (0..=MAX_COLOUR).map(|k| k.into_py_any(py));
        let numbers = numbers.collect::<PyResult<Vec<_>>>()?;
        let address = |k: usize| numbers[k].as_ptr() as usize;
        let (first, stride) = (address(0), address(1).wrapping_sub(address(0)));
        let is_in_row = |k: usize| address(k) == first.wrapping_add(k.wrapping_mul(stride));
        Ok(Digits {
            first,
            stride: (stride > 0 && (0..numbers.len()).all(is_in_row)).then_some(stride),
            numbers,
        })
    }

    /// The number that lies at an address.
    #[inline]
    fn which(&self, address: usize) -> Option<u8> {
        let distance = address.wrapping_sub(self.first);
        let k = match self.stride {
            // Numbers have had this size for as long as there have been words of eight bytes.
            Some(32) if distance.is_multiple_of(32) => distance / 32,
            Some(stride) if distance.is_multiple_of(stride) => distance / stride,
            Some(_) => return None,
            None => {
                let mut numbers = self.numbers.iter();
                numbers.position(|it| it.as_ptr() as usize == address)?
            }
        };
        (k <= MAX_COLOUR.into()).then_some(k as u8)
    }

    /// Adds a row to the cells of a grid, if it has colours only.
    fn read(&self, row: &Bound<'_, PyTuple>, cells: &mut Vec<u8>) -> Option<()> {
        if let Some(addresses) = tuples::addresses(row) {
            for address in addresses {
                cells.push(self.which(*address)?);
            }
            return Some(());
        }
        for cell in row.iter_borrowed() {
            cells.push(self.which(cell.as_ptr() as usize)?);
        }
        Some(())
    }
}

/// The grid that a tuple of tuples is, if it is one that a program may get as it stands: numbers that
/// are plain `int`s, from 0 to 9.
pub(crate) fn grid(rows: &Bound<'_, PyAny>) -> Option<Grid> {
    let digits = Digits::get(rows.py()).ok()?;
    let rows = rows.cast_exact::<PyTuple>().ok()?;
    let first = rows.get_borrowed_item(0).ok()?;
    let width = first.cast_exact::<PyTuple>().ok()?.len();
    if rows.len() > leyden_grid::MAX_SIDE || width > leyden_grid::MAX_SIDE {
        return None;
    }
    let mut cells = Vec::with_capacity(rows.len() * width);
    for row in rows.iter_borrowed() {
        let row = row.cast_exact::<PyTuple>().ok()?;
        if row.len() != width {
            return None;
        }
        digits.read(&row, &mut cells)?;
    }
    Grid::from_cells(rows.len(), width, &cells).ok()
}

/// Rows of small numbers as a tuple of tuples. A row that is like the one above, or like that of the
/// input in its place, is that very tuple: tuples never change.
pub(crate) fn tuples<'py>(
    py: Python<'py>,
    (width, cells): (usize, &[i8]),
    input: Option<(&Grid, &Bound<'py, PyTuple>)>,
) -> PyResult<Bound<'py, PyTuple>> {
    let digits = Digits::get(py)?;
    let input = input.filter(|(grid, _)| grid.width() == width);
    let mut rows: Vec<Py<PyAny>> = Vec::with_capacity(cells.len() / width.max(1));
    let mut above: &[i8] = &[];
    for (k, row) in cells.chunks_exact(width.max(1)).enumerate() {
        let same = match rows.last() {
            Some(last) if row == above => Some(last.clone_ref(py)),
            _ => input.and_then(|input| same_row(input, k, row)),
        };
        let row_tuple = match same {
            Some(same) => same,
            None => new_row(py, digits, row)?,
        };
        rows.push(row_tuple);
        above = row;
    }
    tuples::tuple_of(py, rows.iter())
}

fn same_row(
    (grid, tuples): (&Grid, &Bound<'_, PyTuple>),
    k: usize,
    row: &[i8],
) -> Option<Py<PyAny>> {
    let theirs = grid.cells().get(k * row.len()..(k + 1) * row.len())?;
    let is_same = row.iter().zip(theirs).all(|(a, b)| *a as u8 == *b);
    is_same
        .then(|| tuples.get_item(k).ok().map(Bound::unbind))
        .flatten()
}

fn new_row(py: Python<'_>, digits: &Digits, row: &[i8]) -> PyResult<Py<PyAny>> {
    let is_colour = |v: &i8| (0..=MAX_COLOUR as i8).contains(v);
    let tuple = match row.iter().all(is_colour) {
        true => tuples::tuple_of(py, row.iter().map(|v| &digits.numbers[*v as usize]))?,
        false => PyTuple::new(py, row)?,
    };
    Ok(tuple.into_any().unbind())
}
