//! From a program and a sample to an outcome.

use std::sync::Arc;

use leyden_dsl::codec;
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_dsl::value::Value;
use leyden_grid::{Grid, GridRef, Pair};
use serde_json::Value as Json;

use crate::outcome::{Outcome, OutputGrid, Ran};
use crate::record::{self, Key, Work};
use crate::vm::run::ready::{FIRST_LINE, Line, Ready, Slot};
use crate::vm::values::inputs::Inputs;
use crate::vm::values::value::Val;
use crate::vm::{EXACT, GaveUp, Memo, R, Stop, Vm, with_arena};

/// Runs a program, or says where only the exact engine can tell.
///
/// What the run gave is read while it is still there.
pub(crate) fn run<T>(
    program: &Ready,
    given: Given<'_>,
    fuel: u64,
    cancel: &CancelToken,
    read: impl for<'a> Fn(&mut Vm<'a>, &Val<'a>) -> Option<T>,
) -> Result<Ended<T>, GaveUp> {
    let memo = Memo::default();
    with_arena(|arena| {
        let mut vm = Vm::new(arena, &memo, program.dialect, fuel, cancel);
        run_with(&mut vm, program, given, fuel, &read)
    })
}

/// What a program is given.
#[derive(Clone, Copy)]
pub(crate) struct Given<'g> {
    pub(crate) input: GridRef<'g>,
    pub(crate) demos: &'g [Pair],
    pub(crate) expected: Option<&'g Grid>,
}

/// How a run ended: with what was read from its value, or with a fault; and what it took.
pub(crate) struct Ended<T> {
    pub(crate) value: Result<T, Outcome>,
    pub(crate) fuel: u64,
}

impl Ended<Outcome> {
    pub(crate) fn ran(self) -> Ran {
        Ran {
            outcome: self.value.unwrap_or_else(|fault| fault),
            fuel: self.fuel,
        }
    }
}

fn run_with<'a, T>(
    vm: &mut Vm<'a>,
    program: &Ready,
    given: Given<'_>,
    fuel: u64,
    read: &impl Fn(&mut Vm<'a>, &Val<'a>) -> Option<T>,
) -> Result<Ended<T>, GaveUp> {
    record::work(Work::Inputs);
    let values = row_of_values(vm, program, given);
    for (k, line) in program.lines.iter().enumerate() {
        let value = match vm.is_watched() {
            true => vm.run_line_watched(k as u32, line, values),
            false => vm.run_line(line, values),
        };
        match value {
            Ok(value) => values[FIRST_LINE + k] = value,
            Err(stop) => return stopped(vm, k as u32, stop, fuel),
        }
    }
    record::work(Work::Outcomes);
    let output = values[program.output as usize];
    let value = read(vm, &output).ok_or(GaveUp {
        line: program.lines.len() as u32,
        prim: None,
        reason: vm.hindrance,
    })?;
    Ok(Ended {
        value: Ok(value),
        fuel: fuel - vm.fuel,
    })
}

/// What lines read, as far as it is known before the first one, and room for what they give.
#[inline]
fn row_of_values<'a>(vm: &Vm<'a>, program: &Ready, given: Given<'_>) -> &'a mut [Val<'a>] {
    let arena = vm.arena;
    let (input, expected) = (given.input, given.expected);
    let inputs = match program.sees_demos {
        true => Inputs::of_task(arena, given.demos, expected).with(arena, input),
        false if expected.is_some() => Inputs::of_task(arena, &[], expected).with(arena, input),
        false => Inputs::alone(arena, input),
    };
    let first_constant = FIRST_LINE + program.lines.len();
    let n_values = first_constant + program.constants.len();
    let values = arena.alloc_slice_fill_copy(n_values, Val::None);
    values[..FIRST_LINE].copy_from_slice(inputs.all());
    values[first_constant..].copy_from_slice(&program.constants);
    values
}

/// The end of a run in a line that gave no value.
#[cold]
fn stopped<T>(vm: &Vm<'_>, line: u32, stop: Stop, fuel: u64) -> Result<Ended<T>, GaveUp> {
    record::work(Work::Faults);
    match stop.take_fault() {
        Some(fault) => Ok(Ended {
            value: Err(Outcome::Fault { fault, line }),
            fuel: if fault == Fault::Fuel {
                fuel
            } else {
                fuel - vm.fuel
            },
        }),
        None => Err(GaveUp {
            line,
            prim: vm.stopped_by,
            reason: vm.hindrance,
        }),
    }
}

impl<'a> Vm<'a> {
    #[cold]
    #[inline(never)]
    fn run_line_watched(&mut self, number: u32, line: &Line, values: &[Val<'a>]) -> R<'a> {
        self.begin_line(Key::Node(number, line.label()));
        let result = self.run_line(line, values);
        self.end_line(&result);
        result
    }

    #[inline(always)]
    fn run_line(&mut self, line: &Line, values: &[Val<'a>]) -> R<'a> {
        match line {
            Line::Call(call) => (call.runner)(self, call, values),
            _ => self.run_other_line(line, values),
        }
    }

    /// A line that calls no primitive.
    #[inline(never)]
    fn run_other_line(&mut self, line: &Line, values: &[Val<'a>]) -> R<'a> {
        let get = |slot: Slot| values[slot as usize];
        match line {
            Line::CallValue { callee, args } => {
                let room = args.slots.map(get);
                let args = &room[..args.n.into()];
                self.call_in_own_line(&get(*callee), args)
            }
            Line::Tuple(items) => {
                let items = items.iter().map(|item| get(*item));
                let items = self.arena.alloc_slice_fill_iter(items);
                self.tuple_of_line(items)
            }
            Line::Copy(slot) => Ok(get(*slot)),
            Line::Call(_) | Line::Unknown(_) => Err(EXACT),
        }
    }
}

/// The outcome of a value, unless it has an order that this engine does not know.
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

/// The same; a rectangle of small numbers is read where it lies instead, by its width and its cells.
pub(crate) fn outcome_or<'a, T>(
    vm: &mut Vm<'a>,
    value: &Val<'a>,
    read: impl Fn(usize, &[i8]) -> T,
) -> Option<Result<T, Outcome>> {
    match value {
        Val::Grid(grid) => Some(Ok(read(grid.width(), grid.cells()))),
        _ => outcome(vm, value).map(Err),
    }
}

/// The value as [`codec::encode`] writes it, if it has no more levels and parts than are left and the
/// order of its sets is known.
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
            match value.is_set() {
                true => codec::encode_set(items),
                false => Json::Array(items),
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
    Some(match are_small {
        true => OutputGrid::of_small_rows(rows.iter().map(|row| row.len() as u32).collect(), cells),
        false => {
            let row = |row: &&[Val<'a>]| row.iter().filter_map(Val::as_int).collect();
            OutputGrid::of_rows(rows.iter().map(row).collect())
        }
    })
}

/// The most parts of a value that is handed over as a tree. Larger ones are the exact engine's: it
/// shares equal parts, of which a value that was doubled at every line has very many.
const MOST_PARTS: usize = 1 << 16;

/// How deep it may nest: far less than the exact engine allows.
const MOST_LEVELS: u32 = 200;

/// The same value for the reference engine, if it has no sets or functions and no more parts than
/// are left.
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
