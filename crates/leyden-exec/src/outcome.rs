//! What a run gives back, as plain data that can leave its thread.

use leyden_dsl::codec;
use leyden_dsl::fault::Fault;
use leyden_dsl::value::Value;
use leyden_grid::Grid;
use serde_json::{Value as Json, json};
use xxhash_rust::xxh3::xxh3_128;

/// A non-empty tuple of non-empty tuples of numbers: any size, any numbers, rows of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputGrid {
    row_ends: Box<[u32]>,
    cells: Box<[i64]>,
}

impl OutputGrid {
    pub(crate) fn rectangle(height: usize, width: usize, cells: impl Iterator<Item = i64>) -> Self {
        let row_ends = (1..=height).map(|i| (i * width) as u32).collect();
        OutputGrid { row_ends, cells: cells.collect() }
    }

    fn from_rows(rows: &[Vec<i64>]) -> Self {
        let mut end = 0;
        let row_end = |row: &Vec<i64>| {
            end += row.len() as u32;
            end
        };
        OutputGrid { row_ends: rows.iter().map(row_end).collect(), cells: rows.concat().into() }
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[i64]> {
        let starts = std::iter::once(0).chain(self.row_ends.iter().copied());
        starts.zip(&self.row_ends).map(|(start, end)| &self.cells[start as usize..*end as usize])
    }

    /// Is this the expected grid?
    pub fn equals(&self, expected: &Grid) -> bool {
        let width = expected.width() as u32;
        self.row_ends.len() == expected.height()
            && self.row_ends.iter().zip(1..).all(|(end, i)| *end == i * width)
            && self.cells.iter().zip(expected.cells()).all(|(ours, theirs)| *ours == i64::from(*theirs))
    }

    fn to_json(&self) -> Json {
        self.rows().collect()
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
            Some(rows) => Outcome::Grid(OutputGrid::from_rows(&rows)),
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
            Outcome::Grid(grid) => json!({ "grid": grid.to_json() }),
            Outcome::Value(value) => json!({ "value": value }),
            Outcome::Fault { fault, .. } => json!({ "error": fault.name() }),
        }
    }

    /// A hash of the outcome, the same on every machine.
    pub fn content_hash(&self) -> u128 {
        xxh3_128(self.to_json().to_string().as_bytes())
    }
}
