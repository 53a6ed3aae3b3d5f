#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Ran, Sandbox};

/// A program that would run for hours with enough fuel.
const ENDLESS: &str = "
def solve_00000001(I):
    x1 = interval(0, 500, 1)
    x2 = product(x1, x1)
    x3 = lbind(lbind(branch, T), x2)
    x4 = compose(lbind(apply, double), x3)
    return apply(x4, x2)
";

/// Interrupts a running command, which must then end at once.
fn press_ctrl_c(child: Child) -> Ran {
    let pressed = Instant::now();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    // 100 ms is the aim; a busy machine may need longer to wake the process up.
    assert!(
        pressed.elapsed() < Duration::from_secs(2),
        "{:?}",
        pressed.elapsed()
    );
    ran
}

#[test]
fn ctrl_c_stops_at_once_and_leaves_nothing() {
    for mode in [&[][..], &["--exact-order"]] {
        let sandbox = Sandbox::new();
        sandbox.write("a.py", ENDLESS);
        sandbox.write("grids.json", "[[[1]]]");
        let args = [
            "eval",
            "--solvers",
            "a.py",
            "--inputs",
            "grids.json",
            "--out",
            "out.jsonl",
            "--fuel",
            "1000000000000000",
        ];
        let mut command = sandbox.command(&[&args[..], mode].concat());
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Work begins when the temporary file is there.
        while !sandbox
            .names()
            .iter()
            .any(|name| name.starts_with(".leyden-"))
        {
            std::thread::yield_now();
        }
        let ran = press_ctrl_c(child);
        assert_eq!(ran.code, 130);
        assert!(ran.stderr.starts_with("leyden: stopped"), "{}", ran.stderr);
        assert_eq!(sandbox.names(), ["a.py", "grids.json"]);
    }
}

/// Quick on grids of one row, endless on others.
const SOMETIMES_ENDLESS: &str = "
def solve_00000001(I):
    x0 = multiply(500, decrement(height(I)))
    x1 = interval(0, x0, 1)
    x2 = product(x1, x1)
    x3 = lbind(lbind(branch, T), x2)
    x4 = compose(lbind(apply, double), x3)
    x5 = apply(x4, x2)
    return branch(equality(x5, x2), I, I)
";

#[test]
fn a_stopped_battery_says_what_it_finished() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", SOMETIMES_ENDLESS);
    std::fs::create_dir(sandbox.path("tasks")).unwrap();
    for (id, grid) in [("00000001", "[[1]]"), ("00000002", "[[1], [2]]")] {
        let pair = format!(r#"{{"input": {grid}, "output": {grid}}}"#);
        let task = format!(r#"{{"train": [{pair}], "test": [{pair}]}}"#);
        sandbox.write(&format!("tasks/{id}.json"), &task);
    }
    let args = "batt --solvers a.py --data tasks --json out.json --jobs 1 --fuel 1000000000000000";
    let args: Vec<&str> = args.split(' ').collect();
    let mut command = sandbox.command(&args);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Nothing outside can see when the first task is done; it takes milliseconds.
    std::thread::sleep(Duration::from_secs(1));
    let ran = press_ctrl_c(child);
    assert_eq!(ran.code, 130);
    assert!(
        ran.stdout.contains("stopped after 1 of 2 tasks"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("00000001  solve_00000001"),
        "{}",
        ran.stdout
    );
    let words = "leyden: stopped: 1 of 2 tasks were run; no JSON was written\n";
    assert_eq!(ran.stderr, words);
    assert_eq!(sandbox.names(), ["a.py", "tasks"]);
}

#[test]
fn a_stopped_search_leaves_a_complete_submission() {
    let sandbox = Sandbox::new();
    let args = [
        "solve",
        "--data",
        "demo",
        "--per-task",
        "1h",
        "--out",
        "s.json",
    ];
    let child = sandbox
        .command(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // With its journal the search begins; on a busy machine that may take a while.
    let began = Instant::now();
    while sandbox.names().is_empty() && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let ran = press_ctrl_c(child);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the submission is complete"),
        "{}",
        ran.stderr
    );
    sandbox
        .leyden(&["submit-check", "s.json", "--data", "demo"])
        .ok();
}
