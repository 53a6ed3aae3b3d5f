//! The one way from names to results. Each phase is a function from plain values to plain values:
//!
//! 1. [`load`]: names of data and files → [`load::LoadedTasks`]. It fetches the data if need be.
//! 2. [`read`]: files → programs, as a library or a battery.
//! 3. [`generate`]: tasks and programs → [`generate::Plan`], in which programs are ready to run.
//! 4. [`execute`]: a plan → a [`task_run::TaskRun`] for each group of programs and task.
//! 5. [`validate`]: these → verdicts about programs on their own tasks; or [`totals`], what a battery
//!    did on all tasks.
//!
//! `leyden run`, `batt`, `eval`, `profile` and Python call the same phases. [`source`] has the devices:
//! they answer before the CPU runs the rest. An observer ([`observe`]) watches [`execute`]; progress
//! bars and profiles are observers, and a run is the same with them.

pub(crate) mod credit;
pub(crate) mod execute;
pub(crate) mod generate;
pub(crate) mod group;
pub(crate) mod hand;
pub(crate) mod load;
pub(crate) mod observe;
pub(crate) mod read;
pub(crate) mod sample;
pub(crate) mod scoring;
pub(crate) mod source;
pub(crate) mod task_run;
pub(crate) mod totals;
pub(crate) mod validate;

use std::time::Duration;

/// How long the phases took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Phases {
    pub(crate) load: Duration,
    /// Reading the programs.
    pub(crate) compile: Duration,
    pub(crate) generate: Duration,
    /// By the clock on the wall; tasks are spread over threads.
    pub(crate) execute: Duration,
    pub(crate) validate: Duration,
}

impl Phases {
    /// Both together.
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
