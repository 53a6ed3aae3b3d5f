use leyden_grid::{Grid, Task};
use leyden_store::demo;
use serde_json::{Value, json};

use crate::Sandbox;

fn grid(grid: &Grid) -> Value {
    serde_json::to_value(grid).unwrap()
}

/// Answers each test input of a task, twice with one attempt.
fn answers(task: &Task, attempt: impl Fn(&Grid) -> Value) -> Value {
    let answer = |output: &Option<Grid>| {
        let attempt = attempt(output.as_ref().unwrap());
        json!({"attempt_1": attempt, "attempt_2": attempt})
    };
    task.tests.iter().map(|test| answer(&test.output)).collect()
}

/// Right answers, except for the first task, whose attempts are `[[0]]`.
fn nearly_right() -> Value {
    let tasks = demo::tasks();
    let members = tasks.iter().enumerate().map(|(k, task)| {
        let answers = answers(task, |output| match k {
            0 => json!([[0]]),
            _ => grid(output),
        });
        (task.id.to_string(), answers)
    });
    Value::Object(members.collect())
}

#[test]
fn the_three_rules_stand_side_by_side() {
    let sandbox = Sandbox::new();
    sandbox.write("s.json", &nearly_right().to_string());
    let ran = sandbox.leyden(&["score", "s.json", "--data", "demo"]).ok();
    assert!(
        ran.stdout.contains("49 of 50 tasks with all outputs right"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("98.0 %"), "{}", ran.stdout);
    let first = demo::tasks()[0].id.to_string();
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains(&first))
        .unwrap();
    assert!(line.contains("no") && line.contains("wrong"), "{line}");
    assert!(!ran.stdout.contains("Kaggle would not"), "{}", ran.stdout);
    let ran = sandbox
        .leyden(&[
            "score",
            "s.json",
            "--data",
            "demo",
            "--summary",
            "--json",
            "-",
        ])
        .ok();
    assert!(!ran.stderr.contains(&first), "{}", ran.stderr);
    let report = crate::json(&ran.stdout);
    assert_eq!(report["solved"]["right"], 49);
    assert_eq!(report["solved"]["of"], 50);
    assert_eq!(report["tasks"], 0.98);
    assert_eq!(report["per_task"].as_array().unwrap().len(), 50);
}

#[test]
fn tasks_come_from_the_data_and_not_from_the_submission() {
    let sandbox = Sandbox::new();
    let tasks = demo::tasks();
    let task = &tasks[3];
    let only = json!({task.id.to_string(): answers(task, grid)});
    sandbox.write("s.json", &only.to_string());
    let ran = sandbox
        .leyden(&["score", "s.json", "--data", "demo", "--json", "-"])
        .ok();
    let report = crate::json(&ran.stdout);
    assert_eq!(report["solved"]["right"], 1);
    assert_eq!(report["solved"]["of"], 50);
    assert!(
        ran.stderr.contains("Kaggle would not take this file"),
        "{}",
        ran.stderr
    );
}

/// The right answers to the first built-in tasks.
fn first_ones(n_tasks: usize) -> Value {
    let members = demo::tasks();
    let members = members.iter().take(n_tasks);
    let members = members.map(|task| (task.id.to_string(), answers(task, grid)));
    Value::Object(members.collect())
}

#[test]
fn a_part_of_the_tasks_is_scored_and_checked_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("s.json", &first_ones(20).to_string());
    let first = demo::tasks()[20].id.to_string();
    let missing = format!("30 of 50 tasks are missing: {first}, ");
    let files = ["s.json", "--data", "demo"];
    let score = [&["score"], &files[..]].concat();
    let check = [&["submit-check"], &files[..]].concat();
    let ran = sandbox
        .leyden(&[&score[..], &["--html", "wrong.html"]].concat())
        .ok();
    for words in [&missing, "if you solved only a part, add `-n 20`"] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches(&first).count(), 1, "{}", ran.stdout);
    let page = sandbox.read("wrong.html");
    assert!(page.contains(&missing) && !page.contains("<section "));
    sandbox
        .leyden(&check)
        .refused(&[&missing, "30 problems", "add `-n 20`"]);
    let part = ["-n", "20"];
    let ran = sandbox.leyden(&[&score[..], &part].concat()).ok();
    assert!(ran.stdout.contains("20 of 20 tasks"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("missing"), "{}", ran.stdout);
    let ran = sandbox.leyden(&[&check[..], &part].concat()).ok();
    let words = "answers 20 tasks, 22 outputs; Kaggle wants all 50 tasks of demo";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
    // Answers to other tasks do no harm.
    let ran = sandbox.leyden(&[&check[..], &["-s", "3", "-n", "5"]].concat());
    ran.ok();
}

#[test]
fn a_submission_for_other_data_is_named_so() {
    let sandbox = Sandbox::new();
    sandbox.write("s.json", r#"{"ffffffff": []}"#);
    let ran = sandbox.leyden(&["score", "s.json", "--data", "demo"]).ok();
    let words = "s.json has no task in common with demo; is --data right?";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    assert!(ran.stdout.contains("50 of 50 tasks are missing: "));
}

#[test]
fn challenges_need_their_solutions() {
    let sandbox = Sandbox::new();
    let challenge = json!({"a": {"train": [], "test": [{"input": [[1]]}, {"input": [[2]]}]}});
    sandbox.write("c.json", &challenge.to_string());
    sandbox.write("t.json", &json!({"a": [[[3]], [[4]]]}).to_string());
    let answer = |colour: u8| json!({"attempt_1": [[0]], "attempt_2": [[colour]]});
    sandbox.write("s.json", &json!({"a": [answer(3), answer(5)]}).to_string());
    let files = ["score", "s.json", "--data", "c.json"];
    sandbox
        .leyden(&files)
        .refused(&["no output for test 0 of a"]);
    let ran = sandbox
        .leyden(&[&files[..], &["--solutions", "t.json"]].concat())
        .ok();
    for words in [
        "1 of 2 outputs",
        "50.0 %",
        "0 of 1 tasks",
        "second attempt, wrong",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    sandbox.leyden(&["score", "s.json"]).refused(&["--data"]);
    sandbox.write("bad.json", "{\"a\": [{\"attempt_1\": [[1,");
    sandbox
        .leyden(&["score", "bad.json", "--data", "demo"])
        .refused(&["bad.json: a[0].attempt_1[0][1]: the file ends too early"]);
}

#[test]
fn wrong_answers_are_drawn() {
    let sandbox = Sandbox::new();
    let tasks = demo::tasks();
    let mut submission = nearly_right();
    let first = tasks[0].id.to_string();
    // One cell differs from the expected output.
    let mut near = grid(tasks[0].tests[0].output.as_ref().unwrap());
    near[0][0] = json!((near[0][0].as_u64().unwrap() + 1) % 10);
    submission[&first][0]["attempt_1"] = near;
    submission[&first][0]["attempt_2"] = json!(null);
    sandbox.write("s.json", &submission.to_string());
    let args = ["score", "s.json", "--data", "demo", "--html", "wrong.html"];
    sandbox.leyden(&args).ok();
    let page = sandbox.read("wrong.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert_eq!(page.matches("<section ").count(), 1);
    assert!(page.contains(&format!("<section id=\"{first}\">")));
    assert!(page.contains("no grid") && page.contains("M3 3h10v10h-10z"));
    assert!(page.trim_end().ends_with("</html>"));
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
}

#[test]
fn a_good_submission_passes_the_check() {
    let sandbox = Sandbox::new();
    sandbox.write("s.json", &nearly_right().to_string());
    let args = ["submit-check", "s.json", "--data", "demo"];
    let ran = sandbox.leyden(&args).ok();
    assert!(
        ran.stdout.starts_with("fine: s.json answers 50 tasks"),
        "{}",
        ran.stdout
    );
    let ran = sandbox.leyden(&[&args[..], &["--json", "-"]].concat()).ok();
    assert_eq!(crate::json(&ran.stdout)["is_accepted"], true);
}

#[test]
fn every_problem_is_listed_and_the_exit_code_says_so() {
    let sandbox = Sandbox::new();
    let mut submission = nearly_right();
    let ids: Vec<String> = demo::tasks()
        .iter()
        .map(|task| task.id.to_string())
        .collect();
    submission.as_object_mut().unwrap().remove(&ids[1]);
    submission[&ids[2]][0]["attempt_2"] = json!([[1, 2], [3]]);
    submission[&ids[3]][0]["attempt_1"] = json!([[true]]);
    submission["ffffffff"] = json!([]);
    sandbox.write("s.json", &submission.to_string());
    let args = ["submit-check", "s.json", "--data", "demo"];
    let missing = format!("s.json: task {}: the task is missing", ids[1]);
    let ragged = format!("s.json: task {}, test 0, attempt_2[1]: ragged grid", ids[2]);
    let boolean = format!(
        "task {}, test 0, attempt_1[0][0]: expected a colour (0 to 9), found `true`",
        ids[3]
    );
    sandbox.leyden(&args).refused(&[
        &missing,
        &ragged,
        &boolean,
        "task ffffffff: there is no such task",
        "4 problems: Kaggle would not take it",
    ]);
    let ran = sandbox.leyden(&[&args[..], &["--json", "-"]].concat());
    assert_eq!(ran.code, 2);
    let report = crate::json(&ran.stdout);
    assert_eq!(report["problems"].as_array().unwrap().len(), 4);
    let problem = &report["problems"][0];
    assert_eq!(problem["task"], *ids[2]);
    assert_eq!(
        (&problem["test"], &problem["attempt"]),
        (&json!(0), &json!("attempt_2"))
    );
}
