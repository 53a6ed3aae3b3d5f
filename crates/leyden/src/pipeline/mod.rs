//! The one way from names to results. Each phase is a function from plain values to plain values:
//!
//! 1. [`load`]: names of data and files → [`load::LoadedTasks`]. It fetches missing data.
//! 2. [`read`]: files → programs, as a library or a battery.
//! 3. [`generate`]: tasks and programs → [`generate::Plan`], in which programs are ready to run.
//! 4. [`execute`]: a plan → a [`task_run::TaskRun`] for each group of programs and task.
//! 5. [`validate`]: runs → verdicts about programs on their own tasks; [`totals`]: runs → sums over
//!    all programs and tasks of a battery.
//!
//! `leyden run`, `batt`, `eval`, `profile` and Python call these phases. Devices are a [`source`]
//! of outcomes: they answer first, and the CPU runs the rest. An observer ([`observe`]) watches
//! [`execute`]. Progress bars and profiles are observers; they change no result.

pub(crate) mod credit;
pub(crate) mod execute;
pub(crate) mod fetch;
pub(crate) mod generate;
pub(crate) mod group;
pub(crate) mod hand;
pub(crate) mod load;
pub(crate) mod observe;
pub(crate) mod read;
pub(crate) mod sample;
pub(crate) mod scoring;
pub(crate) mod shard;
pub(crate) mod source;
pub(crate) mod task_run;
pub(crate) mod totals;
#[cfg(any(feature = "opencl", feature = "cuda"))]
pub(crate) mod trial;
pub(crate) mod validate;

use std::time::Duration;

use crate::clock::timed;
use load::LoadedTasks;

/// The times of the phases.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Phases {
    pub(crate) load: Duration,
    /// Reading the programs.
    pub(crate) compile: Duration,
    pub(crate) generate: Duration,
    /// Wall time; several threads run the tasks.
    pub(crate) execute: Duration,
    pub(crate) validate: Duration,
}

impl Phases {
    /// The times of a command that has loaded its tasks. The other phases add theirs.
    pub(crate) fn after(loaded: &LoadedTasks) -> Phases {
        Phases {
            load: loaded.time,
            ..Phases::default()
        }
    }

    pub(crate) fn compile<T>(&mut self, body: impl FnOnce() -> T) -> T {
        add_time(&mut self.compile, body)
    }

    pub(crate) fn generate<T>(&mut self, body: impl FnOnce() -> T) -> T {
        add_time(&mut self.generate, body)
    }

    pub(crate) fn execute<T>(&mut self, body: impl FnOnce() -> T) -> T {
        add_time(&mut self.execute, body)
    }

    pub(crate) fn validate<T>(&mut self, body: impl FnOnce() -> T) -> T {
        add_time(&mut self.validate, body)
    }

    /// The sums of both.
    #[must_use]
    pub(crate) fn plus(self, other: Phases) -> Phases {
        Phases {
            load: self.load.saturating_add(other.load),
            compile: self.compile.saturating_add(other.compile),
            generate: self.generate.saturating_add(other.generate),
            execute: self.execute.saturating_add(other.execute),
            validate: self.validate.saturating_add(other.validate),
        }
    }
}

fn add_time<T>(time: &mut Duration, body: impl FnOnce() -> T) -> T {
    let (result, spent) = timed(body);
    *time += spent;
    result
}
