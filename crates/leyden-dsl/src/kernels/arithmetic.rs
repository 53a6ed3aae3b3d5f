//! Kernels for numbers, pairs and truth values.

use super::Outcome;
use crate::cx::Cx;
use crate::meter::check_len;
use crate::ops::{self, item};
use crate::value::Value;

/// A Python operator.
struct Operator {
    apply: fn(&Value, &Value) -> Outcome,
    /// The number of elements that the operator puts into a new container: operators of numbers
    /// also join and repeat containers.
    n_made: fn(&Value, &Value) -> usize,
}

const ADD: Operator = Operator {
    apply: ops::add,
    n_made: |a, b| match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) => a.len() + b.len(),
        _ => 0,
    },
};

const SUBTRACT: Operator = Operator {
    apply: ops::sub,
    n_made: |a, b| match (a, b) {
        (Value::Set(a), Value::Set(_)) => a.len(),
        _ => 0,
    },
};

const MULTIPLY: Operator = Operator {
    apply: ops::mul,
    n_made: |a, b| match (a, b) {
        (Value::Tuple(items), times) | (times, Value::Tuple(items)) => {
            let times = times.as_int().and_then(|n| usize::try_from(n).ok());
            items.len().saturating_mul(times.unwrap_or(0))
        }
        _ => 0,
    },
};

const DIVIDE: Operator = Operator {
    apply: ops::floor_div,
    n_made: |_, _| 0,
};

impl Operator {
    /// Applies the operator to parts of pairs. The table's price covers numbers only, so containers
    /// are charged here, before they are made.
    fn to_parts(&self, cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
        if let (Value::Int(_), Value::Int(_)) = (a, b) {
            return (self.apply)(a, b);
        }
        let n_made = (self.n_made)(a, b);
        if n_made > 0 {
            check_len(n_made)?;
            cx.meter.charge(n_made as u64)?;
        }
        (self.apply)(a, b)
    }
}

/// Applies an operator to numbers, or to pairs part by part.
fn numerical(cx: &mut Cx, a: &Value, b: &Value, operator: &Operator) -> Outcome {
    let a_is_int = a.as_int().is_some();
    let mut on = |a: &Value, b: &Value| operator.to_parts(cx, a, b);
    match (a, b) {
        _ if a_is_int && b.as_int().is_some() => (operator.apply)(a, b),
        (Value::Tuple(_), Value::Tuple(_)) => by_parts(|k| on(item(a, k)?, item(b, k)?)),
        (_, Value::Tuple(_)) if a_is_int => by_parts(|k| on(a, item(b, k)?)),
        _ => by_parts(|k| on(item(a, k)?, b)),
    }
}

fn by_parts(mut part: impl FnMut(usize) -> Outcome) -> Outcome {
    Value::pair(part(0)?, part(1)?)
}

/// Applies a function to a number, or to both parts of a pair.
fn on_parts(x: &Value, mut function: impl FnMut(&Value) -> Outcome) -> Outcome {
    if x.as_int().is_some() {
        return function(x);
    }
    by_parts(|k| function(item(x, k)?))
}

/// The operand, or the neutral element for tokpidjin's `()`.
fn or_neutral<'a>(cx: &Cx, operand: &'a Value, neutral: &'a Value) -> &'a Value {
    match operand {
        Value::Tuple(items) if items.is_empty() && !cx.dialect.is_classic() => neutral,
        _ => operand,
    }
}

fn with_neutral(cx: &mut Cx, a: &Value, b: &Value, neutral: i64, operator: &Operator) -> Outcome {
    let neutral = Value::Int(neutral);
    let (a, b) = (or_neutral(cx, a, &neutral), or_neutral(cx, b, &neutral));
    numerical(cx, a, b, operator)
}

pub fn add(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    with_neutral(cx, a, b, 0, &ADD)
}

pub fn subtract(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    with_neutral(cx, a, b, 0, &SUBTRACT)
}

pub fn multiply(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    with_neutral(cx, a, b, 1, &MULTIPLY)
}

pub fn divide(cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    with_neutral(cx, a, b, 1, &DIVIDE)
}

pub fn invert(_cx: &mut Cx, n: &Value) -> Outcome {
    on_parts(n, ops::neg)
}

pub fn even(_cx: &mut Cx, n: &Value) -> Outcome {
    Ok(Value::Bool(ops::is_multiple(n, &Value::Int(2))?))
}

pub fn double(cx: &mut Cx, n: &Value) -> Outcome {
    on_parts(n, |n| MULTIPLY.to_parts(cx, n, &Value::Int(2)))
}

pub fn halve(_cx: &mut Cx, n: &Value) -> Outcome {
    on_parts(n, |n| ops::floor_div(n, &Value::Int(2)))
}

pub fn flip(_cx: &mut Cx, b: &Value) -> Outcome {
    Ok(Value::Bool(!b.is_truthy()))
}

pub fn equality(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(Value::Bool(ops::equal(a, b)))
}

pub fn greater(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(Value::Bool(ops::less(b, a)?))
}

pub fn both(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(if a.is_truthy() { b } else { a }.clone())
}

pub fn either(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(if a.is_truthy() { a } else { b }.clone())
}

pub fn increment(_cx: &mut Cx, x: &Value) -> Outcome {
    on_parts(x, |x| ops::add(x, &Value::Int(1)))
}

pub fn decrement(_cx: &mut Cx, x: &Value) -> Outcome {
    on_parts(x, |x| ops::sub(x, &Value::Int(1)))
}

pub fn crement(_cx: &mut Cx, x: &Value) -> Outcome {
    on_parts(x, |x| ops::add(x, &sign_of(x)?))
}

pub fn sign(_cx: &mut Cx, x: &Value) -> Outcome {
    on_parts(x, sign_of)
}

fn sign_of(x: &Value) -> Outcome {
    let sign = match x {
        Value::Float(x) if *x == 0.0 => 0,
        // Nan is neither zero nor positive, so it counts as negative.
        Value::Float(x) if *x > 0.0 => 1,
        Value::Float(_) => -1,
        _ => ops::int(x)?.signum(),
    };
    Ok(Value::Int(sign))
}

pub fn positive(_cx: &mut Cx, x: &Value) -> Outcome {
    Ok(Value::Bool(ops::less(&Value::Int(0), x)?))
}

pub fn toivec(_cx: &mut Cx, i: &Value) -> Outcome {
    Value::pair(i.clone(), Value::Int(0))
}

pub fn tojvec(_cx: &mut Cx, j: &Value) -> Outcome {
    Value::pair(Value::Int(0), j.clone())
}
