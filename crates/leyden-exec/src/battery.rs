//! Runs all programs of a battery on a sample, each computation once.

use leyden_grid::{Grid, Pair};
use leyden_lang::{Battery, Out, Scripted, Scripts};

use crate::engine::{Engine, Mode, Sample};
use crate::exact::{Exact, Script, Step};
use crate::outcome::{Outcome, Ran};
use crate::record::{self, Work};
use crate::vm::graph::{Graph, Level, Place, Poison, Source, State, States};
use crate::vm::inputs::Inputs;
use crate::vm::{Memo, Vm, with_arena};

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
}

impl Counts {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            runs: self.runs + other.runs,
            exact_runs: self.exact_runs + other.exact_runs,
            nodes: self.nodes + other.nodes,
            exact_nodes: self.exact_nodes + other.exact_nodes,
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
            self.graph
                .run_constants(&mut vm, &mut states, engine.fuel / 2);
            record::work(Work::Schedule);
            body(&mut Worker {
                plan: self,
                engine,
                constants: &states,
                exact: Exact::default(),
                counts: Counts::default(),
            })
        })
    }

    /// Does the fast engine speak a program's dialect?
    fn is_classic(&self, program: usize) -> bool {
        let nodes = self.scripts[program].iter();
        nodes
            .map(|step| &self.battery.nodes[step.node.index()])
            .all(|node| node.dialect.is_classic())
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
    counts: Counts,
}

impl Worker<'_> {
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

    /// The same for those inputs and programs only that are wanted. Nodes that only others need
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
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        record::work(Work::Memory);
        let memo = Memo::default();
        self.exact.next_task();
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
                let wanted = |program: usize| wanted(k, program);
                let each = |program, ran| each(k, program, ran);
                record::next_sample();
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
        wanted: impl Fn(usize) -> bool,
        mut each: impl FnMut(usize, Ran),
    ) {
        let memo = Memo::default();
        record::work(Work::Memory);
        self.exact.next_input();
        with_arena(|arena| {
            record::work(Work::Inputs);
            let mut of_input = Layer {
                states: arena.alloc_slice_copy(of_task.states),
                inputs: of_task.inputs.with(arena, sample.input),
                vm: Vm::for_nodes(arena, &memo, &self.engine.cancel),
            };
            record::work(Work::Memory);
            for program in (0..self.plan.scripts.len()).filter(|k| wanted(*k)) {
                if self.engine.cancel.is_cancelled() {
                    return;
                }
                let ran = match self.engine.mode {
                    Mode::Fast => self.run_fast(program, &memo, of_task, &mut of_input),
                    Mode::Exact => None,
                };
                let ran = ran.unwrap_or_else(|| self.run_exactly(program, sample));
                self.counts.runs += 1;
                record::work(Work::Candidates);
                each(program, ran);
                record::work(Work::Memory);
            }
        });
    }

    /// Runs a program's nodes in the order of its lines until one has no value; nothing if the
    /// fast engine is not sure, or if it takes more than half the fuel.
    fn run_fast<'a, 't: 'a>(
        &mut self,
        program: usize,
        memo: &'a Memo,
        of_task: &mut Layer<'t>,
        of_input: &mut Layer<'a>,
    ) -> Option<Ran> {
        let (plan, fuel) = (self.plan, self.engine.fuel / 2);
        let own_memo = Memo::default();
        let memo = if self.engine.caches { memo } else { &own_memo };
        with_arena(|arena| {
            let graph = &plan.graph;
            let own = arena.alloc_slice_fill_copy(graph.n_own(program), State::PENDING);
            let mut vm = Vm::for_nodes(arena, memo, &self.engine.cancel);
            let mut spent = 0u64;
            for step in &plan.scripts[program] {
                let state = match step.place {
                    Place::Shared(k) => {
                        let is_new = of_input.settle(graph, k, of_task, fuel);
                        self.counts.nodes += u64::from(is_new);
                        of_input.states[k as usize]
                    }
                    Place::Own(k) => {
                        self.counts.nodes += 1;
                        let shared = &*of_input.states;
                        let mut states = States { shared, own };
                        let node = (program, k);
                        graph.run_own(&mut vm, node, &of_input.inputs, &mut states, fuel);
                        own[k as usize]
                    }
                };
                spent = spent
                    .checked_add(state.fuel)
                    .filter(|spent| *spent <= fuel)?;
                match state.value {
                    Ok(_) => {}
                    Err(Poison::Fault(fault)) => {
                        record::work(Work::Faults);
                        let line = step.line;
                        let outcome = Outcome::Fault { fault, line };
                        let fuel = spent;
                        return Some(Ran { outcome, fuel });
                    }
                    Err(_) => {
                        record::gave_up(step.node.0);
                        return None;
                    }
                }
            }
            record::work(Work::Outcomes);
            let shared = &*of_input.states;
            let states = States { shared, own };
            let outcome = vm.outcome_of(&plan.outputs[program], &of_input.inputs, &states)?;
            let fuel = spent;
            Some(Ran { outcome, fuel })
        })
    }

    #[cold]
    fn run_exactly(&mut self, program: usize, sample: &Sample<'_>) -> Ran {
        self.counts.exact_runs += 1;
        if !self.engine.caches {
            self.exact.clear();
        }
        let script = self.plan.script(program);
        record::begin_exact(self.engine.mode == Mode::Fast && self.plan.is_classic(program));
        let before = self.exact.n_computed();
        let ran = self
            .exact
            .run(&script, sample, self.engine.fuel, &self.engine.cancel);
        record::work(Work::Memory);
        self.counts.exact_nodes += self.exact.n_computed() - before;
        ran
    }
}

/// Shared nodes on the fast engine, for as long as a task or an input grid is worked on.
struct Layer<'a> {
    states: &'a mut [State<'a>],
    inputs: Inputs<'a>,
    vm: Vm<'a>,
}

impl<'a> Layer<'a> {
    /// Makes sure that a node has run: here if it reads the input grid, else for the whole task.
    /// Says whether it had to be run.
    fn settle<'t: 'a>(
        &mut self,
        graph: &Graph,
        k: u32,
        of_task: &mut Layer<'t>,
        fuel: u64,
    ) -> bool {
        if !self.states[k as usize].is_pending() {
            return false;
        }
        if graph.level(k) == Level::Input {
            graph.run_shared(&mut self.vm, k, &self.inputs, self.states, fuel);
            return true;
        }
        let is_new = of_task.states[k as usize].is_pending();
        if is_new {
            let Layer { states, inputs, vm } = of_task;
            graph.run_shared(vm, k, inputs, states, fuel);
        }
        self.states[k as usize] = of_task.states[k as usize];
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_lang::{Node, Op, Operand, Rules};

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
