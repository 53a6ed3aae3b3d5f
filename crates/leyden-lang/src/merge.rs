//! Merges programs into a battery, each computation once.

use std::hash::{Hash, Hasher};

use leyden_dsl::table::{Dialect, Prim};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};

use crate::battery::{Battery, Mutation, Node, NodeId, Out, differs_by_dialect};
use crate::passes::{Facts, RULES, Rewrite, Rule, Rules, View, functions_are_values, is_shallow};
use crate::program::{Input, Op, Operand, Program};

/// A battery that grows by programs.
///
/// The cost of adding a program depends on its own lines, not on the size of the battery. The ids
/// of all nodes stay.
#[derive(Clone, Debug, Default)]
pub struct Merger {
    battery: Battery,
    rules: Rules,
    index: Index,
    facts: Vec<Facts>,
    /// For each node, the number of the last program that needed it.
    needed_by: Vec<u32>,
    n_merged: u32,
    has_garbage: bool,
    /// An empty list of arguments, kept for its memory.
    spare: Vec<Operand>,
    signatures: FxHashSet<u64>,
    n_rewrites: [u32; RULES.len()],
}

impl Merger {
    /// An empty battery whose programs will be merged with these rules.
    pub fn new(rules: Rules) -> Merger {
        Merger {
            rules,
            ..Merger::default()
        }
    }

    /// Continues with a battery.
    pub fn resume(battery: Battery, rules: Rules) -> Merger {
        let mut merger = Merger::new(rules);
        let mut copies = Copies::default();
        for node in battery.nodes {
            let key = hash_of(&node.op, Home::of(&node.op, node.dialect));
            merger.push((key, copies.next(key)), node);
        }
        let signatures = battery.outs.iter().map(signature_of);
        merger.signatures = signatures.collect();
        merger.battery.outs = battery.outs;
        merger
    }

    /// The battery so far.
    pub fn battery(&self) -> &Battery {
        &self.battery
    }

    /// The number of times that each of [`RULES`] was applied.
    pub fn n_rewrites(&self) -> &[u32] {
        &self.n_rewrites
    }

    /// The battery, without nodes that no program needs.
    pub fn finish(mut self) -> Battery {
        if self.has_garbage {
            self.battery.sweep();
        }
        self.battery
    }

    /// Adds an unchanged program and returns its place among the programs.
    pub fn add(&mut self, program: &Program) -> usize {
        self.add_original(program, &program.name)
    }

    /// Adds a program that differs from its original only in its name.
    pub fn add_original(&mut self, program: &Program, origin: &str) -> usize {
        let out = self.merge(program, origin, Vec::new());
        self.signatures.insert(signature_of(&out));
        self.battery.outs.push(out);
        self.battery.outs.len() - 1
    }

    /// Adds a program that was made from another, unless an equivalent one is there: one that gives
    /// the same value, or faults at the same lines, after all rules were applied.
    pub fn add_new(
        &mut self,
        program: &Program,
        origin: &str,
        mutations: Vec<Mutation>,
    ) -> Option<usize> {
        let out = self.merge(program, origin, mutations);
        let is_new = self.signatures.insert(signature_of(&out));
        is_new.then(|| {
            self.battery.outs.push(out);
            self.battery.outs.len() - 1
        })
    }

    /// Replaces a program, at the cost of its own lines. Nodes that no program needs any more stay
    /// until the battery is finished.
    pub fn replace(&mut self, k: usize, program: &Program) {
        let out = self.merge(program, &program.name, Vec::new());
        self.signatures.remove(&signature_of(&self.battery.outs[k]));
        self.signatures.insert(signature_of(&out));
        self.battery.outs[k] = out;
        self.has_garbage = true;
    }

    fn merge(&mut self, program: &Program, origin: &str, mutations: Vec<Mutation>) -> Out {
        let scope = Scope::of(program);
        let mut copies = scope.identity_matters.then(Copies::default);
        self.n_merged += 1;
        let mut lines: Vec<Operand> = Vec::with_capacity(program.lines.len());
        for line in &program.lines {
            let op = self.imaged(&line.op, &lines);
            let value = match self.rewritten(op, &scope) {
                Rewrite::Is(operand) => operand,
                Rewrite::Op(op) => self.intern(op, program.dialect, copies.as_mut()),
            };
            lines.push(value);
        }
        let output = image(&lines, program.output);
        if self.rules.drops() && scope.functions_are_plain {
            self.drop_functions(&mut lines, output);
        }
        Out {
            name: program.name.clone(),
            origin: origin.to_owned(),
            mutations,
            dialect: program.dialect,
            inputs: program.inputs.clone(),
            lines,
            output,
        }
    }

    /// Translates a program's operation into the graph. Most operations are there already, so the
    /// memory of their lists of arguments is used again.
    fn imaged(&mut self, op: &Op, lines: &[Operand]) -> Op {
        let mut listed = |operands: &[Operand]| {
            let mut list = std::mem::take(&mut self.spare);
            list.extend(operands.iter().map(|operand| image(lines, *operand)));
            list
        };
        match op {
            Op::Copy(value) => Op::Copy(image(lines, *value)),
            Op::Tuple(items) => Op::Tuple(listed(items)),
            Op::Call { callee, args } => Op::Call {
                callee: image(lines, *callee),
                args: listed(args),
            },
        }
    }

    fn recycle(&mut self, op: Op) {
        if let Op::Tuple(mut list) | Op::Call { args: mut list, .. } = op {
            list.clear();
            self.spare = list;
        }
    }

    /// Applies rules until none fits. Every rule makes an operation smaller or brings it closer to
    /// one order, so the loop ends. The bound protects against a future rule that does neither.
    fn rewritten(&mut self, mut op: Op, scope: &Scope) -> Rewrite {
        for _ in 0..MOST_REWRITES {
            match self.rewrite(&op, scope) {
                Some(Rewrite::Op(other)) => op = other,
                Some(value) => return value,
                None => break,
            }
        }
        Rewrite::Op(op)
    }

    fn rewrite(&mut self, op: &Op, scope: &Scope) -> Option<Rewrite> {
        let view = View {
            nodes: &self.battery.nodes,
            facts: &self.facts,
            dialect: scope.dialect,
        };
        let rules = RULES.iter().enumerate();
        let mut rules = rules.filter(|(k, rule)| self.rules.has(*k) && scope.allows(rule));
        let (k, found) = rules.find_map(|(k, rule)| Some((k, (rule.rewrite)(&view, op)?)))?;
        self.n_rewrites[k] += 1;
        Some(found)
    }

    /// Finds the node of an operation, or makes it.
    fn intern(&mut self, op: Op, dialect: Dialect, copies: Option<&mut Copies>) -> Operand {
        let home = Home::of(&op, dialect);
        let key = hash_of(&op, home);
        let key = (key, copies.map_or(0, |copies| copies.next(key)));
        let nodes = &self.battery.nodes;
        let same = |id: NodeId| {
            let node = &nodes[id.index()];
            node.op == op && (node.dialect == dialect || Home::of(&node.op, node.dialect) == home)
        };
        match self.index.find(key, same) {
            Some(id) => {
                self.recycle(op);
                id.operand()
            }
            None => self.push(key, Node { op, dialect }).operand(),
        }
    }

    fn push(&mut self, key: (u64, u32), node: Node) -> NodeId {
        self.index.insert(key);
        self.facts.push(Facts::of_op(&node.op, &self.facts));
        self.needed_by.push(0);
        self.battery.nodes.push(node);
        NodeId(self.battery.nodes.len() as u32 - 1)
    }

    /// Drops lines that make functions which the program never uses: making a function cannot
    /// fault.
    fn drop_functions(&mut self, lines: &mut [Operand], output: Operand) {
        self.need(output);
        for line in lines.iter_mut().rev() {
            let Operand::Var(k) = *line else { continue };
            if self.needed_by[k as usize] != self.n_merged && self.is_sound_function(k) {
                *line = Operand::None;
                self.has_garbage = true;
                continue;
            }
            let op = std::mem::replace(&mut self.battery.nodes[k as usize].op, NOTHING);
            op.operands().for_each(|operand| self.need(operand));
            self.battery.nodes[k as usize].op = op;
        }
    }

    fn need(&mut self, operand: Operand) {
        if let Operand::Var(k) = operand {
            self.needed_by[k as usize] = self.n_merged;
        }
    }

    fn is_sound_function(&self, k: u32) -> bool {
        self.facts[k as usize].has(Facts::FUNCTION)
    }
}

const MOST_REWRITES: usize = 32;
const NOTHING: Op = Op::Copy(Operand::None);

/// Facts about a whole program that decide how its lines are merged.
struct Scope {
    dialect: Dialect,
    /// Whether functions are only called, and the program makes too few of them to nest deep.
    functions_are_plain: bool,
    identity_matters: bool,
    /// Whether the program scores outputs: its `I` may be any value.
    scores: bool,
}

impl Scope {
    fn of(program: &Program) -> Scope {
        let functions_are_values = functions_are_values(program);
        Scope {
            dialect: program.dialect,
            functions_are_plain: !functions_are_values && is_shallow(program),
            identity_matters: functions_are_values || intersects(program),
            scores: program.inputs.contains(&Input::C),
        }
    }

    fn allows(&self, rule: &Rule) -> bool {
        let is_common = is_common(self.dialect) || rule.name == "copies";
        is_common
            && (self.functions_are_plain || !rule.on_functions)
            && !(self.scores && rule.on_grids)
    }
}

/// Whether the program calls `a & b`, whose order depends on whether `a` is `b` or only equals it.
/// Two equal lines must then stay two nodes. They must do so too if functions are values, because a
/// function equals only itself.
fn intersects(program: &Program) -> bool {
    let mut operands = program.ops().flat_map(Op::operands);
    operands.any(|operand| operand == Operand::Prim(Prim::intersection))
}

/// A hash of a program's behaviour. Programs get equal hashes if they have equal outputs and equal
/// lines in equal order; repeated lines count once.
fn signature_of(out: &Out) -> u64 {
    let mut hasher = FxHasher::default();
    let mut seen = FxHashSet::with_capacity_and_hasher(out.lines.len(), FxBuildHasher);
    for line in &out.lines {
        if let Operand::Var(k) = line
            && seen.insert(*k)
        {
            k.hash(&mut hasher);
        }
    }
    out.output.hash(&mut hasher);
    hasher.finish()
}

/// The operand of the graph for an operand of a line. A program built by hand may read a line that
/// does not exist, which gives `None`.
fn image(lines: &[Operand], operand: Operand) -> Operand {
    match operand {
        Operand::Var(k) => lines.get(k as usize).copied().unwrap_or(Operand::None),
        other => other,
    }
}

/// Whether a dialect is arc-dsl or re-arc, which differ in three primitives only.
fn is_common(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::ArcDsl | Dialect::ReArc)
}

/// The dialects that may share a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Home {
    /// arc-dsl and re-arc, which differ in three primitives only.
    Common,
    /// One dialect.
    Own(Dialect),
}

impl Home {
    /// Decides by the operation alone: its operands are nodes, which are already apart if they must
    /// be.
    #[inline]
    fn of(op: &Op, dialect: Dialect) -> Home {
        let differs = |operand| matches!(operand, Operand::Prim(prim) if differs_by_dialect(prim));
        if is_common(dialect) && !op.operands().any(differs) {
            Home::Common
        } else {
            Home::Own(own_dialect(op, dialect))
        }
    }
}

/// Lets a line of a generated batt share its node with tokpidjin's other programs, unless it calls
/// a variable. Other lines have nothing to catch, because tokpidjin's primitives never raise.
#[cold]
fn own_dialect(op: &Op, dialect: Dialect) -> Dialect {
    if dialect.lines_catch() && !op.calls_a_value() {
        Dialect::Tokpidjin
    } else {
        dialect
    }
}

/// Counts equal operations of a program.
#[derive(Clone, Debug, Default)]
struct Copies(FxHashMap<u64, u32>);

impl Copies {
    fn next(&mut self, key: u64) -> u32 {
        let count = self.0.entry(key).or_default();
        *count += 1;
        *count - 1
    }
}

/// Finds nodes by their operations and by the number of the copy.
#[derive(Clone, Debug, Default)]
struct Index {
    /// The last node of each key.
    last: FxHashMap<(u64, u32), NodeId>,
    /// For each node, the node before it with an equal key.
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
