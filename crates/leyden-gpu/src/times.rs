//! The times of a session. Only this file of the crate reads a clock.

use std::ops::{Add, Div, Sub};
use std::time::{Duration, Instant};

/// Time that a session spent, by the host's clock. A session that is not timed
/// ([`Settings::is_timed`](crate::Settings::is_timed)) has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The time of copying grids, programs and jobs to the device.
    pub to_device: Duration,
    /// The time from the start of a kernel to its end.
    pub kernel: Duration,
    /// The time of copying results back.
    pub from_device: Duration,
}

impl Times {
    /// The time of copying in both directions.
    pub fn transfer(&self) -> Duration {
        self.to_device + self.from_device
    }

    /// The whole time.
    pub fn whole(&self) -> Duration {
        self.transfer() + self.kernel
    }
}

/// The time spent since.
impl Sub for Times {
    type Output = Times;

    fn sub(self, before: Times) -> Times {
        Times {
            to_device: self.to_device.saturating_sub(before.to_device),
            kernel: self.kernel.saturating_sub(before.kernel),
            from_device: self.from_device.saturating_sub(before.from_device),
        }
    }
}

impl Add for Times {
    type Output = Times;

    fn add(self, other: Times) -> Times {
        Times {
            to_device: self.to_device + other.to_device,
            kernel: self.kernel + other.kernel,
            from_device: self.from_device + other.from_device,
        }
    }
}

/// The mean of `n` times.
impl Div<u32> for Times {
    type Output = Times;

    fn div(self, n: u32) -> Times {
        Times {
            to_device: self.to_device / n,
            kernel: self.kernel / n,
            from_device: self.from_device / n,
        }
    }
}

/// Runs a function; returns its result and its time.
pub(crate) fn timed<R>(body: impl FnOnce() -> R) -> (R, Duration) {
    let started = Instant::now();
    let result = body();
    (result, started.elapsed())
}
