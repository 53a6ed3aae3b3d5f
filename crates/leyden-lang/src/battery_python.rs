//! Prints a battery as a Python module that runs on arc-dsl.

use std::fmt::Write as _;

use leyden_dsl::table::Dialect;

use crate::battery::{Battery, Node, Out, differs_by_dialect};
use crate::battery_text::write_value;
use crate::program::{Op, Operand};
use crate::text::{write_call, write_tuple};

/// The reason why a battery cannot be one Python module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the programs are of different dialects, for which there is no common `dsl` module")]
pub struct MixedDialects;

/// Prints a module with one function, `batt(S, I, C)`. It returns a list of pairs: a program's
/// name, and its value or the name of its exception's class.
///
/// The module needs arc-dsl's `dsl` and `constants` beside it, or re-arc's `dsl` if all programs
/// are re-arc's. A node that fails spoils only the nodes and programs that depend on it.
pub fn print_battery_python(battery: &Battery) -> Result<String, MixedDialects> {
    let mut out = String::from(imports(battery)?);
    out.push_str(PREAMBLE);
    for (k, node) in battery.nodes.iter().enumerate() {
        write_node(&mut out, k, node);
    }
    out.push_str("    return [\n");
    for program in &battery.outs {
        write_out(&mut out, program);
    }
    out.push_str("    ]\n");
    Ok(out)
}

const PREAMBLE: &str = r#"

class Fault:
    """Stands for the value of a node that failed."""

    def __init__(self, error):
        self.name = error.args[0] if isinstance(error, Spoilt) else type(error).__name__


class Spoilt(Exception):
    """Something that a node reads has failed."""


def ok(value):
    if isinstance(value, Fault):
        raise Spoilt(value.name)
    return value


def outcome(lines, output):
    faults = (line.name for line in lines if isinstance(line, Fault))
    return next(faults, output)


def batt(S, I, C):
"#;

/// The import lines. re-arc keeps its constants in `dsl`.
fn imports(battery: &Battery) -> Result<&'static str, MixedDialects> {
    let has = |dialect| battery.outs.iter().any(|out| out.dialect == dialect);
    let known = |out: &Out| matches!(out.dialect, Dialect::ArcDsl | Dialect::ReArc);
    let differs = |node: &Node| node.op.operands().any(is_dialectal);
    match (has(Dialect::ArcDsl), has(Dialect::ReArc)) {
        _ if !battery.outs.iter().all(known) => Err(MixedDialects),
        (true, true) if battery.nodes.iter().any(differs) => Err(MixedDialects),
        (false, true) => Ok("from dsl import *\n"),
        _ => Ok(ARC_DSL),
    }
}

const ARC_DSL: &str = "from dsl import *\nfrom constants import *\n";

fn is_dialectal(operand: Operand) -> bool {
    matches!(operand, Operand::Prim(prim) if differs_by_dialect(prim))
}

fn write_node(out: &mut String, k: usize, node: &Node) {
    // Writing to a string cannot fail.
    let _ = write!(out, "    try:\n        t{} = ", k + 1);
    match &node.op {
        Op::Copy(value) => write_sound(out, *value),
        Op::Tuple(items) => write_tuple(out, items, write_sound),
        Op::Call { callee, args } => {
            write_callee(out, *callee);
            write_call(out, args, write_sound);
        }
    }
    let _ = writeln!(
        out,
        "\n    except Exception as error:\n        t{} = Fault(error)",
        k + 1
    );
}

/// Writes a callee. Python reads `-1(I)` as the negative of `1(I)`, so a negative number gets
/// parentheses.
fn write_callee(out: &mut String, callee: Operand) {
    match callee {
        Operand::Int(..0) => {
            out.push('(');
            write_value(out, callee);
            out.push(')');
        }
        _ => write_sound(out, callee),
    }
}

fn write_sound(out: &mut String, operand: Operand) {
    match operand {
        Operand::Var(_) => {
            out.push_str("ok(");
            write_value(out, operand);
            out.push(')');
        }
        _ => write_value(out, operand),
    }
}

fn write_out(out: &mut String, program: &Out) {
    out.push_str("        (\"");
    program.name.chars().for_each(|c| write_char(out, c));
    out.push_str("\", outcome(");
    write_tuple(out, &program.lines, write_value);
    out.push_str(", ");
    write_value(out, program.output);
    out.push_str(")),\n");
}

/// Writes a character of a Python string.
fn write_char(out: &mut String, c: char) {
    if c.is_alphanumeric() || matches!(c, '_' | ' ' | '-' | '.') {
        out.push(c)
    } else {
        let _ = write!(out, "\\U{:08x}", u32::from(c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, parse};

    fn module(source: &str) -> Result<String, MixedDialects> {
        let programs = parse(source, "a.py", None).unwrap();
        print_battery_python(&Battery::from_programs(&programs, Rules::ALL))
    }

    #[test]
    fn nodes_are_guarded_and_programs_know_their_lines() {
        let source = "def solve(I):\n    x = first(I)\n    y = x(I, (I, 2))\n    return I\n";
        let text = module(source).unwrap();
        assert!(text.contains("        t1 = first(I)\n    except"));
        assert!(text.contains("        t3 = ok(t1)(I, ok(t2))\n    except"));
        assert!(text.ends_with("        (\"solve\", outcome((t1, t2, t3), I)),\n    ]\n"));
    }

    #[test]
    fn dialects_that_differ_do_not_mix() {
        let mixed = "def solve_a(I):\n    return X(I)\n\ndef verify_a(I):\n    return vmirror(I)\n";
        assert!(module(&mixed.replace("X(I)", "hmirror(I)")).is_ok());
        assert_eq!(
            module(&mixed.replace("X(I)", "argmax(I, size)")),
            Err(MixedDialects)
        );
        let re_arc = "def verify_a(I):\n    return argmax(I, size)\n";
        assert!(!module(re_arc).unwrap().contains("from constants"));
    }
}
