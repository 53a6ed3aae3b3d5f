//! Results of programs as Python values.

use leyden_exec::{Outcome, OutputGrid};
use leyden_grid::Grid;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value as Json;

use crate::grid::PyGrid;
use crate::{ordered, plain, stack};

/// A `Grid` if it is one of a task, otherwise arc-dsl's form.
pub(crate) fn grid<'py>(py: Python<'py>, grid: &OutputGrid) -> PyResult<Bound<'py, PyAny>> {
    match grid.to_grid() {
        Some(grid) => PyGrid::from(grid).into_bound_py_any(py),
        None => rows(py, grid),
    }
}

/// A grid as a tuple of tuples.
pub(crate) fn rows<'py>(py: Python<'py>, grid: &OutputGrid) -> PyResult<Bound<'py, PyAny>> {
    if let Some(rectangle) = grid.as_rectangle() {
        return plain::tuples(py, rectangle, None)?.into_bound_py_any(py);
    }
    let rows = grid.rows();
    let rows = rows.iter().map(|row| PyTuple::new(py, row));
    PyTuple::new(py, rows.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
}

/// The deepest value. Deeper ones are refused, since converting them is recursion.
const DEEPEST: usize = 1_000;

/// Converts a value in the form of `leyden_dsl::codec` to Python.
pub(crate) fn value<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    within(py, json, DEEPEST.min(stack::levels()))
}

fn within<'py>(py: Python<'py>, json: &Json, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    match json {
        Json::Null => Ok(py.None().into_bound(py)),
        Json::Bool(it) => it.into_bound_py_any(py),
        Json::Number(number) => number.as_i64().into_bound_py_any(py),
        Json::String(text) => text.into_bound_py_any(py),
        Json::Array(items) => PyTuple::new(py, all(py, items, depth)?)?.into_bound_py_any(py),
        Json::Object(fields) => match fields.iter().next() {
            Some((kind, content)) => special(py, kind, content, depth),
            None => Ok(py.None().into_bound(py)),
        },
    }
}

fn all<'py>(py: Python<'py>, items: &[Json], depth: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let too_deep = || stack::too_deep(DEEPEST.min(stack::levels()));
    let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
    items.iter().map(|item| within(py, item, depth)).collect()
}

fn special<'py>(
    py: Python<'py>,
    kind: &str,
    content: &Json,
    depth: usize,
) -> PyResult<Bound<'py, PyAny>> {
    match (kind, content) {
        ("set", Json::Array(items)) => {
            ordered::frozenset(py, all(py, items, depth)?)?.into_bound_py_any(py)
        }
        ("float", Json::String(text)) => {
            let number: f64 = text.parse().unwrap_or(f64::NAN);
            number.into_bound_py_any(py)
        }
        ("fn", Json::String(name)) => function(py, name),
        _ => Err(PyValueError::new_err("no value that Python knows")),
    }
}

/// A primitive as the function of `leyden.dsl`, or its name if the module does not have it.
fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = py.import("leyden.dsl").and_then(|dsl| dsl.getattr(name));
    match found {
        Ok(function) => Ok(function),
        Err(_) => name.into_bound_py_any(py),
    }
}

/// The result of a run; `None` if it faulted.
pub(crate) fn outcome<'py>(
    py: Python<'py>,
    outcome: &Outcome,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    match outcome {
        Outcome::Grid(it) => Some(grid(py, it)),
        Outcome::Value(it) => Some(value(py, it)),
        Outcome::Fault { .. } => None,
    }
}

/// The result for display: grids of tasks are `Grid`s.
pub(crate) fn display<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    match grid_in(json) {
        Some(grid) => PyGrid::from(grid).into_bound_py_any(py),
        None => value(py, json),
    }
}

fn grid_in(json: &Json) -> Option<Grid> {
    let colour = |cell: &Json| u8::try_from(cell.as_u64()?).ok();
    let row = |row: &Json| row.as_array()?.iter().map(colour).collect();
    let rows: Option<Vec<Vec<u8>>> = json.as_array()?.iter().map(row).collect();
    Grid::from_rows(&rows?).ok()
}
