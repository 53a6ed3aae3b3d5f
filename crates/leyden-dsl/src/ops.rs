//! Python's operators and built-ins on values, with Python's errors.

use crate::fault::Fault;
use crate::meter::check_len;
use crate::pyset::Table;
use crate::value::{Iter, Value};

type Outcome<T = Value> = Result<T, Fault>;

/// The number, or a `TypeError`.
#[inline]
pub fn int(value: &Value) -> Outcome<i64> {
    value.as_int().ok_or(Fault::TypeError)
}

fn ints(a: &Value, b: &Value) -> Outcome<(i64, i64)> {
    Ok((int(a)?, int(b)?))
}

fn int_value(n: Option<i64>) -> Outcome {
    n.map(Value::Int).ok_or(Fault::Overflow)
}

/// Applies an operator to two numbers: to whole ones, or to floats if one of them is a float.
#[inline]
fn on_numbers(
    a: &Value,
    b: &Value,
    whole: fn(i64, i64) -> Option<i64>,
    pointed: fn(f64, f64) -> f64,
) -> Outcome {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return int_value(whole(a, b));
    }
    let (a, b) = floats(a, b)?;
    Ok(Value::Float(pointed(a, b)))
}

#[cold]
fn floats(a: &Value, b: &Value) -> Outcome<(f64, f64)> {
    let pair = a.as_float().zip(b.as_float());
    pair.ok_or(Fault::TypeError)
}

/// `a == b`. Nan does not even equal itself.
#[inline]
pub fn equal(a: &Value, b: &Value) -> bool {
    a == b && !a.is_nan()
}

/// `a + b`
#[inline]
pub fn add(a: &Value, b: &Value) -> Outcome {
    if let (Value::Tuple(a), Value::Tuple(b)) = (a, b) {
        check_len(a.len() + b.len())?;
        return Value::tuple([&a[..], &b[..]].concat());
    }
    on_numbers(a, b, i64::checked_add, |a, b| a + b)
}

/// `a - b`
#[inline]
pub fn sub(a: &Value, b: &Value) -> Outcome {
    if let (Value::Set(a), Value::Set(b)) = (a, b) {
        return Value::set(a.difference(b));
    }
    on_numbers(a, b, i64::checked_sub, |a, b| a - b)
}

/// `a * b`
pub fn mul(a: &Value, b: &Value) -> Outcome {
    match (a, b) {
        (Value::Tuple(items), times) | (times, Value::Tuple(items)) => repeated(items, int(times)?),
        _ => on_numbers(a, b, i64::checked_mul, |a, b| a * b),
    }
}

/// `items * times`
fn repeated(items: &[Value], times: i64) -> Outcome {
    let times = usize::try_from(times).unwrap_or(0);
    check_len(items.len().saturating_mul(times))?;
    if items.is_empty() {
        return Value::tuple(Vec::new());
    }
    let copies = std::iter::repeat_n(items, times);
    Value::tuple(copies.flatten().cloned().collect())
}

/// `a // b`
pub fn floor_div(a: &Value, b: &Value) -> Outcome {
    let Ok((a, b)) = ints(a, b) else {
        let (a, b) = floats(a, b)?;
        return floor_div_floats(a, b);
    };
    if b == 0 {
        return Err(Fault::ZeroDivisionError);
    }
    let quotient = a.checked_div(b).ok_or(Fault::Overflow)?;
    let is_rounded_up = a % b != 0 && (a < 0) != (b < 0);
    Ok(Value::Int(quotient - i64::from(is_rounded_up)))
}

/// Divides floats as CPython does, which subtracts the remainder first.
fn floor_div_floats(a: f64, b: f64) -> Outcome {
    if b == 0.0 {
        return Err(Fault::ZeroDivisionError);
    }
    let rest = a % b;
    let is_rounded_up = rest != 0.0 && (rest < 0.0) != (b < 0.0);
    let quotient = (a - rest) / b - f64::from(u8::from(is_rounded_up));
    Ok(Value::Float((quotient + 0.5).floor()))
}

/// `a % b == 0`
pub fn is_multiple(a: &Value, b: &Value) -> Outcome<bool> {
    let Ok((a, b)) = ints(a, b) else {
        let (a, b) = floats(a, b)?;
        return if b == 0.0 {
            Err(Fault::ZeroDivisionError)
        } else {
            Ok(a % b == 0.0)
        };
    };
    if b == 0 {
        return Err(Fault::ZeroDivisionError);
    }
    Ok(a.checked_rem(b).unwrap_or(0) == 0)
}

/// `-a`
pub fn neg(a: &Value) -> Outcome {
    if let Value::Float(x) = a {
        return Ok(Value::Float(-x));
    }
    int_value(int(a)?.checked_neg())
}

/// `a & b`
pub fn and(a: &Value, b: &Value) -> Outcome {
    match (a, b) {
        (Value::Set(x), Value::Set(y)) => Value::set(x.intersection(y, a.is(b))),
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(a & b)),
        _ => {
            let (a, b) = ints(a, b)?;
            Ok(Value::Int(a & b))
        }
    }
}

/// `a | b`
pub fn or(a: &Value, b: &Value) -> Outcome {
    match (a, b) {
        (Value::Set(x), Value::Set(y)) => Value::set(x.union(y, a.is(b))),
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(a | b)),
        _ => {
            let (a, b) = ints(a, b)?;
            Ok(Value::Int(a | b))
        }
    }
}

/// `a < b`; `a > b` is `less(b, a)` for every type.
pub fn less(a: &Value, b: &Value) -> Outcome<bool> {
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) => match a.iter().zip(b.iter()).find(|(x, y)| x != y) {
            Some((x, y)) => less(x, y),
            None => Ok(a.len() < b.len()),
        },
        (Value::Set(a), Value::Set(b)) => Ok(a.len() < b.len() && a.is_subset(b)),
        _ => match ints(a, b) {
            Ok((a, b)) => Ok(a < b),
            Err(_) => floats(a, b).map(|(a, b)| a < b),
        },
    }
}

/// `min` or `max`; of equal values the first one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Extreme {
    /// Does `new` beat the best so far?
    #[inline]
    pub fn is_beaten(self, best: &Value, new: &Value) -> Outcome<bool> {
        match self {
            Extreme::Min => less(new, best),
            Extreme::Max => less(best, new),
        }
    }

    /// `min(a, b)` or `max(a, b)`
    pub fn of_two(self, a: &Value, b: &Value) -> Outcome {
        let is_second = self.is_beaten(a, b)?;
        Ok(if is_second { b } else { a }.clone())
    }

    /// `min(values)` or `max(values)`; none if there are no values.
    pub fn of<'a>(
        self,
        values: impl Iterator<Item = Outcome<&'a Value>>,
    ) -> Outcome<Option<Value>> {
        let mut best: Option<&Value> = None;
        for value in values {
            let value = value?;
            if best.map_or(Ok(true), |best| self.is_beaten(best, value))? {
                best = Some(value);
            }
        }
        Ok(best.cloned())
    }
}

/// `iter(container)`
#[inline]
pub fn iter(container: &Value) -> Outcome<Iter<'_>> {
    match container {
        Value::Tuple(items) => Ok(Iter::Tuple(items.iter())),
        Value::Set(set) => Ok(Iter::Set(set.iter())),
        _ => Err(Fault::TypeError),
    }
}

/// `len(container)`
#[inline]
pub fn len(container: &Value) -> Outcome<usize> {
    match container {
        Value::Tuple(items) => Ok(items.len()),
        Value::Set(set) => Ok(set.len()),
        _ => Err(Fault::TypeError),
    }
}

/// A length as a value.
pub fn count(n: usize) -> Value {
    Value::Int(n as i64)
}

/// The items of a tuple; nothing else can be indexed.
#[inline]
pub fn items(sequence: &Value) -> Outcome<&[Value]> {
    sequence.as_items().ok_or(Fault::TypeError)
}

/// `sequence[k]` for `k >= 0`
#[inline]
pub fn item(sequence: &Value, k: usize) -> Outcome<&Value> {
    items(sequence)?.get(k).ok_or(Fault::IndexError)
}

/// `next(iter(container))`
pub fn first(container: &Value) -> Outcome<&Value> {
    iter(container)?.next().ok_or(Fault::StopIteration)
}

/// `a, b = container`
#[inline]
pub fn unpack(container: &Value) -> Outcome<(&Value, &Value)> {
    if let Value::Tuple(tuple) = container {
        return match &tuple[..] {
            [a, b] => Ok((a, b)),
            _ => Err(Fault::ValueError),
        };
    }
    let mut values = iter(container)?;
    match (values.next(), values.next(), values.next()) {
        (Some(a), Some(b), None) => Ok((a, b)),
        _ => Err(Fault::ValueError),
    }
}

/// `a, b, c = container`
#[inline]
pub fn unpack_three(container: &Value) -> Outcome<(&Value, &Value, &Value)> {
    let mut values = iter(container)?;
    match (values.next(), values.next(), values.next(), values.next()) {
        (Some(a), Some(b), Some(c), None) => Ok((a, b, c)),
        _ => Err(Fault::ValueError),
    }
}

/// `value in container`
pub fn contains(container: &Value, value: &Value) -> Outcome<bool> {
    match container {
        Value::Tuple(items) => Ok(items.contains(value)),
        Value::Set(set) => Ok(set.has(value)),
        _ => Err(Fault::TypeError),
    }
}

/// `set(container)`
pub fn set_of(container: &Value) -> Outcome<Table<Value>> {
    match container {
        Value::Set(set) => Ok(set.copy()),
        _ => Ok(iter(container)?.cloned().collect()),
    }
}

/// A number as a position in a sequence of `len` items; negative ones count from the end.
fn clamped(position: i64, len: usize) -> usize {
    let from_end = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
    if position < 0 {
        len.saturating_sub(from_end)
    } else {
        from_end.min(len)
    }
}

/// `sequence[start:stop]`
pub fn slice(sequence: &Value, start: i64, stop: i64) -> Outcome {
    let items = items(sequence)?;
    let (start, stop) = (clamped(start, items.len()), clamped(stop, items.len()));
    Value::tuple(items[start..stop.max(start)].to_vec())
}

/// `sequence[::-1]`
pub fn reversed(sequence: &Value) -> Outcome {
    Value::tuple(items(sequence)?.iter().rev().cloned().collect())
}

/// `zip(*rows)`
pub fn transposed<'a>(rows: impl Iterator<Item = &'a Value> + Clone) -> Outcome<Vec<Vec<Value>>> {
    if let Some(rows) = rows
        .clone()
        .map(Value::as_items)
        .collect::<Option<Vec<_>>>()
    {
        return Ok(transposed_tuples(&rows));
    }
    let mut rows = rows.map(iter).collect::<Outcome<Vec<_>>>()?;
    let mut columns = Vec::new();
    while let Some(column) = next_column(&mut rows) {
        columns.push(column);
    }
    Ok(columns)
}

fn transposed_tuples(rows: &[&[Value]]) -> Vec<Vec<Value>> {
    let width = rows.iter().map(|row| row.len()).min().unwrap_or(0);
    let column = |j: usize| rows.iter().map(|row| row[j].clone()).collect();
    (0..width).map(column).collect()
}

fn next_column(rows: &mut [Iter<'_>]) -> Option<Vec<Value>> {
    rows.iter_mut().map(|row| row.next().cloned()).collect()
}

/// `range(stop)`
pub fn range(stop: &Value) -> Outcome<std::ops::Range<i64>> {
    Ok(0..int(stop)?)
}

/// How many times a loop over `range(stop)` runs, if the results fit a container.
pub fn repetitions(stop: &Value) -> Outcome<usize> {
    let n = usize::try_from(int(stop)?).unwrap_or(0);
    check_len(n)?;
    Ok(n)
}
