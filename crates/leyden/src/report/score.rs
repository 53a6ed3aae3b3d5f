//! The score of a submission, for people and as JSON.

use std::fmt::Write;

use leyden_store::submission::{ScoreCard, TaskResult, Verdict};
use serde::Serialize;

use crate::report::numbers::{count, counted, percent, percent_of};
use crate::report::style::{BAD, BOLD, DIM, GOOD, rendered};

/// A message names at most this many missing tasks.
const MOST_NAMED: usize = 5;

/// Tasks that a submission leaves out.
pub(crate) struct Missing<'a> {
    pub(crate) ids: Vec<&'a str>,
    pub(crate) n_tasks: usize,
    /// The options that leave them out.
    pub(crate) hint: Option<String>,
}

impl Missing<'_> {
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.ids.contains(&id)
    }

    /// One line that names all of them; `None` if no task is missing.
    pub(crate) fn line(&self) -> Option<String> {
        let named = self.ids.get(..MOST_NAMED).unwrap_or(&self.ids).join(", ");
        let more = if self.ids.len() > MOST_NAMED {
            ", …"
        } else {
            ""
        };
        let are = match self.ids.len() {
            0 => return None,
            1 => "is",
            _ => "are",
        };
        let n_missing = count(self.ids.len());
        let of = counted(self.n_tasks, "task");
        Some(format!("{n_missing} of {of} {are} missing: {named}{more}"))
    }

    /// How to leave them out.
    pub(crate) fn advice(&self) -> Option<String> {
        let hint = self.hint.as_ref().filter(|_| !self.ids.is_empty())?;
        Some(format!("if you solved only a part, add `{hint}`"))
    }
}

/// The contents of a report.
pub(crate) struct Summary<'a> {
    pub(crate) submission: String,
    pub(crate) data_name: &'a str,
    pub(crate) data_hash: &'a str,
    pub(crate) card: &'a ScoreCard,
    /// The number of problems that Kaggle would refuse.
    pub(crate) n_problems: usize,
    /// The tasks that the submission leaves out.
    pub(crate) missing: Missing<'a>,
}

/// The three rules: a name, the share as text, and the counts behind it if there are any.
pub(crate) fn rules(card: &ScoreCard) -> [(&'static str, String, String); 3] {
    let of = |(part, whole): (usize, usize), unit: &str| {
        format!("{} of {} {unit}", count(part), count(whole))
    };
    let share = |(part, whole)| percent(part, whole);
    let mean = percent_of(card.mean_of_tasks());
    [
        (
            "outputs",
            share(card.outputs()),
            of(card.outputs(), "outputs right (Kaggle's rule)"),
        ),
        (
            "tasks",
            mean,
            "share of right outputs of a task, averaged over all tasks".to_owned(),
        ),
        (
            "solved",
            share(card.solved()),
            of(card.solved(), "tasks with all outputs right"),
        ),
    ]
}

pub(crate) fn text(summary: &Summary<'_>, with_tasks: bool) -> String {
    rendered(|out| {
        writeln!(
            out,
            "{BOLD}{}{BOLD:#} on {} {DIM}{}{DIM:#}\n",
            summary.submission, summary.data_name, summary.data_hash
        )?;
        for (name, share, what) in rules(summary.card) {
            writeln!(out, "  {name:<8} {BOLD}{share:>8}{BOLD:#}  {what}")?;
        }
        if summary.n_problems > 0 {
            let problems = counted(summary.n_problems, "problem");
            writeln!(
                out,
                "\n{BAD}Kaggle would not take this file{BAD:#}: {problems}, which \
                 `leyden submit-check` lists"
            )?;
        }
        if let Some(line) = summary.missing.line() {
            write!(out, "\n{line}")?;
            match summary.missing.advice() {
                Some(advice) => writeln!(out, "; {advice}")?,
                None => writeln!(out)?,
            }
        }
        if with_tasks {
            write_tasks(out, summary)
        } else {
            Ok(())
        }
    })
}

/// A row for each task that the submission answers.
fn write_tasks(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let is_there = |task: &&TaskResult| !summary.missing.contains(task.id.as_str());
    let mut there = summary.card.tasks.iter().filter(is_there).peekable();
    if there.peek().is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "\n  {DIM}task      outputs  share    solved  answers{DIM:#}"
    )?;
    there.try_for_each(|task| write_task(out, task))
}

fn write_task(out: &mut String, task: &TaskResult) -> std::fmt::Result {
    let (n_right, n_outputs) = (task.n_right(), task.verdicts.len());
    let outputs = format!("{n_right} of {n_outputs}");
    let style = if task.is_solved() { GOOD } else { DIM };
    let solved = if task.is_solved() { "yes" } else { "no" };
    let words: Vec<&str> = task.verdicts.iter().map(|verdict| word(*verdict)).collect();
    writeln!(
        out,
        "  {:<8}  {outputs:<7}  {:<7}  {style}{solved:<6}{style:#}  {}",
        task.id,
        percent(n_right, n_outputs),
        words.join(", ")
    )
}

pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::First => "first attempt",
        Verdict::Second => "second attempt",
        Verdict::Wrong => "wrong",
        Verdict::Missing => "missing",
    }
}

#[derive(Serialize)]
pub(crate) struct Report<'a> {
    engine: &'static str,
    submission: &'a str,
    data: &'a str,
    data_hash: &'a str,
    outputs: Share,
    tasks: f64,
    solved: Share,
    problems: usize,
    per_task: Vec<TaskReport<'a>>,
}

#[derive(Serialize)]
struct Share {
    right: usize,
    of: usize,
    share: f64,
}

#[derive(Serialize)]
struct TaskReport<'a> {
    task: &'a str,
    right: usize,
    of: usize,
    share: f64,
    solved: bool,
    answers: &'a [Verdict],
}

impl Share {
    fn of((right, of): (usize, usize)) -> Share {
        Share {
            right,
            of,
            share: right as f64 / of.max(1) as f64,
        }
    }
}

pub(crate) fn json<'a>(summary: &'a Summary<'_>) -> Report<'a> {
    let card = summary.card;
    let task = |task: &'a TaskResult| TaskReport {
        task: task.id.as_str(),
        right: task.n_right(),
        of: task.verdicts.len(),
        share: task.n_right() as f64 / task.verdicts.len().max(1) as f64,
        solved: task.is_solved(),
        answers: &task.verdicts,
    };
    Report {
        engine: env!("CARGO_PKG_VERSION"),
        submission: &summary.submission,
        data: summary.data_name,
        data_hash: summary.data_hash,
        outputs: Share::of(card.outputs()),
        tasks: card.mean_of_tasks(),
        solved: Share::of(card.solved()),
        problems: summary.n_problems,
        per_task: card.tasks.iter().map(task).collect(),
    }
}
