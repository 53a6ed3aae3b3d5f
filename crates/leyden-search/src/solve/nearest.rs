//! The states whose pictures come closest to the outputs.

use leyden_grid::{Grid, Puzzle};

use super::effort::Span;
use super::price::BIT;
use super::states::{ALWAYS_TRIED, STATES_PER_LOOK, StateId, States};

/// The bits of a cell's colour among ten.
const BITS_PER_CELL: f64 = 3.2;
/// The bits for a picture of the wrong size, in addition to all its cells.
const BITS_OF_SIZE: f64 = 8.0;

/// A state, and the bits that describe the outputs if the state is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) state: StateId,
    pub(super) bits: f64,
}

/// The states with the fewest bits for themselves and for the cells that are still wrong, at most
/// one for each list of pictures of the test inputs.
pub(super) fn nearest(
    states: &States,
    puzzle: &Puzzle,
    most: usize,
    is_wanted: impl Fn(StateId) -> bool,
    span: &Span<'_>,
) -> Vec<Near> {
    let n_demos = puzzle.demos.len();
    let mut best: Vec<Near> = Vec::new();
    for state in 0..states.all.len() as StateId {
        if state >= ALWAYS_TRIED && state % STATES_PER_LOOK == 0 && span.is_over() {
            break;
        }
        span.spend(1);
        if !is_wanted(state) {
            continue;
        }
        let near = Near {
            state,
            bits: f64::from(states.all[state as usize].cost) / f64::from(BIT)
                + bits_left(states, puzzle, state),
        };
        let place = best.partition_point(|it| it.bits <= near.bits);
        let tests = &states.all[state as usize].pictures[n_demos..];
        let is_alike = |it: &Near| states.all[it.state as usize].pictures[n_demos..] == *tests;
        if place >= most || best[..place].iter().any(is_alike) {
            continue;
        }
        best.retain(|it| !is_alike(it));
        best.insert(place, near);
        best.truncate(most);
    }
    best
}

/// The bits that correct the pictures of a state.
fn bits_left(states: &States, puzzle: &Puzzle, state: StateId) -> f64 {
    let pairs = puzzle.demos.iter().zip(states.pictures(state));
    pairs
        .map(|(pair, ours)| correction(ours, &pair.output))
        .sum()
}

fn correction(ours: &Grid, theirs: &Grid) -> f64 {
    let n_cells = theirs.cells().len();
    if ours.shape() != theirs.shape() {
        return BITS_OF_SIZE + BITS_PER_CELL * n_cells as f64;
    }
    let cells = ours.cells().iter().zip(theirs.cells());
    let n_wrong = cells.filter(|(a, b)| a != b).count();
    log2_choices(n_cells, n_wrong) + BITS_PER_CELL * n_wrong as f64
}

/// The logarithm of the number of ways to choose some of the cells.
fn log2_choices(n_cells: usize, n_chosen: usize) -> f64 {
    let n_chosen = n_chosen.min(n_cells - n_chosen);
    let factor = |k: usize| ((n_cells - k) as f64 / (k + 1) as f64).log2();
    (0..n_chosen).map(factor).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_cost_their_logarithm() {
        assert_eq!(log2_choices(9, 0), 0.0);
        assert!((log2_choices(9, 1) - 9f64.log2()).abs() < 1e-9);
        assert!((log2_choices(9, 2) - 36f64.log2()).abs() < 1e-9);
        assert!((log2_choices(9, 7) - 36f64.log2()).abs() < 1e-9);
    }
}
