//! A trace for the terminal.

use super::{Cell, Drawing, Picture, Trace};
use crate::report::task_text::{Depth, RESET, View, background};

const GAP: &str = "   ";
const INDENT: &str = "    ";

pub(crate) fn render(traces: &[Trace], view: &View) -> String {
    traces.iter().map(|trace| one(trace, view)).collect()
}

fn one(trace: &Trace, view: &View) -> String {
    let mut text = format!("{} on {}\n\nI\n", trace.program, trace.sample);
    text += &drawing(&trace.input, view);
    for step in &trace.steps {
        text += &format!("\n{}\n", step.source);
        text += &drawing(&step.drawing, view);
    }
    text += &format!("\n{}\n", trace.verdict);
    if let Some(expected) = &trace.expected {
        text += &format!("\nexpected\n{}", drawing(expected, view));
    }
    text + "\n"
}

fn drawing(drawing: &Drawing, view: &View) -> String {
    let mut text = format!("{INDENT}{}\n", drawing.words);
    for row in in_rows(&drawing.pictures, view) {
        let height = row.iter().map(|picture| picture.rows.len()).max();
        for k in 0..height.unwrap_or(0) {
            let lines: Vec<String> = row.iter().map(|picture| line(picture, k, view)).collect();
            text += &format!("{INDENT}{}\n", lines.join(GAP));
        }
    }
    text
}

/// As many pictures side by side as the width allows.
fn in_rows<'p>(pictures: &'p [Picture], view: &View) -> Vec<Vec<&'p Picture>> {
    let mut rows: Vec<Vec<&Picture>> = Vec::new();
    let mut left = 0;
    for picture in pictures {
        let width = width(picture, view) + GAP.len();
        if width > left || rows.is_empty() {
            rows.push(Vec::new());
            left = view.width.saturating_sub(INDENT.len());
        }
        left = left.saturating_sub(width);
        if let Some(row) = rows.last_mut() {
            row.push(picture);
        }
    }
    rows
}

fn width(picture: &Picture, view: &View) -> usize {
    let n_cells = picture.rows.first().map_or(0, Vec::len);
    match view.depth {
        Depth::Plain => n_cells,
        _ => 2 * n_cells,
    }
}

fn line(picture: &Picture, k: usize, view: &View) -> String {
    match picture.rows.get(k) {
        Some(row) => row.iter().map(|cell| cell_text(*cell, view)).collect(),
        None => " ".repeat(width(picture, view)),
    }
}

fn cell_text(cell: Cell, view: &View) -> String {
    match (cell, view.depth) {
        (Cell::Colour(v), Depth::Plain) => v.to_string(),
        (Cell::Marked, Depth::Plain) => "#".to_owned(),
        (Cell::Outside, Depth::Plain) => ".".to_owned(),
        (Cell::Colour(v), depth) => {
            format!("{}  {RESET}", background(view.palette.colour(v), depth))
        }
        (Cell::Marked, _) => "▓▓".to_owned(),
        (Cell::Outside, _) => "· ".to_owned(),
    }
}
