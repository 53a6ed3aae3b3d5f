//! The interface for a host language: commands aside, it runs batteries on tasks, loads tasks by
//! name, and draws pictures.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Mode, Outcome, parallel_map};
use leyden_grid::{Grid, Task};
use leyden_lang::{Battery, Language, Program, Rules, UserNames};
use leyden_store::{DataSet, DataSpec};

use crate::args::{BATT_FUEL, BackendArgs, Chosen, PaletteName};
use crate::clock::timed;
use crate::devices::{self, Devices, Say, Work};
use crate::failure::Failure;
use crate::pipeline::execute::{Execution, execute};
use crate::pipeline::generate::Plan;
use crate::pipeline::group::{Group, Sharing};
use crate::pipeline::load::tasks_only;
use crate::pipeline::observe::OnDone;
use crate::pipeline::read::own_scores;
use crate::pipeline::sample::{Sample, samples};
use crate::pipeline::scoring::Scorer;
use crate::pipeline::source::OutcomeSource;
use crate::programs::{Library, Source, read_names};
use crate::report::palette::Palette;
use crate::report::task_svg;

pub use crate::args::Backend;
pub use crate::pipeline::credit::{Closest, TaskScores};
pub use crate::pipeline::scoring::Mark;
pub use crate::pipeline::task_run::{Digest, FuelTaken, OutcomeKind, TaskRun, TaskShape};

/// The default fuel of a run of a battery.
pub const BATTERY_FUEL: u64 = BATT_FUEL;

/// How to run a battery.
#[derive(Clone, Debug)]
pub struct HowToRun {
    /// The number of threads.
    pub n_threads: usize,
    /// The most fuel of a run.
    pub fuel: u64,
    /// Whether Leyden builds every set as CPython does.
    pub exact_order: bool,
    /// Whether scoring programs give partial credit for near misses.
    pub scores: bool,
    /// Where programs run, if the caller chooses.
    pub backend: Option<Backend>,
    /// The numbers of devices; empty for the default ones.
    pub devices: Vec<usize>,
    /// Stops the run.
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

/// The results of a battery on tasks.
#[derive(Clone, Debug)]
pub struct BatteryOutcomes {
    /// A run for each task, in their order. If the run was cancelled, tasks are missing at the end.
    pub tasks: Vec<TaskRun>,
    /// The names of the scoring programs, if there were any.
    pub score_names: Vec<String>,
    /// The wall time of the execution.
    pub execute: Duration,
    /// Remarks about devices.
    pub remarks: Vec<String>,
}

/// A battery made ready to run, as `leyden batt` makes one ready.
pub struct ReadyBattery {
    group: Group,
    scorer: OnceLock<Scorer>,
}

impl ReadyBattery {
    /// Makes a battery ready.
    pub fn new(battery: Battery) -> ReadyBattery {
        ReadyBattery {
            group: Group::of_battery(battery, Sharing::ALL),
            scorer: OnceLock::new(),
        }
    }

    /// The number of computations that all programs need together.
    pub fn n_nodes(&self) -> usize {
        self.group.n_nodes()
    }

    /// Runs all programs on all samples of all tasks. Calls `advance` for every finished task.
    pub fn run(
        &self,
        tasks: &[Task],
        how: &HowToRun,
        advance: &(dyn Fn() + Sync),
    ) -> Result<BatteryOutcomes, Refused> {
        let engine = engine(how);
        let scorer = how.scores.then(|| self.scorer()).transpose()?;
        let plan = Plan::shared(tasks, &self.group);
        let remarks: Arc<Mutex<Vec<String>>> = Arc::default();
        let devices = open_devices(&plan, how, remarks.clone())?;
        let execution = Execution {
            plan: &plan,
            engine: &engine,
            n_threads: how.n_threads,
            source: &OutcomeSource::of(devices.as_ref(), &plan, how.fuel, Rules::ALL),
            scorer,
        };
        let (runs, execute) = timed(|| execute(&execution, &OnDone(advance)));
        let names = scorer.iter().flat_map(|it| it.names());
        Ok(BatteryOutcomes {
            tasks: runs.into_iter().flatten().collect(),
            score_names: names.map(str::to_owned).collect(),
            execute,
            remarks: std::mem::take(&mut *locked(&remarks)),
        })
    }

    /// Leyden's own scoring programs.
    fn scorer(&self) -> Result<&Scorer, Refused> {
        if let Some(scorer) = self.scorer.get() {
            return Ok(scorer);
        }
        let scorer = Scorer::own(own_scores()?, Sharing::ALL);
        Ok(self.scorer.get_or_init(|| scorer))
    }
}

/// A program and the task that it is meant for.
#[derive(Clone, Copy, Debug)]
pub struct OwnProgram<'p> {
    /// The program.
    pub program: &'p Program,
    /// The task.
    pub task: &'p Task,
    /// The most fuel of a run.
    pub fuel: u64,
}

/// Runs each program on the samples of its task, on several threads. `keep` takes each outcome with
/// the right output, and `advance` hears of every finished program. If `cancel` is cancelled,
/// outcomes are missing.
pub fn run_own<T: Send>(
    programs: &[OwnProgram<'_>],
    n_threads: usize,
    cancel: &CancelToken,
    keep: impl Fn(Outcome, Option<&Grid>) -> T + Sync,
    advance: impl Fn() + Sync,
) -> Vec<Vec<T>> {
    parallel_map(n_threads, programs, |own| {
        let engine = Engine {
            fuel: own.fuel,
            cancel: cancel.clone(),
            ..Engine::default()
        };
        let samples: Vec<Sample<'_>> = samples(own.task).collect();
        let group = Group::new([own.program], Sharing::NONE);
        let mut kept = Vec::with_capacity(samples.len());
        group.with_hand(&engine, |hand| {
            hand.run_samples(own.task, &samples, Vec::new(), |k, _, told| {
                kept.push(keep(told.outcome, samples[k].output));
            });
        });
        advance();
        kept
    })
}

/// The samples of a task as a program sees them, each with its right output if that is known.
pub fn samples_of(task: &Task) -> impl Iterator<Item = (leyden_exec::Sample<'_>, Option<&Grid>)> {
    samples(task).map(|sample| (sample.for_program(&task.demos), sample.output))
}

fn open_devices(
    plan: &Plan<'_>,
    how: &HowToRun,
    remarks: Arc<Mutex<Vec<String>>>,
) -> Result<Option<Devices>, Refused> {
    let chosen = if how.devices.is_empty() {
        Chosen::Usual
    } else {
        Chosen::These(how.devices.clone())
    };
    let args = BackendArgs::of(how.backend, chosen).with_mode(engine(how).mode)?;
    let say: Say = Arc::new(move |text| locked(&remarks).push(text.to_owned()));
    let work = Work {
        plan,
        n_runs: plan.n_runs(),
        fuel: how.fuel,
        rules: Rules::ALL,
        n_threads: how.n_threads,
    };
    Ok(devices::open_saying(&args, &work, &say)?)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn engine(how: &HowToRun) -> Engine {
    let mode = if how.exact_order {
        Mode::Exact
    } else {
        Mode::Fast
    };
    Engine {
        fuel: how.fuel,
        mode,
        cancel: how.cancel.clone(),
        ..Engine::default()
    }
}

/// The reason for a refusal: a mistake in the request, or a failure of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The exit code that a command would have.
    pub code: u8,
    /// The message.
    pub message: String,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        let (message, code) = failure.in_words();
        let message = anstream::adapter::strip_str(&message).to_string();
        Refused { code, message }
    }
}

/// Loads the data set that `--data` would load, and fetches it first if it is missing.
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
    /// The text of the file.
    pub text: String,
    /// The programs in it.
    pub programs: Vec<Program>,
}

/// The programs at a path, as `--solvers` reads them: from a file, or from a directory of files.
pub fn programs(path: &Path, language: &Language) -> Result<Vec<ProgramText>, Refused> {
    crate::output::be_silent();
    let library = Library::read(&[Source::Path(path.to_owned())], language, 1)?;
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

/// The user's own names, as `--names` reads them.
pub fn names(path: &Path) -> Result<UserNames, Refused> {
    crate::output::be_silent();
    Ok(read_names(path)?)
}

/// A grid as a picture (SVG) that marks the cells where the grid differs from another one of equal
/// size.
pub fn grid_svg(grid: &Grid, compared: Option<&Grid>) -> String {
    task_svg::grid(grid, compared, &Palette::named(PaletteName::Arc))
}

/// A task as a picture (SVG).
pub fn task_svg(task: &Task) -> String {
    task_svg::render(task, &Palette::named(PaletteName::Arc), false)
}
