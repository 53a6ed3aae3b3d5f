//! Which primitives call functions.

use leyden_dsl::table::{N_CLASSIC, Prim, TABLE};
use leyden_dsl::types::Type;

/// By primitive; the fast engine has no others.
pub(super) static FUNCTIONAL: [bool; N_CLASSIC] = {
    let mut functional = [false; N_CLASSIC];
    let mut k = 0;
    while k < TABLE.len() {
        let (params, mut n) = (TABLE[k].params, 0);
        while n < params.len() {
            functional[k] |= matches!(params[n].ty, Type::Callable);
            n += 1;
        }
        k += 1;
    }
    functional[Prim::rapply as usize] = true;
    functional
};

/// Does a primitive call functions?
#[inline]
pub(super) fn is_functional(prim: Prim) -> bool {
    FUNCTIONAL.get(prim as usize).copied().unwrap_or(true)
}
