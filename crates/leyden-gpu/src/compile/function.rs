//! Functions that are known when a program is compiled.

use std::rc::Rc;

use leyden_dsl::table::Prim;

use super::{Refusal, Virtual};

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

/// A function made of functions.
#[derive(Debug)]
pub(super) enum Function {
    Prim(Prim),
    Compose(Rc<Function>, Rc<Function>),
    Matcher(Rc<Function>, Known),
    Rbind(Rc<Function>, Known),
    Lbind(Rc<Function>, Known),
    Fork(Rc<Function>, Rc<Function>, Rc<Function>),
    /// One function if a value is true, another if it is not.
    Branch(Virtual, Rc<Function>, Rc<Function>),
}

impl Function {
    /// The number of its arguments.
    pub(super) fn arity(&self) -> usize {
        match self {
            Function::Prim(prim) => prim.arity(),
            Function::Compose(..) | Function::Matcher(..) | Function::Fork(..) => 1,
            Function::Rbind(function, _) | Function::Lbind(function, _) => function.arity() - 1,
            Function::Branch(_, function, _) => function.arity(),
        }
    }

    /// Binds the last or the first argument. With fewer than two arguments Python does something
    /// else.
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
