//! Grids of small numbers.

use super::{Arena, Val};

/// The most cells of a grid: if rows become tuples, each cell takes sixteen bytes of the 64 MB of a run.
/// Larger grids are left to the reference engine.
pub(crate) const MAX_CELLS: usize = 1 << 20;

/// A rectangle of small numbers, at least 1 by 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grid<'a> {
    height: u32,
    width: u32,
    cells: &'a [i8],
}

impl<'a> Grid<'a> {
    pub(crate) fn new(height: usize, width: usize, cells: &'a [i8]) -> Grid<'a> {
        debug_assert_eq!(cells.len(), height * width);
        Grid {
            height: height as u32,
            width: width as u32,
            cells,
        }
    }
    pub(crate) fn height(&self) -> usize {
        self.height as usize
    }
    pub(crate) fn width(&self) -> usize {
        self.width as usize
    }
    pub(crate) fn cells(&self) -> &'a [i8] {
        self.cells
    }
    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = &'a [i8]> + ExactSizeIterator {
        self.cells.chunks_exact(self.width())
    }
    pub(crate) fn row(&self, i: usize) -> &'a [i8] {
        &self.cells[i * self.width()..][..self.width()]
    }
    pub(crate) fn at(&self, i: usize, j: usize) -> i8 {
        self.cells[i * self.width() + j]
    }
    /// The colour at a location, if it lies inside.
    #[inline]
    pub(crate) fn get(&self, i: i64, j: i64) -> Option<i8> {
        self.place(i, j).map(|place| self.cells[place])
    }
    /// The index of a location among the cells, if it lies inside.
    #[inline]
    pub(crate) fn place(&self, i: i64, j: i64) -> Option<usize> {
        let is_inside = (i as u64) < self.height() as u64 && (j as u64) < self.width() as u64;
        is_inside.then(|| i as usize * self.width() + j as usize)
    }
    /// A copy of the cells for painting.
    pub(crate) fn to_cells(self, arena: Arena<'a>) -> &'a mut [i8] {
        arena.alloc_slice_copy(self.cells)
    }
    /// A grid of equal size with other cells.
    pub(crate) fn with_cells(&self, arena: Arena<'a>, cells: &'a [i8]) -> Val<'a> {
        Val::Grid(arena.alloc(Grid { cells, ..*self }))
    }
}

pub(super) fn grid_of_rows<'a>(arena: Arena<'a>, rows: &[Val<'a>]) -> Option<Grid<'a>> {
    let width = rows
        .first()
        .filter(|row| row.is_tuple())
        .and_then(Val::len)?;
    let is_ragged = || rows.iter().any(|row| row.len() != Some(width));
    if width == 0 || rows.len().checked_mul(width)? > MAX_CELLS || is_ragged() {
        return None;
    }
    if !rows
        .iter()
        .all(|row| matches!(row, Val::Pair(_) | Val::Triple(_) | Val::Tuple(_)))
        || matches!(rows[0], Val::Tuple(items) if !matches!(items[0], Val::Int(_)))
    {
        return None;
    }
    let cells = arena.alloc_slice_fill_copy(rows.len() * width, 0);
    let mut are_small = true;
    let mut cell_of = |number: i64| {
        are_small &= i64::from(number as i8) == number;
        number as i8
    };
    for (row, cells) in rows.iter().zip(cells.chunks_exact_mut(width)) {
        match row {
            Val::Pair(pair) => {
                let (a, b) = pair.get();
                cells.copy_from_slice(&[cell_of(a), cell_of(b)]);
            }
            Val::Triple(triple) => {
                let (c, a, b) = triple.get();
                cells.copy_from_slice(&[cell_of(a), cell_of(b), c]);
            }
            Val::Tuple(items) => {
                for (cell, item) in cells.iter_mut().zip(items.iter()) {
                    let Val::Int(number) = item else { return None };
                    *cell = cell_of(*number);
                }
            }
            _ => return None,
        }
    }
    are_small.then(|| Grid::new(rows.len(), width, cells))
}
