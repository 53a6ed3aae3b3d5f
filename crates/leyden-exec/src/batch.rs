//! Many runs on several threads, with results in order.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::shortage::Shortage;
use crate::vm::{has_headroom, reserve};

/// Python programs may nest 1,000 calls and values 20,000 levels; both are recursion here.
const STACK_BYTES: usize = 256 << 20;

thread_local! {
    /// Whether this module started the thread.
    static HAS_LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function on a thread whose stack is large enough for the deepest program. If this thread
/// has such a stack, the function runs here.
///
/// If no such thread starts, or memory runs out, it unwinds with a [`Shortage`].
pub fn with_large_stack<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    if HAS_LARGE_STACK.get() {
        return body();
    }
    let body = || {
        if has_headroom() {
            body()
        } else {
            Shortage::of_memory().raise()
        }
    };
    std::thread::scope(|scope| match started(scope, body) {
        Ok(handle) => joined(handle),
        Err(error) => Shortage::of_threads(STACK_BYTES, &error).raise(),
    })
}

fn started<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    body: impl FnOnce() -> R + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, R>> {
    let thread = Builder::new().stack_size(STACK_BYTES);
    thread.spawn_scoped(scope, || {
        HAS_LARGE_STACK.set(true);
        body()
    })
}

/// The thread's result; passes its panic on unchanged.
fn joined<R>(handle: ScopedJoinHandle<'_, R>) -> R {
    let ended = handle.join();
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Items that threads take one after the other.
#[derive(Debug)]
pub struct Queue<'q, T> {
    items: &'q [T],
    next: AtomicUsize,
}

impl<'q, T> Queue<'q, T> {
    /// The next item and its number.
    pub fn take(&self) -> Option<(usize, &'q T)> {
        let k = self.next.fetch_add(1, Ordering::Relaxed);
        Some((k, self.items.get(k)?))
    }
}

/// Works through items on several threads with large stacks. Each thread may first make a value
/// that it alone uses. Results come with the numbers of their items, in that order, for any
/// schedule.
pub fn share_out<'q, T: Sync, R: Send>(
    n_threads: usize,
    items: &'q [T],
    work: impl Fn(&Queue<'q, T>) -> Vec<(usize, R)> + Sync,
) -> Vec<(usize, R)> {
    let queue = Queue {
        items,
        next: AtomicUsize::new(0),
    };
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        let done = work(&queue);
        let results = results.lock();
        results.unwrap_or_else(PoisonError::into_inner).extend(done);
    };
    on_threads(n_threads.clamp(1, items.len().max(1)), &work);
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(k, _)| *k);
    results
}

/// Applies a function to every item on `n_threads` threads with large stacks. Results stand in
/// the order of the items.
pub fn parallel_map<T: Sync, R: Send>(
    n_threads: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let results = share_out(n_threads, items, |queue| {
        std::iter::from_fn(|| queue.take().map(|(k, item)| (k, f(item)))).collect()
    });
    results.into_iter().map(|(_, result)| result).collect()
}

/// Does the work on `n_threads` threads, or on fewer if the machine does not have them; one thread
/// alone must be able to do all of it. Each thread gets its memory before it begins, the first
/// thread first, so that none takes memory that an earlier one needs.
fn on_threads(n_threads: usize, work: &(impl Fn() + Sync)) {
    with_large_stack(|| {
        std::thread::scope(|scope| {
            let n_others = if n_threads > 1 && reserve() {
                n_threads - 1
            } else {
                0
            };
            let other = || {
                if reserve() {
                    work();
                }
            };
            let others: Vec<_> = (0..n_others)
                .map_while(|_| started(scope, other).ok())
                .collect();
            work();
            others.into_iter().for_each(joined);
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_with_a_large_stack_starts_no_other() {
        let id = || std::thread::current().id();
        let (outer, inner) = with_large_stack(|| (id(), with_large_stack(id)));
        assert_eq!(outer, inner);
        assert_ne!(outer, id());
    }

    #[test]
    fn a_shortage_of_any_thread_reaches_the_caller() {
        let items: Vec<usize> = (0..50).collect();
        for n_threads in [1, 2, 5] {
            let work = |queue: &Queue<'_, usize>| {
                while let Some((k, _)) = queue.take() {
                    if k == 20 {
                        Shortage::of_memory().raise();
                    }
                }
                Vec::<(usize, ())>::new()
            };
            let run = std::panic::AssertUnwindSafe(|| share_out(n_threads, &items, work));
            let panic = std::panic::catch_unwind(run).unwrap_err();
            assert_eq!(Shortage::of(&*panic), Some(Shortage::of_memory()));
        }
    }

    #[test]
    fn everything_is_done_once_and_comes_back_in_order() {
        let items: Vec<usize> = (0..500).collect();
        for n_threads in [1, 2, 7] {
            let done = share_out(n_threads, &items, |queue| {
                std::iter::from_fn(|| queue.take().map(|(k, item)| (k, item * 2))).collect()
            });
            assert!(done.iter().enumerate().all(|(k, it)| *it == (k, 2 * k)));
            assert_eq!(done.len(), items.len());
        }
        let none = share_out(3, &[] as &[usize], |queue| {
            queue.take().map(|(k, _)| (k, ())).into_iter().collect()
        });
        assert!(none.is_empty());
    }
}
