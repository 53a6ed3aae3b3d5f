//! Measures the speed and memory of loading a file, next to CPython.
//!
//! `cargo run --release -p leyden-store --example load_bench -- FILE[:SUBSET] [ROUNDS]`
//!
//! Both sides read the file and make its grids again in every round. Python makes tuples of tuples;
//! Leyden also computes the data set's hash. The first round is wall time and pays for fresh
//! memory. The mean is CPU time, which other processes do not change.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::process::Command;
use std::time::Instant;

use leyden_store::{Cache, DataSpec, load};

const PYTHON: &str = r#"
import json, sys, time
def tuples(value):
    if isinstance(value, dict):
        return {key: tuples(item) for key, item in value.items()}
    return tuple(map(tuple if type(value[0]) is list else tuples, value))
def load():
    with open(sys.argv[1]) as file:
        tuples(json.load(file))
start = time.perf_counter()
load()
first = time.perf_counter() - start
start = time.process_time()
for _ in range(int(sys.argv[2])):
    load()
print(first, (time.process_time() - start) / int(sys.argv[2]))
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let spec: DataSpec = args.next().ok_or("which file?")?.parse()?;
    let n_rounds: usize = args.next().map_or(Ok(20), |n| n.parse())?;
    let DataSpec::Path(path, _) = &spec else {
        return Err("a path, please".into());
    };

    let first = first_load(&spec)?;
    let peak = peak_memory_kb()?;
    let mean = mean_load(&spec, n_rounds)?;
    let mut python = Command::new("python3");
    let python = python
        .args(["-I", "-c", PYTHON])
        .arg(path)
        .arg(n_rounds.to_string())
        .output()?;
    let python = String::from_utf8(python.stdout)?;
    let (python_first, python_mean) = python.trim().split_once(' ').ok_or("Python failed")?;
    report("first, wall", first, python_first.parse()?);
    report("mean, CPU", mean, python_mean.parse()?);
    println!(
        "peak memory after the first load: {:.1} MB",
        peak as f64 / 1024.0
    );
    Ok(())
}

fn report(what: &str, ours: f64, python: f64) {
    let (ms, python_ms, ratio) = (ours * 1e3, python * 1e3, python / ours);
    println!("{what:11}: leyden {ms:6.2} ms, CPython {python_ms:6.1} ms, ratio {ratio:.1}");
}

fn first_load(spec: &DataSpec) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    std::hint::black_box(load(spec, None, &Cache::at("unused"))?);
    Ok(start.elapsed().as_secs_f64())
}

fn mean_load(spec: &DataSpec, n_rounds: usize) -> Result<f64, Box<dyn Error>> {
    let start = cpu_seconds()?;
    for _ in 0..n_rounds {
        std::hint::black_box(load(spec, None, &Cache::at("unused"))?);
    }
    Ok((cpu_seconds()? - start) / n_rounds as f64)
}

/// The CPU time of this thread, from the kernel, exact to a few milliseconds.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = status.split_whitespace().next().ok_or("no schedstat")?;
    Ok(nanoseconds.parse::<f64>()? / 1e9)
}

/// The largest memory this process ever had, from the kernel.
fn peak_memory_kb() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line
        .and_then(|line| line.split_whitespace().next())
        .ok_or("no VmHWM")?;
    Ok(kb.parse()?)
}
