//! The types in signatures.

use std::fmt;

use crate::fault::Fault;
use crate::pyset::Table;
use crate::value::{Lambda, Value};

/// A type in a primitive's signature, under arc-dsl's own names.
///
/// Types guide verification, mutation and the reference page. They are not enforced at run time:
/// like Python, a primitive takes any value and faults where CPython would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Any value.
    Any,
    /// `True` or `False`.
    Boolean,
    /// A whole number.
    Integer,
    /// A pair of whole numbers.
    IntegerTuple,
    /// A whole number or a pair of them.
    Numerical,
    /// A set of whole numbers.
    IntegerSet,
    /// A tuple of rows.
    Grid,
    /// A set of cells `(colour, (i, j))`.
    Object,
    /// A set of objects.
    Objects,
    /// A set of locations `(i, j)`.
    Indices,
    /// An object or a set of locations.
    Patch,
    /// An object or a grid.
    Element,
    /// A grid or a patch.
    Piece,
    /// A tuple of anything.
    Tuple,
    /// A tuple of tuples.
    TupleTuple,
    /// A tuple or a set.
    Container,
    /// A container of containers.
    ContainerContainer,
    /// A set of anything.
    FrozenSet,
    /// A primitive or a function made of primitives.
    Callable,
}

impl Type {
    /// The empty value of a type in tokpidjin. Unspecific types have `()`.
    pub(crate) fn empty(self) -> Result<Value, Fault> {
        match self {
            Type::Boolean => Ok(Value::Bool(false)),
            Type::Integer => Ok(Value::Int(0)),
            Type::IntegerSet
            | Type::Object
            | Type::Objects
            | Type::Indices
            | Type::Patch
            | Type::FrozenSet => Value::set(Table::new()),
            Type::Callable => Value::function(Lambda::Nothing, 0),
            _ => Value::tuple(Vec::new()),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
