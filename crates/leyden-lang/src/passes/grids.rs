//! Rules about the eight symmetries of a rectangle, which form a group.

use leyden_dsl::table::Prim;

use super::{Facts, Rewrite, View};
use crate::program::{Op, Operand};

pub(super) fn symmetry(view: &View<'_>, op: &Op) -> Option<Rewrite> {
    let (outer, piece) = turned(op)?;
    let (inner, grid) = turned(view.op(piece)?)?;
    if !view.facts(grid).has(Facts::GRID) {
        return None;
    }
    Some(match outer.after(inner).prim() {
        None => Rewrite::Is(grid),
        Some(prim) => Rewrite::Op(Op::Call {
            callee: Operand::Prim(prim),
            args: vec![grid],
        }),
    })
}

/// The symmetry that an operation applies, and the grid.
fn turned(op: &Op) -> Option<(Symmetry, Operand)> {
    match op {
        Op::Call {
            callee: Operand::Prim(prim),
            args,
        } => match args[..] {
            [piece] => Some((Symmetry::of(*prim)?, piece)),
            _ => None,
        },
        _ => None,
    }
}

/// A symmetry: a transposition, then reversed rows, then reversed columns, each of them optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symmetry {
    transposes: bool,
    flips_rows: bool,
    flips_columns: bool,
}

const SYMMETRIES: [(Prim, Symmetry); 7] = [
    (Prim::hmirror, symmetry_of(false, true, false)),
    (Prim::vmirror, symmetry_of(false, false, true)),
    (Prim::rot180, symmetry_of(false, true, true)),
    (Prim::dmirror, symmetry_of(true, false, false)),
    (Prim::rot270, symmetry_of(true, true, false)),
    (Prim::rot90, symmetry_of(true, false, true)),
    (Prim::cmirror, symmetry_of(true, true, true)),
];

const fn symmetry_of(transposes: bool, flips_rows: bool, flips_columns: bool) -> Symmetry {
    Symmetry {
        transposes,
        flips_rows,
        flips_columns,
    }
}

impl Symmetry {
    fn of(prim: Prim) -> Option<Symmetry> {
        let found = SYMMETRIES.iter().find(|(known, _)| *known == prim);
        found.map(|(_, symmetry)| *symmetry)
    }

    /// The primitive; none for the symmetry that changes nothing.
    fn prim(self) -> Option<Prim> {
        let found = SYMMETRIES.iter().find(|(_, known)| *known == self);
        found.map(|(prim, _)| *prim)
    }

    /// This symmetry after the other one.
    fn after(self, first: Symmetry) -> Symmetry {
        // A flip of rows before a transposition is a flip of columns after it.
        let (rows, columns) = if self.transposes {
            (first.flips_columns, first.flips_rows)
        } else {
            (first.flips_rows, first.flips_columns)
        };
        Symmetry {
            transposes: self.transposes != first.transposes,
            flips_rows: self.flips_rows != rows,
            flips_columns: self.flips_columns != columns,
        }
    }
}
