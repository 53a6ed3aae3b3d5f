//! Kernels for functions of functions.

use super::build::Builder;
use super::each::{MORE, each, results};
use super::{Outcome, named};
use crate::cx::{Cx, call};
use crate::fault::Fault;
use crate::meter::{RECURSION_LIMIT, check_set_len};
use crate::ops;
use crate::pyset::Table;
use crate::value::{Lambda, Value};

pub fn identity(_cx: &mut Cx, x: &Value) -> Outcome {
    Ok(x.clone())
}

pub fn branch(_cx: &mut Cx, condition: &Value, a: &Value, b: &Value) -> Outcome {
    Ok(if condition.is_truthy() { a } else { b }.clone())
}

pub fn compose(_cx: &mut Cx, outer: &Value, inner: &Value) -> Outcome {
    Value::function(Lambda::Compose(outer.clone(), inner.clone()), 1)
}

pub fn chain(_cx: &mut Cx, h: &Value, g: &Value, f: &Value) -> Outcome {
    Value::function(Lambda::Chain(h.clone(), g.clone(), f.clone()), 1)
}

pub fn matcher(_cx: &mut Cx, function: &Value, target: &Value) -> Outcome {
    Value::function(Lambda::Matcher(function.clone(), target.clone()), 1)
}

/// The number of arguments that remain when one is fixed. A function that takes neither two nor
/// three arguments counts as one with four.
fn remaining_arity(function: &Value) -> Outcome<usize> {
    let arity = match function {
        Value::Prim(prim) => prim.arity(),
        Value::Func(closure) => closure.arity(),
        _ => return Err(Fault::AttributeError),
    };
    Ok(if matches!(arity, 2 | 3) { arity - 1 } else { 3 })
}

pub fn rbind(_cx: &mut Cx, function: &Value, fixed: &Value) -> Outcome {
    let arity = remaining_arity(function)?;
    Value::function(Lambda::Rbind(function.clone(), fixed.clone()), arity)
}

pub fn lbind(_cx: &mut Cx, function: &Value, fixed: &Value) -> Outcome {
    let arity = remaining_arity(function)?;
    Value::function(Lambda::Lbind(function.clone(), fixed.clone()), arity)
}

pub fn power(cx: &mut Cx, function: &Value, n: &Value) -> Outcome {
    let n_compositions = match n {
        // Counting down from these never reaches one.
        Value::Float(x) if !x.is_finite() || x.fract() != 0.0 => None,
        Value::Float(x) => (*x as i64).checked_sub(1),
        _ => ops::int(n)?.checked_sub(1),
    };
    let n_compositions = n_compositions.and_then(|n| u32::try_from(n).ok());
    let n_compositions = n_compositions.unwrap_or(RECURSION_LIMIT);
    // CPython recurses once for each composition.
    let frames = n_compositions.saturating_mul(cx.frames_of_a_call());
    let result = cx.nested(frames.min(RECURSION_LIMIT), |cx| {
        let mut result = function.clone();
        for _ in 0..n_compositions {
            result = compose(cx, function, &result)?;
        }
        Ok(result)
    });
    match result {
        // The innermost call returns `()` instead of a function, and all others continue with it.
        Err(Fault::RecursionError) if !cx.dialect.is_classic() => {
            let nothing = Value::tuple(Vec::new())?;
            compose(cx, function, &nothing)
        }
        result => result,
    }
}

pub fn fork(_cx: &mut Cx, outer: &Value, a: &Value, b: &Value) -> Outcome {
    Value::function(Lambda::Fork(outer.clone(), a.clone(), b.clone()), 1)
}

pub fn apply(cx: &mut Cx, function: &Value, container: &Value) -> Outcome {
    let result = Builder::like(container)?;
    results(cx, ops::iter(container)?, result, |cx, element| {
        call(cx, function, std::slice::from_ref(element))
    })
}

pub fn rapply(cx: &mut Cx, functions: &Value, value: &Value) -> Outcome {
    let result = Builder::like(functions)?;
    results(cx, ops::iter(functions)?, result, |cx, function| {
        call(cx, function, std::slice::from_ref(value))
    })
}

pub fn mapply(cx: &mut Cx, function: &Value, container: &Value) -> Outcome {
    let applied = cx.nested(1, |cx| named::apply(cx, function, container))?;
    named::merge(cx, &applied)
}

pub fn papply(cx: &mut Cx, function: &Value, a: &Value, b: &Value) -> Outcome {
    let pairs = ops::iter(a)?.zip(ops::iter(b)?);
    results(cx, pairs, Builder::tuple(), |cx, (i, j)| {
        call(cx, function, &[(*i).clone(), (*j).clone()])
    })
}

pub fn mpapply(cx: &mut Cx, function: &Value, a: &Value, b: &Value) -> Outcome {
    let applied = cx.nested(1, |cx| named::papply(cx, function, a, b))?;
    named::merge(cx, &applied)
}

pub fn prapply(cx: &mut Cx, function: &Value, a: &Value, b: &Value) -> Outcome {
    let outer = ops::iter(b)?;
    let mut result = Table::new();
    cx.generator(|cx| {
        // Python iterates over the inner container only if the outer one has elements.
        if ops::len(b)? == 0 {
            return Ok(());
        }
        let inner = ops::iter(a)?;
        let pairs = outer.flat_map(|j| inner.clone().map(move |i| [i.clone(), j.clone()]));
        let call_on_pair = |cx: &mut Cx, pair: &[Value; 2]| call(cx, function, pair);
        each(cx, pairs, call_on_pair, |_, value| {
            result.insert(value);
            check_set_len(result.len())?;
            MORE
        })
    })?;
    Value::set(result)
}
