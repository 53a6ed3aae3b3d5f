//! Runs all programs of a battery on a sample, each computation once.

mod known;
mod neighbours;

use std::sync::OnceLock;

use leyden_grid::{Grid, Pair};
use leyden_lang::Battery;

use crate::battery::known::{Known, Todo};
use crate::battery::neighbours::{InBattery, Layer, Layers};
use crate::cache::Keys;
use crate::engine::{Engine, Mode, Sample};
use crate::outcome::Outcome;
use crate::outcome::Ran;
use crate::record::{self, Work};
use crate::reference::{OfBattery, Reference};
use crate::vm::run::graph::{Graph, Lasting, Results};
use crate::vm::run::program::{NoValue, run_lines};
use crate::vm::run::ready::{Act, row_of_values};
use crate::vm::values::inputs::Inputs;
use crate::vm::{Memo, Vm, outcome, with_arena};

/// A compiled battery, for any number of threads.
///
/// A node that reads no input runs once for each [`Worker`], a node that reads only the task once for
/// each task, any other node once for each input grid. The lines of a program decide its outcome in
/// their order, so it equals the outcome of the program alone. Where the fast engine is not sure, the
/// reference engine runs that program and no other.
///
/// ```
/// use leyden_exec::{BatteryPlan, Engine, Seen};
/// use leyden_grid::Grid;
/// use leyden_lang::{Battery, Rules, parse};
///
/// let source = "
/// def solve_0a1b2c3d(I):
///     return vmirror(I)
///
/// def solve_1a1b2c3d(I):
///     return hconcat(I, vmirror(I))
/// ";
/// let battery = Battery::from_programs(&parse(source, "mine.py", None).unwrap(), Rules::ALL);
/// let plan = BatteryPlan::new(battery);
/// let input = Grid::from_rows(&[vec![1, 2]]).unwrap();
/// let mut rows = Vec::new();
/// plan.with_worker(&Engine::default(), |worker| {
///     worker.run(&Seen::default(), [&input], |_, program, outcome| {
///         rows.push((program, outcome.to_json()["grid"][0].to_string()));
///     });
/// });
/// assert_eq!(rows, [(0, "[2,1]".to_owned()), (1, "[1,2,2,1]".to_owned())]);
/// ```
#[derive(Debug)]
pub struct BatteryPlan {
    battery: Battery,
    graph: Graph,
    /// Made when a cache asks for them.
    keys: OnceLock<Keys>,
}

/// The parts of a task that programs see beside the input grid. It has no test outputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'t> {
    /// The task's demonstration pairs: `S`.
    pub demos: &'t [Pair],
    /// The expected output, for scoring programs on demonstrations only: `C`.
    pub expected: Option<&'t Grid>,
}

/// Counts of the work done, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Programs run on a sample.
    pub runs: u64,
    /// Those of them that the reference engine ran.
    pub exact_runs: u64,
    /// Nodes computed by the fast engine for a task or an input grid.
    pub nodes: u64,
    /// Nodes computed by the reference engine.
    pub exact_nodes: u64,
    /// The fuel that these nodes took, equal on every machine.
    pub fuel: u64,
}

impl Counts {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            runs: self.runs.saturating_add(other.runs),
            exact_runs: self.exact_runs.saturating_add(other.exact_runs),
            nodes: self.nodes.saturating_add(other.nodes),
            exact_nodes: self.exact_nodes.saturating_add(other.exact_nodes),
            fuel: self.fuel.saturating_add(other.fuel),
        }
    }

    /// The work done after `before`.
    #[must_use]
    pub fn since(self, before: Counts) -> Counts {
        Counts {
            runs: self.runs - before.runs,
            exact_runs: self.exact_runs - before.exact_runs,
            nodes: self.nodes - before.nodes,
            exact_nodes: self.exact_nodes - before.exact_nodes,
            fuel: self.fuel - before.fuel,
        }
    }
}

impl BatteryPlan {
    /// Compiles a battery.
    pub fn new(battery: Battery) -> BatteryPlan {
        BatteryPlan {
            graph: Graph::new(&battery),
            keys: OnceLock::new(),
            battery,
        }
    }

    /// The battery it was made from.
    pub fn battery(&self) -> &Battery {
        &self.battery
    }

    /// Lends a worker, which belongs to one thread.
    pub fn with_worker<T>(&self, engine: &Engine, body: impl FnOnce(&mut Worker<'_>) -> T) -> T {
        let memo = Memo::default();
        with_arena(|arena| {
            let mut constants = Results::none(arena, &self.graph);
            let mut vm = Vm::for_nodes(arena, &memo, &engine.cancel);
            self.graph
                .run_constants(&mut vm, &mut constants, engine.fuel);
            record::work(Work::Schedule);
            body(&mut Worker {
                plan: self,
                engine,
                constants: constants.lasting(),
                reference: Reference::default(),
                todo: Todo::default(),
                counts: Counts::default(),
            })
        })
    }

    fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::of(&self.battery))
    }
}

/// Runs a battery on one thread. Its constants are computed already.
#[derive(Debug)]
pub struct Worker<'w> {
    plan: &'w BatteryPlan,
    engine: &'w Engine,
    constants: Lasting<'w, 'w>,
    reference: Reference,
    todo: Todo,
    counts: Counts,
}

impl Worker<'_> {
    /// The number of programs of the battery.
    pub fn n_programs(&self) -> usize {
        self.plan.battery.outs.len()
    }

    /// The work done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Runs all programs on all input grids of a task. Outcomes come grid by grid, program by program,
    /// each with the numbers of both. A cancelled engine stops early.
    pub fn run<'g>(
        &mut self,
        seen: &Seen<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        each: impl FnMut(usize, usize, Outcome),
    ) {
        self.run_some(seen, inputs, |_, _| true, each);
    }

    /// Runs all programs on a grid without a task around it.
    pub fn run_grid(&mut self, input: &Grid, mut each: impl FnMut(usize, Outcome)) {
        self.run(&Seen::default(), [input], |_, program, outcome| {
            each(program, outcome);
        });
    }

    /// Runs the wanted programs on each input. Nodes that only other programs need do not run.
    pub fn run_some<'g>(
        &mut self,
        seen: &Seen<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Outcome),
    ) {
        self.run_metered(seen, inputs, wanted, |k, program, ran| {
            each(k, program, ran.outcome);
        });
    }

    /// [`Worker::run_some`] with the fuel of each run.
    pub fn run_metered<'g>(
        &mut self,
        seen: &Seen<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        each: impl FnMut(usize, usize, Ran),
    ) {
        self.run_counted(seen, inputs, |k, program, _| wanted(k, program), each);
    }

    /// [`Worker::run_metered`] where `wanted` gets the work done so far, so that a budget can end the run
    /// between two programs.
    pub fn run_counted<'g>(
        &mut self,
        seen: &Seen<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        mut wanted: impl FnMut(usize, usize, Counts) -> bool,
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        record::work(Work::Memory);
        let memo = Memo::default();
        self.reference.clear();
        with_arena(|arena| {
            record::work(Work::Inputs);
            let inputs_of_task = Inputs::of_task(arena, seen.demos, seen.expected);
            let mut of_task = Layer {
                results: self.constants.with(arena, &inputs_of_task),
                inputs: inputs_of_task,
                vm: Vm::for_nodes(arena, &memo, &self.engine.cancel),
            };
            for (k, input) in inputs.into_iter().enumerate() {
                let sample = Sample {
                    input,
                    demos: seen.demos,
                    expected: seen.expected,
                };
                let wanted = |program: usize, counts: Counts| wanted(k, program, counts);
                let each = |program, ran| each(k, program, ran);
                record::next_sample(Work::Memory);
                self.run_input(&mut of_task, &sample, wanted, each);
            }
            record::end_samples();
        });
        record::work(Work::Schedule);
    }

    /// Runs the wanted programs on one input grid.
    fn run_input(
        &mut self,
        of_task: &mut Layer<'_>,
        sample: &Sample<'_>,
        mut wanted: impl FnMut(usize, Counts) -> bool,
        mut each: impl FnMut(usize, Ran),
    ) {
        let memo = Memo::default();
        self.reference.next_input();
        let cache = self.engine.cache.as_deref();
        let cache = cache.filter(|_| self.engine.caches);
        let mut known = cache.map(|cache| Known::about(sample, cache, self.plan.keys()));
        with_arena(|arena| {
            memo.note_lasting(arena);
            record::work(Work::Inputs);
            let inputs = of_task.inputs.with(arena, sample.input.by_ref());
            let mut of_input = Layer {
                results: of_task.results.lasting().with(arena, &inputs),
                inputs,
                vm: Vm::for_nodes(arena, &memo, &self.engine.cancel),
            };
            record::work(Work::Memory);
            for program in 0..self.plan.battery.outs.len() {
                if !wanted(program, self.counts) {
                    continue;
                }
                if self.engine.cancel.is_cancelled() {
                    return;
                }
                let mut layers = Layers {
                    memo: &memo,
                    of_task: &mut *of_task,
                    of_input: &mut of_input,
                };
                let ran = self.run_program(program, sample, &mut layers, known.as_mut());
                self.counts.runs += 1;
                record::work(Work::Candidates);
                if let Some(ran) = ran {
                    each(program, ran);
                }
                record::work(Work::Memory);
            }
        });
        if let Some(known) = known {
            known.give_back();
        }
    }

    fn run_program<'a, 't: 'a>(
        &mut self,
        program: usize,
        sample: &Sample<'_>,
        layers: &mut Layers<'_, 'a, 't>,
        mut known: Option<&mut Known<'_>>,
    ) -> Option<Ran> {
        let engine = self.engine;
        let found = known
            .as_mut()
            .and_then(|known| known.outcome(program, engine));
        if found.is_some() {
            return found;
        }
        let ran = match engine.mode {
            Mode::Fast | Mode::Sure => self.run_fast(program, layers, known.as_deref_mut()),
            Mode::Exact => None,
        };
        let ran = match (ran, engine.mode) {
            (Some(ran), _) => ran,
            (None, Mode::Sure) => return None,
            (None, _) => self.run_on_reference(program, sample),
        };
        if let Some(known) = known {
            known.keep_outcome(program, engine, &ran);
        }
        Some(ran)
    }

    /// Runs a program on the fast engine; there is no outcome if that is not sure.
    fn run_fast<'a, 't: 'a>(
        &mut self,
        program: usize,
        layers: &mut Layers<'_, 'a, 't>,
        mut known: Option<&mut Known<'_>>,
    ) -> Option<Ran> {
        let (plan, engine) = (self.plan, self.engine);
        let ready = &plan.graph.programs()[program];
        let own_memo = Memo::default();
        let memo = if engine.caches {
            layers.memo
        } else {
            &own_memo
        };
        with_arena(|arena| {
            let inputs = &layers.of_input.inputs;
            let row = row_of_values(arena, ready.lines.len(), inputs, &ready.constants);
            let mut vm = Vm::new(arena, memo, ready.dialect, engine.fuel, &engine.cancel);
            if let Some(known) = known.as_deref_mut() {
                self.todo
                    .look_up(plan, program, known, layers, row, &mut vm);
            }
            let mut neighbours = InBattery {
                plan,
                layers,
                todo: &self.todo,
                known,
                counts: &mut self.counts,
                fuel: engine.fuel,
            };
            let halt = match run_lines(&mut vm, ready, row, &mut neighbours) {
                Ok(output) => {
                    record::work(Work::Outcomes);
                    let fuel = engine.fuel - vm.fuel();
                    let ran = outcome(&mut vm, &output).map(|outcome| Ran { outcome, fuel });
                    if ran.is_none() {
                        record::gave_up_at(vm.gave_up(ready.n_lines).slow());
                    }
                    return ran;
                }
                Err(halt) => halt,
            };
            record::work(Work::Faults);
            let line = &ready.lines[halt.line];
            let is_own = !matches!(line.act, Act::Shared(_));
            if is_own && halt.reason == NoValue::Unsure {
                record::gave_up_at(vm.gave_up(line.number).slow());
            }
            halt.ran(ready, engine.fuel, vm.fuel())
        })
    }

    #[cold]
    fn run_on_reference(&mut self, program: usize, sample: &Sample<'_>) -> Ran {
        let engine = self.engine;
        self.counts.exact_runs += 1;
        if !engine.caches {
            self.reference.clear();
        }
        let script = OfBattery {
            battery: &self.plan.battery,
            graph: &self.plan.graph,
            program,
        };
        record::begin_reference(program as u32, || engine.reason_for_reference());
        let before = self.reference.n_computed();
        let ran = self
            .reference
            .run(&script, sample, engine.fuel, &engine.cancel);
        record::work(Work::Memory);
        self.counts.exact_nodes += self.reference.n_computed() - before;
        self.counts.fuel = self.counts.fuel.saturating_add(ran.fuel);
        ran
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_lang::{Node, Op, Operand, Rules};

    #[test]
    fn nodes_that_no_program_needs_do_not_run() {
        let source = "def solve_0a1b2c3d(I):\n    return vmirror(I)\n";
        let programs = leyden_lang::parse(source, "a.py", None).expect("a program");
        let mut battery = Battery::from_programs(&programs, Rules::ALL);
        let extra = |op| Node {
            op,
            dialect: Default::default(),
        };
        battery.nodes.push(extra(Op::Copy(Operand::Var(0))));
        battery
            .nodes
            .push(extra(Op::Tuple(vec![Operand::Var(0), Operand::Var(1)])));
        let input = Grid::from_rows(&[vec![1, 2]]).expect("a grid");
        let mut rows = Vec::new();
        BatteryPlan::new(battery).with_worker(&Engine::default(), |worker| {
            worker.run(&Seen::default(), [&input], |_, _, outcome| {
                rows.push(outcome.to_json());
            });
        });
        assert_eq!(rows, [serde_json::json!({ "grid": [[2, 1]] })]);
    }
}
