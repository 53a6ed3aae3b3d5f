//! Values of the fast engine: typed, compact, without any order in their sets, and in an arena
//! that is emptied when a sample is done. So they are copied freely and never counted.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use leyden_dsl::meter::{MAX_ELEMENTS, MAX_SET_ELEMENTS};
use leyden_dsl::table::{Constant, Entry as TableEntry};
use leyden_dsl::value::MAX_NODES;

use crate::vm::order::provenance::Made;
use crate::vm::values::arena::{CellForm, Room};
use crate::vm::values::distinct::{Board, Likeness, without_copies};
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{Canvas, Patch, extent, for_each_bit};
use crate::vm::values::word::{CellWord, Flag, FloatWord, PairWord};
use crate::vm::{EXACT, Maybe, R, Vm};

/// Where values live.
pub(crate) type Arena<'a> = &'a Room;
/// A list that grows in the arena.
pub(crate) type List<'a, T = Val<'a>> = bumpalo::collections::Vec<'a, T>;

/// A value, small enough to be returned in two registers. Forms are canonical: a Python value
/// has one form, except that a tuple of equally long tuples of small numbers may be a `Grid` or
/// a `Tuple`; comparisons see through that.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Val<'a> {
    None,
    Bool(Flag),
    Int(i64),
    /// A number with a point, mostly nan or an infinity. Kernels leave it to the reference engine.
    Float(FloatWord),
    /// A tuple of two numbers.
    Pair(PairWord),
    /// A tuple `(colour, (i, j))`, where the dialect writes cells so.
    Cell(CellWord),
    /// A tuple `(i, j, colour)`, where the dialect writes cells so.
    Triple(CellWord),
    Grid(&'a Grid<'a>),
    /// Any other tuple of two.
    Two(&'a Two<'a>),
    /// Any other tuple.
    Tuple(&'a Items<'a>),
    /// A tuple of known elements whose order nobody has asked for yet, such as the merged sets
    /// of a tuple.
    Bag(&'a Items<'a>),
    /// A non-empty set of pairs.
    Indices(&'a Patch<'a>),
    /// A non-empty set of cells at distinct locations.
    Object(&'a Object<'a>),
    /// Any other set, sorted by [`compare`], without duplicates.
    Set(&'a Items<'a>),
    /// A primitive, as its line of the table.
    Prim(&'static TableEntry),
    Func(&'a Closure<'a>),
}

// A kernel's result travels in two registers as long as this holds.
const _: () = assert!(size_of::<Val>() == 16 && size_of::<R>() == 16);

/// What a call pays for touching a tuple of these two values.
#[inline]
pub(crate) fn weight_of_two(a: &Val<'_>, b: &Val<'_>) -> u64 {
    if a.is_tuple() && b.is_tuple() {
        a.weight_as_row() + b.weight_as_row()
    } else {
        2
    }
}

/// The number of a container's parts, worked out at most once: containers may share parts, so a walk
/// through all of them takes time that grows with every level.
#[derive(Debug)]
pub(crate) struct Parts(AtomicU32);

impl Parts {
    const UNKNOWN: u32 = 0;

    const fn unknown() -> Parts {
        Parts(AtomicU32::new(Parts::UNKNOWN))
    }

    #[inline]
    fn get_or(&self, count: impl FnOnce() -> u64) -> u64 {
        let known = self.0.load(Relaxed);
        if known != Parts::UNKNOWN {
            return known.into();
        }
        let n_parts = u32::try_from(count()).unwrap_or(u32::MAX);
        self.0.store(n_parts, Relaxed);
        n_parts.into()
    }
}

/// A tuple of two values that does not fit into a word.
#[derive(Debug)]
pub(crate) struct Two<'a>(pub(crate) Val<'a>, pub(crate) Val<'a>, pub(crate) Parts);

impl<'a> Two<'a> {
    pub(crate) fn of(a: Val<'a>, b: Val<'a>) -> Two<'a> {
        Two(a, b, Parts::unknown())
    }
}

/// The elements of a tuple, bag or set, and how CPython made it.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    items: &'a [Val<'a>],
    pub(crate) made: Made<'a>,
    /// What a call pays for touching them.
    weight: u64,
    parts: Parts,
}

impl<'a> Items<'a> {
    pub(crate) fn of(arena: Arena<'a>, items: &'a [Val<'a>], made: Made<'a>) -> &'a Items<'a> {
        arena.alloc(Items {
            items,
            made,
            weight: items.len() as u64,
            parts: Parts::unknown(),
        })
    }

    /// The items of a tuple, which weighs what its rows have if all of them are tuples.
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
            parts: Parts::unknown(),
        })
    }

    /// The elements, for as long as the arena.
    pub(crate) fn all(&self) -> &'a [Val<'a>] {
        self.items
    }
}

static NOTHING: Items<'static> = Items {
    items: &[],
    made: Made::Somehow,
    weight: 0,
    parts: Parts::unknown(),
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
    /// Was it made by a line of a program, and not on the way through a container?
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

/// The most cells of a grid, each of which takes sixteen bytes where rows become tuples. The reference
/// engine goes further.
pub(crate) const MAX_CELLS: usize = 1 << 20;

/// A rectangle of small numbers, at least 1 by 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grid<'a> {
    height: u32,
    width: u32,
    cells: &'a [i8],
}

impl<'a> Grid<'a> {
    pub(crate) fn new(height: usize, width: usize, cells: &'a [i8]) -> Grid<'a> {
        debug_assert_eq!(cells.len(), height * width);
        Grid {
            height: height as u32,
            width: width as u32,
            cells,
        }
    }
    pub(crate) fn height(&self) -> usize {
        self.height as usize
    }
    pub(crate) fn width(&self) -> usize {
        self.width as usize
    }
    pub(crate) fn cells(&self) -> &'a [i8] {
        self.cells
    }
    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = &'a [i8]> + ExactSizeIterator {
        self.cells.chunks_exact(self.width())
    }
    pub(crate) fn row(&self, i: usize) -> &'a [i8] {
        &self.cells[i * self.width()..][..self.width()]
    }
    pub(crate) fn at(&self, i: usize, j: usize) -> i8 {
        self.cells[i * self.width() + j]
    }
    /// The colour at a location, if it lies inside.
    #[inline]
    pub(crate) fn get(&self, i: i64, j: i64) -> Option<i8> {
        self.place(i, j).map(|place| self.cells[place])
    }
    /// Where a location lies among the cells, if it lies inside.
    #[inline]
    pub(crate) fn place(&self, i: i64, j: i64) -> Option<usize> {
        let is_inside = (i as u64) < self.height() as u64 && (j as u64) < self.width() as u64;
        is_inside.then(|| i as usize * self.width() + j as usize)
    }
    /// A copy of the cells, to paint on.
    pub(crate) fn to_cells(self, arena: Arena<'a>) -> &'a mut [i8] {
        arena.alloc_slice_copy(self.cells)
    }
    /// The same size with other cells.
    pub(crate) fn with_cells(&self, arena: Arena<'a>, cells: &'a [i8]) -> Val<'a> {
        Val::Grid(arena.alloc(Grid { cells, ..*self }))
    }
}

/// May a value have that many parts?
pub(crate) fn is_few(n_parts: u64) -> bool {
    n_parts <= u64::from(MAX_NODES)
}

/// The parts of a container of these.
pub(crate) fn n_parts_of_all(items: &[Val<'_>]) -> u64 {
    // Most hold small values of one kind.
    let is_number = |item: &Val<'_>| matches!(item, Val::Int(_));
    let is_pair = |item: &Val<'_>| matches!(item, Val::Pair(_));
    let is_cell = |item: &Val<'_>| matches!(item, Val::Cell(_));
    let is_triple = |item: &Val<'_>| matches!(item, Val::Triple(_));
    let n_each = match items.first() {
        Some(Val::Int(_)) if items.iter().all(is_number) => 1,
        Some(Val::Pair(_)) if items.iter().all(is_pair) => 3,
        Some(Val::Cell(_)) if items.iter().all(is_cell) => 5,
        Some(Val::Triple(_)) if items.iter().all(is_triple) => 4,
        _ => return n_parts_one_by_one(items),
    };
    1 + n_each * items.len() as u64
}

fn n_parts_one_by_one(items: &[Val<'_>]) -> u64 {
    1 + items.iter().map(Val::n_parts).sum::<u64>()
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

    /// The cell that a word stands for.
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

    /// The tuple of these rows, as a grid where it is one.
    pub(crate) fn rows(arena: Arena<'a>, rows: &'a [Val<'a>]) -> Val<'a> {
        match grid_of_rows(arena, rows) {
            Some(grid) => Val::Grid(arena.alloc(grid)),
            None => Val::tuple(arena, rows),
        }
    }

    /// The set of these values, made as CPython makes it. Gives up where it matters which of
    /// two equal values stays.
    pub(crate) fn set(arena: Arena<'a>, items: &[Val<'a>], made: Made<'a>) -> R<'a> {
        if items.len() > MAX_SET_ELEMENTS {
            return Err(EXACT);
        }
        match items.first() {
            None => return Ok(Val::empty_set()),
            Some(Val::Pair(..)) => {
                if let Some(patch) = patch_of_pairs(arena, items) {
                    return Ok(Val::Indices(arena.alloc(patch.made(made))));
                }
            }
            Some(Val::Cell(..) | Val::Triple(..)) => {
                if let Some(object) = object_of_cells(arena, items, made) {
                    return Ok(object);
                }
            }
            Some(Val::Int(_)) => {
                if let Some(sorted) = sorted_numbers(arena, items) {
                    return Ok(Val::Set(Items::of(arena, sorted, made)));
                }
            }
            _ => {}
        }
        if items.is_sorted_by(|a, b| sort_key(a) < sort_key(b)) && have_keys(items) {
            let items = arena.alloc_slice_copy(items);
            return Ok(Val::Set(Items::of(arena, items, made)));
        }
        if let Some(mut board) = Board::around(items) {
            items.iter().for_each(|item| {
                board.put(item);
            });
            let items = arena.alloc_slice_copy(&board.sorted());
            // The board goes by colours, and triples do not.
            sort_triples(items);
            return Ok(Val::Set(Items::of(arena, items, made)));
        }
        let sorted = match items.len() > 8 && have_keys(items) {
            true => sorted_by_key(arena, items)?,
            false => sorted_by_comparison(arena, items)?,
        };
        Ok(Val::Set(Items::of(arena, sorted, made)))
    }

    /// The same for sets of places, the empty one among them or not, of which no two are equal.
    pub(crate) fn set_of_distinct_patches(
        arena: Arena<'a>,
        items: &[Val<'a>],
        made: Made<'a>,
    ) -> Val<'a> {
        if items.is_empty() {
            return Val::empty_set();
        }
        let sorted = sorted_distinct(arena, items);
        Val::Set(Items::of(arena, sorted, made))
    }

    /// Values that equal others of another form (`True` and `1`), or not even themselves (nan).
    fn is_risky_in_set(&self) -> bool {
        match self {
            Val::Bool(_) | Val::Float(_) => true,
            Val::Two(two) => two.0.is_risky_in_set() || two.1.is_risky_in_set(),
            Val::Tuple(items) | Val::Set(items) | Val::Bag(items) => {
                items.iter().any(Val::is_risky_in_set)
            }
            _ => false,
        }
    }

    /// Is it the very same value, as far as a look at the words tells?
    pub(crate) fn is_same(&self, other: &Val<'a>) -> bool {
        match (self, other) {
            (Val::None, Val::None) => true,
            (Val::Int(a), Val::Int(b)) => a == b,
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::Pair(a), Val::Pair(b)) => a == b,
            (Val::Cell(a), Val::Cell(b)) | (Val::Triple(a), Val::Triple(b)) => a == b,
            (Val::Prim(a), Val::Prim(b)) => std::ptr::eq(*a, *b),
            (Val::Grid(a), Val::Grid(b)) => std::ptr::eq(*a, *b),
            (Val::Two(a), Val::Two(b)) => std::ptr::eq(*a, *b),
            (Val::Indices(a), Val::Indices(b)) => std::ptr::eq(*a, *b),
            (Val::Object(a), Val::Object(b)) => std::ptr::eq(*a, *b),
            (Val::Func(a), Val::Func(b)) => std::ptr::eq(*a, *b),
            (Val::Tuple(a), Val::Tuple(b))
            | (Val::Bag(a), Val::Bag(b))
            | (Val::Set(a), Val::Set(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }

    /// Does it make no difference which of two equal values stays in a set? Bags of the same
    /// elements may be different tuples, and sets may have been filled in different orders.
    fn is_interchangeable(&self, other: &Val<'a>) -> bool {
        match (self, other) {
            (Val::Bag(_), _) => false,
            (Val::Indices(a), Val::Indices(b)) => a.made.is_like(&b.made) || a.len() == 1,
            (Val::Object(a), Val::Object(b)) => {
                a.patch.made.is_like(&b.patch.made) || a.patch.len() == 1
            }
            (Val::Two(a), Val::Two(b)) => {
                a.0.is_interchangeable(&b.0) && a.1.is_interchangeable(&b.1)
            }
            (Val::Set(a), Val::Set(b)) if a.is_empty() && b.is_empty() => true,
            (Val::Set(a), Val::Set(b)) if !a.made.is_like(&b.made) => false,
            (Val::Tuple(a), Val::Tuple(b)) | (Val::Set(a), Val::Set(b)) => {
                a.iter().zip(b.iter()).all(|(a, b)| a.is_interchangeable(b))
            }
            _ => true,
        }
    }

    /// The same value whose order nobody knows, where it is a set of plain things.
    fn blurred(&self, arena: Arena<'a>) -> R<'a> {
        match self {
            Val::Indices(patch) => Ok(Val::Indices(arena.alloc(patch.made(Made::Somehow)))),
            Val::Object(object) => Ok(Val::Object(arena.alloc(Object {
                patch: object.patch.made(Made::Somehow),
                ..**object
            }))),
            _ => Err(EXACT),
        }
    }

    /// A tuple in the order that `made` knows; with fewer than two elements there is nothing
    /// to know.
    pub(crate) fn bag(vm: &mut Vm<'a>, items: &'a [Val<'a>], made: Made<'a>) -> Val<'a> {
        if items.len() < 2 {
            return Val::tuple(vm.arena, items);
        }
        Val::Bag(Items::of_tuple(vm.arena, items, made))
    }

    /// Booleans count as numbers.
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

    /// The first or last item of a tuple of two that is no grid.
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

    /// `len()`, of containers.
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

    /// What a call pays for touching this value; see `leyden_dsl::value::Value::weight`.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Val::Int(_) | Val::Bool(_) | Val::None | Val::Prim(_) | Val::Func(_) => 0,
            Val::Pair(..) | Val::Cell(..) => 2,
            Val::Triple(_) => 3,
            Val::Float(_) => 0,
            Val::Indices(patch) => patch.len() as u64,
            Val::Object(object) => object.patch.len() as u64,
            Val::Grid(grid) => grid.cells().len() as u64,
            Val::Set(items) | Val::Tuple(items) | Val::Bag(items) => items.weight,
            Val::Two(Two(Val::Pair(_) | Val::Cell(_), Val::Pair(_) | Val::Cell(_), _)) => 4,
            Val::Two(Two(a, b, _)) => weight_of_two(a, b),
        }
    }

    /// Has it more parts than values may have? Written out as a tree, as the exact engine counts them.
    #[inline]
    pub(crate) fn is_huge(&self) -> bool {
        match self {
            Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) => self.is_huge_container(),
            _ => false,
        }
    }

    #[inline(never)]
    fn is_huge_container(&self) -> bool {
        match self {
            Val::Tuple(items) | Val::Bag(items) | Val::Set(items)
                if items.made.most_parts().is_some_and(is_few) =>
            {
                false
            }
            _ => !is_few(self.n_parts()),
        }
    }

    /// How many parts it has; any number beyond the cap if they are more than that.
    pub(crate) fn n_parts(&self) -> u64 {
        match self {
            Val::Two(two) => two.2.get_or(|| 1 + two.0.n_parts() + two.1.n_parts()),
            Val::Tuple(items) if matches!(items.made, Made::FromRow) => 1 + items.len() as u64,
            Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => {
                items.parts.get_or(|| n_parts_of_all(items))
            }
            other => other.few_parts().unwrap_or(1),
        }
    }

    /// The same where nothing has to be added up.
    #[inline]
    fn few_parts(&self) -> Option<u64> {
        Some(match self {
            Val::None
            | Val::Bool(_)
            | Val::Int(_)
            | Val::Float(_)
            | Val::Prim(_)
            | Val::Func(_) => 1,
            Val::Pair(_) => 3,
            Val::Cell(_) => 5,
            Val::Triple(_) => 4,
            Val::Grid(grid) => (1 + grid.height() + grid.cells().len()) as u64,
            Val::Indices(patch) => 1 + 3 * patch.len() as u64,
            Val::Object(object) => 1 + object.n_parts_of_cell() * object.patch.len() as u64,
            Val::Two(_) | Val::Tuple(_) | Val::Bag(_) | Val::Set(_) => return None,
        })
    }

    /// How much a tuple adds to the weight of a tuple of tuples. An empty row takes its place, too.
    #[inline]
    fn weight_as_row(&self) -> u64 {
        self.len().map_or(1, |len| len.max(1)) as u64
    }

    /// Python's truth.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Val::None => false,
            Val::Bool(b) => b.get(),
            Val::Int(n) => *n != 0,
            Val::Float(x) => x.get() != 0.0,
            other => other.len() != Some(0),
        }
    }

    /// The elements of a container: in order for a tuple, in a fixed order of our own for a set
    /// or bag.
    pub(crate) fn elements(&self, arena: Arena<'a>) -> Option<&'a [Val<'a>]> {
        Some(match self {
            Val::Tuple(items) | Val::Set(items) | Val::Bag(items) => items.all(),
            Val::Pair(pair) => {
                let (i, j) = pair.get();
                arena.alloc([Val::Int(i), Val::Int(j)])
            }
            Val::Cell(cell) => {
                let (v, i, j) = cell.get();
                arena.alloc([Val::Int(i64::from(v)), Val::place((i, j))])
            }
            Val::Triple(cell) => {
                let (v, i, j) = cell.get();
                arena.alloc([Val::Int(i), Val::Int(j), Val::Int(i64::from(v))])
            }
            Val::Grid(grid) => {
                arena.alloc_slice_fill_iter(grid.rows().map(|row| Val::row(arena, row)))
            }
            Val::Two(two) => arena.alloc([two.0, two.1]),
            Val::Indices(patch) if patch.is_rectangle() => places_in_box(arena, patch),
            Val::Indices(_) | Val::Object(_) => {
                let mut elements = List::with_capacity_in(self.len()?, arena);
                self.push_elements(arena, &mut elements)?;
                elements.into_bump_slice()
            }
            _ => return None,
        })
    }

    /// Adds the same to a list.
    pub(crate) fn push_elements(&self, arena: Arena<'a>, list: &mut List<'a>) -> Option<()> {
        match self {
            Val::Indices(patch) => {
                let first = PairWord::place((patch.top(), patch.left()));
                for_each_in_box(patch, |r, k| list.push(Val::Pair(first.further(r, k))));
            }
            Val::Object(object) => match object.form {
                CellForm::Nested => push_cells(object, Val::Cell, list),
                CellForm::Flat => push_cells(object, Val::Triple, list),
            },
            _ => list.extend_from_slice_copy(self.elements(arena)?),
        }
        Some(())
    }
}

/// Adds the cells of an object to a list, each made of its word.
#[inline(always)]
fn push_cells<'a>(object: &Object<'a>, cell: impl Fn(CellWord) -> Val<'a>, list: &mut List<'a>) {
    let patch = &object.patch;
    let first = |colour| CellWord::place((colour, patch.top(), patch.left()));
    match object.colours {
        Colours::One(colour) => {
            let first = first(colour);
            for_each_in_box(patch, |r, k| list.push(cell(first.further(r, k))));
        }
        Colours::Each(each) => {
            let (first, width) = (first(0), patch.width() as u64);
            for_each_in_box(patch, |r, k| {
                let colour = each[(r * width + k) as usize];
                list.push(cell(first.further(r, k).recoloured_from_0(colour)));
            });
        }
    }
}

/// The places of a patch that is a rectangle.
fn places_in_box<'a>(arena: Arena<'a>, patch: &Patch<'a>) -> &'a [Val<'a>] {
    let (mut i, mut j, after) = (patch.top(), patch.left(), patch.right() + 1);
    arena.alloc_slice_fill_with(patch.len(), |_| {
        let place = Val::place((i, j));
        j += 1;
        if j == after {
            (i, j) = (i + 1, patch.left());
        }
        place
    })
}

/// Calls a function with the row and column in its box of each place of a patch.
#[inline(always)]
fn for_each_in_box(patch: &Patch<'_>, mut f: impl FnMut(u64, u64)) {
    for (r, bits) in (0..).zip(patch.rows()) {
        for_each_bit(*bits, |k| f(r, k as u64));
    }
}

/// Have all of them keys that sort as the values do? The empty set goes with any kind of patch.
pub(crate) fn have_keys(items: &[Val<'_>]) -> bool {
    let Some(first) = items.iter().find(|item| !item.is_empty_set()) else {
        return false;
    };
    let is_patch = matches!(first, Val::Indices(_) | Val::Object(_));
    items
        .iter()
        .all(|item| have_like_keys(first, item) || is_patch && item.is_empty_set())
}

/// Sorted by [`compare`], each value once. Most are told apart by a number.
fn sorted_by_key<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Maybe<&'a [Val<'a>]> {
    let likeness = |a: &Val<'a>, b: &Val<'a>| match equal(a, b) {
        Some(true) if a.is_interchangeable(b) => Likeness::Copy,
        Some(true) => Likeness::Rival,
        _ => Likeness::Different,
    };
    let kept = without_copies(items, sort_key, likeness);
    let sorted = sorted_distinct(arena, &kept.values);
    if kept.are_distinct {
        return Ok(sorted);
    }
    let n_distinct = distinct(arena, sorted)?;
    Ok(&sorted[..n_distinct])
}

/// Numbers that lie this close together are marked, not sorted.
const MAX_SPREAD: u64 = 1 << 12;

/// Sorted, each number once; none if there is anything else.
fn sorted_numbers<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
    let mut numbers = List::with_capacity_in(items.len(), arena);
    for item in items {
        let Val::Int(n) = item else { return None };
        numbers.push(*n);
    }
    let (least, most) = numbers
        .iter()
        .fold((i64::MAX, i64::MIN), |(least, most), n| {
            (least.min(*n), most.max(*n))
        });
    let spread = most.abs_diff(least);
    if items.len() > 16 && spread < MAX_SPREAD {
        let mut marks = [0u64; MAX_SPREAD as usize / 64];
        let marks = &mut marks[..=spread as usize / 64];
        for n in &numbers {
            let place = n.abs_diff(least) as usize;
            marks[place / 64] |= 1 << (place % 64);
        }
        numbers.clear();
        for (k, mark) in marks.iter().enumerate() {
            for_each_bit(u128::from(*mark), |bit| {
                numbers.push(least + (64 * k + bit) as i64)
            });
        }
    } else {
        numbers.sort_unstable();
        numbers.dedup();
    }
    Some(arena.alloc_slice_fill_iter(numbers.iter().map(|n| Val::Int(*n))))
}

/// Sorts cells if they are triples; others are left as they are.
pub(crate) fn sort_triples(cells: &mut [Val<'_>]) {
    let key = |cell: &Val<'_>| match cell {
        Val::Triple(cell) => Some(cell.sort_key_of_triple()),
        _ => None,
    };
    if let Some(mut keys) = cells.iter().map(key).collect::<Option<Vec<u64>>>() {
        keys.sort_unstable();
        for (cell, key) in cells.iter_mut().zip(keys) {
            *cell = Val::Triple(CellWord::of_sort_key_of_triple(key));
        }
    }
}

/// Sorted by [`compare`], of values that have keys.
fn sorted_distinct<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> &'a mut [Val<'a>] {
    let keyed = items.iter().map(|item| (sort_key(item), *item));
    let mut keyed: Vec<(u128, Val<'a>)> = keyed.collect();
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(&a.1, &b.1)));
    arena.alloc_slice_fill_iter(keyed.iter().map(|(_, item)| *item))
}

/// The same for values of any form.
fn sorted_by_comparison<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Maybe<&'a [Val<'a>]> {
    let are_bools = || items.iter().all(|v| matches!(v, Val::Bool(_)));
    if items.iter().any(Val::is_risky_in_set) && !are_bools() {
        return Err(EXACT);
    }
    let sorted = arena.alloc_slice_copy(items);
    sorted.sort_unstable_by(compare);
    let n_distinct = distinct(arena, sorted)?;
    Ok(&sorted[..n_distinct])
}

/// Do the keys of two values sort as the values do?
fn have_like_keys(a: &Val<'_>, b: &Val<'_>) -> bool {
    match (a, b) {
        (Val::Pair(_), Val::Pair(_)) | (Val::Cell(_), Val::Cell(_)) => true,
        (Val::Triple(_), Val::Triple(_)) => true,
        (Val::Indices(_), Val::Indices(_)) | (Val::Object(_), Val::Object(_)) => true,
        (Val::Two(a), Val::Two(b)) => {
            let alike = |a: &Val<'_>, b: &Val<'_>| {
                matches!(
                    (a, b),
                    (Val::Pair(_), Val::Pair(_))
                        | (Val::Cell(_), Val::Cell(_))
                        | (Val::Triple(_), Val::Triple(_))
                )
            };
            alike(&a.0, &b.0) && alike(&a.1, &b.1)
        }
        _ => false,
    }
}

pub(crate) fn sort_key(value: &Val<'_>) -> u128 {
    let word = |value: &Val<'_>| match value {
        Val::Pair(pair) => pair.sort_key(),
        Val::Cell(cell) => cell.sort_key(),
        Val::Triple(cell) => cell.sort_key_of_triple(),
        _ => 0,
    };
    match value {
        Val::Pair(_) | Val::Cell(_) | Val::Triple(_) => word(value).into(),
        Val::Indices(patch) => patch.sort_key(),
        Val::Object(object) => object.patch.sort_key(),
        Val::Two(two) => u128::from(word(&two.0)) << 64 | u128::from(word(&two.1)),
        // The empty set comes last.
        _ => u128::MAX,
    }
}

/// Moves one of each group of equal values to the front; gives their number.
fn distinct<'a>(arena: Arena<'a>, sorted: &mut [Val<'a>]) -> Maybe<usize> {
    let mut n_kept = 0;
    for k in 0..sorted.len() {
        let item = sorted[k];
        if n_kept > 0 && compare(&sorted[n_kept - 1], &item) == Ordering::Equal {
            if !sorted[n_kept - 1].is_interchangeable(&item) {
                sorted[n_kept - 1] = item.blurred(arena)?;
            }
        } else {
            sorted[n_kept] = item;
            n_kept += 1;
        }
    }
    Ok(n_kept)
}

fn grid_of_rows<'a>(arena: Arena<'a>, rows: &[Val<'a>]) -> Option<Grid<'a>> {
    let width = rows
        .first()
        .filter(|row| row.is_tuple())
        .and_then(Val::len)?;
    let is_ragged = || rows.iter().any(|row| row.len() != Some(width));
    if width == 0 || rows.len().checked_mul(width)? > MAX_CELLS || is_ragged() {
        return None;
    }
    if !rows
        .iter()
        .all(|row| matches!(row, Val::Pair(_) | Val::Triple(_) | Val::Tuple(_)))
        || matches!(rows[0], Val::Tuple(items) if !matches!(items[0], Val::Int(_)))
    {
        return None;
    }
    let cells = arena.alloc_slice_fill_copy(rows.len() * width, 0);
    let mut are_small = true;
    let mut cell_of = |number: i64| {
        are_small &= i64::from(number as i8) == number;
        number as i8
    };
    for (row, cells) in rows.iter().zip(cells.chunks_exact_mut(width)) {
        match row {
            Val::Pair(pair) => {
                let (a, b) = pair.get();
                cells.copy_from_slice(&[cell_of(a), cell_of(b)]);
            }
            Val::Triple(triple) => {
                let (c, a, b) = triple.get();
                cells.copy_from_slice(&[cell_of(a), cell_of(b), c]);
            }
            Val::Tuple(items) => {
                for (cell, item) in cells.iter_mut().zip(items.iter()) {
                    let Val::Int(number) = item else { return None };
                    *cell = cell_of(*number);
                }
            }
            _ => return None,
        }
    }
    are_small.then(|| Grid::new(rows.len(), width, cells))
}

fn patch_of_pairs<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<Patch<'a>> {
    if !items.iter().all(|item| matches!(item, Val::Pair(_))) {
        return None;
    }
    Patch::from_cells(arena, items.iter().filter_map(Val::as_pair))
}

fn object_of_cells<'a>(arena: Arena<'a>, items: &[Val<'a>], made: Made<'a>) -> Option<Val<'a>> {
    let mut cells = List::with_capacity_in(items.len(), arena);
    let form = match items.first() {
        Some(Val::Triple(_)) => CellForm::Flat,
        _ => CellForm::Nested,
    };
    for item in items {
        match (item, form) {
            (Val::Cell(cell), CellForm::Nested) => cells.push(cell.get()),
            (Val::Triple(cell), CellForm::Flat) => cells.push(cell.get()),
            _ => return None,
        }
    }
    debug_assert_eq!(form, arena.cells());
    object_from(arena, &cells, made)
}

/// The object of these cells, unless two of them want different colours for one place.
fn object_from<'a>(arena: Arena<'a>, cells: &[(i8, i64, i64)], made: Made<'a>) -> Option<Val<'a>> {
    let (top, left, height, width) = extent(cells.iter().map(|(_, i, j)| (*i, *j)))?;
    let mut canvas = Canvas::new(arena, top, left, height, width)?;
    let each = arena.alloc_slice_fill_copy((height * width) as usize, 0);
    for &(v, i, j) in cells {
        let place = ((i - top) * width + (j - left)) as usize;
        if each[place] != v && canvas.rows[(i - top) as usize] >> (j - left) & 1 == 1 {
            return None;
        }
        canvas.set(i, j);
        each[place] = v;
    }
    let patch = canvas.finish()?.made(made);
    let first = cells[0].0;
    if cells.iter().all(|(v, ..)| *v == first) {
        return Some(Object::uniform(arena, patch, first));
    }
    Some(Object::of(arena, patch, Colours::Each(each)))
}

/// Python's `==`. `None` where this engine cannot tell (tuples in unknown order).
#[inline]
pub(crate) fn equal(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => Some(x == y),
        (Val::Pair(x), Val::Pair(y)) => Some(x == y),
        (Val::Cell(x), Val::Cell(y)) | (Val::Triple(x), Val::Triple(y)) => Some(x == y),
        _ => equal_others(a, b),
    }
}

/// [`equal`] for all but numbers, pairs and cells of one kind.
fn equal_others(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    Some(match (a, b) {
        (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => a.as_int() == b.as_int(),
        (Val::Grid(x), Val::Grid(y)) => x == y,
        (Val::Indices(x), Val::Indices(y)) => std::ptr::eq(*x, *y) || x == y,
        (Val::Object(x), Val::Object(y)) => std::ptr::eq(*x, *y) || x == y,
        (Val::None, Val::None) => true,
        (Val::Prim(x), Val::Prim(y)) => x.prim == y.prim,
        (Val::Func(x), Val::Func(y)) => std::ptr::eq(*x, *y),
        (Val::Float(x), y) | (y, Val::Float(x)) => return equal_float(x.get(), y),
        (Val::Bag(_), _) | (_, Val::Bag(_)) => return None,
        (Val::Set(x), Val::Set(y)) | (Val::Tuple(x), Val::Tuple(y)) => return all_equal(x, y),
        (Val::Two(x), Val::Two(y)) => equal(&x.0, &y.0)? && equal(&x.1, &y.1)?,
        _ if a.is_tuple() && b.is_tuple() => return equal_as_tuples(a, b),
        _ => false,
    })
}

/// Is something a number with a point? nan equals itself in containers, and nowhere else.
fn equal_float(x: f64, other: &Val<'_>) -> Option<bool> {
    match other {
        Val::Float(y) if x.is_nan() && y.get().is_nan() => None,
        Val::Float(y) => Some(x == y.get()),
        _ => Some(other.as_int().is_some_and(|n| x == n as f64)),
    }
}

fn all_equal(a: &[Val<'_>], b: &[Val<'_>]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    for (x, y) in a.iter().zip(b) {
        if !equal(x, y)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Tuples of different forms, element by element. Rare, so a small arena of its own will do.
#[cold]
#[inline(never)]
fn equal_as_tuples(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    let arena = Room::default();
    all_equal(a.elements(&arena)?, b.elements(&arena)?)
}

#[cold]
#[inline(never)]
fn compare_as_tuples(a: &Val<'_>, b: &Val<'_>) -> Ordering {
    let arena = Room::default();
    match (a.elements(&arena), b.elements(&arena)) {
        (Some(x), Some(y)) => compare_all(x, y),
        (x, y) => x.is_some().cmp(&y.is_some()),
    }
}

/// A total order over all values, for the canonical form of sets. Tuples of different form
/// compare as tuples; otherwise it means nothing.
#[inline]
pub(crate) fn compare(a: &Val<'_>, b: &Val<'_>) -> Ordering {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => x.cmp(y),
        (Val::Pair(x), Val::Pair(y)) => x.cmp(y),
        (Val::Cell(x), Val::Cell(y)) => x.cmp(y),
        (Val::Triple(x), Val::Triple(y)) => x.sort_key_of_triple().cmp(&y.sort_key_of_triple()),
        _ => compare_others(a, b),
    }
}

/// [`compare`] for all but numbers, pairs and cells of one kind.
fn compare_others(a: &Val<'_>, b: &Val<'_>) -> Ordering {
    match (a, b) {
        (Val::Bool(x), Val::Bool(y)) => x.cmp(y),
        (Val::Indices(x), Val::Indices(y)) => x.cmp(y),
        (Val::Object(x), Val::Object(y)) => x.cmp(y),
        (Val::Set(x), Val::Set(y)) | (Val::Tuple(x), Val::Tuple(y)) => compare_all(x, y),
        (Val::Two(x), Val::Two(y)) => compare(&x.0, &y.0).then_with(|| compare(&x.1, &y.1)),
        (Val::Bag(x), Val::Bag(y)) => compare_all(x, y),
        (Val::Prim(x), Val::Prim(y)) => x.prim.cmp(&y.prim),
        (Val::Func(x), Val::Func(y)) => std::ptr::from_ref(*x).cmp(&std::ptr::from_ref(*y)),
        (Val::Grid(x), Val::Grid(y)) => x.cmp(y),
        _ if a.is_tuple() && b.is_tuple() => compare_as_tuples(a, b),
        (Val::None, Val::None) => Ordering::Equal,
        _ => rank(a).cmp(&rank(b)),
    }
}

fn compare_all(a: &[Val<'_>], b: &[Val<'_>]) -> Ordering {
    let by_element = || {
        let differing = a.iter().zip(b).map(|(x, y)| compare(x, y));
        differing
            .into_iter()
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    a.len().cmp(&b.len()).then_with(by_element)
}

fn rank(value: &Val<'_>) -> u8 {
    match value {
        Val::None => 0,
        Val::Bool(_) => 1,
        Val::Int(_) => 2,
        Val::Pair(_)
        | Val::Cell(_)
        | Val::Triple(_)
        | Val::Two(_)
        | Val::Grid(_)
        | Val::Tuple(_)
        | Val::Bag(_) => 3,
        Val::Indices(_) => 4,
        Val::Object(_) => 5,
        Val::Set(_) => 6,
        Val::Prim(_) => 7,
        Val::Func(_) => 8,
        Val::Float(_) => 9,
    }
}
