//! Learns layers of colour from demonstrations. A layer covers the cells that a few masks have in
//! common.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::super::bits::Bits;
use super::field::{Field, Mask, Name, Source};

/// The cost of a layer, in addition to its colours and masks.
const LAYER_COST: u32 = 2;
/// The largest number of layers.
const MAX_LAYERS: usize = 5;
/// The largest number of states considered, and of plans.
const MAX_STATES: usize = 40;
const MAX_PLANS: usize = 6;
/// The largest number of states for a plan that predicts a demonstration. One plan is enough there.
const MAX_STATES_TO_FORESEE: usize = 12;
/// The number of ways to name one set of needed cells.
const MAX_CONJUNCTIONS: usize = 3;
/// The number of masks that are combined in pairs, and in threes.
const MAX_PAIRED: usize = 250;
const MAX_IN_THREES: usize = 50;
/// The number of masks with wrong cells that are combined in pairs for a part of the work, and of
/// such pairs that are followed.
const MAX_SPOILT: usize = 150;
const MAX_PARTIAL: usize = 2;
/// The number of states from which such layers are searched.
const MAX_PARTIAL_STATES: usize = 15;

/// Colours put on cells.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) source: usize,
    /// The masks, all of which must hold. No mask means all cells for which the source has a
    /// colour.
    pub(super) masks: Vec<usize>,
    bits: Bits,
}

impl Layer {
    fn new(source: usize, masks: Vec<usize>, bits: Bits) -> Layer {
        Layer {
            source,
            masks,
            bits,
        }
    }
}

/// Layers over a picture, the topmost first.
#[derive(Clone, Debug)]
pub(super) struct Plan<'l> {
    pub(super) masks: &'l [Mask],
    pub(super) sources: &'l [Source],
    /// The picture below all layers, in arc-dsl.
    pub(super) start: String,
    pub(super) layers: Vec<Layer>,
    pub(super) cost: u32,
}

/// Masks that share the needed cells and no forbidden ones.
pub(super) struct Conjunction {
    pub(super) masks: Vec<usize>,
    pub(super) cost: u32,
    pub(super) bits: Bits,
}

/// A target to learn.
pub(super) struct Learner<'l> {
    field: &'l Field<'l>,
    masks: &'l [Mask],
    sources: &'l [Source],
    target: &'l [i8],
    base: &'l [i8],
    start: &'l str,
    /// The cells where each source is right, in the demonstrations.
    right: Vec<Bits>,
    covered: Vec<Bits>,
    /// The cells where the picture below is wrong.
    wrong: Bits,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    cost: u32,
    n_left: u32,
    state: usize,
}

struct State {
    open: Bits,
    layers: Vec<Layer>,
}

impl<'l> Learner<'l> {
    /// A learner that makes the target, the outputs' colours cell by cell, out of `base`.
    pub(super) fn new(
        field: &'l Field<'l>,
        masks: &'l [Mask],
        sources: &'l [Source],
        target: &'l [i8],
        (start, base): (&'l str, &'l [i8]),
    ) -> Learner<'l> {
        let is_demo = |k: usize| k < target.len();
        let equal =
            |values: &[i8]| Bits::of(field.n_bits, |k| is_demo(k) && values[k] == target[k]);
        Learner {
            field,
            masks,
            sources,
            target,
            base,
            start,
            right: sources.iter().map(|source| equal(&source.values)).collect(),
            covered: sources.iter().map(|source| field.covered(source)).collect(),
            wrong: Bits::of(field.n_bits, |k| is_demo(k) && base[k] != target[k]),
        }
    }

    /// Plans for all demonstrations but one, the cheapest first.
    pub(super) fn learn(&self, left_out: Option<usize>) -> Vec<Plan<'l>> {
        let skipped = left_out
            .and_then(|k| self.field.ranges().nth(k))
            .unwrap_or(0..0);
        let is_open = |k: usize| k < self.target.len() && !skipped.contains(&k);
        let mut states = vec![State {
            open: Bits::of(self.field.n_bits, is_open),
            layers: Vec::new(),
        }];
        let mut heap = BinaryHeap::from([Reverse(Open {
            cost: 0,
            n_left: 0,
            state: 0,
        })]);
        let mut seen: FxHashSet<Bits> = FxHashSet::default();
        let (max_plans, max_states) = match left_out {
            None => (MAX_PLANS, MAX_STATES),
            Some(_) => (1, MAX_STATES_TO_FORESEE),
        };
        let mut plans = Vec::new();
        let mut n_looked_at = 0;
        while let Some(Reverse(Open { cost, state, .. })) = heap.pop() {
            if plans.len() == max_plans || n_looked_at == max_states || self.field.is_over() {
                break;
            }
            n_looked_at += 1;
            if !self.wrong.meets(&states[state].open) {
                plans.push(self.plan(states[state].layers.clone(), cost));
                continue;
            }
            if states[state].layers.len() == MAX_LAYERS {
                continue;
            }
            let with_partial = n_looked_at <= MAX_PARTIAL_STATES;
            for (layer, layer_cost) in self.next(&states[state].open, with_partial) {
                let mut layers = states[state].layers.clone();
                let open = states[state].open.without(&layer.bits);
                let is_done = !self.wrong.meets(&open);
                layers.push(layer);
                if !is_done && !seen.insert(open.clone()) {
                    continue;
                }
                heap.push(Reverse(Open {
                    cost: cost + layer_cost,
                    n_left: self.wrong.n_common(&open),
                    state: states.len(),
                }));
                states.push(State { open, layers });
            }
        }
        plans
    }

    fn plan(&self, layers: Vec<Layer>, cost: u32) -> Plan<'l> {
        Plan {
            masks: self.masks,
            sources: self.sources,
            start: self.start.to_owned(),
            layers,
            cost,
        }
    }

    /// Layers that could lie under those that left these cells open.
    fn next(&self, open: &Bits, with_partial: bool) -> Vec<(Layer, u32)> {
        let left = self.wrong.and(open);
        let mut layers = Vec::new();
        for source in 0..self.sources.len() {
            let need = left.and(&self.right[source]);
            if !need.is_empty() && !self.field.is_over() {
                self.whole(source, &need, &left, open, &mut layers);
            }
        }
        if layers.is_empty() && with_partial {
            let constants = self
                .sources
                .iter()
                .take_while(|source| source.name == Name::Constant);
            for (source, _) in constants.enumerate() {
                let need = left.and(&self.right[source]);
                if !need.is_empty() && !self.field.is_over() {
                    layers.extend(self.partial(source, &need, open));
                }
            }
        }
        layers
    }

    /// Layers that give a source's colour to all cells that need it.
    fn whole(
        &self,
        source: usize,
        need: &Bits,
        left: &Bits,
        open: &Bits,
        layers: &mut Vec<(Layer, u32)>,
    ) {
        let forbidden = open.without(&self.right[source]);
        let is_painted = self.field.is_painted(&self.sources[source]);
        let is_constant = self.sources[source].name == Name::Constant;
        let covered = &self.covered[source];
        let cost = LAYER_COST + self.sources[source].cost;
        if is_painted && !covered.meets(&forbidden) {
            layers.push((Layer::new(source, Vec::new(), covered.clone()), cost));
            return;
        }
        if !is_constant && need != left {
            return;
        }
        // Few masks remain to be combined, mostly.
        self.field.spend(self.masks.len() + MAX_PAIRED * 32);
        for found in conjunctions(self.masks, need, &forbidden, covered) {
            let layer = Layer::new(source, found.masks, found.bits);
            layers.push((layer, cost + found.cost));
        }
    }

    /// Layers that give a source's colour to some cells that need it; those that cover most come
    /// first.
    fn partial(&self, source: usize, need: &Bits, open: &Bits) -> Vec<(Layer, u32)> {
        self.field.spend(self.masks.len() + MAX_SPOILT * MAX_SPOILT);
        let forbidden = open.without(&self.right[source]);
        let gain = |cost: u32, n_common: u32| i64::from(cost) - i64::from(n_common);
        let mut best: Vec<(i64, Vec<usize>)> = Vec::new();
        let mut spoilt: Vec<(i64, usize, Bits)> = Vec::new();
        for (k, mask) in self.masks.iter().enumerate() {
            let n_common = mask.bits.n_common(need);
            if n_common == 0 {
                continue;
            }
            let gain = gain(mask.cost, n_common);
            if mask.bits.meets(&forbidden) {
                spoilt.push((gain, k, mask.bits.and(&forbidden)));
            } else {
                best.push((gain, vec![k]));
            }
        }
        spoilt.sort_by_key(|(gain, k, _)| (*gain, *k));
        spoilt.truncate(MAX_SPOILT);
        for (k, (_, first, a)) in spoilt.iter().enumerate() {
            for (_, second, _) in spoilt[..k].iter().filter(|(_, _, b)| !b.meets(a)) {
                let masks = [&self.masks[*first], &self.masks[*second]];
                let n_common = masks[0].bits.n_common_with(&masks[1].bits, need);
                if n_common > 0 {
                    let gain = gain(masks[0].cost + masks[1].cost + 1, n_common);
                    best.push((gain, vec![*second, *first]));
                }
            }
        }
        best.sort_unstable();
        let mut layers: Vec<(Layer, u32)> = Vec::new();
        for (_, masks) in best {
            let costs: u32 = masks.iter().map(|k| self.masks[*k].cost).sum();
            let cost = LAYER_COST + self.sources[source].cost + costs + masks.len() as u32 - 1;
            let all = masks.iter().map(|k| &self.masks[*k].bits);
            let bits = all.fold(self.covered[source].clone(), |bits, mask| bits.and(mask));
            if layers.iter().all(|(layer, _)| layer.bits != bits) {
                layers.push((Layer::new(source, masks, bits), cost));
            }
            if layers.len() == MAX_PARTIAL {
                break;
            }
        }
        layers
    }

    /// Whether a plan gives this demonstration's output.
    pub(super) fn gives(&self, plan: &Plan<'l>, demo: usize) -> bool {
        let colour = |k: usize| {
            let layer = plan.layers.iter().find(|layer| layer.bits.has(k));
            layer.map_or(self.base[k], |layer| self.sources[layer.source].values[k])
        };
        let range = self.field.ranges().nth(demo).unwrap_or(0..0);
        range.into_iter().all(|k| colour(k) == self.target[k])
    }
}

/// The cheapest few conjunctions of masks that have all needed cells and no forbidden ones. Cells
/// that are not covered do not count.
pub(super) fn conjunctions(
    masks: &[Mask],
    need: &Bits,
    forbidden: &Bits,
    covered: &Bits,
) -> Vec<Conjunction> {
    let forbidden = forbidden.and(covered);
    let above = masks.iter().enumerate();
    let above = above.filter(|(_, mask)| need.is_within(&mask.bits));
    let mut found = Vec::new();
    // If two sets have one hash, one of them is lost, which does no harm.
    let mut places: FxHashMap<u64, usize> = FxHashMap::default();
    let mut rest: Vec<(Bits, usize)> = Vec::new();
    for (k, mask) in above {
        let wrong = mask.bits.and(&forbidden);
        if wrong.is_empty() {
            found.push(vec![k]);
            continue;
        }
        let place = *places
            .entry(FxBuildHasher.hash_one(&wrong))
            .or_insert(rest.len());
        match rest.get_mut(place) {
            None => rest.push((wrong, k)),
            Some((_, known)) if masks[*known].cost > mask.cost => *known = k,
            Some(_) => {}
        }
    }
    rest.sort_by_key(|(_, k)| masks[*k].cost);
    rest.truncate(MAX_PAIRED);
    pairs(&rest, &mut found);
    if found.is_empty() {
        threes(&rest, &mut found);
    }
    cheapest(masks, found, covered)
}

fn pairs(rest: &[(Bits, usize)], found: &mut Vec<Vec<usize>>) {
    for (k, (a, first)) in rest.iter().enumerate() {
        for (b, second) in &rest[..k] {
            if !a.meets(b) {
                found.push(vec![*second, *first]);
            }
        }
    }
}

fn threes(rest: &[(Bits, usize)], found: &mut Vec<Vec<usize>>) {
    let rest = &rest[..rest.len().min(MAX_IN_THREES)];
    for (k, (a, first)) in rest.iter().enumerate() {
        for (l, (b, second)) in rest[..k].iter().enumerate() {
            let both = a.and(b);
            let third = rest[..l].iter().filter(|(c, _)| !c.meets(&both));
            found.extend(third.map(|(_, third)| vec![*third, *second, *first]));
        }
    }
}

/// The cheapest conjunctions that differ somewhere.
fn cheapest(masks: &[Mask], found: Vec<Vec<usize>>, covered: &Bits) -> Vec<Conjunction> {
    let cost = |chosen: &[usize]| -> u32 {
        let costs: u32 = chosen.iter().map(|k| masks[*k].cost).sum();
        costs + chosen.len() as u32 - 1
    };
    let found = found.into_iter().map(|chosen| (cost(&chosen), chosen));
    let mut found: Vec<(u32, Vec<usize>)> = found.collect();
    found.sort_unstable();
    let mut kept: Vec<Conjunction> = Vec::new();
    for (cost, chosen) in found {
        let all = chosen.iter().map(|k| &masks[*k].bits);
        let bits = all.fold(covered.clone(), |bits, mask| bits.and(mask));
        if kept.iter().all(|known| known.bits != bits) {
            let masks = chosen;
            kept.push(Conjunction { masks, cost, bits });
        }
        if kept.len() == MAX_CONJUNCTIONS {
            break;
        }
    }
    kept
}
