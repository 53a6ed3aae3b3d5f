//! Runs all programs of a battery on a sample, each computation once.

use std::sync::OnceLock;

use leyden_dsl::fault::Fault;
use leyden_grid::{Grid, Pair};
use leyden_lang::{Battery, NodeId, Operand, Out, Scripted, Scripts};

use crate::cache::{Cache, Keys, KnownNode, OfSample, key_of_sample};
use crate::engine::{Engine, Mode, Sample};
use crate::exact::{Exact, Script, Step};
use crate::outcome::{Outcome, Ran};
use crate::record::{self, Work};
use crate::vm::run::graph::{Graph, Level, Place, Source, State, States};
use crate::vm::values::inputs::Inputs;
use crate::vm::values::portable::Plain;
use crate::vm::{Memo, Val, Vm, with_arena};

/// A battery made ready to run, on any number of threads.
///
/// Nodes that read no input are computed once for each [`Worker`], those that read only the
/// task once for each task, all others once for each input grid. What a program gives is decided
/// by its lines, in their order: exactly what it gives alone. Where the fast engine is not sure,
/// that program alone is run again by the exact one; a program that burns too much fuel is
/// found out the same way, and its neighbours do not notice.
///
/// ```
/// use leyden_exec::{BatteryPlan, Engine, Task};
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
///     worker.run(&Task::default(), [&input], |_, program, outcome| {
///         rows.push((program, outcome.to_json()["grid"][0].to_string()));
///     });
/// });
/// assert_eq!(rows, [(0, "[2,1]".to_owned()), (1, "[1,2,2,1]".to_owned())]);
/// ```
#[derive(Debug)]
pub struct BatteryPlan {
    battery: Battery,
    graph: Graph,
    /// For each program the nodes of its lines, in their order.
    scripts: Vec<Vec<Step>>,
    outputs: Vec<Source>,
    /// Made when a cache asks for them.
    keys: OnceLock<Keys>,
}

/// What programs may see of a task besides the input grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Task<'t> {
    /// The task's demonstration pairs: `S`.
    pub demos: &'t [Pair],
    /// The expected output, for scoring programs on demonstrations only: `C`.
    pub expected: Option<&'t Grid>,
}

/// How often something was done, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Programs run on a sample.
    pub runs: u64,
    /// Those of them that were left to the exact engine.
    pub exact_runs: u64,
    /// Nodes computed by the fast engine for a task or an input grid.
    pub nodes: u64,
    /// Nodes computed by the exact engine.
    pub exact_nodes: u64,
    /// The fuel that computing them took: the same on every machine.
    pub fuel: u64,
}

impl Counts {
    /// Both together.
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

    /// What was done after some of it.
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
    /// Makes a battery ready.
    pub fn new(battery: Battery) -> BatteryPlan {
        let graph = Graph::new(&battery);
        let mut scripts = Scripts::new(&battery);
        let step = |scripted: &Scripted| Step {
            node: scripted.node,
            place: graph.place(scripted.node),
            line: scripted.line,
        };
        let script = |k: usize| scripts.script(k).iter().map(step).collect();
        let output = |out: &Out| graph.source(&out.output);
        BatteryPlan {
            scripts: (0..battery.outs.len()).map(script).collect(),
            outputs: battery.outs.iter().map(output).collect(),
            keys: OnceLock::new(),
            graph,
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
            let mut states = vec![State::PENDING; self.graph.n_shared()];
            let mut vm = Vm::for_nodes(arena, &memo, &engine.cancel);
            self.graph.run_constants(&mut vm, &mut states, engine.fuel);
            record::work(Work::Schedule);
            body(&mut Worker {
                plan: self,
                engine,
                constants: &states,
                exact: Exact::default(),
                todo: Todo::default(),
                counts: Counts::default(),
            })
        })
    }

    fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::of(&self.battery))
    }

    fn script(&self, program: usize) -> Script<'_> {
        let out = &self.battery.outs[program];
        Script {
            battery: &self.battery,
            graph: &self.graph,
            steps: &self.scripts[program],
            output: &out.output,
            n_lines: out.lines.len() as u32,
        }
    }
}

/// Runs a battery on one thread; the constants are computed already.
#[derive(Debug)]
pub struct Worker<'w> {
    plan: &'w BatteryPlan,
    engine: &'w Engine,
    constants: &'w [State<'w>],
    exact: Exact,
    todo: Todo,
    counts: Counts,
}

impl Worker<'_> {
    /// How many programs the battery has.
    pub fn n_programs(&self) -> usize {
        self.plan.scripts.len()
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Runs all programs on all input grids of a task. Outcomes come grid by grid, program by
    /// program, each with the numbers of both. Stops early when the engine is cancelled.
    pub fn run<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        each: impl FnMut(usize, usize, Outcome),
    ) {
        self.run_some(task, inputs, |_, _| true, each);
    }

    /// Runs all programs on a grid without a task around it.
    pub fn run_grid(&mut self, input: &Grid, mut each: impl FnMut(usize, Outcome)) {
        self.run(&Task::default(), [input], |_, program, outcome| {
            each(program, outcome);
        });
    }

    /// Runs the wanted programs on a grid without a task around it.
    pub fn run_some_on_grid(
        &mut self,
        input: &Grid,
        wanted: impl Fn(usize) -> bool,
        mut each: impl FnMut(usize, Ran),
    ) {
        let wanted = |_, program| wanted(program);
        self.run_metered(&Task::default(), [input], wanted, |_, program, ran| {
            each(program, ran);
        });
    }

    /// Runs those programs on those inputs only that are wanted. Nodes that only others need
    /// are not run.
    pub fn run_some<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Outcome),
    ) {
        self.run_metered(task, inputs, wanted, |k, program, ran| {
            each(k, program, ran.outcome);
        });
    }

    /// The same with the fuel that each run took.
    pub fn run_metered<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        each: impl FnMut(usize, usize, Ran),
    ) {
        self.run_counted(task, inputs, |k, program, _| wanted(k, program), each);
    }

    /// Like [`Worker::run_metered`], and every question whether a program is wanted says what was
    /// done so far: a budget can end the run between two programs.
    pub fn run_counted<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        mut wanted: impl FnMut(usize, usize, Counts) -> bool,
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        record::work(Work::Memory);
        let memo = Memo::default();
        self.exact.clear();
        with_arena(|arena| {
            record::work(Work::Inputs);
            let inputs_seen = Inputs::of_task(arena, task.demos, task.expected);
            let mut of_task = Layer {
                states: arena.alloc_slice_copy(self.constants),
                inputs: inputs_seen,
                vm: Vm::for_nodes(arena, &memo, &self.engine.cancel),
            };
            for (k, input) in inputs.into_iter().enumerate() {
                let sample = Sample {
                    input,
                    demos: task.demos,
                    expected: task.expected,
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
        self.exact.next_input();
        let cache = self.engine.cache.as_deref();
        let cache = cache.filter(|_| self.engine.caches);
        let mut known = cache.map(|cache| Known::about(sample, cache, self.plan.keys()));
        with_arena(|arena| {
            memo.note_lasting(arena);
            record::work(Work::Inputs);
            let mut of_input = Layer {
                states: arena.alloc_slice_copy(of_task.states),
                inputs: of_task.inputs.with(arena, sample.input.by_ref()),
                vm: Vm::for_nodes(arena, &memo, &self.engine.cancel),
            };
            record::work(Work::Memory);
            for program in 0..self.plan.scripts.len() {
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
            (None, _) => self.run_exactly(program, sample),
        };
        if let Some(known) = known {
            known.keep_outcome(program, engine, &ran);
        }
        Some(ran)
    }

    /// Runs a program's nodes in the order of its lines until one has no value or the fuel is used up;
    /// nothing if the fast engine is not sure.
    fn run_fast<'a, 't: 'a>(
        &mut self,
        program: usize,
        layers: &mut Layers<'_, 'a, 't>,
        mut known: Option<&mut Known<'_>>,
    ) -> Option<Ran> {
        let (plan, most) = (self.plan, self.engine.fuel);
        let own_memo = Memo::default();
        let memo = match self.engine.caches {
            true => layers.memo,
            false => &own_memo,
        };
        with_arena(|arena| {
            let own = arena.alloc_slice_fill_copy(plan.graph.n_own(program), State::PENDING);
            let mut vm = Vm::for_nodes(arena, memo, &self.engine.cancel);
            if let Some(known) = known.as_deref_mut() {
                self.todo
                    .look_up(plan, program, known, layers.of_input, own, &mut vm);
            }
            let mut spent = 0u64;
            for (k, step) in plan.scripts[program].iter().enumerate() {
                if let Some(fuel) = self.todo.fuel_if_skipped(k) {
                    spent = spent.saturating_add(fuel);
                    if spent > most {
                        return Some(Ran::out_of_fuel(step.line, most));
                    }
                    continue;
                }
                let is_new = layers.settle(plan, (program, step.place), own, &mut vm, most);
                let state = match step.place {
                    Place::Shared(k) => layers.of_input.states[k as usize],
                    Place::Own(k) => own[k as usize],
                };
                if is_new {
                    self.counts.nodes += 1;
                    self.counts.fuel = self.counts.fuel.saturating_add(state.fuel);
                }
                if state.is_unsure() {
                    record::gave_up(step.node.0);
                    return None;
                }
                spent = spent.saturating_add(state.fuel);
                if let Some(end) = state.end_of_run(step.line, spent, most) {
                    record::work(Work::Faults);
                    return Some(end);
                }
                if let (Ok(value), true, Some(known)) = (state.value, is_new, known.as_deref_mut())
                {
                    record::work(Work::Memory);
                    known.keep_node(step.node, &value, state.fuel);
                }
            }
            record::work(Work::Outcomes);
            let shared = &*layers.of_input.states;
            let states = States { shared, own };
            let inputs = &layers.of_input.inputs;
            let dialect = plan.battery.outs[program].dialect;
            let outcome = vm.outcome_of(dialect, &plan.outputs[program], inputs, &states)?;
            Some(Ran {
                outcome,
                fuel: spent,
            })
        })
    }

    #[cold]
    fn run_exactly(&mut self, program: usize, sample: &Sample<'_>) -> Ran {
        self.counts.exact_runs += 1;
        if !self.engine.caches {
            self.exact.clear();
        }
        let script = self.plan.script(program);
        record::begin_reference(program as u32, || self.engine.reason_for_reference());
        let before = self.exact.n_computed();
        let ran = self
            .exact
            .run(&script, sample, self.engine.fuel, &self.engine.cancel);
        record::work(Work::Memory);
        self.counts.exact_nodes += self.exact.n_computed() - before;
        self.counts.fuel = self.counts.fuel.saturating_add(ran.fuel);
        ran
    }
}

/// Shared nodes on the fast engine, for as long as a task or an input grid is worked on.
struct Layer<'a> {
    states: &'a mut [State<'a>],
    inputs: Inputs<'a>,
    vm: Vm<'a>,
}

/// All that the programs of a battery share on a sample.
struct Layers<'l, 'a, 't> {
    memo: &'a Memo,
    of_task: &'l mut Layer<'t>,
    of_input: &'l mut Layer<'a>,
}

impl<'a, 't: 'a> Layers<'_, 'a, 't> {
    /// Makes sure that a node has run: for the program if only that needs it, for the input grid
    /// if it reads that, else for the whole task. Says whether it had to be run.
    fn settle<'o>(
        &mut self,
        plan: &BatteryPlan,
        (program, place): (usize, Place),
        own: &mut [State<'o>],
        vm: &mut Vm<'o>,
        fuel: u64,
    ) -> bool
    where
        'a: 'o,
    {
        let graph = &plan.graph;
        match place {
            Place::Shared(k) => self.settle_shared(graph, k, fuel),
            Place::Own(k) if own[k as usize].is_pending() => {
                let shared = &*self.of_input.states;
                let mut states = States { shared, own };
                let inputs = &self.of_input.inputs;
                graph.run_own(vm, (program, k), inputs, &mut states, fuel);
                true
            }
            Place::Own(_) => false,
        }
    }

    fn settle_shared(&mut self, graph: &Graph, k: u32, fuel: u64) -> bool {
        let Layer { states, inputs, vm } = &mut *self.of_input;
        if !states[k as usize].is_pending() {
            return false;
        }
        if graph.level(k) == Level::Input {
            graph.run_shared(vm, k, inputs, states, fuel);
            return true;
        }
        let of_task = &mut *self.of_task;
        let is_new = of_task.states[k as usize].is_pending();
        if is_new {
            let Layer { states, inputs, vm } = of_task;
            graph.run_shared(vm, k, inputs, states, fuel);
        }
        states[k as usize] = of_task.states[k as usize];
        is_new
    }
}

/// What a cache knows about a sample, in terms of a battery.
struct Known<'k> {
    cache: &'k Cache,
    keys: &'k Keys,
    sample: u128,
    of_sample: OfSample,
}

impl<'k> Known<'k> {
    fn about(sample: &Sample<'_>, cache: &'k Cache, keys: &'k Keys) -> Known<'k> {
        let sample = key_of_sample(sample);
        Known {
            cache,
            keys,
            sample,
            of_sample: cache.lend(sample),
        }
    }

    fn give_back(self) {
        self.cache.take_back(self.sample, self.of_sample);
    }

    fn outcome(&mut self, program: usize, engine: &Engine) -> Option<Ran> {
        self.of_sample.outcome(self.keys.program(program, engine))
    }

    fn keep_outcome(&mut self, program: usize, engine: &Engine, ran: &Ran) {
        if ran.outcome.fault() != Some(Fault::Cancelled) {
            let key = self.keys.program(program, engine);
            self.of_sample.keep_outcome(key, ran);
        }
    }

    fn keep_node(&mut self, node: NodeId, value: &Val<'_>, fuel: u64) {
        let value = Plain::of(value);
        let known = KnownNode { fuel, value };
        self.of_sample
            .keep_node(self.keys.nodes[node.index()], known);
    }
}

/// Which nodes of a program need not run because they are known.
#[derive(Debug, Default)]
struct Todo {
    /// For each node the last program that needed its value.
    needed_by: Vec<u64>,
    n_programs: u64,
    /// For each step the fuel that it would take, if it is left out.
    skipped: Vec<Option<u64>>,
}

impl Todo {
    fn fuel_if_skipped(&self, step: usize) -> Option<u64> {
        self.skipped.get(step).copied().flatten()
    }

    /// Goes through a program from its end: what is known to have a value that nobody needs is
    /// left out, what is kept is put in its place, and all else will have to read its operands.
    fn look_up<'a, 'o>(
        &mut self,
        plan: &BatteryPlan,
        program: usize,
        known: &mut Known<'_>,
        of_input: &mut Layer<'a>,
        own: &mut [State<'o>],
        vm: &mut Vm<'o>,
    ) {
        let dialect = plan.battery.outs[program].dialect;
        let steps = &plan.scripts[program];
        self.n_programs += 1;
        self.needed_by.resize(plan.battery.nodes.len(), 0);
        self.skipped.clear();
        self.skipped.resize(steps.len(), None);
        self.need([plan.battery.outs[program].output]);
        let mut n_hits = 0;
        let mut n_misses = 0;
        for (k, step) in steps.iter().enumerate().rev() {
            let is_needed = self.needed_by[step.node.index()] == self.n_programs;
            if let Place::Shared(k) = step.place
                && !of_input.states[k as usize].is_pending()
            {
                continue;
            }
            match known.of_sample.node(known.keys.nodes[step.node.index()]) {
                Some(node) if !is_needed => self.skipped[k] = Some(node.fuel),
                Some(KnownNode {
                    fuel,
                    value: Some(value),
                }) => match step.place {
                    Place::Shared(k) => {
                        of_input.states[k as usize] = of_input.vm.state(dialect, value, *fuel)
                    }
                    Place::Own(k) => own[k as usize] = vm.state(dialect, value, *fuel),
                },
                _ => {
                    n_misses += 1;
                    self.need(plan.battery.nodes[step.node.index()].op.operands());
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

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_lang::{Node, Op, Rules};

    #[test]
    fn nodes_that_nobody_needs_are_left_out() {
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
            worker.run(&Task::default(), [&input], |_, _, outcome| {
                rows.push(outcome.to_json());
            });
        });
        assert_eq!(rows, [serde_json::json!({ "grid": [[2, 1]] })]);
    }
}
