//! Arguments of `leyden library`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use leyden_dsl::table::Dialect;
use leyden_grid::TaskId;
use leyden_store::library::{Filter, Keep, default_store_path};

use super::{checked_target, dialect_parser};
use crate::failure::Failure;
use crate::output::Target;

/// The library: programs that were found or brought, with their scores.
///
/// A store is one file (SQLite). It keeps every program once, where it came from, and how it did
/// on the demonstration pairs of tasks; test outputs are never in it. Several processes may use
/// one store at a time, and one that is killed loses nothing that was reported as saved.
///
/// Without --store it is $LEYDEN_STORE, or leyden/library.db in $XDG_DATA_HOME or in
/// ~/.local/share.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library import solvers.py         bring programs in
  leyden library list                      the best ones first
  leyden library best 007bbfb7             the best ones for a task
  leyden library show solve_007bbfb7       one program: text, origin, scores
  leyden library export --as python --out mine.py
  leyden library check                     is everything as it was saved?
  leyden card --library -c 100             a battery, drawn by score")]
pub(super) struct LowLibrary {
    /// The store [default: $LEYDEN_STORE, or the user's own]
    #[arg(long, value_name = "PATH", global = true)]
    store: Option<PathBuf>,
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

/// List programs, the best ones first.
///
/// Those that fit most tasks come first (all demonstration pairs right), then those with the best
/// partial credit, then the shortest, then the cheapest.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library list -n 20
  leyden library list --task 007bbfb7 --fitting
  leyden library list --json - | jq '.programs[].name'")]
struct LowList {
    /// Only programs with a score on this task; only that score counts
    #[arg(long, value_name = "ID")]
    task: Option<TaskId>,
    /// Only programs that fit a task
    #[arg(long)]
    fitting: bool,
    /// At most N programs
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Write everything as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Show a program: its text, where it came from, how it did.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library show solve_007bbfb7
  leyden library show 3fa9c1
  leyden library show 3fa9c1 --python > mine.py
  leyden library show 3fa9c1 --json -")]
struct LowShowProgram {
    /// Its name, or the beginning of its hash (4 digits or more)
    program: String,
    /// Only the program, in arc-dsl's Python form
    #[arg(long, conflicts_with = "json")]
    python: bool,
    /// Write everything as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The best programs of tasks: exact before partly right, then small, then cheap.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library best                      the best one for every task
  leyden library best 007bbfb7 -n 5
  leyden library best --json -")]
struct LowBest {
    /// The tasks [default: all that have scores]
    #[arg(value_name = "ID")]
    tasks: Vec<TaskId>,
    /// So many for each task
    #[arg(short = 'n', long, value_name = "N", default_value = "1")]
    limit: NonZeroUsize,
    /// Write everything as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Write programs as text, as arc-dsl's Python, or the whole store as a copy.
///
/// Names are made unique by a part of the hash where two programs have the same.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library export --out all.leyden
  leyden library export --as python --fitting --out solvers.py
  leyden library export --as store --out backup.db")]
struct LowExport {
    /// The form
    #[arg(long = "as", value_enum, default_value_t = ExportForm::Text)]
    form: ExportForm,
    /// Only programs with a score on this task
    #[arg(long, value_name = "ID")]
    task: Option<TaskId>,
    /// Only programs that fit a task
    #[arg(long)]
    fitting: bool,
    /// Only the N best programs
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Where to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Bring programs in, from files or from another store; makes the store if there is none.
///
/// A program that is there already stays as it is. From another store scores and origins come
/// along.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library import solvers.py
  leyden library import programs/ out.batt
  leyden library import other.db
  leyden library import solvers.py --store new.db --json -")]
struct LowBring {
    /// Files of programs, directories of such files, or stores
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The dialect of all programs [default: by their names, `verify_…` is re-arc, and by the names they use]
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Write what happened as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Remove programs that are among the best of no task.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library export --as store --out backup.db && leyden library prune --keep 10
  leyden library prune --keep 3 --unscored")]
struct LowPrune {
    /// Keep the N best programs of each task
    #[arg(long, value_name = "N")]
    keep: usize,
    /// Remove programs without any score, too
    #[arg(long)]
    unscored: bool,
    /// Write what happened as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Check that everything in the store is as it was saved.
///
/// Checks the file, reads every program and compares its hash, and adds up every score again. The
/// exit code is 0 only if nothing is wrong.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden library check
  leyden library check --store backup.db --json -")]
struct LowCheck {
    /// Write the findings as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A form to export programs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// Leyden's text form
    Text,
    /// Functions for arc-dsl
    Python,
    /// A store with everything in it
    Store,
}

pub(crate) struct LibraryArgs {
    pub(crate) store: PathBuf,
    pub(crate) action: Action,
}

pub(crate) enum Action {
    List {
        filter: Filter,
        json: Option<Target>,
    },
    Show {
        program: String,
        python: bool,
        json: Option<Target>,
    },
    Best {
        tasks: Vec<TaskId>,
        limit: usize,
        json: Option<Target>,
    },
    Export {
        form: ExportForm,
        filter: Filter,
        out: Target,
    },
    Import {
        paths: Vec<PathBuf>,
        dialect: Option<Dialect>,
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
            store: store_path(self.store)?,
            action: self.action.validate()?,
        })
    }
}

/// The store that is meant: the named one, or the user's own.
pub(super) fn store_path(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    named.map_or_else(|| Ok(default_store_path()?), Ok)
}

impl LowAction {
    fn validate(self) -> Result<Action, Failure> {
        let target = |json: Option<PathBuf>| json.map(checked_target).transpose();
        Ok(match self {
            LowAction::List(low) => Action::List {
                filter: filter(low.task, low.fitting, low.limit),
                json: target(low.json)?,
            },
            LowAction::Show(low) => Action::Show {
                program: low.program,
                python: low.python,
                json: target(low.json)?,
            },
            LowAction::Best(low) => Action::Best {
                tasks: low.tasks,
                limit: low.limit.get(),
                json: target(low.json)?,
            },
            LowAction::Export(low) => low.validate()?,
            LowAction::Import(low) => Action::Import {
                paths: low.paths,
                dialect: low.dialect,
                json: target(low.json)?,
            },
            LowAction::Prune(low) => Action::Prune {
                keep: Keep {
                    per_task: low.keep,
                    unscored: !low.unscored,
                },
                json: target(low.json)?,
            },
            LowAction::Check(low) => Action::Check {
                json: target(low.json)?,
            },
        })
    }
}

impl LowExport {
    fn validate(self) -> Result<Action, Failure> {
        let filter = filter(self.task, self.fitting, self.limit);
        let is_store = self.form == ExportForm::Store;
        if is_store && filter != Filter::default() {
            return Err(Failure::bad_input("a store is copied as a whole"));
        }
        let out = self.out.map_or(Ok(Target::Stdout), checked_target)?;
        if is_store && out == Target::Stdout {
            return Err(Failure::bad_input("a store needs a file: --out FILE"));
        }
        Ok(Action::Export {
            form: self.form,
            filter,
            out,
        })
    }
}

fn filter(task: Option<TaskId>, fitting: bool, limit: Option<NonZeroUsize>) -> Filter {
    Filter {
        task: task.map(|task| task.to_string()),
        fitting,
        limit: limit.map(NonZeroUsize::get),
    }
}
