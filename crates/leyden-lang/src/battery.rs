//! Many programs, one graph: what several programs compute alike is there once.

use std::ops::Range;

use leyden_dsl::table::{Dialect, Prim};

use crate::passes::{Rules, is_function_call};
use crate::program::{Input, Line, Op, Operand, Program, task_id_in};

pub use crate::merge::Merger;

/// A node of a battery, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The place in [`Battery::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node as something that an operation reads.
    pub fn operand(self) -> Operand {
        Operand::Var(self.0)
    }
}

/// One computation, whoever needs it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it does; `Operand::Var(k)` is node `k`, which always comes earlier.
    pub op: Op,
    /// The dialect to run it in. Where it makes no difference it is that of the first program
    /// that needed the node.
    pub dialect: Dialect,
}

/// Something that was changed in a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mutation {
    /// The name of the kind of change.
    pub kind: String,
    /// What was changed, for people: one line of text.
    pub what: String,
}

/// One program of a battery, in terms of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Out {
    /// The program's name.
    pub name: String,
    /// The name of the program it was made from; its own if it was not changed.
    pub origin: String,
    /// What was changed.
    pub mutations: Vec<Mutation>,
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// The parameters, in the order in which they are declared.
    pub inputs: Vec<Input>,
    /// What each line of the program became, in the program's order. Lines that the output does
    /// not depend on are there too: where one faults the program faults, at that line.
    pub lines: Vec<Operand>,
    /// What the program gives back.
    pub output: Operand,
}

impl Out {
    /// The task it is meant for, as [`Program::task_id`] has it.
    pub fn task_id(&self) -> Option<&str> {
        task_id_in(&self.name)
    }
}

/// Many programs merged into one graph.
///
/// A battery is plain data. Nodes are in an order in which they can run; a program is an
/// [`Out`]: its lines and its output as operands. What a program gives is decided by its lines
/// in their order: the first one whose node faulted is where the program faults, and if there is
/// none the output is its result. That is exactly what the program gives alone, whatever other
/// programs the battery holds.
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
    /// The computations, each after all that it reads.
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

    /// Does a program of it read an input?
    pub fn reads(&self, input: Input) -> bool {
        let operands = self.nodes.iter().flat_map(|node| node.op.operands());
        let mut all = operands.chain(self.outs.iter().map(|out| out.output));
        all.any(|operand| operand == Operand::Input(input))
    }

    /// A program alone again: the nodes it needs, in the order of its lines. The `source_line` of
    /// a line is the line of the original program that it is for, counted from 1.
    pub fn program(&self, k: usize) -> Program {
        Scripts::new(self).program(k)
    }

    /// How many lines all programs have together.
    pub fn n_lines(&self) -> usize {
        self.outs.iter().map(|out| out.lines.len()).sum()
    }

    /// How many nodes have to run for each sample: those that read an input, without those that
    /// only make a function for others to call.
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

    /// Which nodes some program needs.
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

/// A node that a program needs, and the line that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scripted {
    /// The node.
    pub node: NodeId,
    /// The line of the original program, counted from 0; past the last one, it is for the output.
    pub line: u32,
}

/// Tells for one program after the other which nodes it needs, in the order in which it needs them.
#[derive(Clone, Debug)]
pub struct Scripts<'b> {
    battery: &'b Battery,
    /// For each node the last reading that met it, and its place in that script.
    met: Vec<(u32, u32)>,
    n_read: u32,
}

impl<'b> Scripts<'b> {
    /// The scripts of a battery's programs.
    pub fn new(battery: &'b Battery) -> Scripts<'b> {
        Scripts {
            battery,
            met: vec![(0, 0); battery.nodes.len()],
            n_read: 0,
        }
    }

    /// The nodes of a program, each once and after all that it reads.
    pub fn script(&mut self, k: usize) -> Vec<Scripted> {
        let out = &self.battery.outs[k];
        let mut script = Vec::with_capacity(out.lines.len());
        self.n_read += 1;
        for (line, operand) in out.lines.iter().chain([&out.output]).enumerate() {
            self.require(*operand, line as u32, &mut script);
        }
        script
    }

    /// A program alone, see [`Battery::program`].
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

    /// Adds what is missing for an operand. An explicit stack, as graphs can be deep.
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

    /// An operand of a node that has not been met.
    fn missing(&self, node: u32) -> Option<u32> {
        let mut operands = self.battery.nodes[node as usize].op.operands();
        operands.find_map(|operand| match operand {
            Operand::Var(k) if !self.is_met(k) => Some(k),
            _ => None,
        })
    }

    /// What an operand is called in the script that was read last.
    pub fn local(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Var(k) if self.is_met(k) => Operand::Var(self.met[k as usize].1),
            Operand::Var(_) => Operand::None,
            other => other,
        }
    }
}

const NOWHERE: Range<u32> = 0..0;

/// Whether a primitive means different things in arc-dsl and in re-arc.
pub(crate) fn differs_by_dialect(prim: Prim) -> bool {
    matches!(prim, Prim::argmax | Prim::argmin | Prim::occurrences)
}
