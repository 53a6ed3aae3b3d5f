//! Proposals as lines of JSON, verdicts as lines of JSON.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use leyden_dsl::meter::CancelToken;
use leyden_exec::parallel_map;

use super::lines::{Line, next_line};
use super::proposal::Proposal;
use super::{Courtroom, VerdictLine};
use crate::failure::Failure;
use crate::in_order::{GLANCE, InOrder};
use crate::output::Stream;

/// The number of lines that wait for a thread.
const MOST_WAITING_LINES: usize = 8;

/// Counts of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) proposals: usize,
    pub(crate) fits: usize,
    /// Proposals that could not run, or ended with a fault.
    pub(crate) errors: usize,
}

/// A line of the input that is not blank.
struct Numbered {
    /// Its place among these lines, counted from 0.
    index: usize,
    /// Its number in the input, counted from 1.
    number: usize,
    line: Line,
}

/// Judges all lines of the input and writes each verdict as soon as those before it are written.
pub(crate) fn judge_lines(
    courtroom: &Courtroom,
    input: impl BufRead + Send + 'static,
    output: Stream,
    (n_threads, with_outputs): (usize, bool),
) -> Result<Tally, Failure> {
    let (sender, receiver) = sync_channel(MOST_WAITING_LINES);
    // The thread is not joined: a proposer that neither writes nor ends would keep it for ever.
    let reader = Builder::new().name("proposals".to_owned());
    reader
        .spawn(move || read_lines(input, &sender))
        .map_err(|error| Failure::Other(error.into()))?;
    let hearing = Hearing {
        courtroom,
        receiver: Mutex::new(receiver),
        verdicts: InOrder::new(output).promptly(),
        with_outputs,
        n_proposals: AtomicUsize::new(0),
        n_fits: AtomicUsize::new(0),
        n_errors: AtomicUsize::new(0),
        failed: Mutex::new(None),
    };
    let seats = vec![(); n_threads];
    parallel_map(n_threads, &seats, |()| hearing.judge_all());
    hearing.end()
}

fn read_lines(mut input: impl BufRead, sender: &SyncSender<io::Result<Numbered>>) {
    let (mut index, mut number) = (0, 0);
    loop {
        let line = match next_line(&mut input) {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => return drop(sender.send(Err(error))),
        };
        number += 1;
        if line.is_blank() {
            continue;
        }
        let numbered = Numbered {
            index,
            number,
            line,
        };
        index += 1;
        // The judges are gone: their output is broken.
        if sender.send(Ok(numbered)).is_err() {
            return;
        }
    }
}

/// The state that all threads share.
struct Hearing<'c> {
    courtroom: &'c Courtroom,
    receiver: Mutex<Receiver<io::Result<Numbered>>>,
    verdicts: InOrder,
    with_outputs: bool,
    n_proposals: AtomicUsize,
    n_fits: AtomicUsize,
    n_errors: AtomicUsize,
    /// The error that ended the input.
    failed: Mutex<Option<io::Error>>,
}

impl Hearing<'_> {
    fn cancel(&self) -> &CancelToken {
        &self.courtroom.cancel
    }

    /// Judges line by line until the input ends, the output breaks or the command is stopped.
    fn judge_all(&self) {
        while let Some(line) = self.next() {
            let verdict = self.verdict(&line);
            if self.cancel().is_cancelled() {
                return;
            }
            let text = verdict.to_json_line();
            if !self.verdicts.submit(line.index, text, self.cancel()) {
                return;
            }
            self.count(&verdict);
        }
    }

    fn next(&self) -> Option<Numbered> {
        loop {
            let receiver = self.receiver.lock();
            let receiver = receiver.unwrap_or_else(PoisonError::into_inner);
            // Threads that waited for the lock leave at once.
            if self.cancel().is_cancelled() || self.verdicts.is_broken() {
                return None;
            }
            match receiver.recv_timeout(GLANCE) {
                Ok(Ok(line)) => return Some(line),
                Ok(Err(error)) => {
                    let failed = self.failed.lock();
                    *failed.unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn verdict(&self, line: &Numbered) -> VerdictLine {
        match Proposal::read(&line.line, line.number) {
            Ok(proposal) => self.courtroom.verdict(&proposal, self.with_outputs),
            Err(unread) => VerdictLine::unread(unread.id, unread.task, &unread.refusal),
        }
    }

    fn count(&self, verdict: &VerdictLine) {
        let add = |count: &AtomicUsize, is_one: bool| {
            count.fetch_add(usize::from(is_one), Ordering::Relaxed);
        };
        add(&self.n_proposals, true);
        add(&self.n_fits, verdict.fit);
        add(&self.n_errors, verdict.error.is_some());
    }

    fn end(self) -> Result<Tally, Failure> {
        let tally = Tally {
            proposals: self.n_proposals.into_inner(),
            fits: self.n_fits.into_inner(),
            errors: self.n_errors.into_inner(),
        };
        let stream = self.verdicts.end()?;
        let failed = self.failed.into_inner();
        if let Some(error) = failed.unwrap_or_else(PoisonError::into_inner) {
            return Err(Failure::reading(&error));
        }
        if !self.courtroom.cancel.is_cancelled() {
            stream.finish()?;
        }
        Ok(tally)
    }
}

impl VerdictLine {
    fn to_json_line(&self) -> String {
        // Strings, numbers and lists of them always have a JSON form.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
