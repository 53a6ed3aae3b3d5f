//! Makes a battery: samples programs, changes them, merges them.

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

/// Tells how much time has passed; libraries do not ask the machine themselves.
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

/// Programs to draw from, with what their changes need to know.
#[derive(Clone, Debug, Default)]
pub struct Deck {
    cards: Vec<Entry>,
    /// How often each is drawn, compared with the others; none: all alike.
    weights: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
struct Entry {
    program: Program,
    /// None if the program does not pass the checks itself; then it is never changed.
    shapes: Option<Vec<Shape>>,
    colours: Option<Colours>,
}

impl Deck {
    /// A deck of programs, each with the colours of its task if they are known.
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

    /// A deck from which programs are drawn by weight; one of weight 0 is never drawn.
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

    /// How many programs can be drawn.
    fn n_drawable(&self) -> usize {
        match &self.weights {
            Some(weights) => weights.iter().filter(|weight| **weight > 0).count(),
            None => self.len(),
        }
    }

    /// How many programs there are.
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// How many programs can be changed: those whose types are sound to begin with.
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

/// What kind of battery is wanted.
#[derive(Clone, Debug)]
pub struct Card {
    /// How many programs it shall hold.
    pub count: usize,
    /// Where all choices come from.
    pub seed: u64,
    /// Change nothing: every program of the deck at most once, as it is.
    pub freeze: bool,
    /// How probable each kind of change is.
    pub rates: Rates,
    /// How the programs are merged.
    pub rules: Rules,
}

/// What became of the attempts at one kind of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCount {
    /// How often it was to be done.
    pub n_wanted: u32,
    /// How often it was done.
    pub n_done: u32,
    /// How many results were not sound and were tried again or given up.
    pub n_unsound: u32,
}

/// How a battery came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardReport {
    /// How many programs were drawn.
    pub n_sampled: usize,
    /// How many of those in the battery were changed.
    pub n_mutants: usize,
    /// How many were dropped because the battery held one that does the same.
    pub n_dropped: usize,
    /// Per kind of change, in the order of [`Kind::ALL`].
    pub kinds: Vec<KindCount>,
    /// The time drawing took.
    pub sample: Duration,
    /// The time changing took.
    pub mutate: Duration,
    /// The time merging took.
    pub merge: Duration,
    /// How often each of [`leyden_lang::RULES`] was applied.
    pub n_rewrites: Vec<u32>,
}

/// A program on its way into the battery.
struct Hand<'a> {
    origin: usize,
    program: Cow<'a, Program>,
    mutations: Vec<Mutation>,
    /// It says the same as one before, word for word.
    is_repeated: bool,
}

/// Rounds that bring nothing new end the search for more.
const MOST_ROUNDS: usize = 12;
/// So many programs are changed, then merged, while they are still in the cache.
const CHUNK: usize = 64;
/// How often kinds are rolled for until there is one.
const MOST_ROLLS: usize = 8;

impl Card {
    /// Makes the battery. With fewer than `count` programs where the deck does not give more.
    pub fn deal(&self, deck: &Deck, clock: &impl Clock) -> (Battery, CardReport) {
        self.deal_watched(deck, clock, |_| {})
    }

    /// [`Card::deal`], which tells `watch` now and then how many programs the battery has.
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
    /// What is left of the shuffled deck.
    pile: Vec<usize>,
    /// What draws by weight are made from.
    urn: Option<Urn>,
    unchanged: FxHashSet<usize>,
    /// The hashes of what mutants say: many are made more than once, and merging costs more.
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
        let wanted = match self.card.freeze {
            true => self.card.count.min(self.deck.n_drawable()),
            false => self.card.count,
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

    /// Draws programs by weight, the same one perhaps several times; but where nothing is changed
    /// a second time would add nothing. In the deck's order.
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

    /// Draws programs: every one once, in any order, before any is drawn again. In the deck's order, so
    /// that mutants of one program stand side by side: what they share is still at hand when they run.
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

    /// Changes a program, perhaps in several ways, perhaps in none; but where it has been drawn
    /// unchanged before it is tried again.
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
        hand.is_repeated = match hand.mutations.is_empty() {
            true => !self.unchanged.insert(origin),
            false => !self.said.insert(hash_of(&hand.program)),
        };
        hand
    }

    /// Rolls for each kind of change; says whether one was made.
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

    /// What a change of this program may draw upon; the donor is one of the same dialect.
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

    /// Adds a program under a name of its own; says whether it was new.
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

/// A hash of what a program says, without its name and where it stood in a file.
pub(crate) fn hash_of(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    (program.dialect, &program.inputs, program.output).hash(&mut hasher);
    program.ops().for_each(|op| op.hash(&mut hasher));
    hasher.finish()
}

/// Gives every program a name of its own.
#[derive(Default)]
struct Names {
    taken: FxHashSet<String>,
    serial: usize,
}

impl Names {
    /// The program's own name, if nobody has it; mutants get a number.
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
