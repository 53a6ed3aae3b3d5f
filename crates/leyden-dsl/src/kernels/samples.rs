//! Kernels for common properties of the demonstration pairs: tokpidjin's primitives over `S`.

use super::{Outcome, named};
use crate::cx::{Cx, call};
use crate::ops;
use crate::table::Prim;
use crate::value::Value;

pub fn dedupe_pair_tuple(_cx: &mut Cx, samples: &Value) -> Outcome {
    let mut different = Vec::new();
    for pair in ops::iter(samples)? {
        let (a, b) = ops::unpack(pair)?;
        if !ops::equal(a, b) {
            different.push(Value::pair(a.clone(), b.clone())?);
        }
    }
    Value::tuple(different)
}

/// The values that a function finds in one side of all pairs, each of them once.
fn found(cx: &mut Cx, samples: &Value, side: Prim, function: &Value) -> Outcome {
    let grids = named::apply(cx, &Value::Prim(side), samples)?;
    let found = named::mapply_t(cx, function, &grids)?;
    named::dedupe(cx, &found)
}

pub fn c_iz(cx: &mut Cx, samples: &Value, function: &Value) -> Outcome {
    let inputs = found(cx, samples, Prim::first, function)?;
    let outputs = found(cx, samples, Prim::second, function)?;
    named::difference_tuple(cx, &inputs, &outputs)
}

pub fn c_zo(cx: &mut Cx, samples: &Value, function: &Value) -> Outcome {
    let inputs = found(cx, samples, Prim::first, function)?;
    let outputs = found(cx, samples, Prim::second, function)?;
    named::difference_tuple(cx, &outputs, &inputs)
}

pub fn c_iz_n(cx: &mut Cx, samples: &Value, function: &Value, pick: &Value) -> Outcome {
    let found = named::c_iz(cx, samples, function)?;
    call(cx, pick, &[found])
}

pub fn c_zo_n(cx: &mut Cx, samples: &Value, function: &Value, pick: &Value) -> Outcome {
    let found = named::c_zo(cx, samples, function)?;
    call(cx, pick, &[found])
}

/// Does a mirroring or turn make every output from its input?
fn explains(cx: &mut Cx, samples: &Value, kind: &Value) -> Outcome<bool> {
    for pair in ops::iter(samples)? {
        let (input, output) = ops::unpack(pair)?;
        cx.meter.charge(input.weight())?;
        if !ops::equal(output, &named::mir_rot_t(cx, input, kind)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

pub fn a_mr(cx: &mut Cx, samples: &Value) -> Outcome {
    for kind in (0..8).map(Value::Int) {
        if explains(cx, samples, &kind)? {
            return Ok(kind);
        }
    }
    Ok(Value::None)
}
