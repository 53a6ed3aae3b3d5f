//! Tries known programs before the search begins.

use std::cell::Cell;
use std::sync::Arc;

use leyden_exec::{
    Answered, Asked, BatteryPlan, Counts, Elsewhere, Engine, Loaded, Mode, Outcome, Ran, Seen,
    Worker,
};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::{Battery, Input, Program, Rules};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::Xxh3Default;

use super::effort::Account;
use super::finding::{Candidate, Source};
use super::price::{PricePart, Tenths};

/// The fuel of a program on a grid. Hardly any program needs more for a puzzle that it solves.
const FUEL: u64 = 1_000_000;
/// The number of failed demonstrations after which a program that reproduced none is dropped.
const N_CHANCES: usize = 2;
/// The cost of a line: a known program is as likely as moves of this cost.
const LINE_COST: Tenths = 30;
/// The largest share of the effort.
const SHARE: f64 = 0.25;
/// The number of programs between two looks at the clock.
const CLOCK_STEP: usize = 128;

/// Known programs, ready to run at once.
#[derive(Debug)]
pub struct Known {
    programs: Vec<Program>,
    /// The number of programs left out because they read the expected output.
    n_scoring: usize,
    plan: BatteryPlan,
    /// A device that may answer before programs run here, with the programs.
    elsewhere: Option<Arc<dyn Elsewhere>>,
    loaded: Option<Box<dyn Loaded>>,
}

/// The fuel of a known program on a grid.
pub const KNOWN_FUEL: u64 = FUEL;

impl Known {
    /// Prepares programs of any dialect, each once and by its own rules. Programs that read the
    /// expected output are not solvers and are left out.
    pub fn new(programs: impl IntoIterator<Item = Program>) -> Known {
        let mut seen = FxHashSet::default();
        let is_new = |program: &Program| seen.insert(program.content_hash());
        let is_scoring = |program: &Program| program.reads(Input::C);
        let (scoring, solving): (Vec<_>, Vec<_>) = programs.into_iter().partition(is_scoring);
        let mut programs: Vec<Program> = solving.into_iter().filter(is_new).collect();
        programs.shrink_to_fit();
        let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
        Known {
            programs,
            n_scoring: scoring.len(),
            plan,
            elsewhere: None,
            loaded: None,
        }
    }

    /// Sets a device that is asked first. The findings stay equal, but the work is less: answers
    /// only save runs of programs that come nowhere near.
    #[must_use]
    pub fn asking(self, elsewhere: Option<Arc<dyn Elsewhere>>) -> Known {
        let load = |it: &Arc<dyn Elsewhere>| it.load(self.plan.battery(), FUEL);
        Known {
            loaded: elsewhere.as_ref().and_then(load),
            elsewhere,
            ..self
        }
    }

    /// Prepares other programs, with the same device.
    pub(super) fn with_others(&self, programs: Vec<Program>) -> Known {
        Known::new(programs).asking(self.elsewhere.clone())
    }

    /// No programs.
    pub fn nothing() -> Known {
        Known::new([])
    }

    /// The number of programs.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// The programs.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter()
    }

    /// The number of programs left out because they read the expected output.
    pub fn n_scoring(&self) -> usize {
        self.n_scoring
    }

    /// Whether there are no programs.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// A hash of all programs in their order.
    pub fn content_hash(&self) -> u128 {
        let mut hasher = Xxh3Default::new();
        for program in &self.programs {
            hasher.update(&program.content_hash().to_le_bytes());
        }
        hasher.digest128()
    }

    pub(crate) fn program(&self, k: usize) -> &Program {
        &self.programs[k]
    }
}

/// Runs known programs; returns those that reproduce a demonstration, and the closeness of each.
pub(crate) fn transfer(
    known: &Known,
    puzzle: &Puzzle,
    account: &Account<'_>,
) -> (Vec<Candidate>, Vec<Closeness>) {
    let mut trial = Trial::new(known, puzzle, account);
    trial.run(SHARE);
    let candidates = trial.candidates(|program| (None, Source::Transfer(program.name.clone())));
    (candidates, trial.closeness)
}

/// The share of the necessary changes from input to output that a program makes, in thousandths,
/// added up over demonstrations.
pub(crate) type Closeness = u32;

fn engine(mode: Mode) -> Engine {
    Engine {
        fuel: FUEL,
        mode,
        ..Engine::default()
    }
}

/// Programs on one puzzle.
pub(super) struct Trial<'t> {
    known: &'t Known,
    puzzle: &'t Puzzle,
    account: &'t Account<'t>,
    /// For each program, the number of demonstrations that it reproduces, and its fuel.
    n_right: Vec<usize>,
    fuel: Vec<u64>,
    pub(super) closeness: Vec<Closeness>,
    /// For the first demonstrations, the programs that need not run, as they come nowhere near.
    hopeless: Vec<FxHashSet<usize>>,
}

impl<'t> Trial<'t> {
    pub(super) fn new(known: &'t Known, puzzle: &'t Puzzle, account: &'t Account<'t>) -> Trial<'t> {
        Trial {
            known,
            puzzle,
            account,
            n_right: vec![0; known.len()],
            fuel: vec![0; known.len()],
            closeness: vec![0; known.len()],
            hopeless: Vec::new(),
        }
    }

    /// Tries the programs until this share of the effort is spent.
    ///
    /// Only the fast engine tries demonstrations. The exact one takes eight times as long, for
    /// programs that fail here anyway.
    pub(super) fn run(&mut self, until: f64) {
        let plan = &self.known.plan;
        self.ask();
        plan.with_worker(&engine(Mode::Sure), |worker| self.try_demos(worker, until));
    }

    /// The view of programs, in addition to an input: the demonstrations, never an expected output.
    fn given(&self) -> Seen<'t> {
        Seen {
            demos: &self.puzzle.demos,
            expected: None,
        }
    }

    /// Asks the device about the demonstrations on which all programs are tried.
    fn ask(&mut self) {
        let Some(loaded) = &self.known.loaded else {
            return;
        };
        let demos = &self.puzzle.demos[..N_CHANCES.min(self.puzzle.demos.len())];
        let asked = demos.iter().map(|pair| Asked {
            input: &pair.input,
            expected: Some(&pair.output),
        });
        let asked: Vec<Asked<'_>> = asked.collect();
        let told = loaded.outcomes(&asked, &|_, _| true);
        let hopeless = |(pair, told): (&Pair, &Answered)| -> FxHashSet<usize> {
            let hopeless = told.iter().filter(|(_, outcome)| {
                !outcome.equals(&pair.output) && closeness(outcome, pair) == 0
            });
            hopeless.map(|(program, _)| *program).collect()
        };
        self.hopeless = demos.iter().zip(&told).map(hopeless).collect();
    }

    /// Whether a program reproduces all demonstrations.
    pub(super) fn is_solved(&self) -> bool {
        self.n_right.contains(&self.puzzle.demos.len())
    }

    fn try_demos(&mut self, worker: &mut Worker<'_>, until: f64) {
        let mut n_tried = 0;
        for k in 0..self.puzzle.demos.len() {
            // Programs that are right so far see the rest: their worth depends on it.
            let is_enough = self.account.is_past(until) && self.n_right.iter().all(|n| *n == 0);
            if is_enough || self.account.is_late_now() {
                break;
            }
            self.try_demo(worker, k, until);
            n_tried = k + 1;
        }
        self.hopeless.truncate(n_tried);
        self.complete_fuel(worker);
    }

    /// Finds the fuel of saved runs, because the order of candidates depends on it.
    fn complete_fuel(&mut self, worker: &mut Worker<'_>) {
        let (before, given) = (worker.counts(), self.given());
        for (k, hopeless) in self.hopeless.iter().enumerate() {
            let (n_right, input) = (&self.n_right, &self.puzzle.demos[k].input);
            let is_wanted = |_, program: usize| n_right[program] > 0 && hopeless.contains(&program);
            worker.run_metered(&given, [input], is_wanted, |_, program, ran: Ran| {
                self.fuel[program] = self.fuel[program].saturating_add(ran.fuel);
            });
        }
        self.account.count(worker.counts().since(before));
    }

    fn try_demo(&mut self, worker: &mut Worker<'_>, k: usize, until: f64) {
        let pair = &self.puzzle.demos[k];
        let (n_right, before) = (self.n_right.clone(), worker.counts());
        let hopeless = self.hopeless.get(k);
        let is_hopeless = |program: &usize| hopeless.is_some_and(|it| it.contains(program));
        // Programs of a dialect that only the exact engine speaks take long.
        let is_late = Cell::new(false);
        let has_time = |program: usize| {
            if program.is_multiple_of(CLOCK_STEP) {
                is_late.set(self.account.is_past(until));
            }
            !is_late.get()
        };
        let is_wanted = |_, program: usize, counts: Counts| {
            let is_new = has_time(program) && k < N_CHANCES;
            (is_new || n_right[program] > 0)
                && !is_hopeless(&program)
                && !self.account.is_spent(counts.since(before).fuel)
        };
        let given = self.given();
        worker.run_counted(&given, [&pair.input], is_wanted, |_, program, ran: Ran| {
            self.n_right[program] += usize::from(ran.outcome.equals(&pair.output));
            self.closeness[program] += closeness(&ran.outcome, pair);
            self.fuel[program] = self.fuel[program].saturating_add(ran.fuel);
        });
        self.account.count(worker.counts().since(before));
    }

    /// The answers of all programs that reproduce a demonstration, the cheapest first. `about`
    /// gives a part of a program's price beyond its lines, and its origin.
    pub(super) fn candidates(
        &self,
        about: impl Fn(&Program) -> (Option<PricePart>, Source),
    ) -> Vec<Candidate> {
        let plan = &self.known.plan;
        let mut answers = plan.with_worker(&engine(Mode::Fast), |worker| self.answers(worker));
        let found = (0..self.known.len()).filter(|k| self.n_right[*k] > 0);
        let mut order: Vec<usize> = found.collect();
        order.sort_by_key(|k| self.fuel[*k]);
        let candidate = |k: usize| {
            let program = self.known.program(k);
            let (more, source) = about(program);
            let n_lines = program.lines.len();
            let lines = PricePart::new(format!("{n_lines} lines"), LINE_COST * n_lines as Tenths);
            Candidate {
                answers: std::mem::take(&mut answers[k]),
                n_demos: self.n_right[k],
                parts: [lines].into_iter().chain(more).collect(),
                n_layers: 1,
                n_agreeing: 0,
                source,
                program: program.clone(),
            }
        };
        order.into_iter().map(candidate).collect()
    }

    /// The answers to each test input of each program that reproduces a demonstration.
    fn answers(&self, worker: &mut Worker<'_>) -> Vec<Vec<Option<Grid>>> {
        let n_tests = self.puzzle.test_inputs.len();
        let before = worker.counts();
        let mut answers: Vec<Vec<Option<Grid>>> = vec![vec![None; n_tests]; self.known.len()];
        let is_wanted = |_, program: usize| self.n_right[program] > 0 && !self.account.is_late();
        let given = self.given();
        for (test, input) in self.puzzle.test_inputs.iter().enumerate() {
            worker.run_metered(&given, [input], is_wanted, |_, program, ran| {
                if let Outcome::Grid(grid) = ran.outcome {
                    answers[program][test] = grid.to_grid();
                }
            });
        }
        self.account.count(worker.counts().since(before));
        answers
    }
}

/// The share of the necessary changes that was made, in thousandths. A program that changes nothing
/// is not close.
fn closeness(outcome: &Outcome, pair: &Pair) -> Closeness {
    let n_same = |grid: &Grid| {
        let cells = grid.cells().iter().zip(pair.output.cells());
        if grid.shape() == pair.output.shape() {
            cells.filter(|(a, b)| a == b).count()
        } else {
            0
        }
    };
    let Outcome::Grid(grid) = outcome else {
        return 0;
    };
    let before = n_same(&pair.input);
    let after = grid.to_grid().map_or(0, |grid| n_same(&grid));
    let to_do = pair.output.cells().len() - before;
    (after.saturating_sub(before) * 1000 / to_do.max(1)) as Closeness
}
