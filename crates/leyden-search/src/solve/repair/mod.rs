//! Completes regular pictures of which some cells are unknown.
//!
//! A [`Veil`] says which cells are unknown: those of a colour, blank ones, or cells beyond the input.
//! A [`Fold`] is a symmetry that tells unknown cells from known ones: a mirror, a turn, or copies in
//! equal steps. The search makes up to three folds one after the other, each in the place where the
//! known cells agree best, and drops those that contradict the outputs.
//! The completed pictures, and the hidden parts alone, become states of the other search.

mod fold;
mod partial;
mod veil;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use leyden_grid::{Grid, Puzzle};

use super::effort::Span;
use super::price::UNIT;
use super::states::{Picture, States, Told};
use fold::Fold;
use partial::{Partial, UNKNOWN, shown};
use veil::{Veil, bounds};

/// The largest number of folds one after the other.
const MAX_FOLDS: usize = 3;
/// The largest number of folds if outputs do not say what is right.
const MAX_FREE_FOLDS: usize = 1;
/// The largest number of completed pictures for a veil.
const MAX_NODES: usize = 60;
/// The price of showing the hidden part alone.
const PART_COST: u32 = 1;
/// The price of a colour for all told cells.
const MARK_COST: u32 = 2;
/// The number of cells that a kernel sees for a unit of fuel.
const CELLS_PER_FUEL: u64 = 8;

/// A completed picture for each sample.
#[derive(Debug)]
struct Node {
    samples: Vec<Partial>,
    folds: Vec<Fold>,
    cost: u32,
    n_words: usize,
    fits: Fits,
}

/// The pictures that can be the outputs, as far as cells are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fits {
    /// The whole picture.
    whole: bool,
    /// The part that was hidden.
    part: bool,
    /// The input with one colour in all cells that were told.
    marks: Marks,
}

/// The colour of told cells in the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    None,
    Any,
    One(u8),
}

impl Fits {
    fn nothing(self) -> bool {
        !self.whole && !self.part && self.marks == Marks::None
    }
}

/// The program of a completed picture.
#[derive(Debug)]
struct Recipe {
    veil: Veil,
    folds: Vec<Fold>,
    shown: Shown,
}

/// The way in which a completed picture becomes a grid.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Whole,
    /// Only the hidden part.
    Part,
    /// The input with this colour in all cells that were told.
    Marked(u8),
}

impl Told for Recipe {
    fn text(&self) -> String {
        let mut text = format!("p0 = {}\n", self.veil.text());
        for (k, fold) in (1..).zip(&self.folds) {
            text += &fold.text(k);
        }
        let n = self.folds.len();
        let whole = format!("replace(p{n}, 10, 0)");
        text + &match (self.shown, self.veil.patch()) {
            (Shown::Part, Some(patch)) => format!("subgrid({patch}, {whole})"),
            (Shown::Marked(colour), _) => {
                format!("fill(I, {colour}, difference(ofcolor(I, 0), ofcolor(p{n}, 0)))")
            }
            _ => whole,
        }
    }

    fn is_expression(&self) -> bool {
        false
    }
}

/// Completes the inputs, and adds the results to the states.
pub(crate) fn repair(states: &mut States, puzzle: &Puzzle, span: &Span<'_>) {
    for (veil, cost) in Veil::all(puzzle) {
        if span.is_over() || span.is_late() {
            return;
        }
        let Some(hidden) = Hidden::new(&veil, cost, puzzle) else {
            continue;
        };
        for node in hidden.completed(span) {
            hidden.hand_over(&node, states);
        }
    }
}

/// The samples of a task behind a veil.
struct Hidden<'p> {
    veil: &'p Veil,
    cost: u32,
    puzzle: &'p Puzzle,
    first: Vec<Partial>,
    /// The corners of the hidden part of each sample: top, left, bottom and right.
    boxes: Vec<(usize, usize, usize, usize)>,
}

impl<'p> Hidden<'p> {
    fn new(veil: &'p Veil, cost: u32, puzzle: &'p Puzzle) -> Option<Hidden<'p>> {
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs = demos.chain(&puzzle.test_inputs);
        let first: Option<Vec<Partial>> = inputs.map(|grid| veil.over(grid)).collect();
        let first = first?;
        let bounds = |it: &Partial| {
            let is_hidden: Vec<u8> = it.cells.iter().map(|c| u8::from(*c == UNKNOWN)).collect();
            let marked = Grid::from_cells(it.height, it.width, &is_hidden).ok()?;
            bounds(&marked, |cell| cell == 1)
        };
        let boxes: Option<Vec<_>> = first.iter().map(bounds).collect();
        let has_known = first.iter().all(|it| it.n_known() > 0);
        Some(Hidden {
            veil,
            cost,
            puzzle,
            first,
            boxes: boxes.filter(|_| has_known)?,
        })
    }

    /// Compares the known cells with the outputs.
    fn fits(&self, samples: &[Partial]) -> Fits {
        let pairs = || self.puzzle.demos.iter().zip(samples);
        let whole = pairs().all(|(pair, sample)| {
            let is_equal = |(ours, theirs): (&u8, &u8)| *ours == UNKNOWN || shown(*ours) == *theirs;
            (sample.height, sample.width) == pair.output.shape()
                && sample.cells.iter().zip(pair.output.cells()).all(is_equal)
        });
        let is_part =
            |((pair, sample), corners): ((_, &Partial), &_)| is_part(sample, *corners, pair);
        let outputs = self.puzzle.demos.iter().map(|pair| &pair.output);
        let part =
            self.veil.patch().is_some() && outputs.zip(samples).zip(&self.boxes).all(is_part);
        Fits {
            whole,
            part,
            marks: self.marks(samples),
        }
    }

    /// Compares the told cells with the outputs.
    fn marks(&self, samples: &[Partial]) -> Marks {
        if *self.veil != Veil::Colour(0) {
            return Marks::None;
        }
        let mut marks = Marks::Any;
        for ((pair, sample), first) in self.puzzle.demos.iter().zip(samples).zip(&self.first) {
            if pair.input.shape() != pair.output.shape() {
                return Marks::None;
            }
            let cells = sample.cells.iter().zip(&first.cells);
            for ((now, before), theirs) in cells.zip(pair.output.cells()) {
                if before != &UNKNOWN && before != theirs {
                    return Marks::None;
                }
                if now == before {
                    continue;
                }
                marks = match marks {
                    Marks::Any if *theirs != 0 => Marks::One(*theirs),
                    Marks::One(colour) if colour == *theirs => marks,
                    _ => return Marks::None,
                };
            }
        }
        marks
    }

    /// Whether completed pictures are worth something even if the outputs show other ones: later
    /// moves can go on from there.
    fn may_be_free(&self) -> bool {
        let mut outputs = self.puzzle.demos.iter().map(|pair| &pair.output);
        match self.veil {
            Veil::Colour(0) => true,
            Veil::Colour(colour) => outputs.all(|grid| grid.palette() >> colour & 1 == 0),
            _ => false,
        }
    }

    /// All completions in the order of their number of folds.
    fn completed(&self, span: &Span<'_>) -> Vec<Node> {
        let folds = Fold::all();
        let fits = self.fits(&self.first);
        let is_free = fits.nothing();
        if is_free && !self.may_be_free() {
            return Vec::new();
        }
        let max_folds = if is_free { MAX_FREE_FOLDS } else { MAX_FOLDS };
        let mut nodes = vec![Node {
            samples: self.first.clone(),
            folds: Vec::new(),
            cost: self.cost,
            n_words: 0,
            fits,
        }];
        let mut n_seen = 0;
        while n_seen < nodes.len() {
            let before = n_seen;
            n_seen += 1;
            if nodes[before].n_words == max_folds {
                break;
            }
            for (folds, cost) in &folds {
                if nodes.len() > MAX_NODES || span.is_over() || span.is_late() {
                    return nodes;
                }
                if let Some(node) = self.folded(&nodes[before], (folds, *cost), is_free, span)
                    && nodes.iter().all(|it| it.samples != node.samples)
                {
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// Makes folds in all samples.
    fn folded(
        &self,
        node: &Node,
        (more, cost): (&[Fold], u32),
        is_free: bool,
        span: &Span<'_>,
    ) -> Option<Node> {
        let is_noisy = |fold: &Fold| fold.is_noisy();
        let is_mixed = node.folds.iter().any(is_noisy) != more.iter().any(is_noisy);
        let is_whole = node.samples.iter().all(Partial::is_whole);
        if is_whole || (is_mixed && !node.folds.is_empty()) {
            return None;
        }
        let mut samples = node.samples.clone();
        for fold in more {
            for sample in &mut samples {
                span.spend(1 + fold.work(sample) / CELLS_PER_FUEL);
                *sample = fold.of(sample)?;
            }
        }
        let fits = self.fits(&samples);
        let fits = Fits {
            whole: fits.whole && node.fits.whole,
            part: fits.part && node.fits.part,
            marks: fits.marks,
        };
        if samples == node.samples || (fits.nothing() && !is_free) {
            return None;
        }
        Some(Node {
            samples,
            folds: node.folds.iter().chain(more).copied().collect(),
            cost: node.cost + cost,
            n_words: node.n_words + 1,
            fits,
        })
    }

    /// Adds a completed picture, and its hidden part, to the states.
    fn hand_over(&self, node: &Node, states: &mut States) {
        if node.folds.is_empty() {
            return;
        }
        let whole: Option<Vec<Grid>> = node.samples.iter().map(Partial::to_grid).collect();
        let Some(whole) = whole else { return };
        let recipe = |shown| Recipe {
            veil: self.veil.clone(),
            folds: node.folds.clone(),
            shown,
        };
        if node.fits.part {
            let cropped = whole.iter().zip(&self.boxes).map(|it| cropped(it.0, *it.1));
            if let Some(parts) = cropped.collect() {
                add(states, parts, node.cost + PART_COST, recipe(Shown::Part));
            }
        }
        if let Marks::One(colour) = node.fits.marks {
            let samples = node.samples.iter().zip(&self.first);
            let marked = samples.map(|(now, before)| marked(now, before, colour));
            if let Some(marked) = marked.collect() {
                let recipe = recipe(Shown::Marked(colour));
                add(states, marked, node.cost + MARK_COST, recipe);
            }
        }
        add(states, whole, node.cost, recipe(Shown::Whole));
    }
}

/// The picture before with a colour in all cells that were told.
fn marked(now: &Partial, before: &Partial, colour: u8) -> Option<Grid> {
    let cell = |i, j| {
        if now.get(i, j) == before.get(i, j) {
            now.get(i, j)
        } else {
            colour
        }
    };
    Partial::drawn((now.height, now.width), cell).to_grid()
}

/// Whether the known cells of the hidden part of a sample are those of an output.
fn is_part(
    sample: &Partial,
    (top, left, bottom, right): (usize, usize, usize, usize),
    output: &Grid,
) -> bool {
    let size = (bottom - top + 1, right - left + 1);
    let is_equal = |k: usize| {
        let cell = sample.get(top + k / size.1, left + k % size.1);
        cell == UNKNOWN || shown(cell) == output.cells()[k]
    };
    size == output.shape() && (0..size.0 * size.1).all(is_equal)
}

/// A part of a grid.
fn cropped(grid: &Grid, (top, left, bottom, right): (usize, usize, usize, usize)) -> Option<Grid> {
    let places = (top..=bottom).flat_map(|i| (left..=right).map(move |j| (i, j)));
    let cells: Option<Vec<u8>> = places.map(|(i, j)| grid.get(i, j)).collect();
    Grid::from_cells(bottom - top + 1, right - left + 1, &cells?).ok()
}

/// Adds a state.
fn add(states: &mut States, grids: Vec<Grid>, cost: u32, recipe: Recipe) {
    let pictures: Vec<Picture> = grids
        .into_iter()
        .map(|grid| states.pool.put(grid))
        .collect();
    states.add_told(&pictures, cost * UNIT, Rc::new(recipe));
}
