//! Stamps: patterns that the outputs show around objects of one kind.

use super::actions::Goal;
use super::figures::OPEN;
use super::scene::{Cell, Thing, World};

/// The farthest cell of a stamp from the centre of its object, in rows and in columns.
const REACH: i16 = 4;
/// The largest number of cells of a stamp.
const MAX_CELLS: usize = 40;
/// The cost of a stamp in addition to that of its cells.
const COST: u32 = 4;
/// The number of cells for one unit of cost.
const CELLS_PER_COST: usize = 3;

/// A pattern around the centre of an object.
pub(super) struct Stamp {
    /// The object at the origin, in arc-dsl.
    pub(super) text: String,
    pub(super) cost: u32,
    pub(super) is_coloured: bool,
    pub(super) cells: Vec<Cell>,
}

/// The colours of the outputs at one place beside all objects of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// Nothing yet.
    Open,
    /// This colour.
    Colour(u8),
    /// Different colours.
    Mixed,
}

/// The patterns around the objects of each colour, and around small ones of any colour.
pub(super) fn stamps(world: &World, goal: &Goal) -> Vec<Stamp> {
    let mut stamps: Vec<Stamp> = Vec::new();
    let single = |it: &Thing| it.cells.len() == 1;
    for colour in 0..10u8 {
        let is_kind = |it: &Thing| it.palette == 1 << colour;
        stamps.extend(literal(world, goal, &is_kind));
        stamps.extend(literal(world, goal, &|it| is_kind(it) && single(it)));
    }
    stamps.extend(literal(world, goal, &|_| true));
    stamps.extend(literal(world, goal, &single));
    stamps.extend(own(world, goal, &|_| true));
    stamps.extend(own(world, goal, &single));
    let mut kept: Vec<Stamp> = Vec::new();
    for stamp in stamps {
        if kept.iter().all(|it| it.text != stamp.text) {
            kept.push(stamp);
        }
    }
    kept
}

/// For each place around objects of a kind, what they show there in all demonstrations, and
/// whether that is new.
fn shown(
    world: &World,
    goal: &Goal,
    is_kind: &dyn Fn(&Thing) -> bool,
    seen: &dyn Fn(&Thing, u8) -> Option<u8>,
) -> Vec<Cell> {
    let places = (-REACH..=REACH).flat_map(|i| (-REACH..=REACH).map(move |j| (i, j)));
    let mut cells = Vec::new();
    for (i, j) in places {
        let (mut all, mut is_new) = (Shown::Open, false);
        for k in (0..world.n_shown()).filter(|k| is_kind(&world.things[*k])) {
            let (it, scene) = (&world.things[k], world.scene(k));
            let (a, b) = it.center();
            let Some(at) = scene.place(a + i, b + j) else {
                continue;
            };
            let output = goal.outputs[world.scene_of[k]][at];
            is_new |= output != scene.colours[at];
            all = match (all, seen(it, output)) {
                (Shown::Open, Some(colour)) => Shown::Colour(colour),
                (Shown::Colour(before), Some(colour)) if before == colour => all,
                _ => Shown::Mixed,
            };
        }
        if let (Shown::Colour(colour), true) = (all, is_new) {
            cells.push((i, j, colour));
        }
    }
    cells
}

/// A pattern in fixed colours.
fn literal(world: &World, goal: &Goal, is_kind: &dyn Fn(&Thing) -> bool) -> Vec<Stamp> {
    let cells = shown(world, goal, is_kind, &|_, colour| Some(colour));
    near(&cells, true)
}

/// A pattern in the colour of the object.
fn own(world: &World, goal: &Goal, is_kind: &dyn Fn(&Thing) -> bool) -> Vec<Stamp> {
    let seen = |it: &Thing, colour: u8| (it.colour() == Some(colour)).then_some(OPEN);
    near(&shown(world, goal, is_kind, &seen), false)
}

/// The stamps of the cells that hang together with the centre, with gaps and without. Cells farther
/// away may belong to another object.
fn near(cells: &[Cell], is_coloured: bool) -> Vec<Stamp> {
    let hanging = |gap: i16| {
        let mut kept: Vec<Cell> = vec![(0, 0, OPEN)];
        let mut next = 0;
        while let Some((i, j, _)) = kept.get(next).copied() {
            next += 1;
            let is_close = |it: &&Cell| (it.0 - i).abs() <= gap && (it.1 - j).abs() <= gap;
            let is_new = |it: &&Cell| is_close(it) && !kept.contains(it);
            let new: Vec<Cell> = cells.iter().filter(is_new).copied().collect();
            kept.extend(new);
        }
        kept.split_off(1)
    };
    let stamps = [1, 2].map(|gap| stamp(hanging(gap), is_coloured));
    stamps.into_iter().flatten().collect()
}

fn stamp(cells: Vec<Cell>, is_coloured: bool) -> Option<Stamp> {
    let thing = Thing::new(cells.clone())?;
    if cells.len() > MAX_CELLS {
        return None;
    }
    let cell = |i: i16, j: i16| {
        let at = thing.cells.iter().find(|cell| (cell.0, cell.1) == (i, j));
        at.map_or(OPEN + 1, |cell| cell.2)
    };
    let row = |i: i16| {
        let cells = (thing.left..=thing.right).map(|j| format!("{}, ", cell(i, j)));
        format!("({}), ", cells.collect::<String>())
    };
    let rows: String = (thing.top..=thing.bottom).map(row).collect();
    let drawn = format!(
        "sfilter(asobject(({rows})), compose(flip, matcher(first, {})))",
        OPEN + 1
    );
    Some(Stamp {
        text: format!("shift({drawn}, ({}, {}))", thing.top, thing.left),
        cost: COST + (cells.len() / CELLS_PER_COST) as u32,
        is_coloured,
        cells,
    })
}
