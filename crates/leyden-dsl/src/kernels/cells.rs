//! Cells of objects. The dialects write them differently: `(colour, (i, j))`, or `(i, j, colour)`
//! in tokpidjin.

use super::Outcome;
use crate::ops;
use crate::table::Dialect;
use crate::value::{Value, hash_tuple};

impl Dialect {
    /// Makes a cell of an object.
    #[inline]
    pub(super) fn cell(self, colour: Value, i: Value, j: Value) -> Outcome {
        if self.is_classic() {
            Value::pair(colour, Value::pair(i, j)?)
        } else {
            Value::tuple(vec![i, j, colour])
        }
    }

    /// Makes a cell at a plain location.
    #[inline]
    pub(super) fn cell_at(self, colour: Value, (i, j): (i64, i64)) -> Outcome {
        if self.is_classic() {
            Value::pair(colour, (i, j).into())
        } else {
            self.cell(colour, Value::Int(i), Value::Int(j))
        }
    }

    /// The hash of [`Dialect::cell_at`].
    #[inline]
    pub(super) fn hash_of_cell(self, colour: &Value, (i, j): (i64, i64), location: i64) -> i64 {
        if self.is_classic() {
            hash_tuple([colour.hash(), location].into_iter(), 2)
        } else {
            let hashes = [crate::value::hash_int(i), crate::value::hash_int(j)];
            hash_tuple(hashes.into_iter().chain([colour.hash()]), 3)
        }
    }

    /// Takes a cell apart: its colour, its row and its column.
    #[inline]
    pub(super) fn unpack_cell(self, cell: &Value) -> Outcome<(&Value, &Value, &Value)> {
        if !self.is_classic() {
            let (i, j, colour) = ops::unpack_three(cell)?;
            return Ok((colour, i, j));
        }
        let (colour, location) = ops::unpack(cell)?;
        let (i, j) = ops::unpack(location)?;
        Ok((colour, i, j))
    }

    /// The colour of a cell with any location.
    #[inline]
    pub(super) fn colour_of(self, cell: &Value) -> Outcome<&Value> {
        if self.is_classic() {
            Ok(ops::unpack(cell)?.0)
        } else {
            Ok(ops::unpack_three(cell)?.2)
        }
    }

    /// The place of the colour in a cell.
    pub(super) fn place_of_colour(self) -> usize {
        if self.is_classic() { 0 } else { 2 }
    }

    /// The location of a cell.
    #[inline]
    pub(super) fn location_of(self, cell: &Value) -> Outcome {
        if self.is_classic() {
            return Ok(ops::unpack(cell)?.1.clone());
        }
        let (_, i, j) = self.unpack_cell(cell)?;
        Value::pair(i.clone(), j.clone())
    }

    /// Is an element of a patch a cell rather than a location?
    #[inline]
    pub(super) fn is_cell(self, element: &Value) -> Outcome<bool> {
        if self.is_classic() {
            Ok(ops::item(element, 1)?.is_tuple())
        } else {
            Ok(ops::len(element)? == 3)
        }
    }
}
