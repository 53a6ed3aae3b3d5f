//! From the value of a run to its outcome.

use std::sync::Arc;

use leyden_dsl::codec;
use leyden_dsl::value::Value;
use serde_json::Value as Json;

use crate::outcome::{Outcome, OutputGrid};
use crate::vm::Vm;
use crate::vm::values::value::Val;

/// The outcome of a value, unless the value has an order that this engine does not know.
pub(crate) fn outcome<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> Option<Outcome> {
    if let Some(grid) = value.as_grid(vm.arena) {
        return Some(Outcome::Grid(OutputGrid::rectangle(
            grid.width(),
            grid.cells(),
        )));
    }
    if let Some(grid) = grid_of_any_rows(vm, value) {
        return Some(Outcome::Grid(grid));
    }
    let json = encoded(vm, value, MOST_LEVELS, &mut { MOST_PARTS })?;
    Some(Outcome::Value(Arc::new(json)))
}

/// Reads a rectangle of small numbers where it lies, by its width and its cells. Any other value is an
/// outcome.
pub(crate) fn read_or_outcome<'a, T>(
    vm: &mut Vm<'a>,
    value: &Val<'a>,
    read: impl Fn(usize, &[i8]) -> T,
) -> Option<Result<T, Outcome>> {
    match value {
        Val::Grid(grid) => Some(Ok(read(grid.width(), grid.cells()))),
        _ => outcome(vm, value).map(Err),
    }
}

/// The value as [`codec::encode`] writes it. There is none if the value has more levels or parts than are
/// left, or a set of unknown order.
fn encoded<'a>(
    vm: &mut Vm<'a>,
    value: &Val<'a>,
    n_levels: u32,
    n_left: &mut usize,
) -> Option<Json> {
    let n_levels = n_levels.checked_sub(1)?;
    *n_left = n_left.checked_sub(1)?;
    Some(match value {
        Val::None => codec::encode(&Value::None),
        Val::Bool(b) => codec::encode(&Value::Bool(b.get())),
        Val::Int(n) => codec::encode(&Value::Int(*n)),
        Val::Float(x) => codec::encode(&Value::Float(x.get())),
        Val::Prim(entry) => codec::encode(&Value::Prim(entry.prim)),
        Val::Func(_) => codec::encode_lambda(),
        _ => {
            let items = vm.in_order(value)?;
            let items = items.iter().map(|item| encoded(vm, item, n_levels, n_left));
            let items = items.collect::<Option<Vec<_>>>()?;
            if value.is_set() {
                codec::encode_set(items)
            } else {
                Json::Array(items)
            }
        }
    })
}

/// A non-empty tuple of non-empty tuples of numbers.
fn grid_of_any_rows<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> Option<OutputGrid> {
    let is_filled_tuple = |value: &Val<'a>| value.is_tuple() && value.len() != Some(0);
    if !is_filled_tuple(value) {
        return None;
    }
    let (mut rows, mut cells, mut are_small) = (Vec::new(), Vec::new(), true);
    for row in vm.in_order(value)? {
        if !is_filled_tuple(row) {
            return None;
        }
        let row = vm.in_order(row)?;
        let mut are_numbers = true;
        cells.extend(row.iter().map(|item| match item {
            Val::Int(n) => {
                are_small &= i64::from(*n as i8) == *n;
                *n as i8
            }
            _ => {
                are_numbers = false;
                0
            }
        }));
        if !are_numbers {
            return None;
        }
        rows.push(row);
    }
    if are_small {
        let widths = rows.iter().map(|row| row.len() as u32).collect();
        return Some(OutputGrid::of_small_rows(widths, cells));
    }
    let row = |row: &&[Val<'a>]| row.iter().filter_map(Val::as_int).collect();
    Some(OutputGrid::of_rows(rows.iter().map(row).collect()))
}

/// The most parts of a value that becomes a tree here. The reference engine encodes larger ones, because
/// it shares equal parts: a value that doubles at every line has very many of them.
const MOST_PARTS: usize = 1 << 16;

/// The most levels of such a value, far fewer than the reference engine allows.
const MOST_LEVELS: u32 = 200;

/// The value in the reference engine's form, if it has no sets or functions and no more parts than are
/// left.
pub(crate) fn plain<'a>(vm: &mut Vm<'a>, value: &Val<'a>, n_left: &mut usize) -> Option<Value> {
    *n_left = n_left.checked_sub(1)?;
    Some(match value {
        Val::None => Value::None,
        Val::Bool(b) => Value::Bool(b.get()),
        Val::Int(n) => Value::Int(*n),
        Val::Float(x) => Value::Float(x.get()),
        Val::Prim(entry) => Value::Prim(entry.prim),
        _ if value.is_tuple() => {
            let items = vm.in_order(value)?;
            let items = items.iter().map(|item| plain(vm, item, n_left));
            Value::tuple(items.collect::<Option<Vec<_>>>()?).ok()?
        }
        _ if value.is_empty_set() => Value::set(Default::default()).ok()?,
        _ => return None,
    })
}
