//! Unions of sets.

use leyden_dsl::meter::MAX_SET_ELEMENTS;
use rustc_hash::FxHashSet;

use super::super::Vm;
use super::super::made::Made;
use super::super::patch::{Canvas, Patch};
use super::super::value::{Arena, Colours, List, Object, object_from};
use super::containers::container;
use super::{EXACT, R, Val};

/// All elements of several containers as one set.
pub(super) fn union_of<'a>(vm: &mut Vm<'a>, parts: &[Val<'a>], made: Made<'a>) -> R<'a> {
    let mut patches = List::with_capacity_in(parts.len(), vm.arena);
    let mut objects = List::new_in(vm.arena);
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
            None => union_by_element(vm, parts, made),
        },
        (true, false) => union_of_objects(vm.arena, &objects, made),
        (false, false) => union_by_element(vm, parts, made),
    }
}

/// `None` where they lie too far apart to be one patch.
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

/// All places of several patches, if they are not too far apart.
fn joined<'a: 'p, 'p>(
    arena: Arena<'a>,
    patches: impl Iterator<Item = &'p Patch<'a>> + Clone,
) -> Option<Patch<'a>> {
    let mut canvas = Canvas::around(arena, patches.clone())?;
    patches.for_each(|patch| canvas.add(patch));
    canvas.finish(arena)
}

fn union_of_objects<'a>(arena: Arena<'a>, objects: &[&Object<'a>], made: Made<'a>) -> R<'a> {
    if let [only] = objects {
        return Ok(Val::Object(arena.alloc(Object {
            patch: only.patch.made(made),
            colours: only.colours,
        })));
    }
    if let Some(colour) = common_colour(objects)
        && let Some(patch) = joined(arena, objects.iter().map(|o| &o.patch))
    {
        return Ok(Object::uniform(arena, patch.made(made), colour));
    }
    let n_cells = objects.iter().map(|o| o.patch.len()).sum();
    let mut cells = List::with_capacity_in(n_cells, arena);
    objects.iter().for_each(|o| cells.extend(o.cells()));
    match object_from(arena, &cells, made) {
        Some(object) => Ok(object),
        None => {
            let cells = cells.iter().map(|cell| Val::coloured_place(*cell));
            Val::set(arena, arena.alloc_slice_fill_iter(cells), made)
        }
    }
}

pub(super) fn common_colour(objects: &[&Object<'_>]) -> Option<i8> {
    let colour = objects.first()?.only_colour()?;
    objects
        .iter()
        .all(|o| o.colours == Colours::One(colour))
        .then_some(colour)
}

fn union_by_element<'a>(vm: &mut Vm<'a>, parts: &[Val<'a>], made: Made<'a>) -> R<'a> {
    let mut items = List::new_in(vm.arena);
    for part in parts {
        items.extend_from_slice_copy(container(vm, part)?.1);
        if items.len() > MANY_ELEMENTS {
            return union_of_many(vm, parts, made);
        }
    }
    Val::set(vm.arena, &items, made)
}

/// Unions of more elements than this, copies included, are made in another way.
const MANY_ELEMENTS: usize = 1 << 16;

/// The same for many elements, most of which are copies: locations or cells are told apart as they
/// come.
fn union_of_many<'a>(vm: &mut Vm<'a>, parts: &[Val<'a>], made: Made<'a>) -> R<'a> {
    let mut seen = FxHashSet::default();
    let mut items = List::new_in(vm.arena);
    for part in parts {
        for item in container(vm, part)?.1 {
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
        _ => None,
    }
}
