//! `leyden submit-check`: is a submission what Kaggle takes?

use std::fmt::Write;

use leyden_grid::Task;
use leyden_store::load;
use leyden_store::submission::{Draft, SubmissionProblem};
use serde::Serialize;

use crate::args::SubmitCheckArgs;
use crate::commands::show::cache_for;
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
    /// How many there are besides.
    unlisted: usize,
}

pub(crate) fn run(args: SubmitCheckArgs) -> Result<(), Failure> {
    let data = load(&args.data, None, &cache_for(&args.data)?)?;
    let draft = Draft::read(&args.submission)?;
    let problems = draft.check(&data.tasks);
    let report = Report {
        submission: args.submission.display().to_string(),
        is_accepted: problems.is_empty(),
        tasks: data.tasks.len(),
        outputs: n_outputs(&data.tasks),
        data: data.name,
        data_hash: data.hash,
        unlisted: problems.n_unlisted,
        problems: problems.listed,
    };
    let text = text(&report);
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

fn text(report: &Report) -> String {
    rendered(|out| {
        let file = &report.submission;
        if report.is_accepted {
            let (tasks, outputs) = (
                counted(report.tasks, "task"),
                counted(report.outputs, "output"),
            );
            return writeln!(out, "{GOOD}fine{GOOD:#}: {file} answers {tasks}, {outputs}");
        }
        for problem in &report.problems {
            writeln!(out, "{BAD}{file}{BAD:#}: {problem}")?;
        }
        if report.unlisted > 0 {
            writeln!(out, "… and {} more", count(report.unlisted))?;
        }
        let n_problems = report.problems.len() + report.unlisted;
        writeln!(
            out,
            "{}: Kaggle would not take it",
            counted(n_problems, "problem")
        )
    })
}
