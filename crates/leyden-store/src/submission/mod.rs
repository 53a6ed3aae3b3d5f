//! Answers in Kaggle's form: read, checked, scored, written.
//!
//! A [`Submission`] is complete and well formed by its type, so Kaggle accepts every file written
//! from one. A [`Draft`] is the content of a file, with all its problems. It can be
//! [checked](Draft::check) and [scored](ScoreCard::of) against tasks, which never come from the
//! file itself.

mod draft;
mod score;

use std::collections::BTreeMap;
use std::path::Path;

use leyden_grid::{Grid, Puzzle, Task, TaskId};
use serde::Serialize;

pub use draft::{Answer, Draft, MOST_PROBLEMS, Problems, SubmissionProblem};
pub use score::{ScoreCard, TaskResult, Verdict};

use crate::atomic::write_atomic;
use crate::error::StoreError;

/// The names of the two attempts.
pub const ATTEMPTS: [&str; 2] = ["attempt_1", "attempt_2"];

/// Two answers to one test input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attempts {
    /// The better one.
    pub attempt_1: Grid,
    /// The other one.
    pub attempt_2: Grid,
}

impl Attempts {
    /// Takes the first two candidates. The input replaces a missing one, since every attempt has to
    /// be a grid.
    pub fn of(candidates: &[Grid], input: &Grid) -> Attempts {
        let candidate = |k: usize| candidates.get(k).unwrap_or(input).clone();
        Attempts {
            attempt_1: candidate(0),
            attempt_2: candidate(1),
        }
    }
}

/// Two answers to every test input of every task, as Kaggle requires.
///
/// ```
/// use leyden_store::submission::{Attempts, Draft, Submission};
///
/// let tasks = leyden_store::demo::tasks();
/// let puzzles: Vec<_> = tasks.iter().map(|task| task.puzzle()).collect();
/// let submission = Submission::answer(&puzzles, |puzzle, test_idx| {
///     Attempts::of(&[], &puzzle.test_inputs[test_idx])
/// });
///
/// let dir = tempfile::tempdir()?;
/// let file = dir.path().join("submission.json");
/// submission.write(&file)?;
/// assert!(Draft::read(&file)?.check(&tasks).is_empty());
/// assert_eq!(Submission::read(&file, &tasks)?, submission);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Submission {
    answers: BTreeMap<TaskId, Vec<Attempts>>,
}

impl Submission {
    /// Answers every test input of every task.
    pub fn answer(
        puzzles: &[Puzzle],
        mut attempts: impl FnMut(&Puzzle, usize) -> Attempts,
    ) -> Submission {
        let mut answer = |puzzle: &Puzzle| {
            let indices = 0..puzzle.test_inputs.len();
            let answers = indices.map(|test_idx| attempts(puzzle, test_idx)).collect();
            (puzzle.id.clone(), answers)
        };
        Submission {
            answers: puzzles.iter().map(&mut answer).collect(),
        }
    }

    /// Reads a submission for these tasks; refuses a file that Kaggle would refuse.
    pub fn read(file: &Path, tasks: &[Task]) -> Result<Submission, StoreError> {
        Draft::read(file)?.complete(file, tasks)
    }

    /// The answers, by task.
    pub fn answers(&self) -> &BTreeMap<TaskId, Vec<Attempts>> {
        &self.answers
    }

    /// Writes the submission as Kaggle wants it, on one line.
    pub fn to_json(&self) -> String {
        // Ids are strings and grids are numbers, so JSON can express everything here.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Writes the file, which appears whole or not at all.
    pub fn write(&self, file: &Path) -> Result<(), StoreError> {
        write_atomic(file, self.to_json().as_bytes())
    }
}

impl Draft {
    fn complete(self, file: &Path, tasks: &[Task]) -> Result<Submission, StoreError> {
        let problems = self.check(tasks);
        if let Some(first) = problems.listed.first() {
            return Err(StoreError::BadSubmission {
                file: file.to_owned(),
                problem: Box::new(first.clone()),
                n_more: problems.len() - 1,
            });
        }
        let answers = tasks.iter().map(|task| {
            let answers = self.answers(task.id.as_str());
            (task.id.clone(), answers.iter().filter_map(both).collect())
        });
        Ok(Submission {
            answers: answers.collect(),
        })
    }
}

fn both(answer: &Answer) -> Option<Attempts> {
    let [Some(attempt_1), Some(attempt_2)] = answer.clone() else {
        return None;
    };
    Some(Attempts {
        attempt_1,
        attempt_2,
    })
}
