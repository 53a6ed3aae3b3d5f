//! A window to set bits in, which then becomes a patch.

use super::{MAX_HEIGHT, MAX_WIDTH, Patch};
use crate::vm::values::value::Arena;

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

/// A window for the bits of a future [`Patch`]. It must be tight: in the end, its first and last
/// row and column have bits.
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

    /// An empty window of equal size.
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

    /// Sets a bit, which must lie in the window.
    #[inline]
    pub(crate) fn set(&mut self, i: i64, j: i64) {
        self.rows[(i - self.top) as usize] |= 1 << (j - self.left);
    }

    /// Sets the bits of a patch, which must lie in the window. Returns whether all of them were
    /// missing.
    pub(crate) fn add(&mut self, patch: &Patch<'_>) -> bool {
        self.add_rows(patch, patch.rows())
    }

    /// Sets some bits of a patch, which must lie in the window. Returns whether all of them were
    /// missing.
    pub(crate) fn add_rows(&mut self, patch: &Patch<'_>, rows: &[u128]) -> bool {
        let (r, by) = ((patch.top() - self.top) as usize, patch.left() - self.left);
        let rows = self.rows[r..].iter_mut().zip(rows);
        // Half of the row is enough for most patches.
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

    /// Finishes a patch with this number of bits.
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
