//! The content of a store as plain values.

use std::fmt;
use std::str::FromStr;

use leyden_grid::{Grid, Puzzle, TaskId};
use leyden_lang::Program;
use serde::{Serialize, Serializer};
use xxhash_rust::xxh3::Xxh3;

/// The hash of a program's lines, without its name. It is written as 32 hexadecimal digits.
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

/// The origin of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// A file, or the command that made the program.
    pub source: String,
    /// The program from which it was made.
    pub parent: Option<ProgramHash>,
    /// The mutation that made it from its parent; empty if it has no parent.
    pub mutation: String,
    /// The seed of the choices that made it.
    pub seed: Option<u64>,
    /// The run that added it.
    pub run: Option<RunId>,
}

impl Origin {
    /// The origin of a program that was read from a file.
    pub fn of_source(source: impl Into<String>) -> Origin {
        Origin {
            source: source.into(),
            ..Origin::default()
        }
    }
}

/// The result of adding a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// Its hash.
    pub hash: ProgramHash,
    /// Whether the program was new. A known one keeps its old name and origin.
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
    /// The number of demonstration pairs.
    pub n_demos: usize,
}

impl TaskKey {
    /// Makes the key of a task. A puzzle has no test outputs, so none can get into the key.
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

/// The score of a program on one demonstration pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleScore {
    /// Whether the output is the expected one.
    pub is_exact: bool,
    /// Partial credit, 0 to 100.
    pub partial: f64,
    /// The fuel that the program used.
    pub fuel: u64,
}

/// Writes a score as a list: `[1, 100.0, 31]`.
impl Serialize for SampleScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (u8::from(self.is_exact), self.partial, self.fuel).serialize(serializer)
    }
}

/// The score of a program on a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskScore {
    /// The task.
    pub task: String,
    /// The hash of its demonstration pairs, in hexadecimal digits.
    pub task_hash: String,
    /// The number of demonstration pairs.
    pub n_demos: usize,
    /// The number of right pairs.
    pub n_exact: usize,
    /// The mean of the partial credit, 0 to 100.
    pub partial: f64,
    /// The sum of the fuel of all pairs.
    pub fuel: u64,
    /// The score of each pair.
    pub samples: Vec<SampleScore>,
}

impl TaskScore {
    /// Whether all demonstration pairs are right.
    pub fn fits(&self) -> bool {
        self.n_exact == self.n_demos && self.n_demos > 0
    }
}

/// A program with its origin and its scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRecord {
    /// Its hash.
    pub hash: ProgramHash,
    /// The program.
    pub program: Program,
    /// Its origin.
    pub origin: Origin,
    /// Its scores, by task.
    pub scores: Vec<TaskScore>,
}

/// The worth of a program over all tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Its hash.
    pub hash: ProgramHash,
    /// Its name.
    pub name: String,
    /// The number of its lines.
    pub n_lines: usize,
    /// Its origin: a file or a command.
    pub source: String,
    /// The number of tasks with a score.
    pub n_tasks: usize,
    /// The number of tasks with all demonstration pairs right.
    pub n_fitted: usize,
    /// The number of right demonstration pairs.
    pub n_exact: usize,
    /// The best mean partial credit on a task, 0 to 100.
    pub best_partial: f64,
    /// The mean fuel for a task.
    pub mean_fuel: u64,
}

impl Standing {
    /// The weight of the program in a draw. A program that fits a task counts as a hundred. Any
    /// other counts as one plus a quarter of its best partial credit. Shorter programs count for
    /// more.
    ///
    /// The weight is a whole number, so draws do not depend on how a machine rounds.
    pub fn weight(&self) -> u64 {
        let merit = match self.n_fitted {
            0 => 1 + (self.best_partial.clamp(0.0, 100.0) / 4.0) as u64,
            _ => 100,
        };
        1 + merit * 1_000 / (10 + self.n_lines as u64)
    }
}
