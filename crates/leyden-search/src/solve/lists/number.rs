//! Numbers of the items of a list.

use super::one::{Rigid, outside};
use super::pictures::Placed;
use super::text::{DRAWN, GRID, MAIN};

/// A number of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    /// Drawn cells.
    Drawn,
    /// Cells of the rectangle.
    Area,
    /// Blank cells of the rectangle.
    Blank,
    Height,
    Width,
    /// Drawn colours.
    Colours,
    /// The main colour.
    Colour,
    Top,
    Left,
    Bottom,
    Right,
    /// Whether the picture is its own image.
    Symmetric(u8),
    /// Connected groups of drawn cells.
    Groups,
    /// Enclosed blank cells.
    Hollow,
    /// Cells of a colour.
    Of(u8),
    /// The number of items that are equal, apart from their place.
    Twins,
    /// The number of items of equal shape.
    Shapes,
    /// The number of items of an equal main colour.
    Fellows,
}

impl Number {
    /// The numbers with the bits that they cost, except for those of a colour.
    pub(super) const ALL: [(Number, u32); 21] = [
        (Number::Drawn, 20),
        (Number::Area, 30),
        (Number::Blank, 40),
        (Number::Height, 40),
        (Number::Width, 40),
        (Number::Colours, 35),
        (Number::Colour, 45),
        (Number::Top, 35),
        (Number::Left, 35),
        (Number::Bottom, 40),
        (Number::Right, 40),
        (Number::Symmetric(0), 45),
        (Number::Symmetric(1), 45),
        (Number::Symmetric(2), 45),
        (Number::Symmetric(5), 50),
        (Number::Groups, 40),
        (Number::Hollow, 40),
        (Number::Twins, 35),
        (Number::Shapes, 35),
        (Number::Fellows, 40),
        (Number::Symmetric(3), 55),
    ];

    /// Whether the number is a yes or a no.
    pub(super) fn is_truth(self) -> bool {
        matches!(self, Number::Symmetric(_))
    }

    /// The number as a function of an item of the list `@`.
    pub(super) fn text(self) -> String {
        let mirrors = ["hmirror", "vmirror", "dmirror", "cmirror"];
        match self {
            Number::Drawn => format!("compose(size, {DRAWN})"),
            Number::Area => "size".to_owned(),
            Number::Blank => "rbind(colorcount, 0)".to_owned(),
            Number::Height => "height".to_owned(),
            Number::Width => "width".to_owned(),
            Number::Colours => format!("compose(numcolors, {DRAWN})"),
            Number::Colour => MAIN.to_owned(),
            Number::Top => "uppermost".to_owned(),
            Number::Left => "leftmost".to_owned(),
            Number::Bottom => "lowermost".to_owned(),
            Number::Right => "rightmost".to_owned(),
            Number::Symmetric(5) => {
                "fork(equality, identity, compose(hmirror, vmirror))".to_owned()
            }
            Number::Symmetric(k) => {
                let mirror = mirrors[usize::from(k) % mirrors.len()];
                format!("fork(equality, identity, {mirror})")
            }
            Number::Groups => {
                let padded = "fork(vconcat, identity, compose(lbind(canvas, 0), compose(rbind(multiply, (2, 1)), shape)))";
                let groups = "rbind(rbind(rbind(objects, T), T), F)";
                format!("compose(size, compose({groups}, compose({padded}, {GRID})))")
            }
            Number::Hollow => {
                let blank = "compose(rbind(colorfilter, 0), rbind(rbind(rbind(objects, F), F), T))";
                let is_inside = "compose(lbind(compose, flip), lbind(rbind, bordering))";
                format!("compose(size, compose(fork(mfilter, {blank}, {is_inside}), {GRID}))")
            }
            Number::Of(c) => format!("rbind(colorcount, {c})"),
            Number::Twins => among("normalize"),
            Number::Shapes => among(&format!("compose(normalize, compose(toindices, {DRAWN}))")),
            Number::Fellows => among(MAIN),
        }
    }

    /// The numbers of all items. `None` if an item has no such number.
    pub(super) fn of(self, items: &[&Placed]) -> Option<Vec<i32>> {
        match self {
            Number::Twins => Some(counted(items, |it| Some((it.size(), &it.cells)))),
            Number::Shapes => {
                let shape = |it: &&Placed| {
                    let fitted = it.fitted()?;
                    Some(fitted.mapped(|cell| u8::from(cell != 0)))
                };
                let shapes: Option<Vec<Placed>> = items.iter().map(shape).collect();
                let shapes = shapes?;
                let shapes: Vec<&Placed> = shapes.iter().collect();
                Some(counted(&shapes, |it| Some((it.size(), &it.cells))))
            }
            Number::Fellows => {
                let colours: Option<Vec<u8>> = items.iter().map(|it| it.main_colour()).collect();
                let colours = colours?;
                let like = |c: &u8| colours.iter().filter(|it| *it == c).count() as i32;
                Some(colours.iter().map(like).collect())
            }
            _ => items.iter().map(|it| self.one(it)).collect(),
        }
    }

    /// The number of an item alone. `None` if there is none, or it depends on other items.
    pub(super) fn one(self, it: &Placed) -> Option<i32> {
        let (h, w) = it.size();
        Some(match self {
            Number::Drawn => it.n_drawn() as i32,
            Number::Area => (h * w) as i32,
            Number::Blank => (h * w - it.n_drawn()) as i32,
            Number::Height => h as i32,
            Number::Width => w as i32,
            Number::Colours => {
                let used = it.cells.iter().fold(0_u32, |used, cell| used | 1 << cell);
                (used & !1).count_ones() as i32
            }
            Number::Colour => i32::from(it.main_colour()?),
            Number::Top => it.top,
            Number::Left => it.left,
            Number::Bottom => it.top + h as i32 - 1,
            Number::Right => it.left + w as i32 - 1,
            Number::Symmetric(k) => {
                let image = Rigid::ALL.get(usize::from(k))?.of(it)?;
                i32::from(image.size() == it.size() && image.cells == it.cells)
            }
            Number::Groups => n_groups(it),
            Number::Hollow => {
                let outside = outside(it);
                let blank = it.cells.iter().zip(&outside);
                blank.filter(|(cell, out)| **cell == 0 && !**out).count() as i32
            }
            Number::Of(c) => it.cells.iter().filter(|cell| **cell == c).count() as i32,
            Number::Twins | Number::Shapes | Number::Fellows => return None,
        })
    }
}

/// The number of items for which a function gives what it gives for an item.
fn among(function: &str) -> String {
    format!(
        "compose(size, compose(lbind(sfilter, apply({function}, @)), \
         compose(lbind(matcher, identity), {function})))"
    )
}

fn counted<'a, T: PartialEq>(items: &[&'a Placed], seen: impl Fn(&'a Placed) -> T) -> Vec<i32> {
    let seen: Vec<T> = items.iter().map(|it| seen(it)).collect();
    let like = |one: &T| seen.iter().filter(|it| *it == one).count() as i32;
    seen.iter().map(like).collect()
}

/// The number of groups of drawn cells, diagonal neighbours included.
fn n_groups(it: &Placed) -> i32 {
    let (h, w) = it.size();
    let mut is_seen = vec![false; h * w];
    let mut open = Vec::new();
    let mut n = 0;
    for start in 0..h * w {
        if is_seen[start] || it.cells[start] == 0 {
            continue;
        }
        n += 1;
        is_seen[start] = true;
        open.push((start / w, start % w));
        while let Some((i, j)) = open.pop() {
            for a in i.saturating_sub(1)..=(i + 1).min(h - 1) {
                for b in j.saturating_sub(1)..=(j + 1).min(w - 1) {
                    if it.get(a, b) != 0 && !is_seen[a * w + b] {
                        is_seen[a * w + b] = true;
                        open.push((a, b));
                    }
                }
            }
        }
    }
    n
}
