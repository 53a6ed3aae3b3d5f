//! `cargo run -p leyden-search --example solve_a_task`
//!
//! Searches for a program that solves a task of the built-in set, and prints it with its answer.
#![allow(clippy::print_stdout)]

use leyden_search::solve::{Effort, Known, Moves, solve};
use leyden_store::{Cache, DataSpec, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = load(&DataSpec::Demo, None, &Cache::at("unused"))?;
    let task = data.task("1e7d0003").ok_or("no such task")?;

    // A puzzle is a task without its test outputs, so the search never sees them.
    let puzzle = task.puzzle();
    let effort = Effort {
        fuel: 20_000_000,
        ..Effort::default()
    };
    let solution = solve(&Moves::own()?, &Known::nothing(), &puzzle, &effort);

    let best = solution.attempts[0].first().ok_or("no answer")?;
    println!("{}", best.program);
    let is_right = task.tests[0].output.as_ref() == Some(&best.grid);
    println!(
        "fits {} of {} demonstrations; the answer is {}",
        best.n_demos,
        puzzle.demos.len(),
        if is_right { "right" } else { "wrong" }
    );
    assert!(is_right);
    Ok(())
}
