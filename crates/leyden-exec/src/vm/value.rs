//! Values of the fast engine: typed, compact, and without any order in their sets.

use std::cmp::Ordering;
use std::ops::Deref;
use std::rc::Rc;

use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::table::{Constant, Entry};

use super::order::{History, Order};
use super::patch::{Canvas, Patch, extent};
use super::word::{CellWord, Flag, PairWord};
use super::{EXACT, R};

/// A value, small enough to be returned in two registers. Forms are canonical: a Python value has one form, except that a tuple of equally
/// long tuples of small numbers may be a `Grid` or a `Tuple`; comparisons see through that.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    None,
    Bool(Flag),
    Int(i64),
    /// A tuple of two numbers.
    Pair(PairWord),
    /// A tuple `(colour, (i, j))`.
    Cell(CellWord),
    Grid(Rc<Grid>),
    /// Any other tuple of two.
    Two(Rc<(Val, Val)>),
    /// Any other tuple.
    Tuple(Rc<Items>),
    /// A tuple of known elements in unknown order, such as the merged sets of a tuple.
    Bag(Rc<Items>),
    /// A non-empty set of pairs.
    Indices(Rc<Patch>),
    /// A non-empty set of cells at distinct locations.
    Object(Rc<Object>),
    /// Any other set, sorted by [`compare`], without duplicates.
    Set(Rc<Items>),
    /// A primitive, as its line of the table.
    Prim(&'static Entry),
    Func(Rc<Func>),
}

// A kernel's result travels in two registers as long as this holds.
const _: () = assert!(size_of::<Val>() == 16 && size_of::<R>() == 16);

/// The elements of a tuple, bag or set; for a set, also what is known of its order.
#[derive(Debug, Default)]
pub(crate) struct Items {
    items: Vec<Val>,
    /// What is known of a set's order; tuples and sets of unknown order have no use for it.
    pub(super) history: Option<Box<History>>,
}

impl Items {
    pub(crate) fn of(items: Vec<Val>) -> Rc<Items> {
        Rc::new(Items {
            items,
            history: None,
        })
    }

    pub(crate) fn ordered(items: Vec<Val>, order: Order) -> Rc<Items> {
        Rc::new(Items {
            items,
            history: Some(Box::new(History::new(order))),
        })
    }
}

impl Deref for Items {
    type Target = [Val];

    fn deref(&self) -> &[Val] {
        &self.items
    }
}

/// A function made of functions.
#[derive(Debug)]
pub(crate) enum Func {
    Compose(Val, Val),
    Chain(Val, Val, Val),
    Matcher(Val, Val),
    Rbind(Val, Val, u8),
    Lbind(Val, Val, u8),
    Fork(Val, Val, Val),
    Power(Val, u32),
}

/// A rectangle of small numbers, at least 1 by 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    height: u16,
    width: u16,
    cells: Vec<i8>,
}

impl Grid {
    pub(crate) fn new(height: usize, width: usize, cells: Vec<i8>) -> Grid {
        debug_assert_eq!(cells.len(), height * width);
        Grid {
            height: height as u16,
            width: width as u16,
            cells,
        }
    }
    pub(crate) fn height(&self) -> usize {
        usize::from(self.height)
    }
    pub(crate) fn width(&self) -> usize {
        usize::from(self.width)
    }
    pub(crate) fn cells(&self) -> &[i8] {
        &self.cells
    }
    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = &[i8]> + ExactSizeIterator {
        self.cells.chunks_exact(self.width())
    }
    pub(crate) fn row(&self, i: usize) -> &[i8] {
        &self.cells[i * self.width()..][..self.width()]
    }
    pub(crate) fn at(&self, i: usize, j: usize) -> i8 {
        self.cells[i * self.width() + j]
    }
    /// The colour at a location, if it lies inside.
    #[inline]
    pub(crate) fn get(&self, i: i64, j: i64) -> Option<i8> {
        let inside =
            (0..self.height() as i64).contains(&i) && (0..self.width() as i64).contains(&j);
        inside.then(|| self.at(i as usize, j as usize))
    }
    /// A copy of the cells, to paint on.
    pub(crate) fn to_cells(&self) -> Vec<i8> {
        self.cells.clone()
    }
    /// The same size with other cells.
    pub(crate) fn with_cells(&self, cells: Vec<i8>) -> Val {
        Val::Grid(Rc::new(Grid { cells, ..*self }))
    }
}

/// The colours of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Colours {
    One(i8),
    /// One for each place of the bounding box, row by row; 0 where the object has no cell.
    Each(Rc<[i8]>),
}

/// A non-empty set of cells at distinct locations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Object {
    pub(crate) patch: Patch,
    pub(crate) colours: Colours,
}

impl Object {
    pub(crate) fn uniform(patch: Patch, colour: i8) -> Val {
        Val::Object(Rc::new(Object {
            patch,
            colours: Colours::One(colour),
        }))
    }

    /// An object whose colours are looked up; canonical whatever they turn out to be.
    pub(crate) fn coloured(patch: Patch, colour_at: impl Fn(i64, i64) -> i8) -> Val {
        let first = patch.cells().next().map_or(0, |(i, j)| colour_at(i, j));
        if patch.cells().all(|(i, j)| colour_at(i, j) == first) {
            return Self::uniform(patch, first);
        }
        let mut each = vec![0; (patch.height() * patch.width()) as usize];
        for (i, j) in patch.cells() {
            each[place(&patch, i, j)] = colour_at(i, j);
        }
        Val::Object(Rc::new(Object {
            patch,
            colours: Colours::Each(each.into()),
        }))
    }

    #[inline]
    pub(crate) fn colour_at(&self, i: i64, j: i64) -> i8 {
        match &self.colours {
            Colours::One(colour) => *colour,
            Colours::Each(each) => each[place(&self.patch, i, j)],
        }
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (i8, i64, i64)> + '_ {
        self.patch
            .cells()
            .map(|(i, j)| (self.colour_at(i, j), i, j))
    }

    /// The only colour, if there is only one.
    pub(crate) fn only_colour(&self) -> Option<i8> {
        match self.colours {
            Colours::One(colour) => Some(colour),
            Colours::Each(_) => None,
        }
    }

    /// The object restricted to part of its patch.
    pub(crate) fn restricted(&self, patch: Patch) -> Val {
        match self.colours {
            Colours::One(colour) => Self::uniform(patch, colour),
            Colours::Each(_) => Self::coloured(patch, |i, j| self.colour_at(i, j)),
        }
    }

    pub(crate) fn moved(&self, di: i64, dj: i64) -> Option<Object> {
        Some(Object {
            patch: self.patch.moved(di, dj)?,
            colours: self.colours.clone(),
        })
    }
}

fn place(patch: &Patch, i: i64, j: i64) -> usize {
    ((i - patch.top()) * patch.width() + (j - patch.left())) as usize
}

impl Val {
    pub(crate) fn empty_set() -> Val {
        Val::Set(Rc::default())
    }

    pub(crate) fn empty_tuple() -> Val {
        Val::Tuple(Rc::default())
    }

    pub(crate) fn constant(constant: Constant) -> Val {
        match constant {
            Constant::Bool(b) => Val::Bool(b.into()),
            Constant::Int(n) => Val::Int(n),
            Constant::Pair(i, j) => Val::pair(i, j),
        }
    }

    /// The tuple of two numbers.
    #[inline]
    pub(crate) fn pair(i: i64, j: i64) -> Val {
        match PairWord::new(i, j) {
            Some(pair) => Val::Pair(pair),
            None => Val::Two(Rc::new((Val::Int(i), Val::Int(j)))),
        }
    }

    /// The tuple of a colour and a pair, if it fits into a word.
    fn cell(colour: i64, (i, j): (i64, i64)) -> Option<Val> {
        CellWord::new(i8::try_from(colour).ok()?, i, j).map(Val::Cell)
    }

    /// The element of a patch at a location.
    #[inline]
    pub(crate) fn place(location: (i64, i64)) -> Val {
        Val::Pair(PairWord::place(location))
    }

    /// The element of an object at a location.
    #[inline]
    pub(crate) fn coloured_place(cell: (i8, i64, i64)) -> Val {
        Val::Cell(CellWord::place(cell))
    }

    /// The tuple of two values.
    pub(crate) fn two(a: Val, b: Val) -> Val {
        match (&a, &b) {
            (Val::Int(i), Val::Int(j)) => Val::pair(*i, *j),
            (Val::Int(v), Val::Pair(pair)) => match Val::cell(*v, pair.get()) {
                Some(cell) => cell,
                None => Val::Two(Rc::new((a, b))),
            },
            _ => Val::Two(Rc::new((a, b))),
        }
    }

    /// The tuple of these values.
    pub(crate) fn tuple(mut items: Vec<Val>) -> Val {
        if items.len() == 2
            && let (Some(b), Some(a)) = (items.pop(), items.pop())
        {
            return Val::two(a, b);
        }
        Val::Tuple(Items::of(items))
    }

    /// A tuple of numbers, such as a row of a grid.
    pub(crate) fn row(cells: &[i8]) -> Val {
        match cells {
            [a, b] => Val::place((i64::from(*a), i64::from(*b))),
            _ => Val::Tuple(Items::of(
                cells.iter().map(|v| Val::Int(i64::from(*v))).collect(),
            )),
        }
    }

    /// A grid of that size, or the tuple it degenerates to.
    pub(crate) fn grid(height: usize, width: usize, cells: Vec<i8>) -> R {
        if height == 0 {
            return Ok(Val::empty_tuple());
        }
        if width == 0 {
            return Ok(Val::tuple(vec![Val::empty_tuple(); height]));
        }
        if height > 60_000 || width > 60_000 {
            return Err(EXACT);
        }
        Ok(Val::Grid(Rc::new(Grid::new(height, width, cells))))
    }

    /// The tuple of these rows, as a grid where it is one.
    pub(crate) fn rows(rows: Vec<Val>) -> Val {
        let rows = Val::tuple(rows);
        match rows.as_grid() {
            Some(grid) => Val::Grid(grid),
            None => rows,
        }
    }

    /// The set of these values. Faults where order or identity would decide.
    pub(crate) fn set(mut items: Vec<Val>) -> R {
        if items.len() > MAX_SET_ELEMENTS {
            return Err(EXACT);
        }
        match items.first() {
            None => return Ok(Val::empty_set()),
            Some(Val::Pair(..)) => {
                if let Some(patch) = patch_of_pairs(&items) {
                    return Ok(Val::Indices(Rc::new(patch)));
                }
            }
            Some(Val::Cell(..)) => {
                if let Some(object) = object_of_cells(&items) {
                    return Ok(object);
                }
            }
            _ => {}
        }
        if items.iter().any(Val::is_risky_in_set)
            && !items.iter().all(|v| matches!(v, Val::Bool(_)))
        {
            return Err(EXACT);
        }
        items.sort_by(compare);
        let mut is_doubtful = false;
        items.dedup_by(|a, b| {
            let is_copy = compare(a, b) == Ordering::Equal;
            is_doubtful |= is_copy && !a.is_interchangeable(b);
            is_copy
        });
        if is_doubtful {
            Err(EXACT)
        } else {
            Ok(Val::Set(Items::of(items)))
        }
    }

    /// Values that equal others of another form (`True` and `1`).
    fn is_risky_in_set(&self) -> bool {
        match self {
            Val::Bool(_) => true,
            Val::Two(two) => two.0.is_risky_in_set() || two.1.is_risky_in_set(),
            Val::Tuple(items) | Val::Set(items) | Val::Bag(items) => {
                items.iter().any(Val::is_risky_in_set)
            }
            _ => false,
        }
    }

    /// Does it make no difference which of two equal values stays in a set? Bags of the same
    /// elements may be different tuples, and patches may have been filled in different orders.
    fn is_interchangeable(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Bag(_), _) => false,
            (Val::Indices(a), Val::Indices(b)) => a.is_filled_like(b),
            (Val::Two(a), Val::Two(b)) => {
                a.0.is_interchangeable(&b.0) && a.1.is_interchangeable(&b.1)
            }
            (Val::Tuple(a), Val::Tuple(b)) | (Val::Set(a), Val::Set(b)) => {
                (a.history.is_none() && b.history.is_none() || Rc::ptr_eq(a, b))
                    && a.iter().zip(b.iter()).all(|(a, b)| a.is_interchangeable(b))
            }
            _ => true,
        }
    }

    /// A tuple in unknown order; with fewer than two elements there is nothing unknown.
    pub(crate) fn bag(mut items: Vec<Val>) -> Val {
        if items.len() < 2 {
            return Val::tuple(items);
        }
        items.sort_by(compare);
        Val::Bag(Items::of(items))
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

    /// The value as a grid of small numbers, if it is one.
    pub(crate) fn as_grid(&self) -> Option<Rc<Grid>> {
        match self {
            Val::Grid(grid) => Some(Rc::clone(grid)),
            Val::Tuple(rows) => grid_of_rows(rows).map(Rc::new),
            Val::Two(two) => grid_of_rows(&[two.0.clone(), two.1.clone()]).map(Rc::new),
            _ => None,
        }
    }

    pub(crate) fn is_tuple(&self) -> bool {
        matches!(
            self,
            Val::Pair(_) | Val::Cell(_) | Val::Two(_) | Val::Grid(_) | Val::Tuple(_) | Val::Bag(_)
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
            Val::Grid(grid) => grid.height(),
            Val::Tuple(items) | Val::Set(items) | Val::Bag(items) => items.len(),
            Val::Indices(patch) => patch.len(),
            Val::Object(object) => object.patch.len(),
            _ => return None,
        })
    }

    /// What a call pays for touching this value; see `leyden_dsl::cx::weight`.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Val::Pair(..) | Val::Cell(..) => 2,
            Val::Two(two) if two.0.is_tuple() => 2 * two.0.len().unwrap_or(1) as u64,
            Val::Two(_) => 2,
            Val::Grid(grid) => (grid.height() * grid.width()) as u64,
            Val::Tuple(items) => {
                let inner = items.first().map_or(1, Val::inner_len);
                (items.len() * inner) as u64
            }
            // Any element may be the first, so the longest counts.
            Val::Bag(items) => {
                let inner = items.iter().map(Val::inner_len).max().unwrap_or(1);
                (items.len() * inner) as u64
            }
            Val::Indices(patch) => patch.len() as u64,
            Val::Object(object) => object.patch.len() as u64,
            Val::Set(items) => items.len() as u64,
            _ => 0,
        }
    }

    /// How much an element adds to the weight of its tuple.
    fn inner_len(&self) -> usize {
        self.len().filter(|_| self.is_tuple()).unwrap_or(1)
    }

    /// Python's truth.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Val::None => false,
            Val::Bool(b) => b.get(),
            Val::Int(n) => *n != 0,
            other => other.len() != Some(0),
        }
    }

    /// The elements of a container: in order for a tuple, in any order for a set.
    pub(crate) fn elements(&self) -> Option<Vec<Val>> {
        Some(match self {
            Val::Pair(pair) => {
                let (i, j) = pair.get();
                vec![Val::Int(i), Val::Int(j)]
            }
            Val::Cell(cell) => {
                let (v, i, j) = cell.get();
                vec![Val::Int(i64::from(v)), Val::place((i, j))]
            }
            Val::Grid(grid) => grid.rows().map(Val::row).collect(),
            Val::Two(two) => vec![two.0.clone(), two.1.clone()],
            Val::Tuple(items) | Val::Set(items) => items.to_vec(),
            Val::Indices(patch) => patch.cells().map(Val::place).collect(),
            Val::Object(object) => object.cells().map(Val::coloured_place).collect(),
            _ => return None,
        })
    }
}

fn grid_of_rows(rows: &[Val]) -> Option<Grid> {
    let width = rows
        .first()
        .filter(|row| row.is_tuple())
        .and_then(Val::len)?;
    if width == 0 || rows.len() > 60_000 || width > 60_000 {
        return None;
    }
    let mut cells = Vec::with_capacity(rows.len() * width);
    for (k, row) in rows.iter().enumerate() {
        match row {
            Val::Pair(pair) => {
                let (a, b) = pair.get();
                cells.extend([i8::try_from(a).ok()?, i8::try_from(b).ok()?]);
            }
            Val::Tuple(items) => {
                for item in items.iter() {
                    let Val::Int(v) = item else { return None };
                    cells.push(i8::try_from(*v).ok()?);
                }
            }
            _ => return None,
        }
        if cells.len() != (k + 1) * width {
            return None;
        }
    }
    Some(Grid::new(rows.len(), width, cells))
}

fn patch_of_pairs(items: &[Val]) -> Option<Patch> {
    let mut extents = Vec::with_capacity(items.len());
    for item in items {
        extents.push(item.as_pair()?);
    }
    Patch::from_cells(&extents)
}

fn object_of_cells(items: &[Val]) -> Option<Val> {
    let mut cells = Vec::with_capacity(items.len());
    for item in items {
        let Val::Cell(cell) = item else { return None };
        cells.push(cell.get());
    }
    object_from(&cells)
}

/// The object of these cells, unless two of them want different colours for one place.
pub(crate) fn object_from(cells: &[(i8, i64, i64)]) -> Option<Val> {
    let (top, left, height, width) = extent(cells.iter().map(|(_, i, j)| (*i, *j)))?;
    let mut canvas = Canvas::new(top, left, height, width)?;
    let mut each = vec![0i8; (height * width) as usize];
    for &(v, i, j) in cells {
        let place = ((i - top) * width + (j - left)) as usize;
        if each[place] != v && canvas.rows[(i - top) as usize] >> (j - left) & 1 == 1 {
            return None;
        }
        canvas.set(i, j);
        each[place] = v;
    }
    let patch = canvas.finish()?;
    let first = cells[0].0;
    if cells.iter().all(|(v, ..)| *v == first) {
        return Some(Object::uniform(patch, first));
    }
    Some(Val::Object(Rc::new(Object {
        patch,
        colours: Colours::Each(each.into()),
    })))
}

/// Python's `==`. `None` where this engine cannot tell (tuples in unknown order).
pub(crate) fn equal(a: &Val, b: &Val) -> Option<bool> {
    Some(match (a, b) {
        (Val::Int(x), Val::Int(y)) => x == y,
        (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => a.as_int() == b.as_int(),
        (Val::Pair(x), Val::Pair(y)) => x == y,
        (Val::Cell(x), Val::Cell(y)) => x == y,
        (Val::Grid(x), Val::Grid(y)) => x == y,
        (Val::Indices(x), Val::Indices(y)) => x == y,
        (Val::Object(x), Val::Object(y)) => x == y,
        (Val::None, Val::None) => true,
        (Val::Prim(x), Val::Prim(y)) => x.prim == y.prim,
        (Val::Func(x), Val::Func(y)) => Rc::ptr_eq(x, y),
        (Val::Bag(_), _) | (_, Val::Bag(_)) => return None,
        (Val::Set(x), Val::Set(y)) | (Val::Tuple(x), Val::Tuple(y)) => return all_equal(x, y),
        (Val::Two(x), Val::Two(y)) => equal(&x.0, &y.0)? && equal(&x.1, &y.1)?,
        _ if a.is_tuple() && b.is_tuple() => return all_equal(&a.elements()?, &b.elements()?),
        _ => false,
    })
}

fn all_equal(a: &[Val], b: &[Val]) -> Option<bool> {
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

/// A total order over all values, for the canonical form of sets. Tuples of different form
/// compare as tuples; otherwise it means nothing.
pub(crate) fn compare(a: &Val, b: &Val) -> Ordering {
    match (a, b) {
        (Val::Int(x), Val::Int(y)) => x.cmp(y),
        (Val::Bool(x), Val::Bool(y)) => x.cmp(y),
        (Val::Pair(x), Val::Pair(y)) => x.cmp(y),
        (Val::Cell(x), Val::Cell(y)) => x.cmp(y),
        (Val::Indices(x), Val::Indices(y)) => x.cmp(y),
        (Val::Object(x), Val::Object(y)) => x.cmp(y),
        (Val::Set(x), Val::Set(y)) | (Val::Tuple(x), Val::Tuple(y)) => compare_all(x, y),
        (Val::Two(x), Val::Two(y)) => compare(&x.0, &y.0).then_with(|| compare(&x.1, &y.1)),
        (Val::Bag(x), Val::Bag(y)) => compare_all(x, y),
        (Val::Prim(x), Val::Prim(y)) => x.prim.cmp(&y.prim),
        (Val::Func(x), Val::Func(y)) => Rc::as_ptr(x).cmp(&Rc::as_ptr(y)),
        (Val::Grid(x), Val::Grid(y)) => {
            (x.height, x.width, &x.cells).cmp(&(y.height, y.width, &y.cells))
        }
        _ if a.is_tuple() && b.is_tuple() => match (a.elements(), b.elements()) {
            (Some(x), Some(y)) => compare_all(&x, &y),
            (x, y) => x.is_some().cmp(&y.is_some()),
        },
        (Val::None, Val::None) => Ordering::Equal,
        _ => rank(a).cmp(&rank(b)),
    }
}

fn compare_all(a: &[Val], b: &[Val]) -> Ordering {
    let by_element = || {
        let differing = a.iter().zip(b).map(|(x, y)| compare(x, y));
        differing
            .into_iter()
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    a.len().cmp(&b.len()).then_with(by_element)
}

fn rank(value: &Val) -> u8 {
    match value {
        Val::None => 0,
        Val::Bool(_) => 1,
        Val::Int(_) => 2,
        Val::Pair(_) | Val::Cell(_) | Val::Two(_) | Val::Grid(_) | Val::Tuple(_) | Val::Bag(_) => 3,
        Val::Indices(_) => 4,
        Val::Object(_) => 5,
        Val::Set(_) => 6,
        Val::Prim(_) => 7,
        Val::Func(_) => 8,
    }
}
