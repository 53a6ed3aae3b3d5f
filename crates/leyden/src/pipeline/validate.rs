//! Validate: compares the outcomes of programs on their own tasks with the expected outputs.

use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_exec::parallel_map;
use leyden_grid::Task;
use leyden_lang::Program;
use xxhash_rust::xxh3::xxh3_128;

use super::generate::{Plan, TaskPlan};
use super::sample::{PairName, Sample, samples};
use super::task_run::{OutcomeKind, TaskRun};
use crate::clock::timed;
use crate::programs::Known;

/// A fault, and the line of the file that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaultAt {
    pub(crate) pair: PairName,
    pub(crate) fault: Fault,
    pub(crate) line: u32,
}

/// A program with its outcomes, compared with the expected outputs.
pub(crate) struct Judged<'a> {
    pub(crate) known: &'a Known,
    pub(crate) n_correct: usize,
    pub(crate) wrong: Vec<PairName>,
    pub(crate) faults: Vec<FaultAt>,
    pub(crate) output_hash: u128,
    /// The processor time, if it ran alone.
    pub(crate) cpu: Option<Duration>,
    /// Its runs on devices.
    pub(crate) n_on_device: usize,
}

/// The result of a task.
pub(crate) struct TaskResult<'a> {
    pub(crate) task: &'a Task,
    /// The pairs whose outputs are known.
    pub(crate) n_samples: usize,
    pub(crate) n_unknown: usize,
    pub(crate) programs: Vec<Judged<'a>>,
    /// The processor time of all programs together.
    pub(crate) cpu: Duration,
    /// The time that comparing took.
    pub(crate) validate: Duration,
}

impl<'a> TaskResult<'a> {
    /// The best program: the first of those with the most pairs right.
    pub(crate) fn best(&self) -> Option<&Judged<'a>> {
        self.programs
            .iter()
            .rev()
            .max_by_key(|judged| judged.n_correct)
    }

    pub(crate) fn n_correct(&self) -> usize {
        self.best().map_or(0, |judged| judged.n_correct)
    }

    pub(crate) fn is_solved(&self) -> bool {
        self.n_samples > 0 && self.n_correct() == self.n_samples
    }
}

/// Judges all programs of a plan in which each runs on its own task.
pub(crate) fn validate<'a>(
    plan: &Plan<'a>,
    runs: &[Vec<TaskRun>],
    n_threads: usize,
) -> Vec<TaskResult<'a>> {
    let both: Vec<(&TaskPlan<'a>, &Vec<TaskRun>)> = plan.tasks.iter().zip(runs).collect();
    parallel_map(n_threads, &both, |(task, runs)| {
        let (result, validate) = timed(|| judge_task(task, runs));
        TaskResult { validate, ..result }
    })
}

fn judge_task<'a>(plan: &TaskPlan<'a>, runs: &[TaskRun]) -> TaskResult<'a> {
    let samples: Vec<Sample<'_>> = samples(plan.task).collect();
    let n_unknown = samples.iter().filter(|it| it.output.is_none()).count();
    let ran = runs
        .iter()
        .flat_map(|run| (0..run.n_programs).map(move |k| (run, k)));
    let programs = plan.programs.iter().zip(ran);
    TaskResult {
        task: plan.task,
        n_samples: samples.len() - n_unknown,
        n_unknown,
        programs: programs
            .map(|(known, (run, k))| judge(known, run, k, &samples))
            .collect(),
        cpu: runs.iter().map(|run| run.cpu).sum(),
        validate: Duration::ZERO,
    }
}

fn judge<'a>(
    known: &'a Known,
    run: &TaskRun,
    program: usize,
    samples: &[Sample<'_>],
) -> Judged<'a> {
    let mut judged = Judged {
        known,
        n_correct: 0,
        wrong: Vec::new(),
        faults: Vec::new(),
        output_hash: hash_of(run, program),
        cpu: (run.n_programs == 1).then_some(run.cpu),
        n_on_device: run.fuel[program].n_on_device as usize,
    };
    for (k, sample) in samples.iter().enumerate() {
        if let OutcomeKind::Fault(fault) = run.outcome(k, program).kind {
            judged.faults.push(FaultAt {
                pair: sample.name,
                fault,
                line: source_line(&known.program, run.fault_line(k, program)),
            });
        } else if run.is_right(k, program) {
            judged.n_correct += 1;
        } else if sample.output.is_some() {
            judged.wrong.push(sample.name);
        }
    }
    judged
}

/// A hash of all outcomes of a program.
fn hash_of(run: &TaskRun, program: usize) -> u128 {
    let outcomes = run.outcomes_of(program);
    let hashes: Vec<u8> = outcomes.flat_map(|it| it.hash.to_le_bytes()).collect();
    xxh3_128(&hashes)
}

/// The line of the file for a line of the program; 0 if it has none.
fn source_line(program: &Program, line: u32) -> u32 {
    let line = program.lines.get(line as usize).or(program.lines.last());
    line.map_or(0, |line| line.source_line)
}
