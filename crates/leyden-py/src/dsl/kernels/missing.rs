//! Stand-ins for kernels that do not exist yet: they raise `NotImplementedError`.

use leyden_dsl::for_each_primitive;
use pyo3::exceptions::PyNotImplementedError;

use crate::dsl::{Cx, Obj, Res};

macro_rules! define_missing {
    ($( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        $( #[allow(dead_code, reason = "most primitives have a kernel")]
        pub(in crate::dsl) fn $prim<'py>(_: Cx<'py>, $( _: &define_missing!(@ $param 'py) ),*) -> Res<'py> {
            let name = stringify!($prim);
            Err(PyNotImplementedError::new_err(format!("{name} has no kernel for Python values")))
        } )*
    };
    (@ $param:ident $life:lifetime) => { Obj<$life> };
}

for_each_primitive!(define_missing);
