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
/// The number of cells that a kernel sees for a unit of fuel.
const CELLS_PER_FUEL: u64 = 16;

/// A completed picture for each sample.
#[derive(Debug)]
struct Node {
    samples: Vec<Partial>,
    folds: Vec<Fold>,
    fits: Fits,
}

/// What the outputs can be, as far as cells are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fits {
    /// The whole picture.
    whole: bool,
    /// The part that was hidden.
    part: bool,
}

impl Fits {
    fn nothing(self) -> bool {
        !self.whole && !self.part
    }
}

/// The program of a completed picture.
#[derive(Debug)]
struct Recipe {
    veil: Veil,
    folds: Vec<Fold>,
    /// Whether only the hidden part shows.
    is_part: bool,
}

impl Told for Recipe {
    fn text(&self) -> String {
        let mut text = format!("p0 = {}\n", self.veil.text());
        for (k, fold) in (1..).zip(&self.folds) {
            text += &fold.text(k);
        }
        let whole = format!("replace(p{}, 10, 0)", self.folds.len());
        text + &match self.veil.patch().filter(|_| self.is_part) {
            Some(patch) => format!("subgrid({patch}, {whole})"),
            None => whole,
        }
    }
}

/// Completes the inputs, and adds the results to the states.
pub(crate) fn repair(states: &mut States, puzzle: &Puzzle, span: &Span<'_>) {
    for veil in Veil::all(puzzle) {
        if span.is_over() || span.is_late() {
            return;
        }
        let Some(hidden) = Hidden::new(&veil, puzzle) else {
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
    puzzle: &'p Puzzle,
    first: Vec<Partial>,
    /// The corners of the hidden part of each sample: top, left, bottom and right.
    boxes: Vec<(usize, usize, usize, usize)>,
}

impl<'p> Hidden<'p> {
    fn new(veil: &'p Veil, puzzle: &'p Puzzle) -> Option<Hidden<'p>> {
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
        Fits { whole, part }
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
            fits,
        }];
        let mut n_seen = 0;
        while n_seen < nodes.len() {
            let before = n_seen;
            n_seen += 1;
            if nodes[before].folds.len() == max_folds {
                break;
            }
            for fold in &folds {
                if nodes.len() > MAX_NODES || span.is_over() || span.is_late() {
                    return nodes;
                }
                if let Some(node) = self.folded(&nodes[before], *fold, is_free, span)
                    && nodes.iter().all(|it| it.samples != node.samples)
                {
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// Makes a fold in all samples.
    fn folded(&self, node: &Node, fold: Fold, is_free: bool, span: &Span<'_>) -> Option<Node> {
        let is_mixed = node.folds.iter().any(|it| it.is_noisy() != fold.is_noisy());
        if is_mixed || node.samples.iter().all(Partial::is_whole) {
            return None;
        }
        let mut samples = Vec::with_capacity(node.samples.len());
        for sample in &node.samples {
            span.spend(1 + fold.work(sample) / CELLS_PER_FUEL);
            samples.push(fold.of(sample)?);
        }
        let fits = self.fits(&samples);
        let fits = Fits {
            whole: fits.whole && node.fits.whole,
            part: fits.part && node.fits.part,
        };
        if samples == node.samples || (fits.nothing() && !is_free) {
            return None;
        }
        let folds = node.folds.iter().copied().chain([fold]).collect();
        Some(Node {
            samples,
            folds,
            fits,
        })
    }

    /// Adds a completed picture, and its hidden part, to the states.
    fn hand_over(&self, node: &Node, states: &mut States) {
        if node.folds.is_empty() {
            return;
        }
        let grids = |node: &Node| node.samples.iter().map(Partial::to_grid).collect();
        let Some(whole): Option<Vec<Grid>> = grids(node) else {
            return;
        };
        let cost = self.veil.cost() + node.folds.iter().map(|it| it.cost()).sum::<u32>();
        let recipe = |is_part| Recipe {
            veil: self.veil.clone(),
            folds: node.folds.clone(),
            is_part,
        };
        if node.fits.part {
            let cropped = whole.iter().zip(&self.boxes).map(|it| cropped(it.0, *it.1));
            if let Some(parts) = cropped.collect() {
                add(states, parts, cost + PART_COST, recipe(true));
            }
        }
        add(states, whole, cost, recipe(false));
    }
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
    states.add_told(&pictures, cost, Rc::new(recipe));
}
