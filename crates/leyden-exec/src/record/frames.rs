//! The tree of frames that called each other, with counts for each.

use leyden_dsl::table::Prim;
use leyden_lang::{Op, Operand};
use leyden_profile::model::SlowReason;
use rustc_hash::FxHashMap;

use super::functional::is_functional;
use super::recent::{Calls, Recents};
use super::rhythm::Rhythm;

/// The content of a frame.
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

impl Label {
    /// The label of a line.
    pub(crate) fn of(op: &Op) -> Label {
        match op {
            Op::Call {
                callee: Operand::Prim(prim),
                ..
            } => Label::Prim(*prim),
            Op::Call { .. } => Label::Call,
            Op::Tuple(_) => Label::Tuple,
            Op::Copy(_) => Label::Copy,
        }
    }

    /// Whether it is a primitive that calls functions.
    #[inline]
    pub(crate) fn calls_functions(self) -> bool {
        matches!(self, Label::Prim(prim) if is_functional(prim))
    }
}

/// The reason why the reference engine runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slow {
    /// The reason.
    pub reason: SlowReason,
    /// The primitive that made the fast engine give up, if one did.
    pub prim: Option<Prim>,
}

impl Slow {
    /// Whether the fast engine tried before.
    pub fn is_again(self) -> bool {
        self.reason != SlowReason::Asked
    }
}

/// A frame's name among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// A program or a battery, by the number that the caller gave it.
    Unit(u32),
    /// A line of a program, or a node of a battery.
    Node(u32, Label),
    /// A call from inside a primitive.
    Inner(Label),
    /// A program on the reference engine; its lines are below.
    Reference(Slow),
}

/// The number of a frame in its tree.
pub(crate) type FrameId = u32;

/// The counts of a frame during one task.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// All calls. Places have none here: they are called as often as they are timed.
    pub(super) calls: u64,
    /// Calls while the caller was being timed.
    pub(super) watched: u64,
    /// The time of the timed calls, in ticks, with the price of measuring.
    pub(super) ticks: u64,
    /// The cells that timed calls touched or made.
    pub(super) cells: u64,
    /// The number of timed calls.
    pub(super) timed: u32,
    /// The number of clock readings for them.
    pub(super) readings: u32,
    /// The first reading alone and the number of its calls, which are often slow.
    pub(super) first_ticks: f32,
    pub(super) first_timed: u32,
    pub(super) faults: u32,
    /// The number of calls of functions from here; it decides which calls are timed.
    pub(super) executions: u32,
    /// Decides which calls by the reference engine are timed.
    pub(super) rhythm: Rhythm,
}

impl Tally {
    #[inline]
    fn add(&mut self, calls: Calls) {
        self.calls += calls.n;
        self.watched += calls.n_watched;
    }

    /// Adds timed calls.
    #[inline]
    pub(super) fn time(&mut self, n: u32, ticks: u64, cells: u64) {
        if self.timed == 0 {
            (self.first_ticks, self.first_timed) = (ticks as f32, n);
        }
        // Calls whose time is known already have no reading.
        self.readings += u32::from(ticks > 0);
        self.timed += n;
        self.ticks += ticks;
        self.cells += cells;
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) key: Key,
    parent: FrameId,
    /// Its first child, and its next sibling: most frames have few children.
    first: FrameId,
    next: FrameId,
}

impl Frame {
    pub(super) fn parent(&self) -> Option<FrameId> {
        (self.parent != NO_FRAME).then_some(self.parent)
    }

    /// Whether it is a place of the thread, which is timed whenever it is entered.
    pub(super) fn is_place(&self) -> bool {
        !matches!(self.key, Key::Inner(_))
    }

    /// Whether it has a time of its own.
    pub(super) fn has_time(&self) -> bool {
        !matches!(self.key, Key::Unit(_))
    }
}

/// No frame.
pub(super) const NO_FRAME: FrameId = FrameId::MAX;

/// A label as a number.
#[inline]
fn code_of(label: Label) -> u32 {
    match label {
        Label::Prim(prim) => prim as u32,
        Label::Tuple => 1 << 16,
        Label::Copy => 2 << 16,
        Label::Call => 3 << 16,
    }
}

/// A table finds units and lines with smaller numbers; a map finds the others, more slowly.
const MOST_UNITS: u32 = 1 << 20;

/// Room for the frames of some hundred programs.
const FRAMES_AT_FIRST: usize = 1 << 14;
/// Room for the lines of most programs.
const LINES_AT_FIRST: usize = 32;

/// Frames by number; a parent's number is smaller than its children's.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<Frame>);

impl std::ops::Deref for Frames {
    type Target = [Frame];

    fn deref(&self) -> &[Frame] {
        &self.0
    }
}

impl Frames {
    /// For each frame, the keys from the outermost frame to it.
    pub(super) fn paths(&self) -> Vec<Vec<Key>> {
        let mut paths: Vec<Vec<Key>> = Vec::with_capacity(self.0.len());
        for frame in &self.0 {
            let outer = frame.parent().map_or(&[][..], |id| &paths[id as usize]);
            paths.push([outer, &[frame.key]].concat());
        }
        paths
    }

    fn children(&self, id: FrameId) -> impl Iterator<Item = FrameId> {
        let found = |id: FrameId| (id != NO_FRAME).then_some(id);
        let first = found(self.0[id as usize].first);
        std::iter::successors(first, move |id| found(self.0[*id as usize].next))
    }
}

/// Frames and their counts during a task.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) frames: Frames,
    /// For each frame, the place of its tally, if the frame was entered during this task.
    places: Vec<u32>,
    /// The tallies of entered frames in the order of entering: few, so that they stay in a fast
    /// cache.
    tallies: Vec<(FrameId, Tally)>,
    /// The frames of lines with their labels, by unit.
    lines: Vec<Vec<(FrameId, u32)>>,
    /// Units and lines that are not in `lines`.
    outer: FxHashMap<(Option<FrameId>, Key), FrameId>,
}

/// The place of a missing tally.
const NOWHERE: u32 = u32::MAX;

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            frames: Frames(Vec::with_capacity(FRAMES_AT_FIRST)),
            places: Vec::with_capacity(FRAMES_AT_FIRST),
            tallies: Vec::new(),
            lines: Vec::new(),
            outer: FxHashMap::default(),
        }
    }
}

impl Tree {
    /// The frame of a unit, or of anything else except a call from inside a primitive.
    pub(super) fn child(&mut self, parent: Option<FrameId>, key: Key) -> FrameId {
        let known = self.outer.get(&(parent, key)).copied();
        let id = known.unwrap_or_else(|| self.add_outer(parent, key));
        self.touch(id)
    }

    /// The frame of a call from inside a primitive. Its tally then has all its calls.
    #[inline(never)]
    pub(super) fn inner(&mut self, recent: &Recents, parent: FrameId, label: Label) -> FrameId {
        let code = code_of(label);
        match recent.take(parent, code) {
            Some(calls) => {
                self.tally(calls.child).add(calls);
                calls.child
            }
            None => self.seldom_child(recent, parent, code, Key::Inner(label)),
        }
    }

    #[inline(never)]
    fn seldom_child(&mut self, recent: &Recents, parent: FrameId, code: u32, key: Key) -> FrameId {
        let is_it = |child: &FrameId| self.frames.0[*child as usize].key == key;
        let known = self.frames.children(parent).find(is_it);
        let child = known.unwrap_or_else(|| self.add(Some(parent), key));
        let evicted = recent.put(parent, code, child);
        if evicted.n > 0 {
            self.tally(evicted.child).add(evicted);
        }
        self.touch(child)
    }

    /// Adds the calls that `recent` counted to their tallies.
    fn take_recent_calls(&mut self, recent: &Recents) {
        for calls in recent.take_all().filter(|calls| calls.n > 0) {
            self.tally(calls.child).add(calls);
        }
    }

    /// The counts of all frames below these.
    pub(super) fn counts_below(
        &mut self,
        recent: &Recents,
        frames: &[FrameId],
    ) -> Vec<(FrameId, Tally)> {
        let mut below: Vec<FrameId> = Vec::new();
        frames
            .iter()
            .for_each(|id| below.extend(self.frames.children(*id)));
        let mut n_done = 0;
        while let Some(id) = below.get(n_done).copied() {
            below.extend(self.frames.children(id));
            n_done += 1;
        }
        below
            .into_iter()
            .filter_map(|id| self.counts_of(recent, id))
            .collect()
    }

    /// The counts of a frame, if it was entered during this task.
    fn counts_of(&mut self, recent: &Recents, id: FrameId) -> Option<(FrameId, Tally)> {
        let Frame { key, parent, .. } = self.frames.0[id as usize];
        if let Key::Inner(label) = key
            && let Some(calls) = recent.take(parent, code_of(label))
        {
            self.tally(id).add(calls);
        }
        let place = self.places[id as usize] as usize;
        self.tallies.get(place).copied()
    }

    /// Resets the counts of all frames below these.
    pub(super) fn set_back(
        &mut self,
        recent: &Recents,
        frames: &[FrameId],
        before: &[(FrameId, Tally)],
    ) {
        for (id, ..) in self.counts_below(recent, frames) {
            let known = before.iter().find(|(known, _)| *known == id);
            let before = known.map_or(Tally::default(), |(_, tally)| *tally);
            let tally = self.tally(id);
            (tally.calls, tally.watched) = (before.calls, before.watched);
            tally.faults = before.faults;
        }
    }

    /// The frame of a line of a unit.
    #[inline]
    pub(super) fn line(&mut self, unit: (u32, FrameId), node: u32, label: Label) -> FrameId {
        let lines = self.lines.get(unit.0 as usize);
        let line = lines.and_then(|lines| lines.get(node as usize).copied());
        match line {
            Some((id, code)) if code == code_of(label) => id,
            _ => self.other_line(unit, node, label),
        }
    }

    /// The frame of a line that is new or has another label than before.
    #[cold]
    fn other_line(&mut self, (unit, parent): (u32, FrameId), node: u32, label: Label) -> FrameId {
        let key = Key::Node(node, label);
        if unit >= MOST_UNITS || node >= MOST_UNITS {
            return self.child(Some(parent), key);
        }
        let n_units = self.lines.len().max(unit as usize + 1);
        self.lines.resize(n_units, Vec::new());
        let lines = &mut self.lines[unit as usize];
        if lines.is_empty() {
            lines.reserve(LINES_AT_FIRST);
        }
        lines.resize(lines.len().max(node as usize + 1), (NO_FRAME, u32::MAX));
        if lines[node as usize].0 != NO_FRAME {
            return self.child(Some(parent), key);
        }
        let id = self.add(Some(parent), key);
        self.lines[unit as usize][node as usize] = (id, code_of(label));
        id
    }

    #[inline]
    fn touch(&mut self, id: FrameId) -> FrameId {
        if self.places[id as usize] == NOWHERE {
            self.make_tally(id);
        }
        id
    }

    #[inline(never)]
    fn make_tally(&mut self, id: FrameId) {
        self.places[id as usize] = self.tallies.len() as u32;
        self.tallies.push((id, Tally::default()));
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
        let id = self.frames.0.len() as FrameId;
        let first = parent.map(|parent| &mut self.frames.0[parent as usize].first);
        let next = first.map_or(NO_FRAME, |first| std::mem::replace(first, id));
        self.frames.0.push(Frame {
            key,
            parent: parent.unwrap_or(NO_FRAME),
            first: NO_FRAME,
            next,
        });
        self.places.push(NOWHERE);
        id
    }

    #[inline]
    pub(super) fn tally(&mut self, id: FrameId) -> &mut Tally {
        self.touch(id);
        &mut self.tallies[self.places[id as usize] as usize].1
    }

    /// Takes the counts since the last time.
    pub(super) fn take(&mut self, recent: &Recents, taken: &mut Vec<(FrameId, Tally)>) {
        self.take_recent_calls(recent);
        recent.clear();
        for (id, _) in &self.tallies {
            self.places[*id as usize] = NOWHERE;
        }
        taken.append(&mut self.tallies);
    }
}
