//! The primitives, filed by theme: each does exactly what CPython does, errors included.
//!
//! A kernel that calls another kernel calls a plain function, which costs no fuel; calls of
//! function *values* go through [`crate::cx::call`].
#![allow(missing_docs, reason = "the table documents every primitive")]

mod arithmetic;
mod build;
mod colour;
mod containers;
mod functional;
mod geometry;
mod grids;
mod lines;
mod objects;
mod patches;

pub use arithmetic::*;
pub use colour::*;
pub use containers::*;
pub use functional::*;
pub use geometry::*;
pub use grids::*;
pub use lines::*;
pub use objects::*;
pub use patches::*;

use crate::cx::Cx;
use crate::fault::Fault;
use crate::for_each_primitive;
use crate::table::Prim;
use crate::value::Value;

/// What a kernel gives.
pub(crate) type Outcome<T = Value> = Result<T, Fault>;

macro_rules! define_dispatch {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)? : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident, $doc:literal, $call:literal => $value:literal; )*) => {
        /// Runs the kernel of a primitive.
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

for_each_primitive!(define_dispatch);
