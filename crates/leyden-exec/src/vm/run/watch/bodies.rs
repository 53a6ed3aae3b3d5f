//! Calls of flattened functions while they are recorded.

use super::NOT_BEGUN;
use super::counts::{StepCounts, Watched};
use crate::record::{Below, FrameId};
use crate::vm::functions::body::{Body, Form};
use crate::vm::values::value::{List, Val};
use crate::vm::{EXACT, Maybe, R, Vm};

impl<'a> Vm<'a> {
    /// Runs a step of a function in its frame.
    #[inline]
    pub(crate) fn in_step<T>(
        &mut self,
        laps: &mut Laps<'a>,
        step: usize,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.go_to(laps.frames[step], laps.is_timed);
        let done = work(self);
        self.go_to(outer.0, outer.1);
        if laps.is_timed {
            laps.end(step, self.moment());
        }
        done
    }

    /// The steps of a function that is about to run.
    fn laps(&self, counts: &StepCounts<'a>, is_timed: bool) -> Laps<'a> {
        Laps {
            frames: counts.frames,
            is_timed,
            last: if is_timed { self.moment() } else { 0 },
            ticks: if is_timed {
                self.arena.alloc_slice_fill_copy(counts.frames.len(), 0)
            } else {
                &mut []
            },
        }
    }

    /// StepCounts `n` calls if they are done at once. Otherwise, resets the counts.
    pub(crate) fn is_counted_at_once(
        &mut self,
        function: &Watched<'a>,
        n: usize,
        is_done: impl FnOnce(&mut Self, &mut Laps<'a>) -> bool,
    ) -> bool {
        let counts = function.counts;
        let before = counts.nests.then(|| self.counts_below(counts.frames));
        let was_running = counts.is_running.replace(true);
        let mut laps = self.laps(counts, function.n_untimed() < n);
        let is_done = is_done(self, &mut laps);
        counts.is_running.set(was_running);
        match (is_done, before) {
            (true, _) => counts.add(n as u64),
            (false, Some(before)) => self.set_back(counts.frames, &before),
            (false, None) => {}
        }
        is_done
    }

    fn counts_below(&mut self, frames: &[FrameId]) -> Below {
        let Some(watch) = &mut self.watch else {
            return Below::default();
        };
        watch.flush();
        watch.live.counts_below(frames)
    }

    #[cold]
    fn set_back(&mut self, frames: &[FrameId], before: &Below) {
        if let Some(watch) = &mut self.watch {
            watch.flush();
            watch.live.set_back(frames, before);
        }
    }

    /// Prepares recording the calls of a function. Calls through its tree need no preparation: they
    /// record themselves.
    #[inline(never)]
    pub(crate) fn watched(&mut self, body: &'a Body<'a>, registers: &'a mut [Val<'a>]) -> Form<'a> {
        let Some(watch) = &mut self.watch else {
            return Form::Body(body, registers);
        };
        let counts = match watch.known(body) {
            Some(counts) => counts,
            None => watch.counts_of(self.arena, body),
        };
        counts.begin(watch.is_timed);
        Form::Watched(Watched {
            counts,
            body,
            registers,
        })
    }

    /// Prepares recording the calls of an inner body, which always run at once.
    pub(crate) fn watched_inner(&mut self, inner: &'a Body<'a>) -> Option<Watched<'a>> {
        match self.watched(inner, &mut []) {
            Form::Watched(watched) => Some(watched),
            _ => None,
        }
    }

    /// As [`Vm::call_on_each`], while calls are recorded.
    #[inline(never)]
    pub(crate) fn call_watched_on_each(
        &mut self,
        function: &mut Watched<'a>,
        items: &'a [Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        let body = function.body;
        if body.n_args != 1 {
            return Err(EXACT);
        }
        if function.counts.nests || function.n_untimed() < items.len() {
            self.call_recorded_on_each(function, body, items, results)
        } else {
            self.call_counted_on_each(function, items, results)
        }
    }

    pub(crate) fn call_watched_one_by_one(
        &mut self,
        function: &mut Watched<'a>,
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        self.one_by_one(items, results, |vm, item| {
            vm.call_prepared_watched(function, &[item])
        })
    }

    /// Calls a function on each element, only counting.
    fn call_counted_on_each(
        &mut self,
        function: &mut Watched<'a>,
        items: &'a [Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        let (counts, body) = (function.counts, function.body);
        let n_before = results.len();
        self.stopped_at = NOT_BEGUN;
        let done = self.call_body_on_each(body, &mut function.registers, items, results);
        let n_done = (results.len() - n_before) as u64;
        counts.add(n_done + u64::from(done.is_err()));
        if done.is_err() {
            self.note_stopped_at(counts, self.stopped_at);
        }
        done
    }

    /// Calls a function whose calls are recorded.
    pub(crate) fn call_prepared_watched(
        &mut self,
        function: &mut Watched<'a>,
        args: &[Val<'a>],
    ) -> R<'a> {
        let (counts, body) = (function.counts, function.body);
        if body.n_args != args.len() {
            return Err(EXACT);
        }
        let is_timed = function.n_untimed() == 0;
        counts.add(1);
        if is_timed || counts.nests {
            return self.call_in_steps(function, args, is_timed);
        }
        self.stopped_at = NOT_BEGUN;
        let result = self.run_body(body, function.registers, args);
        if result.is_err() {
            self.note_stopped_at(counts, self.stopped_at);
        }
        result
    }

    /// Notes a fault of one step.
    #[cold]
    fn note_stopped_at(&mut self, counts: &StepCounts<'a>, step: u32) {
        let Some(watch) = &mut self.watch else { return };
        let stopped = counts.frames.get(step as usize);
        stopped
            .iter()
            .for_each(|frame| watch.live.came(**frame, 0, true));
        // The steps after it did not run.
        let n_done = step.wrapping_add(1) as usize;
        for frame in counts.frames.iter().skip(n_done) {
            watch.live.uncount(*frame, counts.is_timed.get());
        }
    }

    /// Calls a function step by step: the clock is read after each step, or the engine has to know
    /// the step that it is in.
    #[inline(never)]
    fn call_in_steps(
        &mut self,
        function: &mut Watched<'a>,
        args: &[Val<'a>],
        is_timed: bool,
    ) -> R<'a> {
        let counts = function.counts;
        let was_running = counts.is_running.replace(true);
        let (body, registers) = (function.body, &mut *function.registers);
        let result = self.run_body_watched(body, registers, args, (counts, is_timed));
        counts.is_running.set(was_running);
        result
    }

    #[inline]
    fn moment(&self) -> u64 {
        self.watch.as_ref().map_or(0, |watch| watch.live.now())
    }

    /// As [`Vm::run_body`], for bodies that call functions or are timed. Times are noted when all
    /// steps are done.
    fn run_body_watched(
        &mut self,
        body: &Body<'a>,
        registers: &mut [Val<'a>],
        args: &[Val<'a>],
        (counts, is_timed): (&StepCounts<'a>, bool),
    ) -> R<'a> {
        let first = self.begin_body(body, registers, args)?;
        let mut laps = self.laps(counts, is_timed);
        for (k, step) in body.steps.iter().enumerate() {
            match self.in_step(&mut laps, k, |vm| vm.run_step(step, registers)) {
                Ok(value) => registers[first + k] = value,
                stop => {
                    self.leave(body.depth);
                    registers[first + k] = Val::None;
                    self.note_laps(&mut laps, k + 1, 1, |k| registers[first + k]);
                    self.note_stopped_at(counts, k as u32);
                    return stop;
                }
            }
        }
        self.leave(body.depth);
        self.note_laps(&mut laps, body.steps.len(), 1, |k| registers[first + k]);
        Ok(registers[usize::from(body.out)])
    }

    /// Notes the times of `n_steps` steps that ran on `n_calls` elements, if they were timed;
    /// `value` gives one result of each step.
    pub(crate) fn note_laps(
        &mut self,
        laps: &mut Laps<'a>,
        n_steps: usize,
        n_calls: usize,
        value: impl Fn(usize) -> Val<'a>,
    ) {
        let Some(watch) = self.watch.as_ref().filter(|_| laps.is_timed) else {
            return;
        };
        let times = laps.ticks[..n_steps].iter_mut().map(std::mem::take);
        let calls = laps.frames.iter().zip(times).enumerate();
        let calls = calls.map(|(k, (frame, ticks))| (*frame, ticks, value(k).weight()));
        watch.live.timed(n_calls, calls);
    }
}

/// The steps of a function while they run.
pub(crate) struct Laps<'a> {
    frames: &'a [FrameId],
    /// Whether the clock is read after each step.
    is_timed: bool,
    last: u64,
    /// The time of each step so far, if it is timed.
    ticks: &'a mut [u64],
}

impl Laps<'_> {
    #[inline]
    fn end(&mut self, step: usize, now: u64) {
        self.ticks[step] += now.saturating_sub(self.last);
        self.last = now;
    }
}
