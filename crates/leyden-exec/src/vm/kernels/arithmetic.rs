//! Numbers, pairs, truth.

use super::super::Vm;
use super::super::value::equal;
use super::{EXACT, R, Val, bool_of, fault, int_of};
use leyden_dsl::fault::Fault;

/// Applies a checked operation to numbers, pairs, or a number and both parts of a pair.
#[inline]
fn elementwise(a: &Val, b: &Val, op: impl Fn(i64, i64) -> Option<i64>) -> R {
    let (left, right) = match (a.as_int(), b.as_int()) {
        (Some(x), Some(y)) => return op(x, y).map(Val::Int).ok_or(EXACT),
        (Some(x), None) => ((x, x), numbers(b)?),
        (None, Some(y)) => (numbers(a)?, (y, y)),
        (None, None) => (numbers(a)?, numbers(b)?),
    };
    match (op(left.0, right.0), op(left.1, right.1)) {
        (Some(i), Some(j)) => Ok(Val::pair(i, j)),
        _ => Err(EXACT),
    }
}

/// The first two elements of a tuple, booleans counting as numbers.
#[inline]
fn numbers(value: &Val) -> R<(i64, i64)> {
    match value {
        Val::Two(two) => Ok((int_of(&two.0)?, int_of(&two.1)?)),
        Val::Tuple(items) => match &items[..] {
            [a, b, ..] => Ok((int_of(a)?, int_of(b)?)),
            _ => Err(EXACT),
        },
        _ => value.as_pair().ok_or(EXACT),
    }
}

#[inline]
fn each(n: &Val, op: impl Fn(i64) -> Option<i64>) -> R {
    if let Some(n) = n.as_int() {
        return op(n).map(Val::Int).ok_or(EXACT);
    }
    let (i, j) = numbers(n)?;
    match (op(i), op(j)) {
        (Some(i), Some(j)) => Ok(Val::pair(i, j)),
        _ => Err(EXACT),
    }
}

/// Python's `//`.
pub(crate) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    })
}

pub(crate) fn add(_: &mut Vm, a: &Val, b: &Val) -> R {
    elementwise(a, b, i64::checked_add)
}
pub(crate) fn subtract(_: &mut Vm, a: &Val, b: &Val) -> R {
    elementwise(a, b, i64::checked_sub)
}
pub(crate) fn multiply(_: &mut Vm, a: &Val, b: &Val) -> R {
    elementwise(a, b, i64::checked_mul)
}
pub(crate) fn divide(_: &mut Vm, a: &Val, b: &Val) -> R {
    elementwise(a, b, floor_div)
}
pub(crate) fn invert(_: &mut Vm, n: &Val) -> R {
    each(n, i64::checked_neg)
}
pub(crate) fn even(_: &mut Vm, n: &Val) -> R {
    bool_of(int_of(n)? % 2 == 0)
}
pub(crate) fn double(_: &mut Vm, n: &Val) -> R {
    each(n, |n| n.checked_mul(2))
}
pub(crate) fn halve(_: &mut Vm, n: &Val) -> R {
    each(n, |n| Some(n >> 1))
}
pub(crate) fn flip(_: &mut Vm, b: &Val) -> R {
    bool_of(!b.truth())
}
pub(crate) fn equality(_: &mut Vm, a: &Val, b: &Val) -> R {
    equal(a, b).map_or(Err(EXACT), bool_of)
}
pub(crate) fn greater(_: &mut Vm, a: &Val, b: &Val) -> R {
    match (a.as_int(), b.as_int()) {
        (Some(a), Some(b)) => bool_of(a > b),
        (None, None) => match (a.as_pair(), b.as_pair()) {
            (Some(a), Some(b)) => bool_of(a > b),
            _ => Err(EXACT),
        },
        _ => fault(Fault::TypeError),
    }
}
pub(crate) fn both(_: &mut Vm, a: &Val, b: &Val) -> R {
    Ok(if a.truth() { b.clone() } else { a.clone() })
}
pub(crate) fn either(_: &mut Vm, a: &Val, b: &Val) -> R {
    Ok(if a.truth() { a.clone() } else { b.clone() })
}
pub(crate) fn increment(_: &mut Vm, x: &Val) -> R {
    each(x, |x| x.checked_add(1))
}
pub(crate) fn decrement(_: &mut Vm, x: &Val) -> R {
    each(x, |x| x.checked_sub(1))
}
pub(crate) fn crement(_: &mut Vm, x: &Val) -> R {
    each(x, |x| x.checked_add(x.signum()))
}
pub(crate) fn sign(_: &mut Vm, x: &Val) -> R {
    each(x, |x| Some(x.signum()))
}
pub(crate) fn positive(_: &mut Vm, x: &Val) -> R {
    bool_of(int_of(x)? > 0)
}
pub(crate) fn toivec(_: &mut Vm, i: &Val) -> R {
    Ok(Val::two(i.clone(), Val::Int(0)))
}
pub(crate) fn tojvec(_: &mut Vm, j: &Val) -> R {
    Ok(Val::two(Val::Int(0), j.clone()))
}
