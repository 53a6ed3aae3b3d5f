//! Kernels for lines and neighbourhoods.

use super::build::set_from;
use super::{Outcome, named};
use crate::cx::Cx;
use crate::meter::check_set_len;
use crate::ops::{self, Extreme, item};
use crate::pyset::Table;
use crate::value::Value;

/// The directions of `dneighbors` and `ineighbors`, in their order.
pub(super) const DIRECT: [(i64, i64); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
pub(super) const DIAGONAL: [(i64, i64); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

/// `x - 1`, `x + 1`, or `x` itself, which need not be a number.
fn stepped(x: &Value, step: i64) -> Outcome {
    match step {
        0 => Ok(x.clone()),
        _ => ops::add(x, &Value::Int(step)),
    }
}

fn neighbors_at(loc: &Value, directions: [(i64, i64); 4]) -> Outcome {
    let neighbor = |(di, dj)| -> Outcome {
        Value::pair(stepped(item(loc, 0)?, di)?, stepped(item(loc, 1)?, dj)?)
    };
    let neighbors = directions.into_iter().map(neighbor);
    Value::frozen(neighbors.collect::<Outcome<_>>()?)
}

pub fn dneighbors(_cx: &mut Cx, loc: &Value) -> Outcome {
    neighbors_at(loc, DIRECT)
}

pub fn ineighbors(_cx: &mut Cx, loc: &Value) -> Outcome {
    neighbors_at(loc, DIAGONAL)
}

pub fn neighbors(cx: &mut Cx, loc: &Value) -> Outcome {
    match (named::dneighbors(cx, loc)?, named::ineighbors(cx, loc)?) {
        (Value::Set(direct), Value::Set(diagonal)) => Value::set(direct.union(&diagonal, false)),
        (direct, _) => Ok(direct),
    }
}

/// `range(first, last + 1)`, if its numbers fit into a container.
pub(super) fn through(first: &Value, last: &Value) -> Outcome<std::ops::Range<i64>> {
    let end = ops::int(&ops::add(last, &Value::Int(1))?)?;
    let start = ops::int(first)?;
    let length = i128::from(end) - i128::from(start);
    check_set_len(usize::try_from(length.max(0)).unwrap_or(usize::MAX))?;
    Ok(start..end)
}

/// The number of numbers in a range.
pub(super) fn length(range: &std::ops::Range<i64>) -> usize {
    usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0)
}

pub fn connect(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    let (ai, aj) = ops::unpack(a)?;
    let (bi, bj) = ops::unpack(b)?;
    let (top, bottom) = ends(ai, bi)?;
    let (left, right) = ends(aj, bj)?;
    if ops::equal(ai, bi) {
        let columns = through(&left, &right)?;
        cx.announce_set(length(&columns))?;
        return set_from(columns.map(|j| Value::pair(ai.clone(), Value::Int(j))));
    }
    if ops::equal(aj, bj) {
        let rows = through(&top, &bottom)?;
        cx.announce_set(length(&rows))?;
        return set_from(rows.map(|i| Value::pair(Value::Int(i), aj.clone())));
    }
    let (down, across) = (ops::sub(bi, ai)?, ops::sub(bj, aj)?);
    if ops::equal(&down, &across) {
        let (rows, columns) = (through(&top, &bottom)?, through(&left, &right)?);
        cx.announce_set(length(&rows))?;
        let locations = rows.zip(columns);
        return set_from(locations.map(|location| Ok(location.into())));
    }
    if ops::equal(&down, &ops::sub(aj, bj)?) {
        let (rows, columns) = (through(&top, &bottom)?, through(&left, &right)?);
        cx.announce_set(length(&rows))?;
        let locations = rows.zip(columns.rev());
        return set_from(locations.map(|location| Ok(location.into())));
    }
    Value::set(Table::new())
}

/// The smaller and the larger of two coordinates, which must be numbers.
fn ends(a: &Value, b: &Value) -> Outcome<(Value, Value)> {
    let first = Extreme::Min.of_two(a, b)?;
    let last = Extreme::Max.of_two(a, b)?;
    ops::add(&last, &Value::Int(1))?;
    Ok((first, last))
}

pub fn shoot(cx: &mut Cx, start: &Value, direction: &Value) -> Outcome {
    const LENGTH: Value = Value::Int(42);
    let end = |k: usize| -> Outcome {
        let start = item(start, k)?;
        ops::add(start, &ops::mul(&LENGTH, item(direction, k)?)?)
    };
    named::connect(cx, start, &Value::pair(end(0)?, end(1)?)?)
}

/// The length of a frontier.
const FRONTIER: i64 = 30;

pub fn vfrontier(_cx: &mut Cx, location: &Value) -> Outcome {
    let j = item(location, 1)?;
    set_from((0..FRONTIER).map(|i| Value::pair(Value::Int(i), j.clone())))
}

pub fn hfrontier(_cx: &mut Cx, location: &Value) -> Outcome {
    let i = item(location, 0)?;
    set_from((0..FRONTIER).map(|j| Value::pair(i.clone(), Value::Int(j))))
}
