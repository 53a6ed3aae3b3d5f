//! Figures: what objects can be drawn as, and where.

use super::partners::Pool;
use super::said::{Said, Table};
use super::scene::{Cell, Thing, Vector, World};
use super::stamps::Stamp;
use super::values::{Steps, WAYS};

/// A colour that a figure leaves open.
pub(super) const OPEN: u8 = 10;
/// More steps than a picture has rows or columns.
const FAR: i16 = 31;

/// The bits of a cell that a stamp spells out, with its colour and without. Demonstrations that are
/// left out do not speak against a stamp, because it is learned from all of them.
const SPELT_COLOUR: f32 = 3.3;
const SPELT_CELL: f32 = 2.0;

/// A figure for each object.
pub(super) struct Figure<'w> {
    /// A function from an object to an object, or to a set of cells.
    pub(super) said: Said,
    pub(super) cost: u32,
    /// The bits of what the figure spells out, in addition to those of the choice.
    pub(super) spelt: f32,
    /// Whether it brings colours of its own.
    pub(super) is_coloured: bool,
    /// Whether the object itself may vanish.
    pub(super) may_erase: bool,
    pub(super) draw: Box<dyn Fn(usize) -> Option<Vec<Cell>> + 'w>,
}

/// All figures.
pub(super) fn figures<'w>(
    world: &'w World,
    pool: &'w Pool,
    vectors: &'w [Table<Vector>],
    free: &'w [Steps],
    stamps: &'w [Stamp],
) -> Vec<Figure<'w>> {
    let mut all = vec![Figure {
        said: Said::itself(),
        cost: 0,
        spelt: 0.0,
        is_coloured: true,
        may_erase: false,
        draw: Box::new(|k| Some(world.things[k].cells.clone())),
    }];
    all.extend(vectors.iter().map(|vector| shifted(world, vector)));
    all.extend(vectors.iter().map(|vector| along(world, vector)));
    all.extend(mirrored(world));
    all.extend(patches(world));
    all.extend(trails(world));
    all.extend(free.iter().map(|steps| ray(world, steps)));
    for partner in &pool.tables {
        all.extend(lines(world, pool, partner));
        all.extend(copies(world, pool, partner));
    }
    all.extend(stamps.iter().map(|stamp| stamped(world, stamp)));
    all.sort_by_key(|figure| figure.cost);
    all
}

fn moved(cells: &[Cell], (i, j): Vector) -> Vec<Cell> {
    cells
        .iter()
        .map(|cell| (cell.0 + i, cell.1 + j, cell.2))
        .collect()
}

fn shifted<'w>(world: &'w World, vector: &'w Table<Vector>) -> Figure<'w> {
    Figure {
        said: Said::both("shift", &Said::itself(), &vector.said),
        cost: vector.cost,
        spelt: 0.0,
        is_coloured: true,
        may_erase: true,
        draw: Box::new(|k| Some(moved(&world.things[k].cells, vector.values[k]?))),
    }
}

/// The straight line that an object's centre follows on a way.
fn along<'w>(world: &'w World, vector: &'w Table<Vector>) -> Figure<'w> {
    let end = Said::both("add", &Said::of("center"), &vector.said);
    Figure {
        said: Said::both("connect", &Said::of("center"), &end),
        cost: vector.cost + 1,
        spelt: 0.0,
        is_coloured: false,
        may_erase: false,
        draw: Box::new(|k| {
            let (start, (i, j)) = (world.things[k].center(), vector.values[k]?);
            Some(line(start, (start.0 + i, start.1 + j)))
        }),
    }
}

/// The cells of a line; none if it is not straight.
fn line(a: Vector, b: Vector) -> Vec<Cell> {
    let (di, dj) = (b.0 - a.0, b.1 - a.1);
    if di != 0 && dj != 0 && di.abs() != dj.abs() {
        return Vec::new();
    }
    let n = di.abs().max(dj.abs());
    let cell = |n: i16| (a.0 + n * di.signum(), a.1 + n * dj.signum(), OPEN);
    (0..=n).map(cell).collect()
}

/// The place of a cell in the mirrored object, both counted from the upper left corner.
type Image = fn(&Thing, i16, i16) -> Vector;

const MIRRORS: [(&str, u32, Image); 7] = [
    ("hmirror", 2, |it, i, j| (it.height() - 1 - i, j)),
    ("vmirror", 2, |it, i, j| (i, it.width() - 1 - j)),
    ("dmirror", 2, |_, i, j| (j, i)),
    ("cmirror", 3, |it, i, j| {
        (it.width() - 1 - j, it.height() - 1 - i)
    }),
    ("compose(hmirror, vmirror)", 2, |it, i, j| {
        (it.height() - 1 - i, it.width() - 1 - j)
    }),
    ("compose(vmirror, dmirror)", 3, |it, i, j| {
        (j, it.height() - 1 - i)
    }),
    ("compose(hmirror, dmirror)", 3, |it, i, j| {
        (it.width() - 1 - j, i)
    }),
];

fn image(thing: &Thing, image: Image) -> Vec<Cell> {
    let cell = |cell: &Cell| {
        let (i, j) = image(thing, cell.0 - thing.top, cell.1 - thing.left);
        (thing.top + i, thing.left + j, cell.2)
    };
    thing.cells.iter().map(cell).collect()
}

/// Objects mirrored or turned, in their place or beside it.
fn mirrored(world: &World) -> Vec<Figure<'_>> {
    let mut all = Vec::new();
    for (text, cost, how) in MIRRORS {
        all.push(Figure {
            said: Said::of(text),
            cost,
            spelt: 0.0,
            is_coloured: true,
            may_erase: true,
            draw: Box::new(move |k| Some(image(&world.things[k], how))),
        });
    }
    let beside: [(usize, &str, Vector); 4] = [
        (0, "compose(toivec, height)", (1, 0)),
        (0, "chain(invert, toivec, height)", (-1, 0)),
        (1, "compose(tojvec, width)", (0, 1)),
        (1, "chain(invert, tojvec, width)", (0, -1)),
    ];
    for (mirror, vector, (i, j)) in beside {
        let (text, _, how) = MIRRORS[mirror];
        all.push(Figure {
            said: Said::Of(format!("fork(shift, {text}, {vector})")),
            cost: 3,
            spelt: 0.0,
            is_coloured: true,
            may_erase: true,
            draw: Box::new(move |k| {
                let it = &world.things[k];
                Some(moved(&image(it, how), (i * it.height(), j * it.width())))
            }),
        });
    }
    all
}

/// Boxes, frames and lines of an object.
fn patches(world: &World) -> Vec<Figure<'_>> {
    type Holds = fn(&Thing, i16, i16) -> bool;
    let is_edge: Holds = |it, i, j| i == it.top || i == it.bottom || j == it.left || j == it.right;
    let ways: [(&str, u32, i16, Holds); 8] = [
        ("backdrop", 2, 0, |_, _, _| true),
        ("box", 2, 0, is_edge),
        ("delta", 2, 0, |it, i, j| !it.has(i, j)),
        ("outbox", 2, 1, |it, i, j| {
            i < it.top || i > it.bottom || j < it.left || j > it.right
        }),
        ("inbox", 3, 0, |it, i, j| {
            let (top, bottom) = (it.top + 1, it.bottom - 1);
            let (left, right) = (it.left + 1, it.right - 1);
            (top..=bottom).contains(&i)
                && (left..=right).contains(&j)
                && (i == top || i == bottom || j == left || j == right)
        }),
        ("compose(backdrop, inbox)", 3, 0, |it, i, j| {
            (it.top + 1..it.bottom).contains(&i) && (it.left + 1..it.right).contains(&j)
        }),
        ("corners", 3, 0, |it, i, j| {
            (i == it.top || i == it.bottom) && (j == it.left || j == it.right)
        }),
        ("compose(initset, center)", 3, 0, |it, i, j| {
            (i, j) == it.center()
        }),
    ];
    let mut all: Vec<Figure<'_>> = Vec::new();
    for (text, cost, margin, holds) in ways {
        let is_inner = text.contains("inbox");
        all.push(Figure {
            said: Said::of(text),
            cost,
            spelt: 0.0,
            is_coloured: false,
            may_erase: true,
            draw: Box::new(move |k| {
                let it = &world.things[k];
                // The inner box of a thin object is another one in arc-dsl.
                if is_inner && (it.height() < 3 || it.width() < 3) {
                    return None;
                }
                let rows = it.top - margin..=it.bottom + margin;
                let columns = it.left - margin..=it.right + margin;
                let all = rows.flat_map(|i| columns.clone().map(move |j| (i, j)));
                let cells = all.filter(|(i, j)| holds(it, *i, *j));
                Some(cells.map(|(i, j)| (i, j, OPEN)).collect())
            }),
        });
    }
    for (text, is_row) in [
        ("compose(hfrontier, center)", true),
        ("compose(vfrontier, center)", false),
    ] {
        all.push(Figure {
            said: Said::of(text),
            cost: 3,
            spelt: 0.0,
            is_coloured: false,
            may_erase: false,
            draw: Box::new(move |k| {
                let (i, j) = world.things[k].center();
                let line = 0..FAR - 1;
                Some(
                    line.map(|n| if is_row { (i, n, OPEN) } else { (n, j, OPEN) })
                        .collect(),
                )
            }),
        });
    }
    all
}

/// Objects repeated in a direction to the end of the picture.
fn trails(world: &World) -> Vec<Figure<'_>> {
    let mut all = Vec::new();
    for (name, way) in WAYS {
        let steps = format!("apply(lbind(multiply, {name}), interval(1, {FAR}, 1))");
        all.push(trail(
            world,
            format!("compose(rbind(mapply, {steps}), lbind(lbind, shift))"),
            3,
            move |_| way,
        ));
    }
    let sizes: [(&str, Vector); 4] = [
        ("compose(toivec, height)", (1, 0)),
        ("chain(invert, toivec, height)", (-1, 0)),
        ("compose(tojvec, width)", (0, 1)),
        ("chain(invert, tojvec, width)", (0, -1)),
    ];
    for gap in 0..2 {
        for (text, (i, j)) in sizes {
            let longer = text
                .replace("height", "compose(increment, height)")
                .replace("width", "compose(increment, width)");
            let text = if gap == 0 { text.to_owned() } else { longer };
            let steps = format!(
                "chain(rbind(apply, interval(1, {FAR}, 1)), lbind(lbind, multiply), {text})"
            );
            let text = format!("fork(mapply, lbind(lbind, shift), {steps})");
            all.push(trail(world, text, 4, move |it| {
                (i * (it.height() + gap), j * (it.width() + gap))
            }));
        }
    }
    all
}

fn trail<'w>(
    world: &'w World,
    text: String,
    cost: u32,
    step: impl Fn(&Thing) -> Vector + 'w,
) -> Figure<'w> {
    Figure {
        said: Said::Of(text),
        cost,
        spelt: 0.0,
        is_coloured: true,
        may_erase: false,
        draw: Box::new(move |k| {
            let it = &world.things[k];
            let (i, j) = step(it);
            Some(repeated(world, k, (i, j), FAR - 1))
        }),
    }
}

/// The images of an object inside the picture after each step; the later ones over the others.
fn repeated(world: &World, k: usize, (i, j): Vector, n: i16) -> Vec<Cell> {
    let scene = world.scene(k);
    let mut cells: Vec<Cell> = Vec::new();
    for n in 1..=n {
        let before = cells.len();
        let image = world.things[k].cells.iter();
        let image = image.map(|cell| (cell.0 + n * i, cell.1 + n * j, cell.2));
        cells.extend(image.filter(|cell| scene.place(cell.0, cell.1).is_some()));
        if cells.len() == before {
            break;
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Objects repeated in a direction until something is in the way.
fn ray<'w>(world: &'w World, steps: &'w Steps) -> Figure<'w> {
    let (name, way) = steps.way;
    let count = steps
        .table
        .said
        .then("compose(rbind(lbind(interval, 1), 1), increment)");
    let along = count.then(&format!("lbind(apply, lbind(multiply, {name}))"));
    Figure {
        said: Said::both("mapply", &Said::of("lbind(lbind, shift)"), &along),
        cost: steps.table.cost,
        spelt: 0.0,
        is_coloured: true,
        may_erase: false,
        draw: Box::new(move |k| Some(repeated(world, k, way, steps.table.values[k]?))),
    }
}

/// Straight lines to a partner.
fn lines<'w>(world: &'w World, pool: &'w Pool, partner: &'w Table<usize>) -> Vec<Figure<'w>> {
    let joined = Said::both("connect", &Said::of("center"), &partner.said.then("center"));
    let whole = Figure {
        said: joined.clone(),
        cost: partner.cost + 1,
        spelt: 0.0,
        is_coloured: false,
        may_erase: false,
        draw: Box::new(move |k| {
            let it = &pool.things[partner.values[k]?];
            Some(line(world.things[k].center(), it.center()))
        }),
    };
    let own = Said::both("difference", &joined, &Said::of("toindices"));
    let between = Figure {
        said: Said::both("difference", &own, &partner.said.then("toindices")),
        cost: partner.cost + 1,
        spelt: 0.0,
        is_coloured: false,
        may_erase: false,
        draw: Box::new(move |k| {
            let (own, it) = (&world.things[k], &pool.things[partner.values[k]?]);
            let mut cells = line(own.center(), it.center());
            cells.retain(|(i, j, _)| !own.has(*i, *j) && !it.has(*i, *j));
            Some(cells)
        }),
    };
    vec![whole, between]
}

/// Copies of a partner at the place of an object.
fn copies<'w>(world: &'w World, pool: &'w Pool, partner: &'w Table<usize>) -> Vec<Figure<'w>> {
    if partner
        .values
        .iter()
        .flatten()
        .any(|it| *it >= world.things.len())
    {
        return Vec::new();
    }
    let other = &partner.said;
    let at = |place: &Said, own: &str, draw: Box<dyn Fn(usize) -> Option<Vec<Cell>> + 'w>| {
        let vector = Said::both("subtract", &Said::of(own), place);
        Figure {
            said: Said::both("shift", other, &vector),
            cost: partner.cost + 1,
            spelt: 0.0,
            is_coloured: true,
            may_erase: true,
            draw,
        }
    };
    let anchor = Said::both(
        "sfilter",
        other,
        &Said::of("compose(lbind(matcher, first), color)"),
    );
    let by_colour = move |k: usize| {
        let (own, it) = (&world.things[k], &pool.things[partner.values[k]?]);
        let colour = own.colour()?;
        let anchor = it.cells.iter().filter(|cell| cell.2 == colour).copied();
        let anchor = Thing::new(anchor.collect())?;
        Some(moved(
            &it.cells,
            (own.top - anchor.top, own.left - anchor.left),
        ))
    };
    let by_center = move |k: usize| {
        let (own, it) = (&world.things[k], &pool.things[partner.values[k]?]);
        let (a, b) = (own.center(), it.center());
        Some(moved(&it.cells, (a.0 - b.0, a.1 - b.1)))
    };
    let by_corner = move |k: usize| {
        let (own, it) = (&world.things[k], &pool.things[partner.values[k]?]);
        Some(moved(&it.cells, (own.top - it.top, own.left - it.left)))
    };
    vec![
        at(&other.then("ulcorner"), "ulcorner", Box::new(by_corner)),
        at(&other.then("center"), "center", Box::new(by_center)),
        at(&anchor.then("ulcorner"), "ulcorner", Box::new(by_colour)),
    ]
}

/// A pattern around the centre of an object.
fn stamped<'w>(world: &'w World, stamp: &'w Stamp) -> Figure<'w> {
    Figure {
        said: Said::Of(format!("compose(lbind(shift, {}), center)", stamp.text)),
        cost: stamp.cost,
        spelt: stamp.cells.len() as f32
            * if stamp.is_coloured {
                SPELT_COLOUR
            } else {
                SPELT_CELL
            },
        is_coloured: stamp.is_coloured,
        may_erase: true,
        draw: Box::new(|k| Some(moved(&stamp.cells, world.things[k].center()))),
    }
}
