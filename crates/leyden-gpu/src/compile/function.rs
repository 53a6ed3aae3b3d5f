//! Functions that are known before a program runs.

use std::rc::Rc;

use leyden_dsl::table::Prim;

use super::{Refusal, Virtual};

/// What is known of a value before the program runs.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// Where the device will have it.
    Value(Virtual),
    /// A function; the device never sees it.
    Function(Rc<Function>),
    /// What a function gives for the elements of a set. The device has no room for a set of anything,
    /// so whoever goes through it calls the function again.
    Mapped(Virtual, Rc<Function>),
    /// The same for all pairs of elements of two sets.
    MappedPairs(Virtual, Virtual, Rc<Function>),
}

/// A function made of functions.
#[derive(Debug)]
pub(super) enum Function {
    Prim(Prim),
    Compose(Rc<Function>, Rc<Function>),
    Matcher(Rc<Function>, Known),
    Rbind(Rc<Function>, Known),
    Lbind(Rc<Function>, Known),
    Fork(Rc<Function>, Rc<Function>, Rc<Function>),
    /// One function where a value is true, another where it is not.
    Branch(Virtual, Rc<Function>, Rc<Function>),
}

impl Function {
    /// How many arguments it takes.
    pub(super) fn arity(&self) -> usize {
        match self {
            Function::Prim(prim) => prim.arity(),
            Function::Compose(..) | Function::Matcher(..) | Function::Fork(..) => 1,
            Function::Rbind(function, _) | Function::Lbind(function, _) => function.arity() - 1,
            Function::Branch(_, function, _) => function.arity(),
        }
    }

    /// Binds the last or the first argument. With fewer than two Python does something else.
    pub(super) fn bound(
        prim: Prim,
        function: Rc<Function>,
        fixed: Known,
    ) -> Result<Known, Refusal> {
        if function.arity() < 2 {
            return Err(Refusal::Use(prim));
        }
        Ok(Known::Function(Rc::new(match prim {
            Prim::rbind => Function::Rbind(function, fixed),
            _ => Function::Lbind(function, fixed),
        })))
    }
}

impl Known {
    pub(super) fn of(function: Function) -> Known {
        Known::Function(Rc::new(function))
    }

    pub(super) fn value(&self) -> Result<Virtual, Refusal> {
        match self {
            Known::Value(value) => Ok(*value),
            Known::Function(_) | Known::Mapped(..) | Known::MappedPairs(..) => {
                Err(Refusal::Function)
            }
        }
    }

    /// A set and what to do with its elements first, if anything.
    pub(super) fn elements(&self) -> Result<(Virtual, Option<Rc<Function>>), Refusal> {
        match self {
            Known::Value(set) => Ok((*set, None)),
            Known::Mapped(set, function) => Ok((*set, Some(Rc::clone(function)))),
            Known::Function(_) | Known::MappedPairs(..) => Err(Refusal::Function),
        }
    }

    /// Are there elements that nothing was kept of?
    pub(super) fn is_mapped(&self) -> bool {
        matches!(self, Known::Mapped(..) | Known::MappedPairs(..))
    }

    pub(super) fn function(&self) -> Result<Rc<Function>, Refusal> {
        match self {
            Known::Value(_) | Known::Mapped(..) | Known::MappedPairs(..) => Err(Refusal::Function),
            Known::Function(function) => Ok(Rc::clone(function)),
        }
    }
}
