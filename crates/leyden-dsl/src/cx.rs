//! Calls: of primitives, through the table, and of the functions they make.

use std::slice;

use crate::fault::Fault;
use crate::kernels;
use crate::meter::{CancelToken, DEFAULT_FUEL, Meter, check_len, check_parts, check_set_len};
use crate::ops;
use crate::table::{Dialect, Prim};
use crate::types::Type;
use crate::value::{Closure, Lambda, Value};

/// Somebody who wants to know which primitives are called.
pub trait Observer: std::fmt::Debug {
    /// A primitive is called.
    fn enter(&mut self, prim: Prim);
    /// The primitive that was entered last and not left yet gave this.
    fn leave(&mut self, outcome: &Result<Value, Fault>);
}

/// What a kernel may use besides its arguments.
#[derive(Debug)]
pub struct Cx {
    /// Counts what the run uses.
    pub meter: Meter,
    /// The dialect the program is written in.
    pub dialect: Dialect,
    /// Whom to tell about calls.
    pub observer: Option<Box<dyn Observer>>,
}

impl Cx {
    /// A context with the default fuel that nobody can cancel.
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

    /// Runs the part of a generator expression that calls back: one frame deeper, and a
    /// `StopIteration` does not get out as such.
    pub(crate) fn generator<T>(
        &mut self,
        body: impl FnOnce(&mut Cx) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.nested(1, body).map_err(Fault::through_generator)
    }

    /// What becomes of a primitive's outcome: tokpidjin catches every exception of a primitive and
    /// goes on with an empty value of the type that its signature names. Leyden's own limits are
    /// no exceptions.
    #[inline]
    pub(crate) fn settled(
        &self,
        prim: Prim,
        outcome: Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        match outcome {
            // Where the stack is full there is no room to look for the type either.
            Err(Fault::RecursionError) if !self.dialect.is_classic() => Type::Any.empty(),
            Err(fault) if !self.dialect.is_classic() && !fault.is_limit() => empty_result(prim),
            outcome => outcome,
        }
    }

    /// What becomes of a line's outcome: in a generated batt file a line catches these exceptions.
    /// A primitive has caught its own already; the default of any other function is `()`.
    pub fn settled_line(&self, outcome: Result<Value, Fault>) -> Result<Value, Fault> {
        match outcome {
            Err(fault) if self.dialect.lines_catch() && fault.is_caught_by_lines() => {
                Type::Any.empty()
            }
            outcome => outcome,
        }
    }

    /// Announces a tuple before it is made: so many items, of so many parts and with so many items of
    /// their own. Every kernel whose result can be much larger than its arguments announces it: a
    /// result that is beyond the caps or costs more than the tank holds takes neither memory nor time.
    ///
    /// The parts and the price may be too low and never too high, so nothing ends here that would
    /// have been made and paid.
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

    /// Announces a set of so many elements.
    pub(crate) fn announce_set(&mut self, n_elements: usize) -> Result<(), Fault> {
        check_set_len(n_elements)?;
        self.meter.announce(n_elements)
    }

    /// How many Python frames a call of a primitive takes: the one that catches is one more.
    pub(crate) fn frames_of_a_call(&self) -> u32 {
        match self.dialect.is_classic() {
            true => 1,
            false => 2,
        }
    }
}

#[cold]
fn empty_result(prim: Prim) -> Result<Value, Fault> {
    // The signatures of these speak of types that their module does not know.
    let has_no_type = [Prim::o_g, Prim::col_row, Prim::mir_rot_f, Prim::a_mr];
    match has_no_type.contains(&prim) {
        true => Type::Any.empty(),
        false => prim.entry().result.empty(),
    }
}

/// What a call of a primitive pays before it is made.
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

/// Calls a primitive: charges for the arguments, checks their number, runs the kernel one frame
/// deeper and charges for the result.
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
