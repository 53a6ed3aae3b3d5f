//! Properties that the demonstration pairs have in common.

use leyden_dsl::table::Prim;

use super::by_number::mir_rot_t;
use super::containers::mapply_t;
use crate::vm::kernels as classic;
use crate::vm::values::value::{Val, equal};
use crate::vm::{EXACT, Maybe, R, Vm};

/// The results of a function on one side of all pairs, without copies.
fn found<'a>(vm: &mut Vm<'a>, samples: &Val<'a>, side: Prim, function: &Val<'a>) -> R<'a> {
    let grids = classic::apply(vm, &Val::Prim(side.entry()), samples)?;
    let found = mapply_t(vm, function, &grids)?;
    classic::dedupe(vm, &found)
}

pub(in crate::vm) fn c_iz<'a>(vm: &mut Vm<'a>, samples: &Val<'a>, function: &Val<'a>) -> R<'a> {
    let inputs = found(vm, samples, Prim::first, function)?;
    let outputs = found(vm, samples, Prim::second, function)?;
    classic::difference(vm, &inputs, &outputs)
}

pub(in crate::vm) fn c_zo<'a>(vm: &mut Vm<'a>, samples: &Val<'a>, function: &Val<'a>) -> R<'a> {
    let inputs = found(vm, samples, Prim::first, function)?;
    let outputs = found(vm, samples, Prim::second, function)?;
    classic::difference(vm, &outputs, &inputs)
}

pub(in crate::vm) fn c_iz_n<'a>(
    vm: &mut Vm<'a>,
    samples: &Val<'a>,
    function: &Val<'a>,
    pick: &Val<'a>,
) -> R<'a> {
    let found = c_iz(vm, samples, function)?;
    vm.call(pick, &[found])
}

pub(in crate::vm) fn c_zo_n<'a>(
    vm: &mut Vm<'a>,
    samples: &Val<'a>,
    function: &Val<'a>,
    pick: &Val<'a>,
) -> R<'a> {
    let found = c_zo(vm, samples, function)?;
    vm.call(pick, &[found])
}

/// Whether a mirroring or turn makes every output from its input.
fn explains<'a>(vm: &mut Vm<'a>, pairs: &[Val<'a>], kind: &Val<'a>) -> Maybe<bool> {
    for pair in pairs {
        let (Some(input), Some(output)) = (pair.end_of_two(true), pair.end_of_two(false)) else {
            return Err(EXACT);
        };
        if !input.is_tuple() {
            return Err(EXACT);
        }
        vm.charge(input.weight())?;
        let turned = mir_rot_t(vm, &input, kind)?;
        if !equal(&output, &turned).ok_or(EXACT)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(in crate::vm) fn a_mr<'a>(vm: &mut Vm<'a>, samples: &Val<'a>) -> R<'a> {
    let pairs = vm.in_order(samples).ok_or(EXACT)?;
    for kind in (0..8).map(Val::Int) {
        if explains(vm, pairs, &kind)? {
            return Ok(kind);
        }
    }
    Ok(Val::None)
}
