//! Arguments of `leyden gpu bench`.

use std::path::PathBuf;

use clap::Args;
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_lang::Language;
use leyden_store::DataSpec;

use super::gpu::{LowDevice, TestedBackend};
use super::shared::{
    LowFuel, LowJobs, LowJson, LowSolvers, LowSpec, LowSvg, PLAIN, checked_target,
    refuse_two_on_stdout, without_default,
};
use super::values::count;
use crate::failure::Failure;
use crate::output::Target;

/// Measure a device against the CPU
///
/// Without --solvers, batches of 1 to 100,000 runs of built-in programs run on both. The table shows
/// the times on the CPU and on the device, and the shares of copies and kernel. It ends with the
/// number of runs from which on the device is faster.
///
/// With --solvers, each of these programs runs on the inputs of --data. The report has the time to
/// open the device and to compile, the time of the kernel by class of program, the share of runs and
/// of the CPU's time that the device answers, the reasons for the rest, and the time of the whole
/// against the CPU's. The CPU's time is measured run by run on one core. If results differ, the exit
/// code is 1.
#[derive(Args)]
#[command(
    mut_arg("data", |data| data.requires("solvers")),
    mut_arg("fuel", |fuel| fuel.requires("solvers")),
    mut_arg("solvers", without_default),
    mut_arg("svg", |svg| svg.conflicts_with("solvers")),
    after_long_help = "\
Examples:
  leyden gpu bench
  leyden gpu bench --backend cuda --svg bench.svg --json bench.json
  leyden gpu bench --solvers ARC_DSL/solvers.py --every 40 --fuel 2000000 --json share.json"
)]
pub(super) struct LowBench {
    #[command(flatten)]
    device: LowDevice,
    #[command(flatten)]
    spec: LowSpec,
    #[command(flatten)]
    solvers: LowSolvers,
    /// Take only every N-th input of the tasks
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, requires = "solvers", help_heading = PLAIN)]
    every: usize,
    #[command(flatten)]
    fuel: LowFuel,
    #[command(flatten)]
    jobs: LowJobs,
    /// The size of the largest batch of built-in programs
    #[arg(long, value_name = "N", default_value = "100000", value_parser = count, conflicts_with = "solvers", help_heading = PLAIN)]
    most: usize,
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
    pub(crate) subject: Subject,
    pub(crate) json: Option<Target>,
}

/// The programs to measure.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) enum Subject {
    BuiltIn { most: usize, svg: Option<Target> },
    Solvers(ShareArgs),
}

/// Programs of the user, each of which runs on all inputs.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct ShareArgs {
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) language: Language,
    pub(crate) data: Option<DataSpec>,
    /// Every input whose number is a multiple of this.
    pub(crate) every: usize,
    pub(crate) fuel: u64,
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
        let subject = if self.solvers.solvers.is_empty() {
            let most = self.most;
            Subject::BuiltIn { most, svg }
        } else {
            Subject::Solvers(ShareArgs {
                language: self.solvers.dialect.validate()?,
                solvers: self.solvers.solvers,
                data: self.spec.data,
                every: self.every,
                fuel: self.fuel.fuel.unwrap_or(DEFAULT_FUEL),
            })
        };
        Ok(BenchArgs {
            backend: self.device.backend(),
            device: self.device.device,
            n_threads: self.jobs.n_threads(),
            subject,
            json,
        })
    }
}
