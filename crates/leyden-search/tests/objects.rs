//! The search learns rules for objects that know each other.

#![allow(clippy::unwrap_used)]

use leyden_grid::{Grid, Pair, Puzzle, TaskId};
use leyden_search::solve::{Attempt, Effort, Known, Moves, Parts, solve};

/// A grid of rows of digits; a dot is a 0.
fn grid(rows: &str) -> Grid {
    let digit = |c: char| c.to_digit(10).unwrap_or(0) as u8;
    let rows: Vec<Vec<u8>> = rows
        .split_whitespace()
        .map(|row| row.chars().map(digit).collect())
        .collect();
    Grid::from_rows(&rows).unwrap()
}

/// The attempts of rules for objects alone.
fn attempts(demos: &[(&str, &str)], test: &str, fuel: u64) -> Vec<Attempt> {
    let demo = |(input, output): &(&str, &str)| Pair {
        input: grid(input),
        output: grid(output),
    };
    let puzzle = Puzzle {
        id: TaskId::new("0a1b2c3d").unwrap(),
        demos: demos.iter().map(demo).collect(),
        test_inputs: vec![grid(test)],
    };
    let effort = Effort {
        parts: Parts {
            moves: false,
            lists: false,
            compose: false,
            induce: false,
            views: false,
            ..Parts::default()
        },
        fuel,
        ..Effort::default()
    };
    let mut solution = solve(&Moves::own().unwrap(), &Known::nothing(), &puzzle, &effort);
    solution.attempts.remove(0)
}

/// The first answer reproduces all demonstrations and is right.
#[track_caller]
fn check(demos: &[(&str, &str)], test: &str, answer: &str) {
    let attempts = attempts(demos, test, u64::MAX);
    let first = attempts.first().map(|it| (it.n_demos, it.grid.clone()));
    assert_eq!(first, Some((demos.len(), grid(answer))), "{attempts:?}");
}

/// Rows of 8 cells.
fn rows(cells: &[&str]) -> String {
    cells.join(" ")
}

#[test]
fn objects_fall_until_something_is_in_the_way() {
    let first = (
        rows(&[
            "..3.....", "......4.", "........", "........", "222.....", "........",
        ]),
        rows(&[
            "........", "........", "........", "..3.....", "222.....", "......4.",
        ]),
    );
    let second = (
        rows(&[
            "........", "4...3...", "........", "........", "....2222", "........",
        ]),
        rows(&[
            "........", "........", "........", "....3...", "....2222", "4.......",
        ]),
    );
    check(
        &[(&first.0, &first.1), (&second.0, &second.1)],
        &rows(&[
            "...4....", ".3....3.", "........", "..222...", "........", "........",
        ]),
        &rows(&[
            "........", "........", "...4....", "..222...", "........", ".3....3.",
        ]),
    );
}

#[test]
fn objects_take_the_colour_of_what_they_surround() {
    let first = (
        rows(&[
            "111.....", "1.1.....", "141.....", "111.111.", "....131.", "....111.",
        ]),
        rows(&[
            "444.....", "4.4.....", "444.....", "444.333.", "....333.", "....333.",
        ]),
    );
    let second = (
        rows(&["..1111..", "..1.21..", "..1111..", "........"]),
        rows(&["..2222..", "..2.22..", "..2222..", "........"]),
    );
    check(
        &[(&first.0, &first.1), (&second.0, &second.1)],
        &rows(&[
            "111.....", "161.....", "111.....", "........", "..11111.", "..18..1.", "..11111.",
        ]),
        &rows(&[
            "666.....", "666.....", "666.....", "........", "..88888.", "..88..8.", "..88888.",
        ]),
    );
}

#[test]
fn a_pattern_is_stamped_around_markers() {
    let first = (
        rows(&[
            "........", "........", "..5.....", "........", ".....7..", "........", "........",
        ]),
        rows(&[
            "........", "..2.....", ".353....", "..2.....", ".....7..", "........", "........",
        ]),
    );
    let second = (
        rows(&[
            "........", ".....5..", "........", "........", "..5.....", "........", "........",
        ]),
        rows(&[
            ".....2..", "....353.", ".....2..", "..2.....", ".353....", "..2.....", "........",
        ]),
    );
    check(
        &[(&first.0, &first.1), (&second.0, &second.1)],
        &rows(&[
            ".......5", "........", "........", "...5....", "........", "7.......", "........",
        ]),
        &rows(&[
            "......35", ".......2", "...2....", "..353...", "...2....", "7.......", "........",
        ]),
    );
}

#[test]
fn fuel_bounds_the_learning_of_rules() {
    let demo = (
        rows(&["..3.....", "........", "222.....", "........"]),
        rows(&["........", "..3.....", "222.....", "........"]),
    );
    let demos = [(demo.0.as_str(), demo.1.as_str())];
    let with = |fuel: u64| attempts(&demos, &demo.0, fuel);
    let is_whole = |attempts: &[Attempt]| attempts.first().is_some_and(|it| it.n_demos == 1);
    assert!(is_whole(&with(u64::MAX)) && !is_whole(&with(10)));
    let programs = |fuel: u64| format!("{:?}", with(fuel));
    assert_eq!(programs(200_000), programs(200_000));
}
