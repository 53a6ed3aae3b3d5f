//! The recorder at work: one for each thread, without locks.
//!
//! Every moment of the thread belongs to one place, a line of a program or a kind of work, and
//! the clock is read once whenever the place changes. So the times of all places add up to the
//! thread's wall time by construction.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use leyden_dsl::table::Prim;
use leyden_profile::{Histogram, N_BUCKETS, bucket_of};
use rustc_hash::FxHashMap;

use super::clock::{Ticks, thread_cpu_ns};
use super::frames::{FrameId, Key, Label, Tally, Tree};
use super::recording::{Figures, Recording, Row, RowFigures, TaskRecord, WorkerRecord, work_rows};
use super::settle::{Settled, settle};
use super::work::{N_WORKS, Work};

/// Of the calls from inside primitives these many are timed at first, then every `EVERY`th.
const FIRST: u64 = 2;
const EVERY: u64 = 32;

/// Less than this is the clocks' own disagreement, not a wait for a processor.
const LEAST_WAIT_NS: u64 = 3_000;

/// How often it is looked whether the thread had to wait.
const LOOK_EVERY_NS: u64 = 1_000_000;

/// A stay at one place that is longer than this may well have been a wait.
const LONG_STAY_NS: u64 = 100_000;

/// Counts and calls that may wait to be settled: some tens of bytes each.
const MOST_ASIDE: usize = 500_000;

/// Room for the timed calls of most tasks.
const CALLS_AT_FIRST: usize = 256;

/// Is the call with this number, counted from 0, timed?
#[inline]
pub(crate) fn is_timed(number: u64) -> bool {
    number < FIRST || number % EVERY == EVERY / 2
}

/// The number of the next timed call after this one.
pub(crate) fn next_timed(number: u32) -> u32 {
    let is_next = |n: &u32| is_timed(u64::from(*n));
    (number + 1..).find(is_next).unwrap_or(u32::MAX)
}

/// What a timed call and a change of place cost on this machine.
static COSTS: OnceLock<(u64, u64)> = OnceLock::new();

/// Where the thread is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Work(Work),
    Frame(FrameId),
}

/// A timed call: whose, and how long. There are many, and a histogram needs few digits.
#[derive(Clone, Copy, Debug)]
struct Call {
    frame: FrameId,
    ns: f32,
}

impl Call {
    #[inline]
    fn new(frame: FrameId, ns: u64) -> Call {
        let ns = ns as f32;
        Call { frame, ns }
    }
}

/// What a thread records.
#[derive(Debug)]
pub(crate) struct Live(RefCell<State>);

/// What a thread recorded, not yet worked out: that takes a while, and is no part of the run.
#[derive(Debug)]
pub struct Stopped {
    state: Box<State>,
    worker: WorkerRecord,
}

impl Stopped {
    /// Works out what came of it.
    pub fn settle(self) -> Recording {
        self.state.finish(self.worker)
    }
}

#[derive(Debug)]
struct State {
    ticks: Ticks,
    /// What a change of place costs, and a timed call.
    switch_ns: u64,
    call_ns: u64,
    began: (u64, u64),
    last: u64,
    place: Place,
    longest: (u64, Place),
    events: u64,
    /// Its number and its frame.
    unit: (u32, FrameId),
    tree: Tree,
    totals: Vec<Figures>,
    works: [u64; N_WORKS],
    work_counts: [u64; N_WORKS],
    calls: Vec<Call>,
    aside: Vec<Counted>,
    n_aside: usize,
    task: Option<u32>,
    /// When the current sample began.
    sample: Option<u64>,
    /// Wall and processor when both were looked at last.
    looked: (u64, u64),
    /// Waits during the current sample that were found before its end.
    waited: u64,
    samples_ns: Vec<u64>,
    unsure: FxHashMap<u32, Option<Prim>>,
    cause: Option<Prim>,
    exact: Option<FrameId>,
    recording: Recording,
}

/// What was counted during a task.
#[derive(Debug)]
struct Counted {
    task: Option<u32>,
    tallies: Vec<(FrameId, Tally)>,
    calls: Vec<Call>,
    works: [u64; N_WORKS],
    work_counts: [u64; N_WORKS],
    samples_ns: Vec<u64>,
}

impl Live {
    pub(super) fn new() -> Live {
        let mut state = State::new();
        state.calibrate();
        Live(RefCell::new(state))
    }

    #[inline]
    fn with<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.0.borrow_mut())
    }

    /// Goes on to a kind of work.
    pub(crate) fn work(&self, work: Work) {
        self.with(|state| {
            state.switch(Place::Work(work));
            state.work_counts[work as usize] += 1;
        });
    }

    /// Goes on to a line of the current unit, or to something else that is timed as a whole.
    pub(crate) fn line(&self, key: Key) -> FrameId {
        self.with(|state| {
            let (unit, parent) = state.unit;
            let id = match key {
                Key::Node(node, _) => state.tree.line(unit, parent, node, key),
                _ => state.tree.child(Some(parent), key),
            };
            state.switch(Place::Frame(id));
            let tally = state.tree.tally(id);
            tally.calls += 1;
            tally.watched += 1;
            id
        })
    }

    /// What came of a line or a timed call.
    pub(crate) fn came(&self, id: FrameId, cells: u64, is_fault: bool) {
        self.with(|state| {
            let tally = state.tree.tally(id);
            tally.cells += cells;
            tally.faults += u64::from(is_fault);
        });
    }

    /// The frames of primitives called from another frame.
    pub(crate) fn children(
        &self,
        parent: FrameId,
        labels: impl Iterator<Item = Label>,
        frames: &mut [FrameId],
    ) {
        self.with(|state| {
            for (frame, label) in frames.iter_mut().zip(labels) {
                *frame = state.tree.child(Some(parent), Key::Inner(label));
            }
        });
    }

    /// Enters a primitive called from inside another one; gives its frame and, if the call is to be timed, the moment.
    #[inline]
    pub(crate) fn enter(
        &self,
        parent: FrameId,
        prim: Prim,
        is_watched: bool,
    ) -> (FrameId, Option<u64>) {
        self.with(|state| {
            let id = state.tree.prim(parent, prim);
            let tally = state.tree.tally(id);
            tally.calls += 1;
            if !is_watched {
                return (id, None);
            }
            tally.watched += 1;
            let start = is_timed(tally.watched - 1).then(|| state.ticks.now());
            (id, start)
        })
    }

    /// The moment, for [`Live::leave`].
    pub(crate) fn now(&self) -> u64 {
        self.with(|state| state.ticks.now())
    }

    /// Leaves a timed call.
    pub(crate) fn leave(&self, id: FrameId, start: u64, cells: u64, is_fault: bool) {
        self.with(|state| {
            let ns = state.ticks.ns(start, state.ticks.now());
            let ns = ns.saturating_sub(state.call_ns);
            state.events += 2;
            state.calls.push(Call::new(id, ns));
            let tally = state.tree.tally(id);
            if tally.timed == 0 {
                tally.first_ns = ns;
            }
            tally.timed += 1;
            tally.ns += ns;
            tally.cells += cells;
            tally.faults += u64::from(is_fault);
        });
    }

    /// Adds calls that were counted elsewhere.
    pub(crate) fn count(&self, id: FrameId, calls: u64, is_watched: bool) {
        self.with(|state| {
            let tally = state.tree.tally(id);
            // Calls that did not take place may have been taken back before.
            tally.calls = tally.calls.wrapping_add(calls);
            let watched = if is_watched { calls } else { 0 };
            tally.watched = tally.watched.wrapping_add(watched);
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
    pub(crate) fn executions(&self, id: FrameId) -> u32 {
        self.with(|state| state.tree.tally(id).executions)
    }

    pub(crate) fn set_executions(&self, id: FrameId, executions: u32) {
        self.with(|state| state.tree.tally(id).executions = executions);
    }

    /// A node of which the fast engine is not sure, and the primitive that met it first.
    pub(crate) fn unsure(&self, node: u32, cause: Option<Prim>) {
        self.with(|state| state.unsure.insert(node, cause));
    }

    /// A program has to be left to the exact engine because of this node.
    pub(crate) fn gave_up(&self, node: u32) {
        self.with(|state| state.cause = state.unsure.get(&node).copied().flatten());
    }

    /// A program has to be left to the exact engine because of this primitive, if it is one.
    pub(crate) fn gave_up_at(&self, cause: Option<Prim>) {
        self.with(|state| state.cause = cause);
    }

    /// The exact engine begins a program.
    pub(super) fn begin_exact(&self, is_again: bool) {
        let key = match is_again {
            true => Key::Again(self.with(|state| state.cause.take())),
            false => Key::ExactOnly,
        };
        let id = self.line(key);
        self.with(|state| state.exact = Some(id));
    }

    /// The frame of the program that the exact engine runs.
    pub(crate) fn exact(&self) -> Option<FrameId> {
        self.with(|state| state.exact)
    }

    /// What lines and nodes are numbered in from now on.
    pub(super) fn unit(&self, unit: u32) {
        self.with(|state| state.unit = (unit, state.tree.child(None, Key::Unit(unit))));
    }

    pub(super) fn task(&self, task: Option<u32>) {
        self.with(|state| {
            state.switch(Place::Work(Work::Recorder));
            state.end_task();
            state.task = task;
            state.switch(Place::Work(Work::Schedule));
        });
    }

    /// Begins the next sample of the task.
    pub(crate) fn next_sample(&self) {
        self.with(|state| {
            state.end_sample();
            state.sample = Some(state.last);
            state.waited = 0;
        });
    }

    pub(crate) fn end_samples(&self) {
        self.with(State::end_sample);
    }

    pub(super) fn stop(&self) -> Stopped {
        let mut state = self.0.replace(State::new());
        state.end_task();
        state.switch_unpaid();
        let worker = WorkerRecord {
            wall_ns: state.ticks.ns(state.began.0, state.last),
            cpu_ns: thread_cpu_ns().saturating_sub(state.began.1),
        };
        Stopped {
            state: Box::new(state),
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
            switch_ns: 0,
            call_ns: 0,
            began,
            last: began.0,
            place: Place::Work(Work::Schedule),
            longest: (0, Place::Work(Work::Schedule)),
            events: 0,
            unit,
            tree,
            totals: Vec::new(),
            works: [0; N_WORKS],
            work_counts: [0; N_WORKS],
            calls: Vec::new(),
            aside: Vec::new(),
            n_aside: 0,
            task: None,
            sample: None,
            looked: began,
            waited: 0,
            samples_ns: Vec::new(),
            unsure: FxHashMap::default(),
            cause: None,
            exact: None,
            recording: Recording::default(),
            ticks,
        }
    }

    fn calibrate(&mut self) {
        (self.call_ns, self.switch_ns) = *COSTS.get_or_init(|| self.costs());
        self.began = (self.ticks.now(), thread_cpu_ns());
        (self.looked, self.last) = (self.began, self.began.0);
    }

    /// Finds out what measuring costs, in a recorder that is thrown away.
    fn costs(&self) -> (u64, u64) {
        const N: u64 = 200;
        let call_ns = self.ticks.cost() as u64;
        let scratch = Live(RefCell::new(State::new()));
        let key = Key::Inner(Label::Copy);
        let trial = || {
            let start = self.ticks.now();
            for _ in 0..N {
                let id = scratch.line(key);
                scratch.came(id, 0, false);
            }
            self.ticks.ns(start, self.ticks.now()) / N
        };
        (call_ns, (0..8).map(|_| trial()).min().unwrap_or(0))
    }

    /// Changes the place. What the change itself costs is not charged to the place that ends.
    #[inline]
    fn switch(&mut self, to: Place) {
        let now = self.ticks.now();
        let whole = self.ticks.ns(self.last, now);
        let own = self.switch_ns.min(whole);
        self.last = now;
        self.events += 1;
        self.works[Work::Recorder as usize] += own;
        self.spend(whole - own);
        if whole > LONG_STAY_NS {
            self.waited += self.look();
        }
        self.place = to;
    }

    /// The last moment.
    fn switch_unpaid(&mut self) {
        self.switch(self.place);
        let last = std::mem::take(&mut self.works);
        if let Some(counted) = self.aside.last_mut() {
            let both = counted.works.iter_mut().zip(last);
            both.for_each(|(sum, ns)| *sum += ns);
        }
    }

    #[inline]
    fn spend(&mut self, ns: u64) {
        match self.place {
            Place::Work(work) => self.works[work as usize] += ns,
            Place::Frame(frame) => {
                let tally = self.tree.tally(frame);
                tally.timed += 1;
                tally.ns += ns;
                self.calls.push(Call::new(frame, ns));
            }
        }
        if ns > self.longest.0 {
            self.longest = (ns, self.place);
        }
    }

    fn end_sample(&mut self) {
        let Some(start) = self.sample.take() else {
            return;
        };
        self.switch(self.place_between());
        let waited = self.waits();
        let wall = self.ticks.ns(start, self.last);
        self.samples_ns
            .push(wall.saturating_sub(waited + std::mem::take(&mut self.waited)));
    }

    /// How long the thread had no processor since this was asked last. Asking is dear, so it is
    /// not asked about short times.
    fn waits(&mut self) -> u64 {
        let wall = self.ticks.ns(self.looked.0, self.last);
        match wall < LOOK_EVERY_NS {
            true => 0,
            false => self.look(),
        }
    }

    fn look(&mut self) -> u64 {
        let wall = self.ticks.ns(self.looked.0, self.last);
        let cpu = thread_cpu_ns();
        let waited = wall.saturating_sub(cpu.saturating_sub(self.looked.1));
        let waited = if waited < LEAST_WAIT_NS { 0 } else { waited };
        let waited = self.take_wait(waited);
        self.looked = (self.last, cpu);
        self.longest = (0, self.place);
        waited
    }

    fn place_between(&self) -> Place {
        match self.place {
            Place::Work(work) => Place::Work(work),
            Place::Frame(_) => Place::Work(Work::Dispatch),
        }
    }

    /// A thread that loses its processor loses it once and for long: the wait is taken from the
    /// longest stay at one place.
    fn take_wait(&mut self, waited: u64) -> u64 {
        let (longest, place) = self.longest;
        let waited = waited.min(longest);
        if waited == 0 {
            return 0;
        }
        match place {
            Place::Work(work) => {
                let spent = &mut self.works[work as usize];
                *spent = spent.saturating_sub(waited);
            }
            Place::Frame(id) => {
                let tally = self.tree.tally(id);
                tally.ns = tally.ns.saturating_sub(waited);
                let call = Call::new(id, longest);
                let is_it = |it: &&mut Call| (it.frame, it.ns) == (call.frame, call.ns);
                if let Some(call) = self.calls.iter_mut().rev().find(is_it) {
                    call.ns -= waited as f32;
                }
            }
        }
        self.works[Work::Waiting as usize] += waited;
        waited
    }

    /// The longest stay of a task that is over is no longer there to take a wait from.
    fn forget_longest(&mut self) {
        self.waits();
        self.longest = (0, self.place);
    }

    /// Puts aside what was counted since the last task.
    fn end_task(&mut self) {
        self.end_sample();
        self.forget_longest();
        let counted = Counted {
            task: self.task,
            tallies: self.tree.take(),
            calls: std::mem::replace(&mut self.calls, Vec::with_capacity(CALLS_AT_FIRST)),
            works: std::mem::take(&mut self.works),
            work_counts: std::mem::take(&mut self.work_counts),
            samples_ns: std::mem::take(&mut self.samples_ns),
        };
        self.n_aside += counted.tallies.len() + counted.calls.len();
        self.aside.push(counted);
        if self.n_aside > MOST_ASIDE {
            self.settle_all();
        }
    }

    fn settle_all(&mut self) {
        self.n_aside = 0;
        for counted in std::mem::take(&mut self.aside) {
            self.settle(counted);
        }
    }

    fn settle(&mut self, counted: Counted) {
        let settled = settle(&self.tree, &counted.tallies);
        let mut rows = self.rows_of(&settled, &counted.calls);
        rows.extend(work_rows(&counted.works, &counted.work_counts));
        self.add_totals(&settled);
        let record = TaskRecord {
            rows,
            samples_ns: counted.samples_ns,
        };
        match counted.task {
            Some(task) => self.recording.tasks.entry(task).or_default().add(record),
            None => self.recording.outside.add(record),
        }
    }

    fn rows_of(&self, settled: &[Settled], calls: &[Call]) -> BTreeMap<Row, RowFigures> {
        let mut rows: BTreeMap<Row, RowFigures> = BTreeMap::new();
        for one in settled {
            let frame = self.tree.frames[one.id as usize];
            let Some(row) = frame.row else { continue };
            let mut figures = one.figures.clone();
            if frame.is_nested {
                figures.total_ns = 0.0;
            }
            if let Row::Again(_) = row
                && frame.is_nested
            {
                // Of a re-run only its number counts, not that of the calls in it.
                (figures.calls, figures.cells, figures.faults) = (0, 0.0, 0);
            }
            rows.entry(row).or_default().figures.add(&figures);
        }
        for (row, histogram) in self.histograms(settled, calls) {
            if let Some(figures) = rows.get_mut(&row) {
                figures.histogram = histogram;
            }
        }
        rows
    }

    /// The self times of timed calls by row. Of each call's time the share is taken that is its
    /// frame's own.
    fn histograms(&self, settled: &[Settled], calls: &[Call]) -> Vec<(Row, Histogram)> {
        let mut times: Vec<(Row, u64, u32)> = Vec::with_capacity(calls.len());
        for call in calls {
            let Ok(k) = settled.binary_search_by_key(&call.frame, |one| one.id) else {
                continue;
            };
            let frame = self.tree.frames[call.frame as usize];
            let is_again = matches!(frame.row, Some(Row::Again(_)));
            let (Some(row), false) = (frame.row, is_again && frame.is_nested) else {
                continue;
            };
            let share = if is_again {
                1.0
            } else {
                settled[k].own_share()
            };
            let weight = settled[k].weight.round().max(1.0) as u32;
            times.push((row, (f64::from(call.ns) * share) as u64, weight));
        }
        times.sort_unstable_by_key(|(row, _, _)| *row);
        let by_row = times.chunk_by(|a, b| a.0 == b.0);
        by_row.map(|times| (times[0].0, histogram(times))).collect()
    }

    fn add_totals(&mut self, settled: &[Settled]) {
        self.totals
            .resize(self.tree.frames.len(), Figures::default());
        for one in settled {
            self.totals[one.id as usize].add(&one.figures);
        }
    }

    fn finish(mut self, worker: WorkerRecord) -> Recording {
        self.settle_all();
        let mut recording = std::mem::take(&mut self.recording);
        let totals = self.totals.iter().enumerate();
        for (id, figures) in totals.filter(|(_, figures)| figures.calls > 0) {
            let path = self.tree.path(id as FrameId);
            recording.frames.entry(path).or_default().add(figures);
        }
        recording.workers.push(worker);
        recording.events = self.events;
        recording.ns_per_event = self.switch_ns as f64;
        recording
    }
}

fn histogram(times: &[(Row, u64, u32)]) -> Histogram {
    let mut counts = vec![0u32; N_BUCKETS];
    for (_, ns, weight) in times {
        let count = &mut counts[usize::from(bucket_of(*ns))];
        *count = count.saturating_add(*weight);
    }
    Histogram::from_dense(&counts)
}
