//! Problems with the content of a file, and their places.

use leyden_grid::{GridError, MAX_COLOUR, MAX_SIDE, TaskIdError, counted};
use thiserror::Error;

use super::MAX_DEPTH;

/// The longest path in a message, in steps.
const MOST_STEPS: usize = 12;

/// The number of characters of a wrong text that an error quotes.
const MAX_QUOTE: usize = 40;

/// A problem with the content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text stops before the value does.
    #[error("the file ends too early: {0} should follow")]
    Truncated(&'static str),
    /// The file has only space.
    #[error("the file is empty; expected JSON")]
    Empty,
    /// The text is not JSON from its first word on.
    #[error("this is not JSON: it begins with {0}")]
    NotJson(String),
    /// A comma with nothing after it.
    #[error("a comma too many before `{0}`")]
    NeedlessComma(char),
    /// Something else was expected here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
    /// The bytes are not text.
    #[error("this is not text in UTF-8, but a binary file or text in another encoding")]
    NotUtf8,
    /// More text follows the end of the document.
    #[error("there is more text after the end of the JSON document")]
    Trailing,
    /// A string or number that JSON does not allow.
    #[error("this is not valid JSON: {0}")]
    Invalid(String),
    /// Lists and objects nest too deep.
    #[error("lists or objects nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A required key is missing.
    #[error("the key {0:?} is missing")]
    MissingKey(&'static str),
    /// A key occurs twice in one object.
    #[error("the key {0:?} occurs twice")]
    DuplicateKey(String),
    /// A task has neither examples nor tests.
    #[error("the task has no pairs; expected at least one in \"train\" or \"test\"")]
    NoPairs,
    /// A key that cannot be a task id.
    #[error("{0}")]
    BadId(#[from] TaskIdError),
    /// A grid without rows.
    #[error("the grid has no rows")]
    NoRows,
    /// A row without cells.
    #[error("the row has no cells")]
    NoCells,
    /// A row whose length differs from that of the first.
    #[error("ragged grid: this row has {}, the first row has {expected}", counted(*found, "cell"))]
    Ragged {
        /// Cells in the first row.
        expected: usize,
        /// Cells in this row.
        found: usize,
    },
    /// A grid with more rows than allowed.
    #[error("the grid has {0} rows; at most {MAX_SIDE} are allowed")]
    TooManyRows(usize),
    /// A row with more cells than allowed.
    #[error("the row has {0} cells; at most {MAX_SIDE} are allowed")]
    TooManyCells(usize),
    /// An integer that is not a colour.
    #[error("{0} is not a colour; colours are 0 to {MAX_COLOUR}")]
    Colour(String),
    /// A negative number where a colour should be.
    #[error("{0} is not a colour; colours are 0 to {MAX_COLOUR}")]
    Negative(String),
    /// A number with a fraction or an exponent where a colour should be.
    #[error("{0} is not a colour; colours are whole numbers, 0 to {MAX_COLOUR}")]
    Float(String),
    /// A grid that [`Grid`] refuses.
    #[error(transparent)]
    Grid(#[from] GridError),
}

/// A [`Problem`] with its byte offset, and the JSON path from the inside out.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) problem: Problem,
    pub(crate) offset: usize,
    steps: Vec<Step>,
}

/// One step of a JSON path.
#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// A result of reading; the error is boxed to keep the good case small.
pub(crate) type Read<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(problem: Problem, offset: usize) -> Box<Fault> {
        let steps = Vec::new();
        Box::new(Fault {
            problem,
            offset,
            steps,
        })
    }

    pub(crate) fn in_key(mut self: Box<Self>, key: &str) -> Box<Self> {
        self.steps.push(Step::Key(key.to_owned()));
        self
    }

    pub(crate) fn in_index(mut self: Box<Self>, index: usize) -> Box<Self> {
        self.steps.push(Step::Index(index));
        self
    }

    /// The path as people write it: `train[2].output[5]`. It is empty for the whole document.
    pub(crate) fn json_path(&self) -> String {
        let mut path = String::new();
        let n_left_out = self.steps.len().saturating_sub(MOST_STEPS);
        for (k, step) in self.steps.iter().rev().enumerate() {
            match step {
                _ if (MOST_STEPS..MOST_STEPS + n_left_out).contains(&k) => {}
                Step::Index(index) => path += &format!("[{index}]"),
                Step::Key(key) if !is_plain(key) => path += &format!("[{:?}]", quote(key)),
                Step::Key(key) if path.is_empty() => path += key,
                Step::Key(key) => path += &format!(".{key}"),
            }
        }
        if n_left_out > 0 {
            path.push('…');
        }
        path
    }
}

fn is_plain(key: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !key.is_empty() && key.len() <= MAX_QUOTE && key.chars().all(plain)
}

/// Quotes the beginning of a text, for a message.
pub(super) fn quote(text: &str) -> String {
    if text.chars().count() <= MAX_QUOTE {
        return text.to_owned();
    }
    text.chars().take(MAX_QUOTE).chain(['…']).collect()
}
