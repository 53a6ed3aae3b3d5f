//! Verdicts on proposed programs: right, close, or where they go wrong first.
//!
//! A [`Judge`] runs a program on the demonstrations of a puzzle and gives credit. It serves any
//! number of threads.
//!
//! ```
//! use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
//! use leyden_grid::{Grid, Pair, Puzzle, TaskId};
//! use leyden_search::judge::{FirstWrong, Judge};
//!
//! let demo = Pair {
//!     input: Grid::from_rows(&[vec![1, 2]])?,
//!     output: Grid::from_rows(&[vec![2, 1]])?,
//! };
//! let puzzle = Puzzle { id: TaskId::new("mirror")?, demos: vec![demo], test_inputs: vec![] };
//! let judge = Judge::new().unwrap();
//! let verdict = |text: &str| {
//!     let programs = leyden_lang::parse(text, "proposal", None).unwrap();
//!     judge.verdict(&puzzle, &programs[0], DEFAULT_FUEL, &CancelToken::new())
//! };
//! assert!(verdict("def solve(I):\n    return vmirror(I)\n").fits());
//!
//! let wrong = verdict("def solve(I):\n    return I\n");
//! assert!(!wrong.fits() && wrong.credit() > 0.0);
//! let cell = FirstWrong::Cell { row: 0, column: 0, got: 1, expected: 2 };
//! assert_eq!(wrong.first_wrong, Some((0, cell)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Outcome, OutputGrid, Ran, Ready, Sample, Worker, with_large_stack};
use leyden_grid::{Grid, Pair, Puzzle};
use leyden_lang::{Diagnostic, Program};

use crate::scores::Scorer;

/// The best credit of a program that does not get all demonstrations right.
pub const MOST_OF_WRONG: f64 = 99.9;

/// Judges programs on the demonstrations of puzzles.
///
/// A program sees the demonstrations as `S` and never the expected output: `C` is `None`, as it is
/// for test inputs.
#[derive(Debug)]
pub struct Judge {
    scorer: Scorer,
}

impl Judge {
    /// Makes Leyden's own scoring programs ready. The errors are those of the scoring programs,
    /// which a build without damage does not have.
    pub fn new() -> Result<Judge, Vec<Diagnostic>> {
        Scorer::own().map(|scorer| Judge { scorer })
    }

    /// Runs a program on all demonstrations, each with this much fuel. If `cancel` is cancelled,
    /// the verdict has outcomes that say so and is worth nothing.
    pub fn verdict(
        &self,
        puzzle: &Puzzle,
        program: &Program,
        fuel: u64,
        cancel: &CancelToken,
    ) -> Judgement {
        with_large_stack(|| {
            let inputs = puzzle.demos.iter().map(|pair| &pair.input);
            let ran = run_all(puzzle, program, inputs, fuel, cancel);
            let demos = self.judged(puzzle, ran, cancel);
            self.judgement(puzzle, program, demos)
        })
    }

    /// The program's answers for the test inputs, without a verdict.
    pub fn answers(
        puzzle: &Puzzle,
        program: &Program,
        fuel: u64,
        cancel: &CancelToken,
    ) -> Vec<Outcome> {
        let inputs = puzzle.test_inputs.iter();
        let ran = with_large_stack(|| run_all(puzzle, program, inputs, fuel, cancel));
        ran.into_iter().map(|ran| ran.outcome).collect()
    }

    /// Compares each outcome with the expected output, and gives credit.
    fn judged(&self, puzzle: &Puzzle, ran: Vec<Ran>, cancel: &CancelToken) -> Vec<JudgedDemo> {
        let compared = ran.into_iter().zip(&puzzle.demos);
        let mut demos: Vec<JudgedDemo> = compared
            .map(|(ran, pair)| JudgedDemo {
                is_right: ran.outcome.equals(&pair.output),
                credit: self.scorer.full(),
                ran,
            })
            .collect();
        if demos.iter().all(|demo| demo.is_right) {
            return demos;
        }
        self.scorer.with_worker(cancel, |marker| {
            let wrong = demos.iter_mut().enumerate().filter(|(_, it)| !it.is_right);
            wrong.for_each(|(k, demo)| {
                demo.credit = self.credit(marker, (puzzle, k), &demo.ran.outcome);
            });
        });
        demos
    }

    /// The credit for a wrong outcome; nothing for an outcome that is not a grid of a task.
    fn credit(
        &self,
        marker: &mut Worker<'_>,
        (puzzle, demo): (&Puzzle, usize),
        outcome: &Outcome,
    ) -> u32 {
        let mut sum = 0;
        if let Some(grid) = grid_of_task(outcome) {
            let add = |_, credit| sum += credit;
            self.scorer.mark(marker, (puzzle, demo), [&grid], add);
        }
        sum
    }

    fn judgement(&self, puzzle: &Puzzle, program: &Program, demos: Vec<JudgedDemo>) -> Judgement {
        let pairs = || demos.iter().zip(&puzzle.demos).enumerate();
        let wrong = |(k, (demo, pair)): (usize, (&JudgedDemo, &Pair))| {
            FirstWrong::of(&demo.ran.outcome, &pair.output).map(|wrong| (k, wrong))
        };
        let fault = |(k, (demo, _)): (usize, (&JudgedDemo, &Pair))| {
            FirstFault::of(&demo.ran.outcome, program, k)
        };
        Judgement {
            full_credit: self.scorer.full(),
            first_wrong: pairs().find_map(wrong),
            error: pairs().find_map(fault),
            demos,
        }
    }
}

/// Runs a program on grids, as `leyden eval` does, with the demonstrations as `S`.
fn run_all<'g>(
    puzzle: &Puzzle,
    program: &Program,
    inputs: impl Iterator<Item = &'g Grid>,
    fuel: u64,
    cancel: &CancelToken,
) -> Vec<Ran> {
    let engine = Engine {
        fuel,
        cancel: cancel.clone(),
        ..Engine::default()
    };
    let ready = Ready::of(program);
    let run = |input| {
        let sample = Sample {
            input,
            demos: &puzzle.demos,
            expected: None,
        };
        engine.run_again(program, &ready, &sample)
    };
    inputs.map(run).collect()
}

fn grid_of_task(outcome: &Outcome) -> Option<Grid> {
    match outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        _ => None,
    }
}

/// The result of a program on a demonstration.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedDemo {
    /// The end of the run.
    pub ran: Ran,
    /// Whether the outcome is the expected output.
    pub is_right: bool,
    /// The credit, of [`Judgement::full_credit`].
    pub credit: u32,
}

/// The result of a program on the demonstrations of a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The result on each demonstration.
    pub demos: Vec<JudgedDemo>,
    /// The credit of a right output.
    pub full_credit: u32,
    /// The first demonstration that is not right, and what differs there.
    pub first_wrong: Option<(usize, FirstWrong)>,
    /// The first fault.
    pub error: Option<FirstFault>,
}

impl Judgement {
    /// Whether the program gives every demonstration's output. A puzzle without demonstrations
    /// fits no program.
    pub fn fits(&self) -> bool {
        !self.demos.is_empty() && self.demos.iter().all(|demo| demo.is_right)
    }

    /// The number of demonstrations that are right.
    pub fn n_right(&self) -> usize {
        self.demos.iter().filter(|demo| demo.is_right).count()
    }

    /// The partial credit, 0 to 100. Only a program that fits reaches 100.
    pub fn credit(&self) -> f64 {
        if self.fits() {
            return 100.0;
        }
        let most = self.full_credit * self.demos.len() as u32;
        let sum: u32 = self.demos.iter().map(|demo| demo.credit).sum();
        (f64::from(sum) * 100.0 / f64::from(most.max(1))).min(MOST_OF_WRONG)
    }

    /// The fuel of all demonstrations.
    pub fn fuel(&self) -> u64 {
        let fuel = self.demos.iter().map(|demo| demo.ran.fuel);
        fuel.fold(0, u64::saturating_add)
    }
}

/// The first fault of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstFault {
    /// The demonstration.
    pub demo: usize,
    /// The exception or limit.
    pub fault: Fault,
    /// The line in the program's source, counted from 1.
    pub line: Option<u32>,
}

impl FirstFault {
    fn of(outcome: &Outcome, program: &Program, demo: usize) -> Option<FirstFault> {
        let Outcome::Fault { fault, line } = *outcome else {
            return None;
        };
        let line = program.lines.get(line as usize);
        Some(FirstFault {
            demo,
            fault,
            line: line.map(|line| line.source_line),
        })
    }
}

/// The first difference between an outcome and the expected output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstWrong {
    /// A cell, the first one row by row.
    Cell {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The number in the outcome.
        got: i64,
        /// The right colour.
        expected: u8,
    },
    /// The sizes, as height and width.
    Size {
        /// The size of the outcome.
        got: (usize, usize),
        /// The right size.
        expected: (usize, usize),
    },
    /// The outcome is a grid whose rows have different lengths.
    Ragged,
    /// The outcome is a value that is not a grid.
    Value,
    /// The run ended with a fault.
    Fault,
}

impl FirstWrong {
    /// The first difference; `None` if there is none.
    pub fn of(outcome: &Outcome, expected: &Grid) -> Option<FirstWrong> {
        match outcome {
            outcome if outcome.equals(expected) => None,
            Outcome::Grid(grid) => Some(difference(grid, expected)),
            Outcome::Value(_) => Some(FirstWrong::Value),
            Outcome::Fault { .. } => Some(FirstWrong::Fault),
        }
    }
}

fn difference(grid: &OutputGrid, expected: &Grid) -> FirstWrong {
    let rows = grid.rows();
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return FirstWrong::Ragged;
    }
    let (got, wanted) = ((rows.len(), width), expected.shape());
    let ours = rows.iter().flatten();
    let mut cells = ours.zip(expected.cells()).enumerate();
    let differs = |(_, (ours, theirs)): &(usize, (&i64, &u8))| **ours != i64::from(**theirs);
    match cells.find(differs) {
        Some((k, (ours, theirs))) if got == wanted => FirstWrong::Cell {
            row: k / width,
            column: k % width,
            got: *ours,
            expected: *theirs,
        },
        _ => FirstWrong::Size {
            got,
            expected: wanted,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_dsl::meter::DEFAULT_FUEL;
    use leyden_grid::TaskId;

    fn grid(rows: &[&[u8]]) -> Grid {
        let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
        Grid::from_rows(&rows).unwrap()
    }

    /// Two demonstrations that mirror, and a test.
    fn mirrors() -> Puzzle {
        let pair = |input, output| Pair { input, output };
        Puzzle {
            id: TaskId::new("mirrors").unwrap(),
            demos: vec![
                pair(grid(&[&[1, 1]]), grid(&[&[1, 1]])),
                pair(grid(&[&[1, 2], &[3, 4]]), grid(&[&[2, 1], &[4, 3]])),
            ],
            test_inputs: vec![grid(&[&[5, 6]])],
        }
    }

    fn program(text: &str) -> Program {
        let mut programs = leyden_lang::parse(text, "a.py", None).unwrap();
        programs.pop().unwrap()
    }

    fn judged(puzzle: &Puzzle, text: &str, fuel: u64) -> Judgement {
        let judge = Judge::new().unwrap();
        judge.verdict(puzzle, &program(text), fuel, &CancelToken::new())
    }

    fn first_wrong(body: &str) -> Option<(usize, FirstWrong)> {
        let text = format!("def solve(I):\n    return {body}\n");
        judged(&mirrors(), &text, DEFAULT_FUEL).first_wrong
    }

    #[test]
    fn only_a_program_that_fits_has_full_credit() {
        let right = judged(
            &mirrors(),
            "def solve(I):\n    return vmirror(I)\n",
            DEFAULT_FUEL,
        );
        assert!(right.fits());
        assert_eq!((right.credit(), right.n_right()), (100.0, 2));
        let close = judged(&mirrors(), "def solve(I):\n    return I\n", DEFAULT_FUEL);
        assert!(!close.fits());
        assert_eq!(close.n_right(), 1);
        assert!(close.credit() > 50.0 && close.credit() <= MOST_OF_WRONG);
        let far = judged(
            &mirrors(),
            "def solve(I):\n    return palette(I)\n",
            DEFAULT_FUEL,
        );
        assert_eq!((far.credit(), far.n_right()), (0.0, 0));
    }

    #[test]
    fn the_first_difference_has_its_place() {
        let cell = |row, column, got, expected| FirstWrong::Cell {
            row,
            column,
            got,
            expected,
        };
        assert_eq!(first_wrong("vmirror(I)"), None);
        assert_eq!(first_wrong("I"), Some((1, cell(0, 0, 1, 2))));
        assert_eq!(
            first_wrong("replace(vmirror(I), 3, 7)"),
            Some((1, cell(1, 1, 7, 3)))
        );
        let sizes = FirstWrong::Size {
            got: (2, 1),
            expected: (1, 2),
        };
        assert_eq!(first_wrong("dmirror(I)"), Some((0, sizes)));
        let longer = FirstWrong::Size {
            got: (2, 2),
            expected: (1, 2),
        };
        assert_eq!(first_wrong("vconcat(I, I)"), Some((0, longer)));
        assert_eq!(first_wrong("((1, 1), (1,))"), Some((0, FirstWrong::Ragged)));
        assert_eq!(first_wrong("palette(I)"), Some((0, FirstWrong::Value)));
        assert_eq!(first_wrong("first(())"), Some((0, FirstWrong::Fault)));
    }

    #[test]
    fn faults_have_their_line_in_the_source() {
        let text =
            "\n# a comment\ndef solve(I):\n    x1 = I\n\n    x2 = first(())\n    return x2\n";
        let judgement = judged(&mirrors(), text, DEFAULT_FUEL);
        let error = judgement.error.unwrap();
        assert_eq!(
            (error.demo, error.fault, error.line),
            (0, Fault::StopIteration, Some(6))
        );
        let text = "def solve(I):\n    return asindices(vconcat(I, I))\n";
        let error = judged(&mirrors(), text, 3).error.unwrap();
        assert_eq!(error.fault, Fault::Fuel);
    }

    #[test]
    fn no_program_sees_the_expected_output() {
        let text = "def solve(S, I, C):\n    return C\n";
        let judgement = judged(&mirrors(), text, DEFAULT_FUEL);
        assert_eq!(judgement.first_wrong, Some((0, FirstWrong::Value)));
        // The demonstrations are part of the task.
        let text = "def solve(S, I, C):\n    return last(first(S))\n";
        assert_eq!(judged(&mirrors(), text, DEFAULT_FUEL).n_right(), 1);
    }

    #[test]
    fn a_puzzle_without_demonstrations_fits_nothing() {
        let puzzle = Puzzle {
            demos: Vec::new(),
            ..mirrors()
        };
        let judgement = judged(&puzzle, "def solve(I):\n    return I\n", DEFAULT_FUEL);
        assert!(!judgement.fits());
        assert_eq!((judgement.credit(), judgement.fuel()), (0.0, 0));
    }

    #[test]
    fn answers_are_those_for_the_test_inputs() {
        let program = program("def solve(I):\n    return vmirror(I)\n");
        let answers = Judge::answers(&mirrors(), &program, DEFAULT_FUEL, &CancelToken::new());
        assert_eq!(answers.len(), 1);
        assert!(answers[0].equals(&grid(&[&[6, 5]])));
    }
}
