//! Steps from a picture to a list of pictures.

use super::pictures::Placed;
use super::text::{DRAWN, GRID, RECT};

/// The largest number of items of a list.
pub(super) const MAX_ITEMS: usize = 60;

/// A step from a picture to a list. Items are in the order of their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// Connected drawn cells.
    Objects(Objects),
    /// The rectangles of connected drawn cells, with everything in them.
    Windows(Objects),
    /// The cells of each colour: in their own box, or in the size of the picture.
    Colours { is_full: bool },
    /// The parts between rows and columns of one drawn colour.
    Panels,
    /// The parts between rows and columns of one colour, blank ones too.
    Runs,
    /// The rings around each other, from the outside.
    Rings,
    /// Each drawn cell.
    Cells,
    /// The rectangles of connected blank cells, with everything in them.
    Gaps { diagonal: bool },
    /// Equal parts, perhaps with a line between them: the number of parts downwards and across.
    Equal(Times, Times),
}

/// The way in which cells are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Objects {
    pub(super) one_colour: bool,
    pub(super) diagonal: bool,
}

/// The number of parts along a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    So(u8),
    /// One for each row or column.
    Each,
    /// One for each row of the other side: parts are squares.
    Square,
}

impl Objects {
    pub(super) const ALL: [Objects; 4] = [
        Objects::new(true, true),
        Objects::new(true, false),
        Objects::new(false, true),
        Objects::new(false, false),
    ];

    const fn new(one_colour: bool, diagonal: bool) -> Objects {
        Objects {
            one_colour,
            diagonal,
        }
    }

    /// The set of objects of the grid of `@`.
    fn text(self) -> String {
        let diagonal = if self.diagonal { "T" } else { "F" };
        let grid = format!("{GRID}(@)");
        if self.one_colour {
            format!("sfilter(objects({grid}, T, {diagonal}, F), compose(flip, matcher(color, 0)))")
        } else {
            // The background is the most frequent colour, so blank rows make it 0.
            format!(
                "objects(vconcat({grid}, canvas(0, multiply(shape(@), (2, 1)))), F, {diagonal}, T)"
            )
        }
    }

    /// The cells of each object.
    fn of(self, it: &Placed) -> Option<Vec<Vec<(usize, usize)>>> {
        let (h, w) = it.size();
        let mut is_seen = vec![false; h * w];
        let mut all = Vec::new();
        for start in 0..h * w {
            if is_seen[start] || it.cells[start] == 0 {
                continue;
            }
            if all.len() == MAX_ITEMS {
                return None;
            }
            is_seen[start] = true;
            let mut cells = vec![(start / w, start % w)];
            let mut next = 0;
            while next < cells.len() {
                let (i, j) = cells[next];
                next += 1;
                for a in i.saturating_sub(1)..=(i + 1).min(h - 1) {
                    for b in j.saturating_sub(1)..=(j + 1).min(w - 1) {
                        let is_beside = a == i || b == j;
                        let cell = it.get(a, b);
                        let is_like = if self.one_colour {
                            cell == it.get(i, j)
                        } else {
                            cell != 0
                        };
                        if (self.diagonal || is_beside) && is_like && !is_seen[a * w + b] {
                            is_seen[a * w + b] = true;
                            cells.push((a, b));
                        }
                    }
                }
            }
            all.push(cells);
        }
        Some(all)
    }
}

impl Times {
    /// The number of parts of a side, beside the other side.
    fn of(self, side: usize, other: usize) -> Option<usize> {
        match self {
            Times::So(n) => Some(usize::from(n)),
            Times::Each => Some(side),
            Times::Square => (other > 0 && side.is_multiple_of(other)).then_some(side / other),
        }
    }

    fn text(self, side: &str, other: &str) -> String {
        match self {
            Times::So(n) => n.to_string(),
            Times::Each => format!("{side}(@)"),
            Times::Square => format!("divide({side}(@), {other}(@))"),
        }
    }
}

impl Split {
    /// The step as an expression over the picture `@`.
    pub(super) fn text(self) -> String {
        let in_place = "rbind(shift, ulcorner(@))";
        match self {
            Split::Objects(objects) => format!(
                "order(order(apply(compose({in_place}, {RECT}), {}), lrcorner), ulcorner)",
                objects.text()
            ),
            Split::Windows(objects) => format!(
                "order(order(apply(compose({in_place}, compose(rbind(toobject, {GRID}(@)), \
                 backdrop)), {}), lrcorner), ulcorner)",
                objects.text()
            ),
            Split::Colours { is_full } => {
                let parts =
                    format!("sfilter(partition({GRID}(@)), compose(flip, matcher(color, 0)))");
                let shown = if is_full {
                    "compose(asobject, lbind(paint, canvas(0, shape(@))))"
                } else {
                    RECT
                };
                format!("apply(compose({in_place}, {shown}), order({parts}, color))")
            }
            Split::Rings => {
                let place = "fork(astuple, identity, identity)";
                let inner = format!(
                    "fork(shift, compose(asindices, compose(lbind(canvas, 0), \
                     compose(lbind(subtract, shape(@)), double))), {place})"
                );
                let ring = format!("compose(rbind(toobject, {GRID}(@)), compose(box, {inner}))");
                let side = "minimum(shape(@))";
                format!(
                    "apply(compose({in_place}, compose({RECT}, {ring})), interval(0, \
                     divide(increment({side}), 2), 1))"
                )
            }
            Split::Cells => format!("apply(initset, order({DRAWN}(@), last))"),
            Split::Gaps { diagonal } => {
                let diagonal = if diagonal { "T" } else { "F" };
                let grid = format!("{GRID}(@)");
                format!(
                    "order(order(apply(compose({in_place}, compose(rbind(toobject, {grid}), \
                     backdrop)), colorfilter(objects({grid}, T, {diagonal}, F), 0)), lrcorner), \
                     ulcorner)"
                )
            }
            Split::Panels | Split::Runs => {
                let lines = if self == Split::Panels {
                    format!(
                        "merge(sfilter(frontiers({GRID}(@)), compose(flip, matcher(color, 0))))"
                    )
                } else {
                    format!("merge(frontiers({GRID}(@)))")
                };
                let panels = format!(
                    "colorfilter(objects(fill(canvas(0, shape(@)), 1, {lines}), T, F, F), 0)"
                );
                format!(
                    "order(apply(compose({in_place}, rbind(toobject, {GRID}(@))), {panels}), \
                     ulcorner)"
                )
            }
            Split::Equal(down, across) => {
                let (a, b) = (down.text("height", "width"), across.text("width", "height"));
                let size = format!("(divide(height(@), {a}), divide(width(@), {b}))");
                let step = format!(
                    "(divide(increment(height(@)), {a}), divide(increment(width(@)), {b}))"
                );
                let places =
                    format!("order(product(interval(0, {a}, 1), interval(0, {b}, 1)), identity)");
                let part = format!(
                    "compose(lbind(shift, asindices(canvas(0, {size}))), rbind(multiply, {step}))"
                );
                format!(
                    "apply(compose({in_place}, compose(rbind(toobject, {GRID}(@)), {part})), \
                     {places})"
                )
            }
        }
    }

    /// Makes the step. `None` if it is not possible.
    pub(super) fn of(self, it: &Placed) -> Option<Vec<Placed>> {
        let mut items = match self {
            Split::Objects(objects) => {
                let cells = objects.of(it)?;
                cells.iter().map(|cells| alone(it, cells)).collect()
            }
            Split::Windows(objects) => {
                let cells = objects.of(it)?;
                let windows = cells.iter().map(|cells| {
                    let (place, size) = span_of(cells)?;
                    it.part(place, size)
                });
                windows.collect()
            }
            Split::Colours { is_full } => colours(it, is_full),
            Split::Panels => panels(it, false),
            Split::Runs => panels(it, true),
            Split::Rings => rings(it),
            Split::Cells => single_cells(it),
            Split::Gaps { diagonal } => gaps(it, diagonal),
            Split::Equal(down, across) => equal(it, down, across),
        }?;
        if items.is_empty() || items.len() > MAX_ITEMS {
            return None;
        }
        if matches!(self, Split::Colours { .. } | Split::Rings) {
            return Some(items);
        }
        items.sort_by_key(Placed::corners);
        if matches!(self, Split::Windows(_) | Split::Gaps { .. }) {
            items.dedup();
        }
        // Two items with one rectangle have no order.
        let mut pairs = items.windows(2);
        let is_clear = pairs.all(|pair| pair[0].corners() != pair[1].corners());
        is_clear.then_some(items)
    }
}

/// The place and size of some cells.
fn span_of(cells: &[(usize, usize)]) -> Option<((usize, usize), (usize, usize))> {
    let top = cells.iter().map(|cell| cell.0).min()?;
    let left = cells.iter().map(|cell| cell.1).min()?;
    let bottom = cells.iter().map(|cell| cell.0).max()?;
    let right = cells.iter().map(|cell| cell.1).max()?;
    Some(((top, left), (bottom - top + 1, right - left + 1)))
}

/// Some cells of a picture in their own box.
fn alone(it: &Placed, cells: &[(usize, usize)]) -> Option<Placed> {
    let ((top, left), size) = span_of(cells)?;
    let place = (it.top + top as i32, it.left + left as i32);
    let mut picture = Placed::blank(place, size)?;
    for (i, j) in cells {
        picture.set(i - top, j - left, it.get(*i, *j));
    }
    Some(picture)
}

fn colours(it: &Placed, is_full: bool) -> Option<Vec<Placed>> {
    let used = (1..10).filter(|c| it.cells.contains(c));
    let only = |c: u8| it.mapped(|cell| if cell == c { c } else { 0 });
    used.map(|c| {
        if is_full {
            Some(only(c))
        } else {
            only(c).fitted()
        }
    })
    .collect()
}

/// The runs of lines that are no dividers.
fn runs(n: usize, is_divider: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for k in 0..=n {
        let is_open = k < n && !is_divider(k);
        match (start, is_open) {
            (None, true) => start = Some(k),
            (Some(from), false) => {
                runs.push((from, k - from));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

fn rings(it: &Placed) -> Option<Vec<Placed>> {
    let (h, w) = it.size();
    let ring = |k: usize| {
        let (h, w) = (h - 2 * k, w - 2 * k);
        let place = (it.top + k as i32, it.left + k as i32);
        Placed::drawn(place, (h, w), |i, j| {
            if i == 0 || j == 0 || i + 1 == h || j + 1 == w {
                it.get(i + k, j + k)
            } else {
                0
            }
        })
    };
    (0..h.min(w).div_ceil(2)).map(ring).collect()
}

fn single_cells(it: &Placed) -> Option<Vec<Placed>> {
    if it.n_drawn() > MAX_ITEMS {
        return None;
    }
    let drawn = (0..it.cells.len()).filter(|k| it.cells[*k] != 0);
    drawn
        .map(|k| it.part((k / it.width, k % it.width), (1, 1)))
        .collect()
}

fn gaps(it: &Placed, diagonal: bool) -> Option<Vec<Placed>> {
    let objects = Objects {
        one_colour: true,
        diagonal,
    };
    let negative = it.mapped(|cell| u8::from(cell == 0));
    let cells = objects.of(&negative)?;
    let windows = cells.iter().map(|cells| {
        let (place, size) = span_of(cells)?;
        it.part(place, size)
    });
    windows.collect()
}

fn panels(it: &Placed, with_blank: bool) -> Option<Vec<Placed>> {
    let (h, w) = it.size();
    let is_line = |cell: u8| with_blank || cell != 0;
    let is_row = |i: usize| is_line(it.get(i, 0)) && (1..w).all(|j| it.get(i, j) == it.get(i, 0));
    let is_column =
        |j: usize| is_line(it.get(0, j)) && (1..h).all(|i| it.get(i, j) == it.get(0, j));
    let (rows, columns) = (runs(h, is_row), runs(w, is_column));
    if rows.len() * columns.len() > MAX_ITEMS {
        return None;
    }
    let mut panels = Vec::new();
    for (i, height) in &rows {
        for (j, width) in &columns {
            panels.push(it.part((*i, *j), (*height, *width))?);
        }
    }
    Some(panels)
}

fn equal(it: &Placed, down: Times, across: Times) -> Option<Vec<Placed>> {
    let (h, w) = it.size();
    let (a, b) = (down.of(h, w)?, across.of(w, h)?);
    let fits =
        |side: usize, n: usize| n > 0 && side >= n && (side.is_multiple_of(n) || side % n == n - 1);
    if !fits(h, a) || !fits(w, b) || a * b > MAX_ITEMS || a * b < 2 {
        return None;
    }
    let (size, step) = ((h / a, w / b), ((h + 1) / a, (w + 1) / b));
    let mut parts = Vec::new();
    for i in 0..a {
        for j in 0..b {
            parts.push(it.part((i * step.0, j * step.1), size)?);
        }
    }
    Some(parts)
}
