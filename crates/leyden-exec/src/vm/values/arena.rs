//! Arenas, which the engine lends and takes back.

use std::cell::{Cell, RefCell};
use std::ops::Deref;

use bumpalo::Bump;
use leyden_dsl::table::Dialect;

use crate::shortage::Shortage;

thread_local! {
    /// Emptied arenas of this thread that no run uses now.
    static SPARE: RefCell<Vec<Room>> = const { RefCell::new(Vec::new()) };
}

/// Memory for values, and the form of cells in the dialect of the line that runs.
#[derive(Debug, Default)]
pub(crate) struct Room {
    bump: Bump,
    cells: Cell<CellForm>,
}

/// How a dialect writes a cell of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellForm {
    /// `(colour, (i, j))`
    #[default]
    Nested,
    /// `(i, j, colour)`
    Flat,
}

impl CellForm {
    pub(crate) fn of(dialect: Dialect) -> CellForm {
        if dialect.is_classic() {
            CellForm::Nested
        } else {
            CellForm::Flat
        }
    }
}

impl Room {
    /// The form of the cells that lines make here now.
    #[inline]
    pub(crate) fn cells(&self) -> CellForm {
        self.cells.get()
    }

    /// Sets the dialect of the lines that make values here.
    #[inline]
    pub(crate) fn speak(&self, dialect: Dialect) {
        self.cells.set(CellForm::of(dialect));
    }
}

impl Deref for Room {
    type Target = Bump;

    #[inline]
    fn deref(&self) -> &Bump {
        &self.bump
    }
}

/// The address space of an arena: more than the 64 MB that a run may use (`MAX_ARENA_BYTES`), so that it
/// never grows. A page becomes memory when a value is put there.
const ROOM: usize = 80 << 20;

/// Lends an empty arena. A thread uses its arenas again, so that a run seldom asks the system for
/// memory.
///
/// All arenas are alike, because the room for a run must not depend on earlier runs of this thread.
/// So an arena that has grown is dropped.
pub(crate) fn with_arena<T>(body: impl FnOnce(&Room) -> T) -> T {
    let spare = SPARE.with_borrow_mut(Vec::pop);
    let arena = spare.or_else(new_arena);
    let mut arena = arena.unwrap_or_else(|| Shortage::of_memory().raise());
    let n_bytes = arena.allocated_bytes();
    let result = body(&arena);
    if arena.allocated_bytes() == n_bytes {
        arena.bump.reset();
        arena.speak(Dialect::default());
        SPARE.with_borrow_mut(|spare| spare.push(arena));
    }
    result
}

/// A new arena; `None` if the system has no room for it. A smaller one would not be like the
/// others.
fn new_arena() -> Option<Room> {
    let bump = Bump::try_with_capacity(ROOM).ok()?;
    Some(Room {
        bump,
        cells: Cell::default(),
    })
}

/// The number of arenas that a run uses at once.
const MOST_AT_ONCE: usize = 4;

/// Memory outside of arenas, for programs, results and tables, that must be free before a thread works.
const HEADROOM: usize = 64 << 20;

/// Whether the system has memory left. A vector that cannot grow aborts the process, so the engine
/// asks before it works.
pub(crate) fn has_headroom() -> bool {
    // A compiler may leave out memory that is freed unused.
    let mut bytes: Vec<u8> = std::hint::black_box(Vec::new());
    bytes.try_reserve_exact(HEADROOM).is_ok() && std::hint::black_box(bytes).is_empty()
}

/// Gets the memory for a run on this thread, if the system has it and some more.
pub(crate) fn reserve() -> bool {
    let n_missing = MOST_AT_ONCE.saturating_sub(SPARE.with_borrow(Vec::len));
    let arenas: Option<Vec<Room>> = (0..n_missing).map(|_| new_arena()).collect();
    let Some(arenas) = arenas.filter(|_| has_headroom()) else {
        return false;
    };
    SPARE.with_borrow_mut(|spare| spare.extend(arenas));
    true
}

/// The bytes of an arena that are touched beforehand, so that a first run meets no new pages in them.
const WARM_BYTES: usize = 128 << 10;

/// Gets this thread's arenas, so that its first run takes no longer than later ones.
pub fn warm_up() {
    warm(MOST_AT_ONCE);
}

fn warm(n_arenas: usize) {
    if n_arenas > 0 {
        with_arena(|arena| {
            std::hint::black_box(arena.alloc_slice_fill_copy(WARM_BYTES, 1u8));
            warm(n_arenas - 1);
        });
    }
}

/// The bytes of an arena that are in use.
pub(crate) fn bytes_used(arena: &Bump) -> usize {
    arena.allocated_bytes() - arena.chunk_capacity()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_in_an_arena_does_not_depend_on_earlier_runs() {
        let use_some = |n_bytes: usize| {
            with_arena(|arena| {
                let before = bytes_used(arena);
                for _ in 0..n_bytes / 8 {
                    arena.alloc(1u64);
                }
                bytes_used(arena) - before
            })
        };
        let first = use_some(1 << 20);
        use_some(2 * ROOM);
        use_some(1 << 24);
        assert_eq!((first, use_some(1 << 20)), (1 << 20, 1 << 20));
    }
}
