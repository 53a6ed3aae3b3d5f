//! Functions called on one element after the other, and the meaning of their faults.

use leyden_dsl::fault::Fault;

use super::containers::{Kind, container};
use super::{EXACT, Maybe, R, Val, fault};
use crate::vm::values::value::List;
use crate::vm::{Stop, Vm};

/// A container to go through: its kind, its elements, and itself.
#[derive(Clone, Copy)]
pub(super) struct Whole<'v, 'a> {
    pub(super) value: &'v Val<'a>,
    pub(super) kind: Kind,
    pub(super) items: &'a [Val<'a>],
}

impl<'v, 'a> Whole<'v, 'a> {
    /// The container of a value; a `TypeError` for other values.
    pub(super) fn of(vm: &mut Vm<'a>, value: &'v Val<'a>) -> Maybe<Whole<'v, 'a>> {
        if value.len().is_none() {
            return fault(Fault::TypeError);
        }
        let (kind, items) = container(vm, value)?;
        Ok(Whole { value, kind, items })
    }

    /// This container with its elements in order.
    pub(super) fn in_order(self, items: &'a [Val<'a>]) -> Whole<'v, 'a> {
        let kind = Kind::Tuple;
        Whole {
            kind,
            items,
            ..self
        }
    }
}

/// The results of calls on all elements of a container. Every element is called, also after a
/// fault, so the price does not depend on the order.
pub(super) struct Called<'a> {
    /// In the order of the elements; `None` for a call that faulted.
    pub(super) results: List<'a>,
    /// The faults with the places of their elements, in order of places.
    pub(super) faults: Vec<(usize, Fault)>,
}

impl<'a> Called<'a> {
    /// The results, or the fault that CPython meets first, going through a generator.
    pub(super) fn unless_fault(self, vm: &mut Vm<'a>, whole: Whole<'_, 'a>) -> Maybe<List<'a>> {
        if self.faults.is_empty() {
            return Ok(self.results);
        }
        let first = match common_fault(&self.faults) {
            Some(common) => common,
            None => first_fault(&self.faults, order_of(vm, whole)?).ok_or(EXACT)?,
        };
        fault(first.through_generator())
    }
}

/// The fault of all calls that faulted, if all faults are equal.
pub(super) fn common_fault(faults: &[(usize, Fault)]) -> Option<Fault> {
    let (_, first) = *faults.first()?;
    faults
        .iter()
        .all(|(_, other)| *other == first)
        .then_some(first)
}

/// The first fault if elements come in the order of these places.
pub(super) fn first_fault(faults: &[(usize, Fault)], order: &[u32]) -> Option<Fault> {
    order.iter().find_map(|place| {
        let k = faults.binary_search_by_key(&(*place as usize), |(place, _)| *place);
        k.ok().map(|k| faults[k].1)
    })
}

/// The results of a function on all elements of a container.
pub(super) fn call_each<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    function: &Val<'a>,
) -> Maybe<List<'a>> {
    let called = call_all(vm, whole.items, function)?;
    called.unless_fault(vm, whole)
}

/// Calls a function on all elements.
pub(super) fn call_all<'a>(
    vm: &mut Vm<'a>,
    items: &'a [Val<'a>],
    function: &Val<'a>,
) -> Maybe<Called<'a>> {
    let mut function = vm.prepared(function, items.len());
    let mut results = List::with_capacity_in(items.len(), vm.arena);
    let has_stopped = match vm.call_on_each(&mut function, items, &mut results) {
        Some(Err(stop)) if vm.is_trying => return Err(stop),
        done => done.is_some_and(|done| done.is_err()),
    };
    // After an element on which the body stopped, it mostly stops on the next one, too.
    let (first, mut by_tree) = (results.len(), has_stopped);
    call_rest(vm, items.len(), results, |vm, k| {
        let args = &[items[k]];
        let result = if by_tree && (k == first || !vm.is_watched()) {
            vm.call_by_call(&function, args)
        } else {
            vm.call_prepared(&mut function, args)
        };
        by_tree = result.is_err();
        result
    })
}

/// Makes `n` calls, by their numbers.
pub(super) fn call_all_by<'a>(
    vm: &mut Vm<'a>,
    n_calls: usize,
    call: impl FnMut(&mut Vm<'a>, usize) -> R<'a>,
) -> Maybe<Called<'a>> {
    let results = List::with_capacity_in(n_calls, vm.arena);
    call_rest(vm, n_calls, results, call)
}

/// Makes the calls after those that gave these results. A stop that says nothing about the others
/// ends all calls: the fuel is used up, only the reference engine knows more, or the caller tries a
/// short cut.
#[inline]
fn call_rest<'a>(
    vm: &mut Vm<'a>,
    n_calls: usize,
    mut results: List<'a>,
    mut call: impl FnMut(&mut Vm<'a>, usize) -> R<'a>,
) -> Maybe<Called<'a>> {
    let mut faults = Vec::new();
    for k in results.len()..n_calls {
        match call(vm, k) {
            Ok(result) => results.push(result),
            Err(stop) if vm.is_trying => return Err(stop),
            Err(stop) => {
                faults.push((k, fault_of_one(stop)?));
                results.push(Val::None);
            }
        }
    }
    Ok(Called { results, faults })
}

/// The fault of a call among others, unless it ends all of them.
#[cold]
fn fault_of_one(stop: Stop) -> Maybe<Fault> {
    match stop.take_fault() {
        None => Err(EXACT),
        Some(Fault::Fuel) => fault(Fault::Fuel),
        Some(fault) => Ok(fault),
    }
}

/// The places of a container's elements in CPython's order.
pub(super) fn order_of<'a>(vm: &mut Vm<'a>, whole: Whole<'_, 'a>) -> Maybe<&'a [u32]> {
    let n_items = whole.items.len() as u32;
    if whole.kind == Kind::Tuple || n_items < 2 {
        return Ok(vm.arena.alloc_slice_fill_iter(0..n_items));
    }
    match whole.kind {
        Kind::Set => vm.places_in_order(whole.value).ok_or(EXACT),
        _ => Err(EXACT),
    }
}
