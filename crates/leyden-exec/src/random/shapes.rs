//! Types of values, known before a program runs.

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Constant, Prim};
use leyden_dsl::types::Type;
use leyden_lang::ConstId;

/// The type of a value, as far as it is known before the program runs.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) ty: Type,
    pub(super) element: Type,
    pub(super) signature: Option<Signature>,
}

#[derive(Clone, Copy)]
pub(super) struct Signature {
    pub(super) params: [Type; 4],
    pub(super) arity: usize,
    pub(super) gives: Type,
}

impl Signature {
    pub(super) fn of(prim: Prim) -> Signature {
        let entry = prim.entry();
        let ty = |k: usize| entry.params.get(k).map_or(Type::Any, |param| param.ty);
        Signature {
            params: [ty(0), ty(1), ty(2), ty(3)],
            arity: prim.arity(),
            gives: entry.result,
        }
    }

    pub(super) fn is(&self, wanted: &WantedFunction) -> bool {
        let mut args = wanted.args.iter().zip(self.params);
        self.arity == wanted.args.len()
            && args.all(|(value, param)| *value == Type::Any || fits(*value, param))
            && fits(self.gives, wanted.result)
    }

    pub(super) fn without_first(self) -> Signature {
        let [_, b, c, d] = self.params;
        Signature {
            params: [b, c, d, Type::Any],
            arity: self.arity.saturating_sub(1),
            ..self
        }
    }

    pub(super) fn without_last(self) -> Signature {
        Signature {
            arity: self.arity.saturating_sub(1),
            ..self
        }
    }
}

/// The types of a function that would fit somewhere.
pub(super) struct WantedFunction {
    pub(super) args: Vec<Type>,
    pub(super) result: Type,
}

impl Shape {
    pub(super) fn of_type(ty: Type) -> Shape {
        Shape {
            ty,
            element: element_of(ty),
            signature: None,
        }
    }

    pub(super) fn container(ty: Type, element: Type) -> Shape {
        Shape {
            ty,
            element,
            signature: None,
        }
    }

    pub(super) fn function(signature: Signature) -> Shape {
        Shape {
            signature: Some(signature),
            ..Shape::of_type(Type::Callable)
        }
    }
}

pub(super) fn element_of(container: Type) -> Type {
    match container {
        Type::Objects => Type::Object,
        Type::Indices => Type::IntegerTuple,
        Type::IntegerSet | Type::IntegerTuple => Type::Integer,
        Type::Object | Type::Grid | Type::TupleTuple => Type::Tuple,
        _ => Type::Any,
    }
}

pub(super) fn set_of(element: Type) -> Type {
    match element {
        Type::Object => Type::Objects,
        Type::IntegerTuple => Type::Indices,
        Type::Integer => Type::IntegerSet,
        _ => Type::FrozenSet,
    }
}

/// Whether a value of one type may stand for a parameter of another.
pub(super) fn fits(value: Type, param: Type) -> bool {
    let kinds = Kinds::of_type(value);
    match param {
        Type::Any => true,
        // A patch may well be an object.
        Type::Object => kinds.within(Kinds::PATCH),
        Type::ContainerContainer => {
            let elements = kinds.element();
            elements != Kinds::NOTHING && elements.within(Kinds::CONTAINER)
        }
        _ => kinds.within(Kinds::of_type(param)),
    }
}

pub(super) fn constant_type(id: ConstId) -> Type {
    match id.value() {
        Constant::Bool(_) => Type::Boolean,
        Constant::Int(_) => Type::Integer,
        Constant::Pair(..) => Type::IntegerTuple,
    }
}

/// Whether a type is so general that the first argument tells more.
pub(super) fn is_general(ty: Type) -> bool {
    use Type::*;
    matches!(
        ty,
        Numerical | Patch | Element | Piece | Container | FrozenSet
    )
}
