//! Facts about a node's value that hold before it runs, if it does not fault.

use leyden_dsl::table::{Constant, Prim};

use crate::program::{Input, Op, Operand};

/// A set of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts(u8);

impl Facts {
    /// A tuple of at least one row. All rows are tuples of one length, which is at least one.
    pub(crate) const GRID: Facts = Facts(1);
    /// A number or a boolean.
    pub(crate) const NUMBER: Facts = Facts(2);
    /// Two whole numbers.
    pub(crate) const PAIR: Facts = Facts(4);
    /// A function of one argument.
    pub(crate) const UNARY: Facts = Facts(8);
    /// A function.
    pub(crate) const FUNCTION: Facts = Facts(16);

    const NOTHING: Facts = Facts(0);

    pub(crate) fn has(self, fact: Facts) -> bool {
        self.0 & fact.0 != 0
    }

    pub(crate) fn of_operand(operand: Operand, known: &[Facts]) -> Facts {
        match operand {
            Operand::Var(k) => known.get(k as usize).copied().unwrap_or_default(),
            Operand::Input(Input::I) => Facts::GRID,
            Operand::Input(_) | Operand::None => Facts::NOTHING,
            Operand::Int(_) => Facts::NUMBER,
            Operand::Const(id) => match id.value() {
                Constant::Bool(_) | Constant::Int(_) => Facts::NUMBER,
                Constant::Pair(..) => Facts::PAIR,
            },
            Operand::Prim(prim) if prim.arity() == 1 => Facts(8 | 16),
            Operand::Prim(_) => Facts::FUNCTION,
        }
    }

    pub(crate) fn of_op(op: &Op, known: &[Facts]) -> Facts {
        let facts = |operand: &Operand| Facts::of_operand(*operand, known);
        match op {
            Op::Copy(value) => facts(value),
            Op::Tuple(_) => Facts::NOTHING,
            Op::Call {
                callee: Operand::Prim(prim),
                args,
            } if prim.arity() == args.len() => {
                let first = args.first().map(facts).unwrap_or_default();
                let second = args.get(1).map(facts).unwrap_or_default();
                of_call(*prim, args, first, second)
            }
            Op::Call { .. } => Facts::NOTHING,
        }
    }
}

fn of_call(prim: Prim, args: &[Operand], left: Facts, right: Facts) -> Facts {
    use Prim::*;
    let grid_if = |holds: bool| if holds { Facts::GRID } else { Facts::NOTHING };
    match prim {
        size | height | width | numcolors | colorcount => Facts::NUMBER,
        compose | chain | matcher | fork => Facts(8 | 16),
        rbind | lbind => bound(args, left),
        hmirror | vmirror | dmirror | cmirror | rot90 | rot180 | rot270 => {
            grid_if(left.has(Facts::GRID))
        }
        fill | underfill | paint | underpaint | replace | switch | cover | r#move => {
            grid_if(left.has(Facts::GRID))
        }
        hconcat => grid_if(left.has(Facts::GRID) && right.has(Facts::GRID)),
        hupscale | vupscale | upscale => grid_if(left.has(Facts::GRID) && is_positive(args[1])),
        _ => Facts::NOTHING,
    }
}

/// The facts about `rbind` and `lbind`: the result takes one argument if the function is a
/// primitive with two.
fn bound(args: &[Operand], function: Facts) -> Facts {
    match args[0] {
        Operand::Prim(prim) if prim.arity() == 2 => Facts(8 | 16),
        _ if function.has(Facts::FUNCTION) => Facts::FUNCTION,
        _ => Facts::NOTHING,
    }
}

fn is_positive(operand: Operand) -> bool {
    match operand {
        Operand::Int(n) => n > 0,
        Operand::Const(id) => matches!(id.value(), Constant::Int(1..)),
        _ => false,
    }
}
