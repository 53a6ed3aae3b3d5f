//! Tokpidjin's dialect: the kernels of arc-dsl where they do what it does, and its own.
//!
//! A kernel that stops here does not end the call. The reference engine's kernel does it then
//! ([`Vm::stopped`]), catches what goes wrong and gives the empty value of the declared type. So
//! whatever a kernel of arc-dsl answers is right here, too, unless tokpidjin's primitive does something
//! else with the same arguments. Such a primitive has a kernel below, or [`is_usual`] keeps these
//! arguments away from the kernel.

use leyden_dsl::fault::Fault;
use leyden_dsl::table::Prim;
use leyden_dsl::types::Type;

use super::colour::{colour_by_rank, distinct_colours};
use super::extremes::{by_rank, common_by_rank, place_at_rank, value_by_rank};
use super::iteration::{Whole, call_each};
use super::{EXACT, Maybe, bool_of, grid_of, int_of, pair_of, patch_of};
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::value::{Items, List, Val, equal};
use crate::vm::values::word::FloatWord;
use crate::vm::{R, Stop, Vm};

pub(in crate::vm) use super::*;

/// May a kernel have this argument for a parameter of that type? Tokpidjin tells cells from locations by
/// their length, so only containers that surely hold the one or the other count as patches; and its
/// variants for one type take no other, where arc-dsl's primitives take both.
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
        // The variants for locations look for themselves.
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

/// Is it a tuple or a set that holds nothing but these?
#[inline(never)]
fn is_list_of(value: &Val<'_>, is_one: fn(&Val<'_>) -> bool) -> bool {
    match value {
        Val::Two(two) => is_one(&two.0) && is_one(&two.1),
        Val::Tuple(items) | Val::Bag(items) | Val::Set(items) => items.iter().all(is_one),
        _ => false,
    }
}

/// Is it a patch, and no tuple that stands for one?
fn is_patch(value: &Val<'_>) -> bool {
    matches!(value, Val::Indices(_) | Val::Object(_)) || value.is_empty_set()
}

/// Is it no object?
fn is_no_object(value: &Val<'_>) -> bool {
    !matches!(value, Val::Object(_))
}

/// Variants that do what another primitive does if something holds for their first argument.
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
            super::$other(vm, $first $(, $param )*)
        }
    )* };
}

/// Variants that do what another primitive does with arguments of their types.
macro_rules! as_others {
    ($( $name:ident = $other:ident ( $( $param:ident ),* ); )*) => { $(
        pub(in crate::vm) fn $name<'a>(vm: &mut Vm<'a>, $( $param: &Val<'a> ),*) -> R<'a> {
            super::$other(vm, $( $param ),*)
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
    super::recolor(vm, color, indices)
}

/// Primitives that are always left to the reference engine.
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

/// A number with a point.
fn float<'a>(x: f64) -> R<'a> {
    Ok(Val::Float(FloatWord::new(x)))
}

/// The same set, made in another way.
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

/// Calls with arguments of the wrong kind that tokpidjin's own solvers often make.
pub(in crate::vm) fn with_odd_arguments<'a>(vm: &Vm<'a>, prim: Prim, args: &[Val<'a>]) -> R<'a> {
    match (prim, args) {
        // What has no elements raises, and that is caught.
        (Prim::get_nth_f, [Val::Int(_), Val::Int(_)]) => Ok(Val::empty_tuple()),
        // Cells are taken for rows.
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

// Where tokpidjin gives another value than arc-dsl.

pub(in crate::vm) fn first<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::None),
        _ => super::first(vm, container),
    }
}

pub(in crate::vm) fn last<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => super::last(vm, container),
    }
}

/// An operand, or the number that changes nothing where tokpidjin finds `()`.
fn or_neutral<'a>(operand: &Val<'a>, neutral: i64) -> Val<'a> {
    match operand {
        Val::Tuple(items) if items.is_empty() => Val::Int(neutral),
        _ => *operand,
    }
}

pub(in crate::vm) fn add<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    super::add(vm, &or_neutral(a, 0), &or_neutral(b, 0))
}

pub(in crate::vm) fn subtract<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    super::subtract(vm, &or_neutral(a, 0), &or_neutral(b, 0))
}

pub(in crate::vm) fn multiply<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    super::multiply(vm, &or_neutral(a, 1), &or_neutral(b, 1))
}

pub(in crate::vm) fn divide<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    super::divide(vm, &or_neutral(a, 1), &or_neutral(b, 1))
}

/// Where nothing begins and ends.
macro_rules! edges {
    ($( $name:ident )*) => { $(
        pub(in crate::vm) fn $name<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
            match patch.len() {
                Some(0) => float(f64::NAN),
                _ => super::$name(vm, patch),
            }
        }
    )* };
}

edges!(uppermost lowermost leftmost rightmost);

pub(in crate::vm) fn center<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ if is_patch(patch) => super::center(vm, patch),
        _ => Err(EXACT),
    }
}

pub(in crate::vm) fn manhattan<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.len() == Some(0) || b.len() == Some(0) {
        return float(f64::INFINITY);
    }
    super::manhattan(vm, a, b)
}

pub(in crate::vm) fn adjacent<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.len() == Some(0) || b.len() == Some(0) {
        return bool_of(false);
    }
    super::adjacent(vm, a, b)
}

pub(in crate::vm) fn shift<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, directions: &Val<'a>) -> R<'a> {
    match directions {
        _ if patch.len() == Some(0) => Ok(Val::empty_set()),
        Val::Tuple(items) if items.is_empty() => Ok(*patch),
        _ => super::shift(vm, patch, directions),
    }
}

pub(in crate::vm) fn r#box<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch.len() {
        Some(0) => Ok(Val::empty_set()),
        _ => super::r#box(vm, patch),
    }
}

pub(in crate::vm) fn other<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = super::remove(vm, value, container)?;
    first(vm, &rest)
}

pub(in crate::vm) fn argmax<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => super::argmax(vm, container, compfunc),
    }
}

pub(in crate::vm) fn argmin<'a>(vm: &mut Vm<'a>, container: &Val<'a>, compfunc: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => super::argmin(vm, container, compfunc),
    }
}

pub(in crate::vm) fn extract<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    condition: &Val<'a>,
) -> R<'a> {
    let found = super::extract(vm, container, condition);
    let Err(stop) = found else { return found };
    match stop.take_fault() {
        // Only where nothing was found: inside the condition it is another fault.
        Some(Fault::StopIteration) => Ok(Val::empty_set()),
        Some(fault) => Err(Stop::because_of(fault)),
        None => Err(stop),
    }
}

/// Does a part of that length lie within a side of a grid?
fn is_within(start: i64, part: i64, side: usize) -> bool {
    let end = start.checked_add(part);
    (0..side as i64).contains(&start) && end.is_some_and(|end| end <= side as i64)
}

pub(in crate::vm) fn crop<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    start: &Val<'a>,
    dims: &Val<'a>,
) -> R<'a> {
    let (size, from, part) = (grid_of(vm, grid)?, pair_of(start)?, pair_of(dims)?);
    let is_inside =
        is_within(from.0, part.0, size.height()) && is_within(from.1, part.1, size.width());
    if !is_inside {
        return Ok(Val::empty_tuple());
    }
    super::crop(vm, grid, start, dims)
}

pub(in crate::vm) fn subgrid<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, grid: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return Ok(Val::empty_tuple());
    }
    let patch = patch_of(patch)?;
    let start = Val::pair(vm.arena, patch.top(), patch.left());
    let dims = Val::pair(vm.arena, patch.height(), patch.width());
    crop(vm, grid, &start, &dims)
}

/// So many parts of a side of a grid, each of that size from a start on. Those that do not lie within the
/// grid are `()`.
fn split<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    n: i64,
    n_rows: i64,
    part: impl Fn(i64) -> ((i64, i64), (i64, i64)),
) -> R<'a> {
    vm.announce(n as u64 * n_rows as u64)?;
    let mut parts = List::with_capacity_in(n as usize, vm.arena);
    for k in 0..n {
        let (start, dims) = part(k);
        parts.push(crop(vm, grid, &Val::place(start), &Val::place(dims))?);
    }
    Ok(Val::tuple(vm.arena, parts.into_bump_slice()))
}

/// More parts are left to the reference engine.
const MOST_PARTS: i64 = 1_000;

/// The size of each of so many parts of a side, and how far apart they start.
fn part_of_side(side: usize, n: i64) -> Maybe<(i64, i64)> {
    if !(1..=MOST_PARTS).contains(&n) {
        return Err(EXACT);
    }
    let (part, rest) = (side as i64 / n, side as i64 % n);
    Ok((part, part + i64::from(rest != 0)))
}

pub(in crate::vm) fn hsplit<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, n: &Val<'a>) -> R<'a> {
    let (size, n) = (grid_of(vm, grid)?, int_of(n)?);
    let (width, step) = part_of_side(size.width(), n)?;
    let height = size.height() as i64;
    split(vm, grid, n, height, |k| ((0, step * k), (height, width)))
}

pub(in crate::vm) fn vsplit<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, n: &Val<'a>) -> R<'a> {
    let (size, n) = (grid_of(vm, grid)?, int_of(n)?);
    let (height, step) = part_of_side(size.height(), n)?;
    let width = size.width() as i64;
    split(vm, grid, n, height, |k| ((step * k, 0), (height, width)))
}

pub(in crate::vm) fn index<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, loc: &Val<'a>) -> R<'a> {
    match super::index(vm, grid, loc)? {
        Val::None => float(f64::NEG_INFINITY),
        colour => Ok(colour),
    }
}

pub(in crate::vm) fn gravitate<'a>(
    vm: &mut Vm<'a>,
    source: &Val<'a>,
    destination: &Val<'a>,
) -> R<'a> {
    if !is_patch(source) || !is_patch(destination) {
        return Err(EXACT);
    }
    super::gravitate(vm, source, destination)
}

pub(in crate::vm) fn position<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if !is_patch(a) || !is_patch(b) {
        return Err(EXACT);
    }
    super::position(vm, a, b)
}

pub(in crate::vm) fn occurrences<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, obj: &Val<'a>) -> R<'a> {
    if !is_patch(obj) {
        return Err(EXACT);
    }
    super::occurrences(vm, grid, obj)
}

pub(in crate::vm) fn mir_rot_f<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        0 => hmirror_f(vm, patch),
        1 => dmirror_f(vm, patch),
        2 => vmirror_f(vm, patch),
        3 => cmirror_f(vm, patch),
        _ => Ok(*patch),
    }
}

// The variants for locations, which find a single row and column in an object: its cells cannot be
// taken for locations, and then both ends are 0.

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

// Containers.

pub(in crate::vm) fn sfilter_f<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    condition: &Val<'a>,
) -> R<'a> {
    if !container.is_set() {
        return Err(EXACT);
    }
    super::sfilter(vm, container, condition)
}

pub(in crate::vm) fn combine_f<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if !a.is_set() || !b.is_set() {
        return Err(EXACT);
    }
    // `a | a` leaves the table as it is, where `a | copy` may let it grow.
    let made = match equal(a, b) {
        Some(false) => Made::by(vm.arena, Recipe::Either(*a, *b)),
        _ => Made::Somehow,
    };
    let both = super::combine(vm, a, b)?;
    Ok(remade(vm, &both, made))
}

pub(in crate::vm) fn mfilter_t<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    function: &Val<'a>,
) -> R<'a> {
    if !container.is_set() {
        return Err(EXACT);
    }
    super::sfilter(vm, container, function)
}

pub(in crate::vm) fn apply_t<'a>(
    vm: &mut Vm<'a>,
    function: &Val<'a>,
    container: &Val<'a>,
) -> R<'a> {
    if !container.is_set() {
        return super::apply(vm, function, container);
    }
    let whole = Whole::of(vm, container)?;
    let results = call_each(vm, whole, function)?.into_bump_slice();
    let made = Made::by(vm.arena, Recipe::Applied(*container, results));
    Ok(Val::bag(vm, results, made))
}

pub(in crate::vm) fn rapply_t<'a>(vm: &mut Vm<'a>, functions: &Val<'a>, value: &Val<'a>) -> R<'a> {
    if !functions.is_tuple() {
        return Err(EXACT);
    }
    super::rapply(vm, functions, value)
}

pub(in crate::vm) fn mapply_t<'a>(
    vm: &mut Vm<'a>,
    function: &Val<'a>,
    container: &Val<'a>,
) -> R<'a> {
    let applied = apply_t(vm, function, container)?;
    super::merge(vm, &applied)
}

pub(in crate::vm) fn ascell<'a>(vm: &mut Vm<'a>, ij: &Val<'a>, c: &Val<'a>) -> R<'a> {
    let (i, j) = pair_of(ij)?;
    astriple(vm, &Val::Int(i), &Val::Int(j), c)
}

pub(in crate::vm) fn astriple<'a>(vm: &mut Vm<'a>, i: &Val<'a>, j: &Val<'a>, c: &Val<'a>) -> R<'a> {
    Ok(Val::tuple(vm.arena, vm.arena.alloc([*i, *j, *c])))
}

pub(in crate::vm) fn toij<'a>(vm: &mut Vm<'a>, c: &Val<'a>) -> R<'a> {
    match c {
        Val::Triple(cell) => Ok(Val::place((cell.get().1, cell.get().2))),
        Val::Pair(_) | Val::Two(_) => Ok(*c),
        Val::Tuple(items) if items.len() >= 2 => Ok(Val::two(vm.arena, items[0], items[1])),
        _ => Err(EXACT),
    }
}

pub(in crate::vm) fn celltuple<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let (Some(places), Some(colours)) = (vm.in_order(a), vm.in_order(b)) else {
        return Err(EXACT);
    };
    let mut cells = List::with_capacity_in(places.len(), vm.arena);
    for (place, colour) in places.iter().zip(colours) {
        cells.push(ascell(vm, place, colour)?);
    }
    Ok(Val::rows(vm.arena, cells.into_bump_slice()))
}

// Ranks and picks.

pub(in crate::vm) fn other_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = super::remove(vm, value, container)?;
    first_t(vm, &rest)
}

pub(in crate::vm) fn other_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>, value: &Val<'a>) -> R<'a> {
    let rest = super::remove(vm, value, container)?;
    first_f(vm, &rest)
}

pub(in crate::vm) fn first_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_tuple()),
        _ => super::first(vm, container),
    }
}

pub(in crate::vm) fn first_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_set()),
        _ => super::first(vm, container),
    }
}

pub(in crate::vm) fn last_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    last(vm, container)
}

pub(in crate::vm) fn last_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        Some(0) => Ok(Val::empty_set()),
        _ => super::last(vm, container),
    }
}

pub(in crate::vm) fn second<'a>(vm: &mut Vm<'a>, container: &Val<'a>) -> R<'a> {
    match container.len() {
        None | Some(0) => Err(EXACT),
        Some(1) => Ok(Val::None),
        Some(2) if container.is_set() => super::last(vm, container),
        _ => match container.end_of_two(false) {
            Some(second) => Ok(second),
            None => nth(vm, container, 1),
        },
    }
}

/// The element at a place in CPython's order.
fn nth<'a>(vm: &mut Vm<'a>, container: &Val<'a>, place: usize) -> R<'a> {
    match place {
        0 => super::first(vm, container),
        _ if Some(place + 1) == container.len() => super::last(vm, container),
        _ => {
            let items = vm.in_order(container).ok_or(EXACT)?;
            items.get(place).copied().ok_or(EXACT)
        }
    }
}

pub(in crate::vm) fn get_nth_t<'a>(vm: &mut Vm<'a>, container: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    if let Some(part) = part_of_tuple(container, rank) {
        return Ok(part);
    }
    match place_at_rank(container, rank)? {
        Some(place) => nth(vm, container, place),
        None => float(f64::NAN),
    }
}

/// The part of a pair, a cell or another tuple of two that has a rank.
#[inline]
fn part_of_tuple<'a>(tuple: &Val<'a>, rank: &Val<'a>) -> Option<Val<'a>> {
    let Val::Int(rank) = rank else { return None };
    match (tuple, rank) {
        (Val::Triple(cell), 0 | -3) => Some(Val::Int(cell.get().1)),
        (Val::Triple(cell), 1 | -2) => Some(Val::Int(cell.get().2)),
        (Val::Triple(cell), 2 | -1) => Some(Val::Int(i64::from(cell.get().0))),
        (Val::Triple(_), _) => None,
        (_, 0 | -2) => tuple.end_of_two(true),
        (_, 1 | -1) => tuple.end_of_two(false),
        _ => None,
    }
}

pub(in crate::vm) fn get_nth_f<'a>(vm: &mut Vm<'a>, container: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    if let Some(part) = part_of_tuple(container, rank) {
        return Ok(part);
    }
    match place_at_rank(container, rank)? {
        Some(place) => nth(vm, container, place),
        None => Ok(Val::empty_set()),
    }
}

pub(in crate::vm) fn get_rank<'a>(vm: &mut Vm<'a>, container: &Val<'a>, rank: &Val<'a>) -> R<'a> {
    let Some(place) = place_at_rank(container, rank)? else {
        return Ok(Val::Int(0));
    };
    let items = container.elements(vm.arena).ok_or(EXACT)?;
    let number = |item: &Val<'a>| match item {
        Val::Int(n) => Ok(*n),
        _ => Err(EXACT),
    };
    let mut numbers = items.iter().map(number).collect::<Maybe<Vec<i64>>>()?;
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    Ok(Val::Int(numbers[place]))
}

pub(in crate::vm) fn get_arg_rank<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    if container.is_set() {
        get_arg_rank_f(vm, container, compfunc, rank)
    } else {
        get_arg_rank_t(vm, container, compfunc, rank)
    }
}

pub(in crate::vm) fn get_arg_rank_t<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    let found = by_rank(vm, container, compfunc, rank)?;
    Ok(found.unwrap_or_else(Val::empty_tuple))
}

pub(in crate::vm) fn get_arg_rank_f<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    let found = by_rank(vm, container, compfunc, rank)?;
    Ok(found.unwrap_or_else(Val::empty_set))
}

pub(in crate::vm) fn get_val_rank<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    compfunc: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    value_by_rank(vm, container, compfunc, rank)
}

pub(in crate::vm) fn get_common_rank<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    if !container.is_tuple() {
        return Err(EXACT);
    }
    get_common_rank_t(vm, container, rank)
}

pub(in crate::vm) fn get_common_rank_t<'a>(
    vm: &mut Vm<'a>,
    container: &Val<'a>,
    rank: &Val<'a>,
) -> R<'a> {
    common_by_rank(vm, container, rank)
}

// Colours.

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

/// The colours of a grid in a set that is not copied, unlike arc-dsl's.
pub(in crate::vm) fn palette_t<'a>(vm: &mut Vm<'a>, element: &Val<'a>) -> R<'a> {
    let palette = super::palette(vm, element)?;
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
    let palette = super::palette(vm, element)?;
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
    super::totuple(vm, &palette)
}

pub(in crate::vm) fn p_o<'a>(vm: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    let palette = palette_f(vm, obj)?;
    super::totuple(vm, &palette)
}

// By number: which corner, which side, which way to turn.

fn number_of(kind: &Val<'_>) -> Maybe<i64> {
    match kind {
        Val::Int(n) => Ok(*n),
        _ => Err(EXACT),
    }
}

pub(in crate::vm) fn col_row<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        0 => lowermost(vm, patch),
        1 => uppermost(vm, patch),
        2 => leftmost(vm, patch),
        3 => rightmost(vm, patch),
        _ => Ok(Val::None),
    }
}

pub(in crate::vm) fn corner<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        1 => super::urcorner(vm, patch),
        2 => super::llcorner(vm, patch),
        3 => super::lrcorner(vm, patch),
        _ => super::ulcorner(vm, patch),
    }
}

pub(in crate::vm) fn mir_rot_t<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    match number_of(kind)? {
        0 => super::hmirror(vm, grid),
        1 => super::dmirror(vm, grid),
        2 => super::vmirror(vm, grid),
        3 => super::cmirror(vm, grid),
        4 => super::rot90(vm, grid),
        5 => super::rot180(vm, grid),
        6 => super::rot270(vm, grid),
        _ => Ok(*grid),
    }
}

pub(in crate::vm) fn o_g<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, kind: &Val<'a>) -> R<'a> {
    let kind = number_of(kind)?;
    if !(0..8).contains(&kind) {
        return Ok(Val::None);
    }
    let [univalued, diagonal, without_bg] =
        [4, 2, 1].map(|bit| Val::Bool((kind & bit != 0).into()));
    super::objects(vm, grid, &univalued, &diagonal, &without_bg)
}

// What the demonstration pairs have in common.

/// What a function finds on one side of all pairs, each thing once.
fn found<'a>(vm: &mut Vm<'a>, samples: &Val<'a>, side: Prim, function: &Val<'a>) -> R<'a> {
    let grids = super::apply(vm, &Val::Prim(side.entry()), samples)?;
    let found = mapply_t(vm, function, &grids)?;
    super::dedupe(vm, &found)
}

pub(in crate::vm) fn c_iz<'a>(vm: &mut Vm<'a>, samples: &Val<'a>, function: &Val<'a>) -> R<'a> {
    let inputs = found(vm, samples, Prim::first, function)?;
    let outputs = found(vm, samples, Prim::second, function)?;
    super::difference(vm, &inputs, &outputs)
}

pub(in crate::vm) fn c_zo<'a>(vm: &mut Vm<'a>, samples: &Val<'a>, function: &Val<'a>) -> R<'a> {
    let inputs = found(vm, samples, Prim::first, function)?;
    let outputs = found(vm, samples, Prim::second, function)?;
    super::difference(vm, &outputs, &inputs)
}

pub(in crate::vm) fn c_iz_n<'a>(
    vm: &mut Vm<'a>,
    samples: &Val<'a>,
    function: &Val<'a>,
    pick: &Val<'a>,
) -> R<'a> {
    let found = c_iz(vm, samples, function)?;
    vm.call(pick, &[found])
}

pub(in crate::vm) fn c_zo_n<'a>(
    vm: &mut Vm<'a>,
    samples: &Val<'a>,
    function: &Val<'a>,
    pick: &Val<'a>,
) -> R<'a> {
    let found = c_zo(vm, samples, function)?;
    vm.call(pick, &[found])
}

/// Does a mirroring or turn make every output of its input?
fn explains<'a>(vm: &mut Vm<'a>, pairs: &[Val<'a>], kind: &Val<'a>) -> Maybe<bool> {
    for pair in pairs {
        let (Some(input), Some(output)) = (pair.end_of_two(true), pair.end_of_two(false)) else {
            return Err(EXACT);
        };
        if !input.is_tuple() {
            return Err(EXACT);
        }
        vm.charge(input.weight())?;
        let turned = mir_rot_t(vm, &input, kind)?;
        if !equal(&output, &turned).ok_or(EXACT)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(in crate::vm) fn a_mr<'a>(vm: &mut Vm<'a>, samples: &Val<'a>) -> R<'a> {
    let pairs = vm.in_order(samples).ok_or(EXACT)?;
    for kind in (0..8).map(Val::Int) {
        if explains(vm, pairs, &kind)? {
            return Ok(kind);
        }
    }
    Ok(Val::None)
}
