//! Values of numbers and tuples, outside of any arena.

use crate::vm::values::value::{Arena, Grid, Val};

/// The most parts of a value in the cache, so that one value never takes much of a sample's share;
/// larger values are computed again.
const MOST_PARTS: usize = 4_096;

/// A value without identity and provenance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plain {
    None,
    Bool(bool),
    Int(i64),
    Grid { width: usize, cells: Box<[i8]> },
    Tuple(Box<[Plain]>),
}

impl Plain {
    /// A copy of a value, if it is made of numbers and tuples.
    pub(crate) fn of(value: &Val<'_>) -> Option<Plain> {
        Plain::copied(value, &mut MOST_PARTS.clone())
    }

    fn copied(value: &Val<'_>, left: &mut usize) -> Option<Plain> {
        *left = left.checked_sub(1)?;
        let number = |n| Plain::Int(n);
        Some(match value {
            Val::None => Plain::None,
            Val::Bool(b) => Plain::Bool(b.get()),
            Val::Int(n) => Plain::Int(*n),
            Val::Pair(pair) => {
                let (i, j) = pair.get();
                Plain::Tuple([i, j].map(number).into())
            }
            Val::Cell(cell) => {
                let (v, i, j) = cell.get();
                let place = Plain::Tuple([i, j].map(number).into());
                Plain::Tuple([Plain::Int(i64::from(v)), place].into())
            }
            Val::Triple(cell) => {
                let (v, i, j) = cell.get();
                Plain::Tuple([i, j, i64::from(v)].map(number).into())
            }
            Val::Grid(grid) => Plain::Grid {
                width: grid.width(),
                cells: grid.cells().into(),
            },
            Val::Two(two) => {
                let items = [Plain::copied(&two.0, left)?, Plain::copied(&two.1, left)?];
                Plain::Tuple(items.into())
            }
            Val::Tuple(items) => {
                let items = items.all().iter().map(|item| Plain::copied(item, left));
                Plain::Tuple(items.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// The value in an arena.
    pub(crate) fn to_val<'a>(&self, arena: Arena<'a>) -> Val<'a> {
        match self {
            Plain::None => Val::None,
            Plain::Bool(b) => Val::Bool((*b).into()),
            Plain::Int(n) => Val::Int(*n),
            Plain::Grid { width, cells } => {
                let height = cells.len() / width.max(&1);
                let cells = arena.alloc_slice_copy(cells);
                Val::Grid(arena.alloc(Grid::new(height, *width, cells)))
            }
            Plain::Tuple(items) => {
                let items = items.iter().map(|item| item.to_val(arena));
                Val::tuple(arena, arena.alloc_slice_fill_iter(items))
            }
        }
    }

    /// Its approximate size in memory.
    pub(crate) fn n_bytes(&self) -> usize {
        let inside = match self {
            Plain::Grid { cells, .. } => cells.len(),
            Plain::Tuple(items) => items.iter().map(Plain::n_bytes).sum(),
            _ => 0,
        };
        size_of::<Plain>() + inside
    }
}
