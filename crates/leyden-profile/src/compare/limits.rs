//! The limits beyond which a difference is more than noise.

use crate::model::{Kind, Profile};

/// The number of parts from which a middle is taken.
pub(super) const MIN_PARTS: usize = 5;
/// The number of samples from which a middle is taken.
pub(super) const MIN_SAMPLES: usize = 3;
/// The number of calls from which a middle is taken.
pub(super) const MIN_CALLS: u64 = 8;
/// The largest share of the weight that one task has.
pub(super) const MOST_WEIGHT: f64 = 0.25;
/// The smallest moves of a row and of a task worth naming, as shares of the total.
pub(super) const WORTH_NAMING: f64 = 0.01;
pub(super) const TASK_WORTH_NAMING: f64 = 0.02;
/// The disturbance of work outside the execute phase, which runs once, with cold caches.
pub(super) const OUTSIDE_SLACK_NS: f64 = 1e9;
/// The smallest move of a row that is mostly in fewer tasks than [`FEW`], as a share of the total.
/// The total has to move too; otherwise time has only moved between a primitive and its caller.
pub(super) const WORTH_NAMING_IN_FEW: f64 = 0.03;
/// The first words of the note that a machine was busy, and the factors by which limits and
/// slacks grow then.
pub(super) const BUSY_NOTE: &str = "The machine is busy";
pub(super) const BUSY: f64 = 2.0;
pub(super) const BUSY_SLACK: f64 = 5.0;

/// The largest differences between equal runs. Ratios are logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The difference that an interruption makes in a row.
    pub(super) row_slack_ns: f64,
    /// The difference that an interruption makes in a task or in the total.
    pub(super) task_slack_ns: f64,
    /// The limits for the total: the smallest and the largest. Between them the limit is four times
    /// the scatter of tasks.
    pub(super) total: (f64, f64),
    /// The limit for a row whose middle agrees.
    pub(super) row: f64,
    /// The limit for a task whose middle agrees.
    pub(super) task: f64,
    /// The limit for everything without a middle.
    pub(super) gross: f64,
}

/// For repeated runs, of which the profile shows the least disturbed.
pub(super) const REPEATED: Limits = Limits {
    row_slack_ns: 20e3,
    task_slack_ns: 50e3,
    total: (0.06, 0.20),
    row: 0.3,
    task: 0.4,
    gross: 1.5,
};
/// For runs that were made once.
pub(super) const ONCE: Limits = Limits {
    row_slack_ns: 1e6,
    task_slack_ns: 2e6,
    total: (0.45, 0.60),
    row: 0.7,
    task: 0.8,
    gross: 2.0,
};
impl Limits {
    pub(super) fn of(a: &Profile, b: &Profile) -> Self {
        let is_once = |p: &Profile| matches!(p.kind, Kind::Framework | Kind::Pipeline);
        let limits = if is_once(a) || is_once(b) {
            ONCE
        } else {
            REPEATED
        };
        if was_busy(a) || was_busy(b) {
            limits.when_busy()
        } else {
            limits
        }
    }

    fn when_busy(self) -> Self {
        Self {
            row_slack_ns: BUSY_SLACK * self.row_slack_ns,
            task_slack_ns: BUSY_SLACK * self.task_slack_ns,
            total: (BUSY * self.total.0, BUSY * self.total.1),
            row: BUSY * self.row,
            task: BUSY * self.task,
            gross: BUSY * self.gross,
        }
    }
}

pub(super) fn was_busy(profile: &Profile) -> bool {
    profile.notes.iter().any(|note| note.starts_with(BUSY_NOTE))
}

/// Added to the limit for rows around primitives, which vary more.
pub(super) const AROUND: f64 = 0.2;
/// Added to the limit for a row that is mostly in fewer tasks than [`FEW`].
pub(super) const IN_FEW: f64 = 0.35;
pub(super) const FEW: f64 = 2.5;
/// The limit for work outside the execute phase, which varies most.
pub(super) const OUTSIDE: f64 = 1.2;
/// Added to the limit between machines, of which one may be faster as a whole.
pub(super) const OTHER_MACHINE: f64 = 0.3;
