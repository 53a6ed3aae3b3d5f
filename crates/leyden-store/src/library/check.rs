//! Checks that everything in a store is sound.

use leyden_grid::TaskId;
use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::error::is_unreadable;
use super::records::{ProgramHash, SampleScore};
use super::runs::unsealed;
use super::select::{hash_at, samples_in};
use super::write::Sums;
use super::{Outcome, Store};

/// The largest number of findings in a report.
pub const MOST_FINDINGS: usize = 100;

/// The report of [`Store::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The number of programs read.
    pub n_programs: usize,
    /// The number of scores added up again.
    pub n_scores: usize,
    /// The problems: none in a sound store, at most [`MOST_FINDINGS`].
    pub findings: Vec<String>,
}

impl CheckReport {
    /// Adds a finding if the report has room for it.
    pub fn note(&mut self, finding: String) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// The kind of value that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// UTF-8.
    Text,
    /// A number of things.
    Count,
    /// Any whole number.
    Number,
    /// 0 to 100.
    Percent,
    /// Sixteen bytes.
    Hash,
    /// Any bytes.
    Bytes,
}

impl Holds {
    /// The fault of a value that does not fit the column.
    fn fault(self, value: ValueRef<'_>) -> Option<&'static str> {
        let (is_right, fault) = match (self, value) {
            (Holds::Text, ValueRef::Text(bytes)) => {
                (std::str::from_utf8(bytes).is_ok(), "is not UTF-8")
            }
            (Holds::Count, ValueRef::Integer(n)) => (n >= 0, "is negative"),
            (Holds::Number, ValueRef::Integer(_)) => return None,
            (Holds::Percent, ValueRef::Real(percent)) => {
                ((0.0..=100.0).contains(&percent), "is not within 0 to 100")
            }
            (Holds::Hash, ValueRef::Blob(bytes)) => (bytes.len() == 16, "is no hash"),
            (Holds::Bytes, ValueRef::Blob(_)) => return None,
            _ => (false, "has the wrong type"),
        };
        (!is_right).then_some(fault)
    }
}

/// A column, and whether it may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    pub(super) may_be_null: bool,
}

const fn column(name: &'static str, holds: Holds) -> Column {
    Column {
        name,
        holds,
        may_be_null: false,
    }
}

const fn optional(name: &'static str, holds: Holds) -> Column {
    Column {
        name,
        holds,
        may_be_null: true,
    }
}

/// Every table with all its columns. The first columns identify the row.
pub(super) const COLUMNS: [(&str, &[Column]); 4] = [
    (
        "run",
        &[
            column("id", Holds::Number),
            column("command", Holds::Text),
            optional("seed", Holds::Number),
            column("engine", Holds::Text),
            column("data_name", Holds::Text),
            column("data_hash", Holds::Text),
            optional("started", Holds::Number),
            optional("ended", Holds::Number),
            optional("stop_reason", Holds::Text),
            column("n_evaluations", Holds::Count),
            optional("state", Holds::Bytes),
        ],
    ),
    (
        "program",
        &[
            column("id", Holds::Number),
            column("hash", Holds::Hash),
            column("name", Holds::Text),
            column("text", Holds::Text),
            column("n_lines", Holds::Count),
            column("source", Holds::Text),
            optional("parent", Holds::Hash),
            column("mutation", Holds::Text),
            optional("seed", Holds::Number),
            optional("run", Holds::Number),
        ],
    ),
    (
        "task",
        &[
            column("id", Holds::Number),
            column("name", Holds::Text),
            column("hash", Holds::Hash),
            column("n_demos", Holds::Count),
        ],
    ),
    (
        "score",
        &[
            column("program", Holds::Number),
            column("task", Holds::Number),
            column("n_exact", Holds::Count),
            column("partial", Holds::Percent),
            column("fuel", Holds::Count),
            column("samples", Holds::Text),
        ],
    ),
];

impl Store {
    /// Checks the file with SQLite's own check, reads every column of every row, compares the hash
    /// of every program, and adds up every score again.
    ///
    /// Some columns allow any text or number (the name of a source, a seed). The check cannot find
    /// a changed value there.
    pub fn check(&self) -> Outcome<CheckReport> {
        let mut report = CheckReport::default();
        self.check_file(&mut report)?;
        // In a broken file, further findings say nothing new.
        if report.findings.is_empty() {
            for (table, columns) in COLUMNS {
                self.check_columns(table, columns, &mut report)?;
            }
            self.check_runs(&mut report)?;
            self.check_tasks(&mut report)?;
            self.check_programs(&mut report)?;
            self.check_scores(&mut report)?;
        }
        Ok(report)
    }

    fn check_file(&self, report: &mut CheckReport) -> Outcome<()> {
        let text = |row: &Row<'_>| row.get::<_, String>(0);
        let found = self.all("PRAGMA integrity_check(100)", [], text)?;
        let found = found.into_iter().filter(|line| line != "ok");
        found.for_each(|line| report.note(line));
        let lost = self.all("PRAGMA foreign_key_check", [], text)?;
        lost.into_iter()
            .for_each(|table| report.note(format!("a row of {table} refers to nothing")));
        Ok(())
    }

    fn check_columns(
        &self,
        table: &str,
        columns: &[Column],
        report: &mut CheckReport,
    ) -> Outcome<()> {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let all = format!("SELECT {} FROM {table} ORDER BY 1, 2", names.join(", "));
        self.each(&all, |row| {
            for (k, column) in columns.iter().enumerate() {
                let value = row.get_ref(k)?;
                let is_empty = column.may_be_null && value == ValueRef::Null;
                if let Some(fault) = column.holds.fault(value).filter(|_| !is_empty) {
                    let (name, row) = (column.name, row_name(table, row)?);
                    report.note(format!("{name} of {row} {fault}"));
                }
            }
            Ok(())
        })
    }

    fn check_runs(&self, report: &mut CheckReport) -> Outcome<()> {
        let states = "SELECT id, state FROM run WHERE state IS NOT NULL ORDER BY id";
        self.each(states, |row| {
            let (id, state): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            if unsealed(&state).is_none() {
                report.note(format!("the state of run {id} is not what was saved"));
            }
            Ok(())
        })
    }

    fn check_tasks(&self, report: &mut CheckReport) -> Outcome<()> {
        self.each("SELECT id, name FROM task ORDER BY id", |row| {
            let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
            if let Err(error) = TaskId::new(&name) {
                report.note(format!("the name of task {id} is no task id: {error}"));
            }
            Ok(())
        })
    }

    fn check_programs(&self, report: &mut CheckReport) -> Outcome<()> {
        let all = "SELECT hash, name, text, n_lines FROM program ORDER BY id";
        self.each(all, |row| {
            report.n_programs += 1;
            if let Some(finding) = self.program_fault(row)? {
                report.note(finding);
            }
            Ok(())
        })
    }

    fn program_fault(&self, row: &Row<'_>) -> rusqlite::Result<Option<String>> {
        let (hash, name): (ProgramHash, String) = (hash_at(row, 0)?, row.get(1)?);
        let (text, n_lines): (String, i64) = (row.get(2)?, row.get(3)?);
        let Ok(program) = self.parsed(&text, hash) else {
            return Ok(Some(format!("the text of {hash} is no program")));
        };
        let is_same = ProgramHash::of(&program) == hash;
        let is_described = program.name == name && program.lines.len() as i64 == n_lines;
        Ok(match (is_same, is_described) {
            (false, _) => Some(format!("the program under {hash} has another hash")),
            (_, false) => Some(format!("{hash} has another name or length than its text")),
            _ => None,
        })
    }

    fn check_scores(&self, report: &mut CheckReport) -> Outcome<()> {
        let all = "SELECT program.hash, task.name, task.n_demos, score.n_exact, score.partial,
                score.fuel, score.samples
            FROM score JOIN program ON program.id = score.program
                JOIN task ON task.id = score.task
            ORDER BY score.program, score.task";
        self.each(all, |row| {
            report.n_scores += 1;
            if let Some(finding) = score_fault(row)? {
                report.note(finding);
            }
            Ok(())
        })
    }

    /// Visits rows one at a time, since not all of them may fit in memory. A value that cannot be
    /// read ends the work on its row; [`Store::check_columns`] names it.
    fn each(
        &self,
        sql: &str,
        mut look: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Outcome<()> {
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            match look(row) {
                Err(error) if !is_unreadable(&error) => return Err(failed(error)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Names a row by its key.
fn row_name(table: &str, row: &Row<'_>) -> rusqlite::Result<String> {
    let key = |k: usize| -> rusqlite::Result<String> {
        Ok(match row.get_ref(k)? {
            ValueRef::Integer(number) => number.to_string(),
            _ => "?".to_owned(),
        })
    };
    Ok(match table {
        "score" => format!("the score of program {} on task {}", key(0)?, key(1)?),
        _ => format!("{table} {}", key(0)?),
    })
}

fn score_fault(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let (hash, task): (ProgramHash, String) = (hash_at(row, 0)?, row.get(1)?);
    let (n_demos, n_exact): (i64, i64) = (row.get(2)?, row.get(3)?);
    let (partial, fuel, text): (f64, i64, String) = (row.get(4)?, row.get(5)?, row.get(6)?);
    let finding = |what| Some(format!("the score of {hash} on {task}: {what}"));
    let Some(samples) = samples_in(&text) else {
        return Ok(finding("its list of samples cannot be read"));
    };
    let is_credit = |sample: &SampleScore| (0.0..=100.0).contains(&sample.partial);
    let sums = Sums::of(&samples);
    let found = (n_exact, partial, fuel);
    let has_sums = found == (sums.n_exact, sums.partial, sums.fuel);
    Ok(if samples.len() as i64 != n_demos {
        finding("not one sample for each pair")
    } else if !samples.iter().all(is_credit) {
        finding("a sample is not within 0 to 100")
    } else if has_sums {
        None
    } else {
        finding("its sums are not those of its samples")
    })
}
