//! Symmetries that complete a picture: each with a kernel and an arc-dsl text.

use std::fmt::Write;

use super::partial::{Partial, UNKNOWN, Vector};

/// The reach of turned images around the middle, in rows and columns.
const NEARBY: i32 = 4;
/// The reach of diagonal mirrors and steps.
const SLANTING: i32 = 15;
/// The reach of images around an object.
const NEAR_OBJECT: i32 = 6;
/// A picture supports an image if its known cells agree with more than this part of them.
const SUPPORT: i64 = 10;
/// The number of agreeing cells that outweigh a cell that disagrees.
const EXACT: i64 = 1000;
const NOISY: i64 = 20;
/// The number of steps, each twice as far, that reach all of a picture.
const N_DOUBLINGS: i32 = 5;

/// The known cells of a picture, in arc-dsl.
pub(super) const KNOWN: &str =
    "compose(rbind(sfilter, compose(flip, matcher(first, 0))), asobject)";

/// A flip or turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flip {
    UpsideDown,
    LeftRight,
    Diagonal,
    Counter,
    Half,
    Quarter,
}

impl Flip {
    const ALL: [Flip; 6] = [
        Flip::UpsideDown,
        Flip::LeftRight,
        Flip::Diagonal,
        Flip::Counter,
        Flip::Half,
        Flip::Quarter,
    ];

    fn text(self) -> &'static str {
        match self {
            Flip::UpsideDown => "hmirror",
            Flip::LeftRight => "vmirror",
            Flip::Diagonal => "dmirror",
            Flip::Counter => "cmirror",
            Flip::Half => "rot180",
            Flip::Quarter => "rot90",
        }
    }

    pub(super) fn of(self, picture: &Partial) -> Partial {
        let (h, w) = (picture.height, picture.width);
        let size = match self {
            Flip::UpsideDown | Flip::LeftRight | Flip::Half => (h, w),
            Flip::Diagonal | Flip::Counter | Flip::Quarter => (w, h),
        };
        Partial::drawn(size, |i, j| match self {
            Flip::UpsideDown => picture.get(h - 1 - i, j),
            Flip::LeftRight => picture.get(i, w - 1 - j),
            Flip::Half => picture.get(h - 1 - i, w - 1 - j),
            Flip::Diagonal => picture.get(j, i),
            Flip::Counter => picture.get(h - 1 - j, w - 1 - i),
            Flip::Quarter => picture.get(h - 1 - j, i),
        })
    }

    /// The shifts of the image of an object.
    fn shifts_of_object(self) -> Shifts {
        match self.shifts() {
            Shifts::Near(way, _) => Shifts::Near(way, NEAR_OBJECT),
            other => other,
        }
    }

    /// The shifts of the image, the smallest first.
    fn shifts(self) -> Shifts {
        match self {
            Flip::UpsideDown => Shifts::Near(Way::Down, 29),
            Flip::LeftRight => Shifts::Near(Way::Right, 29),
            Flip::Diagonal => Shifts::Near(Way::Rising, SLANTING),
            Flip::Counter => Shifts::Near(Way::Falling, SLANTING),
            Flip::Half | Flip::Quarter => Shifts::Around,
        }
    }
}

/// A direction of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Down,
    Right,
    Falling,
    Rising,
}

impl Way {
    const ALL: [Way; 4] = [Way::Right, Way::Down, Way::Falling, Way::Rising];

    fn vector(self, n: i32) -> Vector {
        match self {
            Way::Down => (n, 0),
            Way::Right => (0, n),
            Way::Falling => (n, n),
            Way::Rising => (n, -n),
        }
    }

    /// The function that makes a vector of a number.
    fn text(self) -> &'static str {
        match self {
            Way::Down => "toivec",
            Way::Right => "tojvec",
            Way::Falling => "fork(astuple, identity, identity)",
            Way::Rising => "fork(astuple, identity, invert)",
        }
    }

    /// The side of a picture that steps cross, and its arc-dsl.
    fn side(self, picture: &Partial) -> usize {
        match self {
            Way::Down => picture.height,
            Way::Right => picture.width,
            Way::Falling | Way::Rising => picture.height.max(picture.width),
        }
    }

    fn side_text(self, picture: &str) -> String {
        match self {
            Way::Down => format!("height({picture})"),
            Way::Right => format!("width({picture})"),
            Way::Falling | Way::Rising => format!("maximum(shape({picture}))"),
        }
    }
}

/// The direction of diagonal stripes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slant {
    Falling,
    Rising,
}

impl Slant {
    /// The number of the line of a place.
    fn line(self, (i, j): Vector) -> i32 {
        match self {
            Slant::Falling => i - j,
            Slant::Rising => i + j,
        }
    }

    /// The number of the line of a place, and the way along a line, in arc-dsl.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Slant::Falling => ("fork(subtract, first, last)", "(1, 1)"),
            Slant::Rising => ("fork(add, first, last)", "(-1, 1)"),
        }
    }
}

/// Shifts in the order in which they are tried.
#[derive(Clone, Copy, Debug)]
enum Shifts {
    /// Both ways and none at all, the smallest first.
    Near(Way, i32),
    /// One way, the smallest first.
    Onward(Way, i32),
    /// A square around none.
    Around,
}

impl Shifts {
    fn all(self) -> Vec<Vector> {
        match self {
            Shifts::Near(way, far) => {
                let numbers = (1..=far).flat_map(|n| [-n, n]);
                let numbers = std::iter::once(0).chain(numbers);
                numbers.map(|n| way.vector(n)).collect()
            }
            Shifts::Onward(way, far) => (1..=far).map(|n| way.vector(n)).collect(),
            Shifts::Around => {
                let side = || -NEARBY..=NEARBY;
                side().flat_map(|i| side().map(move |j| (i, j))).collect()
            }
        }
    }

    fn text(self) -> String {
        match self {
            Shifts::Near(way, far) => format!(
                "apply({}, order(interval({}, {}, 1), fork(multiply, identity, identity)))",
                way.text(),
                -far,
                far + 1
            ),
            Shifts::Onward(way, far) => {
                format!("apply({}, interval(1, {}, 1))", way.text(), far + 1)
            }
            Shifts::Around => {
                let side = format!("interval({}, {}, 1)", -NEARBY, NEARBY + 1);
                format!("order(product({side}, {side}), identity)")
            }
        }
    }
}

/// A symmetry that completes a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The image goes where it agrees best.
    Mirror(Flip, i64),
    /// Copies go on in steps of the length that agrees best.
    Often(Way),
    /// Copies go on in the smallest steps that contradict nothing.
    Least(Way),
    /// All lines have one colour, and repeat in the smallest steps that contradict nothing.
    Stripes(Slant),
    /// The image of each object goes where it agrees best with the object.
    Each(Flip),
}

impl Fold {
    /// Folds that follow each other, with their price in units of the cost of moves.
    pub(super) fn all() -> Vec<(Vec<Fold>, u32)> {
        let mirrors = Flip::ALL.map(|flip| Fold::Mirror(flip, EXACT));
        let alone = Fold::each_alone().into_iter();
        let alone = alone.map(|fold| (vec![fold], fold.cost()));
        // Pictures with one mirror often have all four.
        let all = (mirrors[..4].to_vec(), 3);
        std::iter::once(all).chain(alone).collect()
    }

    /// All folds. The cheapest come first.
    pub(super) fn each_alone() -> Vec<Fold> {
        let least = Way::ALL.map(Fold::Least);
        let mirrors = Flip::ALL.map(|flip| Fold::Mirror(flip, EXACT));
        let often = Way::ALL.map(Fold::Often);
        let noisy = Flip::ALL.map(|flip| Fold::Mirror(flip, NOISY));
        let stripes = [Slant::Falling, Slant::Rising].map(Fold::Stripes);
        let exact = least.into_iter().chain(mirrors).chain(stripes);
        let objects = Flip::ALL[..4].iter().map(|flip| Fold::Each(*flip));
        exact.chain(objects).chain(noisy).chain(often).collect()
    }

    /// Whether it tolerates cells that disagree.
    pub(super) fn is_noisy(self) -> bool {
        matches!(self, Fold::Mirror(_, NOISY) | Fold::Often(_))
    }

    fn cost(self) -> u32 {
        match self {
            Fold::Mirror(Flip::UpsideDown | Flip::LeftRight, EXACT)
            | Fold::Least(Way::Down | Way::Right) => 2,
            Fold::Mirror(_, EXACT) | Fold::Least(_) | Fold::Stripes(_) => 3,
            _ => 4,
        }
    }

    /// The completed picture; `None` if the text of the fold has no result.
    pub(super) fn of(self, picture: &Partial) -> Option<Partial> {
        match self {
            Fold::Mirror(flip, weight) => {
                let image = flip.of(picture);
                let Some(shift) = best(picture, &image, flip.shifts(), weight) else {
                    return Some(picture.clone());
                };
                Some(picture.laid_over(&image, shift))
            }
            Fold::Often(way) => {
                let shifts = Shifts::Onward(way, 29);
                let Some((down, right)) = best(picture, picture, shifts, NOISY) else {
                    return Some(picture.clone());
                };
                let mut made = picture.clone();
                for k in 0..N_DOUBLINGS {
                    let far = 1 << k;
                    for sign in [far, -far] {
                        made = made.laid_over(&made, (sign * down, sign * right));
                    }
                }
                Some(made)
            }
            Fold::Least(way) => {
                let side = way.side(picture);
                (1..side).find_map(|n| repeated(picture, way, n))
            }
            Fold::Stripes(slant) => striped(picture, slant),
            Fold::Each(flip) => each(picture, flip),
        }
    }

    /// The number of cells that the kernel looks at.
    pub(super) fn work(self, picture: &Partial) -> u64 {
        let n_shifts = match self {
            Fold::Mirror(flip, _) => flip.shifts().all().len(),
            _ => 30,
        };
        (n_shifts * picture.cells.len()) as u64
    }

    /// Lines of arc-dsl that make the picture `pK` of the one before.
    pub(super) fn text(self, k: usize) -> String {
        let before = format!("p{}", k - 1);
        let mut text = format!("k{k} = {KNOWN}({before})\n");
        match self {
            Fold::Mirror(flip, weight) => {
                text += &format!("m{k} = {KNOWN}({}({before}))\n", flip.text());
                text += &best_text(k, &format!("m{k}"), flip.shifts(), weight);
                let laid =
                    format!("paint(paint(canvas(0, shape({before})), shift(m{k}, v{k})), k{k})");
                text += &format!("p{k} = branch(b{k}, {laid}, {before})\n");
            }
            Fold::Often(way) => {
                text += &best_text(k, &format!("k{k}"), Shifts::Onward(way, 29), NOISY);
                let mut last = before.clone();
                for n in 0..N_DOUBLINGS {
                    for (sign, name) in [(1 << n, "f"), (-(1 << n), "g")] {
                        let known = format!("{KNOWN}({last})");
                        let image = format!("shift({known}, multiply(v{k}, {sign}))");
                        let name = format!("{name}{k}x{n}");
                        let _ = writeln!(
                            text,
                            "{name} = paint(paint(canvas(0, shape({before})), {image}), {known})"
                        );
                        last = name;
                    }
                }
                text += &format!("p{k} = branch(b{k}, {last}, {before})\n");
            }
            Fold::Least(way) => {
                let (side, vector) = (way.side_text(&before), way.text());
                let _ = writeln!(text, "s{k} = {side}");
                text += &least_text(k, &format!("k{k}"), vector);
                text += &format!("p{k} = paint(canvas(0, shape({before})), c{k}(n{k}))\n");
            }
            Fold::Stripes(slant) => {
                let (line, way) = slant.texts();
                // Each line as a cell in one column.
                let _ = writeln!(
                    text,
                    "l{k} = apply(fork(astuple, first, chain(toivec, {line}, last)), k{k})\n\
                     s{k} = add(height({before}), width({before}))"
                );
                text += &least_text(k, &format!("l{k}"), "toivec");
                let _ = writeln!(
                    text,
                    "p{k} = paint(canvas(0, shape({before})), mapply(fork(recolor, first, \
                     compose(rbind(shoot, {way}), last)), c{k}(n{k})))"
                );
            }
            Fold::Each(flip) => text += &each_text(k, flip),
        }
        text
    }
}

/// The first of the shifts with the best score, if the picture supports it.
fn best(picture: &Partial, image: &Partial, shifts: Shifts, weight: i64) -> Option<Vector> {
    let (score, shift) = best_of(picture, image, &shifts.all(), weight)?;
    let least = picture.n_known() as i64 / SUPPORT;
    (score > least).then_some(shift)
}

/// The best score of a shift, and the first such shift.
fn best_of(
    picture: &Partial,
    image: &Partial,
    shifts: &[Vector],
    weight: i64,
) -> Option<(i64, Vector)> {
    let mut best: Option<(i64, Vector)> = None;
    for shift in shifts {
        let (n_both, n_equal) = picture.overlap(image, *shift);
        let score = (weight + 1) * n_equal - weight * n_both;
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, *shift));
        }
    }
    best
}

/// Lines for the copies `c` of cells in steps of a length, and the least length `n` up to `s` at
/// which they contradict nothing.
fn least_text(k: usize, cells: &str, vector: &str) -> String {
    // A set of vectors, so that equal cells of several copies count once.
    format!(
        "a{k} = lbind(lbind(interval, 0), s{k})\n\
         b{k} = compose(lbind(apply, {vector}), fork(lbind(prapply, subtract), a{k}, a{k}))\n\
         c{k} = compose(lbind(mapply, lbind(shift, {cells})), b{k})\n\
         n{k} = extract(interval(1, s{k}, 1), compose(fork(equality, size, compose(size, \
         toindices)), c{k}))\n"
    )
}

/// Lines for the best shift `v`, and whether the picture supports it.
fn best_text(k: usize, image: &str, shifts: Shifts, weight: i64) -> String {
    let agreeing =
        format!("compose(size, compose(lbind(intersection, k{k}), lbind(shift, {image})))");
    let common = format!(
        "compose(size, compose(lbind(intersection, toindices(k{k})), lbind(shift, \
         toindices({image}))))"
    );
    format!(
        "s{k} = fork(subtract, compose(rbind(multiply, {}), {agreeing}), compose(rbind(multiply, \
         {weight}), {common}))\n\
         v{k} = argmax({}, s{k})\n\
         b{k} = greater(s{k}(v{k}), divide(size(k{k}), {SUPPORT}))\n",
        weight + 1,
        shifts.text(),
    )
}

/// The picture with copies of each cell in steps of a length; `None` if two of them contradict.
fn repeated(picture: &Partial, way: Way, n: usize) -> Option<Partial> {
    let (h, w) = (picture.height as i32, picture.width as i32);
    let (down, right) = way.vector(n as i32);
    let is_inside = |(i, j): Vector| (0..h).contains(&i) && (0..w).contains(&j);
    let at = |(i, j): Vector| (i * w + j) as usize;
    let mut made = picture.clone();
    for i in 0..h {
        for j in 0..w {
            if is_inside((i - down, j - right)) {
                continue;
            }
            let chain = |k: i32| (i + k * down, j + k * right);
            let places = || (0..).map(chain).take_while(|place| is_inside(*place));
            let mut colour = UNKNOWN;
            for place in places() {
                let cell = picture.cells[at(place)];
                if cell != UNKNOWN && colour != UNKNOWN && cell != colour {
                    return None;
                }
                colour = colour.max(cell);
            }
            places().for_each(|place| made.cells[at(place)] = colour);
        }
    }
    Some(made)
}

/// The picture with the image of each object; `None` if images contradict each other, or if an
/// unknown cell is not the most frequent one, so that arc-dsl would find other objects.
fn each(picture: &Partial, flip: Flip) -> Option<Partial> {
    let mut counts = [0_usize; 16];
    picture
        .cells
        .iter()
        .for_each(|cell| counts[usize::from(*cell & 15)] += 1);
    if counts[1..]
        .iter()
        .any(|n| *n >= counts[usize::from(UNKNOWN)])
    {
        return None;
    }
    let mut images = Partial::drawn((picture.height, picture.width), |_, _| UNKNOWN);
    for (object, corner) in picture.objects() {
        let image = flip.of(&object);
        let shifts = flip.shifts_of_object().all();
        let (_, (down, right)) = best_of(&object, &image, &shifts, EXACT)?;
        let place = (corner.0 + down, corner.1 + right);
        if images.overlap(&image, place).0 != images.overlap(&image, place).1 {
            return None;
        }
        images = images.laid_over(&image, place);
    }
    Some(picture.laid_over(&images, (0, 0)))
}

fn each_text(k: usize, flip: Flip) -> String {
    let before = format!("p{}", k - 1);
    let image = format!("fork(shift, compose({}, first), last)", flip.text());
    let cells = |of: &str| format!("compose(toindices, {of})");
    let (first, second) = (cells("first"), cells(&format!("i{k}")));
    format!(
        "v{k} = {}\n\
         i{k} = {image}\n\
         a{k} = compose(size, fork(intersection, first, i{k}))\n\
         o{k} = compose(size, fork(intersection, {first}, {second}))\n\
         s{k} = fork(subtract, compose(rbind(multiply, {}), a{k}), compose(rbind(multiply, \
         {EXACT}), o{k}))\n\
         g{k} = compose(rbind(apply, v{k}), lbind(lbind, astuple))\n\
         b{k} = chain(i{k}, rbind(argmax, s{k}), g{k})\n\
         m{k} = mapply(b{k}, objects({before}, F, T, T))\n\
         p{k} = paint(paint(canvas(0, shape({before})), m{k}), k{k})\n",
        flip.shifts_of_object().text(),
        EXACT + 1,
    )
}

/// The picture in diagonal stripes; `None` if each number of stripes contradicts it.
fn striped(picture: &Partial, slant: Slant) -> Option<Partial> {
    let (h, w) = (picture.height, picture.width);
    let places = (0..h as i32).flat_map(|i| (0..w as i32).map(move |j| (i, j)));
    let lines: Vec<i32> = places.map(|place| slant.line(place)).collect();
    'counts: for n in 1..(h + w) as i32 {
        let mut colours = vec![UNKNOWN; n as usize];
        for (line, cell) in lines.iter().zip(&picture.cells) {
            let colour = &mut colours[line.rem_euclid(n) as usize];
            if *cell != UNKNOWN && *colour != UNKNOWN && cell != colour {
                continue 'counts;
            }
            *colour = (*colour).max(*cell);
        }
        let mut made = picture.clone();
        for (line, cell) in lines.iter().zip(&mut made.cells) {
            *cell = colours[line.rem_euclid(n) as usize];
        }
        return Some(made);
    }
    None
}
