//! Where the time of a session goes. The one place of this crate that looks at a clock.

use std::ops::{Add, Div, Sub};
use std::time::{Duration, Instant};

/// Time that a session spent, by the clock of the host. A session that is not timed
/// ([`Settings::is_timed`](crate::Settings::is_timed)) has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Copying grids, programs and jobs to the device.
    pub to_device: Duration,
    /// From the start of a kernel to its end.
    pub kernel: Duration,
    /// Copying results back.
    pub from_device: Duration,
}

impl Times {
    /// Copying, both ways.
    pub fn transfer(&self) -> Duration {
        self.to_device + self.from_device
    }

    /// All of it.
    pub fn whole(&self) -> Duration {
        self.transfer() + self.kernel
    }
}

/// What was spent since.
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

/// The mean of so many.
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

/// What a function gives, and how long it took.
pub(crate) fn timed<R>(body: impl FnOnce() -> R) -> (R, Duration) {
    let started = Instant::now();
    let result = body();
    (result, started.elapsed())
}
