//! Families of primitives whose last argument selects one: a corner, a side, a turn.

use super::{differing, variants};
use crate::vm::kernels as classic;
use crate::vm::values::value::Val;
use crate::vm::{EXACT, Maybe, R, Vm};

fn number_of(kind: &Val<'_>) -> Maybe<i64> {
    match kind {
        Val::Int(n) => Ok(*n),
        _ => Err(EXACT),
    }
}

pub(in crate::vm) fn col_row<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        0 => differing::lowermost(vm, patch),
        1 => differing::uppermost(vm, patch),
        2 => differing::leftmost(vm, patch),
        3 => differing::rightmost(vm, patch),
        _ => Ok(Val::None),
    }
}

pub(in crate::vm) fn corner<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        1 => classic::urcorner(vm, patch),
        2 => classic::llcorner(vm, patch),
        3 => classic::lrcorner(vm, patch),
        _ => classic::ulcorner(vm, patch),
    }
}

pub(in crate::vm) fn mir_rot_t<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        0 => classic::hmirror(vm, grid),
        1 => classic::dmirror(vm, grid),
        2 => classic::vmirror(vm, grid),
        3 => classic::cmirror(vm, grid),
        4 => classic::rot90(vm, grid),
        5 => classic::rot180(vm, grid),
        6 => classic::rot270(vm, grid),
        _ => Ok(*grid),
    }
}

pub(in crate::vm) fn o_g<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    let kind = number_of(kind)?;
    if !(0..8).contains(&kind) {
        return Ok(Val::None);
    }
    let [univalued, diagonal, without_bg] =
        [4, 2, 1].map(|bit| Val::Bool((kind & bit != 0).into()));
    classic::objects(vm, grid, &univalued, &diagonal, &without_bg)
}

pub(in crate::vm) fn mir_rot_f<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        0 => variants::hmirror_f(vm, patch),
        1 => variants::dmirror_f(vm, patch),
        2 => variants::vmirror_f(vm, patch),
        3 => variants::cmirror_f(vm, patch),
        _ => Ok(*patch),
    }
}
