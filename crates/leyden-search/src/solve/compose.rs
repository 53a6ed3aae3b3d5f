//! Pictures laid over each other until they are the outputs.

use leyden_grid::{Grid, Puzzle};
use rustc_hash::FxHashMap;

use super::states::{StateId, States};

/// No more layers than this.
const MAX_LAYERS: usize = 8;
/// What a layer costs besides its moves.
const LAYER_COST: u32 = 3;
/// How many cells a unit of cost must cover, tried one after the other.
const PRICES: [i64; 4] = [0, 1, 3, 10];

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

/// The best covers, best first, and the number of pieces.
pub(crate) fn compose(states: &States, puzzle: &Puzzle) -> (Vec<Cover>, usize) {
    let n_demos = puzzle.demos.len();
    let pieces = pieces(states, puzzle);
    let n_pieces = pieces.iter().map(|(_, group)| group.len()).sum();
    let mut covers = Vec::new();
    for (_, group) in &pieces {
        covers.extend(exact(states, puzzle, group));
        covers.extend(
            PRICES
                .iter()
                .filter_map(|price| greedy(states, puzzle, group, None, *price)),
        );
        let left_out = (0..n_demos).filter(|_| n_demos > 1);
        covers.extend(left_out.filter_map(|k| greedy(states, puzzle, group, Some(k), 1)));
    }
    covers.sort_by_key(|cover| (std::cmp::Reverse(cover.n_demos), cover.cost));
    (covers, n_pieces)
}

type Group = ((Vec<(usize, usize)>,), Vec<Piece>);

/// Pieces, grouped by the sizes of their pictures for the test inputs.
fn pieces(states: &States, puzzle: &Puzzle) -> Vec<Group> {
    let outputs: Vec<&Grid> = puzzle.demos.iter().map(|pair| &pair.output).collect();
    let mut places: FxHashMap<Vec<(usize, usize)>, usize> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    for (id, state) in states.all.iter().enumerate() {
        let size = |grid: &Grid| (grid.height(), grid.width());
        let picture = |k: usize| states.pool.get(state.pictures[k]);
        let fits = outputs
            .iter()
            .enumerate()
            .all(|(k, output)| size(picture(k)) == size(output));
        if !fits {
            continue;
        }
        let sizes: Vec<_> = (outputs.len()..state.pictures.len())
            .map(|k| size(picture(k)))
            .collect();
        let group = *places.entry(sizes.clone()).or_insert_with(|| {
            groups.push(((sizes,), Vec::new()));
            groups.len() - 1
        });
        let n_cells = outputs.iter().map(|output| output.cells().len()).sum();
        let (mut drawn, mut wrong) = (Bits::new(n_cells), Bits::new(n_cells));
        let mut at = 0;
        for (k, output) in outputs.iter().enumerate() {
            for (ours, theirs) in picture(k).cells().iter().zip(output.cells()) {
                if *ours != 0 {
                    drawn.set(at);
                    if ours != theirs {
                        wrong.set(at);
                    }
                }
                at += 1;
            }
        }
        groups[group].1.push(Piece {
            state: id as StateId,
            cost: state.cost,
            drawn,
            wrong,
        });
    }
    groups
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

/// Takes the piece that contradicts nothing and covers most, again and again.
fn greedy(
    states: &States,
    puzzle: &Puzzle,
    group: &[Piece],
    left_out: Option<usize>,
    price: i64,
) -> Option<Cover> {
    let n_cells = puzzle
        .demos
        .iter()
        .map(|pair| pair.output.cells().len())
        .sum();
    let (mut open, mut wanted) = (Bits::new(n_cells), Bits::new(n_cells));
    let mut at = 0;
    for (k, pair) in puzzle.demos.iter().enumerate() {
        for cell in pair.output.cells() {
            if left_out != Some(k) {
                open.set(at);
                if *cell != 0 {
                    wanted.set(at);
                }
            }
            at += 1;
        }
    }
    let mut layers: Vec<StateId> = Vec::new();
    let mut cost = 0;
    while !wanted.is_empty() {
        let n_covered = |piece: &Piece| match piece.wrong.meets(&open) {
            true => 0,
            false => piece.drawn.n_common(&open),
        };
        let gain = |piece: &&Piece| match n_covered(piece) {
            0 => i64::MIN,
            n => i64::from(n) - i64::from(piece.cost) * price,
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
