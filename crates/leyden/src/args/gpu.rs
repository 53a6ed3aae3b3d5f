//! Arguments of `leyden gpu`.

use std::num::NonZeroUsize;

use clap::{Args, Subcommand, ValueEnum};

use super::gpu_bench::{BenchArgs, LowBench};
use crate::failure::Failure;

/// List devices, see whether they give the same results as the CPU, and how fast they are.
///
/// Devices need a build with the features `opencl` or `cuda`. The exit code is 3 where none can be had, with
/// the reason; nothing else of leyden needs one.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden gpu list
  leyden gpu selftest
  leyden gpu selftest --backend cuda --device 1 --programs 10000
  leyden gpu bench --svg bench.svg --json bench.json")]
pub(super) struct LowGpu {
    #[command(subcommand)]
    command: LowGpuCommand,
}

#[derive(Subcommand)]
enum LowGpuCommand {
    /// The devices of this machine, with memory and driver
    List,
    Selftest(LowSelftest),
    Bench(LowBench),
}

/// Run random programs built around each primitive on a device and on the CPU, and compare.
///
/// For each primitive: how many programs were sent, each with a grid; how many of them the device
/// answered, having got as far as the primitive; in how many it faulted; how many answers were not the
/// CPU's. What the device does not answer the CPU would run. The exit code is 0 only if all answers agree. What is printed says all that a report needs.
#[derive(Args)]
struct LowSelftest {
    /// Who speaks to the device [default: opencl, or cuda in a build with nothing else]
    #[arg(long, value_name = "NAME")]
    backend: Option<TestedBackend>,
    /// Which device, as `leyden gpu list` numbers them
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// How many programs for each primitive, each on a grid of its own
    #[arg(long, value_name = "N", default_value = "200")]
    programs: NonZeroUsize,
    /// Lanes of a group [default: what suits the device]
    #[arg(long, value_name = "N")]
    lanes: Option<NonZeroUsize>,
    /// The seed of all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Who speaks to the device.
#[derive(Clone, Copy, ValueEnum)]
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) enum TestedBackend {
    Cuda,
    Opencl,
}

#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
impl TestedBackend {
    /// As on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TestedBackend::Cuda => "cuda",
            TestedBackend::Opencl => "opencl",
        }
    }

    pub(super) fn of_this_build() -> TestedBackend {
        match cfg!(feature = "cuda") && !cfg!(feature = "opencl") {
            true => TestedBackend::Cuda,
            false => TestedBackend::Opencl,
        }
    }
}

/// What to do with devices. Without the feature nobody looks at it.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) enum GpuCommand {
    List,
    Selftest(SelftestArgs),
    Bench(BenchArgs),
}

/// How to test a device. Without the feature nobody looks at it.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct SelftestArgs {
    pub(crate) backend: TestedBackend,
    pub(crate) device: usize,
    pub(crate) n_programs: usize,
    pub(crate) lanes: Option<usize>,
    pub(crate) seed: u64,
}

impl LowGpu {
    pub(super) fn validate(self) -> Result<GpuCommand, Failure> {
        Ok(match self.command {
            LowGpuCommand::List => GpuCommand::List,
            LowGpuCommand::Bench(low) => GpuCommand::Bench(low.validate()?),
            LowGpuCommand::Selftest(low) => GpuCommand::Selftest(SelftestArgs {
                backend: low.backend.unwrap_or(TestedBackend::of_this_build()),
                device: low.device,
                n_programs: low.programs.get(),
                lanes: low.lanes.map(NonZeroUsize::get),
                seed: low.seed,
            }),
        })
    }
}
