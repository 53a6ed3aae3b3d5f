//! Sets of cells.

use leyden_dsl::fault::Fault;

use super::{
    EXACT, Grid, Maybe, R, Val, colour_of, fault, indices, int_of, pair_of, patch_of, window,
};
use crate::vm::Vm;
use crate::vm::order::provenance::{Change, Made, Recipe};
use crate::vm::values::arena::CellForm;
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{
    Canvas, MAX_COORDINATE, MAX_HEIGHT, MAX_WIDTH, Patch, extent, for_each_bit,
};
use crate::vm::values::value::{Arena, List, Two};

/// The largest height and width of an outline; larger ones are left to the reference engine. It bounds
/// the memory of one call.
const LONGEST_OUTLINE: i64 = 4_096;

/// The indices of a patch that may be a tuple of locations or cells; `None` for an empty one. Only
/// for primitives that use only `toindices` of the patch.
#[inline]
pub(super) fn locations<'a>(vm: &Vm<'a>, patch: &Val<'a>) -> Maybe<Option<Patch<'a>>> {
    match patch {
        Val::Indices(patch) => Ok(Some(**patch)),
        Val::Object(object) => Ok(Some(object.patch)),
        _ => locations_by_element(vm, patch),
    }
}

#[inline(never)]
fn locations_by_element<'a>(vm: &Vm<'a>, patch: &Val<'a>) -> Maybe<Option<Patch<'a>>> {
    match patch {
        Val::Two(_) | Val::Set(_) | Val::Tuple(_) | Val::Bag(_) | Val::Grid(_) => {
            let items = patch.elements(vm.arena).ok_or(EXACT)?;
            if items.is_empty() {
                return Ok(None);
            }
            let places = places(vm.arena, items)?;
            let patch = Patch::from_cells(vm.arena, places.iter().copied());
            patch.map(Some).ok_or(EXACT)
        }
        _ => Err(EXACT),
    }
}

/// The places of a patch of any size or form, if all its elements are of one kind: places, or
/// tuples of two with a place as the second item. Only for primitives that use only `toindices` of
/// the patch.
pub(super) fn places_of_any<'a>(arena: Arena<'a>, patch: &Val<'a>) -> Maybe<List<'a, (i64, i64)>> {
    if let Val::Set(items) = patch
        && let Made::By(Recipe::Product(_, Val::Indices(second))) = items.made
    {
        return Ok(List::from_iter_in(second.cells(), arena));
    }
    let items = patch.elements(arena).ok_or(EXACT)?;
    if !matches!(items.first(), Some(Val::Two(_))) {
        return places(arena, items);
    }
    let mut places = List::with_capacity_in(items.len(), arena);
    for item in items {
        let second = item.end_of_two(false);
        places.push(second.and_then(|second| second.as_pair()).ok_or(EXACT)?);
    }
    Ok(places)
}

/// Whether `patch` has a place inside the width of a ragged grid's first row where a shorter row
/// ends before it.
pub(super) fn is_beyond_a_row<'a>(arena: Arena<'a>, grid: &Val<'a>, patch: &Val<'a>) -> bool {
    let Val::Tuple(rows) = grid else { return false };
    let widths = rows.iter().map(|row| row.len().filter(|_| row.is_tuple()));
    let Some(widths) = widths.collect::<Option<Vec<usize>>>() else {
        return false;
    };
    if patch.len() == Some(0) || widths.iter().all(|width| *width >= widths[0]) {
        return false;
    }
    let is_beyond = |(i, j): &(i64, i64)| match usize::try_from(*i).map(|i| widths.get(i)) {
        Ok(Some(width)) => *width as i64 <= *j && *j < widths[0] as i64,
        _ => false,
    };
    places_of_any(arena, patch).is_ok_and(|places| places.iter().any(is_beyond))
}

/// The places of pairs, or of cells; not of both.
fn places<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Maybe<List<'a, (i64, i64)>> {
    let are_pairs = matches!(items.first(), Some(Val::Pair(..)));
    let mut places = List::with_capacity_in(items.len(), arena);
    for item in items {
        places.push(match item {
            Val::Pair(pair) if are_pairs => pair.get(),
            Val::Cell(cell) | Val::Triple(cell) if !are_pairs => (cell.get().1, cell.get().2),
            _ => return Err(EXACT),
        });
    }
    Ok(places)
}

/// The cells of a container in the order in which CPython paints them on a grid, or in any order if
/// no two of them share a place. `only_over` is the colour to paint over, if there is one.
pub(super) fn cells_to_paint<'a>(
    vm: &mut Vm<'a>,
    obj: &Val<'a>,
    grid: &Grid<'a>,
    only_over: Option<i8>,
) -> Maybe<&'a [Val<'a>]> {
    let elements = match obj {
        Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => items.all(),
        _ => return Err(EXACT),
    };
    if !elements
        .iter()
        .all(|element| matches!(element, Val::Cell(_) | Val::Triple(_)))
    {
        return Err(EXACT);
    }
    if matches!(obj, Val::Tuple(_)) || !has_conflicts(vm.arena, elements, grid) {
        return Ok(elements);
    }
    if let Some(cells) = cells_that_stay(vm, obj, grid, only_over) {
        return Ok(cells);
    }
    vm.in_order(obj).ok_or(EXACT)
}

/// The cells of a set that are visible in the end: the last of each place, or the first one that
/// paints over another colour. `None` if hashes alone do not decide it.
fn cells_that_stay<'a>(
    vm: &Vm<'a>,
    set: &Val<'a>,
    grid: &Grid<'a>,
    only_over: Option<i8>,
) -> Option<&'a [Val<'a>]> {
    if !set.is_set() || vm.has_order_at_hand(set) {
        return None;
    }
    const FREE: u32 = u32::MAX;
    let elements = set.elements(vm.arena)?;
    let regions = vm.regions(set)?;
    let taken = vm.arena.alloc_slice_fill_copy(grid.cells().len(), FREE);
    for (k, element) in elements.iter().enumerate() {
        let (v, i, j) = element.as_cell()?;
        let Some(place) = grid.place(i, j).filter(|_| only_over != Some(v)) else {
            continue;
        };
        let place = &mut taken[place];
        let Some(other) = regions.get(*place as usize) else {
            *place = k as u32;
            continue;
        };
        let (is_later, is_earlier) = (other.is_before(&regions[k]), regions[k].is_before(other));
        if !is_later && !is_earlier {
            return None;
        }
        if is_later == only_over.is_none() {
            *place = k as u32;
        }
    }
    let mut cells = List::with_capacity_in(elements.len(), vm.arena);
    for k in taken.iter().filter(|k| **k != FREE) {
        cells.push(elements[*k as usize]);
    }
    Some(cells.into_bump_slice())
}

/// Whether two of these cells have different colours for one place inside the grid.
fn has_conflicts<'a>(arena: Arena<'a>, cells: &[Val<'a>], grid: &Grid<'a>) -> bool {
    const FREE: i16 = i16::MIN;
    let taken = arena.alloc_slice_fill_copy(grid.cells().len(), FREE);
    cells.iter().filter_map(Val::as_cell).any(|(v, i, j)| {
        let Some(place) = grid.place(i, j) else {
            return false;
        };
        let before = std::mem::replace(&mut taken[place], i16::from(v));
        before != FREE && before != i16::from(v)
    })
}

/// The provenance of a set made from each element of a patch, one after the other.
pub(super) fn changed<'a>(arena: Arena<'a>, patch: &Val<'a>, change: Change<'a>) -> Made<'a> {
    Made::by(arena, Recipe::Changed(*patch, change))
}

pub(crate) fn toindices<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch {
        Val::Object(object) => {
            let made = changed(vm.arena, patch, Change::Uncolour);
            Ok(Val::Indices(vm.arena.alloc(object.patch.made(made))))
        }
        Val::Indices(_) => Ok(*patch),
        Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) | Val::Grid(_) => {
            toindices_by_element(vm, patch)
        }
        _ => Err(EXACT),
    }
}

fn toindices_by_element<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    let items = patch.elements(vm.arena).ok_or(EXACT)?;
    match items.first() {
        None => Ok(Val::empty_set()),
        Some(Val::Cell(..) | Val::Triple(..)) => {
            let made = changed(vm.arena, patch, Change::Uncolour);
            let places = places(vm.arena, items)?;
            match Patch::from_cells(vm.arena, places.iter().copied()) {
                Some(at) => window(vm.arena, Some(at), made),
                // It is wider than a patch may be.
                None => {
                    let places = places.iter().map(|place| Val::place(*place));
                    Val::set(vm.arena, vm.arena.alloc_slice_fill_iter(places), made)
                }
            }
        }
        Some(Val::Pair(..)) if places(vm.arena, items).is_ok() => Ok(*patch),
        Some(Val::Two(_)) => set_of_pairs(vm, patch, items, |_, place| Ok(Val::place(place))),
        _ => Err(EXACT),
    }
}

/// The set of results for pairs that look like cells because their second element is a place.
fn set_of_pairs<'a>(
    vm: &Vm<'a>,
    pairs: &Val<'a>,
    items: &[Val<'a>],
    each: impl Fn(&Val<'a>, (i64, i64)) -> R<'a>,
) -> R<'a> {
    // Results are listed in the order of the elements, which a bag leaves open.
    if matches!(pairs, Val::Bag(_)) {
        return Err(EXACT);
    }
    let mut results = List::with_capacity_in(items.len(), vm.arena);
    for item in items {
        let Val::Two(Two(first, Val::Pair(second), _)) = item else {
            return Err(EXACT);
        };
        results.push(each(first, second.get())?);
    }
    let results = results.into_bump_slice();
    let made = Made::by(vm.arena, Recipe::Applied(*pairs, results));
    Val::set(vm.arena, results, made)
}

pub(crate) fn recolor<'a>(vm: &mut Vm<'a>, value: &Val<'a>, patch: &Val<'a>) -> R<'a> {
    if patch.len() == Some(0) {
        return Ok(Val::empty_set());
    }
    let colour = colour_of(value)?;
    let of = toindices(vm, patch)?;
    let made = changed(vm.arena, &of, Change::Recolour(colour));
    match locations(vm, patch) {
        Ok(Some(at)) => Ok(Object::uniform(vm.arena, at.made(made), colour)),
        _ => recoloured_by_element(vm, colour, &of, made),
    }
}

/// Recolours places that lie too far apart for an object.
fn recoloured_by_element<'a>(vm: &Vm<'a>, colour: i8, of: &Val<'a>, made: Made<'a>) -> R<'a> {
    let places = places(vm.arena, of.elements(vm.arena).ok_or(EXACT)?)?;
    let mut cells = List::with_capacity_in(places.len(), vm.arena);
    for (i, j) in places {
        if i.abs().max(j.abs()) > MAX_COORDINATE {
            return Err(EXACT);
        }
        cells.push(Val::coloured_place(vm.arena.cells(), (colour, i, j)));
    }
    Val::set(vm.arena, &cells, made)
}

/// A patch moved by a vector.
fn shifted<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, di: i64, dj: i64) -> R<'a> {
    let made = changed(vm.arena, patch, Change::Shift(di, dj));
    match patch {
        Val::Indices(patch) => window(vm.arena, patch.moved(di, dj), made),
        Val::Object(object) => match object.moved(di, dj) {
            Some(moved) => Ok(Val::Object(vm.arena.alloc(Object {
                patch: moved.patch.made(made),
                ..moved
            }))),
            None => Err(EXACT),
        },
        _ if patch.len() == Some(0) => Ok(*patch),
        Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) | Val::Grid(_) => {
            let items = patch.elements(vm.arena).ok_or(EXACT)?;
            match items.first() {
                Some(Val::Two(_)) => pairs_shifted(vm, patch, items, di, dj),
                _ => shifted_by_element(vm, items, di, dj, made),
            }
        }
        _ => Err(EXACT),
    }
}

/// Moves the second elements of pairs that look like cells.
fn pairs_shifted<'a>(vm: &Vm<'a>, pairs: &Val<'a>, items: &[Val<'a>], di: i64, dj: i64) -> R<'a> {
    set_of_pairs(vm, pairs, items, |first, (i, j)| {
        let (i, j) = (i + di, j + dj);
        if i.abs().max(j.abs()) > MAX_COORDINATE {
            Err(EXACT)
        } else {
            Ok(Val::two(vm.arena, *first, Val::place((i, j))))
        }
    })
}

fn shifted_by_element<'a>(
    vm: &mut Vm<'a>,
    items: &[Val<'a>],
    di: i64,
    dj: i64,
    made: Made<'a>,
) -> R<'a> {
    // The provenance packs small coordinates into words.
    let is_far = |(i, j): &(i64, i64)| (i + di).abs().max((j + dj).abs()) > MAX_COORDINATE;
    if places(vm.arena, items)?.iter().any(is_far) {
        return Err(EXACT);
    }
    let mut moved = List::with_capacity_in(items.len(), vm.arena);
    for item in items {
        moved.push(match item {
            Val::Pair(pair) => Val::pair(vm.arena, pair.get().0 + di, pair.get().1 + dj),
            Val::Cell(cell) => {
                let (v, i, j) = cell.get();
                let place = Val::pair(vm.arena, i + di, j + dj);
                Val::two(vm.arena, Val::Int(i64::from(v)), place)
            }
            Val::Triple(cell) => {
                let (v, i, j) = cell.get();
                Val::coloured_place(CellForm::Flat, (v, i + di, j + dj))
            }
            _ => return Err(EXACT),
        });
    }
    Val::set(vm.arena, &moved, made)
}

pub(crate) fn shift<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, directions: &Val<'a>) -> R<'a> {
    if patch.len() == Some(0) {
        return Ok(*patch);
    }
    let (di, dj) = pair_of(directions)?;
    if di.abs().max(dj.abs()) > MAX_COORDINATE {
        return Err(EXACT);
    }
    shifted(vm, patch, di, dj)
}

pub(crate) fn normalize<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match locations(vm, patch)? {
        None => Ok(*patch),
        Some(at) => shifted(vm, patch, -at.top(), -at.left()),
    }
}

/// Mirrors a patch in its bounding box, given the new shape and a function that mirrors a grid in
/// the same way, for the colours in the box.
fn mirrored<'a>(
    vm: &mut Vm<'a>,
    piece: &Val<'a>,
    turned: Option<Patch<'a>>,
    change: Change<'a>,
    turn: impl FnOnce(&mut Vm<'a>, &Val<'a>) -> R<'a>,
) -> R<'a> {
    let made = changed(vm.arena, piece, change);
    let turned = turned.ok_or(EXACT)?.made(made);
    let Val::Object(object) = piece else {
        return Ok(Val::Indices(vm.arena.alloc(turned)));
    };
    match object.colours {
        Colours::One(colour) => Ok(Object::uniform(vm.arena, turned, colour)),
        // Different colours stay different, and empty places stay empty.
        Colours::Each(_) => {
            let colours = object.colours_in_box().ok_or(EXACT)?;
            let colours = turn(vm, &Val::Grid(vm.arena.alloc(colours)))?;
            object_like(vm.arena, turned, &colours)
        }
    }
}

/// The object of a shape with the colours of a grid of its size.
fn object_like<'a>(arena: Arena<'a>, patch: Patch<'a>, colours: &Val<'a>) -> R<'a> {
    let Val::Grid(colours) = colours else {
        return Err(EXACT);
    };
    let colours = Colours::Each(colours.cells());
    Ok(Object::of(arena, patch, colours))
}

/// Mirrors a set that is not a patch: its cells share places or lie too far apart.
fn mirrored_by_element<'a>(vm: &Vm<'a>, piece: &Val<'a>, change: Change<'a>) -> R<'a> {
    let made = changed(vm.arena, piece, change);
    let items = piece.elements(vm.arena).ok_or(EXACT)?;
    let mut turned = List::with_capacity_in(items.len(), vm.arena);
    for item in items {
        turned.push(change.of(*item, vm.arena.cells()).ok_or(EXACT)?);
    }
    Val::set(vm.arena, &turned, made)
}

/// The bounding box of a set of places or cells that is not a patch.
fn bounds_of_set<'a>(vm: &Vm<'a>, piece: &Val<'a>) -> Maybe<(i64, i64, i64, i64)> {
    if !piece.is_set() {
        return Err(EXACT);
    }
    bounds(vm, piece)?.ok_or(EXACT)
}

pub(crate) fn hmirror<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    match piece {
        Val::Grid(grid) => {
            let mut cells = List::with_capacity_in(grid.cells().len(), vm.arena);
            for row in grid.rows().rev() {
                cells.extend_from_slice_copy(row);
            }
            Ok(grid.with_cells(vm.arena, cells.into_bump_slice()))
        }
        Val::Tuple(rows) => {
            let rows = vm.arena.alloc_slice_fill_iter(rows.iter().rev().copied());
            Ok(Val::tuple(vm.arena, rows))
        }
        _ if piece.is_empty_set() => fault(Fault::IndexError),
        _ => {
            let Ok(p) = patch_of(piece) else {
                let (top, _, bottom, _) = bounds_of_set(vm, piece)?;
                return mirrored_by_element(vm, piece, Change::UpsideDown(top + bottom));
            };
            let change = Change::UpsideDown(p.top() + p.bottom());
            mirrored(vm, piece, Some(p.upside_down(vm.arena)), change, hmirror)
        }
    }
}

pub(crate) fn vmirror<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    match piece {
        Val::Grid(grid) => {
            let cells = grid.to_cells(vm.arena);
            cells
                .chunks_exact_mut(grid.width())
                .for_each(|row| row.reverse());
            Ok(grid.with_cells(vm.arena, cells))
        }
        _ if piece.is_empty_set() => fault(Fault::IndexError),
        _ => {
            let Ok(p) = patch_of(piece) else {
                let (_, left, _, right) = bounds_of_set(vm, piece)?;
                return mirrored_by_element(vm, piece, Change::LeftRight(left + right));
            };
            let change = Change::LeftRight(p.left() + p.right());
            mirrored(vm, piece, Some(p.left_right(vm.arena)), change, vmirror)
        }
    }
}

pub(crate) fn dmirror<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    if let Some(grid) = piece.as_grid(vm.arena) {
        return super::grids::rearranged(vm.arena, &grid, |i, j| (j, i));
    }
    if piece.is_empty_set() {
        return fault(Fault::ValueError);
    }
    let Ok(p) = patch_of(piece) else {
        let (top, left, _, _) = bounds_of_set(vm, piece)?;
        return mirrored_by_element(vm, piece, Change::Transpose(top, left));
    };
    let change = Change::Transpose(p.top(), p.left());
    mirrored(vm, piece, p.transposed(vm.arena), change, dmirror)
}

pub(crate) fn cmirror<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    if let Some(grid) = piece.as_grid(vm.arena) {
        let (bottom, right) = (grid.height() - 1, grid.width() - 1);
        return super::grids::rearranged(vm.arena, &grid, |i, j| (bottom - j, right - i));
    }
    let once = vmirror(vm, piece)?;
    let twice = dmirror(vm, &once)?;
    vmirror(vm, &twice)
}

pub(crate) fn upscale<'a>(vm: &mut Vm<'a>, element: &Val<'a>, factor: &Val<'a>) -> R<'a> {
    let factor = int_of(factor)?;
    if let Some(grid) = element.as_grid(vm.arena) {
        return super::grids::blown_up(vm, &grid, factor, factor);
    }
    if element.len() == Some(0) {
        return Ok(*element);
    }
    let Val::Object(object) = element else {
        return Err(EXACT);
    };
    if factor <= 0 {
        return Ok(Val::empty_set());
    }
    let n_cells = (factor as u64).saturating_mul(factor as u64);
    let n_cells = n_cells.saturating_mul(object.patch.len() as u64);
    if let Some(stop) = vm.too_many_to_make(n_cells) {
        return Err(stop);
    }
    let made = Made::by(vm.arena, Recipe::Upscaled(*element, factor));
    vm.announce(n_cells)?;
    upscaled_object(vm, object, factor, made)
}

fn upscaled_object<'a>(vm: &mut Vm<'a>, object: &Object<'a>, factor: i64, made: Made<'a>) -> R<'a> {
    let arena = vm.arena;
    let (top, left) = (object.patch.top(), object.patch.left());
    let size = |n: i64| n.checked_mul(factor).ok_or(EXACT);
    let (height, width) = (size(object.patch.height())?, size(object.patch.width())?);
    if reaches_far(top, left, height, width) {
        return Err(EXACT);
    }
    let Some(canvas) = Canvas::new(arena, top, left, height, width) else {
        return upscaled_cells(arena, object, factor, made);
    };
    let block = u128::MAX >> (128 - factor);
    for (rows, row) in canvas
        .rows
        .chunks_exact_mut(factor as usize)
        .zip(object.patch.rows())
    {
        let mut wide = 0;
        for_each_bit(*row, |k| wide |= block << (k as i64 * factor));
        rows.fill(wide);
    }
    let patch = canvas.finish().ok_or(EXACT)?.made(made);
    match object.colours {
        Colours::One(colour) => Ok(Object::uniform(arena, patch, colour)),
        Colours::Each(_) => {
            let colours = object.colours_in_box().ok_or(EXACT)?;
            let colours = super::grids::blown_up(vm, &colours, factor, factor)?;
            object_like(arena, patch, &colours)
        }
    }
}

/// `upscale`, cell by cell, for results that are too large for a patch.
fn upscaled_cells<'a>(arena: Arena<'a>, object: &Object<'a>, factor: i64, made: Made<'a>) -> R<'a> {
    let (top, left) = (object.patch.top(), object.patch.left());
    let mut cells: Vec<(i8, i64, i64)> = object.cells().collect();
    cells.sort_unstable();
    let n_blocks = cells.len() * (factor * factor) as usize;
    let mut blocks = List::with_capacity_in(n_blocks, arena);
    for row in cells.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for di in 0..factor {
            for (v, i, j) in row {
                let (i, j) = (top + (i - top) * factor + di, left + (j - left) * factor);
                let cell = |j| Val::coloured_place(object.form, (*v, i, j));
                blocks.extend((j..j + factor).map(cell));
            }
        }
    }
    Val::set(arena, &blocks, made)
}

/// Whether a rectangle has coordinates that are left to the reference engine.
fn reaches_far(top: i64, left: i64, height: i64, width: i64) -> bool {
    let ends = [top, left, top + height, left + width];
    ends.iter().any(|end| end.abs() > MAX_COORDINATE)
}

/// The bounding box of a patch of any size, as top, left, bottom, right; `None` for an empty one.
/// Only for primitives that use only `toindices` of the patch.
pub(super) fn bounds<'a>(vm: &Vm<'a>, patch: &Val<'a>) -> Maybe<Option<(i64, i64, i64, i64)>> {
    let of_patch = |p: &Patch<'a>| Ok(Some((p.top(), p.left(), p.bottom(), p.right())));
    match patch {
        Val::Indices(patch) => of_patch(patch),
        Val::Object(object) => of_patch(&object.patch),
        Val::Two(_) | Val::Set(_) | Val::Tuple(_) | Val::Bag(_) | Val::Grid(_) => {
            let places = places_of_any(vm.arena, patch)?;
            let Some((top, left, height, width)) = extent(places.iter().copied()) else {
                return Ok(None);
            };
            if reaches_far(top, left, height, width) {
                return Err(EXACT);
            }
            Ok(Some((top, left, top + height - 1, left + width - 1)))
        }
        _ => Err(EXACT),
    }
}

pub(crate) fn backdrop<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match bounds(vm, patch)? {
        None => Ok(Val::empty_set()),
        Some((top, left, bottom, right)) => {
            let all = Patch::rectangle(vm.arena, top, left, bottom - top + 1, right - left + 1);
            window(vm.arena, all, Made::ByRows)
        }
    }
}

pub(crate) fn delta<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    let is_cell = |first: Option<&Val<'_>>| matches!(first, Some(Val::Cell(_) | Val::Triple(_)));
    if matches!(patch, Val::Two(two) if !is_cell(Some(&two.0)))
        || matches!(patch, Val::Tuple(items) | Val::Bag(items) if !is_cell(items.first()))
    {
        return Err(EXACT);
    }
    if patch.len() == Some(0) || patch_of(patch).is_ok_and(Patch::is_rectangle) {
        return Ok(Val::empty_set());
    }
    let all = backdrop(vm, patch)?;
    let here = toindices(vm, patch)?;
    let made = Made::by(vm.arena, Recipe::Less(all, here));
    let rest = patch_of(&here)?.rest_of_box(vm.arena);
    Ok(indices(vm.arena, rest, made))
}

/// The outline of a rectangle given by two opposite corners.
fn outline<'a>(arena: Arena<'a>, ai: i64, aj: i64, bi: i64, bj: i64) -> R<'a> {
    let (top, left) = (ai.min(bi), aj.min(bj));
    let (height, width) = ((ai - bi).abs() + 1, (aj - bj).abs() + 1);
    let recipe = Recipe::Outline(top, left, top + height - 1, left + width - 1);
    let made = Made::by(arena, recipe);
    if height > MAX_HEIGHT || width > MAX_WIDTH {
        return outline_by_element(arena, (top, left, height, width), made);
    }
    let full = u128::MAX >> (128 - width);
    let ends = 1 | 1 << (width - 1);
    let rows = arena.alloc_slice_fill_copy(height as usize, ends);
    rows[0] = full;
    rows[height as usize - 1] = full;
    let n_inside = (height - 2).max(0) * (width - 2).max(0);
    let n_places = (height * width - n_inside) as u32;
    let patch = Patch::counted(top, left, width as u8, n_places, rows);
    window(arena, patch, made)
}

/// An outline that is too large for a patch.
fn outline_by_element<'a>(
    arena: Arena<'a>,
    (top, left, height, width): (i64, i64, i64, i64),
    made: Made<'a>,
) -> R<'a> {
    if height + width > LONGEST_OUTLINE {
        return Err(EXACT);
    }
    let mut places = List::new_in(arena);
    for i in top..top + height {
        places.extend([(i, left), (i, left + width - 1)].map(Val::place));
    }
    for j in left..left + width {
        places.extend([(top, j), (top + height - 1, j)].map(Val::place));
    }
    Val::set(arena, &places, made)
}

fn grown_outline<'a>(vm: &Vm<'a>, patch: &Val<'a>, by: i64) -> R<'a> {
    match bounds(vm, patch)? {
        None => fault(Fault::ValueError),
        Some((top, left, bottom, right)) => {
            outline(vm.arena, top - by, left - by, bottom + by, right + by)
        }
    }
}

pub(crate) fn inbox<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    grown_outline(vm, patch, -1)
}
pub(crate) fn outbox<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    grown_outline(vm, patch, 1)
}
pub(crate) fn r#box<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    if patch.len() == Some(0) {
        return Ok(*patch);
    }
    grown_outline(vm, patch, 0)
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;

    #[test]
    fn outlines_of_all_sizes_are_counted() {
        let arena = Room::default();
        for (height, width) in [(1, 1), (1, 7), (2, 5), (6, 2), (3, 3), (9, 4), (5, 128)] {
            let Ok(Val::Indices(patch)) = outline(&arena, 2, -1, 1 + height, width - 2) else {
                panic!("it fits")
            };
            let is_inside =
                |i: i64, j: i64| i % (height - 1).max(1) != 0 && j % (width - 1).max(1) != 0;
            let places = (0..height).flat_map(|i| (0..width).map(move |j| (i, j)));
            let n_inside = places.filter(|(i, j)| is_inside(*i, *j)).count() as i64;
            assert_eq!(patch.len() as i64, height * width - n_inside);
            assert_eq!(patch.len(), patch.cells().collect::<Vec<_>>().len());
        }
    }
}
