//! Rules that draw on the input step by step: rays, walkers that turn, regions that fill.
//!
//! A rule is worth keeping if all that it draws is right, or hidden by drawn cells of the input that
//! stay. Kernels find such rules. Each can be written in arc-dsl, and its drawing on a blank picture
//! becomes a state of the search, which lays drawings over each other.

mod ground;
mod harvest;
mod regions;
mod spread;
mod stamps;
#[cfg(test)]
mod tests;
mod walks;

use std::rc::Rc;

use leyden_grid::{Grid, Puzzle};

use super::effort::{Effort, Span};
use super::price::UNIT;
use super::states::{Picture, States, Told};
use ground::Ground;
use harvest::{Drawing, Harvest};
use regions::Regions;
use walks::{Vocabulary, Walkers};

/// The largest number of drawings that become states.
const MAX_HANDED: usize = 600;
/// The number of drawings that also become states over the input.
const MAX_OVER: usize = 30;
/// The share of the effort at which walks end.
const WALK_UNTIL: f64 = 0.6;
/// The price of the choice among the kinds of drawings, in tenths of a bit.
const KIND_COST: u32 = 30;
/// The cost of laying a drawing over the input.
const OVER_COST: u32 = 1;

/// A drawing as a program.
#[derive(Debug)]
struct Drawn {
    text: Rc<str>,
    is_over_input: bool,
}

impl Told for Drawn {
    fn text(&self) -> String {
        if !self.is_over_input {
            return self.text.to_string();
        }
        let drawn = "rbind(sfilter, compose(flip, matcher(first, 0)))";
        format!("paint(I, {drawn}(asobject({})))", self.text)
    }
}

/// Adds right drawings to the states, if outputs have the sizes of inputs.
pub(crate) fn grow(states: &mut States, puzzle: &Puzzle, effort: &Effort<'_>, span: &Span<'_>) {
    let is_same = |pair: &leyden_grid::Pair| pair.input.shape() == pair.output.shape();
    if !puzzle.demos.iter().all(is_same) || puzzle.demos.is_empty() {
        return;
    }
    let ground = Ground::new(puzzle);
    let is_drawn_new = |it: &ground::Sample| {
        (0..it.cells.len()).any(|k| it.is_changed(k) && it.wanted(k).is_some_and(|c| c != 0))
    };
    if !ground.samples.iter().any(is_drawn_new) {
        return;
    }
    let words = Vocabulary::of(&ground);
    let mut harvest = Harvest {
        ground: &ground,
        all: Vec::new(),
    };
    let walkers = Walkers {
        ground: &ground,
        words: &words,
    };
    if !span.is_late_now() {
        Regions::of(&ground).harvest(&mut harvest, span);
        // Walks are many: they leave something for what follows.
        walkers.harvest(&mut harvest, span, WALK_UNTIL);
        walkers.harvest_spread(&mut harvest, span);
        walkers.harvest_stamps(&mut harvest, span);
    }
    hand_over(harvest, states, puzzle, effort, span);
}

/// Adds the cheapest drawings, and those that explain most over the input.
fn hand_over(
    harvest: Harvest<'_>,
    states: &mut States,
    puzzle: &Puzzle,
    effort: &Effort<'_>,
    span: &Span<'_>,
) {
    let mut all = harvest.all;
    all.sort_by_key(|it| it.cost);
    for (k, it) in all.iter().enumerate().take(MAX_HANDED) {
        if states.is_full(effort) || (k % 64 == 0 && span.is_late_now()) {
            return;
        }
        hand(states, puzzle, it, false);
    }
    all.sort_by_key(|it| (std::cmp::Reverse(it.gain), it.cost));
    for it in all.iter().take(MAX_OVER) {
        hand(states, puzzle, it, true);
    }
}

fn hand(states: &mut States, puzzle: &Puzzle, drawing: &Drawing, is_over_input: bool) {
    let demos = puzzle.demos.iter().map(|pair| &pair.input);
    let inputs = demos.chain(&puzzle.test_inputs);
    let mut pictures: Vec<Picture> = Vec::new();
    for (input, drawn) in inputs.zip(&drawing.pictures) {
        let mut cells = drawn.clone();
        if is_over_input {
            let blank = cells.iter_mut().zip(input.cells());
            blank
                .filter(|(cell, _)| **cell == 0)
                .for_each(|(cell, below)| *cell = *below);
        }
        let Ok(grid) = Grid::from_cells(input.height(), input.width(), &cells) else {
            return;
        };
        pictures.push(states.pool.put(grid));
    }
    let cost = drawing.cost + if is_over_input { OVER_COST } else { 0 };
    let told = Drawn {
        text: Rc::from(drawing.text.as_str()),
        is_over_input,
    };
    states.add_told(&pictures, KIND_COST + cost * UNIT, Rc::new(told));
}
