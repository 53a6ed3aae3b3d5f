//! Views of a task that name colours by their role: for example, the most frequent colour becomes 0
//! in every picture. A program found there works on pictures in other colours.

use std::sync::OnceLock;

use leyden_dsl::table::Prim;
use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::{Input, Operand, Program};

use super::chain::{Weaver, program_of};

/// The cost of a swap of colours.
const SWAP_COST: u32 = 2;

/// The views of a task, except for the plain one. Two colours trade places: that of a role, in
/// arc-dsl over the picture so far, and a fixed one.
const VIEWS: &[&[(&str, u8)]] = &[
    &[("mostcolor(I)", 0)],
    &[
        ("mostcolor(I)", 0),
        ("color(argmax(fgpartition(I), size))", 1),
        ("color(argmin(fgpartition(I), size))", 2),
    ],
];

/// A role that a colour can have.
struct Role {
    /// The program that gives the colour.
    program: Program,
    /// The program that gives a picture of it.
    shown: Program,
    becomes: u8,
}

/// A view of a task.
pub(crate) struct View {
    pub(crate) puzzle: Puzzle,
    pub(crate) cost: u32,
    roles: &'static [Role],
    /// For each test input, the swaps from first to last.
    swaps: Vec<Vec<(u8, u8)>>,
}

impl View {
    /// The unchanged task.
    pub(crate) fn plain(puzzle: &Puzzle) -> View {
        View {
            puzzle: puzzle.clone(),
            cost: 0,
            roles: &[],
            swaps: vec![Vec::new(); puzzle.test_inputs.len()],
        }
    }

    /// The unchanged task, then other views that show something new.
    pub(crate) fn all(puzzle: &Puzzle) -> Vec<View> {
        let mut views = vec![View::plain(puzzle)];
        for roles in roles() {
            if let Some(view) = View::new(puzzle, roles)
                && views.iter().all(|known| known.puzzle != view.puzzle)
            {
                views.push(view);
            }
        }
        views
    }

    /// Makes a view; `None` if it recolours all pictures alike and leaves the background.
    fn new(puzzle: &Puzzle, roles: &'static [Role]) -> Option<View> {
        let demos: Option<Vec<Swaps>> = puzzle
            .demos
            .iter()
            .map(|p| swaps(roles, &p.input))
            .collect();
        let tests: Option<Vec<Swaps>> =
            puzzle.test_inputs.iter().map(|i| swaps(roles, i)).collect();
        let (demos, tests) = (demos?, tests?);
        let first = palette(demos.first()?);
        let mut all = demos.iter().chain(&tests);
        if first[0] == 0 && all.all(|swaps| palette(swaps) == first) {
            return None;
        }
        let pairs = puzzle.demos.iter().zip(&demos);
        let inputs = puzzle.test_inputs.iter().zip(&tests);
        Some(View {
            puzzle: Puzzle {
                id: puzzle.id.clone(),
                demos: pairs
                    .map(|(pair, swaps)| Pair {
                        input: recoloured(&pair.input, &palette(swaps)),
                        output: recoloured(&pair.output, &palette(swaps)),
                    })
                    .collect(),
                test_inputs: inputs
                    .map(|(input, swaps)| recoloured(input, &palette(swaps)))
                    .collect(),
            },
            cost: SWAP_COST * roles.len() as u32,
            roles,
            swaps: tests,
        })
    }

    /// Translates an answer to a test input into the colours of the task.
    pub(crate) fn back(&self, test: usize, answer: &Grid) -> Grid {
        let undone: Swaps = self.swaps[test].iter().rev().copied().collect();
        recoloured(answer, &palette(&undone))
    }

    /// Turns a program for this view into one for the task.
    pub(crate) fn program(&self, program: Program) -> Program {
        if self.roles.is_empty() {
            return program;
        }
        let mut weaver = Weaver::new();
        let mut picture = Operand::Input(Input::I);
        let mut swaps = Vec::new();
        for role in self.roles {
            let colour = weaver.append(&role.program, picture);
            let swap = [colour, Operand::Int(i64::from(role.becomes))];
            picture = weaver.call(Prim::switch, vec![picture, swap[0], swap[1]]);
            swaps.push(swap);
        }
        let output = weaver.append(&program, picture);
        let swaps = swaps.iter().rev();
        let output = swaps.fold(output, |output, swap| {
            weaver.call(Prim::switch, vec![output, swap[0], swap[1]])
        });
        weaver.finish(program.name, output)
    }
}

/// Pairs of colours that trade places, one after the other.
type Swaps = Vec<(u8, u8)>;

fn roles() -> &'static [Vec<Role>] {
    static ROLES: OnceLock<Vec<Vec<Role>>> = OnceLock::new();
    let view = |roles: &&[(&str, u8)]| roles.iter().filter_map(role).collect();
    ROLES.get_or_init(|| VIEWS.iter().map(view).collect())
}

fn role((text, becomes): &(&str, u8)) -> Option<Role> {
    Some(Role {
        program: program_of("role", text)?,
        shown: program_of("role", &format!("canvas({text}, UNITY)"))?,
        becomes: *becomes,
    })
}

/// Finds the swaps for some roles.
fn swaps(roles: &[Role], grid: &Grid) -> Option<Swaps> {
    let engine = Engine::default();
    let mut grid = grid.clone();
    let mut swaps = Swaps::new();
    for role in roles {
        let Outcome::Grid(shown) = engine.run(&role.shown, &Sample::of(&grid)) else {
            return None;
        };
        let swap = (*shown.to_grid()?.cells().first()?, role.becomes);
        grid = recoloured(&grid, &palette(&[swap]));
        swaps.push(swap);
    }
    Some(swaps)
}

/// The new colour of each colour.
fn palette(swaps: &[(u8, u8)]) -> [u8; 10] {
    let mut palette: [u8; 10] = std::array::from_fn(|colour| colour as u8);
    for (a, b) in swaps {
        for colour in &mut palette {
            *colour = match *colour {
                c if c == *a => *b,
                c if c == *b => *a,
                c => c,
            };
        }
    }
    palette
}

fn recoloured(grid: &Grid, palette: &[u8; 10]) -> Grid {
    let colour = |cell: &u8| palette.get(usize::from(*cell)).copied().unwrap_or(*cell);
    let cells: Vec<u8> = grid.cells().iter().map(colour).collect();
    Grid::from_cells(grid.height(), grid.width(), &cells).unwrap_or_else(|_| grid.clone())
}
