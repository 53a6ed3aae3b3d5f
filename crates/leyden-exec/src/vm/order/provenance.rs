//! How CPython made a set, from which its order follows.

use leyden_dsl::value::MAX_NODES;
use xxhash_rust::xxh3::xxh3_128;

use crate::vm::values::arena::CellForm;
use crate::vm::values::value::{Arena, Grid, Val};

/// How CPython made a set, or a tuple out of sets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Made<'a> {
    /// In an unknown way.
    Somehow,
    /// From a row of a grid: a tuple of numbers.
    FromRow,
    /// By a generator, from left to right and row after row.
    ByRows,
    /// By a generator, row after row, into a set that was then copied.
    ByRowsAndCopied,
    /// By a recipe.
    By(&'a Recipe<'a>),
}

/// How CPython made a set from other values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recipe<'a> {
    /// One element after the other, in this order.
    Listed(&'a [Val<'a>]),
    /// In an unknown way, with this order as the result.
    Ordered(&'a [Val<'a>]),
    /// From each element of a set of places, changed, in the order of that set.
    Changed(Val<'a>, Change<'a>),
    /// From the results of a function on the elements of a set. The results stand in the order of
    /// the set's [`Val::elements`].
    Applied(Val<'a>, &'a [Val<'a>]),
    /// From all elements of the results of a function, after the results became a set themselves.
    AppliedAndMerged(Val<'a>, &'a [Val<'a>]),
    /// The elements of a container that are in this set, in the container's order.
    Part(Val<'a>),
    /// The elements of a set, as a tuple.
    Elements(Val<'a>),
    /// The elements of all containers in a container.
    Merged(Val<'a>),
    /// The elements of one container, then those of another.
    Joined(Val<'a>, Val<'a>),
    /// All pairs of two containers' elements, with the second container in the outer loop.
    Product(Val<'a>, Val<'a>),
    /// The results of a function on all pairs of two containers' elements, in the order of both
    /// [`Val::elements`].
    Crossed(Val<'a>, Val<'a>, &'a [Val<'a>]),
    /// The lines between all places of a set, listed for each place in the order of
    /// [`Val::elements`]. The line from one place to another equals the line back.
    Connected(Val<'a>, &'a [Val<'a>]),
    /// `a & b`, of different sets.
    Common(Val<'a>, Val<'a>),
    /// `a - b`
    Less(Val<'a>, Val<'a>),
    /// `a | {element}`
    With(Val<'a>, Val<'a>),
    /// `a | b`
    Either(Val<'a>, Val<'a>),
    /// The eight neighbours of a location.
    Neighbours(i64, i64),
    /// The outline of a rectangle: top, left, bottom, right.
    Outline(i64, i64, i64, i64),
    /// The objects of a grid, in the order in which its locations are visited.
    Objects(Search<'a>),
    /// One of the objects of a grid, grown ring by ring.
    Object(Search<'a>),
    /// A block for each cell of an object, inside the set that is then shifted back.
    Upscaled(Val<'a>, i64),
    /// One object for each colour of a grid's palette, without one colour if there is one here.
    Partition(Grid<'a>, Option<i8>),
    /// The colours of a grid or object.
    Palette(Val<'a>),
}

/// A call of `objects`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a> {
    pub(crate) grid: Grid<'a>,
    pub(crate) is_univalued: bool,
    pub(crate) is_diagonal: bool,
    /// The background colour, if objects leave it out.
    pub(crate) background: Option<i8>,
    /// How the cells of the objects are written.
    pub(crate) form: CellForm,
}

impl Search<'_> {
    pub(crate) fn content_hash(&self) -> u128 {
        let cells = self.grid.cells();
        let mut said = Vec::with_capacity(cells.len() + 4 + size_of::<usize>());
        said.extend(cells.iter().map(|v| *v as u8));
        let flags = [
            self.is_univalued,
            self.is_diagonal,
            self.background.is_some(),
            self.form == CellForm::Flat,
        ];
        said.extend(flags.map(u8::from));
        said.extend(self.grid.width().to_le_bytes());
        xxh3_128(&said)
    }
}

/// A change of a location or cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    Shift(i64, i64),
    Recolour(i8),
    Uncolour,
    /// Takes its colour from the grid; locations outside are dropped.
    LookUp(Grid<'a>),
    /// `(d - i, j)`
    UpsideDown(i64),
    /// `(i, d - j)`
    LeftRight(i64),
    /// `(j - left + top, i - top + left)`
    Transpose(i64, i64),
}

/// A cell of an object has at most five parts; an object for each cell would be a sixth.
const MOST_PARTS_OF_CELL: u64 = 6;

impl<'a> Made<'a> {
    pub(crate) fn by(arena: Arena<'a>, recipe: Recipe<'a>) -> Made<'a> {
        Made::By(arena.alloc(recipe))
    }

    /// Whether two sets of equal elements surely have one order.
    pub(crate) fn is_like(&self, other: &Made<'a>) -> bool {
        self.is_like_within(other, MAX_LIKENESS)
    }

    /// As [`Made::is_like`], looking back at most `depth` steps.
    fn is_like_within(&self, other: &Made<'a>, depth: u32) -> bool {
        match (self, other) {
            (Made::ByRows, Made::ByRows) => true,
            (Made::ByRowsAndCopied, Made::ByRowsAndCopied) => true,
            (Made::By(a), Made::By(b)) => {
                std::ptr::eq(*a, *b) || depth > 0 && a.is_like(b, depth - 1)
            }
            _ => false,
        }
    }

    /// The containers that were merged, if they had an order.
    pub(crate) fn merged_parts(&self) -> Option<&'a [Val<'a>]> {
        match self {
            Made::By(Recipe::Merged(Val::Tuple(parts))) => Some(parts.all()),
            _ => None,
        }
    }

    /// Whether both are objects that one search found.
    pub(crate) fn is_same_search(&self, other: &Made<'_>) -> bool {
        match (self, other) {
            (Made::By(a @ Recipe::Object(_)), Made::By(b)) => {
                std::ptr::from_ref(*a).addr() == std::ptr::from_ref(*b).addr()
            }
            _ => false,
        }
    }

    /// A bound for the number of parts that the recipe alone gives. The arguments of a call are never
    /// larger than values may be, so a part of one is not, either.
    pub(crate) fn most_parts(&self) -> Option<u64> {
        let Made::By(recipe) = self else {
            return None;
        };
        match recipe {
            Recipe::Part(_)
            | Recipe::Elements(_)
            | Recipe::Common(..)
            | Recipe::Less(..)
            | Recipe::Palette(_) => Some(u64::from(MAX_NODES)),
            Recipe::Objects(Search { grid, .. }) | Recipe::Partition(grid, _) => {
                let n_cells = grid.cells().len() as u64;
                Some(1 + MOST_PARTS_OF_CELL * n_cells)
            }
            Recipe::Product(a, b) => {
                let (n_a, n_b) = (a.len()? as u64, b.len()? as u64);
                Some(1 + n_a * n_b + n_b * a.n_parts() + n_a * b.n_parts())
            }
            _ => None,
        }
    }

    /// Whether the elements that CPython put in surely differ.
    pub(crate) fn tells_apart(&self) -> bool {
        match self {
            Made::ByRows => true,
            Made::By(Recipe::Changed(of, change)) => match change {
                Change::Recolour(_) | Change::LookUp(_) => matches!(of, Val::Indices(_)),
                Change::Uncolour => matches!(of, Val::Object(_)),
                _ => of.is_set(),
            },
            Made::By(Recipe::Part(of)) => of.is_set(),
            Made::By(Recipe::Product(a, b)) => a.is_set() && b.is_set(),
            Made::By(Recipe::Connected(..)) => true,
            _ => false,
        }
    }

    /// Whether the insertion order takes more than a look at the elements.
    pub(crate) fn has_long_history(&self) -> bool {
        match self {
            Made::Somehow | Made::FromRow | Made::ByRows | Made::ByRowsAndCopied => false,
            Made::By(Recipe::Listed(_) | Recipe::Neighbours(..)) => false,
            Made::By(Recipe::Changed(Val::Indices(patch), _)) => patch.made.has_long_history(),
            Made::By(Recipe::Changed(Val::Object(object), _)) => {
                object.patch.made.has_long_history()
            }
            Made::By(_) => true,
        }
    }

    /// Whether CPython did more than put elements into an empty set.
    pub(crate) fn needs_table(&self) -> bool {
        let Made::By(recipe) = self else {
            return matches!(self, Made::ByRowsAndCopied);
        };
        matches!(
            recipe,
            Recipe::Common(..)
                | Recipe::Less(..)
                | Recipe::With(..)
                | Recipe::Either(..)
                | Recipe::Neighbours(..)
                | Recipe::Outline(..)
                | Recipe::Objects(_)
                | Recipe::Object(_)
                | Recipe::Palette(_)
        )
    }
}

/// The number of steps that two histories are compared back. Without it, own tasks take 0.3 % more
/// instructions; with 20 steps, equally many.
const MAX_LIKENESS: u32 = 5;

impl<'a> Recipe<'a> {
    /// Whether two recipes surely give equal orders. If a change tells elements apart, equal
    /// results come from equal sets, and these have one order if they were made alike.
    fn is_like(&self, other: &Recipe<'a>, depth: u32) -> bool {
        let (Recipe::Changed(a, x), Recipe::Changed(b, y)) = (self, other) else {
            return false;
        };
        let is_same_change = match (x, y) {
            (Change::Shift(i, j), Change::Shift(k, l)) => (i, j) == (k, l),
            (Change::Recolour(v), Change::Recolour(w)) => v == w,
            _ => false,
        };
        is_same_change
            && match (a, b) {
                (Val::Indices(a), Val::Indices(b)) => a.made.is_like_within(&b.made, depth),
                (Val::Object(a), Val::Object(b)) => {
                    a.patch.made.is_like_within(&b.patch.made, depth)
                }
                _ => false,
            }
    }
}

impl<'a> Change<'a> {
    /// The changed element, with cells in the given form.
    pub(crate) fn of(&self, element: Val<'a>, form: CellForm) -> Option<Val<'a>> {
        let (colour, (i, j)) = match element {
            Val::Pair(pair) => (None, pair.get()),
            Val::Cell(cell) | Val::Triple(cell) => {
                (Some(cell.get().0), (cell.get().1, cell.get().2))
            }
            _ => return None,
        };
        let moved = |i: i64, j: i64| match colour {
            Some(colour) => Val::coloured_place(form, (colour, i, j)),
            None => Val::place((i, j)),
        };
        Some(match *self {
            Change::Shift(di, dj) => moved(i + di, j + dj),
            Change::Recolour(colour) => Val::coloured_place(form, (colour, i, j)),
            Change::Uncolour => Val::place((i, j)),
            Change::LookUp(grid) => Val::coloured_place(form, (grid.get(i, j)?, i, j)),
            Change::UpsideDown(d) => moved(d - i, j),
            Change::LeftRight(d) => moved(i, d - j),
            Change::Transpose(top, left) => moved(j - left + top, i - top + left),
        })
    }
}
