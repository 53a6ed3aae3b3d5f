//! Functions called on many elements, a few dozen at a time.
//!
//! Each step of a [`Body`] runs for all these elements before the next step, so the engine finds its way
//! to a kernel once for all of them.

use leyden_dsl::table::{Cost, Prim};

use crate::vm::functions::body::{Action, Body, Form, Prepared, Reg, Source, Step, Way};
use crate::vm::functions::flatten::MAX_CAPTURES;
use crate::vm::functions::number_columns;
use crate::vm::run::call::price_of_args;
use crate::vm::run::watch::{Laps, Watched};
use crate::vm::values::finder::address;
use crate::vm::values::value::{List, Val};
use crate::vm::{Maybe, R, Stop, Vm};

/// The number of elements that go through a body together. With 64, `public/run/alone` takes 1 % more
/// instructions; with 256, 0.4 % fewer, and twice the memory.
pub(crate) const WIDTH: usize = 128;
/// Columns do not pay for fewer elements. With 6, `run/alone` takes 2.2 % more instructions.
const WORTH_IT: usize = 3;

/// The engine keeps the list of a patch with as many elements; a smaller list is made sooner than found.
const LARGE_PATCH: usize = 32;

/// The values of a register for some elements.
#[derive(Clone, Copy)]
pub(crate) enum Column<'c, 'a> {
    Each(&'c [Val<'a>]),
    Same(&'c Val<'a>),
}

impl<'a> Column<'_, 'a> {
    #[inline(always)]
    pub(crate) fn get(&self, k: usize) -> Val<'a> {
        match self {
            Column::Each(values) => values[k],
            Column::Same(value) => **value,
        }
    }

    /// The price of this argument for `n_calls` calls that pay for all its elements.
    pub(crate) fn weight(&self, n_calls: usize) -> u64 {
        match self {
            Column::Each(values) => weight_of(values),
            Column::Same(value) => value.weight().saturating_mul(n_calls as u64),
        }
    }
}

/// The price of touching all these values, which are mostly of one kind.
#[inline]
fn weight_of(values: &[Val<'_>]) -> u64 {
    let is_number = |value: &Val<'_>| matches!(value, Val::Int(_) | Val::Bool(_));
    let is_place = |value: &Val<'_>| matches!(value, Val::Pair(_) | Val::Cell(_));
    match values.first() {
        Some(first) if is_number(first) && values.iter().all(is_number) => 0,
        Some(first) if is_place(first) && values.iter().all(is_place) => 2 * values.len() as u64,
        Some(Val::Object(_)) => sum_of(values, |value| match value {
            Val::Object(object) => Some(object.patch.len()),
            _ => None,
        }),
        Some(Val::Indices(_)) => sum_of(values, |value| match value {
            Val::Indices(patch) => Some(patch.len()),
            _ => None,
        }),
        _ => values.iter().map(Val::weight).sum(),
    }
}

/// The sum of the weights of values. `weight` knows those of the most frequent kind.
#[inline(always)]
fn sum_of<'a>(values: &[Val<'a>], weight: impl Fn(&Val<'a>) -> Option<usize>) -> u64 {
    let sum = values
        .iter()
        .try_fold(0, |sum, value| Some(sum + weight(value)? as u64));
    sum.unwrap_or_else(|| values.iter().map(Val::weight).sum())
}

/// The price of a step's calls beyond their units.
pub(crate) fn price_of_all(cost: Cost, args: &[Column<'_, '_>], results: &[Val<'_>]) -> u64 {
    let n_calls = results.len();
    match (cost, args) {
        (Cost::Unit, _) => 0,
        (Cost::Linear, _) => {
            let of_args = args.iter().map(|arg| arg.weight(n_calls));
            of_args.fold(weight_of(results), u64::saturating_add)
        }
        (Cost::Product, [Column::Each(each), Column::Same(same), ..])
        | (Cost::Product, [Column::Same(same), Column::Each(each), ..]) => {
            weight_of(each).saturating_mul(same.weight())
        }
        (Cost::Product, [a, b, ..]) => {
            let products = (0..n_calls).map(|k| {
                let (a, b) = (a.get(k).weight(), b.get(k).weight());
                a.saturating_mul(b)
            });
            products.fold(0, u64::saturating_add)
        }
        _ => {
            let prices = (0..n_calls).map(|k| {
                let mut values = [Val::None; 4];
                for (value, arg) in values.iter_mut().zip(args) {
                    *value = arg.get(k);
                }
                price_of_args(cost, &values[..args.len()])
            });
            prices.fold(0, u64::saturating_add)
        }
    }
}

impl<'a> Vm<'a> {
    /// Calls a body on elements up to the first on which it stops. That call costs nothing. `None` if the
    /// function is not a body of one argument.
    pub(crate) fn call_on_each(
        &mut self,
        function: &mut Prepared<'a>,
        items: &'a [Val<'a>],
        results: &mut List<'a>,
    ) -> Option<Maybe<()>> {
        let was_trying = std::mem::replace(&mut self.is_trying, true);
        let done = match &mut function.form {
            Form::Body(body, registers) if body.n_args == 1 => {
                Some(self.call_body_on_each(body, registers, items, results))
            }
            Form::Watched(function) => Some(self.call_watched_on_each(function, items, results)),
            Form::Body(..) | Form::Tree => None,
        };
        self.is_trying = was_trying;
        done
    }

    pub(crate) fn call_body_on_each(
        &mut self,
        body: &'a Body<'a>,
        registers: &mut &'a mut [Val<'a>],
        items: &'a [Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        if items.len() < WORTH_IT {
            return self.run_body_on_each(body, registers, items, results);
        }
        let columns = self.room_for(body, items.len());
        for items in items.chunks(WIDTH) {
            let part = Part::of(items);
            if !self.is_done_at_once(body, &part, columns, results, Vm::run_columns) {
                self.run_body_on_each(body, registers, items, results)?;
            }
        }
        self.give_back(columns);
        Ok(())
    }

    /// Calls a body on elements while the recorder times its steps, or while its steps call functions.
    pub(crate) fn call_recorded_on_each(
        &mut self,
        function: &mut Watched<'a>,
        body: &'a Body<'a>,
        items: &'a [Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        let (fuel, n_results) = (self.fuel, results.len());
        let is_done = items.len() >= WORTH_IT
            && self.is_counted_at_once(function, items.len(), |vm, laps| {
                let columns = vm.room_for(body, items.len());
                items.chunks(WIDTH).all(|items| {
                    let part = Part::of(items);
                    vm.is_done_at_once(body, &part, columns, results, |vm, body, part, columns| {
                        vm.run_columns_in(laps, body, part, columns)
                    })
                })
            });
        if is_done {
            return Ok(());
        }
        results.truncate(n_results);
        self.fuel = fuel;
        self.call_watched_one_by_one(function, items, results)
    }

    /// The elements of a container. A large patch has one list in a run.
    pub(crate) fn elements_of(&mut self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        let is_patch = matches!(value, Val::Indices(_) | Val::Object(_));
        if !is_patch || value.len()? < LARGE_PATCH {
            return value.elements(self.arena);
        }
        let address = address(value)?;
        if let Some(known) = self.lists.get(address) {
            return Some(known);
        }
        let elements = value.elements(self.arena)?;
        self.lists.add(address, elements);
        Some(elements)
    }

    /// Room for the results of all steps on these elements. It may be larger, and hold old values.
    pub(crate) fn room_for(&mut self, body: &Body<'a>, n_items: usize) -> &'a mut [Val<'a>] {
        let n_values = body.steps.len() * n_items.min(WIDTH);
        // The record shows `None` for steps that did not run.
        if self.spare_room.len() >= n_values && !self.is_watched() {
            return std::mem::take(&mut self.spare_room);
        }
        self.arena.alloc_slice_fill_copy(n_values, Val::None)
    }

    /// Keeps room for the next caller of `room_for`.
    pub(crate) fn give_back(&mut self, room: &'a mut [Val<'a>]) {
        if room.len() > self.spare_room.len() {
            self.spare_room = room;
        }
    }

    fn run_body_on_each(
        &mut self,
        body: &Body<'a>,
        registers: &mut &'a mut [Val<'a>],
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        self.one_by_one(items, results, |vm, item| {
            vm.run_body_with(body, registers, &[item])
        })
    }

    /// Calls a function on elements one by one until it stops. The call that stops costs nothing.
    #[inline(always)]
    pub(crate) fn one_by_one(
        &mut self,
        items: &[Val<'a>],
        results: &mut List<'a>,
        mut call: impl FnMut(&mut Self, Val<'a>) -> R<'a>,
    ) -> Maybe<()> {
        for item in items {
            let fuel = self.fuel;
            match call(self, *item) {
                Ok(result) => results.push(result),
                Err(stop) => {
                    self.fuel = fuel;
                    return Err(stop);
                }
            }
        }
        Ok(())
    }

    /// Runs a body on some elements at once. If one of them stops, nothing has happened.
    fn is_done_at_once(
        &mut self,
        body: &Body<'a>,
        part: &Part<'_, 'a>,
        columns: &mut [Val<'a>],
        results: &mut List<'a>,
        run: impl FnOnce(&mut Self, &Body<'a>, &Part<'_, 'a>, &mut [Val<'a>]) -> Maybe<()>,
    ) -> bool {
        let before = (self.fuel, self.stopped_by);
        if self.enter(body.depth).is_err() {
            return false;
        }
        let done = run(self, body, part, columns);
        self.leave(body.depth);
        if done.is_err() {
            Stop::forget_fault();
            (self.fuel, self.stopped_by) = before;
            return false;
        }
        push_results(body, part, columns, results);
        true
    }

    /// Runs the steps of a body on some elements.
    pub(crate) fn run_columns(
        &mut self,
        body: &Body<'a>,
        part: &Part<'_, 'a>,
        columns: &mut [Val<'a>],
    ) -> Maybe<()> {
        self.each_step(body, part, columns, |vm, _, step, args, results| {
            vm.run_column(body, step, args, results)
        })
    }

    /// Calls `run` for each step whose results are needed and not known, with its number, its
    /// arguments and the place of its results. Pays for the calls of the body.
    #[inline(always)]
    fn each_step(
        &mut self,
        body: &Body<'a>,
        part: &Part<'_, 'a>,
        columns: &mut [Val<'a>],
        mut run: impl FnMut(
            &mut Self,
            usize,
            &Step<Reg>,
            &[Column<'_, 'a>; 4],
            &mut [Val<'a>],
        ) -> Maybe<()>,
    ) -> Maybe<()> {
        let n = part.items.len();
        self.charge(u64::from(body.n_calls) * n as u64)?;
        for (k, step) in body.steps.iter().enumerate() {
            if step.is_lazy || part.known(k).is_some() {
                continue;
            }
            let (done, rest) = columns.split_at_mut(k * n);
            let mut args = NO_ARGS;
            fill_args(&mut args, step, body, part, done);
            let fuel = self.fuel;
            run(self, k, step, &args, &mut rest[..n])?;
            self.charge_again(step, fuel)?;
        }
        Ok(())
    }

    /// Runs the steps of a body while the recorder asks which step runs, or how long each step takes.
    pub(crate) fn run_columns_in(
        &mut self,
        laps: &mut Laps<'a>,
        body: &Body<'a>,
        part: &Part<'_, 'a>,
        columns: &mut [Val<'a>],
    ) -> Maybe<()> {
        self.each_step(body, part, columns, |vm, k, step, args, results| {
            vm.in_step(laps, k, |vm| vm.run_column(body, step, args, results))
        })?;
        let n = part.items.len();
        // The record shows the values of one element.
        let value = |k: usize| match part.known(k) {
            Some(values) => values[n / 2],
            None if body.steps[k].is_lazy => Val::None,
            None => columns[k * n + n / 2],
        };
        self.note_laps(laps, body.steps.len(), n, value);
        Ok(())
    }

    pub(crate) fn run_column(
        &mut self,
        body: &Body<'a>,
        step: &Step<Reg>,
        args: &[Column<'_, 'a>; 4],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        match step.lift.map(|lift| (lift.way, lift.n_args)) {
            Some((Way::Inner(k), n_args)) => {
                let inner = &body.inners[usize::from(k)];
                return self.run_lifted(step, inner, &args[..n_args.into()], results);
            }
            Some((Way::Count { are_common }, _)) => {
                return self.count(&args[0], &args[1], are_common, results);
            }
            Some((Way::CountMoved(wanted), _)) => return self.count_moved(args, wanted, results),
            None => {}
        }
        match (step.action, &args[0]) {
            (Action::Call(Prim::first), Column::Each(of)) => {
                return self.ends::<true>(step, of, results);
            }
            (Action::Call(Prim::last), Column::Each(of)) => {
                return self.ends::<false>(step, of, results);
            }
            (Action::Call(prim @ (Prim::maximum | Prim::minimum)), Column::Each(of))
                if are_extremes(prim, of, results) =>
            {
                // The price of a pair is 2; its numbers cost nothing.
                debug_assert_eq!(step.cost, Cost::Linear);
                return self.charge(2 * of.len() as u64);
            }
            (action, _) if number_columns::is_done(action, args, results) => return Ok(()),
            _ => {}
        }
        let used = &args[..usize::from(step.n_args)];
        if used.iter().all(|arg| matches!(arg, Column::Same(_))) {
            return self.same_for_all(step, used, results);
        }
        if let Err(stop) = (step.column_kernel)(self, args, results) {
            self.note_stop_of(step);
            return Err(stop);
        }
        // All calls pay together. The work before that is bounded, since the elements are few.
        self.charge(price_of_all(step.cost, used, results))
    }

    /// Runs a step that does not depend on the elements once, and pays for each element.
    fn same_for_all(
        &mut self,
        step: &Step<Reg>,
        args: &[Column<'_, 'a>],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        let mut values = [Val::None; 4];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = arg.get(0);
        }
        let before = self.fuel;
        let result = self.step_into(step, &values[..args.len()])?;
        results.fill(result);
        let n_others = results.len() as u64 - 1;
        self.charge((before - self.fuel).saturating_mul(n_others))
    }

    #[inline]
    fn end(&mut self, step: &Step<Reg>, value: &Val<'a>, is_first: bool) -> R<'a> {
        if let Some(end) = value.end_of_two(is_first) {
            return Ok(end);
        }
        let end = (step.kernel)(self, &[*value]);
        if end.is_err() {
            self.note_stop_of(step);
        }
        end
    }

    /// `first` or `last`, mostly of tuples of two.
    fn ends<const IS_FIRST: bool>(
        &mut self,
        step: &Step<Reg>,
        of: &[Val<'a>],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        // `first` of a tuple costs nothing, `last` costs the price of `price_of_all`.
        debug_assert_eq!(step.cost == Cost::Linear, !IS_FIRST);
        if number_columns::are_of_pairs(of, results, |i, j| if IS_FIRST { i } else { j }) {
            let price = if IS_FIRST { 0 } else { 2 * of.len() };
            return self.charge(price as u64);
        }
        let mut price = 0u64;
        for (value, result) in of.iter().zip(results.iter_mut()) {
            *result = match value {
                Val::Two(two) if IS_FIRST => two.0,
                Val::Two(two) => two.1,
                _ => self.end(step, value, IS_FIRST)?,
            };
            if !IS_FIRST {
                price = price.saturating_add(value.weight());
            }
        }
        if !IS_FIRST {
            price = price.saturating_add(weight_of(results));
        }
        self.charge(price)
    }
}

/// The larger or smaller number of each pair. It gives `false` if there are other values.
fn are_extremes<'a>(prim: Prim, of: &[Val<'a>], results: &mut [Val<'a>]) -> bool {
    match prim {
        Prim::maximum => number_columns::are_of_pairs(of, results, i64::max),
        _ => number_columns::are_of_pairs(of, results, i64::min),
    }
}

/// The results of the steps of a body for all elements, where they are known.
pub(crate) type Known<'a> = [Option<&'a [Val<'a>]>];

/// Some elements of a container, and the known columns of all of them.
#[derive(Clone, Copy)]
pub(crate) struct Part<'c, 'a> {
    pub(crate) items: &'c [Val<'a>],
    /// The captures of an inner body.
    pub(crate) captures: [Column<'c, 'a>; MAX_CAPTURES],
    /// The columns that are known, and the place of the first of these elements in them.
    pub(crate) known: Option<(&'a Known<'a>, usize)>,
}

impl<'c, 'a> Part<'c, 'a> {
    pub(crate) fn of(items: &'c [Val<'a>]) -> Part<'c, 'a> {
        Part {
            items,
            captures: [Column::Each(&[]); MAX_CAPTURES],
            known: None,
        }
    }

    #[inline]
    fn known(&self, step: usize) -> Option<&'a [Val<'a>]> {
        let (known, start) = self.known?;
        Some(&known[step]?[start..][..self.items.len()])
    }
}

/// Columns before they are filled in.
pub(crate) const NO_ARGS: [Column<'static, 'static>; 4] = [Column::Each(&[]); 4];

/// Fills in the values of a step's arguments. It writes into the array that the kernel reads, since a
/// copy would wait for the writes.
#[inline(always)]
pub(crate) fn fill_args<'c, 'a: 'c>(
    args: &mut [Column<'c, 'a>; 4],
    step: &Step<Reg>,
    body: &'c Body<'a>,
    part: &Part<'c, 'a>,
    columns: &'c [Val<'a>],
) {
    for (arg, reg) in args.iter_mut().zip(step.registers()) {
        *arg = column(body, part, columns, *reg);
    }
}

/// Adds the results of a body for some elements.
pub(crate) fn push_results<'a>(
    body: &Body<'a>,
    part: &Part<'_, 'a>,
    columns: &[Val<'a>],
    results: &mut List<'a>,
) {
    match column(body, part, columns, body.out) {
        Column::Each(values) => results.extend_from_slice_copy(values),
        Column::Same(value) => results.extend(part.items.iter().map(|_| *value)),
    }
}

/// The values of a register. `columns` holds the results of the steps.
fn column<'c, 'a>(
    body: &'c Body<'a>,
    part: &Part<'c, 'a>,
    columns: &'c [Val<'a>],
    reg: Reg,
) -> Column<'c, 'a>
where
    'a: 'c,
{
    match body.source(reg) {
        Source::Element => Column::Each(part.items),
        Source::Capture(k) => part.captures[k],
        Source::Constant(constant) => Column::Same(constant),
        Source::Step(k) => Column::Each(match part.known(k) {
            Some(values) => values,
            None => &columns[k * part.items.len()..][..part.items.len()],
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::{CellForm, Room};

    use super::*;
    use crate::vm::order::provenance::Made;

    #[test]
    fn columns_weigh_what_their_values_weigh() {
        let arena = Room::default();
        let set = |items: &[Val<'static>]| {
            let items = arena.alloc_slice_copy(items);
            Val::set(&arena, items, Made::Somehow).expect("a set")
        };
        let places = [(0, 1), (2, 3), (2, 4)].map(Val::place);
        let cells = [(1, 0, 1), (2, 5, 3)].map(|cell| Val::coloured_place(CellForm::Nested, cell));
        let values = [
            Val::Int(7),
            Val::Bool(true.into()),
            places[0],
            cells[0],
            set(&places),
            set(&places[..1]),
            set(&cells),
            set(&[]),
            Val::two(&arena, places[0], cells[1]),
        ];
        for (a, b) in values.iter().flat_map(|a| values.map(|b| (*a, b))) {
            let column = [a, a, b];
            let wanted = 2 * a.weight() + b.weight();
            assert_eq!(weight_of(&column), wanted, "{column:?}");
            assert_eq!(Column::Each(&column).weight(3), wanted, "{column:?}");
        }
    }
}
