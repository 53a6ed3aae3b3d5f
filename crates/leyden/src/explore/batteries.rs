//! Batteries: the programs of all files as one graph, and the batteries that the user named.

use std::collections::BTreeMap;

use leyden_explore::{Call, Refusal, Reply};
use leyden_lang::NodeId;
use serde_json::{Value, json};

use super::graph::{Graph, name_of};
use super::paging::Page;
use super::shelf::Shown;
use super::{App, FIRST_PASS_FUEL};
use crate::host::{Backend, HowToRun, TaskRun};

/// The id of the battery of all files of programs.
const SHELF: &str = "shelf";
/// A node shows at most this many users, and as many nodes below its arguments.
const MOST_NEAR: usize = 24;
/// A node shows at most this many programs.
const MOST_PROGRAMS: usize = 60;
/// A page of the matrix has at most this many tasks.
const MOST_TASKS: usize = 10;
/// A page of the matrix has at most this many programs, the best ones.
const MOST_ROWS: usize = 100;

impl App {
    /// The battery with an id. The first call merges the programs.
    fn graph(&self, id: &str) -> Result<&Graph, Refusal> {
        if id == SHELF {
            let programs = || self.shelf.programs.iter().map(|shown| &shown.program);
            return Ok(self
                .shelf_graph
                .get_or_init(|| Graph::of_programs(programs())));
        }
        let missing = || Refusal::missing(format!("no battery {id} is open"));
        self.files.battery(id).ok_or_else(missing)
    }

    /// The programs of the library that a battery is made of, in its order.
    fn known_in(&self, id: &str) -> &[Shown] {
        match id {
            SHELF => &self.shelf.programs,
            _ => &[],
        }
    }

    pub(super) fn batteries(&self, _: &Call) -> Result<Reply, Refusal> {
        let shelf = json!({
            "id": SHELF,
            "name": "all open files of programs",
            "programs": self.shelf.programs.len(),
        });
        let opened = self.files.batteries().map(|(file, graph)| {
            json!({ "id": file.id, "name": file.name, "programs": graph.battery.outs.len() })
        });
        let all: Vec<Value> = std::iter::once(shelf).chain(opened).collect();
        Ok(Reply::Json(json!({ "batteries": all })))
    }

    pub(super) fn battery(&self, call: &Call) -> Result<Reply, Refusal> {
        let id = call.path("battery")?;
        let graph = self.graph(id)?;
        let (n_lines, n_nodes) = (graph.battery.n_lines(), graph.battery.nodes.len());
        Ok(Reply::Json(json!({
            "id": id,
            "programs": graph.battery.outs.len(),
            "lines": n_lines,
            "nodes": n_nodes,
            "saved": n_lines.saturating_sub(n_nodes),
            "depth": graph.depths.iter().max().copied().unwrap_or(0),
            "shared": graph.n_programs.iter().filter(|n| **n > 1).count(),
        })))
    }

    pub(super) fn nodes(&self, call: &Call) -> Result<Reply, Refusal> {
        let graph = self.graph(call.path("battery")?)?;
        let page = Page::of(call)?;
        let words = call.words_of("q").to_ascii_lowercase();
        let has_words = |id: &NodeId| {
            let text = graph.texts[id.index()].to_ascii_lowercase();
            words.split_whitespace().all(|word| text.contains(word))
        };
        let all = (0..graph.battery.nodes.len() as u32).map(NodeId);
        let mut found: Vec<NodeId> = all.filter(has_words).collect();
        sort(&mut found, graph, call.words_of("sort"))?;
        let nodes: Vec<Value> = page.cut(&found).iter().map(|id| row(graph, *id)).collect();
        Ok(Reply::Json(json!({
            "total": found.len(),
            "offset": page.offset,
            "nodes": nodes,
        })))
    }

    pub(super) fn node(&self, call: &Call) -> Result<Reply, Refusal> {
        let graph = self.graph(call.path("battery")?)?;
        let name = call.path("node")?;
        let missing = || Refusal::missing(format!("the battery has no node {name}"));
        let id = graph.node(name).ok_or_else(missing)?;
        let known = self.known_in(call.path("battery")?);
        let programs = graph.programs_with(id, MOST_PROGRAMS);
        let programs = programs.iter().map(|k| program(graph, *k, known));
        let mut shown = row(graph, id);
        shown["line"] = graph.line(id).into();
        shown["dialect"] = graph.battery.nodes[id.index()].dialect.name().into();
        shown["programs"] = programs.collect();
        shown["n_programs"] = graph.n_programs[id.index()].into();
        let (nodes, edges) = neighbourhood(graph, id);
        shown["nodes"] = nodes.into();
        shown["edges"] = edges.into();
        Ok(Reply::Json(shown))
    }

    pub(super) fn matrix(&self, call: &Call) -> Result<Reply, Refusal> {
        let graph = self.graph(call.path("battery")?)?;
        let set = self.set(call.words_of("set"))?;
        let page = Page::within(call, MOST_TASKS, MOST_TASKS)?;
        let tasks = page.cut(set.tasks());
        let how = HowToRun {
            fuel: FIRST_PASS_FUEL,
            backend: Some(Backend::Cpu),
            cancel: call.cancel.clone(),
            ..HowToRun::default()
        };
        let ran = graph.ready().run(tasks, &how, &|| {});
        let ran = ran.map_err(|refused| Refusal::new(500, refused.message))?;
        let known = self.known_in(call.path("battery")?);
        let (rows, n_more) = matrix_rows(graph, &ran.tasks, known);
        let task = |task: &leyden_grid::Task| json!({ "id": task.id, "demos": task.demos.len() });
        Ok(Reply::Json(json!({
            "set": set.id(),
            "total": set.tasks().len(),
            "offset": page.offset,
            "tasks": tasks.iter().map(task).collect::<Vec<_>>(),
            "rows": rows,
            "more": n_more,
        })))
    }
}

fn sort(nodes: &mut [NodeId], graph: &Graph, name: &str) -> Result<(), Refusal> {
    let bare = name.strip_prefix('-').unwrap_or(name);
    let key: Box<dyn Fn(&NodeId) -> u32> = match bare {
        "" | "programs" => Box::new(|id| u32::MAX - graph.n_programs[id.index()]),
        "users" => Box::new(|id| u32::MAX - graph.users[id.index()].len() as u32),
        "depth" => Box::new(|id| u32::MAX - graph.depths[id.index()]),
        "id" => Box::new(|id| id.0),
        "text" => {
            nodes.sort_by(|a, b| graph.texts[a.index()].cmp(&graph.texts[b.index()]));
            Box::new(|_| 0)
        }
        _ => {
            let message = "sort: `programs`, `users`, `depth`, `id` or `text`";
            return Err(Refusal::bad(message));
        }
    };
    nodes.sort_by_key(|id| key(id));
    if bare != name {
        nodes.reverse();
    }
    Ok(())
}

fn row(graph: &Graph, id: NodeId) -> Value {
    let k = id.index();
    json!({
        "id": name_of(id),
        "text": graph.texts[k],
        "users": graph.users[k].len(),
        "programs": graph.n_programs[k],
        "depth": graph.depths[k],
    })
}

fn program(graph: &Graph, k: usize, known: &[Shown]) -> Value {
    let out = &graph.battery.outs[k];
    json!({
        "hash": known.get(k).map(|shown| shown.hash),
        "name": out.name,
        "origin": out.origin,
        "task": out.task_id(),
    })
}

/// The nodes around one, in layers from the arguments of its arguments to its users, and the edges
/// between them.
fn neighbourhood(graph: &Graph, id: NodeId) -> (Vec<Value>, Vec<Value>) {
    let arguments = graph.arguments(id);
    let below: Vec<NodeId> = arguments
        .iter()
        .flat_map(|it| graph.arguments(*it))
        .collect();
    let users = graph.users[id.index()].iter().take(MOST_NEAR).copied();
    let mut layers: BTreeMap<NodeId, i32> = users.map(|user| (user, 1)).collect();
    layers.insert(id, 0);
    arguments.iter().for_each(|it| {
        layers.insert(*it, -1);
    });
    for node in below.into_iter().take(MOST_NEAR) {
        layers.entry(node).or_insert(-2);
    }
    let mut n_in_layer: BTreeMap<i32, usize> = BTreeMap::new();
    let nodes = layers.iter().map(|(node, layer)| {
        let place = n_in_layer.entry(*layer).or_default();
        let mut shown = row(graph, *node);
        shown["line"] = graph.line(*node).into();
        shown["layer"] = (*layer).into();
        shown["place"] = (*place).into();
        *place += 1;
        shown
    });
    let nodes: Vec<Value> = nodes.collect();
    let edges = layers.keys().flat_map(|user| {
        let arguments = graph.arguments(*user).into_iter();
        let shown = arguments.filter(|it| layers.contains_key(it));
        shown.map(|it| json!([name_of(it), name_of(*user)]))
    });
    (nodes, edges.collect())
}

/// The programs with a right demonstration, best first, and how many more there are.
fn matrix_rows(graph: &Graph, runs: &[TaskRun], known: &[Shown]) -> (Vec<Value>, usize) {
    let marks = |k: usize| {
        runs.iter()
            .map(|run| run.hits(k).n_demos)
            .collect::<Vec<_>>()
    };
    let fits = |k: usize| runs.iter().filter(|run| run.fits(k)).count();
    let all = 0..graph.battery.outs.len();
    let mut rows: Vec<(usize, Vec<usize>)> = all.map(|k| (k, marks(k))).collect();
    rows.retain(|(_, marks)| marks.iter().any(|n| *n > 0));
    rows.sort_by_cached_key(|(k, marks)| {
        let n_right: usize = marks.iter().sum();
        (std::cmp::Reverse((fits(*k), n_right)), *k)
    });
    let n_more = rows.len().saturating_sub(MOST_ROWS);
    let best = rows.iter().take(MOST_ROWS);
    let row = |(k, marks): &(usize, Vec<usize>)| {
        let mut shown = program(graph, *k, known);
        shown["right"] = json!(marks);
        shown
    };
    (best.map(row).collect(), n_more)
}
