//! Makes a battery: samples programs, mutates them, merges them.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use leyden_lang::{Battery, Merger, Mutation, Program, Rules};
use rustc_hash::{FxHashSet, FxHasher};
use xxhash_rust::xxh3::xxh3_128;

use crate::colours::Colours;
use crate::dice::Dice;
use crate::mutate::{Kind, Rates, Sources, mutate};
use crate::types::{Shape, check};
use crate::urn::Urn;

/// Measures time. Libraries do not read the machine's clock themselves.
pub trait Clock {
    /// The time since some fixed moment.
    fn now(&self) -> Duration;
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Programs to draw from, with the data that mutations need.
#[derive(Clone, Debug, Default)]
pub struct Deck {
    cards: Vec<Entry>,
    /// The weight of each program in a draw; `None` if all weigh alike.
    weights: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
struct Entry {
    program: Program,
    /// The shapes of the lines; `None` if the program does not pass the checks itself. Such a
    /// program is never mutated.
    shapes: Option<Vec<Shape>>,
    colours: Option<Colours>,
}

impl Deck {
    /// Makes a deck of programs, each with the colours of its task if they are known.
    pub fn new(programs: impl IntoIterator<Item = (Program, Option<Colours>)>) -> Deck {
        let cards = programs.into_iter().map(|(program, colours)| Entry {
            shapes: check(&program),
            program,
            colours,
        });
        Deck {
            cards: cards.collect(),
            weights: None,
        }
    }

    /// Makes a deck from which programs are drawn by weight. A program of weight 0 is never drawn.
    pub fn by_weight(programs: impl IntoIterator<Item = (Program, Option<Colours>, u64)>) -> Deck {
        let mut weights = Vec::new();
        let programs = programs.into_iter().map(|(program, colours, weight)| {
            weights.push(weight);
            (program, colours)
        });
        let deck = Deck::new(programs);
        Deck {
            weights: Some(weights),
            ..deck
        }
    }

    /// The number of programs that can be drawn.
    fn n_drawable(&self) -> usize {
        match &self.weights {
            Some(weights) => weights.iter().filter(|weight| **weight > 0).count(),
            None => self.len(),
        }
    }

    /// The number of programs.
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether the deck has no programs.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The number of programs that can be mutated: those whose types are sound.
    pub fn n_mutable(&self) -> usize {
        self.cards
            .iter()
            .filter(|card| card.shapes.is_some())
            .count()
    }

    /// A hash of the programs and their names.
    pub fn content_hash(&self) -> u128 {
        let text: String = self
            .cards
            .iter()
            .map(|card| card.program.to_string())
            .collect();
        xxh3_128(text.as_bytes())
    }
}

/// A request for a battery.
#[derive(Clone, Debug)]
pub struct Card {
    /// The number of programs.
    pub count: usize,
    /// The seed of all choices.
    pub seed: u64,
    /// Mutate nothing: take every program of the deck at most once, unchanged.
    pub freeze: bool,
    /// The probability of each kind of mutation.
    pub rates: Rates,
    /// The rules for merging.
    pub rules: Rules,
}

/// The results of the attempts at one kind of mutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCount {
    /// The number of attempts.
    pub n_wanted: u32,
    /// The number of mutations made.
    pub n_done: u32,
    /// The number of unsound results. Each was tried again or given up.
    pub n_unsound: u32,
}

/// A report of how a battery was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardReport {
    /// The number of programs drawn.
    pub n_sampled: usize,
    /// The number of mutated programs in the battery.
    pub n_mutants: usize,
    /// The number of programs dropped because the battery had an equal one.
    pub n_dropped: usize,
    /// Counts for each kind of mutation, in the order of [`Kind::ALL`].
    pub kinds: Vec<KindCount>,
    /// The time of drawing.
    pub sample: Duration,
    /// The time of mutating.
    pub mutate: Duration,
    /// The time of merging.
    pub merge: Duration,
    /// The number of applications of each of [`leyden_lang::RULES`].
    pub n_rewrites: Vec<u32>,
}

/// A program on its way into the battery.
struct Hand<'a> {
    origin: usize,
    program: Cow<'a, Program>,
    mutations: Vec<Mutation>,
    /// Whether an earlier program has equal lines.
    is_repeated: bool,
}

/// The largest number of rounds of drawing for one battery.
const MOST_ROUNDS: usize = 12;
/// The number of programs that are mutated and then merged while they are still in the cache.
const CHUNK: usize = 64;
/// The number of rolls for kinds until one succeeds.
const MOST_ROLLS: usize = 8;

impl Card {
    /// Makes the battery. It has fewer than `count` programs if the deck does not give more.
    pub fn deal(&self, deck: &Deck, clock: &impl Clock) -> (Battery, CardReport) {
        self.deal_watched(deck, clock, |_| {})
    }

    /// [`Card::deal`] that also passes the number of programs in the battery to `watch` now and
    /// then.
    pub fn deal_watched(
        &self,
        deck: &Deck,
        clock: &impl Clock,
        watch: impl Fn(usize),
    ) -> (Battery, CardReport) {
        let mut dealer = Dealer::new(self, deck);
        for _ in 0..MOST_ROUNDS {
            let n_missing = dealer.n_missing();
            if n_missing == 0 || deck.n_drawable() == 0 {
                break;
            }
            let start = clock.now();
            let drawn = dealer.draw(n_missing);
            dealer.report.sample += clock.now().saturating_sub(start);
            for chunk in drawn.chunks(CHUNK) {
                dealer.play_all(chunk, clock);
                watch(dealer.merger.battery().outs.len());
            }
        }
        dealer.finish(clock)
    }
}

struct Dealer<'a> {
    card: &'a Card,
    deck: &'a Deck,
    dice: Dice,
    merger: Merger,
    /// The rest of the shuffled deck.
    pile: Vec<usize>,
    /// The urn for draws by weight.
    urn: Option<Urn>,
    unchanged: FxHashSet<usize>,
    /// The hashes of the mutants' lines. Many mutants occur more than once, and merging costs more
    /// than hashing.
    said: FxHashSet<u64>,
    names: Names,
    report: CardReport,
}

impl<'a> Dealer<'a> {
    fn new(card: &'a Card, deck: &'a Deck) -> Dealer<'a> {
        Dealer {
            card,
            deck,
            dice: Dice::seeded(card.seed),
            merger: Merger::new(card.rules),
            pile: Vec::new(),
            urn: deck.weights.as_deref().map(Urn::new),
            unchanged: FxHashSet::default(),
            said: FxHashSet::default(),
            names: Names::default(),
            report: CardReport {
                kinds: vec![KindCount::default(); Kind::ALL.len()],
                ..CardReport::default()
            },
        }
    }

    fn n_missing(&self) -> usize {
        let wanted = if self.card.freeze {
            self.card.count.min(self.deck.n_drawable())
        } else {
            self.card.count
        };
        wanted.saturating_sub(self.merger.battery().outs.len())
    }

    fn draw(&mut self, count: usize) -> Vec<usize> {
        let drawn = match self.urn.take() {
            Some(mut urn) => {
                let drawn = self.draw_by_weight(&mut urn, count);
                self.urn = Some(urn);
                drawn
            }
            None => self.draw_alike(count),
        };
        self.report.n_sampled += drawn.len();
        drawn
    }

    /// Draws programs by weight, in the deck's order. A program may come several times, but not in
    /// a frozen battery, where the second would add nothing.
    fn draw_by_weight(&mut self, urn: &mut Urn, count: usize) -> Vec<usize> {
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count
            && let Some(k) = urn.draw(&mut self.dice)
        {
            if self.card.freeze {
                urn.remove(k);
            }
            drawn.push(k);
        }
        drawn.sort_unstable();
        drawn
    }

    /// Draws programs, in the deck's order: every one once before any is drawn again. Mutants of
    /// one program are then neighbours, and their shared values are still in the cache when they
    /// run.
    fn draw_alike(&mut self, count: usize) -> Vec<usize> {
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count {
            if self.pile.is_empty() {
                self.pile = (0..self.deck.len()).collect();
                self.dice.shuffle(&mut self.pile);
            }
            let n_taken = (count - drawn.len()).min(self.pile.len());
            drawn.extend(self.pile.drain(self.pile.len() - n_taken..));
        }
        drawn.sort_unstable();
        drawn
    }

    fn play_all(&mut self, drawn: &[usize], clock: &impl Clock) {
        let start = clock.now();
        let hands: Vec<Hand<'a>> = drawn.iter().map(|k| self.play(*k)).collect();
        let mutated = clock.now();
        hands.into_iter().for_each(|hand| self.merge(hand));
        self.report.mutate += mutated.saturating_sub(start);
        self.report.merge += clock.now().saturating_sub(mutated);
    }

    /// Mutates a program in no, one or several ways. A program that was drawn unchanged before is
    /// tried again.
    fn play(&mut self, origin: usize) -> Hand<'a> {
        let deck = self.deck;
        let entry = &deck.cards[origin];
        let mut hand = Hand {
            origin,
            program: Cow::Borrowed(&entry.program),
            mutations: Vec::new(),
            is_repeated: false,
        };
        let is_known = self.unchanged.contains(&origin);
        let n_rolls = if is_known { MOST_ROLLS } else { 1 };
        let shapes = entry.shapes.as_ref().filter(|_| !self.card.freeze);
        if let Some(shapes) = shapes {
            (0..n_rolls).find(|_| self.change(&mut hand, shapes));
        }
        hand.is_repeated = if hand.mutations.is_empty() {
            !self.unchanged.insert(origin)
        } else {
            !self.said.insert(hash_of(&hand.program))
        };
        hand
    }

    /// Rolls for each kind of mutation; returns whether one was made.
    fn change(&mut self, hand: &mut Hand<'a>, shapes: &[Shape]) -> bool {
        let mut shapes = Cow::Borrowed(shapes);
        for kind in Kind::ALL {
            if !self.dice.chance(self.card.rates.get(*kind)) {
                continue;
            }
            let sources = self.sources(hand);
            let (changed, n_unsound) =
                mutate(*kind, &hand.program, &shapes, &sources, &mut self.dice);
            let counts = &mut self.report.kinds[*kind as usize];
            counts.n_wanted += 1;
            counts.n_unsound += n_unsound;
            if let Some(changed) = changed {
                counts.n_done += 1;
                hand.program = Cow::Owned(changed.program);
                shapes = Cow::Owned(changed.shapes);
                let kind = kind.name().to_owned();
                hand.mutations.push(Mutation {
                    kind,
                    what: changed.what,
                });
            }
        }
        !hand.mutations.is_empty()
    }

    /// The material for mutations of this program. The donor has the program's dialect.
    fn sources(&mut self, hand: &Hand<'a>) -> Sources<'a> {
        let donor = &self.deck.cards[self.dice.below(self.deck.len())];
        let is_kin = donor.program.dialect == hand.program.dialect;
        let shapes = donor.shapes.as_deref().filter(|_| is_kin);
        Sources {
            donor: shapes.map(|shapes| (&donor.program, shapes)),
            colours: self.deck.cards[hand.origin].colours.as_ref(),
        }
    }

    fn merge(&mut self, mut hand: Hand<'a>) {
        let is_mutant = !hand.mutations.is_empty();
        if !hand.is_repeated && self.add(&mut hand) {
            self.names.take(hand.program.name.clone());
            self.report.n_mutants += usize::from(is_mutant);
        } else {
            self.report.n_dropped += 1;
        }
    }

    /// Adds a program under a unique name; returns whether it was new.
    fn add(&mut self, hand: &mut Hand<'a>) -> bool {
        let origin = &self.deck.cards[hand.origin].program.name;
        let is_mutant = !hand.mutations.is_empty();
        let name = self.names.free(origin, is_mutant);
        if name != hand.program.name {
            hand.program.to_mut().name = name;
        }
        if is_mutant {
            let mutations = std::mem::take(&mut hand.mutations);
            return self
                .merger
                .add_new(&hand.program, origin, mutations)
                .is_some();
        }
        self.merger.add_original(&hand.program, origin);
        true
    }

    fn finish(mut self, clock: &impl Clock) -> (Battery, CardReport) {
        let start = clock.now();
        self.report.n_rewrites = self.merger.n_rewrites().to_vec();
        let battery = self.merger.finish();
        self.report.merge += clock.now().saturating_sub(start);
        (battery, self.report)
    }
}

/// A hash of a program's lines, without its name and its place in a file.
pub(crate) fn hash_of(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    (program.dialect, &program.inputs, program.output).hash(&mut hasher);
    program.ops().for_each(|op| op.hash(&mut hasher));
    hasher.finish()
}

/// Gives every program a unique name.
#[derive(Default)]
struct Names {
    taken: FxHashSet<String>,
    serial: usize,
}

impl Names {
    /// The program's own name if it is free. Mutants get a number.
    fn free(&mut self, origin: &str, is_mutant: bool) -> String {
        if !is_mutant && !self.taken.contains(origin) {
            return origin.to_owned();
        }
        loop {
            self.serial += 1;
            let name = format!("{origin}_m{}", self.serial);
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }

    fn take(&mut self, name: String) {
        self.taken.insert(name);
    }
}
