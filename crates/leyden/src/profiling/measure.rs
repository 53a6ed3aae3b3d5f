//! Measures a run: from arguments, through the phases, to a profile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::Engine;
use leyden_exec::record::{self, Figures, Key, Recording};
use leyden_grid::Task;
use leyden_lang::{Battery, Language, Program};
use leyden_profile::Profile;
use leyden_profile::model::{
    Accuracy, DataSet, Kind, Picture, ProgramSet, Sampling, SamplingMethod,
};
use leyden_profile::project::sample_by_size;
use leyden_store::read_text;
use xxhash_rust::xxh3::xxh3_128;

use super::build;
use super::device::{self, Used};
use super::passes::{Observed, in_any_order, repeated, without_order};
use super::units::{self, Unit};
use crate::args::{BackendArgs, EngineArgs};
use crate::clock::{Wall, timed};
use crate::failure::Failure;
use crate::pipeline::Phases;
use crate::pipeline::execute::{Execution, GroupRuns, execute};
use crate::pipeline::generate::{Assigned, Plan, TaskPlan, assign};
use crate::pipeline::group::Group;
use crate::pipeline::load::{LoadedTasks, WantedTasks, load};
use crate::pipeline::read::{Programs, battery_hash};
use crate::pipeline::sample::{Sample, samples};
use crate::pipeline::task_run::TaskRun;
use crate::pipeline::validate::{TaskResult, validate};
use crate::programs::Library;
use crate::progress::Progress;

/// The run to profile.
pub(crate) struct Work {
    /// A battery whose programs all run on all tasks. Without it each program runs on its own task.
    pub(crate) file: Option<PathBuf>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) language: Language,
    pub(crate) tasks: WantedTasks,
    /// A number of the chosen tasks, drawn with a seed.
    pub(crate) draw: Option<(usize, u64)>,
    pub(crate) engine: EngineArgs,
    pub(crate) backend: BackendArgs,
}

impl Work {
    pub(super) fn seed(&self) -> Option<u64> {
        self.draw.map(|(_, seed)| seed)
    }
}

/// The part of a profile to look at closely.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Lines and their text.
    Lines,
    /// Programs and primitives.
    Primitives,
}

/// The results of a task.
pub(crate) struct TaskOutcome {
    pub(crate) id: String,
    pub(crate) runs: u64,
    pub(crate) right: Option<bool>,
    /// For each sample: whether it is a test, its cells, its faults.
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

/// The wall times of a run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Walls {
    pub(crate) start_up: Duration,
    pub(crate) phases: Phases,
    /// The part of generating in which programs became a graph.
    pub(crate) merge: Duration,
    /// The processor time of the whole process while it executed.
    pub(crate) execute_cpu: Duration,
    /// The time to get the recorder ready, which is not part of the run.
    pub(crate) prepare: Duration,
    pub(crate) whole: Duration,
}

/// The measurements behind a profile.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) walls: Walls,
    pub(crate) recording: Recording,
    /// Callers and callees, over all tasks.
    pub(crate) frames: BTreeMap<Vec<Key>, Figures>,
    /// The workers' time without the recorder and with it.
    pub(crate) cost: Option<(Duration, Duration)>,
    /// The workers' time with `--exact-order` and without it, if the user asked for it.
    pub(crate) without_order: Option<(Duration, Duration)>,
    pub(crate) tasks: Vec<TaskOutcome>,
    pub(crate) units: Vec<Unit>,
    /// For each unit and node the programs that share it.
    pub(crate) sharers: Vec<Vec<Vec<String>>>,
    pub(crate) accuracy: Vec<Accuracy>,
    pub(crate) programs: ProgramSet,
    pub(crate) data: DataSet,
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
    let loaded = load(&work.tasks, Some(&files), &cancel, started)?;
    let profiler = Profiler {
        work,
        kind,
        loaded: &loaded,
        engine: work.engine.engine(cancel),
    };
    let measured = profiler.measure()?;
    if measured.tasks.iter().all(|task| task.runs == 0) {
        return Err(Failure::bad_input(
            "no program is meant for these tasks, so there is nothing to measure; a program names its \
             task, such as `solve_0a1b2c3d`",
        ));
    }
    Ok(build::profile(&measured, kind, detail))
}

/// The phases after loading.
struct Profiler<'w> {
    work: &'w Work,
    kind: Kind,
    loaded: &'w LoadedTasks,
    engine: Engine,
}

impl Profiler<'_> {
    fn measure(&self) -> Result<Measured, Failure> {
        let ((), prepare) = timed(record::prepare);
        let (work, loaded) = (self.work, self.loaded);
        let mut phases = Phases::after(loaded);
        let programs = phases.compile(|| {
            let (battery, n_threads) = (work.file.as_deref(), work.engine.n_threads);
            Programs::read(battery, &loaded.sources, &work.language, n_threads)
        })?;
        let set = program_set(&programs);
        let walls = Walls {
            start_up: loaded.start_up,
            phases,
            prepare,
            ..Walls::default()
        };
        let measured = match programs {
            Programs::Battery(battery, name) => self.battery(battery, &name, walls)?,
            Programs::Library(library) => self.library(&library, walls)?,
        };
        Ok(Measured {
            programs: set,
            data: DataSet {
                name: loaded.name.clone(),
                hash: loaded.hash.clone(),
                n_tasks: loaded.n_all as u64,
            },
            seed: work.seed(),
            n_threads: work.engine.n_threads,
            ..measured
        })
    }

    /// Runs a battery on all tasks, as `leyden batt` does.
    fn battery(&self, battery: Battery, name: &str, mut walls: Walls) -> Result<Measured, Failure> {
        let (is_kept, n_nodes) = (battery.needed(), battery.nodes.len());
        let hint = |task: &&Task| size_hint(task, n_nodes);
        let drawn = self.draw(self.loaded.tasks.iter().collect(), hint);
        let sharing = self.work.engine.sharing;
        let group = (walls.phases).generate(|| Group::of_battery(battery, sharing));
        walls.merge = group.merging();
        let plan = Plan::shared(drawn.chosen, &group);
        let measured = self.watch(&plan, &drawn.hints, walls)?;
        let text = self.work.file.as_deref();
        let text = text.and_then(|path| read_text(path).ok());
        Ok(Measured {
            units: units::of_group(&group, name, text.as_deref(), &is_kept),
            sampling: drawn.sampling,
            ..measured
        })
    }

    /// Runs programs on the tasks they are meant for, as `leyden run` does.
    fn library(&self, library: &Library, mut walls: Walls) -> Result<Measured, Failure> {
        let drawn = self.draw(assign(&self.loaded.tasks, library), hint_of_own);
        let EngineArgs {
            sharing, n_threads, ..
        } = self.work.engine;
        let plan = (walls.phases).generate(|| Plan::own(drawn.chosen, sharing, n_threads));
        walls.merge = merging(&plan, walls.phases.generate);
        let measured = self.watch(&plan, &drawn.hints, walls)?;
        Ok(Measured {
            units: units::of_plan(&plan, library),
            sampling: drawn.sampling,
            ..measured
        })
    }

    fn draw<T>(&self, tasks: Vec<T>, hint: impl Fn(&T) -> f64) -> Drawn<T> {
        let hints: Vec<f64> = tasks.iter().map(hint).collect();
        let (places, sampling) = choose(self.work.draw, &hints);
        let is_chosen = |k: &usize| places.binary_search(k).is_ok();
        let chosen = tasks.into_iter().enumerate().filter(|(k, _)| is_chosen(k));
        Drawn {
            chosen: chosen.map(|(_, task)| task).collect(),
            hints: places.iter().map(|k| hints[*k]).collect(),
            sampling,
        }
    }

    /// Executes a plan with the recorder on, validates the results, and executes the plan again to
    /// measure the cost of recording.
    fn watch(&self, plan: &Plan<'_>, hints: &[f64], mut walls: Walls) -> Result<Measured, Failure> {
        let (engine, args) = (&self.engine, &self.work.engine);
        let limits = (engine.fuel, args.n_threads);
        let stage = device::ask(plan, &self.work.backend, limits, args.sharing.rules)?;
        stage.leave_out(&mut walls);
        let pass_of = |engine: &Engine, is_recorded: bool, progress: Option<&Progress>| {
            let execution = Execution {
                plan,
                engine,
                n_threads: args.n_threads,
                source: &stage.source,
                scorer: None,
            };
            Observed::new(is_recorded, progress).pass(|observer| execute(&execution, observer))
        };
        let mut first = {
            let progress = Progress::of_long_items("profiling", plan.tasks.len());
            pass_of(engine, true, Some(&progress))
        };
        let runs = std::mem::take(&mut first.results);
        walls.set_execute(&first);
        if engine.cancel.is_cancelled() {
            return Err(Failure::Stopped("nothing was written".to_owned()));
        }
        let verdicts = (walls.phases).validate(|| verdicts(plan, &runs, args.n_threads));
        let whole = self.loaded.started.elapsed();
        walls.whole = whole.saturating_sub(walls.prepare);
        let again = |is_recorded| pass_of(engine, is_recorded, None);
        let (cost, shown) = repeated(self.kind, first, again);
        let without_order = without_order(engine.mode, (cost, &shown), || {
            pass_of(&in_any_order(engine), false, None)
        });
        walls.set_shown(&shown);
        let tasks = plan.tasks.iter().zip(&runs).zip(&verdicts).zip(hints);
        let tasks =
            tasks.map(|(((task, runs), verdict), hint)| outcome(task, runs, verdict, *hint));
        Ok(Measured {
            walls,
            frames: shown.recording.frames(),
            recording: shown.recording,
            cost,
            without_order,
            tasks: tasks.collect(),
            sharers: sharers(plan),
            accuracy: accuracy(plan, &verdicts),
            device: stage.used,
            ..Measured::default()
        })
    }
}

/// The part of generating that was merging.
fn merging(plan: &Plan<'_>, generate: Duration) -> Duration {
    let whole: Duration = plan.tasks.iter().map(|task| task.generate).sum();
    let merging: Duration = plan.groups().iter().map(Group::merging).sum();
    generate.mul_f64(merging.as_secs_f64() / whole.as_secs_f64().max(1e-9))
}

/// The number of cells of all inputs times the number of lines.
fn size_hint(task: &Task, n_lines: usize) -> f64 {
    let cells: usize = samples(task).map(|sample| sample.input.cells().len()).sum();
    cells as f64 * n_lines as f64
}

fn hint_of_own(assigned: &Assigned<'_>) -> f64 {
    let programs = assigned.programs.iter();
    let n_lines = programs.map(|known| known.program.lines.len()).sum();
    size_hint(assigned.task, n_lines)
}

/// Tasks that were drawn, with their size hints.
struct Drawn<T> {
    chosen: Vec<T>,
    hints: Vec<f64>,
    sampling: Sampling,
}

/// The verdict about a task, and the time that it took.
struct Verdict {
    is_solved: bool,
    n_correct: usize,
    n_known: usize,
    validate: Duration,
}

fn verdicts(plan: &Plan<'_>, runs: &[GroupRuns], n_threads: usize) -> Vec<Verdict> {
    if plan.shared_group().is_none() {
        let results = validate(plan, runs, n_threads).into_iter();
        let verdict = |result: TaskResult<'_>| Verdict {
            is_solved: result.is_solved(),
            n_correct: result.n_correct(),
            n_known: result.n_samples,
            validate: result.validate,
        };
        return results.map(verdict).collect();
    }
    let verdict = |runs: &GroupRuns| {
        let solves = |run: &TaskRun| (0..run.n_programs).any(|k| run.solves(k));
        let (is_solved, validate) = timed(|| runs.iter().any(solves));
        Verdict {
            is_solved,
            n_correct: 0,
            n_known: 0,
            validate,
        }
    };
    runs.iter().map(verdict).collect()
}

/// Accuracy over tasks and over pairs; the best program of a task counts.
fn accuracy(plan: &Plan<'_>, verdicts: &[Verdict]) -> Vec<Accuracy> {
    let sum = |figure: fn(&Verdict) -> usize| verdicts.iter().map(figure).sum::<usize>() as u64;
    let row = |what: &str, right, of| Accuracy {
        what: what.to_owned(),
        right,
        of,
    };
    let tasks = row("tasks", sum(|it| usize::from(it.is_solved)), sum(|_| 1));
    let pairs = row("pairs", sum(|it| it.n_correct), sum(|it| it.n_known));
    match plan.shared_group() {
        Some(_) => vec![tasks],
        None => vec![tasks, pairs],
    }
}

fn outcome(task: &TaskPlan<'_>, runs: &[TaskRun], verdict: &Verdict, hint: f64) -> TaskOutcome {
    let n_programs = task.n_programs as u64;
    let sample = |(k, sample): (usize, Sample<'_>)| SampleOutcome {
        is_test: !sample.is_demo,
        cells: sample.input.cells().len() as u64,
        runs: n_programs,
        faults: runs.iter().map(|run| run.n_faults(k) as u64).sum(),
    };
    TaskOutcome {
        id: task.task.id.as_str().to_owned(),
        runs: task.n_runs() as u64,
        right: (n_programs > 0).then_some(verdict.is_solved),
        samples: samples(task.task).enumerate().map(sample).collect(),
        picture: picture(task.task),
        size_hint: hint,
        generate: task.generate,
        validate: verdict.validate,
    }
}

/// For each unit and node the programs that share it.
fn sharers(plan: &Plan<'_>) -> Vec<Vec<Vec<String>>> {
    let of_group = |group: &Group| match group.battery() {
        Some(battery) => vec![units::sharers(battery)],
        None => vec![Vec::new(); group.n_programs()],
    };
    plan.groups().iter().flat_map(of_group).collect()
}

fn program_set(programs: &Programs) -> ProgramSet {
    let (hash, n_programs) = match programs {
        Programs::Battery(battery, _) => (battery_hash(battery), battery.outs.len()),
        Programs::Library(library) => {
            let hashes = library.programs().map(Program::content_hash);
            let hashes: Vec<u8> = hashes.flat_map(u128::to_le_bytes).collect();
            let hash = format!("{:032x}", xxh3_128(&hashes));
            (hash, library.programs.len())
        }
    };
    ProgramSet {
        name: programs.name(),
        hash,
        n_programs: n_programs as u64,
    }
}

/// The indices of the chosen tasks, in order; each task has a size hint.
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
