//! From arguments to a profile: the phases of a run, each measured.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_dsl::table::Dialect;
use leyden_exec::record::{self, Figures, Key, Recorder, Recording, Stopped, TaskRecord};
use leyden_exec::{Engine, Mode, Queue, share_out};
use leyden_grid::Task;
use leyden_profile::Profile;
use leyden_profile::model::{Accuracy, Kind, Picture, Sampling, SamplingMethod};
use leyden_profile::project::sample_by_size;
use leyden_store::DataSpec;

use super::build;
use super::device::Used;
use super::units::Unit;
use super::{own, shared};
use crate::args::{BackendArgs, EngineArgs};
use crate::clock::{Wall, cpu_timed, process_cpu, timed};
use crate::failure::Failure;
use crate::pipeline::load::{Choice, Wanted, load};
use crate::progress::Progress;

/// What is profiled.
pub(crate) struct Work {
    /// A battery, whose programs all run on all tasks; else each program runs on its own.
    pub(crate) file: Option<PathBuf>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) data: Option<DataSpec>,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) choice: Choice,
    /// So many of the chosen tasks, drawn with a seed.
    pub(crate) draw: Option<(usize, u64)>,
    pub(crate) engine: EngineArgs,
    pub(crate) backend: BackendArgs,
}

impl Work {
    pub(super) fn seed(&self) -> Option<u64> {
        self.draw.map(|(_, seed)| seed)
    }
}

/// What is looked at more closely.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Lines and their text.
    Lines,
    /// Programs and primitives.
    Primitives,
}

/// What a task gave.
pub(crate) struct TaskOutcome {
    pub(crate) id: String,
    pub(crate) runs: u64,
    pub(crate) right: Option<bool>,
    /// For each sample: is it a test, its cells, its faults.
    pub(crate) samples: Vec<SampleOutcome>,
    pub(crate) picture: Option<Picture>,
    pub(crate) size_hint: f64,
    pub(crate) generate: Duration,
    pub(crate) validate: Duration,
}

#[derive(Clone, Copy)]
pub(crate) struct SampleOutcome {
    pub(crate) is_test: bool,
    pub(crate) cells: u64,
    pub(crate) runs: u64,
    pub(crate) faults: u64,
}

/// The phases by the wall clock.
#[derive(Clone, Copy, Default)]
pub(crate) struct Walls {
    pub(crate) start_up: Duration,
    pub(crate) load_data: Duration,
    pub(crate) load_programs: Duration,
    pub(crate) generate: Duration,
    /// The part of it in which programs became a graph.
    pub(crate) merge: Duration,
    pub(crate) execute: Duration,
    /// The processor time of the whole process meanwhile.
    pub(crate) execute_cpu: Duration,
    /// Getting the recorder ready, which is no part of the run.
    pub(crate) prepare: Duration,
    pub(crate) validate: Duration,
    pub(crate) whole: Duration,
}

/// Everything that a profile is made of.
pub(crate) struct Measured {
    pub(crate) walls: Walls,
    pub(crate) recording: Recording,
    /// Who called whom, over all tasks.
    pub(crate) frames: BTreeMap<Vec<Key>, Figures>,
    /// Of the workers, without the recorder and with it.
    pub(crate) cost: Option<(Duration, Duration)>,
    /// Of the workers, as the run was asked for and without `--exact-order`, if it was asked for
    /// that.
    pub(crate) without_order: Option<(Duration, Duration)>,
    pub(crate) tasks: Vec<TaskOutcome>,
    pub(crate) units: Vec<Unit>,
    /// For each unit and node the programs that share it.
    pub(crate) sharers: Vec<Vec<Vec<String>>>,
    pub(crate) accuracy: Vec<Accuracy>,
    pub(crate) programs: leyden_profile::model::ProgramSet,
    pub(crate) data: leyden_profile::model::DataSet,
    pub(crate) sampling: Sampling,
    pub(crate) seed: Option<u64>,
    pub(crate) n_threads: usize,
    pub(crate) notes: Vec<String>,
    pub(crate) device: Option<Used>,
}

/// Runs and records.
pub(crate) fn profile(
    work: &Work,
    kind: Kind,
    detail: Detail,
    cancel: CancelToken,
    started: Wall,
) -> Result<Profile, Failure> {
    let files: Vec<PathBuf> = work.file.iter().chain(&work.solvers).cloned().collect();
    let wanted = Wanted {
        data: work.data.as_ref(),
        solutions: work.solutions.as_deref(),
        choice: &work.choice,
        shard: None,
        programs: Some(&files),
    };
    let loaded = load(&wanted, &cancel, started)?;
    let ((), prepare) = timed(record::prepare);
    let walls = Walls {
        start_up: loaded.start_up,
        load_data: loaded.time,
        prepare,
        ..Walls::default()
    };
    let measured = match &work.file {
        Some(path) => shared::measure(path, work, loaded, walls, kind, cancel)?,
        None => own::measure(work, loaded, walls, kind, cancel)?,
    };
    if measured.tasks.iter().all(|task| task.runs == 0) {
        return Err(Failure::bad_input(
            "no program is meant for these tasks, so there is nothing to measure; a program names its \
             task, such as `solve_0a1b2c3d`",
        ));
    }
    Ok(build::profile(&measured, kind, detail))
}

/// The places of the chosen tasks, in order; each task with its size hint.
pub(super) fn choose(draw: Option<(usize, u64)>, hints: &[f64]) -> (Vec<usize>, Sampling) {
    let n = hints.len();
    let mut sampling = Sampling::default();
    let places = match draw {
        Some((count, seed)) if count < n => {
            let mut places = sample_by_size(hints, count, seed);
            places.sort_unstable();
            sampling.method = SamplingMethod::BySize;
            let is_rest = |k: &usize| places.binary_search(k).is_err();
            sampling.hints_of_rest = (0..n).filter(is_rest).map(|k| hints[k]).collect();
            places
        }
        _ => (0..n).collect(),
    };
    (places, sampling)
}

/// Works through items on several threads, each with a recorder or none. The work gives what became of
/// an item and how long that took.
pub(super) fn on_threads<'q, T: Sync, R: Send>(
    n_threads: usize,
    items: &'q [T],
    is_recorded: bool,
    work: impl Fn(&Queue<'q, T>, Option<&Recorder>) -> Vec<(usize, (R, Duration))> + Sync,
) -> Pass<R> {
    let stopped = std::sync::Mutex::new((Vec::new(), Duration::ZERO));
    let cpu_before = process_cpu();
    let (done, wall) = timed(|| {
        share_out(n_threads, items, |queue| {
            leyden_exec::warm_up();
            let recorder = is_recorded.then(Recorder::start);
            let (done, cpu) = cpu_timed(|| work(queue, recorder.as_ref()));
            let recorded = recorder.map(Recorder::stop);
            let mut stopped = stopped
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            stopped.0.extend(recorded);
            stopped.1 += cpu;
            done
        })
    });
    let process_cpu = process_cpu().saturating_sub(cpu_before);
    let (stopped, cpu) = stopped
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let (results, took) = done.into_iter().map(|(_, one)| one).unzip();
    Pass {
        results,
        took,
        stopped,
        wall,
        cpu,
        process_cpu,
    }
}

/// Runs that take longer than this are not repeated just to see what recording costs.
const MOST_REPEATED: Duration = Duration::from_millis(1_500);
/// Others are repeated so many times at least and at most, and for about so long.
const REPEATING: Duration = Duration::from_secs(3);
const LEAST_ROUNDS: u32 = 2;
const MOST_ROUNDS: u32 = 20;

/// Everything run once, with recorders or without.
pub(super) struct Pass<R> {
    pub(super) results: Vec<R>,
    /// How long each item took.
    took: Vec<Duration>,
    stopped: Vec<Stopped>,
    wall: Duration,
    /// Of the workers.
    cpu: Duration,
    /// Of the whole process.
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

/// What is shown: a pass, or of each item the pass that was least disturbed.
pub(super) struct Shown {
    pub(super) recording: Recording,
    took: Vec<Duration>,
    wall: Duration,
    cpu: Duration,
    process_cpu: Duration,
}

impl Shown {
    /// How long all items took together.
    fn took(&self) -> Duration {
        self.took.iter().sum()
    }

    /// Takes from another pass what was less disturbed there: items, or with several threads, which
    /// disturb each other, the whole.
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

    /// Moves all clocks: what is shown takes so much more, by the wall and by the processor.
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

/// The time of all tasks, but for waiting.
fn busy_ns(recording: &Recording) -> f64 {
    recording.tasks.values().map(TaskRecord::busy_ns).sum()
}

impl Walls {
    /// The times of a pass; those of another one were there before or none.
    pub(super) fn set_execute<R>(&mut self, pass: &Pass<R>) {
        self.set(pass.wall, pass.process_cpu);
    }

    /// The times of what is shown instead.
    pub(super) fn set_shown(&mut self, shown: &Shown) {
        self.set(shown.wall, shown.process_cpu);
    }

    fn set(&mut self, wall: Duration, cpu: Duration) {
        self.whole = (self.whole + wall).saturating_sub(self.execute);
        self.execute = wall;
        self.execute_cpu = cpu;
    }
}

/// What a run takes with the recorder and without, both when everything is warm, by the least times of
/// each item: a whole run is seldom undisturbed. Nothing if it takes long or is cancelled before.
/// And what to show: where only primitives and lines are asked for, of each item the pass that was
/// least disturbed; else the first, which met everything as a user's run does.
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

/// An engine as it is without `--exact-order`.
pub(super) fn in_any_order(engine: &Engine) -> Engine {
    Engine {
        mode: Mode::Fast,
        ..engine.clone()
    }
}

/// Where `--exact-order` was asked for: what the items took, and what they take without it.
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

/// The first pair of a task as text.
pub(super) fn picture(task: &Task) -> Option<Picture> {
    let pair = task.demos.first()?;
    let rows = |grid: &leyden_grid::Grid| {
        let row = |row: &[u8]| row.iter().map(|v| char::from(b'0' + v % 10)).collect();
        grid.rows().map(row).collect()
    };
    Some(Picture {
        input: rows(&pair.input),
        output: rows(&pair.output),
    })
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

    /// Two items, recorded on one thread, with so much work each, that took so long.
    fn recorded(work: [u64; 2], took: [u64; 2]) -> Shown {
        let recorder = Recorder::start();
        for (task, work) in (0..).zip(work) {
            recorder.task(Some(task));
            record::work(record::Work::Collect);
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
