//! Arguments of `leyden gpu`.

use std::num::NonZeroUsize;

use clap::{Args, Subcommand};

/// List devices, and see whether they give the same results as the CPU.
///
/// Devices need a build with the feature `opencl`. The exit code is 3 where none can be had, with
/// the reason; nothing else of leyden needs one.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden gpu list
  leyden gpu selftest
  leyden gpu selftest --device 1 --programs 10000")]
pub(super) struct LowGpu {
    #[command(subcommand)]
    command: LowGpuCommand,
}

#[derive(Subcommand)]
enum LowGpuCommand {
    /// The devices of this machine, with memory and driver
    List,
    Selftest(LowSelftest),
}

/// Run random programs on a device and on the CPU, and compare.
///
/// The exit code is 0 only if all answers agree. What is printed says all that a report needs.
#[derive(Args)]
struct LowSelftest {
    /// Which device, as `leyden gpu list` numbers them
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// How many programs for each primitive
    #[arg(long, value_name = "N", default_value = "200")]
    programs: NonZeroUsize,
    /// Lanes of a group [default: what suits the device]
    #[arg(long, value_name = "N")]
    lanes: Option<NonZeroUsize>,
    /// The seed of all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// What to do with devices. Without the feature nobody looks at it.
#[cfg_attr(not(feature = "opencl"), allow(dead_code))]
pub(crate) enum GpuCommand {
    List,
    Selftest(SelftestArgs),
}

/// How to test a device. Without the feature nobody looks at it.
#[cfg_attr(not(feature = "opencl"), allow(dead_code))]
pub(crate) struct SelftestArgs {
    pub(crate) device: usize,
    pub(crate) n_programs: usize,
    pub(crate) lanes: Option<usize>,
    pub(crate) seed: u64,
}

impl LowGpu {
    pub(super) fn validate(self) -> GpuCommand {
        match self.command {
            LowGpuCommand::List => GpuCommand::List,
            LowGpuCommand::Selftest(low) => GpuCommand::Selftest(SelftestArgs {
                device: low.device,
                n_programs: low.programs.get(),
                lanes: low.lanes.map(NonZeroUsize::get),
                seed: low.seed,
            }),
        }
    }
}
