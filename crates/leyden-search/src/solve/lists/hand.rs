//! Hands pictures over to the other search.

use std::rc::Rc;

use leyden_grid::{Grid, Puzzle};

use super::super::effort::{Effort, Span};
use super::super::states::{Picture, States, Told};
use super::pictures::Placed;
use super::text::GRID;
use super::{Book, Lists, NodeId};

/// The largest number of pictures for the other search.
const MAX_HANDED: usize = 4_000;
/// The price of a picture that is laid on a blank one of the size of the output.
const EMBED_COST: u32 = 10;

/// A program that a book tells.
#[derive(Debug)]
struct Page {
    book: Rc<Book>,
    node: NodeId,
    shown: Shown,
    /// The size of the output over `I`.
    size: Rc<str>,
}

/// The way in which a picture becomes a grid.
#[derive(Clone, Copy, Debug)]
enum Shown {
    /// As it is.
    Alone,
    /// In its place on a blank picture of the size of the output.
    InPlace,
    /// At the origin of such a picture.
    AtOrigin,
}

impl Told for Page {
    fn text(&self) -> String {
        let picture = self.book.text(self.node);
        let size = &self.size;
        match self.shown {
            Shown::Alone => format!("{GRID}({picture})"),
            Shown::InPlace => format!("paint(canvas(0, {size}), {picture})"),
            Shown::AtOrigin => format!("paint(canvas(0, {size}), normalize({picture}))"),
        }
    }
}

impl Lists {
    /// Gives the cheapest pictures of the outputs' sizes to the other search.
    pub(crate) fn hand_over(
        self,
        states: &mut States,
        puzzle: &Puzzle,
        effort: &Effort<'_>,
        span: &Span<'_>,
    ) {
        let book = Rc::new(self.book);
        let sizes = self.sizes.as_ref();
        let size: Rc<str> = sizes.map_or("", |it| it.text.as_str()).into();
        let n_before = states.all.len();
        // Nodes were made in the order of cost.
        for (id, node) in (0 as NodeId..).zip(&self.nodes) {
            let is_enough = states.all.len() - n_before >= MAX_HANDED || states.is_full(effort);
            if is_enough || span.is_late() {
                break;
            }
            if node.is_list {
                continue;
            }
            let pictures = || node.samples.iter().map(|pic| self.album.get(*pic));
            let told = |shown| Page {
                book: Rc::clone(&book),
                node: id,
                shown,
                size: Rc::clone(&size),
            };
            let mut outputs = puzzle.demos.iter().zip(pictures());
            if outputs.all(|(pair, picture)| pair.output.shape() == picture.size()) {
                let grids = pictures().map(Placed::to_grid);
                hand(states, grids, node.cost, told(Shown::Alone));
            }
            let Some(sizes) = sizes else { continue };
            let in_sizes = || pictures().zip(&sizes.all);
            let cost = node.cost + EMBED_COST;
            if in_sizes().any(|(it, size)| is_elsewhere(it, *size)) {
                let grids = in_sizes().map(|(it, size)| embedded(it, it.place(), *size));
                hand(states, grids, cost, told(Shown::InPlace));
            }
            if !sizes.are_of_inputs && in_sizes().any(|(it, size)| it.size() != *size) {
                let grids = in_sizes().map(|(it, size)| embedded(it, (0, 0), *size));
                hand(states, grids, cost, told(Shown::AtOrigin));
            }
        }
    }
}

/// Adds a state.
fn hand(states: &mut States, grids: impl Iterator<Item = Option<Grid>>, cost: u32, told: Page) {
    let grids: Option<Vec<Grid>> = grids.collect();
    let Some(grids) = grids else { return };
    let pictures: Vec<Picture> = grids
        .into_iter()
        .map(|grid| states.pool.put(grid))
        .collect();
    states.add_told(&pictures, cost, Rc::new(told));
}

/// Whether a picture is not laid exactly over one of this size.
fn is_elsewhere(picture: &Placed, size: (usize, usize)) -> bool {
    picture.place() != (0, 0) || picture.size() != size
}

/// A picture at a place of a blank one of this size.
pub(super) fn embedded(picture: &Placed, place: (i32, i32), size: (usize, usize)) -> Option<Grid> {
    let (down, right) = (picture.top - place.0, picture.left - place.1);
    let cell = |i: usize, j: usize| picture.at(i as i32 + down, j as i32 + right);
    Placed::drawn((0, 0), size, cell)?.to_grid()
}
