//! Labels of many grids at once on the CPU: what a device has to beat.
//!
//! Sixteen grids lie side by side, one in each lane of a vector, and the smallest number of a
//! component spreads by sweeps from the top left and back from the bottom right until nothing
//! changes. Every lane does the same, so there is nothing to predict and nothing to chase.

use leyden_grid::Grid;

/// Grids side by side.
const LANES: usize = 16;
/// The number of a cell that belongs to no object.
const ABSENT: i16 = i16::MAX;
/// What is not there, or lies outside.
const NO_KEY: i16 = -1;

type Lanes = [i16; LANES];

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
    // Those of a kind together, so that few lanes wait for others.
    let mut order: Vec<usize> = (0..grids.len()).collect();
    order.sort_by_key(|k| grids[*k].0.shape());
    let mut field = Field::default();
    for group in order.chunks(LANES) {
        field.load(grids, group, rule);
        field.settle(rule);
        field.store(grids, group, &mut all);
    }
    all
}

/// The labels of many grids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    starts: Vec<usize>,
    cells: Vec<i16>,
}

impl Labels {
    /// The labels of a grid, by its position.
    pub fn of(&self, grid: usize) -> impl Iterator<Item = Option<u16>> {
        let range = self.starts[grid]..self.starts[grid + 1];
        let label = |label: &i16| (*label != ABSENT).then_some(*label as u16);
        self.cells[range].iter().map(label)
    }

    /// How many objects there are in all.
    pub fn n_objects(&self) -> usize {
        let grids = self
            .starts
            .windows(2)
            .map(|ends| &self.cells[ends[0]..ends[1]]);
        let is_first = |(k, label): (usize, &i16)| usize::from(*label as usize == k);
        grids
            .flat_map(|cells| cells.iter().enumerate().map(is_first))
            .sum()
    }
}

/// Grids side by side, with a ring of nothing around them.
#[derive(Default)]
struct Field {
    stride: usize,
    height: usize,
    keys: Vec<Lanes>,
    labels: Vec<Lanes>,
}

impl Field {
    fn load(&mut self, grids: &[(&Grid, Option<u8>)], group: &[usize], rule: Rule) {
        let shape = |k: &usize| grids[*k].0.shape();
        self.height = group.iter().map(|k| shape(k).0).max().unwrap_or(0);
        self.stride = group.iter().map(|k| shape(k).1).max().unwrap_or(0) + 2;
        let n_places = self.stride * (self.height + 2);
        self.keys.clear();
        self.keys.resize(n_places, [NO_KEY; LANES]);
        self.labels.clear();
        self.labels.resize(n_places, [ABSENT; LANES]);
        for (lane, k) in group.iter().enumerate() {
            self.load_lane(lane, grids[*k], rule);
        }
    }

    fn load_lane(&mut self, lane: usize, (grid, background): (&Grid, Option<u8>), rule: Rule) {
        let mut number = 0;
        for (i, row) in grid.rows().enumerate() {
            let start = (i + 1) * self.stride + 1;
            let keys = self.keys[start..].iter_mut();
            for ((colour, key), label) in row.iter().zip(keys).zip(&mut self.labels[start..]) {
                if Some(*colour) != background {
                    key[lane] = if rule.univalued {
                        i16::from(*colour)
                    } else {
                        0
                    };
                    label[lane] = number;
                }
                number += 1;
            }
        }
    }

    fn settle(&mut self, rule: Rule) {
        while self.sweep(rule) {}
    }

    /// Once down and once up; has anything changed?
    fn sweep(&mut self, rule: Rule) -> bool {
        let stride = self.stride;
        let (start, end) = (stride + 1, stride * (self.height + 1));
        let back: &[usize] = &[1, stride, stride + 1, stride - 1];
        let back = if rule.diagonal { back } else { &back[..2] };
        let mut changes: Lanes = [0; LANES];
        for place in start..end {
            self.take_least(place, back.iter().map(|step| place - step), &mut changes);
        }
        for place in (start..end).rev() {
            self.take_least(place, back.iter().map(|step| place + step), &mut changes);
        }
        changes.iter().any(|change| *change != 0)
    }

    /// The least label among a place and those of its neighbours that have the same key.
    #[inline]
    fn take_least(
        &mut self,
        place: usize,
        others: impl Iterator<Item = usize>,
        changes: &mut Lanes,
    ) {
        let (key, before) = (self.keys[place], self.labels[place]);
        let mut least = before;
        for other in others {
            let (other_key, label) = (&self.keys[other], &self.labels[other]);
            for lane in 0..LANES {
                let seen = if other_key[lane] == key[lane] {
                    label[lane]
                } else {
                    ABSENT
                };
                least[lane] = least[lane].min(seen);
            }
        }
        for lane in 0..LANES {
            changes[lane] |= least[lane] ^ before[lane];
        }
        self.labels[place] = least;
    }

    fn store(&self, grids: &[(&Grid, Option<u8>)], group: &[usize], all: &mut Labels) {
        for (lane, k) in group.iter().enumerate() {
            let width = grids[*k].0.width();
            let cells = &mut all.cells[all.starts[*k]..all.starts[*k + 1]];
            for (i, row) in cells.chunks_exact_mut(width).enumerate() {
                let labels = &self.labels[(i + 1) * self.stride + 1..];
                for (cell, label) in row.iter_mut().zip(labels) {
                    *cell = label[lane];
                }
            }
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
    fn labels_side_by_side_are_those_of_union_find() {
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
