//! The user's wishes for a run, as a command line.

use std::ffi::OsString;
use std::path::Path;

use leyden_explore::Refusal;
use serde::{Deserialize, Serialize};

use super::run_files::RunFiles;
use crate::args;

/// The user's wishes for a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Wish {
    pub(super) command: Kind,
    /// The data set as the page names it.
    pub(super) set: String,
    /// The data set as a command line names it.
    pub(super) spec: String,
    pub(super) options: Options,
    /// Seconds since 1970.
    pub(super) started: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Solve,
    Evolve,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Solve => "solve",
            Kind::Evolve => "evolve",
        }
    }
}

/// The options of a run. The command checks their values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    per_task: Option<String>,
    budget: Option<String>,
    seed: Option<u64>,
    pub(super) tasks: Option<Vec<String>>,
    library: Option<Shelf>,
}

/// The programs to begin with. The page names no files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shelf {
    /// The store of the page.
    Own,
    Public,
    None,
}

impl Wish {
    /// The command line. Each option and its value are one word, so no value can become an option.
    pub(super) fn arguments(
        &self,
        files: &RunFiles,
        store: &Path,
        is_resumed: bool,
    ) -> Vec<OsString> {
        let Wish {
            command, options, ..
        } = self;
        let mut args: Vec<OsString> = vec!["leyden".into(), command.name().into()];
        let mut add = |name: &str, value: &dyn AsRef<Path>| {
            let mut word = OsString::from(format!("--{name}="));
            word.push(value.as_ref());
            args.push(word);
        };
        add("data", &self.spec);
        add("json", &files.report());
        match command {
            Kind::Solve => {
                add("out", &files.submission());
                add("candidates", &"10");
            }
            Kind::Evolve => {
                add("store", &store);
                add("progress", &files.progress());
            }
        }
        let texts = [("per-task", &options.per_task), ("budget", &options.budget)];
        for (name, value) in texts {
            value.iter().for_each(|value| add(name, value));
        }
        match options.library {
            Some(Shelf::Own) => add("library", &store),
            Some(Shelf::Public) => add("library", &"public"),
            Some(Shelf::None) => add("library", &"none"),
            None => {}
        }
        let seed = options.seed.iter();
        seed.for_each(|seed| add("seed", &seed.to_string()));
        let tasks = options.tasks.iter().flatten();
        tasks.for_each(|task| add("task", task));
        if *command == Kind::Solve {
            args.push("--keep-journal".into());
        }
        if is_resumed {
            args.push("--resume".into());
        }
        args
    }

    /// Refuses options that the command would refuse.
    pub(super) fn check(&self, files: &RunFiles, store: &Path) -> Result<(), Refusal> {
        let read = args::parse(self.arguments(files, store, false));
        read.map(|_| ()).map_err(|failure| {
            let (message, _) = failure.in_words();
            let message = anstream::adapter::strip_str(&message).to_string();
            let first = message.lines().next().unwrap_or_default();
            let first = first.trim_start_matches("error: ");
            Refusal::bad(format!("options: {first}"))
        })
    }
}
