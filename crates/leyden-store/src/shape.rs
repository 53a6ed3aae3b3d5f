//! The shapes of ARC data. Leyden tells them apart by content, never by file name.

use std::collections::BTreeMap;
use std::fmt;

use leyden_grid::{Grid, Pair, Task, TaskId, TestCase};

use crate::json::{Fault, Kind, Problem, Read, Reader};
use crate::spec::Subset;

/// The right answers of a Kaggle solutions file, a list of grids for each task.
pub type Solutions = BTreeMap<TaskId, Vec<Grid>>;

/// The shape of a JSON file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// `{"train": [pair, …], "test": [pair, …]}`: one task, named by its file.
    Task,
    /// `[pair, …]`: the pairs of one task, named by its file.
    Pairs,
    /// `{id: task, …}`: Kaggle's challenges.
    Challenges,
    /// `{"train": {id: task, …}, "eval": {id: task, …}}`: both halves of a data set.
    Halves,
    /// `{id: [grid, …], …}`: Kaggle's solutions.
    Solutions,
    /// `{id: [{"attempt_1": grid, …}, …], …}`: answers, not tasks.
    Submission,
    /// `[grid, …]`: grids alone.
    Grids,
    /// An empty list or object.
    Nothing,
    /// JSON, but none of the above.
    Unknown,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Task => "a task",
            Shape::Pairs => "a list of pairs",
            Shape::Challenges => "a map from ids to tasks",
            Shape::Halves => "a training and an evaluation set",
            Shape::Solutions => "a map from ids to solutions",
            Shape::Submission => "a submission",
            Shape::Grids => "a list of grids",
            Shape::Nothing => "an empty list or object",
            Shape::Unknown => "other JSON",
        })
    }
}

impl Shape {
    /// Advice for a user whose file has this shape where another is needed.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Shape::Submission => "; `leyden score` and `leyden submit-check` take submissions",
            Shape::Grids => "; `leyden eval --inputs` takes lists of grids",
            Shape::Unknown => "; `leyden help run` names the forms of data",
            _ => "",
        }
    }
}

/// Finds the shape of a document, and reads no more of it than needed.
pub(crate) fn recognise(text: &str) -> Read<Shape> {
    let mut reader = Reader::new(text);
    match reader.kind()? {
        Kind::Object => recognise_object(&mut reader),
        Kind::List => recognise_list(&mut reader),
        Kind::Scalar => match reader.clone().skip() {
            Ok(()) => Ok(Shape::Unknown),
            Err(_) => Err(reader.not_json()),
        },
    }
}

fn recognise_list(reader: &mut Reader<'_>) -> Read<Shape> {
    reader.begin(b'[', "a list")?;
    if !reader.more(b']', 0)? {
        return Ok(Shape::Nothing);
    }
    Ok(match reader.kind()? {
        Kind::Object => Shape::Pairs,
        Kind::List => Shape::Grids,
        Kind::Scalar => Shape::Unknown,
    })
}

fn recognise_object(reader: &mut Reader<'_>) -> Read<Shape> {
    reader.begin(b'{', "an object")?;
    let mut n_seen = 0;
    let mut guess = Shape::Nothing;
    while reader.more(b'}', n_seen)? {
        let key = reader.key()?;
        let shape = recognise_member(&mut reader.clone(), &key);
        match shape.map_err(|fault| fault.in_key(&key))? {
            // This is a guess: a task may have lists under other keys before its own.
            found @ (Shape::Solutions | Shape::Submission) => guess = found,
            Shape::Unknown if guess == Shape::Nothing => guess = Shape::Unknown,
            Shape::Unknown => {}
            found => return Ok(found),
        }
        reader.skip().map_err(|fault| fault.in_key(&key))?;
        n_seen += 1;
    }
    Ok(guess)
}

/// Finds what one member of the outermost object reveals about the document.
fn recognise_member(reader: &mut Reader<'_>, key: &str) -> Read<Shape> {
    match (key, reader.kind()?) {
        ("train" | "test", Kind::List) => Ok(Shape::Task),
        (_, Kind::List) => recognise_answers(reader),
        (_, Kind::Object) => recognise_nested(reader, key),
        (_, Kind::Scalar) => Ok(Shape::Unknown),
    }
}

fn recognise_answers(reader: &mut Reader<'_>) -> Read<Shape> {
    match recognise_list(reader)? {
        Shape::Grids => Ok(Shape::Solutions),
        Shape::Pairs => Ok(Shape::Submission),
        _ => Ok(Shape::Unknown),
    }
}

fn recognise_nested(reader: &mut Reader<'_>, outer: &str) -> Read<Shape> {
    let is_half = matches!(outer, "train" | "eval");
    reader.begin(b'{', "an object")?;
    let mut n_seen = 0;
    while reader.more(b'}', n_seen)? {
        let key = reader.key()?;
        match (&*key, reader.kind()?) {
            ("train" | "test", Kind::List) => return Ok(Shape::Challenges),
            (_, Kind::Object) if is_half => return Ok(Shape::Halves),
            _ => reader.skip().map_err(|fault| fault.in_key(&key))?,
        }
        n_seen += 1;
    }
    let empty_half = is_half && n_seen == 0;
    Ok(if empty_half {
        Shape::Halves
    } else {
        Shape::Unknown
    })
}

/// Reads `[pair, …]` as a task with examples only.
pub(crate) fn read_pairs(text: &str, id: TaskId) -> Read<Task> {
    whole(text, |reader| {
        let demos = reader.list("a list of pairs", read_pair)?;
        Ok(Task {
            id: id.clone(),
            demos,
            tests: Vec::new(),
        })
    })
}

/// Reads one task.
pub(crate) fn read_task(text: &str, id: TaskId) -> Read<Task> {
    whole(text, |reader| task(reader, id.clone()))
}

/// Reads `{id: task, …}`.
pub(crate) fn read_challenges(text: &str) -> Read<Vec<Task>> {
    let mut tasks = Vec::new();
    whole(text, |reader| tasks_into(reader, &mut tasks))?;
    Ok(tasks)
}

/// Reads the wanted halves; returns all halves that the document has.
pub(crate) fn read_halves(text: &str, wanted: Option<Subset>) -> Read<(Vec<Task>, Vec<Subset>)> {
    let (mut tasks, mut found) = (Vec::new(), Vec::new());
    whole(text, |reader| {
        reader.object("an object of sets", |reader, key| {
            let subset = half(key);
            found.extend(subset);
            match (wanted, subset) {
                (Some(wanted), Some(subset)) if wanted.covers(subset) => {
                    tasks_into(reader, &mut tasks)
                }
                _ => reader.skip(),
            }
        })
    })?;
    Ok((tasks, found))
}

fn half(key: &str) -> Option<Subset> {
    match key {
        "train" => Some(Subset::Training),
        "eval" => Some(Subset::Evaluation),
        _ => None,
    }
}

/// Reads `{id: [grid, …], …}`.
pub(crate) fn read_solutions(text: &str) -> Read<Solutions> {
    let mut solutions = Solutions::new();
    whole(text, |reader| {
        reader.object("an object of solutions", |reader, key| {
            let id = task_id(reader, key)?;
            if solutions.contains_key(&id) {
                return Err(reader.fault(Problem::DuplicateKey(key.to_owned())));
            }
            solutions.insert(id, reader.list("a list of grids", Reader::grid)?);
            Ok(())
        })
    })?;
    Ok(solutions)
}

/// Reads `[grid, …]`.
pub(crate) fn read_grids(text: &str) -> Read<Vec<Grid>> {
    whole(text, |reader| reader.list("a list of grids", Reader::grid))
}

fn whole<T>(text: &str, read: impl FnOnce(&mut Reader<'_>) -> Read<T>) -> Read<T> {
    let mut reader = Reader::new(text);
    let value = read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

fn tasks_into(reader: &mut Reader<'_>, tasks: &mut Vec<Task>) -> Read<()> {
    reader.object("an object of tasks", |reader, key| {
        let id = task_id(reader, key)?;
        tasks.push(task(reader, id)?);
        Ok(())
    })
}

fn task_id(reader: &mut Reader<'_>, key: &str) -> Read<TaskId> {
    TaskId::new(key).map_err(|error| reader.fault(error.into()))
}

fn task(reader: &mut Reader<'_>, id: TaskId) -> Read<Task> {
    let start = reader.offset();
    let (mut demos, mut tests) = (None, None);
    reader.object("a task (an object)", |reader, key| match key {
        "train" => once(reader, key, &mut demos, |r| {
            r.list("a list of pairs", read_pair)
        }),
        "test" => once(reader, key, &mut tests, |r| {
            r.list("a list of tests", read_test)
        }),
        _ => reader.skip(),
    })?;
    let demos = required(demos, "train", start)?;
    let tests = required(tests, "test", start)?;
    if demos.is_empty() && tests.is_empty() {
        return Err(Fault::new(Problem::NoPairs, start));
    }
    Ok(Task { id, demos, tests })
}

fn read_pair(reader: &mut Reader<'_>) -> Read<Pair> {
    let start = reader.offset();
    let TestCase { input, output } = read_test(reader)?;
    let output = required(output, "output", start)?;
    Ok(Pair { input, output })
}

fn read_test(reader: &mut Reader<'_>) -> Read<TestCase> {
    let start = reader.offset();
    let (mut input, mut output) = (None, None);
    reader.object("a pair (an object)", |reader, key| match key {
        "input" => once(reader, key, &mut input, Reader::grid),
        "output" => once(reader, key, &mut output, Reader::grid),
        _ => reader.skip(),
    })?;
    let input = required(input, "input", start)?;
    Ok(TestCase { input, output })
}

/// Reads the value of a key that may come only once.
fn once<'a, T>(
    reader: &mut Reader<'a>,
    key: &str,
    slot: &mut Option<T>,
    read: impl FnOnce(&mut Reader<'a>) -> Read<T>,
) -> Read<()> {
    if slot.is_some() {
        return Err(reader.fault(Problem::DuplicateKey(key.to_owned())));
    }
    *slot = Some(read(reader)?);
    Ok(())
}

fn required<T>(value: Option<T>, key: &'static str, start: usize) -> Read<T> {
    value.ok_or_else(|| Fault::new(Problem::MissingKey(key), start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Shape) {
        assert_eq!(recognise(text).unwrap(), expected, "{text}");
    }

    #[test]
    fn shapes_are_told_by_content() {
        check(r#"{"train": [], "test": []}"#, Shape::Task);
        check(r#"{"name": "x", "tags": [["a"]], "test": []}"#, Shape::Task);
        check(r#"[{"input": 1}]"#, Shape::Pairs);
        check(r#"[[[0]]]"#, Shape::Grids);
        check(r#"{"00a": {"train": [], "test": []}}"#, Shape::Challenges);
        check(r#"{"00a": {"test": [], "name": 1}}"#, Shape::Challenges);
        check(r#"{"train": {"00a": {"train": []}}}"#, Shape::Halves);
        check(r#"{"train": {}, "eval": {"00a": {}}}"#, Shape::Halves);
        check(r#"{"00a": [[[0]]], "00b": [[[0]]]}"#, Shape::Solutions);
        check(r#"{"00a": [{"attempt_1": [[0]]}]}"#, Shape::Submission);
        check("{}", Shape::Nothing);
        check("[]", Shape::Nothing);
        check("7", Shape::Unknown);
        check(r#"{"a": 1}"#, Shape::Unknown);
        check(r#"{"a": {"trian": []}}"#, Shape::Unknown);
    }

    #[test]
    fn a_task_called_train_is_still_a_task() {
        let text = r#"{"train": {"train": [], "test": [{"input": [[0]]}]}}"#;
        check(text, Shape::Challenges);
        assert_eq!(read_challenges(text).unwrap()[0].id.as_str(), "train");
    }
}
