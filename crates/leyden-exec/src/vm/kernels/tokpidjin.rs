//! Tokpidjin's dialect: arc-dsl's kernels for primitives that agree with it, and its own for the
//! others.
//!
//! A kernel that stops here does not end the call. The reference engine's kernel then does the call
//! ([`Vm::stopped`]), catches any fault and gives the empty value of the declared type. So an
//! answer of arc-dsl's kernel is right here, too, unless tokpidjin's primitive gives another value
//! for these arguments. Such a primitive has a kernel in this folder, or [`is_usual`] keeps the
//! arguments away from the kernel.

mod by_number;
mod colours;
mod containers;
mod demonstrations;
mod differing;
mod ranks;
mod variants;

pub(in crate::vm) use super::*;

pub(in crate::vm) use by_number::*;
pub(in crate::vm) use colours::*;
pub(in crate::vm) use containers::*;
pub(in crate::vm) use demonstrations::*;
pub(in crate::vm) use ranks::*;
pub(in crate::vm) use variants::*;

// These hide arc-dsl's kernels with equal names.
pub(in crate::vm) use differing::{
    add, adjacent, argmax, argmin, r#box, center, crop, divide, extract, first, gravitate, hsplit,
    index, last, leftmost, lowermost, manhattan, multiply, occurrences, other, position, rightmost,
    shift, subgrid, subtract, uppermost, vsplit,
};
pub(in crate::vm) use variants::{hperiod, vperiod};

use leyden_dsl::table::Prim;
use leyden_dsl::types::Type;

use super::EXACT;
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::object::Object;
use crate::vm::values::value::{Items, List, Val};
use crate::vm::values::word::FloatWord;
use crate::vm::{R, Vm};

/// Whether a kernel may have this argument for a parameter of that type. Tokpidjin tells cells from
/// locations by their length, so only containers that surely hold the one or the other count as
/// patches. Its variants for one type take no other type, while arc-dsl's primitives take both.
#[inline(always)]
pub(in crate::vm) fn is_usual(ty: Type, value: &Val<'_>) -> bool {
    match (ty, value) {
        (
            Type::Any
            | Type::Boolean
            | Type::Callable
            | Type::Container
            | Type::ContainerContainer
            | Type::FrozenSet
            | Type::Objects,
            _,
        ) => true,
        (Type::Integer | Type::IntegerTuple | Type::Numerical | Type::IntegerSet, _) => {
            !matches!(value, Val::Float(_))
        }
        (Type::Grid | Type::Tuple | Type::TupleTuple, _) => value.is_tuple(),
        (Type::Indices | Type::Patch | Type::Piece, Val::Indices(_)) => true,
        // The variants for locations check this themselves.
        (
            Type::Indices | Type::Object | Type::Patch | Type::Piece | Type::Element,
            Val::Object(_),
        ) => true,
        (Type::Piece | Type::Element, Val::Grid(_)) => true,
        (Type::Piece | Type::Element, _) => value.is_empty_set(),
        (Type::Indices, _) => is_list_of(value, is_location),
        (Type::Object, _) => is_list_of(value, is_cell),
        (Type::Patch, _) => is_list_of(value, is_location) || is_list_of(value, is_cell),
    }
}

fn is_location(element: &Val<'_>) -> bool {
    matches!(element, Val::Pair(_))
}

fn is_cell(element: &Val<'_>) -> bool {
    matches!(element, Val::Triple(_))
}

/// Whether it is a tuple or a set with only such elements.
#[inline(never)]
fn is_list_of(value: &Val<'_>, is_one: fn(&Val<'_>) -> bool) -> bool {
    match value {
        Val::Two(two) => is_one(&two.0) && is_one(&two.1),
        Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => items.iter().all(is_one),
        _ => false,
    }
}

/// Whether it is a patch, and not a tuple that stands for one.
fn is_patch(value: &Val<'_>) -> bool {
    matches!(value, Val::Indices(_) | Val::Object(_)) || value.is_empty_set()
}

/// Whether it is not an object.
fn is_no_object(value: &Val<'_>) -> bool {
    !matches!(value, Val::Object(_))
}

/// A float.
fn float<'a>(x: f64) -> R<'a> {
    Ok(Val::Float(FloatWord::new(x)))
}

/// The set with another provenance.
fn remade<'a>(vm: &Vm<'a>, set: &Val<'a>, made: Made<'a>) -> Val<'a> {
    match set {
        Val::Indices(patch) => Val::Indices(vm.arena.alloc(patch.made(made))),
        Val::Object(object) => Val::Object(vm.arena.alloc(Object {
            patch: object.patch.made(made),
            ..**object
        })),
        Val::Set(items) if !items.is_empty() => Val::Set(Items::of(vm.arena, items.all(), made)),
        other => *other,
    }
}

/// Frequent calls of tokpidjin's own solvers with arguments of the wrong kind.
pub(in crate::vm) fn with_odd_arguments<'a>(vm: &Vm<'a>, prim: Prim, args: &[Val<'a>]) -> R<'a> {
    match (prim, args) {
        // A number has no elements; CPython raises, and tokpidjin catches that.
        (Prim::get_nth_f, [Val::Int(_), Val::Int(_)]) => Ok(Val::empty_tuple()),
        // Tokpidjin takes cells for rows.
        (Prim::palette_t, [object @ Val::Object(_)]) => {
            let cells = object.elements(vm.arena).ok_or(EXACT)?;
            let mut numbers = List::with_capacity_in(3 * cells.len(), vm.arena);
            for cell in cells {
                cell.push_elements(vm.arena, &mut numbers).ok_or(EXACT)?;
            }
            let made = Made::by(vm.arena, Recipe::Merged(*object));
            Val::set(vm.arena, &numbers, made)
        }
        _ => Err(EXACT),
    }
}
