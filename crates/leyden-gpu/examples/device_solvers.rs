//! `cargo run --release -p leyden-gpu --features opencl --example device_solvers -- DATA SOLVERS
//! [LANES]`
//!
//! Runs each program of a file on all pairs of its own task on the first OpenCL device, compares
//! every answer with the CPU's, and prints the share that the device could do. The exit code is 1
//! if one answer differs.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use leyden_exec::{Engine, Outcome, Sample, with_large_stack};
use leyden_gpu::opencl::{Session, Settings};
use leyden_gpu::{Answer, Compiled, Job, Samples, count_supported_lines};
use leyden_grid::Grid;
use leyden_lang::{Op, Operand, Program};
use leyden_store::{Cache, DataSpec, load};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (data, solvers, lanes) = match &args[..] {
        [data, solvers] => (data, solvers, None),
        [data, solvers, lanes] => (data, solvers, lanes.parse().ok()),
        _ => {
            println!("usage: device_solvers DATA SOLVERS [LANES]");
            return ExitCode::from(2);
        }
    };
    match with_large_stack(|| run(data, solvers, lanes)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// A program with the pairs of its task.
struct Own {
    program: Program,
    pairs: Vec<(Grid, Option<Grid>)>,
}

fn own(data: &str, solvers: &str) -> Result<Vec<Own>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let source = std::fs::read_to_string(solvers).map_err(|e| format!("{solvers}: {e}"))?;
    let programs = leyden_lang::parse(&source, solvers, None)
        .map_err(|e| format!("{solvers}: {} errors, first: {}", e.len(), e[0].message))?;
    let with_pairs = programs.into_iter().filter_map(|program| {
        let task = data.task(program.task_id()?)?;
        let pairs = task
            .pairs()
            .map(|(input, output)| (input.clone(), output.cloned()));
        Some(Own {
            pairs: pairs.collect(),
            program,
        })
    });
    Ok(with_pairs.collect())
}

/// The jobs for the device, and the program of each.
#[derive(Default)]
struct Batch {
    samples: Samples,
    compiled: Vec<Compiled>,
    jobs: Vec<Job>,
    owners: Vec<(usize, usize)>,
    refusals: BTreeMap<String, usize>,
}

impl Batch {
    fn of(all: &[Own]) -> Batch {
        let mut batch = Batch::default();
        for (k, own) in all.iter().enumerate() {
            match Compiled::of(&own.program) {
                Ok(compiled) => batch.add(k, own, compiled),
                Err(refusal) => *batch.refusals.entry(refusal.to_string()).or_default() += 1,
            }
        }
        batch
    }

    fn add(&mut self, k: usize, own: &Own, compiled: Compiled) {
        let program = self.compiled.len() as u32;
        self.compiled.push(compiled);
        for (number, (input, expected)) in own.pairs.iter().enumerate() {
            let sample = self.samples.push(input, expected.as_ref());
            self.jobs.push(Job { program, sample });
            self.owners.push((k, number));
        }
    }
}

fn run(data: &str, solvers: &str, lanes: Option<usize>) -> Result<usize, String> {
    let all = own(data, solvers)?;
    let batch = Batch::of(&all);
    let started = Instant::now();
    let settings = Settings {
        lanes,
        ..Settings::default()
    };
    let session = Session::open(0, settings).map_err(|e| e.to_string())?;
    println!(
        "device: {}, opened in {:.1} s",
        session.info().name,
        started.elapsed().as_secs_f64()
    );
    let resident = session.upload(&batch.samples).map_err(|e| e.to_string())?;
    let started = Instant::now();
    let answers = session
        .run(&resident, &batch.compiled, &batch.jobs, true)
        .map_err(|e| e.to_string())?;
    println!(
        "{} jobs in {:.1} ms",
        batch.jobs.len(),
        started.elapsed().as_secs_f64() * 1e3
    );
    println!("{:?}", session.transfers());
    let n_wrong = compare(&all, &batch, &answers);
    report(&all, &batch, &answers);
    Ok(n_wrong)
}

/// The number of answers that differ from the CPU's.
fn compare(all: &[Own], batch: &Batch, answers: &[Answer]) -> usize {
    let engine = Engine::default();
    let mut n_wrong = 0;
    for (answer, (k, number)) in answers.iter().zip(&batch.owners) {
        let (input, expected) = &all[*k].pairs[*number];
        let Some(ours) = answer.outcome() else {
            continue;
        };
        let theirs = engine.run(&all[*k].program, &Sample::of(input));
        if ours != theirs || !says_rightly(answer, &theirs, expected.as_ref()) {
            n_wrong += 1;
            let (ours, theirs) = (ours.to_json(), theirs.to_json());
            println!(
                "DIFFERS {} on {number}\n  device {ours}\n  CPU    {theirs}",
                all[*k].program.name
            );
        }
    }
    println!("answers that differ: {n_wrong}");
    n_wrong
}

/// Whether the hash and the verdict are those of the grid.
fn says_rightly(answer: &Answer, outcome: &Outcome, expected: Option<&Grid>) -> bool {
    let (
        Answer::Grid {
            hash, is_expected, ..
        },
        Outcome::Grid(grid),
    ) = (answer, outcome)
    else {
        return true;
    };
    let is_right = expected.is_some_and(|expected| outcome.equals(expected));
    let same_hash = grid
        .to_grid()
        .is_none_or(|grid| leyden_gpu::hash_of_grid(&grid) == *hash);
    same_hash && is_right == *is_expected
}

/// The call in the line that the device is not sure about.
fn place(program: &Program, answer: &Answer) -> String {
    let Answer::Unsure { line: Some(line) } = answer else {
        return "memory".to_owned();
    };
    match program.lines.get(*line as usize).map(|line| &line.op) {
        Some(Op::Call {
            callee: Operand::Prim(prim),
            ..
        }) => prim.to_string(),
        Some(_) => "a call of a function".to_owned(),
        None => "the output".to_owned(),
    }
}

fn report(all: &[Own], batch: &Batch, answers: &[Answer]) {
    let n_lines: usize = all.iter().map(|own| own.program.lines.len()).sum();
    let n_on_device: usize = all
        .iter()
        .map(|own| count_supported_lines(&own.program))
        .sum();
    let mut unsure: BTreeMap<usize, usize> = BTreeMap::new();
    let mut where_unsure: BTreeMap<String, usize> = BTreeMap::new();
    let mut n_sure = 0;
    for (answer, (k, _)) in answers.iter().zip(&batch.owners) {
        let is_unsure = answer.is_unsure();
        n_sure += usize::from(!is_unsure);
        *unsure.entry(*k).or_default() += usize::from(is_unsure);
        if is_unsure {
            *where_unsure
                .entry(place(&all[*k].program, answer))
                .or_default() += 1;
        }
    }
    let n_whole = unsure.values().filter(|n| **n == 0).count();
    let n_pairs: usize = all.iter().map(|own| own.pairs.len()).sum();
    println!(
        "programs: {}, accepted {}, wholly on the device {n_whole}",
        all.len(),
        batch.compiled.len()
    );
    println!("lines: {n_lines}, of kinds the device has {n_on_device}");
    println!(
        "runs: {n_pairs}, sent {}, answered {n_sure}",
        batch.jobs.len()
    );
    let mut refusals: Vec<_> = batch.refusals.iter().collect();
    refusals.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    for (refusal, n) in refusals.into_iter().take(25) {
        println!("  {n:4} {refusal}");
    }
    println!("not sure at:");
    let mut places: Vec<_> = where_unsure.iter().collect();
    places.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    for (place, n) in places.into_iter().take(25) {
        println!("  {n:4} {place}");
    }
    let with_unsure = unsure.iter().filter(|(_, n)| **n > 0).take(40);
    let names: Vec<&str> = with_unsure
        .map(|(k, _)| all[*k].program.name.as_str())
        .collect();
    println!("not sure in: {}", names.join(" "));
}
