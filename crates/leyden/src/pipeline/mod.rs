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

use serde::{Deserialize, Serialize};

use crate::report::numbers::{seconds, time_of};

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

/// The form of [`Phases`] in files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PhaseSeconds {
    load_s: f64,
    compile_s: f64,
    generate_s: f64,
    execute_s: f64,
    validate_s: f64,
}

impl From<&Phases> for PhaseSeconds {
    fn from(phases: &Phases) -> PhaseSeconds {
        PhaseSeconds {
            load_s: seconds(phases.load),
            compile_s: seconds(phases.compile),
            generate_s: seconds(phases.generate),
            execute_s: seconds(phases.execute),
            validate_s: seconds(phases.validate),
        }
    }
}

impl From<PhaseSeconds> for Phases {
    fn from(seconds: PhaseSeconds) -> Phases {
        Phases {
            load: time_of(seconds.load_s),
            compile: time_of(seconds.compile_s),
            generate: time_of(seconds.generate_s),
            execute: time_of(seconds.execute_s),
            validate: time_of(seconds.validate_s),
        }
    }
}
