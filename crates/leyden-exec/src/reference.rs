//! The naive interpreter: one line after the other, exactly as CPython would.

use leyden_dsl::cx::{Cx, call};
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, Meter};
use leyden_dsl::value::Value;
use leyden_grid::Grid;
use leyden_lang::{Input, Op, Operand, Program};

use crate::engine::Sample;
use crate::outcome::{Outcome, Ran};
use crate::record::{self, Work};

/// Runs a program on a sample.
pub fn run(program: &Program, sample: &Sample<'_>, fuel: u64, cancel: &CancelToken) -> Outcome {
    run_metered(program, sample, fuel, cancel).outcome
}

/// The same, with the fuel it took.
pub fn run_metered(program: &Program, sample: &Sample<'_>, fuel: u64, cancel: &CancelToken) -> Ran {
    let mut cx = Cx {
        meter: Meter::new(fuel, cancel.clone()),
        dialect: program.dialect,
        observer: record::observer(),
    };
    let outcome = match evaluate(&mut cx, program, sample) {
        Ok(value) => {
            record::work(Work::Outcomes);
            Outcome::of_value(&value)
        }
        Err((fault, line)) => Outcome::Fault { fault, line },
    };
    Ran {
        outcome,
        fuel: cx.meter.used(),
    }
}

/// Every value on the way: those of the lines, in their order, and the result. After a line that
/// faults there is nothing more.
pub fn trace(
    program: &Program,
    sample: &Sample<'_>,
    fuel: u64,
    cancel: &CancelToken,
) -> Vec<Result<Value, Fault>> {
    let mut cx = Cx {
        meter: Meter::new(fuel, cancel.clone()),
        dialect: program.dialect,
        observer: None,
    };
    let mut values: Vec<Value> = Vec::with_capacity(program.lines.len());
    for line in &program.lines {
        let read = |operand: &Operand| read(operand, &values, sample);
        match value_of(&mut cx, &line.op, read) {
            Ok(value) => values.push(value),
            Err(fault) => return values.into_iter().map(Ok).chain([Err(fault)]).collect(),
        }
    }
    let output = read(&program.output, &values, sample);
    values.into_iter().map(Ok).chain([output]).collect()
}

fn evaluate(cx: &mut Cx, program: &Program, sample: &Sample<'_>) -> Result<Value, (Fault, u32)> {
    let mut values: Vec<Value> = Vec::with_capacity(program.lines.len());
    let ended = run_lines(cx, program, sample, &mut values);
    let lines = (0..).zip(&program.lines).zip(values);
    record::freeing(lines.map(|((k, line), value)| (k, &line.op, value)));
    ended
}

fn run_lines(
    cx: &mut Cx,
    program: &Program,
    sample: &Sample<'_>,
    values: &mut Vec<Value>,
) -> Result<Value, (Fault, u32)> {
    for (k, line) in program.lines.iter().enumerate() {
        let k = k as u32;
        let read = |operand: &Operand| read(operand, values, sample);
        let value = record::on_reference_line(k, &line.op, || value_of(cx, &line.op, read));
        values.push(value.map_err(|fault| (fault, k))?);
    }
    read(&program.output, values, sample).map_err(|fault| (fault, program.lines.len() as u32))
}

/// What an operation gives.
pub(crate) fn value_of(
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

fn read(operand: &Operand, values: &[Value], sample: &Sample<'_>) -> Result<Value, Fault> {
    match operand {
        Operand::Var(k) => Ok(values[*k as usize].clone()),
        Operand::Input(input) => input_value(*input, sample),
        _ => Ok(constant(operand)),
    }
}

/// The value of an operand that needs no sample; `None` for one that does.
pub(crate) fn constant(operand: &Operand) -> Value {
    match operand {
        Operand::Const(id) => Value::from(id.value()),
        Operand::Int(n) => Value::Int(*n),
        Operand::Prim(prim) => Value::Prim(*prim),
        Operand::None | Operand::Var(_) | Operand::Input(_) => Value::None,
    }
}

/// The value of an input.
pub(crate) fn input_value(input: Input, sample: &Sample<'_>) -> Result<Value, Fault> {
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
