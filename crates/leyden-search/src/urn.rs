//! Draws by weight.

use crate::dice::Dice;

/// Numbers 0 to n, each with a weight. A tree of sums makes a draw and a change take as many steps
/// as n has binary digits. Weights are whole numbers, so draws are equal on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Urn {
    weights: Vec<u64>,
    /// Entry k is the sum of the weights from `k + 1 - lowest bit of (k + 1)` to k.
    sums: Vec<u64>,
}

/// The largest weight. Larger ones count as this, so that sums cannot overflow.
const LARGEST: u64 = u32::MAX as u64;

impl Urn {
    pub(crate) fn new(weights: &[u64]) -> Urn {
        let weights: Vec<u64> = weights
            .iter()
            .map(|weight| (*weight).min(LARGEST))
            .collect();
        let mut sums = weights.clone();
        for k in 0..sums.len() {
            let parent = k | (k + 1);
            if parent < sums.len() {
                sums[parent] += sums[k];
            }
        }
        Urn { weights, sums }
    }

    /// Draws a number by weight; it stays in the urn.
    pub(crate) fn draw(&self, dice: &mut Dice) -> Option<usize> {
        match self.total() {
            0 => None,
            total => Some(self.at(dice.below(total as usize) as u64)),
        }
    }

    /// Sets a number's weight to 0, so that it is not drawn again.
    pub(crate) fn remove(&mut self, k: usize) {
        let weight = std::mem::take(&mut self.weights[k]);
        let mut place = k;
        while place < self.sums.len() {
            self.sums[place] -= weight;
            place |= place + 1;
        }
    }

    fn total(&self) -> u64 {
        let mut total = 0;
        let mut end = self.sums.len();
        while end > 0 {
            total += self.sums[end - 1];
            end &= end - 1;
        }
        total
    }

    /// The number in whose weight this mark falls, with all weights laid end to end.
    fn at(&self, mut mark: u64) -> usize {
        let mut start = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            let end = start + step;
            if end <= self.sums.len() && self.sums[end - 1] <= mark {
                mark -= self.sums[end - 1];
                start = end;
            }
            step /= 2;
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_falls_where_it_should() {
        for n in 0..20u64 {
            let weights: Vec<u64> = (0..n).map(|k| k * 7 % 5).collect();
            let urn = Urn::new(&weights);
            let laid_out: Vec<usize> = (0..weights.len())
                .flat_map(|k| vec![k; weights[k] as usize])
                .collect();
            assert_eq!(urn.total() as usize, laid_out.len());
            for (mark, k) in laid_out.iter().enumerate() {
                assert_eq!(urn.at(mark as u64), *k, "{mark} of {weights:?}");
            }
        }
    }

    #[test]
    fn what_is_removed_is_not_drawn() {
        let mut dice = Dice::seeded(1);
        let mut urn = Urn::new(&[3, 0, 5, 1, u64::MAX]);
        let mut drawn = Vec::new();
        while let Some(k) = urn.draw(&mut dice) {
            urn.remove(k);
            drawn.push(k);
        }
        assert_eq!(drawn[0], 4);
        drawn.sort_unstable();
        assert_eq!(drawn, [0, 2, 3, 4]);
    }

    #[test]
    fn draws_follow_the_weights() {
        let mut dice = Dice::seeded(2);
        let urn = Urn::new(&[1, 2, 7]);
        let mut counts = [0; 3];
        (0..10_000).for_each(|_| counts[urn.draw(&mut dice).unwrap()] += 1);
        assert!((850..1150).contains(&counts[0]), "{counts:?}");
        assert!((6_800..7_200).contains(&counts[2]), "{counts:?}");
    }
}
