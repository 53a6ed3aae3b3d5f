//! Random numbers that are equal on every machine, and the few distributions that projections need.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A named generator, like every generator in Leyden.
pub(crate) struct Chance(Pcg64Mcg);

impl Chance {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A uniform number above 0 and up to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }

    /// An exponential number with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A gamma number with a whole-numbered shape and scale 1: a sum of exponentials.
    pub(crate) fn gamma(&mut self, shape: usize) -> f64 {
        (0..shape).map(|_| self.exponential()).sum()
    }

    /// A beta number with whole-numbered shapes, neither of them 0.
    pub(crate) fn beta(&mut self, a: usize, b: usize) -> f64 {
        let x = self.gamma(a);
        x / (x + self.gamma(b))
    }

    /// A normal number with mean 0 and deviation 1 (Box and Muller).
    #[cfg(test)]
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_have_their_means() {
        let mut chance = Chance::seeded(1);
        let mut mean_of = |draw: fn(&mut Chance) -> f64| {
            (0..20_000).map(|_| draw(&mut chance)).sum::<f64>() / 20_000.0
        };
        assert!((mean_of(Chance::unit) - 0.5).abs() < 0.02);
        assert!((mean_of(Chance::exponential) - 1.0).abs() < 0.05);
        assert!((mean_of(|c| c.gamma(5)) - 5.0).abs() < 0.1);
        assert!((mean_of(|c| c.beta(2, 6)) - 0.25).abs() < 0.01);
        assert!(mean_of(Chance::normal).abs() < 0.03);
        assert!((mean_of(|c| c.normal().powi(2)) - 1.0).abs() < 0.05);
    }
}
