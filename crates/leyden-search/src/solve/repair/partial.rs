//! Pictures of which some cells are unknown.

use leyden_grid::Grid;

/// The colour of an unknown cell.
pub(super) const UNKNOWN: u8 = 0;
/// The colour of a known cell that is blank: 0 stands for unknown cells.
pub(super) const BLACK: u8 = 10;

/// A vector, as rows and columns.
pub(super) type Vector = (i32, i32);

/// A picture of which some cells are unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Partial {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) cells: Vec<u8>,
}

impl Partial {
    /// A picture of a colour for each place.
    pub(super) fn drawn(
        (height, width): (usize, usize),
        cell: impl Fn(usize, usize) -> u8,
    ) -> Partial {
        let places = (0..height).flat_map(|i| (0..width).map(move |j| (i, j)));
        Partial {
            height,
            width,
            cells: places.map(|(i, j)| cell(i, j)).collect(),
        }
    }

    pub(super) fn get(&self, i: usize, j: usize) -> u8 {
        self.cells[i * self.width + j]
    }

    pub(super) fn n_known(&self) -> usize {
        self.cells.iter().filter(|cell| **cell != UNKNOWN).count()
    }

    pub(super) fn is_whole(&self) -> bool {
        !self.cells.contains(&UNKNOWN)
    }

    /// The grid, with unknown cells left blank.
    pub(super) fn to_grid(&self) -> Option<Grid> {
        let cells: Vec<u8> = self.cells.iter().map(|cell| shown(*cell)).collect();
        Grid::from_cells(self.height, self.width, &cells).ok()
    }

    /// Connected known cells, diagonally too, of whatever colours, with their upper left corners.
    pub(super) fn objects(&self) -> Vec<(Partial, Vector)> {
        let (h, w) = (self.height as i32, self.width as i32);
        let mut is_open: Vec<bool> = self.cells.iter().map(|it| *it != UNKNOWN).collect();
        let mut objects = Vec::new();
        for start in 0..self.cells.len() {
            if !std::mem::take(&mut is_open[start]) {
                continue;
            }
            let mut part = vec![(start as i32 / w, start as i32 % w)];
            let mut n_seen = 0;
            while n_seen < part.len() {
                let (i, j) = part[n_seen];
                n_seen += 1;
                for i in (i - 1).max(0)..(i + 2).min(h) {
                    for j in (j - 1).max(0)..(j + 2).min(w) {
                        if std::mem::take(&mut is_open[(i * w + j) as usize]) {
                            part.push((i, j));
                        }
                    }
                }
            }
            objects.push(self.part(&part));
        }
        objects
    }

    /// Some cells in their bounding box, and its upper left corner.
    fn part(&self, places: &[Vector]) -> (Partial, Vector) {
        let (mut top, mut left, mut bottom, mut right) = (i32::MAX, i32::MAX, 0, 0);
        for (i, j) in places {
            (top, left) = (top.min(*i), left.min(*j));
            (bottom, right) = (bottom.max(*i), right.max(*j));
        }
        let size = ((bottom - top + 1) as usize, (right - left + 1) as usize);
        let mut part = Partial::drawn(size, |_, _| UNKNOWN);
        for (i, j) in places {
            let at = (i - top) as usize * size.1 + (j - left) as usize;
            part.cells[at] = self.get(*i as usize, *j as usize);
        }
        (part, (top, left))
    }

    /// The numbers of places at which both pictures are known, and at which they agree, when
    /// another picture lies over this one, shifted.
    pub(super) fn overlap(&self, other: &Partial, (down, right): Vector) -> (i64, i64) {
        let rows = range(self.height, other.height, down);
        let columns = range(self.width, other.width, right);
        let (mut n_both, mut n_equal) = (0, 0);
        for i in rows {
            let from = (i - down) as usize * other.width;
            for j in columns.clone() {
                let ours = self.cells[i as usize * self.width + j as usize];
                let theirs = other.cells[from + (j - right) as usize];
                if ours != UNKNOWN && theirs != UNKNOWN {
                    n_both += 1;
                    n_equal += i64::from(ours == theirs);
                }
            }
        }
        (n_both, n_equal)
    }

    /// This picture laid over another one, which is shifted.
    pub(super) fn laid_over(&self, other: &Partial, (down, right): Vector) -> Partial {
        let mut laid = self.clone();
        for i in range(self.height, other.height, down) {
            for j in range(self.width, other.width, right) {
                let cell = &mut laid.cells[i as usize * self.width + j as usize];
                if *cell == UNKNOWN {
                    *cell = other.get((i - down) as usize, (j - right) as usize);
                }
            }
        }
        laid
    }
}

/// The colour of a grid for a cell.
pub(super) fn shown(cell: u8) -> u8 {
    if cell == BLACK { 0 } else { cell }
}

/// The common places of two sides, one of which is shifted.
fn range(ours: usize, theirs: usize, shift: i32) -> std::ops::Range<i32> {
    let start = shift.max(0);
    start..(ours as i32).min(theirs as i32 + shift).max(start)
}
