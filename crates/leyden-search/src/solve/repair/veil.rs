//! Which cells of the inputs are unknown.

use leyden_grid::{Grid, Puzzle};

use super::partial::{BLACK, Partial, UNKNOWN};

/// The choice of unknown cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Veil {
    /// The cells of a colour.
    Colour(u8),
    /// The blank cells outside the bounding box of drawn ones.
    Outside,
    /// The largest connected part of a colour.
    Largest(u8),
    /// The largest one-coloured part that fills its bounding box.
    Block,
    /// Cells beyond the input, in a larger picture; blank ones, too, if told so.
    Beyond { size: Size, are_blank_unknown: bool },
}

/// The size of larger outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Fixed(usize, usize),
    Times(usize, usize),
}

impl Size {
    fn of(self, grid: &Grid) -> (usize, usize) {
        match self {
            Size::Fixed(height, width) => (height, width),
            Size::Times(rows, columns) => (grid.height() * rows, grid.width() * columns),
        }
    }

    fn text(self) -> String {
        match self {
            Size::Fixed(height, width) => format!("({height}, {width})"),
            Size::Times(rows, columns) => format!("multiply(shape(I), ({rows}, {columns}))"),
        }
    }

    /// The size of the outputs, if they are larger than the inputs.
    fn larger(puzzle: &Puzzle) -> Option<Size> {
        let first = puzzle.demos.first()?;
        let (height, width) = first.output.shape();
        let (rows, columns) = (height / first.input.height(), width / first.input.width());
        let is_right = |size: &Size| {
            let mut pairs = puzzle.demos.iter();
            pairs.all(|pair| size.of(&pair.input) == pair.output.shape())
        };
        let is_larger = |size: &Size| {
            let demos = puzzle.demos.iter().map(|pair| &pair.input);
            let mut inputs = demos.chain(&puzzle.test_inputs);
            inputs.all(|input| {
                let (height, width) = size.of(input);
                let is_enough = height >= input.height() && width >= input.width();
                is_enough && (height, width) != input.shape() && height.max(width) <= 30
            })
        };
        let sizes = [Size::Fixed(height, width), Size::Times(rows, columns)];
        sizes.into_iter().find(|it| is_right(it) && is_larger(it))
    }
}

impl Veil {
    /// The veils that suit a task, with their prices in units of the cost of moves.
    pub(super) fn all(puzzle: &Puzzle) -> Vec<(Veil, u32)> {
        let demos = puzzle.demos.iter();
        let inputs = demos.clone().map(|pair| &pair.input);
        let inputs = inputs.chain(&puzzle.test_inputs);
        let in_all = inputs.fold(u16::MAX, |all, grid| all & grid.palette());
        let out = demos.fold(0, |all, pair| all | pair.output.palette());
        let is_in = |colours: u16| move |colour: &u8| colours >> *colour & 1 == 1;
        let gone = (0..10).filter(is_in(in_all & !out));
        let others = (1..10).filter(is_in(in_all & out));
        let mut veils: Vec<(Veil, u32)> = gone.map(|it| (Veil::Colour(it), 1)).collect();
        if is_in(in_all & out)(&0) {
            veils.extend([(Veil::Colour(0), 1), (Veil::Outside, 2)]);
        }
        if let Some(size) = Size::larger(puzzle) {
            veils.extend([false, true].map(|are_blank_unknown| {
                let beyond = Veil::Beyond {
                    size,
                    are_blank_unknown,
                };
                (beyond, 2)
            }));
        }
        veils.push((Veil::Block, 2));
        veils.extend(others.clone().map(|it| (Veil::Colour(it), 3)));
        veils.extend(others.map(|it| (Veil::Largest(it), 4)));
        veils
    }

    /// The input with unknown cells, if there are some.
    pub(super) fn over(&self, input: &Grid) -> Option<Partial> {
        let cells = input.cells();
        let width = input.width();
        let black = |cell: u8| if cell == 0 { BLACK } else { cell };
        let plain = |cell: &dyn Fn(usize, u8) -> u8| {
            let at = |i: usize, j: usize| cell(i * width + j, cells[i * width + j]);
            Partial::drawn(input.shape(), at)
        };
        match self {
            Veil::Colour(0) => Some(plain(&|_, cell| cell)),
            Veil::Colour(hidden) => Some(plain(&|_, cell| {
                if cell == *hidden {
                    UNKNOWN
                } else {
                    black(cell)
                }
            })),
            Veil::Outside => {
                let (top, left, bottom, right) = bounds(input, |cell| cell != 0)?;
                let is_inside = |k: usize| {
                    let (i, j) = (k / width, k % width);
                    (top..=bottom).contains(&i) && (left..=right).contains(&j)
                };
                Some(plain(&|k, cell| {
                    if is_inside(k) { black(cell) } else { cell }
                }))
            }
            Veil::Largest(_) | Veil::Block => {
                let colour = match self {
                    Veil::Largest(colour) => Some(*colour),
                    _ => None,
                };
                let largest = largest(input, colour)?;
                Some(plain(&|k, cell| {
                    if largest.contains(&k) {
                        UNKNOWN
                    } else {
                        black(cell)
                    }
                }))
            }
            Veil::Beyond {
                size,
                are_blank_unknown,
            } => Some(Partial::drawn(size.of(input), |i, j| {
                match input.get(i, j) {
                    None => UNKNOWN,
                    Some(cell) if *are_blank_unknown => cell,
                    Some(cell) => black(cell),
                }
            })),
        }
    }

    /// The unknown cells as a patch, if they lie in the input.
    pub(super) fn patch(&self) -> Option<String> {
        match self {
            Veil::Colour(colour) => Some(format!("ofcolor(I, {colour})")),
            Veil::Largest(colour) => Some(format!(
                "argmax(colorfilter(objects(I, T, F, F), {colour}), size)"
            )),
            Veil::Block => Some(
                "argmax(sfilter(objects(I, T, F, F), fork(equality, toindices, backdrop)), size)"
                    .to_owned(),
            ),
            Veil::Outside | Veil::Beyond { .. } => None,
        }
    }

    /// The input with unknown cells, in arc-dsl.
    pub(super) fn text(&self) -> String {
        match self {
            Veil::Colour(0) => "I".to_owned(),
            Veil::Colour(colour) => format!("replace(replace(I, 0, 10), {colour}, 0)"),
            Veil::Outside => "fill(I, 10, intersection(ofcolor(I, 0), \
                 backdrop(difference(asindices(I), ofcolor(I, 0)))))"
                .to_owned(),
            Veil::Largest(_) | Veil::Block => format!(
                "fill(replace(I, 0, 10), 0, {})",
                self.patch().unwrap_or_default()
            ),
            Veil::Beyond {
                size,
                are_blank_unknown,
            } => {
                let input = if *are_blank_unknown {
                    "I"
                } else {
                    "replace(I, 0, 10)"
                };
                format!("paint(canvas(0, {}), asobject({input}))", size.text())
            }
        }
    }
}

/// The first and last row and column of cells, as top, left, bottom and right.
pub(super) fn bounds(
    grid: &Grid,
    is_wanted: impl Fn(u8) -> bool,
) -> Option<(usize, usize, usize, usize)> {
    let width = grid.width();
    let mut bounds: Option<(usize, usize, usize, usize)> = None;
    for (k, cell) in grid.cells().iter().enumerate() {
        if is_wanted(*cell) {
            let (i, j) = (k / width, k % width);
            let (top, left, bottom, right) = bounds.unwrap_or((i, j, i, j));
            bounds = Some((top.min(i), left.min(j), bottom.max(i), right.max(j)));
        }
    }
    bounds
}

/// The cells of the largest connected part of a colour, if no other is as large. Without a colour,
/// that of the one-coloured parts that fill their bounding boxes.
fn largest(grid: &Grid, colour: Option<u8>) -> Option<Vec<usize>> {
    let (cells, width) = (grid.cells(), grid.width());
    let is_wanted = |cell: &u8| colour.is_none_or(|colour| *cell == colour);
    let mut is_open: Vec<bool> = cells.iter().map(is_wanted).collect();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for start in 0..cells.len() {
        if !std::mem::take(&mut is_open[start]) {
            continue;
        }
        let mut part = vec![start];
        let mut n_seen = 0;
        while n_seen < part.len() {
            let at = part[n_seen];
            n_seen += 1;
            let column = at % width;
            let beside = [
                at.checked_sub(width),
                (at + width < cells.len()).then_some(at + width),
                (column > 0).then(|| at - 1),
                (column + 1 < width).then_some(at + 1),
            ];
            for next in beside.into_iter().flatten() {
                if cells[next] == cells[start] && std::mem::take(&mut is_open[next]) {
                    part.push(next);
                }
            }
        }
        if colour.is_some() || is_box(&part, width) {
            parts.push(part);
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let is_unique = parts.len() < 2 || parts[0].len() > parts[1].len();
    let largest = parts.into_iter().next()?;
    is_unique.then_some(largest)
}

/// Whether cells fill their bounding box.
fn is_box(part: &[usize], width: usize) -> bool {
    let rows = || part.iter().map(|at| at / width);
    let columns = || part.iter().map(|at| at % width);
    let side = |min: Option<usize>, max: Option<usize>| Some(max? - min? + 1);
    let height = side(rows().min(), rows().max());
    let width = side(columns().min(), columns().max());
    height.zip(width).is_some_and(|(h, w)| h * w == part.len())
}
