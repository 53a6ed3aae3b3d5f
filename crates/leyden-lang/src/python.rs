//! Prints programs as arc-dsl's Python.

use leyden_dsl::table::Dialect;

use crate::build::dialect_of;
use crate::parse::{CAUGHT, DEFAULT, DIALECT_COMMENT};
use crate::program::{Input, Op, Operand, Program};
use crate::text::{write_call, write_operand, write_tuple};

/// Prints a program as a Python function in arc-dsl's form. If the last line is the output, its
/// name is `O`.
pub fn print_python(program: &Program) -> String {
    let mut out = String::new();
    write_function(&mut out, program);
    out
}

/// Prints programs as a Python module with the imports that they need. If the names of programs do
/// not tell their dialects, comments do.
pub fn print_python_file(programs: &[Program]) -> String {
    let mut out = String::from(header(programs));
    let has_comments = !programs.iter().all(names_tell_dialect);
    let mut dialect = None;
    for program in programs {
        out.push_str("\n\n");
        if has_comments && dialect.replace(program.dialect) != Some(program.dialect) {
            out.push_str(&print_dialect(program.dialect.name()));
        }
        write_function(&mut out, program);
    }
    out
}

/// Prints a program as a Python function, with its dialect in a comment if the name does not tell
/// it.
pub fn print_python_alone(program: &Program) -> String {
    let mut out = String::new();
    if !names_tell_dialect(program) {
        out.push_str(&print_dialect(program.dialect.name()));
    }
    write_function(&mut out, program);
    out
}

/// Does the parser find the dialect without a comment, with any other programs in the file?
fn names_tell_dialect(program: &Program) -> bool {
    let is_open = program.inputs == [Input::S, Input::I, Input::C];
    program.dialect.is_classic() && !is_open && dialect_of(&program.name) == program.dialect
}

/// Prints the comment that names the dialect of the programs below it.
pub fn print_dialect(name: &str) -> String {
    format!("{DIALECT_COMMENT} {name}\n")
}

/// The import lines. re-arc keeps its constants in `dsl`.
fn header(programs: &[Program]) -> &'static str {
    let all_re_arc = programs
        .iter()
        .all(|program| program.dialect == Dialect::ReArc);
    if all_re_arc && !programs.is_empty() {
        "from dsl import *\n"
    } else if programs.iter().any(|program| program.dialect.lines_catch()) {
        "from dsl import *\nfrom constants import *\nfrom safe_dsl import _get_safe_default\n"
    } else {
        "from dsl import *\nfrom constants import *\n"
    }
}

fn write_function(out: &mut String, program: &Program) {
    let inputs: Vec<&str> = program.inputs.iter().map(|input| input.name()).collect();
    out.push_str(&format!("def {}({}):\n", program.name, inputs.join(", ")));
    let names = Names::of(program);
    for (k, op) in program.ops().enumerate() {
        let variable = Operand::Var(k as u32);
        let mut assigned = String::new();
        names.write(&mut assigned, variable);
        let mut value = String::new();
        names.write_op(&mut value, op);
        match op {
            Op::Call { callee, .. } if program.dialect.lines_catch() && op.calls_a_value() => {
                let mut name = String::new();
                write_operand(&mut name, *callee);
                write_caught(out, &assigned, &value, &name);
            }
            _ => out.push_str(&format!("    {assigned} = {value}\n")),
        }
    }
    out.push_str("    return ");
    names.write(out, program.output);
    out.push('\n');
}

/// Writes a call in a `try`, as in tokpidjin's generated files.
pub(crate) fn write_caught(out: &mut String, assigned: &str, value: &str, callee: &str) {
    let caught = CAUGHT.join(", ");
    out.push_str(&format!(
        "    try:\n        {assigned} = {value}\n    except ({caught}):\n        \
         {assigned} = {DEFAULT}({callee})\n"
    ));
}

/// The names of variables: `x1`, `x2` …, and `O` for a last line that is the output.
struct Names {
    output: Option<Operand>,
}

impl Names {
    fn of(program: &Program) -> Names {
        let last = program.lines.len().checked_sub(1);
        let last = last.map(|last| Operand::Var(last as u32));
        Names {
            output: last.filter(|last| *last == program.output),
        }
    }

    fn write(&self, out: &mut String, operand: Operand) {
        if Some(operand) == self.output {
            out.push('O')
        } else {
            write_operand(out, operand)
        }
    }

    fn write_op(&self, out: &mut String, op: &Op) {
        match op {
            Op::Copy(value) => self.write(out, *value),
            Op::Tuple(items) => write_tuple(out, items, write_operand),
            Op::Call { callee, args } => {
                // Python reads `-1(I)` as the negative of `1(I)`.
                match callee {
                    Operand::Int(..0) => {
                        out.push('(');
                        write_operand(out, *callee);
                        out.push(')');
                    }
                    _ => write_operand(out, *callee),
                }
                write_call(out, args, write_operand);
            }
        }
    }
}
