//! Programs as the device reads them.

mod allot;
mod function;
mod iterate;
mod lower;
mod tuples;

use leyden_dsl::table::Prim;
use leyden_lang::Program;
use thiserror::Error;

use crate::wire::{INSTRUCTION_WORDS, Op};

/// A value of a program before it has a register.
type Virtual = usize;

/// One instruction before registers are allotted.
#[derive(Clone, Debug)]
struct Step {
    op: Op,
    target: Virtual,
    args: Vec<Virtual>,
    /// The program's line; negative within an iteration.
    line: i32,
    flags: i32,
    /// Fuel for earlier calls that became no step.
    surcharge: i32,
    /// The target of a jump.
    jump: usize,
}

/// A constant and its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Constant {
    tag: i32,
    i: i32,
    j: i32,
}

/// The steps of a program.
#[derive(Debug, Default)]
struct Steps {
    steps: Vec<Step>,
    n_virtuals: usize,
    constants: Vec<(Virtual, Constant)>,
    /// The first and the last step of each iteration.
    loops: Vec<(usize, usize)>,
}

impl Steps {
    fn constant_at(&self, value: Virtual) -> Option<Constant> {
        let mut constants = self.constants.iter();
        constants
            .find(|(other, _)| *other == value)
            .map(|(_, constant)| *constant)
    }
}

/// The reason why a program cannot run on the device. The CPU can run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A primitive that the device does not have.
    #[error("the device has no `{0}`")]
    Primitive(Prim),
    /// A primitive of the device, used in a way that the device does not support.
    #[error("the device does not know this use of `{0}`")]
    Use(Prim),
    /// A function that is known only when the program runs.
    #[error("the device calls only functions that are known beforehand")]
    Function,
    /// `S`, `C` or `None`.
    #[error("the device has no `S`, no `C` and no `None`")]
    Input,
    /// A number that is too large.
    #[error("the device has no number of this size")]
    Number,
    /// A tuple that is not a pair, used as a whole.
    #[error("the device has no tuples but pairs")]
    Tuple,
    /// A dialect with other values.
    #[error("the device does not speak this dialect")]
    Dialect,
    /// More values at once than the memory holds.
    #[error("the program keeps too many values at once for the device")]
    Memory,
}

/// A program for the device.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) code: Vec<i32>,
    /// Register, tag and two numbers for each constant.
    pub(crate) constants: Vec<i32>,
    pub(crate) n_registers: usize,
    pub(crate) n_slots: usize,
    pub(crate) has_table: bool,
}

impl Compiled {
    /// Compiles a program for the device.
    ///
    /// ```
    /// use leyden_gpu::{Compiled, Refusal};
    ///
    /// let read = |source| leyden_lang::parse(source, "mine.py", None).unwrap().remove(0);
    /// let program = read("def solve_0a1b2c3d(I):\n    O = hconcat(I, vmirror(I))\n    return O\n");
    /// assert_eq!(Compiled::of(&program).unwrap().n_instructions(), 5);
    ///
    /// let program = read("def solve_0a1b2c3d(I):\n    O = dedupe(I)\n    return O\n");
    /// let refusal = Compiled::of(&program).unwrap_err();
    /// assert_eq!(refusal.to_string(), "the device has no `dedupe`");
    /// ```
    pub fn of(program: &Program) -> Result<Compiled, Refusal> {
        allot::allotted(&lower::lowered(program)?)
    }

    /// The number of instructions.
    pub fn n_instructions(&self) -> usize {
        self.code.len() / INSTRUCTION_WORDS
    }

    /// Whether it goes through the elements of a set.
    pub fn has_loops(&self) -> bool {
        let mut operations = self.code.iter().step_by(INSTRUCTION_WORDS);
        operations.any(|op| *op == Op::NEXT_ELEMENT as i32)
    }
}

/// The number of a program's lines that the device could run if the other lines were no obstacle.
pub fn count_supported_lines(program: &Program) -> usize {
    lower::count_supported(program)
}

/// The primitives that the device has, in the table's order. With odd arguments the device is not
/// sure.
pub fn device_primitives() -> Vec<Prim> {
    let primitives = leyden_dsl::table::TABLE.iter().map(|entry| entry.prim);
    primitives.filter(|prim| lower::has(*prim)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str, n_lines: usize, last: &str) -> Refusal {
        let mut source =
            "def solve_0a1b2c3d(I):\n    x0 = compose(identity, identity)\n".to_owned();
        for k in 1..n_lines {
            let before = format!("x{}", k - 1);
            let line = line.replace('X', &before);
            source += &format!("    x{k} = {line}\n");
        }
        let last = last.replace('X', &format!("x{}", n_lines - 1));
        source += &format!("    O = {last}\n    return O\n");
        let programs = leyden_lang::parse(&source, "test.py", None).unwrap();
        Compiled::of(&programs[0]).unwrap_err()
    }

    #[test]
    fn programs_that_go_through_a_set_have_loops() {
        let has_loops = |line: &str| {
            let source = format!("def solve_0a1b2c3d(I):\n    O = {line}\n    return O\n");
            let programs = leyden_lang::parse(&source, "test.py", None).unwrap();
            Compiled::of(&programs[0]).unwrap().has_loops()
        };
        assert!(!has_loops("vmirror(I)"));
        assert!(has_loops(
            "fill(I, ONE, mfilter(objects(I, T, F, T), square))"
        ));
    }

    /// Without limits, these programs would take longer than the universe, or overflow the stack.
    #[test]
    fn programs_that_nest_without_end_are_refused_at_once() {
        assert_eq!(refusal("compose(X, X)", 60, "X(I)"), Refusal::Memory);
        assert_eq!(
            refusal("compose(identity, X)", 1_900, "X(I)"),
            Refusal::Memory
        );
        assert_eq!(refusal("fork(astuple, X, X)", 60, "X(I)"), Refusal::Memory);
        assert_eq!(refusal("astuple(X, X)", 60, "add(X, X)"), Refusal::Tuple);
        assert_eq!(refusal("astuple(X, X)", 3_000, "X"), Refusal::Memory);
    }
}
