//! Runs a battery on the demonstration pairs of a puzzle and gives credit.

use std::hash::Hasher;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Answered, BatteryPlan, Engine, Mode, Outcome, Ran, Seen, Worker};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::Input;
use rustc_hash::{FxHashMap, FxHasher};

use super::member::Mark;
use crate::pairs::{demos_if, standing};
use crate::scores::Scorer;

/// The number of grids remembered for a demonstration pair.
const MOST_REMEMBERED: usize = 512;

/// The amount of work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of outcomes of a program on a demonstration pair.
    pub evaluations: u64,
    /// The number of runs without an outcome: the fast engine was unsure, or they took too much.
    pub unsure: u64,
    /// The fuel of all outcomes computed on this processor.
    pub fuel: u64,
}

impl Tally {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            evaluations: self.evaluations + other.evaluations,
            unsure: self.unsure + other.unsure,
            fuel: self.fuel.saturating_add(other.fuel),
        }
    }
}

/// The result of a program on a puzzle.
#[derive(Clone, Default)]
pub(super) struct Trial {
    pub(super) marks: Vec<Mark>,
    pub(super) behaviour: FxHasher,
    /// Whether it runs on the next pair.
    pub(super) goes_on: bool,
}

impl Trial {
    /// Ends the trial unless all pairs were right: only such a program goes beyond the standing
    /// pairs.
    fn end_unless_right(&mut self) {
        self.goes_on = self.goes_on && self.marks.iter().all(|mark| mark.is_exact);
    }

    fn credit(&self) -> u64 {
        self.marks.iter().map(|mark| u64::from(mark.credit)).sum()
    }
}

/// The order of a puzzle's pairs in trials.
pub(super) struct Pairs {
    order: Vec<usize>,
    /// The number of standing pairs, which come first and represent all.
    pub(super) n_standing: usize,
}

impl Pairs {
    pub(super) fn of(puzzle: &Puzzle) -> Pairs {
        let n = puzzle.demos.len();
        let standing = standing(n);
        let n_standing = standing.clone().count();
        let mut is_new = vec![true; n];
        standing.clone().for_each(|k| is_new[k] = false);
        let others = (0..n).filter(|k| is_new[*k]);
        Pairs {
            order: standing.chain(others).collect(),
            n_standing,
        }
    }

    /// Puts marks into the order of the puzzle's pairs.
    pub(super) fn sorted(&self, marks: &[Mark]) -> Vec<Mark> {
        let mut sorted = vec![Mark::UNTRIED; self.order.len()];
        for (place, mark) in self.order.iter().zip(marks) {
            sorted[*place] = *mark;
        }
        sorted
    }
}

/// The credits of grids for each demonstration pair. This is a memory that decides nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Credits(Vec<FxHashMap<u128, u32>>);

/// Everything that judging programs on a puzzle needs.
pub(super) struct Court<'c, 'm, 'w> {
    pub(super) puzzle: &'c Puzzle,
    pub(super) scorer: &'c Scorer,
    pub(super) marker: &'m mut Worker<'w>,
    pub(super) credits: &'c mut Credits,
    pub(super) engine: &'c Engine,
    /// The mean credit below which a program is dropped.
    pub(super) floor: u64,
}

impl Court<'_, '_, '_> {
    /// Runs all programs on the first pair, and on each next pair those that are still good enough.
    /// A trial has marks for all pairs only if its program was good enough to the end. Of very many
    /// pairs some represent all; the others are for programs that are right on these. A program is
    /// not run at all if a device has answered that it fails on the first pair: a device's answer
    /// is always right.
    pub(super) fn judge(
        &mut self,
        plan: &BatteryPlan,
        answered: Option<&Answered>,
    ) -> (Vec<Trial>, Tally) {
        let start = Trial {
            goes_on: true,
            ..Trial::default()
        };
        let mut trials = vec![start; plan.battery().outs.len()];
        let mut tally = Tally::default();
        self.credits
            .0
            .resize_with(self.puzzle.demos.len(), FxHashMap::default);
        if let Some(answered) = answered.filter(|_| !self.puzzle.demos.is_empty()) {
            self.drop_hopeless(answered, &mut trials, &mut tally);
        }
        let pairs = Pairs::of(self.puzzle);
        let demos = demos_if(plan.battery().reads(Input::S), self.puzzle);
        plan.with_worker(self.engine, |worker| {
            for (k, demo) in pairs.order.iter().enumerate() {
                let is_open = trials.iter().any(|trial| trial.goes_on);
                if !is_open || self.engine.cancel.is_cancelled() {
                    break;
                }
                self.judge_pair(worker, (demos, *demo), &mut trials, &mut tally);
                if k + 1 >= pairs.n_standing && k + 1 < pairs.order.len() {
                    trials.iter_mut().for_each(Trial::end_unless_right);
                }
            }
        });
        (trials, tally)
    }

    /// Drops the programs whose answers for the first pair rule them out. All others run here: only
    /// a run shows what they take, and whether the engine is sure.
    fn drop_hopeless(&mut self, answered: &Answered, trials: &mut [Trial], tally: &mut Tally) {
        let ran = |(program, outcome): &(usize, Outcome)| {
            let outcome = outcome.clone();
            (*program, Ran { outcome, fuel: 0 })
        };
        let told: Vec<(usize, Ran)> = answered.iter().map(ran).collect();
        let hashes = told.iter().map(|(_, ran)| ran.outcome.content_hash());
        let hashes: Vec<u128> = hashes.collect();
        let credits = self.credits_of(0, &told, &hashes);
        let is_last = self.puzzle.demos.len() == 1;
        for (((program, _), hash), credit) in told.iter().zip(hashes).zip(credits) {
            if credit.is_none_or(|credit| !is_last && u64::from(credit) < self.floor) {
                let trial = &mut trials[*program];
                trial.goes_on = false;
                trial.behaviour.write_u128(hash);
                tally.evaluations += 1;
            }
        }
    }

    fn judge_pair(
        &mut self,
        worker: &mut Worker<'_>,
        (demos, demo): (&[Pair], usize),
        trials: &mut [Trial],
        tally: &mut Tally,
    ) {
        let pair = &self.puzzle.demos[demo];
        let seen = Seen {
            demos,
            expected: None,
        };
        let mut told: Vec<(usize, Ran)> = Vec::with_capacity(trials.len());
        let goes_on: Vec<bool> = trials.iter().map(|trial| trial.goes_on).collect();
        let n_wanted = goes_on.iter().filter(|goes_on| **goes_on).count() as u64;
        worker.run_metered(
            &seen,
            [&pair.input],
            |_, program| goes_on[program],
            |_, program, ran| told.push((program, ran)),
        );
        trials.iter_mut().for_each(|trial| trial.goes_on = false);
        tally.evaluations += told.len() as u64;
        tally.unsure += n_wanted - told.len() as u64;
        let hashes: Vec<u128> = told
            .iter()
            .map(|(_, ran)| ran.outcome.content_hash())
            .collect();
        let credits = self.credits_of(demo, &told, &hashes);
        for (((program, ran), hash), credit) in told.iter().zip(hashes).zip(credits) {
            tally.fuel = tally.fuel.saturating_add(ran.fuel);
            let trial = &mut trials[*program];
            trial.behaviour.write_u128(hash);
            let Some(credit) = credit else { continue };
            trial.marks.push(Mark {
                is_exact: ran.outcome.equals(&pair.output),
                credit,
                fuel: ran.fuel,
            });
            trial.goes_on = trial.credit() >= self.floor * trial.marks.len() as u64;
        }
    }

    /// The credit of each outcome that is a grid of a task. Every distinct grid is scored once.
    fn credits_of(
        &mut self,
        demo: usize,
        told: &[(usize, Ran)],
        hashes: &[u128],
    ) -> Vec<Option<u32>> {
        let expected = &self.puzzle.demos[demo].output;
        let known = &mut self.credits.0[demo];
        if known.len() > MOST_REMEMBERED {
            known.clear();
        }
        let full = self.scorer.full();
        let mut unscored: Vec<(u128, Grid)> = Vec::new();
        for ((_, ran), hash) in told.iter().zip(hashes) {
            if let Outcome::Grid(grid) = &ran.outcome
                && !known.contains_key(hash)
            {
                let credit = if grid.equals(expected) { full } else { 0 };
                known.insert(*hash, credit);
                if credit == 0
                    && let Some(grid) = grid.to_grid()
                {
                    unscored.push((*hash, grid));
                }
            }
        }
        let grids = unscored.iter().map(|(_, grid)| grid);
        self.scorer
            .mark(self.marker, (self.puzzle, demo), grids, |k, credit| {
                *known.entry(unscored[k].0).or_default() += credit;
            });
        // A score that was cut short must not be remembered.
        if self.engine.cancel.is_cancelled() {
            known.clear();
        }
        let credit = |((_, ran), hash): (&(usize, Ran), &u128)| match &ran.outcome {
            Outcome::Grid(_) => known.get(hash).copied().filter(|credit| *credit > 0),
            _ => None,
        };
        told.iter().zip(hashes).map(credit).collect()
    }
}

/// The engine for candidates. A run it is unsure about is not worth the time.
pub(super) fn engine(fuel: u64, cancel: &CancelToken) -> Engine {
    Engine {
        fuel,
        mode: Mode::Sure,
        cancel: cancel.clone(),
        ..Engine::default()
    }
}
