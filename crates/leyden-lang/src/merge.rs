//! Puts programs into a battery, each computation once.

use std::hash::{Hash, Hasher};

use leyden_dsl::table::{Dialect, Prim};
use rustc_hash::{FxHashMap, FxHasher};

use crate::battery::{Battery, Mutation, Node, NodeId, Out, differs_by_dialect};
use crate::passes::Rules;
use crate::program::{Op, Operand, Program};

/// A battery that programs can be added to.
///
/// Adding a program costs what its own lines cost, however large the battery is, and leaves the
/// ids of all nodes alone.
#[derive(Clone, Debug, Default)]
pub struct Merger {
    battery: Battery,
    rules: Rules,
    index: Index,
}

impl Merger {
    /// An empty battery to which programs will be added with these rules.
    pub fn new(rules: Rules) -> Merger {
        Merger {
            rules,
            ..Merger::default()
        }
    }

    /// Goes on with a battery.
    pub fn resume(battery: Battery, rules: Rules) -> Merger {
        let (mut index, mut copies) = (Index::default(), Copies::default());
        for node in &battery.nodes {
            let key = hash_of(&node.op, Home::of(&node.op, node.dialect));
            index.insert((key, copies.next(key)));
        }
        Merger {
            battery,
            rules,
            index,
        }
    }

    /// What has been merged so far.
    pub fn battery(&self) -> &Battery {
        &self.battery
    }

    /// The battery.
    pub fn finish(self) -> Battery {
        self.battery
    }

    /// Adds a program that was not changed; gives its place among the programs.
    pub fn add(&mut self, program: &Program) -> usize {
        self.add_mutant(program, &program.name, Vec::new())
    }

    /// Adds a program that was made from another.
    pub fn add_mutant(
        &mut self,
        program: &Program,
        origin: &str,
        mutations: Vec<Mutation>,
    ) -> usize {
        let out = self.merge(program, origin, mutations);
        self.battery.outs.push(out);
        self.battery.outs.len() - 1
    }

    /// Puts a program in the place of another. Nodes that nobody needs any more stay until
    /// [`Battery::sweep`].
    pub fn replace(&mut self, k: usize, program: &Program) {
        self.battery.outs[k] = self.merge(program, &program.name, Vec::new());
    }

    fn merge(&mut self, program: &Program, origin: &str, mutations: Vec<Mutation>) -> Out {
        let mut copies = identity_matters(program).then(Copies::default);
        let mut lines: Vec<Operand> = Vec::with_capacity(program.lines.len());
        for line in &program.lines {
            let mut op = line.op.clone();
            let operands = op.operands_mut();
            operands.for_each(|operand| *operand = image(&lines, *operand));
            lines.push(self.intern(op, program.dialect, copies.as_mut()));
        }
        Out {
            name: program.name.clone(),
            origin: origin.to_owned(),
            mutations,
            dialect: program.dialect,
            inputs: program.inputs.clone(),
            output: image(&lines, program.output),
            lines,
        }
    }

    /// The node for an operation, made if there is none.
    fn intern(&mut self, op: Op, dialect: Dialect, copies: Option<&mut Copies>) -> Operand {
        let key = hash_of(&op, Home::of(&op, dialect));
        let copy = copies.map_or(0, |copies| copies.next(key));
        let nodes = &self.battery.nodes;
        let home = Home::of(&op, dialect);
        let same = |id: NodeId| {
            let node = &nodes[id.index()];
            node.op == op && Home::of(&node.op, node.dialect) == home
        };
        let found = self.index.find((key, copy), same);
        let id = found.unwrap_or_else(|| {
            self.index.insert((key, copy));
            self.battery.nodes.push(Node { op, dialect });
            NodeId(self.battery.nodes.len() as u32 - 1)
        });
        id.operand()
    }
}

/// What an operand of a line is in the graph. Programs that were built by hand may read what is
/// not there; that is `None` then.
fn image(lines: &[Operand], operand: Operand) -> Operand {
    match operand {
        Operand::Var(k) => lines.get(k as usize).copied().unwrap_or(Operand::None),
        other => other,
    }
}

/// Who may share a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Home {
    /// The two dialects that differ in three primitives only.
    Common,
    /// One dialect.
    Own(Dialect),
}

impl Home {
    /// Only the operation itself has to be looked at: what it reads are nodes, which are already
    /// apart if they must be.
    fn of(op: &Op, dialect: Dialect) -> Home {
        let is_common = matches!(dialect, Dialect::ArcDsl | Dialect::ReArc);
        let differs = |operand| matches!(operand, Operand::Prim(prim) if differs_by_dialect(prim));
        match is_common && !op.operands().any(differs) {
            true => Home::Common,
            false => Home::Own(dialect),
        }
    }
}

/// How often a program has said the same thing so far.
#[derive(Clone, Debug, Default)]
struct Copies(FxHashMap<u64, u32>);

impl Copies {
    fn next(&mut self, key: u64) -> u32 {
        let count = self.0.entry(key).or_default();
        *count += 1;
        *count - 1
    }
}

/// Finds nodes by what they do, and which of several copies they are.
#[derive(Clone, Debug, Default)]
struct Index {
    /// The last node of a hash.
    last: FxHashMap<(u64, u32), NodeId>,
    /// The node of the same hash before it, per node.
    before: Vec<Option<NodeId>>,
}

impl Index {
    fn find(&self, key: (u64, u32), same: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let mut at = self.last.get(&key).copied();
        while let Some(id) = at.filter(|id| !same(*id)) {
            at = self.before[id.index()];
        }
        at
    }

    /// Enters the newest node.
    fn insert(&mut self, key: (u64, u32)) {
        let id = NodeId(self.before.len() as u32);
        self.before.push(self.last.insert(key, id));
    }
}

fn hash_of(op: &Op, home: Home) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    home.hash(&mut hasher);
    hasher.finish()
}

/// Whether a program could tell two equal values apart. Then two of its lines that say the same
/// must stay two nodes: `a & b` gives another order when `a` is `b`, and functions are equal only
/// to themselves.
fn identity_matters(program: &Program) -> bool {
    let mut operands = program.ops().flat_map(Op::operands);
    operands.any(|operand| operand == Operand::Prim(Prim::intersection))
        || functions_are_values(program)
}

/// Whether functions go anywhere but where they are called.
fn functions_are_values(program: &Program) -> bool {
    let mut is_function = vec![false; program.lines.len()];
    for (k, line) in program.lines.iter().enumerate() {
        let holds = |operand: Operand| match operand {
            Operand::Var(k) => is_function.get(k as usize).copied().unwrap_or(false),
            Operand::Prim(_) => true,
            _ => false,
        };
        match escapes(&line.op, holds) {
            true => return true,
            false => is_function[k] = makes_function(&line.op, holds),
        }
    }
    false
}

fn makes_function(op: &Op, holds: impl Fn(Operand) -> bool) -> bool {
    match op {
        Op::Copy(value) => holds(*value),
        Op::Tuple(_) => false,
        Op::Call { callee, .. } => {
            matches!(callee, Operand::Prim(prim) if makes_functions(*prim))
        }
    }
}

/// Whether a line puts a function somewhere other than into a parameter for functions.
fn escapes(op: &Op, holds: impl Fn(Operand) -> bool) -> bool {
    match op {
        Op::Copy(_) => false,
        Op::Tuple(items) => items.iter().any(|item| holds(*item)),
        Op::Call {
            callee: Operand::Prim(prim),
            args,
        } => prim_escapes(*prim, args, holds),
        Op::Call { args, .. } => args.iter().any(|arg| holds(*arg)),
    }
}

fn prim_escapes(prim: Prim, args: &[Operand], holds: impl Fn(Operand) -> bool) -> bool {
    use leyden_dsl::types::Type::Callable;
    let makes = |arg: &Operand| matches!(arg, Operand::Prim(prim) if makes_functions(*prim));
    if args.iter().any(makes) {
        return true;
    }
    match (prim, args) {
        (Prim::rbind, [Operand::Prim(inner), fixed]) => {
            let last = inner.entry().params.last();
            holds(*fixed) && last.is_none_or(|param| param.ty != Callable)
        }
        (Prim::lbind, [Operand::Prim(inner), fixed]) => {
            let first = inner.entry().params.first();
            holds(*fixed) && first.is_none_or(|param| param.ty != Callable)
        }
        _ => {
            let params = prim.entry().params;
            let meant = |k: usize| params.get(k).is_some_and(|param| param.ty == Callable);
            (0..args.len()).any(|k| holds(args[k]) && !meant(k))
        }
    }
}

/// Whether a primitive gives a new function.
fn makes_functions(prim: Prim) -> bool {
    use Prim::*;
    matches!(
        prim,
        compose | chain | matcher | rbind | lbind | power | fork
    )
}
