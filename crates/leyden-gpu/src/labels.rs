//! Labels of many grids on the CPU: what a device has to beat.
//!
//! Stretches of cells that belong together are found row by row and joined with those they touch in
//! the row above, so that there is one node for a stretch, not for a cell. Nothing is allocated for a
//! grid: all of them use the same room.

use std::ops::Range;

use leyden_grid::Grid;

/// The number of a cell that belongs to no object.
const ABSENT: u16 = u16::MAX;

/// Which cells belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Only cells of one colour.
    pub univalued: bool,
    /// Also those that touch at a corner.
    pub diagonal: bool,
}

/// Labels grids. For each grid and each of its cells, row by row, the place of the first cell of
/// its object, or `None` for cells of the background that was given with the grid.
///
/// ```
/// use leyden_gpu::labels::{Rule, label_all};
/// use leyden_grid::Grid;
///
/// let grid = Grid::from_rows(&[vec![1, 0, 1], vec![1, 0, 2]]).unwrap();
/// let rule = Rule { univalued: true, diagonal: false };
/// let labels = label_all(&[(&grid, Some(0))], rule);
/// assert_eq!(labels.of(0).collect::<Vec<_>>(), [Some(0), None, Some(2), Some(0), None, Some(5)]);
/// ```
pub fn label_all(grids: &[(&Grid, Option<u8>)], rule: Rule) -> Labels {
    let mut starts = Vec::with_capacity(grids.len() + 1);
    let mut n_cells = 0;
    for (grid, _) in grids {
        starts.push(n_cells);
        n_cells += grid.cells().len();
    }
    starts.push(n_cells);
    let mut all = Labels {
        starts,
        cells: vec![ABSENT; n_cells],
    };
    let mut stretches = Stretches::default();
    for (k, (grid, background)) in grids.iter().enumerate() {
        stretches.find(grid, *background, rule);
        stretches.write(&mut all.cells[all.starts[k]..all.starts[k + 1]]);
    }
    all
}

/// The labels of many grids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    starts: Vec<usize>,
    cells: Vec<u16>,
}

impl Labels {
    /// The labels of a grid, by its position.
    pub fn of(&self, grid: usize) -> impl Iterator<Item = Option<u16>> {
        let range = self.starts[grid]..self.starts[grid + 1];
        let label = |label: &u16| (*label != ABSENT).then_some(*label);
        self.cells[range].iter().map(label)
    }

    /// How many objects there are in all.
    pub fn n_objects(&self) -> usize {
        let grids = self
            .starts
            .windows(2)
            .map(|ends| &self.cells[ends[0]..ends[1]]);
        let is_first = |(k, label): (usize, &u16)| usize::from(usize::from(*label) == k);
        grids
            .flat_map(|cells| cells.iter().enumerate().map(is_first))
            .sum()
    }
}

/// Cells of a row that belong together.
#[derive(Clone, Copy)]
struct Stretch {
    colour: u8,
    /// Columns.
    start: u8,
    end: u8,
    /// The place of its first cell.
    place: u16,
    /// The first stretch, as far as it is known, of the same object.
    parent: u16,
}

/// The stretches of a grid, row by row.
#[derive(Default)]
struct Stretches {
    all: Vec<Stretch>,
}

impl Stretches {
    fn find(&mut self, grid: &Grid, background: Option<u8>, rule: Rule) {
        self.all.clear();
        let mut above = 0..0;
        let mut place = 0;
        for row in grid.rows() {
            let first = self.all.len();
            self.add_row(row, place, background, rule);
            let here = first..self.all.len();
            self.join(above, here.clone(), rule);
            above = here;
            place += row.len();
        }
    }

    fn add_row(&mut self, row: &[u8], place: usize, background: Option<u8>, rule: Rule) {
        let mut start = 0;
        while start < row.len() {
            let colour = row[start];
            let mut end = start + 1;
            if Some(colour) == background {
                start = end;
                continue;
            }
            let belongs = |other: u8| match rule.univalued {
                true => other == colour,
                false => Some(other) != background,
            };
            while end < row.len() && belongs(row[end]) {
                end += 1;
            }
            self.all.push(Stretch {
                colour,
                start: start as u8,
                end: end as u8,
                place: (place + start) as u16,
                parent: self.all.len() as u16,
            });
            start = end;
        }
    }

    /// Joins the stretches of a row with those they touch in the row above.
    fn join(&mut self, mut above: Range<usize>, here: Range<usize>, rule: Rule) {
        let reach = u8::from(rule.diagonal);
        for k in here {
            let Stretch {
                colour, start, end, ..
            } = self.all[k];
            while !above.is_empty() && self.all[above.start].end + reach <= start {
                above.start += 1;
            }
            for other in above.clone() {
                let beyond = self.all[other];
                if beyond.start >= end + reach {
                    break;
                }
                if !rule.univalued || beyond.colour == colour {
                    self.unite(other, k);
                }
            }
        }
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.all[a.max(b)].parent = a.min(b) as u16;
    }

    fn root(&mut self, mut k: usize) -> usize {
        loop {
            let parent = usize::from(self.all[k].parent);
            if parent == k {
                return k;
            }
            let next = self.all[parent].parent;
            self.all[k].parent = next;
            k = next.into();
        }
    }

    /// A parent never comes after its child, so one pass will do: places become labels on the way.
    fn write(&mut self, cells: &mut [u16]) {
        for k in 0..self.all.len() {
            let Stretch {
                start,
                end,
                place,
                parent,
                ..
            } = self.all[k];
            let label = self.all[usize::from(parent)].place;
            let first = usize::from(place);
            cells[first..first + usize::from(end - start)].fill(label);
            self.all[k].place = label;
        }
    }
}

/// The same by union-find, grid by grid: the plain way, to compare with.
pub fn label_plainly(grid: &Grid, background: Option<u8>, rule: Rule) -> Vec<Option<u16>> {
    let (width, cells) = (grid.width(), grid.cells());
    let mut parents: Vec<u16> = (0..cells.len() as u16).collect();
    let is_absent = |k: usize| Some(cells[k]) == background;
    for k in 0..cells.len() {
        for other in neighbours_before(k, width, rule.diagonal)
            .into_iter()
            .flatten()
        {
            let belongs = !rule.univalued || cells[k] == cells[other];
            if belongs && !is_absent(k) && !is_absent(other) {
                let (a, b) = (root(&mut parents, k), root(&mut parents, other));
                parents[a.max(b)] = a.min(b) as u16;
            }
        }
    }
    let label = |k: usize| (!is_absent(k)).then(|| root(&mut parents, k) as u16);
    (0..cells.len()).map(label).collect()
}

fn neighbours_before(k: usize, width: usize, diagonal: bool) -> [Option<usize>; 4] {
    let (i, j) = (k / width, k % width);
    [
        (j > 0).then(|| k - 1),
        (i > 0).then(|| k - width),
        (diagonal && i > 0 && j > 0).then(|| k - width - 1),
        (diagonal && i > 0 && j + 1 < width).then(|| k - width + 1),
    ]
}

fn root(parents: &mut [u16], mut k: usize) -> usize {
    while usize::from(parents[k]) != k {
        parents[k] = parents[usize::from(parents[k])];
        k = parents[k].into();
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_exec::random::{Case, Dice};

    #[test]
    fn labels_by_stretches_are_those_of_union_find() {
        let mut dice = Dice::seeded(3);
        let cases: Vec<Case> = (0..500).map(|_| Case::random(&mut dice)).collect();
        for flags in 0..8u8 {
            let rule = Rule {
                univalued: flags & 1 != 0,
                diagonal: flags & 2 != 0,
            };
            let background = |grid: &Grid| (flags & 4 != 0).then(|| grid.cells()[0]);
            let grids: Vec<_> = cases
                .iter()
                .map(|c| (&c.input, background(&c.input)))
                .collect();
            let all = label_all(&grids, rule);
            for (k, (grid, background)) in grids.iter().enumerate() {
                let plain = label_plainly(grid, *background, rule);
                assert_eq!(all.of(k).collect::<Vec<_>>(), plain, "{grid:?} {rule:?}");
            }
        }
    }
}
