//! Arguments of `leyden card`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use leyden_dsl::table::Dialect;
use leyden_grid::TaskId;
use leyden_lang::Rules;
use leyden_search::{Kind, Rates};
use leyden_store::DataSpec;

use super::library::store_path;
use super::{checked_target, dialect_parser, rules};
use crate::failure::Failure;
use crate::output::Target;

/// Make a battery: sample programs, change them, merge them into one graph.
///
/// Draws programs from files, each once before any is drawn again, or by score from a store
/// (`--library`), changes some of them, and merges all of them so that what they compute alike is there once. Changes are typed by the
/// signatures of the primitives; a changed program that does what another already does is
/// dropped. Every choice comes from the seed: the same command gives the same battery.
#[derive(Args)]
#[command(after_help = card_help())]
pub(super) struct LowCard {
    /// How many programs [default: 32]
    #[arg(short, long, value_name = "N", conflicts_with = "all")]
    count: Option<NonZeroUsize>,
    /// As many programs as the library has
    #[arg(long)]
    all: bool,
    /// Only programs for this task; may be repeated
    #[arg(short = 'i', long, value_name = "ID")]
    task: Vec<TaskId>,
    /// A file of programs, or a directory of such files; may be repeated [default: the fetched
    /// programs; for demo its own]
    #[arg(long, value_name = "PATH", num_args = 1..)]
    solvers: Vec<PathBuf>,
    /// Draw from a store, by score (or from files, as with --solvers): programs that fit a task come most often, then those with
    /// partial credit, short ones before long ones [default: the user's own, see `leyden library`]
    #[arg(long, value_name = "STORE", num_args = 0..=1, conflicts_with_all = ["solvers", "dialect"])]
    library: Option<Option<PathBuf>>,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// The tasks whose demonstration pairs lend their colours [default: arc1:training]
    #[arg(long, value_name = "SPEC")]
    data: Option<DataSpec>,
    /// Where all random choices come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Change nothing
    #[arg(long, conflicts_with = "rate")]
    freeze: bool,
    /// The probability of a kind of change, 0 to 1; may be repeated
    #[arg(long, value_name = "KIND=P", value_parser = parse_rate)]
    rate: Vec<(Kind, f64)>,
    /// Only share what is the same word for word: switch off all rewriting
    #[arg(long)]
    no_rules: bool,
    /// Write the battery to FILE (`-`: standard output); to a FILE.py as --python does
    #[arg(short = 'f', long, value_name = "OUT.batt")]
    file: Option<PathBuf>,
    /// Write the battery as a Python module
    #[arg(long, value_name = "OUT.py")]
    python: Option<PathBuf>,
    /// The form of the Python module: `arc-dsl` runs on that package, `tokpidjin` is what its
    /// run_batt.py imports, with OUT_call.py beside it [default: by the dialect of the programs]
    #[arg(long, value_name = "FORM")]
    form: Option<PythonForm>,
    /// Write the report as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn card_help() -> String {
    let kinds = Kind::ALL.iter();
    let kinds: String = kinds
        .map(|kind| {
            format!(
                "  {:<10} {:.2}  {}\n",
                kind.name(),
                kind.default_rate(),
                kind.doc()
            )
        })
        .collect();
    format!(
        "\
Kinds of change, with their probabilities:
{kinds}
Examples:
  leyden card -c 100 -f out.batt
  leyden card --all --freeze --solvers solvers.py -f all.batt
  leyden card -c 1000 --seed 7 --rate crossover=0.5 --rate colour=0 -f out.batt
  leyden card -c 32 --python out.py --json -
  leyden card --library -c 500 --data arc1:training -f out.batt"
    )
}

/// What a battery looks like in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PythonForm {
    ArcDsl,
    Tokpidjin,
}

pub(crate) struct CardArgs {
    /// None: as many as the library has.
    pub(crate) count: Option<usize>,
    pub(crate) only: Vec<TaskId>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) library: Option<PathBuf>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) data: Option<DataSpec>,
    pub(crate) seed: u64,
    pub(crate) freeze: bool,
    pub(crate) rates: Rates,
    pub(crate) rules: Rules,
    pub(crate) file: Option<Target>,
    pub(crate) python: Option<Target>,
    pub(crate) form: Option<PythonForm>,
    pub(crate) json: Option<Target>,
}

impl LowCard {
    /// More programs than this would not fit in memory.
    const MOST: usize = 1_000_000;

    /// Where the battery and its Python form go.
    fn outputs(&self) -> Result<(Option<PathBuf>, Option<PathBuf>), Failure> {
        let is_python = |path: &&PathBuf| path.extension().is_some_and(|it| it == "py");
        let (file, python) = match (&self.file, &self.python) {
            (Some(file), Some(_)) if is_python(&file) => {
                let message = "-f and --python both name a Python file; one of them is enough";
                return Err(Failure::bad_input(message));
            }
            (Some(file), None) if is_python(&file) => (None, Some(file.clone())),
            (file, python) => (file.clone(), python.clone()),
        };
        if self.form.is_some() && python.is_none() {
            let message = "--form is for a Python file (-f OUT.py, or --python OUT.py)";
            return Err(Failure::bad_input(message));
        }
        Ok((file, python))
    }

    pub(super) fn validate(self) -> Result<CardArgs, Failure> {
        let count = self.count.map_or(32, NonZeroUsize::get);
        if count > LowCard::MOST {
            return Err(Failure::bad_input(
                "a battery has at most 1,000,000 programs",
            ));
        }
        let mut rates = Rates::default();
        self.rate
            .iter()
            .for_each(|(kind, rate)| rates.set(*kind, *rate));
        let (file, python) = self.outputs()?;
        let targets = [&file, &python, &self.json];
        let is_stdout =
            |path: &&Option<PathBuf>| path.as_ref().is_some_and(|p| p.as_os_str() == "-");
        if targets
            .iter()
            .copied()
            .filter(|path| is_stdout(path))
            .count()
            > 1
        {
            return Err(Failure::bad_input(
                "only one thing can go to standard output",
            ));
        }
        Ok(CardArgs {
            count: (!self.all).then_some(count),
            only: self.task,
            solvers: self.solvers,
            library: self.library.map(store_path).transpose()?,
            dialect: self.dialect,
            data: self.data,
            seed: self.seed,
            freeze: self.freeze,
            rates,
            rules: rules(self.no_rules),
            file: file.map(checked_target).transpose()?,
            python: python.map(checked_target).transpose()?,
            form: self.form,
            json: self.json.map(checked_target).transpose()?,
        })
    }
}

/// `KIND=P` as a kind of change and its probability.
fn parse_rate(text: &str) -> Result<(Kind, f64), String> {
    let (kind, rate) = text
        .split_once('=')
        .ok_or("it must look like `constant=0.2`")?;
    let names = || {
        Kind::ALL
            .iter()
            .map(|kind| kind.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let kind =
        Kind::by_name(kind).ok_or_else(|| format!("no kind `{kind}`; there are {}", names()))?;
    let rate: f64 = rate
        .parse()
        .map_err(|_| format!("`{rate}` is not a number"))?;
    match (0.0..=1.0).contains(&rate) {
        true => Ok((kind, rate)),
        false => Err("a probability is within 0 to 1".to_owned()),
    }
}
