//! Predicts whether a device pays, with a model of few constants, all in one table.
//!
//! A run takes `instructions × (instruction + cells × cell)`, on the CPU and on a group of the
//! device. The CPU has threads, the device has groups. A device also has to be woken and started,
//! and needs its data copied. The constants of PoCL were measured; those of GPUs are predictions:
//! see [`KNOWN`].

mod known;
mod text;

pub use known::{KNOWN, Known};
pub use text::CostError;

use leyden_grid::counted;

use crate::device::DeviceInfo;
use crate::wire::INSTRUCTION_WORDS;

/// A batch to run. A count of 0 is not known yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The number of runs of a program on a sample.
    pub n_jobs: u64,
    /// The number of programs that the device accepts.
    pub n_programs: u64,
    /// The number of their instructions.
    pub n_instructions: u64,
    /// The number of samples.
    pub n_samples: u64,
    /// The number of cells of all inputs.
    pub n_cells: u64,
    /// The number of threads that the CPU would use.
    pub n_threads: u64,
}

/// The instructions of a program and the cells of a grid, if these are unknown.
const USUAL_INSTRUCTIONS: f64 = 12.0;
const USUAL_CELLS: f64 = 100.0;

/// The number of copies for a batch: grids of samples, programs and their tables, jobs, records.
const COPIES_OF_A_BATCH: f64 = 6.0;
const COPIES_OF_A_LAUNCH: f64 = 2.0;
/// The largest number of launches for programs with different needs of memory. Similar ones share a
/// launch.
const MOST_KINDS: u64 = 5;
const JOBS_OF_A_LAUNCH: u64 = 65_536;
const BYTES_OF_A_JOB: f64 = 40.0;
const BYTES_OF_A_SAMPLE: f64 = 32.0;

/// The smallest number of runs that is worth another thread.
pub(crate) const RUNS_OF_A_THREAD: u64 = 512;

impl Batch {
    pub(crate) fn plus(&self, other: &Batch) -> Batch {
        self.with(other, |a, b| a + b)
    }

    /// The mean of `n` batches, rounded.
    pub(crate) fn divided(&self, n: u64) -> Batch {
        self.with(self, |sum, _| (sum + n / 2) / n.max(1))
    }

    fn with(&self, other: &Batch, f: impl Fn(u64, u64) -> u64) -> Batch {
        Batch {
            n_jobs: f(self.n_jobs, other.n_jobs),
            n_programs: f(self.n_programs, other.n_programs),
            n_instructions: f(self.n_instructions, other.n_instructions),
            n_samples: f(self.n_samples, other.n_samples),
            n_cells: f(self.n_cells, other.n_cells),
            n_threads: f(self.n_threads, other.n_threads),
        }
    }

    /// The average instructions of a program and cells of a grid.
    fn averages(&self) -> (f64, f64) {
        let mean = |sum: u64, n: u64, usual: f64| match (sum, n) {
            (0, _) | (_, 0) => usual,
            (sum, n) => sum as f64 / n as f64,
        };
        (
            mean(self.n_instructions, self.n_programs, USUAL_INSTRUCTIONS),
            mean(self.n_cells, self.n_samples, USUAL_CELLS),
        )
    }

    fn n_launches(&self) -> u64 {
        let n_kinds = self.n_programs.clamp(1, MOST_KINDS);
        n_kinds.max(self.n_jobs.div_ceil(JOBS_OF_A_LAUNCH))
    }

    /// Bytes over the bus in both directions, if no grids come back.
    fn n_bytes(&self) -> f64 {
        let (n_instructions, n_cells) = self.averages();
        let n_programs = self.n_programs.max(1);
        let n_samples = match self.n_samples {
            0 => self.n_jobs / n_programs,
            known => known,
        };
        let of_programs = n_programs as f64 * n_instructions * (4 * INSTRUCTION_WORDS) as f64;
        // The expected grid is sent, too.
        let of_samples = n_samples as f64 * (2.0 * n_cells + BYTES_OF_A_SAMPLE);
        self.n_jobs as f64 * BYTES_OF_A_JOB + of_programs + of_samples
    }
}

/// The constants of a device, and of the CPU that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Microseconds for a batch of any size.
    pub start_us: f64,
    /// Microseconds to start a kernel and to notice its end.
    pub launch_us: f64,
    /// Microseconds for a copy, without its bytes.
    pub copy_us: f64,
    /// Gigabytes a second over the bus.
    pub bus_gb_per_s: f64,
    /// Microseconds for an instruction on a grid of any size.
    pub instruction_us: f64,
    /// Nanoseconds more for each cell, with all lanes of the group at work.
    pub cell_ns: f64,
    /// Groups that run at the same time.
    pub n_groups: f64,
    /// Microseconds of the CPU for a run of any length.
    pub cpu_run_us: f64,
    /// Nanoseconds of the CPU for an instruction on a grid of any size.
    pub cpu_instruction_ns: f64,
    /// Additional nanoseconds of the CPU for each cell.
    pub cpu_cell_ns: f64,
}

/// The expected time of a batch, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// On the CPU.
    pub cpu: f64,
    /// On the device.
    pub device: f64,
}

impl Prediction {
    /// The factor by which the device is faster.
    pub fn gain(&self) -> f64 {
        self.cpu / self.device.max(1e-12)
    }
}

impl Costs {
    /// The constants of a device, and their origin. An unknown GPU counts as the first of the GPUs
    /// in [`KNOWN`].
    pub fn of(device: &DeviceInfo) -> &'static Known {
        let named = |known: &&Known| known.is_gpu == device.is_gpu && known.names(&device.name);
        let alike = |known: &&Known| known.is_gpu == device.is_gpu;
        let known = KNOWN.iter().find(named);
        known.or(KNOWN.iter().find(alike)).unwrap_or(&KNOWN[0])
    }

    /// The constants of a device, with those of a text in place of the known ones.
    pub fn of_or(device: &DeviceInfo, overrides: Option<&str>) -> Result<Costs, CostError> {
        let known = Costs::of(device).costs;
        overrides.map_or(Ok(known), |text| known.overridden(text))
    }

    /// Predicts the time of a batch.
    pub fn predict(&self, batch: &Batch) -> Prediction {
        Prediction {
            cpu: self.on_cpu(batch),
            device: self.overhead(batch) + self.on_groups(batch),
        }
    }

    fn on_cpu(&self, batch: &Batch) -> f64 {
        let (n_instructions, n_cells) = batch.averages();
        let instruction = (self.cpu_instruction_ns + self.cpu_cell_ns * n_cells) * 1e-9;
        let run = self.cpu_run_us * 1e-6 + n_instructions * instruction;
        let worthwhile = (batch.n_jobs / RUNS_OF_A_THREAD).max(1);
        batch.n_jobs as f64 * run / batch.n_threads.clamp(1, worthwhile) as f64
    }

    /// The time of everything except the kernels.
    fn overhead(&self, batch: &Batch) -> f64 {
        let n_launches = batch.n_launches() as f64;
        let n_copies = COPIES_OF_A_BATCH + COPIES_OF_A_LAUNCH * n_launches;
        let waiting = self.start_us + n_launches * self.launch_us + n_copies * self.copy_us;
        waiting * 1e-6 + batch.n_bytes() / (self.bus_gb_per_s * 1e9)
    }

    fn on_groups(&self, batch: &Batch) -> f64 {
        let (n_instructions, n_cells) = batch.averages();
        let instruction = self.instruction_us * 1e-6 + self.cell_ns * n_cells * 1e-9;
        // Fewer runs than groups take as long as one run.
        let n_turns = (batch.n_jobs as f64 / self.n_groups.max(1.0)).max(1.0);
        n_turns * n_instructions * instruction
    }

    /// The smallest of some batch sizes from 1 to a hundred million at which the device is faster.
    pub fn break_even(&self, like: &Batch) -> Option<u64> {
        let sizes = (0..=80).map(|k| 10f64.powf(f64::from(k) / 10.0).round() as u64);
        let (n_instructions, n_cells) = like.averages();
        let sized = |n_jobs: u64| {
            let n_programs = like.n_programs.clamp(1, n_jobs);
            let n_samples = n_jobs.div_ceil(n_programs);
            Batch {
                n_jobs,
                n_programs,
                n_instructions: (n_programs as f64 * n_instructions) as u64,
                n_samples,
                n_cells: (n_samples as f64 * n_cells) as u64,
                n_threads: like.n_threads,
            }
        };
        sizes
            .into_iter()
            .find(|n| self.predict(&sized(*n)).gain() > 1.0)
    }
}

/// Whether looking for devices is worth the time. The error is the reason why not.
pub fn may_pay(batch: &Batch) -> Result<(), String> {
    let best = KNOWN.iter().filter(|known| known.is_gpu).map(|known| {
        let costs = &known.costs;
        (costs.on_cpu(batch), costs.overhead(batch))
    });
    let begins_in_time = |(cpu, overhead): (f64, f64)| overhead < cpu;
    if best.into_iter().any(begins_in_time) {
        Ok(())
    } else {
        Err(format!(
            "{} would be over before a device has begun",
            counted(batch.n_jobs as usize, "run")
        ))
    }
}

/// Whether a device is expected to be faster than the CPU. The error is the reason why not.
pub fn pays(device: &DeviceInfo, batch: &Batch) -> Result<(), String> {
    pays_with(&Costs::of(device).costs, device, batch)
}

/// [`pays`] with other constants.
pub fn pays_with(costs: &Costs, device: &DeviceInfo, batch: &Batch) -> Result<(), String> {
    let prediction = costs.predict(batch);
    if prediction.gain() > 1.0 {
        Ok(())
    } else {
        Err(format!(
            "{} would take about {:.1} ms on {}, {:.1} ms on the CPU",
            counted(batch.n_jobs as usize, "run"),
            prediction.device * 1e3,
            device.name,
            prediction.cpu * 1e3,
        ))
    }
}

#[cfg(test)]
mod tests;
