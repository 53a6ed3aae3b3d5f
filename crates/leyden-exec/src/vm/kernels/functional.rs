//! Functions of functions.

use std::rc::Rc;

use super::super::Vm;
use super::super::value::Func;
use super::containers::{Kind, container, merged, rebuild, union_of};
use super::{EXACT, R, Val, int_of};
use leyden_dsl::meter::MAX_SET_ELEMENTS;

fn func(func: Func) -> R {
    Ok(Val::Func(Rc::new(func)))
}

pub(crate) fn identity(_: &mut Vm, x: &Val) -> R {
    Ok(x.clone())
}
pub(crate) fn branch(_: &mut Vm, condition: &Val, a: &Val, b: &Val) -> R {
    Ok(if condition.truth() {
        a.clone()
    } else {
        b.clone()
    })
}
pub(crate) fn compose(_: &mut Vm, outer: &Val, inner: &Val) -> R {
    func(Func::Compose(shallow(outer)?, shallow(inner)?))
}
pub(crate) fn chain(_: &mut Vm, h: &Val, g: &Val, f: &Val) -> R {
    func(Func::Chain(shallow(h)?, shallow(g)?, shallow(f)?))
}
pub(crate) fn matcher(_: &mut Vm, function: &Val, target: &Val) -> R {
    func(Func::Matcher(shallow(function)?, target.clone()))
}
pub(crate) fn rbind(_: &mut Vm, function: &Val, fixed: &Val) -> R {
    let left = bound_arity(function)?;
    func(Func::Rbind(shallow(function)?, shallow(fixed)?, left))
}
pub(crate) fn lbind(_: &mut Vm, function: &Val, fixed: &Val) -> R {
    let left = bound_arity(function)?;
    func(Func::Lbind(shallow(function)?, shallow(fixed)?, left))
}
pub(crate) fn fork(_: &mut Vm, outer: &Val, a: &Val, b: &Val) -> R {
    func(Func::Fork(shallow(outer)?, shallow(a)?, shallow(b)?))
}

/// How many arguments are left open after binding one.
fn bound_arity(function: &Val) -> R<u8> {
    match arity(function).ok_or(EXACT)? {
        2 => Ok(1),
        3 => Ok(2),
        _ => Ok(3),
    }
}

fn arity(function: &Val) -> Option<u8> {
    match function {
        Val::Prim(entry) => Some(entry.params.len() as u8),
        Val::Func(func) => Some(match **func {
            Func::Rbind(_, _, left) | Func::Lbind(_, _, left) => left,
            _ => 1,
        }),
        _ => None,
    }
}

/// Closures deeper than this are left to the exact engine, which knows the limits.
const MAX_CLOSURE_DEPTH: u32 = 100;

fn shallow(value: &Val) -> R {
    if closure_depth(value, 0) > MAX_CLOSURE_DEPTH {
        Err(EXACT)
    } else {
        Ok(value.clone())
    }
}

fn closure_depth(value: &Val, above: u32) -> u32 {
    let (Val::Func(func), true) = (value, above <= MAX_CLOSURE_DEPTH) else {
        return above;
    };
    let deeper = |value: &Val| closure_depth(value, above + 1);
    match &**func {
        Func::Compose(a, b) | Func::Matcher(a, b) => deeper(a).max(deeper(b)),
        Func::Rbind(a, b, _) | Func::Lbind(a, b, _) => deeper(a).max(deeper(b)),
        Func::Chain(a, b, c) | Func::Fork(a, b, c) => deeper(a).max(deeper(b)).max(deeper(c)),
        Func::Power(f, _) => deeper(f),
    }
}

pub(crate) fn power(vm: &mut Vm, function: &Val, n: &Val) -> R {
    let n = int_of(n)?;
    if n == 1 {
        return Ok(function.clone());
    }
    if !(2..=100).contains(&n) {
        return Err(EXACT);
    }
    vm.charge(n as u64)?;
    func(Func::Power(shallow(function)?, n as u32))
}

/// The results of a function on all elements.
fn mapped(vm: &mut Vm, function: &Val, container_: &Val) -> R<(Kind, Vec<Val>)> {
    let (kind, items) = container(container_)?;
    let mut results = Vec::with_capacity(items.len());
    for item in items.iter() {
        results.push(vm.call_on(function, item)?);
    }
    Ok((kind, results))
}

pub(crate) fn apply(vm: &mut Vm, function: &Val, container: &Val) -> R {
    let (kind, results) = mapped(vm, function, container)?;
    if matches!(container, Val::Grid(_)) {
        Ok(Val::rows(results))
    } else {
        rebuild(kind, results)
    }
}

pub(crate) fn rapply(vm: &mut Vm, functions: &Val, value: &Val) -> R {
    let (kind, items) = container(functions)?;
    let mut results = Vec::with_capacity(items.len());
    for function in items.iter() {
        results.push(vm.call_on(function, value)?);
    }
    rebuild(kind, results)
}

pub(crate) fn mapply(vm: &mut Vm, function: &Val, container: &Val) -> R {
    let (kind, results) = mapped(vm, function, container)?;
    match kind {
        Kind::Set => union_of(&results),
        _ => merged(kind, &results),
    }
}

/// The results of a function of two arguments along two tuples.
fn zipped(vm: &mut Vm, function: &Val, a: &Val, b: &Val) -> R<Vec<Val>> {
    let ((Kind::Tuple, left), (Kind::Tuple, right)) = (container(a)?, container(b)?) else {
        return Err(EXACT);
    };
    let mut results = Vec::with_capacity(left.len().min(right.len()));
    for (i, j) in left.iter().zip(right.iter()) {
        results.push(vm.call_on_two(function, i, j)?);
    }
    Ok(results)
}

pub(crate) fn papply(vm: &mut Vm, function: &Val, a: &Val, b: &Val) -> R {
    Ok(Val::rows(zipped(vm, function, a, b)?))
}

pub(crate) fn mpapply(vm: &mut Vm, function: &Val, a: &Val, b: &Val) -> R {
    let results = zipped(vm, function, a, b)?;
    merged(Kind::Tuple, &results)
}

pub(crate) fn prapply(vm: &mut Vm, function: &Val, a: &Val, b: &Val) -> R {
    let ((_, left), (_, right)) = (container(a)?, container(b)?);
    if left.len() * right.len() > MAX_SET_ELEMENTS {
        return Err(EXACT);
    }
    let mut results = Vec::with_capacity(left.len() * right.len());
    for j in right.iter() {
        for i in left.iter() {
            results.push(vm.call_on_two(function, i, j)?);
        }
    }
    Val::set(results)
}
