//! Kinds of values, as far as they are known before a program runs.
//!
//! The table's signatures name the intended types, and Python accepts more. So a value has a set of
//! possible kinds, and it is wrong only if no kind fits.

use crate::table::Constant;
use crate::types::Type;

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    /// `True` and `False`.
    pub const BOOLEAN: Kinds = Kinds(1);
    /// Whole numbers.
    pub const INTEGER: Kinds = Kinds(1 << 1);
    /// Pairs of numbers.
    pub const PAIR: Kinds = Kinds(1 << 2);
    /// Grids.
    pub const GRID: Kinds = Kinds(1 << 3);
    /// Tuples of tuples that are not grids.
    pub const TUPLES: Kinds = Kinds(1 << 4);
    /// Other tuples.
    pub const TUPLE: Kinds = Kinds(1 << 5);
    /// Sets of numbers.
    pub const INTEGERS: Kinds = Kinds(1 << 6);
    /// Sets of locations.
    pub const INDICES: Kinds = Kinds(1 << 7);
    /// Objects.
    pub const OBJECT: Kinds = Kinds(1 << 8);
    /// Sets of objects.
    pub const OBJECTS: Kinds = Kinds(1 << 9);
    /// Other sets.
    pub const SET: Kinds = Kinds(1 << 10);
    /// Functions.
    pub const FUNCTION: Kinds = Kinds(1 << 11);
    /// `None`.
    pub const NONE: Kinds = Kinds(1 << 12);
    /// No kind.
    pub const NOTHING: Kinds = Kinds(0);
    /// All kinds.
    pub const ANY: Kinds = Kinds((1 << 13) - 1);

    /// Numbers. Python counts truth values among them.
    pub const NUMBER: Kinds = Kinds::BOOLEAN.or(Kinds::INTEGER);
    /// All tuples.
    pub const ANY_TUPLE: Kinds = Kinds::PAIR
        .or(Kinds::GRID)
        .or(Kinds::TUPLES)
        .or(Kinds::TUPLE);
    /// Objects and sets of locations.
    pub const PATCH: Kinds = Kinds::OBJECT.or(Kinds::INDICES);
    /// All sets.
    pub const ANY_SET: Kinds = Kinds::PATCH
        .or(Kinds::INTEGERS)
        .or(Kinds::OBJECTS)
        .or(Kinds::SET);
    /// All tuples and sets.
    pub const CONTAINER: Kinds = Kinds::ANY_TUPLE.or(Kinds::ANY_SET);

    /// The kinds of either set.
    #[must_use]
    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// The kinds in both sets.
    #[must_use]
    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    /// The kinds that are not in the other set.
    #[must_use]
    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    /// Whether the sets have a kind in common.
    pub fn meet(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all kinds are in the other set.
    pub fn within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }

    /// The kinds of a type of the table.
    pub fn of_type(ty: Type) -> Kinds {
        match ty {
            Type::Any => Kinds::ANY,
            Type::Boolean => Kinds::BOOLEAN,
            Type::Integer => Kinds::NUMBER,
            Type::IntegerTuple => Kinds::PAIR,
            Type::Numerical => Kinds::NUMBER.or(Kinds::PAIR),
            Type::IntegerSet => Kinds::INTEGERS,
            Type::Grid => Kinds::GRID,
            Type::Object => Kinds::OBJECT,
            Type::Objects => Kinds::OBJECTS,
            Type::Indices => Kinds::INDICES,
            Type::Patch => Kinds::PATCH,
            Type::Element => Kinds::OBJECT.or(Kinds::GRID),
            Type::Piece => Kinds::PATCH.or(Kinds::GRID),
            Type::Tuple => Kinds::ANY_TUPLE,
            Type::TupleTuple => Kinds::TUPLES.or(Kinds::GRID),
            Type::Container => Kinds::CONTAINER,
            Type::ContainerContainer => Kinds::CONTAINER.without(Kinds::PAIR),
            Type::FrozenSet => Kinds::ANY_SET,
            Type::Callable => Kinds::FUNCTION,
        }
    }

    /// The kind of a named constant.
    pub fn of_constant(constant: Constant) -> Kinds {
        match constant {
            Constant::Bool(_) => Kinds::BOOLEAN,
            Constant::Int(_) => Kinds::INTEGER,
            Constant::Pair(..) => Kinds::PAIR,
        }
    }

    /// The kinds that the elements of a container can have.
    #[must_use]
    pub fn element(self) -> Kinds {
        let of = |container: Kinds, element: Kinds| {
            if self.meet(container) {
                element
            } else {
                Kinds::NOTHING
            }
        };
        let vague = Kinds::TUPLE.or(Kinds::SET).or(Kinds::NONE);
        if self.meet(vague) {
            return Kinds::ANY;
        }
        of(Kinds::PAIR.or(Kinds::INTEGERS), Kinds::NUMBER)
            .or(of(Kinds::GRID, Kinds::TUPLE.or(Kinds::PAIR)))
            .or(of(Kinds::TUPLES, Kinds::ANY_TUPLE))
            .or(of(Kinds::INDICES, Kinds::PAIR))
            .or(of(Kinds::OBJECT, Kinds::TUPLE))
            .or(of(Kinds::OBJECTS, Kinds::PATCH))
    }

    /// The kinds of a container of the same type with any elements.
    #[must_use]
    pub fn refilled(self) -> Kinds {
        let all = |kinds: Kinds| {
            if self.meet(kinds) {
                kinds
            } else {
                Kinds::NOTHING
            }
        };
        all(Kinds::ANY_SET).or(all(Kinds::ANY_TUPLE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_nest_as_types_do() {
        let within = |a: Type, b: Type| Kinds::of_type(a).within(Kinds::of_type(b));
        assert!(within(Type::Boolean, Type::Integer));
        assert!(within(Type::Object, Type::Patch));
        assert!(within(Type::Patch, Type::Piece));
        assert!(within(Type::Grid, Type::Tuple));
        assert!(within(Type::IntegerTuple, Type::Container));
        assert!(!within(Type::IntegerTuple, Type::ContainerContainer));
        assert!(!within(Type::Container, Type::FrozenSet));
    }

    #[test]
    fn elements_and_containers_belong_together() {
        assert_eq!(Kinds::INDICES.element(), Kinds::PAIR);
        assert_eq!(Kinds::OBJECTS.element(), Kinds::PATCH);
        assert_eq!(Kinds::SET.element(), Kinds::ANY);
        assert_eq!(Kinds::FUNCTION.element(), Kinds::NOTHING);
        assert_eq!(Kinds::OBJECT.refilled(), Kinds::ANY_SET);
        let either = Kinds::GRID.or(Kinds::OBJECT);
        assert_eq!(either.refilled(), Kinds::CONTAINER);
        assert_eq!(Kinds::of_constant(Constant::Pair(0, 1)), Kinds::PAIR);
    }
}
