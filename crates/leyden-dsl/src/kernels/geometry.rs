//! Extents, positions, distances.

use super::build::tuple_from;
use super::{Outcome, shift, toindices};
use crate::cx::Cx;
use crate::fault::Fault;
use crate::ops::{self, Extreme, count};
use crate::pyset::Table;
use crate::value::Value;

const ONE: Value = Value::Int(1);
const TWO: Value = Value::Int(2);

/// The bounding box of a patch.
struct Extent {
    top: i64,
    left: i64,
    bottom: i64,
    right: i64,
}

/// A location of two plain ints.
fn int_pair(location: &Value) -> Option<(i64, i64)> {
    match location.as_items()? {
        [Value::Int(i), Value::Int(j)] => Some((*i, *j)),
        _ => None,
    }
}

fn int_pair_of_cell(cell: &Value) -> Option<(i64, i64)> {
    match cell.as_items()? {
        [_, location] => int_pair(location),
        _ => None,
    }
}

/// The locations of a patch that is not empty and has only plain ones: a short cut for what
/// `toindices` and a comparison of values would find.
fn int_pairs(patch: &Value) -> Option<impl Iterator<Item = Option<(i64, i64)>>> {
    let elements = ops::iter(patch).ok()?;
    let is_object = elements.clone().next()?.as_items()?.get(1)?.is_tuple();
    let location = if is_object {
        int_pair_of_cell
    } else {
        int_pair
    };
    Some(elements.map(location))
}

fn extent(patch: &Value) -> Option<Extent> {
    let mut extent = Extent {
        top: i64::MAX,
        left: i64::MAX,
        bottom: i64::MIN,
        right: i64::MIN,
    };
    for pair in int_pairs(patch)? {
        let (i, j) = pair?;
        extent.top = extent.top.min(i);
        extent.left = extent.left.min(j);
        extent.bottom = extent.bottom.max(i);
        extent.right = extent.right.max(j);
    }
    Some(extent)
}

/// `min(i for i, j in toindices(patch))` and its like.
fn edge(
    cx: &mut Cx,
    patch: &Value,
    extreme: Extreme,
    axis: fn((&'_ Value, &'_ Value)) -> Value,
) -> Outcome {
    let indices = toindices(cx, patch)?;
    let mut best: Option<Value> = None;
    for location in ops::iter(&indices)? {
        let new = axis(ops::unpack(location)?);
        if best
            .as_ref()
            .map_or(Ok(true), |best| extreme.is_beaten(best, &new))?
        {
            best = Some(new);
        }
    }
    best.ok_or(Fault::ValueError)
}

pub fn uppermost(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok(Value::Int(extent.top)),
        None => edge(cx, patch, Extreme::Min, |(i, _)| i.clone()),
    }
}

pub fn lowermost(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok(Value::Int(extent.bottom)),
        None => edge(cx, patch, Extreme::Max, |(i, _)| i.clone()),
    }
}

pub fn leftmost(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok(Value::Int(extent.left)),
        None => edge(cx, patch, Extreme::Min, |(_, j)| j.clone()),
    }
}

pub fn rightmost(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok(Value::Int(extent.right)),
        None => edge(cx, patch, Extreme::Max, |(_, j)| j.clone()),
    }
}

/// `last - first + 1`
fn span(last: &Value, first: &Value) -> Outcome {
    ops::add(&ops::sub(last, first)?, &ONE)
}

pub fn height(cx: &mut Cx, piece: &Value) -> Outcome {
    let n_elements = ops::len(piece)?;
    if n_elements == 0 || piece.is_tuple() {
        return Ok(count(n_elements));
    }
    span(&lowermost(cx, piece)?, &uppermost(cx, piece)?)
}

pub fn width(cx: &mut Cx, piece: &Value) -> Outcome {
    if ops::len(piece)? == 0 {
        return Ok(count(0));
    }
    if piece.is_tuple() {
        return Ok(count(ops::len(ops::item(piece, 0)?)?));
    }
    span(&rightmost(cx, piece)?, &leftmost(cx, piece)?)
}

pub fn shape(cx: &mut Cx, piece: &Value) -> Outcome {
    Value::pair(height(cx, piece)?, width(cx, piece)?)
}

pub fn portrait(cx: &mut Cx, piece: &Value) -> Outcome {
    let height = height(cx, piece)?;
    Ok(Value::Bool(ops::less(&width(cx, piece)?, &height)?))
}

pub fn square(cx: &mut Cx, piece: &Value) -> Outcome {
    if piece.is_tuple() {
        let width = ops::len(ops::item(piece, 0)?)?;
        return Ok(Value::Bool(ops::len(piece)? == width));
    }
    let (height, width) = (height(cx, piece)?, width(cx, piece)?);
    let is_full = ops::mul(&height, &width)? == count(ops::len(piece)?);
    Ok(Value::Bool(is_full && height == width))
}

pub fn vline(cx: &mut Cx, patch: &Value) -> Outcome {
    let is_full = height(cx, patch)? == count(ops::len(patch)?);
    Ok(Value::Bool(is_full && width(cx, patch)? == ONE))
}

pub fn hline(cx: &mut Cx, patch: &Value) -> Outcome {
    let is_full = width(cx, patch)? == count(ops::len(patch)?);
    Ok(Value::Bool(is_full && height(cx, patch)? == ONE))
}

/// `zip(*toindices(patch))`
fn axes(cx: &mut Cx, patch: &Value) -> Outcome<Vec<Vec<Value>>> {
    let indices = toindices(cx, patch)?;
    ops::transposed(ops::iter(&indices)?)
}

fn extreme_of_axis(axis: &[Value], extreme: Extreme) -> Outcome {
    extreme.of(axis.iter().map(Ok))?.ok_or(Fault::ValueError)
}

/// The corner with the same extreme on every axis.
fn same_corner(cx: &mut Cx, patch: &Value, extreme: Extreme) -> Outcome {
    let axes = axes(cx, patch)?;
    tuple_from(axes.iter().map(|axis| extreme_of_axis(axis, extreme)))
}

/// The corner with its own extreme on each of two axes; a third one has none.
fn mixed_corner(cx: &mut Cx, patch: &Value, extremes: [Extreme; 2]) -> Outcome {
    let axes = axes(cx, patch)?;
    tuple_from(axes.iter().enumerate().map(|(k, axis)| {
        let extreme = extremes.get(k).ok_or(Fault::KeyError)?;
        extreme_of_axis(axis, *extreme)
    }))
}

pub fn ulcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok((extent.top, extent.left).into()),
        None => same_corner(cx, patch, Extreme::Min),
    }
}

pub fn urcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok((extent.top, extent.right).into()),
        None => mixed_corner(cx, patch, [Extreme::Min, Extreme::Max]),
    }
}

pub fn llcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok((extent.bottom, extent.left).into()),
        None => mixed_corner(cx, patch, [Extreme::Max, Extreme::Min]),
    }
}

pub fn lrcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(patch) {
        Some(extent) => Ok((extent.bottom, extent.right).into()),
        None => same_corner(cx, patch, Extreme::Max),
    }
}

pub fn corners(cx: &mut Cx, patch: &Value) -> Outcome {
    let corners = [
        ulcorner(cx, patch)?,
        urcorner(cx, patch)?,
        llcorner(cx, patch)?,
        lrcorner(cx, patch)?,
    ];
    Value::frozen(corners.into_iter().collect())
}

pub fn center(cx: &mut Cx, patch: &Value) -> Outcome {
    let (top, height) = (uppermost(cx, patch)?, height(cx, patch)?);
    let i = ops::add(&top, &ops::floor_div(&height, &TWO)?)?;
    let (left, width) = (leftmost(cx, patch)?, width(cx, patch)?);
    let j = ops::add(&left, &ops::floor_div(&width, &TWO)?)?;
    Value::pair(i, j)
}

/// The centre as numbers: sums with a number, so nothing else is possible.
fn center_of(cx: &mut Cx, patch: &Value) -> Outcome<(i64, i64)> {
    let center = center(cx, patch)?;
    let (i, j) = ops::unpack(&center)?;
    Ok((ops::int(i)?, ops::int(j)?))
}

/// 1 towards a larger coordinate, otherwise -1.
fn towards(from: i64, to: i64) -> i64 {
    if from < to { 1 } else { -1 }
}

pub fn position(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let a = toindices(cx, a)?;
    let (ia, ja) = center_of(cx, &a)?;
    let b = toindices(cx, b)?;
    let (ib, jb) = center_of(cx, &b)?;
    Ok(if ia == ib {
        (0, towards(ja, jb)).into()
    } else if ja == jb {
        (towards(ia, ib), 0).into()
    } else {
        (towards(ia, ib), towards(ja, jb)).into()
    })
}

/// `set(i for i, j in toindices(patch))`, or of `j`.
fn projection(
    cx: &mut Cx,
    patch: &Value,
    axis: fn((&'_ Value, &'_ Value)) -> Value,
) -> Outcome<Table<Value>> {
    let indices = toindices(cx, patch)?;
    let mut result = Table::new();
    for location in ops::iter(&indices)? {
        result.insert(axis(ops::unpack(location)?));
    }
    Ok(result)
}

fn share_a_key(a: &Table<Value>, b: &Table<Value>) -> bool {
    a.hashed().any(|(hash, key)| b.contains(hash, key))
}

pub fn hmatching(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let rows = projection(cx, a, |(i, _)| i.clone())?;
    let other_rows = projection(cx, b, |(i, _)| i.clone())?;
    Ok(Value::Bool(share_a_key(&rows, &other_rows)))
}

pub fn vmatching(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let columns = projection(cx, a, |(_, j)| j.clone())?;
    let other_columns = projection(cx, b, |(_, j)| j.clone())?;
    Ok(Value::Bool(share_a_key(&columns, &other_columns)))
}

/// `abs(a - b)`
fn distance(a: &Value, b: &Value) -> Outcome<i64> {
    let difference = ops::int(&ops::sub(a, b)?)?;
    difference.checked_abs().ok_or(Fault::Overflow)
}

pub fn manhattan(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    if let Some(nearest) = manhattan_of_ints(a, b) {
        return Ok(Value::Int(nearest));
    }
    let indices = toindices(cx, a)?;
    let mut nearest: Option<i64> = None;
    for location in ops::iter(&indices)? {
        let (ai, aj) = ops::unpack(location)?;
        for location in ops::iter(&toindices(cx, b)?)? {
            let (bi, bj) = ops::unpack(location)?;
            let steps = distance(ai, bi)?.checked_add(distance(aj, bj)?);
            let steps = steps.ok_or(Fault::Overflow)?;
            nearest = Some(nearest.map_or(steps, |nearest| nearest.min(steps)));
        }
    }
    nearest.map(Value::Int).ok_or(Fault::ValueError)
}

/// The same for plain locations near the origin, where nothing can go wrong.
fn manhattan_of_ints(a: &Value, b: &Value) -> Option<i64> {
    let near = |pair: Option<(i64, i64)>| {
        pair.filter(|(i, j)| i.unsigned_abs() < 1 << 60 && j.unsigned_abs() < 1 << 60)
    };
    let a: Vec<_> = int_pairs(a)?.map(near).collect::<Option<_>>()?;
    let b: Vec<_> = int_pairs(b)?.map(near).collect::<Option<_>>()?;
    let steps = |(ai, aj): (i64, i64)| {
        b.iter()
            .map(move |(bi, bj)| (ai - bi).abs() + (aj - bj).abs())
            .min()
    };
    a.into_iter().filter_map(steps).min()
}

pub fn adjacent(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(Value::Bool(manhattan(cx, a, b)? == ONE))
}

pub fn bordering(cx: &mut Cx, patch: &Value, grid: &Value) -> Outcome {
    let zero = count(0);
    let borders = uppermost(cx, patch)? == zero
        || leftmost(cx, patch)? == zero
        || lowermost(cx, patch)? == Value::Int(ops::len(grid)? as i64 - 1)
        || rightmost(cx, patch)? == Value::Int(ops::len(ops::item(grid, 0)?)? as i64 - 1);
    Ok(Value::Bool(borders))
}

pub fn centerofmass(cx: &mut Cx, patch: &Value) -> Outcome {
    let n_cells = count(ops::len(patch)?);
    let axes = axes(cx, patch)?;
    let mean = |axis: &Vec<Value>| {
        let sum = axis.iter().try_fold(count(0), |sum, x| ops::add(&sum, x))?;
        ops::floor_div(&sum, &n_cells)
    };
    tuple_from(axes.iter().map(mean))
}

pub fn gravitate(cx: &mut Cx, source: &Value, destination: &Value) -> Outcome {
    const MAX_STEPS: i64 = 42;
    let (si, sj) = center_of(cx, source)?;
    let (di, dj) = center_of(cx, destination)?;
    let (i, j) = if vmatching(cx, source, destination)?.is_truthy() {
        (towards(si, di), 0)
    } else {
        (0, towards(sj, dj))
    };
    let mut source = source.clone();
    let mut n_steps = 0;
    while !adjacent(cx, &source, destination)?.is_truthy() && n_steps < MAX_STEPS {
        n_steps += 1;
        source = shift(cx, &source, &(i, j).into())?;
    }
    Ok((n_steps * i, n_steps * j).into())
}
