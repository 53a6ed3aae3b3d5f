//! Maps for the short time of a run, mostly with a few entries.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::vm::values::value::{Arena, List};

/// The number of entries that are searched one by one. Tables from the first entry on cost 0.4 % of the
/// instructions of own tasks; a limit of 64 changes nothing.
const MAX_FEW: usize = 8;

pub(crate) struct FewMap<'a, K, V> {
    few: List<'a, (K, V)>,
    others: FxHashMap<K, V>,
}

impl<'a, K: Copy + Eq + Hash, V> FewMap<'a, K, V> {
    pub(crate) fn new(arena: Arena<'a>) -> FewMap<'a, K, V> {
        FewMap {
            few: List::new_in(arena),
            others: FxHashMap::default(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        match self.few.iter().find(|entry| entry.0 == key) {
            Some(entry) => Some(&entry.1),
            None if self.others.is_empty() => None,
            None => self.others.get(&key),
        }
    }

    /// Adds an entry under a key that has none.
    pub(crate) fn add(&mut self, key: K, value: V) {
        if self.few.len() < MAX_FEW {
            self.few.push((key, value));
        } else {
            self.others.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;

    #[test]
    fn few_and_many_entries_are_found() {
        let arena = Room::default();
        for n in [0, 1, MAX_FEW, MAX_FEW + 1, 100] {
            let mut map = FewMap::new(&arena);
            for key in 0..n {
                map.add(key, 10 * key);
            }
            for key in 0..n {
                assert_eq!(map.get(key), Some(&(10 * key)));
            }
            assert!(map.get(n).is_none());
        }
    }
}
