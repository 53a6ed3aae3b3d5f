//! Puzzles with hundreds of pairs: the search uses some of them, and checks all.
//!
//! Every step of the search works on all pictures at once, so its time grows with their number.

use std::borrow::Cow;

use leyden_exec::{Engine, Outcome, Ready, Sample};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::Input;

use super::effort::Account;
use super::finding::Candidate;
use crate::pairs::{MOST_DEMOS, demos_if, spread, standing};

/// The largest number of test inputs that the search uses.
const MOST_TESTS: usize = 8;
const N_TESTS: usize = 2;
/// The largest number of candidates that are checked on the whole puzzle.
const MOST_CHECKED: usize = 64;
/// The share of the effort at which the check begins.
const CHECK_FROM: f64 = 0.75;

/// The part of a puzzle that the search sees.
pub(super) struct Sketch<'p> {
    whole: &'p Puzzle,
    pub(super) puzzle: Cow<'p, Puzzle>,
}

impl<'p> Sketch<'p> {
    /// The puzzle itself, or an even choice of its pairs if it has very many.
    pub(super) fn of(whole: &'p Puzzle) -> Sketch<'p> {
        let (n_demos, n_tests) = (whole.demos.len(), whole.test_inputs.len());
        if n_demos <= MOST_DEMOS && n_tests <= MOST_TESTS {
            let puzzle = Cow::Borrowed(whole);
            return Sketch { whole, puzzle };
        }
        let n_kept = if n_tests > MOST_TESTS {
            N_TESTS
        } else {
            n_tests
        };
        let tests = spread(n_tests, n_kept);
        let puzzle = Cow::Owned(Puzzle {
            id: whole.id.clone(),
            demos: standing(n_demos).map(|k| whole.demos[k].clone()).collect(),
            test_inputs: tests.map(|k| whole.test_inputs[k].clone()).collect(),
        });
        Sketch { whole, puzzle }
    }

    fn is_whole(&self) -> bool {
        matches!(self.puzzle, Cow::Borrowed(_))
    }

    /// The share of the effort that the search may take.
    pub(super) fn search_until(&self) -> f64 {
        if self.is_whole() { 1.0 } else { CHECK_FROM }
    }

    /// Begins the search.
    pub(super) fn begin(&self, account: &Account<'_>) {
        account.set_end(self.search_until(), !self.is_whole());
    }

    /// Completes candidates for the sketch, the best first, to candidates for the whole puzzle. A
    /// demonstration counts as not reproduced if the effort runs out, and a test input has no
    /// answer then.
    pub(super) fn completed(
        &self,
        mut candidates: Vec<Candidate>,
        account: &Account<'_>,
    ) -> Vec<Candidate> {
        if self.is_whole() {
            return candidates;
        }
        candidates.truncate(MOST_CHECKED);
        account.set_end(1.0, true);
        for candidate in &mut candidates {
            self.complete(candidate, account);
        }
        candidates
    }

    fn complete(&self, candidate: &mut Candidate, account: &Account<'_>) {
        let ready = Ready::of(&candidate.program);
        let demos = demos_if(candidate.program.reads(Input::S), self.whole);
        let run = |input: &Grid| {
            if account.is_spent(0) {
                return None;
            }
            let engine = Engine {
                fuel: account.fuel_left().min(Engine::default().fuel),
                ..Engine::default()
            };
            let sample = Sample {
                input,
                demos,
                expected: None,
            };
            let ran = engine.run_again(&candidate.program, &ready, &sample);
            account.ran(ran.fuel);
            Some(ran.outcome)
        };
        // Answers come first: without them a candidate is worth nothing.
        let answers = self.whole.test_inputs.iter().map(|input| match run(input) {
            Some(Outcome::Grid(grid)) => grid.to_grid(),
            _ => None,
        });
        let answers: Vec<Option<Grid>> = answers.collect();
        let is_right =
            |pair: &&Pair| run(&pair.input).is_some_and(|outcome| outcome.equals(&pair.output));
        let n_demos = self.whole.demos.iter().filter(is_right).count();
        candidate.answers = answers;
        candidate.n_demos = n_demos;
    }
}
