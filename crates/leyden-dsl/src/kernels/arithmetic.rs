//! Numbers, pairs, truth.

use super::Outcome;
use crate::cx::Cx;
use crate::ops::{self, item};
use crate::value::Value;

type Binary = fn(&Value, &Value) -> Outcome;

/// An operator on numbers or pairs, part by part.
fn numerical(a: &Value, b: &Value, operator: Binary) -> Outcome {
    let a_is_int = a.as_int().is_some();
    match (a, b) {
        _ if a_is_int && b.as_int().is_some() => operator(a, b),
        (Value::Tuple(_), Value::Tuple(_)) => by_parts(|k| operator(item(a, k)?, item(b, k)?)),
        (_, Value::Tuple(_)) if a_is_int => by_parts(|k| operator(a, item(b, k)?)),
        _ => by_parts(|k| operator(item(a, k)?, b)),
    }
}

fn by_parts(part: impl Fn(usize) -> Outcome) -> Outcome {
    Value::pair(part(0)?, part(1)?)
}

/// A function of a number, or of both parts of a pair.
fn on_parts(x: &Value, function: impl Fn(&Value) -> Outcome) -> Outcome {
    if x.as_int().is_some() {
        return function(x);
    }
    by_parts(|k| function(item(x, k)?))
}

pub fn add(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    numerical(a, b, ops::add)
}

pub fn subtract(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    numerical(a, b, ops::sub)
}

pub fn multiply(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    numerical(a, b, ops::mul)
}

pub fn divide(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    numerical(a, b, ops::floor_div)
}

pub fn invert(_cx: &mut Cx, n: &Value) -> Outcome {
    on_parts(n, ops::neg)
}

pub fn even(_cx: &mut Cx, n: &Value) -> Outcome {
    Ok(Value::Bool(ops::is_multiple(n, &Value::Int(2))?))
}

pub fn double(_cx: &mut Cx, n: &Value) -> Outcome {
    on_parts(n, |n| ops::mul(n, &Value::Int(2)))
}

pub fn halve(_cx: &mut Cx, n: &Value) -> Outcome {
    on_parts(n, |n| ops::floor_div(n, &Value::Int(2)))
}

pub fn flip(_cx: &mut Cx, b: &Value) -> Outcome {
    Ok(Value::Bool(!b.is_truthy()))
}

pub fn equality(_cx: &mut Cx, a: &Value, b: &Value) -> Outcome {
    Ok(Value::Bool(a == b))
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
    Ok(Value::Int(ops::int(x)?.signum()))
}

pub fn positive(_cx: &mut Cx, x: &Value) -> Outcome {
    Ok(Value::Bool(ops::int(x)? > 0))
}

pub fn toivec(_cx: &mut Cx, i: &Value) -> Outcome {
    Value::pair(i.clone(), Value::Int(0))
}

pub fn tojvec(_cx: &mut Cx, j: &Value) -> Outcome {
    Value::pair(Value::Int(0), j.clone())
}
