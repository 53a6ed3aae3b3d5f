//! The order of a set, worked out when somebody asks for it.
//!
//! A set of objects knows how CPython would have made it. Where a tie makes the order matter, its
//! elements are put into CPython's table again, in the order in which CPython met them. Sets
//! with a longer history are left to the exact engine.

use std::cell::OnceCell;
use std::rc::Rc;

use leyden_dsl::pyset::Table;
use leyden_dsl::value::{hash_frozenset, hash_int, hash_pair, hash_tuple};

use super::value::{Grid, Items, Object, Val, compare};

/// How CPython made a set.
#[derive(Debug)]
pub(crate) enum Order {
    /// The objects of a grid, in the order in which its locations are visited.
    Objects(Rc<Grid>),
    /// One object for each colour of a grid's palette, but for one.
    Partition(Rc<Grid>, Option<i8>),
    /// The colours of a grid.
    Palette(Rc<Grid>),
    /// Part of another set, picked in its order.
    Part(Rc<Items>),
}

/// How a set was made, and its order once somebody has asked.
#[derive(Debug)]
pub(crate) struct History {
    order: Order,
    worked_out: OnceCell<Option<Vec<Val>>>,
}

impl History {
    pub(super) fn new(order: Order) -> History {
        History {
            order,
            worked_out: OnceCell::new(),
        }
    }
}

impl Items {
    /// The elements in CPython's order, where it is known.
    pub(crate) fn in_order(&self) -> Option<&[Val]> {
        let history = self.history.as_ref()?;
        history
            .worked_out
            .get_or_init(|| self.work_out(&history.order))
            .as_deref()
    }

    /// Has the order been worked out already?
    pub(crate) fn is_order_at_hand(&self) -> bool {
        self.history
            .as_ref()
            .is_some_and(|history| matches!(history.worked_out.get(), Some(Some(_))))
    }

    fn work_out(&self, order: &Order) -> Option<Vec<Val>> {
        match order {
            Order::Objects(grid) => tabled(&self.by_discovery(grid)?, true),
            Order::Partition(grid, left_out) => tabled(&self.by_colour(grid, *left_out)?, false),
            Order::Palette(grid) => Some(
                palette(grid, None)
                    .into_iter()
                    .map(|v| Val::Int(i64::from(v)))
                    .collect(),
            ),
            Order::Part(whole) => {
                let is_mine =
                    |item: &&Val| self.binary_search_by(|mine| compare(mine, item)).is_ok();
                let items: Vec<Val> = whole.in_order()?.iter().filter(is_mine).cloned().collect();
                tabled(&items, false)
            }
        }
    }

    /// The objects of a grid, in the order in which `asindices` meets their cells.
    fn by_discovery(&self, grid: &Grid) -> Option<Vec<Val>> {
        let mut owners = vec![usize::MAX; grid.cells().len()];
        for (k, item) in self.iter().enumerate() {
            let Val::Object(object) = item else {
                return None;
            };
            for (i, j) in object.patch.cells() {
                owners[i as usize * grid.width() + j as usize] = k;
            }
        }
        let mut locations = Table::new();
        for i in 0..grid.height() as i64 {
            for j in 0..grid.width() as i64 {
                locations.add(hash_pair(i, j), (i, j));
            }
        }
        let mut is_found = vec![false; self.len()];
        let mut found = Vec::with_capacity(self.len());
        for (i, j) in locations.iter() {
            let owner = owners[*i as usize * grid.width() + *j as usize];
            if owner != usize::MAX && !std::mem::replace(&mut is_found[owner], true) {
                found.push(self[owner].clone());
            }
        }
        Some(found)
    }

    fn by_colour(&self, grid: &Grid, left_out: Option<i8>) -> Option<Vec<Val>> {
        let of_colour = |colour: i8| {
            let is_it =
                |item: &&Val| matches!(item, Val::Object(o) if o.only_colour() == Some(colour));
            self.iter().find(is_it).cloned()
        };
        palette(grid, left_out).into_iter().map(of_colour).collect()
    }
}

/// `palette(grid)`, or `palette(grid) - {colour}`, in its order.
fn palette(grid: &Grid, left_out: Option<i8>) -> Vec<i8> {
    let mut colours = Table::new();
    for colour in grid.cells() {
        colours.add(hash_int(i64::from(*colour)), *colour);
    }
    let mut colours = colours.retabled();
    if let Some(left_out) = left_out {
        let mut other = Table::new();
        other.add(hash_int(i64::from(left_out)), left_out);
        colours = colours.difference(&other);
    }
    colours.iter().copied().collect()
}

/// The order in which a set iterates after these insertions; `frozenset(set)` moves them once
/// more.
fn tabled(items: &[Val], is_copied: bool) -> Option<Vec<Val>> {
    let mut table = Table::new();
    for (k, item) in items.iter().enumerate() {
        // Elements are known to be distinct, so their numbers may stand for them.
        table.add(hash(item)?, k);
    }
    let table = if is_copied { table.retabled() } else { table };
    Some(table.iter().map(|k| items[*k].clone()).collect())
}

/// CPython's hash, where it does not depend on addresses.
fn hash(value: &Val) -> Option<i64> {
    Some(match value {
        Val::Int(n) => hash_int(*n),
        Val::Bool(b) => i64::from(b.get()),
        Val::Pair(pair) => hash_pair(pair.get().0, pair.get().1),
        Val::Cell(cell) => hash_cell(cell.get()),
        Val::Object(object) => hash_object(object),
        Val::Indices(patch) => {
            hash_frozenset(patch.cells().map(|(i, j)| hash_pair(i, j)), patch.len())
        }
        _ => return None,
    })
}

fn hash_cell((colour, i, j): (i8, i64, i64)) -> i64 {
    hash_tuple(
        [hash_int(i64::from(colour)), hash_pair(i, j)].into_iter(),
        2,
    )
}

fn hash_object(object: &Object) -> i64 {
    hash_frozenset(object.cells().map(hash_cell), object.patch.len())
}
