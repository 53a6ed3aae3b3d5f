//! Budgets hold on puzzles with hundreds of pairs, and a program that fits, fits all of them.

#![allow(clippy::unwrap_used)]

use leyden_dsl::meter::CancelToken;
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::{Program, parse};
use leyden_search::evolve::{Evolution, Settings};
use leyden_search::solve::{Effort, Known, Moves, Solution, solve};

const N_PAIRS: usize = 200;
/// Fuel that finds a mirror on a few pairs, but is not enough for all moves on all pairs.
const FUEL: u64 = 20_000_000;
/// The search checks its fuel after each program, which may take this much.
const ONE_RUN: u64 = 1_000_000;

fn grid(k: usize) -> Grid {
    let cell = |at: usize| ((at * 7 + k * at * at + k) % 5) as u8;
    let rows: Vec<Vec<u8>> = (0..6)
        .map(|i| (0..7).map(|j| cell(7 * i + j)).collect())
        .collect();
    Grid::from_rows(&rows).unwrap()
}

fn mirrored(grid: &Grid) -> Grid {
    let rows = grid.rows().map(|row| row.iter().rev().copied().collect());
    Grid::from_rows(&rows.collect::<Vec<Vec<u8>>>()).unwrap()
}

/// Outputs are mirrored inputs, except for that of one pair.
fn puzzle(odd_one: Option<usize>) -> Puzzle {
    let pair = |k: usize| Pair {
        input: grid(k),
        output: if odd_one == Some(k) {
            grid(k + 1)
        } else {
            mirrored(&grid(k))
        },
    };
    Puzzle {
        id: "0a1b2c3d".parse().unwrap(),
        demos: (0..N_PAIRS).map(pair).collect(),
        test_inputs: (N_PAIRS..N_PAIRS + 20).map(grid).collect(),
    }
}

fn solved(puzzle: &Puzzle, fuel: u64) -> Solution {
    let effort = Effort {
        fuel,
        ..Effort::default()
    };
    solve(&Moves::own().unwrap(), &Known::nothing(), puzzle, &effort)
}

#[test]
fn a_search_spends_no_more_fuel_than_it_has() {
    for fuel in [1_000, FUEL] {
        let solution = solved(&puzzle(None), fuel);
        assert!(
            solution.fuel < fuel + ONE_RUN,
            "{} of {fuel}",
            solution.fuel
        );
    }
}

#[test]
fn what_fits_some_pairs_is_checked_on_all() {
    let (whole, odd) = (solved(&puzzle(None), FUEL), solved(&puzzle(Some(1)), FUEL));
    for (solution, n_right) in [(whole, N_PAIRS), (odd, N_PAIRS - 1)] {
        assert_eq!(solution.attempts.len(), 20);
        for (test, attempts) in solution.attempts.iter().enumerate() {
            assert_eq!(attempts[0].grid, mirrored(&grid(N_PAIRS + test)));
            assert_eq!(attempts[0].n_demos, n_right);
        }
    }
}

#[test]
fn a_search_on_some_pairs_can_be_repeated() {
    let texts = || {
        let solution = solved(&puzzle(Some(77)), FUEL);
        let attempts = solution.attempts.into_iter().flatten();
        let texts: Vec<String> = attempts.map(|it| it.program.to_string()).collect();
        (texts, solution.fuel, solution.n_states)
    };
    assert_eq!(texts(), texts());
}

fn library() -> Vec<Program> {
    let source = "
def solve_11111111(I):
    return vmirror(I)

def solve_22222222(I):
    return hmirror(I)

def solve_33333333(I):
    return vconcat(I, I)
";
    parse(source, "library.py", None).unwrap()
}

#[test]
fn a_round_tries_programs_on_some_pairs_and_what_is_right_on_all() {
    for (odd_one, fits) in [(None, true), (Some(1), false)] {
        let puzzles = [puzzle(odd_one)];
        let mut evolution = Evolution::new(&puzzles, library(), Settings::default()).unwrap();
        let round = evolution.round(1, &CancelToken::new()).unwrap();
        let best = evolution.best(0).unwrap();
        assert_eq!(best.strain.program.name, "solve_11111111");
        assert_eq!((best.fits(), best.marks.len()), (fits, N_PAIRS));
        assert_eq!(round.fitted.len(), usize::from(fits));
        let n_evaluations = evolution.totals().tally.evaluations;
        assert!(n_evaluations <= (N_PAIRS + 2 * 6) as u64, "{n_evaluations}");
    }
}
