//! Functions called on many elements, a few dozen at a time: each step of a [`Body`] is done for
//! all of them before the next, so what it takes to get to a kernel is paid once for all.

use leyden_dsl::table::{Cost, Prim};

use super::body::{Action, Body, Prepared, Reg, Step};
use super::value::{List, Val};
use super::watch::Watched;
use super::{Maybe, R, Stop, Vm};
use crate::record::FrameId;

/// How many elements are worked on at a time.
const WIDTH: usize = 32;
/// Fewer elements do not pay for it.
const WORTH_IT: usize = 4;

/// The values of a register for some elements.
#[derive(Clone, Copy)]
enum Column<'c, 'a> {
    Each(&'c [Val<'a>]),
    Same(&'c Val<'a>),
}

impl<'a> Column<'_, 'a> {
    #[inline]
    fn get(&self, k: usize) -> Val<'a> {
        match self {
            Column::Each(values) => values[k],
            Column::Same(value) => **value,
        }
    }
}

impl<'a> Vm<'a> {
    /// The results of a function of one argument on these elements, up to the first that stops.
    pub(super) fn call_on_each(
        &mut self,
        function: &mut Prepared<'a>,
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        match function {
            Prepared::Body(body, registers) if body.n_args == 1 => {
                self.call_body_on_each(body, registers, items, results)
            }
            Prepared::Watched(function) => self.call_watched_on_each(function, items, results),
            _ => self.call_one_by_one(function, items, results),
        }
    }

    pub(super) fn call_body_on_each(
        &mut self,
        body: &'a Body<'a>,
        registers: &mut [Val<'a>],
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        if items.len() < WORTH_IT {
            return self.run_body_on_each(body, registers, items, results);
        }
        let columns = self.columns(body, items);
        for items in items.chunks(WIDTH) {
            if !self.is_done_at_once(body, items, columns, results, Vm::run_columns) {
                self.run_body_on_each(body, registers, items, results)?;
            }
        }
        Ok(())
    }

    /// The same for a body that calls functions, while calls are recorded.
    pub(super) fn call_nesting_on_each(
        &mut self,
        function: &mut Watched<'a>,
        (body, frames): (&'a Body<'a>, &[FrameId]),
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        let columns = self.columns(body, items);
        for items in items.chunks(WIDTH) {
            let is_done = items.len() >= WORTH_IT
                && self.is_counted_at_once(function, items.len(), |vm| {
                    vm.is_done_at_once(body, items, columns, results, |vm, body, items, columns| {
                        vm.run_columns_in(frames, body, items, columns)
                    })
                });
            if !is_done {
                self.call_watched_one_by_one(function, items, results)?;
            }
        }
        Ok(())
    }

    /// Room for the results of all steps.
    fn columns(&self, body: &Body<'a>, items: &[Val<'a>]) -> &'a mut [Val<'a>] {
        let n_values = body.steps.len() * items.len().min(WIDTH);
        self.arena.alloc_slice_fill_copy(n_values, Val::None)
    }

    fn run_body_on_each(
        &mut self,
        body: &Body<'a>,
        registers: &mut [Val<'a>],
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        one_by_one(items, results, |item| {
            self.run_body(body, registers, &[item])
        })
    }

    fn call_one_by_one(
        &mut self,
        function: &mut Prepared<'a>,
        items: &[Val<'a>],
        results: &mut List<'a>,
    ) -> Maybe<()> {
        one_by_one(items, results, |item| self.call_prepared(function, &[item]))
    }

    /// Runs a body on some elements at once. Where one of them stops, nothing has happened.
    fn is_done_at_once(
        &mut self,
        body: &Body<'a>,
        items: &[Val<'a>],
        columns: &mut [Val<'a>],
        results: &mut List<'a>,
        run: impl FnOnce(&mut Self, &Body<'a>, &[Val<'a>], &mut [Val<'a>]) -> Maybe<()>,
    ) -> bool {
        let before = (self.fuel, self.stopped_by);
        if self.enter(body.depth).is_err() {
            return false;
        }
        let done = run(self, body, items, columns);
        self.leave(body.depth);
        if done.is_err() {
            Stop::forget_fault();
            (self.fuel, self.stopped_by) = before;
            return false;
        }
        match column(body, items, columns, body.out) {
            Column::Each(values) => results.extend_from_slice_copy(values),
            Column::Same(value) => results.extend(items.iter().map(|_| *value)),
        }
        true
    }

    fn run_columns(
        &mut self,
        body: &Body<'a>,
        items: &[Val<'a>],
        columns: &mut [Val<'a>],
    ) -> Maybe<()> {
        self.charge(u64::from(body.n_calls) * items.len() as u64)?;
        for (k, step) in body.steps.iter().enumerate() {
            let (done, rest) = columns.split_at_mut(k * items.len());
            let args = step.args.map(|reg| column(body, items, done, reg));
            let fuel = self.fuel;
            self.run_column(step, &args, &mut rest[..items.len()])?;
            self.charge_again(step, fuel)?;
        }
        Ok(())
    }

    /// The same while the engine has to know in which step it is.
    fn run_columns_in(
        &mut self,
        frames: &[FrameId],
        body: &Body<'a>,
        items: &[Val<'a>],
        columns: &mut [Val<'a>],
    ) -> Maybe<()> {
        self.charge(u64::from(body.n_calls) * items.len() as u64)?;
        for ((k, step), frame) in body.steps.iter().enumerate().zip(frames) {
            let (done, rest) = columns.split_at_mut(k * items.len());
            let args = step.args.map(|reg| column(body, items, done, reg));
            let (fuel, results) = (self.fuel, &mut rest[..items.len()]);
            self.in_frame(*frame, |vm| vm.run_column(step, &args, results))?;
            self.charge_again(step, fuel)?;
        }
        Ok(())
    }

    fn run_column(
        &mut self,
        step: &Step<Reg>,
        args: &[Column<'_, 'a>; 4],
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        let [a, b, c, d] = args;
        match (step.action, step.n_args) {
            (Action::Call(prim @ (Prim::first | Prim::last)), _) => {
                return self.ends(step, a, prim == Prim::first, results);
            }
            (_, 1) => {
                for (k, result) in results.iter_mut().enumerate() {
                    *result = self.step_into(step, &[a.get(k)])?;
                }
            }
            (_, 2) => {
                for (k, result) in results.iter_mut().enumerate() {
                    *result = self.step_into(step, &[a.get(k), b.get(k)])?;
                }
            }
            (_, 3) => {
                for (k, result) in results.iter_mut().enumerate() {
                    *result = self.step_into(step, &[a.get(k), b.get(k), c.get(k)])?;
                }
            }
            _ => {
                for (k, result) in results.iter_mut().enumerate() {
                    let args = [a.get(k), b.get(k), c.get(k), d.get(k)];
                    *result = self.step_into(step, &args)?;
                }
            }
        }
        Ok(())
    }

    /// `first` or `last`, mostly of tuples of two.
    fn ends(
        &mut self,
        step: &Step<Reg>,
        of: &Column<'_, 'a>,
        is_first: bool,
        results: &mut [Val<'a>],
    ) -> Maybe<()> {
        let is_linear = step.cost == Cost::Linear;
        let mut price = 0;
        for (k, result) in results.iter_mut().enumerate() {
            let value = of.get(k);
            *result = match value.end_of_two(is_first) {
                Some(end) => {
                    if is_linear {
                        price += value.weight() + 1 + end.weight();
                    }
                    end
                }
                None => self.step_into(step, &[value])?,
            };
        }
        self.charge(price)
    }
}

/// Calls something on elements in their order, until it stops.
#[inline(always)]
pub(super) fn one_by_one<'a>(
    items: &[Val<'a>],
    results: &mut List<'a>,
    mut call: impl FnMut(Val<'a>) -> R<'a>,
) -> Maybe<()> {
    for item in items {
        match call(*item) {
            Ok(result) => results.push(result),
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

/// The values of a register; `columns` has those of the steps.
fn column<'c, 'a>(
    body: &Body<'a>,
    items: &'c [Val<'a>],
    columns: &'c [Val<'a>],
    reg: Reg,
) -> Column<'c, 'a>
where
    'a: 'c,
{
    let Some(after_args) = usize::from(reg).checked_sub(body.n_args) else {
        return Column::Each(items);
    };
    match body.constants.get(after_args) {
        Some(constant) => Column::Same(constant),
        None => {
            let first = (after_args - body.constants.len()) * items.len();
            Column::Each(&columns[first..][..items.len()])
        }
    }
}
