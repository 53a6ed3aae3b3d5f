//! Drawn cells that leave trails or grow over blank cells.

use super::pictures::Placed;
use super::text::on_grid;

/// The directions of trails, the one on top first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trails {
    Rows,
    Columns,
    RowsOverColumns,
    ColumnsOverRows,
    Falling,
    Rising,
    Diagonals,
    All,
}

const ROWS: [(i8, i8); 2] = [(0, 1), (0, -1)];
const COLUMNS: [(i8, i8); 2] = [(1, 0), (-1, 0)];
const FALLING: [(i8, i8); 2] = [(1, 1), (-1, -1)];
const RISING: [(i8, i8); 2] = [(-1, 1), (1, -1)];

/// The drawn cells of a grid.
const DRAWN: &str = "compose(rbind(sfilter, compose(flip, matcher(first, 0))), asobject)";
/// A blank grid of the size of a grid.
const BLANK: &str = "compose(lbind(canvas, 0), shape)";

impl Trails {
    pub(super) const ALL: [Trails; 8] = [
        Trails::Rows,
        Trails::Columns,
        Trails::RowsOverColumns,
        Trails::ColumnsOverRows,
        Trails::Falling,
        Trails::Rising,
        Trails::Diagonals,
        Trails::All,
    ];

    fn directions(self) -> Vec<(i8, i8)> {
        let lines: &[[(i8, i8); 2]] = match self {
            Trails::Rows => &[ROWS],
            Trails::Columns => &[COLUMNS],
            Trails::RowsOverColumns => &[ROWS, COLUMNS],
            Trails::ColumnsOverRows => &[COLUMNS, ROWS],
            Trails::Falling => &[FALLING],
            Trails::Rising => &[RISING],
            Trails::Diagonals => &[FALLING, RISING],
            Trails::All => &[ROWS, COLUMNS, FALLING, RISING],
        };
        lines.concat()
    }

    /// The step as a function of an object, in arc-dsl.
    pub(super) fn text(self) -> String {
        let trails = self.directions();
        let trails = trails.iter().map(|(i, j)| smear_text(*i, *j));
        on_grid(&overlaid_text(trails.collect()))
    }

    /// Makes the step.
    pub(super) fn of(self, it: &Placed) -> Placed {
        let trails = self.directions();
        let trails = trails
            .iter()
            .map(|(i, j)| smeared(it, (*i).into(), (*j).into()));
        overlaid(trails.collect()).unwrap_or_else(|| it.clone())
    }
}

/// The lines between two cells of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Rows,
    Columns,
    RowsOverColumns,
    ColumnsOverRows,
    Diagonals,
}

impl Between {
    pub(super) const ALL: [Between; 5] = [
        Between::Rows,
        Between::Columns,
        Between::RowsOverColumns,
        Between::ColumnsOverRows,
        Between::Diagonals,
    ];

    fn lines(self) -> &'static [[(i8, i8); 2]] {
        match self {
            Between::Rows => &[ROWS],
            Between::Columns => &[COLUMNS],
            Between::RowsOverColumns => &[ROWS, COLUMNS],
            Between::ColumnsOverRows => &[COLUMNS, ROWS],
            Between::Diagonals => &[FALLING, RISING],
        }
    }

    /// The step as a function of an object, in arc-dsl.
    pub(super) fn text(self) -> String {
        let both = |line: &[(i8, i8); 2]| {
            let [one, other] =
                line.map(|(i, j)| format!("compose(asobject, {})", smear_text(i, j)));
            format!("fork(paint, {BLANK}, fork(intersection, {one}, {other}))")
        };
        on_grid(&overlaid_text(self.lines().iter().map(both).collect()))
    }

    /// Makes the step.
    pub(super) fn of(self, it: &Placed) -> Placed {
        let both = |line: &[(i8, i8); 2]| {
            let [mut one, other] = line.map(|(i, j)| smeared(it, i.into(), j.into()));
            for (cell, other) in one.cells.iter_mut().zip(other.cells) {
                if *cell != other {
                    *cell = 0;
                }
            }
            one
        };
        overlaid(self.lines().iter().map(both).collect()).unwrap_or_else(|| it.clone())
    }
}

/// Trails over blank cells in one direction.
pub(super) fn smeared(it: &Placed, down: i32, right: i32) -> Placed {
    let (h, w) = (it.height as i32, it.width as i32);
    let mut out = it.clone();
    let along = |n: i32, step: i32| -> Vec<i32> {
        if step < 0 {
            (0..n).rev().collect()
        } else {
            (0..n).collect()
        }
    };
    for i in along(h, down) {
        for j in along(w, right) {
            let (a, b) = (i - down, j - right);
            if out.cells[(i * w + j) as usize] == 0 && a >= 0 && a < h && b >= 0 && b < w {
                out.cells[(i * w + j) as usize] = out.cells[(a * w + b) as usize];
            }
        }
    }
    out
}

/// The trails in one direction, as a function of a grid.
pub(super) fn smear_text(down: i8, right: i8) -> String {
    format!("power({}, 29)", grown_text(&[(down, right)]))
}

/// One step of trails in some directions: the first ones hide others.
fn grown_text(directions: &[(i8, i8)]) -> String {
    let below = directions
        .iter()
        .rev()
        .fold(BLANK.to_owned(), |below, (i, j)| {
            format!("fork(paint, {below}, compose(rbind(shift, ({i}, {j})), {DRAWN}))")
        });
    format!("fork(paint, {below}, {DRAWN})")
}

fn overlaid_text(grids: Vec<String>) -> String {
    let all = grids.into_iter().rev();
    let all = all.reduce(|below, above| format!("fork(paint, {below}, compose({DRAWN}, {above}))"));
    all.unwrap_or_else(|| "identity".to_owned())
}

/// Pictures of one size over each other; the first ones hide others.
fn overlaid(pictures: Vec<Placed>) -> Option<Placed> {
    pictures.into_iter().reduce(|mut above, below| {
        for (cell, below) in above.cells.iter_mut().zip(below.cells) {
            if *cell == 0 {
                *cell = below;
            }
        }
        above
    })
}

const NEIGHBOURS: [(i8, i8); 8] = [
    (1, 0),
    (0, 1),
    (-1, 0),
    (0, -1),
    (1, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
];

fn neighbours(diagonal: bool) -> &'static [(i8, i8)] {
    if diagonal {
        &NEIGHBOURS
    } else {
        &NEIGHBOURS[..4]
    }
}

/// Drawn cells colour their blank neighbours, once or until no blank cell is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    pub(super) diagonal: bool,
    pub(super) is_full: bool,
}

impl Growth {
    fn n_rounds(self) -> usize {
        match (self.is_full, self.diagonal) {
            (false, _) => 1,
            (true, true) => 29,
            (true, false) => 58,
        }
    }

    /// The step as a function of an object, in arc-dsl.
    pub(super) fn text(self) -> String {
        let grown = grown_text(neighbours(self.diagonal));
        on_grid(&match self.n_rounds() {
            1 => grown,
            n => format!("power({grown}, {n})"),
        })
    }

    /// Makes the step.
    pub(super) fn of(self, it: &Placed) -> Placed {
        let (h, w) = it.size();
        let mut grown = it.clone();
        for _ in 0..self.n_rounds() {
            let before = grown.clone();
            let at = |i: usize, j: usize, (a, b): (i8, i8)| {
                before.at(
                    before.top + i as i32 - i32::from(a),
                    before.left + j as i32 - i32::from(b),
                )
            };
            for k in (0..h * w).filter(|k| before.cells[*k] == 0) {
                let mut seen = neighbours(self.diagonal).iter();
                let seen = seen.find_map(|way| Some(at(k / w, k % w, *way)).filter(|c| *c != 0));
                grown.cells[k] = seen.unwrap_or(0);
            }
            if grown == before {
                break;
            }
        }
        grown
    }
}
