//! Functions on every element, filters, unions and cells.

use super::remade;
use crate::vm::kernels::iteration::{Whole, call_each};
use crate::vm::kernels::{self as classic, pair_of};
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::value::{List, Val, equal};
use crate::vm::{EXACT, R, Vm};

pub(in crate::vm) fn sfilter_f<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    condition: &Val<'a>,
) -> R<'a> {
    if !container.is_set() {
        return Err(EXACT);
    }
    classic::sfilter(vm, container, condition)
}

pub(in crate::vm) fn combine_f<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if !a.is_set() || !b.is_set() {
        return Err(EXACT);
    }
    // `a | a` leaves the table unchanged; `a | copy` may let it grow.
    let made = match equal(a, b) {
        Some(false) => Made::by(vm.arena, Recipe::Either(*a, *b)),
        _ => Made::Somehow,
    };
    let both = classic::combine(vm, a, b)?;
    Ok(remade(vm, &both, made))
}

pub(in crate::vm) fn mfilter_t<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    function: &Val<'a>,
) -> R<'a> {
    if !container.is_set() {
        return Err(EXACT);
    }
    classic::sfilter(vm, container, function)
}

pub(in crate::vm) fn apply_t<'a>(
    vm: &mut Vm<'a>,
    function: &Val<'a>,
    container: &Val<'a>,
) -> R<'a> {
    if !container.is_set() {
        return classic::apply(vm, function, container);
    }
    let whole = Whole::of(vm, container)?;
    let results = call_each(vm, whole, function)?.into_bump_slice();
    let made = Made::by(vm.arena, Recipe::Applied(*container, results));
    Ok(Val::bag(vm, results, made))
}

pub(in crate::vm) fn rapply_t<'a>(vm: &mut Vm<'a>, functions: &Val<'a>, value: &Val<'a>) -> R<'a> {
    if !functions.is_tuple() {
        return Err(EXACT);
    }
    classic::rapply(vm, functions, value)
}

pub(in crate::vm) fn mapply_t<'a>(
    vm: &mut Vm<'a>,
    function: &Val<'a>,
    container: &Val<'a>,
) -> R<'a> {
    let applied = apply_t(vm, function, container)?;
    if applied.is_huge() {
        return Err(EXACT);
    }
    classic::merge(vm, &applied)
}

pub(in crate::vm) fn ascell<'a>(vm: &mut Vm<'a>, ij: &Val<'a>, c: &Val<'a>) -> R<'a> {
    let (i, j) = pair_of(ij)?;
    astriple(vm, &Val::Int(i), &Val::Int(j), c)
}

pub(in crate::vm) fn astriple<'a>(vm: &mut Vm<'a>, i: &Val<'a>, j: &Val<'a>, c: &Val<'a>) -> R<'a> {
    Ok(Val::tuple(vm.arena, vm.arena.alloc([*i, *j, *c])))
}

pub(in crate::vm) fn toij<'a>(vm: &mut Vm<'a>, c: &Val<'a>) -> R<'a> {
    match c {
        Val::Triple(cell) => Ok(Val::place((cell.get().1, cell.get().2))),
        Val::Pair(_) | Val::Two(_) => Ok(*c),
        Val::Tuple(items) if items.len() >= 2 => Ok(Val::two(vm.arena, items[0], items[1])),
        _ => Err(EXACT),
    }
}

pub(in crate::vm) fn celltuple<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let (Some(places), Some(colours)) = (vm.in_order(a), vm.in_order(b)) else {
        return Err(EXACT);
    };
    let mut cells = List::with_capacity_in(places.len(), vm.arena);
    for (place, colour) in places.iter().zip(colours) {
        cells.push(ascell(vm, place, colour)?);
    }
    Ok(Val::rows(vm.arena, cells.into_bump_slice()))
}
