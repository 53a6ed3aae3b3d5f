//! `leyden augment`: copies can be made and turned back.

use serde_json::{Value, json};

use crate::{Sandbox, json, words};

const COPY: &str = "augment --data demo --tasks 3 --n 5 --seed 7 --out copies.json --json key.json";

/// A submission whose attempts are the right outputs of the copies, and a wrong grid.
fn right_answers(copies: &Value) -> String {
    let answers = |task: &Value| -> Value {
        let tests = task["test"].as_array().unwrap().iter();
        let answer = |test: &Value| json!({ "attempt_1": [[9]], "attempt_2": test["output"] });
        tests.map(answer).collect()
    };
    let tasks = copies.as_object().unwrap().iter();
    let all: serde_json::Map<String, Value> = tasks
        .map(|(id, task)| (id.clone(), answers(task)))
        .collect();
    Value::Object(all).to_string()
}

#[test]
fn right_answers_to_copies_become_right_answers() {
    let sandbox = Sandbox::new();
    let ran = sandbox.leyden(&words(COPY)).ok();
    assert_eq!(ran.stderr, "15 copies of 3 tasks from demo\n");
    let copies = json(&sandbox.read("copies.json"));
    assert_eq!(copies.as_object().unwrap().len(), 15);
    sandbox.write("answers.json", &right_answers(&copies));
    let undo = "augment --data demo --undo key.json answers.json --out s.json --json -";
    let ran = sandbox.leyden(&words(undo)).ok();
    assert_eq!(json(&ran.stdout)["tasks"], 3);
    let score = "score s.json --data demo --tasks 3 --json -";
    let score = json(&sandbox.leyden(&words(score)).ok().stdout);
    assert_eq!(score["solved"]["right"], 3);
}

#[test]
fn the_seed_decides() {
    let sandbox = Sandbox::new();
    let mut made = Vec::new();
    for seed in ["7", "7", "8"] {
        let args = ["augment", "--data", "demo", "--seed", seed];
        made.push(sandbox.leyden(&args).ok().stdout);
    }
    assert_eq!(made[0], made[1]);
    assert_ne!(made[0], made[2]);
    assert_eq!(json(&made[0]).as_object().unwrap().len(), 400);
}

#[test]
fn one_kind_of_change_leaves_the_other_out() {
    let sandbox = Sandbox::new();
    let plain = json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (kind, is_turned, is_coloured) in [("symmetries", true, false), ("colours", false, true)] {
        let line = format!("{COPY} --only {kind}");
        sandbox.leyden(&words(&line)).ok();
        let key = json(&sandbox.read("key.json"));
        let rows = || key["tasks"].as_object().unwrap().values();
        let turned = rows().any(|row| row["change"]["symmetry"] != "identity");
        let coloured = rows().any(|row| row["change"]["colours"] != plain);
        assert_eq!((turned, coloured), (is_turned, is_coloured), "{kind}");
    }
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.leyden(&words(COPY)).ok();
    sandbox.write("empty.json", "{}");
    let pair = r#"{"input": [[1]], "output": [[2]]}"#;
    sandbox.write(
        "mine.json",
        &format!(r#"{{"train": [{pair}], "test": []}}"#),
    );
    let refused = |line: &str, part: &str| sandbox.leyden(&words(line)).refused(&[part]);
    refused(
        "augment --data demo --undo copies.json empty.json",
        "not a key",
    );
    refused(
        "augment --data demo --undo key.json empty.json",
        "answers no copy",
    );
    refused(
        "augment --data mine.json --undo key.json empty.json",
        "is --data right?",
    );
    refused("augment --data demo --undo key.json", "SUBMISSION");
    refused("augment --data demo copies.json", "--undo");
    refused("augment", "--data");
    refused("augment --data demo --n 0", "1 or more");
}
