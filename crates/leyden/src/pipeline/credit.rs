//! Partial credit for the outcomes of programs on the demonstrations of a task.

use std::time::Duration;

use leyden_exec::{Counts, Engine};
use leyden_grid::{Grid, Pair};
use leyden_search::judge::MOST_OF_WRONG;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::hand::Hand;
use super::scoring::{Mark, Scorer, Worth};
use super::task_run::{Candidate, TaskRun};
use crate::clock::cpu_timed;

/// The program that comes closest to a task that no program fits, and its shortfall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closest {
    /// Its number.
    pub program: usize,
    /// The first demonstration it gets wrong.
    pub demo: usize,
    /// The mark of each scoring program for that demonstration; empty if the program gave no grid.
    pub marks: Vec<Mark>,
}

impl Closest {
    /// The form in which `leyden batt --json` writes it.
    pub fn to_json(&self) -> String {
        let (program, demo, marks) = (self.program, self.demo, &self.marks);
        json!({ "program": program, "demo": demo, "marks": marks }).to_string()
    }
}

/// The scores of the outcomes on a task's demonstrations.
#[derive(Clone, Debug, Default)]
pub struct TaskScores {
    /// For each program the credit for all demonstrations.
    pub(crate) credits: Vec<u32>,
    /// The credit of a program that gets every demonstration right.
    pub(crate) most_credit: u32,
    /// For each scoring program that compares with the input and for each program, the score over
    /// all demonstrations. A right output gets no more than the scoring program gives it.
    pub(crate) differ_scores: Vec<Vec<u32>>,
    /// For each scoring program, the number of demonstrations on which a wrong grid gets more than
    /// the right one.
    pub(crate) n_misranked: Vec<u32>,
    /// The program that comes closest, if none fits.
    pub closest: Option<Closest>,
    /// For each scoring program, how often it gave no number.
    pub n_unscored: Vec<u32>,
    /// The work.
    pub counts: Counts,
    /// The processor time.
    pub cpu: Duration,
}

impl TaskRun {
    /// A program's partial score on the task, 0 to 100: its share of the credit that demonstrations
    /// and scoring programs can give. `None` without scoring programs. Only a program that gets
    /// every demonstration right reaches 100.
    pub fn partial(&self, program: usize) -> Option<f64> {
        let scores = self.scores.as_ref()?;
        let (credit, most) = (scores.credits.get(program)?, scores.most_credit);
        let share = (most > 0).then(|| f64::from(*credit) * 100.0 / f64::from(most))?;
        Some(if self.fits(program) {
            share
        } else {
            share.min(MOST_OF_WRONG)
        })
    }
}

/// The state that a thread needs to score.
pub(super) struct Scoring<'s, 'h, 'w> {
    pub(super) scorer: &'s Scorer,
    /// Scoring has its own tank of fuel, even if the programs' tank is small.
    pub(super) engine: &'s Engine,
    pub(super) hand: &'s mut Hand<'h, 'w>,
}

impl Scoring<'_, '_, '_> {
    /// Scores each different grid once.
    pub(super) fn score(
        &mut self,
        run: &TaskRun,
        demos: &[Pair],
        candidates: &[Vec<Candidate>],
    ) -> TaskScores {
        let (scores, cpu) = cpu_timed(|| self.scores(run, demos, candidates));
        TaskScores { cpu, ..scores }
    }

    fn scores(
        &mut self,
        run: &TaskRun,
        demos: &[Pair],
        candidates: &[Vec<Candidate>],
    ) -> TaskScores {
        let before = self.hand.counts();
        let (n_programs, n_scores) = (run.n_programs, self.scorer.len());
        let mut scores = TaskScores {
            credits: vec![0; n_programs],
            most_credit: self.scorer.most() * candidates.len() as u32,
            differ_scores: vec![vec![0; n_programs]; self.scorer.differs().count()],
            n_misranked: vec![0; n_scores],
            n_unscored: vec![0; n_scores],
            ..TaskScores::default()
        };
        for (demo, candidates) in candidates.iter().enumerate() {
            self.score_demo(run, &mut scores, demos, (demo, candidates));
        }
        scores.counts = self.hand.counts().since(before);
        scores.closest = self.closest(run, &scores, demos, candidates);
        scores
    }

    /// Gives credit for one demonstration. A right output gets full credit without asking a scoring
    /// program. An output that is not a grid of a task gets no number, except from differs, which
    /// take any value.
    fn score_demo(
        &mut self,
        run: &TaskRun,
        scores: &mut TaskScores,
        demos: &[Pair],
        (demo, candidates): (usize, &[Candidate]),
    ) {
        let (scorer, right) = (self.scorer, run.right[demo]);
        let mut grids: Vec<&Grid> = candidates.iter().map(|(_, grid)| grid).collect();
        let of_expected = scorer.is_checked.then(|| {
            let known = candidates.iter().position(|(k, _)| Some(*k) == right);
            known.unwrap_or_else(|| pushed(&mut grids, &demos[demo].output))
        });
        let has_differs = scorer.differs().next().is_some();
        let of_input = has_differs.then(|| pushed(&mut grids, &demos[demo].input));
        let mut numbers = scorer.numbers(self.hand, demos, demo, &grids);
        let of_candidates = &numbers[..candidates.len()];
        for score in 0..scorer.len() {
            let missing = of_candidates.iter().filter(|it| it[score].is_none());
            scores.n_unscored[score] += missing.count() as u32;
            let number = |numbers: &[Option<u32>]| numbers[score].unwrap_or(0);
            let is_misranked = |expected: usize| {
                let mut wrong = candidates.iter().zip(of_candidates);
                let least = number(&numbers[expected]);
                wrong.any(|((k, _), numbers)| Some(*k) != right && number(numbers) > least)
            };
            scores.n_misranked[score] += u32::from(of_expected.is_some_and(is_misranked));
        }
        let worth = Worth::new(scorer, of_input.map(|k| &numbers[k][..]));
        let mut place_of = vec![None; run.outcomes.len()];
        for (place, (k, _)) in candidates.iter().enumerate() {
            place_of[*k as usize] = Some(place);
        }
        for (program, pick) in run.picks(demo).iter().enumerate() {
            let place = &mut place_of[*pick as usize];
            let is_fault = run.outcomes[*pick as usize].kind.is_fault();
            if has_differs && place.is_none() && !is_fault {
                *place = Some(numbers.len());
                numbers.push(scorer.numbers_behind(self.engine, program, demos, demo));
            }
            let numbers = place.map(|k| &numbers[k][..]);
            scores.credits[program] += if Some(*pick) == right {
                scorer.most()
            } else {
                worth.parts(numbers).sum()
            };
            for (of_differ, score) in scores.differ_scores.iter_mut().zip(scorer.differs()) {
                of_differ[program] += worth.parts(numbers).nth(score).unwrap_or(0);
            }
        }
    }

    /// The first of the programs with the most demonstrations right, then with the most credit;
    /// `None` if a program fits all demonstrations.
    fn closest(
        &self,
        run: &TaskRun,
        scores: &TaskScores,
        demos: &[Pair],
        candidates: &[Vec<Candidate>],
    ) -> Option<Closest> {
        if (0..run.n_programs).any(|program| run.fits(program)) {
            return None;
        }
        let program = (0..run.n_programs)
            .rev()
            .max_by_key(|k| (run.hits(*k).n_demos, scores.credits[*k]))
            .filter(|k| scores.credits[*k] > 0)?;
        let demo = (0..run.task.n_demos).find(|demo| !run.is_right(*demo, program))?;
        let number = run.picks(demo)[program];
        let grid = candidates[demo].iter().find(|(k, _)| *k == number);
        let explain = |(_, grid): &Candidate| self.scorer.explain(self.engine, demos, demo, grid);
        Some(Closest {
            program,
            demo,
            marks: grid.map(explain).unwrap_or_default(),
        })
    }
}

/// Adds a grid; gives its place.
fn pushed<'g>(grids: &mut Vec<&'g Grid>, grid: &'g Grid) -> usize {
    grids.push(grid);
    grids.len() - 1
}
