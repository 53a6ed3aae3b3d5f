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
use crate::search::found::bits;

/// The number of candidates whose prices are shown part by part.
const N_PRICED: usize = 2;
/// The number of candidates to show.
pub(crate) const N_CANDIDATES: usize = 10;

/// The candidates in a table, their answers, and the program of the best.
pub(crate) fn text(task: &Task, candidates: &[Candidate]) -> String {
    let mut text = format!(
        "{BOLD}{}{BOLD:#}  best first: most demonstrations, then known programs if these are all, then the fewest bits\n\n",
        task.id
    );
    text += "   #   demos    bits  lines  layers  agreeing  right  source\n";
    for (k, candidate) in candidates.iter().enumerate() {
        text += &row(task, k, candidate);
    }
    if candidates.is_empty() {
        text += "  nothing reproduces a demonstration\n";
    }
    for test in 0..task.tests.len() {
        text += &pictures(task, test, candidates);
    }
    for (k, candidate) in candidates.iter().take(N_PRICED).enumerate() {
        text += &price(k, candidate);
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
        "{:>4}  {:>2} of {:<2} {:>7.1} {:>6} {:>7} {:>9}  {:<5}  {source}\n",
        k + 1,
        candidate.n_demos,
        task.demos.len(),
        bits(candidate.price()),
        candidate.program.lines.len(),
        candidate.n_layers,
        candidate.n_agreeing,
        verdict(task, candidate)
    )
}

/// The price of a candidate, part by part.
fn price(k: usize, candidate: &Candidate) -> String {
    let total = bits(candidate.price());
    let parts = candidate.parts.iter();
    let parts = parts.map(|part| format!("{:>10.1}  {}\n", bits(part.tenths), part.name));
    format!(
        "\n#{}: {total:.1} bits\n{}",
        k + 1,
        parts.collect::<String>()
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
