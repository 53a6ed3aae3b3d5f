//! Elements by their place or rank.

use super::{differing, float};
use crate::vm::kernels as classic;
use crate::vm::kernels::extremes::{by_rank, common_by_rank, place_at_rank, value_by_rank};
use crate::vm::values::value::Val;
use crate::vm::{EXACT, Maybe, R, Vm};

pub(in crate::vm) fn other_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = classic::remove(vm, value, container)?;
    first_t(vm, &rest)
}

pub(in crate::vm) fn other_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = classic::remove(vm, value, container)?;
    first_f(vm, &rest)
}

pub(in crate::vm) fn first_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => classic::first(vm, container),
    }
}

pub(in crate::vm) fn first_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_set()),
        _ => classic::first(vm, container),
    }
}

pub(in crate::vm) fn last_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    differing::last(vm, container)
}

pub(in crate::vm) fn last_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_set()),
        _ => classic::last(vm, container),
    }
}

pub(in crate::vm) fn second<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        None | Some(0) => Err(EXACT),
        Some(1) => Ok(Val::None),
        Some(2) if container.is_set() => classic::last(vm, container),
        _ => match container.end_of_two(false) {
            Some(second) => Ok(second),
            None => nth(vm, container, 1),
        },
    }
}

/// The element at a place in CPython's order.
fn nth<'a>(vm: &mut Vm<'a>, container: &Val<'a>, place: usize) -> R<'a> {
    match place {
        0 => classic::first(vm, container),
        _ if Some(place + 1) == container.len() => classic::last(vm, container),
        _ => {
            let items = vm.in_order(container).ok_or(EXACT)?;
            items.get(place).copied().ok_or(EXACT)
        }
    }
}

pub(in crate::vm) fn get_nth_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    if let Some(part) = part_of_tuple(container, rank) {
        return Ok(part);
    }
    match place_at_rank(container, rank)? {
        Some(place) => nth(vm, container, place),
        None => float(f64::NAN),
    }
}

/// The part of a pair, a cell or another tuple of two at a rank.
#[inline]
fn part_of_tuple<'a>(tuple: &Val<'a>, rank: &Val<'a>) -> Option<Val<'a>> {
    let Val::Int(rank) = rank else { return None };
    match (tuple, rank) {
        (Val::Triple(cell), 0 | -3) => Some(Val::Int(cell.get().1)),
        (Val::Triple(cell), 1 | -2) => Some(Val::Int(cell.get().2)),
        (Val::Triple(cell), 2 | -1) => Some(Val::Int(i64::from(cell.get().0))),
        (Val::Triple(_), _) => None,
        (_, 0 | -2) => tuple.end_of_two(true),
        (_, 1 | -1) => tuple.end_of_two(false),
        _ => None,
    }
}

pub(in crate::vm) fn get_nth_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    if let Some(part) = part_of_tuple(container, rank) {
        return Ok(part);
    }
    match place_at_rank(container, rank)? {
        Some(place) => nth(vm, container, place),
        None => Ok(Val::empty_set()),
    }
}

pub(in crate::vm) fn get_rank<'a>(vm: &mut Vm<'a>, container: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    let Some(place) = place_at_rank(container, rank)? else {
        return Ok(Val::Int(0));
    };
    let items = container.elements(vm.arena).ok_or(EXACT)?;
    let number = |item: &Val<'a>| match item {
        Val::Int(n) => Ok(*n),
        _ => Err(EXACT),
    };
    let mut numbers = items.iter().map(number).collect::<Maybe<Vec<i64>>>()?;
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    Ok(Val::Int(numbers[place]))
}

pub(in crate::vm) fn get_arg_rank<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    if container.is_set() {
        get_arg_rank_f(vm, container, compfunc, rank)
    } else {
        get_arg_rank_t(vm, container, compfunc, rank)
    }
}

pub(in crate::vm) fn get_arg_rank_t<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    let found = by_rank(vm, container, compfunc, rank)?;
    Ok(found.unwrap_or_else(Val::empty_tuple))
}

pub(in crate::vm) fn get_arg_rank_f<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    let found = by_rank(vm, container, compfunc, rank)?;
    Ok(found.unwrap_or_else(Val::empty_set))
}

pub(in crate::vm) fn get_val_rank<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    value_by_rank(vm, container, compfunc, rank)
}

pub(in crate::vm) fn get_common_rank<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    if !container.is_tuple() {
        return Err(EXACT);
    }
    get_common_rank_t(vm, container, rank)
}

pub(in crate::vm) fn get_common_rank_t<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    common_by_rank(vm, container, rank)
}
