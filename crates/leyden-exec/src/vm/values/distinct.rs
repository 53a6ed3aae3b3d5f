//! Finds copies among many values without sorting them.

use crate::vm::values::arena::CellForm;
use crate::vm::values::patch::Patch;
use crate::vm::values::value::Val;
use crate::vm::values::word::PairWord;

/// The number of colours that have a board.
const N_COLOURS: usize = 10;
/// The largest board, 128 KiB, and its bits for each value. Without boards, batteries take 0.5 % more
/// instructions.
const MAX_BITS: usize = 1 << 20;
const MAX_BITS_PER_VALUE: usize = 1 << 9;

/// Locations or cells as bits: one board for each colour, one for locations.
pub(crate) struct Board {
    top: i64,
    left: i64,
    height: usize,
    width: usize,
    /// The form of the cells, if it is a board for cells.
    form: Option<CellForm>,
    bits: Vec<u64>,
}

impl Board {
    /// An empty board with room for these values, if they are all cells or all locations, many
    /// and close together.
    pub(crate) fn around(values: &[Val<'_>]) -> Option<Board> {
        if values.len() < 16 {
            return None;
        }
        let form = match values[0] {
            Val::Cell(_) => Some(CellForm::Nested),
            Val::Triple(_) => Some(CellForm::Flat),
            _ => None,
        };
        let (mut top, mut left, mut bottom, mut right) = (i64::MAX, i64::MAX, i64::MIN, i64::MIN);
        for value in values {
            let (colour, i, j) = match value {
                Val::Cell(cell) if form == Some(CellForm::Nested) => cell.get(),
                Val::Triple(cell) if form == Some(CellForm::Flat) => cell.get(),
                Val::Pair(pair) if form.is_none() => (0, pair.get().0, pair.get().1),
                _ => return None,
            };
            if !(0..N_COLOURS as i8).contains(&colour) {
                return None;
            }
            (top, bottom) = (top.min(i), bottom.max(i));
            (left, right) = (left.min(j), right.max(j));
        }
        let (height, width) = ((bottom - top + 1) as usize, (right - left + 1) as usize);
        let n_boards = if form.is_some() { N_COLOURS } else { 1 };
        let n_bits = height.checked_mul(width)?.checked_mul(n_boards)?;
        let is_dense = n_bits <= MAX_BITS && n_bits / MAX_BITS_PER_VALUE <= values.len();
        is_dense.then(|| Board {
            top,
            left,
            height,
            width,
            form,
            bits: vec![0; n_bits.div_ceil(64)],
        })
    }

    /// The number of the value's bit.
    #[inline]
    fn place(&self, value: &Val<'_>) -> usize {
        let (colour, i, j) = match value {
            Val::Cell(cell) | Val::Triple(cell) => cell.get(),
            Val::Pair(pair) => (0, pair.get().0, pair.get().1),
            _ => (0, self.top, self.left),
        };
        let row = colour as usize * self.height + (i - self.top) as usize;
        row * self.width + (j - self.left) as usize
    }

    #[inline]
    fn has(&self, value: &Val<'_>) -> bool {
        let place = self.place(value);
        self.bits[place / 64] >> (place % 64) & 1 != 0
    }

    /// Puts a value on the board. Returns whether it was missing.
    #[inline]
    pub(crate) fn put(&mut self, value: &Val<'_>) -> bool {
        let place = self.place(value);
        let (word, bit) = (&mut self.bits[place / 64], 1 << (place % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The elements of a patch that are not on the board; `None` if the patch has other values or
    /// leaves the board.
    pub(crate) fn missing_of<'a>(&self, patch: &Val<'a>) -> Option<Missing<'a>> {
        match patch {
            Val::Indices(patch) if self.form.is_none() && self.surrounds(patch) => {
                Some(self.missing(patch.cells().map(Val::place)))
            }
            Val::Object(object)
                if self.form == Some(object.form) && self.surrounds(&object.patch) =>
            {
                let cell = |cell| Val::coloured_place(object.form, cell);
                Some(self.missing(object.cells().map(cell)))
            }
            _ if patch.is_empty_set() => Some(Missing::Nothing),
            _ => None,
        }
    }

    fn missing<'a>(&self, values: impl Iterator<Item = Val<'a>>) -> Missing<'a> {
        let mut missing = values.filter(|value| !self.has(value));
        match (missing.next(), missing.next()) {
            (None, _) => Missing::Nothing,
            (Some(only), None) => Missing::Only(only),
            _ => Missing::More,
        }
    }

    fn surrounds(&self, patch: &Patch<'_>) -> bool {
        let (bottom, right) = (self.top + self.height as i64, self.left + self.width as i64);
        patch.top() >= self.top
            && patch.left() >= self.left
            && patch.bottom() < bottom
            && patch.right() < right
    }

    /// All values on the board, sorted.
    pub(crate) fn sorted<'a>(&self) -> Vec<Val<'a>> {
        let n_values: u32 = self.bits.iter().map(|word| word.count_ones()).sum();
        let mut values = Vec::with_capacity(n_values as usize);
        let (mut row, mut start) = (0, 0);
        for (k, word) in self.bits.iter().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let place = k * 64 + bits.trailing_zeros() as usize;
                while place - start >= self.width {
                    start += self.width;
                    row += 1;
                }
                values.push(self.value(row, place - start));
                bits &= bits - 1;
            }
        }
        values
    }

    fn value<'a>(&self, row: usize, column: usize) -> Val<'a> {
        let j = self.left + column as i64;
        let Some(form) = self.form else {
            return Val::Pair(PairWord::place((self.top + row as i64, j)));
        };
        let (colour, i) = (row / self.height, self.top + (row % self.height) as i64);
        Val::coloured_place(form, (colour as i8, i, j))
    }
}

/// Elements that are not on a board.
pub(crate) enum Missing<'a> {
    Nothing,
    Only(Val<'a>),
    More,
}

/// The relation of two values with one key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    Different,
    /// Drop the later one.
    Copy,
    /// They are equal, but it matters which one stays.
    Rival,
}

/// Values without copies.
pub(crate) struct Kept<'a> {
    pub(crate) values: Vec<Val<'a>>,
    /// Whether no two of them are equal.
    pub(crate) are_distinct: bool,
}

/// A table that numbers its keys.
pub(crate) struct KeyTable {
    slots: Vec<u32>,
    keys: Vec<u128>,
}

/// A slot without a key.
const VACANT: u32 = u32::MAX;

impl KeyTable {
    pub(crate) fn with_room_for(n_keys: usize) -> KeyTable {
        KeyTable {
            slots: vec![VACANT; (n_keys * 2).next_power_of_two()],
            keys: Vec::with_capacity(n_keys),
        }
    }

    /// The number of a key for which `is_it` holds, otherwise the slot for a new key.
    #[inline]
    pub(crate) fn find(
        &self,
        key: u128,
        mut is_it: impl FnMut(usize) -> bool,
    ) -> Result<usize, usize> {
        let last = self.slots.len() - 1;
        let mut slot = spread(key) as usize & last;
        while self.slots[slot] != VACANT {
            let known = self.slots[slot] as usize;
            if self.keys[known] == key && is_it(known) {
                return Ok(known);
            }
            slot = (slot + 1) & last;
        }
        Err(slot)
    }

    /// Puts the next key into its slot.
    #[inline]
    pub(crate) fn put(&mut self, key: u128, slot: usize) {
        self.slots[slot] = self.keys.len() as u32;
        self.keys.push(key);
    }
}

/// The values without later copies of earlier ones. Equal values must have equal keys.
pub(crate) fn without_copies<'a>(
    values: &[Val<'a>],
    key: impl Fn(&Val<'a>) -> u128,
    likeness: impl Fn(&Val<'a>, &Val<'a>) -> Likeness,
) -> Kept<'a> {
    let mut table = KeyTable::with_room_for(values.len());
    let mut kept = Vec::with_capacity(values.len());
    let mut are_distinct = true;
    let mut has_empty_set = false;
    for value in values {
        // There may be thousands of empty sets, because most places are not on one line.
        if value.is_empty_set() && std::mem::replace(&mut has_empty_set, true) {
            continue;
        }
        let key = key(value);
        let is_copy = |known: usize| {
            let likeness = likeness(&kept[known], value);
            are_distinct &= likeness != Likeness::Rival;
            likeness == Likeness::Copy
        };
        if let Err(slot) = table.find(key, is_copy) {
            table.put(key, slot);
            kept.push(*value);
        }
    }
    Kept {
        values: kept,
        are_distinct,
    }
}

/// A number whose low bits depend on all bits of the key.
#[inline]
fn spread(key: u128) -> u64 {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ high.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32);
    (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}
