//! The command line of `leyden profile`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_dsl::table::Prim;
use leyden_grid::TaskId;
use leyden_profile::report::{LineSort, ReportOptions};
use leyden_profile::what_if::WhatIf;

use super::BATT_FUEL;
use super::backend::LowBackend;
use super::shared::{
    FORMAT, LowBattery, LowChoice, LowData, LowEngine, LowJson, LowOut, LowSeed, LowShelf,
    LowSolvers, LowTop, PLAIN, form, outputs, with_default,
};
use super::solve::{LowBudget, LowPerTask};
use super::values::{Top, count, long_count, short_count};
use crate::failure::Failure;
use crate::output::Target;
use crate::profiling::measure::Work;
use crate::profiling::output::{Format, Outputs};
use crate::profiling::search::Search;
use crate::programs::is_of_files;

/// Measure where time goes: by primitive, task, layer, phase or line
///
/// Each report opens with a verdict: one sentence that names the best lever and its gain. Programs
/// run on the tasks they were written for, as with `leyden run`. With --battery, all programs run on
/// all tasks, as with `leyden batt`.
///
/// Self times add up to the time of the execute phase, and layers and phases to the time of the
/// whole run. Each report checks these sums and says what measuring cost.
#[derive(Args)]
#[command(after_long_help = "\
Which profile answers which question?
  what should I speed up in this program?      leyden profile dsl 007bbfb7
  which line of it is slow?                    leyden profile lines 007bbfb7
  what should I speed up in general?           leyden profile batch --tasks 100
  is it the programs, or the code around them? leyden profile framework
  how long will 400 tasks take?                leyden profile pipeline --draw 10 --scale 400
  where does a search spend its time?          leyden profile pipeline --solve --draw 10
  what if objects were three times as fast?    leyden profile batch --what-if objects=3x
  did my change help?                          leyden profile compare before.json after.json

Examples:
  leyden profile dsl 007bbfb7 --out 007bbfb7.html
  leyden profile batch --tasks 100 --json batch.json && leyden profile refilter batch.json
  leyden profile batch --battery out.batt --out batt.speedscope.json
  leyden profile pipeline --draw 20 --scale 400,1000 --what-if execute=2x --budget 8h --workers 4")]
pub(super) struct LowProfile {
    #[command(subcommand)]
    command: LowProfileCommand,
}

#[derive(Subcommand)]
enum LowProfileCommand {
    Dsl(LowDsl),
    Batch(LowBatch),
    Refilter(LowRefilter),
    Framework(LowFramework),
    Pipeline(LowPipeline),
    Lines(LowLines),
    Compare(LowCompare),
}

/// Measure each primitive in the programs of some tasks
#[derive(Args)]
#[command(mut_arg("jobs", |jobs| with_default(jobs, "1")), after_long_help = "\
Examples:
  leyden profile dsl 007bbfb7
  leyden profile dsl 007bbfb7 00d62c1b --solvers mine.py --out profile.html
  leyden profile dsl --data demo --what-if objects=3x")]
struct LowDsl {
    /// The ids of tasks [default: all]
    #[arg(value_name = "TASK")]
    ids: Vec<TaskId>,
    /// Show the shares you expect beside the measured ones
    ///
    /// FILE is a JSON object of names and shares, or has lines of `name share`.
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

/// Measure each primitive over many tasks, outliers apart
#[derive(Args)]
#[command(mut_arg("jobs", |jobs| with_default(jobs, "1")), after_long_help = "\
Examples:
  leyden profile batch --tasks 100
  leyden profile batch --tasks 100 --json batch.json && leyden profile refilter batch.json
  leyden profile batch --battery out.batt --out batt.speedscope.json")]
struct LowBatch {
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

/// Measure each layer of Leyden, and within execution each theme
#[derive(Args)]
#[command(mut_arg("jobs", |jobs| with_default(jobs, "1")), after_long_help = "\
Examples:
  leyden profile framework
  leyden profile framework --battery out.batt --data demo --top 10")]
struct LowFramework {
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

/// Measure each phase, and project to more tasks
///
/// The projections say how long a job of other sizes takes, and with --budget how much of it fits
/// into that time.
#[derive(Args)]
#[command(
    mut_arg("jobs", |jobs| with_default(jobs, "1")),
    mut_arg("per_task", |time| with_default(time, "1s").requires("solve")),
    mut_arg("library", |library| with_default(library, "your store, and the public programs if they were fetched").requires("solve")),
    after_long_help = "\
Examples:
  leyden profile pipeline --draw 20 --scale 400,1000
  leyden profile pipeline --draw 20 --scale 400 --what-if execute=2x --budget 8h --workers 4
  leyden profile pipeline --solve --draw 10 --per-task 2s --library none"
)]
struct LowPipeline {
    /// Draw N tasks at random, in proportion to their size [default: take all tasks]
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Tasks")]
    draw: Option<usize>,
    #[command(flatten)]
    seed: LowSeed,
    /// Profile the search of `leyden solve` on one thread
    #[arg(long, help_heading = PLAIN, conflicts_with_all = ["battery", "solvers", "dialect", "backend"])]
    solve: bool,
    #[command(flatten)]
    per_task: LowPerTask,
    #[command(flatten)]
    library: LowShelf,
    #[command(flatten)]
    budget: LowBudget,
    /// How many workers share the job of --budget
    #[arg(long, value_name = "N", default_value = "1", value_parser = short_count, help_heading = "Limits")]
    workers: u32,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    common: LowCommon,
}

/// Runs of other sizes, and with something faster.
#[derive(Args)]
#[command(next_help_heading = "Projections")]
struct LowFutures {
    /// Numbers of tasks to project to
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "400", value_parser = long_count)]
    scale: Vec<u64>,
    /// Imagine faster primitives or phases, such as `objects=3x`; may be repeated
    ///
    /// One change may name several: `generate=2x,execute=35x`.
    #[arg(long, value_name = "NAME=FACTOR,…", value_parser = parse_what_if)]
    what_if: Vec<WhatIf>,
}

/// Measure each line of a program or a battery
#[derive(Args)]
#[command(mut_arg("jobs", |jobs| with_default(jobs, "1")), after_long_help = "\
Examples:
  leyden profile lines 007bbfb7
  leyden profile lines mine.py --sort time
  leyden profile lines out.batt --data demo --top 20")]
struct LowLines {
    /// A task, or a file of programs or a battery
    #[arg(value_name = "TASK|FILE", required_unless_present_any = ["task", "battery", "solvers"])]
    what: Option<String>,
    /// The order of lines [default: as written]
    #[arg(long, value_enum, value_name = "BY", help_heading = "Output")]
    sort: Option<LowSort>,
    #[command(flatten)]
    common: LowCommon,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LowSort {
    /// As written in the file
    Line,
    /// Most time first
    Time,
    /// Most hits first
    Hits,
    /// Most time for each hit first
    PerHit,
}

/// Make the tables of a saved profile again, without outliers
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden profile batch --tasks 100 --json batch.json
  leyden profile refilter batch.json
  leyden profile refilter batch.json --what-if objects=3x --out report.md")]
struct LowRefilter {
    /// A profile that --json wrote
    #[arg(value_name = "PROFILE")]
    file: PathBuf,
    #[command(flatten)]
    futures: LowFutures,
    #[command(flatten)]
    outputs: LowOutputs,
}

/// Compare two saved profiles
#[derive(Args)]
#[command(mut_arg("top", |top| with_default(top, "20")), after_long_help = "\
Examples:
  leyden profile batch --json before.json
  leyden profile batch --json after.json
  leyden profile compare before.json after.json
  leyden profile compare before.json after.json --out compare.html")]
struct LowCompare {
    /// The profile before the change
    #[arg(value_name = "BEFORE")]
    a: PathBuf,
    /// The profile after the change
    #[arg(value_name = "AFTER")]
    b: PathBuf,
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<CompareFormat>,
    #[command(flatten)]
    top: LowTop,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    report: LowReport,
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
#[command(mut_arg("fuel", |fuel| with_default(fuel, "50000000; with --battery 10000000")))]
struct LowCommon {
    #[command(flatten)]
    battery: LowBattery,
    #[command(flatten)]
    solvers: LowSolvers,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    #[command(flatten)]
    outputs: LowOutputs,
    #[command(flatten)]
    backend: LowBackend,
    #[command(flatten)]
    engine: LowEngine,
}

#[derive(Args)]
#[command(next_help_heading = "Output", mut_arg("top", |top| with_default(top, "20, but all lines")))]
struct LowOutputs {
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT)]
    format: Option<Format>,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    report: LowReport,
    #[command(flatten)]
    top: LowTop,
    /// Show only rows whose names contain one of these words
    #[arg(long, value_name = "WORD", num_args = 1..)]
    search: Vec<String>,
    /// Show only the tables with the outliers in them
    #[arg(long)]
    keep_outliers: bool,
}

/// Reports that pile up in a directory.
#[derive(Args)]
#[command(next_help_heading = "Output")]
struct LowReport {
    /// Also write the report into DIR, with the time in its name
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
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
    pub(crate) budget: Option<Duration>,
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
    pub(crate) json: Option<Target>,
    pub(crate) report: Option<PathBuf>,
}

impl LowProfile {
    pub(super) fn validate(self) -> Result<ProfileCommand, Failure> {
        Ok(match self.command {
            LowProfileCommand::Dsl(low) => low.validate().map(ProfileCommand::Dsl)?,
            LowProfileCommand::Batch(low) => {
                ProfileCommand::Batch(low.common.validate(low.futures.into())?)
            }
            LowProfileCommand::Framework(low) => {
                ProfileCommand::Framework(low.common.validate(low.futures.into())?)
            }
            LowProfileCommand::Pipeline(low) => ProfileCommand::Pipeline(low.validate()?),
            LowProfileCommand::Lines(low) => ProfileCommand::Lines(low.validate()?),
            LowProfileCommand::Refilter(low) => ProfileCommand::Refilter(RefilterArgs {
                file: low.file,
                futures: low.futures.into(),
                outputs: low.outputs.validate()?,
            }),
            LowProfileCommand::Compare(low) => ProfileCommand::Compare(low.validate()?),
        })
    }
}

impl LowDsl {
    fn validate(mut self) -> Result<ProfileArgs, Failure> {
        let behind = self.common.solvers.take_task();
        let behind = behind.and_then(|id| id.parse().ok());
        let named = self.ids.into_iter().chain(behind);
        self.common.choice.task.task.extend(named);
        let mut args = self.common.validate(self.futures.into())?;
        args.expect = self.expect;
        Ok(args)
    }
}

impl LowCompare {
    fn validate(self) -> Result<CompareArgs, Failure> {
        let suffixes = [
            (".md", CompareFormat::Md),
            (".html", CompareFormat::Html),
            (".json", CompareFormat::Json),
        ];
        let named = self.out.out.as_deref();
        let format = form(self.format, named, &suffixes, CompareFormat::Text);
        let (out, json) = outputs(self.out, self.json)?;
        Ok(CompareArgs {
            a: self.a,
            b: self.b,
            format,
            options: ReportOptions {
                top: self.top.top.map(Top::rows),
                ..ReportOptions::default()
            },
            out,
            json,
            report: self.report.validate()?,
        })
    }
}

/// A task of a search takes this long by default.
const DEFAULT_PER_TASK: Duration = Duration::from_secs(1);

impl LowPipeline {
    fn validate(self) -> Result<PipelineArgs, Failure> {
        let mut common = self.common.validate(self.futures.into())?;
        common.work.draw = self.draw.map(|n| (n, self.seed.seed));
        Ok(PipelineArgs {
            common,
            budget: self.budget.budget,
            workers: self.workers,
            search: self.solve.then_some(Search {
                per_task: self.per_task.per_task.unwrap_or(DEFAULT_PER_TASK),
                library: self.library.library,
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
        let common = &mut self.common;
        let behind = common.solvers.take_task();
        if let Some(what) = self.what.or(behind) {
            let path = PathBuf::from(&what);
            let is_free = common.battery.battery.is_none();
            match what.parse::<TaskId>() {
                _ if path.exists() && is_free => common.add_file(path),
                Ok(id) => common.choice.task.task.push(id),
                // A word that cannot be a task may still be a name without its suffix.
                Err(_) if is_of_files(&path) && is_free => common.add_file(path),
                Err(error) => return Err(Failure::bad_input(format!("{what}: {error}"))),
            }
        }
        let mut args = self.common.validate(Futures::default())?;
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
            self.solvers.solvers.push(path);
        } else {
            self.battery.battery = Some(path);
        }
    }

    /// One thread unless told otherwise: then wall time and processor time are the same.
    fn validate(mut self, futures: Futures) -> Result<ProfileArgs, Failure> {
        self.engine.jobs.jobs.get_or_insert(1);
        let fuel = if self.battery.battery.is_some() {
            BATT_FUEL
        } else {
            DEFAULT_FUEL
        };
        let engine = self.engine.validate(fuel);
        let backend = self.backend.validate()?.timed().with_mode(engine.mode)?;
        Ok(ProfileArgs {
            work: Work {
                file: self.battery.battery,
                solvers: self.solvers.solvers,
                tasks: self.data.tasks(self.choice.into()),
                language: self.solvers.dialect.validate()?,
                draw: None,
                engine,
                backend,
            },
            expect: None,
            futures,
            outputs: self.outputs.validate()?,
        })
    }
}

impl LowOutputs {
    fn validate(self) -> Result<Outputs, Failure> {
        let named = self.out.out.as_deref();
        let format = form(self.format, named, &Format::SUFFIXES, Format::Text);
        let (out, json) = outputs(self.out, self.json)?;
        Ok(Outputs {
            format,
            out,
            json,
            report: self.report.validate()?,
            options: ReportOptions {
                top: self.top.top.map(Top::rows),
                keep_outliers: self.keep_outliers,
                search: self.search,
                sort: LineSort::default(),
            },
        })
    }
}

impl LowReport {
    /// The directory is made when the report is written.
    fn validate(self) -> Result<Option<PathBuf>, Failure> {
        if let Some(path) = self.report.as_ref().filter(|path| path.is_file()) {
            return Err(Failure::bad_input(format!(
                "{}: this is a file; expected a directory to write the report into",
                path.display()
            )));
        }
        Ok(self.report)
    }
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
