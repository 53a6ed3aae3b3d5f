//! The primitives, sorted by theme. Each behaves exactly as in CPython, with equal errors.
//!
//! A kernel that calls another kernel calls a plain function, which costs no fuel; calls of
//! function *values* go through [`crate::cx::call`]. If the Python original calls a primitive by
//! its name, the kernel calls the one in [`named`]: in tokpidjin's dialect such a call never fails.
#![allow(missing_docs, reason = "the table documents every primitive")]

mod arithmetic;
mod build;
mod cells;
mod colour;
mod containers;
mod each;
mod functional;
mod geometry;
mod grids;
mod lines;
mod objects;
mod patches;
mod ranks;
mod rings;
mod samples;
mod typed;

pub use arithmetic::*;
pub use build::FREE_CELLS;
pub use colour::*;
pub use containers::*;
pub use functional::*;
pub use geometry::*;
pub use grids::*;
pub use lines::*;
pub use objects::*;
pub use patches::*;
pub use ranks::*;
pub use rings::RingSearch;
pub use samples::*;
pub use typed::*;

use crate::cx::Cx;
use crate::fault::Fault;
use crate::table::Prim;
use crate::value::Value;
use crate::{for_each_primitive, for_each_tokpidjin_primitive};

/// The result of a kernel.
pub(crate) type Outcome<T = Value> = Result<T, Fault>;

macro_rules! define_dispatch {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        /// The primitives as functions that Python code calls by name.
        #[allow(non_snake_case, dead_code, reason = "made from the table")]
        pub(super) mod named {
            use super::{Cx, Outcome, Prim, Value};

            $( #[inline]
            pub(crate) fn $prim(cx: &mut Cx, $( $param: &Value ),*) -> Outcome {
                let outcome = super::$prim(cx, $( $param ),*);
                cx.settled(Prim::$prim, outcome)
            } )*
        }

        /// Runs the kernel of a primitive.
        #[allow(non_snake_case, reason = "made from the table")]
        pub(crate) fn dispatch(cx: &mut Cx, prim: Prim, args: &[Value]) -> Outcome {
            match prim {
                $( Prim::$prim => match args {
                    [$( $param ),*] => $prim(cx, $( $param ),*),
                    _ => Err(Fault::TypeError),
                }, )*
            }
        }
    };
}

macro_rules! define_whole_dispatch {
    ($( $arc_dsl:tt )*) => { for_each_tokpidjin_primitive!(define_dispatch $( $arc_dsl )*); };
}

for_each_primitive!(define_whole_dispatch);
