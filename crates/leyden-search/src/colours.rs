//! The colours of a task.

use leyden_grid::{Grid, Puzzle};

/// The colours of a task's demonstration pairs, by their role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    /// Colours of some input and no output.
    pub only_in_inputs: Vec<u8>,
    /// Colours of some output and no input.
    pub only_in_outputs: Vec<u8>,
    /// All colours of the inputs, the most frequent first.
    pub by_rank: Vec<u8>,
}

impl Colours {
    /// The colours of a puzzle, which has no test outputs.
    pub fn of(puzzle: &Puzzle) -> Colours {
        let inputs = counts(puzzle.demos.iter().map(|pair| &pair.input));
        let outputs = counts(puzzle.demos.iter().map(|pair| &pair.output));
        let only = |a: &[usize; 10], b: &[usize; 10]| {
            (0..10u8)
                .filter(|c| a[*c as usize] > 0 && b[*c as usize] == 0)
                .collect()
        };
        let mut by_rank: Vec<u8> = (0..10u8).filter(|c| inputs[*c as usize] > 0).collect();
        by_rank.sort_by_key(|c| std::cmp::Reverse(inputs[*c as usize]));
        Colours {
            only_in_inputs: only(&inputs, &outputs),
            only_in_outputs: only(&outputs, &inputs),
            by_rank,
        }
    }
}

fn counts<'a>(grids: impl Iterator<Item = &'a Grid>) -> [usize; 10] {
    let mut counts = [0; 10];
    for cell in grids.flat_map(Grid::cells) {
        if let Some(count) = counts.get_mut(usize::from(*cell)) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_grid::{Pair, TaskId};

    #[test]
    fn colours_have_parts_to_play() {
        let grid = |rows: &[Vec<u8>]| Grid::from_rows(rows).unwrap();
        let pair = Pair {
            input: grid(&[vec![0, 0, 0, 5, 5, 1]]),
            output: grid(&[vec![0, 1, 8]]),
        };
        let id = TaskId::new("t").unwrap();
        let puzzle = Puzzle {
            id,
            demos: vec![pair],
            test_inputs: vec![grid(&[vec![9]])],
        };
        let colours = Colours::of(&puzzle);
        assert_eq!(colours.only_in_inputs, [5]);
        assert_eq!(colours.only_in_outputs, [8]);
        assert_eq!(colours.by_rank, [0, 5, 1]);
    }
}
