//! Arguments of `leyden library`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use leyden_grid::TaskId;
use leyden_lang::Language;
use leyden_store::library::Keep;

use super::look::ProgramFormat;
use super::shared::{
    FORMAT, LowDialect, LowJson, LowOut, LowStore, LowTask, LowTop, PLAIN, form, outputs,
    with_default,
};
use super::values::{Top, number};
use crate::failure::Failure;
use crate::output::Target;

/// Keep programs and their scores in a store
///
/// A store is one SQLite file. It holds each program once, with its origin and its scores on the
/// demonstrations of tasks. It never holds test outputs. Several processes may share a store. If a
/// process is killed, the store keeps everything that was reported as saved.
///
/// Without --store, the store is $LEYDEN_STORE, or leyden/library.db in $XDG_DATA_HOME or in
/// ~/.local/share.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library import solvers.py         bring programs in
  leyden library list                      the best programs first
  leyden library best 007bbfb7             the best program for a task
  leyden library show solve_007bbfb7       one program: text, origin, scores
  leyden library export --out mine.py
  leyden library check                     is everything as it was saved?
  leyden card --library own -c 100         a battery, drawn by score")]
pub(super) struct LowLibrary {
    #[command(flatten)]
    store: LowStore,
    #[command(subcommand)]
    action: LowAction,
}

#[derive(Subcommand)]
enum LowAction {
    List(LowList),
    Show(LowShowProgram),
    Best(LowBest),
    Export(LowExport),
    Import(LowBring),
    Prune(LowPrune),
    Check(LowCheck),
}

/// List programs, the best first
///
/// Programs that fit the most tasks come first: all demonstrations of these tasks are right. Partial
/// credit, length and fuel decide among equals. With --task, only the scores on these tasks count.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library list --top 20
  leyden library list --task 007bbfb7 --fitting
  leyden library list --json - | jq '.programs[].name'")]
struct LowList {
    #[command(flatten)]
    filter: LowFilter,
    #[command(flatten)]
    json: LowJson,
}

/// Which programs of a store.
#[derive(Args)]
struct LowFilter {
    #[command(flatten)]
    task: LowTask,
    /// Only programs that fit a task
    #[arg(long, help_heading = PLAIN)]
    fitting: bool,
    #[command(flatten)]
    top: LowTop,
}

/// Show a program: its text, origin and scores
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library show solve_007bbfb7
  leyden library show 3fa9c1
  leyden library show 3fa9c1 --out mine.py
  leyden library show 3fa9c1 --json -")]
struct LowShowProgram {
    /// The name of the program, or the first 4 or more digits of its hash
    program: String,
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<ProgramFormat>,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
}

/// Show the best programs of each task
///
/// Programs that get all demonstrations right come first. Partial credit, length and fuel decide
/// among the others.
#[derive(Args)]
#[command(
    mut_arg("top", |top| with_default(top, "1 for each task")),
    after_long_help = "\
Examples:
  leyden library best                      the best program for every task
  leyden library best 007bbfb7 --top 5
  leyden library best --json -"
)]
struct LowBest {
    /// The ids of tasks [default: all tasks that have scores]
    #[arg(value_name = "TASK")]
    tasks: Vec<TaskId>,
    #[command(flatten)]
    top: LowTop,
    #[command(flatten)]
    json: LowJson,
}

/// Write programs to a file, or copy the whole store
///
/// If two programs have the same name, a part of the hash makes the second name unique.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library export --out all.leyden
  leyden library export --fitting --out solvers.py
  leyden library export --format store --out backup.db")]
struct LowExport {
    #[command(flatten)]
    filter: LowFilter,
    #[arg(long, value_name = "FORM", value_enum, help = FORMAT, help_heading = "Output")]
    format: Option<ExportForm>,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
}

/// Bring programs into the store
///
/// The programs come from files, directories or other stores. The command makes the store if there is
/// none. A program that is in the store already stays as it is. Another store brings its scores and
/// origins along.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library import solvers.py
  leyden library import programs/ out.batt
  leyden library import other.db
  leyden library import solvers.py --store new.db --json -")]
struct LowBring {
    /// Files of programs, directories of such files, or stores
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    dialect: LowDialect,
    #[command(flatten)]
    json: LowJson,
}

/// Remove programs that are not among the best of any task
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library export --format store --out backup.db && leyden library prune --keep 10
  leyden library prune --keep 3 --unscored")]
struct LowPrune {
    /// Keep the N best programs of each task
    #[arg(long, value_name = "N", value_parser = number)]
    keep: usize,
    /// Remove programs without scores, too
    #[arg(long)]
    unscored: bool,
    #[command(flatten)]
    json: LowJson,
}

/// Check that the store is as it was saved
///
/// The command checks the file, reads every program, compares its hash, and adds up every score
/// again. The exit code is 0 only if the store is sound.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  leyden library check
  leyden library check --store backup.db --json -")]
struct LowCheck {
    #[command(flatten)]
    json: LowJson,
}

/// A form to export programs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// Leyden's text form
    Text,
    /// Python functions for arc-dsl
    Python,
    /// A copy of the store with everything in it
    Store,
}

pub(crate) struct LibraryArgs {
    pub(crate) store: PathBuf,
    pub(crate) action: Action,
}

/// Which programs of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Only programs with a score on one of these, if there are any.
    pub(crate) tasks: Vec<TaskId>,
    pub(crate) fitting: bool,
    pub(crate) most: Option<usize>,
}

pub(crate) enum Action {
    List {
        wanted: Wanted,
        json: Option<Target>,
    },
    Show {
        program: String,
        /// The program alone in a form, without its record.
        format: Option<ProgramFormat>,
        out: Option<Target>,
        json: Option<Target>,
    },
    Best {
        tasks: Vec<TaskId>,
        limit: usize,
        json: Option<Target>,
    },
    Export {
        form: ExportForm,
        wanted: Wanted,
        out: Option<Target>,
        json: Option<Target>,
    },
    Import {
        paths: Vec<PathBuf>,
        language: Language,
        json: Option<Target>,
    },
    Prune {
        keep: Keep,
        json: Option<Target>,
    },
    Check {
        json: Option<Target>,
    },
}

impl LowLibrary {
    pub(super) fn validate(self) -> Result<LibraryArgs, Failure> {
        Ok(LibraryArgs {
            store: self.store.validate()?,
            action: self.action.validate()?,
        })
    }
}

impl LowAction {
    fn validate(self) -> Result<Action, Failure> {
        Ok(match self {
            LowAction::List(low) => Action::List {
                wanted: low.filter.into(),
                json: low.json.validate()?,
            },
            LowAction::Show(low) => low.validate()?,
            LowAction::Best(low) => Action::Best {
                tasks: low.tasks,
                limit: low.top.top.map_or(1, Top::rows),
                json: low.json.validate()?,
            },
            LowAction::Export(low) => low.validate()?,
            LowAction::Import(low) => Action::Import {
                paths: low.paths,
                language: low.dialect.validate()?,
                json: low.json.validate()?,
            },
            LowAction::Prune(low) => Action::Prune {
                keep: Keep {
                    per_task: low.keep,
                    unscored: !low.unscored,
                },
                json: low.json.validate()?,
            },
            LowAction::Check(low) => Action::Check {
                json: low.json.validate()?,
            },
        })
    }
}

impl LowShowProgram {
    fn validate(self) -> Result<Action, Failure> {
        let suffixes = [
            (".py", Some(ProgramFormat::Python)),
            (".leyden", Some(ProgramFormat::Text)),
        ];
        let named = self.out.out.as_deref();
        let format = form(self.format.map(Some), named, &suffixes, None);
        let (out, json) = outputs(self.out, self.json)?;
        Ok(Action::Show {
            program: self.program,
            format,
            out,
            json,
        })
    }
}

impl LowExport {
    fn validate(self) -> Result<Action, Failure> {
        let wanted = Wanted::from(self.filter);
        let suffixes = [(".py", ExportForm::Python)];
        let named = self.out.out.as_deref();
        let form = form(self.format, named, &suffixes, ExportForm::Text);
        let (out, json) = outputs(self.out, self.json)?;
        let is_store = form == ExportForm::Store;
        if is_store && wanted != Wanted::default() {
            return Err(Failure::bad_input(
                "--format store copies the whole store; leave out --task, --fitting and --top",
            ));
        }
        if is_store && !matches!(out, Some(Target::File(_))) {
            return Err(Failure::bad_input(
                "--format store needs a file: --out FILE",
            ));
        }
        Ok(Action::Export {
            form,
            wanted,
            out,
            json,
        })
    }
}

impl From<LowFilter> for Wanted {
    fn from(low: LowFilter) -> Wanted {
        Wanted {
            tasks: low.task.task,
            fitting: low.fitting,
            most: low.top.top.and_then(Top::limit),
        }
    }
}
