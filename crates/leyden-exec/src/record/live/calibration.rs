//! The price of measuring.

use std::sync::OnceLock;

use leyden_dsl::table::Prim;

use super::{Live, State};
use crate::record::clock::thread_cpu_ns;
use crate::record::frames::{Key, Label};
use crate::record::settle::{Costs, Settler};

static COSTS: OnceLock<Costs> = OnceLock::new();

impl State {
    pub(super) fn calibrate(&mut self) {
        self.costs = *COSTS.get_or_init(|| self.costs());
        self.books.settler = Settler::new(self.costs, self.ticks.ns_per_tick());
        self.began = (self.ticks.now(), thread_cpu_ns());
        (self.looked, self.last) = (self.began, self.began.0);
    }

    /// Measures the price of measuring, in a recorder that is then dropped.
    fn costs(&self) -> Costs {
        let scratch = Live::of(State::new());
        let key = Key::Node(0, Label::Copy);
        let line = scratch.line(key);
        Costs {
            call: self.ticks.cost() as u64,
            switch: self.least_time(|| {
                scratch.line(key);
                scratch.line_came(0, false);
            }),
            counted_call: self.least_time(|| {
                scratch.enter_on_reference(line, Prim::identity, false);
            }),
            timed_call: self.least_time(|| {
                let (frame, start) = scratch.enter_on_reference(line, Prim::identity, true);
                scratch.leave_on_reference(frame, start.unwrap_or(0), 0, false);
            }),
        }
    }

    /// The time of one piece of work that is repeated, in ticks: the least of several means.
    fn least_time(&self, work: impl Fn()) -> u64 {
        const N: u64 = 200;
        let trial = || {
            let start = self.ticks.now();
            (0..N).for_each(|_| work());
            self.ticks.now().saturating_sub(start) / N
        };
        (0..8).map(|_| trial()).min().unwrap_or(0)
    }
}
