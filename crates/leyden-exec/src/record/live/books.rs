//! Counts and timed calls that are not settled yet.

use crate::record::frames::{FrameId, Frames, Tally};
use crate::record::recording::{Recording, SlowRuns, WorkerRecord};
use crate::record::settle::{Call, Counted, Settler};

/// The raw recording of a thread. Settling it takes a while and is not part of the run.
#[derive(Debug)]
pub struct Stopped {
    pub(super) frames: Frames,
    pub(super) books: Books,
    pub(super) slow_runs: SlowRuns,
    pub(super) worker: WorkerRecord,
}

impl Stopped {
    /// Turns counts and samples into times.
    pub fn settle(mut self) -> Recording {
        self.books.settle(&self.frames);
        let settler = self.books.settler;
        let mut recording = settler.finish(&self.frames, self.worker);
        recording.slow_runs = self.slow_runs;
        recording
    }
}

/// Entries that are not settled yet.
#[derive(Debug)]
pub(super) struct Books {
    /// The tallies of all tasks, one task after the other.
    pub(super) tallies: Vec<(FrameId, Tally)>,
    pub(super) calls: Vec<Call>,
    pub(super) aside: Vec<Counted>,
    pub(super) settler: Settler,
}

impl Books {
    pub(super) fn settle(&mut self, frames: &Frames) {
        let (mut tallies, mut calls) = (&*self.tallies, &*self.calls);
        let (mut n_tallies, mut n_calls) = (0, 0);
        for counted in std::mem::take(&mut self.aside) {
            let (of_task, rest) = tallies.split_at(counted.n_tallies - n_tallies);
            let (calls_of_task, other_calls) = calls.split_at(counted.n_calls - n_calls);
            (tallies, calls) = (rest, other_calls);
            (n_tallies, n_calls) = (counted.n_tallies, counted.n_calls);
            self.settler.add(frames, of_task, calls_of_task, counted);
        }
        self.tallies.clear();
        self.calls.clear();
    }
}
