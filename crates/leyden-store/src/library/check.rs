//! Is everything in a store what it should be?

use rusqlite::Row;

use super::records::ProgramHash;
use super::select::{hash_at, samples_in};
use super::write::Sums;
use super::{Outcome, Store};

/// More findings than this are not listed.
pub const MOST_FINDINGS: usize = 100;

/// What [`Store::check`] looked at and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// How many programs were read.
    pub n_programs: usize,
    /// How many scores were added up again.
    pub n_scores: usize,
    /// What is wrong; nothing in a sound store, at most [`MOST_FINDINGS`].
    pub findings: Vec<String>,
}

impl CheckReport {
    fn note(&mut self, finding: String) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        }
    }
}

impl Store {
    /// Checks the file as SQLite sees it, reads every program and compares its hash, and adds up
    /// every score again.
    pub fn check(&self) -> Outcome<CheckReport> {
        let mut report = CheckReport::default();
        self.check_file(&mut report)?;
        // In a file that is broken, reading further says nothing new.
        if report.findings.is_empty() {
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

    fn check_programs(&self, report: &mut CheckReport) -> Outcome<()> {
        // The texts may be many; they are read one at a time.
        let mut statement = self
            .connection
            .prepare("SELECT hash, name, text, n_lines FROM program ORDER BY id")
            .map_err(|error| self.failed(error))?;
        let mut rows = statement.query([]).map_err(|error| self.failed(error))?;
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            report.n_programs += 1;
            if let Some(finding) = self.program_fault(row)? {
                report.note(finding);
            }
        }
        Ok(())
    }

    fn program_fault(&self, row: &Row<'_>) -> Outcome<Option<String>> {
        let read = || Ok((hash_at(row, 0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let (hash, name, text, n_lines): (ProgramHash, String, String, i64) =
            read().map_err(|error| self.failed(error))?;
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
        let mut statement = self
            .connection
            .prepare(all)
            .map_err(|error| self.failed(error))?;
        let mut rows = statement.query([]).map_err(|error| self.failed(error))?;
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            report.n_scores += 1;
            if let Some(finding) = score_fault(row).map_err(|error| self.failed(error))? {
                report.note(finding);
            }
        }
        Ok(())
    }
}

fn score_fault(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let (hash, task): (ProgramHash, String) = (hash_at(row, 0)?, row.get(1)?);
    let (n_demos, n_exact): (i64, i64) = (row.get(2)?, row.get(3)?);
    let (partial, fuel, text): (f64, i64, String) = (row.get(4)?, row.get(5)?, row.get(6)?);
    let finding = |what| Some(format!("the score of {hash} on {task}: {what}"));
    let Some(samples) = samples_in(&text) else {
        return Ok(finding("its list of samples cannot be read"));
    };
    let sums = Sums::of(&samples);
    let found = (n_exact, partial, fuel);
    Ok(match found == (sums.n_exact, sums.partial, sums.fuel) {
        _ if samples.len() as i64 != n_demos => finding("not one sample for each pair"),
        true => None,
        false => finding("its sums are not those of its samples"),
    })
}
