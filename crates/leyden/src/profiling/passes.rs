//! Executes a plan several times, with the recorder and without, and keeps the least disturbed
//! times.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use leyden_exec::record::{Recorder, Recording, Stopped, TaskRecord};
use leyden_exec::{Engine, Mode};
use leyden_profile::model::Kind;

use super::build;
use super::measure::Walls;
use crate::clock::{Wall, process_cpu, thread_cpu, timed};
use crate::pipeline::observe::{Observer, Watch};
use crate::progress::Progress;

/// Watches an execution: the time of each task and, with a recorder, the work in it.
pub(super) struct Observed<'p> {
    is_recorded: bool,
    progress: Option<&'p Progress>,
    threads: Mutex<Threads>,
}

/// The times of all threads together.
#[derive(Default)]
struct Threads {
    stopped: Vec<Stopped>,
    cpu: Duration,
    /// Tasks by their indices.
    took: Vec<(usize, Duration)>,
}

impl<'p> Observed<'p> {
    pub(super) fn new(is_recorded: bool, progress: Option<&'p Progress>) -> Observed<'p> {
        Observed {
            is_recorded,
            progress,
            threads: Mutex::default(),
        }
    }

    /// Runs `execute` under this watch.
    pub(super) fn pass<R>(self, execute: impl FnOnce(&Observed<'_>) -> Vec<R>) -> Pass<R> {
        let cpu_before = process_cpu();
        let (results, wall) = timed(|| execute(&self));
        let process_cpu = process_cpu().saturating_sub(cpu_before);
        let threads = self.threads.into_inner();
        let mut threads = threads.unwrap_or_else(PoisonError::into_inner);
        threads.took.sort_by_key(|(task, _)| *task);
        Pass {
            results,
            took: threads.took.into_iter().map(|(_, took)| took).collect(),
            stopped: threads.stopped,
            wall,
            cpu: threads.cpu,
            process_cpu,
        }
    }
}

impl Observer for Observed<'_> {
    fn thread(&self) -> Box<dyn Watch + '_> {
        leyden_exec::warm_up();
        let recorder = self.is_recorded.then(Recorder::start);
        Box::new(ObservedThread {
            observed: self,
            recorder,
            cpu_before: thread_cpu(),
            began: Wall::start(),
            took: Vec::new(),
        })
    }
}

struct ObservedThread<'o> {
    observed: &'o Observed<'o>,
    recorder: Option<Recorder>,
    cpu_before: Duration,
    /// When the task began.
    began: Wall,
    took: Vec<(usize, Duration)>,
}

impl Watch for ObservedThread<'_> {
    fn begin(&mut self, task: Option<usize>) {
        self.began = Wall::start();
        if let Some(recorder) = &self.recorder {
            recorder.task(task.map(|k| k as u32));
        }
    }

    fn done(&mut self, task: usize) {
        self.took.push((task, self.began.elapsed()));
        if let Some(progress) = self.observed.progress {
            progress.advance(1);
        }
    }
}

impl Drop for ObservedThread<'_> {
    fn drop(&mut self) {
        let cpu = thread_cpu().saturating_sub(self.cpu_before);
        let stopped = self.recorder.take().map(Recorder::stop);
        let threads = self.observed.threads.lock();
        let mut threads = threads.unwrap_or_else(PoisonError::into_inner);
        threads.stopped.extend(stopped);
        threads.cpu += cpu;
        threads.took.append(&mut self.took);
    }
}

/// A longer run is not repeated just to measure the cost of recording.
const MOST_REPEATED: Duration = Duration::from_millis(1_500);
/// A shorter run is repeated for about this long, within the limits below.
const REPEATING: Duration = Duration::from_secs(3);
const LEAST_ROUNDS: u32 = 2;
const MOST_ROUNDS: u32 = 20;

/// One execution of everything, with recorders or without.
pub(super) struct Pass<R> {
    pub(super) results: Vec<R>,
    /// The time of each item.
    took: Vec<Duration>,
    stopped: Vec<Stopped>,
    wall: Duration,
    /// The processor time of the workers.
    cpu: Duration,
    /// The processor time of the whole process.
    process_cpu: Duration,
}

impl<R> Pass<R> {
    fn shown(self) -> Shown {
        let mut recording = Recording::default();
        let stopped = self.stopped.into_iter();
        stopped.for_each(|one| recording.add(one.settle()));
        Shown {
            recording,
            took: self.took,
            wall: self.wall,
            cpu: self.cpu,
            process_cpu: self.process_cpu,
        }
    }
}

/// The pass to show: a whole pass, or for each item its least disturbed pass.
pub(super) struct Shown {
    pub(super) recording: Recording,
    took: Vec<Duration>,
    wall: Duration,
    cpu: Duration,
    process_cpu: Duration,
}

impl Shown {
    /// The time of all items together.
    fn took(&self) -> Duration {
        self.took.iter().sum()
    }

    /// Takes the less disturbed parts of another pass: single items, or with several threads, which
    /// disturb each other, the whole pass.
    fn improve(&mut self, other: Shown) {
        let is_by_task = [&self.recording, &other.recording]
            .iter()
            .all(|it| it.workers.len() == 1 && it.has_frames_by_task());
        if is_by_task {
            self.take_items(other);
        } else if other.cpu < self.cpu {
            *self = other;
        }
    }

    fn take_items(&mut self, other: Shown) {
        let busy = |recording: &Recording, k: usize| {
            let task = recording.tasks.get(&(k as u32));
            task.map_or(0.0, TaskRecord::busy_ns)
        };
        let is_better = |k: usize| busy(&other.recording, k) < busy(&self.recording, k);
        let is_better: Vec<bool> = (0..self.took.len()).map(is_better).collect();
        let before = (self.took(), busy_ns(&self.recording));
        for (k, took) in self.took.iter_mut().enumerate() {
            *took = if is_better[k] { other.took[k] } else { *took };
        }
        let is_wanted = |task: u32| is_better.get(task as usize) == Some(&true);
        self.recording.replace_tasks(other.recording, is_wanted);
        let busy = busy_ns(&self.recording) - before.1;
        self.shift(ns_between(before.0, self.took()), busy.round() as i64);
    }

    /// Moves all clocks by these differences of wall time and processor time.
    fn shift(&mut self, wall: i64, cpu: i64) {
        let moved = |time: Duration, by: i64| {
            Duration::from_nanos(build::ns(time).saturating_add_signed(by))
        };
        self.wall = moved(self.wall, wall);
        self.cpu = moved(self.cpu, cpu);
        self.process_cpu = moved(self.process_cpu, cpu);
        for worker in &mut self.recording.workers {
            worker.wall_ns = worker.wall_ns.saturating_add_signed(wall);
            worker.cpu_ns = worker.cpu_ns.saturating_add_signed(cpu);
        }
    }
}

fn ns_between(before: Duration, after: Duration) -> i64 {
    build::ns(after) as i64 - build::ns(before) as i64
}

/// The time of all tasks, without waiting.
fn busy_ns(recording: &Recording) -> f64 {
    recording.tasks.values().map(TaskRecord::busy_ns).sum()
}

impl Walls {
    /// Sets the times of a pass, in place of earlier ones.
    pub(super) fn set_execute<R>(&mut self, pass: &Pass<R>) {
        self.set(pass.wall, pass.process_cpu);
    }

    /// Sets the times of the pass that is shown.
    pub(super) fn set_shown(&mut self, shown: &Shown) {
        self.set(shown.wall, shown.process_cpu);
    }

    fn set(&mut self, wall: Duration, cpu: Duration) {
        self.whole = (self.whole + wall).saturating_sub(self.phases.execute);
        self.phases.execute = wall;
        self.execute_cpu = cpu;
    }
}

/// The times of a run with the recorder and without it, both warm, as sums of each item's least
/// times: a whole run is seldom undisturbed. `None` if the run takes long or is cancelled. Also the
/// pass to show: if the profile has only primitives and lines, each item's least disturbed pass,
/// otherwise the first pass, which starts cold as a user's run does.
pub(super) fn repeated<R>(
    kind: Kind,
    first: Pass<R>,
    pass: impl Fn(bool) -> Pass<R>,
) -> (Option<(Duration, Duration)>, Shown) {
    // On a busy machine runs take long and need repeating most.
    let took = first.wall.min(first.cpu);
    let mut shown = first.shown();
    if took > MOST_REPEATED {
        return (None, shown);
    }
    let fits = REPEATING.as_nanos() / (2 * took.as_nanos().max(1));
    let n_rounds = u32::try_from(fits).unwrap_or(MOST_ROUNDS);
    let is_any_as_good = matches!(kind, Kind::Dsl | Kind::Batch | Kind::Lines);
    let mut least = [(); 2].map(|()| vec![Duration::MAX; shown.took.len()]);
    let n_rounds = n_rounds.clamp(LEAST_ROUNDS, MOST_ROUNDS);
    let progress = Progress::new("measuring again", n_rounds as usize);
    for _ in 0..n_rounds {
        let passes = [pass(false), pass(true)];
        progress.advance(1);
        if passes.iter().any(|pass| pass.took.len() < shown.took.len()) {
            // The user has cancelled it.
            return (None, shown);
        }
        for (least, pass) in least.iter_mut().zip(&passes) {
            let both = least.iter_mut().zip(&pass.took);
            both.for_each(|(least, took)| *least = (*least).min(*took));
        }
        let [_, recorded] = passes;
        if is_any_as_good {
            shown.improve(recorded.shown());
        }
    }
    let [off, on] = least.map(|times| times.iter().sum());
    (Some((off, on)), shown)
}

/// An engine without `--exact-order`.
pub(super) fn in_any_order(engine: &Engine) -> Engine {
    Engine {
        mode: Mode::Fast,
        ..engine.clone()
    }
}

/// With `--exact-order`: the times of the items, and their times without it.
pub(super) fn without_order<R>(
    mode: Mode,
    (cost, shown): (Option<(Duration, Duration)>, &Shown),
    pass: impl Fn() -> Pass<R>,
) -> Option<(Duration, Duration)> {
    if mode != Mode::Exact {
        return None;
    }
    let before = cost.map_or_else(|| shown.took(), |(off, _)| off);
    let (mut after, mut n_items) = (Duration::MAX, 0);
    for _ in 0..LEAST_ROUNDS {
        let fast = pass();
        n_items = fast.took.len();
        after = after.min(fast.took.iter().sum());
    }
    (n_items == shown.took.len()).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(n_items: usize, took: Duration) -> Pass<()> {
        Pass {
            results: Vec::new(),
            took: vec![took; n_items],
            stopped: Vec::new(),
            wall: took,
            cpu: took,
            process_cpu: took,
        }
    }

    #[test]
    fn the_least_disturbed_pass_is_shown_where_only_primitives_count() {
        let (long, short) = (Duration::from_millis(30), Duration::from_millis(20));
        for (kind, shown_wall) in [(Kind::Dsl, short), (Kind::Pipeline, long)] {
            let (cost, shown) = repeated(kind, pass(3, long), |_| pass(3, short));
            assert_eq!(cost, Some((3 * short, 3 * short)));
            assert_eq!(shown.wall, shown_wall);
        }
    }

    /// Two items, recorded on one thread, with this much work and these times.
    fn recorded(work: [u64; 2], took: [u64; 2]) -> Shown {
        let recorder = Recorder::start();
        for (task, work) in (0..).zip(work) {
            recorder.task(Some(task));
            leyden_exec::record::work(leyden_exec::record::Work::Collect);
            let sum: u64 = (0..work * 100_000).map(std::hint::black_box).sum();
            assert!(sum > 0);
        }
        let recording = recorder.finish();
        let took = took.map(Duration::from_millis);
        Shown {
            wall: took.iter().sum::<Duration>() + Duration::from_millis(5),
            took: took.to_vec(),
            cpu: Duration::from_millis(50),
            process_cpu: Duration::from_millis(60),
            recording,
        }
    }

    #[test]
    fn of_each_item_the_least_disturbed_pass_is_shown() {
        let mut shown = recorded([50, 1], [30, 10]);
        let other = recorded([1, 50], [20, 40]);
        let wanted = other.recording.tasks[&0].self_ns();
        let kept = shown.recording.tasks[&1].self_ns();
        shown.improve(other);
        assert_eq!(shown.took, [20, 10].map(Duration::from_millis));
        assert_eq!(shown.wall, Duration::from_millis(35));
        assert!(shown.cpu < Duration::from_millis(50));
        assert_eq!(shown.recording.tasks[&0].self_ns(), wanted);
        assert_eq!(shown.recording.tasks[&1].self_ns(), kept);
    }

    #[test]
    fn a_cancelled_pass_is_neither_counted_nor_shown() {
        let (long, short) = (Duration::from_millis(30), Duration::from_millis(1));
        let (cost, shown) = repeated(Kind::Dsl, pass(3, long), |_| pass(1, short));
        assert_eq!((cost, shown.wall), (None, long));
    }
}
