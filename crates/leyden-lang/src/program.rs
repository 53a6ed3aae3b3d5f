//! Programs as plain data.

use std::fmt;
use std::ops::Range;

use leyden_dsl::table::{CONSTANTS, Constant, Dialect, Prim};
use leyden_dsl::tokpidjin::TOKPIDJIN_CONSTANTS;
use xxhash_rust::xxh3::xxh3_128;

use crate::text;

/// A parameter that a program may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// The input grid.
    I,
    /// The task's demonstration pairs, `((input, output), …)`.
    S,
    /// The expected output. It exists only while programs are scored, never for a test input.
    C,
}

impl Input {
    /// All inputs.
    pub const ALL: [Input; 3] = [Input::I, Input::S, Input::C];

    /// The parameter's name in a program.
    pub fn name(self) -> &'static str {
        match self {
            Input::I => "I",
            Input::S => "S",
            Input::C => "C",
        }
    }

    /// The input with this name.
    pub fn by_name(name: &str) -> Option<Input> {
        Input::ALL.into_iter().find(|input| input.name() == name)
    }
}

/// One of the table's named constants. It keeps its name, so `UNITY` prints as `UNITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(u8);

impl ConstId {
    /// The constants that all dialects have, in the table's order.
    pub fn all() -> impl Iterator<Item = ConstId> {
        ConstId::all_in(Dialect::ArcDsl)
    }

    /// The constants of a dialect, in the table's order.
    pub fn all_in(dialect: Dialect) -> impl Iterator<Item = ConstId> {
        dialect.constants().zip(0..).map(|(_, k)| ConstId(k))
    }

    /// The constant with this name, in any dialect.
    pub fn by_name(name: &str) -> Option<ConstId> {
        ConstId::all_in(Dialect::Tokpidjin).find(|id| id.name() == name)
    }

    /// The constant `T` or `F`.
    pub fn of_bool(value: bool) -> ConstId {
        ConstId::all()
            .find(|id| id.value() == Constant::Bool(value))
            .unwrap_or(ConstId(0))
    }

    /// The constant's place in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn entry(self) -> (&'static str, Constant) {
        match self.index().checked_sub(CONSTANTS.len()) {
            None => CONSTANTS[self.index()],
            Some(k) => TOKPIDJIN_CONSTANTS[k],
        }
    }

    /// The constant's name.
    pub fn name(self) -> &'static str {
        self.entry().0
    }

    /// The constant's value.
    pub fn value(self) -> Constant {
        self.entry().1
    }
}

/// A value that a line reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The result of an earlier line, by its index.
    Var(u32),
    /// A parameter of the program.
    Input(Input),
    /// A named constant.
    Const(ConstId),
    /// A literal number.
    Int(i64),
    /// Python's `None`.
    None,
    /// A primitive that is passed as a value.
    Prim(Prim),
}

/// The operation of a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Calls a value, usually a primitive, with any number of arguments. Too few or too many are a
    /// fault when the line runs, as in Python.
    Call {
        /// The called value.
        callee: Operand,
        /// The arguments, by position.
        args: Vec<Operand>,
    },
    /// Makes a tuple.
    Tuple(Vec<Operand>),
    /// Gives a value another name.
    Copy(Operand),
}

impl Op {
    /// All operands of the line, the callee first.
    pub fn operands(&self) -> impl Iterator<Item = Operand> {
        let (head, rest): (Option<Operand>, &[Operand]) = match self {
            Op::Call { callee, args } => (Some(*callee), args),
            Op::Tuple(items) => (None, items),
            Op::Copy(value) => (Some(*value), &[]),
        };
        head.into_iter().chain(rest.iter().copied())
    }

    /// Does the line call a value that is not a primitive's name?
    pub fn calls_a_value(&self) -> bool {
        matches!(self, Op::Call { callee, .. } if !matches!(callee, Operand::Prim(_)))
    }

    /// All operands of the line, the callee first, for changes.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        let (head, rest): (Option<&mut Operand>, &mut [Operand]) = match self {
            Op::Call { callee, args } => (Some(callee), args),
            Op::Tuple(items) => (None, items),
            Op::Copy(value) => (Some(value), &mut []),
        };
        head.into_iter().chain(rest)
    }
}

/// One line of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The operation.
    pub op: Op,
    /// The line of the source file, counted from 1.
    pub source_line: u32,
    /// The line's bytes in the source.
    pub span: Range<u32>,
}

/// A program: a name, a dialect, parameters, lines and a result.
///
/// Programs are in static single assignment form. Line `k` defines variable `k` and may read only
/// variables before it; giving a Python variable a second value just makes a new line. The parser
/// takes nested calls apart, in the order in which Python evaluates them, and puts keyword
/// arguments in their positions. So a program is a flat vector that can be printed, hashed, merged
/// with others and run from top to bottom. Only the lines' places refer to the source text, and
/// they serve error messages only.
///
/// A program is not checked: it may call a number or pass too few arguments, and then it faults
/// when that line runs. [`verify`](crate::verify()) lists doubtful lines beforehand.
///
/// ```
/// use leyden_dsl::table::{Dialect, Prim};
/// use leyden_lang::{Input, Op, Operand, parse, print_python};
///
/// let source = "
/// def solve_0a1b2c3d(I):
///     x = vmirror(piece=I)       # a keyword argument
///     x = hconcat(I, x)          # a second value for x: a new line
///     return vconcat(x, hmirror(x))
/// ";
/// let program = parse(source, "mine.py", None).unwrap().remove(0);
/// assert_eq!(program.task_id(), Some("0a1b2c3d"));
/// assert_eq!(program.dialect, Dialect::ArcDsl);
/// assert_eq!(program.inputs, [Input::I]);
/// assert_eq!(program.output, Operand::Var(3));
/// assert_eq!(
///     program.lines[1].op,
///     Op::Call {
///         callee: Operand::Prim(Prim::hconcat),
///         args: vec![Operand::Input(Input::I), Operand::Var(0)],
///     },
/// );
/// assert_eq!(
///     program.to_string(),
///     "program solve_0a1b2c3d(I) arc-dsl
///   x1 = vmirror(I)
///   x2 = hconcat(I, x1)
///   x3 = hmirror(x2)
///   x4 = vconcat(x2, x3)
///   return x4
/// ",
/// );
/// assert!(print_python(&program).ends_with("    O = vconcat(x2, x3)\n    return O\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The program's name.
    pub name: String,
    /// The dialect, which gives primitives their meaning.
    pub dialect: Dialect,
    /// The parameters, in the order in which they are declared.
    pub inputs: Vec<Input>,
    /// The lines, in the order in which they run.
    pub lines: Vec<Line>,
    /// The program's result.
    pub output: Operand,
}

impl Program {
    /// The task that a program is for: the part of its name with eight hexadecimal digits, as in
    /// `solve_007bbfb7`, `verify_007bbfb7` or `solve_007bbfb7_v2`.
    pub fn task_id(&self) -> Option<&str> {
        task_id_in(&self.name)
    }

    /// A stable hash of the program's normalised text without its name.
    pub fn content_hash(&self) -> u128 {
        let mut body = String::new();
        text::write_program(&mut body, "", self);
        xxh3_128(body.as_bytes())
    }

    /// Whether two programs are equal except for the places of their lines in a file.
    pub fn same_code(&self, other: &Program) -> bool {
        self.name == other.name
            && self.dialect == other.dialect
            && self.inputs == other.inputs
            && self.output == other.output
            && self.ops().eq(other.ops())
    }

    /// Does the program read an input? Declaring a parameter is not reading it.
    pub fn reads(&self, input: Input) -> bool {
        let operands = self.ops().flat_map(Op::operands);
        let mut all = operands.chain([self.output]);
        all.any(|operand| operand == Operand::Input(input))
    }

    /// The operations of the lines, in order.
    pub fn ops(&self) -> impl Iterator<Item = &Op> {
        self.lines.iter().map(|line| &line.op)
    }
}

/// Writes the normalised text form.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::print_text(self))
    }
}

/// The task that a program with this name is for, as in [`Program::task_id`].
pub fn task_id_in(name: &str) -> Option<&str> {
    name.split('_').find(|part| is_task_id(part))
}

fn is_task_id(part: &str) -> bool {
    part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A file of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// The file's name, for messages.
    pub name: String,
    /// The programs, in the file's order.
    pub programs: Vec<Program>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Program {
        Program {
            name: name.to_owned(),
            dialect: Dialect::ArcDsl,
            inputs: vec![Input::I],
            lines: Vec::new(),
            output: Operand::Input(Input::I),
        }
    }

    #[test]
    fn task_ids_are_found_in_names() {
        let id = |name: &str| named(name).task_id().map(str::to_owned);
        assert_eq!(id("solve_007bbfb7").as_deref(), Some("007bbfb7"));
        assert_eq!(id("solve_007bbfb7_v2").as_deref(), Some("007bbfb7"));
        assert_eq!(id("verify_f76d97a5").as_deref(), Some("f76d97a5"));
        assert_eq!(id("solve"), None);
        assert_eq!(id("solve_007bbfb70"), None);
    }

    #[test]
    fn the_hash_ignores_the_name_and_sees_the_rest() {
        let hash = named("a").content_hash();
        assert_eq!(hash, named("b").content_hash());
        let constant = Program {
            output: Operand::Int(1),
            ..named("a")
        };
        assert_ne!(hash, constant.content_hash());
        let re_arc = Program {
            dialect: Dialect::ReArc,
            ..named("a")
        };
        assert_ne!(hash, re_arc.content_hash());
    }

    #[test]
    fn hashes_are_stable_across_versions() {
        let hash = named("a").content_hash();
        assert_eq!(hash, xxh3_128(b"program (I) arc-dsl\n  return I\n"));
    }

    #[test]
    fn constants_know_their_names() {
        assert_eq!(ConstId::of_bool(true).name(), "T");
        assert_eq!(ConstId::of_bool(false).name(), "F");
        let mut all = ConstId::all_in(Dialect::Tokpidjin);
        assert!(all.all(|id| ConstId::by_name(id.name()) == Some(id)));
        let last = ConstId::by_name("L1").map(ConstId::value);
        assert_eq!(last, Some(Constant::Int(-1)));
    }
}
