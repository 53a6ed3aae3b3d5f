//! The project's benchmarks; `cargo xtask bench` and `cargo xtask bench-compare` run them.
//!
//! `list` names the workloads. `once NAME` runs one a single time on the main thread for callgrind,
//! which counts only the instructions of [`measured`] and not the preparations. `time NAME…` times
//! some. `generate` times the making of batteries of several sizes. With `--public` there are also
//! workloads on fetched material, if the cache has it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod generate;
mod material;
mod timing;
mod workloads;

use std::any::Any;
use std::error::Error;
use std::process::ExitCode;

use leyden_exec::with_large_stack;

use crate::material::{Material, Public};
use crate::workloads::{Round, Workload, built_in, public};

const USAGE: &str = "usage: leyden-benches list [--public] | once NAME | time NAME… | generate [--solvers FILE]… [--changed]";

/// How a command ends.
type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // Callgrind gets an option for a larger main stack, and follows the main thread best.
    let result = match args.as_slice() {
        ["once", name] => once(name),
        _ => with_large_stack(|| run(&args)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[&str]) -> Outcome {
    match args {
        ["list", options @ ..] => list(options == ["--public"]),
        ["time", names @ ..] => time(names),
        ["generate", options @ ..] => generate::run(options),
        _ => Err(USAGE.into()),
    }
}

fn list(with_public: bool) -> Outcome {
    let material = Material::built_in();
    for workload in built_in(&material) {
        println!("{}", workload.name);
    }
    if with_public {
        let fetched = Public::from_cache()?;
        public(&fetched).iter().for_each(|w| println!("{}", w.name));
    }
    Ok(())
}

fn once(name: &str) -> Outcome {
    with_workload(name, |workload| {
        let round = (workload.prepare)();
        settle();
        drop(measured(round));
    })
}

fn time(names: &[&str]) -> Outcome {
    for name in names {
        let ns = with_workload(name, timing::nanoseconds)?;
        println!("{name} {ns}");
    }
    Ok(())
}

/// Finds a workload, and only then prepares its material.
fn with_workload<T>(
    name: &str,
    body: impl FnOnce(&Workload<'_>) -> T,
) -> Result<T, Box<dyn Error + Send + Sync>> {
    let (material, fetched);
    let workloads = if name.starts_with("public/") {
        fetched = Public::from_cache()?;
        public(&fetched)
    } else {
        material = Material::built_in();
        built_in(&material)
    };
    let found = workloads.iter().find(|workload| workload.name == name);
    found
        .map(body)
        .ok_or_else(|| format!("there is no workload `{name}`").into())
}

/// Runs the counted part: `cargo xtask` passes the name of this function to callgrind.
#[inline(never)]
fn measured(round: Round<'_>) -> Box<dyn Any> {
    std::hint::black_box(round())
}

/// Makes the allocator tidy up after the preparations. A large request triggers this, which would
/// otherwise happen at some time during the round.
fn settle() {
    drop(std::hint::black_box(vec![0u8; 1 << 16]));
}
