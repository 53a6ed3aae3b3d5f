//! The compiler's knowledge of values, functions among them.
//!
//! `leyden-lang` says what functions of functions do. Here they capture [`Known`] values.

use std::rc::Rc;

use leyden_dsl::table::Prim;
use leyden_lang::{Parts, Unresolved};

use super::lower::Lowered;
use super::{Refusal, Steps, Virtual};
use crate::wire::tag;

/// The compiler's knowledge of a value.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// The value is on the device, in this register.
    Value(Virtual),
    /// A function, which the device never sees.
    Function(Rc<Function>),
    /// A tuple whose items are known one by one. The device may have no room for the whole.
    Tuple(Rc<[Known]>),
    /// A set of one known element, such as a function.
    Single(Rc<Known>),
    /// Elements that are not kept.
    Stream(Rc<Stream>),
}

/// Elements, and the stages that each of them passes. The device has no room for a set of arbitrary
/// elements, so every reader calls the functions again.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) source: Source,
    pub(super) stages: Vec<Stage>,
}

/// The source of elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Set(Virtual),
    /// All pairs of an element of the first and an element of the second.
    Pairs(Virtual, Virtual),
}

/// A stage that an element passes.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    Map(Rc<Function>),
    /// The function takes both parts of a pair.
    MapPair(Rc<Function>),
    /// Only elements for which the function is true stay.
    Keep(Rc<Function>),
}

impl Stream {
    pub(super) fn of(source: Source) -> Stream {
        Stream {
            source,
            stages: Vec::new(),
        }
    }

    pub(super) fn then(&self, stage: Stage) -> Stream {
        let mut longer = self.clone();
        longer.stages.push(stage);
        longer
    }
}

/// A function that the compiler knows.
#[derive(Debug)]
pub(super) enum Function {
    /// A function that captures known values.
    Resolved(leyden_lang::Function<Known>),
    /// One function if a value is true, another if it is not. Both have the
    /// same number of arguments.
    Branch(Virtual, Rc<Function>, Rc<Function>),
}

impl Function {
    /// The number of its arguments.
    pub(super) fn arity(&self) -> usize {
        match self {
            Function::Resolved(function) => function.n_args(),
            Function::Branch(_, function, _) => function.arity(),
        }
    }

    /// Whether the function is that primitive.
    pub(super) fn is_prim(&self, prim: Prim) -> bool {
        matches!(self, Function::Resolved(function) if function.as_prim() == Some(prim))
    }

    /// Chooses between two functions when the program runs.
    pub(super) fn branch(condition: Virtual, a: Rc<Function>, b: Rc<Function>) -> Lowered {
        if a.arity() == b.arity() {
            Ok(Known::of(Function::Branch(condition, a, b)))
        } else {
            Err(Refusal::Function)
        }
    }

    /// The function that a primitive such as `compose` makes.
    pub(super) fn made_by(prim: Prim, args: &[Known], constants: &Steps) -> Lowered {
        match leyden_lang::Function::made_by(prim, args, constants) {
            Ok(function) => Ok(Known::of(Function::Resolved(function))),
            Err(Unresolved::Part) => Err(Refusal::Function),
            Err(Unresolved::Use) => Err(Refusal::Use(prim)),
            Err(Unresolved::TooLarge) => Err(Refusal::Memory),
        }
    }
}

impl Parts<Known> for Steps {
    fn function(&self, value: &Known) -> Option<leyden_lang::Function<Known>> {
        match value {
            Known::Function(function) => Some(match &**function {
                Function::Resolved(function) => function.clone(),
                Function::Branch(..) => {
                    leyden_lang::Function::of_value(value.clone(), function.arity())
                }
            }),
            _ => None,
        }
    }

    fn number(&self, value: &Known) -> Option<i64> {
        let constant = self.constant_at(value.value().ok()?)?;
        (constant.tag == tag::INT).then_some(constant.i.into())
    }
}

impl Known {
    pub(super) fn of(function: Function) -> Known {
        Known::Function(Rc::new(function))
    }

    pub(super) fn prim(prim: Prim) -> Known {
        Known::of(Function::Resolved(leyden_lang::Function::of_prim(prim)))
    }

    pub(super) fn tuple(items: impl IntoIterator<Item = Known>) -> Known {
        Known::Tuple(items.into_iter().collect())
    }

    pub(super) fn value(&self) -> Result<Virtual, Refusal> {
        match self {
            Known::Value(value) => Ok(*value),
            _ => Err(Refusal::Function),
        }
    }

    /// The elements of a container.
    pub(super) fn stream(&self) -> Result<Stream, Refusal> {
        match self {
            Known::Value(set) => Ok(Stream::of(Source::Set(*set))),
            Known::Stream(stream) => Ok(Stream::clone(stream)),
            _ => Err(Refusal::Function),
        }
    }

    pub(super) fn function(&self) -> Result<Rc<Function>, Refusal> {
        match self {
            Known::Function(function) => Ok(Rc::clone(function)),
            _ => Err(Refusal::Function),
        }
    }
}
