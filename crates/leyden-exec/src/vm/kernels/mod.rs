//! The primitives on the fast engine's values, by theme.

mod arithmetic;
mod colour;
mod containers;
mod extremes;
mod functional;
mod geometry;
mod grids;
mod iteration;
mod lines;
pub(super) mod missing;
mod objects;
mod patches;
pub(super) mod tokpidjin;
mod unions;

pub(super) use arithmetic::*;
pub(super) use colour::*;
pub(super) use containers::*;
pub(super) use extremes::*;
pub(super) use functional::*;
pub(super) use geometry::*;
pub(super) use grids::*;
pub(super) use lines::*;
pub(super) use objects::*;
pub(super) use patches::*;

use leyden_dsl::fault::Fault;
use leyden_dsl::types::Type;

use crate::vm::order::provenance::Made;
use crate::vm::values::patch::Patch;
use crate::vm::values::value::{Arena, Grid, Val};
use crate::vm::{EXACT, Maybe, R, Stop, Vm};

/// Whether kernels of arc-dsl's and re-arc's dialects take an argument: they take any.
#[inline(always)]
pub(super) fn is_usual(_: Type, _: &Val<'_>) -> bool {
    true
}

/// A fault that CPython raises, too.
fn fault<T>(fault: Fault) -> Maybe<T> {
    Err(Stop::because_of(fault))
}

fn grid_of<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> Maybe<Grid<'a>> {
    match value {
        Val::Grid(grid) => Ok(**grid),
        Val::Bag(_) => {
            let value = vm.settled(value).ok_or(EXACT)?;
            value.as_grid(vm.arena).ok_or(EXACT)
        }
        _ => value.as_grid(vm.arena).ok_or(EXACT),
    }
}

fn int_of(value: &Val<'_>) -> Maybe<i64> {
    value.as_int().ok_or(EXACT)
}

fn pair_of(value: &Val<'_>) -> Maybe<(i64, i64)> {
    value.as_pair().ok_or(EXACT)
}

/// A colour that fits a grid's cells.
fn colour_of(value: &Val<'_>) -> Maybe<i8> {
    match value {
        Val::Int(v) => i8::try_from(*v).map_err(|_| EXACT),
        _ => Err(EXACT),
    }
}

/// The indices of a non-empty patch.
fn patch_of<'a>(value: &Val<'a>) -> Maybe<&'a Patch<'a>> {
    match value {
        Val::Indices(patch) => Ok(patch),
        Val::Object(object) => Ok(&object.patch),
        _ => Err(EXACT),
    }
}

/// A set of locations that may be empty.
fn indices<'a>(arena: Arena<'a>, patch: Option<Patch<'a>>, made: Made<'a>) -> Val<'a> {
    match patch {
        Some(patch) => Val::Indices(arena.alloc(patch.made(made))),
        None => Val::empty_set(),
    }
}

/// A patch that cannot be empty; if there is none, the window was too small.
fn window<'a>(arena: Arena<'a>, patch: Option<Patch<'a>>, made: Made<'a>) -> R<'a> {
    match patch {
        Some(patch) => Ok(Val::Indices(arena.alloc(patch.made(made)))),
        None => Err(EXACT),
    }
}

fn bool_of<'a>(b: bool) -> R<'a> {
    Ok(Val::Bool(b.into()))
}
