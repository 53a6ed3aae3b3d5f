//! Labels many grids on the CPU: the rival that a device has to beat.
//!
//! [`label_all`] compares cells with their neighbours many at a time, and then visits only those
//! that belong together with one ([`joins`]). It allocates nothing for a grid: all grids use one
//! piece of memory.

mod joins;
mod plain;

use leyden_grid::Grid;

pub use plain::label_plainly;

/// The number of a cell that belongs to no object.
const ABSENT: u16 = u16::MAX;

/// A rule for cells that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Only cells of one colour.
    pub univalued: bool,
    /// Also cells that touch at a corner.
    pub diagonal: bool,
}

/// Labels grids. A cell's label is the index of the first cell of its object, or `None` for cells
/// of the grid's background.
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
        cells: vec![0; n_cells],
    };
    let mut labeller = joins::Labeller::default();
    for (k, (grid, background)) in grids.iter().enumerate() {
        let labels = &mut all.cells[all.starts[k]..all.starts[k + 1]];
        labeller.label(grid, *background, rule, labels);
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
    /// The labels of a grid, by its index.
    pub fn of(&self, grid: usize) -> impl Iterator<Item = Option<u16>> {
        let range = self.starts[grid]..self.starts[grid + 1];
        let label = |label: &u16| (*label != ABSENT).then_some(*label);
        self.cells[range].iter().map(label)
    }

    /// The number of all objects.
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

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_exec::random::{Case, Dice};

    #[test]
    fn labels_by_bits_are_those_of_union_find() {
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
