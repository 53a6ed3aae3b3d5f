//! Arguments of `leyden gpu bench`.

use std::path::PathBuf;

use clap::Args;

use super::backend::LowCost;
use super::gpu::{LowDevice, TestedBackend};
use super::shared::{LowJobs, LowJson, LowSvg, PLAIN, checked_target, refuse_two_on_stdout};
use super::values::count;
use crate::failure::Failure;
use crate::output::Target;

/// Measure batches of 1 to 100,000 runs on the CPU and on a device
///
/// The programs and grids are those of the built-in tasks that the device can run. For each size of a
/// batch the table shows the time on the CPU and on the device, the shares of copies and kernel, and
/// the time that the cost model expects. It ends with the size from which on the device is faster.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden gpu bench
  leyden gpu bench --backend cuda --svg bench.svg --json bench.json")]
pub(super) struct LowBench {
    #[command(flatten)]
    device: LowDevice,
    #[command(flatten)]
    jobs: LowJobs,
    /// The size of the largest batch
    #[arg(long, value_name = "N", default_value = "100000", value_parser = count, help_heading = PLAIN)]
    most: usize,
    #[command(flatten)]
    cost: LowCost,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    svg: LowSvg,
}

/// The measurement. Builds without devices never read it.
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
        if self.most > MOST_RUNS {
            return Err(Failure::bad_input(format!(
                "--most {}: expected a whole number from 1 to {MOST_RUNS}",
                self.most
            )));
        }
        let json = self.json.validate()?;
        let svg = self.svg.svg.map(checked_target).transpose()?;
        refuse_two_on_stdout([&json, &svg])?;
        Ok(BenchArgs {
            backend: self.device.backend(),
            device: self.device.device,
            n_threads: self.jobs.n_threads(),
            most: self.most,
            cost: self.cost.cost,
            json,
            svg,
        })
    }
}
