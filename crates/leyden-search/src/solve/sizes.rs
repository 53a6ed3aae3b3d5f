//! The size of the outputs, as the inputs tell it.

use std::cell::OnceCell;
use std::sync::OnceLock;

use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::Program;

use super::chain::program_of;
use super::facts::common;

/// Numbers that may be a side of an output, in arc-dsl over its input. The simplest come first.
const NUMBERS: &[&str] = &[
    "divide(height(I), 2)",
    "divide(width(I), 2)",
    "divide(height(I), 3)",
    "divide(width(I), 3)",
    "size(objects(I, T, F, T))",
    "size(objects(I, T, T, T))",
    "size(objects(I, F, T, T))",
    "numcolors(I)",
    "decrement(numcolors(I))",
    "size(difference(asindices(I), ofcolor(I, 0)))",
    "colorcount(I, leastcolor(I))",
    "height(difference(asindices(I), ofcolor(I, 0)))",
    "width(difference(asindices(I), ofcolor(I, 0)))",
    "height(difference(asindices(I), ofcolor(I, mostcolor(I))))",
    "width(difference(asindices(I), ofcolor(I, mostcolor(I))))",
    "height(ofcolor(I, leastcolor(I)))",
    "width(ofcolor(I, leastcolor(I)))",
    "height(argmax(objects(I, T, F, T), size))",
    "width(argmax(objects(I, T, F, T), size))",
    "height(argmax(objects(I, F, T, T), size))",
    "width(argmax(objects(I, F, T, T), size))",
    "height(argmin(objects(I, F, T, T), size))",
    "width(argmin(objects(I, F, T, T), size))",
    "size(argmax(objects(I, T, F, T), size))",
    "size(apply(uppermost, colorfilter(objects(fill(canvas(0, shape(I)), 1, merge(frontiers(I))), T, F, F), 0)))",
    "size(apply(leftmost, colorfilter(objects(fill(canvas(0, shape(I)), 1, merge(frontiers(I))), T, F, F), 0)))",
    "height(argmax(colorfilter(objects(fill(canvas(0, shape(I)), 1, merge(frontiers(I))), T, F, F), 0), size))",
    "width(argmax(colorfilter(objects(fill(canvas(0, shape(I)), 1, merge(frontiers(I))), T, F, F), 0), size))",
    "size(sfilter(I, compose(flip, matcher(palette, initset(0)))))",
    "size(sfilter(dmirror(I), compose(flip, matcher(palette, initset(0)))))",
];

/// The ways to make a side of such a number: a factor and a summand. The simplest come first.
const WAYS: &[(usize, isize)] = &[
    (1, 0),
    (1, 1),
    (1, -1),
    (2, 0),
    (3, 0),
    (1, 2),
    (1, -2),
    (2, 1),
    (2, -1),
    (4, 0),
    (5, 0),
];

/// Sizes of inputs and outputs, as (height, width).
pub(super) fn sizes(puzzle: &Puzzle) -> impl Iterator<Item = [(usize, usize); 2]> {
    let shapes = |pair: &Pair| [pair.input.shape(), pair.output.shape()];
    puzzle.demos.iter().map(shapes)
}

/// The size of all outputs, or its formula over the input, unless outputs have the size of inputs.
pub(super) fn size(puzzle: &Puzzle) -> Option<String> {
    if let Some((height, width)) = common(sizes(puzzle).map(|[_, output]| output)) {
        return Some(format!("({height}, {width})"));
    }
    if sizes(puzzle).all(|[input, output]| input == output) {
        return None;
    }
    let heights: Vec<_> = sizes(puzzle).map(|[i, o]| (i, o.0)).collect();
    let widths: Vec<_> = sizes(puzzle).map(|[i, o]| (i, o.1)).collect();
    let numbers = OnceCell::new();
    let side = |sides: &[((usize, usize), usize)]| {
        let counted = || counted(numbers.get_or_init(|| numbers_of(puzzle)), sides);
        side(sides).or_else(counted)
    };
    Some(format!("({}, {})", side(&heights)?, side(&widths)?))
}

/// The formula for a side of the output: a multiple of a side of the input, and a little more or
/// less.
fn side(sides: &[((usize, usize), usize)]) -> Option<String> {
    let steps = [0, 1, -1, 2, -2, 3, -3, 4, -4];
    let ways = steps
        .iter()
        .flat_map(|more| (1..=4).map(move |times| (times, *more)));
    let fits = |of: &dyn Fn((usize, usize)) -> usize, (times, more): (usize, isize)| {
        let mut sides = sides.iter();
        sides.all(|(input, output)| (of(*input) * times) as isize + more == *output as isize)
    };
    let text = |side, (times, more)| format!("add(multiply({side}(I), {times}), {more})");
    ways.clone()
        .find(|way| fits(&|(height, _)| height, *way))
        .map(|way| text("height", way))
        .or_else(|| {
            ways.clone()
                .find(|way| fits(&|(_, width)| width, *way))
                .map(|way| text("width", way))
        })
        .or_else(|| Some(common(sides.iter().map(|(_, output)| *output))?.to_string()))
}

/// The formula for a side of the output over one of the numbers.
fn counted(numbers: &[Option<Vec<usize>>], sides: &[((usize, usize), usize)]) -> Option<String> {
    let fits = |values: &[usize], (times, more): (usize, isize)| {
        let mut pairs = values.iter().zip(sides);
        pairs.all(|(n, (_, side))| (n * times) as isize + more == *side as isize)
    };
    WAYS.iter().find_map(|(times, more)| {
        let mut named = NUMBERS.iter().zip(numbers);
        let (text, _) = named.find(|(_, values)| {
            values
                .as_ref()
                .is_some_and(|values| fits(values, (*times, *more)))
        })?;
        Some(format!("add(multiply({text}, {times}), {more})"))
    })
}

/// The numbers of the inputs of all demonstrations; `None` for a number that some input lacks.
fn numbers_of(puzzle: &Puzzle) -> Vec<Option<Vec<usize>>> {
    let engine = Engine::default();
    let height = |shown: &Program, grid: &Grid| match engine.run(shown, &Sample::of(grid)) {
        Outcome::Grid(shown) => Some(shown.to_grid()?.height()),
        _ => None,
    };
    let inputs = || puzzle.demos.iter().map(|pair| &pair.input);
    let of_all = |shown: &Option<Program>| {
        let shown = shown.as_ref()?;
        let values: Option<Vec<usize>> = inputs().map(|grid| height(shown, grid)).collect();
        let is_known = |grid: &Grid| height(shown, grid).is_some();
        values.filter(|_| puzzle.test_inputs.iter().all(is_known))
    };
    shown().iter().map(of_all).collect()
}

/// For each number a program that gives a column of that height.
fn shown() -> &'static [Option<Program>] {
    static SHOWN: OnceLock<Vec<Option<Program>>> = OnceLock::new();
    let program = |text: &&str| program_of("number", &format!("canvas(0, astuple({text}, 1))"));
    SHOWN.get_or_init(|| NUMBERS.iter().map(program).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(input: &[&[u8]], output: &[&[u8]]) -> Pair {
        let grid = |rows: &[&[u8]]| {
            let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
            Grid::from_rows(&rows).unwrap()
        };
        Pair {
            input: grid(input),
            output: grid(output),
        }
    }

    fn told(demos: Vec<Pair>) -> Option<String> {
        size(&Puzzle {
            id: "some".parse().unwrap(),
            test_inputs: vec![demos[0].input.clone()],
            demos,
        })
    }

    #[test]
    fn sizes_follow_from_those_of_the_inputs() {
        let wide = pair(&[&[1, 1, 1]], &[&[1; 7], &[1; 7]]);
        let high = pair(&[&[1], &[1]], &[&[1; 3], &[1; 3], &[1; 3]]);
        assert_eq!(
            told(vec![wide, high]).unwrap(),
            "(add(multiply(height(I), 1), 1), add(multiply(width(I), 2), 1))"
        );
    }

    #[test]
    fn sizes_follow_from_counts() {
        let two = pair(&[&[3, 0, 5, 0, 0]], &[&[1, 1]]);
        let three = pair(&[&[3, 0, 4, 0, 6]], &[&[1, 1, 1]]);
        assert_eq!(
            told(vec![two, three]).unwrap(),
            "(add(multiply(height(I), 1), 0), add(multiply(size(objects(I, T, F, T)), 1), 0))"
        );
    }

    #[test]
    fn all_numbers_are_arc_dsl() {
        assert!(shown().iter().all(Option::is_some));
    }
}
