//! Sets of cells at distinct places: a patch, and the colours in its bounding box.

use crate::vm::values::arena::CellForm;
use crate::vm::values::bytes::{in_each_byte, set_word_at, where_set, word_at};
use crate::vm::values::patch::{Cells, Patch, for_each_bit};
use crate::vm::values::value::{Arena, Grid, Val};

/// The colours of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Colours<'a> {
    One(i8),
    /// One for each place of the bounding box, row by row; 0 where the object has no cell.
    Each(&'a [i8]),
}

/// A non-empty set of cells at distinct locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Object<'a> {
    pub(crate) patch: Patch<'a>,
    pub(crate) colours: Colours<'a>,
    /// The form of its cells.
    pub(crate) form: CellForm,
}

impl<'a> Object<'a> {
    /// The object of these places and colours, in the cell form of the dialect.
    #[inline]
    pub(crate) fn of(arena: Arena<'a>, patch: Patch<'a>, colours: Colours<'a>) -> Val<'a> {
        Val::Object(arena.alloc(Object {
            patch,
            colours,
            form: arena.cells(),
        }))
    }

    #[inline]
    pub(crate) fn uniform(arena: Arena<'a>, patch: Patch<'a>, colour: i8) -> Val<'a> {
        Object::of(arena, patch, Colours::One(colour))
    }

    /// The number of parts of a cell, the cell itself included.
    pub(crate) fn n_parts_of_cell(&self) -> u64 {
        match self.form {
            CellForm::Nested => 5,
            CellForm::Flat => 4,
        }
    }

    /// An object with the colours of a grid. The grid surrounds the object, and the caller knows
    /// the place of the grid's upper left corner. The form is canonical for any colours.
    pub(crate) fn coloured(
        arena: Arena<'a>,
        patch: Patch<'a>,
        grid: &Grid<'_>,
        (top, left): (i64, i64),
    ) -> Val<'a> {
        let (height, width) = (patch.height() as usize, patch.width() as usize);
        let start = (patch.top() - top) as usize * grid.width() + (patch.left() - left) as usize;
        let first = patch.rows().first().map_or(0, |row| row.trailing_zeros());
        let first = grid.cells()[start + first as usize];
        // The last block of a row may run past its end.
        let each = arena.alloc_slice_fill_copy(height * width + 8, 0);
        let mut differing = 0;
        for (r, row) in patch.rows().iter().enumerate() {
            let from = &grid.cells()[start + r * grid.width()..];
            let into = &mut each[r * width..];
            differing |= match width {
                0..=8 => copy_block(from, into, *row as u8, first),
                _ => copy_blocks(from, into, *row, first),
            };
        }
        if differing == 0 {
            return Self::uniform(arena, patch, first);
        }
        Object::of(arena, patch, Colours::Each(&each[..height * width]))
    }

    #[inline]
    pub(crate) fn colour_at(&self, i: i64, j: i64) -> i8 {
        match self.colours {
            Colours::One(colour) => colour,
            Colours::Each(each) => each[place(&self.patch, i, j)],
        }
    }

    /// The colours in the bounding box as a grid, unless the object has a single colour.
    pub(crate) fn colours_in_box(&self) -> Option<Grid<'a>> {
        match self.colours {
            Colours::One(_) => None,
            Colours::Each(each) => Some(self.grid_of_box(each)),
        }
    }

    fn grid_of_box(&self, each: &'a [i8]) -> Grid<'a> {
        let (height, width) = (self.patch.height(), self.patch.width());
        Grid::new(height as usize, width as usize, each)
    }

    /// Whether a cell belongs to the object.
    pub(crate) fn has(&self, (colour, i, j): (i8, i64, i64)) -> bool {
        self.patch.contains(i, j) && self.colour_at(i, j) == colour
    }

    pub(crate) fn cells(&self) -> ColouredCells<'_, 'a> {
        ColouredCells {
            places: self.patch.cells(),
            object: self,
        }
    }

    /// The colour of an object with a single colour.
    pub(crate) fn only_colour(&self) -> Option<i8> {
        match self.colours {
            Colours::One(colour) => Some(colour),
            Colours::Each(_) => None,
        }
    }

    /// The places where both objects have equal cells; `None` if there are none.
    pub(crate) fn agreement(&self, arena: Arena<'a>, other: &Object<'_>) -> Option<Patch<'a>> {
        if let (Colours::One(a), Colours::One(b)) = (self.colours, other.colours)
            && a != b
        {
            return None;
        }
        let common = self.patch.masked(arena, &other.patch, true)?;
        if self.only_colour().is_some() && other.only_colour().is_some() {
            return Some(common);
        }
        let (top, left) = (common.top(), common.left());
        let rows = arena.alloc_slice_copy(common.rows());
        for (i, row) in (top..).zip(rows.iter_mut()) {
            for_each_bit(*row, |k| {
                let j = left + k as i64;
                let is_alike = self.colour_at(i, j) == other.colour_at(i, j);
                *row &= !(u128::from(!is_alike) << k);
            });
        }
        Patch::trimmed(top, left, rows)
    }

    /// The object restricted to part of its patch.
    pub(crate) fn restricted(&self, arena: Arena<'a>, patch: Patch<'a>) -> Val<'a> {
        match self.colours {
            Colours::One(colour) => Self::uniform(arena, patch, colour),
            Colours::Each(each) => {
                let corner = (self.patch.top(), self.patch.left());
                Self::coloured(arena, patch, &self.grid_of_box(each), corner)
            }
        }
    }

    #[inline]
    pub(crate) fn moved(&self, di: i64, dj: i64) -> Option<Object<'a>> {
        Some(Object {
            patch: self.patch.moved(di, dj)?,
            ..*self
        })
    }
}

/// Copies the cells whose bits are set, of eight. Returns zeros if all of them have one colour.
#[inline(always)]
fn copy_block(from: &[i8], into: &mut [i8], bits: u8, colour: i8) -> u64 {
    let own = where_set(bits);
    let cells = word_at(from, 0) & own;
    set_word_at(into, 0, cells);
    cells ^ in_each_byte(colour) & own
}

/// Copies a row in blocks of eight cells. Returns zeros if all copied cells have one colour.
#[inline(never)]
fn copy_blocks(from: &[i8], into: &mut [i8], mut row: u128, colour: i8) -> u64 {
    let (mut k, mut differing) = (0, 0);
    while row != 0 {
        differing |= copy_block(&from[k..], &mut into[k..], row as u8, colour);
        row >>= 8;
        k += 8;
    }
    differing
}

/// The cells of an object, row by row.
pub(crate) struct ColouredCells<'o, 'a> {
    places: Cells<'a>,
    object: &'o Object<'a>,
}

impl Iterator for ColouredCells<'_, '_> {
    type Item = (i8, i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i8, i64, i64)> {
        let (i, j) = self.places.next()?;
        Some((self.object.colour_at(i, j), i, j))
    }

    /// Checks once whether the object has a single colour, not for each cell.
    #[inline]
    fn fold<B, F: FnMut(B, (i8, i64, i64)) -> B>(self, init: B, mut f: F) -> B {
        let patch = &self.object.patch;
        match self.object.colours {
            Colours::One(colour) => self.places.fold(init, |b, (i, j)| f(b, (colour, i, j))),
            Colours::Each(each) => {
                let colour_at = |i: i64, j: i64| each[place(patch, i, j)];
                let f = |b, (i, j)| f(b, (colour_at(i, j), i, j));
                self.places.fold(init, f)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

/// The index of a place in the bounding box of a patch.
fn place(patch: &Patch<'_>, i: i64, j: i64) -> usize {
    ((i - patch.top()) * patch.width() + (j - patch.left())) as usize
}
