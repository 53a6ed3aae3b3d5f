//! [`Union`]: the records of all parts, each once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leyden_grid::TaskId;

use super::{Job, Key, Outcome, PartFile, Record, read};
use crate::failure::Failure;
use crate::pipeline::Phases;
use crate::pipeline::shard::Shard;
use crate::report::numbers::counted;

/// A message names at most this many tasks.
const MOST_NAMED: usize = 5;

/// Parts put together.
pub(crate) struct Union<R> {
    pub(crate) job: Job,
    pub(crate) phases: Phases,
    /// How many files were read.
    pub(crate) n_parts: usize,
    /// The shard whose number of parts all files share; `None` if they differ.
    shard: Option<Shard>,
    /// The first file, which the others are compared with.
    first: PathBuf,
    /// Each task's place among all tasks.
    places: BTreeMap<String, usize>,
    records: BTreeMap<Key, (usize, R)>,
}

impl<R: Outcome> Union<R> {
    /// Reads all parts.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Union<R>, Failure> {
        let mut union: Option<Union<R>> = None;
        for path in paths {
            let part: PartFile<R> = read(path)?;
            match &mut union {
                None => union = Some(Union::of(path, part)?),
                Some(union) => union.add(path, part)?,
            }
        }
        union.ok_or_else(|| Failure::bad_input("there are no parts to merge"))
    }

    fn of(path: &Path, part: PartFile<R>) -> Result<Union<R>, Failure> {
        let names = part.job.tasks.iter().cloned();
        let places: BTreeMap<String, usize> = names.zip(0..).collect();
        if places.len() < part.job.tasks.len() {
            return Err(damaged(path, "a task is listed twice"));
        }
        if part.job.tasks.iter().any(|id| TaskId::new(id).is_err()) {
            return Err(damaged(path, "a bad task id"));
        }
        let mut union = Union {
            job: part.job.clone(),
            phases: Phases::default(),
            n_parts: 0,
            shard: Some(part.shard),
            first: path.to_owned(),
            places,
            records: BTreeMap::new(),
        };
        union.add(path, part)?;
        Ok(union)
    }

    fn add(&mut self, path: &Path, part: PartFile<R>) -> Result<(), Failure> {
        if let Some(what) = part.job.differs(&self.job) {
            return Err(Failure::bad_input(format!(
                "{}: {what} than in {}",
                path.display(),
                self.first.display()
            )));
        }
        let n_before = self.records.len();
        for record in part.records {
            self.add_record(path, record)?;
        }
        if self.records.len() > n_before {
            self.phases = self.phases.plus(part.phases.into());
        }
        // A name that does not depend on the order of the parts.
        self.job.data_name = self.job.data_name.clone().min(part.job.data_name);
        self.shard = self.shard.filter(|shard| shard.of() == part.shard.of());
        self.n_parts += 1;
        Ok(())
    }

    fn add_record(&mut self, path: &Path, record: Record<R>) -> Result<(), Failure> {
        let Record { key, result } = record;
        let expected = Key {
            task: key.task.clone(),
            ..self.job.key()
        };
        if key != expected {
            return Err(damaged(path, "a record has another key than its part"));
        }
        let place = self.places.get(result.task()).copied();
        let place = place.ok_or_else(|| damaged(path, "a record of a task that is not listed"))?;
        match self.records.get(&key) {
            None => {
                self.records.insert(key, (place, result));
                Ok(())
            }
            Some((_, known)) if known.timeless() == result.timeless() => Ok(()),
            Some(_) => Err(Failure::bad_input(format!(
                "{}: another result for {} than in another part; all parts must come from one program and one \
                 data set",
                path.display(),
                result.task()
            ))),
        }
    }

    /// The results in the order of the tasks, the job and the times.
    pub(crate) fn finish(self, is_partial: bool) -> Result<(Vec<R>, Job, Phases), Failure> {
        let mut results: Vec<Option<R>> = self.places.iter().map(|_| None).collect();
        for (place, result) in self.records.into_values() {
            if results[place].replace(result).is_some() {
                return Err(Failure::bad_input(format!(
                    "{}: two records of {}",
                    self.first.display(),
                    self.job.tasks[place]
                )));
            }
        }
        let missing = (0..results.len()).filter(|place| results[*place].is_none());
        let missing: Vec<usize> = missing.collect();
        if !missing.is_empty() && !is_partial {
            return Err(incomplete(&self.job.tasks, &missing, self.shard));
        }
        let results = results.into_iter().flatten().collect();
        Ok((results, self.job, self.phases))
    }
}

fn damaged(path: &Path, what: &str) -> Failure {
    Failure::bad_input(format!("{}: the part is damaged: {what}", path.display()))
}

fn incomplete(tasks: &[String], missing: &[usize], shard: Option<Shard>) -> Failure {
    let named = missing.iter().take(MOST_NAMED);
    let mut names: Vec<String> = named.map(|place| tasks[*place].clone()).collect();
    if missing.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    let shards = shard.map_or(String::new(), |shard| {
        let mut shards: Vec<Shard> = missing.iter().map(|place| shard.with(*place)).collect();
        shards.sort_unstable();
        shards.dedup();
        let ending = if shards.len() == 1 { "" } else { "s" };
        let shards: Vec<String> = shards.iter().map(Shard::to_string).collect();
        format!(" of the shard{ending} {}", shards.join(", "))
    });
    Failure::bad_input(format!(
        "the parts lack {}{shards}: {}; give all parts, or leave these tasks out with --partial",
        counted(missing.len(), "task"),
        names.join(", "),
    ))
}
