//! A device that is ready to run programs, with any backend.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::batch::{Answer, Job, Need, Programs, Returned, Samples, Transfers, answers};
use crate::compile::Compiled;
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::times::{Times, timed};
use crate::wire::{MAX_GRID_CELLS, RECORD_WORDS};

/// The calls that differ between backends. Only this crate can implement it: the types in its
/// signatures have no names outside.
pub trait Backend: Sized {
    /// A device that can be opened.
    type Found;
    /// Samples on the device.
    type SampleBuffers;
    /// Programs on the device.
    type ProgramBuffers;
    /// A launch that may still be running.
    type Started;

    /// The devices of this machine, in the order of their numbers; at least one.
    fn find() -> Result<Vec<(DeviceInfo, Self::Found)>, GpuError>;

    /// Opens a device with the interpreter.
    fn open(found: &Self::Found) -> Result<Self, GpuError>;

    /// The part of the time of [`Backend::open`] in which the driver compiled the interpreter, if
    /// the backend can tell them apart.
    fn compile_time(&self) -> Option<Duration> {
        None
    }

    /// Copies samples to the device.
    fn upload_samples(&self, samples: &Samples) -> Result<Self::SampleBuffers, GpuError>;

    /// Copies programs to the device.
    fn upload_programs(&self, programs: &Programs) -> Result<Self::ProgramBuffers, GpuError>;

    /// Starts the kernel. Jobs name programs and samples that exist.
    fn start(&self, launch: &Launch<'_, Self>) -> Result<Self::Started, GpuError>;

    /// The time of its kernel, if the launch was timed.
    fn kernel_time(_started: &Self::Started) -> Duration {
        Duration::ZERO
    }

    /// Waits for a launch and returns its results.
    fn finish(&self, started: Self::Started) -> Result<Returned, GpuError>;
}

/// One start of the kernel.
pub struct Launch<'a, B: Backend> {
    pub(crate) samples: &'a B::SampleBuffers,
    pub(crate) programs: &'a B::ProgramBuffers,
    /// Program and sample of each job.
    pub(crate) jobs: &'a [i32],
    pub(crate) wants_grids: bool,
    pub(crate) n_registers: i32,
    pub(crate) has_table: i32,
    pub(crate) fuel: i32,
    pub(crate) local_bytes: usize,
    pub(crate) lanes: usize,
    /// Whether the launch is timed. Then nothing else may run meanwhile.
    pub(crate) is_timed: bool,
}

impl<B: Backend> Launch<'_, B> {
    pub(crate) fn n_jobs(&self) -> usize {
        self.jobs.len() / 2
    }

    /// The number of words of all records.
    pub(crate) fn n_record_words(&self) -> usize {
        self.n_jobs() * RECORD_WORDS
    }

    /// The number of bytes of all grids that come back.
    pub(crate) fn n_output_bytes(&self) -> usize {
        let bytes_of_each = if self.wants_grids { MAX_GRID_CELLS } else { 0 };
        self.n_jobs() * bytes_of_each
    }
}

/// Settings of a session.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The number of lanes of a group; by default the number that suits the device.
    pub lanes: Option<usize>,
    /// The fuel of a run. A run that might take more is unsure.
    pub fuel: u64,
    /// Bytes of local memory to use, if less than the device has.
    pub local_memory: Option<u64>,
    /// Whether copies and kernels run one after the other, each timed. Otherwise they overlap.
    pub is_timed: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            lanes: None,
            fuel: leyden_dsl::meter::DEFAULT_FUEL,
            local_memory: None,
            is_timed: false,
        }
    }
}

/// A device that is ready to run programs.
pub struct Session<B: Backend> {
    device: B,
    info: DeviceInfo,
    opening: Opening,
    lanes: usize,
    fuel: i32,
    local_memory: u64,
    transfers: Cell<Transfers>,
    is_timed: bool,
    times: Cell<Times>,
}

/// The time until a device is ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Starting the driver and asking for its devices.
    pub find: Duration,
    /// Opening the device with the interpreter.
    pub open: Duration,
    /// The part of `open` in which the driver compiled, if the backend can tell.
    pub compile: Option<Duration>,
}

/// Samples on the device.
pub struct Resident<B: Backend> {
    buffers: B::SampleBuffers,
    n_samples: usize,
}

/// The number of lanes of a group. On a processor they take turns, so more than one only costs.
const LANES_OF_A_GPU: usize = 64;
const LANES_OF_A_PROCESSOR: usize = 1;

/// The number of jobs of one launch, with and without grids that come back.
const JOBS_WITH_GRIDS: usize = 4_096;
const JOBS_WITHOUT_GRIDS: usize = 65_536;

/// The largest fuel: the device counts in 31 bits.
const MAX_FUEL: u64 = 1 << 30;

/// Checks a size: indices on the device are numbers of 31 bits.
fn check_size(what: &'static str, n_elements: usize) -> Result<(), GpuError> {
    match i32::try_from(n_elements) {
        Ok(_) => Ok(()),
        Err(_) => Err(GpuError::TooLarge { what, n_elements }),
    }
}

impl<B: Backend> Session<B> {
    /// Opens a device by its number and prepares the interpreter on it.
    pub fn open(number: usize, settings: Settings) -> Result<Session<B>, GpuError> {
        let (devices, find) = timed(B::find);
        let devices = devices?;
        let found = devices.len();
        let wanted = devices.into_iter().nth(number);
        let (info, device) = wanted.ok_or(GpuError::NoSuchDevice {
            wanted: number,
            found,
        })?;
        let usual = if info.is_gpu {
            LANES_OF_A_GPU
        } else {
            LANES_OF_A_PROCESSOR
        };
        let (device, open) = timed(|| B::open(&device));
        let device = device?;
        Ok(Session {
            opening: Opening {
                find,
                open,
                compile: device.compile_time(),
            },
            device,
            lanes: settings.lanes.unwrap_or(usual).clamp(1, 256),
            fuel: settings.fuel.min(MAX_FUEL) as i32,
            local_memory: settings
                .local_memory
                .map_or(info.local_memory, |n| n.min(info.local_memory)),
            info,
            transfers: Cell::default(),
            is_timed: settings.is_timed,
            times: Cell::default(),
        })
    }

    /// The properties of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// The time until the device was ready.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// The transfers over the bus so far.
    pub fn transfers(&self) -> Transfers {
        self.transfers.get()
    }

    /// The times so far, if the session is timed.
    pub fn times(&self) -> Times {
        self.times.get()
    }

    fn spend(&self, change: impl FnOnce(&mut Times)) {
        let mut times = self.times.get();
        change(&mut times);
        self.times.set(if self.is_timed {
            times
        } else {
            Times::default()
        });
    }

    fn count(&self, change: impl FnOnce(&mut Transfers)) {
        let mut transfers = self.transfers.get();
        change(&mut transfers);
        self.transfers.set(transfers);
    }

    /// Sends samples to the device, where they stay.
    pub fn upload(&self, samples: &Samples) -> Result<Resident<B>, GpuError> {
        check_size("the cells of all samples", samples.cells.len())?;
        check_size("the samples", samples.grids.len().max(samples.pairs.len()))?;
        let n_words = samples.grids.len() + samples.pairs.len();
        self.count(|all| all.grids += (4 * n_words + samples.cells.len()) as u64);
        let (buffers, time) = timed(|| self.device.upload_samples(samples));
        self.spend(|all| all.to_device += time);
        Ok(Resident {
            buffers: buffers?,
            n_samples: samples.len(),
        })
    }

    /// Runs jobs and returns the answers in their order. With `wants_grids` answers have their
    /// cells. A job that names no program or sample, or that does not fit the device, is unsure.
    pub fn run(
        &self,
        samples: &Resident<B>,
        programs: &[Compiled],
        jobs: &[Job],
        wants_grids: bool,
    ) -> Result<Vec<Answer>, GpuError> {
        let mut all = vec![Answer::NONE; jobs.len()];
        let words = Programs::of(programs);
        check_size("the code of all programs", words.n_words())?;
        self.count(|all| all.programs += 4 * words.n_words() as u64);
        let (buffers, time) = timed(|| self.device.upload_programs(&words));
        self.spend(|all| all.to_device += time);
        let buffers = buffers?;
        let most = if wants_grids {
            JOBS_WITH_GRIDS
        } else {
            JOBS_WITHOUT_GRIDS
        };
        // While one launch runs, the host reads the answers of the one before.
        let mut running = None;
        for (need, places) in self.by_need(samples, programs, jobs) {
            for places in places.chunks(most) {
                let jobs: Vec<Job> = places.iter().map(|place| jobs[*place]).collect();
                let started = self.start(samples, &buffers, &jobs, need, wants_grids)?;
                if let Some((places, before)) = running.replace((places.to_vec(), started)) {
                    self.collect(before, &places, &mut all)?;
                }
            }
        }
        if let Some((places, last)) = running {
            self.collect(last, &places, &mut all)?;
        }
        Ok(all)
    }

    /// Groups the indices of jobs that can run by need: small jobs should not wait for memory that
    /// only large ones use.
    fn by_need(
        &self,
        samples: &Resident<B>,
        programs: &[Compiled],
        jobs: &[Job],
    ) -> Vec<(Need, Vec<usize>)> {
        const CLASS: usize = 4096;
        let mut classes: BTreeMap<usize, (Need, Vec<usize>)> = BTreeMap::new();
        for (place, job) in jobs.iter().enumerate() {
            let Some(program) = programs.get(job.program as usize) else {
                continue;
            };
            let need = Need::of(program);
            if job.sample as usize >= samples.n_samples || need.n_bytes() as u64 > self.local_memory
            {
                continue;
            }
            let class = classes.entry(need.n_bytes() / CLASS).or_default();
            if class.0.joined(need).n_bytes() as u64 <= self.local_memory {
                class.0 = class.0.joined(need);
                class.1.push(place);
            }
        }
        classes.into_values().collect()
    }

    fn start(
        &self,
        samples: &Resident<B>,
        programs: &B::ProgramBuffers,
        jobs: &[Job],
        need: Need,
        wants_grids: bool,
    ) -> Result<B::Started, GpuError> {
        let words: Vec<i32> = jobs
            .iter()
            .flat_map(|job| [job.program as i32, job.sample as i32])
            .collect();
        let launch = Launch {
            samples: &samples.buffers,
            programs,
            jobs: &words,
            wants_grids,
            n_registers: need.n_registers as i32,
            has_table: need.has_table.into(),
            fuel: self.fuel,
            local_bytes: need.n_bytes(),
            lanes: self.lanes,
            is_timed: self.is_timed,
        };
        self.count(|all| {
            all.programs += 4 * words.len() as u64;
            all.results += 4 * launch.n_record_words() as u64;
            all.outputs += launch.n_output_bytes() as u64;
            all.launches += 1;
        });
        let (started, time) = timed(|| self.device.start(&launch));
        let started = started?;
        let kernel = B::kernel_time(&started);
        self.spend(|all| {
            all.kernel += kernel;
            all.to_device += time.saturating_sub(kernel);
        });
        Ok(started)
    }

    /// Waits for a launch and stores its answers by index.
    fn collect(
        &self,
        started: B::Started,
        places: &[usize],
        all: &mut [Answer],
    ) -> Result<(), GpuError> {
        let (returned, time) = timed(|| self.device.finish(started));
        self.spend(|all| all.from_device += time);
        for (place, answer) in places.iter().zip(answers(&returned?)) {
            all[*place] = answer;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
