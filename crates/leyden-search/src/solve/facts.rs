//! Facts that the demonstrations show before any search.

use leyden_grid::{Grid, Puzzle};

use super::sizes::{size, sizes};

/// Bits for all colours.
const ALL_COLOURS: u16 = (1 << 10) - 1;

/// Facts about a task that moves can use.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Colours of at least half of the inputs, as bits.
    pub(crate) colours_in: u16,
    /// Colours of the outputs, as bits.
    pub(crate) colours_out: u16,
    words: Vec<(&'static str, Vec<String>)>,
}

impl Facts {
    /// The words that depend on the task.
    ///
    /// - `size`: the size of the outputs, if they share one or it follows from a number of the inputs
    ///   in a simple way.
    /// - `place`: the place of an input in an output that is a little larger.
    /// - `up` and `down`: the factor by which outputs are larger or smaller than inputs.
    /// - `n_rows` and `n_columns`: this factor for height and width separately.
    /// - `slot`: the places of copies of the input in an output made of copies.
    /// - `gone`: a colour of all inputs and no output.
    /// - `common`: a grid of the cells that all outputs of one size share.
    /// - `recoloured`: the input with another colour for each colour, if that gives the outputs.
    pub(crate) const WORDS: [&'static str; 10] = [
        "size",
        "place",
        "up",
        "down",
        "n_rows",
        "n_columns",
        "slot",
        "gone",
        "common",
        "recoloured",
    ];

    pub(crate) fn of(puzzle: &Puzzle) -> Facts {
        let pairs = || puzzle.demos.iter().map(|pair| (&pair.input, &pair.output));
        let inputs = || pairs().map(|(input, _)| input).chain(&puzzle.test_inputs);
        let rows = common(pairs().map(|(i, o)| ratio(o.height(), i.height())));
        let columns = common(pairs().map(|(i, o)| ratio(o.width(), i.width())));
        let down_rows = common(pairs().map(|(i, o)| ratio(i.height(), o.height())));
        let down_columns = common(pairs().map(|(i, o)| ratio(i.width(), o.width())));
        let (rows, columns) = (rows.flatten(), columns.flatten());
        let both = |a: Option<usize>, b: Option<usize>| a.filter(|a| Some(*a) == b && *a > 1);
        let colours_out = pairs().fold(0, |all, (_, output)| all | output.palette());
        let in_all = inputs().fold(ALL_COLOURS, |all, input| all & input.palette());
        let several = |n: &usize| (1..=6).contains(n);
        let words = vec![
            ("size", size(puzzle).into_iter().collect()),
            ("place", places(puzzle)),
            ("up", texts(both(rows, columns))),
            (
                "down",
                texts(both(down_rows.flatten(), down_columns.flatten())),
            ),
            ("n_rows", texts(rows.filter(several))),
            ("n_columns", texts(columns.filter(several))),
            ("slot", slots(rows, columns)),
            ("gone", bits(in_all & !colours_out)),
            ("common", shared(puzzle).into_iter().collect()),
            ("recoloured", recoloured(puzzle).into_iter().collect()),
        ];
        Facts {
            colours_in: frequent(inputs()),
            colours_out,
            words,
        }
    }

    /// Replaces all words of a text, for each choice.
    pub(crate) fn expanded(&self, text: &str) -> Vec<String> {
        let mut texts = vec![text.to_owned()];
        for (word, choices) in &self.words {
            let braced = format!("{{{word}}}");
            if text.contains(&braced) {
                let put = |text: &String| -> Vec<String> {
                    choices
                        .iter()
                        .map(|choice| text.replace(&braced, choice))
                        .collect()
                };
                texts = texts.iter().flat_map(put).collect();
            }
        }
        texts
    }
}

fn texts(number: Option<usize>) -> Vec<String> {
    number.map(|n| n.to_string()).into_iter().collect()
}

/// The places of an input in an output that is always larger by a few cells.
fn places(puzzle: &Puzzle) -> Vec<String> {
    let more = |[i, o]: [(usize, usize); 2]| Some((o.0.checked_sub(i.0)?, o.1.checked_sub(i.1)?));
    match common(sizes(puzzle).map(more)).flatten() {
        Some((rows, columns)) if (2..=25).contains(&((rows + 1) * (columns + 1))) => (0..=rows)
            .flat_map(|row| (0..=columns).map(move |column| format!("({row}, {column})")))
            .collect(),
        _ => Vec::new(),
    }
}

/// The numbers of the bits that are set.
fn bits(set: u16) -> Vec<String> {
    let is_set = |bit: &u16| set >> bit & 1 == 1;
    (0..10)
        .filter(is_set)
        .map(|bit: u16| bit.to_string())
        .collect()
}

/// The cells that all outputs share, as a grid in arc-dsl; `None` if these are only background.
fn shared(puzzle: &Puzzle) -> Option<String> {
    let outputs = || puzzle.demos.iter().map(|pair| &pair.output);
    let (height, width) = common(outputs().map(Grid::shape))?;
    let cell = |k: usize| common(outputs().map(|grid| grid.cells()[k])).unwrap_or(0);
    let cells: Vec<u8> = (0..height * width).map(cell).collect();
    let row = |row: &[u8]| {
        let cells: String = row.iter().map(|cell| format!("{cell}, ")).collect();
        format!("({cells}), ")
    };
    let is_drawn = puzzle.demos.len() > 1 && cells.iter().any(|cell| *cell != 0);
    is_drawn.then(|| format!("({})", cells.chunks(width).map(row).collect::<String>()))
}

/// The input with another colour for each colour, if the outputs are that.
fn recoloured(puzzle: &Puzzle) -> Option<String> {
    let mut table: [Option<u8>; 10] = [None; 10];
    for pair in &puzzle.demos {
        if pair.input.shape() != pair.output.shape() {
            return None;
        }
        for (from, to) in pair.input.cells().iter().zip(pair.output.cells()) {
            if *table.get_mut(usize::from(*from))?.get_or_insert(*to) != *to {
                return None;
            }
        }
    }
    let changes = (0..).zip(table).filter_map(|(from, to)| Some((from, to?)));
    let changes: Vec<(u8, u8)> = changes.filter(|(from, to)| from != to).collect();
    let filled =
        |text: String, (from, to): &(u8, u8)| format!("fill({text}, {to}, ofcolor(I, {from}))");
    (!changes.is_empty()).then(|| changes.iter().fold("I".to_owned(), filled))
}

/// The places of copies of the input in the output.
fn slots(rows: Option<usize>, columns: Option<usize>) -> Vec<String> {
    let (Some(rows), Some(columns)) = (rows, columns) else {
        return Vec::new();
    };
    if !(2..=9).contains(&(rows * columns)) {
        return Vec::new();
    }
    let slot = |k: usize| {
        let (row, column) = (k / columns, k % columns);
        format!("(multiply(height(I), {row}), multiply(width(I), {column}))")
    };
    (0..rows * columns).map(slot).collect()
}

/// The value that all items share.
pub(super) fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The factor, if it is a whole number.
fn ratio(large: usize, small: usize) -> Option<usize> {
    (small > 0 && large.is_multiple_of(small)).then(|| large / small)
}

/// Colours of at least half of the grids.
fn frequent<'g>(grids: impl Iterator<Item = &'g Grid>) -> u16 {
    let palettes: Vec<u16> = grids.map(Grid::palette).collect();
    let is_frequent = |colour: &u16| {
        let n = palettes
            .iter()
            .filter(|palette| *palette >> colour & 1 == 1);
        2 * n.count() >= palettes.len()
    };
    (0..10)
        .filter(is_frequent)
        .fold(0, |all, colour| all | 1 << colour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_grid::Pair;

    fn grid(rows: &[&[u8]]) -> Grid {
        let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
        Grid::from_rows(&rows).unwrap()
    }

    fn told(word: &str, pairs: &[(Grid, Grid)]) -> Vec<String> {
        let pair = |(input, output): &(Grid, Grid)| Pair {
            input: input.clone(),
            output: output.clone(),
        };
        let puzzle = Puzzle {
            id: "some".parse().unwrap(),
            demos: pairs.iter().map(pair).collect(),
            test_inputs: vec![pairs[0].0.clone()],
        };
        Facts::of(&puzzle).expanded(&format!("{{{word}}}"))
    }

    #[test]
    fn a_place_is_one_of_those_where_there_is_room() {
        let larger = (grid(&[&[1, 1]]), grid(&[&[1, 1, 1], &[1, 1, 1]]));
        assert_eq!(
            told("place", &[larger]),
            ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]
        );
    }

    #[test]
    fn colours_tell_what_hides_and_what_stays() {
        let first = (grid(&[&[5, 2]]), grid(&[&[3, 2]]));
        let second = (grid(&[&[1, 5]]), grid(&[&[1, 2]]));
        assert_eq!(told("gone", &[first.clone(), second.clone()]), ["5"]);
        assert_eq!(told("common", &[first, second]), ["((0, 2, ), )"]);
    }

    #[test]
    fn a_table_gives_each_colour_another_one() {
        let first = (grid(&[&[1, 2, 0]]), grid(&[&[2, 1, 0]]));
        let second = (grid(&[&[2], &[5]]), grid(&[&[1], &[5]]));
        let swapped = "fill(fill(I, 2, ofcolor(I, 1)), 1, ofcolor(I, 2))";
        assert_eq!(told("recoloured", &[first.clone(), second]), [swapped]);
        let other = (grid(&[&[2]]), grid(&[&[7]]));
        assert!(told("recoloured", &[first, other]).is_empty());
    }
}
