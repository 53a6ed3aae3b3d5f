//! Cells that spread to free neighbours: as far as they get, or for a few steps.

use super::ground::{ALL, REACH, Step};
use super::harvest::{Harvest, Ink};
use super::walks::Walkers;
use crate::solve::effort::Span;

/// The number of steps that fill what can be reached.
const FAR: usize = 60;
/// The cost in addition to the words.
const COST: u32 = 3;
/// The largest cost of the cells that spread: dearer ones take long and rarely suit.
const MAX_START_COST: u32 = 1;
const CELLS_PER_FUEL: u64 = 16;

/// The neighbours to which a cell spreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    Direct,
    All,
    Diagonal,
}

impl Near {
    pub(super) const EVERY: [Near; 3] = [Near::Direct, Near::All, Near::Diagonal];

    fn steps(self) -> &'static [Step] {
        match self {
            Near::Direct => &REACH[..4],
            Near::All => &REACH,
            Near::Diagonal => &REACH[4..],
        }
    }

    fn text(self) -> &'static str {
        match self {
            Near::Direct => "dneighbors",
            Near::All => "neighbors",
            Near::Diagonal => "ineighbors",
        }
    }
}

/// Cells that spread. Numbers are places in the vocabulary of walks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) starts: usize,
    pub(super) free: usize,
    pub(super) near: Near,
    pub(super) n_steps: usize,
}

impl Walkers<'_> {
    /// Offers all that spreads.
    pub(super) fn harvest_spread(&self, harvest: &mut Harvest<'_>, span: &Span<'_>) {
        let all_cells = self.words.free.iter().position(|it| it.text == ALL);
        for n_steps in [FAR, 1, 2, 3] {
            for near in Near::EVERY {
                for free in 0..self.words.free.len() {
                    if n_steps == FAR && Some(free) == all_cells {
                        continue;
                    }
                    for starts in self.words.cheap_starts(MAX_START_COST) {
                        if span.is_over() || span.is_late() {
                            return;
                        }
                        span.spend(self.offer_spread(
                            Spread {
                                starts,
                                free,
                                near,
                                n_steps,
                            },
                            harvest,
                        ));
                    }
                }
            }
        }
    }

    fn offer_spread(&self, spread: Spread, harvest: &mut Harvest<'_>) -> u64 {
        let mut n_cells = 0;
        let (mut colours, mut is_own_right, mut gain) = (!1_u16, true, 0);
        for (sample, it) in self.ground.samples[..self.ground.n_demos]
            .iter()
            .enumerate()
        {
            let cells = self.spread_cells(&spread, sample);
            n_cells += 8 + 8 * cells.len() as u64;
            for (cell, own) in cells {
                if let Some(wanted) = it.wanted(cell) {
                    colours &= 1 << wanted;
                    is_own_right &= wanted == own;
                    gain += usize::from(it.is_changed(cell));
                }
            }
            if colours == 0 && !is_own_right {
                return n_cells / CELLS_PER_FUEL + 1;
            }
        }
        if gain > 0 {
            let fixed = (1..10).find(|c| colours >> c & 1 == 1).map(Ink::Fixed);
            for ink in fixed.into_iter().chain(is_own_right.then_some(Ink::Own)) {
                let more = u32::from(matches!(ink, Ink::Fixed(_)))
                    + u32::from(spread.near == Near::Diagonal)
                    + u32::from(spread.n_steps != FAR && spread.n_steps > 1);
                let starts = self.words.starts[spread.starts].cost;
                let cost = COST + starts + self.words.free[spread.free].cost + more;
                let picture = |sample| self.spread_picture(&spread, ink, sample);
                harvest.offer(cost, picture, || self.spread_text(&spread, ink));
            }
        }
        n_cells / CELLS_PER_FUEL + 1
    }

    /// The cells that the cells of each colour reach.
    fn spread_cells(&self, spread: &Spread, sample: usize) -> Vec<(usize, u8)> {
        let it = &self.ground.samples[sample];
        let starts = &self.words.starts[spread.starts].masks[sample];
        let free = &self.words.free[spread.free];
        let mut cells = Vec::new();
        let mut colours: Vec<u8> = Vec::new();
        for (cell, is_start) in starts.iter().enumerate() {
            if *is_start && !colours.contains(&it.cells[cell]) {
                colours.push(it.cells[cell]);
            }
        }
        for colour in colours {
            let is_own = |cell: usize| starts[cell] && it.cells[cell] == colour;
            let mut reached: Vec<bool> = (0..it.cells.len()).map(is_own).collect();
            let mut all: Vec<usize> = (0..it.cells.len()).filter(|k| reached[*k]).collect();
            let mut next = 0;
            for _ in 0..spread.n_steps {
                let end = all.len();
                for k in next..end {
                    for step in spread.near.steps() {
                        let near = it.step(all[k], *step);
                        let near = near.filter(|near| free.has(sample, *near));
                        if let Some(near) = near.filter(|near| !reached[*near]) {
                            reached[near] = true;
                            all.push(near);
                        }
                    }
                }
                next = end;
            }
            cells.extend(all.into_iter().map(|cell| (cell, colour)));
        }
        cells
    }

    /// The cells in a colour; `None` if two colours reach one cell.
    pub(super) fn spread_picture(
        &self,
        spread: &Spread,
        ink: Ink,
        sample: usize,
    ) -> Option<Vec<u8>> {
        let n_cells = self.ground.samples[sample].cells.len();
        ink.picture(n_cells, self.spread_cells(spread, sample))
    }

    pub(super) fn spread_text(&self, spread: &Spread, ink: Ink) -> String {
        let starts = &self.words.starts[spread.starts].text;
        let free = &self.words.free[spread.free].text;
        let more = format!(
            "fork(combine, identity, compose(rbind(intersection, {free}), lbind(mapply, {})))",
            spread.near.text()
        );
        let far = match spread.n_steps {
            FAR => format!("power(power({more}, 10), {})", FAR / 10),
            1 => more,
            n => format!("power({more}, {n})"),
        };
        let blank = "canvas(0, shape(I))";
        match ink {
            Ink::Fixed(colour) => format!("fill({blank}, {colour}, {far}({starts}))"),
            Ink::Own => {
                let some = format!("compose(lbind(intersection, {starts}), lbind(ofcolor, I))");
                format!(
                    "paint({blank}, mapply(fork(recolor, identity, compose({far}, {some})), \
                     palette(I)))"
                )
            }
        }
    }
}
