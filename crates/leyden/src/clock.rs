//! Clocks. No other module of the command reads one.

use std::time::{Duration, Instant};

/// A stop watch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall(Instant);

impl Wall {
    pub(crate) fn start() -> Wall {
        Wall(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

impl leyden_search::Clock for Wall {
    fn now(&self) -> Duration {
        self.elapsed()
    }
}

/// The time of day, for people.
#[cfg(feature = "explore")]
pub(crate) fn seconds_since_1970() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |time| time.as_secs())
}

/// Runs a function and measures the time that it takes.
pub(crate) fn timed<R>(body: impl FnOnce() -> R) -> (R, Duration) {
    let wall = Wall::start();
    let result = body();
    (result, wall.elapsed())
}

/// Runs a function and measures the processor time that this thread spends in it.
pub(crate) fn cpu_timed<R>(body: impl FnOnce() -> R) -> (R, Duration) {
    let before = thread_cpu();
    let result = body();
    (result, thread_cpu().saturating_sub(before))
}

/// The processor time of this thread so far.
#[cfg(unix)]
pub(crate) fn thread_cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        now.tv_sec.unsigned_abs(),
        u32::try_from(now.tv_nsec).unwrap_or(0),
    )
}

/// The processor time of the whole process.
#[cfg(unix)]
pub(crate) fn process_cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        now.tv_sec.unsigned_abs(),
        u32::try_from(now.tv_nsec).unwrap_or(0),
    )
}

/// On systems without a clock for each process, wall time stands in.
#[cfg(not(unix))]
pub(crate) fn process_cpu() -> Duration {
    thread_cpu()
}

/// On systems without a clock for each thread, wall time stands in: a busy thread's comes close.
#[cfg(not(unix))]
pub(crate) fn thread_cpu() -> Duration {
    static ORIGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    ORIGIN.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_costs_wall_time_but_no_processor_time() {
        let pause = Duration::from_millis(30);
        let (((), cpu), wall) = timed(|| cpu_timed(|| std::thread::park_timeout(pause)));
        assert!(wall >= pause / 2, "{wall:?}");
        assert!(cpu < wall / 2, "{cpu:?} of {wall:?}");
    }
}
