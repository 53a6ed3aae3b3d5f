//! Programs, ready to run: what every run would find out anew is found out once.
//!
//! A [`Program`] is made for reading: operands of six kinds, lists of them spread over memory, the
//! place in the source beside each. Here everything that a line reads lies in one row of values, first
//! the inputs, then what the lines gave, then the constants, and a line that calls a primitive knows
//! its kernel and what that costs.

use leyden_dsl::table::{Cost, Dialect, Prim};
use leyden_lang::{Input, Op, Operand, Program};

use crate::record::Label;
use crate::vm::run::call::{COSTS, Kernel, Kernels};
use crate::vm::values::inputs::constant;
use crate::vm::values::value::Val;
use crate::vm::{R, Vm};

/// The number of a value in the row.
pub(crate) type Slot = u32;

/// The place of the first line's value, right after the inputs.
pub(crate) const FIRST_LINE: usize = Input::ALL.len();

/// The most arguments that a primitive has.
const MOST_ARGS: usize = 4;

/// A program that is run more than once, ready for that.
///
/// ```
/// use leyden_exec::{Engine, Ready, Sample};
/// use leyden_grid::Grid;
///
/// let source = "def solve_0a1b2c3d(I):\n    O = hconcat(I, vmirror(I))\n    return O\n";
/// let program = leyden_lang::parse(source, "mine.py", None).unwrap().remove(0);
/// let (engine, ready) = (Engine::default(), Ready::of(&program));
/// for row in [vec![1, 2], vec![3, 4, 5]] {
///     let input = Grid::from_rows(&[row]).unwrap();
///     let sample = Sample::of(&input);
///     assert_eq!(engine.run_ready(&ready, &sample), Ok(engine.run_metered(&program, &sample)));
/// }
/// ```
#[derive(Debug)]
pub struct Ready {
    pub(crate) dialect: Dialect,
    /// Does it see the demonstrations?
    pub(crate) sees_demos: bool,
    pub(crate) constants: Vec<Val<'static>>,
    pub(crate) lines: Vec<Line>,
    pub(crate) output: Slot,
}

/// What a line does.
#[derive(Debug)]
pub(crate) enum Line {
    Call(Call),
    CallValue {
        callee: Slot,
        args: Args,
    },
    Tuple(Box<[Slot]>),
    Copy(Slot),
    /// A call of more arguments than anything takes.
    Unknown(Label),
}

/// A call of a primitive.
#[derive(Debug)]
pub(crate) struct Call {
    /// Runs the line.
    pub(crate) runner: Runner,
    pub(crate) kernel: Kernel,
    pub(crate) args: [Slot; MOST_ARGS],
    pub(crate) prim: Prim,
    cost: Cost,
}

/// Runs a line that calls a primitive, given all values of the row.
pub(crate) type Runner = for<'a> fn(&mut Vm<'a>, &Call, &[Val<'a>]) -> R<'a>;

const UNIT: u8 = 0;
const LINEAR: u8 = 1;
const OTHER: u8 = 2;

/// Runs a call of so many arguments that costs what most calls cost: nothing of that has to be looked at
/// when the line runs, so there is less that a processor may guess wrongly.
fn run_call<'a, const N_ARGS: usize, const COST: u8>(
    vm: &mut Vm<'a>,
    call: &Call,
    values: &[Val<'a>],
) -> R<'a> {
    let args: [Val<'a>; N_ARGS] = std::array::from_fn(|k| values[call.args[k] as usize]);
    let cost = match COST {
        UNIT => Cost::Unit,
        LINEAR => Cost::Linear,
        _ => call.cost,
    };
    vm.call_kernel(call.kernel, cost, call.prim, &args)
}

fn runner(n_args: u8, cost: Cost) -> Runner {
    match n_args {
        0 => runner_of::<0>(cost),
        1 => runner_of::<1>(cost),
        2 => runner_of::<2>(cost),
        3 => runner_of::<3>(cost),
        _ => runner_of::<MOST_ARGS>(cost),
    }
}

fn runner_of<const N_ARGS: usize>(cost: Cost) -> Runner {
    match cost {
        Cost::Unit => run_call::<N_ARGS, UNIT>,
        Cost::Linear => run_call::<N_ARGS, LINEAR>,
        _ => run_call::<N_ARGS, OTHER>,
    }
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) slots: [Slot; MOST_ARGS],
    pub(crate) n: u8,
}

impl Line {
    /// What the recorder calls it.
    pub(crate) fn label(&self) -> Label {
        match self {
            Line::Call(call) => Label::Prim(call.prim),
            Line::CallValue { .. } => Label::Call,
            Line::Tuple(_) => Label::Tuple,
            Line::Copy(_) => Label::Copy,
            Line::Unknown(label) => *label,
        }
    }
}

impl Ready {
    /// A program, made ready.
    pub fn of(program: &Program) -> Ready {
        let mut reader = Reader {
            kernels: Kernels::of(program.dialect),
            constants: Vec::with_capacity(2 * program.lines.len()),
            first_constant: FIRST_LINE + program.lines.len(),
        };
        let lines = program.ops().map(|op| reader.line(op)).collect();
        let output = reader.slot(&program.output);
        Ready {
            dialect: program.dialect,
            sees_demos: program.inputs.contains(&Input::S),
            constants: reader.constants,
            lines,
            output,
        }
    }
}

/// Gives operands their places in the row.
struct Reader {
    kernels: &'static Kernels,
    constants: Vec<Val<'static>>,
    first_constant: usize,
}

impl Reader {
    fn slot(&mut self, operand: &Operand) -> Slot {
        match operand {
            Operand::Input(input) => *input as Slot,
            Operand::Var(k) => FIRST_LINE as Slot + k,
            _ => {
                self.constants.push(constant(operand));
                (self.first_constant + self.constants.len() - 1) as Slot
            }
        }
    }

    fn line(&mut self, op: &Op) -> Line {
        match op {
            Op::Copy(operand) => Line::Copy(self.slot(operand)),
            Op::Tuple(items) => Line::Tuple(items.iter().map(|item| self.slot(item)).collect()),
            Op::Call { callee, args } => match (callee, self.args(args)) {
                (Operand::Prim(prim), Some(args)) => self.call(*prim, args),
                (Operand::Prim(prim), None) => Line::Unknown(Label::Prim(*prim)),
                (_, Some(args)) => Line::CallValue {
                    callee: self.slot(callee),
                    args,
                },
                (_, None) => Line::Unknown(Label::Call),
            },
        }
    }

    fn args(&mut self, operands: &[Operand]) -> Option<Args> {
        let mut slots = [0; MOST_ARGS];
        let room = slots.get_mut(..operands.len())?;
        for (slot, operand) in room.iter_mut().zip(operands) {
            *slot = self.slot(operand);
        }
        let n = operands.len() as u8;
        Some(Args { slots, n })
    }

    fn call(&self, prim: Prim, args: Args) -> Line {
        let cost = COSTS[prim as usize];
        Line::Call(Call {
            runner: runner(args.n, cost),
            kernel: self.kernels.calls[prim as usize],
            args: args.slots,
            prim,
            cost,
        })
    }
}
