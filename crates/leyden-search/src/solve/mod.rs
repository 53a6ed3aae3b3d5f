//! Solves tasks for which no program is known.
//!
//! [`Moves`] lead from the inputs of all demonstrations and tests at once to other pictures, the
//! cheapest first. Pictures that are equal everywhere are kept once. Pictures of the size of the
//! outputs are pieces. The search lays pieces that contradict nothing over each other until
//! everything is covered. It also learns rules over cells and objects from the demonstrations.
//! Every answer comes with its program.

mod bits;
mod chain;
mod compose;
mod effort;
mod facts;
mod finding;
mod growth;
mod habits;
mod induce;
mod lists;
mod look;
mod moves;
mod mutants;
mod nearest;
mod objects;
mod price;
mod repair;
mod sizes;
mod sketch;
mod states;
mod transfer;
mod views;

use leyden_exec::with_large_stack;
use leyden_grid::{Grid, Puzzle};
use leyden_lang::Program;

pub use effort::{Effort, PHASES, Parts, Times};
pub use finding::{Candidate, Source};
pub use leyden_profile::model::Phase;
pub use moves::{Moves, MovesError};
pub use price::PricePart;
pub use transfer::{KNOWN_FUEL, Known};

use effort::Account;
use finding::{distinct, pool, rank};
use habits::Habits;
use look::{Looks, Scene};
use mutants::mutants;
use sketch::Sketch;
use transfer::transfer;
use views::View;

/// The fuel of a move, and of a long one.
const FUEL: u64 = 100_000;
const LONG_FUEL: u64 = 2_000_000;
/// The fuel of a program that another part of the search tells, on one grid: three symmetries of a
/// picture of 30 rows and columns. It takes some ten milliseconds.
const TOLD_FUEL: u64 = 6_000_000;

/// An answer to one test input.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The answer.
    pub grid: Grid,
    /// The program that gives it.
    pub program: Program,
    /// The number of demonstrations that the program reproduces.
    pub n_demos: usize,
    /// The price in tenths of a bit; less is better.
    pub price: i64,
    /// Its origin.
    pub source: Source,
}

/// The result for a puzzle.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The best answers for each test input, the best first.
    pub attempts: Vec<Vec<Attempt>>,
    /// The best candidates with distinct answers, the best first, as many as requested.
    pub candidates: Vec<Candidate>,
    /// The number of states reached.
    pub n_states: usize,
    /// The number of states that could be pieces of the outputs.
    pub n_pieces: usize,
    /// The number of runs of a program on a grid.
    pub n_runs: u64,
    /// The fuel that was spent.
    pub fuel: u64,
    /// The time of each phase.
    pub times: Times,
}

/// Searches for answers to a puzzle. Known programs come first.
pub fn solve(moves: &Moves, known: &Known, puzzle: &Puzzle, effort: &Effort<'_>) -> Solution {
    let account = Account::new(effort);
    let (mut solution, account) = with_large_stack(move || {
        let solution = search(moves, known, puzzle, effort, &account);
        (solution, account)
    });
    solution.times = account.times();
    solution
}

fn search(
    moves: &Moves,
    known: &Known,
    whole: &Puzzle,
    effort: &Effort<'_>,
    account: &Account<'_>,
) -> Solution {
    let sketch = Sketch::of(whole);
    let puzzle = &*sketch.puzzle;
    sketch.begin(account);
    let mut candidates = Vec::new();
    if effort.parts.transfer && !known.is_empty() {
        account.enter(Phase::Transfer);
        let (found, closeness) = transfer(known, puzzle, account);
        candidates = found;
        let is_solved = candidates.iter().any(|it| it.n_demos == puzzle.demos.len());
        if effort.parts.mutants && !is_solved {
            account.enter(Phase::Mutate);
            candidates.extend(mutants(known, &closeness, puzzle, account));
        }
        account.enter(Phase::Enumerate);
    }
    let views = if effort.parts.views {
        View::all(puzzle)
    } else {
        vec![View::plain(puzzle)]
    };
    let scene = Scene {
        moves,
        effort,
        account,
        until: sketch.search_until(),
    };
    let looks = Looks::at(&views, &scene);
    let mut solution = Solution {
        n_states: looks.n_states(),
        ..Solution::default()
    };
    let (found, n_pieces) = looks.candidates(&scene);
    candidates.extend(found);
    solution.n_pieces = n_pieces;
    account.enter(Phase::Rank);
    let habits = Habits::of(puzzle);
    for candidate in &mut candidates {
        candidate.pay(habits.price(&candidate.answers));
    }
    pool(&mut candidates);
    rank(&mut candidates, puzzle.demos.len());
    let mut candidates = sketch.completed(candidates, account);
    rank(&mut candidates, whole.demos.len());
    solution.attempts = attempts(&candidates, whole, effort.n_attempts);
    solution.candidates = distinct(candidates, effort.n_candidates);
    solution.n_runs = account.n_runs();
    solution.fuel = account.fuel();
    account.enter(Phase::Enumerate);
    solution
}

/// The first candidates with distinct answers for each test input.
fn attempts(candidates: &[Candidate], puzzle: &Puzzle, most: usize) -> Vec<Vec<Attempt>> {
    let mut attempts: Vec<Vec<Attempt>> = vec![Vec::new(); puzzle.test_inputs.len()];
    for candidate in candidates {
        for (attempts, answer) in attempts.iter_mut().zip(&candidate.answers) {
            let Some(grid) = answer else { continue };
            if attempts.len() < most && attempts.iter().all(|it| it.grid != *grid) {
                attempts.push(Attempt {
                    grid: grid.clone(),
                    program: candidate.program.clone(),
                    n_demos: candidate.n_demos,
                    price: candidate.price(),
                    source: candidate.source.clone(),
                });
            }
        }
    }
    attempts
}
