//! Results of runs, as plain data that can leave its thread.

use std::sync::Arc;

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
    /// Rows of small numbers, not all of one length.
    Ragged {
        widths: Box<[u32]>,
        cells: Box<[i8]>,
    },
    Rows(Arc<Vec<Vec<i64>>>),
}

/// Whether a rectangle of small numbers, row by row, equals the expected grid.
pub fn is_grid(width: usize, cells: &[i8], expected: &Grid) -> bool {
    let wanted = expected.cells();
    // Comparing all cells vectorises; a search that stops early does not.
    let is_same = |same, (ours, theirs): (&i8, &u8)| same & (*ours as u8 == *theirs);
    width == expected.width()
        && cells.len() == wanted.len()
        && cells.iter().zip(wanted).fold(true, is_same)
}

impl OutputGrid {
    /// A rectangle of small numbers, row by row; a whole number of rows, none of them empty.
    pub fn rectangle(width: usize, cells: &[i8]) -> Self {
        OutputGrid(Form::Rectangle {
            width,
            cells: cells.into(),
        })
    }

    /// Rows of small numbers, one after the other, none of them empty.
    pub(crate) fn of_small_rows(widths: Vec<u32>, cells: Vec<i8>) -> Self {
        let first = widths.first().copied().unwrap_or(1);
        let (cells, width) = (cells.into(), first as usize);
        OutputGrid(if widths.iter().all(|width| *width == first) {
            Form::Rectangle { width, cells }
        } else {
            Form::Ragged {
                widths: widths.into(),
                cells,
            }
        })
    }

    /// A grid of rows of any length, none of them empty.
    pub(crate) fn of_rows(rows: Vec<Vec<i64>>) -> Self {
        OutputGrid(Form::Rows(rows.into()))
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> Vec<Vec<i64>> {
        match &self.0 {
            Form::Rows(rows) => rows.to_vec(),
            Form::Rectangle { width, cells } => {
                let row = |row: &[i8]| row.iter().map(|v| i64::from(*v)).collect();
                cells.chunks_exact(*width).map(row).collect()
            }
            Form::Ragged { widths, cells } => {
                let mut cells = cells.iter().map(|v| i64::from(*v));
                let row = |width: &u32| cells.by_ref().take(*width as usize).collect();
                widths.iter().map(row).collect()
            }
        }
    }

    /// The width and the cells, row by row, of a grid that is kept as a rectangle of small numbers.
    pub fn as_rectangle(&self) -> Option<(usize, &[i8])> {
        match &self.0 {
            Form::Rectangle { width, cells } => Some((*width, cells)),
            Form::Ragged { .. } | Form::Rows(_) => None,
        }
    }

    /// Whether this is the expected grid.
    pub fn equals(&self, expected: &Grid) -> bool {
        match &self.0 {
            Form::Rectangle { width, cells } => is_grid(*width, cells, expected),
            Form::Ragged { .. } => false,
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

impl OutputGrid {
    /// This grid as a grid of a task, if it is one: 1 to 30 rows and columns, colours 0 to 9.
    pub fn to_grid(&self) -> Option<Grid> {
        match &self.0 {
            Form::Rectangle { width, cells } => {
                let colours: Vec<u8> = cells.iter().map(|v| *v as u8).collect();
                Grid::from_cells(cells.len() / width.max(&1), *width, &colours).ok()
            }
            Form::Ragged { .. } => None,
            Form::Rows(rows) => {
                let colour = |v: &i64| u8::try_from(*v).ok();
                let row = |row: &Vec<i64>| row.iter().map(colour).collect();
                let rows: Option<Vec<Vec<u8>>> = rows.iter().map(row).collect();
                Grid::from_rows(&rows?).ok()
            }
        }
    }

    /// The grid as bytes, equal for equal grids in any form. Small numbers, which nearly all are,
    /// take one byte each.
    fn canonical_bytes(&self) -> Vec<u8> {
        match &self.0 {
            Form::Rectangle { width, cells } => {
                let mut bytes = header(SMALL, [*width].into_iter(), cells.len() / width.max(&1));
                bytes.extend(cells.iter().map(|v| *v as u8));
                bytes
            }
            Form::Ragged { widths, cells } => {
                let widths_of_rows = widths.iter().map(|width| *width as usize);
                let mut bytes = header(SMALL, widths_of_rows, widths.len());
                bytes.extend(cells.iter().map(|v| *v as u8));
                bytes
            }
            Form::Rows(rows) => bytes_of_rows(rows),
        }
    }
}

const SMALL: u8 = 0;
const WIDE: u8 = 1;
const VALUE: u8 = 2;
const FAULT: u8 = 3;

fn bytes_of_rows(rows: &[Vec<i64>]) -> Vec<u8> {
    let widths = || rows.iter().map(Vec::len);
    let first = rows.first().map_or(0, Vec::len);
    let is_rectangle = widths().all(|width| width == first);
    // A rectangle names its width once; other grids name the width of each row.
    let n_widths = if is_rectangle { 1 } else { rows.len() };
    let cells = || rows.iter().flatten();
    let is_small = cells().all(|v| i8::try_from(*v).is_ok());
    let kind = if is_small { SMALL } else { WIDE };
    let mut bytes = header(kind, widths().take(n_widths), rows.len());
    if is_small {
        bytes.extend(cells().map(|v| *v as u8));
    } else {
        bytes.extend(cells().flat_map(|v| v.to_le_bytes()));
    }
    bytes
}

fn header(kind: u8, widths: impl ExactSizeIterator<Item = usize>, height: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    bytes.push(kind);
    let word = |n: usize| (n as u32).to_le_bytes();
    bytes.extend(word(height));
    bytes.extend(word(widths.len()));
    bytes.extend(widths.flat_map(word));
    bytes
}

fn bytes_of_json(value: &Json) -> usize {
    let inside: usize = match value {
        Json::Array(items) => items.iter().map(bytes_of_json).sum(),
        Json::Object(fields) => fields.values().map(|field| 64 + bytes_of_json(field)).sum(),
        Json::String(text) => text.len(),
        _ => 0,
    };
    size_of::<Json>() + inside
}

fn tagged(tag: u8, text: &str) -> Vec<u8> {
    [&[tag], text.as_bytes()].concat()
}

/// Grids are equal if their rows are, in any form.
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
    /// With another value, in the encoding of [`leyden_dsl::codec`]. It may be huge, and a cache
    /// may hold it, too.
    Value(Arc<Json>),
    /// With a fault.
    Fault {
        /// The exception or limit.
        fault: Fault,
        /// The line of the program, counted from 0.
        line: u32,
    },
}

/// The end of a run, and its fuel.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The end of the run.
    pub outcome: Outcome,
    /// The fuel it burnt, equal on every engine: that of its lines up to the one in which it ended,
    /// and all of it if it ran dry. `leyden_dsl::meter` has the rules.
    pub fuel: u64,
}

impl Ran {
    /// A run that used up its fuel in a line.
    pub(crate) fn out_of_fuel(line: u32, fuel: u64) -> Ran {
        let fault = Fault::Fuel;
        Ran {
            outcome: Outcome::Fault { fault, line },
            fuel,
        }
    }
}

impl Outcome {
    /// The outcome of a value of the reference engine.
    pub fn of_value(value: &Value) -> Outcome {
        match value.as_int_rows() {
            Some(rows) => Outcome::Grid(OutputGrid::of_rows(rows)),
            None => Outcome::Value(Arc::new(codec::encode(value))),
        }
    }

    /// Whether this is the expected grid.
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

    /// Its approximate size in memory.
    pub(crate) fn n_bytes(&self) -> usize {
        let inside = match self {
            Outcome::Grid(OutputGrid(Form::Rectangle { cells, .. })) => cells.len(),
            Outcome::Grid(OutputGrid(Form::Ragged { widths, cells })) => {
                4 * widths.len() + cells.len()
            }
            Outcome::Grid(OutputGrid(Form::Rows(rows))) => {
                rows.iter().map(|row| 24 + 8 * row.len()).sum()
            }
            Outcome::Value(value) => bytes_of_json(value),
            Outcome::Fault { .. } => 0,
        };
        size_of::<Outcome>() + inside
    }

    /// One of `{"grid": …}`, `{"value": …}` and `{"error": class}`.
    pub fn to_json(&self) -> Json {
        match self {
            Outcome::Grid(grid) => json!({ "grid": grid.rows() }),
            Outcome::Value(value) => json!({ "value": value.as_ref() }),
            Outcome::Fault { fault, .. } => json!({ "error": fault.name() }),
        }
    }

    /// A hash of the outcome, equal on every machine and engine. The hash of a fault depends only
    /// on its class.
    pub fn content_hash(&self) -> u128 {
        let bytes = match self {
            Outcome::Grid(grid) => grid.canonical_bytes(),
            Outcome::Value(value) => tagged(VALUE, &value.to_string()),
            Outcome::Fault { fault, .. } => tagged(FAULT, fault.name()),
        };
        xxh3_128(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[i64]]) -> Outcome {
        let rows = rows.iter().map(|row| row.to_vec()).collect();
        Outcome::Grid(OutputGrid::of_rows(rows))
    }

    #[test]
    fn equal_outcomes_have_equal_hashes_however_they_are_kept() {
        for (width, cells) in [(3, &[1, 2, 3, -4, 5, 127][..]), (1, &[0]), (2, &[9; 60])] {
            let kept_small = Outcome::Grid(OutputGrid::rectangle(width, cells));
            let wide: Vec<Vec<i64>> = cells
                .chunks(width)
                .map(|row| row.iter().map(|v| i64::from(*v)).collect())
                .collect();
            let kept_wide = Outcome::Grid(OutputGrid::of_rows(wide));
            assert_eq!(kept_small, kept_wide);
            assert_eq!(kept_small.content_hash(), kept_wide.content_hash());
        }
        for widths in [[1, 3, 2], [2, 2, 2]] {
            let small = OutputGrid::of_small_rows(widths.into(), vec![1, 2, 3, -4, 5, 127]);
            let kept_wide = OutputGrid::of_rows(small.rows());
            assert_eq!(small.canonical_bytes(), kept_wide.canonical_bytes());
            let is_ragged = matches!(small.0, Form::Ragged { .. });
            assert_eq!(is_ragged, widths[0] == 1);
            assert_eq!(small.rows().concat(), [1, 2, 3, -4, 5, 127]);
        }
        let at = |line| Outcome::Fault {
            fault: Fault::Fuel,
            line,
        };
        assert_eq!(at(1).content_hash(), at(2).content_hash());
    }

    #[test]
    fn different_outcomes_have_different_hashes() {
        let fault = |fault| Outcome::Fault { fault, line: 0 };
        let all = [
            rows(&[&[1, 2, 3, 4]]),
            rows(&[&[1, 2], &[3, 4]]),
            rows(&[&[1], &[2], &[3], &[4]]),
            rows(&[&[1, 2, 3], &[4]]),
            rows(&[&[1], &[2, 3, 4]]),
            rows(&[&[1, 2, 3, 300]]),
            rows(&[&[1, 2, 3, 44]]),
            Outcome::Value(json!([1, 2]).into()),
            Outcome::Value(json!("Fuel").into()),
            fault(Fault::Fuel),
            fault(Fault::Memory),
        ];
        let mut hashes: Vec<u128> = all.iter().map(Outcome::content_hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn grids_of_tasks_are_told_from_others() {
        let grid = |outcome: Outcome| match outcome {
            Outcome::Grid(grid) => grid.to_grid(),
            _ => None,
        };
        let expected = Grid::from_rows(&[vec![1, 2], vec![3, 4]]).unwrap();
        let small = Outcome::Grid(OutputGrid::rectangle(2, &[1, 2, 3, 4]));
        assert_eq!(grid(small), Some(expected.clone()));
        assert_eq!(grid(rows(&[&[1, 2], &[3, 4]])), Some(expected));
        assert_eq!(grid(Outcome::Grid(OutputGrid::rectangle(1, &[-1]))), None);
        assert_eq!(grid(rows(&[&[1, 2], &[3]])), None);
        assert_eq!(grid(rows(&[&[1, 10]])), None);
        assert_eq!(
            grid(Outcome::Grid(OutputGrid::rectangle(31, &[0; 31]))),
            None
        );
    }
}
