//! What to do about it: runs that fit into a budget, and what is worth speeding up first.

use crate::model::{Interval, Layer, Profile, Projection, RowKind};
use crate::numbers::share;
use crate::stats::amdahl;

/// How many runs fit into a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    /// What one run takes by the wall clock.
    pub run: Interval,
    /// Whole runs that fit, going by the estimate.
    pub expected: u64,
    /// Whole runs that fit if each takes as long as the interval allows.
    pub at_least: u64,
    /// Whole runs that fit if each is as short as the interval allows.
    pub at_most: u64,
}

/// Runs that fit into a budget if tasks are shared out evenly among workers. One-time costs are
/// paid by every run and not shared.
pub fn runs_within(projection: &Projection, budget_ns: f64, workers: u32) -> Runs {
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
    Runs {
        run,
        expected: fit(run.ns),
        at_least: fit(run.high_ns),
        at_most: fit(run.low_ns),
    }
}

/// A time as a user writes it: `8h`, `1h30m`, `90s`, `250ms`; in nanoseconds.
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

/// What making something faster asks for: a rough guess, so that small things that help come
/// before large ones that help a little more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Not doing work again: counts 1.
    Small,
    /// One primitive: counts 2.
    Medium,
    /// A layer of the system: counts 5.
    Large,
}

impl Effort {
    /// As reports write it.
    pub const fn name(self) -> &'static str {
        match self {
            Effort::Small => "small",
            Effort::Medium => "medium",
            Effort::Large => "large",
        }
    }

    const fn weight(self) -> f64 {
        match self {
            Effort::Small => 1.0,
            Effort::Medium => 2.0,
            Effort::Large => 5.0,
        }
    }
}

/// Something that could be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What.
    pub what: String,
    /// The share of all work that would be gone.
    pub saved: f64,
    /// How many times as fast the whole would be.
    pub gain: f64,
    /// What it asks for.
    pub effort: Effort,
}

impl Step {
    fn new(what: String, saved: f64, effort: Effort) -> Self {
        Self {
            what,
            saved,
            gain: amdahl(saved, f64::INFINITY),
            effort,
        }
    }

    fn worth(&self) -> f64 {
        self.saved / self.effort.weight()
    }
}

/// Steps below this share of all work are left out.
const WORTH_NAMING: f64 = 0.005;

/// What would help, most gain for effort first: repeated work done once, each primitive twice as
/// fast, each other layer twice as fast. Efforts are guesses, gains are arithmetic.
pub fn ranking(profile: &Profile) -> Vec<Step> {
    let whole = profile.totals.whole_ns as f64;
    let repeats = profile.repeats.iter().map(|repeat| {
        let spared = share(
            repeat.times.saturating_sub(repeat.distinct) as f64,
            repeat.times as f64,
        );
        let what = format!("{}: {}", repeat.what, repeat.advice);
        Step::new(
            what,
            share(spared * repeat.self_ns as f64, whole),
            Effort::Small,
        )
    });
    let primitives = profile
        .primitives
        .iter()
        .filter(|row| row.kind == RowKind::Primitive);
    let primitives = primitives.map(|row| {
        let what = format!("{} twice as fast", row.name);
        Step::new(what, share(row.self_ns as f64 / 2.0, whole), Effort::Medium)
    });
    let layers = profile
        .layers
        .iter()
        .filter(|row| row.layer != Layer::Execute);
    let layers = layers.map(|row| {
        let what = format!("layer {} twice as fast", row.layer);
        Step::new(what, share(row.self_ns as f64 / 2.0, whole), Effort::Large)
    });
    let mut steps: Vec<Step> = repeats.chain(primitives).chain(layers).collect();
    steps.retain(|step| step.saved >= WORTH_NAMING);
    steps.sort_by(|a, b| {
        b.worth()
            .total_cmp(&a.worth())
            .then_with(|| a.what.cmp(&b.what))
    });
    steps
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
        let runs = runs_within(&projection, 8.0 * 3600e9, 4);
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

    #[test]
    fn steps_come_by_gain_for_effort() {
        let steps = ranking(&sample_profile());
        assert!(steps.is_sorted_by(|a, b| a.worth() >= b.worth()));
        let hoist = steps.iter().find(|s| s.effort == Effort::Small).unwrap();
        let execute = sample_profile().totals.execute_ns as f64;
        let expected = execute / 10.0 * 2.0 / 3.0 / sample_profile().totals.whole_ns as f64;
        assert!((hoist.saved - expected).abs() < 1e-6);
        assert!(steps.iter().all(|step| step.gain > 1.0));
    }
}
