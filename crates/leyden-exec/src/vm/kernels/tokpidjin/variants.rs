//! Variants for one type that equal another primitive, if their arguments fit.

use super::{is_no_object, is_patch};
use crate::vm::kernels::{self as classic, bool_of};
use crate::vm::values::value::Val;
use crate::vm::{EXACT, R, Vm};

/// Variants that equal another primitive if a condition holds for their first argument.
macro_rules! as_others_if {
    ($holds:ident: $( $name:ident = $other:ident ( $first:ident $(, $param:ident )* ); )*) => { $(
        pub(in crate::vm) fn $name<'a>(
            vm: &mut Vm<'a>,
            $first: &Val<'a>
            $(, $param: &Val<'a> )*
        ) -> R<'a> {
            if !$holds($first) {
                return Err(EXACT);
            }
            classic::$other(vm, $first $(, $param )*)
        }
    )* };
}

/// Variants that equal another primitive for arguments of their types.
macro_rules! as_others {
    ($( $name:ident = $other:ident ( $( $param:ident ),* ); )*) => { $(
        pub(in crate::vm) fn $name<'a>(vm: &mut Vm<'a>, $( $param: &Val<'a> ),*) -> R<'a> {
            classic::$other(vm, $( $param ),*)
        }
    )* };
}

as_others! {
    apply_f = apply(function, container);
    mapply_f = mapply(function, container);
    rapply_f = rapply(functions, value);
    sfilter_t = sfilter(container, condition);
    remove_f = remove(value, container);
    remove_t = remove(value, container);
    difference_tuple = difference(a, b);
    combine_t = combine(a, b);
    f_ofcolor = ofcolor(grid, color);
    mostcolor_t = mostcolor(grid);
    leastcolor_t = leastcolor(grid);
    numcolors_t = numcolors(grid);
    colorcount_t = colorcount(grid, color);
    height_t = height(piece);
    width_t = width(piece);
    shape_t = shape(grid);
    portrait_t = portrait(grid);
    square_t = square(grid);
    uppermost_o = uppermost(obj);
    lowermost_o = lowermost(obj);
    leftmost_o = leftmost(obj);
    rightmost_o = rightmost(obj);
    ulcorner_o = ulcorner(obj);
    urcorner_o = urcorner(obj);
    llcorner_o = llcorner(obj);
    lrcorner_o = lrcorner(obj);
    toindices_i = identity(indices);
    toindices_o = toindices(obj);
    recolor_o = recolor(color, obj);
    normalize_o = normalize(obj);
    upscale_t = upscale(grid, factor);
    hmirror_t = hmirror(grid);
    vmirror_t = vmirror(grid);
    dmirror_t = dmirror(grid);
    cmirror_t = cmirror(grid);
}

// Arc-dsl's primitives take a tuple for a grid.
as_others_if! {
    is_patch:
    mostcolor_f = mostcolor(obj);
    leastcolor_f = leastcolor(obj);
    numcolors_f = numcolors(obj);
    colorcount_f = colorcount(obj, color);
    height_f = height(piece);
    height_o = height(piece);
    width_f = width(piece);
    width_o = width(piece);
    shape_f = shape(patch);
    portrait_f = portrait(patch);
    square_f = square(patch);
    vline_o = vline(patch);
    hline_o = hline(patch);
    upscale_f = upscale(obj, factor);
    hmirror_f = hmirror(patch);
    hmirror_o = hmirror(obj);
    vmirror_f = vmirror(patch);
    vmirror_o = vmirror(obj);
    dmirror_f = dmirror(patch);
    dmirror_o = dmirror(obj);
    cmirror_f = cmirror(patch);
    hperiod = hperiod(obj);
    vperiod = vperiod(obj);
}

as_others_if! {
    is_no_object:
    uppermost_i = uppermost(indices);
    lowermost_i = lowermost(indices);
    leftmost_i = leftmost(indices);
    rightmost_i = rightmost(indices);
    ulcorner_i = ulcorner(indices);
    urcorner_i = urcorner(indices);
    llcorner_i = llcorner(indices);
    lrcorner_i = lrcorner(indices);
    normalize_i = normalize(indices);
}

as_others_if! {
    is_set_of_locations:
    hmirror_i = hmirror(indices);
    vmirror_i = vmirror(indices);
    dmirror_i = dmirror(indices);
}

fn is_set_of_locations(value: &Val<'_>) -> bool {
    is_patch(value) && is_no_object(value)
}

pub(in crate::vm) fn recolor_i<'a>(vm: &mut Vm<'a>, color: &Val<'a>, indices: &Val<'a>) -> R<'a> {
    if !is_no_object(indices) {
        return Err(EXACT);
    }
    classic::recolor(vm, color, indices)
}

/// Primitives that always go to the reference engine.
macro_rules! left_to_the_reference_engine {
    ($( $name:ident ( $( $param:ident ),* ); )*) => { $(
        pub(in crate::vm) fn $name<'a>(_: &mut Vm<'a>, $( $param: &Val<'a> ),*) -> R<'a> {
            let _ = ($( $param ),*);
            Err(EXACT)
        }
    )* };
}

left_to_the_reference_engine! {
    colorfilter_t(objs, color);
    dedupe_pair_tuple(samples);
    get_common_rank_f(container, rank);
    leastcommon_f(container);
    mostcommon_f(container);
    o_g_t(grid, kind);
    objects_t(grid, univalued, diagonal, without_bg);
    sizefilter_t(container, n);
}

// The variants for locations find a single row and column in an object: its cells are not
// locations, so both ends are 0.

pub(in crate::vm) fn height_i<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    match piece {
        Val::Object(_) => Ok(Val::Int(1)),
        _ => height_f(vm, piece),
    }
}

pub(in crate::vm) fn width_i<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    match piece {
        Val::Object(_) => Ok(Val::Int(1)),
        _ => width_f(vm, piece),
    }
}

pub(in crate::vm) fn vline_i<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch {
        Val::Object(object) => bool_of(object.patch.len() == 1),
        _ => vline_o(vm, patch),
    }
}

pub(in crate::vm) fn hline_i<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch {
        Val::Object(object) => bool_of(object.patch.len() == 1),
        _ => hline_o(vm, patch),
    }
}
