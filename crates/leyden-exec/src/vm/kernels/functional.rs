//! Functions of functions.

use super::containers::{Kind, container, merged_bag, merged_tuple};
use super::iteration::{Whole, call_all_by, call_each, common_fault, first_fault, order_of};
use super::lines::connect;
use super::unions::union_of;
use super::{EXACT, Maybe, R, Val, fault, int_of};
use crate::vm::functions::body::{Form, Prepared};
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::run::call::{COSTS, price_of_args};
use crate::vm::values::value::{Closure, Func, Grid, List, equal, is_few, n_parts_of_all};
use crate::vm::{Stop, Vm};
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::table::Prim;

/// The deepest nesting of functions; deeper ones are left to the reference engine, which counts
/// CPython's frames. It bounds the recursion of this engine.
const MAX_CLOSURE_DEPTH: u32 = 100;

/// The highest power of a function, well below CPython's limit of 1,000 frames; higher ones are left to
/// the reference engine.
const MAX_POWER: i64 = 600;

/// A function of these parts.
fn func<'a, const N: usize>(vm: &Vm<'a>, func: Func<'a>, parts: [&Val<'a>; N]) -> R<'a> {
    let depth = |value: &&Val<'a>| match value {
        Val::Func(closure) => closure.depth,
        _ => 0,
    };
    let depth = 1 + parts.iter().map(depth).max().unwrap_or(0);
    if depth > MAX_CLOSURE_DEPTH {
        return Err(EXACT);
    }
    Ok(Val::Func(vm.arena.alloc(Closure {
        func,
        depth,
        is_lasting: vm.depth == 0,
    })))
}

pub(crate) fn identity<'a>(_: &mut Vm<'a>, x: &Val<'a>) -> R<'a> {
    Ok(*x)
}
pub(crate) fn branch<'a>(_: &mut Vm<'a>, condition: &Val<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    Ok(if condition.truth() { *a } else { *b })
}
pub(crate) fn compose<'a>(vm: &mut Vm<'a>, outer: &Val<'a>, inner: &Val<'a>) -> R<'a> {
    func(vm, Func::Compose(*outer, *inner), [outer, inner])
}
pub(crate) fn chain<'a>(vm: &mut Vm<'a>, h: &Val<'a>, g: &Val<'a>, f: &Val<'a>) -> R<'a> {
    func(vm, Func::Chain(*h, *g, *f), [h, g, f])
}
pub(crate) fn matcher<'a>(vm: &mut Vm<'a>, function: &Val<'a>, target: &Val<'a>) -> R<'a> {
    func(vm, Func::Matcher(*function, *target), [function, target])
}
pub(crate) fn rbind<'a>(vm: &mut Vm<'a>, function: &Val<'a>, fixed: &Val<'a>) -> R<'a> {
    let left = bound_arity(function)?;
    func(vm, Func::Rbind(*function, *fixed, left), [function, fixed])
}
pub(crate) fn lbind<'a>(vm: &mut Vm<'a>, function: &Val<'a>, fixed: &Val<'a>) -> R<'a> {
    let left = bound_arity(function)?;
    func(vm, Func::Lbind(*function, *fixed, left), [function, fixed])
}
pub(crate) fn fork<'a>(vm: &mut Vm<'a>, outer: &Val<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    func(vm, Func::Fork(*outer, *a, *b), [outer, a, b])
}

/// The number of arguments that stay open after one is bound.
fn bound_arity<'a>(function: &Val<'a>) -> Maybe<u8> {
    match arity(function).ok_or(EXACT)? {
        2 => Ok(1),
        3 => Ok(2),
        _ => Ok(3),
    }
}

fn arity<'a>(function: &Val<'a>) -> Option<u8> {
    match function {
        Val::Prim(entry) => Some(entry.params.len() as u8),
        Val::Func(closure) => Some(match closure.func {
            Func::Rbind(_, _, left) | Func::Lbind(_, _, left) => left,
            _ => 1,
        }),
        _ => None,
    }
}

pub(crate) fn power<'a>(vm: &mut Vm<'a>, function: &Val<'a>, n: &Val<'a>) -> R<'a> {
    let n = int_of(n)?;
    if n == 1 {
        return Ok(*function);
    }
    if !(2..=MAX_POWER).contains(&n) {
        return Err(EXACT);
    }
    // CPython recurses once for each composition.
    let levels = Vm::levels_of_frames(n as u32);
    vm.enter(levels)?;
    vm.leave(levels);
    func(vm, Func::Power(*function, n as u32), [function])
}

/// The results of a function on all elements.
fn mapped<'a>(
    vm: &mut Vm<'a>,
    function: &Val<'a>,
    container_: &Val<'a>,
) -> Maybe<(Kind, &'a mut [Val<'a>])> {
    let whole = Whole::of(vm, container_)?;
    let results = call_each(vm, whole, function)?;
    Ok((whole.kind, results.into_bump_slice_mut()))
}

/// Whether these are tuples in an open order, each the cells of some objects one after the other,
/// all objects found by one search. Such objects are equal or disjoint, so tuples of different
/// objects differ from the first cell on, in any order of the cells.
fn are_joined_components(values: &[Val<'_>]) -> bool {
    let mut parts = values.iter().map(|value| match value {
        Val::Bag(bag) => bag.made.merged_parts(),
        _ => None,
    });
    let Some(Some(first)) = parts.next() else {
        return false;
    };
    let is_like_first = |part: &Val<'_>| match (part, first.first()) {
        (Val::Object(a), Some(Val::Object(b))) => a.patch.made.is_same_search(&b.patch.made),
        _ => false,
    };
    let are_like_first =
        |other: &[Val<'_>]| other.len() == first.len() && other.iter().all(is_like_first);
    are_like_first(first) && parts.all(|parts| parts.is_some_and(are_like_first))
}

/// Settles the order of tuples that become elements of a set, because CPython compares them.
fn settle_all<'a>(vm: &mut Vm<'a>, values: &mut [Val<'a>]) -> Maybe<()> {
    for value in values.iter_mut().filter(|v| matches!(v, Val::Bag(_))) {
        *value = vm.settled(value).ok_or(EXACT)?;
    }
    Ok(())
}

pub(crate) fn apply<'a>(vm: &mut Vm<'a>, function: &Val<'a>, container: &Val<'a>) -> R<'a> {
    if let Val::Pair(pair) = container {
        return applied_to_two(vm, function, pair.get());
    }
    let (kind, results) = mapped(vm, function, container)?;
    applied(vm, container, kind, results)
}

/// The result of `apply`, once the function was called.
pub(crate) fn applied<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    kind: Kind,
    results: &'a mut [Val<'a>],
) -> R<'a> {
    match kind {
        Kind::Tuple => Ok(Val::rows(vm.arena, results)),
        Kind::Bag => Ok(Val::bag(vm, results, Made::Somehow)),
        Kind::Set => {
            if !are_joined_components(results) {
                settle_all(vm, results)?;
            }
            let made = Made::by(vm.arena, Recipe::Applied(*container, results));
            Val::set(vm.arena, results, made)
        }
    }
}

/// `apply` on a pair of numbers, a frequent case.
fn applied_to_two<'a>(vm: &mut Vm<'a>, function: &Val<'a>, (i, j): (i64, i64)) -> R<'a> {
    let mut function = vm.prepared(function, 2);
    let first = vm.call_prepared(&mut function, &[Val::Int(i)]);
    if let Err(stop) = first {
        return Err(first_of_two_stops(vm, stop, &mut function, j));
    }
    match (first, vm.call_prepared(&mut function, &[Val::Int(j)])) {
        (Ok(a), Ok(b)) => Ok(Val::two(vm.arena, a, b)),
        (_, Err(stop)) if !vm.is_trying => Err(in_generator(stop)),
        (_, stop) => stop,
    }
}

/// The stop of `apply` on two numbers whose first call stopped. The second call happens, too.
#[cold]
fn first_of_two_stops<'a>(
    vm: &mut Vm<'a>,
    stop: Stop,
    function: &mut Prepared<'a>,
    second: i64,
) -> Stop {
    if vm.is_trying {
        return stop;
    }
    let Some(first) = stop.take_fault() else {
        return EXACT;
    };
    let second = match first {
        Fault::Fuel => None,
        _ => vm.call_prepared(function, &[Val::Int(second)]).err(),
    };
    match second.map(Stop::take_fault) {
        Some(None) => EXACT,
        Some(Some(Fault::Fuel)) => Stop::because_of(Fault::Fuel),
        _ => Stop::because_of(first.through_generator()),
    }
}

/// The stop of a generator whose function stopped.
#[cold]
fn in_generator(stop: Stop) -> Stop {
    match stop.take_fault() {
        Some(fault) => Stop::because_of(fault.through_generator()),
        None => EXACT,
    }
}

pub(crate) fn rapply<'a>(vm: &mut Vm<'a>, functions: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let (kind, items) = container(vm, functions)?;
    let called = call_all_by(vm, items.len(), |vm, k| vm.call(&items[k], &[*value]))?;
    let whole = Whole {
        value: functions,
        kind,
        items,
    };
    let mut results = called.unless_fault(vm, whole)?;
    match kind {
        Kind::Tuple => Ok(Val::tuple(vm.arena, results.into_bump_slice())),
        Kind::Bag => Ok(Val::bag(vm, results.into_bump_slice(), Made::Somehow)),
        Kind::Set => {
            settle_all(vm, &mut results)?;
            let results = results.into_bump_slice();
            let made = Made::by(vm.arena, Recipe::Applied(*functions, results));
            Val::set(vm.arena, results, made)
        }
    }
}

pub(crate) fn mapply<'a>(vm: &mut Vm<'a>, function: &Val<'a>, container: &Val<'a>) -> R<'a> {
    let (kind, results) = mapped(vm, function, container)?;
    applied_and_merged(vm, container, kind, results)
}

/// Whether the reference engine refuses a container of these results, which this engine merges
/// without making it.
fn are_too_many_parts(results: &[Val<'_>]) -> bool {
    !is_few(n_parts_of_all(results))
}

/// The result of `mapply`, once the function was called.
pub(crate) fn applied_and_merged<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    kind: Kind,
    results: &'a [Val<'a>],
) -> R<'a> {
    if are_too_many_parts(results) {
        return Err(EXACT);
    }
    match kind {
        Kind::Set => {
            let made = Made::by(vm.arena, Recipe::AppliedAndMerged(*container, results));
            union_of(vm, results, made)
        }
        Kind::Tuple => merged_tuple(vm, results),
        Kind::Bag => merged_bag(vm, results),
    }
}

/// The results of a function of two arguments along two tuples.
fn zipped<'a>(
    vm: &mut Vm<'a>,
    function: &Val<'a>,
    a: &Val<'a>,
    b: &Val<'a>,
) -> Maybe<&'a [Val<'a>]> {
    let ((Kind::Tuple, left), (Kind::Tuple, right)) = (container(vm, a)?, container(vm, b)?) else {
        return Err(EXACT);
    };
    let n = left.len().min(right.len());
    let mut function = vm.prepared(function, n);
    let called = call_all_by(vm, n, |vm, k| {
        vm.call_prepared(&mut function, &[left[k], right[k]])
    })?;
    let whole = Whole {
        value: a,
        kind: Kind::Tuple,
        items: left,
    };
    let results = called.unless_fault(vm, whole)?;
    Ok(results.into_bump_slice())
}

pub(crate) fn papply<'a>(vm: &mut Vm<'a>, function: &Val<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if let (Val::Prim(entry), Val::Grid(a), Val::Grid(b)) = (function, a, b)
        && entry.prim == Prim::pair
        && !vm.is_watched()
    {
        return paired_rows(vm, a, b);
    }
    let results = zipped(vm, function, a, b)?;
    Ok(Val::rows(vm.arena, results))
}

/// `papply(pair, …)` of two grids: the cells of both, side by side, without making their rows.
fn paired_rows<'a>(vm: &mut Vm<'a>, a: &Grid<'a>, b: &Grid<'a>) -> R<'a> {
    let (arena, n_rows) = (vm.arena, a.height().min(b.height()));
    let of_cells = |(i, j): (&i8, &i8)| Val::place((i64::from(*i), i64::from(*j)));
    let rows = a.rows().zip(b.rows()).map(|(a, b)| {
        let cells = a.iter().zip(b).map(of_cells);
        Val::tuple(arena, arena.alloc_slice_fill_iter(cells))
    });
    let rows = arena.alloc_slice_fill_iter(rows);
    vm.enter(1)?;
    vm.leave(1);
    // The call, both rows and its result.
    let of_rows = n_rows * (1 + a.width() + b.width());
    vm.charge(of_rows as u64 + rows.iter().map(Val::weight).sum::<u64>())?;
    Ok(Val::rows(arena, rows))
}

pub(crate) fn mpapply<'a>(vm: &mut Vm<'a>, function: &Val<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let results = zipped(vm, function, a, b)?;
    if are_too_many_parts(results) {
        return Err(EXACT);
    }
    merged_tuple(vm, results)
}

pub(crate) fn prapply<'a>(vm: &mut Vm<'a>, function: &Val<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let right = Whole::of(vm, b)?;
    let (kind, items) = container(vm, a)?;
    let left = Whole {
        value: a,
        kind,
        items,
    };
    let (n_left, n_pairs) = (left.items.len(), left.items.len() * right.items.len());
    if n_pairs > MAX_SET_ELEMENTS {
        return Err(EXACT);
    }
    let mut prepared = vm.prepared(function, n_pairs);
    if matches!(function, Val::Prim(entry) if entry.prim == Prim::connect)
        && let (Val::Indices(x), Val::Indices(y)) = (a, b)
        && (x.made.is_like(&y.made) || a.is_same(b))
        && equal(a, b) == Some(true)
    {
        if !vm.is_watched() && is_beyond_connecting(left.items, vm.fuel) {
            return fault(Fault::Fuel);
        }
        if let Some(lines) = all_connected(vm, &prepared, a, left.items) {
            return Ok(lines);
        }
    }
    let called = call_all_by(vm, n_pairs, |vm, k| {
        let pair = [left.items[k % n_left], right.items[k / n_left]];
        vm.call_prepared(&mut prepared, &pair)
    })?;
    if !called.faults.is_empty() {
        return fault(fault_of_cross(vm, &called.faults, left, right)?);
    }
    let mut results = called.results;
    settle_all(vm, &mut results)?;
    let results = results.into_bump_slice();
    let made = Made::by(vm.arena, Recipe::Crossed(*a, *b, results));
    Val::set(vm.arena, results, made)
}

/// The fault that CPython meets first. CPython goes through the left container for each element of
/// the right one.
#[cold]
fn fault_of_cross<'a>(
    vm: &mut Vm<'a>,
    faults: &[(usize, Fault)],
    left: Whole<'_, 'a>,
    right: Whole<'_, 'a>,
) -> Maybe<Fault> {
    let first = match common_fault(faults) {
        Some(common) => common,
        None => {
            let (inner, outer) = (order_of(vm, left)?, order_of(vm, right)?);
            let n_left = left.items.len() as u32;
            let pairs = outer
                .iter()
                .flat_map(|j| inner.iter().map(move |i| j * n_left + i));
            first_fault(faults, &pairs.collect::<Vec<_>>()).ok_or(EXACT)?
        }
    };
    Ok(first.through_generator())
}

/// Whether connecting all places costs more than this fuel, even if no two are on one line. In any
/// order, all calls happen and none of them faults.
fn is_beyond_connecting(places: &[Val<'_>], fuel: u64) -> bool {
    let [first, ..] = places else { return false };
    let cost = COSTS[Prim::connect as usize];
    let of_one = 1 + price_of_args(cost, &[*first, *first]);
    let n_calls = (places.len() * places.len()) as u64;
    n_calls.saturating_mul(of_one) > fuel
}

/// `connect` on all pairs of some locations; `None` if something stops it.
fn all_connected<'a>(
    vm: &mut Vm<'a>,
    connect: &Prepared<'a>,
    set: &Val<'a>,
    places: &[Val<'a>],
) -> Option<Val<'a>> {
    let before = vm.fuel;
    let mut lines = None;
    let mut connect_all = |vm: &mut Vm<'a>| {
        lines = connected(vm, set, places).ok();
        lines.is_some()
    };
    let n_calls = places.len() * places.len();
    let is_done = match &connect.form {
        Form::Watched(watched) => vm.is_counted_at_once(watched, n_calls, |vm, _| connect_all(vm)),
        // Too few for a prepared body: the recorder counts them one by one.
        _ if vm.is_watched() => false,
        _ => connect_all(vm),
    };
    if !is_done {
        Stop::forget_fault();
        vm.fuel = before;
    }
    lines
}

/// Connects all pairs of places. The line from one place to another equals the line back, and lines
/// between other places differ, so the kernel draws each line once and compares no two.
fn connected<'a>(vm: &mut Vm<'a>, set: &Val<'a>, places: &[Val<'a>]) -> R<'a> {
    vm.enter(1)?;
    vm.leave(1);
    let n = places.len();
    let results = vm.arena.alloc_slice_fill_copy(n * n, Val::empty_set());
    let mut lines = List::new_in(vm.arena);
    let mut price = 0;
    for j in 0..n {
        for i in 0..=j {
            let line = connect(vm, &places[i], &places[j])?;
            let cost = COSTS[Prim::connect as usize];
            let of_args = price_of_args(cost, &[places[i], places[j]]);
            let of_call = 1 + of_args + cost.of_result(|| line.weight());
            price += if i == j { of_call } else { 2 * of_call };
            match line {
                Val::Indices(_) => lines.push(line),
                _ if line.is_empty_set() => continue,
                _ => return Err(EXACT),
            }
            results[j * n + i] = line;
            results[i * n + j] = line;
        }
        vm.charge(std::mem::take(&mut price))?;
    }
    if lines.len() < n * (n + 1) / 2 {
        lines.push(Val::empty_set());
    }
    let made = Made::by(vm.arena, Recipe::Connected(*set, results));
    Ok(Val::set_of_distinct_patches(vm.arena, &lines, made))
}
