//! A submission beside the tasks that it should answer.

use std::collections::BTreeSet;
use std::path::Path;

use leyden_grid::Task;
use leyden_store::DataSet;
use leyden_store::submission::{Draft, Problems};

use crate::args::AnsweredArgs;
use crate::failure::Failure;
use crate::output::remark;
use crate::pipeline::load::{ids_of, load_local};
use crate::report::score::Missing;

/// The tasks that the arguments choose, and a submission.
pub(crate) struct Answered {
    /// The chosen tasks.
    pub(crate) data: DataSet,
    pub(crate) draft: Draft,
    /// The ids of all tasks, chosen or not.
    all: Vec<String>,
}

impl Answered {
    /// Reads both. Prints a remark if the submission is for other data.
    pub(crate) fn read(args: &AnsweredArgs, submission: &Path) -> Result<Answered, Failure> {
        let mut data = load_local(&args.data, args.solutions.as_deref())?;
        let all = ids_of(&data.tasks);
        let tasks = std::mem::take(&mut data.tasks);
        data.tasks = args.choice.select(tasks, &data.name)?;
        let draft = Draft::read(submission)?;
        if !all.iter().any(|id| draft.names(id)) {
            remark(&format!(
                "note: {} has no task in common with {}; is --data right?\n",
                submission.display(),
                data.name
            ));
        }
        Ok(Answered { data, draft, all })
    }

    /// How many tasks the data has, chosen or not.
    pub(crate) fn n_all(&self) -> usize {
        self.all.len()
    }

    /// Every reason for Kaggle to refuse the submission for the chosen tasks. Answers to tasks that
    /// were not chosen do no harm.
    pub(crate) fn problems(&self) -> Problems {
        let mut problems = self.draft.check(&self.data.tasks);
        let chosen: BTreeSet<&str> = self
            .data
            .tasks
            .iter()
            .map(|task| task.id.as_str())
            .collect();
        let all: BTreeSet<&str> = self.all.iter().map(String::as_str).collect();
        problems.listed.retain(|problem| {
            let task = problem.task.as_deref();
            task.is_none_or(|task| chosen.contains(task) || !all.contains(task))
        });
        problems
    }

    /// The chosen tasks that the submission leaves out.
    pub(crate) fn missing(&self) -> Missing<'_> {
        let is_missing = |task: &&Task| !self.draft.names(task.id.as_str());
        let missing = self.data.tasks.iter().filter(is_missing);
        Missing {
            ids: missing.map(|task| task.id.as_str()).collect(),
            n_tasks: self.data.tasks.len(),
            hint: self.hint(),
        }
    }

    /// The options that choose the tasks with an answer in the submission.
    fn hint(&self) -> Option<String> {
        let there = |(_, id): &(usize, &String)| self.draft.names(id);
        let there: Vec<(usize, &String)> = self.all.iter().enumerate().filter(there).collect();
        let ((first, id), (last, _)) = (there.first()?, there.last()?);
        let is_row = last - first + 1 == there.len();
        Some(match there.len() {
            1 => format!("--task {id}"),
            n if is_row && *first == 0 => format!("-n {n}"),
            n if is_row => format!("-s {first} -n {n}"),
            _ => format!("--task {id} --task …"),
        })
    }
}
