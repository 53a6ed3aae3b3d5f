//! Rules about functions of functions.
//!
//! A program notices a replaced function only if it compares functions, asks for their arity (as
//! `rbind` and `lbind` do) or runs out of frames. So these rules apply only to programs that call
//! their functions, nest few of them and use them in no other way. The arity never changes.

use leyden_dsl::table::Prim;
use leyden_dsl::types::Type;

use super::arithmetic::{binary, by_right, commutes};
use super::{Facts, Rewrite, View};
use crate::program::{Op, Operand, Program};

/// The most functions of a program. More of them could nest so deep that CPython's limit of 1,000
/// frames is near.
const MOST_FUNCTIONS: usize = 60;

pub(super) fn commute(view: &View<'_>, op: &Op) -> Option<Rewrite> {
    match binary(op)? {
        (Prim::lbind, Operand::Prim(prim), fixed) if commutes(prim, view.facts(fixed)) => {
            Some(Rewrite::Op(Op::Call {
                callee: Operand::Prim(Prim::rbind),
                args: vec![Operand::Prim(prim), fixed],
            }))
        }
        _ => None,
    }
}

pub(super) fn named(_view: &View<'_>, op: &Op) -> Option<Rewrite> {
    match binary(op)? {
        (Prim::rbind, Operand::Prim(prim), fixed) => {
            by_right(prim, fixed).map(|short| Rewrite::Is(Operand::Prim(short)))
        }
        _ => None,
    }
}

pub(super) fn compose(view: &View<'_>, op: &Op) -> Option<Rewrite> {
    let (prim, outer, inner) = binary(op)?;
    if prim != Prim::compose {
        return None;
    }
    let parts = match (composed(view, outer), composed(view, inner)) {
        (Some((h, g)), None) => [h, g, inner],
        (None, Some((g, f))) => [outer, g, f],
        _ => return None,
    };
    Some(Rewrite::Op(Op::Call {
        callee: Operand::Prim(Prim::chain),
        args: parts.to_vec(),
    }))
}

/// The two functions that an operand is composed of.
fn composed(view: &View<'_>, operand: Operand) -> Option<(Operand, Operand)> {
    match binary(view.op(operand)?)? {
        (Prim::compose, outer, inner) => Some((outer, inner)),
        _ => None,
    }
}

pub(super) fn compose_identity(view: &View<'_>, op: &Op) -> Option<Rewrite> {
    let is_unary = |operand| view.facts(operand).has(Facts::UNARY);
    let identity = Operand::Prim(Prim::identity);
    match binary(op)? {
        (Prim::compose, outer, inner) if inner == identity && is_unary(outer) => {
            Some(Rewrite::Is(outer))
        }
        (Prim::compose, outer, inner) if outer == identity && is_unary(inner) => {
            Some(Rewrite::Is(inner))
        }
        _ => None,
    }
}

/// Whether functions of a program cannot nest deep.
pub(crate) fn is_shallow(program: &Program) -> bool {
    let mut operands = program.ops().flat_map(Op::operands);
    let is_power = |operand| operand == Operand::Prim(Prim::power);
    let n_functions = program.ops().filter(|op| is_function_call(op)).count();
    n_functions <= MOST_FUNCTIONS && !operands.any(is_power)
}

/// Whether an operation makes a function from functions.
pub(crate) fn is_function_call(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Operand::Prim(prim), .. } if makes_functions(*prim))
}

/// Whether a program uses functions other than by calling them.
pub(crate) fn functions_are_values(program: &Program) -> bool {
    let mut is_function = vec![false; program.lines.len()];
    for (k, line) in program.lines.iter().enumerate() {
        let holds = |operand: Operand| holds_function(operand, &is_function);
        if escapes(&line.op, holds) {
            return true;
        } else {
            is_function[k] = makes_function(&line.op, holds);
        }
    }
    holds_function(program.output, &is_function)
}

fn holds_function(operand: Operand, is_function: &[bool]) -> bool {
    match operand {
        Operand::Var(k) => is_function.get(k as usize).copied().unwrap_or(false),
        Operand::Prim(_) => true,
        _ => false,
    }
}

fn makes_function(op: &Op, holds: impl Fn(Operand) -> bool) -> bool {
    match op {
        Op::Copy(value) => holds(*value),
        Op::Tuple(_) => false,
        Op::Call { callee, .. } => {
            matches!(callee, Operand::Prim(prim) if makes_functions(*prim))
        }
    }
}

/// Whether a line passes a function to anything other than a parameter for functions.
fn escapes(op: &Op, holds: impl Fn(Operand) -> bool) -> bool {
    match op {
        Op::Copy(_) => false,
        Op::Tuple(items) => items.iter().any(|item| holds(*item)),
        Op::Call {
            callee: Operand::Prim(prim),
            args,
        } => prim_escapes(*prim, args, holds),
        Op::Call { args, .. } => args.iter().any(|arg| holds(*arg)),
    }
}

fn prim_escapes(prim: Prim, args: &[Operand], holds: impl Fn(Operand) -> bool) -> bool {
    let makes = |arg: &Operand| matches!(arg, Operand::Prim(prim) if makes_functions(*prim));
    if args.iter().any(makes) {
        return true;
    }
    match (prim, args) {
        (Prim::rbind, [Operand::Prim(inner), fixed]) => {
            let last = inner.entry().params.last();
            holds(*fixed) && last.is_none_or(|param| param.ty != Type::Callable)
        }
        (Prim::lbind, [Operand::Prim(inner), fixed]) => {
            let first = inner.entry().params.first();
            holds(*fixed) && first.is_none_or(|param| param.ty != Type::Callable)
        }
        _ => {
            let params = prim.entry().params;
            let meant = |k: usize| {
                params
                    .get(k)
                    .is_some_and(|param| param.ty == Type::Callable)
            };
            (0..args.len()).any(|k| holds(args[k]) && !meant(k))
        }
    }
}

/// Whether a primitive makes a new function.
fn makes_functions(prim: Prim) -> bool {
    use Prim::*;
    matches!(
        prim,
        compose | chain | matcher | rbind | lbind | power | fork
    )
}
