//! Orders of sets as places among their elements.
//!
//! If the engine knows which element came from which, it need not look elements up, nor make them.

use leyden_dsl::pyset::{order_of_distinct, with_order_of_distinct};
use leyden_dsl::value::hash_tuple;

use crate::vm::Vm;
use crate::vm::order::from_provenance::{MAX_HISTORY, made_of};
use crate::vm::order::hashes::{hash, hashes};
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::finder::{Finder, address};
use crate::vm::values::value::Val;

/// Marks an element that is missing.
const NOWHERE: u32 = u32::MAX;

impl<'a> Vm<'a> {
    /// The places of a container's elements among [`Val::elements`], in CPython's order.
    pub(crate) fn places_in_order(&mut self, container: &Val<'a>) -> Option<&'a [u32]> {
        if !container.is_tuple()
            && let Some(places) = self.natural_places(container)
        {
            return Some(places);
        }
        let ordered = self.in_order(container)?;
        if container.is_tuple() {
            return Some(self.arena.alloc_slice_fill_iter(0..ordered.len() as u32));
        }
        let finder = Finder::new(container.elements(self.arena)?);
        let places = ordered.iter().map(|e| finder.find(e).map(|k| k as u32));
        let places = places.collect::<Option<Vec<u32>>>()?;
        let places = self.arena.alloc_slice_copy(&places);
        self.keep_places(address(container)?, places);
        Some(places)
    }

    /// Keeps the order of a set for later calls.
    fn keep_places(&mut self, address: usize, places: &'a [u32]) {
        self.places.insert(address, places);
        self.memo.keep_places(address, places);
    }

    /// The places of a set's elements in CPython's order, if they are known or follow directly from
    /// its provenance.
    pub(crate) fn natural_places(&mut self, set: &Val<'a>) -> Option<&'a [u32]> {
        let address = address(set)?;
        if let Some(known) = self.places.get(&address) {
            return Some(known);
        }
        if let Some(known) = self.memo.places(address) {
            let places = self.arena.alloc_slice_copy(&known);
            self.places.insert(address, places);
            return Some(places);
        }
        if self.history_depth > MAX_HISTORY {
            return None;
        }
        self.history_depth += 1;
        let places = self.places_by_making(set);
        self.history_depth -= 1;
        if let Some(places) = places {
            self.keep_places(address, places);
        }
        places
    }

    fn places_by_making(&mut self, set: &Val<'a>) -> Option<&'a [u32]> {
        let made = made_of(set)?;
        if let Made::By(Recipe::Objects(search)) = made {
            return self.places_of_objects(set, search);
        }
        if made.has_long_history()
            && let Some(ranks) = self.ranks(set)
        {
            return Some(self.arena.alloc_slice_copy(&ranks));
        }
        match (set, made) {
            (Val::Set(items), Made::By(Recipe::Product(a, b))) if made.tells_apart() => {
                self.places_of_pairs(items.all(), a, b)
            }
            (Val::Set(items), Made::By(Recipe::Part(whole @ Val::Set(_)))) => {
                self.places_of_part(items.all(), whole)
            }
            _ => None,
        }
    }

    /// The order of all pairs of two sets' elements, which are sorted by the first and then by the
    /// second one. This hashes each element once, not once for each pair.
    fn places_of_pairs(
        &mut self,
        pairs: &'a [Val<'a>],
        a: &Val<'a>,
        b: &Val<'a>,
    ) -> Option<&'a [u32]> {
        let (a, b) = (self.in_order(a)?, self.in_order(b)?);
        let (firsts, seconds) = sides(pairs, a.len(), b.len())?;
        let (left, right) = (places_among(&firsts, a)?, places_among(&seconds, b)?);
        let order = order_of_pairs(&hashes(a)?, &hashes(b)?);
        let n_left = left.len() as u32;
        let places = order.iter().map(|k| {
            let (i, j) = (k % n_left, k / n_left);
            left[i as usize] * right.len() as u32 + right[j as usize]
        });
        Some(self.arena.alloc_slice_fill_iter(places))
    }

    /// The order of elements that CPython picked from a set one after the other.
    fn places_of_part(&mut self, part: &'a [Val<'a>], whole: &Val<'a>) -> Option<&'a [u32]> {
        let places = self.natural_places(whole)?;
        let elements = whole.elements(self.arena)?;
        let part_of_whole = places_in_part(part, elements)?;
        let is_picked = |k: &&u32| part_of_whole[**k as usize] != NOWHERE;
        let mut picked: Vec<u32> = Vec::with_capacity(part.len());
        picked.extend(places.iter().filter(is_picked));
        let hashes = match PairHashes::of(whole, elements) {
            Some(pairs) => picked.iter().map(|k| pairs.at(*k as usize)).collect(),
            None => {
                let hashes = picked.iter().map(|k| hash(&elements[*k as usize]));
                hashes.collect::<Option<Vec<i64>>>()?
            }
        };
        Some(with_order_of_distinct(hashes.into_iter(), |order| {
            let places = order.iter().map(|k| picked[*k as usize]);
            let places = places.map(|k| part_of_whole[k as usize]);
            &*self.arena.alloc_slice_fill_iter(places)
        }))
    }
}

/// The hashes of all pairs of two sets' elements, which are sorted by the first and then by the second one.
struct PairHashes {
    firsts: Vec<i64>,
    seconds: Vec<i64>,
}

impl PairHashes {
    /// The hashes of the pairs of a product.
    fn of<'a>(product: &Val<'a>, pairs: &[Val<'a>]) -> Option<PairHashes> {
        let Made::By(Recipe::Product(a, b)) = made_of(product)? else {
            return None;
        };
        let (firsts, seconds) = sides(pairs, a.len()?, b.len()?)?;
        Some(PairHashes {
            firsts: hashes(&firsts)?,
            seconds: hashes(&seconds)?,
        })
    }

    fn at(&self, k: usize) -> i64 {
        let (first, second) = (k / self.seconds.len(), k % self.seconds.len());
        hash_tuple([self.firsts[first], self.seconds[second]].into_iter(), 2)
    }
}

/// The first and the second elements of a product of two sides of these lengths, if it is kept as
/// pairs. Then it is sorted by the first and then by the second one.
fn sides<'a>(
    pairs: &[Val<'a>],
    n_firsts: usize,
    n_seconds: usize,
) -> Option<(Vec<Val<'a>>, Vec<Val<'a>>)> {
    let are_pairs = pairs.iter().all(|pair| matches!(pair, Val::Two(_)));
    if !are_pairs || pairs.is_empty() || pairs.len() != n_firsts * n_seconds {
        return None;
    }
    let firsts = pairs.iter().step_by(n_seconds);
    let seconds = pairs[..n_seconds].iter();
    Some((
        firsts.filter_map(|pair| pair.end_of_two(true)).collect(),
        seconds.filter_map(|pair| pair.end_of_two(false)).collect(),
    ))
}

/// The places of some elements among sorted ones.
fn places_among(sorted: &[Val<'_>], elements: &[Val<'_>]) -> Option<Vec<u32>> {
    let finder = Finder::new(sorted);
    let places = elements.iter().map(|e| finder.find(e).map(|k| k as u32));
    places.collect()
}

/// The order of all pairs of keys, with the second key in the outer loop.
fn order_of_pairs(left: &[i64], right: &[i64]) -> Vec<u32> {
    let mut pairs = Vec::with_capacity(left.len() * right.len());
    for j in right {
        pairs.extend(left.iter().map(|i| hash_tuple([*i, *j].into_iter(), 2)));
    }
    order_of_distinct(&pairs)
}

/// For each element of a set, its place in a part of the set, if both have one order.
fn places_in_part(part: &[Val<'_>], whole: &[Val<'_>]) -> Option<Vec<u32>> {
    let mut n_found = 0;
    let place = |element: &Val<'_>| {
        let is_next = part.get(n_found).is_some_and(|next| next.is_same(element));
        n_found += usize::from(is_next);
        if is_next { n_found as u32 - 1 } else { NOWHERE }
    };
    let places = whole.iter().map(place).collect();
    (n_found == part.len()).then_some(places)
}
