//! The iteration order of a set whose keys are known to differ: its slots are only taken or free.

use std::cell::RefCell;

use super::{MIN_SLOTS, Probes, keys_after_growing, keys_of_full, slots_above};

/// Like [`insertion_order`](super::insertion_order), for keys that are known to differ.
///
/// ```
/// use leyden_dsl::pyset::order_of_distinct;
///
/// assert_eq!(order_of_distinct(&[16, 9, 3, 2, 1]), [4, 3, 2, 1, 0]);
/// ```
pub fn order_of_distinct(hashes: &[i64]) -> Vec<u32> {
    with_order_of_distinct(hashes.iter().copied(), <[u32]>::to_vec)
}

/// Lends the order of [`order_of_distinct`] to a function, without a new list.
pub fn with_order_of_distinct<T>(
    hashes: impl Iterator<Item = i64>,
    use_order: impl FnOnce(&[u32]) -> T,
) -> T {
    SPACE.with_borrow_mut(|space| {
        space.hashes.clear();
        space.hashes.extend(hashes);
        space.find_order();
        let result = use_order(&space.order);
        if space.keys.len() > MAX_KEPT_SLOTS {
            *space = Space::default();
        }
        result
    })
}

thread_local! {
    /// The memory of earlier calls, for reuse: most sets are small, and there are many.
    static SPACE: RefCell<Space> = RefCell::default();
}

/// The largest table, in slots, whose memory is kept.
pub(super) const MAX_KEPT_SLOTS: usize = 1 << 20;

/// The memory for a table, the hashes and the order.
#[derive(Default)]
struct Space {
    hashes: Vec<i64>,
    order: Vec<u32>,
    taken: Vec<u64>,
    /// The keys of taken slots. Other slots hold old keys.
    keys: Vec<u32>,
}

impl Space {
    fn find_order(&mut self) {
        let hashes = std::mem::take(&mut self.hashes);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        let (mut n_slots, mut n_put) = (MIN_SLOTS, 0);
        loop {
            let n_full = keys_of_full(n_slots);
            let end = hashes.len().min(n_full);
            let mut table = self.table(n_slots);
            // These keys come from a smaller table that was full.
            for key in order.drain(..) {
                table.put(key, hashes[key as usize]);
            }
            for (key, hash) in (n_put as u32..).zip(&hashes[n_put..end]) {
                table.put(key, *hash);
            }
            table.list_keys(&mut order);
            if end < n_full {
                break;
            }
            n_put = end;
            n_slots = slots_above(keys_after_growing(n_full));
        }
        (self.hashes, self.order) = (hashes, order);
    }

    /// An empty table.
    fn table(&mut self, n_slots: usize) -> DistinctTable<'_> {
        if self.keys.len() < n_slots {
            self.keys.resize(n_slots, 0);
        }
        DistinctTable {
            mask: n_slots - 1,
            taken: Bits::cleared(&mut self.taken, n_slots),
            keys: &mut self.keys[..n_slots],
        }
    }
}

/// A table of different keys.
struct DistinctTable<'s> {
    mask: usize,
    taken: Bits<'s>,
    keys: &'s mut [u32],
}

impl DistinctTable<'_> {
    #[inline]
    fn put(&mut self, key: u32, hash: i64) {
        let mut slot = hash as usize & self.mask;
        if !self.taken.put(slot) {
            slot = self.take_another(hash);
        }
        self.keys[slot] = key;
    }

    /// Takes a slot for a key whose first one is taken.
    fn take_another(&mut self, hash: i64) -> usize {
        let mut probes = Probes::new(hash, self.mask);
        loop {
            let run = probes.run();
            let n_taken = (!self.taken.window(run.start)).trailing_zeros() as usize;
            if n_taken < run.len() {
                self.taken.put(run.start + n_taken);
                return run.start + n_taken;
            }
            probes.jump();
        }
    }

    /// Adds all keys to a list, in the order of their slots.
    fn list_keys(&self, keys: &mut Vec<u32>) {
        for (k, word) in self.taken.0.iter().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                keys.push(self.keys[k * 64 + bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
    }
}

/// A set of a table's slots. It has one more word than the slots need, so that a run of probes can
/// be read at once.
pub(super) struct Bits<'s>(&'s mut [u64]);

impl<'s> Bits<'s> {
    /// The empty set of slots.
    pub(super) fn cleared(words: &'s mut Vec<u64>, n_slots: usize) -> Bits<'s> {
        words.clear();
        words.resize(n_slots.div_ceil(64) + 1, 0);
        Bits(words)
    }

    #[inline]
    pub(super) fn has(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 != 0
    }

    /// Adds a slot and returns whether it was missing.
    #[inline]
    pub(super) fn put(&mut self, slot: usize) -> bool {
        let (word, bit) = (&mut self.0[slot / 64], 1 << (slot % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The first slot of the set from this place on.
    #[inline]
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let mut first = u64::MAX << (from % 64);
        for (k, word) in self.0.iter().enumerate().skip(from / 64) {
            if word & first != 0 {
                return Some(k * 64 + (word & first).trailing_zeros() as usize);
            }
            first = u64::MAX;
        }
        None
    }

    /// The 64 slots from this place on, as bits.
    #[inline]
    fn window(&self, start: usize) -> u64 {
        let (word, bit) = (start / 64, start % 64);
        self.0[word] >> bit | (self.0[word + 1] << 1) << (63 - bit)
    }
}
