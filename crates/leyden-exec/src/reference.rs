//! The reference engine: one operation after the other, exactly as CPython would.
//!
//! A program's nodes run in the order of its lines, until one faults. In a battery the engine keeps the
//! value or fault of each node with the fuel it took, so the next program that meets the node pays for
//! it without running it again. Fuel adds up node by node, and nothing else in a node depends on
//! the nodes before it. Hence every program ends exactly as it ends alone.

mod operation;
mod script;

use std::cell::OnceCell;

use leyden_dsl::cx::Cx;
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, Meter};
use leyden_dsl::value::Value;
use leyden_lang::{Input, Op, Operand, Program};

use crate::engine::Sample;
use crate::outcome::{Outcome, Ran};
use crate::record::{self, Work};
use crate::vm::run::graph::{Level, Place};
use operation::{constant, input_value, value_of};
use script::{Alone, Line, Script};

pub(crate) use script::OfBattery;

/// Runs a program on a sample.
pub fn run(program: &Program, sample: &Sample<'_>, fuel: u64, cancel: &CancelToken) -> Outcome {
    run_metered(program, sample, fuel, cancel).outcome
}

/// Runs a program on a sample, and returns the fuel too.
pub fn run_metered(program: &Program, sample: &Sample<'_>, fuel: u64, cancel: &CancelToken) -> Ran {
    Reference::default().run(&Alone(program), sample, fuel, cancel)
}

/// Runs a program and returns every value on the way: those of the lines, in their order, and the
/// result. A line that faults is the last.
pub fn trace(
    program: &Program,
    sample: &Sample<'_>,
    fuel: u64,
    cancel: &CancelToken,
) -> Vec<Result<Value, Fault>> {
    let mut reference = Reference::default();
    let end = reference.run_lines(&Alone(program), sample, &mut { fuel }, cancel);
    let values = reference.own.drain(..).filter_map(|slot| match slot {
        Slot::Done(Ok(value), _) => Some(Ok(value)),
        _ => None,
    });
    let end = end.map_err(|(fault, _)| fault);
    values.chain([end]).collect()
}

/// The most parts of values that the engine keeps for other programs; a part takes some tens of bytes.
/// Beyond that it forgets all values at once: a value that is made again is not the object that
/// other values still hold.
const MOST_PARTS: u64 = 1 << 20;

/// The engine's knowledge of a node.
#[derive(Clone, Debug, Default)]
enum Slot {
    #[default]
    Unknown,
    /// It ends like this and takes so much fuel.
    Done(Result<Value, Fault>, u64),
    /// So much fuel is not enough.
    NeedsMoreThan(u64),
}

impl Slot {
    fn n_parts(&self) -> u64 {
        match self {
            Slot::Done(Ok(value), _) => u64::from(value.n_parts()),
            _ => 0,
        }
    }
}

/// The reference engine on one thread, with the results it keeps.
#[derive(Debug, Default)]
pub(crate) struct Reference {
    shared: Vec<Slot>,
    /// The results of the lines that only the running program needs.
    own: Vec<Slot>,
    /// The shared nodes with a result, by level.
    known: [Vec<u32>; 3],
    inputs: [OnceCell<Result<Value, Fault>>; 3],
    n_parts: u64,
    n_computed: u64,
}

impl Reference {
    /// Forgets the results that depend on the input grid.
    pub(crate) fn next_input(&mut self) {
        self.forget(Level::Input);
        self.inputs[Input::I as usize] = OnceCell::new();
    }

    /// Forgets all results at the end of a task, constants too, so that no run depends on the tasks that
    /// this thread had before.
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

    /// The number of nodes that it computed so far.
    pub(crate) fn n_computed(&self) -> u64 {
        self.n_computed
    }

    /// Runs a program on the sample of the kept results.
    pub(crate) fn run(
        &mut self,
        script: &impl Script,
        sample: &Sample<'_>,
        fuel: u64,
        cancel: &CancelToken,
    ) -> Ran {
        let mut left = fuel;
        let ended = self.run_lines(script, sample, &mut left, cancel);
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

    /// Takes the results that only this program needs, with the nodes that made them.
    fn own_values<'s>(
        &mut self,
        script: &'s impl Script,
    ) -> impl Iterator<Item = (u32, &'s Op, Slot)> {
        let own = &mut self.own;
        script.lines().filter_map(|line| match line.place {
            Place::Own(k) => {
                let slot = std::mem::take(own.get_mut(k as usize)?);
                Some((line.node, line.op, slot))
            }
            Place::Shared(_) => None,
        })
    }

    /// Runs the lines of a program in their order, until one faults, and returns the program's output.
    fn run_lines(
        &mut self,
        script: &impl Script,
        sample: &Sample<'_>,
        left: &mut u64,
        cancel: &CancelToken,
    ) -> Result<Value, (Fault, u32)> {
        self.shared.resize(script.n_shared(), Slot::Unknown);
        for line in script.lines() {
            self.settle(script, &line, sample, *left, cancel);
            self.pay_for(line.place, left)
                .map_err(|fault| (fault, line.number))?;
        }
        let output = self.read(script, script.output(), sample);
        output.map_err(|fault| (fault, script.n_lines()))
    }

    /// Takes the fuel of a settled node; its fault if it has one.
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

    /// Runs a node unless its result is known. A cancelled node stays unknown.
    fn settle(
        &mut self,
        script: &impl Script,
        line: &Line<'_>,
        sample: &Sample<'_>,
        left: u64,
        cancel: &CancelToken,
    ) {
        match self.slot(line.place) {
            Slot::Done(..) => return,
            Slot::NeedsMoreThan(fuel) if left <= *fuel => return,
            _ => {}
        }
        let mut cx = Cx {
            meter: Meter::new(left, cancel.clone()),
            dialect: line.dialect,
            observer: record::observer(),
        };
        self.n_computed += 1;
        let result = record::on_reference_line(line.node, line.op, || {
            value_of(&mut cx, line.op, |operand| {
                self.read(script, operand, sample)
            })
        });
        let slot = match result {
            Err(Fault::Cancelled) => return,
            Err(Fault::Fuel) => Slot::NeedsMoreThan(left),
            result => Slot::Done(result, cx.meter.used()),
        };
        self.keep(script, line.place, slot);
    }

    fn keep(&mut self, script: &impl Script, place: Place, slot: Slot) {
        match place {
            Place::Shared(k) => {
                self.n_parts += slot.n_parts();
                if let Slot::Unknown = self.shared[k as usize] {
                    self.known[script.level(k) as usize].push(k);
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

    fn read(
        &self,
        script: &impl Script,
        operand: &Operand,
        sample: &Sample<'_>,
    ) -> Result<Value, Fault> {
        match operand {
            Operand::Var(k) => match self.slot(script.place(*k)) {
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
