//! The pictures that moves reach from the inputs, in the order of cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::rc::Rc;

use leyden_exec::{Counts, Engine, Mode, Outcome, Seen, Worker};
use leyden_grid::{Grid, Puzzle};
use rustc_hash::FxHashMap;

use super::effort::Effort;
use super::moves::Kit;
use super::price::Tenths;

/// The index of a picture in the pool.
pub(crate) type Picture = u32;

/// The index of a state in [`States`].
pub(crate) type StateId = u32;

/// The number of states between two looks at the clock.
pub(crate) const STATES_PER_LOOK: u32 = 256;
/// The number of states that are compared with the outputs even without effort left: they are paid
/// for.
pub(crate) const ALWAYS_TRIED: StateId = 4096;
/// The memory for results of moves. When it is full, they are computed again.
const RESULT_BYTES: usize = 100 << 20;
/// The memory of a picture in addition to its cells, and of a state in addition to its pictures:
/// boxes, places in tables.
const PICTURE_BYTES: usize = 128;
const STATE_BYTES: usize = 160;

/// The price of moves from a picture that another part of the search made. There are many, and moves
/// from the inputs come before.
const TOLD_COST: Tenths = 45;

/// The result of a sequence of moves on all inputs at once.
#[derive(Debug)]
pub(crate) struct State {
    /// One picture for each demonstration, then one for each test input.
    pub(crate) pictures: Box<[Picture]>,
    pub(crate) cost: Tenths,
    pub(crate) from: Origin,
}

/// The way to a state.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// The inputs themselves.
    Inputs,
    /// A move from the previous state.
    Move(StateId, u32),
    /// Another part of the search tells the program.
    Told(Rc<dyn Told>),
}

/// A program from the input to a picture that another part of the search writes when it is needed.
pub(crate) trait Told: fmt::Debug {
    /// The program, as an arc-dsl expression over `I` that gives a grid. Lines before it are
    /// assignments.
    fn text(&self) -> String;

    /// Whether the text is an expression without assignments.
    fn is_expression(&self) -> bool {
        true
    }
}

/// Distinct pictures.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    grids: Vec<Grid>,
    places: FxHashMap<Grid, Picture>,
    n_cells: usize,
}

impl Pool {
    pub(crate) fn put(&mut self, grid: Grid) -> Picture {
        if let Some(known) = self.places.get(&grid) {
            return *known;
        }
        let picture = self.grids.len() as Picture;
        self.n_cells += grid.cells().len();
        self.grids.push(grid.clone());
        self.places.insert(grid, picture);
        picture
    }

    pub(crate) fn get(&self, picture: Picture) -> &Grid {
        &self.grids[picture as usize]
    }
}

/// All states that were reached.
#[derive(Debug)]
pub(crate) struct States {
    pub(crate) pool: Pool,
    pub(crate) all: Vec<State>,
    known: FxHashMap<Box<[Picture]>, StateId>,
    /// The results of the moves on a picture.
    results: FxHashMap<Picture, Box<[Option<Picture>]>>,
    open: BinaryHeap<Reverse<(Tenths, StateId)>>,
}

impl States {
    pub(crate) fn new(puzzle: &Puzzle) -> States {
        let mut pool = Pool::default();
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs = demos.chain(&puzzle.test_inputs);
        let pictures: Box<[Picture]> = inputs.map(|grid| pool.put(grid.clone())).collect();
        let mut states = States {
            pool,
            all: Vec::new(),
            known: FxHashMap::default(),
            results: FxHashMap::default(),
            open: BinaryHeap::new(),
        };
        states.add(pictures, 0, Origin::Inputs);
        states
    }

    fn add(&mut self, pictures: Box<[Picture]>, cost: Tenths, from: Origin) {
        let id = self.all.len() as StateId;
        if self.known.contains_key(&pictures) {
            return;
        }
        let later = match from {
            Origin::Told(_) => TOLD_COST,
            _ => 0,
        };
        self.known.insert(pictures.clone(), id);
        self.all.push(State {
            pictures,
            cost,
            from,
        });
        self.open.push(Reverse((cost + later, id)));
    }

    /// The cost of the cheapest open state.
    pub(crate) fn next_cost(&self) -> Option<Tenths> {
        self.open.peek().map(|Reverse((cost, _))| *cost)
    }

    /// Leaves no state open.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    /// Adds pictures that another part of the search made, one for each demonstration, then one for
    /// each test input.
    pub(crate) fn add_told(&mut self, pictures: &[Picture], cost: Tenths, told: Rc<dyn Told>) {
        self.add(pictures.into(), cost, Origin::Told(told));
    }

    /// Makes all moves from the cheapest open state. Returns false if there is none, or if the
    /// effort does not suffice.
    pub(crate) fn expand(
        &mut self,
        worker: &mut Worker<'_>,
        kit: &Kit,
        is_spent: &dyn Fn(Counts) -> bool,
    ) -> bool {
        let Some(Reverse((cost, id))) = self.open.pop() else {
            return false;
        };
        if self.results.len() * kit.moves.len() * size_of::<Option<Picture>>() > RESULT_BYTES {
            self.results.clear();
        }
        let pictures = self.all[id as usize].pictures.clone();
        for picture in &pictures {
            if !self.look_up(worker, *picture, is_spent) {
                return false;
            }
        }
        let n_moves = pictures.iter().map(|p| self.results[p].len()).min();
        for (k, step) in kit.moves.iter().enumerate().take(n_moves.unwrap_or(0)) {
            let next: Option<Box<[Picture]>> =
                pictures.iter().map(|p| self.results[p][k]).collect();
            if let Some(next) = next {
                self.add(next, cost + step.cost, Origin::Move(id, k as u32));
            }
        }
        true
    }

    /// Makes moves from the inputs: the last ones of the kit, which the worker knows. Adds no
    /// state if `is_enough` holds or the effort is spent before all inputs are done.
    pub(crate) fn leap(
        &mut self,
        worker: &mut Worker<'_>,
        kit: &Kit,
        is_spent: &dyn Fn(Counts) -> bool,
        mut is_enough: impl FnMut(Counts) -> bool,
    ) {
        let mut results = Vec::new();
        for input in self.all[0].pictures.clone() {
            if is_enough(worker.counts()) {
                return;
            }
            let Some(made) = self.made(worker, input, is_spent) else {
                break;
            };
            results.push(made);
        }
        is_enough(worker.counts());
        if results.len() < self.all[0].pictures.len() {
            return;
        }
        let first = kit.moves.len() - worker.n_programs();
        for (k, step) in kit.moves[first..].iter().enumerate() {
            let next: Option<Box<[Picture]>> = results.iter().map(|made| made[k]).collect();
            if let Some(next) = next {
                self.add(next, step.cost, Origin::Move(0, (first + k) as u32));
            }
        }
    }

    fn look_up(
        &mut self,
        worker: &mut Worker<'_>,
        picture: Picture,
        is_spent: &dyn Fn(Counts) -> bool,
    ) -> bool {
        if self.results.contains_key(&picture) {
            return true;
        }
        let results = self.made(worker, picture, is_spent);
        let results = results.map(|results| self.results.insert(picture, results));
        results.is_some()
    }

    /// The results of a worker's moves on a picture; `None` if the effort is spent before.
    fn made(
        &mut self,
        worker: &mut Worker<'_>,
        picture: Picture,
        is_spent: &dyn Fn(Counts) -> bool,
    ) -> Option<Box<[Option<Picture>]>> {
        let grid = self.pool.get(picture).clone();
        let mut results = vec![None; worker.n_programs()].into_boxed_slice();
        let pool = &mut self.pool;
        let mut is_whole = true;
        let wanted = |_, _, counts| {
            is_whole = is_whole && !is_spent(counts);
            is_whole
        };
        worker.run_counted(&Seen::default(), [&grid], wanted, |_, k, ran| {
            if let Outcome::Grid(output) = ran.outcome
                && let Some(output) = output.to_grid()
            {
                results[k] = Some(pool.put(output));
            }
        });
        is_whole.then_some(results)
    }

    /// The pictures of a state, one for each demonstration, then one for each test input.
    pub(crate) fn pictures(&self, id: StateId) -> impl Iterator<Item = &Grid> {
        let pictures = &self.all[id as usize].pictures;
        pictures.iter().map(|picture| self.pool.get(*picture))
    }

    /// Whether its pictures have the sizes of the outputs.
    pub(crate) fn fits(&self, id: StateId, puzzle: &Puzzle) -> bool {
        let outputs = puzzle.demos.iter().map(|pair| pair.output.shape());
        outputs.eq(self.pictures(id).map(Grid::shape).take(puzzle.demos.len()))
    }

    /// Whether there are as many states as an effort allows.
    pub(crate) fn is_full(&self, effort: &Effort<'_>) -> bool {
        self.all.len() >= effort.max_states || self.n_bytes() >= effort.max_bytes
    }

    /// The approximate memory of all states, without the results of moves.
    pub(crate) fn n_bytes(&self) -> usize {
        let of_pool = 2 * self.pool.n_cells + self.pool.grids.len() * PICTURE_BYTES;
        let n_samples = self.all.first().map_or(0, |state| state.pictures.len());
        let of_state = STATE_BYTES + 2 * n_samples * size_of::<Picture>();
        of_pool + self.all.len() * of_state
    }

    /// The program that another part of the search tells, if there is one, and the moves that lead
    /// from there to a state.
    pub(crate) fn path(&self, state: StateId) -> (Option<&Rc<dyn Told>>, Vec<u32>) {
        let mut path = Vec::new();
        let mut at = state;
        let told = loop {
            match &self.all[at as usize].from {
                Origin::Inputs => break None,
                Origin::Told(told) => break Some(told),
                Origin::Move(before, step) => {
                    path.push(*step);
                    at = *before;
                }
            }
        };
        path.reverse();
        (told, path)
    }

    /// Whether the program of a state can stand inside another expression.
    pub(crate) fn is_expression(&self, state: StateId) -> bool {
        self.path(state).0.is_none_or(|told| told.is_expression())
    }

    /// Whether a state stems from a program of another part. Its pictures are not yet checked.
    pub(crate) fn is_told(&self, state: StateId) -> bool {
        self.path(state).0.is_some()
    }
}

/// The engine for moves, with this fuel.
pub(crate) fn engine(fuel: u64) -> Engine {
    Engine {
        fuel,
        mode: Mode::Sure,
        ..Engine::default()
    }
}
