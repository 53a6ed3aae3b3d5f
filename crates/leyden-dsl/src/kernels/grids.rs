//! Kernels for whole grids.

use super::build::{charge_for_other_rows, set_from, tuple_from, tuple_of_tuples};
use super::typed::{background, patch_shape, transposed_grid};
use super::{Outcome, named};
use crate::cx::Cx;
use crate::fault::Fault;
use crate::meter::{check_len, check_parts, check_set_len};
use crate::ops::{self, count, item, reversed};
use crate::pyset::Table;
use crate::value::Value;

/// `len(grid), len(grid[0])`
pub(super) fn dimensions(grid: &Value) -> Outcome<(usize, usize)> {
    Ok((ops::len(grid)?, ops::len(item(grid, 0)?)?))
}

/// `grid[i][j]`
#[inline]
pub(super) fn cell(grid: &Value, i: usize, j: usize) -> Outcome<&Value> {
    item(item(grid, i)?, j)
}

/// The position, if `0 <= i < h and 0 <= j < w`.
#[inline]
pub(super) fn inside(
    i: &Value,
    j: &Value,
    (h, w): (usize, usize),
) -> Outcome<Option<(usize, usize)>> {
    let within = |x: &Value, end: usize| -> Outcome<Option<usize>> {
        match x {
            Value::Float(x) if !(0.0..end as f64).contains(x) => Ok(None),
            _ => Ok(usize::try_from(ops::int(x)?).ok().filter(|x| *x < end)),
        }
    };
    match within(i, h)? {
        Some(i) => Ok(within(j, w)?.map(|j| (i, j))),
        None => Ok(None),
    }
}

pub fn asindices(_cx: &mut Cx, grid: &Value) -> Outcome {
    if ops::len(grid)? == 0 {
        return Value::set(Table::new());
    }
    let (h, w) = dimensions(grid)?;
    check_set_len(h.saturating_mul(w))?;
    let row = |i: i64| (0..w as i64).map(move |j| Ok((i, j).into()));
    set_from((0..h as i64).flat_map(row))
}

/// Is it a tuple of tuples of numbers?
fn is_tuple_of_rows(x: &Value) -> bool {
    let is_row = |row: &Value| match row.as_items() {
        Some(row) => row.iter().all(|colour| colour.as_int().is_some()),
        None => false,
    };
    x.as_items().is_some_and(|rows| rows.iter().all(is_row))
}

pub fn asobject(cx: &mut Cx, grid: &Value) -> Outcome {
    if !cx.dialect.is_classic() && !is_tuple_of_rows(grid) {
        return Value::set(Table::new());
    }
    charge_for_other_rows(cx, grid)?;
    let mut result = Table::new();
    for (i, row) in ops::iter(grid)?.enumerate() {
        for (j, value) in ops::iter(row)?.enumerate() {
            let cell = cx.dialect.cell_at(value.clone(), (i as i64, j as i64))?;
            result.insert(cell);
            check_set_len(result.len())?;
        }
    }
    Value::set(result)
}

pub fn ofcolor(cx: &mut Cx, grid: &Value, value: &Value) -> Outcome {
    charge_for_other_rows(cx, grid)?;
    let mut result = Table::new();
    for (i, row) in ops::iter(grid)?.enumerate() {
        for (j, colour) in ops::iter(row)?.enumerate() {
            if ops::equal(colour, value) {
                result.insert(Value::from((i as i64, j as i64)));
            }
        }
    }
    Value::set(result)
}

pub fn replace(_cx: &mut Cx, grid: &Value, replacee: &Value, replacer: &Value) -> Outcome {
    recoloured(grid, |colour| {
        if ops::equal(colour, replacee) {
            replacer.clone()
        } else {
            colour.clone()
        }
    })
}

pub fn switch(_cx: &mut Cx, grid: &Value, a: &Value, b: &Value) -> Outcome {
    recoloured(grid, |colour| {
        // The order matters: if `a` equals `b`, `{a: b, b: a}` is `{a: a}`.
        if colour == b {
            a.clone()
        } else if colour == a {
            b.clone()
        } else {
            colour.clone()
        }
    })
}

fn recoloured(grid: &Value, change: impl Fn(&Value) -> Value) -> Outcome {
    let changed = |row| Value::tuple(ops::iter(row)?.map(&change).collect());
    tuple_from(ops::iter(grid)?.map(changed))
}

pub fn crop(cx: &mut Cx, grid: &Value, start: &Value, dims: &Value) -> Outcome {
    if !cx.dialect.is_classic() && !is_within(grid, start, dims)? {
        return Value::tuple(Vec::new());
    }
    let (i, end) = bounds(start, dims, 0)?;
    let rows = ops::slice(grid, i, end)?;
    let cut = |row| {
        let (j, end) = bounds(start, dims, 1)?;
        ops::slice(row, j, end)
    };
    tuple_from(ops::iter(&rows)?.map(cut))
}

/// Is the part inside the grid? Tokpidjin crops no other part.
fn is_within(grid: &Value, start: &Value, dims: &Value) -> Outcome<bool> {
    let (h, w) = dimensions(grid)?;
    let is_inside = |k: usize, length: usize| -> Outcome<bool> {
        let (start, end) = bounds(start, dims, k)?;
        Ok((0..length as i64).contains(&start) && end <= length as i64)
    };
    Ok(is_inside(0, h)? && is_inside(1, w)?)
}

/// `start[k], start[k] + dims[k]`
fn bounds(start: &Value, dims: &Value, k: usize) -> Outcome<(i64, i64)> {
    let start = item(start, k)?;
    let end = ops::add(start, item(dims, k)?)?;
    Ok((ops::int(start)?, ops::int(&end)?))
}

/// `tuple(zip(*grid[::-1]))`
pub fn rot90(_cx: &mut Cx, grid: &Value) -> Outcome {
    let columns = ops::transposed(ops::items(grid)?.iter().rev())?;
    tuple_of_tuples(columns)
}

pub fn rot180(_cx: &mut Cx, grid: &Value) -> Outcome {
    tuple_from(ops::items(grid)?.iter().rev().map(reversed))
}

pub fn rot270(_cx: &mut Cx, grid: &Value) -> Outcome {
    let mut columns = ops::transposed(ops::items(grid)?.iter().rev())?;
    columns.iter_mut().for_each(|column| column.reverse());
    tuple_of_tuples(columns.into_iter().rev())
}

/// `list(list(row) for row in grid)`
fn mutable(grid: &Value) -> Outcome<Vec<Vec<Value>>> {
    let list = |row| Ok(ops::iter(row)?.cloned().collect());
    ops::iter(grid)?.map(list).collect()
}

/// The cell of a mutable grid, whose rows may be shorter than the first one.
fn cell_mut(rows: &mut [Vec<Value>], (i, j): (usize, usize)) -> Outcome<&mut Value> {
    let row = rows.get_mut(i).ok_or(Fault::IndexError)?;
    row.get_mut(j).ok_or(Fault::IndexError)
}

pub fn fill(cx: &mut Cx, grid: &Value, value: &Value, patch: &Value) -> Outcome {
    let size = dimensions(grid)?;
    let mut rows = mutable(grid)?;
    for location in ops::iter(&named::toindices(cx, patch)?)? {
        let (i, j) = ops::unpack(location)?;
        if let Some(position) = inside(i, j, size)? {
            *cell_mut(&mut rows, position)? = value.clone();
        }
    }
    tuple_of_tuples(rows)
}

pub fn paint(cx: &mut Cx, grid: &Value, obj: &Value) -> Outcome {
    let size = dimensions(grid)?;
    let mut rows = mutable(grid)?;
    for cell in ops::iter(obj)? {
        let (value, i, j) = cx.dialect.unpack_cell(cell)?;
        if let Some(position) = inside(i, j, size)? {
            *cell_mut(&mut rows, position)? = value.clone();
        }
    }
    tuple_of_tuples(rows)
}

/// Replaces a cell that shows the background.
fn replace_background(cell: &mut Value, background: &Value, value: &Value) {
    if ops::equal(cell, background) {
        *cell = value.clone();
    }
}

pub fn underfill(cx: &mut Cx, grid: &Value, value: &Value, patch: &Value) -> Outcome {
    let size = dimensions(grid)?;
    let background = background(cx, grid)?;
    let mut rows = mutable(grid)?;
    for location in ops::iter(&named::toindices(cx, patch)?)? {
        let (i, j) = ops::unpack(location)?;
        if let Some(position) = inside(i, j, size)? {
            replace_background(cell_mut(&mut rows, position)?, &background, value);
        }
    }
    tuple_of_tuples(rows)
}

pub fn underpaint(cx: &mut Cx, grid: &Value, obj: &Value) -> Outcome {
    let size = dimensions(grid)?;
    let background = background(cx, grid)?;
    let mut rows = mutable(grid)?;
    for cell in ops::iter(obj)? {
        let (value, i, j) = cx.dialect.unpack_cell(cell)?;
        if let Some(position) = inside(i, j, size)? {
            replace_background(cell_mut(&mut rows, position)?, &background, value);
        }
    }
    tuple_of_tuples(rows)
}

/// A row with each value repeated. For an empty row the factor does not matter.
fn upscaled_row(row: &Value, factor: &Value) -> Outcome {
    let mut result = Vec::new();
    for value in ops::iter(row)? {
        let n = ops::repetitions(factor)?;
        check_len(result.len() + n)?;
        result.extend(std::iter::repeat_n(value, n).cloned());
    }
    Value::tuple(result)
}

pub fn hupscale(cx: &mut Cx, grid: &Value, factor: &Value) -> Outcome {
    announce_upscaled(cx, grid, &count(1), factor)?;
    tuple_from(ops::iter(grid)?.map(|row| upscaled_row(row, factor)))
}

/// Announces a grid whose rows and cells are repeated. A wrong grid or factor is left to the
/// kernel, which faults.
fn announce_upscaled(cx: &mut Cx, grid: &Value, down: &Value, across: &Value) -> Outcome<()> {
    let factor = |n: &Value| n.as_int().map(|n| usize::try_from(n).unwrap_or(0));
    let lengths = || {
        ops::iter(grid)
            .ok()?
            .map(|row| ops::len(row).ok())
            .collect::<Option<Vec<_>>>()
    };
    let (Some(down), Some(across), Some(lengths)) = (factor(down), factor(across), lengths())
    else {
        return Ok(());
    };
    let n_cells = lengths.iter().fold(0, |n: usize, length| {
        n.saturating_add(length.saturating_mul(across))
    });
    let longest = lengths.iter().copied().max().unwrap_or(0);
    check_len(longest.saturating_mul(across))?;
    check_parts(n_cells.saturating_mul(down))?;
    let n_rows = lengths.len().saturating_mul(down);
    check_len(n_rows)?;
    check_parts(n_rows)?;
    cx.meter.announce(n_cells.saturating_mul(down).max(n_rows))
}

/// A grid in which each cell becomes a square.
pub(super) fn upscaled_grid(cx: &mut Cx, grid: &Value, factor: &Value) -> Outcome {
    announce_upscaled(cx, grid, factor, factor)?;
    let rows = tuple_from(ops::iter(grid)?.map(|row| upscaled_row(row, factor)))?;
    repeated_rows(ops::iter(&rows)?.map(|row| Ok(row.clone())), factor)
}

pub fn vupscale(cx: &mut Cx, grid: &Value, factor: &Value) -> Outcome {
    announce_upscaled(cx, grid, factor, &count(1))?;
    repeated_rows(ops::iter(grid)?.map(|row| Ok(row.clone())), factor)
}

/// Each row `factor` times.
fn repeated_rows(rows: impl Iterator<Item = Outcome>, factor: &Value) -> Outcome {
    let mut result = Vec::new();
    for row in rows {
        let (row, n) = (row?, ops::repetitions(factor)?);
        check_len(result.len() + n)?;
        result.extend(std::iter::repeat_n(row, n));
    }
    Value::tuple(result)
}

pub fn downscale(_cx: &mut Cx, grid: &Value, factor: &Value) -> Outcome {
    let (h, w) = dimensions(grid)?;
    let thinned_row = |i: usize| -> Outcome {
        let mut row = Vec::new();
        for j in 0..w {
            if ops::is_multiple(&count(j), factor)? {
                row.push(cell(grid, i, j)?.clone());
            }
        }
        Value::tuple(row)
    };
    let thinned_rows = (0..h).map(thinned_row).collect::<Outcome<Vec<_>>>()?;
    let mut result = Vec::new();
    for (i, row) in thinned_rows.into_iter().enumerate() {
        if ops::is_multiple(&count(i), factor)? {
            result.push(row);
        }
    }
    Value::tuple(result)
}

pub fn hconcat(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let rows = ops::iter(a)?.zip(ops::iter(b)?);
    tuple_from(rows.map(|(left, right)| ops::add(left, right)))
}

pub fn vconcat(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    ops::add(a, b)
}

pub fn subgrid(cx: &mut Cx, patch: &Value, grid: &Value) -> Outcome {
    if !cx.dialect.is_classic() && matches!(ops::len(patch), Ok(0)) {
        return Value::tuple(Vec::new());
    }
    let (start, dims) = (named::ulcorner(cx, patch)?, patch_shape(cx, patch)?);
    named::crop(cx, grid, &start, &dims)
}

/// The width of each of `n` parts of a line, and the distance between their starts.
fn parts(length: usize, n: &Value) -> Outcome<(i64, i64)> {
    let length = count(length);
    let size = ops::int(&ops::floor_div(&length, n)?)?;
    let has_gaps = !ops::is_multiple(&length, n)?;
    Ok((size, size + i64::from(has_gaps)))
}

/// Cuts `n` parts out of a grid. All have as many rows as the first. The first one is made before
/// the others are announced, because a fault of the grid comes first.
fn parts_at(
    cx: &mut Cx,
    grid: &Value,
    n: &Value,
    dims: &Value,
    start: impl Fn(i64) -> (i64, i64),
) -> Outcome {
    let n_parts = ops::repetitions(n)?;
    if n_parts == 0 {
        return Value::tuple(Vec::new());
    }
    let first = named::crop(cx, grid, &start(0).into(), dims)?;
    // The last part has the fewest rows; tokpidjin's parts beyond the grid have none.
    let (top, _) = start(n_parts as i64 - 1);
    let n_below = (ops::len(grid)? as i64).saturating_sub(top).max(0) as usize;
    let n_least = if cx.dialect.is_classic() {
        ops::len(&first)?.min(n_below)
    } else {
        0
    };
    cx.announce_tuple(n_parts, n_least, 1 + n_least)?;
    let others = (1..n_parts as i64).map(|k| named::crop(cx, grid, &start(k).into(), dims));
    tuple_from(std::iter::once(Ok(first)).chain(others))
}

pub fn hsplit(cx: &mut Cx, grid: &Value, n: &Value) -> Outcome {
    let (h, w) = dimensions(grid)?;
    let (w, step) = parts(w, n)?;
    let dims = (h as i64, w).into();
    parts_at(cx, grid, n, &dims, |k| (0, step * k))
}

pub fn vsplit(cx: &mut Cx, grid: &Value, n: &Value) -> Outcome {
    let (h, step) = parts(ops::len(grid)?, n)?;
    let (_, w) = dimensions(grid)?;
    let dims = (h, w as i64).into();
    parts_at(cx, grid, n, &dims, |k| (step * k, 0))
}

pub fn cellwise(cx: &mut Cx, a: &Value, b: &Value, fallback: &Value) -> Outcome {
    let (h, w) = dimensions(a)?;
    let mut matched = |i: usize, j: usize| -> Outcome {
        let value = cell(a, i, j)?;
        let is_match = if cx.dialect.is_classic() {
            ops::equal(value, cell(b, i, j)?)
        } else {
            ops::equal(value, &named::index(cx, b, &(i as i64, j as i64).into())?)
        };
        Ok(if is_match { value } else { fallback }.clone())
    };
    tuple_from((0..h).map(|i| tuple_from((0..w).map(|j| matched(i, j)))))
}

pub fn index(cx: &mut Cx, grid: &Value, loc: &Value) -> Outcome {
    let outside = if cx.dialect.is_classic() {
        Value::None
    } else {
        Value::Float(f64::NEG_INFINITY)
    };
    if !cx.dialect.is_classic() && loc.as_items().is_some_and(<[_]>::is_empty) {
        return Ok(outside);
    }
    let (i, j) = ops::unpack(loc)?;
    match inside(i, j, dimensions(grid)?)? {
        Some((i, j)) => {
            ops::items(loc)?;
            cell(grid, i, j).cloned()
        }
        None => Ok(outside),
    }
}

pub fn canvas(cx: &mut Cx, value: &Value, dimensions: &Value) -> Outcome {
    let h = ops::repetitions(item(dimensions, 0)?)?;
    if h == 0 {
        return Value::tuple(Vec::new());
    }
    let w = ops::repetitions(item(dimensions, 1)?)?;
    let parts_of_row = w.saturating_mul(value.n_parts() as usize);
    cx.announce_tuple(h, w, parts_of_row.saturating_add(1))?;
    let row = Value::tuple(vec![value.clone(); w])?;
    Value::tuple(vec![row; h])
}

pub fn cover(cx: &mut Cx, grid: &Value, patch: &Value) -> Outcome {
    let background = background(cx, grid)?;
    let indices = named::toindices(cx, patch)?;
    named::fill(cx, grid, &background, &indices)
}

pub fn trim(_cx: &mut Cx, grid: &Value) -> Outcome {
    let rows = ops::slice(grid, 1, -1)?;
    tuple_from(ops::iter(&rows)?.map(|row| ops::slice(row, 1, -1)))
}

pub fn r#move(cx: &mut Cx, grid: &Value, obj: &Value, offset: &Value) -> Outcome {
    let covered = named::cover(cx, grid, obj)?;
    let shifted = named::shift(cx, obj, offset)?;
    named::paint(cx, &covered, &shifted)
}

pub fn tophalf(_cx: &mut Cx, grid: &Value) -> Outcome {
    let h = ops::len(grid)? as i64;
    ops::slice(grid, 0, h / 2)
}

pub fn bottomhalf(_cx: &mut Cx, grid: &Value) -> Outcome {
    let h = ops::len(grid)? as i64;
    ops::slice(grid, h / 2 + h % 2, h)
}

pub fn lefthalf(cx: &mut Cx, grid: &Value) -> Outcome {
    let turned = named::rot90(cx, grid)?;
    let half = named::tophalf(cx, &turned)?;
    named::rot270(cx, &half)
}

pub fn righthalf(cx: &mut Cx, grid: &Value) -> Outcome {
    let turned = named::rot90(cx, grid)?;
    let half = named::bottomhalf(cx, &turned)?;
    named::rot270(cx, &half)
}

/// The positions of the lines with one colour only.
pub(super) fn uniform<'a>(lines: impl Iterator<Item = &'a Value>) -> Outcome<Vec<usize>> {
    let mut positions = Vec::new();
    for (k, line) in lines.enumerate() {
        if ops::set_of(line)?.len() == 1 {
            positions.push(k);
        }
    }
    Ok(positions)
}

/// The values whose positions are not among the dropped ones, which are sorted.
fn without<'a>(
    values: impl Iterator<Item = &'a Value>,
    dropped: &[usize],
) -> impl Iterator<Item = &'a Value> {
    let is_kept = |(k, _): &(usize, &Value)| dropped.binary_search(k).is_err();
    values.enumerate().filter(is_kept).map(|(_, value)| value)
}

pub fn compress(cx: &mut Cx, grid: &Value) -> Outcome {
    let rows = uniform(ops::iter(grid)?)?;
    let columns = uniform(ops::iter(&transposed_grid(cx, grid)?)?)?;
    let narrowed = |row| {
        let kept = without(ops::iter(row)?, &columns);
        Value::tuple(kept.cloned().collect())
    };
    tuple_from(without(ops::iter(grid)?, &rows).map(narrowed))
}
