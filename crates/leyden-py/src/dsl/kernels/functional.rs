//! Functions of functions.

use super::containers::{merge, zip_two};
use crate::dsl::call::Callee;
use crate::dsl::obj::{self, Maker, generated, items};
use crate::dsl::{Cx, Obj, Res, ffi};

pub(in super::super) use crate::dsl::call::{chain, compose, fork, lbind, matcher, power, rbind};

pub(in super::super) fn identity<'py>(_: Cx<'py>, x: &Obj<'py>) -> Res<'py> {
    Ok(x.clone())
}

pub(in super::super) fn branch<'py>(
    _: Cx<'py>,
    condition: &Obj<'py>,
    a: &Obj<'py>,
    b: &Obj<'py>,
) -> Res<'py> {
    Ok(if obj::is_true(condition)? { a } else { b }.clone())
}

pub(in super::super) fn apply<'py>(
    cx: Cx<'py>,
    function: &Obj<'py>,
    container: &Obj<'py>,
) -> Res<'py> {
    let items = items(container)?;
    let function = Callee::of(function);
    let mut made = Maker::like(container)?;
    for item in items {
        made.put(generated(cx.py, function.call1(&item?))?)?;
    }
    made.done(cx.py)
}

pub(in super::super) fn rapply<'py>(
    cx: Cx<'py>,
    functions: &Obj<'py>,
    value: &Obj<'py>,
) -> Res<'py> {
    let mut made = Maker::like(functions)?;
    for function in items(functions)? {
        made.put(generated(cx.py, Callee::of(&function?).call1(value))?)?;
    }
    made.done(cx.py)
}

pub(in super::super) fn mapply<'py>(
    cx: Cx<'py>,
    function: &Obj<'py>,
    container: &Obj<'py>,
) -> Res<'py> {
    merge(cx, &apply(cx, function, container)?)
}

pub(in super::super) fn papply<'py>(
    cx: Cx<'py>,
    function: &Obj<'py>,
    a: &Obj<'py>,
    b: &Obj<'py>,
) -> Res<'py> {
    let function = Callee::of(function);
    let mut results = Vec::new();
    for both in zip_two(a, b)? {
        let (i, j) = both?;
        results.push(generated(cx.py, function.call(&[&i, &j]))?);
    }
    obj::tuple(cx.py, results)
}

pub(in super::super) fn mpapply<'py>(
    cx: Cx<'py>,
    function: &Obj<'py>,
    a: &Obj<'py>,
    b: &Obj<'py>,
) -> Res<'py> {
    merge(cx, &papply(cx, function, a, b)?)
}

pub(in super::super) fn prapply<'py>(
    cx: Cx<'py>,
    function: &Obj<'py>,
    a: &Obj<'py>,
    b: &Obj<'py>,
) -> Res<'py> {
    let function = Callee::of(function);
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for j in items(b)? {
        let j = j?;
        for i in items(a)? {
            set.add(&generated(cx.py, function.call(&[&i?, &j]))?)?;
        }
    }
    Ok(set.finish())
}
