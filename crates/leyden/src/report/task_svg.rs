//! A task as an SVG picture.

use std::fmt::Write;

use leyden_grid::{Grid, Task};

use crate::report::palette::Palette;

const CELL: usize = 16;
const MARGIN: usize = 24;
const CAPTION: usize = 26;
const TITLE: usize = 40;
const ARROW: usize = 48;
const GAP: usize = 40;
/// A pair goes into a new row if it would make the picture wider than this.
const WIDEST: usize = 1_100;
const INK: &str = "#1f2328";
const LINES: &str = "#6e7781";

/// A pair and where it stands.
struct Placed<'a> {
    name: String,
    input: &'a Grid,
    output: Option<&'a Grid>,
    x: usize,
    y: usize,
}

impl Placed<'_> {
    fn width(&self) -> usize {
        let grids = (self.input.width() + self.output.map_or(2, Grid::width)) * CELL + ARROW;
        // The caption needs room as well.
        grids.max(190)
    }

    fn height(&self) -> usize {
        CAPTION + self.input.height().max(self.output.map_or(0, Grid::height)) * CELL
    }
}

pub(crate) fn render(task: &Task, palette: &Palette, numbers: bool) -> String {
    let pairs = place(task);
    let width = pairs
        .iter()
        .map(|pair| pair.x + pair.width())
        .max()
        .unwrap_or(0)
        + MARGIN;
    let height = pairs
        .iter()
        .map(|pair| pair.y + pair.height())
        .max()
        .unwrap_or(TITLE)
        + MARGIN;
    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = write_svg(&mut svg, task, &pairs, (width, height), palette, numbers);
    svg
}

/// One grid as a picture of its own that marks the cells where it differs from another grid of
/// equal size.
pub(crate) fn grid(grid: &Grid, compared: Option<&Grid>, palette: &Palette) -> String {
    let (width, height) = (grid.width() * CELL + 2, grid.height() * CELL + 2);
    let mut svg = format!(
        "<svg viewBox=\"-1 -1 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{} cells\">\n",
        size(grid)
    );
    // Writing to a String cannot fail.
    let _ = write_grid(&mut svg, grid, (0, 0), palette, false);
    svg += &marks(grid, compared);
    svg + "</svg>\n"
}

/// A ring in every cell that differs, black in white, visible on any colour.
fn marks(grid: &Grid, compared: Option<&Grid>) -> String {
    let is_like = |other: &&Grid| (other.height(), other.width()) == (grid.height(), grid.width());
    let Some(other) = compared.filter(is_like) else {
        return String::new();
    };
    let cells = grid.cells().iter().zip(other.cells()).enumerate();
    let rings: String = cells
        .filter(|(_, (ours, theirs))| ours != theirs)
        .map(|(k, _)| {
            let (x, y) = (k % grid.width() * CELL + 3, k / grid.width() * CELL + 3);
            format!("M{x} {y}h10v10h-10z")
        })
        .collect();
    if rings.is_empty() {
        String::new()
    } else {
        format!(
            "<path d=\"{rings}\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"4\"/>\n\
             <path d=\"{rings}\" fill=\"none\" stroke=\"#000000\" stroke-width=\"2\"/>\n"
        )
    }
}

fn place(task: &Task) -> Vec<Placed<'_>> {
    let demos = task
        .demos
        .iter()
        .enumerate()
        .map(|(k, pair)| (format!("train[{k}]"), &pair.input, Some(&pair.output)));
    let tests = task
        .tests
        .iter()
        .enumerate()
        .map(|(k, test)| (format!("test[{k}]"), &test.input, test.output.as_ref()));
    let bottom = place_rows(demos, MARGIN + TITLE);
    let top_of_tests = bottom.iter().map(|pair| pair.y + pair.height() + GAP).max();
    let tests = place_rows(tests, top_of_tests.unwrap_or(MARGIN + TITLE));
    bottom.into_iter().chain(tests).collect()
}

fn place_rows<'a>(
    pairs: impl Iterator<Item = (String, &'a Grid, Option<&'a Grid>)>,
    top: usize,
) -> Vec<Placed<'a>> {
    let mut placed: Vec<Placed<'a>> = Vec::new();
    let (mut x, mut y, mut bottom) = (MARGIN, top, top);
    for (name, input, output) in pairs {
        let mut pair = Placed {
            name,
            input,
            output,
            x,
            y,
        };
        if x > MARGIN && x + pair.width() > WIDEST {
            (x, y) = (MARGIN, bottom + GAP);
            (pair.x, pair.y) = (x, y);
        }
        x += pair.width() + GAP;
        bottom = bottom.max(y + pair.height());
        placed.push(pair);
    }
    placed
}

fn write_svg(
    out: &mut String,
    task: &Task,
    pairs: &[Placed<'_>],
    (width, height): (usize, usize),
    palette: &Palette,
    numbers: bool,
) -> std::fmt::Result {
    let id = escape(task.id.as_str());
    let (n_demos, n_tests) = (task.demos.len(), task.tests.len());
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\" \
         font-family=\"ui-sans-serif, system-ui, Helvetica, Arial, sans-serif\" fill=\"{INK}\">",
    )?;
    writeln!(out, "<title id=\"title\">ARC task {id}</title>")?;
    writeln!(
        out,
        "<desc id=\"desc\">{n_demos} training pairs and {n_tests} test pairs, inputs to the left of their outputs</desc>"
    )?;
    writeln!(
        out,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    )?;
    writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"22\" font-weight=\"600\">{id}</text>",
        MARGIN + 16
    )?;
    for pair in pairs {
        write_pair(out, pair, palette, numbers)?;
    }
    writeln!(out, "</svg>")
}

fn write_pair(
    out: &mut String,
    pair: &Placed<'_>,
    palette: &Palette,
    numbers: bool,
) -> std::fmt::Result {
    let (x, y) = (pair.x, pair.y);
    let sizes = match pair.output {
        Some(output) => format!("{} → {}", size(pair.input), size(output)),
        None => format!("{} → ?", size(pair.input)),
    };
    let top = y + CAPTION;
    let middle = top + (pair.height() - CAPTION) / 2;
    let arrow_x = x + pair.input.width() * CELL;
    let output_x = arrow_x + ARROW;
    writeln!(out, "<g aria-label=\"{} {sizes}\">", pair.name)?;
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{}\" font-size=\"14\"><tspan font-weight=\"600\">{}</tspan>\
         <tspan dx=\"8\" fill=\"{LINES}\">{sizes}</tspan></text>",
        y + 14,
        pair.name,
    )?;
    write_grid(
        out,
        pair.input,
        (x, centre(pair.input, middle)),
        palette,
        numbers,
    )?;
    write_arrow(out, arrow_x, middle)?;
    match pair.output {
        Some(output) => write_grid(
            out,
            output,
            (output_x, centre(output, middle)),
            palette,
            numbers,
        )?,
        None => writeln!(
            out,
            "<text x=\"{output_x}\" y=\"{}\" font-size=\"28\">?</text>",
            middle + 10
        )?,
    }
    writeln!(out, "</g>")
}

fn centre(grid: &Grid, middle: usize) -> usize {
    middle - grid.height() * CELL / 2
}

pub(crate) fn size(grid: &Grid) -> String {
    format!("{}×{}", grid.height(), grid.width())
}

fn write_arrow(out: &mut String, x: usize, y: usize) -> std::fmt::Result {
    let (from, to) = (x + 12, x + ARROW - 12);
    writeln!(
        out,
        "<path d=\"M{from} {y}H{to}M{} {}L{to} {y}L{} {}\" fill=\"none\" stroke=\"{INK}\" \
         stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
        to - 7,
        y - 6,
        to - 7,
        y + 6,
    )
}

/// Cells of one colour are one path, so that files stay small; lines go over them.
fn write_grid(
    out: &mut String,
    grid: &Grid,
    (x, y): (usize, usize),
    palette: &Palette,
    numbers: bool,
) -> std::fmt::Result {
    writeln!(
        out,
        "<g transform=\"translate({x} {y})\" shape-rendering=\"crispEdges\">"
    )?;
    for cell in 0..=9 {
        let runs = runs_of(grid, cell);
        if !runs.is_empty() {
            writeln!(
                out,
                "<path d=\"{runs}\" fill=\"{}\"/>",
                palette.colour(cell).css()
            )?;
        }
    }
    write_lines(out, grid)?;
    if numbers {
        write_numbers(out, grid, palette)?;
    }
    writeln!(out, "</g>")
}

fn runs_of(grid: &Grid, cell: u8) -> String {
    let mut path = String::new();
    for (i, row) in grid.rows().enumerate() {
        let mut j = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0] == cell {
                let (x, y, width) = (j * CELL, i * CELL, run.len() * CELL);
                path += &format!("M{x} {y}h{width}v{CELL}h-{width}z");
            }
            j += run.len();
        }
    }
    path
}

fn write_lines(out: &mut String, grid: &Grid) -> std::fmt::Result {
    let (width, height) = (grid.width() * CELL, grid.height() * CELL);
    let across = (0..=grid.height()).map(|i| format!("M0 {}h{width}", i * CELL));
    let down = (0..=grid.width()).map(|j| format!("M{} 0v{height}", j * CELL));
    let lines: String = across.chain(down).collect();
    writeln!(
        out,
        "<path d=\"{lines}\" fill=\"none\" stroke=\"{LINES}\" stroke-width=\"1\"/>"
    )
}

fn write_numbers(out: &mut String, grid: &Grid, palette: &Palette) -> std::fmt::Result {
    writeln!(out, "<g font-size=\"10\" text-anchor=\"middle\">")?;
    for (i, row) in grid.rows().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            let (x, y) = (j * CELL + CELL / 2, i * CELL + 12);
            let ink = palette.colour(*cell).ink().css();
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\">{cell}</text>"
            )?;
        }
    }
    writeln!(out, "</g>")
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
