//! Tokpidjin's variants of primitives for one type of argument: `_t` for tuples and grids, `_f` for
//! frozensets and patches, `_i` for locations, `_o` for objects.

use super::build::{Builder, set_from, tuple_from, tuple_of_tuples};
use super::each::{chosen, results};
use super::geometry::{Side, edge_of_indices, has_no_elements, mixed_corner, same_corner, span};
use super::grids::upscaled_grid;
use super::patches::{mirror_sum, moved, moved_cells, moved_locations, swapped};
use super::{Outcome, apply, cmirror, difference, named, ofcolor, rapply, remove};
use crate::cx::{Cx, call};
use crate::ops::{self, Extreme, count};
use crate::pyset::Table;
use crate::value::Value;

const ONE: Value = Value::Int(1);

/// The most common colour of a grid.
pub(super) fn background(cx: &mut Cx, grid: &Value) -> Outcome {
    if cx.dialect.is_classic() {
        named::mostcolor(cx, grid)
    } else {
        named::mostcolor_t(cx, grid)
    }
}

pub(super) fn palette_of_grid(cx: &mut Cx, grid: &Value) -> Outcome {
    if cx.dialect.is_classic() {
        named::palette(cx, grid)
    } else {
        named::palette_t(cx, grid)
    }
}

pub(super) fn transposed_grid(cx: &mut Cx, grid: &Value) -> Outcome {
    if cx.dialect.is_classic() {
        named::dmirror(cx, grid)
    } else {
        named::dmirror_t(cx, grid)
    }
}

pub(super) fn patch_height(cx: &mut Cx, patch: &Value) -> Outcome {
    if cx.dialect.is_classic() {
        named::height(cx, patch)
    } else {
        named::height_f(cx, patch)
    }
}

pub(super) fn patch_width(cx: &mut Cx, patch: &Value) -> Outcome {
    if cx.dialect.is_classic() {
        named::width(cx, patch)
    } else {
        named::width_f(cx, patch)
    }
}

pub(super) fn patch_shape(cx: &mut Cx, patch: &Value) -> Outcome {
    if cx.dialect.is_classic() {
        named::shape(cx, patch)
    } else {
        named::shape_f(cx, patch)
    }
}

/// Defines primitives that equal another one, except for the name and the empty result.
macro_rules! as_others {
    ($( $name:ident = $other:ident ( $( $param:ident ),* ); )*) => { $(
        pub fn $name(cx: &mut Cx, $( $param: &Value ),*) -> Outcome {
            $other(cx, $( $param ),*)
        }
    )* };
}

as_others! {
    difference_tuple = difference(a, b);
    remove_f = remove(value, container);
    apply_f = apply(function, container);
    rapply_f = rapply(functions, value);
    f_ofcolor = ofcolor(grid, color);
}

// Containers.

pub fn combine_t(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    ops::add(a, b)
}

pub fn combine_f(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    ops::or(a, b)
}

pub fn remove_t(_cx: &mut Cx, value: &Value, container: &Value) -> Outcome {
    let others = ops::iter(container)?.filter(|element| !ops::equal(element, value));
    Value::tuple(others.cloned().collect())
}

pub fn sfilter_t(cx: &mut Cx, container: &Value, condition: &Value) -> Outcome {
    chosen(cx, container, condition, Builder::tuple())
}

pub fn sfilter_f(cx: &mut Cx, container: &Value, condition: &Value) -> Outcome {
    chosen(cx, container, condition, Builder::set())
}

pub fn mfilter_t(cx: &mut Cx, container: &Value, function: &Value) -> Outcome {
    sfilter_f(cx, container, function)
}

pub fn sizefilter_t(_cx: &mut Cx, container: &Value, n: &Value) -> Outcome {
    let mut result = Vec::new();
    for item in ops::iter(container)? {
        if ops::equal(&count(ops::len(item)?), n) {
            result.push(item.clone());
        }
    }
    Value::tuple(result)
}

pub fn ascell(_cx: &mut Cx, ij: &Value, c: &Value) -> Outcome {
    let (i, j) = (ops::item(ij, 0)?, ops::item(ij, 1)?);
    Value::tuple(vec![i.clone(), j.clone(), c.clone()])
}

pub fn astriple(_cx: &mut Cx, i: &Value, j: &Value, c: &Value) -> Outcome {
    Value::tuple(vec![i.clone(), j.clone(), c.clone()])
}

pub fn toij(_cx: &mut Cx, c: &Value) -> Outcome {
    Value::pair(ops::item(c, 0)?.clone(), ops::item(c, 1)?.clone())
}

pub fn celltuple(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let pairs = ops::iter(a)?.zip(ops::iter(b)?);
    tuple_from(pairs.map(|(location, colour)| {
        let (i, j) = ops::unpack(location)?;
        Value::tuple(vec![i.clone(), j.clone(), colour.clone()])
    }))
}

// Functions.

pub fn apply_t(cx: &mut Cx, function: &Value, container: &Value) -> Outcome {
    let elements = ops::iter(container)?;
    results(cx, elements, Builder::tuple(), |cx, element| {
        call(cx, function, std::slice::from_ref(element))
    })
}

pub fn rapply_t(cx: &mut Cx, functions: &Value, value: &Value) -> Outcome {
    let functions = ops::iter(functions)?;
    results(cx, functions, Builder::tuple(), |cx, function| {
        call(cx, function, std::slice::from_ref(value))
    })
}

pub fn mapply_t(cx: &mut Cx, function: &Value, container: &Value) -> Outcome {
    let applied = cx.nested(1, |cx| named::apply_t(cx, function, container))?;
    named::merge(cx, &applied)
}

pub fn mapply_f(cx: &mut Cx, function: &Value, container: &Value) -> Outcome {
    let applied = cx.nested(1, |cx| named::apply_f(cx, function, container))?;
    named::merge(cx, &applied)
}

// Extents.

pub fn height_t(_cx: &mut Cx, piece: &Value) -> Outcome {
    Ok(count(ops::len(piece)?))
}

pub fn width_t(_cx: &mut Cx, piece: &Value) -> Outcome {
    if piece.is_truthy() {
        Ok(count(ops::len(ops::item(piece, 0)?)?))
    } else {
        Ok(count(0))
    }
}

/// `0 if len(piece) == 0 else last(piece) - first(piece) + 1`
fn extent_by(
    cx: &mut Cx,
    piece: &Value,
    last: fn(&mut Cx, &Value) -> Outcome,
    first: fn(&mut Cx, &Value) -> Outcome,
) -> Outcome {
    if ops::len(piece)? == 0 {
        return Ok(count(0));
    }
    span(&last(cx, piece)?, &first(cx, piece)?)
}

pub fn height_f(cx: &mut Cx, piece: &Value) -> Outcome {
    extent_by(cx, piece, named::lowermost, named::uppermost)
}

pub fn width_f(cx: &mut Cx, piece: &Value) -> Outcome {
    extent_by(cx, piece, named::rightmost, named::leftmost)
}

pub fn height_i(cx: &mut Cx, piece: &Value) -> Outcome {
    extent_by(cx, piece, named::lowermost_i, named::uppermost_i)
}

pub fn width_i(cx: &mut Cx, piece: &Value) -> Outcome {
    extent_by(cx, piece, named::rightmost_i, named::leftmost_i)
}

pub fn height_o(cx: &mut Cx, piece: &Value) -> Outcome {
    extent_by(cx, piece, named::lowermost_o, named::uppermost_o)
}

pub fn width_o(cx: &mut Cx, piece: &Value) -> Outcome {
    extent_by(cx, piece, named::rightmost_o, named::leftmost_o)
}

pub fn shape_t(cx: &mut Cx, grid: &Value) -> Outcome {
    Value::pair(named::height_t(cx, grid)?, named::width_t(cx, grid)?)
}

pub fn shape_f(cx: &mut Cx, patch: &Value) -> Outcome {
    Value::pair(named::height_f(cx, patch)?, named::width_f(cx, patch)?)
}

pub fn portrait_t(cx: &mut Cx, grid: &Value) -> Outcome {
    let (height, width) = (named::height_t(cx, grid)?, named::width_t(cx, grid)?);
    Ok(Value::Bool(ops::less(&width, &height)?))
}

pub fn portrait_f(cx: &mut Cx, patch: &Value) -> Outcome {
    let (height, width) = (named::height_f(cx, patch)?, named::width_f(cx, patch)?);
    Ok(Value::Bool(ops::less(&width, &height)?))
}

pub fn square_t(_cx: &mut Cx, grid: &Value) -> Outcome {
    let width = ops::len(ops::item(grid, 0)?)?;
    Ok(Value::Bool(ops::len(grid)? == width))
}

pub fn square_f(cx: &mut Cx, patch: &Value) -> Outcome {
    let (height, width) = (named::height_f(cx, patch)?, named::width_f(cx, patch)?);
    let is_full = ops::equal(&ops::mul(&height, &width)?, &count(ops::len(patch)?));
    Ok(Value::Bool(is_full && ops::equal(&height, &width)))
}

/// Whether a patch is a line: as long as it has elements, and one cell wide.
fn is_line(patch: &Value, length: &Value, thickness: &Value) -> Outcome {
    let is_full = ops::equal(length, &count(ops::len(patch)?));
    Ok(Value::Bool(is_full && *thickness == ONE))
}

pub fn vline_i(cx: &mut Cx, patch: &Value) -> Outcome {
    let (height, width) = (named::height_i(cx, patch)?, named::width_i(cx, patch)?);
    is_line(patch, &height, &width)
}

pub fn hline_i(cx: &mut Cx, patch: &Value) -> Outcome {
    let (height, width) = (named::height_i(cx, patch)?, named::width_i(cx, patch)?);
    is_line(patch, &width, &height)
}

pub fn vline_o(cx: &mut Cx, patch: &Value) -> Outcome {
    let (height, width) = (named::height_o(cx, patch)?, named::width_o(cx, patch)?);
    is_line(patch, &height, &width)
}

pub fn hline_o(cx: &mut Cx, patch: &Value) -> Outcome {
    let (height, width) = (named::height_o(cx, patch)?, named::width_o(cx, patch)?);
    is_line(patch, &width, &height)
}

// Edges and corners.

fn edge_i(indices: &Value, side: Side) -> Outcome {
    if indices.is_truthy() {
        edge_of_indices(indices, side)
    } else {
        Ok(Value::Float(f64::NAN))
    }
}

fn edge_o(cx: &mut Cx, obj: &Value, side: Side) -> Outcome {
    if obj.is_truthy() {
        edge_of_indices(&named::toindices_o(cx, obj)?, side)
    } else {
        Ok(Value::Float(f64::NAN))
    }
}

pub fn uppermost_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    edge_i(indices, Side::Top)
}

pub fn lowermost_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    edge_i(indices, Side::Bottom)
}

pub fn leftmost_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    edge_i(indices, Side::Left)
}

pub fn rightmost_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    edge_of_indices(indices, Side::Right)
}

pub fn uppermost_o(cx: &mut Cx, obj: &Value) -> Outcome {
    edge_o(cx, obj, Side::Top)
}

pub fn lowermost_o(cx: &mut Cx, obj: &Value) -> Outcome {
    edge_o(cx, obj, Side::Bottom)
}

pub fn leftmost_o(cx: &mut Cx, obj: &Value) -> Outcome {
    edge_o(cx, obj, Side::Left)
}

pub fn rightmost_o(cx: &mut Cx, obj: &Value) -> Outcome {
    edge_of_indices(&named::toindices_o(cx, obj)?, Side::Right)
}

/// The number from 0 to 7 that a value equals.
fn small_number(kind: &Value) -> Option<i64> {
    (0..8).find(|n| Value::Int(*n) == *kind)
}

pub fn col_row(cx: &mut Cx, patch: &Value, kind: &Value) -> Outcome {
    match small_number(kind) {
        Some(0) => named::lowermost(cx, patch),
        Some(1) => named::uppermost(cx, patch),
        Some(2) => named::leftmost(cx, patch),
        Some(3) => named::rightmost(cx, patch),
        _ => Ok(Value::None),
    }
}

pub fn corner(cx: &mut Cx, patch: &Value, kind: &Value) -> Outcome {
    match small_number(kind) {
        Some(1) => named::urcorner(cx, patch),
        Some(2) => named::llcorner(cx, patch),
        Some(3) => named::lrcorner(cx, patch),
        _ => named::ulcorner(cx, patch),
    }
}

/// `zip(*indices)`
fn axes(indices: &Value) -> Outcome<Vec<Vec<Value>>> {
    ops::transposed(ops::iter(indices)?)
}

fn axes_o(cx: &mut Cx, obj: &Value) -> Outcome<Vec<Vec<Value>>> {
    axes(&named::toindices_o(cx, obj)?)
}

pub fn ulcorner_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    same_corner(&axes(indices)?, Extreme::Min)
}

pub fn lrcorner_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    same_corner(&axes(indices)?, Extreme::Max)
}

pub fn urcorner_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    mixed_corner(&axes(indices)?, [Extreme::Min, Extreme::Max])
}

pub fn llcorner_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    mixed_corner(&axes(indices)?, [Extreme::Max, Extreme::Min])
}

pub fn ulcorner_o(cx: &mut Cx, obj: &Value) -> Outcome {
    same_corner(&axes_o(cx, obj)?, Extreme::Min)
}

pub fn lrcorner_o(cx: &mut Cx, obj: &Value) -> Outcome {
    same_corner(&axes_o(cx, obj)?, Extreme::Max)
}

pub fn urcorner_o(cx: &mut Cx, obj: &Value) -> Outcome {
    mixed_corner(&axes_o(cx, obj)?, [Extreme::Min, Extreme::Max])
}

pub fn llcorner_o(cx: &mut Cx, obj: &Value) -> Outcome {
    mixed_corner(&axes_o(cx, obj)?, [Extreme::Max, Extreme::Min])
}

// Patches and grids.

pub fn toindices_i(_cx: &mut Cx, indices: &Value) -> Outcome {
    Ok(indices.clone())
}

pub fn toindices_o(_cx: &mut Cx, obj: &Value) -> Outcome {
    if has_no_elements(obj) {
        return Value::set(Table::new());
    }
    set_from(ops::iter(obj)?.map(|cell| {
        let (i, j, _) = ops::unpack_three(cell)?;
        Value::pair(i.clone(), j.clone())
    }))
}

fn recoloured(color: &Value, indices: &Value) -> Outcome {
    set_from(ops::iter(indices)?.map(|location| {
        let (i, j) = ops::unpack(location)?;
        Value::tuple(vec![i.clone(), j.clone(), color.clone()])
    }))
}

pub fn recolor_i(_cx: &mut Cx, color: &Value, indices: &Value) -> Outcome {
    recoloured(color, indices)
}

pub fn recolor_o(cx: &mut Cx, color: &Value, obj: &Value) -> Outcome {
    recoloured(color, &named::toindices_o(cx, obj)?)
}

/// The patch, moved up and left.
fn moved_back(cx: &mut Cx, patch: &Value, up: &Value, left: &Value) -> Outcome {
    let directions = Value::pair(ops::neg(up)?, ops::neg(left)?)?;
    named::shift(cx, patch, &directions)
}

pub fn normalize_i(cx: &mut Cx, indices: &Value) -> Outcome {
    if ops::len(indices)? == 0 {
        return Ok(indices.clone());
    }
    let (up, left) = (
        named::uppermost_i(cx, indices)?,
        named::leftmost_i(cx, indices)?,
    );
    moved_back(cx, indices, &up, &left)
}

pub fn normalize_o(cx: &mut Cx, obj: &Value) -> Outcome {
    if ops::len(obj)? == 0 {
        return Ok(obj.clone());
    }
    let (up, left) = (named::uppermost_o(cx, obj)?, named::leftmost_o(cx, obj)?);
    moved_back(cx, obj, &up, &left)
}

pub fn upscale_t(cx: &mut Cx, grid: &Value, factor: &Value) -> Outcome {
    upscaled_grid(cx, grid, factor)
}

pub fn hmirror_t(_cx: &mut Cx, grid: &Value) -> Outcome {
    ops::reversed(grid)
}

pub fn cmirror_t(cx: &mut Cx, grid: &Value) -> Outcome {
    ops::items(grid)?;
    cmirror(cx, grid)
}

pub fn vmirror_t(_cx: &mut Cx, grid: &Value) -> Outcome {
    tuple_from(ops::iter(grid)?.map(ops::reversed))
}

pub fn dmirror_t(_cx: &mut Cx, grid: &Value) -> Outcome {
    tuple_of_tuples(ops::transposed(ops::iter(grid)?)?)
}

pub fn hmirror_f(cx: &mut Cx, patch: &Value) -> Outcome {
    let d = mirror_sum(cx, patch, 0)?;
    moved(cx, patch, |i, j| Ok((ops::sub(&d, i)?, j.clone())))
}

pub fn hmirror_i(cx: &mut Cx, indices: &Value) -> Outcome {
    let d = mirror_sum(cx, indices, 0)?;
    moved_locations(indices, |i, j| Ok((ops::sub(&d, i)?, j.clone())))
}

pub fn hmirror_o(cx: &mut Cx, obj: &Value) -> Outcome {
    let d = mirror_sum(cx, obj, 0)?;
    moved_cells(cx, obj, |i, j| Ok((ops::sub(&d, i)?, j.clone())))
}

pub fn vmirror_f(cx: &mut Cx, patch: &Value) -> Outcome {
    let d = mirror_sum(cx, patch, 1)?;
    moved(cx, patch, |i, j| Ok((i.clone(), ops::sub(&d, j)?)))
}

pub fn vmirror_i(cx: &mut Cx, indices: &Value) -> Outcome {
    let d = mirror_sum(cx, indices, 1)?;
    moved_locations(indices, |i, j| Ok((i.clone(), ops::sub(&d, j)?)))
}

pub fn vmirror_o(cx: &mut Cx, obj: &Value) -> Outcome {
    let d = mirror_sum(cx, obj, 1)?;
    moved_cells(cx, obj, |i, j| Ok((i.clone(), ops::sub(&d, j)?)))
}

pub fn dmirror_f(cx: &mut Cx, patch: &Value) -> Outcome {
    let corner = named::ulcorner(cx, patch)?;
    let (a, b) = ops::unpack(&corner)?;
    moved(cx, patch, |i, j| swapped(a, b, i, j))
}

pub fn dmirror_i(cx: &mut Cx, indices: &Value) -> Outcome {
    let corner = named::ulcorner(cx, indices)?;
    let (a, b) = ops::unpack(&corner)?;
    moved_locations(indices, |i, j| swapped(a, b, i, j))
}

pub fn dmirror_o(cx: &mut Cx, obj: &Value) -> Outcome {
    let corner = named::ulcorner(cx, obj)?;
    let (a, b) = ops::unpack(&corner)?;
    moved_cells(cx, obj, |i, j| swapped(a, b, i, j))
}

pub fn cmirror_f(cx: &mut Cx, patch: &Value) -> Outcome {
    let mirrored = named::vmirror_f(cx, patch)?;
    let mirrored = named::dmirror_f(cx, &mirrored)?;
    named::vmirror_f(cx, &mirrored)
}

pub fn mir_rot_t(cx: &mut Cx, grid: &Value, kind: &Value) -> Outcome {
    match small_number(kind) {
        Some(0) => named::hmirror_t(cx, grid),
        Some(1) => named::dmirror_t(cx, grid),
        Some(2) => named::vmirror_t(cx, grid),
        Some(3) => named::cmirror_t(cx, grid),
        Some(4) => named::rot90(cx, grid),
        Some(5) => named::rot180(cx, grid),
        Some(6) => named::rot270(cx, grid),
        _ => Ok(grid.clone()),
    }
}

pub fn mir_rot_f(cx: &mut Cx, patch: &Value, kind: &Value) -> Outcome {
    match small_number(kind) {
        Some(0) => named::hmirror_f(cx, patch),
        Some(1) => named::dmirror_f(cx, patch),
        Some(2) => named::vmirror_f(cx, patch),
        Some(3) => named::cmirror_f(cx, patch),
        _ => Ok(patch.clone()),
    }
}
