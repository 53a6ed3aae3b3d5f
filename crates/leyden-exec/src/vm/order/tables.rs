//! CPython's tables of sets that follow from little: places, neighbours, outlines, colours.

use leyden_dsl::pyset::{Table, insertion_order, with_order_of_distinct};
use leyden_dsl::value::hash_pair;

use crate::vm::kernels::distinct_colours;
use crate::vm::order::hashes::{hash, hash_of_place, hashes};
use crate::vm::values::distinct::{Board, Likeness, without_copies};
use crate::vm::values::value::{Arena, Grid, Val, equal, have_keys, sort_key};

/// A value as a key of CPython's table.
#[derive(Clone, Copy)]
pub(super) struct TableKey<'a>(pub(super) Val<'a>);

impl PartialEq for TableKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(&self.0, &other.0) == Some(true)
    }
}

pub(super) type Tabled<'a> = Table<TableKey<'a>>;

/// `palette(grid)`, or `palette(grid) - {colour}`.
pub(super) fn partition_colours<'a>(
    grid: &Grid<'a>,
    left_out: Option<i8>,
    is_copied: bool,
) -> Option<Tabled<'a>> {
    let palette = tabled(&distinct_colours(grid.cells().iter().copied()))?;
    let palette = if is_copied {
        palette.retabled()
    } else {
        palette
    };
    match left_out {
        None => Some(palette),
        Some(colour) => Some(palette.difference(&tabled(&[Val::Int(i64::from(colour))])?)),
    }
}

fn places<'a>(places: impl Iterator<Item = (i64, i64)>) -> Tabled<'a> {
    let mut table = Table::new();
    for (i, j) in places {
        table.add(hash_pair(i, j), TableKey(Val::place((i, j))));
    }
    table
}

pub(super) fn neighbours<'a>(i: i64, j: i64) -> Tabled<'a> {
    let direct = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)];
    let diagonal = [
        (i - 1, j - 1),
        (i - 1, j + 1),
        (i + 1, j - 1),
        (i + 1, j + 1),
    ];
    let (direct, diagonal) = (places(direct.into_iter()), places(diagonal.into_iter()));
    direct.retabled().union(&diagonal.retabled(), false)
}

pub(super) fn outline<'a>(top: i64, left: i64, bottom: i64, right: i64) -> Tabled<'a> {
    let column = |j: i64| places((top..=bottom).map(move |i| (i, j)));
    let row = |i: i64| places((left..=right).map(move |j| (i, j)));
    let verticals = column(left).union(&column(right), false);
    let horizontals = row(top).union(&row(bottom), false);
    verticals.union(&horizontals, false).retabled()
}

/// The elements of `set(items)` in its order.
pub(crate) fn ordered<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
    // CPython ignores a copy of an element that is already there.
    if let Some(mut board) = Board::around(items) {
        let distinct: Vec<Val<'a>> = items
            .iter()
            .filter(|item| board.put(item))
            .copied()
            .collect();
        return distinct_in_order(arena, &distinct);
    }
    if items.len() >= 16 && have_keys(items) {
        let likeness = |a: &Val<'a>, b: &Val<'a>| match equal(a, b) {
            Some(true) => Likeness::Copy,
            _ => Likeness::Different,
        };
        return distinct_in_order(arena, &without_copies(items, sort_key, likeness).values);
    }
    let hashes = hashes(items)?;
    let is_equal = |a: usize, b: usize| equal(&items[a], &items[b]) == Some(true);
    let order = insertion_order(&hashes, is_equal);
    Some(arena.alloc_slice_fill_iter(order.iter().map(|k| items[*k as usize])))
}

/// The order of a set that was filled row by row.
pub(super) fn by_rows<'a>(arena: Arena<'a>, set: &Val<'a>) -> Option<&'a [Val<'a>]> {
    let elements = set.elements(arena)?;
    match elements.len() {
        0 | 1 => Some(elements),
        _ => distinct_in_order(arena, elements),
    }
}

/// The elements of `set(items)` in its order, where no two of `items` are equal.
pub(super) fn distinct_in_order<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
    let is_place = |item: &Val<'a>| matches!(item, Val::Pair(_) | Val::Cell(_) | Val::Triple(_));
    let list =
        |order: &[u32]| &*arena.alloc_slice_fill_iter(order.iter().map(|k| items[*k as usize]));
    if items.iter().all(is_place) {
        return Some(with_order_of_distinct(
            items.iter().map(hash_of_place),
            list,
        ));
    }
    Some(with_order_of_distinct(hashes(items)?.into_iter(), list))
}

/// CPython's table after these insertions.
pub(super) fn tabled<'a>(items: &[Val<'a>]) -> Option<Tabled<'a>> {
    let mut table = Table::new();
    for item in items {
        table.add(hash(item)?, TableKey(*item));
    }
    Some(table)
}
