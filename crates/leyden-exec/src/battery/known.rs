//! Results that a cache keeps from earlier batteries.

use leyden_dsl::fault::Fault;
use leyden_lang::{NodeId, Operand};

use crate::battery::BatteryPlan;
use crate::battery::neighbours::Layers;
use crate::cache::{Cache, Keys, KnownNode, OfSample, key_of_sample};
use crate::engine::{Engine, Sample};
use crate::outcome::Ran;
use crate::vm::run::ready::Act;
use crate::vm::values::portable::Plain;
use crate::vm::{Val, Vm};

/// A cache's entries for a sample, by the programs and nodes of a battery.
pub(super) struct Known<'k> {
    cache: &'k Cache,
    keys: &'k Keys,
    sample: u128,
    of_sample: OfSample,
}

impl<'k> Known<'k> {
    pub(super) fn about(sample: &Sample<'_>, cache: &'k Cache, keys: &'k Keys) -> Known<'k> {
        let sample = key_of_sample(sample);
        Known {
            cache,
            keys,
            sample,
            of_sample: cache.lend(sample),
        }
    }

    pub(super) fn give_back(self) {
        self.cache.take_back(self.sample, self.of_sample);
    }

    pub(super) fn outcome(&mut self, program: usize, engine: &Engine) -> Option<Ran> {
        self.of_sample.outcome(self.keys.program(program, engine))
    }

    pub(super) fn keep_outcome(&mut self, program: usize, engine: &Engine, ran: &Ran) {
        if ran.outcome.fault() != Some(Fault::Cancelled) {
            let key = self.keys.program(program, engine);
            self.of_sample.keep_outcome(key, ran);
        }
    }

    pub(super) fn keep_node(&mut self, node: NodeId, value: &Val<'_>, fuel: u64) {
        let value = Plain::of(value);
        let known = KnownNode { fuel, value };
        self.of_sample
            .keep_node(self.keys.nodes[node.index()], known);
    }
}

/// The lines of a program that need not run, because a cache knows them.
#[derive(Debug, Default)]
pub(super) struct Todo {
    /// For each node the last program that needed its value.
    needed_by: Vec<u64>,
    n_programs: u64,
    /// For each line the fuel that it would take, if it need not run.
    skipped: Vec<Option<u64>>,
}

impl Todo {
    #[inline]
    pub(super) fn fuel_if_skipped(&self, line: usize) -> Option<u64> {
        self.skipped.get(line).copied().flatten()
    }

    /// Walks through a program from its end. A known line whose value no other line needs is skipped. A
    /// known value takes its place. Any other line needs its operands.
    pub(super) fn look_up<'o, 'a, 't: 'a>(
        &mut self,
        plan: &BatteryPlan,
        program: usize,
        known: &mut Known<'_>,
        layers: &mut Layers<'_, 'a, 't>,
        row: &mut [Val<'o>],
        vm: &mut Vm<'o>,
    ) {
        let ready = &plan.graph.programs()[program];
        self.n_programs += 1;
        self.needed_by.resize(plan.battery.nodes.len(), 0);
        self.skipped.clear();
        self.skipped.resize(ready.lines.len(), None);
        self.need([plan.battery.outs[program].output]);
        let mut n_hits = 0;
        let mut n_misses = 0;
        for (k, line) in ready.lines.iter().enumerate().rev() {
            let node = NodeId(line.node);
            let is_needed = self.needed_by[node.index()] == self.n_programs;
            if let Act::Shared(k) = line.act
                && !layers.is_pending(k)
            {
                continue;
            }
            match known.of_sample.node(known.keys.nodes[node.index()]) {
                Some(node) if !is_needed => self.skipped[k] = Some(node.fuel),
                Some(KnownNode {
                    fuel,
                    value: Some(value),
                }) => match line.act {
                    Act::Shared(k) => layers.set(plan, k, ready.dialect, value, *fuel),
                    _ => {
                        row[k] = vm.value_of(ready.dialect, value);
                        self.skipped[k] = Some(*fuel);
                    }
                },
                _ => {
                    n_misses += 1;
                    self.need(plan.battery.nodes[node.index()].op.operands());
                    continue;
                }
            }
            n_hits += 1;
        }
        known.of_sample.count_nodes(n_hits, n_misses);
    }

    fn need(&mut self, operands: impl IntoIterator<Item = Operand>) {
        for operand in operands {
            if let Operand::Var(k) = operand {
                self.needed_by[k as usize] = self.n_programs;
            }
        }
    }
}
