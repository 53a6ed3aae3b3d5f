//! A battery's results as JSON. Keys that end in `_s` are seconds and have lines of their own;
//! everything else is equal in equal runs. Each program and each task is one line.

use std::collections::BTreeMap;
use std::io::Write;

use leyden_exec::Mode;
use leyden_lang::Rules;
use serde::{Deserialize, Serialize};

use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::Phases as PhaseTimes;
use crate::pipeline::credit::{Closest, TaskScores};
use crate::pipeline::read::Member;
use crate::pipeline::scoring::Scale;
use crate::pipeline::task_run::{Digest, TaskRun};
use crate::pipeline::totals::{FaultCounts, OfTask, Totals};
use crate::report::numbers::seconds;

/// The contents of a report, from a run here or from merged parts.
pub(crate) struct Report<'a> {
    pub(crate) data_name: &'a str,
    pub(crate) data_hash: &'a str,
    pub(crate) switches: Switches,
    pub(crate) members: &'a [Member],
    pub(crate) n_nodes: usize,
    /// The names and scales of scoring programs, if there are any.
    pub(crate) scores: Option<Vec<(&'a str, Scale)>>,
    pub(crate) runs: &'a [TaskRun],
    pub(crate) totals: &'a Totals,
    pub(crate) phases: PhaseTimes,
}

#[derive(Serialize)]
struct Head<'a> {
    engine: Engine,
    switches: Switches,
    data: Data<'a>,
    battery: Battery,
    tasks: usize,
    samples: usize,
    runs: usize,
    right: usize,
    solved: usize,
    transferred: usize,
    only_fitted: usize,
    outcomes: Outcomes,
    scores: Vec<Score<'a>>,
    work: Work,
    phases: Phases,
}

#[derive(Serialize)]
struct Engine {
    name: &'static str,
    version: &'static str,
}

/// The settings of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switches {
    share: bool,
    batch: bool,
    cache: bool,
    rules: bool,
    exact_order: bool,
    fuel: u64,
}

impl Switches {
    pub(crate) fn of(args: &EngineArgs) -> Switches {
        Switches {
            share: args.sharing.is_on,
            batch: args.sharing.batches,
            cache: args.caches,
            rules: args.sharing.rules != Rules::NONE,
            exact_order: args.mode == Mode::Exact,
            fuel: args.fuel,
        }
    }
}

#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    hash: &'a str,
}

#[derive(Serialize)]
struct Battery {
    programs: usize,
    lines: usize,
    nodes: usize,
}

#[derive(Serialize)]
struct Outcomes {
    grids: usize,
    values: usize,
    faults: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Score<'a> {
    name: &'a str,
    /// The best number, unless it is that of Leyden's own scoring programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<u32>,
    /// Whether it scores the candidate's gain over the input.
    #[serde(skip_serializing_if = "is_false")]
    over_input: bool,
    /// How often it gave no number.
    failed: u64,
    /// The number of demonstrations on which a wrong grid gets more than the right one.
    #[serde(skip_serializing_if = "is_none")]
    misranked: u64,
}

/// The work of the CPU, and the number of runs that needed none.
#[derive(Serialize)]
struct Work {
    #[serde(skip_serializing_if = "is_none")]
    device_runs: u64,
    nodes: u64,
    exact_runs: u64,
    exact_nodes: u64,
    score_runs: u64,
    score_exact_runs: u64,
}

#[derive(Serialize)]
struct Phases {
    load_s: f64,
    compile_s: f64,
    generate_s: f64,
    execute_s: f64,
    execute_cpu_s: f64,
    score_cpu_s: f64,
    validate_s: f64,
}

#[derive(Serialize)]
struct ProgramLine<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
    task: Option<&'a str>,
    right: usize,
    /// The mean over tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<f64>,
    solves: Vec<&'a str>,
    fits: Vec<&'a str>,
    faults: BTreeMap<&'static str, u64>,
    /// Runs on devices, whose fuel is not known.
    #[serde(skip_serializing_if = "is_none")]
    device_runs: u64,
    /// The fuel of all its other runs.
    fuel: u64,
    most_fuel: u64,
    most_fuel_on: Option<SampleName<'a>>,
}

/// A task and the number of a sample of it, demonstrations first.
#[derive(Serialize)]
struct SampleName<'a> {
    task: &'a str,
    sample: usize,
}

#[derive(Serialize)]
struct TaskLine<'a> {
    task: &'a str,
    demos: usize,
    tests: usize,
    /// Programs by their indices.
    solved_by: &'a [usize],
    fitted_by: &'a [usize],
    /// The partial score of each program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial: Vec<f64>,
    /// For each scoring program that compares with the input, its score for each program.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    differ_scores: &'a [Vec<u32>],
    /// The indices of scoring programs that give a wrong grid more than the right one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misranked_by: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<&'a Closest>,
    hashes: Vec<String>,
    /// For each sample, demonstrations first, the index of the right hash if a program has it.
    right: &'a [Option<u32>],
    /// For each sample and program the index of its hash.
    outputs: Vec<&'a [u32]>,
}

fn is_false(it: &bool) -> bool {
    !it
}

fn is_none(n: &u64) -> bool {
    *n == 0
}

/// Streams everything into a file that appears when it is complete.
pub(crate) fn write(report: &Report<'_>, target: &Target) -> Result<(), Failure> {
    let mut out = target.open()?;
    let head = serde_json::to_string_pretty(&head(report)).map_err(failed)?;
    let open_head = head.strip_suffix("\n}").unwrap_or(&head);
    write!(out, "{open_head}")?;
    let programs = (0..report.members.len()).map(|k| program_line(report, k));
    write_lines(&mut out, "programs", programs)?;
    let runs = report.runs.iter().zip(&report.totals.tasks);
    write_lines(
        &mut out,
        "per_task",
        runs.map(|(run, of)| task_line(run, of)),
    )?;
    write!(out, "\n}}\n")?;
    out.finish()
}

fn failed(error: serde_json::Error) -> Failure {
    Failure::Other(error.into())
}

/// A list with an item on each line.
fn write_lines<T: Serialize>(
    out: &mut impl Write,
    key: &str,
    items: impl Iterator<Item = T>,
) -> Result<(), Failure> {
    write!(out, ",\n  \"{key}\": [")?;
    for (k, item) in items.enumerate() {
        let line = serde_json::to_string(&item).map_err(failed)?;
        let comma = if k == 0 { "" } else { "," };
        write!(out, "{comma}\n    {line}")?;
    }
    Ok(write!(out, "\n  ]")?)
}

fn head<'a>(report: &'a Report<'_>) -> Head<'a> {
    let totals = report.totals;
    Head {
        engine: Engine {
            name: "leyden",
            version: env!("CARGO_PKG_VERSION"),
        },
        switches: report.switches,
        data: Data {
            name: report.data_name,
            hash: report.data_hash,
        },
        battery: Battery {
            programs: report.members.len(),
            lines: report.members.iter().map(|member| member.n_lines).sum(),
            nodes: report.n_nodes,
        },
        tasks: report.runs.len(),
        samples: totals.n_samples,
        runs: totals.n_runs,
        right: totals.n_right,
        solved: totals.n_solved(),
        transferred: totals.n_transferred(),
        only_fitted: totals.n_only_fitted(),
        outcomes: Outcomes {
            grids: totals.n_grids,
            values: totals.n_values,
            faults: faults(&totals.faults),
        },
        scores: scores(report),
        work: Work {
            device_runs: totals.n_on_device(),
            nodes: totals.counts.nodes,
            exact_runs: totals.counts.exact_runs,
            exact_nodes: totals.counts.exact_nodes,
            score_runs: totals.score_counts.runs,
            score_exact_runs: totals.score_counts.exact_runs,
        },
        phases: phases(report),
    }
}

fn scores<'a>(report: &'a Report<'_>) -> Vec<Score<'a>> {
    let names = report.scores.iter().flatten();
    let failed = report.totals.n_unscored.iter();
    let failed = failed.copied().chain(std::iter::repeat(0));
    let misranked = report.totals.n_misranked.iter();
    let misranked = misranked.copied().chain(std::iter::repeat(0));
    let scores = names.zip(failed.zip(misranked));
    let score = |((name, scale), (failed, misranked)): (&(&'a str, Scale), (u64, u64))| Score {
        name,
        scale: (*scale != Scale::OWN).then_some(scale.full),
        over_input: scale.over_input,
        failed,
        misranked,
    };
    scores.map(score).collect()
}

fn phases(report: &Report<'_>) -> Phases {
    let (phases, totals) = (&report.phases, report.totals);
    Phases {
        load_s: seconds(phases.load),
        compile_s: seconds(phases.compile),
        generate_s: seconds(phases.generate),
        execute_s: seconds(phases.execute),
        execute_cpu_s: seconds(totals.execute_cpu),
        score_cpu_s: seconds(totals.score_cpu),
        validate_s: seconds(phases.validate),
    }
}

fn faults(counts: &FaultCounts) -> BTreeMap<&'static str, u64> {
    counts.iter().map(|(fault, n)| (fault.name(), n)).collect()
}

fn program_line<'a>(report: &'a Report<'_>, k: usize) -> ProgramLine<'a> {
    let (member, of) = (&report.members[k], &report.totals.programs[k]);
    let ids = |places: &[usize]| -> Vec<&'a str> {
        let id = |k: &usize| report.runs[*k].task.id.as_str();
        places.iter().map(id).collect()
    };
    let mean = of.partial / report.runs.len().max(1) as f64;
    ProgramLine {
        name: &member.name,
        origin: Some(member.origin.as_str()).filter(|origin| *origin != member.name),
        task: member.own.as_deref(),
        right: of.n_right,
        partial: report.scores.as_ref().map(|_| tenths(mean)),
        solves: ids(&of.solves),
        fits: ids(&of.fits),
        faults: faults(&of.faults),
        device_runs: of.n_on_device,
        fuel: of.fuel,
        most_fuel: of.dearest.map_or(0, |dearest| dearest.fuel),
        most_fuel_on: of.dearest.map(|dearest| SampleName {
            task: report.runs[dearest.task].task.id.as_str(),
            sample: dearest.sample,
        }),
    }
}

fn task_line<'a>(run: &'a TaskRun, of: &'a OfTask) -> TaskLine<'a> {
    let hash = |outcome: &Digest| format!("{:032x}", outcome.hash);
    let partial = (0..run.n_programs).filter_map(|k| run.partial(k).map(tenths));
    let scores = run.scores.as_ref();
    let misranked = |scores: &TaskScores| {
        let counts = scores.n_misranked.iter().enumerate();
        counts.filter(|(_, n)| **n > 0).map(|(k, _)| k).collect()
    };
    TaskLine {
        task: run.task.id.as_str(),
        demos: run.task.n_demos,
        tests: run.task.n_tests,
        solved_by: &of.solved_by,
        fitted_by: &of.fitted_by,
        partial: partial.collect(),
        differ_scores: scores.map_or(&[], |scores| &scores.differ_scores),
        misranked_by: scores.map(misranked).unwrap_or_default(),
        closest: scores.and_then(|scores| scores.closest.as_ref()),
        hashes: run.outcomes.iter().map(hash).collect(),
        right: &run.right,
        outputs: (0..run.n_samples()).map(|k| run.picks(k)).collect(),
    }
}

/// One digit after the point, never rounded up to full marks.
pub(crate) fn tenths(score: f64) -> f64 {
    (score * 10.0).floor() / 10.0
}
