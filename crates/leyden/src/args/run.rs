//! Arguments of `leyden run`, `leyden batt` and `leyden eval`.

use std::path::{Path, PathBuf};

use clap::Args;
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_lang::Language;

use super::backend::{BackendArgs, LowBackend};
use super::shared::{
    LowBattery, LowChoice, LowData, LowEngine, LowJson, LowOut, LowSolvers, PLAIN, needed, outputs,
    with_default,
};
use super::{BATT_FUEL, EngineArgs};
use crate::failure::Failure;
use crate::output::{Target, remark};
use crate::pipeline::load::WantedTasks;
use crate::pipeline::shard::Shard;

/// Run programs on the tasks they were written for, and check the answers
///
/// Leyden reads the task id in a program's name (`solve_007bbfb7`, `verify_007bbfb7`) and runs the
/// program on every pair of that task. If a task has several programs, all of them run and the best
/// one counts. Programs never see test outputs.
///
/// Without arguments, `leyden run` takes ARC-AGI-1 training and 400 public programs. It fetches both
/// on first use. Without a network it runs the built-in tasks.
///
/// The exit code is 0 however many tasks are solved.
#[derive(Args)]
#[command(after_long_help = "\
Names for --data:
  demo                               50 built-in tasks with programs
  demo:families                      25 built-in tasks without programs, for `leyden solve`
  arc1:training  arc1:evaluation     ARC-AGI-1        (also arc1:all)
  arc2:training  arc2:evaluation     ARC-AGI-2        (also arc2:all)
  arc2:new  arc2:look  arc2:hold     what ARC-AGI-2 training has beyond ARC-AGI-1, whole and in halves
  mini                               Mini-ARC, 149 tasks of 5 × 5 cells
  arc1-2019:…  kaggle2024:…  kaggle2025:…
  DIR or FILE                        a task, a directory of tasks, Kaggle's challenges, re-arc's lists

Examples:
  leyden run
  leyden run --data demo
  leyden run mine.py --data arc2:evaluation
  leyden run --data ARC-AGI/data/training --solvers solvers.py --task 007bbfb7
  leyden run --data challenges.json --solutions solutions.json --solvers programs/
  leyden run --json - | jq .solved
  leyden run --shard 3/10 --json part-3.json      one of ten parts, see `leyden help merge`")]
pub(super) struct LowRun {
    /// The programs, as with --solvers
    #[arg(value_name = "PATH")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    #[command(flatten)]
    solvers: LowSolvers,
    #[command(flatten)]
    shard: LowShard,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    backend: LowBackend,
    #[command(flatten)]
    engine: LowEngine,
}

/// A part of the tasks.
#[derive(Args)]
#[command(next_help_heading = "Tasks")]
struct LowShard {
    /// Do only part I of N, counted from 0, and write it with --json for `leyden merge`
    ///
    /// The parts of a job are 0/N, 1/N and so on. Each task belongs to exactly one of them.
    #[arg(long, value_name = "I/N", requires = "json")]
    shard: Option<Shard>,
}

/// Run every program on every task
///
/// `leyden batt` merges all programs into one graph and computes each node once. The programs come
/// from a battery, which `leyden card` makes, or from --solvers. Each program gives exactly the
/// result it gives alone.
///
/// All programs run on the demonstrations and tests of all tasks. A program solves a task if all
/// demonstrations and all known test outputs are right. It fits the task if only the demonstrations
/// are right. A program that solves another task than its own is a transfer.
///
/// Scoring programs give wrong answers to demonstrations partial credit: 100 is right, and 0 has
/// nothing in common with the expected output. The report shows the mean.
///
/// A program that burns too much fuel or memory ends alone, and the report names it. The JSON holds
/// the hash of every output; docs/batt-format.md describes it.
#[derive(Args)]
#[command(
    mut_arg("fuel", |fuel| with_default(fuel, "10000000")),
    after_long_help = "\
A scoring program of your own looks like this. It never runs on test inputs.
  def score_height(S, I, C):                I: the answer, C: the expected output
      a = height(I)
      b = height(C)
      return (multiply(100, equality(a, b)), (a, b))

Examples:
  leyden card -c 100 --out out.batt && leyden batt out.batt
  leyden batt --solvers solvers.py --data arc1:training --json out.json
  leyden batt --solvers mine.py --data arc2:evaluation --tasks 20 --no-scores
  leyden batt out.batt --data demo --scores my_scores.py
  leyden batt --data demo --no-share        measures what merging gains"
)]
pub(super) struct LowBatt {
    /// A battery, or programs in any other form
    #[arg(value_name = "BATTERY", conflicts_with_all = ["battery", "solvers", "dialect"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    battery: LowBattery,
    /// The seconds that tokpidjin's run_batt.py gives each sample
    #[arg(short = 't', value_name = "SECONDS", hide = true)]
    seconds: Option<String>,
    #[command(flatten)]
    solvers: LowSolvers,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    /// Score with the programs of FILE instead of the built-in ones
    ///
    /// Scores go from 0 to 100; a line `# scale: N` in FILE says otherwise. tokpidjin's differs go
    /// from 0 to 1000 and count the improvement over the input.
    #[arg(long, value_name = "FILE", conflicts_with = "no_scores", help_heading = PLAIN)]
    scores: Option<PathBuf>,
    /// Give no partial credit
    #[arg(long, help_heading = PLAIN)]
    no_scores: bool,
    #[command(flatten)]
    shard: LowShard,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    backend: LowBackend,
    #[command(flatten)]
    engine: LowEngine,
}

/// Run every program on every grid of a list
///
/// The output has one line of JSON for each program and grid, first by program, then by grid:
/// {"solver": "solve_007bbfb7", "input": 0, "grid": [[…], …]}
///
/// A line has "grid" for a grid, "value" for any other value, or "error" for the class of CPython's
/// exception (or Fuel, Memory, Overflow). docs/eval-format.md describes the values.
#[derive(Args)]
#[command(
    mut_arg("solvers", needed),
    mut_arg("out", |out| out.required(true)),
    after_long_help = "\
Examples:
  leyden eval --solvers solvers.py --inputs grids.json --out results.jsonl
  leyden eval --solvers a.py b.py --inputs grids.json --out - | head -1"
)]
pub(super) struct LowEval {
    #[command(flatten)]
    solvers: LowSolvers,
    /// A file with a JSON list of grids
    #[arg(long, value_name = "FILE", help_heading = PLAIN)]
    inputs: PathBuf,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    engine: LowEngine,
}

pub(crate) struct RunArgs {
    pub(crate) tasks: WantedTasks,
    pub(crate) solvers: Vec<PathBuf>,
    /// The file of names that `language` has.
    pub(crate) names: Option<PathBuf>,
    pub(crate) language: Language,
    pub(crate) shard: Option<Shard>,
    pub(crate) json: Option<Target>,
    pub(crate) backend: BackendArgs,
    pub(crate) engine: EngineArgs,
}

/// Where scoring programs come from.
pub(crate) enum ScoresFrom {
    Own,
    File(PathBuf),
    Nowhere,
}

pub(crate) struct BattArgs {
    pub(crate) file: Option<PathBuf>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) tasks: WantedTasks,
    pub(crate) language: Language,
    pub(crate) scores: ScoresFrom,
    pub(crate) shard: Option<Shard>,
    pub(crate) json: Option<Target>,
    pub(crate) backend: BackendArgs,
    pub(crate) engine: EngineArgs,
}

pub(crate) struct EvalArgs {
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) inputs: PathBuf,
    pub(crate) out: Target,
    pub(crate) json: Option<Target>,
    pub(crate) language: Language,
    pub(crate) engine: EngineArgs,
}

/// Words without an option are programs here, while other commands take tasks there.
fn refuse_task(path: &Path) -> Result<(), Failure> {
    let is_id = |text: &str| text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match path.to_str() {
        Some(id) if is_id(id) && !path.exists() => Err(Failure::bad_input(format!(
            "{id}: there is no such file; for a task, write `--task {id}`"
        ))),
        _ => Ok(()),
    }
}

impl LowRun {
    pub(super) fn validate(self) -> Result<RunArgs, Failure> {
        let engine = self.engine.validate(DEFAULT_FUEL);
        self.files.iter().try_for_each(|path| refuse_task(path))?;
        let solvers = self.files.into_iter().chain(self.solvers.solvers);
        Ok(RunArgs {
            backend: self.backend.validate()?.with_mode(engine.mode)?,
            tasks: self.data.tasks(self.choice.into()),
            solvers: solvers.collect(),
            names: self.solvers.dialect.names.names.clone(),
            language: self.solvers.dialect.validate()?,
            shard: self.shard.shard,
            json: self.json.validate()?,
            engine,
        })
    }
}

impl LowBatt {
    pub(super) fn validate(self) -> Result<BattArgs, Failure> {
        if let Some(seconds) = self.seconds {
            remark(&format!(
                "note: -t {seconds} has no effect: fuel ends long runs, so that results do not \
                 depend on the machine; --fuel sets it\n"
            ));
        }
        let scores = match self.scores {
            _ if self.no_scores => ScoresFrom::Nowhere,
            Some(path) => ScoresFrom::File(path),
            None => ScoresFrom::Own,
        };
        let engine = self.engine.validate(BATT_FUEL);
        Ok(BattArgs {
            backend: self.backend.validate()?.with_mode(engine.mode)?,
            file: self.file.or(self.battery.battery),
            solvers: self.solvers.solvers,
            tasks: self.data.tasks(self.choice.into()),
            language: self.solvers.dialect.validate()?,
            scores,
            shard: self.shard.shard,
            json: self.json.validate()?,
            engine,
        })
    }
}

impl LowEval {
    pub(super) fn validate(self) -> Result<EvalArgs, Failure> {
        let (out, json) = outputs(self.out, self.json)?;
        Ok(EvalArgs {
            solvers: self.solvers.solvers,
            inputs: self.inputs,
            out: out.unwrap_or(Target::Stdout),
            json,
            language: self.solvers.dialect.validate()?,
            engine: self.engine.validate(DEFAULT_FUEL),
        })
    }
}
