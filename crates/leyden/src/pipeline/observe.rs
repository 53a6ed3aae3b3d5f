//! Observers watch a plan's execution. They change no result.

/// Hears of the threads that execute a plan.
pub(crate) trait Observer: Sync {
    /// A thread begins. Its watch is dropped after the thread's last task.
    fn thread(&self) -> Box<dyn Watch + '_>;
}

/// Watches one thread.
pub(crate) trait Watch {
    /// A task begins, named by its place in the plan. `None` stands for the time between two tasks.
    fn begin(&mut self, _task: Option<usize>) {}

    /// A task is done.
    fn done(&mut self, task: usize);
}

/// An observer that hears only of finished tasks.
pub(crate) struct OnDone<F>(pub(crate) F);

impl<F: Fn() + Sync> Observer for OnDone<F> {
    fn thread(&self) -> Box<dyn Watch + '_> {
        Box::new(&self.0)
    }
}

impl<F: Fn()> Watch for &F {
    fn done(&mut self, _task: usize) {
        self();
    }
}
