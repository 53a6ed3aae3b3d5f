//! Kernels that select elements by rank, as tokpidjin does.

use super::Outcome;
use super::build::Builder;
use super::containers::{extreme_by_count, kept, value_of_best};
use super::each::each_key;
use crate::cx::Cx;
use crate::fault::Fault;
use crate::ops::{self, Extreme};
use crate::pyset::Table;
use crate::sort::{self, Keyed};
use crate::value::Value;

fn empty_tuple() -> Outcome {
    Value::tuple(Vec::new())
}

fn empty_set() -> Outcome {
    Value::set(Table::new())
}

/// `ranked[rank] if -len(ranked) <= rank < len(ranked)`
pub(super) fn at_rank<'a, T>(ranked: &'a [T], rank: &Value) -> Outcome<Option<&'a T>> {
    let n = ranked.len() as i64;
    let is_inside =
        !ops::less(rank, &Value::Int(-n))? && ops::less(rank, &Value::Int(n))? && !rank.is_nan();
    if !is_inside {
        return Ok(None);
    }
    let rank = ops::int(rank)?;
    let place = if rank < 0 { n + rank } else { rank };
    Ok(ranked.get(place as usize))
}

pub fn get_nth_t(_cx: &mut Cx, container: &Value, rank: &Value) -> Outcome {
    let item = match container.as_items() {
        Some(items) => at_rank(items, rank)?,
        None => None,
    };
    Ok(item.cloned().unwrap_or(Value::Float(f64::NAN)))
}

pub fn get_nth_f(_cx: &mut Cx, container: &Value, rank: &Value) -> Outcome {
    let rank = ops::int(rank)?;
    let n = ops::iter(container)?.count() as i64;
    let place = if rank < 0 { n + rank } else { rank };
    let element = match usize::try_from(place) {
        Ok(place) => ops::iter(container)?.nth(place).cloned(),
        Err(_) => None,
    };
    element.map_or_else(empty_set, Ok)
}

/// `sorted(container, key=compfunc)` with the keys, from the largest down if `reverse`.
fn ranked(cx: &mut Cx, container: &Value, compfunc: &Value, reverse: bool) -> Outcome<Vec<Keyed>> {
    let mut pairs: Vec<Keyed> = Vec::new();
    each_key(cx, container, compfunc, |element, key| {
        pairs.push((key, element.clone()));
        Ok(())
    })?;
    if reverse {
        sort::sort_reversed(&mut pairs)?
    } else {
        sort::sort(&mut pairs)?
    }
    Ok(pairs)
}

pub fn get_rank(cx: &mut Cx, container: &Value, rank: &Value) -> Outcome {
    let ranked = ranked(cx, container, &Value::None, true)?;
    let element = at_rank(&ranked, rank)?.map(|(_, element)| element.clone());
    Ok(element.unwrap_or(Value::Int(0)))
}

fn arg_rank(
    cx: &mut Cx,
    container: &Value,
    compfunc: &Value,
    rank: &Value,
    outside: impl FnOnce() -> Outcome,
) -> Outcome {
    let ranked = ranked(cx, container, compfunc, true)?;
    let element = at_rank(&ranked, rank)?.map(|(_, element)| element.clone());
    element.map_or_else(outside, Ok)
}

pub fn get_arg_rank(cx: &mut Cx, container: &Value, compfunc: &Value, rank: &Value) -> Outcome {
    let outside = || Builder::like(container)?.finish();
    arg_rank(cx, container, compfunc, rank, outside)
}

pub fn get_arg_rank_t(cx: &mut Cx, container: &Value, compfunc: &Value, rank: &Value) -> Outcome {
    arg_rank(cx, container, compfunc, rank, empty_tuple)
}

pub fn get_arg_rank_f(cx: &mut Cx, container: &Value, compfunc: &Value, rank: &Value) -> Outcome {
    arg_rank(cx, container, compfunc, rank, empty_set)
}

pub fn get_val_rank(cx: &mut Cx, container: &Value, compfunc: &Value, rank: &Value) -> Outcome {
    let ranked = ranked(cx, container, compfunc, false)?;
    let best = at_rank(&ranked, rank)?.cloned();
    value_of_best(cx, compfunc, best)
}

/// `sorted(set(items), key=items.count)`
fn ranked_by_count(items: &[Value]) -> Outcome<Vec<Value>> {
    let distinct: Table<Value> = items.iter().cloned().collect();
    let mut counts = vec![0; distinct.n_slots()];
    for item in items {
        if let Some(slot) = distinct.find(item.hash(), item) {
            counts[slot] += 1;
        }
    }
    let mut slots: Vec<usize> = (0..counts.len()).filter(|k| counts[*k] > 0).collect();
    slots.sort_by_key(|slot| counts[*slot]);
    Ok(slots
        .into_iter()
        .filter_map(|slot| distinct.key_at(slot).cloned())
        .collect())
}

pub fn get_common_rank(cx: &mut Cx, container: &Value, rank: &Value) -> Outcome {
    get_common_rank_t(cx, container, rank)
}

pub fn get_common_rank_t(_cx: &mut Cx, container: &Value, rank: &Value) -> Outcome {
    let ranked = ranked_by_count(container.as_items().ok_or(Fault::AttributeError)?)?;
    at_rank(&ranked, rank)?
        .cloned()
        .map_or_else(empty_tuple, Ok)
}

pub fn get_common_rank_f(_cx: &mut Cx, container: &Value, rank: &Value) -> Outcome {
    let ranked = ranked_by_count(&list(container)?)?;
    at_rank(&ranked, rank)?.cloned().map_or_else(empty_set, Ok)
}

/// `list(container)`
fn list(container: &Value) -> Outcome<Vec<Value>> {
    Ok(ops::iter(container)?.cloned().collect())
}

pub fn mostcommon_f(_cx: &mut Cx, container: &Value) -> Outcome {
    extreme_by_count(&list(container)?, Extreme::Max)
}

pub fn leastcommon_f(_cx: &mut Cx, container: &Value) -> Outcome {
    extreme_by_count(&list(container)?, Extreme::Min)
}

pub fn first_t(_cx: &mut Cx, container: &Value) -> Outcome {
    if container.is_truthy() {
        ops::item(container, 0).cloned()
    } else {
        empty_tuple()
    }
}

pub fn first_f(_cx: &mut Cx, container: &Value) -> Outcome {
    if container.is_truthy() {
        ops::first(container).cloned()
    } else {
        empty_set()
    }
}

pub fn second(_cx: &mut Cx, container: &Value) -> Outcome {
    let mut elements = ops::iter(container)?;
    elements.next().ok_or(Fault::StopIteration)?;
    Ok(elements.next().cloned().unwrap_or(Value::None))
}

pub fn last_t(_cx: &mut Cx, container: &Value) -> Outcome {
    if container.is_truthy() {
        ops::items(container)?
            .last()
            .cloned()
            .ok_or(Fault::IndexError)
    } else {
        empty_tuple()
    }
}

pub fn last_f(_cx: &mut Cx, container: &Value) -> Outcome {
    if container.is_truthy() {
        ops::iter(container)?
            .last()
            .cloned()
            .ok_or(Fault::ValueError)
    } else {
        empty_set()
    }
}

pub fn other_t(_cx: &mut Cx, container: &Value, value: &Value) -> Outcome {
    let mut others = ops::iter(container)?.filter(|element| !ops::equal(element, value));
    others.next().cloned().map_or_else(empty_tuple, Ok)
}

pub fn other_f(_cx: &mut Cx, container: &Value, value: &Value) -> Outcome {
    // A value that cannot be iterated gives the empty set, as `remove_f` does for it.
    let others = kept(container, |element| Ok(!ops::equal(element, value)));
    match others.as_ref().map(ops::first) {
        Ok(Ok(other)) => Ok(other.clone()),
        _ => empty_set(),
    }
}
