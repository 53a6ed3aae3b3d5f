//! The ways in which a program fails, as values.

use std::fmt;

/// The reason why a primitive returned no value: a CPython exception class, or one of Leyden's own
/// limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A value has no such attribute.
    AttributeError,
    /// A position outside a sequence.
    IndexError,
    /// A key that a dictionary lacks.
    KeyError,
    /// Calls nested deeper than CPython's limit of 1,000 frames.
    RecursionError,
    /// A `StopIteration` that crossed a generator.
    RuntimeError,
    /// An iterator without a next element.
    StopIteration,
    /// An operand of the wrong type, or the wrong number of arguments.
    TypeError,
    /// An operand of the right type and a wrong value.
    ValueError,
    /// A division by zero.
    ZeroDivisionError,
    /// A whole number that does not fit in 64 bits (CPython's numbers grow without bound).
    Overflow,
    /// The program used up its fuel.
    Fuel,
    /// A value larger, or nested deeper, than the cap.
    Memory,
    /// The run was cancelled from outside.
    Cancelled,
}

impl Fault {
    /// Every fault, in the order of their names.
    pub const ALL: [Fault; 13] = [
        Fault::AttributeError,
        Fault::IndexError,
        Fault::KeyError,
        Fault::RecursionError,
        Fault::RuntimeError,
        Fault::StopIteration,
        Fault::TypeError,
        Fault::ValueError,
        Fault::ZeroDivisionError,
        Fault::Overflow,
        Fault::Fuel,
        Fault::Memory,
        Fault::Cancelled,
    ];

    /// The name of the CPython exception class, or of the limit.
    pub fn name(self) -> &'static str {
        match self {
            Fault::AttributeError => "AttributeError",
            Fault::IndexError => "IndexError",
            Fault::KeyError => "KeyError",
            Fault::RecursionError => "RecursionError",
            Fault::RuntimeError => "RuntimeError",
            Fault::StopIteration => "StopIteration",
            Fault::TypeError => "TypeError",
            Fault::ValueError => "ValueError",
            Fault::ZeroDivisionError => "ZeroDivisionError",
            Fault::Overflow => "Overflow",
            Fault::Fuel => "Fuel",
            Fault::Memory => "Memory",
            Fault::Cancelled => "Cancelled",
        }
    }

    /// Is this one of Leyden's own limits rather than an exception of CPython?
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Fault::Overflow | Fault::Fuel | Fault::Memory | Fault::Cancelled
        )
    }

    /// Is this one of the exceptions that the lines of a generated batt file catch?
    pub fn is_caught_by_lines(self) -> bool {
        matches!(
            self,
            Fault::TypeError
                | Fault::AttributeError
                | Fault::ValueError
                | Fault::IndexError
                | Fault::KeyError
        )
    }

    /// The fault as it leaves a generator: a `StopIteration` becomes a `RuntimeError` (PEP 479).
    #[must_use]
    pub fn through_generator(self) -> Fault {
        if self == Fault::StopIteration {
            Fault::RuntimeError
        } else {
            self
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for Fault {}
