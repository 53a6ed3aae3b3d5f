//! Output of several threads in the order of their work.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use leyden_dsl::meter::CancelToken;

use crate::failure::Failure;
use crate::output::Stream;

/// At most this much finished text may wait for the pieces before it.
const MOST_WAITING_BYTES: usize = 32 << 20;

/// A waiting thread checks this often whether the command was stopped.
pub(crate) const GLANCE: Duration = Duration::from_millis(20);

/// Puts finished pieces into their order and writes them.
pub(crate) struct InOrder {
    state: Mutex<State>,
    moved: Condvar,
}

struct State {
    stream: Stream,
    next: usize,
    waiting: BTreeMap<usize, String>,
    n_waiting_bytes: usize,
    error: Option<io::Error>,
    /// Whether pieces leave at once.
    flushes: bool,
}

impl InOrder {
    pub(crate) fn new(stream: Stream) -> InOrder {
        let state = State {
            stream,
            next: 0,
            waiting: BTreeMap::new(),
            n_waiting_bytes: 0,
            error: None,
            flushes: false,
        };
        InOrder {
            state: Mutex::new(state),
            moved: Condvar::new(),
        }
    }

    /// Lets every piece leave at once, for a reader that waits for it.
    pub(crate) fn promptly(self) -> InOrder {
        self.lock().flushes = true;
        self
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a piece; gives false once the stream is broken. Blocks while too much text waits. That
    /// cannot last: another thread is always at work on the piece that all wait for.
    pub(crate) fn submit(&self, index: usize, text: String, cancel: &CancelToken) -> bool {
        let mut state = self.lock();
        while state.must_wait(index) && !cancel.is_cancelled() {
            let waited = self.moved.wait_timeout(state, GLANCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.n_waiting_bytes += text.len();
        state.waiting.insert(index, text);
        state.write_ready();
        self.moved.notify_all();
        state.error.is_none()
    }

    /// Whether the stream takes no more text.
    pub(crate) fn is_broken(&self) -> bool {
        self.lock().error.is_some()
    }

    /// Gives back the stream with everything that was written, or its error.
    pub(crate) fn end(self) -> Result<Stream, Failure> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match state.error {
            Some(error) => Err(error.into()),
            None => Ok(state.stream),
        }
    }
}

impl State {
    fn must_wait(&self, index: usize) -> bool {
        index != self.next && self.n_waiting_bytes > MOST_WAITING_BYTES && self.error.is_none()
    }

    fn write_ready(&mut self) {
        while let Some(text) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.n_waiting_bytes -= text.len();
            let written = self.stream.write_all(text.as_bytes());
            let flushed = match self.flushes {
                true => written.and_then(|()| self.stream.flush()),
                false => written,
            };
            self.error = self.error.take().or(flushed.err());
        }
    }
}

#[cfg(test)]
mod tests {
    use leyden_exec::parallel_map;

    use super::*;
    use crate::output::Target;

    #[test]
    fn pieces_are_written_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let sink = InOrder::new(Target::new(path.clone()).open().unwrap());
        let cancel = CancelToken::new();
        for index in [2, 0, 3, 1] {
            assert!(sink.submit(index, format!("{index}\n"), &cancel));
        }
        sink.end().unwrap().finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0\n1\n2\n3\n");
    }

    #[test]
    fn threads_that_run_ahead_wait_and_nothing_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let sink = InOrder::new(Target::new(path.clone()).open().unwrap());
        let cancel = CancelToken::new();
        let pieces: Vec<usize> = (0..40).collect();
        parallel_map(4, &pieces, |&index| {
            let byte = (b'a' + (index % 26) as u8) as char;
            assert!(sink.submit(index, byte.to_string().repeat(4 << 20), &cancel));
        });
        sink.end().unwrap().finish().unwrap();
        let written = std::fs::read(&path).unwrap();
        assert_eq!(written.len(), 40 * (4 << 20));
        let starts = written.chunks(4 << 20).map(|piece| piece[0]);
        assert!(starts.eq(pieces.iter().map(|index| b'a' + (index % 26) as u8)));
    }
}
