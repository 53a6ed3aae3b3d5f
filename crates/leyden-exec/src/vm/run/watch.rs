//! What the fast engine does more while it is recorded.
//!
//! Lines are timed by the recorder's changes of place. Calls from inside primitives are counted
//! and now and then timed: those that go through the tree of a function one by one, those of a
//! flattened body for a few dozen elements at once, with the clock read after each step.

use std::cell::Cell;
use std::rc::Rc;

use leyden_dsl::table::Prim;
use leyden_profile::model::SlowReason;

use crate::record::{self, Below, FrameId, Key, Label, Live, Slow, first_timed_of_body};
use crate::vm::functions::body::{Action, Body, Form, Reg, Step};
use crate::vm::values::value::{Arena, List, Val};
use crate::vm::{EXACT, Maybe, R, Vm};

/// What [`Vm::stopped_at`] says when not even the first step was run.
const NOT_BEGUN: u32 = u32::MAX;

/// Where the engine is, for the recorder.
pub(crate) struct Watch<'a> {
    live: Rc<Live>,
    frame: FrameId,
    /// Is that frame being timed?
    is_timed: bool,
    /// Functions with counts that the recorder does not know yet.
    functions: List<'a, Function<'a>>,
}

/// A function, by what it is looked up by: the counts themselves are far apart.
struct Function<'a> {
    caller: FrameId,
    body: &'a Body<'a>,
    counts: &'a Counts<'a>,
}

impl Function<'_> {
    /// Does another function call the same primitives, in the same order?
    fn has_steps_of(&self, body: &Body<'_>) -> bool {
        let mut both = self.body.steps.iter().zip(body.steps);
        std::ptr::eq(self.body.steps, body.steps)
            || self.body.steps.len() == body.steps.len() && both.all(|(a, b)| a.action == b.action)
    }
}

impl<'a> Watch<'a> {
    #[inline(always)]
    pub(crate) fn of_thread(arena: Arena<'a>) -> Option<Watch<'a>> {
        match record::is_on() {
            true => Watch::new(arena),
            false => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn new(arena: Arena<'a>) -> Option<Watch<'a>> {
        let live = record::live()?;
        Some(Watch {
            live,
            frame: 0,
            is_timed: false,
            functions: List::new_in(arena),
        })
    }

    /// Tells the recorder what was counted.
    fn flush(&mut self) {
        let live = &self.live;
        self.functions.iter().for_each(|it| it.counts.flush(live));
    }

    /// The counts of a function that was called from this frame before and is not running now, or
    /// of one with the same steps: functions within functions are made again and again.
    fn known(&self, body: &'a Body<'a>) -> Option<&'a Counts<'a>> {
        let is_it = |it: &&Function<'a>| {
            it.caller == self.frame && it.has_steps_of(body) && !it.counts.is_running.get()
        };
        let mut latest = self.functions.iter().rev().take(MOST_KNOWN);
        latest.find(is_it).map(|it| it.counts)
    }
}

impl<'a> Watch<'a> {
    /// Makes counts for a function.
    #[inline(never)]
    fn counts_of(&mut self, arena: Arena<'a>, body: &'a Body<'a>) -> &'a Counts<'a> {
        self.flush();
        if self.functions.len() > MOST_UNFLUSHED {
            self.functions.retain(|it| it.counts.is_running.get());
        }
        let label = |k: usize| label(body.steps[k].action);
        let frames = arena.alloc_slice_fill_copy(body.steps.len(), 0);
        self.live.children(self.frame, label, frames);
        let n = self.live.executions(self.frame);
        let counts: &Counts<'a> = arena.alloc(Counts {
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

/// How many functions are looked through for one that is known.
const MOST_KNOWN: usize = 8;
/// How many functions may have counts that the recorder does not know.
const MOST_UNFLUSHED: usize = 64;

/// How often a function's steps were run.
#[derive(Debug)]
pub(crate) struct Counts<'a> {
    caller: FrameId,
    /// The frame of each step.
    frames: &'a [FrameId],
    /// Does some step call functions itself?
    nests: bool,
    /// Is the caller being timed?
    is_timed: Cell<bool>,
    is_running: Cell<bool>,
    n: Cell<u64>,
    /// How many of them the recorder knows.
    n_flushed: Cell<u64>,
    /// How many there were when the caller began or ceased to be timed.
    n_at_begin: Cell<u64>,
    /// How many of those that the recorder does not know were run before that while the caller
    /// was timed.
    n_watched: Cell<u64>,
    next_timed: Cell<u64>,
}

impl Counts<'_> {
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

    /// Counts calls. If one of them was due to be timed, they all were.
    #[inline]
    fn add(&self, n_calls: u64) {
        let n = self.n.get() + n_calls;
        self.n.set(n);
        if n > self.next_timed.get() {
            self.next_timed.set(first_timed_of_body(n));
        }
    }

    /// Gets ready for calls in another context.
    fn begin(&self, is_timed: bool) {
        if self.is_timed.get() != is_timed {
            self.note_watched();
            self.is_timed.set(is_timed);
        }
        let n = self.n.get();
        self.next_timed.set(match is_timed {
            true => first_timed_of_body(n),
            false => u64::MAX,
        });
    }
}

/// A function whose calls are recorded.
pub(crate) struct Watched<'a> {
    counts: &'a Counts<'a>,
    body: &'a Body<'a>,
    registers: &'a mut [Val<'a>],
}

impl Watched<'_> {
    /// How many of the next calls need no timing.
    fn n_untimed(&self) -> usize {
        let n = self.counts.next_timed.get() - self.counts.n.get();
        usize::try_from(n).unwrap_or(usize::MAX)
    }
}

impl Step<Reg> {
    /// Does it call functions itself?
    pub(crate) fn calls_functions(&self) -> bool {
        label(self.action).calls_functions()
    }
}

fn label(action: Action) -> Label {
    match action {
        Action::Call(prim) => Label::Prim(prim),
        Action::Compare => Label::Prim(Prim::matcher),
        Action::EndOfTwo { is_first: true } => Label::Prim(Prim::first),
        Action::EndOfTwo { is_first: false } => Label::Prim(Prim::last),
    }
}

impl<'a> Vm<'a> {
    #[inline(always)]
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Goes on to a line.
    pub(crate) fn begin_line(&mut self, key: Key) {
        if let Some(watch) = &mut self.watch {
            watch.frame = watch.live.line(key);
            watch.is_timed = true;
            self.hindrance = SlowReason::Value;
        }
    }

    pub(crate) fn end_line<E>(&mut self, value: &Result<Val<'a>, E>) {
        if let Some(watch) = &mut self.watch {
            if !watch.functions.is_empty() {
                watch.flush();
                watch.functions.clear();
            }
            let cells = value.as_ref().map_or(0, Val::weight);
            watch.live.line_came(cells, value.is_err());
        }
    }

    /// Keeps in mind why a node has to be left to the exact engine.
    pub(crate) fn note_unsure(&mut self, node: u32) {
        let slow = Slow {
            reason: self.hindrance,
            prim: self.stopped_by,
        };
        if let Some(watch) = &mut self.watch {
            watch.live.unsure(node, slow);
        }
    }

    /// Calls a primitive from inside another one.
    #[inline(never)]
    pub(crate) fn call_watched(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let Some(watch) = &self.watch else {
            return self.call_prim(prim, args);
        };
        let is_counted = watch
            .live
            .recent()
            .is_counted(watch.frame, prim as u32, watch.is_timed);
        if !is_counted {
            return self.call_in_frame(prim, args);
        }
        let result = self.call_prim(prim, args);
        if result.is_err() {
            self.note_fault_of(prim);
        }
        result
    }

    #[cold]
    fn note_fault_of(&mut self, prim: Prim) {
        if let Some(watch) = &self.watch {
            watch.live.fault_of(watch.frame, prim);
        }
    }

    #[inline(never)]
    fn call_in_frame(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let Some(watch) = &mut self.watch else {
            return self.call_prim(prim, args);
        };
        let outer = (watch.frame, watch.is_timed);
        let counted = watch.live.recent().counted(outer.0, prim as u32, outer.1);
        let (frame, start) = match counted {
            Some(frame) => (frame, None),
            None => watch.live.enter(outer.0, prim, outer.1),
        };
        (watch.frame, watch.is_timed) = (frame, start.is_some());
        let result = self.call_prim(prim, args);
        self.leave_watched(outer, start, &result);
        result
    }

    /// Goes to a frame, and says which one it was before.
    #[inline]
    fn go_to(&mut self, frame: FrameId, is_timed: bool) -> (FrameId, bool) {
        let Some(watch) = &mut self.watch else {
            return (frame, is_timed);
        };
        let outer = (watch.frame, watch.is_timed);
        (watch.frame, watch.is_timed) = (frame, is_timed);
        outer
    }

    /// Does a step of a function, in its frame.
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

    /// Steps of a function that are about to be run.
    fn laps(&self, counts: &Counts<'a>, is_timed: bool) -> Laps<'a> {
        Laps {
            frames: counts.frames,
            is_timed,
            last: if is_timed { self.moment() } else { 0 },
            ticks: match is_timed {
                true => self.arena.alloc_slice_fill_copy(counts.frames.len(), 0),
                false => &mut [],
            },
        }
    }

    /// Counts so many calls if they are done at once. If not, what was counted meanwhile does not
    /// count.
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

    /// What was counted below a step so far, if it calls functions.
    pub(crate) fn calls_below(
        &mut self,
        laps: &Laps<'a>,
        (k, step): (usize, &Step<Reg>),
    ) -> Option<(FrameId, Below)> {
        let (frame, nests) = (laps.frames[k], step.calls_functions());
        nests.then(|| (frame, self.counts_below(&[frame])))
    }

    #[cold]
    pub(crate) fn take_back(&mut self, before: Option<(FrameId, Below)>) {
        if let Some((frame, before)) = before {
            self.set_back(&[frame], &before);
        }
    }

    /// What was called below a frame since then.
    pub(crate) fn calls_since(&mut self, (frame, before): (FrameId, Below)) -> CallsBelow<'a> {
        let now = self.counts_below(&[frame]);
        let calls = self.arena.alloc_slice_copy(&now.since(&before));
        CallsBelow { frame, calls }
    }

    /// Counts what a step called before, on the same elements, once more. Says whether that is all
    /// that is to be counted.
    pub(crate) fn is_counted_again(
        &mut self,
        laps: Option<&Laps<'a>>,
        (k, step): (usize, &Step<Reg>),
        calls: Option<CallsBelow<'a>>,
    ) -> bool {
        let (Some(laps), Some(watch)) = (laps, &self.watch) else {
            return true;
        };
        match calls.filter(|calls| calls.frame == laps.frames[k]) {
            Some(calls) => {
                let calls = calls.calls.iter();
                calls.for_each(|(frame, n)| watch.live.count(&[*frame], *n, 0));
                true
            }
            None => !step.calls_functions(),
        }
    }

    /// Back to the frame outside.
    fn leave_watched(&mut self, outer: (FrameId, bool), start: Option<u64>, result: &R<'a>) {
        let Some(watch) = &mut self.watch else { return };
        let frame = watch.frame;
        if let Some(start) = start {
            let cells = result.as_ref().map_or(0, Val::weight);
            watch.live.leave(frame, start, cells, result.is_err());
        } else if result.is_err() {
            watch.live.came(frame, 0, true);
        }
        (watch.frame, watch.is_timed) = outer;
    }

    /// Makes ready to record the calls of a function. What is called through its tree needs
    /// nothing: that records itself.
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

    /// Makes ready to record the calls of an inner body, which are always done at once.
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
        match function.counts.nests || function.n_untimed() < items.len() {
            true => self.call_recorded_on_each(function, body, items, results),
            false => self.call_counted_on_each(function, items, results),
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

    /// Calls that are only counted.
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

    /// A fault of one step.
    #[cold]
    fn note_stopped_at(&mut self, counts: &Counts<'a>, step: u32) {
        let Some(watch) = &mut self.watch else { return };
        let stopped = counts.frames.get(step as usize);
        stopped
            .iter()
            .for_each(|frame| watch.live.came(**frame, 0, true));
        // The steps after it did not take place.
        let n_done = step.wrapping_add(1) as usize;
        for frame in counts.frames.iter().skip(n_done) {
            watch.live.uncount(*frame, counts.is_timed.get());
        }
    }

    /// Calls a function step by step: the clock is read after each, or the engine knows in which
    /// of them it is.
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

    /// As [`Vm::run_body`], for bodies that call functions or are timed. What the clock said is
    /// dealt with when all steps are done.
    fn run_body_watched(
        &mut self,
        body: &Body<'a>,
        registers: &mut [Val<'a>],
        args: &[Val<'a>],
        (counts, is_timed): (&Counts<'a>, bool),
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

    /// So many steps that were run on so many elements, if they were timed, and what came of one
    /// of these.
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

/// What was called below the frame of a step.
#[derive(Clone, Copy)]
pub(crate) struct CallsBelow<'a> {
    frame: FrameId,
    calls: &'a [(FrameId, u64)],
}

/// The steps of a function while they are run.
pub(crate) struct Laps<'a> {
    frames: &'a [FrameId],
    /// Is the clock read after each?
    is_timed: bool,
    last: u64,
    /// The time that each step took so far, if so.
    ticks: &'a mut [u64],
}

impl Laps<'_> {
    #[inline]
    fn end(&mut self, step: usize, now: u64) {
        self.ticks[step] += now.saturating_sub(self.last);
        self.last = now;
    }
}
