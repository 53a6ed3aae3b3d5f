//! Arguments of `leyden solve`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use leyden_grid::TaskId;
use leyden_profile::plan::parse_duration;
use leyden_store::DataSpec;

use super::{checked_target, n_threads};
use crate::failure::Failure;
use crate::output::Target;

/// Answer tasks that nobody has programs for.
///
/// Searches for pictures that a few moves make of the inputs of all demonstrations and tests at once,
/// lays those that contradict nothing over each other until they are the outputs, and writes the
/// two best answers to every test input in Kaggle's form. Every answer comes from an arc-dsl
/// program; --programs writes them down, ready for `leyden eval`.
///
/// Test outputs never reach the search. Where the data has them, the answers are counted
/// afterwards.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden solve --data arc1:training --per-task 1s --out submission.json
  leyden solve --data arc-agi_test_challenges.json --budget 30m --out submission.json
  leyden solve --data demo --tasks 5 --programs found/ --json -")]
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
}

pub(crate) struct SolveArgs {
    pub(crate) data: DataSpec,
    pub(crate) only: Vec<TaskId>,
    pub(crate) most_tasks: Option<usize>,
    pub(crate) per_task: Option<Duration>,
    pub(crate) budget: Option<Duration>,
    pub(crate) n_threads: usize,
    pub(crate) out: Option<PathBuf>,
    pub(crate) programs: Option<PathBuf>,
    pub(crate) json: Option<Target>,
}

impl LowSolve {
    pub(super) fn validate(self) -> Result<SolveArgs, Failure> {
        if let Some(out) = self.out.clone() {
            checked_target(out)?;
        }
        Ok(SolveArgs {
            data: self.data,
            only: self.only,
            most_tasks: self.most_tasks,
            per_task: self.per_task,
            budget: self.budget,
            n_threads: n_threads(self.jobs),
            out: self.out,
            programs: self.programs,
            json: self.json.map(checked_target).transpose()?,
        })
    }
}

fn duration(text: &str) -> Result<Duration, String> {
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
