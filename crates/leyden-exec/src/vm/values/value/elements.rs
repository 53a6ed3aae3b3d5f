//! The elements of containers.

use super::{Arena, List, Val};
use crate::vm::values::arena::CellForm;
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{Patch, for_each_bit};
use crate::vm::values::word::{CellWord, PairWord};

impl<'a> Val<'a> {
    /// The elements of a container: a tuple's in order, those of a set or bag in a fixed order of
    /// our own.
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

    /// Appends the elements of a container to a list.
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

/// Appends the cells of an object to a list, each made of its word.
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

/// Calls a function with the row and column in the bounding box of each place of a patch.
#[inline(always)]
fn for_each_in_box(patch: &Patch<'_>, mut f: impl FnMut(u64, u64)) {
    for (r, bits) in (0..).zip(patch.rows()) {
        for_each_bit(*bits, |k| f(r, k as u64));
    }
}
