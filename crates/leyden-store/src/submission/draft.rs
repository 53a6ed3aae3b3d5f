//! [`Draft`]: the content of a submission file, right or wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use leyden_grid::{Grid, Task, counted};
use serde::Serialize;

use super::ATTEMPTS;
use crate::error::{ContentError, StoreError};
use crate::json::{Fault, Kind, Read, Reader};
use crate::load::{read_up_to, text_of};

/// The two attempts at a test input; `None` for one that is not a grid.
pub type Answer = [Option<Grid>; 2];

/// The largest number of problems of one file that are listed; more are only counted.
pub const MOST_PROBLEMS: usize = 10_000;

/// The largest submission that Leyden reads, in bytes. A thousand tasks with two of the largest
/// grids each take 10 MB; a malicious file of this size takes less than a gigabyte of memory.
const MAX_BYTES: u64 = 32 << 20;

/// Something that Kaggle would refuse, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SubmissionProblem {
    /// The task, by the key in the file.
    pub task: Option<String>,
    /// The test input, counted from 0.
    pub test: Option<usize>,
    /// The attempt, by its key.
    pub attempt: Option<&'static str>,
    /// The row and column within the attempt's grid, as far as they are known: `[2][5]`.
    pub cell: String,
    /// The problem.
    pub what: String,
    /// The line of the file, counted from 1.
    pub line: Option<usize>,
    /// The column in characters, counted from 1.
    pub column: Option<usize>,
}

impl fmt::Display for SubmissionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places = Vec::new();
        places.extend(
            self.task
                .as_ref()
                .map(|task| format!("task {}", shown(task))),
        );
        places.extend(self.test.map(|test| format!("test {test}")));
        places.extend(
            self.attempt
                .map(|attempt| format!("{attempt}{}", self.cell)),
        );
        if !places.is_empty() {
            write!(f, "{}: ", places.join(", "))?;
        }
        f.write_str(&self.what)?;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, " (line {line}, column {column})"),
            _ => Ok(()),
        }
    }
}

/// Quotes an odd key, so that it cannot do harm in a terminal.
fn shown(task: &str) -> String {
    let is_plain = task
        .chars()
        .all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    let short: String = task.chars().take(40).collect();
    if is_plain && !task.is_empty() {
        short
    } else {
        format!("{short:?}")
    }
}

/// The content of a submission file, with all its problems.
///
/// Reading fails only if the text is not a JSON object. Otherwise the draft lists bad parts and
/// keeps the rest.
///
/// ```
/// use std::path::Path;
/// use leyden_store::submission::Draft;
///
/// let text = br#"{"00000001": [{"attempt_1": [[1, 2], [3]], "attempt_2": [[4]]}]}"#;
/// let draft = Draft::parse(Path::new("s.json"), text)?;
/// assert_eq!(
///     draft.problems().listed[0].to_string(),
///     "task 00000001, test 0, attempt_1[1]: ragged grid: this row has 1 cell, the first row has \
///      2 (line 1, column 38)",
/// );
/// assert!(draft.answers("00000001")[0][1].is_some());
/// # Ok::<(), leyden_store::StoreError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    answers: BTreeMap<String, Vec<Answer>>,
    problems: Problems,
}

/// The problems of a submission. A good submission has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The first ones, at most [`MOST_PROBLEMS`].
    pub listed: Vec<SubmissionProblem>,
    /// The number of further problems.
    pub n_unlisted: usize,
}

impl Problems {
    /// Whether the submission has no problem.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of problems, listed or not.
    pub fn len(&self) -> usize {
        self.listed.len() + self.n_unlisted
    }

    fn add(&mut self, problem: impl FnOnce() -> SubmissionProblem) {
        if self.listed.len() < MOST_PROBLEMS {
            self.listed.push(problem());
        } else {
            self.n_unlisted += 1;
        }
    }
}

impl Draft {
    /// Reads a file.
    pub fn read(file: &Path) -> Result<Draft, StoreError> {
        Draft::parse(file, &read_up_to(file, MAX_BYTES)?)
    }

    /// Reads the bytes of a file.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Draft, StoreError> {
        let text = text_of(file, bytes)?;
        let mut notes = Notes::default();
        let answers = read_answers(text, &mut notes);
        let answers = answers.map_err(|fault| ContentError::new(file, text.as_bytes(), &fault))?;
        Ok(Draft {
            answers,
            problems: notes.placed(text),
        })
    }

    /// The answers for a task; empty if the file has no such key.
    pub fn answers(&self, task: &str) -> &[Answer] {
        self.answers.get(task).map_or(&[], Vec::as_slice)
    }

    /// Whether the file has a key for this task.
    pub fn names(&self, task: &str) -> bool {
        self.answers.contains_key(task)
    }

    /// The problems that the file has by itself, in the order of the file.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Everything that keeps Kaggle from accepting the file as answers to these tasks: the file's
    /// own problems, then missing and needless tasks and answers. In each grid only the first
    /// mistake is listed.
    pub fn check(&self, tasks: &[Task]) -> Problems {
        let mut problems = self.problems.clone();
        for shortage in tasks.iter().filter_map(|task| self.shortage(task)) {
            problems.add(|| shortage);
        }
        let known: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        for id in self
            .answers
            .keys()
            .filter(|id| !known.contains(id.as_str()))
        {
            problems.add(|| about(id, "there is no such task".to_owned()));
        }
        problems
    }

    fn shortage(&self, task: &Task) -> Option<SubmissionProblem> {
        let id = task.id.as_str();
        let expected = task.tests.len();
        let what = match self.answers.get(id).map(Vec::len) {
            None => "the task is missing".to_owned(),
            Some(found) if found != expected => {
                format!(
                    "{} for {}",
                    counted(found, "answer"),
                    counted(expected, "test input")
                )
            }
            Some(_) => return None,
        };
        Some(about(id, what))
    }
}

fn about(task: &str, what: String) -> SubmissionProblem {
    SubmissionProblem {
        task: Some(task.to_owned()),
        test: None,
        attempt: None,
        cell: String::new(),
        what,
        line: None,
        column: None,
    }
}

/// The reader's place in the document.
#[derive(Clone, Copy, Default)]
struct Spot<'k> {
    task: Option<&'k str>,
    test: Option<usize>,
    attempt: Option<&'static str>,
}

/// Problems with their offsets. One pass at the end finds all lines and columns.
#[derive(Default)]
struct Notes {
    found: Vec<(usize, SubmissionProblem)>,
    n_unlisted: usize,
}

impl Notes {
    fn add(&mut self, spot: Spot<'_>, offset: usize, what: String) {
        self.add_in_cell(spot, offset, String::new(), what);
    }

    fn add_fault(&mut self, spot: Spot<'_>, fault: &Fault) {
        self.add_in_cell(
            spot,
            fault.offset,
            fault.json_path(),
            fault.problem.to_string(),
        );
    }

    fn add_in_cell(&mut self, spot: Spot<'_>, offset: usize, cell: String, what: String) {
        if self.found.len() >= MOST_PROBLEMS {
            self.n_unlisted += 1;
            return;
        }
        let problem = SubmissionProblem {
            task: spot.task.map(str::to_owned),
            test: spot.test,
            attempt: spot.attempt,
            cell,
            what,
            line: None,
            column: None,
        };
        self.found.push((offset, problem));
    }

    fn placed(mut self, text: &str) -> Problems {
        self.found.sort_by_key(|(offset, _)| *offset);
        let mut place = Place::default();
        let placed = self.found.into_iter().map(|(offset, mut problem)| {
            place.advance(text, offset);
            problem.line = Some(place.line + 1);
            problem.column = Some(place.column + 1);
            problem
        });
        Problems {
            listed: placed.collect(),
            n_unlisted: self.n_unlisted,
        }
    }
}

#[derive(Default)]
struct Place {
    at: usize,
    line: usize,
    column: usize,
}

impl Place {
    fn advance(&mut self, text: &str, offset: usize) {
        for c in text.get(self.at..offset).unwrap_or_default().chars() {
            (self.line, self.column) = match c {
                '\n' => (self.line + 1, 0),
                _ => (self.line, self.column + 1),
            };
        }
        self.at = self.at.max(offset);
    }
}

type Answers = BTreeMap<String, Vec<Answer>>;

fn read_answers(text: &str, notes: &mut Notes) -> Read<Answers> {
    let mut reader = Reader::new(text);
    let mut answers = Answers::new();
    if reader.kind()? == Kind::Scalar && reader.clone().skip().is_err() {
        return Err(reader.not_json());
    }
    reader.object(
        "a submission (an object with a key for each task)",
        |reader, key| {
            let spot = Spot {
                task: Some(key),
                ..Spot::default()
            };
            let offset = reader.offset();
            let of_task = read_task(reader, spot, notes)?;
            // The last of equal keys counts, as in Python's reader.
            if answers.insert(key.to_owned(), of_task).is_some() {
                notes.add(spot, offset, "the task occurs twice".to_owned());
            }
            Ok(())
        },
    )?;
    reader.finish()?;
    Ok(answers)
}

fn read_task(reader: &mut Reader<'_>, spot: Spot<'_>, notes: &mut Notes) -> Read<Vec<Answer>> {
    if reader.kind()? != Kind::List {
        note_and_skip(reader, spot, notes, "expected a list of answers")?;
        return Ok(Vec::new());
    }
    let mut test_idx = 0;
    reader.list("a list of answers", |reader| {
        let spot = Spot {
            test: Some(test_idx),
            ..spot
        };
        test_idx += 1;
        read_answer(reader, spot, notes)
    })
}

fn read_answer(reader: &mut Reader<'_>, spot: Spot<'_>, notes: &mut Notes) -> Read<Answer> {
    if reader.kind()? != Kind::Object {
        let expected = "expected an object with attempt_1 and attempt_2";
        note_and_skip(reader, spot, notes, expected)?;
        return Ok([None, None]);
    }
    let start = reader.offset();
    let mut answer = [None, None];
    let mut is_there = [false, false];
    reader.object("an answer", |reader, key| {
        let Some(k) = ATTEMPTS.iter().position(|name| *name == key) else {
            let offset = reader.offset();
            notes.add(
                spot,
                offset,
                format!("there is no such key as {:?}", shown(key)),
            );
            return reader.skip();
        };
        let spot = Spot {
            attempt: Some(ATTEMPTS[k]),
            ..spot
        };
        if is_there[k] {
            let offset = reader.offset();
            notes.add(spot, offset, "the attempt occurs twice".to_owned());
        }
        is_there[k] = true;
        answer[k] = read_attempt(reader, spot, notes)?;
        Ok(())
    })?;
    for (name, _) in ATTEMPTS.iter().zip(is_there).filter(|(_, there)| !there) {
        notes.add(spot, start, format!("{name} is missing"));
    }
    Ok(answer)
}

fn read_attempt(reader: &mut Reader<'_>, spot: Spot<'_>, notes: &mut Notes) -> Read<Option<Grid>> {
    let mut ahead = reader.clone();
    match ahead.grid() {
        Ok(grid) => {
            *reader = ahead;
            Ok(Some(grid))
        }
        Err(fault) => {
            // `skip` reports text that is not JSON.
            reader.skip()?;
            notes.add_fault(spot, &fault);
            Ok(None)
        }
    }
}

fn note_and_skip(
    reader: &mut Reader<'_>,
    spot: Spot<'_>,
    notes: &mut Notes,
    what: &str,
) -> Read<()> {
    let offset = reader.offset();
    notes.add(spot, offset, what.to_owned());
    reader.skip()
}
