//! A page with pictures of the wrong answers.

use std::fmt::Write;

use leyden_grid::{Grid, Task, TestCase, counted};
use leyden_store::submission::{Draft, TaskResult, Verdict};

use crate::report::palette::Palette;
use crate::report::score::{Summary, rules, word};
use crate::report::style::rendered;
use crate::report::task_svg::{self, escape, size};

const STYLE: &str = "
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 96rem; padding: 0 1rem; line-height: 1.5; }
table { border-collapse: collapse; }
td, th { padding: .2rem 1rem .2rem 0; text-align: left; font-variant-numeric: tabular-nums; }
section { border-top: 1px solid #8888; margin-top: 2rem; }
.row { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; margin: .5rem 0 1.5rem; }
figure { margin: 0; }
figcaption { font-size: .85rem; opacity: .8; }
svg { max-width: 100%; height: auto; }
.bad { color: #c62828; }
@media (prefers-color-scheme: dark) { .bad { color: #ff8a80; } }
";

pub(crate) fn page(
    summary: &Summary<'_>,
    draft: &Draft,
    tasks: &[Task],
    palette: &Palette,
) -> String {
    rendered(|out| {
        write_head(out, summary)?;
        write_totals(out, summary)?;
        let results = summary.card.tasks.iter().zip(tasks);
        let is_wrong = |result: &TaskResult| {
            !result.is_solved() && !summary.missing.contains(result.id.as_str())
        };
        for (result, task) in results.filter(|(result, _)| is_wrong(result)) {
            write_task(out, result, task, draft, palette)?;
        }
        writeln!(out, "</body>\n</html>")
    })
}

fn write_head(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let title = escape(&format!(
        "Score of {} on {}",
        summary.submission, summary.data_name
    ));
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    )
}

fn write_totals(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    writeln!(out, "<table>")?;
    for (name, share, what) in rules(summary.card) {
        let what = escape(&what);
        writeln!(
            out,
            "<tr><th scope=\"row\">{name}</th><td>{share}</td><td>{what}</td></tr>"
        )?;
    }
    writeln!(out, "</table>")?;
    let (n_solved, n_tasks) = summary.card.solved();
    writeln!(
        out,
        "<p>Hash of the data: {}. Not solved: {}. A ring marks a cell that differs.</p>",
        escape(summary.data_hash),
        counted(n_tasks - n_solved, "task")
    )?;
    if let Some(line) = summary.missing.line() {
        writeln!(out, "<p>{}.</p>", escape(&line))?;
    }
    match summary.n_problems {
        0 => Ok(()),
        n => writeln!(
            out,
            "<p class=\"bad\">Kaggle would not take this file: it has {}.</p>",
            counted(n, "problem")
        ),
    }
}

fn write_task(
    out: &mut String,
    result: &TaskResult,
    task: &Task,
    draft: &Draft,
    palette: &Palette,
) -> std::fmt::Result {
    let id = escape(task.id.as_str());
    writeln!(
        out,
        "<section id=\"{id}\">\n<h2>{id}</h2>\n<p>{} of {} right</p>",
        result.n_right(),
        counted(result.verdicts.len(), "output")
    )?;
    writeln!(
        out,
        "<details><summary>the demonstration pairs</summary><div class=\"row\">"
    )?;
    for (k, pair) in task.demos.iter().enumerate() {
        write_figure(out, &format!("input {k}"), Some(&pair.input), None, palette)?;
        write_figure(
            out,
            &format!("output {k}"),
            Some(&pair.output),
            None,
            palette,
        )?;
    }
    writeln!(out, "</div></details>")?;
    let answers = draft.answers(task.id.as_str());
    for (k, (test, verdict)) in task.tests.iter().zip(&result.verdicts).enumerate() {
        let attempts = answers
            .get(k)
            .map(|answer| answer.each_ref().map(Option::as_ref));
        write_test(
            out,
            k,
            test,
            *verdict,
            attempts.unwrap_or_default(),
            palette,
        )?;
    }
    writeln!(out, "</section>")
}

fn write_test(
    out: &mut String,
    k: usize,
    test: &TestCase,
    verdict: Verdict,
    attempts: [Option<&Grid>; 2],
    palette: &Palette,
) -> std::fmt::Result {
    let class = if verdict.is_right() {
        ""
    } else {
        " class=\"bad\""
    };
    writeln!(out, "<h3{class}>test {k}: {}</h3>", word(verdict))?;
    if verdict.is_right() {
        return Ok(());
    }
    let expected = test.output.as_ref();
    writeln!(out, "<div class=\"row\">")?;
    write_figure(out, "input", Some(&test.input), None, palette)?;
    write_figure(out, "expected", expected, None, palette)?;
    for (name, attempt) in ["attempt 1", "attempt 2"].iter().zip(attempts) {
        write_figure(out, name, attempt, expected, palette)?;
    }
    writeln!(out, "</div>")
}

fn write_figure(
    out: &mut String,
    name: &str,
    grid: Option<&Grid>,
    compared: Option<&Grid>,
    palette: &Palette,
) -> std::fmt::Result {
    let (caption, picture) = match grid {
        Some(grid) => (size(grid), task_svg::grid(grid, compared, palette)),
        None => ("no grid".to_owned(), String::new()),
    };
    writeln!(
        out,
        "<figure><figcaption>{name} {caption}</figcaption>\n{picture}</figure>"
    )
}
