//! Kernels for colours of grids and objects.

use super::build::charge_for_other_rows;
use super::containers::extreme_by_count;
use super::ranks::at_rank;
use super::{Outcome, named};
use crate::cx::Cx;
use crate::fault::Fault;
use crate::ops::{self, Extreme};
use crate::pyset::Table;
use crate::table::Dialect;
use crate::value::Value;

/// The colours of a grid, row by row.
fn colours_of_grid(cx: &mut Cx, grid: &Value) -> Outcome<Vec<Value>> {
    charge_for_other_rows(cx, grid)?;
    let mut colours = Vec::new();
    for row in ops::iter(grid)? {
        colours.extend(ops::iter(row)?.cloned());
    }
    Ok(colours)
}

/// The colours of an object, in its order.
fn colours_of_object(dialect: Dialect, obj: &Value) -> Outcome<Vec<Value>> {
    let colour = |cell| dialect.colour_of(cell).cloned();
    ops::iter(obj)?.map(colour).collect()
}

fn colours(cx: &mut Cx, element: &Value) -> Outcome<Vec<Value>> {
    if element.is_tuple() {
        colours_of_grid(cx, element)
    } else {
        colours_of_object(cx.dialect, element)
    }
}

pub fn mostcolor(cx: &mut Cx, element: &Value) -> Outcome {
    extreme_by_count(&colours(cx, element)?, Extreme::Max)
}

pub fn leastcolor(cx: &mut Cx, element: &Value) -> Outcome {
    extreme_by_count(&colours(cx, element)?, Extreme::Min)
}

fn extreme_or_nan(colours: &[Value], extreme: Extreme) -> Outcome {
    if colours.is_empty() {
        Ok(Value::Float(f64::NAN))
    } else {
        extreme_by_count(colours, extreme)
    }
}

pub fn mostcolor_t(cx: &mut Cx, grid: &Value) -> Outcome {
    extreme_or_nan(&colours_of_grid(cx, grid)?, Extreme::Max)
}

pub fn mostcolor_f(cx: &mut Cx, obj: &Value) -> Outcome {
    extreme_or_nan(&colours_of_object(cx.dialect, obj)?, Extreme::Max)
}

pub fn leastcolor_t(cx: &mut Cx, grid: &Value) -> Outcome {
    extreme_or_nan(&colours_of_grid(cx, grid)?, Extreme::Min)
}

pub fn leastcolor_f(cx: &mut Cx, obj: &Value) -> Outcome {
    extreme_or_nan(&colours_of_object(cx.dialect, obj)?, Extreme::Min)
}

pub fn colorcount(cx: &mut Cx, element: &Value, value: &Value) -> Outcome {
    if element.is_tuple() {
        colorcount_t(cx, element, value)
    } else {
        colorcount_f(cx, element, value)
    }
}

pub fn colorcount_t(cx: &mut Cx, grid: &Value, color: &Value) -> Outcome {
    charge_for_other_rows(cx, grid)?;
    let mut total = 0;
    for row in ops::iter(grid)? {
        let row = row.as_items().ok_or(Fault::AttributeError)?;
        total += row.iter().filter(|colour| *colour == color).count();
    }
    Ok(ops::count(total))
}

pub fn colorcount_f(cx: &mut Cx, obj: &Value, color: &Value) -> Outcome {
    let mut total = 0;
    for cell in ops::iter(obj)? {
        total += usize::from(ops::equal(cx.dialect.colour_of(cell)?, color));
    }
    Ok(ops::count(total))
}

pub fn colorfilter_t(cx: &mut Cx, objs: &Value, color: &Value) -> Outcome {
    let place = cx.dialect.place_of_colour();
    let mut result = Vec::new();
    for obj in ops::iter(objs)? {
        if ops::equal(ops::item(ops::item(obj, 0)?, place)?, color) {
            result.push(obj.clone());
        }
    }
    Value::tuple(result)
}

pub fn colorfilter(cx: &mut Cx, objs: &Value, value: &Value) -> Outcome {
    let place = cx.dialect.place_of_colour();
    let mut result = Table::new();
    for obj in ops::iter(objs)? {
        let cell = ops::first(obj).map_err(Fault::through_generator)?;
        if ops::equal(ops::item(cell, place)?, value) {
            result.insert(obj.clone());
        }
    }
    Value::set(result)
}

/// `{colour, …}`, a mutable set.
fn distinct(colours: Vec<Value>) -> Table<Value> {
    colours.into_iter().collect()
}

pub fn palette(cx: &mut Cx, element: &Value) -> Outcome {
    Value::frozen(distinct(colours(cx, element)?))
}

pub fn palette_t(cx: &mut Cx, element: &Value) -> Outcome {
    Value::set(distinct(colours_of_grid(cx, element)?))
}

pub fn palette_f(cx: &mut Cx, element: &Value) -> Outcome {
    Value::set(distinct(colours_of_object(cx.dialect, element)?))
}

fn as_tuple(colours: &Table<Value>) -> Outcome {
    Value::tuple(colours.iter().cloned().collect())
}

pub fn p_g(cx: &mut Cx, grid: &Value) -> Outcome {
    as_tuple(&distinct(colours_of_grid(cx, grid)?))
}

pub fn p_o(cx: &mut Cx, obj: &Value) -> Outcome {
    as_tuple(&distinct(colours_of_object(cx.dialect, obj)?))
}

pub fn numcolors(cx: &mut Cx, element: &Value) -> Outcome {
    Ok(ops::count(distinct(colours(cx, element)?).len()))
}

pub fn numcolors_t(cx: &mut Cx, grid: &Value) -> Outcome {
    Ok(ops::count(ops::len(&named::palette_t(cx, grid)?)?))
}

pub fn numcolors_f(cx: &mut Cx, obj: &Value) -> Outcome {
    Ok(ops::count(ops::len(&named::palette_f(cx, obj)?)?))
}

/// The colours, the most frequent one first. Of equally frequent ones, the first seen comes first.
fn ranked_by_count(colours: Vec<Value>) -> Vec<Value> {
    let seen = distinct(colours.clone());
    let mut counts: Vec<(Value, usize)> = Vec::new();
    let mut places = vec![None; seen.n_slots()];
    for colour in colours {
        let Some(slot) = seen.find(colour.hash(), &colour) else {
            continue;
        };
        let place = *places[slot].get_or_insert(counts.len());
        match counts.get_mut(place) {
            Some((_, n)) => *n += 1,
            None => counts.push((colour, 1)),
        }
    }
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts.into_iter().map(|(colour, _)| colour).collect()
}

pub fn get_color_rank_t(cx: &mut Cx, grid: &Value, rank: &Value) -> Outcome {
    let ranked = ranked_by_count(colours_of_grid(cx, grid)?);
    match at_rank(&ranked, rank)? {
        Some(colour) => Ok(colour.clone()),
        None => Value::tuple(Vec::new()),
    }
}

pub fn get_color_rank_f(cx: &mut Cx, obj: &Value, rank: &Value) -> Outcome {
    let ranked = ranked_by_count(colours_of_object(cx.dialect, obj)?);
    match at_rank(&ranked, rank)? {
        Some(colour) => Ok(colour.clone()),
        None => Value::set(Table::new()),
    }
}

pub fn color(cx: &mut Cx, obj: &Value) -> Outcome {
    const NO_COLOUR: Value = Value::Float(f64::NEG_INFINITY);
    let place = cx.dialect.place_of_colour();
    match ops::first(obj) {
        Err(Fault::StopIteration) if !cx.dialect.is_classic() => Ok(NO_COLOUR),
        Ok(cell) if !cell.is_tuple() && !cx.dialect.is_classic() => Ok(NO_COLOUR),
        cell => ops::item(cell?, place).cloned(),
    }
}
