//! Puzzles with hundreds of pairs: which of them stand for all.
//!
//! No task of ARC has more than ten demonstrations; generators make a thousand. What is done for
//! every candidate is done for some of the pairs, and only what holds for these is checked on all.

/// So many demonstrations stand for all.
pub(crate) const MOST_DEMOS: usize = 16;

/// The places of so many of `n` items at equal distances, or of all.
pub(crate) fn spread(n: usize, most: usize) -> impl Iterator<Item = usize> + Clone {
    let n_kept = n.min(most);
    (0..n_kept).map(move |k| k * n / n_kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_of_many_are_spread_and_few_stay_as_they_are() {
        let places = |n, most| spread(n, most).collect::<Vec<_>>();
        assert_eq!(places(1_000, 4), [0, 250, 500, 750]);
        assert_eq!(places(3, 4), [0, 1, 2]);
        assert!(places(0, 4).is_empty());
    }
}
