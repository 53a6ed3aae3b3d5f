//! [`DataSet`]: tasks with a name and a fingerprint.

use std::path::Path;

use leyden_grid::{Grid, Task, TaskId};
use xxhash_rust::xxh3::Xxh3;

use crate::error::StoreError;
use crate::shape::Solutions;

/// The version of the canonical bytes. It changes whenever they do, so an old hash never equals a
/// new one.
const HASH_VERSION: &[u8] = b"leyden data set 1";

/// Tasks in the order of their ids, with the name of the data set and a hash of its content.
///
/// The hash depends only on ids, grids and their order within a task. Equal tasks have one hash,
/// whether they come from a directory or from one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSet {
    /// The name by which the data set was requested.
    pub name: String,
    /// XXH3-128 of the canonical content, as 32 hexadecimal digits.
    pub hash: String,
    /// The tasks, sorted by id. No id occurs twice.
    pub tasks: Vec<Task>,
}

impl DataSet {
    /// Makes a data set of these tasks, in any order.
    pub fn new(name: impl Into<String>, mut tasks: Vec<Task>) -> Result<DataSet, StoreError> {
        let name = name.into();
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        if let Some(twice) = tasks.windows(2).find(|pair| pair[0].id == pair[1].id) {
            let id = twice[0].id.clone();
            return Err(StoreError::DuplicateId { data: name, id });
        }
        Ok(DataSet {
            name,
            hash: content_hash(&tasks),
            tasks,
        })
    }

    /// The task with this id.
    pub fn task(&self, id: &str) -> Option<&Task> {
        let at = self.tasks.binary_search_by(|task| task.id.as_str().cmp(id));
        at.ok().map(|at| &self.tasks[at])
    }

    /// Fills in test outputs from a solutions file. The hash becomes that of the completed tasks.
    pub fn with_solutions(
        mut self,
        mut solutions: Solutions,
        file: &Path,
    ) -> Result<DataSet, StoreError> {
        for task in &mut self.tasks {
            let grids = solutions.remove(&task.id);
            let grids = grids.ok_or_else(|| missing_solution(file, &self.name, &task.id))?;
            solve(task, grids, file, &self.name)?;
        }
        match solutions.into_keys().next() {
            Some(id) => Err(unknown_solution(file, self.name, id)),
            None => DataSet::new(self.name, self.tasks),
        }
    }
}

fn solve(task: &mut Task, grids: Vec<Grid>, file: &Path, data: &str) -> Result<(), StoreError> {
    let (file, id) = (file.to_owned(), task.id.clone());
    let (expected, found) = (task.tests.len(), grids.len());
    if expected != found {
        return Err(StoreError::SolutionCount {
            file,
            id,
            expected,
            found,
        });
    }
    if task.tests.iter().any(|test| test.output.is_some()) {
        return Err(StoreError::SolvedTwice {
            file,
            data: data.to_owned(),
            id,
        });
    }
    for (test, grid) in task.tests.iter_mut().zip(grids) {
        test.output = Some(grid);
    }
    Ok(())
}

fn missing_solution(file: &Path, data: &str, id: &TaskId) -> StoreError {
    StoreError::MissingSolution {
        file: file.to_owned(),
        data: data.to_owned(),
        id: id.clone(),
    }
}

fn unknown_solution(file: &Path, data: String, id: TaskId) -> StoreError {
    StoreError::UnknownSolution {
        file: file.to_owned(),
        data,
        id,
    }
}

/// Appends the canonical bytes of a task, which the hash reads. Every length comes before the items
/// it counts, so different tasks have different bytes.
fn canonical_bytes(task: &Task, bytes: &mut Vec<u8>) {
    bytes.clear();
    put_length(bytes, task.id.as_str().len());
    bytes.extend(task.id.as_str().as_bytes());
    put_length(bytes, task.demos.len());
    for pair in &task.demos {
        put_grid(bytes, Some(&pair.input));
        put_grid(bytes, Some(&pair.output));
    }
    put_length(bytes, task.tests.len());
    for test in &task.tests {
        put_grid(bytes, Some(&test.input));
        put_grid(bytes, test.output.as_ref());
    }
}

fn put_length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend((length as u64).to_le_bytes());
}

/// Appends a grid. A missing grid becomes a grid of no rows, which cannot exist.
fn put_grid(bytes: &mut Vec<u8>, grid: Option<&Grid>) {
    match grid {
        None => bytes.extend([0, 0]),
        Some(grid) => {
            bytes.extend([grid.height() as u8, grid.width() as u8]);
            bytes.extend(grid.cells());
        }
    }
}

/// The hash of a task's id, grids and their order. A data set of only this task has this hash.
///
/// ```
/// let tasks = leyden_store::demo::tasks();
/// assert_ne!(leyden_store::task_hash(&tasks[0]), leyden_store::task_hash(&tasks[1]));
/// ```
pub fn task_hash(task: &Task) -> String {
    content_hash(std::slice::from_ref(task))
}

fn content_hash(tasks: &[Task]) -> String {
    let mut hasher = Xxh3::new();
    hasher.update(HASH_VERSION);
    let mut bytes = Vec::new();
    for task in tasks {
        canonical_bytes(task, &mut bytes);
        hasher.update(&bytes);
    }
    format!("{:032x}", hasher.digest128())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use leyden_grid::{Pair, TestCase};

    use super::*;

    fn grid(colour: u8) -> Grid {
        Grid::from_rows(&[vec![colour]]).unwrap()
    }

    fn task(id: &str, tests: usize, output: Option<Grid>) -> Task {
        let test = TestCase {
            input: grid(3),
            output,
        };
        Task {
            id: TaskId::new(id).unwrap(),
            demos: vec![Pair {
                input: grid(1),
                output: grid(2),
            }],
            tests: vec![test; tests],
        }
    }

    fn data(tasks: &[Task]) -> DataSet {
        DataSet::new("d", tasks.to_vec()).unwrap()
    }

    #[test]
    fn order_of_tasks_changes_nothing() {
        let (a, b) = (task("a", 1, None), task("b", 1, None));
        assert_eq!(data(&[a.clone(), b.clone()]), data(&[b, a]));
    }

    #[test]
    fn any_change_of_content_changes_the_hash() {
        let base = task("a", 1, None);
        let mut swapped = base.clone();
        swapped.demos[0] = Pair {
            input: grid(2),
            output: grid(1),
        };
        let mut moved = base.clone();
        moved.demos.push(Pair {
            input: grid(3),
            output: grid(3),
        });
        moved.tests.clear();
        let others = [
            task("b", 1, None),
            task("a", 2, None),
            task("a", 1, Some(grid(0))),
        ];
        let mut hashes = BTreeSet::from([data(&[base]).hash]);
        for other in others.into_iter().chain([swapped, moved]) {
            assert!(hashes.insert(data(&[other]).hash));
        }
    }

    #[test]
    fn the_hash_is_the_same_on_every_machine() {
        assert_eq!(
            data(&[task("a", 1, None)]).hash,
            "dda0d6ee935d88478a862305bce5f314"
        );
    }

    #[test]
    fn an_id_may_come_only_once() {
        let error = DataSet::new("d", vec![task("a", 1, None); 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "d: the task a is in the data more than once"
        );
    }

    #[test]
    fn tasks_are_found_by_id() {
        let data = data(&[task("b", 1, None), task("a", 2, None)]);
        assert_eq!(data.task("a").unwrap().tests.len(), 2);
        assert_eq!(data.task("c"), None);
    }

    fn solved(tasks: &[Task], solutions: &[(&str, usize)]) -> Result<DataSet, String> {
        let entry = |&(id, n): &(&str, usize)| (TaskId::new(id).unwrap(), vec![grid(9); n]);
        let solutions = solutions.iter().map(entry).collect();
        let solved = data(tasks).with_solutions(solutions, Path::new("s.json"));
        solved.map_err(|error| error.to_string())
    }

    #[test]
    fn solutions_complete_the_tasks() {
        let expected = data(&[task("a", 2, Some(grid(9)))]);
        assert_eq!(solved(&[task("a", 2, None)], &[("a", 2)]), Ok(expected));
    }

    #[test]
    fn solutions_must_fit() {
        let check = |tasks: &[Task], solutions: &[(&str, usize)], expected: &str| {
            assert_eq!(solved(tasks, solutions).unwrap_err(), expected);
        };
        let open = [task("a", 2, None)];
        check(
            &open,
            &[("a", 1)],
            "s.json: 1 solution for the task a, which has 2 test inputs",
        );
        check(
            &open,
            &[("a", 2), ("b", 1)],
            "s.json: a solution for b, but d has no such task; do these files belong together?",
        );
        check(
            &open,
            &[],
            "s.json: there is no solution for the task a of d; do these files belong together?",
        );
        check(
            &[task("a", 2, Some(grid(1)))],
            &[("a", 2)],
            "s.json: solutions for a, but d has its test outputs already; leave out the solutions file",
        );
    }
}
