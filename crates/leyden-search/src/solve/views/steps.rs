//! The steps of views, in arc-dsl, and the order in which to try them.

use leyden_grid::{Grid, Puzzle};

use super::super::price::Tenths;

/// The cost of a swap of colours.
const SWAP_COST: Tenths = 30;
/// The cost of a turn, which chooses among some marks, and of another one by that mark.
const TURN_COST: Tenths = 75;
const NEXT_TURN_COST: Tenths = 15;
/// The largest number of colours to turn by: with more, colours are no marks.
const MAX_MARKS: usize = 5;

/// Marks other than the cells of a colour, in arc-dsl.
const MARKS: [&str; 5] = [
    "argmax(objects(I, T, F, T), size)",
    "argmin(objects(I, T, F, T), size)",
    "difference(asindices(I), ofcolor(I, 0))",
    "asindices(I)",
    "merge(frontiers(I))",
];

/// A step from a picture to its view.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A colour, in arc-dsl over the picture so far, trades places with a fixed one.
    Swap(String, u8),
    /// The picture is mirrored if a condition in arc-dsl holds.
    Turn(String, Mirror),
}

/// A mirror. It undoes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mirror {
    UpsideDown,
    LeftRight,
    Diagonal,
}

impl Mirror {
    pub(super) fn text(self) -> &'static str {
        match self {
            Mirror::UpsideDown => "hmirror",
            Mirror::LeftRight => "vmirror",
            Mirror::Diagonal => "dmirror",
        }
    }

    pub(super) fn of(self, grid: &Grid) -> Grid {
        let (h, w) = grid.shape();
        let size = match self {
            Mirror::Diagonal => (w, h),
            _ => (h, w),
        };
        let source = |i: usize, j: usize| match self {
            Mirror::UpsideDown => (h - 1 - i, j),
            Mirror::LeftRight => (i, w - 1 - j),
            Mirror::Diagonal => (j, i),
        };
        let places = (0..size.0).flat_map(|i| (0..size.1).map(move |j| source(i, j)));
        let cells: Vec<u8> = places.map(|(i, j)| grid.cells()[i * w + j]).collect();
        Grid::from_cells(size.0, size.1, &cells).unwrap_or_else(|_| grid.clone())
    }
}

/// The steps of a view, with their cost.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) cost: Tenths,
}

/// Views that name colours by their role.
pub(super) fn of_colours(puzzle: &Puzzle) -> Vec<Plan> {
    let swap = |colour: &str, becomes| Step::Swap(colour.to_owned(), becomes);
    let mut all = vec![
        vec![swap("mostcolor(I)", 0)],
        vec![
            swap("mostcolor(I)", 0),
            swap("color(argmax(fgpartition(I), size))", 1),
            swap("color(argmin(fgpartition(I), size))", 2),
        ],
    ];
    all.extend(changing(puzzle));
    let plan = |steps: Vec<Step>| Plan {
        cost: SWAP_COST * steps.len() as Tenths,
        steps,
    };
    all.into_iter().map(plan).collect()
}

/// Names the colours that not all inputs have: the most and the least frequent of them.
fn changing(puzzle: &Puzzle) -> Option<Vec<Step>> {
    let demos = puzzle.demos.iter().map(|pair| &pair.input);
    let palettes: Vec<u16> = demos
        .chain(&puzzle.test_inputs)
        .map(Grid::palette)
        .collect();
    let common = palettes.iter().fold(u16::MAX, |all, it| all & it);
    let used = palettes.iter().fold(0, |all, it| all | it);
    let numbers = palettes.iter().map(|it| (it & !common).count_ones());
    let n_changing = numbers.clone().min()?;
    if n_changing == 0 || numbers.max()? > 2 {
        return None;
    }
    // Two free colours take their place, or those that come first among the changing ones.
    let free = (1..10_u8).filter(|c| used >> c & 1 == 0);
    let changing = (1..10_u8).filter(|c| (used & !common) >> c & 1 == 1);
    let mut names = free.chain(changing);
    let known: String = (0..10)
        .filter(|c| common >> c & 1 == 1)
        .map(|c| format!("{c}, "))
        .collect();
    let cells =
        format!("sfilter(asobject(I), compose(flip, compose(rbind(contained, ({known})), first)))");
    let mut steps = vec![Step::Swap(format!("mostcolor({cells})"), names.next()?)];
    if n_changing == 2 {
        steps.push(Step::Swap(format!("leastcolor({cells})"), names.next()?));
    }
    Some(steps)
}

/// Views that turn pictures so that a mark is on top, to the left, or lies flat.
pub(super) fn of_turns(puzzle: &Puzzle) -> Vec<Plan> {
    let mut marks: Vec<String> = colours_of_all(puzzle)
        .map(|c| format!("ofcolor(I, {c})"))
        .collect();
    if marks.len() > MAX_MARKS {
        marks.clear();
    }
    marks.extend(MARKS.map(str::to_owned));
    let plan = |steps: Vec<Step>| Plan {
        cost: TURN_COST + NEXT_TURN_COST * (steps.len() as Tenths - 1),
        steps,
    };
    let mut plans: Vec<Plan> = marks.iter().flat_map(|it| turns(it)).map(plan).collect();
    plans.sort_by_key(|plan| plan.cost);
    plans
}

fn turns(mark: &str) -> [Vec<Step>; 5] {
    let flat = Step::Turn(format!("portrait({mark})"), Mirror::Diagonal);
    let top = Step::Turn(
        format!("greater(add(uppermost({mark}), lowermost({mark})), height(I))"),
        Mirror::UpsideDown,
    );
    let left = Step::Turn(
        format!("greater(add(leftmost({mark}), rightmost({mark})), width(I))"),
        Mirror::LeftRight,
    );
    [
        vec![flat.clone()],
        vec![top.clone()],
        vec![left.clone()],
        vec![flat, top.clone()],
        vec![top, left],
    ]
}

/// The colours that all inputs have, without 0.
fn colours_of_all(puzzle: &Puzzle) -> impl Iterator<Item = u8> {
    let demos = puzzle.demos.iter().map(|pair| &pair.input);
    let inputs = demos.chain(&puzzle.test_inputs);
    let common = inputs.fold(u16::MAX, |all, it| all & it.palette());
    (1..10_u8).filter(move |c| common >> c & 1 == 1)
}

/// How far the demonstrations agree about the direction from the drawn cells to the changed ones:
/// 1 if it is one direction. `None` if that says nothing.
pub(super) fn agreement(puzzle: &Puzzle) -> Option<f64> {
    let mut sum = (0.0, 0.0);
    for pair in &puzzle.demos {
        let (i, j) = direction(&pair.input, &pair.output)?;
        let length = (i * i + j * j).sqrt();
        if length < 1e-9 {
            return None;
        }
        sum = (sum.0 + i / length, sum.1 + j / length);
    }
    let n = puzzle.demos.len() as f64;
    (n > 0.0).then(|| (sum.0 * sum.0 + sum.1 * sum.1).sqrt() / n)
}

/// The way from the middle of the drawn cells of the input to that of the newly drawn ones.
fn direction(input: &Grid, output: &Grid) -> Option<(f64, f64)> {
    if input.shape() != output.shape() {
        return None;
    }
    let w = input.width();
    let middle = |is_meant: &dyn Fn(usize) -> bool| {
        let places = (0..input.cells().len()).filter(|k| is_meant(*k));
        let (n, i, j) = places.fold((0.0, 0.0, 0.0), |(n, i, j), k| {
            (n + 1.0, i + (k / w) as f64, j + (k % w) as f64)
        });
        (n > 0.0).then(|| (i / n, j / n))
    };
    let before = middle(&|k| input.cells()[k] != 0)?;
    let new = middle(&|k| output.cells()[k] != 0 && output.cells()[k] != input.cells()[k])?;
    Some((new.0 - before.0, new.1 - before.1))
}
