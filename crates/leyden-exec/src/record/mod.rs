//! The recorder measures where time goes, in times that add up.
//!
//! A thread records while [`Recorder`] lives on it. On other threads, programs run the instructions
//! of a build without the feature `recorder`, plus a branch at coarse places: once for each program
//! and sample, and once for each function that is called through its tree.
//!
//! ```
//! use leyden_exec::record::{Label, Recorder, Row};
//! use leyden_exec::{Engine, Sample};
//! use leyden_grid::Grid;
//!
//! let source = "def solve_0a1b2c3d(I):\n    O = hconcat(I, vmirror(I))\n    return O\n";
//! let program = leyden_lang::parse(source, "mine.py", None).unwrap().remove(0);
//! let input = Grid::from_rows(&[vec![1, 2]]).unwrap();
//!
//! let recorder = Recorder::start();
//! recorder.task(Some(0));
//! Engine::default().run(&program, &Sample::of(&input));
//! let recording = recorder.finish();
//! let calls: Vec<u64> = recording.tasks[&0].rows.iter()
//!     .filter(|(row, _)| matches!(row, Row::Line(Label::Prim(_))))
//!     .map(|(_, row)| row.figures.calls)
//!     .collect();
//! assert_eq!(calls, [1, 1]);
//! ```

mod clock;
mod exact;
mod frames;
mod functional;
mod live;
mod recent;
mod recording;
mod rhythm;
mod rows;
mod settle;
mod work;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leyden_dsl::cx::Observer;
use leyden_dsl::fault::Fault;
use leyden_dsl::value::Value;
use leyden_lang::Op;

pub use frames::{Key, Label, Slow};
pub use recording::{Figures, Recording, Row, RowFigures, SlowRuns, TaskRecord, WorkerRecord};
pub use work::Work;

use leyden_profile::model::SlowReason;

pub(crate) use frames::FrameId;
pub use live::Stopped;
pub(crate) use live::{Below, Live, first_timed_of_body};

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
    static LIVE: RefCell<Option<Rc<Live>>> = const { RefCell::new(None) };
}

/// Whether the recorder is part of this build.
pub const IS_BUILT_IN: bool = cfg!(feature = "recorder");

/// Whether this thread records.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    IS_BUILT_IN && IS_ON.get()
}

/// The recorder of this thread, if it records.
#[inline(always)]
pub(crate) fn live() -> Option<Rc<Live>> {
    if is_on() { of_thread() } else { None }
}

#[cold]
#[inline(never)]
fn of_thread() -> Option<Rc<Live>> {
    LIVE.with_borrow(Clone::clone)
}

/// Changes the place to a kind of work, if this thread records.
#[inline(always)]
pub fn work(work: Work) {
    if is_on() {
        go_on_to(work);
    }
}

#[cold]
#[inline(never)]
fn go_on_to(work: Work) {
    LIVE.with_borrow(|live| live.iter().for_each(|live| live.work(work)));
}

/// Begins the next sample of the current task with a kind of work, if this thread records.
#[inline(always)]
pub fn next_sample(work: Work) {
    if is_on() {
        LIVE.with_borrow(|live| live.iter().for_each(|live| live.next_sample(work)));
    }
}

/// Ends the last sample, if this thread records.
#[inline(always)]
pub fn end_samples() {
    if is_on() {
        LIVE.with_borrow(|live| live.iter().for_each(|live| live.end_samples()));
    }
}

/// Notes that a program goes to the reference engine because of a node.
#[inline(always)]
pub(crate) fn gave_up(node: u32) {
    if is_on() {
        LIVE.with_borrow(|live| live.iter().for_each(|live| live.gave_up(node)));
    }
}

/// Notes that a program goes to the reference engine for this reason.
#[inline(always)]
pub(crate) fn gave_up_at(slow: Slow) {
    if is_on() {
        LIVE.with_borrow(|live| live.iter().for_each(|live| live.gave_up_at(slow)));
    }
}

/// Notes that the reference engine begins a program of the current unit. Without a reason it does
/// so because the fast engine gave up.
#[inline(always)]
pub(crate) fn begin_reference(program: u32, reason: impl Fn() -> Option<SlowReason>) {
    if is_on() {
        let reason = reason();
        LIVE.with_borrow(|live| {
            live.iter()
                .for_each(|live| live.begin_reference(program, reason))
        });
    }
}

/// Runs a line on the reference engine, as a place if this thread records.
#[inline(always)]
pub(crate) fn on_reference_line(
    node: u32,
    op: &Op,
    run: impl FnOnce() -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    if !is_on() {
        return run();
    }
    begin_reference_line(node, op);
    let result = run();
    end_reference_line(&result);
    result
}

#[cold]
#[inline(never)]
fn begin_reference_line(node: u32, op: &Op) {
    let label = Label::of(op);
    LIVE.with_borrow(|live| {
        live.iter()
            .for_each(|live| live.begin_reference_line(node, label))
    });
}

/// Frees the values of lines that the reference engine ran, each in the time of its line: a line
/// that makes much has much to free. If this thread does not record, it takes no value.
#[inline(always)]
pub(crate) fn freeing<'o, T>(values: impl Iterator<Item = (u32, &'o Op, T)>) {
    if is_on() {
        for (node, op, value) in values {
            let label = Label::of(op);
            LIVE.with_borrow(|live| {
                live.iter()
                    .for_each(|live| live.more_of_reference_line(node, label))
            });
            drop(value);
        }
        go_on_to(Work::Memory);
    }
}

#[cold]
#[inline(never)]
fn end_reference_line(result: &Result<Value, Fault>) {
    let cells = result.as_ref().map_or(0, Value::weight);
    LIVE.with_borrow(|live| {
        live.iter()
            .for_each(|live| live.line_came(cells, result.is_err()))
    });
}

/// The observer of the reference engine's calls, if this thread records.
#[inline(always)]
pub(crate) fn observer() -> Option<Box<dyn Observer>> {
    if is_on() { watcher() } else { None }
}

#[cold]
#[inline(never)]
fn watcher() -> Option<Box<dyn Observer>> {
    Some(Box::new(exact::Watcher::new(of_thread()?)))
}

/// Sets the unit that lines are numbered in, if this thread records.
pub fn unit(number: u32) {
    if is_on() {
        LIVE.with_borrow(|live| live.iter().for_each(|live| live.unit(number)));
    }
}

/// Calibrates the clocks, which takes about a millisecond, so that the first recorder starts at
/// once.
pub fn prepare() {
    drop(Live::new());
}

/// Records this thread until it is finished or dropped. A thread has one at a time: a second one
/// replaces the first.
#[derive(Debug)]
pub struct Recorder {
    live: Rc<Live>,
}

impl Recorder {
    /// Begins to record.
    pub fn start() -> Recorder {
        let live = Rc::new(Live::new());
        LIVE.set(Some(Rc::clone(&live)));
        IS_ON.set(true);
        Recorder { live }
    }

    /// Begins a task, or work outside of tasks.
    pub fn task(&self, task: Option<u32>) {
        self.live.task(task);
    }

    /// Ends recording.
    pub fn stop(self) -> Stopped {
        self.live.stop()
    }

    /// Ends recording and returns the recording.
    pub fn finish(self) -> Recording {
        self.stop().settle()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        IS_ON.set(false);
        LIVE.set(None);
    }
}
