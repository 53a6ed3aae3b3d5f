//! The recorder at work: one for each thread, without locks.
//!
//! Every moment of the thread belongs to one place, a line of a program or a kind of work, and
//! the clock is read once whenever the place changes. So the times of all places add up to the
//! thread's wall time by construction.

use std::cell::RefCell;
use std::sync::OnceLock;

use leyden_dsl::table::Prim;
use leyden_profile::model::SlowReason;
use rustc_hash::FxHashMap;

use super::clock::{Ticks, thread_cpu_ns};
use super::frames::{FrameId, Frames, Key, Label, Slow, Tally, Tree};
use super::recent::Recents;
use super::recording::{Recording, SlowRuns, WorkerRecord};
use super::settle::{Call, CallTime, Costs, Counted, Place, Settler, Works};
use super::work::Work;

/// Of the calls from inside primitives these many are timed at first, then every `EVERY`th. Those
/// of flattened functions are timed with their neighbours, and seldom need it.
const FIRST: u64 = 2;
const EVERY: u64 = 32;
const EVERY_OF_BODY: u64 = 128;

/// Less than this is the clocks' own disagreement, not a wait for a processor.
const LEAST_WAIT_NS: u64 = 3_000;

/// How often it is looked whether the thread had to wait.
const LOOK_EVERY_NS: u64 = 1_000_000;

/// A stay at one place that is longer than this may well have been a wait.
const LONG_STAY_NS: u64 = 100_000;

/// Counts and calls that may wait to be settled: some tens of bytes each.
const MOST_ASIDE: usize = 500_000;

/// Room for what some hundred tasks count and time.
const TALLIES_AT_FIRST: usize = 1 << 14;
const CALLS_AT_FIRST: usize = 1 << 17;

/// The number of the first timed call that is not before this one, counted from 0.
#[inline]
fn first_timed(from: u64, every: u64) -> u64 {
    match from < FIRST {
        true => from,
        false => (from + every / 2 - 1) / every * every + every / 2,
    }
}

/// The same for the calls of a flattened function.
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

#[test]
fn a_wait_is_taken_from_the_calls_that_it_was_in() {
    let mut state = State::new();
    let unit = state.unit.1;
    let line = state.tree.child(Some(unit), Key::Node(0, Label::Call));
    let recent = Recents::default();
    let outer = state.tree.inner(&recent, line, Label::Prim(Prim::apply));
    let inner = state.tree.inner(&recent, outer, Label::Prim(Prim::first));
    // Two calls of `apply`, each with two of `first`; the wait was in the second of the first.
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

static COSTS: OnceLock<Costs> = OnceLock::new();

/// What a thread records.
#[derive(Debug)]
pub(crate) struct Live {
    state: RefCell<State>,
    /// Children that were entered during this task.
    recent: Recents,
}

/// What a thread recorded, not yet worked out: that takes a while, and is no part of the run.
#[derive(Debug)]
pub struct Stopped {
    frames: Frames,
    books: Books,
    slow_runs: SlowRuns,
    worker: WorkerRecord,
}

impl Stopped {
    /// Works out what came of it.
    pub fn settle(mut self) -> Recording {
        self.books.settle(&self.frames);
        let settler = self.books.settler;
        let mut recording = settler.finish(&self.frames, self.worker);
        recording.slow_runs = self.slow_runs;
        recording
    }
}

/// A line that the reference engine runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceLine {
    pub(super) frame: FrameId,
    /// Does it do nothing but call a primitive?
    pub(super) is_call: bool,
}

/// What was counted below some frames, to go back to.
#[derive(Debug, Default)]
pub(crate) struct Below {
    counts: Vec<(FrameId, Tally)>,
    /// How many timed calls there were.
    n_calls: usize,
}

impl Below {
    /// The calls of all frames that were called since.
    pub(crate) fn since(&self, before: &Below) -> Vec<(FrameId, u64)> {
        let calls_before = |id: FrameId| {
            let known = before.counts.iter().find(|(known, _)| *known == id);
            known.map_or(0, |(_, tally)| tally.calls)
        };
        let calls = self.counts.iter();
        calls
            .map(|(id, tally)| (*id, tally.calls - calls_before(*id)))
            .filter(|(_, n)| *n > 0)
            .collect()
    }
}

#[derive(Debug)]
struct State {
    ticks: Ticks,
    /// [`LONG_STAY_NS`] by the clock.
    long_stay: u64,
    began: (u64, u64),
    last: u64,
    /// Where the thread is.
    place: Place,
    /// The cells of the line at that place.
    cells: u32,
    costs: Costs,
    /// Is that stay a part of the last one there?
    is_more: bool,
    /// The longest stay, and its number among the calls.
    longest: (u64, usize),
    /// Its number and its frame.
    unit: (u32, FrameId),
    tree: Tree,
    /// How often work was begun, and waits: all else is in the books.
    works: Works,
    books: Books,
    task: Option<u32>,
    /// When the current sample began.
    sample: Option<u64>,
    /// Wall and processor when both were looked at last.
    looked: (u64, u64),
    /// A wait that was found after a call but was not in it.
    unplaced: Unplaced,
    /// Waits that were found in calls; for these the recorder's own clock stood still.
    waited_in_calls: u64,
    /// Waits during the current sample that were found before its end.
    waited: u64,
    samples_ns: Vec<u64>,
    unsure: FxHashMap<u32, Slow>,
    /// Why the fast engine gave up last.
    slow: Option<Slow>,
    /// The program that the reference engine runs, and its line.
    on_reference: Option<FrameId>,
    reference_line: Option<ReferenceLine>,
    slow_runs: SlowRuns,
}

/// A wait, and when it was found: it is part of what began before.
#[derive(Clone, Copy, Debug, Default)]
struct Unplaced {
    ticks: u64,
    since: u64,
}

/// What is left to be settled.
#[derive(Debug)]
struct Books {
    /// Of all tasks that are not settled, one after the other.
    tallies: Vec<(FrameId, Tally)>,
    calls: Vec<Call>,
    aside: Vec<Counted>,
    settler: Settler,
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

    /// Goes on to a kind of work.
    pub(crate) fn work(&self, work: Work) {
        self.with(|state| {
            state.switch(Place::of_work(work));
            state.works.counts[work as usize] += 1;
        });
    }

    /// Goes on to a line of the current unit, or to something else that is timed as a whole.
    pub(crate) fn line(&self, key: Key) -> FrameId {
        self.with(|state| {
            let id = match key {
                Key::Node(node, label) => state.tree.line(state.unit, node, label),
                _ => state.tree.child(Some(state.unit.1), key),
            };
            state.switch(Place::of_frame(id));
            id
        })
    }

    /// What came of the line that the thread is at.
    #[inline]
    pub(crate) fn line_came(&self, cells: u64, is_fault: bool) {
        self.with(|state| {
            state.cells = u32::try_from(cells).unwrap_or(u32::MAX);
            if is_fault {
                state.note_fault();
            }
        });
    }

    /// What came of a call.
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

    /// Enters a primitive called from inside another one; gives its frame and, if the call is to be timed, the moment.
    #[inline(never)]
    pub(crate) fn enter(
        &self,
        parent: FrameId,
        prim: Prim,
        is_watched: bool,
    ) -> (FrameId, Option<u64>) {
        self.with(|state| {
            let id = state.tree.inner(&self.recent, parent, Label::Prim(prim));
            let tally = state.tree.tally(id);
            tally.calls += 1;
            if !is_watched {
                return (id, None);
            }
            let number = tally.watched;
            tally.watched += 1;
            let n_untimed = first_timed(number + 1, EVERY) - number - 1;
            self.recent
                .set_untimed(parent, prim as u32, n_untimed as u32);
            let is_timed = first_timed(number, EVERY) == number;
            (id, is_timed.then(|| state.now()))
        })
    }

    /// Calls that can be counted without [`Live::enter`].
    #[inline]
    pub(crate) fn recent(&self) -> &Recents {
        &self.recent
    }

    /// A call of a primitive from inside another one ended in a fault.
    #[cold]
    pub(crate) fn fault_of(&self, parent: FrameId, prim: Prim) {
        self.with(|state| {
            let id = state.tree.inner(&self.recent, parent, Label::Prim(prim));
            let tally = state.tree.tally(id);
            tally.faults = tally.faults.saturating_add(1);
        });
    }

    /// The calls and faults below some frames, to go back to.
    pub(crate) fn counts_below(&self, frames: &[FrameId]) -> Below {
        self.with(|state| Below {
            counts: state.tree.counts_below(&self.recent, frames),
            n_calls: state.books.calls.len(),
        })
    }

    /// Takes back what was counted and timed below some frames.
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

    /// Adds so many timed calls of some frames: for each the ticks of all together, and the cells
    /// of one.
    pub(crate) fn timed(&self, n: usize, frames: impl Iterator<Item = (FrameId, u64, u64)>) {
        self.with(|state| {
            for (id, ticks, cells) in frames {
                state.time(id, n as u8, ticks, cells.saturating_mul(n as u64));
            }
        });
    }

    /// Adds calls of each of these that were counted elsewhere.
    pub(crate) fn count(&self, frames: &[FrameId], calls: u64, watched: u64) {
        self.with(|state| {
            for id in frames {
                let tally = state.tree.tally(*id);
                // Calls that did not take place may have been taken back before.
                tally.calls = tally.calls.wrapping_add(calls);
                tally.watched = tally.watched.wrapping_add(watched);
            }
        });
    }

    /// Takes back one call that did not take place.
    pub(crate) fn uncount(&self, id: FrameId, is_watched: bool) {
        self.with(|state| {
            let tally = state.tree.tally(id);
            tally.calls = tally.calls.wrapping_sub(1);
            tally.watched = tally.watched.wrapping_sub(u64::from(is_watched));
        });
    }

    /// How often functions were called from a frame during this task.
    pub(crate) fn executions(&self, id: FrameId) -> u64 {
        self.with(|state| state.tree.tally(id).executions.into())
    }

    pub(crate) fn set_executions(&self, id: FrameId, executions: u64) {
        let executions = u32::try_from(executions).unwrap_or(u32::MAX);
        self.with(|state| state.tree.tally(id).executions = executions);
    }

    /// A node of which the fast engine is not sure, and why.
    pub(crate) fn unsure(&self, node: u32, slow: Slow) {
        self.with(|state| state.unsure.insert(node, slow));
    }

    /// A program has to be left to the reference engine because of this node.
    pub(crate) fn gave_up(&self, node: u32) {
        self.with(|state| state.slow = state.unsure.get(&node).copied());
    }

    /// A program has to be left to the reference engine for this reason.
    pub(crate) fn gave_up_at(&self, slow: Slow) {
        self.with(|state| state.slow = Some(slow));
    }

    /// The reference engine begins a program.
    pub(super) fn begin_reference(&self, program: u32, reason: Option<SlowReason>) {
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

    /// Goes on to a line of the program that the reference engine runs.
    pub(super) fn begin_reference_line(&self, node: u32, label: Label) {
        self.with(|state| {
            let parent = state.on_reference.unwrap_or(state.unit.1);
            let frame = state.tree.child(Some(parent), Key::Node(node, label));
            state.switch(Place::of_frame(frame));
            state.reference_line = Some(ReferenceLine {
                frame,
                is_call: matches!(label, Label::Prim(_)),
            });
        });
    }

    /// Goes back to such a line for more of the same run of it.
    pub(super) fn more_of_reference_line(&self, node: u32, label: Label) {
        self.begin_reference_line(node, label);
        self.with(|state| state.is_more = true);
    }

    /// The line that the reference engine runs.
    pub(super) fn reference_line(&self) -> Option<ReferenceLine> {
        self.with(|state| state.reference_line)
    }

    /// As [`Live::enter`], for calls by the reference engine.
    pub(super) fn enter_on_reference(
        &self,
        parent: FrameId,
        prim: Prim,
        is_watched: bool,
    ) -> (FrameId, Option<u64>) {
        self.with(|state| {
            let id = state.tree.inner(&self.recent, parent, Label::Prim(prim));
            let tally = state.tree.tally(id);
            tally.calls += 1;
            if !is_watched {
                return (id, None);
            }
            tally.watched += 1;
            let is_timed = tally.rhythm.is_next_timed();
            (id, is_timed.then(|| state.now()))
        })
    }

    /// As [`Live::leave`], for calls by the reference engine: the call stands for those before it
    /// that were not timed.
    pub(super) fn leave_on_reference(&self, id: FrameId, start: u64, cells: u64, is_fault: bool) {
        self.with(|state| {
            let costs = state.costs;
            let ticks = state.now().saturating_sub(start);
            let ticks = ticks - state.wait_in_call(start, ticks);
            let own = ticks.saturating_sub(costs.call);
            let tally = state.tree.tally(id);
            tally.faults = tally.faults.saturating_add(is_fault.into());
            let n = tally.rhythm.timed(own, costs.timed_call);
            // Of the clock's own time there is one reading in it.
            let ticks = own * u64::from(n) + ticks.min(costs.call);
            state.time(id, n, ticks, cells.saturating_mul(n.into()));
        });
    }

    /// What lines and nodes are numbered in from now on.
    pub(super) fn unit(&self, unit: u32) {
        self.with(|state| state.unit = (unit, state.tree.child(None, Key::Unit(unit))));
    }

    pub(super) fn task(&self, task: Option<u32>) {
        self.with(|state| {
            state.switch(Place::of_work(Work::Recorder));
            state.end_task(&self.recent);
            state.task = task;
            state.switch(Place::of_work(Work::Schedule));
        });
    }

    /// Begins the next sample of the task, with some work.
    pub(crate) fn next_sample(&self, work: Work) {
        self.with(|state| {
            state.switch(Place::of_work(work));
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
        state.switch(Place::of_work(Work::Recorder));
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
            place: Place::of_work(Work::Schedule),
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

    fn calibrate(&mut self) {
        self.costs = *COSTS.get_or_init(|| self.costs());
        self.books.settler = Settler::new(self.costs, self.ticks.ns_per_tick());
        self.began = (self.ticks.now(), thread_cpu_ns());
        (self.looked, self.last) = (self.began, self.began.0);
    }

    /// Finds out what measuring costs, in a recorder that is thrown away.
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

    /// What something takes that is done many times, in ticks: the least of several means.
    fn least_time(&self, work: impl Fn()) -> u64 {
        const N: u64 = 200;
        let trial = || {
            let start = self.ticks.now();
            (0..N).for_each(|_| work());
            self.ticks.now().saturating_sub(start) / N
        };
        (0..8).map(|_| trial()).min().unwrap_or(0)
    }

    /// The moment, without waits that were found in calls.
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
    fn switch(&mut self, to: Place) {
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

    /// The last moment.
    fn switch_unpaid(&mut self) {
        self.switch(self.place);
        let last = std::mem::take(&mut self.works);
        if let Some(counted) = self.books.aside.last_mut() {
            counted.works.add(&last);
            counted.n_calls = self.books.calls.len();
        }
    }

    /// A fault of the line that the thread is at.
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
            place: Place::of_frame(id),
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

    /// A sample ended with the last change of place.
    fn note_sample(&mut self) {
        if let Some(start) = self.sample.take() {
            let wall = self.ticks.ns(start, self.last);
            let waited = self.waits() + std::mem::take(&mut self.waited);
            self.samples_ns.push(wall.saturating_sub(waited));
        }
    }

    /// How long the thread had no processor since this was asked last. Asking is dear, so it is
    /// not asked about short times.
    fn waits(&mut self) -> u64 {
        let wall = self.ticks.ns(self.looked.0, self.wall());
        match wall < LOOK_EVERY_NS {
            true => 0,
            false => self.look(),
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self) -> u64 {
        let unplaced = std::mem::take(&mut self.unplaced).ticks as f64 * self.ticks.ns_per_tick();
        let waited = self.waited_until(self.wall()) + unplaced as u64;
        let waited = self.take_wait(waited);
        self.longest = (0, 0);
        waited
    }

    /// How long the thread had no processor since this was asked last, in nanoseconds.
    fn waited_until(&mut self, wall: u64) -> u64 {
        let cpu = thread_cpu_ns();
        let (wall_before, cpu_before) = std::mem::replace(&mut self.looked, (wall, cpu));
        let wall = self.ticks.ns(wall_before, wall);
        let waited = wall.saturating_sub(cpu.saturating_sub(cpu_before));
        if waited < LEAST_WAIT_NS { 0 } else { waited }
    }

    /// A call by the reference engine that took so long may have waited for a processor. That is then
    /// no time of the calls around it either, nor of the line. A wait that is longer than the call
    /// was before it, and is left to what is around both.
    fn wait_in_call(&mut self, start: u64, ticks: u64) -> u64 {
        if ticks < self.long_stay {
            return 0;
        }
        let ns_per_tick = self.ticks.ns_per_tick();
        let wall = self.ticks.now();
        let before = std::mem::take(&mut self.unplaced);
        let found = (self.waited_until(wall) as f64 / ns_per_tick) as u64;
        self.longest = (0, 0);
        let (mine, others) = match before.since >= start {
            true => (before.ticks + found, 0),
            false => (found, before.ticks),
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

    fn place_between(&self) -> Place {
        match self.place.frame() {
            None => self.place,
            Some(_) => Place::of_work(Work::Dispatch),
        }
    }

    /// A thread that loses its processor loses it once and for long: the wait is taken from the
    /// longest stay at one place.
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

    /// A wait during a stay in a line was in one of the calls that the line made, and in those
    /// around that one: of the calls on each level it is taken from the longest, as long as that is
    /// long enough. The reference engine looks for waits in each call.
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

    /// The longest of the timed calls that a call or a stay made. They stand before it in the books,
    /// after the one before it on its level.
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

    /// The longest stay of a task that is over is no longer there to take a wait from.
    fn forget_longest(&mut self) {
        self.waits();
        self.longest = (0, 0);
    }

    /// Puts aside what was counted since the last task.
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

impl Books {
    fn settle(&mut self, frames: &Frames) {
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
