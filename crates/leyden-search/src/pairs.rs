//! Chooses the pairs that represent a puzzle with hundreds of them.
//!
//! No task of ARC has more than ten demonstrations; generators make a thousand. The search runs
//! every candidate on some of the pairs, and checks only those that pass on all.

use leyden_grid::{Pair, Puzzle};

/// The largest number of demonstrations that are all used.
pub(crate) const MOST_DEMOS: usize = 16;
/// The number of standing pairs of a larger puzzle: twice the number of demonstrations of most ARC
/// tasks.
const N_STANDING: usize = 6;

/// The indices of the standing demonstrations, which represent all. If there are very many,
/// only some at equal distances stand.
pub(crate) fn standing(n_demos: usize) -> impl Iterator<Item = usize> + Clone {
    let n_kept = if n_demos > MOST_DEMOS {
        N_STANDING
    } else {
        n_demos
    };
    spread(n_demos, n_kept)
}

/// The demonstrations for programs that read them, otherwise none. Preparing very many takes long.
pub(crate) fn demos_if(is_read: bool, puzzle: &Puzzle) -> &[Pair] {
    if is_read { &puzzle.demos } else { &[] }
}

/// The indices of `n_kept` of `n` items, at equal distances.
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
