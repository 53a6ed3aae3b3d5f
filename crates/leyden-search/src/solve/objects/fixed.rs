//! Vectors that are equal for several objects.

use rustc_hash::FxHashMap;

use super::actions::Goal;
use super::said::{Said, Table};
use super::scene::{Vector, World};

/// The largest number of fixed vectors.
const MAX_VECTORS: usize = 40;
/// The cost of a fixed vector of one step, and of another one.
const STEP_COST: u32 = 3;
const COST: u32 = 5;

/// The vectors by which objects are seen again in the outputs, the most frequent ones.
pub(super) fn vectors(world: &World, goal: &Goal) -> Vec<Table<Vector>> {
    let mut counts: FxHashMap<Vector, usize> = FxHashMap::default();
    for k in 0..world.n_shown() {
        let (thing, scene) = (&world.things[k], world.scene(k));
        let output = &goal.outputs[world.scene_of[k]];
        let rows = -thing.top..scene.height - thing.bottom;
        let columns = -thing.left..scene.width - thing.right;
        for (i, j) in rows.flat_map(|i| columns.clone().map(move |j| (i, j))) {
            let at = |cell: &(i16, i16, u8)| scene.place(cell.0 + i, cell.1 + j);
            let is_there = |cell: &(i16, i16, u8)| at(cell).is_some_and(|at| output[at] == cell.2);
            let is_new =
                |cell: &(i16, i16, u8)| at(cell).is_some_and(|at| scene.colours[at] != cell.2);
            if thing.cells.iter().all(is_there) && thing.cells.iter().any(is_new) {
                *counts.entry((i, j)).or_default() += 1;
            }
        }
    }
    let mut vectors: Vec<(usize, Vector)> = counts.into_iter().map(|(v, n)| (n, v)).collect();
    vectors.sort_unstable_by_key(|(n, (i, j))| (usize::MAX - n, i.abs() + j.abs(), *i, *j));
    vectors.truncate(MAX_VECTORS);
    let table = |(_, (i, j)): (usize, Vector)| {
        let cost = if i.abs() <= 1 && j.abs() <= 1 {
            STEP_COST
        } else {
            COST
        };
        let values = vec![Some((i, j)); world.things.len()];
        Table::new(Said::Fixed(format!("({i}, {j})")), cost, values)
    };
    vectors.into_iter().map(table).collect()
}
