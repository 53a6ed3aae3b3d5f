//! Kernels for sets of cells.

use super::build::{set_from, tuple_from, tuple_of_tuples};
use super::grids::{cell, dimensions, inside, upscaled_grid};
use super::lines::{length, through};
use super::{Outcome, named};
use crate::cx::Cx;
use crate::meter::check_set_len;
use crate::ops::{self, Extreme, item, reversed};
use crate::pyset::Table;
use crate::table::Prim;
use crate::value::Value;

/// Does the patch consist of cells with colours? Only its first element decides.
fn is_object(cx: &Cx, patch: &Value) -> Outcome<bool> {
    cx.dialect.is_cell(ops::first(patch)?)
}

pub fn toindices(cx: &mut Cx, patch: &Value) -> Outcome {
    if ops::len(patch)? == 0 {
        return Value::set(Table::new());
    }
    if !is_object(cx, patch)? {
        return Ok(patch.clone());
    }
    set_from(ops::iter(patch)?.map(|cell| cx.dialect.location_of(cell)))
}

pub fn recolor(cx: &mut Cx, value: &Value, patch: &Value) -> Outcome {
    let indices = named::toindices(cx, patch)?;
    set_from(ops::iter(&indices)?.map(|index| Value::pair(value.clone(), index.clone())))
}

/// The patch with changed locations.
pub(super) fn moved(
    cx: &Cx,
    patch: &Value,
    change: impl Fn(&Value, &Value) -> Outcome<(Value, Value)>,
) -> Outcome {
    if is_object(cx, patch)? {
        moved_cells(cx, patch, change)
    } else {
        moved_locations(patch, change)
    }
}

pub(super) fn moved_cells(
    cx: &Cx,
    obj: &Value,
    change: impl Fn(&Value, &Value) -> Outcome<(Value, Value)>,
) -> Outcome {
    set_from(ops::iter(obj)?.map(|cell| {
        let (colour, i, j) = cx.dialect.unpack_cell(cell)?;
        let (i, j) = change(i, j)?;
        cx.dialect.cell(colour.clone(), i, j)
    }))
}

pub(super) fn moved_locations(
    indices: &Value,
    change: impl Fn(&Value, &Value) -> Outcome<(Value, Value)>,
) -> Outcome {
    set_from(ops::iter(indices)?.map(|location| {
        let (i, j) = ops::unpack(location)?;
        let (i, j) = change(i, j)?;
        Value::pair(i, j)
    }))
}

pub fn shift(cx: &mut Cx, patch: &Value, directions: &Value) -> Outcome {
    if !cx.dialect.is_classic() && !patch.is_truthy() {
        return Value::set(Table::new());
    }
    let stays = !cx.dialect.is_classic() && directions.as_items().is_some_and(<[_]>::is_empty);
    if stays || ops::len(patch)? == 0 {
        return Ok(patch.clone());
    }
    let (di, dj) = ops::unpack(directions)?;
    moved(cx, patch, |i, j| Ok((ops::add(i, di)?, ops::add(j, dj)?)))
}

pub fn normalize(cx: &mut Cx, patch: &Value) -> Outcome {
    if ops::len(patch)? == 0 {
        return Ok(patch.clone());
    }
    let up = ops::neg(&named::uppermost(cx, patch)?)?;
    let left = ops::neg(&named::leftmost(cx, patch)?)?;
    named::shift(cx, patch, &Value::pair(up, left)?)
}

pub fn toobject(cx: &mut Cx, patch: &Value, grid: &Value) -> Outcome {
    let size = dimensions(grid)?;
    let mut result = Table::new();
    for location in ops::iter(&named::toindices(cx, patch)?)? {
        let (i, j) = ops::unpack(location)?;
        if let Some((row, column)) = inside(i, j, size)? {
            let value = cell(grid, row, column)?.clone();
            result.insert(cx.dialect.cell(value, i.clone(), j.clone())?);
        }
    }
    Value::set(result)
}

/// The sum of the first and the last coordinate of a patch along an axis.
pub(super) fn mirror_sum(cx: &mut Cx, piece: &Value, axis: usize) -> Outcome {
    let (first, last) = (named::ulcorner(cx, piece)?, named::lrcorner(cx, piece)?);
    ops::add(item(&first, axis)?, item(&last, axis)?)
}

pub fn hmirror(cx: &mut Cx, piece: &Value) -> Outcome {
    if piece.is_tuple() {
        return reversed(piece);
    }
    let d = mirror_sum(cx, piece, 0)?;
    moved(cx, piece, |i, j| Ok((ops::sub(&d, i)?, j.clone())))
}

pub fn vmirror(cx: &mut Cx, piece: &Value) -> Outcome {
    if let Some(rows) = piece.as_items() {
        return tuple_from(rows.iter().map(reversed));
    }
    let d = mirror_sum(cx, piece, 1)?;
    moved(cx, piece, |i, j| Ok((i.clone(), ops::sub(&d, j)?)))
}

pub fn dmirror(cx: &mut Cx, piece: &Value) -> Outcome {
    if let Some(rows) = piece.as_items() {
        return tuple_of_tuples(ops::transposed(rows.iter())?);
    }
    let corner = named::ulcorner(cx, piece)?;
    let (a, b) = ops::unpack(&corner)?;
    moved(cx, piece, |i, j| swapped(a, b, i, j))
}

/// A location mirrored at the diagonal through another one.
pub(super) fn swapped(a: &Value, b: &Value, i: &Value, j: &Value) -> Outcome<(Value, Value)> {
    let mirrored_i = ops::add(&ops::sub(j, b)?, a)?;
    Ok((mirrored_i, ops::add(&ops::sub(i, a)?, b)?))
}

pub fn cmirror(cx: &mut Cx, piece: &Value) -> Outcome {
    if let Some(rows) = piece.as_items() {
        let turned = rows.iter().rev().map(reversed);
        let turned = turned.collect::<Outcome<Vec<_>>>()?;
        return tuple_of_tuples(ops::transposed(turned.iter())?);
    }
    let mirrored = named::vmirror(cx, piece)?;
    let mirrored = named::dmirror(cx, &mirrored)?;
    named::vmirror(cx, &mirrored)
}

pub fn upscale(cx: &mut Cx, element: &Value, factor: &Value) -> Outcome {
    if element.is_tuple() {
        return upscaled_grid(cx, element, factor);
    }
    upscale_f(cx, element, factor)
}

pub fn upscale_f(cx: &mut Cx, obj: &Value, factor: &Value) -> Outcome {
    if ops::len(obj)? == 0 {
        return Value::set(Table::new());
    }
    let corner = named::ulcorner(cx, obj)?;
    let (di, dj) = ops::unpack(&corner)?;
    let back = Value::pair(ops::neg(di)?, ops::neg(dj)?)?;
    let normed = named::shift(cx, obj, &back)?;
    announce_upscaled_cells(cx, &normed, factor)?;
    let upscaled = upscaled_cells(cx, &normed, factor)?;
    named::shift(cx, &upscaled, &corner)
}

/// Announces the cells of an upscaled object, each of which becomes a square of cells. A wrong
/// object or factor is left to the kernel, which faults.
fn announce_upscaled_cells(cx: &mut Cx, normed: &Value, factor: &Value) -> Outcome<()> {
    let (Some(cells), Some(factor)) = (normed.as_set(), factor.as_int()) else {
        return Ok(());
    };
    let is_cell = |cell| match cx.dialect.unpack_cell(cell) {
        Ok((_, i, j)) => i.as_int().is_some() && j.as_int().is_some(),
        Err(_) => false,
    };
    if !cells.iter().all(is_cell) {
        return Ok(());
    }
    let n = usize::try_from(factor).unwrap_or(0);
    cx.announce_set(cells.len().saturating_mul(n.saturating_mul(n)))
}

fn upscaled_cells(cx: &Cx, normed: &Value, factor: &Value) -> Outcome {
    let mut result = Table::new();
    for cell in ops::iter(normed)? {
        let (value, i, j) = cx.dialect.unpack_cell(cell)?;
        let n = ops::repetitions(factor)?;
        check_set_len(result.len().saturating_add(n.saturating_mul(n)))?;
        for io in ops::range(factor)? {
            let i = ops::add(&ops::mul(i, factor)?, &Value::Int(io))?;
            for jo in ops::range(factor)? {
                let j = ops::add(&ops::mul(j, factor)?, &Value::Int(jo))?;
                result.insert(cx.dialect.cell(value.clone(), i.clone(), j)?);
            }
        }
    }
    Value::frozen(result)
}

pub fn backdrop(cx: &mut Cx, patch: &Value) -> Outcome {
    full_box(cx, patch, 0)
}

/// All locations of the bounding box. The result of the call lacks at most `n_lacking` of them.
fn full_box(cx: &mut Cx, patch: &Value, n_lacking: usize) -> Outcome {
    if ops::len(patch)? == 0 {
        return Value::set(Table::new());
    }
    let indices = named::toindices(cx, patch)?;
    let first = named::ulcorner(cx, &indices)?;
    let (si, sj) = ops::unpack(&first)?;
    let last = named::lrcorner(cx, patch)?;
    let (ei, ej) = ops::unpack(&last)?;
    let rows = through(si, ei)?;
    if rows.is_empty() {
        return Value::set(Table::new());
    }
    let columns = through(sj, ej)?;
    let n_locations = length(&rows).saturating_mul(length(&columns));
    check_set_len(n_locations)?;
    cx.announce_set(n_locations.saturating_sub(n_lacking))?;
    let mut result = Table::new();
    for i in rows {
        columns.clone().for_each(|j| result.insert((i, j).into()));
    }
    Value::set(result)
}

pub fn delta(cx: &mut Cx, patch: &Value) -> Outcome {
    if ops::len(patch)? == 0 {
        return Value::set(Table::new());
    }
    // If the patch is not a set, the number of locations that it takes from the box is unknown.
    let n_lacking = patch.as_set().map_or(usize::MAX, |patch| patch.len());
    let backdrop = full_box(cx, patch, n_lacking);
    let backdrop = cx.settled(Prim::backdrop, backdrop)?;
    ops::sub(&backdrop, &named::toindices(cx, patch)?)
}

/// The four sides between two corners: `{…} | {…}` for each direction, then both.
fn outline(cx: &mut Cx, a: (&Value, &Value), b: (&Value, &Value)) -> Outcome {
    let (si, sj) = (
        Extreme::Min.of_two(a.0, b.0)?,
        Extreme::Min.of_two(a.1, b.1)?,
    );
    let (ei, ej) = (
        Extreme::Max.of_two(a.0, b.0)?,
        Extreme::Max.of_two(a.1, b.1)?,
    );
    let (rows, columns) = (through(&si, &ei)?, through(&sj, &ej)?);
    cx.announce_set(length(&rows).max(length(&columns)))?;
    let vlines = vline_at(&sj, &si, &ei)?.union(&vline_at(&ej, &si, &ei)?, false);
    let hlines = hline_at(&si, &sj, &ej)?.union(&hline_at(&ei, &sj, &ej)?, false);
    Value::frozen(vlines.union(&hlines, false))
}

fn vline_at(j: &Value, first: &Value, last: &Value) -> Outcome<Table<Value>> {
    through(first, last)?
        .map(|i| Value::pair(Value::Int(i), j.clone()))
        .collect()
}

fn hline_at(i: &Value, first: &Value, last: &Value) -> Outcome<Table<Value>> {
    through(first, last)?
        .map(|j| Value::pair(i.clone(), Value::Int(j)))
        .collect()
}

/// The outline of the bounding box, moved inwards by a step.
fn inset_outline(cx: &mut Cx, patch: &Value, step: i64) -> Outcome {
    let step = Value::Int(step);
    let ai = ops::add(&named::uppermost(cx, patch)?, &step)?;
    let aj = ops::add(&named::leftmost(cx, patch)?, &step)?;
    let bi = ops::sub(&named::lowermost(cx, patch)?, &step)?;
    let bj = ops::sub(&named::rightmost(cx, patch)?, &step)?;
    outline(cx, (&ai, &aj), (&bi, &bj))
}

pub fn inbox(cx: &mut Cx, patch: &Value) -> Outcome {
    inset_outline(cx, patch, 1)
}

pub fn outbox(cx: &mut Cx, patch: &Value) -> Outcome {
    inset_outline(cx, patch, -1)
}

pub fn r#box(cx: &mut Cx, patch: &Value) -> Outcome {
    if ops::len(patch)? == 0 {
        return if cx.dialect.is_classic() {
            Ok(patch.clone())
        } else {
            Value::set(Table::new())
        };
    }
    let (first, last) = (named::ulcorner(cx, patch)?, named::lrcorner(cx, patch)?);
    outline(cx, ops::unpack(&first)?, ops::unpack(&last)?)
}
