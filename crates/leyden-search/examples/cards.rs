//! How long batteries of several sizes take to make: `cards FILE…`.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use leyden_lang::{Battery, Program, Rules};
use leyden_search::{Card, Clock, Deck, Kind, Rates};

struct Watch(Instant);

impl Clock for Watch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

fn main() {
    let mut programs: Vec<Program> = Vec::new();
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        programs.extend(leyden_lang::parse(&source, &path, None).expect("programs"));
    }
    for program in &programs {
        if let Some(line) = leyden_search::types::unsound_line(program) {
            println!("unsound: {} {:?}", program.name, program.lines[line].op);
        }
    }
    let deck = Deck::new(programs.into_iter().map(|program| (program, None)));
    println!(
        "{} programs, {} can be changed",
        deck.len(),
        deck.n_mutable()
    );
    println!("as by default:");
    table(&deck, &Rates::default());
    println!("every program changed:");
    let mut rates = Rates::default();
    rates.set(Kind::Primitive, 1.0);
    table(&deck, &rates);
}

fn table(deck: &Deck, rates: &Rates) {
    for count in [10, 32, 100, 400, 800, 8_000] {
        let card = Card {
            count,
            seed: 1,
            freeze: false,
            rates: rates.clone(),
            rules: Rules::ALL,
        };
        let runs = (0..5).map(|_| card.deal(deck, &Watch(Instant::now())));
        let best = runs.min_by_key(|(_, report)| report.sample + report.mutate + report.merge);
        let Some((battery, report)) = best else {
            return;
        };
        let whole = report.sample + report.mutate + report.merge;
        println!(
            "{count:5}: {:6} lines {:6} nodes {:5.2}  sample {:?} mutate {:?} merge {:?} = {whole:?}, {} dropped, {} mutants",
            battery.n_lines(),
            battery.nodes.len(),
            battery.n_lines() as f64 / battery.nodes.len() as f64,
            report.sample,
            report.mutate,
            report.merge,
            report.n_dropped,
            report.n_mutants,
        );
        if count == 8_000 {
            summary(&battery, &report);
        }
    }
}

fn summary(battery: &Battery, report: &leyden_search::CardReport) {
    for (kind, counts) in Kind::ALL.iter().zip(&report.kinds) {
        println!("{:10} {counts:?}", kind.name());
    }
    println!("{} nodes per sample", battery.n_per_sample());
}
