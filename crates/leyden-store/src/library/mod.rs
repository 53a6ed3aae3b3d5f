//! [`Store`]: the library of programs, in one SQLite file.
//!
//! The store keeps a program once, by the hash of its lines. It also keeps the program's origin
//! ([`Origin`]), its scores on the demonstration pairs of tasks ([`SampleScore`]) and the runs that
//! added to the store ([`RunRecord`]). Test outputs have no place here: a store knows a task by its
//! [`Puzzle`](leyden_grid::Puzzle).
//!
//! A change that a call reports as saved is on the disk. Every change is a transaction and the file
//! is in WAL mode, so a process may be killed at any moment. Several processes may use one store.
//! One writes at a time; the others wait a little and then return an error. The store reads no
//! clock, and equal calls make equal content ([`Store::content_hash`]).

mod check;
mod error;
mod exchange;
mod open;
mod place;
mod records;
mod runs;
mod schema;
mod select;
mod summary;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

pub use check::{CheckReport, MOST_FINDINGS};
pub use error::LibraryError;
pub use exchange::Absorbed;
pub use place::{default_store_path, is_store};
pub use records::{
    Added, Origin, ProgramHash, ProgramRecord, RunId, SampleScore, Standing, TaskKey, TaskScore,
};
pub use runs::{NewRun, RunEnd, RunRecord};
pub use schema::SCHEMA_VERSION;
pub use select::{Filter, Ranked};
pub use summary::{BestScore, ProgramSummary};
pub use write::{Batch, Keep, Pruned};

/// A result of the library.
pub(crate) type Outcome<T> = Result<T, LibraryError>;

/// A file of programs with their origins and scores.
///
/// ```
/// use leyden_lang::parse;
/// use leyden_store::library::{Origin, SampleScore, Store, TaskKey};
///
/// let dir = tempfile::tempdir()?;
/// let mut store = Store::open(&dir.path().join("library.db"))?;
/// let program = parse("def solve_1e7d0001(I):\n    return vmirror(I)\n", "mine.py", None)
///     .map_err(|_| "no program")?
///     .remove(0);
///
/// // Everything in one `write` is there afterwards, or nothing of it.
/// let puzzle = leyden_store::demo::tasks()[0].puzzle();
/// let task = TaskKey::of(&puzzle);
/// let right = SampleScore { is_exact: true, partial: 100.0, fuel: 31 };
/// let hash = store.write(|batch| {
///     let added = batch.add_program(&program, &Origin::of_source("mine.py"))?;
///     batch.record_scores(added.hash, &task, &vec![right; puzzle.demos.len()])?;
///     Ok(added.hash)
/// })?;
///
/// let best = store.best(&task, 10)?;
/// assert_eq!(best[0].hash, hash);
/// assert!(best[0].score.fits());
/// assert!(store.program(hash)?.unwrap().program.same_code(&program));
/// assert!(store.check()?.findings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Translates an error of SQLite for this file.
    fn failed(&self, error: rusqlite::Error) -> LibraryError {
        LibraryError::sql(&self.path, error)
    }
}
