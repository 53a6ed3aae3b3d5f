//! Devices that OpenCL knows.

mod calls;

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::batch::{Answer, Job, Need, Programs, Samples, Transfers, answers};
use crate::compile::Compiled;
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::wire::{MAX_GRID_CELLS, RECORD_WORDS};

/// The devices of this machine, in the order of their numbers.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    Ok(calls::devices()?
        .into_iter()
        .map(|device| device.info)
        .collect())
}

/// How batches are run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many lanes a group has; by default what suits the device.
    pub lanes: Option<usize>,
    /// The most fuel of a run; what might take more is not sure.
    pub fuel: u64,
    /// Bytes of local memory to get along with, less than the device has.
    pub local_memory: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            lanes: None,
            fuel: leyden_dsl::meter::DEFAULT_FUEL,
            local_memory: None,
        }
    }
}

/// A device that is ready to run programs.
pub struct Session {
    device: calls::Opened,
    info: DeviceInfo,
    lanes: usize,
    fuel: i32,
    local_memory: u64,
    transfers: Cell<Transfers>,
}

/// Samples on the device.
pub struct Resident {
    buffers: calls::SampleBuffers,
    n_samples: usize,
}

/// Lanes of a group: on a processor they take turns, so more than one only costs.
const LANES_OF_A_GPU: usize = 64;
const LANES_OF_A_PROCESSOR: usize = 1;

/// Jobs of one launch, if grids come back and if not.
const JOBS_WITH_GRIDS: usize = 4_096;
const JOBS_WITHOUT_GRIDS: usize = 65_536;

/// The device counts in 31 bits.
const MAX_FUEL: u64 = 1 << 30;

impl Session {
    /// Opens a device by its number and compiles the interpreter for it.
    pub fn open(number: usize, settings: Settings) -> Result<Session, GpuError> {
        let devices = calls::devices()?;
        let found = devices.len();
        let wanted = devices.into_iter().nth(number);
        let device = wanted.ok_or(GpuError::NoSuchDevice {
            wanted: number,
            found,
        })?;
        let info = device.info.clone();
        let usual = if info.is_gpu {
            LANES_OF_A_GPU
        } else {
            LANES_OF_A_PROCESSOR
        };
        Ok(Session {
            device: calls::open(&device)?,
            lanes: settings.lanes.unwrap_or(usual).clamp(1, 256),
            fuel: settings.fuel.min(MAX_FUEL) as i32,
            local_memory: settings
                .local_memory
                .map_or(info.local_memory, |n| n.min(info.local_memory)),
            info,
            transfers: Cell::default(),
        })
    }

    /// What is known of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What went over the bus so far.
    pub fn transfers(&self) -> Transfers {
        self.transfers.get()
    }

    fn count(&self, change: impl FnOnce(&mut Transfers)) {
        let mut transfers = self.transfers.get();
        change(&mut transfers);
        self.transfers.set(transfers);
    }

    /// Sends samples to the device, where they stay.
    pub fn upload(&self, samples: &Samples) -> Result<Resident, GpuError> {
        let n_words = samples.grids.len() + samples.pairs.len();
        self.count(|all| all.grids += (4 * n_words + samples.cells.len()) as u64);
        Ok(Resident {
            buffers: self.device.upload_samples(samples)?,
            n_samples: samples.len(),
        })
    }

    /// Runs jobs and gives an answer to each, in their order. With `wants_grids` answers have their
    /// cells. Jobs that name no program or sample, or that do not fit the device, are not sure.
    pub fn run(
        &self,
        samples: &Resident,
        programs: &[Compiled],
        jobs: &[Job],
        wants_grids: bool,
    ) -> Result<Vec<Answer>, GpuError> {
        let mut all = vec![Answer::NONE; jobs.len()];
        let words = Programs::of(programs);
        let n_words = words.entries.len() + words.code.len() + words.constants.len();
        self.count(|all| all.programs += 4 * n_words as u64);
        let buffers = self.device.upload_programs(&words)?;
        let most = if wants_grids {
            JOBS_WITH_GRIDS
        } else {
            JOBS_WITHOUT_GRIDS
        };
        for (need, places) in self.by_need(samples, programs, jobs) {
            for places in places.chunks(most) {
                let jobs: Vec<Job> = places.iter().map(|place| jobs[*place]).collect();
                let answers = self.launch(samples, &buffers, &jobs, need, wants_grids)?;
                for (place, answer) in places.iter().zip(answers) {
                    all[*place] = answer;
                }
            }
        }
        Ok(all)
    }

    /// The positions of jobs that can run, by what they need: those with little should not wait for
    /// memory that only others use.
    fn by_need(
        &self,
        samples: &Resident,
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

    fn launch(
        &self,
        samples: &Resident,
        programs: &calls::ProgramBuffers,
        jobs: &[Job],
        need: Need,
        wants_grids: bool,
    ) -> Result<Vec<Answer>, GpuError> {
        let words: Vec<i32> = jobs
            .iter()
            .flat_map(|job| [job.program as i32, job.sample as i32])
            .collect();
        let mut records = vec![0; jobs.len() * RECORD_WORDS];
        let mut outputs = vec![
            0;
            if wants_grids {
                jobs.len() * MAX_GRID_CELLS
            } else {
                0
            }
        ];
        self.device.launch(calls::Launch {
            samples: &samples.buffers,
            programs,
            jobs: &words,
            records: &mut records,
            outputs: &mut outputs,
            n_registers: need.n_registers as i32,
            has_table: need.has_table.into(),
            fuel: self.fuel,
            local_bytes: need.n_bytes(),
            lanes: self.lanes,
        })?;
        self.count(|all| {
            all.programs += 4 * words.len() as u64;
            all.results += 4 * records.len() as u64;
            all.outputs += outputs.len() as u64;
            all.launches += 1;
        });
        Ok(answers(&records, wants_grids.then_some(&outputs[..])))
    }
}
