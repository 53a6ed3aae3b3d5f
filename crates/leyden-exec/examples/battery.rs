//! `cargo run --release -p leyden-exec --example battery -- DATA [--exact|--fast] [--every N]
//! [--rules none] [--against TIMES.json] [--rounds N] SOLVERS…`
//!
//! Merges all programs of some files into one battery, runs it on all inputs of all tasks on one
//! core and prints the time. With `--exact` or `--fast` it compares every outcome with that of the
//! program alone, on the reference engine or on both. With `--against` it runs only the inputs of
//! `tools/bench_cross.py` and compares the processor time with CPython's; it times the runs that
//! CPython did not finish alone and lists them separately. With `--rounds` it repeats everything
//! with one worker, which keeps no results: the first round also asks for memory and fills tables,
//! as the first few of 1,718 inputs do.
#![allow(clippy::print_stdout)]

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

use leyden_exec::{BatteryPlan, Counts, Engine, Mode, Outcome, Sample, Seen, with_large_stack};
use leyden_grid::{Grid, Task};
use leyden_lang::{Battery, Program, Rules};
use leyden_store::{Cache, DataSpec, load};
use rustix::time::{ClockId, clock_gettime};

#[derive(Default)]
struct Options {
    data: String,
    solvers: Vec<String>,
    every: usize,
    alone: Option<Mode>,
    plain: bool,
    against: Option<String>,
    rounds: usize,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        println!(
            "usage: battery DATA [--exact|--fast] [--every N] [--rules none] [--against TIMES.json] [--rounds N] SOLVERS…"
        );
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
        rounds: 1,
        ..Options::default()
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--exact" => options.alone = Some(Mode::Exact),
            "--fast" => options.alone = Some(Mode::Fast),
            "--every" => options.every = args.next()?.parse().ok()?,
            "--rounds" => options.rounds = args.next()?.parse().ok()?,
            "--against" => options.against = Some(args.next()?),
            "--rules" => options.plain = args.next()? == "none",
            _ => options.solvers.push(arg),
        }
    }
    Some(options)
        .filter(|options| !options.solvers.is_empty() && options.every > 0 && options.rounds > 0)
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
    let against = options
        .against
        .as_ref()
        .map(|path| times(path))
        .transpose()?;
    let wanted = |task: &Task, k: usize| {
        let is_it = |input: &(String, usize)| input.0 == task.id.as_str() && input.1 == k;
        against
            .as_ref()
            .is_none_or(|times| times.inputs.iter().any(is_it))
    };
    let unfinished: HashSet<(&str, &str, usize)> = against
        .iter()
        .flat_map(|times| &times.unfinished)
        .map(|(name, id, k)| (name.as_str(), id.as_str(), *k))
        .collect();
    let engine = Engine::default();
    let (mut rounds, mut n_wrong, mut n_right) = (vec![0.0; options.rounds], 0, 0);
    let tasks = || data.tasks.iter().step_by(options.every);
    let counts: Counts = plan.with_worker(&engine, |worker| {
        let every_round =
            (0..options.rounds).flat_map(|round| tasks().map(move |task| (round, task)));
        for (round, task) in every_round {
            let inputs: Vec<_> = task
                .pairs()
                .enumerate()
                .filter(|(k, _)| wanted(task, *k))
                .collect();
            if inputs.is_empty() {
                continue;
            }
            let seen = Seen {
                demos: &task.demos,
                expected: None,
            };
            let id = task.id.as_str();
            let mut outcomes = Vec::with_capacity(inputs.len() * programs.len());
            let is_ended = |k: usize, program: &Program| {
                unfinished.is_empty() || !unfinished.contains(&(program.name.as_str(), id, k))
            };
            let are_ended: Vec<Vec<bool>> = inputs
                .iter()
                .map(|(k, _)| programs.iter().map(|p| is_ended(*k, p)).collect())
                .collect();
            let start = thread_seconds();
            let grids = inputs.iter().map(|(_, (input, _))| *input);
            let is_ended = |input: usize, program: usize| are_ended[input][program];
            worker.run_some(&seen, grids, is_ended, |input, program, outcome| {
                outcomes.push((input, program, outcome));
            });
            rounds[round] += thread_seconds() - start;
            for (input, program, outcome) in &outcomes {
                let (input, output) = inputs[*input].1;
                n_right += usize::from(output.is_some_and(|output| outcome.equals(output)));
                let program = &programs[*program];
                let is_same = is_as_alone(options, &engine, program, &seen, input, outcome);
                n_wrong += usize::from(!is_same);
            }
        }
        worker.counts()
    });
    let seconds: f64 = rounds.iter().sum();
    println!(
        "{} runs in {seconds:.2} s, {:.2} µs each; {} left to the exact engine; {n_right} right",
        counts.runs,
        seconds * 1e6 / counts.runs as f64,
        counts.exact_runs
    );
    if options.alone.is_some() {
        println!("different from alone: {n_wrong}");
    }
    if let Some(times) = &against {
        compare(times, &rounds, &programs, &data.tasks);
    }
    Ok(n_wrong)
}

/// The times of CPython, as `tools/bench_cross.py` writes them.
#[derive(serde::Deserialize)]
struct Times {
    inputs: Vec<(String, usize)>,
    runs: u64,
    seconds: f64,
    unfinished: Vec<(String, String, usize)>,
}

fn times(path: &str) -> Result<Times, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))
}

/// The number of listed runs that CPython did not finish; they take us long, too.
const MOST_LISTED: usize = 40;

/// Lists the runs that CPython did not finish, and prints the ratio of the rest.
fn compare(times: &Times, rounds: &[f64], programs: &[Program], tasks: &[Task]) {
    for (name, id, k) in times.unfinished.iter().take(MOST_LISTED) {
        let program = programs.iter().find(|program| program.name == *name);
        let task = tasks.iter().find(|task| task.id.as_str() == id);
        let (Some(program), Some(task)) = (program, task) else {
            continue;
        };
        let Some((input, _)) = task.pairs().nth(*k) else {
            continue;
        };
        let sample = Sample {
            demos: &task.demos,
            ..Sample::of(input)
        };
        let start = thread_seconds();
        let outcome = Engine::default().run(program, &sample);
        let alone_s = thread_seconds() - start;
        let how = outcome.fault().map_or("a value", |fault| fault.name());
        println!(
            "not ended by CPython: {name} on {id}[{k}]; ours {:.1} ms, {how}",
            alone_s * 1e3
        );
    }
    if let Some(n) = times.unfinished.len().checked_sub(MOST_LISTED + 1) {
        println!("not ended by CPython: {} more", n + 1);
    }
    for (round, seconds) in rounds.iter().enumerate() {
        println!(
            "{} runs that CPython ends: {:.2} s, ours {seconds:.3} s in round {}: {:.0} times",
            times.runs,
            times.seconds,
            round + 1,
            times.seconds / seconds
        );
    }
    let mut sorted = rounds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    println!(
        "median round: {median:.3} s, {:.0} times",
        times.seconds / median
    );
}

fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn is_as_alone(
    options: &Options,
    engine: &Engine,
    program: &Program,
    seen: &Seen<'_>,
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
        demos: seen.demos,
        expected: None,
    };
    let alone = engine.run(program, &sample);
    if alone != *merged {
        println!("{}: {merged:?}\n  alone: {alone:?}", program.name);
    }
    alone == *merged
}
