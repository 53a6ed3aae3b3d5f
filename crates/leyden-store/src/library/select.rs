//! Reads a store: one program, lists of programs, the best of a task.

use leyden_lang::{Program, parse_text};
use rusqlite::{OptionalExtension, Params, Row, params};
use serde::Serialize;

use super::records::{
    Origin, ProgramHash, ProgramRecord, RunId, SampleScore, Standing, TaskKey, TaskScore,
};
use super::{LibraryError, Outcome, Store};

/// The order by merit: exact, then by partial credit, then small, then cheap. The hash breaks ties.
pub(super) const BY_MERIT: &str = "score.n_exact DESC, score.partial DESC, program.n_lines,
    score.fuel, program.hash";

const SCORE_COLUMNS: &str = "task.name, task.hash, task.n_demos, score.n_exact, score.partial,
    score.fuel, score.samples";

/// A selection of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only programs with a score on a task of this name, and only those scores count.
    pub task: Option<String>,
    /// Only programs that fit a task: all its demonstration pairs are right.
    pub fitting: bool,
    /// At most this many programs.
    pub limit: Option<usize>,
}

/// A program and its score on a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Its hash.
    pub hash: ProgramHash,
    /// Its name.
    pub name: String,
    /// The number of its lines.
    pub n_lines: usize,
    /// Its score.
    pub score: TaskScore,
}

impl Store {
    /// The number of programs.
    pub fn n_programs(&self) -> Outcome<usize> {
        self.count("SELECT count(*) FROM program")
    }

    /// The number of scores: pairs of a program and a task.
    pub fn n_scores(&self) -> Outcome<usize> {
        self.count("SELECT count(*) FROM score")
    }

    /// A program with its origin and scores.
    pub fn program(&self, hash: ProgramHash) -> Outcome<Option<ProgramRecord>> {
        let find = "SELECT hash, text, source, parent, mutation, seed, run FROM program
            WHERE hash = ?1";
        let mut found = self.all(find, [hash.bytes()], stored)?;
        match found.pop() {
            Some(stored) => self.record(stored).map(Some),
            None => Ok(None),
        }
    }

    /// The hashes of the programs with this name, or whose hash begins with this text, in order.
    pub fn find(&self, name_or_hash: &str) -> Outcome<Vec<ProgramHash>> {
        let find = "SELECT hash FROM program
            WHERE name = ?1 OR (length(?1) >= 4 AND lower(hex(hash)) LIKE ?2) ORDER BY hash";
        let is_hex = name_or_hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let prefix = if is_hex {
            format!("{}%", name_or_hash.to_ascii_lowercase())
        } else {
            String::new()
        };
        self.all(find, [name_or_hash, &prefix], |row| hash_at(row, 0))
    }

    /// The best programs for a task, the best one first: exact before partly right, then small
    /// before long, then cheap before expensive.
    pub fn best(&self, task: &TaskKey, limit: usize) -> Outcome<Vec<Ranked>> {
        let (name, hash) = (task.id.as_str(), task.hash.to_be_bytes());
        self.ranked(
            "task.name = ?1 AND task.hash = ?2",
            params![name, hash],
            limit,
        )
    }

    /// The best programs for all editions of the task with this id.
    pub fn best_of_id(&self, id: &str, limit: usize) -> Outcome<Vec<Ranked>> {
        self.ranked("task.name = ?1", [id], limit)
    }

    /// The ids of all tasks with scores, sorted.
    pub fn tasks(&self) -> Outcome<Vec<String>> {
        let all = "SELECT DISTINCT task.name FROM task JOIN score ON score.task = task.id
            ORDER BY task.name";
        self.all(all, [], |row| row.get(0))
    }

    /// The worth of each program, the best one first. [`Standing::weight`] is for sampling.
    pub fn standings(&self, filter: &Filter) -> Outcome<Vec<Standing>> {
        let all = "SELECT hash, name, n_lines, source, n_tasks, n_fitted, n_exact, best_partial,
                mean_fuel
            FROM (
                SELECT program.hash, program.name, program.n_lines, program.source,
                    count(task.id) AS n_tasks,
                    coalesce(sum(score.n_exact = task.n_demos AND task.n_demos > 0), 0)
                        AS n_fitted,
                    coalesce(sum(score.n_exact), 0) AS n_exact,
                    coalesce(max(score.partial), 0.0) AS best_partial,
                    coalesce(CAST(avg(score.fuel) AS INTEGER), 0) AS mean_fuel
                FROM program
                LEFT JOIN score ON score.program = program.id
                    AND (?1 IS NULL OR score.task IN (SELECT id FROM task WHERE name = ?1))
                LEFT JOIN task ON task.id = score.task
                GROUP BY program.id)
            WHERE (?1 IS NULL OR n_tasks > 0) AND (NOT ?2 OR n_fitted > 0)
            ORDER BY n_fitted DESC, best_partial DESC, n_lines, mean_fuel, hash LIMIT ?3";
        let limit = limit_of(filter.limit.unwrap_or(usize::MAX));
        self.all(all, params![filter.task, filter.fitting, limit], standing)
    }

    /// The programs with these hashes, in the order of the hashes. Missing programs are left out.
    pub fn programs(&self, hashes: &[ProgramHash]) -> Outcome<Vec<Program>> {
        let find = "SELECT text FROM program WHERE hash = ?1";
        let mut programs = Vec::with_capacity(hashes.len());
        for hash in hashes {
            let texts: Vec<String> = self.all(find, [hash.bytes()], |row| row.get(0))?;
            for text in texts {
                programs.push(self.parsed(&text, *hash)?);
            }
        }
        Ok(programs)
    }

    fn ranked(&self, which: &str, values: impl Params, limit: usize) -> Outcome<Vec<Ranked>> {
        let limit = limit_of(limit);
        let best = format!(
            "SELECT {SCORE_COLUMNS}, program.hash, program.name, program.n_lines
            FROM score JOIN task ON task.id = score.task
                JOIN program ON program.id = score.program
            WHERE {which} ORDER BY {BY_MERIT} LIMIT {limit}"
        );
        self.all(&best, values, |row| {
            Ok(Ranked {
                score: task_score(row)?,
                hash: hash_at(row, 7)?,
                name: row.get(8)?,
                n_lines: size_at(row, 9)?,
            })
        })
    }

    pub(super) fn record(&self, stored: Stored) -> Outcome<ProgramRecord> {
        Ok(ProgramRecord {
            hash: stored.hash,
            program: self.parsed(&stored.text, stored.hash)?,
            origin: stored.origin,
            scores: self.scores(stored.hash)?,
        })
    }

    fn scores(&self, hash: ProgramHash) -> Outcome<Vec<TaskScore>> {
        let all = format!(
            "SELECT {SCORE_COLUMNS} FROM score JOIN task ON task.id = score.task
            WHERE score.program = (SELECT id FROM program WHERE hash = ?1)
            ORDER BY task.name, task.hash"
        );
        self.all(&all, [hash.bytes()], task_score)
    }

    pub(super) fn parsed(&self, text: &str, hash: ProgramHash) -> Outcome<Program> {
        let programs = parse_text(text, "store", None).unwrap_or_default();
        let [program] = <[Program; 1]>::try_from(programs).map_err(|_| {
            LibraryError::damaged(&self.path, format!("the text of {hash} is no program"))
        })?;
        Ok(program)
    }

    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Outcome<Vec<T>> {
        let run = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map(values, read)?;
            rows.collect()
        };
        let rows: rusqlite::Result<Vec<T>> = run();
        rows.map_err(|error| self.failed(error))
    }

    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Outcome<Option<T>> {
        let row = self.connection.query_row(sql, values, read).optional();
        row.map_err(|error| self.failed(error))
    }

    fn count(&self, sql: &str) -> Outcome<usize> {
        let n = self.one(sql, [], |row| size_at(row, 0))?;
        Ok(n.unwrap_or_default())
    }
}

/// A row of the table of programs.
pub(super) struct Stored {
    pub(super) hash: ProgramHash,
    pub(super) text: String,
    pub(super) origin: Origin,
}

/// Reads `hash, text, source, parent, mutation, seed, run`.
pub(super) fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let parent: Option<[u8; 16]> = row.get(3)?;
    let seed: Option<i64> = row.get(5)?;
    let run: Option<i64> = row.get(6)?;
    Ok(Stored {
        hash: hash_at(row, 0)?,
        text: row.get(1)?,
        origin: Origin {
            source: row.get(2)?,
            parent: parent.map(|bytes| ProgramHash(u128::from_be_bytes(bytes))),
            mutation: row.get(4)?,
            seed: seed.map(|seed| seed as u64),
            run: run.map(RunId),
        },
    })
}

/// Reads [`SCORE_COLUMNS`].
fn task_score(row: &Row<'_>) -> rusqlite::Result<TaskScore> {
    let samples: String = row.get(6)?;
    Ok(TaskScore {
        task: row.get(0)?,
        task_hash: hash_at(row, 1)?.to_string(),
        n_demos: size_at(row, 2)?,
        n_exact: size_at(row, 3)?,
        partial: row.get(4)?,
        fuel: size_at(row, 5)? as u64,
        samples: samples_in(&samples).unwrap_or_default(),
    })
}

/// Parses the list of a score's samples; `None` if the text is not such a list.
pub(super) fn samples_in(text: &str) -> Option<Vec<SampleScore>> {
    let list: Vec<(u8, f64, u64)> = serde_json::from_str(text).ok()?;
    let sample = |(exact, partial, fuel)| SampleScore {
        is_exact: exact != 0,
        partial,
        fuel,
    };
    Some(list.into_iter().map(sample).collect())
}

fn standing(row: &Row<'_>) -> rusqlite::Result<Standing> {
    Ok(Standing {
        hash: hash_at(row, 0)?,
        name: row.get(1)?,
        n_lines: size_at(row, 2)?,
        source: row.get(3)?,
        n_tasks: size_at(row, 4)?,
        n_fitted: size_at(row, 5)?,
        n_exact: size_at(row, 6)?,
        best_partial: row.get(7)?,
        mean_fuel: size_at(row, 8)? as u64,
    })
}

pub(super) fn hash_at(row: &Row<'_>, k: usize) -> rusqlite::Result<ProgramHash> {
    let bytes: [u8; 16] = row.get(k)?;
    Ok(ProgramHash(u128::from_be_bytes(bytes)))
}

fn size_at(row: &Row<'_>, k: usize) -> rusqlite::Result<usize> {
    let number: i64 = row.get(k)?;
    Ok(usize::try_from(number).unwrap_or_default())
}

fn limit_of(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
