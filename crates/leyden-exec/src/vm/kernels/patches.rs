//! Sets of cells.

use std::borrow::Cow;
use std::rc::Rc;

use leyden_dsl::fault::Fault;

use super::super::Vm;
use super::super::patch::{Canvas, Filled, Patch};
use super::super::value::{Colours, Object, object_from};
use super::{
    EXACT, R, Val, colour_of, fault, filled_by_rows, grid_of, indices, int_of, pair_of, patch_of,
    window,
};

/// The indices of a patch that may be a tuple of locations or cells; `None` for nothing.
/// Only for primitives that ask nothing else of the patch than `toindices`.
pub(super) fn locations(patch: &Val) -> R<Option<Cow<'_, Patch>>> {
    match patch {
        Val::Indices(patch) => Ok(Some(Cow::Borrowed(patch))),
        Val::Object(object) => Ok(Some(Cow::Borrowed(&object.patch))),
        Val::Two(_) => Patch::from_cells(&places(&patch.elements().unwrap_or_default())?)
            .map(|patch| Some(Cow::Owned(patch)))
            .ok_or(EXACT),
        Val::Set(items) | Val::Tuple(items) | Val::Bag(items) => match items.first() {
            None => Ok(None),
            Some(_) => Patch::from_cells(&places(items)?)
                .map(|patch| Some(Cow::Owned(patch)))
                .ok_or(EXACT),
        },
        _ => Err(EXACT),
    }
}

/// The places of pairs only, or of cells only.
fn places(items: &[Val]) -> R<Vec<(i64, i64)>> {
    let are_pairs = matches!(items.first(), Some(Val::Pair(..)));
    let place = |item: &Val| match item {
        Val::Pair(pair) if are_pairs => Ok(pair.get()),
        Val::Cell(cell) if !are_pairs => Ok((cell.get().1, cell.get().2)),
        _ => Err(EXACT),
    };
    items.iter().map(place).collect()
}

/// The cells of an object in the order in which they are painted. Where that order is unknown,
/// no two cells share a place.
pub(super) fn cells_to_paint(obj: &Val) -> R<Vec<(i8, i64, i64)>> {
    if let Val::Object(object) = obj {
        return Ok(object.cells().collect());
    }
    let (Val::Tuple(items) | Val::Bag(items) | Val::Set(items)) = obj else {
        return Err(EXACT);
    };
    let cell = |item: &Val| match item {
        Val::Cell(cell) => Ok(cell.get()),
        _ => Err(EXACT),
    };
    let cells = items.iter().map(cell).collect::<R<Vec<_>>>()?;
    let is_ordered = cells.is_empty() || matches!(obj, Val::Tuple(_));
    if is_ordered || object_from(&cells).is_some() {
        Ok(cells)
    } else {
        Err(EXACT)
    }
}

pub(crate) fn toindices(_: &mut Vm, patch: &Val) -> R {
    match patch {
        Val::Object(object) => Ok(Val::Indices(Rc::new(
            object.patch.clone().filled(Filled::Somehow),
        ))),
        Val::Indices(_) => Ok(patch.clone()),
        Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => match items.first() {
            None => Ok(Val::empty_set()),
            Some(Val::Cell(..)) => Ok(indices(Patch::from_cells(&places(items)?))),
            Some(Val::Pair(..)) if places(items).is_ok() => Ok(patch.clone()),
            _ => Err(EXACT),
        },
        _ => Err(EXACT),
    }
}

pub(crate) fn recolor(_: &mut Vm, value: &Val, patch: &Val) -> R {
    match locations(patch)? {
        None => Ok(Val::empty_set()),
        Some(patch) => Ok(Object::uniform(patch.into_owned(), colour_of(value)?)),
    }
}

/// A patch moved by a vector.
fn shifted(patch: &Val, di: i64, dj: i64) -> R {
    match patch {
        Val::Indices(patch) => window(patch.moved(di, dj)),
        Val::Object(object) => object
            .moved(di, dj)
            .map(|o| Val::Object(Rc::new(o)))
            .ok_or(EXACT),
        _ if patch.len() == Some(0) => Ok(patch.clone()),
        Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => shifted_by_element(items, di, dj),
        _ => Err(EXACT),
    }
}

fn shifted_by_element(items: &[Val], di: i64, dj: i64) -> R {
    places(items)?;
    let moved = |item: &Val| match item {
        Val::Pair(pair) => {
            let (i, j) = pair.get();
            Ok(Val::pair(i + di, j + dj))
        }
        Val::Cell(cell) => {
            let (v, i, j) = cell.get();
            Ok(Val::two(Val::Int(i64::from(v)), Val::pair(i + di, j + dj)))
        }
        _ => Err(EXACT),
    };
    Val::set(items.iter().map(moved).collect::<R<Vec<_>>>()?)
}

pub(crate) fn shift(_: &mut Vm, patch: &Val, directions: &Val) -> R {
    if patch.len() == Some(0) {
        return Ok(patch.clone());
    }
    let (di, dj) = pair_of(directions)?;
    if di.abs().max(dj.abs()) > i64::from(i32::MAX) {
        return Err(EXACT);
    }
    shifted(patch, di, dj)
}

pub(crate) fn normalize(_: &mut Vm, patch: &Val) -> R {
    match locations(patch)? {
        None => Ok(patch.clone()),
        Some(at) => shifted(patch, -at.top(), -at.left()),
    }
}

pub(crate) fn toobject(_: &mut Vm, patch: &Val, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    let Some(patch) = locations(patch)? else {
        return Ok(Val::empty_set());
    };
    let inside = Patch::rectangle(0, 0, grid.height() as i64, grid.width() as i64).ok_or(EXACT)?;
    match patch.masked(&inside, true) {
        None => Ok(Val::empty_set()),
        Some(patch) => Ok(Object::coloured(patch, |i, j| {
            grid.at(i as usize, j as usize)
        })),
    }
}

/// A patch mirrored in its bounding box: the new shape, and where each place came from.
fn mirrored(
    piece: &Val,
    mirror: impl Fn(&Patch) -> Option<Patch>,
    from: impl Fn(&Patch, i64, i64) -> (i64, i64),
) -> R {
    let patch = patch_of(piece)?;
    let turned = mirror(patch).ok_or(EXACT)?;
    let Val::Object(object) = piece else {
        return Ok(Val::Indices(Rc::new(turned)));
    };
    match object.colours {
        Colours::One(colour) => Ok(Object::uniform(turned, colour)),
        Colours::Each(_) => Ok(Object::coloured(turned, |i, j| {
            let (i, j) = from(patch, i, j);
            object.colour_at(i, j)
        })),
    }
}

pub(crate) fn hmirror(_: &mut Vm, piece: &Val) -> R {
    match piece {
        Val::Grid(grid) => {
            let mut cells = Vec::with_capacity(grid.cells().len());
            grid.rows()
                .rev()
                .for_each(|row| cells.extend_from_slice(row));
            Ok(grid.with_cells(cells))
        }
        Val::Tuple(rows) => Ok(Val::tuple(rows.iter().rev().cloned().collect())),
        _ if piece.is_empty_set() => fault(Fault::IndexError),
        _ => mirrored(
            piece,
            |p| Some(p.upside_down()),
            |p, i, j| (p.top() + p.bottom() - i, j),
        ),
    }
}

pub(crate) fn vmirror(_: &mut Vm, piece: &Val) -> R {
    match piece {
        Val::Grid(grid) => {
            let mut cells = grid.to_cells();
            cells
                .chunks_exact_mut(grid.width())
                .for_each(|row| row.reverse());
            Ok(grid.with_cells(cells))
        }
        _ if piece.is_empty_set() => fault(Fault::IndexError),
        _ => mirrored(
            piece,
            |p| Some(p.left_right()),
            |p, i, j| (i, p.left() + p.right() - j),
        ),
    }
}

pub(crate) fn dmirror(_: &mut Vm, piece: &Val) -> R {
    if let Some(grid) = piece.as_grid() {
        return super::grids::rearranged(&grid, |i, j| (j, i));
    }
    if piece.is_empty_set() {
        return fault(Fault::ValueError);
    }
    mirrored(piece, Patch::transposed, |p, i, j| {
        (j - p.left() + p.top(), i - p.top() + p.left())
    })
}

pub(crate) fn cmirror(vm: &mut Vm, piece: &Val) -> R {
    if let Some(grid) = piece.as_grid() {
        let (bottom, right) = (grid.height() - 1, grid.width() - 1);
        return super::grids::rearranged(&grid, |i, j| (bottom - j, right - i));
    }
    let once = vmirror(vm, piece)?;
    let twice = dmirror(vm, &once)?;
    vmirror(vm, &twice)
}

pub(crate) fn upscale(_: &mut Vm, element: &Val, factor: &Val) -> R {
    let factor = int_of(factor)?;
    if let Some(grid) = element.as_grid() {
        return super::grids::blown_up(&grid, factor, factor);
    }
    if element.len() == Some(0) {
        return Ok(element.clone());
    }
    let Val::Object(object) = element else {
        return Err(EXACT);
    };
    if factor <= 0 {
        return Ok(Val::empty_set());
    }
    upscaled_object(object, factor)
}

fn upscaled_object(object: &Object, factor: i64) -> R {
    let (top, left) = (object.patch.top(), object.patch.left());
    let size = |n: i64| n.checked_mul(factor).ok_or(EXACT);
    let mut canvas = Canvas::new(
        top,
        left,
        size(object.patch.height())?,
        size(object.patch.width())?,
    )
    .ok_or(EXACT)?;
    for (i, j) in object.patch.cells() {
        for di in 0..factor {
            for dj in 0..factor {
                canvas.set(
                    top + (i - top) * factor + di,
                    left + (j - left) * factor + dj,
                );
            }
        }
    }
    let patch = canvas.finish().ok_or(EXACT)?;
    let source =
        |i: i64, j: i64| object.colour_at(top + (i - top) / factor, left + (j - left) / factor);
    Ok(Object::coloured(patch, source))
}

/// The bounding box of a patch as top, left, bottom, right.
fn bounds(patch: &Val) -> R<Option<(i64, i64, i64, i64)>> {
    Ok(locations(patch)?.map(|p| (p.top(), p.left(), p.bottom(), p.right())))
}

pub(crate) fn backdrop(_: &mut Vm, patch: &Val) -> R {
    match bounds(patch)? {
        None => Ok(Val::empty_set()),
        Some((top, left, bottom, right)) => filled_by_rows(Patch::rectangle(
            top,
            left,
            bottom - top + 1,
            right - left + 1,
        )),
    }
}

pub(crate) fn delta(_: &mut Vm, patch: &Val) -> R {
    if matches!(patch, Val::Two(two) if !matches!(two.0, Val::Cell(_)))
        || matches!(patch, Val::Tuple(items) | Val::Bag(items) if !matches!(items.first(), Some(Val::Cell(_))))
    {
        return Err(EXACT);
    }
    let Some(patch) = locations(patch)? else {
        return Ok(Val::empty_set());
    };
    let all =
        Patch::rectangle(patch.top(), patch.left(), patch.height(), patch.width()).ok_or(EXACT)?;
    Ok(indices(all.masked(&patch, false)))
}

/// The outline of a rectangle given by two opposite corners.
fn outline(ai: i64, aj: i64, bi: i64, bj: i64) -> R {
    let (top, left) = (ai.min(bi), aj.min(bj));
    let (height, width) = ((ai - bi).abs() + 1, (aj - bj).abs() + 1);
    if height > 256 || width > 128 {
        return Err(EXACT);
    }
    let full = u128::MAX >> (128 - width);
    let ends = 1 | 1 << (width - 1);
    let mut rows = vec![ends; height as usize];
    rows[0] = full;
    rows[height as usize - 1] = full;
    window(Patch::from_rows(top, left, &rows))
}

fn grown_outline(patch: &Val, by: i64) -> R {
    match bounds(patch)? {
        None => fault(Fault::ValueError),
        Some((top, left, bottom, right)) => outline(top - by, left - by, bottom + by, right + by),
    }
}

pub(crate) fn inbox(_: &mut Vm, patch: &Val) -> R {
    grown_outline(patch, -1)
}
pub(crate) fn outbox(_: &mut Vm, patch: &Val) -> R {
    grown_outline(patch, 1)
}
pub(crate) fn r#box(_: &mut Vm, patch: &Val) -> R {
    if patch.len() == Some(0) {
        return Ok(patch.clone());
    }
    grown_outline(patch, 0)
}
