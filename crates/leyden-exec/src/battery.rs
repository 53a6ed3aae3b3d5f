//! Runs all programs of a battery on a sample, each computation once.

use std::sync::OnceLock;

use leyden_grid::{Grid, Pair};
use leyden_lang::{Battery, Operand, Program};

use crate::engine::{Engine, Mode, Sample};
use crate::outcome::Outcome;
use crate::record::{self, Work};
use crate::reference;
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
    verdicts: Vec<Verdict>,
    /// The programs alone, made when one has to be run exactly.
    alone: Vec<OnceLock<Program>>,
}

/// How to tell what a program gives.
#[derive(Debug)]
struct Verdict {
    /// The nodes whose values are all there is to know: if they have one, so have all lines.
    ends: Vec<Place>,
    /// The nodes of its lines, in their order.
    lines: Vec<Option<Place>>,
    output: Source,
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
    /// Nodes computed.
    pub nodes: u64,
}

impl Counts {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            runs: self.runs + other.runs,
            exact_runs: self.exact_runs + other.exact_runs,
            nodes: self.nodes + other.nodes,
        }
    }
}

impl BatteryPlan {
    /// Makes a battery ready.
    pub fn new(battery: Battery) -> BatteryPlan {
        let graph = Graph::new(&battery);
        let mut last_reader = vec![u32::MAX; battery.nodes.len()];
        let verdict = |k: usize| Verdict {
            ends: ends(&battery, k, &mut last_reader)
                .into_iter()
                .filter_map(|node| place(&graph, &Operand::Var(node)))
                .collect(),
            lines: battery.outs[k]
                .lines
                .iter()
                .map(|line| place(&graph, line))
                .collect(),
            output: graph.source(&battery.outs[k].output),
        };
        BatteryPlan {
            verdicts: (0..battery.outs.len()).map(verdict).collect(),
            alone: battery.outs.iter().map(|_| OnceLock::new()).collect(),
            graph,
            battery,
        }
    }

    /// The battery it was made from.
    pub fn battery(&self) -> &Battery {
        &self.battery
    }

    /// A program alone.
    pub fn program(&self, k: usize) -> &Program {
        self.alone[k].get_or_init(|| self.battery.program(k))
    }

    /// The node of a program's line.
    fn node_of(&self, program: usize, line: usize) -> Option<u32> {
        match self.battery.outs[program].lines.get(line)? {
            Operand::Var(node) => Some(*node),
            _ => None,
        }
    }

    /// Lends a worker, which belongs to one thread.
    pub fn with_worker<T>(&self, engine: &Engine, body: impl FnOnce(&mut Worker<'_>) -> T) -> T {
        let memo = Memo::default();
        with_arena(|arena| {
            let mut states = vec![State::PENDING; self.graph.n_shared()];
            let mut vm = Vm::for_nodes(arena, &memo, &engine.cancel);
            let fuel = engine.fuel / 2;
            let spent =
                self.graph
                    .run_shared(&mut vm, Level::Battery, &Inputs::NONE, &mut states, fuel);
            record::work(Work::Schedule);
            body(&mut Worker {
                plan: self,
                engine,
                constants: &states,
                spent,
                counts: Counts::default(),
            })
        })
    }
}

fn place(graph: &Graph, operand: &Operand) -> Option<Place> {
    match graph.source(operand) {
        Source::Node(place) => Some(place),
        _ => None,
    }
}

/// The nodes of a program that no other node of it reads, and its output.
fn ends(battery: &Battery, k: usize, last_reader: &mut [u32]) -> Vec<u32> {
    let out = &battery.outs[k];
    let nodes = |operands: &[Operand]| -> Vec<u32> {
        let node = |operand: &Operand| match operand {
            Operand::Var(k) => Some(*k),
            _ => None,
        };
        operands.iter().filter_map(node).collect()
    };
    let lines = nodes(&out.lines);
    for node in &lines {
        for operand in battery.nodes[*node as usize].op.operands() {
            if let Operand::Var(read) = operand {
                last_reader[read as usize] = k as u32;
            }
        }
    }
    let is_end = |node: &u32| last_reader[*node as usize] != k as u32;
    let mut ends: Vec<u32> = lines.into_iter().filter(is_end).collect();
    ends.extend(nodes(&[out.output]));
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Runs a battery on one thread; the constants are computed already.
#[derive(Debug)]
pub struct Worker<'w> {
    plan: &'w BatteryPlan,
    engine: &'w Engine,
    constants: &'w [State<'w>],
    spent: u64,
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

    /// The same for those inputs and programs only that are wanted.
    pub fn run_some<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Outcome),
    ) {
        if self.engine.mode == Mode::Exact {
            return self.run_exactly(task, inputs, wanted, each);
        }
        let (graph, fuel) = (&self.plan.graph, self.engine.fuel / 2);
        record::work(Work::Memory);
        let memo = Memo::default();
        with_arena(|task_arena| {
            let states = task_arena.alloc_slice_copy(self.constants);
            record::work(Work::Inputs);
            let task_inputs = Inputs::of_task(task_arena, task.demos, task.expected);
            let mut vm = Vm::for_nodes(task_arena, &memo, &self.engine.cancel);
            let spent = graph.run_shared(&mut vm, Level::Task, &task_inputs, states, fuel);
            let spent = self.spent.saturating_add(spent);
            for (k, input) in inputs.into_iter().enumerate() {
                record::work(Work::Memory);
                record::next_sample();
                let memo = Memo::default();
                with_arena(|arena| {
                    let states = arena.alloc_slice_copy(states);
                    record::work(Work::Inputs);
                    let inputs = task_inputs.with(arena, input);
                    let mut vm = Vm::for_nodes(arena, &memo, &self.engine.cancel);
                    let here = graph.run_shared(&mut vm, Level::Input, &inputs, states, fuel);
                    record::work(Work::Memory);
                    self.counts.nodes += graph.n_shared() as u64;
                    let spent = spent.saturating_add(here);
                    for program in 0..self.plan.verdicts.len() {
                        if self.engine.cancel.is_cancelled() {
                            break;
                        }
                        if !wanted(k, program) {
                            continue;
                        }
                        let outcome = self
                            .run_program(program, &memo, &inputs, states, spent)
                            .unwrap_or_else(|| self.exact(program, task, input));
                        self.counts.runs += 1;
                        record::work(Work::Candidates);
                        each(k, program, outcome);
                        record::work(Work::Memory);
                    }
                });
            }
            record::end_samples();
        });
        record::work(Work::Schedule);
    }

    /// Runs what only this program needs. `spent` is what all shared nodes took.
    fn run_program<'a>(
        &mut self,
        program: usize,
        memo: &'a Memo,
        inputs: &Inputs<'a>,
        shared: &[State<'a>],
        spent: u64,
    ) -> Option<Outcome> {
        let (graph, fuel) = (&self.plan.graph, self.engine.fuel / 2);
        self.counts.nodes += graph.n_own(program) as u64;
        with_arena(|arena| {
            let own = arena.alloc_slice_fill_copy(graph.n_own(program), State::PENDING);
            let mut states = States { shared, own };
            let mut vm = Vm::for_nodes(arena, memo, &self.engine.cancel);
            let here = graph.run_own(&mut vm, program, inputs, &mut states, fuel);
            record::work(Work::Outcomes);
            let is_cheap = spent.saturating_add(here) <= fuel;
            if !is_cheap && self.fuel_of(program, &states) > fuel {
                return None;
            }
            let outcome = self.verdict(program, &mut vm, inputs, &states);
            record::work(Work::Memory);
            outcome
        })
    }

    /// What a program gives, if the fast engine can tell.
    fn verdict<'a>(
        &self,
        program: usize,
        vm: &mut Vm<'a>,
        inputs: &Inputs<'a>,
        states: &States<'_, 'a>,
    ) -> Option<Outcome> {
        let verdict = &self.plan.verdicts[program];
        let has_value = |place: &Place| states.get(*place).value.is_ok();
        if verdict.ends.iter().all(has_value) {
            return vm.outcome_of(&verdict.output, inputs, states);
        }
        record::work(Work::Faults);
        let poison = |place: &Option<Place>| states.get((*place)?).value.err();
        let mut poisons = verdict.lines.iter().map(poison).enumerate();
        match poisons.find_map(|(line, poison)| Some((line, poison?)))? {
            (line, Poison::Fault(fault)) => Some(Outcome::Fault {
                fault,
                line: line as u32,
            }),
            (line, _) => {
                record::gave_up(self.plan.node_of(program, line));
                None
            }
        }
    }

    /// What all lines of a program took.
    fn fuel_of(&self, program: usize, states: &States<'_, '_>) -> u64 {
        let places = self.plan.verdicts[program].lines.iter().flatten();
        let fuels = places.map(|place| states.get(*place).fuel);
        fuels.fold(0, u64::saturating_add)
    }

    /// Runs a program alone, exactly. Its lines may be fewer than those of the original.
    #[cold]
    fn exact(&mut self, program: usize, task: &Task<'_>, input: &Grid) -> Outcome {
        self.counts.exact_runs += 1;
        let program = self.plan.program(program);
        let sample = Sample {
            input,
            demos: task.demos,
            expected: task.expected,
        };
        let is_again = self.engine.mode == Mode::Fast && program.dialect.is_classic();
        record::begin_exact(is_again);
        let outcome = reference::run(program, &sample, self.engine.fuel, &self.engine.cancel);
        record::work(Work::Memory);
        match outcome {
            Outcome::Fault { fault, line } => {
                let line = program.lines.get(line as usize);
                Outcome::Fault {
                    fault,
                    line: line.map_or(program.lines.len() as u32, |line| {
                        line.source_line.saturating_sub(1)
                    }),
                }
            }
            other => other,
        }
    }

    fn run_exactly<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Outcome),
    ) {
        for (k, input) in inputs.into_iter().enumerate() {
            record::next_sample();
            for program in 0..self.plan.verdicts.len() {
                if self.engine.cancel.is_cancelled() {
                    return;
                }
                if !wanted(k, program) {
                    continue;
                }
                let outcome = self.exact(program, task, input);
                self.counts.runs += 1;
                record::work(Work::Candidates);
                each(k, program, outcome);
            }
        }
        record::end_samples();
        record::work(Work::Schedule);
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
