//! Decides whether devices pay for a batch. No device is known beforehand: a caller runs a part of
//! the batch on this processor and on the devices, and [`Costs`] follow from the times.

mod text;

pub use text::{CostError, Overrides};

use std::time::Duration;

use leyden_grid::counted;

/// The runs of a batch, and the threads of the CPU that would do them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The number of runs of a program on a sample.
    pub n_runs: u64,
    /// The number of threads.
    pub n_threads: u64,
}

/// Some runs and the time that they took together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spell {
    /// The number of runs.
    pub n_runs: u64,
    /// Their time.
    pub time: Duration,
}

impl Spell {
    /// The mean time of a run, in microseconds.
    pub fn run_us(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.n_runs.max(1) as f64
    }
}

/// The costs of a run of a batch, on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A batch that needs fewer seconds on the CPU opens no device.
    pub floor_s: f64,
    /// Microseconds of one thread for a run, if the CPU does all runs.
    pub cpu_run_us: f64,
    /// Microseconds of one thread for a run, if the CPU does only what devices leave. The mean is
    /// over all runs, so runs with an answer count as 0.
    pub rest_run_us: f64,
    /// Microseconds of the devices for a run, from grids of the host to answers.
    pub device_run_us: f64,
}

/// A trial is a few milliseconds long, so a gain of less than 5 % may be chance.
const NOISE: f64 = 1.05;

/// The expected seconds of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// On the CPU alone.
    pub cpu: f64,
    /// On devices, and what they leave on the CPU, one after the other.
    pub device: f64,
}

impl Costs {
    /// Costs before any measurement. Opening a device and compiling for it takes from a few tenths
    /// of a second to some seconds. Devices answer 1 to 14 % of the CPU's time on the batteries
    /// measured so far (docs/gpu.md), so less than five seconds of work cannot pay that back. A
    /// run of those batteries takes 4 to 15 µs; twice the most is a bound that spares small batches
    /// a trial.
    pub const BEFORE: Costs = Costs {
        floor_s: 5.0,
        cpu_run_us: 30.0,
        rest_run_us: 0.0,
        device_run_us: 0.0,
    };

    /// Predicts the time of a batch.
    pub fn predict(&self, ahead: &Ahead) -> Prediction {
        let seconds = |run_us: f64| ahead.n_runs as f64 * run_us * 1e-6;
        let n_threads = ahead.n_threads.max(1) as f64;
        Prediction {
            cpu: seconds(self.cpu_run_us) / n_threads,
            device: seconds(self.device_run_us) + seconds(self.rest_run_us) / n_threads,
        }
    }

    /// Whether a batch is large enough to open devices for it. The error is the reason why not.
    pub fn may_pay(&self, ahead: &Ahead) -> Result<(), String> {
        let Prediction { cpu, .. } = self.predict(ahead);
        if cpu >= self.floor_s {
            return Ok(());
        }
        Err(format!(
            "{} are expected to take {cpu:.1} s there; opening a device does not pay below {} s",
            counted(ahead.n_runs as usize, "run"),
            self.floor_s
        ))
    }

    /// Whether the opened devices make a batch faster. The error is the reason why not.
    pub fn pays(&self, ahead: &Ahead, names: &str) -> Result<(), String> {
        let Prediction { cpu, device } = self.predict(ahead);
        if device * NOISE < cpu {
            return Ok(());
        }
        Err(format!(
            "{} would take about {device:.1} s with {names}, {cpu:.1} s without; a trial shows that it can \
             answer {:.0} % of that time",
            counted(ahead.n_runs as usize, "run"),
            100.0 * self.share(),
        ))
    }

    /// The share of the CPU's time that goes into runs with an answer.
    pub fn share(&self) -> f64 {
        (1.0 - self.rest_run_us / self.cpu_run_us.max(1e-9)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests;
