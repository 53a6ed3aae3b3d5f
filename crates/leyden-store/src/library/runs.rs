//! The history of runs, and the saved states of unfinished ones.

use rusqlite::types::Type;
use rusqlite::{Row, params};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::records::RunId;
use super::write::Batch;
use super::{LibraryError, Outcome, Store};

/// A new run. Times come from the caller, in seconds since 1970; the store has no clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The command, with the options that make it repeatable.
    pub command: String,
    /// Its seed.
    pub seed: Option<u64>,
    /// The engine's version.
    pub engine: String,
    /// The data set.
    pub data_name: String,
    /// The hash of its content.
    pub data_hash: String,
    /// The time at which it began.
    pub started: Option<i64>,
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunEnd {
    /// The reason why it stopped.
    pub stop_reason: String,
    /// The number of evaluations: one program on one sample each.
    pub n_evaluations: u64,
    /// The time at which it ended.
    pub ended: Option<i64>,
}

/// A run in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRecord {
    /// Its number.
    pub id: RunId,
    /// The command.
    pub command: String,
    /// Its seed.
    pub seed: Option<u64>,
    /// The engine's version.
    pub engine: String,
    /// The data set.
    pub data_name: String,
    /// The hash of its content.
    pub data_hash: String,
    /// The time at which it began, in seconds since 1970.
    pub started: Option<i64>,
    /// The time at which it ended.
    pub ended: Option<i64>,
    /// The reason why it stopped; `None` while it runs, or if it was killed.
    pub stop_reason: Option<String>,
    /// The number of evaluations: one program on one sample each.
    pub n_evaluations: u64,
    /// The state from which the run can continue.
    #[serde(skip)]
    pub state: Option<Vec<u8>>,
}

impl Store {
    /// All runs, the oldest first.
    pub fn runs(&self) -> Outcome<Vec<RunRecord>> {
        self.all(&format!("SELECT {COLUMNS} FROM run ORDER BY id"), [], run)
    }

    /// The latest run of a command that has not ended and can be resumed.
    pub fn unfinished_run(&self, command: &str) -> Outcome<Option<RunRecord>> {
        let last = format!(
            "SELECT {COLUMNS} FROM run WHERE command = ?1 AND stop_reason IS NULL
            ORDER BY id DESC LIMIT 1"
        );
        self.one(&last, [command], run)
    }
}

impl Batch<'_> {
    /// Records that a run begins.
    pub fn begin_run(&mut self, run: &NewRun) -> Outcome<RunId> {
        let insert = "INSERT INTO run (command, seed, engine, data_name, data_hash, started)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![
            run.command,
            run.seed.map(|seed| seed as i64),
            run.engine,
            run.data_name,
            run.data_hash,
            run.started,
        ];
        self.execute(insert, values)?;
        Ok(RunId(self.transaction.last_insert_rowid()))
    }

    /// Saves the state from which a run can continue. The batch saves it together with the programs
    /// that the run found.
    pub fn save_state(&mut self, run: RunId, state: &[u8]) -> Outcome<()> {
        let update = "UPDATE run SET state = ?2 WHERE id = ?1";
        let n_changed = self.execute(update, params![run.0, sealed(state)])?;
        known(run, n_changed)
    }

    /// Records how a run ended, and drops its state.
    pub fn end_run(&mut self, run: RunId, end: &RunEnd) -> Outcome<()> {
        let update = "UPDATE run SET stop_reason = ?2, n_evaluations = ?3, ended = ?4, state = NULL
            WHERE id = ?1";
        let n_evaluations = i64::try_from(end.n_evaluations).unwrap_or(i64::MAX);
        let values = params![run.0, end.stop_reason, n_evaluations, end.ended];
        let n_changed = self.execute(update, values)?;
        known(run, n_changed)
    }
}

fn known(run: RunId, n_changed: usize) -> Outcome<()> {
    match n_changed {
        0 => Err(LibraryError::UnknownRun(run.0)),
        _ => Ok(()),
    }
}

/// The first bytes of a state that has a hash. States of earlier versions have no hash.
const SEAL: &[u8] = b"leyden state 1\n";
const HASH_BYTES: usize = 16;

/// Puts a hash before a state. Without it, a damaged state would be resumed silently.
fn sealed(state: &[u8]) -> Vec<u8> {
    [SEAL, &xxh3_128(state).to_be_bytes(), state].concat()
}

/// Checks the hash of a state and returns the state; `None` if it is damaged. A state of an earlier
/// version passes unchecked.
pub(super) fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let Some(rest) = bytes.strip_prefix(SEAL) else {
        return Some(bytes);
    };
    let (hash, state) = rest.split_at_checked(HASH_BYTES)?;
    (xxh3_128(state).to_be_bytes() == hash).then_some(state)
}

fn state_at(row: &Row<'_>, k: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    let Some(bytes) = row.get::<_, Option<Vec<u8>>>(k)? else {
        return Ok(None);
    };
    let damaged = || {
        let what = "the state of a run is not what was saved";
        rusqlite::Error::FromSqlConversionFailure(k, Type::Blob, what.into())
    };
    unsealed(&bytes)
        .map(|state| Some(state.to_owned()))
        .ok_or_else(damaged)
}

const COLUMNS: &str = "id, command, seed, engine, data_name, data_hash, started, ended,
    stop_reason, n_evaluations, state";

fn run(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    let seed: Option<i64> = row.get(2)?;
    let n_evaluations: i64 = row.get(9)?;
    Ok(RunRecord {
        id: RunId(row.get(0)?),
        command: row.get(1)?,
        seed: seed.map(|seed| seed as u64),
        engine: row.get(3)?,
        data_name: row.get(4)?,
        data_hash: row.get(5)?,
        started: row.get(6)?,
        ended: row.get(7)?,
        stop_reason: row.get(8)?,
        n_evaluations: n_evaluations as u64,
        state: state_at(row, 10)?,
    })
}
