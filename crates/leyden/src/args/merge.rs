//! Arguments of `leyden merge`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::shared::{LowJson, checked_target};
use crate::failure::Failure;
use crate::output::{Target, remark};
use crate::parts::command_of;

/// Make one report of the parts that --shard wrote
///
/// The union goes to the file that --json names. It has the same bytes as the JSON of one run
/// without --shard, except for times. The order of the parts does not matter, and parts may overlap
/// or appear twice.
///
/// `leyden merge` refuses parts of different jobs (other data, programs, tasks, settings or another
/// version of Leyden), parts that contradict each other, and parts that together leave out tasks.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden run --shard 0/2 --json part-0.json
  leyden run --shard 1/2 --json part-1.json
  leyden merge part-*.json --json all.json
  leyden merge --partial part-*.json --json so-far.json
  leyden merge part-*.json --json - | jq .solved")]
pub(super) struct LowMerge {
    /// The parts
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// Merge the parts that are there, without the missing tasks
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    json: LowJson,
}

pub(crate) struct MergeArgs {
    pub(crate) json: Option<Target>,
    pub(crate) parts: Vec<PathBuf>,
    pub(crate) is_partial: bool,
}

impl LowMerge {
    pub(super) fn validate(mut self) -> Result<MergeArgs, Failure> {
        let json = self.json.json.take().or_else(|| self.old_output());
        if let Some(json) = json.as_ref().filter(|json| self.parts.contains(json)) {
            return Err(Failure::bad_input(format!(
                "{}: a part cannot be the result as well; name another file with --json",
                json.display()
            )));
        }
        Ok(MergeArgs {
            json: json.map(checked_target).transpose()?,
            parts: self.parts,
            is_partial: self.partial,
        })
    }

    /// Before 0.2 the first file was the result: one that is not there yet, or an earlier report.
    fn old_output(&mut self) -> Option<PathBuf> {
        let first = self.parts.first()?;
        if self.parts.len() < 2 || (first.exists() && !is_report(first)) {
            return None;
        }
        remark("note: `merge OUT PART…` is now `merge PART… --json OUT`\n");
        Some(self.parts.remove(0))
    }
}

/// Does the file hold what --json of a whole run writes?
fn is_report(path: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Report {
        #[serde(rename = "solved")]
        _solved: serde::de::IgnoredAny,
    }
    let file = std::fs::File::open(path).map(std::io::BufReader::new);
    let report = file.map(serde_json::from_reader::<_, Report>);
    matches!(report, Ok(Ok(_))) && command_of(path).is_err()
}
