//! Pictures with a place, and lists of them, as states.
//!
//! A picture is split into a list; items are chosen, ordered and changed; the list is joined to a
//! picture. Every step has a kernel that works on cells, and an arc-dsl text. The search makes the
//! cheapest steps first. Pictures of the size of the outputs become states of the other search,
//! which lays them over each other. The engine checks each program before it is an answer.

mod beside;
mod join;
mod number;
mod one;
mod pictures;
mod split;
mod steps;
mod text;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use leyden_grid::{Grid, Puzzle};
use rustc_hash::FxHashMap;

use super::effort::{Effort, Span};
use super::states::{Picture, States, Told};
use number::Number;
use one::One;
use pictures::{Album, Pic, Placed};
use split::MAX_ITEMS;
use steps::{Act, Table};
use text::GRID;

/// The largest cost of a state, in tenths of a bit.
const MAX_COST: u32 = 300;
const MAX_NODES: usize = 300_000;
const MAX_BYTES: usize = 120 << 20;
/// The memory of a node in addition to its samples.
const NODE_BYTES: usize = 120;
/// The largest number of pictures for the other search.
const MAX_HANDED: usize = 4_000;
/// The price of a picture that is laid on a blank one of the size of the input.
const EMBED_COST: u32 = 10;
/// The number of cells that a kernel sees for a unit of fuel.
const CELLS_PER_FUEL: u64 = 16;

/// The index of a node.
type NodeId = u32;

/// The index of a list of pictures.
type ListId = u32;

/// A picture or a list for each sample.
#[derive(Debug)]
struct Node {
    is_list: bool,
    samples: Box<[u32]>,
    cost: u32,
}

/// The way to each node.
#[derive(Debug, Default)]
struct Book {
    from: Vec<Option<(NodeId, u16)>>,
    texts: Vec<String>,
}

impl Book {
    /// The node as an expression over `I`.
    fn text(&self, node: NodeId) -> String {
        match self.from[node as usize] {
            None => "asobject(I)".to_owned(),
            Some((before, step)) => self.texts[usize::from(step)].replace('@', &self.text(before)),
        }
    }
}

/// A program that a book tells.
#[derive(Debug)]
struct Page {
    book: Rc<Book>,
    node: NodeId,
    shown: Shown,
}

/// The way in which a picture becomes a grid.
#[derive(Clone, Copy, Debug)]
enum Shown {
    /// As it is.
    Alone,
    /// In its place on a blank picture of the size of the input.
    InInput,
    /// At the origin of a blank picture of this size.
    AtOrigin(usize, usize),
}

impl Told for Page {
    fn text(&self) -> String {
        let picture = self.book.text(self.node);
        match self.shown {
            Shown::Alone => format!("{GRID}({picture})"),
            Shown::InInput => format!("paint(canvas(0, shape(I)), {picture})"),
            Shown::AtOrigin(height, width) => {
                format!("paint(canvas(0, ({height}, {width})), normalize({picture}))")
            }
        }
    }
}

/// The pictures and lists that were reached.
#[derive(Debug)]
pub(crate) struct Lists {
    album: Album,
    lists: Vec<Box<[Pic]>>,
    list_places: FxHashMap<Box<[Pic]>, ListId>,
    nodes: Vec<Node>,
    known: FxHashMap<(bool, Box<[u32]>), NodeId>,
    open: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// The results of steps on the items of lists.
    mapped: FxHashMap<(u16, Pic), Option<Pic>>,
    numbers: FxHashMap<(Number, ListId), Option<Rc<[i32]>>>,
    table: Table,
    book: Book,
}

impl Lists {
    /// Makes the cheapest steps from the inputs while there is effort.
    pub(crate) fn found(puzzle: &Puzzle, span: &Span<'_>) -> Lists {
        let mut lists = Lists::new(puzzle);
        while !span.is_over() && lists.expand(span) {}
        lists
    }

    fn new(puzzle: &Puzzle) -> Lists {
        let table = Table::new(puzzle);
        let book = Book {
            from: Vec::new(),
            texts: table.all.iter().map(|step| step.text.clone()).collect(),
        };
        let mut lists = Lists {
            album: Album::default(),
            lists: Vec::new(),
            list_places: FxHashMap::default(),
            nodes: Vec::new(),
            known: FxHashMap::default(),
            open: BinaryHeap::new(),
            mapped: FxHashMap::default(),
            numbers: FxHashMap::default(),
            table,
            book,
        };
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs = demos.chain(&puzzle.test_inputs);
        let inputs: Vec<u32> = inputs
            .map(|grid| lists.album.put(Placed::of(grid)))
            .collect();
        lists.add(false, inputs, 0, None);
        lists
    }

    fn add(&mut self, is_list: bool, samples: Vec<u32>, cost: u32, from: Option<(NodeId, u16)>) {
        let id = self.nodes.len() as NodeId;
        let samples = samples.into_boxed_slice();
        let known = self.known.entry((is_list, samples.clone())).or_insert(id);
        if *known != id {
            return;
        }
        self.nodes.push(Node {
            is_list,
            samples,
            cost,
        });
        self.book.from.push(from);
        self.open.push(Reverse((cost, id)));
    }

    fn n_bytes(&self) -> usize {
        let n_samples = self.nodes.first().map_or(0, |node| node.samples.len());
        self.album.n_bytes() + self.nodes.len() * (NODE_BYTES + 8 * n_samples)
    }

    /// Makes all steps from the cheapest open node. Returns false if there is none or the effort or
    /// the memory does not suffice.
    fn expand(&mut self, span: &Span<'_>) -> bool {
        let Some(Reverse((cost, id))) = self.open.pop() else {
            return false;
        };
        if self.nodes.len() >= MAX_NODES || self.n_bytes() >= MAX_BYTES {
            return false;
        }
        let node = &self.nodes[id as usize];
        let (is_list, samples) = (node.is_list, node.samples.clone());
        let n_cells = samples
            .iter()
            .map(|it| self.n_cells(is_list, *it))
            .sum::<u64>();
        let steps = if is_list {
            self.table.n_from_one..self.table.all.len()
        } else {
            0..self.table.n_from_one
        };
        for k in steps {
            let step = &self.table.all[k];
            let cost = cost + step.cost;
            if cost > MAX_COST {
                continue;
            }
            if span.is_late() {
                return false;
            }
            span.spend(1 + n_cells / CELLS_PER_FUEL);
            let act = step.act;
            let to_list = act.gives_list();
            if let Some(next) = self.made(k as u16, act, &samples)
                && (!to_list || next.iter().any(|it| self.lists[*it as usize].len() > 1))
            {
                self.add(to_list, next, cost, Some((id, k as u16)));
            }
        }
        true
    }

    fn n_cells(&self, is_list: bool, sample: u32) -> u64 {
        let n_cells = |pic: Pic| self.album.get(pic).cells.len() as u64;
        if is_list {
            self.lists[sample as usize]
                .iter()
                .map(|it| n_cells(*it))
                .sum()
        } else {
            n_cells(sample)
        }
    }

    /// Makes a step in all samples.
    fn made(&mut self, k: u16, act: Act, samples: &[u32]) -> Option<Vec<u32>> {
        let mut next = Vec::with_capacity(samples.len());
        for (n, sample) in samples.iter().enumerate() {
            let input = self.nodes[0].samples[n];
            next.push(self.made_in(k, act, *sample, input)?);
        }
        Some(next)
    }

    fn made_in(&mut self, k: u16, act: Act, sample: u32, input: Pic) -> Option<u32> {
        match act {
            Act::One(one) => {
                let made = one.of(self.album.get(sample))?;
                Some(self.album.put(made))
            }
            Act::Beside(beside) => {
                let made = beside.of(self.album.get(sample), self.album.get(input))?;
                Some(self.album.put(made))
            }
            Act::MapBeside(beside) => {
                let mut next = Vec::new();
                for item in self.lists[sample as usize].clone() {
                    let made = beside.of(self.album.get(item), self.album.get(input))?;
                    next.push(self.album.put(made));
                }
                self.list(next)
            }
            Act::Split(split) => {
                let items = split.of(self.album.get(sample))?;
                let items = items.into_iter().map(|it| self.album.put(it)).collect();
                self.list(items)
            }
            Act::Map(one) => self.map(k, one, sample),
            Act::Filter(choice, number) => {
                let chosen = choice.of(&self.number(number, sample)?)?;
                let items = self.lists[sample as usize].iter().zip(chosen);
                let items = items
                    .filter(|(_, chosen)| *chosen)
                    .map(|(it, _)| *it)
                    .collect();
                self.list(items)
            }
            Act::Order { number, is_falling } => {
                let numbers = self.number(number, sample)?;
                let items = &self.lists[sample as usize];
                let mut order: Vec<usize> = (0..items.len()).collect();
                order.sort_by_key(|k| {
                    if is_falling {
                        -numbers[*k]
                    } else {
                        numbers[*k]
                    }
                });
                let items = order.iter().map(|k| items[*k]).collect();
                self.list(items)
            }
            Act::Pick(choice, number) => {
                let chosen = choice.of(&self.number(number, sample)?)?;
                let first = chosen.iter().position(|it| *it)?;
                Some(self.lists[sample as usize][first])
            }
            Act::Join(join) => {
                let items = self.lists[sample as usize].iter();
                let items: Vec<&Placed> = items.map(|it| self.album.get(*it)).collect();
                let made = join.of(&items)?;
                Some(self.album.put(made))
            }
        }
    }

    fn map(&mut self, k: u16, one: One, sample: u32) -> Option<u32> {
        let items = self.lists[sample as usize].clone();
        let mut next = Vec::with_capacity(items.len());
        for item in items {
            let made = match self.mapped.get(&(k, item)) {
                Some(made) => *made,
                None => {
                    let made = one.of(self.album.get(item));
                    let made = made.map(|it| self.album.put(it));
                    self.mapped.insert((k, item), made);
                    made
                }
            };
            next.push(made?);
        }
        self.list(next)
    }

    fn number(&mut self, number: Number, list: ListId) -> Option<Rc<[i32]>> {
        if let Some(known) = self.numbers.get(&(number, list)) {
            return known.clone();
        }
        let items = self.lists[list as usize].iter();
        let items: Vec<&Placed> = items.map(|it| self.album.get(*it)).collect();
        let numbers: Option<Rc<[i32]>> = number.of(&items).map(Rc::from);
        self.numbers.insert((number, list), numbers.clone());
        numbers
    }

    /// `None` for an empty list, or one that is too long.
    fn list(&mut self, items: Vec<Pic>) -> Option<ListId> {
        if items.is_empty() || items.len() > MAX_ITEMS {
            return None;
        }
        let items = items.into_boxed_slice();
        if let Some(known) = self.list_places.get(&items) {
            return Some(*known);
        }
        let list = self.lists.len() as ListId;
        self.list_places.insert(items.clone(), list);
        self.lists.push(items);
        Some(list)
    }

    /// Gives the cheapest pictures of the outputs' sizes to the other search.
    pub(crate) fn hand_over(
        self,
        states: &mut States,
        puzzle: &Puzzle,
        effort: &Effort<'_>,
        span: &Span<'_>,
    ) {
        let book = Rc::new(self.book);
        let is_same_size = puzzle
            .demos
            .iter()
            .all(|pair| pair.input.shape() == pair.output.shape());
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs: Vec<&Grid> = demos.chain(&puzzle.test_inputs).collect();
        let mut sizes = puzzle.demos.iter().map(|pair| pair.output.shape());
        let size = sizes
            .next()
            .filter(|first| !is_same_size && sizes.all(|it| it == *first));
        let n_before = states.all.len();
        let mut order: Vec<NodeId> = (0..self.nodes.len() as NodeId).collect();
        order.sort_by_key(|id| (self.nodes[*id as usize].cost, *id));
        for id in order {
            let node = &self.nodes[id as usize];
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
            };
            let mut outputs = puzzle.demos.iter().zip(pictures());
            if outputs.all(|(pair, picture)| pair.output.shape() == picture.size()) {
                let grids = pictures().map(Placed::to_grid);
                hand(states, grids, node.cost, told(Shown::Alone));
            }
            if is_same_size && pictures().zip(&inputs).any(|it| is_elsewhere(it.0, it.1)) {
                let grids = pictures()
                    .zip(&inputs)
                    .map(|it| embedded(it.0, it.1.shape()));
                hand(states, grids, node.cost + EMBED_COST, told(Shown::InInput));
            }
            if let Some(size) = size
                && pictures().any(|it| it.size() != size)
            {
                let grids = pictures().map(|it| {
                    let it = One::Origin.of(it)?;
                    embedded(&it, size)
                });
                let shown = Shown::AtOrigin(size.0, size.1);
                hand(states, grids, node.cost + EMBED_COST, told(shown));
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

/// Whether a picture is not laid exactly over the input.
fn is_elsewhere(picture: &Placed, input: &Grid) -> bool {
    picture.place() != (0, 0) || picture.size() != input.shape()
}

/// The picture on a blank one of this size.
fn embedded(picture: &Placed, size: (usize, usize)) -> Option<Grid> {
    let all = Placed::drawn((0, 0), size, |i, j| picture.at(i as i32, j as i32))?;
    all.to_grid()
}

#[cfg(test)]
mod tests;
