//! The scoring programs, on grids that are equal, a little different, and arbitrary.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Outcome, Sample, with_large_stack};
use leyden_grid::{Grid, Pair};
use leyden_lang::Program;
use leyden_search::{Dice, scores};

fn grid(rows: &[&[u8]]) -> Grid {
    let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
    Grid::from_rows(&rows).unwrap()
}

fn run(program: &Program, candidate: &Grid, expected: &Grid) -> serde_json::Value {
    let demos = [Pair {
        input: candidate.clone(),
        output: expected.clone(),
    }];
    let sample = Sample {
        input: candidate,
        demos: &demos,
        expected: Some(expected),
    };
    match Engine::default().run(program, &sample) {
        Outcome::Value(value) => value.as_ref().clone(),
        other => panic!("{}: {other:?} for {candidate:?}", program.name),
    }
}

fn number(program: &Program, candidate: &Grid, expected: &Grid) -> i64 {
    run(program, candidate, expected)[0].as_i64().unwrap()
}

fn random_grid(dice: &mut Dice) -> Grid {
    let sides = [1, 2, 3, 7, 30];
    let (height, width) = (sides[dice.below(5)], sides[dice.below(5)]);
    let n_colours = 1 + dice.below(10);
    let cells: Vec<u8> = (0..height * width)
        .map(|_| dice.below(n_colours) as u8)
        .collect();
    Grid::from_cells(height, width, &cells).unwrap()
}

#[test]
fn what_is_right_gets_full_marks_and_nothing_gets_more() {
    with_large_stack(|| {
        let mut dice = Dice::seeded(1);
        for program in &scores::own().unwrap() {
            for _ in 0..60 {
                let (a, b) = (random_grid(&mut dice), random_grid(&mut dice));
                assert_eq!(
                    number(program, &a, &a),
                    scores::FULL_MARKS,
                    "{}",
                    program.name
                );
                let other = number(program, &a, &b);
                assert!(
                    (0..=scores::FULL_MARKS).contains(&other),
                    "{}: {other}",
                    program.name
                );
            }
        }
    });
}

#[test]
fn numbers_alone_are_the_same_and_shorter() {
    with_large_stack(|| {
        let mut dice = Dice::seeded(2);
        for program in &scores::own().unwrap() {
            let alone = scores::without_witness(program);
            assert!(alone.lines.len() < program.lines.len(), "{}", program.name);
            for _ in 0..20 {
                let (a, b) = (random_grid(&mut dice), random_grid(&mut dice));
                assert_eq!(
                    run(&alone, &a, &b),
                    run(program, &a, &b)[0],
                    "{}",
                    program.name
                );
            }
        }
    });
}

#[test]
fn each_scoring_program_sees_what_it_is_for() {
    let expected = grid(&[&[0, 0, 0, 0], &[0, 1, 2, 0], &[0, 0, 0, 0]]);
    let candidate = grid(&[&[0, 0, 0, 0], &[0, 1, 3, 0], &[0, 0, 0, 0]]);
    let narrow = grid(&[&[0, 1], &[0, 0]]);
    let all = scores::own().unwrap();
    let check = |name: &str, candidate: &Grid, number: i64, witness: serde_json::Value| {
        let program = all.iter().find(|program| program.name == name).unwrap();
        let found = run(program, candidate, &expected);
        assert_eq!((&found[0], &found[1]), (&number.into(), &witness), "{name}");
    };
    let set = |items: serde_json::Value| serde_json::json!({ "set": items });
    use serde_json::json;
    with_large_stack(|| {
        check("score_colours_missing", &candidate, 66, set(json!([2])));
        check("score_colours_extra", &candidate, 66, set(json!([3])));
        check("score_colours_known", &candidate, 66, set(json!([3])));
        check("score_palette", &narrow, 0, set(json!([0, 1])));
        check("score_background", &candidate, 100, json!([0, 0]));
        check("score_height", &narrow, 66, json!([2, 3]));
        check("score_width", &narrow, 50, json!([2, 4]));
        check("score_shape", &narrow, 0, json!([-1, -2]));
        check("score_cells", &candidate, 91, set(json!([[1, 2]])));
        check("score_rows", &candidate, 66, json!([true, false, true]));
        check(
            "score_columns",
            &candidate,
            75,
            json!([true, true, false, true]),
        );
        check("score_border", &candidate, 100, set(json!([])));
        check(
            "score_objects_missing",
            &candidate,
            50,
            set(json!([{ "set": [[2, [1, 2]]] }])),
        );
        check(
            "score_objects_extra",
            &candidate,
            50,
            set(json!([{ "set": [[3, [1, 2]]] }])),
        );
        check("score_object_count", &narrow, 66, json!([1, 2]));
        check(
            "score_forms_missing",
            &candidate,
            50,
            set(json!([{ "set": [[2, [0, 0]]] }])),
        );
        check(
            "score_symmetry",
            &candidate,
            100,
            json!([true, false, false, false]),
        );
    });
}
