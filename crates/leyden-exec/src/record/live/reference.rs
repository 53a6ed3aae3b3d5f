//! Programs on the reference engine, line by line.

use leyden_dsl::table::Prim;
use leyden_profile::model::SlowReason;

use super::Live;
use crate::record::frames::{FrameId, Key, Label, Slow};
use crate::record::settle::ThreadPlace;

/// A line that the reference engine runs.
#[derive(Clone, Copy, Debug)]
pub(in crate::record) struct ReferenceLine {
    pub(in crate::record) frame: FrameId,
    /// Whether it only calls a primitive.
    pub(in crate::record) is_call: bool,
}

impl Live {
    /// The reference engine begins a program.
    pub(in crate::record) fn begin_reference(&self, program: u32, reason: Option<SlowReason>) {
        let given_up = self.with(|state| state.slow.take());
        let unknown = Slow {
            reason: SlowReason::default(),
            prim: None,
        };
        let slow = match reason {
            Some(reason) => Slow { reason, prim: None },
            None => given_up.unwrap_or(unknown),
        };
        let id = self.line(Key::Reference(slow));
        self.with(|state| {
            state.on_reference = Some(id);
            state.reference_line = None;
            let runs = state.slow_runs.entry(slow).or_default();
            *runs.entry((state.unit.0, program)).or_default() += 1;
        });
    }

    /// Changes the place to a line of the program that the reference engine runs.
    pub(in crate::record) fn begin_reference_line(&self, node: u32, label: Label) {
        self.with(|state| {
            let parent = state.on_reference.unwrap_or(state.unit.1);
            let frame = state.tree.child(Some(parent), Key::Node(node, label));
            state.switch(ThreadPlace::of_frame(frame));
            state.reference_line = Some(ReferenceLine {
                frame,
                is_call: matches!(label, Label::Prim(_)),
            });
        });
    }

    /// Returns to a line, to continue its last run.
    pub(in crate::record) fn more_of_reference_line(&self, node: u32, label: Label) {
        self.begin_reference_line(node, label);
        self.with(|state| state.is_more = true);
    }

    /// The line that the reference engine runs.
    pub(in crate::record) fn reference_line(&self) -> Option<ReferenceLine> {
        self.with(|state| state.reference_line)
    }

    /// As [`Live::enter`], for calls by the reference engine.
    pub(in crate::record) fn enter_on_reference(
        &self,
        parent: FrameId,
        prim: Prim,
        is_watched: bool,
    ) -> (FrameId, Option<u64>) {
        self.enter_timed_if(parent, prim, is_watched, |tally| {
            tally.rhythm.is_next_timed()
        })
    }

    /// As [`Live::leave`], for calls by the reference engine. The call stands for the calls before
    /// it that were not timed.
    pub(in crate::record) fn leave_on_reference(
        &self,
        id: FrameId,
        start: u64,
        cells: u64,
        is_fault: bool,
    ) {
        self.with(|state| {
            let costs = state.costs;
            let ticks = state.now().saturating_sub(start);
            let ticks = ticks - state.wait_in_call(start, ticks);
            let own = ticks.saturating_sub(costs.call);
            let tally = state.tree.tally(id);
            tally.faults = tally.faults.saturating_add(is_fault.into());
            let n = tally.rhythm.timed(own, costs.timed_call);
            // The time contains one reading of the clock.
            let ticks = own * u64::from(n) + ticks.min(costs.call);
            state.time(id, n, ticks, cells.saturating_mul(n.into()));
        });
    }
}
