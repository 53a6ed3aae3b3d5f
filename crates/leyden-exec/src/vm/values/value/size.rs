//! The size of values: the weight that calls pay for, and the number of parts, which has a cap.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use leyden_dsl::value::MAX_NODES;

use super::{Made, Two, Val};

/// The weight of a tuple of these two values.
#[inline]
pub(crate) fn weight_of_two(a: &Val<'_>, b: &Val<'_>) -> u64 {
    if a.is_tuple() && b.is_tuple() {
        a.weight_as_row() + b.weight_as_row()
    } else {
        2
    }
}

/// The number of a container's parts, counted at most once. Containers may share parts, so counting
/// again would take a time that grows with every level.
#[derive(Debug)]
pub(crate) struct PartCount(AtomicU32);

impl PartCount {
    const UNKNOWN: u32 = 0;

    pub(super) const fn unknown() -> PartCount {
        PartCount(AtomicU32::new(PartCount::UNKNOWN))
    }

    #[inline]
    fn get_or(&self, count: impl FnOnce() -> u64) -> u64 {
        let known = self.0.load(Relaxed);
        if known != PartCount::UNKNOWN {
            return known.into();
        }
        let n_parts = u32::try_from(count()).unwrap_or(u32::MAX);
        self.0.store(n_parts, Relaxed);
        n_parts.into()
    }
}

/// Whether a value may have this many parts.
pub(crate) fn is_few(n_parts: u64) -> bool {
    n_parts <= u64::from(MAX_NODES)
}

/// The number of parts of a container of these items.
pub(crate) fn n_parts_of_all(items: &[Val<'_>]) -> u64 {
    // Most containers hold small values of one kind.
    let is_number = |item: &Val<'_>| matches!(item, Val::Int(_));
    let is_pair = |item: &Val<'_>| matches!(item, Val::Pair(_));
    let is_cell = |item: &Val<'_>| matches!(item, Val::Cell(_));
    let is_triple = |item: &Val<'_>| matches!(item, Val::Triple(_));
    let n_each = match items.first() {
        Some(Val::Int(_)) if items.iter().all(is_number) => 1,
        Some(Val::Pair(_)) if items.iter().all(is_pair) => 3,
        Some(Val::Cell(_)) if items.iter().all(is_cell) => 5,
        Some(Val::Triple(_)) if items.iter().all(is_triple) => 4,
        _ => return n_parts_one_by_one(items),
    };
    1 + n_each * items.len() as u64
}

fn n_parts_one_by_one(items: &[Val<'_>]) -> u64 {
    1 + items.iter().map(Val::n_parts).sum::<u64>()
}

impl<'a> Val<'a> {
    /// The weight that a call pays for touching this value; see `leyden_dsl::value::Value::weight`.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Val::Int(_) | Val::Bool(_) | Val::None | Val::Prim(_) | Val::Func(_) => 0,
            Val::Pair(..) | Val::Cell(..) => 2,
            Val::Triple(_) => 3,
            Val::Float(_) => 0,
            Val::Indices(patch) => patch.len() as u64,
            Val::Object(object) => object.patch.len() as u64,
            Val::Grid(grid) => grid.cells().len() as u64,
            Val::Set(items) | Val::Tuple(items) | Val::Bag(items) => items.weight,
            Val::Two(Two(Val::Pair(_) | Val::Cell(_), Val::Pair(_) | Val::Cell(_), _)) => 4,
            Val::Two(Two(a, b, _)) => weight_of_two(a, b),
        }
    }

    /// Whether it has more parts than a value may have, counted as a tree, as the reference engine
    /// counts them.
    #[inline]
    pub(crate) fn is_huge(&self) -> bool {
        match self {
            Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) => self.is_huge_container(),
            _ => false,
        }
    }

    #[inline(never)]
    fn is_huge_container(&self) -> bool {
        match self {
            Val::Tuple(items) | Val::Bag(items) | Val::Set(items)
                if items.made.most_parts().is_some_and(is_few) =>
            {
                false
            }
            _ => !is_few(self.n_parts()),
        }
    }

    /// The number of its parts; beyond the cap, any number beyond it.
    pub(crate) fn n_parts(&self) -> u64 {
        match self {
            Val::Two(two) => two.2.get_or(|| 1 + two.0.n_parts() + two.1.n_parts()),
            Val::Tuple(items) if matches!(items.made, Made::FromRow) => 1 + items.len() as u64,
            Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => {
                items.parts.get_or(|| n_parts_of_all(items))
            }
            other => other.few_parts().unwrap_or(1),
        }
    }

    /// The number of parts, where it needs no sum.
    #[inline]
    fn few_parts(&self) -> Option<u64> {
        Some(match self {
            Val::None
            | Val::Bool(_)
            | Val::Int(_)
            | Val::Float(_)
            | Val::Prim(_)
            | Val::Func(_) => 1,
            Val::Pair(_) => 3,
            Val::Cell(_) => 5,
            Val::Triple(_) => 4,
            Val::Grid(grid) => (1 + grid.height() + grid.cells().len()) as u64,
            Val::Indices(patch) => 1 + 3 * patch.len() as u64,
            Val::Object(object) => 1 + object.n_parts_of_cell() * object.patch.len() as u64,
            Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) => return None,
        })
    }

    /// The weight that a tuple adds to a tuple of tuples. An empty row counts as one.
    #[inline]
    pub(super) fn weight_as_row(&self) -> u64 {
        self.len().map_or(1, |len| len.max(1)) as u64
    }
}
