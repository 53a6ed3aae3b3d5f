//! The loop of the fast engine: the lines of a program, alone or in a battery.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;

use crate::outcome::{Outcome, Ran};
use crate::record::{self, Key, Work};
use crate::vm::run::ready::{Act, Line, Ready, row_of_values};
use crate::vm::values::inputs::Inputs;
use crate::vm::values::value::{Arena, Val};
use crate::vm::{EXACT, GaveUp, Memo, R, Stop, Vm, with_arena};

/// The battery around a program that runs.
pub(crate) trait Neighbours<'a> {
    /// The fuel of a line that a cache makes needless.
    fn fuel_if_skipped(&self, line: usize) -> Option<u64>;

    /// Makes sure that a shared node has run, and returns its result and its fuel.
    fn settle(&mut self, node: u32) -> (Result<Val<'a>, NoValue>, u64);

    /// The program ran a line of its own. The line took so much fuel; its value is missing if it
    /// stopped.
    fn ran(&mut self, line: &Line, value: Option<&Val<'a>>, fuel: u64);
}

/// The reason why a shared node has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// CPython raises this, too.
    Fault(Fault),
    /// Only the reference engine can tell.
    Unsure,
}

/// No battery: the program runs alone.
struct Alone;

impl<'a> Neighbours<'a> for Alone {
    #[inline(always)]
    fn fuel_if_skipped(&self, _: usize) -> Option<u64> {
        None
    }

    fn settle(&mut self, _: u32) -> (Result<Val<'a>, NoValue>, u64) {
        (Err(NoValue::Unsure), 0)
    }

    #[inline(always)]
    fn ran(&mut self, _: &Line, _: Option<&Val<'a>>, _: u64) {}
}

/// The end of a run before its last line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt {
    /// The line, by its number.
    pub(crate) line: usize,
    pub(crate) reason: NoValue,
}

impl Halt {
    /// The outcome, with the fuel that the run took. There is none if the fast engine is not sure.
    pub(crate) fn ran(&self, program: &Ready, fuel: u64, left: u64) -> Option<Ran> {
        let line = program.lines[self.line].number;
        match self.reason {
            NoValue::Unsure => None,
            NoValue::Fault(Fault::Fuel) => Some(Ran::out_of_fuel(line, fuel)),
            NoValue::Fault(fault) => Some(Ran {
                outcome: Outcome::Fault { fault, line },
                fuel: fuel - left,
            }),
        }
    }
}

/// Runs a program alone, or says where only the reference engine can tell. `read` reads the value
/// while it is still there.
pub(crate) fn run_alone<T>(
    program: &Ready,
    inputs: impl for<'a> FnOnce(Arena<'a>) -> Inputs<'a>,
    fuel: u64,
    cancel: &CancelToken,
    read: impl for<'a> FnOnce(&mut Vm<'a>, &Val<'a>) -> Option<T>,
) -> Result<Ended<T>, GaveUp> {
    let memo = Memo::default();
    with_arena(|arena| {
        let mut vm = Vm::new(arena, &memo, program.dialect, fuel, cancel);
        record::work(Work::Inputs);
        let row = row_of_values(
            arena,
            program.lines.len(),
            &inputs(arena),
            &program.constants,
        );
        let output = match run_lines(&mut vm, program, row, &mut Alone) {
            Ok(output) => output,
            Err(halt) => return ended(&vm, program, &halt, fuel),
        };
        record::work(Work::Outcomes);
        let value = read(&mut vm, &output).ok_or_else(|| vm.gave_up(program.n_lines))?;
        Ok(Ended {
            value: Ok(value),
            fuel: fuel - vm.fuel,
        })
    })
}

/// The end of a run: the value as it was read, or a fault; and the fuel it took.
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

#[cold]
fn ended<T>(vm: &Vm<'_>, program: &Ready, halt: &Halt, fuel: u64) -> Result<Ended<T>, GaveUp> {
    record::work(Work::Faults);
    let line = program.lines[halt.line].number;
    let ran = halt.ran(program, fuel, vm.fuel);
    let ran = ran.ok_or_else(|| vm.gave_up(line))?;
    Ok(Ended {
        value: Err(ran.outcome),
        fuel: ran.fuel,
    })
}

/// Runs the lines of a program in their order, until one has no value or the fuel is used up, and
/// returns the program's output.
pub(crate) fn run_lines<'a>(
    vm: &mut Vm<'a>,
    program: &Ready,
    row: &mut [Val<'a>],
    neighbours: &mut impl Neighbours<'a>,
) -> Result<Val<'a>, Halt> {
    for (k, line) in program.lines.iter().enumerate() {
        if let Some(fuel) = neighbours.fuel_if_skipped(k) {
            vm.pay_for(k, fuel)?;
            continue;
        }
        if let Act::Shared(node) = line.act {
            let (result, fuel) = neighbours.settle(node);
            if !matches!(result, Err(NoValue::Unsure)) {
                vm.pay_for(k, fuel)?;
            }
            row[k] = result.map_err(|reason| Halt { line: k, reason })?;
            continue;
        }
        let left = vm.fuel;
        match vm.run_line(line, row) {
            Ok(value) => {
                row[k] = value;
                neighbours.ran(line, Some(&value), left - vm.fuel);
            }
            Err(stop) => {
                let halt = halt(k, stop);
                let fuel = match halt.reason {
                    NoValue::Fault(Fault::Fuel) => left,
                    _ => left - vm.fuel,
                };
                neighbours.ran(line, None, fuel);
                return Err(halt);
            }
        }
    }
    Ok(row[program.output as usize])
}

#[cold]
fn halt(line: usize, stop: Stop) -> Halt {
    let reason = stop.take_fault().map_or(NoValue::Unsure, NoValue::Fault);
    Halt { line, reason }
}

impl<'a> Vm<'a> {
    /// Pays for a line that ran before.
    #[inline]
    fn pay_for(&mut self, line: usize, fuel: u64) -> Result<(), Halt> {
        match self.fuel.checked_sub(fuel) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(Halt {
                line,
                reason: NoValue::Fault(Fault::Fuel),
            }),
        }
    }

    /// Runs a line; everything that it reads has a value.
    #[inline(always)]
    pub(crate) fn run_line(&mut self, line: &Line, row: &[Val<'a>]) -> R<'a> {
        if self.is_watched() {
            self.run_watched(line, row)
        } else {
            self.run_act(&line.act, row)
        }
    }

    #[cold]
    #[inline(never)]
    fn run_watched(&mut self, line: &Line, row: &[Val<'a>]) -> R<'a> {
        self.stopped_by = None;
        self.begin_line(Key::Node(line.node, line.act.label()));
        let result = self.run_act(&line.act, row);
        self.end_line(&result);
        result
    }

    #[inline(always)]
    fn run_act(&mut self, act: &Act, row: &[Val<'a>]) -> R<'a> {
        match act {
            Act::Call(call) => call.run(self, row),
            _ => self.run_other_act(act, row),
        }
    }

    /// An act that calls no primitive.
    #[inline(never)]
    fn run_other_act(&mut self, act: &Act, row: &[Val<'a>]) -> R<'a> {
        match act {
            Act::CallValue { callee, args } => {
                let (args, n) = args.read(row);
                self.call_in_own_line(&row[*callee as usize], &args[..n])
            }
            Act::Tuple(items) => {
                let items = items.iter().map(|item| row[*item as usize]);
                let items = self.arena.alloc_slice_fill_iter(items);
                self.tuple_of_line(items)
            }
            Act::Copy(slot) => Ok(row[*slot as usize]),
            Act::Call(_) | Act::TooManyArgs(_) | Act::Shared(_) => Err(EXACT),
        }
    }

    /// The place and the reason of a stop.
    #[cold]
    pub(crate) fn gave_up(&self, line: u32) -> GaveUp {
        GaveUp {
            line,
            prim: self.stopped_by,
            reason: self.hindrance,
        }
    }
}
