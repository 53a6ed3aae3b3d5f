//! Rules for objects that know each other: objects move, turn, change their colour, vanish and draw
//! figures, with vectors and colours taken from partners.
//!
//! Everything is computed natively. A list of rules that explains all changes becomes an arc-dsl
//! program, and only what the engine confirms counts.

mod actions;
#[cfg(test)]
mod agreement;
mod decide;
mod figures;
mod fixed;
mod partners;
mod said;
mod scene;
mod stamps;
mod tests;
mod values;

use leyden_exec::{Outcome, Sample};
use leyden_grid::{Grid, Puzzle};

use super::FUEL;
use super::chain::{program_of, simplified};
use super::effort::Span;
use super::induce::Found;
use super::price::{PricePart, UNIT};
use super::states::engine;
use actions::Goal;
use decide::{List, Words};
use scene::{CUTS, Cut, World};

/// The share at which learning ends.
const OBJECTS_UNTIL: f64 = 0.5;
/// The number of lists for which a cut writes programs.
const MAX_LISTS: usize = 6;
/// The bits for one unit of cost.
const BITS_PER_COST: f32 = 2.0;
/// The cost of each demonstration that a list does not foresee.
const UNFORESEEN_COST: u32 = 3;

/// Programs made of rules for objects.
pub(crate) fn rules_of_objects(puzzle: &Puzzle, span: &Span<'_>) -> Vec<Found> {
    let is_same = |pair: &leyden_grid::Pair| pair.input.shape() == pair.output.shape();
    if !puzzle.demos.iter().all(is_same) || puzzle.demos.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Found> = Vec::new();
    let mut worlds: Vec<World> = Vec::new();
    for cut in CUTS {
        if span.is_past(OBJECTS_UNTIL) || span.is_late_now() {
            break;
        }
        let Some(world) = World::new(puzzle, cut) else {
            continue;
        };
        let is_new = worlds.iter().all(|it| it.things != world.things);
        if is_new {
            found.extend(of_cut(puzzle, &world, cut, span));
            worlds.push(world);
        }
    }
    found
}

fn of_cut(puzzle: &Puzzle, world: &World, cut: Cut, span: &Span<'_>) -> Vec<Found> {
    let is_over = |work: u64| {
        span.spend(work);
        span.is_past(OBJECTS_UNTIL)
    };
    let outputs = puzzle.demos.iter().map(|pair| pair.output.cells().to_vec());
    let goal = Goal::new(world, outputs.collect());
    if goal.n_changed == 0 {
        return Vec::new();
    }
    // Tables look at pairs of objects.
    if is_over((world.things.len() * world.things.len()) as u64) {
        return Vec::new();
    }
    let pool = partners::partners(world);
    let free = values::free_steps(world);
    let mut vectors = fixed::vectors(world, &goal);
    vectors.extend(values::vectors(world, &pool, &free));
    let stamps = stamps::stamps(world, &goal);
    let figures = figures::figures(world, &pool, &vectors, &free, &stamps);
    let colours = values::colours(world, &pool, goal.made);
    let actions = actions::actions(world, &goal, &figures, &colours, &is_over);
    let words = Words {
        world,
        goal: &goal,
        figures,
        colours,
        actions,
        tests: tests::tests(world),
    };
    let lists = words.lists(None, MAX_LISTS, &is_over);
    if lists.is_empty() {
        return Vec::new();
    }
    let more = UNFORESEEN_COST * n_unforeseen(&words, &is_over);
    let tried = |list: &List| {
        let cost = cut.cost + (list.bits / BITS_PER_COST) as u32 + more;
        tried(puzzle, &words, list, cost, span)
    };
    lists.iter().filter_map(tried).collect()
}

/// The number of demonstrations that the cheapest list for the others does not give.
fn n_unforeseen(words: &Words<'_>, is_over: &dyn Fn(u64) -> bool) -> u32 {
    let n_demos = words.world.n_demos;
    if n_demos < 2 {
        return n_demos as u32;
    }
    let is_foreseen = |demo: &usize| {
        let lists = words.lists(Some(*demo), 1, is_over);
        let drawn = lists.first().and_then(|list| words.drawn(list, *demo));
        drawn.as_ref() == Some(&words.goal.outputs[*demo])
    };
    n_demos as u32 - (0..n_demos).filter(is_foreseen).count() as u32
}

/// Runs the program of a list on all inputs; `None` if it is not what the list says.
fn tried(
    puzzle: &Puzzle,
    words: &Words<'_>,
    list: &List,
    cost: u32,
    span: &Span<'_>,
) -> Option<Found> {
    let program = simplified(&program_of(
        &format!("solve_{}", puzzle.id),
        &words.text(list),
    )?);
    let engine = engine(FUEL);
    let run = |input: &Grid| {
        let outcome = engine.run(&program, &Sample::of(input));
        span.spend(1000);
        match outcome {
            Outcome::Grid(output) => output.to_grid(),
            _ => None,
        }
    };
    let is_right = |pair: &leyden_grid::Pair| run(&pair.input).as_ref() == Some(&pair.output);
    if !puzzle.demos.iter().all(is_right) {
        return None;
    }
    let answers: Option<Vec<Grid>> = puzzle.test_inputs.iter().map(run).collect();
    Some(Found {
        answers: answers?,
        n_demos: puzzle.demos.len(),
        parts: vec![PricePart::new("a list of rules for objects", cost * UNIT)],
        program,
    })
}
