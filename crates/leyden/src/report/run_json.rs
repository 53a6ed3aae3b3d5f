//! A run as JSON. Keys that end in `_s` are seconds; everything else is the same in every run.

use std::time::Duration;

use serde::Serialize;

use crate::commands::run::Summary;
use crate::failure::Failure;
use crate::programs::Library;
use crate::results::{FaultAt, Judged, PairName, TaskResult};

#[derive(Serialize)]
struct Report<'a> {
    engine: Engine,
    data: Data<'a>,
    tasks: usize,
    solved: usize,
    samples: usize,
    correct: usize,
    phases: Phases,
    execute_cpu_s: f64,
    per_task: Vec<PerTask<'a>>,
}

#[derive(Serialize)]
struct Engine {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    hash: &'a str,
}

#[derive(Serialize)]
struct Phases {
    load_s: f64,
    compile_s: f64,
    generate_s: f64,
    execute_s: f64,
    validate_s: f64,
}

#[derive(Serialize)]
struct PerTask<'a> {
    task: &'a str,
    program: Option<&'a str>,
    correct: usize,
    samples: usize,
    /// The processor time of all programs of the task.
    execute_s: f64,
    wrong: &'a [PairName],
    faults: Vec<Fault>,
    output_hash: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Candidate<'a>>,
}

#[derive(Serialize)]
struct Candidate<'a> {
    program: &'a str,
    file: &'a str,
    correct: usize,
    /// The processor time, if it ran alone (`--no-share`).
    execute_s: Option<f64>,
    wrong: &'a [PairName],
    faults: Vec<Fault>,
    output_hash: String,
}

#[derive(Serialize)]
struct Fault {
    pair: PairName,
    error: &'static str,
    line: u32,
}

pub(crate) fn render(summary: &Summary<'_>) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&report(summary));
    let text = text.map_err(|error| Failure::Other(error.into()))?;
    Ok(text + "\n")
}

fn report<'a>(summary: &'a Summary<'_>) -> Report<'a> {
    let results = &summary.results;
    Report {
        engine: Engine {
            name: "leyden",
            version: env!("CARGO_PKG_VERSION"),
        },
        data: Data {
            name: summary.data_name,
            hash: summary.data_hash,
        },
        tasks: results.len(),
        solved: results.iter().filter(|result| result.is_solved()).count(),
        samples: results.iter().map(|result| result.n_samples).sum(),
        correct: results.iter().map(TaskResult::n_correct).sum(),
        phases: phases(summary),
        execute_cpu_s: seconds(results.iter().map(|result| result.cpu).sum()),
        per_task: results
            .iter()
            .map(|result| per_task(result, summary.library))
            .collect(),
    }
}

fn phases(summary: &Summary<'_>) -> Phases {
    Phases {
        load_s: seconds(summary.phases.load),
        compile_s: seconds(summary.phases.compile),
        generate_s: seconds(summary.phases.generate),
        execute_s: seconds(summary.phases.execute),
        validate_s: seconds(summary.phases.validate),
    }
}

fn per_task<'a>(result: &'a TaskResult<'_>, library: &'a Library) -> PerTask<'a> {
    let best = result.best();
    PerTask {
        task: result.task.id.as_str(),
        program: best.map(|judged| judged.known.program.name.as_str()),
        correct: result.n_correct(),
        samples: result.n_samples,
        execute_s: seconds(result.cpu),
        wrong: best.map_or(&[], |judged| &judged.wrong),
        faults: best.map_or(Vec::new(), |judged| faults(&judged.faults)),
        output_hash: best.map(|judged| hex(judged.output_hash)),
        candidates: candidates(&result.programs, library),
    }
}

/// All programs of a task, where there are several.
fn candidates<'a>(programs: &'a [Judged<'_>], library: &'a Library) -> Vec<Candidate<'a>> {
    let candidate = |judged: &'a Judged<'_>| Candidate {
        program: &judged.known.program.name,
        file: &library.file_of(judged.known).name,
        correct: judged.n_correct,
        execute_s: judged.cpu.map(seconds),
        wrong: &judged.wrong,
        faults: faults(&judged.faults),
        output_hash: hex(judged.output_hash),
    };
    match programs.len() {
        0 | 1 => Vec::new(),
        _ => programs.iter().map(candidate).collect(),
    }
}

fn faults(faults: &[FaultAt]) -> Vec<Fault> {
    let fault = |at: &FaultAt| Fault {
        pair: at.pair,
        error: at.fault.name(),
        line: at.line,
    };
    faults.iter().map(fault).collect()
}

fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// Whole nanoseconds: more digits would be noise.
fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}
