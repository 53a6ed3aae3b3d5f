//! `cargo run --release -p leyden-gpu --features opencl --example primitives -- [PROGRAMS] [SEED]
//! [LANES]`
//!
//! Runs random programs built around each primitive of the device, on the first OpenCL device and
//! on the CPU, and prints a table of the results. The exit code is 1 if one answer differs.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::Instant;

use leyden_exec::with_large_stack;
use leyden_gpu::opencl::{Session, Settings};
use leyden_gpu::{GpuError, Tally, Verdict, selftest};

fn main() -> ExitCode {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|n| n.parse().ok()).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() <= 3) else {
        println!("usage: primitives [PROGRAMS] [SEED] [LANES]");
        return ExitCode::from(2);
    };
    let number = |k: usize| numbers.get(k).copied();
    let (n_programs, seed) = (number(0).unwrap_or(100) as usize, number(1).unwrap_or(0));
    let lanes = number(2).map(|lanes| lanes as usize);
    match with_large_stack(|| run(n_programs, seed, lanes)) {
        Ok(verdict) if verdict.agrees() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(n_programs: usize, seed: u64, lanes: Option<usize>) -> Result<Verdict, GpuError> {
    let settings = Settings {
        lanes,
        ..Settings::default()
    };
    let session = Session::open(0, settings)?;
    let started = Instant::now();
    let verdict = selftest(&session, n_programs, seed)?;
    println!("| primitive | batches | answered | faults | differences |\n|---|---|---|---|---|");
    for (name, tally) in &verdict.by_primitive {
        print_row(name, tally);
    }
    print_row("all", &verdict.total());
    for difference in verdict.differences.iter().take(5) {
        println!("\n{difference}");
    }
    println!(
        "{}, {:.1} s",
        session.info().name,
        started.elapsed().as_secs_f64()
    );
    Ok(verdict)
}

fn print_row(name: &str, tally: &Tally) {
    let (sent, answered) = (tally.n_sent, tally.n_answered);
    let (faults, different) = (tally.n_faults, tally.n_different);
    println!("| {name} | {sent} | {answered} | {faults} | {different} |");
}
