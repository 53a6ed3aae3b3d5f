//! The objects of all inputs, in one way to cut pictures into objects.

use std::ops::Range;

use leyden_grid::{Grid, Puzzle};

/// The largest number of objects of a picture, and of all pictures of a task.
const MAX_THINGS: usize = 60;
const MAX_ALL_THINGS: usize = 250;

/// A cell with its colour.
pub(super) type Cell = (i16, i16, u8);

/// A vector: rows down, columns to the right.
pub(super) type Vector = (i16, i16);

/// An object of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thing {
    /// Its cells, row after row.
    pub(super) cells: Vec<Cell>,
    pub(super) top: i16,
    pub(super) left: i16,
    pub(super) bottom: i16,
    pub(super) right: i16,
    /// The colours, as bits.
    pub(super) palette: u16,
    /// The rows and the columns with cells of it, as bits.
    rows: u64,
    columns: u64,
}

impl Thing {
    /// An object of these cells; `None` if there are none.
    pub(super) fn new(mut cells: Vec<Cell>) -> Option<Thing> {
        cells.sort_unstable();
        let of = |cell: fn(&Cell) -> i16| {
            let values = || cells.iter().map(cell);
            Some((values().min()?, values().max()?))
        };
        let ((top, bottom), (left, right)) = (of(|cell| cell.0)?, of(|cell| cell.1)?);
        Some(Thing {
            palette: cells.iter().fold(0, |all, cell| all | 1 << cell.2),
            rows: cells.iter().fold(0, |all, cell| all | 1 << (cell.0 & 63)),
            columns: cells.iter().fold(0, |all, cell| all | 1 << (cell.1 & 63)),
            cells,
            top,
            left,
            bottom,
            right,
        })
    }

    pub(super) fn height(&self) -> i16 {
        self.bottom - self.top + 1
    }

    pub(super) fn width(&self) -> i16 {
        self.right - self.left + 1
    }

    pub(super) fn center(&self) -> Vector {
        (self.top + self.height() / 2, self.left + self.width() / 2)
    }

    /// The colour, if there is only one.
    pub(super) fn colour(&self) -> Option<u8> {
        self.palette
            .is_power_of_two()
            .then(|| self.palette.trailing_zeros() as u8)
    }

    /// The colour with most cells or with the fewest; `None` if several have.
    pub(super) fn extreme_colour(&self, is_most: bool) -> Option<u8> {
        extreme(self.cells.iter().map(|cell| cell.2), is_most)
    }

    pub(super) fn has(&self, i: i16, j: i16) -> bool {
        let at = self
            .cells
            .binary_search_by_key(&(i, j), |cell| (cell.0, cell.1));
        at.is_ok()
    }

    /// The shape, with the upper left corner at the origin.
    pub(super) fn shape(&self) -> Vec<Vector> {
        let cell = |cell: &Cell| (cell.0 - self.top, cell.1 - self.left);
        self.cells.iter().map(cell).collect()
    }

    /// The smallest number of steps between cells of both.
    pub(super) fn distance(&self, other: &Thing) -> i16 {
        let from = |a: &Cell| {
            let steps = other
                .cells
                .iter()
                .map(|b| (a.0 - b.0).abs() + (a.1 - b.1).abs());
            steps.min()
        };
        self.cells.iter().filter_map(from).min().unwrap_or(i16::MAX)
    }

    /// Whether both have cells in a common row.
    pub(super) fn shares_row(&self, other: &Thing) -> bool {
        self.rows & other.rows != 0
    }

    /// Whether both have cells in a common column.
    pub(super) fn shares_column(&self, other: &Thing) -> bool {
        self.columns & other.columns != 0
    }

    /// Whether the bounding box of this one has a cell of the other where this one has none.
    pub(super) fn surrounds(&self, other: &Thing) -> bool {
        let is_within = |cell: &Cell| {
            (self.top..=self.bottom).contains(&cell.0)
                && (self.left..=self.right).contains(&cell.1)
                && !self.has(cell.0, cell.1)
        };
        let may_meet = other.top <= self.bottom && self.top <= other.bottom;
        may_meet && other.cells.iter().any(is_within)
    }
}

/// The value that occurs most often, or least often; `None` if several do.
pub(super) fn extreme(values: impl Iterator<Item = u8>, is_most: bool) -> Option<u8> {
    let mut counts = [0i32; 10];
    values.for_each(|value| counts[usize::from(value)] += 1);
    let sign = if is_most { 1 } else { -1 };
    let present = || (0..10).filter(|c| counts[*c] > 0);
    let best = present().map(|c| counts[c] * sign).max()?;
    let mut all = present().filter(|c| counts[*c] * sign == best);
    let one = all.next()?;
    all.next().is_none().then_some(one as u8)
}

/// A way to cut pictures into objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The set of objects, in arc-dsl.
    pub(super) text: &'static str,
    pub(super) cost: u32,
    pub(super) kind: Kind,
    /// Whether colour 0 is the background, and not the most frequent colour.
    pub(super) is_zero_back: bool,
}

/// The cells that belong to one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Connected cells, of one colour or of any, side by side or also across corners.
    Connected { one_colour: bool, slanted: bool },
    /// All cells of a colour.
    Colours,
    /// Connected cells of colour 0.
    Black,
}

/// Connected cells of the background `back`, or of the most frequent colour.
const fn connected(text: &'static str, cost: u32, how: (bool, bool), is_zero_back: bool) -> Cut {
    Cut {
        text,
        cost,
        kind: Kind::Connected {
            one_colour: how.0,
            slanted: how.1,
        },
        is_zero_back,
    }
}

/// All cuts.
pub(super) const CUTS: [Cut; 10] = [
    connected("objects(I, T, F, T)", 2, (true, false), false),
    connected("objects(I, T, T, T)", 2, (true, true), false),
    connected("objects(I, F, T, T)", 2, (false, true), false),
    connected("objects(I, F, F, T)", 3, (false, false), false),
    Cut {
        text: "fgpartition(I)",
        cost: 3,
        kind: Kind::Colours,
        is_zero_back: false,
    },
    Cut {
        text: "colorfilter(objects(I, T, F, F), 0)",
        cost: 4,
        kind: Kind::Black,
        is_zero_back: false,
    },
    connected(
        "objects(vconcat(I, canvas(0, shape(I))), T, F, T)",
        4,
        (true, false),
        true,
    ),
    connected(
        "objects(vconcat(I, canvas(0, shape(I))), T, T, T)",
        4,
        (true, true),
        true,
    ),
    connected(
        "objects(vconcat(I, canvas(0, shape(I))), F, T, T)",
        4,
        (false, true),
        true,
    ),
    connected(
        "objects(vconcat(I, canvas(0, shape(I))), F, F, T)",
        5,
        (false, false),
        true,
    ),
];

impl Cut {
    /// The picture that shows no object, in arc-dsl: `cover` with these objects.
    pub(super) fn erased(&self, patch: &str) -> String {
        if self.is_zero_back {
            format!("fill(I, 0, {patch})")
        } else {
            format!("cover(I, {patch})")
        }
    }

    /// Whether every object has one colour.
    pub(super) fn is_one_coloured(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Connected {
                one_colour: false,
                ..
            }
        )
    }
}

/// An input with its objects.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) height: i16,
    pub(super) width: i16,
    pub(super) colours: Vec<u8>,
    pub(super) back: u8,
    /// The numbers of its objects.
    pub(super) things: Range<usize>,
}

impl Scene {
    pub(super) fn at(&self, i: i16, j: i16) -> Option<u8> {
        self.place(i, j).map(|k| self.colours[k])
    }

    /// The number of a cell; `None` outside.
    pub(super) fn place(&self, i: i16, j: i16) -> Option<usize> {
        let is_inside = (0..self.height).contains(&i) && (0..self.width).contains(&j);
        is_inside.then(|| i as usize * self.width as usize + j as usize)
    }
}

/// All inputs with their objects: the demonstrations, then the tests.
#[derive(Debug)]
pub(super) struct World {
    pub(super) cut: Cut,
    pub(super) scenes: Vec<Scene>,
    pub(super) things: Vec<Thing>,
    /// The scene of each object.
    pub(super) scene_of: Vec<usize>,
    pub(super) n_demos: usize,
}

impl World {
    /// `None` if there are no objects, or too many.
    pub(super) fn new(puzzle: &Puzzle, cut: Cut) -> Option<World> {
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let (mut things, mut scenes, mut scene_of) = (Vec::new(), Vec::new(), Vec::new());
        for grid in demos.chain(&puzzle.test_inputs) {
            let back = if cut.is_zero_back {
                0
            } else {
                most_frequent(grid)
            };
            let own = cut_up(grid, back, cut.kind);
            let first = things.len();
            if own.len() > MAX_THINGS || first + own.len() > MAX_ALL_THINGS {
                return None;
            }
            scene_of.extend(own.iter().map(|_| scenes.len()));
            things.extend(own);
            scenes.push(Scene {
                height: grid.height() as i16,
                width: grid.width() as i16,
                colours: grid.cells().to_vec(),
                back,
                things: first..things.len(),
            });
        }
        let is_full = scenes
            .iter()
            .take(puzzle.demos.len())
            .all(|it| !it.things.is_empty());
        is_full.then_some(World {
            cut,
            scenes,
            things,
            scene_of,
            n_demos: puzzle.demos.len(),
        })
    }

    pub(super) fn scene(&self, thing: usize) -> &Scene {
        &self.scenes[self.scene_of[thing]]
    }

    /// The objects of an object's picture.
    pub(super) fn beside(&self, thing: usize) -> Range<usize> {
        self.scene(thing).things.clone()
    }

    /// The number of objects of the demonstrations.
    pub(super) fn n_shown(&self) -> usize {
        self.scenes
            .get(self.n_demos - 1)
            .map_or(0, |it| it.things.end)
    }
}

/// The most frequent colour; the smallest of several.
pub(super) fn most_frequent(grid: &Grid) -> u8 {
    let mut counts = [0usize; 10];
    grid.cells()
        .iter()
        .for_each(|cell| counts[usize::from(*cell)] += 1);
    let best = (0..10u8).max_by_key(|c| (counts[usize::from(*c)], 10 - c));
    best.unwrap_or(0)
}

fn cut_up(grid: &Grid, back: u8, kind: Kind) -> Vec<Thing> {
    match kind {
        Kind::Connected {
            one_colour,
            slanted,
        } => flooded(grid, |c| c != back, one_colour, slanted),
        Kind::Black => flooded(grid, |c| c == 0, true, false),
        Kind::Colours => (0..10)
            .filter(|c| *c != back)
            .filter_map(|c| of_colour(grid, c))
            .collect(),
    }
}

/// All cells of a colour.
pub(super) fn of_colour(grid: &Grid, colour: u8) -> Option<Thing> {
    let cells = grid.cells().iter().enumerate();
    let cells = cells
        .filter(|(_, c)| **c == colour)
        .map(|(k, c)| cell(grid, k, *c));
    Thing::new(cells.collect())
}

fn cell(grid: &Grid, k: usize, colour: u8) -> Cell {
    ((k / grid.width()) as i16, (k % grid.width()) as i16, colour)
}

/// Connected cells of the colours that count.
fn flooded(
    grid: &Grid,
    counts: impl Fn(u8) -> bool,
    one_colour: bool,
    slanted: bool,
) -> Vec<Thing> {
    let (height, width) = (grid.height() as i16, grid.width() as i16);
    let cells = grid.cells();
    let mut is_seen = vec![false; cells.len()];
    let mut things = Vec::new();
    for first in 0..cells.len() {
        if is_seen[first] || !counts(cells[first]) {
            continue;
        }
        is_seen[first] = true;
        let (mut own, mut open) = (Vec::new(), vec![first]);
        while let Some(k) = open.pop() {
            let (i, j, colour) = cell(grid, k, cells[k]);
            own.push((i, j, colour));
            for (di, dj) in (-1..=1).flat_map(|di| (-1..=1).map(move |dj| (di, dj))) {
                let (a, b) = (i + di, j + dj);
                let is_inside = (0..height).contains(&a) && (0..width).contains(&b);
                if !is_inside || (di != 0 && dj != 0 && !slanted) {
                    continue;
                }
                let next = a as usize * width as usize + b as usize;
                let is_alike = if one_colour {
                    cells[next] == colour
                } else {
                    counts(cells[next])
                };
                if is_alike && !is_seen[next] {
                    is_seen[next] = true;
                    open.push(next);
                }
            }
        }
        things.extend(Thing::new(own));
    }
    things
}
