//! Colours of grids and objects.

use super::Outcome;
use super::containers::extreme_by_count;
use crate::cx::Cx;
use crate::fault::Fault;
use crate::ops::{self, Extreme};
use crate::pyset::Table;
use crate::value::Value;

/// Hands each colour of a grid or of an object to `visit`, in order.
fn for_each_colour(element: &Value, mut visit: impl FnMut(&Value)) -> Outcome<()> {
    for part in ops::iter(element)? {
        if element.is_tuple() {
            ops::iter(part)?.for_each(&mut visit);
        } else {
            visit(ops::unpack(part)?.0);
        }
    }
    Ok(())
}

fn extreme_colour(element: &Value, extreme: Extreme) -> Outcome {
    let mut colours = Vec::new();
    for_each_colour(element, |colour| colours.push(colour.clone()))?;
    extreme_by_count(&colours, extreme)
}

pub fn mostcolor(_cx: &mut Cx, element: &Value) -> Outcome {
    extreme_colour(element, Extreme::Max)
}

pub fn leastcolor(_cx: &mut Cx, element: &Value) -> Outcome {
    extreme_colour(element, Extreme::Min)
}

pub fn colorcount(_cx: &mut Cx, element: &Value, value: &Value) -> Outcome {
    let mut total = 0;
    for part in ops::iter(element)? {
        total += if element.is_tuple() {
            let row = part.as_items().ok_or(Fault::AttributeError)?;
            row.iter().filter(|colour| *colour == value).count()
        } else {
            usize::from(ops::unpack(part)?.0 == value)
        };
    }
    Ok(ops::count(total))
}

pub fn colorfilter(_cx: &mut Cx, objs: &Value, value: &Value) -> Outcome {
    let mut result = Table::new();
    for obj in ops::iter(objs)? {
        let cell = ops::first(obj).map_err(Fault::through_generator)?;
        if ops::item(cell, 0)? == value {
            result.insert(obj.clone());
        }
    }
    Value::set(result)
}

/// The colours as a mutable set.
fn colours(element: &Value) -> Outcome<Table<Value>> {
    let mut colours = Table::new();
    for_each_colour(element, |colour| colours.insert(colour.clone()))?;
    Ok(colours)
}

pub fn palette(_cx: &mut Cx, element: &Value) -> Outcome {
    Value::frozen(colours(element)?)
}

pub fn numcolors(_cx: &mut Cx, element: &Value) -> Outcome {
    Ok(ops::count(colours(element)?.len()))
}

pub fn color(_cx: &mut Cx, obj: &Value) -> Outcome {
    ops::item(ops::first(obj)?, 0).cloned()
}
