//! Functions called on one element after the other, and what a fault means there.

use leyden_dsl::fault::Fault;

use super::containers::{Kind, container};
use super::{EXACT, Maybe, R, Val, fault};
use crate::vm::functions::body::Prepared;
use crate::vm::values::value::List;
use crate::vm::{Stop, Vm};

/// Does a call inside a generator expression turn `StopIteration` into `RuntimeError`?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    Generator,
    Builtin,
}

/// After so many elements of a line's container somebody looks whether there is fuel left.
const ELEMENTS_BETWEEN_LOOKS: usize = 128;

/// With fewer elements left than this all of them are called, whatever the order is.
const FEW_ELEMENTS: usize = 4;

/// A container to go through: its kind, its elements, and itself.
#[derive(Clone, Copy)]
pub(super) struct Whole<'v, 'a> {
    pub(super) value: &'v Val<'a>,
    pub(super) kind: Kind,
    pub(super) items: &'a [Val<'a>],
}

impl<'v, 'a> Whole<'v, 'a> {
    /// Whoever wants to go through anything else gets a `TypeError` at once.
    pub(super) fn of(vm: &mut Vm<'a>, value: &'v Val<'a>) -> Maybe<Whole<'v, 'a>> {
        if value.len().is_none() {
            return fault(Fault::TypeError);
        }
        let (kind, items) = container(vm, value)?;
        Ok(Whole { value, kind, items })
    }

    /// The same, once the order of its elements is known.
    pub(super) fn in_order(self, items: &'a [Val<'a>]) -> Whole<'v, 'a> {
        let kind = Kind::Tuple;
        Whole {
            kind,
            items,
            ..self
        }
    }
}

/// The results of a function on all elements of a container.
///
/// A fault is CPython's, too, if the elements are in order or if all elements that fault do so
/// alike.
pub(super) fn call_each<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    caller: Caller,
    function: &Val<'a>,
) -> Maybe<List<'a>> {
    let mut function = vm.prepared(function, whole.items.len());
    call_prepared_on_each(vm, whole, caller, &mut function)
}

/// The same for a function that was made ready.
pub(super) fn call_prepared_on_each<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    caller: Caller,
    function: &mut Prepared<'a>,
) -> Maybe<List<'a>> {
    if vm.is_strict {
        return call_strictly_on_each(vm, whole, caller, function);
    }
    let (items, fuel) = (whole.items, vm.fuel);
    let mut results = List::with_capacity_in(items.len(), vm.arena);
    // Between keys CPython compares, and what that gives is not known here.
    let is_looking = vm.depth == 0 && caller == Caller::Generator;
    let n_between_looks = match is_looking {
        true => ELEMENTS_BETWEEN_LOOKS,
        false => items.len().max(1),
    };
    let mut may_have_order = whole.kind == Kind::Set;
    for part in items.chunks(n_between_looks) {
        if let Err(stop) = vm.call_on_each(function, part, &mut results) {
            let n_done = results.len();
            return Err(stop_among(vm, stop, whole, n_done, caller, function, fuel));
        }
        if !is_looking || !vm.is_surely_dry() {
            continue;
        }
        if whole.kind == Kind::Tuple || results.len() == items.len() {
            return fault(Fault::Fuel);
        }
        if std::mem::take(&mut may_have_order)
            && let Some(ordered) = vm.in_order(whole.value)
        {
            vm.fuel = fuel;
            return Err(stop_in_order(vm, ordered, caller, function));
        }
    }
    Ok(results)
}

/// The same in CPython's order.
#[cold]
fn call_strictly_on_each<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    caller: Caller,
    function: &mut Prepared<'a>,
) -> Maybe<List<'a>> {
    let n_items = whole.items.len();
    let places = order_of(vm, whole)?;
    let mut results = List::from_iter_in(std::iter::repeat_n(Val::None, n_items), vm.arena);
    for place in places {
        let place = *place as usize;
        match vm.call_prepared(function, &[whole.items[place]]) {
            // Keys are compared as they come; numbers always can be.
            Ok(key) if caller == Caller::Builtin && !matches!(key, Val::Int(_)) => {
                return Err(EXACT);
            }
            Ok(result) => results[place] = result,
            Err(stop) if caller == Caller::Generator => return Err(first_stop(stop)),
            Err(stop) => return Err(stop),
        }
    }
    Ok(results)
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

/// What stops an iteration that met a stop after so many elements.
#[cold]
fn stop_among<'a>(
    vm: &mut Vm<'a>,
    stop: Stop,
    whole: Whole<'_, 'a>,
    n_done: usize,
    caller: Caller,
    function: &mut Prepared<'a>,
    fuel: u64,
) -> Stop {
    let is_dry = is_dry_among(vm, caller);
    if (Stop::has_no_fault() && !is_dry) || !may_try_again(vm) {
        Stop::forget_fault();
        return EXACT;
    }
    let rest = match whole.kind {
        Kind::Tuple => &[],
        _ => &whole.items[n_done + 1..],
    };
    let ordered = match whole.kind {
        Kind::Tuple if is_dry => Some(whole.items),
        Kind::Set if is_dry || rest.len() > FEW_ELEMENTS => vm.in_order(whole.value),
        _ => None,
    };
    if let Some(ordered) = ordered {
        Stop::forget_fault();
        vm.fuel = fuel;
        return stop_in_order(vm, ordered, caller, function);
    }
    let call = |vm: &mut Vm<'a>, item: &Val<'a>| vm.call_prepared(function, &[*item]);
    common_stop(vm, stop, rest, caller, call)
}

/// The stop that CPython meets first, going through elements in its order: a fault, or the end of
/// the fuel. Only for what does not go well.
#[cold]
fn stop_in_order<'a>(
    vm: &mut Vm<'a>,
    ordered: &'a [Val<'a>],
    caller: Caller,
    function: &mut Prepared<'a>,
) -> Stop {
    // What does not go well with the first element mostly goes well with none.
    let (first, rest) = ordered.split_at(ordered.len().min(1));
    if let Some(stop) = stop_one_by_one(vm, first, caller, function) {
        return stop;
    }
    let mut results = List::with_capacity_in(rest.len(), vm.arena);
    for part in rest.chunks(ELEMENTS_AT_ONCE) {
        let fuel = vm.fuel;
        match vm.call_on_each(function, part, &mut results) {
            Ok(()) if is_dry_among(vm, caller) => return Stop::because_of(Fault::Fuel),
            Ok(()) => continue,
            Err(_) => Stop::forget_fault(),
        }
        vm.fuel = fuel;
        if let Some(stop) = stop_one_by_one(vm, part, caller, function) {
            return stop;
        }
    }
    EXACT
}

/// After so many elements somebody looks whether all went well: few enough to be done once more.
const ELEMENTS_AT_ONCE: usize = 24;

#[cold]
fn stop_one_by_one<'a>(
    vm: &mut Vm<'a>,
    ordered: &[Val<'a>],
    caller: Caller,
    function: &mut Prepared<'a>,
) -> Option<Stop> {
    for item in ordered {
        match vm.call_prepared(function, &[*item]) {
            Ok(_) if is_dry_among(vm, caller) => return Some(Stop::because_of(Fault::Fuel)),
            Ok(_) => {}
            Err(stop) if caller == Caller::Generator => return Some(first_stop(stop)),
            Err(stop) => return Some(stop),
        }
    }
    None
}

/// Has a line no fuel left, whichever elements come next?
fn is_dry_among(vm: &Vm<'_>, caller: Caller) -> bool {
    caller == Caller::Generator && vm.depth == 0 && vm.is_surely_dry()
}

/// The same for any call.
pub(super) fn call_each_by<'a>(
    vm: &mut Vm<'a>,
    (kind, items): (Kind, &[Val<'a>]),
    caller: Caller,
    mut call: impl FnMut(&mut Vm<'a>, &Val<'a>) -> R<'a>,
) -> Maybe<List<'a>> {
    if vm.is_strict && kind != Kind::Tuple && items.len() > 1 {
        return Err(EXACT);
    }
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
        let is_sure = kind == Kind::Tuple || results.len() == items.len();
        if is_sure && vm.depth == 0 && vm.is_surely_dry() {
            return fault(Fault::Fuel);
        }
    }
    Ok(results)
}

/// Deeper than this, elements are not gone through a second time in their order.
const MOST_DEPTH: u32 = 8;

/// Is it not too deep inside other calls to go through elements once more? All around it may do so, too, each
/// time again: twice as often with every level.
pub(super) fn may_try_again(vm: &Vm<'_>) -> bool {
    vm.depth <= MOST_DEPTH
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
