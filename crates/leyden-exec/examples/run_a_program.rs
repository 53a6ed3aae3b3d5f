//! `cargo run -p leyden-exec --example run_a_program`
//!
//! Parses a program, runs it on a grid, and prints the result.
#![allow(clippy::print_stdout)]

use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::Grid;

const SOURCE: &str = "
def solve_mirror(I):
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A file holds many programs. An error knows its line and column.
    let programs = leyden_lang::parse(SOURCE, "mine.py", None)
        .map_err(|errors| leyden_lang::render(&errors, SOURCE, "mine.py", false))?;

    let input = Grid::from_rows(&[vec![1, 2], vec![3, 4]])?;
    let outcome = Engine::default().run(&programs[0], &Sample::of(&input));

    // A program gives a grid, another value, or the error class that CPython raises.
    match &outcome {
        Outcome::Grid(_) => println!("a grid: {}", outcome.to_json()["grid"]),
        _ => println!("no grid: {}", outcome.to_json()),
    }
    assert_eq!(
        outcome.to_json()["grid"],
        serde_json::json!([[1, 2, 2, 1], [3, 4, 4, 3]])
    );
    Ok(())
}
