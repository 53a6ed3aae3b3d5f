//! `solve_count DATA SECONDS EVERY OFFSET`: how many tasks are solved, with two attempts each.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use leyden_exec::parallel_map;
use leyden_search::solve::{Effort, Moves, solve};
use leyden_store::{Cache, DataSpec, load};
use rustix::time::{ClockId, clock_gettime};

fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let spec: DataSpec = args[1].parse().unwrap();
    let seconds: f64 = args[2].parse().unwrap();
    let (every, offset): (usize, usize) = (args[3].parse().unwrap(), args[4].parse().unwrap());
    let data = load(&spec, None, &Cache::from_env().unwrap()).unwrap();
    let moves = Moves::own().unwrap();
    println!("{} moves", moves.all().len());
    let tasks: Vec<_> = data.tasks.iter().skip(offset).step_by(every).collect();
    let rows = parallel_map(1, &tasks, |task| {
        let puzzle = task.puzzle();
        let begin = std::sync::OnceLock::new();
        let effort = Effort {
            is_over: &|| thread_seconds() - *begin.get_or_init(thread_seconds) > seconds,
            max_states: 400_000,
            n_attempts: 3,
        };
        let solution = solve(&moves, &puzzle, &effort);
        let right = |n: usize| {
            task.tests
                .iter()
                .zip(&solution.attempts)
                .all(|(test, attempts)| {
                    attempts
                        .iter()
                        .take(n)
                        .any(|a| Some(&a.grid) == test.output.as_ref())
                })
        };
        let fits = solution
            .attempts
            .iter()
            .all(|a| a.first().is_some_and(|a| a.n_demos == puzzle.demos.len()));
        (
            task.id.to_string(),
            right(1),
            right(2),
            right(3),
            fits,
            solution.n_states,
            solution.n_pieces,
        )
    });
    let count = |f: &dyn Fn(&(String, bool, bool, bool, bool, usize, usize)) -> bool| {
        rows.iter().filter(|r| f(r)).count()
    };
    for row in &rows {
        println!("{row:?}");
    }
    println!(
        "{} tasks: {} / {} / {} solved with 1, 2, 3 attempts; {} fit all demos; {:.0} s",
        rows.len(),
        count(&|r| r.1),
        count(&|r| r.2),
        count(&|r| r.3),
        count(&|r| r.4),
        thread_seconds()
    );
}
