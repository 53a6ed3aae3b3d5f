//! [`Task`] and [`Puzzle`]: examples to learn from, and inputs to answer.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

use crate::Grid;

/// The longest task id, in bytes: the longest file name on common systems, less room for an
/// extension.
const MAX_ID_BYTES: usize = 240;

/// The name of a task: `007bbfb7`, or the name of its file.
///
/// Files have odd names (`Center 1`), so nearly every character is allowed. Characters that do harm
/// in a terminal or in a path are not.
///
/// ```
/// use leyden_grid::TaskId;
///
/// assert_eq!(TaskId::new("007bbfb7")?.as_str(), "007bbfb7");
/// assert!(TaskId::new("Center 1").is_ok());
/// assert!(TaskId::new("../secret").is_err());
/// # Ok::<(), leyden_grid::TaskIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TaskId(String);

/// The reason why a text is not a [`TaskId`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TaskIdError {
    /// The text is empty.
    #[error("a task id cannot be empty")]
    Empty,
    /// The text is too long.
    #[error("a task id has at most {MAX_ID_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// The text has a character that an id cannot have.
    #[error("a task id cannot contain {0:?}")]
    Character(char),
    /// The text is `.` or `..`.
    #[error("a task id cannot be {0:?}")]
    Dots(String),
}

impl TaskId {
    /// Checks a text and makes it an id.
    pub fn new(text: impl Into<String>) -> Result<TaskId, TaskIdError> {
        let text = text.into();
        check_id(&text)?;
        Ok(TaskId(text))
    }

    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_id(text: &str) -> Result<(), TaskIdError> {
    let forbidden = |c: &char| c.is_control() || matches!(c, '/' | '\\');
    match text {
        "" => Err(TaskIdError::Empty),
        "." | ".." => Err(TaskIdError::Dots(text.to_owned())),
        _ if text.len() > MAX_ID_BYTES => Err(TaskIdError::TooLong(text.len())),
        _ => text
            .chars()
            .find(forbidden)
            .map_or(Ok(()), |c| Err(TaskIdError::Character(c))),
    }
}

impl FromStr for TaskId {
    type Err = TaskIdError;

    fn from_str(text: &str) -> Result<TaskId, TaskIdError> {
        TaskId::new(text)
    }
}

impl AsRef<str> for TaskId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// An example: a grid before and after a transformation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Pair {
    /// The grid before.
    pub input: Grid,
    /// The grid after.
    pub output: Grid,
}

/// A question: a grid, and the answer if the data set has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct TestCase {
    /// The grid to transform.
    pub input: Grid,
    /// The right answer, for validation only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Grid>,
}

/// A task as a data set holds it, answers included.
///
/// A task is for loading, showing and validating. Code that chooses programs gets a [`Puzzle`], so
/// that it cannot peek.
///
/// ```
/// use leyden_grid::{Grid, Pair, Task, TaskId, TestCase};
///
/// let one = Grid::from_rows(&[vec![1]])?;
/// let two = Grid::from_rows(&[vec![2]])?;
/// let task = Task {
///     id: TaskId::new("successor")?,
///     demos: vec![Pair { input: one.clone(), output: two.clone() }],
///     tests: vec![TestCase { input: two, output: None }],
/// };
/// assert_eq!(task.puzzle().demos[0].input, one);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Task {
    /// The name, unique in its data set.
    pub id: TaskId,
    /// The examples with their outputs.
    pub demos: Vec<Pair>,
    /// The grids to answer.
    pub tests: Vec<TestCase>,
}

impl Task {
    /// The task without its test outputs.
    pub fn puzzle(&self) -> Puzzle {
        Puzzle {
            id: self.id.clone(),
            demos: self.demos.clone(),
            test_inputs: self.tests.iter().map(|test| test.input.clone()).collect(),
        }
    }

    /// All inputs, demonstrations before tests, each with its output if the task has it.
    pub fn pairs(&self) -> impl Iterator<Item = (&Grid, Option<&Grid>)> {
        let demos = self.demos.iter();
        let demos = demos.map(|pair| (&pair.input, Some(&pair.output)));
        let tests = self.tests.iter();
        demos.chain(tests.map(|test| (&test.input, test.output.as_ref())))
    }
}

/// A task as a solver sees it. No field can hold a test output.
///
/// ```
/// use leyden_grid::{Grid, Puzzle, Task, TaskId, TestCase};
///
/// let grid = Grid::from_rows(&[vec![3]])?;
/// let secret = TestCase { input: grid.clone(), output: Some(grid.clone()) };
/// let task = Task { id: TaskId::new("t")?, demos: vec![], tests: vec![secret] };
/// let puzzle: Puzzle = task.puzzle();
/// assert_eq!(puzzle.test_inputs, [grid]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Code that asks a puzzle for an answer does not compile:
///
/// ```compile_fail
/// fn peek(puzzle: &leyden_grid::Puzzle) -> Option<&leyden_grid::Grid> {
///     puzzle.tests[0].output.as_ref()
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Puzzle {
    /// The name, unique in its data set.
    pub id: TaskId,
    /// The examples with their outputs.
    pub demos: Vec<Pair>,
    /// The grids to answer.
    pub test_inputs: Vec<Grid>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(colour: u8) -> Grid {
        Grid::from_rows(&[vec![colour]]).unwrap()
    }

    #[test]
    fn odd_names_are_ids() {
        for name in [
            "007bbfb7",
            "Center 1",
            "1d_fill_0",
            "große Aufgabe",
            "a.b",
            "...",
        ] {
            assert_eq!(TaskId::new(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn harmful_names_are_not() {
        let check = |name: &str, expected: &str| {
            assert_eq!(TaskId::new(name).unwrap_err().to_string(), expected);
        };
        check("", "a task id cannot be empty");
        check("..", "a task id cannot be \"..\"");
        check("a/b", "a task id cannot contain '/'");
        check("a\u{1b}[2J", "a task id cannot contain '\\u{1b}'");
        check(&"x".repeat(241), "a task id has at most 240 bytes, not 241");
    }

    #[test]
    fn ids_fill_the_column_they_are_printed_in() {
        assert_eq!(format!("{:<6}|", TaskId::new("ab").unwrap()), "ab    |");
    }

    #[test]
    fn a_puzzle_keeps_everything_but_the_answers() {
        let demos = vec![Pair {
            input: grid(1),
            output: grid(2),
        }];
        let test = |colour| TestCase {
            input: grid(colour),
            output: Some(grid(9)),
        };
        let id = TaskId::new("t").unwrap();
        let task = Task {
            id: id.clone(),
            demos: demos.clone(),
            tests: vec![test(3), test(4)],
        };
        let expected = Puzzle {
            id,
            demos,
            test_inputs: vec![grid(3), grid(4)],
        };
        assert_eq!(task.puzzle(), expected);
        // This pattern names every field, so a new field does not compile until its author decides
        // whether an answer can be in it.
        let Puzzle {
            id: _,
            demos,
            test_inputs,
        } = task.puzzle();
        let grids = demos.iter().flat_map(|pair| [&pair.input, &pair.output]);
        assert!(grids.chain(&test_inputs).all(|found| *found != grid(9)));
    }
}
