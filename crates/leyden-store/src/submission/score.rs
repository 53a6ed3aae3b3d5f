//! Three ways to count right answers.

use leyden_grid::{Grid, Task, TaskId};
use serde::Serialize;

use super::draft::{Answer, Draft};
use crate::error::StoreError;

/// The verdict on the answer to one test input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The first attempt is right.
    First,
    /// Only the second attempt is right.
    Second,
    /// The answer has an attempt, but none is right.
    Wrong,
    /// No attempt is a grid.
    Missing,
}

impl Verdict {
    fn of(answer: Option<&Answer>, expected: &Grid) -> Verdict {
        let is_right = |k: usize| answer.is_some_and(|answer| answer[k].as_ref() == Some(expected));
        let is_there = answer.is_some_and(|answer| answer.iter().any(Option::is_some));
        match (is_right(0), is_right(1), is_there) {
            (true, ..) => Verdict::First,
            (_, true, _) => Verdict::Second,
            (_, _, true) => Verdict::Wrong,
            _ => Verdict::Missing,
        }
    }

    /// Whether one of the two attempts is right.
    pub fn is_right(self) -> bool {
        matches!(self, Verdict::First | Verdict::Second)
    }
}

/// The verdicts on the answers to a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskResult {
    /// The task.
    pub id: TaskId,
    /// One verdict for each test input.
    pub verdicts: Vec<Verdict>,
}

impl TaskResult {
    /// The number of right outputs.
    pub fn n_right(&self) -> usize {
        self.verdicts
            .iter()
            .filter(|verdict| verdict.is_right())
            .count()
    }

    /// Whether all outputs are right.
    pub fn is_solved(&self) -> bool {
        self.n_right() == self.verdicts.len()
    }

    fn fraction(&self) -> f64 {
        self.n_right() as f64 / self.verdicts.len() as f64
    }
}

/// The result of a submission on every task of a data set. Tasks that the submission lacks count
/// too.
///
/// Three rules are in use. They disagree on tasks with several test inputs.
///
/// ```
/// use std::path::Path;
/// use leyden_store::submission::{Draft, ScoreCard};
///
/// let mut task = leyden_store::demo::tasks().remove(0);
/// task.tests = vec![task.tests[0].clone(), task.tests[0].clone()];
/// let right = serde_json::to_string(&task.tests[0].output).unwrap();
/// let text = format!(
///     r#"{{"{}": [{{"attempt_1": [[0]], "attempt_2": {right}}}]}}"#,
///     task.id,
/// );
/// let draft = Draft::parse(Path::new("s.json"), text.as_bytes())?;
/// let card = ScoreCard::of(&draft, &[task])?;
/// assert_eq!(card.outputs(), (1, 2)); // Kaggle's rule
/// assert_eq!(card.mean_of_tasks(), 0.5); // the mean of the fractions
/// assert_eq!(card.solved(), (0, 1)); // all or nothing
/// # Ok::<(), leyden_store::StoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreCard {
    /// Every task of the data set, in its order.
    pub tasks: Vec<TaskResult>,
}

impl ScoreCard {
    /// Compares answers with the test outputs of these tasks. Every test output must be known.
    pub fn of(draft: &Draft, tasks: &[Task]) -> Result<ScoreCard, StoreError> {
        let results = tasks.iter().map(|task| score(draft, task));
        Ok(ScoreCard {
            tasks: results.collect::<Result<_, _>>()?,
        })
    }

    /// Kaggle's rule: the number of right test outputs, and of all.
    pub fn outputs(&self) -> (usize, usize) {
        let n_right = self.tasks.iter().map(TaskResult::n_right).sum();
        let n_outputs = self.tasks.iter().map(|task| task.verdicts.len()).sum();
        (n_right, n_outputs)
    }

    /// The mean over tasks of the fraction of right outputs.
    pub fn mean_of_tasks(&self) -> f64 {
        let sum: f64 = self.tasks.iter().map(TaskResult::fraction).sum();
        sum / self.tasks.len().max(1) as f64
    }

    /// The number of tasks with all outputs right, and of all tasks.
    pub fn solved(&self) -> (usize, usize) {
        let n_solved = self.tasks.iter().filter(|task| task.is_solved()).count();
        (n_solved, self.tasks.len())
    }
}

fn score(draft: &Draft, task: &Task) -> Result<TaskResult, StoreError> {
    let id = task.id.clone();
    if task.tests.is_empty() {
        return Err(StoreError::NothingToScore { id });
    }
    let answers = draft.answers(id.as_str());
    let mut verdicts = Vec::with_capacity(task.tests.len());
    for (test_idx, test) in task.tests.iter().enumerate() {
        let Some(expected) = &test.output else {
            return Err(StoreError::UnknownOutput { id, test_idx });
        };
        verdicts.push(Verdict::of(answers.get(test_idx), expected));
    }
    Ok(TaskResult { id, verdicts })
}
