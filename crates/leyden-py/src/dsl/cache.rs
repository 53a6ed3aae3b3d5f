//! Locations and cells that were made before. They never change, and sets of the same locations
//! are made again and again.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::obj::{int, pair};
use super::{Obj, Res};

/// Rows and columns from `-1` to 30: grids, and the ring around them.
const SIDE: usize = 32;
const COLOURS: usize = 10;

type Kept = PyOnceLock<Py<PyAny>>;

static LOCATIONS: [Kept; SIDE * SIDE] = [const { Kept::new() }; SIDE * SIDE];
static CELLS: [Kept; COLOURS * SIDE * SIDE] = [const { Kept::new() }; COLOURS * SIDE * SIDE];

#[inline]
fn place(i: i64, j: i64) -> Option<usize> {
    let (row, column) = (i.wrapping_add(1) as usize, j.wrapping_add(1) as usize);
    (row < SIDE && column < SIDE).then_some(row * SIDE + column)
}

#[inline]
fn kept<'py>(py: Python<'py>, slot: &Kept, make: impl FnOnce() -> Res<'py>) -> Res<'py> {
    let object = slot.get_or_try_init(py, || make().map(Bound::unbind))?;
    Ok(object.bind(py).clone())
}

/// `(i, j)`
#[inline]
pub(super) fn location(py: Python<'_>, i: i64, j: i64) -> Res<'_> {
    let make = || pair(int(py, i), int(py, j));
    match place(i, j) {
        Some(place) => kept(py, &LOCATIONS[place], make),
        None => make(),
    }
}

/// `(value, (i, j))`
#[inline]
pub(super) fn cell<'py>(value: &Obj<'py>, number: Option<i64>, i: i64, j: i64) -> Res<'py> {
    let py = value.py();
    let make = || pair(value.clone(), location(py, i, j)?);
    let colour = number
        .map(|number| number as usize)
        .filter(|number| *number < COLOURS);
    match (colour, place(i, j)) {
        (Some(colour), Some(place)) => kept(py, &CELLS[colour * SIDE * SIDE + place], make),
        _ => make(),
    }
}
