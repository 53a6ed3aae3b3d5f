//! Functions that are known before a program runs, written out as calls of primitives.
//!
//! `compose`, `fork`, `rbind` and their kin make functions of functions. A program usually names all
//! parts, so its functions are known before it runs. This module says once what such a function does:
//! a [`FunctionBody`] lists the calls of primitives in CPython's order, over the arguments and over
//! captures, the values that `rbind`, `lbind` and `matcher` hold. [`Functions`] resolves the lines of a
//! program; there a capture is an operand of the program. A compiler that follows values through a
//! program makes further functions of its own values ([`Function::made_by`]).

use std::sync::Arc;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Constant, Prim};
use leyden_dsl::types::Type;

use crate::program::{Op, Operand};

/// The most calls of a function that is written out. Re-arc's verifier of 150deff5 has a function of
/// more than 1,000; functions that are made of themselves soon have millions.
const MAX_CALLS: u32 = 1 << 12;

/// The deepest nesting of calls in a function that is written out.
const MAX_DEPTH: u32 = 100;

/// The most steps of all functions of a program together.
const MAX_STEPS_OF_ALL: usize = 1 << 20;

/// The largest `n` of a `power(f, n)` that is written out.
const MAX_POWER: i64 = 64;

/// The most arguments of a step: a function and its four arguments.
const MAX_ARGS: usize = 5;

/// A value within a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// An argument of the function.
    Arg(u16),
    /// A captured value.
    Capture(u16),
    /// The result of an earlier step.
    Step(u16),
}

/// The work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionAction {
    /// Calls a primitive.
    Call(Prim),
    /// Calls the first argument with the others. That function is known only when the program runs.
    CallFirst,
    /// Compares two values. This is the last step of a `matcher`.
    Compare,
}

/// One step of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionStep {
    /// The work.
    pub action: FunctionAction,
    /// The calls that CPython begins between the last step and this one. The call of this step's
    /// primitive counts, and so do calls of `identity` and of functions that `compose` and its kin
    /// made.
    pub n_calls: u32,
    args: [Register; MAX_ARGS],
    n_args: u8,
}

impl FunctionStep {
    /// The arguments.
    pub fn args(&self) -> &[Register] {
        &self.args[..self.n_args.into()]
    }

    /// The kinds that the step's result can have.
    pub fn kinds(&self) -> Kinds {
        match self.action {
            FunctionAction::Call(prim) => kinds_of_result(prim),
            FunctionAction::CallFirst => Kinds::ANY,
            FunctionAction::Compare => Kinds::BOOLEAN,
        }
    }

    fn moved(mut self, move_register: impl Fn(Register) -> Register) -> FunctionStep {
        for arg in &mut self.args[..self.n_args.into()] {
            *arg = move_register(*arg);
        }
        self
    }
}

/// The work of a function, without the values in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionBody {
    /// The number of arguments.
    pub n_args: usize,
    /// The steps, in CPython's order.
    pub steps: Vec<FunctionStep>,
    /// The result.
    pub out: Register,
    /// The calls that CPython begins after the last step.
    pub n_calls_after: u32,
    /// All calls that CPython begins.
    pub n_calls: u32,
    /// The deepest nesting of these calls.
    pub depth: u32,
}

/// The reason why a function is not known before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// A part is not known to be a function, or takes another number of arguments.
    Part,
    /// The primitive makes no function of these arguments, or an unusual one.
    Use,
    /// The function has too many calls, or they nest too deep.
    TooLarge,
}

/// A function: a body, and the values that it captures.
///
/// ```
/// use leyden_dsl::table::Prim;
/// use leyden_lang::{FunctionAction, Functions, Operand, Register, parse};
///
/// let source = "
/// def solve(I):
///     x1 = rbind(shift, UNITY)
///     x2 = compose(x1, asindices)
///     return x2(I)
/// ";
/// let program = parse(source, "mine.py", None).unwrap().remove(0);
/// let functions = Functions::of(program.ops());
/// let function = functions.function(Operand::Var(1)).unwrap();
/// let [cells, shifted] = &function.body().steps[..] else {
///     panic!("two steps")
/// };
/// assert_eq!(cells.action, FunctionAction::Call(Prim::asindices));
/// assert_eq!(cells.args(), [Register::Arg(0)]);
/// assert_eq!(shifted.action, FunctionAction::Call(Prim::shift));
/// assert_eq!(shifted.args(), [Register::Step(0), Register::Capture(0)]);
/// assert_eq!(function.captures().len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function<C> {
    body: Arc<FunctionBody>,
    captures: Vec<C>,
}

/// A compiler's view of the values that it captures.
pub trait Parts<C> {
    /// The function that a value is; `None` if that is not known.
    fn function(&self, value: &C) -> Option<Function<C>>;

    /// The whole number that a value is, if that is known.
    fn number(&self, value: &C) -> Option<i64>;
}

impl<C: Clone> Function<C> {
    /// A primitive as a function.
    pub fn of_prim(prim: Prim) -> Function<C> {
        let n_args = prim.arity();
        let mut writer = BodyWriter::new();
        writer.begin_call();
        let out = if prim == Prim::identity {
            Register::Arg(0)
        } else {
            writer.step(FunctionAction::Call(prim), &args(n_args))
        };
        writer.finish(n_args, out)
    }

    /// A value that is called with `n_args` arguments. The call itself is not counted.
    pub fn of_value(value: C, n_args: usize) -> Function<C> {
        let mut writer = BodyWriter::new();
        let callee = [writer.capture(value)];
        let all = [&callee, &args(n_args)[..]].concat();
        let out = writer.step(FunctionAction::CallFirst, &all);
        writer.finish(n_args, out)
    }

    /// The function that a primitive such as `compose` makes of its arguments.
    pub fn made_by(
        prim: Prim,
        args: &[C],
        parts: &impl Parts<C>,
    ) -> Result<Function<C>, Unresolved> {
        let function = |value: &C| parts.function(value).ok_or(Unresolved::Part);
        match (prim, args) {
            (Prim::compose, [f, g]) => Function::composed(&function(f)?, &function(g)?),
            (Prim::chain, [h, g, f]) => {
                let inner = Function::composed(&function(g)?, &function(f)?)?;
                Function::composed(&function(h)?, &inner)
            }
            (Prim::fork, [outer, a, b]) => {
                Function::forked(&function(outer)?, &function(a)?, &function(b)?)
            }
            (Prim::matcher, [f, target]) => Function::matching(&function(f)?, target),
            (Prim::rbind, [f, last]) => Function::bound(&function(f)?, last, true),
            (Prim::lbind, [f, first]) => Function::bound(&function(f)?, first, false),
            (Prim::power, [f, n]) => {
                let f = function(f)?;
                let n = parts.number(n).filter(|n| (1..=MAX_POWER).contains(n));
                let n = n.ok_or(Unresolved::Use)?;
                (1..n).try_fold(f.clone(), |inner, _| Function::composed(&f, &inner))
            }
            _ => Err(Unresolved::Use),
        }
    }

    fn composed(outer: &Function<C>, inner: &Function<C>) -> Result<Function<C>, Unresolved> {
        let mut writer = BodyWriter::new();
        writer.begin_call();
        let y = writer.call(inner, &args(1))?;
        let out = writer.call(outer, &[y])?;
        Ok(writer.finish(1, out))
    }

    fn forked(
        outer: &Function<C>,
        a: &Function<C>,
        b: &Function<C>,
    ) -> Result<Function<C>, Unresolved> {
        let mut writer = BodyWriter::new();
        writer.begin_call();
        let pair = [writer.call(a, &args(1))?, writer.call(b, &args(1))?];
        let out = writer.call(outer, &pair)?;
        Ok(writer.finish(1, out))
    }

    fn matching(function: &Function<C>, target: &C) -> Result<Function<C>, Unresolved> {
        let mut writer = BodyWriter::new();
        writer.begin_call();
        let found = writer.call(function, &args(1))?;
        let target = writer.capture(target.clone());
        let out = writer.step(FunctionAction::Compare, &[found, target]);
        Ok(writer.finish(1, out))
    }

    /// Binds the last or the first argument. With fewer than two arguments CPython makes a function
    /// that always faults.
    fn bound(function: &Function<C>, fixed: &C, is_last: bool) -> Result<Function<C>, Unresolved> {
        let n_open = function.n_args().saturating_sub(1);
        if n_open == 0 {
            return Err(Unresolved::Use);
        }
        let mut writer = BodyWriter::new();
        writer.begin_call();
        let fixed = writer.capture(fixed.clone());
        let mut all = args(n_open);
        all.insert(if is_last { n_open } else { 0 }, fixed);
        let out = writer.call(function, &all)?;
        Ok(writer.finish(n_open, out))
    }

    /// The number of arguments.
    pub fn n_args(&self) -> usize {
        self.body.n_args
    }

    /// The work.
    pub fn body(&self) -> &FunctionBody {
        &self.body
    }

    /// The captured values.
    pub fn captures(&self) -> &[C] {
        &self.captures
    }

    /// The primitive that the function is, if it is one by itself.
    pub fn as_prim(&self) -> Option<Prim> {
        match (&self.body.steps[..], self.body.n_calls) {
            ([step], 1) => match step.action {
                FunctionAction::Call(prim) => Some(prim),
                _ => None,
            },
            ([], 1) => Some(Prim::identity),
            _ => None,
        }
    }

    /// The function around other values.
    pub fn try_map<D, E>(&self, value: impl FnMut(&C) -> Result<D, E>) -> Result<Function<D>, E> {
        Ok(Function {
            body: Arc::clone(&self.body),
            captures: self.captures.iter().map(value).collect::<Result<_, E>>()?,
        })
    }

    /// The kinds that the result can have, from those of the arguments and of the captures.
    pub fn result_kinds(&self, args: &[Kinds], capture: impl Fn(&C) -> Kinds) -> Kinds {
        match self.body.out {
            Register::Arg(k) => args.get(usize::from(k)).copied().unwrap_or(Kinds::ANY),
            Register::Capture(k) => capture(&self.captures[usize::from(k)]),
            Register::Step(k) => self.body.steps[usize::from(k)].kinds(),
        }
    }
}

/// The registers of the arguments of a function.
fn args(n_args: usize) -> Vec<Register> {
    (0..n_args as u16).map(Register::Arg).collect()
}

/// A function that is being written out.
struct BodyWriter<C> {
    steps: Vec<FunctionStep>,
    captures: Vec<C>,
    /// The calls that belong to the next step.
    n_calls_before: u32,
    n_calls: u32,
    /// The deepest nesting within the calls of parts.
    depth: u32,
}

impl<C: Clone> BodyWriter<C> {
    fn new() -> BodyWriter<C> {
        BodyWriter {
            steps: Vec::new(),
            captures: Vec::new(),
            n_calls_before: 0,
            n_calls: 0,
            depth: 0,
        }
    }

    /// Counts the call of the function itself.
    fn begin_call(&mut self) {
        self.n_calls += 1;
        self.n_calls_before += 1;
    }

    fn capture(&mut self, value: C) -> Register {
        self.captures.push(value);
        Register::Capture(self.captures.len() as u16 - 1)
    }

    fn step(&mut self, action: FunctionAction, args: &[Register]) -> Register {
        let mut all = [Register::Arg(0); MAX_ARGS];
        all[..args.len()].copy_from_slice(args);
        self.push(FunctionStep {
            action,
            n_calls: 0,
            args: all,
            n_args: args.len() as u8,
        })
    }

    fn push(&mut self, mut step: FunctionStep) -> Register {
        step.n_calls += std::mem::take(&mut self.n_calls_before);
        self.steps.push(step);
        Register::Step(self.steps.len() as u16 - 1)
    }

    /// Writes out the call of a part.
    fn call(&mut self, part: &Function<C>, args: &[Register]) -> Result<Register, Unresolved> {
        let body = part.body();
        if args.len() != body.n_args {
            return Err(Unresolved::Part);
        }
        self.n_calls += body.n_calls;
        self.depth = self.depth.max(body.depth);
        if self.n_calls > MAX_CALLS || self.depth >= MAX_DEPTH {
            return Err(Unresolved::TooLarge);
        }
        let n_steps = self.steps.len() as u16;
        let n_captures = self.captures.len() as u16;
        let moved = |register: Register| match register {
            Register::Arg(k) => args[usize::from(k)],
            Register::Capture(k) => Register::Capture(n_captures + k),
            Register::Step(k) => Register::Step(n_steps + k),
        };
        self.captures.extend_from_slice(&part.captures);
        for step in &body.steps {
            self.push(step.moved(moved));
        }
        self.n_calls_before += body.n_calls_after;
        Ok(moved(body.out))
    }

    fn finish(self, n_args: usize, out: Register) -> Function<C> {
        Function {
            body: Arc::new(FunctionBody {
                n_args,
                steps: self.steps,
                out,
                n_calls_after: self.n_calls_before,
                n_calls: self.n_calls,
                depth: self.depth + 1,
            }),
            captures: self.captures,
        }
    }
}

/// The functions and the kinds of values of a program's lines, as far as they are known before it
/// runs.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    lines: Vec<(Option<Function<Operand>>, Kinds)>,
    n_steps: usize,
}

impl Functions {
    /// Resolves the lines of a program or the nodes of a battery.
    pub fn of<'o>(ops: impl IntoIterator<Item = &'o Op>) -> Functions {
        let mut functions = Functions::default();
        for op in ops {
            let line = functions.resolved(op);
            functions.n_steps += line.0.as_ref().map_or(0, |line| line.body.steps.len());
            functions.lines.push(line);
        }
        functions
    }

    /// The function that an operand is; `None` if that is not known.
    pub fn function(&self, operand: Operand) -> Option<Function<Operand>> {
        match operand {
            Operand::Var(k) => self.lines.get(k as usize)?.0.clone(),
            Operand::Prim(prim) => Some(Function::of_prim(prim)),
            _ => None,
        }
    }

    /// The kinds that an operand can have.
    pub fn kinds(&self, operand: Operand) -> Kinds {
        match operand {
            Operand::Var(k) => self.lines.get(k as usize).map_or(Kinds::ANY, |line| line.1),
            Operand::Input(_) => Kinds::ANY_TUPLE,
            Operand::Const(id) => Kinds::of_constant(id.value()),
            Operand::Int(_) => Kinds::INTEGER,
            Operand::None => Kinds::NONE,
            Operand::Prim(_) => Kinds::FUNCTION,
        }
    }

    fn resolved(&self, op: &Op) -> (Option<Function<Operand>>, Kinds) {
        match op {
            Op::Copy(value) => (self.function(*value), self.kinds(*value)),
            Op::Tuple(_) => (None, Kinds::ANY_TUPLE),
            Op::Call {
                callee: Operand::Prim(prim),
                args,
            } => (self.made_by(*prim, args), kinds_of_result(*prim)),
            Op::Call { callee, args } => (None, self.kinds_of_call(*callee, args)),
        }
    }

    fn made_by(&self, prim: Prim, args: &[Operand]) -> Option<Function<Operand>> {
        if self.n_steps >= MAX_STEPS_OF_ALL {
            return None;
        }
        Function::made_by(prim, args, self).ok()
    }

    fn kinds_of_call(&self, callee: Operand, args: &[Operand]) -> Kinds {
        let Some(function) = self.function(callee) else {
            return Kinds::ANY;
        };
        let args: Vec<Kinds> = args.iter().map(|arg| self.kinds(*arg)).collect();
        function.result_kinds(&args, |capture| self.kinds(*capture))
    }
}

impl Parts<Operand> for Functions {
    fn function(&self, value: &Operand) -> Option<Function<Operand>> {
        Functions::function(self, *value)
    }

    fn number(&self, value: &Operand) -> Option<i64> {
        match value {
            Operand::Int(n) => Some(*n),
            Operand::Const(id) => match id.value() {
                Constant::Int(n) => Some(n),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The kinds that a primitive's result can have. A `FrozenSet` is a tuple if the argument was one, and
/// `Integer` stands for elements and keys of any kind.
fn kinds_of_result(prim: Prim) -> Kinds {
    match prim.entry().result {
        Type::Any | Type::Integer | Type::Boolean => Kinds::ANY,
        Type::Numerical => Kinds::NUMBER.or(Kinds::ANY_TUPLE),
        Type::IntegerTuple | Type::Grid | Type::Tuple | Type::TupleTuple => Kinds::ANY_TUPLE,
        Type::Callable => Kinds::FUNCTION,
        _ => Kinds::CONTAINER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn functions(body: &str) -> Functions {
        let source = format!("def solve(I):\n    {}\n", body.replace("; ", "\n    "));
        let program = parse(&source, "a.py", None).unwrap().remove(0);
        Functions::of(program.ops())
    }

    /// The steps of line `k` as text: `s0 = shift(a0, c0)`.
    fn written(functions: &Functions, k: u32) -> Vec<String> {
        let function = functions.function(Operand::Var(k)).expect("a function");
        let name = |register: &Register| match register {
            Register::Arg(k) => format!("a{k}"),
            Register::Capture(k) => format!("c{k}"),
            Register::Step(k) => format!("s{k}"),
        };
        let step = |step: &FunctionStep| {
            let args: Vec<String> = step.args().iter().map(name).collect();
            let action = match step.action {
                FunctionAction::Call(prim) => prim.name(),
                FunctionAction::CallFirst => "call",
                FunctionAction::Compare => "compare",
            };
            format!("{}: {action}({})", step.n_calls, args.join(", "))
        };
        function.body().steps.iter().map(step).collect()
    }

    #[test]
    fn functions_of_functions_are_written_out_in_order() {
        let all = functions(
            "x = lbind(fill, I); y = rbind(x, UNITY); z = chain(size, identity, y); \
             w = matcher(z, ONE); v = fork(both, w, positive); return v",
        );
        assert_eq!(written(&all, 0), ["2: fill(c0, a0, a1)"]);
        assert_eq!(written(&all, 1), ["3: fill(c1, a0, c0)"]);
        assert_eq!(written(&all, 2), ["5: fill(c1, a0, c0)", "2: size(s0)"]);
        assert_eq!(
            written(&all, 4),
            [
                "7: fill(c1, a0, c0)",
                "2: size(s0)",
                "0: compare(s1, c2)",
                "1: positive(a0)",
                "1: both(s2, s3)"
            ]
        );
        let last = all.function(Operand::Var(4)).unwrap();
        assert_eq!(last.captures().len(), 3);
        assert_eq!((last.body().n_calls, last.body().depth), (11, 7));
    }

    #[test]
    fn calls_after_the_last_step_are_counted() {
        let all = functions("x = compose(identity, size); y = power(x, TWO); return y");
        let function = all.function(Operand::Var(0)).unwrap();
        assert_eq!(function.body().n_calls_after, 1);
        assert_eq!(function.as_prim(), None);
        assert_eq!(written(&all, 1), ["3: size(a0)", "3: size(s0)"]);
        let size = all.function(Operand::Prim(Prim::size));
        assert_eq!(size.and_then(|size| size.as_prim()), Some(Prim::size));
    }

    #[test]
    fn unusual_functions_are_left_to_the_run() {
        let all = functions(
            "x = rbind(size, ONE); y = compose(fill, size); z = compose(I, size); \
             w = power(size, I); v = branch(T, size, shape); u = compose(v, size); return u",
        );
        for k in 0..6 {
            assert_eq!(all.function(Operand::Var(k)), None, "{k}");
        }
    }

    #[test]
    fn a_function_that_is_known_later_is_called() {
        let value = Function::of_value("f", 1);
        let function = Function::composed(&value, &Function::of_prim(Prim::size)).unwrap();
        let [_, call] = &function.body().steps[..] else {
            panic!("two steps")
        };
        assert_eq!(call.action, FunctionAction::CallFirst);
        assert_eq!(call.args(), [Register::Capture(0), Register::Step(0)]);
        assert_eq!(call.n_calls, 0);
    }

    #[test]
    fn functions_without_end_are_left_to_the_run() {
        for line in [
            "compose(X, X)",
            "compose(identity, X)",
            "fork(astuple, X, X)",
        ] {
            let mut body = "x0 = compose(size, size); ".to_owned();
            for k in 1..120 {
                let line = line.replace('X', &format!("x{}", k - 1));
                body += &format!("x{k} = {line}; ");
            }
            let all = functions(&(body + "return I"));
            assert!(all.function(Operand::Var(3)).is_some(), "{line}");
            assert_eq!(all.function(Operand::Var(119)), None, "{line}");
        }
    }

    #[test]
    fn kinds_follow_from_bodies() {
        let all = functions(
            "x = compose(asindices, vmirror); y = x(I); z = compose(identity, identity); \
             w = z(I); v = matcher(size, ONE); u = v(I); return u",
        );
        assert_eq!(all.kinds(Operand::Var(1)), Kinds::CONTAINER);
        assert_eq!(all.kinds(Operand::Var(3)), Kinds::ANY_TUPLE);
        assert_eq!(all.kinds(Operand::Var(5)), Kinds::BOOLEAN);
    }
}
