//! Marks in the lines of the table: properties that primitives share beyond their signatures.

use crate::table::Entry;
use crate::types::Type;

/// A property of some primitives. In the table it follows the use of order: `Blind + Each`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The primitive calls its function on each element of its container, or of its two containers.
    Each,
    /// The primitive reads the elements of a set one by one. Before it can fault, it needs no fact
    /// about all of them, such as the rectangle around them.
    OneByOne,
    /// The primitive reads the second part of its patch's first element before any other fault can
    /// occur, except a fault of a grid or a pair among its other arguments.
    Opens,
    /// The primitive opens ([`Mark::Opens`]) its last argument before any other fault can occur, and a
    /// tuple is opened as a set is. So a location or a cell there is a `TypeError`.
    OpensTuples,
    /// The primitive puts its elements into a set row by row.
    ByRows,
    /// The primitive's result for a set equals its result for a tuple of the set's elements, in any
    /// order and with any repetitions.
    AnyOrder,
    /// Devices have no operation for the primitive. They use other operations, or know its result
    /// when they compile the program.
    Lowered,
}

/// The marks of a primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u8);

impl Marks {
    /// No marks.
    pub const NONE: Marks = Marks(0);

    /// Adds a mark.
    #[must_use]
    pub const fn with(self, mark: Mark) -> Marks {
        Marks(self.0 | 1 << mark as u8)
    }

    /// Is the mark set?
    pub const fn has(self, mark: Mark) -> bool {
        self.0 & 1 << mark as u8 != 0
    }
}

impl Entry {
    /// The places of the container and of the function, for a primitive that calls a function on
    /// each element of one container.
    pub fn each_of_one(&self) -> Option<(usize, usize)> {
        let function = self.function_of_each()?;
        (self.params.len() == 2).then_some((1 - function, function))
    }

    /// The places of the containers and of the function, for a primitive that calls a function on
    /// each element of two containers.
    pub fn each_of_two(&self) -> Option<([usize; 2], usize)> {
        let function = self.function_of_each()?;
        (self.params.len() == 3 && function == 0).then_some(([1, 2], function))
    }

    fn function_of_each(&self) -> Option<usize> {
        self.function().filter(|_| self.marks.has(Mark::Each))
    }

    /// The place of the first function among the parameters.
    pub fn function(&self) -> Option<usize> {
        let mut types = self.params.iter().map(|param| param.ty);
        types.position(|ty| ty == Type::Callable)
    }

    /// The place of the patch that the primitive opens ([`Mark::Opens`]).
    pub fn opened(&self) -> Option<usize> {
        let mut types = self.params.iter().map(|param| param.ty);
        let place = types.position(|ty| matches!(ty, Type::Patch | Type::Piece));
        place.filter(|_| self.marks.has(Mark::Opens))
    }

    /// May the argument at a place come in any order ([`Mark::AnyOrder`])?
    pub fn takes_any_order(&self, place: usize) -> bool {
        let ty = self.params.get(place).map(|param| param.ty);
        let is_set = matches!(
            ty,
            Some(Type::Patch | Type::Object | Type::Container | Type::IntegerSet)
        );
        is_set && self.marks.has(Mark::AnyOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ENTRIES, Prim};

    fn marked(mark: Mark) -> impl Iterator<Item = &'static Entry> {
        ENTRIES.iter().filter(move |entry| entry.marks.has(mark))
    }

    #[test]
    fn marks_fit_the_signatures() {
        for entry in marked(Mark::Each) {
            let is_one = entry.each_of_one().is_some();
            assert!(is_one != entry.each_of_two().is_some(), "{}", entry.name);
        }
        for entry in marked(Mark::Opens) {
            assert!(entry.opened().is_some(), "{}", entry.name);
        }
        for entry in marked(Mark::OpensTuples) {
            assert_eq!(
                entry.opened(),
                Some(entry.params.len() - 1),
                "{}",
                entry.name
            );
        }
        for entry in marked(Mark::AnyOrder) {
            let mut places = 0..entry.params.len();
            assert!(places.any(|k| entry.takes_any_order(k)), "{}", entry.name);
        }
    }

    #[test]
    fn places_follow_from_types() {
        let each = |prim: Prim| prim.entry().each_of_one();
        assert_eq!(each(Prim::apply), Some((1, 0)));
        assert_eq!(each(Prim::argmax), Some((0, 1)));
        assert_eq!(each(Prim::rapply), None);
        assert_eq!(Prim::papply.entry().each_of_two(), Some(([1, 2], 0)));
        assert_eq!(Prim::fill.entry().opened(), Some(2));
        assert_eq!(Prim::subgrid.entry().opened(), Some(0));
        let free = |prim: Prim, k| prim.entry().takes_any_order(k);
        assert!(free(Prim::contained, 1) && !free(Prim::contained, 0));
        assert!(free(Prim::product, 0) && free(Prim::product, 1));
        assert!(!free(Prim::order, 0));
    }
}
