//! Prints a battery as the module that tokpidjin's `run_batt.py` imports.

use std::fmt::Write as _;

use crate::battery::{Battery, Node, Out};
use crate::battery_text::write_value;
use crate::program::{Op, Operand};
use crate::python::write_caught;

/// The reason why a battery cannot be such a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tokpidjin's form is for programs in its dialect, and some of these are in another")]
pub struct NotTokpidjin;

/// A battery as two Python modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokpidjinModules {
    /// The module with `batt(task_id, S, I, C, log_path)`, which returns candidates and an empty
    /// list of scores.
    pub batt: String,
    /// The module with `t_call`: the types and the words of each step's call. Its file is
    /// `<name>_call.py`, beside the other module.
    pub calls: String,
}

/// Writes a battery in the form of the files that tokpidjin's `card.py` generates.
///
/// Calls and copies are in a `try`, because in this form a fault that is not caught costs all
/// candidates of a sample. So a program gives a value here even if it ends with a fault alone.
pub fn print_battery_tokpidjin(battery: &Battery) -> Result<TokpidjinModules, NotTokpidjin> {
    let is_foreign = |out: &Out| !out.dialect.is_classic();
    if !battery.outs.iter().all(is_foreign) {
        return Err(NotTokpidjin);
    }
    let mut modules = Writer {
        batt: String::from(HEAD),
        calls: String::from(CALLS_HEAD),
        n_steps: 0,
    };
    for node in &battery.nodes {
        modules.step(node);
    }
    for out in &battery.outs {
        modules.candidate(out);
    }
    modules.batt.push_str("    return o, s\n");
    modules.calls.push_str("}\n");
    Ok(TokpidjinModules {
        batt: modules.batt,
        calls: modules.calls,
    })
}

const HEAD: &str = "\
from dsl import *
from constants import *
from safe_dsl import _get_safe_default


def batt(task_id, S, I, C, log_path):
    s = []
    o = []
";

const CALLS_HEAD: &str = "\
from collections import namedtuple

HintValue = namedtuple('HintValue', ['hint', 'value'])
t_call = {
";

struct Writer {
    batt: String,
    calls: String,
    n_steps: usize,
}

impl Writer {
    fn step(&mut self, node: &Node) {
        match &node.op {
            Op::Call { callee, args } => self.call(*callee, args),
            Op::Copy(value) => self.copy(*value),
            Op::Tuple(items) => self.tuple(items),
        }
    }

    fn call(&mut self, callee: Operand, args: &[Operand]) {
        self.n_steps += 1;
        let name = word(callee);
        // Python reads `-1(I)` as the negative of `1(I)`, so a negative number gets parentheses.
        let called = match callee {
            Operand::Int(..0) => format!("({name})"),
            _ => name.clone(),
        };
        let args: Vec<String> = args.iter().map(|arg| word(*arg)).collect();
        let value = format!("{called}({})", args.join(", "));
        let assigned = format!("t{}", self.n_steps);
        write_caught(&mut self.batt, &assigned, &value, &name);
        self.note_call(&hint(callee), &called, args);
    }

    /// Writes a copy as a call of `identity`, because `t_call` holds only calls and tuples.
    fn copy(&mut self, value: Operand) {
        self.n_steps += 1;
        let value = word(value);
        let assigned = format!("t{}", self.n_steps);
        write_caught(
            &mut self.batt,
            &assigned,
            &format!("identity({value})"),
            "identity",
        );
        self.note_call("('Any', 'Any')", "identity", vec![value]);
    }

    /// Writes a tuple. In `t_call` it is a call with an empty callee, so that its words make `(a,
    /// b)` again.
    fn tuple(&mut self, items: &[Operand]) {
        self.n_steps += 1;
        let mut items: Vec<String> = items.iter().map(|item| word(*item)).collect();
        if let [only] = items.as_mut_slice() {
            only.push(',');
        }
        let assigned = self.n_steps;
        // Writing to a string cannot fail.
        let _ = writeln!(self.batt, "    t{assigned} = ({})", items.join(", "));
        self.note_call("None", "", items);
    }

    fn note_call(&mut self, hint: &str, callee: &str, args: Vec<String>) {
        let words: Vec<String> = [callee.to_owned()].into_iter().chain(args).collect();
        let words = words.join("', '");
        let k = self.n_steps;
        let _ = writeln!(
            self.calls,
            "    {k}: HintValue(hint={hint}, value=('{words}',)),"
        );
    }

    fn candidate(&mut self, out: &Out) {
        let step = match out.output {
            Operand::Var(k) => k as usize + 1,
            other => {
                self.copy(other);
                self.n_steps
            }
        };
        let flag = if out.mutations.is_empty() {
            "False"
        } else {
            "True"
        };
        let _ = writeln!(
            self.batt,
            "    o.append(({step}, {flag}, '{}', t{step}))",
            solver_of(out)
        );
    }
}

/// The name of a solver in the old system: the id of its task.
fn solver_of(out: &Out) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    match out.task_id() {
        Some(id) => id.to_owned(),
        None => out.name.chars().map(plain).collect(),
    }
}

fn word(operand: Operand) -> String {
    let mut text = String::new();
    write_value(&mut text, operand);
    text
}

/// The types of a primitive's parameters and of its result, as a Python tuple.
fn hint(callee: Operand) -> String {
    let Operand::Prim(prim) = callee else {
        return "None".to_owned();
    };
    let entry = prim.entry();
    let types = entry.params.iter().map(|param| param.ty);
    let types = types.chain([entry.result]);
    let types: Vec<String> = types.map(|ty| format!("'{ty}'")).collect();
    format!("({},)", types.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, is_generated_batt, parse, parse_generated_batt};

    fn modules(source: &str) -> Result<TokpidjinModules, NotTokpidjin> {
        let programs = parse(source, "a.leyden", None).unwrap();
        print_battery_tokpidjin(&Battery::from_programs(&programs, Rules::ALL))
    }

    #[test]
    fn the_module_has_the_form_that_the_old_system_imports() {
        let source = "\
program solve_0a1b2c3d(S, I, C) tokpidjin
  x1 = height_t(I)
  x2 = x1(I)
  x3 = (x2,)
  return x3

program same(S, I, C) tokpidjin
  return I
";
        let modules = modules(source).unwrap();
        let expected = "\
    s = []
    o = []
    try:
        t1 = height_t(I)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t1 = _get_safe_default(height_t)
    try:
        t2 = t1(I)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t2 = _get_safe_default(t1)
    t3 = (t2,)
    o.append((3, False, '0a1b2c3d', t3))
    try:
        t4 = identity(I)
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):
        t4 = _get_safe_default(identity)
    o.append((4, False, 'same', t4))
    return o, s
";
        assert!(modules.batt.ends_with(expected), "{}", modules.batt);
        let calls = "\
t_call = {
    1: HintValue(hint=('Grid', 'Integer',), value=('height_t', 'I',)),
    2: HintValue(hint=None, value=('t1', 'I',)),
    3: HintValue(hint=None, value=('', 't2,',)),
    4: HintValue(hint=('Any', 'Any'), value=('identity', 'I',)),
}
";
        assert!(modules.calls.ends_with(calls), "{}", modules.calls);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let source = "\
program solve_0a1b2c3d(S, I, C) tokpidjin-batt
  x1 = rbind(add, ONE)
  x2 = x1(I)
  x3 = (x2, x2)
  return x3

program solve_1a1b2c3d(S, I, C) tokpidjin
  x1 = height_t(I)
  return x1
";
        let programs = parse(source, "a.leyden", None).unwrap();
        let written = modules(source).unwrap().batt;
        assert!(is_generated_batt(&written));
        let read = parse_generated_batt(&written, "a.py").unwrap();
        assert_eq!(read.candidates.len(), programs.len());
        let pairs = read.candidates.iter().zip(&programs);
        for (read, program) in pairs {
            assert!(read.same_code(program), "{read}{program}");
        }
    }

    #[test]
    fn other_dialects_have_no_such_form() {
        let source = "program f(I) arc-dsl\n  return I\n";
        assert_eq!(modules(source), Err(NotTokpidjin));
    }
}
