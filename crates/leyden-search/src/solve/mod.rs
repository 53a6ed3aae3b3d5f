//! Solves tasks that nobody has programs for.
//!
//! From the inputs of all demonstrations and tests at once, [`Moves`] lead to other pictures, cheapest
//! first; what looks the same everywhere is kept once. Pictures of the size of the outputs are
//! pieces, and pieces that contradict nothing are laid over each other until all is covered.
//! Every answer comes with the program that gives it.

mod chain;
mod compose;
mod facts;
mod moves;
mod states;

use leyden_exec::with_large_stack;
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Input, Operand, Program};

pub use moves::{Move, Moves, MovesError};

use chain::Weaver;
use compose::{Cover, Shows, compose};
use moves::Kit;
use states::{StateId, States};

/// What to spend.
pub struct Effort<'e> {
    /// Is the time for this task over?
    pub is_over: &'e (dyn Fn() -> bool + Sync),
    /// The most states to keep.
    pub max_states: usize,
    /// The most answers to give for each test input.
    pub n_attempts: usize,
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
    let kit = moves.kit(puzzle);
    kit.plan.with_worker(&states::engine(), |worker| {
        while states.all.len() < effort.max_states && !(effort.is_over)() {
            if !states.expand(worker, &kit) {
                break;
            }
        }
    });
    let (covers, n_pieces) = compose(&states, puzzle);
    let mut solution = Solution {
        attempts: vec![Vec::new(); puzzle.test_inputs.len()],
        n_states: states.all.len(),
        n_pieces,
    };
    for cover in covers {
        for (test, grid) in cover.answers.iter().enumerate() {
            let attempts = &mut solution.attempts[test];
            if attempts.len() < effort.n_attempts && attempts.iter().all(|a| a.grid != *grid) {
                attempts.push(Attempt {
                    grid: grid.clone(),
                    program: program(&kit, &states, &cover, puzzle),
                    n_demos: cover.n_demos,
                    cost: cover.cost,
                });
            }
        }
    }
    solution
}

/// The program that lays the pieces over each other.
fn program(kit: &Kit, states: &States, cover: &Cover, puzzle: &Puzzle) -> Program {
    let mut weaver = Weaver::new();
    let layers: Vec<(Operand, Shows)> = cover
        .layers
        .iter()
        .map(|layer| (piece(&mut weaver, kit, states, layer.state), layer.shows))
        .collect();
    let output = match layers.split_last() {
        None => Operand::Input(Input::I),
        Some((bottom, above)) => {
            let bottom = weaver.bottom(*bottom);
            let layers = above.iter().rev();
            layers.fold(bottom, |below, above| weaver.over(*above, below))
        }
    };
    weaver.finish(format!("solve_{}", puzzle.id), output)
}

fn piece(weaver: &mut Weaver, kit: &Kit, states: &States, state: StateId) -> Operand {
    let path = states.path(state);
    let input = Operand::Input(Input::I);
    path.iter().fold(input, |picture, step| {
        weaver.append(&kit.moves[*step as usize].program, picture)
    })
}
