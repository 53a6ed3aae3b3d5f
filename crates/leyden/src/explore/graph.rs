//! A battery with the tables that the page asks for: users, depths, texts.

use std::sync::OnceLock;

use leyden_lang::{Battery, NodeId, Op, Operand, Program, Rules, Scripts};

use crate::host::ReadyBattery;

/// Expressions go so deep; deeper nodes are written by their numbers.
const MOST_DEPTH: usize = 3;
/// Longer expressions are cut.
const MOST_CHARS: usize = 160;

/// A battery and what follows from it.
pub(super) struct Graph {
    pub(super) battery: Battery,
    /// For each node the nodes that read it.
    pub(super) users: Vec<Vec<NodeId>>,
    /// For each node the number of programs that need it.
    pub(super) n_programs: Vec<u32>,
    /// For each node the longest way from an input.
    pub(super) depths: Vec<u32>,
    /// For each node its expression.
    pub(super) texts: Vec<String>,
    ready: OnceLock<ReadyBattery>,
}

impl Graph {
    /// Merges programs.
    pub(super) fn of_programs<'p>(programs: impl Iterator<Item = &'p Program>) -> Graph {
        Graph::new(Battery::from_programs(programs, Rules::ALL))
    }

    pub(super) fn new(battery: Battery) -> Graph {
        let ids = (0..battery.nodes.len() as u32).map(NodeId);
        Graph {
            users: users(&battery),
            n_programs: n_programs(&battery),
            depths: depths(&battery),
            texts: ids.map(|id| expression(&battery, id)).collect(),
            battery,
            ready: OnceLock::new(),
        }
    }

    /// The battery, ready to run.
    pub(super) fn ready(&self) -> &ReadyBattery {
        let make = || ReadyBattery::new(self.battery.clone());
        self.ready.get_or_init(make)
    }

    /// The node of a name such as `t12`.
    pub(super) fn node(&self, name: &str) -> Option<NodeId> {
        let number: u32 = name.strip_prefix('t')?.parse().ok()?;
        let index = number.checked_sub(1)?;
        ((index as usize) < self.battery.nodes.len()).then_some(NodeId(index))
    }

    /// The nodes that a node reads, each once.
    pub(super) fn arguments(&self, node: NodeId) -> Vec<NodeId> {
        let mut arguments: Vec<NodeId> = nodes_of(&self.battery.nodes[node.index()].op).collect();
        arguments.sort();
        arguments.dedup();
        arguments
    }

    /// The places of the programs that need a node, at most `most`.
    pub(super) fn programs_with(&self, node: NodeId, most: usize) -> Vec<usize> {
        let mut scripts = Scripts::new(&self.battery);
        let has = |k: &usize| scripts.script(*k).iter().any(|step| step.node == node);
        (0..self.battery.outs.len())
            .filter(has)
            .take(most)
            .collect()
    }

    /// The node with its arguments by number.
    pub(super) fn line(&self, node: NodeId) -> String {
        let mut text = String::new();
        write_op(
            &mut text,
            &self.battery,
            &self.battery.nodes[node.index()].op,
            0,
        );
        text
    }
}

/// The name of a node, as the text form of batteries has it.
pub(super) fn name_of(node: NodeId) -> String {
    format!("t{}", u64::from(node.0) + 1)
}

fn nodes_of(op: &Op) -> impl Iterator<Item = NodeId> {
    op.operands().filter_map(|operand| match operand {
        Operand::Var(k) => Some(NodeId(k)),
        _ => None,
    })
}

fn users(battery: &Battery) -> Vec<Vec<NodeId>> {
    let mut users = vec![Vec::new(); battery.nodes.len()];
    for (k, node) in battery.nodes.iter().enumerate() {
        let user = NodeId(k as u32);
        for argument in nodes_of(&node.op) {
            let known: &mut Vec<NodeId> = &mut users[argument.index()];
            if known.last() != Some(&user) {
                known.push(user);
            }
        }
    }
    users
}

fn n_programs(battery: &Battery) -> Vec<u32> {
    let mut counts = vec![0; battery.nodes.len()];
    let mut scripts = Scripts::new(battery);
    for k in 0..battery.outs.len() {
        let script = scripts.script(k);
        script
            .iter()
            .for_each(|step| counts[step.node.index()] += 1);
    }
    counts
}

fn depths(battery: &Battery) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(battery.nodes.len());
    for node in &battery.nodes {
        let below = nodes_of(&node.op).map(|node| depths[node.index()]).max();
        depths.push(below.unwrap_or(0) + 1);
    }
    depths
}

fn expression(battery: &Battery, node: NodeId) -> String {
    let mut text = String::new();
    write_op(
        &mut text,
        battery,
        &battery.nodes[node.index()].op,
        MOST_DEPTH,
    );
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

fn write_op(out: &mut String, battery: &Battery, op: &Op, depth: usize) {
    let (callee, items) = match op {
        Op::Copy(value) => return write_operand(out, battery, *value, depth),
        Op::Tuple(items) => (None, items),
        Op::Call { callee, args } => (Some(*callee), args),
    };
    if let Some(callee) = callee {
        write_operand(out, battery, callee, depth);
    }
    out.push('(');
    for (k, item) in items.iter().enumerate() {
        if k > 0 {
            out.push_str(", ");
        }
        write_operand(out, battery, *item, depth);
    }
    let is_single = callee.is_none() && items.len() == 1;
    out.push_str(if is_single { ",)" } else { ")" });
}

fn write_operand(out: &mut String, battery: &Battery, operand: Operand, depth: usize) {
    match operand {
        Operand::Var(k) if depth > 0 && out.len() < MOST_CHARS => {
            write_op(out, battery, &battery.nodes[k as usize].op, depth - 1);
        }
        Operand::Var(k) => out.push_str(&name_of(NodeId(k))),
        Operand::Input(input) => out.push_str(input.name()),
        Operand::Const(id) => out.push_str(id.name()),
        Operand::Int(number) => out.push_str(&number.to_string()),
        Operand::None => out.push_str("None"),
        Operand::Prim(prim) => out.push_str(prim.name()),
    }
}

#[cfg(test)]
mod tests {
    use leyden_lang::parse;

    use super::*;

    #[test]
    fn nodes_know_users_programs_and_depth() {
        let source = "\
def solve_00000001(I):\n    x1 = vmirror(I)\n    return hconcat(I, x1)\n\n\
def solve_00000002(I):\n    x1 = vmirror(I)\n    return vconcat(x1, x1)\n";
        let programs = parse(source, "a.py", None).unwrap();
        let graph = Graph::of_programs(programs.iter());
        let shared = graph.node("t1").unwrap();
        assert_eq!(graph.texts[0], "vmirror(I)");
        assert_eq!(graph.texts[1], "hconcat(I, vmirror(I))");
        assert_eq!(graph.line(NodeId(1)), "hconcat(I, t1)");
        assert_eq!(graph.users[0], [NodeId(1), NodeId(2)]);
        assert_eq!(graph.arguments(NodeId(2)), [shared]);
        assert_eq!((graph.n_programs[0], graph.n_programs[2]), (2, 1));
        assert_eq!(graph.depths, [1, 2, 2]);
        assert_eq!(graph.programs_with(shared, 9), [0, 1]);
        assert_eq!(graph.programs_with(shared, 1), [0]);
        assert_eq!(
            (graph.node("t0"), graph.node("t4"), graph.node("x1")),
            (None, None, None)
        );
    }
}
