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

/// A log keeps this many events. A page that missed more reads the whole state again.
const MOST_EVENTS: usize = 2_000;
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
    kept: VecDeque<Event>,
    n_ever: u64,
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
            events.kept.push_back(Event { id, kind, data });
            if events.kept.len() > MOST_EVENTS {
                events.kept.pop_front();
            }
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
        let first = events.kept.front().map_or(events.n_ever + 1, |it| it.id);
        let is_lost = id + 1 < first || id > events.n_ever;
        let from = if is_lost { first - 1 } else { id };
        let reset = is_lost.then_some(Event {
            id: from,
            kind: "reset",
            data: Value::Null,
        });
        let rest = events.kept.iter().filter(|event| event.id > from);
        reset.into_iter().chain(rest.cloned()).collect()
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.0.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events as a body of HTTP. It holds the permit as long as it lives.
    pub(crate) fn stream(&self, after: Option<u64>, permit: OwnedSemaphorePermit) -> Stream {
        let (sender, receiver) = mpsc::channel(16);
        let after = after.unwrap_or_else(|| self.events().n_ever);
        tokio::spawn(self.clone().send(after, sender));
        Stream {
            receiver,
            _permit: permit,
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

/// A body whose pieces come as events happen.
pub(crate) struct Stream {
    receiver: mpsc::Receiver<Bytes>,
    _permit: OwnedSemaphorePermit,
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
}
