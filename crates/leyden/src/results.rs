//! What runs gave, and whether it was right.

use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_exec::record::{self, Work};
use leyden_exec::{Answered, Engine, Outcome};
use leyden_grid::{Grid, Task};
use leyden_lang::Program;
use xxhash_rust::xxh3::xxh3_128;

use crate::clock::cpu_timed;
use crate::pipeline::sample::{PairName, Sample, samples};
use crate::programs::Known;
use crate::runner::{Runner, Sharing};

/// An outcome, or only the hash of one that is not right.
enum Kept {
    Whole(Outcome),
    Digest(u128),
}

impl Kept {
    /// Outcomes are kept until they are validated. Faults and right grids are small; others may
    /// be huge, and there may be many.
    fn of(outcome: Outcome, expected: Option<&Grid>) -> Kept {
        let is_right = expected.is_some_and(|expected| outcome.equals(expected));
        match is_right || outcome.fault().is_some() {
            true => Kept::Whole(outcome),
            false => Kept::Digest(outcome.content_hash()),
        }
    }

    fn content_hash(&self) -> u128 {
        match self {
            Kept::Whole(outcome) => outcome.content_hash(),
            Kept::Digest(hash) => *hash,
        }
    }

    fn equals(&self, expected: &Grid) -> bool {
        matches!(self, Kept::Whole(outcome) if outcome.equals(expected))
    }
}

/// A task and the programs meant for it.
pub(crate) struct Job<'a> {
    pub(crate) task: &'a Task,
    pub(crate) programs: Vec<&'a Known>,
}

impl<'a> Job<'a> {
    /// How many runs there are.
    pub(crate) fn n_runs(&self) -> usize {
        (self.task.demos.len() + self.task.tests.len()) * self.programs.len()
    }

    pub(crate) fn programs(&self) -> impl Iterator<Item = &'a Program> {
        self.programs.iter().map(|known| &known.program)
    }
}

/// Programs of a task that run and are timed together.
pub(crate) struct Group<'a> {
    task: &'a Task,
    pub(crate) programs: Vec<&'a Known>,
    pub(crate) runner: Runner,
}

/// Makes the programs of a task ready: all of them as one battery, as only they run on it, or
/// each alone.
pub(crate) fn generate<'a>(job: &Job<'a>, sharing: Sharing) -> Vec<Group<'a>> {
    let n_together = match sharing.is_on && sharing.batches {
        true => job.programs.len(),
        false => 1,
    };
    let groups = job.programs.chunks(n_together.max(1));
    let group = |programs: &[&'a Known]| Group {
        task: job.task,
        runner: Runner::new(programs.iter().map(|known| &known.program), sharing),
        programs: programs.to_vec(),
    };
    groups.map(group).collect()
}

/// The outcomes of a group's programs on all pairs of their task.
pub(crate) struct Attempt<'a> {
    programs: Vec<(&'a Known, Vec<Kept>)>,
    cpu: Duration,
    /// For each program how many outcomes came from devices.
    n_on_device: Vec<usize>,
}

/// How many outcomes may be in memory before the wrong ones are dropped.
const MOST_AT_ONCE: usize = 64;

/// Runs a group on all pairs of its task, as far as that was not answered elsewhere. The clock runs
/// only while the engine does.
pub(crate) fn execute<'a>(
    engine: &Engine,
    group: &Group<'a>,
    mut answered: Vec<Answered>,
) -> Attempt<'a> {
    let samples: Vec<Sample<'_>> = samples(group.task).collect();
    let pairs_at_once = (MOST_AT_ONCE / group.programs.len().max(1)).max(1);
    let known = group.programs.iter().copied();
    let mut programs: Vec<_> = known.map(|known| (known, Vec::new())).collect();
    let mut keeping = Duration::ZERO;
    let mut n_on_device = vec![0; programs.len()];
    let ((), whole) = cpu_timed(|| {
        group.runner.with_hand(engine, |hand| {
            for samples in samples.chunks(pairs_at_once) {
                let mut ran = Vec::with_capacity(samples.len() * programs.len());
                let rest = answered.split_off(samples.len().min(answered.len()));
                let answered = std::mem::replace(&mut answered, rest);
                hand.run_samples(group.task, samples, answered, |sample, program, told| {
                    n_on_device[program] += usize::from(told.fuel.is_none());
                    ran.push((sample, program, told.outcome));
                });
                record::work(Work::Collect);
                keeping += cpu_timed(|| keep(ran, samples, &mut programs)).1;
            }
        });
    });
    Attempt {
        programs,
        cpu: whole.saturating_sub(keeping),
        n_on_device,
    }
}

fn keep(
    ran: Vec<(usize, usize, Outcome)>,
    samples: &[Sample<'_>],
    programs: &mut [(&Known, Vec<Kept>)],
) {
    for (sample, program, outcome) in ran {
        let kept = Kept::of(outcome, samples[sample].output);
        programs[program].1.push(kept);
    }
}

/// A fault, and the line of the file that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaultAt {
    pub(crate) pair: PairName,
    pub(crate) fault: Fault,
    pub(crate) line: u32,
}

/// A program's outcomes, compared with what was expected.
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

/// What became of a task.
pub(crate) struct TaskResult<'a> {
    pub(crate) task: &'a Task,
    /// The pairs whose outputs are known.
    pub(crate) n_samples: usize,
    pub(crate) n_unknown: usize,
    pub(crate) programs: Vec<Judged<'a>>,
    /// The processor time of all programs together.
    pub(crate) cpu: Duration,
}

impl<'a> TaskResult<'a> {
    /// The program that counts: most pairs right, the first of several.
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

/// Compares all outcomes of a task with what was expected.
pub(crate) fn validate<'a>(task: &'a Task, attempts: &[Attempt<'a>]) -> TaskResult<'a> {
    let n_unknown = samples(task)
        .filter(|sample| sample.output.is_none())
        .count();
    TaskResult {
        task,
        n_samples: samples(task).count() - n_unknown,
        n_unknown,
        programs: attempts
            .iter()
            .flat_map(|attempt| judge_all(task, attempt))
            .collect(),
        cpu: attempts.iter().map(|attempt| attempt.cpu).sum(),
    }
}

fn judge_all<'a>(task: &Task, attempt: &Attempt<'a>) -> Vec<Judged<'a>> {
    let cpu = (attempt.programs.len() == 1).then_some(attempt.cpu);
    let programs = attempt.programs.iter().zip(&attempt.n_on_device);
    programs
        .map(|((known, kept), n_on_device)| Judged {
            n_on_device: *n_on_device,
            ..judge(task, known, kept, cpu)
        })
        .collect()
}

fn judge<'a>(
    task: &Task,
    known: &'a Known,
    outcomes: &[Kept],
    cpu: Option<Duration>,
) -> Judged<'a> {
    let mut judged = Judged {
        known,
        n_correct: 0,
        wrong: Vec::new(),
        faults: Vec::new(),
        output_hash: hash_of(outcomes),
        cpu,
        n_on_device: 0,
    };
    for (sample, kept) in samples(task).zip(outcomes) {
        match (kept, sample.output) {
            (Kept::Whole(Outcome::Fault { fault, line }), _) => {
                let line = source_line(&known.program, *line);
                judged.faults.push(FaultAt {
                    pair: sample.name,
                    fault: *fault,
                    line,
                });
            }
            (_, Some(expected)) if kept.equals(expected) => judged.n_correct += 1,
            (_, Some(_)) => judged.wrong.push(sample.name),
            (_, None) => {}
        }
    }
    judged
}

fn hash_of(outcomes: &[Kept]) -> u128 {
    let hashes: Vec<u8> = outcomes
        .iter()
        .flat_map(|kept| kept.content_hash().to_le_bytes())
        .collect();
    xxh3_128(&hashes)
}

/// The line of the file for a line of the program; 0 if there is none.
fn source_line(program: &Program, line: u32) -> u32 {
    let line = program.lines.get(line as usize).or(program.lines.last());
    line.map_or(0, |line| line.source_line)
}
