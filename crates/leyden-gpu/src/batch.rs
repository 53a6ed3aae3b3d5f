//! Turns batches into flat words, and records into answers.

use leyden_dsl::fault::Fault;
use leyden_dsl::value::Value;
use leyden_exec::{Outcome, OutputGrid};
use leyden_grid::Grid;

use crate::compile::Compiled;
use crate::hash::joined;
use crate::wire::{
    MAX_GRID_CELLS, PARENT_WORDS, PROGRAM_WORDS, RECORD_WORDS, REGISTER_WORDS, SCRATCH_WORDS,
    SLOT_BYTES, status, tag,
};

/// A program on a sample, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The index of the program.
    pub program: u32,
    /// The index of the sample.
    pub sample: u32,
}

/// Grids as the device keeps them, paired into samples.
///
/// ```
/// use leyden_gpu::Samples;
/// use leyden_grid::Grid;
///
/// let grid = Grid::from_rows(&[vec![1, 2]]).unwrap();
/// let mut samples = Samples::default();
/// assert_eq!(samples.push(&grid, None), 0);
/// assert_eq!(samples.push(&grid, Some(&grid)), 1);
/// assert_eq!(samples.len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Offset, height and width for each grid.
    pub(crate) grids: Vec<i32>,
    pub(crate) cells: Vec<u8>,
    /// Input and expected grid for each sample; -1 for none.
    pub(crate) pairs: Vec<i32>,
}

impl Samples {
    /// Adds an input with its expected output, if that is known; returns its index.
    pub fn push(&mut self, input: &Grid, expected: Option<&Grid>) -> u32 {
        let sample = self.len() as u32;
        let input = self.add(input);
        let expected = expected.map_or(-1, |grid| self.add(grid));
        self.pairs.extend([input, expected]);
        sample
    }

    fn add(&mut self, grid: &Grid) -> i32 {
        let number = (self.grids.len() / 3) as i32;
        let offset = self.cells.len() as i32;
        self.grids
            .extend([offset, grid.height() as i32, grid.width() as i32]);
        self.cells.extend(grid.cells());
        number
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.pairs.len() / 2
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

/// Bytes that went over the bus, and the number of launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Bytes of grids, sent once.
    pub grids: u64,
    /// Bytes of programs and jobs.
    pub programs: u64,
    /// Bytes of results.
    pub results: u64,
    /// Bytes of requested grids.
    pub outputs: u64,
    /// The number of kernels started.
    pub launches: u64,
}

impl Transfers {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Transfers) -> Transfers {
        Transfers {
            grids: self.grids + other.grids,
            programs: self.programs + other.programs,
            results: self.results + other.results,
            outputs: self.outputs + other.outputs,
            launches: self.launches + other.launches,
        }
    }
}

/// The device's answer for a program on a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The device is not sure, so the CPU has to run the program.
    Unsure {
        /// The line that it is not sure about, counted from 0; `None` if the program never ran.
        line: Option<u32>,
    },
    /// The program ends with a fault.
    Fault {
        /// The fault.
        fault: Fault,
        /// The line of the program, counted from 0.
        line: u32,
    },
    /// The program gives a grid.
    Grid {
        /// Its height.
        height: usize,
        /// Its width.
        width: usize,
        /// Its hash, as in [`hash_of_grid`](crate::hash_of_grid).
        hash: u64,
        /// Whether it is the expected grid.
        is_expected: bool,
        /// Its cells, if they were requested.
        cells: Option<Vec<u8>>,
    },
    /// The program gives a number.
    Int(i32),
    /// The program gives a truth value.
    Bool(bool),
    /// The program gives a pair of numbers.
    Pair(i32, i32),
}

impl Answer {
    /// The answer for a job that did not run.
    pub(crate) const NONE: Answer = Answer::Unsure { line: None };

    /// Whether the CPU has to run the program.
    pub fn is_unsure(&self) -> bool {
        matches!(self, Answer::Unsure { .. })
    }

    /// The outcome that the CPU would give; `None` if the answer is unsure, or a grid without its
    /// cells.
    pub fn outcome(&self) -> Option<Outcome> {
        let value = match self {
            Answer::Unsure { .. } => return None,
            Answer::Fault { fault, line } => {
                let (fault, line) = (*fault, *line);
                return Some(Outcome::Fault { fault, line });
            }
            Answer::Grid { width, cells, .. } => {
                let cells: Vec<i8> = cells.as_ref()?.iter().map(|cell| *cell as i8).collect();
                return Some(Outcome::Grid(OutputGrid::rectangle(*width, &cells)));
            }
            Answer::Int(n) => Value::Int((*n).into()),
            Answer::Bool(b) => Value::Bool(*b),
            Answer::Pair(i, j) => (i64::from(*i), i64::from(*j)).into(),
        };
        Some(Outcome::of_value(&value))
    }

    /// Reads a record of the device. A record that the device cannot have written is unsure.
    pub(crate) fn of_record(record: &[i32], cells: Option<&[u8]>) -> Answer {
        let &[state, line, kind, i, j, low, high, is_expected] = record else {
            return Answer::NONE;
        };
        match (state, kind) {
            (status::DONE, tag::INT) => Answer::Int(i),
            (status::DONE, tag::BOOL) => Answer::Bool(i != 0),
            (status::DONE, tag::PAIR) => Answer::Pair(i, j),
            (status::DONE, tag::GRID) => grid_answer(
                (i, j),
                joined(low as u32, high as u32),
                is_expected != 0,
                cells,
            ),
            (status::FAULT.., _) => fault_answer(state, line),
            (status::UNSURE, _) => {
                // Negative numbers are lines within an iteration.
                let line = if line < 0 { -1 - line } else { line };
                Answer::Unsure {
                    line: u32::try_from(line).ok(),
                }
            }
            _ => Answer::NONE,
        }
    }
}

fn grid_answer((i, j): (i32, i32), hash: u64, is_expected: bool, cells: Option<&[u8]>) -> Answer {
    let (Ok(height), Ok(width)) = (usize::try_from(i), usize::try_from(j)) else {
        return Answer::NONE;
    };
    let n_cells = height.saturating_mul(width);
    if n_cells == 0 || n_cells > MAX_GRID_CELLS {
        return Answer::NONE;
    }
    Answer::Grid {
        height,
        width,
        hash,
        is_expected,
        cells: cells
            .and_then(|cells| cells.get(..n_cells))
            .map(<[u8]>::to_vec),
    }
}

fn fault_answer(state: i32, line: i32) -> Answer {
    let fault = Fault::ALL.get((state - status::FAULT) as usize);
    match (fault, u32::try_from(line)) {
        (Some(fault), Ok(line)) => Answer::Fault {
            fault: *fault,
            line,
        },
        _ => Answer::NONE,
    }
}

/// Programs as the device reads them.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    pub(crate) entries: Vec<i32>,
    pub(crate) code: Vec<i32>,
    pub(crate) constants: Vec<i32>,
}

impl Programs {
    pub(crate) fn of(programs: &[Compiled]) -> Programs {
        let mut all = Programs::default();
        for program in programs {
            all.push(program);
        }
        all
    }

    /// The number of words that go to the device.
    pub(crate) fn n_words(&self) -> usize {
        self.entries.len() + self.code.len() + self.constants.len()
    }

    fn push(&mut self, program: &Compiled) {
        let mut entry = [0; PROGRAM_WORDS];
        entry[0] = self.code.len() as i32;
        entry[1] = program.n_instructions() as i32;
        entry[2] = self.constants.len() as i32;
        entry[3] = (program.constants.len() / 4) as i32;
        self.entries.extend(entry);
        self.code.extend(&program.code);
        self.constants.extend(&program.constants);
    }
}

/// The local memory that a group needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Need {
    pub(crate) n_registers: usize,
    pub(crate) has_table: bool,
    n_slots: usize,
}

impl Need {
    pub(crate) fn of(program: &Compiled) -> Need {
        Need {
            n_registers: program.n_registers,
            has_table: program.has_table,
            n_slots: program.n_slots,
        }
    }

    /// The need of the smallest programs: a grid, and another one made of it.
    pub(crate) fn least() -> Need {
        Need {
            n_registers: 4,
            has_table: false,
            n_slots: 2,
        }
    }

    /// A need that covers both.
    pub(crate) fn joined(self, other: Need) -> Need {
        Need {
            n_registers: self.n_registers.max(other.n_registers),
            has_table: self.has_table || other.has_table,
            n_slots: self.n_slots.max(other.n_slots),
        }
    }

    pub(crate) fn n_bytes(self) -> usize {
        let table = if self.has_table { PARENT_WORDS } else { 0 };
        let words = self.n_registers * REGISTER_WORDS + SCRATCH_WORDS + table;
        words * 4 + self.n_slots * SLOT_BYTES
    }
}

/// The results of a launch.
pub struct Returned {
    /// A record for each job.
    pub(crate) records: Vec<i32>,
    /// A grid for each job, if grids were requested.
    pub(crate) outputs: Vec<u8>,
}

/// Reads the results of a launch as answers.
pub(crate) fn answers(returned: &Returned) -> Vec<Answer> {
    let cells = |k: usize| {
        returned
            .outputs
            .get(k * MAX_GRID_CELLS..(k + 1) * MAX_GRID_CELLS)
    };
    let records = returned.records.chunks_exact(RECORD_WORDS).enumerate();
    records
        .map(|(k, record)| Answer::of_record(record, cells(k)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_make_no_sense_are_not_sure() {
        for record in [
            &[][..],
            &[2, 0, 4, 0, 3, 0, 0, 0],
            &[2, 0, 4, -1, 3, 0, 0, 0],
            &[2, 0, 4, 1 << 20, 1 << 20, 0, 0, 0],
            &[2, 0, 77, 1, 1, 0, 0, 0],
            &[16 + 13, 0, 0, 0, 0, 0, 0, 0],
            &[16, -1, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 0, 0, 0, 0],
            &[-5, 0, 0, 0, 0, 0, 0, 0],
            &[i32::MAX, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(Answer::of_record(record, None), Answer::NONE, "{record:?}");
        }
    }

    #[test]
    fn a_grid_without_its_cells_has_no_outcome() {
        let record = [2, 0, 4, 1, 2, 5, 6, 1];
        let Answer::Grid { cells, hash, .. } = Answer::of_record(&record, None) else {
            panic!("a grid");
        };
        assert_eq!((cells, hash), (None, 6 << 32 | 5));
        assert!(Answer::of_record(&record, None).outcome().is_none());
        assert!(Answer::of_record(&record, Some(&[1])).outcome().is_none());
        assert!(
            Answer::of_record(&record, Some(&[1, 2]))
                .outcome()
                .is_some()
        );
    }
}
