//! Recent calls from inside primitives. Most calls repeat, and then the recorder counts them here,
//! without a look at the tree.

use std::cell::Cell;

use super::frames::{FrameId, NO_FRAME};
use super::functional::FUNCTIONAL;

/// A child of a frame, and those of its calls that its tally does not have. It is small, so that
/// all of them stay in the fastest cache beside the programs' data.
#[derive(Debug)]
struct Recent {
    key: Cell<u64>,
    /// Calls while the caller was not timed.
    n_unwatched: Cell<u32>,
    /// The number of further calls, while the caller is timed, that need no timing themselves.
    n_untimed: Cell<u32>,
}

/// The rest of a child, which is seldom needed.
#[derive(Debug)]
struct Child {
    frame: Cell<FrameId>,
    /// The number of calls that needed no timing when the calls were taken last.
    n_untimed: Cell<u32>,
}

/// A table of recent children.
#[derive(Debug)]
pub(crate) struct Recents {
    slots: [Recent; N_SLOTS],
    children: [Child; N_SLOTS],
    /// One bit for each slot that has a child.
    used: [Cell<u64>; N_SLOTS / 64],
}

/// 4 KiB of counts, which stay in the fastest cache beside the programs' data.
const N_SLOTS: usize = 256;

/// A key that no child has.
const NO_KEY: u64 = u64::MAX;

/// A bit in the keys of children that call functions: such a call is more than a count.
const CALLS_FUNCTIONS: u64 = 1 << 31;

/// Calls of a child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    pub(super) child: FrameId,
    pub(super) n: u64,
    /// The calls while the caller was timed.
    pub(super) n_watched: u64,
}

impl Recent {
    /// Counts a call, if counting is enough.
    #[inline(always)]
    fn is_counted(&self, is_watched: bool) -> bool {
        let (count, counted) = if is_watched {
            (&self.n_untimed, self.n_untimed.get().checked_sub(1))
        } else {
            (&self.n_unwatched, self.n_unwatched.get().checked_add(1))
        };
        counted.map(|n| count.set(n)).is_some()
    }
}

#[inline]
fn key_of_leaf(parent: FrameId, code: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(code)
}

#[inline]
fn key_of(parent: FrameId, code: u32) -> u64 {
    let key = key_of_leaf(parent, code);
    match FUNCTIONAL.get(code as usize) {
        Some(false) => key,
        _ => key | CALLS_FUNCTIONS,
    }
}

#[inline]
fn place_of(key: u64) -> usize {
    let key = key & !CALLS_FUNCTIONS;
    usize::from((key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8)
}

impl Default for Recents {
    fn default() -> Recents {
        let nobody = |_| Recent {
            key: Cell::new(NO_KEY),
            n_unwatched: Cell::new(0),
            n_untimed: Cell::new(0),
        };
        let no_child = |_| Child {
            frame: Cell::new(NO_FRAME),
            n_untimed: Cell::new(0),
        };
        Recents {
            slots: std::array::from_fn(nobody),
            children: std::array::from_fn(no_child),
            used: Default::default(),
        }
    }
}

impl Recents {
    /// Counts a call of a child that calls no functions, if the child is here and counting is
    /// enough.
    #[inline(always)]
    pub(crate) fn is_counted(&self, parent: FrameId, code: u32, is_watched: bool) -> bool {
        let key = key_of_leaf(parent, code);
        let slot = &self.slots[place_of(key)];
        slot.key.get() == key && slot.is_counted(is_watched)
    }

    /// Counts a call of a child and returns its frame, if the child is here and needs no timing.
    #[inline]
    pub(crate) fn counted(&self, parent: FrameId, code: u32, is_watched: bool) -> Option<FrameId> {
        let key = key_of(parent, code);
        let place = place_of(key);
        let slot = &self.slots[place];
        let is_done = slot.key.get() == key && slot.is_counted(is_watched);
        is_done.then(|| self.children[place].frame.get())
    }

    /// A child with its calls, if it is here.
    #[inline]
    pub(super) fn take(&self, parent: FrameId, code: u32) -> Option<Calls> {
        let key = key_of(parent, code);
        let place = place_of(key);
        (self.slots[place].key.get() == key).then(|| self.take_from(place))
    }

    #[inline]
    fn take_from(&self, place: usize) -> Calls {
        let (slot, child) = (&self.slots[place], &self.children[place]);
        let n_untimed = slot.n_untimed.get();
        let n_watched = u64::from(child.n_untimed.replace(n_untimed) - n_untimed);
        Calls {
            child: child.frame.get(),
            n: n_watched + u64::from(slot.n_unwatched.take()),
            n_watched,
        }
    }

    /// Replaces a child and returns the old one with its calls.
    pub(super) fn put(&self, parent: FrameId, code: u32, frame: FrameId) -> Calls {
        let key = key_of(parent, code);
        let place = place_of(key);
        let used = &self.used[place / 64];
        used.set(used.get() | 1 << (place % 64));
        let calls = self.take_from(place);
        self.slots[place].key.set(key);
        self.set_untimed_at(place, 0);
        self.children[place].frame.set(frame);
        calls
    }

    /// Sets the number of a child's next calls that need no timing while the caller is timed. Its
    /// calls must have been taken.
    #[inline]
    pub(super) fn set_untimed(&self, parent: FrameId, code: u32, n_untimed: u32) {
        let key = key_of(parent, code);
        let place = place_of(key);
        if self.slots[place].key.get() == key {
            self.set_untimed_at(place, n_untimed);
        }
    }

    #[inline]
    fn set_untimed_at(&self, place: usize, n_untimed: u32) {
        self.slots[place].n_untimed.set(n_untimed);
        self.children[place].n_untimed.set(n_untimed);
    }

    /// Takes the calls of all children.
    pub(super) fn take_all(&self) -> impl Iterator<Item = Calls> {
        self.used_places().map(|place| self.take_from(place))
    }

    /// Forgets all children, whose calls must have been taken.
    pub(super) fn clear(&self) {
        self.used_places()
            .for_each(|place| self.slots[place].key.set(NO_KEY));
        self.used.iter().for_each(|used| used.set(0));
    }

    fn used_places(&self) -> impl Iterator<Item = usize> {
        self.used.iter().enumerate().flat_map(|(k, used)| {
            let mut word = used.get();
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * k + bit)
            })
        })
    }
}
