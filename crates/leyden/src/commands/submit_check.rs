//! `leyden submit-check`: checks that Kaggle accepts a submission.

use std::fmt::Write;

use leyden_grid::Task;
use leyden_store::submission::SubmissionProblem;
use serde::Serialize;

use crate::args::SubmitCheckArgs;
use crate::commands::answered::Answered;
use crate::failure::Failure;
use crate::report::numbers::{count, counted};
use crate::report::style::{BAD, GOOD, rendered};
use crate::report::{pretty_json, write_both};

#[derive(Serialize)]
struct Report {
    submission: String,
    data: String,
    data_hash: String,
    is_accepted: bool,
    tasks: usize,
    outputs: usize,
    problems: Vec<SubmissionProblem>,
    /// The number of further problems.
    unlisted: usize,
}

pub(crate) fn run(args: SubmitCheckArgs) -> Result<(), Failure> {
    let answered = Answered::read(&args.answered, &args.submission)?;
    let (data, problems) = (&answered.data, answered.problems());
    let report = Report {
        submission: args.submission.display().to_string(),
        data: data.name.clone(),
        data_hash: data.hash.clone(),
        is_accepted: problems.is_empty(),
        tasks: data.tasks.len(),
        outputs: n_outputs(&data.tasks),
        unlisted: problems.n_unlisted,
        problems: problems.listed,
    };
    let text = text(&report, &answered);
    if report.is_accepted {
        return write_both(&text, args.json.as_ref(), &report);
    }
    if let Some(target) = &args.json {
        target.write(&pretty_json(&report)?)?;
    }
    Err(Failure::Diagnosed(text))
}

fn n_outputs(tasks: &[Task]) -> usize {
    tasks.iter().map(|task| task.tests.len()).sum()
}

fn text(report: &Report, answered: &Answered) -> String {
    rendered(|out| {
        let file = &report.submission;
        if report.is_accepted {
            let (tasks, outputs) = (
                counted(report.tasks, "task"),
                counted(report.outputs, "output"),
            );
            write!(out, "{GOOD}fine{GOOD:#}: {file} answers {tasks}, {outputs}")?;
            if report.tasks < answered.n_all() {
                let all = counted(answered.n_all(), "task");
                write!(out, "; Kaggle wants all {all} of {}", report.data)?;
            }
            return writeln!(out);
        }
        let missing = answered.missing();
        for problem in &report.problems {
            let task = problem.task.as_deref().unwrap_or_default();
            // One line names them all.
            if missing.ids.len() < 2 || !missing.contains(task) {
                writeln!(out, "{BAD}{file}{BAD:#}: {problem}")?;
            }
        }
        if let Some(line) = missing.line().filter(|_| missing.ids.len() > 1) {
            writeln!(out, "{BAD}{file}{BAD:#}: {line}")?;
        }
        if report.unlisted > 0 {
            writeln!(out, "… and {} more", count(report.unlisted))?;
        }
        let n_problems = report.problems.len() + report.unlisted;
        write!(
            out,
            "{}: Kaggle would not take it",
            counted(n_problems, "problem")
        )?;
        match missing.advice() {
            Some(advice) => writeln!(out, "; {advice}"),
            None => writeln!(out),
        }
    })
}
