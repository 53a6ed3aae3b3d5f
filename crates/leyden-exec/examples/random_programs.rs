//! `cargo run --release -p leyden-exec --example random_programs -- N SEED [FUEL] [tokpidjin]`
//!
//! Runs N random programs on random grids, once on the fast engine with its fallback and once on
//! the reference engine alone. The two must agree and none may panic. Run k has the seed SEED + k.
//! Runs that took other fuel are counted. Programs are in the two classic dialects, or in tokpidjin's if that is named.
#![allow(clippy::print_stdout)]

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use leyden_dsl::table::{Dialect, Prim};
use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Mode, Outcome, Ran, Ready, parallel_map};

const RUNS_PER_CHUNK: u64 = 1_000;
const DEFAULT_FUEL: u64 = 50_000;
const MOST_SHOWN: usize = 10;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let [n_runs, seed, ref rest @ ..] = numbers[..] else {
        println!("usage: random_programs N SEED [FUEL] [tokpidjin]");
        return ExitCode::from(2);
    };
    let engine = Engine {
        fuel: rest.first().copied().unwrap_or(DEFAULT_FUEL),
        ..Engine::default()
    };
    std::panic::set_hook(Box::new(|_| ()));
    let is_foreign = std::env::args().any(|arg| arg == Dialect::Tokpidjin.name());
    let dialect = is_foreign.then_some(Dialect::Tokpidjin);
    let tally = run(&engine, dialect, n_runs, seed);
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
    n_fast: u64,
    n_lines: u64,
    n_other_fuel: u64,
    wrong: Vec<String>,
}

/// A case in one of the classic dialects, or in the one that is named.
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

fn run(engine: &Engine, dialect: Option<Dialect>, n_runs: u64, seed: u64) -> Tally {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let starts: Vec<u64> = (0..n_runs).step_by(RUNS_PER_CHUNK as usize).collect();
    let tallies = parallel_map(n_threads, &starts, |start| {
        let mut tally = Tally::default();
        for k in *start..n_runs.min(start + RUNS_PER_CHUNK) {
            tally.add(engine, dialect, seed.wrapping_add(k));
        }
        tally
    });
    tallies.into_iter().fold(Tally::default(), Tally::joined)
}

impl Tally {
    fn add(&mut self, engine: &Engine, dialect: Option<Dialect>, seed: u64) {
        let case = case(dialect, seed);
        self.n_lines += case.program.lines.len() as u64;
        match catch_unwind(AssertUnwindSafe(|| compare(engine, &case))) {
            Ok((is_fast, fast, exact)) => {
                self.n_fast += u64::from(is_fast);
                *self.kinds.entry(kind(&exact.outcome)).or_insert(0) += 1;
                let is_out_of_fuel = kind(&exact.outcome) == "Fuel";
                self.n_other_fuel += u64::from(fast.fuel != exact.fuel && !is_out_of_fuel);
                if fast.outcome != exact.outcome {
                    self.wrong.push(describe(
                        seed,
                        &case,
                        &format!("fast  {fast:?}\nexact {exact:?}"),
                    ));
                }
            }
            Err(panic) => self.wrong.push(describe(
                seed,
                &case,
                &format!("a panic: {}", message(&*panic)),
            )),
        }
    }

    fn joined(mut self, other: Tally) -> Tally {
        for (kind, n) in other.kinds {
            *self.kinds.entry(kind).or_insert(0) += n;
        }
        self.n_fast += other.n_fast;
        self.n_lines += other.n_lines;
        self.n_other_fuel += other.n_other_fuel;
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

/// Whether the fast engine answered by itself, the answer, and the reference engine's.
fn compare(engine: &Engine, case: &Case) -> (bool, Ran, Ran) {
    let exact = Engine {
        mode: Mode::Exact,
        ..engine.clone()
    };
    let exact = exact.run_metered(&case.program, &case.sample());
    match engine.run_ready(&Ready::of(&case.program), &case.sample()) {
        Ok(fast) => (true, fast, exact),
        Err(_) => (false, exact.clone(), exact),
    }
}

fn kind(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Grid(_) => "grid".to_owned(),
        Outcome::Value(_) => "value".to_owned(),
        Outcome::Fault { fault, .. } => fault.to_string(),
    }
}

fn describe(seed: u64, case: &Case, what: &str) -> String {
    let rows: Vec<&[u8]> = case.input.rows().collect();
    format!("seed {seed}: {what}\n{}I = {rows:?}\n", case.program)
}

fn report(tally: &Tally, n_runs: u64) {
    let n_lines = tally.n_lines as f64 / n_runs.max(1) as f64;
    println!(
        "{n_runs} runs, {n_lines:.1} lines on average; the fast engine answered {} of them",
        tally.n_fast
    );
    println!("outcomes: {:?}", tally.kinds);
    println!("other fuel: {}", tally.n_other_fuel);
    println!("different or panicked: {}", tally.wrong.len());
    for wrong in tally.wrong.iter().take(MOST_SHOWN) {
        println!("{wrong}");
    }
}
