//! Kernels for tuples and sets.

use super::build::{Builder, set_from, tuple_from};
use super::each::{ENOUGH, MORE, chosen, each, each_key};
use super::{Outcome, named};
use crate::cx::{Cx, call};
use crate::fault::Fault;
use crate::meter::{check_len, check_set_len};
use crate::ops::{self, Extreme};
use crate::pyset::Table;
use crate::sort;
use crate::table::Dialect;
use crate::value::Value;

/// Longer tuples are searched through a set, with equal results.
const LONG_SEARCH: usize = 16;

pub fn contained(_cx: &mut Cx, value: &Value, container: &Value) -> Outcome {
    Ok(Value::Bool(ops::contains(container, value)?))
}

pub fn combine(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let mut result = Builder::like(a)?;
    for element in ops::iter(a)?.chain(ops::iter(b)?) {
        result.push(element.clone())?;
    }
    result.finish()
}

pub fn intersection(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    ops::and(a, b)
}

pub fn difference(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let index: Option<Table<Value>> = match b.as_items() {
        Some(items) if items.len() > LONG_SEARCH => Some(items.iter().cloned().collect()),
        _ => None,
    };
    kept(a, |element| match &index {
        Some(index) => Ok(!index.has(element)),
        None => Ok(!ops::contains(b, element)?),
    })
}

/// `type(container)(e for e in container if is_kept(e))`
pub(super) fn kept(container: &Value, mut is_kept: impl FnMut(&Value) -> Outcome<bool>) -> Outcome {
    let mut result = Builder::like(container)?;
    for element in ops::iter(container)? {
        if is_kept(element)? {
            result.push(element.clone())?;
        }
    }
    result.finish()
}

pub fn dedupe(_cx: &mut Cx, tup: &Value) -> Outcome {
    if ops::len(tup)? > 0 && !tup.is_tuple() {
        return Err(Fault::AttributeError);
    }
    let mut seen = Table::new();
    let mut result = Vec::new();
    for element in ops::iter(tup)? {
        if !seen.has(element) {
            seen.insert(element.clone());
            result.push(element.clone());
        }
    }
    Value::tuple(result)
}

pub fn order(cx: &mut Cx, container: &Value, compfunc: &Value) -> Outcome {
    let mut pairs = Vec::new();
    each_key(cx, container, compfunc, |element, key| {
        pairs.push((key, element.clone()));
        Ok(())
    })?;
    sort::sort(&mut pairs)?;
    Value::tuple(pairs.into_iter().map(|(_, element)| element).collect())
}

pub fn repeat(cx: &mut Cx, item: &Value, num: &Value) -> Outcome {
    let n = ops::repetitions(num)?;
    let n_inner = item.as_items().map_or(1, <[Value]>::len);
    cx.announce_tuple(n, n_inner, item.n_parts() as usize)?;
    Value::tuple(vec![item.clone(); n])
}

pub fn size(_cx: &mut Cx, container: &Value) -> Outcome {
    Ok(ops::count(ops::len(container)?))
}

pub fn merge(cx: &mut Cx, containers: &Value) -> Outcome {
    if let Some(containers) = containers.as_items() {
        announce_merged(cx, containers)?;
    }
    let mut result = Builder::like(containers)?;
    for container in ops::iter(containers)? {
        for element in ops::iter(container)? {
            result.push(element.clone())?;
        }
    }
    result.finish()
}

/// Announces the tuple of all elements of containers.
fn announce_merged(cx: &mut Cx, containers: &[Value]) -> Outcome<()> {
    let mut n_elements = 0;
    for container in containers {
        n_elements += ops::len(container)?;
        check_len(n_elements)?;
    }
    cx.announce_tuple(n_elements, 1, 1)
}

fn extreme_or_zero(container: &Value, extreme: Extreme) -> Outcome {
    let best = extreme.of(ops::iter(container)?.map(Ok))?;
    Ok(best.unwrap_or(Value::Int(0)))
}

pub fn maximum(_cx: &mut Cx, container: &Value) -> Outcome {
    extreme_or_zero(container, Extreme::Max)
}

pub fn minimum(_cx: &mut Cx, container: &Value) -> Outcome {
    extreme_or_zero(container, Extreme::Min)
}

/// `max(container, key=compfunc)`, or `min`, with its key; none if the container is empty.
fn extreme_by_key(
    cx: &mut Cx,
    container: &Value,
    compfunc: &Value,
    extreme: Extreme,
) -> Outcome<Option<(Value, Value)>> {
    let mut best: Option<(Value, &Value)> = None;
    each_key(cx, container, compfunc, |element, key| {
        let is_better = match &best {
            Some((best_key, _)) => extreme.is_beaten(best_key, &key)?,
            None => true,
        };
        if is_better {
            best = Some((key, element));
        }
        Ok(())
    })?;
    Ok(best.map(|(key, element)| (key, element.clone())))
}

fn extreme_value(cx: &mut Cx, container: &Value, compfunc: &Value, extreme: Extreme) -> Outcome {
    let best = extreme_by_key(cx, container, compfunc, extreme)?;
    value_of_best(cx, compfunc, best)
}

/// The function's value for the best element, or for 0 if there is none. CPython calls the function
/// once more, which gives the key.
pub(super) fn value_of_best(
    cx: &mut Cx,
    compfunc: &Value,
    best: Option<(Value, Value)>,
) -> Outcome {
    match (best, compfunc) {
        (None, _) => call(cx, compfunc, &[Value::Int(0)]),
        (Some((_, element)), Value::None) => call(cx, compfunc, &[element]),
        (Some((key, _)), _) => Ok(key),
    }
}

pub fn valmax(cx: &mut Cx, container: &Value, compfunc: &Value) -> Outcome {
    extreme_value(cx, container, compfunc, Extreme::Max)
}

pub fn valmin(cx: &mut Cx, container: &Value, compfunc: &Value) -> Outcome {
    extreme_value(cx, container, compfunc, Extreme::Min)
}

fn extreme_element(cx: &mut Cx, container: &Value, compfunc: &Value, extreme: Extreme) -> Outcome {
    match (
        extreme_by_key(cx, container, compfunc, extreme)?,
        cx.dialect,
    ) {
        (Some((_, element)), _) => Ok(element),
        (None, Dialect::ReArc) => Ok(Value::None),
        (None, _) => Err(Fault::ValueError),
    }
}

pub fn argmax(cx: &mut Cx, container: &Value, compfunc: &Value) -> Outcome {
    extreme_element(cx, container, compfunc, Extreme::Max)
}

pub fn argmin(cx: &mut Cx, container: &Value, compfunc: &Value) -> Outcome {
    extreme_element(cx, container, compfunc, Extreme::Min)
}

/// `max(set(values), key=values.count)`, or `min`.
pub(super) fn extreme_by_count(values: &[Value], extreme: Extreme) -> Outcome {
    let distinct: Table<Value> = values.iter().cloned().collect();
    let mut counts = vec![0; distinct.n_slots()];
    for value in values {
        if let Some(slot) = distinct.find(value.hash(), value) {
            counts[slot] += 1;
        }
    }
    best_slot(&counts, extreme)
        .and_then(|slot| distinct.key_at(slot).cloned())
        .ok_or(Fault::ValueError)
}

fn best_slot(counts: &[usize], extreme: Extreme) -> Option<usize> {
    let occupied = (0..counts.len()).filter(|&slot| counts[slot] > 0);
    occupied.reduce(|best, slot| {
        let is_better = match extreme {
            Extreme::Max => counts[slot] > counts[best],
            Extreme::Min => counts[slot] < counts[best],
        };
        if is_better { slot } else { best }
    })
}

fn common(container: &Value, extreme: Extreme) -> Outcome {
    match container {
        Value::Tuple(items) => extreme_by_count(items, extreme),
        Value::Set(_) => Err(Fault::AttributeError),
        _ => Err(Fault::TypeError),
    }
}

pub fn mostcommon(_cx: &mut Cx, container: &Value) -> Outcome {
    common(container, Extreme::Max)
}

pub fn leastcommon(_cx: &mut Cx, container: &Value) -> Outcome {
    common(container, Extreme::Min)
}

pub fn initset(_cx: &mut Cx, value: &Value) -> Outcome {
    Value::set([value.clone()].into_iter().collect())
}

pub fn sfilter(cx: &mut Cx, container: &Value, condition: &Value) -> Outcome {
    let result = Builder::like(container)?;
    chosen(cx, container, condition, result)
}

pub fn mfilter(cx: &mut Cx, container: &Value, function: &Value) -> Outcome {
    let filtered = cx.nested(1, |cx| named::sfilter(cx, container, function))?;
    named::merge(cx, &filtered)
}

pub fn extract(cx: &mut Cx, container: &Value, condition: &Value) -> Outcome {
    let elements = ops::iter(container)?;
    let mut found = None;
    cx.generator(|cx| {
        each(
            cx,
            elements,
            |cx, element| call(cx, condition, std::slice::from_ref(element)),
            |element, holds| {
                if !holds.is_truthy() {
                    return MORE;
                }
                found = Some(element.clone());
                ENOUGH
            },
        )
    })?;
    match found {
        None if !cx.dialect.is_classic() => Value::set(Table::new()),
        found => found.ok_or(Fault::StopIteration),
    }
}

pub fn totuple(_cx: &mut Cx, container: &Value) -> Outcome {
    match container {
        Value::Tuple(_) => Ok(container.clone()),
        _ => Value::tuple(ops::iter(container)?.cloned().collect()),
    }
}

pub fn first(cx: &mut Cx, container: &Value) -> Outcome {
    match ops::first(container) {
        Err(Fault::StopIteration) if !cx.dialect.is_classic() => Ok(Value::None),
        first => first.cloned(),
    }
}

pub fn last(cx: &mut Cx, container: &Value) -> Outcome {
    if !cx.dialect.is_classic() && !container.is_truthy() {
        return Value::tuple(Vec::new());
    }
    ops::iter(container)?
        .last()
        .cloned()
        .ok_or(Fault::ValueError)
}

pub fn insert(cx: &mut Cx, value: &Value, container: &Value) -> Outcome {
    let set = container.as_set().ok_or(Fault::AttributeError)?;
    let addition = initset(cx, value)?;
    let mut result = set.copy();
    if let Some(addition) = addition.as_set() {
        result.update(addition);
    }
    Value::set(result)
}

pub fn remove(_cx: &mut Cx, value: &Value, container: &Value) -> Outcome {
    kept(container, |element| Ok(!ops::equal(element, value)))
}

pub fn other(cx: &mut Cx, container: &Value, value: &Value) -> Outcome {
    let others = named::remove(cx, value, container)?;
    named::first(cx, &others)
}

pub fn interval(cx: &mut Cx, start: &Value, stop: &Value, step: &Value) -> Outcome {
    let (start, stop, step) = (ops::int(start)?, ops::int(stop)?, ops::int(step)?);
    if step == 0 {
        return Err(Fault::ValueError);
    }
    let length = interval_length(start.into(), stop.into(), step.into());
    cx.announce_tuple(length, 1, 1)?;
    let nth = |k: usize| Value::Int(start + k as i64 * step);
    Value::tuple((0..length).map(nth).collect())
}

fn interval_length(start: i128, stop: i128, step: i128) -> usize {
    let distance = (stop - start) * step.signum();
    let length = (distance + step.abs() - 1).div_euclid(step.abs()).max(0);
    usize::try_from(length).unwrap_or(usize::MAX)
}

pub fn astuple(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Value::pair(a.clone(), b.clone())
}

pub fn product(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let outer = ops::iter(b)?;
    if ops::len(b)? == 0 {
        return Value::set(Table::new());
    }
    let n_pairs = ops::len(a)?.saturating_mul(ops::len(b)?);
    check_set_len(n_pairs)?;
    let are_sets = matches!((a, b), (Value::Set(_), Value::Set(_)));
    if are_sets {
        cx.announce_set(n_pairs)?;
    }
    let mut result = Table::new();
    for j in outer {
        for i in ops::iter(a)? {
            result.insert(Value::pair(i.clone(), j.clone())?);
        }
    }
    Value::set(result)
}

pub fn pair(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let pairs = ops::iter(a)?.zip(ops::iter(b)?);
    tuple_from(pairs.map(|(x, y)| Value::pair(x.clone(), y.clone())))
}

pub fn sizefilter(_cx: &mut Cx, container: &Value, n: &Value) -> Outcome {
    let mut result = Vec::new();
    for item in ops::iter(container)? {
        if ops::count(ops::len(item)?) == *n {
            result.push(item);
        }
    }
    set_from(result.into_iter().map(|item| Ok(item.clone())))
}
