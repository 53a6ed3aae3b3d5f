//! Arguments of `leyden gpu`.

use clap::{Args, Subcommand, ValueEnum};

use super::gpu_bench::{BenchArgs, LowBench};
use super::shared::{LowJson, LowSeed, PLAIN};
use super::values::{count, number};
use crate::failure::Failure;
use crate::output::Target;

/// List, test and measure devices
///
/// Devices need a build with the feature `opencl` or `cuda`. If there is no device, the exit code is
/// 3 and the message says why. All other commands work without devices.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden gpu list
  leyden gpu selftest
  leyden gpu selftest --backend cuda --device 1 --cases 10000
  leyden gpu bench --svg bench.svg --json bench.json")]
pub(super) struct LowGpu {
    #[command(subcommand)]
    command: LowGpuCommand,
}

#[derive(Subcommand)]
enum LowGpuCommand {
    List(LowList),
    Selftest(LowSelftest),
    Bench(LowBench),
}

/// List the devices of this machine, with memory and driver
#[derive(Args)]
struct LowList {
    #[command(flatten)]
    json: LowJson,
}

/// Compare a device with the CPU on random programs
///
/// The test makes random programs around each primitive and runs them on the device and on the CPU.
/// For each primitive the table shows how many programs were sent, how many answers the device gave,
/// how many of these were faults, and how many were wrong. Programs that the device does not answer
/// would run on the CPU.
///
/// The exit code is 0 only if all answers agree. The output has everything that a bug report needs.
#[derive(Args)]
struct LowSelftest {
    #[command(flatten)]
    device: LowDevice,
    /// How many programs to try for each primitive, each on its own grid
    #[arg(long, value_name = "N", default_value = "200", value_parser = count, help_heading = PLAIN)]
    cases: usize,
    /// How many lanes a group has on the device [default: by the device]
    #[arg(long, value_name = "N", value_parser = count, help_heading = PLAIN)]
    lanes: Option<usize>,
    #[command(flatten)]
    seed: LowSeed,
    #[command(flatten)]
    json: LowJson,
}

/// One device.
#[derive(Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct LowDevice {
    /// Where programs run; results stay the same [default: opencl, or cuda in a build with nothing
    /// else]
    #[arg(long, value_name = "NAME")]
    backend: Option<TestedBackend>,
    /// The number of a device, as `leyden gpu list` shows it
    #[arg(long, value_name = "N", default_value = "0", value_parser = number)]
    pub(super) device: usize,
}

impl LowDevice {
    pub(super) fn backend(&self) -> TestedBackend {
        self.backend.unwrap_or(TestedBackend::of_this_build())
    }
}

/// The interface to the device.
#[derive(Clone, Copy, ValueEnum)]
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) enum TestedBackend {
    /// NVIDIA's driver
    Cuda,
    /// OpenCL
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

    fn of_this_build() -> TestedBackend {
        if cfg!(feature = "cuda") && !cfg!(feature = "opencl") {
            TestedBackend::Cuda
        } else {
            TestedBackend::Opencl
        }
    }
}

/// The chore for devices. Builds without devices never read it.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) enum GpuCommand {
    List { json: Option<Target> },
    Selftest(SelftestArgs),
    Bench(BenchArgs),
}

/// How to test a device. Builds without devices never read it.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct SelftestArgs {
    pub(crate) backend: TestedBackend,
    pub(crate) device: usize,
    pub(crate) n_programs: usize,
    pub(crate) lanes: Option<usize>,
    pub(crate) seed: u64,
    pub(crate) json: Option<Target>,
}

impl LowGpu {
    pub(super) fn validate(self) -> Result<GpuCommand, Failure> {
        Ok(match self.command {
            LowGpuCommand::List(low) => GpuCommand::List {
                json: low.json.validate()?,
            },
            LowGpuCommand::Bench(low) => GpuCommand::Bench(low.validate()?),
            LowGpuCommand::Selftest(low) => GpuCommand::Selftest(SelftestArgs {
                backend: low.device.backend(),
                device: low.device.device,
                n_programs: low.cases,
                lanes: low.lanes,
                seed: low.seed.seed,
                json: low.json.validate()?,
            }),
        })
    }
}
