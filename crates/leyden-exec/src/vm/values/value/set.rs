//! Sets in their canonical form.

use std::cmp::Ordering;

use leyden_dsl::meter::MAX_SET_ELEMENTS;

use super::{Arena, Items, List, Made, Val, compare, equal};
use crate::vm::values::arena::CellForm;
use crate::vm::values::distinct::{Board, Likeness, without_copies};
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{Canvas, Patch, extent};
use crate::vm::values::word::CellWord;
use crate::vm::{EXACT, Maybe, R};

impl<'a> Val<'a> {
    /// The set of these values with this provenance. Gives up if it matters which of two equal
    /// values stays.
    pub(crate) fn set(arena: Arena<'a>, items: &[Val<'a>], made: Made<'a>) -> R<'a> {
        if items.len() > MAX_SET_ELEMENTS {
            return Err(EXACT);
        }
        match items.first() {
            None => return Ok(Val::empty_set()),
            Some(Val::Pair(..)) => {
                if let Some(patch) = patch_of_pairs(arena, items) {
                    return Ok(Val::Indices(arena.alloc(patch.made(made))));
                }
            }
            Some(Val::Cell(..) | Val::Triple(..)) => {
                if let Some(object) = object_of_cells(arena, items, made) {
                    return Ok(object);
                }
            }
            Some(Val::Int(_)) => {
                if let Some(sorted) = sorted_numbers(arena, items) {
                    return Ok(Val::Set(Items::of(arena, sorted, made)));
                }
            }
            _ => {}
        }
        if items.is_sorted_by(|a, b| sort_key(a) < sort_key(b)) && have_keys(items) {
            let items = arena.alloc_slice_copy(items);
            return Ok(Val::Set(Items::of(arena, items, made)));
        }
        if let Some(mut board) = Board::around(items) {
            items.iter().for_each(|item| {
                board.put(item);
            });
            let items = arena.alloc_slice_copy(&board.sorted());
            // The board sorts by colour first, and triples sort by place.
            sort_triples(items);
            return Ok(Val::Set(Items::of(arena, items, made)));
        }
        // Without keys, batteries take 1.4 % more instructions.
        let sorted = if items.len() > 8 && have_keys(items) {
            sorted_by_key(arena, items)?
        } else {
            sorted_by_comparison(arena, items)?
        };
        Ok(Val::Set(Items::of(arena, sorted, made)))
    }

    /// The set of these patches, of which no two are equal. One of them may be the empty set.
    pub(crate) fn set_of_distinct_patches(
        arena: Arena<'a>,
        items: &[Val<'a>],
        made: Made<'a>,
    ) -> Val<'a> {
        if items.is_empty() {
            return Val::empty_set();
        }
        let sorted = sorted_distinct(arena, items);
        Val::Set(Items::of(arena, sorted, made))
    }

    /// Whether the value equals one of another form (`True` and `1`) or not even itself (nan).
    fn is_risky_in_set(&self) -> bool {
        match self {
            Val::Bool(_) | Val::Float(_) => true,
            Val::Two(two) => two.0.is_risky_in_set() || two.1.is_risky_in_set(),
            Val::Tuple(items) | Val::Set(items) | Val::Bag(items) => {
                items.iter().any(Val::is_risky_in_set)
            }
            _ => false,
        }
    }
    /// Whether either of two equal values may stay in a set. Equal bags may be different tuples,
    /// and equal sets may have been filled in different orders.
    fn is_interchangeable(&self, other: &Val<'a>) -> bool {
        match (self, other) {
            (Val::Bag(_), _) => false,
            (Val::Indices(a), Val::Indices(b)) => a.made.is_like(&b.made) || a.len() == 1,
            (Val::Object(a), Val::Object(b)) => {
                a.patch.made.is_like(&b.patch.made) || a.patch.len() == 1
            }
            (Val::Two(a), Val::Two(b)) => {
                a.0.is_interchangeable(&b.0) && a.1.is_interchangeable(&b.1)
            }
            (Val::Set(a), Val::Set(b)) if a.is_empty() && b.is_empty() => true,
            (Val::Set(a), Val::Set(b)) if !a.made.is_like(&b.made) => false,
            (Val::Tuple(a), Val::Tuple(b)) | (Val::Set(a), Val::Set(b)) => {
                a.iter().zip(b.iter()).all(|(a, b)| a.is_interchangeable(b))
            }
            _ => true,
        }
    }

    /// This set with an unknown provenance. Gives up unless it is a patch or an object.
    fn blurred(&self, arena: Arena<'a>) -> R<'a> {
        match self {
            Val::Indices(patch) => Ok(Val::Indices(arena.alloc(patch.made(Made::Somehow)))),
            Val::Object(object) => Ok(Val::Object(arena.alloc(Object {
                patch: object.patch.made(Made::Somehow),
                ..**object
            }))),
            _ => Err(EXACT),
        }
    }
}

/// Whether all of them have keys that sort as the values do. The empty set goes with any kind of
/// patch.
pub(crate) fn have_keys(items: &[Val<'_>]) -> bool {
    let Some(first) = items.iter().find(|item| !item.is_empty_set()) else {
        return false;
    };
    let is_patch = matches!(first, Val::Indices(_) | Val::Object(_));
    items
        .iter()
        .all(|item| have_like_keys(first, item) || is_patch && item.is_empty_set())
}

/// Sorted by [`compare`], without copies. Keys tell most values apart.
fn sorted_by_key<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Maybe<&'a [Val<'a>]> {
    let likeness = |a: &Val<'a>, b: &Val<'a>| match equal(a, b) {
        Some(true) if a.is_interchangeable(b) => Likeness::Copy,
        Some(true) => Likeness::Rival,
        _ => Likeness::Different,
    };
    let kept = without_copies(items, sort_key, likeness);
    let sorted = sorted_distinct(arena, &kept.values);
    if kept.are_distinct {
        return Ok(sorted);
    }
    let n_distinct = distinct(arena, sorted)?;
    Ok(&sorted[..n_distinct])
}

/// Sorted numbers without copies; `None` if there are other values.
fn sorted_numbers<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
    let mut numbers = List::with_capacity_in(items.len(), arena);
    for item in items {
        let Val::Int(n) = item else { return None };
        numbers.push(*n);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(arena.alloc_slice_fill_iter(numbers.iter().map(|n| Val::Int(*n))))
}

/// Sorts cells if they are triples; leaves other cells unchanged.
pub(crate) fn sort_triples(cells: &mut [Val<'_>]) {
    let key = |cell: &Val<'_>| match cell {
        Val::Triple(cell) => Some(cell.sort_key_of_triple()),
        _ => None,
    };
    if let Some(mut keys) = cells.iter().map(key).collect::<Option<Vec<u64>>>() {
        keys.sort_unstable();
        for (cell, key) in cells.iter_mut().zip(keys) {
            *cell = Val::Triple(CellWord::of_sort_key_of_triple(key));
        }
    }
}

/// Values with keys, sorted by [`compare`].
fn sorted_distinct<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> &'a mut [Val<'a>] {
    let keyed = items.iter().map(|item| (sort_key(item), *item));
    let mut keyed: Vec<(u128, Val<'a>)> = keyed.collect();
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(&a.1, &b.1)));
    arena.alloc_slice_fill_iter(keyed.iter().map(|(_, item)| *item))
}

/// Values of any form, sorted by [`compare`], without copies.
fn sorted_by_comparison<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Maybe<&'a [Val<'a>]> {
    let are_bools = || items.iter().all(|v| matches!(v, Val::Bool(_)));
    if items.iter().any(Val::is_risky_in_set) && !are_bools() {
        return Err(EXACT);
    }
    let sorted = arena.alloc_slice_copy(items);
    sorted.sort_unstable_by(compare);
    let n_distinct = distinct(arena, sorted)?;
    Ok(&sorted[..n_distinct])
}

/// Whether the keys of two values sort as the values do.
fn have_like_keys(a: &Val<'_>, b: &Val<'_>) -> bool {
    match (a, b) {
        (Val::Pair(_), Val::Pair(_)) | (Val::Cell(_), Val::Cell(_)) => true,
        (Val::Triple(_), Val::Triple(_)) => true,
        (Val::Indices(_), Val::Indices(_)) | (Val::Object(_), Val::Object(_)) => true,
        (Val::Two(a), Val::Two(b)) => {
            let alike = |a: &Val<'_>, b: &Val<'_>| {
                matches!(
                    (a, b),
                    (Val::Pair(_), Val::Pair(_))
                        | (Val::Cell(_), Val::Cell(_))
                        | (Val::Triple(_), Val::Triple(_))
                )
            };
            alike(&a.0, &b.0) && alike(&a.1, &b.1)
        }
        _ => false,
    }
}

pub(crate) fn sort_key(value: &Val<'_>) -> u128 {
    let word = |value: &Val<'_>| match value {
        Val::Pair(pair) => pair.sort_key(),
        Val::Cell(cell) => cell.sort_key(),
        Val::Triple(cell) => cell.sort_key_of_triple(),
        _ => 0,
    };
    match value {
        Val::Pair(_) | Val::Cell(_) | Val::Triple(_) => word(value).into(),
        Val::Indices(patch) => patch.sort_key(),
        Val::Object(object) => object.patch.sort_key(),
        Val::Two(two) => u128::from(word(&two.0)) << 64 | u128::from(word(&two.1)),
        // The empty set comes last.
        _ => u128::MAX,
    }
}

/// Moves one of each group of equal values to the front and returns their number.
fn distinct<'a>(arena: Arena<'a>, sorted: &mut [Val<'a>]) -> Maybe<usize> {
    let mut n_kept = 0;
    for k in 0..sorted.len() {
        let item = sorted[k];
        if n_kept > 0 && compare(&sorted[n_kept - 1], &item) == Ordering::Equal {
            if !sorted[n_kept - 1].is_interchangeable(&item) {
                sorted[n_kept - 1] = item.blurred(arena)?;
            }
        } else {
            sorted[n_kept] = item;
            n_kept += 1;
        }
    }
    Ok(n_kept)
}

fn patch_of_pairs<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<Patch<'a>> {
    if !items.iter().all(|item| matches!(item, Val::Pair(_))) {
        return None;
    }
    Patch::from_cells(arena, items.iter().filter_map(Val::as_pair))
}

fn object_of_cells<'a>(arena: Arena<'a>, items: &[Val<'a>], made: Made<'a>) -> Option<Val<'a>> {
    let mut cells = List::with_capacity_in(items.len(), arena);
    let form = match items.first() {
        Some(Val::Triple(_)) => CellForm::Flat,
        _ => CellForm::Nested,
    };
    for item in items {
        match (item, form) {
            (Val::Cell(cell), CellForm::Nested) => cells.push(cell.get()),
            (Val::Triple(cell), CellForm::Flat) => cells.push(cell.get()),
            _ => return None,
        }
    }
    debug_assert_eq!(form, arena.cells());
    object_from(arena, &cells, made)
}

/// The object of these cells; `None` if two of them have different colours at one place.
fn object_from<'a>(arena: Arena<'a>, cells: &[(i8, i64, i64)], made: Made<'a>) -> Option<Val<'a>> {
    let (top, left, height, width) = extent(cells.iter().map(|(_, i, j)| (*i, *j)))?;
    let mut canvas = Canvas::new(arena, top, left, height, width)?;
    let each = arena.alloc_slice_fill_copy((height * width) as usize, 0);
    for &(v, i, j) in cells {
        let place = ((i - top) * width + (j - left)) as usize;
        if each[place] != v && canvas.rows[(i - top) as usize] >> (j - left) & 1 == 1 {
            return None;
        }
        canvas.set(i, j);
        each[place] = v;
    }
    let patch = canvas.finish()?.made(made);
    let first = cells[0].0;
    if cells.iter().all(|(v, ..)| *v == first) {
        return Some(Object::uniform(arena, patch, first));
    }
    Some(Object::of(arena, patch, Colours::Each(each)))
}
