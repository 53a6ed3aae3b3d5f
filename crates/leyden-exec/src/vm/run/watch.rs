//! The fast engine while it is recorded.
//!
//! The recorder's changes of place time the lines. Calls from inside primitives are counted and now
//! and then timed: calls through the tree of a function one by one, calls of a flattened body for a
//! few dozen elements at once, with the clock read after each step.

mod bodies;
mod counts;

pub(crate) use bodies::Laps;
pub(crate) use counts::Watched;

use std::rc::Rc;

use leyden_dsl::table::Prim;
use leyden_profile::model::SlowReason;

use crate::record::{self, FrameId, Key, Label, Live, Slow};
use crate::vm::functions::body::{Action, Reg, Step};
use crate::vm::values::value::{Arena, List, Val};
use crate::vm::{R, Vm};
use counts::Function;

/// The value of [`Vm::stopped_at`] before the first step.
const NOT_BEGUN: u32 = u32::MAX;

/// The engine's place, for the recorder.
pub(crate) struct Watch<'a> {
    live: Rc<Live>,
    frame: FrameId,
    /// Whether that frame is being timed.
    is_timed: bool,
    /// Functions with counts that the recorder does not know yet.
    functions: List<'a, Function<'a>>,
}

impl<'a> Watch<'a> {
    #[inline(always)]
    pub(crate) fn of_thread(arena: Arena<'a>) -> Option<Watch<'a>> {
        if record::is_on() {
            Watch::new(arena)
        } else {
            None
        }
    }

    #[cold]
    #[inline(never)]
    fn new(arena: Arena<'a>) -> Option<Watch<'a>> {
        let live = record::live()?;
        Some(Watch {
            live,
            frame: 0,
            is_timed: false,
            functions: List::new_in(arena),
        })
    }
}

impl Step<Reg> {
    /// Whether it calls functions itself.
    pub(crate) fn calls_functions(&self) -> bool {
        label(self.action).calls_functions()
    }
}

fn label(action: Action) -> Label {
    match action {
        Action::Call(prim) => Label::Prim(prim),
        Action::Compare => Label::Prim(Prim::matcher),
        Action::EndOfTwo { is_first: true } => Label::Prim(Prim::first),
        Action::EndOfTwo { is_first: false } => Label::Prim(Prim::last),
    }
}

impl<'a> Vm<'a> {
    #[inline(always)]
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Changes the place to a line.
    pub(crate) fn begin_line(&mut self, key: Key) {
        if let Some(watch) = &mut self.watch {
            watch.frame = watch.live.line(key);
            watch.is_timed = true;
            self.hindrance = SlowReason::Value;
        }
    }

    pub(crate) fn end_line<E>(&mut self, value: &Result<Val<'a>, E>) {
        if let Some(watch) = &mut self.watch {
            if !watch.functions.is_empty() {
                watch.flush();
                watch.functions.clear();
            }
            let cells = value.as_ref().map_or(0, Val::weight);
            watch.live.line_came(cells, value.is_err());
        }
    }

    /// Notes why a node goes to the reference engine.
    pub(crate) fn note_unsure(&mut self, node: u32) {
        let slow = Slow {
            reason: self.hindrance,
            prim: self.stopped_by,
        };
        if let Some(watch) = &mut self.watch {
            watch.live.unsure(node, slow);
        }
    }

    /// Calls a primitive from inside another one.
    #[inline(never)]
    pub(crate) fn call_watched(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let Some(watch) = &self.watch else {
            return self.call_prim(prim, args);
        };
        let is_counted = watch
            .live
            .recent()
            .is_counted(watch.frame, prim as u32, watch.is_timed);
        if !is_counted {
            return self.call_in_frame(prim, args);
        }
        let result = self.call_prim(prim, args);
        if result.is_err() {
            self.note_fault_of(prim);
        }
        result
    }

    #[cold]
    fn note_fault_of(&mut self, prim: Prim) {
        if let Some(watch) = &self.watch {
            watch.live.fault_of(watch.frame, prim);
        }
    }

    #[inline(never)]
    fn call_in_frame(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let Some(watch) = &mut self.watch else {
            return self.call_prim(prim, args);
        };
        let outer = (watch.frame, watch.is_timed);
        let counted = watch.live.recent().counted(outer.0, prim as u32, outer.1);
        let (frame, start) = match counted {
            Some(frame) => (frame, None),
            None => watch.live.enter(outer.0, prim, outer.1),
        };
        (watch.frame, watch.is_timed) = (frame, start.is_some());
        let result = self.call_prim(prim, args);
        self.leave_watched(outer, start, &result);
        result
    }

    /// Goes to a frame and returns the previous one.
    #[inline]
    fn go_to(&mut self, frame: FrameId, is_timed: bool) -> (FrameId, bool) {
        let Some(watch) = &mut self.watch else {
            return (frame, is_timed);
        };
        let outer = (watch.frame, watch.is_timed);
        (watch.frame, watch.is_timed) = (frame, is_timed);
        outer
    }

    /// Goes back to the outer frame.
    fn leave_watched(&mut self, outer: (FrameId, bool), start: Option<u64>, result: &R<'a>) {
        let Some(watch) = &mut self.watch else { return };
        let frame = watch.frame;
        if let Some(start) = start {
            let cells = result.as_ref().map_or(0, Val::weight);
            watch.live.leave(frame, start, cells, result.is_err());
        } else if result.is_err() {
            watch.live.came(frame, 0, true);
        }
        (watch.frame, watch.is_timed) = outer;
    }
}
