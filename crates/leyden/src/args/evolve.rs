//! Arguments of `leyden evolve`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use leyden_grid::TaskId;
use leyden_profile::plan::parse_duration;
use leyden_search::evolve::Settings;
use leyden_store::DataSpec;

use super::backend::{BackendArgs, LowBackend};
use super::library::store_path;
use super::{checked_target, n_threads};
use crate::failure::Failure;
use crate::output::Target;

/// Evolve programs: change known ones until they fit tasks they were not made for.
///
/// First all programs of the library run on the demonstration pairs of all tasks. Then, round by
/// round, programs are drawn by score (those that fit a task, then those with partial credit,
/// short ones before long ones), changed as `leyden card` changes them, and run; what is better
/// than the best few of a task takes their place. A round has two batteries: one from the whole
/// library, run on all tasks, and one for each task from its own best programs, run on that task.
/// Programs go on to a task's next pair only while they could still get among its best.
///
/// The library is everything in the store, after the programs of --solvers and --library were
/// brought in. Every round is saved in one transaction before the next begins: programs, parents,
/// changes, seeds, and scores pair by pair. A run that is killed loses the round it was in, and
/// --resume goes on from the last one. Test outputs are never looked at.
///
/// The same seed, library, and number of rounds or fuel give the same store, whatever --jobs says,
/// and whether or not the run was interrupted and resumed. A device (--backend) sorts out programs
/// that fail on a task's first pair. The same number of rounds then gives the same programs with the
/// same scores; but fuel is what the CPU burnt, so that --fuel goes further.
///
/// A program made from one that was written for a task does not count as a find for that task;
/// only a shorter one is kept. Press Ctrl-C to stop: the finished rounds are saved. SIGTERM and SIGHUP
/// end a run in the same way; exit codes are 130, 143 and 129.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden evolve --data demo --rounds 20
  leyden evolve --data arc1:training --solvers solvers.py --budget 10m --seed 1
  leyden evolve --data arc1:training --store mine.db --fuel 2000000000 --json run.json
  leyden evolve --data arc1:training --store mine.db --fuel 2000000000 --resume
  leyden library best --store mine.db       what came of it
  leyden library export --store mine.db --fitting --as python --out found.py")]
pub(super) struct LowEvolve {
    /// The tasks: a name or a path, see `leyden help run`
    #[arg(long, value_name = "SPEC")]
    data: DataSpec,
    /// Only this task; may be repeated
    #[arg(long = "task", value_name = "ID")]
    only: Vec<TaskId>,
    /// Only the first N tasks
    #[arg(long = "tasks", value_name = "N")]
    most_tasks: Option<NonZeroUsize>,
    /// Files of programs to begin with, or directories of such files [default: if the store is
    /// empty the fetched programs; for demo its own]
    #[arg(long, value_name = "PATH", num_args = 1..)]
    solvers: Vec<PathBuf>,
    /// Another store, or files, whose programs to begin with
    #[arg(long, value_name = "STORE")]
    library: Option<PathBuf>,
    /// The store to begin with and to save to; made if there is none [default: $LEYDEN_STORE, or
    /// the user's own]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Stop after N rounds in all
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Stop after this time by the clock on the wall, such as 90s, 10m or 8h [default: 10m, if
    /// neither --rounds nor --fuel is given]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// Stop after the round in which all runs together burnt N units of fuel
    #[arg(long, value_name = "N")]
    fuel: Option<u64>,
    /// Where all random choices come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many threads [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// How many populations each task has
    #[arg(long, value_name = "N", default_value_t = Settings::default().n_islands)]
    islands: usize,
    /// How many children each task gets in a round
    #[arg(long, value_name = "N", default_value_t = Settings::default().n_children)]
    children: usize,
    /// How many children all tasks together get in a round, each run on all of them
    #[arg(long, value_name = "N", default_value_t = Settings::default().n_broad)]
    broad: usize,
    /// What a run on one pair may take before it is given up
    #[arg(long, value_name = "N", default_value_t = NonZeroU64::MIN.saturating_add(Settings::default().run_fuel - 1))]
    run_fuel: NonZeroU64,
    /// Go on with the last run that had the same tasks, seed and sizes and was not finished; if
    /// there is none, begin
    #[arg(long)]
    resume: bool,
    /// Write the report as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    backend: LowBackend,
}

/// When to stop; whatever comes first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) rounds: Option<u64>,
    pub(crate) budget: Option<Duration>,
    pub(crate) fuel: Option<u64>,
}

pub(crate) struct EvolveArgs {
    pub(crate) data: DataSpec,
    pub(crate) only: Vec<TaskId>,
    pub(crate) most_tasks: Option<usize>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) library: Option<PathBuf>,
    pub(crate) store: PathBuf,
    pub(crate) limit: Limit,
    pub(crate) settings: Settings,
    pub(crate) n_threads: usize,
    pub(crate) is_resumed: bool,
    pub(crate) json: Option<Target>,
    pub(crate) backend: BackendArgs,
}

/// Where nothing else is said, a run takes this long.
const DEFAULT_BUDGET: Duration = Duration::from_secs(600);
/// More than this would only take memory.
const MOST_ISLANDS: usize = 16;
const MOST_CHILDREN: usize = 10_000;

impl LowEvolve {
    pub(super) fn validate(self) -> Result<EvolveArgs, Failure> {
        let in_bounds = |n: usize, most: usize, name: &str| match (1..=most).contains(&n) {
            true => Ok(n),
            false => Err(Failure::bad_input(format!("--{name} is 1 to {most}"))),
        };
        let is_endless = self.rounds.is_none() && self.fuel.is_none();
        let default_budget = is_endless.then_some(DEFAULT_BUDGET);
        Ok(EvolveArgs {
            data: self.data,
            only: self.only,
            most_tasks: self.most_tasks.map(NonZeroUsize::get),
            solvers: self.solvers,
            library: self.library,
            store: store_path(self.store)?,
            limit: Limit {
                rounds: self.rounds,
                budget: self.budget.or(default_budget),
                fuel: self.fuel,
            },
            settings: Settings {
                seed: self.seed,
                n_islands: in_bounds(self.islands, MOST_ISLANDS, "islands")?,
                n_children: in_bounds(self.children, MOST_CHILDREN, "children")?,
                n_broad: in_bounds(self.broad, MOST_CHILDREN, "broad")?,
                run_fuel: self.run_fuel.get(),
                ..Settings::default()
            },
            n_threads: n_threads(self.jobs),
            is_resumed: self.resume,
            json: self.json.map(checked_target).transpose()?,
            backend: self.backend.validate()?,
        })
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a number and ms, s, m or h, such as 10m";
    let nanoseconds = parse_duration(text).ok_or(expected)?;
    Duration::try_from_secs_f64(nanoseconds / 1e9).map_err(|error| error.to_string())
}
