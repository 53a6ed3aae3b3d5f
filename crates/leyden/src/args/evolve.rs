//! Arguments of `leyden evolve`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use leyden_lang::Language;
use leyden_search::evolve::Settings;
use leyden_store::DataSpec;

use super::backend::{BackendArgs, LowBackend};
use super::shared::{
    LowChoice, LowData, LowFuel, LowJobs, LowJson, LowSeed, LowShelf, LowSolvers, LowStore, PLAIN,
    Shelf, checked_target, given, needed, with_default,
};
use super::solve::{LowBudget, LowResume};
use super::values::{count, long_count};
use crate::failure::Failure;
use crate::output::{Target, remark};
use crate::pipeline::load::Choice;

/// Evolve programs: change known ones until they fit new tasks
///
/// First, all known programs run on the demonstrations of all tasks. Then each round draws programs
/// by score, changes them as `leyden card` does, runs them, and keeps a changed program that beats
/// one of the best few of a task. A round runs one battery from the whole library on all tasks, and
/// one battery for each task from its own best programs.
///
/// The library is the store, together with the programs of --solvers and --library. Each round is
/// saved in one transaction: programs, parents, changes, seeds and scores. If a run is killed, it
/// loses the round it was in, and --resume continues from the round before. Test outputs play no
/// part.
///
/// Equal seeds, libraries and numbers of rounds (or --total-fuel) give equal stores, with any
/// number of threads, and with or without interruptions. A device (--backend) sorts out programs
/// that fail on the first demonstration of a task. It changes no program and no score, but fuel
/// counts only what the CPU burns, so --total-fuel lasts longer.
///
/// A program that descends from one written for a task is no find for that task; Leyden keeps it
/// only if it is shorter. Ctrl-C stops a run and keeps the finished rounds, and so do SIGTERM and
/// SIGHUP; the exit codes are 130, 143 and 129.
#[derive(Args)]
#[command(
    mut_arg("data", needed),
    mut_arg("solvers", |arg| with_default(arg, "if the store is empty, the public programs; with `--data demo` the built-in ones")),
    mut_arg("fuel", |fuel| with_default(fuel, &Settings::default().run_fuel.to_string())),
    mut_arg("budget", |budget| with_default(budget, "10m, if neither --rounds nor --total-fuel is given")),
    after_long_help = "\
Examples:
  leyden evolve --data demo --rounds 20
  leyden evolve --data arc1:training --solvers solvers.py --budget 10m --seed 1
  leyden evolve --data arc1:training --store mine.db --total-fuel 2000000000 --json run.json
  leyden evolve --data arc1:training --store mine.db --total-fuel 2000000000 --resume
  leyden library best --store mine.db       the best program of each task
  leyden library export --store mine.db --fitting --out found.py"
)]
pub(super) struct LowEvolve {
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    #[command(flatten)]
    solvers: LowSolvers,
    #[command(flatten)]
    library: LowShelf,
    #[command(flatten)]
    store: LowStore,
    /// Stop after N rounds in all
    #[arg(long, value_name = "N", value_parser = long_count, help_heading = "Limits")]
    rounds: Option<u64>,
    #[command(flatten)]
    budget: LowBudget,
    /// Stop after the round in which all runs together have burnt N units of fuel
    #[arg(long, value_name = "N", value_parser = long_count, help_heading = "Limits")]
    total_fuel: Option<u64>,
    #[command(flatten)]
    seed: LowSeed,
    /// How many populations each task has
    #[arg(long, value_name = "N", value_parser = count, help_heading = PLAIN, default_value_t = Settings::default().n_islands)]
    islands: usize,
    /// How many changed programs each task gets in a round
    #[arg(long, value_name = "N", value_parser = count, help_heading = PLAIN, default_value_t = Settings::default().n_children)]
    children: usize,
    /// How many changed programs run on all tasks in a round
    #[arg(long, value_name = "N", value_parser = count, help_heading = PLAIN, default_value_t = Settings::default().n_broad)]
    broad: usize,
    #[command(flatten)]
    resume: LowResume,
    /// Add a JSON line to FILE for each round and for each task that a program fits
    ///
    /// docs/evolve.md describes the lines. With --resume, the file continues.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    progress: Option<PathBuf>,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    jobs: LowJobs,
    #[command(flatten)]
    fuel: LowFuel,
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
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) choice: Choice,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) language: Language,
    pub(crate) library: Option<Shelf>,
    pub(crate) store: PathBuf,
    pub(crate) limit: Limit,
    pub(crate) settings: Settings,
    pub(crate) n_threads: usize,
    pub(crate) is_resumed: bool,
    pub(crate) progress: Option<PathBuf>,
    pub(crate) json: Option<Target>,
    pub(crate) backend: BackendArgs,
}

/// A run takes this long by default.
const DEFAULT_BUDGET: Duration = Duration::from_secs(600);
/// More than this would only take memory.
const MOST_ISLANDS: usize = 16;
const MOST_CHILDREN: usize = 10_000;

/// A file that grows. Standard output has the report.
fn checked_file(path: PathBuf) -> Result<PathBuf, Failure> {
    match checked_target(path)? {
        Target::File(path) => Ok(path),
        Target::Stdout => Err(Failure::bad_input("--progress -: expected a file")),
    }
}

impl LowEvolve {
    pub(super) fn validate(self) -> Result<EvolveArgs, Failure> {
        let in_bounds = |n: usize, most: usize, name: &str| {
            if n > most {
                let message = format!("--{name} {n}: expected a whole number from 1 to {most}");
                return Err(Failure::bad_input(message));
            }
            Ok(n)
        };
        let is_endless = self.rounds.is_none() && self.total_fuel.is_none();
        if self.fuel.fuel.is_some() && self.total_fuel.is_none() {
            remark(
                "note: --fuel limits one run; --total-fuel limits the evolution, as --fuel did before 0.2\n",
            );
        }
        let default_budget = is_endless.then_some(DEFAULT_BUDGET);
        let default = Settings::default();
        Ok(EvolveArgs {
            data: given(self.data.spec)?,
            solutions: self.data.solutions,
            choice: self.choice.into(),
            solvers: self.solvers.solvers,
            language: self.solvers.dialect.validate()?,
            library: self.library.library,
            store: self.store.validate()?,
            limit: Limit {
                rounds: self.rounds,
                budget: self.budget.budget.or(default_budget),
                fuel: self.total_fuel,
            },
            settings: Settings {
                seed: self.seed.seed,
                n_islands: in_bounds(self.islands, MOST_ISLANDS, "islands")?,
                n_children: in_bounds(self.children, MOST_CHILDREN, "children")?,
                n_broad: in_bounds(self.broad, MOST_CHILDREN, "broad")?,
                run_fuel: self.fuel.fuel.unwrap_or(default.run_fuel),
                ..default
            },
            n_threads: self.jobs.n_threads(),
            is_resumed: self.resume.resume,
            progress: self.progress.map(checked_file).transpose()?,
            json: self.json.validate()?,
            backend: self.backend.validate()?,
        })
    }
}
