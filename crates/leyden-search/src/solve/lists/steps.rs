//! The table of steps, with their prices.

use std::ops::Range;

use leyden_grid::Puzzle;

use super::bars::Bar;
use super::beside::Beside;
use super::join::{Choice, Join, Many, order_text};
use super::number::Number;
use super::one::{One, Rigid, Side};
use super::rims::Rim;
use super::sized::{Sized, Sizes};
use super::smears::{Between, Growth, Trails};
use super::split::{Objects, Split, Times};

/// The price of a map over a list, in addition to that of its step, in tenths of a bit.
const MAP_COST: u32 = 25;
/// The price of a step that looks at the input, too.
const BESIDE_COST: u32 = 50;
const FILTER_COST: u32 = 40;
const BORDERING_COST: u32 = 70;
const PICK_COST: u32 = 30;
const ORDER_COST: u32 = 45;
/// The numbers of parts of a side.
const PARTS: [u8; 4] = [2, 3, 4, 5];

/// A step between pictures and lists.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) act: Act,
    /// The price in tenths of a bit.
    pub(super) cost: u32,
    /// The step as an expression over `@`.
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    One(One),
    /// Beside the input.
    Beside(Beside),
    /// To the size of the output.
    Sized(Sized),
    Split(Split),
    Map(One),
    MapBeside(Beside),
    Filter(Choice, Number),
    Order {
        number: Number,
        is_falling: bool,
    },
    Pick(Choice, Number),
    /// The items that touch the border of the input, or the others.
    Bordering(bool),
    Join(Join),
}

impl Act {
    /// Whether the step leads to a list.
    pub(super) fn gives_list(self) -> bool {
        match self {
            Act::One(_) | Act::Beside(_) | Act::Sized(_) | Act::Pick(..) | Act::Join(_) => false,
            Act::Split(_)
            | Act::Map(_)
            | Act::MapBeside(_)
            | Act::Filter(..)
            | Act::Bordering(_)
            | Act::Order { .. } => true,
        }
    }
}

/// The steps from a picture, and those from a list.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) all: Vec<Step>,
    /// The steps from a picture, from a list, and from a list of two pictures that a pair is.
    pub(super) from_one: Range<usize>,
    pub(super) from_list: Range<usize>,
    pub(super) from_pair: Range<usize>,
}

impl Table {
    pub(super) fn new(puzzle: &Puzzle, sizes: Option<&Sizes>) -> Table {
        let inputs = puzzle.demos.iter().map(|pair| &pair.input);
        let inputs = inputs.chain(&puzzle.test_inputs);
        let used = inputs.fold(0, |used, grid| used | grid.palette());
        let outputs = puzzle.demos.iter().map(|pair| &pair.output);
        let drawn = outputs.fold(0, |drawn, grid| drawn | grid.palette());
        Table::of(colours(used), colours(drawn), sizes)
    }

    pub(super) fn of(used: Vec<u8>, drawn: Vec<u8>, sizes: Option<&Sizes>) -> Table {
        let ones = ones(&used, &drawn);
        let from_one = ones
            .iter()
            .map(|(one, cost)| (Act::One(*one), *cost))
            .chain(Beside::ALL.map(|beside| (Act::Beside(beside), BESIDE_COST)))
            .chain(splits())
            .map(step);
        let of_size = |sizes| Sized::all().into_iter().map(move |it| sized(it, sizes));
        let of_sizes = sizes.into_iter().flat_map(of_size);
        let from_one = in_order(from_one.chain(of_sizes));
        let maps = ones.iter().filter(|(one, _)| is_mapped(*one));
        let maps = maps.map(|(one, cost)| (Act::Map(*one), cost + MAP_COST));
        let besides = [Beside::Window, Beside::Shown, Beside::Gaps];
        let besides = besides.map(|it| (Act::MapBeside(it), BESIDE_COST + MAP_COST));
        let numbers = numbers(&used);
        let from_list = maps
            .chain(besides)
            .chain([true, false].map(|it| (Act::Bordering(it), BORDERING_COST)))
            .chain(numbers.iter().flat_map(by_number))
            .chain(joins(&drawn));
        let from_list = in_order(from_list.map(step));
        let is_of_pair = |join: &Join| !matches!(join, Join::First | Join::Last);
        let of_pair = |step: &&Step| matches!(&step.act, Act::Join(join) if is_of_pair(join));
        let from_pair = in_order(from_list.iter().filter(of_pair).cloned());
        let mut all = Vec::new();
        let [from_one, from_list, from_pair] = [from_one, from_list, from_pair].map(|steps| {
            let first = all.len();
            all.extend(steps);
            first..all.len()
        });
        Table {
            all,
            from_one,
            from_list,
            from_pair,
        }
    }
}

/// The steps, the cheapest first.
fn in_order(steps: impl Iterator<Item = Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = steps.collect();
    steps.sort_by_key(|step| step.cost);
    steps
}

fn sized((sized, cost): (Sized, u32), sizes: &Sizes) -> Step {
    Step {
        act: Act::Sized(sized),
        cost,
        text: sized.text(&sizes.text),
    }
}

fn step((act, cost): (Act, u32)) -> Step {
    let text = match act {
        Act::One(one) => format!("{}(@)", one.text()),
        Act::Map(one) => format!("apply({}, @)", one.text()),
        Act::Beside(beside) => format!("{}(@)", beside.text()),
        Act::MapBeside(beside) => format!("apply({}, @)", beside.text()),
        Act::Sized(sized) => sized.text("shape(I)"),
        Act::Split(split) => split.text(),
        Act::Filter(choice, number) => choice.filter_text(number),
        Act::Order { number, is_falling } => order_text(number, is_falling),
        Act::Pick(choice, number) => choice.pick_text(number),
        Act::Bordering(true) => "sfilter(@, rbind(bordering, I))".to_owned(),
        Act::Bordering(false) => "sfilter(@, compose(flip, rbind(bordering, I)))".to_owned(),
        Act::Join(join) => join.text(),
    };
    Step { act, cost, text }
}

fn colours(palette: u16) -> Vec<u8> {
    (1..10).filter(|c| palette >> c & 1 == 1).collect()
}

/// The bits of a choice among `n`, in tenths.
fn bits(n: usize) -> u32 {
    (10.0 * (n.max(1) as f64).log2()).round() as u32
}

fn ones(used: &[u8], drawn: &[u8]) -> Vec<(One, u32)> {
    let mut all = vec![
        (One::Fit, 30),
        (One::Origin, 40),
        (One::Hull, 50),
        (One::Frame, 60),
        (One::Filled, 50),
        (One::Compress, 50),
        (One::Trim, 50),
        (One::Kaleidoscope, 60),
        (One::InItself, 60),
        (One::InItsGaps, 70),
        (One::Up(2), 60),
        (One::Up(3), 65),
        (One::Down(2), 65),
        (One::Down(3), 65),
        (One::Copies(1, 2), 65),
        (One::Copies(2, 1), 65),
        (One::Copies(2, 2), 70),
        (One::Copies(3, 3), 70),
    ];
    let of_colour = |colours: &[u8], cost: u32, one: &dyn Fn(u8) -> One| -> Vec<(One, u32)> {
        let cost = cost + bits(colours.len());
        colours.iter().map(|c| (one(*c), cost)).collect()
    };
    all.extend(of_colour(used, 40, &One::Keep));
    all.extend(of_colour(used, 50, &One::Erase));
    all.extend(of_colour(drawn, 40, &One::Tint));
    all.extend(of_colour(drawn, 55, &One::Invert));
    all.extend(of_colour(drawn, 50, &One::Under));
    all.extend(of_colour(drawn, 55, &One::Holes));
    all.extend(Rigid::ALL.map(|rigid| (One::Rigid(rigid), 65)));
    all.extend(Rigid::ALL.map(|rigid| (One::Symmetric(rigid), 75)));
    for side in Side::ALL {
        all.extend([
            (One::Half(side), 60),
            (One::Fall(side), 75),
            (One::Beside(side), 75),
        ]);
    }
    all.extend([
        (One::Centre, 70),
        (One::Dot, 65),
        (One::Dense, 60),
        (One::Grouped, 60),
        (One::Distinct, 75),
        (One::Swapped, 60),
        (One::Negative, 60),
    ]);
    all.extend(Trails::ALL.map(|it| (One::Trails(it), 85)));
    all.extend(Between::ALL.map(|it| (One::Between(it), 80)));
    for diagonal in [false, true] {
        for (is_full, cost) in [(false, 75), (true, 80)] {
            all.push((One::Growth(Growth { diagonal, is_full }), cost));
        }
        all.push((One::Rim(Rim::Border { diagonal }), 65));
        all.push((One::Rim(Rim::Inner { diagonal }), 70));
        all.extend(of_colour(drawn, 70, &|colour| {
            One::Rim(Rim::Outline { diagonal, colour })
        }));
    }
    all.extend(of_colour(drawn, 65, &|c| One::Rim(Rim::Ring(c))));
    all.push((One::Rim(Rim::Ring(0)), 70));
    for (is_most, cost) in [(true, 60), (false, 55)] {
        for is_kept in [false, true] {
            all.push((One::Ranked { is_most, is_kept }, cost));
        }
    }
    let counts = [
        Number::Drawn,
        Number::Colours,
        Number::Groups,
        Number::Hollow,
    ];
    for (k, number) in (0..).zip(counts) {
        all.extend(Bar::ALL.map(|bar| (One::Bar(bar, number), 85 + 5 * k)));
    }
    all.extend(Side::ALL.map(|side| (One::Away(side), 80)));
    for i in -1..=1 {
        let ways = (-1..=1).map(|j| (i, j)).filter(|it| *it != (0, 0));
        all.extend(ways.map(|(i, j)| (One::Nudged(i, j), 90)));
    }
    for (i, j) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
        all.push((One::Smear(i, j), 75));
    }
    for (i, j) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        all.push((One::Smear(i, j), 85));
    }
    all
}

/// Whether a step is made for each item of a list.
fn is_mapped(one: One) -> bool {
    !matches!(
        one,
        One::Compress
            | One::InItself
            | One::InItsGaps
            | One::Smear(..)
            | One::Copies(..)
            | One::Kaleidoscope
            | One::Beside(_)
            | One::Fall(_)
            | One::Up(_)
            | One::Down(_)
            | One::Trails(_)
            | One::Between(_)
            | One::Dense
            | One::Grouped
            | One::Distinct
            | One::Bar(Bar::Square | Bar::Diagonal, _)
            | One::Swapped
    )
}

fn splits() -> Vec<(Act, u32)> {
    let mut all = vec![
        (Split::Colours { is_full: false }, 50),
        (Split::Colours { is_full: true }, 50),
        (Split::Panels, 35),
        (Split::Runs, 60),
        (Split::Rings, 65),
        (Split::Cells, 65),
        (Split::Gaps { diagonal: false }, 65),
        (Split::Gaps { diagonal: true }, 70),
        (Split::Equal(Times::Each, Times::So(1)), 60),
        (Split::Equal(Times::So(1), Times::Each), 60),
        (Split::Equal(Times::Each, Times::Each), 70),
        (Split::Equal(Times::Square, Times::So(1)), 50),
        (Split::Equal(Times::So(1), Times::Square), 50),
    ];
    for (k, objects) in (0..).zip(Objects::ALL) {
        all.push((Split::Objects(objects), 40 + 5 * k));
        all.push((Split::Windows(objects), 60 + 5 * k));
    }
    for (k, n) in (0..).zip(PARTS) {
        all.push((Split::Equal(Times::So(n), Times::So(1)), 50 + 5 * k));
        all.push((Split::Equal(Times::So(1), Times::So(n)), 50 + 5 * k));
        all.push((Split::Equal(Times::So(n), Times::So(n)), 50 + 5 * k));
    }
    let act = |(split, cost)| (Act::Split(split), cost);
    all.into_iter().map(act).collect()
}

fn numbers(used: &[u8]) -> Vec<(Number, u32)> {
    let of_colours = used.iter().map(|c| (Number::Of(*c), 45 + bits(used.len())));
    Number::ALL.into_iter().chain(of_colours).collect()
}

fn by_number((number, cost): &(Number, u32)) -> Vec<(Act, u32)> {
    let (number, cost) = (*number, *cost);
    let mut all = Vec::new();
    for choice in Choice::ALL {
        let more = match choice {
            Choice::Most => 0,
            Choice::Least => 5,
            Choice::Common | Choice::Rare => 15,
            _ => 10,
        };
        let is_apt = match choice {
            Choice::None | Choice::Some => {
                matches!(number, Number::Of(_) | Number::Hollow) || number.is_truth()
            }
            Choice::Most | Choice::Least => !matches!(number, Number::Colour),
            Choice::NotMost | Choice::NotLeast => {
                !matches!(number, Number::Colour) && !number.is_truth()
            }
            Choice::Common | Choice::Rare => !number.is_truth(),
        };
        if !is_apt {
            continue;
        }
        all.push((Act::Filter(choice, number), FILTER_COST + cost + more));
        let is_pick = matches!(
            choice,
            Choice::Most | Choice::Least | Choice::Rare | Choice::None | Choice::Some
        );
        if is_pick {
            all.push((Act::Pick(choice, number), PICK_COST + cost + more));
        }
    }
    if !number.is_truth() {
        for is_falling in [false, true] {
            let order = Act::Order { number, is_falling };
            all.push((order, ORDER_COST + cost));
        }
    }
    all
}

fn joins(drawn: &[u8]) -> Vec<(Act, u32)> {
    let mut all = vec![
        (Join::First, 50),
        (Join::Last, 50),
        (Join::Together, 20),
        (Join::Over { at_origin: false }, 40),
        (Join::Over { at_origin: true }, 40),
        (Join::Centred, 60),
        (Join::Majority, 55),
        (Join::Stack { is_row: true }, 50),
        (Join::Stack { is_row: false }, 50),
        (Join::Cells, 40),
        (Join::SmallOnTop { is_rising: true }, 55),
        (Join::SmallOnTop { is_rising: false }, 60),
        (Join::Queue { is_row: true }, 55),
        (Join::Queue { is_row: false }, 55),
        (Join::Product, 50),
        (Join::Common, 60),
        (Join::Masked(Many::All), 65),
        (Join::Masked(Many::One), 60),
        (Join::Line { is_row: true }, 50),
        (Join::Line { is_row: false }, 50),
    ];
    for c in drawn {
        all.push((Join::OnMark(*c), 55 + bits(drawn.len())));
        for (many, cost) in [
            (Many::All, 45),
            (Many::One, 50),
            (Many::None, 45),
            (Many::NotAll, 55),
        ] {
            all.push((Join::Count(many, *c), cost + bits(drawn.len())));
        }
    }
    let act = |(join, cost)| (Act::Join(join), cost);
    all.into_iter().map(act).collect()
}
