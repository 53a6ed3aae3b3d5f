//! The rims of what is drawn, inside and outside.

use super::pictures::Placed;
use super::text::on_grid;

/// The drawn cells of a grid.
const DRAWN: &str = "compose(rbind(sfilter, compose(flip, matcher(first, 0))), asobject)";
/// A blank grid of the size of a grid.
const BLANK: &str = "compose(lbind(canvas, 0), shape)";

/// A part of a picture near a rim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rim {
    /// Drawn cells beside blank ones that reach the border, or beside the border.
    Border { diagonal: bool },
    /// The other drawn cells.
    Inner { diagonal: bool },
    /// The picture, with a colour around what is drawn.
    Outline { diagonal: bool, colour: u8 },
    /// The picture with a ring of a colour around it.
    Ring(u8),
}

impl Rim {
    /// The step as a function of an object, in arc-dsl.
    pub(super) fn text(self) -> String {
        match self {
            Rim::Border { diagonal } => {
                on_grid(&format!("fork(paint, {BLANK}, {})", border_text(diagonal)))
            }
            Rim::Inner { diagonal } => on_grid(&format!(
                "fork(paint, {BLANK}, fork(difference, {DRAWN}, {}))",
                border_text(diagonal)
            )),
            Rim::Outline { diagonal, colour } => {
                let name = neighbours(diagonal);
                let around = format!("compose(lbind(mapply, {name}), compose(toindices, {DRAWN}))");
                on_grid(&format!(
                    "fork(paint, fork(paint, {BLANK}, compose(lbind(recolor, {colour}), \
                     {around})), {DRAWN})"
                ))
            }
            Rim::Ring(colour) => {
                format!("fork(combine, identity, compose(lbind(recolor, {colour}), outbox))")
            }
        }
    }

    /// Makes the step. `None` if it is not possible.
    pub(super) fn of(self, it: &Placed) -> Option<Placed> {
        match self {
            Rim::Border { diagonal } => {
                let is_border = border(it, diagonal);
                Some(chosen(it, |k| is_border[k]))
            }
            Rim::Inner { diagonal } => {
                let is_border = border(it, diagonal);
                Some(chosen(it, |k| !is_border[k]))
            }
            Rim::Outline { diagonal, colour } => {
                let mut all = it.clone();
                for (k, cell) in it.cells.iter().enumerate() {
                    if *cell == 0 && beside(it, k, diagonal).any(|(i, j)| it.at(i, j) != 0) {
                        all.cells[k] = colour;
                    }
                }
                Some(all)
            }
            Rim::Ring(colour) => {
                let (h, w) = it.size();
                let place = (it.top - 1, it.left - 1);
                Placed::drawn(place, (h + 2, w + 2), |i, j| {
                    if i == 0 || j == 0 || i == h + 1 || j == w + 1 {
                        colour
                    } else {
                        it.get(i - 1, j - 1)
                    }
                })
            }
        }
    }
}

fn neighbours(diagonal: bool) -> &'static str {
    if diagonal { "neighbors" } else { "dneighbors" }
}

/// The neighbours of a cell, those beyond the border, too.
fn beside(it: &Placed, k: usize, diagonal: bool) -> impl Iterator<Item = (i32, i32)> {
    let (i, j) = (
        (k / it.width) as i32 + it.top,
        (k % it.width) as i32 + it.left,
    );
    let all = (-1..=1).flat_map(|a| (-1..=1).map(move |b| (a, b)));
    let all = all.filter(move |(a, b)| (*a, *b) != (0, 0) && (diagonal || *a == 0 || *b == 0));
    all.map(move |(a, b)| (i + a, j + b))
}

fn chosen(it: &Placed, is_chosen: impl Fn(usize) -> bool) -> Placed {
    let cells = it.cells.iter().enumerate();
    let cells = cells.map(|(k, cell)| if is_chosen(k) { *cell } else { 0 });
    Placed {
        cells: cells.collect(),
        ..*it
    }
}

/// Whether each cell belongs to the border of what is drawn.
fn border(it: &Placed, diagonal: bool) -> Vec<bool> {
    let (h, w) = it.size();
    let mut is_outside = vec![false; (h + 2) * (w + 2)];
    let mut open = vec![(0, 0)];
    is_outside[0] = true;
    while let Some((i, j)) = open.pop() {
        for (a, b) in [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)] {
            let is_in = a >= 0 && b >= 0 && a <= h as i32 + 1 && b <= w as i32 + 1;
            let k = (a.max(0) as usize) * (w + 2) + b.max(0) as usize;
            if is_in && !is_outside[k] && it.at(it.top + a - 1, it.left + b - 1) == 0 {
                is_outside[k] = true;
                open.push((a, b));
            }
        }
    }
    let is_outer = |(i, j): (i32, i32)| {
        let (i, j) = (i - it.top + 1, j - it.left + 1);
        is_outside[i as usize * (w + 2) + j as usize]
    };
    let is_border = |k: usize| it.cells[k] != 0 && beside(it, k, diagonal).any(is_outer);
    (0..h * w).map(is_border).collect()
}

/// The border as cells, as a function of a grid: a ring around the grid shows the outside.
fn border_text(diagonal: bool) -> String {
    let padded = "fork(paint, compose(lbind(canvas, 0), compose(rbind(add, 2), shape)), \
                  compose(rbind(shift, (1, 1)), asobject))";
    let outside = format!(
        "compose(rbind(extract, lbind(contained, (0, (0, 0)))), compose(rbind(rbind(rbind(objects, \
         F), F), T), {padded}))"
    );
    let beside = format!(
        "compose(rbind(shift, (-1, -1)), compose(lbind(mapply, {}), compose(toindices, {outside})))",
        neighbours(diagonal)
    );
    format!("fork(intersection, fork(toobject, {beside}, identity), {DRAWN})")
}
