//! Steps that call a function for each element of a container, done for many elements at once.
//!
//! Such a step of a [`Body`] has an inner body, the steps of its function, which captures values of the
//! body around it. All calls, for all elements of all containers, stand side by side in lanes and go
//! through the inner body together. If one of them stops, so does the step. The caller then runs all
//! elements again one by one, and that decides about faults.

use std::cmp::Ordering;

use leyden_dsl::table::Prim;

use crate::vm::functions::body::{Action, Body, Reg, Source, Step};
use crate::vm::functions::columns::{
    Column, Known, NO_ARGS, Part, WIDTH, fill_args, price_of_all, push_results,
};
use crate::vm::functions::flatten::{MAX_CAPTURES, MAX_STEPS};
use crate::vm::functions::number_columns;
use crate::vm::kernels::{
    Kind, applied, applied_and_merged, best_element, best_key, container, filtered,
    first_of_holding, merge,
};
use crate::vm::run::watch::Laps;
use crate::vm::values::value::{List, Val};
use crate::vm::{EXACT, Maybe, R, Vm};

/// The calls of an inner body.
struct Lanes<'c, 'a> {
    inner: &'a Body<'a>,
    containers: Containers<'a>,
    captures: &'c [Column<'c, 'a>],
    n_elements: usize,
}

/// The containers on whose elements the function is called.
enum Containers<'a> {
    /// One container for all elements.
    Same(Kind, &'a [Val<'a>]),
    /// A container for each element, one after the other: each with its kind and its end.
    Each(&'a [Val<'a>], List<'a, (Kind, usize)>),
    /// Pairs of numbers, one after the other.
    Pairs(&'a [Val<'a>]),
}

impl<'a> Containers<'a> {
    /// The container of an element, and its first lane.
    #[inline(always)]
    fn of(&self, k: usize) -> ((Kind, &'a [Val<'a>]), usize) {
        match self {
            Containers::Same(kind, items) => ((*kind, *items), k * items.len()),
            Containers::Each(items, ends) => {
                let start = k.checked_sub(1).map_or(0, |before| ends[before].1);
                let (kind, end) = ends[k];
                ((kind, &items[start..end]), start)
            }
            Containers::Pairs(numbers) => ((Kind::Tuple, &numbers[2 * k..][..2]), 2 * k),
        }
    }
}

impl<'a> Vm<'a> {
    /// Runs a step for many elements. The first argument is the container, the others are the captures of
    /// the function.
    pub(crate) fn run_lifted(
        &mut self,
        step: &Step<Reg>,
        inner: &'a Body<'a>,
        args: &[Column<'_, 'a>],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        let (Action::Call(prim), [whole, captures @ ..]) = (step.action, args) else {
            return Err(EXACT);
        };
        // While calls are recorded, each of them counts.
        let are_same = !self.is_watched() && args.iter().all(|arg| matches!(arg, Column::Same(_)));
        let n_elements = if are_same { 1 } else { results.len() };
        let before = self.fuel;
        let done = self.lift(prim, inner, whole, captures, &mut results[..n_elements]);
        if done.is_err() {
            self.note_stop(prim);
        }
        done?;
        self.charge(price_of_all(step.cost, &args[..1], &results[..n_elements]))?;
        if are_same {
            results.fill(results[0]);
            let n_others = results.len() as u64 - 1;
            self.charge((before - self.fuel).saturating_mul(n_others))?;
        }
        Ok(())
    }

    fn lift(
        &mut self,
        prim: Prim,
        inner: &'a Body<'a>,
        whole: &Column<'_, 'a>,
        captures: &[Column<'_, 'a>],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        if let (Prim::apply, Column::Each(pairs)) = (prim, whole)
            && pairs.iter().all(|pair| matches!(pair, Val::Pair(_)))
        {
            return self.lift_to_pairs(inner, pairs, captures, results);
        }
        let lanes = Lanes {
            inner,
            containers: self.containers(whole)?,
            captures,
            n_elements: results.len(),
        };
        let values = self.values_of(&lanes)?;
        for (k, result) in results.iter_mut().enumerate() {
            let (container, start) = lanes.containers.of(k);
            let values = &values[start..][..container.1.len()];
            *result = self.gathered(prim, &whole.get(k), container, values)?;
        }
        Ok(())
    }

    /// Runs `apply` on pairs of numbers without making a list of each pair's numbers.
    fn lift_to_pairs(
        &mut self,
        inner: &'a Body<'a>,
        pairs: &[Val<'a>],
        captures: &[Column<'_, 'a>],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        // While calls are recorded, each of them counts.
        if !self.is_watched() && self.is_done_in_pairs(inner, pairs, captures, results) {
            self.enter(inner.depth)?;
            self.leave(inner.depth);
            return self.charge(u64::from(inner.n_calls) * 2 * pairs.len() as u64);
        }
        let mut numbers = List::with_capacity_in(2 * pairs.len(), self.arena);
        for (i, j) in pairs.iter().filter_map(Val::as_pair) {
            numbers.push(Val::Int(i));
            numbers.push(Val::Int(j));
        }
        let values = self.values_of(&Lanes {
            inner,
            containers: Containers::Pairs(numbers.into_bump_slice()),
            captures,
            n_elements: pairs.len(),
        })?;
        for (result, halves) in results.iter_mut().zip(values.chunks_exact(2)) {
            *result = Val::two(self.arena, halves[0], halves[1]);
        }
        Ok(())
    }

    /// Runs a body of arithmetic on pairs, both numbers at once. Such steps cost only their units, which
    /// the caller pays.
    fn is_done_in_pairs(
        &self,
        inner: &Body<'a>,
        pairs: &[Val<'a>],
        captures: &[Column<'_, 'a>],
        results: &mut [Val<'a>],
    ) -> bool {
        let is_last = |k: usize| matches!(inner.source(inner.out), Source::Step(out) if out == k);
        let n_before = inner.steps.len().saturating_sub(1);
        if !is_last(n_before) || !captures.iter().all(is_of_numbers) {
            return false;
        }
        let mut part = Part::of(pairs);
        part.captures[..captures.len()].copy_from_slice(captures);
        let n = pairs.len();
        let columns = self.arena.alloc_slice_fill_copy(n_before * n, Val::None);
        inner.steps.iter().enumerate().all(|(k, step)| {
            let (done, rest) = columns.split_at_mut(k * n);
            let mut args = NO_ARGS;
            fill_args(&mut args, step, inner, &part, done);
            // `is_done_in_pairs` would take a captured pair for one number of each pair.
            let mut constants = args.iter().filter(|arg| matches!(arg, Column::Same(_)));
            let results = if k < n_before {
                &mut rest[..n]
            } else {
                &mut *results
            };
            constants.all(is_of_numbers)
                && number_columns::is_done_in_pairs(step.action, &args, results)
        })
    }

    fn containers(&mut self, whole: &Column<'_, 'a>) -> Maybe<Containers<'a>> {
        let values = match whole {
            Column::Same(value) => {
                let (kind, items) = container(self, value)?;
                return Ok(Containers::Same(kind, items));
            }
            Column::Each(values) => values,
        };
        let mut ends = List::with_capacity_in(values.len(), self.arena);
        let mut all = List::with_capacity_in(2 * values.len(), self.arena);
        for value in *values {
            let (kind, items) = container(self, value)?;
            all.extend_from_slice_copy(items);
            ends.push((kind, all.len()));
        }
        Ok(Containers::Each(all.into_bump_slice(), ends))
    }

    /// The result of a primitive for a container, from the results of its function for all elements.
    fn gathered(
        &mut self,
        prim: Prim,
        whole: &Val<'a>,
        (kind, items): (Kind, &'a [Val<'a>]),
        values: &'a [Val<'a>],
    ) -> R<'a> {
        let wanted = match prim {
            Prim::argmax | Prim::valmax => Ordering::Greater,
            _ => Ordering::Less,
        };
        match prim {
            Prim::sfilter => filtered(self, whole, (kind, items), values),
            Prim::mfilter => {
                let kept = filtered(self, whole, (kind, items), values)?;
                merge(self, &kept)
            }
            Prim::extract if kind == Kind::Set => {
                let holding = (0..values.len()).filter(|k| values[*k].truth());
                let holding = List::from_iter_in(holding, self.arena);
                first_of_holding(self, whole, items, &holding)
            }
            Prim::argmin | Prim::argmax => {
                best_element(self, whole, (kind, items), values, wanted)?.ok_or(EXACT)
            }
            Prim::valmin | Prim::valmax => best_key(values, wanted)?.ok_or(EXACT),
            Prim::apply if kind == Kind::Tuple => Ok(Val::rows(self.arena, values)),
            Prim::apply => {
                let results = self.arena.alloc_slice_copy(values);
                applied(self, whole, kind, results)
            }
            Prim::mapply => {
                let results = self.arena.alloc_slice_copy(values);
                applied_and_merged(self, whole, kind, results)
            }
            _ => Err(EXACT),
        }
    }

    /// The results of the inner body in all lanes.
    fn values_of(&mut self, lanes: &Lanes<'_, 'a>) -> Maybe<&'a [Val<'a>]> {
        let n_lanes = match &lanes.containers {
            Containers::Same(_, items) => items.len() * lanes.n_elements,
            Containers::Each(items, _) | Containers::Pairs(items) => items.len(),
        };
        let mut values = List::with_capacity_in(n_lanes, self.arena);
        if n_lanes == 0 {
            return Ok(values.into_bump_slice());
        }
        self.enter(lanes.inner.depth)?;
        let done = if self.is_watched() {
            self.run_lanes_watched(lanes, n_lanes, &mut values)
        } else {
            self.run_lanes(lanes, &mut values, None)
        };
        self.leave(lanes.inner.depth);
        done?;
        Ok(values.into_bump_slice())
    }

    #[cold]
    fn run_lanes_watched(
        &mut self,
        lanes: &Lanes<'_, 'a>,
        n_lanes: usize,
        values: &mut List<'a>,
    ) -> Maybe<()> {
        let watched = self.watched_inner(lanes.inner).ok_or(EXACT)?;
        let is_done = self.is_counted_at_once(&watched, n_lanes, |vm, laps| {
            vm.run_lanes(lanes, values, Some(laps)).is_ok()
        });
        if is_done { Ok(()) } else { Err(EXACT) }
    }

    fn run_lanes(
        &mut self,
        lanes: &Lanes<'_, 'a>,
        values: &mut List<'a>,
        laps: Option<&mut Laps<'a>>,
    ) -> Maybe<()> {
        match &lanes.containers {
            Containers::Same(_, items) => self.run_same(lanes, items, values, laps),
            Containers::Each(items, ends) => {
                let n_items =
                    |k: usize| ends[k].1 - k.checked_sub(1).map_or(0, |before| ends[before].1);
                self.run_each(lanes, items, n_items, values, laps)
            }
            Containers::Pairs(numbers) => self.run_each(lanes, numbers, |_| 2, values, laps),
        }
    }

    /// Runs all elements with one container. Steps that depend only on its items run once.
    fn run_same(
        &mut self,
        lanes: &Lanes<'_, 'a>,
        items: &'a [Val<'a>],
        values: &mut List<'a>,
        mut laps: Option<&mut Laps<'a>>,
    ) -> Maybe<()> {
        let (inner, n_items) = (lanes.inner, items.len());
        let known = self.item_columns(lanes, items, laps.as_deref_mut())?;
        let n_together = (WIDTH / n_items).clamp(1, lanes.n_elements);
        let items = self.repeated(items, n_together);
        let known: &'a Known<'a> = self.arena.alloc_slice_fill_with(known.len(), |k| {
            let column = known[k]?;
            Some(self.repeated(column, n_together))
        });
        let columns = self.room_for(inner, n_items * n_together);
        for first in (0..lanes.n_elements).step_by(n_together) {
            let n = n_together.min(lanes.n_elements - first);
            let captures = self.spread(lanes.captures, (first, n), |_| n_items);
            for (k, items) in items[..n * n_items].chunks(WIDTH).enumerate() {
                let part = Part {
                    items,
                    captures: captures.map(|column| part_of(column, k * WIDTH, items.len())),
                    known: Some((known, k * WIDTH)),
                };
                self.run_part(inner, &part, columns, values, laps.as_deref_mut())?;
            }
        }
        self.give_back(columns);
        Ok(())
    }

    /// Runs all elements, each with a container of its own.
    fn run_each(
        &mut self,
        lanes: &Lanes<'_, 'a>,
        items: &'a [Val<'a>],
        n_items: impl Fn(usize) -> usize,
        values: &mut List<'a>,
        mut laps: Option<&mut Laps<'a>>,
    ) -> Maybe<()> {
        let captures = self.spread(lanes.captures, (0, lanes.n_elements), n_items);
        let columns = self.room_for(lanes.inner, items.len());
        for (k, items) in items.chunks(WIDTH).enumerate() {
            let part = Part {
                items,
                captures: captures.map(|column| part_of(column, k * WIDTH, items.len())),
                known: None,
            };
            self.run_part(lanes.inner, &part, columns, values, laps.as_deref_mut())?;
        }
        self.give_back(columns);
        Ok(())
    }

    fn run_part(
        &mut self,
        inner: &Body<'a>,
        part: &Part<'_, 'a>,
        columns: &mut [Val<'a>],
        values: &mut List<'a>,
        laps: Option<&mut Laps<'a>>,
    ) -> Maybe<()> {
        match laps {
            Some(laps) => self.run_columns_in(laps, inner, part, columns)?,
            None => self.run_columns(inner, part, columns)?,
        }
        push_results(inner, part, columns, values);
        Ok(())
    }

    /// Runs the steps of an inner body that depend only on the items of a container once, and pays for
    /// each element.
    fn item_columns(
        &mut self,
        lanes: &Lanes<'_, 'a>,
        items: &'a [Val<'a>],
        mut laps: Option<&mut Laps<'a>>,
    ) -> Maybe<&'a [Option<&'a [Val<'a>]>]> {
        let inner = lanes.inner;
        let mut known: [Option<&'a [Val<'a>]>; MAX_STEPS] = [None; MAX_STEPS];
        for (k, step) in inner.steps.iter().enumerate() {
            let mut args = [Column::Same(&Val::None); 4];
            let mut depends_on_items = false;
            // Where calls are recorded, those of functions count for each element.
            let is_counted = laps.is_some() && step.calls_functions();
            let mut is_known = !step.is_lazy && !is_counted;
            for (arg, reg) in args.iter_mut().zip(step.registers()) {
                match inner.source(*reg) {
                    Source::Element => *arg = Column::Each(items),
                    Source::Constant(constant) => {
                        *arg = Column::Same(constant);
                        continue;
                    }
                    Source::Step(k) => match known[k] {
                        Some(column) => *arg = Column::Each(column),
                        None => is_known = false,
                    },
                    Source::Capture(_) => is_known = false,
                }
                depends_on_items = true;
            }
            if !is_known || !depends_on_items {
                continue;
            }
            let results = self.arena.alloc_slice_fill_copy(items.len(), Val::None);
            let fuel = self.fuel;
            match laps.as_deref_mut() {
                Some(laps) => {
                    self.in_step(laps, k, |vm| vm.run_column(inner, step, &args, results))?
                }
                None => self.run_column(inner, step, &args, results)?,
            }
            self.charge_again(step, fuel)?;
            let n_others = lanes.n_elements as u64 - 1;
            self.charge((fuel - self.fuel).saturating_mul(n_others))?;
            known[k] = Some(results);
        }
        Ok(self.arena.alloc_slice_copy(&known[..inner.steps.len()]))
    }

    fn repeated(&self, values: &'a [Val<'a>], n: usize) -> &'a [Val<'a>] {
        if n == 1 {
            return values;
        }
        let mut all = List::with_capacity_in(n * values.len(), self.arena);
        for _ in 0..n {
            all.extend_from_slice_copy(values);
        }
        all.into_bump_slice()
    }

    /// The captures of some elements, repeated for each item of an element.
    fn spread<'c>(
        &self,
        captures: &[Column<'c, 'a>],
        (first, n): (usize, usize),
        n_items: impl Fn(usize) -> usize,
    ) -> [Column<'c, 'a>; MAX_CAPTURES]
    where
        'a: 'c,
    {
        let mut spread = [Column::Each(&[]); MAX_CAPTURES];
        for (spread, capture) in spread.iter_mut().zip(captures) {
            *spread = match capture {
                Column::Same(value) => Column::Same(value),
                Column::Each(values) if n == 1 => Column::Same(&values[first]),
                Column::Each(values) => {
                    let n_lanes = (first..first + n).map(&n_items).sum();
                    let mut lanes = List::with_capacity_in(n_lanes, self.arena);
                    for k in first..first + n {
                        lanes.extend(std::iter::repeat_n(values[k], n_items(k)));
                    }
                    Column::Each(lanes.into_bump_slice())
                }
            };
        }
        spread
    }
}

fn is_of_numbers(column: &Column<'_, '_>) -> bool {
    let is_number = |value: &Val<'_>| matches!(value, Val::Int(_));
    match column {
        Column::Each(values) => values.iter().all(is_number),
        Column::Same(value) => is_number(value),
    }
}

/// Some lanes of a column.
fn part_of<'c, 'a>(column: Column<'c, 'a>, first: usize, n: usize) -> Column<'c, 'a> {
    match column {
        Column::Each(values) if !values.is_empty() => Column::Each(&values[first..][..n]),
        column => column,
    }
}
