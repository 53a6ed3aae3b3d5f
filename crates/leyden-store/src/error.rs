//! [`StoreError`]: what can be wrong with data, in words.

use std::io;
use std::path::{Path, PathBuf};

use leyden_grid::{TaskId, TaskIdError};
use thiserror::Error;

use crate::json::{Fault, Problem};
use crate::load::MAX_TOTAL_BYTES;
use crate::shape::Shape;
use crate::spec::known_names;
use crate::submission::SubmissionProblem;

/// Why data could not be loaded or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or directory cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is neither a file nor a data set of that name.
    #[error(
        "{spec}: no such file or directory, nor a data set (known are {})",
        known_names()
    )]
    NotFound {
        /// What was asked for.
        spec: String,
    },
    /// A file is larger than any real one.
    #[error("{}: larger than {} MB", path.display(), limit >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes it may have.
        limit: u64,
    },
    /// The files of a directory together are larger than any data set.
    #[error("{}: more than {} MB in all", path.display(), MAX_TOTAL_BYTES >> 20)]
    TooLargeInAll {
        /// The directory.
        path: PathBuf,
    },
    /// Something is wrong inside a JSON file.
    #[error(transparent)]
    Content(#[from] Box<ContentError>),
    /// A JSON file holds something else than is needed.
    #[error("{}: expected {expected}, found {found}", file.display())]
    WrongShape {
        /// The file.
        file: PathBuf,
        /// What is needed.
        expected: &'static str,
        /// What it holds.
        found: Shape,
    },
    /// A file name cannot be a task id.
    #[error("{}: the file's name is no task id: {source}", file.display())]
    BadFileName {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: TaskIdError,
    },
    /// There is no task in a directory or file.
    #[error("{}: no tasks there", path.display())]
    NoTasks {
        /// The directory or file.
        path: PathBuf,
    },
    /// The data has several parts and none, or another one, was asked for.
    #[error("which part is meant by {spec:?}? There are {choices}")]
    WhichSubset {
        /// What was asked for.
        spec: String,
        /// The specs to choose from.
        choices: String,
    },
    /// A part was asked for, but the data has no parts.
    #[error("{}: there is no {subset:?} part in {found}", path.display())]
    NoSubset {
        /// The directory or file.
        path: PathBuf,
        /// What was asked for.
        subset: &'static str,
        /// What it holds.
        found: String,
    },
    /// Two tasks have the same id.
    #[error("{data}: the task {id} occurs more than once")]
    DuplicateId {
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A solution for a task that does not exist.
    #[error("{}: a solution for {id}, but {data} has no such task", file.display())]
    UnknownSolution {
        /// The solutions file.
        file: PathBuf,
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A task without a solution.
    #[error("{}: no solution for {id} of {data}", file.display())]
    MissingSolution {
        /// The solutions file.
        file: PathBuf,
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A solution with more or fewer grids than the task has tests.
    #[error("{}: {id} has {found} solutions, but {expected} test inputs", file.display())]
    SolutionCount {
        /// The solutions file.
        file: PathBuf,
        /// The id.
        id: TaskId,
        /// The number of test inputs.
        expected: usize,
        /// The number of solutions.
        found: usize,
    },
    /// Solutions for a task that has its test outputs already.
    #[error("{}: solutions for {id}, but its test outputs are already in {data}", file.display())]
    SolvedTwice {
        /// The solutions file.
        file: PathBuf,
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A submission that Kaggle would not take.
    #[error("{}: {problem}{}", file.display(), and_more(*n_more))]
    BadSubmission {
        /// The file.
        file: PathBuf,
        /// The first thing that is wrong.
        problem: Box<SubmissionProblem>,
        /// How many more there are.
        n_more: usize,
    },
    /// A task without test inputs, in which nothing can be right.
    #[error("the task {id} has no test inputs, so there is nothing to score")]
    NothingToScore {
        /// The id.
        id: TaskId,
    },
    /// A test output that would be needed.
    #[error(
        "test output {test_idx} of {id} is not known, so nothing can be scored; a solutions file has it"
    )]
    UnknownOutput {
        /// The id.
        id: TaskId,
        /// Which test input, counted from 0.
        test_idx: usize,
    },
    /// The data set is known, but not in the cache yet.
    #[error("{name} is not in the cache; `leyden get` brings it")]
    NotFetched {
        /// The name of the data set.
        name: String,
    },
    /// A file in the cache is not what was put there.
    #[error("{}: the file is damaged; `leyden get` repairs it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// No place for the cache is known.
    #[error("no cache directory: set LEYDEN_CACHE, XDG_CACHE_HOME or HOME")]
    NoCacheDirectory,
}

impl StoreError {
    pub(crate) fn io(path: &Path, source: io::Error) -> StoreError {
        StoreError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// What is wrong inside a JSON file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{}: {problem} (line {line}, column {column})", file.display(), after_colon(json_path))]
pub struct ContentError {
    /// The file.
    pub file: PathBuf,
    /// The place in the document, such as `train[2].output[5]`; empty for the whole of it.
    pub json_path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

fn and_more(n_more: usize) -> String {
    match n_more {
        0 => String::new(),
        _ => format!(" (and {n_more} more)"),
    }
}

fn after_colon(json_path: &str) -> String {
    match json_path {
        "" => String::new(),
        path => format!(": {path}"),
    }
}

impl ContentError {
    /// A fault found in this text of this file.
    pub(crate) fn new(file: &Path, text: &[u8], fault: &Fault) -> Box<ContentError> {
        let before = &text[..fault.offset.min(text.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        Box::new(ContentError {
            file: file.to_owned(),
            json_path: fault.json_path(),
            line: 1 + before.iter().filter(|&&b| b == b'\n').count(),
            column: 1 + String::from_utf8_lossy(&before[line_start..])
                .chars()
                .count(),
            problem: fault.problem.clone(),
        })
    }
}
