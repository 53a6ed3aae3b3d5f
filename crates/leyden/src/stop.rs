//! Ctrl-C, and the signals by which a system ends a process.

use std::io::{self, Write};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use anyhow::Context;
use leyden_dsl::meter::CancelToken;
use leyden_store::temporary;

use crate::clock::{Wall, process_cpu};
use crate::failure::Failure;

/// A stopped command has this long to end by itself and tell how far it got.
const GRACE: Duration = Duration::from_millis(80);

/// The time for commands whose finished work is worth the wait: a primitive that works on a million
/// elements notices the signal only when it is done.
const GRACE_FOR_LAST_WORDS: Duration = Duration::from_secs(2);

/// The longest wait for last words.
const MOST_PATIENCE: Duration = Duration::from_secs(8);

static HAS_LAST_WORDS: AtomicBool = AtomicBool::new(false);

/// From now on the command reports something when it is stopped.
pub(crate) fn allow_last_words() {
    HAS_LAST_WORDS.store(true, Ordering::Relaxed);
}

/// The exit code of a stopped command is this plus the signal's number, as in shells.
const SIGNALLED: u8 = 128;

/// The number of Ctrl-C's signal.
const INTERRUPT: u8 = 2;

static EXIT_CODE: AtomicU8 = AtomicU8::new(SIGNALLED + INTERRUPT);

/// The exit code of a command that was stopped: 128 and the number of the signal.
pub(crate) fn exit_code() -> u8 {
    EXIT_CODE.load(Ordering::Relaxed)
}

/// A token that Ctrl-C, SIGTERM, SIGHUP and a spent limit of processor time cancel. A command that
/// does not check it in time (it reads a large file) is ended anyway.
pub(crate) fn on_signal() -> Result<CancelToken, Failure> {
    let token = CancelToken::new();
    listen(token.clone())
        .context("cannot listen for signals")
        .map_err(Failure::Other)?;
    Ok(token)
}

#[cfg(unix)]
fn listen(token: CancelToken) -> anyhow::Result<()> {
    // A file that may not grow is then an error of the call that writes to it, not a sudden end.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    let mut signals = signal_hook::iterator::Signals::new(signals())?;
    // The default of some systems is more than a tight limit of memory has room for.
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            stop(&token, u8::try_from(signal).unwrap_or(INTERRUPT));
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn listen(token: CancelToken) -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(move || {
        stop(&token, INTERRUPT);
    })?)
}

/// A hangup that `nohup` ignores stays ignored. If the system does not tell, the signal is left
/// alone.
#[cfg(unix)]
fn signals() -> Vec<i32> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU};
    let mut signals = vec![SIGINT, SIGTERM, SIGXCPU];
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if ignored(&status).is_some_and(|ignored| ignored & (1 << (SIGHUP - 1)) == 0) {
        signals.push(SIGHUP);
    }
    signals
}

/// The signals that a process ignores, a bit for each.
#[cfg(unix)]
fn ignored(status: &str) -> Option<u64> {
    let mut lines = status.lines();
    let bits = lines.find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(bits.trim(), 16).ok()
}

fn stop(token: &CancelToken, signal: u8) -> ! {
    EXIT_CODE.store(SIGNALLED.saturating_add(signal), Ordering::Relaxed);
    token.cancel();
    std::thread::sleep(GRACE);
    if HAS_LAST_WORDS.load(Ordering::Relaxed) {
        wait_for_last_words();
    }
    // Held to the end, so that no further file can become unfinished.
    let _sealed = temporary::remove_unfinished();
    let _ = io::stderr().write_all(b"leyden: stopped\n");
    std::process::exit(i32::from(exit_code()));
}

/// Waits for the grace, and longer on a busy machine, which gives the command little of a processor.
fn wait_for_last_words() {
    let (wall, cpu) = (Wall::start(), process_cpu());
    std::thread::sleep(GRACE_FOR_LAST_WORDS);
    while process_cpu().saturating_sub(cpu) < GRACE_FOR_LAST_WORDS && wall.elapsed() < MOST_PATIENCE
    {
        std::thread::sleep(GRACE);
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_process_status() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored(status), Some(0x1001));
        assert_eq!(ignored("Name:\tx\n"), None);
    }
}
