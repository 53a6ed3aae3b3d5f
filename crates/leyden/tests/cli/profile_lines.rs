//! `leyden profile`: lines on both engines, and the runs on the slow one.

use serde_json::Value as Json;

use crate::{Sandbox, demo_solvers, json};

/// Programs in tokpidjin's dialect for tasks of the demo set.
const TOKPIDJIN: &str = "\
# Written for this test.

def solve_1e7d0001(S, I, C):
    x1 = asindices(I)
    x2 = size_f(x1)
    x3 = multiply(x2, TWO)
    O = hconcat(I, I)
    return O

def solve_1e7d0002(S, I, C):
    x1 = vconcat(I, I)
    O = vconcat(x1, I)
    return O
";

/// A program that leaves the fast engine: the order of the result depends on whether both operands
/// are one set.
const FALLS_BACK: &str = "\
def solve_1e7d0001(I):
    x1 = asindices(I)
    x2 = intersection(x1, x1)
    x3 = first(x2)
    O = fill(I, ONE, x3)
    return O

def solve_1e7d0002(I):
    O = vmirror(I)
    return O
";

fn profiled(sandbox: &Sandbox, args: &[&str]) -> Json {
    let args = [
        &["profile"],
        args,
        &["--data", "demo", "--json", "out.json"],
    ]
    .concat();
    sandbox.leyden(&args).ok();
    json(&sandbox.read("out.json"))
}

/// The rows of lines that ran.
fn lines(profile: &Json) -> Vec<&Json> {
    let rows = profile["lines"].as_array().unwrap().iter();
    rows.filter(|row| row["hits"].as_u64() > Some(0)).collect()
}

fn time(row: &Json) -> u64 {
    row["time_ns"].as_u64().unwrap()
}

/// Profiles lines. Their times and the time outside them add up to the execute time. The system may
/// stop a process between two readings of the clock, so one of a few profiles has to show it.
#[track_caller]
fn profiled_lines(sandbox: &Sandbox, args: &[&str]) -> Json {
    let args = [&["lines"], args].concat();
    let mut profiles = (0..5).map(|_| profiled(sandbox, &args));
    let adding_up = profiles.find(|profile| difference_of_sums(profile).is_none());
    adding_up.unwrap_or_else(|| panic!("{:?}", difference_of_sums(&profiled(sandbox, &args))))
}

/// The sum of the parts and the totals, if they differ. Each time is measured with some readings of
/// the clock around it, which count in runs as short as these.
fn difference_of_sums(profile: &Json) -> Option<(f64, &Json)> {
    let total = |key: &str| profile["totals"][key].as_f64().unwrap_or(0.0);
    let in_lines: u64 = lines(profile).iter().map(|row| time(row)).sum();
    let sum = in_lines as f64 + total("outside_lines_ns");
    let execute = total("execute_ns");
    let is_close = (sum - execute).abs() < 0.02 * execute + 10_000.0;
    (!is_close).then(|| (sum, &profile["totals"]))
}

#[test]
fn every_line_of_tokpidjins_dialect_has_its_time_and_number() {
    let sandbox = Sandbox::new();
    sandbox.write("solvers_pre.py", TOKPIDJIN);
    let check_rows = |profile: &Json| {
        let rows = lines(profile);
        let numbers: Vec<u64> = rows
            .iter()
            .map(|row| row["line"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, [4, 5, 6, 7, 11, 12]);
        for row in &rows {
            assert!(time(row) > 0, "{row}");
            let text = TOKPIDJIN
                .lines()
                .nth(row["line"].as_u64().unwrap() as usize - 1);
            assert_eq!(row["text"].as_str(), text);
        }
    };
    let profile = profiled_lines(&sandbox, &["solvers_pre.py"]);
    check_rows(&profile);
    assert_eq!(profile["slow_path"], serde_json::json!([]));
    let profile = profiled_lines(&sandbox, &["solvers_pre.py", "--exact-order"]);
    check_rows(&profile);
    for row in lines(&profile) {
        assert_eq!(row["reference_ns"], row["time_ns"], "{row}");
    }
    let slow = &profile["slow_path"][0];
    assert_eq!(slow["reason"], "asked");
    assert_eq!(slow["n_programs"], 2);
    assert_eq!(slow["n_runs"], profile["totals"]["runs"]);
    assert_eq!(slow["time_ns"], profile["totals"]["reference_ns"]);
}

#[test]
fn lines_add_up_on_both_engines_and_in_batteries() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let card = "card -c 20 --data demo --solvers a.py --out a.batt";
    sandbox.leyden(&card.split(' ').collect::<Vec<_>>()).ok();
    for args in [
        &["a.py"][..],
        &["a.py", "--exact-order"],
        &["a.py", "--no-share"],
        &["a.py", "--no-batch"],
        &["a.batt"],
        &["a.batt", "--exact-order"],
        &["a.batt", "--no-batch"],
    ] {
        let profile = profiled_lines(&sandbox, args);
        let text = sandbox.read(args[0]);
        for row in lines(&profile) {
            let number = row["line"].as_u64().unwrap() as usize;
            let line = text.lines().nth(number - 1).unwrap();
            let shown = row["text"].as_str().unwrap();
            assert_eq!(line.trim(), shown.trim(), "{args:?}");
        }
    }
}

#[test]
fn calls_on_the_reference_engine_are_named_with_their_primitive() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", FALLS_BACK);
    for kind in ["dsl", "batch", "framework", "pipeline"] {
        let profile = profiled(&sandbox, &[kind, "--solvers", "a.py"]);
        let slow = profile["slow_path"].as_array().unwrap();
        assert_eq!(slow.len(), 1, "{kind}: {slow:?}");
        assert_eq!(slow[0]["reason"], "order");
        assert_eq!(slow[0]["primitive"], "first");
        assert_eq!(slow[0]["programs"], serde_json::json!(["solve_1e7d0001"]));
        assert!(slow[0]["expected_speedup"].as_f64() > Some(1.0));
    }
    let profile = profiled_lines(&sandbox, &["a.py"]);
    let rows = lines(&profile);
    let on_reference: Vec<bool> = rows
        .iter()
        .map(|row| row["reference_ns"].as_u64() > Some(0))
        .collect();
    assert_eq!(on_reference, [true, true, true, true, false]);
}

#[test]
fn the_gain_of_leaving_out_exact_order_is_measured() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    // A neighbour on the machine can make one of the two measured runs so slow that the difference says
    // nothing; then the gain is an estimate.
    let is_measured = |_| {
        let profile = profiled(&sandbox, &["batch", "--solvers", "a.py", "--exact-order"]);
        let slow = &profile["slow_path"][0];
        assert_eq!(slow["reason"], "asked");
        assert!(slow["expected_speedup"].as_f64() > Some(1.0), "{slow}");
        slow["how"].as_str().unwrap().starts_with("measured")
    };
    assert!((0..5).any(is_measured));
    let fast = profiled(&sandbox, &["batch", "--solvers", "a.py"]);
    assert_eq!(fast["slow_path"], serde_json::json!([]));
}

#[test]
fn lines_of_some_tasks_of_a_file_can_be_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", TOKPIDJIN);
    let profile = profiled(&sandbox, &["lines", "a.py", "--task", "1e7d0002"]);
    let numbers: Vec<&Json> = lines(&profile).iter().map(|row| &row["line"]).collect();
    assert_eq!(numbers, [11, 12]);
    let ran = sandbox.leyden(&[
        "profile", "lines", "a.py", "--task", "00000000", "--data", "demo",
    ]);
    assert_eq!(ran.code, 2);
}

#[test]
fn starting_a_thread_is_no_part_of_a_task() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let profile = profiled(&sandbox, &["dsl", "1e7d0001", "--solvers", "a.py"]);
    let once = profile["one_time"].as_array().unwrap();
    let starting = once.iter().find(|it| it["name"] == "starting a thread");
    assert!(starting.is_some_and(|it| it["self_ns"].as_u64() > Some(0)));
    let totals = &profile["totals"];
    let (execute, busy) = (&totals["execute_ns"], &totals["worker_cpu_ns"]);
    // The execute time leaves out the work around a worker, so both are nearly equal.
    let ratio = execute.as_f64().unwrap() / busy.as_f64().unwrap();
    assert!((0.8..1.25).contains(&ratio), "{totals}");
}
