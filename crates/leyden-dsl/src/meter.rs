//! Fuel, caps, recursion depth and cancellation: what keeps a run finite.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault::Fault;
use crate::value::MAX_NODES;

/// CPython's recursion limit.
pub const RECURSION_LIMIT: u32 = 1_000;

/// The most elements that a tuple may have; for a tuple of rows, the most cells.
pub const MAX_ELEMENTS: usize = 1 << 20;

/// The most elements that a set may have. CPython's table takes two to four slots for each.
pub const MAX_SET_ELEMENTS: usize = 1 << 19;

/// The deepest that values and closures may nest.
pub const MAX_NESTING: u32 = 4_000;

/// A result that costs no more may be made before it is paid.
const SMALL_RESULT: usize = 1 << 12;

/// The fuel of a run where nothing else is said.
pub const DEFAULT_FUEL: u64 = 50_000_000;

/// A flag that stops a run from outside, within a few microseconds.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everything that holds this token to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Has somebody asked to stop?
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts what a run uses. Both engines charge the same amounts for the same calls, so a run
/// ends at the same place on every machine, engine and thread count.
#[derive(Debug)]
pub struct Meter {
    budget: u64,
    left: u64,
    depth: u32,
    has_overflowed: bool,
    cancel: CancelToken,
}

impl Meter {
    /// A full tank.
    pub fn new(fuel: u64, cancel: CancelToken) -> Self {
        Meter {
            budget: fuel,
            left: fuel,
            depth: 1,
            has_overflowed: false,
            cancel,
        }
    }

    /// Fills the tank again for the next run.
    pub fn reset(&mut self) {
        self.left = self.budget;
        self.depth = 1;
    }

    /// Fuel used since the last reset.
    pub fn used(&self) -> u64 {
        self.budget - self.left
    }

    /// Announces a result that will cost no less than this. A tank that holds less ends the call
    /// before the result is made, unless it is a small one.
    #[inline]
    pub(crate) fn announce(&self, price: usize) -> Result<(), Fault> {
        if price > SMALL_RESULT && self.left < price as u64 {
            return Err(Fault::Fuel);
        }
        Ok(())
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

    /// Was there ever a [`Fault::RecursionError`], even if it was caught?
    pub fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    /// Leaves `frames` Python frames.
    #[inline]
    pub fn leave(&mut self, frames: u32) {
        self.depth -= frames;
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
