//! Load: from the names on a command line to tasks, and to the files that programs are read from.

use std::path::{Path, PathBuf};
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_grid::{Task, TaskId, counted};
use leyden_store::{Cache, Collection, DataSet, DataSpec, StoreError, Subset, demo};

use super::fetch::fetch;
use super::shard::Shard;
use crate::clock::{Wall, timed};
use crate::failure::{Failure, closest};
use crate::output::remark;
use crate::programs::{Source, neighbour};

/// The default data.
pub(crate) const DEFAULT_DATA: DataSpec = DataSpec::Named(Collection::Arc1, Subset::Training);

/// A choice among the tasks of a data set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// Only these tasks; empty for all.
    pub(crate) only: Vec<TaskId>,
    /// The first one, counted from 0.
    pub(crate) start: usize,
    /// At most this many.
    pub(crate) most: Option<usize>,
}

impl Choice {
    /// Exactly one task.
    pub(crate) fn one(id: TaskId) -> Choice {
        Choice {
            only: vec![id],
            ..Choice::default()
        }
    }

    /// The chosen tasks of a data set.
    pub(crate) fn select(
        &self,
        mut tasks: Vec<Task>,
        data_name: &str,
    ) -> Result<Vec<Task>, Failure> {
        for id in &self.only {
            if !tasks.iter().any(|task| task.id == *id) {
                let known = tasks.iter().map(|task| &task.id);
                return Err(unknown_task(id.as_str(), known, data_name));
            }
        }
        if !self.only.is_empty() {
            tasks.retain(|task| self.only.contains(&task.id));
        }
        if self.start > 0 && self.start >= tasks.len() {
            return Err(Failure::bad_input(format!(
                "--start {}: {data_name} has {}, counted from 0",
                self.start,
                counted(tasks.len(), "task")
            )));
        }
        tasks.drain(..self.start);
        tasks.truncate(self.most.unwrap_or(usize::MAX));
        Ok(tasks)
    }
}

/// The tasks that a command names.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedTasks {
    /// `None` for the default data.
    pub(crate) data: Option<DataSpec>,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) choice: Choice,
}

/// The chosen tasks, and the places of the programs.
pub(crate) struct LoadedTasks {
    pub(crate) name: String,
    pub(crate) hash: String,
    /// The number of tasks of the data set.
    pub(crate) n_all: usize,
    /// The ids of all chosen tasks, those of other shards included.
    pub(crate) ids: Vec<String>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) spec: DataSpec,
    pub(crate) sources: Vec<Source>,
    /// The start of the command, without the time for fetching.
    pub(crate) started: Wall,
    /// From the start until reading began.
    pub(crate) start_up: Duration,
    /// The time that reading the data set took.
    pub(crate) time: Duration,
}

/// Loads the tasks that a command names, and fetches the data first if the cache lacks it. Without
/// files of programs it finds the default ones; a command that needs no programs gives `None`.
pub(crate) fn load(
    wanted: &WantedTasks,
    programs: Option<&[PathBuf]>,
    cancel: &CancelToken,
    started: Wall,
) -> Result<LoadedTasks, Failure> {
    let data = wanted.data.clone();
    let material = match programs {
        Some(files) => material(data, files, cancel)?,
        None => tasks_only(data, cancel)?,
    };
    let started = if material.was_fetched {
        Wall::start()
    } else {
        started
    };
    let start_up = started.elapsed();
    let (data, time) = timed(|| material.load(wanted.solutions.as_deref()));
    let DataSet { name, hash, tasks } = data?;
    let n_all = tasks.len();
    let tasks = wanted.choice.select(tasks, &name)?;
    Ok(LoadedTasks {
        ids: ids_of(&tasks),
        tasks,
        name,
        hash,
        n_all,
        spec: material.data,
        sources: material.sources,
        started,
        start_up,
        time,
    })
}

impl LoadedTasks {
    /// Only the tasks of a shard.
    pub(crate) fn part(mut self, shard: Option<Shard>) -> LoadedTasks {
        if let Some(shard) = shard {
            self.tasks = shard.take(self.tasks);
        }
        self
    }
}

/// The data set with a name, from files and the cache: it fetches nothing.
pub(crate) fn load_local(spec: &DataSpec, solutions: Option<&Path>) -> Result<DataSet, Failure> {
    // Files need no cache.
    let cache = if spec.collections().is_empty() {
        Cache::at("")
    } else {
        Cache::from_env()?
    };
    Ok(leyden_store::load(spec, solutions, &cache)?)
}

/// The data and the files that a command works on, before any of them is read.
pub(crate) struct Material {
    pub(crate) data: DataSpec,
    pub(crate) sources: Vec<Source>,
    cache: Cache,
    was_fetched: bool,
}

/// The tasks and programs that the arguments name, or the defaults; fetches missing ones.
pub(crate) fn material(
    named: Option<DataSpec>,
    solvers: &[PathBuf],
    cancel: &CancelToken,
) -> Result<Material, Failure> {
    let own = solvers.iter().cloned().map(Source::Path).collect();
    gather(named, own, solvers.is_empty(), cancel)
}

/// The tasks alone; fetches missing ones.
pub(crate) fn tasks_only(
    named: Option<DataSpec>,
    cancel: &CancelToken,
) -> Result<Material, Failure> {
    gather(named, Vec::new(), false, cancel)
}

fn gather(
    named: Option<DataSpec>,
    own: Vec<Source>,
    wants_programs: bool,
    cancel: &CancelToken,
) -> Result<Material, Failure> {
    let is_named = named.is_some();
    let data = named.unwrap_or(DEFAULT_DATA);
    let needs_programs = wants_programs && data != DataSpec::Demo;
    if !needs_programs && data.collections().is_empty() {
        return Ok(Material::local(data, own));
    }
    let is_default = !is_named && own.is_empty();
    let fetched = with_cache(data, own, needs_programs, cancel);
    match fetched {
        _ if cancel.is_cancelled() => Err(Failure::Stopped("nothing was run".to_owned())),
        Err(Failure::Other(error) | Failure::BadInput(error)) if is_default => {
            remark(&format!(
                "note: {error:#}; the built-in tasks run instead (`--data demo`)\n"
            ));
            Ok(Material::local(DataSpec::Demo, Vec::new()))
        }
        other => other,
    }
}

impl Material {
    /// Files and built-in tasks, which need no cache.
    fn local(data: DataSpec, mut sources: Vec<Source>) -> Material {
        if sources.is_empty() {
            sources.push(Source::BuiltIn);
        }
        Material {
            data,
            sources,
            cache: Cache::at(""),
            was_fetched: false,
        }
    }

    /// Reads the data set.
    pub(crate) fn load(&self, solutions: Option<&Path>) -> Result<DataSet, Failure> {
        Ok(leyden_store::load(&self.data, solutions, &self.cache)?)
    }
}

fn with_cache(
    data: DataSpec,
    mut sources: Vec<Source>,
    needs_programs: bool,
    cancel: &CancelToken,
) -> Result<Material, Failure> {
    let cache = Cache::from_env()?;
    let mut collections = data.collections().into_iter();
    let has_data = collections.all(|it| cache.dataset_path(it).is_some());
    let was_fetched = !has_data || (needs_programs && cache.programs_path()?.is_none());
    if was_fetched {
        if matches!(data, DataSpec::Path(..)) {
            // An error in a path comes before anything is fetched.
            leyden_store::load(&data, None, &cache)?;
        }
        fetch(&cache, cancel)?;
    }
    if needs_programs {
        let missing = || StoreError::NotFetched {
            name: "the programs".to_owned(),
        };
        sources.push(Source::Path(cache.programs_path()?.ok_or_else(missing)?));
    }
    Ok(Material {
        data,
        sources,
        cache,
        was_fetched,
    })
}

/// The ids of tasks.
pub(crate) fn ids_of(tasks: &[Task]) -> Vec<String> {
    tasks.iter().map(|task| task.id.to_string()).collect()
}

/// Does a path that leads nowhere mean a file? Ids of tasks have no suffix.
pub(crate) fn names_a_file(path: &Path) -> bool {
    !path.exists() && (path.extension().is_some() || path.components().count() > 1)
}

/// The failure of a command that names a task which the data lacks.
pub(crate) fn unknown_task<'a>(
    id: &str,
    known: impl Iterator<Item = &'a TaskId>,
    data_name: &str,
) -> Failure {
    let path = Path::new(id);
    if names_a_file(path) {
        let hint = neighbour(path).map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Failure::bad_input(format!("{id}: there is no such file{hint}"));
    }
    let known: Vec<&str> = known.map(TaskId::as_str).collect();
    let hint = match closest(id, known.iter().copied()) {
        _ if !known.is_empty() && is_built_in(id) => "; `--data demo` has it".to_owned(),
        Some(near) => format!("; did you mean {near}?"),
        None => String::new(),
    };
    Failure::bad_input(format!("{data_name} has no task {id}{hint}"))
}

fn is_built_in(id: &str) -> bool {
    demo::tasks().iter().any(|task| task.id.as_str() == id)
}
