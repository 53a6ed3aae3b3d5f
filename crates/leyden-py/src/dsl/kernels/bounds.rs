//! Patches of plain numbers, read at once. Most patches are plain.

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::dsl::ffi::{self, is_exactly, parts_of_pair};
use crate::dsl::obj::{is_exact_tuple, is_plain_set, items, small};
use crate::dsl::{Obj, Res, cache};

/// The bounding box of a patch that is not empty.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) top: i64,
    pub(super) left: i64,
    pub(super) bottom: i64,
    pub(super) right: i64,
}

impl Bounds {
    pub(super) fn height(&self) -> i64 {
        self.bottom - self.top + 1
    }

    pub(super) fn width(&self) -> i64 {
        self.right - self.left + 1
    }

    pub(super) fn center(&self) -> (i64, i64) {
        (self.top + self.height() / 2, self.left + self.width() / 2)
    }
}

/// A colour and a location.
pub(super) type Cell = (i64, (i64, i64));

/// The limit of plain coordinates, so that their sums always fit. Python computes with larger ones.
const FAR: i64 = 1 << 40;

#[inline]
fn coordinate(object: &Obj<'_>) -> Option<i64> {
    small(object).filter(|number| number.abs() < FAR)
}

/// A location of plain numbers.
#[inline]
pub(super) fn location(object: &Obj<'_>) -> Option<(i64, i64)> {
    let (i, j) = parts_of_pair(object)?;
    Some((coordinate(&i)?, coordinate(&j)?))
}

/// Whether it can be a patch that can be iterated twice and never changes meanwhile.
fn is_plain(patch: &Obj<'_>) -> bool {
    is_plain_set(patch) || is_exact_tuple(patch) || is_exactly::<PyList>(patch)
}

/// Passes every location to `visit`, with the whole element. Returns whether they are cells of an
/// object. Returns `None` if an element is neither a plain location nor a plain cell, if there are
/// both, or if there are none; then the visits mean nothing.
#[inline]
pub(super) fn visit<'py>(
    patch: &Obj<'py>,
    mut visit: impl FnMut(&Obj<'py>, (i64, i64)) -> PyResult<()>,
) -> PyResult<Option<bool>> {
    if !is_plain(patch) {
        return Ok(None);
    }
    let mut are_cells = None;
    for item in items(patch)? {
        let item = item?;
        let Some((first, second)) = parts_of_pair(&item) else {
            return Ok(None);
        };
        let (is_cell, found) = match coordinate(&second) {
            Some(j) => (false, coordinate(&first).map(|i| (i, j))),
            None => (true, location(&second)),
        };
        let Some(found) = found else { return Ok(None) };
        if *are_cells.get_or_insert(is_cell) != is_cell {
            return Ok(None);
        }
        visit(&item, found)?;
    }
    Ok(are_cells)
}

/// The bounding box of a plain patch.
pub(super) fn bounds(patch: &Obj<'_>) -> PyResult<Option<Bounds>> {
    let (mut top, mut left, mut bottom, mut right) = (FAR, FAR, -FAR, -FAR);
    let plain = visit(patch, |_, (i, j)| {
        (top, bottom) = (top.min(i), bottom.max(i));
        (left, right) = (left.min(j), right.max(j));
        Ok(())
    })?;
    Ok(plain.map(|_| Bounds {
        top,
        left,
        bottom,
        right,
    }))
}

/// The locations of a plain patch, as often as they occur.
pub(super) fn locations(patch: &Obj<'_>) -> PyResult<Option<Vec<(i64, i64)>>> {
    let mut found = Vec::new();
    let plain = visit(patch, |_, location| {
        found.push(location);
        Ok(())
    })?;
    Ok(plain.map(|_| found))
}

/// The colours and locations of a plain object whose colours are plain numbers.
pub(super) fn cells(patch: &Obj<'_>) -> PyResult<Option<Vec<Cell>>> {
    let mut found = Vec::new();
    let mut n_odd = 0;
    let are_cells = visit(patch, |item, location| {
        match parts_of_pair(item).and_then(|(value, _)| small(&value)) {
            Some(value) => found.push((value, location)),
            None => n_odd += 1,
        }
        Ok(())
    })?;
    Ok((are_cells == Some(true) && n_odd == 0).then_some(found))
}

/// `frozenset((v, f(i, j)) for v, (i, j) in patch)` for an object, or its like for indices.
pub(super) fn moved<'py>(
    patch: &Obj<'py>,
    to: impl Fn(i64, i64) -> (i64, i64),
) -> PyResult<Option<Obj<'py>>> {
    let py = patch.py();
    let mut set = ffi::FrozenSetBuilder::new(py)?;
    let plain = visit(patch, |item, (i, j)| {
        let (i, j) = to(i, j);
        set.add(&moved_item(item, i, j)?)
    })?;
    Ok(plain.map(|_| set.finish()))
}

/// Moves a cell or location to another place.
#[inline]
fn moved_item<'py>(item: &Obj<'py>, i: i64, j: i64) -> Res<'py> {
    match parts_of_pair(item) {
        Some((value, second)) if is_exact_tuple(&second) => {
            cache::cell(&value, small(&value), i, j)
        }
        _ => cache::location(item.py(), i, j),
    }
}
