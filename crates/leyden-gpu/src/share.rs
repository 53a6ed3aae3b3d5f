//! Measures which share of the CPU's time goes into runs that a device answers. This share bounds
//! the gain of any device (Amdahl's law).

mod reason;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_exec::{Engine, Outcome, Ready, Sample};
use leyden_grid::Grid;
use leyden_lang::Program;

use crate::batch::{Answer, Job, Samples};
use crate::compile::{Compiled, Refusal, count_supported_lines};
use crate::error::GpuError;
use crate::hash::hash_of_grid;
use crate::session::{Backend, Resident, Session};
use crate::times::{Times, timed};
pub use reason::ENDLESS;

/// The number of programs on the device at a time.
const CHUNK: usize = 100;

/// Programs, each of which runs on each of the inputs.
#[derive(Clone, Copy, Debug)]
pub struct Questions<'q> {
    /// The programs.
    pub programs: &'q [Program],
    /// The inputs.
    pub inputs: &'q [Grid],
    /// The CPU's engine. The session needs [`Devices::fuel_for`](crate::Devices::fuel_for) its fuel.
    pub engine: &'q Engine,
}

/// Runs of one kind, and the time that the CPU takes for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The number of runs.
    pub n_runs: usize,
    /// Their time on one core.
    pub cpu: Duration,
}

impl Share {
    /// The part that its time is of the time of other runs.
    pub fn of(&self, whole: &Share) -> f64 {
        ratio(self.cpu, whole.cpu)
    }

    fn add(&mut self, cpu: Duration) {
        self.n_runs += 1;
        self.cpu += cpu;
    }
}

/// Programs that are alike for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Accepted, without loops.
    Straight,
    /// Accepted, with loops over the elements of sets.
    Loops,
    /// Refused before they run.
    Refused,
}

impl Class {
    /// All classes, in the order of reports.
    pub const ALL: [Class; 3] = [Class::Straight, Class::Loops, Class::Refused];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Straight => "without loops",
            Class::Loops => "with loops",
            Class::Refused => "refused",
        }
    }

    fn of(compiled: &Result<Compiled, Refusal>) -> Class {
        match compiled {
            Err(_) => Class::Refused,
            Ok(compiled) if compiled.has_loops() => Class::Loops,
            Ok(_) => Class::Straight,
        }
    }
}

/// The measurements of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfClass {
    /// The number of programs.
    pub n_programs: usize,
    /// The number of their instructions on the device.
    pub n_instructions: usize,
    /// All runs.
    pub all: Share,
    /// The runs that the device answers.
    pub answered: Share,
    /// The device's time for all runs, if the session is timed.
    pub times: Times,
}

/// The shares of all runs, by the way they end on the device.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// The number of programs.
    pub n_programs: usize,
    /// The number of inputs.
    pub n_inputs: usize,
    /// All runs.
    pub all: Share,
    /// The runs that the device answers.
    pub answered: Share,
    /// The runs that it does not answer, by reason.
    pub reasons: BTreeMap<String, Share>,
    /// The primitives at which the device gives up during a run.
    pub places: BTreeMap<String, Share>,
    /// The measurements of each class, in the order of [`Class::ALL`].
    pub classes: [OfClass; 3],
    /// The CPU's time in lines of kinds that the device has, in runs without an answer. Lines of a
    /// program weigh alike.
    pub supported_lines: Duration,
    /// The time of the first launch, in which a driver may compile.
    pub first_launch: Duration,
    /// The programs for which an answer differs from the CPU's.
    pub different: BTreeSet<String>,
}

impl Shares {
    /// The share of the CPU's time in runs that the device answers.
    pub fn share(&self) -> f64 {
        self.answered.of(&self.all)
    }

    /// The gain if answered runs took no time at all.
    pub fn most_gain(&self) -> f64 {
        1.0 / (1.0 - self.share()).max(1e-9)
    }

    /// The runs that run out of fuel, which devices never answer.
    pub fn endless(&self) -> Share {
        self.reasons.get(ENDLESS).copied().unwrap_or_default()
    }

    /// The share of some time in the CPU's time without [`Shares::endless`].
    pub fn of_ending(&self, share: &Share) -> f64 {
        ratio(share.cpu, self.all.cpu.saturating_sub(self.endless().cpu))
    }

    /// The share if a device could run a part of a program, and the CPU the rest: an upper bound.
    pub fn share_with_parts(&self) -> f64 {
        ratio(self.answered.cpu + self.supported_lines, self.all.cpu)
    }

    fn add(&mut self, class: Class, end: End, cpu: Duration) {
        self.all.add(cpu);
        let of_class = &mut self.classes[class as usize];
        of_class.all.add(cpu);
        match end {
            End::Answered => {
                of_class.answered.add(cpu);
                self.answered.add(cpu);
            }
            End::Left { reason, place } => {
                self.reasons.entry(reason).or_default().add(cpu);
                if let Some(place) = place {
                    self.places.entry(place).or_default().add(cpu);
                }
            }
        }
    }
}

fn ratio(part: Duration, whole: Duration) -> f64 {
    part.as_secs_f64() / whole.as_secs_f64().max(1e-12)
}

/// The end of a run on the device.
enum End {
    Answered,
    /// The CPU has to run the program.
    Left {
        reason: String,
        place: Option<String>,
    },
}

/// Runs each program on each input, on the device and on one core. After every program `goes_on`
/// decides whether to continue; `None` if it says no.
///
/// Must be called on a thread with a large stack.
pub fn measure<B: Backend>(
    session: &Session<B>,
    questions: &Questions<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Shares>, GpuError> {
    let mut samples = Samples::default();
    for input in questions.inputs {
        samples.push(input, None);
    }
    let mut measuring = Measuring {
        session,
        questions,
        resident: session.upload(&samples)?,
        shares: Shares {
            n_programs: questions.programs.len(),
            n_inputs: questions.inputs.len(),
            ..Shares::default()
        },
    };
    measuring.warm_up()?;
    for chunk in questions.programs.chunks(CHUNK) {
        if !measuring.add_chunk(chunk, goes_on)? {
            return Ok(None);
        }
    }
    Ok(Some(measuring.shares))
}

/// A program, and its form for the device.
type Prepared<'p> = (&'p Program, Result<Compiled, Refusal>);

struct Measuring<'m, B: Backend> {
    session: &'m Session<B>,
    questions: &'m Questions<'m>,
    resident: Resident<B>,
    shares: Shares,
}

impl<B: Backend> Measuring<'_, B> {
    /// Launches the kernel once, since a driver may compile it then.
    fn warm_up(&mut self) -> Result<(), GpuError> {
        let mut compiled = self.questions.programs.iter().map(Compiled::of);
        let Some(first) = compiled.find_map(Result::ok) else {
            return Ok(());
        };
        let job = Job {
            program: 0,
            sample: 0,
        };
        let (answers, time) = timed(|| self.session.run(&self.resident, &[first], &[job], false));
        self.shares.first_launch = time;
        answers.map(|_| ())
    }

    fn add_chunk(
        &mut self,
        chunk: &[Program],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, GpuError> {
        let mut of_classes: [Vec<Prepared<'_>>; 3] = Default::default();
        for program in chunk {
            let compiled = Compiled::of(program);
            of_classes[Class::of(&compiled) as usize].push((program, compiled));
        }
        for (class, programs) in Class::ALL.into_iter().zip(of_classes) {
            if !self.add_class(class, programs, goes_on)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn add_class(
        &mut self,
        class: Class,
        programs: Vec<Prepared<'_>>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, GpuError> {
        let accepted = programs.iter().filter_map(|(_, it)| it.clone().ok());
        let answers = self.answers(class, &accepted.collect::<Vec<_>>())?;
        let mut answers = answers.chunks(self.questions.inputs.len().max(1));
        self.shares.classes[class as usize].n_programs += programs.len();
        for (program, compiled) in programs {
            match compiled {
                Ok(_) => self.add_accepted(class, program, answers.next().unwrap_or_default()),
                Err(refusal) => self.add_refused(program, refusal),
            }
            if !goes_on() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The device's answers: program by program, input by input.
    fn answers(&mut self, class: Class, compiled: &[Compiled]) -> Result<Vec<Answer>, GpuError> {
        if compiled.is_empty() {
            return Ok(Vec::new());
        }
        let n_inputs = self.questions.inputs.len() as u32;
        let of_program = |program| (0..n_inputs).map(move |sample| Job { program, sample });
        let jobs: Vec<Job> = (0..compiled.len() as u32).flat_map(of_program).collect();
        let before = self.session.times();
        let answers = self.session.run(&self.resident, compiled, &jobs, false);
        let of_class = &mut self.shares.classes[class as usize];
        of_class.times = of_class.times + (self.session.times() - before);
        let n_instructions = compiled.iter().map(Compiled::n_instructions);
        of_class.n_instructions += n_instructions.sum::<usize>();
        answers
    }

    fn add_accepted(&mut self, class: Class, program: &Program, answers: &[Answer]) {
        let questions = self.questions;
        let ready = Ready::of(program);
        let supported = share_of_supported_lines(program);
        for (input, answer) in questions.inputs.iter().zip(answers) {
            let (outcome, cpu) = on_cpu(questions.engine, program, &ready, input);
            let end = if answer.is_unsure() {
                self.shares.supported_lines += cpu.mul_f64(supported);
                let (reason, place) = reason::of_doubt(program, answer, &outcome);
                let place = Some(place);
                End::Left { reason, place }
            } else {
                if !is_equal(answer, &outcome) {
                    self.shares.different.insert(program.name.clone());
                }
                End::Answered
            };
            self.shares.add(class, end, cpu);
        }
    }

    fn add_refused(&mut self, program: &Program, refusal: Refusal) {
        let questions = self.questions;
        let ready = Ready::of(program);
        let refused = reason::of_refusal(program, refusal);
        let supported = share_of_supported_lines(program);
        for input in questions.inputs {
            let (outcome, cpu) = on_cpu(questions.engine, program, &ready, input);
            let reason = if outcome.fault() == Some(Fault::Fuel) {
                ENDLESS.to_owned()
            } else {
                refused.clone()
            };
            self.shares.supported_lines += cpu.mul_f64(supported);
            let place = None;
            self.shares
                .add(Class::Refused, End::Left { reason, place }, cpu);
        }
    }
}

/// The share of a program's lines that the device has.
fn share_of_supported_lines(program: &Program) -> f64 {
    count_supported_lines(program) as f64 / program.lines.len().max(1) as f64
}

/// The outcome on the CPU, and the lesser time of two runs: a run may be interrupted.
fn on_cpu(engine: &Engine, program: &Program, ready: &Ready, input: &Grid) -> (Outcome, Duration) {
    let sample = Sample::of(input);
    let run = || timed(|| engine.run_again(program, ready, &sample).outcome);
    let (outcome, first) = run();
    (outcome, first.min(run().1))
}

fn is_equal(answer: &Answer, outcome: &Outcome) -> bool {
    match (answer, outcome) {
        (Answer::Grid { hash, .. }, Outcome::Grid(grid)) => grid
            .to_grid()
            .is_none_or(|grid| hash_of_grid(&grid) == *hash),
        _ => answer.outcome().as_ref() == Some(outcome),
    }
}

#[cfg(test)]
mod tests;
