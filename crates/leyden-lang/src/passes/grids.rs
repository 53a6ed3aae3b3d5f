//! The eight symmetries of a rectangle, as a group.

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

/// The symmetry that an operation applies, and to what.
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

/// A symmetry: first perhaps the main diagonal, then perhaps rows, then perhaps columns reversed.
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

    /// The primitive, or none for the grid as it is.
    fn prim(self) -> Option<Prim> {
        let found = SYMMETRIES.iter().find(|(_, known)| *known == self);
        found.map(|(prim, _)| *prim)
    }

    /// This symmetry of a grid that has undergone the other one.
    fn after(self, first: Symmetry) -> Symmetry {
        // A transposition after a flip of rows is a flip of columns after the transposition.
        let (rows, columns) = match self.transposes {
            true => (first.flips_columns, first.flips_rows),
            false => (first.flips_rows, first.flips_columns),
        };
        Symmetry {
            transposes: self.transposes != first.transposes,
            flips_rows: self.flips_rows != rows,
            flips_columns: self.flips_columns != columns,
        }
    }
}
