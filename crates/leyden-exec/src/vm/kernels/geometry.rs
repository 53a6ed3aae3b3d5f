//! Extents, positions, distances.

use std::ops::{BitAnd, BitOr};

use leyden_dsl::fault::Fault;

use super::arithmetic::floor_div;
use super::patches::{bounds, locations};
use super::{EXACT, Maybe, R, Val, bool_of, fault, grid_of, patch_of};
use crate::vm::Vm;
use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::patch::{Patch, shift_bits};

/// Height and width of a grid or patch; both are 0 for an empty one.
fn dimensions<'a>(vm: &Vm<'a>, piece: &Val<'a>) -> Maybe<(i64, i64)> {
    match piece {
        Val::Grid(grid) => Ok((grid.height() as i64, grid.width() as i64)),
        Val::Indices(_) | Val::Object(_) => {
            let patch = patch_of(piece)?;
            Ok((patch.height(), patch.width()))
        }
        Val::Tuple(rows) => match rows.first() {
            None => Ok((0, 0)),
            Some(row) if row.is_tuple() => Ok((rows.len() as i64, row.len().ok_or(EXACT)? as i64)),
            Some(_) => Err(EXACT),
        },
        Val::Two(two) if two.0.is_tuple() => Ok((2, two.0.len().ok_or(EXACT)? as i64)),
        _ if piece.is_empty_set() => Ok((0, 0)),
        Val::Set(_) => extent_of_set(vm, piece).map(|(height, width, _)| (height, width)),
        _ if piece.len().is_none() => fault(Fault::TypeError),
        _ => Err(EXACT),
    }
}

pub(crate) fn height<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    Ok(Val::Int(dimensions(vm, piece)?.0))
}
pub(crate) fn width<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    Ok(Val::Int(dimensions(vm, piece)?.1))
}
pub(crate) fn shape<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    let (height, width) = dimensions(vm, piece)?;
    Ok(Val::pair(vm.arena, height, width))
}
pub(crate) fn portrait<'a>(vm: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    let (height, width) = dimensions(vm, piece)?;
    bool_of(height > width)
}

/// Top, left, bottom and right.
type Sides = (i64, i64, i64, i64);

/// A corner of the bounding box; of an empty patch, the empty tuple.
fn corner<'a>(vm: &Vm<'a>, patch: &Val<'a>, which: impl Fn(Sides) -> (i64, i64)) -> R<'a> {
    if patch.is_empty_set() {
        return Ok(Val::empty_tuple());
    }
    let (i, j) = which(bounds(vm, patch)?.ok_or(EXACT)?);
    Ok(Val::pair(vm.arena, i, j))
}

/// The places of a non-empty patch, even if it is a tuple. For primitives that use only `toindices`
/// of it.
fn located<'a>(vm: &Vm<'a>, patch: &Val<'a>) -> Maybe<Patch<'a>> {
    locations(vm, patch)?.ok_or(EXACT)
}

pub(crate) fn ulcorner<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    corner(vm, patch, |(top, left, _, _)| (top, left))
}
pub(crate) fn urcorner<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    corner(vm, patch, |(top, _, _, right)| (top, right))
}
pub(crate) fn llcorner<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    corner(vm, patch, |(_, left, bottom, _)| (bottom, left))
}
pub(crate) fn lrcorner<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    corner(vm, patch, |(_, _, bottom, right)| (bottom, right))
}

/// A number read off a patch; CPython raises for an empty patch.
fn edge<'a>(vm: &Vm<'a>, patch: &Val<'a>, which: impl Fn(Sides) -> i64) -> R<'a> {
    if patch.is_empty_set() {
        return fault(Fault::ValueError);
    }
    Ok(Val::Int(which(bounds(vm, patch)?.ok_or(EXACT)?)))
}

pub(crate) fn uppermost<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    edge(vm, patch, |sides| sides.0)
}
pub(crate) fn lowermost<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    edge(vm, patch, |sides| sides.2)
}
pub(crate) fn leftmost<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    edge(vm, patch, |sides| sides.1)
}
pub(crate) fn rightmost<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    edge(vm, patch, |sides| sides.3)
}

pub(crate) fn square<'a>(_: &mut Vm<'a>, piece: &Val<'a>) -> R<'a> {
    match piece {
        Val::Grid(grid) => bool_of(grid.height() == grid.width()),
        _ if piece.is_empty_set() => bool_of(true),
        _ => {
            let patch = patch_of(piece)?;
            bool_of(patch.is_rectangle() && patch.height() == patch.width())
        }
    }
}

/// The height and width of a set of any size, and the number of its elements.
fn extent_of_set<'a>(vm: &Vm<'a>, patch: &Val<'a>) -> Maybe<(i64, i64, i64)> {
    let n_elements = patch.len().filter(|_| patch.is_set()).ok_or(EXACT)?;
    let (top, left, bottom, right) = bounds(vm, patch)?.ok_or(EXACT)?;
    Ok((bottom - top + 1, right - left + 1, n_elements as i64))
}

pub(crate) fn vline<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return bool_of(false);
    }
    let (height, width, n) = extent_of_set(vm, patch)?;
    bool_of(height == n && width == 1)
}
pub(crate) fn hline<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return bool_of(false);
    }
    let (height, width, n) = extent_of_set(vm, patch)?;
    bool_of(width == n && height == 1)
}

fn share_a_row<'a>(a: &Patch<'a>, b: &Patch<'a>) -> bool {
    let (low, high) = (a.top().max(b.top()), a.bottom().min(b.bottom()));
    (low..=high).any(|i| a.row_at(i, a.left()) != 0 && b.row_at(i, b.left()) != 0)
}

fn share_a_column<'a>(a: &Patch<'a>, b: &Patch<'a>) -> bool {
    a.columns() & shift_bits(b.columns(), b.left() - a.left()) != 0
}

/// A relation between two patches that never holds for an empty one.
fn related<'a>(
    vm: &Vm<'a>,
    a: &Val<'a>,
    b: &Val<'a>,
    relation: impl Fn(&Patch<'a>, &Patch<'a>) -> bool,
) -> R<'a> {
    match (located(vm, a), located(vm, b)) {
        (Ok(a), Ok(b)) => bool_of(relation(&a, &b)),
        (Ok(_), _) if b.is_empty_set() => bool_of(false),
        (_, Ok(_)) if a.is_empty_set() => bool_of(false),
        _ => Err(EXACT),
    }
}

pub(crate) fn hmatching<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    related(vm, a, b, share_a_row)
}
pub(crate) fn vmatching<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    related(vm, a, b, share_a_column)
}

/// The least number of steps between two patches.
pub(super) fn distance<'a>(a: &Patch<'a>, b: &Patch<'a>) -> i64 {
    if a.len() == 1 && b.len() == 1 {
        return (a.top() - b.top()).abs() + (a.left() - b.left()).abs();
    }
    let (left, right) = if a.left() <= b.left() { (a, b) } else { (b, a) };
    let by = right.left() - left.left();
    match by + right.width().max(left.width() - by) {
        // Half of the row is enough for most patches.
        ..=64 => least_of_rows(left, right, |x, y| {
            let (x, y) = (x as u64, (y as u64) << by);
            n_columns_between(x, y, |x| x << 1 | x >> 1)
        }),
        65..=128 => least_of_rows(left, right, |x, y| {
            n_columns_between(x, y << by, |x| x << 1 | x >> 1)
        }),
        _ => least_of_cells(left, right),
    }
}

/// The least number of steps between two patches, given the distance of the bits of two rows.
#[inline(always)]
fn least_of_rows(a: &Patch<'_>, b: &Patch<'_>, between: impl Fn(u128, u128) -> i64) -> i64 {
    let mut least = i64::MAX;
    for (ai, x) in (a.top()..).zip(a.rows()) {
        for (bi, y) in (b.top()..).zip(b.rows()) {
            let n_rows = (ai - bi).abs();
            if n_rows < least && *x != 0 && *y != 0 {
                least = least.min(n_rows + between(*x, *y));
            }
        }
    }
    least
}

/// The distance of the nearest bits of two rows.
#[inline(always)]
fn n_columns_between<T>(mut x: T, y: T, wider: impl Fn(T) -> T) -> i64
where
    T: Copy + PartialEq + Default + BitAnd<Output = T> + BitOr<Output = T>,
{
    let mut n = 0;
    while x & y == T::default() {
        x = x | wider(x);
        n += 1;
    }
    n
}

/// The least number of steps between patches too far apart for one word to hold both rows.
#[cold]
fn least_of_cells(a: &Patch<'_>, b: &Patch<'_>) -> i64 {
    let steps = |(ai, aj): (i64, i64)| {
        let to = b
            .cells()
            .map(move |(bi, bj)| (ai - bi).abs() + (aj - bj).abs());
        to.min().unwrap_or(i64::MAX)
    };
    a.cells().map(steps).min().unwrap_or(i64::MAX)
}

/// Whether the distance is exactly one step.
fn touch<'a>(a: &Patch<'a>, b: &Patch<'a>) -> bool {
    let near = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    !a.intersects(b)
        && near
            .iter()
            .any(|(di, dj)| a.moved(*di, *dj).is_some_and(|a| a.intersects(b)))
}

pub(crate) fn manhattan<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if let (Ok(a), Ok(b)) = (patch_of(a), patch_of(b)) {
        return Ok(Val::Int(distance(a, b)));
    }
    if a.is_empty_set() || b.is_empty_set() {
        return nothing_between(a, b);
    }
    Ok(Val::Int(distance(&located(vm, a)?, &located(vm, b)?)))
}

/// CPython's `min()` of no distances.
fn nothing_between<'a>(a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let is_patch = |v: &Val<'_>| v.is_empty_set() || patch_of(v).is_ok();
    if is_patch(a) && is_patch(b) {
        fault(Fault::ValueError)
    } else {
        Err(EXACT)
    }
}

pub(crate) fn adjacent<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.is_empty_set() || b.is_empty_set() {
        return nothing_between(a, b);
    }
    bool_of(touch(&located(vm, a)?, &located(vm, b)?))
}

pub(crate) fn bordering<'a>(vm: &mut Vm<'a>, patch: &Val<'a>, grid: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return fault(Fault::ValueError);
    }
    let (patch, grid) = (located(vm, patch)?, grid_of(vm, grid)?);
    let (last_row, last_column) = (grid.height() as i64 - 1, grid.width() as i64 - 1);
    bool_of(
        patch.top() == 0
            || patch.left() == 0
            || patch.bottom() == last_row
            || patch.right() == last_column,
    )
}

pub(crate) fn centerofmass<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return Ok(Val::empty_tuple());
    }
    let patch = patch_of(patch)?;
    let (i, j) = patch
        .cells()
        .fold((0, 0), |(si, sj), (i, j)| (si + i, sj + j));
    let n = patch.len() as i64;
    match (floor_div(i, n), floor_div(j, n)) {
        (Some(i), Some(j)) => Ok(Val::pair(vm.arena, i, j)),
        _ => Err(EXACT),
    }
}

/// The middle of a non-empty set.
fn middle_of<'a>(vm: &Vm<'a>, patch: &Val<'a>) -> Maybe<(i64, i64)> {
    match patch {
        Val::Set(_) => {
            let (top, left, bottom, right) = bounds(vm, patch)?.ok_or(EXACT)?;
            let half = |from: i64, to: i64| from + (to - from + 1) / 2;
            Ok((half(top, bottom), half(left, right)))
        }
        _ => patch_of(patch).map(middle),
    }
}

fn middle<'a>(patch: &Patch<'a>) -> (i64, i64) {
    (
        patch.top() + patch.height() / 2,
        patch.left() + patch.width() / 2,
    )
}

pub(crate) fn center<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    match patch {
        _ if patch.is_empty_set() => return fault(Fault::ValueError),
        Val::Int(_) | Val::Bool(_) => return fault(Fault::TypeError),
        _ => {}
    }
    let (i, j) = middle_of(vm, patch)?;
    Ok(Val::pair(vm.arena, i, j))
}

pub(crate) fn position<'a>(vm: &mut Vm<'a>, a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    if a.is_empty_set() || b.is_empty_set() {
        return nothing_between(a, b);
    }
    let ((ia, ja), (ib, jb)) = (middle_of(vm, a)?, middle_of(vm, b)?);
    let towards = |from: i64, to: i64| if from < to { 1 } else { -1 };
    Ok(match (ia == ib, ja == jb) {
        (true, _) => Val::pair(vm.arena, 0, towards(ja, jb)),
        (false, true) => Val::pair(vm.arena, towards(ia, ib), 0),
        (false, false) => Val::pair(vm.arena, towards(ia, ib), towards(ja, jb)),
    })
}

pub(crate) fn corners<'a>(vm: &mut Vm<'a>, patch: &Val<'a>) -> R<'a> {
    if patch.is_empty_set() {
        return Val::set(vm.arena, &[Val::empty_tuple()], Made::Somehow);
    }
    let p = patch_of(patch)?;
    let corners = [
        (p.top(), p.left()),
        (p.top(), p.right()),
        (p.bottom(), p.left()),
        (p.bottom(), p.right()),
    ];
    let listed = vm.arena.alloc(corners.map(Val::place));
    let made = Made::by(vm.arena, Recipe::Listed(listed));
    let patch = Patch::from_cells(vm.arena, corners.into_iter());
    super::window(vm.arena, patch, made)
}

pub(crate) fn gravitate<'a>(vm: &mut Vm<'a>, source: &Val<'a>, destination: &Val<'a>) -> R<'a> {
    if source.is_empty_set() || destination.is_empty_set() {
        return nothing_between(source, destination);
    }
    let (mut moving, target) = (*patch_of(source)?, patch_of(destination)?);
    let ((si, sj), (di, dj)) = (middle(&moving), middle(target));
    let (i, j) = if share_a_column(&moving, target) {
        (if si < di { 1 } else { -1 }, 0)
    } else {
        (0, if sj < dj { 1 } else { -1 })
    };
    let mut steps = 0;
    while steps < 42 && !touch(&moving, target) {
        steps += 1;
        moving = moving.moved(i, j).ok_or(EXACT)?;
    }
    Ok(Val::pair(vm.arena, i * steps, j * steps))
}
