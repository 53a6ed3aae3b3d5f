//! Fresh pairs for the tasks of ARC-AGI-1 training, from the generators of re-arc.
//!
//! The generators are Python, so a Python of the machine runs them (`generate.py`). The cache keeps
//! their pairs by task, seed and number. With all of them in the cache, no Python is needed.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use leyden_grid::{Grid, Pair, TaskId, counted};
use serde::Deserialize;
use thiserror::Error;

use crate::atomic::write_atomic;
use crate::cache::Cache;
use crate::error::StoreError;
use crate::fetch::{PROGRAMS_FILE, REASONING_GYM};
use crate::load::{parse_tasks, read_bounded, text_of};
use crate::pip::{Python, last_line, read_back, wait};
use crate::temporary::NewDirectory;
use crate::words::io_words;

/// The program that runs the generators.
const SCRIPT: &str = include_str!("generate.py");

/// The files of re-arc that it loads.
const FILES: [&str; 7] = [
    "dsl.py",
    "utils.py",
    PROGRAMS_FILE,
    "generators_00_99.py",
    "generators_100_199.py",
    "generators_200_299.py",
    "generators_300_399.py",
];

/// The reason why no pairs could be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// Re-arc does not know the task.
    #[error("re-arc has no generator for the task {id}; it has one for each task of arc1:training")]
    UnknownTask {
        /// The id.
        id: TaskId,
    },
    /// The machine has no Python.
    #[error("fresh pairs need Python, and no python3 is on the PATH")]
    NoPython,
    /// Python failed.
    #[error("the generators cannot run: Python says: {message}")]
    Python {
        /// Python's own reason.
        message: String,
    },
    /// A generator gave too few pairs.
    #[error("the generator of {id} gave {}, not {wanted}; ask for fewer with --n", counted(*found, "different pair"))]
    TooFew {
        /// The task.
        id: TaskId,
        /// The number of different pairs.
        found: usize,
        /// The number that was asked for.
        wanted: usize,
    },
    /// The caller stopped Python.
    #[error("stopped while Python was making pairs")]
    Stopped,
    /// The cache cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Fresh pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fresh {
    /// The pairs of each task, in the order of the request.
    pub tasks: Vec<(TaskId, Vec<Pair>)>,
    /// The number of tasks whose pairs were in the cache.
    pub n_cached: usize,
    /// The dsl that the generators ran on, if they ran: `leyden.rearc`, or `re-arc` for their own.
    pub dsl: Option<String>,
}

/// Whether the generators were fetched.
pub fn is_fetched(cache: &Cache) -> bool {
    let dir = cache.package_dir(&REASONING_GYM);
    FILES.iter().all(|name| dir.join(name).is_file())
}

/// The ids of all tasks that have a generator, sorted.
pub fn known_tasks(cache: &Cache) -> Result<Vec<TaskId>, StoreError> {
    let bytes = REASONING_GYM.read(cache, PROGRAMS_FILE)?;
    let text = text_of(Path::new(PROGRAMS_FILE), &bytes)?;
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("def verify_")?.split('(').next());
    let mut ids: Vec<TaskId> = names.filter_map(|name| TaskId::new(name).ok()).collect();
    ids.sort();
    Ok(ids)
}

/// Makes `n_pairs` different pairs for each task, or takes them from the cache. Equal arguments give
/// equal pairs. Ends Python as soon as `is_stopped` returns true; the pairs of finished tasks are
/// kept.
pub fn generate(
    cache: &Cache,
    ids: &[TaskId],
    n_pairs: usize,
    seed: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Fresh, GenerateError> {
    let known = known_tasks(cache)?;
    if let Some(id) = ids.iter().find(|id| known.binary_search(id).is_err()) {
        return Err(GenerateError::UnknownTask { id: id.clone() });
    }
    for name in FILES {
        // Python runs these files, so a changed one is refused.
        REASONING_GYM.read(cache, name)?;
    }
    let place = |id: &TaskId| kept_at(cache, id, n_pairs, seed);
    let missing = |id: &&TaskId| kept(&place(id), n_pairs).is_none();
    let missing: Vec<&TaskId> = ids.iter().filter(missing).collect();
    let mut dsl = None;
    if !missing.is_empty() {
        dsl = Some(make(cache, &missing, n_pairs, seed, is_stopped)?);
    }
    let pairs = ids.iter().map(|id| {
        let pairs = kept(&place(id), n_pairs);
        let pairs = pairs.ok_or_else(|| StoreError::Damaged { path: place(id) })?;
        Ok((id.clone(), pairs))
    });
    Ok(Fresh {
        tasks: pairs.collect::<Result<_, StoreError>>()?,
        n_cached: ids.len() - missing.len(),
        dsl,
    })
}

/// The file of a task's pairs in the cache.
fn kept_at(cache: &Cache, id: &TaskId, n_pairs: usize, seed: u64) -> PathBuf {
    let name = format!("{id}-{seed}-{n_pairs}.json");
    cache
        .package_dir(&REASONING_GYM)
        .join("generated")
        .join(name)
}

/// The pairs in a file of the cache, if all of them are there.
fn kept(path: &Path, n_pairs: usize) -> Option<Vec<Pair>> {
    let bytes = path.is_file().then(|| read_bounded(path).ok())??;
    let task = parse_tasks(path, &bytes, None).ok()?.pop()?;
    (task.demos.len() == n_pairs).then_some(task.demos)
}

/// Lets Python make pairs and puts them into the cache; gives the name of the dsl.
fn make(
    cache: &Cache,
    ids: &[&TaskId],
    n_pairs: usize,
    seed: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<String, GenerateError> {
    let python = Python::find().ok_or(GenerateError::NoPython)?;
    let failed = |error: io::Error| GenerateError::Python {
        message: io_words(&error),
    };
    let dir = NewDirectory::inside(cache.root()).map_err(failed)?;
    let results = dir.path().join("results.jsonl");
    let mut arguments = vec![seed.to_string(), n_pairs.to_string()];
    arguments.extend(ids.iter().map(ToString::to_string));
    let files = cache.package_dir(&REASONING_GYM);
    let (mut child, mut words) = start(&python, &files, &results, &arguments).map_err(failed)?;
    let status = wait(&mut child, is_stopped).map_err(failed)?;
    let made = fs::read_to_string(&results).unwrap_or_default();
    let dsl = keep(cache, &made, n_pairs, seed)?;
    match (status, dsl) {
        (None, _) => Err(GenerateError::Stopped),
        (Some(status), Some(dsl)) if status.success() => Ok(dsl),
        _ => Err(GenerateError::Python {
            message: last_line(&read_back(&mut words).map_err(failed)?),
        }),
    }
}

fn start(
    python: &Python,
    files: &Path,
    results: &Path,
    arguments: &[String],
) -> io::Result<(Child, File)> {
    let dir = results.parent().unwrap_or(files);
    let words = tempfile::tempfile_in(dir)?;
    let path = env::join_paths(&python.places).map_err(io::Error::other)?;
    let child = Command::new(&python.interpreter)
        .args(["-c", SCRIPT])
        .arg(std::path::absolute(files)?)
        .arg(std::path::absolute(results)?)
        .args(arguments)
        .current_dir(dir)
        // Without the first, Python orders sets of strings differently in every run. Without the
        // second, it writes compiled files beside the sources.
        .env("PYTHONHASHSEED", "0")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONSAFEPATH", "1")
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(words.try_clone()?)
        .spawn()?;
    Ok((child, words))
}

/// A line of the results.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Dsl { dsl: String },
    Task { id: String, pairs: Vec<RawPair> },
}

#[derive(Deserialize)]
struct RawPair {
    input: Vec<Vec<u8>>,
    output: Vec<Vec<u8>>,
}

impl RawPair {
    fn pair(&self) -> Option<Pair> {
        Some(Pair {
            input: Grid::from_rows(&self.input).ok()?,
            output: Grid::from_rows(&self.output).ok()?,
        })
    }
}

/// Puts the finished tasks into the cache; gives the name of the dsl. A torn last line, which an
/// ended Python leaves, is no task.
fn keep(
    cache: &Cache,
    made: &str,
    n_pairs: usize,
    seed: u64,
) -> Result<Option<String>, GenerateError> {
    let mut name = None;
    for line in made.lines().map(serde_json::from_str::<Line>) {
        let (id, pairs) = match line {
            Ok(Line::Dsl { dsl }) => {
                name = Some(dsl);
                continue;
            }
            Ok(Line::Task { id, pairs }) => (id, pairs),
            Err(_) => continue,
        };
        let Ok(id) = TaskId::new(id) else { continue };
        let pairs: Vec<Pair> = pairs.iter().filter_map(RawPair::pair).collect();
        if pairs.len() < n_pairs {
            return Err(GenerateError::TooFew {
                id,
                found: pairs.len(),
                wanted: n_pairs,
            });
        }
        let path = kept_at(cache, &id, n_pairs, seed);
        let dir = path.parent().unwrap_or(cache.root());
        fs::create_dir_all(dir).map_err(|error| StoreError::io(dir, error))?;
        // Grids are numbers, so JSON can express everything here.
        let text = serde_json::to_vec(&pairs).unwrap_or_default();
        write_atomic(&path, &text)?;
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: &str = r#"{"input": [[1]], "output": [[2]]}"#;

    #[test]
    fn finished_tasks_are_kept_and_torn_lines_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let made = format!(
            "{}\n{}\n{}",
            r#"{"dsl": "d"}"#,
            format_args!(r#"{{"id": "a", "pairs": [{PAIR}]}}"#),
            r#"{"id": "b", "pai"#
        );
        assert_eq!(keep(&cache, &made, 1, 7).unwrap().as_deref(), Some("d"));
        let [a, b] = ["a", "b"].map(|id| TaskId::new(id).unwrap());
        let pairs = kept(&kept_at(&cache, &a, 1, 7), 1).unwrap();
        assert_eq!(pairs[0].output, Grid::from_rows(&[vec![2]]).unwrap());
        assert_eq!(kept(&kept_at(&cache, &a, 1, 8), 1), None);
        assert_eq!(kept(&kept_at(&cache, &b, 1, 7), 1), None);
    }

    #[test]
    fn too_few_pairs_are_said() {
        let dir = tempfile::tempdir().unwrap();
        let made = format!(r#"{{"id": "a", "pairs": [{PAIR}]}}"#);
        let error = keep(&Cache::at(dir.path()), &made, 3, 7).unwrap_err();
        let words = "the generator of a gave 1 different pair, not 3; ask for fewer with --n";
        assert_eq!(error.to_string(), words);
    }
}
