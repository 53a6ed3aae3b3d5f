//! Operations on the reference engine's values.

use leyden_dsl::cx::{Cx, call};
use leyden_dsl::fault::Fault;
use leyden_dsl::value::Value;
use leyden_grid::Grid;
use leyden_lang::{Input, Op, Operand};

use crate::engine::Sample;

/// The value of an operation.
pub(super) fn value_of(
    cx: &mut Cx,
    op: &Op,
    read: impl Fn(&Operand) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    match op {
        Op::Copy(operand) => read(operand),
        Op::Tuple(items) => Value::tuple(items.iter().map(read).collect::<Result<_, _>>()?),
        Op::Call { callee, args } => {
            let callee = read(callee)?;
            let args = args.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            let outcome = call(cx, &callee, &args);
            cx.settled_line(outcome)
        }
    }
}

/// The value of an operand that needs no sample; `None` for one that does.
pub(super) fn constant(operand: &Operand) -> Value {
    match operand {
        Operand::Const(id) => Value::from(id.value()),
        Operand::Int(n) => Value::Int(*n),
        Operand::Prim(prim) => Value::Prim(*prim),
        Operand::None | Operand::Var(_) | Operand::Input(_) => Value::None,
    }
}

/// The value of an input.
pub(super) fn input_value(input: Input, sample: &Sample<'_>) -> Result<Value, Fault> {
    match input {
        Input::I => Ok(grid(sample.input)),
        Input::S => demos(sample),
        Input::C => Ok(sample.expected.map_or(Value::None, grid)),
    }
}

fn grid(grid: &Grid) -> Value {
    Value::grid(&grid.rows().collect::<Vec<_>>())
}

fn demos(sample: &Sample<'_>) -> Result<Value, Fault> {
    let pairs = sample
        .demos
        .iter()
        .map(|pair| Value::pair(grid(&pair.input), grid(&pair.output)));
    Value::tuple(pairs.collect::<Result<_, _>>()?)
}
