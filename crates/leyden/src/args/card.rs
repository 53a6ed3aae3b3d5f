//! Arguments of `leyden card`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use leyden_grid::TaskId;
use leyden_lang::{Language, Rules};
use leyden_search::{Kind, Rates};
use leyden_store::DataSpec;

use super::shared::{
    FORMAT, LowJson, LowOut, LowRules, LowSeed, LowShelf, LowSolvers, LowSpec, LowTask, Shelf,
    checked_target, form, refuse_two_on_stdout,
};
use super::values::count;
use crate::failure::{Failure, closest};
use crate::output::{Target, remark};

/// Make a battery: draw programs, change some, merge all
///
/// Programs come from --solvers, each drawn once before any is drawn again, or from a store
/// (--library), where good programs are drawn more often: first those that fit a task, then those
/// with partial credit, short ones before long ones. With --task, only programs of these tasks are
/// drawn.
///
/// A change keeps to the types of the primitives. A changed program that repeats another one is
/// dropped. Changed colours come from the demonstrations of a program's task (--data). All choices
/// come from the seed: the same command makes the same battery.
///
/// The suffix of --out decides the form: `OUT.py` is a Python module, any other name a .batt file.
#[derive(Args)]
#[command(after_long_help = card_help())]
pub(super) struct LowCard {
    /// How many programs to put into the battery [default: 32]
    #[arg(short, long, value_name = "N", conflicts_with = "all", value_parser = count)]
    count: Option<usize>,
    /// Put as many programs into the battery as there are to draw from
    #[arg(long)]
    all: bool,
    /// Change no program
    #[arg(long, conflicts_with = "rate")]
    freeze: bool,
    /// The probability of one kind of change, from 0 to 1; may be repeated
    #[arg(long, value_name = "KIND=P", value_parser = parse_rate)]
    rate: Vec<(Kind, f64)>,
    #[command(flatten)]
    seed: LowSeed,
    #[command(flatten)]
    solvers: LowSolvers,
    #[command(flatten)]
    library: LowShelf,
    #[command(flatten)]
    task: LowTask,
    #[command(flatten)]
    data: LowSpec,
    #[command(flatten)]
    rules: LowRules,
    #[command(flatten)]
    out: LowOut,
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<CardFormat>,
    /// The Python module, as before 0.2
    #[arg(long, value_name = "FILE", hide = true)]
    python: Option<PathBuf>,
    #[command(flatten)]
    json: LowJson,
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
  leyden card -c 100 --out out.batt
  leyden card --all --freeze --solvers solvers.py --out all.batt
  leyden card -c 1000 --seed 7 --rate crossover=0.5 --rate colour=0 --out out.batt
  leyden card -c 32 --out out.py --json -
  leyden card --library own -c 500 --data arc1:training --out out.batt"
    )
}

/// The form of a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CardFormat {
    /// A battery for `leyden batt`
    Batt,
    /// A Python module: tokpidjin's if all programs are in its dialect, else arc-dsl's
    Python,
    /// A Python module that runs on arc-dsl
    ArcDsl,
    /// A Python module that tokpidjin's run_batt.py imports, with OUT_call.py beside it
    Tokpidjin,
}

pub(crate) struct CardArgs {
    /// None: as many as the library has.
    pub(crate) count: Option<usize>,
    pub(crate) only: Vec<TaskId>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) library: Option<Shelf>,
    pub(crate) language: Language,
    pub(crate) data: Option<DataSpec>,
    pub(crate) seed: u64,
    pub(crate) freeze: bool,
    pub(crate) rates: Rates,
    pub(crate) rules: Rules,
    /// Batteries to write, each with its form.
    pub(crate) outs: Vec<(Target, CardFormat)>,
    pub(crate) json: Option<Target>,
}

/// More programs than this would not fit in memory.
const MOST: usize = 1_000_000;

impl LowCard {
    pub(super) fn validate(self) -> Result<CardArgs, Failure> {
        if self.count.is_some_and(|count| count > MOST) {
            return Err(Failure::bad_input(
                "--count: a battery has at most 1,000,000 programs",
            ));
        }
        if self.library.library.is_some()
            && !(self.solvers.solvers.is_empty() && self.solvers.dialect.dialect.is_none())
        {
            return Err(Failure::bad_input(
                "--library replaces --solvers and --dialect; give one or the other",
            ));
        }
        let mut rates = Rates::default();
        self.rate
            .iter()
            .for_each(|(kind, rate)| rates.set(*kind, *rate));
        let json = self.json.validate()?;
        let suffixes = [(".py", CardFormat::Python)];
        let named = self.out.out.as_deref();
        let format = form(self.format, named, &suffixes, CardFormat::Batt);
        let python = self.python.map(checked_target).transpose()?;
        let out = self.out.validate()?;
        refuse_two_on_stdout([&out, &python, &json])?;
        if self.format.is_some() && out.is_none() && python.is_none() {
            return Err(Failure::bad_input(
                "--format is the form of a file; name the file with --out",
            ));
        }
        let mut outs: Vec<(Target, CardFormat)> = Vec::new();
        if let Some(python) = python {
            remark("note: `--python FILE` is now `--out FILE.py`\n");
            outs.extend(out.map(|out| (out, CardFormat::Batt)));
            outs.push((python, self.format.unwrap_or(CardFormat::Python)));
        } else {
            outs.extend(out.map(|out| (out, format)));
        }
        Ok(CardArgs {
            count: (!self.all).then_some(self.count.unwrap_or(32)),
            only: self.task.task,
            solvers: self.solvers.solvers,
            library: self.library.library,
            language: self.solvers.dialect.validate()?,
            data: self.data.data,
            seed: self.seed.seed,
            freeze: self.freeze,
            rates,
            rules: self.rules.validate(),
            outs,
            json,
        })
    }
}

fn unknown_kind(name: &str) -> String {
    let hint = match closest(name, Kind::ALL.iter().map(|kind| kind.name())) {
        Some(near) => format!("did you mean {near}?"),
        None => "`leyden help card` lists all".to_owned(),
    };
    format!("no kind `{name}`; {hint}")
}

/// `KIND=P` as a kind of change and its probability.
fn parse_rate(text: &str) -> Result<(Kind, f64), String> {
    let (kind, rate) = text
        .split_once('=')
        .ok_or("expected a kind and a probability, such as `constant=0.2`")?;
    let kind = Kind::by_name(kind).ok_or_else(|| unknown_kind(kind))?;
    let expected = || "expected a probability from 0 to 1, such as 0.2".to_owned();
    let rate: f64 = rate.parse().map_err(|_| expected())?;
    if (0.0..=1.0).contains(&rate) {
        Ok((kind, rate))
    } else {
        Err(expected())
    }
}
