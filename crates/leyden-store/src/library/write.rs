//! Changes a store. Everything in a [`Batch`] is saved together or not at all.

use std::path::Path;

use leyden_lang::{Program, parse_text};
use rusqlite::{Transaction, TransactionBehavior, params};

use super::records::{Added, Origin, ProgramHash, SampleScore, TaskKey};
use super::select::BY_MERIT;
use super::{LibraryError, Outcome, Store};

/// Changes that are saved together when [`Store::write`] returns.
#[derive(Debug)]
pub struct Batch<'a> {
    pub(super) transaction: Transaction<'a>,
    pub(super) path: &'a Path,
}

impl Store {
    /// Makes changes. When this returns, all of them are on the disk. If it fails or the process
    /// ends, none is.
    pub fn write<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        let path = self.path.as_path();
        let failed = |error| LibraryError::sql(path, error);
        // The transaction takes the lock at once: a reader that turns into a writer cannot wait for
        // another.
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let mut batch = Batch { transaction, path };
        let value = work(&mut batch)?;
        batch.transaction.commit().map_err(failed)?;
        Ok(value)
    }

    /// Adds one program; for many, [`Store::write`] is faster.
    pub fn add_program(&mut self, program: &Program, origin: &Origin) -> Outcome<Added> {
        self.write(|batch| batch.add_program(program, origin))
    }

    /// Records the scores of a program on a task, and replaces older ones.
    pub fn record_scores(
        &mut self,
        hash: ProgramHash,
        task: &TaskKey,
        samples: &[SampleScore],
    ) -> Outcome<()> {
        self.write(|batch| batch.record_scores(hash, task, samples))
    }

    /// Removes programs that are not worth keeping.
    pub fn prune(&mut self, keep: Keep) -> Outcome<Pruned> {
        self.write(|batch| batch.prune(keep))
    }

    /// Returns the room of removed rows to the disk. A failure loses nothing: SQLite needs as much
    /// room again for a moment, and the disk may be full.
    pub fn compact(&mut self) -> Outcome<()> {
        let compact = || {
            self.connection.execute_batch("VACUUM")?;
            let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
            self.connection.query_row(checkpoint, [], |_| Ok(()))
        };
        compact().map_err(|cause| LibraryError::NotCompacted {
            path: self.path.clone(),
            cause,
        })
    }
}

/// The programs that [`Store::prune`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The number of best programs to keep for each task.
    pub per_task: usize,
    /// Whether programs without a score stay.
    pub unscored: bool,
}

/// The result of pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// The number of removed programs.
    pub n_removed: usize,
    /// The number of programs left.
    pub n_kept: usize,
}

impl Batch<'_> {
    /// Adds a program, unless the store has one with equal lines.
    pub fn add_program(&mut self, program: &Program, origin: &Origin) -> Outcome<Added> {
        let hash = ProgramHash::of(program);
        let text = faithful_text(program)?;
        let values = params![
            hash.bytes(),
            program.name,
            text,
            program.lines.len() as i64,
            origin.source,
            origin.parent.map(ProgramHash::bytes),
            origin.mutation,
            origin.seed.map(|seed| seed as i64),
            origin.run.map(|run| run.0),
        ];
        let insert = "INSERT INTO program
            (hash, name, text, n_lines, source, parent, mutation, seed, run)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (hash) DO NOTHING";
        let n_added = self.execute(insert, values)?;
        Ok(Added {
            hash,
            is_new: n_added > 0,
        })
    }

    /// Tells whether the store has a program.
    pub fn has_program(&self, hash: ProgramHash) -> Outcome<bool> {
        let count = "SELECT count(*) FROM program WHERE hash = ?1";
        self.value(count, [hash.bytes()])
    }

    /// Records the scores of a program on the demonstration pairs of a task, and replaces older
    /// ones.
    pub fn record_scores(
        &mut self,
        hash: ProgramHash,
        task: &TaskKey,
        samples: &[SampleScore],
    ) -> Outcome<()> {
        check_samples(task, samples)?;
        let program = self.program_id(hash)?;
        let task = self.task_id(task)?;
        let sums = Sums::of(samples);
        let values = params![
            program,
            task,
            sums.n_exact,
            sums.partial,
            sums.fuel,
            sums.text
        ];
        let replace = "INSERT INTO score (program, task, n_exact, partial, fuel, samples)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (program, task) DO UPDATE
            SET n_exact = ?3, partial = ?4, fuel = ?5, samples = ?6";
        self.execute(replace, values).map(|_| ())
    }

    /// Removes programs that are not among the best of any task.
    pub fn prune(&mut self, keep: Keep) -> Outcome<Pruned> {
        let worst = format!(
            "DELETE FROM program WHERE id NOT IN (
                SELECT program FROM (
                    SELECT score.program, row_number() OVER (
                        PARTITION BY score.task ORDER BY {BY_MERIT}) AS place
                    FROM score JOIN program ON program.id = score.program)
                WHERE place <= ?1)
            AND (NOT ?2 OR id IN (SELECT program FROM score))"
        );
        let most = i64::try_from(keep.per_task).unwrap_or(i64::MAX);
        let n_removed = self.execute(&worst, params![most, keep.unscored])?;
        let count = "SELECT count(*) FROM program";
        let n_kept: i64 = self.value(count, [])?;
        Ok(Pruned {
            n_removed,
            n_kept: n_kept as usize,
        })
    }

    fn program_id(&self, hash: ProgramHash) -> Outcome<i64> {
        let find = "SELECT id FROM program WHERE hash = ?1";
        match self.value(find, [hash.bytes()]) {
            Err(LibraryError::Sql {
                cause: rusqlite::Error::QueryReturnedNoRows,
                ..
            }) => Err(LibraryError::UnknownProgram(hash)),
            found => found,
        }
    }

    fn task_id(&self, task: &TaskKey) -> Outcome<i64> {
        let insert = "INSERT INTO task (name, hash, n_demos) VALUES (?1, ?2, ?3)
            ON CONFLICT (name, hash) DO NOTHING";
        let (name, hash) = (task.id.as_str(), task.hash.to_be_bytes());
        self.execute(insert, params![name, hash, task.n_demos as i64])?;
        let find = "SELECT id FROM task WHERE name = ?1 AND hash = ?2";
        self.value(find, params![name, hash])
    }

    pub(super) fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Outcome<usize> {
        let mut statement = self.transaction.prepare_cached(sql);
        let done = statement.as_mut().map_err(take_error);
        let done = done.and_then(|statement| statement.execute(values));
        done.map_err(|error| LibraryError::sql(self.path, error))
    }

    pub(super) fn value<T: rusqlite::types::FromSql>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
    ) -> Outcome<T> {
        let mut statement = self.transaction.prepare_cached(sql);
        let found = statement.as_mut().map_err(take_error);
        let found = found.and_then(|statement| statement.query_row(values, |row| row.get(0)));
        found.map_err(|error| LibraryError::sql(self.path, error))
    }
}

fn take_error(error: &mut rusqlite::Error) -> rusqlite::Error {
    std::mem::replace(error, rusqlite::Error::InvalidQuery)
}

/// Writes the text of a program, and checks that it reads back as that program.
fn faithful_text(program: &Program) -> Outcome<String> {
    let text = program.to_string();
    let refuse = |why: &str| {
        Err(LibraryError::BadProgram {
            name: program.name.clone(),
            why: why.to_owned(),
        })
    };
    match parse_text(&text, "store", None).as_deref() {
        Ok([read]) if read.same_code(program) => Ok(text),
        Ok(_) => refuse("its text reads back as something else"),
        Err(found) => refuse(
            found
                .first()
                .map_or("its text is wrong", |found| &found.message),
        ),
    }
}

fn check_samples(task: &TaskKey, samples: &[SampleScore]) -> Outcome<()> {
    let refuse = |why: String| {
        Err(LibraryError::BadScore {
            task: task.id.to_string(),
            why,
        })
    };
    if samples.len() != task.n_demos {
        let (found, expected) = (samples.len(), task.n_demos);
        return refuse(format!("{found} for {expected} demonstration pairs"));
    }
    let is_credit = |sample: &SampleScore| (0.0..=100.0).contains(&sample.partial);
    match samples.iter().find(|sample| !is_credit(sample)) {
        Some(sample) => refuse(format!("{} is not within 0 to 100", sample.partial)),
        None => Ok(()),
    }
}

/// The columns of a score.
#[derive(Debug, PartialEq)]
pub(super) struct Sums {
    pub(super) n_exact: i64,
    pub(super) partial: f64,
    pub(super) fuel: i64,
    pub(super) text: String,
}

impl Sums {
    pub(super) fn of(samples: &[SampleScore]) -> Sums {
        let n_exact = samples.iter().filter(|sample| sample.is_exact).count();
        let credit: f64 = samples.iter().map(|sample| sample.partial).sum();
        let fuel = samples.iter().map(|sample| sample.fuel);
        let fuel = fuel.fold(0, u64::saturating_add).min(i64::MAX as u64);
        Sums {
            n_exact: n_exact as i64,
            partial: credit / samples.len().max(1) as f64,
            fuel: fuel as i64,
            text: samples_text(samples),
        }
    }
}

fn samples_text(samples: &[SampleScore]) -> String {
    // Checked numbers always have a JSON form.
    serde_json::to_string(samples).unwrap_or_default()
}
