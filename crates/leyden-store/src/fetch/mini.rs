//! Makes one file of Mini-ARC's tasks.
//!
//! Each task is a file whose name is a description, `_` and an id. A cell is a number, a digit as a
//! string, or `null` where the authors' editor left the cell black. The cache keeps plain numbers.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use leyden_grid::{Grid, Pair, TaskId};
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

use super::MAX_MEMBER_BYTES;
use crate::load::read_within;

#[derive(Deserialize)]
struct RawTask {
    train: Vec<RawPair>,
    test: Vec<RawPair>,
}

#[derive(Deserialize)]
struct RawPair {
    input: Vec<Vec<Option<RawCell>>>,
    output: Vec<Vec<Option<RawCell>>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawCell {
    Number(u8),
    Digit(String),
}

#[derive(Serialize)]
struct PlainTask {
    train: Vec<Pair>,
    test: Vec<Pair>,
}

/// Reads every task of a folder; gives them as JSON by id.
pub(super) fn join(
    archive: &mut ZipArchive<impl Read + Seek>,
    folder: &str,
) -> Result<Vec<u8>, String> {
    let mut tasks: BTreeMap<String, PlainTask> = BTreeMap::new();
    for k in 0..archive.len() {
        let file = archive.by_index(k).map_err(|error| error.to_string())?;
        let name = file.name().map_err(|error| error.to_string())?;
        let name = name.into_owned();
        let stem = name
            .strip_prefix(folder)
            .and_then(|it| it.strip_suffix(".json"));
        let Some(stem) = stem else { continue };
        let mut bytes = Vec::new();
        let is_whole = read_within(file, MAX_MEMBER_BYTES, &mut bytes);
        match is_whole {
            Ok(true) => {}
            Ok(false) => return Err(format!("{name}: larger than any task")),
            Err(error) => return Err(format!("{name}: {error}")),
        }
        let id = stem.rsplit('_').next().unwrap_or(stem);
        let in_file = |problem: String| format!("{name}: {problem}");
        TaskId::new(id).map_err(|error| in_file(error.to_string()))?;
        let task = plain(&bytes).map_err(in_file)?;
        if tasks.insert(id.to_owned(), task).is_some() {
            return Err(in_file("another task has this id".to_owned()));
        }
    }
    if tasks.is_empty() {
        return Err(format!("{folder}: there are no tasks"));
    }
    serde_json::to_vec(&tasks).map_err(|error| error.to_string())
}

fn plain(bytes: &[u8]) -> Result<PlainTask, String> {
    let raw: RawTask = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let pair = |raw: RawPair| {
        Ok(Pair {
            input: grid(raw.input)?,
            output: grid(raw.output)?,
        })
    };
    let pairs = |raw: Vec<RawPair>| {
        raw.into_iter()
            .map(pair)
            .collect::<Result<Vec<_>, String>>()
    };
    Ok(PlainTask {
        train: pairs(raw.train)?,
        test: pairs(raw.test)?,
    })
}

fn grid(rows: Vec<Vec<Option<RawCell>>>) -> Result<Grid, String> {
    let row = |row: Vec<Option<RawCell>>| row.into_iter().map(colour).collect();
    let rows = rows.into_iter().map(row);
    let rows = rows.collect::<Result<Vec<Vec<u8>>, String>>()?;
    Grid::from_rows(&rows).map_err(|error| error.to_string())
}

fn colour(cell: Option<RawCell>) -> Result<u8, String> {
    match cell {
        None => Ok(0),
        Some(RawCell::Number(colour)) => Ok(colour),
        Some(RawCell::Digit(digit)) => {
            let colour = digit.parse();
            colour.map_err(|_| format!("{digit:?} is not a colour"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn joined(files: &[(&str, &str)]) -> Result<String, String> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            let options = SimpleFileOptions::default();
            writer.start_file(*name, options).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        let mut archive = ZipArchive::new(writer.finish().unwrap()).unwrap();
        join(&mut archive, "mini/").map(|bytes| String::from_utf8(bytes).unwrap())
    }

    fn task(grid: &str) -> String {
        format!(r#"{{"test": [], "train": [{{"input": [[1]], "output": {grid}}}]}}"#)
    }

    #[test]
    fn cells_become_numbers_and_names_become_ids() {
        let files = [
            ("mini/turn it_b1.json", &*task(r#"[["7", null, 3]]"#)),
            ("mini/a_a2.json", &task("[[0]]")),
            ("other/evaluation.json", "never read"),
        ];
        let expected = r#"{"a2":{"train":[{"input":[[1]],"output":[[0]]}],"test":[]},"b1":{"train":[{"input":[[1]],"output":[[7,0,3]]}],"test":[]}}"#;
        assert_eq!(joined(&files).unwrap(), expected);
    }

    #[test]
    fn a_task_that_cannot_be_read_is_named() {
        for (grid, problem) in [
            (r#"[["x"]]"#, "\"x\" is not a colour"),
            ("[[10]]", "mini/a_1.json"),
            ("[]", "mini/a_1.json"),
            ("7", "mini/a_1.json"),
        ] {
            let message = joined(&[("mini/a_1.json", &task(grid))]).unwrap_err();
            assert!(message.contains(problem), "{message}");
        }
        let two = task("[[1]]");
        let twice = joined(&[("mini/a_1.json", &two), ("mini/b_1.json", &two)]);
        assert!(twice.unwrap_err().contains("another task"));
        assert!(joined(&[]).unwrap_err().contains("no tasks"));
    }
}
