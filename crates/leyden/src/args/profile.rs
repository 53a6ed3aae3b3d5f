//! The command line of `leyden profile`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_dsl::table::{Dialect, Prim};
use leyden_grid::TaskId;
use leyden_profile::plan::parse_duration;
use leyden_profile::report::{LineSort, ReportOptions};
use leyden_profile::what_if::WhatIf;
use leyden_store::DataSpec;

use super::backend::LowBackend;
use super::solve::{Shelf, duration};
use super::{BATT_FUEL, LowEngine, checked_target, dialect_parser};
use crate::commands::profile::range;
use crate::failure::Failure;
use crate::output::Target;
use crate::profiling::measure::{Choice, Work};
use crate::profiling::output::{Format, Outputs};
use crate::profiling::search::Search;
use crate::programs::is_of_files;

/// Measure where time goes: per primitive, task, layer, phase or line.
///
/// Every report opens with a verdict: one sentence that names the lever and what it gives. Programs
/// run on the tasks they are meant for, as `leyden run` runs them; with -f all programs of a battery
/// run on all tasks, as with `leyden batt`. Self times add up to the time of the execute phase,
/// layers and phases to that of the whole run; every report checks it and says so, and names what
/// measuring cost.
#[derive(Args)]
#[command(after_help = "\
Which one?
  what should I speed up in this program?      leyden profile dsl 007bbfb7
  which line of it is slow?                    leyden profile lines 007bbfb7
  what should I speed up in general?           leyden profile batch -n 100
  is it the programs, or all around them?      leyden profile framework
  what will 400 tasks take, and what if …?     leyden profile pipeline --tasks 10 --scale 400
  where does a search spend its time?          leyden profile pipeline --solve --tasks 10
  what if objects were three times as fast?    leyden profile batch --what-if objects=3x
  did my change help?                          leyden profile compare before.json after.json

Examples:
  leyden profile dsl 007bbfb7 --format html --out 007bbfb7.html
  leyden profile batch -n 100 --json batch.json && leyden profile refilter batch.json
  leyden profile batch -f out.batt --format speedscope --out batt.speedscope.json
  leyden profile pipeline --tasks 20 --scale 400,1000 --what-if execute=2x --budget 8h --workers 4")]
pub(super) struct LowProfile {
    #[command(subcommand)]
    command: LowProfileCommand,
}

#[derive(Subcommand)]
enum LowProfileCommand {
    /// Per primitive, as called by the programs of some tasks
    Dsl(LowDsl),
    /// Per primitive and task, over many tasks; outliers apart
    Batch(LowBatch),
    /// Do the tables of a saved profile again, without outliers
    Refilter(LowRefilter),
    /// By layer, and within execution by theme
    Framework(LowFramework),
    /// By phase, with projections to more tasks
    Pipeline(LowPipeline),
    /// Per line of a program or a battery
    Lines(LowLines),
    /// What moved between two saved profiles
    Compare(LowCompare),
}

#[derive(Args)]
struct LowDsl {
    /// The tasks [default: all]
    #[arg(value_name = "TASK")]
    tasks: Vec<TaskId>,
    /// Also this task; may be repeated
    #[arg(short = 't', long = "task", value_name = "ID")]
    more_tasks: Vec<TaskId>,
    /// Shares you expect, to stand beside the measured ones: a JSON object of names and shares,
    /// or lines of `name share`
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

#[derive(Args)]
struct LowBatch {
    /// How many tasks [default: all]
    #[arg(short, long, alias = "num-tasks", value_name = "N")]
    n: Option<NonZeroUsize>,
    /// The first task, counted from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    start: usize,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

#[derive(Args)]
struct LowFramework {
    /// Only the first N tasks
    #[arg(long, value_name = "N")]
    tasks: Option<NonZeroUsize>,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

#[derive(Args)]
struct LowPipeline {
    /// How many tasks to run, drawn in proportion to their size [default: all]
    #[arg(long, value_name = "N")]
    tasks: Option<NonZeroUsize>,
    /// Where the draw comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Profile the search of `leyden solve` instead: its phases, on one thread
    #[arg(long, conflicts_with_all = ["file", "solvers", "dialect", "backend"])]
    solve: bool,
    /// Processor time for each task of the search
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1s", requires = "solve")]
    per_task: Duration,
    /// Programs that the search tries first: as in `leyden solve`
    #[arg(long, value_name = "WHICH", requires = "solve")]
    library: Option<Shelf>,
    /// How many runs fit into this time: `8h`, `1h30m`
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    budget: Option<(String, f64)>,
    /// Workers that share a run for --budget
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: u32,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

/// Runs of other sizes, and with something faster.
#[derive(Args)]
struct LowFutures {
    /// Numbers of tasks to project to
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [400])]
    scale: Vec<u64>,
    /// Imagine primitives or phases faster: `objects=3x`, `generate=2x,execute=35x`; may be repeated
    #[arg(long, value_name = "NAME=FACTOR,…", value_parser = parse_what_if)]
    what_if: Vec<WhatIf>,
}

#[derive(Args)]
struct LowLines {
    /// A task, whose programs are shown, or a file of programs or a battery
    #[arg(value_name = "TASK|FILE", required_unless_present_any = ["task", "file", "solvers"])]
    what: Option<String>,
    /// Run only on this task; may be repeated
    #[arg(short, long, value_name = "ID")]
    task: Vec<TaskId>,
    /// The order of lines [default: as they stand]
    #[arg(long, value_enum, value_name = "BY")]
    sort: Option<LowSort>,
    #[command(flatten)]
    common: LowCommon,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LowSort {
    /// As they stand in the file
    Line,
    /// Most time first
    Time,
    /// Most hits first
    Hits,
    /// Most time for each hit first
    PerHit,
}

#[derive(Args)]
struct LowRefilter {
    /// A profile, as `--json` writes it
    #[arg(value_name = "RESULTS.json")]
    file: PathBuf,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    outputs: LowOutputs,
}

#[derive(Args)]
struct LowCompare {
    /// The profile before
    #[arg(value_name = "A.json")]
    a: PathBuf,
    /// The profile after
    #[arg(value_name = "B.json")]
    b: PathBuf,
    /// The form of the output
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    format: CompareFormat,
    /// As Markdown: `--format md`
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
    /// Rows of long tables [default: 20]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Where to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the report into DIR, under a name with the time in it
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// The form of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CompareFormat {
    /// A report for the terminal
    Text,
    /// A report as Markdown
    Md,
    /// A page, in one file
    Html,
    /// Everything, for other programs
    Json,
}

#[derive(Args)]
struct LowCommon {
    /// A battery, as `leyden card -f` writes it: all of its programs run on all tasks
    #[arg(short = 'f', long = "file", value_name = "BATTERY", conflicts_with_all = ["solvers", "dialect"])]
    file: Option<PathBuf>,
    /// A file of programs, or a directory of such files; may be repeated [default: the fetched
    /// programs; for demo its own]
    #[arg(long, value_name = "PATH")]
    solvers: Vec<PathBuf>,
    /// The tasks: a name or a path, see `leyden help run` [default: arc1:training]
    #[arg(short, long, value_name = "SPEC")]
    data: Option<DataSpec>,
    /// The test outputs of a challenges file
    #[arg(long, value_name = "FILE", requires = "data")]
    solutions: Option<PathBuf>,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc, and by the names they use]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    #[command(flatten)]
    outputs: LowOutputs,
    #[command(flatten)]
    backend: LowBackend,
    #[command(flatten)]
    engine: LowEngine,
}

#[derive(Args)]
struct LowOutputs {
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Where the output goes [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write everything as JSON to FILE (`-`: standard output)
    #[arg(short = 'o', long, alias = "output", value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the report into DIR, under a name with the time in it
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Rows of long tables [default: 20; of lines all]
    #[arg(long, value_name = "N", conflicts_with = "all")]
    top: Option<usize>,
    /// All rows of all tables
    #[arg(long)]
    all: bool,
    /// Only rows whose names contain one of these words
    #[arg(long, value_name = "WORD", num_args = 1..)]
    search: Vec<String>,
    /// Show only the tables with outliers in them
    #[arg(long)]
    keep_outliers: bool,
}

/// A profiler with arguments that were checked.
pub(crate) enum ProfileCommand {
    Dsl(ProfileArgs),
    Batch(ProfileArgs),
    Refilter(RefilterArgs),
    Framework(ProfileArgs),
    Pipeline(PipelineArgs),
    Lines(ProfileArgs),
    Compare(CompareArgs),
}

pub(crate) struct ProfileArgs {
    pub(crate) work: Work,
    pub(crate) choice: Choice,
    pub(crate) expect: Option<PathBuf>,
    pub(crate) futures: Futures,
    pub(crate) outputs: Outputs,
}

/// Runs of other sizes, and with something faster.
#[derive(Default)]
pub(crate) struct Futures {
    pub(crate) scales: Vec<u64>,
    pub(crate) what_if: Vec<WhatIf>,
}

pub(crate) struct PipelineArgs {
    pub(crate) common: ProfileArgs,
    pub(crate) budget: Option<(String, f64)>,
    pub(crate) workers: u32,
    /// Not programs but a search.
    pub(crate) search: Option<Search>,
}

pub(crate) struct RefilterArgs {
    pub(crate) file: PathBuf,
    pub(crate) futures: Futures,
    pub(crate) outputs: Outputs,
}

pub(crate) struct CompareArgs {
    pub(crate) a: PathBuf,
    pub(crate) b: PathBuf,
    pub(crate) format: CompareFormat,
    pub(crate) options: ReportOptions,
    pub(crate) out: Option<Target>,
    pub(crate) report: Option<PathBuf>,
}

impl LowProfile {
    pub(super) fn validate(self) -> Result<ProfileCommand, Failure> {
        Ok(match self.command {
            LowProfileCommand::Dsl(low) => {
                let tasks = low.tasks.into_iter().chain(low.more_tasks).collect();
                let mut args = low.common.validate(named(tasks), low.futures.into())?;
                args.expect = low.expect;
                ProfileCommand::Dsl(args)
            }
            LowProfileCommand::Batch(low) => {
                let choice = range(low.start, low.n.map(NonZeroUsize::get));
                ProfileCommand::Batch(low.common.validate(choice, low.futures.into())?)
            }
            LowProfileCommand::Framework(low) => {
                let choice = range(0, low.tasks.map(NonZeroUsize::get));
                ProfileCommand::Framework(low.common.validate(choice, low.futures.into())?)
            }
            LowProfileCommand::Pipeline(low) => ProfileCommand::Pipeline(low.validate()?),
            LowProfileCommand::Lines(low) => ProfileCommand::Lines(low.validate()?),
            LowProfileCommand::Refilter(low) => ProfileCommand::Refilter(RefilterArgs {
                file: low.file,
                futures: low.futures.into(),
                outputs: low.outputs.validate()?,
            }),
            LowProfileCommand::Compare(low) => ProfileCommand::Compare(CompareArgs {
                a: low.a,
                b: low.b,
                format: if low.markdown {
                    CompareFormat::Md
                } else {
                    low.format
                },
                options: ReportOptions {
                    top: low.top,
                    ..ReportOptions::default()
                },
                out: low.out.map(checked_target).transpose()?,
                report: low.report.map(checked_directory).transpose()?,
            }),
        })
    }
}

fn named(tasks: Vec<TaskId>) -> Choice {
    match tasks.is_empty() {
        true => Choice::All,
        false => Choice::Named(tasks),
    }
}

impl LowPipeline {
    fn validate(self) -> Result<PipelineArgs, Failure> {
        let choice = match self.tasks {
            Some(n) => Choice::Drawn(n.get(), self.seed),
            None => Choice::All,
        };
        Ok(PipelineArgs {
            common: self.common.validate(choice, self.futures.into())?,
            budget: self.budget,
            workers: self.workers,
            search: self.solve.then_some(Search {
                per_task: self.per_task,
                library: self.library,
            }),
        })
    }
}

impl From<LowFutures> for Futures {
    fn from(low: LowFutures) -> Futures {
        Futures {
            scales: low.scale,
            what_if: low.what_if,
        }
    }
}

impl From<LowSort> for LineSort {
    fn from(low: LowSort) -> LineSort {
        match low {
            LowSort::Line => LineSort::Line,
            LowSort::Time => LineSort::Time,
            LowSort::Hits => LineSort::Hits,
            LowSort::PerHit => LineSort::PerHit,
        }
    }
}

impl LowLines {
    /// A path that is there is a battery or has programs; anything else names a task.
    fn validate(mut self) -> Result<ProfileArgs, Failure> {
        let mut tasks = std::mem::take(&mut self.task);
        if let Some(what) = &self.what {
            let path = PathBuf::from(what);
            match what.parse::<TaskId>() {
                _ if path.exists() && self.common.file.is_none() => self.common.add_file(path),
                Ok(id) => tasks.push(id),
                // What cannot be a task may still be a name without its suffix.
                Err(_) if is_of_files(&path) && self.common.file.is_none() => {
                    self.common.add_file(path);
                }
                Err(error) => return Err(Failure::bad_input(format!("{what}: {error}"))),
            }
        }
        let mut args = self.common.validate(named(tasks), Futures::default())?;
        args.outputs.options.sort = self.sort.map_or(LineSort::Line, LineSort::from);
        Ok(args)
    }
}

impl LowCommon {
    fn add_file(&mut self, path: PathBuf) {
        let is_programs = path
            .extension()
            .is_some_and(|ext| ext == "py" || ext == "leyden");
        if is_programs {
            self.solvers.push(path);
        } else {
            self.file = Some(path);
        }
    }

    /// One thread unless told otherwise: then wall time and processor time are the same.
    fn validate(mut self, choice: Choice, futures: Futures) -> Result<ProfileArgs, Failure> {
        self.engine.jobs.get_or_insert(NonZeroUsize::MIN);
        let fuel = match self.file {
            Some(_) => BATT_FUEL,
            None => DEFAULT_FUEL,
        };
        let engine = self.engine.validate(fuel);
        let backend = self.backend.validate()?.timed().with_mode(engine.mode)?;
        Ok(ProfileArgs {
            work: Work {
                file: self.file,
                solvers: self.solvers,
                data: self.data,
                solutions: self.solutions,
                dialect: self.dialect,
                engine,
                backend,
            },
            choice,
            expect: None,
            futures,
            outputs: self.outputs.validate()?,
        })
    }
}

impl LowOutputs {
    fn validate(self) -> Result<Outputs, Failure> {
        Ok(Outputs {
            format: self.format,
            out: self.out.map(checked_target).transpose()?,
            json: self.json.map(checked_target).transpose()?,
            report: self.report.map(checked_directory).transpose()?,
            options: ReportOptions {
                top: if self.all { Some(usize::MAX) } else { self.top },
                keep_outliers: self.keep_outliers,
                search: self.search,
                sort: LineSort::default(),
            },
        })
    }
}

fn checked_directory(path: PathBuf) -> Result<PathBuf, Failure> {
    if path.exists() && !path.is_dir() {
        return Err(Failure::bad_input(format!(
            "{}: this is a file; expected a directory to write the report into",
            path.display()
        )));
    }
    Ok(path)
}

/// Names are looked up before anything is measured.
fn parse_what_if(text: &str) -> Result<WhatIf, String> {
    let what_if: WhatIf = text.parse().map_err(in_words)?;
    what_if
        .check(|name| Prim::by_name(name).is_some())
        .map_err(in_words)?;
    Ok(what_if)
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn parse_budget(text: &str) -> Result<(String, f64), String> {
    match parse_duration(text) {
        Some(ns) if ns > 0.0 => Ok((text.to_owned(), ns)),
        _ => Err("it must look like `8h` or `1h30m`".to_owned()),
    }
}
