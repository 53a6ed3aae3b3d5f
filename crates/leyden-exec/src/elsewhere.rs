//! Programs that run elsewhere than on this processor, such as on a GPU.
//!
//! Nobody here knows who does it: whoever runs batteries asks first, and runs on the CPU what was
//! not answered.

use std::fmt::Debug;
use std::ops::Sub;
use std::time::Duration;

use leyden_grid::Grid;
use leyden_lang::Battery;

use crate::outcome::Outcome;

/// Somebody who runs whole programs. An answer is the CPU's, or there is none.
pub trait Elsewhere: Debug + Send + Sync {
    /// Makes the programs of a battery ready; nothing if none of them can run there, if it does
    /// not pay, or if they may burn less than was agreed on.
    fn load(&self, battery: &Battery, fuel: u64) -> Option<Box<dyn Loaded>>;

    /// What was spent there so far, if it is timed.
    fn spent(&self) -> Spent {
        Spent::default()
    }
}

/// Time that was spent elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// On the way there and back.
    pub transfer: Duration,
    /// Running programs.
    pub kernel: Duration,
}

/// What was spent since.
impl Sub for Spent {
    type Output = Spent;

    fn sub(self, before: Spent) -> Spent {
        Spent {
            transfer: self.transfer.saturating_sub(before.transfer),
            kernel: self.kernel.saturating_sub(before.kernel),
        }
    }
}

/// A sample to be asked about.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What programs get.
    pub input: &'a Grid,
    /// What they should give. They never see it; it saves sending back what is known here.
    pub expected: Option<&'a Grid>,
}

/// What some programs of a battery give on a sample, in the order of the programs.
pub type Answered = Vec<(usize, Outcome)>;

/// A battery that can run elsewhere.
pub trait Loaded: Debug + Send + Sync {
    /// For each sample what is known for sure, of those programs (by sample and program) that are
    /// wanted.
    fn outcomes(
        &self,
        samples: &[Asked<'_>],
        wanted: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Vec<Answered>;

    /// How many runs are a good batch: with fewer much time is spent on the way.
    fn good_batch(&self) -> usize;

    /// How many of the battery's programs can run there.
    fn n_programs(&self) -> usize;
}
