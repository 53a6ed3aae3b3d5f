//! Loads the [`DataSet`] that a [`DataSpec`] names.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use leyden_grid::{Grid, Task, TaskId};

use crate::cache::Cache;
use crate::dataset::DataSet;
use crate::error::{ContentError, StoreError};
use crate::json::{Fault, Problem, Read};
use crate::shape::{self, Shape, Solutions};
use crate::spec::{DataSpec, Subset, spell_choices};

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
        DataSpec::Named(collection, subset) => {
            let name = spec.to_string();
            let bytes = cache.dataset(*collection)?;
            let bytes = bytes.ok_or(StoreError::NotFetched { name })?;
            parse_tasks(&cache.file_of(*collection), &bytes, Some(*subset))
        }
        DataSpec::Path(path, subset) => load_path(spec, path, *subset),
    }
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
mod tests {
    use super::*;

    #[test]
    fn files_larger_than_the_limit_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, b"12345").unwrap();
        assert_eq!(read_up_to(&file, 5).unwrap(), b"12345");
        assert!(matches!(
            read_up_to(&file, 4),
            Err(StoreError::TooLarge { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn endless_files_are_refused() {
        let endless = read_up_to(Path::new("/dev/zero"), 1000);
        assert!(matches!(endless, Err(StoreError::TooLarge { .. })));
    }

    /// The message for a bad task file, without the file's name.
    fn message(text: impl AsRef<[u8]>) -> String {
        let error = parse_tasks(Path::new("t.json"), text.as_ref(), None).unwrap_err();
        error
            .to_string()
            .strip_prefix("t.json: ")
            .unwrap()
            .to_owned()
    }

    /// Checks the message for a bad grid with a mistake `at` characters from its start. The grid is
    /// the output of the second demo, at the beginning of the second line.
    fn check_grid(grid: &str, at: usize, expected: &str) {
        let good = r#"{"input": [[0]], "output": [[0]]}"#;
        let text = format!(
            r#"{{"train": [{good}, {{"input": [[0]], "output":{}{grid}}}], "test": []}}"#,
            '\n'
        );
        let place = format!("(line 2, column {})", at + 1);
        assert_eq!(message(text), format!("train[1].output{expected} {place}"));
    }

    #[test]
    fn bad_grids_are_named_with_their_place() {
        let ragged = |n| format!("[1]: ragged grid: this row has {n}, the first row has 2");
        check_grid("[[1,2],[3]]", 7, &ragged("1 cell"));
        check_grid("[[1,2],[3,4,5]]", 7, &ragged("3 cells"));
        check_grid("[]", 0, ": the grid has no rows");
        check_grid("[[]]", 1, "[0]: the row has no cells");
        check_grid("[[1],[]]", 5, "[1]: the row has no cells");
        check_grid(
            "null",
            0,
            ": expected a grid (a list of rows), found `null`",
        );
        check_grid(
            "[1,2]",
            1,
            "[0]: expected a row (a list of colours), found `1`",
        );
        check_grid("[[1 2]]", 4, "[0]: expected `,` or `]`, found `2`");
    }

    #[test]
    fn bad_colours_are_named_with_their_place() {
        check_grid(
            "[[1,11]]",
            4,
            "[0][1]: 11 is not a colour; colours are 0 to 9",
        );
        check_grid(
            "[[-1]]",
            2,
            "[0][0]: -1 is not a colour; colours are 0 to 9",
        );
        check_grid(
            "[[1.5]]",
            2,
            "[0][0]: 1.5 is not a colour; colours are whole numbers, 0 to 9",
        );
        check_grid(
            "[[1e0]]",
            2,
            "[0][0]: 1e0 is not a colour; colours are whole numbers, 0 to 9",
        );
        check_grid(
            "[[1,true]]",
            4,
            "[0][1]: expected a colour (0 to 9), found `true`",
        );
        check_grid(
            "[[\"1\"]]",
            2,
            "[0][0]: expected a colour (0 to 9), found a string",
        );
        check_grid(
            "[[[1]]]",
            2,
            "[0][0]: expected a colour (0 to 9), found a list",
        );
        check_grid("[[1,]]", 3, "[0]: a comma too many before `]`");
        check_grid(
            "[[01]]",
            2,
            "[0][0]: expected a colour (0 to 9), found `01`",
        );
        let huge = "9".repeat(1000);
        let quoted = format!(
            "[0][0]: {}… is not a colour; colours are 0 to 9",
            &huge[..40]
        );
        check_grid(&format!("[[{huge}]]"), 2, &quoted);
    }

    #[test]
    fn grids_too_large_say_how_large() {
        let tall = format!("[{}]", vec!["[0]"; 31].join(","));
        check_grid(
            &tall,
            121,
            "[30]: the grid has 31 rows; at most 30 are allowed",
        );
        for (separator, n_cells) in [(",", 31), (", ", 40)] {
            let wide = format!("[[{}]]", vec!["0"; n_cells].join(separator));
            let expected = format!("the row has {n_cells} cells; at most 30 are allowed");
            check_grid(&wide, 1, &format!("[0]: {expected}"));
        }
    }

    #[test]
    fn missing_and_repeated_keys_are_named() {
        assert_eq!(
            message(r#"{"train": []}"#),
            "the key \"test\" is missing (line 1, column 1)"
        );
        assert_eq!(
            message(r#"{"test": []}"#),
            "the key \"train\" is missing (line 1, column 1)"
        );
        assert_eq!(
            message(r#"{"test": [], "train": [{"input": [[0]]}]}"#),
            "train[0]: the key \"output\" is missing (line 1, column 24)"
        );
        assert_eq!(
            message(r#"{"train": [], "test": [{"output": [[0]]}]}"#),
            "test[0]: the key \"input\" is missing (line 1, column 24)"
        );
        assert_eq!(
            message(r#"[{"output": [[0]]}]"#),
            "[0]: the key \"input\" is missing (line 1, column 2)"
        );
        assert_eq!(
            message(r#"{"train": [], "train": [], "test": []}"#),
            "train: the key \"train\" occurs twice (line 1, column 24)"
        );
        assert_eq!(
            message(r#"{"odd id": {"train": []}}"#),
            "[\"odd id\"]: the key \"test\" is missing (line 1, column 12)"
        );
    }

    #[test]
    fn a_task_without_pairs_is_refused() {
        let expected = "the task has no pairs; expected at least one in \"train\" or \"test\"";
        assert_eq!(
            message(r#"{"train": [], "test": []}"#),
            format!("{expected} (line 1, column 1)")
        );
        assert_eq!(
            message(r#"{"a": {"train": [], "test": []}}"#),
            format!("a: {expected} (line 1, column 7)")
        );
    }

    #[test]
    fn broken_json_is_named_with_its_place() {
        assert_eq!(
            message(r#"{"train": [{"input": [[0,"#),
            "train[0].input[0][1]: the file ends too early: a value should follow \
             (line 1, column 26)"
        );
        assert_eq!(
            message(r#"{"train": [], "te"#),
            "the file ends too early: the end of a string should follow \
             (line 1, column 18)"
        );
        assert_eq!(message(""), "the file is empty; expected JSON");
        assert_eq!(
            message(r#"{"train": [], "test": [{"input": [[0]]}]} x"#),
            "there is more text after the end of the JSON document (line 1, column 43)"
        );
        assert_eq!(
            message(b"{\"train\": \xff}"),
            "this is not text in UTF-8, but a binary file or text in another encoding (line 1, column 11)"
        );
        assert_eq!(
            message(r#"{"train": [], "test": [], "x": tru}"#),
            "x: expected a value, found `tru` (line 1, column 32)"
        );
        assert_eq!(
            message(r#"{"train": [], "test": [], "a\q": 1}"#),
            "this is not valid JSON: a bad escape in a string (line 1, column 27)"
        );
        assert_eq!(
            message("{\"tr\nain\": []}"),
            "this is not valid JSON: a control character in a string (line 1, column 5)"
        );
        let deep = format!(r#"{{"train": [], "test": [], "x": {}"#, "[".repeat(100_000));
        assert!(message(deep).contains("lists or objects nested more than 64 deep"));
    }

    #[test]
    fn commas_and_depth_are_named() {
        assert_eq!(
            message(r#"{"train": [], "test": [],}"#),
            "a comma too many before `}` (line 1, column 25)"
        );
        let deep = format!(r#"{{"train": [], "x": {}"#, "[".repeat(100));
        assert!(message(deep).len() < 120);
    }

    #[test]
    fn a_mark_before_the_text_changes_nothing() {
        let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let file = Path::new("f.json");
        let task = r#"{"train": [{"input": [[0]], "output": [[0]]}], "test": []}"#;
        assert!(parse_tasks(file, &marked(task), None).is_ok());
        assert_eq!(
            parse_solutions(file, &marked(r#"{"a": [[[0]]]}"#))
                .unwrap()
                .len(),
            1
        );
        assert_eq!(parse_grids(file, &marked("[[[1]]]")).unwrap().len(), 1);
        assert_eq!(message(marked("[1")), message("[1"));
    }

    #[test]
    fn other_documents_are_named() {
        let expected = "expected a task, a list of pairs or a map from ids to tasks, found ";
        for (text, found) in [
            (r#"{"a": [[[0]]]}"#, "a map from ids to solutions"),
            (
                r#"{"a": [{"attempt_1": [[0]]}]}"#,
                "a submission; `leyden score` and `leyden submit-check` take submissions",
            ),
            (
                "[[[0]]]",
                "a list of grids; `leyden eval --inputs` takes lists of grids",
            ),
            ("3", "other JSON; `leyden help run` names the forms of data"),
            (
                r#"{"a": {"b": 1}}"#,
                "other JSON; `leyden help run` names the forms of data",
            ),
        ] {
            assert_eq!(message(text), format!("{expected}{found}"));
        }
        assert!(message("{}").starts_with("there are no tasks here; "));
    }

    #[test]
    fn bad_ids_are_named() {
        let expected = "[\"a/b\"]: a task id cannot contain '/' (line 1, column 9)";
        assert_eq!(message(r#"{"a/b": {"train": [], "test": []}}"#), expected);
        let error = parse_tasks(Path::new("a\nb.json"), br#"{"train":[],"test":[]}"#, None);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("the file's name cannot be the id of its task")
        );
    }

    #[test]
    fn solutions_and_grids_have_their_own_messages() {
        let file = Path::new("s.json");
        let check = |text: &[u8], expected: &str| {
            assert_eq!(
                parse_solutions(file, text).unwrap_err().to_string(),
                expected
            );
        };
        check(
            br#"{"a": [[[0]]], "a": [[[0]]]}"#,
            "s.json: a: the key \"a\" occurs twice (line 1, column 21)",
        );
        check(
            br#"{"a": [[[0]], [[10]]]}"#,
            "s.json: a[1][0][0]: 10 is not a colour; colours are 0 to 9 (line 1, column 17)",
        );
        check(
            b"[]",
            "s.json: expected an object of solutions, found a list (line 1, column 1)",
        );
        check(
            br#"{"a": {"train": [], "test": []}}"#,
            "s.json: expected a map from ids to solutions, found a map from ids to tasks",
        );
        let error = parse_grids(file, br#"{"train": [], "test": []}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "s.json: expected a list of grids, found a task"
        );
        assert_eq!(parse_grids(file, b"[[[1]], [[2]]]").unwrap().len(), 2);
    }

    #[test]
    fn spaces_and_escapes_change_nothing() {
        let compact = r#"{"a b":{"train":[{"input":[[1,2],[3,4]],"output":[[5]]}],"test":[]}}"#;
        let spaced = "\r\n{ \"a\\u0020b\" :\t{ \"train\" : [ { \"input\" : [ [ 1 , 2 ],\n[ 3 ,4 ] ] ,\
                      \"output\": [[ 5]] , \"extra\": [1e5, null, {\"\\\"\": -0.5}] } ] ,\
                      \"test\" : [ ] } }\n";
        let read = |text: &str| parse_tasks(Path::new("f"), text.as_bytes(), None).unwrap();
        assert_eq!(read(compact), read(spaced));
        assert_eq!(read(compact)[0].demos[0].input.cells(), [1, 2, 3, 4]);
    }
}
