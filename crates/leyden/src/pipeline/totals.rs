//! Validate, for all programs on all tasks: the sums over the runs of a battery.

use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_exec::Counts;

use super::read::Member;
use super::task_run::{FuelTaken, OutcomeKind, TaskRun};

/// How often each class of fault ended a run, in the order of [`Fault::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaultCounts([u64; Fault::ALL.len()]);

impl FaultCounts {
    fn add(&mut self, fault: Fault) {
        self.0[fault as usize] += 1;
    }

    pub(crate) fn get(&self, fault: Fault) -> u64 {
        self.0[fault as usize]
    }

    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The classes that occurred.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Fault, u64)> {
        let all = Fault::ALL.into_iter().map(|fault| (fault, self.get(fault)));
        all.filter(|(_, n)| *n > 0)
    }
}

/// The achievements of one program.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfProgram {
    /// The runs that gave the right grid.
    pub(crate) n_right: usize,
    /// The tasks it solves, as indices into the tasks that ran.
    pub(crate) solves: Vec<usize>,
    /// The tasks where it gets all demonstrations right, but not all tests.
    pub(crate) fits: Vec<usize>,
    pub(crate) faults: FaultCounts,
    /// The sum of its partial scores over tasks, each 0 to 100.
    pub(crate) partial: f64,
    /// The fuel of all its runs on the CPU.
    pub(crate) fuel: u64,
    /// The first of the runs that took most fuel.
    pub(crate) dearest: Option<Dearest>,
    /// Its runs on devices.
    pub(crate) n_on_device: u64,
}

/// A run that took much fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dearest {
    pub(crate) fuel: u64,
    /// The index of the task among those that ran.
    pub(crate) task: usize,
    pub(crate) sample: usize,
}

impl OfProgram {
    fn add_fuel(&mut self, task: usize, of: &FuelTaken) {
        self.fuel = self.fuel.saturating_add(of.sum);
        self.n_on_device += u64::from(of.n_on_device);
        if of.n_on_device > 0 && of.most == 0 {
            return;
        }
        if self.dearest.is_none_or(|dearest| dearest.fuel < of.most) {
            self.dearest = Some(Dearest {
                fuel: of.most,
                task,
                sample: of.most_on as usize,
            });
        }
    }

    /// The number of runs that a limit ended.
    pub(crate) fn n_ended(&self) -> u64 {
        self.faults.get(Fault::Fuel) + self.faults.get(Fault::Memory)
    }
}

/// The programs, by index, that solve or fit a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfTask {
    pub(crate) solved_by: Vec<usize>,
    pub(crate) fitted_by: Vec<usize>,
    /// Whether a program that is meant for another task solves it.
    pub(crate) is_transferred: bool,
}

/// The sums over all tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) n_samples: usize,
    pub(crate) n_unknown: usize,
    pub(crate) n_runs: usize,
    pub(crate) n_right: usize,
    pub(crate) n_grids: usize,
    pub(crate) n_values: usize,
    pub(crate) faults: FaultCounts,
    pub(crate) score_counts: Counts,
    /// For each scoring program, how often it gave no number.
    pub(crate) n_unscored: Vec<u64>,
    /// For each scoring program, the number of demonstrations on which a wrong grid gets more than
    /// the right one.
    pub(crate) n_misranked: Vec<u64>,
    pub(crate) counts: Counts,
    pub(crate) execute_cpu: Duration,
    pub(crate) score_cpu: Duration,
    pub(crate) programs: Vec<OfProgram>,
    pub(crate) tasks: Vec<OfTask>,
}

impl Totals {
    pub(crate) fn of(runs: &[TaskRun], members: &[Member]) -> Totals {
        let mut totals = Totals {
            programs: vec![OfProgram::default(); members.len()],
            ..Totals::default()
        };
        for (place, run) in runs.iter().enumerate() {
            totals.add_work(run);
            totals.add_outcomes(run);
            totals.add_verdicts(place, run, members);
        }
        totals
    }

    fn add_work(&mut self, run: &TaskRun) {
        self.n_samples += run.n_samples();
        self.n_unknown += run.task.n_tests - run.task.n_known_tests;
        self.n_runs += run.n_samples() * run.n_programs;
        self.counts = self.counts.plus(run.counts);
        self.execute_cpu += run.cpu;
        if let Some(scores) = &run.scores {
            self.score_counts = self.score_counts.plus(scores.counts);
            add_each(&mut self.n_unscored, &scores.n_unscored);
            add_each(&mut self.n_misranked, &scores.n_misranked);
            self.score_cpu += scores.cpu;
        }
    }

    fn add_outcomes(&mut self, run: &TaskRun) {
        for program in 0..run.n_programs {
            for outcome in run.outcomes_of(program) {
                match outcome.kind {
                    OutcomeKind::Grid => self.n_grids += 1,
                    OutcomeKind::Value => self.n_values += 1,
                    OutcomeKind::Fault(fault) => {
                        self.faults.add(fault);
                        self.programs[program].faults.add(fault);
                    }
                }
            }
        }
    }

    fn add_verdicts(&mut self, place: usize, run: &TaskRun, members: &[Member]) {
        let mut task = OfTask::default();
        for (k, member) in members.iter().enumerate() {
            let program = &mut self.programs[k];
            program.add_fuel(place, &run.fuel[k]);
            let hits = run.hits(k);
            program.n_right += hits.n_demos + hits.n_tests;
            self.n_right += hits.n_demos + hits.n_tests;
            program.partial += run.partial(k).unwrap_or(0.0);
            if run.solves(k) {
                program.solves.push(place);
                task.solved_by.push(k);
                task.is_transferred |= member.is_foreign_to(&run.task.id);
            } else if run.fits(k) {
                program.fits.push(place);
                task.fitted_by.push(k);
            }
        }
        self.tasks.push(task);
    }

    /// The runs on devices.
    pub(crate) fn n_on_device(&self) -> u64 {
        self.programs.iter().map(|it| it.n_on_device).sum()
    }

    pub(crate) fn n_solved(&self) -> usize {
        let is_solved = |task: &&OfTask| !task.solved_by.is_empty();
        self.tasks.iter().filter(is_solved).count()
    }

    pub(crate) fn n_transferred(&self) -> usize {
        let is_transferred = |task: &&OfTask| task.is_transferred;
        self.tasks.iter().filter(is_transferred).count()
    }

    /// The number of tasks that some program fits and none solves.
    pub(crate) fn n_only_fitted(&self) -> usize {
        let is_fitted = |task: &&OfTask| task.solved_by.is_empty() && !task.fitted_by.is_empty();
        self.tasks.iter().filter(is_fitted).count()
    }
}

fn add_each(totals: &mut Vec<u64>, of_task: &[u32]) {
    totals.resize(of_task.len(), 0);
    for (total, n) in totals.iter_mut().zip(of_task) {
        *total += u64::from(*n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_where_their_numbers_say() {
        let mut counts = FaultCounts::default();
        for (k, fault) in Fault::ALL.into_iter().enumerate() {
            (0..=k).for_each(|_| counts.add(fault));
        }
        let found: Vec<u64> = counts.iter().map(|(_, n)| n).collect();
        assert_eq!(found, (1..=13).collect::<Vec<u64>>());
    }
}
