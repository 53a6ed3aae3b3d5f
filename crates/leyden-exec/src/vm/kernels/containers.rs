//! Tuples and sets.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{MAX_ELEMENTS, MAX_SET_ELEMENTS};

use super::iteration::{Whole, call_all, call_each, common_fault, first_fault, order_of};
use super::unions::{check_parts, union_of, word};
use super::{EXACT, Maybe, R, Val, bool_of, fault, grid_of, indices, int_of, window};
use crate::vm::Vm;
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::object::Object;
use crate::vm::values::patch::{MAX_HEIGHT, MAX_WIDTH, Patch};
use crate::vm::values::value::{Arena, Items, List, Two, compare, equal};

/// The kind of a container, which decides the kind of an operation's result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tuple,
    Set,
    /// A tuple in an order that cannot be worked out.
    Bag,
}

/// The kind of a container and its elements. The order of a bag is settled now, if the engine can
/// work it out.
pub(crate) fn container<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> Maybe<(Kind, &'a [Val<'a>])> {
    match value {
        Val::Tuple(items) => Ok((Kind::Tuple, items.all())),
        Val::Set(items) => Ok((Kind::Set, items.all())),
        Val::Bag(items) => Ok(match vm.in_order(value) {
            Some(items) => (Kind::Tuple, items),
            None => (Kind::Bag, items.all()),
        }),
        _ => {
            let kind = if value.is_set() {
                Kind::Set
            } else {
                Kind::Tuple
            };
            let items = vm.elements_of(value).ok_or(EXACT)?;
            Ok((kind, items))
        }
    }
}

/// Python's `in`.
pub(super) fn contains<'a>(vm: &mut Vm<'a>, haystack: &Val<'a>, needle: &Val<'a>) -> Maybe<bool> {
    match (haystack, needle) {
        (Val::Indices(patch), Val::Pair(pair)) => {
            let (i, j) = pair.get();
            return Ok(patch.contains(i, j));
        }
        (Val::Object(object), Val::Cell(cell) | Val::Triple(cell)) => {
            return Ok(object.has(cell.get()));
        }
        (
            Val::Indices(_) | Val::Object(_),
            Val::Int(_) | Val::Pair(..) | Val::Cell(..) | Val::Triple(_),
        ) => {
            return Ok(false);
        }
        // A boolean equals a number.
        (Val::Indices(patch), Val::Two(two)) => {
            let place = two.0.as_int().zip(two.1.as_int());
            return Ok(place.is_some_and(|(i, j)| patch.contains(i, j)));
        }
        (Val::Object(_), Val::Two(two)) if two.0.as_int().is_none() => return Ok(false),
        (
            Val::Set(items),
            Val::Object(_) | Val::Indices(_) | Val::Pair(..) | Val::Cell(..) | Val::Triple(_),
        ) => {
            return Ok(items.binary_search_by(|item| compare(item, needle)).is_ok());
        }
        (Val::Set(items), Val::Two(two)) if word(&two.0).is_some() && word(&two.1).is_some() => {
            return Ok(items.binary_search_by(|item| compare(item, needle)).is_ok());
        }
        _ => {}
    }
    for item in container(vm, haystack)?.1 {
        if equal(item, needle).ok_or(EXACT)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn contained<'a>(vm: &mut Vm<'a>, value: &Val<'a>, container: &Val<'a>) -> R<'a> {
    bool_of(contains(vm, container, value)?)
}

pub(crate) fn combine<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.is_set() {
        let made = Made::by(vm.arena, Recipe::Joined(*a, *b));
        return union_of(vm, &[*a, *b], made);
    }
    if let (Val::Grid(_), Val::Grid(_)) = (a, b) {
        let grids = [grid_of(vm, a)?, grid_of(vm, b)?];
        return super::grids::stacked(vm.arena, &grids);
    }
    let parts = vm.arena.alloc([*a, *b]);
    merged_tuple(vm, parts)
}

/// The elements of set `a` that set `b` has (`wanted`) or lacks.
fn select<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>, wanted: bool, made: Made<'a>) -> R<'a> {
    match (a, b) {
        (Val::Indices(x), Val::Indices(y)) => {
            let kept = x.masked(vm.arena, y, wanted);
            Ok(indices(vm.arena, kept, made))
        }
        (Val::Object(x), Val::Object(y)) => {
            let alike = x.agreement(vm.arena, y);
            let kept = match (wanted, alike) {
                (true, alike) => alike,
                (false, Some(alike)) => x.patch.masked(vm.arena, &alike, false),
                (false, None) => Some(x.patch),
            };
            Ok(kept.map_or_else(Val::empty_set, |patch| {
                x.restricted(vm.arena, patch.made(made))
            }))
        }
        _ => {
            let (kind, items) = container(vm, a)?;
            let mut kept = List::with_capacity_in(items.len(), vm.arena);
            for item in items.iter() {
                if contains(vm, b, item)? == wanted {
                    kept.push(*item);
                }
            }
            rebuild(vm, a, kind, kept.into_bump_slice(), made)
        }
    }
}

/// A container of this kind with some of the elements of `whole`.
fn rebuild<'a>(
    vm: &mut Vm<'a>,
    whole: &Val<'a>,
    kind: Kind,
    kept: &'a [Val<'a>],
    made: Made<'a>,
) -> R<'a> {
    match (kind, whole) {
        (Kind::Bag, _) => Ok(Val::bag(vm, kept, Made::Somehow)),
        (Kind::Tuple, Val::Grid(_)) => Ok(Val::rows(vm.arena, kept)),
        (Kind::Tuple, _) => Ok(Val::tuple(vm.arena, kept)),
        // Still sorted, still without duplicates.
        (Kind::Set, Val::Set(_)) if kept.is_empty() => Ok(Val::empty_set()),
        (Kind::Set, Val::Set(_)) if !may_be_patch(kept) => {
            Ok(Val::Set(Items::of(vm.arena, kept, made)))
        }
        (Kind::Set, _) => Val::set(vm.arena, kept, made),
    }
}

/// Whether a set of these elements may be a patch or an object.
fn may_be_patch(items: &[Val<'_>]) -> bool {
    let all = |is_one: fn(&Val<'_>) -> bool| items.iter().all(is_one);
    all(|item| matches!(item, Val::Pair(_)))
        || all(|item| matches!(item, Val::Cell(_) | Val::Triple(_)))
}

pub(crate) fn intersection<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let has_bools =
        |v: &Val<'_>| matches!(v, Val::Set(items) if matches!(items.first(), Some(Val::Bool(_))));
    if !a.is_set() || !b.is_set() || has_bools(a) || has_bools(b) {
        return Err(EXACT);
    }
    // `a & a` copies, and `a & equal_copy` inserts again; the engine cannot tell them apart.
    let made = match equal(a, b) {
        Some(false) => Made::by(vm.arena, Recipe::Common(*a, *b)),
        _ => Made::Somehow,
    };
    // CPython goes through the smaller set, and the elements of that set stay. Elements that are
    // sets themselves may have been made in another way than their equals.
    match (a, b) {
        (Val::Set(_), Val::Set(_)) if b.len() <= a.len() => select(vm, b, a, true, made),
        _ => select(vm, a, b, true, made),
    }
}

pub(crate) fn difference<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if b.len().is_none() {
        return Err(EXACT);
    }
    let made = Made::by(vm.arena, Recipe::Part(*a));
    select(vm, a, b, false, made)
}

pub(crate) fn dedupe<'a>(vm: &mut Vm<'a>, tup: &Val<'a>) -> R<'a> {
    let (Kind::Tuple, items) = container(vm, tup)? else {
        return Err(EXACT);
    };
    let mut kept = List::with_capacity_in(items.len(), vm.arena);
    for item in items.iter() {
        if !is_member(&kept, item)? {
            kept.push(*item);
        }
    }
    Ok(Val::tuple(vm.arena, kept.into_bump_slice()))
}

fn is_member(items: &[Val<'_>], value: &Val<'_>) -> Maybe<bool> {
    for item in items {
        if equal(item, value).ok_or(EXACT)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn repeat<'a>(vm: &mut Vm<'a>, item: &Val<'a>, num: &Val<'a>) -> R<'a> {
    let n = int_of(num)?.max(0);
    if n > MAX_ELEMENTS as i64 {
        return Err(EXACT);
    }
    vm.announce(n as u64)?;
    let items = vm.arena.alloc_slice_fill_copy(n as usize, *item);
    Ok(Val::rows(vm.arena, items))
}

pub(crate) fn size<'a>(_: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(n) => Ok(Val::Int(n as i64)),
        None => fault(Fault::TypeError),
    }
}

pub(crate) fn merge<'a>(vm: &mut Vm<'a>, containers: &Val<'a>) -> R<'a> {
    let (kind, parts) = container(vm, containers)?;
    match kind {
        Kind::Set => {
            let made = Made::by(vm.arena, Recipe::Merged(*containers));
            union_of(vm, parts, made)
        }
        Kind::Tuple => merged_tuple(vm, parts),
        Kind::Bag => merged_bag(vm, parts),
    }
}

/// The elements of all parts, in an open order.
pub(super) fn merged_bag<'a>(vm: &mut Vm<'a>, parts: &'a [Val<'a>]) -> R<'a> {
    let merged = merged_tuple(vm, parts)?;
    let items = merged.elements(vm.arena).ok_or(EXACT)?;
    Ok(Val::bag(vm, items, Made::Somehow))
}

/// The elements of all parts, as a tuple.
pub(super) fn merged_tuple<'a>(vm: &mut Vm<'a>, parts: &'a [Val<'a>]) -> R<'a> {
    if !parts.is_empty() && parts.iter().all(|p| matches!(p, Val::Grid(_))) {
        let grids = parts.iter().filter_map(|part| part.as_grid(vm.arena));
        let grids = List::from_iter_in(grids, vm.arena);
        return super::grids::stacked(vm.arena, &grids);
    }
    check_parts(parts)?;
    let n_items = parts.iter().filter_map(Val::len).sum::<usize>();
    vm.announce(n_items as u64)?;
    let mut items = List::with_capacity_in(n_items.min(MAX_ELEMENTS), vm.arena);
    let mut is_ordered = true;
    for part in parts {
        let n_before = items.len();
        part.push_elements(vm.arena, &mut items).ok_or(EXACT)?;
        let is_single = items.len() < n_before + 2;
        is_ordered &= !matches!(part, Val::Bag(_)) && (part.is_tuple() || is_single);
        if items.len() > MAX_ELEMENTS {
            return Err(EXACT);
        }
    }
    let items = items.into_bump_slice();
    if is_ordered {
        return Ok(Val::tuple(vm.arena, items));
    }
    let parts = Val::Tuple(Items::of(vm.arena, parts, Made::Somehow));
    let made = Made::by(vm.arena, Recipe::Merged(parts));
    Ok(Val::bag(vm, items, made))
}

pub(crate) fn initset<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> R<'a> {
    match value {
        Val::Pair(pair) => {
            let (i, j) = pair.get();
            window(vm.arena, Patch::single(i, j), Made::ByRows)
        }
        Val::Cell(cell) | Val::Triple(cell) => {
            let (colour, i, j) = cell.get();
            let patch = Patch::single(i, j).ok_or(EXACT)?;
            Ok(Object::uniform(vm.arena, patch, colour))
        }
        _ => {
            let value = vm.settled(value).ok_or(EXACT)?;
            Val::set(vm.arena, &[value], Made::Somehow)
        }
    }
}

pub(crate) fn sfilter<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, condition: &Val<'a>) -> R<'a> {
    let whole = Whole::of(vm, container_)?;
    let holds = call_each(vm, whole, condition)?;
    filtered(vm, container_, (whole.kind, whole.items), &holds)
}

/// The elements of a container for which the condition holds.
pub(crate) fn filtered<'a>(
    vm: &mut Vm<'a>,
    whole: &Val<'a>,
    (kind, items): (Kind, &[Val<'a>]),
    holds: &[Val<'a>],
) -> R<'a> {
    let made = Made::by(vm.arena, Recipe::Part(*whole));
    match whole {
        Val::Indices(patch) => {
            let kept = kept_places(vm.arena, patch, holds);
            Ok(indices(vm.arena, kept, made))
        }
        Val::Object(object) => {
            let kept = kept_places(vm.arena, &object.patch, holds);
            Ok(kept.map_or_else(Val::empty_set, |patch| {
                object.restricted(vm.arena, patch.made(made))
            }))
        }
        _ => {
            let kept = items.iter().zip(holds).filter(|(_, holds)| holds.truth());
            let kept = List::from_iter_in(kept.map(|(item, _)| *item), vm.arena);
            rebuild(vm, whole, kind, kept.into_bump_slice(), made)
        }
    }
}

/// The places of a patch for which the condition holds.
fn kept_places<'a>(arena: Arena<'a>, patch: &Patch<'a>, holds: &[Val<'a>]) -> Option<Patch<'a>> {
    let rows = arena.alloc_slice_copy(patch.rows());
    let mut holds = holds.iter();
    for row in rows.iter_mut() {
        let low = kept_bits(*row as u64, &mut holds);
        let high = kept_bits((*row >> 64) as u64, &mut holds);
        *row = u128::from(high) << 64 | u128::from(low);
    }
    Patch::trimmed(patch.top(), patch.left(), rows)
}

/// The bits for which the condition holds, lowest first.
#[inline]
fn kept_bits<'v, 'a: 'v>(bits: u64, holds: &mut impl Iterator<Item = &'v Val<'a>>) -> u64 {
    let (mut rest, mut kept) = (bits, 0);
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        let does_hold = match holds.next() {
            Some(Val::Bool(b)) => b.get(),
            Some(value) => value.truth(),
            None => false,
        };
        kept |= if does_hold { lowest } else { 0 };
        rest ^= lowest;
    }
    kept
}

/// A set that CPython made by picking elements of a container one after the other.
pub(super) fn part_of<'a>(vm: &mut Vm<'a>, whole: &Val<'a>, kept: &[Val<'a>]) -> R<'a> {
    let arena = vm.arena;
    let made = Made::by(arena, Recipe::Part(*whole));
    match whole {
        Val::Set(_) => rebuild(vm, whole, Kind::Set, arena.alloc_slice_copy(kept), made),
        _ => Val::set(arena, kept, made),
    }
}

pub(crate) fn mfilter<'a>(vm: &mut Vm<'a>, container: &Val<'a>, function: &Val<'a>) -> R<'a> {
    let kept = sfilter(vm, container, function)?;
    merge(vm, &kept)
}

pub(crate) fn extract<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, condition: &Val<'a>) -> R<'a> {
    let (kind, items) = container(vm, container_)?;
    let called = call_all(vm, items, condition)?;
    let holding = (0..items.len()).filter(|k| called.results[*k].truth());
    if kind == Kind::Tuple && called.faults.is_empty() {
        let first = holding.map(|k| items[k]).next();
        return first.map_or_else(|| fault(Fault::StopIteration), Ok);
    }
    let holding = List::from_iter_in(holding, vm.arena);
    if called.faults.is_empty() {
        return first_of_holding(vm, container_, items, &holding);
    }
    let whole = Whole {
        value: container_,
        kind,
        items,
    };
    first_or_fault(vm, whole, &holding, &called.faults)
}

/// The first element for which the condition holds, or the fault of one that CPython meets before.
#[cold]
fn first_or_fault<'a>(
    vm: &mut Vm<'a>,
    whole: Whole<'_, 'a>,
    holding: &[usize],
    faults: &[(usize, Fault)],
) -> R<'a> {
    let first = match common_fault(faults) {
        Some(common) if holding.is_empty() => common,
        _ => {
            let order = order_of(vm, whole)?;
            let holds = |place: &u32| holding.binary_search(&(*place as usize)).is_ok();
            let n_before = order.iter().position(holds).unwrap_or(order.len());
            match (first_fault(faults, &order[..n_before]), order.get(n_before)) {
                (Some(first), _) => first,
                (None, Some(place)) => return Ok(whole.items[*place as usize]),
                (None, None) => return Err(EXACT),
            }
        }
    };
    fault(first.through_generator())
}

/// The first element of a set among those for which the condition holds, by their places.
pub(crate) fn first_of_holding<'a>(
    vm: &mut Vm<'a>,
    set: &Val<'a>,
    items: &[Val<'a>],
    holding: &[usize],
) -> R<'a> {
    match *holding {
        [] => fault(Fault::StopIteration),
        [only] => Ok(items[only]),
        _ => {
            let holds = |k: usize| holding.binary_search(&k).is_ok();
            vm.end_among(set, true, holds).ok_or(EXACT)
        }
    }
}

/// The first or last element.
fn end_of<'a>(vm: &mut Vm<'a>, value: &Val<'a>, is_first: bool, of_nothing: Fault) -> R<'a> {
    if let Some(end) = value.end_of_two(is_first) {
        return Ok(end);
    }
    let end = |items: &'a [Val<'a>]| {
        if is_first {
            items.first()
        } else {
            items.last()
        }
    };
    let element = match value {
        Val::Grid(grid) => {
            let row = grid.row(if is_first { 0 } else { grid.height() - 1 });
            Val::row(vm.arena, row)
        }
        Val::Tuple(items) => match end(items.all()) {
            Some(item) => *item,
            None => return fault(of_nothing),
        },
        _ => match value.len() {
            Some(0) => return fault(of_nothing),
            None => return fault(Fault::TypeError),
            _ if value.is_set() => vm.end_among(value, is_first, |_| true).ok_or(EXACT)?,
            _ => *end(vm.in_order(value).ok_or(EXACT)?).ok_or(EXACT)?,
        },
    };
    Ok(element)
}

pub(crate) fn totuple<'a>(vm: &mut Vm<'a>, container_: &Val<'a>) -> R<'a> {
    if container_.is_tuple() {
        return Ok(*container_);
    }
    if !container_.is_set() {
        return Err(EXACT);
    }
    let items = container_.elements(vm.arena).ok_or(EXACT)?;
    let made = Made::by(vm.arena, Recipe::Elements(*container_));
    Ok(Val::bag(vm, items, made))
}
pub(crate) fn first<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    end_of(vm, container, true, Fault::StopIteration)
}
pub(crate) fn last<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    end_of(vm, container, false, Fault::ValueError)
}

pub(crate) fn insert<'a>(vm: &mut Vm<'a>, value: &Val<'a>, container: &Val<'a>) -> R<'a> {
    if !container.is_set() {
        return Err(EXACT);
    }
    let value = vm.settled(value).ok_or(EXACT)?;
    let made = Made::by(vm.arena, Recipe::With(*container, value));
    if let (Val::Pair(pair), Val::Indices(_)) = (value, container) {
        let (i, j) = pair.get();
        let single = window(vm.arena, Patch::single(i, j), Made::ByRows)?;
        return union_of(vm, &[*container, single], made);
    }
    let items = container.elements(vm.arena).ok_or(EXACT)?;
    let mut items = List::from_iter_in(items.iter().copied(), vm.arena);
    // An equal element that is already there stays.
    if !is_member(&items, &value)? {
        items.push(value);
    }
    Val::set(vm.arena, &items, made)
}

pub(crate) fn remove<'a>(vm: &mut Vm<'a>, value: &Val<'a>, container_: &Val<'a>) -> R<'a> {
    let (kind, items) = container(vm, container_)?;
    let mut kept = List::with_capacity_in(items.len(), vm.arena);
    for item in items.iter() {
        if !equal(item, value).ok_or(EXACT)? {
            kept.push(*item);
        }
    }
    let made = Made::by(vm.arena, Recipe::Part(*container_));
    rebuild(vm, container_, kind, kept.into_bump_slice(), made)
}

pub(crate) fn other<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = remove(vm, value, container)?;
    first(vm, &rest)
}

pub(crate) fn interval<'a>(
    vm: &mut Vm<'a>,
    start: &Val<'a>,
    stop: &Val<'a>,
    step: &Val<'a>,
) -> R<'a> {
    let (start, stop, step) = (int_of(start)?, int_of(stop)?, int_of(step)?);
    let span = stop.checked_sub(start).ok_or(EXACT)?;
    if step == 0 {
        return fault(Fault::ValueError);
    }
    if span.unsigned_abs() / step.unsigned_abs() >= MAX_ELEMENTS as u64 {
        return Err(EXACT);
    }
    let is_forward = (span > 0) == (step > 0);
    vm.announce(if is_forward {
        span.unsigned_abs() / step.unsigned_abs()
    } else {
        0
    })?;
    let is_inside = |k: &i64| if step > 0 { *k < stop } else { *k > stop };
    let numbers = std::iter::successors(Some(start), |k| k.checked_add(step)).take_while(is_inside);
    let numbers = List::from_iter_in(numbers.map(Val::Int), vm.arena);
    Ok(Val::tuple(vm.arena, numbers.into_bump_slice()))
}

#[inline]
pub(crate) fn astuple<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    Ok(Val::two(vm.arena, *a, *b))
}

pub(crate) fn product<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let ((_, left), (_, right)) = (container(vm, a)?, container(vm, b)?);
    if left.len() * right.len() > MAX_SET_ELEMENTS {
        return fault(Fault::Memory);
    }
    let (left, right) = (
        sorted_elements(vm.arena, a, left)?,
        sorted_elements(vm.arena, b, right)?,
    );
    let n_pairs = left.len() * right.len();
    if n_pairs as u64 > vm.fuel && a.is_set() && b.is_set() {
        return fault(Fault::Fuel);
    }
    vm.announce(n_pairs as u64)?;
    let made = Made::by(vm.arena, Recipe::Product(*a, *b));
    if let Some(patch) = product_of_numbers(vm.arena, left, right) {
        return Ok(Val::Indices(vm.arena.alloc(patch.made(made))));
    }
    let items = if left.iter().all(is_place) {
        product_of_places(vm.arena, left, right)
    } else {
        let mut items = List::with_capacity_in(left.len() * right.len(), vm.arena);
        for i in left {
            items.extend(right.iter().map(|j| Val::two(vm.arena, *i, *j)));
        }
        items
    };
    // Pairs of sorted elements are sorted, too.
    if !items.is_empty() && items.iter().all(|item| matches!(item, Val::Two(_))) {
        return Ok(Val::Set(Items::of(vm.arena, items.into_bump_slice(), made)));
    }
    Val::set(vm.arena, &items, made)
}

/// All places whose coordinates are among these sorted numbers: one row of bits, again and again.
/// `None` if there are other values among them or they lie too far apart.
fn product_of_numbers<'a>(
    arena: Arena<'a>,
    left: &[Val<'a>],
    right: &[Val<'a>],
) -> Option<Patch<'a>> {
    let number = |item: &Val<'a>| match item {
        Val::Int(n) => Some(*n),
        _ => None,
    };
    let (top, bottom) = (number(left.first()?)?, number(left.last()?)?);
    let (first, last) = (number(right.first()?)?, number(right.last()?)?);
    let n_rows = bottom.checked_sub(top)?.checked_add(1)?;
    let width = last.checked_sub(first)?.checked_add(1)?;
    if n_rows > MAX_HEIGHT || width > MAX_WIDTH {
        return None;
    }
    let mut bits = 0u128;
    for item in right {
        bits |= 1 << (number(item)? - first);
    }
    let rows = arena.alloc_slice_fill_copy(n_rows as usize, 0);
    for item in left {
        rows[(number(item)? - top) as usize] = bits;
    }
    Patch::tight(top, first, width as u8, rows)
}

/// Whether it is a tuple that fits into a word.
fn is_place(value: &Val<'_>) -> bool {
    matches!(value, Val::Pair(_) | Val::Cell(_) | Val::Triple(_))
}

/// All tuples of a place and another value. None of these tuples fits into a word, so they can lie
/// side by side.
fn product_of_places<'a>(arena: Arena<'a>, left: &[Val<'a>], right: &[Val<'a>]) -> List<'a> {
    let mut twos = List::with_capacity_in(left.len() * right.len(), arena);
    for i in left {
        twos.extend(right.iter().map(|j| Two::of(*i, *j)));
    }
    let twos: &'a [Two<'a>] = twos.into_bump_slice();
    List::from_iter_in(twos.iter().map(Val::Two), arena)
}

/// The elements of a container, sorted by [`compare`], without copies.
fn sorted_elements<'a>(
    arena: Arena<'a>,
    whole: &Val<'a>,
    elements: &'a [Val<'a>],
) -> Maybe<&'a [Val<'a>]> {
    match whole {
        Val::Object(object) if object.only_colour().is_none() => {
            let sorted = arena.alloc_slice_copy(elements);
            sorted.sort_unstable_by(compare);
            Ok(sorted)
        }
        _ if whole.is_set() => Ok(elements),
        _ => {
            let distinct = Val::set(arena, elements, Made::Somehow)?;
            let elements = distinct.elements(arena).ok_or(EXACT)?;
            sorted_elements(arena, &distinct, elements)
        }
    }
}

pub(crate) fn pair<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    match (container(vm, a)?, container(vm, b)?) {
        ((Kind::Tuple, left), (Kind::Tuple, right)) => {
            let zipped = left.iter().zip(right);
            let zipped = zipped.map(|(i, j)| match (i, j) {
                (Val::Int(i), Val::Int(j)) => Val::pair(vm.arena, *i, *j),
                _ => Val::two(vm.arena, *i, *j),
            });
            let items = vm.arena.alloc_slice_fill_iter(zipped);
            Ok(Val::tuple(vm.arena, items))
        }
        _ => Err(EXACT),
    }
}

pub(crate) fn sizefilter<'a>(vm: &mut Vm<'a>, container_: &Val<'a>, n: &Val<'a>) -> R<'a> {
    let (_, items) = container(vm, container_)?;
    let mut kept = List::with_capacity_in(items.len(), vm.arena);
    for item in items {
        let len = item.len().ok_or(EXACT)? as i64;
        if equal(&Val::Int(len), n).ok_or(EXACT)? {
            kept.push(*item);
        }
    }
    part_of(vm, container_, &kept)
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;

    #[test]
    fn places_are_kept_as_values_hold() {
        let arena = Room::default();
        for n in 0..500u64 {
            let random = |k: u64| (n * 131 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 21;
            let rows: [u128; 5] = std::array::from_fn(|k| {
                let (low, high) = (random(k as u64), random(k as u64 + 9));
                u128::from(high) << (n % 85) | u128::from(low) | 1
            });
            let patch = Patch::from_rows(&arena, -2, 7, &rows).expect("it fits");
            let holds = |k: usize| match random(k as u64 + 99) % 4 {
                0 => Val::Bool(true.into()),
                1 => Val::Int(0),
                2 if n % 3 > 0 => Val::Int(7),
                _ => Val::None,
            };
            let holds: Vec<_> = (0..patch.len()).map(holds).collect();
            let wanted = patch.cells().zip(&holds).filter(|(_, value)| value.truth());
            let wanted: Vec<_> = wanted.map(|(place, _)| place).collect();
            let kept = kept_places(&arena, &patch, &holds);
            let kept = kept.map_or(Vec::new(), |patch| patch.cells().collect());
            assert_eq!(kept, wanted);
        }
    }
}
