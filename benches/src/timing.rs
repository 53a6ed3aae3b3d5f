//! Times workloads.

use std::time::Duration;

use leyden_search::Clock;
use rustix::time::{ClockId, clock_gettime};

use crate::workloads::Workload;
use crate::{measured, settle};

/// The time for the rounds of a workload. There are at least [`FEWEST`] and at most [`MOST`]
/// rounds.
const PATIENCE: Duration = Duration::from_millis(500);
const FEWEST: usize = 3;
const MOST: usize = 2_000;

/// The processor time of this thread, which excludes other processes.
pub(crate) struct ProcessorTime;

impl Clock for ProcessorTime {
    fn now(&self) -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(
            u64::try_from(time.tv_sec).unwrap_or_default(),
            u32::try_from(time.tv_nsec).unwrap_or_default(),
        )
    }
}

/// The median over some rounds.
pub(crate) fn nanoseconds(workload: &Workload<'_>) -> u128 {
    let (clock, mut times) = (ProcessorTime, Vec::new());
    let start = clock.now();
    while times.len() < MOST && (times.len() < FEWEST || clock.now() - start < PATIENCE) {
        let round = (workload.prepare)();
        settle();
        let began = clock.now();
        let result = measured(round);
        times.push((clock.now() - began).as_nanos());
        drop(result);
    }
    times.sort_unstable();
    times[times.len() / 2]
}
