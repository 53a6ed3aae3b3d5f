//! Values of the fast engine. They are typed and compact, their sets have no order, and they live
//! in an arena that is emptied after each sample. So the engine copies them freely and counts no
//! references.

mod comparison;
mod elements;
mod grid;
mod set;
mod size;

pub(crate) use comparison::{compare, equal};
pub(crate) use grid::{Grid, MAX_CELLS};
pub(crate) use set::{have_keys, sort_key, sort_triples};
pub(crate) use size::{PartCount, is_few, n_parts_of_all, weight_of_two};

use std::ops::Deref;

use leyden_dsl::meter::MAX_ELEMENTS;
use leyden_dsl::table::{Constant, Entry as TableEntry};

use crate::vm::order::provenance::Made;
use crate::vm::values::arena::{CellForm, Room};
use crate::vm::values::object::Object;
use crate::vm::values::patch::Patch;
use crate::vm::values::value::grid::grid_of_rows;
use crate::vm::values::word::{CellWord, Flag, FloatWord, PairWord};
use crate::vm::{EXACT, R, Vm};

/// The memory that values live in.
pub(crate) type Arena<'a> = &'a Room;
/// A list that grows in the arena.
pub(crate) type List<'a, T = Val<'a>> = bumpalo::collections::Vec<'a, T>;

/// A value, small enough for two registers. Forms are canonical: a Python value has one form,
/// except that a tuple of equally long tuples of small numbers may be a `Grid` or a `Tuple`.
/// Comparisons see through that.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Val<'a> {
    None,
    Bool(Flag),
    Int(i64),
    /// A float, mostly nan or an infinity. Kernels leave it to the reference engine.
    Float(FloatWord),
    /// A tuple of two numbers.
    Pair(PairWord),
    /// A tuple `(colour, (i, j))`, in dialects that write cells in this way.
    Cell(CellWord),
    /// A tuple `(i, j, colour)`, in dialects that write cells in this way.
    Triple(CellWord),
    Grid(&'a Grid<'a>),
    /// Any other tuple of two.
    Two(&'a Two<'a>),
    /// Any other tuple.
    Tuple(&'a Items<'a>),
    /// A tuple of known elements in an order that is not worked out yet, such as the merged sets of
    /// a tuple.
    Bag(&'a Items<'a>),
    /// A non-empty set of pairs.
    Indices(&'a Patch<'a>),
    /// A non-empty set of cells at distinct locations.
    Object(&'a Object<'a>),
    /// Any other set, sorted by [`compare`], without duplicates.
    Set(&'a Items<'a>),
    /// A primitive, as its entry of the table.
    Prim(&'static TableEntry),
    Func(&'a Closure<'a>),
}

// A kernel's result travels in two registers as long as this holds.
const _: () = assert!(size_of::<Val>() == 16 && size_of::<R>() == 16);

/// A tuple of two values that does not fit into a word.
#[derive(Debug)]
pub(crate) struct Two<'a>(pub(crate) Val<'a>, pub(crate) Val<'a>, pub(crate) PartCount);

impl<'a> Two<'a> {
    pub(crate) fn of(a: Val<'a>, b: Val<'a>) -> Two<'a> {
        Two(a, b, PartCount::unknown())
    }
}

/// The elements of a tuple, bag or set, and how CPython made it.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    items: &'a [Val<'a>],
    pub(crate) made: Made<'a>,
    /// The weight that calls pay for.
    weight: u64,
    parts: PartCount,
}

impl<'a> Items<'a> {
    pub(crate) fn of(arena: Arena<'a>, items: &'a [Val<'a>], made: Made<'a>) -> &'a Items<'a> {
        arena.alloc(Items {
            items,
            made,
            weight: items.len() as u64,
            parts: PartCount::unknown(),
        })
    }

    /// The items of a tuple. A tuple of tuples weighs as much as its rows together.
    fn of_tuple(arena: Arena<'a>, items: &'a [Val<'a>], made: Made<'a>) -> &'a Items<'a> {
        let mut weight = 0;
        for item in items {
            if !item.is_tuple() {
                return Items::of(arena, items, made);
            }
            weight += item.weight_as_row();
        }
        arena.alloc(Items {
            items,
            made,
            weight,
            parts: PartCount::unknown(),
        })
    }

    /// The elements, with the lifetime of the arena.
    pub(crate) fn all(&self) -> &'a [Val<'a>] {
        self.items
    }
}

static NOTHING: Items<'static> = Items {
    items: &[],
    made: Made::Somehow,
    weight: 0,
    parts: PartCount::unknown(),
};

impl<'a> Deref for Items<'a> {
    type Target = [Val<'a>];

    fn deref(&self) -> &[Val<'a>] {
        self.items
    }
}

/// A function made of functions, and how deep they nest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closure<'a> {
    pub(crate) func: Func<'a>,
    pub(crate) depth: u32,
    /// Whether a line of a program made it, rather than a step on the elements of a container.
    pub(crate) is_lasting: bool,
}

/// A way to make a function of functions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Func<'a> {
    Compose(Val<'a>, Val<'a>),
    Chain(Val<'a>, Val<'a>, Val<'a>),
    Matcher(Val<'a>, Val<'a>),
    Rbind(Val<'a>, Val<'a>, u8),
    Lbind(Val<'a>, Val<'a>, u8),
    Fork(Val<'a>, Val<'a>, Val<'a>),
    Power(Val<'a>, u32),
}

impl<'a> Val<'a> {
    pub(crate) fn empty_set() -> Val<'a> {
        Val::Set(&NOTHING)
    }

    pub(crate) fn empty_tuple() -> Val<'a> {
        Val::Tuple(&NOTHING)
    }

    /// One of the table's constants, all of which are small.
    pub(crate) fn small_constant(constant: Constant) -> Val<'static> {
        match constant {
            Constant::Bool(b) => Val::Bool(b.into()),
            Constant::Int(n) => Val::Int(n),
            Constant::Pair(i, j) => Val::place((i, j)),
        }
    }

    /// The tuple of two numbers.
    #[inline]
    pub(crate) fn pair(arena: Arena<'a>, i: i64, j: i64) -> Val<'a> {
        match PairWord::new(i, j) {
            Some(pair) => Val::Pair(pair),
            None => Val::Two(arena.alloc(Two::of(Val::Int(i), Val::Int(j)))),
        }
    }

    /// The tuple of a colour and a pair, if it fits into a word.
    fn cell(colour: i64, (i, j): (i64, i64)) -> Option<Val<'a>> {
        CellWord::new(i8::try_from(colour).ok()?, i, j).map(Val::Cell)
    }

    /// The element of a patch at a location.
    #[inline]
    pub(crate) fn place(location: (i64, i64)) -> Val<'a> {
        Val::Pair(PairWord::place(location))
    }

    /// The element of an object at a location.
    #[inline]
    pub(crate) fn coloured_place(form: CellForm, cell: (i8, i64, i64)) -> Val<'a> {
        Val::cell_word(form, CellWord::place(cell))
    }

    /// The cell of a word.
    #[inline]
    pub(crate) fn cell_word(form: CellForm, word: CellWord) -> Val<'a> {
        match form {
            CellForm::Nested => Val::Cell(word),
            CellForm::Flat => Val::Triple(word),
        }
    }

    /// The tuple of three numbers, if it fits into a word.
    fn triple(i: i64, j: i64, colour: i64) -> Option<Val<'a>> {
        CellWord::new(i8::try_from(colour).ok()?, i, j).map(Val::Triple)
    }

    /// The tuple of two values.
    #[inline]
    pub(crate) fn two(arena: Arena<'a>, a: Val<'a>, b: Val<'a>) -> Val<'a> {
        match (a, b) {
            (Val::Int(i), Val::Int(j)) => Val::pair(arena, i, j),
            (Val::Int(v), Val::Pair(pair)) if arena.cells() == CellForm::Nested => {
                match Val::cell(v, pair.get()) {
                    Some(cell) => cell,
                    None => Val::Two(arena.alloc(Two::of(a, b))),
                }
            }
            _ => Val::Two(arena.alloc(Two::of(a, b))),
        }
    }

    /// The tuple of these values.
    pub(crate) fn tuple(arena: Arena<'a>, items: &'a [Val<'a>]) -> Val<'a> {
        match *items {
            [] => Val::empty_tuple(),
            [a, b] => Val::two(arena, a, b),
            [Val::Int(i), Val::Int(j), Val::Int(v)] if arena.cells() == CellForm::Flat => {
                let triple = Val::triple(i, j, v);
                triple.unwrap_or_else(|| Val::Tuple(Items::of_tuple(arena, items, Made::Somehow)))
            }
            _ => Val::Tuple(Items::of_tuple(arena, items, Made::Somehow)),
        }
    }

    /// A tuple of numbers, such as a row of a grid.
    pub(crate) fn row(arena: Arena<'a>, cells: &[i8]) -> Val<'a> {
        match cells {
            [a, b] => Val::place((i64::from(*a), i64::from(*b))),
            [i, j, v] if arena.cells() == CellForm::Flat => {
                Val::Triple(CellWord::place((*v, i64::from(*i), i64::from(*j))))
            }
            _ => {
                let numbers = cells.iter().map(|v| Val::Int(i64::from(*v)));
                let items = arena.alloc_slice_fill_iter(numbers);
                Val::Tuple(Items::of(arena, items, Made::FromRow))
            }
        }
    }

    /// A grid of that size, or the tuple it degenerates to.
    pub(crate) fn grid(arena: Arena<'a>, height: usize, width: usize, cells: &'a [i8]) -> R<'a> {
        if height == 0 {
            return Ok(Val::empty_tuple());
        }
        if width == 0 {
            let rows = arena.alloc_slice_fill_copy(height, Val::empty_tuple());
            return Ok(Val::tuple(arena, rows));
        }
        if cells.len() > MAX_CELLS || height.max(width) > MAX_ELEMENTS {
            return Err(EXACT);
        }
        Ok(Val::Grid(arena.alloc(Grid::new(height, width, cells))))
    }

    /// The tuple of these rows, as a grid if it is one.
    pub(crate) fn rows(arena: Arena<'a>, rows: &'a [Val<'a>]) -> Val<'a> {
        match grid_of_rows(arena, rows) {
            Some(grid) => Val::Grid(arena.alloc(grid)),
            None => Val::tuple(arena, rows),
        }
    }

    /// A tuple in the order of `made`. With fewer than two elements there is no open order.
    pub(crate) fn bag(vm: &mut Vm<'a>, items: &'a [Val<'a>], made: Made<'a>) -> Val<'a> {
        if items.len() < 2 {
            return Val::tuple(vm.arena, items);
        }
        Val::Bag(Items::of_tuple(vm.arena, items, made))
    }

    /// The value as a number; booleans count.
    #[inline]
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Val::Int(n) => Some(*n),
            Val::Bool(b) => Some(i64::from(b.get())),
            _ => None,
        }
    }

    /// A tuple of two numbers, none of them a boolean.
    #[inline]
    pub(crate) fn as_pair(&self) -> Option<(i64, i64)> {
        match self {
            Val::Pair(pair) => Some(pair.get()),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn as_cell(&self) -> Option<(i8, i64, i64)> {
        match self {
            Val::Cell(cell) | Val::Triple(cell) => Some(cell.get()),
            _ => None,
        }
    }

    /// The first or last item of a tuple of two, unless it is a grid.
    #[inline]
    pub(crate) fn end_of_two(&self, is_first: bool) -> Option<Val<'a>> {
        match self {
            Val::Pair(pair) if is_first => Some(Val::Int(pair.get().0)),
            Val::Pair(pair) => Some(Val::Int(pair.get().1)),
            Val::Cell(cell) if is_first => Some(Val::Int(i64::from(cell.get().0))),
            Val::Cell(cell) => Some(Val::place((cell.get().1, cell.get().2))),
            Val::Two(two) if is_first => Some(two.0),
            Val::Two(two) => Some(two.1),
            _ => None,
        }
    }

    /// The value as a grid of small numbers, if it is one.
    pub(crate) fn as_grid(&self, arena: Arena<'a>) -> Option<Grid<'a>> {
        match self {
            Val::Grid(grid) => Some(**grid),
            Val::Tuple(rows) => grid_of_rows(arena, rows),
            Val::Two(two) => grid_of_rows(arena, &[two.0, two.1]),
            _ => None,
        }
    }

    pub(crate) fn is_tuple(&self) -> bool {
        matches!(
            self,
            Val::Pair(_)
                | Val::Cell(_)
                | Val::Triple(_)
                | Val::Two(_)
                | Val::Grid(_)
                | Val::Tuple(_)
                | Val::Bag(_)
        )
    }

    pub(crate) fn is_set(&self) -> bool {
        matches!(self, Val::Indices(_) | Val::Object(_) | Val::Set(_))
    }

    pub(crate) fn is_empty_set(&self) -> bool {
        matches!(self, Val::Set(items) if items.is_empty())
    }

    /// Python's `len()`; `None` for values without a length.
    #[inline]
    pub(crate) fn len(&self) -> Option<usize> {
        Some(match self {
            Val::Pair(_) | Val::Cell(_) | Val::Two(_) => 2,
            Val::Triple(_) => 3,
            Val::Grid(grid) => grid.height(),
            Val::Tuple(items) | Val::Set(items) | Val::Bag(items) => items.len(),
            Val::Indices(patch) => patch.len(),
            Val::Object(object) => object.patch.len(),
            _ => return None,
        })
    }

    /// Python's `bool()`.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Val::None => false,
            Val::Bool(b) => b.get(),
            Val::Int(n) => *n != 0,
            Val::Float(x) => x.get() != 0.0,
            other => other.len() != Some(0),
        }
    }
}
