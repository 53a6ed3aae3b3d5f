//! `leyden gpu`: which devices there are, and whether they are right.

use crate::args::gpu::GpuCommand;
use crate::failure::Failure;

#[cfg(feature = "opencl")]
pub(crate) fn run(command: &GpuCommand) -> Result<(), Failure> {
    match command {
        GpuCommand::List => with_opencl::list(),
        GpuCommand::Selftest(args) => with_opencl::selftest(args),
    }
}

#[cfg(not(feature = "opencl"))]
pub(crate) fn run(_command: &GpuCommand) -> Result<(), Failure> {
    let reason = "this build of leyden knows no devices; build it with `--features opencl`, or run on the CPU";
    Err(Failure::NoDevice(reason.to_owned()))
}

#[cfg(feature = "opencl")]
mod with_opencl {
    use leyden_exec::with_large_stack;
    use leyden_gpu::opencl::{Session, Settings, devices};
    use leyden_gpu::{DeviceInfo, GpuError, Verdict};

    use crate::args::gpu::SelftestArgs;
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

    pub(super) fn selftest(args: &SelftestArgs) -> Result<(), Failure> {
        let settings = Settings {
            lanes: args.lanes,
            ..Settings::default()
        };
        let (info, verdict) = with_large_stack(|| {
            let session = Session::open(args.device, settings).map_err(no_device)?;
            let verdict = leyden_gpu::selftest(&session, args.n_programs, args.seed);
            Ok::<_, Failure>((session.info().clone(), verdict.map_err(no_device)?))
        })?;
        print(&verdict_in_words(&info, &verdict, args.seed))?;
        match verdict.agrees() {
            true => Ok(()),
            false => Err(Failure::Other(anyhow::anyhow!(
                "the device gave {} wrong answers; do not use it, and report the lines above",
                verdict.differences.len()
            ))),
        }
    }

    fn verdict_in_words(info: &DeviceInfo, verdict: &Verdict, seed: u64) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let shown = verdict.differences.iter().take(3);
        let differences: String = shown.map(|text| format!("{text}\n\n")).collect();
        let least = verdict.by_primitive.iter().min_by_key(|(_, n)| **n);
        let (least, n_least) = least.map_or(("none", 0), |(name, n)| (*name, *n));
        format!(
            "leyden {version}, seed {seed}\n{}\nrandom programs {}, accepted {}, answered {}, of which faults {}\nprimitives in answered programs {}, least often {least} ({n_least})\nwrong answers {}\n{differences}",
            in_words(info),
            verdict.n_rolled,
            verdict.n_accepted,
            verdict.n_answered,
            verdict.n_faults,
            verdict.by_primitive.len(),
            verdict.differences.len(),
        )
    }
}
