//! The exact engine, watched.

use std::rc::Rc;

use leyden_dsl::cx::{Observer, weight};
use leyden_dsl::fault::Fault;
use leyden_dsl::table::Prim;
use leyden_dsl::value::Value;

use super::frames::FrameId;
use super::live::Live;

/// Counts the primitives that the exact engine calls, and times some of the calls.
#[derive(Debug)]
pub(super) struct Watcher {
    live: Rc<Live>,
    /// The frames that are open: each with whether it is being timed, and since when.
    open: Vec<(FrameId, Option<u64>)>,
    base: FrameId,
}

impl Watcher {
    pub(super) fn new(live: Rc<Live>) -> Option<Watcher> {
        let base = live.exact()?;
        Some(Watcher {
            live,
            open: Vec::new(),
            base,
        })
    }
}

impl Observer for Watcher {
    fn enter(&mut self, prim: Prim) {
        let (parent, is_timed) = match self.open.last() {
            Some((frame, start)) => (*frame, start.is_some()),
            None => (self.base, true),
        };
        self.open.push(self.live.enter(parent, prim, is_timed));
    }

    fn leave(&mut self, outcome: &Result<Value, Fault>) {
        let Some((frame, start)) = self.open.pop() else {
            return;
        };
        let Some(start) = start else {
            if outcome.is_err() {
                self.live.came(frame, 0, true);
            }
            return;
        };
        let cells = outcome.as_ref().map_or(0, weight);
        self.live.leave(frame, start, cells, outcome.is_err());
    }
}
