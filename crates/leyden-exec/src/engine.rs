//! The front door: a program, a sample, an outcome.

use std::sync::Arc;

use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_grid::{Grid, GridRef, Pair};
use leyden_lang::Program;
use leyden_profile::model::SlowReason;

use crate::cache::Cache;
use crate::outcome::{Outcome, Ran};
use crate::record::{self, Work};
use crate::reference;
use crate::vm::{self, Arena, Ended, GaveUp, Inputs, Ready, Val, Vm};

/// The part of a task that a run sees.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The grid to transform: `I`.
    pub input: &'a Grid,
    /// The task's demonstration pairs: `S`.
    pub demos: &'a [Pair],
    /// The expected output, for scoring programs on demonstrations only: `C`.
    pub expected: Option<&'a Grid>,
}

impl<'a> Sample<'a> {
    /// A grid without a task around it.
    pub fn of(input: &'a Grid) -> Self {
        Sample {
            input,
            demos: &[],
            expected: None,
        }
    }

    /// The inputs that a program reads.
    #[inline]
    fn inputs(&self, program: &Ready) -> impl for<'v> FnOnce(Arena<'v>) -> Inputs<'v> {
        let demos = if program.reads_demos { self.demos } else { &[] };
        let (input, expected) = (self.input.by_ref(), self.expected);
        let is_alone = !program.reads_demos && expected.is_none();
        move |arena| {
            if is_alone {
                Inputs::alone(arena, input)
            } else {
                Inputs::of_task(arena, demos, expected).with(arena, input)
            }
        }
    }
}

/// Which engines take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The fast engine, and the reference engine where that one gives up.
    #[default]
    Fast,
    /// The reference engine alone: every set is built as CPython builds it.
    Exact,
    /// The fast engine alone, for searches that have more programs than time: a battery skips the runs
    /// that it is not sure about. A program alone runs as in `Fast`.
    Sure,
}

/// How to run programs.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The most fuel a run may use.
    pub fuel: u64,
    /// Which engines take part.
    pub mode: Mode,
    /// Whether programs of a battery share more than the values of nodes: searches for objects, results
    /// of the reference engine, the cache below. No result depends on it.
    pub caches: bool,
    /// Results of earlier batteries; later ones add theirs.
    pub cache: Option<Arc<Cache>>,
    /// Stops all runs from outside.
    pub cancel: CancelToken,
}

impl Default for Engine {
    fn default() -> Self {
        Engine {
            fuel: DEFAULT_FUEL,
            mode: Mode::Fast,
            caches: true,
            cache: None,
            cancel: CancelToken::new(),
        }
    }
}

impl Engine {
    /// Runs a program on a sample.
    pub fn run(&self, program: &Program, sample: &Sample<'_>) -> Outcome {
        self.run_metered(program, sample).outcome
    }

    /// Runs a program on a sample, and returns the fuel too.
    pub fn run_metered(&self, program: &Program, sample: &Sample<'_>) -> Ran {
        let ready = self.is_fast().then(|| Ready::of(program));
        self.run_or_ask_reference(program, ready.as_ref(), sample)
    }

    /// Runs a program that is compiled already.
    pub fn run_again(&self, program: &Program, ready: &Ready, sample: &Sample<'_>) -> Ran {
        self.run_or_ask_reference(program, self.is_fast().then_some(ready), sample)
    }

    /// Does the fast engine take part?
    fn is_fast(&self) -> bool {
        self.mode != Mode::Exact
    }

    /// Runs the compiled program on the fast engine. Without one, or if that engine gives up, the
    /// reference engine runs the program.
    fn run_or_ask_reference(
        &self,
        program: &Program,
        ready: Option<&Ready>,
        sample: &Sample<'_>,
    ) -> Ran {
        record::work(Work::Memory);
        let fast = ready.and_then(|ready| self.run_ready(ready, sample).ok());
        let ran = fast.unwrap_or_else(|| {
            record::begin_reference(0, || self.reason_for_reference());
            reference::run_metered(program, sample, self.fuel, &self.cancel)
        });
        record::work(Work::Candidates);
        ran
    }

    /// The reason why the reference engine runs a program that the fast engine does not even try.
    pub(crate) fn reason_for_reference(&self) -> Option<SlowReason> {
        match self.mode {
            Mode::Exact => Some(SlowReason::Asked),
            Mode::Fast | Mode::Sure => None,
        }
    }

    /// Runs a program on the fast engine alone, or says where that gave up.
    pub fn run_fast(&self, program: &Program, sample: &Sample<'_>) -> Result<Outcome, GaveUp> {
        let ran = self.run_ready(&Ready::of(program), sample);
        ran.map(|ran| ran.outcome)
    }

    /// Runs a compiled program on the fast engine alone, or says where that gave up.
    pub fn run_ready(&self, program: &Ready, sample: &Sample<'_>) -> Result<Ran, GaveUp> {
        let ended = self.attempt(program, sample.inputs(program), vm::outcome);
        ended.map(Ended::ran)
    }

    /// Runs a compiled program on a grid without a task around it. `read` reads a rectangle of small
    /// numbers where it lies, by its width and its cells. Any other result is an outcome.
    pub fn run_ready_on<T>(
        &self,
        program: &Ready,
        input: GridRef<'_>,
        read: impl Fn(usize, &[i8]) -> T,
    ) -> Result<Result<T, Outcome>, GaveUp> {
        self.read(program, |arena| Inputs::alone(arena, input), read)
    }

    /// [`Engine::run_ready_on`] a whole sample.
    pub fn run_ready_with<T>(
        &self,
        program: &Ready,
        sample: &Sample<'_>,
        read: impl Fn(usize, &[i8]) -> T,
    ) -> Result<Result<T, Outcome>, GaveUp> {
        self.read(program, sample.inputs(program), read)
    }

    #[inline]
    fn read<T>(
        &self,
        program: &Ready,
        inputs: impl for<'a> FnOnce(Arena<'a>) -> Inputs<'a>,
        read: impl Fn(usize, &[i8]) -> T,
    ) -> Result<Result<T, Outcome>, GaveUp> {
        let ended = self.attempt(program, inputs, |vm, value| {
            vm::read_or_outcome(vm, value, &read)
        });
        ended.map(|ended| ended.value.flatten())
    }

    fn attempt<T>(
        &self,
        program: &Ready,
        inputs: impl for<'a> FnOnce(Arena<'a>) -> Inputs<'a>,
        read: impl for<'a> FnOnce(&mut Vm<'a>, &Val<'a>) -> Option<T>,
    ) -> Result<Ended<T>, GaveUp> {
        let ended = vm::run_alone(program, inputs, self.fuel, &self.cancel, read);
        if let Err(gave_up) = &ended {
            record::gave_up_at(gave_up.slow());
        }
        ended
    }
}
