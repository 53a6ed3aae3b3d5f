//! Tasks written in any shape load as one data set.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use leyden_grid::Task;
use leyden_store::{Cache, DataSet, DataSpec, StoreError, demo, load};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

fn task_json(task: &Task) -> Value {
    json!({ "train": task.demos, "test": task.tests })
}

fn map_of(tasks: &[Task], value: impl Fn(&Task) -> Value) -> Value {
    let entries = tasks.iter().map(|task| (task.id.to_string(), value(task)));
    Value::Object(entries.collect::<Map<_, _>>())
}

fn challenge_json(task: &Task) -> Value {
    let tests: Vec<Value> = task
        .tests
        .iter()
        .map(|test| json!({ "input": test.input }))
        .collect();
    json!({ "train": task.demos, "test": tests })
}

fn solution_json(task: &Task) -> Value {
    json!(
        task.tests
            .iter()
            .map(|test| &test.output)
            .collect::<Vec<_>>()
    )
}

/// Writes files into a new directory.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl ToString) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content.to_string()).unwrap();
        path
    }

    fn write_tasks(&self, dir: &str, tasks: &[Task]) -> PathBuf {
        for task in tasks {
            self.write(&format!("{dir}/{}.json", task.id), task_json(task));
        }
        self.path(dir)
    }
}

fn load_spec(spec: impl ToString, solutions: Option<&Path>) -> Result<DataSet, StoreError> {
    let spec: DataSpec = spec.to_string().parse()?;
    load(&spec, solutions, &Cache::at("no/cache"))
}

fn check(spec: impl ToString, expected: &[Task]) {
    let data = load_spec(spec, None).unwrap();
    assert_eq!(data.tasks, expected);
    assert_eq!(data.hash, DataSet::new("", expected.to_vec()).unwrap().hash);
}

fn check_error(spec: impl ToString, expected: &str) {
    let message = load_spec(spec, None).unwrap_err().to_string();
    assert!(
        message.ends_with(expected),
        "{message}\nshould end in\n{expected}"
    );
}

fn halves() -> (Vec<Task>, Vec<Task>) {
    let mut training = demo::tasks();
    let evaluation = training.split_off(training.len() / 2);
    (training, evaluation)
}

#[test]
fn a_directory_of_tasks() {
    let (files, tasks) = (Files::new(), demo::tasks());
    let dir = files.write_tasks("tasks", &tasks);
    files.write("tasks/README.md", "not data");
    files.write("tasks/.hidden.json", "not data");
    check(dir.display(), &tasks);
    check_error(
        format!("{}:training", dir.display()),
        "this is a directory of tasks, which has no parts; leave out `:training`",
    );
}

#[test]
fn a_repository_with_both_parts() {
    let files = Files::new();
    let (training, evaluation) = halves();
    files.write_tasks("repo/data/training", &training);
    files.write_tasks("repo/data/evaluation", &evaluation);
    for root in [files.path("repo"), files.path("repo/data")] {
        let root = root.display();
        check(format!("{root}:training"), &training);
        check(format!("{root}:evaluation"), &evaluation);
        check(format!("{root}:all"), &demo::tasks());
        let choices = format!("{root}:training, {root}:evaluation or {root}:all");
        check_error(&root, &format!("choose one of the parts {choices}"));
        check_error(
            format!("{root}:test"),
            &format!("choose one of the parts {choices}"),
        );
    }
}

#[test]
fn a_repository_with_one_part_needs_no_choice() {
    let (files, tasks) = (Files::new(), demo::tasks());
    files.write_tasks("repo/training", &tasks);
    check(files.path("repo").display(), &tasks);
}

#[test]
fn directories_of_concepts() {
    let files = Files::new();
    let (first, second) = halves();
    files.write_tasks("corpus/Above Below", &first);
    files.write_tasks("corpus/Center", &second);
    check(files.path("corpus").display(), &demo::tasks());
    files.write_tasks("corpus/Center", &first[..1]);
    check_error(
        files.path("corpus").display(),
        "is in the data more than once",
    );
}

#[test]
fn one_task_with_an_odd_name_and_extra_keys() {
    let files = Files::new();
    let task = &demo::tasks()[0];
    let mut json = task_json(task);
    json["name"] = json!("odd");
    json["train"][0]["comment"] = json!({"nested": [1.5, null]});
    let path = files.write("Center 1 (copy).v2.json", json);
    let data = load_spec(path.display(), None).unwrap();
    assert_eq!(data.tasks[0].id.as_str(), "Center 1 (copy).v2");
    assert_eq!(data.tasks[0].demos, task.demos);
    assert_eq!(data.tasks[0].tests, task.tests);
}

#[test]
fn a_map_of_tasks() {
    let (files, tasks) = (Files::new(), demo::tasks());
    check(
        files.write("all.json", map_of(&tasks, task_json)).display(),
        &tasks,
    );
}

#[test]
fn challenges_with_and_without_solutions() {
    let (files, tasks) = (Files::new(), demo::tasks());
    let challenges = files.write("c.json", map_of(&tasks, challenge_json));
    let solutions = files.write("s.json", map_of(&tasks, solution_json));
    let open = load_spec(challenges.display(), None).unwrap();
    assert!(
        open.tasks
            .iter()
            .flat_map(|task| &task.tests)
            .all(|test| test.output.is_none())
    );
    let solved = load_spec(challenges.display(), Some(&solutions)).unwrap();
    assert_eq!(solved.tasks, tasks);
    assert_eq!(solved.hash, DataSet::new("", tasks).unwrap().hash);
    assert_ne!(solved.hash, open.hash);
}

#[test]
fn solutions_that_do_not_fit() {
    let (files, tasks) = (Files::new(), demo::tasks());
    let challenges = files.write("c.json", map_of(&tasks[1..], challenge_json));
    let solutions = files.write("s.json", map_of(&tasks, solution_json));
    let error = load_spec(challenges.display(), Some(&solutions)).unwrap_err();
    assert!(matches!(&error, StoreError::UnknownSolution { id, .. } if *id == tasks[0].id));
    let swapped = load_spec(solutions.display(), Some(&challenges)).unwrap_err();
    assert!(
        swapped
            .to_string()
            .ends_with("found a map from ids to solutions"),
        "{swapped}"
    );
}

#[test]
fn a_kaggle_directory() {
    let files = Files::new();
    let (training, evaluation) = halves();
    let open = |task: &Task| Task {
        tests: task
            .tests
            .iter()
            .cloned()
            .map(|t| leyden_grid::TestCase { output: None, ..t })
            .collect(),
        ..task.clone()
    };
    for (name, tasks) in [("training", &training), ("evaluation", &evaluation)] {
        files.write(
            &format!("k/x_{name}_challenges.json"),
            map_of(tasks, challenge_json),
        );
        files.write(
            &format!("k/x_{name}_solutions.json"),
            map_of(tasks, solution_json),
        );
    }
    files.write(
        "k/x_test_challenges.json",
        map_of(&evaluation, challenge_json),
    );
    files.write("k/sample_submission.json", "{}");
    let dir = files.path("k");
    let dir = dir.display();
    check(format!("{dir}:training"), &training);
    check(format!("{dir}:evaluation"), &evaluation);
    check(
        format!("{dir}:test"),
        &evaluation.iter().map(open).collect::<Vec<_>>(),
    );
    check_error(
        &dir,
        &format!(
            "choose one of the parts {dir}:training, {dir}:evaluation, {dir}:test or {dir}:all"
        ),
    );
}

#[test]
fn both_halves_in_one_file() {
    let files = Files::new();
    let (training, evaluation) = halves();
    let json = json!({
        "eval": map_of(&evaluation, task_json),
        "train": map_of(&training, task_json),
    });
    let path = files.write("halves.json", json);
    let path = path.display();
    check(format!("{path}:training"), &training);
    check(format!("{path}:evaluation"), &evaluation);
    check(format!("{path}:all"), &demo::tasks());
    check_error(
        &path,
        &format!("choose one of the parts {path}:training, {path}:evaluation or {path}:all"),
    );
    check_error(
        format!("{path}:test"),
        &format!("choose one of the parts {path}:training, {path}:evaluation or {path}:all"),
    );
}

#[test]
fn one_half_alone_needs_no_choice() {
    let (files, tasks) = (Files::new(), demo::tasks());
    let path = files.write("half.json", json!({ "train": map_of(&tasks, task_json) }));
    check(path.display(), &tasks);
}

#[test]
fn bare_pairs_are_a_task_without_tests() {
    let files = Files::new();
    let task = &demo::tasks()[0];
    files.write("pairs/00a.json", json!(task.demos));
    files.write("pairs/00b.json", json!(task.demos));
    for spec in [files.path("pairs/00a.json"), files.path("pairs")] {
        let data = load_spec(spec.display(), None).unwrap();
        assert_eq!(data.tasks[0].id.as_str(), "00a");
        assert_eq!(data.tasks[0].demos, task.demos);
        assert!(data.tasks[0].tests.is_empty());
    }
}

#[test]
fn what_is_not_there_is_said() {
    let files = Files::new();
    check_error(
        "no-such-thing",
        "no-such-thing: there is no such file or directory; the named data sets are demo, \
         demo:families, mini, and with a part arc1, arc1-2019, arc2, kaggle2024, kaggle2025 (such as \
         arc1:training or arc2:new)",
    );
    fs::create_dir(files.path("empty")).unwrap();
    check_error(
        files.path("empty").display(),
        "empty: there are no tasks here; expected JSON with tasks, or a directory of .json files",
    );
    let error = load_spec("arc2:training", None).unwrap_err();
    assert!(matches!(error, StoreError::NotFetched { name } if name == "arc2:training"));
}

#[test]
fn a_bad_file_in_a_directory_is_named() {
    let files = Files::new();
    files.write_tasks("d", &demo::tasks());
    files.write(
        "d/bad.json",
        r#"{"train": [{"input": [[0]], "output": [[10]]}], "test": []}"#,
    );
    check_error(
        files.path("d").display(),
        "bad.json: train[0].output[0][0]: 10 is not a colour; colours are 0 to 9 (line 1, column 41)",
    );
}

#[test]
fn demo_needs_nothing() {
    check("demo", &demo::tasks());
}
