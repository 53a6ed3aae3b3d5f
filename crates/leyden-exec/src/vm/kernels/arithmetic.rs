//! Numbers, pairs, truth.

use super::{EXACT, Maybe, R, Val, bool_of, fault, int_of};
use crate::vm::Vm;
use crate::vm::values::value::equal;
use leyden_dsl::fault::Fault;

/// Applies a checked operation to numbers, pairs, or a number and both parts of a pair. Most
/// operands are alike.
#[inline(always)]
fn elementwise<'a>(
    vm: &Vm<'a>,
    a: &Val<'a>,
    b: &Val<'a>,
    op: impl Fn(i64, i64) -> Option<i64>,
) -> R<'a> {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => op(*x, *y).map(Val::Int).ok_or(EXACT),
        (Val::Pair(x), Val::Pair(y)) => {
            let ((i, j), (k, l)) = (x.get(), y.get());
            match (op(i, k), op(j, l)) {
                (Some(i), Some(j)) => Ok(Val::pair(vm.arena, i, j)),
                _ => Err(EXACT),
            }
        }
        _ => mixed(vm, a, b, op),
    }
}

#[inline(never)]
fn mixed<'a>(vm: &Vm<'a>, a: &Val<'a>, b: &Val<'a>, op: impl Fn(i64, i64) -> Option<i64>) -> R<'a> {
    let (left, right) = match (a.as_int(), b.as_int()) {
        (Some(x), Some(y)) => return op(x, y).map(Val::Int).ok_or(EXACT),
        _ if is_nothing(a) || is_nothing(b) => return without_numbers(a, b),
        (Some(x), None) => ((x, x), numbers(b)?),
        (None, Some(y)) => (numbers(a)?, (y, y)),
        (None, None) => (numbers(a)?, numbers(b)?),
    };
    match (op(left.0, right.0), op(left.1, right.1)) {
        (Some(i), Some(j)) => Ok(Val::pair(vm.arena, i, j)),
        _ => Err(EXACT),
    }
}

fn is_nothing(value: &Val<'_>) -> bool {
    match value {
        Val::None => true,
        Val::Tuple(items) => items.is_empty(),
        _ => false,
    }
}

/// The fault if one of two operands is `None` or the empty tuple. CPython looks into the first one
/// first.
#[cold]
fn without_numbers<'a>(a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    match (a, b) {
        (Val::None, _) => fault(Fault::TypeError),
        (Val::Tuple(items), _) if items.is_empty() => fault(Fault::IndexError),
        (Val::Int(_) | Val::Bool(_), Val::None) => fault(Fault::TypeError),
        (Val::Int(_) | Val::Bool(_), _) => fault(Fault::IndexError),
        (Val::Pair(_), Val::None) => fault(Fault::TypeError),
        (Val::Pair(_), _) => fault(Fault::IndexError),
        _ => Err(EXACT),
    }
}

/// The first two elements of a tuple; booleans count as numbers.
#[inline]
fn numbers<'a>(value: &Val<'a>) -> Maybe<(i64, i64)> {
    match value {
        Val::Two(two) => Ok((int_of(&two.0)?, int_of(&two.1)?)),
        Val::Tuple(items) => match items.all() {
            [a, b, ..] => Ok((int_of(a)?, int_of(b)?)),
            _ => Err(EXACT),
        },
        _ => value.as_pair().ok_or(EXACT),
    }
}

#[inline(always)]
fn each<'a>(vm: &Vm<'a>, n: &Val<'a>, op: impl Fn(i64) -> Option<i64>) -> R<'a> {
    if let Val::Int(n) = n {
        return op(*n).map(Val::Int).ok_or(EXACT);
    }
    of_each(vm, n, op)
}

#[inline(never)]
fn of_each<'a>(vm: &Vm<'a>, n: &Val<'a>, op: impl Fn(i64) -> Option<i64>) -> R<'a> {
    if let Some(n) = n.as_int() {
        return op(n).map(Val::Int).ok_or(EXACT);
    }
    let (i, j) = numbers(n)?;
    match (op(i), op(j)) {
        (Some(i), Some(j)) => Ok(Val::pair(vm.arena, i, j)),
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

#[inline]
pub(crate) fn add<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    elementwise(vm, a, b, i64::checked_add)
}
#[inline]
pub(crate) fn subtract<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    elementwise(vm, a, b, i64::checked_sub)
}
#[inline]
pub(crate) fn multiply<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    elementwise(vm, a, b, i64::checked_mul)
}
pub(crate) fn divide<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    elementwise(vm, a, b, floor_div)
}
#[inline]
pub(crate) fn invert<'a>(vm: &mut Vm<'a>, n: &Val<'a>) -> R<'a> {
    each(vm, n, i64::checked_neg)
}
#[inline]
pub(crate) fn even<'a>(_: &mut Vm<'a>, n: &Val<'a>) -> R<'a> {
    bool_of(int_of(n)? % 2 == 0)
}
#[inline]
pub(crate) fn double<'a>(vm: &mut Vm<'a>, n: &Val<'a>) -> R<'a> {
    each(vm, n, |n| n.checked_mul(2))
}
#[inline]
pub(crate) fn halve<'a>(vm: &mut Vm<'a>, n: &Val<'a>) -> R<'a> {
    each(vm, n, |n| Some(n >> 1))
}
#[inline]
pub(crate) fn flip<'a>(_: &mut Vm<'a>, b: &Val<'a>) -> R<'a> {
    bool_of(!b.truth())
}
#[inline]
pub(crate) fn equality<'a>(_: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => bool_of(a == b),
        (Val::Pair(a), Val::Pair(b)) => bool_of(a == b),
        _ => equal(a, b).map_or(Err(EXACT), bool_of),
    }
}
#[inline]
pub(crate) fn greater<'a>(_: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    match (a.as_int(), b.as_int()) {
        (Some(a), Some(b)) => bool_of(a > b),
        (None, None) => match (a.as_pair(), b.as_pair()) {
            (Some(a), Some(b)) => bool_of(a > b),
            _ => Err(EXACT),
        },
        _ => fault(Fault::TypeError),
    }
}
#[inline]
pub(crate) fn both<'a>(_: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    Ok(if a.truth() { *b } else { *a })
}
#[inline]
pub(crate) fn either<'a>(_: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    Ok(if a.truth() { *a } else { *b })
}
#[inline]
pub(crate) fn increment<'a>(vm: &mut Vm<'a>, x: &Val<'a>) -> R<'a> {
    each(vm, x, |x| x.checked_add(1))
}
#[inline]
pub(crate) fn decrement<'a>(vm: &mut Vm<'a>, x: &Val<'a>) -> R<'a> {
    each(vm, x, |x| x.checked_sub(1))
}
#[inline]
pub(crate) fn crement<'a>(vm: &mut Vm<'a>, x: &Val<'a>) -> R<'a> {
    each(vm, x, |x| x.checked_add(x.signum()))
}
#[inline]
pub(crate) fn sign<'a>(vm: &mut Vm<'a>, x: &Val<'a>) -> R<'a> {
    each(vm, x, |x| Some(x.signum()))
}
#[inline]
pub(crate) fn positive<'a>(_: &mut Vm<'a>, x: &Val<'a>) -> R<'a> {
    bool_of(int_of(x)? > 0)
}
#[inline]
pub(crate) fn toivec<'a>(vm: &mut Vm<'a>, i: &Val<'a>) -> R<'a> {
    Ok(Val::two(vm.arena, *i, Val::Int(0)))
}
#[inline]
pub(crate) fn tojvec<'a>(vm: &mut Vm<'a>, j: &Val<'a>) -> R<'a> {
    Ok(Val::two(vm.arena, Val::Int(0), *j))
}
