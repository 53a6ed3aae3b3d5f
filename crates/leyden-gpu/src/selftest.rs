//! Compares every primitive of the device with the CPU, in random programs on random grids.

use std::collections::BTreeMap;

use leyden_dsl::table::Prim;
use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Outcome, Sample};

use crate::batch::{Answer, Job, Samples};
use crate::compile::{Compiled, device_primitives};
use crate::error::GpuError;
use crate::hash::hash_of_grid;
use crate::session::{Backend, Session};

/// The results of programs built around a primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of programs sent, each with a grid.
    pub n_sent: usize,
    /// The number of programs that the device answered after it reached the primitive.
    pub n_answered: usize,
    /// The number of these in which the primitive faulted.
    pub n_faults: usize,
    /// The number of these with another answer than the CPU's.
    pub n_different: usize,
}

impl Tally {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            n_sent: self.n_sent + other.n_sent,
            n_answered: self.n_answered + other.n_answered,
            n_faults: self.n_faults + other.n_faults,
            n_different: self.n_different + other.n_different,
        }
    }
}

/// The result of comparing a device with the CPU.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The results for each primitive of the device, by name.
    pub by_primitive: BTreeMap<&'static str, Tally>,
    /// Programs with another answer than the CPU's, and both answers.
    pub differences: Vec<String>,
}

impl Verdict {
    /// Whether all answers agree.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// The sum over all primitives.
    pub fn total(&self) -> Tally {
        let tallies = self.by_primitive.values();
        tallies.fold(Tally::default(), |all, tally| all.plus(*tally))
    }
}

/// A program around a primitive, with its compiled form.
struct Trial {
    case: Case,
    /// The line that calls the primitive.
    line: usize,
    compiled: Compiled,
}

/// The number of programs that are rolled until the device accepts one.
const ATTEMPTS: usize = 20;

/// The number of programs at a time. More would need more memory than they save time.
const MOST_AT_ONCE: usize = 5_000;

/// Runs `n_programs` random programs built around each primitive of the device, and compares every
/// answer with the CPU's. Equal seeds give equal programs.
pub fn selftest<B: Backend>(
    session: &Session<B>,
    n_programs: usize,
    seed: u64,
) -> Result<Verdict, GpuError> {
    let mut verdict = Verdict::default();
    for (k, prim) in device_primitives().into_iter().enumerate() {
        let mut dice = Dice::seeded(seed.wrapping_mul(1_000_003).wrapping_add(k as u64));
        let mut n_left = n_programs;
        while n_left > 0 {
            let n = n_left.min(MOST_AT_ONCE);
            let trials: Vec<Trial> = (0..n).filter_map(|_| trial(&mut dice, prim)).collect();
            compare(session, prim, &trials, &mut verdict)?;
            n_left -= n;
        }
    }
    Ok(verdict)
}

/// Rolls a program that the device accepts.
fn trial(dice: &mut Dice<'_>, prim: Prim) -> Option<Trial> {
    let primitives = device_primitives();
    (0..ATTEMPTS).find_map(|_| {
        let (case, line) = Case::random_around(dice, prim, &primitives);
        let compiled = Compiled::of(&case.program).ok()?;
        Some(Trial {
            case,
            line,
            compiled,
        })
    })
}

fn compare<B: Backend>(
    session: &Session<B>,
    prim: Prim,
    trials: &[Trial],
    verdict: &mut Verdict,
) -> Result<(), GpuError> {
    let mut samples = Samples::default();
    let mut jobs = Vec::new();
    for (program, trial) in (0..).zip(trials) {
        let sample = samples.push(&trial.case.input, trial.case.expected.as_ref());
        jobs.push(Job { program, sample });
    }
    let compiled: Vec<Compiled> = trials.iter().map(|trial| trial.compiled.clone()).collect();
    let resident = session.upload(&samples)?;
    let answers = session.run(&resident, &compiled, &jobs, true)?;
    let mut tally = Tally::default();
    for (trial, answer) in trials.iter().zip(&answers) {
        let difference = compare_one(trial, answer);
        tally = tally.plus(counted(trial, answer, difference.is_some()));
        verdict.differences.extend(difference);
    }
    let before = verdict.by_primitive.entry(prim.name()).or_default();
    *before = before.plus(tally);
    Ok(())
}

fn counted(trial: &Trial, answer: &Answer, differs: bool) -> Tally {
    let end = match answer {
        Answer::Fault { line, .. } => Some(*line as usize),
        _ => None,
    };
    let is_answered = !answer.is_unsure() && end.is_none_or(|line| line >= trial.line);
    Tally {
        n_sent: 1,
        n_answered: is_answered.into(),
        n_faults: (end == Some(trial.line)).into(),
        n_different: differs.into(),
    }
}

/// Both answers, if they differ.
fn compare_one(trial: &Trial, answer: &Answer) -> Option<String> {
    let ours = answer.outcome()?;
    let case = &trial.case;
    let theirs = Engine::default().run(&case.program, &Sample::of(&case.input));
    if ours == theirs && is_consistent(answer, &theirs, case) {
        return None;
    }
    let (ours, theirs) = (ours.to_json(), theirs.to_json());
    let (program, input) = (&case.program, &case.input);
    Some(format!(
        "{program}on {input:?}\ndevice {ours}\nCPU    {theirs}"
    ))
}

/// Whether the hash and the match agree with the CPU's grid.
fn is_consistent(answer: &Answer, outcome: &Outcome, case: &Case) -> bool {
    let Answer::Grid {
        hash, is_expected, ..
    } = answer
    else {
        return true;
    };
    let is_right = case
        .expected
        .as_ref()
        .is_some_and(|grid| outcome.equals(grid));
    let grid = match outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        _ => None,
    };
    is_right == *is_expected && grid.is_none_or(|grid| hash_of_grid(&grid) == *hash)
}
