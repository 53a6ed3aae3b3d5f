//! A program for a view, run through the view, against the program for the task.

use leyden_exec::{Engine, Outcome, Sample};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::chain::program_of;
use super::*;

/// Inputs with a few coloured cells on black.
fn inputs(seed: u64) -> Vec<Grid> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    let mut all = Vec::new();
    for extra in [4, 6, 7, 8] {
        let (h, w) = (3 + below(5), 3 + below(5));
        let mut cells = vec![0_u8; h * w];
        for colour in [1, 1, 2, extra] {
            cells[below(h * w)] = colour;
        }
        all.push(Grid::from_cells(h, w, &cells).unwrap());
    }
    all
}

fn puzzle(seed: u64) -> Puzzle {
    let mut inputs = inputs(seed);
    let test = inputs.pop().unwrap();
    let pair = |input: Grid| Pair {
        output: input.clone(),
        input,
    };
    Puzzle {
        id: "some".parse().unwrap(),
        demos: inputs.into_iter().map(pair).collect(),
        test_inputs: vec![test],
    }
}

fn run(program: &Program, input: &Grid) -> Grid {
    match Engine::default().run(program, &Sample::of(input)) {
        Outcome::Grid(grid) => grid.to_grid().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_for_a_view_gives_the_answer_of_the_view() {
    let moves = ["rot90(I)", "tophalf(I)", "replace(I, 1, 3)", "dmirror(I)"];
    let (mut n_coloured, mut n_turned) = (0, 0);
    for seed in 0..40 {
        let puzzle = puzzle(seed);
        let coloured = steps::of_colours(&puzzle);
        let n = coloured.len();
        let plans = coloured.into_iter().chain(steps::of_turns(&puzzle));
        for (k, plan) in plans.enumerate() {
            let Some(view) = View::new(&puzzle, &plan) else {
                continue;
            };
            for text in moves {
                let program = program_of("some", text).unwrap();
                let seen = view.back(0, &run(&program, &view.puzzle.test_inputs[0]));
                let alone = run(&view.program(program), &puzzle.test_inputs[0]);
                assert_eq!(seen, alone, "{text} in {:?}", plan.steps);
            }
            if k < n {
                n_coloured += 1;
            } else {
                n_turned += 1;
            }
        }
    }
    assert!(
        n_coloured > 20 && n_turned > 100,
        "{n_coloured}, {n_turned}"
    );
}

#[test]
fn views_turn_pictures_where_that_brings_changes_into_one_direction() {
    let rows = |rows: &[&[u8]]| {
        let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
        Grid::from_rows(&rows).unwrap()
    };
    let pair = |input: &[&[u8]], output: &[&[u8]]| Pair {
        input: rows(input),
        output: rows(output),
    };
    // A cell flows away from the wall, which is on another side each time.
    let puzzle = Puzzle {
        id: "some".parse().unwrap(),
        demos: vec![
            pair(
                &[&[5, 1, 0, 0], &[5, 0, 0, 0]],
                &[&[5, 1, 1, 1], &[5, 0, 0, 0]],
            ),
            pair(
                &[&[0, 0, 0, 5], &[0, 0, 1, 5]],
                &[&[0, 0, 0, 5], &[1, 1, 1, 5]],
            ),
        ],
        test_inputs: vec![rows(&[&[0, 0, 1, 5]])],
    };
    let views = View::all(&puzzle);
    let turned = |view: &&View| matches!(view.changes[0].first(), Some(Change::Turn(_)));
    assert!(views.iter().any(|view| turned(&view)));
    assert!(steps::agreement(&puzzle).unwrap() < 0.5);
}
