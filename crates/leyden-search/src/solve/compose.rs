//! Pictures laid over each other until they are the outputs.

use std::cmp::Reverse;

use leyden_grid::{Grid, Puzzle};
use rustc_hash::FxHashMap;

use super::states::{StateId, States};

/// No more layers than this.
const MAX_LAYERS: usize = 8;
/// What a layer costs besides its moves.
const LAYER_COST: u32 = 3;
/// How many cells a unit of cost must cover, tried one after the other.
const PRICES: [i64; 4] = [0, 1, 3, 10];
/// Layers are made of the cheapest pieces: looking at all of them could take as long as the search.
const MAX_PIECES: usize = 30_000;

/// Layers that explain some demonstrations, topmost first.
#[derive(Clone, Debug)]
pub(crate) struct Cover {
    pub(crate) layers: Vec<StateId>,
    pub(crate) n_demos: usize,
    pub(crate) cost: u32,
    pub(crate) answers: Vec<Grid>,
}

/// A state whose pictures have the size of the outputs.
struct Piece {
    state: StateId,
    cost: u32,
    /// Where it is drawn and where that is wrong, demonstration after demonstration.
    drawn: Bits,
    wrong: Bits,
}

/// A set of cells over all demonstrations.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n_bits: usize) -> Bits {
        Bits(vec![0; n_bits.div_ceil(64)])
    }
    fn set(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }
    fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
    fn n_common(&self, other: &Bits) -> u32 {
        self.0
            .iter()
            .zip(&other.0)
            .map(|(a, b)| (a & b).count_ones())
            .sum()
    }
    fn remove(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }
    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// The best covers, best first, and the number of pieces. Without layers a cover is one piece.
pub(crate) fn compose(states: &States, puzzle: &Puzzle, with_layers: bool) -> (Vec<Cover>, usize) {
    let groups = groups(states, puzzle);
    let n_pieces = groups.iter().map(Vec::len).sum();
    let mut covers = Vec::new();
    for group in &groups {
        covers.extend(exact(states, puzzle, group));
        if with_layers {
            let cheapest = &group[..group.len().min(MAX_PIECES)];
            covers.extend(layers(states, puzzle, cheapest));
        }
    }
    covers.sort_by_key(|cover| (Reverse(cover.n_demos), cover.cost));
    (covers, n_pieces)
}

/// Layers for all demonstrations at several prices, and for all but one.
fn layers(states: &States, puzzle: &Puzzle, group: &[Piece]) -> Vec<Cover> {
    let n_demos = puzzle.demos.len();
    let everything = PRICES.iter().map(|price| (None, *price));
    let all_but_one = (0..n_demos).filter(|_| n_demos > 1).map(|k| (Some(k), 1));
    everything
        .chain(all_but_one)
        .filter_map(|(left_out, price)| greedy(states, puzzle, group, left_out, price))
        .collect()
}

/// Pieces, grouped by the sizes of their pictures for the test inputs, cheapest first.
fn groups(states: &States, puzzle: &Puzzle) -> Vec<Vec<Piece>> {
    let n_demos = puzzle.demos.len();
    let mut places: FxHashMap<Vec<(usize, usize)>, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Piece>> = Vec::new();
    for id in 0..states.all.len() as StateId {
        let Some(piece) = piece(states, puzzle, id) else {
            continue;
        };
        let pictures = states.all[id as usize].pictures[n_demos..].iter();
        let sizes = pictures.map(|picture| size(states.pool.get(*picture)));
        let group = *places.entry(sizes.collect()).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(piece);
    }
    groups
}

fn size(grid: &Grid) -> (usize, usize) {
    (grid.height(), grid.width())
}

/// A state as a piece, if its pictures have the sizes of the outputs.
fn piece(states: &States, puzzle: &Puzzle, id: StateId) -> Option<Piece> {
    let state = &states.all[id as usize];
    let pictures = state
        .pictures
        .iter()
        .map(|picture| states.pool.get(*picture));
    let pairs = || {
        pictures
            .clone()
            .zip(puzzle.demos.iter().map(|pair| &pair.output))
    };
    if !pairs().all(|(ours, theirs)| size(ours) == size(theirs)) {
        return None;
    }
    let n_cells = pairs().map(|(_, theirs)| theirs.cells().len()).sum();
    let (mut drawn, mut wrong) = (Bits::new(n_cells), Bits::new(n_cells));
    let cells = pairs().flat_map(|(ours, theirs)| ours.cells().iter().zip(theirs.cells()));
    for (k, (ours, theirs)) in cells.enumerate().filter(|(_, (ours, _))| is_drawn(**ours)) {
        drawn.set(k);
        if ours != theirs {
            wrong.set(k);
        }
    }
    Some(Piece {
        state: id,
        cost: state.cost,
        drawn,
        wrong,
    })
}

/// States that are the outputs themselves.
fn exact(states: &States, puzzle: &Puzzle, group: &[Piece]) -> Vec<Cover> {
    let n_demos = puzzle.demos.len();
    let n_right = |piece: &Piece| {
        let pictures = &states.all[piece.state as usize].pictures;
        let pairs = puzzle.demos.iter().zip(pictures.iter());
        pairs
            .filter(|(pair, picture)| *states.pool.get(**picture) == pair.output)
            .count()
    };
    let cover = |piece: &Piece| {
        let n_right = n_right(piece);
        (n_right > 0).then(|| Cover {
            layers: vec![piece.state],
            n_demos: n_right,
            cost: piece.cost,
            answers: answers(states, &[piece.state], n_demos),
        })
    };
    group.iter().filter_map(cover).collect()
}

/// The pictures of these layers for the test inputs.
fn answers(states: &States, layers: &[StateId], n_demos: usize) -> Vec<Grid> {
    let n_samples = states.all[0].pictures.len();
    (n_demos..n_samples)
        .map(|k| layered(states, layers, k))
        .collect()
}

fn layered(states: &States, layers: &[StateId], sample: usize) -> Grid {
    let picture = |state: &StateId| {
        states
            .pool
            .get(states.all[*state as usize].pictures[sample])
    };
    let bottom = layers.last().map(picture).cloned();
    let bottom = bottom.unwrap_or_else(|| picture(&0).clone());
    let mut cells = bottom.cells().to_vec();
    for layer in layers.iter().rev().skip(1) {
        for (cell, above) in cells.iter_mut().zip(picture(layer).cells()) {
            if *above != 0 {
                *cell = *above;
            }
        }
    }
    Grid::from_cells(bottom.height(), bottom.width(), &cells).unwrap_or(bottom)
}

/// Is it more than what shows through?
fn is_drawn(colour: u8) -> bool {
    colour != 0
}

/// The cells of the outputs whose colour counts, but for one demonstration.
fn cells(puzzle: &Puzzle, left_out: Option<usize>, counts: fn(u8) -> bool) -> Bits {
    let outputs = puzzle
        .demos
        .iter()
        .map(|pair| pair.output.cells())
        .enumerate();
    let cells = outputs.flat_map(|(demo, cells)| cells.iter().map(move |cell| (demo, *cell)));
    let mut bits = Bits::new(cells.clone().count());
    let is_in = |(demo, cell): (usize, u8)| left_out != Some(demo) && counts(cell);
    for (k, _) in cells.enumerate().filter(|(_, cell)| is_in(*cell)) {
        bits.set(k);
    }
    bits
}

/// Takes the piece that contradicts nothing and covers most, again and again.
fn greedy(
    states: &States,
    puzzle: &Puzzle,
    group: &[Piece],
    left_out: Option<usize>,
    price: i64,
) -> Option<Cover> {
    let (mut open, mut wanted) = (
        cells(puzzle, left_out, |_| true),
        cells(puzzle, left_out, is_drawn),
    );
    let mut layers: Vec<StateId> = Vec::new();
    let mut cost = 0;
    while !wanted.is_empty() {
        let n_covered = |piece: &Piece| match piece.wrong.meets(&open) {
            true => 0,
            false => piece.drawn.n_common(&open),
        };
        let gain = |piece: &&Piece| {
            let n_covered = n_covered(piece);
            let gain = i64::from(n_covered) - i64::from(piece.cost) * price;
            (n_covered > 0, gain, Reverse(piece.cost))
        };
        let best = group.iter().max_by_key(gain)?;
        if layers.len() == MAX_LAYERS || n_covered(best) == 0 {
            return None;
        }
        layers.push(best.state);
        cost += best.cost + LAYER_COST;
        open.remove(&best.drawn);
        wanted.remove(&best.drawn);
    }
    if layers.is_empty() {
        return None;
    }
    let n_demos = puzzle.demos.len();
    let is_right = |k: &usize| layered(states, &layers, *k) == puzzle.demos[*k].output;
    let n_right = (0..n_demos).filter(is_right).count();
    Some(Cover {
        n_demos: n_right,
        cost,
        answers: answers(states, &layers, n_demos),
        layers,
    })
}
