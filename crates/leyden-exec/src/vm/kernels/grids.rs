//! Whole grids.

use std::ops::Range;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::MAX_ELEMENTS;

use super::super::Vm;
use super::super::patch::{Patch, for_each_bit};
use super::super::value::{Colours, Object};
use super::colour::most_frequent;
use super::containers::{Kind, container};
use super::objects::places_of;
use super::patches::{cells_to_paint, locations};
use super::{
    EXACT, Grid, R, Val, colour_of, fault, filled_by_rows, grid_of, int_of, pair_of, patch_of,
};

use std::rc::Rc;

/// Python's `sequence[start:stop]` on a sequence of that length.
fn slice(len: usize, start: i64, stop: i64) -> Range<usize> {
    let len = len as i64;
    let bound = |k: i64| if k < 0 { (k + len).max(0) } else { k.min(len) };
    let (start, stop) = (bound(start), bound(stop));
    start as usize..stop.max(start) as usize
}

/// The cells of some rows and columns.
fn part(grid: &Grid, rows: Range<usize>, columns: Range<usize>) -> R {
    let mut cells = Vec::with_capacity(rows.len() * columns.len());
    for i in rows.clone() {
        cells.extend_from_slice(&grid.row(i)[columns.clone()]);
    }
    Val::grid(rows.len(), columns.len(), cells)
}

fn cropped(grid: &Grid, (i, j): (i64, i64), (height, width): (i64, i64)) -> R {
    let stop = |start: i64, size: i64| start.checked_add(size).ok_or(EXACT);
    let rows = slice(grid.height(), i, stop(i, height)?);
    part(grid, rows, slice(grid.width(), j, stop(j, width)?))
}

/// A grid of width × height whose cell `(i, j)` comes from elsewhere.
pub(super) fn rearranged(grid: &Grid, source: impl Fn(usize, usize) -> (usize, usize)) -> R {
    let (height, width) = (grid.width(), grid.height());
    let mut cells = Vec::with_capacity(height * width);
    for i in 0..height {
        for j in 0..width {
            let (from_i, from_j) = source(i, j);
            cells.push(grid.at(from_i, from_j));
        }
    }
    Val::grid(height, width, cells)
}

/// Grids on top of each other; ragged ones are a tuple of rows.
pub(super) fn stacked(grids: &[Rc<Grid>]) -> R {
    let width = grids.first().map_or(0, |grid| grid.width());
    if grids.iter().all(|grid| grid.width() == width) {
        let height = grids.iter().map(|grid| grid.height()).sum();
        let mut cells = Vec::with_capacity(height * width);
        grids
            .iter()
            .for_each(|grid| cells.extend_from_slice(grid.cells()));
        return Val::grid(height, width, cells);
    }
    Ok(Val::tuple(
        grids
            .iter()
            .flat_map(|grid| grid.rows().map(Val::row))
            .collect(),
    ))
}

/// Each cell made a block.
pub(super) fn blown_up(grid: &Grid, down: i64, across: i64) -> R {
    let (down, across) = (down.max(0), across.max(0));
    let area = (grid.cells().len() as i64)
        .checked_mul(down)
        .and_then(|n| n.checked_mul(across));
    if area.is_none_or(|n| n > MAX_ELEMENTS as i64) {
        return Err(EXACT);
    }
    let (down, across) = (down as usize, across as usize);
    let mut cells = Vec::with_capacity(grid.cells().len() * down * across);
    for row in grid.rows() {
        let start = cells.len();
        for v in row {
            cells.extend(std::iter::repeat_n(*v, across));
        }
        let end = cells.len();
        for _ in 1..down {
            cells.extend_from_within(start..end);
        }
        if down == 0 {
            cells.truncate(start);
        }
    }
    Val::grid(grid.height() * down, grid.width() * across, cells)
}

pub(super) fn row_is_uniform(grid: &Grid, i: usize) -> bool {
    grid.row(i).iter().all(|v| *v == grid.at(i, 0))
}

pub(super) fn column_is_uniform(grid: &Grid, j: usize) -> bool {
    (0..grid.height()).all(|i| grid.at(i, j) == grid.at(0, j))
}

pub(crate) fn asindices(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    filled_by_rows(Patch::rectangle(
        0,
        0,
        grid.height() as i64,
        grid.width() as i64,
    ))
}

pub(crate) fn ofcolor(_: &mut Vm, grid: &Val, value: &Val) -> R {
    let grid = grid_of(grid)?;
    let colour = match value {
        Val::None | Val::Pair(..) => return Ok(Val::empty_set()),
        _ => int_of(value)?,
    };
    if grid.width() > 128 || grid.height() > 256 {
        return Err(EXACT);
    }
    match i8::try_from(colour)
        .ok()
        .and_then(|colour| places_of(&grid, colour))
    {
        None => Ok(Val::empty_set()),
        places => filled_by_rows(places),
    }
}

pub(crate) fn crop(_: &mut Vm, grid: &Val, start: &Val, dims: &Val) -> R {
    cropped(&*grid_of(grid)?, pair_of(start)?, pair_of(dims)?)
}

pub(crate) fn asobject(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    let patch = Patch::rectangle(0, 0, grid.height() as i64, grid.width() as i64).ok_or(EXACT)?;
    let first = grid.at(0, 0);
    if grid.cells().iter().all(|v| *v == first) {
        return Ok(Object::uniform(patch, first));
    }
    Ok(Val::Object(Rc::new(Object {
        patch,
        colours: Colours::Each(grid.cells().into()),
    })))
}

pub(crate) fn rot90(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    rearranged(&grid, |i, j| (grid.height() - 1 - j, i))
}
pub(crate) fn rot180(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    Ok(grid.with_cells(grid.cells().iter().rev().copied().collect()))
}
pub(crate) fn rot270(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    rearranged(&grid, |i, j| (j, grid.width() - 1 - i))
}

/// Changes the cells of a grid at the places of a patch that lie inside.
fn change_at(grid: &Grid, patch: &Patch, change: impl Fn(&mut i8)) -> Val {
    let mut cells = grid.to_cells();
    let inside = u128::MAX >> (128 - grid.width().min(128));
    let (top, bottom) = (
        patch.top().max(0),
        patch.bottom().min(grid.height() as i64 - 1),
    );
    for i in top..=bottom {
        let row = &mut cells[i as usize * grid.width()..][..grid.width()];
        for_each_bit(patch.row_at(i, 0) & inside, |j| change(&mut row[j]));
    }
    grid.with_cells(cells)
}

/// `fill`, where places beyond column 127 are too far out for a row of bits.
fn filled(grid: &Grid, colour: i8, patch: &Val, only_over: Option<i8>) -> R {
    let Some(patch) = locations(patch)? else {
        return Ok(Val::Grid(Rc::new(grid.clone())));
    };
    if grid.width() > 128 {
        return Err(EXACT);
    }
    let change = |cell: &mut i8| {
        if only_over.is_none_or(|background| *cell == background) {
            *cell = colour;
        }
    };
    Ok(change_at(grid, &patch, change))
}

pub(crate) fn fill(_: &mut Vm, grid: &Val, value: &Val, patch: &Val) -> R {
    filled(&*grid_of(grid)?, colour_of(value)?, patch, None)
}

pub(crate) fn underfill(_: &mut Vm, grid: &Val, value: &Val, patch: &Val) -> R {
    filled(
        &*grid_of(grid)?,
        colour_of(value)?,
        patch,
        Some(most_frequent(grid)?),
    )
}

pub(crate) fn cover(_: &mut Vm, grid: &Val, patch: &Val) -> R {
    filled(&*grid_of(grid)?, most_frequent(grid)?, patch, None)
}

fn painted(grid: &Grid, obj: &Val, only_over: Option<i8>) -> R {
    if let Val::Object(object) = obj
        && let Some(colour) = object.only_colour()
    {
        return filled(grid, colour, obj, only_over);
    }
    let mut cells = grid.to_cells();
    for (v, i, j) in cells_to_paint(obj)? {
        if grid.get(i, j).is_some() {
            let cell = &mut cells[i as usize * grid.width() + j as usize];
            if only_over.is_none_or(|background| *cell == background) {
                *cell = v;
            }
        }
    }
    Ok(grid.with_cells(cells))
}

pub(crate) fn paint(_: &mut Vm, grid: &Val, obj: &Val) -> R {
    painted(&*grid_of(grid)?, obj, None)
}

pub(crate) fn underpaint(_: &mut Vm, grid: &Val, obj: &Val) -> R {
    painted(&*grid_of(grid)?, obj, Some(most_frequent(grid)?))
}

pub(crate) fn r#move(vm: &mut Vm, grid: &Val, obj: &Val, offset: &Val) -> R {
    let covered = cover(vm, grid, obj)?;
    let moved = super::shift(vm, obj, offset)?;
    paint(vm, &covered, &moved)
}

pub(crate) fn hupscale(_: &mut Vm, grid: &Val, factor: &Val) -> R {
    blown_up(&*grid_of(grid)?, 1, int_of(factor)?)
}
pub(crate) fn vupscale(_: &mut Vm, grid: &Val, factor: &Val) -> R {
    blown_up(&*grid_of(grid)?, int_of(factor)?, 1)
}

pub(crate) fn downscale(_: &mut Vm, grid: &Val, factor: &Val) -> R {
    let (grid, factor) = (grid_of(grid)?, int_of(factor)?.unsigned_abs() as usize);
    if factor == 0 {
        return fault(Fault::ZeroDivisionError);
    }
    let (height, width) = (
        grid.height().div_ceil(factor),
        grid.width().div_ceil(factor),
    );
    let mut cells = Vec::with_capacity(height * width);
    for i in (0..grid.height()).step_by(factor) {
        cells.extend(grid.row(i).iter().step_by(factor));
    }
    Val::grid(height, width, cells)
}

pub(crate) fn hconcat(_: &mut Vm, a: &Val, b: &Val) -> R {
    let (a, b) = (grid_of(a)?, grid_of(b)?);
    let (height, width) = (a.height().min(b.height()), a.width() + b.width());
    let mut cells = Vec::with_capacity(height * width);
    for (left, right) in a.rows().zip(b.rows()) {
        cells.extend_from_slice(left);
        cells.extend_from_slice(right);
    }
    Val::grid(height, width, cells)
}

pub(crate) fn vconcat(_: &mut Vm, a: &Val, b: &Val) -> R {
    if let (Val::Grid(a), Val::Grid(b)) = (a, b) {
        return stacked(&[a.clone(), b.clone()]);
    }
    match (container(a)?, container(b)?) {
        ((Kind::Tuple, top), (Kind::Tuple, bottom)) => Ok(Val::rows([top, bottom].concat())),
        _ => Err(EXACT),
    }
}

pub(crate) fn subgrid(_: &mut Vm, patch: &Val, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    if patch.is_empty_set() {
        return fault(Fault::IndexError);
    }
    let patch = patch_of(patch)?;
    cropped(
        &grid,
        (patch.top(), patch.left()),
        (patch.height(), patch.width()),
    )
}

/// Where part `k` of `n` starts along a side of that length, and how long it is.
fn split(len: usize, n: i64) -> (i64, impl Fn(i64) -> i64) {
    let size = len as i64 / n;
    let offset = i64::from(len as i64 % n != 0);
    (size, move |k| size * k + k * offset)
}

fn parts(n: i64, part: impl Fn(i64) -> R) -> R {
    if n > 1_000 {
        return Err(EXACT);
    }
    Ok(Val::tuple((0..n).map(part).collect::<R<Vec<_>>>()?))
}

pub(crate) fn hsplit(_: &mut Vm, grid: &Val, n: &Val) -> R {
    let (grid, n) = (grid_of(grid)?, int_of(n)?);
    if n == 0 {
        return fault(Fault::ZeroDivisionError);
    }
    let (width, start) = split(grid.width(), n);
    parts(n, |k| {
        cropped(&grid, (0, start(k)), (grid.height() as i64, width))
    })
}

pub(crate) fn vsplit(_: &mut Vm, grid: &Val, n: &Val) -> R {
    let (grid, n) = (grid_of(grid)?, int_of(n)?);
    if n == 0 {
        return fault(Fault::ZeroDivisionError);
    }
    let (height, start) = split(grid.height(), n);
    parts(n, |k| {
        cropped(&grid, (start(k), 0), (height, grid.width() as i64))
    })
}

pub(crate) fn cellwise(_: &mut Vm, a: &Val, b: &Val, fallback: &Val) -> R {
    let (a, b, fallback) = (grid_of(a)?, grid_of(b)?, colour_of(fallback)?);
    if b.height() < a.height() || b.width() < a.width() {
        return fault(Fault::IndexError);
    }
    let agreed = |(x, y): (&i8, &i8)| if x == y { *x } else { fallback };
    let mut cells = Vec::with_capacity(a.cells().len());
    for (x, y) in a.rows().zip(b.rows()) {
        cells.extend(x.iter().zip(y).map(agreed));
    }
    Ok(a.with_cells(cells))
}

pub(crate) fn replace(_: &mut Vm, grid: &Val, replacee: &Val, replacer: &Val) -> R {
    let (grid, new) = (grid_of(grid)?, colour_of(replacer)?);
    let Ok(old) = i8::try_from(int_of(replacee)?) else {
        return Ok(Val::Grid(grid));
    };
    Ok(grid.with_cells(
        grid.cells()
            .iter()
            .map(|v| if *v == old { new } else { *v })
            .collect(),
    ))
}

pub(crate) fn switch(_: &mut Vm, grid: &Val, a: &Val, b: &Val) -> R {
    let (grid, a, b) = (grid_of(grid)?, colour_of(a)?, colour_of(b)?);
    let swapped = |v: &i8| {
        if *v == a {
            b
        } else if *v == b {
            a
        } else {
            *v
        }
    };
    Ok(grid.with_cells(grid.cells().iter().map(swapped).collect()))
}

pub(crate) fn index(_: &mut Vm, grid: &Val, loc: &Val) -> R {
    let (i, j) = pair_of(loc)?;
    Ok(grid_of(grid)?
        .get(i, j)
        .map_or(Val::None, |v| Val::Int(i64::from(v))))
}

pub(crate) fn canvas(_: &mut Vm, value: &Val, dimensions: &Val) -> R {
    let (height, width) = pair_of(dimensions)?;
    let (height, width) = (height.max(0), width.max(0));
    if height.saturating_mul(width.max(1)) > MAX_ELEMENTS as i64 || width > MAX_ELEMENTS as i64 {
        return Err(EXACT);
    }
    Val::grid(
        height as usize,
        width as usize,
        vec![colour_of(value)?; (height * width) as usize],
    )
}

pub(crate) fn trim(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    part(
        &grid,
        slice(grid.height(), 1, -1),
        slice(grid.width(), 1, -1),
    )
}

pub(crate) fn tophalf(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    part(&grid, 0..grid.height() / 2, 0..grid.width())
}
pub(crate) fn bottomhalf(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    part(
        &grid,
        grid.height().div_ceil(2)..grid.height(),
        0..grid.width(),
    )
}

/// Halves of a single column are the empty tuple, because they go through a rotation.
fn columns(grid: &Grid, range: Range<usize>) -> R {
    if range.is_empty() {
        Ok(Val::empty_tuple())
    } else {
        part(grid, 0..grid.height(), range)
    }
}

pub(crate) fn lefthalf(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    columns(&grid, 0..grid.width() / 2)
}
pub(crate) fn righthalf(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    columns(&grid, grid.width().div_ceil(2)..grid.width())
}

pub(crate) fn compress(_: &mut Vm, grid: &Val) -> R {
    let grid = grid_of(grid)?;
    let rows: Vec<usize> = (0..grid.height())
        .filter(|i| !row_is_uniform(&grid, *i))
        .collect();
    let columns: Vec<usize> = (0..grid.width())
        .filter(|j| !column_is_uniform(&grid, *j))
        .collect();
    let mut cells = Vec::with_capacity(rows.len() * columns.len());
    for i in &rows {
        cells.extend(columns.iter().map(|j| grid.at(*i, *j)));
    }
    Val::grid(rows.len(), columns.len(), cells)
}
