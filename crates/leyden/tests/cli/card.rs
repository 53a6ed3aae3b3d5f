use crate::{Sandbox, demo_solvers, json, words};

#[test]
fn equal_commands_make_equal_batteries_that_read_back() {
    let sandbox = Sandbox::new();
    let card = |seed: &str, out: &str| {
        sandbox
            .leyden(&[
                "card", "--data", "demo", "-c", "60", "--seed", seed, "--out", out,
            ])
            .ok()
    };
    let ran = card("7", "a.batt");
    assert!(
        ran.stdout.contains("60 programs from 50, seed 7"),
        "{}",
        ran.stdout
    );
    for word in ["lines per node", "sample", "mutate", "merge", "crossover"] {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
    card("7", "b.batt");
    card("8", "c.batt");
    let text = sandbox.read("a.batt");
    assert!(text.starts_with("battery 1\nseed 7\nlibrary "), "{text}");
    assert_eq!(sandbox.read("b.batt"), text);
    assert_ne!(sandbox.read("c.batt"), text);
    let programs = sandbox.leyden(&["import", "a.batt"]).ok().stdout;
    assert_eq!(programs.matches("program solve_").count(), 60);
}

#[test]
fn a_frozen_battery_solves_what_its_programs_solve() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let args = words("card --all --freeze --data demo --solvers a.py --out a.batt");
    let ran = sandbox.leyden(&args).ok();
    assert!(!ran.stdout.contains("crossover"), "{}", ran.stdout);
    let solved = sandbox
        .leyden(&["run", "--data", "demo", "--solvers", "a.batt"])
        .ok();
    assert!(
        solved.stdout.contains("50 of     50 tasks"),
        "{}",
        solved.stdout
    );
}

#[test]
fn the_report_is_there_as_json() {
    let sandbox = Sandbox::new();
    let args = words("card --data demo -c 40 --rate boolean=1 --rate insert=0");
    let ran = sandbox.leyden(&[&args[..], &["--json", "-"]].concat()).ok();
    let report = json(&ran.stdout);
    assert_eq!(report["programs"], 40);
    assert_eq!(report["library"]["programs"], 50);
    assert_eq!(report["mutations"]["insert"]["wanted"], 0);
    assert_eq!(report["mutations"]["boolean"]["rate"], 1.0);
    assert!(report["mutations"]["boolean"]["done"].as_u64().unwrap() > 0);
    assert!(report["nodes"].as_u64().unwrap() <= report["lines"].as_u64().unwrap());
    assert!(report["phases"]["merge_s"].as_f64().unwrap() > 0.0);
    assert!(ran.stderr.contains("lines per node"));
}

#[test]
fn only_programs_of_a_task_are_drawn() {
    let sandbox = Sandbox::new();
    let args = [
        "card", "--data", "demo", "-c", "5", "--task", "1e7d0001", "--out", "-",
    ];
    let text = sandbox.leyden(&args).ok().stdout;
    let outs: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("out "))
        .collect();
    assert_eq!(outs.len(), 5);
    assert!(
        outs.iter()
            .all(|line| line.contains("from solve_1e7d0001 ")),
        "{text}"
    );
}

#[test]
fn a_python_module_has_every_program() {
    let sandbox = Sandbox::new();
    let args = ["card", "--data", "demo", "-c", "20", "--out", "batt.py"];
    sandbox.leyden(&args).ok();
    let module = sandbox.read("batt.py");
    assert!(module.starts_with("from dsl import *\nfrom constants import *\n"));
    assert_eq!(module.matches(", outcome((").count(), 20);
}

#[test]
fn bad_usage_is_refused_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    let check = |args: &[&str], words: &[&str]| {
        let args = [&["card", "--data", "demo", "--out", "out.batt"], args].concat();
        sandbox.leyden(&args).refused(words);
        assert!(!sandbox.path("out.batt").exists(), "{args:?}");
    };
    check(
        &["--rate", "colours=1"],
        &["no kind `colours`; did you mean colour?"],
    );
    check(&["--rate", "colour=2"], &["from 0 to 1"]);
    check(&["--rate", "colour"], &["constant=0.2"]);
    check(
        &["--rate", "colour=1", "--freeze"],
        &["cannot be used with"],
    );
    check(&["-c", "0"], &["0"]);
    check(&["-c", "3", "--all"], &["cannot be used with"]);
    check(&["--task", "00000000"], &["has no task 00000000"]);
    check(&["--solvers", "none.py"], &["none.py"]);
    let two = ["card", "--data", "demo", "--json", "-", "--out", "-"];
    sandbox.leyden(&two).refused(&["standard output"]);
    check(&["--json", "no/such/dir/x"], &["there is no directory"]);
    sandbox.write(
        "mixed.py",
        "def solve_00000001(I):\n    return argmax(I, size)\n\ndef verify_00000002(I):\n    return I\n",
    );
    check(
        &[
            "--freeze",
            "--all",
            "--solvers",
            "mixed.py",
            "--format",
            "arc-dsl",
        ],
        &["different dialects"],
    );
}

#[test]
fn bad_batteries_are_shown_where_they_are_bad() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.batt",
        "battery 1\nt1 = vmiror(I)\nout a(I) arc-dsl = t1 from a lines t1\n",
    );
    sandbox
        .leyden(&["import", "a.batt"])
        .refused(&["a.batt:2:6", "did you mean `vmirror`?"]);
}
