//! Tuples and sets.

use leyden_dsl::table::Dialect;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyStopIteration;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyList};

use crate::dsl::call::Callee;
use crate::dsl::obj::{self, Items, Maker, equal, generated, int, items, small, truth};
use crate::dsl::{Cx, Obj, Res, cache, ffi};

pub(in super::super) fn contained<'py>(
    cx: Cx<'py>,
    value: &Obj<'py>,
    container: &Obj<'py>,
) -> Res<'py> {
    Ok(truth(cx.py, container.contains(value)?))
}

pub(in super::super) fn combine<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    let all = || obj::chained(&ffi::pack(a, b)?);
    match Maker::like(a)? {
        Maker::Tuple(_) if obj::is_exact_tuple(b) => a.add(b),
        Maker::Tuple(_) => obj::to_tuple(&all()?),
        Maker::Frozen(_) => ffi::frozenset_of(&all()?),
        Maker::Other(class, _) => class.call1((obj::to_tuple(&all()?)?,)),
    }
}

pub(in super::super) fn intersection<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    a.bitand(b)
}

/// `type(container)(e for e in container if …)`
fn filtered<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    mut is_kept: impl FnMut(&Obj<'py>) -> PyResult<bool>,
) -> Res<'py> {
    let mut made = Maker::like(container)?;
    for item in items(container)? {
        let item = item?;
        if generated(cx.py, is_kept(&item))? {
            made.put(item)?;
        }
    }
    made.done(cx.py)
}

pub(in super::super) fn difference<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    filtered(cx, a, |item| Ok(!b.contains(item)?))
}

pub(in super::super) fn dedupe<'py>(cx: Cx<'py>, tup: &Obj<'py>) -> Res<'py> {
    let index = intern!(cx.py, "index");
    let place_of = |item: &Obj<'py>| match obj::as_tuple(tup) {
        Some(tuple) => Ok(int(cx.py, tuple.index(item)? as i64)),
        None => tup.call_method1(index, (item,)),
    };
    let mut kept = Vec::new();
    for (k, item) in items(tup)?.enumerate() {
        let item = item?;
        if equal(&place_of(&item)?, &int(cx.py, k as i64))? {
            kept.push(item);
        }
    }
    obj::tuple(cx.py, kept)
}

pub(in super::super) fn order<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    compfunc: &Obj<'py>,
) -> Res<'py> {
    let items = items(container)?.collect::<PyResult<Vec<_>>>()?;
    let key = Callee::of(compfunc);
    // `key=None` means no key.
    let key_of = |item: &Obj<'py>| {
        if compfunc.is_none() {
            itself(item)
        } else {
            key.call1(item)
        }
    };
    let keys = items.iter().map(key_of).collect::<PyResult<Vec<_>>>()?;
    let sorted = match keys.iter().map(small).collect::<Option<Vec<_>>>() {
        Some(numbers) => {
            let mut places: Vec<usize> = (0..items.len()).collect();
            places.sort_by_key(|k| numbers[*k]);
            places
        }
        None => sorted_places(cx, keys)?,
    };
    obj::tuple(
        cx.py,
        sorted.into_iter().map(|k| items[k].clone()).collect(),
    )
}

/// Sorts as Python does, which matters for keys without a total order.
fn sorted_places<'py>(cx: Cx<'py>, keys: Vec<Obj<'py>>) -> PyResult<Vec<usize>> {
    let places = PyList::new(cx.py, 0..keys.len())?;
    let key_at = PyList::new(cx.py, keys)?.getattr(intern!(cx.py, "__getitem__"))?;
    let by_key = pyo3::types::PyDict::new(cx.py);
    by_key.set_item(intern!(cx.py, "key"), key_at)?;
    places.call_method(intern!(cx.py, "sort"), (), Some(&by_key))?;
    places.extract()
}

/// The length of `range(n)`.
pub(super) fn count(n: &Obj<'_>) -> PyResult<usize> {
    Ok(obj::as_index(n)?.max(0) as usize)
}

pub(in super::super) fn repeat<'py>(cx: Cx<'py>, item: &Obj<'py>, num: &Obj<'py>) -> Res<'py> {
    repeated(cx, item, count(num)?)
}

/// `tuple(item for i in range(n))`
pub(super) fn repeated<'py>(cx: Cx<'py>, item: &Obj<'py>, n: usize) -> Res<'py> {
    obj::announce(n)?;
    pair_free(cx, item)?.mul(n)
}

/// `(item,)`
fn pair_free<'py>(cx: Cx<'py>, item: &Obj<'py>) -> Res<'py> {
    Ok((item,).into_pyobject(cx.py)?.into_any())
}

pub(in super::super) fn size<'py>(cx: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    Ok(int(cx.py, obj::len(container)? as i64))
}

pub(in super::super) fn merge<'py>(cx: Cx<'py>, containers: &Obj<'py>) -> Res<'py> {
    announce_merged(containers)?;
    let all = obj::chained(containers)?;
    match Maker::like(containers)? {
        Maker::Tuple(_) => obj::to_tuple(&all),
        Maker::Frozen(_) => ffi::frozenset_of(&all),
        Maker::Other(class, _) => {
            let all = PyList::new(cx.py, items(&all)?.collect::<PyResult<Vec<_>>>()?)?;
            class.call1((all.try_iter()?,))
        }
    }
}

/// Announces the elements of all inner tuples. The inner tuples may be one object, so a small tuple
/// can have any number of elements.
fn announce_merged(containers: &Obj<'_>) -> PyResult<()> {
    let Some(containers) = obj::as_tuple(containers) else {
        return Ok(());
    };
    let length = |inner: &Obj<'_>| obj::as_tuple(inner).map_or(0, |inner| inner.len());
    let lengths = containers.iter_borrowed().map(|inner| length(&inner));
    obj::announce(lengths.fold(0, usize::saturating_add))
}

fn itself<'py>(item: &Obj<'py>) -> Res<'py> {
    Ok(item.clone())
}

pub(in super::super) fn maximum<'py>(cx: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    let best = obj::extreme(items(container)?, CompareOp::Gt, itself)?;
    Ok(best.unwrap_or_else(|| int(cx.py, 0)))
}

pub(in super::super) fn minimum<'py>(cx: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    let best = obj::extreme(items(container)?, CompareOp::Lt, itself)?;
    Ok(best.unwrap_or_else(|| int(cx.py, 0)))
}

fn best_by<'py>(
    container: &Obj<'py>,
    compfunc: &Obj<'py>,
    by: CompareOp,
) -> PyResult<Option<Obj<'py>>> {
    // `key=None` means no key.
    if compfunc.is_none() {
        return obj::extreme(items(container)?, by, itself);
    }
    let key = Callee::of(compfunc);
    obj::extreme(items(container)?, by, |item| key.call1(item))
}

pub(in super::super) fn valmax<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    compfunc: &Obj<'py>,
) -> Res<'py> {
    let best = best_by(container, compfunc, CompareOp::Gt)?;
    Callee::of(compfunc).call1(&best.unwrap_or_else(|| int(cx.py, 0)))
}

pub(in super::super) fn valmin<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    compfunc: &Obj<'py>,
) -> Res<'py> {
    let best = best_by(container, compfunc, CompareOp::Lt)?;
    Callee::of(compfunc).call1(&best.unwrap_or_else(|| int(cx.py, 0)))
}

/// The best element. Without one, raises an error, or returns None in re-arc's dialect.
fn or_nothing<'py>(cx: Cx<'py>, best: Option<Obj<'py>>) -> Res<'py> {
    match (best, cx.dialect) {
        (None, Dialect::ReArc) => Ok(cx.py.None().into_bound(cx.py)),
        (best, _) => obj::of_nothing(best),
    }
}

pub(in super::super) fn argmax<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    compfunc: &Obj<'py>,
) -> Res<'py> {
    or_nothing(cx, best_by(container, compfunc, CompareOp::Gt)?)
}

pub(in super::super) fn argmin<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    compfunc: &Obj<'py>,
) -> Res<'py> {
    or_nothing(cx, best_by(container, compfunc, CompareOp::Lt)?)
}

/// The element of a set of all elements that occurs most or least often.
fn by_count<'py>(cx: Cx<'py>, container: &Obj<'py>, by: CompareOp) -> Res<'py> {
    let elements = obj::set(cx.py, items(container)?)?;
    let count = container.getattr(intern!(cx.py, "count"))?;
    obj::of_nothing(obj::extreme(elements.try_iter()?, by, |item| {
        count.call1((item,))
    })?)
}

pub(in super::super) fn mostcommon<'py>(cx: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    by_count(cx, container, CompareOp::Gt)
}

pub(in super::super) fn leastcommon<'py>(cx: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    by_count(cx, container, CompareOp::Lt)
}

pub(in super::super) fn initset<'py>(cx: Cx<'py>, value: &Obj<'py>) -> Res<'py> {
    obj::frozen(cx.py, [Ok(value.clone())])
}

pub(in super::super) fn sfilter<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    condition: &Obj<'py>,
) -> Res<'py> {
    let condition = Callee::of(condition);
    filtered(cx, container, |item| condition.holds(item))
}

pub(in super::super) fn mfilter<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    function: &Obj<'py>,
) -> Res<'py> {
    merge(cx, &sfilter(cx, container, function)?)
}

pub(in super::super) fn extract<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    condition: &Obj<'py>,
) -> Res<'py> {
    let condition = Callee::of(condition);
    for item in items(container)? {
        let item = item?;
        if generated(cx.py, condition.holds(&item))? {
            return Ok(item);
        }
    }
    Err(PyStopIteration::new_err(()))
}

pub(in super::super) fn totuple<'py>(_: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    obj::to_tuple(container)
}

pub(in super::super) fn first<'py>(_: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    obj::first(container)
}

pub(in super::super) fn last<'py>(_: Cx<'py>, container: &Obj<'py>) -> Res<'py> {
    let found = match obj::as_tuple(container) {
        Some(tuple) if !tuple.is_empty() => Some(tuple.get_item(tuple.len() - 1)?),
        _ => items(container)?.try_fold(None, |_, item| item.map(Some))?,
    };
    obj::of_nothing(found)
}

pub(in super::super) fn insert<'py>(
    cx: Cx<'py>,
    value: &Obj<'py>,
    container: &Obj<'py>,
) -> Res<'py> {
    match container.cast_exact::<PyFrozenSet>() {
        Ok(set) => set.bitor(initset(cx, value)?),
        // An object without this method raises its error before anything is hashed.
        Err(_) => {
            let union = container.getattr(intern!(cx.py, "union"))?;
            union.call1((initset(cx, value)?,))
        }
    }
}

pub(in super::super) fn remove<'py>(
    cx: Cx<'py>,
    value: &Obj<'py>,
    container: &Obj<'py>,
) -> Res<'py> {
    filtered(cx, container, |item| differs(item, value))
}

/// `a != b`
pub(super) fn differs(a: &Obj<'_>, b: &Obj<'_>) -> PyResult<bool> {
    match (small(a), small(b)) {
        (Some(a), Some(b)) => Ok(a != b),
        _ => a.ne(b),
    }
}

pub(in super::super) fn other<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    value: &Obj<'py>,
) -> Res<'py> {
    obj::first(&remove(cx, value, container)?)
}

pub(in super::super) fn interval<'py>(
    cx: Cx<'py>,
    start: &Obj<'py>,
    stop: &Obj<'py>,
    step: &Obj<'py>,
) -> Res<'py> {
    if let (Some(start), Some(stop), Some(step)) = (small(start), small(stop), small(step))
        && step != 0
        && [start, stop, step]
            .iter()
            .all(|number| number.abs() < 1 << 40)
    {
        let n = ((stop - start + step - step.signum()) / step).max(0);
        obj::announce(n as usize)?;
        let all = (0..n).map(|k| int(cx.py, start + k * step));
        return obj::tuple(cx.py, all.collect());
    }
    let range = obj::builtin(cx.py, "range")?.call1((start, stop, step))?;
    // A range can be longer than Python's `len` counts.
    obj::announce(range.len().unwrap_or(usize::MAX))?;
    obj::to_tuple(&range)
}

pub(in super::super) fn astuple<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    ffi::pack(a, b)
}

pub(in super::super) fn product<'py>(cx: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    if let (Some(n), Some(m)) = (plain_len(a), plain_len(b)) {
        obj::announce_set(n.saturating_mul(m))?;
    }
    let mut set = ffi::FrozenSetBuilder::new(cx.py)?;
    for j in items(b)? {
        let j = j?;
        for i in items(a)? {
            set.add(&cache::pair(&i?, &j)?)?;
        }
    }
    Ok(set.finish())
}

/// The length of a plain tuple or set. Other containers may have a length that Python code computes.
fn plain_len(container: &Obj<'_>) -> Option<usize> {
    if obj::is_exact_tuple(container) || obj::is_plain_set(container) {
        obj::len(container).ok()
    } else {
        None
    }
}

/// `zip(a, b)`
pub(super) struct Zip<'a, 'py>(Items<'a, 'py>, Items<'a, 'py>);

impl<'py> Iterator for Zip<'_, 'py> {
    type Item = PyResult<(Obj<'py>, Obj<'py>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let a = self.0.next()?;
        match (a, self.1.next()?) {
            (Ok(a), Ok(b)) => Some(Ok((a, b))),
            (Err(error), _) | (_, Err(error)) => Some(Err(error)),
        }
    }
}

pub(super) fn zip_two<'a, 'py>(a: &'a Obj<'py>, b: &'a Obj<'py>) -> PyResult<Zip<'a, 'py>> {
    Ok(Zip(items(a)?, items(b)?))
}

pub(in super::super) fn pair<'py>(_: Cx<'py>, a: &Obj<'py>, b: &Obj<'py>) -> Res<'py> {
    obj::to_tuple(&obj::zip(a, b)?)
}
