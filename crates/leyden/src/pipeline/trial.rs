//! A trial: a few tasks of a plan, timed on this processor and with devices. Its results are
//! dropped.

use std::time::Duration;

use leyden_exec::{Answered, Engine, with_large_stack};
use leyden_gpu::cost::Spell;

use super::execute::{Execution, run_here};
use super::generate::{Plan, TaskPlan};
use super::sample::samples;
use super::source::OutcomeSource;
use crate::clock::{cpu_timed, timed};

/// Each side of a trial ends with the first measurement that takes this long.
const ENOUGH: Duration = Duration::from_millis(30);
/// The most fuel of a run in a trial. Devices answer no run that exhausts its fuel, so the rest of
/// such a run says nothing about them.
const FUEL: u64 = 200_000;

/// A trial that has run on this processor.
pub(crate) struct Trial<'t> {
    plan: &'t Plan<'t>,
    engine: Engine,
    /// All tasks, in an order in which each beginning is spread over the plan.
    order: Vec<usize>,
    /// The number of tasks that ran here.
    n_here: usize,
    /// The runs that those stand for, and the time of one thread.
    pub(crate) cpu: Spell,
}

impl<'t> Trial<'t> {
    /// Runs tasks on this processor, twice as many each time, until they take long enough.
    pub(crate) fn begin(plan: &'t Plan<'t>) -> Trial<'t> {
        let mut trial = Trial {
            plan,
            engine: Engine {
                fuel: FUEL,
                ..Engine::default()
            },
            order: spread(plan.tasks.len()),
            n_here: 0,
            cpu: Spell::default(),
        };
        (trial.n_here, trial.cpu) = trial.doubled(1, |places| {
            let none = vec![Vec::new(); places.len()];
            trial.here(places, none)
        });
        trial
    }

    /// The devices' time for tasks, and this processor's time for what they leave.
    pub(crate) fn with_devices(&self, source: &OutcomeSource) -> (Spell, Spell) {
        let ask = |places: &[usize]| timed(|| source.answers(self.plan, places));
        // A driver may compile when it runs the kernel for the first time.
        ask(&self.order[..self.n_here.min(1)]);
        let places = &self.order[..self.n_here];
        let n_runs = self.n_runs(places);
        let (answers, time) = ask(places);
        let device = if time >= ENOUGH {
            Spell { n_runs, time }
        } else {
            self.doubled(2 * self.n_here, |places| ask(places).1).1
        };
        let time = self.here(places, answers);
        (device, Spell { n_runs, time })
    }

    /// Times tasks, twice as many each time, until they take long enough.
    fn doubled(&self, n_first: usize, time: impl Fn(&[usize]) -> Duration) -> (usize, Spell) {
        let n_all = self.order.len();
        let mut n_tasks = n_first.min(n_all);
        loop {
            let places = &self.order[..n_tasks];
            let time = time(places);
            if time >= ENOUGH || n_tasks == n_all {
                let n_runs = self.n_runs(places);
                return (n_tasks, Spell { n_runs, time });
            }
            n_tasks = (2 * n_tasks).clamp(1, n_all);
        }
    }

    fn here(&self, places: &[usize], answers: Vec<Vec<Answered>>) -> Duration {
        let execution = Execution {
            plan: self.plan,
            engine: &self.engine,
            n_threads: 1,
            source: &OutcomeSource::Cpu,
            scorer: None,
        };
        with_large_stack(|| cpu_timed(|| run_here(&execution, places, answers)).1)
    }

    /// The runs that these tasks stand for: a task with twice the cells takes about twice the time,
    /// so it stands for twice the runs.
    fn n_runs(&self, places: &[usize]) -> u64 {
        let part: f64 = places.iter().map(|k| weight(&self.plan.tasks[*k])).sum();
        let whole: f64 = self.plan.tasks.iter().map(weight).sum();
        (self.plan.n_runs() as f64 * part / whole.max(1.0)).round() as u64
    }
}

/// The cells that all programs of a task go through.
fn weight(task: &TaskPlan<'_>) -> f64 {
    let n_cells = samples(task.task).map(|sample| sample.input.cells().len());
    (n_cells.sum::<usize>() * task.n_programs) as f64
}

/// The numbers below `n`, in an order in which each beginning is spread over all of them.
fn spread(n: usize) -> Vec<usize> {
    const GOLDEN: u32 = 2_654_435_769;
    let mut all: Vec<usize> = (0..n).collect();
    all.sort_by_key(|k| (*k as u32).wrapping_mul(GOLDEN));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_beginning_is_spread_over_the_plan() {
        let order = spread(1_000);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1_000).collect::<Vec<_>>());
        for n in [8, 64, 512] {
            let below = order[..n].iter().filter(|k| **k < 500).count();
            assert!(below.abs_diff(n / 2) <= n / 4, "{below} of {n}");
        }
        assert!(spread(0).is_empty());
    }
}
