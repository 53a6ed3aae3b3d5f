//! Sets of cells.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PySet;

use super::bounds::{self, Bounds, bounds, moved, visit};
use super::geometry::{leftmost, lowermost, lrcorner, rightmost, ulcorner, uppermost};
use crate::dsl::obj::{
    self, add, as_tuple, at, int, is_below, is_tuple, items, pair, subtract, unpack, unpack_cell,
};
use crate::dsl::{Cx, Obj, Res, cache, ffi};

/// Whether it is a set of cells, not of locations. Its first element decides.
pub(super) fn are_cells(patch: &Obj<'_>) -> PyResult<bool> {
    Ok(is_tuple(&at(&obj::first(patch)?, 1)?))
}

pub(in super::super) fn toindices<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    if obj::len(patch)? == 0 {
        return obj::empty_set(cx.py);
    }
    if are_cells(patch)? {
        obj::frozen(cx.py, items(patch)?.map(|cell| Ok(unpack(&cell?)?.1)))
    } else {
        Ok(patch.clone())
    }
}

pub(in super::super) fn recolor<'py>(cx: Cx<'py>, value: &Obj<'py>, patch: &Obj<'py>) -> Res<'py> {
    let indices = toindices(cx, patch)?;
    obj::frozen(
        cx.py,
        items(&indices)?.map(|index| pair(value.clone(), index?)),
    )
}

/// `frozenset((v, f(i, j)) for v, (i, j) in patch)` for an object, or its like for indices, with
/// any values that Python can compute with.
fn moved_anyhow<'py>(
    cx: Cx<'py>,
    patch: &Obj<'py>,
    to: impl Fn(&Obj<'py>, &Obj<'py>) -> Res<'py>,
) -> Res<'py> {
    if !are_cells(patch)? {
        let index = |index: Res<'py>| {
            let (i, j) = unpack(&index?)?;
            to(&i, &j)
        };
        return obj::frozen(cx.py, items(patch)?.map(index));
    }
    let cell = |cell: Res<'py>| {
        let (value, i, j) = unpack_cell(&cell?)?;
        pair(value, to(&i, &j)?)
    };
    obj::frozen(cx.py, items(patch)?.map(cell))
}

pub(in super::super) fn shift<'py>(
    cx: Cx<'py>,
    patch: &Obj<'py>,
    directions: &Obj<'py>,
) -> Res<'py> {
    if obj::len(patch)? == 0 {
        return Ok(patch.clone());
    }
    if let Some((di, dj)) = bounds::location(directions)
        && let Some(shifted) = moved(patch, |i, j| (i + di, j + dj))?
    {
        return Ok(shifted);
    }
    let (di, dj) = unpack(directions)?;
    moved_anyhow(cx, patch, |i, j| pair(add(i, &di)?, add(j, &dj)?))
}

pub(in super::super) fn normalize<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    if obj::len(patch)? == 0 {
        return Ok(patch.clone());
    }
    if let Some(Bounds { top, left, .. }) = bounds(patch)?
        && let Some(shifted) = moved(patch, |i, j| (i - top, j - left))?
    {
        return Ok(shifted);
    }
    let directions = pair(uppermost(cx, patch)?.neg()?, leftmost(cx, patch)?.neg()?)?;
    shift(cx, patch, &directions)
}

pub(in super::super) fn hmirror<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    if is_tuple(piece) {
        return obj::reversed(piece);
    }
    if let Some(Bounds { top, bottom, .. }) = bounds(piece)?
        && let Some(mirrored) = moved(piece, |i, j| (top + bottom - i, j))?
    {
        return Ok(mirrored);
    }
    let d = add(
        &at(&ulcorner(cx, piece)?, 0)?,
        &at(&lrcorner(cx, piece)?, 0)?,
    )?;
    moved_anyhow(cx, piece, |i, j| pair(subtract(&d, i)?, j.clone()))
}

pub(in super::super) fn vmirror<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    if is_tuple(piece) {
        let rows = items(piece)?.map(|row| obj::reversed(&row?));
        return obj::tuple_of_rows(cx.py, rows);
    }
    if let Some(Bounds { left, right, .. }) = bounds(piece)?
        && let Some(mirrored) = moved(piece, |i, j| (i, left + right - j))?
    {
        return Ok(mirrored);
    }
    let d = add(
        &at(&ulcorner(cx, piece)?, 1)?,
        &at(&lrcorner(cx, piece)?, 1)?,
    )?;
    moved_anyhow(cx, piece, |i, j| pair(i.clone(), subtract(&d, j)?))
}

pub(in super::super) fn dmirror<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    if is_tuple(piece) {
        return obj::columns(piece);
    }
    if let Some(Bounds { top, left, .. }) = bounds(piece)?
        && let Some(mirrored) = moved(piece, |i, j| (j - left + top, i - top + left))?
    {
        return Ok(mirrored);
    }
    let (a, b) = unpack(&ulcorner(cx, piece)?)?;
    let to =
        |i: &Obj<'py>, j: &Obj<'py>| pair(add(&subtract(j, &b)?, &a)?, add(&subtract(i, &a)?, &b)?);
    moved_anyhow(cx, piece, to)
}

pub(in super::super) fn cmirror<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    if is_tuple(piece) {
        let upside_down = obj::reversed(piece)?;
        let turned = items(&upside_down)?.map(|row| obj::reversed(&row?));
        return obj::columns(&obj::tuple_of_rows(cx.py, turned)?);
    }
    vmirror(cx, &dmirror(cx, &vmirror(cx, piece)?)?)
}

pub(in super::super) fn toobject<'py>(cx: Cx<'py>, patch: &Obj<'py>, grid: &Obj<'py>) -> Res<'py> {
    let (h, w) = (obj::len(grid)?, obj::len(&at(grid, 0)?)?);
    let indices = toindices(cx, patch)?;
    if let Some(object) = plain_object(cx, &indices, grid, (h, w))? {
        return Ok(object);
    }
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for index in items(&indices)? {
        let (i, j) = unpack(&index?)?;
        if is_below(&i, h)? && is_below(&j, w)? {
            let value = grid.get_item(&i)?.get_item(&j)?;
            set.add(&pair(value, pair(i, j)?)?)?;
        }
    }
    Ok(set.finish())
}

fn plain_object<'py>(
    cx: Cx<'py>,
    indices: &Obj<'py>,
    grid: &Obj<'py>,
    (h, w): (usize, usize),
) -> PyResult<Option<Obj<'py>>> {
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    let are_cells = visit(indices, |_, (i, j)| {
        if (0..h as i64).contains(&i) && (0..w as i64).contains(&j) {
            let value = at(&at(grid, i as usize)?, j as usize)?;
            set.add(&cache::cell(&value, obj::small(&value), i, j)?)?;
        }
        Ok(())
    })?;
    Ok((are_cells == Some(false)).then(|| set.finish()))
}

pub(in super::super) fn asobject<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for (i, row) in items(grid)?.enumerate() {
        for (j, value) in items(&row?)?.enumerate() {
            let value = value?;
            set.add(&cache::cell(
                &value,
                obj::small(&value),
                i as i64,
                j as i64,
            )?)?;
        }
    }
    Ok(set.finish())
}

/// `frozenset((i, j) for i in rows for j in columns)`
fn rectangle<'py>(
    cx: Cx<'py>,
    rows: std::ops::Range<i64>,
    columns: std::ops::Range<i64>,
) -> Res<'py> {
    let length = |range: &std::ops::Range<i64>| {
        usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0)
    };
    obj::announce_set(length(&rows).saturating_mul(length(&columns)))?;
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for i in rows {
        for j in columns.clone() {
            set.add(&cache::location(cx.py, i, j)?)?;
        }
    }
    Ok(set.finish())
}

pub(in super::super) fn asindices<'py>(cx: Cx<'py>, grid: &Obj<'py>) -> Res<'py> {
    match obj::len(grid)? as i64 {
        0 => obj::empty_set(cx.py),
        h => rectangle(cx, 0..h, 0..obj::len(&at(grid, 0)?)? as i64),
    }
}

pub(in super::super) fn ofcolor<'py>(cx: Cx<'py>, grid: &Obj<'py>, value: &Obj<'py>) -> Res<'py> {
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for (i, row) in items(grid)?.enumerate() {
        let row = row?;
        let mut see = |j: usize, found: &Obj<'py>| -> PyResult<()> {
            if obj::equal(found, value)? {
                set.add(&cache::location(cx.py, i as i64, j as i64)?)?;
            }
            Ok(())
        };
        match as_tuple(&row) {
            Some(row) => {
                row.iter_borrowed()
                    .enumerate()
                    .try_for_each(|(j, v)| see(j, &v))?;
            }
            None => items(&row)?
                .enumerate()
                .try_for_each(|(j, v)| see(j, &v?))?,
        }
    }
    Ok(set.finish())
}

pub(in super::super) fn backdrop<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    if obj::len(patch)? == 0 {
        return obj::empty_set(cx.py);
    }
    if let Some(Bounds {
        top,
        left,
        bottom,
        right,
    }) = bounds(patch)?
    {
        return rectangle(cx, top..bottom + 1, left..right + 1);
    }
    let (si, sj) = unpack(&ulcorner(cx, &toindices(cx, patch)?)?)?;
    let (ei, ej) = unpack(&lrcorner(cx, patch)?)?;
    let end = |number: &Obj<'py>| obj::as_index(&add(number, &int(cx.py, 1))?);
    rectangle(
        cx,
        obj::as_index(&si)?..end(&ei)?,
        obj::as_index(&sj)?..end(&ej)?,
    )
}

pub(in super::super) fn delta<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    match obj::len(patch)? {
        0 => obj::empty_set(cx.py),
        _ => backdrop(cx, patch)?.sub(toindices(cx, patch)?),
    }
}

/// A coordinate of a side of a ring, with its number.
struct Limit<'py>(Obj<'py>, i64);

/// `min(a, b)` and `max(a, b)`
fn limits<'py>(a: &Obj<'py>, b: &Obj<'py>) -> PyResult<(Limit<'py>, Limit<'py>)> {
    let least = if obj::compare(b, a, CompareOp::Lt)? {
        b
    } else {
        a
    };
    let most = if obj::compare(b, a, CompareOp::Gt)? {
        b
    } else {
        a
    };
    let limit = |number: &Obj<'py>| Ok::<_, PyErr>(Limit(number.clone(), obj::as_index(number)?));
    Ok((limit(least)?, limit(most)?))
}

/// The locations of a rectangle's outline, put together as the original does.
fn ring<'py>(
    cx: Cx<'py>,
    (ai, aj): (&Obj<'py>, &Obj<'py>),
    (bi, bj): (&Obj<'py>, &Obj<'py>),
) -> Res<'py> {
    let (Limit(si_object, si), Limit(ei_object, ei)) = limits(ai, bi)?;
    let (Limit(sj_object, sj), Limit(ej_object, ej)) = limits(aj, bj)?;
    for (start, end) in [(si, ei), (sj, ej)] {
        obj::announce_set(usize::try_from(end.saturating_sub(start)).unwrap_or(0))?;
    }
    let vertical = |j: &Obj<'py>| column(cx, si..=ei, j);
    let horizontal = |i: &Obj<'py>| row(cx, i, sj..=ej);
    let vlines = vertical(&sj_object)?.bitor(vertical(&ej_object)?)?;
    let hlines = horizontal(&si_object)?.bitor(horizontal(&ei_object)?)?;
    let all = vlines.bitor(hlines)?;
    obj::frozen_copy(all.cast_exact::<PySet>()?)
}

/// `{(i, j) for i in rows}`
fn column<'py>(
    cx: Cx<'py>,
    rows: std::ops::RangeInclusive<i64>,
    j: &Obj<'py>,
) -> PyResult<Bound<'py, PySet>> {
    match obj::small(j) {
        Some(j) => obj::set(cx.py, rows.map(|i| cache::location(cx.py, i, j))),
        None => obj::set(cx.py, rows.map(|i| pair(int(cx.py, i), j.clone()))),
    }
}

/// `{(i, j) for j in columns}`
fn row<'py>(
    cx: Cx<'py>,
    i: &Obj<'py>,
    columns: std::ops::RangeInclusive<i64>,
) -> PyResult<Bound<'py, PySet>> {
    match obj::small(i) {
        Some(i) => obj::set(cx.py, columns.map(|j| cache::location(cx.py, i, j))),
        None => obj::set(cx.py, columns.map(|j| pair(i.clone(), int(cx.py, j)))),
    }
}

/// The ring `margin` cells inside the bounding box.
fn ring_inside<'py>(cx: Cx<'py>, patch: &Obj<'py>, margin: i64) -> Res<'py> {
    let (top, left, bottom, right) = match bounds(patch)? {
        Some(Bounds {
            top,
            left,
            bottom,
            right,
        }) => (
            int(cx.py, top),
            int(cx.py, left),
            int(cx.py, bottom),
            int(cx.py, right),
        ),
        None => {
            let (top, left) = (uppermost(cx, patch)?, leftmost(cx, patch)?);
            (top, left, lowermost(cx, patch)?, rightmost(cx, patch)?)
        }
    };
    let (inwards, outwards) = (int(cx.py, margin), int(cx.py, -margin));
    let start = (add(&top, &inwards)?, add(&left, &inwards)?);
    let end = (add(&bottom, &outwards)?, add(&right, &outwards)?);
    ring(cx, (&start.0, &start.1), (&end.0, &end.1))
}

pub(in super::super) fn inbox<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    ring_inside(cx, patch, 1)
}

pub(in super::super) fn outbox<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    ring_inside(cx, patch, -1)
}

pub(in super::super) fn r#box<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    if obj::len(patch)? == 0 {
        return Ok(patch.clone());
    }
    let (ai, aj) = unpack(&ulcorner(cx, patch)?)?;
    let (bi, bj) = unpack(&lrcorner(cx, patch)?)?;
    ring(cx, (&ai, &aj), (&bi, &bj))
}
