//! Whole stores: copies, unions, fingerprints.

use std::path::Path;

use leyden_grid::TaskId;
use rusqlite::params;
use xxhash_rust::xxh3::Xxh3;

use super::records::{ProgramRecord, TaskKey, TaskScore};
use super::select::stored;
use super::write::Batch;
use super::{LibraryError, Outcome, Store};
use crate::temporary::NewFile;

/// The result of [`Store::absorb`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absorbed {
    /// The number of new programs.
    pub n_new: usize,
    /// The number of programs that were there already.
    pub n_known: usize,
    /// The number of new scores.
    pub n_scores: usize,
}

const EVERYTHING: &str = "SELECT hash, text, source, parent, mutation, seed, run FROM program";

impl Store {
    /// Every program with its origin and scores, in the order in which they were added.
    pub fn records(&self) -> Outcome<Vec<ProgramRecord>> {
        let mut records = Vec::new();
        self.visit("id", |record| {
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }

    /// Reads programs one at a time, since not all of them may fit in memory.
    fn visit(
        &self,
        order: &str,
        mut work: impl FnMut(ProgramRecord) -> Outcome<()>,
    ) -> Outcome<()> {
        let failed = |error| self.failed(error);
        let all = format!("{EVERYTHING} ORDER BY {order}");
        let mut statement = self.connection.prepare(&all).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            work(self.record(stored(row).map_err(failed)?)?)?;
        }
        Ok(())
    }

    /// Adds the programs and scores of another store, all of them or none. Existing programs and
    /// scores stay unchanged; the other store's runs are not copied.
    pub fn absorb(&mut self, other: &Store) -> Outcome<Absorbed> {
        self.write(|batch| {
            let mut absorbed = Absorbed::default();
            other.visit("id", |record| batch.absorb(&record, &mut absorbed))?;
            Ok(absorbed)
        })
    }

    /// Writes a copy without gaps. The copy appears whole or not at all.
    pub fn copy_to(&self, path: &Path) -> Outcome<()> {
        let failed = |error| LibraryError::io(path, error);
        let file = NewFile::at(path).map_err(failed)?;
        let name = file.path().to_string_lossy().into_owned();
        let not_copied = |cause| LibraryError::NotCopied {
            path: path.to_owned(),
            cause,
        };
        self.vacuum_into(&name).map_err(not_copied)?;
        file.finish().map_err(failed)
    }

    /// Copies the store into a file. A read-only store gets the right to write for a moment, since the
    /// copy is another file.
    fn vacuum_into(&self, name: &str) -> rusqlite::Result<()> {
        let connection = &self.connection;
        let is_closed: bool =
            connection.pragma_query_value(None, "query_only", |row| row.get(0))?;
        connection.pragma_update(None, "query_only", false)?;
        let copied = connection.execute("VACUUM INTO ?1", params![name]);
        connection.pragma_update(None, "query_only", is_closed)?;
        copied.map(|_| ())
    }

    /// A hash of all programs, their origins and their scores. The order in which they were added
    /// does not matter; runs and their times are left out.
    pub fn content_hash(&self) -> Outcome<u128> {
        let mut hasher = Xxh3::new();
        hasher.update(b"leyden library 1");
        self.visit("hash", |record| {
            hasher.update(fingerprint(&record).as_bytes());
            Ok(())
        })?;
        Ok(hasher.digest128())
    }
}

/// Writes one line for a program. JSON quotes every character that could begin another line.
fn fingerprint(record: &ProgramRecord) -> String {
    let origin = &record.origin;
    let parts = serde_json::json!([
        record.hash,
        record.program.to_string(),
        origin.source,
        origin.parent,
        origin.mutation,
        origin.seed,
        record.scores,
    ]);
    format!("{parts}\n")
}

impl Batch<'_> {
    fn absorb(&mut self, record: &ProgramRecord, absorbed: &mut Absorbed) -> Outcome<()> {
        // A run's number means nothing in another store.
        let mut origin = record.origin.clone();
        origin.run = None;
        let added = self.add_program(&record.program, &origin)?;
        if added.is_new {
            absorbed.n_new += 1;
        } else {
            absorbed.n_known += 1;
        }
        for score in &record.scores {
            let task = key_of(score)?;
            if !self.is_scored(record, &task)? {
                self.record_scores(record.hash, &task, &score.samples)?;
                absorbed.n_scores += 1;
            }
        }
        Ok(())
    }

    fn is_scored(&self, record: &ProgramRecord, task: &TaskKey) -> Outcome<bool> {
        let count = "SELECT count(*) FROM score
            JOIN program ON program.id = score.program JOIN task ON task.id = score.task
            WHERE program.hash = ?1 AND task.name = ?2 AND task.hash = ?3";
        let values = params![
            record.hash.bytes(),
            task.id.as_str(),
            task.hash.to_be_bytes()
        ];
        let n_found: i64 = self.value(count, values)?;
        Ok(n_found > 0)
    }
}

fn key_of(score: &TaskScore) -> Outcome<TaskKey> {
    let bad = |why: String| LibraryError::BadScore {
        task: score.task.clone(),
        why,
    };
    let id = TaskId::new(&score.task).map_err(|error| bad(error.to_string()))?;
    let hash = u128::from_str_radix(&score.task_hash, 16);
    Ok(TaskKey {
        id,
        hash: hash.map_err(|error| bad(error.to_string()))?,
        n_demos: score.n_demos,
    })
}
