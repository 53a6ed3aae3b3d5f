//! From a program and a sample to an outcome.

use std::rc::Rc;

use leyden_dsl::meter::CancelToken;
use leyden_dsl::value::Value;
use leyden_grid::Grid as TaskGrid;
use leyden_lang::{Input, Op, Operand, Program};

use super::value::{Grid, Val};
use super::{EXACT, GaveUp, R, Vm};
use crate::engine::Sample;
use crate::outcome::{Outcome, OutputGrid};

/// Runs a program, or says where only the exact engine can tell.
///
/// Which elements of a set a function is called on can depend on the order, so the two engines
/// may burn slightly different amounts of fuel. Half a tank is margin enough: a run that needs
/// more here is decided by the exact engine.
pub(crate) fn run(
    program: &Program,
    sample: &Sample<'_>,
    fuel: u64,
    cancel: &CancelToken,
) -> Result<Outcome, GaveUp> {
    let mut vm = Vm::new(program.dialect, fuel / 2, cancel.clone());
    let mut values = Vec::with_capacity(program.lines.len());
    let inputs = Inputs::new(program, sample);
    for line in &program.lines {
        match vm.run_line(&line.op, &values, &inputs) {
            Ok(value) => values.push(value),
            Err(stop) => {
                let line = values.len() as u32;
                return match stop.take_fault() {
                    Some(fault) => Ok(Outcome::Fault { fault, line }),
                    None => Err(GaveUp {
                        line,
                        prim: vm.stopped_by,
                    }),
                };
            }
        }
    }
    outcome(&read(&program.output, &values, &inputs)).ok_or(GaveUp {
        line: program.lines.len() as u32,
        prim: None,
    })
}

/// The values of `I`, `S` and `C`, made only where a program names them.
struct Inputs {
    values: [Val; 3],
}

impl Inputs {
    fn new(program: &Program, sample: &Sample<'_>) -> Inputs {
        let when = |input: Input, make: &dyn Fn() -> Val| {
            if program.inputs.contains(&input) {
                make()
            } else {
                Val::None
            }
        };
        let demo = |pair: &leyden_grid::Pair| Val::two(grid(&pair.input), grid(&pair.output));
        Inputs {
            values: [
                grid(sample.input),
                when(Input::S, &|| {
                    Val::tuple(sample.demos.iter().map(demo).collect())
                }),
                when(Input::C, &|| sample.expected.map_or(Val::None, grid)),
            ],
        }
    }

    fn get(&self, input: Input) -> &Val {
        match input {
            Input::I => &self.values[0],
            Input::S => &self.values[1],
            Input::C => &self.values[2],
        }
    }
}

fn grid(grid: &TaskGrid) -> Val {
    let cells: Vec<i8> = grid.cells().iter().map(|v| *v as i8).collect();
    Val::Grid(Rc::new(Grid::new(grid.height(), grid.width(), cells)))
}

fn read(operand: &Operand, values: &[Val], inputs: &Inputs) -> Val {
    match operand {
        Operand::Var(k) => values[*k as usize].clone(),
        Operand::Input(input) => inputs.get(*input).clone(),
        Operand::Const(id) => Val::constant(id.value()),
        Operand::Int(n) => Val::Int(*n),
        Operand::None => Val::None,
        Operand::Prim(prim) => Val::Prim(prim.entry()),
    }
}

/// Borrows a variable or input; makes room for anything else.
fn borrow<'a>(
    operand: &Operand,
    values: &'a [Val],
    inputs: &'a Inputs,
    room: &'a mut Val,
) -> &'a Val {
    match operand {
        Operand::Var(k) => &values[*k as usize],
        Operand::Input(input) => inputs.get(*input),
        _ => {
            *room = read(operand, values, inputs);
            room
        }
    }
}

impl Vm {
    fn run_line(&mut self, op: &Op, values: &[Val], inputs: &Inputs) -> R {
        match op {
            Op::Copy(operand) => Ok(read(operand, values, inputs)),
            Op::Tuple(items) => Ok(Val::tuple(
                items
                    .iter()
                    .map(|item| read(item, values, inputs))
                    .collect(),
            )),
            Op::Call { callee, args } => {
                let mut room = [const { Val::None }; 4];
                let [a, b, c, d] = &mut room;
                let get = |k: usize, room| borrow(&args[k], values, inputs, room);
                match args.len() {
                    1 => self.run_call(callee, &[get(0, a)], values, inputs),
                    2 => self.run_call(callee, &[get(0, a), get(1, b)], values, inputs),
                    3 => self.run_call(callee, &[get(0, a), get(1, b), get(2, c)], values, inputs),
                    4 => self.run_call(
                        callee,
                        &[get(0, a), get(1, b), get(2, c), get(3, d)],
                        values,
                        inputs,
                    ),
                    _ => Err(EXACT),
                }
            }
        }
    }

    fn run_call(&mut self, callee: &Operand, args: &[&Val], values: &[Val], inputs: &Inputs) -> R {
        match callee {
            Operand::Prim(prim) => self.call_prim(*prim, args),
            _ => self.call(&read(callee, values, inputs), args),
        }
    }
}

/// The outcome of a value, unless it has an order that this engine does not know.
fn outcome(value: &Val) -> Option<Outcome> {
    if let Some(grid) = value.as_grid() {
        return Some(Outcome::Grid(OutputGrid::rectangle(
            grid.width(),
            grid.cells(),
        )));
    }
    plain(value).map(|value| Outcome::of_value(&value))
}

/// The same value for the reference engine, if it has no sets or functions.
fn plain(value: &Val) -> Option<Value> {
    Some(match value {
        Val::None => Value::None,
        Val::Bool(b) => Value::Bool(b.get()),
        Val::Int(n) => Value::Int(*n),
        Val::Prim(entry) => Value::Prim(entry.prim),
        _ if value.is_tuple() => {
            let items = value.elements()?;
            Value::tuple(items.iter().map(plain).collect::<Option<Vec<_>>>()?).ok()?
        }
        _ if value.is_empty_set() => Value::set(Default::default()).ok()?,
        _ => return None,
    })
}
