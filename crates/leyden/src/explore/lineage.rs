//! Where a program comes from and what was made of it, as a tree with the change on each edge.

use leyden_explore::{Call, Refusal, Reply};
use leyden_lang::print_python_alone;
use leyden_store::library::ProgramHash;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::App;
use super::catalogue::{Catalogue, Row};
use super::differences::{Difference, difference};
use super::library::hash_of;

/// At most this many ancestors, the nearest ones.
const MOST_ANCESTORS: usize = 40;
/// At most this many descendants, the nearest ones.
const MOST_DESCENDANTS: usize = 60;
/// At most this many children of one program.
const MOST_CHILDREN: usize = 12;

/// A program of the tree.
struct Node {
    hash: ProgramHash,
    /// Negative for ancestors.
    layer: i32,
    /// The place in its layer, in units of one program.
    place: f64,
    parent: Option<usize>,
}

/// The tree of a program.
struct Lineage<'c> {
    catalogue: &'c Catalogue,
    nodes: Vec<Node>,
    seen: FxHashSet<u128>,
}

impl App {
    pub(super) fn lineage(&self, call: &Call) -> Result<Reply, Refusal> {
        let hash = hash_of(call)?;
        self.found(hash)?;
        let catalogue = self.catalogue()?;
        let mut lineage = Lineage {
            catalogue: &catalogue,
            nodes: Vec::new(),
            seen: FxHashSet::default(),
        };
        let root = lineage.add_ancestors(hash);
        lineage.add_descendants(root);
        lineage.settle_places(root);
        let nodes: Vec<Value> = lineage.nodes.iter().map(|it| lineage.in_json(it)).collect();
        let texts = self.texts(&lineage.nodes)?;
        let edges = lineage.nodes.iter().enumerate().filter_map(|(k, node)| {
            let parent = node.parent?;
            let texts = texts[parent].as_deref().zip(texts[k].as_deref());
            Some(edge(
                lineage.nodes[parent].hash,
                node.hash,
                texts,
                &catalogue,
            ))
        });
        Ok(Reply::Json(json!({
            "hash": hash,
            "nodes": nodes,
            "edges": edges.collect::<Vec<_>>(),
        })))
    }

    /// The text of each program that is not missing.
    fn texts(&self, nodes: &[Node]) -> Result<Vec<Option<String>>, Refusal> {
        let store = self.open_store()?;
        let text = |node: &Node| {
            let found = self.found_beside(store.as_ref(), node.hash).ok()?;
            Some(print_python_alone(found.program()))
        };
        Ok(nodes.iter().map(text).collect())
    }
}

fn edge(
    from: ProgramHash,
    to: ProgramHash,
    texts: Option<(&str, &str)>,
    catalogue: &Catalogue,
) -> Value {
    let changed = texts.map(|(old, new)| difference(&body(old), &body(new)));
    let Difference { removed, added } = changed.unwrap_or_default();
    json!({
        "from": from,
        "to": to,
        "mutation": catalogue.row(to).map_or("", |row| &row.mutation),
        "removed": removed,
        "added": added,
    })
}

/// The lines of a program without its head, whose name always differs.
fn body(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.starts_with("def ") && !line.starts_with('#'))
        .collect()
}

impl Lineage<'_> {
    /// Adds the program and its ancestors; gives the place of the program.
    fn add_ancestors(&mut self, hash: ProgramHash) -> usize {
        let mut chain = vec![hash];
        self.seen.insert(hash.0);
        while let Some(parent) = chain.last().and_then(|last| self.parent(*last)) {
            if chain.len() > MOST_ANCESTORS || !self.seen.insert(parent.0) {
                break;
            }
            chain.push(parent);
        }
        for (k, hash) in chain.iter().rev().enumerate() {
            self.nodes.push(Node {
                hash: *hash,
                layer: k as i32 + 1 - chain.len() as i32,
                place: 0.0,
                parent: k.checked_sub(1),
            });
        }
        self.nodes.len() - 1
    }

    fn parent(&self, hash: ProgramHash) -> Option<ProgramHash> {
        self.catalogue.row(hash)?.parent
    }

    /// Adds children layer by layer.
    fn add_descendants(&mut self, root: usize) {
        let mut next = root;
        let most = self.nodes.len() + MOST_DESCENDANTS;
        while next < self.nodes.len() {
            let (hash, layer) = (self.nodes[next].hash, self.nodes[next].layer + 1);
            for child in self.catalogue.children(hash).take(MOST_CHILDREN) {
                if self.nodes.len() >= most || !self.seen.insert(child.hash.0) {
                    continue;
                }
                self.nodes.push(Node {
                    hash: child.hash,
                    layer,
                    place: 0.0,
                    parent: Some(next),
                });
            }
            next += 1;
        }
    }

    /// Programs without children stand side by side; the others stand above the middle of theirs.
    fn settle_places(&mut self, root: usize) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (k, node) in self.nodes.iter().enumerate().skip(root + 1) {
            if let Some(parent) = node.parent {
                children[parent].push(k);
            }
        }
        let mut n_leaves = 0.0;
        // Each program comes twice: before its children, and behind them.
        let mut stack = vec![(root, false)];
        while let Some((k, is_done)) = stack.pop() {
            let below = &children[k];
            if let (true, Some(first), Some(last)) = (is_done, below.first(), below.last()) {
                self.nodes[k].place = (self.nodes[*first].place + self.nodes[*last].place) / 2.0;
            } else if below.is_empty() {
                self.nodes[k].place = n_leaves;
                n_leaves += 1.0;
            } else {
                stack.push((k, true));
                stack.extend(below.iter().rev().map(|child| (*child, false)));
            }
        }
        let middle = self.nodes[root].place;
        let above = self.nodes[..root].iter_mut();
        above.for_each(|node| node.place = middle);
    }

    fn in_json(&self, node: &Node) -> Value {
        let row = self.catalogue.row(node.hash);
        let mut shown = row.map_or_else(|| json!({ "hash": node.hash }), Row::to_json);
        shown["is_missing"] = row.is_none().into();
        shown["layer"] = node.layer.into();
        shown["place"] = node.place.into();
        shown["children"] = self.catalogue.children(node.hash).len().into();
        shown
    }
}
