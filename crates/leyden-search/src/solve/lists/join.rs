//! Steps from a list of pictures to a list or to one picture.

use super::number::Number;
use super::pictures::Placed;
use super::text::{DRAWN, RECT, boxed};

/// The choice of items by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Most,
    Least,
    NotMost,
    NotLeast,
    /// Those with the most frequent number.
    Common,
    /// Those with the rarest number.
    Rare,
    /// Those whose number is 0, and the others.
    None,
    Some,
}

impl Choice {
    pub(super) const ALL: [Choice; 8] = [
        Choice::Most,
        Choice::Least,
        Choice::NotMost,
        Choice::NotLeast,
        Choice::Common,
        Choice::Rare,
        Choice::None,
        Choice::Some,
    ];

    /// The chosen items.
    pub(super) fn of(self, numbers: &[i32]) -> Option<Vec<bool>> {
        let most = *numbers.iter().max()?;
        let least = *numbers.iter().min()?;
        let choose = |is_chosen: &dyn Fn(i32) -> bool| {
            Some(numbers.iter().map(|n| is_chosen(*n)).collect::<Vec<bool>>())
        };
        match self {
            Choice::Most => choose(&|n| n == most),
            Choice::Least => choose(&|n| n == least),
            Choice::NotMost => choose(&|n| n != most),
            Choice::NotLeast => choose(&|n| n != least),
            Choice::None => choose(&|n| n == 0),
            Choice::Some => choose(&|n| n > 0),
            Choice::Common | Choice::Rare => {
                let count = |n: i32| numbers.iter().filter(|it| **it == n).count();
                let counts: Vec<usize> = numbers.iter().map(|n| count(*n)).collect();
                let wanted = if self == Choice::Common {
                    *counts.iter().max()?
                } else {
                    *counts.iter().min()?
                };
                // Several numbers that are equally frequent give no choice.
                let chosen: Vec<bool> = counts.iter().map(|n| *n == wanted).collect();
                let n_chosen = chosen.iter().filter(|it| **it).count();
                (n_chosen == wanted).then_some(chosen)
            }
        }
    }

    /// The condition on the items of `@`.
    fn text(self, number: Number) -> String {
        let n = number.text();
        let is = |value: &str| format!("matcher({n}, {value}(@, {n}))");
        let among = |what: &str| format!("matcher({n}, {what}(apply({n}, @)))");
        let not = |text: String| format!("compose(flip, {text})");
        match self {
            Choice::Most => is("valmax"),
            Choice::Least => is("valmin"),
            Choice::NotMost => not(is("valmax")),
            Choice::NotLeast => not(is("valmin")),
            Choice::Common => among("mostcommon"),
            Choice::Rare => among("leastcommon"),
            Choice::None => format!("matcher({n}, 0)"),
            Choice::Some => format!("compose(positive, {n})"),
        }
    }

    pub(super) fn filter_text(self, number: Number) -> String {
        format!("sfilter(@, {})", self.text(number))
    }

    pub(super) fn pick_text(self, number: Number) -> String {
        match self {
            Choice::Most => format!("argmax(@, {})", number.text()),
            Choice::Least => format!("argmin(@, {})", number.text()),
            _ => format!("extract(@, {})", self.text(number)),
        }
    }
}

pub(super) fn order_text(number: Number, is_falling: bool) -> String {
    let n = number.text();
    if is_falling {
        format!("order(@, compose(invert, {n}))")
    } else {
        format!("order(@, {n})")
    }
}

/// A step from a list to one picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    First,
    Last,
    /// All items in their places. No two draw the same cell.
    Together,
    /// All items in their places or at the origin; the first ones hide others.
    Over {
        at_origin: bool,
    },
    /// All items around one centre; the first ones hide others.
    Centred,
    /// All items with their only cell of a colour in one place; the first ones hide others.
    OnMark(u8),
    /// The cells that this number of items at the origin draw, in a colour.
    Count(Many, u8),
    /// The most frequent colour of each cell, blank included.
    Majority,
    /// Items in a row or in a column.
    Stack {
        is_row: bool,
    },
    /// One cell for each item, in its main colour or blank, laid out like the items.
    Cells,
    /// One cell for each item in the order of the list.
    Line {
        is_row: bool,
    },
    /// All items in their places, those with fewer drawn cells on top, or below.
    SmallOnTop {
        is_rising: bool,
    },
    /// Items of several sizes in a row or in a column.
    Queue {
        is_row: bool,
    },
    /// The first of two pictures in place of each drawn cell of the second.
    Product,
    /// The cells that are equal in all items.
    Common,
    /// The cells that this number of items at the origin draw, in the colour of the first of these.
    Masked(Many),
}

/// The number of items that draw a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Many {
    All,
    One,
    None,
    NotAll,
}

impl Many {
    /// Whether this number of `n` items counts.
    fn is(self, n_drawn: usize, n: usize) -> bool {
        match self {
            Many::All => n_drawn == n,
            Many::NotAll => n_drawn != n,
            Many::One => n_drawn == 1,
            Many::None => n_drawn == 0,
        }
    }

    /// The condition on a place in the items of `@`.
    fn text(self) -> String {
        let drawn = format!(
            "merge(apply(totuple, apply(compose(toindices, compose({DRAWN}, normalize)), @)))"
        );
        let n =
            format!("compose(size, compose(lbind(sfilter, {drawn}), lbind(matcher, identity)))");
        match self {
            Many::All => format!("matcher({n}, size(@))"),
            Many::NotAll => format!("compose(flip, matcher({n}, size(@)))"),
            Many::One => format!("matcher({n}, 1)"),
            Many::None => format!("matcher({n}, 0)"),
        }
    }
}

impl Join {
    /// The step as an expression over the list `@`.
    pub(super) fn text(self) -> String {
        let all = "combine(first(@), merge(@))";
        let laid = "apply(normalize, @)";
        match self {
            Join::First => "first(@)".to_owned(),
            Join::Last => "last(@)".to_owned(),
            Join::Together => boxed(&format!("{DRAWN}({all})"), all),
            Join::Over { at_origin: false } => boxed(&topmost("@"), all),
            Join::Over { at_origin: true } => over(laid),
            Join::Centred => {
                let largest = "(valmax(@, height), valmax(@, width))";
                let margin = format!(
                    "compose(rbind(divide, 2), compose(lbind(subtract, {largest}), shape))"
                );
                over(&format!("apply(fork(shift, normalize, {margin}), @)"))
            }
            Join::OnMark(colour) => {
                let mark = format!("compose(ulcorner, rbind(sfilter, matcher(first, {colour})))");
                over(&format!(
                    "apply(fork(shift, identity, compose(invert, {mark})), @)"
                ))
            }
            Join::Count(many, colour) => format!(
                "asobject(fill(canvas(0, shape(first(@))), {colour}, \
                 sfilter(toindices(normalize(first(@))), {})))",
                many.text()
            ),
            Join::Masked(many) => {
                let all = format!("combine(first({laid}), merge({laid}))");
                format!(
                    "asobject(paint(canvas(0, shape(first(@))), sfilter({DRAWN}({}), \
                     compose({}, last))))",
                    boxed(&topmost(laid), &all),
                    many.text()
                )
            }
            Join::Common => {
                let n = format!(
                    "compose(size, compose(lbind(sfilter, {laid}), lbind(lbind, contained)))"
                );
                format!(
                    "asobject(paint(canvas(0, shape(first(@))), sfilter(normalize(first(@)), \
                     matcher({n}, size(@)))))"
                )
            }
            Join::Product => {
                let (one, other) = ("normalize(first(@))", "normalize(last(@))");
                let copy = format!("lbind(shift, {DRAWN}({one}))");
                format!(
                    "asobject(paint(canvas(0, multiply(shape({one}), shape({other}))), \
                     mapply(compose({copy}, lbind(multiply, shape({one}))), \
                     toindices({DRAWN}({other})))))"
                )
            }
            Join::SmallOnTop { is_rising } => {
                let n = format!("compose(size, {DRAWN})");
                let n = if is_rising {
                    n
                } else {
                    format!("compose(invert, {n})")
                };
                boxed(&topmost(&format!("order(@, {n})")), all)
            }
            Join::Queue { is_row } => {
                let (vector, side) = sides(is_row);
                let items = "pair(interval(0, size(@), 1), @)";
                let cells = format!("compose(rbind(lbind(interval, 0), 1), compose({side}, last))");
                let before =
                    "compose(rbind(compose, first), compose(lbind(lbind, greater), first))";
                let offset = format!(
                    "compose(size, compose(merge, compose(lbind(apply, {cells}), \
                     compose(lbind(sfilter, {items}), {before}))))"
                );
                let moved =
                    format!("fork(shift, compose(normalize, last), compose({vector}, {offset}))");
                format!("{RECT}(combine(normalize(first(@)), merge(apply({moved}, {items}))))")
            }
            Join::Majority => {
                let cells = format!("merge(apply(totuple, {laid}))");
                let values = format!(
                    "compose(lbind(apply, first), compose(lbind(sfilter, {cells}), lbind(matcher, last)))"
                );
                format!(
                    "apply(fork(astuple, compose(mostcommon, {values}), identity), \
                     toindices(normalize(first(@))))"
                )
            }
            Join::Stack { is_row } => {
                let (vector, side) = sides(is_row);
                let moved = format!(
                    "fork(shift, last, compose({vector}, compose(lbind(multiply, \
                     {side}(first(@))), first)))"
                );
                let rest = format!("merge(apply({moved}, pair(interval(0, size(@), 1), {laid})))");
                format!("combine(normalize(first(@)), {rest})")
            }
            Join::Cells => {
                let rank = |edge: &str| {
                    format!(
                        "compose(size, compose(lbind(sfilter, dedupe(apply({edge}, @))), \
                         compose(lbind(lbind, greater), {edge})))"
                    )
                };
                let place = format!("fork(astuple, {}, {})", rank("uppermost"), rank("leftmost"));
                let cells = format!("apply(fork(astuple, {}, {place}), @)", shown());
                format!("combine(initset(first({cells})), {cells})")
            }
            Join::Line { is_row } => {
                let (vector, _) = sides(is_row);
                let cell = format!(
                    "fork(astuple, compose({}, last), compose({vector}, first))",
                    shown()
                );
                let cells = format!("apply({cell}, pair(interval(0, size(@), 1), @))");
                format!("combine(initset(first({cells})), {cells})")
            }
        }
    }

    /// Makes the step. `None` if it is not possible.
    pub(super) fn of(self, items: &[&Placed]) -> Option<Placed> {
        match self {
            Join::First => items.first().map(|it| (*it).clone()),
            Join::Last => items.last().map(|it| (*it).clone()),
            Join::Together => overlaid(items, Placed::place, false),
            Join::Over { at_origin: false } => overlaid(items, Placed::place, true),
            Join::Over { at_origin: true } => overlaid(items, |_| (0, 0), true),
            Join::Centred => {
                let height = items.iter().map(|it| it.height).max()?;
                let width = items.iter().map(|it| it.width).max()?;
                let margin = |side: usize, most: usize| ((most - side) / 2) as i32;
                let place = |it: &Placed| (margin(it.height, height), margin(it.width, width));
                overlaid(items, place, true)
            }
            Join::OnMark(colour) => {
                let n_marks = |it: &Placed| it.cells.iter().filter(|c| **c == colour).count();
                if items.len() < 2 || items.iter().any(|it| n_marks(it) != 1) {
                    return None;
                }
                overlaid(items, |it| before_mark(it, colour), true)
            }
            Join::Count(many, colour) => {
                let first = alike(items)?;
                let is_chosen = |k: usize| many.is(n_drawn(items, k), items.len());
                Placed::drawn((0, 0), first.size(), |i, j| {
                    if is_chosen(i * first.width + j) {
                        colour
                    } else {
                        0
                    }
                })
            }
            Join::Masked(many) => {
                let first = alike(items)?;
                Placed::drawn((0, 0), first.size(), |i, j| {
                    let k = i * first.width + j;
                    let mut drawn = items.iter().map(|it| it.cells[k]).filter(|cell| *cell != 0);
                    let is_chosen = many.is(n_drawn(items, k), items.len());
                    drawn.next().filter(|_| is_chosen).unwrap_or(0)
                })
            }
            Join::Common => {
                let first = alike(items)?;
                Placed::drawn((0, 0), first.size(), |i, j| {
                    let (k, cell) = (i * first.width + j, first.get(i, j));
                    if items.iter().all(|it| it.cells[k] == cell) {
                        cell
                    } else {
                        0
                    }
                })
            }
            Join::Product => {
                let [one, other] = items else {
                    return None;
                };
                let ((h, w), (m, n)) = (one.size(), other.size());
                Placed::drawn((0, 0), (h * m, w * n), |i, j| {
                    match other.get(i / h, j / w) {
                        0 => 0,
                        _ => one.get(i % h, j % w),
                    }
                })
            }
            Join::SmallOnTop { is_rising } => {
                let mut items = items.to_vec();
                items.sort_by_key(|it| {
                    let n = it.n_drawn() as i32;
                    if is_rising { n } else { -n }
                });
                overlaid(&items, Placed::place, true)
            }
            Join::Queue { is_row } => queue(items, is_row),
            Join::Majority => {
                let first = alike(items).filter(|_| items.len() > 2)?;
                Placed::drawn((0, 0), first.size(), |i, j| {
                    let k = i * first.width + j;
                    let count = |c: u8| items.iter().filter(|it| it.cells[k] == c).count();
                    let most = (0..10_u8).max_by_key(|c| (count(*c), std::cmp::Reverse(*c)));
                    most.unwrap_or(0)
                })
            }
            Join::Stack { is_row } => {
                let first = alike(items)?;
                let (h, w) = first.size();
                let size = if is_row {
                    (h, w * items.len())
                } else {
                    (h * items.len(), w)
                };
                Placed::drawn((0, 0), size, |i, j| {
                    let k = if is_row { j / w } else { i / h };
                    items[k].get(i % h, j % w)
                })
            }
            Join::Cells => cells(items),
            Join::Line { is_row } => {
                let n = items.len();
                let size = if is_row { (1, n) } else { (n, 1) };
                Placed::drawn((0, 0), size, |i, j| items[i + j].main_colour().unwrap_or(0))
            }
        }
    }
}

fn sides(is_row: bool) -> (&'static str, &'static str) {
    if is_row {
        ("tojvec", "width")
    } else {
        ("toivec", "height")
    }
}

/// The main colour of an item, or 0 if it is blank.
fn shown() -> String {
    format!("compose(mostcolor, fork(either, {DRAWN}, identity))")
}

/// The topmost drawn cell of each place.
fn topmost(items: &str) -> String {
    let cells = format!("merge(apply(totuple, apply({DRAWN}, {items})))");
    let places = format!("toindices({DRAWN}(combine(first({items}), merge({items}))))");
    format!("apply(compose(lbind(extract, {cells}), lbind(matcher, last)), {places})")
}

/// Items over each other, the first ones on top.
fn over(items: &str) -> String {
    boxed(
        &topmost(items),
        &format!("combine(first({items}), merge({items}))"),
    )
}

/// The place of an item if its first cell of a colour is at the origin.
fn before_mark(it: &Placed, colour: u8) -> (i32, i32) {
    let mark = it.cells.iter().position(|cell| *cell == colour);
    let mark = mark.unwrap_or(0);
    (-((mark / it.width) as i32), -((mark % it.width) as i32))
}

/// The number of items that draw a cell.
fn n_drawn(items: &[&Placed], k: usize) -> usize {
    items.iter().filter(|it| it.cells[k] != 0).count()
}

/// Items of several sizes one after the other.
fn queue(items: &[&Placed], is_row: bool) -> Option<Placed> {
    if items.len() < 2 || alike(items).is_some() {
        return None;
    }
    let sum = |side: &dyn Fn(&Placed) -> usize| items.iter().map(|it| side(it)).sum::<usize>();
    let most = |side: &dyn Fn(&Placed) -> usize| items.iter().map(|it| side(it)).max();
    let size = if is_row {
        (most(&|it| it.height)?, sum(&|it| it.width))
    } else {
        (sum(&|it| it.height), most(&|it| it.width)?)
    };
    let mut all = Placed::blank((0, 0), size)?;
    let mut start = 0;
    for it in items {
        let (top, left) = if is_row { (0, start) } else { (start, 0) };
        for (k, cell) in it.cells.iter().enumerate() {
            all.set(top + k / it.width, left + k % it.width, *cell);
        }
        start += if is_row { it.width } else { it.height };
    }
    Some(all)
}

/// The first item, if all have its size.
fn alike<'p>(items: &[&'p Placed]) -> Option<&'p Placed> {
    let first = items.first()?;
    let is_alike = items.len() > 1 && items.iter().all(|it| it.size() == first.size());
    is_alike.then_some(*first)
}

/// Items at their places; the first ones hide others. Unless they may hide, `None` if they would.
fn overlaid(
    items: &[&Placed],
    place: impl Fn(&Placed) -> (i32, i32),
    may_hide: bool,
) -> Option<Placed> {
    let top = items.iter().map(|it| place(it).0).min()?;
    let left = items.iter().map(|it| place(it).1).min()?;
    let bottom = items
        .iter()
        .map(|it| place(it).0 + it.height as i32)
        .max()?;
    let right = items.iter().map(|it| place(it).1 + it.width as i32).max()?;
    let size = ((bottom - top) as usize, (right - left) as usize);
    let mut all = Placed::blank((top, left), size)?;
    let mut is_hiding = false;
    for it in items {
        let (down, across) = (place(it).0 - top, place(it).1 - left);
        for (k, cell) in it.cells.iter().enumerate() {
            let i = down as usize + k / it.width;
            let j = across as usize + k % it.width;
            if *cell != 0 {
                if all.get(i, j) == 0 {
                    all.set(i, j, *cell);
                } else {
                    is_hiding = true;
                }
            }
        }
    }
    (may_hide || !is_hiding).then_some(all)
}

fn cells(items: &[&Placed]) -> Option<Placed> {
    let ranks = |edge: &dyn Fn(&Placed) -> i32| {
        let mut edges: Vec<i32> = items.iter().map(|it| edge(it)).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    };
    let (rows, columns) = (ranks(&|it| it.top), ranks(&|it| it.left));
    if rows.len() * columns.len() != items.len() {
        return None;
    }
    let mut all = Placed::blank((0, 0), (rows.len(), columns.len()))?;
    let mut is_set = vec![false; items.len()];
    for it in items {
        let i = rows.binary_search(&it.top).ok()?;
        let j = columns.binary_search(&it.left).ok()?;
        all.set(i, j, it.main_colour().unwrap_or(0));
        is_set[i * columns.len() + j] = true;
    }
    is_set.iter().all(|it| *it).then_some(all)
}
