//! Turns primitives that go through elements into loops. A set that is only iterated again is
//! not kept.

use std::rc::Rc;

use leyden_dsl::table::{Dialect, Prim};

use super::function::{Function, Known, Source, Stage, Stream};
use super::lower::{Lowered, Lowering};
use super::{Refusal, Virtual};
use crate::wire::{Op, flag};

impl Lowering<'_> {
    /// Runs the steps of `body` for each element of a set, or of a tuple too. `body` gets the
    /// element and its number.
    fn for_each(
        &mut self,
        set: Virtual,
        takes_tuples: bool,
        body: impl FnOnce(&mut Self, Virtual, Virtual) -> Lowered<()>,
    ) -> Lowered<()> {
        let number = self.fresh();
        self.push(Op::BEST_RESET, number, &[], -1);
        let start = self.steps.steps.len();
        self.depth += 1;
        let flags = if takes_tuples { flag::TAKES_TUPLES } else { 0 };
        self.push(Op::NEXT_ELEMENT, number, &[set], flags);
        let element = self.emit(Op::ELEMENT, &[set, number])?;
        body(self, element, number)?;
        let nowhere = self.fresh();
        self.push(Op::JUMP, nowhere, &[], 0);
        self.depth -= 1;
        let end = self.steps.steps.len();
        self.steps.steps[start].jump = end;
        self.steps.steps[end - 1].jump = start;
        self.steps.loops.push((start, end - 1));
        Ok(())
    }

    /// Runs the steps of `body` for each element of a stream. Pairs have no number.
    fn for_each_of(
        &mut self,
        stream: &Stream,
        takes_tuples: bool,
        body: impl FnOnce(&mut Self, Known, Virtual) -> Lowered<()>,
    ) -> Lowered<()> {
        match stream.source {
            Source::Set(set) => self.for_each(set, takes_tuples, |lowering, element, number| {
                lowering.staged(&stream.stages, Known::Value(element), number, body)
            }),
            Source::Pairs(a, b) => self.for_each(a, true, |lowering, first, _| {
                lowering.for_each(b, true, |lowering, second, number| {
                    let pair = Known::tuple([first, second].map(Known::Value));
                    lowering.staged(&stream.stages, pair, number, body)
                })
            }),
        }
    }

    fn staged(
        &mut self,
        stages: &[Stage],
        mut element: Known,
        number: Virtual,
        body: impl FnOnce(&mut Self, Known, Virtual) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut skips = Vec::new();
        for stage in stages {
            match stage {
                Stage::Map(function) => element = self.call(function, &[element])?,
                Stage::MapPair(function) => element = self.call_with_pair(function, element)?,
                Stage::Keep(function) => {
                    let verdict = self.call(function, std::slice::from_ref(&element))?;
                    let verdict = self.value_of(&verdict)?;
                    skips.push(self.mark_jump(Op::JUMP_UNLESS, &[verdict])?);
                }
            }
        }
        body(self, element, number)?;
        for skip in skips {
            self.steps.steps[skip].jump = self.steps.steps.len();
        }
        Ok(())
    }

    fn call_with_pair(&mut self, function: &Function, pair: Known) -> Lowered {
        match pair {
            Known::Tuple(items) => self.call(function, &items),
            _ => Err(Refusal::Function),
        }
    }

    /// `apply` and `mapply`.
    pub(super) fn mapped(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        let stream = args[1].stream()?.then(Stage::Map(args[0].function()?));
        match prim {
            Prim::mapply => self.collected(Op::UNITE, &stream),
            _ if self.depth == 0 && self.is_gone_through => self.later(stream),
            _ => self.collected(Op::GATHER, &stream),
        }
    }

    /// `product` and `prapply`, if the result is only iterated.
    pub(super) fn paired(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        let (function, sets) = match prim {
            Prim::prapply => (Some(args[0].function()?), &args[1..]),
            _ => (None, args),
        };
        let (a, b) = (self.value_of(&sets[0])?, self.value_of(&sets[1])?);
        if self.depth > 0 || !self.is_gone_through {
            return Err(Refusal::Use(prim));
        }
        self.emit_with(Op::CHARGE, &[a, b], flag::ALL_PAIRS)?;
        // Python goes through both even if the other is empty, and faults if one is not a
        // container.
        for set in [a, b] {
            self.for_each(set, true, |_, _, _| Ok(()))?;
        }
        let pairs = Stream::of(Source::Pairs(a, b));
        match function {
            Some(function) => self.later(pairs.then(Stage::MapPair(function))),
            None => Ok(Known::Stream(Rc::new(pairs))),
        }
    }

    /// Calls functions here only to find faults, as Python would. Every reader of the stream calls
    /// them again.
    fn later(&mut self, stream: Stream) -> Lowered {
        self.for_each_of(&stream, true, |_, element, _| match element {
            Known::Value(_) | Known::Tuple(_) => Ok(()),
            Known::Function(_) | Known::Stream(_) | Known::Single(_) => Err(Refusal::Function),
        })?;
        Ok(Known::Stream(Rc::new(stream)))
    }

    /// Collects all parts in one set.
    pub(super) fn collected(&mut self, op: Op, stream: &Stream) -> Lowered {
        let takes_tuples = self.depth == 0 && self.is_order_free;
        let all = self.emit(Op::EMPTY_SET, &[])?;
        self.for_each_of(stream, takes_tuples, |lowering, part, _| {
            let part = lowering.value_of(&part)?;
            let more = lowering.emit(op, &[all, part])?;
            lowering.push(Op::EITHER, all, &[more, more], 0);
            Ok(())
        })?;
        Ok(Known::Value(all))
    }

    /// `sfilter`, `mfilter` and `extract`.
    pub(super) fn filtered(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        let function = args[1].function()?;
        let Known::Stream(stream) = &args[0] else {
            let set = self.value_of(&args[0])?;
            return self.filtered_set(prim, set, &function);
        };
        let stream = stream.then(Stage::Keep(function));
        match prim {
            Prim::mfilter => self.collected(Op::UNITE, &stream),
            Prim::extract => self.only(&stream),
            _ if self.depth == 0 && self.is_gone_through => self.later(stream),
            _ => self.collected(Op::GATHER, &stream),
        }
    }

    fn filtered_set(&mut self, prim: Prim, set: Virtual, function: &Function) -> Lowered {
        // The device has room for the marks of one filter at a time.
        if self.is_marking {
            return Err(Refusal::Memory);
        }
        self.emit(Op::MARKS_RESET, &[])?;
        self.is_marking = true;
        self.for_each(set, false, |lowering, element, number| {
            let verdict = lowering.call(function, &[Known::Value(element)])?;
            let verdict = lowering.value_of(&verdict)?;
            let nowhere = lowering.fresh();
            lowering.push(Op::MARK, nowhere, &[verdict, number], 0);
            Ok(())
        })?;
        self.is_marking = false;
        let kept = self.emit(Op::MARKED, &[set])?;
        Ok(Known::Value(match prim {
            Prim::mfilter => self.emit(Op::MERGE, &[kept])?,
            Prim::extract => self.first(kept)?,
            _ => kept,
        }))
    }

    /// The only element of a stream.
    fn only(&mut self, stream: &Stream) -> Lowered {
        let key = self.constant(crate::wire::tag::INT, 1, 0)?;
        let best = self.emit_with(Op::BEST_RESET, &[], 0)?;
        self.for_each_of(stream, false, |lowering, _, number| {
            lowering.push(Op::BEST_OFFER, best, &[key, number], 0);
            Ok(())
        })?;
        let taken = self.emit_with(Op::BEST_TAKE, &[best], 0)?;
        self.element_of(stream, taken)
    }

    /// The stream's result for the element with this number.
    fn element_of(&mut self, stream: &Stream, number: Virtual) -> Lowered {
        let Source::Set(set) = stream.source else {
            return Err(Refusal::Function);
        };
        let mut element = Known::Value(self.emit(Op::ELEMENT, &[set, number])?);
        for stage in &stream.stages {
            if let Stage::Map(function) = stage {
                element = self.call(function, &[element])?;
            }
        }
        Ok(element)
    }

    /// `argmax`, `argmin`, `valmax` and `valmin`.
    pub(super) fn best(&mut self, prim: Prim, args: &[Known]) -> Lowered {
        let (stream, function) = (args[0].stream()?, args[1].function()?);
        let wants_key = matches!(prim, Prim::valmax | Prim::valmin);
        let wants_most = matches!(prim, Prim::argmax | Prim::valmax);
        let faults = !wants_key && self.program.dialect == Dialect::ArcDsl;
        if !wants_key
            && let Known::Value(set) = args[0]
            && function.is_prim(Prim::size)
        {
            let op = if wants_most {
                Op::LARGEST_LABEL
            } else {
                Op::SMALLEST_LABEL
            };
            let number = self.emit_with(op, &[set], i32::from(faults))?;
            return Ok(Known::Value(self.emit(Op::ELEMENT, &[set, number])?));
        }
        let best = self.emit_with(Op::BEST_RESET, &[], 0)?;
        self.for_each_of(&stream, true, |lowering, element, number| {
            let key = lowering.call(&function, &[element])?;
            let key = lowering.value_of(&key)?;
            let flags = if wants_most { flag::WANTS_MOST } else { 0 };
            lowering.push(Op::BEST_OFFER, best, &[key, number], flags);
            Ok(())
        })?;
        let mut flags = if wants_key { flag::WANTS_KEY } else { 0 };
        flags |= if faults { flag::FAULT_IF_EMPTY } else { 0 };
        let taken = self.emit_with(Op::BEST_TAKE, &[best], flags)?;
        if wants_key {
            Ok(Known::Value(taken))
        } else {
            self.element_of(&stream, taken)
        }
    }
}
