//! Lays pictures over each other until they are the outputs.

use std::cmp::Reverse;

use leyden_grid::{Grid, Puzzle};
use rustc_hash::FxHashMap;

use super::bits::{Bits, WORDS_PER_FUEL};
use super::effort::Span;
use super::price::{Tenths, UNIT};
use super::states::{ALWAYS_TRIED, STATES_PER_LOOK, StateId, States};

/// The largest number of layers.
const MAX_LAYERS: usize = 8;
/// The cost of a layer, in addition to its moves.
pub(crate) const LAYER_COST: Tenths = 45;
/// The number of cells that a unit of the price must cover; tried one after the other.
const PRICES: [i64; 4] = [0, 1, 3, 10];
/// The number of cheapest pieces that layers are made of. All pieces could take as long as the
/// search.
const MAX_PIECES: usize = 30_000;
/// The bonus for layers that were found without a demonstration and reproduce it.
pub(crate) const FORETOLD: Tenths = 60;

/// Layers that explain some demonstrations, the topmost first.
#[derive(Clone, Debug)]
pub(crate) struct Cover {
    pub(crate) layers: Vec<Layer>,
    pub(crate) n_demos: usize,
    pub(crate) cost: Tenths,
    /// Whether layers found without a demonstration reproduce it.
    pub(crate) is_foretold: bool,
    pub(crate) answers: Vec<Grid>,
}

/// A picture with some cells that hide those below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) state: StateId,
    pub(crate) shows: Shows,
}

impl Layer {
    /// The drawn cells of a state.
    pub(crate) fn of(state: StateId) -> Layer {
        Layer {
            state,
            shows: Shows::Drawn,
        }
    }
}

/// The cells of a layer that hide those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// The drawn cells.
    Drawn,
    /// The blank cells: the layer wipes clean.
    Blank,
}

/// A state whose pictures have the size of the outputs.
struct Piece {
    state: StateId,
    cost: Tenths,
    shows: Shows,
    /// The hiding cells and the wrong ones among them, demonstration after demonstration.
    drawn: Bits,
    wrong: Bits,
}

impl Piece {
    fn n_words(&self) -> u64 {
        self.drawn.n_words() as u64
    }
}

/// Finds covers, and counts the pieces. Without layers a cover is one piece.
pub(crate) fn compose(
    states: &States,
    puzzle: &Puzzle,
    with_layers: bool,
    span: &Span<'_>,
) -> (Vec<Cover>, usize) {
    let groups = groups(states, puzzle, span);
    let n_pieces = groups.iter().map(Vec::len).sum();
    let mut covers: Vec<Cover> = groups
        .iter()
        .flat_map(|group| exact(states, puzzle, group, span))
        .collect();
    for group in groups.iter().filter(|_| with_layers) {
        let pieces = all_pieces(states, puzzle, group, span);
        covers.extend(layers(states, puzzle, &pieces, span));
    }
    (covers, n_pieces)
}

fn all_pieces(states: &States, puzzle: &Puzzle, group: &[StateId], span: &Span<'_>) -> Vec<Piece> {
    let mut all = Vec::new();
    for (k, state) in (0..).zip(group.iter().take(MAX_PIECES)) {
        if (k % STATES_PER_LOOK == 0 && span.is_over()) || span.is_late() {
            break;
        }
        let [drawn, blank] = pieces(states, puzzle, *state);
        span.spend(drawn.n_words());
        all.extend([drawn, blank]);
    }
    all
}

/// Finds layers for all demonstrations at several prices, for all but one, and with cells wiped
/// clean.
fn layers(states: &States, puzzle: &Puzzle, group: &[Piece], span: &Span<'_>) -> Vec<Cover> {
    let n_demos = puzzle.demos.len();
    let aim = |left_out, cares_for, price, wipes| Aim {
        left_out,
        cares_for,
        price,
        wipes,
    };
    let everything = PRICES.iter().map(|price| aim(None, None, *price, false));
    let all_but_one = (0..n_demos)
        .filter(|_| n_demos > 1)
        .flat_map(|k| [false, true].map(|wipes| aim(Some(k), None, 1, wipes)));
    let wiped = [0, 3].map(|price| aim(None, None, price, true));
    let for_one = (0..n_demos).map(|k| aim(None, Some(k), 1, true));
    everything
        .chain(all_but_one)
        .chain(wiped)
        .chain(for_one)
        .filter_map(|aim| greedy(states, puzzle, group, &aim, span))
        .collect()
}

/// The goal in choosing layers.
struct Aim {
    /// A demonstration that is ignored.
    left_out: Option<usize>,
    /// The only demonstration whose cells count as covered. Layers must not contradict the others.
    cares_for: Option<usize>,
    /// The number of cells that a unit of the price must cover.
    price: i64,
    /// Whether layers may wipe clean.
    wipes: bool,
}

/// States whose pictures have the sizes of the outputs, the cheapest first. They are grouped by the
/// sizes of their pictures for the test inputs.
fn groups(states: &States, puzzle: &Puzzle, span: &Span<'_>) -> Vec<Vec<StateId>> {
    let n_demos = puzzle.demos.len();
    let mut places: FxHashMap<Vec<(usize, usize)>, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<StateId>> = Vec::new();
    for id in 0..states.all.len() as StateId {
        if id >= ALWAYS_TRIED && id % STATES_PER_LOOK == 0 && span.is_over() {
            break;
        }
        span.spend(1);
        if !states.fits(id, puzzle) {
            continue;
        }
        let sizes = states.pictures(id).skip(n_demos).map(Grid::shape);
        let group = *places.entry(sizes.collect()).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(id);
    }
    groups
}

/// Makes the pieces of a state.
fn pieces(states: &States, puzzle: &Puzzle, id: StateId) -> [Piece; 2] {
    let state = &states.all[id as usize];
    let pairs = || {
        let outputs = puzzle.demos.iter().map(|pair| &pair.output);
        states.pictures(id).zip(outputs)
    };
    let n_cells = pairs().map(|(_, theirs)| theirs.cells().len()).sum();
    let piece = |shows| Piece {
        state: id,
        cost: state.cost,
        shows,
        drawn: Bits::none(n_cells),
        wrong: Bits::none(n_cells),
    };
    let (mut drawn, mut blank) = (piece(Shows::Drawn), piece(Shows::Blank));
    let cells = pairs().flat_map(|(ours, theirs)| ours.cells().iter().zip(theirs.cells()));
    for (k, (ours, theirs)) in cells.enumerate() {
        let piece = if is_drawn(*ours) {
            &mut drawn
        } else {
            &mut blank
        };
        piece.drawn.set(k);
        if ours != theirs {
            piece.wrong.set(k);
        }
    }
    [drawn, blank]
}

/// States that are the outputs themselves, for at least some demonstrations.
fn exact(states: &States, puzzle: &Puzzle, group: &[StateId], span: &Span<'_>) -> Vec<Cover> {
    let n_demos = puzzle.demos.len();
    let n_right = |state: StateId| {
        let pairs = puzzle.demos.iter().zip(states.pictures(state));
        let right = pairs.filter(|(pair, picture)| pair.output == **picture);
        right.count()
    };
    let cover = |state: &StateId| {
        let n_right = n_right(*state);
        let layers = vec![Layer::of(*state)];
        (n_right > 0).then(|| Cover {
            n_demos: n_right,
            cost: states.all[*state as usize].cost,
            is_foretold: false,
            answers: answers(states, &layers, n_demos),
            layers,
        })
    };
    let in_time = |state: &&StateId| **state < ALWAYS_TRIED || !span.is_late();
    let tried = group.iter().take_while(in_time);
    tried.filter_map(cover).collect()
}

fn layer(piece: &Piece) -> Layer {
    Layer {
        state: piece.state,
        shows: piece.shows,
    }
}

/// The pictures of these layers for the test inputs.
fn answers(states: &States, layers: &[Layer], n_demos: usize) -> Vec<Grid> {
    let n_samples = states.all[0].pictures.len();
    (n_demos..n_samples)
        .map(|k| layered(states, layers, k))
        .collect()
}

fn layered(states: &States, layers: &[Layer], sample: usize) -> Grid {
    let picture = |state: StateId| {
        let pictures = &states.all[state as usize].pictures;
        states.pool.get(pictures[sample])
    };
    let size_of = picture(layers.last().map_or(0, |layer| layer.state));
    let mut cells = vec![0; size_of.cells().len()];
    for layer in layers.iter().rev() {
        for (cell, above) in cells.iter_mut().zip(picture(layer.state).cells()) {
            if is_drawn(*above) == (layer.shows == Shows::Drawn) {
                *cell = *above;
            }
        }
    }
    Grid::from_cells(size_of.height(), size_of.width(), &cells).unwrap_or_else(|_| size_of.clone())
}

/// Whether a colour hides the cell below.
fn is_drawn(colour: u8) -> bool {
    colour != 0
}

/// The cells of the outputs of some demonstrations whose colour counts.
fn cells(puzzle: &Puzzle, counts: impl Fn(usize, u8) -> bool) -> Bits {
    let outputs = puzzle
        .demos
        .iter()
        .map(|pair| pair.output.cells())
        .enumerate();
    let cells = outputs.flat_map(|(demo, cells)| cells.iter().map(move |cell| (demo, *cell)));
    let mut bits = Bits::none(cells.clone().count());
    for (k, _) in cells
        .enumerate()
        .filter(|(_, (demo, cell))| counts(*demo, *cell))
    {
        bits.set(k);
    }
    bits
}

/// Takes the piece that contradicts nothing and covers most, again and again.
fn greedy(
    states: &States,
    puzzle: &Puzzle,
    group: &[Piece],
    aim: &Aim,
    span: &Span<'_>,
) -> Option<Cover> {
    let is_seen = |demo| aim.left_out != Some(demo);
    let mut open = cells(puzzle, |demo, _| is_seen(demo));
    // A cell that stays blank is blank in the end, so only drawn cells must be covered.
    let mut wanted = cells(puzzle, |demo, cell| is_seen(demo) && is_drawn(cell));
    let mut counting = cells(puzzle, |demo, cell| {
        is_seen(demo)
            && aim.cares_for.is_none_or(|only| only == demo)
            && (aim.wipes || is_drawn(cell))
    });
    let mut layers: Vec<Layer> = Vec::new();
    let mut cost = 0;
    let usable: Vec<&Piece> = group
        .iter()
        .filter(|piece| aim.wipes || piece.shows == Shows::Drawn)
        .collect();
    let n_words: u64 = usable.iter().map(|piece| piece.n_words()).sum();
    while !wanted.is_empty() {
        if span.is_over() {
            return None;
        }
        span.spend(n_words / WORDS_PER_FUEL + 1);
        let n_covered = |piece: &Piece| {
            if piece.wrong.meets(&open) {
                0
            } else {
                piece.drawn.n_common(&counting)
            }
        };
        let gain = |piece: &&&Piece| {
            let n_covered = n_covered(piece);
            let gain = i64::from(n_covered * UNIT) - i64::from(piece.cost) * aim.price;
            (n_covered > 0, gain, Reverse(piece.cost))
        };
        let best = usable.iter().max_by_key(gain)?;
        if layers.len() == MAX_LAYERS || n_covered(best) == 0 {
            // When the preferred demonstration is covered, the open cells of the others count.
            if counting.is_empty() && layers.len() < MAX_LAYERS {
                counting = wanted.clone();
                continue;
            }
            return None;
        }
        layers.push(layer(best));
        cost += best.cost + LAYER_COST;
        open.remove(&best.drawn);
        wanted.remove(&best.drawn);
        counting.remove(&best.drawn);
    }
    (!layers.is_empty()).then(|| cover(states, puzzle, layers, cost, aim))
}

fn cover(states: &States, puzzle: &Puzzle, layers: Vec<Layer>, cost: Tenths, aim: &Aim) -> Cover {
    let n_demos = puzzle.demos.len();
    let is_right = |k: &usize| layered(states, &layers, *k) == puzzle.demos[*k].output;
    let n_right = (0..n_demos).filter(is_right).count();
    let is_foretold = aim.left_out.is_some_and(|k| is_right(&k));
    Cover {
        n_demos: n_right,
        cost: cost.saturating_sub(if is_foretold { FORETOLD } else { 0 }),
        is_foretold,
        answers: answers(states, &layers, n_demos),
        layers,
    }
}
