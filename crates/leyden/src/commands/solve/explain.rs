//! Explains why a program was chosen over the next one.

use std::fmt::Write;

use leyden_grid::Task;
use leyden_search::solve::{Candidate, Source};

use crate::args::{ColorChoice, PaletteName};
use crate::commands::show::{PAGE_WIDTH, depth};
use crate::report::palette::Palette;
use crate::report::style::BOLD;
use crate::report::task_text::{View, gallery};
use crate::report::terminal_width;

/// The number of candidates to show.
pub(crate) const N_CANDIDATES: usize = 10;

/// The candidates in a table, their answers, and the program of the best.
pub(crate) fn text(task: &Task, candidates: &[Candidate]) -> String {
    let mut text = format!(
        "{BOLD}{}{BOLD:#}  best first: most demonstrations, then known programs if these are all, then the least cost\n\n",
        task.id
    );
    text += "   #   demos    cost  lines  layers  agreeing  right  source\n";
    for (k, candidate) in candidates.iter().enumerate() {
        text += &row(task, k, candidate);
    }
    if candidates.is_empty() {
        text += "  nothing reproduces a demonstration\n";
    }
    for test in 0..task.tests.len() {
        text += &pictures(task, test, candidates);
    }
    if let Some(best) = candidates.first() {
        let _ = write!(text, "\nThe first one:\n{}", best.program);
    }
    text
}

fn row(task: &Task, k: usize, candidate: &Candidate) -> String {
    let source = match &candidate.source {
        Source::Transfer(name) | Source::Mutant(name) => {
            format!("{}: {name}", candidate.source.name())
        }
        other => other.name().to_owned(),
    };
    format!(
        "{:>4}  {:>2} of {:<2} {:>5} {:>6} {:>7} {:>9}  {:<5}  {source}\n",
        k + 1,
        candidate.n_demos,
        task.demos.len(),
        candidate.cost,
        candidate.program.lines.len(),
        candidate.n_layers,
        candidate.n_agreeing,
        verdict(task, candidate)
    )
}

/// Whether the answers are right, if the data has the outputs.
fn verdict(task: &Task, candidate: &Candidate) -> &'static str {
    let mut tests = task.tests.iter().zip(&candidate.answers);
    if task.tests.iter().any(|test| test.output.is_none()) {
        "?"
    } else if tests.all(|(test, answer)| test.output == *answer) {
        "yes"
    } else {
        "no"
    }
}

/// The different answers to one test input, side by side.
fn pictures(task: &Task, test: usize, candidates: &[Candidate]) -> String {
    let view = View {
        palette: Palette::named(PaletteName::Arc),
        depth: depth(ColorChoice::Auto),
        numbers: false,
        width: terminal_width().unwrap_or(PAGE_WIDTH),
    };
    let input = ("input".to_owned(), Some(&task.tests[test].input));
    let answers = candidates.iter().enumerate().map(|(k, candidate)| {
        let answer = candidate.answers.get(test).and_then(Option::as_ref);
        (format!("#{}", k + 1), answer)
    });
    let grids: Vec<_> = std::iter::once(input).chain(answers).collect();
    format!("\ntest[{test}]\n{}", gallery(&grids, &view))
}
