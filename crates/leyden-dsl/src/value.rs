//! Values as CPython sees them: equality, hashes and notation.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

mod hash;

use crate::fault::Fault;
use crate::meter::{MAX_NESTING, check_len, check_set_len};
use crate::pyset::{self, Table};
use crate::table::{Constant, Prim};
use hash::hash_float;
pub use hash::{hash_frozenset, hash_int, hash_pair, hash_tuple};

/// The most nodes of a value as a tree. Shared parts count each time, because hashing and comparing
/// reach them each time.
pub const MAX_NODES: u32 = 1 << 24;

/// The value of a variable. Cloning is cheap.
#[derive(Clone)]
pub enum Value {
    /// Python's `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A float. Only tokpidjin's infinities and nan lead to one.
    Float(f64),
    /// A primitive that is passed as a value.
    Prim(Prim),
    /// A tuple.
    Tuple(Rc<Tuple>),
    /// A frozenset.
    Set(Rc<PySet>),
    /// A function that a primitive made.
    Func(Rc<Closure>),
}

/// The depth and the size of a value as a tree.
#[derive(Clone, Copy, Debug)]
struct Bulk {
    depth: u32,
    nodes: u32,
    /// The weight of a tuple that contains only tuples, beyond the number of its items.
    weight_of_rows: u32,
}

impl Bulk {
    const ATOM: Bulk = Bulk::new(0, 1);

    const fn new(depth: u32, nodes: u32) -> Bulk {
        Bulk {
            depth,
            nodes,
            weight_of_rows: 0,
        }
    }

    fn of_parts<'a>(parts: impl IntoIterator<Item = &'a Value>, len: usize) -> Bulk {
        let mut deepest = 0;
        let mut nodes = 1 + len as u64;
        let (mut n_rows, mut weight_of_rows) = (0, 0);
        for part in parts {
            let inner = match part {
                Value::Tuple(row) => {
                    n_rows += 1;
                    weight_of_rows += row.len().saturating_sub(1) as u64;
                    row.bulk
                }
                Value::Set(_) | Value::Func(_) => part.bulk(),
                _ => continue,
            };
            deepest = deepest.max(inner.depth);
            nodes += u64::from(inner.nodes - 1);
        }
        if n_rows < len {
            weight_of_rows = 0;
        }
        Bulk {
            depth: deepest + u32::from(len > 0),
            nodes: u32::try_from(nodes).unwrap_or(u32::MAX),
            weight_of_rows: u32::try_from(weight_of_rows).unwrap_or(u32::MAX),
        }
    }

    fn check(self) -> Result<Bulk, Fault> {
        if self.depth > MAX_NESTING || self.nodes > MAX_NODES {
            return Err(Fault::Memory);
        }
        Ok(self)
    }
}

/// The items of a tuple. Most tuples are pairs, which need no second allocation.
enum Items {
    Pair([Value; 2]),
    Many(Vec<Value>),
}

/// A tuple; dereferences to its items.
pub struct Tuple {
    items: Items,
    bulk: Bulk,
    /// [`NO_HASH`] until the first use.
    hash: Cell<i64>,
}

/// The hash of functions that primitives make. CPython hashes them by address.
pub const FUNCTION_HASH: i64 = 0x1b87_3593;

/// A number that CPython never returns as a hash.
const NO_HASH: i64 = -1;

impl Tuple {
    fn value(items: Items, bulk: Bulk) -> Value {
        let hash = Cell::new(NO_HASH);
        Value::Tuple(Rc::new(Tuple { items, bulk, hash }))
    }

    #[inline]
    fn hash(&self) -> i64 {
        if self.hash.get() == NO_HASH {
            let hashes = self.iter().map(Value::hash);
            self.hash.set(hash_tuple(hashes, self.len()));
        }
        self.hash.get()
    }
}

impl Deref for Tuple {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        match &self.items {
            Items::Pair(pair) => pair,
            Items::Many(items) => items,
        }
    }
}

/// A frozenset; dereferences to its table.
pub struct PySet {
    table: Table<Value>,
    bulk: Bulk,
    hash: OnceCell<i64>,
}

impl Deref for PySet {
    type Target = Table<Value>;

    #[inline]
    fn deref(&self) -> &Table<Value> {
        &self.table
    }
}

/// The body of a function that a primitive made.
pub enum Lambda {
    /// `outer(inner(x))`
    Compose(Value, Value),
    /// `h(g(f(x)))`
    Chain(Value, Value, Value),
    /// `function(x) == target`
    Matcher(Value, Value),
    /// `function(…, fixed)`
    Rbind(Value, Value),
    /// `function(fixed, …)`
    Lbind(Value, Value),
    /// `outer(a(x), b(x))`
    Fork(Value, Value, Value),
    /// `()` for any arguments: tokpidjin's default for a missing function.
    Nothing,
}

/// A function that a primitive made.
pub struct Closure {
    /// The body.
    pub lambda: Lambda,
    arity: usize,
    depth: u32,
}

impl Closure {
    /// The number of arguments.
    pub fn arity(&self) -> usize {
        self.arity
    }
}

impl Lambda {
    fn depth(&self) -> u32 {
        let deepest = |parts: &[&Value]| parts.iter().map(|part| part.bulk().depth + 1).max();
        match self {
            Lambda::Compose(a, b)
            | Lambda::Matcher(a, b)
            | Lambda::Rbind(a, b)
            | Lambda::Lbind(a, b) => deepest(&[a, b]),
            Lambda::Chain(a, b, c) | Lambda::Fork(a, b, c) => deepest(&[a, b, c]),
            Lambda::Nothing => None,
        }
        .unwrap_or(0)
    }
}

impl Value {
    /// Makes a tuple, unless it exceeds the caps.
    pub fn tuple(items: Vec<Value>) -> Result<Value, Fault> {
        if items.is_empty() {
            return Ok(shared::nothing());
        }
        check_len(items.len())?;
        let bulk = Bulk::of_parts(&items, items.len()).check()?;
        Ok(Tuple::value(Items::Many(items), bulk))
    }

    /// Makes a tuple of two values.
    #[inline]
    pub fn pair(a: Value, b: Value) -> Result<Value, Fault> {
        match (&a, &b) {
            (Value::Int(i), Value::Int(j)) => Ok(shared::location(*i, *j)),
            (Value::Int(colour), Value::Tuple(tuple)) => match tuple.items {
                Items::Pair([Value::Int(i), Value::Int(j)]) => Ok(shared::cell(*colour, i, j, b)),
                _ => Value::new_pair(a, b),
            },
            _ => Value::new_pair(a, b),
        }
    }

    fn new_pair(a: Value, b: Value) -> Result<Value, Fault> {
        let items = [a, b];
        let bulk = Bulk::of_parts(&items, items.len()).check()?;
        Ok(Tuple::value(Items::Pair(items), bulk))
    }

    /// Makes a frozenset with this very table, as `frozenset(generator)` does.
    pub fn set(table: Table<Value>) -> Result<Value, Fault> {
        check_set_len(table.len())?;
        let bulk = Bulk::of_parts(&table, table.len()).check()?;
        Ok(Value::Set(Rc::new(PySet {
            table,
            bulk,
            hash: OnceCell::new(),
        })))
    }

    /// Makes a frozenset from a mutable set, which CPython copies into a new table.
    pub fn frozen(set: Table<Value>) -> Result<Value, Fault> {
        Value::set(set.retabled())
    }

    /// Makes a function of `arity` arguments.
    pub fn function(lambda: Lambda, arity: usize) -> Result<Value, Fault> {
        let depth = lambda.depth();
        if depth > MAX_NESTING {
            return Err(Fault::Memory);
        }
        Ok(Value::Func(Rc::new(Closure {
            lambda,
            arity,
            depth,
        })))
    }

    /// Makes a grid of colours.
    pub fn grid<R: AsRef<[u8]>>(rows: &[R]) -> Value {
        let row = |row: &R| {
            let cells: Vec<Value> = row.as_ref().iter().map(|&c| Value::Int(c.into())).collect();
            let bulk = Bulk::new(u32::from(!cells.is_empty()), 1 + cells.len() as u32);
            Tuple::value(Items::Many(cells), bulk)
        };
        let rows: Vec<Value> = rows.iter().map(row).collect();
        let bulk = Bulk::of_parts(&rows, rows.len());
        Tuple::value(Items::Many(rows), bulk)
    }

    #[inline]
    fn bulk(&self) -> Bulk {
        match self {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Prim(_) => {
                Bulk::ATOM
            }
            Value::Tuple(tuple) => tuple.bulk,
            Value::Set(set) => set.bulk,
            // Functions are hashed and compared as a whole: only their depth matters.
            Value::Func(closure) => Bulk::new(closure.depth, 1),
        }
    }

    /// The price of reading or making this value: the number of its elements. If a tuple contains
    /// only tuples, their elements count, so a grid weighs its cells; an empty row counts as one.
    /// The order of the elements does not matter.
    #[inline]
    pub fn weight(&self) -> u64 {
        match self {
            Value::Set(set) => set.len() as u64,
            Value::Tuple(items) => items.len() as u64 + u64::from(items.bulk.weight_of_rows),
            _ => 0,
        }
    }

    /// The number of parts of the value as a tree. In memory it has at most this many, apart from
    /// the values that functions hold.
    pub fn n_parts(&self) -> u32 {
        self.bulk().nodes
    }

    /// The rows of a grid, if the value is a non-empty tuple of non-empty tuples of integers.
    pub fn as_int_rows(&self) -> Option<Vec<Vec<i64>>> {
        let rows = self.as_items().filter(|rows| !rows.is_empty())?;
        rows.iter().map(Value::as_int_row).collect()
    }

    fn as_int_row(&self) -> Option<Vec<i64>> {
        let row = self.as_items().filter(|row| !row.is_empty())?;
        row.iter().map(Value::as_plain_int).collect()
    }

    fn as_plain_int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The items of a tuple.
    #[inline]
    pub fn as_items(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(tuple) => Some(tuple),
            _ => None,
        }
    }

    /// The table of a set.
    #[inline]
    pub fn as_set(&self) -> Option<&Table<Value>> {
        match self {
            Value::Set(set) => Some(set),
            _ => None,
        }
    }

    /// The number, if `isinstance(value, int)` holds. A bool counts as a number.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            Value::Bool(b) => Some(i64::from(*b)),
            _ => None,
        }
    }

    /// The value of a number as a float.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(x) => Some(*x),
            _ => self.as_int().map(|n| n as f64),
        }
    }

    /// Whether the value is Python's `nan`, which equals no number, not even itself.
    pub fn is_nan(&self) -> bool {
        matches!(self, Value::Float(x) if x.is_nan())
    }

    /// `isinstance(value, tuple)`
    #[inline]
    pub fn is_tuple(&self) -> bool {
        matches!(self, Value::Tuple(_))
    }

    /// Whether Python counts the value as true.
    pub fn is_truthy(&self) -> bool {
        match self {
            Value::None => false,
            Value::Bool(b) => *b,
            Value::Int(n) => *n != 0,
            Value::Float(x) => *x != 0.0,
            Value::Tuple(tuple) => !tuple.is_empty(),
            Value::Set(set) => !set.is_empty(),
            Value::Prim(_) | Value::Func(_) => true,
        }
    }

    /// Is it the same object? Sets compare identities before values.
    pub fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
            (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b),
            (Value::Func(a), Value::Func(b)) => Rc::ptr_eq(a, b),
            _ => self == other,
        }
    }

    /// CPython's hash. CPython hashes `None` and functions by address; here they have fixed hashes.
    #[inline]
    pub fn hash(&self) -> i64 {
        match self {
            Value::None => 0x00fc_a86c,
            Value::Bool(b) => i64::from(*b),
            Value::Int(n) => hash_int(*n),
            Value::Float(x) => hash_float(*x),
            Value::Prim(prim) => 0x5bd1_e995 * (*prim as i64 + 1),
            Value::Tuple(tuple) => tuple.hash(),
            Value::Set(set) => *set.hash.get_or_init(|| hash_set(set)),
            Value::Func(_) => FUNCTION_HASH,
        }
    }
}

fn hash_set(table: &Table<Value>) -> i64 {
    hash_frozenset(table.hashed().map(|(hash, _)| hash), table.len())
}

/// Equality as containers test it: identity comes first, so nan equals itself.
impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b) || a[..] == b[..],
            (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b) || sets_equal(a, b),
            (Value::None, Value::None) => true,
            (Value::Prim(a), Value::Prim(b)) => a == b,
            (Value::Func(a), Value::Func(b)) => Rc::ptr_eq(a, b),
            _ => match (self.as_int(), other.as_int()) {
                (Some(a), Some(b)) => a == b,
                _ => floats_equal(self, other),
            },
        }
    }
}

#[cold]
fn floats_equal(a: &Value, b: &Value) -> bool {
    match (a.as_float(), b.as_float()) {
        (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => false,
    }
}

fn sets_equal(a: &PySet, b: &PySet) -> bool {
    let hashes_differ = match (a.hash.get(), b.hash.get()) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    };
    a.len() == b.len() && !hashes_differ && a.is_subset(b)
}

impl Table<Value> {
    /// `set.add`
    #[inline]
    pub fn insert(&mut self, value: Value) {
        self.add(value.hash(), value);
    }

    /// `value in set`
    pub fn has(&self, value: &Value) -> bool {
        !self.is_empty() && self.contains(value.hash(), value)
    }
}

impl FromIterator<Value> for Table<Value> {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut table = Table::new();
        values.into_iter().for_each(|value| table.insert(value));
        table
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Int(n)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<Prim> for Value {
    fn from(prim: Prim) -> Value {
        Value::Prim(prim)
    }
}

impl From<(i64, i64)> for Value {
    #[inline]
    fn from((i, j): (i64, i64)) -> Value {
        shared::location(i, j)
    }
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Value {
        match constant {
            Constant::Bool(b) => b.into(),
            Constant::Int(n) => n.into(),
            Constant::Pair(i, j) => (i, j).into(),
        }
    }
}

/// One copy of each common location and cell, because programs make them by the thousand. Programs
/// cannot tell equal tuples apart, since no primitive asks for their identity.
mod shared {
    use super::{Bulk, Items, OnceCell, Tuple, Value};

    const FIRST: i64 = -16;
    const SPAN: usize = 64;
    const N_COLOURS: usize = 10;
    const N_LOCATIONS: usize = SPAN * SPAN;

    type Shelf = Box<[OnceCell<Value>]>;

    fn shelf(len: usize) -> Shelf {
        std::iter::repeat_with(OnceCell::new).take(len).collect()
    }

    thread_local! {
        static LOCATIONS: Shelf = shelf(N_LOCATIONS);
        static CELLS: Shelf = shelf(N_COLOURS * N_LOCATIONS);
        static NOTHING: OnceCell<Value> = const { OnceCell::new() };
    }

    /// The empty tuple. CPython has one copy of it, too.
    #[inline]
    pub(super) fn nothing() -> Value {
        let made = || Tuple::value(Items::Many(Vec::new()), Bulk::ATOM);
        NOTHING.with(|nothing| nothing.get_or_init(made).clone())
    }

    /// The place of a common location on the shelf.
    #[inline]
    fn place(i: i64, j: i64) -> Option<usize> {
        let row = i.wrapping_sub(FIRST) as usize;
        let column = j.wrapping_sub(FIRST) as usize;
        (row < SPAN && column < SPAN).then(|| row * SPAN + column)
    }

    fn new_location(i: i64, j: i64) -> Value {
        let items = [Value::Int(i), Value::Int(j)];
        Tuple::value(Items::Pair(items), Bulk::new(1, 3))
    }

    fn new_cell(colour: i64, location: Value) -> Value {
        let items = [Value::Int(colour), location];
        Tuple::value(Items::Pair(items), Bulk::new(2, 5))
    }

    #[inline]
    pub(super) fn location(i: i64, j: i64) -> Value {
        match place(i, j) {
            Some(place) => LOCATIONS.with(|shelf| {
                let made = || new_location(i, j);
                shelf[place].get_or_init(made).clone()
            }),
            None => new_location(i, j),
        }
    }

    #[inline]
    pub(super) fn cell(colour: i64, i: i64, j: i64, location: Value) -> Value {
        match place(i, j) {
            Some(place) if (0..N_COLOURS as i64).contains(&colour) => CELLS.with(|shelf| {
                let made = || new_cell(colour, location);
                let place = colour as usize * N_LOCATIONS + place;
                shelf[place].get_or_init(made).clone()
            }),
            _ => new_cell(colour, location),
        }
    }
}

/// Iterates over a tuple or a set.
#[derive(Clone)]
pub enum Iter<'a> {
    /// Over a tuple.
    Tuple(std::slice::Iter<'a, Value>),
    /// Over a set, in its order.
    Set(pyset::Iter<'a, Value>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Value;

    #[inline]
    fn next(&mut self) -> Option<&'a Value> {
        match self {
            Iter::Tuple(items) => items.next(),
            Iter::Set(keys) => keys.next(),
        }
    }
}

fn write_joined<'a>(
    f: &mut fmt::Formatter<'_>,
    values: impl Iterator<Item = &'a Value>,
) -> fmt::Result {
    for (k, value) in values.enumerate() {
        let separator = if k == 0 { "" } else { ", " };
        write!(f, "{separator}{value}")?;
    }
    Ok(())
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::None => f.write_str("None"),
            Value::Bool(b) => f.write_str(if *b { "T" } else { "F" }),
            Value::Int(n) => write!(f, "{n}"),
            Value::Float(x) if x.is_nan() => f.write_str("nan"),
            Value::Float(x) => write!(f, "{x:?}"),
            Value::Prim(prim) => write!(f, "{prim}"),
            Value::Tuple(items) => {
                f.write_str("(")?;
                write_joined(f, items.iter())?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Value::Set(set) => {
                f.write_str("{")?;
                write_joined(f, set.iter())?;
                f.write_str("}")
            }
            Value::Func(_) => f.write_str("<function>"),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
