//! A cache of locations and cells. They never change, and programs make sets of the same locations
//! again and again.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::ffi::pack;
use super::obj::{int, small};
use super::{Obj, Res};

/// The cached rows and columns: those of grids, of the rings around them, and a little further
/// away.
const FIRST: i64 = -16;
const SIDE: usize = 96;
const COLOURS: usize = 10;

type Kept = PyOnceLock<Py<PyAny>>;

static LOCATIONS: [Kept; SIDE * SIDE] = [const { Kept::new() }; SIDE * SIDE];
static CELLS: [Kept; COLOURS * SIDE * SIDE] = [const { Kept::new() }; COLOURS * SIDE * SIDE];

#[inline]
fn place(i: i64, j: i64) -> Option<usize> {
    let (row, column) = (
        i.wrapping_sub(FIRST) as usize,
        j.wrapping_sub(FIRST) as usize,
    );
    (row < SIDE && column < SIDE).then(|| row * SIDE + column)
}

#[inline]
fn place_of_cell(colour: Option<i64>, i: i64, j: i64) -> Option<usize> {
    let colour = colour? as usize;
    let place = place(i, j)?;
    (colour < COLOURS).then(|| colour * SIDE * SIDE + place)
}

#[inline]
fn kept<'py>(py: Python<'py>, slot: &Kept, make: impl FnOnce() -> Res<'py>) -> Res<'py> {
    let object = slot.get_or_try_init(py, || make().map(Bound::unbind))?;
    Ok(object.bind(py).clone())
}

/// `(i, j)`
#[inline]
pub(super) fn location(py: Python<'_>, i: i64, j: i64) -> Res<'_> {
    let make = || pack(&int(py, i), &int(py, j));
    match place(i, j) {
        Some(place) => kept(py, &LOCATIONS[place], make),
        None => make(),
    }
}

/// `(value, (i, j))`; `number` is the value if it is a plain one.
#[inline]
pub(super) fn cell<'py>(value: &Obj<'py>, number: Option<i64>, i: i64, j: i64) -> Res<'py> {
    let py = value.py();
    let make = || pack(value, &location(py, i, j)?);
    match place_of_cell(number, i, j) {
        Some(place) => kept(py, &CELLS[place], make),
        None => make(),
    }
}

/// `(a, b)`, which may be a location.
#[inline]
pub(super) fn pair<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    match small(a).zip(small(b)).and_then(|(i, j)| place(i, j)) {
        Some(place) => kept(a.py(), &LOCATIONS[place], || pack(a, b)),
        None => pack(a, b),
    }
}
