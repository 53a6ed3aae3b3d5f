//! Finds the earlier neighbours of each cell that belong to its object, 64 cells at a time.
//!
//! The code compares cells eight at a time and gets a bit for each; the rest of the work is only
//! for set bits. Most cells take the label of one neighbour. Only where two neighbours meet whose
//! objects may differ so far is there anything to unite.

use leyden_grid::Grid;

use super::{ABSENT, Rule};

/// Memory for a row and a cell before the first.
const MARGIN: usize = 32;
/// The number of words of 64 cells for the largest grid.
const N_WORDS: usize = 15;
const N_BYTES: usize = MARGIN + N_WORDS * 64;
/// The byte in the margin, which is not a colour. It is below 128, as [`equal_bytes`] requires.
const OUTSIDE: u8 = 0x7f;

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = LOW_BITS << 7;

/// Labels one grid after the other in one piece of memory.
pub(super) struct Labeller {
    /// The cells after a margin, then leftovers of earlier grids.
    cells: [u8; N_BYTES],
    width: usize,
    /// The cells of the first column, and of the last.
    first_column: [u64; N_WORDS],
    last_column: [u64; N_WORDS],
    /// The cells that may not yet have the label of their object.
    loose: [u64; N_WORDS],
}

/// For each of 64 cells, whether it belongs together with an earlier neighbour.
#[derive(Clone, Copy, Default)]
struct Joins {
    left: u64,
    up: u64,
    up_left: u64,
    up_right: u64,
}

impl Default for Labeller {
    fn default() -> Self {
        Labeller {
            cells: [OUTSIDE; N_BYTES],
            width: 0,
            first_column: [0; N_WORDS],
            last_column: [0; N_WORDS],
            loose: [0; N_WORDS],
        }
    }
}

impl Labeller {
    /// Writes the labels of a grid.
    pub(super) fn label(
        &mut self,
        grid: &Grid,
        background: Option<u8>,
        rule: Rule,
        labels: &mut [u16],
    ) {
        match (rule.univalued, background) {
            (false, None) => return labels.fill(0),
            (true, _) => self.copy(grid.cells()),
            (false, Some(absent)) => self.mark(grid.cells(), absent),
        }
        number(grid.cells(), background, labels);
        self.set_width(grid.width());
        match (rule.univalued, rule.diagonal) {
            (false, false) => self.join::<false, false>(background, labels),
            (false, true) => self.join::<false, true>(background, labels),
            (true, false) => self.join::<true, false>(background, labels),
            (true, true) => self.join::<true, true>(background, labels),
        }
    }

    fn copy(&mut self, cells: &[u8]) {
        self.cells[MARGIN..MARGIN + cells.len()].copy_from_slice(cells);
    }

    /// Writes one for each cell that is present.
    fn mark(&mut self, cells: &[u8], absent: u8) {
        for (mark, cell) in self.cells[MARGIN..].iter_mut().zip(cells) {
            *mark = u8::from(*cell != absent);
        }
    }

    fn set_width(&mut self, width: usize) {
        if width == self.width {
            return;
        }
        self.width = width;
        (self.first_column, self.last_column) = ([0; N_WORDS], [0; N_WORDS]);
        for k in (0..N_WORDS * 64).step_by(width) {
            self.first_column[k / 64] |= 1 << (k % 64);
        }
        for k in (width - 1..N_WORDS * 64).step_by(width) {
            self.last_column[k / 64] |= 1 << (k % 64);
        }
    }

    fn join<const UNIVALUED: bool, const DIAGONAL: bool>(
        &mut self,
        background: Option<u8>,
        labels: &mut [u16],
    ) {
        let n_words = labels.len().div_ceil(64);
        self.loose[..n_words].fill(0);
        let mut marks = [0; 2];
        for word in 0..n_words {
            let rest = labels.len() - word * 64;
            let inside = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
            let joins = if UNIVALUED {
                self.equal_cells::<DIAGONAL>(word, background, inside)
            } else {
                marks = [marks[1], self.marks(word) & inside];
                joins_of_marks(marks, self.width)
            };
            let joins = self.within_rows(word, joins);
            self.join_word::<DIAGONAL>(word, joins, labels);
        }
        self.settle(n_words, labels);
    }

    fn within_rows(&self, word: usize, joins: Joins) -> Joins {
        Joins {
            left: joins.left & !self.first_column[word],
            up_left: joins.up_left & !self.first_column[word],
            up_right: joins.up_right & !self.last_column[word],
            up: joins.up,
        }
    }

    /// Gives every cell the label of a neighbour. If it has two whose objects may not be joined
    /// yet, unites them.
    fn join_word<const DIAGONAL: bool>(&mut self, word: usize, joins: Joins, labels: &mut [u16]) {
        let (width, base) = (self.width, word * 64);
        let Joins {
            left,
            up,
            up_left,
            up_right,
        } = joins;
        let (joined, twice) = if DIAGONAL {
            (
                left | up | up_left | up_right,
                !up & up_right & (left | up_left),
            )
        } else {
            (left | up, left & up & !up_left)
        };
        for bit in ones(joined) {
            let has = |mask: u64| mask >> bit & 1 != 0;
            let mut back = if has(left) { 1 } else { width };
            if DIAGONAL {
                let aslant = if has(up_left) { width + 1 } else { width - 1 };
                back = if has(up | left) { back } else { aslant };
            }
            labels[base + bit] = labels[base + bit - back];
        }
        self.loose[word] |= joined;
        for bit in ones(twice) {
            let k = base + bit;
            let (one, other) = if DIAGONAL {
                (k, k - width + 1)
            } else {
                (k - 1, k - width)
            };
            self.unite(labels, one, other);
        }
    }

    fn unite(&mut self, labels: &mut [u16], one: usize, other: usize) {
        let (one, other) = (root(labels, one), root(labels, other));
        let (first, later) = (one.min(other), one.max(other));
        labels[later] = first as u16;
        self.loose[later / 64] |= 1 << (later % 64);
    }

    /// Resolves loose cells. A label never comes after its cell, so one pass from the first is
    /// enough.
    fn settle(&self, n_words: usize, labels: &mut [u16]) {
        for (word, loose) in self.loose[..n_words].iter().enumerate() {
            for bit in ones(*loose) {
                let k = word * 64 + bit;
                labels[k] = labels[usize::from(labels[k])];
            }
        }
    }

    fn eight(&self, at: usize) -> u64 {
        let bytes = self.cells[at..].first_chunk().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    }

    /// A bit for each cell that equals the cell `back` places before it.
    fn equal_back(&self, word: usize, back: usize) -> u64 {
        let at = MARGIN + word * 64;
        let bits = |k: usize| equal_bytes(self.eight(at + 8 * k), self.eight(at + 8 * k - back));
        (0..8).fold(0, |all, k| all | bits(k) << (8 * k))
    }

    fn equal_cells<const DIAGONAL: bool>(
        &self,
        word: usize,
        background: Option<u8>,
        inside: u64,
    ) -> Joins {
        let present = match background {
            Some(absent) => inside & !self.equal_to(word, absent),
            None => inside,
        };
        let back = |back: usize| present & self.equal_back(word, back);
        Joins {
            left: back(1),
            up: back(self.width),
            up_left: back(self.width + 1),
            up_right: if DIAGONAL { back(self.width - 1) } else { 0 },
        }
    }

    fn equal_to(&self, word: usize, colour: u8) -> u64 {
        let all = LOW_BITS * u64::from(colour);
        let at = MARGIN + word * 64;
        (0..8).fold(0, |bits, k| {
            bits | equal_bytes(self.eight(at + 8 * k), all) << (8 * k)
        })
    }

    /// The marks of 64 cells as bits. Bits after the last cell mean nothing.
    fn marks(&self, word: usize) -> u64 {
        let at = MARGIN + word * 64;
        let bits = |k: usize| low_bits_of_bytes(self.eight(at + 8 * k) & LOW_BITS);
        (0..8).fold(0, |all, k| all | bits(k) << (8 * k))
    }
}

/// The marks of the cells `back` places before, from the last two words.
fn marks_back([before, here]: [u64; 2], back: usize) -> u64 {
    here << back | before >> 1 >> (63 - back)
}

fn joins_of_marks(marks: [u64; 2], width: usize) -> Joins {
    let back = |back: usize| marks[1] & marks_back(marks, back);
    Joins {
        left: back(1),
        up: back(width),
        up_left: back(width + 1),
        up_right: back(width - 1),
    }
}

/// Starts with every cell as a separate object.
fn number(cells: &[u8], background: Option<u8>, labels: &mut [u16]) {
    let absent = background.unwrap_or(OUTSIDE);
    for (k, (label, cell)) in labels.iter_mut().zip(cells).enumerate() {
        *label = if *cell == absent { ABSENT } else { k as u16 };
    }
}

fn root(labels: &mut [u16], mut k: usize) -> usize {
    loop {
        let parent = usize::from(labels[k]);
        if parent == k {
            return k;
        }
        labels[k] = labels[parent];
        k = parent;
    }
}

/// The indices of set bits, from the lowest.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lowest < 64).then_some(lowest)
    })
}

/// A bit for each of eight bytes below 128 that are equal.
fn equal_bytes(a: u64, b: u64) -> u64 {
    let differs = ((a ^ b) + (HIGH_BITS - LOW_BITS)) & HIGH_BITS;
    low_bits_of_bytes((differs ^ HIGH_BITS) >> 7)
}

/// Packs the lowest bits of eight bytes that have no other bits.
fn low_bits_of_bytes(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}
