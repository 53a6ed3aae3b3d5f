//! A page of `leyden explore` as one file that needs no server: tasks, programs, and the value of
//! each line.

use std::fmt::Write;

use leyden_grid::{Grid, Task, TaskId, counted};

use crate::report::palette::Palette;
use crate::report::style::rendered;
use crate::report::task_svg::{self, escape, size};
use crate::report::trace::{Drawing, write_picture};

const STYLE: &str = "
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; --line: #8884; --dim: #8883; }
body { margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; line-height: 1.5; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; }
a { color: inherit; }
.row { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; margin: .5rem 0 1rem; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 1rem; }
.gallery svg { max-height: 7rem; width: auto; max-width: 45%; }
.gallery figure { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; }
figure { margin: 0; }
figcaption, .words { font-size: .85rem; opacity: .8; }
svg { max-width: 100%; height: auto; }
.out { fill: var(--dim); } .mark { fill: currentColor; opacity: .75; }
section.program { border-top: 1px solid var(--line); margin-top: 1.5rem; }
ol.lines { list-style: none; margin: 0; padding: 0; }
ol.lines li { border-top: 1px solid var(--line); padding: .3rem 0; break-inside: avoid; }
code { font: .85rem/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.pictures { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: .3rem; }
.bad { color: #b71c1c; font-weight: 600; } .good { color: #1b5e20; font-weight: 600; }
@media (prefers-color-scheme: dark) { .bad { color: #ff8a80; } .good { color: #81c784; } }
";

/// A page.
pub(crate) struct Page<'p> {
    pub(crate) title: String,
    pub(crate) part: Part<'p>,
}

pub(crate) enum Part<'p> {
    Gallery(Vec<Thumb<'p>>),
    Task(&'p Task, Vec<ProgramPart>),
}

/// A task in the gallery.
pub(crate) struct Thumb<'p> {
    pub(crate) task: &'p Task,
    pub(crate) badge: &'static str,
}

/// A program with its results.
pub(crate) struct ProgramPart {
    pub(crate) name: String,
    pub(crate) dialect: &'static str,
    pub(crate) pairs: Vec<PairPart>,
    /// The pair whose values stand beside the lines.
    pub(crate) sample: String,
    pub(crate) lines: Vec<LinePart>,
}

/// The result on a pair.
pub(crate) struct PairPart {
    pub(crate) name: String,
    pub(crate) outcome: Option<Grid>,
    /// The outcome if it is not a grid.
    pub(crate) words: String,
    pub(crate) verdict: &'static str,
    /// The fuel, if it was counted.
    pub(crate) fuel: Option<u64>,
}

/// A line and its value.
pub(crate) struct LinePart {
    pub(crate) source: String,
    pub(crate) drawing: Drawing,
    pub(crate) is_fault: bool,
}

pub(crate) fn page(page: &Page<'_>, palette: &Palette) -> String {
    rendered(|out| {
        write_head(out, &page.title)?;
        match &page.part {
            Part::Gallery(thumbs) => write_gallery(out, thumbs, palette)?,
            Part::Task(task, programs) => write_task(out, task, programs, palette)?,
        }
        let version = env!("CARGO_PKG_VERSION");
        writeln!(
            out,
            "<p class=\"words\">Written by leyden explore {version}. The page has no test outputs.</p>\n</body>\n</html>"
        )
    })
}

fn write_head(out: &mut String, title: &str) -> std::fmt::Result {
    let title = escape(title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    )
}

fn write_gallery(out: &mut String, thumbs: &[Thumb<'_>], palette: &Palette) -> std::fmt::Result {
    writeln!(out, "<div class=\"gallery\">")?;
    for Thumb { task, badge } in thumbs {
        let id = escape(task.id.as_str());
        writeln!(
            out,
            "<figure id=\"{id}\"><figcaption>{id} · {badge}</figcaption>"
        )?;
        if let Some(pair) = task.demos.first() {
            *out += &task_svg::grid(&pair.input, None, palette);
            *out += &task_svg::grid(&pair.output, None, palette);
        }
        writeln!(out, "</figure>")?;
    }
    writeln!(out, "</div>")
}

fn write_task(
    out: &mut String,
    task: &Task,
    programs: &[ProgramPart],
    palette: &Palette,
) -> std::fmt::Result {
    for (k, pair) in task.demos.iter().enumerate() {
        writeln!(out, "<h2>train {}</h2>\n<div class=\"row\">", k + 1)?;
        write_figure(out, "input", &pair.input, None, palette)?;
        write_figure(out, "output", &pair.output, None, palette)?;
        writeln!(out, "</div>")?;
    }
    for (k, test) in task.tests.iter().enumerate() {
        writeln!(out, "<h2>test {}</h2>\n<div class=\"row\">", k + 1)?;
        write_figure(out, "input", &test.input, None, palette)?;
        writeln!(out, "</div>")?;
    }
    if programs.is_empty() {
        writeln!(out, "<p>No open file has a program for this task.</p>")?;
    }
    programs
        .iter()
        .try_for_each(|program| write_program(out, task, program, palette))
}

fn write_program(
    out: &mut String,
    task: &Task,
    program: &ProgramPart,
    palette: &Palette,
) -> std::fmt::Result {
    writeln!(
        out,
        "<section class=\"program\">\n<h2>{} <span class=\"words\">{}, {}</span></h2>\n<div class=\"row\">",
        escape(&program.name),
        program.dialect,
        counted(program.lines.len(), "line")
    )?;
    for (k, pair) in program.pairs.iter().enumerate() {
        let expected = task.demos.get(k).map(|pair| &pair.output);
        write_result(out, pair, expected, palette)?;
    }
    writeln!(
        out,
        "</div>\n<p class=\"words\">The value of each line on {}:</p>\n<ol class=\"lines\">",
        escape(&program.sample)
    )?;
    for line in &program.lines {
        write_line(out, line, palette)?;
    }
    writeln!(out, "</ol>\n</section>")
}

fn write_result(
    out: &mut String,
    pair: &PairPart,
    expected: Option<&Grid>,
    palette: &Palette,
) -> std::fmt::Result {
    let class = match pair.verdict {
        "right" => "good",
        "unknown" => "words",
        _ => "bad",
    };
    let fuel = pair
        .fuel
        .map_or_else(String::new, |n| format!(", {n} fuel"));
    writeln!(
        out,
        "<figure><figcaption>{}: <span class=\"{class}\">{}</span>{fuel}</figcaption>",
        escape(&pair.name),
        pair.verdict
    )?;
    match &pair.outcome {
        Some(grid) => *out += &task_svg::grid(grid, expected, palette),
        None => write!(out, "<code>{}</code>", escape(&pair.words))?,
    }
    writeln!(out, "</figure>")
}

fn write_line(out: &mut String, line: &LinePart, palette: &Palette) -> std::fmt::Result {
    let class = if line.is_fault { "bad" } else { "words" };
    write!(
        out,
        "<li><code>{}</code> <span class=\"{class}\">{}</span>",
        escape(&line.source),
        escape(&line.drawing.words)
    )?;
    if !line.drawing.pictures.is_empty() {
        out.push_str("<div class=\"pictures\">");
        for picture in &line.drawing.pictures {
            write_picture(out, picture, palette)?;
        }
        out.push_str("</div>");
    }
    writeln!(out, "</li>")
}

fn write_figure(
    out: &mut String,
    name: &str,
    grid: &Grid,
    compared: Option<&Grid>,
    palette: &Palette,
) -> std::fmt::Result {
    let picture = task_svg::grid(grid, compared, palette);
    let size = size(grid);
    writeln!(
        out,
        "<figure><figcaption>{name} {size}</figcaption>\n{picture}</figure>"
    )
}

/// The name of a file for a task.
pub(crate) fn file_name(task: &TaskId) -> String {
    format!("{task}.html")
}
