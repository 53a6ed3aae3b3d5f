//! The parts of a job that several machines share: their files, and the union of them.
//!
//! A part names its job (data, programs, settings, all tasks) and has a record for each task that
//! it ran. A record has a key. So a union does not depend on the order of the parts, and a part
//! that is given twice counts once. The report of a union comes from the code that reports a run
//! without parts.

mod batt;
mod job;
mod union;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use leyden_grid::Task;
use leyden_profile::json::json_words;
use leyden_store::{io_words, task_hash};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) use batt::BattResult;
pub(crate) use job::{BatteryJob, Job, Scores};
pub(crate) use union::Union;

use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::Phases;
use crate::pipeline::shard::Shard;
use crate::report::numbers::PhaseSeconds;
use crate::report::run_json::PerTask;

/// The version of the engine. Results of different versions cannot be compared.
pub(crate) const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// The largest part.
const MAX_PART_BYTES: u64 = 4 << 30;

/// The subject of a record. Two records with equal keys are equal, except for times.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    /// The hash of all programs of the job.
    pub(crate) programs: String,
    pub(crate) task: String,
    pub(crate) data: String,
    pub(crate) engine: String,
}

/// The result of a task.
pub(crate) trait Outcome: Serialize + DeserializeOwned + PartialEq {
    /// The command that gives it.
    const COMMAND: &'static str;

    fn task(&self) -> &str;

    /// The outcome without its times.
    fn timeless(&self) -> Self;
}

impl Outcome for PerTask {
    const COMMAND: &'static str = "run";

    fn task(&self) -> &str {
        &self.task
    }

    fn timeless(&self) -> PerTask {
        PerTask::timeless(self)
    }
}

/// A record of a part.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record<R> {
    pub(crate) key: Key,
    pub(crate) result: R,
}

/// A part without its records.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    part_of: String,
    shard: Shard,
    job: Job,
    phases: PhaseSeconds,
}

/// A part as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound = "R: DeserializeOwned")]
struct PartFile<R> {
    #[expect(dead_code, reason = "read before the rest, to know what the rest is")]
    part_of: String,
    shard: Shard,
    job: Job,
    phases: PhaseSeconds,
    records: Vec<Record<R>>,
}

/// Writes a part: each record is one line. The tasks are those of the results.
pub(crate) fn write<R: Outcome>(
    target: &Target,
    shard: Shard,
    job: &Job,
    phases: &Phases,
    records: impl Iterator<Item = Record<R>>,
) -> Result<(), Failure> {
    let head = Head {
        part_of: R::COMMAND.to_owned(),
        shard,
        job: job.clone(),
        phases: phases.into(),
    };
    let mut out = target.open()?;
    let head = serde_json::to_string_pretty(&head).map_err(failed)?;
    write!(
        out,
        "{},\n  \"records\": [",
        head.strip_suffix("\n}").unwrap_or(&head)
    )?;
    for (k, record) in records.enumerate() {
        let line = serde_json::to_string(&record).map_err(failed)?;
        let comma = if k == 0 { "" } else { "," };
        write!(out, "{comma}\n    {line}")?;
    }
    write!(out, "\n  ]\n}}\n")?;
    out.finish()
}

fn failed(error: serde_json::Error) -> Failure {
    Failure::Other(error.into())
}

/// The record of a task.
pub(crate) fn record<R>(job: &Job, task: &Task, result: R) -> Record<R> {
    let key = Key {
        task: task_hash(task),
        ..job.key()
    };
    Record { key, result }
}

/// The command that wrote a part.
pub(crate) fn command_of(path: &Path) -> Result<String, Failure> {
    #[derive(Deserialize)]
    struct Command {
        part_of: String,
    }
    read::<Command>(path).map(|it| it.part_of)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let name = path.display();
    let bad = |what: &str| Failure::bad_input(format!("{name}: {what}"));
    if path.is_dir() {
        return Err(bad(
            "this is a directory; expected a part that `--shard` wrote",
        ));
    }
    let unreadable = |error| bad(&io_words(&error));
    let file = File::open(path).map_err(unreadable)?;
    let n_bytes = file.metadata().map_err(unreadable)?.len();
    let mut file = file.take(MAX_PART_BYTES);
    let read = serde_json::from_reader(BufReader::with_capacity(1 << 16, &mut file));
    // The length of a pipe is not known beforehand.
    if n_bytes > MAX_PART_BYTES || file.limit() == 0 {
        return Err(bad(&format!(
            "larger than {} GB, the most that a part may have; use more shards",
            MAX_PART_BYTES >> 30
        )));
    }
    read.map_err(|error| {
        let why = json_words(&error);
        bad(&format!("this is not a part that `--shard` wrote: {why}"))
    })
}
