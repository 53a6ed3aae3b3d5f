//! A run as JSON. Keys that end in `_s` are seconds; everything else is equal in equal runs.

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::pipeline::Phases;
use crate::pipeline::sample::PairName;
use crate::pipeline::validate::{FaultAt, Judged, TaskResult};
use crate::programs::Library;
use crate::report::numbers::{PhaseSeconds, seconds};
use crate::report::pretty_json;
use crate::report::run_text::Summary;

#[derive(Serialize)]
struct Report<'a> {
    engine: Engine,
    data: Data<'a>,
    tasks: usize,
    solved: usize,
    samples: usize,
    correct: usize,
    phases: PhaseSeconds,
    execute_cpu_s: f64,
    per_task: &'a [PerTask],
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

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PerTask {
    pub(crate) task: String,
    program: Option<String>,
    correct: u32,
    samples: u32,
    /// The processor time of all programs of the task.
    execute_s: f64,
    wrong: Vec<String>,
    faults: Vec<Fault>,
    output_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Candidate {
    program: String,
    file: String,
    correct: u32,
    /// The processor time, if it ran alone (`--no-share`).
    execute_s: Option<f64>,
    wrong: Vec<String>,
    faults: Vec<Fault>,
    output_hash: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    pair: String,
    error: String,
    line: u32,
}

impl PerTask {
    pub(crate) fn is_solved(&self) -> bool {
        self.samples > 0 && self.correct == self.samples
    }

    /// The result without its times.
    pub(crate) fn timeless(&self) -> PerTask {
        let mut timeless = self.clone();
        timeless.execute_s = 0.0;
        for candidate in &mut timeless.candidates {
            candidate.execute_s = None;
        }
        timeless
    }
}

/// The whole report, from a run here or from merged parts.
pub(crate) fn render(
    data_name: &str,
    data_hash: &str,
    times: &Phases,
    per_task: &[PerTask],
) -> Result<String, Failure> {
    let sum = |of: fn(&PerTask) -> u32| per_task.iter().map(|task| of(task) as usize).sum();
    pretty_json(&Report {
        engine: Engine {
            name: "leyden",
            version: env!("CARGO_PKG_VERSION"),
        },
        data: Data {
            name: data_name,
            hash: data_hash,
        },
        tasks: per_task.len(),
        solved: per_task.iter().filter(|task| task.is_solved()).count(),
        samples: sum(|task| task.samples),
        correct: sum(|task| task.correct),
        phases: times.into(),
        execute_cpu_s: whole_nanos(per_task.iter().map(|task| task.execute_s).sum()),
        per_task,
    })
}

/// The results of all tasks.
pub(crate) fn per_task(summary: &Summary<'_>) -> Vec<PerTask> {
    let results = summary.results.iter();
    results
        .map(|result| of_task(result, summary.library))
        .collect()
}

fn of_task(result: &TaskResult<'_>, library: &Library) -> PerTask {
    let best = result.best();
    PerTask {
        task: result.task.id.to_string(),
        program: best.map(|judged| judged.known.program.name.clone()),
        correct: result.n_correct() as u32,
        samples: result.n_samples as u32,
        execute_s: seconds(result.cpu),
        wrong: best.map_or(Vec::new(), |judged| names(&judged.wrong)),
        faults: best.map_or(Vec::new(), |judged| faults(&judged.faults)),
        output_hash: best.map(|judged| hex(judged.output_hash)),
        candidates: candidates(&result.programs, library),
    }
}

/// All programs of a task, if it has several.
fn candidates(programs: &[Judged<'_>], library: &Library) -> Vec<Candidate> {
    let candidate = |judged: &Judged<'_>| Candidate {
        program: judged.known.program.name.clone(),
        file: library.file_of(judged.known).name.clone(),
        correct: judged.n_correct as u32,
        execute_s: judged.cpu.map(seconds),
        wrong: names(&judged.wrong),
        faults: faults(&judged.faults),
        output_hash: hex(judged.output_hash),
    };
    match programs.len() {
        0 | 1 => Vec::new(),
        _ => programs.iter().map(candidate).collect(),
    }
}

fn names(pairs: &[PairName]) -> Vec<String> {
    pairs.iter().map(PairName::to_string).collect()
}

fn faults(faults: &[FaultAt]) -> Vec<Fault> {
    let fault = |at: &FaultAt| Fault {
        pair: at.pair.to_string(),
        error: at.fault.name().to_owned(),
        line: at.line,
    };
    faults.iter().map(fault).collect()
}

fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

fn whole_nanos(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}
