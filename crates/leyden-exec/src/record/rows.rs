//! Rows in the making: found by number, taken in order.

use std::collections::BTreeMap;

use leyden_dsl::table::{N_PRIMITIVES, Prim};
use leyden_profile::{Histogram, N_BUCKETS, bucket_of};

use super::frames::Label;
use super::recording::{Figures, Row, RowFigures};
use super::work::N_WORKS;

/// A set of small numbers.
#[derive(Clone, Debug)]
struct Bits<const N: usize>([u64; N]);

impl<const N: usize> Bits<N> {
    const NONE: Bits<N> = Bits([0; N]);

    #[inline]
    fn insert(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    /// Empties the set and returns its numbers in order.
    fn drain(&mut self) -> impl Iterator<Item = usize> {
        let words = std::mem::replace(&mut self.0, [0; N]);
        words.into_iter().enumerate().flat_map(|(k, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * k + bit)
            })
        })
    }
}

const N_WORDS: usize = N_BUCKETS.div_ceil(64);

/// Room for all rows, twice the number of primitives and some more; a test checks that it is enough.
const MOST_ROWS: usize = 1024;

/// The number of a row. Numbers sort as their rows do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowNumber(usize);

impl RowNumber {
    pub(super) fn of(row: Row) -> RowNumber {
        RowNumber(number_of(row))
    }
}

fn number_of(row: Row) -> usize {
    let again = N_PRIMITIVES + 3;
    let of_cause = |cause: Option<Prim>| cause.map_or(0, |prim| prim as usize + 1);
    match row {
        Row::Line(Label::Prim(prim)) => prim as usize,
        Row::Line(Label::Tuple) => N_PRIMITIVES,
        Row::Line(Label::Copy) => N_PRIMITIVES + 1,
        Row::Line(Label::Call) => N_PRIMITIVES + 2,
        Row::Again(cause) => again + of_cause(cause),
        Row::Exact => again + N_PRIMITIVES + 1,
        Row::Work(work) => again + N_PRIMITIVES + 2 + work as usize,
    }
}

fn n_rows() -> usize {
    2 * N_PRIMITIVES + 5 + N_WORKS
}

#[derive(Clone, Debug)]
struct Slot {
    row: Row,
    figures: Figures,
    hit: Bits<N_WORDS>,
}

/// The rows of a task.
#[derive(Debug)]
pub(super) struct Rows {
    slots: Vec<Slot>,
    used: Bits<{ MOST_ROWS / 64 }>,
    /// By row and bucket.
    counts: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows {
            slots: Vec::new(),
            used: Bits::NONE,
            counts: Vec::new(),
        }
    }
}

impl Rows {
    #[cold]
    fn make_room(&mut self) {
        let nothing = Slot {
            row: Row::Exact,
            figures: Figures::default(),
            hit: Bits::NONE,
        };
        self.slots = vec![nothing; n_rows()];
        self.counts = vec![0; n_rows() * N_BUCKETS];
    }

    pub(super) fn add(&mut self, row: Row, figures: &Figures) {
        if self.slots.is_empty() {
            self.make_room();
        }
        let number = number_of(row);
        let slot = &mut self.slots[number];
        slot.row = row;
        slot.figures.add(figures);
        self.used.insert(number);
    }

    /// Counts a call, or several like it, in a row with figures.
    #[inline]
    pub(super) fn count(&mut self, RowNumber(row): RowNumber, ns: u64, weight: u32) {
        let bucket = usize::from(bucket_of(ns));
        self.slots[row].hit.insert(bucket);
        let count = &mut self.counts[row * N_BUCKETS + bucket];
        *count = count.saturating_add(weight);
    }

    /// The rows since the last time.
    pub(super) fn take(&mut self) -> BTreeMap<Row, RowFigures> {
        let mut used = std::mem::replace(&mut self.used, Bits::NONE);
        used.drain().map(|number| self.take_row(number)).collect()
    }

    fn take_row(&mut self, number: usize) -> (Row, RowFigures) {
        let slot = &mut self.slots[number];
        let counts = &mut self.counts[number * N_BUCKETS..][..N_BUCKETS];
        let count = |bucket: usize| (bucket as u16, std::mem::take(&mut counts[bucket]).into());
        let figures = RowFigures {
            figures: std::mem::take(&mut slot.figures),
            histogram: Histogram::from_ascending(slot.hit.drain().map(count)),
        };
        (slot.row, figures)
    }
}

#[cfg(test)]
mod tests {
    use leyden_dsl::table::ENTRIES;

    use super::super::work::Work;
    use super::*;

    fn all_rows() -> Vec<Row> {
        let prims = || ENTRIES.iter().map(|entry| entry.prim);
        let mut rows: Vec<Row> = prims().map(|prim| Row::Line(Label::Prim(prim))).collect();
        rows.extend([Label::Tuple, Label::Copy, Label::Call].map(Row::Line));
        rows.extend(prims().map(|prim| Row::Again(Some(prim))));
        rows.extend(Work::ALL.map(Row::Work));
        rows.extend([Row::Again(None), Row::Exact]);
        rows
    }

    #[test]
    fn every_row_has_a_number_of_its_own_in_the_order_of_rows() {
        let mut rows = all_rows();
        rows.sort_unstable();
        let numbers: Vec<usize> = rows.iter().map(|row| number_of(*row)).collect();
        assert_eq!(numbers, (0..n_rows()).collect::<Vec<_>>());
        assert!(n_rows() <= MOST_ROWS);
    }

    #[test]
    fn rows_are_taken_once_with_all_that_was_counted() {
        let mut rows = Rows::default();
        let line = Row::Line(Label::Tuple);
        let figures = Figures {
            calls: 3,
            ..Figures::default()
        };
        rows.add(Row::Exact, &figures);
        rows.add(line, &figures);
        for (ns, weight) in [(5, 1), (1_000_000, 2), (5, 4)] {
            rows.count(RowNumber::of(line), ns, weight);
        }
        let taken = rows.take();
        assert_eq!(
            taken.keys().copied().collect::<Vec<_>>(),
            [line, Row::Exact]
        );
        let times = [5, 5, 5, 5, 5, 1_000_000, 1_000_000];
        assert_eq!(taken[&line].histogram, times.into_iter().collect());
        assert_eq!(taken[&line].figures.calls, 3);
        assert!(rows.take().is_empty());
    }
}
