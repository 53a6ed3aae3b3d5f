//! Fuel, caps, recursion depth and cancellation: the limits that keep a run finite.
//!
//! # The price of a run
//!
//! CPython has no fuel, so Leyden is free to set prices that do not depend on the order of
//! elements. These rules hold on every engine:
//!
//! - A call of a primitive costs one unit and the table's price of its arguments, even if their
//!   number is wrong ([`Cost::of_args`]). A primitive whose price is `Linear` also pays for its
//!   result, once it is made. [`Value::weight`](crate::value::Value::weight) is the price of a
//!   value. A call of a function that a primitive made costs as much as the calls inside it.
//! - A kernel whose result can be large pays for it before it makes it ([`Meter::announce`]). A few
//!   kernels charge for further work. These charges follow from their arguments.
//! - A kernel that calls a function on the elements of a container calls it on every element.
//!   Neither an early result (`extract`) nor a fault spares the other elements their price. So the
//!   price of a line is a sum that no order of the elements changes.
//! - A line that costs more than the fuel that is left ends the run with [`Fault::Fuel`], even if
//!   one of its elements faulted. The run has then burnt all its fuel. Otherwise a line ends as in
//!   CPython, and the run pays for it even if it faults.
//!
//! Sums only grow, so an engine may stop as soon as the charges of a line exceed the fuel that was
//! left at its beginning.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault::Fault;
use crate::table::Cost;
use crate::value::MAX_NODES;

/// CPython's recursion limit.
pub const RECURSION_LIMIT: u32 = 1_000;

/// The most elements that a tuple may have; for a tuple of rows, the most cells.
pub const MAX_ELEMENTS: usize = 1 << 20;

/// The most elements that a set may have. CPython's table takes two to four slots for each.
pub const MAX_SET_ELEMENTS: usize = 1 << 19;

/// The deepest that values and closures may nest.
pub const MAX_NESTING: u32 = 4_000;

/// The highest price of a result that is paid for only after it is made.
const SMALL_RESULT: usize = 1 << 12;

/// The fuel of a run by default.
pub const DEFAULT_FUEL: u64 = 50_000_000;

/// A flag that stops a run from outside, within a few microseconds.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everything that holds this token to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Was the token cancelled?
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts the fuel and the frames of a run. All engines charge equal amounts for equal lines, so a
/// run ends at the same place on every machine, engine and thread count.
#[derive(Debug)]
pub struct Meter {
    budget: u64,
    left: u64,
    /// The amount that the current call has paid for its result already.
    prepaid: u64,
    depth: u32,
    has_overflowed: bool,
    cancel: CancelToken,
}

impl Meter {
    /// A meter with a full tank.
    pub fn new(fuel: u64, cancel: CancelToken) -> Self {
        Meter {
            budget: fuel,
            left: fuel,
            prepaid: 0,
            depth: 1,
            has_overflowed: false,
            cancel,
        }
    }

    /// Fills the tank again for the next run.
    pub fn reset(&mut self) {
        self.left = self.budget;
        self.prepaid = 0;
        self.depth = 1;
    }

    /// Fuel used since the last reset.
    pub fn used(&self) -> u64 {
        self.budget - self.left
    }

    /// Announces a result that costs at least this much, and pays for it unless it is small.
    #[inline]
    pub(crate) fn announce(&mut self, price: usize) -> Result<(), Fault> {
        if price > SMALL_RESULT {
            let due = (price as u64).saturating_sub(self.prepaid);
            self.prepaid += due;
            self.charge(due)?;
        }
        Ok(())
    }

    /// Begins a call, which has prepaid nothing yet. Returns the amount that the call around it has
    /// prepaid.
    #[inline]
    pub(crate) fn begin_call(&mut self) -> u64 {
        std::mem::take(&mut self.prepaid)
    }

    /// Ends a call and returns the amount that it has prepaid. `around` is the result of
    /// [`Meter::begin_call`].
    #[inline]
    pub(crate) fn end_call(&mut self, around: u64) -> u64 {
        std::mem::replace(&mut self.prepaid, around)
    }

    /// Burns fuel.
    #[inline]
    pub fn charge(&mut self, amount: u64) -> Result<(), Fault> {
        if self.cancel.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Fault::Fuel)
            }
        }
    }

    /// Enters `frames` Python frames; pair it with [`Meter::leave`].
    #[inline]
    pub fn enter(&mut self, frames: u32) -> Result<(), Fault> {
        self.depth += frames;
        if self.depth > RECURSION_LIMIT {
            self.depth -= frames;
            self.has_overflowed = true;
            return Err(Fault::RecursionError);
        }
        Ok(())
    }

    /// Did a [`Fault::RecursionError`] occur, even if it was caught?
    pub fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    /// Leaves `frames` Python frames.
    #[inline]
    pub fn leave(&mut self, frames: u32) {
        self.depth -= frames;
    }
}

/// The price of a call: one unit, and the table's prices of its arguments and its result.
impl Cost {
    /// The price of a call's arguments, given their number and weights.
    #[inline(always)]
    pub fn of_args(self, n_args: usize, weight: impl Fn(usize) -> u64) -> u64 {
        let weight_at = |k: usize| if k < n_args { weight(k) } else { 0 };
        match self {
            Cost::Unit => 0,
            Cost::Linear => (0..n_args).map(&weight).fold(0, u64::saturating_add),
            Cost::Product => weight_at(0).saturating_mul(weight_at(1)),
            Cost::Scan => weight_at(0).saturating_mul(weight_at(1)) / 64,
            Cost::Square => weight_at(0).saturating_mul(weight_at(0)),
        }
    }

    /// The price of a call's result, given its weight.
    #[inline(always)]
    pub fn of_result(self, weight: impl FnOnce() -> u64) -> u64 {
        if self == Cost::Linear { weight() } else { 0 }
    }
}

/// Refuses a set with more elements than the cap.
#[inline]
pub fn check_set_len(n_elements: usize) -> Result<(), Fault> {
    if n_elements > MAX_SET_ELEMENTS {
        Err(Fault::Memory)
    } else {
        Ok(())
    }
}

/// Refuses a tuple with more elements than the cap.
#[inline]
pub fn check_len(n_elements: usize) -> Result<(), Fault> {
    if n_elements > MAX_ELEMENTS {
        Err(Fault::Memory)
    } else {
        Ok(())
    }
}

/// Refuses a value with more parts than the cap.
#[inline]
pub(crate) fn check_parts(n_parts: usize) -> Result<(), Fault> {
    if n_parts > MAX_NODES as usize {
        Err(Fault::Memory)
    } else {
        Ok(())
    }
}
