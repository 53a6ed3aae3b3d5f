//! The memory of programs that are gone, in bounded space.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// The number of bits, a power of two.
const N_BITS: u64 = 1 << 21;
/// The number of set bits at which the filter is cleared.
const MOST_SET: u64 = N_BITS / 4;

/// The programs that were tried: a Bloom filter that is cleared when it is a quarter full.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    words: Vec<u64>,
    n_set: u64,
}

impl Default for Tried {
    fn default() -> Tried {
        Tried {
            words: vec![0; (N_BITS / 64) as usize],
            n_set: 0,
        }
    }
}

impl Tried {
    /// The key of a program on a task. A program on another task is another try.
    pub(super) fn key(place: usize, said: u64) -> u64 {
        let mut hasher = FxHasher::default();
        (place, said).hash(&mut hasher);
        spread(hasher.finish())
    }

    pub(super) fn has(&self, key: u64) -> bool {
        bits(key)
            .iter()
            .all(|bit| self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1)
    }

    pub(super) fn insert(&mut self, key: u64) {
        if self.n_set > MOST_SET {
            *self = Tried::default();
        }
        for bit in bits(key) {
            let word = &mut self.words[(bit / 64) as usize];
            self.n_set += u64::from(*word >> (bit % 64) & 1 == 0);
            *word |= 1 << (bit % 64);
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Tried> {
        let (words, rest) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let n_set = words.iter().map(|word| u64::from(word.count_ones())).sum();
        let is_whole = rest.is_empty() && words.len() as u64 * 64 == N_BITS;
        is_whole.then_some(Tried { words, n_set })
    }
}

fn bits(key: u64) -> [u64; 3] {
    [key % N_BITS, (key >> 21) % N_BITS, (key >> 42) % N_BITS]
}

/// Mixes a hash so that each bit depends on all others (the finaliser of SplitMix64).
pub(super) fn spread(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The number of bits that choose a register.
const REGISTER_BITS: u32 = 14;

/// Counts distinct hashes in 16 kB, to within about a percent (HyperLogLog).
#[derive(Clone, Debug)]
pub(super) struct Sketch(Vec<u8>);

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch(vec![0; 1 << REGISTER_BITS])
    }
}

impl Sketch {
    pub(super) fn insert(&mut self, hash: u64) {
        let hash = spread(hash);
        let register = &mut self.0[(hash >> (64 - REGISTER_BITS)) as usize];
        let rank = (hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1)).leading_zeros() + 1;
        *register = (*register).max(rank as u8);
    }

    pub(super) fn count(&self) -> u64 {
        let m = self.0.len() as f64;
        let sum: f64 = self.0.iter().map(|rank| (-f64::from(*rank)).exp2()).sum();
        let n_empty = self.0.iter().filter(|rank| **rank == 0).count() as f64;
        let estimate = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let count = if estimate <= 2.5 * m && n_empty > 0.0 {
            m * (m / n_empty).ln()
        } else {
            estimate
        };
        count.round() as u64
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Sketch> {
        (bytes.len() == 1 << REGISTER_BITS).then(|| Sketch(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sketches_count_within_three_percent() {
        for n in [0, 10, 1_000, 100_000, 1_000_000u64] {
            let mut sketch = Sketch::default();
            (0..n).for_each(|k| sketch.insert(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            (0..n / 2).for_each(|k| sketch.insert(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            let error = sketch.count().abs_diff(n);
            assert!(error * 100 <= 3 * n, "{} for {n}", sketch.count());
        }
    }

    #[test]
    fn what_was_tried_is_known_and_little_else() {
        let mut tried = Tried::default();
        let key = |k: u64| Tried::key(3, k);
        (0..50_000).for_each(|k| tried.insert(key(k)));
        assert!((0..50_000).all(|k| tried.has(key(k))));
        let n_wrong = (50_000..100_000).filter(|k| tried.has(key(*k))).count();
        assert!(n_wrong < 500, "{n_wrong}");
        let back = Tried::of_bytes(&tried.bytes()).unwrap();
        assert_eq!((back.n_set, back.words), (tried.n_set, tried.words));
    }
}
