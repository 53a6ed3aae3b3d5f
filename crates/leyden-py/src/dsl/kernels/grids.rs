//! Whole grids.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PySet};

use super::containers::{count, differs, repeated, zip_two};
use super::geometry::{shape, ulcorner};
use super::patches::{dmirror, shift};
use crate::dsl::obj::{
    self, add, as_tuple, at, equal, int, is_below, is_tuple, items, pair, small, unpack,
    unpack_cell,
};
use crate::dsl::{Cx, Obj, Res, ffi};

fn collected<'py>(cx: Cx<'py>, rows: impl Iterator<Item = Res<'py>>) -> Res<'py> {
    obj::tuple_of_rows(cx.py, rows)
}

pub(in super::super) fn rot90<'py>(_: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    obj::columns(&obj::reversed(grid)?)
}

pub(in super::super) fn rot180<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    let turned = |row: Res<'py>| obj::to_tuple(&obj::reversed(&row?)?);
    collected(cx, items(&obj::reversed(grid)?)?.map(turned))
}

/// The width of a rectangular grid that is a tuple of tuples.
fn plain_width(grid: &Obj<'_>) -> Option<usize> {
    let rows = as_tuple(grid)?;
    let width = |row: &Obj<'_>| as_tuple(row).map(|row| row.len());
    let first = width(&*rows.get_borrowed_item(0).ok()?)?;
    let is_rectangular = rows.iter_borrowed().all(|row| width(&row) == Some(first));
    is_rectangular.then_some(first)
}

pub(in super::super) fn rot270<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    if plain_width(grid).is_some() {
        return obj::reversed(&obj::columns(grid)?);
    }
    let columns = obj::columns(&obj::reversed(grid)?)?;
    let turned = items(&columns)?.map(|row| obj::reversed(&row?));
    obj::reversed(&collected(cx, turned)?)
}

pub(in super::super) fn crop<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    start: &Obj<'py>,
    dims: &Obj<'py>,
) -> Res<'py> {
    let top = at(start, 0)?;
    let rows = obj::slice(grid, &top, &add(&top, &at(dims, 0)?)?)?;
    let cut = |row: Res<'py>| {
        let left = at(start, 1)?;
        obj::slice(&row?, &left, &add(&left, &at(dims, 1)?)?)
    };
    collected(cx, items(&rows)?.map(cut))
}

pub(in super::super) fn subgrid<'py>(cx: Cx<'py>, patch: &Obj<'py>, grid: &Obj<'py>) -> Res<'py> {
    crop(cx, grid, &ulcorner(cx, patch)?, &shape(cx, patch)?)
}

pub(in super::super) fn hupscale<'py>(cx: Cx<'py>, grid: &Obj<'py>, factor: &Obj<'py>) -> Res<'py> {
    collected(cx, items(grid)?.map(|row| stretched(cx, &row?, factor)))
}

/// Repeats every value of a row `factor` times.
fn stretched<'py>(cx: Cx<'py>, row: &Obj<'py>, factor: &Obj<'py>) -> Res<'py> {
    let mut wide = Vec::new();
    for value in items(row)? {
        let (value, n) = (value?, count(factor)?);
        obj::announce(wide.len().saturating_add(n))?;
        wide.extend(std::iter::repeat_n(value, n));
    }
    obj::tuple(cx.py, wide)
}

pub(in super::super) fn vupscale<'py>(cx: Cx<'py>, grid: &Obj<'py>, factor: &Obj<'py>) -> Res<'py> {
    stretched(cx, grid, factor)
}

pub(in super::super) fn upscale<'py>(
    cx: Cx<'py>,
    element: &Obj<'py>,
    factor: &Obj<'py>,
) -> Res<'py> {
    if is_tuple(element) {
        return stretched(cx, &hupscale(cx, element, factor)?, factor);
    }
    if obj::len(element)? == 0 {
        return obj::empty_set(cx.py);
    }
    let corner = ulcorner(cx, element)?;
    let (di, dj) = unpack(&corner)?;
    let normed = shift(cx, element, &pair(di.neg()?, dj.neg()?)?)?;
    let upscaled = PySet::empty(cx.py)?;
    if let Some(factor) = small(factor) {
        let n = usize::try_from(factor).unwrap_or(0);
        let n_cells = n.saturating_mul(n).saturating_mul(obj::len(&normed)?);
        obj::announce_set(n_cells)?;
    }
    for cell in items(&normed)? {
        let (value, i, j) = unpack_cell(&cell?)?;
        add_block(cx, &upscaled, &value, (&i, &j), factor)?;
    }
    shift(cx, &obj::frozen_copy(&upscaled)?, &corner)
}

/// Adds a cell of an upscaled object: a square of cells.
fn add_block<'py>(
    cx: Cx<'py>,
    set: &Bound<'py, PySet>,
    value: &Obj<'py>,
    (i, j): (&Obj<'py>, &Obj<'py>),
    factor: &Obj<'py>,
) -> PyResult<()> {
    let n = count(factor)? as i64;
    for io in 0..n {
        for jo in 0..n {
            let place = |k: &Obj<'py>, offset: i64| add(&k.mul(factor)?, &int(cx.py, offset));
            set.add(pair(value.clone(), pair(place(i, io)?, place(j, jo)?)?)?)?;
        }
    }
    Ok(())
}

/// `k % factor == 0`
fn is_multiple(cx: Cx<'_>, k: usize, factor: &Obj<'_>) -> PyResult<bool> {
    match small(factor) {
        Some(factor) if factor != 0 => Ok(k as i64 % factor == 0),
        _ => int(cx.py, k as i64).rem(factor)?.eq(0),
    }
}

pub(in super::super) fn downscale<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    factor: &Obj<'py>,
) -> Res<'py> {
    let (h, w) = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
    let mut rows = Vec::new();
    for i in 0..h {
        let mut row = Vec::new();
        for j in 0..w {
            if is_multiple(cx, j, factor)? {
                row.push(at(&at(grid, i)?, j)?);
            }
        }
        rows.push(row);
    }
    let mut kept = Vec::new();
    for (i, row) in rows.into_iter().enumerate() {
        if is_multiple(cx, i, factor)? {
            kept.push(obj::tuple(cx.py, row)?);
        }
    }
    obj::tuple(cx.py, kept)
}

pub(in super::super) fn hconcat<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    collected(
        cx,
        zip_two(a, b)?.map(|both| both.and_then(|(i, j)| i.add(j))),
    )
}

pub(in super::super) fn vconcat<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    a.add(b)
}

/// The number of parts of a split, the size of a part, and the gap between parts: one if the split
/// is not even, otherwise none.
fn parts<'py>(length: usize, n: &Obj<'py>) -> PyResult<(usize, Obj<'py>, usize)> {
    let length = int(n.py(), length as i64);
    let size = length.floor_div(n)?;
    let is_odd = length.rem(n)?.ne(0)?;
    Ok((count(n)?, size, usize::from(is_odd)))
}

pub(in super::super) fn hsplit<'py>(cx: Cx<'py>, grid: &Obj<'py>, n: &Obj<'py>) -> Res<'py> {
    let h = int(cx.py, obj::len(grid)? as i64);
    let (n, w, offset) = parts(obj::len(&at(grid, 0)?)?, n)?;
    let dims = pair(h, w.clone())?;
    obj::announce_parts(n.saturating_mul(1 + obj::len(grid)?))?;
    obj::announce(n)?;
    let part = |i: usize| {
        let start = add(&w.mul(i)?, &int(cx.py, (i * offset) as i64))?;
        crop(cx, grid, &pair(int(cx.py, 0), start)?, &dims)
    };
    collected(cx, (0..n).map(part))
}

pub(in super::super) fn vsplit<'py>(cx: Cx<'py>, grid: &Obj<'py>, n: &Obj<'py>) -> Res<'py> {
    let (count, h, offset) = parts(obj::len(grid)?, n)?;
    let w = int(cx.py, obj::len(&at(grid, 0)?)? as i64);
    let dims = pair(h.clone(), w)?;
    obj::announce(count)?;
    let part = |i: usize| {
        let start = add(&h.mul(i)?, &int(cx.py, (i * offset) as i64))?;
        crop(cx, grid, &pair(start, int(cx.py, 0))?, &dims)
    };
    collected(cx, (0..count).map(part))
}

pub(in super::super) fn cellwise<'py>(
    cx: Cx<'py>,
    a: &Obj<'py>,
    b: &Obj<'py>,
    fallback: &Obj<'py>,
) -> Res<'py> {
    let (h, w) = (obj::len(a)?, obj::len(&at(a, 0)?)?);
    let cell = |i: usize, j: usize| {
        let value = at(&at(a, i)?, j)?;
        let is_same = equal(&value, &at(&at(b, i)?, j)?)?;
        Ok(if is_same { value } else { fallback.clone() })
    };
    collected(
        cx,
        (0..h).map(|i| collected(cx, (0..w).map(|j| cell(i, j)))),
    )
}

/// `tuple(tuple(f(v) for v in r) for r in grid)`
fn each_cell<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    mut change: impl FnMut(Obj<'py>) -> Res<'py>,
) -> Res<'py> {
    collected(
        cx,
        items(grid)?.map(|row| collected(cx, items(&row?)?.map(|value| change(value?)))),
    )
}

pub(in super::super) fn replace<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    replacee: &Obj<'py>,
    replacer: &Obj<'py>,
) -> Res<'py> {
    each_cell(cx, grid, |value| {
        Ok(if equal(&value, replacee)? {
            replacer.clone()
        } else {
            value
        })
    })
}

pub(in super::super) fn switch<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    a: &Obj<'py>,
    b: &Obj<'py>,
) -> Res<'py> {
    let mut known: Option<Bound<'py, PyDict>> = None;
    each_cell(cx, grid, |value| {
        if differs(&value, a)? && differs(&value, b)? {
            return Ok(value);
        }
        let other = match known.take() {
            Some(other) => other,
            None => [(a, b), (b, a)].into_py_dict(cx.py)?,
        };
        known.insert(other).as_any().get_item(value)
    })
}

pub(in super::super) fn index<'py>(cx: Cx<'py>, grid: &Obj<'py>, loc: &Obj<'py>) -> Res<'py> {
    let (i, j) = unpack(loc)?;
    let (h, w) = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
    if !is_below(&i, h)? || !is_below(&j, w)? {
        return Ok(cx.py.None().into_bound(cx.py));
    }
    grid.get_item(at(loc, 0)?)?.get_item(at(loc, 1)?)
}

pub(in super::super) fn canvas<'py>(
    cx: Cx<'py>,
    value: &Obj<'py>,
    dimensions: &Obj<'py>,
) -> Res<'py> {
    match count(&at(dimensions, 0)?)? {
        0 => obj::tuple(cx.py, Vec::new()),
        h => {
            let w = count(&at(dimensions, 1)?)?;
            obj::announce_parts(h.saturating_mul(w))?;
            repeated(cx, &repeated(cx, value, w)?, h)
        }
    }
}

pub(in super::super) fn trim<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    let (first, last) = (int(cx.py, 1), int(cx.py, -1));
    let rows = obj::slice(grid, &first, &last)?;
    collected(
        cx,
        items(&rows)?.map(|row| obj::slice(&row?, &first, &last)),
    )
}

/// `grid[start:stop]`
fn rows_between<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    start: Option<usize>,
    stop: Option<usize>,
) -> Res<'py> {
    if let Some(tuple) = as_tuple(grid) {
        let stop = stop.unwrap_or(tuple.len());
        return Ok(tuple.get_slice(start.unwrap_or(0), stop).into_any());
    }
    let limit = |k: Option<usize>| k.map(|k| k as isize);
    grid.get_item(ffi::slice_of(cx.py, limit(start), limit(stop), None)?)
}

pub(in super::super) fn tophalf<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    rows_between(cx, grid, None, Some(obj::len(grid)? / 2))
}

pub(in super::super) fn bottomhalf<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    rows_between(cx, grid, Some(obj::len(grid)?.div_ceil(2)), None)
}

/// Some columns of a rectangular grid. Without columns there are no rows either.
fn columns_between<'py>(cx: Cx<'py>, grid: &Obj<'py>, start: usize, stop: usize) -> Res<'py> {
    if start == stop {
        return obj::tuple(cx.py, Vec::new());
    }
    collected(
        cx,
        items(grid)?.map(|row| rows_between(cx, &row?, Some(start), Some(stop))),
    )
}

pub(in super::super) fn lefthalf<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    match plain_width(grid) {
        Some(width) => columns_between(cx, grid, 0, width / 2),
        None => rot270(cx, &tophalf(cx, &rot90(cx, grid)?)?),
    }
}

pub(in super::super) fn righthalf<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    match plain_width(grid) {
        Some(width) => columns_between(cx, grid, width.div_ceil(2), width),
        None => rot270(cx, &bottomhalf(cx, &rot90(cx, grid)?)?),
    }
}

/// The rows that have only one value.
pub(super) fn uniform_rows<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> PyResult<Vec<usize>> {
    let mut found = Vec::new();
    for (k, row) in items(grid)?.enumerate() {
        if is_uniform(cx, &row?)? {
            found.push(k);
        }
    }
    Ok(found)
}

/// `len(set(row)) == 1`
fn is_uniform<'py>(cx: Cx<'py>, row: &Obj<'py>) -> PyResult<bool> {
    if let Some(cells) = as_tuple(row) {
        let numbers = cells.iter_borrowed().map(|value| small(&value));
        let all_first = |numbers: Vec<i64>| {
            numbers
                .first()
                .is_some_and(|n| numbers.iter().all(|m| m == n))
        };
        if let Some(is_so) = numbers.collect::<Option<Vec<i64>>>().map(all_first) {
            return Ok(is_so);
        }
    }
    Ok(obj::set(cx.py, items(row)?)?.len() == 1)
}

pub(in super::super) fn compress<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    let rows = uniform_rows(cx, grid)?;
    let columns = uniform_rows(cx, &dmirror(cx, grid)?)?;
    let mut kept = Vec::new();
    for (i, row) in items(grid)?.enumerate() {
        let row = row?;
        if !rows.contains(&i) {
            let cells = items(&row)?
                .enumerate()
                .filter(|(j, _)| !columns.contains(j));
            kept.push(collected(cx, cells.map(|(_, value)| value))?);
        }
    }
    obj::tuple(cx.py, kept)
}
