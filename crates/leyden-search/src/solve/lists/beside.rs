//! Steps from a picture, beside the input, to a picture.

use super::pictures::Placed;
use super::text::{DRAWN, within};

/// A step that looks at the input, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// The part of the input in the rectangle of the picture.
    Window,
    /// The cells of the input that the picture draws.
    Shown,
    /// The cells of the input that the picture leaves blank, in its rectangle.
    Gaps,
    /// The input without the cells that the picture draws.
    Without,
}

impl Beside {
    pub(super) const ALL: [Beside; 4] =
        [Beside::Window, Beside::Shown, Beside::Gaps, Beside::Without];

    /// The step as a function of an object, in arc-dsl.
    pub(super) fn text(self) -> String {
        let indices = format!("compose(toindices, {DRAWN})");
        let blank = "compose(toindices, rbind(sfilter, matcher(first, 0)))";
        match self {
            Beside::Window => "compose(rbind(toobject, I), backdrop)".to_owned(),
            Beside::Shown => within(&format!("compose(rbind(toobject, I), {indices})")),
            Beside::Gaps => within(&format!("compose(rbind(toobject, I), {blank})")),
            Beside::Without => {
                format!("compose(asobject, compose(lbind(lbind(fill, I), 0), {indices}))")
            }
        }
    }

    /// Makes the step. `None` if it is not possible.
    pub(super) fn of(self, it: &Placed, input: &Placed) -> Option<Placed> {
        let (top, left) = (it.top - input.top, it.left - input.left);
        let at = |i: usize, j: usize| input.at(it.top + i as i32, it.left + j as i32);
        match self {
            Beside::Window => {
                let place = (usize::try_from(top).ok()?, usize::try_from(left).ok()?);
                input.part(place, it.size())
            }
            Beside::Shown => Placed::drawn(it.place(), it.size(), |i, j| match it.get(i, j) {
                0 => 0,
                _ => at(i, j),
            }),
            Beside::Gaps => Placed::drawn(it.place(), it.size(), |i, j| match it.get(i, j) {
                0 => at(i, j),
                _ => 0,
            }),
            Beside::Without => Placed::drawn(input.place(), input.size(), |i, j| {
                let (a, b) = (input.top + i as i32, input.left + j as i32);
                if it.at(a, b) == 0 { input.get(i, j) } else { 0 }
            }),
        }
    }
}
