//! Arguments of `leyden explore`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;
use leyden_grid::TaskId;
use leyden_lang::Language;
use leyden_store::DataSpec;

use super::shared::{LowJson, LowSolvers, LowStore, LowTask, checked_target, refuse_two_on_stdout};
use crate::failure::Failure;
use crate::output::Target;

const EXPORTED_TASK: &str = "\
Only this task; may be repeated

With --export, the page shows this task with its programs in place of the gallery. Such a page has one task.";

/// Look at tasks, programs and runs in the browser
///
/// `leyden explore` serves a page on this machine and opens the browser: a gallery of all tasks, an
/// editor that runs a program on every pair as you type, the library of programs with their
/// ancestors, profiles, live runs of `solve` and `evolve`, and submissions. It needs no network.
///
/// Only this machine reaches the page, and only with the token in the link. The calls behind the
/// page are documented in docs/explore-api.md, for scripts.
///
/// FILES are opened beside the tasks: submissions, batteries, and the JSON of `leyden profile` and
/// `leyden solve`.
#[derive(Args)]
#[command(
    mut_arg("task", |arg| arg.requires("export").long_help(EXPORTED_TASK)),
    after_long_help = "\
Examples:
  leyden explore                                  ARC-AGI-1 training and the public programs
  leyden explore --data demo                      50 built-in tasks, no network needed
  leyden explore --data arc1:all --data mini --solvers mine.py
  leyden explore --data demo submission.json profile.json
  leyden explore --data demo --task 1e7d0001 --export task.html
  leyden explore --no-open --port 8080 --json -   for scripts: prints the link as JSON"
)]
pub(super) struct LowExplore {
    /// Submissions, batteries, profiles and reports to open
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    /// The tasks: a name such as `demo` or `arc1:training`, or a path [default: arc1:training]
    ///
    /// The option may be repeated. `leyden help run` lists all names.
    #[arg(short, long, value_name = "SPEC", help_heading = "Tasks")]
    data: Vec<DataSpec>,
    #[command(flatten)]
    solvers: LowSolvers,
    #[command(flatten)]
    store: LowStore,
    /// The port; 0 takes a free one. A port that you choose keeps its link: bookmarks and open pages
    /// work again after a restart
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Page")]
    port: u16,
    /// The address to listen on. With any other than this machine's own, others may call, too, if
    /// they have the token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), help_heading = "Page")]
    host: IpAddr,
    /// Do not open the browser
    #[arg(long, help_heading = "Page")]
    no_open: bool,
    /// Do not serve; write the gallery to FILE as one page that needs no server (`-`: standard
    /// output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    export: Option<PathBuf>,
    #[command(flatten)]
    task: LowTask,
    #[command(flatten)]
    json: LowJson,
}

pub(crate) struct ExploreArgs {
    /// Empty for the default.
    pub(crate) data: Vec<DataSpec>,
    pub(crate) solvers: Vec<PathBuf>,
    pub(crate) language: Language,
    pub(crate) store: PathBuf,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) host: IpAddr,
    pub(crate) port: u16,
    pub(crate) opens_browser: bool,
    pub(crate) export: Option<Export>,
    pub(crate) json: Option<Target>,
}

/// A page to write in place of serving.
pub(crate) struct Export {
    pub(crate) target: Target,
    /// `None` for the gallery.
    pub(crate) task: Option<TaskId>,
}

impl LowExplore {
    pub(super) fn validate(self) -> Result<ExploreArgs, Failure> {
        let target = self.export.map(checked_target).transpose()?;
        let json = self.json.validate()?;
        refuse_two_on_stdout([&target, &json])?;
        let mut tasks = self.task.task;
        let task = tasks.pop();
        if let Some(one_more) = tasks.first() {
            let message = format!("--task {one_more}: a page of --export has one task");
            return Err(Failure::bad_input(message));
        }
        Ok(ExploreArgs {
            data: self.data,
            solvers: self.solvers.solvers,
            language: self.solvers.dialect.validate()?,
            store: self.store.validate()?,
            files: self.files,
            host: self.host,
            port: self.port,
            opens_browser: !self.no_open,
            export: target.map(|target| Export { target, task }),
            json,
        })
    }
}
