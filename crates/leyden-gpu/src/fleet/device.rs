//! One interface for the devices of all backends, and functions that open devices.

use super::{Fleet, Tell};
use crate::batch::{Answer, Job, Need, Samples, Transfers};
use crate::compile::Compiled;
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::session::{Backend, Resident, Session, Settings};
use crate::times::Times;

/// A device that is ready to run programs. It holds one set of samples at a time.
pub(crate) trait Device: Send {
    /// Its properties.
    fn info(&self) -> &DeviceInfo;
    /// The transfers over the bus so far.
    fn transfers(&self) -> Transfers;
    /// The times so far, if the device is timed.
    fn times(&self) -> Times {
        Times::default()
    }
    /// Sends samples, which replace those before.
    fn upload(&mut self, samples: &Samples) -> Result<(), GpuError>;
    /// Runs jobs on the samples of the device.
    fn run(
        &mut self,
        programs: &[Compiled],
        jobs: &[Job],
        wants_grids: bool,
    ) -> Result<Vec<Answer>, GpuError>;
}

/// A session with the samples on its device.
struct Ready<B: Backend> {
    session: Session<B>,
    resident: Option<Resident<B>>,
}

/// Opens a device of a backend by its number.
fn device_of<B>(number: usize, fuel: u64, is_timed: bool) -> Result<Box<dyn Device>, GpuError>
where
    B: Backend<SampleBuffers: Send> + Send + 'static,
{
    let settings = Settings {
        fuel,
        is_timed,
        ..Settings::default()
    };
    Ok(Box::new(Ready {
        session: Session::<B>::open(number, settings)?,
        resident: None,
    }))
}

impl<B> Device for Ready<B>
where
    B: Backend<SampleBuffers: Send> + Send,
{
    fn info(&self) -> &DeviceInfo {
        self.session.info()
    }

    fn transfers(&self) -> Transfers {
        self.session.transfers()
    }

    fn times(&self) -> Times {
        self.session.times()
    }

    fn upload(&mut self, samples: &Samples) -> Result<(), GpuError> {
        // The old samples make room first.
        self.resident = None;
        self.resident = Some(self.session.upload(samples)?);
        Ok(())
    }

    fn run(
        &mut self,
        programs: &[Compiled],
        jobs: &[Job],
        wants_grids: bool,
    ) -> Result<Vec<Answer>, GpuError> {
        match &self.resident {
            Some(resident) => self.session.run(resident, programs, jobs, wants_grids),
            None => Ok(vec![Answer::NONE; jobs.len()]),
        }
    }
}

/// A backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// NVIDIA's driver.
    Cuda,
    /// The OpenCL loader and its drivers.
    OpenCl,
}

impl DeviceKind {
    /// All backends, the best first.
    pub const ALL: [DeviceKind; 2] = [DeviceKind::Cuda, DeviceKind::OpenCl];

    /// The name on the command line, which is also the name of the feature.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Cuda => "cuda",
            DeviceKind::OpenCl => "opencl",
        }
    }

    /// The devices of this machine, in the order of their numbers.
    pub fn devices(self) -> Result<Vec<DeviceInfo>, GpuError> {
        match self {
            #[cfg(feature = "opencl")]
            DeviceKind::OpenCl => crate::opencl::devices(),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => crate::cuda::devices(),
            #[allow(unreachable_patterns)]
            _ => Err(GpuError::NotBuilt { name: self.name() }),
        }
    }

    /// Opens a device by its number.
    fn open(self, number: usize, fuel: u64, is_timed: bool) -> Result<Box<dyn Device>, GpuError> {
        match self {
            #[cfg(feature = "opencl")]
            DeviceKind::OpenCl => device_of::<crate::opencl::OpenCl>(number, fuel, is_timed),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => device_of::<crate::cuda::Cuda>(number, fuel, is_timed),
            #[allow(unreachable_patterns)]
            _ => {
                let _ = (number, fuel, is_timed);
                Err(GpuError::NotBuilt { name: self.name() })
            }
        }
    }
}

/// A choice among the devices of a backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// All GPUs, or the first device if there is no GPU.
    #[default]
    Usual,
    /// All devices.
    All,
    /// The devices with these numbers.
    These(Vec<usize>),
}

impl Choice {
    /// The numbers of the chosen devices, each once.
    pub(super) fn among(&self, devices: &[DeviceInfo]) -> Result<Vec<usize>, GpuError> {
        let found = devices.len();
        let gpus = (0..found).filter(|k| devices[*k].is_gpu);
        let mut chosen: Vec<usize> = match self {
            Choice::Usual => gpus.collect(),
            Choice::All => (0..found).collect(),
            Choice::These(numbers) => numbers.clone(),
        };
        if chosen.is_empty() {
            chosen.push(0);
        }
        chosen.sort_unstable();
        chosen.dedup();
        match chosen.iter().find(|number| **number >= found) {
            Some(wanted) => Err(GpuError::NoSuchDevice {
                wanted: *wanted,
                found,
            }),
            None => Ok(chosen),
        }
    }
}

/// The devices that were opened, and remarks on the others.
#[derive(Debug)]
pub struct Opened {
    /// The opened devices.
    pub fleet: Fleet,
    /// Their backend.
    pub kind: DeviceKind,
    /// The reasons why others were not opened.
    pub remarks: Vec<String>,
}

/// A request for devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The choice of devices.
    pub choice: Choice,
    /// The fuel of a run on a device.
    pub fuel: u64,
    /// The memory that a device has at most, for tests.
    pub most_memory: Option<u64>,
    /// Whether copies and kernels are timed. Then they do not overlap.
    pub is_timed: bool,
}

impl Wish {
    /// The devices of the machine, and the numbers of the wanted ones.
    fn look(&self, kind: DeviceKind) -> Result<(Vec<DeviceInfo>, Vec<usize>), GpuError> {
        let mut infos = kind.devices()?;
        for info in &mut infos {
            info.memory = info.memory.min(self.most_memory.unwrap_or(u64::MAX));
        }
        let numbers = self.choice.among(&infos)?;
        Ok((infos, numbers))
    }

    /// The devices that may pay; otherwise the reason why the first does not.
    pub(super) fn fit(
        &self,
        infos: &[DeviceInfo],
        numbers: &[usize],
    ) -> Result<Vec<usize>, String> {
        let verdict = |number: &usize| {
            let info = &infos[*number];
            if self.choice == Choice::Usual && !info.is_gpu {
                return Err(format!("{} is a processor, not a GPU", info.name));
            }
            check_room(info).map_err(|error| error.to_string())?;
            Ok(*number)
        };
        let verdicts: Vec<_> = numbers.iter().map(verdict).collect();
        if verdicts.iter().any(Result::is_ok) {
            return Ok(verdicts.into_iter().flatten().collect());
        }
        let reasons = verdicts.into_iter().find_map(Result::err);
        Err(reasons.unwrap_or_default())
    }

    fn with(&self, choice: Choice) -> Wish {
        Wish {
            choice,
            ..self.clone()
        }
    }
}

/// Opens the wanted devices of a backend; an error if none is available.
pub fn open(kind: DeviceKind, wish: &Wish, tell: Tell) -> Result<Opened, GpuError> {
    let (infos, numbers) = wish.look(kind)?;
    let open = |number: &usize| {
        check_room(&infos[*number])?;
        kind.open(*number, wish.fuel, wish.is_timed)
    };
    opened(kind, numbers.iter().map(open).collect(), tell)
}

/// Keeps the devices that could be opened.
pub(super) fn opened(
    kind: DeviceKind,
    all: Vec<Result<Box<dyn Device>, GpuError>>,
    tell: Tell,
) -> Result<Opened, GpuError> {
    let mut devices = Vec::new();
    let mut errors = Vec::new();
    for device in all {
        match device {
            Ok(device) => devices.push(device),
            Err(error) => errors.push(error),
        }
    }
    if devices.is_empty() {
        return Err(errors.into_iter().next().unwrap_or(GpuError::NoDevice));
    }
    Ok(Opened {
        fleet: Fleet::new(devices, tell),
        kind,
        remarks: errors.iter().map(GpuError::to_string).collect(),
    })
}

/// The memory of a launch: records, jobs, and cells of results.
const LEAST_MEMORY: u64 = 32 << 20;

/// Checks that the smallest programs fit.
pub(super) fn check_room(info: &DeviceInfo) -> Result<(), GpuError> {
    let needed = Need::least().n_bytes() as u64;
    if info.local_memory < needed {
        return Err(GpuError::LocalMemory {
            found: info.local_memory,
            needed,
        });
    }
    if info.memory < LEAST_MEMORY {
        Err(GpuError::Memory {
            found: info.memory,
            needed: LEAST_MEMORY,
        })
    } else {
        Ok(())
    }
}

/// The reason why everything stays on the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stays {
    /// The reason as a sentence.
    pub reason: String,
    /// Whether the machine has a GPU, so that the user may wonder why it is idle.
    pub has_gpu: bool,
}

/// The first backend with wanted devices that may pay, and a request for them. A processor does not
/// take part unless the choice names it: its cores are the CPU's.
pub fn found(wish: &Wish) -> Result<(DeviceKind, Wish), Stays> {
    let mut has_gpu = false;
    let mut reasons = Vec::new();
    for kind in DeviceKind::ALL {
        match wish.look(kind) {
            Err(GpuError::NotBuilt { .. }) => {}
            Err(error) => reasons.push(error.to_string()),
            Ok((infos, numbers)) => {
                has_gpu |= infos.iter().any(|info| info.is_gpu);
                match wish.fit(&infos, &numbers) {
                    Ok(numbers) => return Ok((kind, wish.with(Choice::These(numbers)))),
                    Err(reason) => reasons.push(reason),
                }
            }
        }
    }
    let reason = reasons.join("; ");
    Err(Stays { reason, has_gpu })
}
