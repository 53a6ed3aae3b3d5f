//! Merged equals alone: compares batteries on the fast engine with each program alone on the exact
//! one.
//!
//! - `merged frozen DATA EVERY FUEL FILE…`: the programs of each file as a battery, and all
//!   together, with all rules and with none, on all inputs of every EVERYth task;
//! - `merged mutants DATA N SEED FUEL FILE…`: N mutated batteries of 32 on 20 inputs each.
//!
//! The comparison includes fault lines. Rules may save a few units of fuel. So with rules, a run
//! that ends for want of fuel on one side is counted apart unless both sides end in one line.
//! Without rules no run is counted apart.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use leyden_dsl::fault::Fault;
use leyden_exec::{BatteryPlan, Engine, Mode, Outcome, Sample, Seen, parallel_map};
use leyden_grid::{Grid, Pair, Task};
use leyden_lang::{Battery, Program, Rules};
use leyden_search::colours::Colours;
use leyden_search::{Card, Deck, NoClock, Rates};
use leyden_store::{Cache, DataSpec, load};

const N_THREADS: usize = 2;
const BATTERY_SIZE: usize = 32;
const INPUTS_PER_BATTERY: usize = 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let tally = match args[..] {
        ["frozen", data, every, fuel, ref files @ ..] => frozen(data, every, fuel, files),
        ["mutants", data, n, seed, fuel, ref files @ ..] => mutants(data, n, seed, fuel, files),
        _ => Err("usage: merged frozen DATA EVERY FUEL FILE…\n       merged mutants DATA N SEED FUEL FILE…".to_owned()),
    };
    match tally {
        Ok(tally) => {
            println!(
                "{} comparisons, {} faults; left to the exact engine: {}; at the edge of the tank: {}; different: {}",
                tally.n_runs, tally.n_faults, tally.n_exact, tally.n_edge, tally.n_different
            );
            ExitCode::from(u8::from(tally.n_different > 0))
        }
        Err(message) => {
            println!("{message}");
            ExitCode::from(2)
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    n_runs: u64,
    n_faults: u64,
    n_exact: u64,
    n_edge: u64,
    n_different: u64,
}

impl Tally {
    fn plus(self, other: Tally) -> Tally {
        Tally {
            n_runs: self.n_runs + other.n_runs,
            n_faults: self.n_faults + other.n_faults,
            n_exact: self.n_exact + other.n_exact,
            n_edge: self.n_edge + other.n_edge,
            n_different: self.n_different + other.n_different,
        }
    }

    fn compare(&mut self, rules: Rules, program: &Program, merged: &Outcome, alone: &Outcome) {
        let is_fuel = |outcome: &Outcome| outcome.fault() == Some(Fault::Fuel);
        self.n_runs += 1;
        self.n_faults += u64::from(alone.fault().is_some());
        if merged == alone {
            return;
        }
        if rules != Rules::NONE && (is_fuel(merged) || is_fuel(alone)) {
            self.n_edge += 1;
        } else {
            self.n_different += 1;
            println!("{program}merged {merged:?}\nalone {alone:?}");
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text}: no number"))
}

fn tasks(data: &str) -> Result<Vec<Task>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    Ok(load(&spec, None, &cache).map_err(|e| text(&e))?.tasks)
}

fn programs(path: &str) -> Result<Vec<Program>, String> {
    let source = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    leyden_lang::parse(&source, path, None).map_err(|e| format!("{path}: {} errors", e.len()))
}

fn engine(fuel: u64, mode: Mode) -> Engine {
    Engine {
        fuel,
        mode,
        ..Engine::default()
    }
}

/// Runs a program alone on the exact engine.
fn alone(program: &Program, demos: &[Pair], input: &Grid, fuel: u64) -> Outcome {
    let sample = Sample {
        demos,
        ..Sample::of(input)
    };
    engine(fuel, Mode::Exact).run(program, &sample)
}

/// A battery, and the indices of its programs among all programs.
struct Part {
    plan: BatteryPlan,
    rules: Rules,
    first: usize,
}

fn frozen(data: &str, every: &str, fuel: &str, files: &[&str]) -> Result<Tally, String> {
    let (every, fuel) = (number(every)?.max(1) as usize, number(fuel)?);
    let mut all = Vec::new();
    let mut parts = Vec::new();
    let part = |programs: &[Program], first: usize, rules: Rules| Part {
        plan: BatteryPlan::new(Battery::from_programs(programs, rules)),
        rules,
        first,
    };
    for file in files {
        let programs = programs(file)?;
        parts.extend([Rules::ALL, Rules::NONE].map(|rules| part(&programs, all.len(), rules)));
        all.extend(programs);
    }
    if files.len() > 1 {
        parts.extend([Rules::ALL, Rules::NONE].map(|rules| part(&all, 0, rules)));
    }
    let tasks: Vec<Task> = tasks(data)?.into_iter().step_by(every).collect();
    let check = |task: &Task| check_task(task, &all, &parts, fuel);
    let tallies = parallel_map(N_THREADS, &tasks, check);
    Ok(tallies.into_iter().fold(Tally::default(), Tally::plus))
}

fn inputs(task: &Task) -> Vec<&Grid> {
    task.pairs().map(|(input, _)| input).collect()
}

fn check_task(task: &Task, all: &[Program], parts: &[Part], fuel: u64) -> Tally {
    let inputs = inputs(task);
    let expected: Vec<Vec<Outcome>> = inputs
        .iter()
        .map(|input| {
            all.iter()
                .map(|p| alone(p, &task.demos, input, fuel))
                .collect()
        })
        .collect();
    let mut tally = Tally::default();
    for part in parts {
        let counts = part.plan.with_worker(&engine(fuel, Mode::Fast), |worker| {
            let seen = Seen {
                demos: &task.demos,
                expected: None,
            };
            worker.run(&seen, inputs.iter().copied(), |input, k, merged| {
                let k = part.first + k;
                tally.compare(part.rules, &all[k], &merged, &expected[input][k]);
            });
            worker.counts()
        });
        tally.n_exact += counts.exact_runs;
    }
    tally
}

fn mutants(data: &str, n: &str, seed: &str, fuel: &str, files: &[&str]) -> Result<Tally, String> {
    let (n, seed, fuel) = (number(n)?, number(seed)?, number(fuel)?);
    let tasks = tasks(data)?;
    let mut colours = tasks.iter().map(|task| Colours::of(&task.puzzle())).cycle();
    let mut all = Vec::new();
    for file in files {
        all.extend(programs(file)?);
    }
    let deck = Deck::new(all.into_iter().map(|program| (program, colours.next())));
    let seeds: Vec<u64> = (seed..seed + n).collect();
    let check = |seed: &u64| check_mutants(&deck, &tasks, *seed, fuel);
    let tallies = parallel_map(N_THREADS, &seeds, check);
    Ok(tallies.into_iter().fold(Tally::default(), Tally::plus))
}

fn check_mutants(deck: &Deck, tasks: &[Task], seed: u64, fuel: u64) -> Tally {
    let card = Card {
        count: BATTERY_SIZE,
        seed,
        freeze: false,
        rates: Rates::default(),
        rules: Rules::NONE,
    };
    let (plain, _) = card.deal(deck, &NoClock);
    let programs: Vec<Program> = (0..plain.outs.len()).map(|k| plain.program(k)).collect();
    let plans = [Rules::ALL, Rules::NONE].map(|rules| {
        (
            rules,
            BatteryPlan::new(Battery::from_programs(&programs, rules)),
        )
    });
    let mut tally = Tally::default();
    for k in 0..INPUTS_PER_BATTERY {
        // The steps share no factor with most numbers of tasks, so every task gets its turn.
        let task = &tasks[(seed as usize * 7_919 + k * 104_729) % tasks.len()];
        let inputs = inputs(task);
        let input = inputs[(seed as usize + k) % inputs.len()];
        let seen = Seen {
            demos: &task.demos,
            expected: None,
        };
        let expected: Vec<Outcome> = programs
            .iter()
            .map(|program| alone(program, &task.demos, input, fuel))
            .collect();
        for (rules, plan) in &plans {
            plan.with_worker(&engine(fuel, Mode::Fast), |worker| {
                worker.run(&seen, [input], |_, k, merged| {
                    tally.compare(*rules, &programs[k], &merged, &expected[k]);
                });
                tally.n_exact += worker.counts().exact_runs;
            });
        }
    }
    tally
}
