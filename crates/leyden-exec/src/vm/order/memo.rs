//! Orders and other results that the programs on one sample share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leyden_dsl::pyset::{Region, Table};
use leyden_dsl::value::Value;
use rustc_hash::FxHashMap;

use crate::vm::values::value::{Arena, Val};
use crate::vm::values::word::CellWord;

/// Orders that kernels have worked out so far, by the address of the value.
pub(crate) type Orders<'a> = FxHashMap<usize, Option<&'a [Val<'a>]>>;

/// The objects of a grid as CPython finds them, and for each cell the number of its object.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) objects: Vec<Table<CellWord>>,
    pub(super) owners: Vec<u32>,
}

/// The order of all objects, as places among the sorted ones.
pub(super) type Ranks = Option<Rc<[u32]>>;

/// Results that all programs on one sample share: searches for objects in CPython's way, by the
/// content of the grid, and orders of sets that several programs hold, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    pub(super) found: RefCell<Vec<(u128, Rc<Found>)>>,
    pub(super) orders: RefCell<Vec<(u128, Ranks)>>,
    /// The addresses of values that live as long as this memo, from the first to the last.
    lasting: Cell<(usize, usize)>,
    places: RefCell<FxHashMap<usize, Rc<[u32]>>>,
    regions: RefCell<FxHashMap<usize, Option<Rc<[Region]>>>>,
    /// Values in the reference engine's form, with the number of their parts.
    handed_over: RefCell<FxHashMap<usize, (Value, usize)>>,
    n_parts_handed_over: Cell<usize>,
}

/// The most parts of values that are kept for the reference engine. Without them, 800 mutants take 0.5 %
/// more instructions.
const MOST_PARTS_KEPT: usize = 1 << 18;

impl Memo {
    /// Declares that values in this arena live as long as the memo, as far as its present room
    /// goes.
    pub(crate) fn note_lasting(&self, arena: Arena<'_>) {
        let n_bytes = arena.chunk_capacity();
        let end = std::ptr::from_ref(arena.alloc(0u64)).addr();
        self.lasting.set((end.saturating_sub(n_bytes), end));
    }

    fn is_lasting(&self, address: usize) -> bool {
        let (start, end) = self.lasting.get();
        (start..end).contains(&address)
    }

    /// The order of a set that several programs hold, as places among its elements.
    pub(crate) fn places(&self, address: usize) -> Option<Rc<[u32]>> {
        if self.is_lasting(address) {
            self.places.borrow().get(&address).cloned()
        } else {
            None
        }
    }

    pub(crate) fn keep_places(&self, address: usize, places: &[u32]) {
        if self.is_lasting(address) {
            self.places.borrow_mut().insert(address, places.into());
        }
    }

    /// A value that several programs hold in the form that the reference engine got before, and the
    /// number of its parts.
    pub(crate) fn handed_over(&self, address: usize) -> Option<(Value, usize)> {
        if self.is_lasting(address) {
            self.handed_over.borrow().get(&address).cloned()
        } else {
            None
        }
    }

    pub(crate) fn keep_handed_over(&self, address: usize, value: &Value, n_parts: usize) {
        let n_kept = self.n_parts_handed_over.get() + n_parts;
        if self.is_lasting(address) && n_kept <= MOST_PARTS_KEPT {
            self.n_parts_handed_over.set(n_kept);
            let entry = (value.clone(), n_parts);
            self.handed_over.borrow_mut().insert(address, entry);
        }
    }

    /// The regions of a set that several programs hold, made now if they are new; `None` for other
    /// sets.
    pub(crate) fn regions(
        &self,
        address: usize,
        make: impl FnOnce() -> Option<Rc<[Region]>>,
    ) -> Option<Option<Rc<[Region]>>> {
        if !self.is_lasting(address) {
            return None;
        }
        let known = self.regions.borrow().get(&address).cloned();
        Some(known.unwrap_or_else(|| {
            let regions = make();
            self.regions.borrow_mut().insert(address, regions.clone());
            regions
        }))
    }
}

/// The entry under a key, made now if it is new.
pub(super) fn remembered<T: Clone>(
    known: &RefCell<Vec<(u128, T)>>,
    key: u128,
    make: impl FnOnce() -> T,
) -> T {
    let found = known.borrow().iter().find(|(k, _)| *k == key).cloned();
    if let Some((_, value)) = found {
        return value;
    }
    let value = make();
    known.borrow_mut().push((key, value.clone()));
    value
}
