//! `cargo run --release -p leyden-exec --example battery -- DATA [--exact|--fast] [--every N]
//! [--rules none] SOLVERS…`
//!
//! Merges all programs of some files into one battery, runs it on all inputs of all tasks on one
//! core and says how long that took. With `--exact` or `--fast` every outcome is compared with
//! what the program gives alone, on the exact engine or on both.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::Instant;

use leyden_exec::{BatteryPlan, Counts, Engine, Mode, Outcome, Sample, Task, with_large_stack};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules};
use leyden_store::{Cache, DataSpec, load};

#[derive(Default)]
struct Options {
    data: String,
    solvers: Vec<String>,
    every: usize,
    alone: Option<Mode>,
    plain: bool,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        println!("usage: battery DATA [--exact|--fast] [--every N] [--rules none] SOLVERS…");
        return ExitCode::from(2);
    };
    match with_large_stack(|| measure(&options)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
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
        every: 1,
        ..Options::default()
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--exact" => options.alone = Some(Mode::Exact),
            "--fast" => options.alone = Some(Mode::Fast),
            "--every" => options.every = args.next()?.parse().ok()?,
            "--rules" => options.plain = args.next()? == "none",
            _ => options.solvers.push(arg),
        }
    }
    Some(options).filter(|options| !options.solvers.is_empty() && options.every > 0)
}

fn measure(options: &Options) -> Result<usize, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = options.data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let mut programs = Vec::new();
    for path in &options.solvers {
        let source = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let parsed = leyden_lang::parse(&source, path, None);
        programs.extend(parsed.map_err(|e| format!("{path}: {} errors", e.len()))?);
    }
    let rules = if options.plain {
        Rules::NONE
    } else {
        Rules::ALL
    };
    let start = Instant::now();
    let battery = Battery::from_programs(&programs, rules);
    let merged_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let plan = BatteryPlan::new(battery);
    println!(
        "{} programs, {} lines, {} nodes; merged in {:.2} ms, compiled in {:.2} ms",
        programs.len(),
        plan.battery().n_lines(),
        plan.battery().nodes.len(),
        merged_s * 1e3,
        start.elapsed().as_secs_f64() * 1e3
    );
    let engine = Engine::default();
    let (mut seconds, mut n_wrong, mut n_right) = (0.0, 0, 0);
    let counts: Counts = plan.with_worker(&engine, |worker| {
        for task in data.tasks.iter().step_by(options.every) {
            let inputs: Vec<(&Grid, Option<&Grid>)> = task
                .demos
                .iter()
                .map(|pair| (&pair.input, Some(&pair.output)))
                .chain(
                    task.tests
                        .iter()
                        .map(|test| (&test.input, test.output.as_ref())),
                )
                .collect();
            let seen = Task {
                demos: &task.demos,
                expected: None,
            };
            let mut outcomes = Vec::with_capacity(inputs.len() * programs.len());
            let start = Instant::now();
            worker.run(
                &seen,
                inputs.iter().map(|(input, _)| *input),
                |_, _, outcome| {
                    outcomes.push(outcome);
                },
            );
            seconds += start.elapsed().as_secs_f64();
            for (k, outcome) in outcomes.iter().enumerate() {
                let (input, output) = inputs[k / programs.len()];
                n_right += usize::from(output.is_some_and(|output| outcome.equals(output)));
                let program = &programs[k % programs.len()];
                n_wrong += usize::from(!is_as_alone(
                    options, &engine, program, &seen, input, outcome,
                ));
            }
        }
        worker.counts()
    });
    println!(
        "{} runs in {seconds:.2} s, {:.2} µs each; {} left to the exact engine; {n_right} right",
        counts.runs,
        seconds * 1e6 / counts.runs as f64,
        counts.exact_runs
    );
    if options.alone.is_some() {
        println!("different from alone: {n_wrong}");
    }
    Ok(n_wrong)
}

fn is_as_alone(
    options: &Options,
    engine: &Engine,
    program: &Program,
    task: &Task<'_>,
    input: &Grid,
    merged: &Outcome,
) -> bool {
    let Some(mode) = options.alone else {
        return true;
    };
    let engine = Engine {
        mode,
        ..engine.clone()
    };
    let sample = Sample {
        input,
        demos: task.demos,
        expected: None,
    };
    let alone = engine.run(program, &sample);
    if alone != *merged {
        println!("{}: {merged:?}\n  alone: {alone:?}", program.name);
    }
    alone == *merged
}
