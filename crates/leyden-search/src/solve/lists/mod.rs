//! Pictures with a place, and lists of them, as states.
//!
//! A picture is split into a list; items are chosen, ordered and changed; the list is joined to a
//! picture. Every step has a kernel that works on cells, and an arc-dsl text. The search makes the
//! cheapest steps first. Pictures of the size of the outputs become states of the other search,
//! which lays them over each other. The engine checks each program before it is an answer.

mod bars;
mod beside;
mod hand;
mod join;
mod number;
mod one;
mod pictures;
mod rims;
mod sized;
mod smears;
mod split;
mod steps;
mod text;

use std::ops::Range;
use std::rc::Rc;

use leyden_grid::Puzzle;
use rustc_hash::FxHashMap;

use super::effort::Span;
use number::Number;
use one::One;
use pictures::{Album, Pic, Placed};
use sized::Sizes;
use split::MAX_ITEMS;
use steps::{Act, Table};

/// The largest cost of a state, in tenths of a bit.
const MAX_COST: u32 = 300;
const MAX_NODES: usize = 300_000;
const MAX_BYTES: usize = 120 << 20;
/// The memory of a node in addition to its samples.
const NODE_BYTES: usize = 120;
/// The number of cheapest pictures that make pairs with others, and the largest cost of these.
const MAX_CHEAP: usize = 4;
const MAX_PAIRED_COST: u32 = 90;
const PAIR_COST: u32 = 60;
/// The number of turns between two looks at the clock.
const TURNS_PER_LOOK: u32 = 64;
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
    samples: Rc<[u32]>,
    cost: u32,
    n_cells: u64,
    /// The steps that can be made, in the table.
    steps: Range<usize>,
}

/// The way to a node.
#[derive(Clone, Copy, Debug)]
enum From {
    /// The inputs themselves.
    Inputs,
    /// A step from another node.
    Step(NodeId, u16),
    /// A list of two pictures.
    Pair(NodeId, NodeId),
}

/// The way to each node.
#[derive(Debug, Default)]
struct Book {
    from: Vec<From>,
    texts: Vec<String>,
}

impl Book {
    /// The node as an expression over `I`.
    fn text(&self, node: NodeId) -> String {
        match self.from[node as usize] {
            From::Inputs => "asobject(I)".to_owned(),
            From::Step(before, step) => {
                self.texts[usize::from(step)].replace('@', &self.text(before))
            }
            From::Pair(one, other) => {
                format!("astuple({}, {})", self.text(one), self.text(other))
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
    known: FxHashMap<(bool, Rc<[u32]>), NodeId>,
    /// For each cost the nodes that have a step of this cost in all, and the first such step.
    open: Vec<Vec<(NodeId, u16)>>,
    /// The least cost that may be open.
    level: u32,
    /// The cheapest pictures, for pairs.
    cheap: Vec<NodeId>,
    /// The results of steps on the items of lists.
    mapped: FxHashMap<(u16, Pic), Option<Pic>>,
    numbers: FxHashMap<(Number, ListId), Option<Rc<[i32]>>>,
    table: Table,
    sizes: Option<Sizes>,
    book: Book,
}

impl Lists {
    /// Makes the cheapest steps from the inputs while there is effort.
    pub(crate) fn found(puzzle: &Puzzle, span: &Span<'_>) -> Lists {
        let mut lists = Lists::new(puzzle);
        let mut n_turns = 0_u32;
        while !(n_turns.is_multiple_of(TURNS_PER_LOOK) && span.is_over()) && lists.advance(span) {
            n_turns = n_turns.wrapping_add(1);
        }
        lists
    }

    fn new(puzzle: &Puzzle) -> Lists {
        let sizes = Sizes::of(puzzle);
        let table = Table::new(puzzle, sizes.as_ref());
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
            open: vec![Vec::new(); MAX_COST as usize + 1],
            level: 0,
            cheap: Vec::new(),
            mapped: FxHashMap::default(),
            numbers: FxHashMap::default(),
            table,
            sizes,
            book,
        };
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs = demos.chain(&puzzle.test_inputs);
        let inputs: Vec<u32> = inputs
            .map(|grid| lists.album.put(Placed::of(grid)))
            .collect();
        lists.add(false, inputs, 0, From::Inputs);
        lists
    }

    fn add(&mut self, is_list: bool, samples: Vec<u32>, cost: u32, from: From) {
        let id = self.nodes.len() as NodeId;
        let samples: Rc<[u32]> = samples.into();
        let known = (is_list, Rc::clone(&samples));
        if *self.known.entry(known).or_insert(id) != id {
            return;
        }
        let n_cells = samples.iter().map(|it| self.n_cells(is_list, *it)).sum();
        let steps = match from {
            From::Pair(..) => self.table.from_pair.clone(),
            _ if is_list => self.table.from_list.clone(),
            _ => self.table.from_one.clone(),
        };
        self.nodes.push(Node {
            is_list,
            samples,
            cost,
            n_cells,
            steps: steps.clone(),
        });
        self.book.from.push(from);
        self.wait(id, steps.start);
        if !is_list {
            self.pair(id);
        }
    }

    /// Makes lists of a new picture and each of the cheapest ones.
    fn pair(&mut self, id: NodeId) {
        let cost = self.nodes[id as usize].cost;
        if cost > MAX_PAIRED_COST {
            return;
        }
        for k in 0..self.cheap.len() {
            let other = self.cheap[k];
            let cost = cost + self.nodes[other as usize].cost + PAIR_COST;
            for (one, other) in [(id, other), (other, id)] {
                let samples = |id: NodeId| self.nodes[id as usize].samples.to_vec();
                let pairs = samples(one).into_iter().zip(samples(other));
                let pairs: Option<Vec<ListId>> = pairs
                    .map(|(one, other)| self.list(vec![one, other]))
                    .collect();
                if let Some(pairs) = pairs {
                    self.add(true, pairs, cost, From::Pair(one, other));
                }
            }
        }
        if self.cheap.len() < MAX_CHEAP {
            self.cheap.push(id);
        }
    }

    /// Lets a node wait until a step is due.
    fn wait(&mut self, id: NodeId, step: usize) {
        let node = &self.nodes[id as usize];
        if node.steps.contains(&step) {
            let cost = node.cost + self.table.all[step].cost;
            if let Some(open) = self.open.get_mut(cost as usize) {
                open.push((id, step as u16));
            }
        }
    }

    fn n_bytes(&self) -> usize {
        let n_samples = self.nodes.first().map_or(0, |node| node.samples.len());
        self.album.n_bytes() + self.nodes.len() * (NODE_BYTES + 8 * n_samples)
    }

    /// Makes the cheapest steps that wait, from one node. Returns false if there are none or the
    /// effort or the memory does not suffice.
    fn advance(&mut self, span: &Span<'_>) -> bool {
        if self.nodes.len() >= MAX_NODES || self.n_bytes() >= MAX_BYTES {
            return false;
        }
        let Some(open) = self.open.get_mut(self.level as usize) else {
            return false;
        };
        let Some((id, first)) = open.pop() else {
            self.level += 1;
            return true;
        };
        let node = &self.nodes[id as usize];
        let (cost, n_cells) = (node.cost, node.n_cells);
        let (steps, samples) = (node.steps.clone(), Rc::clone(&node.samples));
        let mut k = usize::from(first);
        while steps.contains(&k) && cost + self.table.all[k].cost == self.level {
            if span.is_late() {
                return false;
            }
            span.spend(1 + n_cells / CELLS_PER_FUEL);
            let act = self.table.all[k].act;
            let to_list = act.gives_list();
            if let Some(next) = self.made(k as u16, act, &samples)
                && (!to_list || next.iter().any(|it| self.lists[*it as usize].len() > 1))
            {
                self.add(to_list, next, self.level, From::Step(id, k as u16));
            }
            k += 1;
        }
        self.wait(id, k);
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
            next.push(self.made_in(k, act, *sample, n)?);
        }
        Some(next)
    }

    /// Makes a step in the sample with this index.
    fn made_in(&mut self, k: u16, act: Act, sample: u32, n: usize) -> Option<u32> {
        let input = self.nodes[0].samples[n];
        match act {
            Act::Sized(sized) => {
                let size = *self.sizes.as_ref()?.all.get(n)?;
                let made = sized.of(self.album.get(sample), size)?;
                Some(self.album.put(made))
            }
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
            Act::Bordering(is_chosen) => {
                let border = self.album.get(input).corners();
                let items = self.lists[sample as usize].iter().copied();
                let touches = |it: &Pic| self.album.get(*it).touches(border);
                let items = items.filter(|it| touches(it) == is_chosen).collect();
                self.list(items)
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
}

#[cfg(test)]
mod tests;
