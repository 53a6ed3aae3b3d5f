//! A battery as one of its programs sees it: results that the program shares with others.

use leyden_dsl::table::Dialect;
use leyden_lang::NodeId;

use crate::battery::known::{Known, Todo};
use crate::battery::{BatteryPlan, Counts};
use crate::record::{self, Work};
use crate::vm::run::graph::{Level, Results, State};
use crate::vm::run::program::{Neighbours, NoValue};
use crate::vm::run::ready::Line;
use crate::vm::values::inputs::Inputs;
use crate::vm::values::portable::Plain;
use crate::vm::{Memo, Val, Vm};

/// Shared nodes on the fast engine, for as long as a task or an input grid lasts.
pub(super) struct Layer<'a> {
    pub(super) results: Results<'a>,
    pub(super) inputs: Inputs<'a>,
    pub(super) vm: Vm<'a>,
}

impl Layer<'_> {
    fn set(&mut self, k: u32, dialect: Dialect, value: &Plain, fuel: u64) {
        self.results.row[k as usize] = self.vm.value_of(dialect, value);
        self.results.states[k as usize] = State::with_value(fuel);
    }
}

/// Everything that the programs of a battery share on a sample.
pub(super) struct Layers<'l, 'a, 't> {
    pub(super) memo: &'a Memo,
    pub(super) of_task: &'l mut Layer<'t>,
    pub(super) of_input: &'l mut Layer<'a>,
}

impl<'a, 't: 'a> Layers<'_, 'a, 't> {
    /// Whether a node has not run for this input grid.
    pub(super) fn is_pending(&self, k: u32) -> bool {
        self.of_input.results.states[k as usize].is_pending()
    }

    /// Sets a node to a value from a cache, in the layer in which the nodes run that read it.
    pub(super) fn set(
        &mut self,
        plan: &BatteryPlan,
        k: u32,
        dialect: Dialect,
        value: &Plain,
        fuel: u64,
    ) {
        if plan.graph.level(k) == Level::Input {
            return self.of_input.set(k, dialect, value, fuel);
        }
        if self.of_task.results.states[k as usize].is_pending() {
            self.of_task.set(k, dialect, value, fuel);
        }
        self.copy_from_task(k);
    }

    fn copy_from_task(&mut self, k: u32) {
        let (results, of_task) = (&mut self.of_input.results, &self.of_task.results);
        results.row[k as usize] = of_task.row[k as usize];
        results.states[k as usize] = of_task.states[k as usize];
    }

    /// Makes sure that a node has run: for the input grid if it depends on that, else for the whole
    /// task. Returns whether it ran just now.
    fn settle(&mut self, plan: &BatteryPlan, k: u32, fuel: u64) -> bool {
        let graph = &plan.graph;
        let Layer { results, vm, .. } = &mut *self.of_input;
        if !results.states[k as usize].is_pending() {
            return false;
        }
        if graph.level(k) == Level::Input {
            graph.run_shared(vm, k, results, fuel);
            return true;
        }
        let of_task = &mut *self.of_task;
        let is_new = of_task.results.states[k as usize].is_pending();
        if is_new {
            graph.run_shared(&mut of_task.vm, k, &mut of_task.results, fuel);
        }
        self.copy_from_task(k);
        is_new
    }
}

/// The battery around a program that runs on a sample.
pub(super) struct InBattery<'n, 'l, 'a, 't, 'k> {
    pub(super) plan: &'n BatteryPlan,
    pub(super) layers: &'n mut Layers<'l, 'a, 't>,
    pub(super) todo: &'n Todo,
    pub(super) known: Option<&'n mut Known<'k>>,
    pub(super) counts: &'n mut Counts,
    /// A full tank.
    pub(super) fuel: u64,
}

impl InBattery<'_, '_, '_, '_, '_> {
    fn count(&mut self, fuel: u64) {
        self.counts.nodes += 1;
        self.counts.fuel = self.counts.fuel.saturating_add(fuel);
    }

    fn keep(&mut self, node: u32, value: &Val<'_>, fuel: u64) {
        if let Some(known) = self.known.as_deref_mut() {
            record::work(Work::Memory);
            known.keep_node(NodeId(node), value, fuel);
        }
    }
}

impl<'o, 'a: 'o, 't: 'a> Neighbours<'o> for InBattery<'_, '_, 'a, 't, '_> {
    #[inline(always)]
    fn fuel_if_skipped(&self, line: usize) -> Option<u64> {
        self.todo.fuel_if_skipped(line)
    }

    fn settle(&mut self, shared: u32) -> (Result<Val<'o>, NoValue>, u64) {
        let is_new = self.layers.settle(self.plan, shared, self.fuel);
        let results = &self.layers.of_input.results;
        let (end, fuel) = match results.states[shared as usize] {
            State::Done { end, fuel } => (end, fuel),
            State::Pending => return (Err(NoValue::Unsure), 0),
        };
        let value = results.row[shared as usize];
        if is_new {
            self.count(fuel);
            if end.is_ok() {
                self.keep(self.plan.graph.node(shared), &value, fuel);
            }
        }
        if end == Err(NoValue::Unsure) {
            record::gave_up(self.plan.graph.node(shared));
        }
        (end.map(|()| value), fuel)
    }

    #[inline]
    fn ran(&mut self, line: &Line, value: Option<&Val<'o>>, fuel: u64) {
        self.count(fuel);
        if let Some(value) = value {
            self.keep(line.node, value, fuel);
        }
    }
}
