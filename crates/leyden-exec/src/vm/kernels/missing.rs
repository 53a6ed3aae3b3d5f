//! Stand-ins for kernels that do not exist: they give up, and the reference engine does the call. A
//! caller looks for `$prim` here after the modules of kernels, so a new primitive runs before it
//! has a fast kernel:
//!
//! ```ignore
//! { use missing::*; { use kernels::*; $prim } }
//! ```

use leyden_dsl::{for_each_primitive, for_each_tokpidjin_primitive};

use crate::vm::values::value::Val;
use crate::vm::{EXACT, R, Vm};

macro_rules! define_missing {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        $( #[allow(dead_code, reason = "most primitives have a kernel")]
        pub(crate) fn $prim<'a>(_: &mut Vm<'a>, $( _: &define_missing!(@ $param 'a) ),*) -> R<'a> {
            Err(EXACT)
        } )*
    };
    (@ $param:ident $life:lifetime) => { Val<$life> };
}

macro_rules! define_all_missing {
    ($( $arc_dsl:tt )*) => { for_each_tokpidjin_primitive!(define_missing $( $arc_dsl )*); };
}

for_each_primitive!(define_all_missing);
