//! The classic primitives, filed by theme as in `leyden-dsl`.

mod arithmetic;
mod bounds;
mod colour;
mod containers;
mod functional;
mod geometry;
mod grids;
mod lines;
mod objects;
mod painting;
mod patches;

pub(super) use arithmetic::*;
pub(super) use colour::*;
pub(super) use containers::*;
pub(super) use functional::*;
pub(super) use geometry::*;
pub(super) use grids::*;
pub(super) use lines::*;
pub(super) use objects::*;
pub(super) use painting::*;
pub(super) use patches::*;
