//! Lowers lines to steps: functions are written out where they are called, iterations become loops,
//! and a value that a primitive needs beforehand, such as the background, becomes a separate step.

use leyden_dsl::marks::Mark;
use leyden_dsl::table::{Constant as Named, Cost, Prim};
use leyden_dsl::types::Type;
use leyden_lang::{FunctionAction, Functions, Input, Op as LineOp, Operand, Program, Register};

use super::function::{Function, Known};
use super::{Constant, Refusal, Step, Steps, Virtual};
use crate::wire::{Op, flag, tag};

pub(super) type Lowered<T = Known> = Result<T, Refusal>;

/// The largest number of instructions of a program. Calls within calls multiply.
const MAX_STEPS: usize = 20_000;

/// The largest number of lines of a program, of calls that are written out, and of their nesting.
/// Not all of them become instructions.
const MAX_LINES: usize = 2_000;
const MAX_CALLS: usize = 200_000;
const MAX_NESTING: usize = 100;

/// The largest surcharge. It has to fit into the bits beside the number of phases.
const MAX_SURCHARGE: i32 = (1 << 22) - 1;

/// The largest cost of a call on tuples of at most `MAX_ITEMS` items: two of them and the result,
/// each with as many rows as a grid can have.
const COST_OF_TUPLES: i32 = 3 * MAX_ITEMS as i32 * 255;

/// The largest number of items of a tuple that is not a value.
pub(super) const MAX_ITEMS: usize = 16;

/// The bound on numbers, so that the device's sums of two do not overflow.
const LARGEST: u64 = 2_000_000_000;

pub(super) struct Lowering<'p> {
    pub(super) program: &'p Program,
    /// The functions that lines make of functions with names.
    functions: Functions,
    known: Vec<Known>,
    pub(super) steps: Steps,
    input: Virtual,
    line: i32,
    n_calls: usize,
    nesting: usize,
    /// Fuel for calls that became no step yet.
    unpaid: i32,
    /// The number of iterations around the next step.
    pub(super) depth: usize,
    /// Whether marks are in use.
    pub(super) is_marking: bool,
    /// Whether the only readers of the line go through its elements.
    pub(super) is_gone_through: bool,
    /// Whether all readers of the line treat a set and a tuple alike.
    pub(super) is_order_free: bool,
}

pub(super) fn lowered(program: &Program) -> Lowered<Steps> {
    if !program.dialect.is_classic() {
        return Err(Refusal::Dialect);
    }
    if program.lines.len() > MAX_LINES {
        return Err(Refusal::Memory);
    }
    let mut lowering = Lowering::new(program);
    for k in 0..program.lines.len() {
        lowering.lower_line(k)?;
    }
    let output = lowering.operand(program.output)?;
    let output = lowering.value_of(&output)?;
    lowering.emit(Op::OUTPUT, &[output])?;
    Ok(lowering.steps)
}

/// The number of lines that can be lowered, if each of the others is taken for a value.
pub(super) fn count_supported(program: &Program) -> usize {
    let mut lowering = Lowering::new(program);
    let mut n_supported = 0;
    for k in 0..program.lines.len() {
        match lowering.lower_line(k) {
            Ok(()) => n_supported += 1,
            Err(_) => {
                let unknown = lowering.fresh();
                lowering.known.truncate(k);
                lowering.known.push(Known::Value(unknown));
            }
        }
    }
    n_supported
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program) -> Self {
        let mut lowering = Lowering {
            program,
            functions: Functions::of(program.ops()),
            known: Vec::new(),
            steps: Steps::default(),
            input: 0,
            line: 0,
            n_calls: 0,
            nesting: 0,
            unpaid: 0,
            depth: 0,
            is_marking: false,
            is_gone_through: false,
            is_order_free: false,
        };
        let nowhere = lowering.fresh();
        lowering.input = lowering.fresh();
        lowering.push(Op::CONSTANTS, nowhere, &[], 0);
        let input = lowering.input;
        lowering.push(Op::LOAD, input, &[], 0);
        lowering
    }

    pub(super) fn fresh(&mut self) -> Virtual {
        self.steps.n_virtuals += 1;
        self.steps.n_virtuals - 1
    }

    pub(super) fn push(&mut self, op: Op, target: Virtual, args: &[Virtual], flags: i32) {
        let line = if self.depth > 0 {
            -1 - self.line
        } else {
            self.line
        };
        self.steps.steps.push(Step {
            op,
            target,
            args: args.to_vec(),
            line,
            flags,
            surcharge: std::mem::take(&mut self.unpaid).min(MAX_SURCHARGE),
            jump: 0,
        });
    }

    pub(super) fn emit_with(&mut self, op: Op, args: &[Virtual], flags: i32) -> Lowered<Virtual> {
        if self.steps.steps.len() >= MAX_STEPS || self.unpaid > MAX_SURCHARGE {
            return Err(Refusal::Memory);
        }
        let target = self.fresh();
        self.push(op, target, args, flags);
        Ok(target)
    }

    pub(super) fn emit(&mut self, op: Op, args: &[Virtual]) -> Lowered<Virtual> {
        self.emit_with(op, args, 0)
    }

    pub(super) fn constant(&mut self, tag: i32, i: i64, j: i64) -> Lowered<Virtual> {
        let is_small = |x: &i64| x.unsigned_abs() < LARGEST;
        let number = |x: i64| {
            i32::try_from(x)
                .ok()
                .filter(|_| is_small(&x))
                .ok_or(Refusal::Number)
        };
        let (i, j) = (number(i)?, number(j)?);
        let wanted = Constant { tag, i, j };
        if let Some((value, _)) = self.steps.constants.iter().find(|(_, c)| *c == wanted) {
            return Ok(*value);
        }
        let value = self.fresh();
        self.steps.constants.push((value, wanted));
        Ok(value)
    }

    fn operand(&mut self, operand: Operand) -> Lowered {
        let value = match operand {
            Operand::Var(k) => return self.known.get(k as usize).cloned().ok_or(Refusal::Function),
            Operand::Prim(prim) => return Ok(Known::prim(prim)),
            Operand::Input(Input::I) => self.input,
            Operand::Input(_) | Operand::None => return Err(Refusal::Input),
            Operand::Int(n) => self.constant(tag::INT, n, 0)?,
            Operand::Const(id) => match id.value() {
                Named::Bool(b) => self.constant(tag::BOOL, b.into(), 0)?,
                Named::Int(n) => self.constant(tag::INT, n, 0)?,
                Named::Pair(i, j) => self.constant(tag::PAIR, i, j)?,
            },
        };
        Ok(Known::Value(value))
    }

    fn operands(&mut self, operands: &[Operand]) -> Lowered<Vec<Known>> {
        operands
            .iter()
            .map(|operand| self.operand(*operand))
            .collect()
    }

    fn lower_line(&mut self, k: usize) -> Lowered<()> {
        self.line = k as i32;
        self.nesting = 0;
        self.depth = 0;
        self.is_marking = false;
        self.is_gone_through = all_readers(self.program, k, goes_through);
        self.is_order_free = is_collection(&self.program.lines[k].op)
            && all_readers(self.program, k, takes_any_order);
        let function = self.functions.function(Operand::Var(k as u32));
        let known = match (&self.program.lines[k].op, function) {
            (LineOp::Copy(operand), _) => self.operand(*operand)?,
            (LineOp::Tuple(items), _) => self.tuple(items)?,
            (LineOp::Call { .. }, Some(function)) => {
                self.enter(1, 1)?;
                self.pay(1);
                let function = function.try_map(|operand| self.operand(*operand))?;
                Known::of(Function::Resolved(function))
            }
            (LineOp::Call { callee, args }, None) => {
                let function = self.operand(*callee)?.function()?;
                let args = self.operands(args)?;
                self.call(&function, &args)?
            }
        };
        self.known.push(known);
        Ok(())
    }

    fn tuple(&mut self, items: &[Operand]) -> Lowered {
        if items.is_empty() || items.len() > MAX_ITEMS {
            return Err(Refusal::Tuple);
        }
        Ok(Known::tuple(self.operands(items)?))
    }

    pub(super) fn call(&mut self, function: &Function, args: &[Known]) -> Lowered {
        if args.len() != function.arity() {
            return Err(Refusal::Function);
        }
        match function {
            Function::Resolved(function) => {
                let body = function.body();
                self.enter(body.depth as usize, body.n_calls as usize)?;
                let result = self.run(function, args)?;
                self.nesting -= body.depth as usize;
                Ok(result)
            }
            Function::Branch(condition, a, b) => {
                self.enter(1, 1)?;
                self.pay(1);
                let result = self.either_call(*condition, a, b, args)?;
                self.nesting -= 1;
                Ok(result)
            }
        }
    }

    fn enter(&mut self, depth: usize, n_calls: usize) -> Lowered<()> {
        self.nesting += depth;
        self.n_calls += n_calls;
        if self.n_calls > MAX_CALLS || self.nesting > MAX_NESTING {
            return Err(Refusal::Memory);
        }
        Ok(())
    }

    /// Adds fuel to the price of the next step.
    fn pay(&mut self, fuel: u32) {
        self.unpaid = self.unpaid.saturating_add_unsigned(fuel);
    }

    fn run(&mut self, function: &leyden_lang::Function<Known>, args: &[Known]) -> Lowered {
        let body = function.body();
        let mut results: Vec<Known> = Vec::with_capacity(body.steps.len());
        let value = |results: &[Known], register: &Register| match *register {
            Register::Arg(k) => args[usize::from(k)].clone(),
            Register::Capture(k) => function.captures()[usize::from(k)].clone(),
            Register::Step(k) => results[usize::from(k)].clone(),
        };
        for step in &body.steps {
            self.pay(step.n_calls);
            let args = step.args().iter().map(|arg| value(&results, arg));
            let args: Vec<Known> = args.collect();
            results.push(self.step(step.action, &args)?);
        }
        self.pay(body.n_calls_after);
        Ok(value(&results, &body.out))
    }

    fn step(&mut self, action: FunctionAction, args: &[Known]) -> Lowered {
        match (action, args) {
            (FunctionAction::Call(prim), _) => self.primitive(prim, args),
            (FunctionAction::CallFirst, [function, args @ ..]) => {
                self.call(&*function.function()?, args)
            }
            (FunctionAction::Compare, [found, wanted]) => {
                let pair = [self.value_of(found)?, self.value_of(wanted)?];
                Ok(Known::Value(self.emit(Op::EQUALITY, &pair)?))
            }
            _ => Err(Refusal::Function),
        }
    }

    /// Calls one function or the other. Neither is called in vain, since it might fault.
    fn either_call(
        &mut self,
        condition: Virtual,
        a: &Function,
        b: &Function,
        args: &[Known],
    ) -> Lowered {
        let result = self.fresh();
        let fork = self.mark_jump(Op::JUMP_UNLESS, &[condition])?;
        let chosen = self.call(a, args)?;
        let chosen = self.value_of(&chosen)?;
        self.push(Op::EITHER, result, &[chosen, chosen], 0);
        let end = self.mark_jump(Op::JUMP, &[])?;
        self.steps.steps[fork].jump = self.steps.steps.len();
        let chosen = self.call(b, args)?;
        let chosen = self.value_of(&chosen)?;
        self.push(Op::EITHER, result, &[chosen, chosen], 0);
        self.steps.steps[end].jump = self.steps.steps.len();
        Ok(Known::Value(result))
    }

    /// Emits a jump whose target is set later.
    pub(super) fn mark_jump(&mut self, op: Op, args: &[Virtual]) -> Lowered<usize> {
        self.emit(op, args)?;
        Ok(self.steps.steps.len() - 1)
    }

    fn primitive(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        if args.len() != prim.arity() {
            return Err(Refusal::Use(prim));
        }
        if let Some(known) = self.on_tuples(prim, args)? {
            self.pay_for(prim, args, &known)?;
            return Ok(known);
        }
        match prim {
            Prim::identity => Ok(args[0].clone()),
            _ if prim.entry().result == Type::Callable => {
                Function::made_by(prim, args, &self.steps)
            }
            Prim::apply | Prim::mapply => self.mapped(prim, args),
            Prim::prapply => self.paired(prim, args),
            Prim::product if self.depth == 0 && self.is_gone_through => self.paired(prim, args),
            Prim::merge if matches!(args[0], Known::Stream(_)) => {
                self.collected(Op::UNITE, &args[0].stream()?)
            }
            Prim::sfilter | Prim::mfilter | Prim::extract => self.filtered(prim, args),
            Prim::argmax | Prim::argmin | Prim::valmax | Prim::valmin => self.best(prim, args),
            Prim::branch if matches!(args[1], Known::Function(_)) => {
                let condition = self.value_of(&args[0])?;
                Function::branch(condition, args[1].function()?, args[2].function()?)
            }
            _ if !has(prim) => Err(Refusal::Primitive(prim)),
            _ => {
                let values: Lowered<Vec<_>> = args.iter().map(|arg| self.value_of(arg)).collect();
                let values = values?;
                Ok(Known::Value(self.on_values(prim, &values)?))
            }
        }
    }

    /// Charges at least the CPU's cost of a call on tuples.
    fn pay_for(&mut self, prim: Prim, args: &[Known], result: &Known) -> Lowered<()> {
        if prim.entry().cost != Cost::Linear {
            return Ok(());
        }
        let (Prim::last, [Known::Tuple(items)], Known::Value(last)) = (prim, args, result) else {
            self.unpaid = self.unpaid.saturating_add(COST_OF_TUPLES);
            return Ok(());
        };
        // Loops call this for each of many pairs, so the exact count is worth it.
        let first = items[0].value().unwrap_or(*last);
        self.emit(Op::CHARGE, &[first, *last, *last]).map(|_| ())
    }

    /// The value on the device; an error if the device cannot hold it.
    pub(super) fn value_of(&mut self, known: &Known) -> Lowered<Virtual> {
        // A cell is a pair within a pair. No value nests deeper.
        self.value_within(known, 2)
    }

    fn value_within(&mut self, known: &Known, depth: usize) -> Lowered<Virtual> {
        let Known::Tuple(items) = known else {
            return known.value();
        };
        match &items[..] {
            [a, b] if depth > 0 => {
                let pair = [
                    self.value_within(a, depth - 1)?,
                    self.value_within(b, depth - 1)?,
                ];
                self.emit(Op::ASTUPLE, &pair)
            }
            _ => Err(Refusal::Tuple),
        }
    }

    /// Lowers a primitive that takes no function.
    fn on_values(&mut self, prim: Prim, args: &[Virtual]) -> Lowered<Virtual> {
        match (prim, args) {
            (Prim::objects, [grid, switches @ ..]) => self.objects(*grid, switches),
            (Prim::fgpartition, [grid]) => {
                let background = self.emit(Op::MOSTCOLOR, &[*grid])?;
                self.emit(Op::FGPARTITION, &[*grid, background])
            }
            (Prim::underfill, [grid, value, patch]) => {
                let background = self.emit_with(Op::MOSTCOLOR, &[*grid], flag::GRIDS_ONLY)?;
                self.emit(Op::UNDERFILL, &[*grid, *value, *patch, background])
            }
            (Prim::underpaint, [grid, object]) => {
                let background = self.emit_with(Op::MOSTCOLOR, &[*grid], flag::GRIDS_ONLY)?;
                self.emit(Op::UNDERPAINT, &[*grid, *object, background])
            }
            (Prim::cover, [grid, patch]) => {
                let background = self.emit(Op::MOSTCOLOR, &[*grid])?;
                self.emit(Op::FILL, &[*grid, background, *patch])
            }
            (Prim::r#move, [grid, object, offset]) => {
                let covered = self.on_values(Prim::cover, &[*grid, *object])?;
                let shifted = self.emit(Op::SHIFT, &[*object, *offset])?;
                self.emit(Op::PAINT, &[covered, shifted])
            }
            (Prim::first, [container]) => self.first(*container),
            (Prim::other, [container, value]) => {
                let others = self.emit(Op::REMOVE, &[*value, *container])?;
                self.first(others)
            }
            (Prim::insert, [value, container]) => self.emit(Op::GATHER, &[*container, *value]),
            (Prim::branch, _) => self.emit(Op::BRANCH, args),
            _ => {
                let op = Op::plain(prim).ok_or(Refusal::Primitive(prim))?;
                self.emit(op, args)
            }
        }
    }

    pub(super) fn first(&mut self, container: Virtual) -> Lowered<Virtual> {
        let number = self.emit(Op::ONLY, &[container])?;
        self.emit(Op::FIRST, &[container, number])
    }

    fn objects(&mut self, grid: Virtual, switches: &[Virtual]) -> Lowered<Virtual> {
        let flags = [flag::UNIVALUED, flag::DIAGONAL, flag::WITHOUT_BACKGROUND];
        let mut wanted = 0;
        for (switch, flag) in switches.iter().zip(flags) {
            let constant = self
                .steps
                .constant_at(*switch)
                .ok_or(Refusal::Use(Prim::objects))?;
            if constant.tag == tag::PAIR || constant.i != 0 {
                wanted |= flag;
            }
        }
        if wanted & flag::WITHOUT_BACKGROUND == 0 {
            return self.emit_with(Op::OBJECTS, &[grid], wanted);
        }
        let background = self.emit(Op::MOSTCOLOR, &[grid])?;
        self.emit_with(Op::OBJECTS, &[grid, background], wanted)
    }
}

/// Whether all readers of a line take it as the argument at one of these places.
fn all_readers(program: &Program, line: usize, is_place: fn(Prim, usize) -> bool) -> bool {
    let var = Operand::Var(line as u32);
    let reads = |op: &LineOp| op.operands().any(|operand| operand == var);
    let mut readers = program
        .lines
        .iter()
        .map(|line| &line.op)
        .filter(|op| reads(op))
        .peekable();
    program.output != var
        && readers.peek().is_some()
        && readers.all(|op| is_read_at(op, var, is_place))
}

fn is_read_at(op: &LineOp, var: Operand, is_place: fn(Prim, usize) -> bool) -> bool {
    let LineOp::Call {
        callee: Operand::Prim(prim),
        args,
    } = op
    else {
        return false;
    };
    let mut found = args.iter().enumerate().filter(|(_, arg)| **arg == var);
    found.all(|(k, _)| is_place(*prim, k))
}

/// Whether a primitive goes through the set at that place, element by element.
fn goes_through(prim: Prim, place: usize) -> bool {
    let each = prim.entry().each_of_one();
    let is_container = each.is_some_and(|(container, _)| container == place);
    (prim == Prim::merge && place == 0) || (is_container && prim.entry().marks.has(Mark::Lowered))
}

/// Whether a primitive takes the set at that place in any order.
fn takes_any_order(prim: Prim, place: usize) -> bool {
    prim.entry().takes_any_order(place)
}

/// Whether the line itself collects the results of a function.
fn is_collection(op: &LineOp) -> bool {
    let prims = [Prim::apply, Prim::mapply, Prim::merge, Prim::mfilter].map(Operand::Prim);
    matches!(op, LineOp::Call { callee, .. } if prims.contains(callee))
}

/// Whether the device has this primitive.
pub(super) fn has(prim: Prim) -> bool {
    prim.entry().marks.has(Mark::Lowered) || Op::plain(prim).is_some()
}
