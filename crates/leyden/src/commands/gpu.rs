//! `leyden gpu`: which devices there are, and whether they are right.

use leyden_dsl::meter::CancelToken;

use crate::args::gpu::GpuCommand;
use crate::failure::Failure;

#[cfg(feature = "opencl")]
pub(crate) fn run(command: &GpuCommand, cancel: &CancelToken) -> Result<(), Failure> {
    match command {
        GpuCommand::List => with_opencl::list(),
        GpuCommand::Selftest(args) => super::gpu_selftest::run(args),
        GpuCommand::Bench(args) => super::gpu_bench::run(args, cancel),
    }
}

#[cfg(all(feature = "cuda", not(feature = "opencl")))]
pub(crate) fn run(command: &GpuCommand, cancel: &CancelToken) -> Result<(), Failure> {
    match command {
        GpuCommand::List => Err(no_devices()),
        GpuCommand::Selftest(args) => super::gpu_selftest::run(args),
        GpuCommand::Bench(args) => super::gpu_bench::run(args, cancel),
    }
}

#[cfg(not(any(feature = "opencl", feature = "cuda")))]
pub(crate) fn run(_command: &GpuCommand, _cancel: &CancelToken) -> Result<(), Failure> {
    Err(no_devices())
}

#[cfg(not(feature = "opencl"))]
fn no_devices() -> Failure {
    let reason = "this build of leyden knows no devices; build it with `--features opencl`, or run on the CPU";
    Failure::NoDevice(reason.to_owned())
}

#[cfg(feature = "opencl")]
mod with_opencl {
    use leyden_gpu::opencl::devices;
    use leyden_gpu::{DeviceInfo, GpuError};

    use crate::failure::Failure;
    use crate::output::print;

    fn no_device(error: GpuError) -> Failure {
        Failure::NoDevice(error.to_string())
    }

    pub(super) fn list() -> Result<(), Failure> {
        let devices = devices().map_err(no_device)?;
        let line =
            |(number, device): (usize, &DeviceInfo)| format!("{number}  {}\n", in_words(device));
        print(&devices.iter().enumerate().map(line).collect::<String>())
    }

    fn in_words(device: &DeviceInfo) -> String {
        let kind = if device.is_gpu { "GPU" } else { "processor" };
        let gigabytes = device.memory as f64 / f64::from(1 << 30);
        let (name, driver, local) = (&device.name, &device.driver, device.local_memory / 1024);
        format!("{name} (opencl, {kind}, {gigabytes:.1} GiB, {local} KiB a group, driver {driver})")
    }
}
