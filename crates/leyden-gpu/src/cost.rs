//! Whether a device is worth its while.

use crate::device::DeviceInfo;

/// What is to be run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Programs on samples, all of them.
    pub n_jobs: u64,
    /// The programs that the device has.
    pub n_programs: u64,
    /// The instructions of all of them together; 0 if they are not known yet.
    pub n_instructions: u64,
}

/// Fewer runs than this are over before a device has begun.
const LEAST_JOBS: u64 = 10_000;

/// Is it worth to look for devices? The error is the reason why not.
pub fn may_pay(batch: &Batch) -> Result<(), String> {
    match batch.n_jobs < LEAST_JOBS {
        true => Err(format!(
            "{} runs are fewer than the {LEAST_JOBS} that a device is worth",
            batch.n_jobs
        )),
        false => Ok(()),
    }
}

/// Is a device expected to be faster than the CPU? The error is the reason why not.
///
/// A guess that knows two things: what is a processor itself interprets there what the CPU runs at
/// once, and a small batch is over before a device has begun.
pub fn pays(device: &DeviceInfo, batch: &Batch) -> Result<(), String> {
    if !device.is_gpu {
        return Err(format!(
            "{} is a processor, which is faster without a detour",
            device.name
        ));
    }
    may_pay(batch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(is_gpu: bool) -> DeviceInfo {
        DeviceInfo {
            name: "some device".to_owned(),
            vendor: String::new(),
            driver: String::new(),
            is_gpu,
            memory: 1 << 34,
            local_memory: 48 << 10,
        }
    }

    #[test]
    fn processors_and_small_batches_do_not_pay() {
        let batch = |n_jobs| Batch {
            n_jobs,
            ..Batch::default()
        };
        assert_eq!(pays(&device(true), &batch(1_000_000)), Ok(()));
        let reason = pays(&device(false), &batch(1_000_000)).unwrap_err();
        assert!(reason.contains("some device is a processor"), "{reason}");
        let reason = pays(&device(true), &batch(7)).unwrap_err();
        assert!(reason.starts_with("7 runs are fewer"), "{reason}");
    }
}
