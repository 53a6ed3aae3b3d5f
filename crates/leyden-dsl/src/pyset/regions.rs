//! Where the keys of a set can lie, whatever the order in which they were put into it.
//!
//! A key lies in the slot of its hash unless that is taken; then it goes to one of the next slots. Keys
//! that want neighbouring slots can push each other around, all others do not notice. So the table falls
//! into groups of slots, and of two keys in different groups it is known which comes first: their
//! history, which may be long, decides only within a group.

use super::{LINEAR_PROBES, MIN_SLOTS, Probes, keys_after_growing, keys_of_full, slots_above};

/// The slots among which a key lies, from the first to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first of them.
    pub first: u32,
    /// The last of them.
    pub last: u32,
}

impl Region {
    /// Comes a key of this region before one of the other, always?
    #[inline]
    pub fn is_before(&self, other: &Region) -> bool {
        self.last < other.first
    }

    fn joined(self, other: Region) -> Region {
        Region {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}

/// The size of the table of a set to which that many different keys were added one by one.
pub fn slots_after_adding(n_keys: usize) -> usize {
    let mut n_slots = MIN_SLOTS;
    loop {
        let n_full = keys_of_full(n_slots);
        if n_keys < n_full {
            return n_slots;
        }
        n_slots = slots_above(keys_after_growing(n_full));
    }
}

/// The size of the table of a copy of a set with that many keys.
pub fn slots_after_copying(n_keys: usize) -> usize {
    match n_keys < keys_of_full(MIN_SLOTS) {
        true => MIN_SLOTS,
        false => slots_above(n_keys * 2),
    }
}

/// The region of each of some different keys, known by their hashes, in a table of that size without
/// dummies. None if too many of them might be anywhere.
///
/// ```
/// use leyden_dsl::pyset::{regions, slots_after_adding};
///
/// let hashes = [4, 1, 33, 7, 20];
/// let found = regions(&hashes, slots_after_adding(hashes.len())).unwrap();
/// assert!(found[1].is_before(&found[0]));
/// // 1 and 33 want the same of 32 slots.
/// assert_eq!(found[1], found[2]);
/// ```
pub fn regions(hashes: &[i64], n_slots: usize) -> Option<Vec<Region>> {
    let mut groups = Groups::new(hashes, n_slots);
    for _ in 0..MAX_ROUNDS {
        groups.find();
        if !groups.let_jump() {
            return Some(groups.regions(hashes.len()));
        }
        if groups.wanted.len() > hashes.len() * 2 {
            return None;
        }
    }
    None
}

/// How often a key may be sent on.
const MAX_ROUNDS: usize = 6;

/// A slot from which a key may start to look for a free one.
struct Wanted {
    key: u32,
    probes: Probes,
    /// The key was sent on from here.
    has_jumped: bool,
}

struct Groups {
    mask: usize,
    wanted: Vec<Wanted>,
    /// How many want each slot.
    n_wanted: Vec<u32>,
    /// The group of each slot that somebody wants.
    group: Vec<Region>,
}

impl Groups {
    fn new(hashes: &[i64], n_slots: usize) -> Groups {
        let mask = n_slots - 1;
        let mut n_wanted = vec![0; n_slots];
        let mut wanted = Vec::with_capacity(hashes.len() + hashes.len() / 4);
        for (key, hash) in hashes.iter().enumerate() {
            let probes = Probes::new(*hash, mask);
            n_wanted[probes.start] += 1;
            wanted.push(Wanted {
                key: key as u32,
                probes,
                has_jumped: false,
            });
        }
        let nowhere = Region { first: 0, last: 0 };
        Groups {
            mask,
            wanted,
            n_wanted,
            group: vec![nowhere; n_slots],
        }
    }

    /// Cuts the table where nobody can be pushed on to the next slot.
    fn find(&mut self) {
        let mut slot = 0;
        while slot <= self.mask {
            if self.n_wanted[slot] == 0 {
                slot += 1;
                continue;
            }
            let first = slot;
            let mut n_pushed = 0;
            loop {
                n_pushed = n_pushed + self.n_wanted[slot] - 1;
                slot += 1;
                if n_pushed == 0 || slot > self.mask {
                    break;
                }
            }
            let group = Region {
                first: first as u32,
                last: slot as u32 - 1,
            };
            self.group[first..slot].fill(group);
        }
    }

    /// Sends on all that may have to look elsewhere; were there any?
    ///
    /// A key probes the ten slots from its own on, so in a group of ten it finds one; near the end of the
    /// table it probes only its own.
    fn let_jump(&mut self) -> bool {
        let mut has_jumped = false;
        for k in 0..self.wanted.len() {
            let wanted = &mut self.wanted[k];
            let slot = wanted.probes.start;
            let group = self.group[slot];
            let n_slots = group.last - group.first + 1;
            let is_alone = n_slots == 1 && self.n_wanted[slot] == 1;
            let has_room =
                slot + LINEAR_PROBES <= self.mask && n_slots as usize <= LINEAR_PROBES + 1;
            if is_alone || has_room || wanted.has_jumped {
                continue;
            }
            wanted.has_jumped = true;
            has_jumped = true;
            let (key, mut probes) = (wanted.key, wanted.probes);
            probes.jump();
            self.n_wanted[probes.start] += 1;
            self.wanted.push(Wanted {
                key,
                probes,
                has_jumped: false,
            });
        }
        has_jumped
    }

    fn regions(&self, n_keys: usize) -> Vec<Region> {
        let own = &self.wanted[..n_keys];
        let mut regions: Vec<Region> = own.iter().map(|w| self.group[w.probes.start]).collect();
        for wanted in &self.wanted[n_keys..] {
            let region = &mut regions[wanted.key as usize];
            *region = region.joined(self.group[wanted.probes.start]);
        }
        regions
    }
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;

    /// Numbers that look random, always the same.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, n: u64) -> u64 {
            let step = 6_364_136_223_846_793_005;
            self.0 = self.0.wrapping_mul(step).wrapping_add(1);
            (self.0 >> 33) % n
        }

        fn keys(&mut self, n: usize, spread: u64) -> Vec<i64> {
            let mut keys = std::collections::BTreeSet::new();
            while keys.len() < n {
                keys.insert((self.below(spread) << 31 ^ self.below(spread)) as i64);
            }
            let mut keys: Vec<i64> = keys.into_iter().collect();
            for k in (1..keys.len()).rev() {
                keys.swap(k, self.below(k as u64 + 1) as usize);
            }
            keys
        }
    }

    fn added(keys: &[i64]) -> Table<i64> {
        let mut table = Table::new();
        for key in keys {
            table.add(*key, *key);
        }
        table
    }

    /// Where each key of the table lies.
    fn slots(table: &Table<i64>, keys: &[i64]) -> Vec<u32> {
        let slot = |key: &i64| {
            let mut entries = table.entries.iter();
            entries.position(|entry| entry.key() == Some(key)).unwrap() as u32
        };
        keys.iter().map(slot).collect()
    }

    #[test]
    fn every_key_lies_in_its_region() {
        let mut numbers = Numbers(7);
        let (mut n_known, mut n_alone, mut n_keys) = (0, 0, 0);
        for round in 0..3_000 {
            let n = 1 + numbers.below(if round % 20 == 0 { 900 } else { 60 }) as usize;
            let spread = 16 * n as u64 + (1 << numbers.below(30));
            let keys = numbers.keys(n, spread);
            let table = added(&keys);
            let (copy, n_copied) = (table.clone().retabled(), slots_after_copying(n));
            for (table, n_slots) in [(table, slots_after_adding(n)), (copy, n_copied)] {
                assert_eq!(table.entries.len(), n_slots, "{n} keys");
                let Some(found) = regions(&keys, n_slots) else {
                    continue;
                };
                n_known += 1;
                for (region, slot) in found.iter().zip(slots(&table, &keys)) {
                    assert!((region.first..=region.last).contains(&slot), "{keys:?}");
                    n_alone += usize::from(region.first == region.last);
                }
                n_keys += n;
            }
        }
        // Most tables and most keys in them are settled without a history.
        assert!(n_known > 4_000, "{n_known}");
        assert!(n_alone * 2 > n_keys, "{n_alone} of {n_keys}");
    }

    #[test]
    fn large_tables_have_the_sizes_that_are_worked_out() {
        for n in [4, 5, 18, 19, 20, 76, 77, 307, 5_000, 50_001, 130_000] {
            let keys: Vec<i64> = (0..n).collect();
            let table = added(&keys);
            assert_eq!(table.entries.len(), slots_after_adding(n as usize), "{n}");
            let copy = table.retabled();
            assert_eq!(copy.entries.len(), slots_after_copying(n as usize), "{n}");
        }
    }
}
