//! A task for the terminal.
//!
//! Pairs are side by side as far as the width allows. A cell is two characters wide, so that it
//! looks square. If even a single pair does not fit, two rows share a line of half blocks, and a
//! cell is one character.

use std::fmt::Write;

use leyden_grid::{Grid, Task};

use crate::report::palette::{Palette, Rgb};

const ARROW: &str = "  →  ";
const GAP: usize = 4;

/// The abilities of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    True,
    Indexed,
    Plain,
}

/// The way to show a task.
pub(crate) struct View {
    pub(crate) palette: Palette,
    pub(crate) depth: Depth,
    pub(crate) numbers: bool,
    pub(crate) width: usize,
}

/// Lines of equal width, counted in visible characters.
struct Block {
    width: usize,
    lines: Vec<String>,
}

pub(crate) fn render(task: &Task, view: &View) -> String {
    let style = CellStyle::choose(task, view);
    let demos = task.demos.iter().enumerate().map(|(k, pair)| {
        pair_block(
            &format!("train[{k}]"),
            &pair.input,
            Some(&pair.output),
            view,
            style,
        )
    });
    let tests = task.tests.iter().enumerate().map(|(k, test)| {
        pair_block(
            &format!("test[{k}]"),
            &test.input,
            test.output.as_ref(),
            view,
            style,
        )
    });
    let mut text = format!("{}\n", task.id);
    flow(&mut text, demos.collect(), view.width);
    flow(&mut text, tests.collect(), view.width);
    text
}

/// Grids side by side under their captions; a missing grid is a question mark.
pub(crate) fn gallery(grids: &[(String, Option<&Grid>)], view: &View) -> String {
    let widest = grids.iter().filter_map(|(_, grid)| *grid).map(Grid::width);
    let style = CellStyle::within(widest.max().unwrap_or(1), view);
    let block = |(caption, grid): &(String, Option<&Grid>)| {
        let mut block = grid.map_or_else(unknown, |grid| grid_block(grid, view, style));
        block.width = block.width.max(caption.chars().count());
        block.lines.insert(0, caption.clone());
        block
    };
    let mut text = String::new();
    flow(&mut text, grids.iter().map(block).collect(), view.width);
    text
}

/// The look of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellStyle {
    /// Digits without colour.
    Digits,
    /// Two characters a cell.
    Wide,
    /// Half a character a cell.
    Half,
}

impl CellStyle {
    fn choose(task: &Task, view: &View) -> CellStyle {
        CellStyle::fitting(widest_pair(task) * 2 + ARROW.chars().count(), view)
    }

    /// The style for grids with this many columns.
    fn within(n_columns: usize, view: &View) -> CellStyle {
        CellStyle::fitting(n_columns * 2, view)
    }

    fn fitting(width: usize, view: &View) -> CellStyle {
        match view.depth {
            Depth::Plain => CellStyle::Digits,
            _ if width <= view.width || view.numbers => CellStyle::Wide,
            _ => CellStyle::Half,
        }
    }

    fn width(self, grid: &Grid) -> usize {
        match self {
            CellStyle::Digits => grid.width() * 2 - 1,
            CellStyle::Wide => grid.width() * 2,
            CellStyle::Half => grid.width(),
        }
    }

    fn lines(self, grid: &Grid, view: &View) -> Vec<String> {
        match self {
            CellStyle::Digits => grid.rows().map(digits).collect(),
            CellStyle::Wide => grid.rows().map(|row| wide_line(row, view)).collect(),
            CellStyle::Half => half_lines(grid, view),
        }
    }
}

/// The most columns that an input and its output have together.
fn widest_pair(task: &Task) -> usize {
    let demos = task
        .demos
        .iter()
        .map(|pair| pair.input.width() + pair.output.width());
    let tests = task
        .tests
        .iter()
        .map(|test| test.input.width() + test.output.as_ref().map_or(1, Grid::width));
    demos.chain(tests).max().unwrap_or(0)
}

fn digits(row: &[u8]) -> String {
    let cells: Vec<String> = row.iter().map(u8::to_string).collect();
    cells.join(" ")
}

fn wide_line(row: &[u8], view: &View) -> String {
    let mut line = String::new();
    let mut last = None;
    for &cell in row {
        let colour = view.palette.colour(cell);
        if last != Some(cell) {
            line += &background(colour, view.depth);
            line += &foreground(colour.ink(), view.depth);
            last = Some(cell);
        }
        if view.numbers {
            line += &format!("{cell} ")
        } else {
            line += "  "
        }
    }
    line + RESET
}

fn half_lines(grid: &Grid, view: &View) -> Vec<String> {
    let rows: Vec<&[u8]> = grid.rows().collect();
    let line = |pair: &[&[u8]]| match pair {
        [above, below] => half_line(above, Some(below), view),
        [above] => half_line(above, None, view),
        _ => String::new(),
    };
    rows.chunks(2).map(line).collect()
}

fn half_line(above: &[u8], below: Option<&[u8]>, view: &View) -> String {
    let mut line = String::new();
    for (j, &cell) in above.iter().enumerate() {
        line += &foreground(view.palette.colour(cell), view.depth);
        match below.and_then(|below| below.get(j)) {
            Some(&cell) => line += &background(view.palette.colour(cell), view.depth),
            None => line += DEFAULT_BACKGROUND,
        }
        line.push('▀');
    }
    line + RESET
}

pub(super) const RESET: &str = "\x1b[0m";
const DEFAULT_BACKGROUND: &str = "\x1b[49m";

pub(super) fn background(colour: Rgb, depth: Depth) -> String {
    escape(48, colour, depth)
}

pub(super) fn foreground(colour: Rgb, depth: Depth) -> String {
    escape(38, colour, depth)
}

fn escape(ground: u8, colour: Rgb, depth: Depth) -> String {
    let Rgb(r, g, b) = colour;
    match depth {
        Depth::True => format!("\x1b[{ground};2;{r};{g};{b}m"),
        Depth::Indexed => format!("\x1b[{ground};5;{}m", colour.indexed()),
        Depth::Plain => String::new(),
    }
}

/// An input, an arrow and an output under their caption.
fn pair_block(
    name: &str,
    input: &Grid,
    output: Option<&Grid>,
    view: &View,
    style: CellStyle,
) -> Block {
    let left = grid_block(input, view, style);
    let right = match output {
        Some(output) => grid_block(output, view, style),
        None => unknown(),
    };
    let mut block = beside(left, right);
    let caption = format!(
        "{name}  {} → {}",
        size(input),
        output.map_or("?".to_owned(), size)
    );
    block.width = block.width.max(caption.chars().count());
    block.lines.insert(0, caption);
    block
}

fn unknown() -> Block {
    Block {
        width: 1,
        lines: vec!["?".to_owned()],
    }
}

fn size(grid: &Grid) -> String {
    format!("{}×{}", grid.height(), grid.width())
}

fn grid_block(grid: &Grid, view: &View, style: CellStyle) -> Block {
    Block {
        width: style.width(grid),
        lines: style.lines(grid, view),
    }
}

/// Two blocks with an arrow between them, the lower one centred.
fn beside(left: Block, right: Block) -> Block {
    let height = left.lines.len().max(right.lines.len());
    let width = left.width + ARROW.chars().count() + right.width;
    let (left, right) = (centred(left, height), centred(right, height));
    let arrow_at = height.saturating_sub(1) / 2;
    let blank = " ".repeat(ARROW.chars().count());
    let rows = left.into_iter().zip(right).enumerate();
    let lines = rows.map(|(k, (left, right))| {
        let middle = if k == arrow_at { ARROW } else { &blank };
        format!("{left}{middle}{right}")
    });
    Block {
        width,
        lines: lines.collect(),
    }
}

fn centred(block: Block, height: usize) -> Vec<String> {
    let blank = " ".repeat(block.width);
    let above = (height - block.lines.len()) / 2;
    let mut lines = vec![blank.clone(); above];
    lines.extend(block.lines);
    lines.resize(height, blank);
    lines
}

/// Puts blocks side by side, and starts a new row when the width is used up.
fn flow(text: &mut String, blocks: Vec<Block>, width: usize) {
    let mut row: Vec<Block> = Vec::new();
    for block in blocks {
        let used: usize = row.iter().map(|block| block.width + GAP).sum();
        if !row.is_empty() && used + block.width > width {
            write_row(text, &row);
            row.clear();
        }
        row.push(block);
    }
    write_row(text, &row);
}

fn write_row(text: &mut String, row: &[Block]) {
    let height = row.iter().map(|block| block.lines.len()).max().unwrap_or(0);
    if height > 0 {
        text.push('\n');
    }
    for k in 0..height {
        let line: Vec<String> = row.iter().map(|block| padded(block, k)).collect();
        let line = line.join(&" ".repeat(GAP));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end_matches(' '));
    }
}

/// A line of a block, filled up to its visible width.
fn padded(block: &Block, k: usize) -> String {
    let line = block.lines.get(k).map_or("", String::as_str);
    let missing = block.width.saturating_sub(visible_width(line));
    format!("{line}{}", " ".repeat(missing))
}

/// The number of characters outside of escape sequences.
fn visible_width(line: &str) -> usize {
    let mut in_escape = false;
    let is_visible = |c: char| {
        let visible = !in_escape && c != '\x1b';
        in_escape = (in_escape || c == '\x1b') && c != 'm';
        visible
    };
    line.chars()
        .map(is_visible)
        .filter(|visible| *visible)
        .count()
}

#[cfg(test)]
mod tests {
    use leyden_grid::{Pair, TaskId, TestCase};

    use super::*;
    use crate::args::PaletteName;

    fn task() -> Task {
        let grid = |rows: &[Vec<u8>]| Grid::from_rows(rows).unwrap();
        let input = grid(&[vec![1, 2], vec![3, 4]]);
        let output = grid(&[vec![1, 2, 2], vec![3, 4, 4], vec![0, 0, 0]]);
        Task {
            id: TaskId::new("0a1b2c3d").unwrap(),
            demos: vec![
                Pair {
                    input: input.clone(),
                    output
                };
                3
            ],
            tests: vec![TestCase {
                input,
                output: None,
            }],
        }
    }

    fn view(depth: Depth, width: usize) -> View {
        View {
            palette: Palette::named(PaletteName::Arc),
            depth,
            numbers: false,
            width,
        }
    }

    #[test]
    fn plain_tasks_are_digits_that_wrap() {
        let expected = "\
0a1b2c3d

train[0]  2×2 → 3×3    train[1]  2×2 → 3×3
1 2     1 2 2          1 2     1 2 2
3 4  →  3 4 4          3 4  →  3 4 4
        0 0 0                  0 0 0

train[2]  2×2 → 3×3
1 2     1 2 2
3 4  →  3 4 4
        0 0 0

test[0]  2×2 → ?
1 2  →  ?
3 4
";
        assert_eq!(render(&task(), &view(Depth::Plain, 50)), expected);
    }

    #[test]
    fn every_line_ends_without_colour_and_within_the_width() {
        for (depth, width) in [
            (Depth::True, 60),
            (Depth::Indexed, 24),
            (Depth::Indexed, 12),
        ] {
            for line in render(&task(), &view(depth, width)).lines() {
                assert!(visible_width(line) <= width.max(19), "{line:?}");
                let last_escape = line.rfind('\x1b').map(|at| &line[at..]);
                assert!(
                    last_escape.is_none_or(|escape| escape.starts_with(RESET)),
                    "{line:?}"
                );
            }
        }
    }

    #[test]
    fn narrow_terminals_get_half_blocks() {
        assert!(render(&task(), &view(Depth::True, 12)).contains('▀'));
        assert!(!render(&task(), &view(Depth::True, 40)).contains('▀'));
    }
}
