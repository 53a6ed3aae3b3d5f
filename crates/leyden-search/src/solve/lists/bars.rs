//! Counts as pictures.

use super::number::Number;
use super::pictures::{MAX_SIDE, Placed};
use super::text::MAIN;

/// The shape of a picture that shows a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    Row,
    Column,
    Square,
    Diagonal,
}

impl Bar {
    pub(super) const ALL: [Bar; 4] = [Bar::Row, Bar::Column, Bar::Square, Bar::Diagonal];

    /// The picture as a function of an object, in arc-dsl.
    pub(super) fn text(self, number: Number) -> String {
        let n = number.text();
        let sides = match self {
            Bar::Row => format!("compose(lbind(astuple, 1), {n})"),
            Bar::Column => format!("compose(rbind(astuple, 1), {n})"),
            Bar::Square | Bar::Diagonal => format!("fork(astuple, {n}, {n})"),
        };
        if self != Bar::Diagonal {
            return format!("compose(asobject, fork(canvas, {MAIN}, {sides}))");
        }
        let blank = format!("compose(lbind(canvas, 0), {sides})");
        let line = format!("compose(lbind(connect, (0, 0)), compose(decrement, {sides}))");
        format!("compose(asobject, fork(paint, {blank}, fork(recolor, {MAIN}, {line})))")
    }

    /// The picture. `None` if there is none for this number.
    pub(super) fn of(self, number: Number, it: &Placed) -> Option<Placed> {
        let main = it.main_colour()?;
        let n = usize::try_from(number.one(it)?).ok()?;
        if n > MAX_SIDE {
            return None;
        }
        let size = match self {
            Bar::Row => (1, n),
            Bar::Column => (n, 1),
            Bar::Square | Bar::Diagonal => (n, n),
        };
        Placed::drawn((0, 0), size, |i, j| {
            if self == Bar::Diagonal && i != j {
                0
            } else {
                main
            }
        })
    }
}
