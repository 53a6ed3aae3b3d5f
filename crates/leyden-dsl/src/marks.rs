//! What primitives have in common beyond their signatures: the marks in the lines of the table.

use crate::table::Entry;
use crate::types::Type;

/// Something that holds for some primitives. In the table it stands after the use of order:
/// `Blind + Each`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// It calls its function on each element of its container, or of its two containers.
    Each,
    /// It looks at one element of a set after the other, and at nothing that takes all of them,
    /// such as the rectangle around them, before it can fault.
    OneByOne,
    /// It looks at the second part of an element of its patch, whichever comes first, before
    /// anything else can go wrong but a grid or a pair among its other arguments.
    Opens,
    /// It puts its elements into a set row by row.
    ByRows,
    /// It does with a set what it does with a tuple of the same elements, in any order and however
    /// often they are in it.
    AnyOrder,
    /// A device has no operation of this name, but does the primitive with others, or knows its
    /// result when it compiles the program.
    Lowered,
}

/// The marks of a primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u8);

impl Marks {
    /// No marks.
    pub const NONE: Marks = Marks(0);

    /// The marks and one more.
    #[must_use]
    pub const fn with(self, mark: Mark) -> Marks {
        Marks(self.0 | 1 << mark as u8)
    }

    /// Is the mark among them?
    pub const fn has(self, mark: Mark) -> bool {
        self.0 & 1 << mark as u8 != 0
    }
}

impl Entry {
    /// For a primitive that calls a function on each element: the places of its one container and
    /// of the function.
    pub fn each_of_one(&self) -> Option<(usize, usize)> {
        let function = self.function_of_each()?;
        (self.params.len() == 2).then_some((1 - function, function))
    }

    /// For a primitive that calls a function on each element of two containers: their places and
    /// the function's.
    pub fn each_of_two(&self) -> Option<([usize; 2], usize)> {
        let function = self.function_of_each()?;
        (self.params.len() == 3 && function == 0).then_some(([1, 2], function))
    }

    fn function_of_each(&self) -> Option<usize> {
        if !self.marks.has(Mark::Each) {
            return None;
        }
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
