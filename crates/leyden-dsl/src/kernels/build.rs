//! Building containers.

use super::Outcome;
use crate::fault::Fault;
use crate::meter::{check_len, check_set_len};
use crate::pyset::Table;
use crate::value::Value;

/// `type(container)(generator)`, one element at a time.
pub(super) enum Builder {
    Tuple(Vec<Value>),
    Set(Table<Value>),
}

impl Builder {
    /// A builder of the container's type. What is no container is not iterable either.
    pub(super) fn like(container: &Value) -> Outcome<Builder> {
        match container {
            Value::Tuple(_) => Ok(Builder::Tuple(Vec::new())),
            Value::Set(_) => Ok(Builder::Set(Table::new())),
            _ => Err(Fault::TypeError),
        }
    }

    pub(super) fn push(&mut self, value: Value) -> Outcome<()> {
        match self {
            Builder::Tuple(items) => {
                items.push(value);
                check_len(items.len())
            }
            Builder::Set(table) => {
                table.insert(value);
                check_set_len(table.len())
            }
        }
    }

    pub(super) fn finish(self) -> Outcome {
        match self {
            Builder::Tuple(items) => Value::tuple(items),
            Builder::Set(table) => Value::set(table),
        }
    }
}

/// `frozenset(values)` of a generator.
pub(super) fn set_from(values: impl Iterator<Item = Outcome>) -> Outcome {
    Value::set(values.collect::<Outcome<_>>()?)
}

/// `tuple(values)` of a generator.
pub(super) fn tuple_from(values: impl Iterator<Item = Outcome>) -> Outcome {
    Value::tuple(values.collect::<Outcome<_>>()?)
}

/// `tuple(zip(...))` and its like: a tuple of tuples.
pub(super) fn tuple_of_tuples(rows: impl IntoIterator<Item = Vec<Value>>) -> Outcome {
    tuple_from(rows.into_iter().map(Value::tuple))
}
