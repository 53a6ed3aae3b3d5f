//! The seam for processors other than the CPU, such as GPUs.
//!
//! This crate knows no device. A caller that runs batteries asks a device first, and runs on the
//! CPU the programs that it did not answer.

use std::fmt::Debug;
use std::ops::Sub;
use std::time::Duration;

use leyden_grid::Grid;
use leyden_lang::Battery;

use crate::outcome::Outcome;

/// A device that runs whole programs. Its answers equal the CPU's; if it is not sure, it gives
/// none.
pub trait Elsewhere: Debug + Send + Sync {
    /// Prepares the programs of a battery. `None` if none of them can run there, if it does not
    /// pay, or if `fuel` is less than the device was set up for.
    fn load(&self, battery: &Battery, fuel: u64) -> Option<Box<dyn Loaded>>;

    /// The time spent on the device so far, if it is measured.
    fn spent(&self) -> Spent {
        Spent::default()
    }
}

/// Time that was spent elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Moving data there and back.
    pub transfer: Duration,
    /// Running programs.
    pub kernel: Duration,
}

/// The time spent since an earlier reading.
impl Sub for Spent {
    type Output = Spent;

    fn sub(self, before: Spent) -> Spent {
        Spent {
            transfer: self.transfer.saturating_sub(before.transfer),
            kernel: self.kernel.saturating_sub(before.kernel),
        }
    }
}

/// A sample for a device. Unlike [`Sample`](crate::Sample), it holds an expected output that
/// programs never see.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The input grid of programs.
    pub input: &'a Grid,
    /// The expected output. A device that finds it need not send the grid back.
    pub expected: Option<&'a Grid>,
}

/// Outcomes of some programs of a battery on a sample, in the order of the programs.
pub type Answered = Vec<(usize, Outcome)>;

/// A battery that a device can run.
pub trait Loaded: Debug + Send + Sync {
    /// For each sample, the outcomes that are sure, of programs for which `wanted` holds. It takes
    /// the numbers of a sample and a program.
    fn outcomes(
        &self,
        samples: &[Asked<'_>],
        wanted: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Vec<Answered>;

    /// The number of runs of a good batch; with fewer runs, moving data takes much of the time.
    fn good_batch(&self) -> usize;

    /// The number of the battery's programs that can run there.
    fn n_programs(&self) -> usize;
}
