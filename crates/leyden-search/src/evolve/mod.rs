//! Evolves programs: draws parents by score, mutates them, runs the children on demonstration pairs
//! and keeps the better ones, again and again.
//!
//! First the library itself runs on all puzzles. Then every round has two parts. A *broad* battery,
//! drawn from the whole library by score and mutated, runs on all puzzles. And each puzzle has its
//! own battery, made from the best programs it has seen, which runs on it alone. All programs run
//! on the first demonstration pair; only those that can still get among the best run on the next
//! ones.
//!
//! A puzzle's best programs live on islands that exchange their best now and then. An island where
//! nothing changes for long starts again. Programs that descend from one written for the puzzle
//! (*own* programs, identified by the names in the library) are kept apart from all others: a
//! disguised copy does not count as found.
//!
//! Every choice comes from the seed, the round and the puzzle, so threads do not matter.
//! [`Evolution::checkpoint`] saves the whole state.

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
use crate::scores::Scorer;

pub use checkpoint::library_of;
pub use judge::Tally;
pub use member::{Birth, Mark, Member, Strain};

use breed::Pool;
use field::Field;
use judge::Credits;
use memory::{Sketch, Tried};

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The rounds are finished.
    Rounds,
    /// The time is over.
    Budget,
    /// The fuel is used up.
    Fuel,
    /// The caller stopped the run.
    Cancelled,
    /// Every puzzle has a fitting program that was not made for it.
    NothingLeft,
}

impl StopReason {
    /// One or two words for reports.
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

/// The settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The seed of all choices.
    pub seed: u64,
    /// The number of populations of each puzzle.
    pub n_islands: usize,
    /// The number of programs on an island.
    pub n_members: usize,
    /// The number of children for each puzzle in a round.
    pub n_children: usize,
    /// The number of children for all puzzles together.
    pub n_broad: usize,
    /// The fuel of a run on a sample.
    pub run_fuel: u64,
    /// The probability of each kind of mutation.
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
    /// The settings on one line. Runs with equal lines and equal libraries are equal.
    pub fn summary(&self) -> String {
        format!(
            "seed {} islands {} members {} children {} broad {} fuel {}",
            self.seed, self.n_islands, self.n_members, self.n_children, self.n_broad, self.run_fuel
        )
    }
}

/// The reason why a run cannot begin or continue.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EvolveError {
    /// The scoring programs cannot be read.
    #[error("the scoring programs are damaged: {0}")]
    Scores(String),
    /// The checkpoint is damaged, or belongs to another run.
    #[error("the saved state cannot be used: {0}")]
    Checkpoint(String),
}

/// The number of library programs that run on all puzzles at a time.
const SURVEY_CHUNK: usize = 50;

/// A run of the evolution.
#[derive(Debug)]
pub struct Evolution<'p> {
    puzzles: &'p [Puzzle],
    settings: Settings,
    scorer: Scorer,
    library: Vec<Arc<Strain>>,
    /// The number of library programs that have run.
    n_surveyed: usize,
    fields: Vec<Field>,
    colours: Vec<Colours>,
    credits: Vec<Mutex<Credits>>,
    /// Programs that fitted a puzzle in the last round, to run on all puzzles.
    queue: Vec<(Arc<Strain>, Birth)>,
    tried: Tried,
    behaviours: Sketch,
    totals: Totals,
    /// A device that may answer before programs run here.
    elsewhere: Option<Arc<dyn Elsewhere>>,
}

/// The work of all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of finished rounds.
    pub rounds: u64,
    /// The runs.
    pub tally: Tally,
    /// The number of children.
    pub children: u64,
    /// The number of children dropped because they had been tried before.
    pub repeated: u64,
    /// The number of islands that started again.
    pub restarts: u64,
}

/// A program that got among the best of a puzzle, or a parent of one.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The index of the puzzle.
    pub place: usize,
    /// The program. It has a unique name unless it is in the library.
    pub program: Program,
    /// Its origin and marks.
    pub member: Arc<Member>,
    /// Whether it descends from a program that was made for the puzzle.
    pub is_own: bool,
}

/// The result of a round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Programs that got among the best.
    pub kept: Vec<Kept>,
    /// The parents of programs that got onto an island. They live on the island too, so they may be
    /// among the best of no puzzle, and the next round may replace them. A caller that saves `kept`
    /// and `parents` has every ancestor of every program.
    pub parents: Vec<Kept>,
    /// The indices of puzzles that a program fits now that was not made for them.
    pub fitted: Vec<usize>,
}

/// The number of puzzles by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Puzzles that programs of the library made for them fit.
    pub own: usize,
    /// Puzzles that other programs of the library fit.
    pub transferred: usize,
    /// Further puzzles that evolved programs fit, where these do not descend from one made for the
    /// puzzle.
    pub evolved: usize,
    /// The part of `evolved` that no program of the library fits.
    pub new: usize,
    /// Own programs that became smaller.
    pub improved: usize,
}

impl<'p> Evolution<'p> {
    /// Begins a run with a library.
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

    /// Sets a device that is asked first, with the fuel of the settings. The result stays equal:
    /// answers only save runs of programs that fail.
    #[must_use]
    pub fn asking(self, elsewhere: Option<Arc<dyn Elsewhere>>) -> Evolution<'p> {
        Evolution { elsewhere, ..self }
    }

    /// The work so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The number of distinct behaviours (a program's outputs on the pairs of a puzzle on which it
    /// ran), to within about a percent.
    pub fn n_behaviours(&self) -> u64 {
        self.behaviours.count()
    }

    /// The programs of the library.
    pub fn library(&self) -> impl Iterator<Item = &Program> {
        self.library.iter().map(|strain| &strain.program)
    }

    /// The number of library programs that have run on the puzzles, and of all.
    pub fn surveyed(&self) -> (usize, usize) {
        (self.n_surveyed, self.library.len())
    }

    /// The best credit, 0 to 100, for each puzzle without a fitting program. Programs made for the
    /// puzzle do not count.
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

    /// The number of puzzles by state.
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

    /// The indices of puzzles that evolved programs fit. Puzzles are left out if a library program
    /// fits that was not made for them.
    pub fn evolved(&self) -> Vec<usize> {
        let fields = self.fields.iter().enumerate();
        let evolved = fields.filter(|(_, field)| field.is_evolved());
        evolved.map(|(place, _)| place).collect()
    }

    /// The puzzles, in the order of their indices.
    pub fn puzzles(&self) -> &'p [Puzzle] {
        self.puzzles
    }

    /// The best program for a puzzle that was not made for it.
    pub fn best(&self, place: usize) -> Option<&Member> {
        self.fields.get(place)?.best.best().map(AsRef::as_ref)
    }

    /// Whether every puzzle is fitted.
    pub fn is_over(&self) -> bool {
        self.n_surveyed >= self.library.len() && self.fields.iter().all(Field::is_fitted)
    }

    /// The library, and the programs that fit a puzzle now.
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
