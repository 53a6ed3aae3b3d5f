//! Patches put on grids.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::bounds::{location, visit};
use super::colour::mostcolor;
use super::patches::{shift, toindices};
use crate::dsl::ffi::parts_of_pair;
use crate::dsl::obj::{self, as_tuple, at, equal, is_below, items, unpack, unpack_cell};
use crate::dsl::{Cx, Obj, Res};

/// An unchanged row, or a changed one.
enum Row<'py> {
    Same(Bound<'py, PyTuple>),
    Changed(Vec<Obj<'py>>),
}

/// A tuple of tuples to paint on. The height and the first row's width decide which locations are
/// inside.
struct Easel<'py> {
    rows: Vec<Row<'py>>,
    width: i64,
    /// The number of cells in changed rows.
    n_copied: usize,
}

impl<'py> Easel<'py> {
    fn of(grid: &Obj<'py>) -> Option<Self> {
        let rows = as_tuple(grid)?
            .iter()
            .map(|row| row.cast_into_exact().ok().map(Row::Same));
        let rows = rows.collect::<Option<Vec<_>>>()?;
        let Some(Row::Same(first)) = rows.first() else {
            return None;
        };
        let width = first.len() as i64;
        let n_copied = 0;
        Some(Easel {
            rows,
            width,
            n_copied,
        })
    }

    /// Paints a location that is inside. With `only_on`, paints only over that colour.
    fn put(
        &mut self,
        (i, j): (i64, i64),
        value: &Obj<'py>,
        only_on: Option<&Obj<'py>>,
    ) -> PyResult<()> {
        if !(0..self.rows.len() as i64).contains(&i) || !(0..self.width).contains(&j) {
            return Ok(());
        }
        let row = &mut self.rows[i as usize];
        if let Row::Same(tuple) = row {
            self.n_copied += tuple.len();
            obj::announce_parts(self.n_copied)?;
            *row = Row::Changed(tuple.iter().collect());
        }
        let Row::Changed(cells) = row else {
            return Ok(());
        };
        let beyond = || PyIndexError::new_err("list index out of range");
        let cell = cells.get_mut(j as usize).ok_or_else(beyond)?;
        let is_free = only_on.map_or(Ok(true), |colour| equal(cell, colour))?;
        if is_free {
            *cell = value.clone();
        }
        Ok(())
    }

    fn done(self, py: Python<'py>) -> Res<'py> {
        let finished = |row| match row {
            Row::Same(tuple) => Ok(tuple.into_any()),
            Row::Changed(cells) => obj::tuple(py, cells),
        };
        obj::tuple(
            py,
            self.rows
                .into_iter()
                .map(finished)
                .collect::<PyResult<_>>()?,
        )
    }
}

/// Any grid as a list of lists, to be painted on.
struct AnyEasel<'py> {
    rows: Bound<'py, PyList>,
    size: (usize, usize),
}

impl<'py> AnyEasel<'py> {
    fn of(grid: &Obj<'py>) -> PyResult<Self> {
        let size = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
        let rows = PyList::empty(grid.py());
        let mut n_copied = 0;
        for row in items(grid)? {
            let cells = items(&row?)?.collect::<PyResult<Vec<_>>>()?;
            n_copied += cells.len();
            obj::announce_parts(n_copied)?;
            rows.append(PyList::new(grid.py(), cells)?)?;
        }
        Ok(AnyEasel { rows, size })
    }

    fn put(
        &self,
        (i, j): (&Obj<'py>, &Obj<'py>),
        value: &Obj<'py>,
        only_on: Option<&Obj<'py>>,
    ) -> PyResult<()> {
        if !is_below(i, self.size.0)? || !is_below(j, self.size.1)? {
            return Ok(());
        }
        let row = self.rows.as_any().get_item(i)?;
        if only_on.map_or(Ok(true), |colour| equal(&row.get_item(j)?, colour))? {
            row.set_item(j, value)?;
        }
        Ok(())
    }

    fn done(self) -> Res<'py> {
        let rows = self.rows.iter().map(|row| obj::to_tuple(&row));
        obj::tuple(self.rows.py(), rows.collect::<PyResult<_>>()?)
    }
}

/// Gives all locations of a patch one colour.
fn filled<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    value: &Obj<'py>,
    patch: &Obj<'py>,
    only_on: Option<&Obj<'py>>,
) -> Res<'py> {
    if let Some(mut easel) = Easel::of(grid)
        && visit(patch, |_, place| easel.put(place, value, only_on))?.is_some()
    {
        return easel.done(cx.py);
    }
    let easel = AnyEasel::of(grid)?;
    for index in items(&toindices(cx, patch)?)? {
        let (i, j) = unpack(&index?)?;
        easel.put((&i, &j), value, only_on)?;
    }
    easel.done()
}

/// Puts the cells of an object on a grid, in the object's order.
fn painted<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    obj: &Obj<'py>,
    only_on: Option<&Obj<'py>>,
) -> Res<'py> {
    if let Some(mut easel) = Easel::of(grid)
        && paint_plain(&mut easel, obj, only_on)?
    {
        return easel.done(cx.py);
    }
    let easel = AnyEasel::of(grid)?;
    for cell in items(obj)? {
        let (value, i, j) = unpack_cell(&cell?)?;
        easel.put((&i, &j), &value, only_on)?;
    }
    easel.done()
}

/// Paints if all cells are plain.
fn paint_plain<'py>(
    easel: &mut Easel<'py>,
    obj: &Obj<'py>,
    only_on: Option<&Obj<'py>>,
) -> PyResult<bool> {
    if !obj::is_plain_set(obj) {
        return Ok(false);
    }
    for cell in items(obj)? {
        let cell = cell?;
        let plain = parts_of_pair(&cell).and_then(|(value, at)| Some((value, location(&at)?)));
        let Some((value, place)) = plain else {
            return Ok(false);
        };
        easel.put(place, &value, only_on)?;
    }
    Ok(true)
}

pub(in super::super) fn fill<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    value: &Obj<'py>,
    patch: &Obj<'py>,
) -> Res<'py> {
    filled(cx, grid, value, patch, None)
}

pub(in super::super) fn paint<'py>(cx: Cx<'py>, grid: &Obj<'py>, obj: &Obj<'py>) -> Res<'py> {
    painted(cx, grid, obj, None)
}

/// The background of a grid that has a first row.
fn background<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    obj::len(&at(grid, 0)?)?;
    mostcolor(cx, grid)
}

pub(in super::super) fn underfill<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    value: &Obj<'py>,
    patch: &Obj<'py>,
) -> Res<'py> {
    let background = background(cx, grid)?;
    filled(cx, grid, value, patch, Some(&background))
}

pub(in super::super) fn underpaint<'py>(cx: Cx<'py>, grid: &Obj<'py>, obj: &Obj<'py>) -> Res<'py> {
    let background = background(cx, grid)?;
    painted(cx, grid, obj, Some(&background))
}

pub(in super::super) fn cover<'py>(cx: Cx<'py>, grid: &Obj<'py>, patch: &Obj<'py>) -> Res<'py> {
    let background = mostcolor(cx, grid)?;
    match as_tuple(grid) {
        Some(_) => fill(cx, grid, &background, patch),
        // Python finds a problem with the patch before one with the grid.
        None => fill(cx, grid, &background, &toindices(cx, patch)?),
    }
}

pub(in super::super) fn r#move<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    obj: &Obj<'py>,
    offset: &Obj<'py>,
) -> Res<'py> {
    paint(cx, &cover(cx, grid, obj)?, &shift(cx, obj, offset)?)
}
