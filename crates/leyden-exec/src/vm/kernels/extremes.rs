//! Elements with the largest, smallest or n-th key.

use std::cmp::Ordering;

use leyden_dsl::fault::Fault;
use leyden_dsl::table::Dialect;

use super::containers::{Kind, container, contains};
use super::iteration::{Called, Whole, call_all, common_fault, first_fault, order_of};
use super::{EXACT, Maybe, R, Val, fault};
use crate::vm::Vm;
use crate::vm::order::tables::ordered;
use crate::vm::values::value::{List, equal};

/// Python's `<`, if it is a total order.
fn key_order(a: &Val<'_>, b: &Val<'_>) -> Maybe<Ordering> {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => Ok(x.cmp(y)),
        (Val::Pair(x), Val::Pair(y)) => Ok(x.cmp(y)),
        (Val::Bool(x), Val::Bool(y)) => Ok(x.cmp(y)),
        (Val::Grid(x), Val::Grid(y)) => Ok(x.rows().cmp(y.rows())),
        (Val::Two(x), Val::Two(y)) => Ok(match key_order(&x.0, &y.0)? {
            Ordering::Equal => key_order(&x.1, &y.1)?,
            unequal => unequal,
        }),
        (Val::Tuple(x), Val::Tuple(y)) => {
            for (x, y) in x.iter().zip(y.iter()) {
                match key_order(x, y)? {
                    Ordering::Equal => {}
                    unequal => return Ok(unequal),
                }
            }
            Ok(x.len().cmp(&y.len()))
        }
        _ => Err(EXACT),
    }
}

/// Whether every key can be compared with every other. Sorting must not find out halfway.
fn are_comparable(keyed: &[(Val<'_>, Val<'_>)]) -> bool {
    let all = |is_one: fn(&Val<'_>) -> bool| keyed.iter().all(|(key, _)| is_one(key));
    all(|key| matches!(key, Val::Int(_)))
        || all(|key| matches!(key, Val::Pair(_)))
        || all(|key| matches!(key, Val::Bool(_)))
        || keyed.len() <= 64
            && keyed
                .iter()
                .all(|(a, _)| keyed.iter().all(|(b, _)| key_order(a, b).is_ok()))
}

/// The elements with their keys, sorted by key; and whether two keys are equal.
fn sorted<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    compfunc: &Val<'a>,
) -> Maybe<(List<'a, (Val<'a>, Val<'a>)>, bool)> {
    let keys = keys_of(vm, whole, compfunc)?;
    let mut keyed = List::with_capacity_in(keys.len(), vm.arena);
    keyed.extend(keys.iter().copied().zip(whole.items.iter().copied()));
    if !are_comparable(&keyed) {
        return Err(EXACT);
    }
    keyed.sort_by(|(a, _), (b, _)| key_order(a, b).unwrap_or(Ordering::Equal));
    let tie =
        |pair: &[(Val<'a>, Val<'a>)]| key_order(&pair[0].0, &pair[1].0) == Ok(Ordering::Equal);
    let is_tied = keyed.windows(2).any(tie);
    Ok((keyed, is_tied))
}

pub(crate) fn order<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    let whole = Whole::of(vm, container_)?;
    let fuel = vm.fuel;
    let (mut keyed, is_tied) = sorted(vm, whole, compfunc)?;
    if is_tied && whole.kind != Kind::Tuple {
        let items = vm.in_order(container_).ok_or(EXACT)?;
        vm.fuel = fuel;
        keyed = sorted(vm, whole.in_order(items), compfunc)?.0;
    }
    let items = keyed.iter().map(|(_, item)| *item);
    let items = vm.arena.alloc_slice_fill_iter(items);
    Ok(Val::rows(vm.arena, items))
}

/// The place of a rank in a container; negative ranks count from the end. `None` if there is no
/// such element.
pub(super) fn place_at_rank(container: &Val<'_>, rank: &Val<'_>) -> Maybe<Option<usize>> {
    let Val::Int(rank) = rank else {
        return Err(EXACT);
    };
    let n = container.len().ok_or(EXACT)? as i64;
    let place = if *rank < 0 {
        rank.saturating_add(n)
    } else {
        *rank
    };
    Ok(usize::try_from(place)
        .ok()
        .filter(|place| (*place as i64) < n))
}

/// The element at a rank by its key, and the numbers of elements with an equal key before and after
/// it.
struct Ranked {
    /// The place of one of them.
    place: usize,
    n_before: usize,
    n_after: usize,
}

impl Ranked {
    /// Finds a rank among keys, from the largest or from the smallest on.
    fn of(keys: &[Val<'_>], rank: usize, is_reversed: bool) -> Maybe<Ranked> {
        let is_end = rank == 0 || rank + 1 == keys.len();
        let wanted = if (rank == 0) == is_reversed {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        if is_end && let Some(best) = best_by_number(keys, wanted) {
            let is_equal = |key: &&Val<'_>| key.as_int() == keys[best.place].as_int();
            let n_others = if best.is_tied {
                keys.iter().filter(is_equal).count() - 1
            } else {
                0
            };
            let (n_before, n_after) = match rank {
                0 => (0, n_others),
                _ => (n_others, 0),
            };
            return Ok(Ranked {
                place: best.place,
                n_before,
                n_after,
            });
        }
        let mut keyed: Vec<(Val<'_>, Val<'_>)> = Vec::with_capacity(keys.len());
        keyed.extend((0..).zip(keys).map(|(k, key)| (*key, Val::Int(k))));
        if !are_comparable(&keyed) {
            return Err(EXACT);
        }
        let order = |a: &Val<'_>, b: &Val<'_>| key_order(a, b).unwrap_or(Ordering::Equal);
        keyed.sort_by(|(a, _), (b, _)| {
            if is_reversed {
                order(b, a)
            } else {
                order(a, b)
            }
        });
        let (key, place) = keyed[rank];
        let is_equal = |(other, _): &&(Val<'_>, Val<'_>)| order(other, &key) == Ordering::Equal;
        Ok(Ranked {
            place: place.as_int().unwrap_or(0) as usize,
            n_before: keyed[..rank].iter().filter(is_equal).count(),
            n_after: keyed[rank + 1..].iter().filter(is_equal).count(),
        })
    }

    /// The element at the rank. Elements with equal keys keep CPython's order, which the engine
    /// works out only if there are several.
    fn element<'a>(&self, vm: &mut Vm<'a>, whole: Whole<'_, 'a>, keys: &[Val<'a>]) -> R<'a> {
        let key = &keys[self.place];
        let is_equal = |k: usize| key_order(&keys[k], key) == Ok(Ordering::Equal);
        if self.n_before + self.n_after == 0 {
            return Ok(whole.items[self.place]);
        }
        if whole.kind == Kind::Set && (self.n_before == 0 || self.n_after == 0) {
            let element = vm.end_among(whole.value, self.n_before == 0, is_equal);
            return element.ok_or(EXACT);
        }
        let order = order_of(vm, whole)?;
        let mut equals = order.iter().filter(|k| is_equal(**k as usize));
        let found = equals.nth(self.n_before).ok_or(EXACT)?;
        Ok(whole.items[*found as usize])
    }
}

/// Replaces keys that are sets by their sizes, if one of any two includes the other. Then `<`
/// orders the sets as it orders their sizes.
fn number_chain<'a>(vm: &mut Vm<'a>, keys: &mut [Val<'a>]) -> Maybe<()> {
    if keys.is_empty() || !keys.iter().all(Val::is_set) {
        return Ok(());
    }
    let size = |key: &Val<'a>| key.len().unwrap_or(0);
    let mut chain = keys.to_vec();
    chain.sort_by_key(size);
    for pair in chain.windows(2) {
        let is_next = if size(&pair[0]) == size(&pair[1]) {
            equal(&pair[0], &pair[1]).ok_or(EXACT)?
        } else {
            includes(vm, &pair[1], &pair[0])?
        };
        if !is_next {
            return Err(EXACT);
        }
    }
    for key in keys {
        *key = Val::Int(size(key) as i64);
    }
    Ok(())
}

/// The element whose key has a rank, from the largest on; `None` if there is no such element.
pub(super) fn by_rank<'a>(
    vm: &mut Vm<'a>,
    container_: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> Maybe<Option<Val<'a>>> {
    let whole = Whole::of(vm, container_)?;
    let place = place_at_rank(container_, rank)?;
    let mut keys = keys_of(vm, whole, compfunc)?;
    number_chain(vm, &mut keys)?;
    let Some(place) = place else {
        // CPython sorts them even so.
        if !keys.is_empty() {
            Ranked::of(&keys, 0, true)?;
        }
        return Ok(None);
    };
    let ranked = Ranked::of(&keys, place, true)?;
    ranked.element(vm, whole, &keys).map(Some)
}

/// The key at a rank, from the smallest on. CPython calls the function on its element once more,
/// which gives the key again. Without such a key, the value of the function for 0.
pub(super) fn value_by_rank<'a>(
    vm: &mut Vm<'a>,
    container_: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    let whole = Whole::of(vm, container_)?;
    let place = place_at_rank(container_, rank)?;
    let keys = keys_of(vm, whole, compfunc)?;
    if let Some(place) = place {
        let ranked = Ranked::of(&keys, place, false)?;
        return Ok(keys[ranked.place]);
    }
    if !keys.is_empty() {
        Ranked::of(&keys, 0, false)?;
    }
    vm.call(compfunc, &[Val::Int(0)])
}

/// The place of the best key, and whether another one equals it.
#[derive(Clone, Copy)]
struct Best {
    place: usize,
    is_tied: bool,
}

/// The keys of all elements.
fn keys_of<'a>(vm: &mut Vm<'a>, whole: Whole<'_, 'a>, key: &Val<'a>) -> Maybe<List<'a>> {
    // Without a function, the elements are the keys.
    if matches!(key, Val::None) {
        return Err(EXACT);
    }
    let called = call_all(vm, whole.items, key)?;
    if called.faults.is_empty() {
        return Ok(called.results);
    }
    fault(fault_among_keys(vm, whole, &called)?)
}

/// The fault that CPython meets first. CPython compares keys as it goes and may find two that
/// cannot be compared before a later key faults.
#[cold]
fn fault_among_keys<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    Called { results, faults }: &Called<'a>,
) -> Maybe<Fault> {
    let has_fault = |k: &usize| faults.binary_search_by_key(k, |(place, _)| *place).is_ok();
    let all: Vec<usize>;
    let (first, before) = match (common_fault(faults), whole.kind) {
        // Keys that cannot be compared are a `TypeError`, too.
        (Some(Fault::TypeError), _) => return Ok(Fault::TypeError),
        (Some(common), _) if whole.items.len() <= 2 => return Ok(common),
        (Some(common), Kind::Set | Kind::Bag) if !vm.has_order_at_hand(whole.value) => {
            all = (0..results.len()).filter(|k| !has_fault(k)).collect();
            (common, &all[..])
        }
        _ => {
            let order = order_of(vm, whole)?;
            let first = first_fault(faults, order).ok_or(EXACT)?;
            let places = order.iter().map(|place| *place as usize);
            all = places.take_while(|k| !has_fault(k)).collect();
            (first, &all[..])
        }
    };
    let keyed: Vec<_> = before
        .iter()
        .map(|k| (results[*k], whole.items[*k]))
        .collect();
    if first == Fault::TypeError || are_comparable(&keyed) {
        Ok(first)
    } else {
        Err(EXACT)
    }
}

fn best(keys: &[Val<'_>], wanted: Ordering) -> Maybe<Option<Best>> {
    if let Some(best) = best_by_number(keys, wanted) {
        return Ok(Some(best));
    }
    let mut best: Option<Best> = None;
    for (place, key) in keys.iter().enumerate() {
        let found = match &best {
            None => wanted,
            Some(best) => key_order(key, &keys[best.place])?,
        };
        if found == wanted {
            best = Some(Best {
                place,
                is_tied: false,
            });
        } else if found == Ordering::Equal
            && let Some(best) = &mut best
        {
            best.is_tied = true;
        }
    }
    Ok(best)
}

/// The place of the best key if all keys are numbers, as most are.
#[inline]
fn best_by_number(keys: &[Val<'_>], wanted: Ordering) -> Option<Best> {
    let (mut place, mut is_tied) = (0, false);
    let mut best = match keys.first()? {
        Val::Int(key) => key,
        _ => return None,
    };
    for (k, key) in keys.iter().enumerate().skip(1) {
        let Val::Int(key) = key else { return None };
        let found = key.cmp(best);
        if found == wanted {
            (best, place, is_tied) = (key, k, false);
        } else {
            is_tied |= found == Ordering::Equal;
        }
    }
    Some(Best { place, is_tied })
}

/// The largest or smallest element; equal ones must be of one form.
fn extreme<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, wanted: Ordering) -> R<'a> {
    if let Val::Pair(pair) = container_ {
        let (i, j) = pair.get();
        return Ok(Val::Int(if j.cmp(&i) == wanted { j } else { i }));
    }
    let items = match container_ {
        Val::Bag(items) => items.all(),
        _ => container(vm, container_)?.1,
    };
    if items.iter().any(|item| matches!(item, Val::Bool(_))) {
        return Err(EXACT);
    }
    let mut best = match items.first() {
        None => return Ok(Val::Int(0)),
        Some(first) => *first,
    };
    for item in &items[1..] {
        if key_order(item, &best)? == wanted {
            best = *item;
        }
    }
    Ok(best)
}

pub(crate) fn maximum<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    extreme(vm, container, Ordering::Greater)
}
pub(crate) fn minimum<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    extreme(vm, container, Ordering::Less)
}

fn extreme_value<'a>(
    vm: &mut Vm<'a>,
    container_: &Val<'a>,
    compfunc: &Val<'a>,
    wanted: Ordering,
) -> R<'a> {
    let whole = Whole::of(vm, container_)?;
    let keys = keys_of(vm, whole, compfunc)?;
    match best_key(&keys, wanted)? {
        // CPython calls the function on the best element once more, which gives its key.
        Some(key) => Ok(key),
        None => vm.call(compfunc, &[Val::Int(0)]),
    }
}

/// The best key. All keys that equal it are one value.
pub(crate) fn best_key<'a>(keys: &[Val<'a>], wanted: Ordering) -> Maybe<Option<Val<'a>>> {
    let best = best(keys, wanted)?;
    Ok(best.map(|best| keys[best.place]))
}

pub(crate) fn valmax<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    extreme_value(vm, container, compfunc, Ordering::Greater)
}
pub(crate) fn valmin<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    extreme_value(vm, container, compfunc, Ordering::Less)
}

fn extreme_argument<'a>(
    vm: &mut Vm<'a>,
    container_: &Val<'a>,
    compfunc: &Val<'a>,
    wanted: Ordering,
) -> R<'a> {
    if let Some(items) = vm.order_at_hand(container_) {
        return first_extreme(vm, container_, items, compfunc, wanted);
    }
    let whole = Whole::of(vm, container_)?;
    let fuel = vm.fuel;
    let keys = keys_of(vm, whole, compfunc)?;
    match best_element(vm, container_, (whole.kind, whole.items), &keys, wanted)? {
        Some(found) => return Ok(found),
        None if !keys.is_empty() && keys.iter().all(Val::is_set) => {}
        None if !keys.is_empty() => return Err(EXACT),
        None if vm.dialect == Dialect::ReArc => return Ok(Val::None),
        None => return fault(Fault::ValueError),
    }
    let items = vm.in_order(container_).ok_or(EXACT)?;
    vm.fuel = fuel;
    first_extreme(vm, container_, items, compfunc, wanted)
}

/// The first element with the best key; `None` if there is no element or the keys have no order.
pub(crate) fn best_element<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    (kind, items): (Kind, &[Val<'a>]),
    keys: &[Val<'a>],
    wanted: Ordering,
) -> Maybe<Option<Val<'a>>> {
    let Ok(Some(best)) = best(keys, wanted) else {
        return Ok(None);
    };
    if !best.is_tied || kind == Kind::Tuple {
        return Ok(Some(items[best.place]));
    }
    let is_best = |k: usize| key_order(&keys[k], &keys[best.place]) == Ok(Ordering::Equal);
    match vm.end_among(container, true, is_best) {
        Some(element) => Ok(Some(element)),
        None => Err(EXACT),
    }
}

/// The first of the best elements, given elements in order.
fn first_extreme<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    items: &'a [Val<'a>],
    compfunc: &Val<'a>,
    wanted: Ordering,
) -> R<'a> {
    let whole = Whole {
        value: container,
        kind: Kind::Tuple,
        items,
    };
    let keys = keys_of(vm, whole, compfunc)?;
    if keys.iter().all(Val::is_set) {
        return extreme_by_inclusion(vm, &keys, items, wanted);
    }
    let best = best(&keys, wanted)?.ok_or(EXACT)?;
    Ok(items[best.place])
}

/// The extreme if keys are sets: `>` asks for a proper superset, and the order of the elements
/// decides.
fn extreme_by_inclusion<'a>(
    vm: &mut Vm<'a>,
    keys: &[Val<'a>],
    items: &[Val<'a>],
    wanted: Ordering,
) -> R<'a> {
    let mut best = 0;
    for k in 1..keys.len() {
        let (more, less) = match wanted {
            Ordering::Greater => (&keys[k], &keys[best]),
            _ => (&keys[best], &keys[k]),
        };
        if includes(vm, more, less)? {
            best = k;
        }
    }
    items.get(best).copied().ok_or(EXACT)
}

/// Whether `part` is a proper subset of `whole`.
fn includes<'a>(vm: &mut Vm<'a>, whole: &Val<'a>, part: &Val<'a>) -> Maybe<bool> {
    if !whole.is_set() || !part.is_set() {
        return Err(EXACT);
    }
    if whole.len() <= part.len() {
        return Ok(false);
    }
    for item in part.elements(vm.arena).ok_or(EXACT)? {
        if !contains(vm, whole, item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn argmax<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    extreme_argument(vm, container, compfunc, Ordering::Greater)
}
pub(crate) fn argmin<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    extreme_argument(vm, container, compfunc, Ordering::Less)
}

/// The element with most or fewest copies; among equals, the first in CPython's set.
fn commonest<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, wanted: Ordering) -> R<'a> {
    let (kind, items) = container(vm, container_)?;
    if kind == Kind::Set {
        return fault(Fault::AttributeError);
    }
    if kind == Kind::Bag || items.iter().any(|item| matches!(item, Val::Bag(_))) {
        return Err(EXACT);
    }
    if let Some(colour) = commonest_colour(items, wanted) {
        return Ok(colour);
    }
    let mut counts: Vec<(&Val<'a>, usize)> = Vec::new();
    'items: for item in items.iter() {
        for (known, count) in &mut counts {
            if equal(known, item).ok_or(EXACT)? {
                *count += 1;
                continue 'items;
            }
        }
        counts.push((item, 1));
    }
    let best = counts
        .iter()
        .map(|(_, n)| *n)
        .reduce(|a, b| if b.cmp(&a) == wanted { b } else { a });
    let Some(best) = best else {
        return fault(Fault::ValueError);
    };
    counts.retain(|(_, n)| *n == best);
    if let [(only, _)] = counts[..] {
        return Ok(*only);
    }
    let is_best = |item: &Val<'a>| {
        let mut best = counts.iter();
        best.any(|(known, _)| equal(known, item) == Some(true))
    };
    let ordered = ordered(vm.arena, items).ok_or(EXACT)?;
    ordered.iter().copied().find(is_best).ok_or(EXACT)
}

/// The item of a tuple at a rank by the number of its copies, from the rarest on; among equals, in
/// the order of CPython's set. `()` if there is no such item.
pub(super) fn common_by_rank<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    let (Kind::Tuple, items) = container(vm, container_)? else {
        return Err(EXACT);
    };
    if items.len() > MOST_COMPARED {
        return Err(EXACT);
    }
    let mut distinct: Vec<(Val<'a>, usize)> = Vec::new();
    'items: for item in items {
        for (known, count) in &mut distinct {
            if equal(known, item).ok_or(EXACT)? {
                *count += 1;
                continue 'items;
            }
        }
        distinct.push((*item, 1));
    }
    let firsts: Vec<Val<'a>> = distinct.iter().map(|(item, _)| *item).collect();
    let mut counted = Vec::with_capacity(distinct.len());
    for item in ordered(vm.arena, &firsts).ok_or(EXACT)? {
        let known = |(known, _): &&(Val<'a>, usize)| equal(known, item) == Some(true);
        let (_, count) = distinct.iter().find(known).ok_or(EXACT)?;
        counted.push((*count, *item));
    }
    counted.sort_by_key(|(count, _)| *count);
    let items = counted.iter().map(|(_, item)| *item);
    let ranked = Val::tuple(vm.arena, vm.arena.alloc_slice_fill_iter(items));
    match place_at_rank(&ranked, rank)? {
        Some(place) => Ok(counted[place].1),
        None => Ok(Val::empty_tuple()),
    }
}

/// The longest tuple whose items are compared with each other, which takes the square of its length;
/// longer ones are left to the reference engine.
const MOST_COMPARED: usize = 256;

/// The commonest of numbers below 10; `None` if there are other values or CPython's order must be
/// worked out.
fn commonest_colour<'a>(items: &[Val<'a>], wanted: Ordering) -> Option<Val<'a>> {
    let mut counts = [0u32; 10];
    for item in items {
        let Val::Int(colour) = item else { return None };
        *counts.get_mut(usize::try_from(*colour).ok()?)? += 1;
    }
    let colours = || (0..counts.len()).filter(|colour| counts[*colour] > 0);
    let best = colours().reduce(|a, b| match counts[b].cmp(&counts[a]) {
        found if found == wanted => b,
        _ => a,
    })?;
    // A table holds small numbers in their order. In a table of eight slots, which holds up to four
    // of them, numbers beyond 7 come first or in a free slot.
    let is_tied = colours().any(|colour| colour != best && counts[colour] == counts[best]);
    let are_in_order = counts[8..] == [0, 0] || colours().count() > 4;
    (!is_tied || are_in_order).then_some(Val::Int(best as i64))
}

pub(crate) fn mostcommon<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    commonest(vm, container, Ordering::Greater)
}
pub(crate) fn leastcommon<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    commonest(vm, container, Ordering::Less)
}
