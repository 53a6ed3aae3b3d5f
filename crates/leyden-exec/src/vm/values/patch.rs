//! Sets of locations as rows of bits with a floating origin: a move adds to the origin.

mod bits;
mod canvas;
mod overlap;

pub(crate) use bits::{Cells, for_each_bit, shift_bits};
pub(crate) use canvas::{Canvas, extent};

use bits::n_bits;

use std::cmp::Ordering;

use crate::vm::order::provenance::Made;
use crate::vm::values::value::Arena;

/// The widest patch, the number of bits of a row.
pub(crate) const MAX_WIDTH: i64 = 128;
/// The tallest patch, 16 KiB of rows; taller sets are kept as lists of elements.
pub(crate) const MAX_HEIGHT: i64 = 1024;
/// The largest coordinate of a patch. Sums of two still fit the 28 bits that a cell has for each.
pub(crate) const MAX_COORDINATE: i64 = 1 << 20;

/// The bits of counts that are made for 64 vectors at once, hence patches of fewer than 64 places.
/// Without such counts, own tasks take 2 % more instructions.
pub(crate) const COUNT_BITS: usize = 6;

/// Lines take their rows from these tables.
static COLUMN: [u128; MAX_HEIGHT as usize] = [1; MAX_HEIGHT as usize];
static FALLING: [u128; MAX_WIDTH as usize] = single_bits(false);
static RISING: [u128; MAX_WIDTH as usize] = single_bits(true);

/// A single bit in each row, one column further right or left from row to row.
const fn single_bits(back: bool) -> [u128; MAX_WIDTH as usize] {
    let mut rows = [0; MAX_WIDTH as usize];
    let mut r = 0;
    while r < rows.len() {
        rows[r] = 1 << if back { rows.len() - 1 - r } else { r };
        r += 1;
    }
    rows
}

/// A non-empty set of locations `(i, j)`, tight in its bounding box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch<'a> {
    top: i32,
    left: i32,
    width: u8,
    len: u32,
    rows: &'a [u128],
    pub(crate) made: Made<'a>,
}

impl<'a> Patch<'a> {
    /// The patch of these bits: bit `k` of row `r` stands for `(top + r, left + k)`. `None` if
    /// there are no bits or the window does not fit.
    pub(crate) fn trimmed(top: i64, left: i64, rows: &'a mut [u128]) -> Option<Patch<'a>> {
        let first = rows.iter().position(|row| *row != 0)?;
        let last = rows.iter().rposition(|row| *row != 0)?;
        let rows = &mut rows[first..=last];
        let union = rows.iter().fold(0, |union, row| union | row);
        let skip = union.trailing_zeros();
        let width = 128 - skip - union.leading_zeros();
        match skip {
            0 => {}
            // Half of the row is enough for most patches.
            _ if union >> 64 == 0 => {
                let shift = |row: &mut u128| *row = u128::from(*row as u64 >> skip);
                rows.iter_mut().for_each(shift);
            }
            _ => rows.iter_mut().for_each(|row| *row >>= skip),
        }
        Self::tight(
            top + first as i64,
            left + i64::from(skip),
            width as u8,
            rows,
        )
    }

    /// Like [`Patch::trimmed`], for rows that stay unchanged.
    #[cfg(test)]
    pub(crate) fn from_rows(
        arena: Arena<'a>,
        top: i64,
        left: i64,
        rows: &[u128],
    ) -> Option<Patch<'a>> {
        Self::trimmed(top, left, arena.alloc_slice_copy(rows))
    }

    /// The patch of rows that are tight and not empty.
    pub(crate) fn tight(top: i64, left: i64, width: u8, rows: &'a [u128]) -> Option<Patch<'a>> {
        let len = match width {
            0..=64 => n_bits(width, rows.iter().map(|row| *row as u64)),
            _ => rows.iter().map(|row| row.count_ones()).sum::<u32>(),
        };
        Self::counted(top, left, width, len, rows)
    }

    /// The patch of tight rows with `len` bits.
    #[inline]
    pub(crate) fn counted(
        top: i64,
        left: i64,
        width: u8,
        len: u32,
        rows: &'a [u128],
    ) -> Option<Patch<'a>> {
        if rows.len() as i64 > MAX_HEIGHT {
            return None;
        }
        Some(Patch {
            top: coordinate(top)?,
            left: coordinate(left)?,
            width,
            len,
            rows,
            made: Made::Somehow,
        })
    }

    /// The full rectangle with this corner and size.
    pub(crate) fn rectangle(
        arena: Arena<'a>,
        top: i64,
        left: i64,
        height: i64,
        width: i64,
    ) -> Option<Patch<'a>> {
        if !(1..=MAX_WIDTH).contains(&width) || !(1..=MAX_HEIGHT).contains(&height) {
            return None;
        }
        let rows = match width {
            1 => &COLUMN[..height as usize],
            _ => arena.alloc_slice_fill_copy(height as usize, u128::MAX >> (128 - width)),
        };
        Some(Patch {
            top: coordinate(top)?,
            left: coordinate(left)?,
            width: width as u8,
            len: (height * width) as u32,
            rows,
            made: Made::Somehow,
        })
    }

    /// The diagonal of a square with this corner and size, from its upper left or upper right
    /// corner.
    pub(crate) fn diagonal(top: i64, left: i64, size: i64, falls: bool) -> Option<Patch<'a>> {
        if !(1..=MAX_WIDTH).contains(&size) {
            return None;
        }
        let n = size as usize;
        Some(Patch {
            top: coordinate(top)?,
            left: coordinate(left)?,
            width: size as u8,
            len: size as u32,
            rows: if falls {
                &FALLING[..n]
            } else {
                &RISING[RISING.len() - n..]
            },
            made: Made::Somehow,
        })
    }

    /// The patch of one location.
    pub(crate) fn single(i: i64, j: i64) -> Option<Patch<'a>> {
        Some(Patch {
            top: coordinate(i)?,
            left: coordinate(j)?,
            width: 1,
            len: 1,
            rows: &[1],
            made: Made::Somehow,
        })
    }

    /// The patch of these locations; `None` if there are none or they lie too far apart.
    pub(crate) fn from_cells(
        arena: Arena<'a>,
        cells: impl Iterator<Item = (i64, i64)> + Clone,
    ) -> Option<Patch<'a>> {
        let (top, left, height, width) = extent(cells.clone())?;
        let mut canvas = Canvas::new(arena, top, left, height, width)?;
        // Half of the row is enough for most patches.
        if width <= 64 {
            cells.for_each(|(i, j)| {
                canvas.rows[(i - top) as usize] |= u128::from(1u64 << (j - left));
            })
        } else {
            cells.for_each(|(i, j)| canvas.set(i, j))
        }
        canvas.finish()
    }

    /// This patch with another provenance.
    #[inline]
    pub(crate) fn made(&self, made: Made<'a>) -> Patch<'a> {
        Patch { made, ..*self }
    }

    pub(crate) fn top(&self) -> i64 {
        i64::from(self.top)
    }
    pub(crate) fn left(&self) -> i64 {
        i64::from(self.left)
    }
    pub(crate) fn height(&self) -> i64 {
        self.rows.len() as i64
    }
    pub(crate) fn width(&self) -> i64 {
        i64::from(self.width)
    }
    pub(crate) fn bottom(&self) -> i64 {
        self.top() + self.height() - 1
    }
    pub(crate) fn right(&self) -> i64 {
        self.left() + self.width() - 1
    }
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }
    pub(crate) fn rows(&self) -> &'a [u128] {
        self.rows
    }
    pub(crate) fn is_rectangle(&self) -> bool {
        self.len() as i64 == self.height() * self.width()
    }

    /// The row of bits at `i`, with bit 0 at column `left`.
    #[inline]
    pub(crate) fn row_at(&self, i: i64, left: i64) -> u128 {
        let Some(row) = usize::try_from(i - self.top())
            .ok()
            .and_then(|r| self.rows.get(r))
        else {
            return 0;
        };
        shift_bits(*row, self.left() - left)
    }

    pub(crate) fn contains(&self, i: i64, j: i64) -> bool {
        let (r, k) = (i - self.top(), j - self.left());
        (0..self.height()).contains(&r)
            && (0..self.width()).contains(&k)
            && self.rows[r as usize] >> k & 1 == 1
    }

    /// All locations, row by row.
    #[inline]
    pub(crate) fn cells(&self) -> Cells<'a> {
        let (first, rest) = match self.rows {
            [first, rest @ ..] => (*first, rest),
            [] => (0, &[][..]),
        };
        Cells {
            rest,
            i: self.top(),
            left: self.left(),
            bits: first,
            n_left: self.len(),
        }
    }

    /// This patch, moved.
    #[inline]
    pub(crate) fn moved(&self, di: i64, dj: i64) -> Option<Patch<'a>> {
        let top = coordinate(self.top().checked_add(di)?)?;
        let left = coordinate(self.left().checked_add(dj)?)?;
        Some(Patch {
            top,
            left,
            made: Made::Somehow,
            ..*self
        })
    }

    /// Top and bottom exchanged within the bounding box.
    pub(crate) fn upside_down(&self, arena: Arena<'a>) -> Patch<'a> {
        Patch {
            rows: arena.alloc_slice_fill_iter(self.rows.iter().rev().copied()),
            made: Made::Somehow,
            ..*self
        }
    }

    /// Left and right exchanged within the bounding box.
    pub(crate) fn left_right(&self, arena: Arena<'a>) -> Patch<'a> {
        let unused = 128 - u32::from(self.width);
        let rows = self.rows.iter();
        // Half of the row is enough for most patches.
        let rows = if unused < 64 {
            arena.alloc_slice_fill_iter(rows.map(|row| row.reverse_bits() >> unused))
        } else {
            arena.alloc_slice_fill_iter(
                rows.map(|row| u128::from((*row as u64).reverse_bits() >> (unused - 64))),
            )
        };
        Patch {
            rows,
            made: Made::Somehow,
            ..*self
        }
    }

    /// Rows and columns exchanged; the upper left corner stays.
    pub(crate) fn transposed(&self, arena: Arena<'a>) -> Option<Patch<'a>> {
        if self.height() > MAX_WIDTH {
            return None;
        }
        let rows = arena.alloc_slice_fill_copy(usize::from(self.width), 0u128);
        for (r, &row) in self.rows.iter().enumerate() {
            let bit = 1 << r;
            for_each_bit(row, |k| rows[k] |= bit);
        }
        let height = self.rows.len() as u8;
        Self::counted(self.top(), self.left(), height, self.len, rows)
    }

    /// The missing places of the bounding box; `None` if there are none.
    pub(crate) fn rest_of_box(&self, arena: Arena<'a>) -> Option<Patch<'a>> {
        let full = u128::MAX >> (128 - self.width());
        let rows = self.rows.iter().map(|row| row ^ full);
        Self::trimmed(self.top(), self.left(), arena.alloc_slice_fill_iter(rows))
    }

    /// Which columns are occupied, bit 0 being the leftmost.
    pub(crate) fn columns(&self) -> u128 {
        self.rows.iter().fold(0, |union, row| union | row)
    }
}

impl Patch<'_> {
    /// A number that sorts as upper left corners do.
    #[inline]
    pub(crate) fn corner_key(&self) -> u64 {
        let biased = |k: i32| u64::from(k as u32 ^ 1 << 31);
        biased(self.top) << 32 | biased(self.left)
    }

    /// A number that sorts as patches do, except among patches with one box and size.
    pub(crate) fn sort_key(&self) -> u128 {
        let biased = |k: i32| u128::from(k as u32 ^ 1 << 31);
        biased(self.top) << 96
            | biased(self.left) << 64
            | u128::from(self.width) << 32
            | u128::from(self.len)
    }
}

impl PartialEq for Patch<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.top, self.left, self.width, self.len)
            == (other.top, other.left, other.width, other.len)
            && self.rows == other.rows
    }
}

impl Eq for Patch<'_> {}

impl Ord for Patch<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.top, self.left, self.width, self.len)
            .cmp(&(other.top, other.left, other.width, other.len))
            .then_with(|| self.rows.cmp(other.rows))
    }
}

impl PartialOrd for Patch<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[inline]
fn coordinate(value: i64) -> Option<i32> {
    (-MAX_COORDINATE..=MAX_COORDINATE)
        .contains(&value)
        .then_some(value as i32)
}

#[cfg(test)]
mod tests;
