//! Tuples and sets.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{MAX_ELEMENTS, MAX_SET_ELEMENTS};

use super::super::Vm;
use super::super::order::Order;
use super::super::patch::{Canvas, Filled, Patch};
use super::super::value::{Colours, Items, Object, compare, equal, object_from};
use super::{EXACT, R, Val, bool_of, fault, grid_of, indices, int_of};
use leyden_dsl::table::Dialect;

/// What a container is, and so what an operation on it gives back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tuple,
    Set,
    Bag,
}

/// The kind of a container and its elements, borrowed where they are stored as such.
pub(super) fn container(value: &Val) -> R<(Kind, Cow<'_, [Val]>)> {
    match value {
        Val::Tuple(items) => Ok((Kind::Tuple, Cow::Borrowed(items))),
        Val::Set(items) => Ok((Kind::Set, Cow::Borrowed(items))),
        Val::Bag(items) => Ok((Kind::Bag, Cow::Borrowed(items))),
        _ => {
            let kind = if value.is_set() {
                Kind::Set
            } else {
                Kind::Tuple
            };
            value
                .elements()
                .map(|items| (kind, Cow::Owned(items)))
                .ok_or(EXACT)
        }
    }
}

/// A container of that kind with these elements.
pub(super) fn rebuild(kind: Kind, items: Vec<Val>) -> R {
    match kind {
        Kind::Tuple => Ok(Val::tuple(items)),
        Kind::Set => Val::set(items),
        Kind::Bag => Ok(Val::bag(items)),
    }
}

/// The elements in CPython's order, where it is known.
fn in_order(value: &Val) -> Option<Vec<Val>> {
    match value {
        Val::Indices(patch) => Some(patch.in_order()?.into_iter().map(Val::place).collect()),
        _ if value.is_tuple() || value.len() == Some(1) => value.elements(),
        Val::Set(items) => items.in_order().map(<[Val]>::to_vec),
        _ => None,
    }
}

/// Whether the order of a container is known, and its elements, then in that order.
fn ordered_if_known(value: &Val) -> R<(bool, Cow<'_, [Val]>)> {
    match in_order(value) {
        Some(items) => Ok((true, Cow::Owned(items))),
        None => Ok((false, container(value)?.1)),
    }
}

/// All elements of several containers as one set.
pub(super) fn union_of(parts: &[Val]) -> R {
    let mut patches = Vec::with_capacity(parts.len());
    let mut objects = Vec::new();
    for part in parts {
        match part {
            Val::Indices(patch) => patches.push(&**patch),
            Val::Object(object) => objects.push(&**object),
            _ if part.is_empty_set() => {}
            _ => return union_by_element(parts),
        }
    }
    match (patches.is_empty(), objects.is_empty()) {
        (true, true) => Ok(Val::empty_set()),
        (false, true) => union_of_patches(&patches),
        (true, false) => union_of_objects(&objects),
        (false, false) => union_by_element(parts),
    }
}

fn union_of_patches(patches: &[&Patch]) -> R {
    if let [only] = patches {
        return Ok(Val::Indices(Rc::new(
            (*only).clone().filled(Filled::Somehow),
        )));
    }
    let mut canvas = Canvas::around(patches.iter().copied()).ok_or(EXACT)?;
    for patch in patches {
        canvas.add(patch);
    }
    Ok(indices(canvas.finish()))
}

fn union_of_objects(objects: &[&Object]) -> R {
    if let [only] = objects {
        return Ok(Val::Object(Rc::new((*only).clone())));
    }
    if let Some(colour) = common_colour(objects) {
        let mut canvas = Canvas::around(objects.iter().map(|o| &o.patch)).ok_or(EXACT)?;
        for object in objects {
            canvas.add(&object.patch);
        }
        return canvas
            .finish()
            .map(|patch| Object::uniform(patch, colour))
            .ok_or(EXACT);
    }
    let mut cells = Vec::with_capacity(objects.iter().map(|o| o.patch.len()).sum());
    objects.iter().for_each(|o| cells.extend(o.cells()));
    match object_from(&cells) {
        Some(object) => Ok(object),
        None => Val::set(cells.into_iter().map(Val::coloured_place).collect()),
    }
}

fn common_colour(objects: &[&Object]) -> Option<i8> {
    let colour = objects.first()?.only_colour()?;
    objects
        .iter()
        .all(|o| o.colours == Colours::One(colour))
        .then_some(colour)
}

fn union_by_element(parts: &[Val]) -> R {
    let mut items = Vec::new();
    for part in parts {
        items.extend_from_slice(&container(part)?.1);
    }
    Val::set(items)
}

/// Python's `in`.
fn contains(haystack: &Val, needle: &Val) -> R<bool> {
    match (haystack, needle) {
        (Val::Indices(patch), Val::Pair(pair)) => {
            let (i, j) = pair.get();
            return Ok(patch.contains(i, j));
        }
        (Val::Object(object), Val::Cell(cell)) => {
            let (v, i, j) = cell.get();
            return Ok(object.patch.contains(i, j) && object.colour_at(i, j) == v);
        }
        (Val::Indices(_) | Val::Object(_), Val::Int(_) | Val::Pair(..) | Val::Cell(..)) => {
            return Ok(false);
        }
        (Val::Set(items), Val::Object(_) | Val::Indices(_) | Val::Pair(..) | Val::Cell(..)) => {
            return Ok(items.binary_search_by(|item| compare(item, needle)).is_ok());
        }
        _ => {}
    }
    for item in container(haystack)?.1.iter() {
        if equal(item, needle).ok_or(EXACT)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn contained(_: &mut Vm, value: &Val, container: &Val) -> R {
    bool_of(contains(container, value)?)
}

pub(crate) fn combine(_: &mut Vm, a: &Val, b: &Val) -> R {
    if a.is_set() {
        return union_of(&[a.clone(), b.clone()]);
    }
    if let (Val::Grid(_), Val::Grid(_)) = (a, b) {
        return super::grids::stacked(&[grid_of(a)?, grid_of(b)?]);
    }
    let ((_, left), (kind, right)) = (container(a)?, container(b)?);
    let items = [left, right].concat();
    if kind == Kind::Tuple && !matches!(a, Val::Bag(_)) {
        Ok(Val::tuple(items))
    } else {
        Ok(Val::bag(items))
    }
}

/// The elements of `a` that `b` has (`wanted`) or lacks, where both are sets.
fn select(a: &Val, b: &Val, wanted: bool) -> R {
    match (a, b) {
        (Val::Indices(x), Val::Indices(y)) => Ok(indices(x.masked(y, wanted))),
        (Val::Object(x), Val::Object(y)) if common_colour(&[x, y]).is_some() => {
            let kept = x.patch.masked(&y.patch, wanted);
            Ok(kept.map_or_else(Val::empty_set, |patch| x.restricted(patch)))
        }
        _ => {
            let (kind, items) = container(a)?;
            let mut kept = Vec::with_capacity(items.len());
            for item in items.iter() {
                if contains(b, item)? == wanted {
                    kept.push(item.clone());
                }
            }
            match (a, wanted) {
                // `difference` picks one element after the other; `&` does not.
                (Val::Set(whole), false) => Ok(part_of(whole, kept)),
                _ => rebuild(kind, kept),
            }
        }
    }
}

pub(crate) fn intersection(_: &mut Vm, a: &Val, b: &Val) -> R {
    let has_bools =
        |v: &Val| matches!(v, Val::Set(items) if matches!(items.first(), Some(Val::Bool(_))));
    if !a.is_set() || !b.is_set() || has_bools(a) || has_bools(b) {
        return Err(EXACT);
    }
    select(a, b, true)
}

pub(crate) fn difference(_: &mut Vm, a: &Val, b: &Val) -> R {
    if b.len().is_none() {
        return Err(EXACT);
    }
    select(a, b, false)
}

pub(crate) fn dedupe(_: &mut Vm, tup: &Val) -> R {
    let (Kind::Tuple, items) = container(tup)? else {
        return Err(EXACT);
    };
    let mut kept: Vec<Val> = Vec::new();
    for item in items.iter() {
        if !is_member(&kept, item)? {
            kept.push(item.clone());
        }
    }
    Ok(Val::tuple(kept))
}

fn is_member(items: &[Val], value: &Val) -> R<bool> {
    for item in items {
        if equal(item, value).ok_or(EXACT)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Python's `<` where it is a total order.
fn key_order(a: &Val, b: &Val) -> R<Ordering> {
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

/// Can every key be compared with every other? Sorting must not find out halfway.
fn are_comparable(keyed: &[(Val, Val)]) -> bool {
    let all = |is_one: fn(&Val) -> bool| keyed.iter().all(|(key, _)| is_one(key));
    all(|key| matches!(key, Val::Int(_)))
        || all(|key| matches!(key, Val::Pair(_)))
        || all(|key| matches!(key, Val::Bool(_)))
        || keyed.len() <= 64
            && keyed
                .iter()
                .all(|(a, _)| keyed.iter().all(|(b, _)| key_order(a, b).is_ok()))
}

pub(crate) fn order(vm: &mut Vm, container_: &Val, compfunc: &Val) -> R {
    let (is_ordered, items) = ordered_if_known(container_)?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items.iter() {
        keyed.push((vm.call_on(compfunc, item)?, item.clone()));
    }
    if !are_comparable(&keyed) {
        return Err(EXACT);
    }
    keyed.sort_by(|(a, _), (b, _)| key_order(a, b).unwrap_or(Ordering::Equal));
    let tie = |pair: &[(Val, Val)]| key_order(&pair[0].0, &pair[1].0) == Ok(Ordering::Equal);
    if !is_ordered && keyed.windows(2).any(tie) {
        return Err(EXACT);
    }
    Ok(Val::rows(keyed.into_iter().map(|(_, item)| item).collect()))
}

pub(crate) fn repeat(_: &mut Vm, item: &Val, num: &Val) -> R {
    let n = int_of(num)?.max(0);
    if n > MAX_ELEMENTS as i64 {
        return Err(EXACT);
    }
    Ok(Val::rows(vec![item.clone(); n as usize]))
}

pub(crate) fn size(_: &mut Vm, container: &Val) -> R {
    match container.len() {
        Some(n) => Ok(Val::Int(n as i64)),
        None => fault(Fault::TypeError),
    }
}

pub(crate) fn merge(_: &mut Vm, containers: &Val) -> R {
    let (kind, parts) = container(containers)?;
    merged(kind, &parts)
}

/// The elements of all parts, in a container of that kind.
pub(super) fn merged(kind: Kind, parts: &[Val]) -> R {
    if kind == Kind::Set {
        return union_of(parts);
    }
    if kind == Kind::Tuple && !parts.is_empty() && parts.iter().all(|p| matches!(p, Val::Grid(_))) {
        let grids: Vec<_> = parts.iter().filter_map(Val::as_grid).collect();
        return super::grids::stacked(&grids);
    }
    let (mut items, mut ordered) = (Vec::new(), kind == Kind::Tuple);
    for part in parts {
        let (inner, elements) = container(part)?;
        ordered &= inner == Kind::Tuple || elements.len() < 2;
        items.extend_from_slice(&elements);
        if items.len() > MAX_ELEMENTS {
            return Err(EXACT);
        }
    }
    Ok(if ordered {
        Val::tuple(items)
    } else {
        Val::bag(items)
    })
}

/// The best element by key with its key, and whether another has an equal key.
struct Best {
    element: Val,
    key: Val,
    is_tied: bool,
}

fn best(vm: &mut Vm, items: &[Val], key: Option<&Val>, wanted: Ordering) -> R<Option<Best>> {
    let mut best: Option<Best> = None;
    for item in items {
        let key = match key {
            Some(function) => vm.call_on(function, item)?,
            None => item.clone(),
        };
        let found = match &best {
            None => wanted,
            Some(best) => key_order(&key, &best.key)?,
        };
        if found == wanted {
            best = Some(Best {
                element: item.clone(),
                key,
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

/// The largest or smallest element itself; equal ones must be of one form.
fn extreme(vm: &mut Vm, container_: &Val, wanted: Ordering) -> R {
    let (_, items) = container(container_)?;
    if items.iter().any(|item| matches!(item, Val::Bool(_))) {
        return Err(EXACT);
    }
    Ok(best(vm, &items, None, wanted)?.map_or(Val::Int(0), |best| best.element))
}

pub(crate) fn maximum(vm: &mut Vm, container: &Val) -> R {
    extreme(vm, container, Ordering::Greater)
}
pub(crate) fn minimum(vm: &mut Vm, container: &Val) -> R {
    extreme(vm, container, Ordering::Less)
}

fn extreme_value(vm: &mut Vm, container_: &Val, compfunc: &Val, wanted: Ordering) -> R {
    let (_, items) = container(container_)?;
    match best(vm, &items, Some(compfunc), wanted)? {
        None => vm.call(compfunc, &[&Val::Int(0)]),
        Some(best) => vm.call(compfunc, &[&best.element]),
    }
}

pub(crate) fn valmax(vm: &mut Vm, container: &Val, compfunc: &Val) -> R {
    extreme_value(vm, container, compfunc, Ordering::Greater)
}
pub(crate) fn valmin(vm: &mut Vm, container: &Val, compfunc: &Val) -> R {
    extreme_value(vm, container, compfunc, Ordering::Less)
}

fn extreme_argument(vm: &mut Vm, container_: &Val, compfunc: &Val, wanted: Ordering) -> R {
    if let Val::Set(items) = container_
        && items.is_order_at_hand()
        && let Some(items) = items.in_order()
    {
        return best(vm, items, Some(compfunc), wanted)?
            .map(|found| found.element)
            .ok_or(EXACT);
    }
    let (kind, items) = container(container_)?;
    match best(vm, &items, Some(compfunc), wanted)? {
        None if vm.dialect == Dialect::ReArc => Ok(Val::None),
        None => fault(Fault::ValueError),
        Some(found) if found.is_tied && kind != Kind::Tuple => {
            let items = in_order(container_).ok_or(EXACT)?;
            best(vm, &items, Some(compfunc), wanted)?
                .map(|found| found.element)
                .ok_or(EXACT)
        }
        Some(found) => Ok(found.element),
    }
}

pub(crate) fn argmax(vm: &mut Vm, container: &Val, compfunc: &Val) -> R {
    extreme_argument(vm, container, compfunc, Ordering::Greater)
}
pub(crate) fn argmin(vm: &mut Vm, container: &Val, compfunc: &Val) -> R {
    extreme_argument(vm, container, compfunc, Ordering::Less)
}

/// The element whose number of copies is the only largest or smallest.
fn commonest(container_: &Val, wanted: Ordering) -> R {
    let (kind, items) = container(container_)?;
    if kind == Kind::Set {
        return fault(Fault::AttributeError);
    }
    if items.iter().any(|item| matches!(item, Val::Bag(_))) {
        return Err(EXACT);
    }
    let mut counts: Vec<(&Val, usize)> = Vec::new();
    for item in items.iter() {
        match counts
            .iter_mut()
            .find(|(known, _)| equal(known, item) == Some(true))
        {
            Some((_, count)) => *count += 1,
            None => counts.push((item, 1)),
        }
    }
    let best = counts
        .iter()
        .map(|(_, n)| *n)
        .reduce(|a, b| if b.cmp(&a) == wanted { b } else { a });
    let Some(best) = best else {
        return fault(Fault::ValueError);
    };
    match counts
        .iter()
        .filter(|(_, n)| *n == best)
        .collect::<Vec<_>>()[..]
    {
        [(item, _)] => Ok((*item).clone()),
        _ => Err(EXACT),
    }
}

pub(crate) fn mostcommon(_: &mut Vm, container: &Val) -> R {
    commonest(container, Ordering::Greater)
}
pub(crate) fn leastcommon(_: &mut Vm, container: &Val) -> R {
    commonest(container, Ordering::Less)
}

pub(crate) fn initset(_: &mut Vm, value: &Val) -> R {
    match value {
        Val::Pair(pair) => super::window(Patch::single(pair.get().0, pair.get().1)),
        _ => Val::set(vec![value.clone()]),
    }
}

/// Keeps the places of a patch where a function of the element holds.
fn kept_places(
    vm: &mut Vm,
    patch: &Patch,
    condition: &Val,
    element: impl Fn(i64, i64) -> Val,
) -> R<Option<Patch>> {
    let mut rows = patch.rows().to_vec();
    for (i, j) in patch.cells() {
        if !vm.call_on(condition, &element(i, j))?.truth() {
            rows[(i - patch.top()) as usize] &= !(1 << (j - patch.left()));
        }
    }
    Ok(Patch::from_rows(patch.top(), patch.left(), &rows))
}

pub(crate) fn sfilter(vm: &mut Vm, container_: &Val, condition: &Val) -> R {
    match container_ {
        Val::Indices(patch) => {
            let element = |i: i64, j: i64| Val::place((i, j));
            Ok(indices(kept_places(vm, patch, condition, element)?))
        }
        Val::Object(object) => {
            let element = |i: i64, j: i64| Val::coloured_place((object.colour_at(i, j), i, j));
            let kept = kept_places(vm, &object.patch, condition, element)?;
            Ok(kept.map_or_else(Val::empty_set, |patch| object.restricted(patch)))
        }
        _ => {
            let (kind, kept) = filtered(vm, container_, condition)?;
            match (container_, kind) {
                (Val::Set(items), _) => Ok(part_of(items, kept)),
                (Val::Grid(_), _) => Ok(Val::rows(kept)),
                _ => rebuild(kind, kept),
            }
        }
    }
}

/// A set that CPython made by picking elements of another one after the other.
pub(super) fn part_of(whole: &Rc<Items>, kept: Vec<Val>) -> Val {
    Val::Set(Items::ordered(kept, Order::Part(Rc::clone(whole))))
}

fn filtered(vm: &mut Vm, container_: &Val, condition: &Val) -> R<(Kind, Vec<Val>)> {
    let (kind, items) = container(container_)?;
    let mut kept = Vec::with_capacity(items.len());
    for item in items.iter() {
        if vm.call_on(condition, item)?.truth() {
            kept.push(item.clone());
        }
    }
    Ok((kind, kept))
}

pub(crate) fn mfilter(vm: &mut Vm, container: &Val, function: &Val) -> R {
    let (kind, kept) = filtered(vm, container, function)?;
    merged(kind, &kept)
}

pub(crate) fn extract(vm: &mut Vm, container_: &Val, condition: &Val) -> R {
    let (is_ordered, items) = ordered_if_known(container_)?;
    let mut found = None;
    for item in items.iter() {
        if vm.call_on(condition, item)?.truth() {
            if is_ordered {
                return Ok(item.clone());
            }
            if found.replace(item).is_some() {
                return Err(EXACT);
            }
        }
    }
    found
        .cloned()
        .map_or_else(|| fault(Fault::StopIteration), Ok)
}

/// The first or last element: any of a set's elements, if it has only one.
fn end_of(value: &Val, is_first: bool, of_nothing: Fault) -> R {
    let element = match value {
        Val::Pair(pair) => Val::Int(if is_first { pair.get().0 } else { pair.get().1 }),
        Val::Cell(cell) if is_first => Val::Int(i64::from(cell.get().0)),
        Val::Cell(cell) => Val::place((cell.get().1, cell.get().2)),
        Val::Two(two) => {
            if is_first {
                two.0.clone()
            } else {
                two.1.clone()
            }
        }
        Val::Grid(grid) => Val::row(grid.row(if is_first { 0 } else { grid.height() - 1 })),
        Val::Tuple(items) => match if is_first {
            items.first()
        } else {
            items.last()
        } {
            Some(item) => item.clone(),
            None => return fault(of_nothing),
        },
        _ => match (value.len(), value.is_set()) {
            (Some(0), true) => return fault(of_nothing),
            (None, _) => return fault(Fault::TypeError),
            _ => {
                let items = in_order(value).ok_or(EXACT)?;
                let end = if is_first {
                    items.first()
                } else {
                    items.last()
                };
                end.cloned().ok_or(EXACT)?
            }
        },
    };
    Ok(element)
}

pub(crate) fn totuple(_: &mut Vm, container_: &Val) -> R {
    match container(container_)? {
        (Kind::Tuple, _) => Ok(container_.clone()),
        (_, items) => match in_order(container_) {
            Some(items) => Ok(Val::tuple(items)),
            None => Ok(Val::bag(items.into_owned())),
        },
    }
}
pub(crate) fn first(_: &mut Vm, container: &Val) -> R {
    end_of(container, true, Fault::StopIteration)
}
pub(crate) fn last(_: &mut Vm, container: &Val) -> R {
    end_of(container, false, Fault::ValueError)
}

pub(crate) fn insert(_: &mut Vm, value: &Val, container: &Val) -> R {
    match (value, container) {
        (Val::Pair(pair), Val::Indices(_)) => {
            let single = super::window(Patch::single(pair.get().0, pair.get().1))?;
            union_of(&[container.clone(), single])
        }
        _ if container.is_set() => {
            let mut items = container.elements().ok_or(EXACT)?;
            items.push(value.clone());
            Val::set(items)
        }
        _ => Err(EXACT),
    }
}

pub(crate) fn remove(_: &mut Vm, value: &Val, container_: &Val) -> R {
    let (kind, items) = container(container_)?;
    let mut kept = Vec::with_capacity(items.len());
    for item in items.iter() {
        if !equal(item, value).ok_or(EXACT)? {
            kept.push(item.clone());
        }
    }
    match container_ {
        Val::Grid(_) => Ok(Val::rows(kept)),
        Val::Set(items) => Ok(part_of(items, kept)),
        _ => rebuild(kind, kept),
    }
}

pub(crate) fn other(vm: &mut Vm, container: &Val, value: &Val) -> R {
    let rest = remove(vm, value, container)?;
    first(vm, &rest)
}

pub(crate) fn interval(_: &mut Vm, start: &Val, stop: &Val, step: &Val) -> R {
    let (start, stop, step) = (int_of(start)?, int_of(stop)?, int_of(step)?);
    let span = stop.checked_sub(start).ok_or(EXACT)?;
    if step == 0 {
        return fault(Fault::ValueError);
    }
    if span.unsigned_abs() / step.unsigned_abs() >= MAX_ELEMENTS as u64 {
        return Err(EXACT);
    }
    let is_inside = |k: &i64| if step > 0 { *k < stop } else { *k > stop };
    let numbers = std::iter::successors(Some(start), |k| k.checked_add(step)).take_while(is_inside);
    Ok(Val::tuple(numbers.map(Val::Int).collect()))
}

pub(crate) fn astuple(_: &mut Vm, a: &Val, b: &Val) -> R {
    Ok(Val::two(a.clone(), b.clone()))
}

pub(crate) fn product(vm: &mut Vm, a: &Val, b: &Val) -> R {
    let ((_, left), (_, right)) = (container(a)?, container(b)?);
    if left.len() * right.len() > MAX_SET_ELEMENTS {
        return Err(EXACT);
    }
    vm.charge((left.len() * right.len()) as u64)?;
    let mut items = Vec::with_capacity(left.len() * right.len());
    for i in left.iter() {
        items.extend(right.iter().map(|j| Val::two(i.clone(), j.clone())));
    }
    let made = Val::set(items)?;
    match made {
        Val::Indices(patch) if is_ascending(a) && is_ascending(b) => Ok(Val::Indices(Rc::new(
            (*patch).clone().filled(Filled::ByColumns),
        ))),
        _ => Ok(made),
    }
}

/// A tuple of growing numbers, such as an interval.
fn is_ascending(value: &Val) -> bool {
    match value {
        Val::Pair(pair) => pair.get().0 < pair.get().1,
        Val::Tuple(items) => items.windows(2).all(|w| w[0].as_int() < w[1].as_int()),
        _ => false,
    }
}

pub(crate) fn pair(_: &mut Vm, a: &Val, b: &Val) -> R {
    match (container(a)?, container(b)?) {
        ((Kind::Tuple, left), (Kind::Tuple, right)) => {
            let zipped = left
                .iter()
                .zip(right.iter())
                .map(|(i, j)| Val::two(i.clone(), j.clone()));
            Ok(Val::tuple(zipped.collect()))
        }
        _ => Err(EXACT),
    }
}

pub(crate) fn sizefilter(_: &mut Vm, container_: &Val, n: &Val) -> R {
    let (_, items) = container(container_)?;
    let mut kept = Vec::new();
    for item in items.iter() {
        let len = item.len().ok_or(EXACT)? as i64;
        if equal(&Val::Int(len), n).ok_or(EXACT)? {
            kept.push(item.clone());
        }
    }
    match container_ {
        Val::Set(items) => Ok(part_of(items, kept)),
        _ => Val::set(kept),
    }
}
