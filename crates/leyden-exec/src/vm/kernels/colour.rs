//! Colours of grids and objects.

use std::cmp::Ordering;

use leyden_dsl::fault::Fault;

use super::super::Vm;
use super::super::order::Order;
use super::super::value::{Colours, Items, Object};
use super::{EXACT, R, Val, fault, grid_of};

/// The colours that occur, smallest first, each with its count.
struct Histogram(Vec<(i8, u32)>);

impl Histogram {
    fn of(element: &Val) -> R<Histogram> {
        let Val::Object(object) = element else {
            return Ok(Histogram::of_cells(grid_of(element)?.cells()));
        };
        Ok(match object.colours {
            Colours::One(colour) => Histogram(vec![(colour, object.patch.len() as u32)]),
            Colours::Each(_) => {
                Histogram::of_cells(&object.cells().map(|(v, ..)| v).collect::<Vec<_>>())
            }
        })
    }

    /// Counts colour by colour, which the compiler turns into wide comparisons; ten passes are
    /// cheaper than one that increments counters.
    fn of_cells(cells: &[i8]) -> Histogram {
        let (mut counts, mut n_left) = (Vec::with_capacity(10), cells.len() as u32);
        for colour in (0..=9).chain(i8::MIN..=-1).chain(10..=i8::MAX) {
            if n_left == 0 {
                break;
            }
            let n = occurrences_of(cells, colour);
            if n > 0 {
                counts.push((colour, n));
                n_left -= n;
            }
        }
        counts.sort_unstable();
        Histogram(counts)
    }

    fn count(&self, colour: i64) -> u32 {
        self.0
            .iter()
            .find(|(v, _)| i64::from(*v) == colour)
            .map_or(0, |(_, n)| *n)
    }
}

/// Blocks of 255, so that a byte can count each.
fn occurrences_of(cells: &[i8], colour: i8) -> u32 {
    let in_block = |block: &[i8]| block.iter().map(|v| u8::from(*v == colour)).sum::<u8>();
    cells
        .chunks(255)
        .map(|block| u32::from(in_block(block)))
        .sum()
}

/// The colour whose count is the only largest or smallest.
fn by_count(element: &Val, wanted: Ordering) -> R<i8> {
    let histogram = Histogram::of(element)?;
    let (mut best, mut is_tied) = ((0, 0), false);
    for (k, &(colour, n)) in histogram.0.iter().enumerate() {
        let found = if k == 0 { wanted } else { n.cmp(&best.1) };
        if found == wanted {
            (best, is_tied) = ((colour, n), false);
        } else if found == Ordering::Equal {
            is_tied = true;
        }
    }
    if is_tied {
        tied_by_count(element, &histogram, best.1)
    } else {
        Ok(best.0)
    }
}

/// Among colours of equal count CPython takes the first of a set of small numbers. Where that
/// set is built from a grid, row by row, its order is known.
fn tied_by_count(element: &Val, histogram: &Histogram, count: u32) -> R<i8> {
    let grid = grid_of(element)?;
    let mut slots: [Option<i8>; 8] = [None; 8];
    let mut n_distinct = 0;
    for &colour in grid.cells() {
        if !(0..=127).contains(&colour) {
            return Err(EXACT);
        }
        n_distinct += usize::from(insert_small(&mut slots, colour)?);
        // From the fifth element on, CPython's table grows and the order changes.
        if n_distinct > 4 {
            return tied_in_large_table(&grid, histogram, count);
        }
    }
    let first = slots
        .iter()
        .flatten()
        .find(|colour| histogram.count(i64::from(**colour)) == count);
    first.copied().ok_or(EXACT)
}

/// Inserts into CPython's smallest set table; says whether the colour is new.
fn insert_small(slots: &mut [Option<i8>; 8], colour: i8) -> R<bool> {
    let start = colour as usize & 7;
    if slots[start].is_none() {
        slots[start] = Some(colour);
        return Ok(true);
    }
    if slots[start] == Some(colour) {
        Ok(false)
    } else {
        Err(EXACT)
    }
}

/// With 32 slots, small numbers do not collide and stand in order.
fn tied_in_large_table(grid: &super::Grid, histogram: &Histogram, count: u32) -> R<i8> {
    let in_order = grid.cells().iter().all(|colour| (0..32).contains(colour));
    let few = histogram.0.len() < 19;
    let first = histogram.0.iter().find(|(_, n)| *n == count);
    if in_order && few {
        first.map(|(colour, _)| *colour).ok_or(EXACT)
    } else {
        Err(EXACT)
    }
}

/// The most frequent colour, as a number.
pub(super) fn most_frequent(element: &Val) -> R<i8> {
    by_count(element, Ordering::Greater)
}

pub(crate) fn mostcolor(_: &mut Vm, element: &Val) -> R {
    Ok(Val::Int(i64::from(most_frequent(element)?)))
}
pub(crate) fn leastcolor(_: &mut Vm, element: &Val) -> R {
    Ok(Val::Int(i64::from(by_count(element, Ordering::Less)?)))
}

pub(crate) fn colorcount(_: &mut Vm, element: &Val, value: &Val) -> R {
    let histogram = Histogram::of(element)?;
    let colour = match value {
        Val::None | Val::Pair(..) => return Ok(Val::Int(0)),
        _ => value.as_int().ok_or(EXACT)?,
    };
    Ok(Val::Int(i64::from(histogram.count(colour))))
}

pub(crate) fn colorfilter(_: &mut Vm, objs: &Val, value: &Val) -> R {
    let items = match objs {
        Val::Set(items) | Val::Tuple(items) => items,
        _ => return Err(EXACT),
    };
    let wanted = match value {
        Val::Int(v) => *v,
        _ => return Err(EXACT),
    };
    let mut kept = Vec::with_capacity(items.len());
    for item in items.iter() {
        let Val::Object(object) = item else {
            return Err(EXACT);
        };
        if is_of_colour(object, wanted)? {
            kept.push(item.clone());
        }
    }
    if let Val::Set(items) = objs {
        Ok(super::containers::part_of(items, kept))
    } else {
        Val::set(kept)
    }
}

/// Whether the first cell has the colour, where that does not depend on which cell is first.
fn is_of_colour(object: &Object, colour: i64) -> R<bool> {
    match object.colours {
        Colours::One(only) => Ok(i64::from(only) == colour),
        Colours::Each(_) if object.cells().any(|(v, ..)| i64::from(v) == colour) => Err(EXACT),
        Colours::Each(_) => Ok(false),
    }
}

pub(crate) fn palette(_: &mut Vm, element: &Val) -> R {
    if element.is_empty_set() {
        return Ok(Val::empty_set());
    }
    let colours = Histogram::of(element)?.0;
    let colours = colours
        .iter()
        .map(|(v, _)| Val::Int(i64::from(*v)))
        .collect();
    Ok(Val::Set(match element.as_grid() {
        Some(grid) => Items::ordered(colours, Order::Palette(grid)),
        None => Items::of(colours),
    }))
}

pub(crate) fn numcolors(_: &mut Vm, element: &Val) -> R {
    if element.is_empty_set() {
        return Ok(Val::Int(0));
    }
    Ok(Val::Int(Histogram::of(element)?.0.len() as i64))
}

pub(crate) fn color(_: &mut Vm, obj: &Val) -> R {
    match obj {
        Val::Object(object) => match object.only_colour() {
            Some(colour) => Ok(Val::Int(i64::from(colour))),
            None => Err(EXACT),
        },
        Val::Two(_) | Val::Tuple(_) => {
            match obj.elements().and_then(|items| items.into_iter().next()) {
                Some(Val::Cell(cell)) => Ok(Val::Int(i64::from(cell.get().0))),
                Some(Val::Pair(pair)) => Ok(Val::Int(pair.get().0)),
                _ => Err(EXACT),
            }
        }
        _ if obj.is_empty_set() => fault(Fault::StopIteration),
        _ => Err(EXACT),
    }
}
