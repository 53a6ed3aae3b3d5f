//! Answers come from programs, and running these programs gives the answers.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Program, parse_python, print_python};
use leyden_search::mutate::{Sources, mutate};
use leyden_search::solve::{
    Attempt, Effort, Known, Moves, MovesError, Parts, Solution, Source, solve,
};
use leyden_search::types::check;
use leyden_search::{Dice, Kind};
use leyden_store::demo;

fn solved(moves: &Moves, puzzle: &Puzzle, max_states: usize) -> Solution {
    let effort = Effort {
        max_states,
        fuel: 100_000_000,
        ..Effort::default()
    };
    solve(moves, &Known::nothing(), puzzle, &effort)
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
    let found = || texts(&solved(&moves, &puzzle, 2_000));
    assert_eq!(found(), found());
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

fn texts(solution: &Solution) -> Vec<String> {
    let attempts = solution.attempts.iter().flatten();
    attempts
        .map(|a| format!("{:?} {} {}", a.grid, a.price, a.program))
        .collect()
}

#[test]
fn fuel_alone_decides_what_is_found() {
    let moves = Moves::own().unwrap();
    let mut n_states = Vec::new();
    for fuel in [0, 3_000_000, 30_000_000] {
        for task in demo::tasks().iter().step_by(18) {
            let effort = Effort {
                fuel,
                ..Effort::default()
            };
            let run = || solve(&moves, &Known::nothing(), &task.puzzle(), &effort);
            let (one, two) = (run(), run());
            assert_eq!(texts(&one), texts(&two), "{}", task.id);
            assert_eq!((one.n_states, one.fuel), (two.n_states, two.fuel));
            n_states.push(one.n_states);
        }
    }
    let per_fuel: Vec<usize> = n_states.chunks(3).map(|it| it.iter().sum()).collect();
    assert!(per_fuel[0] <= 3 * 3, "no fuel, no moves: {per_fuel:?}");
    assert!(per_fuel[1] < per_fuel[2], "{per_fuel:?}");
}

#[test]
fn fuel_is_not_much_overdrawn() {
    let moves = Moves::own().unwrap();
    for task in demo::tasks().iter().step_by(9) {
        let effort = Effort {
            fuel: 20_000_000,
            ..Effort::default()
        };
        let solution = solve(&moves, &Known::nothing(), &task.puzzle(), &effort);
        // The search makes all moves from a state or none, and those from the inputs use the most
        // fuel.
        assert!(solution.fuel < 25_000_000, "{} {}", task.id, solution.fuel);
    }
}

#[test]
fn what_is_known_comes_first_and_says_so() {
    let moves = Moves::own().unwrap();
    let programs = parse_python(demo::SOLVERS, "solvers.py", None).unwrap();
    let known = Known::new(programs.iter().cloned().chain(programs.clone()));
    assert_eq!(known.len(), Known::new(programs).len(), "each once");
    let effort = Effort {
        fuel: 40_000_000,
        n_candidates: 5,
        ..Effort::default()
    };
    let mut n_transferred = 0;
    for task in demo::tasks().iter().step_by(5) {
        let solution = solve(&moves, &known, &task.puzzle(), &effort);
        let first = &solution.attempts[0][0];
        assert_eq!(first.n_demos, task.demos.len(), "{}", task.id);
        n_transferred += usize::from(matches!(first.source, Source::Transfer(_)));
        assert!(gives(&first.program, &task.tests[0].input, &first.grid));
        let best = &solution.candidates[0];
        assert_eq!(best.answers[0].as_ref(), Some(&first.grid));
        assert!(solution.candidates.len() <= 5);
    }
    assert_eq!(n_transferred, 10);
}

/// A program with one change, so that its result differs.
fn spoiled(program: &Program, seed: u64) -> Option<Program> {
    let (shapes, mut dice) = (check(program)?, Dice::seeded(seed));
    let sources = Sources {
        donor: None,
        colours: None,
    };
    let kinds = [Kind::Constant, Kind::Direction, Kind::Boolean, Kind::Rank];
    let changed = kinds
        .iter()
        .find_map(|kind| mutate(*kind, program, &shapes, &sources, &mut dice).0)?;
    Some(changed.program)
}

#[test]
fn what_comes_close_is_changed_until_it_fits() {
    let moves = Moves::own().unwrap();
    let programs = parse_python(demo::SOLVERS, "solvers.py", None).unwrap();
    let spoiled = programs
        .iter()
        .zip(1..)
        .filter_map(|(it, k)| spoiled(it, k));
    let known = Known::new(spoiled);
    let effort = |mutants| Effort {
        fuel: 400_000_000,
        parts: Parts {
            mutants,
            moves: false,
            lists: false,
            objects: false,
            induce: false,
            views: false,
            ..Parts::default()
        },
        ..Effort::default()
    };
    let (mut n_mended, mut n_without) = (0, 0);
    for task in demo::tasks().iter().step_by(5) {
        let best = |mutants| {
            let solution = solve(&moves, &known, &task.puzzle(), &effort(mutants));
            solution.attempts[0].first().cloned()
        };
        let fits = |it: &Attempt| it.n_demos == task.demos.len();
        n_without += usize::from(best(false).is_some_and(|it| fits(&it)));
        let Some(first) = best(true).filter(fits) else {
            continue;
        };
        assert!(gives(&first.program, &task.tests[0].input, &first.grid));
        n_mended += usize::from(matches!(first.source, Source::Mutant(_)));
    }
    assert!(
        n_mended >= 2,
        "{n_mended} mended, {n_without} fit as they are"
    );
}

#[test]
fn memory_is_bounded_too() {
    let moves = Moves::own().unwrap();
    let puzzle = demo::tasks()[2].puzzle();
    let n_states = |max_bytes: usize| {
        let effort = Effort {
            max_bytes,
            max_states: 5_000,
            ..Effort::default()
        };
        solve(&moves, &Known::nothing(), &puzzle, &effort).n_states
    };
    assert!(n_states(usize::MAX) >= 5_000);
    assert!(n_states(400_000) < 5_000);
}
