//! The command line. Arguments come from clap unchecked (`Low…`). This module validates all of
//! them once, so that the commands only see arguments they can use.

mod answers;
mod augment;
mod backend;
mod card;
mod evolve;
#[cfg(feature = "explore")]
mod explore;
mod generate;
pub(crate) mod gpu;
pub(crate) mod gpu_bench;
mod judge;
mod library;
mod look;
mod merge;
mod old_spellings;
pub(crate) mod profile;
mod ranks;
mod run;
mod shared;
mod solve;
mod values;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Mode};

pub use backend::Backend;
pub(crate) use backend::{BackendArgs, Chosen};

pub(crate) use answers::{AnsweredArgs, ScoreArgs, SubmitCheckArgs};
pub(crate) use augment::{AugmentArgs, Augmenting};
pub(crate) use card::{CardArgs, CardFormat};
pub(crate) use evolve::{EvolveArgs, Limit};
#[cfg(feature = "explore")]
pub(crate) use explore::{ExploreArgs, Export};
pub(crate) use generate::GenerateArgs;
pub(crate) use judge::{JudgeArgs, Talk};
pub(crate) use library::{Action, ExportForm, LibraryArgs, Wanted};
pub(crate) use look::{
    ImportArgs, OptionsArgs, PageArgs, PageFormat, PrimitivesArgs, ProgramFormat, SampleName,
    ShowArgs, TraceArgs, TraceFormat,
};
pub(crate) use merge::MergeArgs;
pub(crate) use ranks::RanksArgs;
pub(crate) use run::{BattArgs, EvalArgs, RunArgs, ScoresFrom};
pub(crate) use shared::{ColorChoice, PaletteName, Shelf, sentence};
pub(crate) use solve::{SolveArgs, Spend};

use crate::failure::{Failure, closest};
use crate::output::Target;
use crate::pipeline::group::Sharing;

/// Run ARC-AGI programs written in arc-dsl exactly as CPython does, and much faster
#[derive(Parser)]
#[command(
    name = "leyden",
    version,
    after_help = "\
Start here:
  leyden run                        ARC-AGI-1 training with 400 public programs
  leyden run --data demo            50 built-in tasks, no network needed
  leyden show 1e7d0001              a task in colour
  leyden trace 1e7d0001 --data demo every step of a program
  leyden solve --data demo          find programs for tasks

`leyden help COMMAND` explains a command and shows examples."
)]
struct LowArgs {
    #[command(subcommand)]
    command: LowCommand,
}

#[derive(Subcommand)]
enum LowCommand {
    Run(run::LowRun),
    Batt(run::LowBatt),
    Eval(run::LowEval),
    Judge(judge::LowJudge),
    Card(card::LowCard),
    Merge(merge::LowMerge),
    Solve(solve::LowSolve),
    Ranks(ranks::LowRanks),
    Evolve(evolve::LowEvolve),
    Library(library::LowLibrary),
    Score(answers::LowScore),
    SubmitCheck(answers::LowSubmitCheck),
    #[cfg(feature = "explore")]
    Explore(explore::LowExplore),
    Profile(profile::LowProfile),
    Trace(look::LowTrace),
    Show(look::LowShow),
    Primitives(look::LowPrimitives),
    Import(look::LowImport),
    Get(look::LowGet),
    Augment(augment::LowAugment),
    Generate(generate::LowGenerate),
    Gpu(gpu::LowGpu),
    Completions(look::LowCompletions),
    #[command(hide = true)]
    Options(look::LowOptions),
}

/// The commands as `leyden --help` groups them.
pub(crate) const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Run programs",
        &["run", "batt", "eval", "judge", "card", "merge"],
    ),
    ("Find programs", &["solve", "ranks", "evolve", "library"]),
    ("Submit answers", &["score", "submit-check"]),
    (
        "Look closer",
        &[
            "explore",
            "show",
            "trace",
            "profile",
            "primitives",
            "import",
        ],
    ),
    ("Make tasks", &["augment", "generate"]),
    ("Set up", &["get", "gpu", "completions", "help"]),
];

/// A command with arguments that were checked.
pub(crate) enum Command {
    Run(RunArgs),
    Card(CardArgs),
    Batt(BattArgs),
    Merge(MergeArgs),
    Eval(EvalArgs),
    Judge(JudgeArgs),
    Library(LibraryArgs),
    Evolve(EvolveArgs),
    Solve(SolveArgs),
    Ranks(RanksArgs),
    Score(ScoreArgs),
    SubmitCheck(SubmitCheckArgs),
    #[cfg(feature = "explore")]
    Explore(ExploreArgs),
    Profile(profile::ProfileCommand),
    Trace(TraceArgs),
    Augment(AugmentArgs),
    Generate(GenerateArgs),
    Get {
        json: Option<Target>,
    },
    Gpu(gpu::GpuCommand),
    Show(ShowArgs),
    Primitives(PrimitivesArgs),
    Import(ImportArgs),
    Completions(Shell),
    Options(OptionsArgs),
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

/// The fuel of a run in `leyden batt`: five times what any known program needs for its own task.
pub(crate) const BATT_FUEL: u64 = 10_000_000;

/// Reads a command line. Help and version count as failures too, with an exit code of 0.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Failure> {
    let args = old_spellings::spelt_anew(args);
    let is_profile = args.get(1).is_some_and(|word| word == "profile");
    let matches = definition().try_get_matches_from(args);
    let low = matches.and_then(|matches| LowArgs::from_arg_matches(&matches));
    let low = low.map_err(|error| Failure::Usage(with_suggestion(error, is_profile)))?;
    low.command.validate()
}

/// Clap suggests `ranks` for `rn`, where `run` is nearer, and nothing for a task in place of a
/// command.
fn with_suggestion(mut error: clap::Error, is_profile: bool) -> clap::Error {
    let is_helped = error.get(ContextKind::SuggestedSubcommand).is_some();
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => return error,
    };
    let definition = LowArgs::command();
    let within = if is_profile {
        definition.find_subcommand("profile")
    } else {
        Some(&definition)
    };
    let visible = within.into_iter().flat_map(clap::Command::get_subcommands);
    let visible = visible.filter(|command| !command.is_hide_set());
    let near = closest(&word, visible.map(clap::Command::get_name));
    if let Some(near) = near {
        let near = ContextValue::Strings(vec![near.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, near);
    } else if is_profile && !is_helped {
        let tip = format!("to measure the programs of a task, write 'leyden profile dsl {word}'");
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// The command line as clap knows it.
pub(crate) fn definition() -> clap::Command {
    let command = with_plain_errors(LowArgs::command());
    let overview = overview(&command);
    let template = "{about-with-newline}\n{usage-heading} {usage}\n\n";
    command.help_template(format!(
        "{template}{overview}Options:\n{{options}}{{after-help}}"
    ))
}

/// `-1` and `-1s` are values that an option refuses in its own words, and no unknown options.
fn with_plain_errors(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            let names = arg.get_value_names().unwrap_or_default();
            let is_time = names.iter().any(|name| name == "TIME");
            if is_time {
                arg.allow_hyphen_values(true)
            } else if arg.get_action().takes_values() {
                arg.allow_negative_numbers(true)
            } else {
                arg
            }
        })
        .mut_subcommands(with_plain_errors)
}

/// All commands in groups, each with its sentence.
fn overview(command: &clap::Command) -> String {
    let line = |name: &&str| {
        let found = command.find_subcommand(name);
        let about = found.and_then(clap::Command::get_about);
        let about = about.map_or("Explain a command".to_owned(), ToString::to_string);
        format!("  {name:<14}{about}\n")
    };
    let group = |(title, names): &(&str, &[&str])| {
        let lines: String = names.iter().map(line).collect();
        format!("{title}:\n{lines}\n")
    };
    GROUPS.iter().map(group).collect()
}

impl LowCommand {
    fn validate(self) -> Result<Command, Failure> {
        match self {
            LowCommand::Run(low) => low.validate().map(Command::Run),
            LowCommand::Card(low) => low.validate().map(Command::Card),
            LowCommand::Batt(low) => low.validate().map(Command::Batt),
            LowCommand::Merge(low) => low.validate().map(Command::Merge),
            LowCommand::Eval(low) => low.validate().map(Command::Eval),
            LowCommand::Judge(low) => low.validate().map(Command::Judge),
            LowCommand::Library(low) => low.validate().map(Command::Library),
            LowCommand::Evolve(low) => low.validate().map(Command::Evolve),
            LowCommand::Solve(low) => low.validate().map(Command::Solve),
            LowCommand::Ranks(low) => low.validate().map(Command::Ranks),
            LowCommand::Score(low) => low.validate().map(Command::Score),
            LowCommand::SubmitCheck(low) => low.validate().map(Command::SubmitCheck),
            #[cfg(feature = "explore")]
            LowCommand::Explore(low) => low.validate().map(Command::Explore),
            LowCommand::Profile(low) => low.validate().map(Command::Profile),
            LowCommand::Trace(low) => low.validate().map(Command::Trace),
            LowCommand::Get(low) => Ok(Command::Get {
                json: low.json.validate()?,
            }),
            LowCommand::Augment(low) => low.validate().map(Command::Augment),
            LowCommand::Generate(low) => low.validate().map(Command::Generate),
            LowCommand::Gpu(low) => low.validate().map(Command::Gpu),
            LowCommand::Show(low) => low.validate().map(Command::Show),
            LowCommand::Primitives(low) => low.validate().map(Command::Primitives),
            LowCommand::Import(low) => low.validate().map(Command::Import),
            LowCommand::Completions(low) => Ok(Command::Completions(low.shell)),
            LowCommand::Options(low) => low.validate().map(Command::Options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }

    #[test]
    fn every_command_is_in_a_group() {
        let definition = definition();
        let visible = definition.get_subcommands().filter(|it| !it.is_hide_set());
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        for command in visible {
            assert!(
                grouped.contains(&command.get_name()),
                "{}",
                command.get_name()
            );
        }
    }
}
