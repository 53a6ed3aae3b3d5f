//! The devices that run programs, in builds with `opencl` or `cuda`.

use std::sync::Arc;

use leyden_exec::Elsewhere;
use leyden_grid::Puzzle;
use leyden_lang::{Program, Rules};

use crate::args::{Backend, BackendArgs};
use crate::failure::Failure;
use crate::output::remark;
use crate::pipeline::generate::Plan;

/// Devices that are ready.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) elsewhere: Arc<dyn Elsewhere>,
    /// The backend and the names of the devices.
    pub(crate) names: String,
}

/// Receives remarks about devices that are not used, or no longer.
pub(crate) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// The runs that devices may take over. `auto` tries a part of them.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct Work<'w> {
    pub(crate) plan: &'w Plan<'w>,
    pub(crate) n_runs: usize,
    /// The most fuel of a run.
    pub(crate) fuel: u64,
    /// The rules that merge the plan's programs for a device.
    pub(crate) rules: Rules,
    /// The number of threads of the CPU.
    pub(crate) n_threads: usize,
}

/// The runs of a search: some programs, and others like them, on demonstrations.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct SearchWork<'w> {
    pub(crate) programs: Vec<&'w Program>,
    pub(crate) puzzles: &'w [Puzzle],
    pub(crate) n_runs: usize,
    pub(crate) fuel: u64,
    pub(crate) n_threads: usize,
}

/// Opens the devices that the user asks for; `None` if everything runs on the CPU. `auto` gives its
/// reason if the user asked for it or if there is a GPU.
pub(crate) fn open(args: &BackendArgs, work: &Work<'_>) -> Result<Option<Devices>, Failure> {
    open_saying(args, work, &on_stderr())
}

/// [`open`] for a host that takes the remarks itself.
pub(crate) fn open_saying(
    args: &BackendArgs,
    work: &Work<'_>,
    say: &Say,
) -> Result<Option<Devices>, Failure> {
    let overrides = imp::overrides(args)?;
    match args.backend {
        Backend::Cpu => Ok(None),
        Backend::Auto => Ok(imp::open_if_it_pays(args, work, &overrides, say)),
        Backend::Cuda | Backend::Opencl => imp::open_named(args, work.fuel, say).map(Some),
    }
}

/// Opens the devices of a backend that the user names. A search calls this before it begins
/// anything.
pub(crate) fn open_named(args: &BackendArgs, fuel: u64) -> Result<Option<Devices>, Failure> {
    imp::overrides(args)?;
    match args.backend {
        Backend::Cpu | Backend::Auto => Ok(None),
        Backend::Cuda | Backend::Opencl => imp::open_named(args, fuel, &on_stderr()).map(Some),
    }
}

/// Opens devices under `auto` if they pay for a search.
pub(crate) fn open_for_search(
    args: &BackendArgs,
    work: &SearchWork<'_>,
) -> Result<Option<Devices>, Failure> {
    let overrides = imp::overrides(args)?;
    match args.backend {
        Backend::Auto => Ok(imp::open_for_search(args, work, &overrides, &on_stderr())),
        Backend::Cpu | Backend::Cuda | Backend::Opencl => Ok(None),
    }
}

fn on_stderr() -> Say {
    Arc::new(|text| remark(&format!("leyden: {text}\n")))
}

#[cfg(any(feature = "opencl", feature = "cuda"))]
mod imp {
    use std::sync::Arc;

    use leyden_gpu::cost::{Ahead, Costs, Overrides};
    use leyden_gpu::fleet::{self, Choice, DeviceKind, Opened, Stays, Wish};
    use leyden_gpu::{DeviceInfo, GpuError};
    use leyden_grid::{Puzzle, Task};
    use leyden_lang::{Program, Rules};

    use super::{Devices, Say, SearchWork, Work};
    use crate::args::{Backend, BackendArgs, Chosen};
    use crate::clock::timed;
    use crate::failure::Failure;
    use crate::pipeline::generate::Plan;
    use crate::pipeline::group::{Group, Sharing};
    use crate::pipeline::source::OutcomeSource;
    use crate::pipeline::trial::Trial;

    /// A search with more programs tries this many of them.
    const PROGRAMS_OF_A_TRIAL: usize = 256;

    pub(super) fn open_named(args: &BackendArgs, fuel: u64, say: &Say) -> Result<Devices, Failure> {
        let kind = match args.backend {
            Backend::Cuda => DeviceKind::Cuda,
            _ => DeviceKind::OpenCl,
        };
        Ok(open(kind, &wish(args, fuel), fuel, say)?)
    }

    /// Opens devices; `None` if they do not pay or are not available.
    pub(super) fn open_if_it_pays(
        args: &BackendArgs,
        work: &Work<'_>,
        overrides: &Overrides,
        say: &Say,
    ) -> Option<Devices> {
        match tried(args, work, overrides, say) {
            Ok(devices) => Some(devices),
            Err(stays) => {
                say_why(args, &stays, say);
                None
            }
        }
    }

    pub(super) fn open_for_search(
        args: &BackendArgs,
        work: &SearchWork<'_>,
        overrides: &Overrides,
        say: &Say,
    ) -> Option<Devices> {
        // A small search makes no programs ready for a trial.
        if let Err(reason) = check_bound(work.n_runs, work.n_threads, overrides) {
            let has_gpu = false;
            say_why(args, &Stays { reason, has_gpu }, say);
            return None;
        }
        let group = Group::new(some_of(&work.programs), Sharing::ALL);
        let tasks: Vec<Task> = work.puzzles.iter().map(demos_of).collect();
        let work = Work {
            plan: &Plan::shared(&tasks, &group),
            n_runs: work.n_runs,
            fuel: work.fuel,
            rules: Rules::ALL,
            n_threads: work.n_threads,
        };
        open_if_it_pays(args, &work, overrides, say)
    }

    fn some_of<'p>(programs: &[&'p Program]) -> impl Iterator<Item = &'p Program> {
        let step = programs.len().div_ceil(PROGRAMS_OF_A_TRIAL).max(1);
        programs.iter().step_by(step).copied()
    }

    fn demos_of(puzzle: &Puzzle) -> Task {
        Task {
            id: puzzle.id.clone(),
            demos: puzzle.demos.clone(),
            tests: Vec::new(),
        }
    }

    fn say_why(args: &BackendArgs, stays: &Stays, say: &Say) {
        if args.is_said || stays.has_gpu {
            say(&format!("on the CPU: {}", stays.reason));
        }
    }

    /// Whether a batch may be large enough for a device, before anything is measured.
    fn check_bound(n_runs: usize, n_threads: usize, overrides: &Overrides) -> Result<(), String> {
        let costs = overrides.applied(Costs::BEFORE);
        costs.may_pay(&ahead(n_runs, n_threads))
    }

    fn ahead(n_runs: usize, n_threads: usize) -> Ahead {
        Ahead {
            n_runs: n_runs as u64,
            n_threads: n_threads as u64,
        }
    }

    /// Tries a part of the work on the CPU, and if all of it takes long enough, opens devices and
    /// tries the part on them.
    fn tried(
        args: &BackendArgs,
        work: &Work<'_>,
        overrides: &Overrides,
        say: &Say,
    ) -> Result<Devices, Stays> {
        let stays = |has_gpu| move |reason| Stays { reason, has_gpu };
        let ahead = ahead(work.n_runs, work.n_threads);
        check_bound(work.n_runs, work.n_threads, overrides).map_err(stays(false))?;
        let trial = Trial::begin(work.plan);
        let costs = Costs {
            cpu_run_us: trial.cpu.run_us(),
            ..Costs::BEFORE
        };
        let is_large = overrides.applied(costs).may_pay(&ahead);
        is_large.map_err(stays(false))?;
        let (kind, wish) = fleet::found(&wish(args, work.fuel))?;
        let (opened, opening) = timed(|| open(kind, &wish, work.fuel, say));
        let devices = opened
            .map_err(|error| error.to_string())
            .map_err(stays(true))?;
        let battery = work.plan.as_one_battery(work.rules);
        let source = OutcomeSource::on(&devices, battery, work.fuel);
        if !source.has_devices() {
            let reason = format!("{} can run none of these programs", devices.names);
            return Err(stays(true)(reason));
        }
        let (device, rest) = trial.with_devices(&source);
        let costs = Costs {
            rest_run_us: rest.run_us(),
            device_run_us: device.run_us(),
            ..costs
        };
        let pays = overrides.applied(costs).pays(&ahead, &devices.names);
        let after = |reason| format!("{reason}; opening took {:.1} s", opening.as_secs_f64());
        pays.map_err(after).map_err(stays(true))?;
        Ok(devices)
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
        }
    }

    /// The costs that the user gives, read before a device needs them.
    pub(super) fn overrides(args: &BackendArgs) -> Result<Overrides, Failure> {
        let read = Overrides::read(args.costs.as_deref().unwrap_or_default());
        read.map_err(|error| Failure::bad_input(format!("--cost: {error}")))
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
    use super::{Devices, Say, SearchWork, Work};
    use crate::args::{Backend, BackendArgs};
    use crate::failure::Failure;

    /// Costs matter only where devices are.
    pub(super) struct Overrides;

    pub(super) fn overrides(_args: &BackendArgs) -> Result<Overrides, Failure> {
        Ok(Overrides)
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
        _work: &Work<'_>,
        _overrides: &Overrides,
        say: &Say,
    ) -> Option<Devices> {
        say_why(args, say);
        None
    }

    pub(super) fn open_for_search(
        args: &BackendArgs,
        _work: &SearchWork<'_>,
        _overrides: &Overrides,
        say: &Say,
    ) -> Option<Devices> {
        say_why(args, say);
        None
    }

    fn say_why(args: &BackendArgs, say: &Say) {
        if args.is_said {
            say("on the CPU: this build of leyden knows no devices");
        }
    }
}
