//! A battery on all samples of a task. Of the outcomes only hashes and verdicts are kept.

use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_exec::record::{self, Work};
use leyden_exec::{Answered, Counts, Engine, Outcome};
use leyden_grid::{Grid, Pair, Task, TaskId};
use rustc_hash::FxHashMap;

use crate::clock::cpu_timed;
use crate::pipeline::sample::{PairName, Sample, samples};
use crate::runner::Hand;
use crate::scoring::{Mark, Scorer, Worth};

/// What kind of outcome it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Grid,
    Value,
    Fault(Fault),
}

impl Kind {
    fn of(outcome: &Outcome) -> Kind {
        match outcome {
            Outcome::Grid(_) => Kind::Grid,
            Outcome::Value(_) => Kind::Value,
            Outcome::Fault { fault, .. } => Kind::Fault(*fault),
        }
    }
}

/// An outcome that some program had on some sample of the task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) hash: u128,
    pub(crate) kind: Kind,
}

/// What a program took on the samples of a task, as far as it ran on the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FuelOf {
    pub(crate) sum: u64,
    pub(crate) most: u64,
    /// The first sample on which it took most.
    pub(crate) most_on: u32,
    /// On so many samples a device ran it.
    pub(crate) n_on_device: u32,
}

impl FuelOf {
    fn add(&mut self, sample: usize, fuel: Option<u64>) {
        let Some(fuel) = fuel else {
            self.n_on_device += 1;
            return;
        };
        self.sum = self.sum.saturating_add(fuel);
        if fuel > self.most {
            self.most = fuel;
            self.most_on = sample as u32;
        }
    }
}

/// The program that came closest to a task that none fits, and what was missing.
pub(crate) struct Closest {
    pub(crate) program: usize,
    /// The first demonstration it gets wrong.
    pub(crate) demo: usize,
    /// What each scoring program says about that; empty if there was no grid to look at.
    pub(crate) marks: Vec<Mark>,
}

/// What a report says of a task.
#[derive(Clone, Debug)]
pub(crate) struct TaskShape {
    pub(crate) id: TaskId,
    pub(crate) n_demos: usize,
    pub(crate) n_tests: usize,
    /// The tests whose outputs are known.
    pub(crate) n_known_tests: usize,
}

impl TaskShape {
    fn of(task: &Task) -> TaskShape {
        let known = task.tests.iter().filter(|test| test.output.is_some());
        TaskShape {
            id: task.id.clone(),
            n_demos: task.demos.len(),
            n_tests: task.tests.len(),
            n_known_tests: known.count(),
        }
    }

    /// What a sample is called.
    pub(crate) fn pair_name(&self, sample: usize) -> PairName {
        let (half, index) = match sample.checked_sub(self.n_demos) {
            None => ("train", sample),
            Some(test) => ("test", test),
        };
        PairName { half, index }
    }
}

/// What all programs gave on all samples of a task.
pub(crate) struct TaskRun {
    pub(crate) task: TaskShape,
    pub(crate) n_programs: usize,
    /// The different outcomes, in the order in which they came.
    pub(crate) seen: Vec<Seen>,
    /// For each sample, for each program, the number of its outcome.
    pub(crate) picks: Vec<u32>,
    /// For each sample the number of the right outcome, if some program had it.
    pub(crate) right: Vec<Option<u32>>,
    /// For each program what it took.
    pub(crate) fuel: Vec<FuelOf>,
    /// For each program the credit for all demonstrations; empty without scoring programs.
    pub(crate) credits: Vec<u32>,
    /// The credit of what is right.
    pub(crate) most_credit: u32,
    /// For each scoring program that compares with the input, for each program, what it gives for all
    /// demonstrations; what is right gets no more than it says.
    pub(crate) differ_scores: Vec<Vec<u32>>,
    /// For each scoring program on how many demonstrations a wrong grid gets more than the right one.
    pub(crate) n_misranked: Vec<u32>,
    pub(crate) closest: Option<Closest>,
    /// For each scoring program how often it gave no number.
    pub(crate) n_unscored: Vec<u32>,
    /// The work of scoring.
    pub(crate) score_counts: Counts,
    pub(crate) counts: Counts,
    pub(crate) execute_cpu: Duration,
    pub(crate) score_cpu: Duration,
}

/// How many samples a program got right, demonstrations and tests apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    pub(crate) n_demos: usize,
    pub(crate) n_tests: usize,
}

impl TaskRun {
    pub(crate) fn n_samples(&self) -> usize {
        self.right.len()
    }

    /// The outcomes of all programs on a sample.
    pub(crate) fn picks(&self, sample: usize) -> &[u32] {
        &self.picks[sample * self.n_programs..][..self.n_programs]
    }

    pub(crate) fn hits(&self, program: usize) -> Hits {
        let is_right = |sample: &usize| self.right[*sample] == Some(self.picks(*sample)[program]);
        let n_demos = self.task.n_demos;
        Hits {
            n_demos: (0..n_demos).filter(is_right).count(),
            n_tests: (n_demos..self.n_samples()).filter(is_right).count(),
        }
    }

    /// Are all demonstrations right?
    pub(crate) fn fits(&self, program: usize) -> bool {
        let n_demos = self.task.n_demos;
        n_demos > 0 && self.hits(program).n_demos == n_demos
    }

    /// Are all demonstrations and all known test outputs right?
    pub(crate) fn solves(&self, program: usize) -> bool {
        let expected = Hits {
            n_demos: self.task.n_demos,
            n_tests: self.task.n_known_tests,
        };
        expected != Hits::default() && self.hits(program) == expected
    }

    /// The outcomes of a program on all samples.
    pub(crate) fn kinds_of(&self, program: usize) -> impl Iterator<Item = Kind> {
        (0..self.n_samples()).map(move |k| self.seen[self.picks(k)[program] as usize].kind)
    }
}

/// What a thread needs to score.
pub(crate) struct Scoring<'s, 'h, 'w> {
    pub(crate) scorer: &'s Scorer,
    /// Scoring has a tank of its own, however small that of the programs is.
    pub(crate) engine: &'s Engine,
    pub(crate) hand: &'s mut Hand<'h, 'w>,
}

/// Runs on a task all that was not answered elsewhere; nothing if it was stopped meanwhile.
pub(crate) fn run_task(
    task: &Task,
    n_programs: usize,
    answered: Vec<Answered>,
    engine: &Engine,
    hand: &mut Hand<'_, '_>,
    scoring: Option<&mut Scoring<'_, '_, '_>>,
) -> Option<TaskRun> {
    let samples: Vec<Sample<'_>> = samples(task).collect();
    let before = hand.counts();
    let mut recorder = Recorder::new(&samples, n_programs, scoring.is_some());
    let (_, execute_cpu) = cpu_timed(|| {
        hand.run_samples(task, &samples, answered, |sample, program, told| {
            recorder.fuel[program].add(sample, told.fuel);
            recorder.record(sample, told.outcome);
        });
    });
    if engine.cancel.is_cancelled() {
        return None;
    }
    let mut run = TaskRun {
        task: TaskShape::of(task),
        n_programs,
        seen: recorder.seen,
        picks: recorder.picks,
        right: recorder.right,
        fuel: recorder.fuel,
        credits: Vec::new(),
        most_credit: 0,
        differ_scores: Vec::new(),
        n_misranked: Vec::new(),
        closest: None,
        n_unscored: Vec::new(),
        score_counts: Counts::default(),
        counts: hand.counts().since(before),
        execute_cpu,
        score_cpu: Duration::ZERO,
    };
    if let Some(scoring) = scoring {
        let (_, time) = cpu_timed(|| scoring.score(&mut run, &task.demos, &recorder.candidates));
        run.score_cpu = time;
    }
    (!engine.cancel.is_cancelled()).then_some(run)
}

/// A grid that some program gave for a demonstration, and the number of that outcome.
type Candidate = (u32, Grid);

/// Takes outcomes as they come.
struct Recorder<'c> {
    samples: &'c [Sample<'c>],
    numbers: FxHashMap<u128, u32>,
    seen: Vec<Seen>,
    /// The last sample, counted from 1, on which an outcome was seen.
    last_on: Vec<usize>,
    picks: Vec<u32>,
    right: Vec<Option<u32>>,
    fuel: Vec<FuelOf>,
    /// For each demonstration the different grids.
    candidates: Vec<Vec<Candidate>>,
    keeps_candidates: bool,
}

impl<'c> Recorder<'c> {
    fn new(samples: &'c [Sample<'c>], n_programs: usize, keeps_candidates: bool) -> Recorder<'c> {
        let n_demos = samples.iter().filter(|sample| sample.is_demo).count();
        Recorder {
            samples,
            numbers: FxHashMap::default(),
            seen: Vec::new(),
            last_on: Vec::new(),
            picks: Vec::with_capacity(samples.len() * n_programs),
            right: vec![None; samples.len()],
            fuel: vec![FuelOf::default(); n_programs],
            candidates: vec![Vec::new(); n_demos],
            keeps_candidates,
        }
    }

    /// Outcomes come sample by sample, program by program.
    fn record(&mut self, sample: usize, outcome: Outcome) {
        record::work(Work::Dedupe);
        let number = self.number_of(&outcome);
        self.picks.push(number);
        let last_on = std::mem::replace(&mut self.last_on[number as usize], sample + 1);
        if last_on == sample + 1 {
            return;
        }
        let at = &self.samples[sample];
        if at.output.is_some_and(|expected| outcome.equals(expected)) {
            self.right[sample] = Some(number);
        }
        if let Outcome::Grid(grid) = outcome
            && at.is_demo
            && self.keeps_candidates
        {
            let grid = grid.to_grid().map(|grid| (number, grid));
            self.candidates[sample].extend(grid);
        }
    }

    fn number_of(&mut self, outcome: &Outcome) -> u32 {
        let hash = outcome.content_hash();
        *self.numbers.entry(hash).or_insert_with(|| {
            let kind = Kind::of(outcome);
            self.seen.push(Seen { hash, kind });
            self.last_on.push(0);
            self.seen.len() as u32 - 1
        })
    }
}

impl Scoring<'_, '_, '_> {
    /// Scores every different grid once.
    fn score(&mut self, run: &mut TaskRun, demos: &[Pair], candidates: &[Vec<Candidate>]) {
        let before = self.hand.counts();
        let (n_programs, n_scores) = (run.n_programs, self.scorer.len());
        run.credits = vec![0; n_programs];
        run.most_credit = self.scorer.most() * candidates.len() as u32;
        run.differ_scores = vec![vec![0; n_programs]; self.scorer.differs().count()];
        run.n_unscored = vec![0; n_scores];
        run.n_misranked = vec![0; n_scores];
        for (demo, candidates) in candidates.iter().enumerate() {
            self.score_demo(run, demos, demo, candidates);
        }
        run.score_counts = self.hand.counts().since(before);
        run.closest = self.closest(run, demos, candidates);
    }

    /// Gives credit for one demonstration: full credit for what is right, whatever scoring programs
    /// say about it. What is no grid of a task has no number, but for differs, which look at anything.
    fn score_demo(
        &mut self,
        run: &mut TaskRun,
        demos: &[Pair],
        demo: usize,
        candidates: &[Candidate],
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
            run.n_unscored[score] += missing.count() as u32;
            let number = |numbers: &[Option<u32>]| numbers[score].unwrap_or(0);
            let is_misranked = |expected: usize| {
                let mut wrong = candidates.iter().zip(of_candidates);
                let least = number(&numbers[expected]);
                wrong.any(|((k, _), numbers)| Some(*k) != right && number(numbers) > least)
            };
            run.n_misranked[score] += u32::from(of_expected.is_some_and(is_misranked));
        }
        let worth = Worth::new(scorer, of_input.map(|k| &numbers[k][..]));
        let mut place_of = vec![None; run.seen.len()];
        for (place, (k, _)) in candidates.iter().enumerate() {
            place_of[*k as usize] = Some(place);
        }
        let picks = &run.picks[demo * run.n_programs..][..run.n_programs];
        for (program, pick) in picks.iter().enumerate() {
            let place = &mut place_of[*pick as usize];
            let is_fault = matches!(run.seen[*pick as usize].kind, Kind::Fault(_));
            if has_differs && place.is_none() && !is_fault {
                *place = Some(numbers.len());
                numbers.push(scorer.numbers_behind(self.engine, program, demos, demo));
            }
            let numbers = place.map(|k| &numbers[k][..]);
            let credit = match Some(*pick) == right {
                true => scorer.most(),
                false => worth.parts(numbers).sum(),
            };
            run.credits[program] += credit;
            for (of_differ, score) in run.differ_scores.iter_mut().zip(scorer.differs()) {
                of_differ[program] += worth.parts(numbers).nth(score).unwrap_or(0);
            }
        }
    }

    /// The first of the programs with the most demonstrations right, or else the most credit, where
    /// none fits all demonstrations.
    fn closest(
        &self,
        run: &TaskRun,
        demos: &[Pair],
        candidates: &[Vec<Candidate>],
    ) -> Option<Closest> {
        if (0..run.n_programs).any(|program| run.fits(program)) {
            return None;
        }
        let program = (0..run.n_programs)
            .rev()
            .max_by_key(|k| (run.hits(*k).n_demos, run.credits[*k]))
            .filter(|k| run.credits[*k] > 0)?;
        let is_wrong = |demo: &usize| run.right[*demo] != Some(run.picks(*demo)[program]);
        let demo = (0..run.task.n_demos).find(is_wrong)?;
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
