//! The nodes of a battery, run one after the other for a sample.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_dsl::table::{Dialect, Prim};
use leyden_lang::{Battery, Input, NodeId, Op, Operand};
use leyden_profile::model::SlowReason;

use crate::outcome::{Outcome, Ran};
use crate::record::{Key, Label};
use crate::vm::run::program::outcome;
use crate::vm::run::reference_call::MOST_PARTS_IN_ALL;
use crate::vm::values::arena::bytes_used;
use crate::vm::values::inputs::{Inputs, constant};
use crate::vm::values::portable::Plain;
use crate::vm::values::value::{Arena, Val};
use crate::vm::{EXACT, Memo, R, Stop, Vm};

/// Why a node has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poison {
    /// CPython raises this, too.
    Fault(Fault),
    /// Only the exact engine can tell.
    Unsure,
    /// Something it reads has no value.
    Inherited,
    /// It has not run yet.
    Pending,
}

/// What became of a node, and the fuel that took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<'a> {
    pub(crate) value: Result<Val<'a>, Poison>,
    pub(crate) fuel: u64,
}

impl State<'_> {
    /// A node that has not run yet.
    pub(crate) const PENDING: State<'static> = State {
        value: Err(Poison::Pending),
        fuel: 0,
    };

    pub(crate) fn is_pending(&self) -> bool {
        matches!(self.value, Err(Poison::Pending))
    }

    /// Can only the exact engine tell what becomes of it?
    pub(crate) fn is_unsure(&self) -> bool {
        !matches!(self.value, Ok(_) | Err(Poison::Fault(_)))
    }

    /// How a run ends in this node, if so much was spent with it and no more than that may be.
    pub(crate) fn end_of_run(&self, line: u32, spent: u64, most: u64) -> Option<Ran> {
        let fault = self.value.err();
        if spent > most || fault == Some(Poison::Fault(Fault::Fuel)) {
            return Some(Ran::out_of_fuel(line, most));
        }
        let Some(Poison::Fault(fault)) = fault else {
            return None;
        };
        Some(Ran {
            outcome: Outcome::Fault { fault, line },
            fuel: spent,
        })
    }
}

/// What a node's value depends on; it is computed once for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing.
    Battery,
    /// The task: `S` and `C`.
    Task,
    /// The input grid.
    Input,
}

/// Where a node's state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// With those that several programs need, or that do not depend on the input grid.
    Shared(u32),
    /// With those of the only program that needs it, for as long as that program runs.
    Own(u32),
}

/// Where an argument comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Node(Place),
    Input(Input),
    Constant(Val<'static>),
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Call(Prim),
    /// Calls its first argument with the others.
    CallValue,
    Tuple,
    Copy,
}

impl Action {
    /// What the recorder calls it.
    fn label(self) -> Label {
        match self {
            Action::Call(prim) => Label::Prim(prim),
            Action::CallValue => Label::Call,
            Action::Tuple => Label::Tuple,
            Action::Copy => Label::Copy,
        }
    }
}

#[derive(Clone, Debug)]
struct Step {
    action: Action,
    dialect: Dialect,
    first: u32,
    n_args: u32,
    /// Its number in the battery.
    node: u32,
}

/// Nodes that run one after the other.
#[derive(Debug, Default)]
struct Block {
    steps: Vec<Step>,
    sources: Vec<Source>,
}

/// A battery's nodes, ready to run. Those that only one program needs run with that program, in
/// an arena that the next program uses again: it stays small and warm.
#[derive(Debug)]
pub(crate) struct Graph {
    shared: [Block; 3],
    /// For each shared node its level, and its place in the block of that level.
    shared_at: Vec<(Level, u32)>,
    own: Vec<Block>,
    places: Vec<Place>,
}

/// The states that a program can see.
pub(crate) struct States<'s, 'a> {
    pub(crate) shared: &'s [State<'a>],
    pub(crate) own: &'s mut [State<'a>],
}

impl<'a> States<'_, 'a> {
    pub(crate) fn get(&self, place: Place) -> &State<'a> {
        match place {
            Place::Shared(k) => &self.shared[k as usize],
            Place::Own(k) => &self.own[k as usize],
        }
    }

    #[inline]
    fn read(&self, source: &Source, inputs: &Inputs<'a>) -> Result<Val<'a>, Poison> {
        match source {
            Source::Node(place) => self.get(*place).value.map_err(|_| Poison::Inherited),
            Source::Input(input) => Ok(inputs.get(*input)),
            Source::Constant(value) => Ok(*value),
        }
    }
}

/// Who needs a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    Program(u32),
    Several,
}

impl Owner {
    fn or(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::Nobody, owner) | (owner, Owner::Nobody) => owner,
            (a, b) if a == b => a,
            _ => Owner::Several,
        }
    }
}

/// The owner of each node: programs own their lines, and what these read.
fn owners(battery: &Battery) -> Vec<Owner> {
    let mut owners = vec![Owner::Nobody; battery.nodes.len()];
    for (k, out) in battery.outs.iter().enumerate() {
        for operand in out.lines.iter().chain([&out.output]) {
            if let Operand::Var(node) = operand {
                let owner = &mut owners[*node as usize];
                *owner = owner.or(Owner::Program(k as u32));
            }
        }
    }
    for k in (0..battery.nodes.len()).rev() {
        for operand in battery.nodes[k].op.operands() {
            if let Operand::Var(node) = operand {
                owners[node as usize] = owners[node as usize].or(owners[k]);
            }
        }
    }
    owners
}

impl Graph {
    pub(crate) fn new(battery: &Battery) -> Graph {
        let owners = owners(battery);
        let mut graph = Graph {
            shared: Default::default(),
            shared_at: Vec::new(),
            own: battery.outs.iter().map(|_| Block::default()).collect(),
            places: Vec::with_capacity(battery.nodes.len()),
        };
        let mut levels: Vec<Level> = Vec::with_capacity(battery.nodes.len());
        for (node, owner) in battery.nodes.iter().zip(owners) {
            let level_of = |operand: Operand| match operand {
                Operand::Var(k) => levels[k as usize],
                Operand::Input(Input::I) => Level::Input,
                Operand::Input(_) => Level::Task,
                _ => Level::Battery,
            };
            let level = node.op.operands().map(level_of).max();
            let level = level.unwrap_or(Level::Battery);
            levels.push(level);
            graph.push(&node.op, node.dialect, level, owner);
        }
        graph
    }

    fn push(&mut self, op: &Op, dialect: Dialect, level: Level, owner: Owner) {
        if owner == Owner::Nobody {
            // Only nodes that nobody needs read it, and these are not run either.
            return self.places.push(Place::Own(u32::MAX));
        }
        let (action, n_skipped) = match op {
            Op::Call {
                callee: Operand::Prim(prim),
                ..
            } => (Action::Call(*prim), 1),
            Op::Call { .. } => (Action::CallValue, 0),
            Op::Tuple(_) => (Action::Tuple, 0),
            Op::Copy(_) => (Action::Copy, 0),
        };
        let sources: Vec<Source> = op
            .operands()
            .skip(n_skipped)
            .map(|operand| self.source(&operand))
            .collect();
        let (block, place) = match owner {
            Owner::Program(k) if level == Level::Input => {
                let block = &mut self.own[k as usize];
                let place = Place::Own(block.steps.len() as u32);
                (block, place)
            }
            _ => {
                let block = &mut self.shared[level as usize];
                let place = Place::Shared(self.shared_at.len() as u32);
                self.shared_at.push((level, block.steps.len() as u32));
                (block, place)
            }
        };
        block.steps.push(Step {
            action,
            dialect,
            first: block.sources.len() as u32,
            n_args: sources.len() as u32,
            node: self.places.len() as u32,
        });
        block.sources.extend(sources);
        self.places.push(place);
    }

    /// Where a node's state is kept.
    pub(crate) fn place(&self, node: NodeId) -> Place {
        self.places[node.index()]
    }

    /// Where an operand's value is found.
    pub(crate) fn source(&self, operand: &Operand) -> Source {
        match operand {
            Operand::Var(k) => Source::Node(self.places[*k as usize]),
            Operand::Input(input) => Source::Input(*input),
            _ => Source::Constant(constant(operand)),
        }
    }

    /// How many nodes are kept for all programs.
    pub(crate) fn n_shared(&self) -> usize {
        self.shared_at.len()
    }

    /// What a shared node's value depends on.
    pub(crate) fn level(&self, shared: u32) -> Level {
        self.shared_at[shared as usize].0
    }

    /// How many nodes only this program needs.
    pub(crate) fn n_own(&self, program: usize) -> usize {
        self.own[program].steps.len()
    }

    /// Runs all shared nodes that depend on nothing.
    pub(crate) fn run_constants<'a>(&self, vm: &mut Vm<'a>, states: &mut [State<'a>], fuel: u64) {
        for shared in 0..self.n_shared() as u32 {
            if self.level(shared) == Level::Battery {
                self.run_shared(vm, shared, &Inputs::NONE, states, fuel);
            }
        }
    }

    /// Runs a shared node; all that it reads has run.
    pub(crate) fn run_shared<'a>(
        &self,
        vm: &mut Vm<'a>,
        shared: u32,
        inputs: &Inputs<'a>,
        states: &mut [State<'a>],
        fuel: u64,
    ) {
        let (level, at) = self.shared_at[shared as usize];
        let block = &self.shared[level as usize];
        let seen = States {
            shared: states,
            own: &mut [],
        };
        let state = block.run(vm, &block.steps[at as usize], inputs, &seen, fuel);
        states[shared as usize] = state;
    }

    /// Runs a node that only one program needs; all that it reads has run.
    pub(crate) fn run_own<'a>(
        &self,
        vm: &mut Vm<'a>,
        (program, own): (usize, u32),
        inputs: &Inputs<'a>,
        states: &mut States<'_, 'a>,
        fuel: u64,
    ) {
        let block = &self.own[program];
        let state = block.run(vm, &block.steps[own as usize], inputs, states, fuel);
        states.own[own as usize] = state;
    }
}

impl Block {
    #[inline]
    fn run<'a>(
        &self,
        vm: &mut Vm<'a>,
        step: &Step,
        inputs: &Inputs<'a>,
        states: &States<'_, 'a>,
        fuel: u64,
    ) -> State<'a> {
        let is_watched = vm.is_watched();
        if is_watched {
            vm.begin_line(Key::Node(step.node, step.action.label()));
        }
        vm.start_node(step.dialect, fuel);
        let value = match self.value_of(vm, step, inputs, states) {
            Ok(result) => result.map_err(|stop| match stop.take_fault() {
                Some(fault) => Poison::Fault(fault),
                None => Poison::Unsure,
            }),
            Err(poison) => Err(poison),
        };
        if is_watched {
            vm.end_node(step.node, &value);
        }
        State {
            value,
            fuel: match value {
                Err(Poison::Fault(Fault::Fuel)) => fuel,
                _ => fuel - vm.fuel,
            },
        }
    }

    #[inline]
    fn value_of<'a>(
        &self,
        vm: &mut Vm<'a>,
        step: &Step,
        inputs: &Inputs<'a>,
        states: &States<'_, 'a>,
    ) -> Result<R<'a>, Poison> {
        let sources = &self.sources[step.first as usize..][..step.n_args as usize];
        let mut room = [Val::None; 5];
        if sources.len() > room.len() {
            return large_tuple(vm, step, sources, inputs, states);
        }
        for (room, source) in room.iter_mut().zip(sources) {
            *room = states.read(source, inputs)?;
        }
        let args = &room[..sources.len()];
        Ok(match (step.action, args) {
            (Action::Call(prim), _) => vm.call_prim(prim, args),
            (Action::CallValue, [callee, args @ ..]) => vm.call_in_own_line(callee, args),
            (Action::Tuple, _) => {
                let items = vm.arena.alloc_slice_copy(args);
                vm.tuple_of_line(items)
            }
            (Action::Copy, [value]) => Ok(*value),
            _ => Err(EXACT),
        })
    }
}

/// Tuples may have any number of items, and calls any number of arguments that nobody takes.
fn large_tuple<'a>(
    vm: &mut Vm<'a>,
    step: &Step,
    sources: &[Source],
    inputs: &Inputs<'a>,
    states: &States<'_, 'a>,
) -> Result<R<'a>, Poison> {
    let items = sources.iter().map(|source| states.read(source, inputs));
    let items = items.collect::<Result<Vec<_>, _>>()?;
    Ok(match step.action {
        Action::Tuple => vm.tuple_of_line(vm.arena.alloc_slice_copy(&items)),
        _ => Err(EXACT),
    })
}

impl<'a> Vm<'a> {
    /// Gets ready for a node, with a full tank.
    #[inline]
    fn start_node(&mut self, dialect: Dialect, fuel: u64) {
        self.fuel = fuel;
        self.depth = 0;
        self.parts_to_hand_over = MOST_PARTS_IN_ALL;
        self.speak(dialect);
        self.stopped_by = None;
        self.hindrance = SlowReason::Value;
        self.arena_at_start = bytes_used(self.arena);
        debug_assert!(Stop::has_no_fault());
    }

    /// Tells the recorder what became of a node.
    fn end_node(&mut self, node: u32, value: &Result<Val<'a>, Poison>) {
        self.end_line(value);
        if let Err(Poison::Unsure) = value {
            self.note_unsure(node);
        }
    }

    /// An engine for nodes, which bring their own dialect.
    pub(crate) fn for_nodes(arena: Arena<'a>, memo: &'a Memo, cancel: &'a CancelToken) -> Vm<'a> {
        Vm::new(arena, memo, Dialect::ArcDsl, 0, cancel)
    }

    /// The state of a node whose value was kept.
    pub(crate) fn state(&mut self, dialect: Dialect, value: &Plain, fuel: u64) -> State<'a> {
        self.speak(dialect);
        State {
            value: Ok(value.to_val(self.arena)),
            fuel,
        }
    }

    /// The outcome of a value of a dialect, if this engine can tell.
    pub(crate) fn outcome_of(
        &mut self,
        dialect: Dialect,
        source: &Source,
        inputs: &Inputs<'a>,
        states: &States<'_, 'a>,
    ) -> Option<Outcome> {
        let value = states.read(source, inputs).ok()?;
        self.speak(dialect);
        outcome(self, &value)
    }
}
