//! The reference engine while it is recorded.

use std::rc::Rc;

use leyden_dsl::cx::Observer;
use leyden_dsl::fault::Fault;
use leyden_dsl::table::Prim;
use leyden_dsl::value::Value;

use super::frames::FrameId;
use super::live::Live;

/// Counts the primitives that lines on the reference engine call, and times most calls.
#[derive(Debug)]
pub(super) struct Watcher {
    live: Rc<Live>,
    /// Calls that have not ended.
    open: Vec<Open>,
}

/// A call that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    frame: FrameId,
    span: Span,
}

/// The way a call is timed.
#[derive(Clone, Copy, Debug)]
enum Span {
    /// The call is the whole line, so the line has its time.
    Line,
    /// From this moment.
    Since(u64),
    Untimed,
}

impl Watcher {
    pub(super) fn new(live: Rc<Live>) -> Watcher {
        Watcher {
            live,
            open: Vec::new(),
        }
    }
}

impl Observer for Watcher {
    fn enter(&mut self, prim: Prim) {
        let (parent, is_watched) = match self.open.last() {
            Some(open) => (open.frame, !matches!(open.span, Span::Untimed)),
            None => match self.live.reference_line() {
                Some(line) if line.is_call => {
                    let (frame, span) = (line.frame, Span::Line);
                    return self.open.push(Open { frame, span });
                }
                line => (line.map_or(0, |line| line.frame), line.is_some()),
            },
        };
        let (frame, start) = self.live.enter_on_reference(parent, prim, is_watched);
        let span = start.map_or(Span::Untimed, Span::Since);
        self.open.push(Open { frame, span });
    }

    fn leave(&mut self, outcome: &Result<Value, Fault>) {
        let Some(Open { frame, span }) = self.open.pop() else {
            return;
        };
        match span {
            Span::Line => {}
            Span::Since(start) => {
                let cells = outcome.as_ref().map_or(0, Value::weight);
                let live = &self.live;
                live.leave_on_reference(frame, start, cells, outcome.is_err());
            }
            Span::Untimed if outcome.is_err() => self.live.came(frame, 0, true),
            Span::Untimed => {}
        }
    }
}
