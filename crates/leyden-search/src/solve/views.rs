//! Views of a task that name colours by their role or turn pictures by a mark in them: for example,
//! the most frequent colour becomes 0 in every picture, or every picture is mirrored so that its
//! largest object is on top. A program found there works on pictures in other colours and
//! directions.

mod steps;
#[cfg(test)]
mod tests;

use leyden_dsl::table::Prim;
use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::{Input, Op, Operand, Program};

use super::chain::{Weaver, program_of};
use super::price::Tenths;
use steps::{Mirror, Plan, Step};

/// The number of views that turn pictures.
const MAX_TURNED: usize = 2;
/// How much more the demonstrations must agree about a direction in a turned view.
const MORE_AGREEMENT: f64 = 0.3;

/// A view of a task.
pub(crate) struct View {
    pub(crate) puzzle: Puzzle,
    pub(crate) cost: Tenths,
    steps: Vec<Ready>,
    /// For each test input, the changes from first to last.
    changes: Vec<Vec<Change>>,
}

/// A change of one picture. It undoes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Swap(u8, u8),
    Turn(Option<Mirror>),
}

impl Change {
    fn of(self, grid: &Grid) -> Grid {
        match self {
            Change::Swap(a, b) => swapped(grid, a, b),
            Change::Turn(Some(mirror)) => mirror.of(grid),
            Change::Turn(None) => grid.clone(),
        }
    }
}

/// A step that is ready to run.
struct Ready {
    step: Step,
    /// The program that gives a colour, or a function that mirrors or does nothing.
    value: Program,
    /// The program that gives a cell in that colour, or in colour 1 if the function mirrors.
    shown: Program,
}

impl Ready {
    fn new(step: &Step) -> Option<Ready> {
        let (value, shown) = match step {
            Step::Swap(colour, _) => (colour.clone(), format!("canvas({colour}, UNITY)")),
            Step::Turn(condition, mirror) => (
                format!("branch({condition}, {}, identity)", mirror.text()),
                format!("canvas(branch({condition}, 1, 0), UNITY)"),
            ),
        };
        Some(Ready {
            step: step.clone(),
            value: program_of("step", &value)?,
            shown: program_of("step", &shown)?,
        })
    }

    fn change(&self, grid: &Grid) -> Option<Change> {
        let Outcome::Grid(shown) = Engine::default().run(&self.shown, &Sample::of(grid)) else {
            return None;
        };
        let cell = *shown.to_grid()?.cells().first()?;
        Some(match self.step {
            Step::Swap(_, becomes) => Change::Swap(cell, becomes),
            Step::Turn(_, mirror) => Change::Turn((cell == 1).then_some(mirror)),
        })
    }
}

impl View {
    /// The unchanged task.
    pub(crate) fn plain(puzzle: &Puzzle) -> View {
        View {
            puzzle: puzzle.clone(),
            cost: 0,
            steps: Vec::new(),
            changes: vec![Vec::new(); puzzle.test_inputs.len()],
        }
    }

    /// The unchanged task, then other views that show something new, the cheapest first.
    pub(crate) fn all(puzzle: &Puzzle) -> Vec<View> {
        let mut views = vec![View::plain(puzzle)];
        for plan in steps::of_colours(puzzle) {
            add(&mut views, View::new(puzzle, &plan));
        }
        let n_before = views.len();
        for plan in steps::of_turns(puzzle) {
            let view = View::new(puzzle, &plan);
            add(&mut views, view.filter(|it| it.is_in_line(puzzle)));
            if views.len() - n_before == MAX_TURNED {
                break;
            }
        }
        views.sort_by_key(|view| view.cost);
        views
    }

    /// Makes a view; `None` if it changes all pictures alike and leaves the background.
    fn new(puzzle: &Puzzle, plan: &Plan) -> Option<View> {
        let steps: Option<Vec<Ready>> = plan.steps.iter().map(Ready::new).collect();
        let steps = steps?;
        let changes = |grid: &Grid| changes(&steps, grid);
        let demos: Option<Vec<_>> = puzzle.demos.iter().map(|it| changes(&it.input)).collect();
        let tests: Option<Vec<_>> = puzzle.test_inputs.iter().map(changes).collect();
        let (demos, tests) = (demos?, tests?);
        let first = demos.first()?;
        let mut all = demos.iter().chain(&tests);
        if palette(first)[0] == 0 && all.all(|it| is_alike(it, first)) {
            return None;
        }
        let pairs = puzzle.demos.iter().zip(&demos);
        let inputs = puzzle.test_inputs.iter().zip(&tests);
        let pair = |(pair, changes): (&Pair, &Vec<Change>)| Pair {
            input: changed(&pair.input, changes),
            output: changed(&pair.output, changes),
        };
        Some(View {
            puzzle: Puzzle {
                id: puzzle.id.clone(),
                demos: pairs.map(pair).collect(),
                test_inputs: inputs.map(|(grid, it)| changed(grid, it)).collect(),
            },
            cost: plan.cost,
            steps,
            changes: tests,
        })
    }

    /// Whether the demonstrations agree more about the direction in which outputs differ from
    /// inputs than those of the puzzle do.
    fn is_in_line(&self, puzzle: &Puzzle) -> bool {
        match (steps::agreement(&self.puzzle), steps::agreement(puzzle)) {
            (Some(ours), Some(theirs)) => ours > theirs + MORE_AGREEMENT,
            _ => false,
        }
    }

    /// Translates an answer to a test input back for the task.
    pub(crate) fn back(&self, test: usize, answer: &Grid) -> Grid {
        let undone: Vec<Change> = self.changes[test].iter().rev().copied().collect();
        changed(answer, &undone)
    }

    /// Turns a program for this view into one for the task.
    pub(crate) fn program(&self, program: Program) -> Program {
        if self.steps.is_empty() {
            return program;
        }
        let mut weaver = Weaver::new();
        let mut picture = Operand::Input(Input::I);
        let mut ops = Vec::new();
        for step in &self.steps {
            let value = weaver.append(&step.value, picture);
            let op = move |picture| match step.step {
                Step::Swap(_, becomes) => Op::Call {
                    callee: Operand::Prim(Prim::switch),
                    args: vec![picture, value, Operand::Int(i64::from(becomes))],
                },
                Step::Turn(..) => Op::Call {
                    callee: value,
                    args: vec![picture],
                },
            };
            picture = weaver.push(op(picture));
            ops.push(op);
        }
        let output = weaver.append(&program, picture);
        let output = ops.iter().rev().fold(output, |it, op| weaver.push(op(it)));
        weaver.finish(program.name, output)
    }
}

fn add(views: &mut Vec<View>, view: Option<View>) {
    if let Some(view) = view
        && views.iter().all(|known| known.puzzle != view.puzzle)
    {
        views.push(view);
    }
}

/// Finds the changes that some steps make.
fn changes(steps: &[Ready], grid: &Grid) -> Option<Vec<Change>> {
    let mut grid = grid.clone();
    let mut changes = Vec::new();
    for step in steps {
        let change = step.change(&grid)?;
        grid = change.of(&grid);
        changes.push(change);
    }
    Some(changes)
}

fn changed(grid: &Grid, changes: &[Change]) -> Grid {
    let first = grid.clone();
    changes.iter().fold(first, |grid, change| change.of(&grid))
}

/// Whether two lists of changes do the same to every picture.
fn is_alike(a: &[Change], b: &[Change]) -> bool {
    let turns = |changes: &[Change]| -> Vec<Change> {
        let turns = changes.iter().filter(|it| matches!(it, Change::Turn(_)));
        turns.copied().collect()
    };
    palette(a) == palette(b) && turns(a) == turns(b)
}

/// The new colour of each colour.
fn palette(changes: &[Change]) -> [u8; 10] {
    let mut palette: [u8; 10] = std::array::from_fn(|colour| colour as u8);
    for change in changes {
        if let Change::Swap(a, b) = change {
            palette = palette.map(|colour| other(colour, *a, *b));
        }
    }
    palette
}

fn other(colour: u8, a: u8, b: u8) -> u8 {
    match colour {
        c if c == a => b,
        c if c == b => a,
        c => c,
    }
}

fn swapped(grid: &Grid, a: u8, b: u8) -> Grid {
    let cells: Vec<u8> = grid.cells().iter().map(|cell| other(*cell, a, b)).collect();
    Grid::from_cells(grid.height(), grid.width(), &cells).unwrap_or_else(|_| grid.clone())
}
