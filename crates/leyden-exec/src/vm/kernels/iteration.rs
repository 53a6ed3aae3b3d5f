//! Functions called on one element after the other, and what a fault means there.

use super::super::body::Prepared;
use super::super::value::List;
use super::super::{Stop, Vm};
use super::containers::Kind;
use super::{EXACT, Maybe, R, Val};

/// Does a call inside a generator expression turn `StopIteration` into `RuntimeError`?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    Generator,
    Builtin,
}

/// The results of a function on all elements of a container.
///
/// A fault is CPython's, too, if the elements are in order or if all elements that fault do so
/// alike.
pub(super) fn call_each<'a>(
    vm: &mut Vm<'a>,
    (kind, items): (Kind, &'a [Val<'a>]),
    caller: Caller,
    function: &Val<'a>,
) -> Maybe<List<'a>> {
    let mut function = vm.prepared(function, items.len());
    call_prepared_on_each(vm, (kind, items), caller, &mut function)
}

/// The same for a function that was made ready.
pub(super) fn call_prepared_on_each<'a>(
    vm: &mut Vm<'a>,
    (kind, items): (Kind, &'a [Val<'a>]),
    caller: Caller,
    function: &mut Prepared<'a>,
) -> Maybe<List<'a>> {
    let mut results = List::with_capacity_in(items.len(), vm.arena);
    match vm.call_on_each(function, items, &mut results) {
        Ok(()) => Ok(results),
        Err(stop) => {
            let rest = if kind == Kind::Tuple {
                &[]
            } else {
                &items[results.len() + 1..]
            };
            let call = |vm: &mut Vm<'a>, item: &Val<'a>| vm.call_prepared(function, &[*item]);
            Err(common_stop(vm, stop, rest, caller, call))
        }
    }
}

/// The same for any call.
pub(super) fn call_each_by<'a>(
    vm: &mut Vm<'a>,
    (kind, items): (Kind, &[Val<'a>]),
    caller: Caller,
    mut call: impl FnMut(&mut Vm<'a>, &Val<'a>) -> R<'a>,
) -> Maybe<List<'a>> {
    let mut results = List::with_capacity_in(items.len(), vm.arena);
    for (k, item) in items.iter().enumerate() {
        match call(vm, item) {
            Ok(result) => results.push(result),
            Err(stop) => {
                let rest = if kind == Kind::Tuple {
                    &[]
                } else {
                    &items[k + 1..]
                };
                return Err(common_stop(vm, stop, rest, caller, call));
            }
        }
    }
    Ok(results)
}

/// The stop of a generator over elements that are in order.
#[cold]
pub(super) fn first_stop(stop: Stop) -> Stop {
    match stop.take_fault() {
        Some(fault) => Stop::because_of(fault.through_generator()),
        None => EXACT,
    }
}

/// The stop of an iteration that met one, given the elements that CPython may meet before.
#[cold]
pub(super) fn common_stop<'a>(
    vm: &mut Vm<'a>,
    stop: Stop,
    rest: &[Val<'a>],
    caller: Caller,
    mut call: impl FnMut(&mut Vm<'a>, &Val<'a>) -> R<'a>,
) -> Stop {
    let Some(first) = stop.take_fault() else {
        return EXACT;
    };
    for item in rest {
        if let Err(stop) = call(vm, item)
            && stop.take_fault() != Some(first)
        {
            return EXACT;
        }
    }
    Stop::because_of(match caller {
        Caller::Generator => first.through_generator(),
        Caller::Builtin => first,
    })
}
