//! The calls that the reference engine ran, the reasons, and the gain if the fast engine ran them.

use std::collections::BTreeMap;
use std::time::Duration;

use leyden_exec::record::{Key, Slow};
use leyden_profile::model::{SlowPath, SlowReason};

use super::measure::Measured;

/// The usual gain of the fast engine, used if it cannot be measured, by the longest time of a run
/// on the reference engine. These are the gains of the lines of arc-dsl's 400 solvers on their own
/// tasks, summed over lines whose runs take equally long. Short runs gain less.
const USUAL_SPEEDUPS: [(f64, f64); 5] = [
    (20e3, 11.0),
    (100e3, 14.0),
    (500e3, 19.0),
    (1e6, 27.0),
    (f64::INFINITY, 45.0),
];

/// A row names at most this many programs.
const MOST_NAMES: usize = 8;

/// The calls that the reference engine ran, by reason and primitive, longest first.
pub(super) fn slow_path(measured: &Measured) -> Vec<SlowPath> {
    let mut rows: Vec<SlowPath> = times(measured)
        .into_iter()
        .map(|(slow, time_ns)| slow_row(measured, slow, time_ns))
        .collect();
    rows.sort_by(|a, b| {
        b.time_ns
            .cmp(&a.time_ns)
            .then(a.primitive.cmp(&b.primitive))
    });
    rows
}

/// The time of all runs on the reference engine, with its work around their lines.
fn times(measured: &Measured) -> BTreeMap<Slow, f64> {
    let mut times: BTreeMap<Slow, f64> = BTreeMap::new();
    for (path, figures) in &measured.frames {
        if let Some(Key::Reference(slow)) = path.last() {
            *times.entry(*slow).or_default() += figures.total_ns;
        }
    }
    times
}

fn slow_row(measured: &Measured, slow: Slow, time_ns: f64) -> SlowPath {
    let nothing = BTreeMap::new();
    let runs = measured.recording.slow_runs.get(&slow).unwrap_or(&nothing);
    let name = |(unit, program): &(u32, u32)| {
        let unit = measured.units.get(*unit as usize)?;
        unit.programs.get(*program as usize).cloned()
    };
    let n_runs: u64 = runs.values().sum();
    let (expected_speedup, how) = expected(measured, slow.reason, (time_ns, n_runs));
    SlowPath {
        reason: slow.reason,
        primitive: slow.prim.map(|prim| prim.name().to_owned()),
        n_programs: runs.len() as u64,
        programs: runs.keys().filter_map(name).take(MOST_NAMES).collect(),
        n_runs,
        time_ns: time_ns.round() as u64,
        expected_speedup,
        how,
    }
}

fn expected(
    measured: &Measured,
    reason: SlowReason,
    (time_ns, n_runs): (f64, u64),
) -> (f64, String) {
    let measured_here = match (reason, measured.without_order) {
        (SlowReason::Asked, Some(both)) => speedup(both, time_ns),
        _ => None,
    };
    match measured_here {
        Some(speedup) => (
            speedup,
            "measured: the same runs without --exact-order".to_owned(),
        ),
        None => (
            usual_speedup(time_ns / n_runs.max(1) as f64),
            "estimated: what arc-dsl's solvers gain whose runs take as long".to_owned(),
        ),
    }
}

fn usual_speedup(ns_per_run: f64) -> f64 {
    let row = USUAL_SPEEDUPS.iter().find(|(most, _)| ns_per_run < *most);
    row.map_or(1.0, |(_, speedup)| *speedup)
}

/// The factor by which a part of a run became faster, from the times of the whole before and after.
/// `None` if the rest took longer than the part can explain.
fn speedup((before, after): (Duration, Duration), part_ns: f64) -> Option<f64> {
    let saved = before.as_secs_f64() * 1e9 - after.as_secs_f64() * 1e9;
    let left = part_ns - saved;
    (saved > 0.0 && left > 0.0).then(|| part_ns / left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speedup_belongs_to_the_part_that_became_faster() {
        let ms = Duration::from_millis;
        // 90 of 100 ms become 10 of 20.
        let found = speedup((ms(100), ms(20)), 90e6);
        assert!(found.is_some_and(|it| (it - 9.0).abs() < 1e-6), "{found:?}");
        assert_eq!(speedup((ms(100), ms(120)), 90e6), None);
        assert_eq!(speedup((ms(100), ms(1)), 90e6), None);
    }
}
