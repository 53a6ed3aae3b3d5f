use serde_json::Value;

use crate::Sandbox;

const FEW: [&str; 8] = [
    "solve",
    "--data",
    "demo",
    "--tasks",
    "4",
    "--per-task",
    "200ms",
    "--jobs",
];

#[test]
fn answers_programs_and_report_belong_together() {
    let sandbox = Sandbox::new();
    let args = [
        &FEW[..],
        &[
            "2",
            "--out",
            "s.json",
            "--programs",
            "found",
            "--json",
            "r.json",
        ],
    ];
    let ran = sandbox.leyden(&args.concat()).ok();
    assert!(ran.stdout.contains("solved"), "{}", ran.stdout);
    let report: Value = serde_json::from_str(&sandbox.read("r.json")).unwrap();
    let submission: Value = serde_json::from_str(&sandbox.read("s.json")).unwrap();
    assert_eq!(submission.as_object().unwrap().len(), 4);
    assert_eq!(report["tried"], 4);
    for row in report["rows"].as_array().unwrap() {
        let answers = row["answers"].as_array().unwrap();
        let has_answers = answers.iter().any(|a| !a.as_array().unwrap().is_empty());
        let file = sandbox
            .path("found")
            .join(format!("{}.py", row["task"].as_str().unwrap()));
        assert_eq!(file.is_file(), has_answers);
    }
}

#[test]
fn a_whole_data_set_is_what_kaggle_takes() {
    let sandbox = Sandbox::new();
    let args = [
        "solve",
        "--data",
        "demo",
        "--per-task",
        "5ms",
        "--out",
        "s.json",
    ];
    sandbox.leyden(&args).ok();
    sandbox
        .leyden(&["submit-check", "s.json", "--data", "demo"])
        .ok();
}

#[test]
fn a_spent_budget_still_gives_a_complete_submission() {
    let sandbox = Sandbox::new();
    let args = [
        "solve", "--data", "demo", "--budget", "1ms", "--out", "s.json",
    ];
    let ran = sandbox.leyden(&args).ok();
    assert!(ran.stdout.contains("tried"), "{}", ran.stdout);
    sandbox
        .leyden(&["submit-check", "s.json", "--data", "demo"])
        .ok();
}

#[test]
fn bad_arguments_are_refused() {
    let sandbox = Sandbox::new();
    for (args, part) in [
        (&["solve", "--data", "demo", "--per-task", "4"][..], "4s"),
        (&["solve", "--data", "demo", "--task", "nowhere"], "nowhere"),
        (
            &["solve", "--data", "demo", "--out", "no/such/dir.json"],
            "no such directory",
        ),
    ] {
        let ran = sandbox.leyden(args);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
}
