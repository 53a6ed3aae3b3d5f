//! Ctrl-C.

use std::io::Write;
use std::time::Duration;

use anyhow::Context;
use leyden_dsl::meter::CancelToken;

use crate::failure::Failure;

/// How long a command has to end by itself and say how far it got.
const GRACE: Duration = Duration::from_millis(80);

/// A token that Ctrl-C cancels. A command that is in no state to notice (it waits for pip, or
/// reads a large file) is ended all the same.
pub(crate) fn on_interrupt() -> Result<CancelToken, Failure> {
    let token = CancelToken::new();
    let cancelled = token.clone();
    let handler = move || {
        cancelled.cancel();
        std::thread::sleep(GRACE);
        let _ = std::io::stderr().write_all(b"leyden: stopped\n");
        std::process::exit(130);
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C").map_err(Failure::Other)?;
    Ok(token)
}
