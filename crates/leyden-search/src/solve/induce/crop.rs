//! Outputs that are one object of the input, cut out.

use leyden_grid::{Grid, Pair, Puzzle};

use super::super::bits::Bits;
use super::field::{Field, Mask};
use super::learn::conjunctions;
use super::words::{Kind, NO_OBJECT};
use super::{Idea, UNFORESEEN_COST};

/// The cost of cutting out, in addition to the choice of the object.
const CROP_COST: u32 = 2;
/// The largest number of ideas.
const MAX_CELLS_IDEAS: usize = 10;

/// The smallest rectangle around an object.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Frame {
    top: i8,
    left: i8,
    bottom: i8,
    right: i8,
}

impl Frame {
    fn size(self) -> (usize, usize) {
        let (top, left) = (self.top as usize, self.left as usize);
        (
            self.bottom as usize + 1 - top,
            self.right as usize + 1 - left,
        )
    }
}

/// A way to turn an object into a picture.
#[derive(Clone, Copy)]
enum Cut {
    /// The object's rectangle.
    Rectangle,
    /// The object alone on black.
    Alone,
    /// The object's rectangle, turned or mirrored.
    Turned(&'static str),
    /// The object's rectangle without the edge.
    Inside,
}

const CUTS: [Cut; 10] = [
    Cut::Rectangle,
    Cut::Alone,
    Cut::Inside,
    Cut::Turned("rot90"),
    Cut::Turned("rot180"),
    Cut::Turned("rot270"),
    Cut::Turned("hmirror"),
    Cut::Turned("vmirror"),
    Cut::Turned("dmirror"),
    Cut::Turned("cmirror"),
];

impl Cut {
    fn text(self, object: &str) -> String {
        match self {
            Cut::Rectangle => format!("subgrid({object}, I)"),
            Cut::Alone => format!("paint(canvas(0, shape({object})), normalize({object}))"),
            Cut::Turned(how) => format!("{how}(subgrid({object}, I))"),
            Cut::Inside => format!("trim(subgrid({object}, I))"),
        }
    }

    fn cost(self) -> u32 {
        match self {
            Cut::Rectangle => 0,
            Cut::Alone => 1,
            Cut::Turned(_) | Cut::Inside => 2,
        }
    }

    /// The source of row `i`, column `j` of the result in a rectangle of this size.
    fn origin(self, (i, j): (usize, usize), (height, width): (usize, usize)) -> (usize, usize) {
        let (last_row, last_column) = (height.wrapping_sub(1), width.wrapping_sub(1));
        match self {
            Cut::Rectangle | Cut::Alone => (i, j),
            Cut::Inside => (i + 1, j + 1),
            Cut::Turned("rot90") => (last_row.wrapping_sub(j), i),
            Cut::Turned("rot180") => (last_row.wrapping_sub(i), last_column.wrapping_sub(j)),
            Cut::Turned("rot270") => (j, last_column.wrapping_sub(i)),
            Cut::Turned("hmirror") => (last_row.wrapping_sub(i), j),
            Cut::Turned("vmirror") => (i, last_column.wrapping_sub(j)),
            Cut::Turned("dmirror") => (j, i),
            Cut::Turned(_) => (last_row.wrapping_sub(j), last_column.wrapping_sub(i)),
        }
    }

    /// The size of the result.
    fn size(self, (height, width): (usize, usize)) -> (usize, usize) {
        match self {
            Cut::Turned("rot90" | "rot270" | "dmirror" | "cmirror") => (width, height),
            Cut::Inside => (height.saturating_sub(2), width.saturating_sub(2)),
            _ => (height, width),
        }
    }
}

/// Rules that choose the object, for every set of objects and every way to cut.
pub(super) fn ideas(puzzle: &Puzzle, field: &Field<'_>) -> Vec<Idea> {
    let mut ideas = Vec::new();
    for set in 0..field.words.objects.len() {
        let Some(frames) = frames(field, set) else {
            continue;
        };
        let chosen = CUTS.map(|cut| (cut, Choice::new(puzzle, field, &frames, cut)));
        if field.is_over() || chosen.iter().all(|(_, choice)| choice.is_none()) {
            continue;
        }
        let is_asked = |kind| kind == Kind::Number(set) || kind == Kind::Test(set);
        let masks = field.masks(is_asked);
        for (cut, choice) in chosen {
            if field.is_over() {
                return ideas;
            }
            ideas.extend(
                choice
                    .iter()
                    .flat_map(|choice| choice.ideas(field, &masks, set, cut)),
            );
        }
    }
    ideas
}

/// Rules that name the cells around which to cut, in the input or in a picture of its size.
pub(super) fn around_cells(puzzle: &Puzzle, field: &Field<'_>) -> Vec<Idea> {
    let pictures = field.said.iter().zip(&field.words.all);
    let pictures = pictures.filter(|(_, word)| word.kind == Kind::Picture);
    let pictures =
        pictures.filter_map(|(said, word)| Some((word.text.as_str(), word.cost, said.as_deref()?)));
    let input = ("I", 0, field.input.as_slice());
    let pictures: Vec<(&str, u32, &[i8])> = std::iter::once(input).chain(pictures).collect();
    let mut ideas = Vec::new();
    for mask in field.masks(|_| true) {
        if field.is_over() {
            break;
        }
        let frame = |(demo, pair): (usize, &Pair)| {
            let frame = frame_of(&mask.bits, field.samples[demo])?;
            let size = (pair.output.height(), pair.output.width());
            (frame.size() == size).then_some(frame)
        };
        let frames: Option<Vec<Frame>> = puzzle.demos.iter().enumerate().map(frame).collect();
        let Some(frames) = frames else { continue };
        for (text, cost, values) in &pictures {
            let is_right = |(demo, pair): (usize, &Pair)| {
                is_cut_out(values, field.samples[demo], frames[demo], &pair.output)
            };
            if puzzle.demos.iter().enumerate().all(is_right) {
                let text = format!("subgrid({}, {})", field.mask_text(&mask), field.here(text));
                let cost = CROP_COST + mask.cost + cost;
                ideas.push(Idea {
                    text,
                    cost,
                    picture: None,
                    before: None,
                    is_whole: true,
                });
            }
        }
    }
    ideas.sort_by_key(|idea| idea.cost);
    ideas.truncate(MAX_CELLS_IDEAS);
    ideas
}

/// The smallest rectangle around the cells in a sample.
fn frame_of(cells: &Bits, (height, width, first): (usize, usize, usize)) -> Option<Frame> {
    let here = (0..height * width).filter(|k| cells.has(first + k));
    let frame = |k: usize| Frame {
        top: (k / width) as i8,
        left: (k % width) as i8,
        bottom: (k / width) as i8,
        right: (k % width) as i8,
    };
    here.map(frame).reduce(|a, b| Frame {
        top: a.top.min(b.top),
        left: a.left.min(b.left),
        bottom: a.bottom.max(b.bottom),
        right: a.right.max(b.right),
    })
}

/// Whether a rectangle of a picture shows this grid.
fn is_cut_out(
    values: &[i8],
    (_, width, first): (usize, usize, usize),
    frame: Frame,
    output: &Grid,
) -> bool {
    let rows = output.rows().enumerate();
    let mut cells = rows.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, v)| (i, j, *v)));
    cells.all(|(i, j, colour)| {
        let (i, j) = (frame.top as usize + i, frame.left as usize + j);
        values[first + i * width + j] == colour as i8
    })
}

/// Rules that always cut out one place, counted from a corner.
pub(super) fn fixed(puzzle: &Puzzle) -> Vec<Idea> {
    let Some(first) = puzzle.demos.first() else {
        return Vec::new();
    };
    let size = (first.output.height(), first.output.width());
    let turns = ["I", "vmirror(I)", "hmirror(I)", "rot180(I)"];
    let mut ideas = Vec::new();
    for (turn, text) in turns.iter().enumerate() {
        let places =
            (0..first.input.height()).flat_map(|i| (0..first.input.width()).map(move |j| (i, j)));
        for (top, left) in places {
            if puzzle
                .demos
                .iter()
                .all(|pair| is_fixed_cut(pair, turn, (top, left), size))
            {
                let (height, width) = size;
                let cut =
                    format!("crop({text}, astuple({top}, {left}), astuple({height}, {width}))");
                let inner = text.trim_end_matches("(I)");
                let text = if turn == 0 {
                    cut
                } else {
                    format!("{inner}({cut})")
                };
                let cost = CROP_COST + 2 + u32::from(top > 0) + u32::from(left > 0) + turn as u32;
                ideas.push(Idea {
                    text,
                    cost,
                    picture: None,
                    before: None,
                    is_whole: true,
                });
            }
        }
    }
    ideas
}

fn is_fixed_cut(
    pair: &Pair,
    turn: usize,
    (top, left): (usize, usize),
    (height, width): (usize, usize),
) -> bool {
    let (input, output) = (&pair.input, &pair.output);
    if (output.height(), output.width()) != (height, width) {
        return false;
    }
    let (is_right, is_bottom) = (turn % 2 == 1, turn >= 2);
    let from_end = |is_far: bool, k: usize, n: usize| {
        if is_far {
            n.wrapping_sub(1).wrapping_sub(k)
        } else {
            k
        }
    };
    let mut cells = (0..height).flat_map(|i| (0..width).map(move |j| (i, j)));
    cells.all(|(i, j)| {
        let from_i = from_end(
            is_bottom,
            top + from_end(is_bottom, i, height),
            input.height(),
        );
        let from_j = from_end(is_right, left + from_end(is_right, j, width), input.width());
        input.get(from_i, from_j) == output.get(i, j)
    })
}

/// For each cell the rectangle of its object.
fn frames(field: &Field<'_>, set: usize) -> Option<Vec<Option<Frame>>> {
    let said = |text: &str| {
        let is_it = |k: &usize| {
            let word = &field.words.all[*k];
            word.kind == Kind::Number(set) && word.text == text
        };
        let word = (0..field.words.all.len()).find(is_it)?;
        field.said[word].as_deref()
    };
    let (top, left) = (said("uppermost")?, said("leftmost")?);
    let (bottom, right) = (said("lowermost")?, said("rightmost")?);
    let frame = |k: usize| Frame {
        top: top[k],
        left: left[k],
        bottom: bottom[k],
        right: right[k],
    };
    let frame = |k: usize| (top[k] != NO_OBJECT).then(|| frame(k));
    Some((0..field.n_bits).map(frame).collect())
}

/// The objects that are the outputs, and those that are not.
struct Choice {
    /// The right objects, only of demonstrations where exactly one object fits.
    need: Bits,
    forbidden: Bits,
}

impl Choice {
    fn new(
        puzzle: &Puzzle,
        field: &Field<'_>,
        frames: &[Option<Frame>],
        cut: Cut,
    ) -> Option<Choice> {
        let mut choice = Choice {
            need: Bits::none(field.n_bits),
            forbidden: Bits::none(field.n_bits),
        };
        for (demo, pair) in puzzle.demos.iter().enumerate() {
            let (_, width, first) = field.samples[demo];
            let cells = first..first + pair.input.cells().len();
            let mut good: Vec<Frame> = Vec::new();
            let mut known: Vec<Frame> = Vec::new();
            for frame in frames[cells.clone()].iter().flatten() {
                if known.contains(frame) {
                    continue;
                }
                known.push(*frame);
                let at = |i: usize, j: usize| frames[first + i * width + j] == Some(*frame);
                if is_cut(&pair.input, &pair.output, *frame, cut, at) {
                    good.push(*frame);
                }
            }
            if good.is_empty() {
                return None;
            }
            for k in cells {
                match frames[k] {
                    Some(frame) if !good.contains(&frame) => choice.forbidden.set(k),
                    Some(_) if good.len() == 1 => choice.need.set(k),
                    _ => {}
                }
            }
        }
        Some(choice).filter(|choice| !choice.need.is_empty())
    }

    fn ideas(&self, field: &Field<'_>, masks: &[Mask], set: usize, cut: Cut) -> Vec<Idea> {
        let all = Bits::of(field.n_bits, |_| true);
        let set_text = &field.words.objects[set].text;
        let more = UNFORESEEN_COST * self.n_unforeseen(field, masks, &all);
        let found = conjunctions(masks, &self.need, &self.forbidden, &all);
        let ideas = found.into_iter().map(|found| {
            let tests = found
                .masks
                .iter()
                .filter_map(|k| field.test_text(&masks[*k]));
            let test = tests.reduce(|a, b| format!("fork(both, {a}, {b})"));
            let object = match test {
                Some(test) => format!("extract({set_text}, {test})"),
                None => format!("first({set_text})"),
            };
            Idea {
                text: field.here(&cut.text(&object)),
                cost: CROP_COST + cut.cost() + found.cost + more,
                picture: None,
                before: None,
                is_whole: true,
            }
        });
        ideas.collect()
    }

    /// The number of demonstrations that would be wrong if they were left out.
    fn n_unforeseen(&self, field: &Field<'_>, masks: &[Mask], all: &Bits) -> u32 {
        let is_foreseen = |demo: usize| {
            let range = field.ranges().nth(demo).unwrap_or(0..0);
            let here = Bits::of(field.n_bits, |k| range.contains(&k));
            let (need, forbidden) = (self.need.without(&here), self.forbidden.without(&here));
            let found = conjunctions(masks, &need, &forbidden, all);
            found.first().is_some_and(|found| {
                let bits = found.bits.and(&here);
                self.need.and(&here).is_within(&bits) && !bits.meets(&self.forbidden)
            })
        };
        (0..field.n_demos)
            .filter(|demo| !field.is_over() && !is_foreseen(*demo))
            .count() as u32
    }
}

/// Whether the output is this object, cut out in this way.
fn is_cut(
    input: &Grid,
    output: &Grid,
    frame: Frame,
    cut: Cut,
    is_part: impl Fn(usize, usize) -> bool,
) -> bool {
    let (top, left) = (frame.top as usize, frame.left as usize);
    let size = (
        frame.bottom as usize + 1 - top,
        frame.right as usize + 1 - left,
    );
    if cut.size(size) != (output.height(), output.width()) {
        return false;
    }
    let colour = |i: usize, j: usize| match cut {
        Cut::Alone if !is_part(i, j) => Some(0),
        _ => input.get(i, j),
    };
    let cells = (0..output.height()).flat_map(|i| (0..output.width()).map(move |j| (i, j)));
    cells.into_iter().all(|(i, j)| {
        let (from_i, from_j) = cut.origin((i, j), size);
        colour(top.wrapping_add(from_i), left.wrapping_add(from_j)) == output.get(i, j)
    })
}
