//! Programs that are known already, tried before anything is searched for.

use leyden_exec::{BatteryPlan, Engine, Mode, Outcome, Ran, Worker};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Battery, Input, Program, Rules};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::Xxh3Default;

use super::effort::Account;
use super::finding::{Candidate, Source};

/// What a program may take on a grid: most need a tenth of that for a puzzle that they solve.
const FUEL: u64 = 300_000;
/// Who fails on so many demonstrations is not tried on the others, if it reproduced none.
const N_CHANCES: usize = 2;
/// Known programs are as likely as moves that cost so much a line.
const LINE_COST: u32 = 2;
/// They have no more than this share of the effort.
const SHARE: f64 = 0.25;

/// Known programs, ready to be run at once.
#[derive(Debug)]
pub struct Known {
    programs: Vec<Program>,
    plan: BatteryPlan,
}

impl Known {
    /// Those of some programs that read nothing but a grid, each once.
    pub fn new(programs: impl IntoIterator<Item = Program>) -> Known {
        let mut seen = FxHashSet::default();
        let is_new = |program: &Program| seen.insert(program.content_hash());
        let programs: Vec<Program> = programs.into_iter().filter(reads_a_grid).collect();
        let mut programs: Vec<Program> = programs.into_iter().filter(is_new).collect();
        programs.shrink_to_fit();
        let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
        Known { programs, plan }
    }

    /// Nothing is known.
    pub fn nothing() -> Known {
        Known::new([])
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// A hash of all of them in their order.
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

fn reads_a_grid(program: &Program) -> bool {
    program.inputs == [Input::I] && program.dialect.is_classic()
}

/// What known programs give, if they reproduce a demonstration.
pub(crate) fn transfer(known: &Known, puzzle: &Puzzle, account: &Account<'_>) -> Vec<Candidate> {
    if known.is_empty() {
        return Vec::new();
    }
    let engine = Engine {
        fuel: FUEL,
        mode: Mode::Fast,
        ..Engine::default()
    };
    known.plan.with_worker(&engine, |worker| {
        Trial::new(known, puzzle, account).run(worker)
    })
}

/// Known programs on one puzzle.
struct Trial<'t> {
    known: &'t Known,
    puzzle: &'t Puzzle,
    account: &'t Account<'t>,
    /// For each program how many demonstrations it reproduces, and the fuel it took.
    n_right: Vec<usize>,
    fuel: Vec<u64>,
}

impl<'t> Trial<'t> {
    fn new(known: &'t Known, puzzle: &'t Puzzle, account: &'t Account<'t>) -> Trial<'t> {
        Trial {
            known,
            puzzle,
            account,
            n_right: vec![0; known.len()],
            fuel: vec![0; known.len()],
        }
    }

    fn run(mut self, worker: &mut Worker<'_>) -> Vec<Candidate> {
        for k in 0..self.puzzle.demos.len() {
            if self.account.is_past(SHARE) {
                break;
            }
            self.try_demo(worker, k);
        }
        self.findings(worker)
    }

    fn try_demo(&mut self, worker: &mut Worker<'_>, k: usize) {
        let pair = &self.puzzle.demos[k];
        let (n_right, before) = (self.n_right.clone(), worker.counts());
        let is_wanted = |program: usize| k < N_CHANCES || n_right[program] > 0;
        worker.run_some_on_grid(&pair.input, is_wanted, |program, ran: Ran| {
            self.n_right[program] += usize::from(ran.outcome.equals(&pair.output));
            self.fuel[program] = self.fuel[program].saturating_add(ran.fuel);
        });
        self.account.count(worker.counts().since(before));
    }

    /// The answers of all that reproduce a demonstration, the cheapest first.
    fn findings(&self, worker: &mut Worker<'_>) -> Vec<Candidate> {
        let n_tests = self.puzzle.test_inputs.len();
        let before = worker.counts();
        let mut answers: Vec<Vec<Option<Grid>>> = vec![vec![None; n_tests]; self.known.len()];
        let is_wanted = |program: usize| self.n_right[program] > 0;
        for (test, input) in self.puzzle.test_inputs.iter().enumerate() {
            worker.run_some_on_grid(input, is_wanted, |program, ran| {
                if let Outcome::Grid(grid) = ran.outcome {
                    answers[program][test] = grid.to_grid();
                }
            });
        }
        self.account.count(worker.counts().since(before));
        let mut order: Vec<usize> = (0..self.known.len()).filter(|k| is_wanted(*k)).collect();
        order.sort_by_key(|k| self.fuel[*k]);
        let candidate = |k: usize| Candidate {
            answers: std::mem::take(&mut answers[k]),
            n_demos: self.n_right[k],
            cost: LINE_COST * self.known.program(k).lines.len() as u32,
            n_layers: 1,
            n_agreeing: 0,
            source: Source::Transfer(self.known.program(k).name.clone()),
            program: self.known.program(k).clone(),
        };
        order.into_iter().map(candidate).collect()
    }
}
