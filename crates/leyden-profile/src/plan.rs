//! Runs that fit into a budget.

use crate::model::{Budget, Interval, Projection};
use crate::numbers::share;

/// Counts the runs that fit into a time if workers share the tasks evenly. Every run pays the
/// one-time costs in full.
pub fn budget(projection: &Projection, asked: &str, budget_ns: f64, workers: u32) -> Budget {
    let wall = |ns: f64| {
        let shared = (ns - projection.once_ns).max(0.0) / f64::from(workers.max(1));
        projection.once_ns + shared
    };
    let Interval {
        ns,
        low_ns,
        high_ns,
    } = projection.estimate;
    let run = Interval {
        ns: wall(ns),
        low_ns: wall(low_ns),
        high_ns: wall(high_ns),
    };
    let fit = |ns: f64| share(budget_ns, ns) as u64;
    Budget {
        budget: asked.to_owned(),
        workers,
        n_tasks: projection.n_tasks,
        what_if: projection.what_if.clone(),
        run,
        expected: fit(run.ns),
        at_least: fit(run.high_ns),
        at_most: fit(run.low_ns),
    }
}

/// Parses a time as a user writes it: `8h`, `1h30m`, `90s`, `250ms`; in nanoseconds.
///
/// ```
/// use leyden_profile::plan::parse_duration;
///
/// assert_eq!(parse_duration("1h30m"), Some(5_400e9));
/// assert_eq!(parse_duration("2.5 s"), Some(2.5e9));
/// assert_eq!(parse_duration("8"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut total = 0.0;
    while !rest.is_empty() {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, tail) = rest.split_at(rest.find(|c| !is_number(c))?);
        let tail = tail.trim_start();
        let (unit, tail) = tail.split_at(
            tail.find(|c: char| !c.is_alphabetic())
                .unwrap_or(tail.len()),
        );
        total += number.parse::<f64>().ok()? * unit_ns(unit)?;
        rest = tail.trim_start();
    }
    (total > 0.0).then_some(total)
}

fn unit_ns(unit: &str) -> Option<f64> {
    Some(match unit {
        "d" => 86_400e9,
        "h" => 3_600e9,
        "m" | "min" => 60e9,
        "s" => 1e9,
        "ms" => 1e6,
        "us" | "µs" => 1e3,
        "ns" => 1.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{WhatIf, project};
    use crate::sample::sample_profile;

    #[test]
    fn one_time_costs_are_not_shared_among_workers() {
        let mut projection = project(&sample_profile(), 400, &WhatIf::default()).unwrap();
        projection.once_ns = 2e9;
        projection.estimate = Interval {
            ns: 10e9,
            low_ns: 6e9,
            high_ns: 18e9,
        };
        let runs = budget(&projection, "8h", 8.0 * 3600e9, 4);
        assert_eq!(runs.run.ns, 4e9);
        assert_eq!(runs.expected, 7_200);
        assert_eq!((runs.at_least, runs.at_most), (4_800, 9_600));
    }

    #[test]
    fn durations_and_nonsense() {
        assert_eq!(parse_duration("8h"), Some(28_800e9));
        assert_eq!(parse_duration("1 h 30 min"), Some(5_400e9));
        for nonsense in ["", "h", "8x", "1.2.3s", "-4s", "0s", "8h5", "µ"] {
            assert_eq!(parse_duration(nonsense), None, "{nonsense}");
        }
    }
}
