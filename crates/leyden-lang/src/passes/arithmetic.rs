//! Rules about numbers, pairs and choices.

use leyden_dsl::cx::{Cx, call_prim};
use leyden_dsl::table::{Constant, Prim};
use leyden_dsl::value::Value;

use super::copies::{constant, named as named_number};
use super::{Facts, Rewrite, View};
use crate::program::{ConstId, Op, Operand};

/// The primitive and the arguments of a call with two arguments.
pub(super) fn binary(op: &Op) -> Option<(Prim, Operand, Operand)> {
    match op {
        Op::Call {
            callee: Operand::Prim(prim),
            args,
        } => match args[..] {
            [a, b] => Some((*prim, a, b)),
            _ => None,
        },
        _ => None,
    }
}

fn call(prim: Prim, args: Vec<Operand>) -> Option<Rewrite> {
    let callee = Operand::Prim(prim);
    Some(Rewrite::Op(Op::Call { callee, args }))
}

pub(super) fn fold(view: &View<'_>, op: &Op) -> Option<Rewrite> {
    let Op::Call {
        callee: Operand::Prim(prim),
        args,
    } = op
    else {
        return None;
    };
    if !is_cheap(*prim) {
        return None;
    }
    let args: Vec<Value> = args
        .iter()
        .map(|arg| value_of(*arg))
        .collect::<Option<_>>()?;
    let result = call_prim(&mut Cx::new(view.dialect), *prim, &args).ok()?;
    operand_of(&result).map(Rewrite::Is)
}

/// Whether folding a call is worth it: arithmetic, and no primitive whose result can grow.
fn is_cheap(prim: Prim) -> bool {
    use Prim::*;
    matches!(
        prim,
        add | subtract
            | multiply
            | divide
            | invert
            | even
            | double
            | halve
            | flip
            | equality
            | greater
            | both
            | either
            | increment
            | decrement
            | crement
            | sign
            | positive
            | toivec
            | tojvec
            | astuple
            | first
            | last
    )
}

fn value_of(operand: Operand) -> Option<Value> {
    match operand {
        Operand::Const(id) => Some(Value::from(id.value())),
        Operand::Int(n) => Some(Value::Int(n)),
        _ => None,
    }
}

/// The operand with exactly this value and type, if there is one.
fn operand_of(value: &Value) -> Option<Operand> {
    match value {
        Value::Bool(value) => Some(Operand::Const(ConstId::of_bool(*value))),
        Value::Int(n) => Some(named_number(*n).map_or(Operand::Int(*n), Operand::Const)),
        Value::Tuple(items) => match items[..] {
            [Value::Int(a), Value::Int(b)] => constant(Constant::Pair(a, b)).map(Operand::Const),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn branch(_view: &View<'_>, op: &Op) -> Option<Rewrite> {
    match op {
        Op::Call {
            callee: Operand::Prim(Prim::branch),
            args,
        } => match args[..] {
            [condition, a, b] => {
                let holds = value_of(condition)?.is_truthy();
                Some(Rewrite::Is(if holds { a } else { b }))
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn commute(view: &View<'_>, op: &Op) -> Option<Rewrite> {
    if let Some((prim, a, b)) = binary(op) {
        let swaps = commutes(prim, view.facts(a)) || commutes(prim, view.facts(b));
        return (swaps && rank(a) < rank(b))
            .then(|| call(prim, vec![b, a]))
            .flatten();
    }
    match op {
        Op::Call {
            callee: Operand::Prim(Prim::switch),
            args,
        } => match args[..] {
            [grid, a, b] if is_int(a) && is_int(b) && rank(a) < rank(b) => {
                call(Prim::switch, vec![grid, b, a])
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether the order of a primitive's arguments does not matter if these facts hold for one of
/// them.
///
/// Two tuples of anything are not enough for `add`: it concatenates their parts if those are
/// tuples, and it reads its first argument first, so that the class of an error can depend on the
/// order. Neither can happen if one argument consists of numbers.
pub(super) fn commutes(prim: Prim, one: Facts) -> bool {
    match prim {
        Prim::equality => true,
        Prim::add | Prim::multiply => one.has(Facts::NUMBER) || one.has(Facts::PAIR),
        _ => false,
    }
}

/// The order of arguments: values before constants, as in `add(x, ONE)`, and later nodes before
/// earlier ones.
fn rank(operand: Operand) -> (u8, i64) {
    match operand {
        Operand::Var(k) => (5, i64::from(k)),
        Operand::Input(input) => (4, input as i64),
        Operand::Prim(prim) => (3, prim as i64),
        Operand::None => (2, 0),
        Operand::Const(id) => (1, id.index() as i64),
        Operand::Int(n) => (0, n),
    }
}

/// Whether an operand is a whole number. A boolean equals a number but is another value.
fn is_int(operand: Operand) -> bool {
    match operand {
        Operand::Int(_) => true,
        Operand::Const(id) => matches!(id.value(), Constant::Int(_)),
        _ => false,
    }
}

pub(super) fn named(_view: &View<'_>, op: &Op) -> Option<Rewrite> {
    let (prim, a, b) = binary(op)?;
    if let Some(short) = by_right(prim, b) {
        return call(short, vec![a]);
    }
    match (prim, number(a)) {
        (Prim::astuple, Some(0)) => call(Prim::tojvec, vec![b]),
        _ => None,
    }
}

/// The short primitive for another one whose right argument is this number.
pub(super) fn by_right(prim: Prim, fixed: Operand) -> Option<Prim> {
    match (prim, number(fixed)?) {
        (Prim::add, 1) => Some(Prim::increment),
        (Prim::subtract, 1) => Some(Prim::decrement),
        (Prim::multiply, 2) => Some(Prim::double),
        (Prim::divide, 2) => Some(Prim::halve),
        (Prim::greater, 0) => Some(Prim::positive),
        (Prim::astuple, 0) => Some(Prim::toivec),
        _ => None,
    }
}

/// The value of a whole number, literal or named. Booleans do not count.
fn number(operand: Operand) -> Option<i64> {
    match operand {
        Operand::Int(n) => Some(n),
        Operand::Const(id) => match id.value() {
            Constant::Int(n) => Some(n),
            _ => None,
        },
        _ => None,
    }
}
