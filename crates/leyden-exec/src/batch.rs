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

/// Applies a function to every item on `n_threads` threads with large stacks. Results stand in
/// the order of the items, whatever the schedule was.
pub fn parallel_map<T: Sync, R: Send>(
    n_threads: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(k) else { break };
            let result = f(item);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((k, result));
        }
    };
    on_threads(n_threads.clamp(1, items.len().max(1)), &work);
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(k, _)| *k);
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
