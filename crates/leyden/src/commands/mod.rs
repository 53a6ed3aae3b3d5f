//! One file per command.

pub(crate) mod answered;
pub(crate) mod augment;
pub(crate) mod batt;
pub(crate) mod card;
pub(crate) mod completions;
pub(crate) mod eval;
pub(crate) mod evolve;
#[cfg(feature = "explore")]
pub(crate) mod explore;
pub(crate) mod generate;
pub(crate) mod get;
pub(crate) mod gpu;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod gpu_bench;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod gpu_selftest;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod gpu_share;
pub(crate) mod import;
pub(crate) mod judge;
pub(crate) mod library;
pub(crate) mod merge;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod on_device;
pub(crate) mod options;
pub(crate) mod primitives;
pub(crate) mod profile;
pub(crate) mod ranks;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod submit_check;
pub(crate) mod trace;

use crate::failure::Failure;
use crate::output::{Target, remark, write_stdout};
use crate::report::pretty_json;

/// Writes the main output and the JSON beside it. If the JSON takes standard output, the main
/// output goes to standard error.
pub(crate) fn write_with_json(
    text: &str,
    out: Option<&Target>,
    json: Option<&Target>,
    report: impl FnOnce() -> serde_json::Value,
) -> Result<(), Failure> {
    if let Some(target) = json {
        target.write(&pretty_json(&report())?)?;
    }
    match out {
        Some(target) => target.write(text),
        None if json == Some(&Target::Stdout) => {
            remark(text);
            Ok(())
        }
        None => write_stdout(text),
    }
}
