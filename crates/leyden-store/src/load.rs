//! Loads the [`DataSet`] that a [`DataSpec`] names.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use leyden_grid::{Grid, Task, TaskId};

use crate::cache::Cache;
use crate::dataset::DataSet;
use crate::error::{ContentError, StoreError};
use crate::json::{Fault, Problem, Read};
use crate::shape::{self, Shape, Solutions};
use crate::spec::{Collection, DataSpec, NewPart, Subset, spell_choices};

/// The largest file that Leyden reads, in bytes. Real ones have less than 10 MB.
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 20;

/// The largest directory that Leyden reads, in bytes of all its files.
pub(crate) const MAX_TOTAL_BYTES: u64 = 1 << 30;

const TASKS_EXPECTED: &str = "a task, a list of pairs or a map from ids to tasks";

/// Loads a data set. With a solutions file, fills in its test outputs.
///
/// ```
/// use leyden_store::{Cache, DataSpec, load};
///
/// let dir = tempfile::tempdir()?;
/// let file = dir.path().join("double.json");
/// let pair = r#"{"input": [[1, 2]], "output": [[1, 1, 2, 2]]}"#;
/// std::fs::write(&file, format!(r#"{{"train": [{pair}], "test": [{pair}]}}"#))?;
///
/// let spec: DataSpec = file.display().to_string().parse()?;
/// let data = load(&spec, None, &Cache::at(dir.path()))?;
/// assert_eq!(data.tasks[0].id.as_str(), "double");
/// assert_eq!(data.tasks[0].demos[0].output.width(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(
    spec: &DataSpec,
    solutions: Option<&Path>,
    cache: &Cache,
) -> Result<DataSet, StoreError> {
    let data = DataSet::new(spec.to_string(), tasks_of(spec, cache)?)?;
    match solutions {
        None => Ok(data),
        Some(file) => data.with_solutions(load_solutions(file)?, file),
    }
}

/// Reads a Kaggle solutions file.
pub fn load_solutions(file: &Path) -> Result<Solutions, StoreError> {
    parse_solutions(file, &read_bounded(file)?)
}

/// Reads a JSON list of grids.
pub fn load_grids(file: &Path) -> Result<Vec<Grid>, StoreError> {
    parse_grids(file, &read_bounded(file)?)
}

/// Parses the tasks of one file. Messages use the file's name; if the shape has no task id, the
/// name is also the id.
pub fn parse_tasks(
    file: &Path,
    bytes: &[u8],
    subset: Option<Subset>,
) -> Result<Vec<Task>, StoreError> {
    let text = text_of(file, bytes)?;
    let shape = at_place(file, text, shape::recognise(text))?;
    match shape {
        Shape::Halves => return parse_halves(file, text, subset),
        Shape::Task | Shape::Pairs | Shape::Challenges => refuse_subset(file, shape, subset)?,
        Shape::Nothing => {
            return Err(StoreError::NoTasks {
                path: file.to_owned(),
            });
        }
        _ => return Err(wrong_shape(file, TASKS_EXPECTED, shape)),
    }
    let tasks = match shape {
        Shape::Task => shape::read_task(text, id_of(file)?).map(|task| vec![task]),
        Shape::Pairs => shape::read_pairs(text, id_of(file)?).map(|task| vec![task]),
        _ => shape::read_challenges(text),
    };
    at_place(file, text, tasks)
}

/// Parses the solutions of one file.
pub fn parse_solutions(file: &Path, bytes: &[u8]) -> Result<Solutions, StoreError> {
    let text = text_of(file, bytes)?;
    match at_place(file, text, shape::recognise(text))? {
        Shape::Solutions | Shape::Nothing => at_place(file, text, shape::read_solutions(text)),
        other => Err(wrong_shape(file, "a map from ids to solutions", other)),
    }
}

/// Parses the grids of one file.
pub fn parse_grids(file: &Path, bytes: &[u8]) -> Result<Vec<Grid>, StoreError> {
    let text = text_of(file, bytes)?;
    match at_place(file, text, shape::recognise(text))? {
        Shape::Grids | Shape::Nothing => at_place(file, text, shape::read_grids(text)),
        other => Err(wrong_shape(file, "a list of grids", other)),
    }
}

fn tasks_of(spec: &DataSpec, cache: &Cache) -> Result<Vec<Task>, StoreError> {
    match spec {
        DataSpec::Demo => Ok(crate::demo::tasks()),
        DataSpec::Named(collection, subset) => fetched(spec, cache, *collection, *subset),
        DataSpec::New(part) => new_tasks(spec, cache, *part),
        DataSpec::Path(path, subset) => load_path(spec, path, *subset),
    }
}

/// Loads a part of a collection in the cache, on behalf of `spec`.
fn fetched(
    spec: &DataSpec,
    cache: &Cache,
    collection: Collection,
    subset: Subset,
) -> Result<Vec<Task>, StoreError> {
    let name = spec.to_string();
    let bytes = cache.dataset(collection)?;
    let bytes = bytes.ok_or(StoreError::NotFetched { name })?;
    parse_tasks(&cache.file_of(collection), &bytes, Some(subset))
}

/// Loads the tasks of ARC-AGI-2 training that no older set and no evaluation set has.
fn new_tasks(spec: &DataSpec, cache: &Cache, part: NewPart) -> Result<Vec<Task>, StoreError> {
    let mut tasks = fetched(spec, cache, Collection::Arc2, Subset::Training)?;
    let others = [
        fetched(spec, cache, Collection::Arc1, Subset::All)?,
        fetched(spec, cache, Collection::Arc2, Subset::Evaluation)?,
    ];
    let others: HashSet<TaskId> = others.into_iter().flatten().map(|task| task.id).collect();
    tasks.retain(|task| !others.contains(&task.id) && part.has(&task.id));
    Ok(tasks)
}

fn load_path(
    spec: &DataSpec,
    path: &Path,
    subset: Option<Subset>,
) -> Result<Vec<Task>, StoreError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => load_directory(path, subset),
        Ok(_) => load_file(path, subset),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(StoreError::NotFound {
            spec: spec.to_string(),
        }),
        Err(error) => Err(StoreError::io(path, error)),
    }
}

fn load_file(file: &Path, subset: Option<Subset>) -> Result<Vec<Task>, StoreError> {
    parse_tasks(file, &read_bounded(file)?, subset)
}

fn parse_halves(file: &Path, text: &str, subset: Option<Subset>) -> Result<Vec<Task>, StoreError> {
    let (tasks, found) = at_place(file, text, shape::read_halves(text, subset))?;
    let chosen = choose(file, &found, subset)?;
    match subset {
        Some(_) => Ok(tasks),
        // The file has one half, and the request named none, so the first pass skipped it.
        None => Ok(at_place(file, text, shape::read_halves(text, Some(chosen)))?.0),
    }
}

/// Picks the subset to load from those that exist.
fn choose(path: &Path, there: &[Subset], wanted: Option<Subset>) -> Result<Subset, StoreError> {
    let is_there = |wanted: Subset| there.iter().any(|&subset| wanted.covers(subset));
    match (wanted, there) {
        (Some(wanted), _) if is_there(wanted) => Ok(wanted),
        (None, &[only]) => Ok(only),
        _ => Err(StoreError::WhichSubset {
            spec: DataSpec::Path(path.to_owned(), wanted).to_string(),
            choices: spell_choices(&path.display().to_string(), there),
        }),
    }
}

fn refuse_subset(file: &Path, shape: Shape, subset: Option<Subset>) -> Result<(), StoreError> {
    match subset {
        None => Ok(()),
        Some(subset) => Err(no_subset(file, subset, &shape.to_string())),
    }
}

fn no_subset(path: &Path, subset: Subset, found: &str) -> StoreError {
    let (path, found) = (path.to_owned(), found.to_owned());
    StoreError::NoSubset {
        path,
        subset: subset.name(),
        found,
    }
}

/// A part of a directory: a subdirectory of tasks, or a challenges file.
struct Part {
    subset: Subset,
    path: PathBuf,
}

fn load_directory(dir: &Path, subset: Option<Subset>) -> Result<Vec<Task>, StoreError> {
    let parts = parts_of(dir)?;
    if parts.is_empty() {
        return load_loose_files(dir, subset);
    }
    let there: Vec<Subset> = parts.iter().map(|part| part.subset).collect();
    let chosen = choose(dir, &there, subset)?;
    let wanted = parts.iter().filter(|part| chosen.covers(part.subset));
    Ok(wanted
        .map(load_part)
        .collect::<Result<Vec<_>, _>>()?
        .concat())
}

/// The parts a directory is divided into: as in the ARC repositories, or as on Kaggle.
fn parts_of(dir: &Path) -> Result<Vec<Part>, StoreError> {
    for place in [dir.to_owned(), dir.join("data")] {
        let parts = subdirectory_parts(&place);
        if !parts.is_empty() {
            return Ok(parts);
        }
    }
    let files = json_files(dir)?;
    Ok(files.into_iter().filter_map(challenges_part).collect())
}

fn subdirectory_parts(dir: &Path) -> Vec<Part> {
    let parts = Subset::EVERY
        .into_iter()
        .filter(|&subset| subset != Subset::All);
    let parts = parts.map(|subset| Part {
        subset,
        path: dir.join(subset.name()),
    });
    parts.filter(|part| part.path.is_dir()).collect()
}

/// Reads the subset from a name such as `…_training_challenges.json`. Only the name tells it.
fn challenges_part(path: PathBuf) -> Option<Part> {
    let stem = path
        .file_name()?
        .to_str()?
        .strip_suffix("_challenges.json")?;
    let is_named = |subset: &Subset| stem.ends_with(&format!("_{subset}"));
    let subset = Subset::EVERY.into_iter().find(is_named)?;
    Some(Part { subset, path })
}

fn load_part(part: &Part) -> Result<Vec<Task>, StoreError> {
    if part.path.is_dir() {
        return load_loose_files(&part.path, None);
    }
    let tasks = load_file(&part.path, None)?;
    let name = part.path.to_string_lossy();
    let solutions = PathBuf::from(name.replace("_challenges.json", "_solutions.json"));
    if !solutions.is_file() {
        return Ok(tasks);
    }
    let data = DataSet::new(name, tasks)?;
    Ok(data
        .with_solutions(load_solutions(&solutions)?, &solutions)?
        .tasks)
}

/// Loads the tasks of a directory of task files, or of directories of task files.
fn load_loose_files(dir: &Path, subset: Option<Subset>) -> Result<Vec<Task>, StoreError> {
    let mut files = json_files(dir)?;
    if files.is_empty() {
        let inner = directories(dir)?;
        let inner = inner
            .iter()
            .map(|dir| json_files(dir))
            .collect::<Result<Vec<_>, _>>()?;
        files = inner.concat();
    }
    match subset {
        _ if files.is_empty() => Err(StoreError::NoTasks {
            path: dir.to_owned(),
        }),
        Some(subset) => Err(no_subset(dir, subset, "a directory of tasks")),
        None => load_files(dir, &files),
    }
}

fn load_files(dir: &Path, files: &[PathBuf]) -> Result<Vec<Task>, StoreError> {
    let mut tasks = Vec::new();
    let mut n_bytes = 0;
    for file in files {
        let bytes = read_bounded(file)?;
        n_bytes += bytes.len() as u64;
        if n_bytes > MAX_TOTAL_BYTES {
            return Err(StoreError::TooLargeInAll {
                path: dir.to_owned(),
            });
        }
        tasks.append(&mut parse_tasks(file, &bytes, None)?);
    }
    Ok(tasks)
}

fn json_files(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|e| e == "json") && path.is_file();
    Ok(visible_entries(dir)?.into_iter().filter(is_json).collect())
}

fn directories(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    Ok(visible_entries(dir)?
        .into_iter()
        .filter(|path| path.is_dir())
        .collect())
}

/// The entries of a directory, sorted, without hidden ones.
fn visible_entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::io(dir, error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a whole file, unless it is too large to be data.
pub(crate) fn read_bounded(path: &Path) -> Result<Vec<u8>, StoreError> {
    read_up_to(path, MAX_FILE_BYTES)
}

pub(crate) fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let failed = |error| StoreError::io(path, error);
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    if length > limit {
        return Err(StoreError::TooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // The length of a pipe or device is unknown until it ends, so the limit holds here too.
    if read_within(file, limit, &mut bytes).map_err(failed)? {
        Ok(bytes)
    } else {
        Err(StoreError::TooLarge {
            path: path.to_owned(),
            limit,
        })
    }
}

/// Reads up to `limit` bytes into an empty buffer. Returns whether this was everything.
pub fn read_within(reader: impl io::Read, limit: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    reader.take(limit + 1).read_to_end(bytes)?;
    Ok(bytes.len() as u64 <= limit)
}

/// Reads the text of a file, unless it is larger than any file that Leyden reads.
///
/// Every file that a user names goes through here, so an endless device or pipe is refused like a
/// file that is too large.
pub fn read_text(path: &Path) -> Result<String, StoreError> {
    read_text_within(path, MAX_FILE_BYTES)
}

/// [`read_text`] with another limit, in bytes.
pub fn read_text_within(path: &Path, limit: u64) -> Result<String, StoreError> {
    let bytes = read_up_to(path, limit)?;
    Ok(text_of(path, &bytes)?.to_owned())
}

/// Removes the mark (U+FEFF) that some editors put before a text.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Decodes the bytes of a file as text.
pub(crate) fn text_of<'a>(file: &Path, bytes: &'a [u8]) -> Result<&'a str, StoreError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let fault = Fault::new(Problem::NotUtf8, error.valid_up_to());
        ContentError::new(file, bytes, &fault)
    })?;
    Ok(without_mark(text))
}

fn at_place<T>(file: &Path, text: &str, result: Read<T>) -> Result<T, StoreError> {
    result.map_err(|fault| ContentError::new(file, text.as_bytes(), &fault).into())
}

fn id_of(file: &Path) -> Result<TaskId, StoreError> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let file = file.to_owned();
    TaskId::new(stem).map_err(|cause| StoreError::BadFileName { file, cause })
}

fn wrong_shape(file: &Path, expected: &'static str, found: Shape) -> StoreError {
    StoreError::WrongShape {
        file: file.to_owned(),
        expected,
        found,
    }
}

#[cfg(test)]
mod tests;
