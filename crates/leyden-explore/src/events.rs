//! Streams of events: bounded, numbered, and repeated for a page that comes back.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use crate::crowd::Busy;

/// A log keeps this many events. A page that missed more reads the whole state again.
const MOST_EVENTS: usize = 2_000;
/// A log keeps at most this many bytes of events, and at least one event.
const MOST_BYTES: usize = 4 << 20;
/// A silent stream sends a comment this often, so that both sides notice a dead line.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its number; numbers rise by one.
    pub id: u64,
    /// Its kind.
    pub kind: &'static str,
    /// Its content.
    pub data: Value,
}

impl Event {
    fn to_text(&self) -> String {
        format!(
            "id: {}\nevent: {}\ndata: {}\n\n",
            self.id, self.kind, self.data
        )
    }
}

/// The events of one run, for all pages that look at it.
#[derive(Clone, Debug)]
pub struct EventLog(Arc<Log>);

#[derive(Debug)]
struct Log {
    events: Mutex<Events>,
    /// The number of the last event; `None` once no more come.
    last: watch::Sender<Option<u64>>,
}

#[derive(Debug, Default)]
struct Events {
    /// Each event with its size in bytes.
    kept: VecDeque<(Event, usize)>,
    n_bytes: usize,
    n_ever: u64,
}

impl Events {
    fn keep(&mut self, event: Event) {
        let n_bytes = event.to_text().len();
        self.n_bytes += n_bytes;
        self.kept.push_back((event, n_bytes));
        let is_long = |events: &Events| {
            events.kept.len() > MOST_EVENTS || events.n_bytes > MOST_BYTES && events.kept.len() > 1
        };
        while is_long(self)
            && let Some((_, n_bytes)) = self.kept.pop_front()
        {
            self.n_bytes -= n_bytes;
        }
    }
}

impl Default for EventLog {
    fn default() -> EventLog {
        EventLog(Arc::new(Log {
            events: Mutex::default(),
            last: watch::Sender::new(Some(0)),
        }))
    }
}

impl EventLog {
    /// Adds an event.
    pub fn push(&self, kind: &'static str, data: Value) {
        let id = {
            let mut events = self.events();
            events.n_ever += 1;
            let id = events.n_ever;
            events.keep(Event { id, kind, data });
            id
        };
        self.0.last.send_if_modified(|last| {
            *last = last.map(|_| id);
            true
        });
    }

    /// Says that no more events come.
    pub fn end(&self) {
        self.0.last.send_replace(None);
    }

    /// Takes events again after an end.
    pub fn reopen(&self) {
        self.0.last.send_replace(Some(self.last()));
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.events().n_ever
    }

    /// The events behind a number. If some of them are forgotten, an event `reset` comes first.
    pub fn since(&self, id: u64) -> Vec<Event> {
        let events = self.events();
        let first = events.kept.front();
        let first = first.map_or(events.n_ever + 1, |(event, _)| event.id);
        let is_lost = id + 1 < first || id > events.n_ever;
        let from = if is_lost { first - 1 } else { id };
        let reset = is_lost.then_some(Event {
            id: from,
            kind: "reset",
            data: Value::Null,
        });
        let kept = events.kept.iter().map(|(event, _)| event);
        let rest = kept.filter(|event| event.id > from);
        reset.into_iter().chain(rest.cloned()).collect()
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.0.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events as a body of HTTP.
    pub(crate) fn stream(&self, after: Option<u64>, hold: Hold) -> Stream {
        let (sender, receiver) = mpsc::channel(16);
        let after = after.unwrap_or_else(|| self.events().n_ever);
        tokio::spawn(self.clone().send(after, sender));
        Stream {
            receiver,
            _hold: hold,
        }
    }

    async fn send(self, mut after: u64, sender: mpsc::Sender<Bytes>) {
        let mut last = self.0.last.subscribe();
        loop {
            let is_over = last.borrow_and_update().is_none();
            for event in self.since(after) {
                after = event.id;
                if sender.send(event.to_text().into()).await.is_err() {
                    return;
                }
            }
            if is_over {
                return;
            }
            let waited = tokio::time::timeout(HEARTBEAT, last.changed()).await;
            let is_silent = waited.is_err();
            if is_silent && sender.send(Bytes::from_static(b": \n\n")).await.is_err() {
                return;
            }
        }
    }
}

/// The things that a stream of events occupies as long as it lives.
pub(crate) struct Hold {
    pub(crate) _permit: OwnedSemaphorePermit,
    pub(crate) _busy: Option<Busy>,
}

/// A body whose pieces come as events happen.
pub(crate) struct Stream {
    receiver: mpsc::Receiver<Bytes>,
    _hold: Hold,
}

impl Body for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.receiver
            .poll_recv(cx)
            .map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_that_comes_back_gets_what_it_missed() {
        let log = EventLog::default();
        (1..=3).for_each(|k| log.push("progress", json!(k)));
        let ids = |after| log.since(after).iter().map(|it| it.id).collect::<Vec<_>>();
        assert_eq!(ids(0), [1, 2, 3]);
        assert_eq!(ids(2), [3]);
        assert!(ids(3).is_empty());
        assert_eq!(
            log.since(2)[0].to_text(),
            "id: 3\nevent: progress\ndata: 3\n\n"
        );
    }

    #[test]
    fn old_events_are_forgotten_and_the_page_hears_of_it() {
        let log = EventLog::default();
        (0..MOST_EVENTS + 5).for_each(|k| log.push("progress", json!(k)));
        let events = log.since(2);
        assert_eq!(events.len(), MOST_EVENTS + 1);
        assert_eq!((events[0].kind, events[1].id), ("reset", 6));
        assert_eq!(log.since(5).len(), MOST_EVENTS);
        // A number from before a restart of the server.
        assert_eq!(log.since(1 << 40)[0].kind, "reset");
    }

    #[test]
    fn long_events_make_a_log_forget_sooner() {
        let log = EventLog::default();
        let long = "x".repeat(100_000);
        (0..200).for_each(|_| log.push("find", json!(long)));
        assert!(log.events().n_bytes <= MOST_BYTES);
        assert_eq!(log.since(0).len(), 1 + MOST_BYTES / 100_100);
        log.push("find", json!("x".repeat(2 * MOST_BYTES)));
        assert_eq!(
            log.since(log.last() - 1).len(),
            1,
            "one event is always kept"
        );
        log.push("progress", json!(1));
        assert!(log.events().n_bytes < 100);
    }

    fn hold() -> Hold {
        let permits = Arc::new(tokio::sync::Semaphore::new(1));
        Hold {
            _permit: permits.try_acquire_owned().unwrap(),
            _busy: None,
        }
    }

    async fn next_piece(stream: &mut Stream) -> Option<String> {
        let piece = std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_frame(cx)).await?;
        let bytes = piece.unwrap().into_data().unwrap();
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }

    /// The clock stands still, and jumps when all tasks wait for it.
    #[test]
    fn a_silent_stream_has_a_heartbeat() {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        let log = EventLog::default();
        log.push("progress", json!(1));
        runtime.block_on(async {
            let mut stream = log.stream(Some(0), hold());
            let first = next_piece(&mut stream).await.unwrap();
            assert!(first.starts_with("id: 1\n"), "{first}");
            for _ in 0..2 {
                let begin = tokio::time::Instant::now();
                assert_eq!(next_piece(&mut stream).await.as_deref(), Some(": \n\n"));
                assert!(begin.elapsed().as_secs().abs_diff(HEARTBEAT.as_secs()) <= 1);
            }
            log.end();
            assert_eq!(next_piece(&mut stream).await, None);
        });
    }

    /// The fastest runs give some ten events a second.
    const EVENTS_OF_AN_HOUR: u64 = 36_000;

    #[test]
    fn an_hour_of_events_takes_no_more_room_than_its_end() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let log = EventLog::default();
        let writer = {
            let log = log.clone();
            std::thread::spawn(move || {
                for k in 0..EVENTS_OF_AN_HOUR {
                    log.push(
                        "progress",
                        json!({ "state": "running", "done": k, "seconds": k }),
                    );
                    assert!(log.events().kept.len() <= MOST_EVENTS);
                }
                log.end();
            })
        };
        let last = runtime.block_on(async {
            let mut stream = log.stream(Some(0), hold());
            let mut last = String::new();
            while let Some(piece) = next_piece(&mut stream).await {
                // The channel bounds the pieces that wait for a slow reader.
                assert!(stream.receiver.len() <= 16);
                last = piece;
            }
            last
        });
        writer.join().unwrap();
        assert!(
            last.starts_with(&format!("id: {EVENTS_OF_AN_HOUR}\n")),
            "{last}"
        );
        assert!(log.events().kept.len() <= MOST_EVENTS && log.events().n_bytes < 1 << 20);
    }
}
