//! Grids in Python: read-only arrays of colours.

use std::ffi::c_int;

use leyden_dsl::value::Value;
use leyden_grid::Grid;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyMemoryView, PyString, PyTuple};
use pyo3::{IntoPyObjectExt, ffi};

use crate::buffer;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyGrid>()
}

/// An ARC grid: 1 to 30 rows and columns of colours from 0 to 9.
///
/// Make one from lists, tuples, an array or another grid: `Grid([[0, 1], [2, 3]])`. A grid is a
/// sequence of rows, never changes, and equals the tuple of tuples that arc-dsl uses.
#[pyclass(name = "Grid", module = "leyden", frozen, sequence)]
pub(crate) struct PyGrid {
    pub(crate) grid: Grid,
    pub(crate) shape: [ffi::Py_ssize_t; 2],
    pub(crate) strides: [ffi::Py_ssize_t; 2],
}

impl From<Grid> for PyGrid {
    fn from(grid: Grid) -> PyGrid {
        let (height, width) = grid.shape();
        PyGrid {
            shape: [height as ffi::Py_ssize_t, width as ffi::Py_ssize_t],
            strides: [width as ffi::Py_ssize_t, 1],
            grid,
        }
    }
}

#[pymethods]
impl PyGrid {
    /// Makes a grid from rows, or from bytes (cell after cell) and a shape.
    #[new]
    #[pyo3(signature = (rows, shape=None))]
    fn new(rows: &Bound<'_, PyAny>, shape: Option<(usize, usize)>) -> PyResult<PyGrid> {
        let Some((height, width)) = shape else {
            return Ok(grid_of(rows)?.into());
        };
        let cells: &[u8] = rows.extract()?;
        let grid = Grid::from_cells(height, width, cells).map_err(bad_grid)?;
        Ok(grid.into())
    }

    /// The numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.grid.shape()
    }

    /// The number of rows.
    #[getter]
    fn height(&self) -> usize {
        self.grid.height()
    }

    /// The number of columns.
    #[getter]
    fn width(&self) -> usize {
        self.grid.width()
    }

    /// The rows as lists of numbers.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = self.grid.rows().map(|row| PyList::new(py, row));
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// The rows as tuples of numbers, the form that arc-dsl uses.
    fn totuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        tuple_of(py, &self.grid)
    }

    /// All cells as bytes, row after row.
    fn tobytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.grid.cells())
    }

    /// Draws the grid as SVG. `compared` is another grid; the drawing marks cells that differ.
    #[pyo3(signature = (compared=None))]
    fn svg(&self, compared: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let compared = compared.map(grid_of).transpose()?;
        Ok(leyden::host::grid_svg(&self.grid, compared.as_ref()))
    }

    fn _repr_svg_(&self) -> String {
        with_namespace(leyden::host::grid_svg(&self.grid, None))
    }

    fn __len__(&self) -> usize {
        self.grid.height()
    }

    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = at.py();
        if let Ok((i, j)) = at.extract::<(isize, isize)>() {
            let (i, j) = (place(i, self.grid.height())?, place(j, self.grid.width())?);
            return self.grid.get(i, j).into_bound_py_any(py);
        }
        if let Ok(i) = at.extract::<isize>() {
            let i = place(i, self.grid.height())?;
            let row = self.grid.rows().nth(i).unwrap_or_default();
            return PyTuple::new(py, row)?.into_bound_py_any(py);
        }
        self.totuple(py)?.get_item_of(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.totuple(py)?.try_iter()?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        if let Ok(other) = other.cast::<PyGrid>() {
            return (self.grid == other.get().grid).into_py_any(py);
        }
        if other.is_instance_of::<PyTuple>() || other.is_instance_of::<PyList>() {
            grid_of(other)
                .is_ok_and(|other| other == self.grid)
                .into_py_any(py)
        } else {
            Ok(py.NotImplemented())
        }
    }

    /// The hash of the equal tuple of tuples.
    fn __hash__(&self) -> i64 {
        Value::grid(&self.grid.rows().collect::<Vec<_>>()).hash()
    }

    fn __repr__(&self) -> String {
        let row = |row: &[u8]| format!("{row:?}");
        let rows: Vec<String> = self.grid.rows().map(row).collect();
        format!("Grid([{}])", rows.join(", "))
    }

    fn __str__(&self) -> String {
        self.grid.to_string()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let this = slf.get();
        let class = slf.get_type().into_any();
        Ok((class, (this.tobytes(slf.py()), this.grid.shape())))
    }

    /// A copy as a numpy array.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "a grid is read-only, so a writable array needs a copy",
            ));
        }
        let view = PyMemoryView::from(slf.as_any())?;
        let numpy = slf.py().import("numpy")?;
        numpy.call_method1("array", (view, dtype))
    }

    #[allow(unsafe_code)]
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: Python calls this with a view to fill in.
        unsafe { buffer::fill(&slf, view, flags) }
    }
}

/// Cells and shape.
type Pickled<'py> = (Bound<'py, PyBytes>, (usize, usize));

trait ItemOf<'py> {
    fn get_item_of(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py> ItemOf<'py> for Bound<'py, PyTuple> {
    /// The result of `tuple[at]`, or its exception.
    fn get_item_of(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.as_any().get_item(at)
    }
}

fn place(k: isize, len: usize) -> PyResult<usize> {
    let at = if k < 0 { k + len as isize } else { k };
    match usize::try_from(at) {
        Ok(at) if at < len => Ok(at),
        _ => Err(PyIndexError::new_err("index outside the grid")),
    }
}

/// Adds the namespace. Without it, notebooks do not show the picture.
pub(crate) fn with_namespace(svg: String) -> String {
    if svg.contains("xmlns=") {
        svg
    } else {
        svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1)
    }
}

/// A grid as a tuple of tuples.
pub(crate) fn tuple_of<'py>(py: Python<'py>, grid: &Grid) -> PyResult<Bound<'py, PyTuple>> {
    let rows = grid.rows().map(|row| PyTuple::new(py, row));
    PyTuple::new(py, rows.collect::<PyResult<Vec<_>>>()?)
}

/// Reads a grid from a Python value: a grid, rows, or an object with `tolist`, as arrays have.
pub(crate) fn grid_of(rows: &Bound<'_, PyAny>) -> PyResult<Grid> {
    if let Ok(grid) = rows.cast::<PyGrid>() {
        return Ok(grid.get().grid.clone());
    }
    let is_plain = rows.is_instance_of::<PyTuple>() || rows.is_instance_of::<PyList>();
    if !is_plain && let Ok(list) = rows.call_method0("tolist") {
        return grid_of_rows(&list);
    }
    grid_of_rows(rows)
}

fn grid_of_rows(rows: &Bound<'_, PyAny>) -> PyResult<Grid> {
    let rows = items_of(rows)?;
    let rows = rows.map(|row| colours(&row?));
    Grid::from_rows(&rows.collect::<PyResult<Vec<_>>>()?).map_err(bad_grid)
}

/// Iterates over rows or cells. Python also iterates over the characters of a text, but no text is
/// a row.
fn items_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    if value.is_instance_of::<PyString>() {
        return Err(not_rows(value));
    }
    value.try_iter().map_err(|_| not_rows(value))
}

fn colours(row: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let cells = items_of(row)?;
    cells.map(|cell| colour(&cell?)).collect()
}

fn colour(cell: &Bound<'_, PyAny>) -> PyResult<u8> {
    let number: i64 = cell.extract()?;
    let outside = || PyValueError::new_err(format!("colour {number} is not one of 0 to 9"));
    let number = u8::try_from(number).map_err(|_| outside())?;
    if number > leyden_grid::MAX_COLOUR {
        return Err(outside());
    }
    Ok(number)
}

fn not_rows(value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type().name();
    let kind = kind.map_or_else(|_| "this".to_owned(), |kind| kind.to_string());
    PyTypeError::new_err(format!(
        "expected a grid (a list of rows of integers), got {kind}"
    ))
}

fn bad_grid(error: leyden_grid::GridError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
