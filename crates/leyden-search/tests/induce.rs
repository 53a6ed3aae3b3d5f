//! The search learns rules from demonstrations, and programs made of them give the answers.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::{Grid, Pair, Puzzle, TaskId};
use leyden_lang::{Program, parse_python, print_python};
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

fn gives(program: &Program, input: &Grid, output: &Grid) -> bool {
    let run = || Engine::default().run(program, &Sample::of(input));
    with_large_stack(run).equals(output)
}

/// The attempts of rules over cells and objects alone.
fn attempts(demos: &[(&str, &str)], test: &str) -> (Puzzle, Vec<Attempt>) {
    let demo = |(input, output): &(&str, &str)| Pair {
        input: grid(input),
        output: grid(output),
    };
    let puzzle = Puzzle {
        id: TaskId::new("0a1b2c3d").unwrap(),
        demos: demos.iter().map(demo).collect(),
        test_inputs: vec![grid(test)],
    };
    let parts = Parts {
        moves: false,
        lists: false,
        objects: false,
        compose: false,
        views: false,
        ..Parts::default()
    };
    let effort = Effort {
        parts,
        ..Effort::default()
    };
    let mut solution = solve(&Moves::own().unwrap(), &Known::nothing(), &puzzle, &effort);
    (puzzle, solution.attempts.remove(0))
}

/// One of two programs that rules suggest reproduces all demonstrations and gives the answer.
#[track_caller]
fn check(demos: &[(&str, &str)], test: &str, answer: &str) {
    let (puzzle, attempts) = attempts(demos, test);
    let answer = grid(answer);
    let right = attempts.iter().find(|attempt| attempt.grid == answer);
    let found = || {
        attempts
            .iter()
            .map(|a| format!("{}{}\n", print_python(&a.program), a.grid))
    };
    let right = right.unwrap_or_else(|| panic!("found:\n{}", found().collect::<String>()));
    assert_eq!(right.n_demos, puzzle.demos.len());
    let source = print_python(&right.program);
    let program = parse_python(&source, "found.py", None).unwrap().remove(0);
    assert!(gives(&program, &puzzle.test_inputs[0], &answer), "{source}");
    for pair in &puzzle.demos {
        assert!(gives(&program, &pair.input, &pair.output), "{source}");
    }
}

#[test]
fn the_largest_objects_get_a_colour_and_the_smallest_another() {
    check(
        &[
            (
                "55... ..... .5.5. .5... .5...",
                "33... ..... .1.2. .1... .1...",
            ),
            (
                "5.55. 5.... 5...5 5.... 5....",
                "1.33. 1.... 1...2 1.... 1....",
            ),
            (
                "..5.. 5.... 5.555 ..555 .....",
                "..2.. 3.... 3.111 ..111 .....",
            ),
        ],
        "5555. ..... 5...5 5.... .....",
        "1111. ..... 3...2 3.... .....",
    );
}

#[test]
fn single_cells_are_removed() {
    check(
        &[
            (
                "22... 22..2 ..... 2.22. ..22.",
                "22... 22... ..... ..22. ..22.",
            ),
            (
                "2..22 ..... .222. ..... 2...2",
                "...22 ..... .222. ..... .....",
            ),
            (
                "....2 .22.. .22.. ..... ..2..",
                "..... .22.. .22.. ..... .....",
            ),
        ],
        "2.2.. ..... .2222 ..... 2....",
        "..... ..... .2222 ..... .....",
    );
}

#[test]
fn the_object_unlike_the_others_is_cut_out() {
    check(
        &[
            ("33..... 3...33. ....3.. .88.... .8.....", "88 8."),
            ("4.4.... .4..... ....7.7 .....7. 7.7.... .7.....", "4.4 .4."),
            (".5...5. 555.555 ....... ..6.... .666...", ".6. 666"),
        ],
        "1...... 11...2. .....22 ....... 1...... 11.....",
        "2. 22",
    );
}

#[test]
fn squares_get_a_ring() {
    check(
        &[
            (
                "........ .22..... .22..... ......2. ......22 ........ ........",
                "3333.... 3223.... 3223.... 3333..2. ......22 ........ ........",
            ),
            (
                "........ .....22. .....22. 2....... 22...... ........ ........",
                "....3333 ....3223 ....3223 2...3333 22...... ........ ........",
            ),
            (
                "........ 2..22... 22.22... ........ ........ ........ ........",
                "..3333.. 2.3223.. 223223.. ..3333.. ........ ........ ........",
            ),
        ],
        "........ ........ ........ ...2.... ...22.22 ......22 ........",
        "........ ........ ........ ...2.333 ...22322 .....322 .....333",
    );
}

#[test]
fn objects_move_by_one_row() {
    check(
        &[
            ("33.. 3... .... ....", ".... 33.. 3... ...."),
            (".... ..8. ..8. ....", ".... .... ..8. ..8."),
            ("4... .... .44. ....", ".... 4... .... .44."),
        ],
        ".5.. .5.. .... ....",
        ".... .5.. .5.. ....",
    );
}

#[test]
fn holes_and_alternate_columns_are_filled() {
    check(
        &[
            (
                "333.. 3.3.. 333.. ..... .....",
                "333.. 343.. 333.. ..... .....",
            ),
            (
                "..... .333. .3.3. .3.3. .333.",
                "..... .333. .343. .343. .333.",
            ),
        ],
        ".3333 .3..3 .3333 ..... 3...3",
        ".3333 .3443 .3333 ..... 3...3",
    );
    check(
        &[
            ("1111 1111 2222", "1313 1313 2222"),
            ("111 212 111", "131 212 131"),
            ("11111 22222", "13131 22222"),
        ],
        "21111 11112",
        "23131 13132",
    );
}

#[test]
fn what_is_hidden_shows_in_the_mirror() {
    check(
        &[
            ("1221 3843 5665", "1221 3443 5665"),
            ("1281 3443 5665", "1221 3443 5665"),
            ("1221 3443 8665", "1221 3443 5665"),
        ],
        "7117 2332 8334",
        "7117 2332 4334",
    );
}

#[test]
fn the_part_with_most_colours_is_cut_out() {
    check(
        &[
            ("..5125..2 1.5..51.. 1.53.5...", "12 .. 3."),
            ("32.5.115... .1.5...5.22 ..35.1.5...", "32. .1. ..3"),
            ("..15.2. ...5..3 1..5.11", ".2. ..3 .11"),
        ],
        "4..5..15..2 .4.5.2.5..2 4..5.3.5...",
        "..1 .2. .3.",
    );
}

#[test]
fn a_fixed_place_is_cut_out() {
    check(
        &[
            ("1234 5678 9123", "12 56"),
            ("4321 1111 2222 3333", "43 11"),
            ("987 654 321", "98 65"),
        ],
        "24681 35792 11111",
        "24 35",
    );
}

#[test]
fn one_of_two_pictures_is_chosen() {
    check(
        &[
            ("121 343 121", "1"),
            ("123 343 121", "7"),
            ("555 151 555", "1"),
            ("551 151 555", "7"),
            ("424 424 999", "1"),
        ],
        "676 151 222",
        "1",
    );
}

#[test]
fn rules_stop_when_time_is_over() {
    let puzzle = Puzzle {
        id: TaskId::new("0a1b2c3d").unwrap(),
        demos: vec![Pair {
            input: grid("12 21"),
            output: grid("13 31"),
        }],
        test_inputs: vec![grid("22 11")],
    };
    let effort = Effort {
        time_used: &|| 1.0,
        ..Effort::default()
    };
    let solution = solve(&Moves::own().unwrap(), &Known::nothing(), &puzzle, &effort);
    assert_eq!(solution.attempts.len(), 1);
}
