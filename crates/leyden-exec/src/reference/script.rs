//! Programs as lists of nodes: alone, or within a battery.

use leyden_dsl::table::Dialect;
use leyden_lang::{Battery, NodeId, Op, Operand, Program};

use crate::vm::run::graph::{Graph, Level, Place};

/// A node that a program needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'p> {
    pub(super) op: &'p Op,
    pub(super) dialect: Dialect,
    /// Its number in the battery; in a program alone the number of its line.
    pub(super) node: u32,
    pub(super) place: Place,
    /// The number of the first written line that needs it.
    pub(super) number: u32,
}

/// A program, as the reference engine reads it.
pub(crate) trait Script {
    /// The nodes of the program, each after the nodes that it reads.
    fn lines(&self) -> impl Iterator<Item = Line<'_>>;

    /// The place of the result that an operand `Var` names.
    fn place(&self, var: u32) -> Place;

    /// The program's result.
    fn output(&self) -> &Operand;

    /// The number of lines of the program.
    fn n_lines(&self) -> u32;

    /// The number of nodes that several programs share.
    fn n_shared(&self) -> usize;

    /// The level of a shared node.
    fn level(&self, shared: u32) -> Level;
}

/// A program alone.
pub(super) struct Alone<'p>(pub(super) &'p Program);

impl Script for Alone<'_> {
    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        (0..).zip(self.0.ops()).map(|(k, op)| Line {
            op,
            dialect: self.0.dialect,
            node: k,
            place: Place::Own(k),
            number: k,
        })
    }

    fn place(&self, var: u32) -> Place {
        Place::Own(var)
    }

    fn output(&self) -> &Operand {
        &self.0.output
    }

    fn n_lines(&self) -> u32 {
        self.0.lines.len() as u32
    }

    fn n_shared(&self) -> usize {
        0
    }

    fn level(&self, _: u32) -> Level {
        Level::Input
    }
}

/// A program of a battery.
pub(crate) struct OfBattery<'b> {
    pub(crate) battery: &'b Battery,
    pub(crate) graph: &'b Graph,
    pub(crate) program: usize,
}

impl Script for OfBattery<'_> {
    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let ready = &self.graph.programs()[self.program];
        ready.lines.iter().map(|line| {
            let node = &self.battery.nodes[line.node as usize];
            Line {
                op: &node.op,
                dialect: node.dialect,
                node: line.node,
                place: self.place(line.node),
                number: line.number,
            }
        })
    }

    fn place(&self, var: u32) -> Place {
        self.graph.place(NodeId(var))
    }

    fn output(&self) -> &Operand {
        &self.battery.outs[self.program].output
    }

    fn n_lines(&self) -> u32 {
        self.battery.outs[self.program].lines.len() as u32
    }

    fn n_shared(&self) -> usize {
        self.graph.n_shared()
    }

    fn level(&self, shared: u32) -> Level {
        self.graph.level(shared)
    }
}
