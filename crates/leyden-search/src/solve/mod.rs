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
mod habits;
mod induce;
mod moves;
mod mutants;
mod objects;
mod sketch;
mod states;
mod transfer;
mod views;

use std::cell::Cell;
use std::cmp::Reverse;

use leyden_exec::{BatteryPlan, Counts, with_large_stack};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::Program;

pub use effort::{Effort, PHASES, Parts, Times};
pub use finding::{Candidate, Source};
pub use leyden_profile::model::Phase;
pub use moves::{Moves, MovesError};
pub use transfer::{KNOWN_FUEL, Known};

use chain::{simplified, woven};
use compose::{Cover, compose};
use effort::{Account, Span};
use finding::{distinct, rank};
use habits::Habits;
use induce::{Found, induce};
use moves::Kit;
use mutants::mutants;
use objects::rules_of_objects;
use sketch::Sketch;
use states::{Picture, States};
use transfer::transfer;
use views::View;

/// The share at which enumerating ends, so that effort is left for making answers.
const ENUMERATE_UNTIL: f64 = 0.85;
/// The share at which it ends if all demonstrations are reproduced and other tasks need the time.
const LEAVE_AT: f64 = 0.3;
/// The share at which learning rules ends.
const INDUCE_UNTIL: f64 = 0.4;
/// The fuel of a move, and of a long one.
const FUEL: u64 = 100_000;
const LONG_FUEL: u64 = 2_000_000;
/// The number of best covers of a view for which programs are written.
const MAX_WRITTEN: usize = 24;

/// An answer to one test input.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The answer.
    pub grid: Grid,
    /// The program that gives it.
    pub program: Program,
    /// The number of demonstrations that the program reproduces.
    pub n_demos: usize,
    /// The cost; less is better.
    pub cost: u32,
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
    let mut solution = Solution::default();
    for (k, view) in views.iter().enumerate() {
        let share = |k: usize| sketch.search_until() * k as f64 / views.len() as f64;
        let span = Span::new(account, share(k), share(k + 1));
        if span.is_late_now() {
            break;
        }
        let found = look(moves, view, effort, &span);
        candidates.extend(found.candidates);
        solution.n_states += found.n_states;
        solution.n_pieces += found.n_pieces;
    }
    account.enter(Phase::Rank);
    let habits = Habits::of(puzzle);
    for candidate in &mut candidates {
        candidate.cost += habits.cost(&candidate.answers);
    }
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

/// Searches in one view of a puzzle.
fn look(moves: &Moves, view: &View, effort: &Effort<'_>, span: &Span<'_>) -> Solution {
    span.enter(Phase::Enumerate);
    let puzzle = &view.puzzle;
    let kit = moves.kit(puzzle);
    let mut states = States::new(puzzle);
    leap(&mut states, &kit, effort, span);
    enumerate(&mut states, (&kit, &kit.first, 1), puzzle, effort, span);
    let mut rules = if effort.parts.induce {
        learn(puzzle, &kit, &states, span)
    } else {
        Vec::new()
    };
    // Roles of colours change little for objects, so the plain view is enough.
    if effort.parts.objects && view.cost == 0 {
        span.enter(Phase::Induce);
        rules.extend(rules_of_objects(puzzle, span));
        span.enter(Phase::Enumerate);
    }
    let later = (&kit, &kit.later, usize::MAX);
    enumerate(&mut states, later, puzzle, effort, span);
    span.enter(Phase::Compose);
    let (mut covers, n_pieces) = compose(&states, puzzle, effort.parts.compose, span);
    span.enter(Phase::Rank);
    covers.sort_by_key(|cover| (Reverse(cover.n_demos), cover.cost));
    let written = |cover: &Cover| Candidate {
        answers: back(view, &cover.answers),
        program: simplified(&view.program(woven(&kit, &states, &cover.layers, puzzle))),
        n_demos: cover.n_demos,
        cost: cover.cost + view.cost,
        n_layers: cover.layers.len(),
        n_agreeing: covers
            .iter()
            .filter(|it| it.answers == cover.answers)
            .count()
            - 1,
        source: Source::Search,
    };
    let mut best: Vec<&Cover> = Vec::new();
    for cover in &covers {
        if best.len() < MAX_WRITTEN && best.iter().all(|it| it.answers != cover.answers) {
            best.push(cover);
        }
    }
    let rules = rules.into_iter().map(|rule| Candidate {
        answers: back(view, &rule.answers),
        program: simplified(&view.program(rule.program)),
        n_demos: rule.n_demos,
        cost: rule.cost + view.cost,
        n_layers: 1,
        n_agreeing: 0,
        source: Source::Rule,
    });
    let candidates = rules.chain(best.into_iter().map(written)).collect();
    span.enter(Phase::Enumerate);
    Solution {
        candidates,
        n_states: states.all.len(),
        n_pieces,
        ..Solution::default()
    }
}

/// Translates answers into the colours of the puzzle.
fn back(view: &View, answers: &[Grid]) -> Vec<Option<Grid>> {
    let answers = answers.iter().enumerate();
    answers.map(|(k, grid)| Some(view.back(k, grid))).collect()
}

/// Learns rules while there is time.
fn learn(puzzle: &Puzzle, kit: &Kit, states: &States, span: &Span<'_>) -> Vec<Found> {
    if span.is_past(INDUCE_UNTIL) {
        return Vec::new();
    }
    span.enter(Phase::Induce);
    let rules = induce(puzzle, kit, states, span);
    span.enter(Phase::Enumerate);
    rules
}

/// Makes the long moves first: they are few, and occur only where a task hints at them.
fn leap(states: &mut States, kit: &Kit, effort: &Effort<'_>, span: &Span<'_>) {
    if !effort.parts.moves || kit.long.battery().outs.is_empty() || span.is_over() {
        return;
    }
    kit.long.with_worker(&states::engine(LONG_FUEL), |worker| {
        let before = Cell::new(worker.counts());
        let is_spent = |counts: Counts| span.is_spent(counts.since(before.get()).fuel);
        states.leap(worker, kit, &is_spent, |counts| {
            span.count(counts.since(before.replace(counts)));
            span.is_past(ENUMERATE_UNTIL)
        });
    });
}

/// Makes the moves of a plan from at most `n_times` states, until the effort is spent.
fn enumerate(
    states: &mut States,
    (kit, plan, n_times): (&Kit, &BatteryPlan, usize),
    puzzle: &Puzzle,
    effort: &Effort<'_>,
    span: &Span<'_>,
) {
    let outputs = puzzle.demos.iter().map(|pair| pair.output.clone());
    let outputs: Vec<Picture> = outputs.map(|grid| states.pool.put(grid)).collect();
    let (mut n_seen, mut is_found) = (0, false);
    plan.with_worker(&states::engine(FUEL), |worker| {
        let is_enough = |is_found: bool| {
            if is_found && effort.leaves_early {
                span.is_past(LEAVE_AT)
            } else {
                span.is_past(ENUMERATE_UNTIL)
            }
        };
        for _ in 0..n_times {
            let is_full =
                states.all.len() >= effort.max_states || states.n_bytes() >= effort.max_bytes;
            if is_full || is_enough(is_found) {
                break;
            }
            let before = worker.counts();
            let is_spent = |counts: Counts| span.is_spent(counts.since(before).fuel);
            let is_expanded = effort.parts.moves && states.expand(worker, kit, &is_spent);
            span.count(worker.counts().since(before));
            if !is_expanded {
                break;
            }
            // Looking up known pictures takes time, too.
            span.spend(kit.moves.len() as u64);
            let new = &states.all[n_seen..];
            is_found |= new.iter().any(|it| it.pictures.starts_with(&outputs));
            n_seen = states.all.len();
        }
    });
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
                    cost: candidate.cost,
                    source: candidate.source.clone(),
                });
            }
        }
    }
    attempts
}
