//! Palettes, and colours by their rank.

use super::{is_patch, remade};
use crate::vm::kernels::colour::{colour_by_rank, distinct_colours};
use crate::vm::kernels::{self as classic, grid_of};
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::object::Colours;
use crate::vm::values::value::{List, Val};
use crate::vm::{EXACT, R, Vm};

pub(in crate::vm) fn get_color_rank_t<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    let found = colour_by_rank(vm, grid, rank)?;
    Ok(found.unwrap_or_else(Val::empty_tuple))
}

pub(in crate::vm) fn get_color_rank_f<'a>(vm: &mut Vm<'a>, obj: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    if !is_patch(obj) {
        return Err(EXACT);
    }
    let found = colour_by_rank(vm, obj, rank)?;
    Ok(found.unwrap_or_else(Val::empty_set))
}

/// The colours of a grid. Unlike arc-dsl, tokpidjin does not copy their set.
pub(in crate::vm) fn palette_t<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    let palette = classic::palette(vm, element)?;
    if palette.len() == Some(0) {
        return Ok(palette);
    }
    let colours = distinct_colours(grid_of(vm, element)?.cells().iter().copied());
    let listed = Recipe::Listed(vm.arena.alloc_slice_copy(&colours));
    Ok(remade(vm, &palette, Made::by(vm.arena, listed)))
}

pub(in crate::vm) fn palette_f<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    if !is_patch(element) {
        return Err(EXACT);
    }
    let palette = classic::palette(vm, element)?;
    let Val::Object(object) = element else {
        return Ok(palette);
    };
    if let Colours::One(_) = object.colours {
        return Ok(remade(vm, &palette, Made::ByRows));
    }
    let colours = object.cells().map(|(v, ..)| Val::Int(i64::from(v)));
    let colours = List::from_iter_in(colours, vm.arena).into_bump_slice();
    let made = Made::by(vm.arena, Recipe::Applied(*element, colours));
    Ok(remade(vm, &palette, made))
}

pub(in crate::vm) fn p_g<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    let palette = palette_t(vm, grid)?;
    classic::totuple(vm, &palette)
}

pub(in crate::vm) fn p_o<'a>(vm: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    let palette = palette_f(vm, obj)?;
    classic::totuple(vm, &palette)
}
