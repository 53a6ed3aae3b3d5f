//! Options that several commands share: each has one definition and one sentence of help.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};
use leyden_dsl::table::Dialect;
use leyden_exec::Mode;
use leyden_grid::TaskId;
use leyden_lang::{Language, Rules};
use leyden_store::DataSpec;
use leyden_store::library::default_store_path;

use super::EngineArgs;
use super::values::{Top, count, long_count, long_number, number};
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::group::Sharing;
use crate::pipeline::load::{Choice, WantedTasks};
use crate::programs::read_names;

/// The tasks, by name or path.
#[derive(Args)]
#[command(next_help_heading = "Tasks")]
pub(super) struct LowSpec {
    /// The tasks: a name such as `demo` or `arc1:training`, or a path [default: arc1:training]
    ///
    /// `leyden help run` lists all names.
    #[arg(short, long, value_name = "SPEC")]
    pub(super) data: Option<DataSpec>,
}

/// The tasks with the test outputs that a second file holds.
#[derive(Args)]
#[command(next_help_heading = "Tasks")]
pub(super) struct LowData {
    #[command(flatten)]
    pub(super) spec: LowSpec,
    /// The test outputs that belong to a challenges file
    #[arg(long, value_name = "FILE", requires = "data")]
    pub(super) solutions: Option<PathBuf>,
}

impl LowData {
    /// The chosen tasks of the data.
    pub(super) fn tasks(self, choice: Choice) -> WantedTasks {
        WantedTasks {
            data: self.spec.data,
            solutions: self.solutions,
            choice,
        }
    }
}

/// Tasks by their ids.
#[derive(Args)]
#[command(next_help_heading = "Tasks")]
pub(super) struct LowTask {
    /// Only this task; may be repeated
    #[arg(short = 'i', long, value_name = "ID")]
    pub(super) task: Vec<TaskId>,
}

/// Some of the tasks.
#[derive(Args)]
#[command(next_help_heading = "Tasks")]
pub(super) struct LowChoice {
    #[command(flatten)]
    pub(super) task: LowTask,
    /// Only the first N tasks, from --start on
    #[arg(short = 'n', long, value_name = "N", value_parser = count)]
    pub(super) tasks: Option<usize>,
    /// Begin with task number K, counted from 0
    #[arg(short, long, value_name = "K", default_value = "0", value_parser = number)]
    pub(super) start: usize,
}

impl From<LowChoice> for Choice {
    fn from(low: LowChoice) -> Choice {
        Choice {
            only: low.task.task,
            start: low.start,
            most: low.tasks,
        }
    }
}

/// For a command without default tasks.
pub(super) fn needed(data: Arg) -> Arg {
    without_default(data).required(true)
}

/// The help of an option, without its default.
pub(super) fn without_default(arg: Arg) -> Arg {
    retold(arg, str::to_owned)
}

/// The help of an option, with another default.
pub(super) fn with_default(arg: Arg, default: &str) -> Arg {
    retold(arg, |sentence| format!("{sentence} [default: {default}]"))
}

/// Changes the first paragraph of both helps.
fn retold(arg: Arg, tell: impl Fn(&str) -> String) -> Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let told = tell(sentence(&help));
    let long = arg.get_long_help().map(ToString::to_string);
    let more = long.as_deref().and_then(|long| long.split_once("\n\n"));
    let arg = match more {
        Some((_, more)) => arg.long_help(format!("{told}\n\n{more}")),
        None => arg.long_help(None::<&str>),
    };
    arg.help(told)
}

/// Help up to its default, which may differ from command to command.
pub(crate) fn sentence(help: &str) -> &str {
    help.split(" [default: ").next().unwrap_or(help)
}

/// The data of a command that clap lets through only with data.
pub(super) fn given(data: LowSpec) -> Result<DataSpec, Failure> {
    data.data
        .ok_or_else(|| Failure::bad_input("--data is needed: a name such as `demo`, or a path"))
}

/// Programs, and the language that they speak.
#[derive(Args)]
#[command(next_help_heading = "Programs")]
pub(super) struct LowSolvers {
    /// The programs: files, directories, batteries or stores [default: the public programs; with
    /// `--data demo` the built-in ones]
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(super) solvers: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) dialect: LowDialect,
}

/// The language that programs speak.
#[derive(Args)]
#[command(next_help_heading = "Programs")]
pub(super) struct LowDialect {
    /// The dialect of all programs [default: each program's own, found by its name and the
    /// primitives it calls]
    #[arg(long, value_parser = dialect_parser())]
    pub(super) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(super) names: LowNames,
}

/// Names of the user's own.
#[derive(Args)]
#[command(next_help_heading = "Programs")]
pub(super) struct LowNames {
    /// Read Python programs with the names in FILE, such as `vertical_mirror = vmirror`
    ///
    /// docs/program-files.md describes the file.
    #[arg(long, value_name = "FILE")]
    pub(super) names: Option<PathBuf>,
}

impl LowNames {
    pub(super) fn validate(self) -> Result<Language, Failure> {
        let names = self.names.map(|path| read_names(&path)).transpose()?;
        Ok(Language {
            dialect: None,
            names: names.map(Arc::new),
        })
    }
}

impl LowDialect {
    pub(super) fn validate(self) -> Result<Language, Failure> {
        let language = self.names.validate()?;
        let (given, named) = (self.dialect, language.given_dialect());
        if let (Some(given), Some(named)) = (given, named)
            && given != named
        {
            let message =
                format!("--dialect {given}: the file of --names says `dialect = {named}`");
            return Err(Failure::bad_input(message));
        }
        Ok(Language {
            dialect: given,
            ..language
        })
    }
}

impl LowSolvers {
    /// Takes back a task that stands after `--solvers FILE`, which reads all words up to the next
    /// option as paths.
    pub(super) fn take_task(&mut self) -> Option<String> {
        let last = self.solvers.last()?;
        let is_task = self.solvers.len() > 1
            && !last.exists()
            && last
                .to_str()
                .is_some_and(|text| text.parse::<TaskId>().is_ok());
        if !is_task {
            return None;
        }
        let task = self.solvers.pop()?;
        task.to_str().map(str::to_owned)
    }
}

/// A battery.
#[derive(Args)]
#[command(next_help_heading = "Programs")]
pub(super) struct LowBattery {
    /// Run all programs of this battery on all tasks
    #[arg(long, value_name = "FILE", conflicts_with_all = ["solvers", "dialect"])]
    pub(super) battery: Option<PathBuf>,
}

/// Programs to begin with.
#[derive(Args)]
#[command(next_help_heading = "Programs")]
pub(super) struct LowShelf {
    /// Known programs to begin with: `own` (your store), `public`, `none`, or a path to a store, a
    /// file or a directory
    #[arg(long, value_name = "WHICH")]
    pub(super) library: Option<Shelf>,
}

/// Which programs are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    Own,
    Public,
    Nothing,
    Path(PathBuf),
}

impl FromStr for Shelf {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Shelf, Infallible> {
        Ok(match text {
            "own" => Shelf::Own,
            "public" => Shelf::Public,
            "none" => Shelf::Nothing,
            path => Shelf::Path(path.into()),
        })
    }
}

/// The store.
#[derive(Args)]
#[command(next_help_heading = "Programs")]
pub(super) struct LowStore {
    /// The store to read and write [default: $LEYDEN_STORE, or library.db in your data directory]
    #[arg(long, value_name = "PATH", global = true)]
    store: Option<PathBuf>,
}

impl LowStore {
    /// The named store, or the user's own.
    pub(super) fn validate(self) -> Result<PathBuf, Failure> {
        let path = self.store.map_or_else(default_store_path, Ok)?;
        if path.is_dir() {
            return Err(Failure::bad_input(format!(
                "{}: this is a directory; a store is a file, such as {}",
                path.display(),
                path.join("library.db").display()
            )));
        }
        Ok(path)
    }
}

/// The main output.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct LowOut {
    /// Write the result to FILE (`-`: standard output)
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

/// The JSON beside the text.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct LowJson {
    /// Also write a report as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

impl LowOut {
    pub(super) fn validate(self) -> Result<Option<Target>, Failure> {
        self.out.map(checked_target).transpose()
    }
}

impl LowJson {
    pub(super) fn validate(self) -> Result<Option<Target>, Failure> {
        self.json.map(checked_target).transpose()
    }
}

/// The main output and the JSON beside it; only one of them can go to standard output.
pub(super) fn outputs(
    out: LowOut,
    json: LowJson,
) -> Result<(Option<Target>, Option<Target>), Failure> {
    let (out, json) = (out.validate()?, json.validate()?);
    refuse_two_on_stdout([&out, &json])?;
    Ok((out, json))
}

pub(super) fn refuse_two_on_stdout<const N: usize>(
    targets: [&Option<Target>; N],
) -> Result<(), Failure> {
    let is_stdout = |target: &&&Option<Target>| **target == &Some(Target::Stdout);
    if targets.iter().filter(is_stdout).count() > 1 {
        return Err(Failure::bad_input(
            "only one output can go to standard output; give the others a file",
        ));
    }
    Ok(())
}

pub(super) fn checked_target(path: PathBuf) -> Result<Target, Failure> {
    let target = Target::new(path);
    target.check()?;
    Ok(target)
}

/// The help of `--format`, whose values differ from command to command.
pub(super) const FORMAT: &str = "The form of the output [default: by the suffix of --out]";

/// The form that was named; otherwise the one that belongs to the suffix of the file.
pub(super) fn form<F: Copy>(
    named: Option<F>,
    out: Option<&Path>,
    suffixes: &[(&str, F)],
    default: F,
) -> F {
    let file = out.map(|path| path.to_string_lossy().to_lowercase());
    let file = file.unwrap_or_default();
    let mut suffixes = suffixes.iter();
    let by_suffix = suffixes.find(|(suffix, _)| file.ends_with(suffix));
    named
        .or(by_suffix.map(|(_, form)| *form))
        .unwrap_or(default)
}

/// The limit on rows.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct LowTop {
    /// Show at most N rows or programs; `all` shows all
    #[arg(long, value_name = "N")]
    pub(super) top: Option<Top>,
}

/// The heading of an option that no group claims: without it, such an option would stand under
/// the heading before it.
pub(super) const PLAIN: Option<&str> = None;

/// How many results each task gets.
#[derive(Args)]
pub(super) struct LowEach {
    /// How many to make of each task
    #[arg(long, help_heading = PLAIN, value_name = "N", value_parser = count)]
    pub(super) n: Option<usize>,
}

/// Where chance comes from.
#[derive(Args)]
pub(super) struct LowSeed {
    /// The seed of all random choices
    #[arg(long, help_heading = PLAIN, value_name = "N", default_value = "0", value_parser = long_number)]
    pub(super) seed: u64,
}

/// The colours of pictures.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct LowPalette {
    /// The colours of grids
    #[arg(long, value_enum, default_value_t = PaletteName::Arc)]
    pub(super) palette: PaletteName,
}

/// The colours of a terminal.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct LowColor {
    /// The colours that your terminal can show
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    pub(super) color: ColorChoice,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaletteName {
    /// The colours of the ARC site
    Arc,
    /// Colours that colour-blind people can tell apart
    Safe,
}

/// The colours of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// Ask the terminal
    Auto,
    /// 16 million colours
    Truecolor,
    /// 256 colours
    #[value(name = "256")]
    Indexed,
    /// No colours, only digits
    Plain,
}

/// A picture of the result.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct LowSvg {
    /// Also draw the result as SVG to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// Threads.
#[derive(Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct LowJobs {
    /// Run on N threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = count)]
    pub(super) jobs: Option<usize>,
}

impl LowJobs {
    /// As many threads as were asked for, or one for each core.
    pub(super) fn n_threads(self) -> usize {
        /// More threads than this only cost memory.
        const MOST: usize = 1024;
        let n_cores =
            || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        self.jobs.unwrap_or_else(n_cores).min(MOST)
    }
}

/// The limit of a run.
#[derive(Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct LowFuel {
    /// End a run that burns more than N units of fuel [default: 50000000]
    ///
    /// Fuel counts the work of a run, so that a run ends at the same point on every machine.
    #[arg(long, value_name = "N", value_parser = long_count)]
    pub(super) fuel: Option<u64>,
}

/// The rewriting of programs that are merged.
#[derive(Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct LowRules {
    /// Merge only lines that read the same, without rewriting them; results stay the same
    ///
    /// Batteries in .batt files are merged already and stay as they are.
    #[arg(long)]
    no_rules: bool,
}

impl LowRules {
    pub(super) fn validate(self) -> Rules {
        if self.no_rules {
            Rules::NONE
        } else {
            Rules::ALL
        }
    }
}

/// How programs run.
#[derive(Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct LowEngine {
    #[command(flatten)]
    pub(super) jobs: LowJobs,
    #[command(flatten)]
    fuel: LowFuel,
    /// Use only the reference engine, which is slower; results stay the same
    ///
    /// The reference engine builds every set as CPython does, element by element.
    #[arg(long)]
    exact_order: bool,
    /// Run each program alone, as written, instead of merging programs; results stay the same
    #[arg(long)]
    no_share: bool,
    /// Merge programs but run each of them alone; results stay the same
    #[arg(long)]
    no_batch: bool,
    /// Compute objects and slow lines again for each program; results stay the same
    ///
    /// Without this option, programs that run together reuse the objects found in a grid and the
    /// lines that only the reference engine can compute.
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    rules: LowRules,
}

impl LowEngine {
    pub(super) fn validate(self, default_fuel: u64) -> EngineArgs {
        EngineArgs {
            n_threads: self.jobs.n_threads(),
            fuel: self.fuel.fuel.unwrap_or(default_fuel),
            mode: if self.exact_order {
                Mode::Exact
            } else {
                Mode::Fast
            },
            caches: !self.no_cache,
            sharing: Sharing {
                is_on: !self.no_share,
                batches: !self.no_batch,
                rules: self.rules.validate(),
            },
        }
    }
}

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
    fn the_suffix_decides_where_no_form_is_named() {
        let known = [(".speedscope.json", 's'), (".json", 'j'), (".html", 'h')];
        let form = |named, out: &str| form(named, Some(Path::new(out)), &known, 't');
        assert_eq!(form(None, "a.speedscope.json"), 's');
        assert_eq!(form(None, "dir/a.JSON"), 'j');
        assert_eq!(form(None, "-"), 't');
        assert_eq!(form(Some('x'), "a.html"), 'x');
    }

    #[test]
    fn a_sentence_ends_before_its_default() {
        assert_eq!(
            sentence("Run on N threads [default: 1]"),
            "Run on N threads"
        );
        assert_eq!(sentence("Run"), "Run");
    }
}
