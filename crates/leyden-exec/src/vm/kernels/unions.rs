//! Unions of sets.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use rustc_hash::FxHashSet;

use super::objects::for_each_colour;
use super::{EXACT, Maybe, R, Val, fault};
use crate::vm::Vm;
use crate::vm::order::provenance::Made;
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{Canvas, Patch, for_each_bit};
use crate::vm::values::value::{Arena, Items, List, sort_triples};

/// All elements of several containers as one set.
pub(super) fn union_of<'a>(vm: &mut Vm<'a>, parts: &[Val<'a>], made: Made<'a>) -> R<'a> {
    let mut patches = List::new_in(vm.arena);
    let mut objects = List::new_in(vm.arena);
    match parts.first() {
        Some(Val::Indices(_)) => patches.reserve_exact(parts.len()),
        _ => objects.reserve_exact(parts.len()),
    }
    for part in parts {
        match part {
            Val::Indices(patch) => patches.push(*patch),
            Val::Object(object) => objects.push(*object),
            _ if part.is_empty_set() => {}
            _ => return union_by_element(vm, parts, made),
        }
    }
    match (patches.is_empty(), objects.is_empty()) {
        (true, true) => Ok(Val::empty_set()),
        (false, true) => match union_of_patches(vm.arena, &patches, made) {
            Some(union) => Ok(union),
            None => union_of_scattered_patches(vm, parts, &patches, made),
        },
        (true, false) => union_of_objects(vm.arena, &objects, made),
        (false, false) => union_by_element(vm, parts, made),
    }
}

/// The union of patches; `None` if they lie too far apart for one patch.
fn union_of_patches<'a>(
    arena: Arena<'a>,
    patches: &[&Patch<'a>],
    made: Made<'a>,
) -> Option<Val<'a>> {
    if let [only] = patches {
        return Some(Val::Indices(arena.alloc(only.made(made))));
    }
    let patch = joined(arena, patches.iter().copied())?;
    Some(Val::Indices(arena.alloc(patch.made(made))))
}

/// The union of patches that lie too far apart for one patch.
#[inline(never)]
fn union_of_scattered_patches<'a>(
    vm: &mut Vm<'a>,
    parts: &[Val<'a>],
    patches: &[&Patch<'a>],
    made: Made<'a>,
) -> R<'a> {
    let Some(mut planes) = Planes::around(vm.arena, patches.iter().copied()) else {
        return union_by_element(vm, parts, made);
    };
    for patch in patches {
        planes.add(0, patch, patch.rows());
    }
    planes.set(made, |_, i, j| Val::place((i, j)))
}

/// All places of several patches, if they are not too far apart.
fn joined<'a: 'p, 'p>(
    arena: Arena<'a>,
    patches: impl Iterator<Item = &'p Patch<'a>> + Clone,
) -> Option<Patch<'a>> {
    let mut canvas = Canvas::around(arena, patches.clone())?;
    for patch in patches {
        canvas.add(patch);
    }
    canvas.finish()
}

fn union_of_objects<'a>(arena: Arena<'a>, objects: &[&Object<'a>], made: Made<'a>) -> R<'a> {
    if let [only] = objects {
        return Ok(Val::Object(arena.alloc(Object {
            patch: only.patch.made(made),
            ..**only
        })));
    }
    if let Some(colour) = common_colour(objects)
        && let Some(patch) = joined(arena, objects.iter().map(|o| &o.patch))
    {
        return Ok(Object::uniform(arena, patch.made(made), colour));
    }
    if let Some(object) = side_by_side(arena, objects, made) {
        return Ok(object);
    }
    match Boards::of(arena, objects) {
        Some(boards) => boards.finish(arena, made),
        None => union_of_scattered_objects(arena, objects, made),
    }
}

/// The union of objects that lie too far apart for one object.
#[inline(never)]
fn union_of_scattered_objects<'a>(
    arena: Arena<'a>,
    objects: &[&Object<'a>],
    made: Made<'a>,
) -> R<'a> {
    if let Some(mut planes) = Planes::around(arena, objects.iter().map(|o| &o.patch)) {
        for_each_layer(arena, objects, |colour, patch, rows| {
            planes.add(colour, patch, rows);
        });
        let form = arena.cells();
        return planes.set(made, |colour, i, j| {
            Val::coloured_place(form, (colour, i, j))
        });
    }
    if objects
        .iter()
        .map(|object| object.patch.len())
        .sum::<usize>()
        > MAX_SET_ELEMENTS
    {
        return Err(EXACT);
    }
    let mut cells = List::new_in(arena);
    for object in objects {
        let cell = |cell| Val::coloured_place(object.form, cell);
        cells.extend(object.cells().map(cell));
    }
    Val::set(arena, &cells, made)
}

/// All cells of objects of different colours, if no two of them share a place and they are not too far
/// apart.
fn side_by_side<'a>(arena: Arena<'a>, objects: &[&Object<'a>], made: Made<'a>) -> Option<Val<'a>> {
    let mut canvas = Canvas::around(arena, objects.iter().map(|o| &o.patch))?;
    let n_cells = objects.iter().map(|o| o.patch.len()).sum::<usize>();
    let (top, left, width) = (canvas.top, canvas.left, canvas.width());
    let is_full = n_cells > canvas.rows.len() * width;
    if is_full || !objects.iter().all(|o| canvas.add(&o.patch)) {
        return None;
    }
    let each = arena.alloc_slice_fill_copy(canvas.rows.len() * width, 0);
    for object in objects {
        let (down, by) = (object.patch.top() - top, object.patch.left() - left);
        paint_over_none(
            object,
            &mut each[down as usize * width + by as usize..],
            width,
        );
    }
    let patch = canvas.finish_counted(n_cells as u32)?.made(made);
    let colours = Colours::Each(each);
    Some(Object::of(arena, patch, colours))
}

/// Paints an object into a window of this width, from its upper left corner on, with zeros where it
/// has no cell.
fn paint_over_none(object: &Object<'_>, each: &mut [i8], width: usize) {
    let rows = each.chunks_mut(width);
    match object.colours {
        Colours::One(colour) => {
            for (places, row) in rows.zip(object.patch.rows()) {
                for_each_bit(*row, |k| places[k] = colour);
            }
        }
        Colours::Each(own) => {
            for (places, own) in rows.zip(own.chunks_exact(object.patch.width() as usize)) {
                let both = places.iter_mut().zip(own);
                both.for_each(|(place, colour)| *place |= colour);
            }
        }
    }
}

/// The rows of an object, colour by colour.
type Layers<'a> = List<'a, (i8, &'a mut [u128])>;

/// Visits the colours of objects, with the rows of each. Objects that were moved share their rows,
/// so the kernel makes these once.
fn for_each_layer<'a>(
    arena: Arena<'a>,
    objects: &[&Object<'a>],
    mut each_layer: impl FnMut(i8, &Patch<'a>, &[u128]),
) {
    let mut known: Option<(&Object<'a>, Layers<'a>)> = None;
    for object in objects {
        let each = match object.colours {
            Colours::One(colour) => {
                each_layer(colour, &object.patch, object.patch.rows());
                continue;
            }
            Colours::Each(each) => each,
        };
        let is_moved = |other: &Object<'a>| match other.colours {
            Colours::Each(others) => {
                std::ptr::eq(each, others) && std::ptr::eq(object.patch.rows(), other.patch.rows())
            }
            Colours::One(_) => false,
        };
        let (_, layers) = match &mut known {
            Some(known) if is_moved(known.0) => known,
            _ => known.insert((object, layers(arena, object))),
        };
        for (colour, rows) in layers {
            each_layer(*colour, &object.patch, rows);
        }
    }
}

fn layers<'a>(arena: Arena<'a>, object: &Object<'a>) -> Layers<'a> {
    let mut layers = List::new_in(arena);
    let Some(colours) = object.colours_in_box() else {
        return layers;
    };
    for_each_colour(arena, &colours, |colour, rows| {
        let both = rows.iter_mut().zip(object.patch.rows());
        both.for_each(|(row, own)| *row &= own);
        // The box has zeros where the object has no cell.
        if colour != 0 || rows.iter().any(|row| *row != 0) {
            layers.push((colour, rows));
        }
    });
    layers
}

/// The bits of a plane: at most eight for each cell, but at least the first and at most the last number
/// are allowed. Without planes, own tasks take 4 % more instructions.
const MAX_PLANE: u64 = 1 << 17;
const MAX_BITS_PER_CELL: u64 = 8;
const MAX_LARGE_PLANE: u64 = 1 << 22;

/// Cells that lie too far apart for windows, as a plane of bits for each colour.
struct Planes<'a> {
    arena: Arena<'a>,
    top: i64,
    left: i64,
    height: usize,
    /// The number of words of a row; two of them are spare.
    n_words: usize,
    by_colour: List<'a, (i8, &'a mut [u64])>,
}

impl<'a> Planes<'a> {
    /// Empty planes with room for these patches; `None` if they lie too far apart.
    fn around<'p>(
        arena: Arena<'a>,
        patches: impl Iterator<Item = &'p Patch<'a>> + Clone,
    ) -> Option<Planes<'a>>
    where
        'a: 'p,
    {
        let (top, bottom) = (
            patches.clone().map(|p| p.top()).min()?,
            patches.clone().map(|p| p.bottom()).max()?,
        );
        let (left, right) = (
            patches.clone().map(|p| p.left()).min()?,
            patches.clone().map(|p| p.right()).max()?,
        );
        let (height, n_words) = (bottom - top + 1, (right - left) / 64 + 3);
        let n_cells: u64 = patches.map(|p| p.len() as u64).sum();
        let most_bits = (n_cells * MAX_BITS_PER_CELL).clamp(MAX_PLANE, MAX_LARGE_PLANE);
        let fits = (height as u64).checked_mul(64 * n_words as u64)? <= most_bits;
        fits.then(|| Planes {
            arena,
            top,
            left,
            height: height as usize,
            n_words: n_words as usize,
            by_colour: List::new_in(arena),
        })
    }

    /// Sets some of the bits of a patch.
    fn add(&mut self, colour: i8, patch: &Patch<'a>, rows: &[u128]) {
        let known = self.by_colour.iter().position(|plane| plane.0 == colour);
        let k = known.unwrap_or_else(|| {
            let words = self.height * self.n_words;
            let plane = self.arena.alloc_slice_fill_copy(words, 0);
            self.by_colour.push((colour, plane));
            self.by_colour.len() - 1
        });
        let (first, by) = ((patch.top() - self.top) as usize, patch.left() - self.left);
        let (word, bit) = (by as usize / 64, by as usize % 64);
        let plane = self.by_colour[k].1.chunks_exact_mut(self.n_words);
        for (words, row) in plane.skip(first).zip(rows) {
            let (low, high) = (*row as u64, (row >> 64) as u64);
            let over = |half: u64| half >> 1 >> (63 - bit);
            words[word] |= low << bit;
            words[word + 1] |= over(low) | high << bit;
            words[word + 2] |= over(high);
        }
    }

    /// The set of all cells; `cell` makes each of them.
    fn set(mut self, made: Made<'a>, cell: impl Fn(i8, i64, i64) -> Val<'a>) -> R<'a> {
        self.by_colour.sort_unstable_by_key(|(colour, _)| *colour);
        let words = self.by_colour.iter().flat_map(|(_, plane)| plane.iter());
        let n_cells = words.map(|word| word.count_ones() as usize).sum();
        if n_cells > MAX_SET_ELEMENTS {
            return Err(EXACT);
        }
        let mut cells = List::with_capacity_in(n_cells, self.arena);
        for (colour, plane) in &self.by_colour {
            for (r, words) in plane.chunks_exact(self.n_words).enumerate() {
                let i = self.top + r as i64;
                for (k, word) in words.iter().enumerate() {
                    let left = self.left + 64 * k as i64;
                    for_each_bit(u128::from(*word), |bit| {
                        cells.push(cell(*colour, i, left + bit as i64));
                    });
                }
            }
        }
        Ok(set_by_colour(self.arena, cells.into_bump_slice_mut(), made))
    }
}

/// The cells of several objects: a window of bits for each colour, and one for all of them.
struct Boards<'a> {
    all: Canvas<'a>,
    by_colour: List<'a, (i8, Canvas<'a>)>,
    /// For each colour, the number of its window, counted from 1.
    numbers: [u16; 256],
}

impl<'a> Boards<'a> {
    /// Windows around these objects; `None` if they lie too far apart.
    #[inline(never)]
    fn of(arena: Arena<'a>, objects: &[&Object<'a>]) -> Option<Boards<'a>> {
        let mut boards = Boards {
            all: Canvas::around(arena, objects.iter().map(|o| &o.patch))?,
            by_colour: List::new_in(arena),
            numbers: [0; 256],
        };
        for_each_layer(arena, objects, |colour, patch, rows| {
            boards.board(arena, colour).add_rows(patch, rows);
        });
        boards.by_colour.sort_unstable_by_key(|(colour, _)| *colour);
        Some(boards)
    }

    #[inline]
    fn board(&mut self, arena: Arena<'a>, colour: i8) -> &mut Canvas<'a> {
        let number = &mut self.numbers[usize::from(colour as u8)];
        if *number == 0 {
            self.by_colour.push((colour, self.all.blank(arena)));
            *number = self.by_colour.len() as u16;
        }
        &mut self.by_colour[usize::from(*number) - 1].1
    }

    /// The object of all cells, or a set of cells if two of them have different colours at one
    /// place.
    #[inline(never)]
    fn finish(self, arena: Arena<'a>, made: Made<'a>) -> R<'a> {
        let mut is_object = true;
        for (_, board) in &self.by_colour {
            for (all, row) in self.all.rows.iter_mut().zip(board.rows.iter()) {
                is_object &= *all & row == 0;
                *all |= row;
            }
        }
        if is_object {
            self.object(arena, made)
        } else {
            self.set(arena, made)
        }
    }

    fn object(self, arena: Arena<'a>, made: Made<'a>) -> R<'a> {
        let patch = self.all.finish().ok_or(EXACT)?.made(made);
        if let [(colour, _)] = self.by_colour[..] {
            return Ok(Object::uniform(arena, patch, colour));
        }
        let (height, width) = (patch.height() as usize, patch.width() as usize);
        let each = arena.alloc_slice_fill_copy(height * width, 0);
        for (colour, board) in &self.by_colour {
            for (places, row) in each.chunks_exact_mut(width).zip(board.rows.iter()) {
                for_each_bit(*row, |k| places[k] = *colour);
            }
        }
        let colours = Colours::Each(each);
        Ok(Object::of(arena, patch, colours))
    }

    fn set(&self, arena: Arena<'a>, made: Made<'a>) -> R<'a> {
        let rows = self
            .by_colour
            .iter()
            .flat_map(|(_, board)| board.rows.iter());
        let n_cells = rows.map(|row| row.count_ones() as usize).sum();
        if n_cells > MAX_SET_ELEMENTS {
            return Err(EXACT);
        }
        let mut cells = List::with_capacity_in(n_cells, arena);
        for (colour, board) in &self.by_colour {
            for (r, row) in board.rows.iter().enumerate() {
                let i = board.top + r as i64;
                for_each_bit(*row, |k| {
                    let cell = (*colour, i, board.left + k as i64);
                    cells.push(Val::coloured_place(arena.cells(), cell));
                });
            }
        }
        Ok(set_by_colour(arena, cells.into_bump_slice_mut(), made))
    }
}

/// The set of these cells, listed colour by colour and row by row. This is the order of a set,
/// except for triples.
fn set_by_colour<'a>(arena: Arena<'a>, cells: &'a mut [Val<'a>], made: Made<'a>) -> Val<'a> {
    sort_triples(cells);
    Val::Set(Items::of(arena, cells, made))
}

fn common_colour(objects: &[&Object<'_>]) -> Option<i8> {
    let colour = objects.first()?.only_colour()?;
    objects
        .iter()
        .all(|o| o.colours == Colours::One(colour))
        .then_some(colour)
}

fn union_by_element<'a>(vm: &mut Vm<'a>, parts: &[Val<'a>], made: Made<'a>) -> R<'a> {
    check_parts(parts)?;
    let mut items = List::new_in(vm.arena);
    for part in parts {
        items.extend_from_slice_copy(elements(vm, part)?);
        if items.len() > MANY_ELEMENTS {
            return union_of_many(vm, parts, made);
        }
    }
    Val::set(vm.arena, &items, made)
}

/// The elements of a container, in any order.
fn elements<'a>(vm: &mut Vm<'a>, part: &Val<'a>) -> Maybe<&'a [Val<'a>]> {
    vm.elements_of(part).ok_or(EXACT)
}

/// Checks that all parts are containers. Merging small containers cannot fail otherwise.
pub(super) fn check_parts(parts: &[Val<'_>]) -> Maybe<()> {
    if parts.iter().all(|part| part.len().is_some()) {
        return Ok(());
    }
    let n_elements = parts.iter().filter_map(Val::len).sum::<usize>();
    if n_elements > MAX_SET_ELEMENTS {
        Err(EXACT)
    } else {
        fault(Fault::TypeError)
    }
}

/// Unions of more elements, copies included, drop copies as they come, which bounds their memory.
const MANY_ELEMENTS: usize = 1 << 16;

/// The union of many elements, most of which are copies; it tells locations or cells apart as they
/// come.
fn union_of_many<'a>(vm: &mut Vm<'a>, parts: &[Val<'a>], made: Made<'a>) -> R<'a> {
    let mut seen = FxHashSet::default();
    let mut items = List::new_in(vm.arena);
    for part in parts {
        for item in elements(vm, part)? {
            if word(item).is_none_or(|word| seen.insert(word)) {
                items.push(*item);
            }
        }
        if items.len() > MAX_SET_ELEMENTS {
            return Err(EXACT);
        }
    }
    Val::set(vm.arena, &items, made)
}

/// A location or cell in a word.
pub(super) fn word(value: &Val<'_>) -> Option<(bool, u64)> {
    match value {
        Val::Pair(pair) => Some((false, pair.sort_key())),
        Val::Cell(cell) => Some((true, cell.sort_key())),
        Val::Triple(cell) => Some((true, cell.sort_key_of_triple())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;
    use crate::vm::kernels::Grid;

    #[test]
    fn objects_side_by_side_keep_their_colours() {
        let arena = Room::default();
        let colours = Grid::new(2, 3, &[0, 3, -1, 2, 0, 7]);
        let patch = |top: i64, left: i64, rows: &[u128]| {
            Patch::from_rows(&arena, top, left, rows).expect("it fits")
        };
        for by in [0, 1, 60, 62, 70, 120] {
            let several = Object::coloured(&arena, patch(1, 2, &[0b011, 0b110]), &colours, (1, 2));
            let near = Object::uniform(&arena, patch(1, 3 + by, &[0b10, 0b00, 0b11]), 5);
            let (Val::Object(a), Val::Object(b)) = (several, near) else {
                panic!("objects")
            };
            let is_shared = a.cells().any(|(_, i, j)| b.patch.contains(i, j));
            assert!(!is_shared);
            let union = side_by_side(&arena, &[a, b], Made::Somehow);
            let Some(Val::Object(union)) = union else {
                panic!("an object")
            };
            let mut wanted: Vec<_> = a.cells().chain(b.cells()).collect();
            wanted.sort_unstable_by_key(|(_, i, j)| (*i, *j));
            assert_eq!(union.cells().collect::<Vec<_>>(), wanted);
            assert_eq!(union.patch.len(), wanted.len());
            assert!(side_by_side(&arena, &[a, b, a], Made::Somehow).is_none());
        }
    }
}
