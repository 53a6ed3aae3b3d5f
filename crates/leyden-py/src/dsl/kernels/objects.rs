//! Finding objects and patterns.

use leyden_dsl::kernels::RingSearch;
use leyden_dsl::table::Dialect;
use pyo3::prelude::*;
use pyo3::types::PySet;
use rustc_hash::FxHashSet;

use super::bounds::{Cell, cells};
use super::colour::{mostcolor, palette};
use super::geometry::{height, shape, width};
use super::grids::uniform_rows;
use super::lines::{dneighbors, neighbors};
use super::patches::{asindices, dmirror, normalize, shift};
use crate::dsl::obj::{
    self, as_tuple, at, equal, int, is_below, is_plain_set, items, pair, small, unpack, unpack_cell,
};
use crate::dsl::{Cx, Obj, Res, cache, ffi};

type Location = (i64, i64);

/// A rectangular grid of plain numbers.
struct Numbers {
    size: (usize, usize),
    values: Vec<i64>,
}

impl Numbers {
    fn of(grid: &Obj<'_>) -> Option<Self> {
        let rows = as_tuple(grid)?;
        let width = as_tuple(&*rows.get_borrowed_item(0).ok()?)?.len();
        // The rows may be one object, so a small grid can have any number of cells.
        obj::announce_parts(rows.len().saturating_mul(width)).ok()?;
        let mut values = Vec::with_capacity(rows.len() * width);
        for row in rows.iter_borrowed() {
            let row = as_tuple(&row)?;
            if row.len() != width {
                return None;
            }
            for value in row.iter_borrowed() {
                values.push(small(&value)?);
            }
        }
        Some(Numbers {
            size: (rows.len(), width),
            values,
        })
    }

    fn at(&self, (i, j): Location) -> Option<i64> {
        let (h, w) = self.size;
        let is_inside = (0..h as i64).contains(&i) && (0..w as i64).contains(&j);
        is_inside.then(|| self.values[i as usize * w + j as usize])
    }
}

pub(in super::super) fn objects<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    univalued: &Obj<'py>,
    diagonal: &Obj<'py>,
    without_bg: &Obj<'py>,
) -> Res<'py> {
    let background = if obj::is_true(without_bg)? {
        Some(mostcolor(cx, grid)?)
    } else {
        None
    };
    match Numbers::of(grid) {
        Some(numbers) => {
            let switches = (obj::is_true(univalued)?, obj::is_true(diagonal)?);
            let background = background.as_ref().and_then(small);
            plain_objects(cx, &numbers, switches, background)
        }
        None => objects_of_anything(cx, grid, univalued, diagonal, background),
    }
}

/// Objects of plain numbers. The search runs without Python, which only makes the sets.
fn plain_objects<'py>(
    cx: Cx<'py>,
    numbers: &Numbers,
    (is_univalued, is_diagonal): (bool, bool),
    background: Option<i64>,
) -> Res<'py> {
    let objs = PySet::empty(cx.py)?;
    let mut search = RingSearch::new(
        numbers.size,
        &numbers.values,
        background,
        is_univalued,
        is_diagonal,
    );
    while let Some(locations) = search.next_object() {
        let obj = PySet::empty(cx.py)?;
        for &(i, j) in locations {
            let value = numbers.at((i, j)).unwrap_or_default();
            obj.add(cache::cell(&int(cx.py, value), Some(value), i, j)?)?;
        }
        objs.add(obj::frozen_copy(&obj)?)?;
    }
    obj::frozen_copy(&objs)
}

/// Objects of a grid with any values.
fn objects_of_anything<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    univalued: &Obj<'py>,
    diagonal: &Obj<'py>,
    background: Option<Obj<'py>>,
) -> Res<'py> {
    let background = background.unwrap_or_else(|| cx.py.None().into_bound(cx.py));
    let size = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
    let value_at = |loc: &Obj<'py>| grid.get_item(at(loc, 0)?)?.get_item(at(loc, 1)?);
    let (objs, occupied) = (PySet::empty(cx.py)?, PySet::empty(cx.py)?);
    for loc in items(&asindices(cx, grid)?)? {
        let loc = loc?;
        if occupied.contains(&loc)? {
            continue;
        }
        let val = value_at(&loc)?;
        if equal(&val, &background)? {
            continue;
        }
        let obj = obj::set(cx.py, [pair(val.clone(), loc.clone())])?;
        let mut cands = obj::set(cx.py, [Ok(loc)])?.into_any();
        while cands.len()? > 0 {
            let neighborhood = PySet::empty(cx.py)?;
            for cand in items(&cands)? {
                let cand = cand?;
                let v = value_at(&cand)?;
                let belongs = if obj::is_true(univalued)? {
                    equal(&val, &v)?
                } else {
                    v.ne(&background)?
                };
                if belongs {
                    obj.add(pair(v, cand.clone())?)?;
                    occupied.add(&cand)?;
                    let near = near(cx, &cand, obj::is_true(diagonal)?, size)?;
                    neighborhood.call_method1("update", (near,))?;
                }
            }
            cands = neighborhood.sub(&occupied)?;
        }
        objs.add(obj::frozen_copy(&obj)?)?;
    }
    obj::frozen_copy(&objs)
}

/// The neighbours of a location that are inside.
fn near<'py>(
    cx: Cx<'py>,
    loc: &Obj<'py>,
    is_diagonal: bool,
    (h, w): (usize, usize),
) -> PyResult<Bound<'py, PySet>> {
    let around = if is_diagonal {
        neighbors(cx, loc)?
    } else {
        dneighbors(cx, loc)?
    };
    let near = PySet::empty(cx.py)?;
    for index in items(&around)? {
        let (i, j) = unpack(&index?)?;
        if is_below(&i, h)? && is_below(&j, w)? {
            near.add(pair(i, j)?)?;
        }
    }
    Ok(near)
}

/// The cells of a grid by their values, one object for each.
fn by_value<'py>(cx: Cx<'py>, grid: &Obj<'py>, values: &Obj<'py>) -> Res<'py> {
    let numbers = Numbers::of(grid);
    let part = |value: Res<'py>| {
        let value = value?;
        match (&numbers, small(&value)) {
            (Some(numbers), Some(number)) => plain_part(cx, numbers, &value, number),
            _ => part_of_anything(cx, grid, &value),
        }
    };
    obj::frozen(cx.py, items(values)?.map(part))
}

fn plain_part<'py>(cx: Cx<'py>, numbers: &Numbers, value: &Obj<'py>, number: i64) -> Res<'py> {
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for (k, found) in numbers.values.iter().enumerate() {
        if *found == number {
            let (i, j) = (k / numbers.size.1, k % numbers.size.1);
            set.add(&cache::cell(value, Some(number), i as i64, j as i64)?)?;
        }
    }
    Ok(set.finish())
}

fn part_of_anything<'py>(cx: Cx<'py>, grid: &Obj<'py>, value: &Obj<'py>) -> Res<'py> {
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for (i, row) in items(grid)?.enumerate() {
        for (j, found) in items(&row?)?.enumerate() {
            let found = found?;
            if equal(&found, value)? {
                set.add(&pair(found, cache::location(cx.py, i as i64, j as i64)?)?)?;
            }
        }
    }
    Ok(set.finish())
}

pub(in super::super) fn partition<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    by_value(cx, grid, &palette(cx, grid)?)
}

pub(in super::super) fn fgpartition<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    let values = palette(cx, grid)?;
    let background = obj::set(cx.py, [mostcolor(cx, grid)])?;
    by_value(cx, grid, &values.sub(background)?)
}

/// The number of rows and columns in which an object may begin.
fn starts<'py>(cx: Cx<'py>, (h, w): (usize, usize), obj: &Obj<'py>) -> PyResult<Location> {
    let (h, w) = (h as i64, w as i64);
    if cx.dialect == Dialect::ReArc {
        return Ok((h, w));
    }
    let (oh, ow) = unpack(&shape(cx, obj)?)?;
    let room = |length: i64, taken: &Obj<'py>| {
        obj::as_index(&obj::subtract(&int(cx.py, length + 1), taken)?)
    };
    Ok((room(h, &oh)?, room(w, &ow)?))
}

pub(in super::super) fn occurrences<'py>(cx: Cx<'py>, grid: &Obj<'py>, obj: &Obj<'py>) -> Res<'py> {
    let plain = if is_plain_set(obj) {
        cells(obj)?.zip(Numbers::of(grid))
    } else {
        None
    };
    let occs = match plain {
        Some((cells, numbers)) => plain_occurrences(cx, &numbers, cells, obj)?,
        None => occurrences_of_anything(cx, grid, obj)?,
    };
    obj::frozen_copy(&occs)
}

fn plain_occurrences<'py>(
    cx: Cx<'py>,
    numbers: &Numbers,
    mut cells: Vec<Cell>,
    obj: &Obj<'py>,
) -> PyResult<Bound<'py, PySet>> {
    let top = cells.iter().map(|cell| cell.1.0).min().unwrap_or(0);
    let left = cells.iter().map(|cell| cell.1.1).min().unwrap_or(0);
    for (_, place) in &mut cells {
        *place = (place.0 - top, place.1 - left);
    }
    let (n_rows, n_columns) = starts(cx, numbers.size, obj)?;
    let occs = PySet::empty(cx.py)?;
    announce_places(n_rows, n_columns)?;
    for i in 0..n_rows {
        for j in 0..n_columns {
            let fits = |(v, (a, b)): &Cell| numbers.at((a + i, b + j)) == Some(*v);
            if cells.iter().all(fits) {
                occs.add(cache::location(cx.py, i, j)?)?;
            }
        }
    }
    Ok(occs)
}

/// Announces the places at which an object is searched.
fn announce_places(n_rows: i64, n_columns: i64) -> PyResult<()> {
    let count = |n: i64| usize::try_from(n).unwrap_or(0);
    obj::announce_parts(count(n_rows).saturating_mul(count(n_columns)))
}

fn occurrences_of_anything<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    obj: &Obj<'py>,
) -> PyResult<Bound<'py, PySet>> {
    let occs = PySet::empty(cx.py)?;
    let normed = normalize(cx, obj)?;
    let size = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
    let (n_rows, n_columns) = starts(cx, size, obj)?;
    announce_places(n_rows, n_columns)?;
    for i in 0..n_rows {
        for j in 0..n_columns {
            let place = cache::location(cx.py, i, j)?;
            if occurs_at(cx, grid, size, &shift(cx, &normed, &place)?)? {
                occs.add(place)?;
            }
        }
    }
    Ok(occs)
}

fn occurs_at<'py>(
    cx: Cx<'py>,
    grid: &Obj<'py>,
    (h, w): (usize, usize),
    shifted: &Obj<'py>,
) -> PyResult<bool> {
    for cell in items(shifted)? {
        let (v, a, b) = unpack_cell(&cell?)?;
        if !is_below(&a, h)? || !is_below(&b, w)? {
            return Ok(false);
        }
        let found = grid.get_item(a)?.get_item(b)?;
        let fits = match cx.dialect {
            Dialect::ReArc => !found.ne(v)?,
            _ => equal(&found, &v)?,
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(in super::super) fn frontiers<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    let (h, w) = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
    let rows = uniform_rows(cx, grid)?;
    let columns = uniform_rows(cx, &dmirror(cx, grid)?)?;
    let cell = |i: usize, j: usize| {
        let value = at(&at(grid, i)?, j)?;
        cache::cell(&value, small(&value), i as i64, j as i64)
    };
    let row = |i: usize| obj::frozen_copy(&obj::set(cx.py, (0..w).map(|j| cell(i, j)))?);
    let column = |j: usize| obj::frozen_copy(&obj::set(cx.py, (0..h).map(|i| cell(i, j)))?);
    let horizontal = obj::frozen_copy(&obj::set(cx.py, rows.into_iter().map(row))?)?;
    let vertical = obj::frozen_copy(&obj::set(cx.py, columns.into_iter().map(column))?)?;
    horizontal.bitor(vertical)
}

/// The smallest shift, up or to the left, that takes an object into itself.
fn period<'py>(cx: Cx<'py>, obj: &Obj<'py>, step: Location) -> Res<'py> {
    if let Some(cells) = cells(obj)?.filter(|_| is_plain_set(obj)) {
        return Ok(int(cx.py, plain_period(&cells, step)?));
    }
    let normalized = normalize(cx, obj)?;
    let length = match step {
        (0, _) => width(cx, &normalized)?,
        _ => height(cx, &normalized)?,
    };
    let n_steps = obj::as_index(&length)?;
    announce_steps(n_steps)?;
    for p in 1..n_steps {
        let offset = cache::location(cx.py, -p * step.0, -p * step.1)?;
        let pruned = PySet::empty(cx.py)?;
        for cell in items(&shift(cx, &normalized, &offset)?)? {
            let (c, i, j) = unpack_cell(&cell?)?;
            if int(cx.py, 0).le(if step.0 == 0 { &j } else { &i })? {
                pruned.add(pair(c, pair(i, j)?)?)?;
            }
        }
        let pruned = obj::frozen_copy(&pruned)?;
        if obj::is_true(&pruned.call_method1("issubset", (&normalized,))?)? {
            return Ok(int(cx.py, p));
        }
    }
    Ok(length)
}

/// Announces the steps of the search for a period: cells far apart would make it run for ever.
fn announce_steps(n_steps: i64) -> PyResult<()> {
    obj::announce(usize::try_from(n_steps).unwrap_or(0))
}

fn plain_period(cells: &[Cell], (di, dj): Location) -> PyResult<i64> {
    let along = |(_, (i, j)): &Cell| i * di + j * dj;
    let start = cells.iter().map(along).min().unwrap_or(0);
    let length = cells.iter().map(along).max().unwrap_or(-1) - start + 1;
    let all: FxHashSet<_> = cells.iter().copied().collect();
    let shifted = |(v, (i, j)): &Cell, p: i64| (*v, (i - p * di, j - p * dj));
    let repeats = |p: &i64| {
        let inside = cells.iter().filter(|cell| along(cell) - p >= start);
        inside
            .map(|cell| shifted(cell, *p))
            .all(|cell| all.contains(&cell))
    };
    announce_steps(length)?;
    Ok((1..length).find(repeats).unwrap_or(length))
}

pub(in super::super) fn hperiod<'py>(cx: Cx<'py>, obj: &Obj<'py>) -> Res<'py> {
    period(cx, obj, (0, 1))
}

pub(in super::super) fn vperiod<'py>(cx: Cx<'py>, obj: &Obj<'py>) -> Res<'py> {
    period(cx, obj, (1, 0))
}
