//! The command line, from Python.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::Shortage;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;

/// The pause between two looks for signals in a long call: Ctrl-C is answered within 100 ms.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)
}

/// Runs the `leyden` command for this process and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| leyden::main(args))
}

/// Runs a command without printing; returns its exit code and its error message.
#[pyfunction]
fn command(py: Python<'_>, args: Vec<OsString>) -> PyResult<(u8, String)> {
    let args = std::iter::once(OsString::from("leyden")).chain(args);
    let ended = interruptible(py, move |cancel| leyden::command(args, cancel))?;
    Ok((ended.code, ended.message))
}

/// Does work on a separate thread without the interpreter, while this thread looks for signals. If
/// a signal raises an exception (Ctrl-C does), cancels the work, waits for it and drops the result.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(CancelToken) -> T + Send + 'static,
) -> PyResult<T> {
    watched(py, work, |_| Ok(()))
}

/// Like [`interruptible`], but also calls `watch` now and then. An exception from it stops the
/// work.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(CancelToken) -> T + Send + 'static,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let cancel = CancelToken::new();
    let (sender, receiver) = channel();
    let theirs = cancel.clone();
    std::thread::Builder::new()
        .name("leyden".into())
        .spawn(move || sender.send(or_shortage(|| work(theirs))))?;
    // `detach` shares what it borrows between threads, which a receiver alone does not allow.
    let receiver = std::sync::Mutex::new(receiver);
    let next = || {
        let receiver = receiver
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        receiver.recv_timeout(LOOK)
    };
    loop {
        match py.detach(next) {
            Ok(done) => {
                return done.map_err(|shortage| PyMemoryError::new_err(shortage.to_string()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "leyden: the work ended without a result",
                ));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals().and_then(|()| look(py)) {
            cancel.cancel();
            py.detach(|| while matches!(next(), Err(RecvTimeoutError::Timeout)) {});
            return Err(interrupt);
        }
    }
}

/// Turns a shortage of memory or threads into a separate exception, since it is not a bug.
fn or_shortage<T>(work: impl FnOnce() -> T) -> Result<T, Shortage> {
    // The code never uses a value again that a panic interrupted.
    let done = catch_unwind(AssertUnwindSafe(work));
    done.map_err(|panic| match Shortage::of(&*panic) {
        Some(shortage) => shortage,
        None => std::panic::resume_unwind(panic),
    })
}

/// Passes the number of finished items to `look`. An exception from there stops the work.
pub(crate) fn told(look: Option<&Bound<'_, PyAny>>, n_done: usize) -> PyResult<()> {
    match look {
        Some(look) => look.call1((n_done,)).map(|_| ()),
        None => Ok(()),
    }
}
