//! `leyden gpu`: lists devices and tests them.

use leyden_dsl::meter::CancelToken;

use crate::args::gpu::GpuCommand;
use crate::failure::Failure;

#[cfg(any(feature = "opencl", feature = "cuda"))]
pub(crate) fn run(command: &GpuCommand, cancel: &CancelToken) -> Result<(), Failure> {
    match command {
        GpuCommand::List { json } => with_devices::list(json.as_ref()),
        GpuCommand::Selftest(args) => super::gpu_selftest::run(args),
        GpuCommand::Bench(args) => super::gpu_bench::run(args, cancel),
    }
}

#[cfg(not(any(feature = "opencl", feature = "cuda")))]
pub(crate) fn run(_command: &GpuCommand, _cancel: &CancelToken) -> Result<(), Failure> {
    let reason = "this build of leyden knows no devices; build it with `--features opencl`, or run on the CPU";
    Err(Failure::NoDevice(reason.to_owned()))
}

#[cfg(any(feature = "opencl", feature = "cuda"))]
mod with_devices {
    use leyden_gpu::fleet::DeviceKind;
    use leyden_gpu::{DeviceInfo, GpuError};
    use serde_json::json;

    use crate::failure::Failure;
    use crate::output::Target;
    use crate::report::write_both;

    /// Prints the devices of all backends, numbered for each backend. Fails only if there is no
    /// device at all.
    pub(super) fn list(json: Option<&Target>) -> Result<(), Failure> {
        let (mut lines, mut reasons) = (String::new(), Vec::new());
        let mut report = Vec::new();
        for kind in DeviceKind::ALL {
            match kind.devices() {
                Ok(devices) => {
                    lines.extend(numbered(kind, &devices));
                    report.extend(devices.iter().enumerate().map(|it| in_json(kind, it)));
                }
                Err(GpuError::NotBuilt { .. }) => {}
                Err(error) => reasons.push(format!("{}: {error}", kind.name())),
            }
        }
        if lines.is_empty() {
            return Err(Failure::NoDevice(reasons.join("\n")));
        }
        lines.extend(reasons.iter().map(|reason| format!("no {reason}\n")));
        write_both(&lines, json, &report)
    }

    fn in_json(kind: DeviceKind, (number, device): (usize, &DeviceInfo)) -> serde_json::Value {
        json!({
            "backend": kind.name(),
            "device": number,
            "name": device.name,
            "vendor": device.vendor,
            "driver": device.driver,
            "is_gpu": device.is_gpu,
            "memory": device.memory,
            "local_memory": device.local_memory,
        })
    }

    fn numbered(kind: DeviceKind, devices: &[DeviceInfo]) -> Vec<String> {
        let line = |(number, device)| format!("{number}  {}\n", in_words(kind, device));
        devices.iter().enumerate().map(line).collect()
    }

    fn in_words(kind: DeviceKind, device: &DeviceInfo) -> String {
        let what = if device.is_gpu { "GPU" } else { "processor" };
        let gigabytes = device.memory as f64 / f64::from(1 << 30);
        let (name, driver, local) = (&device.name, &device.driver, device.local_memory / 1024);
        format!(
            "{name} ({}, {what}, {gigabytes:.1} GiB, {local} KiB a group, driver {driver})",
            kind.name()
        )
    }
}
