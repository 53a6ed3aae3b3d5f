//! Many programs as one graph: computations that programs share occur once.

use std::ops::Range;

use leyden_dsl::table::{Dialect, Prim};

use crate::passes::{Rules, is_function_call};
use crate::program::{Input, Line, Op, Operand, Program, task_id_in};

pub use crate::merge::Merger;

/// The id of a node: its place in a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The place in [`Battery::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node's value as an operand of an operation.
    pub fn operand(self) -> Operand {
        Operand::Var(self.0)
    }
}

/// One computation, for all programs that need it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operation. `Operand::Var(k)` is node `k`, which always comes earlier.
    pub op: Op,
    /// The dialect in which the node runs. If it makes no difference, this is the dialect of the
    /// first program that needed the node.
    pub dialect: Dialect,
}

/// A change to a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mutation {
    /// The name of the mutation that made the change.
    pub kind: String,
    /// A description of the change for people, in one line.
    pub what: String,
}

/// One program of a battery, as operands of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Out {
    /// The program's name.
    pub name: String,
    /// The name of the original program. An unchanged program is its own original.
    pub origin: String,
    /// The changes to the original.
    pub mutations: Vec<Mutation>,
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// The parameters, in the order in which they are declared.
    pub inputs: Vec<Input>,
    /// The operand of each line, in the program's order. Lines that the output does not depend on
    /// are there too: if one faults, the program faults at that line.
    pub lines: Vec<Operand>,
    /// The program's result.
    pub output: Operand,
}

impl Out {
    /// The task that the program is for, as in [`Program::task_id`].
    pub fn task_id(&self) -> Option<&str> {
        task_id_in(&self.name)
    }
}

/// Many programs merged into one graph.
///
/// A battery is plain data. Nodes are in an order in which they can run; a program is an [`Out`]:
/// its lines and its output as operands. The program faults at its first line whose node faulted;
/// if none did, its result is the output. The outcome equals that of the program alone and does not
/// depend on the other programs of the battery.
///
/// ```
/// use leyden_lang::{Battery, Rules, parse};
///
/// let source = "
/// def solve_0a1b2c3d(I):
///     x1 = vmirror(I)
///     x2 = hconcat(I, x1)
///     return x2
///
/// def solve_1a1b2c3d(I):
///     x1 = vmirror(I)
///     x2 = vconcat(I, x1)
///     return x2
/// ";
/// let programs = parse(source, "mine.py", None).unwrap();
/// let battery = Battery::from_programs(&programs, Rules::ALL);
/// assert_eq!(battery.nodes.len(), 3);
/// assert_eq!(battery.outs[0].lines[0], battery.outs[1].lines[0]);
/// assert!(battery.program(1).same_code(&programs[1]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Battery {
    /// The computations, each after its operands.
    pub nodes: Vec<Node>,
    /// The programs.
    pub outs: Vec<Out>,
}

impl Battery {
    /// Merges programs with these rules.
    pub fn from_programs<'a>(
        programs: impl IntoIterator<Item = &'a Program>,
        rules: Rules,
    ) -> Battery {
        let mut merger = Merger::new(rules);
        programs.into_iter().for_each(|program| {
            merger.add(program);
        });
        merger.finish()
    }

    /// Does a program of the battery read an input?
    pub fn reads(&self, input: Input) -> bool {
        let operands = self.nodes.iter().flat_map(|node| node.op.operands());
        let mut all = operands.chain(self.outs.iter().map(|out| out.output));
        all.any(|operand| operand == Operand::Input(input))
    }

    /// Takes a program out of the graph: its nodes, in the order of its lines. The `source_line` of
    /// a line is the original program's line that needs it, counted from 1.
    pub fn program(&self, k: usize) -> Program {
        Scripts::new(self).program(k)
    }

    /// The number of lines of all programs.
    pub fn n_lines(&self) -> usize {
        self.outs.iter().map(|out| out.lines.len()).sum()
    }

    /// The number of nodes that run for each sample: those that depend on an input, except nodes
    /// that only make a function for other nodes to call.
    pub fn n_per_sample(&self) -> usize {
        let mut reads = vec![false; self.nodes.len()];
        for (k, node) in self.nodes.iter().enumerate() {
            reads[k] = node.op.operands().any(|operand| match operand {
                Operand::Var(k) => reads[k as usize],
                Operand::Input(_) => true,
                _ => false,
            });
        }
        let nodes = self.nodes.iter().zip(reads);
        nodes
            .filter(|(node, reads)| *reads && !is_function_call(&node.op))
            .count()
    }

    /// Marks the nodes that at least one program needs.
    pub fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        let roots = self.outs.iter().flat_map(|out| &out.lines);
        let roots = roots.chain(self.outs.iter().map(|out| &out.output));
        roots.for_each(|operand| mark(&mut needed, *operand));
        for k in (0..self.nodes.len()).rev() {
            if needed[k] {
                self.nodes[k]
                    .op
                    .operands()
                    .for_each(|operand| mark(&mut needed, operand));
            }
        }
        needed
    }

    /// Drops the nodes that no program needs; the others keep their order and get new ids.
    pub fn sweep(&mut self) {
        let needed = self.needed();
        let mut next = 0;
        let places: Vec<u32> = needed
            .iter()
            .map(|needed| {
                let place = next;
                next += u32::from(*needed);
                place
            })
            .collect();
        let moved = |operand: &mut Operand| {
            if let Operand::Var(k) = operand {
                *k = places[*k as usize];
            }
        };
        let mut needed = needed.iter();
        self.nodes.retain(|_| *needed.next().unwrap_or(&true));
        for node in &mut self.nodes {
            node.op.operands_mut().for_each(moved);
        }
        for out in &mut self.outs {
            out.lines.iter_mut().for_each(moved);
            moved(&mut out.output);
        }
    }
}

fn mark(needed: &mut [bool], operand: Operand) {
    if let Operand::Var(k) = operand {
        needed[k as usize] = true;
    }
}

/// A node that a program needs, and the line that needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scripted {
    /// The node.
    pub node: NodeId,
    /// The line of the original program, counted from 0. The number of lines stands for the output.
    pub line: u32,
}

/// Lists the nodes of one program after another, in the order in which the program needs them.
#[derive(Clone, Debug)]
pub struct Scripts<'b> {
    battery: &'b Battery,
    /// For each node, the number of the last script that has it, and its place in that script.
    met: Vec<(u32, u32)>,
    n_read: u32,
}

impl<'b> Scripts<'b> {
    /// Prepares the scripts of a battery's programs.
    pub fn new(battery: &'b Battery) -> Scripts<'b> {
        Scripts {
            battery,
            met: vec![(0, 0); battery.nodes.len()],
            n_read: 0,
        }
    }

    /// The nodes of a program, each once and after its operands.
    pub fn script(&mut self, k: usize) -> Vec<Scripted> {
        let out = &self.battery.outs[k];
        let mut script = Vec::with_capacity(out.lines.len());
        self.n_read += 1;
        for (line, operand) in out.lines.iter().chain([&out.output]).enumerate() {
            self.require(*operand, line as u32, &mut script);
        }
        script
    }

    /// Takes a program out of the graph, see [`Battery::program`].
    pub fn program(&mut self, k: usize) -> Program {
        let out = &self.battery.outs[k];
        let script = self.script(k);
        let lines = script.iter().map(|step| self.line(step)).collect();
        Program {
            name: out.name.clone(),
            dialect: out.dialect,
            inputs: out.inputs.clone(),
            output: self.local(out.output),
            lines,
        }
    }

    fn line(&self, step: &Scripted) -> Line {
        let mut op = self.battery.nodes[step.node.index()].op.clone();
        for operand in op.operands_mut() {
            *operand = self.local(*operand);
        }
        Line {
            op,
            source_line: step.line + 1,
            span: NOWHERE,
        }
    }

    /// Adds the missing nodes of an operand to the script. Graphs can be too deep for recursion.
    fn require(&mut self, operand: Operand, line: u32, script: &mut Vec<Scripted>) {
        let Operand::Var(root) = operand else { return };
        if self.is_met(root) {
            return;
        }
        let mut stack = vec![root];
        while let Some(&top) = stack.last() {
            match self.missing(top) {
                Some(k) => stack.push(k),
                None => {
                    stack.pop();
                    self.met[top as usize] = (self.n_read, script.len() as u32);
                    let node = NodeId(top);
                    script.push(Scripted { node, line });
                }
            }
        }
    }

    fn is_met(&self, node: u32) -> bool {
        self.met[node as usize].0 == self.n_read
    }

    /// An operand of a node that is not in the script yet.
    fn missing(&self, node: u32) -> Option<u32> {
        let mut operands = self.battery.nodes[node as usize].op.operands();
        operands.find_map(|operand| match operand {
            Operand::Var(k) if !self.is_met(k) => Some(k),
            _ => None,
        })
    }

    /// The operand in terms of the last script.
    pub fn local(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Var(k) if self.is_met(k) => Operand::Var(self.met[k as usize].1),
            Operand::Var(_) => Operand::None,
            other => other,
        }
    }
}

const NOWHERE: Range<u32> = 0..0;

/// Whether a primitive differs between arc-dsl and re-arc.
pub(crate) fn differs_by_dialect(prim: Prim) -> bool {
    matches!(prim, Prim::argmax | Prim::argmin | Prim::occurrences)
}
