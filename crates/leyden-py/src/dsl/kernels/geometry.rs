//! Extents, positions, distances.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use super::bounds::{Bounds, bounds, locations, visit};
use super::patches::{shift, toindices};
use crate::dsl::obj::{self, add, at, int, is_tuple, items, pair, subtract, truth, unpack};
use crate::dsl::{Cx, Obj, Res, cache};

/// One side of a bounding box.
#[derive(Clone, Copy)]
enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// `min(i for i, j in toindices(patch))` and its relatives.
fn side<'py>(cx: Cx<'py>, patch: &Obj<'py>, side: Side) -> Res<'py> {
    if let Some(Bounds {
        top,
        left,
        bottom,
        right,
    }) = bounds(patch)?
    {
        return Ok(int(
            cx.py,
            match side {
                Side::Top => top,
                Side::Bottom => bottom,
                Side::Left => left,
                Side::Right => right,
            },
        ));
    }
    let (is_row, by) = match side {
        Side::Top => (true, CompareOp::Lt),
        Side::Bottom => (true, CompareOp::Gt),
        Side::Left => (false, CompareOp::Lt),
        Side::Right => (false, CompareOp::Gt),
    };
    let indices = toindices(cx, patch)?;
    let numbers = coordinates(&indices, is_row)?;
    obj::of_nothing(obj::extreme(numbers, by, |number| Ok(number.clone()))?)
}

/// `i for i, j in indices`, or `j`.
fn coordinates<'a, 'py>(
    indices: &'a Obj<'py>,
    are_rows: bool,
) -> PyResult<impl Iterator<Item = Res<'py>> + use<'a, 'py>> {
    Ok(items(indices)?.map(move |index| {
        let (i, j) = unpack(&index?)?;
        Ok(if are_rows { i } else { j })
    }))
}

pub(in super::super) fn uppermost<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    side(cx, patch, Side::Top)
}

pub(in super::super) fn lowermost<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    side(cx, patch, Side::Bottom)
}

pub(in super::super) fn leftmost<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    side(cx, patch, Side::Left)
}

pub(in super::super) fn rightmost<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    side(cx, patch, Side::Right)
}

fn extreme_of<'py>(column: &Obj<'py>, by: CompareOp) -> Res<'py> {
    obj::of_nothing(obj::extreme(items(column)?, by, |number| {
        Ok(number.clone())
    })?)
}

fn is_least(by: CompareOp) -> bool {
    matches!(by, CompareOp::Lt)
}

/// A corner: the smallest or largest row with the smallest or largest column. More than two columns
/// are only for corners that treat all columns alike.
fn corner<'py>(cx: Cx<'py>, patch: &Obj<'py>, row: CompareOp, column: CompareOp) -> Res<'py> {
    if let Some(bounds) = bounds(patch)? {
        let i = if is_least(row) {
            bounds.top
        } else {
            bounds.bottom
        };
        let j = if is_least(column) {
            bounds.left
        } else {
            bounds.right
        };
        return cache::location(cx.py, i, j);
    }
    let mut found = Vec::new();
    for (k, numbers) in items(&obj::columns(&toindices(cx, patch)?)?)?.enumerate() {
        let numbers = &numbers?;
        found.push(match k {
            0 => extreme_of(numbers, row)?,
            1 => extreme_of(numbers, column)?,
            _ if is_least(row) == is_least(column) => extreme_of(numbers, row)?,
            _ => return Err(PyKeyError::new_err(k)),
        });
    }
    obj::tuple(cx.py, found)
}

pub(in super::super) fn ulcorner<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    corner(cx, patch, CompareOp::Lt, CompareOp::Lt)
}

pub(in super::super) fn urcorner<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    corner(cx, patch, CompareOp::Lt, CompareOp::Gt)
}

pub(in super::super) fn llcorner<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    corner(cx, patch, CompareOp::Gt, CompareOp::Lt)
}

pub(in super::super) fn lrcorner<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    corner(cx, patch, CompareOp::Gt, CompareOp::Gt)
}

pub(in super::super) fn corners<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    let four = [ulcorner, urcorner, llcorner, lrcorner].map(|corner| corner(cx, patch));
    obj::frozen_copy(&obj::set(cx.py, four)?)
}

/// `high - low + 1`
fn distance<'py>(cx: Cx<'py>, high: &Obj<'py>, low: &Obj<'py>) -> Res<'py> {
    add(&subtract(high, low)?, &int(cx.py, 1))
}

pub(in super::super) fn height<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    let n = obj::len(piece)?;
    if n == 0 || is_tuple(piece) {
        return Ok(int(cx.py, n as i64));
    }
    match bounds(piece)? {
        Some(bounds) => Ok(int(cx.py, bounds.height())),
        None => distance(cx, &lowermost(cx, piece)?, &uppermost(cx, piece)?),
    }
}

pub(in super::super) fn width<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    if obj::len(piece)? == 0 {
        return Ok(int(cx.py, 0));
    }
    if is_tuple(piece) {
        return Ok(int(cx.py, obj::len(&at(piece, 0)?)? as i64));
    }
    match bounds(piece)? {
        Some(bounds) => Ok(int(cx.py, bounds.width())),
        None => distance(cx, &rightmost(cx, piece)?, &leftmost(cx, piece)?),
    }
}

/// Height and width.
fn size<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> PyResult<(Obj<'py>, Obj<'py>)> {
    if !is_tuple(piece)
        && let Some(bounds) = bounds(piece)?
    {
        return Ok((int(cx.py, bounds.height()), int(cx.py, bounds.width())));
    }
    Ok((height(cx, piece)?, width(cx, piece)?))
}

pub(in super::super) fn shape<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    let (height, width) = size(cx, piece)?;
    pair(height, width)
}

pub(in super::super) fn portrait<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    let (height, width) = size(cx, piece)?;
    height.rich_compare(width, CompareOp::Gt)
}

pub(in super::super) fn square<'py>(cx: Cx<'py>, piece: &Obj<'py>) -> Res<'py> {
    if is_tuple(piece) {
        return Ok(truth(cx.py, obj::len(piece)? == obj::len(&at(piece, 0)?)?));
    }
    let (height, width) = size(cx, piece)?;
    let is_full = height.mul(&width)?.eq(obj::len(piece)?)?;
    Ok(truth(cx.py, is_full && height.eq(width)?))
}

pub(in super::super) fn vline<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    let is_long = height(cx, patch)?.eq(obj::len(patch)?)?;
    Ok(truth(cx.py, is_long && width(cx, patch)?.eq(1)?))
}

pub(in super::super) fn hline<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    let is_long = width(cx, patch)?.eq(obj::len(patch)?)?;
    Ok(truth(cx.py, is_long && height(cx, patch)?.eq(1)?))
}

/// The rows or columns of a plain patch near the origin, as bits.
fn occupied(patch: &Obj<'_>, are_rows: bool) -> PyResult<Option<u128>> {
    let (mut bits, mut is_near) = (0, true);
    let plain = visit(patch, |_, (i, j)| {
        let place = (if are_rows { i } else { j }) + 32;
        is_near &= (0..128).contains(&place);
        bits |= 1u128 << (place & 127);
        Ok(())
    })?;
    Ok(plain.filter(|_| is_near).map(|_| bits))
}

/// Whether two patches have a row or a column in common.
fn matching<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>, are_rows: bool) -> PyResult<bool> {
    if let Some((a, b)) = occupied(a, are_rows)?.zip(occupied(b, are_rows)?) {
        return Ok(a & b != 0);
    }
    let numbers = |patch| {
        let indices = toindices(cx, patch)?;
        obj::set(cx.py, coordinates(&indices, are_rows)?)
    };
    Ok(numbers(a)?.bitand(numbers(b)?)?.len()? > 0)
}

pub(in super::super) fn hmatching<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    Ok(truth(cx.py, matching(cx, a, b, true)?))
}

pub(in super::super) fn vmatching<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    Ok(truth(cx.py, matching(cx, a, b, false)?))
}

/// The least distance between locations of two lists.
fn nearest(a: &[(i64, i64)], b: &[(i64, i64)]) -> Option<i64> {
    let distance = |(ai, aj): (i64, i64), (bi, bj): (i64, i64)| (ai - bi).abs() + (aj - bj).abs();
    let from = |start: &(i64, i64)| b.iter().map(|end| distance(*start, *end)).min();
    a.iter().filter_map(from).min()
}

pub(in super::super) fn manhattan<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    if let Some((a, b)) = locations(a)?.zip(locations(b)?)
        && let Some(distance) = nearest(&a, &b)
    {
        return Ok(int(cx.py, distance));
    }
    let mut least: Option<Obj<'py>> = None;
    for start in items(&toindices(cx, a)?)? {
        let (ai, aj) = unpack(&start?)?;
        for end in items(&toindices(cx, b)?)? {
            let (bi, bj) = unpack(&end?)?;
            let rows = subtract(&ai, &bi)?.abs()?;
            let distance = add(&rows, subtract(&aj, &bj)?.abs()?.as_any())?;
            let is_less = |least| obj::compare(&distance, least, CompareOp::Lt);
            if least.as_ref().map_or(Ok(true), is_less)? {
                least = Some(distance);
            }
        }
    }
    obj::of_nothing(least)
}

pub(in super::super) fn adjacent<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    obj::equality(&manhattan(cx, a, b)?, &int(cx.py, 1))
}

pub(in super::super) fn bordering<'py>(cx: Cx<'py>, patch: &Obj<'py>, grid: &Obj<'py>) -> Res<'py> {
    let is_at = |side: Res<'py>, place: i64| side?.eq(place);
    let touches = is_at(uppermost(cx, patch), 0)?
        || is_at(leftmost(cx, patch), 0)?
        || is_at(lowermost(cx, patch), obj::len(grid)? as i64 - 1)?
        || is_at(rightmost(cx, patch), obj::len(&at(grid, 0)?)? as i64 - 1)?;
    Ok(truth(cx.py, touches))
}

pub(in super::super) fn centerofmass<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    if let Some(mut all) = locations(patch)?
        && obj::is_plain_set(patch)
    {
        let n = all.len() as i64;
        // Cells of several colours at one place count once.
        all.sort_unstable();
        all.dedup();
        let (i, j) = all
            .iter()
            .fold((0, 0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
        return cache::location(cx.py, i.div_euclid(n), j.div_euclid(n));
    }
    let sum = obj::builtin(cx.py, "sum")?;
    let mean = |column: Res<'py>| sum.call1((column?,))?.floor_div(obj::len(patch)?);
    let columns = obj::columns(&toindices(cx, patch)?)?;
    obj::tuple(cx.py, items(&columns)?.map(mean).collect::<PyResult<_>>()?)
}

/// The center of a plain patch that is not a tuple. Python takes the length of a tuple for its
/// height.
fn plain_center(patch: &Obj<'_>) -> PyResult<Option<(i64, i64)>> {
    if is_tuple(patch) {
        Ok(None)
    } else {
        Ok(bounds(patch)?.map(|bounds| bounds.center()))
    }
}

pub(in super::super) fn center<'py>(cx: Cx<'py>, patch: &Obj<'py>) -> Res<'py> {
    if let Some((i, j)) = plain_center(patch)? {
        return cache::location(cx.py, i, j);
    }
    let middle = |start: Res<'py>, length: Res<'py>| add(&start?, &length?.floor_div(2)?);
    let i = middle(uppermost(cx, patch), height(cx, patch))?;
    let j = middle(leftmost(cx, patch), width(cx, patch))?;
    pair(i, j)
}

/// `1 if a < b else -1`
fn towards<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    let is_less = obj::compare(a, b, CompareOp::Lt)?;
    Ok(int(cx.py, if is_less { 1 } else { -1 }))
}

pub(in super::super) fn position<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    let center_of = |patch| match plain_center(patch)? {
        Some((i, j)) => Ok((int(cx.py, i), int(cx.py, j))),
        None => unpack(&center(cx, &toindices(cx, patch)?)?),
    };
    let (ia, ja) = center_of(a)?;
    let (ib, jb) = center_of(b)?;
    if obj::equal(&ia, &ib)? {
        return pair(int(cx.py, 0), towards(cx, &ja, &jb)?);
    }
    if obj::equal(&ja, &jb)? {
        return pair(towards(cx, &ia, &ib)?, int(cx.py, 0));
    }
    pair(towards(cx, &ia, &ib)?, towards(cx, &ja, &jb)?)
}

/// The number of steps after which gravity gives up.
const MAX_STEPS: i64 = 42;

pub(in super::super) fn gravitate<'py>(
    cx: Cx<'py>,
    source: &Obj<'py>,
    destination: &Obj<'py>,
) -> Res<'py> {
    let (si, sj) = unpack(&center(cx, source)?)?;
    let (di, dj) = unpack(&center(cx, destination)?)?;
    let zero = int(cx.py, 0);
    let (i, j) = if matching(cx, source, destination, false)? {
        (towards(cx, &si, &di)?, zero)
    } else {
        (zero, towards(cx, &sj, &dj)?)
    };
    let n = match locations(source)?.zip(locations(destination)?) {
        Some((source, destination)) => steps(
            source,
            &destination,
            (obj::as_index(&i)?, obj::as_index(&j)?),
        ),
        None => steps_of_anything(cx, source, destination, &pair(i.clone(), j.clone())?)?,
    };
    pair(i.mul(n)?, j.mul(n)?)
}

/// The number of steps until two patches are adjacent.
fn steps(mut source: Vec<(i64, i64)>, destination: &[(i64, i64)], step: (i64, i64)) -> i64 {
    for n in 0..MAX_STEPS {
        if nearest(&source, destination) == Some(1) {
            return n;
        }
        for location in &mut source {
            *location = (location.0 + step.0, location.1 + step.1);
        }
    }
    MAX_STEPS
}

fn steps_of_anything<'py>(
    cx: Cx<'py>,
    source: &Obj<'py>,
    destination: &Obj<'py>,
    step: &Obj<'py>,
) -> PyResult<i64> {
    let mut source = source.clone();
    let mut n = 0;
    while !obj::is_true(&adjacent(cx, &source, destination)?)? && n < MAX_STEPS {
        n += 1;
        source = shift(cx, &source, step)?;
    }
    Ok(n)
}
