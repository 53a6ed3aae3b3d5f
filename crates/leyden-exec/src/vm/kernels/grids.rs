//! Whole grids.

use std::ops::Range;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{MAX_ELEMENTS, MAX_SET_ELEMENTS};

use super::colour::most_frequent;
use super::containers::{Kind, container};
use super::objects::places_of;
use super::patches::{
    cells_to_paint, changed, is_beyond_a_row, locations, places_of_any, toindices,
};
use super::{EXACT, Grid, Maybe, R, Val, colour_of, fault, grid_of, int_of, pair_of, patch_of};
use crate::vm::Vm;
use crate::vm::order::provenance::{Change, Made};
use crate::vm::values::bytes::{in_each_byte, set_word_at, where_set, where_zero, word_at};
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{MAX_HEIGHT, Patch, for_each_bit};
use crate::vm::values::value::{Arena, List, MAX_CELLS, Two};

/// Python's `sequence[start:stop]` on a sequence of this length.
fn slice(len: usize, start: i64, stop: i64) -> Range<usize> {
    let len = len as i64;
    let bound = |k: i64| if k < 0 { (k + len).max(0) } else { k.min(len) };
    let (start, stop) = (bound(start), bound(stop));
    start as usize..stop.max(start) as usize
}

/// The cells of some rows and columns.
fn part<'a>(arena: Arena<'a>, grid: &Grid<'a>, rows: Range<usize>, columns: Range<usize>) -> R<'a> {
    let mut cells = List::with_capacity_in(rows.len() * columns.len(), arena);
    for i in rows.clone() {
        cells.extend_from_slice_copy(&grid.row(i)[columns.clone()]);
    }
    Val::grid(arena, rows.len(), columns.len(), cells.into_bump_slice())
}

fn cropped<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    (i, j): (i64, i64),
    (height, width): (i64, i64),
) -> R<'a> {
    let stop = |start: i64, size: i64| start.checked_add(size).ok_or(EXACT);
    let rows = slice(grid.height(), i, stop(i, height)?);
    part(arena, grid, rows, slice(grid.width(), j, stop(j, width)?))
}

/// A grid of width × height whose cell `(i, j)` comes from elsewhere.
pub(super) fn rearranged<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    source: impl Fn(usize, usize) -> (usize, usize),
) -> R<'a> {
    let (height, width) = (grid.width(), grid.height());
    let cells = arena.alloc_slice_fill_copy(height * width, 0);
    for (i, row) in cells.chunks_exact_mut(width).enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            let (from_i, from_j) = source(i, j);
            *cell = grid.at(from_i, from_j);
        }
    }
    Val::grid(arena, height, width, cells)
}

/// Grids on top of each other; ragged ones are a tuple of rows.
pub(super) fn stacked<'a>(arena: Arena<'a>, grids: &[Grid<'a>]) -> R<'a> {
    let width = grids.first().map_or(0, |grid| grid.width());
    if grids.iter().all(|grid| grid.width() == width) {
        let height = grids.iter().map(|grid| grid.height()).sum();
        let mut cells = List::with_capacity_in(height * width, arena);
        for grid in grids {
            cells.extend_from_slice_copy(grid.cells());
        }
        return Val::grid(arena, height, width, cells.into_bump_slice());
    }
    let rows = grids.iter().flat_map(|grid| grid.rows());
    let rows = List::from_iter_in(rows.map(|row| Val::row(arena, row)), arena);
    Ok(Val::tuple(arena, rows.into_bump_slice()))
}

/// The grid with each cell as a block.
pub(super) fn blown_up<'a>(vm: &mut Vm<'a>, grid: &Grid<'a>, down: i64, across: i64) -> R<'a> {
    let arena = vm.arena;
    let (down, across) = (down.max(0), across.max(0));
    let area = (grid.cells().len() as i64)
        .checked_mul(down)
        .and_then(|n| n.checked_mul(across));
    let area = area.filter(|n| *n <= MAX_CELLS as i64).ok_or(EXACT)?;
    vm.announce(area as u64)?;
    let (down, across) = (down as usize, across as usize);
    let width = grid.width() * across;
    let cells = arena.alloc_slice_fill_copy(grid.height() * down * width, 0);
    if width > 0 && down > 0 {
        for (block, row) in cells.chunks_exact_mut(width * down).zip(grid.rows()) {
            for (stretch, v) in block[..width].chunks_exact_mut(across).zip(row) {
                stretch.fill(*v);
            }
            for copy in 1..down {
                block.copy_within(..width, copy * width);
            }
        }
    }
    Val::grid(arena, grid.height() * down, width, cells)
}

pub(super) fn row_is_uniform(grid: &Grid<'_>, i: usize) -> bool {
    grid.row(i).iter().all(|v| *v == grid.at(i, 0))
}

pub(super) fn column_is_uniform(grid: &Grid<'_>, j: usize) -> bool {
    (0..grid.height()).all(|i| grid.at(i, j) == grid.at(0, j))
}

/// All places of a grid that CPython puts into a set.
fn set_of_places<'a>(arena: Arena<'a>, grid: &Grid<'a>) -> Maybe<Patch<'a>> {
    if grid.cells().len() > MAX_SET_ELEMENTS {
        fault(Fault::Memory)
    } else {
        everywhere(arena, grid)
    }
}

/// All places of a grid.
fn everywhere<'a>(arena: Arena<'a>, grid: &Grid<'a>) -> Maybe<Patch<'a>> {
    let all = Patch::rectangle(arena, 0, 0, grid.height() as i64, grid.width() as i64);
    all.map(|all| all.made(Made::ByRows)).ok_or(EXACT)
}

/// Whether it is the empty tuple, which some primitives take for a grid without rows.
fn is_nothing(grid: &Val<'_>) -> bool {
    matches!(grid, Val::Tuple(rows) if rows.is_empty())
}

/// The number of rows of a grid without columns, or without rows.
pub(super) fn n_empty_rows(grid: &Val<'_>) -> Option<usize> {
    match grid {
        Val::Tuple(rows) if rows.iter().all(is_nothing) => Some(rows.len()),
        Val::Two(rows) if is_nothing(&rows.0) && is_nothing(&rows.1) => Some(2),
        _ => None,
    }
}

pub(crate) fn asindices<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(Val::empty_set());
    }
    let grid = grid_of(vm, grid)?;
    Ok(Val::Indices(
        vm.arena.alloc(set_of_places(vm.arena, &grid)?),
    ))
}

pub(crate) fn ofcolor<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, value: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(Val::empty_set());
    }
    let grid = grid_of(vm, grid)?;
    let colour = match value {
        Val::None | Val::Pair(..) => return Ok(Val::empty_set()),
        _ => int_of(value)?,
    };
    if grid.width() > 128 || grid.height() as i64 > MAX_HEIGHT {
        return ofcolor_of_large(vm.arena, &grid, colour);
    }
    let places = i8::try_from(colour)
        .ok()
        .and_then(|colour| places_of(vm.arena, &grid, colour));
    Ok(super::indices(vm.arena, places, Made::ByRows))
}

/// The places of a colour in a grid that is too large for a patch.
fn ofcolor_of_large<'a>(arena: Arena<'a>, grid: &Grid<'a>, colour: i64) -> R<'a> {
    let mut places = List::new_in(arena);
    for (i, row) in grid.rows().enumerate() {
        let here = row
            .iter()
            .enumerate()
            .filter(|(_, v)| i64::from(**v) == colour);
        places.extend(here.map(|(j, _)| Val::place((i as i64, j as i64))));
    }
    Val::set(arena, &places, Made::ByRows)
}

pub(crate) fn crop<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, start: &Val<'a>, dims: &Val<'a>) -> R<'a> {
    let (start, dims) = (pair_of(start)?, pair_of(dims)?);
    if let Some(n_rows) = n_empty_rows(grid) {
        let stop = start.0.checked_add(dims.0).ok_or(EXACT)?;
        return Val::grid(vm.arena, slice(n_rows, start.0, stop).len(), 0, &[]);
    }
    let grid = grid_of(vm, grid)?;
    cropped(vm.arena, &grid, start, dims)
}

pub(crate) fn asobject<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if n_empty_rows(grid).is_some() {
        return Ok(Val::empty_set());
    }
    let grid = grid_of(vm, grid)?;
    let patch = set_of_places(vm.arena, &grid)?;
    let first = grid.at(0, 0);
    if grid.cells().iter().all(|v| *v == first) {
        return Ok(Object::uniform(vm.arena, patch, first));
    }
    Ok(Object::of(vm.arena, patch, Colours::Each(grid.cells())))
}

pub(crate) fn rot90<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    rearranged(vm.arena, &grid, |i, j| (grid.height() - 1 - j, i))
}
pub(crate) fn rot180<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    let cells = vm
        .arena
        .alloc_slice_fill_iter(grid.cells().iter().rev().copied());
    Ok(grid.with_cells(vm.arena, cells))
}
pub(crate) fn rot270<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    rearranged(vm.arena, &grid, |i, j| (j, grid.width() - 1 - i))
}

/// Changes the cells of a grid at the places of a patch that lie inside.
fn change_at<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    patch: &Patch<'a>,
    change: impl Fn(&mut i8),
) -> Val<'a> {
    let cells = grid.to_cells(arena);
    let inside = u128::MAX >> (128 - grid.width().min(128));
    let (top, bottom) = (
        patch.top().max(0),
        patch.bottom().min(grid.height() as i64 - 1),
    );
    for i in top..=bottom {
        let row = &mut cells[i as usize * grid.width()..][..grid.width()];
        for_each_bit(patch.row_at(i, 0) & inside, |j| change(&mut row[j]));
    }
    grid.with_cells(arena, cells)
}

/// `fill` for any patch; places beyond column 127 do not fit a row of bits.
fn filled<'a>(
    vm: &mut Vm<'a>,
    grid: &Grid<'a>,
    colour: i8,
    patch: &Val<'a>,
    only_over: Option<i8>,
) -> R<'a> {
    if patch.len() == Some(0) {
        return Ok(Val::Grid(vm.arena.alloc(*grid)));
    }
    let patch = match locations(vm, patch) {
        Ok(Some(patch)) if grid.width() <= 128 => patch,
        _ => return filled_by_place(vm, grid, colour, patch, only_over),
    };
    Ok(match only_over {
        None => change_at(vm.arena, grid, &patch, |cell| *cell = colour),
        Some(background) => change_at(vm.arena, grid, &patch, |cell| {
            if *cell == background {
                *cell = colour;
            }
        }),
    })
}

/// `fill`, one place after the other.
fn filled_by_place<'a>(
    vm: &mut Vm<'a>,
    grid: &Grid<'a>,
    colour: i8,
    patch: &Val<'a>,
    only_over: Option<i8>,
) -> R<'a> {
    let cells = grid.to_cells(vm.arena);
    for (i, j) in places_of_any(vm.arena, patch)? {
        if grid.get(i, j).is_some() {
            let cell = &mut cells[i as usize * grid.width() + j as usize];
            if only_over.is_none_or(|background| *cell == background) {
                *cell = colour;
            }
        }
    }
    Ok(grid.with_cells(vm.arena, cells))
}

pub(crate) fn fill<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, value: &Val<'a>, patch: &Val<'a>) -> R<'a> {
    if grid.is_set() {
        return fault(Fault::TypeError);
    }
    if is_nothing(grid) {
        return fault(Fault::IndexError);
    }
    if is_beyond_a_row(vm.arena, grid, patch) {
        return fault(Fault::IndexError);
    }
    let grid = grid_of(vm, grid)?;
    filled(vm, &grid, colour_of(value)?, patch, None)
}

pub(crate) fn underfill<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    value: &Val<'a>,
    patch: &Val<'a>,
) -> R<'a> {
    if grid.is_set() {
        return fault(Fault::TypeError);
    }
    let background = most_frequent(vm, grid)?;
    let grid = grid_of(vm, grid)?;
    filled(vm, &grid, colour_of(value)?, patch, Some(background))
}

pub(crate) fn cover<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, patch: &Val<'a>) -> R<'a> {
    let background = most_frequent(vm, grid)?;
    let grid = grid_of(vm, grid)?;
    filled(vm, &grid, background, patch, None)
}

fn painted<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, obj: &Val<'a>, only_over: Option<i8>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    // A place is not a tuple of a colour and a place.
    if matches!(obj, Val::Indices(_)) {
        return fault(Fault::TypeError);
    }
    if let Val::Object(object) = obj
        && let Some(colour) = object.only_colour()
    {
        return filled(vm, &grid, colour, obj, only_over);
    }
    if let Some(rows) = rows_of_seconds(obj) {
        // The place is a cell, so its row is a colour and its column is a place, which cannot be
        // compared with a number.
        let is_inside = |row: &i64| (0..grid.height() as i64).contains(row);
        return if rows.iter().any(is_inside) {
            fault(Fault::TypeError)
        } else {
            Ok(Val::Grid(vm.arena.alloc(grid)))
        };
    }
    let cells = grid.to_cells(vm.arena);
    if grid.width() <= 128
        && let Some(objects) = objects_to_paint(vm.arena, obj)
    {
        for object in objects {
            paint_rows(cells, &grid, object, only_over);
        }
        return Ok(grid.with_cells(vm.arena, cells));
    }
    let paint = |(v, i, j): (i8, i64, i64)| {
        if let Some(place) = grid.place(i, j)
            && only_over.is_none_or(|background| cells[place] == background)
        {
            cells[place] = v;
        }
    };
    match obj {
        Val::Object(object) => object.cells().for_each(paint),
        _ => cells_to_paint(vm, obj, &grid, only_over)?
            .iter()
            .filter_map(Val::as_cell)
            .for_each(paint),
    }
    Ok(grid.with_cells(vm.arena, cells))
}

/// The colours of the second elements, if all elements are pairs with a cell, such as pairs of
/// cells.
fn rows_of_seconds(pairs: &Val<'_>) -> Option<Vec<i64>> {
    let (Val::Tuple(items) | Val::Bag(items) | Val::Set(items)) = pairs else {
        return None;
    };
    if !matches!(items.first(), Some(Val::Two(_))) {
        return None;
    }
    let row = |item: &Val<'_>| match item {
        Val::Two(Two(_, Val::Cell(cell), _)) => Some(i64::from(cell.get().0)),
        _ => None,
    };
    items.iter().map(row).collect()
}

/// The objects to paint one after the other, if `obj` has only such objects. The cells of an object
/// never share a place, so their order does not matter.
fn objects_to_paint<'a>(arena: Arena<'a>, obj: &Val<'a>) -> Option<List<'a, &'a Object<'a>>> {
    let parts = match obj {
        Val::Object(_) => std::slice::from_ref(obj),
        Val::Bag(bag) => bag.made.merged_parts()?,
        _ => return None,
    };
    let mut objects = List::with_capacity_in(parts.len(), arena);
    for part in parts {
        match part {
            Val::Object(object) => objects.push(*object),
            _ if part.is_empty_set() => {}
            _ => return None,
        }
    }
    Some(objects)
}

/// Paints the cells of an object that lie inside, row by row; at most 128 columns.
fn paint_rows(cells: &mut [i8], grid: &Grid<'_>, object: &Object<'_>, only_over: Option<i8>) {
    let patch = &object.patch;
    // The rows and columns of the object that lie inside.
    let inner = |start: i64, own: i64, room: usize| {
        (-start).clamp(0, own) as usize..(room as i64 - start).clamp(0, own) as usize
    };
    let rows = inner(patch.top(), patch.height(), grid.height());
    let columns = inner(patch.left(), patch.width(), grid.width());
    if columns.is_empty() {
        return;
    }
    let inside = u128::MAX >> (128 - columns.len());
    let left = (patch.left() + columns.start as i64) as usize;
    for r in rows {
        let bits = patch.rows()[r] >> columns.start & inside;
        let i = (patch.top() + r as i64) as usize;
        let row = &mut cells[i * grid.width() + left..];
        match object.colours {
            Colours::One(colour) => for_each_bit(bits, |k| {
                if only_over.is_none_or(|background| row[k] == background) {
                    row[k] = colour;
                }
            }),
            Colours::Each(each) => {
                let colours = &each[r * patch.width() as usize + columns.start..];
                paint_row(row, colours, bits as u64, only_over);
                if bits >> 64 != 0 {
                    paint_row(
                        &mut row[64..],
                        &colours[64..],
                        (bits >> 64) as u64,
                        only_over,
                    );
                }
            }
        }
    }
}

/// Paints the colours whose bits are set, eight cells at a time.
#[inline(never)]
fn paint_row(cells: &mut [i8], colours: &[i8], mut bits: u64, only_over: Option<i8>) {
    let mut k = 0;
    while bits != 0 {
        let before = word_at(cells, k);
        let mut own = where_set(bits as u8);
        if let Some(background) = only_over {
            own &= where_zero(before ^ in_each_byte(background));
        }
        set_word_at(cells, k, before & !own | word_at(colours, k) & own);
        bits >>= 8;
        k += 8;
    }
}

pub(crate) fn paint<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, obj: &Val<'a>) -> R<'a> {
    if grid.is_set() {
        return fault(Fault::TypeError);
    }
    painted(vm, grid, obj, None)
}

pub(crate) fn underpaint<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, obj: &Val<'a>) -> R<'a> {
    if grid.is_set() {
        return fault(Fault::TypeError);
    }
    let background = most_frequent(vm, grid)?;
    painted(vm, grid, obj, Some(background))
}

pub(crate) fn r#move<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    obj: &Val<'a>,
    offset: &Val<'a>,
) -> R<'a> {
    let covered = cover(vm, grid, obj)?;
    let moved = super::shift(vm, obj, offset)?;
    paint(vm, &covered, &moved)
}

pub(crate) fn hupscale<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, factor: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    blown_up(vm, &grid, 1, int_of(factor)?)
}
pub(crate) fn vupscale<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, factor: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    blown_up(vm, &grid, int_of(factor)?, 1)
}

pub(crate) fn downscale<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, factor: &Val<'a>) -> R<'a> {
    let (grid, factor) = (grid_of(vm, grid)?, int_of(factor)?.unsigned_abs() as usize);
    if factor == 0 {
        return fault(Fault::ZeroDivisionError);
    }
    let (height, width) = (
        grid.height().div_ceil(factor),
        grid.width().div_ceil(factor),
    );
    let mut cells = List::with_capacity_in(height * width, vm.arena);
    for i in (0..grid.height()).step_by(factor) {
        cells.extend(grid.row(i).iter().step_by(factor));
    }
    Val::grid(vm.arena, height, width, cells.into_bump_slice())
}

pub(crate) fn hconcat<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.len() == Some(0) && b.is_tuple() || b.len() == Some(0) && a.is_tuple() {
        return Ok(Val::empty_tuple());
    }
    let (Ok(a), Ok(b)) = (grid_of(vm, a), grid_of(vm, b)) else {
        return joined_rows(vm, a, b);
    };
    let (height, width) = (a.height().min(b.height()), a.width() + b.width());
    let mut cells = List::with_capacity_in(height * width, vm.arena);
    for (left, right) in a.rows().zip(b.rows()) {
        cells.extend_from_slice_copy(left);
        cells.extend_from_slice_copy(right);
    }
    Val::grid(vm.arena, height, width, cells.into_bump_slice())
}

/// `hconcat` of tuples of tuples that are not grids.
fn joined_rows<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let (left, right) = (tuple_of(vm, a)?, tuple_of(vm, b)?);
    let mut rows = List::with_capacity_in(left.len().min(right.len()), vm.arena);
    let mut n_cells = 0;
    for (a, b) in left.iter().zip(right) {
        let (a, b) = (tuple_of(vm, a)?, tuple_of(vm, b)?);
        n_cells += a.len() + b.len();
        if n_cells > MAX_CELLS {
            return Err(EXACT);
        }
        let row = List::from_iter_in(a.iter().chain(b).copied(), vm.arena);
        rows.push(Val::tuple(vm.arena, row.into_bump_slice()));
    }
    Ok(Val::rows(vm.arena, rows.into_bump_slice()))
}

fn tuple_of<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> Maybe<&'a [Val<'a>]> {
    match container(vm, value)? {
        (Kind::Tuple, items) => Ok(items),
        _ => Err(EXACT),
    }
}

pub(crate) fn vconcat<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if let (Val::Grid(a), Val::Grid(b)) = (a, b) {
        return stacked(vm.arena, &[**a, **b]);
    }
    let (top, bottom) = (tuple_of(vm, a)?, tuple_of(vm, b)?);
    let rows = List::from_iter_in(top.iter().chain(bottom).copied(), vm.arena);
    Ok(Val::rows(vm.arena, rows.into_bump_slice()))
}

pub(crate) fn subgrid<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, grid: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    if patch.is_empty_set() {
        return fault(Fault::IndexError);
    }
    let patch = patch_of(patch)?;
    cropped(
        vm.arena,
        &grid,
        (patch.top(), patch.left()),
        (patch.height(), patch.width()),
    )
}

/// The length of each of `n` parts of a side, and the start of part `k`.
fn split(len: usize, n: i64) -> (i64, impl Fn(i64) -> i64) {
    let size = len as i64 / n;
    let offset = i64::from(len as i64 % n != 0);
    (size, move |k| size * k + k * offset)
}

fn parts<'a>(vm: &mut Vm<'a>, n: i64, n_rows: usize, part: impl Fn(i64) -> R<'a>) -> R<'a> {
    if n > 1_000 {
        return Err(EXACT);
    }
    let arena = vm.arena;
    vm.announce(n.max(0) as u64 * n_rows as u64)?;
    let mut parts = List::new_in(arena);
    for k in 0..n {
        parts.push(part(k)?);
    }
    Ok(Val::tuple(arena, parts.into_bump_slice()))
}

pub(crate) fn hsplit<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, n: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return fault(Fault::IndexError);
    }
    let (grid, n) = (grid_of(vm, grid)?, int_of(n)?);
    if n == 0 {
        return fault(Fault::ZeroDivisionError);
    }
    let (width, start) = split(grid.width(), n);
    let arena = vm.arena;
    parts(vm, n, grid.height(), |k| {
        cropped(arena, &grid, (0, start(k)), (grid.height() as i64, width))
    })
}

pub(crate) fn vsplit<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, n: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        let by_zero = int_of(n)? == 0;
        return fault(if by_zero {
            Fault::ZeroDivisionError
        } else {
            Fault::IndexError
        });
    }
    let (grid, n) = (grid_of(vm, grid)?, int_of(n)?);
    if n == 0 {
        return fault(Fault::ZeroDivisionError);
    }
    let (height, start) = split(grid.height(), n);
    let arena = vm.arena;
    parts(vm, n, height.max(0) as usize, |k| {
        cropped(arena, &grid, (start(k), 0), (height, grid.width() as i64))
    })
}

pub(crate) fn cellwise<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>, fallback: &Val<'a>) -> R<'a> {
    let (a, b, fallback) = (grid_of(vm, a)?, grid_of(vm, b)?, colour_of(fallback)?);
    if b.height() < a.height() || b.width() < a.width() {
        return fault(Fault::IndexError);
    }
    let agreed = |(x, y): (&i8, &i8)| if x == y { *x } else { fallback };
    let mut cells = List::with_capacity_in(a.cells().len(), vm.arena);
    for (x, y) in a.rows().zip(b.rows()) {
        cells.extend(x.iter().zip(y).map(agreed));
    }
    Ok(a.with_cells(vm.arena, cells.into_bump_slice()))
}

/// The grid with every cell changed on its own.
fn recoloured<'a>(arena: Arena<'a>, grid: &Grid<'a>, colour: impl Fn(i8) -> i8) -> Val<'a> {
    let cells = arena.alloc_slice_fill_iter(grid.cells().iter().map(|v| colour(*v)));
    grid.with_cells(arena, cells)
}

pub(crate) fn replace<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    replacee: &Val<'a>,
    replacer: &Val<'a>,
) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let (grid, new) = (grid_of(vm, grid)?, colour_of(replacer)?);
    let Ok(old) = i8::try_from(int_of(replacee)?) else {
        return Ok(Val::Grid(vm.arena.alloc(grid)));
    };
    Ok(recoloured(
        vm.arena,
        &grid,
        |v| if v == old { new } else { v },
    ))
}

pub(crate) fn switch<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let (grid, a, b) = (grid_of(vm, grid)?, colour_of(a)?, colour_of(b)?);
    let swapped = |v: i8| {
        if v == a {
            b
        } else if v == b {
            a
        } else {
            v
        }
    };
    Ok(recoloured(vm.arena, &grid, swapped))
}

pub(crate) fn index<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, loc: &Val<'a>) -> R<'a> {
    let (i, j) = pair_of(loc)?;
    let grid = grid_of(vm, grid)?;
    Ok(grid.get(i, j).map_or(Val::None, |v| Val::Int(i64::from(v))))
}

pub(crate) fn canvas<'a>(vm: &mut Vm<'a>, value: &Val<'a>, dimensions: &Val<'a>) -> R<'a> {
    let (height, width) = pair_of(dimensions)?;
    let (height, width) = (height.max(0), width.max(0));
    let is_long = height.max(width) > MAX_ELEMENTS as i64;
    if is_long || height.saturating_mul(width) > MAX_CELLS as i64 {
        return Err(EXACT);
    }
    let (n_cells, colour) = ((height * width) as usize, colour_of(value)?);
    // The call would run out of fuel after the work.
    if n_cells as u64 > vm.fuel {
        return fault(Fault::Fuel);
    }
    vm.announce(n_cells as u64)?;
    let cells = vm.arena.alloc_slice_fill_copy(n_cells, colour);
    Val::grid(vm.arena, height as usize, width as usize, cells)
}

pub(crate) fn trim<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    let (rows, columns) = (slice(grid.height(), 1, -1), slice(grid.width(), 1, -1));
    part(vm.arena, &grid, rows, columns)
}

pub(crate) fn tophalf<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    part(vm.arena, &grid, 0..grid.height() / 2, 0..grid.width())
}
pub(crate) fn bottomhalf<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    let rows = grid.height().div_ceil(2)..grid.height();
    part(vm.arena, &grid, rows, 0..grid.width())
}

/// Halves of a single column are the empty tuple, because they go through a rotation.
fn columns<'a>(arena: Arena<'a>, grid: &Grid<'a>, range: Range<usize>) -> R<'a> {
    if range.is_empty() {
        Ok(Val::empty_tuple())
    } else {
        part(arena, grid, 0..grid.height(), range)
    }
}

pub(crate) fn lefthalf<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    columns(vm.arena, &grid, 0..grid.width() / 2)
}
pub(crate) fn righthalf<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    if is_nothing(grid) {
        return Ok(*grid);
    }
    let grid = grid_of(vm, grid)?;
    columns(vm.arena, &grid, grid.width().div_ceil(2)..grid.width())
}

pub(crate) fn compress<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    let kept = |n: usize, is_uniform: fn(&Grid<'_>, usize) -> bool| {
        List::from_iter_in((0..n).filter(|k| !is_uniform(&grid, *k)), vm.arena)
    };
    let rows = kept(grid.height(), row_is_uniform);
    let columns = kept(grid.width(), column_is_uniform);
    let mut cells = List::with_capacity_in(rows.len() * columns.len(), vm.arena);
    for i in &rows {
        cells.extend(columns.iter().map(|j| grid.at(*i, *j)));
    }
    Val::grid(vm.arena, rows.len(), columns.len(), cells.into_bump_slice())
}

pub(crate) fn toobject<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, grid: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    let of = toindices(vm, patch)?;
    let Some(at) = locations(vm, &of)? else {
        return Ok(Val::empty_set());
    };
    let is_inside = at.top() >= 0
        && at.left() >= 0
        && at.bottom() < grid.height() as i64
        && at.right() < grid.width() as i64;
    let seen = if is_inside {
        Some(at)
    } else {
        at.masked(vm.arena, &everywhere(vm.arena, &grid)?, true)
    };
    match seen {
        None => Ok(Val::empty_set()),
        Some(at) => {
            let made = changed(vm.arena, &of, Change::LookUp(grid));
            Ok(Object::coloured(vm.arena, at.made(made), &grid, (0, 0)))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;

    #[test]
    fn objects_are_painted_by_rows_as_by_cells() {
        let arena = Room::default();
        for n in 0..2_000i64 {
            let random = |k: i64| (n * 131 + k).wrapping_mul(0x9e37_79b9_7f4a) >> 17;
            let (height, width) = (n % 5 + 1, [1, 3, 10, 64, 70, 128][n as usize % 6]);
            let at = |k: usize| (random(k as i64) % 3) as i8;
            let cells = arena.alloc_slice_fill_with((height * width) as usize, at);
            let grid = Grid::new(height as usize, width as usize, cells);
            let rows: [u128; 4] = std::array::from_fn(|k| (random(k as i64) as u128 % 4_096) | 3);
            let (top, left) = (n % 12 - 5, n * 7 % (width + 20) - 15);
            let patch = Patch::from_rows(&arena, top, left, &rows).expect("it fits");
            let colour = |k: usize| match k as i64 / patch.width() {
                0 => 5,
                _ => 6 + (k as i64 % patch.width() % 3) as i8,
            };
            let n_places = (patch.height() * patch.width()) as usize;
            let colours = arena.alloc_slice_fill_with(n_places, colour);
            let colours = Grid::new(patch.height() as usize, patch.width() as usize, colours);
            let corner = (patch.top(), patch.left());
            let object = Object::coloured(&arena, patch, &colours, corner);
            let Val::Object(object) = object else {
                panic!("an object")
            };
            for only_over in [None, Some(1)] {
                let painted = grid.to_cells(&arena);
                paint_rows(painted, &grid, object, only_over);
                let wanted = grid.to_cells(&arena);
                for (v, i, j) in object.cells() {
                    if let Some(place) = grid.place(i, j)
                        && only_over.is_none_or(|background| wanted[place] == background)
                    {
                        wanted[place] = v;
                    }
                }
                assert_eq!(painted, wanted);
            }
        }
    }
}
