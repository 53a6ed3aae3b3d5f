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
use crate::vm::{self, Ended, GaveUp, Given, Ready, Val, Vm};

/// What a program may see of a task.
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
    /// A grid alone.
    pub fn of(input: &'a Grid) -> Self {
        Sample {
            input,
            demos: &[],
            expected: None,
        }
    }

    fn given(&self) -> Given<'a> {
        Given {
            input: self.input.by_ref(),
            demos: self.demos,
            expected: self.expected,
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
    /// The fast engine alone, for searches that have more programs than time: a battery tells
    /// nothing of the runs it is not sure about. A program alone runs as in `Fast`.
    Sure,
}

/// How to run programs.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The most fuel a run may use.
    pub fuel: u64,
    /// Which engines take part.
    pub mode: Mode,
    /// Whether programs of a battery may use what was worked out for others besides the values of
    /// nodes: searches for objects, exact results, the cache below. No result depends on it.
    pub caches: bool,
    /// What earlier batteries gave, and where the next ones leave what they give.
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

    /// The same, with the fuel it took.
    pub fn run_metered(&self, program: &Program, sample: &Sample<'_>) -> Ran {
        let ready = self.is_fast().then(|| Ready::of(program));
        self.run_or_exactly(program, ready.as_ref(), sample)
    }

    /// The same for a program that is run more than once, and was made ready for that.
    pub fn run_again(&self, program: &Program, ready: &Ready, sample: &Sample<'_>) -> Ran {
        self.run_or_exactly(program, self.is_fast().then_some(ready), sample)
    }

    /// Does the fast engine take part?
    fn is_fast(&self) -> bool {
        self.mode != Mode::Exact
    }

    /// What the fast engine gives if the program is ready for it, or else the exact one.
    fn run_or_exactly(&self, program: &Program, ready: Option<&Ready>, sample: &Sample<'_>) -> Ran {
        record::work(Work::Memory);
        let fast = ready.and_then(|ready| self.run_ready(ready, sample).ok());
        let ran = fast.unwrap_or_else(|| {
            record::begin_reference(0, || self.reason_for_reference());
            reference::run_metered(program, sample, self.fuel, &self.cancel)
        });
        record::work(Work::Candidates);
        ran
    }

    /// Why the reference engine runs a program that the fast engine does not even try.
    pub(crate) fn reason_for_reference(&self) -> Option<SlowReason> {
        match self.mode {
            Mode::Exact => Some(SlowReason::Asked),
            Mode::Fast | Mode::Sure => None,
        }
    }

    /// Runs a program on the fast engine alone, or says where it gave up.
    pub fn run_fast(&self, program: &Program, sample: &Sample<'_>) -> Result<Outcome, GaveUp> {
        let ran = self.run_ready(&Ready::of(program), sample);
        ran.map(|ran| ran.outcome)
    }

    /// The same for a program that was made ready, with the fuel it took.
    pub fn run_ready(&self, program: &Ready, sample: &Sample<'_>) -> Result<Ran, GaveUp> {
        let ended = self.attempt(program, sample.given(), vm::outcome);
        ended.map(Ended::ran)
    }

    /// The same on a grid alone, without a copy of the grid that comes out: if it is a rectangle of small
    /// numbers, it is read where it lies, by its width and its cells. Anything else is an outcome.
    pub fn run_ready_on<T>(
        &self,
        program: &Ready,
        input: GridRef<'_>,
        read: impl Fn(usize, &[i8]) -> T,
    ) -> Result<Result<T, Outcome>, GaveUp> {
        let given = Given {
            input,
            demos: &[],
            expected: None,
        };
        self.read(program, given, read)
    }

    /// The same on a whole sample.
    pub fn run_ready_with<T>(
        &self,
        program: &Ready,
        sample: &Sample<'_>,
        read: impl Fn(usize, &[i8]) -> T,
    ) -> Result<Result<T, Outcome>, GaveUp> {
        self.read(program, sample.given(), read)
    }

    #[inline]
    fn read<T>(
        &self,
        program: &Ready,
        given: Given<'_>,
        read: impl Fn(usize, &[i8]) -> T,
    ) -> Result<Result<T, Outcome>, GaveUp> {
        let ended = self.attempt(program, given, |vm, value| vm::outcome_or(vm, value, &read));
        ended.map(|ended| ended.value.flatten())
    }

    fn attempt<T>(
        &self,
        program: &Ready,
        given: Given<'_>,
        read: impl for<'a> Fn(&mut Vm<'a>, &Val<'a>) -> Option<T>,
    ) -> Result<Ended<T>, GaveUp> {
        let ended = vm::run(program, given, self.fuel, &self.cancel, read);
        if let Err(gave_up) = &ended {
            record::gave_up_at(gave_up.slow());
        }
        ended
    }
}
