//! Builders of containers. They refuse a container that exceeds a cap while it grows.

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
    /// The parts of all elements that have more than a few.
    n_parts: usize,
}

/// Elements with at most this many parts, such as cells, reach the cap of elements before the cap
/// of parts.
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

    /// A builder of the container's type. Other values are not iterable either.
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

/// `frozenset(values)` of a generator. The loop is written out for speed, because it makes most
/// sets.
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

/// The number of elements that a kernel reads or finds without a charge beyond the table's price.
pub const FREE_CELLS: usize = 1 << 12;

/// Charges for the cells of a grid that the table's price does not count, if there are many:
/// elements of sets, and of rows among other values. Every kernel that reads all cells of a grid
/// calls this.
pub(super) fn charge_for_other_rows(cx: &mut Cx, grid: &Value) -> Outcome<()> {
    if (grid.n_parts() as usize) < FREE_CELLS {
        return Ok(());
    }
    let rows = grid.as_items().unwrap_or_default();
    let n_cells: usize = rows.iter().map(|row| ops::len(row).unwrap_or(0)).sum();
    let n_unpaid = (n_cells as u64).saturating_sub(grid.weight());
    if n_unpaid > FREE_CELLS as u64 {
        cx.meter.charge(n_unpaid)?;
    }
    Ok(())
}

/// `tuple(zip(...))` and similar: a tuple of tuples.
pub(super) fn tuple_of_tuples(rows: impl IntoIterator<Item = Vec<Value>>) -> Outcome {
    tuple_from(rows.into_iter().map(Value::tuple))
}
