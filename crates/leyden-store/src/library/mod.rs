//! [`Store`]: the library of programs, with what is known about each, in one SQLite file.
//!
//! A program is kept once, by the hash of what it says. Beside it stand where it came from
//! ([`Origin`]), how it did on the demonstration pairs of tasks ([`SampleScore`]) and the runs that
//! added to the store ([`RunRecord`]). Test outputs have no place here: a task is known by its
//! [`Puzzle`](leyden_grid::Puzzle).
//!
//! What a call reports as saved is on the disk: every change is a transaction, and the file is in
//! WAL mode, so that a process may be killed at any moment. Several processes may use one store;
//! one writes at a time, the others wait a little and then say so. No clock is read here, and the
//! same calls make the same content ([`Store::content_hash`]).

mod check;
mod error;
mod exchange;
mod open;
mod place;
mod records;
mod runs;
mod schema;
mod select;
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
pub use write::{Batch, Keep, Pruned};

/// A result of the library.
pub(crate) type Outcome<T> = Result<T, LibraryError>;

/// Programs and what is known about them, in a file.
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

    /// Turns what SQLite says into what it means for this file.
    fn failed(&self, error: rusqlite::Error) -> LibraryError {
        LibraryError::sql(&self.path, error)
    }
}
