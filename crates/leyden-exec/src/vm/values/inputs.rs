//! Values that programs read and no line makes: inputs and constants.

use leyden_grid::{Grid as TaskGrid, GridRef, Pair};
use leyden_lang::{Input, Operand};

use crate::vm::values::value::{Arena, Grid, Val};

/// The grids that the inputs stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    values: [Val<'a>; Input::ALL.len()],
}

impl<'a> Inputs<'a> {
    /// No inputs at all.
    pub(crate) const NONE: Inputs<'static> = Inputs {
        values: [Val::None; 3],
    };

    /// The inputs of a program that reads only an input grid.
    #[inline]
    pub(crate) fn alone(arena: Arena<'a>, input: GridRef<'_>) -> Inputs<'a> {
        Inputs {
            values: [grid(arena, input), Val::empty_tuple(), Val::None],
        }
    }

    /// The inputs that all samples of a task share.
    pub(crate) fn of_task(
        arena: Arena<'a>,
        pairs: &[Pair],
        expected: Option<&TaskGrid>,
    ) -> Inputs<'a> {
        Inputs {
            values: [
                Val::None,
                demos(arena, pairs),
                expected.map_or(Val::None, |c| grid(arena, c.by_ref())),
            ],
        }
    }

    /// Adds an input grid.
    pub(crate) fn with(self, arena: Arena<'a>, input: GridRef<'_>) -> Inputs<'a> {
        let [_, s, c] = self.values;
        Inputs {
            values: [grid(arena, input), s, c],
        }
    }

    /// All of them, in the order of [`Input::ALL`].
    pub(crate) fn all(&self) -> &[Val<'a>] {
        &self.values
    }
}

fn grid<'a>(arena: Arena<'a>, grid: GridRef<'_>) -> Val<'a> {
    let cells = arena.alloc_slice_fill_copy(grid.cells().len(), 0);
    for (cell, colour) in cells.iter_mut().zip(grid.cells()) {
        *cell = *colour as i8;
    }
    Val::Grid(arena.alloc(Grid::new(grid.height(), grid.width(), cells)))
}

fn demos<'a>(arena: Arena<'a>, demos: &[Pair]) -> Val<'a> {
    let grid = |it: &TaskGrid| grid(arena, it.by_ref());
    let demo = |pair: &Pair| Val::two(arena, grid(&pair.input), grid(&pair.output));
    Val::tuple(arena, arena.alloc_slice_fill_iter(demos.iter().map(demo)))
}

/// The value of an operand that needs no sample; `None` for other operands.
#[inline]
pub(crate) fn constant(operand: &Operand) -> Val<'static> {
    match operand {
        Operand::Const(id) => Val::small_constant(id.value()),
        Operand::Int(n) => Val::Int(*n),
        Operand::Prim(prim) => Val::Prim(prim.entry()),
        Operand::None | Operand::Var(_) | Operand::Input(_) => Val::None,
    }
}
