//! Labels grids by union-find over cells, as a plain version to compare with.

use leyden_grid::Grid;

use super::Rule;

/// The labels of a grid, as in [`label_all`](super::label_all).
pub fn label_plainly(grid: &Grid, background: Option<u8>, rule: Rule) -> Vec<Option<u16>> {
    let (width, cells) = (grid.width(), grid.cells());
    let mut parents: Vec<u16> = (0..cells.len() as u16).collect();
    let belongs = |k: usize, other: usize| {
        if rule.univalued {
            cells[k] == cells[other]
        } else {
            Some(cells[other]) != background
        }
    };
    for i in 0..grid.height() {
        for j in 0..width {
            let k = i * width + j;
            if Some(cells[k]) == background {
                continue;
            }
            if j > 0 && belongs(k, k - 1) {
                unite(&mut parents, k, k - 1);
            }
            if i > 0 && belongs(k, k - width) {
                unite(&mut parents, k, k - width);
            }
            if rule.diagonal && i > 0 && j > 0 && belongs(k, k - width - 1) {
                unite(&mut parents, k, k - width - 1);
            }
            if rule.diagonal && i > 0 && j + 1 < width && belongs(k, k - width + 1) {
                unite(&mut parents, k, k - width + 1);
            }
        }
    }
    let label = |k: usize| (Some(cells[k]) != background).then(|| root(&mut parents, k) as u16);
    (0..cells.len()).map(label).collect()
}

fn unite(parents: &mut [u16], a: usize, b: usize) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b)] = a.min(b) as u16;
}

fn root(parents: &mut [u16], mut k: usize) -> usize {
    while usize::from(parents[k]) != k {
        parents[k] = parents[usize::from(parents[k])];
        k = parents[k].into();
    }
    k
}
