//! Results as text, JSON and pictures.

pub(crate) mod batt_json;
pub(crate) mod batt_text;
pub(crate) mod card;
pub(crate) mod evolve;
#[cfg(feature = "explore")]
pub(crate) mod explored;
#[cfg(any(feature = "opencl", feature = "cuda"))]
pub(crate) mod gpu_bench;
#[cfg(any(feature = "opencl", feature = "cuda"))]
pub(crate) mod gpu_share;
pub(crate) mod library;
pub(crate) mod numbers;
pub(crate) mod options;
pub(crate) mod palette;
pub(crate) mod pretty;
pub(crate) mod ranks;
pub(crate) mod reference;
mod rows;
pub(crate) mod run_json;
pub(crate) mod run_text;
pub(crate) mod score;
pub(crate) mod score_html;
pub(crate) mod solve;
pub(crate) mod style;
pub(crate) mod task_svg;
pub(crate) mod task_text;
pub(crate) mod trace;

use crate::failure::Failure;
use crate::output::{Target, say};

/// A report as JSON, with a line break at its end.
pub(crate) fn pretty_json(report: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(report);
    let text = text.map_err(|error| Failure::Other(error.into()))?;
    Ok(text + "\n")
}

/// Writes a report as text, and as JSON if wanted. If the JSON takes standard output, the text goes
/// to standard error.
pub(crate) fn write_both(
    text: &str,
    json: Option<&Target>,
    report: &impl serde::Serialize,
) -> Result<(), Failure> {
    if let Some(target) = json {
        target.write(&pretty_json(report)?)?;
    }
    say(text, json == Some(&Target::Stdout))
}

/// The width of the terminal, if there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
