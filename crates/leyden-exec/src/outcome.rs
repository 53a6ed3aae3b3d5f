//! What a run gives back, as plain data that can leave its thread.

use leyden_dsl::codec;
use leyden_dsl::fault::Fault;
use leyden_dsl::value::Value;
use leyden_grid::Grid;
use serde_json::{Value as Json, json};
use xxhash_rust::xxh3::xxh3_128;

/// A non-empty tuple of non-empty tuples of numbers: any size, any numbers, rows of any length.
#[derive(Clone, Debug)]
pub struct OutputGrid(Form);

#[derive(Clone, Debug)]
enum Form {
    /// A rectangle of small numbers, row by row.
    Rectangle {
        width: usize,
        cells: Box<[i8]>,
    },
    Rows(Vec<Vec<i64>>),
}

impl OutputGrid {
    pub(crate) fn rectangle(width: usize, cells: &[i8]) -> Self {
        OutputGrid(Form::Rectangle {
            width,
            cells: cells.into(),
        })
    }

    /// A grid of rows of any length, none of them empty.
    pub(crate) fn of_rows(rows: Vec<Vec<i64>>) -> Self {
        OutputGrid(Form::Rows(rows))
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> Vec<Vec<i64>> {
        match &self.0 {
            Form::Rows(rows) => rows.clone(),
            Form::Rectangle { width, cells } => {
                let row = |row: &[i8]| row.iter().map(|v| i64::from(*v)).collect();
                cells.chunks_exact(*width).map(row).collect()
            }
        }
    }

    /// Is this the expected grid?
    pub fn equals(&self, expected: &Grid) -> bool {
        match &self.0 {
            Form::Rectangle { width, cells } => {
                let wanted = expected.cells();
                *width == expected.width()
                    && cells.len() == wanted.len()
                    && cells
                        .iter()
                        .zip(wanted)
                        .all(|(ours, theirs)| *ours as u8 == *theirs)
            }
            Form::Rows(rows) => {
                let wanted = expected.rows().map(|row| row.iter().map(|v| i64::from(*v)));
                rows.len() == expected.height()
                    && rows
                        .iter()
                        .zip(wanted)
                        .all(|(ours, theirs)| ours.iter().copied().eq(theirs))
            }
        }
    }
}

/// Grids are equal when their rows are, however they are kept.
impl PartialEq for OutputGrid {
    fn eq(&self, other: &Self) -> bool {
        self.rows() == other.rows()
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// With a grid.
    Grid(OutputGrid),
    /// With some other value, in the encoding of [`leyden_dsl::codec`].
    Value(Json),
    /// Without a value.
    Fault {
        /// Why.
        fault: Fault,
        /// The line of the program, counted from 0.
        line: u32,
    },
}

impl Outcome {
    /// The outcome of a value of the reference engine.
    pub fn of_value(value: &Value) -> Outcome {
        match value.as_int_rows() {
            Some(rows) => Outcome::Grid(OutputGrid(Form::Rows(rows))),
            None => Outcome::Value(codec::encode(value)),
        }
    }

    /// Is this the expected grid?
    pub fn equals(&self, expected: &Grid) -> bool {
        matches!(self, Outcome::Grid(grid) if grid.equals(expected))
    }

    /// The fault, if there was one.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            Outcome::Fault { fault, .. } => Some(*fault),
            _ => None,
        }
    }

    /// One of `{"grid": …}`, `{"value": …}` and `{"error": class}`.
    pub fn to_json(&self) -> Json {
        match self {
            Outcome::Grid(grid) => json!({ "grid": grid.rows() }),
            Outcome::Value(value) => json!({ "value": value }),
            Outcome::Fault { fault, .. } => json!({ "error": fault.name() }),
        }
    }

    /// A hash of the outcome, the same on every machine.
    pub fn content_hash(&self) -> u128 {
        xxh3_128(self.to_json().to_string().as_bytes())
    }
}
