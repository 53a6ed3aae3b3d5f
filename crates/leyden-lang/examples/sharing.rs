//! Prints the lines of some files' programs and the nodes of their graph, rule by rule: `sharing
//! FILE…`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use leyden_lang::{Battery, Program, Rules};

fn main() {
    let mut programs: Vec<Program> = Vec::new();
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        programs.extend(leyden_lang::parse(&source, &path, None).expect("programs"));
    }
    let mut rules = Rules::NONE;
    report("plain", &programs, rules);
    for name in Rules::names() {
        rules = rules.with(name).expect("a rule");
        report(name, &programs, rules);
    }
}

fn report(name: &str, programs: &[Program], rules: Rules) {
    let start = Instant::now();
    let battery = Battery::from_programs(programs, rules);
    let took = start.elapsed();
    let (lines, nodes) = (battery.n_lines(), battery.nodes.len());
    let n_per_sample = battery.n_per_sample();
    let ratio = lines as f64 / nodes as f64;
    println!(
        "{name:24} {lines:6} lines {nodes:6} nodes {ratio:5.3} {n_per_sample:6} per sample {took:?}"
    );
}
