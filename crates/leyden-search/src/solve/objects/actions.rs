//! Actions: figures in colours, and what the demonstrations say about them.

use std::rc::Rc;

use super::super::bits::Bits;
use super::figures::{Figure, OPEN};
use super::said::{Table, bits};
use super::scene::{Cell, World};

/// The largest number of actions of one cut.
const MAX_ACTIONS: usize = 3000;

/// The outputs of the demonstrations beside the inputs.
pub(super) struct Goal {
    /// The outputs' cells, for each demonstration.
    pub(super) outputs: Vec<Vec<u8>>,
    /// The number of each changed cell, for each demonstration.
    numbers: Vec<Vec<Option<u32>>>,
    /// The changed cells of each demonstration.
    pub(super) changed: Vec<Bits>,
    pub(super) n_changed: usize,
    /// The colours of changed cells.
    pub(super) made: u16,
}

impl Goal {
    pub(super) fn new(world: &World, outputs: Vec<Vec<u8>>) -> Goal {
        let mut n_changed = 0;
        let mut made = 0;
        let mut numbers = Vec::new();
        for (scene, output) in world.scenes.iter().zip(&outputs) {
            let number = |(before, after): (&u8, &u8)| {
                (before != after).then(|| {
                    made |= 1 << after;
                    n_changed += 1;
                    n_changed as u32 - 1
                })
            };
            numbers.push(
                scene
                    .colours
                    .iter()
                    .zip(output)
                    .map(number)
                    .collect::<Vec<_>>(),
            );
        }
        let changed = numbers.iter().map(|numbers| {
            let mut changed = Bits::none(n_changed);
            numbers
                .iter()
                .flatten()
                .for_each(|n| changed.set(*n as usize));
            changed
        });
        Goal {
            changed: changed.collect(),
            outputs,
            numbers,
            n_changed,
            made,
        }
    }
}

/// The colours of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// Those of the figure.
    Own,
    /// The colour of a table.
    Table(usize),
}

/// A figure in a colour.
pub(super) struct Action {
    /// The number of the figure; `None` draws nothing.
    pub(super) figure: Option<usize>,
    pub(super) paint: Paint,
    pub(super) erases: bool,
    pub(super) bits: f32,
    /// The objects of the demonstrations for which it draws nothing wrong.
    pub(super) fits: Bits,
    /// The changed cells that it explains, for each object of the demonstrations.
    pub(super) explains: Rc<Vec<Vec<u32>>>,
}

/// The figure of one object beside the outputs.
struct Look {
    cells: Vec<Cell>,
    is_right: bool,
    /// The outputs' colour of all its cells; [`OPEN`] if it has no cell in the picture.
    colour: Option<u8>,
}

/// All actions that explain a changed cell.
pub(super) fn actions(
    world: &World,
    goal: &Goal,
    figures: &[Figure<'_>],
    colours: &[Table<u8>],
    is_over: &dyn Fn(u64) -> bool,
) -> Vec<Action> {
    let costs: Vec<u32> = figures.iter().map(|it| it.cost).collect();
    let colour_costs: Vec<u32> = colours.iter().map(|it| it.cost).collect();
    let mut all: Vec<Action> = Vec::new();
    all.extend(erasing(world, goal));
    for (f, figure) in figures.iter().enumerate() {
        let n_things = world.n_shown();
        let looks: Vec<Option<Look>> = (0..n_things)
            .map(|k| look(world, goal, figure, k))
            .collect();
        let n_cells: usize = looks.iter().flatten().map(|it| it.cells.len()).sum();
        if is_over((n_cells / 8 + n_things) as u64) || all.len() > MAX_ACTIONS {
            break;
        }
        let figure_bits = bits(&costs, figure.cost) + figure.spelt;
        for erases in [false, true] {
            if erases && !figure.may_erase {
                continue;
            }
            let explained = |look: (usize, &Option<Look>)| match look.1 {
                Some(it) if it.is_right || it.colour.is_some() => {
                    explained(world, goal, look.0, &it.cells, erases)
                }
                _ => Vec::new(),
            };
            let explains: Vec<Vec<u32>> = looks.iter().enumerate().map(explained).collect();
            if explains.iter().all(Vec::is_empty) {
                continue;
            }
            let explains = Rc::new(explains);
            let mut add = |paint: Paint, more: f32, fits: &dyn Fn(usize, &Look) -> bool| {
                let fitting = |k: usize| looks[k].as_ref().is_some_and(|it| fits(k, it));
                let fits = Bits::of(world.things.len(), |k| k < n_things && fitting(k));
                if (0..n_things).any(|k| fits.has(k) && !explains[k].is_empty()) {
                    all.push(Action {
                        figure: Some(f),
                        paint,
                        erases,
                        bits: figure_bits + more,
                        fits,
                        explains: Rc::clone(&explains),
                    });
                }
            };
            if figure.is_coloured {
                add(Paint::Own, 1.0, &|_, it| it.is_right);
            }
            for (c, table) in colours.iter().enumerate() {
                let more = bits(&colour_costs, table.cost) + 1.0;
                add(Paint::Table(c), more, &|k, it| {
                    let is_it = |wanted: u8| it.colour.is_some_and(|c| c == wanted || c == OPEN);
                    table.values[k].is_some_and(is_it)
                });
            }
        }
    }
    all
}

/// The action that only erases.
fn erasing(world: &World, goal: &Goal) -> Option<Action> {
    let n = world.n_shown();
    let is_gone = |k: usize| {
        let (output, scene) = (&goal.outputs[world.scene_of[k]], world.scene(k));
        let mut cells = world.things[k].cells.iter();
        cells.all(|cell| {
            scene
                .place(cell.0, cell.1)
                .is_some_and(|at| output[at] == scene.back)
        })
    };
    let fits = Bits::of(world.things.len(), |k| k < n && is_gone(k));
    let explained = |k: usize| {
        if fits.has(k) {
            explained(world, goal, k, &[], true)
        } else {
            Vec::new()
        }
    };
    let explains = Rc::new((0..n).map(explained).collect());
    (!fits.is_empty()).then_some(Action {
        figure: None,
        paint: Paint::Own,
        erases: true,
        bits: 2.0,
        fits,
        explains,
    })
}

fn look(world: &World, goal: &Goal, figure: &Figure<'_>, k: usize) -> Option<Look> {
    let (output, scene) = (&goal.outputs[world.scene_of[k]], world.scene(k));
    let mut cells = (figure.draw)(k)?;
    cells.retain(|cell| scene.place(cell.0, cell.1).is_some());
    let there = |cell: &Cell| scene.place(cell.0, cell.1).map_or(OPEN, |at| output[at]);
    let colour = match cells.first() {
        None => Some(OPEN),
        Some(first) => {
            let colour = there(first);
            cells
                .iter()
                .all(|cell| there(cell) == colour)
                .then_some(colour)
        }
    };
    Some(Look {
        is_right: cells.iter().all(|cell| there(cell) == cell.2),
        colour,
        cells,
    })
}

/// The changed cells that a right drawing explains.
fn explained(world: &World, goal: &Goal, k: usize, cells: &[Cell], erases: bool) -> Vec<u32> {
    let demo = world.scene_of[k];
    let (output, scene, numbers) = (&goal.outputs[demo], world.scene(k), &goal.numbers[demo]);
    let drawn = cells
        .iter()
        .filter_map(|cell| numbers[scene.place(cell.0, cell.1)?]);
    let mut all: Vec<u32> = drawn.collect();
    if erases {
        let own = world.things[k].cells.iter();
        let gone = own.filter_map(|cell| {
            let at = scene.place(cell.0, cell.1)?;
            numbers[at].filter(|_| output[at] == scene.back)
        });
        all.extend(gone);
    }
    all.sort_unstable();
    all.dedup();
    all
}
