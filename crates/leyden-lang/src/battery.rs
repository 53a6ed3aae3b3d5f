//! Many programs, one graph: what several programs compute alike is there once.

use std::ops::Range;

use leyden_dsl::table::{Dialect, Prim};
use rustc_hash::FxHashMap;

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

    /// A program alone again: the nodes it needs, in the order of its lines. The `source_line` of
    /// a line is the line of the original program that it is for, counted from 1.
    pub fn program(&self, k: usize) -> Program {
        let out = &self.outs[k];
        let mut writer = Extract {
            nodes: &self.nodes,
            places: FxHashMap::default(),
            lines: Vec::new(),
        };
        for (line, operand) in out.lines.iter().enumerate() {
            writer.require(*operand, line as u32 + 1);
        }
        writer.require(out.output, out.lines.len() as u32 + 1);
        Program {
            name: out.name.clone(),
            dialect: out.dialect,
            inputs: out.inputs.clone(),
            output: writer.place(out.output),
            lines: writer.lines,
        }
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

/// Writes the part of a graph that one program needs.
struct Extract<'a> {
    nodes: &'a [Node],
    places: FxHashMap<u32, u32>,
    lines: Vec<Line>,
}

impl Extract<'_> {
    /// Writes what is missing for an operand. An explicit stack, as graphs can be deep.
    fn require(&mut self, operand: Operand, source_line: u32) {
        let Operand::Var(root) = operand else { return };
        let mut stack = vec![root];
        while let Some(&top) = stack.last() {
            let missing = self.missing(top);
            match missing {
                Some(k) => stack.push(k),
                None => {
                    self.write(top, source_line);
                    stack.pop();
                }
            }
        }
    }

    /// An operand of a node that has not been written.
    fn missing(&self, node: u32) -> Option<u32> {
        if self.places.contains_key(&node) {
            return None;
        }
        self.nodes[node as usize]
            .op
            .operands()
            .find_map(|operand| match operand {
                Operand::Var(k) if !self.places.contains_key(&k) => Some(k),
                _ => None,
            })
    }

    fn write(&mut self, node: u32, source_line: u32) {
        if self.places.contains_key(&node) {
            return;
        }
        let mut op = self.nodes[node as usize].op.clone();
        for operand in op.operands_mut() {
            *operand = self.place(*operand);
        }
        self.places.insert(node, self.lines.len() as u32);
        self.lines.push(Line {
            op,
            source_line,
            span: NOWHERE,
        });
    }

    fn place(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Var(k) => {
                let place = self.places.get(&k);
                place.map_or(Operand::None, |place| Operand::Var(*place))
            }
            other => other,
        }
    }
}

const NOWHERE: Range<u32> = 0..0;

/// Whether a primitive means different things in arc-dsl and in re-arc.
pub(crate) fn differs_by_dialect(prim: Prim) -> bool {
    matches!(prim, Prim::argmax | Prim::argmin | Prim::occurrences)
}
