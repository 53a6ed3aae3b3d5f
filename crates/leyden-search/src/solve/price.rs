//! The currency of the search: bits, counted in tenths. A program that is half as likely costs a bit more.

use std::fmt;

/// Tenths of a bit.
pub(crate) type Tenths = u32;

/// A bit.
pub(crate) const BIT: Tenths = 10;
/// A unit in the costs of rules over cells, which are small whole numbers.
pub(crate) const UNIT: Tenths = 15;

/// A part of the price of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricePart {
    /// The move, rule, habit or other reason.
    pub name: String,
    /// Its price in tenths of a bit; negative if it makes the answer cheaper.
    pub tenths: i64,
}

impl PricePart {
    pub(crate) fn new(name: impl Into<String>, tenths: impl Into<i64>) -> PricePart {
        PricePart {
            name: name.into(),
            tenths: tenths.into(),
        }
    }
}

impl fmt::Display for PricePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} {}",
            self.tenths as f64 / f64::from(BIT),
            self.name
        )
    }
}
