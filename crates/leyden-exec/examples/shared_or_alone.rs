//! `cargo run --release -p leyden-exec --example shared_or_alone -- DATA FILE.batt [--every N]
//! [--fuel N] [--rounds N]`
//!
//! Runs the programs of a battery on all inputs of some tasks on one core, merged and each alone
//! (`--no-share`), in turns, and prints the gain of sharing: the ratio of the least processor
//! times. It then compares the outcomes run by run, and prints for each kind of end the number of
//! runs and their share of both times. Reading the clock takes time, too, so those times add up to
//! more.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use leyden_exec::{BatteryPlan, Engine, Outcome, Ready, Sample, Seen, with_large_stack};
use leyden_grid::Task;
use leyden_lang::{Program, Scripts, parse_battery};
use leyden_store::{Cache, DataSpec, load};
use rustix::time::{ClockId, clock_gettime};

struct Options {
    data: String,
    battery: String,
    every: usize,
    fuel: u64,
    rounds: usize,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        println!("usage: shared_or_alone DATA FILE.batt [--every N] [--fuel N] [--rounds N]");
        return ExitCode::from(2);
    };
    match with_large_stack(|| measure(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Option<Options> {
    let mut args = std::env::args().skip(1);
    let mut options = Options {
        data: args.next()?,
        battery: args.next()?,
        every: 1,
        fuel: 20_000,
        rounds: 3,
    };
    while let Some(arg) = args.next() {
        let number: u64 = args.next()?.parse().ok().filter(|n| *n > 0)?;
        match arg.as_str() {
            "--every" => options.every = number as usize,
            "--fuel" => options.fuel = number,
            "--rounds" => options.rounds = number as usize,
            _ => return None,
        }
    }
    Some(options)
}

/// Runs that end alike.
#[derive(Default)]
struct Alike {
    n_runs: usize,
    merged_s: f64,
    alone_s: f64,
}

fn measure(options: &Options) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = options.data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let path = &options.battery;
    let source = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let file = parse_battery(&source).map_err(|e| format!("{path}: {} errors", e.len()))?;
    let mut battery = file.battery;
    battery.sweep();
    let mut scripts = Scripts::new(&battery);
    let programs: Vec<Program> = (0..battery.outs.len())
        .map(|k| scripts.program(k))
        .collect();
    let tasks: Vec<&Task> = data.tasks.iter().step_by(options.every).collect();
    let plan = BatteryPlan::new(battery);
    let engine = Engine {
        fuel: options.fuel,
        ..Engine::default()
    };
    let (mut merged, mut alone) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..options.rounds {
        merged = merged.min(seconds(|| run_merged(&plan, &engine, &tasks, |_| {})));
        alone = alone.min(seconds(|| run_alone(&programs, &engine, &tasks, |_| {})));
    }
    let mut together = Runs::new();
    run_merged(&plan, &engine, &tasks, |outcome| together.note(outcome));
    let mut apart = Runs::new();
    run_alone(&programs, &engine, &tasks, |outcome| apart.note(outcome));
    let kinds = compared(&together, &apart)?;
    let n_runs: usize = kinds.values().map(|alike: &Alike| alike.n_runs).sum();
    println!(
        "{} programs on {} tasks: {n_runs} runs",
        programs.len(),
        tasks.len()
    );
    println!(
        "merged {merged:.3} s, alone {alone:.3} s: {:.2} times",
        alone / merged
    );
    println!("by how programs end, with a look at the clock after each run:");
    for (kind, alike) in kinds {
        let Alike {
            n_runs,
            merged_s,
            alone_s,
        } = alike;
        println!("  {kind:<16} {n_runs:>8} runs  merged {merged_s:.3} s, alone {alone_s:.3} s");
    }
    Ok(())
}

/// The outcomes of all runs, their ends, and their times.
struct Runs {
    outcomes: Vec<(u128, String, f64)>,
    last: f64,
}

impl Runs {
    fn new() -> Runs {
        Runs {
            outcomes: Vec::new(),
            last: thread_seconds(),
        }
    }

    /// Notes an outcome and the time since the last one.
    fn note(&mut self, outcome: &Outcome) {
        let now = thread_seconds();
        let kind = match outcome {
            Outcome::Grid(_) => "a grid".to_owned(),
            Outcome::Value(_) => "another value".to_owned(),
            Outcome::Fault { fault, .. } => fault.to_string(),
        };
        let run = (outcome.content_hash(), kind, now - self.last);
        self.outcomes.push(run);
        self.last = thread_seconds();
    }
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = thread_seconds();
    run();
    thread_seconds() - start
}

fn run_merged(
    plan: &BatteryPlan,
    engine: &Engine,
    tasks: &[&Task],
    mut each: impl FnMut(&Outcome),
) {
    plan.with_worker(engine, |worker| {
        for task in tasks {
            let seen = Seen {
                demos: &task.demos,
                expected: None,
            };
            let inputs = task.pairs().map(|(input, _)| input);
            worker.run(&seen, inputs, |_, _, outcome| each(&outcome));
        }
    });
}

fn run_alone(
    programs: &[Program],
    engine: &Engine,
    tasks: &[&Task],
    mut each: impl FnMut(&Outcome),
) {
    let ready: Vec<Ready> = programs.iter().map(Ready::of).collect();
    for task in tasks {
        for (input, _) in task.pairs() {
            for (program, ready) in programs.iter().zip(&ready) {
                let sample = Sample {
                    input,
                    demos: &task.demos,
                    expected: None,
                };
                each(&engine.run_again(program, ready, &sample).outcome);
            }
        }
    }
}

fn compared(merged: &Runs, alone: &Runs) -> Result<BTreeMap<String, Alike>, String> {
    let mut kinds: BTreeMap<String, Alike> = BTreeMap::new();
    for (a, b) in merged.outcomes.iter().zip(&alone.outcomes) {
        if a.1 != b.1 || (a.0 != b.0 && matches!(a.1.as_str(), "a grid" | "another value")) {
            return Err(format!("merged and alone differ: {} and {}", a.1, b.1));
        }
        let alike = kinds.entry(a.1.clone()).or_default();
        alike.n_runs += 1;
        alike.merged_s += a.2;
        alike.alone_s += b.2;
    }
    Ok(kinds)
}

fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
