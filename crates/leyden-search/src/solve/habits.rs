//! Habits: properties that all outputs share, with their inputs and with each other. Answers that
//! break a habit are less likely.

use leyden_grid::{Grid, Puzzle};

use super::price::{PricePart, Tenths};

/// The price of a broken habit.
const BROKEN_COST: Tenths = 45;
/// The largest price: habits often break together.
const MAX_COST: Tenths = 225;

/// A property that may hold for an input and its output; `None` if it does not apply.
type Habit = Box<dyn Fn(&Grid, &Grid) -> Option<bool>>;

/// The habits of a puzzle.
pub(crate) struct Habits<'p> {
    puzzle: &'p Puzzle,
    kept: Vec<Habit>,
}

impl<'p> Habits<'p> {
    /// Finds the habits that all demonstrations keep.
    pub(crate) fn of(puzzle: &'p Puzzle) -> Habits<'p> {
        let is_kept = |habit: &Habit| {
            let mut demos = puzzle.demos.iter();
            demos.all(|pair| habit(&pair.input, &pair.output) == Some(true))
        };
        let mut kept = all(puzzle);
        kept.retain(is_kept);
        Habits { puzzle, kept }
    }

    /// The price of the answer that breaks most habits.
    pub(crate) fn price(&self, answers: &[Option<Grid>]) -> Option<PricePart> {
        let inputs = self.puzzle.test_inputs.iter().zip(answers);
        let n_broken = inputs.filter_map(|(input, answer)| {
            let answer = answer.as_ref()?;
            let is_broken = |habit: &&Habit| habit(input, answer) == Some(false);
            Some(self.kept.iter().filter(is_broken).count())
        });
        let n_broken = n_broken.max().filter(|n| *n > 0)?;
        let habits = if n_broken == 1 { "habit" } else { "habits" };
        let price = (n_broken as Tenths * BROKEN_COST).min(MAX_COST);
        Some(PricePart::new(format!("{n_broken} {habits} broken"), price))
    }
}

fn all(puzzle: &Puzzle) -> Vec<Habit> {
    let mut habits = vec![
        always(|i, o| i.shape() == o.shape()),
        always(|i, o| i != o),
        always(|i, o| o.palette() & !i.palette() == 0),
        always(|i, o| i.palette() & !o.palette() == 0),
        always(|_, o| o.palette().count_ones() > 1),
        always(|_, o| o.palette() != 1),
        always(|i, o| n_drawn(i) <= n_drawn(o)),
        always(|i, o| n_drawn(i) >= n_drawn(o)),
        always(|_, o| is_like(o, |(i, j), (_, width)| (i, width - 1 - j))),
        always(|_, o| is_like(o, |(i, j), (height, _)| (height - 1 - i, j))),
        always(|_, o| o.height() == o.width() && is_like(o, |(i, j), _| (j, i))),
        always(|i, o| i.shape() == o.shape() && kept_cells(i, o, |colour| colour != 0)),
        always(|i, o| i.shape() == o.shape() || occurs_in(o, i)),
    ];
    for colour in 0..10 {
        habits.push(of_colour(colour, move |i, o| {
            i.shape() == o.shape() && kept_cells(i, o, |it| it == colour)
        }));
        habits.push(of_colour(colour, move |_, o| count(o, colour) > 0));
        habits.push(of_colour(colour, move |_, o| count(o, colour) == 0));
        habits.push(of_colour(colour, move |i, o| {
            count(i, colour) == count(o, colour)
        }));
    }
    let new = new_colours(puzzle);
    habits.push(always(move |i, o| o.palette() & !(i.palette() | new) == 0));
    if let Some(first) = puzzle.demos.first() {
        let (size_of_first, n_colours) =
            (first.output.shape(), first.output.palette().count_ones());
        habits.push(always(move |_, o| o.shape() == size_of_first));
        habits.push(always(move |_, o| o.palette().count_ones() == n_colours));
    }
    habits
}

fn always(is_so: impl Fn(&Grid, &Grid) -> bool + 'static) -> Habit {
    Box::new(move |input, output| Some(is_so(input, output)))
}

/// A habit for inputs that have this colour.
fn of_colour(colour: u8, is_so: impl Fn(&Grid, &Grid) -> bool + 'static) -> Habit {
    Box::new(move |input, output| (count(input, colour) > 0).then(|| is_so(input, output)))
}

/// Colours that appear only in outputs.
fn new_colours(puzzle: &Puzzle) -> u16 {
    let pairs = puzzle.demos.iter();
    pairs.fold(0, |all, pair| {
        all | (pair.output.palette() & !pair.input.palette())
    })
}

fn count(grid: &Grid, colour: u8) -> usize {
    grid.cells().iter().filter(|cell| **cell == colour).count()
}

fn n_drawn(grid: &Grid) -> usize {
    grid.cells().len() - count(grid, 0)
}

/// Whether each cell equals its image.
fn is_like(grid: &Grid, image: impl Fn((usize, usize), (usize, usize)) -> (usize, usize)) -> bool {
    let mut places = (0..grid.height()).flat_map(|i| (0..grid.width()).map(move |j| (i, j)));
    places.all(|(i, j)| {
        let (image_i, image_j) = image((i, j), grid.shape());
        grid.get(i, j) == grid.get(image_i, image_j)
    })
}

/// Whether the cells of these colours stay unchanged.
fn kept_cells(input: &Grid, output: &Grid, is_meant: impl Fn(u8) -> bool) -> bool {
    let mut cells = input.cells().iter().zip(output.cells());
    cells.all(|(before, after)| !is_meant(*before) || before == after)
}

/// Whether a grid is a part of another.
fn occurs_in(part: &Grid, whole: &Grid) -> bool {
    let (height, width) = part.shape();
    if height > whole.height() || width > whole.width() {
        return false;
    }
    let rows_fit = |top: usize, left: usize| {
        (0..height).all(|i| {
            let row = &whole.cells()[(top + i) * whole.width() + left..][..width];
            row == &part.cells()[i * width..][..width]
        })
    };
    let tops = 0..=whole.height() - height;
    tops.into_iter()
        .any(|top| (0..=whole.width() - width).any(|left| rows_fit(top, left)))
}
