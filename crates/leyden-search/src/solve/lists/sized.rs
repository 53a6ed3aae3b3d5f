//! Steps from a picture to one of the size of the outputs.

use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::{Grid, Puzzle};

use super::super::chain::program_of;
use super::super::sizes::size;
use super::pictures::{MAX_SIDE, Placed};
use super::text::{DRAWN, GRID};

/// The size of the output of each sample, as far as the inputs tell it.
#[derive(Debug)]
pub(super) struct Sizes {
    /// The size as an expression over `I`.
    pub(super) text: String,
    /// The size for each demonstration, then for each test input.
    pub(super) all: Vec<(usize, usize)>,
    /// Whether the outputs have the sizes of the inputs.
    pub(super) are_of_inputs: bool,
}

impl Sizes {
    /// `None` if no formula gives the sizes, or one is no size of a picture.
    pub(super) fn of(puzzle: &Puzzle) -> Option<Sizes> {
        let is_same = |it: &leyden_grid::Pair| it.input.shape() == it.output.shape();
        let are_of_inputs = puzzle.demos.iter().all(is_same);
        let text = if are_of_inputs {
            "shape(I)".to_owned()
        } else {
            size(puzzle)?
        };
        let program = program_of("size", &format!("canvas(0, {text})"))?;
        let shape = |input: &Grid| match Engine::default().run(&program, &Sample::of(input)) {
            Outcome::Grid(shown) => Some(shown.to_grid()?.shape()),
            _ => None,
        };
        let inputs = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs = inputs.chain(&puzzle.test_inputs);
        let all = inputs.map(shape).collect::<Option<Vec<_>>>()?;
        let sides = 1..=MAX_SIDE;
        let fits = |it: &(usize, usize)| sides.contains(&it.0) && sides.contains(&it.1);
        all.iter().all(fits).then_some(Sizes {
            text,
            all,
            are_of_inputs,
        })
    }
}

/// A step that knows the size of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sized {
    /// The cells in their places, cropped or padded.
    InPlace,
    /// At the origin, cropped or padded.
    AtOrigin,
    /// In the middle, cropped or padded.
    Centred,
    /// In the lower right corner.
    AtEnd,
    /// Copies from the origin on, perhaps with blank lines between them.
    Repeated { has_lines: bool },
    /// Copies that are mirror images of each other.
    Mirrored,
    /// Each cell as a block, or each block as a cell.
    Scaled,
    /// The cells one after the other.
    Wrapped {
        is_drawn: bool,
        from_columns: bool,
        to_columns: bool,
    },
}

impl Sized {
    /// The steps with their prices, in tenths of a bit.
    pub(super) fn all() -> Vec<(Sized, u32)> {
        let mut all = vec![
            (Sized::InPlace, 55),
            (Sized::AtOrigin, 55),
            (Sized::Centred, 70),
            (Sized::AtEnd, 80),
            (Sized::Repeated { has_lines: false }, 50),
            (Sized::Repeated { has_lines: true }, 70),
            (Sized::Mirrored, 60),
            (Sized::Scaled, 50),
        ];
        for k in 0..8_u32 {
            let wrapped = Sized::Wrapped {
                is_drawn: k & 1 == 0,
                from_columns: k & 2 != 0,
                to_columns: k & 4 != 0,
            };
            all.push((wrapped, 65 + 5 * k));
        }
        all
    }

    /// The step as an expression over the picture `@`.
    pub(super) fn text(self, size: &str) -> String {
        let on_blank = |cells: &str| format!("asobject(paint(canvas(0, {size}), {cells}))");
        match self {
            Sized::InPlace => on_blank("@"),
            Sized::AtOrigin => on_blank("normalize(@)"),
            Sized::Centred => on_blank(&format!(
                "shift(normalize(@), divide(subtract({size}, shape(@)), 2))"
            )),
            Sized::AtEnd => on_blank(&format!("shift(normalize(@), subtract({size}, shape(@)))")),
            Sized::Repeated { has_lines } => {
                let step = if has_lines {
                    "increment(shape(@))"
                } else {
                    "shape(@)"
                };
                on_blank(&copies_text("normalize(@)", step, size))
            }
            Sized::Mirrored => {
                let mirrored = format!(
                    "asobject(compose(fork(vconcat, identity, hmirror), fork(hconcat, identity, \
                     vmirror))({GRID}(@)))"
                );
                on_blank(&copies_text(&mirrored, "double(shape(@))", size))
            }
            Sized::Scaled => format!(
                "apply(fork(astuple, compose(lbind(index, {GRID}(@)), compose(rbind(divide, \
                 {size}), lbind(multiply, shape(@)))), identity), asindices(canvas(0, {size})))"
            ),
            Sized::Wrapped {
                is_drawn,
                from_columns,
                to_columns,
            } => {
                let cells = if is_drawn {
                    format!("{DRAWN}(@)")
                } else {
                    "@".to_owned()
                };
                let from = if from_columns {
                    "compose(fork(astuple, last, first), last)"
                } else {
                    "last"
                };
                let to = if to_columns {
                    "fork(astuple, last, first)"
                } else {
                    "identity"
                };
                on_blank(&format!(
                    "apply(fork(astuple, compose(first, first), last), pair(order({cells}, \
                     {from}), order(asindices(canvas(0, {size})), {to})))"
                ))
            }
        }
    }

    /// Makes the step. `None` if it is not possible.
    pub(super) fn of(self, it: &Placed, size: (usize, usize)) -> Option<Placed> {
        let (h, w) = it.size();
        let at = |i: i32, j: i32| it.at(it.top + i, it.left + j);
        let shifted = |down: i32, right: i32| {
            Placed::drawn((0, 0), size, |i, j| at(i as i32 - down, j as i32 - right))
        };
        let room = |side: usize, own: usize| side as i32 - own as i32;
        let (down, right) = (room(size.0, h), room(size.1, w));
        match self {
            Sized::InPlace => shifted(it.top, it.left),
            Sized::AtOrigin => shifted(0, 0),
            Sized::Centred => shifted(down.div_euclid(2), right.div_euclid(2)),
            Sized::AtEnd => shifted(down, right),
            Sized::Repeated { has_lines } => {
                let more = usize::from(has_lines);
                Placed::drawn((0, 0), size, |i, j| {
                    at((i % (h + more)) as i32, (j % (w + more)) as i32)
                })
            }
            Sized::Mirrored => {
                let folded = |k: usize, n: usize| {
                    let k = k % (2 * n);
                    if k < n { k } else { 2 * n - 1 - k }
                };
                let is_small = 2 * h <= MAX_SIDE && 2 * w <= MAX_SIDE;
                is_small.then(|| {
                    Placed::drawn((0, 0), size, |i, j| it.get(folded(i, h), folded(j, w)))
                })?
            }
            Sized::Scaled => {
                Placed::drawn((0, 0), size, |i, j| it.get(i * h / size.0, j * w / size.1))
            }
            Sized::Wrapped {
                is_drawn,
                from_columns,
                to_columns,
            } => {
                let place = |k: usize, h: usize, w: usize, by_columns: bool| {
                    if by_columns {
                        (k % h, k / h)
                    } else {
                        (k / w, k % w)
                    }
                };
                let mut wrapped = Placed::blank((0, 0), size)?;
                let mut next = 0;
                for k in 0..h * w {
                    let (i, j) = place(k, h, w, from_columns);
                    if is_drawn && it.get(i, j) == 0 {
                        continue;
                    }
                    if next == size.0 * size.1 {
                        break;
                    }
                    let (a, b) = place(next, size.0, size.1, to_columns);
                    wrapped.set(a, b, it.get(i, j));
                    next += 1;
                }
                Some(wrapped)
            }
        }
    }
}

/// Copies of some cells at all multiples of a step that are in a picture of this size.
fn copies_text(cells: &str, step: &str, size: &str) -> String {
    let times = |side: &str, of: &str| {
        format!("interval(0, increment(divide({side}({size}), {of}({step}))), 1)")
    };
    let (rows, columns) = (times("first", "first"), times("last", "last"));
    format!(
        "mapply(compose(lbind(shift, {cells}), lbind(multiply, {step})), product({rows}, {columns}))"
    )
}
