//! Numbers, pairs, truth.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use crate::dsl::obj::{self, at, int, is_int, is_tuple, pair, small, truth};
use crate::dsl::{Cx, Obj, Res};

/// Arithmetic on numbers that fit. Python computes the others.
type Quick = fn(i64, i64) -> Option<i64>;
type Full = for<'py> fn(&Obj<'py>, &Obj<'py>) -> Res<'py>;

#[inline]
fn on_numbers<'py>(a: &Obj<'py>, b: &Obj<'py>, quick: Quick, full: Full) -> Res<'py> {
    match small(a).zip(small(b)).and_then(|(a, b)| quick(a, b)) {
        Some(result) => Ok(int(a.py(), result)),
        None => full(a, b),
    }
}

/// Numbers with numbers, pairs part by part, a number with both parts of a pair.
#[inline]
fn on_numerical<'py>(a: &Obj<'py>, b: &Obj<'py>, quick: Quick, full: Full) -> Res<'py> {
    let each = |a: &Obj<'py>, b: &Obj<'py>| on_numbers(a, b, quick, full);
    if small(a).is_some() && small(b).is_some() {
        return each(a, b);
    }
    match (is_int(a), is_int(b)) {
        (true, true) => each(a, b),
        (_, _) if is_tuple(a) && is_tuple(b) => {
            pair(each(&at(a, 0)?, &at(b, 0)?)?, each(&at(a, 1)?, &at(b, 1)?)?)
        }
        (true, false) if is_tuple(b) => pair(each(a, &at(b, 0)?)?, each(a, &at(b, 1)?)?),
        _ => pair(each(&at(a, 0)?, b)?, each(&at(a, 1)?, b)?),
    }
}

/// A number, or both parts of something else.
#[inline]
fn on_each<'py>(n: &Obj<'py>, each: impl Fn(&Obj<'py>) -> Res<'py>) -> Res<'py> {
    if is_int(n) {
        each(n)
    } else {
        pair(each(&at(n, 0)?)?, each(&at(n, 1)?)?)
    }
}

/// `a * b`, which repeats a tuple if the other operand is a number.
fn multiplied<'py>(a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    let repeated = |items: &Obj<'py>, times: &Obj<'py>| {
        let times = small(times).map_or(0, |n| usize::try_from(n).unwrap_or(0));
        obj::as_tuple(items).map_or(0, |items| items.len().saturating_mul(times))
    };
    obj::announce(repeated(a, b).max(repeated(b, a)))?;
    a.mul(b)
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
}

pub(in super::super) fn add<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    on_numerical(a, b, i64::checked_add, |a, b| a.add(b))
}

pub(in super::super) fn subtract<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    on_numerical(a, b, i64::checked_sub, |a, b| a.sub(b))
}

pub(in super::super) fn multiply<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    on_numerical(a, b, i64::checked_mul, multiplied)
}

pub(in super::super) fn divide<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    on_numerical(a, b, floor_div, |a, b| a.floor_div(b))
}

pub(in super::super) fn invert<'py>(_: Cx<'py>, n: &Obj<'py>) -> Res<'py> {
    on_each(n, |n| n.neg())
}

pub(in super::super) fn even<'py>(cx: Cx<'py>, n: &Obj<'py>) -> Res<'py> {
    match small(n) {
        Some(n) => Ok(truth(cx.py, n % 2 == 0)),
        None => n.rem(2)?.rich_compare(0, CompareOp::Eq),
    }
}

pub(in super::super) fn double<'py>(cx: Cx<'py>, n: &Obj<'py>) -> Res<'py> {
    let two = int(cx.py, 2);
    on_each(n, |n| on_numbers(n, &two, i64::checked_mul, multiplied))
}

pub(in super::super) fn halve<'py>(cx: Cx<'py>, n: &Obj<'py>) -> Res<'py> {
    let two = int(cx.py, 2);
    on_each(n, |n| on_numbers(n, &two, floor_div, |a, b| a.floor_div(b)))
}

pub(in super::super) fn flip<'py>(cx: Cx<'py>, b: &Obj<'py>) -> Res<'py> {
    Ok(truth(cx.py, !obj::is_true(b)?))
}

pub(in super::super) fn equality<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    obj::equality(a, b)
}

pub(in super::super) fn greater<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    match (small(a), small(b)) {
        (Some(a), Some(b)) => Ok(truth(cx.py, a > b)),
        _ => a.rich_compare(b, CompareOp::Gt),
    }
}

pub(in super::super) fn both<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    Ok(if obj::is_true(a)? { b } else { a }.clone())
}

pub(in super::super) fn either<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    Ok(if obj::is_true(a)? { a } else { b }.clone())
}

pub(in super::super) fn increment<'py>(cx: Cx<'py>, x: &Obj<'py>) -> Res<'py> {
    let one = int(cx.py, 1);
    on_each(x, |x| obj::add(x, &one))
}

pub(in super::super) fn decrement<'py>(cx: Cx<'py>, x: &Obj<'py>) -> Res<'py> {
    let one = int(cx.py, 1);
    on_each(x, |x| obj::subtract(x, &one))
}

/// Chooses a result by the sign of a number.
fn by_sign<'py>(
    x: &Obj<'py>,
    above: impl Fn(&Obj<'py>) -> Res<'py>,
    below: impl Fn(&Obj<'py>) -> Res<'py>,
) -> Res<'py> {
    let zero = int(x.py(), 0);
    if obj::equal(x, &zero)? {
        return Ok(zero);
    }
    if obj::compare(x, &zero, CompareOp::Gt)? {
        above(x)
    } else {
        below(x)
    }
}

pub(in super::super) fn crement<'py>(cx: Cx<'py>, x: &Obj<'py>) -> Res<'py> {
    let one = int(cx.py, 1);
    on_each(x, |x| {
        by_sign(x, |x| obj::add(x, &one), |x| obj::subtract(x, &one))
    })
}

pub(in super::super) fn sign<'py>(cx: Cx<'py>, x: &Obj<'py>) -> Res<'py> {
    on_each(x, |x| {
        by_sign(x, |_| Ok(int(cx.py, 1)), |_| Ok(int(cx.py, -1)))
    })
}

pub(in super::super) fn positive<'py>(cx: Cx<'py>, x: &Obj<'py>) -> Res<'py> {
    greater(cx, x, &int(cx.py, 0))
}

pub(in super::super) fn toivec<'py>(cx: Cx<'py>, i: &Obj<'py>) -> Res<'py> {
    pair(i.clone(), int(cx.py, 0))
}

pub(in super::super) fn tojvec<'py>(cx: Cx<'py>, j: &Obj<'py>) -> Res<'py> {
    pair(int(cx.py, 0), j.clone())
}
