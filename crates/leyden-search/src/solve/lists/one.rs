//! Steps from a picture to a picture.

use super::bars::Bar;
use super::number::Number;
use super::pictures::{MAX_SIDE, Placed};
use super::rims::Rim;
use super::smears::{Between, Growth, Trails, smear_text, smeared};
use super::text::{DRAWN, GRID, LEAST, MAIN, on_grid, within};

/// A step from a picture to a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum One {
    /// The smallest part with all drawn cells.
    Fit,
    /// The picture at the origin.
    Origin,
    /// The cells of a colour alone.
    Keep(u8),
    /// All other cells.
    Erase(u8),
    /// All drawn cells in one colour.
    Tint(u8),
    /// The blank cells in a colour, alone.
    Invert(u8),
    /// The blank cells in a colour.
    Under(u8),
    /// The whole rectangle in the main colour.
    Hull,
    /// The border of the rectangle in the main colour.
    Frame,
    /// One of the seven mirrors and turns.
    Rigid(Rigid),
    /// A half.
    Half(Side),
    /// Enclosed blank cells in the main colour.
    Filled,
    /// Enclosed blank cells alone, in a colour.
    Holes(u8),
    /// Drawn cells fall to a side.
    Fall(Side),
    /// Drawn cells leave trails over blank cells towards a side.
    Smear(i8, i8),
    /// The picture and its mirror image, side by side.
    Beside(Side),
    /// The picture and its mirror images to the right, below, and opposite.
    Kaleidoscope,
    /// Copies side by side.
    Copies(u8, u8),
    /// Each cell becomes a block.
    Up(u8),
    /// Each block becomes a cell.
    Down(u8),
    /// Without rows and columns of one colour.
    Compress,
    /// Without the outer ring.
    Trim,
    /// A copy of the picture for each drawn cell.
    InItself,
    /// A copy of the picture for each blank cell.
    InItsGaps,
    /// Cells that equal the mirror image are kept, and gaps take its colours.
    Symmetric(Rigid),
    /// Trails in several directions.
    Trails(Trails),
    /// Lines between cells of one colour.
    Between(Between),
    /// Drawn cells grow.
    Growth(Growth),
    /// A part near a rim.
    Rim(Rim),
    /// The cell in the middle.
    Centre,
    /// One cell in the main colour.
    Dot,
    /// Without blank rows and columns.
    Dense,
    /// Without rows and columns that equal the one before.
    Grouped,
    /// Without rows and columns that occurred before.
    Distinct,
    /// A count as a picture in the main colour.
    Bar(Bar, Number),
    /// The cells of the most or the least frequent drawn colour alone, or all other cells.
    Ranked { is_most: bool, is_kept: bool },
    /// Two drawn colours take each other's places.
    Swapped,
    /// Moved by its own size towards a side.
    Away(Side),
    /// Moved by one cell.
    Nudged(i8, i8),
    /// The blank cells in the main colour, alone.
    Negative,
}

/// A mirror or a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rigid {
    UpsideDown,
    LeftRight,
    Diagonal,
    Counterdiagonal,
    Quarter,
    Half,
    ThreeQuarters,
}

impl Rigid {
    pub(super) const ALL: [Rigid; 7] = [
        Rigid::UpsideDown,
        Rigid::LeftRight,
        Rigid::Diagonal,
        Rigid::Counterdiagonal,
        Rigid::Quarter,
        Rigid::Half,
        Rigid::ThreeQuarters,
    ];

    fn text(self) -> &'static str {
        match self {
            Rigid::UpsideDown => "hmirror",
            Rigid::LeftRight => "vmirror",
            Rigid::Diagonal => "dmirror",
            Rigid::Counterdiagonal => "cmirror",
            Rigid::Quarter => "compose(vmirror, dmirror)",
            Rigid::Half => "compose(hmirror, vmirror)",
            Rigid::ThreeQuarters => "compose(hmirror, dmirror)",
        }
    }

    pub(super) fn of(self, it: &Placed) -> Option<Placed> {
        let (h, w) = it.size();
        let turned = !matches!(self, Rigid::UpsideDown | Rigid::LeftRight | Rigid::Half);
        let size = if turned { (w, h) } else { (h, w) };
        Placed::drawn(it.place(), size, |i, j| match self {
            Rigid::UpsideDown => it.get(h - 1 - i, j),
            Rigid::LeftRight => it.get(i, w - 1 - j),
            Rigid::Diagonal => it.get(j, i),
            Rigid::Counterdiagonal => it.get(h - 1 - j, w - 1 - i),
            Rigid::Quarter => it.get(h - 1 - j, i),
            Rigid::Half => it.get(h - 1 - i, w - 1 - j),
            Rigid::ThreeQuarters => it.get(j, w - 1 - i),
        })
    }
}

/// A side of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

impl Side {
    pub(super) const ALL: [Side; 4] = [Side::Top, Side::Bottom, Side::Left, Side::Right];
}

impl One {
    /// The step as a function of an object, in arc-dsl.
    pub(super) fn text(self) -> String {
        let blank = "rbind(sfilter, matcher(first, 0))";
        match self {
            One::Fit => format!("compose({}, {DRAWN})", super::text::RECT),
            One::Origin => "normalize".to_owned(),
            One::Keep(c) => within(&format!("rbind(sfilter, matcher(first, {c}))")),
            One::Erase(c) => within(&format!(
                "rbind(sfilter, compose(flip, matcher(first, {c})))"
            )),
            One::Tint(c) => within(&format!("compose(lbind(recolor, {c}), {DRAWN})")),
            One::Invert(c) => within(&format!("compose(lbind(recolor, {c}), {blank})")),
            One::Under(c) => {
                format!("fork(combine, {DRAWN}, compose(lbind(recolor, {c}), {blank}))")
            }
            One::Hull => format!("fork(recolor, {MAIN}, backdrop)"),
            One::Frame => within(&format!("fork(recolor, {MAIN}, box)")),
            One::Rigid(rigid) => rigid.text().to_owned(),
            One::Half(side) => on_grid(match side {
                Side::Top => "tophalf",
                Side::Bottom => "bottomhalf",
                Side::Left => "lefthalf",
                Side::Right => "righthalf",
            }),
            One::Filled => within(&format!(
                "fork(combine, {DRAWN}, fork(recolor, {MAIN}, {}))",
                holes_text()
            )),
            One::Holes(c) => within(&format!("compose(lbind(recolor, {c}), {})", holes_text())),
            One::Fall(side) => on_grid(&fall_text(side)),
            One::Smear(i, j) => on_grid(&smear_text(i, j)),
            One::Beside(side) => on_grid(match side {
                Side::Top => "fork(vconcat, hmirror, identity)",
                Side::Bottom => "fork(vconcat, identity, hmirror)",
                Side::Left => "fork(hconcat, vmirror, identity)",
                Side::Right => "fork(hconcat, identity, vmirror)",
            }),
            One::Kaleidoscope => on_grid(
                "compose(fork(vconcat, identity, hmirror), fork(hconcat, identity, vmirror))",
            ),
            One::Copies(down, across) => on_grid(&copies_text(down, across)),
            One::Up(n) => on_grid(&format!("rbind(upscale, {n})")),
            One::Down(n) => on_grid(&format!("rbind(downscale, {n})")),
            One::Compress => on_grid("compress"),
            One::Trim => on_grid("trim"),
            One::InItself => in_itself_text(DRAWN),
            One::InItsGaps => in_itself_text(blank),
            One::Symmetric(rigid) => {
                let drawn = DRAWN;
                let image = format!("compose({drawn}, {})", rigid.text());
                format!(
                    "fork(shift, compose(asobject, fork(paint, fork(paint, \
                     compose(lbind(canvas, 0), shape), compose({image}, normalize)), \
                     compose({drawn}, normalize))), ulcorner)"
                )
            }
            One::Trails(trails) => trails.text(),
            One::Between(between) => between.text(),
            One::Growth(growth) => growth.text(),
            One::Rim(rim) => rim.text(),
            One::Centre => {
                "fork(sfilter, identity, compose(lbind(matcher, last), center))".to_owned()
            }
            One::Dot => format!("compose(initset, fork(astuple, {MAIN}, ulcorner))"),
            One::Dense => on_grid(&on_lines("rbind(sfilter, compose(positive, maximum))")),
            One::Grouped => {
                let longer = "compose(lbind(canvas, 0), compose(lbind(astuple, 1), \
                              compose(increment, width)))";
                on_grid(&on_lines(&format!(
                    "compose(lbind(apply, first), compose(rbind(sfilter, compose(flip, \
                     fork(equality, first, last))), fork(pair, identity, fork(combine, {longer}, \
                     identity))))"
                )))
            }
            One::Distinct => on_grid(&on_lines("dedupe")),
            One::Bar(bar, number) => bar.text(number),
            One::Ranked { is_most, is_kept } => {
                let colour = if is_most { MAIN } else { LEAST };
                let own = format!("compose(lbind(matcher, first), {colour})");
                within(&if is_kept {
                    format!("fork(sfilter, identity, {own})")
                } else {
                    format!("fork(sfilter, identity, compose(lbind(compose, flip), {own}))")
                })
            }
            One::Swapped => {
                let of = |colour| {
                    format!("fork(sfilter, identity, compose(lbind(matcher, first), {colour}))")
                };
                within(&format!(
                    "fork(combine, fork(recolor, {LEAST}, {}), fork(recolor, {MAIN}, {}))",
                    of(MAIN),
                    of(LEAST)
                ))
            }
            One::Away(side) => {
                let way = match side {
                    Side::Top => "compose(toivec, compose(invert, height))",
                    Side::Bottom => "compose(toivec, height)",
                    Side::Left => "compose(tojvec, compose(invert, width))",
                    Side::Right => "compose(tojvec, width)",
                };
                format!("fork(shift, identity, {way})")
            }
            One::Nudged(i, j) => format!("rbind(shift, ({i}, {j}))"),
            One::Negative => within(&format!("fork(recolor, {MAIN}, {blank})")),
        }
    }

    /// Makes the step. `None` if it is not possible.
    pub(super) fn of(self, it: &Placed) -> Option<Placed> {
        let (h, w) = it.size();
        match self {
            One::Fit => it.fitted(),
            One::Origin => Some(Placed {
                top: 0,
                left: 0,
                ..it.clone()
            }),
            One::Keep(c) => Some(it.mapped(|cell| if cell == c { c } else { 0 })),
            One::Erase(c) => Some(it.mapped(|cell| if cell == c { 0 } else { cell })),
            One::Tint(c) => Some(it.mapped(|cell| if cell == 0 { 0 } else { c })),
            One::Invert(c) => Some(it.mapped(|cell| if cell == 0 { c } else { 0 })),
            One::Under(c) => Some(it.mapped(|cell| if cell == 0 { c } else { cell })),
            One::Hull => {
                let main = it.main_colour()?;
                Some(it.mapped(|_| main))
            }
            One::Frame => {
                let main = it.main_colour()?;
                let is_edge = |i: usize, j: usize| i == 0 || j == 0 || i + 1 == h || j + 1 == w;
                Placed::drawn(
                    it.place(),
                    it.size(),
                    |i, j| {
                        if is_edge(i, j) { main } else { 0 }
                    },
                )
            }
            One::Rigid(rigid) => rigid.of(it),
            One::Half(side) => {
                let half = match side {
                    Side::Top => it.part((0, 0), (h / 2, w)),
                    Side::Bottom => it.part((h.div_ceil(2), 0), (h / 2, w)),
                    Side::Left => it.part((0, 0), (h, w / 2)),
                    Side::Right => it.part((0, w.div_ceil(2)), (h, w / 2)),
                }?;
                Some(Placed {
                    top: it.top,
                    left: it.left,
                    ..half
                })
            }
            One::Filled => {
                let main = it.main_colour()?;
                let outside = outside(it);
                Placed::drawn(it.place(), it.size(), |i, j| match it.get(i, j) {
                    0 if !outside[i * w + j] => main,
                    cell => cell,
                })
            }
            One::Holes(c) => {
                let outside = outside(it);
                let is_hole = |i, j| it.get(i, j) == 0 && !outside[i * w + j];
                Placed::drawn(
                    it.place(),
                    it.size(),
                    |i, j| {
                        if is_hole(i, j) { c } else { 0 }
                    },
                )
            }
            One::Fall(side) => Some(fallen(it, side)),
            One::Smear(i, j) => Some(smeared(it, i32::from(i), i32::from(j))),
            One::Beside(side) => {
                let size = match side {
                    Side::Top | Side::Bottom => (2 * h, w),
                    Side::Left | Side::Right => (h, 2 * w),
                };
                let mirrored = |k: usize, n: usize| if k < n { k } else { 2 * n - 1 - k };
                let inverse = |k: usize, n: usize| if k < n { n - 1 - k } else { k - n };
                Placed::drawn(it.place(), size, |i, j| match side {
                    Side::Top => it.get(inverse(i, h), j),
                    Side::Bottom => it.get(mirrored(i, h), j),
                    Side::Left => it.get(i, inverse(j, w)),
                    Side::Right => it.get(i, mirrored(j, w)),
                })
            }
            One::Kaleidoscope => {
                let mirrored = |k: usize, n: usize| if k < n { k } else { 2 * n - 1 - k };
                Placed::drawn(it.place(), (2 * h, 2 * w), |i, j| {
                    it.get(mirrored(i, h), mirrored(j, w))
                })
            }
            One::Copies(down, across) => {
                let size = (h * usize::from(down), w * usize::from(across));
                Placed::drawn(it.place(), size, |i, j| it.get(i % h, j % w))
            }
            One::Up(n) => {
                let n = usize::from(n);
                Placed::drawn(it.place(), (h * n, w * n), |i, j| it.get(i / n, j / n))
            }
            One::Down(n) => {
                let n = usize::from(n);
                let is_whole = h.is_multiple_of(n) && w.is_multiple_of(n);
                let size = (h / n, w / n);
                is_whole.then(|| Placed::drawn(it.place(), size, |i, j| it.get(i * n, j * n)))?
            }
            One::Compress => compressed(it),
            One::Trim => {
                let inner = (h > 2 && w > 2).then(|| it.part((1, 1), (h - 2, w - 2)))??;
                Some(Placed {
                    top: it.top,
                    left: it.left,
                    ..inner
                })
            }
            One::InItself => in_itself(it, |cell| cell != 0),
            One::InItsGaps => in_itself(it, |cell| cell == 0),
            One::Symmetric(rigid) => {
                let image = rigid.of(it)?;
                if image.size() != it.size() {
                    return None;
                }
                let cells = it.cells.iter().zip(&image.cells);
                let cells = cells.map(|(own, other)| if *own == 0 { *other } else { *own });
                Some(Placed {
                    cells: cells.collect(),
                    ..*it
                })
            }
            One::Trails(trails) => Some(trails.of(it)),
            One::Between(between) => Some(between.of(it)),
            One::Growth(growth) => Some(growth.of(it)),
            One::Rim(rim) => rim.of(it),
            One::Centre => it.part((h / 2, w / 2), (1, 1)),
            One::Dot => {
                let main = it.main_colour()?;
                Placed::drawn(it.place(), (1, 1), |_, _| main)
            }
            One::Dense => lines(it, |line, _| line.iter().any(|cell| *cell != 0)),
            One::Grouped => lines(it, |line, before| before.last() != Some(line)),
            One::Distinct => lines(it, |line, before| !before.contains(line)),
            One::Bar(bar, number) => bar.of(number, it),
            One::Ranked { is_most, is_kept } => {
                let colour = if is_most {
                    it.main_colour()?
                } else {
                    it.least_colour()?
                };
                Some(it.mapped(|cell| if (cell == colour) == is_kept { cell } else { 0 }))
            }
            One::Swapped => {
                let (most, least) = (it.main_colour()?, it.least_colour()?);
                let is_of_two = it.cells.iter().all(|it| [0, most, least].contains(it));
                (is_of_two && most != least).then(|| {
                    it.mapped(|cell| match cell {
                        0 => 0,
                        cell if cell == most => least,
                        _ => most,
                    })
                })
            }
            One::Away(side) => {
                let (h, w) = (h as i32, w as i32);
                moved(
                    it,
                    match side {
                        Side::Top => (-h, 0),
                        Side::Bottom => (h, 0),
                        Side::Left => (0, -w),
                        Side::Right => (0, w),
                    },
                )
            }
            One::Nudged(i, j) => moved(it, (i.into(), j.into())),
            One::Negative => {
                let main = it.main_colour()?;
                Some(it.mapped(|cell| if cell == 0 { main } else { 0 }))
            }
        }
    }
}

/// The picture at another place, unless that is far away.
fn moved(it: &Placed, (down, right): (i32, i32)) -> Option<Placed> {
    let (top, left) = (it.top + down, it.left + right);
    let is_near = |k: i32| k.unsigned_abs() as usize <= 2 * MAX_SIDE;
    (is_near(top) && is_near(left)).then(|| Placed {
        top,
        left,
        ..it.clone()
    })
}

/// The picture with some of its rows, then some of its columns. A line is chosen by its cells and
/// all lines before.
fn lines(it: &Placed, is_chosen: impl Fn(&Vec<u8>, &[Vec<u8>]) -> bool) -> Option<Placed> {
    let chosen = |it: &Placed| {
        let lines: Vec<Vec<u8>> = it.cells.chunks(it.width).map(<[u8]>::to_vec).collect();
        let kept: Vec<usize> = (0..lines.len())
            .filter(|k| is_chosen(&lines[*k], &lines[..*k]))
            .collect();
        Placed::drawn(it.place(), (kept.len(), it.width), |i, j| lines[kept[i]][j])
    };
    let flipped = Rigid::Diagonal.of(&chosen(it)?)?;
    Rigid::Diagonal.of(&chosen(&flipped)?)
}

/// A function of the rows of a grid, on its rows and then on its columns.
fn on_lines(function: &str) -> String {
    format!("compose(compose(dmirror, compose({function}, dmirror)), {function})")
}

/// The blank cells that neighbours connect with the border.
pub(super) fn outside(it: &Placed) -> Vec<bool> {
    let (h, w) = it.size();
    let mut is_outside = vec![false; h * w];
    let mut open = Vec::new();
    for i in 0..h {
        for j in 0..w {
            if (i == 0 || j == 0 || i + 1 == h || j + 1 == w) && it.get(i, j) == 0 {
                is_outside[i * w + j] = true;
                open.push((i, j));
            }
        }
    }
    while let Some((i, j)) = open.pop() {
        let neighbours = [
            (i.wrapping_sub(1), j),
            (i + 1, j),
            (i, j.wrapping_sub(1)),
            (i, j + 1),
        ];
        for (i, j) in neighbours {
            if i < h && j < w && it.get(i, j) == 0 && !is_outside[i * w + j] {
                is_outside[i * w + j] = true;
                open.push((i, j));
            }
        }
    }
    is_outside
}

fn fallen(it: &Placed, side: Side) -> Placed {
    let (h, w) = it.size();
    let mut out = it.mapped(|_| 0);
    let is_row = matches!(side, Side::Left | Side::Right);
    let (n_lines, length) = if is_row { (h, w) } else { (w, h) };
    let to_end = matches!(side, Side::Right | Side::Bottom);
    let at = |line: usize, k: usize| if is_row { (line, k) } else { (k, line) };
    for line in 0..n_lines {
        let drawn = (0..length)
            .map(|k| it.get(at(line, k).0, at(line, k).1))
            .filter(|cell| *cell != 0);
        let first = if to_end {
            length - drawn.clone().count()
        } else {
            0
        };
        for (k, cell) in drawn.enumerate() {
            let (i, j) = at(line, first + k);
            out.set(i, j, cell);
        }
    }
    out
}

/// The picture without rows and columns of one colour.
fn compressed(it: &Placed) -> Option<Placed> {
    let (h, w) = it.size();
    let rows: Vec<usize> = (0..h)
        .filter(|i| (1..w).any(|j| it.get(*i, j) != it.get(*i, 0)))
        .collect();
    let columns: Vec<usize> = (0..w)
        .filter(|j| (1..h).any(|i| it.get(i, *j) != it.get(0, *j)))
        .collect();
    Placed::drawn(it.place(), (rows.len(), columns.len()), |i, j| {
        it.get(rows[i], columns[j])
    })
}

/// A copy of the picture in place of each cell that has one.
fn in_itself(it: &Placed, has_copy: impl Fn(u8) -> bool) -> Option<Placed> {
    let (h, w) = it.size();
    Placed::drawn((0, 0), (h * h, w * w), |i, j| {
        if has_copy(it.get(i / h, j / w)) {
            it.get(i % h, j % w)
        } else {
            0
        }
    })
}

fn in_itself_text(where_copied: &str) -> String {
    // Copies of the drawn cells at the multiples of the chosen cells.
    let places = format!(
        "fork(apply, compose(lbind(rbind, multiply), shape), compose(toindices, {where_copied}))"
    );
    let copies = format!("fork(mapply, compose(lbind(lbind, shift), {DRAWN}), {places})");
    let blank = "compose(lbind(canvas, 0), fork(multiply, shape, shape))";
    format!("compose(compose(asobject, fork(paint, {blank}, {copies})), normalize)")
}

/// The enclosed blank cells of an object, in place.
fn holes_text() -> String {
    let blank = "compose(rbind(colorfilter, 0), rbind(rbind(rbind(objects, F), F), T))";
    let is_inside = "compose(lbind(compose, flip), lbind(rbind, bordering))";
    format!("fork(shift, compose(fork(mfilter, {blank}, {is_inside}), {GRID}), ulcorner)")
}

fn fall_text(side: Side) -> String {
    let right = "lbind(apply, rbind(order, compose(flip, matcher(identity, 0))))";
    let left = format!("compose(vmirror, compose({right}, vmirror))");
    match side {
        Side::Right => right.to_owned(),
        Side::Left => left,
        Side::Bottom => format!("compose(dmirror, compose({right}, dmirror))"),
        Side::Top => format!("compose(dmirror, compose({left}, dmirror))"),
    }
}

fn copies_text(down: u8, across: u8) -> String {
    let times = |name: &str, n: u8| {
        (1..n).fold("identity".to_owned(), |text, _| {
            format!("fork({name}, {text}, identity)")
        })
    };
    format!(
        "compose({}, {})",
        times("vconcat", down),
        times("hconcat", across)
    )
}
