//! What a store holds, as plain values.

use std::fmt;
use std::str::FromStr;

use leyden_grid::{Grid, Puzzle, TaskId};
use leyden_lang::Program;
use serde::{Serialize, Serializer};
use xxhash_rust::xxh3::Xxh3;

/// The hash of what a program says, without its name; written as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramHash(pub u128);

impl ProgramHash {
    /// The hash of a program.
    pub fn of(program: &Program) -> ProgramHash {
        ProgramHash(program.content_hash())
    }

    pub(super) fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for ProgramHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for ProgramHash {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<ProgramHash, Self::Err> {
        u128::from_str_radix(text, 16).map(ProgramHash)
    }
}

impl Serialize for ProgramHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The number of a run in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RunId(pub i64);

/// Where a program came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// A file, or the command that made it.
    pub source: String,
    /// The program it was made from.
    pub parent: Option<ProgramHash>,
    /// How it was made from its parent; empty if it was not.
    pub mutation: String,
    /// The seed of the choices that made it.
    pub seed: Option<u64>,
    /// The run that added it.
    pub run: Option<RunId>,
}

impl Origin {
    /// A program that was read, not made.
    pub fn of_source(source: impl Into<String>) -> Origin {
        Origin {
            source: source.into(),
            ..Origin::default()
        }
    }
}

/// What became of adding a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// Its hash.
    pub hash: ProgramHash,
    /// Whether it was new; one that was not keeps its old name and origin.
    pub is_new: bool,
}

/// A task as the store knows it: its name, and a hash of its demonstration pairs, because tasks of
/// one name differ between editions of a data set.
///
/// It is made from a puzzle, so test outputs cannot get into a store or its hashes:
///
/// ```compile_fail
/// fn peek(task: &leyden_grid::Task) -> leyden_store::library::TaskKey {
///     leyden_store::library::TaskKey::of(task)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskKey {
    /// The task's id.
    pub id: TaskId,
    /// A hash of its demonstration pairs.
    pub hash: u128,
    /// How many pairs there are.
    pub n_demos: usize,
}

impl TaskKey {
    /// The key of a task, of which nobody need know the test outputs.
    pub fn of(puzzle: &Puzzle) -> TaskKey {
        let mut hasher = Xxh3::new();
        hasher.update(b"leyden demos 1");
        for pair in &puzzle.demos {
            update(&mut hasher, &pair.input);
            update(&mut hasher, &pair.output);
        }
        TaskKey {
            id: puzzle.id.clone(),
            hash: hasher.digest128(),
            n_demos: puzzle.demos.len(),
        }
    }
}

fn update(hasher: &mut Xxh3, grid: &Grid) {
    hasher.update(&[grid.height() as u8, grid.width() as u8]);
    hasher.update(grid.cells());
}

/// How a program did on one demonstration pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleScore {
    /// Whether it gave the expected output.
    pub is_exact: bool,
    /// Partial credit, 0 to 100.
    pub partial: f64,
    /// What it burned.
    pub fuel: u64,
}

/// A score is a list in JSON: `[1, 100.0, 31]`.
impl Serialize for SampleScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (u8::from(self.is_exact), self.partial, self.fuel).serialize(serializer)
    }
}

/// How a program did on a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskScore {
    /// The task.
    pub task: String,
    /// The hash of its demonstration pairs, in hexadecimal digits.
    pub task_hash: String,
    /// How many demonstration pairs it has.
    pub n_demos: usize,
    /// How many of them are right.
    pub n_exact: usize,
    /// The mean of the partial credit, 0 to 100.
    pub partial: f64,
    /// The fuel of all pairs together.
    pub fuel: u64,
    /// Pair by pair.
    pub samples: Vec<SampleScore>,
}

impl TaskScore {
    /// Whether all demonstration pairs are right.
    pub fn fits(&self) -> bool {
        self.n_exact == self.n_demos && self.n_demos > 0
    }
}

/// A program with where it came from and how it did.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRecord {
    /// Its hash.
    pub hash: ProgramHash,
    /// The program.
    pub program: Program,
    /// Where it came from.
    pub origin: Origin,
    /// How it did, by task.
    pub scores: Vec<TaskScore>,
}

/// What a program is worth, all tasks taken together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Its hash.
    pub hash: ProgramHash,
    /// Its name.
    pub name: String,
    /// How many lines it has.
    pub n_lines: usize,
    /// Where it came from: a file or a command.
    pub source: String,
    /// On how many tasks it was scored.
    pub n_tasks: usize,
    /// All demonstration pairs of how many tasks are right.
    pub n_fitted: usize,
    /// How many demonstration pairs are right.
    pub n_exact: usize,
    /// The best mean partial credit on a task, 0 to 100.
    pub best_partial: f64,
    /// The fuel it burned on a task, on average.
    pub mean_fuel: u64,
}

impl Standing {
    /// How often the program is drawn, compared with others: one that fits a task counts as a
    /// hundred, others as much as a quarter of their best partial credit but at least as one;
    /// shorter programs count for more.
    ///
    /// A whole number, so that draws do not depend on how a machine rounds.
    pub fn weight(&self) -> u64 {
        let merit = match self.n_fitted {
            0 => 1 + (self.best_partial.clamp(0.0, 100.0) / 4.0) as u64,
            _ => 100,
        };
        1 + merit * 1_000 / (10 + self.n_lines as u64)
    }
}
