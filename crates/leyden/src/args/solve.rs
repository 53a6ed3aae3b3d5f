//! Arguments of `leyden solve`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use leyden_grid::TaskId;
use leyden_profile::plan::parse_duration;
use leyden_search::solve::Parts;
use leyden_store::DataSpec;

use super::backend::{BackendArgs, LowBackend};
use super::{checked_target, n_threads};
use crate::failure::Failure;
use crate::output::Target;

/// Where nothing else is said, a task may take this long.
const DEFAULT_PER_TASK: Duration = Duration::from_secs(4);

/// Answer tasks that nobody has programs for.
///
/// Tries the programs that are known already, then searches for pictures that a few moves make of the
/// inputs of all demonstrations and tests at once, lays those that contradict nothing over each other
/// until they are the outputs, and writes the two best answers to every test input in Kaggle's
/// form. Every answer comes from a program: an arc-dsl one, or one of the dialect of the known program
/// that it is or was made from. --programs writes them down, ready for `leyden eval`.
///
/// Test outputs never reach the search. Where the data has them, the answers are counted
/// afterwards.
///
/// What to spend is said in time or in fuel. Under --budget a task that is done early leaves its time
/// to the others. Under --fuel-per-task alone the same command gives the same answers on every
/// machine, whatever --jobs says. A device (--backend) tries known programs and changed versions of
/// them, and leaves to the CPU those that come near; what that saves is left for the search.
///
/// Beside the submission a journal (FILE.journal) grows while a run lasts. A run that was stopped,
/// killed or ended by its budget goes on with --resume: finished tasks are not searched again.
/// Without --resume, or where there is nothing to resume, a run starts anew. Ctrl-C, SIGTERM and SIGHUP
/// end it with a complete submission; exit codes are 130, 143 and 129.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden solve --data arc1:training --per-task 1s --out submission.json
  leyden solve --data arc-agi_test_challenges.json --budget 30m --out submission.json
  leyden solve --data arc1:training --fuel-per-task 200000000 --out submission.json --resume
  leyden solve --data demo --tasks 5 --programs found/ --json -
  leyden solve --data demo --library none --explain 1e7d0001")]
pub(super) struct LowSolve {
    /// The tasks: a name or a path, see `leyden help run`
    #[arg(long, value_name = "SPEC")]
    data: DataSpec,
    /// Only this task; may be given several times
    #[arg(long = "task", value_name = "ID")]
    only: Vec<TaskId>,
    /// Only the first N tasks
    #[arg(long = "tasks", value_name = "N")]
    most_tasks: Option<usize>,
    /// Processor time for each task, such as 500ms, 4s or 1m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    per_task: Option<Duration>,
    /// Time for all tasks, by the clock on the wall, such as 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// Fuel for each task: what programs burn, counted, so that no clock has a say
    #[arg(long, value_name = "N")]
    fuel_per_task: Option<NonZeroU64>,
    /// Programs to try before searching: `none`, `public` (those of `leyden get`), or a path to a file
    /// or directory of programs or to a store [default: the own store, and the public ones if
    /// they are there]
    #[arg(long, value_name = "WHICH")]
    library: Option<Shelf>,
    /// Search without a part of the search, to see what it adds; may be given several times
    #[arg(long, value_name = "PART")]
    without: Vec<Part>,
    /// Moves to search with instead of our own: lines of `cost name: expression` in arc-dsl
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Go on where a run to the same FILE ended
    #[arg(long, requires = "out")]
    resume: bool,
    /// Show for this task why its program was chosen and not the next
    #[arg(long, value_name = "ID", conflicts_with_all = ["only", "most_tasks", "resume"])]
    explain: Option<TaskId>,
    /// Threads; by default one for each processor
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Write the submission to FILE
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the programs behind the answers to DIR, a file for each task
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Write what was found for each task as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    backend: LowBackend,
}

/// Which programs are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    Nothing,
    Public,
    Path(PathBuf),
}

impl FromStr for Shelf {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Shelf, Self::Err> {
        Ok(match text {
            "none" => Shelf::Nothing,
            "public" => Shelf::Public,
            path => Shelf::Path(path.into()),
        })
    }
}

/// A part of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Changed versions of known programs
    Mutants,
    /// Moves from picture to picture
    Moves,
    /// Pictures laid over each other
    Compose,
    /// Rules learned from the demonstrations
    Induce,
    /// Colours named by their role in each picture
    Views,
}

fn parts(without: &[Part]) -> Parts {
    let has = |part: Part| !without.contains(&part);
    Parts {
        mutants: has(Part::Mutants),
        moves: has(Part::Moves),
        compose: has(Part::Compose),
        induce: has(Part::Induce),
        views: has(Part::Views),
        ..Parts::default()
    }
}

/// What to spend.
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
    pub(crate) only: Vec<TaskId>,
    pub(crate) most_tasks: Option<usize>,
    pub(crate) spend: Spend,
    /// Where nothing is said: all that can be found.
    pub(crate) library: Option<Shelf>,
    pub(crate) parts: Parts,
    /// Where nothing is said: our own.
    pub(crate) moves: Option<PathBuf>,
    pub(crate) resume: bool,
    pub(crate) explain: Option<TaskId>,
    pub(crate) n_threads: usize,
    pub(crate) out: Option<PathBuf>,
    pub(crate) programs: Option<PathBuf>,
    pub(crate) json: Option<Target>,
    pub(crate) backend: BackendArgs,
}

impl LowSolve {
    pub(super) fn validate(self) -> Result<SolveArgs, Failure> {
        if let Some(out) = self.out.clone() {
            checked_target(out)?;
        }
        let spend = self.spend();
        let backend = self.backend.validate()?;
        let only = self.explain.iter().cloned().chain(self.only).collect();
        Ok(SolveArgs {
            data: self.data,
            only,
            most_tasks: self.most_tasks,
            spend,
            library: self.library,
            parts: parts(&self.without),
            moves: self.moves,
            resume: self.resume,
            explain: self.explain,
            n_threads: n_threads(self.jobs),
            out: self.out,
            programs: self.programs,
            json: self.json.map(checked_target).transpose()?,
            backend,
        })
    }

    fn spend(&self) -> Spend {
        let is_said = self.budget.is_some() || self.fuel_per_task.is_some();
        let default = (!is_said).then_some(DEFAULT_PER_TASK);
        Spend {
            per_task: self.per_task.or(default),
            budget: self.budget,
            fuel_per_task: self.fuel_per_task.map(NonZeroU64::get),
        }
    }
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a number and ms, s, m or h, such as 4s";
    let nanoseconds = parse_duration(text).ok_or(expected)?;
    Duration::try_from_secs_f64(nanoseconds / 1e9).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
        for wrong in ["4", "s", "-1s", "4x", "", "nans"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
