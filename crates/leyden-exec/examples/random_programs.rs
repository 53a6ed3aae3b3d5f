//! `cargo run --release -p leyden-exec --example random_programs -- N SEED [FUEL]`
//!
//! Runs N random programs on random grids, four programs on the grid of each. Outcomes and fuel on
//! the fast engine, in a battery on both engines, and in a battery that finds its results in a
//! cache must equal those of the reference engine. It makes every run with FUEL and again with so
//! little that many run dry: N in the classic dialects, N in tokpidjin's, N as in its batt files.
//! None may panic. Program k has the seed SEED + k.
#![allow(clippy::print_stdout)]

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use leyden_dsl::table::{Dialect, Prim};
use leyden_exec::random::{Case, Dice};
use leyden_exec::{BatteryPlan, Cache, Engine, Mode, Outcome, Ran, Ready, Seen, parallel_map};
use leyden_lang::{Battery, Program, Rules};

const RUNS_PER_CHUNK: u64 = 1_000;
const DEFAULT_FUEL: u64 = 50_000;
/// Small amounts of fuel, used in turn, with which many programs run dry.
const LITTLE_FUEL: [u64; 5] = [12, 40, 100, 400, 2_000];
/// The number of programs in a battery.
const PROGRAMS_AT_ONCE: u64 = 4;
const CACHE_BYTES: usize = 1 << 22;
const MOST_SHOWN: usize = 10;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let [n_runs, seed, ref rest @ ..] = numbers[..] else {
        println!("usage: random_programs N SEED [FUEL]");
        return ExitCode::from(2);
    };
    let engine = Engine {
        fuel: rest.first().copied().unwrap_or(DEFAULT_FUEL),
        ..Engine::default()
    };
    std::panic::set_hook(Box::new(|_| ()));
    let tally = run(&engine, n_runs, seed);
    report(&tally, n_runs);
    if tally.wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[derive(Default)]
struct Tally {
    kinds: BTreeMap<String, u64>,
    /// Programs on their own grids.
    n_runs: u64,
    n_fast: u64,
    n_lines: u64,
    wrong: Vec<String>,
}

fn run(engine: &Engine, n_runs: u64, seed: u64) -> Tally {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let starts: Vec<u64> = (0..n_runs).step_by(RUNS_PER_CHUNK as usize).collect();
    let tallies = parallel_map(n_threads, &starts, |start| {
        let mut tally = Tally::default();
        let end = n_runs.min(start + RUNS_PER_CHUNK);
        for first in (*start..end).step_by(PROGRAMS_AT_ONCE as usize) {
            let seeds = first..end.min(first + PROGRAMS_AT_ONCE);
            let seeds: Vec<u64> = seeds.map(|k| seed.wrapping_add(k)).collect();
            tally.add(engine, &seeds);
        }
        tally
    });
    tallies.into_iter().fold(Tally::default(), Tally::joined)
}

impl Tally {
    fn add(&mut self, engine: &Engine, seeds: &[u64]) {
        let little = LITTLE_FUEL[(seeds[0] / PROGRAMS_AT_ONCE) as usize % LITTLE_FUEL.len()];
        for fuel in [engine.fuel, little] {
            let engine = Engine {
                fuel,
                ..engine.clone()
            };
            for dialect in [None, Some(Dialect::Tokpidjin), Some(Dialect::TokpidjinBatt)] {
                let cases: Vec<Case> = seeds.iter().map(|seed| case(dialect, *seed)).collect();
                let programs: Vec<Program> = cases.iter().map(|it| it.program.clone()).collect();
                let n_lines: usize = programs.iter().map(|program| program.lines.len()).sum();
                self.n_lines += n_lines as u64;
                let group = Group {
                    programs: &programs,
                    cases: &cases,
                    seeds,
                };
                match catch_unwind(AssertUnwindSafe(|| self.compare(&engine, &group))) {
                    Ok(()) => {}
                    Err(panic) => {
                        let text = format!("seeds {seeds:?}: a panic: {}", message(&*panic));
                        self.wrong.push(text);
                    }
                }
            }
        }
    }

    /// Compares all ways to run these programs on the grid of each.
    fn compare(&mut self, engine: &Engine, group: &Group<'_>) {
        let exact = Engine {
            mode: Mode::Exact,
            ..engine.clone()
        };
        let cached = Engine {
            cache: Some(Arc::new(Cache::new(CACHE_BYTES))),
            ..engine.clone()
        };
        let plan = BatteryPlan::new(Battery::from_programs(group.programs, Rules::NONE));
        let lone = |k: usize| plan.battery().program(k);
        let lone: Vec<Program> = (0..group.programs.len()).map(lone).collect();
        for (k, case) in group.cases.iter().enumerate() {
            let sample = case.sample();
            let own = &group.programs[k];
            let wanted = exact.run_metered(own, &sample);
            self.n_runs += 1;
            *self.kinds.entry(kind(&wanted.outcome)).or_insert(0) += 1;
            if let Ok(fast) = engine.run_ready(&Ready::of(own), &sample) {
                self.n_fast += 1;
                self.check("fast", &fast, &wanted, (group, k, k), engine.fuel);
            }
            let wanted: Vec<Ran> = lone
                .iter()
                .map(|program| in_battery(program, exact.run_metered(program, &sample)))
                .collect();
            let ways = [
                ("battery", engine),
                ("exact battery", &exact),
                ("battery with a cache", &cached),
                ("battery from a cache", &cached),
            ];
            for (way, engine) in ways {
                for (program, ran) in merged(&plan, engine, case).iter().enumerate() {
                    let wanted = &wanted[program];
                    self.check(way, ran, wanted, (group, program, k), engine.fuel);
                }
            }
        }
    }

    fn check(
        &mut self,
        way: &str,
        ran: &Ran,
        wanted: &Ran,
        (group, program, sample): (&Group<'_>, usize, usize),
        fuel: u64,
    ) {
        if ran != wanted {
            let rows: Vec<&[u8]> = group.cases[sample].input.rows().collect();
            let (of_program, of_grid) = (group.seeds[program], group.seeds[sample]);
            let program = &group.programs[program];
            self.wrong.push(format!(
                "seed {of_program}, grid of {of_grid}, fuel {fuel}, {way}: {ran:?}\nexact {wanted:?}\n{program}I = {rows:?}\n"
            ));
        }
    }

    fn joined(mut self, other: Tally) -> Tally {
        for (kind, n) in other.kinds {
            *self.kinds.entry(kind).or_insert(0) += n;
        }
        self.n_fast += other.n_fast;
        self.n_runs += other.n_runs;
        self.n_lines += other.n_lines;
        self.wrong.extend(other.wrong);
        self
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

/// Programs, each with a sample of its own.
struct Group<'g> {
    programs: &'g [Program],
    cases: &'g [Case],
    seeds: &'g [u64],
}

/// A program and a grid, in one of the classic dialects or in the given one.
fn case(dialect: Option<Dialect>, seed: u64) -> Case {
    let dice = &mut Dice::seeded(seed);
    let Some(dialect) = dialect else {
        return Case::random(dice);
    };
    let primitives: Vec<Prim> = dialect.entries().map(|entry| entry.prim).collect();
    let mut case = Case::random_among(dice, &primitives);
    case.program.dialect = dialect;
    case
}

/// The end of a program in a battery, in terms of the program that it was made from.
fn in_battery(program: &Program, mut ran: Ran) -> Ran {
    if let Outcome::Fault { line, .. } = &mut ran.outcome
        && let Some(original) = program.lines.get(*line as usize)
    {
        *line = original.source_line - 1;
    }
    ran
}

/// The ends of all programs of a battery on a sample.
fn merged(plan: &BatteryPlan, engine: &Engine, case: &Case) -> Vec<Ran> {
    let task = Seen {
        demos: &case.demos,
        expected: case.expected.as_ref(),
    };
    let mut all = Vec::new();
    plan.with_worker(engine, |worker| {
        worker.run_metered(&task, [&case.input], |_, _| true, |_, _, ran| all.push(ran));
    });
    all
}

fn kind(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Grid(_) => "grid".to_owned(),
        Outcome::Value(_) => "value".to_owned(),
        Outcome::Fault { fault, .. } => fault.to_string(),
    }
}

fn report(tally: &Tally, n_runs: u64) {
    let n_lines = tally.n_lines as f64 / tally.n_runs.max(1) as f64;
    println!(
        "{n_runs} programs, {n_lines:.1} lines on average; the fast engine answered {} of {} runs on their own grids",
        tally.n_fast, tally.n_runs
    );
    println!("outcomes: {:?}", tally.kinds);
    println!("different or panicked: {}", tally.wrong.len());
    for wrong in tally.wrong.iter().take(MOST_SHOWN) {
        println!("{wrong}");
    }
}
