//! Primitives that give another value than arc-dsl's, mostly for empty arguments.

use leyden_dsl::fault::Fault;

use super::{float, is_patch};
use crate::vm::kernels::{self as classic, bool_of, grid_of, int_of, pair_of, patch_of};
use crate::vm::values::value::{List, Val};
use crate::vm::{EXACT, Maybe, R, Stop, Vm};

pub(in crate::vm) fn first<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::None),
        _ => classic::first(vm, container),
    }
}

pub(in crate::vm) fn last<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => classic::last(vm, container),
    }
}

/// An operand; for `()`, the number that changes nothing.
fn or_neutral<'a>(operand: &Val<'a>, neutral: i64) -> Val<'a> {
    match operand {
        Val::Tuple(items) if items.is_empty() => Val::Int(neutral),
        _ => *operand,
    }
}

pub(in crate::vm) fn add<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    classic::add(vm, &or_neutral(a, 0), &or_neutral(b, 0))
}

pub(in crate::vm) fn subtract<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    classic::subtract(vm, &or_neutral(a, 0), &or_neutral(b, 0))
}

pub(in crate::vm) fn multiply<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    classic::multiply(vm, &or_neutral(a, 1), &or_neutral(b, 1))
}

pub(in crate::vm) fn divide<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    classic::divide(vm, &or_neutral(a, 1), &or_neutral(b, 1))
}

/// The edges of a patch; nan for an empty one.
macro_rules! edges {
    ($( $name:ident )*) => { $(
        pub(in crate::vm) fn $name<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
            match patch.len() {
                Some(0) => float(f64::NAN),
                _ => classic::$name(vm, patch),
            }
        }
    )* };
}

edges!(uppermost lowermost leftmost rightmost);

pub(in crate::vm) fn center<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ if is_patch(patch) => classic::center(vm, patch),
        _ => Err(EXACT),
    }
}

pub(in crate::vm) fn manhattan<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.len() == Some(0) || b.len() == Some(0) {
        return float(f64::INFINITY);
    }
    classic::manhattan(vm, a, b)
}

pub(in crate::vm) fn adjacent<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.len() == Some(0) || b.len() == Some(0) {
        return bool_of(false);
    }
    classic::adjacent(vm, a, b)
}

pub(in crate::vm) fn shift<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, directions: &Val<'a>) -> R<'a> {
    match directions {
        _ if patch.len() == Some(0) => Ok(Val::empty_set()),
        Val::Tuple(items) if items.is_empty() => Ok(*patch),
        _ => classic::shift(vm, patch, directions),
    }
}

pub(in crate::vm) fn r#box<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch.len() {
        Some(0) => Ok(Val::empty_set()),
        _ => classic::r#box(vm, patch),
    }
}

pub(in crate::vm) fn other<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = classic::remove(vm, value, container)?;
    first(vm, &rest)
}

pub(in crate::vm) fn argmax<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => classic::argmax(vm, container, compfunc),
    }
}

pub(in crate::vm) fn argmin<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => classic::argmin(vm, container, compfunc),
    }
}

pub(in crate::vm) fn extract<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    condition: &Val<'a>,
) -> R<'a> {
    let found = classic::extract(vm, container, condition);
    let Err(stop) = found else { return found };
    match stop.take_fault() {
        // Only if no element was found: inside the condition, `StopIteration` becomes another
        // fault.
        Some(Fault::StopIteration) => Ok(Val::empty_set()),
        Some(fault) => Err(Stop::because_of(fault)),
        None => Err(stop),
    }
}

/// Whether a part of this length lies within a side of a grid.
fn is_within(start: i64, part: i64, side: usize) -> bool {
    let end = start.checked_add(part);
    (0..side as i64).contains(&start) && end.is_some_and(|end| end <= side as i64)
}

pub(in crate::vm) fn crop<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    start: &Val<'a>,
    dims: &Val<'a>,
) -> R<'a> {
    let (size, from, part) = (grid_of(vm, grid)?, pair_of(start)?, pair_of(dims)?);
    let is_inside =
        is_within(from.0, part.0, size.height()) && is_within(from.1, part.1, size.width());
    if !is_inside {
        return Ok(Val::empty_tuple());
    }
    classic::crop(vm, grid, start, dims)
}

pub(in crate::vm) fn subgrid<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, grid: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return Ok(Val::empty_tuple());
    }
    let patch = patch_of(patch)?;
    let start = Val::pair(vm.arena, patch.top(), patch.left());
    let dims = Val::pair(vm.arena, patch.height(), patch.width());
    crop(vm, grid, &start, &dims)
}

/// `n` parts of a grid; `part` gives the corner and the size of each. A part that does not lie
/// within the grid is `()`.
fn split<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    n: i64,
    n_rows: i64,
    part: impl Fn(i64) -> ((i64, i64), (i64, i64)),
) -> R<'a> {
    vm.announce(n as u64 * n_rows as u64)?;
    let mut parts = List::with_capacity_in(n as usize, vm.arena);
    for k in 0..n {
        let (start, dims) = part(k);
        parts.push(crop(vm, grid, &Val::place(start), &Val::place(dims))?);
    }
    Ok(Val::tuple(vm.arena, parts.into_bump_slice()))
}

/// The largest number of parts of a split; more are left to the reference engine. It bounds the memory
/// of one call.
const MOST_PARTS: i64 = 1_000;

/// The size of each of `n` parts of a side, and the distance of their starts.
fn part_of_side(side: usize, n: i64) -> Maybe<(i64, i64)> {
    if !(1..=MOST_PARTS).contains(&n) {
        return Err(EXACT);
    }
    let (part, rest) = (side as i64 / n, side as i64 % n);
    Ok((part, part + i64::from(rest != 0)))
}

pub(in crate::vm) fn hsplit<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, n: &Val<'a>) -> R<'a> {
    let (size, n) = (grid_of(vm, grid)?, int_of(n)?);
    let (width, step) = part_of_side(size.width(), n)?;
    let height = size.height() as i64;
    split(vm, grid, n, height, |k| ((0, step * k), (height, width)))
}

pub(in crate::vm) fn vsplit<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, n: &Val<'a>) -> R<'a> {
    let (size, n) = (grid_of(vm, grid)?, int_of(n)?);
    let (height, step) = part_of_side(size.height(), n)?;
    let width = size.width() as i64;
    split(vm, grid, n, height, |k| ((step * k, 0), (height, width)))
}

pub(in crate::vm) fn index<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, loc: &Val<'a>) -> R<'a> {
    match classic::index(vm, grid, loc)? {
        Val::None => float(f64::NEG_INFINITY),
        colour => Ok(colour),
    }
}

pub(in crate::vm) fn gravitate<'a>(
    vm: &mut Vm<'a>,
    source: &Val<'a>,
    destination: &Val<'a>,
) -> R<'a> {
    if !is_patch(source) || !is_patch(destination) {
        return Err(EXACT);
    }
    classic::gravitate(vm, source, destination)
}

pub(in crate::vm) fn position<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if !is_patch(a) || !is_patch(b) {
        return Err(EXACT);
    }
    classic::position(vm, a, b)
}

pub(in crate::vm) fn occurrences<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, obj: &Val<'a>) -> R<'a> {
    if !is_patch(obj) {
        return Err(EXACT);
    }
    classic::occurrences(vm, grid, obj)
}
