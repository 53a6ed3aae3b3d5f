//! Whether a device is worth its while.
/// What is to be run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Programs on samples, all of them.
    pub n_jobs: u64,
    /// The programs that the device has.
    pub n_programs: u64,
    /// The instructions of all of them together; 0 if they are not known yet.
    pub n_instructions: u64,
    /// The samples; 0 if they are not known yet.
    pub n_samples: u64,
    /// The cells of all inputs; 0 if they are not known yet.
    pub n_cells: u64,
}

impl Batch {
    pub(crate) fn plus(&self, other: &Batch) -> Batch {
        self.with(other, |a, b| a + b)
    }

    /// The mean of so many batches, rounded.
    pub(crate) fn divided(&self, n: u64) -> Batch {
        self.with(self, |sum, _| (sum + n / 2) / n)
    }

    fn with(&self, other: &Batch, f: impl Fn(u64, u64) -> u64) -> Batch {
        Batch {
            n_jobs: f(self.n_jobs, other.n_jobs),
            n_programs: f(self.n_programs, other.n_programs),
            n_instructions: f(self.n_instructions, other.n_instructions),
            n_samples: f(self.n_samples, other.n_samples),
            n_cells: f(self.n_cells, other.n_cells),
        }
    }
}
