//! Changed copies of tasks: turned, flipped, and with other colours.
//!
//! A [`Change`] can be undone, so answers to a changed task become answers to the task itself. The
//! change depends only on a seed, the task's id and the number of the copy.

use std::collections::BTreeMap;

use leyden_grid::{Grid, Pair, Task, TaskId, TaskIdError, TestCase};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The number of colours.
const N_COLOURS: usize = 10;

/// One of the eight symmetries of a rectangle, by its name in arc-dsl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// A quarter turn clockwise.
    Rot90,
    /// A half turn.
    Rot180,
    /// A quarter turn anticlockwise.
    Rot270,
    /// Upside down.
    Hmirror,
    /// Left and right exchanged.
    Vmirror,
    /// Rows become columns.
    Dmirror,
    /// Rows become columns, over the other diagonal.
    Cmirror,
}

impl Symmetry {
    /// Every symmetry.
    pub const EVERY: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::Rot90,
        Symmetry::Rot180,
        Symmetry::Rot270,
        Symmetry::Hmirror,
        Symmetry::Vmirror,
        Symmetry::Dmirror,
        Symmetry::Cmirror,
    ];

    /// The symmetry that undoes this one.
    pub fn inverse(self) -> Symmetry {
        match self {
            Symmetry::Rot90 => Symmetry::Rot270,
            Symmetry::Rot270 => Symmetry::Rot90,
            other => other,
        }
    }

    /// Whether rows become columns.
    fn exchanges_sides(self) -> bool {
        use Symmetry::{Cmirror, Dmirror, Rot90, Rot270};
        matches!(self, Rot90 | Rot270 | Dmirror | Cmirror)
    }

    /// The cell of a grid of `height` × `width` that moves to row `i` and column `j`.
    fn origin(self, (height, width): (usize, usize), i: usize, j: usize) -> (usize, usize) {
        match self {
            Symmetry::Identity => (i, j),
            Symmetry::Rot90 => (height - 1 - j, i),
            Symmetry::Rot180 => (height - 1 - i, width - 1 - j),
            Symmetry::Rot270 => (j, width - 1 - i),
            Symmetry::Hmirror => (height - 1 - i, j),
            Symmetry::Vmirror => (i, width - 1 - j),
            Symmetry::Dmirror => (j, i),
            Symmetry::Cmirror => (height - 1 - j, width - 1 - i),
        }
    }
}

/// A change of all grids of a task.
///
/// ```
/// use leyden_grid::Grid;
/// use leyden_store::augment::{Change, Kinds, Symmetry};
///
/// let grid = Grid::from_rows(&[vec![0, 1, 2]])?;
/// let turned = Change { symmetry: Symmetry::Rot90, colours: [0, 5, 2, 3, 4, 1, 6, 7, 8, 9] };
/// let changed = turned.apply(&grid);
/// assert_eq!(changed, Grid::from_rows(&[vec![0], vec![5], vec![2]])?);
/// assert_eq!(turned.inverse().apply(&changed), grid);
/// # Ok::<(), leyden_grid::GridError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// How cells move.
    pub symmetry: Symmetry,
    /// The new colour of each colour.
    pub colours: [u8; N_COLOURS],
}

/// The kinds of changes to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    /// Turn and flip.
    pub symmetries: bool,
    /// Exchange the colours 1 to 9.
    pub colours: bool,
    /// Exchange 0, too, which is mostly the background.
    pub background: bool,
}

impl Change {
    /// The change of a copy, counted from 0. Eight copies in a row have different symmetries.
    pub fn of(seed: u64, id: &TaskId, copy: usize, kinds: Kinds) -> Change {
        let round = copy / Symmetry::EVERY.len();
        let mut symmetries = Symmetry::EVERY;
        shuffle(&mut symmetries, seed, id, "symmetries", round);
        let mut colours = PLAIN;
        if kinds.colours {
            let first = usize::from(!kinds.background);
            shuffle(&mut colours[first..], seed, id, "colours", copy);
        }
        Change {
            symmetry: if kinds.symmetries {
                symmetries[copy % Symmetry::EVERY.len()]
            } else {
                Symmetry::Identity
            },
            colours,
        }
    }

    /// The change that undoes this one. Colours that are not exchanged one for one stay.
    pub fn inverse(&self) -> Change {
        let mut colours = PLAIN;
        for (old, new) in self.colours.iter().enumerate() {
            if let Some(back) = colours.get_mut(usize::from(*new)) {
                *back = old as u8;
            }
        }
        Change {
            symmetry: self.symmetry.inverse(),
            colours,
        }
    }

    /// Whether each colour from 0 to 9 is the new colour of exactly one.
    pub fn is_permutation(&self) -> bool {
        let mut sorted = self.colours;
        sorted.sort_unstable();
        sorted == PLAIN
    }

    /// The changed grid.
    pub fn apply(&self, grid: &Grid) -> Grid {
        let (height, width) = grid.shape();
        let (rows, columns) = if self.symmetry.exchanges_sides() {
            (width, height)
        } else {
            (height, width)
        };
        let mut cells = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            for j in 0..columns {
                let (i, j) = self.symmetry.origin((height, width), i, j);
                let colour = grid.get(i, j).unwrap_or_default();
                let new = self.colours.get(usize::from(colour));
                cells.push(new.copied().unwrap_or(colour));
            }
        }
        // A grid stays a grid; the original is a harmless answer to an impossible error.
        Grid::from_cells(rows, columns, &cells).unwrap_or_else(|_| grid.clone())
    }

    /// The changed task, under another id.
    pub fn apply_to_task(&self, task: &Task, id: TaskId) -> Task {
        let demos = task.demos.iter().map(|pair| Pair {
            input: self.apply(&pair.input),
            output: self.apply(&pair.output),
        });
        let tests = task.tests.iter().map(|test| TestCase {
            input: self.apply(&test.input),
            output: test.output.as_ref().map(|output| self.apply(output)),
        });
        Task {
            id,
            demos: demos.collect(),
            tests: tests.collect(),
        }
    }
}

/// Every colour stays.
const PLAIN: [u8; N_COLOURS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// Shuffles a few items. The order depends only on the arguments, on every machine.
fn shuffle<T>(items: &mut [T], seed: u64, id: &TaskId, what: &str, copy: usize) {
    let text = format!("leyden augment 1\n{seed}\n{id}\n{what}\n{copy}");
    let digest = Sha256::digest(text.as_bytes());
    // Two bytes for each step; a bias of some thousandths does not matter here.
    let mut numbers = digest
        .chunks(2)
        .map(|two| two.iter().fold(0, |n, byte| 256 * n + usize::from(*byte)));
    for k in (1..items.len()).rev() {
        let other = numbers.next().unwrap_or_default() % (k + 1);
        items.swap(k, other);
    }
}

/// A changed copy of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The id of the original.
    pub original: TaskId,
    /// The change.
    pub change: Change,
    /// The changed task. Its id is that of the original with `.` and the number of the copy, from 1
    /// on.
    pub task: Task,
}

/// Makes `n_copies` changed copies of every task.
pub fn augment(
    tasks: &[Task],
    n_copies: usize,
    seed: u64,
    kinds: Kinds,
) -> Result<Vec<Copied>, TaskIdError> {
    let mut copies = Vec::with_capacity(tasks.len().saturating_mul(n_copies).min(1 << 20));
    for task in tasks {
        for copy in 0..n_copies {
            let id = TaskId::new(format!("{}.{}", task.id, copy + 1))?;
            let change = Change::of(seed, &task.id, copy, kinds);
            copies.push(Copied {
                original: task.id.clone(),
                change,
                task: change.apply_to_task(task, id),
            });
        }
    }
    Ok(copies)
}

/// Tasks as a file of challenges with test outputs, a task on each line.
pub fn challenges_json(tasks: &[&Task]) -> String {
    #[derive(Serialize)]
    struct Challenge<'t> {
        train: &'t [Pair],
        test: &'t [TestCase],
    }
    let line = |task: &&Task| {
        let challenge = Challenge {
            train: &task.demos,
            test: &task.tests,
        };
        let challenge = BTreeMap::from([(task.id.as_str(), challenge)]);
        // Ids are strings and grids are numbers, so JSON can express everything here.
        let text = serde_json::to_string(&challenge).unwrap_or_default();
        let inner = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        inner.unwrap_or_default().to_owned()
    };
    let lines: Vec<String> = tasks.iter().map(line).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Orders answers by votes: the answer that comes most often is first, and the earlier one of two
/// with equal votes.
pub fn by_votes(answers: impl IntoIterator<Item = Grid>) -> Vec<Grid> {
    let mut counted: Vec<(Grid, usize)> = Vec::new();
    for answer in answers {
        match counted.iter_mut().find(|(grid, _)| *grid == answer) {
            Some((_, n)) => *n += 1,
            None => counted.push((answer, 1)),
        }
    }
    counted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counted.into_iter().map(|(grid, _)| grid).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;
    use crate::{demo, parse_tasks};

    const ALL: Kinds = Kinds {
        symmetries: true,
        colours: true,
        background: false,
    };

    fn grid(rows: &[&[u8]]) -> Grid {
        let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
        Grid::from_rows(&rows).unwrap()
    }

    fn check(symmetry: Symmetry, expected: &[&[u8]]) {
        let change = Change {
            symmetry,
            colours: PLAIN,
        };
        let found = change.apply(&grid(&[&[1, 2, 3], &[4, 5, 6]]));
        assert_eq!(found, grid(expected), "{symmetry:?}");
    }

    #[test]
    fn symmetries_do_what_arc_dsl_does() {
        check(Symmetry::Identity, &[&[1, 2, 3], &[4, 5, 6]]);
        check(Symmetry::Rot90, &[&[4, 1], &[5, 2], &[6, 3]]);
        check(Symmetry::Rot180, &[&[6, 5, 4], &[3, 2, 1]]);
        check(Symmetry::Rot270, &[&[3, 6], &[2, 5], &[1, 4]]);
        check(Symmetry::Hmirror, &[&[4, 5, 6], &[1, 2, 3]]);
        check(Symmetry::Vmirror, &[&[3, 2, 1], &[6, 5, 4]]);
        check(Symmetry::Dmirror, &[&[1, 4], &[2, 5], &[3, 6]]);
        check(Symmetry::Cmirror, &[&[6, 3], &[5, 2], &[4, 1]]);
    }

    #[test]
    fn every_change_can_be_undone() {
        let tasks = demo::tasks();
        for copied in augment(&tasks, 9, 3, ALL).unwrap() {
            assert!(copied.change.is_permutation());
            let task = tasks.iter().find(|it| it.id == copied.original).unwrap();
            let back = copied.change.inverse();
            assert_eq!(back.apply_to_task(&copied.task, task.id.clone()), *task);
        }
    }

    #[test]
    fn the_seed_decides_and_black_stays() {
        let id = TaskId::new("a").unwrap();
        let of = |seed, copy| Change::of(seed, &id, copy, ALL);
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(2, 0));
        let symmetries: HashSet<Symmetry> = (0..8).map(|k| of(1, k).symmetry).collect();
        assert_eq!(symmetries.len(), 8);
        assert!((0..50).all(|copy| of(1, copy).colours[0] == 0));
        let background = Kinds {
            background: true,
            ..ALL
        };
        let moves = |copy| Change::of(1, &id, copy, background).colours[0] != 0;
        assert!((0..50).any(moves));
    }

    #[test]
    fn copies_are_read_back() {
        let copies = augment(&demo::tasks()[..3], 2, 1, ALL).unwrap();
        let tasks: Vec<&Task> = copies.iter().map(|it| &it.task).collect();
        let text = challenges_json(&tasks);
        let read = parse_tasks(Path::new("t.json"), text.as_bytes(), None).unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), tasks);
        assert_eq!(read[0].id.as_str(), "1e7d0001.1");
    }

    #[test]
    fn most_votes_win_and_the_first_of_equals() {
        let [a, b, c] = [1, 2, 3].map(|colour| grid(&[&[colour]]));
        let votes = [a.clone(), b.clone(), c.clone(), c.clone()];
        assert_eq!(by_votes(votes), [c, a, b]);
    }
}
