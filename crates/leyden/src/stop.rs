//! Ctrl-C.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use leyden_dsl::meter::CancelToken;

use crate::failure::Failure;

/// How long a command has to end by itself and say how far it got.
const GRACE: Duration = Duration::from_millis(80);

/// How long it has if what it has finished is worth the wait: a primitive that works on a million
/// elements notices nothing until it is done.
const GRACE_FOR_LAST_WORDS: Duration = Duration::from_secs(2);

static HAS_LAST_WORDS: AtomicBool = AtomicBool::new(false);

/// From now on the command has something to say when it is stopped.
pub(crate) fn allow_last_words() {
    HAS_LAST_WORDS.store(true, Ordering::Relaxed);
}

/// The unfinished file, if there is one.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says which file must not stay behind when the process is ended; `None` once it is complete.
pub(crate) fn set_unfinished(path: Option<PathBuf>) {
    *unfinished() = path;
}

/// A token that Ctrl-C cancels. A command that is in no state to notice (it waits for pip, or
/// reads a large file) is ended all the same.
pub(crate) fn on_interrupt() -> Result<CancelToken, Failure> {
    let token = CancelToken::new();
    let cancelled = token.clone();
    let handler = move || {
        cancelled.cancel();
        std::thread::sleep(GRACE);
        if HAS_LAST_WORDS.load(Ordering::Relaxed) {
            std::thread::sleep(GRACE_FOR_LAST_WORDS);
        }
        end_process();
    };
    ctrlc::set_handler(handler)
        .context("cannot listen for Ctrl-C")
        .map_err(Failure::Other)?;
    Ok(token)
}

/// Holds the lock to the end, so that no file can become unfinished any more.
fn end_process() -> ! {
    let path = unfinished();
    if let Some(path) = path.as_ref() {
        let _ = std::fs::remove_file(path);
    }
    let _ = std::io::stderr().write_all(b"leyden: stopped\n");
    std::process::exit(130);
}
