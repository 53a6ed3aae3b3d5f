//! Numbers for people.

use std::time::Duration;

pub(crate) use leyden_grid::{count, counted};
use serde::{Deserialize, Serialize};

use crate::pipeline::Phases;

/// The noun of a table's row, which is written in the plural, for this number.
pub(crate) fn unit(n: usize, plural: &str) -> &str {
    let singular = plural.strip_suffix('s').filter(|_| n == 1);
    singular.unwrap_or(plural)
}

/// A time with three significant digits.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds >= 0.9995 => format!("{} s", three_digits(seconds)),
        _ if seconds >= 0.9995e-3 => format!("{} ms", three_digits(seconds * 1e3)),
        _ => format!("{} µs", three_digits(seconds * 1e6)),
    }
}

/// A time in seconds, in whole nanoseconds: more digits would be noise.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

/// The time for a number of seconds in a file. Nonsense, which only other programs write, is cut.
pub(crate) fn time_of(seconds: f64) -> Duration {
    const YEAR: f64 = 366.0 * 86_400.0;
    let seconds = if seconds.is_finite() { seconds } else { 0.0 };
    Duration::from_secs_f64(seconds.clamp(0.0, YEAR))
}

/// A rate per second.
pub(crate) fn rate(n: usize, time: Duration) -> String {
    let per_second = n as f64 / time.as_secs_f64().max(1e-9);
    match per_second {
        _ if per_second >= 999.5e3 => format!("{} M/s", three_digits(per_second / 1e6)),
        _ if per_second >= 999.5 => format!("{} k/s", three_digits(per_second / 1e3)),
        _ => format!("{} /s", three_digits(per_second)),
    }
}

/// A share in percent, rounded; 100 % only of everything.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    // In this order halves are exact, and so their rounding.
    in_tenths(part as f64 * 1e3 / whole as f64)
}

/// [`percent`] of a share from 0 to 1.
pub(crate) fn percent_of(share: f64) -> String {
    in_tenths(share * 1e3)
}

fn in_tenths(tenths: f64) -> String {
    let most = if tenths < 1e3 { 999.0 } else { 1e3 };
    format!("{:.1} %", tenths.round().min(most) / 10.0)
}

fn three_digits(x: f64) -> String {
    match x {
        _ if x >= 99.95 => format!("{x:.0}"),
        _ if x >= 9.995 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// The form of [`Phases`] in files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PhaseSeconds {
    load_s: f64,
    compile_s: f64,
    generate_s: f64,
    execute_s: f64,
    validate_s: f64,
}

impl From<&Phases> for PhaseSeconds {
    fn from(phases: &Phases) -> PhaseSeconds {
        PhaseSeconds {
            load_s: seconds(phases.load),
            compile_s: seconds(phases.compile),
            generate_s: seconds(phases.generate),
            execute_s: seconds(phases.execute),
            validate_s: seconds(phases.validate),
        }
    }
}

impl From<PhaseSeconds> for Phases {
    fn from(seconds: PhaseSeconds) -> Phases {
        Phases {
            load: time_of(seconds.load_s),
            compile: time_of(seconds.compile_s),
            generate: time_of(seconds.generate_s),
            execute: time_of(seconds.execute_s),
            validate: time_of(seconds.validate_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators() {
        let all = [0, 7, 999, 1_000, 1_234_567].map(count);
        assert_eq!(all, ["0", "7", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "task"), "1 task");
        assert_eq!((unit(1, "tasks"), unit(2, "tasks")), ("task", "tasks"));
    }

    #[test]
    fn times_choose_their_unit() {
        let check = |nanoseconds, expected: &str| {
            assert_eq!(duration(Duration::from_nanos(nanoseconds)), expected);
        };
        check(0, "0.00 µs");
        check(1_234, "1.23 µs");
        check(999_900, "1.00 ms");
        check(123_456_000, "123 ms");
        check(12_345_000_000, "12.3 s");
    }

    #[test]
    fn rates_and_shares() {
        assert_eq!(rate(1_718, Duration::from_millis(100)), "17.2 k/s");
        assert_eq!(rate(0, Duration::ZERO), "0.00 /s");
        assert_eq!(percent(399, 400), "99.8 %");
        assert_eq!(percent(1, 54), "1.9 %");
        assert_eq!(percent(99_999, 100_000), "99.9 %");
        assert_eq!(percent(4, 4), "100.0 %");
        assert_eq!(percent(0, 0), "–");
    }
}
