//! Who called whom: a tree of frames, and what was counted in each.

use leyden_dsl::table::Prim;
use rustc_hash::FxHashMap;

use super::recording::Row;

/// What a frame runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// A primitive.
    Prim(Prim),
    /// A line that makes a tuple.
    Tuple,
    /// A line that names a value again.
    Copy,
    /// A line that calls a function that was made before; the primitives are below it.
    Call,
}

/// A frame's name among those that have the same parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// A program or a battery, by the number that the caller gave it.
    Unit(u32),
    /// A line of a program, or a node of a battery.
    Node(u32, Label),
    /// A call from inside a primitive.
    Inner(Label),
    /// A run by the exact engine alone, as asked for.
    ExactOnly,
    /// A program that the exact engine ran again: the primitive that made the fast engine give
    /// up, if one did.
    Again(Option<Prim>),
}

/// The number of a frame in its tree.
pub(crate) type FrameId = u32;

/// What was counted during one task.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// All calls.
    pub(super) calls: u64,
    /// Calls while the caller was being timed.
    pub(super) watched: u64,
    /// Those of them that were timed themselves.
    pub(super) timed: u32,
    /// The time of those, and of the first of them alone: that one is often slow.
    pub(super) ns: u64,
    pub(super) first_ns: u64,
    /// The cells that those looked at or made.
    pub(super) cells: u64,
    pub(super) faults: u64,
    /// How often functions were called from here; decides which calls are timed.
    pub(super) executions: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) parent: Option<FrameId>,
    pub(super) key: Key,
    /// The row of its own time.
    pub(super) row: Option<Row>,
    /// Is it called from a frame of the same row?
    pub(super) is_nested: bool,
}

/// What is looked at with every call, close together.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The label of an inner call, packed.
    code: u32,
    /// Its first child, and the next one of its parent's: most have few.
    first: FrameId,
    next: FrameId,
    /// Was it entered during this task?
    is_touched: bool,
}

/// No frame.
const NOBODY: FrameId = FrameId::MAX;

/// A key as a number, if many calls have such keys.
#[inline]
fn code_of(key: Key) -> Option<u32> {
    match key {
        Key::Inner(Label::Prim(prim)) => Some(prim as u32),
        Key::Inner(Label::Tuple) => Some(1 << 16),
        Key::Inner(Label::Copy) => Some(2 << 16),
        Key::Inner(Label::Call) => Some(3 << 16),
        _ => None,
    }
}

/// The row of a frame's own time. What the exact engine does when it runs a program again belongs
/// to the primitive that made it necessary.
fn row_of(key: Key, parent: Option<&Frame>) -> Option<Row> {
    match (key, parent.and_then(|parent| parent.row)) {
        (_, Some(again @ Row::Again(_))) => Some(again),
        (Key::Unit(_), _) => None,
        (Key::Node(_, label) | Key::Inner(label), _) => Some(Row::Line(label)),
        (Key::ExactOnly, _) => Some(Row::Exact),
        (Key::Again(cause), _) => Some(Row::Again(cause)),
    }
}

/// Units and lines with greater numbers are found more slowly.
const MOST_UNITS: u32 = 1 << 20;

/// A child that was entered during this task: most calls are made again and again.
#[derive(Clone, Copy, Debug)]
struct Recent {
    parent: FrameId,
    code: u32,
    child: FrameId,
}

/// As many as fit into the fastest cache beside what programs need.
const RECENT_BITS: u32 = 8;

#[inline]
fn recent_place(parent: FrameId, code: u32) -> usize {
    let mixed = parent.wrapping_mul(0x9E37_79B1) ^ code.wrapping_mul(0x85EB_CA6B);
    (mixed >> (u32::BITS - RECENT_BITS)) as usize
}

/// Frames by number; a parent's number is smaller than its children's.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) frames: Vec<Frame>,
    links: Vec<Link>,
    recent: Box<[Recent]>,
    /// The frames of lines, by unit.
    lines: Vec<Vec<FrameId>>,
    pub(super) tallies: Vec<Tally>,
    /// Units, and lines that are not in that table.
    outer: FxHashMap<(Option<FrameId>, Key), FrameId>,
    /// Frames that were entered during this task, each once.
    touched: Vec<FrameId>,
}

/// No child.
const NOT_RECENT: Recent = Recent {
    parent: NOBODY,
    code: 0,
    child: NOBODY,
};

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            frames: Vec::new(),
            links: Vec::new(),
            recent: vec![NOT_RECENT; 1 << RECENT_BITS].into(),
            lines: Vec::new(),
            tallies: Vec::new(),
            outer: FxHashMap::default(),
            touched: Vec::new(),
        }
    }
}

impl Tree {
    #[inline]
    pub(super) fn child(&mut self, parent: Option<FrameId>, key: Key) -> FrameId {
        match (parent, code_of(key)) {
            (Some(parent), Some(code)) => self.frequent_child(parent, code, key),
            _ => {
                let known = self.outer.get(&(parent, key)).copied();
                let id = known.unwrap_or_else(|| self.add_outer(parent, key));
                self.touch(id)
            }
        }
    }

    /// The frame of a primitive that was called from inside another one.
    #[inline]
    pub(super) fn prim(&mut self, parent: FrameId, prim: Prim) -> FrameId {
        self.frequent_child(parent, prim as u32, Key::Inner(Label::Prim(prim)))
    }

    #[inline]
    fn frequent_child(&mut self, parent: FrameId, code: u32, key: Key) -> FrameId {
        let recent = self.recent[recent_place(parent, code)];
        match (recent.parent, recent.code) == (parent, code) {
            true => recent.child,
            false => self.seldom_child(parent, code, key),
        }
    }

    #[inline(never)]
    fn seldom_child(&mut self, parent: FrameId, code: u32, key: Key) -> FrameId {
        let known = self.inner_child(parent, code);
        let child = known.unwrap_or_else(|| self.add(Some(parent), key));
        self.recent[recent_place(parent, code)] = Recent {
            parent,
            code,
            child,
        };
        self.touch(child)
    }

    /// The frame of a line of a unit.
    #[inline]
    pub(super) fn line(&mut self, unit: u32, parent: FrameId, node: u32, key: Key) -> FrameId {
        let lines = self.lines.get(unit as usize);
        let id = lines.and_then(|lines| lines.get(node as usize).copied());
        match id {
            Some(id) if id != NOBODY && self.frames[id as usize].key == key => self.touch(id),
            Some(id) if id != NOBODY => self.child(Some(parent), key),
            _ => self.new_line(unit, parent, node, key),
        }
    }

    #[cold]
    fn new_line(&mut self, unit: u32, parent: FrameId, node: u32, key: Key) -> FrameId {
        if unit >= MOST_UNITS || node >= MOST_UNITS {
            return self.child(Some(parent), key);
        }
        let id = self.add(Some(parent), key);
        let n_units = self.lines.len().max(unit as usize + 1);
        self.lines.resize(n_units, Vec::new());
        let lines = &mut self.lines[unit as usize];
        lines.resize(lines.len().max(node as usize + 1), NOBODY);
        lines[node as usize] = id;
        self.touch(id)
    }

    #[inline]
    fn touch(&mut self, id: FrameId) -> FrameId {
        let link = &mut self.links[id as usize];
        if !link.is_touched {
            link.is_touched = true;
            self.touched.push(id);
        }
        id
    }

    #[inline]
    fn inner_child(&self, parent: FrameId, code: u32) -> Option<FrameId> {
        let mut child = self.links[parent as usize].first;
        while let Some(link) = self.links.get(child as usize) {
            if link.code == code {
                return Some(child);
            }
            child = link.next;
        }
        None
    }

    #[cold]
    fn add_outer(&mut self, parent: Option<FrameId>, key: Key) -> FrameId {
        let id = self.add(parent, key);
        self.outer.insert((parent, key), id);
        id
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, parent: Option<FrameId>, key: Key) -> FrameId {
        let id = self.frames.len() as FrameId;
        let row = row_of(key, parent.map(|id| &self.frames[id as usize]));
        let outer = |id: &FrameId| self.frames[*id as usize].parent;
        let mut outers = std::iter::successors(parent, outer);
        let is_nested = row.is_some() && outers.any(|id| self.frames[id as usize].row == row);
        self.frames.push(Frame {
            parent,
            key,
            row,
            is_nested,
        });
        let first = parent.map(|parent| &mut self.links[parent as usize].first);
        let next = first.map_or(NOBODY, |first| std::mem::replace(first, id));
        self.links.push(Link {
            code: code_of(key).unwrap_or(u32::MAX),
            first: NOBODY,
            next,
            is_touched: false,
        });
        self.tallies.push(Tally::default());
        id
    }

    #[inline]
    pub(super) fn tally(&mut self, id: FrameId) -> &mut Tally {
        &mut self.tallies[id as usize]
    }

    /// The keys from the outermost frame to this one.
    pub(super) fn path(&self, id: FrameId) -> Vec<Key> {
        let outer = |id: &FrameId| self.frames[*id as usize].parent;
        let outers = std::iter::successors(Some(id), outer);
        let mut path: Vec<Key> = outers.map(|id| self.frames[id as usize].key).collect();
        path.reverse();
        path
    }

    /// Takes what was counted since the last time, by frame; parents come first.
    pub(super) fn take(&mut self) -> Vec<(FrameId, Tally)> {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        let take = |id: FrameId| {
            self.links[id as usize].is_touched = false;
            (id, std::mem::take(&mut self.tallies[id as usize]))
        };
        let taken = touched.iter().copied().map(take).collect();
        touched.clear();
        self.touched = touched;
        self.recent.fill(NOT_RECENT);
        taken
    }
}
