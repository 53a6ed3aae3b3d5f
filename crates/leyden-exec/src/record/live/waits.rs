//! Waits for a processor, and the calls that they belong to.

use super::State;
use crate::record::clock::thread_cpu_ns;
use crate::record::frames::{FrameId, Key};
use crate::record::settle::CallTime;
use crate::record::work::Work;

/// Shorter waits are a disagreement of the clocks, not a wait for a processor.
const LEAST_WAIT_NS: u64 = 3_000;

/// The recorder looks for waits at most once a millisecond: reading the processor clock is a system
/// call.
const LOOK_EVERY_NS: u64 = 1_000_000;

/// A longer stay at one place may have been a wait, so the recorder looks at once.
pub(super) const LONG_STAY_NS: u64 = 100_000;

/// A wait, and the time at which it was found: it belongs to a call that began before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unplaced {
    pub(super) ticks: u64,
    pub(super) since: u64,
}

impl State {
    /// The time without a processor since the last look. A look is expensive, so short times are
    /// not looked into.
    pub(super) fn waits(&mut self) -> u64 {
        let wall = self.ticks.ns(self.looked.0, self.wall());
        if wall < LOOK_EVERY_NS { 0 } else { self.look() }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn look(&mut self) -> u64 {
        let unplaced = std::mem::take(&mut self.unplaced).ticks as f64 * self.ticks.ns_per_tick();
        let waited = self.waited_until(self.wall()) + unplaced as u64;
        let waited = self.take_wait(waited);
        self.longest = (0, 0);
        waited
    }

    /// The time without a processor since the last look, in nanoseconds.
    fn waited_until(&mut self, wall: u64) -> u64 {
        let cpu = thread_cpu_ns();
        let (wall_before, cpu_before) = std::mem::replace(&mut self.looked, (wall, cpu));
        let wall = self.ticks.ns(wall_before, wall);
        let waited = wall.saturating_sub(cpu.saturating_sub(cpu_before));
        if waited < LEAST_WAIT_NS { 0 } else { waited }
    }

    /// The wait in a call by the reference engine that took long. The wait then counts neither for
    /// the calls around it nor for the line. A wait that is longer than the call happened before
    /// the call, and belongs to a call around both.
    pub(super) fn wait_in_call(&mut self, start: u64, ticks: u64) -> u64 {
        if ticks < self.long_stay {
            return 0;
        }
        let ns_per_tick = self.ticks.ns_per_tick();
        let wall = self.ticks.now();
        let before = std::mem::take(&mut self.unplaced);
        let found = (self.waited_until(wall) as f64 / ns_per_tick) as u64;
        self.longest = (0, 0);
        let (mine, others) = if before.since >= start {
            (before.ticks + found, 0)
        } else {
            (found, before.ticks)
        };
        if mine > ticks {
            self.unplaced = Unplaced {
                ticks: mine + others,
                since: self.now(),
            };
            return 0;
        }
        self.unplaced = Unplaced {
            ticks: others,
            ..before
        };
        self.waited_in_calls = self.waited_in_calls.wrapping_add(mine);
        self.works.ticks[Work::Waiting as usize] += mine;
        mine
    }

    /// Takes a wait from the longest stay at one place: a thread that loses its processor loses it
    /// once and for long.
    fn take_wait(&mut self, waited_ns: u64) -> u64 {
        let (longest, number) = self.longest;
        let ns_per_tick = self.ticks.ns_per_tick();
        let waited = ((waited_ns as f64 / ns_per_tick) as u64).min(longest);
        let Some(call) = self.books.calls.get_mut(number) else {
            return 0;
        };
        let ticks = call.time.ticks().saturating_sub(waited);
        call.time = CallTime::of(call.time.n_calls() as u8, ticks);
        if let Some(line) = call.place.frame()
            && waited > 0
        {
            self.take_wait_below(line, number, waited);
        }
        self.works.ticks[Work::Waiting as usize] += waited;
        (waited as f64 * ns_per_tick) as u64
    }

    /// Takes a wait in a line from the calls that it happened in. On each level these are the
    /// longest call below the one before, as far as it is long enough. On the reference engine,
    /// each call looks for its own waits.
    fn take_wait_below(&mut self, line: FrameId, stay: usize, waited: u64) {
        let frames = &self.tree.frames;
        let on_reference = |id: FrameId| matches!(frames[id as usize].key, Key::Reference(_));
        if frames[line as usize].parent().is_some_and(on_reference) {
            return;
        }
        let (mut caller, mut made_at) = (line, stay);
        while let Some(longest) = self.longest_call_of(caller, made_at) {
            let call = &mut self.books.calls[longest];
            let (n, ticks) = (call.time.n_calls(), call.time.ticks());
            let Some(id) = call.place.frame().filter(|_| ticks >= waited) else {
                return;
            };
            call.time = CallTime::of(n as u8, ticks - waited);
            (caller, made_at) = (id, longest);
        }
    }

    /// The longest of the timed calls that a call or a stay made. They stand before it in the
    /// books, after the previous call of its level.
    fn longest_call_of(&self, caller: FrameId, made_at: usize) -> Option<usize> {
        let frames = &self.tree.frames;
        let parent = |k: usize| {
            let frame = &frames[self.books.calls[k].place.frame()? as usize];
            let is_inner = !frame.is_place();
            is_inner.then(|| frame.parent()).flatten()
        };
        let level = frames[caller as usize].parent();
        let is_below = |k: &usize| parent(*k).is_some_and(|id| Some(id) != level);
        let below = (0..made_at).rev().take_while(is_below);
        let of_caller = below.filter(|k| parent(*k) == Some(caller));
        let time = |k: usize| self.books.calls[k].time;
        of_caller.max_by_key(|k| time(*k).ticks() / u64::from(time(*k).n_calls().max(1)))
    }

    /// Forgets the longest stay at the end of a task: no wait can be taken from it any more.
    pub(super) fn forget_longest(&mut self) {
        self.waits();
        self.longest = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use leyden_dsl::table::Prim;

    use super::*;
    use crate::record::frames::Label;
    use crate::record::recent::Recents;

    #[test]
    fn a_wait_is_taken_from_the_calls_that_it_was_in() {
        let mut state = State::new();
        let unit = state.unit.1;
        let line = state.tree.child(Some(unit), Key::Node(0, Label::Call));
        let recent = Recents::default();
        let outer = state.tree.inner(&recent, line, Label::Prim(Prim::apply));
        let inner = state.tree.inner(&recent, outer, Label::Prim(Prim::first));
        // Two calls of `apply`, each with two of `first`; the wait was in the second `first` of the
        // first `apply`.
        let calls = [(inner, 10), (inner, 1_040), (outer, 1_100), (inner, 30)];
        let calls = calls
            .into_iter()
            .chain([(inner, 20), (outer, 90), (line, 1_300)]);
        for (frame, ticks) in calls {
            state.time(frame, 1, ticks, 0);
        }
        state.take_wait_below(line, 6, 1_000);
        let ticks: Vec<u64> = state.books.calls.iter().map(|it| it.time.ticks()).collect();
        assert_eq!(ticks, [10, 40, 100, 30, 20, 90, 1_300]);
    }
}
