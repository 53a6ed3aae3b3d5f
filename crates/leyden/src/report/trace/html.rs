//! A trace as a page in one file.

use std::fmt::Write;

use super::{Cell, Drawing, Picture, Trace};
use crate::report::palette::Palette;

const CELL: usize = 12;

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<style>
:root { color-scheme: light dark; --line: #8884; --dim: #8883; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } code { font: 13px/1.4 ui-monospace, monospace; }
section { border-top: 1px solid var(--line); padding: .6rem 0; break-inside: avoid; }
.words { opacity: .7; font-size: .85rem; } .fault { color: #c33; font-weight: 600; }
.pictures { display: flex; flex-wrap: wrap; gap: .8rem; margin-top: .4rem; }
svg { max-width: 100%; height: auto; } .out { fill: var(--dim); } .mark { fill: currentColor; opacity: .75; }
</style>
";

pub(crate) fn render(traces: &[Trace], palette: &Palette) -> String {
    let title = traces
        .first()
        .map_or("trace", |trace| trace.program.as_str());
    let mut page = format!("{HEAD}<title>{}</title></head><body>\n", escape(title));
    for trace in traces {
        // Writing to a string cannot fail.
        let _ = write_trace(&mut page, trace, palette);
    }
    page + "</body></html>\n"
}

fn write_trace(page: &mut String, trace: &Trace, palette: &Palette) -> std::fmt::Result {
    writeln!(
        page,
        "<h1>{} <span class=\"words\">on {}</span></h1>",
        escape(&trace.program),
        escape(&trace.sample)
    )?;
    write_step(page, "I", &trace.input, false, palette)?;
    for step in &trace.steps {
        write_step(page, &step.source, &step.drawing, step.is_fault, palette)?;
    }
    writeln!(page, "<section><b>{}</b></section>", escape(&trace.verdict))?;
    match &trace.expected {
        Some(expected) => write_step(page, "expected", expected, false, palette),
        None => Ok(()),
    }
}

fn write_step(
    page: &mut String,
    source: &str,
    drawing: &Drawing,
    is_fault: bool,
    palette: &Palette,
) -> std::fmt::Result {
    let class = if is_fault { "words fault" } else { "words" };
    let (source, words) = (escape(source), escape(&drawing.words));
    write!(
        page,
        "<section><code>{source}</code> <span class=\"{class}\">{words}</span>"
    )?;
    if !drawing.pictures.is_empty() {
        page.push_str("<div class=\"pictures\">");
        for picture in &drawing.pictures {
            write_picture(page, picture, palette)?;
        }
        page.push_str("</div>");
    }
    page.push_str("</section>\n");
    Ok(())
}

pub(crate) fn write_picture(
    page: &mut String,
    picture: &Picture,
    palette: &Palette,
) -> std::fmt::Result {
    let (height, width) = (picture.rows.len(), picture.rows.first().map_or(0, Vec::len));
    let (h, w) = (height * CELL, width * CELL);
    write!(
        page,
        "<svg role=\"img\" aria-label=\"{height} by {width} cells\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">"
    )?;
    for (i, row) in picture.rows.iter().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            let style = match cell {
                Cell::Colour(v) => format!("fill=\"{}\"", palette.colour(*v).css()),
                Cell::Marked => "class=\"mark\"".to_owned(),
                Cell::Outside => "class=\"out\"".to_owned(),
            };
            let (x, y, side) = (j * CELL, i * CELL, CELL - 1);
            write!(
                page,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" {style}/>"
            )?;
        }
    }
    page.push_str("</svg>");
    Ok(())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
