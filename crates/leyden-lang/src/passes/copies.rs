//! Rules about several names for one value.

use leyden_dsl::table::{Constant, Prim};

use super::{Rewrite, View};
use crate::program::{ConstId, Op, Operand};

pub(super) fn copy(_view: &View<'_>, op: &Op) -> Option<Rewrite> {
    match op {
        Op::Copy(value) => Some(Rewrite::Is(*value)),
        _ => None,
    }
}

pub(super) fn identity(_view: &View<'_>, op: &Op) -> Option<Rewrite> {
    match op {
        Op::Call {
            callee: Operand::Prim(Prim::identity),
            args,
        } => match args[..] {
            [x] => Some(Rewrite::Is(x)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn spelling(_view: &View<'_>, op: &Op) -> Option<Rewrite> {
    let has_name = |operand| matches!(operand, Operand::Int(n) if named(n).is_some());
    if !op.operands().any(has_name) {
        return None;
    }
    let mut op = op.clone();
    for operand in op.operands_mut() {
        *operand = spelled(*operand);
    }
    Some(Rewrite::Op(op))
}

fn spelled(operand: Operand) -> Operand {
    match operand {
        Operand::Int(n) => named(n).map_or(operand, Operand::Const),
        other => other,
    }
}

/// The constant with this number.
pub(super) fn named(n: i64) -> Option<ConstId> {
    (-2..=10)
        .contains(&n)
        .then(|| constant(Constant::Int(n)))
        .flatten()
}

pub(super) fn constant(value: Constant) -> Option<ConstId> {
    ConstId::all().find(|id| id.value() == value)
}
