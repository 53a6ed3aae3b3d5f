//! Sets of cells over all samples.

/// The number of words of sets that take as long as a unit of fuel.
pub(crate) const WORDS_PER_FUEL: u64 = 4;

/// A set of cells: those of the first demonstration, then of the next, then of the tests if they
/// take part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of `n_bits` cells.
    pub(crate) fn none(n_bits: usize) -> Bits {
        Bits(vec![0; n_bits.div_ceil(64)])
    }

    /// The chosen ones of `n_bits` cells.
    pub(crate) fn of(n_bits: usize, is_in: impl Fn(usize) -> bool) -> Bits {
        let mut bits = Bits::none(n_bits);
        (0..n_bits).filter(|k| is_in(*k)).for_each(|k| bits.set(k));
        bits
    }

    pub(crate) fn set(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    pub(crate) fn has(&self, k: usize) -> bool {
        self.0[k / 64] >> (k % 64) & 1 == 1
    }

    pub(crate) fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(crate) fn without(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub(crate) fn remove(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether the other set has every cell of this one.
    pub(crate) fn is_within(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn n_common(&self, other: &Bits) -> u32 {
        let words = self.0.iter().zip(&other.0);
        words.map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// The number of cells that all three sets have.
    pub(crate) fn n_common_with(&self, second: &Bits, third: &Bits) -> u32 {
        let words = self.0.iter().zip(&second.0).zip(&third.0);
        words.map(|((a, b), c)| (a & b & c).count_ones()).sum()
    }

    /// The number of words that hold the set.
    pub(crate) fn n_words(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}
