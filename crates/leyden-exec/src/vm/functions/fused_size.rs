//! Sizes of sets that are not made: the engine counts their elements and pays for them.

use crate::vm::functions::columns::Column;
use crate::vm::values::patch::{COUNT_BITS, Patch};
use crate::vm::values::value::{Arena, Val};
use crate::vm::{EXACT, Maybe, Vm};

/// The elements to count of a moved patch and another set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Elements of both.
    Common,
    /// Elements of the moved patch that the other set lacks.
    Moved,
    /// Elements of the other set that the moved patch lacks.
    Other,
}

impl Wanted {
    #[inline]
    fn of(self, n_common: usize, n_moved: usize, n_other: usize) -> u64 {
        (match self {
            Wanted::Common => n_common,
            Wanted::Moved => n_moved - n_common,
            Wanted::Other => n_other - n_common,
        }) as u64
    }
}

impl<'a> Vm<'a> {
    /// Counts the elements that sets have in common, or that only the first has. The price includes the
    /// set of these elements.
    pub(crate) fn count(
        &mut self,
        a: &Column<'_, 'a>,
        b: &Column<'_, 'a>,
        are_common: bool,
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        let mut price = 0u64;
        for (k, result) in results.iter_mut().enumerate() {
            let (a, b) = (a.get(k), b.get(k));
            let n = n_elements(self.arena, &a, &b, are_common).ok_or(EXACT)?;
            price = price.saturating_add(a.weight() + b.weight() + n as u64);
            *result = Val::Int(n as i64);
        }
        self.charge(price)
    }

    /// Counts the elements of a moved patch and another set. The price includes the move.
    pub(crate) fn count_moved(
        &mut self,
        [patch, to, other, _]: &[Column<'_, 'a>; 4],
        wanted: Wanted,
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        if let (Column::Same(patch), Column::Each(to), Column::Same(other)) = (patch, to, other)
            && let Some(price) = count_along((*patch, *to, *other), wanted, results)
        {
            return self.charge(price);
        }
        let mut price = 0u64;
        for (k, result) in results.iter_mut().enumerate() {
            let (patch, to, other) = (patch.get(k), to.get(k), other.get(k));
            let (n_moved, n_common) = n_common_moved(&patch, &to, &other).ok_or(EXACT)?;
            let n_other = other.weight();
            let n = wanted.of(n_common, n_moved, n_other as usize);
            // The price of `shift`: the patch, the moved patch and the direction. The price of the set:
            // both sets and the result.
            let of_sets = 3 * n_moved as u64 + n_other;
            price = price.saturating_add(of_sets + to.weight() + n);
            *result = Val::Int(n as i64);
        }
        self.charge(price)
    }
}

/// Counts the elements of one patch in many places and of another patch, and gives the price. Most
/// places come row by row, and neighbours are counted together. `None` if the sets are not such patches.
fn count_along<'a>(
    (patch, to, other): (&Val<'a>, &[Val<'a>], &Val<'a>),
    wanted: Wanted,
    results: &mut [Val<'a>],
) -> Option<u64> {
    let (patch, other) = patches(patch, other)?;
    let (n_moved, n_other) = (patch.len(), other.len());
    let n_bits = (usize::BITS - n_moved.leading_zeros()) as usize;
    if n_bits > COUNT_BITS {
        return None;
    }
    let mut price = to.len() as u64 * (3 * n_moved + 2 + n_other) as u64;
    let (mut to, mut results) = (to, results);
    while let [first, ..] = to {
        let n = n_side_by_side(to);
        let (di, dj) = first.as_pair()?;
        patch.corner_moved((di, dj))?;
        patch.corner_moved((di, dj + n as i64 - 1))?;
        let (now, later) = results.split_at_mut(n);
        let mut count = |result: &mut Val<'a>, n_common: usize| {
            let n = wanted.of(n_common, n_moved, n_other);
            price += n;
            *result = Val::Int(n as i64);
        };
        // A single place takes a step for each row, neighbours together take one for each cell.
        if n * (patch.height() as usize) < n_moved {
            for (result, k) in now.iter_mut().zip(0..) {
                let corner = (patch.top() + di, patch.left() + dj + k);
                count(result, patch.n_common_at(corner, other));
            }
        } else {
            let counts = patch.n_common_along((di, dj), other);
            for (k, result) in now.iter_mut().enumerate() {
                let bits = counts[..n_bits].iter().rev();
                count(
                    result,
                    bits.fold(0, |n, bits| 2 * n + (bits >> k & 1) as usize),
                );
            }
        }
        (to, results) = (&to[n..], later);
    }
    Some(price)
}

/// The number of places, from the first on, that lie side by side; at most the bits of a word.
fn n_side_by_side(places: &[Val<'_>]) -> usize {
    let Some(Val::Pair(first)) = places.first() else {
        return 1;
    };
    let expected = (0..u64::from(u64::BITS)).map(|k| first.sort_key() + k);
    let is_next = |(place, key): &(&Val<'_>, u64)| match place {
        Val::Pair(pair) => pair.sort_key() == *key,
        _ => false,
    };
    places.iter().zip(expected).take_while(is_next).count()
}

/// The places of two patches, if elements with equal places are equal.
#[inline]
fn patches<'v, 'a>(a: &'v Val<'a>, b: &'v Val<'a>) -> Option<(&'v Patch<'a>, &'v Patch<'a>)> {
    match (a, b) {
        (Val::Indices(a), Val::Indices(b)) => Some((*a, *b)),
        (Val::Object(a), Val::Object(b)) if a.only_colour()? == b.only_colour()? => {
            Some((&a.patch, &b.patch))
        }
        _ => None,
    }
}

/// The number of places that two patches have in common, or that only the first has. One of them may be
/// empty. `None` for other values.
fn n_elements<'a>(arena: Arena<'a>, a: &Val<'a>, b: &Val<'a>, are_common: bool) -> Option<usize> {
    let n_all = n_places(a)?;
    let n_common = match (patches(a, b), a, b) {
        (Some((a, b)), ..) => a.n_common(b),
        (None, Val::Object(a), Val::Object(b)) => {
            a.agreement(arena, b).map_or(0, |alike| alike.len())
        }
        _ if n_places(b)? == 0 || n_all == 0 => 0,
        _ => return None,
    };
    Some(if are_common {
        n_common
    } else {
        n_all - n_common
    })
}

/// The number of places of a patch, which may be empty. `None` for other values.
#[inline]
fn n_places(patch: &Val<'_>) -> Option<usize> {
    match patch {
        Val::Indices(patch) => Some(patch.len()),
        Val::Object(object) => Some(object.patch.len()),
        _ => patch.is_empty_set().then_some(0),
    }
}

/// The number of places of a patch, and of those that another patch has, too, after the move. One of
/// them may be empty. `None` for other values, or if the patch cannot move there.
#[inline]
fn n_common_moved(patch: &Val<'_>, to: &Val<'_>, other: &Val<'_>) -> Option<(usize, usize)> {
    if let Some((patch, other)) = patches(patch, other) {
        let corner = patch.corner_moved(to.as_pair()?)?;
        return Some((patch.len(), patch.n_common_at(corner, other)));
    }
    let n_other = n_places(other)?;
    let patch = match patch {
        Val::Indices(patch) => *patch,
        Val::Object(object) => &object.patch,
        _ => return patch.is_empty_set().then_some((0, 0)),
    };
    patch.corner_moved(to.as_pair()?)?;
    (n_other == 0).then_some((patch.len(), 0))
}
