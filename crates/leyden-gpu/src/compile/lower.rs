//! From lines to steps: functions are written out where they are called, iterations become loops,
//! and what a primitive needs beforehand, such as the background, becomes a step of its own.

use std::rc::Rc;

use leyden_dsl::table::{Constant as Named, Dialect, Prim};
use leyden_lang::{Input, Op as LineOp, Operand, Program};

use super::function::{Function, Known};
use super::{Constant, Refusal, Step, Steps, Virtual};
use crate::wire::{Op, flag, tag};

type Lowered<T = Known> = Result<T, Refusal>;

/// The most instructions a program may have; calls within calls multiply.
const MAX_STEPS: usize = 20_000;

/// Numbers stay below this, so that the device's sums of two do not overflow.
const LARGEST: u64 = 2_000_000_000;

struct Lowering<'p> {
    program: &'p Program,
    known: Vec<Known>,
    steps: Steps,
    input: Virtual,
    line: i32,
    /// How many iterations the next step lies in.
    depth: usize,
    /// Are marks in use?
    is_marking: bool,
    /// Is the line only read by what goes through its elements?
    is_gone_through: bool,
}

pub(super) fn lowered(program: &Program) -> Lowered<Steps> {
    if !program.dialect.is_classic() {
        return Err(Refusal::Dialect);
    }
    let mut lowering = Lowering::new(program);
    for k in 0..program.lines.len() {
        lowering.lower_line(k)?;
    }
    let output = lowering.operand(program.output)?.value()?;
    lowering.emit(Op::OUTPUT, &[output])?;
    Ok(lowering.steps)
}

/// How many lines can be lowered, if each that cannot be is taken for a value.
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
            known: Vec::new(),
            steps: Steps::default(),
            input: 0,
            line: 0,
            depth: 0,
            is_marking: false,
            is_gone_through: false,
        };
        let nowhere = lowering.fresh();
        lowering.input = lowering.fresh();
        lowering.push(Op::CONSTANTS, nowhere, &[], 0);
        let input = lowering.input;
        lowering.push(Op::LOAD, input, &[], 0);
        lowering
    }

    fn fresh(&mut self) -> Virtual {
        self.steps.n_virtuals += 1;
        self.steps.n_virtuals - 1
    }

    fn push(&mut self, op: Op, target: Virtual, args: &[Virtual], flags: i32) {
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
            jump: 0,
        });
    }

    fn emit_with(&mut self, op: Op, args: &[Virtual], flags: i32) -> Lowered<Virtual> {
        if self.steps.steps.len() >= MAX_STEPS {
            return Err(Refusal::Memory);
        }
        let target = self.fresh();
        self.push(op, target, args, flags);
        Ok(target)
    }

    fn emit(&mut self, op: Op, args: &[Virtual]) -> Lowered<Virtual> {
        self.emit_with(op, args, 0)
    }

    fn constant(&mut self, tag: i32, i: i64, j: i64) -> Lowered<Virtual> {
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

    fn constant_at(&self, value: Virtual) -> Option<Constant> {
        let mut constants = self.steps.constants.iter();
        constants
            .find(|(other, _)| *other == value)
            .map(|(_, constant)| *constant)
    }

    fn operand(&mut self, operand: Operand) -> Lowered {
        let value = match operand {
            Operand::Var(k) => return self.known.get(k as usize).cloned().ok_or(Refusal::Function),
            Operand::Prim(prim) => return Ok(Known::of(Function::Prim(prim))),
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
        self.depth = 0;
        self.is_marking = false;
        self.is_gone_through = is_gone_through(self.program, k);
        let known = match &self.program.lines[k].op {
            LineOp::Copy(operand) => self.operand(*operand)?,
            LineOp::Tuple(items) => self.tuple(items)?,
            LineOp::Call { callee, args } => {
                let function = self.operand(*callee)?.function()?;
                let args = self.operands(args)?;
                self.call(&function, &args)?
            }
        };
        self.known.push(known);
        Ok(())
    }

    fn tuple(&mut self, items: &[Operand]) -> Lowered {
        let [a, b] = items else {
            return Err(Refusal::Tuple);
        };
        let pair = [self.operand(*a)?.value()?, self.operand(*b)?.value()?];
        Ok(Known::Value(self.emit(Op::ASTUPLE, &pair)?))
    }

    fn call(&mut self, function: &Function, args: &[Known]) -> Lowered {
        if args.len() != function.arity() {
            return Err(Refusal::Function);
        }
        match function {
            Function::Prim(prim) => self.primitive(*prim, args),
            Function::Compose(outer, inner) => {
                let x = self.call(inner, args)?;
                self.call(outer, &[x])
            }
            Function::Matcher(function, wanted) => {
                let found = self.call(function, args)?.value()?;
                let pair = [found, wanted.value()?];
                Ok(Known::Value(self.emit(Op::EQUALITY, &pair)?))
            }
            Function::Rbind(function, fixed) => {
                let args = [args, std::slice::from_ref(fixed)].concat();
                self.call(function, &args)
            }
            Function::Lbind(function, fixed) => {
                let args = [std::slice::from_ref(fixed), args].concat();
                self.call(function, &args)
            }
            Function::Fork(outer, a, b) => {
                let pair = [self.call(a, args)?, self.call(b, args)?];
                self.call(outer, &pair)
            }
            Function::Branch(condition, a, b) => self.either_call(*condition, a, b, args),
        }
    }

    /// Calls one function or the other; neither runs in vain, for it might fault.
    fn either_call(
        &mut self,
        condition: Virtual,
        a: &Function,
        b: &Function,
        args: &[Known],
    ) -> Lowered {
        let result = self.fresh();
        let fork = self.mark_jump(Op::JUMP_UNLESS, &[condition])?;
        let chosen = self.call(a, args)?.value()?;
        self.push(Op::EITHER, result, &[chosen, chosen], 0);
        let end = self.mark_jump(Op::JUMP, &[])?;
        self.steps.steps[fork].jump = self.steps.steps.len();
        let chosen = self.call(b, args)?.value()?;
        self.push(Op::EITHER, result, &[chosen, chosen], 0);
        self.steps.steps[end].jump = self.steps.steps.len();
        Ok(Known::Value(result))
    }

    /// A jump whose goal is not known yet.
    fn mark_jump(&mut self, op: Op, args: &[Virtual]) -> Lowered<usize> {
        self.emit(op, args)?;
        Ok(self.steps.steps.len() - 1)
    }

    fn primitive(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        if args.len() != prim.arity() {
            return Err(Refusal::Use(prim));
        }
        match prim {
            Prim::identity => Ok(args[0].clone()),
            Prim::compose | Prim::chain | Prim::matcher | Prim::fork => make_function(prim, args),
            Prim::rbind | Prim::lbind => {
                Function::bound(prim, args[0].function()?, args[1].clone())
            }
            Prim::power => self.power(args),
            Prim::apply | Prim::mapply => self.mapped(prim, args),
            Prim::prapply => self.mapped_pairs(args),
            Prim::merge if args[0].is_mapped() => {
                self.collected(Op::UNITE, &args[0], |_, element| Ok(element))
            }
            Prim::sfilter | Prim::mfilter | Prim::extract => self.filtered(prim, args),
            Prim::argmax | Prim::argmin | Prim::valmax | Prim::valmin => self.best(prim, args),
            Prim::branch if args[1].value().is_err() => {
                let (condition, a, b) =
                    (args[0].value()?, args[1].function()?, args[2].function()?);
                match a.arity() == b.arity() {
                    true => Ok(Known::of(Function::Branch(condition, a, b))),
                    false => Err(Refusal::Function),
                }
            }
            _ if !is_lowered(prim) => Err(Refusal::Primitive(prim)),
            _ => {
                let values: Vec<Virtual> = args.iter().map(Known::value).collect::<Lowered<_>>()?;
                Ok(Known::Value(self.on_values(prim, &values)?))
            }
        }
    }

    /// A primitive that takes no function.
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
                let op = Op::plain(prim.name()).ok_or(Refusal::Primitive(prim))?;
                self.emit(op, args)
            }
        }
    }

    fn first(&mut self, container: Virtual) -> Lowered<Virtual> {
        let number = self.emit(Op::ONLY, &[container])?;
        self.emit(Op::FIRST, &[container, number])
    }

    fn objects(&mut self, grid: Virtual, switches: &[Virtual]) -> Lowered<Virtual> {
        let flags = [flag::UNIVALUED, flag::DIAGONAL, flag::WITHOUT_BACKGROUND];
        let mut wanted = 0;
        for (switch, flag) in switches.iter().zip(flags) {
            let constant = self
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

    fn power(&mut self, args: &[Known]) -> Lowered {
        const MOST: i32 = 64;
        let function = args[0].function()?;
        let n = self.constant_at(args[1].value()?);
        let n = n.filter(|n| n.tag == tag::INT && (1..=MOST).contains(&n.i));
        let n = n.ok_or(Refusal::Use(Prim::power))?.i;
        let once = Known::Function(Rc::clone(&function));
        (1..n).try_fold(once, |inner, _| {
            let composed = Function::Compose(Rc::clone(&function), inner.function()?);
            Ok(Known::of(composed))
        })
    }

    /// Runs the steps of `body` for each element of a set; it gets the element and its number.
    fn for_each(
        &mut self,
        set: Virtual,
        body: impl FnOnce(&mut Self, Virtual, Virtual) -> Lowered<()>,
    ) -> Lowered<()> {
        let number = self.fresh();
        self.push(Op::BEST_RESET, number, &[], -1);
        let start = self.steps.steps.len();
        self.depth += 1;
        self.push(Op::NEXT_ELEMENT, number, &[set], 0);
        let element = self.emit(Op::ELEMENT, &[set, number])?;
        body(self, element, number)?;
        let nowhere = self.fresh();
        self.push(Op::JUMP, nowhere, &[], 0);
        self.depth -= 1;
        let end = self.steps.steps.len();
        self.steps.steps[start].jump = end;
        self.steps.steps[end - 1].jump = start;
        self.steps.loops.push((start, end - 1));
        Ok(())
    }

    /// The elements of a set, or what a function gives for them.
    fn for_each_of(
        &mut self,
        elements: &Known,
        body: impl FnOnce(&mut Self, Known, Virtual) -> Lowered<()>,
    ) -> Lowered<()> {
        if let Known::MappedPairs(a, b, function) = elements {
            return self.for_each_pair(*a, *b, |lowering, pair, number| {
                let element = lowering.call(function, &pair.map(Known::Value))?;
                body(lowering, element, number)
            });
        }
        let (set, function) = elements.elements()?;
        self.for_each(set, |lowering, element, number| {
            let element = Known::Value(element);
            let element = match function {
                Some(function) => lowering.call(&function, &[element])?,
                None => element,
            };
            body(lowering, element, number)
        })
    }

    /// Runs the steps of `body` for each pair of elements of two sets.
    fn for_each_pair(
        &mut self,
        a: Virtual,
        b: Virtual,
        body: impl FnOnce(&mut Self, [Virtual; 2], Virtual) -> Lowered<()>,
    ) -> Lowered<()> {
        self.for_each(a, |lowering, first, _| {
            lowering.for_each(b, |lowering, second, number| {
                body(lowering, [first, second], number)
            })
        })
    }

    /// `prapply`, of which nothing is kept: whoever goes through it calls the function again.
    fn mapped_pairs(&mut self, args: &[Known]) -> Lowered {
        let (function, a, b) = (args[0].function()?, args[1].value()?, args[2].value()?);
        if self.depth > 0 || !self.is_gone_through {
            return Err(Refusal::Use(Prim::prapply));
        }
        let pairs = Known::MappedPairs(a, b, function);
        // Called here only to see whether it faults, as Python would here.
        self.for_each_of(&pairs, |_, element, _| element.value().map(|_| ()))?;
        Ok(pairs)
    }

    fn mapped(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        let function = args[0].function()?;
        if prim == Prim::apply && self.depth == 0 && self.is_gone_through {
            return self.mapped_later(function, &args[1]);
        }
        let op = if prim == Prim::mapply {
            Op::UNITE
        } else {
            Op::GATHER
        };
        self.collected(op, &args[1], |lowering, element| {
            lowering.call(&function, &[element])
        })
    }

    /// Calls the function here only to see whether it faults, as Python would here.
    fn mapped_later(&mut self, function: Rc<Function>, elements: &Known) -> Lowered {
        self.for_each_of(elements, |lowering, element, _| {
            lowering.call(&function, &[element])?.value().map(|_| ())
        })?;
        let (set, before) = elements.elements()?;
        Ok(Known::Mapped(
            set,
            match before {
                Some(before) => Rc::new(Function::Compose(function, before)),
                None => function,
            },
        ))
    }

    /// All parts in one set.
    fn collected(
        &mut self,
        op: Op,
        elements: &Known,
        part: impl FnOnce(&mut Self, Known) -> Lowered,
    ) -> Lowered {
        let all = self.emit(Op::EMPTY_SET, &[])?;
        self.for_each_of(elements, |lowering, element, _| {
            let part = part(lowering, element)?.value()?;
            let more = lowering.emit(op, &[all, part])?;
            lowering.push(Op::EITHER, all, &[more, more], 0);
            Ok(())
        })?;
        Ok(Known::Value(all))
    }

    /// `mfilter` of what a function gives for elements.
    fn collected_if(&mut self, condition: &Function, elements: &Known) -> Lowered {
        let all = self.emit(Op::EMPTY_SET, &[])?;
        self.for_each_of(elements, |lowering, element, _| {
            let verdict = lowering
                .call(condition, std::slice::from_ref(&element))?
                .value()?;
            let skip = lowering.mark_jump(Op::JUMP_UNLESS, &[verdict])?;
            let more = lowering.emit(Op::UNITE, &[all, element.value()?])?;
            lowering.push(Op::EITHER, all, &[more, more], 0);
            lowering.steps.steps[skip].jump = lowering.steps.steps.len();
            Ok(())
        })?;
        Ok(Known::Value(all))
    }

    fn filtered(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        if prim == Prim::mfilter && args[0].is_mapped() {
            return self.collected_if(&*args[1].function()?, &args[0]);
        }
        let (set, function) = (args[0].value()?, args[1].function()?);
        // There is room for the marks of one filter at a time.
        if self.is_marking {
            return Err(Refusal::Memory);
        }
        self.emit(Op::MARKS_RESET, &[])?;
        self.is_marking = true;
        self.for_each(set, |lowering, element, number| {
            let verdict = lowering
                .call(&function, &[Known::Value(element)])?
                .value()?;
            let nowhere = lowering.fresh();
            lowering.push(Op::MARK, nowhere, &[verdict, number], 0);
            Ok(())
        })?;
        self.is_marking = false;
        let kept = self.emit(Op::MARKED, &[set])?;
        Ok(Known::Value(match prim {
            Prim::mfilter => self.emit(Op::MERGE, &[kept])?,
            Prim::extract => self.first(kept)?,
            _ => kept,
        }))
    }

    fn best(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        let (elements, function) = (&args[0], args[1].function()?);
        let (set, before) = elements.elements()?;
        let wants_key = matches!(prim, Prim::valmax | Prim::valmin);
        let wants_most = matches!(prim, Prim::argmax | Prim::valmax);
        let faults = !wants_key && self.program.dialect == Dialect::ArcDsl;
        if !wants_key && before.is_none() && matches!(*function, Function::Prim(Prim::size)) {
            let op = if wants_most {
                Op::LARGEST_LABEL
            } else {
                Op::SMALLEST_LABEL
            };
            let number = self.emit_with(op, &[set], i32::from(faults))?;
            return Ok(Known::Value(self.emit(Op::ELEMENT, &[set, number])?));
        }
        let best = self.emit_with(Op::BEST_RESET, &[], 0)?;
        self.for_each_of(elements, |lowering, element, number| {
            let key = lowering.call(&function, &[element])?.value()?;
            let flags = if wants_most { flag::WANTS_MOST } else { 0 };
            lowering.push(Op::BEST_OFFER, best, &[key, number], flags);
            Ok(())
        })?;
        let mut flags = if wants_key { flag::WANTS_KEY } else { 0 };
        flags |= if faults { flag::FAULT_IF_EMPTY } else { 0 };
        let taken = self.emit_with(Op::BEST_TAKE, &[best], flags)?;
        if wants_key {
            return Ok(Known::Value(taken));
        }
        let element = Known::Value(self.emit(Op::ELEMENT, &[set, taken])?);
        match before {
            Some(before) => self.call(&before, &[element]),
            None => Ok(element),
        }
    }
}

/// Do all readers of a line go through it as a set, element by element?
fn is_gone_through(program: &Program, line: usize) -> bool {
    let var = Operand::Var(line as u32);
    let reads = |op: &LineOp| op.operands().any(|operand| operand == var);
    let mut readers = program
        .lines
        .iter()
        .map(|line| &line.op)
        .filter(|op| reads(op))
        .peekable();
    program.output != var && readers.peek().is_some() && readers.all(|op| goes_through(op, var))
}

fn goes_through(op: &LineOp, var: Operand) -> bool {
    let LineOp::Call {
        callee: Operand::Prim(prim),
        args,
    } = op
    else {
        return false;
    };
    let place = match prim {
        Prim::apply | Prim::mapply => 1,
        Prim::merge | Prim::mfilter | Prim::argmax | Prim::argmin | Prim::valmax | Prim::valmin => {
            0
        }
        _ => return false,
    };
    let mut places = args.iter().enumerate().filter(|(_, arg)| **arg == var);
    places.all(|(k, _)| k == place)
}

/// Primitives without functions that are more than one operation.
const BY_PARTS: [Prim; 10] = [
    Prim::objects,
    Prim::fgpartition,
    Prim::underfill,
    Prim::underpaint,
    Prim::cover,
    Prim::r#move,
    Prim::first,
    Prim::other,
    Prim::insert,
    Prim::branch,
];

/// Primitives that call functions, or make them.
const WITH_FUNCTIONS: [Prim; 18] = [
    Prim::identity,
    Prim::compose,
    Prim::chain,
    Prim::matcher,
    Prim::fork,
    Prim::rbind,
    Prim::lbind,
    Prim::power,
    Prim::apply,
    Prim::mapply,
    Prim::prapply,
    Prim::sfilter,
    Prim::mfilter,
    Prim::extract,
    Prim::argmax,
    Prim::argmin,
    Prim::valmax,
    Prim::valmin,
];

fn is_lowered(prim: Prim) -> bool {
    BY_PARTS.contains(&prim) || Op::plain(prim.name()).is_some()
}

/// Does the device have this primitive?
pub(super) fn has(prim: Prim) -> bool {
    WITH_FUNCTIONS.contains(&prim) || is_lowered(prim)
}

fn make_function(prim: Prim, args: &[Known]) -> Lowered {
    let part = |k: usize| args[k].function();
    Ok(Known::of(match prim {
        Prim::matcher => Function::Matcher(part(0)?, args[1].clone()),
        Prim::compose => Function::Compose(part(0)?, part(1)?),
        Prim::chain => {
            let inner = Function::Compose(part(1)?, part(2)?);
            Function::Compose(part(0)?, inner.into())
        }
        _ => Function::Fork(part(0)?, part(1)?, part(2)?),
    }))
}
