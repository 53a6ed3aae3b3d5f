//! Execute: runs the programs of a [`Plan`] on the samples of its tasks, on several threads.

use std::time::Duration;

use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_exec::record::{self, Work};
use leyden_exec::{Answered, Engine, Queue, share_out};
use leyden_grid::Task;

use super::credit::Scoring;
use super::generate::{Plan, TaskPlan};
use super::group::Group;
use super::hand::Hand;
use super::observe::{Observer, Watch};
use super::sample::{Sample, samples};
use super::scoring::Scorer;
use super::source::{OutcomeSource, Told, of_programs};
use super::task_run::{Collector, Keeps, TaskRun};
use crate::clock::cpu_timed;

/// How to execute a plan.
pub(crate) struct Execution<'e> {
    pub(crate) plan: &'e Plan<'e>,
    pub(crate) engine: &'e Engine,
    pub(crate) n_threads: usize,
    pub(crate) source: &'e OutcomeSource,
    /// Gives partial credit for demonstrations if all tasks share one group.
    pub(crate) scorer: Option<&'e Scorer>,
}

/// The run of each of a task's groups.
pub(crate) type GroupRuns = Vec<TaskRun>;

/// Executes a plan; gives the runs of each task, in their order. If the engine is cancelled, tasks
/// are missing.
pub(crate) fn execute(execution: &Execution<'_>, observer: &dyn Observer) -> Vec<GroupRuns> {
    let Execution {
        plan, n_threads, ..
    } = execution;
    let work = |queue: &Queue<'_, TaskPlan<'_>>| execution.work(queue, &mut *observer.thread());
    let runs = share_out(*n_threads, &plan.tasks, work);
    runs.into_iter().map(|(_, runs)| runs).collect()
}

/// Runs some tasks on this thread after the answers about them, and drops the results.
#[cfg(any(feature = "opencl", feature = "cuda"))]
pub(super) fn run_here(execution: &Execution<'_>, places: &[usize], answers: Vec<Vec<Answered>>) {
    let tasks = places.iter().map(|k| &execution.plan.tasks[*k]);
    let tasks = tasks.zip(answers);
    match execution.plan.shared_group() {
        None => tasks.for_each(|(task, answered)| {
            execution.run_own(task, &answered);
        }),
        Some(group) => group.with_hand(execution.engine, |hand| {
            tasks.for_each(|(task, answered)| {
                run_shared(task.task, hand, answered, None);
            });
        }),
    }
}

/// Tasks with their places in the plan.
type Batch<'q, 'a> = Vec<(usize, &'q TaskPlan<'a>)>;

impl Execution<'_> {
    /// Takes tasks until none are left. A thread keeps its hand while the group stays the same.
    fn work(
        &self,
        queue: &Queue<'_, TaskPlan<'_>>,
        watch: &mut dyn Watch,
    ) -> Vec<(usize, GroupRuns)> {
        let Some(group) = self.plan.shared_group() else {
            return self.each_task(queue, watch, |task, answered| self.run_own(task, &answered));
        };
        record::unit(0);
        group.with_hand(self.engine, |hand| {
            self.with_scoring(|mut scoring| {
                self.each_task(queue, watch, |task, answered| {
                    let scoring = scoring.as_deref_mut();
                    vec![run_shared(task.task, hand, answered, scoring)]
                })
            })
        })
    }

    /// Lends the state that one thread needs to score, if there is a scorer.
    fn with_scoring<T>(&self, body: impl FnOnce(Option<&mut Scoring<'_, '_, '_>>) -> T) -> T {
        let Some(scorer) = self.scorer else {
            return body(None);
        };
        let engine = &Engine {
            fuel: DEFAULT_FUEL,
            ..self.engine.clone()
        };
        scorer.group().with_hand(engine, |hand| {
            body(Some(&mut Scoring {
                scorer,
                engine,
                hand,
            }))
        })
    }

    fn each_task(
        &self,
        queue: &Queue<'_, TaskPlan<'_>>,
        watch: &mut dyn Watch,
        mut run: impl FnMut(&TaskPlan<'_>, Vec<Answered>) -> GroupRuns,
    ) -> Vec<(usize, GroupRuns)> {
        let mut done = Vec::new();
        'all: while let Some(batch) = self.take(queue) {
            let places: Vec<usize> = batch.iter().map(|(k, _)| *k).collect();
            let answers = self.source.answers(self.plan, &places);
            for ((k, task), answered) in batch.into_iter().zip(answers) {
                watch.begin(Some(k));
                let runs = run(task, answered);
                if self.engine.cancel.is_cancelled() {
                    break 'all;
                }
                watch.done(k);
                done.push((k, runs));
            }
        }
        watch.begin(None);
        done
    }

    /// The next task; for devices, enough tasks for a batch.
    fn take<'q, 'a>(&self, queue: &Queue<'q, TaskPlan<'a>>) -> Option<Batch<'q, 'a>> {
        let mut batch = vec![queue.take()?];
        let mut n_runs = batch[0].1.n_runs();
        while n_runs < self.source.good_batch()
            && !self.engine.cancel.is_cancelled()
            && let Some((k, task)) = queue.take()
        {
            n_runs += task.n_runs();
            batch.push((k, task));
        }
        Some(batch)
    }

    /// Runs the groups of a task one after the other.
    fn run_own(&self, task: &TaskPlan<'_>, answered: &[Answered]) -> GroupRuns {
        let samples: Vec<Sample<'_>> = samples(task.task).collect();
        let mut next = 0;
        let run = |place: usize| {
            let group = &self.plan.groups()[place];
            let programs = next..next + group.n_programs();
            next = programs.end;
            record::unit(place as u32);
            let answered = of_programs(answered, &programs);
            let run = run_group(self.engine, group, task.task, &samples, answered);
            record::work(Work::Schedule);
            run
        };
        task.groups.clone().map(run).collect()
    }
}

/// At most this many outcomes wait for the collector.
const MOST_WAITING: usize = 64;

/// Keeps outcomes and collects them later, so that the processor time of a run is the engine's
/// alone.
struct Later<'s> {
    collector: Collector<'s>,
    waiting: Vec<(usize, usize, Told)>,
    /// The time that collecting took.
    looking: Duration,
}

impl Later<'_> {
    fn take(&mut self, sample: usize, program: usize, told: Told) {
        self.waiting.push((sample, program, told));
        if self.waiting.len() == MOST_WAITING {
            self.look();
        }
    }

    fn look(&mut self) {
        record::work(Work::Collect);
        let (waiting, collector) = (self.waiting.drain(..), &mut self.collector);
        let ((), time) = cpu_timed(|| {
            for (sample, program, told) in waiting {
                collector.take(sample, program, told);
            }
        });
        self.looking += time;
    }
}

/// Runs a group on its one task.
fn run_group(
    engine: &Engine,
    group: &Group,
    task: &Task,
    samples: &[Sample<'_>],
    answered: Vec<Answered>,
) -> TaskRun {
    let mut later = Later {
        collector: Collector::new(samples, group.n_programs(), Keeps::FaultLines),
        waiting: Vec::new(),
        looking: Duration::ZERO,
    };
    let (counts, cpu) = cpu_timed(|| {
        group.with_hand(engine, |hand| {
            hand.run_samples(task, samples, answered, |sample, program, told| {
                later.take(sample, program, told);
            });
            later.look();
            hand.counts()
        })
    });
    let cpu = cpu.saturating_sub(later.looking);
    later.collector.finish(task, counts, cpu).0
}

/// Runs the group that all tasks share on one of them.
fn run_shared(
    task: &Task,
    hand: &mut Hand<'_, '_>,
    answered: Vec<Answered>,
    scoring: Option<&mut Scoring<'_, '_, '_>>,
) -> TaskRun {
    let samples: Vec<Sample<'_>> = samples(task).collect();
    let keeps = match scoring {
        Some(_) => Keeps::Candidates,
        None => Keeps::Nothing,
    };
    let before = hand.counts();
    let mut collector = Collector::new(&samples, hand.n_programs(), keeps);
    let ((), cpu) = cpu_timed(|| {
        hand.run_samples(task, &samples, answered, |sample, program, told| {
            record::work(Work::Dedupe);
            collector.take(sample, program, told);
        });
    });
    let counts = hand.counts().since(before);
    let (mut run, candidates) = collector.finish(task, counts, cpu);
    // A cancelled run lacks outcomes, so its task is left out.
    let scoring = scoring.filter(|it| !it.engine.cancel.is_cancelled());
    run.scores = scoring.map(|it| it.score(&run, &task.demos, &candidates));
    run
}
