//! The recorder at work: one for each thread, without locks.
//!
//! Every moment of the thread belongs to one place, a line of a program or a kind of work, and the
//! recorder reads the clock once whenever the place changes. So the times of all places add up to
//! the thread's wall time by construction.

mod books;
mod calibration;
mod reference;
mod waits;

pub use books::Stopped;
pub(super) use reference::ReferenceLine;

use std::cell::RefCell;

use leyden_dsl::table::Prim;
use rustc_hash::FxHashMap;

use super::clock::{Ticks, thread_cpu_ns};
use super::frames::{FrameId, Key, Label, Slow, Tally, Tree};
use super::recent::Recents;
use super::recording::{SlowRuns, WorkerRecord};
use super::settle::{Call, CallTime, Costs, Counted, Settler, ThreadPlace, Works};
use super::work::Work;
use books::Books;
use waits::{LONG_STAY_NS, Unplaced};

/// Of the calls from inside primitives, the first two are timed, then every 32nd: a primitive takes 10
/// to 30 ns and a reading of the clock 15. Calls of flattened functions are timed together with their
/// neighbours, so every 128th is enough. Recording then costs about 20 % (DESIGN.md).
const FIRST: u64 = 2;
const EVERY: u64 = 32;
const EVERY_OF_BODY: u64 = 128;

/// Tallies and timed calls that wait to be settled, at most some tens of megabytes; more are settled
/// at the end of a task.
const MOST_ASIDE: usize = 500_000;

/// Room for the tallies and timed calls of some hundred tasks, so that lists do not grow during a run.
const TALLIES_AT_FIRST: usize = 1 << 14;
const CALLS_AT_FIRST: usize = 1 << 17;

/// The number of the first timed call from call `from` on, counted from 0.
#[inline]
fn first_timed(from: u64, every: u64) -> u64 {
    if from < FIRST {
        from
    } else {
        (from + every / 2 - 1) / every * every + every / 2
    }
}

/// The number of the first timed call of a flattened function from call `from` on.
#[inline]
pub(crate) fn first_timed_of_body(from: u64) -> u64 {
    first_timed(from, EVERY_OF_BODY)
}

#[test]
fn the_first_calls_are_timed_and_then_every_so_many() {
    let timed: Vec<u64> = (0..100).filter(|n| first_timed(*n, 32) == *n).collect();
    assert_eq!(timed, [0, 1, 16, 48, 80]);
    assert_eq!(first_timed(17, 32), 48);
}

/// The recorder of a thread.
#[derive(Debug)]
pub(crate) struct Live {
    state: RefCell<State>,
    /// Frames that were entered lately during this task.
    recent: Recents,
}

/// Counts below some frames, for a later reset.
#[derive(Debug, Default)]
pub(crate) struct Below {
    counts: Vec<(FrameId, Tally)>,
    /// The number of timed calls.
    n_calls: usize,
}

#[derive(Debug)]
struct State {
    ticks: Ticks,
    /// [`LONG_STAY_NS`] in ticks.
    long_stay: u64,
    began: (u64, u64),
    last: u64,
    /// The place of the thread.
    place: ThreadPlace,
    /// The cells of the line at that place.
    cells: u32,
    costs: Costs,
    /// Whether the stay continues the last one at that place.
    is_more: bool,
    /// The longest stay, and its number among the calls.
    longest: (u64, usize),
    /// The number and the frame of the unit.
    unit: (u32, FrameId),
    tree: Tree,
    /// Counts and waits of kinds of work; the books have the rest.
    works: Works,
    books: Books,
    task: Option<u32>,
    /// The start of the current sample.
    sample: Option<u64>,
    /// Wall time and processor time at the last look.
    looked: (u64, u64),
    /// A wait that was found after a call but did not happen in it.
    unplaced: Unplaced,
    /// Waits that were found in calls; the recorder's clock leaves them out.
    waited_in_calls: u64,
    /// Waits during the current sample, found before its end.
    waited: u64,
    samples_ns: Vec<u64>,
    unsure: FxHashMap<u32, Slow>,
    /// The reason why the fast engine gave up last.
    slow: Option<Slow>,
    /// The program that the reference engine runs, and its line.
    on_reference: Option<FrameId>,
    reference_line: Option<ReferenceLine>,
    slow_runs: SlowRuns,
}

impl Live {
    pub(super) fn new() -> Live {
        let mut state = State::new();
        state.calibrate();
        Live::of(state)
    }

    fn of(state: State) -> Live {
        Live {
            recent: Recents::default(),
            state: RefCell::new(state),
        }
    }

    #[inline]
    fn with<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.state.borrow_mut())
    }

    /// Changes the place to a kind of work.
    pub(crate) fn work(&self, work: Work) {
        self.with(|state| {
            state.switch(ThreadPlace::of_work(work));
            state.works.counts[work as usize] += 1;
        });
    }

    /// Changes the place to a line of the current unit, or to another key that is timed as a whole.
    pub(crate) fn line(&self, key: Key) -> FrameId {
        self.with(|state| {
            let id = match key {
                Key::Node(node, label) => state.tree.line(state.unit, node, label),
                _ => state.tree.child(Some(state.unit.1), key),
            };
            state.switch(ThreadPlace::of_frame(id));
            id
        })
    }

    /// Notes the result of the line that the thread is at.
    #[inline]
    pub(crate) fn line_came(&self, cells: u64, is_fault: bool) {
        self.with(|state| {
            state.cells = u32::try_from(cells).unwrap_or(u32::MAX);
            if is_fault {
                state.note_fault();
            }
        });
    }

    /// Notes the result of a call.
    pub(crate) fn came(&self, id: FrameId, cells: u64, is_fault: bool) {
        self.with(|state| {
            let tally = state.tree.tally(id);
            tally.cells += cells;
            tally.faults = tally.faults.saturating_add(is_fault.into());
        });
    }

    /// The frames of primitives called from another frame.
    pub(crate) fn children(
        &self,
        parent: FrameId,
        label: impl Fn(usize) -> Label,
        frames: &mut [FrameId],
    ) {
        self.with(|state| {
            for (k, frame) in frames.iter_mut().enumerate() {
                *frame = state.tree.inner(&self.recent, parent, label(k));
            }
        });
    }

    /// Enters a primitive called from inside another one. Returns its frame and, for a timed call,
    /// the moment.
    #[inline(never)]
    pub(crate) fn enter(
        &self,
        parent: FrameId,
        prim: Prim,
        is_watched: bool,
    ) -> (FrameId, Option<u64>) {
        self.enter_timed_if(parent, prim, is_watched, |tally| {
            let number = tally.watched;
            let n_untimed = first_timed(number + 1, EVERY) - number - 1;
            self.recent
                .set_untimed(parent, prim as u32, n_untimed as u32);
            first_timed(number, EVERY) == number
        })
    }

    /// Counts a call and asks whether to time it, if its caller is timed.
    #[inline(always)]
    fn enter_timed_if(
        &self,
        parent: FrameId,
        prim: Prim,
        is_watched: bool,
        is_timed: impl FnOnce(&mut Tally) -> bool,
    ) -> (FrameId, Option<u64>) {
        self.with(|state| {
            let id = state.tree.inner(&self.recent, parent, Label::Prim(prim));
            let tally = state.tree.tally(id);
            tally.calls += 1;
            if !is_watched {
                return (id, None);
            }
            let is_timed = is_timed(tally);
            tally.watched += 1;
            (id, is_timed.then(|| state.now()))
        })
    }

    /// Calls that can be counted without [`Live::enter`].
    #[inline]
    pub(crate) fn recent(&self) -> &Recents {
        &self.recent
    }

    /// Notes that a call of a primitive from inside another one faulted.
    #[cold]
    pub(crate) fn fault_of(&self, parent: FrameId, prim: Prim) {
        self.with(|state| {
            let id = state.tree.inner(&self.recent, parent, Label::Prim(prim));
            let tally = state.tree.tally(id);
            tally.faults = tally.faults.saturating_add(1);
        });
    }

    /// The calls and faults below some frames, for [`Live::set_back`].
    pub(crate) fn counts_below(&self, frames: &[FrameId]) -> Below {
        self.with(|state| Below {
            counts: state.tree.counts_below(&self.recent, frames),
            n_calls: state.books.calls.len(),
        })
    }

    /// Removes counts and timed calls below some frames that are newer than `before`.
    pub(crate) fn set_back(&self, frames: &[FrameId], before: &Below) {
        self.with(|state| {
            let counts = &before.counts;
            state.tree.set_back(&self.recent, frames, counts);
            state.books.calls.truncate(before.n_calls);
        });
    }

    /// The moment, for [`Live::leave`].
    pub(crate) fn now(&self) -> u64 {
        self.with(|state| state.now())
    }

    /// Leaves a timed call.
    pub(crate) fn leave(&self, id: FrameId, start: u64, cells: u64, is_fault: bool) {
        self.with(|state| {
            let ticks = state.now().saturating_sub(start);
            state.time(id, 1, ticks, cells);
            let tally = state.tree.tally(id);
            tally.faults = tally.faults.saturating_add(is_fault.into());
        });
    }

    /// Adds `n` timed calls of each frame: the ticks of all together, and the cells of one.
    pub(crate) fn timed(&self, n: usize, frames: impl Iterator<Item = (FrameId, u64, u64)>) {
        self.with(|state| {
            for (id, ticks, cells) in frames {
                state.time(id, n as u8, ticks, cells.saturating_mul(n as u64));
            }
        });
    }

    /// Adds calls of these frames that were counted elsewhere.
    pub(crate) fn count(&self, frames: &[FrameId], calls: u64, watched: u64) {
        self.with(|state| {
            for id in frames {
                let tally = state.tree.tally(*id);
                // Calls that did not happen may have been taken back before.
                tally.calls = tally.calls.wrapping_add(calls);
                tally.watched = tally.watched.wrapping_add(watched);
            }
        });
    }

    /// Takes back one call that did not happen.
    pub(crate) fn uncount(&self, id: FrameId, is_watched: bool) {
        self.with(|state| {
            let tally = state.tree.tally(id);
            tally.calls = tally.calls.wrapping_sub(1);
            tally.watched = tally.watched.wrapping_sub(u64::from(is_watched));
        });
    }

    /// The number of calls of functions from a frame during this task.
    pub(crate) fn executions(&self, id: FrameId) -> u64 {
        self.with(|state| state.tree.tally(id).executions.into())
    }

    pub(crate) fn set_executions(&self, id: FrameId, executions: u64) {
        let executions = u32::try_from(executions).unwrap_or(u32::MAX);
        self.with(|state| state.tree.tally(id).executions = executions);
    }

    /// Notes that the fast engine is not sure of a node, and why.
    pub(crate) fn unsure(&self, node: u32, slow: Slow) {
        self.with(|state| state.unsure.insert(node, slow));
    }

    /// Notes that a program goes to the reference engine because of this node.
    pub(crate) fn gave_up(&self, node: u32) {
        self.with(|state| state.slow = state.unsure.get(&node).copied());
    }

    /// Notes that a program goes to the reference engine for this reason.
    pub(crate) fn gave_up_at(&self, slow: Slow) {
        self.with(|state| state.slow = Some(slow));
    }

    /// Sets the unit that lines and nodes are numbered in.
    pub(super) fn unit(&self, unit: u32) {
        self.with(|state| state.unit = (unit, state.tree.child(None, Key::Unit(unit))));
    }

    pub(super) fn task(&self, task: Option<u32>) {
        self.with(|state| {
            state.switch(ThreadPlace::of_work(Work::Recorder));
            state.end_task(&self.recent);
            state.task = task;
            state.switch(ThreadPlace::of_work(Work::Schedule));
        });
    }

    /// Begins the next sample of the task with a kind of work.
    pub(crate) fn next_sample(&self, work: Work) {
        self.with(|state| {
            state.switch(ThreadPlace::of_work(work));
            state.note_sample();
            state.works.counts[work as usize] += 1;
            state.sample = Some(state.last);
            state.waited = 0;
        });
    }

    pub(crate) fn end_samples(&self) {
        self.with(State::end_sample);
    }

    pub(super) fn stop(&self) -> Stopped {
        let mut state = self.state.replace(State::new());
        state.switch(ThreadPlace::of_work(Work::Recorder));
        state.end_task(&self.recent);
        state.switch_unpaid();
        let worker = WorkerRecord {
            wall_ns: state.ticks.ns(state.began.0, state.wall()),
            cpu_ns: thread_cpu_ns().saturating_sub(state.began.1),
        };
        Stopped {
            frames: state.tree.frames,
            books: state.books,
            slow_runs: state.slow_runs,
            worker,
        }
    }
}

impl State {
    fn new() -> State {
        let ticks = Ticks::new();
        let mut tree = Tree::default();
        let unit = (0, tree.child(None, Key::Unit(0)));
        let began = (ticks.now(), thread_cpu_ns());
        State {
            long_stay: (LONG_STAY_NS as f64 / ticks.ns_per_tick()) as u64,
            began,
            last: began.0,
            place: ThreadPlace::of_work(Work::Schedule),
            cells: 0,
            costs: Costs::default(),
            is_more: false,
            longest: (0, 0),
            unit,
            tree,
            works: Works::default(),
            books: Books {
                tallies: Vec::with_capacity(TALLIES_AT_FIRST),
                calls: Vec::with_capacity(CALLS_AT_FIRST),
                aside: Vec::new(),
                settler: Settler::new(Costs::default(), ticks.ns_per_tick()),
            },
            task: None,
            sample: None,
            looked: began,
            unplaced: Unplaced::default(),
            waited_in_calls: 0,
            waited: 0,
            samples_ns: Vec::new(),
            unsure: FxHashMap::default(),
            slow: None,
            on_reference: None,
            reference_line: None,
            slow_runs: SlowRuns::default(),
            ticks,
        }
    }

    /// The time, without waits that were found in calls.
    #[inline]
    fn now(&self) -> u64 {
        self.ticks.now().wrapping_sub(self.waited_in_calls)
    }

    /// The wall clock at the last change of place.
    fn wall(&self) -> u64 {
        self.last.wrapping_add(self.waited_in_calls)
    }

    /// Changes the place.
    #[inline]
    fn switch(&mut self, to: ThreadPlace) {
        let now = self.now();
        let ticks = now.saturating_sub(self.last);
        self.last = now;
        let number = self.books.calls.len();
        self.books.calls.push(Call {
            place: self.place,
            cells: std::mem::take(&mut self.cells),
            time: CallTime::of(u8::from(!std::mem::take(&mut self.is_more)), ticks),
        });
        self.place = to;
        if ticks > self.longest.0 {
            self.longest = (ticks, number);
            if ticks > self.long_stay {
                self.waited += self.look();
            }
        }
    }

    /// The last change of place.
    fn switch_unpaid(&mut self) {
        self.switch(self.place);
        let last = std::mem::take(&mut self.works);
        if let Some(counted) = self.books.aside.last_mut() {
            counted.works.add(&last);
            counted.n_calls = self.books.calls.len();
        }
    }

    /// Notes a fault of the line that the thread is at.
    #[cold]
    fn note_fault(&mut self) {
        if let Some(frame) = self.place.frame() {
            let tally = self.tree.tally(frame);
            tally.faults = tally.faults.saturating_add(1);
        }
    }

    #[inline]
    fn time(&mut self, id: FrameId, n: u8, ticks: u64, cells: u64) {
        self.books.calls.push(Call {
            place: ThreadPlace::of_frame(id),
            cells: u32::try_from(cells).unwrap_or(u32::MAX),
            time: CallTime::of(n, ticks),
        });
    }

    fn end_sample(&mut self) {
        if self.sample.is_some() {
            self.switch(self.place_between());
            self.note_sample();
        }
    }

    /// Notes a sample that ended with the last change of place.
    fn note_sample(&mut self) {
        if let Some(start) = self.sample.take() {
            let wall = self.ticks.ns(start, self.last);
            let waited = self.waits() + std::mem::take(&mut self.waited);
            self.samples_ns.push(wall.saturating_sub(waited));
        }
    }

    fn place_between(&self) -> ThreadPlace {
        match self.place.frame() {
            None => self.place,
            Some(_) => ThreadPlace::of_work(Work::Dispatch),
        }
    }

    /// Puts aside the counts since the last task.
    fn end_task(&mut self, recent: &Recents) {
        self.end_sample();
        self.forget_longest();
        self.tree.take(recent, &mut self.books.tallies);
        self.books.aside.push(Counted {
            task: self.task,
            n_tallies: self.books.tallies.len(),
            n_calls: self.books.calls.len(),
            works: std::mem::take(&mut self.works),
            samples_ns: std::mem::take(&mut self.samples_ns),
        });
        if self.books.tallies.len() + self.books.calls.len() > MOST_ASIDE {
            self.books.settle(&self.tree.frames);
        }
    }
}
