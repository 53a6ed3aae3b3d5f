//! Advice: the steps worth taking, in order, and their combined gain.
//!
//! Advice is about work that recurs with every task. It leaves out one-time costs, outliers, and
//! primitives whose calls take nanoseconds, because those cannot become faster. Programs on the
//! slow path always come first.

use serde::Serialize;

use crate::model::{
    Kind, Layer, Phase, Profile, Projection, Repeat, RowKind, SlowPath, SlowReason,
};
use crate::numbers::{counted, share, sum};
use crate::stats::{PrimitiveStats, Priority, amdahl};

/// The shortest call of a primitive that is recommended. Stepping from line to line takes as long.
pub const LEAST_PER_CALL_NS: f64 = 100.0;
/// The smallest share of the recurring work that a step is named for.
pub(crate) const WORTH_NAMING: f64 = 0.005;
/// The first words of repeated work that is a program on the slow path.
const RUN_AGAIN: &str = "exact re-runs";
/// The note on estimated efforts at the foot of every table of steps.
pub const JUDGED: &str = "Effort is an estimate by kind of step: to leave work out is small (1), to \
    change a primitive is medium (2), to change a phase, a layer or a dialect is large (5). Steps are \
    sorted by savings divided by effort; programs on the slow path come first.";

/// The effort of a step. It is a rough guess that puts a small step before a large one with a
/// little more gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Leaves work out.
    Small,
    /// Changes one primitive.
    Medium,
    /// Changes a phase, a layer or a dialect.
    Large,
}

impl Effort {
    /// The word for reports.
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

/// A possible step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The thing to do.
    pub what: String,
    /// The share of the recurring work that the step saves.
    pub saved: f64,
    /// The factor by which the recurring work becomes faster.
    pub gain: f64,
    /// The effort.
    pub effort: Effort,
    /// Whether the step is about programs on the reference engine.
    pub is_slow_path: bool,
}

impl Step {
    fn new(what: String, saved: f64, effort: Effort) -> Self {
        Self {
            what,
            saved,
            gain: amdahl(saved, f64::INFINITY),
            effort,
            is_slow_path: false,
        }
    }

    fn worth(&self) -> f64 {
        self.saved / self.effort.weight()
    }
}

/// The largest gain from all primitives of some priorities: they would take no time at all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Combined {
    /// "HIGH" or "HIGH + MEDIUM".
    pub which: &'static str,
    /// The number of primitives.
    pub n_primitives: usize,
    /// The size of the run; `None` for the execute phase of this run.
    pub n_tasks: Option<u64>,
    /// The time of that run, or of the execute phase.
    pub total_ns: f64,
    /// The time that these primitives take.
    pub saved_ns: f64,
    /// The factor by which the run becomes faster at most.
    pub gain: f64,
}

/// All advice of a profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The work that recurs with every task, in nanoseconds. Shares refer to it.
    pub recurring_ns: u64,
    /// Steps; the most gain for the effort comes first.
    pub steps: Vec<Step>,
    /// All HIGH, and all HIGH and MEDIUM, for this run and at every scale.
    pub combined: Vec<Combined>,
    /// Outliers that the advice leaves out, by id.
    pub outliers: Vec<String>,
    /// The share of the execute time that outliers take.
    pub outlier_share: f64,
    /// A note on how efforts are estimated.
    pub judged: &'static str,
}

impl Profile {
    /// Finds the steps worth taking.
    pub fn advice(&self) -> Advice {
        let rest = self.without_outliers();
        let usual = rest.as_ref().unwrap_or(self);
        let outliers = self.outliers();
        let outlier_ns = sum(outliers.iter().map(|it| self.tasks[it.task].self_ns));
        Advice {
            recurring_ns: usual.recurring_ns(),
            steps: steps(self, usual),
            combined: usual.combined(&self.projections, rest.is_some()),
            outliers: outliers
                .iter()
                .map(|it| self.tasks[it.task].id.clone())
                .collect(),
            outlier_share: share(outlier_ns as f64, self.totals.execute_ns as f64),
            judged: JUDGED,
        }
    }

    /// The profile without its outliers; `None` if it has none.
    pub fn without_outliers(&self) -> Option<Profile> {
        let places: Vec<usize> = self.outliers().iter().map(|it| it.task).collect();
        (!places.is_empty()).then(|| self.without_tasks(&places))
    }

    /// The work that recurs with every task. For profiles of programs this is the execute time, for
    /// others all work. One-time costs are left out.
    pub fn recurring_ns(&self) -> u64 {
        if self.is_of_programs() {
            let execute_ns = self.totals.execute_ns;
            return execute_ns.saturating_sub(self.once_in(Phase::Execute));
        }
        let once = sum(self.one_time.iter().map(|cost| cost.self_ns));
        self.totals.whole_ns.saturating_sub(once)
    }

    /// Whether the profile is about programs, and not about the work around them.
    const fn is_of_programs(&self) -> bool {
        matches!(self.kind, Kind::Dsl | Kind::Batch | Kind::Lines)
    }

    /// Whether this is a profile of a search.
    pub fn is_search(&self) -> bool {
        self.phases.iter().any(|row| is_of_search(row.phase))
    }

    /// The primitive that takes most time among those worth a change.
    pub(crate) fn top_primitive(&self) -> Option<PrimitiveStats<'_>> {
        self.primitive_stats().into_iter().find(is_worth_a_change)
    }

    fn combined(&self, projections: &[Projection], is_without_outliers: bool) -> Vec<Combined> {
        let stats = self.primitive_stats();
        let mut rows = Vec::new();
        for (which, least) in [
            ("HIGH", Priority::High),
            ("HIGH + MEDIUM", Priority::Medium),
        ] {
            let chosen: Vec<&PrimitiveStats> =
                stats.iter().filter(|it| it.priority <= least).collect();
            if chosen.is_empty() {
                continue;
            }
            let part: f64 = chosen.iter().map(|it| it.share).sum::<f64>().min(1.0);
            let row = |n_tasks, total_ns: f64, execute_ns: f64| Combined {
                which,
                n_primitives: chosen.len(),
                n_tasks,
                total_ns,
                saved_ns: part * execute_ns,
                gain: share(total_ns, total_ns - part * execute_ns),
            };
            let execute_ns = self.totals.execute_ns as f64;
            rows.push(row(None, execute_ns, execute_ns));
            for projection in projections.iter().filter(|it| it.what_if.is_empty()) {
                let total_ns = if is_without_outliers {
                    projection.without_outliers_ns
                } else {
                    projection.estimate.ns
                };
                let execute_ns = execute_of(projection, total_ns);
                rows.push(row(Some(projection.n_tasks), total_ns, execute_ns));
            }
        }
        rows
    }
}

/// The execute phase's part of a projected time: without one-time costs and other phases.
fn execute_of(projection: &Projection, total_ns: f64) -> f64 {
    let others = projection.phases.iter();
    let others = others.filter(|row| row.phase != Phase::Execute);
    let others: f64 = others.map(|row| row.estimate.ns).sum();
    (total_ns - projection.once_ns - others).max(0.0)
}

const fn is_of_search(phase: Phase) -> bool {
    phase.is_execution() && !matches!(phase, Phase::Execute)
}

fn is_worth_a_change(stats: &PrimitiveStats<'_>) -> bool {
    stats.row.kind == RowKind::Primitive
        && stats.priority != Priority::None
        && stats.mean_ns >= LEAST_PER_CALL_NS
}

/// Lists all steps. The slow path and repeated work are known only for all tasks; the other steps
/// come from the profile without outliers.
fn steps(all: &Profile, usual: &Profile) -> Vec<Step> {
    let mut steps: Vec<Step> = repeats(all)
        .chain(primitives(usual))
        .chain(phases(usual))
        .chain(layers(usual, all))
        .collect();
    steps.extend(all.slow_path.iter().map(|slow| slow_step(all, slow)));
    steps.retain(|step| step.saved >= WORTH_NAMING);
    steps.sort_by(|a, b| {
        let by_path = b.is_slow_path.cmp(&a.is_slow_path);
        by_path
            .then_with(|| b.worth().total_cmp(&a.worth()))
            .then_with(|| a.what.cmp(&b.what))
    });
    steps
}

fn repeats(profile: &Profile) -> impl Iterator<Item = Step> {
    let base = profile.recurring_ns() as f64;
    profile.repeats_beside_slow_path().map(move |repeat| {
        let spared = repeat.times.saturating_sub(repeat.distinct) as f64;
        let spared = share(spared, repeat.times as f64);
        let what = format!("{}: {}", repeat.what, repeat.advice);
        let saved = share(spared * repeat.self_ns as f64, base);
        Step::new(what, saved, Effort::Small)
    })
}

fn primitives(profile: &Profile) -> impl Iterator<Item = Step> {
    let base = profile.recurring_ns() as f64;
    let stats = profile.primitive_stats().into_iter();
    stats.filter(is_worth_a_change).map(move |it| {
        let what = format!("{} twice as fast", it.row.name);
        let saved = share(it.row.self_ns as f64 / 2.0, base);
        Step::new(what, saved, Effort::Medium)
    })
}

/// One step for each phase of a search.
fn phases(profile: &Profile) -> impl Iterator<Item = Step> {
    let base = profile.recurring_ns() as f64;
    let rows = profile.phases.iter().filter(|row| is_of_search(row.phase));
    rows.map(move |row| {
        let what = format!("phase {} twice as fast", row.phase);
        let ns = row.self_ns.saturating_sub(profile.once_in(row.phase));
        Step::new(what, share(ns as f64 / 2.0, base), Effort::Large)
    })
}

/// One step for each layer around programs. A search has phases instead, which say more.
fn layers(profile: &Profile, all: &Profile) -> impl Iterator<Item = Step> {
    let base = profile.recurring_ns() as f64;
    let is_search = profile.is_search();
    let layers = Layer::ALL.into_iter();
    let layers = layers.filter(move |layer| *layer != Layer::Execute && !is_search);
    layers.map(move |layer| {
        let what = format!("layer {layer} twice as fast");
        let ns = profile.time_of(layer);
        let ns = ns.saturating_sub(all.not_recurring_in(layer));
        Step::new(what, share(ns as f64 / 2.0, base), Effort::Large)
    })
}

impl Profile {
    /// Repeated work, except programs that ran again: the slow path says more about these.
    pub(crate) fn repeats_beside_slow_path(&self) -> impl Iterator<Item = &Repeat> {
        let has_slow_path = !self.slow_path.is_empty();
        let repeats = self.repeats.iter();
        repeats.filter(move |it| !(has_slow_path && it.what.starts_with(RUN_AGAIN)))
    }

    pub(crate) fn once_in(&self, phase: Phase) -> u64 {
        let costs = self.one_time.iter().filter(|cost| cost.phase == phase);
        sum(costs.map(|cost| cost.self_ns))
    }

    /// A layer's time in the execute phase if the profile is about programs, otherwise all of it.
    fn time_of(&self, layer: Layer) -> u64 {
        if self.is_of_programs() {
            let rows = self.primitives.iter().filter(|row| row.layer == layer);
            return sum(rows.map(|row| row.self_ns));
        }
        let rows = self.layers.iter().filter(|row| row.layer == layer);
        sum(rows.map(|row| row.self_ns))
    }

    /// The part of a layer's time that does not count in advice about the layer: one-time costs,
    /// and programs that ran again, which have their own step.
    fn not_recurring_in(&self, layer: Layer) -> u64 {
        match layer {
            Layer::StartUp => self.once_in(Phase::StartUp),
            Layer::Load => self.once_in(Phase::Load),
            Layer::Schedule if self.is_of_programs() => self.once_in(Phase::Execute),
            Layer::Schedule => sum([Phase::Generate, Phase::Execute].map(|it| self.once_in(it))),
            Layer::FaultHandling => {
                let again = self.slow_path.iter().filter(|it| it.is_again());
                sum(again.map(|it| it.time_ns))
            }
            _ => 0,
        }
    }
}

impl SlowPath {
    /// Whether the fast engine began and gave up.
    pub const fn is_again(&self) -> bool {
        !matches!(self.reason, SlowReason::Asked | SlowReason::Dialect)
    }

    /// The time that the fast engine would save.
    pub(crate) fn spared_ns(&self) -> f64 {
        self.time_ns as f64 * (1.0 - 1.0 / self.expected_speedup.max(1.0))
    }
}

fn slow_step(profile: &Profile, slow: &SlowPath) -> Step {
    let n = slow.n_programs;
    let programs = counted(n, "program");
    let (what, effort) = match (slow.reason, &slow.primitive) {
        (SlowReason::Asked, _) => ("leave out --exact-order".to_owned(), Effort::Small),
        (SlowReason::Dialect, _) => (
            format!("run {programs} on the fast engine: it does not speak their dialect"),
            Effort::Large,
        ),
        (reason, Some(primitive)) => (
            format!(
                "keep {programs} on the fast engine: it gives up at {primitive} ({})",
                reason.name()
            ),
            Effort::Medium,
        ),
        (reason, None) => (
            format!("keep {programs} on the fast engine ({})", reason.name()),
            Effort::Medium,
        ),
    };
    let saved = share(slow.spared_ns(), profile.recurring_ns() as f64).min(1.0);
    Step {
        is_slow_path: true,
        ..Step::new(what, saved, effort)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PhaseRow;
    use crate::project::{WhatIf, project};
    use crate::sample::{planted_outlier, sample_profile, slow_profile};

    #[test]
    fn steps_come_by_gain_for_effort() {
        let steps = sample_profile().advice().steps;
        assert!(steps.is_sorted_by(|a, b| a.worth() >= b.worth()));
        let hoist = steps.iter().find(|s| s.effort == Effort::Small).unwrap();
        let execute = sample_profile().totals.execute_ns as f64;
        let expected = execute / 10.0 * 2.0 / 3.0 / sample_profile().recurring_ns() as f64;
        assert!((hoist.saved - expected).abs() < 1e-6);
        assert!(steps.iter().all(|step| step.gain > 1.0));
    }

    #[test]
    fn the_slow_path_comes_first_however_small() {
        let steps = slow_profile(0.03).advice().steps;
        assert!(steps[0].is_slow_path, "{steps:?}");
        assert!(steps[0].what.contains("order"), "{}", steps[0].what);
        assert!((0.02..0.03).contains(&steps[0].saved), "{}", steps[0].saved);
        let layer = "layer fault handling twice as fast";
        assert!(steps.iter().all(|step| step.what != layer));
    }

    #[test]
    fn one_time_costs_and_calls_of_nanoseconds_are_no_advice() {
        let mut profile = sample_profile();
        profile.kind = Kind::Framework;
        profile.one_time[0].self_ns = 250_000;
        profile.one_time.push(crate::model::OneTimeCost {
            name: "starting".to_owned(),
            phase: Phase::StartUp,
            self_ns: 400_000,
        });
        for row in &mut profile.primitives {
            if row.name == "objects" {
                row.calls = row.self_ns / 20;
            }
        }
        let steps = profile.advice().steps;
        for absent in ["layer start-up", "layer load", "objects twice"] {
            assert!(
                steps.iter().all(|s| !s.what.starts_with(absent)),
                "{absent}"
            );
        }
    }

    #[test]
    fn phases_of_a_search_are_ranked() {
        let mut profile = sample_profile();
        profile.kind = Kind::Pipeline;
        profile.primitives.clear();
        profile.repeats.clear();
        for row in &mut profile.phases {
            if row.phase == Phase::Execute {
                row.phase = Phase::Enumerate;
            }
        }
        let extra = PhaseRow {
            phase: Phase::Rank,
            self_ns: profile.totals.whole_ns / 10,
            ..profile.phases[0]
        };
        profile.phases.push(extra);
        let steps = profile.advice().steps;
        assert_eq!(steps[0].what, "phase enumerate twice as fast");
        assert_eq!(steps[1].what, "phase rank twice as fast");
    }

    #[test]
    fn all_of_a_priority_together_at_each_scale() {
        let mut profile = sample_profile();
        for n_tasks in [400, 1000] {
            let projection = project(&profile, n_tasks, &WhatIf::default()).unwrap();
            profile.projections.push(projection);
        }
        let rows = profile.advice().combined;
        assert_eq!(rows.len(), 6);
        let high: u64 = profile
            .primitive_stats()
            .iter()
            .filter(|it| it.priority == Priority::High)
            .map(|it| it.row.self_ns)
            .sum();
        assert!((rows[0].saved_ns - high as f64).abs() < 2.0);
        for row in &rows {
            assert!(row.saved_ns < row.total_ns && row.gain > 1.0, "{row:?}");
        }
        let of = |n| rows.iter().filter(move |row| row.n_tasks == Some(n));
        assert!(of(400).zip(of(1000)).all(|(a, b)| a.saved_ns < b.saved_ns));
        // One-time costs weigh less in a larger run.
        assert!(of(400).zip(of(1000)).all(|(a, b)| a.gain < b.gain));
    }

    #[test]
    fn outliers_are_left_out_and_named() {
        let (profile, place) = planted_outlier();
        let advice = profile.advice();
        assert_eq!(advice.outliers, [profile.tasks[place].id.clone()]);
        assert!(advice.outlier_share > 0.5, "{}", advice.outlier_share);
        let plain = sample_profile().advice();
        let of = |advice: &Advice| {
            let steps = advice.steps.iter().filter(|s| s.effort == Effort::Medium);
            steps.map(|s| s.what.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of(&advice), of(&plain));
        assert_eq!(advice.recurring_ns, plain.recurring_ns);
    }
}
