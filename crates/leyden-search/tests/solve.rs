//! Answers come from programs, and these programs give them.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Program, parse_python, print_python};
use leyden_search::solve::{Effort, Moves, MovesError, Parts, Solution, solve};
use leyden_store::demo;

fn solved(moves: &Moves, puzzle: &Puzzle, max_states: usize) -> Solution {
    let effort = Effort {
        is_over: &|| false,
        max_states,
        n_attempts: 2,
        parts: Parts::default(),
    };
    solve(moves, puzzle, &effort)
}

fn gives(program: &Program, input: &Grid, output: &Grid) -> bool {
    let run = || Engine::default().run(program, &Sample::of(input));
    with_large_stack(run).equals(output)
}

#[test]
fn every_answer_is_what_its_program_gives() {
    let moves = Moves::own().unwrap();
    let (mut n_answers, mut n_fitting) = (0, 0);
    for task in demo::tasks().iter().step_by(4) {
        let puzzle = task.puzzle();
        let solution = solved(&moves, &puzzle, 3_000);
        for (input, attempts) in puzzle.test_inputs.iter().zip(&solution.attempts) {
            for attempt in attempts {
                let source = print_python(&attempt.program);
                let program = parse_python(&source, "found.py", None).unwrap().remove(0);
                assert!(
                    gives(&program, input, &attempt.grid),
                    "{}\n{source}",
                    puzzle.id
                );
                let demos = puzzle.demos.iter();
                let n_demos = demos.filter(|pair| gives(&program, &pair.input, &pair.output));
                assert_eq!(n_demos.count(), attempt.n_demos, "{}\n{source}", puzzle.id);
                n_answers += 1;
                n_fitting += usize::from(attempt.n_demos == puzzle.demos.len());
            }
        }
    }
    assert!(n_answers >= 8 && n_fitting >= 4, "{n_answers}, {n_fitting}");
}

#[test]
fn the_same_effort_finds_the_same() {
    let moves = Moves::own().unwrap();
    let puzzle = demo::tasks()[2].puzzle();
    let texts = || -> Vec<String> {
        let solution = solved(&moves, &puzzle, 2_000);
        let attempts = solution.attempts.iter().flatten();
        attempts
            .map(|a| format!("{:?} {}", a.grid, a.program))
            .collect()
    };
    assert_eq!(texts(), texts());
}

#[test]
fn attempts_are_distinct() {
    let moves = Moves::own().unwrap();
    for task in demo::tasks().iter().take(6) {
        let solution = solved(&moves, &task.puzzle(), 1_000);
        for attempts in &solution.attempts {
            assert!(attempts.len() < 2 || attempts[0].grid != attempts[1].grid);
        }
    }
}

#[test]
fn bad_moves_are_refused_by_line() {
    let error = |text: &str| Moves::parse(text).unwrap_err();
    assert!(matches!(
        error("let c = 1 | 2\n3 x: fill(I, {d}, I)"),
        MovesError::Word { line: 2, .. }
    ));
    assert!(matches!(error("# fine\n\nnonsense"), MovesError::Line(3)));
    assert!(matches!(error("3 x: fill(I,"), MovesError::Expression(_)));
}
