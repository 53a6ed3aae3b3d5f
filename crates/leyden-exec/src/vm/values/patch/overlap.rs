//! The common places of two patches.

use super::{COUNT_BITS, MAX_COORDINATE, Patch, coordinate, n_bits, shift_bits};
use crate::vm::order::provenance::Made;
use crate::vm::values::value::Arena;

impl<'a> Patch<'a> {
    /// Keeps the bits that `other` has (`wanted`) or lacks; `None` if none is left.
    pub(crate) fn masked(
        &self,
        arena: Arena<'a>,
        other: &Patch<'_>,
        wanted: bool,
    ) -> Option<Patch<'a>> {
        let by = other.left() - self.left();
        // Half of the row is enough for most patches.
        let rows = if self.width() <= 64 && (-63..=63).contains(&by) {
            self.masked_rows(arena, other, wanted, |row| {
                u128::from(if by < 0 {
                    (row >> -by) as u64
                } else {
                    (row as u64) << by
                })
            })
        } else {
            self.masked_rows(arena, other, wanted, |row| shift_bits(row, by))
        };
        match rows {
            Some(rows) => Self::trimmed(self.top(), self.left(), rows),
            None => Some(self.made(Made::Somehow)),
        }
    }

    /// The masked rows; `None` if nothing changes. `shifted` moves a row of the other patch to the
    /// columns of this one.
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
        let rows = if wanted {
            arena.alloc_slice_fill_copy(self.rows.len(), 0)
        } else {
            arena.alloc_slice_copy(self.rows)
        };
        for (row, kept) in rows[above..].iter_mut().zip(both()) {
            *row = kept;
        }
        Some(rows)
    }

    /// The number of common places.
    pub(crate) fn n_common(&self, other: &Patch<'_>) -> usize {
        self.n_common_at((self.top(), self.left()), other)
    }

    /// The upper left corner of the patch moved by a vector, if the patch can be moved there.
    #[inline]
    pub(crate) fn corner_moved(&self, (di, dj): (i64, i64)) -> Option<(i64, i64)> {
        if di.abs().max(dj.abs()) > MAX_COORDINATE {
            return None;
        }
        let corner = (self.top() + di, self.left() + dj);
        coordinate(corner.0).and(coordinate(corner.1))?;
        Some(corner)
    }

    /// The number of common places if this patch had its upper left corner there.
    #[inline]
    pub(crate) fn n_common_at(&self, (top, left): (i64, i64), other: &Patch<'_>) -> usize {
        let (down, by) = (other.top() - top, other.left() - left);
        if by >= self.width() || -by >= other.width() {
            return 0;
        }
        let own = self.rows.get(down.max(0) as usize..).unwrap_or(&[]);
        let others = other.rows.get((-down).max(0) as usize..).unwrap_or(&[]);
        let both = own.iter().zip(others);
        // Half of the row is enough for most patches.
        (match (self.width() <= 64, by) {
            (true, 0..=63) => n_bits(self.width, both.map(|(a, b)| *a as u64 & (*b as u64) << by)),
            (true, -63..=-1) => {
                n_bits(self.width, both.map(|(a, b)| *a as u64 & (b >> -by) as u64))
            }
            _ => both.fold(0, |n, (a, b)| n + (a & shift_bits(*b, by)).count_ones()),
        }) as usize
    }

    /// The numbers of common places of another patch and this one, moved by the vector, then by one
    /// column more, and so on: word `b` holds bit `b` of all 64 counts. Each cell of this patch
    /// adds a row of the other patch to all counts at once.
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
}
