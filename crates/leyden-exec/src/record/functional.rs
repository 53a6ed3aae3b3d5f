//! A table of the primitives that call functions.

use leyden_dsl::table::{N_CLASSIC, Prim, TABLE};
use leyden_dsl::types::Type;

/// By primitive of the classic dialects; all others count as functional.
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

/// Whether a primitive calls functions.
#[inline]
pub(super) fn is_functional(prim: Prim) -> bool {
    FUNCTIONAL.get(prim as usize).copied().unwrap_or(true)
}
