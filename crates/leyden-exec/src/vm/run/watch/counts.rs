//! StepCounts of a function's calls that the recorder does not know yet.

use std::cell::Cell;

use super::{Watch, label};
use crate::record::{FrameId, Live, first_timed_of_body};
use crate::vm::functions::body::Body;
use crate::vm::values::value::{Arena, Val};

/// A function with the values that find it; its counts lie elsewhere.
pub(super) struct Function<'a> {
    caller: FrameId,
    body: &'a Body<'a>,
    pub(super) counts: &'a StepCounts<'a>,
}

impl Function<'_> {
    /// Whether another function calls equal primitives in equal order.
    fn has_steps_of(&self, body: &Body<'_>) -> bool {
        let mut both = self.body.steps.iter().zip(body.steps);
        std::ptr::eq(self.body.steps, body.steps)
            || self.body.steps.len() == body.steps.len() && both.all(|(a, b)| a.action == b.action)
    }
}

impl<'a> Watch<'a> {
    /// Passes the counts to the recorder.
    pub(super) fn flush(&mut self) {
        let live = &self.live;
        self.functions.iter().for_each(|it| it.counts.flush(live));
    }

    /// The counts of a function that was called from this frame before and is not running now, or
    /// of one with equal steps: programs make functions within functions again and again.
    pub(super) fn known(&self, body: &'a Body<'a>) -> Option<&'a StepCounts<'a>> {
        let is_it = |it: &&Function<'a>| {
            it.caller == self.frame && it.has_steps_of(body) && !it.counts.is_running.get()
        };
        let mut latest = self.functions.iter().rev().take(MOST_KNOWN);
        latest.find(is_it).map(|it| it.counts)
    }
    /// Makes counts for a function.
    #[inline(never)]
    pub(super) fn counts_of(&mut self, arena: Arena<'a>, body: &'a Body<'a>) -> &'a StepCounts<'a> {
        self.flush();
        if self.functions.len() > MOST_UNFLUSHED {
            self.functions.retain(|it| it.counts.is_running.get());
        }
        let label = |k: usize| label(body.steps[k].action);
        let frames = arena.alloc_slice_fill_copy(body.steps.len(), 0);
        self.live.children(self.frame, label, frames);
        let n = self.live.executions(self.frame);
        let counts: &StepCounts<'a> = arena.alloc(StepCounts {
            caller: self.frame,
            frames,
            nests: (0..body.steps.len()).any(|k| label(k).calls_functions()),
            is_timed: Cell::new(false),
            is_running: Cell::new(false),
            n: Cell::new(n),
            n_flushed: Cell::new(n),
            n_at_begin: Cell::new(n),
            n_watched: Cell::new(0),
            next_timed: Cell::new(u64::MAX),
        });
        let caller = self.frame;
        self.functions.push(Function {
            caller,
            body,
            counts,
        });
        counts
    }
}

/// The last functions to search for a known one. A function that is not found gets new counts.
const MOST_KNOWN: usize = 8;
/// The number of functions with counts that the recorder does not know; then finished ones are dropped.
const MOST_UNFLUSHED: usize = 64;

/// The number of runs of a function's steps.
#[derive(Debug)]
pub(crate) struct StepCounts<'a> {
    caller: FrameId,
    /// The frame of each step.
    pub(super) frames: &'a [FrameId],
    /// Whether a step calls functions itself.
    pub(super) nests: bool,
    /// Whether the caller is being timed.
    pub(super) is_timed: Cell<bool>,
    pub(super) is_running: Cell<bool>,
    n: Cell<u64>,
    /// The number that the recorder knows.
    n_flushed: Cell<u64>,
    /// The number at the last change of `is_timed`.
    n_at_begin: Cell<u64>,
    /// Of the runs that the recorder does not know, those before that change while the caller was
    /// timed.
    n_watched: Cell<u64>,
    next_timed: Cell<u64>,
}

impl StepCounts<'_> {
    fn flush(&self, live: &Live) {
        let n_new = self.n.get() - self.n_flushed.replace(self.n.get());
        if n_new > 0 {
            self.note_watched();
            live.count(self.frames, n_new, self.n_watched.take());
            live.set_executions(self.caller, self.n.get());
        }
    }

    fn note_watched(&self) {
        let n_since = self.n.get() - self.n_at_begin.replace(self.n.get());
        if self.is_timed.get() {
            self.n_watched.set(self.n_watched.get() + n_since);
        }
    }

    /// StepCounts calls. If one of them was due to be timed, all of them were timed.
    #[inline]
    pub(super) fn add(&self, n_calls: u64) {
        let n = self.n.get() + n_calls;
        self.n.set(n);
        if n > self.next_timed.get() {
            self.next_timed.set(first_timed_of_body(n));
        }
    }

    /// Prepares for calls in another context.
    pub(super) fn begin(&self, is_timed: bool) {
        if self.is_timed.get() != is_timed {
            self.note_watched();
            self.is_timed.set(is_timed);
        }
        let n = self.n.get();
        self.next_timed.set(if is_timed {
            first_timed_of_body(n)
        } else {
            u64::MAX
        });
    }
}

/// A function whose calls are recorded.
pub(crate) struct Watched<'a> {
    pub(super) counts: &'a StepCounts<'a>,
    pub(super) body: &'a Body<'a>,
    pub(super) registers: &'a mut [Val<'a>],
}

impl Watched<'_> {
    /// The number of next calls that need no timing.
    pub(super) fn n_untimed(&self) -> usize {
        let n = self.counts.next_timed.get() - self.counts.n.get();
        usize::try_from(n).unwrap_or(usize::MAX)
    }
}
