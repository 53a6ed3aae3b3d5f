//! The compiled form of programs.
//!
//! A [`Program`] is made for reading: operands of six kinds, in lists all over memory, each with its
//! position in the source. The compiled form settles before the first run whatever does not depend on
//! a sample. A line knows its kernel, the price of the call and where each argument lies.

use leyden_dsl::table::{Cost, Dialect, Prim};
use leyden_lang::{Input, Op, Operand, Program};

use crate::record::Label;
use crate::vm::run::call::{COSTS, Kernel, Kernels};
use crate::vm::values::inputs::{Inputs, constant};
use crate::vm::values::value::{Arena, Val};
use crate::vm::{R, Vm};

/// The most arguments of a primitive.
const MOST_ARGS: usize = 4;

/// A compiled program, for any number of runs.
///
/// ```
/// use leyden_exec::{Engine, Ready, Sample};
/// use leyden_grid::Grid;
///
/// let source = "def solve_0a1b2c3d(I):\n    O = hconcat(I, vmirror(I))\n    return O\n";
/// let program = leyden_lang::parse(source, "mine.py", None).unwrap().remove(0);
/// let (engine, ready) = (Engine::default(), Ready::of(&program));
/// for cells in [[1, 2], [3, 4]] {
///     let input = Grid::from_rows(&[cells.to_vec()]).unwrap();
///     let sample = Sample::of(&input);
///     assert_eq!(engine.run_ready(&ready, &sample), Ok(engine.run_metered(&program, &sample)));
/// }
/// ```
#[derive(Debug)]
pub struct Ready {
    pub(crate) dialect: Dialect,
    pub(crate) reads_demos: bool,
    pub(crate) constants: Vec<Val<'static>>,
    pub(crate) lines: Vec<Line>,
    pub(crate) output: Slot,
    /// The number of written lines.
    pub(crate) n_lines: u32,
}

/// One computation of a program. In a battery these may be other lines than the written ones: merging
/// leaves out repetitions.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) act: Act,
    /// The number of the first written line that needs it.
    pub(crate) number: u32,
    /// Its number in the battery; in a program alone the number of its line.
    pub(crate) node: u32,
}

/// The operation of a line.
#[derive(Debug)]
pub(crate) enum Act {
    Call(Call),
    CallValue {
        callee: Slot,
        args: Args,
    },
    Tuple(Box<[Slot]>),
    Copy(Slot),
    /// A call with more arguments than any callable takes.
    TooManyArgs(Label),
    /// Several programs need this node of the battery. It runs once for all of them.
    Shared(u32),
}

/// The place of a value in the row of a run: first the results of all lines, then the inputs, then the
/// constants.
pub(crate) type Slot = u32;

/// A call of a primitive.
#[derive(Debug)]
pub(crate) struct Call {
    runner: Runner,
    kernel: Kernel,
    args: [Slot; MOST_ARGS],
    prim: Prim,
    cost: Cost,
}

impl Call {
    #[inline(always)]
    pub(crate) fn run<'a>(&self, vm: &mut Vm<'a>, row: &[Val<'a>]) -> R<'a> {
        (self.runner)(vm, self, row)
    }
}

/// Runs a call of a primitive, given the row of values.
type Runner = for<'a> fn(&mut Vm<'a>, &Call, &[Val<'a>]) -> R<'a>;

const UNIT: u8 = 0;
const LINEAR: u8 = 1;
const OTHER: u8 = 2;

/// Runs a call with `N_ARGS` arguments and this kind of price. The compiler of a program knows both, so the
/// processor has fewer branches to foresee.
fn run_call<'a, const N_ARGS: usize, const COST: u8>(
    vm: &mut Vm<'a>,
    call: &Call,
    row: &[Val<'a>],
) -> R<'a> {
    let args: [Val<'a>; N_ARGS] = std::array::from_fn(|k| row[call.args[k] as usize]);
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
    slots: [Slot; MOST_ARGS],
    n: u8,
}

impl Args {
    /// The arguments in a room for the most, and their number.
    pub(crate) fn read<'a>(&self, row: &[Val<'a>]) -> ([Val<'a>; MOST_ARGS], usize) {
        let n = usize::from(self.n);
        let read = |k: usize| {
            if k < n {
                row[self.slots[k] as usize]
            } else {
                Val::None
            }
        };
        (std::array::from_fn(read), n)
    }
}

impl Act {
    /// The recorder's name for it.
    pub(crate) fn label(&self) -> Label {
        match self {
            Act::Call(call) => Label::Prim(call.prim),
            Act::CallValue { .. } => Label::Call,
            Act::Tuple(_) => Label::Tuple,
            Act::Copy(_) | Act::Shared(_) => Label::Copy,
            Act::TooManyArgs(label) => *label,
        }
    }
}

impl Ready {
    /// Compiles a program.
    pub fn of(program: &Program) -> Ready {
        let mut compiler = Compiler::new(program.dialect, program.lines.len(), |k| k);
        let line = |(k, op)| Line {
            act: compiler.act(op),
            number: k,
            node: k,
        };
        let lines: Vec<Line> = (0..).zip(program.ops()).map(line).collect();
        Ready {
            dialect: program.dialect,
            reads_demos: program.inputs.contains(&Input::S),
            output: compiler.slot(&program.output),
            constants: compiler.constants,
            n_lines: program.lines.len() as u32,
            lines,
        }
    }
}

/// The row of values for a run: inputs and constants in their places, and room for the results of lines.
#[inline]
pub(crate) fn row_of_values<'a>(
    arena: Arena<'a>,
    n_results: usize,
    inputs: &Inputs<'a>,
    constants: &[Val<'static>],
) -> &'a mut [Val<'a>] {
    let first_constant = n_results + Input::ALL.len();
    let row = arena.alloc_slice_fill_copy(first_constant + constants.len(), Val::None);
    row[n_results..first_constant].copy_from_slice(inputs.all());
    row[first_constant..].copy_from_slice(constants);
    row
}

/// Compiles operations.
pub(crate) struct Compiler<V> {
    dialect: Dialect,
    /// The place of the result that an `Operand::Var` names.
    var: V,
    /// The number of results in the row.
    n_results: usize,
    pub(crate) constants: Vec<Val<'static>>,
}

impl<V: Fn(u32) -> Slot> Compiler<V> {
    /// A compiler for a row with that many results.
    pub(crate) fn new(dialect: Dialect, n_results: usize, var: V) -> Compiler<V> {
        Compiler {
            dialect,
            var,
            n_results,
            constants: Vec::with_capacity(2 * n_results),
        }
    }

    /// Speaks a dialect from now on.
    pub(crate) fn speak(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// The place of an operand's value.
    pub(crate) fn slot(&mut self, operand: &Operand) -> Slot {
        match operand {
            Operand::Var(k) => (self.var)(*k),
            Operand::Input(input) => self.n_results as Slot + *input as Slot,
            _ => {
                self.constants.push(constant(operand));
                (self.n_results + Input::ALL.len() + self.constants.len() - 1) as Slot
            }
        }
    }

    pub(crate) fn act(&mut self, op: &Op) -> Act {
        match op {
            Op::Copy(operand) => Act::Copy(self.slot(operand)),
            Op::Tuple(items) => Act::Tuple(items.iter().map(|item| self.slot(item)).collect()),
            Op::Call { callee, args } => match (callee, self.args(args)) {
                (Operand::Prim(prim), Some(args)) => self.call(*prim, args),
                (Operand::Prim(prim), None) => Act::TooManyArgs(Label::Prim(*prim)),
                (_, Some(args)) => Act::CallValue {
                    callee: self.slot(callee),
                    args,
                },
                (_, None) => Act::TooManyArgs(Label::Call),
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

    fn call(&self, prim: Prim, args: Args) -> Act {
        let cost = COSTS[prim as usize];
        Act::Call(Call {
            runner: runner(args.n, cost),
            kernel: Kernels::of(self.dialect).calls[prim as usize],
            args: args.slots,
            prim,
            cost,
        })
    }
}
