//! Evolves programs: draws parents by score, changes them, runs the children on demonstration
//! pairs, keeps what is better, again and again.
//!
//! First the library itself runs on all puzzles. Then every round has two parts. A *broad* battery,
//! drawn from the whole library by score and changed, runs on all puzzles. And each puzzle has a
//! battery of its own, made from the best programs it has seen, which runs on it alone. All
//! programs run on the first demonstration pair; on the next ones only those that can still get
//! among the best.
//!
//! A puzzle's best programs live on islands that exchange their best now and then; an island where
//! nothing changes for long starts anew. Programs that come from one written for the puzzle
//! (*own* ones, told by the names in the library) are kept apart from all others: what counts as
//! found is what was not there in some disguise.
//!
//! Every choice comes from the seed, the round and the puzzle, so threads do not matter, and
//! [`Evolution::checkpoint`] holds all there is.

mod breed;
mod checkpoint;
mod field;
mod judge;
mod member;
mod memory;
mod round;

use std::sync::{Arc, Mutex};

use leyden_exec::Elsewhere;
use leyden_grid::Puzzle;
use leyden_lang::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::colours::Colours;
use crate::mutate::Rates;

pub use checkpoint::library_of;
pub use judge::Tally;
pub use member::{Birth, Mark, Member, Strain};

use breed::Pool;
use field::Field;
use judge::{Credits, Scorer};
use memory::{Sketch, Tried};

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It made as many rounds as it was to.
    Rounds,
    /// Its time was over.
    Budget,
    /// It burnt the fuel it was given.
    Fuel,
    /// Somebody stopped it.
    Cancelled,
    /// Every puzzle is fitted by a program that was not made for it.
    NothingLeft,
}

impl StopReason {
    /// One or two words.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Rounds => "rounds",
            StopReason::Budget => "budget",
            StopReason::Fuel => "fuel",
            StopReason::Cancelled => "cancelled",
            StopReason::NothingLeft => "nothing left",
        }
    }
}

/// How to evolve.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Where all choices come from.
    pub seed: u64,
    /// How many populations each puzzle has.
    pub n_islands: usize,
    /// How many programs live on an island.
    pub n_members: usize,
    /// How many children are made for each puzzle in a round.
    pub n_children: usize,
    /// How many children are made for all puzzles together.
    pub n_broad: usize,
    /// What a run on a sample may take.
    pub run_fuel: u64,
    /// How probable each kind of change is.
    pub rates: Rates,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 0,
            n_islands: 2,
            n_members: 6,
            n_children: 64,
            n_broad: 256,
            run_fuel: 20_000,
            rates: Rates::default(),
        }
    }
}

impl Settings {
    /// In one line, for comparing: runs with the same line and library are the same.
    pub fn summary(&self) -> String {
        format!(
            "seed {} islands {} members {} children {} broad {} fuel {}",
            self.seed, self.n_islands, self.n_members, self.n_children, self.n_broad, self.run_fuel
        )
    }
}

/// Why a run cannot begin or go on.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EvolveError {
    /// The scoring programs cannot be read.
    #[error("the scoring programs are damaged: {0}")]
    Scores(String),
    /// The checkpoint is none, or one of something else.
    #[error("the saved state cannot be used: {0}")]
    Checkpoint(String),
}

/// Library programs run on all puzzles so many at a time.
const SURVEY_CHUNK: usize = 50;

/// A run of the loop.
#[derive(Debug)]
pub struct Evolution<'p> {
    puzzles: &'p [Puzzle],
    settings: Settings,
    scorer: Scorer,
    library: Vec<Arc<Strain>>,
    /// How many programs of the library have been run.
    n_surveyed: usize,
    fields: Vec<Field>,
    colours: Vec<Colours>,
    credits: Vec<Mutex<Credits>>,
    /// Programs that fitted a puzzle in the last round, to be run on all.
    queue: Vec<(Arc<Strain>, Birth)>,
    tried: Tried,
    behaviours: Sketch,
    totals: Totals,
    /// Who may answer before anything runs here.
    elsewhere: Option<Arc<dyn Elsewhere>>,
}

/// What was done in all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many rounds were finished.
    pub rounds: u64,
    /// What ran.
    pub tally: Tally,
    /// How many children were made.
    pub children: u64,
    /// How many of them had been tried before and were dropped.
    pub repeated: u64,
    /// How often an island started anew.
    pub restarts: u64,
}

/// A program that got among the best of a puzzle.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The number of the puzzle.
    pub place: usize,
    /// The program, with a name of its own unless it is of the library.
    pub program: Program,
    /// Its origin and marks.
    pub member: Arc<Member>,
    /// Whether it comes from a program that was made for the puzzle.
    pub is_own: bool,
}

/// What a round brought.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Programs that got among the best.
    pub kept: Vec<Kept>,
    /// The numbers of puzzles that a program fits now that was not made for them.
    pub fitted: Vec<usize>,
}

/// How the puzzles stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Puzzles that programs of the library made for them fit.
    pub own: usize,
    /// Puzzles that other programs of the library fit.
    pub transferred: usize,
    /// Further puzzles that evolved programs fit which do not come from one made for them.
    pub evolved: usize,
    /// Those of them that no program of the library fits.
    pub new: usize,
    /// Own programs that became smaller.
    pub improved: usize,
}

impl<'p> Evolution<'p> {
    /// A run that begins with a library.
    pub fn new(
        puzzles: &'p [Puzzle],
        library: Vec<Program>,
        settings: Settings,
    ) -> Result<Evolution<'p>, EvolveError> {
        let scorer = Scorer::own().map_err(|found| {
            let first = found.first().map(|found| found.message.clone());
            EvolveError::Scores(first.unwrap_or_default())
        })?;
        let places: FxHashMap<&str, u32> = puzzles
            .iter()
            .map(|puzzle| puzzle.id.as_str())
            .zip(0..)
            .collect();
        let strain = |program: Program| {
            let place = program.task_id().and_then(|id| places.get(id));
            Arc::new(Strain::new(
                program.clone(),
                place.copied().into_iter().collect(),
            ))
        };
        let settings = Settings {
            n_islands: settings.n_islands.max(1),
            n_members: settings.n_members.max(1),
            ..settings
        };
        Ok(Evolution {
            puzzles,
            scorer,
            library: library.into_iter().map(strain).collect(),
            n_surveyed: 0,
            fields: vec![Field::new(settings.n_islands); puzzles.len()],
            colours: puzzles.iter().map(Colours::of).collect(),
            credits: puzzles.iter().map(|_| Mutex::default()).collect(),
            queue: Vec::new(),
            tried: Tried::default(),
            behaviours: Sketch::default(),
            totals: Totals::default(),
            elsewhere: None,
            settings,
        })
    }

    /// Asks somebody first, such as a device, who may burn what the settings say. What is kept stays
    /// the same: answers only spare programs that fail a run here.
    #[must_use]
    pub fn asking(self, elsewhere: Option<Arc<dyn Elsewhere>>) -> Evolution<'p> {
        Evolution { elsewhere, ..self }
    }

    /// What was done so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// How many different behaviours were seen (what a program gave on the pairs of a puzzle that
    /// it ran on), to within about a percent.
    pub fn n_behaviours(&self) -> u64 {
        self.behaviours.count()
    }

    /// How much of the library has been run on the puzzles.
    pub fn surveyed(&self) -> (usize, usize) {
        (self.n_surveyed, self.library.len())
    }

    /// The best credit of programs that were not made for it, for each puzzle that none of them
    /// fits, 0 to 100.
    pub fn partial(&self) -> impl Iterator<Item = (&Puzzle, f64)> {
        let fields = self.puzzles.iter().zip(&self.fields);
        fields
            .filter(|(_, field)| !field.is_fitted())
            .map(|(puzzle, field)| {
                let best = field.best.best().map_or(0, |best| best.credit());
                let n_tried = field.best.best().map_or(1, |best| best.n_tried().max(1));
                let full = u64::from(self.scorer.full()) * n_tried as u64;
                (puzzle, 100.0 * best as f64 / full as f64)
            })
    }

    /// Partial credit for a pair, 0 to 100.
    pub fn percent(&self, mark: &Mark) -> f64 {
        100.0 * f64::from(mark.credit) / f64::from(self.scorer.full().max(1))
    }

    /// How the puzzles stand.
    pub fn standing(&self) -> Standing {
        let count = |wanted: &dyn Fn(&Field) -> bool| {
            self.fields.iter().filter(|field| wanted(field)).count()
        };
        Standing {
            own: count(&|field| field.own_lines.is_some()),
            transferred: count(&|field| field.is_transferred),
            evolved: count(&|field| field.is_evolved()),
            new: count(&|field| field.is_evolved() && field.own_lines.is_none()),
            improved: count(&Field::is_improved),
        }
    }

    /// The numbers of puzzles that evolved programs fit and no program of the library that was not
    /// made for them.
    pub fn evolved(&self) -> Vec<usize> {
        let fields = self.fields.iter().enumerate();
        let evolved = fields.filter(|(_, field)| field.is_evolved());
        evolved.map(|(place, _)| place).collect()
    }

    /// The best program for a puzzle that was not made for it.
    pub fn best(&self, place: usize) -> Option<&Member> {
        self.fields.get(place)?.best.best().map(AsRef::as_ref)
    }

    /// Is there nothing left to find?
    pub fn is_over(&self) -> bool {
        self.n_surveyed >= self.library.len() && self.fields.iter().all(Field::is_fitted)
    }

    /// The library, and what fits a puzzle now.
    fn pool(&self) -> Pool {
        let mut known: FxHashSet<u128> = self.library.iter().map(|strain| strain.hash).collect();
        let mut strains = self.library.clone();
        let mut fitting = FxHashSet::default();
        for member in self.fields.iter().flat_map(Field::fitting) {
            fitting.insert(member.strain.hash);
            if known.insert(member.strain.hash) {
                strains.push(member.strain.clone());
            }
        }
        Pool::new(strains, |strain| fitting.contains(&strain.hash))
    }
}
