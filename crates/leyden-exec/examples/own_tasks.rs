//! `cargo run --release -p leyden-exec --example own_tasks -- DATA SOLVERS OUT.json [PASSES]`
//!
//! Runs each program of a file on all pairs of its own task, on one core, and writes the best
//! processor time per task over some passes. `tools/speed_ratio.py` puts these beside CPython's.
//! With 0 passes it runs each pair once and nothing before it, as `leyden run` meets a program:
//! code and branch predictors are cold. Also prints how often, and at which primitives, the fast
//! engine left a run to the reference engine.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use leyden_exec::{Engine, Ready, Sample, with_large_stack};
use leyden_grid::{Grid, Task};
use leyden_lang::Program;
use leyden_store::{Cache, DataSpec, load};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

/// Reading the clock is a system call, which takes longer than some tasks.
const RUNS_PER_READING: u32 = 5;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, solvers, out, rest @ ..] = &args[..] else {
        println!("usage: own_tasks DATA SOLVERS OUT.json [PASSES]");
        return ExitCode::from(2);
    };
    let n_passes = rest.first().and_then(|n| n.parse().ok()).unwrap_or(5);
    match with_large_stack(|| measure(data, solvers, Path::new(out), n_passes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(data: &str, solvers: &str, out: &Path, n_passes: usize) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let source = std::fs::read_to_string(solvers).map_err(|e| format!("{solvers}: {e}"))?;
    let programs = leyden_lang::parse(&source, solvers, None)
        .map_err(|e| format!("{solvers}: {} errors", e.len()))?;
    let mut tally = Tally::default();
    for program in &programs {
        if let Some(task) = program.task_id().and_then(|id| data.task(id)) {
            tally.add(program, task, n_passes);
        }
    }
    tally.report();
    std::fs::write(out, json!({ "tasks": tally.times }).to_string()).map_err(|e| text(&e))
}

#[derive(Default)]
struct Tally {
    times: BTreeMap<String, Json>,
    total_s: f64,
    n_right: usize,
    n_pairs: usize,
    gave_up: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, program: &Program, task: &Task, n_passes: usize) {
        let engine = Engine::default();
        let known = |(input, output): (_, Option<_>)| Some((input, output?));
        let pairs: Vec<(&Grid, &Grid)> = task.pairs().filter_map(known).collect();
        let mut best_s = f64::INFINITY;
        let mut n_right = 0;
        let first_s = thread_seconds();
        let ready = Ready::of(program);
        let is_right = |(input, output): &&(&Grid, &Grid)| {
            let ran = engine.run_again(program, &ready, &Sample::of(input));
            ran.outcome.equals(output)
        };
        if n_passes == 0 {
            n_right = pairs.iter().filter(is_right).count();
            best_s = thread_seconds() - first_s;
        }
        for _ in 0..n_passes {
            let start_s = thread_seconds();
            for _ in 0..RUNS_PER_READING {
                n_right = pairs.iter().filter(is_right).count();
            }
            best_s = best_s.min((thread_seconds() - start_s) / f64::from(RUNS_PER_READING));
        }
        for (input, _) in &pairs {
            if let Err(gave_up) = engine.run_fast(program, &Sample::of(input)) {
                *self
                    .gave_up
                    .entry(gave_up.prim.map_or("the result", |prim| prim.name()))
                    .or_insert(0) += 1;
            }
        }
        self.times.insert(
            task.id.as_str().to_owned(),
            json!({ "cpu_s": best_s, "right": n_right }),
        );
        self.total_s += best_s;
        self.n_right += n_right;
        self.n_pairs += pairs.len();
    }

    fn report(&self) {
        println!(
            "{} of {} pairs right, {:.2} ms of processor time",
            self.n_right,
            self.n_pairs,
            self.total_s * 1e3
        );
        println!(
            "runs left to the exact engine: {}, at {:?}",
            self.gave_up.values().sum::<usize>(),
            self.gave_up
        );
    }
}

fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
