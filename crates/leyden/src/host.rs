//! What a host language needs besides commands: batteries on tasks as values, tasks by their names,
//! pictures.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::table::Dialect;
use leyden_exec::{Counts, Engine, Mode, share_out};
use leyden_grid::{Grid, Task};
use leyden_lang::{Battery, Program, Rules};
use leyden_store::{DataSet, DataSpec};
use serde_json::{Value as Json, json};

use crate::args::{BATT_FUEL, BackendArgs, Chosen, PaletteName};
use crate::battery_run::{FuelOf, Kind, TaskRun};
use crate::clock::timed;
use crate::commands::batt::{Crew, own_scores};
use crate::devices::{self, Devices, Say};
use crate::failure::Failure;
use crate::pipeline::load::tasks_only;
use crate::pipeline::sample::n_samples;
use crate::programs::{Library, Source};
use crate::report::batt_totals::partial;
use crate::report::palette::Palette;
use crate::report::task_svg;
use crate::runner::{Runner, Sharing};
use crate::scoring::Scorer;

pub use crate::args::Backend;

/// The fuel of a run of a battery where nothing else is said.
pub const BATTERY_FUEL: u64 = BATT_FUEL;

/// How to run a battery.
#[derive(Clone, Debug)]
pub struct HowToRun {
    /// The number of threads.
    pub n_threads: usize,
    /// The most fuel of a run.
    pub fuel: u64,
    /// Whether every set is built as CPython builds it.
    pub exact_order: bool,
    /// Whether scoring programs give partial credit for what comes close.
    pub scores: bool,
    /// Where programs run, if it is said.
    pub backend: Option<Backend>,
    /// The numbers of devices; the usual ones if there are none.
    pub devices: Vec<usize>,
    /// Stops it.
    pub cancel: CancelToken,
}

impl Default for HowToRun {
    fn default() -> Self {
        HowToRun {
            n_threads: std::thread::available_parallelism().map_or(1, usize::from),
            fuel: BATTERY_FUEL,
            exact_order: false,
            scores: false,
            backend: None,
            devices: Vec::new(),
            cancel: CancelToken::new(),
        }
    }
}

/// What kind of outcome a run had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// A grid.
    Grid,
    /// Some other value.
    Value,
    /// None.
    Fault(Fault),
}

/// What a program took on the samples of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuelTaken {
    /// On all of them.
    pub sum: u64,
    /// On the dearest.
    pub most: u64,
    /// Which was the first of the dearest.
    pub most_on: u32,
    /// On how many of them a device ran it, which is not counted above.
    pub n_on_device: u32,
}

/// What scoring programs made of the grids for a task's demonstrations.
#[derive(Clone, Debug)]
pub struct TaskScores {
    /// For each program its partial score, 0 to 100.
    pub partial: Vec<f64>,
    /// The program that came closest, where none fits, as `leyden batt --json` writes it.
    pub closest: Option<Json>,
    /// For each scoring program how often it gave no number.
    pub n_unscored: Vec<u32>,
    /// The work.
    pub counts: Counts,
    /// The processor time.
    pub cpu: Duration,
}

impl TaskScores {
    fn of(run: &TaskRun) -> Option<TaskScores> {
        if run.n_unscored.is_empty() {
            return None;
        }
        let partial = (0..run.n_programs).filter_map(|k| partial(run, k));
        let closest = run.closest.as_ref().map(|closest| {
            json!({ "program": closest.program, "demo": closest.demo, "marks": closest.marks })
        });
        Some(TaskScores {
            partial: partial.collect(),
            closest,
            n_unscored: run.n_unscored.clone(),
            counts: run.score_counts,
            cpu: run.score_cpu,
        })
    }
}

/// What all programs of a battery gave on all samples of a task, demonstrations first.
#[derive(Clone, Debug)]
pub struct TaskOutcomes {
    /// The different outcomes, by the hash of their content, in the order in which they came.
    pub outcomes: Vec<(u128, OutcomeKind)>,
    /// For each sample, for each program, the number of its outcome.
    pub picks: Vec<u32>,
    /// For each sample the number of the right outcome, if a program had it.
    pub right: Vec<Option<u32>>,
    /// For each program what it took.
    pub fuel: Vec<FuelTaken>,
    /// If it was asked for.
    pub scores: Option<TaskScores>,
    /// The work.
    pub counts: Counts,
    /// The processor time.
    pub cpu: Duration,
}

impl TaskOutcomes {
    fn of(run: TaskRun) -> TaskOutcomes {
        let kind = |kind: Kind| match kind {
            Kind::Grid => OutcomeKind::Grid,
            Kind::Value => OutcomeKind::Value,
            Kind::Fault(fault) => OutcomeKind::Fault(fault),
        };
        let taken = |fuel: &FuelOf| FuelTaken {
            sum: fuel.sum,
            most: fuel.most,
            most_on: fuel.most_on,
            n_on_device: fuel.n_on_device,
        };
        let seen = run.seen.iter();
        TaskOutcomes {
            scores: TaskScores::of(&run),
            outcomes: seen.map(|seen| (seen.hash, kind(seen.kind))).collect(),
            fuel: run.fuel.iter().map(taken).collect(),
            counts: run.counts,
            cpu: run.execute_cpu,
            right: run.right,
            picks: run.picks,
        }
    }
}

/// What a battery gave on tasks.
#[derive(Clone, Debug)]
pub struct BatteryOutcomes {
    /// For each task, in their order. Where the run was cancelled, tasks are missing at the end.
    pub tasks: Vec<TaskOutcomes>,
    /// The names of the scoring programs, if there were any.
    pub score_names: Vec<String>,
    /// By the clock on the wall.
    pub execute: Duration,
    /// What there is to say about devices.
    pub remarks: Vec<String>,
}

const SHARING: Sharing = Sharing {
    is_on: true,
    batches: true,
    rules: Rules::ALL,
};

/// A battery made ready to run, as `leyden batt` makes one ready.
pub struct ReadyBattery {
    runner: Runner,
    scorer: OnceLock<Scorer>,
    n_programs: usize,
}

impl ReadyBattery {
    /// Makes a battery ready.
    pub fn new(battery: Battery) -> ReadyBattery {
        ReadyBattery {
            n_programs: battery.outs.len(),
            runner: Runner::of_battery(battery, SHARING),
            scorer: OnceLock::new(),
        }
    }

    /// How many computations there are for all programs together.
    pub fn n_nodes(&self) -> usize {
        self.runner.n_nodes()
    }

    /// Runs all programs on all samples of all tasks; `advance` is told of every task that is done.
    pub fn run(
        &self,
        tasks: &[Task],
        how: &HowToRun,
        advance: &(dyn Fn() + Sync),
    ) -> Result<BatteryOutcomes, Refused> {
        let engine = engine(how);
        let scorer = how.scores.then(|| self.scorer()).transpose()?;
        let remarks: Arc<Mutex<Vec<String>>> = Arc::default();
        let devices = self.devices(tasks, how, remarks.clone())?;
        let loaded = self.runner.load(devices.as_ref(), how.fuel);
        let crew = Crew {
            loaded: loaded.as_deref(),
            scoring_engine: Engine {
                fuel: DEFAULT_FUEL,
                ..engine.clone()
            },
            engine,
            runner: &self.runner,
            scorer,
            n_programs: self.n_programs,
            advance,
        };
        let (runs, execute) = timed(|| share_out(how.n_threads, tasks, |queue| crew.work(queue)));
        let (runs, names) = (runs.into_iter(), scorer.iter().flat_map(|it| it.names()));
        Ok(BatteryOutcomes {
            tasks: runs.map(|(_, run)| TaskOutcomes::of(run)).collect(),
            score_names: names.map(str::to_owned).collect(),
            execute,
            remarks: std::mem::take(&mut *locked(&remarks)),
        })
    }

    fn devices(
        &self,
        tasks: &[Task],
        how: &HowToRun,
        remarks: Arc<Mutex<Vec<String>>>,
    ) -> Result<Option<Devices>, Refused> {
        let chosen = match how.devices.is_empty() {
            true => Chosen::Usual,
            false => Chosen::These(how.devices.clone()),
        };
        let args = BackendArgs::of(how.backend, chosen).with_mode(engine(how).mode)?;
        let n_samples: usize = tasks.iter().map(n_samples).sum();
        let say: Say = Arc::new(move |text| locked(&remarks).push(text.to_owned()));
        let n_runs = n_samples * self.n_programs;
        Ok(devices::open_saying(&args, how.fuel, n_runs, say)?)
    }

    /// Leyden's own scoring programs.
    fn scorer(&self) -> Result<&Scorer, Refused> {
        if let Some(scorer) = self.scorer.get() {
            return Ok(scorer);
        }
        let scorer = Scorer::own(own_scores()?, SHARING);
        Ok(self.scorer.get_or_init(|| scorer))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn engine(how: &HowToRun) -> Engine {
    let mode = match how.exact_order {
        true => Mode::Exact,
        false => Mode::Fast,
    };
    Engine {
        fuel: how.fuel,
        mode,
        cancel: how.cancel.clone(),
        ..Engine::default()
    }
}

/// Why something could not be had: what was asked for is at fault, or the world is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The exit code that a command would have had.
    pub code: u8,
    /// Why, in words.
    pub message: String,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        let (message, code) = failure.in_words();
        let message = anstream::adapter::strip_str(&message).to_string();
        Refused { code, message }
    }
}

/// Loads the data set that `--data` would load, fetched if need be.
pub fn data_set(
    name: &str,
    solutions: Option<&Path>,
    cancel: &CancelToken,
) -> Result<DataSet, Refused> {
    crate::output::be_silent();
    let load = || -> Result<DataSet, Failure> {
        let spec: DataSpec = name.parse()?;
        tasks_only(Some(spec), cancel)?.load(solutions)
    };
    load().map_err(Refused::from)
}

/// A file of programs.
#[derive(Clone, Debug)]
pub struct ProgramText {
    /// Its name for messages.
    pub name: String,
    /// What it says.
    pub text: String,
    /// The programs in it.
    pub programs: Vec<Program>,
}

/// The programs at a path, as `--solvers` reads them: of a file, or of a directory of files.
pub fn programs(path: &Path, dialect: Option<Dialect>) -> Result<Vec<ProgramText>, Refused> {
    crate::output::be_silent();
    let library = Library::read(&[Source::Path(path.to_owned())], dialect, 1)?;
    let files = library.files.into_iter();
    let mut texts: Vec<ProgramText> = files
        .map(|file| ProgramText {
            name: file.name,
            text: file.text,
            programs: Vec::new(),
        })
        .collect();
    for known in library.programs {
        texts[known.file].programs.push(known.program);
    }
    Ok(texts)
}

/// A grid as a picture (SVG). Where it differs from another of its size, cells are marked.
pub fn grid_svg(grid: &Grid, compared: Option<&Grid>) -> String {
    task_svg::grid(grid, compared, &Palette::named(PaletteName::Arc))
}

/// A task as a picture (SVG).
pub fn task_svg(task: &Task) -> String {
    task_svg::render(task, &Palette::named(PaletteName::Arc), false)
}
