//! Arguments of `leyden ranks`.

use std::path::PathBuf;

use clap::Args;
use leyden_store::DataSpec;

use super::shared::{LowData, LowJson, given, needed};
use crate::failure::Failure;
use crate::output::Target;

/// Count at which rank the right answers of a search stand
///
/// `leyden solve --candidates 200 --json REPORT` keeps the candidates of each task. This command
/// compares them with the test outputs of the data. It counts tasks by the rank of the right answer
/// among different answers, by the part of the search that found it, and those whose states reached
/// the cap. A task with several test inputs counts with the worst of its ranks.
///
/// With a second report it also compares the two, task by task: how many only the first one solves,
/// how many only the second, and the probability of such a difference by chance (a two-sided exact
/// sign test). Solved means right within two attempts. This also works for reports without
/// candidates.
///
/// The command prints counts and never names a task, so it is safe on tasks that are held back.
#[derive(Args)]
#[command(
    mut_arg("data", needed),
    after_long_help = "\
Examples:
  leyden solve --data arc1:training --per-task 1s --candidates 200 --json before.json
  leyden ranks before.json --data arc1:training
  leyden ranks before.json after.json --data arc1:training
  leyden ranks before.json after.json --data arc2:hold --json - | jq .pair.p"
)]
pub(super) struct LowRanks {
    /// A report of `leyden solve --json`
    #[arg(value_name = "REPORT")]
    report: PathBuf,
    /// A second report on the same tasks, to compare with
    #[arg(value_name = "SECOND")]
    second: Option<PathBuf>,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    json: LowJson,
}

pub(crate) struct RanksArgs {
    /// One report, or two.
    pub(crate) reports: Vec<PathBuf>,
    pub(crate) data: DataSpec,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) json: Option<Target>,
}

impl LowRanks {
    pub(super) fn validate(self) -> Result<RanksArgs, Failure> {
        Ok(RanksArgs {
            reports: std::iter::once(self.report).chain(self.second).collect(),
            data: given(self.data.spec)?,
            solutions: self.data.solutions,
            json: self.json.validate()?,
        })
    }
}
