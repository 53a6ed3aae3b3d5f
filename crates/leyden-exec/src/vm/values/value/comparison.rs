//! Python's `==`, and an order over all values.

use std::cmp::Ordering;

use super::Val;
use crate::vm::values::arena::Room;

impl<'a> Val<'a> {
    /// Whether both are the identical value, judged by their words and addresses.
    pub(crate) fn is_same(&self, other: &Val<'a>) -> bool {
        match (self, other) {
            (Val::None, Val::None) => true,
            (Val::Int(a), Val::Int(b)) => a == b,
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::Pair(a), Val::Pair(b)) => a == b,
            (Val::Cell(a), Val::Cell(b)) | (Val::Triple(a), Val::Triple(b)) => a == b,
            (Val::Prim(a), Val::Prim(b)) => std::ptr::eq(*a, *b),
            (Val::Grid(a), Val::Grid(b)) => std::ptr::eq(*a, *b),
            (Val::Two(a), Val::Two(b)) => std::ptr::eq(*a, *b),
            (Val::Indices(a), Val::Indices(b)) => std::ptr::eq(*a, *b),
            (Val::Object(a), Val::Object(b)) => std::ptr::eq(*a, *b),
            (Val::Func(a), Val::Func(b)) => std::ptr::eq(*a, *b),
            (Val::Tuple(a), Val::Tuple(b))
            | (Val::Bag(a), Val::Bag(b))
            | (Val::Set(a), Val::Set(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }
}

/// Python's `==`. `None` if this engine cannot tell, as with tuples in unknown order.
#[inline]
pub(crate) fn equal(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => Some(x == y),
        (Val::Pair(x), Val::Pair(y)) => Some(x == y),
        (Val::Cell(x), Val::Cell(y)) | (Val::Triple(x), Val::Triple(y)) => Some(x == y),
        _ => equal_others(a, b),
    }
}

/// [`equal`] for all but numbers, pairs and cells of one kind.
fn equal_others(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    Some(match (a, b) {
        (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => a.as_int() == b.as_int(),
        (Val::Grid(x), Val::Grid(y)) => x == y,
        (Val::Indices(x), Val::Indices(y)) => std::ptr::eq(*x, *y) || x == y,
        (Val::Object(x), Val::Object(y)) => std::ptr::eq(*x, *y) || x == y,
        (Val::None, Val::None) => true,
        (Val::Prim(x), Val::Prim(y)) => x.prim == y.prim,
        (Val::Func(x), Val::Func(y)) => std::ptr::eq(*x, *y),
        (Val::Float(x), y) | (y, Val::Float(x)) => return equal_float(x.get(), y),
        (Val::Bag(_), _) | (_, Val::Bag(_)) => return None,
        (Val::Set(x), Val::Set(y)) | (Val::Tuple(x), Val::Tuple(y)) => return all_equal(x, y),
        (Val::Two(x), Val::Two(y)) => equal(&x.0, &y.0)? && equal(&x.1, &y.1)?,
        _ if a.is_tuple() && b.is_tuple() => return equal_as_tuples(a, b),
        _ => false,
    })
}

/// Compares a float. nan equals itself in containers and nowhere else.
fn equal_float(x: f64, other: &Val<'_>) -> Option<bool> {
    match other {
        Val::Float(y) if x.is_nan() && y.get().is_nan() => None,
        Val::Float(y) => Some(x == y.get()),
        _ => Some(other.as_int().is_some_and(|n| x == n as f64)),
    }
}

fn all_equal(a: &[Val<'_>], b: &[Val<'_>]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    for (x, y) in a.iter().zip(b) {
        if !equal(x, y)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Compares tuples of different forms element by element. This is rare, so a temporary arena is
/// enough.
#[cold]
#[inline(never)]
fn equal_as_tuples(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    let arena = Room::default();
    all_equal(a.elements(&arena)?, b.elements(&arena)?)
}

#[cold]
#[inline(never)]
fn compare_as_tuples(a: &Val<'_>, b: &Val<'_>) -> Ordering {
    let arena = Room::default();
    match (a.elements(&arena), b.elements(&arena)) {
        (Some(x), Some(y)) => compare_all(x, y),
        (x, y) => x.is_some().cmp(&y.is_some()),
    }
}

/// A total order over all values, for the canonical form of sets. Tuples of different forms compare
/// as tuples; otherwise the order has no meaning.
#[inline]
pub(crate) fn compare(a: &Val<'_>, b: &Val<'_>) -> Ordering {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => x.cmp(y),
        (Val::Pair(x), Val::Pair(y)) => x.cmp(y),
        (Val::Cell(x), Val::Cell(y)) => x.cmp(y),
        (Val::Triple(x), Val::Triple(y)) => x.sort_key_of_triple().cmp(&y.sort_key_of_triple()),
        _ => compare_others(a, b),
    }
}

/// [`compare`] for all but numbers, pairs and cells of one kind.
fn compare_others(a: &Val<'_>, b: &Val<'_>) -> Ordering {
    match (a, b) {
        (Val::Bool(x), Val::Bool(y)) => x.cmp(y),
        (Val::Indices(x), Val::Indices(y)) => x.cmp(y),
        (Val::Object(x), Val::Object(y)) => x.cmp(y),
        (Val::Set(x), Val::Set(y)) | (Val::Tuple(x), Val::Tuple(y)) => compare_all(x, y),
        (Val::Two(x), Val::Two(y)) => compare(&x.0, &y.0).then_with(|| compare(&x.1, &y.1)),
        (Val::Bag(x), Val::Bag(y)) => compare_all(x, y),
        (Val::Prim(x), Val::Prim(y)) => x.prim.cmp(&y.prim),
        (Val::Func(x), Val::Func(y)) => std::ptr::from_ref(*x).cmp(&std::ptr::from_ref(*y)),
        (Val::Grid(x), Val::Grid(y)) => x.cmp(y),
        _ if a.is_tuple() && b.is_tuple() => compare_as_tuples(a, b),
        (Val::None, Val::None) => Ordering::Equal,
        _ => rank(a).cmp(&rank(b)),
    }
}

fn compare_all(a: &[Val<'_>], b: &[Val<'_>]) -> Ordering {
    let by_element = || {
        let differing = a.iter().zip(b).map(|(x, y)| compare(x, y));
        differing
            .into_iter()
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    a.len().cmp(&b.len()).then_with(by_element)
}

fn rank(value: &Val<'_>) -> u8 {
    match value {
        Val::None => 0,
        Val::Bool(_) => 1,
        Val::Int(_) => 2,
        Val::Pair(_)
        | Val::Cell(_)
        | Val::Triple(_)
        | Val::Two(_)
        | Val::Grid(_)
        | Val::Tuple(_)
        | Val::Bag(_) => 3,
        Val::Indices(_) => 4,
        Val::Object(_) => 5,
        Val::Set(_) => 6,
        Val::Prim(_) => 7,
        Val::Func(_) => 8,
        Val::Float(_) => 9,
    }
}
