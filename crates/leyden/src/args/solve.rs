//! Arguments of `leyden solve`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use leyden_grid::TaskId;
use leyden_lang::Language;
use leyden_search::solve::Parts;
use leyden_store::DataSpec;

use super::backend::{BackendArgs, LowBackend};
use super::shared::{
    LowChoice, LowData, LowJobs, LowJson, LowNames, LowOut, LowShelf, PLAIN, Shelf, given, needed,
    outputs, with_default,
};
use super::values::{count, duration, long_count};
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::load::Choice;

/// A task takes this long by default.
const DEFAULT_PER_TASK: Duration = Duration::from_secs(4);

/// Find programs for new tasks, and write their answers as a submission
///
/// The search tries known programs first, and then changed versions of those that come close. After
/// that it builds new programs from moves, small steps such as "mirror" or "keep the largest
/// object", lays pictures over each other, and learns rules from the demonstrations. The two best
/// answers to each test input go into the submission, in Kaggle's form. Each answer comes from a
/// program; --programs writes the programs to a directory.
///
/// Test outputs never reach the search. If the data has them, Leyden counts the right answers
/// afterwards.
///
/// Limit the search by time (--per-task, --budget) or by fuel (--fuel-per-task). With --budget, a
/// task that ends early leaves its time to the others. With --fuel-per-task alone, the same command
/// gives the same answers on every machine and with any number of threads. A device (--backend)
/// tries known and changed programs; the search gains the time that this saves.
///
/// While a run lasts, a journal grows beside the submission (FILE.journal). After a stop, a kill or
/// the end of the budget, --resume continues and does not search finished tasks again. Ctrl-C,
/// SIGTERM and SIGHUP end a run with a complete submission; the exit codes are 130, 143 and 129.
#[derive(Args)]
#[command(
    mut_arg("data", needed),
    mut_arg("library", |library| with_default(library, "your store, and the public programs if they were fetched")),
    after_long_help = "\
Examples:
  leyden solve --data arc1:training --per-task 1s --out submission.json
  leyden solve --data arc-agi_test_challenges.json --budget 30m --out submission.json
  leyden solve --data arc1:training --fuel-per-task 200000000 --out submission.json --resume
  leyden solve --data demo --tasks 5 --programs found/ --json -
  leyden solve --data demo --candidates 200 --json report.json     for `leyden ranks report.json`
  leyden solve --data demo --library none --explain 1e7d0001"
)]
pub(super) struct LowSolve {
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    #[command(flatten)]
    per_task: LowPerTask,
    #[command(flatten)]
    budget: LowBudget,
    /// Fuel for each task, in place of time
    #[arg(long, value_name = "N", value_parser = long_count, help_heading = "Limits")]
    fuel_per_task: Option<u64>,
    #[command(flatten)]
    library: LowShelf,
    #[command(flatten)]
    names: LowNames,
    /// Leave out a part of the search, to see what it adds; may be repeated
    #[arg(long, value_name = "PART", help_heading = PLAIN)]
    without: Vec<Part>,
    /// Search with the moves of FILE: lines of `bits name: expression` in arc-dsl [default: the
    /// built-in moves]
    #[arg(long, value_name = "FILE", help_heading = PLAIN)]
    moves: Option<PathBuf>,
    #[command(flatten)]
    resume: LowResume,
    /// Write up to N candidates of each task into the JSON, best first: programs with different
    /// answers
    #[arg(long, value_name = "N", value_parser = count, requires = "json", help_heading = "Output")]
    candidates: Option<usize>,
    /// Search only this task, and show why its answer was chosen
    #[arg(long, value_name = "ID", help_heading = PLAIN, conflicts_with_all = ["tasks", "start", "resume"])]
    explain: Option<TaskId>,
    #[command(flatten)]
    out: LowOut,
    /// Keep the journal of a complete run, too; the page of `leyden explore` reads it
    #[arg(long, hide = true)]
    keep_journal: bool,
    /// Write the programs behind the answers to DIR, one file for each task
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    programs: Option<PathBuf>,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    jobs: LowJobs,
    #[command(flatten)]
    backend: LowBackend,
}

/// The time of a job.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LowBudget {
    /// Time for the whole job by the wall clock, such as 90s, 10m or 8h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) budget: Option<Duration>,
}

/// The time of a task.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LowPerTask {
    /// Processor time for each task, such as 500ms, 4s or 1m [default: 4s, if no other limit is
    /// given]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) per_task: Option<Duration>,
}

/// A run that goes on.
#[derive(Args)]
pub(super) struct LowResume {
    /// Continue a run that was interrupted; begin a new one if there is none
    #[arg(long, help_heading = PLAIN)]
    pub(super) resume: bool,
}

/// A part of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Changed versions of known programs
    Mutants,
    /// Moves from picture to picture, with repair and draw
    Moves,
    /// Pictures completed by their symmetries
    Repair,
    /// Drawings on blank cells
    Draw,
    /// Lists of pictures
    Lists,
    /// Pictures laid over each other
    Compose,
    /// Rules learned from the demonstrations, with later
    Induce,
    /// Rules on pictures that moves made
    Later,
    /// Rules for objects that know each other
    Objects,
    /// Colours named by their role in each picture
    Views,
}

fn parts(without: &[Part]) -> Parts {
    let has = |part: Part| !without.contains(&part);
    Parts {
        mutants: has(Part::Mutants),
        moves: has(Part::Moves),
        repair: has(Part::Repair),
        draw: has(Part::Draw),
        lists: has(Part::Lists),
        compose: has(Part::Compose),
        induce: has(Part::Induce),
        later: has(Part::Later),
        objects: has(Part::Objects),
        views: has(Part::Views),
        ..Parts::default()
    }
}

/// The time or fuel to spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spend {
    /// Processor time for each task.
    pub(crate) per_task: Option<Duration>,
    /// Wall time for all of them.
    pub(crate) budget: Option<Duration>,
    /// Fuel for each task.
    pub(crate) fuel_per_task: Option<u64>,
}

pub(crate) struct SolveArgs {
    pub(crate) data: DataSpec,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) choice: Choice,
    pub(crate) spend: Spend,
    /// By default, all known programs.
    pub(crate) library: Option<Shelf>,
    pub(crate) language: Language,
    pub(crate) parts: Parts,
    /// By default, the built-in ones.
    pub(crate) moves: Option<PathBuf>,
    pub(crate) resume: bool,
    pub(crate) explain: Option<TaskId>,
    /// The number of candidates of each task in the report; 0 for none.
    pub(crate) n_candidates: usize,
    pub(crate) n_threads: usize,
    pub(crate) out: Option<Target>,
    pub(crate) keeps_journal: bool,
    pub(crate) programs: Option<PathBuf>,
    pub(crate) json: Option<Target>,
    pub(crate) backend: BackendArgs,
}

impl SolveArgs {
    /// The file of the submission, if there is one.
    pub(crate) fn out_file(&self) -> Option<&Path> {
        match &self.out {
            Some(Target::File(path)) => Some(path),
            _ => None,
        }
    }
}

impl LowSolve {
    pub(super) fn validate(self) -> Result<SolveArgs, Failure> {
        let spend = self.spend();
        let (out, json) = outputs(self.out, self.json)?;
        let is_file = matches!(out, Some(Target::File(_)));
        if self.resume.resume && !is_file {
            return Err(Failure::bad_input(
                "--resume needs the file of the interrupted run: --out FILE",
            ));
        }
        let mut choice = Choice::from(self.choice);
        if let Some(id) = &self.explain {
            if !choice.only.is_empty() && !choice.only.contains(id) {
                return Err(Failure::bad_input(format!(
                    "--explain {id}: this is none of the tasks that --task names"
                )));
            }
            choice.only = vec![id.clone()];
        }
        Ok(SolveArgs {
            data: given(self.data.spec)?,
            solutions: self.data.solutions,
            choice,
            spend,
            library: self.library.library,
            language: self.names.validate()?,
            parts: parts(&self.without),
            moves: self.moves,
            resume: self.resume.resume,
            explain: self.explain,
            n_candidates: self.candidates.unwrap_or(0),
            n_threads: self.jobs.n_threads(),
            out,
            keeps_journal: self.keep_journal,
            programs: self.programs,
            json,
            backend: self.backend.validate()?,
        })
    }

    fn spend(&self) -> Spend {
        let budget = self.budget.budget;
        let is_said = budget.is_some() || self.fuel_per_task.is_some();
        let default = (!is_said).then_some(DEFAULT_PER_TASK);
        Spend {
            per_task: self.per_task.per_task.or(default),
            budget,
            fuel_per_task: self.fuel_per_task,
        }
    }
}
