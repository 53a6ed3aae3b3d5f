//! Results that are kept from one battery to the next.
//!
//! Rounds of a search run batteries that differ in a few programs, on samples that stay. The outcome
//! of a program depends on its lines and on the sample, so the content of both is the key. The
//! cache also knows nodes of the programs that have to run: the fuel of each, and its value if that
//! consists of numbers and tuples. It keeps no sets, as these carry their provenance, and no
//! functions, as a function equals only itself. The engine computes a node again only if a node
//! that runs needs its value and the cache has none.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use leyden_grid::Grid;
use leyden_lang::{Battery, Node, Operand, Scripts};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use crate::engine::{Engine, Mode, Sample};
use crate::outcome::Ran;
use crate::vm::values::portable::Plain;

/// An entry gets at most this part of the room for a sample.
const MOST_OF_ROOM: usize = 8;
/// The bytes of an entry without its contents.
const ENTRY_BYTES: usize = 96;
/// Entries make room in this order: first those without use for 8 rounds, then for 4, and so on.
const AGES: [u32; 4] = [8, 4, 2, 1];

/// Results of programs and nodes by content, for any number of batteries and threads.
///
/// Put it into an [`Engine`], and every [`Worker`](crate::Worker) of that engine uses it. It never
/// takes more bytes than it was given. The least recently used entries make room. It keeps no entry that
/// would take a large part of the room: programs with huge values run again each time.
#[derive(Debug)]
pub struct Cache {
    most_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    samples: FxHashMap<u128, OfSample>,
    n_bytes: usize,
    counts: CacheCounts,
}

/// Hits and misses of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Runs of programs whose outcome the cache knew.
    pub hits: u64,
    /// Runs whose outcome it did not know.
    pub misses: u64,
    /// Nodes of those runs that did not have to run.
    pub node_hits: u64,
    /// Nodes of those runs that had to run.
    pub node_misses: u64,
    /// About the bytes of all entries.
    pub bytes: usize,
}

/// The entries of one sample. One thread at a time borrows them.
#[derive(Debug, Default)]
pub(crate) struct OfSample {
    round: u32,
    allowance: usize,
    n_bytes: usize,
    outcomes: FxHashMap<u128, Entry<Ran>>,
    nodes: FxHashMap<u128, Entry<KnownNode>>,
    counts: CacheCounts,
}

#[derive(Debug)]
struct Entry<T> {
    last_used: u32,
    n_bytes: usize,
    what: T,
}

/// A node that has a value.
#[derive(Debug)]
pub(crate) struct KnownNode {
    pub(crate) fuel: u64,
    pub(crate) value: Option<Plain>,
}

impl Cache {
    /// An empty cache that takes at most about `most_bytes`.
    pub fn new(most_bytes: usize) -> Cache {
        Cache {
            most_bytes,
            state: Mutex::default(),
        }
    }

    /// Its hits and misses, and its size.
    pub fn counts(&self) -> CacheCounts {
        let state = self.lock();
        CacheCounts {
            bytes: state.n_bytes,
            ..state.counts
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out the entries of a sample. Each sample has its share of the room; otherwise a round over
    /// many samples would leave entries of the last ones only.
    pub(crate) fn lend(&self, sample: u128) -> OfSample {
        let mut state = self.lock();
        let mut of_sample = state.samples.remove(&sample).unwrap_or_default();
        state.n_bytes -= of_sample.n_bytes;
        let share = self.most_bytes / (state.samples.len() + 1);
        of_sample.allowance = share.min(self.most_bytes.saturating_sub(state.n_bytes));
        drop(state);
        of_sample.next_round();
        of_sample
    }

    pub(crate) fn take_back(&self, sample: u128, mut of_sample: OfSample) {
        let mut state = self.lock();
        let counts = std::mem::take(&mut of_sample.counts);
        state.counts = state.counts.plus(counts);
        // Other threads may have filled the room meanwhile, or may have run this sample, too.
        let known = state.samples.remove(&sample).map_or(0, |old| old.n_bytes);
        state.n_bytes -= known;
        if state.n_bytes + of_sample.n_bytes <= self.most_bytes {
            state.n_bytes += of_sample.n_bytes;
            state.samples.insert(sample, of_sample);
        }
    }
}

impl CacheCounts {
    fn plus(self, other: CacheCounts) -> CacheCounts {
        CacheCounts {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            node_hits: self.node_hits + other.node_hits,
            node_misses: self.node_misses + other.node_misses,
            bytes: self.bytes,
        }
    }
}

impl OfSample {
    fn next_round(&mut self) {
        self.round += 1;
        for age in AGES {
            if 2 * self.n_bytes <= self.allowance {
                return;
            }
            self.drop_older_than(age);
        }
        self.drop_large();
        if self.n_bytes > self.allowance {
            *self = OfSample {
                round: self.round,
                allowance: self.allowance,
                ..OfSample::default()
            };
        }
    }

    /// Drops entries from a time with more room.
    fn drop_large(&mut self) {
        let (most, n_bytes) = (self.allowance / MOST_OF_ROOM, &mut self.n_bytes);
        let mut is_small = |size: usize| {
            *n_bytes -= if size <= most { 0 } else { size };
            size <= most
        };
        self.nodes.retain(|_, entry| is_small(entry.n_bytes));
        self.outcomes.retain(|_, entry| is_small(entry.n_bytes));
    }

    fn drop_older_than(&mut self, age: u32) {
        let (round, n_bytes) = (self.round, &mut self.n_bytes);
        let mut is_young = |last_used: u32, size: usize| {
            let is_young = round - last_used <= age;
            *n_bytes -= if is_young { 0 } else { size };
            is_young
        };
        self.nodes.retain(|_, e| is_young(e.last_used, e.n_bytes));
        self.outcomes
            .retain(|_, e| is_young(e.last_used, e.n_bytes));
    }

    /// The known outcome of a program.
    pub(crate) fn outcome(&mut self, program: u128) -> Option<Ran> {
        match self.outcomes.get_mut(&program) {
            Some(entry) => {
                entry.last_used = self.round;
                self.counts.hits += 1;
                Some(entry.what.clone())
            }
            None => {
                self.counts.misses += 1;
                None
            }
        }
    }

    pub(crate) fn keep_outcome(&mut self, program: u128, ran: &Ran) {
        let n_bytes = ENTRY_BYTES + ran.outcome.n_bytes();
        if self.has_room(n_bytes) {
            let (last_used, what) = (self.round, ran.clone());
            let entry = Entry {
                last_used,
                n_bytes,
                what,
            };
            let old = self.outcomes.insert(program, entry);
            self.n_bytes += n_bytes;
            self.n_bytes -= old.map_or(0, |old| old.n_bytes);
        }
    }

    /// The entry of a node.
    pub(crate) fn node(&mut self, node: u128) -> Option<&KnownNode> {
        let entry = self.nodes.get_mut(&node)?;
        entry.last_used = self.round;
        Some(&entry.what)
    }

    pub(crate) fn keep_node(&mut self, node: u128, known: KnownNode) {
        let n_bytes = ENTRY_BYTES + known.value.as_ref().map_or(0, Plain::n_bytes);
        if self.has_room(n_bytes) && !self.nodes.contains_key(&node) {
            let entry = Entry {
                last_used: self.round,
                n_bytes,
                what: known,
            };
            self.nodes.insert(node, entry);
            self.n_bytes += n_bytes;
        }
    }

    pub(crate) fn count_nodes(&mut self, n_hits: u64, n_misses: u64) {
        self.counts.node_hits += n_hits;
        self.counts.node_misses += n_misses;
    }

    fn has_room(&self, n_bytes: usize) -> bool {
        n_bytes <= self.allowance / MOST_OF_ROOM && self.n_bytes + n_bytes <= self.allowance
    }
}

/// The keys of a battery's programs and nodes.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) nodes: Vec<u128>,
    programs: Vec<u128>,
}

impl Keys {
    pub(crate) fn of(battery: &Battery) -> Keys {
        let mut nodes: Vec<u128> = Vec::with_capacity(battery.nodes.len());
        for node in &battery.nodes {
            nodes.push(key_of_node(node, &nodes));
        }
        let mut scripts = Scripts::new(battery);
        let programs = (0..battery.outs.len()).map(|k| key_of_program(battery, k, &mut scripts));
        Keys {
            nodes,
            programs: programs.collect(),
        }
    }

    /// The key of a program on this engine. The tank decides some outcomes, and the reference engine takes
    /// none from the fast one.
    pub(crate) fn program(&self, k: usize, engine: &Engine) -> u128 {
        let mut hasher = Xxh3::new();
        (self.programs[k], engine.fuel, engine.mode == Mode::Exact).hash(&mut hasher);
        hasher.digest128()
    }
}

/// The key of everything that a node computes. Copies of a node have equal keys, because the values that
/// the cache keeps have no identity.
fn key_of_node(node: &Node, before: &[u128]) -> u128 {
    let mut hasher = Xxh3::new();
    std::mem::discriminant(&node.op).hash(&mut hasher);
    node.dialect.hash(&mut hasher);
    for operand in node.op.operands() {
        match operand {
            Operand::Var(k) => before[k as usize].hash(&mut hasher),
            other => other.hash(&mut hasher),
        }
    }
    node.op.operands().count().hash(&mut hasher);
    hasher.digest128()
}

/// The key of a program's lines and output. It numbers the program's nodes, because it matters whether
/// two lines are one node.
fn key_of_program(battery: &Battery, k: usize, scripts: &mut Scripts<'_>) -> u128 {
    let mut hasher = Xxh3::new();
    let script = scripts.script(k);
    for step in &script {
        let node = &battery.nodes[step.node.index()];
        (step.line, std::mem::discriminant(&node.op), node.dialect).hash(&mut hasher);
        node.op
            .operands()
            .for_each(|operand| scripts.local(operand).hash(&mut hasher));
        node.op.operands().count().hash(&mut hasher);
    }
    (script.len(), battery.outs[k].lines.len()).hash(&mut hasher);
    scripts.local(battery.outs[k].output).hash(&mut hasher);
    hasher.digest128()
}

/// The key of a sample.
pub(crate) fn key_of_sample(sample: &Sample<'_>) -> u128 {
    let mut hasher = Xxh3::new();
    hash_grid(sample.input, &mut hasher);
    for pair in sample.demos {
        hash_grid(&pair.input, &mut hasher);
        hash_grid(&pair.output, &mut hasher);
    }
    sample.demos.len().hash(&mut hasher);
    sample.expected.is_some().hash(&mut hasher);
    if let Some(expected) = sample.expected {
        hash_grid(expected, &mut hasher);
    }
    hasher.digest128()
}

fn hash_grid(grid: &Grid, hasher: &mut Xxh3) {
    (grid.height(), grid.width()).hash(hasher);
    hasher.write(grid.cells());
}
