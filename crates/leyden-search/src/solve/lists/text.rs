//! Words of arc-dsl for pictures with a place.
//!
//! In a program such a picture is an object that has all cells of its rectangle, blank ones too. A
//! list is a tuple of objects. Steps are functions of an object, so that they can be applied to all
//! items of a list.

/// The drawn cells of an object.
pub(super) const DRAWN: &str = "rbind(sfilter, compose(flip, matcher(first, 0)))";
/// An object as a grid.
pub(super) const GRID: &str = "fork(paint, compose(lbind(canvas, 0), shape), normalize)";
/// An object with blank cells up to its bounding box.
pub(super) const RECT: &str = "fork(combine, identity, compose(lbind(recolor, 0), delta))";
/// The most frequent drawn colour of an object.
pub(super) const MAIN: &str =
    "compose(mostcolor, rbind(sfilter, compose(flip, matcher(first, 0))))";
/// The least frequent drawn colour of an object.
pub(super) const LEAST: &str =
    "compose(leastcolor, rbind(sfilter, compose(flip, matcher(first, 0))))";

/// The cells that a function of an object gives, in its rectangle.
pub(super) fn within(cells: &str) -> String {
    let painted = format!(
        "fork(paint, compose(lbind(canvas, 0), shape), fork(shift, {cells}, compose(invert, \
         ulcorner)))"
    );
    format!("fork(shift, compose(asobject, {painted}), ulcorner)")
}

/// A function of a grid as a function of an object. The place stays.
pub(super) fn on_grid(function: &str) -> String {
    format!("fork(shift, compose(asobject, compose({function}, {GRID})), ulcorner)")
}

/// Cells in the rectangle of an object.
pub(super) fn boxed(cells: &str, like: &str) -> String {
    format!(
        "shift(asobject(paint(canvas(0, shape({like})), shift({cells}, \
         invert(ulcorner({like}))))), ulcorner({like}))"
    )
}
