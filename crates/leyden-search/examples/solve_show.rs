//! scratch
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use leyden_search::solve::{Effort, Moves, solve};
use leyden_store::{Cache, DataSpec, load};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let spec: DataSpec = args[1].parse().unwrap();
    let data = load(&spec, None, &Cache::from_env().unwrap()).unwrap();
    let moves = Moves::own().unwrap();
    for id in &args[2..] {
        let task = data.tasks.iter().find(|t| t.id.as_str() == id).unwrap();
        let effort = Effort {
            is_over: &|| false,
            max_states: 40_000,
            n_attempts: 3,
        };
        let s = solve(&moves, &task.puzzle(), &effort);
        println!("== {id} states {} pieces {}", s.n_states, s.n_pieces);
        for (k, attempts) in s.attempts.iter().enumerate() {
            for a in attempts {
                println!(
                    "test {k} demos {} of {} cost {} right {}",
                    a.n_demos,
                    task.demos.len(),
                    a.cost,
                    Some(&a.grid) == task.tests[k].output.as_ref()
                );
                println!("{}", leyden_lang::print_python(&a.program));
            }
        }
    }
}
