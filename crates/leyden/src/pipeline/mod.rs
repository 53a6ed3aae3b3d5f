//! The one way from names to results.

pub(crate) mod load;
pub(crate) mod sample;

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
