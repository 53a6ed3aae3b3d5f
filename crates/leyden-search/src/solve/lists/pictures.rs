//! Pictures with a place, and distinct ones in an album.

use leyden_grid::Grid;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

/// The largest side of a picture.
pub(super) const MAX_SIDE: usize = 30;
/// The memory of a picture in addition to its cells.
const PICTURE_BYTES: usize = 128;

/// An odd number that spreads places and sizes over the bits of a hash.
const MIXER: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// The index of a picture in an [`Album`].
pub(super) type Pic = u32;

/// A rectangle of colours with a place. Colour 0 is blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) top: i32,
    pub(super) left: i32,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) cells: Vec<u8>,
}

impl Placed {
    /// A blank picture; `None` if it would be empty or too large.
    pub(super) fn blank(
        (top, left): (i32, i32),
        (height, width): (usize, usize),
    ) -> Option<Placed> {
        let sides = 1..=MAX_SIDE;
        (sides.contains(&height) && sides.contains(&width)).then(|| Placed {
            top,
            left,
            height,
            width,
            cells: vec![0; height * width],
        })
    }

    pub(super) fn of(grid: &Grid) -> Placed {
        Placed {
            top: 0,
            left: 0,
            height: grid.height(),
            width: grid.width(),
            cells: grid.cells().to_vec(),
        }
    }

    /// A picture at the place of another one, cell by cell.
    pub(super) fn drawn(
        place: (i32, i32),
        (height, width): (usize, usize),
        cell: impl Fn(usize, usize) -> u8,
    ) -> Option<Placed> {
        let mut picture = Placed::blank(place, (height, width))?;
        for i in 0..height {
            for j in 0..width {
                picture.cells[i * width + j] = cell(i, j);
            }
        }
        Some(picture)
    }

    /// This picture with other cells.
    pub(super) fn mapped(&self, cell: impl Fn(u8) -> u8) -> Placed {
        Placed {
            cells: self.cells.iter().map(|it| cell(*it)).collect(),
            ..*self
        }
    }

    pub(super) fn place(&self) -> (i32, i32) {
        (self.top, self.left)
    }

    /// The upper left and the lower right corner.
    pub(super) fn corners(&self) -> [(i32, i32); 2] {
        let (height, width) = (self.height as i32, self.width as i32);
        let end = (self.top + height - 1, self.left + width - 1);
        [(self.top, self.left), end]
    }

    /// Whether an edge of the picture lies on that of a box.
    pub(super) fn touches(&self, other: [(i32, i32); 2]) -> bool {
        let mut pairs = self.corners().into_iter().zip(other);
        pairs.any(|(own, other)| own.0 == other.0 || own.1 == other.1)
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.height, self.width)
    }

    pub(super) fn get(&self, i: usize, j: usize) -> u8 {
        self.cells[i * self.width + j]
    }

    pub(super) fn set(&mut self, i: usize, j: usize, colour: u8) {
        self.cells[i * self.width + j] = colour;
    }

    /// The colour at a place, 0 outside.
    pub(super) fn at(&self, i: i32, j: i32) -> u8 {
        let (i, j) = (i - self.top, j - self.left);
        let is_inside = i >= 0 && j >= 0 && (i as usize) < self.height && (j as usize) < self.width;
        if is_inside {
            self.get(i as usize, j as usize)
        } else {
            0
        }
    }

    pub(super) fn n_drawn(&self) -> usize {
        self.cells.iter().filter(|cell| **cell != 0).count()
    }

    /// A part of the picture, in its place.
    pub(super) fn part(&self, (i, j): (usize, usize), size: (usize, usize)) -> Option<Placed> {
        if i + size.0 > self.height || j + size.1 > self.width {
            return None;
        }
        let place = (self.top + i as i32, self.left + j as i32);
        Placed::drawn(place, size, |a, b| self.get(i + a, j + b))
    }

    /// The smallest part with all drawn cells.
    pub(super) fn fitted(&self) -> Option<Placed> {
        let is_drawn_row = |i: &usize| (0..self.width).any(|j| self.get(*i, j) != 0);
        let is_drawn_column = |j: &usize| (0..self.height).any(|i| self.get(i, *j) != 0);
        let first = (0..self.height).find(is_drawn_row)?;
        let last = (0..self.height).rev().find(is_drawn_row)?;
        let left = (0..self.width).find(is_drawn_column)?;
        let right = (0..self.width).rev().find(is_drawn_column)?;
        self.part((first, left), (last - first + 1, right - left + 1))
    }

    /// The most frequent drawn colour, the least one of several.
    pub(super) fn main_colour(&self) -> Option<u8> {
        let mut counts = [0_u32; 16];
        for cell in &self.cells {
            counts[usize::from(*cell & 15)] += 1;
        }
        let drawn = (1..16_u8).filter(|c| counts[usize::from(*c)] > 0);
        drawn.max_by_key(|c| (counts[usize::from(*c)], std::cmp::Reverse(*c)))
    }

    /// The least frequent drawn colour, the least one of several.
    pub(super) fn least_colour(&self) -> Option<u8> {
        let count = |c: u8| self.cells.iter().filter(|cell| **cell == c).count();
        let counts = (1..10).map(|c| (count(c), c)).filter(|(n, _)| *n > 0);
        counts.min().map(|(_, c)| c)
    }

    pub(super) fn to_grid(&self) -> Option<Grid> {
        Grid::from_cells(self.height, self.width, &self.cells).ok()
    }

    fn hash(&self) -> u128 {
        let place = u64::from(self.top as u16) << 16 | u64::from(self.left as u16);
        let size = (self.height as u64) << 8 | self.width as u64;
        let frame = u128::from(place << 16 | size).wrapping_mul(MIXER);
        xxh3_128(&self.cells) ^ frame
    }
}

/// Distinct pictures.
#[derive(Debug, Default)]
pub(super) struct Album {
    all: Vec<Placed>,
    places: FxHashMap<u128, Pic>,
    n_cells: usize,
}

impl Album {
    pub(super) fn put(&mut self, picture: Placed) -> Pic {
        let new = self.all.len() as Pic;
        let pic = *self.places.entry(picture.hash()).or_insert(new);
        if pic == new {
            self.n_cells += picture.cells.len();
            self.all.push(picture);
        }
        pic
    }

    pub(super) fn get(&self, pic: Pic) -> &Placed {
        &self.all[pic as usize]
    }

    /// The approximate memory.
    pub(super) fn n_bytes(&self) -> usize {
        self.n_cells + self.all.len() * PICTURE_BYTES
    }
}
