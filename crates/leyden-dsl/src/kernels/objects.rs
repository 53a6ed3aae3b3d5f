//! Kernels that find objects and patterns.

use super::build::{FREE_CELLS, charge_for_other_rows};
use super::grids::{cell, dimensions, uniform};
use super::rings::{Rings, Site, SiteId};
use super::typed::{
    background, palette_of_grid, patch_height, patch_shape, patch_width, transposed_grid,
};
use super::{Outcome, named};
use crate::cx::Cx;
use crate::fault::Fault;
use crate::meter::{check_len, check_set_len};
use crate::ops;
use crate::pyset::Table;
use crate::table::Dialect;
use crate::value::Value;

type Location = (i64, i64);

/// The grid and the settings of a search for objects.
struct Search<'a> {
    grid: &'a Value,
    dialect: Dialect,
    background: Value,
    is_univalued: bool,
    rings: Rings,
}

impl Search<'_> {
    fn value_at(&self, id: SiteId) -> Outcome<&Value> {
        let (i, j) = self.rings.site(id).location;
        cell(self.grid, i as usize, j as usize)
    }

    /// The object at a location.
    fn object_at(&mut self, start: SiteId) -> Outcome {
        let cells = self.sites_at(start)?.map(|id| self.cell_at(id));
        Value::set(cells)
    }

    /// The sites of the object at a location, by the hashes of its cells.
    fn sites_at(&mut self, start: SiteId) -> Outcome<Table<SiteId>> {
        let dialect = self.dialect;
        let hash_of_cell =
            |site: &Site, value: &Value| dialect.hash_of_cell(value, site.location, site.hash);
        // `obj.add(cell)`; the location decides the colour. The first cell belongs to the object
        // even if it is nan.
        let mut obj = Table::new();
        obj.add(
            hash_of_cell(self.rings.site(start), self.value_at(start)?),
            start,
        );
        self.visit_object(start, |id, site, value| {
            obj.add(hash_of_cell(site, value), id)
        })?;
        Ok(obj.retabled())
    }

    /// The object at a location as a tuple, in the order in which the search reaches its cells.
    fn object_tuple_at(&mut self, start: SiteId) -> Outcome {
        let mut reached = Vec::new();
        self.visit_object(start, |id, _, _| reached.push(id))?;
        Value::tuple(reached.into_iter().map(|id| self.cell_at(id)).collect())
    }

    /// Passes the cells of the object at a location to `visit`, ring by ring.
    fn visit_object(
        &mut self,
        start: SiteId,
        mut visit: impl FnMut(SiteId, &Site, &Value),
    ) -> Outcome<()> {
        let colour = self.value_at(start)?.clone();
        let (grid, background, is_univalued) = (self.grid, &self.background, self.is_univalued);
        self.rings.spread(start, |id, site| {
            let value = cell(grid, site.location.0 as usize, site.location.1 as usize)?;
            let belongs = if is_univalued {
                ops::equal(&colour, value)
            } else {
                !ops::equal(value, background)
            };
            if belongs {
                visit(id, site, value);
            }
            Ok(belongs)
        })
    }

    /// A cell with plain coordinates. A grid's values are never too deep for one more pair.
    fn cell_at(&self, id: SiteId) -> Value {
        let location = self.rings.site(id).location;
        let value = self.value_at(id).cloned();
        value
            .and_then(|value| self.dialect.cell_at(value, location))
            .unwrap_or(Value::None)
    }
}

/// Prepares a search for objects.
fn search<'a>(
    cx: &mut Cx,
    grid: &'a Value,
    univalued: &Value,
    diagonal: &Value,
    without_bg: &Value,
) -> Outcome<Search<'a>> {
    let background = if without_bg.is_truthy() {
        background(cx, grid)?
    } else {
        Value::None
    };
    let (h, w) = dimensions(grid)?;
    check_set_len(h.saturating_mul(w))?;
    Ok(Search {
        grid,
        dialect: cx.dialect,
        background,
        is_univalued: univalued.is_truthy(),
        rings: Rings::new((h, w), diagonal.is_truthy()),
    })
}

/// Finds the objects of a grid, one after another.
fn each_object<'a, T>(
    mut search: Search<'a>,
    object_at: fn(&mut Search<'a>, SiteId) -> Outcome<T>,
    mut found: impl FnMut(T),
) -> Outcome<()> {
    for &id in search.rings.unvisited().iter() {
        let is_background = ops::equal(search.value_at(id)?, &search.background);
        if !search.rings.is_occupied(id) && !is_background {
            found(object_at(&mut search, id)?);
        }
    }
    Ok(())
}

pub fn objects(
    cx: &mut Cx,
    grid: &Value,
    univalued: &Value,
    diagonal: &Value,
    without_bg: &Value,
) -> Outcome {
    let search = search(cx, grid, univalued, diagonal, without_bg)?;
    let mut found = Table::new();
    each_object(search, Search::object_at, |obj| found.insert(obj))?;
    Value::frozen(found)
}

pub fn objects_t(
    cx: &mut Cx,
    grid: &Value,
    univalued: &Value,
    diagonal: &Value,
    without_bg: &Value,
) -> Outcome {
    let search = search(cx, grid, univalued, diagonal, without_bg)?;
    let mut found = Vec::new();
    each_object(search, Search::object_tuple_at, |obj| found.push(obj))?;
    Value::tuple(found)
}

/// The switches for a number from 0 to 7; none for other numbers.
fn switches(kind: &Value) -> Option<[Value; 3]> {
    let bits = (0..8).find(|bits| Value::Int(*bits) == *kind)?;
    Some([4, 2, 1].map(|bit| Value::Bool(bits & bit != 0)))
}

pub fn o_g(cx: &mut Cx, grid: &Value, kind: &Value) -> Outcome {
    match switches(kind) {
        Some([univalued, diagonal, without_bg]) => {
            named::objects(cx, grid, &univalued, &diagonal, &without_bg)
        }
        None => Ok(Value::None),
    }
}

pub fn o_g_t(cx: &mut Cx, grid: &Value, kind: &Value) -> Outcome {
    match switches(kind) {
        Some([univalued, diagonal, without_bg]) => {
            named::objects_t(cx, grid, &univalued, &diagonal, &without_bg)
        }
        None => Ok(Value::None),
    }
}

/// Groups the cells of a grid by value: one object for each value of a set, in its order.
fn cells_by_value(cx: &mut Cx, grid: &Value, values: &Table<Value>) -> Outcome {
    charge_for_other_rows(cx, grid)?;
    let mut parts = vec![Table::new(); values.n_slots()];
    for (i, row) in ops::iter(grid)?.enumerate() {
        for (j, value) in ops::iter(row)?.enumerate() {
            let slot = values.find(value.hash(), value);
            if let Some(slot) = slot.filter(|_| !value.is_nan()) {
                let cell = cx.dialect.cell_at(value.clone(), (i as i64, j as i64))?;
                parts[slot].insert(cell);
            }
        }
    }
    let occupied = (0..values.n_slots()).filter(|slot| values.key_at(*slot).is_some());
    let parts = occupied.map(|slot| Value::set(std::mem::take(&mut parts[slot])));
    Value::set(parts.collect::<Outcome<_>>()?)
}

pub fn partition(cx: &mut Cx, grid: &Value) -> Outcome {
    let values = palette_of_grid(cx, grid)?;
    let values = values.as_set().ok_or(Fault::TypeError)?;
    cells_by_value(cx, grid, values)
}

pub fn fgpartition(cx: &mut Cx, grid: &Value) -> Outcome {
    let values = palette_of_grid(cx, grid)?;
    let background: Table<Value> = [background(cx, grid)?].into_iter().collect();
    let values = values.as_set().ok_or(Fault::TypeError)?;
    cells_by_value(cx, grid, &values.difference(&background))
}

/// The numbers of rows and columns in which an object may begin: as far as it fits, or the whole
/// grid in re-arc.
fn starts(cx: &mut Cx, size: (usize, usize), obj: &Value) -> Outcome<(i64, i64)> {
    let (h, w) = (size.0 as i64, size.1 as i64);
    if cx.dialect == Dialect::ReArc {
        return Ok((h, w));
    }
    let shape = patch_shape(cx, obj)?;
    let (oh, ow) = ops::unpack(&shape)?;
    let room = |length: i64, taken: &Value| {
        let room = length.checked_sub(ops::int(taken)?);
        room.and_then(|room| room.checked_add(1))
            .ok_or(Fault::Overflow)
    };
    Ok((room(h, oh)?, room(w, ow)?))
}

pub fn occurrences(cx: &mut Cx, grid: &Value, obj: &Value) -> Outcome {
    let normed = named::normalize(cx, obj)?;
    let size = dimensions(grid)?;
    let (n_rows, n_columns) = starts(cx, size, obj)?;
    let plain_cells = plain_cells(cx.dialect, &normed).filter(|_| is_rectangular(grid, size.1));
    let mut found = Table::new();
    for i in 0..n_rows {
        for j in 0..n_columns {
            let occurs = match &plain_cells {
                Some(cells) => fits(grid, size, cells, (i, j)),
                None => occurs_at(cx, grid, size, &normed, (i, j))?,
            };
            if occurs {
                found.insert((i, j).into());
                check_set_len(found.len())?;
                // The table's price covers the search only.
                if found.len() > FREE_CELLS {
                    cx.meter.charge(1)?;
                }
            }
        }
    }
    Value::frozen(found)
}

/// Does the object occur with its corner at this place?
fn occurs_at(
    cx: &mut Cx,
    grid: &Value,
    size: (usize, usize),
    normed: &Value,
    place: Location,
) -> Outcome<bool> {
    for part in ops::iter(&named::shift(cx, normed, &place.into())?)? {
        let (value, a, b) = cx.dialect.unpack_cell(part)?;
        match super::grids::inside(a, b, size)? {
            Some((a, b)) if ops::equal(cell(grid, a, b)?, value) => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The cells of an object, if all have plain coordinates.
fn plain_cells(dialect: Dialect, obj: &Value) -> Option<Vec<(&Value, Location)>> {
    let plain = |part| match dialect.unpack_cell(part) {
        Ok((value, Value::Int(i), Value::Int(j))) => Some((value, (*i, *j))),
        _ => None,
    };
    let is_cell = |part: &Value| part.is_tuple() && dialect.is_cell(part) == Ok(true);
    let cells = ops::iter(obj).ok()?.map(plain).collect::<Option<_>>()?;
    ops::iter(obj).ok()?.all(is_cell).then_some(cells)
}

fn is_rectangular(grid: &Value, width: usize) -> bool {
    let fits = |row: &Value| row.as_items().is_some_and(|row| row.len() >= width);
    grid.as_items().is_some_and(|rows| rows.iter().all(fits))
}

/// `occurs_at` for cells that cannot fault, so that their order does not matter.
fn fits(
    grid: &Value,
    (h, w): (usize, usize),
    cells: &[(&Value, Location)],
    (i, j): Location,
) -> bool {
    cells.iter().all(|(value, (di, dj))| {
        let (a, b) = (i.saturating_add(*di), j.saturating_add(*dj));
        let is_inside = (0..h as i64).contains(&a) && (0..w as i64).contains(&b);
        is_inside && cell(grid, a as usize, b as usize).is_ok_and(|shown| ops::equal(shown, value))
    })
}

/// `frozenset({cell, …})` of a line of locations.
fn line_object(cx: &Cx, grid: &Value, line: impl Iterator<Item = (usize, usize)>) -> Outcome {
    let cell_at = |(i, j)| {
        let colour = cell(grid, i, j)?.clone();
        cx.dialect.cell_at(colour, (i as i64, j as i64))
    };
    Value::frozen(line.map(cell_at).collect::<Outcome<_>>()?)
}

pub fn frontiers(cx: &mut Cx, grid: &Value) -> Outcome {
    let (h, w) = dimensions(grid)?;
    let rows = uniform(ops::iter(grid)?)?;
    let columns = uniform(ops::iter(&transposed_grid(cx, grid)?)?)?;
    let horizontal = rows
        .into_iter()
        .map(|i| line_object(cx, grid, (0..w).map(|j| (i, j))))
        .collect::<Outcome<Table<Value>>>()?;
    let vertical = columns
        .into_iter()
        .map(|j| line_object(cx, grid, (0..h).map(|i| (i, j))))
        .collect::<Outcome<Table<Value>>>()?;
    Value::set(horizontal.retabled().union(&vertical.retabled(), false))
}

/// The number of steps that the search for a period takes without a further charge. Objects of
/// ordinary grids take fewer.
pub const FREE_STEPS: i64 = 128;

/// The smallest step that maps the object onto itself, as far as it stays inside.
fn period(
    cx: &mut Cx,
    normalized: &Value,
    length: &Value,
    step: fn(i64) -> Location,
    is_inside: fn(&Value, &Value) -> Outcome<bool>,
) -> Outcome {
    let end = ops::int(length)?;
    let n_steps = usize::try_from(end).unwrap_or(0);
    let n_cells = ops::len(normalized)?;
    check_work(n_steps, n_cells)?;
    for p in 1..end {
        if p > FREE_STEPS {
            cx.meter.charge(n_cells as u64)?;
        }
        let offsetted = named::shift(cx, normalized, &step(p).into())?;
        if pruned_is_subset(cx.dialect, &offsetted, normalized, is_inside)? {
            return Ok(Value::Int(p));
        }
    }
    Ok(length.clone())
}

/// Refuses objects whose cells are so far apart that the search for a period would take too long.
fn check_work(n_steps: usize, n_cells: usize) -> Outcome<()> {
    const CELLS_PER_STEP: usize = 1 << 8;
    check_len(n_steps)?;
    check_len(n_steps.saturating_mul(n_cells) / CELLS_PER_STEP)
}

fn pruned_is_subset(
    dialect: Dialect,
    offsetted: &Value,
    normalized: &Value,
    is_inside: fn(&Value, &Value) -> Outcome<bool>,
) -> Outcome<bool> {
    let normalized = normalized.as_set().ok_or(Fault::TypeError)?;
    let mut is_subset = true;
    for part in ops::iter(offsetted)? {
        let (_, i, j) = dialect.unpack_cell(part)?;
        is_subset = is_subset && (!is_inside(i, j)? || normalized.has(part));
    }
    Ok(is_subset)
}

pub fn hperiod(cx: &mut Cx, obj: &Value) -> Outcome {
    let normalized = named::normalize(cx, obj)?;
    let w = patch_width(cx, &normalized)?;
    period(
        cx,
        &normalized,
        &w,
        |p| (0, -p),
        |_, j| Ok(!ops::less(j, &Value::Int(0))?),
    )
}

pub fn vperiod(cx: &mut Cx, obj: &Value) -> Outcome {
    let normalized = named::normalize(cx, obj)?;
    let h = patch_height(cx, &normalized)?;
    period(
        cx,
        &normalized,
        &h,
        |p| (-p, 0),
        |i, _| Ok(!ops::less(i, &Value::Int(0))?),
    )
}
