//! Calls of functions on the elements of a container.

use std::ops::ControlFlow;

use super::Outcome;
use super::build::Builder;
use crate::cx::{Cx, call};
use crate::fault::Fault;
use crate::ops;
use crate::value::Value;

/// Whether an iteration needs further results.
pub(super) type Wish = Outcome<ControlFlow<()>>;

/// Further results are needed.
pub(super) const MORE: Wish = Ok(ControlFlow::Continue(()));

/// No further result can change the outcome.
pub(super) const ENOUGH: Wish = Ok(ControlFlow::Break(()));

/// Calls a function on every element, in order, and hands over each result until one faults or is
/// enough. The remaining calls are made for their price alone, so that the price of all calls does
/// not depend on the order of the elements. Only the end of the fuel and a cancelled run stop them.
#[inline]
pub(super) fn each<T>(
    cx: &mut Cx,
    elements: impl Iterator<Item = T>,
    mut call: impl FnMut(&mut Cx, &T) -> Outcome,
    mut take: impl FnMut(T, Value) -> Wish,
) -> Outcome<()> {
    let mut end = None;
    for element in elements {
        let result = call(cx, &element);
        if let Err(limit @ (Fault::Fuel | Fault::Cancelled)) = result {
            return Err(limit);
        }
        if end.is_some() {
            continue;
        }
        match result.and_then(|value| take(element, value)) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => end = Some(Ok(())),
            Err(fault) => end = Some(Err(fault)),
        }
    }
    end.unwrap_or(Ok(()))
}

/// `type(…)(call(e) for e in elements)`
pub(super) fn results<T>(
    cx: &mut Cx,
    elements: impl Iterator<Item = T>,
    mut result: Builder,
    call: impl FnMut(&mut Cx, &T) -> Outcome,
) -> Outcome {
    cx.generator(|cx| {
        each(cx, elements, call, |_, value| {
            result.push(value)?;
            MORE
        })
    })?;
    result.finish()
}

/// `type(…)(e for e in container if condition(e))`
pub(super) fn chosen(
    cx: &mut Cx,
    container: &Value,
    condition: &Value,
    mut result: Builder,
) -> Outcome {
    cx.generator(|cx| {
        each(
            cx,
            ops::iter(container)?,
            |cx, element| call(cx, condition, std::slice::from_ref(element)),
            |element, holds| {
                if holds.is_truthy() {
                    result.push(element.clone())?;
                }
                MORE
            },
        )
    })?;
    result.finish()
}

/// Calls a key function on every element and hands over the element with its key. Without a
/// function, each element is its own key.
pub(super) fn each_key<'v>(
    cx: &mut Cx,
    container: &'v Value,
    compfunc: &Value,
    mut take: impl FnMut(&'v Value, Value) -> Outcome<()>,
) -> Outcome<()> {
    let key = |cx: &mut Cx, element: &&Value| match compfunc {
        Value::None => Ok((*element).clone()),
        _ => call(cx, compfunc, std::slice::from_ref(*element)),
    };
    each(cx, ops::iter(container)?, key, |element, key| {
        take(element, key)?;
        MORE
    })
}
