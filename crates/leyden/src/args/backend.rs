//! `--backend` and `--device`: where programs run.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use leyden_exec::Mode;

use crate::failure::Failure;

/// Where whole programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// On GPUs if a trial shows that they are faster, else on the CPU
    Auto,
    /// On the CPU
    Cpu,
    /// On NVIDIA's GPUs
    Cuda,
    /// On OpenCL devices
    Opencl,
}

impl Backend {
    /// The backend without `--backend`: builds without devices need not look for any.
    pub const DEFAULT: Backend = if cfg!(any(feature = "opencl", feature = "cuda")) {
        Backend::Auto
    } else {
        Backend::Cpu
    };

    /// The backend of a name.
    pub fn named(name: &str) -> Option<Backend> {
        <Backend as ValueEnum>::from_str(name, false).ok()
    }
}

#[derive(Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct LowBackend {
    /// Where programs run; results stay the same [default: auto in builds with devices, else cpu]
    ///
    /// Programs that a device cannot run with certainty run on the CPU.
    #[arg(long, value_enum, value_name = "NAME")]
    backend: Option<Backend>,
    /// The number of a device, as `leyden gpu list` shows it [default: all GPUs; without a GPU,
    /// the first device]
    ///
    /// The option may be repeated, and `all` stands for all devices.
    #[arg(long, value_name = "N", requires = "backend")]
    device: Vec<DeviceNumber>,
    /// Read costs from FILE, lines of `name = number`, in place of those that `--backend auto`
    /// measures
    ///
    /// docs/gpu.md lists them.
    #[arg(long, value_name = "FILE")]
    cost: Option<PathBuf>,
}

/// A device by its number, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeviceNumber {
    One(usize),
    All,
}

impl FromStr for DeviceNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<DeviceNumber, String> {
        match text {
            "all" => Ok(DeviceNumber::All),
            number => match number.parse() {
                Ok(number) => Ok(DeviceNumber::One(number)),
                Err(_) => Err("expected a device's number or `all`".to_owned()),
            },
        }
    }
}

/// Which devices to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// All GPUs; without a GPU, the first device.
    #[default]
    Usual,
    All,
    These(Vec<usize>),
}

/// Where programs run. Builds without devices look at the name alone.
#[derive(Clone, Debug)]
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(dead_code))]
pub(crate) struct BackendArgs {
    pub(crate) backend: Backend,
    pub(crate) chosen: Chosen,
    /// The user asked for it, so a message says why it is not available.
    pub(crate) is_said: bool,
    /// Copies and kernels are timed, and do not overlap.
    pub(crate) is_timed: bool,
    /// The text of costs in place of measured ones.
    pub(crate) costs: Option<String>,
}

impl BackendArgs {
    /// The backend that the user asked for, or the default.
    pub(crate) fn of(said: Option<Backend>, chosen: Chosen) -> BackendArgs {
        BackendArgs {
            backend: said.unwrap_or(Backend::DEFAULT),
            chosen,
            is_said: said.is_some(),
            is_timed: false,
            costs: None,
        }
    }

    /// For a profile: timed, and on the CPU unless the user asked for devices.
    pub(crate) fn timed(self) -> BackendArgs {
        let backend = if self.is_said {
            self.backend
        } else {
            Backend::Cpu
        };
        BackendArgs {
            backend,
            is_timed: true,
            ..self
        }
    }

    /// The reference engine is only on the CPU.
    pub(crate) fn with_mode(self, mode: Mode) -> Result<BackendArgs, Failure> {
        match (mode, self.backend, self.is_said) {
            (Mode::Exact, Backend::Cuda | Backend::Opencl, _) => Err(Failure::bad_input(
                "--exact-order is for the reference engine, which runs on the CPU alone",
            )),
            (Mode::Exact, ..) => Ok(BackendArgs {
                backend: Backend::Cpu,
                ..self
            }),
            _ => Ok(self),
        }
    }
}

impl LowBackend {
    pub(super) fn validate(self) -> Result<BackendArgs, Failure> {
        if self.backend == Some(Backend::Cpu) && !self.device.is_empty() {
            return Err(Failure::bad_input("--backend cpu has no devices to choose"));
        }
        if self.backend.is_none() && self.cost.is_some() {
            return Err(Failure::bad_input(
                "--cost is for --backend auto; name the backend, too",
            ));
        }
        let number = |device: &DeviceNumber| match device {
            DeviceNumber::One(number) => Some(*number),
            DeviceNumber::All => None,
        };
        let numbers: Option<Vec<usize>> = self.device.iter().map(number).collect();
        let chosen = match numbers {
            None => Chosen::All,
            Some(numbers) if numbers.is_empty() => Chosen::Usual,
            Some(numbers) => Chosen::These(numbers),
        };
        let read = |path: PathBuf| leyden_store::read_text(&path).map_err(Failure::from);
        Ok(BackendArgs {
            costs: self.cost.map(read).transpose()?,
            ..BackendArgs::of(self.backend, chosen)
        })
    }
}
