//! [`StoreError`]: everything that can be wrong with data, with messages for users.

use std::io;
use std::path::{Path, PathBuf};

use leyden_grid::{TaskId, TaskIdError, counted};
use thiserror::Error;

use crate::json::{Fault, Problem};
use crate::load::MAX_TOTAL_BYTES;
use crate::shape::Shape;
use crate::spec::known_names;
use crate::submission::SubmissionProblem;
use crate::words::io_words;

/// The reason why data could not be loaded or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or directory cannot be read or written.
    #[error("{}: {}", path.display(), io_words(cause))]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// No file and no data set has this name.
    #[error(
        "{spec}: there is no such file or directory; the named data sets are {}",
        known_names()
    )]
    NotFound {
        /// The name.
        spec: String,
    },
    /// A file is larger than any real one.
    #[error("{}: the file is larger than {} MB, the most that Leyden reads here", path.display(), limit >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The largest number of bytes allowed.
        limit: u64,
    },
    /// The files of a directory together are larger than any data set.
    #[error("{}: the files here are larger than {} MB in all, the most that Leyden reads", path.display(), MAX_TOTAL_BYTES >> 20)]
    TooLargeInAll {
        /// The directory.
        path: PathBuf,
    },
    /// Something is wrong inside a JSON file.
    #[error(transparent)]
    Content(#[from] Box<ContentError>),
    /// A JSON file has another shape than the one needed.
    #[error("{}: expected {expected}, found {found}{}", file.display(), found.hint())]
    WrongShape {
        /// The file.
        file: PathBuf,
        /// The shape that is needed.
        expected: &'static str,
        /// The shape of the file.
        found: Shape,
    },
    /// A file name cannot be a task id.
    #[error("{}: the file's name cannot be the id of its task: {cause}", file.display())]
    BadFileName {
        /// The file.
        file: PathBuf,
        /// The reason.
        cause: TaskIdError,
    },
    /// A directory or file has no task.
    #[error("{}: there are no tasks here; expected JSON with tasks, or a directory of .json files", path.display())]
    NoTasks {
        /// The directory or file.
        path: PathBuf,
    },
    /// The data has several parts, and the request names none of them.
    #[error("choose one of the parts {choices}")]
    WhichSubset {
        /// The request.
        spec: String,
        /// The specs to choose from.
        choices: String,
    },
    /// The request names a part, but the data has no parts.
    #[error("{}: this is {found}, which has no parts; leave out `:{subset}`", path.display())]
    NoSubset {
        /// The directory or file.
        path: PathBuf,
        /// The requested part.
        subset: &'static str,
        /// The shape of the data.
        found: String,
    },
    /// Two tasks have the same id.
    #[error("{data}: the task {id} is in the data more than once")]
    DuplicateId {
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A solution for a task that does not exist.
    #[error("{}: a solution for {id}, but {data} has no such task; do these files belong together?", file.display())]
    UnknownSolution {
        /// The solutions file.
        file: PathBuf,
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A task without a solution.
    #[error("{}: there is no solution for the task {id} of {data}; do these files belong together?", file.display())]
    MissingSolution {
        /// The solutions file.
        file: PathBuf,
        /// The data set.
        data: String,
        /// The id.
        id: TaskId,
    },
    /// A solution with more or fewer grids than the task has tests.
    #[error("{}: {} for the task {id}, which has {}", file.display(), counted(*found, "solution"), counted(*expected, "test input"))]
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
    #[error("{}: solutions for {id}, but {data} has its test outputs already; leave out the solutions file", file.display())]
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
        /// The first problem.
        problem: Box<SubmissionProblem>,
        /// The number of further problems.
        n_more: usize,
    },
    /// A task without test inputs, which cannot be scored.
    #[error("the task {id} has no test inputs, so there is nothing to score")]
    NothingToScore {
        /// The id.
        id: TaskId,
    },
    /// Scoring needs a test output that is missing.
    #[error(
        "the data has no output for test {test_idx} of {id}, so nothing can be scored; `--solutions FILE` \
         names the file with the right answers"
    )]
    UnknownOutput {
        /// The id.
        id: TaskId,
        /// The test input, counted from 0.
        test_idx: usize,
    },
    /// The data set is known, but not in the cache yet.
    #[error("{name} is not in the cache; `leyden get` fetches it")]
    NotFetched {
        /// The name of the data set.
        name: String,
    },
    /// The content of a file in the cache has changed since it was fetched.
    #[error("{}: the file is damaged; `leyden get` fetches it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// No variable names a directory for the cache.
    #[error("there is no directory for the cache; set LEYDEN_CACHE, XDG_CACHE_HOME or HOME")]
    NoCacheDirectory,
}

impl StoreError {
    pub(crate) fn io(path: &Path, cause: io::Error) -> StoreError {
        StoreError::Io {
            path: path.to_owned(),
            cause,
        }
    }
}

/// A problem inside a JSON file, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{}: {problem}{}", file.display(), after_colon(json_path), self.place())]
pub struct ContentError {
    /// The file.
    pub file: PathBuf,
    /// The place in the document, such as `train[2].output[5]`; empty for the whole document.
    pub json_path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The problem.
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
    /// Writes line and column, if they are known.
    fn place(&self) -> String {
        match self.problem {
            Problem::Empty => String::new(),
            _ => format!(" (line {}, column {})", self.line, self.column),
        }
    }

    /// Finds the line and column of a fault in this text.
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
