//! Lines and neighbourhoods.

use super::super::Vm;
use super::super::patch::Patch;
use super::{EXACT, R, Val, filled_by_rows, indices, pair_of, window};

fn around(loc: &Val, rows: [u128; 3]) -> R {
    let (i, j) = pair_of(loc)?;
    window(Patch::from_rows(i - 1, j - 1, &rows))
}

pub(crate) fn dneighbors(_: &mut Vm, loc: &Val) -> R {
    around(loc, [0b010, 0b101, 0b010])
}
pub(crate) fn ineighbors(_: &mut Vm, loc: &Val) -> R {
    around(loc, [0b101, 0b000, 0b101])
}
pub(crate) fn neighbors(_: &mut Vm, loc: &Val) -> R {
    around(loc, [0b111, 0b101, 0b111])
}

/// The line between two locations, if they are aligned.
fn line((ai, aj): (i64, i64), (bi, bj): (i64, i64)) -> R {
    let (top, left) = (ai.min(bi), aj.min(bj));
    let (height, width) = ((ai - bi).abs() + 1, (aj - bj).abs() + 1);
    if ai == bi || aj == bj {
        return filled_by_rows(Patch::rectangle(top, left, height, width));
    }
    if height != width {
        return Ok(indices(None));
    }
    if height > 128 {
        return Err(EXACT);
    }
    let falls = (ai < bi) == (aj < bj);
    let place = |r: i64| if falls { r } else { width - 1 - r };
    let rows: Vec<u128> = (0..height).map(|r| 1 << place(r)).collect();
    filled_by_rows(Patch::from_rows(top, left, &rows))
}

pub(crate) fn connect(_: &mut Vm, a: &Val, b: &Val) -> R {
    line(pair_of(a)?, pair_of(b)?)
}

pub(crate) fn shoot(_: &mut Vm, start: &Val, direction: &Val) -> R {
    let ((i, j), (di, dj)) = (pair_of(start)?, pair_of(direction)?);
    line((i, j), (i + 42 * di, j + 42 * dj))
}

pub(crate) fn vfrontier(_: &mut Vm, location: &Val) -> R {
    filled_by_rows(Patch::rectangle(0, pair_of(location)?.1, 30, 1))
}
pub(crate) fn hfrontier(_: &mut Vm, location: &Val) -> R {
    filled_by_rows(Patch::rectangle(pair_of(location)?.0, 0, 1, 30))
}
