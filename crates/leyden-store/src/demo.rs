//! The built-in set: our tasks and solvers, which are part of the binary.

use std::path::Path;

use leyden_grid::Task;

use crate::load::parse_tasks;

/// The tasks, in the shape of Kaggle's challenges, with test outputs.
const TASKS: &str = include_str!("../demo/tasks.json");

/// The tasks without programs, in this shape, too.
const FAMILIES: &str = include_str!("../demo/families.json");

/// The solvers of the built-in tasks, as a program file in the arc-dsl dialect.
pub const SOLVERS: &str = include_str!("../demo/solvers.py");

/// The built-in tasks, sorted by id.
///
/// ```
/// let tasks = leyden_store::demo::tasks();
/// assert!(tasks.len() >= 16);
/// assert!(tasks.iter().all(|task| !task.demos.is_empty()));
/// ```
pub fn tasks() -> Vec<Task> {
    sorted(TASKS)
}

/// The built-in tasks without programs, sorted by id: one for each family of rules that a search
/// should find, with three demonstrations and a test. They stand apart because the tests and
/// documents state figures of the others.
///
/// ```
/// let families = leyden_store::demo::families();
/// assert!(families.len() >= 16);
/// assert!(families.iter().all(|task| task.demos.len() == 3 && task.tests.len() == 1));
/// ```
pub fn families() -> Vec<Task> {
    sorted(FAMILIES)
}

fn sorted(text: &str) -> Vec<Task> {
    let tasks = parse_tasks(Path::new("demo"), text.as_bytes(), None);
    let mut tasks = tasks.expect("the built-in tasks are well formed: a test reads them");
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_complete_and_has_a_solver() {
        for task in tasks() {
            assert!(
                !task.demos.is_empty() && !task.tests.is_empty(),
                "{}",
                task.id
            );
            assert!(
                task.tests.iter().all(|test| test.output.is_some()),
                "{}",
                task.id
            );
            let solver = format!("def solve_{}(", task.id);
            assert!(SOLVERS.contains(&solver), "{}", task.id);
        }
    }

    #[test]
    fn every_family_has_one_complete_task() {
        let families = families();
        let mut all: Vec<Task> = tasks();
        all.extend(families.iter().cloned());
        assert!(
            crate::DataSet::new("both", all).is_ok(),
            "an id occurs twice"
        );
        for task in families {
            let n_right = task.tests.iter().filter(|it| it.output.is_some()).count();
            assert_eq!((task.demos.len(), n_right), (3, 1), "{}", task.id);
        }
    }

    #[test]
    fn every_solver_has_a_task() {
        assert_eq!(SOLVERS.matches("\ndef solve_").count(), tasks().len());
    }
}
