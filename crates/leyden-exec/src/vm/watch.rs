//! What the fast engine does more while it is recorded.
//!
//! Lines are timed by the recorder's changes of place. Calls from inside primitives are counted
//! and now and then timed: those that go through the tree of a function one by one, those of a
//! flattened body for a whole execution at once, with the clock read after each step.

use std::cell::Cell;
use std::rc::Rc;

use leyden_dsl::table::{Param, Prim};
use leyden_dsl::types::Type;

use super::body::{Action, Body, Prepared};
use super::value::Val;
use super::{EXACT, R, Vm};
use crate::record::{self, FrameId, Key, Label, Live, next_timed};

/// What [`Vm::stopped_at`] says when not even the first step was run.
const NOT_BEGUN: u32 = u32::MAX;

/// Where the engine is, for the recorder.
pub(super) struct Watch<'a> {
    live: Rc<Live>,
    frame: FrameId,
    /// Is that frame being timed?
    is_timed: bool,
    /// Functions with counts that the recorder does not know yet.
    functions: Vec<&'a Counts<'a>>,
}

impl<'a> Watch<'a> {
    #[inline(always)]
    pub(super) fn of_thread() -> Option<Box<Watch<'a>>> {
        match record::is_on() {
            true => Watch::new(),
            false => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn new() -> Option<Box<Watch<'a>>> {
        Some(Box::new(Watch {
            live: record::live()?,
            frame: 0,
            is_timed: false,
            functions: Vec::new(),
        }))
    }

    /// Tells the recorder what was counted.
    fn flush(&mut self) {
        let live = &self.live;
        self.functions.iter().for_each(|counts| counts.flush(live));
    }

    /// The counts of a function that was called from this frame before and is not running now:
    /// functions within functions are made ready again and again.
    fn known(&self, identity: usize) -> Option<&'a Counts<'a>> {
        let is_it = |counts: &&&'a Counts<'a>| {
            counts.identity == identity && counts.caller == self.frame && !counts.is_running.get()
        };
        self.functions
            .iter()
            .rev()
            .take(MOST_KNOWN)
            .find(is_it)
            .copied()
    }
}

/// How many functions are looked through for one that is known.
const MOST_KNOWN: usize = 8;
/// How many functions may have counts that the recorder does not know.
const MOST_UNFLUSHED: usize = 64;

/// How often a function's steps were run.
#[derive(Debug)]
pub(super) struct Counts<'a> {
    caller: FrameId,
    /// Which function: the address of its body, or the number of its primitive.
    identity: usize,
    /// Is the caller being timed?
    is_timed: Cell<bool>,
    /// The frame of each step.
    frames: &'a [FrameId],
    /// Does some step call functions itself?
    nests: bool,
    is_running: Cell<bool>,
    n_flushed: Cell<u32>,
    n: Cell<u32>,
    next_timed: Cell<u32>,
}

impl Counts<'_> {
    fn flush(&self, live: &Live) {
        let n_new = self.n.get() - self.n_flushed.replace(self.n.get());
        if n_new > 0 {
            let count = |frame: &FrameId| live.count(*frame, u64::from(n_new), self.is_timed.get());
            self.frames.iter().for_each(count);
            live.set_executions(self.caller, self.n.get());
        }
    }

    /// Gets ready for calls in another context.
    fn begin(&self, is_timed: bool) {
        let n = self.n.get();
        self.is_timed.set(is_timed);
        self.next_timed.set(match is_timed {
            true if record::is_timed(u64::from(n)) => n,
            true => next_timed(n),
            false => u32::MAX,
        });
    }
}

/// A function whose calls are recorded.
pub(crate) struct Watched<'a> {
    counts: &'a Counts<'a>,
    form: Form<'a>,
}

impl<'a> Watched<'a> {
    /// Its body, if calls of it can be done many at once, and how many of the next need no timing.
    pub(super) fn untimed(&self) -> Option<(&'a Body<'a>, usize)> {
        match &self.form {
            Form::Body(body, _) if body.n_args == 1 && !self.counts.nests => {
                let counts = self.counts;
                let n = counts.next_timed.get().saturating_sub(counts.n.get());
                Some((body, n as usize))
            }
            _ => None,
        }
    }

    /// So many calls were done.
    pub(super) fn count(&self, n: usize) {
        self.counts.n.set(self.counts.n.get() + n as u32);
    }
}

enum Form<'a> {
    Body(&'a Body<'a>, &'a mut [Val<'a>]),
    Prim(Prim),
}

/// Does a primitive call functions?
fn is_functional(prim: Prim) -> bool {
    let entry = prim.entry();
    let takes_one = |param: &Param| param.ty == Type::Callable;
    prim == Prim::rapply || entry.params.iter().any(takes_one)
}

fn label(action: Action) -> Label {
    match action {
        Action::Call(prim) => Label::Prim(prim),
        Action::Compare => Label::Prim(Prim::matcher),
    }
}

impl<'a> Vm<'a> {
    #[inline(always)]
    pub(super) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Goes on to a line.
    pub(super) fn begin_line(&mut self, key: Key) {
        if let Some(watch) = &mut self.watch {
            watch.frame = watch.live.line(key);
            watch.is_timed = true;
        }
    }

    pub(super) fn end_line<E>(&mut self, value: &Result<Val<'a>, E>) {
        if let Some(watch) = &mut self.watch {
            watch.flush();
            watch.functions.clear();
            let cells = value.as_ref().map_or(0, Val::weight);
            watch.live.came(watch.frame, cells, value.is_err());
        }
    }

    /// Keeps in mind why a node has to be left to the exact engine.
    pub(super) fn note_unsure(&mut self, node: u32) {
        let stopped_by = self.stopped_by;
        if let Some(watch) = &mut self.watch {
            watch.live.unsure(node, stopped_by);
        }
    }

    /// Calls a primitive from inside another one.
    #[cold]
    #[inline(never)]
    pub(super) fn call_watched(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let Some(watch) = &mut self.watch else {
            return self.call_prim(prim, args);
        };
        let outer = (watch.frame, watch.is_timed);
        let (frame, start) = watch.live.enter(watch.frame, prim, watch.is_timed);
        (watch.frame, watch.is_timed) = (frame, start.is_some());
        let result = self.call_prim(prim, args);
        self.leave_watched(outer, start, &result);
        result
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
    #[cold]
    #[inline(never)]
    pub(super) fn watched(&mut self, function: Prepared<'a>) -> Prepared<'a> {
        let form = match function {
            Prepared::Body(body, registers) => Form::Body(body, registers),
            Prepared::Plain(Val::Prim(entry)) => Form::Prim(entry.prim),
            other => return other,
        };
        let arena = self.arena;
        let Some(watch) = &mut self.watch else {
            return function_of(form);
        };
        let identity = match &form {
            Form::Body(body, _) => std::ptr::from_ref::<Body<'a>>(body) as usize,
            Form::Prim(prim) => *prim as usize,
        };
        if let Some(counts) = watch.known(identity) {
            counts.flush(&watch.live);
            counts.begin(watch.is_timed);
            return Prepared::Watched(Watched { counts, form });
        }
        watch.flush();
        if watch.functions.len() > MOST_UNFLUSHED {
            watch.functions.retain(|counts| counts.is_running.get());
        }
        let (caller, live) = (watch.frame, &watch.live);
        let (frames, nests) = match &form {
            Form::Body(body, _) => {
                let frames = arena.alloc_slice_fill_copy(body.steps.len(), 0);
                let labels = body.steps.iter().map(|step| label(step.action));
                live.children(caller, labels, frames);
                let nests = |action| matches!(action, Action::Call(prim) if is_functional(prim));
                (frames, body.steps.iter().any(|step| nests(step.action)))
            }
            Form::Prim(prim) => {
                let frames = arena.alloc_slice_fill_copy(1, 0);
                live.children(caller, [Label::Prim(*prim)].into_iter(), frames);
                (frames, is_functional(*prim))
            }
        };
        let n = live.executions(caller);
        let counts: &Counts<'a> = arena.alloc(Counts {
            caller,
            identity,
            is_timed: Cell::new(false),
            frames,
            nests,
            is_running: Cell::new(false),
            n_flushed: Cell::new(n),
            n: Cell::new(n),
            next_timed: Cell::new(u32::MAX),
        });
        counts.begin(watch.is_timed);
        watch.functions.push(counts);
        Prepared::Watched(Watched { counts, form })
    }

    /// Calls a function whose calls are recorded.
    pub(super) fn call_prepared_watched(
        &mut self,
        function: &mut Watched<'a>,
        args: &[Val<'a>],
    ) -> R<'a> {
        let counts = function.counts;
        let n = counts.n.get();
        counts.n.set(n + 1);
        let is_timed = n == counts.next_timed.get();
        if is_timed || counts.nests {
            return self.call_in_steps(function, args, is_timed);
        }
        match &mut function.form {
            Form::Body(body, registers) if body.n_args == args.len() => {
                self.stopped_at = NOT_BEGUN;
                let result = self.run_body(body, registers, args);
                if result.is_err() {
                    self.note_stopped_at(counts, self.stopped_at);
                }
                result
            }
            Form::Body(..) => Err(EXACT),
            Form::Prim(prim) => self.call_one_deeper(*prim, args),
        }
    }

    fn call_one_deeper(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        self.enter(1)?;
        let result = self.call_prim(prim, args);
        self.leave(1);
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
        self.take_back(counts, step);
    }

    /// Calls a function step by step; the engine knows in which of them it is.
    #[cold]
    #[inline(never)]
    fn call_in_steps(
        &mut self,
        function: &mut Watched<'a>,
        args: &[Val<'a>],
        is_timed: bool,
    ) -> R<'a> {
        let counts = function.counts;
        if is_timed {
            counts.next_timed.set(next_timed(counts.next_timed.get()));
        }
        let was_running = counts.is_running.replace(true);
        let result = match &mut function.form {
            Form::Body(body, registers) if body.n_args == args.len() => {
                self.steps_of(body, registers, args, counts, is_timed)
            }
            Form::Body(..) => Err(EXACT),
            Form::Prim(prim) => {
                let prim = *prim;
                self.step_watched(counts.frames[0], is_timed, |vm| {
                    vm.call_one_deeper(prim, args)
                })
            }
        };
        counts.is_running.set(was_running);
        result
    }

    /// As [`Vm::run_body`].
    fn steps_of(
        &mut self,
        body: &Body<'a>,
        registers: &mut [Val<'a>],
        args: &[Val<'a>],
        counts: &Counts<'a>,
        is_timed: bool,
    ) -> R<'a> {
        let first = self.begin_body(body, registers, args)?;
        for (k, step) in body.steps.iter().enumerate() {
            let frame = counts.frames[k];
            match self.step_watched(frame, is_timed, |vm| vm.run_step(step, registers)) {
                Ok(value) => registers[first + k] = value,
                stop => {
                    self.leave(body.depth);
                    self.take_back(counts, k as u32);
                    return stop;
                }
            }
        }
        self.leave(body.depth);
        Ok(registers[usize::from(body.out)])
    }

    /// The steps after the one that stopped did not take place.
    #[cold]
    fn take_back(&mut self, counts: &Counts<'a>, step: u32) {
        let Some(watch) = &mut self.watch else { return };
        let n_done = step.wrapping_add(1) as usize;
        for frame in counts.frames.iter().skip(n_done) {
            watch.live.uncount(*frame, counts.is_timed.get());
        }
    }

    fn step_watched(
        &mut self,
        frame: FrameId,
        is_timed: bool,
        step: impl FnOnce(&mut Vm<'a>) -> R<'a>,
    ) -> R<'a> {
        let Some(watch) = &mut self.watch else {
            return step(self);
        };
        let outer = (watch.frame, watch.is_timed);
        (watch.frame, watch.is_timed) = (frame, is_timed);
        let start = is_timed.then(|| watch.live.now());
        let result = step(self);
        self.leave_watched(outer, start, &result);
        result
    }
}

fn function_of<'a>(form: Form<'a>) -> Prepared<'a> {
    match form {
        Form::Body(body, registers) => Prepared::Body(body, registers),
        Form::Prim(prim) => Prepared::Plain(Val::Prim(prim.entry())),
    }
}
