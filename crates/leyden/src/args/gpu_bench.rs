//! Arguments of `leyden gpu bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::gpu::TestedBackend;
use super::{checked_target, n_threads};
use crate::failure::Failure;
use crate::output::Target;

/// Run the same batches on the CPU and on a device, from 1 to 100,000 runs.
///
/// Programs and grids are those of the built-in set, as far as the device is sure about them. The table
/// says what a batch takes on either, how much of the device's time are copies and how much is the
/// kernel, and from which size on the device is faster; beside it stands what the cost model expects.
#[derive(Args)]
pub(super) struct LowBench {
    /// Who speaks to the device [default: opencl, or cuda in a build with nothing else]
    #[arg(long, value_name = "NAME")]
    backend: Option<TestedBackend>,
    /// Which device, as `leyden gpu list` numbers them
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// Threads of the CPU [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// The largest batch
    #[arg(long, value_name = "N", default_value = "100000")]
    most: NonZeroUsize,
    /// Lines of `name = number` in place of the model's constants (docs/gpu.md lists them)
    #[arg(long, value_name = "FILE")]
    cost: Option<PathBuf>,
    /// Write all figures as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the chart as a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// What to measure. Without the feature nobody looks at it.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct BenchArgs {
    pub(crate) backend: TestedBackend,
    pub(crate) device: usize,
    pub(crate) n_threads: usize,
    pub(crate) most: usize,
    pub(crate) cost: Option<PathBuf>,
    pub(crate) json: Option<Target>,
    pub(crate) svg: Option<Target>,
}

/// A larger batch would not fit into the numbers of a device.
const MOST_RUNS: usize = 10_000_000;

impl LowBench {
    pub(super) fn validate(self) -> Result<BenchArgs, Failure> {
        if self.most.get() > MOST_RUNS {
            return Err(Failure::bad_input(format!(
                "--most {}: at most {MOST_RUNS}",
                self.most
            )));
        }
        Ok(BenchArgs {
            backend: self.backend.unwrap_or(TestedBackend::of_this_build()),
            device: self.device,
            n_threads: n_threads(self.jobs),
            most: self.most.get(),
            cost: self.cost,
            json: self.json.map(checked_target).transpose()?,
            svg: self.svg.map(checked_target).transpose()?,
        })
    }
}
