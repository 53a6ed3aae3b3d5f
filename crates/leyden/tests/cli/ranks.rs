//! `leyden ranks`: the counts agree with the report, and no task is named.

use serde_json::{Value, json};

use crate::{Ran, Sandbox, json, words};

/// A report with these rows, as `leyden solve` writes it.
fn report(rows: &[Value]) -> String {
    json!({ "max_states": 100, "candidates": 200, "rows": rows }).to_string()
}

/// The right answer to the test of the task `name`.
fn right(name: &str) -> Value {
    json!([[name.len() as u64 % 10]])
}

/// A row whose candidates give these answers. The first `n_fitting` candidates fit.
fn row(name: &str, states: usize, n_fitting: usize, answers: &[Value]) -> Value {
    let candidate = |(k, answer): (usize, &Value)| {
        let n_demos = if k < n_fitting { 3 } else { 1 };
        let source = if k % 2 == 0 { "search" } else { "rule" };
        json!({ "demos_reproduced": n_demos, "demos": 3, "bits": k, "source": source,
                "dialect": "arc-dsl", "program": "", "agreeing": 0, "answers": [answer] })
    };
    let is_right = |answer: &Value| json!({ "is_right": *answer == right(name) });
    let attempts: Vec<Value> = answers.iter().take(2).map(is_right).collect();
    let candidates: Vec<Value> = answers.iter().enumerate().map(candidate).collect();
    json!({ "task": name, "states": states, "answers": [attempts], "candidates": candidates })
}

/// Tasks with these names, each with one test.
fn data(names: &[&str]) -> String {
    let task = |name: &&str| {
        let pair = json!({ "input": [[0]], "output": right(name) });
        (
            (*name).to_owned(),
            json!({ "train": [pair], "test": [pair] }),
        )
    };
    Value::Object(names.iter().map(task).collect()).to_string()
}

const NAMES: [&str; 5] = ["a", "bb", "ccc", "dddd", "eeeee"];

fn wrong(k: u64) -> Value {
    json!([[9, k]])
}

/// A sandbox with data and two reports. The second solves one task more.
fn prepared() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("data.json", &data(&NAMES));
    let mut rows = vec![
        row("a", 5, 1, &[right("a")]),
        row("bb", 100, 2, &[wrong(0), right("bb")]),
        // Equal answers share a rank.
        row("ccc", 7, 4, &[wrong(0), wrong(0), wrong(1), right("ccc")]),
        row("dddd", 8, 2, &[wrong(0), wrong(1)]),
        row("eeeee", 9, 0, &[right("eeeee")]),
    ];
    sandbox.write("first.json", &report(&rows));
    rows[3] = row("dddd", 8, 2, &[right("dddd")]);
    sandbox.write("second.json", &report(&rows));
    sandbox
}

fn says(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(
            ran.stdout.contains(word),
            "{word:?} is not in:\n{}",
            ran.stdout
        );
    }
    for name in ["dddd", "eeeee"] {
        assert!(!ran.stdout.contains(name), "{}", ran.stdout);
    }
}

#[test]
fn right_answers_are_counted_by_rank() {
    let sandbox = prepared();
    let args = words("ranks first.json --data data.json --json counts.json");
    let ran = sandbox.leyden(&args).ok();
    says(
        &ran,
        &[
            "right at 3–10",
            "2 of 4 are right",
            "1 task reached the cap",
        ],
    );
    let found = json(&sandbox.read("counts.json"));
    let counts = &found["reports"][0]["counts"];
    let classes = &counts["right_where_fits"];
    assert_eq!(classes["rank_1"], 1);
    assert_eq!(classes["rank_2"], 1);
    assert_eq!(classes["rank_3_to_10"], 1);
    assert_eq!(counts["never_right_where_fits"], 1);
    assert_eq!(counts["nothing_fits"], 1);
    assert_eq!(counts["right_where_nothing_fits"]["rank_1"], 1);
    assert_eq!(counts["by_source"]["rule"]["rank_2"], 1);
    assert_eq!(counts["at_cap"], 1);
}

#[test]
fn two_reports_are_compared_task_by_task() {
    let sandbox = prepared();
    let args = words("ranks first.json second.json --data data.json --json pair.json");
    let ran = sandbox.leyden(&args).ok();
    says(&ran, &["only the second           1", "p = 1.000"]);
    let pair = &json(&sandbox.read("pair.json"))["pair"];
    assert_eq!(pair["both"], 3);
    assert_eq!(pair["only_first"], 0);
    assert_eq!(pair["only_second"], 1);
    assert_eq!(pair["neither"], 1);
}

#[test]
fn a_real_search_is_counted() {
    let sandbox = Sandbox::new();
    let solve = "solve --data demo --tasks 4 --library none --fuel-per-task 3000000";
    let both = format!("{solve} --candidates 20 --json r.json");
    sandbox.leyden(&words(&both)).ok();
    sandbox
        .leyden(&words(&format!("{solve} --json plain.json")))
        .ok();
    let ran = sandbox
        .leyden(&words("ranks r.json --data demo --json -"))
        .ok();
    let counts = json(&ran.stdout)["reports"][0]["counts"].clone();
    let sum = |key: &str| -> u64 {
        let classes = counts[key].as_object().unwrap();
        classes.values().map(|n| n.as_u64().unwrap()).sum()
    };
    let n_never = counts["never_right_where_fits"].as_u64().unwrap();
    assert_eq!(sum("right_where_fits") + n_never, counts["fits"]);
    assert_eq!(counts["tasks"], 4);
    // Reports without candidates can be compared, but they have no ranks.
    let ran = sandbox
        .leyden(&words("ranks plain.json r.json --data demo"))
        .ok();
    says(&ran, &["no candidates, so no ranks", "sign test"]);
    sandbox
        .leyden(&words("ranks plain.json --data demo"))
        .refused(&["the report has no candidates", "--candidates 200"]);
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let sandbox = prepared();
    let refused = |line: &str, part: &str| sandbox.leyden(&words(line)).refused(&[part]);
    refused(
        "ranks first.json --data demo",
        "0 of its 5 tasks are in demo",
    );
    refused(
        "ranks data.json --data data.json",
        "not a report of `leyden solve",
    );
    refused("ranks nowhere.json --data demo", "nowhere.json");
    sandbox.write("other.json", &report(&[row("a", 1, 1, &[right("a")])]));
    let pair = json!({ "input": [[0]], "output": right("a") });
    let unsolved = json!({ "a": { "train": [pair], "test": [{ "input": [[0]] }] } });
    sandbox.write("unsolved.json", &unsolved.to_string());
    refused("ranks other.json --data unsolved.json", "no test outputs");
    sandbox.write("b.json", &report(&[row("bb", 1, 1, &[right("bb")])]));
    refused(
        "ranks other.json b.json --data data.json",
        "no task in common",
    );
}
