//! Times the making of batteries: sampling, mutating, merging, compiling.

use std::fs;
use std::time::Duration;

use leyden_exec::BatteryPlan;
use leyden_lang::{Program, parse};
use leyden_search::{Clock, Deck, Kind};

use crate::Outcome;
use crate::material::{Material, card};
use crate::timing::ProcessorTime;
use crate::workloads::SIZES;

/// The number of rounds; the best one is shown.
const ROUNDS: usize = 7;

struct Row {
    n_programs: usize,
    /// The number of programs to draw. It is larger than `n_programs`, since equal programs are
    /// dropped.
    n_drawn: usize,
    n_mutants: usize,
    n_lines: usize,
    n_nodes: usize,
    sample: Duration,
    mutate: Duration,
    merge: Duration,
    compile: Duration,
}

impl Row {
    fn whole(&self) -> Duration {
        self.sample + self.mutate + self.merge + self.compile
    }

    fn us_per(&self, count: usize) -> f64 {
        self.whole().as_secs_f64() * 1e6 / count as f64
    }
}

/// Prints the table, for the built-in solvers or those of some files.
pub(crate) fn run(options: &[&str]) -> Outcome {
    let is_changed = options.contains(&"--changed");
    let options: Vec<&str> = options
        .iter()
        .copied()
        .filter(|o| *o != "--changed")
        .collect();
    let paths: Option<Vec<&str>> = options
        .chunks(2)
        .map(|option| match option {
            ["--solvers", path] => Some(*path),
            _ => None,
        })
        .collect();
    let deck = deck(&paths.ok_or(crate::USAGE)?)?;
    println!(
        "{} solvers, {} of them can be changed; processor time on one core, best of {ROUNDS}",
        deck.len(),
        deck.n_mutable()
    );
    println!(
        "{:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>11} {:>11}",
        "programs",
        "drawn",
        "mutants",
        "lines",
        "nodes",
        "sample ms",
        "mutate ms",
        "merge ms",
        "compile ms",
        "whole ms",
        "per program",
        "per drawn"
    );
    SIZES
        .iter()
        .filter_map(|count| best(&deck, *count, is_changed))
        .for_each(|row| print(&row));
    Ok(())
}

fn deck(paths: &[&str]) -> Result<Deck, String> {
    if paths.is_empty() {
        return Ok(Material::built_in().deck());
    }
    let mut programs: Vec<Program> = Vec::new();
    for path in paths {
        let source = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let parsed = parse(&source, path, None);
        programs.extend(parsed.map_err(|errors| format!("{path}: {} errors", errors.len()))?);
    }
    Ok(Deck::new(
        programs.into_iter().map(|program| (program, None)),
    ))
}

fn best(deck: &Deck, count: usize, is_changed: bool) -> Option<Row> {
    let rounds = (0..ROUNDS).map(|_| row(deck, count, is_changed));
    rounds.min_by_key(Row::whole)
}

fn row(deck: &Deck, count: usize, is_changed: bool) -> Row {
    let (clock, mut card) = (ProcessorTime, card(count));
    if is_changed {
        card.rates.set(Kind::Primitive, 1.0);
    }
    let (battery, report) = card.deal(deck, &clock);
    let start = clock.now();
    let plan = BatteryPlan::new(battery);
    let compile = clock.now() - start;
    let battery = plan.battery();
    Row {
        n_programs: battery.outs.len(),
        n_drawn: report.n_sampled,
        n_mutants: report.n_mutants,
        n_lines: battery.n_lines(),
        n_nodes: battery.nodes.len(),
        sample: report.sample,
        mutate: report.mutate,
        merge: report.merge,
        compile,
    }
}

fn print(row: &Row) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{:8} {:8} {:8} {:8} {:8} {:10.3} {:10.3} {:10.3} {:10.3} {:10.3} {:8.2} µs {:8.2} µs",
        row.n_programs,
        row.n_drawn,
        row.n_mutants,
        row.n_lines,
        row.n_nodes,
        ms(row.sample),
        ms(row.mutate),
        ms(row.merge),
        ms(row.compile),
        ms(row.whole()),
        row.us_per(row.n_programs),
        row.us_per(row.n_drawn)
    );
}
