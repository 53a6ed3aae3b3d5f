//! Compares scoring and checking with a plain implementation that shares no code with the crate.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use leyden_grid::{Grid, Task, TaskId, TestCase};
use leyden_store::submission::{Draft, MOST_PROBLEMS, ScoreCard};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

const N_SUBMISSIONS: usize = 1_000;

/// The right answers as JSON: for each task its id and its grids.
type Truth = Vec<(String, Vec<Value>)>;

fn grid() -> impl Strategy<Value = Value> {
    (1..4usize, 1..4usize).prop_flat_map(|(height, width)| {
        let row = prop::collection::vec(0..10u8, width);
        prop::collection::vec(row, height).prop_map(|rows| json!(rows))
    })
}

fn truth() -> impl Strategy<Value = Truth> {
    let tasks = prop::collection::vec(prop::collection::vec(grid(), 1..4), 1..6);
    tasks.prop_map(|tasks| {
        let named = tasks.into_iter().enumerate();
        named
            .map(|(k, grids)| (format!("{k:08x}"), grids))
            .collect()
    })
}

/// JSON values that are not grids.
fn no_grid() -> impl Strategy<Value = Value> {
    let wide = json!([vec![0; 31]]);
    let tall = json!(vec![vec![0]; 31]);
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!("[[1]]"),
        json!([]),
        json!([[]]),
        json!([[1, 2], [3]]),
        json!([[10]]),
        json!([[-1]]),
        json!([[1.0]]),
        json!([[true]]),
        json!([[null]]),
        json!([["1"]]),
        json!([1, 2]),
        json!([[[1]]]),
        json!({"grid": [[1]]}),
        wide,
        tall,
    ])
}

fn attempt(right: Value) -> impl Strategy<Value = Value> {
    prop_oneof![3 => Just(right), 2 => grid(), 1 => no_grid()]
}

fn answer(right: Value) -> impl Strategy<Value = Value> {
    let both = (attempt(right.clone()), attempt(right.clone()));
    let whole = both.prop_map(|(a, b)| json!({"attempt_1": a, "attempt_2": b}));
    prop_oneof![
        20 => whole,
        1 => Just(json!({"attempt_1": right})),
        1 => Just(json!({"attempt_2": right})),
        1 => Just(json!({"attempt_1": right, "attempt_2": right, "attempt_3": right})),
        1 => Just(json!({"Attempt_1": right, "attempt_2": [[0]]})),
        1 => Just(json!({})),
        1 => Just(json!([right, right])),
        1 => Just(json!(null)),
    ]
}

/// Answers to a task: mostly as many as needed, sometimes fewer or more, sometimes not a list.
fn answers(grids: Vec<Value>) -> impl Strategy<Value = Value> {
    let n = grids.len();
    let more = [grids, vec![json!([[0]])]].concat();
    let all: Vec<_> = more
        .into_iter()
        .map(|right| answer(right).boxed())
        .collect();
    let length = prop_oneof![6 => Just(n), 1 => Just(n - 1), 1 => Just(n + 1)];
    let lists = (all, length).prop_map(|(list, length)| json!(list[..length]));
    prop_oneof![20 => lists, 1 => Just(json!({"0": [[1]]})), 1 => Just(json!(3))]
}

fn submission(truth: &Truth) -> impl Strategy<Value = Value> + use<> {
    let members: Vec<_> = truth
        .iter()
        .map(|(id, grids)| {
            let is_there = prop::bool::weighted(0.9);
            let id = id.clone();
            (is_there, answers(grids.clone()))
                .prop_map(move |(there, list)| there.then(|| (id.clone(), list)))
        })
        .collect();
    let extra = prop::bool::weighted(0.1);
    (members, extra).prop_map(|(members, extra)| {
        let mut map: Map<String, Value> = members.into_iter().flatten().collect();
        if extra {
            let list = json!([{"attempt_1": [[0]], "attempt_2": [[0]]}]);
            map.insert("ffffffff".to_owned(), list);
        }
        Value::Object(map)
    })
}

fn tasks(truth: &Truth) -> Vec<Task> {
    let grid = |value: &Value| {
        let rows: Vec<Vec<u8>> = serde_json::from_value(value.clone()).unwrap();
        Grid::from_rows(&rows).unwrap()
    };
    let test = |value: &Value| TestCase {
        input: grid(value),
        output: Some(grid(value)),
    };
    let task = |(id, grids): &(String, Vec<Value>)| Task {
        id: TaskId::new(id.as_str()).unwrap(),
        demos: Vec::new(),
        tests: grids.iter().map(test).collect(),
    };
    truth.iter().map(task).collect()
}

/// Whether one of the attempts is the right grid. It only indexes and compares JSON.
fn plainly_right(submission: &Value, id: &str, k: usize, right: &Value) -> bool {
    let answer = &submission[id][k];
    answer["attempt_1"] == *right || answer["attempt_2"] == *right
}

struct PlainScore {
    kaggle: (usize, usize),
    mean: f64,
    solved: (usize, usize),
}

fn plain_score(submission: &Value, truth: &Truth) -> PlainScore {
    let mut score = PlainScore {
        kaggle: (0, 0),
        mean: 0.0,
        solved: (0, truth.len()),
    };
    for (id, grids) in truth {
        let mut n_right = 0;
        for (k, right) in grids.iter().enumerate() {
            if plainly_right(submission, id, k, right) {
                n_right += 1;
            }
        }
        score.kaggle.0 += n_right;
        score.kaggle.1 += grids.len();
        score.mean += n_right as f64 / grids.len() as f64 / truth.len() as f64;
        if n_right == grids.len() {
            score.solved.0 += 1;
        }
    }
    score
}

fn plainly_a_grid(value: &Value) -> bool {
    let Some(rows) = value.as_array() else {
        return false;
    };
    let width = rows.first().and_then(Value::as_array).map_or(0, Vec::len);
    let is_cell = |cell: &Value| cell.as_u64().is_some_and(|cell| cell <= 9);
    let is_row = |row: &Value| {
        row.as_array()
            .is_some_and(|row| row.len() == width && row.iter().all(is_cell))
    };
    (1..=30).contains(&rows.len()) && (1..=30).contains(&width) && rows.iter().all(is_row)
}

fn plainly_accepted(submission: &Value, truth: &Truth) -> bool {
    let is_answer = |answer: &Value| {
        let keys = answer.as_object().map(|map| map.len());
        keys == Some(2)
            && plainly_a_grid(&answer["attempt_1"])
            && plainly_a_grid(&answer["attempt_2"])
    };
    let is_answered = |(id, grids): &(String, Vec<Value>)| {
        let list = submission[id].as_array();
        list.is_some_and(|list| list.len() == grids.len() && list.iter().all(is_answer))
    };
    submission
        .as_object()
        .is_some_and(|map| map.len() == truth.len())
        && truth.iter().all(is_answered)
}

fn check(truth: &Truth, submission: &Value) -> bool {
    let tasks = tasks(truth);
    let draft = Draft::parse(Path::new("s.json"), submission.to_string().as_bytes()).unwrap();
    let card = ScoreCard::of(&draft, &tasks).unwrap();
    let plain = plain_score(submission, truth);
    assert_eq!(card.outputs(), plain.kaggle, "{submission}");
    assert!(
        (card.mean_of_tasks() - plain.mean).abs() < 1e-9,
        "{submission}"
    );
    assert_eq!(card.solved(), plain.solved, "{submission}");
    let is_accepted = draft.check(&tasks).is_empty();
    assert_eq!(
        is_accepted,
        plainly_accepted(submission, truth),
        "{submission}"
    );
    is_accepted
}

#[test]
fn scoring_equals_a_plain_implementation() {
    let config = Config::default();
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let pairs = truth().prop_flat_map(|truth| {
        let submission = submission(&truth);
        (Just(truth), submission)
    });
    let mut n_accepted = 0;
    for _ in 0..N_SUBMISSIONS {
        let (truth, submission) = pairs.new_tree(&mut runner).unwrap().current();
        n_accepted += usize::from(check(&truth, &submission));
    }
    // The comparison is worth little unless both kinds occur.
    assert!(
        (20..N_SUBMISSIONS - 20).contains(&n_accepted),
        "{n_accepted}"
    );
}

/// The problems of a submission for one task with one test input.
fn problems(text: &str) -> Vec<String> {
    let truth = vec![("00000001".to_owned(), vec![json!([[1]])])];
    let draft = Draft::parse(Path::new("s.json"), text.as_bytes()).unwrap();
    draft
        .check(&tasks(&truth))
        .listed
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn every_problem_is_named_with_its_place() {
    let good = r#"{"00000001": [{"attempt_1": [[1]], "attempt_2": [[2]]}]}"#;
    assert_eq!(problems(good), Vec::<String>::new());
    let text =
        "{\"00000001\": [{\"attempt_1\": [[1, 10]],\n\"attempt_2\": [[true]]}, 5],\n\"x\": []}";
    assert_eq!(
        problems(text),
        [
            "task 00000001, test 0, attempt_1[0][1]: 10 is not a colour; colours are 0 to 9 (line 1, column 34)",
            "task 00000001, test 0, attempt_2[0][0]: expected a colour (0 to 9), found `true` (line 2, column 16)",
            "task 00000001, test 1: expected an object with attempt_1 and attempt_2 (line 2, column 25)",
            "task 00000001: 2 answers for 1 test input",
            "task x: there is no such task",
        ]
    );
    let text = r#"{"00000001": [{"attempt_1": [[1.0]], "attempt_3": 0}]}"#;
    assert_eq!(
        problems(text),
        [
            "task 00000001, test 0: attempt_2 is missing (line 1, column 15)",
            "task 00000001, test 0, attempt_1[0][0]: 1.0 is not a colour; colours are whole numbers, 0 to 9 (line 1, column 31)",
            "task 00000001, test 0: there is no such key as \"attempt_3\" (line 1, column 51)",
        ]
    );
    assert_eq!(problems("{}"), ["task 00000001: the task is missing"]);
    let twice = r#"{"00000001": [], "00000001": [{"attempt_1": [[1]], "attempt_1": [[1]], "attempt_2": [[2]]}]}"#;
    assert_eq!(
        problems(twice),
        [
            "task 00000001: the task occurs twice (line 1, column 30)",
            "task 00000001, test 0, attempt_1: the attempt occurs twice (line 1, column 65)",
        ]
    );
}

#[test]
fn a_mischievous_file_has_its_problems_counted_but_not_all_listed() {
    let keys = (0..MOST_PROBLEMS + 5).map(|k| (format!("x{k}"), json!([])));
    let text = Value::Object(keys.collect()).to_string();
    let draft = Draft::parse(Path::new("s.json"), text.as_bytes()).unwrap();
    let problems = draft.check(&[]);
    assert_eq!(problems.listed.len(), MOST_PROBLEMS);
    assert_eq!(problems.n_unlisted, 5);
}

#[test]
fn what_is_no_json_object_is_refused_with_its_place() {
    let check = |text: &[u8], words: &str| {
        let error = Draft::parse(Path::new("s.json"), text)
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    };
    check(
        b"[]",
        "s.json: expected a submission (an object with a key for each task), found a list (line 1, column 1)",
    );
    check(b"", "s.json: the file is empty; expected JSON");
    check(b"hello", "s.json: this is not JSON: it begins with `hello`");
    check(
        br#"{"00000001": [{"attempt_1": [[1,"#,
        "the file ends too early",
    );
    check(
        br#"{"a": [{"attempt_1": [[NaN]]}]}"#,
        "expected a value, found `NaN`",
    );
    check(b"{} {}", "there is more text after the end");
    check(b"{\"\xff\": 1}", "not text in UTF-8");
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Draft::parse(Path::new("s.json"), &bytes);
    }

    #[test]
    fn no_mangled_submission_makes_it_panic(at in 0..70usize, byte in any::<u8>()) {
        let mut bytes = br#"{"00000001": [{"attempt_1": [[1, 2], [3, 4]], "attempt_2": [[2]]}]}"#.to_vec();
        if let Some(old) = bytes.get_mut(at) {
            *old = byte;
        }
        if let Ok(draft) = Draft::parse(Path::new("s.json"), &bytes) {
            let truth = vec![("00000001".to_owned(), vec![json!([[1, 2], [3, 4]])])];
            let card = ScoreCard::of(&draft, &tasks(&truth)).unwrap();
            let value: Value = serde_json::from_slice(&bytes).unwrap();
            prop_assert_eq!(card.outputs(), plain_score(&value, &truth).kaggle);
        }
    }
}
