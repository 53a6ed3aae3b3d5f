//! Random choices that are equal on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A PCG generator (`Pcg64Mcg` of rand_pcg), which gives equal numbers on every machine. This file
/// turns numbers into choices, so no other crate can change them.
#[derive(Clone, Debug)]
pub struct Dice(Pcg64Mcg);

impl Dice {
    /// Makes dice from a seed.
    pub fn seeded(seed: u64) -> Dice {
        Dice(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        let unit = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        unit < probability
    }

    /// Picks one of several items; `None` if there are none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let k = self.below(items.len());
        items.get(k).copied()
    }

    /// Shuffles items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_rolls_the_same_for_ever() {
        let mut dice = Dice::seeded(1);
        let rolls: Vec<usize> = (0..8).map(|_| dice.below(1000)).collect();
        assert_eq!(rolls, ROLLS_OF_SEED_1);
    }

    const ROLLS_OF_SEED_1: [usize; 8] = [856, 137, 470, 726, 369, 557, 391, 739];

    #[test]
    fn rolls_are_spread() {
        let mut dice = Dice::seeded(2);
        let mut counts = [0; 6];
        (0..6_000).for_each(|_| counts[dice.below(6)] += 1);
        assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
        let n_hits = (0..10_000).filter(|_| dice.chance(0.25)).count();
        assert!((2300..2700).contains(&n_hits), "{n_hits}");
        assert_eq!(dice.below(0), 0);
        assert_eq!(dice.pick::<u8>(&[]), None);
    }
}
