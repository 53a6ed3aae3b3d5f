//! Puzzles with hundreds of pairs: which of them stand for all.
//!
//! No task of ARC has more than ten demonstrations; generators make a thousand. What is done for
//! every candidate is done for some of the pairs, and only what holds for these is checked on all.

use leyden_grid::{Pair, Puzzle};

/// More demonstrations than these are very many.
pub(crate) const MOST_DEMOS: usize = 16;
/// So many of very many stand for all: twice what most tasks of ARC have.
const N_STANDING: usize = 6;

/// The places of the demonstrations that stand for all: of very many some at equal distances.
pub(crate) fn standing(n_demos: usize) -> impl Iterator<Item = usize> + Clone {
    let n_kept = if n_demos > MOST_DEMOS {
        N_STANDING
    } else {
        n_demos
    };
    spread(n_demos, n_kept)
}

/// What programs see of the demonstrations: none, if they read none. Making very many ready takes
/// long.
pub(crate) fn demos_if(is_read: bool, puzzle: &Puzzle) -> &[Pair] {
    if is_read { &puzzle.demos } else { &[] }
}

/// The places of so many of `n` items, at equal distances.
pub(crate) fn spread(n: usize, n_kept: usize) -> impl Iterator<Item = usize> + Clone {
    (0..n_kept).map(move |k| k * n / n_kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_of_many_are_spread_and_few_stay_as_they_are() {
        let places = |n| standing(n).collect::<Vec<_>>();
        assert_eq!(places(1_000), [0, 166, 333, 500, 666, 833]);
        assert_eq!(places(3), [0, 1, 2]);
        assert_eq!(places(MOST_DEMOS).len(), MOST_DEMOS);
        assert!(places(0).is_empty());
    }
}
