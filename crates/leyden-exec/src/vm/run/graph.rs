//! The compiled form of a battery: a compiled program each, and the nodes that several share.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_dsl::table::Dialect;
use leyden_lang::{Battery, Input, Node, NodeId, Operand, Scripted, Scripts};
use leyden_profile::model::SlowReason;

use crate::vm::run::program::NoValue;
use crate::vm::run::ready::{Act, Compiler, Line, Ready, row_of_values};
use crate::vm::run::reference_call::MOST_PARTS_IN_ALL;
use crate::vm::values::arena::bytes_used;
use crate::vm::values::inputs::Inputs;
use crate::vm::values::portable::Plain;
use crate::vm::values::value::{Arena, Val};
use crate::vm::{Memo, Stop, Vm};

/// The input that a node depends on. The node runs once for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing.
    Battery,
    /// The task: `S` and `C`.
    Task,
    /// The input grid.
    Input,
}

/// Where the result of a node is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// With the results that several programs need or that do not depend on the input grid.
    Shared(u32),
    /// With the results of the one program that needs it, while that program runs; the number of the
    /// program's line.
    Own(u32),
}

/// A battery, compiled. Nodes that only one program needs run with that program, in an arena that the
/// next program uses again: it stays small and in the processor's cache.
#[derive(Debug)]
pub(crate) struct Graph {
    programs: Vec<Ready>,
    shared: Vec<Shared>,
    /// The constants that shared nodes read.
    constants: Vec<Val<'static>>,
    /// For each node of the battery.
    places: Vec<Place>,
}

/// A node that several programs share.
#[derive(Debug)]
struct Shared {
    line: Line,
    /// The shared nodes that it reads.
    reads: Box<[u32]>,
    dialect: Dialect,
    level: Level,
}

/// The programs that need a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    None,
    Program(u32),
    Several,
}

impl Owner {
    fn or(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::None, owner) | (owner, Owner::None) => owner,
            (a, b) if a == b => a,
            _ => Owner::Several,
        }
    }
}

/// The owner of each node: programs own their lines and the nodes that these read.
fn owners(battery: &Battery) -> Vec<Owner> {
    let mut owners = vec![Owner::None; battery.nodes.len()];
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

/// The level of each node: the highest of its operands.
fn levels(battery: &Battery) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::with_capacity(battery.nodes.len());
    for node in &battery.nodes {
        let level_of = |operand: Operand| match operand {
            Operand::Var(k) => levels[k as usize],
            Operand::Input(Input::I) => Level::Input,
            Operand::Input(_) => Level::Task,
            _ => Level::Battery,
        };
        let level = node.op.operands().map(level_of).max();
        levels.push(level.unwrap_or(Level::Battery));
    }
    levels
}

/// The shared nodes of a battery, in their order, with their levels.
fn shared_nodes(battery: &Battery) -> Vec<(NodeId, Level)> {
    let owners = owners(battery).into_iter();
    let nodes = (0..).map(NodeId).zip(owners).zip(levels(battery));
    let is_shared = |owner: Owner, level: Level| match owner {
        Owner::None => false,
        Owner::Program(_) => level < Level::Input,
        Owner::Several => true,
    };
    let shared = nodes.filter(|((_, owner), level)| is_shared(*owner, *level));
    shared.map(|((node, _), level)| (node, level)).collect()
}

impl Graph {
    pub(crate) fn new(battery: &Battery) -> Graph {
        let shared = shared_nodes(battery);
        let mut scripts = Scripts::new(battery);
        let scripts: Vec<Vec<Scripted>> =
            (0..battery.outs.len()).map(|k| scripts.script(k)).collect();
        let places = places(battery.nodes.len(), &shared, &scripts);
        let (shared, constants) = compile_shared(battery, &shared, &places);
        let mut line_of = vec![0; battery.nodes.len()];
        let mut compile = |(k, script): (usize, &Vec<Scripted>)| {
            compile(battery, k, script, &places, &mut line_of)
        };
        Graph {
            programs: scripts.iter().enumerate().map(&mut compile).collect(),
            shared,
            constants,
            places,
        }
    }

    /// The programs, compiled.
    pub(crate) fn programs(&self) -> &[Ready] {
        &self.programs
    }

    /// Where the result of a node is kept.
    pub(crate) fn place(&self, node: NodeId) -> Place {
        self.places[node.index()]
    }

    /// The number of shared nodes.
    pub(crate) fn n_shared(&self) -> usize {
        self.shared.len()
    }

    /// The level of a shared node.
    pub(crate) fn level(&self, shared: u32) -> Level {
        self.shared[shared as usize].level
    }

    /// The number of a shared node in the battery.
    pub(crate) fn node(&self, shared: u32) -> u32 {
        self.shared[shared as usize].line.node
    }

    /// Runs all shared nodes that depend on nothing.
    pub(crate) fn run_constants<'a>(&self, vm: &mut Vm<'a>, results: &mut Results<'a>, fuel: u64) {
        for (k, node) in (0..).zip(&self.shared) {
            let has_value = |k: &u32| results.has_value(*k);
            if node.level == Level::Battery && node.reads.iter().all(has_value) {
                self.run_shared(vm, k, results, fuel);
            }
        }
    }

    /// Runs a shared node with a full tank; all nodes that it reads have a value.
    pub(crate) fn run_shared<'a>(
        &self,
        vm: &mut Vm<'a>,
        shared: u32,
        results: &mut Results<'a>,
        fuel: u64,
    ) {
        let node = &self.shared[shared as usize];
        vm.start_node(node.dialect, fuel);
        debug_assert!(node.reads.iter().all(|k| results.has_value(*k)));
        let result = vm.run_line(&node.line, results.row);
        let end = match result {
            Ok(value) => {
                results.row[shared as usize] = value;
                Ok(())
            }
            Err(stop) => Err(vm.end_of_node(stop, node.line.node)),
        };
        let fuel = match end {
            Err(NoValue::Fault(Fault::Fuel)) => fuel,
            _ => fuel - vm.fuel,
        };
        results.states[shared as usize] = State::Done { end, fuel };
    }
}

fn places(n: usize, shared: &[(NodeId, Level)], scripts: &[Vec<Scripted>]) -> Vec<Place> {
    // Nodes that no program needs keep this place. Only such nodes read them, and none of them runs.
    let mut places = vec![Place::Own(0); n];
    for script in scripts {
        for (k, scripted) in (0..).zip(script) {
            places[scripted.node.index()] = Place::Own(k);
        }
    }
    for (k, (node, _)) in (0..).zip(shared) {
        places[node.index()] = Place::Shared(k);
    }
    places
}

fn compile_shared(
    battery: &Battery,
    shared: &[(NodeId, Level)],
    places: &[Place],
) -> (Vec<Shared>, Vec<Val<'static>>) {
    let slot = |k: u32| match places[k as usize] {
        Place::Shared(k) | Place::Own(k) => k,
    };
    let mut compiler = Compiler::new(Dialect::ArcDsl, shared.len(), slot);
    let mut compiled = |(id, level): &(NodeId, Level)| {
        let Node { op, dialect } = &battery.nodes[id.index()];
        compiler.speak(*dialect);
        let reads = op.operands().filter_map(|operand| match operand {
            Operand::Var(k) => Some(slot(k)),
            _ => None,
        });
        Shared {
            reads: reads.collect(),
            line: Line {
                act: compiler.act(op),
                number: 0,
                node: id.0,
            },
            dialect: *dialect,
            level: *level,
        }
    };
    let compiled = shared.iter().map(&mut compiled).collect();
    (compiled, compiler.constants)
}

/// Compiles a program of a battery. `line_of` is room for the program's line of each node.
fn compile(
    battery: &Battery,
    program: usize,
    script: &[Scripted],
    places: &[Place],
    line_of: &mut [u32],
) -> Ready {
    let out = &battery.outs[program];
    for (k, scripted) in (0..).zip(script) {
        line_of[scripted.node.index()] = k;
    }
    let slot = |k: u32| line_of[k as usize];
    let mut compiler = Compiler::new(out.dialect, script.len(), slot);
    let line = |scripted: &Scripted| Line {
        act: match places[scripted.node.index()] {
            Place::Shared(k) => Act::Shared(k),
            Place::Own(_) => compiler.act(&battery.nodes[scripted.node.index()].op),
        },
        number: scripted.line,
        node: scripted.node.0,
    };
    let lines = script.iter().map(line).collect();
    Ready {
        dialect: out.dialect,
        reads_demos: out.inputs.contains(&Input::S),
        output: compiler.slot(&out.output),
        constants: compiler.constants,
        lines,
        n_lines: out.lines.len() as u32,
    }
}

/// The results of shared nodes, for as long as a task or an input grid lasts.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    /// The values of the nodes, then the inputs and the constants that they read.
    pub(crate) row: &'a mut [Val<'a>],
    pub(crate) states: &'a mut [State],
}

impl<'a> Results<'a> {
    /// Results of no node yet.
    pub(crate) fn none(arena: Arena<'a>, graph: &Graph) -> Results<'a> {
        let n_shared = graph.n_shared();
        Results {
            row: row_of_values(arena, n_shared, &Inputs::NONE, &graph.constants),
            states: arena.alloc_slice_fill_copy(n_shared, State::Pending),
        }
    }

    fn has_value(&self, shared: u32) -> bool {
        self.states[shared as usize].has_value()
    }

    /// Results that change no more.
    pub(crate) fn lasting(&self) -> Lasting<'_, 'a> {
        Lasting {
            row: self.row,
            states: self.states,
        }
    }
}

/// [`Results`] that change no more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lasting<'r, 'a> {
    row: &'r [Val<'a>],
    states: &'r [State],
}

impl<'a> Lasting<'_, 'a> {
    /// A copy for other inputs, to which results can be added.
    pub(crate) fn with<'b>(self, arena: Arena<'b>, inputs: &Inputs<'b>) -> Results<'b>
    where
        'a: 'b,
    {
        let row: &mut [Val<'b>] = arena.alloc_slice_copy(self.row);
        let inputs = inputs.all();
        row[self.states.len()..][..inputs.len()].copy_from_slice(inputs);
        Results {
            row,
            states: arena.alloc_slice_copy(self.states),
        }
    }
}

/// The state of a shared node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    /// It has not run.
    Pending,
    /// It ended like this and took so much fuel.
    Done { end: Result<(), NoValue>, fuel: u64 },
}

impl State {
    /// A node that has a value.
    pub(crate) fn with_value(fuel: u64) -> State {
        State::Done { end: Ok(()), fuel }
    }

    pub(crate) fn is_pending(&self) -> bool {
        matches!(self, State::Pending)
    }

    fn has_value(&self) -> bool {
        matches!(self, State::Done { end: Ok(()), .. })
    }
}

impl<'a> Vm<'a> {
    /// An engine for shared nodes, which bring their own dialect and a full tank.
    pub(crate) fn for_nodes(arena: Arena<'a>, memo: &'a Memo, cancel: &'a CancelToken) -> Vm<'a> {
        Vm::new(arena, memo, Dialect::ArcDsl, 0, cancel)
    }

    /// A value that a cache kept.
    pub(crate) fn value_of(&mut self, dialect: Dialect, value: &Plain) -> Val<'a> {
        self.speak(dialect);
        value.to_val(self.arena)
    }

    /// The fuel that is left.
    pub(crate) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Gets ready for a shared node, with a full tank.
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

    #[cold]
    fn end_of_node(&mut self, stop: Stop, node: u32) -> NoValue {
        match stop.take_fault() {
            Some(fault) => NoValue::Fault(fault),
            None => {
                self.note_unsure(node);
                NoValue::Unsure
            }
        }
    }
}
