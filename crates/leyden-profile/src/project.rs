//! Projects the time of any number of tasks from those that ran.
//!
//! Times of tasks have a heavy tail: of the 400 tasks of ARC-AGI-1, three take a third of the total
//! time. Four rules still make a projection honest.
//!
//! **Sampling by size** ([`sample_by_size`]). The cells of a task's inputs times the lines of its
//! program predict its time within a small factor. Tasks are drawn with a probability proportional
//! to this hint, so the slow ones are likely to be in the sample. The projection averages time per
//! hint, which varies far less than time.
//!
//! **Only the unknown is estimated.** The times of tasks that ran are known.
//!
//! **The tail has its own model.** The interval comes from simulation. Most of the unseen tasks get
//! the mean time per hint of the lower nine tenths of the sample (re-weighted at random, a Bayesian
//! bootstrap). The others are drawn from a Pareto tail; the top tenth of the sample decides their
//! number and the distribution of the tail's exponent. A small sample leaves the exponent open, so
//! its interval is wide.
//!
//! **There is a cap.** Unseen tasks are at most [`MOST_TIMES`] times as slow for their size, on
//! average, as those that ran, and none is slower than the time limit of the run, if it had one.
//! Every projection states this cap and stays below it.
//!
//! One-time costs stay apart and are not multiplied. The time of a phase beyond the times of its
//! tasks may be a stall of the machine or work that grows. The projection counts it once, and the
//! upper end of the interval lets it grow.

use thiserror::Error;

use crate::chance::Chance;
use crate::model::{
    Interval, Phase, PhaseProjection, PhaseRow, Profile, Projection, SamplingMethod, Unit,
};
use crate::numbers::{mean, quantile, share, sorted, sum};
pub use crate::what_if::WhatIf;

/// The smallest number of tasks for a projection.
pub const MIN_TASKS: usize = 5;
/// The relative difference between the times of a task in two runs.
const NOISE: f64 = 0.1;
/// The relative error of a one-time cost, which was measured once, with cold files.
const ONCE_NOISE: f64 = 0.25;
/// The number of simulated runs.
const N_DRAWS: usize = 1_000;
/// A fixed seed, so that equal projections give equal numbers.
const SEED: u64 = 0x4c65_7964_656e;
/// The share of the sample to which the tail is fitted, and the smallest number of tasks in the
/// tail.
const TAIL: f64 = 0.1;
const MIN_TAIL: usize = 3;
/// The prior of the tail's exponent: six exceedances with exponent 2.
const PRIOR_SHAPE: usize = 6;
const PRIOR_RATE: f64 = 3.0;
/// The cap: unseen tasks take on average at most this many times as long, for their size, as those
/// that ran. None of them takes more than this many times the slowest.
pub const MOST_TIMES: f64 = 10.0;
/// The largest number of simulated tasks. More tasks are simulated as this many larger ones.
const MAX_SIMULATED: usize = 1_500;

/// The reason why nothing can be projected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProjectError {
    /// Not enough tasks.
    #[error("{} ran; a projection needs at least {MIN_TASKS}", leyden_grid::counted(*.0, "task"))]
    TooFewTasks(usize),
    /// No time was measured.
    #[error("the tasks took no time that was measured")]
    NoTime,
}

/// Draws `n` tasks, each with a probability proportional to its hint. A task whose probability
/// reaches 1 is always drawn. Returns the indices of the tasks in ascending order, or all indices
/// if there are no more than `n`.
///
/// ```
/// use leyden_profile::project::sample_by_size;
///
/// let hints = [1.0, 1.0, 1.0, 1.0, 1.0, 500.0];
/// let drawn = sample_by_size(&hints, 3, 7);
/// assert_eq!(drawn.len(), 3);
/// assert!(drawn.contains(&5));
/// ```
pub fn sample_by_size(hints: &[f64], n: usize, seed: u64) -> Vec<usize> {
    if n >= hints.len() {
        return (0..hints.len()).collect();
    }
    let is_certain = certain(hints, n);
    let (mut drawn, mut open): (Vec<usize>, Vec<usize>) =
        (0..hints.len()).partition(|&k| is_certain[k]);
    let mut chance = Chance::seeded(seed);
    chance.shuffle(&mut open);
    drawn.extend(systematic(hints, &open, n - drawn.len(), chance.unit()));
    drawn.sort_unstable();
    drawn
}

/// Marks the tasks that are large enough to be drawn with certainty among `n`.
fn certain(hints: &[f64], n: usize) -> Vec<bool> {
    let mut is_certain = vec![false; hints.len()];
    loop {
        let open = |k: &usize| !is_certain[*k];
        let rest: f64 = (0..hints.len())
            .filter(open)
            .map(|k| usable(hints[k]))
            .sum();
        let left = n - is_certain.iter().filter(|&&c| c).count();
        let is_new = |k: &usize| open(k) && usable(hints[*k]) * left as f64 >= rest;
        let new: Vec<usize> = (0..hints.len()).filter(is_new).take(left).collect();
        if new.is_empty() {
            return is_certain;
        }
        new.into_iter().for_each(|k| is_certain[k] = true);
    }
}

/// Draws by steps of equal size through the hints laid end to end.
fn systematic(hints: &[f64], order: &[usize], n: usize, start: f64) -> Vec<usize> {
    let total: f64 = order.iter().map(|&k| usable(hints[k])).sum();
    let step = total / n.max(1) as f64;
    let mut drawn = Vec::with_capacity(n);
    let mut reached = 0.0;
    for (place, &k) in order.iter().enumerate() {
        reached += usable(hints[k]);
        let is_due = reached >= (drawn.len() as f64 + start) * step;
        // Rounding must not leave the sample one short.
        let must = order.len() - place <= n - drawn.len().min(n);
        if drawn.len() < n && (is_due || must) {
            drawn.push(k);
        }
    }
    drawn
}

/// Replaces a hint that is not a positive number by a very small one.
fn usable(hint: f64) -> f64 {
    if hint.is_finite() && hint > 1e-9 {
        hint
    } else {
        1e-9
    }
}

/// Estimates the time of `n_tasks` tasks like these.
///
/// A phase with timed tasks is projected from them. The time of any other phase, without its
/// one-time costs, grows with the number of tasks. A phase that scales with programs stays
/// constant.
pub fn project(
    profile: &Profile,
    n_tasks: u64,
    what_if: &WhatIf,
) -> Result<Projection, ProjectError> {
    let sample = Sample::of(profile)?;
    let phases: Vec<PhaseModel> = profile
        .phases
        .iter()
        .map(|row| PhaseModel::of(profile, row, what_if))
        .collect();
    let plan = sample.plan(n_tasks as usize);
    let left: Vec<f64> = profile
        .tasks
        .iter()
        .map(|task| what_if.left_of(profile, task))
        .collect();
    let timed = |phase: Phase| {
        let tasks = profile.tasks.iter().zip(&left);
        tasks.map(move |(task, left)| {
            let left = if phase == Phase::Execute { *left } else { 1.0 };
            left * task.time_in(phase) / what_if.factor(phase)
        })
    };
    let mut times = vec![0.0; profile.tasks.len()];
    for phase in Phase::ALL {
        times
            .iter_mut()
            .zip(timed(phase))
            .for_each(|(sum, t)| *sum += t);
    }
    if times.iter().all(|t| *t <= 0.0) {
        return Err(ProjectError::NoTime);
    }
    let once_ns: f64 = phases.iter().map(|phase| phase.once_ns).sum();
    let even_ns: f64 = phases.iter().map(|phase| phase.even_ns(n_tasks)).sum();
    let outliers: Vec<usize> = profile.outliers().iter().map(|o| o.task).collect();
    let growth = (n_tasks as f64 / profile.tasks.len() as f64 - 1.0).max(0.0);
    let by_phase = |phase: &PhaseModel| PhaseProjection {
        phase: phase.phase,
        estimate: sample
            .estimate(&timed(phase.phase).collect::<Vec<_>>(), &plan)
            .plus(phase.even_ns(n_tasks))
            .with_room(phase.unclear_ns * growth),
    };
    let unclear_ns: f64 = phases.iter().map(|phase| phase.unclear_ns).sum();
    let around = |of_tasks: Interval| {
        let all = of_tasks.plus(even_ns).plus_once(once_ns);
        all.with_room(unclear_ns * growth)
    };
    let cap_ns = sample.cap(&times, &plan);
    let cap_ns = cap_ns.min(limit(profile, &times, n_tasks));
    let cap_ns = around(Interval::widened(cap_ns, cap_ns, cap_ns)).high_ns;
    Ok(Projection {
        n_tasks,
        what_if: what_if.to_string(),
        estimate: around(sample.estimate(&times, &plan)).below(cap_ns),
        cap_ns,
        once_ns,
        without_outliers_ns: sample
            .without(&outliers)
            .point(&kept(&times, &outliers), &plan)
            + even_ns
            + once_ns,
        outliers: outliers
            .iter()
            .map(|&k| profile.tasks[k].id.clone())
            .collect(),
        phases: phases.iter().map(by_phase).collect(),
    })
}

/// The longest time of `n_tasks` tasks if each stays within the time limit of the run.
fn limit(profile: &Profile, times: &[f64], n_tasks: u64) -> f64 {
    let limit = profile.sampling.most_per_task_ns;
    limit.map_or(f64::INFINITY, |limit| {
        // A task reads the clock between steps, so it may exceed the limit by one step.
        let slowest = times.iter().copied().fold(limit as f64, f64::max);
        slowest * n_tasks as f64
    })
}

fn kept(times: &[f64], outliers: &[usize]) -> Vec<f64> {
    let places = 0..times.len();
    places
        .filter(|k| !outliers.contains(k))
        .map(|k| times[k])
        .collect()
}

/// The part of a phase that the times of tasks do not cover.
struct PhaseModel {
    phase: Phase,
    once_ns: f64,
    per_task_ns: f64,
    /// The part of `once_ns` that might grow.
    unclear_ns: f64,
}

impl PhaseModel {
    fn of(profile: &Profile, row: &PhaseRow, what_if: &WhatIf) -> Self {
        let timed: f64 = profile.tasks.iter().map(|t| t.time_in(row.phase)).sum();
        let costs = profile.one_time.iter().filter(|c| c.phase == row.phase);
        let named = sum(costs.map(|cost| cost.self_ns)) as f64;
        let rest = (row.self_ns as f64 - timed - named).max(0.0);
        let is_once = matches!(row.scales_with, Unit::Once | Unit::Programs);
        let (once, even, unclear) = match (is_once, timed > 0.0) {
            (true, _) => (named + rest, 0.0, 0.0),
            (false, true) => (named + rest, 0.0, rest),
            (false, false) => (named, rest, 0.0),
        };
        let factor = what_if.factor(row.phase);
        Self {
            phase: row.phase,
            once_ns: once / factor,
            per_task_ns: share(even / factor, profile.tasks.len() as f64),
            unclear_ns: unclear / factor,
        }
    }

    fn even_ns(&self, n_tasks: u64) -> f64 {
        self.per_task_ns * n_tasks as f64
    }
}

impl Interval {
    fn plus(self, ns: f64) -> Self {
        Self {
            ns: self.ns + ns,
            low_ns: self.low_ns + ns,
            high_ns: self.high_ns + ns,
        }
    }

    /// Adds costs that were measured once.
    fn plus_once(self, ns: f64) -> Self {
        Self {
            ns: self.ns + ns,
            low_ns: self.low_ns + ns * (1.0 - ONCE_NOISE),
            high_ns: self.high_ns + ns * (1.0 + ONCE_NOISE),
        }
    }

    /// Adds room at the upper end.
    fn with_room(self, ns: f64) -> Self {
        Self {
            high_ns: self.high_ns + ns,
            ..self
        }
    }

    fn below(self, cap_ns: f64) -> Self {
        Self {
            ns: self.ns.min(cap_ns),
            low_ns: self.low_ns.min(cap_ns),
            high_ns: self.high_ns.min(cap_ns),
        }
    }

    /// A time with the noise of measuring it.
    fn widened(ns: f64, low_ns: f64, high_ns: f64) -> Self {
        Self {
            ns,
            low_ns: low_ns.min(ns) * (1.0 - NOISE),
            high_ns: high_ns.max(ns) * (1.0 + NOISE),
        }
    }
}

/// The tasks that ran, and those that did not.
struct Sample {
    hints: Vec<f64>,
    hints_of_rest: Vec<f64>,
    /// Whether a task is in the sample by chance. Only such tasks represent the others.
    by_chance: Vec<bool>,
}

/// The tasks of a projection.
struct Plan {
    with_known: bool,
    hints: Vec<f64>,
}

impl Sample {
    fn of(profile: &Profile) -> Result<Self, ProjectError> {
        let n = profile.tasks.len();
        if n < MIN_TASKS {
            return Err(ProjectError::TooFewTasks(n));
        }
        let is_by_size = profile.sampling.method == SamplingMethod::BySize;
        if !is_by_size {
            let n_rest = (profile.setting.data.n_tasks as usize).saturating_sub(n);
            return Ok(Self::even(n, n_rest.min(MAX_SIMULATED)));
        }
        let hints: Vec<f64> = profile.tasks.iter().map(|t| usable(t.size_hint)).collect();
        let rest = profile.sampling.hints_of_rest.iter();
        let hints_of_rest: Vec<f64> = rest.map(|&hint| usable(hint)).collect();
        Ok(Self::sized(hints, hints_of_rest))
    }

    /// A sample in which every task was as likely as any other.
    fn even(n: usize, n_rest: usize) -> Self {
        Self {
            hints: vec![1.0; n],
            hints_of_rest: vec![1.0; n_rest],
            by_chance: vec![true; n],
        }
    }

    fn sized(hints: Vec<f64>, hints_of_rest: Vec<f64>) -> Self {
        let all: Vec<f64> = hints.iter().chain(&hints_of_rest).copied().collect();
        let mut by_chance = if hints_of_rest.is_empty() {
            vec![true; hints.len()]
        } else {
            certain(&all, hints.len()).iter().map(|c| !c).collect()
        };
        by_chance.truncate(hints.len());
        if by_chance.iter().filter(|&&chance| chance).count() < MIN_TASKS {
            by_chance.fill(true);
        }
        Self {
            hints,
            hints_of_rest,
            by_chance,
        }
    }

    /// The sample without some of its tasks.
    fn without(&self, places: &[usize]) -> Self {
        let keep = |k: &usize| !places.contains(k);
        let kept: Vec<usize> = (0..self.hints.len()).filter(keep).collect();
        Self {
            hints: kept.iter().map(|&k| self.hints[k]).collect(),
            hints_of_rest: self.hints_of_rest.clone(),
            by_chance: kept.iter().map(|&k| self.by_chance[k]).collect(),
        }
    }

    /// Plans a number of tasks. The data set is the sample and the rest. More tasks are more of the
    /// same kind; fewer are a fair choice among all.
    fn plan(&self, n_tasks: usize) -> Plan {
        let (n, n_rest) = (self.hints.len(), self.hints_of_rest.len());
        if n_tasks == n {
            return Plan {
                with_known: true,
                hints: Vec::new(),
            };
        }
        if n_tasks < n + n_rest {
            return Plan {
                with_known: false,
                hints: self.typical(n_tasks),
            };
        }
        let more = self.typical(n_tasks - n - n_rest);
        let hints = self.hints_of_rest.iter().copied().chain(more).collect();
        Plan {
            with_known: true,
            hints,
        }
    }

    /// Hints of `n` tasks like those of the data set. For very many tasks there are fewer and
    /// larger hints.
    fn typical(&self, n: usize) -> Vec<f64> {
        let all: Vec<f64> = self
            .hints
            .iter()
            .chain(&self.hints_of_rest)
            .copied()
            .collect();
        let all = sorted(&all);
        let n_used = n.min(MAX_SIMULATED);
        let scale = n as f64 / n_used.max(1) as f64;
        let middle = |k: usize| scale * quantile(&all, (k as f64 + 0.5) / n_used as f64);
        let hints: Vec<f64> = (0..n_used).map(middle).collect();
        // Quantiles cut off the largest hints, so this factor restores the mean.
        let factor = share(mean(&all) * scale, mean(&hints));
        hints.into_iter().map(|hint| hint * factor).collect()
    }

    fn rates(&self, times: &[f64]) -> Vec<f64> {
        let by_chance = self.hints.iter().zip(times).zip(&self.by_chance);
        let by_chance = by_chance.filter(|(_, chance)| **chance);
        by_chance.map(|((hint, time), _)| time / hint).collect()
    }

    fn known(times: &[f64], plan: &Plan) -> f64 {
        if plan.with_known {
            times.iter().sum()
        } else {
            0.0
        }
    }

    fn point(&self, times: &[f64], plan: &Plan) -> f64 {
        let unknown: f64 = plan.hints.iter().sum();
        Self::known(times, plan) + unknown * mean(&self.rates(times))
    }

    /// The longest time of the tasks of a plan.
    fn cap(&self, times: &[f64], plan: &Plan) -> f64 {
        let unknown: f64 = plan.hints.iter().sum();
        Self::known(times, plan) + unknown * mean(&self.rates(times)) * MOST_TIMES
    }

    fn estimate(&self, times: &[f64], plan: &Plan) -> Interval {
        let point = self.point(times, plan);
        if plan.hints.is_empty() || point <= 0.0 {
            return Interval::widened(point, point, point);
        }
        let known = Self::known(times, plan);
        let tail = Tail::of(&self.rates(times));
        let mut chance = Chance::seeded(SEED);
        let draws: Vec<f64> = (0..N_DRAWS)
            .map(|_| known + tail.draw(&plan.hints, &mut chance))
            .collect();
        let draws = sorted(&draws);
        Interval::widened(point, quantile(&draws, 0.025), quantile(&draws, 0.975))
    }
}

/// Time per hint: a body as observed, and a Pareto tail.
struct Tail {
    body: Vec<f64>,
    start: f64,
    n_tail: usize,
    /// The sum of ln(rate / start) over the tail.
    log_excess: f64,
    /// The largest rate.
    most: f64,
}

impl Tail {
    fn of(rates: &[f64]) -> Self {
        let rates = sorted(rates);
        let most = rates.len().saturating_sub(1);
        let n_tail = ((TAIL * rates.len() as f64).round() as usize)
            .max(MIN_TAIL)
            .min(most);
        let (body, tail) = rates.split_at(rates.len() - n_tail);
        let start = body.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let excess = |rate: &f64| (rate / start).max(1.0).ln();
        Self {
            body: body.to_vec(),
            start,
            n_tail,
            log_excess: tail.iter().map(excess).sum(),
            most: MOST_TIMES * rates.last().copied().unwrap_or(0.0),
        }
    }

    /// Draws one possible world, and returns the time of the tasks with these hints in it.
    fn draw(&self, hints: &[f64], chance: &mut Chance) -> f64 {
        let body = self.draw_body(chance);
        let p_tail = chance.beta(self.n_tail + 1, self.body.len().max(1));
        let exponent = chance.gamma(self.n_tail + PRIOR_SHAPE) / (self.log_excess + PRIOR_RATE);
        let mut total = 0.0;
        for hint in hints {
            let rate = if chance.unit() < p_tail {
                let excess = (chance.exponential() / exponent).exp();
                (self.start * excess).min(self.most)
            } else {
                body
            };
            total += hint * rate;
        }
        total
    }

    fn draw_body(&self, chance: &mut Chance) -> f64 {
        let (mut weighted, mut weights) = (0.0, 0.0);
        for rate in &self.body {
            let weight = chance.exponential();
            weighted += weight * rate;
            weights += weight;
        }
        share(weighted, weights)
    }
}

#[cfg(test)]
mod tests;
