//! What the demonstrations tell before any search.

use leyden_grid::{Grid, Puzzle};

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
    /// The words that only a task can tell:
    /// `size`, the size that all outputs share; `up` and `down`, how many times larger or smaller
    /// than the inputs they are; `n_rows` and `n_columns`, the same for height and width apart;
    /// `slot`, the places of copies of the input in an output of so many copies.
    pub(crate) const WORDS: [&'static str; 6] =
        ["size", "up", "down", "n_rows", "n_columns", "slot"];

    pub(crate) fn of(puzzle: &Puzzle) -> Facts {
        let pairs = || puzzle.demos.iter().map(|pair| (&pair.input, &pair.output));
        let inputs = pairs().map(|(input, _)| input).chain(&puzzle.test_inputs);
        let sizes = pairs().map(|(_, output)| output.shape());
        let rows = common(pairs().map(|(i, o)| ratio(o.height(), i.height())));
        let columns = common(pairs().map(|(i, o)| ratio(o.width(), i.width())));
        let down_rows = common(pairs().map(|(i, o)| ratio(i.height(), o.height())));
        let down_columns = common(pairs().map(|(i, o)| ratio(i.width(), o.width())));
        let (rows, columns) = (rows.flatten(), columns.flatten());
        let both = |a: Option<usize>, b: Option<usize>| a.filter(|a| Some(*a) == b && *a > 1);
        let several = |n: &usize| (1..=6).contains(n);
        let words = vec![
            (
                "size",
                common(sizes)
                    .map(|(h, w)| format!("({h}, {w})"))
                    .into_iter()
                    .collect(),
            ),
            ("up", texts(both(rows, columns))),
            (
                "down",
                texts(both(down_rows.flatten(), down_columns.flatten())),
            ),
            ("n_rows", texts(rows.filter(several))),
            ("n_columns", texts(columns.filter(several))),
            ("slot", slots(rows, columns)),
        ];
        Facts {
            colours_in: frequent(inputs),
            colours_out: pairs().fold(0, |all, (_, output)| all | output.palette()),
            words,
        }
    }

    /// A text with all words put in, for each choice.
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

/// Where copies of the input could be in the output.
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

/// The value that all have in common.
fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// How many times larger, if it is a whole number.
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
