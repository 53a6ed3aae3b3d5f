//! Arenas, lent and given back.

use std::cell::RefCell;

use bumpalo::Bump;

thread_local! {
    /// Arenas of this thread that nobody uses at the moment, emptied.
    static SPARE: RefCell<Vec<Bump>> = const { RefCell::new(Vec::new()) };
}

/// Arenas that have grown beyond this are not kept.
const MAX_SPARE_BYTES: usize = 96 << 20;
/// Enough for most programs on most samples.
const FIRST_BYTES: usize = 256 << 10;

/// Lends an empty arena; the same ones again and again, so that a run seldom asks for memory.
pub(crate) fn with_arena<T>(body: impl FnOnce(&Bump) -> T) -> T {
    let spare = SPARE.with_borrow_mut(Vec::pop);
    let mut arena = spare.unwrap_or_else(|| Bump::with_capacity(FIRST_BYTES));
    let result = body(&arena);
    let n_used = arena.allocated_bytes();
    if n_used <= MAX_SPARE_BYTES {
        arena.reset();
        if arena.allocated_bytes() < n_used {
            // It had grown piece by piece. In one piece it need not do so again.
            arena = Bump::with_capacity(n_used);
        }
        SPARE.with_borrow_mut(|spare| spare.push(arena));
    }
    result
}
