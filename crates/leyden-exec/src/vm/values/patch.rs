//! Sets of locations as row bitboards that float: moving one is adding to its origin.

use std::cmp::Ordering;

use crate::vm::order::provenance::Made;
use crate::vm::values::value::Arena;

/// The widest patch a row of bits can hold.
pub(crate) const MAX_WIDTH: i64 = 128;
/// The tallest patch kept as bits.
pub(crate) const MAX_HEIGHT: i64 = 1024;
/// Coordinates beyond this are left to the exact engine.
pub(crate) const MAX_COORDINATE: i64 = 1 << 20;

/// Counts of places that are made for many vectors at once have so many bits.
pub(crate) const COUNT_BITS: usize = 6;

/// The rows of lines are parts of these.
static COLUMN: [u128; MAX_HEIGHT as usize] = [1; MAX_HEIGHT as usize];
static FALLING: [u128; MAX_WIDTH as usize] = single_bits(false);
static RISING: [u128; MAX_WIDTH as usize] = single_bits(true);

/// A bit in each row, one column further on from row to row, or back.
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
    /// The patch of these bits, bit `k` of row `r` being `(top + r, left + k)`.
    /// `None` where there are no bits or the window does not fit.
    pub(crate) fn trimmed(top: i64, left: i64, rows: &'a mut [u128]) -> Option<Patch<'a>> {
        let first = rows.iter().position(|row| *row != 0)?;
        let last = rows.iter().rposition(|row| *row != 0)?;
        let rows = &mut rows[first..=last];
        let union = rows.iter().fold(0, |union, row| union | row);
        let skip = union.trailing_zeros();
        let width = 128 - skip - union.leading_zeros();
        match skip {
            0 => {}
            // One half of the row will do for most patches.
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

    /// The same of rows that stay as they are.
    #[cfg(test)]
    pub(crate) fn from_rows(
        arena: Arena<'a>,
        top: i64,
        left: i64,
        rows: &[u128],
    ) -> Option<Patch<'a>> {
        Self::trimmed(top, left, arena.alloc_slice_copy(rows))
    }

    /// The patch of rows that are known to be tight and not empty.
    pub(crate) fn tight(top: i64, left: i64, width: u8, rows: &'a [u128]) -> Option<Patch<'a>> {
        let len = match width {
            0..=64 => n_bits(width, rows.iter().map(|row| *row as u64)),
            _ => rows.iter().map(|row| row.count_ones()).sum::<u32>(),
        };
        Self::counted(top, left, width, len, rows)
    }

    /// The same of rows that are known to have so many bits.
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

    /// The full rectangle with that corner and size.
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

    /// The diagonal of a square with that corner and size, from its upper left or upper right corner
    /// on.
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
            rows: match falls {
                true => &FALLING[..n],
                false => &RISING[RISING.len() - n..],
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
        // One half of the row will do for most patches.
        match width <= 64 {
            true => cells.for_each(|(i, j)| {
                canvas.rows[(i - top) as usize] |= u128::from(1u64 << (j - left));
            }),
            false => cells.for_each(|(i, j)| canvas.set(i, j)),
        }
        canvas.finish()
    }

    /// The same patch, made that way.
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

    /// The same shape elsewhere.
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
        // One half of the row will do for most patches.
        let rows = match unused < 64 {
            true => arena.alloc_slice_fill_iter(rows.map(|row| row.reverse_bits() >> unused)),
            false => arena.alloc_slice_fill_iter(
                rows.map(|row| u128::from((*row as u64).reverse_bits() >> (unused - 64))),
            ),
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

    /// The places of the bounding box that it has not; `None` if it has all.
    pub(crate) fn rest_of_box(&self, arena: Arena<'a>) -> Option<Patch<'a>> {
        let full = u128::MAX >> (128 - self.width());
        let rows = self.rows.iter().map(|row| row ^ full);
        Self::trimmed(self.top(), self.left(), arena.alloc_slice_fill_iter(rows))
    }

    /// Keeps the bits that `other` has (`wanted`) or lacks; `None` where nothing is left.
    pub(crate) fn masked(
        &self,
        arena: Arena<'a>,
        other: &Patch<'_>,
        wanted: bool,
    ) -> Option<Patch<'a>> {
        let by = other.left() - self.left();
        // One half of the row will do for most patches.
        let rows = match self.width() <= 64 && (-63..=63).contains(&by) {
            true => self.masked_rows(arena, other, wanted, |row| {
                u128::from(if by < 0 {
                    (row >> -by) as u64
                } else {
                    (row as u64) << by
                })
            }),
            false => self.masked_rows(arena, other, wanted, |row| shift_bits(row, by)),
        };
        match rows {
            Some(rows) => Self::trimmed(self.top(), self.left(), rows),
            None => Some(self.made(Made::Somehow)),
        }
    }

    /// The rows of that, given those of the other patch below the same columns; none if nothing changes.
    #[inline(always)]
    fn masked_rows(
        &self,
        arena: Arena<'a>,
        other: &Patch<'_>,
        wanted: bool,
        shifted: impl Fn(u128) -> u128,
    ) -> Option<&'a mut [u128]> {
        let flip = if wanted { 0 } else { u128::MAX };
        let above = (other.top() - self.top()).clamp(0, self.height()) as usize;
        let skipped = (self.top() - other.top()).clamp(0, other.height()) as usize;
        let n_both = (self.rows.len() - above).min(other.rows.len() - skipped);
        let both = || {
            let others = other.rows[skipped..][..n_both].iter();
            let own = self.rows[above..][..n_both].iter();
            own.zip(others)
                .map(|(row, other)| row & (shifted(*other) ^ flip))
        };
        let is_same = both().eq(self.rows[above..][..n_both].iter().copied());
        if is_same && (!wanted || n_both == self.rows.len()) {
            return None;
        }
        let rows = match wanted {
            true => arena.alloc_slice_fill_copy(self.rows.len(), 0),
            false => arena.alloc_slice_copy(self.rows),
        };
        for (row, kept) in rows[above..].iter_mut().zip(both()) {
            *row = kept;
        }
        Some(rows)
    }

    /// How many places both have.
    pub(crate) fn n_common(&self, other: &Patch<'_>) -> usize {
        self.n_common_at((self.top(), self.left()), other)
    }

    /// The upper left corner of the patch moved by a vector, if it can be moved there.
    #[inline]
    pub(crate) fn corner_moved(&self, (di, dj): (i64, i64)) -> Option<(i64, i64)> {
        if di.abs().max(dj.abs()) > MAX_COORDINATE {
            return None;
        }
        let corner = (self.top() + di, self.left() + dj);
        coordinate(corner.0).and(coordinate(corner.1))?;
        Some(corner)
    }

    /// How many places another patch has of this one, were its upper left corner there.
    #[inline]
    pub(crate) fn n_common_at(&self, (top, left): (i64, i64), other: &Patch<'_>) -> usize {
        let (down, by) = (other.top() - top, other.left() - left);
        if by >= self.width() || -by >= other.width() {
            return 0;
        }
        let own = self.rows.get(down.max(0) as usize..).unwrap_or(&[]);
        let others = other.rows.get((-down).max(0) as usize..).unwrap_or(&[]);
        let both = own.iter().zip(others);
        // One half of the row will do for most patches.
        (match (self.width() <= 64, by) {
            (true, 0..=63) => n_bits(self.width, both.map(|(a, b)| *a as u64 & (*b as u64) << by)),
            (true, -63..=-1) => {
                n_bits(self.width, both.map(|(a, b)| *a as u64 & (b >> -by) as u64))
            }
            _ => both.fold(0, |n, (a, b)| n + (a & shift_bits(*b, by)).count_ones()),
        }) as usize
    }

    /// How many places another patch has of this one, moved by this vector, then by one column more, and so
    /// on: a bit for each of these counts, the lowest first. What a cell of this patch meets on its way
    /// along a row of the other is added for all of them at once.
    pub(crate) fn n_common_along(
        &self,
        (di, dj): (i64, i64),
        other: &Patch<'_>,
    ) -> [u64; COUNT_BITS] {
        let mut counts = [0; COUNT_BITS];
        self.cells().for_each(|(i, j)| {
            let mut carry = other.row_at(i + di, j + dj) as u64;
            for count in &mut counts {
                if carry == 0 {
                    break;
                }
                (*count, carry) = (*count ^ carry, *count & carry);
            }
        });
        counts
    }

    pub(crate) fn intersects(&self, other: &Patch<'_>) -> bool {
        let (low, high) = (
            self.top().max(other.top()),
            self.bottom().min(other.bottom()),
        );
        (low..=high).any(|i| self.row_at(i, self.left()) & other.row_at(i, self.left()) != 0)
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

    /// A number that sorts as patches do, as far as it goes.
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

/// How many bits some halves of rows have that are so wide: counting takes a while, so it is done for as
/// many rows at once as a word can hold.
#[inline(always)]
fn n_bits(width: u8, rows: impl Iterator<Item = u64>) -> u32 {
    let (mut n_bits, mut word, mut n_used) = (0, 0u64, 0);
    for row in rows {
        if n_used + width > 64 {
            n_bits += word.count_ones();
            (word, n_used) = (0, 0);
        }
        word |= row << n_used;
        n_used += width;
    }
    n_bits + word.count_ones()
}

/// Moves bits towards higher columns by `by`, dropping what leaves the window.
#[inline]
pub(crate) fn shift_bits(row: u128, by: i64) -> u128 {
    match by {
        0..=127 => row << by,
        -127..=-1 => row >> -by,
        _ => 0,
    }
}

/// The locations of a patch, row by row.
#[derive(Clone)]
pub(crate) struct Cells<'a> {
    rest: &'a [u128],
    i: i64,
    left: i64,
    bits: u128,
    n_left: usize,
}

impl Iterator for Cells<'_> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        while self.bits == 0 {
            let (next, rest) = self.rest.split_first()?;
            (self.bits, self.rest) = (*next, rest);
            self.i += 1;
        }
        let k = lowest_bit(self.bits);
        self.bits &= self.bits - 1;
        self.n_left -= 1;
        Some((self.i, self.left + k))
    }

    /// Goes over all the rest at once, with half a row in a word.
    #[inline]
    fn fold<B, F: FnMut(B, (i64, i64)) -> B>(mut self, init: B, mut f: F) -> B {
        let mut result = init;
        loop {
            for (bits, left) in [
                (self.bits as u64, self.left),
                ((self.bits >> 64) as u64, self.left + 64),
            ] {
                let mut bits = bits;
                while bits != 0 {
                    result = f(result, (self.i, left + i64::from(bits.trailing_zeros())));
                    bits &= bits - 1;
                }
            }
            let Some((next, rest)) = self.rest.split_first() else {
                return result;
            };
            (self.bits, self.rest) = (*next, rest);
            self.i += 1;
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n_left, Some(self.n_left))
    }
}

impl ExactSizeIterator for Cells<'_> {}

/// Patches are seldom wider than 64, which makes the common case one instruction.
#[inline]
fn lowest_bit(bits: u128) -> i64 {
    let low = bits as u64;
    i64::from(if low != 0 {
        low.trailing_zeros()
    } else {
        bits.trailing_zeros()
    })
}

/// Calls a function with the position of each bit of a row, lowest first.
#[inline]
pub(crate) fn for_each_bit(row: u128, mut f: impl FnMut(usize)) {
    let (mut low, mut high) = (row as u64, (row >> 64) as u64);
    while low != 0 {
        f(low.trailing_zeros() as usize);
        low &= low - 1;
    }
    while high != 0 {
        f(64 + high.trailing_zeros() as usize);
        high &= high - 1;
    }
}

/// Top, left, height and width of the box around some locations.
pub(crate) fn extent(cells: impl IntoIterator<Item = (i64, i64)>) -> Option<(i64, i64, i64, i64)> {
    let mut cells = cells.into_iter();
    let (i, j) = cells.next()?;
    let (mut top, mut bottom, mut left, mut right) = (i, i, j, j);
    for (i, j) in cells {
        top = top.min(i);
        bottom = bottom.max(i);
        left = left.min(j);
        right = right.max(j);
    }
    Some((
        top,
        left,
        bottom.checked_sub(top)?.checked_add(1)?,
        right.checked_sub(left)?.checked_add(1)?,
    ))
}

/// A window to set bits in, before they become a [`Patch`]. It is no larger than need be: in the end there
/// are bits in its first and last row and column.
pub(crate) struct Canvas<'a> {
    pub(crate) top: i64,
    pub(crate) left: i64,
    width: u8,
    pub(crate) rows: &'a mut [u128],
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(
        arena: Arena<'a>,
        top: i64,
        left: i64,
        height: i64,
        width: i64,
    ) -> Option<Canvas<'a>> {
        let fits = (0..=MAX_HEIGHT).contains(&height) && (0..=MAX_WIDTH).contains(&width);
        fits.then(|| Canvas {
            top,
            left,
            width: width as u8,
            rows: arena.alloc_slice_fill_copy(height as usize, 0),
        })
    }

    /// An empty window of the same size.
    pub(crate) fn blank(&self, arena: Arena<'a>) -> Canvas<'a> {
        Canvas {
            rows: arena.alloc_slice_fill_copy(self.rows.len(), 0),
            ..*self
        }
    }

    /// A window around several patches.
    pub(crate) fn around<'b, 'c: 'b>(
        arena: Arena<'a>,
        mut patches: impl Iterator<Item = &'b Patch<'c>>,
    ) -> Option<Canvas<'a>> {
        let first = patches.next()?;
        let (mut top, mut left) = (first.top(), first.left());
        let (mut bottom, mut right) = (first.bottom(), first.right());
        for patch in patches {
            (top, left) = (top.min(patch.top()), left.min(patch.left()));
            (bottom, right) = (bottom.max(patch.bottom()), right.max(patch.right()));
        }
        Self::new(arena, top, left, bottom - top + 1, right - left + 1)
    }

    /// Sets a bit that is known to lie in the window.
    #[inline]
    pub(crate) fn set(&mut self, i: i64, j: i64) {
        self.rows[(i - self.top) as usize] |= 1 << (j - self.left);
    }

    /// Sets the bits of a patch that is known to lie in the window. Were all of them missing?
    pub(crate) fn add(&mut self, patch: &Patch<'_>) -> bool {
        self.add_rows(patch, patch.rows())
    }

    /// Sets some of the bits of such a patch.
    pub(crate) fn add_rows(&mut self, patch: &Patch<'_>, rows: &[u128]) -> bool {
        let (r, by) = ((patch.top() - self.top) as usize, patch.left() - self.left);
        let rows = self.rows[r..].iter_mut().zip(rows);
        // One half of the row will do for most patches.
        if by + patch.width() <= 64 {
            let common = rows.fold(0, |common, (into, row)| {
                let (before, row) = (*into as u64, (*row as u64) << by);
                *into |= u128::from(row);
                common | before & row
            });
            return common == 0;
        }
        let common = rows.fold(0, |common, (into, row)| {
            let (before, row) = (*into, row << by);
            *into |= row;
            common | before & row
        });
        common == 0
    }

    pub(crate) fn width(&self) -> usize {
        usize::from(self.width)
    }

    pub(crate) fn finish(self) -> Option<Patch<'a>> {
        debug_assert!(self.is_tight());
        Patch::tight(self.top, self.left, self.width, self.rows)
    }

    /// The same of so many bits.
    pub(crate) fn finish_counted(self, n_bits: u32) -> Option<Patch<'a>> {
        debug_assert!(self.is_tight());
        Patch::counted(self.top, self.left, self.width, n_bits, self.rows)
    }

    fn is_tight(&self) -> bool {
        let columns = self.rows.iter().fold(0, |union, row| union | row);
        let ends = [self.rows.first(), self.rows.last()];
        let are_used = ends.iter().all(|row| row.is_some_and(|row| *row != 0));
        are_used && columns & 1 == 1 && 128 - columns.leading_zeros() == u32::from(self.width)
    }
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;

    fn cells(patch: &Patch<'_>) -> Vec<(i64, i64)> {
        let mut cells = Vec::new();
        patch.cells().for_each(|cell| cells.push(cell));
        assert_eq!(cells, patch.cells().collect::<Vec<_>>());
        assert_eq!(cells.len(), patch.len());
        cells
    }

    #[test]
    fn bits_of_other_patches_are_kept_or_taken_away() {
        let arena = Room::default();
        let shape = |n: u128| [(n * 0x9e37_79b9 % 509) | 1, 0, n * 7 % 31, (n % 5) | 2];
        let mut n_same = 0;
        for n in 0..600 {
            let (top, left) = (n as i64 % 9 - 4, n as i64 * 37 % 150 - 75);
            let a = Patch::from_rows(&arena, 0, 0, &shape(n)).expect("it fits");
            let wide = shape(n / 3).map(|row| row << (n % 100) | 1);
            let b = Patch::from_rows(&arena, top, left, &wide).expect("it fits");
            for (a, b) in [(a, b), (b, a), (a, a.moved(0, 0).expect("it fits"))] {
                for wanted in [true, false] {
                    let kept = a.cells().filter(|(i, j)| b.contains(*i, *j) == wanted);
                    let kept: Vec<_> = kept.collect();
                    n_same += usize::from(kept.len() == a.len());
                    let masked = a.masked(&arena, &b, wanted);
                    assert_eq!(masked.map_or(Vec::new(), |patch| cells(&patch)), kept);
                    let n = a.n_common(&b);
                    assert_eq!(kept.len(), if wanted { n } else { a.len() - n });
                }
                let by = (left % 5, top - 3);
                let moved = a.moved(by.0, by.1).expect("it fits");
                let n_common = moved.cells().filter(|(i, j)| b.contains(*i, *j)).count();
                let corner = a.corner_moved(by).expect("it fits");
                assert_eq!(a.n_common_at(corner, &b), n_common);
                if a.len() >> COUNT_BITS != 0 {
                    continue;
                }
                let counts = a.n_common_along(by, &b);
                for k in [0, 1, 17, 63] {
                    let moved = a.moved(by.0, by.1 + k).expect("it fits");
                    let bits = counts.iter().rev();
                    let n_common = bits.fold(0, |n, bits| 2 * n + (bits >> k & 1) as usize);
                    assert_eq!(n_common, moved.n_common(&b));
                }
            }
        }
        assert!(n_same > 600, "{n_same}");
    }

    #[test]
    fn patches_are_turned_and_completed_in_their_boxes() {
        let arena = Room::default();
        for width in [1, 2, 9, 63, 64, 65, 100, 128] {
            let row = |n: u128| {
                n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> (128 - width)
            };
            let rows = [row(1) | 1, row(2), 0, row(3) | 1 << (width - 1)];
            let patch = Patch::from_rows(&arena, -2, 5, &rows).expect("it fits");
            let (top, left) = (patch.top(), patch.left());
            let turned = |turn: &dyn Fn((i64, i64)) -> (i64, i64)| {
                let mut cells: Vec<_> = patch.cells().map(turn).collect();
                cells.sort_unstable();
                cells
            };
            let mirrored = turned(&|(i, j)| (i, left + patch.right() - j));
            assert_eq!(cells(&patch.left_right(&arena)), mirrored);
            let transposed = patch.transposed(&arena).expect("it fits");
            let wanted = turned(&|(i, j)| (top + j - left, left + i - top));
            assert_eq!(cells(&transposed), wanted);
            let rest = patch.rest_of_box(&arena).map_or(Vec::new(), |p| cells(&p));
            let places =
                (top..=patch.bottom()).flat_map(|i| (left..=patch.right()).map(move |j| (i, j)));
            let missing: Vec<_> = places.filter(|(i, j)| !patch.contains(*i, *j)).collect();
            assert_eq!(rest, missing);
        }
    }

    #[test]
    fn diagonals_of_all_sizes_fall_and_rise() {
        for n in [1, 2, 63, 64, 65, 127, 128] {
            let falling = Patch::diagonal(-3, 5, n, true).expect("it fits");
            let rising = Patch::diagonal(-3, 5, n, false).expect("it fits");
            let places = |column: &dyn Fn(i64) -> i64| (0..n).map(|r| (r - 3, column(r))).collect();
            let (down, up): (Vec<_>, Vec<_>) = (places(&|r| 5 + r), places(&|r| 4 + n - r));
            assert_eq!((cells(&falling), cells(&rising)), (down, up));
        }
        assert!(Patch::diagonal(0, 0, 129, true).is_none());
    }

    #[test]
    fn patches_are_joined_across_the_middle_of_a_row() {
        let arena = Room::default();
        for left in [0, 1, 40, 60, 63, 64, 65, 100] {
            let (a, b) = (Patch::rectangle(&arena, 0, 0, 2, 28), Patch::single(5, 0));
            let parts = [a.expect("it fits"), b.expect("it fits")];
            let moved = parts[0].moved(1, left).expect("it fits");
            let all = [parts[0], parts[1], moved];
            let mut canvas = Canvas::around(&arena, all.iter()).expect("it fits");
            for patch in &all {
                canvas.add(patch);
            }
            let mut wanted: Vec<_> = all.iter().flat_map(|patch| patch.cells()).collect();
            wanted.sort_unstable();
            wanted.dedup();
            assert_eq!(cells(&canvas.finish().expect("it fits")), wanted);
        }
    }
}
