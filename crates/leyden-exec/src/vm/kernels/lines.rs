//! Lines and neighbourhoods.

use super::{EXACT, Maybe, R, Val, fault, pair_of, window};
use crate::vm::Vm;
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::patch::{MAX_COORDINATE, MAX_WIDTH, Patch};
use crate::vm::values::value::{Items, List};
use leyden_dsl::fault::Fault;

/// The longest line; longer ones are left to the reference engine. It bounds the memory of one call.
const LONGEST_LINE: i64 = 4_096;

fn around<'a>(
    vm: &Vm<'a>,
    (i, j): (i64, i64),
    rows: &'static [u128; 3],
    n_places: u32,
    made: Recipe<'a>,
) -> R<'a> {
    let made = Made::by(vm.arena, made);
    window(
        vm.arena,
        Patch::counted(i - 1, j - 1, 3, n_places, rows),
        made,
    )
}

/// Some neighbours of a location, in CPython's order.
fn listed<'a>(
    vm: &Vm<'a>,
    loc: &Val<'a>,
    rows: &'static [u128; 3],
    steps: [(i64, i64); 4],
) -> R<'a> {
    let (i, j) = pair_of(loc)?;
    let places = vm
        .arena
        .alloc(steps.map(|(di, dj)| Val::place((i + di, j + dj))));
    around(vm, (i, j), rows, 4, Recipe::Listed(places))
}

pub(crate) fn dneighbors<'a>(vm: &mut Vm<'a>, loc: &Val<'a>) -> R<'a> {
    let steps = [(-1, 0), (1, 0), (0, -1), (0, 1)];
    listed(vm, loc, &[0b010, 0b101, 0b010], steps)
}
pub(crate) fn ineighbors<'a>(vm: &mut Vm<'a>, loc: &Val<'a>) -> R<'a> {
    let steps = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
    listed(vm, loc, &[0b101, 0b000, 0b101], steps)
}
pub(crate) fn neighbors<'a>(vm: &mut Vm<'a>, loc: &Val<'a>) -> R<'a> {
    let (i, j) = pair_of(loc)?;
    let recipe = Recipe::Neighbours(i, j);
    around(vm, (i, j), &[0b111, 0b101, 0b111], 8, recipe)
}

/// The line between two locations, if they are aligned.
fn line<'a>(vm: &Vm<'a>, (ai, aj): (i64, i64), (bi, bj): (i64, i64)) -> R<'a> {
    let (top, left) = (ai.min(bi), aj.min(bj));
    let (height, width) = ((ai - bi).abs() + 1, (aj - bj).abs() + 1);
    if ai == bi || aj == bj {
        let line = Patch::rectangle(vm.arena, top, left, height, width);
        return match line {
            Some(_) => window(vm.arena, line, Made::ByRows),
            None => long_line(vm, (top, left), (height, width), true),
        };
    }
    if height != width {
        return Ok(Val::empty_set());
    }
    let falls = (ai < bi) == (aj < bj);
    if height > MAX_WIDTH {
        return long_line(vm, (top, left), (height, width), falls);
    }
    let diagonal = Patch::diagonal(top, left, height, falls);
    window(vm.arena, diagonal, Made::ByRows)
}

/// A line that is too long for a patch, one place after the other.
#[cold]
fn long_line<'a>(
    vm: &Vm<'a>,
    (top, left): (i64, i64),
    (height, width): (i64, i64),
    falls: bool,
) -> R<'a> {
    let (bottom, right) = (top + height - 1, left + width - 1);
    let is_far = |k: i64| k.abs() > MAX_COORDINATE;
    let length = height.max(width);
    if [top, left, bottom, right].into_iter().any(is_far) || length > LONGEST_LINE {
        return Err(EXACT);
    }
    let mut places = List::with_capacity_in(length as usize, vm.arena);
    places.extend((0..length).map(|k| {
        let (i, j) = (k.min(height - 1), k.min(width - 1));
        Val::place((top + i, if falls { left + j } else { right - j }))
    }));
    // Sorted, because the rows come one after the other.
    let places = places.into_bump_slice();
    Ok(Val::Set(Items::of(vm.arena, places, Made::ByRows)))
}

/// The fault of a missing location.
fn no_location(location: &Val<'_>, of_nothing: Fault) -> Maybe<()> {
    match location {
        Val::None => fault(Fault::TypeError),
        Val::Tuple(items) if items.is_empty() => fault(of_nothing),
        _ => Ok(()),
    }
}

pub(crate) fn connect<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    no_location(a, Fault::ValueError)?;
    pair_of(a)?;
    no_location(b, Fault::ValueError)?;
    line(vm, pair_of(a)?, pair_of(b)?)
}

pub(crate) fn shoot<'a>(vm: &mut Vm<'a>, start: &Val<'a>, direction: &Val<'a>) -> R<'a> {
    no_location(start, Fault::IndexError)?;
    pair_of(start)?;
    no_location(direction, Fault::IndexError)?;
    let ((i, j), (di, dj)) = (pair_of(start)?, pair_of(direction)?);
    line(vm, (i, j), (i + 42 * di, j + 42 * dj))
}

/// One of the two parts of a location; the other may be anything.
fn coordinate(location: &Val<'_>, is_row: bool) -> Maybe<i64> {
    match location {
        Val::Two(two) => match if is_row { two.0 } else { two.1 } {
            Val::Int(n) => Ok(n),
            // CPython keeps a boolean unchanged.
            _ => Err(EXACT),
        },
        _ => pair_of(location).map(|(i, j)| if is_row { i } else { j }),
    }
}

pub(crate) fn vfrontier<'a>(vm: &mut Vm<'a>, location: &Val<'a>) -> R<'a> {
    let line = Patch::rectangle(vm.arena, 0, coordinate(location, false)?, 30, 1);
    window(vm.arena, line, Made::ByRows)
}
pub(crate) fn hfrontier<'a>(vm: &mut Vm<'a>, location: &Val<'a>) -> R<'a> {
    let line = Patch::rectangle(vm.arena, coordinate(location, true)?, 0, 1, 30);
    window(vm.arena, line, Made::ByRows)
}
