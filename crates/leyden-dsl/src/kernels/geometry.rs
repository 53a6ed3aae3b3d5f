//! Kernels for extents, positions and distances.

use super::build::tuple_from;
use super::typed::{height_f, patch_height, patch_width, width_f};
use super::{Outcome, named};
use crate::cx::Cx;
use crate::fault::Fault;
use crate::ops::{self, Extreme, count};
use crate::pyset::Table;
use crate::table::Dialect;
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

/// The location, if it has two plain integers.
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

fn int_pair_of_triple(cell: &Value) -> Option<(i64, i64)> {
    match cell.as_items()? {
        [Value::Int(i), Value::Int(j), _] => Some((*i, *j)),
        _ => None,
    }
}

/// The locations of a patch that is not empty and has only plain ones. This is a short cut for
/// `toindices` and comparisons of values.
fn int_pairs(dialect: Dialect, patch: &Value) -> Option<impl Iterator<Item = Option<(i64, i64)>>> {
    let elements = ops::iter(patch).ok()?;
    let first = elements.clone().next()?;
    let location = if !dialect.is_cell(first).ok()? {
        int_pair
    } else if dialect.is_classic() {
        int_pair_of_cell
    } else {
        int_pair_of_triple
    };
    Some(elements.map(location))
}

fn extent(cx: &Cx, patch: &Value) -> Option<Extent> {
    let mut extent = Extent {
        top: i64::MAX,
        left: i64::MAX,
        bottom: i64::MIN,
        right: i64::MIN,
    };
    for pair in int_pairs(cx.dialect, patch)? {
        let (i, j) = pair?;
        extent.top = extent.top.min(i);
        extent.left = extent.left.min(j);
        extent.bottom = extent.bottom.max(i);
        extent.right = extent.right.max(j);
    }
    Some(extent)
}

/// A side of the bounding box.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

impl Side {
    fn extreme(self) -> Extreme {
        match self {
            Side::Top | Side::Left => Extreme::Min,
            Side::Bottom | Side::Right => Extreme::Max,
        }
    }

    fn coordinate<'a>(self, (i, j): (&'a Value, &'a Value)) -> &'a Value {
        match self {
            Side::Top | Side::Bottom => i,
            Side::Left | Side::Right => j,
        }
    }

    fn of(self, extent: &Extent) -> i64 {
        match self {
            Side::Top => extent.top,
            Side::Bottom => extent.bottom,
            Side::Left => extent.left,
            Side::Right => extent.right,
        }
    }
}

/// `min(i for i, j in indices)` and similar.
pub(super) fn edge_of_indices(indices: &Value, side: Side) -> Outcome {
    let mut best: Option<&Value> = None;
    for location in ops::iter(indices)? {
        let new = side.coordinate(ops::unpack(location)?);
        if best.map_or(Ok(true), |best| side.extreme().is_beaten(best, new))? {
            best = Some(new);
        }
    }
    best.cloned().ok_or(Fault::ValueError)
}

/// The edge of a patch. Tokpidjin has nan for an empty one.
fn edge(cx: &mut Cx, patch: &Value, side: Side) -> Outcome {
    if let Some(extent) = extent(cx, patch) {
        return Ok(Value::Int(side.of(&extent)));
    }
    if !cx.dialect.is_classic() && !patch.is_truthy() {
        return Ok(Value::Float(f64::NAN));
    }
    edge_of_indices(&named::toindices(cx, patch)?, side)
}

pub fn uppermost(cx: &mut Cx, patch: &Value) -> Outcome {
    edge(cx, patch, Side::Top)
}

pub fn lowermost(cx: &mut Cx, patch: &Value) -> Outcome {
    edge(cx, patch, Side::Bottom)
}

pub fn leftmost(cx: &mut Cx, patch: &Value) -> Outcome {
    edge(cx, patch, Side::Left)
}

pub fn rightmost(cx: &mut Cx, patch: &Value) -> Outcome {
    edge(cx, patch, Side::Right)
}

/// `last - first + 1`
pub(super) fn span(last: &Value, first: &Value) -> Outcome {
    ops::add(&ops::sub(last, first)?, &ONE)
}

pub fn height(cx: &mut Cx, piece: &Value) -> Outcome {
    let n_elements = ops::len(piece)?;
    if n_elements == 0 || piece.is_tuple() {
        return Ok(count(n_elements));
    }
    height_f(cx, piece)
}

pub fn width(cx: &mut Cx, piece: &Value) -> Outcome {
    if piece.is_tuple() && ops::len(piece)? > 0 {
        return Ok(count(ops::len(ops::item(piece, 0)?)?));
    }
    width_f(cx, piece)
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
    let indices = named::toindices(cx, patch)?;
    ops::transposed(ops::iter(&indices)?)
}

fn extreme_of_axis(axis: &[Value], extreme: Extreme) -> Outcome {
    extreme.of(axis.iter().map(Ok))?.ok_or(Fault::ValueError)
}

/// The corner with one extreme on every axis.
pub(super) fn same_corner(axes: &[Vec<Value>], extreme: Extreme) -> Outcome {
    tuple_from(axes.iter().map(|axis| extreme_of_axis(axis, extreme)))
}

/// The corner with a different extreme on each of two axes; a third axis has none.
pub(super) fn mixed_corner(axes: &[Vec<Value>], extremes: [Extreme; 2]) -> Outcome {
    tuple_from(axes.iter().enumerate().map(|(k, axis)| {
        let extreme = extremes.get(k).ok_or(Fault::KeyError)?;
        extreme_of_axis(axis, *extreme)
    }))
}

pub fn ulcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(cx, patch) {
        Some(extent) => Ok((extent.top, extent.left).into()),
        None => same_corner(&axes(cx, patch)?, Extreme::Min),
    }
}

pub fn urcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(cx, patch) {
        Some(extent) => Ok((extent.top, extent.right).into()),
        None => mixed_corner(&axes(cx, patch)?, [Extreme::Min, Extreme::Max]),
    }
}

pub fn llcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(cx, patch) {
        Some(extent) => Ok((extent.bottom, extent.left).into()),
        None => mixed_corner(&axes(cx, patch)?, [Extreme::Max, Extreme::Min]),
    }
}

pub fn lrcorner(cx: &mut Cx, patch: &Value) -> Outcome {
    match extent(cx, patch) {
        Some(extent) => Ok((extent.bottom, extent.right).into()),
        None => same_corner(&axes(cx, patch)?, Extreme::Max),
    }
}

pub fn corners(cx: &mut Cx, patch: &Value) -> Outcome {
    let corners = [
        named::ulcorner(cx, patch)?,
        named::urcorner(cx, patch)?,
        named::llcorner(cx, patch)?,
        named::lrcorner(cx, patch)?,
    ];
    Value::frozen(corners.into_iter().collect())
}

pub fn center(cx: &mut Cx, patch: &Value) -> Outcome {
    let (top, height) = (named::uppermost(cx, patch)?, patch_height(cx, patch)?);
    let i = ops::add(&top, &ops::floor_div(&height, &TWO)?)?;
    let (left, width) = (named::leftmost(cx, patch)?, patch_width(cx, patch)?);
    if top.is_nan() || left.is_nan() {
        return Value::tuple(Vec::new());
    }
    let j = ops::add(&left, &ops::floor_div(&width, &TWO)?)?;
    Value::pair(i, j)
}

/// `i, j = center(patch)`
fn center_of(cx: &mut Cx, patch: &Value) -> Outcome<(Value, Value)> {
    let center = named::center(cx, patch)?;
    let (i, j) = ops::unpack(&center)?;
    Ok((i.clone(), j.clone()))
}

/// 1 towards a larger coordinate, otherwise -1.
fn towards(from: &Value, to: &Value) -> Outcome<i64> {
    Ok(if ops::less(from, to)? { 1 } else { -1 })
}

pub fn position(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let a = named::toindices(cx, a)?;
    let (ia, ja) = center_of(cx, &a)?;
    let b = named::toindices(cx, b)?;
    let (ib, jb) = center_of(cx, &b)?;
    Ok(if ops::equal(&ia, &ib) {
        (0, towards(&ja, &jb)?).into()
    } else if ops::equal(&ja, &jb) {
        (towards(&ia, &ib)?, 0).into()
    } else if ops::less(&ia, &ib)? || ops::less(&ib, &ia)? {
        (towards(&ia, &ib)?, towards(&ja, &jb)?).into()
    } else {
        Value::None
    })
}

/// `set(i for i, j in toindices(patch))`, or of `j`.
fn projection(
    cx: &mut Cx,
    patch: &Value,
    axis: fn((&'_ Value, &'_ Value)) -> Value,
) -> Outcome<Table<Value>> {
    let indices = named::toindices(cx, patch)?;
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
fn distance(a: &Value, b: &Value) -> Outcome {
    match ops::sub(a, b)? {
        Value::Float(difference) => Ok(Value::Float(difference.abs())),
        difference => {
            let distance = ops::int(&difference)?.checked_abs();
            distance.map(Value::Int).ok_or(Fault::Overflow)
        }
    }
}

/// `not hasattr(x, '__len__') or len(x) == 0`
pub(super) fn has_no_elements(x: &Value) -> bool {
    !matches!(ops::len(x), Ok(1..))
}

pub fn manhattan(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    if let Some(nearest) = manhattan_of_ints(cx.dialect, a, b) {
        return Ok(Value::Int(nearest));
    }
    if !cx.dialect.is_classic() && (has_no_elements(a) || has_no_elements(b)) {
        return Ok(Value::Float(f64::INFINITY));
    }
    let indices = named::toindices(cx, a)?;
    let mut nearest: Option<Value> = None;
    for location in ops::iter(&indices)? {
        let (ai, aj) = ops::unpack(location)?;
        for location in ops::iter(&named::toindices(cx, b)?)? {
            let (bi, bj) = ops::unpack(location)?;
            let steps = ops::add(&distance(ai, bi)?, &distance(aj, bj)?)?;
            nearest = Some(match nearest {
                Some(nearest) => Extreme::Min.of_two(&nearest, &steps)?,
                None => steps,
            });
        }
    }
    nearest.ok_or(Fault::ValueError)
}

/// The distance of plain locations near the origin, for which no step can fail.
fn manhattan_of_ints(dialect: Dialect, a: &Value, b: &Value) -> Option<i64> {
    let near = |pair: Option<(i64, i64)>| {
        pair.filter(|(i, j)| i.unsigned_abs() < 1 << 60 && j.unsigned_abs() < 1 << 60)
    };
    let a: Vec<_> = int_pairs(dialect, a)?.map(near).collect::<Option<_>>()?;
    let b: Vec<_> = int_pairs(dialect, b)?.map(near).collect::<Option<_>>()?;
    let steps = |(ai, aj): (i64, i64)| {
        b.iter()
            .map(move |(bi, bj)| (ai - bi).abs() + (aj - bj).abs())
            .min()
    };
    a.into_iter().filter_map(steps).min()
}

pub fn adjacent(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(Value::Bool(named::manhattan(cx, a, b)? == ONE))
}

pub fn bordering(cx: &mut Cx, patch: &Value, grid: &Value) -> Outcome {
    let zero = count(0);
    let borders = named::uppermost(cx, patch)? == zero
        || named::leftmost(cx, patch)? == zero
        || named::lowermost(cx, patch)? == Value::Int(ops::len(grid)? as i64 - 1)
        || named::rightmost(cx, patch)? == Value::Int(ops::len(ops::item(grid, 0)?)? as i64 - 1);
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
    if !cx.dialect.is_classic() && !destination.is_truthy() {
        return Ok(source.clone());
    }
    let (si, sj) = center_of(cx, source)?;
    let (di, dj) = center_of(cx, destination)?;
    let (i, j) = if named::vmatching(cx, source, destination)?.is_truthy() {
        (towards(&si, &di)?, 0)
    } else {
        (0, towards(&sj, &dj)?)
    };
    let mut source = source.clone();
    let mut n_steps = 0;
    while !named::adjacent(cx, &source, destination)?.is_truthy() && n_steps < MAX_STEPS {
        n_steps += 1;
        source = named::shift(cx, &source, &(i, j).into())?;
    }
    Ok((n_steps * i, n_steps * j).into())
}
