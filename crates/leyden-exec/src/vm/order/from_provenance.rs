//! The order of a set, worked out on demand.
//!
//! Sets keep no order, but they remember how CPython would have made them: from which other values,
//! by which step. If a tie makes the order matter, this module puts the elements into CPython's
//! table again, in the order in which CPython met them, and so on back to the grid. Most sets never
//! need their order, and their provenance costs one pointer.

use leyden_dsl::pyset::Table;
use leyden_profile::model::SlowReason;

use crate::vm::Vm;
use crate::vm::kernels::distinct_colours;
use crate::vm::order::objects::by_discovery;
use crate::vm::order::provenance::{Change, Made, Recipe};
use crate::vm::order::tables::{
    TableKey, Tabled, by_rows, distinct_in_order, neighbours, ordered, outline, partition_colours,
    tabled,
};
use crate::vm::values::distinct::{Board, Missing};
use crate::vm::values::finder::{Finder, address};
use crate::vm::values::value::{Arena, List, Val};

/// The longest chain of sets made from each other; longer ones are left to the reference engine. It
/// bounds the recursion of this module.
pub(crate) const MAX_HISTORY: u32 = 200;

impl<'a> Vm<'a> {
    /// The elements of a container in CPython's order, if the engine can work it out.
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

    /// The order of a container, if a kernel worked it out before.
    pub(crate) fn order_at_hand(&self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        self.orders.get(&address(value)?).copied().flatten()
    }

    /// Whether a kernel worked out the order of a set before.
    pub(crate) fn has_order_at_hand(&self, set: &Val<'a>) -> bool {
        let is_known = |address| {
            self.places.contains_key(&address) || matches!(self.orders.get(&address), Some(Some(_)))
        };
        address(set).is_some_and(is_known)
    }

    /// The value with its order settled: a bag becomes a tuple in order.
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

    /// CPython's table of a set. `change` gets the keys in the table's order and gives others for
    /// them.
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
    pub(super) fn table(&mut self, value: &Val<'a>) -> Option<Tabled<'a>> {
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

    /// The containers whose elements CPython put into a set one after the other, in order; `None`
    /// if the set was made in another way.
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

    /// All elements of these containers, one container after the other.
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

    /// The elements of a union of patches in the order in which CPython meets them for the first
    /// time; `None` if there are other parts. The order of a patch matters only if more than one of
    /// its elements is new.
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
            // Most are short, and their order is needed once.
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

    /// The distinct lines between places in the order in which CPython meets them. From each place,
    /// the lines to itself and to later places are new.
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

    /// Repeats CPython's `upscale`: shift to the origin, put blocks of cells into a set, copy it,
    /// shift back.
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
        for TableKey(cell) in tabled(&normed)?.iter() {
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
            .filter_map(|TableKey(cell)| back.of(*cell, object.form));
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
        // If all elements were found, no other element of `parent` belongs to the part.
        if found.len() == elements.len() {
            return Some(found);
        }
        Some(part(&|element| finder.find(element)))
    }

    /// Whether the dialect copies the set that collects a palette.
    fn copies_palettes(&self) -> bool {
        self.dialect.is_classic()
    }

    /// The colours of a grid or object in the order of CPython's palette.
    pub(crate) fn colours_in_order(&mut self, of: &Val<'a>) -> Option<Vec<i8>> {
        let table = self.palette(of)?;
        let colour = |key: &TableKey<'a>| key.0.as_int().and_then(|v| i8::try_from(v).ok());
        table.iter().map(colour).collect()
    }

    /// CPython's table of the colours of a grid or object.
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

/// The elements of a patch or object in the order of `ordered`, if all of them are there.
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

fn object_of_colour<'a>(objects: &Val<'a>, colour: &Val<'a>) -> Option<Val<'a>> {
    let Val::Set(objects) = objects else {
        return None;
    };
    let colour = i8::try_from(colour.as_int()?).ok()?;
    let is_it = |item: &&Val<'a>| matches!(item, Val::Object(o) if o.only_colour() == Some(colour));
    objects.iter().find(is_it).copied()
}
