//! From counts and samples to times that add up.
//!
//! The time of a line is known exactly. What it calls for each element is counted exactly but
//! timed only now and then: the first call stands for itself, as it often finds caches cold, and the
//! mean of the later ones that were timed for all later ones. Each frame's time is then shared out over what it called in proportion to
//! these estimates; what is left is its own. So whatever the estimates are worth, self times add
//! up to the times of the lines.

use super::frames::{FrameId, Key, Tally, Tree};
use super::recording::Figures;

/// A frame's figures during one task.
pub(super) struct Settled {
    pub(super) id: FrameId,
    pub(super) figures: Figures,
    /// Calls for each that was timed.
    pub(super) weight: f64,
}

impl Settled {
    /// How much of the frame's time is its own.
    pub(super) fn own_share(&self) -> f64 {
        match self.figures.total_ns > 0.0 {
            true => self.figures.self_ns / self.figures.total_ns,
            false => 1.0,
        }
    }
}

/// Shares out the times of a task. Frames come with parents first.
pub(super) fn settle(tree: &Tree, tallies: &[(FrameId, Tally)]) -> Vec<Settled> {
    let place = |id: FrameId| tallies.binary_search_by_key(&id, |(id, _)| *id).ok();
    let parents: Vec<Option<usize>> = tallies
        .iter()
        .map(|(id, _)| tree.frames[*id as usize].parent.and_then(place))
        .collect();
    let mut called = vec![0.0; tallies.len()];
    for ((_, tally), parent) in tallies.iter().zip(&parents) {
        if let Some(parent) = parent {
            called[*parent] += estimate(tally);
        }
    }
    let mut settled: Vec<Settled> = Vec::with_capacity(tallies.len());
    for (k, (id, tally)) in tallies.iter().enumerate() {
        let total = match parents[k] {
            Some(parent) if has_time(tree, tallies[parent].0) => {
                let whole = (tallies[parent].1.ns as f64).max(called[parent]);
                settled[parent].figures.total_ns * ratio(estimate(tally), whole)
            }
            _ => tally.ns as f64,
        };
        let called_share = match has_time(tree, *id) {
            true => ratio(called[k], tally.ns as f64).min(1.0),
            false => 1.0,
        };
        settled.push(Settled {
            id: *id,
            weight: ratio(tally.calls as f64, tally.timed as f64),
            figures: Figures {
                calls: tally.calls,
                self_ns: total * (1.0 - called_share),
                total_ns: total,
                cells: tally.cells as f64 * ratio(tally.calls as f64, tally.timed as f64),
                faults: tally.faults,
            },
        });
    }
    settled
}

fn has_time(tree: &Tree, id: FrameId) -> bool {
    !matches!(tree.frames[id as usize].key, Key::Unit(_))
}

/// The time of all calls that were made while the caller was timed.
fn estimate(tally: &Tally) -> f64 {
    let (watched, timed) = (tally.watched as f64, tally.timed as f64);
    if timed < 2.0 {
        return tally.ns as f64 * watched;
    }
    let later = (tally.ns - tally.first_ns) as f64 / (timed - 1.0);
    tally.first_ns as f64 + later * (watched - 1.0)
}

fn ratio(a: f64, b: f64) -> f64 {
    match b > 0.0 {
        true => a / b,
        false => 0.0,
    }
}
