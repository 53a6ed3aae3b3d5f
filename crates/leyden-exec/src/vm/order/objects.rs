//! The objects of a grid in the order in which CPython finds them.

use std::cell::RefCell;
use std::rc::Rc;

use leyden_dsl::kernels::RingSearch;
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::pyset::{Table, with_order_of_distinct};
use leyden_dsl::value::hash_pair;
use rustc_hash::FxHashMap;

use crate::vm::Vm;
use crate::vm::order::hashes::hash_cell;
use crate::vm::order::memo::{Found, remembered};
use crate::vm::order::provenance::Search;
use crate::vm::order::tables::{TableKey, Tabled};
use crate::vm::values::finder::find;
use crate::vm::values::value::{Grid, Val};
use crate::vm::values::word::CellWord;

impl<'a> Vm<'a> {
    /// The places of a grid's objects in order, shared by the programs on a sample.
    pub(crate) fn places_of_objects(
        &mut self,
        objects: &Val<'a>,
        search: &Search<'a>,
    ) -> Option<&'a [u32]> {
        let elements = objects.elements(self.arena)?;
        let memo = self.memo;
        let places = remembered(&memo.orders, search.content_hash(), || {
            if let Some(ranks) = self.ranks(objects) {
                return Some(ranks.into());
            }
            let table = self.table(objects)?;
            let places = table.iter().map(|object| find(elements, &object.0));
            places.map(|place| place.map(|k| k as u32)).collect()
        })?;
        Some(self.arena.alloc_slice_copy(&places))
    }

    /// The table of an object, filled as CPython fills it.
    pub(super) fn grown(&mut self, value: &Val<'a>, search: &Search<'a>) -> Option<Tabled<'a>> {
        let (i, j) = match value {
            Val::Object(object) => object.patch.cells().next()?,
            Val::Set(cells) => place_of(cells.first()?)?,
            _ => return None,
        };
        if search.grid.cells().len() > MAX_SET_ELEMENTS {
            return None;
        }
        let place = i as usize * search.grid.width() + j as usize;
        let found = self.found(search);
        let cells = found.objects.get(*found.owners.get(place)? as usize)?;
        let cell = |word| TableKey(Val::cell_word(search.form, word));
        Some(cells.clone().map(cell))
    }

    /// Finds the objects as CPython does, once for each search and sample.
    fn found(&self, search: &Search<'a>) -> Rc<Found> {
        let memo = self.memo;
        remembered(&memo.found, search.content_hash(), || {
            Rc::new(self.found_exactly(search))
        })
    }

    fn found_exactly(&self, search: &Search<'a>) -> Found {
        let grid = &search.grid;
        let values: Vec<i64> = grid.cells().iter().map(|v| i64::from(*v)).collect();
        let mut rings = RingSearch::new(
            (grid.height(), grid.width()),
            &values,
            search.background.map(i64::from),
            search.is_univalued,
            search.is_diagonal,
        );
        let mut owners = vec![u32::MAX; values.len()];
        let mut objects = Vec::new();
        while let Some(places) = rings.next_object() {
            let mut table = Table::new();
            for &(i, j) in places {
                let place = i as usize * grid.width() + j as usize;
                let cell = (grid.cells()[place], i, j);
                table.add(hash_cell(search.form, cell), CellWord::place(cell));
                owners[place] = objects.len() as u32;
            }
            objects.push(table.retabled());
        }
        Found { objects, owners }
    }
}

fn place_of(cell: &Val<'_>) -> Option<(i64, i64)> {
    match cell {
        Val::Cell(cell) | Val::Triple(cell) => Some((cell.get().1, cell.get().2)),
        _ => None,
    }
}

/// The objects of a grid, in the order in which `asindices` meets their cells.
pub(super) fn by_discovery<'a>(objects: &Val<'a>, grid: &Grid<'a>) -> Option<Vec<Val<'a>>> {
    let Val::Set(objects) = objects else {
        return None;
    };
    // For each cell, the number of its object, from 1 on.
    let mut owners = vec![0u32; grid.cells().len()];
    for (k, item) in (1..).zip(objects.iter()) {
        let mut own = |(i, j): (i64, i64)| owners[i as usize * grid.width() + j as usize] = k;
        match item {
            Val::Object(object) => object.patch.cells().for_each(own),
            Val::Set(cells) => {
                for cell in cells.iter() {
                    own(place_of(cell)?);
                }
            }
            _ => return None,
        }
    }
    let mut found = Vec::with_capacity(objects.len());
    let mut is_found = vec![false; objects.len() + 1];
    is_found[0] = true;
    with_places_in_order(grid.height(), grid.width(), |places| {
        for place in places {
            let owner = owners[*place as usize] as usize;
            if !is_found[owner] {
                is_found[owner] = true;
                found.push(objects[owner - 1]);
                if found.len() == objects.len() {
                    break;
                }
            }
        }
    });
    Some(found)
}

/// The orders of `asindices` by height and width.
type Places = FxHashMap<(usize, usize), Rc<[u32]>>;

thread_local! {
    static PLACES: RefCell<Places> = RefCell::default();
}

/// The most cells of a grid whose order is kept. Without kept orders, own tasks and batteries take
/// 0.2 % more instructions.
const MAX_KEPT_PLACES: usize = 1 << 12;
/// The number of kept orders: those of all grids up to 30 × 30, and some more.
const MAX_KEPT_SIZES: usize = 1_000;

/// Lends the places of all cells, counted row by row, in the order of `asindices`.
fn with_places_in_order<T>(height: usize, width: usize, use_places: impl FnOnce(&[u32]) -> T) -> T {
    let hashes = (0..height as i64).flat_map(|i| (0..width as i64).map(move |j| hash_pair(i, j)));
    if height * width > MAX_KEPT_PLACES {
        return with_order_of_distinct(hashes, use_places);
    }
    let known = PLACES.with_borrow(|known| known.get(&(height, width)).cloned());
    let places = known.unwrap_or_else(|| {
        let places: Rc<[u32]> = with_order_of_distinct(hashes, |places| places.into());
        PLACES.with_borrow_mut(|known| {
            if known.len() < MAX_KEPT_SIZES {
                known.insert((height, width), Rc::clone(&places));
            }
        });
        places
    });
    use_places(&places)
}
