//! CPython's hashes of the fast engine's values.

use leyden_dsl::value::{FUNCTION_HASH, Value, hash_frozenset, hash_int, hash_pair, hash_tuple};

use crate::vm::values::arena::CellForm;
use crate::vm::values::object::Object;
use crate::vm::values::value::Val;

/// CPython's hash of a value. Where CPython hashes by address, this is the reference engine's hash.
pub(crate) fn hash(value: &Val<'_>) -> Option<i64> {
    Some(match value {
        Val::Int(n) => hash_int(*n),
        Val::Bool(b) => i64::from(b.get()),
        Val::Pair(_) | Val::Cell(_) | Val::Triple(_) => hash_of_place(value),
        Val::Object(object) => hash_object(object),
        Val::Indices(patch) => {
            hash_frozenset(patch.cells().map(|(i, j)| hash_pair(i, j)), patch.len())
        }
        Val::Two(two) => hash_tuple([hash(&two.0)?, hash(&two.1)?].into_iter(), 2),
        Val::Tuple(items) => hash_tuple(hashes(items)?.into_iter(), items.len()),
        Val::Set(items) => hash_frozenset(hashes(items)?.into_iter(), items.len()),
        Val::Grid(grid) => hash_tuple(grid.rows().map(hash_row), grid.height()),
        Val::None => Value::None.hash(),
        Val::Prim(entry) => Value::Prim(entry.prim).hash(),
        Val::Func(_) => FUNCTION_HASH,
        Val::Bag(_) | Val::Float(_) => return None,
    })
}

/// The hash of a location or cell; 0 for other values.
#[inline]
pub(crate) fn hash_of_place(place: &Val<'_>) -> i64 {
    match place {
        Val::Pair(pair) => hash_pair(pair.get().0, pair.get().1),
        Val::Cell(cell) => hash_cell(CellForm::Nested, cell.get()),
        Val::Triple(cell) => hash_cell(CellForm::Flat, cell.get()),
        _ => 0,
    }
}

pub(crate) fn hashes(items: &[Val<'_>]) -> Option<Vec<i64>> {
    let mut hashes = Vec::with_capacity(items.len());
    for item in items {
        hashes.push(match item {
            Val::Pair(_) | Val::Cell(_) | Val::Triple(_) => hash_of_place(item),
            _ => hash(item)?,
        });
    }
    Some(hashes)
}

fn hash_row(row: &[i8]) -> i64 {
    hash_tuple(row.iter().map(|v| hash_int(i64::from(*v))), row.len())
}

#[inline]
pub(crate) fn hash_cell(form: CellForm, (colour, i, j): (i8, i64, i64)) -> i64 {
    let colour = hash_int(i64::from(colour));
    match form {
        CellForm::Nested => hash_tuple([colour, hash_pair(i, j)].into_iter(), 2),
        CellForm::Flat => hash_tuple([hash_int(i), hash_int(j), colour].into_iter(), 3),
    }
}

fn hash_object(object: &Object<'_>) -> i64 {
    let hashes = object.cells().map(|cell| hash_cell(object.form, cell));
    hash_frozenset(hashes, object.patch.len())
}
