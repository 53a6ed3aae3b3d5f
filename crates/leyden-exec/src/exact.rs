//! The exact engine for the programs of a battery: what several of them need is worked out once.
//!
//! A program that the fast engine is not sure about is run by the rules of [`crate::reference`]:
//! its nodes in the order of its lines, until one faults. Each node's value or fault is kept with
//! the fuel it took, so the next program that meets the node pays for it without doing it again.
//! Fuel adds up node by node, and nothing else that a node does depends on the nodes before it:
//! hence every program ends exactly as it ends alone.

use std::cell::OnceCell;

use leyden_dsl::cx::Cx;
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, Meter};
use leyden_dsl::value::Value;
use leyden_lang::{Battery, Input, Node, NodeId, Op, Operand};

use crate::engine::Sample;
use crate::outcome::{Outcome, Ran};
use crate::record::{self, Work};
use crate::reference::{constant, input_value, value_of};
use crate::vm::run::graph::{Graph, Level, Place};

/// The parts of values that are kept for other programs; some tens of bytes each. Beyond that
/// everything is forgotten at once: a value that is made again is not the same object as one that
/// parts of other values still hold.
const MOST_PARTS: u64 = 1 << 20;

/// What is known of a node.
#[derive(Clone, Debug, Default)]
enum Slot {
    #[default]
    Unknown,
    /// It ends like this and takes so much fuel.
    Done(Result<Value, Fault>, u64),
    /// So much fuel is not enough.
    NeedsMoreThan(u64),
}

/// A node that a program needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) node: NodeId,
    pub(crate) place: Place,
    /// The line of the program that it is for.
    pub(crate) line: u32,
}

/// A program in terms of a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script<'p> {
    pub(crate) battery: &'p Battery,
    pub(crate) graph: &'p Graph,
    pub(crate) steps: &'p [Step],
    pub(crate) output: &'p Operand,
    pub(crate) n_lines: u32,
}

/// Exact results of nodes, for one thread.
#[derive(Debug, Default)]
pub(crate) struct Exact {
    shared: Vec<Slot>,
    /// The nodes that only the program needs which runs at the moment.
    own: Vec<Slot>,
    /// The shared nodes of a level of which something is known.
    known: [Vec<u32>; 3],
    inputs: [OnceCell<Result<Value, Fault>>; 3],
    n_parts: u64,
    n_computed: u64,
}

impl Exact {
    /// Forgets what depends on the input grid.
    pub(crate) fn next_input(&mut self) {
        self.forget(Level::Input);
        self.inputs[Input::I as usize] = OnceCell::new();
    }

    /// Forgets everything. Constants too, at the end of a task: so what is computed for the next
    /// does not depend on the tasks that this thread had before.
    pub(crate) fn clear(&mut self) {
        for level in [Level::Input, Level::Task, Level::Battery] {
            self.forget(level);
        }
        self.inputs = Default::default();
        self.n_parts = 0;
    }

    fn forget(&mut self, level: Level) {
        for k in self.known[level as usize].drain(..) {
            let slot = std::mem::take(&mut self.shared[k as usize]);
            self.n_parts = self.n_parts.saturating_sub(slot.n_parts());
        }
    }

    /// How many nodes were computed so far.
    pub(crate) fn n_computed(&self) -> u64 {
        self.n_computed
    }

    /// Runs a program on the sample for which everything is kept.
    pub(crate) fn run(
        &mut self,
        script: &Script<'_>,
        sample: &Sample<'_>,
        fuel: u64,
        cancel: &CancelToken,
    ) -> Ran {
        self.shared.resize(script.graph.n_shared(), Slot::Unknown);
        let mut left = fuel;
        let ended = self.go_through(script, sample, &mut left, cancel);
        record::freeing(self.own_values(script));
        self.own.clear();
        if self.n_parts > MOST_PARTS {
            self.clear();
        }
        Ran {
            outcome: match ended {
                Ok(value) => {
                    record::work(Work::Outcomes);
                    Outcome::of_value(&value)
                }
                Err((fault, line)) => Outcome::Fault { fault, line },
            },
            fuel: fuel - left,
        }
    }

    /// Takes what only this program needs, with the nodes that gave it.
    fn own_values<'s>(
        &mut self,
        script: &'s Script<'_>,
    ) -> impl Iterator<Item = (u32, &'s Op, Slot)> {
        let own = &mut self.own;
        script.steps.iter().filter_map(|step| match step.place {
            Place::Own(k) => {
                let slot = std::mem::take(own.get_mut(k as usize)?);
                Some((
                    step.node.0,
                    &script.battery.nodes[step.node.index()].op,
                    slot,
                ))
            }
            Place::Shared(_) => None,
        })
    }

    fn go_through(
        &mut self,
        script: &Script<'_>,
        sample: &Sample<'_>,
        left: &mut u64,
        cancel: &CancelToken,
    ) -> Result<Value, (Fault, u32)> {
        for step in script.steps {
            self.settle(script, step, sample, *left, cancel);
            self.pay_for(step.place, left)
                .map_err(|fault| (fault, step.line))?;
        }
        let output = self.read(script.graph, script.output, sample);
        output.map_err(|fault| (fault, script.n_lines))
    }

    /// Takes the fuel of a node that was looked at; its fault if it has one.
    fn pay_for(&self, place: Place, left: &mut u64) -> Result<(), Fault> {
        match self.slot(place) {
            Slot::Done(result, fuel) if *fuel <= *left => {
                *left -= fuel;
                result.as_ref().map(|_| ()).map_err(|fault| *fault)
            }
            Slot::Unknown => Err(Fault::Cancelled),
            _ => {
                *left = 0;
                Err(Fault::Fuel)
            }
        }
    }

    /// Finds out what becomes of a node, unless that is known; a cancelled one stays unknown.
    fn settle(
        &mut self,
        script: &Script<'_>,
        step: &Step,
        sample: &Sample<'_>,
        left: u64,
        cancel: &CancelToken,
    ) {
        match self.slot(step.place) {
            Slot::Done(..) => return,
            Slot::NeedsMoreThan(fuel) if left <= *fuel => return,
            _ => {}
        }
        let node = &script.battery.nodes[step.node.index()];
        let mut cx = Cx {
            meter: Meter::new(left, cancel.clone()),
            dialect: node.dialect,
            observer: record::observer(),
        };
        let result = record::on_reference_line(step.node.0, &node.op, || {
            self.compute(&mut cx, script.graph, node, sample)
        });
        let slot = match result {
            Err(Fault::Cancelled) => return,
            Err(Fault::Fuel) => Slot::NeedsMoreThan(left),
            result => Slot::Done(result, cx.meter.used()),
        };
        self.keep(script.graph, step.place, slot);
    }

    fn compute(
        &mut self,
        cx: &mut Cx,
        graph: &Graph,
        node: &Node,
        sample: &Sample<'_>,
    ) -> Result<Value, Fault> {
        self.n_computed += 1;
        value_of(cx, &node.op, |operand| self.read(graph, operand, sample))
    }

    fn keep(&mut self, graph: &Graph, place: Place, slot: Slot) {
        match place {
            Place::Shared(k) => {
                self.n_parts += slot.n_parts();
                if let Slot::Unknown = self.shared[k as usize] {
                    self.known[graph.level(k) as usize].push(k);
                }
                self.shared[k as usize] = slot;
            }
            Place::Own(k) => {
                if self.own.len() <= k as usize {
                    self.own.resize(k as usize + 1, Slot::Unknown);
                }
                self.own[k as usize] = slot;
            }
        }
    }

    fn slot(&self, place: Place) -> &Slot {
        match place {
            Place::Shared(k) => &self.shared[k as usize],
            Place::Own(k) => self.own.get(k as usize).unwrap_or(&Slot::Unknown),
        }
    }

    fn read(&self, graph: &Graph, operand: &Operand, sample: &Sample<'_>) -> Result<Value, Fault> {
        match operand {
            Operand::Var(k) => match self.slot(graph.place(NodeId(*k))) {
                Slot::Done(result, _) => result.clone(),
                // Scripts name nodes after all that these read.
                _ => Err(Fault::Cancelled),
            },
            Operand::Input(input) => self.inputs[*input as usize]
                .get_or_init(|| input_value(*input, sample))
                .clone(),
            _ => Ok(constant(operand)),
        }
    }
}

impl Slot {
    fn n_parts(&self) -> u64 {
        match self {
            Slot::Done(Ok(value), _) => u64::from(value.n_parts()),
            _ => 0,
        }
    }
}
