//! Decides which calls by the reference engine are timed.
//!
//! Most of its calls take far longer than reading a clock, so the recorder times all of them. Of
//! calls that take little longer, it times as many as cost a twentieth of their time. A timed call
//! stands for itself and for the untimed calls before it. So every call counts once in any rhythm,
//! and slow first calls weigh no more than others.

/// The first calls of a frame that are all timed: their mean decides about the later ones.
const FIRST: u32 = 32;

/// Timing takes at most a twentieth of the time of the calls, as long as enough of them are timed.
const PARTS: u64 = 20;

/// On average at least one call in 32 is timed, however short it is. Twice that fits the byte in which
/// a timed call stands for others.
const MOST_SKIPPED: u64 = 31;

/// The calls of one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rhythm {
    /// Calls since the last timed one.
    n_skipped: u32,
    /// The number of calls to skip.
    n_to_skip: u32,
    n_timed: u32,
    /// The time of all timed calls.
    ticks: u64,
}

impl Rhythm {
    /// Counts a call and returns whether to time it.
    pub(super) fn is_next_timed(&mut self) -> bool {
        let is_timed = self.n_skipped >= self.n_to_skip;
        self.n_skipped += u32::from(!is_timed);
        is_timed
    }

    /// Notes the time of a timed call and the price of timing it. Returns the number of calls that
    /// it stands for.
    pub(super) fn timed(&mut self, ticks: u64, cost: u64) -> u8 {
        let n_calls = 1 + std::mem::take(&mut self.n_skipped);
        self.n_timed = self.n_timed.saturating_add(1);
        self.ticks = self.ticks.saturating_add(ticks);
        if self.n_timed >= FIRST {
            let mean = (self.ticks / u64::from(self.n_timed)).max(1);
            self.n_to_skip = self.drawn((PARTS * cost / mean).min(MOST_SKIPPED));
        }
        n_calls as u8
    }

    /// A number from 0 to twice the mean. A fixed number would time calls that alternate always or
    /// never.
    fn drawn(&self, mean: u64) -> u32 {
        let scattered = u64::from(self.n_timed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        (scattered % (2 * mean + 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For `n` calls of equal length: the number of timed calls, and the number of calls that they
    /// stand for.
    fn timed(n: u32, ticks: u64) -> (u32, u32) {
        let mut rhythm = Rhythm::default();
        let (mut n_timed, mut n_counted) = (0, 0);
        for _ in 0..n {
            if rhythm.is_next_timed() {
                n_timed += 1;
                n_counted += u32::from(rhythm.timed(ticks, 50));
            }
        }
        (n_timed, n_counted)
    }

    #[test]
    fn long_calls_are_all_timed() {
        assert_eq!(timed(1_000, 5_000), (1_000, 1_000));
    }

    #[test]
    fn of_short_calls_some_stand_for_all() {
        let (n_timed, n_counted) = timed(10_000, 100);
        assert!((800..1_200).contains(&n_timed), "{n_timed}");
        assert!(
            n_counted <= 10_000 && n_counted + 64 > 10_000,
            "{n_counted}"
        );
        let (n_timed, _) = timed(10_000, 1);
        assert!((300..400).contains(&n_timed), "{n_timed}");
    }

    #[test]
    fn calls_in_a_round_are_timed_alike() {
        // Every eighth call is slow, so an eighth of the timed ones should be.
        let mut rhythm = Rhythm::default();
        let mut estimate = 0;
        for k in 0..80_000_u64 {
            let ticks = if k % 8 == 0 { 700 } else { 50 };
            if rhythm.is_next_timed() {
                estimate += ticks * u64::from(rhythm.timed(ticks, 50));
            }
        }
        let whole = 10_000 * (700 + 7 * 50);
        let error = estimate as f64 / whole as f64 - 1.0;
        assert!(error.abs() < 0.05, "{error}");
    }
}
