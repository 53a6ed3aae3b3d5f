//! The places where the keys of a set can be, for any order of insertion.
//!
//! A key is in the slot of its hash, or in one of the next slots if that is taken. Keys that want
//! neighbouring slots can push each other on; other keys stay. So the table falls into groups of
//! slots. The order of two keys in different groups is known. The history of the set, which may be
//! long, decides only within a group.

use std::cell::RefCell;
use std::rc::Rc;

use super::distinct::{Bits, MAX_KEPT_SLOTS};
use super::{LINEAR_PROBES, MIN_SLOTS, Probes, keys_after_growing, keys_of_full, slots_above};

/// The range of slots in which a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first slot.
    pub first: u32,
    /// The last slot.
    pub last: u32,
}

impl Region {
    /// Does a key of this region always come before a key of the other one?
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

/// The size of a set's table after this many different keys were added one by one.
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

/// The size of the table of a set's copy, if the set has this many keys.
pub fn slots_after_copying(n_keys: usize) -> usize {
    if n_keys < keys_of_full(MIN_SLOTS) {
        MIN_SLOTS
    } else {
        slots_above(n_keys * 2)
    }
}

/// The region of each key in a table of this size without dummies. The keys differ and are given by
/// their hashes. None if too many keys have to jump.
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
pub fn regions(hashes: &[i64], n_slots: usize) -> Option<Rc<[Region]>> {
    SPACE.with_borrow_mut(|space| {
        let regions = space.groups(n_slots).regions(hashes);
        if space.group.len() > MAX_KEPT_SLOTS {
            *space = Space::default();
        }
        regions
    })
}

thread_local! {
    static SPACE: RefCell<Space> = RefCell::default();
}

/// The memory for groups.
#[derive(Default)]
struct Space {
    taken: Vec<u64>,
    crowded: Vec<u64>,
    shared: Vec<u64>,
    n_more: Vec<u32>,
    group: Vec<Region>,
}

impl Space {
    fn groups(&mut self, n_slots: usize) -> Groups<'_> {
        if self.group.len() < n_slots {
            let nowhere = Region { first: 0, last: 0 };
            self.group.resize(n_slots, nowhere);
            self.n_more.resize(n_slots, 0);
        }
        Groups {
            mask: n_slots - 1,
            taken: Bits::cleared(&mut self.taken, n_slots),
            crowded: Bits::cleared(&mut self.crowded, n_slots),
            n_more: &mut self.n_more[..n_slots],
            shared: Bits::cleared(&mut self.shared, n_slots),
            group: &mut self.group[..n_slots],
        }
    }
}

/// The most rounds in which keys are sent on.
const MAX_ROUNDS: usize = 6;

/// A further slot where the search for a key's place may start.
struct Wanted {
    key: u32,
    probes: Probes,
    /// Whether the key was sent on from this slot.
    has_jumped: bool,
}

struct Groups<'s> {
    mask: usize,
    /// The slots that at least one key wants.
    taken: Bits<'s>,
    /// The slots that several keys want.
    crowded: Bits<'s>,
    /// For each crowded slot, the number of keys beyond the first. Other slots hold old numbers.
    n_more: &'s mut [u32],
    /// The slots in groups of more than one key.
    shared: Bits<'s>,
    /// For each shared slot, its group. Other slots hold old groups.
    group: &'s mut [Region],
}

impl Groups<'_> {
    fn regions(&mut self, hashes: &[i64]) -> Option<Rc<[Region]>> {
        for hash in hashes {
            self.want(*hash as usize & self.mask);
        }
        if self.cut_into_groups() {
            Some(self.own_regions(hashes).collect())
        } else {
            self.regions_with_jumps(hashes).map(Rc::from)
        }
    }

    #[inline]
    fn want(&mut self, slot: usize) {
        if !self.taken.put(slot) {
            let n_more = &mut self.n_more[slot];
            *n_more = if self.crowded.put(slot) {
                1
            } else {
                *n_more + 1
            };
        }
    }

    #[inline]
    fn region(&self, slot: usize) -> Region {
        if self.shared.has(slot) {
            self.group[slot]
        } else {
            Region {
                first: slot as u32,
                last: slot as u32,
            }
        }
    }

    fn own_regions(&self, hashes: &[i64]) -> impl Iterator<Item = Region> {
        hashes.iter().map(|h| self.region(*h as usize & self.mask))
    }

    /// Cuts the table into groups, so that no key is pushed from one to the next. Returns whether
    /// every key surely stays within its group.
    fn cut_into_groups(&mut self) -> bool {
        let mut have_room = true;
        let mut from = 0;
        while let Some(first) = self.crowded.next(from) {
            let last = self.end_of_group(first);
            let group = Region {
                first: first as u32,
                last: last as u32,
            };
            have_room &= self.has_room(last, group);
            for slot in first..=last {
                self.group[slot] = group;
                self.shared.put(slot);
            }
            from = last + 1;
        }
        have_room
    }

    /// The last slot of the group that begins with a crowded one.
    fn end_of_group(&self, first: usize) -> usize {
        let (mut slot, mut n_pushed) = (first, self.n_more[first]);
        while n_pushed > 0 && slot < self.mask {
            slot += 1;
            if !self.taken.has(slot) {
                n_pushed -= 1;
            } else if self.crowded.has(slot) {
                n_pushed += self.n_more[slot];
            }
        }
        slot
    }

    /// Whether a key that wants this slot surely finds a place in its group. It probes ten slots,
    /// so it does in a group of at most ten. Near the end of the table it probes only its own slot.
    #[inline]
    fn has_room(&self, slot: usize, group: Region) -> bool {
        let n_slots = (group.last - group.first + 1) as usize;
        slot + LINEAR_PROBES <= self.mask && n_slots <= LINEAR_PROBES + 1
    }

    /// The regions if keys may have to jump to slots elsewhere.
    fn regions_with_jumps(&mut self, hashes: &[i64]) -> Option<Vec<Region>> {
        let mut have_jumped = Vec::new();
        let mut have_jumped = Bits::cleared(&mut have_jumped, hashes.len());
        let mut others = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let n_others = others.len();
            self.let_others_jump(&mut others);
            self.let_jump(hashes, &mut have_jumped, &mut others);
            if others.len() == n_others {
                return Some(self.joined_regions(hashes, &others));
            }
            if others.len() > hashes.len() {
                return None;
            }
            self.cut_into_groups();
        }
        None
    }

    /// May a key that wants this slot have to jump elsewhere?
    #[inline]
    fn may_jump(&self, slot: usize) -> bool {
        self.shared.has(slot) && !self.has_room(slot, self.group[slot])
    }

    /// Sends on all keys that may have to jump.
    fn let_jump(&mut self, hashes: &[i64], have_jumped: &mut Bits<'_>, others: &mut Vec<Wanted>) {
        for (key, hash) in hashes.iter().enumerate() {
            if self.may_jump(*hash as usize & self.mask) && have_jumped.put(key) {
                others.push(self.sent_on(key as u32, Probes::new(*hash, self.mask)));
            }
        }
    }

    /// Sends on keys that were sent on before and may have to jump again.
    fn let_others_jump(&mut self, others: &mut Vec<Wanted>) {
        for k in 0..others.len() {
            let Wanted { key, probes, .. } = others[k];
            if self.may_jump(probes.start) && !others[k].has_jumped {
                others[k].has_jumped = true;
                others.push(self.sent_on(key, probes));
            }
        }
    }

    fn sent_on(&mut self, key: u32, mut probes: Probes) -> Wanted {
        probes.jump();
        self.want(probes.start);
        Wanted {
            key,
            probes,
            has_jumped: false,
        }
    }

    fn joined_regions(&self, hashes: &[i64], others: &[Wanted]) -> Vec<Region> {
        let mut regions: Vec<Region> = self.own_regions(hashes).collect();
        for wanted in others {
            let region = &mut regions[wanted.key as usize];
            *region = region.joined(self.region(wanted.probes.start));
        }
        regions
    }
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;

    /// Pseudo-random numbers, equal in every run.
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

    /// The slot of each key of the table.
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
        // Most tables, and most keys in them, need no history.
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
