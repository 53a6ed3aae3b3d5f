//! Building containers. They end at the caps while they grow, not when they are complete.

use super::Outcome;
use crate::cx::Cx;
use crate::fault::Fault;
use crate::meter::{check_len, check_parts, check_set_len};
use crate::ops;
use crate::pyset::Table;
use crate::value::Value;

/// `type(container)(generator)`, one element at a time.
pub(super) struct Builder {
    elements: Elements,
    /// The parts of all elements so far that have more than a few.
    n_parts: usize,
}

/// Elements with no more parts, such as cells, are never too many for the cap of parts before they are too
/// many for that of elements.
const FEW_PARTS: usize = 8;

enum Elements {
    Tuple(Vec<Value>),
    Set(Table<Value>),
}

impl Builder {
    pub(super) fn tuple() -> Builder {
        Builder {
            elements: Elements::Tuple(Vec::new()),
            n_parts: 0,
        }
    }

    pub(super) fn set() -> Builder {
        Builder {
            elements: Elements::Set(Table::new()),
            n_parts: 0,
        }
    }

    /// A builder of the container's type. What is no container is not iterable either.
    pub(super) fn like(container: &Value) -> Outcome<Builder> {
        match container {
            Value::Tuple(_) => Ok(Builder::tuple()),
            Value::Set(_) => Ok(Builder::set()),
            _ => Err(Fault::TypeError),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, value: Value) -> Outcome<()> {
        let n_parts = value.n_parts() as usize;
        let is_new = match &mut self.elements {
            Elements::Tuple(items) => {
                items.push(value);
                check_len(items.len())?;
                true
            }
            Elements::Set(table) => {
                let n_before = table.len();
                table.insert(value);
                check_set_len(table.len())?;
                table.len() > n_before
            }
        };
        if n_parts > FEW_PARTS && is_new {
            self.n_parts += n_parts;
            check_parts(self.n_parts)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Outcome {
        match self.elements {
            Elements::Tuple(items) => Value::tuple(items),
            Elements::Set(table) => Value::set(table),
        }
    }
}

/// `frozenset(values)` of a generator. The loop is written out, for most sets are made here.
pub(super) fn set_from(values: impl Iterator<Item = Outcome>) -> Outcome {
    let (mut table, mut n_parts) = (Table::new(), 0);
    for value in values {
        let value = value?;
        let (n_of_value, n_before) = (value.n_parts() as usize, table.len());
        table.insert(value);
        check_set_len(table.len())?;
        if n_of_value > FEW_PARTS && table.len() > n_before {
            n_parts += n_of_value;
            check_parts(n_parts)?;
        }
    }
    Value::set(table)
}

/// `tuple(values)` of a generator.
pub(super) fn tuple_from(values: impl Iterator<Item = Outcome>) -> Outcome {
    let mut result = Builder::tuple();
    for value in values {
        result.push(value?)?;
    }
    result.finish()
}

/// Rows that are longer than the first may have so many cells in all for nothing.
pub const FREE_CELLS: usize = 1 << 12;

/// The table's price for a tuple of rows takes them all to be as long as the first. Many more cells
/// than that are charged here, by every kernel that reads or makes all cells.
pub(super) fn charge_for_longer_rows(cx: &mut Cx, grid: &Value) -> Outcome<()> {
    if (grid.n_parts() as usize) < FREE_CELLS {
        return Ok(());
    }
    let rows = grid.as_items().unwrap_or_default();
    let length = |row: &Value| ops::len(row).unwrap_or(0);
    let n_paid = rows.len() * rows.first().map_or(0, length);
    let n_cells: usize = rows.iter().map(length).sum();
    if n_cells > n_paid + FREE_CELLS {
        cx.meter.charge((n_cells - n_paid) as u64)?;
    }
    Ok(())
}

/// `tuple(rows)` of a generator that makes its rows.
pub(super) fn rows_from(cx: &mut Cx, rows: impl Iterator<Item = Outcome>) -> Outcome {
    let grid = tuple_from(rows)?;
    charge_for_longer_rows(cx, &grid)?;
    Ok(grid)
}

/// `tuple(zip(...))` and its like: a tuple of tuples.
pub(super) fn tuple_of_tuples(cx: &mut Cx, rows: impl IntoIterator<Item = Vec<Value>>) -> Outcome {
    rows_from(cx, rows.into_iter().map(Value::tuple))
}
