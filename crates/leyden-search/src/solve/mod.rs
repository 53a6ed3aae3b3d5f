//! Solves tasks that nobody has programs for.
//!
//! From the inputs of all demonstrations and tests at once, [`Moves`] lead to other pictures, cheapest
//! first; what looks the same everywhere is kept once. Pictures of the size of the outputs are
//! pieces, and pieces that contradict nothing are laid over each other until all is covered.
//! Beside them stand rules over cells and objects that are learned from the demonstrations.
//! Every answer comes with the program that gives it.

mod chain;
mod compose;
mod induce;
mod moves;
mod states;

use std::cmp::Reverse;

use leyden_exec::with_large_stack;
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Input, Operand, Program};

pub use moves::{Move, Moves, MovesError};

use chain::Weaver;
use compose::{Cover, compose};
use induce::{Found, induce};
use states::{StateId, States};

/// What to spend.
pub struct Effort<'e> {
    /// Is the time for this task over?
    pub is_over: &'e (dyn Fn() -> bool + Sync),
    /// The most states to keep.
    pub max_states: usize,
    /// The most answers to give for each test input.
    pub n_attempts: usize,
    /// What takes part.
    pub parts: Parts,
}

/// The parts of the search, to be switched off one by one to see what each adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Moves from picture to picture.
    pub moves: bool,
    /// Pictures laid over each other.
    pub compose: bool,
    /// Rules learned from the demonstrations.
    pub induce: bool,
}

impl Default for Parts {
    /// All of them.
    fn default() -> Parts {
        Parts {
            moves: true,
            compose: true,
            induce: true,
        }
    }
}

/// An answer to one test input.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The answer.
    pub grid: Grid,
    /// The program that gives it.
    pub program: Program,
    /// How many demonstrations that program reproduces.
    pub n_demos: usize,
    /// What it costs; less is better.
    pub cost: u32,
}

/// What was found for a task.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// For each test input the best answers, best first.
    pub attempts: Vec<Vec<Attempt>>,
    /// How many states were reached.
    pub n_states: usize,
    /// How many of them could be pieces of the outputs.
    pub n_pieces: usize,
}

/// Searches for answers to a task.
pub fn solve(moves: &Moves, puzzle: &Puzzle, effort: &Effort<'_>) -> Solution {
    with_large_stack(|| search(moves, puzzle, effort))
}

fn search(moves: &Moves, puzzle: &Puzzle, effort: &Effort<'_>) -> Solution {
    let mut states = States::new(puzzle);
    reach(&mut states, moves, effort, 1);
    let rules = match effort.parts.induce {
        true => induce(puzzle, moves, &states, effort.is_over),
        false => Vec::new(),
    };
    reach(&mut states, moves, effort, usize::MAX);
    let (covers, n_pieces) = compose(&states, puzzle, effort.parts.compose);
    let covers = covers.into_iter().map(Candidate::Cover);
    let mut candidates: Vec<Candidate> = rules.into_iter().map(Candidate::Rule).collect();
    candidates.extend(covers);
    candidates.sort_by_key(Candidate::rank);
    let mut solution = Solution {
        attempts: vec![Vec::new(); puzzle.test_inputs.len()],
        n_states: states.all.len(),
        n_pieces,
    };
    for candidate in candidates {
        for (test, grid) in candidate.answers().iter().enumerate() {
            let attempts = &mut solution.attempts[test];
            if attempts.len() < effort.n_attempts && attempts.iter().all(|a| a.grid != *grid) {
                let (Reverse(n_demos), cost) = candidate.rank();
                attempts.push(Attempt {
                    grid: grid.clone(),
                    program: match &candidate {
                        Candidate::Cover(cover) => program(moves, &states, cover, puzzle),
                        Candidate::Rule(rule) => rule.program.clone(),
                    },
                    n_demos,
                    cost,
                });
            }
        }
    }
    solution
}

/// Goes on from the cheapest states, so many times at most.
fn reach(states: &mut States, moves: &Moves, effort: &Effort<'_>, n_times: usize) {
    let n_times = if effort.parts.moves { n_times } else { 0 };
    moves.plan().with_worker(&states::engine(), |worker| {
        for _ in 0..n_times {
            let is_over = states.all.len() >= effort.max_states || (effort.is_over)();
            if is_over || !states.expand(worker, moves) {
                break;
            }
        }
    });
}

/// Something that gives answers.
enum Candidate {
    Cover(Cover),
    Rule(Found),
}

impl Candidate {
    /// Better ones first: those that reproduce more demonstrations, then those that cost less.
    fn rank(&self) -> (Reverse<usize>, u32) {
        match self {
            Candidate::Cover(cover) => (Reverse(cover.n_demos), cover.cost),
            Candidate::Rule(rule) => (Reverse(rule.n_demos), rule.cost),
        }
    }

    fn answers(&self) -> &[Grid] {
        match self {
            Candidate::Cover(cover) => &cover.answers,
            Candidate::Rule(rule) => &rule.answers,
        }
    }
}

/// The program that lays the pieces over each other.
fn program(moves: &Moves, states: &States, cover: &Cover, puzzle: &Puzzle) -> Program {
    let mut weaver = Weaver::new();
    let layers: Vec<Operand> = cover
        .layers
        .iter()
        .map(|state| piece(&mut weaver, moves, states, *state))
        .collect();
    let output = match layers.split_last() {
        None => Operand::Input(Input::I),
        Some((bottom, above)) => above
            .iter()
            .rev()
            .fold(*bottom, |below, above| weaver.over(*above, below)),
    };
    weaver.finish(format!("solve_{}", puzzle.id), output)
}

fn piece(weaver: &mut Weaver, moves: &Moves, states: &States, state: StateId) -> Operand {
    let path = states.path(state);
    let input = Operand::Input(Input::I);
    path.iter().fold(input, |picture, step| {
        weaver.append(&moves.all()[*step as usize].program, picture)
    })
}
