//! Colours of grids and objects.

use std::cmp::Ordering;

use leyden_dsl::fault::Fault;

use super::containers::part_of;
use super::extremes::place_at_rank;
use super::grids::n_empty_rows;
use super::{EXACT, Maybe, R, Val, fault, grid_of};
use crate::vm::Vm;
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::value::{Items, List};

/// The colours that occur, smallest first, with their counts.
struct Histogram {
    counts: [(i8, u32); 16],
    n_colours: usize,
}

impl Histogram {
    fn of<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> Maybe<Histogram> {
        let object = match element {
            Val::Object(object) => object,
            Val::Set(items) => return Histogram::of_set(vm, items),
            _ => return Histogram::of_cells(grid_of(vm, element)?.cells()),
        };
        Histogram::of_object(vm, object)
    }

    /// Counts as far as needed to know the most frequent colour.
    fn of_most<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> Maybe<Histogram> {
        match element {
            Val::Object(_) | Val::Set(_) => Histogram::of(vm, element),
            _ => {
                let is_enough = |most: u32, n_left: u32| most > n_left;
                Histogram::of_cells_until(grid_of(vm, element)?.cells(), is_enough)
            }
        }
    }

    fn of_object<'a>(vm: &mut Vm<'a>, object: &Object<'a>) -> Maybe<Histogram> {
        match object.colours {
            Colours::One(colour) => {
                let mut histogram = Histogram::empty();
                histogram.push(colour, object.patch.len() as u32)?;
                Ok(histogram)
            }
            Colours::Each(each) => {
                if let Some(mut table) = table_of(each) {
                    // The box has zeros where the object has no cell.
                    table[0] -= (each.len() - object.patch.len()) as u32;
                    return Histogram::of_table(&table);
                }
                let cells = object.patch.cells();
                let colours = cells.map(|(i, j)| object.colour_at(i, j));
                Histogram::of_cells(vm.arena.alloc_slice_fill_iter(colours))
            }
        }
    }

    /// Counts the colours of a set of cells, some of which share a place.
    fn of_set<'a>(vm: &Vm<'a>, items: &[Val<'a>]) -> Maybe<Histogram> {
        let mut colours = List::with_capacity_in(items.len(), vm.arena);
        for item in items {
            colours.push(item.as_cell().ok_or(EXACT)?.0);
        }
        Histogram::of_cells(&colours)
    }

    fn empty() -> Histogram {
        Histogram {
            counts: [(0, 0); 16],
            n_colours: 0,
        }
    }

    /// Adds a colour. More colours than grids have are left to the reference engine.
    fn push(&mut self, colour: i8, n: u32) -> Maybe<()> {
        *self.counts.get_mut(self.n_colours).ok_or(EXACT)? = (colour, n);
        self.n_colours += 1;
        Ok(())
    }

    fn of_cells(cells: &[i8]) -> Maybe<Histogram> {
        match table_of(cells) {
            Some(table) => Histogram::of_table(&table),
            None => Histogram::of_cells_until(cells, |_, _| false),
        }
    }

    fn of_table(table: &[u32; TABLE]) -> Maybe<Histogram> {
        let mut histogram = Histogram::empty();
        for (colour, n) in (0..).zip(table).filter(|(_, n)| **n > 0) {
            histogram.push(colour, *n)?;
        }
        Ok(histogram)
    }

    /// Counts any colours, one after the other, which the compiler turns into wide comparisons.
    /// Ends early if `is_enough` holds for the count of the most frequent colour so far and the
    /// number of cells of other colours.
    fn of_cells_until(cells: &[i8], is_enough: impl Fn(u32, u32) -> bool) -> Maybe<Histogram> {
        let (mut histogram, mut n_left) = (Histogram::empty(), cells.len() as u32);
        let mut most = 0;
        for colour in (0..=9).chain(i8::MIN..=-1).chain(10..=i8::MAX) {
            if n_left == 0 || is_enough(most, n_left) {
                break;
            }
            let n = occurrences_of(cells, colour);
            if n > 0 {
                histogram.push(colour, n)?;
                n_left -= n;
                most = most.max(n);
            }
        }
        histogram.counts[..histogram.n_colours].sort_unstable();
        Ok(histogram)
    }

    fn counts(&self) -> &[(i8, u32)] {
        &self.counts[..self.n_colours]
    }

    fn count(&self, colour: i64) -> u32 {
        let found = self.counts().iter().find(|(v, _)| i64::from(*v) == colour);
        found.map_or(0, |(_, n)| *n)
    }
}

/// Colours below 16, all those of grids among them, are counted in one pass.
const TABLE: usize = 16;

/// The count of each small colour, if there are no other colours. Four tables take turns: a counter
/// that was just written has to be waited for, and neighbours are often alike.
fn table_of(cells: &[i8]) -> Option<[u32; TABLE]> {
    let mut tables = [[0u32; TABLE]; 4];
    let mut bits = 0;
    let mut count = |table: &mut [u32; TABLE], colour: i8| {
        bits |= colour;
        table[colour as usize % TABLE] += 1;
    };
    let blocks = cells.chunks_exact(tables.len());
    for colour in blocks.remainder() {
        count(&mut tables[0], *colour);
    }
    for block in blocks {
        for (table, colour) in tables.iter_mut().zip(block) {
            count(table, *colour);
        }
    }
    let sum = |k: usize| tables.iter().map(|table| table[k]).sum();
    (bits & !(TABLE as i8 - 1) == 0).then(|| std::array::from_fn(sum))
}

/// Counts in blocks of at most 255 cells, so that a byte can hold each count, and of whole vectors.
fn occurrences_of(cells: &[i8], colour: i8) -> u32 {
    let in_block = |block: &[i8]| block.iter().map(|v| u8::from(*v == colour)).sum::<u8>();
    cells
        .chunks(240)
        .map(|block| u32::from(in_block(block)))
        .sum()
}

/// The colour with the largest or smallest count; among equals, the first in CPython's set.
fn by_count<'a>(vm: &mut Vm<'a>, element: &Val<'a>, wanted: Ordering) -> Maybe<i8> {
    let histogram = match wanted {
        Ordering::Greater => Histogram::of_most(vm, element)?,
        _ => Histogram::of(vm, element)?,
    };
    let (mut best, mut is_tied) = ((0, 0), false);
    for (k, &(colour, n)) in histogram.counts().iter().enumerate() {
        let found = if k == 0 { wanted } else { n.cmp(&best.1) };
        if found == wanted {
            (best, is_tied) = ((colour, n), false);
        } else if found == Ordering::Equal {
            is_tied = true;
        }
    }
    if !is_tied {
        return Ok(best.0);
    }
    let colours = vm.colours_in_order(element).ok_or(EXACT)?;
    let is_best = |colour: &i8| histogram.count(i64::from(*colour)) == best.1;
    colours.into_iter().find(is_best).ok_or(EXACT)
}

/// The most frequent colour, as a number.
pub(super) fn most_frequent<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> Maybe<i8> {
    by_count(vm, element, Ordering::Greater)
}

pub(crate) fn mostcolor<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    if element.len() == Some(0) {
        return fault(Fault::ValueError);
    }
    Ok(Val::Int(i64::from(most_frequent(vm, element)?)))
}
pub(crate) fn leastcolor<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    if element.len() == Some(0) {
        return fault(Fault::ValueError);
    }
    Ok(Val::Int(i64::from(by_count(vm, element, Ordering::Less)?)))
}

pub(crate) fn colorcount<'a>(vm: &mut Vm<'a>, element: &Val<'a>, value: &Val<'a>) -> R<'a> {
    if element.len() == Some(0) {
        return Ok(Val::Int(0));
    }
    let histogram = match element {
        Val::Grid(_) | Val::Object(_) => None,
        _ => Some(Histogram::of(vm, element)?),
    };
    let colour = match value {
        Val::None | Val::Pair(..) => return Ok(Val::Int(0)),
        _ => value.as_int().ok_or(EXACT)?,
    };
    let n = match (element, i8::try_from(colour)) {
        (Val::Grid(grid), Ok(colour)) => occurrences_of(grid.cells(), colour),
        (Val::Object(object), Ok(colour)) => cells_of_colour(object, colour),
        _ => histogram.map_or(0, |histogram| histogram.count(colour)),
    };
    Ok(Val::Int(i64::from(n)))
}

/// The number of an object's cells of a colour.
fn cells_of_colour(object: &Object<'_>, colour: i8) -> u32 {
    let n_cells = object.patch.len();
    match object.colours {
        Colours::One(only) if only == colour => n_cells as u32,
        Colours::One(_) => 0,
        // The box has zeros where the object has no cell.
        Colours::Each(each) if colour == 0 => {
            occurrences_of(each, 0) - (each.len() - n_cells) as u32
        }
        Colours::Each(each) => occurrences_of(each, colour),
    }
}

pub(crate) fn colorfilter<'a>(vm: &mut Vm<'a>, objs: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let items = match objs {
        Val::Set(items) | Val::Tuple(items) => items,
        _ => return Err(EXACT),
    };
    let wanted = match value {
        Val::Int(v) => *v,
        _ => return Err(EXACT),
    };
    let mut kept = List::with_capacity_in(items.len(), vm.arena);
    for item in items.iter() {
        let Val::Object(object) = item else {
            return Err(EXACT);
        };
        if first_colour(vm, item, object, Some(wanted))? == wanted {
            kept.push(*item);
        }
    }
    part_of(vm, objs, &kept)
}

/// The colour of the first cell. The kernel works out which cell is first only if the wanted colour
/// occurs at all.
fn first_colour<'a>(
    vm: &mut Vm<'a>,
    obj: &Val<'a>,
    object: &Object<'a>,
    asked: Option<i64>,
) -> Maybe<i64> {
    match object.colours {
        Colours::One(only) => Ok(i64::from(only)),
        Colours::Each(_) => {
            let occurs = |asked: i64| object.cells().any(|(v, ..)| i64::from(v) == asked);
            if let Some(asked) = asked
                && !occurs(asked)
            {
                return Ok(asked.wrapping_add(1));
            }
            match vm.in_order(obj).ok_or(EXACT)?.first() {
                Some(Val::Cell(cell) | Val::Triple(cell)) => Ok(i64::from(cell.get().0)),
                _ => Err(EXACT),
            }
        }
    }
}

/// The distinct colours, in the order in which they come.
pub(in crate::vm) fn distinct_colours<'a>(colours: impl Iterator<Item = i8>) -> Vec<Val<'a>> {
    let (mut seen, mut numbers) = ([0u128; 2], Vec::new());
    for colour in colours {
        let (half, bit) = (usize::from(colour < 0), 1u128 << (colour & 127));
        if seen[half] & bit == 0 {
            seen[half] |= bit;
            numbers.push(Val::Int(i64::from(colour)));
        }
    }
    numbers
}

/// The colour at a rank by its count, from the most frequent on; among equals, the first that comes
/// is first. `None` if there are fewer colours.
pub(super) fn colour_by_rank<'a>(
    vm: &mut Vm<'a>,
    element: &Val<'a>,
    rank: &Val<'a>,
) -> Maybe<Option<Val<'a>>> {
    if element.len() == Some(0) {
        return match rank {
            Val::Int(_) => Ok(None),
            _ => Err(EXACT),
        };
    }
    let histogram = Histogram::of(vm, element)?;
    let mut counts: Vec<(i8, u32)> = histogram.counts().to_vec();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    if counts.windows(2).any(|pair| pair[0].1 == pair[1].1) {
        let met: Vec<Val<'a>> = match element {
            Val::Object(_) | Val::Set(_) => {
                let cells = vm.in_order(element).ok_or(EXACT)?;
                distinct_colours(cells.iter().filter_map(Val::as_cell).map(|(v, ..)| v))
            }
            _ => distinct_colours(grid_of(vm, element)?.cells().iter().copied()),
        };
        let place = |colour: i8| met.iter().position(|v| v.as_int() == Some(colour.into()));
        counts.sort_by_key(|(colour, n)| (std::cmp::Reverse(*n), place(*colour)));
    }
    let colours = counts.iter().map(|(v, _)| Val::Int(i64::from(*v)));
    let ranked = Val::tuple(vm.arena, vm.arena.alloc_slice_fill_iter(colours));
    let place = place_at_rank(&ranked, rank)?;
    Ok(place.map(|place| Val::Int(i64::from(counts[place].0))))
}

pub(crate) fn palette<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    if element.len() == Some(0) || n_empty_rows(element).is_some() {
        return Ok(Val::empty_set());
    }
    let histogram = Histogram::of(vm, element)?;
    let numbers = histogram
        .counts()
        .iter()
        .map(|(v, _)| Val::Int(i64::from(*v)));
    let numbers = vm.arena.alloc_slice_fill_iter(numbers);
    let made = Made::by(vm.arena, Recipe::Palette(*element));
    Ok(Val::Set(Items::of(vm.arena, numbers, made)))
}

pub(crate) fn numcolors<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    if element.len() == Some(0) {
        return Ok(Val::Int(0));
    }
    let histogram = Histogram::of(vm, element)?;
    Ok(Val::Int(histogram.n_colours as i64))
}

pub(crate) fn color<'a>(vm: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    match obj {
        Val::Object(object) => Ok(Val::Int(first_colour(vm, obj, object, None)?)),
        Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) if obj.len() != Some(0) => {
            let first = match obj {
                Val::Two(two) => Some(&two.0),
                _ => vm.in_order(obj).and_then(|items| items.first()),
            };
            match first {
                Some(Val::Cell(cell) | Val::Triple(cell)) => Ok(Val::Int(i64::from(cell.get().0))),
                Some(Val::Pair(pair)) => Ok(Val::Int(pair.get().0)),
                _ => Err(EXACT),
            }
        }
        _ if obj.is_empty_set() => fault(Fault::StopIteration),
        _ => Err(EXACT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_colour_is_known_before_all_are_counted() {
        for seed in 0..400u64 {
            let n_cells = (seed * seed % 700 + 1) as usize;
            let mut state = seed;
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(seed | 1);
                (state >> 40) as i8
            };
            let cells: Vec<i8> = (0..n_cells)
                .map(|_| next() % [3, 10, 4][seed as usize % 3] % [2, 10][seed as usize % 2])
                .collect();
            for colour in -3..10 {
                let n = cells.iter().filter(|v| **v == colour).count();
                assert_eq!(occurrences_of(&cells, colour) as usize, n);
            }
            let all = Histogram::of_cells(&cells).ok();
            let some = Histogram::of_cells_until(&cells, |most, n_left| most > n_left).ok();
            let (Some(all), Some(some)) = (all, some) else {
                continue;
            };
            let best = |histogram: &Histogram| {
                let most = histogram.counts().iter().map(|(_, n)| *n).max();
                let best = histogram.counts().iter().filter(|(_, n)| Some(*n) == most);
                best.copied().collect::<Vec<_>>()
            };
            assert_eq!(best(&all), best(&some));
        }
    }

    #[test]
    fn colours_are_counted_alike_in_tables_and_in_passes() {
        let mut n_tables = 0;
        for n in 0..3_000usize {
            let most = [3, 10, 16, 17, 40][n % 5];
            let random = |k: usize| (k + 1).wrapping_mul(n + 3).wrapping_mul(0x9e37_79b9) >> 11;
            let cells: Vec<i8> = (0..n * 7 % 1_000)
                .map(|k| (random(k) % most) as i8 - i8::from(n % 7 == 0))
                .collect();
            let by_passes = Histogram::of_cells_until(&cells, |_, _| false);
            n_tables += usize::from(table_of(&cells).is_some());
            match (Histogram::of_cells(&cells), &by_passes) {
                (Ok(a), Ok(b)) => assert_eq!(a.counts(), b.counts()),
                (a, b) => assert!(a.is_err() && b.is_err()),
            }
        }
        assert!(n_tables > 1_000, "{n_tables}");
    }
}
