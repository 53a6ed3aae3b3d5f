//! `cargo run --release -p leyden-exec --example own_outcomes -- DATA SOLVERS OUT.jsonl`
//!
//! Runs each program of a file on all pairs of its own task and writes every outcome, a line each,
//! as `tools/tokpidjin_run.py` does for CPython. Programs see the demonstration pairs as `S` and
//! None as `C`.
#![allow(clippy::print_stdout)]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::Task;
use leyden_lang::Program;
use leyden_store::{Cache, DataSpec, load};
use serde_json::{Value as Json, json};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, solvers, out] = &args[..] else {
        println!("usage: own_outcomes DATA SOLVERS OUT.jsonl");
        return ExitCode::from(2);
    };
    match with_large_stack(|| run(data, solvers, Path::new(out))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(data: &str, solvers: &str, out: &Path) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let source = std::fs::read_to_string(solvers).map_err(|e| format!("{solvers}: {e}"))?;
    let programs = leyden_lang::parse(&source, solvers, None)
        .map_err(|e| format!("{solvers}: {} errors, first: {}", e.len(), e[0].message))?;
    let mut tally = Tally::default();
    for program in &programs {
        if let Some(task) = program.task_id().and_then(|id| data.task(id)) {
            tally.add(program, task);
        }
    }
    tally.report();
    write_whole(out, &tally.lines).map_err(|e| text(&e))
}

/// Writes the whole file or none of it.
fn write_whole(out: &Path, text: &str) -> std::io::Result<()> {
    let beside = out.with_extension("part");
    let mut file = std::fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    std::fs::rename(beside, out)
}

#[derive(Default)]
struct Tally {
    lines: String,
    n_programs: usize,
    n_solved: usize,
    n_pairs: usize,
    n_right: usize,
}

impl Tally {
    fn add(&mut self, program: &Program, task: &Task) {
        let engine = Engine::default();
        let pairs: Vec<_> = task.pairs().collect();
        let n_right_before = self.n_right;
        for (number, (input, output)) in pairs.iter().enumerate() {
            let sample = Sample {
                demos: &task.demos,
                ..Sample::of(input)
            };
            let outcome = engine.run(program, &sample);
            self.n_right += usize::from(output.is_some_and(|output| outcome.equals(output)));
            self.write(&program.name, number, outcome.to_json());
        }
        self.n_programs += 1;
        self.n_pairs += pairs.len();
        self.n_solved += usize::from(self.n_right - n_right_before == pairs.len());
    }

    fn write(&mut self, solver: &str, number: usize, outcome: Json) {
        let mut line = json!({ "solver": solver, "input": number });
        if let (Json::Object(line), Json::Object(outcome)) = (&mut line, outcome) {
            line.extend(outcome);
        }
        self.lines += &format!("{line}\n");
    }

    fn report(&self) {
        let (programs, solved) = (self.n_programs, self.n_solved);
        println!("programs {programs}, right on all pairs {solved}");
        println!("runs {}, right {}", self.n_pairs, self.n_right);
    }
}
