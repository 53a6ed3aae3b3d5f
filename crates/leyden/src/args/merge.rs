//! Arguments of `leyden merge`.

use std::path::PathBuf;

use clap::Args;

use super::checked_target;
use crate::failure::Failure;
use crate::output::Target;

/// Make one report of the parts that `--shard` wrote.
///
/// OUT is what one run without --shard writes with --json, byte for byte but for times. A union:
/// the order of the parts does not matter, nor if one is given twice or overlaps another. Parts of
/// another job (other data, programs, tasks, settings or another version of Leyden), parts that
/// disagree, and missing tasks are refused.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden run --shard 0/2 --json part-0.json
  leyden run --shard 1/2 --json part-1.json
  leyden merge all.json part-*.json
  leyden merge --partial so-far.json part-*.json
  leyden merge - part-*.json | jq .solved")]
pub(super) struct LowMerge {
    /// Where the report goes (`-`: standard output)
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The parts
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// Do without the tasks that are missing
    #[arg(long)]
    partial: bool,
}

pub(crate) struct MergeArgs {
    pub(crate) out: Target,
    pub(crate) parts: Vec<PathBuf>,
    pub(crate) is_partial: bool,
}

impl LowMerge {
    pub(super) fn validate(self) -> Result<MergeArgs, Failure> {
        if self.parts.contains(&self.out) {
            return Err(Failure::bad_input(format!(
                "{}: a part cannot be the result as well",
                self.out.display()
            )));
        }
        Ok(MergeArgs {
            out: checked_target(self.out)?,
            parts: self.parts,
            is_partial: self.partial,
        })
    }
}
