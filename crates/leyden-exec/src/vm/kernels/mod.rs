//! The primitives on the fast engine's values, by theme.

mod arithmetic;
mod colour;
mod containers;
mod functional;
mod geometry;
mod grids;
mod lines;
mod objects;
mod patches;

pub(super) use arithmetic::*;
pub(super) use colour::*;
pub(super) use containers::*;
pub(super) use functional::*;
pub(super) use geometry::*;
pub(super) use grids::*;
pub(super) use lines::*;
pub(super) use objects::*;
pub(super) use patches::*;

use std::rc::Rc;

use leyden_dsl::fault::Fault;

use super::patch::{Filled, Patch};
use super::value::{Grid, Val};
use super::{EXACT, R, Stop};

/// A fault that CPython would raise too.
fn fault<T>(fault: Fault) -> R<T> {
    Err(Stop::because_of(fault))
}

fn grid_of(value: &Val) -> R<Rc<Grid>> {
    value.as_grid().ok_or(EXACT)
}

fn int_of(value: &Val) -> R<i64> {
    value.as_int().ok_or(EXACT)
}

fn pair_of(value: &Val) -> R<(i64, i64)> {
    value.as_pair().ok_or(EXACT)
}

/// A colour that fits a grid's cells.
fn colour_of(value: &Val) -> R<i8> {
    match value {
        Val::Int(v) => i8::try_from(*v).map_err(|_| EXACT),
        _ => Err(EXACT),
    }
}

/// The indices of a non-empty patch.
fn patch_of(value: &Val) -> R<&Patch> {
    match value {
        Val::Indices(patch) => Ok(patch),
        Val::Object(object) => Ok(&object.patch),
        _ => Err(EXACT),
    }
}

/// A set of locations that may be empty.
fn indices(patch: Option<Patch>) -> Val {
    patch.map_or_else(Val::empty_set, |patch| Val::Indices(Rc::new(patch)))
}

/// A patch that CPython fills from left to right, row after row.
fn filled_by_rows(patch: Option<Patch>) -> R {
    window(patch.map(|patch| patch.filled(Filled::ByRows)))
}

/// A patch that must exist because something is in it; if not, the window was too small.
fn window(patch: Option<Patch>) -> R {
    patch.map(|patch| Val::Indices(Rc::new(patch))).ok_or(EXACT)
}

fn bool_of(b: bool) -> R {
    Ok(Val::Bool(b.into()))
}
