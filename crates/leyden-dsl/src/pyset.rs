//! CPython's set: a hash table whose iteration order is that of CPython 3.11, bit for bit.
//!
//! The order depends on the hashes, on the growth policy and on how the set was built, so every
//! operation here follows the steps of its CPython namesake. Keys are generic: kernels that
//! build many small sets of locations use plain pairs instead of values.

mod distinct;
mod regions;

pub use distinct::{order_of_distinct, with_order_of_distinct};
pub use regions::{Region, regions, slots_after_adding, slots_after_copying};

const LINEAR_PROBES: usize = 9;
const PERTURB_SHIFT: u32 = 5;
const MIN_SLOTS: usize = 8;
const DUMMY_HASH: i64 = -1;

#[derive(Clone, Debug, PartialEq)]
enum Slot<K> {
    Empty,
    Dummy,
    Key(K),
}

#[derive(Clone, Debug)]
struct Entry<K> {
    hash: i64,
    slot: Slot<K>,
}

impl<K> Entry<K> {
    fn key(&self) -> Option<&K> {
        match &self.slot {
            Slot::Key(key) => Some(key),
            Slot::Empty | Slot::Dummy => None,
        }
    }

    fn is_vacant(&self) -> bool {
        matches!(self.slot, Slot::Empty)
    }
}

/// A set with CPython's table layout. The caller supplies each key's CPython hash.
#[derive(Clone, Debug)]
pub struct Table<K> {
    /// The slots. Before the first insertion the list is empty and stands for eight empty slots.
    entries: Vec<Entry<K>>,
    mask: usize,
    /// Keys and dummies.
    fill: usize,
    /// Keys.
    used: usize,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Table {
            entries: Vec::new(),
            mask: MIN_SLOTS - 1,
            fill: 0,
            used: 0,
        }
    }
}

fn vacant_slots<K>(n_slots: usize) -> Vec<Entry<K>> {
    let vacant = || Entry {
        hash: 0,
        slot: Slot::Empty,
    };
    std::iter::repeat_with(vacant).take(n_slots).collect()
}

/// The table size CPython picks to hold more than `min_used` keys.
fn slots_above(min_used: usize) -> usize {
    let mut n_slots = MIN_SLOTS;
    while n_slots <= min_used {
        n_slots <<= 1;
    }
    n_slots
}

/// The number of keys at which a table of this size is full, so that CPython grows it.
fn keys_of_full(n_slots: usize) -> usize {
    ((n_slots - 1) * 3).div_ceil(5)
}

/// The number of keys for which CPython makes the larger table when one with `n_used` keys is full.
fn keys_after_growing(n_used: usize) -> usize {
    n_used * if n_used > 50_000 { 2 } else { 4 }
}

/// The slots in the order in which CPython probes them for a hash.
#[derive(Clone, Copy)]
struct Probes {
    mask: usize,
    perturb: u64,
    start: usize,
}

impl Probes {
    #[inline]
    fn new(hash: i64, mask: usize) -> Self {
        Probes {
            mask,
            perturb: hash as u64,
            start: hash as usize & mask,
        }
    }

    #[inline]
    fn run(&self) -> std::ops::Range<usize> {
        let is_roomy = self.start + LINEAR_PROBES <= self.mask;
        self.start..self.start + if is_roomy { LINEAR_PROBES + 1 } else { 1 }
    }

    fn jump(&mut self) {
        self.perturb >>= PERTURB_SHIFT;
        let next = self.start.wrapping_mul(5).wrapping_add(1);
        self.start = next.wrapping_add(self.perturb as usize) & self.mask;
    }
}

impl<K> Table<K> {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of keys.
    #[inline]
    pub fn len(&self) -> usize {
        self.used
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The keys in CPython's iteration order.
    pub fn iter(&self) -> Iter<'_, K> {
        Iter {
            entries: self.entries.iter(),
        }
    }

    /// The keys with their hashes, in iteration order.
    pub fn hashed(&self) -> impl Iterator<Item = (i64, &K)> {
        self.entries
            .iter()
            .filter_map(|entry| entry.key().map(|key| (entry.hash, key)))
    }

    /// The number of slots that [`Table::find`] can return.
    pub fn n_slots(&self) -> usize {
        self.mask + 1
    }

    /// The key in a slot that [`Table::find`] returned.
    pub fn key_at(&self, slot: usize) -> Option<&K> {
        self.entries.get(slot).and_then(Entry::key)
    }

    /// Replaces the keys by others with equal hashes; all slots stay.
    pub fn map<L>(self, mut change: impl FnMut(K) -> L) -> Table<L> {
        let change_entry = |entry: Entry<K>| Entry {
            hash: entry.hash,
            slot: match entry.slot {
                Slot::Empty => Slot::Empty,
                Slot::Dummy => Slot::Dummy,
                Slot::Key(key) => Slot::Key(change(key)),
            },
        };
        Table {
            entries: self.entries.into_iter().map(change_entry).collect(),
            mask: self.mask,
            fill: self.fill,
            used: self.used,
        }
    }

    /// Replaces the keys, in iteration order, by a list of others with equal hashes. None if the
    /// list is too short.
    pub fn map_all<L>(self, keys: Vec<L>) -> Option<Table<L>> {
        let mut keys = keys.into_iter();
        let table = self.map(|_| keys.next());
        let entry_of = |entry: Entry<Option<L>>| {
            let slot = match entry.slot {
                Slot::Empty => Slot::Empty,
                Slot::Dummy => Slot::Dummy,
                Slot::Key(key) => Slot::Key(key?),
            };
            Some(Entry {
                hash: entry.hash,
                slot,
            })
        };
        Some(Table {
            entries: table
                .entries
                .into_iter()
                .map(entry_of)
                .collect::<Option<_>>()?,
            mask: table.mask,
            fill: table.fill,
            used: table.used,
        })
    }

    /// `set_insert_clean`: the key is known to be absent and there are no dummies.
    fn insert_clean(&mut self, hash: i64, key: K) {
        let mut probes = Probes::new(hash, self.mask);
        loop {
            for entry in &mut self.entries[probes.run()] {
                if entry.is_vacant() {
                    entry.hash = hash;
                    entry.slot = Slot::Key(key);
                    return;
                }
            }
            probes.jump();
        }
    }

    /// `set_table_resize`: the smallest table for more than `min_used` keys, without dummies.
    fn resize(&mut self, min_used: usize) {
        let n_slots = slots_above(min_used);
        let old = std::mem::replace(&mut self.entries, vacant_slots(n_slots));
        self.mask = n_slots - 1;
        self.fill = self.used;
        for entry in old {
            if let Slot::Key(key) = entry.slot {
                self.insert_clean(entry.hash, key);
            }
        }
    }

    /// Must CPython grow the table before `n_more` insertions?
    fn is_too_small_for(&self, n_more: usize) -> bool {
        (self.fill + n_more) * 5 >= self.mask * 3
    }

    /// `set(other)` or `frozenset(set)`: the keys in a new table. It moves the keys instead of
    /// copying them.
    pub fn retabled(self) -> Self {
        let mut fresh = Table::new();
        fresh.mask = slots_after_copying(self.used) - 1;
        if fresh.mask == self.mask && self.fill == self.used {
            return self;
        }
        fresh.entries = vacant_slots(fresh.mask + 1);
        fresh.fill = self.used;
        fresh.used = self.used;
        for entry in self.entries {
            if let Slot::Key(key) = entry.slot {
                fresh.insert_clean(entry.hash, key);
            }
        }
        fresh
    }
}

impl<K: PartialEq> Table<K> {
    /// The slot that holds the key. If the key is missing, the slot where it belongs: the last
    /// dummy on the way, or the empty slot at its end.
    #[inline]
    fn probe(&self, hash: i64, key: &K) -> Result<usize, usize> {
        let mut dummy = None;
        let mut probes = Probes::new(hash, self.mask);
        loop {
            let run = probes.run();
            for (slot, entry) in run.clone().zip(&self.entries[run]) {
                match &entry.slot {
                    Slot::Empty => return Err(dummy.unwrap_or(slot)),
                    Slot::Dummy => dummy = Some(slot),
                    Slot::Key(known) if entry.hash == hash && known == key => return Ok(slot),
                    Slot::Key(_) => {}
                }
            }
            probes.jump();
        }
    }

    /// The slot of a key.
    #[inline]
    pub fn find(&self, hash: i64, key: &K) -> Option<usize> {
        if self.entries.is_empty() {
            return None;
        }
        self.probe(hash, key).ok()
    }

    /// Is the key in the set?
    #[inline]
    pub fn contains(&self, hash: i64, key: &K) -> bool {
        self.find(hash, key).is_some()
    }

    /// `set.add`; an equal key in the set stays.
    #[inline]
    pub fn add(&mut self, hash: i64, key: K) {
        if self.entries.is_empty() {
            self.entries = vacant_slots(self.mask + 1);
        }
        if let Err(slot) = self.probe(hash, &key) {
            let entry = &mut self.entries[slot];
            let is_fresh = entry.is_vacant();
            entry.hash = hash;
            entry.slot = Slot::Key(key);
            self.used += 1;
            self.fill += usize::from(is_fresh);
            if is_fresh && self.is_too_small_for(0) {
                self.resize(keys_after_growing(self.used));
            }
        }
    }

    /// `set.discard`: leaves a dummy.
    pub fn discard(&mut self, hash: i64, key: &K) {
        if let Some(slot) = self.find(hash, key) {
            self.entries[slot] = Entry {
                hash: DUMMY_HASH,
                slot: Slot::Dummy,
            };
            self.used -= 1;
        }
    }

    /// Are all keys also in `other`?
    pub fn is_subset(&self, other: &Self) -> bool {
        self.used <= other.used && self.hashed().all(|(hash, key)| other.contains(hash, key))
    }
}

impl<K: PartialEq + Clone> Table<K> {
    /// `set_copy`. This is not a clone, because the new table may have another size.
    pub fn copy(&self) -> Self {
        let mut result = Table::new();
        result.update(self);
        result
    }

    /// `|=` and `set_merge`. `other` must not be this very set.
    pub fn update(&mut self, other: &Self) {
        self.update_by(other, K::clone);
    }

    /// Merges a set like [`Table::update`]. `key_of` translates its keys into others with equal
    /// hashes.
    pub fn update_by<L>(&mut self, other: &Table<L>, key_of: impl Fn(&L) -> K) {
        if other.used == 0 {
            return;
        }
        if self.is_too_small_for(other.used) {
            self.resize((self.used + other.used) * 2);
        }
        if self.fill > 0 {
            for (hash, key) in other.hashed() {
                self.add(hash, key_of(key));
            }
        } else {
            self.fill_by(other, key_of);
        }
    }

    /// `set_merge` into an empty table that is large enough. It copies the slots of a table of
    /// equal size without dummies, and otherwise inserts the keys one by one.
    fn fill_by<L>(&mut self, other: &Table<L>, key_of: impl Fn(&L) -> K) {
        if self.entries.is_empty() {
            self.entries = vacant_slots(self.mask + 1);
        }
        self.fill = other.used;
        self.used = other.used;
        if self.mask == other.mask && other.fill == other.used {
            for (ours, theirs) in self.entries.iter_mut().zip(&other.entries) {
                if let Some(key) = theirs.key() {
                    ours.hash = theirs.hash;
                    ours.slot = Slot::Key(key_of(key));
                }
            }
            return;
        }
        for (hash, key) in other.hashed() {
            self.insert_clean(hash, key_of(key));
        }
    }

    /// `|` and `union`. `is_same` tells whether `other` is this very set, because a merge that adds
    /// no key can still grow the table.
    pub fn union(&self, other: &Self, is_same: bool) -> Self {
        let mut result = self.copy();
        if !is_same {
            result.update(other);
        }
        result
    }

    /// `&`. A set and itself give a copy. Otherwise the keys of the smaller set are added in its
    /// order, or those of the right one if both are equally large.
    pub fn intersection(&self, other: &Self, is_same: bool) -> Self {
        if is_same {
            return self.copy();
        }
        let (large, small) = if other.used > self.used {
            (other, self)
        } else {
            (self, other)
        };
        let mut result = Table::new();
        for (hash, key) in small.hashed() {
            if large.contains(hash, key) {
                result.add(hash, key.clone());
            }
        }
        result
    }

    /// `-`
    pub fn difference(&self, other: &Self) -> Self {
        self.difference_by(other.used, |hash, key| other.contains(hash, key))
    }

    /// `-` with a set of `n_other` keys, given as a test for its keys. If that set is much smaller,
    /// CPython copies and discards, which leaves dummies.
    pub fn difference_by(&self, n_other: usize, is_other: impl Fn(i64, &K) -> bool) -> Self {
        let mut result = Table::new();
        if self.used == 0 || self.used >> 2 > n_other {
            result.update(self);
            result.discard_where(is_other);
            return result;
        }
        for (hash, key) in self.hashed() {
            if !is_other(hash, key) {
                result.add(hash, key.clone());
            }
        }
        result
    }

    /// `difference_update`: removes the dummies if there are many.
    fn discard_where(&mut self, is_other: impl Fn(i64, &K) -> bool) {
        for entry in &mut self.entries {
            if entry.key().is_some_and(|key| is_other(entry.hash, key)) {
                entry.hash = DUMMY_HASH;
                entry.slot = Slot::Dummy;
                self.used -= 1;
            }
        }
        if self.fill - self.used > self.mask / 4 {
            self.resize(keys_after_growing(self.used));
        }
    }
}

/// Iterates over the keys of a [`Table`].
#[derive(Clone, Debug)]
pub struct Iter<'a, K> {
    entries: std::slice::Iter<'a, Entry<K>>,
}

impl<'a, K> Iterator for Iter<'a, K> {
    type Item = &'a K;

    #[inline]
    fn next(&mut self) -> Option<&'a K> {
        self.entries.find_map(Entry::key)
    }
}

impl<'a, K> IntoIterator for &'a Table<K> {
    type Item = &'a K;
    type IntoIter = Iter<'a, K>;

    fn into_iter(self) -> Iter<'a, K> {
        self.iter()
    }
}

/// The order in which a set iterates after keys with these hashes were added one by one, as the
/// numbers of the keys. `is_equal` compares two keys of the same hash by their numbers; of equal
/// keys the first stays.
///
/// The result equals that of [`Table::add`], in a fraction of the memory: a slot is a number.
///
/// ```
/// use leyden_dsl::pyset::insertion_order;
///
/// // 8 and 0 want the same slot of a small table.
/// let keys = [8, 0, 8, 1];
/// let hashes = keys.map(i64::from);
/// assert_eq!(insertion_order(&hashes, |a, b| keys[a] == keys[b]), [0, 1, 3]);
/// ```
pub fn insertion_order(hashes: &[i64], is_equal: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut slots = Slots {
        slots: vec![VACANT; MIN_SLOTS],
        n_used: 0,
    };
    for k in 0..hashes.len() {
        slots.add(k as u32, hashes, &is_equal);
    }
    slots.slots.retain(|slot| *slot != VACANT);
    slots.slots
}

/// A slot that holds no key.
const VACANT: u32 = u32::MAX;

/// A table whose keys are numbers.
struct Slots {
    slots: Vec<u32>,
    n_used: usize,
}

impl Slots {
    fn mask(&self) -> usize {
        self.slots.len() - 1
    }

    #[inline]
    fn add(&mut self, key: u32, hashes: &[i64], is_equal: &impl Fn(usize, usize) -> bool) {
        let hash = hashes[key as usize];
        let mut probes = Probes::new(hash, self.mask());
        loop {
            for slot in &mut self.slots[probes.run()] {
                let known = *slot as usize;
                if *slot == VACANT {
                    *slot = key;
                    self.n_used += 1;
                    return self.grow_if_full(hashes);
                }
                if hashes[known] == hash && is_equal(known, key as usize) {
                    return;
                }
            }
            probes.jump();
        }
    }

    fn grow_if_full(&mut self, hashes: &[i64]) {
        if self.n_used < keys_of_full(self.slots.len()) {
            return;
        }
        let wanted = keys_after_growing(self.n_used);
        let old = std::mem::replace(&mut self.slots, vec![VACANT; slots_above(wanted)]);
        for key in old.into_iter().filter(|key| *key != VACANT) {
            self.place(key, hashes[key as usize]);
        }
    }

    /// Inserts a key that is known to be absent.
    fn place(&mut self, key: u32, hash: i64) {
        let mut probes = Probes::new(hash, self.mask());
        loop {
            if let Some(slot) = self.slots[probes.run()].iter_mut().find(|s| **s == VACANT) {
                *slot = key;
                return;
            }
            probes.jump();
        }
    }
}

#[cfg(test)]
mod tests;
