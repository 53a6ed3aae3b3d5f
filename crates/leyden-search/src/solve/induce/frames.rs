//! Pictures of the outputs' sizes, for rules to start from.

use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::Program;

use super::super::chain::woven;
use super::super::compose::Layer;
use super::super::moves::Kit;
use super::super::price::{Tenths, UNIT};
use super::super::states::{StateId, States};
use super::field::{Piece, values};
use super::text::with_input;

/// The number of pictures that are starting points.
const MAX_FRAMES: usize = 5;
/// The number of other pictures considered with each of them.
const MAX_PIECES: usize = 300;

/// A picture that has the outputs' sizes in all demonstrations.
pub(super) struct Frame {
    /// The task with this picture for its inputs.
    pub(super) puzzle: Puzzle,
    /// The picture in arc-dsl.
    pub(super) text: String,
    /// The program that makes the picture, if its text is `I` for want of an expression.
    pub(super) before: Option<Program>,
    /// Its price in tenths of a bit.
    pub(super) cost: Tenths,
    /// Other pictures of these sizes, in all samples.
    pub(super) pieces: Vec<Piece>,
}

/// The input, if it has the right size; otherwise the cheapest pictures that have it.
pub(super) fn first<'s>(
    puzzle: &'s Puzzle,
    kit: &'s Kit,
    states: &'s States,
) -> impl Iterator<Item = Frame> + 's {
    let fitting = fitting(puzzle, states);
    let n_frames = match fitting.first() {
        Some(0) => 1,
        _ => MAX_FRAMES,
    };
    let firsts: Vec<StateId> = fitting.iter().take(n_frames).copied().collect();
    let frames = firsts.into_iter();
    frames.filter_map(move |id| frame(puzzle, kit, states, id, &fitting))
}

/// The pictures of chosen states.
pub(super) fn of<'s>(
    chosen: &'s [StateId],
    puzzle: &'s Puzzle,
    kit: &'s Kit,
    states: &'s States,
) -> impl Iterator<Item = Frame> + 's {
    let fitting = fitting(puzzle, states);
    let frames = chosen.iter();
    frames.filter_map(move |id| frame(puzzle, kit, states, *id, &fitting))
}

/// The states with the sizes of the outputs, the cheapest first.
fn fitting(puzzle: &Puzzle, states: &States) -> Vec<StateId> {
    let ids = 0..states.all.len() as StateId;
    let mut fitting: Vec<StateId> = ids.filter(|id| states.fits(*id, puzzle)).collect();
    fitting.sort_by_key(|id| (states.all[*id as usize].cost, *id));
    fitting
}

fn frame(
    puzzle: &Puzzle,
    kit: &Kit,
    states: &States,
    id: StateId,
    fitting: &[StateId],
) -> Option<Frame> {
    let is_expression = states.is_expression(id);
    let is_beside = |other: &&StateId| {
        **other != id
            && is_expression
            && states.is_expression(**other)
            && states
                .pictures(**other)
                .map(Grid::shape)
                .eq(states.pictures(id).map(Grid::shape))
    };
    let piece = |other: &StateId| Piece {
        text: text(kit, states, *other),
        cost: states.all[*other as usize].cost.div_ceil(UNIT),
        values: states.pictures(*other).flat_map(values).collect(),
    };
    let mut grids = states.pictures(id).cloned();
    let demos = puzzle.demos.iter().map(|pair| {
        Some(Pair {
            input: grids.next()?,
            output: pair.output.clone(),
        })
    });
    let demos: Option<Vec<Pair>> = demos.collect();
    Some(Frame {
        puzzle: Puzzle {
            id: puzzle.id.clone(),
            demos: demos?,
            test_inputs: grids.collect(),
        },
        text: if is_expression {
            text(kit, states, id)
        } else {
            "I".to_owned()
        },
        before: (!is_expression).then(|| woven(kit, states, &[Layer::of(id)], puzzle)),
        cost: states.all[id as usize].cost,
        pieces: fitting
            .iter()
            .filter(is_beside)
            .take(MAX_PIECES)
            .map(piece)
            .collect(),
    })
}

/// Writes a state in arc-dsl.
fn text(kit: &Kit, states: &States, id: StateId) -> String {
    let (told, path) = states.path(id);
    let input = told.map_or_else(|| "I".to_owned(), |told| told.text());
    path.iter().fold(input, |input, step| {
        let name = &kit.moves[*step as usize].name;
        let expression = name.split_once(": ").map_or("I", |(_, text)| text);
        with_input(expression, &input)
    })
}
