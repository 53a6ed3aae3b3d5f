//! The classic primitives, filed by theme as in `leyden-dsl`.

mod arithmetic;
mod bounds;
mod colour;
mod containers;
mod functional;
mod geometry;
mod grids;
mod lines;
pub(super) mod missing;
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

/// A kernel, or its stand-in if there is none: the inner scope is looked through first.
macro_rules! or_missing {
    ($prim:ident) => {{
        #[allow(unused_imports, reason = "most primitives have a kernel")]
        use $crate::dsl::kernels::missing::*;
        {
            #[allow(unused_imports, reason = "a new primitive may have none yet")]
            use $crate::dsl::kernels::*;
            $prim
        }
    }};
}

pub(super) use or_missing;
