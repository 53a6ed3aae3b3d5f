//! The recorder's clocks. Below the command, time is read only here and by devices.

use std::cell::OnceCell;

use quanta::Clock;

thread_local! {
    static CLOCK: OnceCell<Clock> = const { OnceCell::new() };
}

/// A calibrated reading of the processor's own counter.
#[derive(Clone, Debug)]
pub(super) struct Ticks(Clock);

impl Ticks {
    /// The first one in a process calibrates for about a millisecond.
    pub(super) fn new() -> Ticks {
        Ticks(CLOCK.with(|clock| clock.get_or_init(Clock::new).clone()))
    }

    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.0.raw()
    }

    #[inline]
    pub(super) fn ns(&self, from: u64, to: u64) -> u64 {
        self.0.delta_as_nanos(from, to)
    }

    /// The length of a tick in nanoseconds.
    pub(super) fn ns_per_tick(&self) -> f64 {
        const N: u64 = 1 << 32;
        self.ns(0, N) as f64 / N as f64
    }

    /// The price of one reading, in ticks: the least of several means.
    pub(super) fn cost(&self) -> f64 {
        const N: u64 = 256;
        let mean = || {
            let from = self.now();
            let mut last = from;
            for _ in 0..N {
                last = std::hint::black_box(self.now());
            }
            last.saturating_sub(from) as f64 / N as f64
        };
        (0..16).map(|_| mean()).fold(f64::INFINITY, f64::min)
    }
}

/// The processor time of this thread, in nanoseconds.
#[cfg(unix)]
pub(super) fn thread_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// On systems without a clock for each thread, waits stay unknown.
#[cfg(not(unix))]
pub(super) fn thread_cpu_ns() -> u64 {
    Ticks::new().ns(0, Ticks::new().now())
}
