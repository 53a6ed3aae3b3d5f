//! The naive interpreter: one line after the other, exactly as CPython would.

use leyden_dsl::cx::{Cx, call};
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, Meter};
use leyden_dsl::value::Value;
use leyden_grid::Grid;
use leyden_lang::{Input, Op, Operand, Program};

use crate::engine::Sample;
use crate::outcome::Outcome;
use crate::record;

/// Runs a program on a sample.
pub fn run(program: &Program, sample: &Sample<'_>, fuel: u64, cancel: &CancelToken) -> Outcome {
    let mut cx = Cx {
        meter: Meter::new(fuel, cancel.clone()),
        dialect: program.dialect,
        observer: record::observer(),
    };
    match evaluate(&mut cx, program, sample) {
        Ok(value) => Outcome::of_value(&value),
        Err((fault, line)) => Outcome::Fault { fault, line },
    }
}

fn evaluate(cx: &mut Cx, program: &Program, sample: &Sample<'_>) -> Result<Value, (Fault, u32)> {
    let mut values: Vec<Value> = Vec::with_capacity(program.lines.len());
    for (k, line) in program.lines.iter().enumerate() {
        let at = |fault| (fault, k as u32);
        let read = |operand: &Operand| read(operand, &values, sample);
        let value = match &line.op {
            Op::Copy(operand) => read(operand).map_err(at)?,
            Op::Tuple(items) => tuple(items, read).map_err(at)?,
            Op::Call { callee, args } => {
                let callee = read(callee).map_err(at)?;
                let args = args
                    .iter()
                    .map(read)
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(at)?;
                call(cx, &callee, &args).map_err(at)?
            }
        };
        values.push(value);
    }
    read(&program.output, &values, sample).map_err(|fault| (fault, program.lines.len() as u32))
}

fn tuple(
    items: &[Operand],
    read: impl Fn(&Operand) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    Value::tuple(items.iter().map(read).collect::<Result<_, _>>()?)
}

fn read(operand: &Operand, values: &[Value], sample: &Sample<'_>) -> Result<Value, Fault> {
    Ok(match operand {
        Operand::Var(k) => values[*k as usize].clone(),
        Operand::Const(id) => Value::from(id.value()),
        Operand::Int(n) => Value::Int(*n),
        Operand::None => Value::None,
        Operand::Prim(prim) => Value::Prim(*prim),
        Operand::Input(Input::I) => grid(sample.input),
        Operand::Input(Input::S) => demos(sample)?,
        Operand::Input(Input::C) => sample.expected.map_or(Value::None, grid),
    })
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
