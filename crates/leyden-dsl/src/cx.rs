//! Calls of primitives through the table, and of the functions that they make.

use std::slice;

use crate::fault::Fault;
use crate::kernels;
use crate::meter::{CancelToken, DEFAULT_FUEL, Meter, check_len, check_parts, check_set_len};
use crate::ops;
use crate::table::{Dialect, Prim};
use crate::types::Type;
use crate::value::{Closure, Lambda, Value};

/// A listener to calls of primitives.
pub trait Observer: std::fmt::Debug {
    /// Notes that a primitive is called.
    fn enter(&mut self, prim: Prim);
    /// Notes the outcome of the last primitive that was entered and not left yet.
    fn leave(&mut self, outcome: &Result<Value, Fault>);
}

/// The state of a run that kernels use beside their arguments.
#[derive(Debug)]
pub struct Cx {
    /// Counts fuel and frames.
    pub meter: Meter,
    /// The dialect of the program.
    pub dialect: Dialect,
    /// The listener to calls.
    pub observer: Option<Box<dyn Observer>>,
}

impl Cx {
    /// A context with the default fuel, which no caller can cancel.
    pub fn new(dialect: Dialect) -> Self {
        Cx {
            meter: Meter::new(DEFAULT_FUEL, CancelToken::new()),
            dialect,
            observer: None,
        }
    }

    /// Runs `body` some Python frames deeper.
    #[inline]
    pub(crate) fn nested<T>(
        &mut self,
        frames: u32,
        body: impl FnOnce(&mut Cx) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.meter.enter(frames)?;
        let outcome = body(self);
        self.meter.leave(frames);
        outcome
    }

    /// Runs the part of a generator expression that calls functions: one frame deeper. A
    /// `StopIteration` leaves it as a `RuntimeError`.
    pub(crate) fn generator<T>(
        &mut self,
        body: impl FnOnce(&mut Cx) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.nested(1, body).map_err(Fault::through_generator)
    }

    /// Turns a primitive's outcome into the dialect's: tokpidjin catches every exception of a
    /// primitive and continues with an empty value of the signature's result type. Leyden's own
    /// limits are not exceptions.
    #[inline]
    pub(crate) fn settled(
        &self,
        prim: Prim,
        outcome: Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        match outcome {
            // With a full stack, tokpidjin has no room to look for the type either.
            Err(Fault::RecursionError) if !self.dialect.is_classic() => Type::Any.empty(),
            Err(fault) if !self.dialect.is_classic() && !fault.is_limit() => empty_result(prim),
            outcome => outcome,
        }
    }

    /// Turns a line's outcome into the dialect's: a line of a generated batt file catches five
    /// classes of exceptions. A primitive has caught its own already; the default of any other
    /// function is `()`.
    pub fn settled_line(&self, outcome: Result<Value, Fault>) -> Result<Value, Fault> {
        match outcome {
            Err(fault) if self.dialect.lines_catch() && fault.is_caught_by_lines() => {
                Type::Any.empty()
            }
            outcome => outcome,
        }
    }

    /// Announces a tuple before it is made: the number of its items, of each item's own items and
    /// of each item's parts. Every kernel whose result can be much larger than its arguments
    /// announces it, so that a result beyond the caps or the fuel takes neither memory nor time.
    ///
    /// The numbers may be too low, but never too high: a result that can be made and paid for is
    /// never refused here.
    pub(crate) fn announce_tuple(
        &mut self,
        n_items: usize,
        n_inner: usize,
        parts_of_item: usize,
    ) -> Result<(), Fault> {
        check_len(n_items)?;
        check_parts(n_items.saturating_mul(parts_of_item))?;
        self.meter.announce(n_items.saturating_mul(n_inner.max(1)))
    }

    /// Announces a set with this many elements.
    pub(crate) fn announce_set(&mut self, n_elements: usize) -> Result<(), Fault> {
        check_set_len(n_elements)?;
        self.meter.announce(n_elements)
    }

    /// The number of Python frames of a primitive's call. A dialect that catches exceptions needs a
    /// second one.
    pub(crate) fn frames_of_a_call(&self) -> u32 {
        if self.dialect.is_classic() { 1 } else { 2 }
    }
}

#[cold]
fn empty_result(prim: Prim) -> Result<Value, Fault> {
    // The signatures of these primitives name types that tokpidjin's own module does not know.
    let has_no_type = [Prim::o_g, Prim::col_row, Prim::mir_rot_f, Prim::a_mr];
    if has_no_type.contains(&prim) {
        Type::Any.empty()
    } else {
        prim.entry().result.empty()
    }
}

/// The price of a primitive's call, without the price of its result.
#[inline]
pub fn price_of_call(prim: Prim, args: &[Value]) -> u64 {
    let cost = prim.entry().cost;
    let of_args = cost.of_args(args.len(), |k| args[k].weight());
    of_args.saturating_add(1)
}

/// Calls a value.
pub fn call(cx: &mut Cx, callee: &Value, args: &[Value]) -> Result<Value, Fault> {
    match callee {
        Value::Prim(prim) => call_prim(cx, *prim, args),
        Value::Func(closure) => call_closure(cx, closure, args),
        _ => Err(Fault::TypeError),
    }
}

/// Calls a primitive: charges for the arguments, checks their number, runs the kernel in a new
/// frame and charges for the result.
pub fn call_prim(cx: &mut Cx, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
    if cx.observer.is_some() {
        return call_observed(cx, prim, args);
    }
    let outcome = call_kernel(cx, prim, args);
    cx.settled(prim, outcome)
}

#[cold]
fn call_observed(cx: &mut Cx, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
    cx.observer.iter_mut().for_each(|it| it.enter(prim));
    let outcome = call_kernel(cx, prim, args);
    cx.observer.iter_mut().for_each(|it| it.leave(&outcome));
    cx.settled(prim, outcome)
}

fn call_kernel(cx: &mut Cx, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
    let entry = prim.entry();
    cx.meter.charge(price_of_call(prim, args))?;
    if args.len() != entry.params.len() {
        return Err(Fault::TypeError);
    }
    let frames = cx.frames_of_a_call();
    let around = cx.meter.begin_call();
    let result = cx.nested(frames, |cx| kernels::dispatch(cx, prim, args));
    let prepaid = cx.meter.end_call(around);
    let result = result?;
    let of_result = entry.cost.of_result(|| result.weight());
    cx.meter.charge(of_result.saturating_sub(prepaid))?;
    Ok(result)
}

fn call_closure(cx: &mut Cx, closure: &Closure, args: &[Value]) -> Result<Value, Fault> {
    let takes_anything = matches!(closure.lambda, Lambda::Nothing);
    if args.len() != closure.arity() && !takes_anything {
        return Err(Fault::TypeError);
    }
    cx.nested(1, |cx| run_lambda(cx, &closure.lambda, args))
}

fn run_lambda(cx: &mut Cx, lambda: &Lambda, args: &[Value]) -> Result<Value, Fault> {
    match lambda {
        Lambda::Compose(outer, inner) => {
            let x = call(cx, inner, args)?;
            call(cx, outer, &[x])
        }
        Lambda::Chain(h, g, f) => {
            let x = call(cx, f, args)?;
            let x = call(cx, g, &[x])?;
            call(cx, h, &[x])
        }
        Lambda::Matcher(function, target) => {
            let x = call(cx, function, args)?;
            Ok(Value::Bool(ops::equal(&x, target)))
        }
        Lambda::Fork(outer, a, b) => {
            let x = call(cx, a, args)?;
            let y = call(cx, b, args)?;
            call(cx, outer, &[x, y])
        }
        Lambda::Rbind(function, fixed) => match args {
            [x] => call(cx, function, &[x.clone(), fixed.clone()]),
            _ => call(cx, function, &[args, slice::from_ref(fixed)].concat()),
        },
        Lambda::Lbind(function, fixed) => match args {
            [x] => call(cx, function, &[fixed.clone(), x.clone()]),
            _ => call(cx, function, &[slice::from_ref(fixed), args].concat()),
        },
        Lambda::Nothing => Value::tuple(Vec::new()),
    }
}
