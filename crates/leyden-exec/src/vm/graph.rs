//! The nodes of a battery, run one after the other for a sample.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_dsl::table::{Dialect, Prim};
use leyden_grid::{Grid as TaskGrid, Pair};
use leyden_lang::{Battery, Input, Op, Operand};

use super::run::{demos, grid, outcome};
use super::value::{Arena, Val};
use super::{EXACT, R, Stop, Vm};
use crate::outcome::Outcome;

/// Why a node has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poison {
    /// CPython raises this, too.
    Fault(Fault),
    /// Only the exact engine can tell.
    Unsure,
    /// Something it reads has no value.
    Inherited,
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
        value: Err(Poison::Unsure),
        fuel: 0,
    };
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

/// Where an argument comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Node(u32),
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

#[derive(Clone, Debug)]
struct Step {
    action: Action,
    dialect: Dialect,
    first: u32,
    n_args: u32,
}

/// A battery's nodes, ready to run.
#[derive(Debug)]
pub(crate) struct Graph {
    steps: Vec<Step>,
    sources: Vec<Source>,
    levels: Vec<Level>,
    by_level: [Vec<u32>; 3],
}

/// The grids that the inputs stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    values: [Val<'a>; 3],
}

impl<'a> Inputs<'a> {
    /// No inputs at all.
    pub(crate) const NONE: Inputs<'static> = Inputs {
        values: [Val::None; 3],
    };

    /// What is the same for all inputs of a task.
    pub(crate) fn of_task(
        arena: Arena<'a>,
        pairs: &[Pair],
        expected: Option<&TaskGrid>,
    ) -> Inputs<'a> {
        Inputs {
            values: [
                Val::None,
                demos(arena, pairs),
                expected.map_or(Val::None, |c| grid(arena, c)),
            ],
        }
    }

    /// The same with an input grid.
    pub(crate) fn with(self, arena: Arena<'a>, input: &TaskGrid) -> Inputs<'a> {
        let [_, s, c] = self.values;
        Inputs {
            values: [grid(arena, input), s, c],
        }
    }

    fn get(&self, input: Input) -> Val<'a> {
        match input {
            Input::I => self.values[0],
            Input::S => self.values[1],
            Input::C => self.values[2],
        }
    }
}

impl Graph {
    pub(crate) fn new(battery: &Battery) -> Graph {
        let mut graph = Graph {
            steps: Vec::with_capacity(battery.nodes.len()),
            sources: Vec::with_capacity(3 * battery.nodes.len()),
            levels: Vec::with_capacity(battery.nodes.len()),
            by_level: Default::default(),
        };
        for node in &battery.nodes {
            graph.push(&node.op, node.dialect);
        }
        graph
    }

    fn push(&mut self, op: &Op, dialect: Dialect) {
        let first = self.sources.len();
        let action = match op {
            Op::Call {
                callee: Operand::Prim(prim),
                args,
            } => {
                self.sources.extend(args.iter().map(source));
                Action::Call(*prim)
            }
            _ => {
                self.sources.extend(op.operands().map(|o| source(&o)));
                match op {
                    Op::Call { .. } => Action::CallValue,
                    Op::Tuple(_) => Action::Tuple,
                    Op::Copy(_) => Action::Copy,
                }
            }
        };
        let level = self.sources[first..].iter().map(|s| self.level_of(s)).max();
        let level = level.unwrap_or(Level::Battery);
        self.by_level[level as usize].push(self.steps.len() as u32);
        self.levels.push(level);
        self.steps.push(Step {
            action,
            dialect,
            first: first as u32,
            n_args: (self.sources.len() - first) as u32,
        });
    }

    fn level_of(&self, source: &Source) -> Level {
        match source {
            Source::Node(k) => self.levels[*k as usize],
            Source::Constant(_) => Level::Battery,
            Source::Input(Input::I) => Level::Input,
            Source::Input(_) => Level::Task,
        }
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.steps.len()
    }

    /// Runs all nodes of a level. Gives the fuel that all of them took.
    pub(crate) fn run<'a>(
        &self,
        vm: &mut Vm<'a>,
        level: Level,
        inputs: &Inputs<'a>,
        states: &mut [State<'a>],
        fuel: u64,
    ) -> u64 {
        let mut total = 0u64;
        for k in &self.by_level[level as usize] {
            let step = &self.steps[*k as usize];
            vm.start_node(step.dialect, fuel);
            let value = match self.value_of(vm, step, inputs, states) {
                Ok(result) => result.map_err(|stop| match stop.take_fault() {
                    Some(fault) => Poison::Fault(fault),
                    None => Poison::Unsure,
                }),
                Err(poison) => Err(poison),
            };
            let used = fuel - vm.fuel;
            total = total.saturating_add(used);
            states[*k as usize] = State { value, fuel: used };
        }
        total
    }

    #[inline]
    fn value_of<'a>(
        &self,
        vm: &mut Vm<'a>,
        step: &Step,
        inputs: &Inputs<'a>,
        states: &[State<'a>],
    ) -> Result<R<'a>, Poison> {
        let sources = &self.sources[step.first as usize..][..step.n_args as usize];
        let mut room = [Val::None; 5];
        if sources.len() > room.len() {
            return self.large_tuple(vm, step, inputs, states);
        }
        for (room, source) in room.iter_mut().zip(sources) {
            *room = read(source, inputs, states)?;
        }
        let args = &room[..sources.len()];
        Ok(match (step.action, args) {
            (Action::Call(prim), _) => vm.call_prim(prim, args),
            (Action::CallValue, [callee, args @ ..]) => vm.call(callee, args),
            (Action::Tuple, _) => {
                let items = vm.arena.alloc_slice_copy(args);
                Ok(Val::tuple(vm.arena, items))
            }
            (Action::Copy, [value]) => Ok(*value),
            _ => Err(EXACT),
        })
    }

    /// Tuples may have any number of items, and calls any number of arguments that nobody takes.
    fn large_tuple<'a>(
        &self,
        vm: &mut Vm<'a>,
        step: &Step,
        inputs: &Inputs<'a>,
        states: &[State<'a>],
    ) -> Result<R<'a>, Poison> {
        let sources = &self.sources[step.first as usize..][..step.n_args as usize];
        let items = sources.iter().map(|source| read(source, inputs, states));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        Ok(match step.action {
            Action::Tuple => Ok(Val::tuple(vm.arena, vm.arena.alloc_slice_copy(&items))),
            _ => Err(EXACT),
        })
    }
}

fn source(operand: &Operand) -> Source {
    match operand {
        Operand::Var(k) => Source::Node(*k),
        Operand::Input(input) => Source::Input(*input),
        Operand::Const(id) => Source::Constant(Val::small_constant(id.value())),
        Operand::Int(n) => Source::Constant(Val::Int(*n)),
        Operand::None => Source::Constant(Val::None),
        Operand::Prim(prim) => Source::Constant(Val::Prim(prim.entry())),
    }
}

#[inline]
fn read<'a>(source: &Source, inputs: &Inputs<'a>, states: &[State<'a>]) -> Result<Val<'a>, Poison> {
    match source {
        Source::Node(k) => states[*k as usize].value.map_err(|_| Poison::Inherited),
        Source::Input(input) => Ok(inputs.get(*input)),
        Source::Constant(value) => Ok(*value),
    }
}

impl<'a> Vm<'a> {
    /// Gets ready for a node of its own, with a full tank.
    #[inline]
    fn start_node(&mut self, dialect: Dialect, fuel: u64) {
        self.fuel = fuel;
        self.depth = 0;
        self.dialect = dialect;
        self.stopped_by = None;
        self.arena_at_start = self.arena.allocated_bytes();
        debug_assert!(Stop::has_no_fault());
    }

    /// An engine for nodes, which bring their own dialect.
    pub(crate) fn for_nodes(arena: Arena<'a>, cancel: &CancelToken) -> Vm<'a> {
        Vm::new(arena, Dialect::ArcDsl, 0, cancel.clone())
    }

    /// The outcome of what an operand stands for, if this engine can tell.
    pub(crate) fn outcome_of(
        &mut self,
        operand: &Operand,
        inputs: &Inputs<'a>,
        states: &[State<'a>],
    ) -> Option<Outcome> {
        let value = read(&source(operand), inputs, states).ok()?;
        outcome(self, &value)
    }
}
