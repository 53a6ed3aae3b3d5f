//! The values of all words on all samples at once.

use leyden_exec::{Counts, Outcome, Seen, Worker};
use leyden_grid::{Grid, Puzzle};
use rustc_hash::FxHashMap;

use super::super::bits::{Bits, WORDS_PER_FUEL};
use super::super::effort::Span;
use super::words::{Kind, NO_OBJECT, UNPAINTED, Words};

/// The number of words between two looks at the clock.
const WORDS_PER_LOOK: usize = 16;
/// Making a set cell by cell takes as long as this number of operations on sets.
const CELLS_PER_WORD: usize = 16;

/// The samples, cell after cell, with the words' values.
pub(super) struct Field<'f> {
    /// The effort for rules. Every long computation spends some of it and asks whether it is over.
    span: &'f Span<'f>,
    pub(super) words: &'static Words,
    /// Height, width and first bit of each sample; the demonstrations come first.
    pub(super) samples: Vec<(usize, usize, usize)>,
    pub(super) n_demos: usize,
    pub(super) n_bits: usize,
    /// The colours of the inputs.
    pub(super) input: Vec<i8>,
    /// The value of each word for each cell, if the word makes sense in all samples.
    pub(super) said: Vec<Option<Vec<i8>>>,
    /// The picture that the words describe, in arc-dsl.
    pub(super) picture: String,
    /// Other pictures of these sizes.
    pub(super) pieces: Vec<Piece>,
    /// Words with a test for their objects, in arc-dsl.
    pub(super) texts: Vec<(String, usize)>,
}

/// A picture that moves lead to.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) cost: u32,
    pub(super) values: Vec<i8>,
}

/// The name of a mask or source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A word.
    Word(usize),
    /// A word with a test for its objects.
    Text(usize),
    /// A piece; for a set of cells, one of its colours.
    Piece(usize, i8),
    /// A number.
    Constant,
}

/// The way a set of cells follows from a word's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The set itself, or the cells of objects that pass the test.
    Yes,
    /// All cells outside the set, or the cells of objects that fail the test.
    No,
    /// Objects with this number.
    Is(i8),
    /// Objects with another number.
    IsNot(i8),
    /// Objects with a larger number.
    More(i8),
    /// Objects with this number or a smaller one.
    NotMore(i8),
    /// Objects with the largest number.
    Most,
    /// Objects without the largest number.
    NotMost,
    /// Objects with the smallest number.
    Least,
    /// Objects without the smallest number.
    NotLeast,
    /// Objects with an even number.
    Even,
    /// Objects with an odd number.
    Odd,
    /// All objects of the set.
    Any,
}

/// A set of cells that has a name.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    pub(super) bits: Bits,
    pub(super) cost: u32,
    pub(super) name: Name,
    pub(super) how: How,
}

/// A source of colours.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) cost: u32,
    pub(super) name: Name,
    pub(super) values: Vec<i8>,
}

impl<'f> Field<'f> {
    /// Evaluates all words on all inputs, which are called `picture`, while there is time.
    pub(super) fn new(
        words: &'static Words,
        worker: &mut Worker<'_>,
        puzzle: &Puzzle,
        picture: String,
        span: &'f Span<'f>,
    ) -> Field<'f> {
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let grids: Vec<&Grid> = demos.chain(&puzzle.test_inputs).collect();
        let (mut samples, mut n_bits) = (Vec::new(), 0);
        for grid in &grids {
            samples.push((grid.height(), grid.width(), n_bits));
            n_bits += grid.cells().len();
        }
        let mut field = Field {
            span,
            words,
            samples,
            n_demos: puzzle.demos.len(),
            n_bits,
            input: grids.iter().flat_map(|grid| values(grid)).collect(),
            said: vec![Some(Vec::with_capacity(n_bits)); words.all.len()],
            picture,
            pieces: Vec::new(),
            texts: Vec::new(),
        };
        for grid in &grids {
            let before = worker.counts();
            field.ask(worker, grid);
            span.count(worker.counts().since(before));
        }
        field
    }

    pub(super) fn is_over(&self) -> bool {
        self.span.is_over()
    }

    /// Pays for operations on sets of cells.
    pub(super) fn spend(&self, n_operations: usize) {
        let n_words = n_operations * self.n_bits.div_ceil(64);
        self.span.spend(n_words as u64 / WORDS_PER_FUEL + 1);
    }

    /// Pays for runs of programs.
    pub(super) fn count(&self, done: Counts) {
        self.span.count(done);
    }

    fn ask(&mut self, worker: &mut Worker<'_>, grid: &Grid) {
        let n_cells = grid.cells().len();
        let before = self.said.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let (span, mut is_over) = (self.span, false);
        let wanted = |_, k: usize, _| {
            is_over = is_over || (k.is_multiple_of(WORDS_PER_LOOK) && span.is_over());
            !is_over
        };
        worker.run_counted(&Seen::default(), [grid], wanted, |_, k, ran| {
            let Some(said) = &mut self.said[k] else {
                return;
            };
            let Outcome::Grid(output) = ran.outcome else {
                return;
            };
            match (output.as_rectangle(), self.words.all[k].kind) {
                (Some((_, &[colour])), Kind::Colour | Kind::Global) => {
                    said.extend(std::iter::repeat_n(colour, n_cells));
                }
                (Some((width, cells)), _) if width == grid.width() && cells.len() == n_cells => {
                    said.extend_from_slice(cells);
                }
                _ => {}
            }
        });
        // A word that makes no sense here cannot be part of a rule.
        for said in &mut self.said {
            if said.as_ref().is_some_and(|s| s.len() != before + n_cells) {
                *said = None;
            }
        }
    }

    /// The cells whose number is chosen.
    fn bits(&self, said: &[i8], is_in: impl Fn(i8) -> bool) -> Bits {
        self.spend(CELLS_PER_WORD);
        Bits::of(self.n_bits, |k| is_in(said[k]))
    }

    /// The cells of each sample.
    pub(super) fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let samples = self.samples.iter();
        samples.map(|(height, width, first)| *first..first + height * width)
    }

    /// The number of cells in the demonstrations.
    pub(super) fn n_demo_bits(&self) -> usize {
        let next = self.samples.get(self.n_demos);
        next.map_or(self.n_bits, |(_, _, first)| *first)
    }

    /// All distinct sets of cells, each with its cheapest name by words of these kinds.
    pub(super) fn masks(&self, is_asked: impl Fn(Kind) -> bool) -> Vec<Mask> {
        let mut masks = Masks::default();
        let mut of_sets = vec![false; self.words.objects.len()];
        for (word, said) in self.said.iter().enumerate() {
            let Some(said) = said else { continue };
            if word.is_multiple_of(WORDS_PER_LOOK) && self.is_over() {
                break;
            }
            let (kind, cost) = (self.words.all[word].kind, self.words.all[word].cost);
            if !is_asked(kind) {
                continue;
            }
            let name = Name::Word(word);
            let mut add = |how, cost, bits| {
                masks.add(Mask {
                    bits,
                    cost,
                    name,
                    how,
                })
            };
            match kind {
                Kind::Cells => {
                    add(How::Yes, cost, self.bits(said, |v| v == 1));
                    if cost <= 3 {
                        add(How::No, cost + 1, self.bits(said, |v| v != 1));
                    }
                }
                Kind::Test(set) => {
                    let cost = cost + self.words.objects[set].cost - 2;
                    add(How::Yes, cost, self.bits(said, |v| v == 1));
                    add(How::No, cost + 1, self.bits(said, |v| v == 0));
                }
                Kind::Number(set) => {
                    let cost = cost + self.words.objects[set].cost - 2;
                    if !of_sets[set] {
                        of_sets[set] = true;
                        let set_cost = self.words.objects[set].cost;
                        add(How::Any, set_cost, self.bits(said, |v| v != NO_OBJECT));
                    }
                    self.relations(said, cost, &mut add);
                }
                Kind::Colour | Kind::Global | Kind::Picture | Kind::Painted | Kind::Start => {}
            }
        }
        masks.all
    }

    /// All distinct sets of cells, including the colours of pieces.
    pub(super) fn masks_and_pieces(&self) -> Vec<Mask> {
        let mut masks = Masks::default();
        let words = self.masks(|_| true);
        words.into_iter().for_each(|mask| masks.add(mask));
        for (k, piece) in self.pieces.iter().enumerate() {
            let mut colours = piece.values.clone();
            colours.sort_unstable();
            colours.dedup();
            for colour in colours {
                masks.add(Mask {
                    bits: self.bits(&piece.values, |v| v == colour),
                    cost: piece.cost + 2,
                    name: Name::Piece(k, colour),
                    how: How::Yes,
                });
            }
        }
        masks.all
    }

    /// The sets of objects that a number separates.
    fn relations(&self, said: &[i8], cost: u32, add: &mut impl FnMut(How, u32, Bits)) {
        let mut numbers: Vec<i8> = said[..self.n_demo_bits()].to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|v| *v != NO_OBJECT);
        if numbers.len() < 2 {
            return;
        }
        self.extremes(said, cost, add);
        add(
            How::Even,
            cost + 2,
            self.bits(said, |v| v != NO_OBJECT && v % 2 == 0),
        );
        add(How::Odd, cost + 2, self.bits(said, |v| v % 2 == 1));
        for number in numbers.into_iter().filter(|v| (0..=20).contains(v)) {
            let cost = cost + u32::from(number > 3) + u32::from(number > 9);
            let is_object = |v: i8| v != NO_OBJECT;
            add(How::Is(number), cost, self.bits(said, |v| v == number));
            add(
                How::IsNot(number),
                cost + 1,
                self.bits(said, |v| is_object(v) && v != number),
            );
            add(How::More(number), cost + 1, self.bits(said, |v| v > number));
            add(
                How::NotMore(number),
                cost + 2,
                self.bits(said, |v| is_object(v) && v <= number),
            );
        }
    }

    fn extremes(&self, said: &[i8], cost: u32, add: &mut impl FnMut(How, u32, Bits)) {
        let mut kinds = [How::Most, How::NotMost, How::Least, How::NotLeast]
            .map(|how| (how, Bits::none(self.n_bits)));
        for range in self.ranges() {
            let objects = || range.clone().filter(|k| said[*k] != NO_OBJECT);
            let most = objects().map(|k| said[k]).max();
            let least = objects().map(|k| said[k]).min();
            for k in objects() {
                let is_it = [most == Some(said[k]), least == Some(said[k])];
                kinds[usize::from(!is_it[0])].1.set(k);
                kinds[2 + usize::from(!is_it[1])].1.set(k);
            }
        }
        for (how, bits) in kinds {
            let is_rest = matches!(how, How::NotMost | How::NotLeast);
            add(how, cost + u32::from(is_rest), bits);
        }
    }

    /// Everything that can lend colours, the constants first.
    pub(super) fn sources(&self, constants: &[i8]) -> Vec<Source> {
        let constant = |colour: &i8| Source {
            cost: 1,
            name: Name::Constant,
            values: vec![*colour; self.n_bits],
        };
        let lent = |(word, said): (usize, &Option<Vec<i8>>)| {
            let kind = self.words.all[word].kind;
            let lends = matches!(kind, Kind::Colour | Kind::Picture | Kind::Painted);
            Some(Source {
                cost: self.words.all[word].cost,
                name: Name::Word(word),
                values: said.clone().filter(|_| lends)?,
            })
        };
        let piece = |(k, piece): (usize, &Piece)| Source {
            cost: piece.cost + 2,
            name: Name::Piece(k, 0),
            values: piece.values.clone(),
        };
        let mut seen: FxHashMap<Vec<i8>, ()> = FxHashMap::default();
        let sources = constants.iter().map(constant);
        let sources = sources.chain(self.said.iter().enumerate().filter_map(lent));
        let sources = sources.chain(self.pieces.iter().enumerate().map(piece));
        sources
            .filter(|source| seen.insert(source.values.clone(), ()).is_none())
            .collect()
    }

    /// Whether a source consists only of painted objects.
    pub(super) fn is_painted(&self, source: &Source) -> bool {
        let word = match source.name {
            Name::Word(word) => word,
            Name::Text(text) => self.texts[text].1,
            Name::Piece(..) | Name::Constant => return false,
        };
        self.words.all[word].kind == Kind::Painted
    }

    /// The cells for which a source has a colour.
    pub(super) fn covered(&self, source: &Source) -> Bits {
        self.bits(&source.values, |v| v != UNPAINTED)
    }
}

/// Distinct sets of cells.
#[derive(Default)]
struct Masks {
    all: Vec<Mask>,
    places: FxHashMap<Bits, usize>,
}

impl Masks {
    fn add(&mut self, mask: Mask) {
        if mask.bits.is_empty() {
            return;
        }
        let next = self.all.len();
        let place = *self.places.entry(mask.bits.clone()).or_insert(next);
        match self.all.get_mut(place) {
            None => self.all.push(mask),
            Some(known) if known.cost > mask.cost => *known = mask,
            Some(_) => {}
        }
    }
}

pub(super) fn values(grid: &Grid) -> Vec<i8> {
    grid.cells().iter().map(|colour| *colour as i8).collect()
}
