//! Mutated batteries from a graph against the same programs alone, both on the reference engine:
//! `mutants N_BATTERIES SEED FILE…`. A difference is printed and ends the process.
#![allow(clippy::print_stdout)]

use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Mode, Outcome, Sample, with_large_stack};
use leyden_lang::{Battery, Program, Rules};
use leyden_search::colours::Colours;
use leyden_search::{Card, Deck, NoClock, Rates};
use leyden_store::demo;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = || args.next().and_then(|arg| arg.parse::<u64>().ok());
    let (Some(n_batteries), Some(seed)) = (number(), number()) else {
        println!("usage: mutants N_BATTERIES SEED FILE…");
        return;
    };
    let deck = deck(args);
    let (n_runs, n_faults) = with_large_stack(|| {
        let checked = (seed..seed + n_batteries).map(|seed| check(&deck, seed));
        checked.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    });
    println!("{n_runs} runs, {n_faults} faults, no difference");
}

fn deck(paths: impl Iterator<Item = String>) -> Deck {
    let tasks = demo::tasks();
    let mut colours = tasks.iter().map(|task| Colours::of(&task.puzzle())).cycle();
    let mut programs: Vec<Program> = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        programs.extend(leyden_lang::parse(&source, &path, None).expect("programs"));
    }
    Deck::new(
        programs
            .into_iter()
            .map(|program| (program, colours.next())),
    )
}

fn check(deck: &Deck, seed: u64) -> (usize, usize) {
    let card = Card {
        count: 32,
        seed,
        freeze: false,
        rates: Rates::default(),
        rules: Rules::NONE,
    };
    let (plain, _) = card.deal(deck, &NoClock);
    let programs: Vec<Program> = (0..plain.outs.len()).map(|k| plain.program(k)).collect();
    let ruled = Battery::from_programs(&programs, Rules::ALL);
    let (mut n_runs, mut n_faults) = (0, 0);
    for k in 0..4 {
        let case = Case::random(&mut Dice::seeded(seed * 64 + k));
        let sample = Sample::of(&case.input);
        for (k, program) in programs.iter().enumerate() {
            let alone = engine().run(program, &sample);
            let merged = from_graph(&ruled, k, &sample);
            assert_eq!(
                merged,
                alone,
                "seed {seed}\n{program}\n{}",
                ruled.program(k)
            );
            n_runs += 1;
            n_faults += usize::from(alone.fault().is_some());
        }
    }
    (n_runs, n_faults)
}

fn engine() -> Engine {
    Engine {
        fuel: 1_000_000,
        mode: Mode::Exact,
        ..Engine::default()
    }
}

/// The outcome, a fault's line being that of the original program.
fn from_graph(battery: &Battery, k: usize, sample: &Sample<'_>) -> Outcome {
    let program = battery.program(k);
    match engine().run(&program, sample) {
        Outcome::Fault { fault, line } => {
            let source = program.lines.get(line as usize);
            let line = source.map_or(line, |line| line.source_line - 1);
            Outcome::Fault { fault, line }
        }
        other => other,
    }
}
