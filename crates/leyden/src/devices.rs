//! The devices that run programs, in builds with `opencl` or `cuda`.

use std::sync::Arc;

use leyden_exec::Elsewhere;

use crate::args::{Backend, BackendArgs};
use crate::failure::Failure;
use crate::output::remark;

/// Devices that are ready.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) elsewhere: Arc<dyn Elsewhere>,
    /// The backend and the names of the devices.
    pub(crate) names: String,
}

/// Receives remarks about devices that are not used, or no longer.
pub(crate) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Opens the devices that the user asks for, to make `n_runs` runs; `None` if everything runs on
/// the CPU. `auto` gives its reason if the user asked for it or if there is a GPU.
pub(crate) fn open(
    args: &BackendArgs,
    fuel: u64,
    n_runs: usize,
) -> Result<Option<Devices>, Failure> {
    let say: Say = Arc::new(|text| remark(&format!("leyden: {text}\n")));
    open_saying(args, fuel, n_runs, say)
}

/// Opens devices for a host that takes the remarks itself.
pub(crate) fn open_saying(
    args: &BackendArgs,
    fuel: u64,
    n_runs: usize,
    say: Say,
) -> Result<Option<Devices>, Failure> {
    imp::check_costs(args)?;
    match args.backend {
        Backend::Cpu => Ok(None),
        Backend::Auto => Ok(imp::open_if_it_pays(args, fuel, n_runs, &say)),
        Backend::Cuda | Backend::Opencl => imp::open_named(args, fuel, &say).map(Some),
    }
}

#[cfg(any(feature = "opencl", feature = "cuda"))]
mod imp {
    use std::sync::Arc;

    use leyden_gpu::cost::{Batch, KNOWN};
    use leyden_gpu::fleet::{self, Choice, DeviceKind, Opened, Wish};
    use leyden_gpu::{DeviceInfo, GpuError};

    use super::{Devices, Say};
    use crate::args::{Backend, BackendArgs, Chosen};
    use crate::failure::Failure;

    pub(super) fn open_named(args: &BackendArgs, fuel: u64, say: &Say) -> Result<Devices, Failure> {
        let kind = match args.backend {
            Backend::Cuda => DeviceKind::Cuda,
            _ => DeviceKind::OpenCl,
        };
        let opened = open(kind, &wish(args, fuel), fuel, say);
        opened.map_err(|error| Failure::NoDevice(error.to_string()))
    }

    /// Opens a device; `None` if it does not pay or is not available.
    pub(super) fn open_if_it_pays(
        args: &BackendArgs,
        fuel: u64,
        n_runs: usize,
        say: &Say,
    ) -> Option<Devices> {
        let batch = Batch {
            n_jobs: n_runs as u64,
            n_threads: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
            ..Batch::default()
        };
        let found = fleet::found(&batch, &wish(args, fuel));
        let opened = found.and_then(|(kind, wish)| {
            open(kind, &wish, fuel, say).map_err(|error| fleet::Stays {
                reason: error.to_string(),
                has_gpu: true,
            })
        });
        match opened {
            Ok(devices) => Some(devices),
            Err(stays) => {
                if args.is_said || stays.has_gpu {
                    say(&format!("on the CPU: {}", stays.reason));
                }
                None
            }
        }
    }

    fn choice(chosen: &Chosen) -> Choice {
        match chosen {
            Chosen::Usual => Choice::Usual,
            Chosen::All => Choice::All,
            Chosen::These(numbers) => Choice::These(numbers.clone()),
        }
    }

    /// The wishes that devices are opened with. A test may give them less memory.
    fn wish(args: &BackendArgs, fuel: u64) -> Wish {
        let most_memory = std::env::var("LEYDEN_DEVICE_MEMORY").ok();
        Wish {
            choice: choice(&args.chosen),
            fuel: leyden_gpu::Devices::fuel_for(fuel),
            most_memory: most_memory.and_then(|text| text.parse().ok()),
            is_timed: args.is_timed,
            costs: args.costs.clone(),
        }
    }

    /// Reads the cost constants before a device needs them.
    pub(super) fn check_costs(args: &BackendArgs) -> Result<(), Failure> {
        let Some(text) = &args.costs else {
            return Ok(());
        };
        let read = KNOWN[0].costs.overridden(text);
        read.map_err(|error| Failure::bad_input(format!("--cost: {error}")))?;
        Ok(())
    }

    fn open(kind: DeviceKind, wish: &Wish, fuel: u64, say: &Say) -> Result<Devices, GpuError> {
        let theirs = say.clone();
        let tell = Box::new(move |text: &str| theirs(text));
        let Opened { fleet, remarks, .. } = fleet::open(kind, wish, tell)?;
        for text in remarks {
            say(&format!("without a device: {text}"));
        }
        let names: Vec<&str> = fleet.infos().map(name).collect();
        Ok(Devices {
            names: format!("{}: {}", kind.name(), names.join(", ")),
            elsewhere: Arc::new(leyden_gpu::Devices::new(Arc::new(fleet), fuel)),
        })
    }

    fn name(info: &DeviceInfo) -> &str {
        &info.name
    }
}

#[cfg(not(any(feature = "opencl", feature = "cuda")))]
mod imp {
    use super::{Devices, Say};
    use crate::args::{Backend, BackendArgs};
    use crate::failure::Failure;

    pub(super) fn check_costs(_args: &BackendArgs) -> Result<(), Failure> {
        Ok(())
    }

    pub(super) fn open_named(
        args: &BackendArgs,
        _fuel: u64,
        _say: &Say,
    ) -> Result<Devices, Failure> {
        let feature = match args.backend {
            Backend::Cuda => "cuda",
            _ => "opencl",
        };
        Err(Failure::NoDevice(format!(
            "this build of leyden knows no devices; build it with `--features {feature}`, or run on the CPU"
        )))
    }

    pub(super) fn open_if_it_pays(
        args: &BackendArgs,
        _fuel: u64,
        _n_runs: usize,
        say: &Say,
    ) -> Option<Devices> {
        if args.is_said {
            say("on the CPU: this build of leyden knows no devices");
        }
        None
    }
}
