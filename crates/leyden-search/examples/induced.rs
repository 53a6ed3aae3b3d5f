//! What rules learned from demonstrations solve, with single moves: `induced DATA [ID…]`.
//!
//! One line a task that a rule fits, in whole or in part, with its CPU time; with
//! ids, the programs too.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use leyden_lang::print_python;
use leyden_search::solve::{Effort, Moves, Parts, Solution, solve};
use leyden_store::{Cache, DataSpec, load};
use rustix::time::{ClockId, clock_gettime};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args
        .split_first()
        .ok_or("usage: induced DATA [ID…]".to_owned())
        .and_then(report)
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn report((data, ids): (&String, &[String])) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = data.parse().map_err(|e| told(&e))?;
    let cache = Cache::from_env().map_err(|e| told(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| told(&e))?;
    let moves = Moves::own().map_err(|e| told(&e))?;
    let (mut n_solved, mut n_fitting, mut times) = (0, 0, Vec::new());
    for task in &data.tasks {
        if !ids.is_empty() && !ids.iter().any(|id| id == task.id.as_str()) {
            continue;
        }
        let before = cpu_s();
        let solution = rules_alone(&moves, &task.puzzle());
        times.push(cpu_s() - before);
        let right = |attempts: &[leyden_search::solve::Attempt], output: &leyden_grid::Grid| {
            attempts.iter().position(|a| a.grid == *output)
        };
        let outputs = task.tests.iter().filter_map(|test| test.output.as_ref());
        let ranks: Option<Vec<usize>> = solution
            .attempts
            .iter()
            .zip(outputs)
            .map(|(a, o)| right(a, o))
            .collect();
        let Some(best) = solution.attempts.first().and_then(|a| a.first()) else {
            println!("{} none {:.3}", task.id, times[times.len() - 1]);
            continue;
        };
        let fits = best.n_demos == task.demos.len();
        n_fitting += usize::from(fits);
        n_solved += usize::from(ranks.is_some());
        println!(
            "{} {} {}/{} cost {} rank {ranks:?} {:.3}",
            task.id,
            if ranks.is_some() {
                "RIGHT"
            } else if fits {
                "wrong"
            } else {
                "partial"
            },
            best.n_demos,
            task.demos.len(),
            best.cost,
            times[times.len() - 1],
        );
        if !ids.is_empty() {
            for attempt in &solution.attempts[0] {
                println!(
                    "{} {}\n{}",
                    attempt.n_demos,
                    attempt.cost,
                    print_python(&attempt.program)
                );
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let (sum, n) = (times.iter().sum::<f64>(), times.len().max(1));
    println!(
        "{n_solved} solved, {n_fitting} fitted; CPU s mean {:.3}, median {:.3}, max {:.3}",
        sum / n as f64,
        times.get(n / 2).unwrap_or(&0.0),
        times.last().unwrap_or(&0.0)
    );
    Ok(())
}

fn rules_alone(moves: &Moves, puzzle: &leyden_grid::Puzzle) -> Solution {
    let parts = Parts {
        moves: true,
        compose: false,
        induce: true,
    };
    let effort = Effort {
        is_over: &|| false,
        // Moves from the inputs, but none from what they lead to.
        max_states: 2,
        n_attempts: 2,
        parts,
    };
    solve(moves, puzzle, &effort)
}
