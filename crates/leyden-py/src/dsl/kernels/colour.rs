//! Colours of grids and objects.

use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySet};

use crate::dsl::ffi::parts_of_pair;
use crate::dsl::obj::{self, as_tuple, equal, int, is_tuple, items, small};
use crate::dsl::{Cx, Obj, Res};

/// The number of colours that are counted one by one. Python counts the others.
const N_COUNTED: usize = 64;

/// Counts of plain colours, and the colours in the order of their first occurrence.
struct Counts<'py> {
    counts: [usize; N_COUNTED],
    found: Vec<Obj<'py>>,
}

impl<'py> Counts<'py> {
    #[inline]
    fn add(&mut self, value: &Obj<'py>) -> Option<()> {
        let number = small(value)?;
        let count = self.counts.get_mut(usize::try_from(number).ok()?)?;
        if *count == 0 {
            self.found.push(value.clone());
        }
        *count += 1;
        Some(())
    }

    fn of(&self, value: &Obj<'py>) -> usize {
        small(value).map_or(0, |number| self.counts[number as usize])
    }

    /// `set(values)`
    fn as_set(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
        obj::set(py, self.found.iter().map(|value| Ok(value.clone())))
    }
}

/// Counts the colours of a grid or object if all are plain.
fn counts<'py>(element: &Obj<'py>) -> PyResult<Option<Counts<'py>>> {
    let mut counts = Counts {
        counts: [0; N_COUNTED],
        found: Vec::new(),
    };
    let counted = match as_tuple(element) {
        Some(grid) => grid.iter_borrowed().try_for_each(|row| {
            as_tuple(&row)?
                .iter_borrowed()
                .try_for_each(|value| counts.add(&value))
        }),
        None if obj::is_plain_set(element) => {
            let mut counted = Some(());
            for cell in items(element)? {
                counted = parts_of_pair(&cell?).and_then(|(value, _)| counts.add(&value));
                if counted.is_none() {
                    break;
                }
            }
            counted
        }
        None => None,
    };
    Ok(counted.map(|()| counts))
}

/// All colours of a grid or object, one by one.
fn each_value<'py>(
    element: &Obj<'py>,
    mut visit: impl FnMut(Obj<'py>) -> PyResult<()>,
) -> PyResult<()> {
    if !is_tuple(element) {
        return items(element)?.try_for_each(|cell| visit(obj::unpack(&cell?)?.0));
    }
    for row in items(element)? {
        items(&row?)?.try_for_each(|value| visit(value?))?;
    }
    Ok(())
}

/// The most or least frequent colour; among several the first in the order of a set.
fn by_count<'py>(cx: Cx<'py>, element: &Obj<'py>, by: CompareOp) -> Res<'py> {
    let Some(counts) = counts(element)? else {
        return by_count_of_anything(cx, element, by);
    };
    let number = |value: &Obj<'py>| counts.of(value);
    let best = match by {
        CompareOp::Gt => counts.found.iter().max_by_key(|value| number(value)),
        _ => counts.found.iter().min_by_key(|value| number(value)),
    };
    let Some(best) = best else {
        return obj::of_nothing(None);
    };
    let n_best = counts
        .found
        .iter()
        .filter(|value| number(value) == number(best))
        .count();
    if n_best == 1 {
        return Ok(best.clone());
    }
    for value in counts.as_set(cx.py)?.try_iter()? {
        let value = value?;
        if number(&value) == number(best) {
            return Ok(value);
        }
    }
    Ok(best.clone())
}

fn by_count_of_anything<'py>(cx: Cx<'py>, element: &Obj<'py>, by: CompareOp) -> Res<'py> {
    let values = PyList::empty(cx.py);
    each_value(element, |value| values.append(value))?;
    let different = obj::set(cx.py, values.iter().map(Ok))?;
    let count = values.getattr(intern!(cx.py, "count"))?;
    obj::of_nothing(obj::extreme(different.try_iter()?, by, |value| {
        count.call1((value,))
    })?)
}

pub(in super::super) fn mostcolor<'py>(cx: Cx<'py>, element: &Obj<'py>) -> Res<'py> {
    by_count(cx, element, CompareOp::Gt)
}

pub(in super::super) fn leastcolor<'py>(cx: Cx<'py>, element: &Obj<'py>) -> Res<'py> {
    by_count(cx, element, CompareOp::Lt)
}

pub(in super::super) fn colorcount<'py>(
    cx: Cx<'py>,
    element: &Obj<'py>,
    value: &Obj<'py>,
) -> Res<'py> {
    if !is_tuple(element) {
        let mut sum = int(cx.py, 0);
        for cell in items(element)? {
            let is_it = obj::equality(&obj::unpack(&cell?)?.0, value)?;
            sum = sum.add(is_it)?;
        }
        return Ok(sum);
    }
    let mut sum = int(cx.py, 0);
    for row in items(element)? {
        sum = obj::add(&sum, &n_in_row(&row?, value)?)?;
    }
    Ok(sum)
}

/// `row.count(value)`
fn n_in_row<'py>(row: &Obj<'py>, value: &Obj<'py>) -> Res<'py> {
    let py = row.py();
    let numbers = as_tuple(row).zip(small(value));
    let quick = numbers.and_then(|(row, value)| {
        row.iter_borrowed()
            .try_fold(0, |n, v| Some(n + i64::from(small(&v)? == value)))
    });
    match quick {
        Some(n) => Ok(int(py, n)),
        None => row.call_method1(intern!(py, "count"), (value,)),
    }
}

pub(in super::super) fn colorfilter<'py>(
    cx: Cx<'py>,
    objs: &Obj<'py>,
    value: &Obj<'py>,
) -> Res<'py> {
    let has_color = |obj: &Obj<'py>| equal(&color(cx, obj)?, value);
    selected(cx, objs, has_color)
}

/// `frozenset(item for item in container if …)`
fn selected<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    is_kept: impl Fn(&Obj<'py>) -> PyResult<bool>,
) -> Res<'py> {
    let keep = |item: Res<'py>| {
        let item = match item {
            Ok(item) => item,
            Err(error) => return Some(Err(error)),
        };
        is_kept(&item)
            .map(|is_kept| is_kept.then_some(item))
            .transpose()
    };
    obj::frozen(cx.py, items(container)?.filter_map(keep))
}

pub(in super::super) fn sizefilter<'py>(
    cx: Cx<'py>,
    container: &Obj<'py>,
    n: &Obj<'py>,
) -> Res<'py> {
    selected(cx, container, |item| {
        equal(&int(cx.py, obj::len(item)? as i64), n)
    })
}

pub(in super::super) fn palette<'py>(cx: Cx<'py>, element: &Obj<'py>) -> Res<'py> {
    obj::frozen_copy(&all_values(cx, element)?)
}

fn all_values<'py>(cx: Cx<'py>, element: &Obj<'py>) -> PyResult<Bound<'py, PySet>> {
    if let Some(counts) = counts(element)? {
        return counts.as_set(cx.py);
    }
    let set = PySet::empty(cx.py)?;
    each_value(element, |value| set.add(value))?;
    Ok(set)
}

pub(in super::super) fn numcolors<'py>(cx: Cx<'py>, element: &Obj<'py>) -> Res<'py> {
    let n = match counts(element)? {
        Some(counts) => counts.found.len(),
        None => all_values(cx, element)?.len(),
    };
    Ok(int(cx.py, n as i64))
}

pub(in super::super) fn color<'py>(_: Cx<'py>, obj: &Obj<'py>) -> Res<'py> {
    obj::at(&obj::first(obj)?, 0)
}
