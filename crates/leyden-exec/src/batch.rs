//! Many runs on several threads, with results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Python programs may nest 1,000 calls and values 20,000 levels; both are recursion here.
const STACK_BYTES: usize = 256 << 20;

/// Runs something on a thread whose stack is large enough for the deepest program.
pub fn with_large_stack<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, body).map(|handle| handle.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("cannot start a thread: {error}"),
        }
    })
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

/// Works through items on several threads with large stacks; each may first make something that
/// it alone uses. Results come with their items' numbers and stand in their order, whatever the
/// schedule was.
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

fn on_threads(n_threads: usize, work: &(impl Fn() + Sync)) {
    with_large_stack(|| {
        std::thread::scope(|scope| {
            for _ in 1..n_threads {
                scope.spawn(|| with_large_stack(work));
            }
            work();
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

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
