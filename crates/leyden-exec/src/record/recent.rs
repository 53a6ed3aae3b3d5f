//! Calls from inside primitives that were made lately: most are made again and again, and are
//! then counted without asking anybody else.

use std::cell::Cell;

use super::frames::{FrameId, NOBODY};
use super::functional::FUNCTIONAL;

/// A child of a frame, and calls of it that its tally does not know.
#[derive(Debug)]
struct Recent {
    key: Cell<u64>,
    n_calls: Cell<u64>,
    /// Those of them that were made while the caller was timed.
    n_watched: Cell<u32>,
    /// How many more of these need not be timed themselves.
    n_untimed: Cell<u32>,
    child: Cell<FrameId>,
}

/// A few of them, so that they stay in the fastest cache beside what programs need.
#[derive(Debug)]
pub(crate) struct Recents {
    slots: [Recent; N_SLOTS],
    /// One bit for each slot that has a child.
    used: [Cell<u64>; N_SLOTS / 64],
}

const N_SLOTS: usize = 256;

/// No frame has this many children.
const NO_KEY: u64 = u64::MAX;

/// A bit in the keys of children that call functions: of these a call is more than a count.
const CALLS_FUNCTIONS: u64 = 1 << 31;

/// Calls of a child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    pub(super) child: FrameId,
    pub(super) n: u64,
    pub(super) n_watched: u32,
}

impl Recent {
    fn take(&self) -> Calls {
        Calls {
            child: self.child.get(),
            n: self.n_calls.take(),
            n_watched: self.n_watched.take(),
        }
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
            n_calls: Cell::new(0),
            n_watched: Cell::new(0),
            n_untimed: Cell::new(0),
            child: Cell::new(NOBODY),
        };
        Recents {
            slots: std::array::from_fn(nobody),
            used: Default::default(),
        }
    }
}

impl Recents {
    /// Counts a call of a child, if it is there and that is all that is to be done.
    #[inline(always)]
    pub(crate) fn is_counted(&self, parent: FrameId, code: u32, is_watched: bool) -> bool {
        let key = key_of_leaf(parent, code);
        let slot = &self.slots[place_of(key)];
        if slot.key.get() != key {
            return false;
        }
        if is_watched {
            let Some(n_untimed) = slot.n_untimed.get().checked_sub(1) else {
                return false;
            };
            slot.n_untimed.set(n_untimed);
            slot.n_watched.set(slot.n_watched.get() + 1);
        }
        slot.n_calls.set(slot.n_calls.get() + 1);
        true
    }

    /// A child with its calls, if it is there.
    #[inline]
    pub(super) fn take(&self, parent: FrameId, code: u32) -> Option<Calls> {
        let key = key_of(parent, code);
        let slot = &self.slots[place_of(key)];
        (slot.key.get() == key).then(|| slot.take())
    }

    /// Puts a child in another one's place; gives that one with its calls.
    pub(super) fn put(&self, parent: FrameId, code: u32, child: FrameId) -> Calls {
        let key = key_of(parent, code);
        let place = place_of(key);
        let slot = &self.slots[place];
        let used = &self.used[place / 64];
        used.set(used.get() | 1 << (place % 64));
        slot.key.set(key);
        slot.n_untimed.set(0);
        let calls = slot.take();
        slot.child.set(child);
        calls
    }

    /// So many of the next calls of a child need not be timed while the caller is.
    #[inline]
    pub(super) fn set_untimed(&self, parent: FrameId, code: u32, n_untimed: u32) {
        let key = key_of(parent, code);
        let slot = &self.slots[place_of(key)];
        if slot.key.get() == key {
            slot.n_untimed.set(n_untimed);
        }
    }

    /// Takes the calls of all children.
    pub(super) fn take_all(&self) -> impl Iterator<Item = Calls> {
        self.used_slots().map(Recent::take)
    }

    /// Forgets all children; their calls have been taken.
    pub(super) fn clear(&self) {
        self.used_slots().for_each(|slot| slot.key.set(NO_KEY));
        self.used.iter().for_each(|used| used.set(0));
    }

    fn used_slots(&self) -> impl Iterator<Item = &Recent> {
        self.used.iter().enumerate().flat_map(move |(k, used)| {
            let mut word = used.get();
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(&self.slots[64 * k + bit])
            })
        })
    }
}
