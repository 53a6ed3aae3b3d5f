//! Finds elements of one set among those of another.

use crate::vm::values::distinct::KeyTable;
use crate::vm::values::value::{Val, compare, equal};

/// Finds elements among the elements of a set.
pub(crate) struct Finder<'s, 'a> {
    elements: &'s [Val<'a>],
    places: Option<KeyTable>,
}

impl<'s, 'a> Finder<'s, 'a> {
    pub(crate) fn new(elements: &'s [Val<'a>]) -> Finder<'s, 'a> {
        let places = (elements.len() > 16).then(|| numbered(elements)).flatten();
        Finder { elements, places }
    }

    pub(crate) fn find(&self, element: &Val<'a>) -> Option<usize> {
        self.find_itself(element)
            .or_else(|| find(self.elements, element))
    }

    /// Finds an element made of identical parts; it may miss an equal one.
    pub(crate) fn find_itself(&self, element: &Val<'a>) -> Option<usize> {
        let is_it = |k: usize| equal(&self.elements[k], element) == Some(true);
        let places = self.places.as_ref()?;
        places.find(identity(element)?, is_it).ok()
    }
}

/// Numbers elements by the words and addresses that they consist of.
fn numbered(elements: &[Val<'_>]) -> Option<KeyTable> {
    let mut places = KeyTable::with_room_for(elements.len());
    for element in elements {
        let key = identity(element)?;
        let (Ok(slot) | Err(slot)) = places.find(key, |_| false);
        places.put(key, slot);
    }
    Some(places)
}

/// A number that identifies a value: the words and addresses that it consists of.
fn identity(value: &Val<'_>) -> Option<u128> {
    let part = |value: &Val<'_>| match value {
        Val::Int(n) => Some(*n as u64),
        Val::Pair(pair) => Some(pair.sort_key()),
        Val::Cell(cell) | Val::Triple(cell) => Some(cell.sort_key()),
        _ => address(value).map(|address| address as u64),
    };
    match value {
        Val::Two(two) => Some(u128::from(part(&two.0)?) << 64 | u128::from(part(&two.1)?)),
        _ => part(value).map(u128::from),
    }
}

/// The position of an element among the elements of a set.
pub(crate) fn find(elements: &[Val<'_>], element: &Val<'_>) -> Option<usize> {
    let found = match element {
        // The cells of an object are sorted by their places.
        Val::Cell(wanted) | Val::Triple(wanted) => {
            let (colour, i, j) = wanted.get();
            let by_place = |e: &Val<'_>| match e {
                Val::Cell(cell) | Val::Triple(cell) => (cell.get().1, cell.get().2).cmp(&(i, j)),
                _ => std::cmp::Ordering::Less,
            };
            elements
                .binary_search_by(by_place)
                .ok()
                .filter(|k| matches!(elements[*k], Val::Cell(c) | Val::Triple(c) if c.get().0 == colour))
                .or_else(|| elements.binary_search_by(|e| compare(e, element)).ok())
        }
        _ => elements.binary_search_by(|e| compare(e, element)).ok(),
    };
    found.filter(|k| equal(&elements[*k], element) == Some(true))
}

/// The address of a container.
pub(crate) fn address(value: &Val<'_>) -> Option<usize> {
    Some(match value {
        Val::Indices(patch) => std::ptr::from_ref(*patch) as usize,
        Val::Object(object) => std::ptr::from_ref(*object) as usize,
        Val::Set(items) | Val::Bag(items) => std::ptr::from_ref(*items) as usize,
        _ => return None,
    })
}
