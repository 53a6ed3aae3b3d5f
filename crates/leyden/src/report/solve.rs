//! The findings of `leyden solve`, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use leyden_grid::{Grid, Task};
use serde::Serialize;

use crate::args::Spend;
use crate::report::numbers::{count, counted, duration, percent};
use crate::report::style::{BOLD, rendered};
use crate::search::found::{Answer, Found, Ranked};

/// A run as a whole.
#[derive(Serialize)]
pub(crate) struct Report<'r> {
    pub(crate) data: &'r str,
    pub(crate) data_hash: &'r str,
    pub(crate) engine: &'static str,
    #[serde(flatten)]
    pub(crate) spend: SpendRow,
    /// The number of programs known beforehand.
    pub(crate) known_programs: usize,
    /// The cap on the states of a search.
    pub(crate) max_states: usize,
    /// The most candidates that a row lists.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) candidates: usize,
    pub(crate) tasks: usize,
    pub(crate) tried: usize,
    pub(crate) fit_all_demos: usize,
    /// The number of tasks with all test outputs right in one of two attempts, if the data has
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solved: Option<usize>,
    pub(crate) rows: Vec<Row<'r>>,
}

/// The limits of the search.
#[derive(Serialize)]
pub(crate) struct SpendRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    per_task_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel_per_task: Option<u64>,
}

impl SpendRow {
    pub(crate) fn of(spend: &Spend) -> SpendRow {
        SpendRow {
            per_task_s: spend.per_task.map(|time| time.as_secs_f64()),
            budget_s: spend.budget.map(|time| time.as_secs_f64()),
            fuel_per_task: spend.fuel_per_task,
        }
    }
}

/// A task.
#[derive(Serialize)]
pub(crate) struct Row<'r> {
    task: &'r str,
    states: usize,
    pieces: usize,
    runs: u64,
    fuel: u64,
    wall_s: f64,
    phases_s: &'r BTreeMap<String, f64>,
    answers: Vec<Vec<AnswerRow<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<CandidateRow<'r>>>,
}

/// A candidate. The first of all candidates with different answers have the ranks 1, 2 and so on.
#[derive(Serialize)]
struct CandidateRow<'r> {
    demos_reproduced: usize,
    demos: usize,
    bits: f64,
    parts: Vec<PartRow<'r>>,
    source: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    known_as: Option<&'r str>,
    dialect: &'r str,
    program: &'r str,
    agreeing: usize,
    answers: &'r [Option<Grid>],
}

/// A part of the price of a candidate.
#[derive(Serialize)]
struct PartRow<'r> {
    name: &'r str,
    bits: f64,
}

impl<'r> PartRow<'r> {
    fn new((name, bits): &'r (String, f64)) -> PartRow<'r> {
        PartRow { name, bits: *bits }
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[derive(Serialize)]
struct AnswerRow<'r> {
    demos_reproduced: usize,
    demos: usize,
    bits: f64,
    source: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    known_as: Option<&'r str>,
    dialect: &'r str,
    program: &'r str,
    program_hash: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_right: Option<bool>,
}

impl<'r> Row<'r> {
    /// The row of a task with at most `n_candidates` candidates.
    pub(crate) fn new(task: &Task, found: &'r Found, n_candidates: usize) -> Row<'r> {
        let tests = task.tests.iter().zip(&found.answers);
        let answers = tests.map(|(test, answers)| {
            let row = |answer: &'r Answer| AnswerRow {
                demos_reproduced: answer.demos_reproduced,
                demos: found.demos,
                bits: answer.bits,
                source: &answer.source,
                known_as: answer.known_as.as_deref(),
                dialect: &answer.dialect,
                program: &answer.program,
                program_hash: &answer.program_hash,
                is_right: test.output.as_ref().map(|output| *output == answer.grid),
            };
            answers.iter().map(row).collect()
        });
        Row {
            task: &found.task,
            states: found.states,
            pieces: found.pieces,
            runs: found.runs,
            fuel: found.fuel,
            wall_s: found.wall_s,
            phases_s: &found.phases_s,
            answers: answers.collect(),
            candidates: (n_candidates > 0).then(|| {
                let first = found.candidates.iter().take(n_candidates);
                first.map(|it| CandidateRow::new(it, found.demos)).collect()
            }),
        }
    }
}

impl<'r> CandidateRow<'r> {
    fn new(ranked: &'r Ranked, demos: usize) -> CandidateRow<'r> {
        CandidateRow {
            demos_reproduced: ranked.demos_reproduced,
            demos,
            bits: ranked.bits,
            parts: ranked.parts.iter().map(PartRow::new).collect(),
            source: &ranked.source,
            known_as: ranked.known_as.as_deref(),
            dialect: &ranked.dialect,
            program: &ranked.program,
            agreeing: ranked.n_agreeing,
            answers: &ranked.answers,
        }
    }
}

/// The number of tasks with all test outputs right, if the data has them all.
pub(crate) fn n_solved(tasks: &[Task], found: &[Option<Found>]) -> Option<usize> {
    let is_known = |task: &Task| task.tests.iter().all(|test| test.output.is_some());
    let is_solved = |(task, found): &(&Task, &Option<Found>)| {
        found.as_ref().is_some_and(|found| {
            let mut tests = task.tests.iter().zip(&found.answers);
            tests.all(|(test, answers)| {
                let mut grids = answers.iter().map(|answer| &answer.grid);
                grids.any(|grid| Some(grid) == test.output.as_ref())
            })
        })
    };
    tasks
        .iter()
        .all(is_known)
        .then(|| tasks.iter().zip(found).filter(is_solved).count())
}

/// The files of a run.
pub(crate) struct Written<'w> {
    /// The submission.
    pub(crate) out: Option<&'w Path>,
    /// The number of tasks of the data, chosen or not.
    pub(crate) n_all: usize,
    /// The directory of the programs.
    pub(crate) programs: Option<&'w Path>,
    /// The journal, if it stays.
    pub(crate) journal: Option<&'w Path>,
}

pub(crate) fn text(report: &Report<'_>, wall: Duration, written: &Written<'_>) -> String {
    rendered(|text| {
        writeln!(
            text,
            "{BOLD}{}{BOLD:#} {:.8}  {}, {}",
            report.data,
            report.data_hash,
            counted(report.tasks, "task"),
            counted(report.known_programs, "known program")
        )?;
        writeln!(text, "  tried       {:>6}", count(report.tried))?;
        writeln!(
            text,
            "  fit demos   {:>6}   tasks whose first answers reproduce all demonstrations",
            count(report.fit_all_demos)
        )?;
        if let Some(solved) = report.solved {
            writeln!(
                text,
                "  solved      {:>6}   {}: all test outputs right within two attempts",
                count(solved),
                percent(solved, report.tasks)
            )?;
        }
        writeln!(text, "  {}{} in all", spent(&report.spend), duration(wall))?;
        write_files(text, report, written)
    })
}

fn write_files(text: &mut String, report: &Report<'_>, written: &Written<'_>) -> std::fmt::Result {
    if let Some(out) = written.out {
        write!(text, "  written: {}", out.display())?;
        if report.tasks < written.n_all {
            let (part, all) = (count(report.tasks), counted(written.n_all, "task"));
            write!(text, ", which covers {part} of {all}")?;
        }
        writeln!(text)?;
    }
    if let Some(programs) = written.programs {
        writeln!(text, "  programs: {}", programs.display())?;
    }
    if let Some(journal) = written.journal {
        let journal = journal.display();
        writeln!(text, "  journal: {journal}; --resume continues from it")?;
    }
    Ok(())
}

fn time(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

fn spent(spend: &SpendRow) -> String {
    let mut text = String::new();
    if let Some(seconds) = spend.per_task_s {
        text += &format!(
            "at most {} of processor time for each task, ",
            time(seconds)
        );
    }
    if let Some(fuel) = spend.fuel_per_task {
        let fuel = usize::try_from(fuel).unwrap_or(usize::MAX);
        text += &format!("at most {} for each task, ", counted(fuel, "unit of fuel"));
    }
    if let Some(seconds) = spend.budget_s {
        text += &format!("a budget of {}, ", time(seconds));
    }
    text
}
