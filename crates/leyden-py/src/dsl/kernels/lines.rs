//! Lines and neighbourhoods.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use super::bounds::location;
use crate::dsl::obj::{self, add, at, equal, int, pair, subtract, unpack};
use crate::dsl::{Cx, Obj, Res, cache};

const DIRECT: [(i64, i64); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const DIAGONAL: [(i64, i64); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

/// `x - 1`, `x` itself or `x + 1`.
fn stepped<'py>(cx: Cx<'py>, x: &Obj<'py>, step: i64) -> Res<'py> {
    match step {
        0 => Ok(x.clone()),
        1 => add(x, &int(cx.py, 1)),
        _ => subtract(x, &int(cx.py, 1)),
    }
}

fn around<'py>(cx: Cx<'py>, loc: &Obj<'py>, steps: [(i64, i64); 4]) -> Res<'py> {
    if let Some((i, j)) = location(loc) {
        // Four distinct locations have one order in a set and in its copy.
        return obj::frozen(
            cx.py,
            steps.map(|(di, dj)| cache::location(cx.py, i + di, j + dj)),
        );
    }
    let neighbour = |(di, dj): (i64, i64)| {
        pair(
            stepped(cx, &at(loc, 0)?, di)?,
            stepped(cx, &at(loc, 1)?, dj)?,
        )
    };
    obj::frozen_copy(&obj::set(cx.py, steps.map(neighbour))?)
}

pub(in super::super) fn dneighbors<'py>(cx: Cx<'py>, loc: &Obj<'py>) -> Res<'py> {
    around(cx, loc, DIRECT)
}

pub(in super::super) fn ineighbors<'py>(cx: Cx<'py>, loc: &Obj<'py>) -> Res<'py> {
    around(cx, loc, DIAGONAL)
}

pub(in super::super) fn neighbors<'py>(cx: Cx<'py>, loc: &Obj<'py>) -> Res<'py> {
    dneighbors(cx, loc)?.bitor(ineighbors(cx, loc)?)
}

/// Announces the locations of a line between two coordinates.
fn announce_range(start: i64, end: i64) -> PyResult<()> {
    obj::announce_set(usize::try_from(end.saturating_sub(start)).unwrap_or(0))
}

/// A line of plain locations.
fn line<'py>(cx: Cx<'py>, (ai, aj): (i64, i64), (bi, bj): (i64, i64)) -> Res<'py> {
    let (rows, columns) = (ai.min(bi)..=ai.max(bi), aj.min(bj)..=aj.max(bj));
    if ai == bi || aj == bj || bi.abs_diff(ai) == bj.abs_diff(aj) {
        announce_range(*rows.start(), *rows.end())?;
        announce_range(*columns.start(), *columns.end())?;
    }
    let at = |i, j| cache::location(cx.py, i, j);
    if ai == bi {
        obj::frozen(cx.py, columns.map(|j| at(ai, j)))
    } else if aj == bj {
        obj::frozen(cx.py, rows.map(|i| at(i, aj)))
    } else if bi - ai == bj - aj {
        obj::frozen(cx.py, rows.zip(columns).map(|(i, j)| at(i, j)))
    } else if bi - ai == aj - bj {
        obj::frozen(cx.py, rows.zip(columns.rev()).map(|(i, j)| at(i, j)))
    } else {
        obj::empty_set(cx.py)
    }
}

/// The smaller number, and one more than the larger. `min` and `max` prefer the first.
fn limits(a: &Obj<'_>, b: &Obj<'_>) -> PyResult<(i64, i64)> {
    let least = if obj::compare(b, a, CompareOp::Lt)? {
        b
    } else {
        a
    };
    let most = if obj::compare(b, a, CompareOp::Gt)? {
        b
    } else {
        a
    };
    Ok((
        obj::as_index(least)?,
        obj::as_index(&add(most, &int(a.py(), 1))?)?,
    ))
}

pub(in super::super) fn connect<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    if let Some((a, b)) = location(a).zip(location(b)) {
        return line(cx, a, b);
    }
    let (ai, aj) = unpack(a)?;
    let (bi, bj) = unpack(b)?;
    let (rows, columns) = (limits(&ai, &bi)?, limits(&aj, &bj)?);
    if equal(&ai, &bi)? {
        announce_range(columns.0, columns.1)?;
        return obj::frozen(
            cx.py,
            (columns.0..columns.1).map(|j| pair(ai.clone(), int(cx.py, j))),
        );
    }
    if equal(&aj, &bj)? {
        announce_range(rows.0, rows.1)?;
        return obj::frozen(
            cx.py,
            (rows.0..rows.1).map(|i| pair(int(cx.py, i), aj.clone())),
        );
    }
    line(
        cx,
        (obj::as_index(&ai)?, obj::as_index(&aj)?),
        (obj::as_index(&bi)?, obj::as_index(&bj)?),
    )
}

/// The reach of frontiers.
const FRONTIER: i64 = 30;

pub(in super::super) fn vfrontier<'py>(cx: Cx<'py>, location: &Obj<'py>) -> Res<'py> {
    obj::frozen(
        cx.py,
        (0..FRONTIER).map(|i| cache::pair(&int(cx.py, i), &at(location, 1)?)),
    )
}

pub(in super::super) fn hfrontier<'py>(cx: Cx<'py>, location: &Obj<'py>) -> Res<'py> {
    obj::frozen(
        cx.py,
        (0..FRONTIER).map(|j| cache::pair(&at(location, 0)?, &int(cx.py, j))),
    )
}

/// The reach of rays.
const RAY: i64 = 42;

pub(in super::super) fn shoot<'py>(
    cx: Cx<'py>,
    start: &Obj<'py>,
    direction: &Obj<'py>,
) -> Res<'py> {
    let end = |k: usize| {
        let from = at(start, k)?;
        add(&from, &int(cx.py, RAY).mul(at(direction, k)?)?)
    };
    connect(cx, start, &pair(end(0)?, end(1)?)?)
}
