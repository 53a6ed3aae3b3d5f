//! The order of a set, worked out when somebody asks for it.
//!
//! Sets keep no order, but they remember how CPython would have made them: from which other
//! values, by which step. Where a tie makes the order matter, the elements are put into CPython's
//! table again, in the order in which CPython met them, and so on back to the grid. Most sets
//! are never asked, and the memory of their making costs them one pointer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leyden_dsl::kernels::RingSearch;
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::pyset::{Region, Table, insertion_order, with_order_of_distinct};
use leyden_dsl::value::{Value, hash_pair};
use leyden_profile::model::SlowReason;
use rustc_hash::FxHashMap;

use crate::vm::Vm;
use crate::vm::kernels::distinct_colours;
use crate::vm::order::hashes::{hash, hash_cell, hash_of_place, hashes};
use crate::vm::order::provenance::{Change, Made, Recipe, Search};
use crate::vm::values::distinct::{Board, Likeness, Missing, without_copies};
use crate::vm::values::finder::{Finder, address, find};
use crate::vm::values::value::{Arena, Grid, List, Val, equal, have_keys, sort_key};
use crate::vm::values::word::CellWord;

/// A value as a key of CPython's table.
#[derive(Clone, Copy)]
struct Key<'a>(Val<'a>);

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(&self.0, &other.0) == Some(true)
    }
}

type Tabled<'a> = Table<Key<'a>>;

/// The orders that were asked for so far, by the address of the value.
pub(crate) type Orders<'a> = FxHashMap<usize, Option<&'a [Val<'a>]>>;

/// The objects of a grid as CPython finds them, and which of them has which place.
#[derive(Debug)]
struct Found {
    objects: Vec<Table<CellWord>>,
    owners: Vec<u32>,
}

/// The order of all objects, as their places among the sorted ones.
type Ranks = Option<Rc<[u32]>>;

/// What all programs that run on one sample may have in common: the searches for objects that
/// had to be done in CPython's way, by the content of the grid, and the orders of sets that several of
/// them have, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    found: RefCell<Vec<(u128, Rc<Found>)>>,
    orders: RefCell<Vec<(u128, Ranks)>>,
    /// From where to where values lie that stay as long as this.
    lasting: Cell<(usize, usize)>,
    places: RefCell<FxHashMap<usize, Rc<[u32]>>>,
    regions: RefCell<FxHashMap<usize, Option<Rc<[Region]>>>>,
    /// Values that were handed over to the reference engine, with the number of their parts.
    handed_over: RefCell<FxHashMap<usize, (Value, usize)>>,
    n_parts_handed_over: Cell<usize>,
}

/// So many parts of values that were handed over are kept.
const MOST_PARTS_KEPT: usize = 1 << 18;

impl Memo {
    /// Values in this arena, as far as it has room now, stay as long as this.
    pub(crate) fn note_lasting(&self, arena: Arena<'_>) {
        let n_bytes = arena.chunk_capacity();
        let end = std::ptr::from_ref(arena.alloc(0u64)).addr();
        self.lasting.set((end.saturating_sub(n_bytes), end));
    }

    fn is_lasting(&self, address: usize) -> bool {
        let (start, end) = self.lasting.get();
        (start..end).contains(&address)
    }

    /// The order of a set that several programs may have, as places among its elements.
    pub(crate) fn places(&self, address: usize) -> Option<Rc<[u32]>> {
        match self.is_lasting(address) {
            true => self.places.borrow().get(&address).cloned(),
            false => None,
        }
    }

    pub(crate) fn keep_places(&self, address: usize, places: &[u32]) {
        if self.is_lasting(address) {
            self.places.borrow_mut().insert(address, places.into());
        }
    }

    /// A value that several programs may have, as it was handed over to the reference engine before, and
    /// the number of its parts.
    pub(crate) fn handed_over(&self, address: usize) -> Option<(Value, usize)> {
        match self.is_lasting(address) {
            true => self.handed_over.borrow().get(&address).cloned(),
            false => None,
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

    /// The regions of such a set, made now if nobody asked before; of any other, none.
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

/// What is known under a key, or is made now.
fn remembered<T: Clone>(known: &RefCell<Vec<(u128, T)>>, key: u128, make: impl FnOnce() -> T) -> T {
    let found = known.borrow().iter().find(|(k, _)| *k == key).cloned();
    if let Some((_, value)) = found {
        return value;
    }
    let value = make();
    known.borrow_mut().push((key, value.clone()));
    value
}

/// Sets nest in sets of sets; deeper histories than this are left to the exact engine.
pub(crate) const MAX_HISTORY: u32 = 200;

impl<'a> Vm<'a> {
    /// The elements of a container in CPython's order, where it can be worked out.
    pub(crate) fn in_order(&mut self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        match value {
            Val::Bag(_) => {}
            _ if value.is_tuple() || value.len()? < 2 => return value.elements(self.arena),
            _ => {}
        }
        let address = address(value)?;
        let known = self.orders.get(&address).copied();
        let order = known.unwrap_or_else(|| {
            let order = self.worked_out(value);
            self.orders.insert(address, order);
            order
        });
        if order.is_none() {
            self.hindrance = SlowReason::Order;
        }
        order
    }

    /// The order of a container, if somebody has asked for it before.
    pub(crate) fn order_at_hand(&self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        self.orders.get(&address(value)?).copied().flatten()
    }

    /// Has somebody asked for the order of a set before?
    pub(crate) fn has_order_at_hand(&self, set: &Val<'a>) -> bool {
        let is_known = |address| {
            self.places.contains_key(&address) || matches!(self.orders.get(&address), Some(Some(_)))
        };
        address(set).is_some_and(is_known)
    }

    /// The same value, as a tuple in order if its order was left open.
    pub(crate) fn settled(&mut self, value: &Val<'a>) -> Option<Val<'a>> {
        match value {
            Val::Bag(_) => {
                let items = self.in_order(value)?;
                Some(Val::rows(self.arena, items))
            }
            _ => Some(*value),
        }
    }

    fn worked_out(&mut self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        if self.history_depth > MAX_HISTORY {
            return None;
        }
        self.history_depth += 1;
        let order = match value {
            Val::Bag(bag) => self.sequence(value, bag.made),
            _ => self.set_in_order(value),
        };
        self.history_depth -= 1;
        order
    }

    fn set_in_order(&mut self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        if let Some(places) = self.natural_places(value) {
            let elements = value.elements(self.arena)?;
            let ordered = places.iter().map(|k| elements[*k as usize]);
            return Some(self.arena.alloc_slice_fill_iter(ordered));
        }
        let made = made_of(value)?;
        if let Made::By(Recipe::Ordered(items)) = made {
            return Some(items);
        }
        if made.needs_table() {
            return self.table(value).map(|table| self.listed(&table));
        }
        if let Made::By(recipe) = made
            && let Some(parts) = self.parts(recipe)
        {
            return self.union_in_order(value, parts?);
        }
        let sequence = self.sequence(value, made)?;
        if made.tells_apart() {
            return distinct_in_order(self.arena, sequence);
        }
        ordered(self.arena, sequence)
    }

    /// CPython's table of a set, its keys changed to those that are given for them in its order.
    pub(crate) fn table_of<V>(
        &mut self,
        set: &Val<'a>,
        change: impl FnOnce(&mut Vm<'a>, &[Val<'a>]) -> Option<Vec<V>>,
    ) -> Option<Table<V>> {
        let table = self.table(set)?;
        let keys: Vec<Val<'a>> = table.iter().map(|key| key.0).collect();
        let changed = change(self, &keys)?;
        table.map_all(changed)
    }

    fn listed(&self, table: &Tabled<'a>) -> &'a [Val<'a>] {
        let mut list = List::with_capacity_in(table.len(), self.arena);
        list.extend(table.iter().map(|key| key.0));
        list.into_bump_slice()
    }

    /// CPython's table of a set.
    fn table(&mut self, value: &Val<'a>) -> Option<Tabled<'a>> {
        match made_of(value)? {
            _ if value.len()? < 2 => tabled(value.elements(self.arena)?),
            Made::ByRowsAndCopied => Some(tabled(value.elements(self.arena)?)?.retabled()),
            Made::By(Recipe::Common(a, b)) => {
                Some(self.table(a)?.intersection(&self.table(b)?, false))
            }
            Made::By(Recipe::Less(a, b)) => Some(self.table(a)?.difference(&self.table(b)?)),
            Made::By(Recipe::With(a, element)) => {
                Some(self.table(a)?.union(&tabled(&[*element])?, false))
            }
            Made::By(Recipe::Either(a, b)) => {
                let (a, b) = (self.table(a)?, self.table(b)?);
                Some(a.union(&b, false))
            }
            Made::By(Recipe::Neighbours(i, j)) => Some(neighbours(*i, *j)),
            Made::By(Recipe::Outline(top, left, bottom, right)) => {
                Some(outline(*top, *left, *bottom, *right))
            }
            Made::By(Recipe::Objects(search)) => {
                Some(tabled(&by_discovery(value, &search.grid)?)?.retabled())
            }
            Made::By(Recipe::Object(search)) => self.grown(value, search),
            Made::By(Recipe::Palette(of)) => Some(self.palette(of)?.retabled()),
            made => tabled(self.sequence(value, made)?),
        }
    }

    /// The elements of a value in the order in which CPython put them into it.
    fn sequence(&mut self, value: &Val<'a>, made: Made<'a>) -> Option<&'a [Val<'a>]> {
        let recipe = match made {
            Made::ByRows => return value.elements(self.arena),
            Made::By(recipe) => recipe,
            _ => return None,
        };
        let arena = self.arena;
        match recipe {
            Recipe::Listed(items) => Some(items),
            Recipe::Changed(parent, change) => {
                let parent = self.in_order(parent)?;
                let mut list = List::with_capacity_in(parent.len(), arena);
                let form = arena.cells();
                list.extend(
                    parent
                        .iter()
                        .filter_map(|element| change.of(*element, form)),
                );
                Some(list.into_bump_slice())
            }
            Recipe::Applied(parent, results) => self.rearranged(parent, results),
            Recipe::Part(parent) => self.part(value, parent),
            Recipe::Elements(set) => self.in_order(set),
            Recipe::AppliedAndMerged(..) | Recipe::Merged(_) | Recipe::Joined(..) => {
                let parts = self.parts(recipe)??;
                self.chained(parts)
            }
            Recipe::Product(a, b) => {
                let (a, b) = (self.in_order(a)?, self.in_order(b)?);
                let pairs = b
                    .iter()
                    .flat_map(|j| a.iter().map(|i| Val::two(arena, *i, *j)));
                Some(List::from_iter_in(pairs, arena).into_bump_slice())
            }
            Recipe::Crossed(a, b, results) => self.crossed(a, b, results),
            Recipe::Connected(places, lines) => self.connected(places, lines),
            Recipe::Upscaled(parent, factor) => self.upscaled(parent, *factor),
            Recipe::Partition(grid, left_out) => {
                let colours = partition_colours(grid, *left_out, self.copies_palettes())?;
                let items = colours
                    .iter()
                    .map(|colour| object_of_colour(value, &colour.0));
                Some(arena.alloc_slice_copy(&items.collect::<Option<Vec<_>>>()?))
            }
            _ => None,
        }
    }

    /// The containers of which CPython put all elements into a set, in order. None if it was not made
    /// like that.
    fn parts(&mut self, recipe: &Recipe<'a>) -> Option<Option<&'a [Val<'a>]>> {
        Some(match recipe {
            Recipe::Merged(parts) => self.in_order(parts),
            Recipe::Joined(a, b) => Some(self.arena.alloc([*a, *b])),
            Recipe::AppliedAndMerged(parent, results) => {
                let results = self.rearranged(parent, results);
                results.and_then(|results| ordered(self.arena, results))
            }
            _ => return None,
        })
    }

    /// All elements of these containers, one after the other.
    fn chained(&mut self, parts: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
        let mut list = List::new_in(self.arena);
        for part in parts {
            list.extend_from_slice(self.part_in_order(part)?);
        }
        Some(list.into_bump_slice())
    }

    /// The set of all elements of these containers.
    fn union_in_order(&mut self, union: &Val<'a>, parts: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
        match self.new_elements(union, parts) {
            Some(elements) => distinct_in_order(self.arena, elements),
            None => ordered(self.arena, self.chained(parts)?),
        }
    }

    /// The elements of a union of patches as they are met for the first time: the order of a patch
    /// matters only if more than one of its elements is new. None if there are other parts.
    fn new_elements(&mut self, union: &Val<'a>, parts: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
        let elements = union.elements(self.arena)?;
        let mut board = Board::around(elements)?;
        let mut list = List::with_capacity_in(elements.len(), self.arena);
        for part in parts {
            if list.len() == elements.len() {
                break;
            }
            match board.missing_of(part)? {
                Missing::Nothing => {}
                Missing::Only(element) => {
                    board.put(&element);
                    list.push(element);
                }
                Missing::More => {
                    let part = self.part_in_order(part)?.iter();
                    list.extend(part.filter(|element| board.put(element)));
                }
            }
        }
        (list.len() == elements.len()).then(|| list.into_bump_slice())
    }

    fn part_in_order(&mut self, part: &Val<'a>) -> Option<&'a [Val<'a>]> {
        match part {
            // Most are short and asked for once.
            Val::Indices(patch) if matches!(patch.made, Made::ByRows) => by_rows(self.arena, part),
            _ => self.in_order(part),
        }
    }

    /// The results of a function on a container's elements, in the container's order.
    fn rearranged(&mut self, parent: &Val<'a>, results: &'a [Val<'a>]) -> Option<&'a [Val<'a>]> {
        let places = self.places_in_order(parent)?;
        Some(
            self.arena
                .alloc_slice_fill_iter(places.iter().map(|k| results[*k as usize])),
        )
    }

    fn crossed(
        &mut self,
        a: &Val<'a>,
        b: &Val<'a>,
        results: &'a [Val<'a>],
    ) -> Option<&'a [Val<'a>]> {
        let (a, b) = (self.places_in_order(a)?, self.places_in_order(b)?);
        let all = b.iter().flat_map(|j| {
            a.iter()
                .map(|i| results[*j as usize * a.len() + *i as usize])
        });
        Some(List::from_iter_in(all, self.arena).into_bump_slice())
    }

    /// The different lines between places, as CPython meets them: from each place those to itself and
    /// to later ones are new.
    fn connected(&mut self, places: &Val<'a>, lines: &'a [Val<'a>]) -> Option<&'a [Val<'a>]> {
        let places = self.places_in_order(places)?;
        let mut list = List::new_in(self.arena);
        let mut has_empty_set = false;
        for (k, from) in places.iter().enumerate() {
            for to in &places[k..] {
                let line = lines[*from as usize * places.len() + *to as usize];
                if !line.is_empty_set() || !std::mem::replace(&mut has_empty_set, true) {
                    list.push(line);
                }
            }
        }
        Some(list.into_bump_slice())
    }

    /// `shift(element, …)`, blocks of cells into a set, a copy of that, and its order.
    fn upscaled(&mut self, parent: &Val<'a>, factor: i64) -> Option<&'a [Val<'a>]> {
        let Val::Object(object) = parent else {
            return None;
        };
        let (top, left) = (object.patch.top(), object.patch.left());
        let parent = self.in_order(parent)?;
        let normed: Vec<Val<'a>> = parent
            .iter()
            .filter_map(|cell| Change::Shift(-top, -left).of(*cell, object.form))
            .collect();
        let mut blocks = Vec::new();
        for Key(cell) in tabled(&normed)?.iter() {
            let (v, i, j) = cell.as_cell()?;
            for di in 0..factor {
                let row = (0..factor).map(|dj| (v, i * factor + di, j * factor + dj));
                blocks.extend(row.map(|cell| Val::coloured_place(object.form, cell)));
            }
        }
        let blocks = tabled(&blocks)?.retabled();
        let back = Change::Shift(top, left);
        let cells = blocks
            .iter()
            .filter_map(|Key(cell)| back.of(*cell, object.form));
        Some(List::from_iter_in(cells, self.arena).into_bump_slice())
    }

    /// The elements of `parent` that are in `value`.
    fn part(&mut self, value: &Val<'a>, parent: &Val<'a>) -> Option<&'a [Val<'a>]> {
        let ordered = self.in_order(parent)?;
        if let Some(found) = part_by_place(self.arena, value, ordered) {
            return Some(found);
        }
        let elements = value.elements(self.arena)?;
        let finder = Finder::new(elements);
        let part = |find: &dyn Fn(&Val<'a>) -> Option<usize>| {
            let mut list = List::with_capacity_in(elements.len(), self.arena);
            list.extend(ordered.iter().filter_map(find).map(|k| elements[k]));
            list.into_bump_slice()
        };
        let found = part(&|element| finder.find_itself(element));
        // Where all were found, the others are none of them.
        if found.len() == elements.len() {
            return Some(found);
        }
        Some(part(&|element| finder.find(element)))
    }

    /// The places of a grid's objects in order; many programs ask for the same.
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

    /// The table of an object, as the exact engine fills it.
    fn grown(&mut self, value: &Val<'a>, search: &Search<'a>) -> Option<Tabled<'a>> {
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
        let cell = |word| Key(Val::cell_word(search.form, word));
        Some(cells.clone().map(cell))
    }

    /// Finds the objects as CPython does, once for each search.
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

    /// Is a palette a copy of the set that collects it?
    fn copies_palettes(&self) -> bool {
        self.dialect.is_classic()
    }

    /// The colours of a grid or object in the order of CPython's set of them.
    pub(crate) fn colours_in_order(&mut self, of: &Val<'a>) -> Option<Vec<i8>> {
        let table = self.palette(of)?;
        let colour = |key: &Key<'a>| key.0.as_int().and_then(|v| i8::try_from(v).ok());
        table.iter().map(colour).collect()
    }

    /// The set of colours of a grid or object, as it is built.
    fn palette(&mut self, of: &Val<'a>) -> Option<Tabled<'a>> {
        if let Some(grid) = of.as_grid(self.arena) {
            return tabled(&distinct_colours(grid.cells().iter().copied()));
        }
        let colour = |cell: &Val<'a>| match cell {
            Val::Cell(cell) | Val::Triple(cell) => Some(cell.get().0),
            _ => None,
        };
        let colours: Option<Vec<i8>> = self.in_order(of)?.iter().map(colour).collect();
        tabled(&distinct_colours(colours?.into_iter()))
    }
}

/// The elements of a patch or object among others, if all of them are there.
fn part_by_place<'a>(
    arena: Arena<'a>,
    value: &Val<'a>,
    ordered: &[Val<'a>],
) -> Option<&'a [Val<'a>]> {
    let mut list = List::with_capacity_in(value.len()?.min(ordered.len()), arena);
    match value {
        Val::Indices(patch) => list.extend(ordered.iter().filter(
            |element| matches!(element, Val::Pair(pair) if patch.contains(pair.get().0, pair.get().1)),
        )),
        Val::Object(object) => list.extend(
            ordered
                .iter()
                .filter(|element| element.as_cell().is_some_and(|cell| object.has(cell))),
        ),
        _ => return None,
    }
    (list.len() >= value.len()?).then(|| list.into_bump_slice())
}

/// How CPython made a set.
pub(crate) fn made_of<'a>(value: &Val<'a>) -> Option<Made<'a>> {
    match value {
        Val::Indices(patch) => Some(patch.made),
        Val::Object(object) => Some(object.patch.made),
        Val::Set(items) => Some(items.made),
        _ => None,
    }
}

fn place_of(cell: &Val<'_>) -> Option<(i64, i64)> {
    match cell {
        Val::Cell(cell) | Val::Triple(cell) => Some((cell.get().1, cell.get().2)),
        _ => None,
    }
}

/// The objects of a grid, in the order in which `asindices` meets their cells.
fn by_discovery<'a>(objects: &Val<'a>, grid: &Grid<'a>) -> Option<Vec<Val<'a>>> {
    let Val::Set(objects) = objects else {
        return None;
    };
    // Of each place the number of its object, from 1 on.
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

/// The orders of `asindices`, by height and width.
type Places = FxHashMap<(usize, usize), Rc<[u32]>>;

thread_local! {
    static PLACES: RefCell<Places> = RefCell::default();
}

/// Orders of larger grids than this are not kept.
const MAX_KEPT_PLACES: usize = 1 << 12;
/// All grids up to 30 by 30, and some more.
const MAX_KEPT_SIZES: usize = 1_000;

/// Lends all places of a grid, row by row, in the order of `asindices`.
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

fn object_of_colour<'a>(objects: &Val<'a>, colour: &Val<'a>) -> Option<Val<'a>> {
    let Val::Set(objects) = objects else {
        return None;
    };
    let colour = i8::try_from(colour.as_int()?).ok()?;
    let is_it = |item: &&Val<'a>| matches!(item, Val::Object(o) if o.only_colour() == Some(colour));
    objects.iter().find(is_it).copied()
}

/// `palette(grid)`, or `palette(grid) - {colour}`.
fn partition_colours<'a>(
    grid: &Grid<'a>,
    left_out: Option<i8>,
    is_copied: bool,
) -> Option<Tabled<'a>> {
    let palette = tabled(&distinct_colours(grid.cells().iter().copied()))?;
    let palette = if is_copied {
        palette.retabled()
    } else {
        palette
    };
    match left_out {
        None => Some(palette),
        Some(colour) => Some(palette.difference(&tabled(&[Val::Int(i64::from(colour))])?)),
    }
}

fn places<'a>(places: impl Iterator<Item = (i64, i64)>) -> Tabled<'a> {
    let mut table = Table::new();
    for (i, j) in places {
        table.add(hash_pair(i, j), Key(Val::place((i, j))));
    }
    table
}

fn neighbours<'a>(i: i64, j: i64) -> Tabled<'a> {
    let direct = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)];
    let diagonal = [
        (i - 1, j - 1),
        (i - 1, j + 1),
        (i + 1, j - 1),
        (i + 1, j + 1),
    ];
    let (direct, diagonal) = (places(direct.into_iter()), places(diagonal.into_iter()));
    direct.retabled().union(&diagonal.retabled(), false)
}

fn outline<'a>(top: i64, left: i64, bottom: i64, right: i64) -> Tabled<'a> {
    let column = |j: i64| places((top..=bottom).map(move |i| (i, j)));
    let row = |i: i64| places((left..=right).map(move |j| (i, j)));
    let verticals = column(left).union(&column(right), false);
    let horizontals = row(top).union(&row(bottom), false);
    verticals.union(&horizontals, false).retabled()
}

/// The elements of `set(items)` in its order.
pub(crate) fn ordered<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
    // A copy of an element that is there already changes nothing.
    if let Some(mut board) = Board::around(items) {
        let distinct: Vec<Val<'a>> = items
            .iter()
            .filter(|item| board.put(item))
            .copied()
            .collect();
        return distinct_in_order(arena, &distinct);
    }
    if items.len() >= 16 && have_keys(items) {
        let likeness = |a: &Val<'a>, b: &Val<'a>| match equal(a, b) {
            Some(true) => Likeness::Copy,
            _ => Likeness::Different,
        };
        return distinct_in_order(arena, &without_copies(items, sort_key, likeness).values);
    }
    let hashes = hashes(items)?;
    let is_equal = |a: usize, b: usize| equal(&items[a], &items[b]) == Some(true);
    let order = insertion_order(&hashes, is_equal);
    Some(arena.alloc_slice_fill_iter(order.iter().map(|k| items[*k as usize])))
}

/// The order of a set that was filled row by row.
fn by_rows<'a>(arena: Arena<'a>, set: &Val<'a>) -> Option<&'a [Val<'a>]> {
    let elements = set.elements(arena)?;
    match elements.len() {
        0 | 1 => Some(elements),
        _ => distinct_in_order(arena, elements),
    }
}

/// The same for elements of which no two are equal.
fn distinct_in_order<'a>(arena: Arena<'a>, items: &[Val<'a>]) -> Option<&'a [Val<'a>]> {
    let is_place = |item: &Val<'a>| matches!(item, Val::Pair(_) | Val::Cell(_) | Val::Triple(_));
    let list =
        |order: &[u32]| &*arena.alloc_slice_fill_iter(order.iter().map(|k| items[*k as usize]));
    if items.iter().all(is_place) {
        return Some(with_order_of_distinct(
            items.iter().map(hash_of_place),
            list,
        ));
    }
    Some(with_order_of_distinct(hashes(items)?.into_iter(), list))
}

/// CPython's table after these insertions.
fn tabled<'a>(items: &[Val<'a>]) -> Option<Tabled<'a>> {
    let mut table = Table::new();
    for item in items {
        table.add(hash(item)?, Key(*item));
    }
    Some(table)
}
