//! The contents of a store, for people and as JSON.

use std::fmt::Write;

use leyden_lang::print_text;
use leyden_profile::table::visible;
use leyden_store::library::{Origin, ProgramHash, ProgramRecord, Ranked, Standing, TaskScore};
use serde::Serialize;

use crate::report::numbers::{count, counted};
use crate::report::style::{BAD, BOLD, DIM, GOOD, rendered};

/// This much of a hash names a program.
const SHORT: usize = 10;

#[derive(Serialize)]
pub(crate) struct ListReport {
    pub(crate) store: String,
    pub(crate) n_programs: usize,
    pub(crate) n_scores: usize,
    pub(crate) programs: Vec<Standing>,
}

#[derive(Serialize)]
pub(crate) struct Imported {
    pub(crate) store: String,
    pub(crate) n_new: usize,
    pub(crate) n_known: usize,
    pub(crate) n_scores: usize,
    /// How many there are now.
    pub(crate) n_programs: usize,
}

#[derive(Serialize)]
pub(crate) struct PruneReport {
    pub(crate) store: String,
    pub(crate) n_removed: usize,
    pub(crate) n_kept: usize,
}

#[derive(Serialize)]
pub(crate) struct Checked {
    pub(crate) store: String,
    pub(crate) is_sound: bool,
    pub(crate) n_programs: usize,
    pub(crate) n_scores: usize,
    pub(crate) findings: Vec<String>,
}

fn short(hash: ProgramHash) -> String {
    hash.to_string()[..SHORT].to_owned()
}

pub(crate) fn list(report: &ListReport) -> String {
    rendered(|out| {
        let (n_programs, n_scores) = (report.n_programs, report.n_scores);
        writeln!(
            out,
            "{BOLD}{}{BOLD:#} and {} in {}",
            counted(n_programs, "program"),
            counted(n_scores, "score"),
            report.store
        )?;
        writeln!(
            out,
            "\n  {DIM}hash        lines   fits  tasks  right  partial       fuel  name{DIM:#}"
        )?;
        for standing in &report.programs {
            write_standing(out, standing)?;
        }
        let n_hidden = n_programs.saturating_sub(report.programs.len());
        match n_hidden {
            0 => Ok(()),
            _ => writeln!(out, "  {DIM}{} more{DIM:#}", count(n_hidden)),
        }
    })
}

fn write_standing(out: &mut String, standing: &Standing) -> std::fmt::Result {
    let style = if standing.n_fitted > 0 { GOOD } else { DIM };
    writeln!(
        out,
        "  {}  {:>5}  {style}{:>5}{style:#}  {:>5}  {:>5}  {:>7.1}  {:>9}  {}",
        short(standing.hash),
        count(standing.n_lines),
        count(standing.n_fitted),
        count(standing.n_tasks),
        count(standing.n_exact),
        standing.best_partial,
        count(standing.mean_fuel as usize),
        visible(&standing.name)
    )
}

pub(crate) fn best(ranked: &[Ranked]) -> String {
    rendered(|out| {
        writeln!(
            out,
            "  {DIM}task      right   partial  lines       fuel  hash        name{DIM:#}"
        )?;
        for entry in ranked {
            let score = &entry.score;
            let style = if score.fits() { GOOD } else { DIM };
            let right = format!("{} of {}", score.n_exact, score.n_demos);
            writeln!(
                out,
                "  {:<8}  {style}{right:<7}{style:#} {:>7.1}  {:>5}  {:>9}  {}  {}",
                score.task,
                score.partial,
                count(entry.n_lines),
                count(score.fuel as usize),
                short(entry.hash),
                visible(&entry.name)
            )?;
        }
        Ok(())
    })
}

pub(crate) fn record(record: &ProgramRecord) -> String {
    rendered(|out| {
        writeln!(out, "{DIM}{}{DIM:#}", record.hash)?;
        write!(out, "{}", print_text(&record.program))?;
        write_origin(out, &record.origin)?;
        write_scores(out, &record.scores)
    })
}

fn write_origin(out: &mut String, origin: &Origin) -> std::fmt::Result {
    writeln!(out, "\n{BOLD}from{BOLD:#} {}", visible(&origin.source))?;
    if let Some(parent) = origin.parent {
        writeln!(out, "  parent    {parent}")?;
    }
    if !origin.mutation.is_empty() {
        writeln!(out, "  mutation  {}", visible(&origin.mutation))?;
    }
    if let Some(seed) = origin.seed {
        writeln!(out, "  seed      {seed}")?;
    }
    match origin.run {
        Some(run) => writeln!(out, "  run       {}", run.0),
        None => Ok(()),
    }
}

fn write_scores(out: &mut String, scores: &[TaskScore]) -> std::fmt::Result {
    if scores.is_empty() {
        return writeln!(out, "\n{DIM}no scores yet{DIM:#}");
    }
    writeln!(out, "\n  {DIM}task      right   partial       fuel{DIM:#}")?;
    for score in scores {
        let style = if score.fits() { GOOD } else { DIM };
        let right = format!("{} of {}", score.n_exact, score.n_demos);
        writeln!(
            out,
            "  {:<8}  {style}{right:<7}{style:#} {:>7.1}  {:>9}",
            score.task,
            score.partial,
            count(score.fuel as usize)
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
pub(crate) struct RecordReport<'a> {
    hash: ProgramHash,
    name: &'a str,
    dialect: &'static str,
    n_lines: usize,
    text: String,
    origin: &'a Origin,
    scores: &'a [TaskScore],
}

pub(crate) fn record_json(record: &ProgramRecord) -> RecordReport<'_> {
    RecordReport {
        hash: record.hash,
        name: &record.program.name,
        dialect: record.program.dialect.name(),
        n_lines: record.program.lines.len(),
        text: print_text(&record.program),
        origin: &record.origin,
        scores: &record.scores,
    }
}

pub(crate) fn imported(report: &Imported) -> String {
    format!(
        "{} new, {} known already, {} brought along; {} now in {}\n",
        counted(report.n_new, "program"),
        count(report.n_known),
        counted(report.n_scores, "score"),
        counted(report.n_programs, "program"),
        report.store
    )
}

pub(crate) fn pruned(report: &PruneReport) -> String {
    format!(
        "{} removed, {} kept in {}\n",
        counted(report.n_removed, "program"),
        count(report.n_kept),
        report.store
    )
}

pub(crate) fn checked(report: &Checked) -> String {
    rendered(|out| {
        let (n_programs, n_scores) = (report.n_programs, report.n_scores);
        let (programs, scores) = (counted(n_programs, "program"), counted(n_scores, "score"));
        if report.is_sound {
            write!(out, "{GOOD}sound{GOOD:#}: ")?
        } else {
            write!(out, "{BAD}damaged{BAD:#}: ")?
        }
        writeln!(out, "{programs} and {scores} in {}", report.store)?;
        report
            .findings
            .iter()
            .try_for_each(|finding| writeln!(out, "  {finding}"))
    })
}
