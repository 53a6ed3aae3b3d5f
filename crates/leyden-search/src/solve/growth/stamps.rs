//! Stamps: what outputs show at equal places beside all cells of a kind. Stamps may turn with the
//! direction in which a second kind of cells lies.

use super::ground::{Sample, Step};
use super::harvest::{Harvest, Ink};
use super::walks::{If, Walkers};
use crate::solve::effort::Span;

/// The farthest cell of a stamp, in rows and in columns.
const FAR: i32 = 4;
/// The largest number of cells of a stamp.
const MAX_CELLS: usize = 40;
/// The cost in addition to the words and the cells.
const COST: u32 = 3;
const CELLS_PER_COST: usize = 3;
/// The fuel for each place and cell of a kind.
const PLACES_PER_FUEL: u64 = 8;

/// The directions of stamps that turn: the unturned one first.
const SIDES: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const CORNERS: [Step; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The cells around which a stamp is laid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) starts: usize,
    /// The condition that tells the direction; a stamp without one does not turn.
    pub(super) when: If,
    pub(super) is_diagonal: bool,
}

/// A cell of a stamp: its place in the first direction, and its colour if that is fixed.
pub(super) type Mark = (Step, Option<u8>);

/// A place turned from the first direction to the `k`-th.
fn turned((i, j): Step, k: usize) -> Step {
    match k {
        0 => (i, j),
        1 => (j, -i),
        2 => (-i, -j),
        _ => (-j, i),
    }
}

impl Places {
    fn directions(&self) -> &'static [Step] {
        match (self.when, self.is_diagonal) {
            (If::Always, _) => &SIDES[..1],
            (_, false) => &SIDES,
            (_, true) => &CORNERS,
        }
    }
}

impl Walkers<'_> {
    /// Offers the stamps of all kinds of places.
    pub(super) fn harvest_stamps(&self, harvest: &mut Harvest<'_>, span: &Span<'_>) {
        let marks = 0..self.words.marks.len();
        let mut all = vec![(If::Always, false, 0)];
        for mark in marks {
            all.extend([false, true].map(|it| (If::Behind(mark), it, 2)));
            all.extend([false, true].map(|it| (If::Ahead(mark), it, 2)));
            all.push((If::Corner(mark), true, 2));
            all.extend([If::Sees(mark), If::Flees(mark)].map(|it| (it, false, 3)));
        }
        for (when, is_diagonal, cost) in all {
            let max_cost = if when == If::Always { 2 } else { 1 };
            for starts in self.words.cheap_starts(max_cost) {
                if span.is_over() || span.is_late() {
                    return;
                }
                let places = Places {
                    starts,
                    when,
                    is_diagonal,
                };
                let cost = COST + cost + self.words.starts[starts].cost;
                span.spend(self.offer_stamps(&places, cost, harvest));
            }
        }
    }

    fn offer_stamps(&self, places: &Places, cost: u32, harvest: &mut Harvest<'_>) -> u64 {
        let demos = 0..self.ground.n_demos;
        let laid: Vec<Vec<(usize, usize)>> = demos.map(|k| self.laid(places, k)).collect();
        let n_laid: usize = laid.iter().map(Vec::len).sum();
        if n_laid == 0 {
            return 1;
        }
        for is_own in [false, true] {
            let marks = self.marks(&laid, is_own);
            let mut before: Vec<Mark> = Vec::new();
            for gap in [1, 2, 2 * FAR] {
                let stamp = near(&marks, gap);
                if stamp.is_empty() || stamp.len() > MAX_CELLS || stamp == before {
                    continue;
                }
                let n_bits = if is_own {
                    2 * CELLS_PER_COST
                } else {
                    CELLS_PER_COST
                };
                let cost = cost + (stamp.len() / n_bits) as u32 + u32::from(gap > 2);
                let picture = |sample| self.stamped(places, &stamp, sample);
                harvest.offer(cost, picture, || self.stamp_text(places, &stamp));
                before = stamp;
            }
        }
        (n_laid as u64 * 4 * (FAR * FAR) as u64) / PLACES_PER_FUEL + 1
    }

    /// The cells around which a stamp is laid, each with the number of its direction.
    fn laid(&self, places: &Places, sample: usize) -> Vec<(usize, usize)> {
        let starts = self.words.starts[places.starts].masks[sample].iter();
        let starts = starts.enumerate().filter(|(_, is_start)| **is_start);
        let mut laid = Vec::new();
        for (cell, _) in starts {
            for (k, step) in places.directions().iter().enumerate() {
                if self.is_sent(places.when, cell, *step, sample) {
                    laid.push((cell, k));
                }
            }
        }
        laid
    }

    /// The places at which all stamps are right and one shows something new.
    fn marks(&self, laid: &[Vec<(usize, usize)>], is_own: bool) -> Vec<Mark> {
        let places = (-FAR..=FAR).flat_map(|i| (-FAR..=FAR).map(move |j| (i, j)));
        places
            .filter_map(|place| Some((place, self.mark(laid, place, is_own)?)))
            .collect()
    }

    fn mark(&self, laid: &[Vec<(usize, usize)>], place: Step, is_own: bool) -> Option<Option<u8>> {
        let (mut colour, mut is_new) = (None, false);
        for (it, laid) in self.ground.samples.iter().zip(laid) {
            for (cell, k) in laid {
                let Some(at) = it.step(*cell, turned(place, *k)) else {
                    continue;
                };
                let Some(wanted) = it.wanted(at) else {
                    continue;
                };
                let is_right = match is_own {
                    true => wanted == it.cells[*cell],
                    false => *colour.get_or_insert(wanted) == wanted,
                };
                if !is_right || wanted == 0 {
                    return None;
                }
                is_new |= it.is_changed(at);
            }
        }
        is_new.then_some(if is_own { None } else { colour })
    }

    /// The stamps on a blank picture; `None` if they contradict each other.
    pub(super) fn stamped(
        &self,
        places: &Places,
        stamp: &[Mark],
        sample: usize,
    ) -> Option<Vec<u8>> {
        let it: &Sample = &self.ground.samples[sample];
        let mut cells = Vec::new();
        for (cell, k) in self.laid(places, sample) {
            for (place, colour) in stamp {
                if let Some(at) = it.step(cell, turned(*place, k)) {
                    cells.push((at, colour.unwrap_or(it.cells[cell])));
                }
            }
        }
        Ink::Own.picture(it.cells.len(), cells)
    }

    /// The stamps in arc-dsl: one picture for each direction.
    pub(super) fn stamp_text(&self, places: &Places, stamp: &[Mark]) -> String {
        let starts = &self.words.starts[places.starts].text;
        let mut text = "canvas(0, shape(I))".to_owned();
        for (k, (i, j)) in places.directions().iter().enumerate() {
            let steps = format!("(({i}, {j}),)");
            let laid = |starts: &str| match self.condition(places.when, &steps) {
                None => starts.to_owned(),
                Some(test) => format!("apply(last, sfilter(product({steps}, {starts}), {test}))"),
            };
            let cells = |is_kind: &dyn Fn(Option<u8>) -> bool| -> String {
                let cells = stamp.iter().filter(|(_, colour)| is_kind(*colour));
                let cell = |(place, _): &Mark| {
                    let (i, j) = turned(*place, k);
                    format!("({i}, {j}), ")
                };
                cells.map(cell).collect()
            };
            for colour in 1..10 {
                let cells = cells(&|it| it == Some(colour));
                if !cells.is_empty() {
                    let around = format!(
                        "apply(fork(add, first, last), product(({cells}), {}))",
                        laid(starts)
                    );
                    text = format!("fill({text}, {colour}, {around})");
                }
            }
            let own = cells(&|it| it.is_none());
            if !own.is_empty() {
                let some = format!(
                    "compose(lbind(intersection, {}), lbind(ofcolor, I))",
                    laid(starts)
                );
                let around = format!(
                    "chain(lbind(apply, fork(add, first, last)), lbind(product, ({own})), {some})"
                );
                text =
                    format!("paint({text}, mapply(fork(recolor, identity, {around}), palette(I)))");
            }
        }
        text
    }
}

/// The cells that hang together with the origin, with gaps of this size.
fn near(marks: &[Mark], gap: i32) -> Vec<Mark> {
    let mut kept: Vec<Mark> = vec![((0, 0), None)];
    let mut next = 0;
    while let Some(((i, j), _)) = kept.get(next).copied() {
        next += 1;
        let is_close = |it: &&Mark| (it.0.0 - i).abs() <= gap && (it.0.1 - j).abs() <= gap;
        let is_known = |kept: &[Mark], it: &Mark| kept[1..].iter().any(|known| known.0 == it.0);
        let new: Vec<Mark> = marks.iter().filter(is_close).copied().collect();
        for it in new {
            if !is_known(&kept, &it) {
                kept.push(it);
            }
        }
    }
    let mut kept = kept.split_off(1);
    kept.sort_unstable();
    kept
}
