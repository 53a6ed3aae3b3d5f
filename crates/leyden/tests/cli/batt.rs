use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Sandbox, demo_solvers, json, words};

/// The report without times, which have their own lines.
fn without_times(report: &str) -> Vec<&str> {
    let is_time = |line: &&str| line.contains("_s\":");
    report.lines().filter(|line| !is_time(line)).collect()
}

/// The results that no switch may change. Fuel is not among them.
fn results(report: &str) -> [Value; 6] {
    let mut report = json(report);
    for program in report["programs"].as_array_mut().unwrap() {
        let program = program.as_object_mut().unwrap();
        for key in ["fuel", "most_fuel", "most_fuel_on"] {
            assert!(program.remove(key).is_some(), "{key}");
        }
    }
    [
        "programs", "per_task", "outcomes", "right", "solved", "scores",
    ]
    .map(|key| report[key].clone())
}

/// The hash of every output, by program, task and sample.
fn hashes(report: &Value) -> BTreeMap<(String, String, usize), String> {
    let mut hashes = BTreeMap::new();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for task in report["per_task"].as_array().unwrap() {
        for (sample, outputs) in task["outputs"].as_array().unwrap().iter().enumerate() {
            let programs = report["programs"].as_array().unwrap();
            for (program, place) in programs.iter().zip(outputs.as_array().unwrap()) {
                let hash = &task["hashes"][place.as_u64().unwrap() as usize];
                let key = (text(&program["name"]), text(&task["task"]), sample);
                hashes.insert(key, text(hash));
            }
        }
    }
    hashes
}

/// A task whose first demonstration is small and whose others are large.
fn write_mirrors(sandbox: &Sandbox) {
    let large = |cell: usize| {
        let row: Vec<usize> = (0..16).map(|k| usize::from(k == cell)).collect();
        vec![row; 16]
    };
    let mirrored = |mut grid: Vec<Vec<usize>>| {
        grid.iter_mut().for_each(|row| row.reverse());
        grid
    };
    let pair = |grid: Vec<Vec<usize>>| serde_json::json!({ "input": grid.clone(), "output": mirrored(grid) });
    let task = serde_json::json!({
        "train": [pair(vec![vec![1, 2]]), pair(large(3))],
        "test": [pair(large(5))],
    });
    sandbox.write("0a1b2c3d.json", &task.to_string());
}

#[test]
fn every_program_runs_on_every_sample_of_the_demo_set() {
    let sandbox = Sandbox::new();
    let ran = sandbox
        .leyden(&["batt", "--data", "demo", "--json", "out.json"])
        .ok();
    for words in [
        "50 programs",
        "generate",
        "transfer",
        "outcomes",
        "1e7d0015  solve_1e7d0015   transfer solve_1e7d0037",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let report = json(&sandbox.read("out.json"));
    assert_eq!(
        (&report["tasks"], &report["solved"]),
        (&50.into(), &50.into())
    );
    let n_samples = report["samples"].as_u64().unwrap();
    assert_eq!(report["runs"].as_u64().unwrap(), n_samples * 50);
    assert_eq!(hashes(&report).len() as u64, n_samples * 50);
    assert!(report["transferred"].as_u64().unwrap() >= 1);
    let outcomes = &report["outcomes"];
    let faults = outcomes["faults"].as_object().unwrap().values();
    let n_faults: u64 = faults.map(|n| n.as_u64().unwrap()).sum();
    let n_values = outcomes["grids"].as_u64().unwrap() + outcomes["values"].as_u64().unwrap();
    assert_eq!(n_values + n_faults, n_samples * 50);
    for (k, program) in report["programs"].as_array().unwrap().iter().enumerate() {
        let own = &program["task"];
        assert!(program["solves"].as_array().unwrap().contains(own));
        let task = &report["per_task"][k];
        assert_eq!(task["partial"][k], 100.0, "{own}");
        assert!(task["solved_by"].as_array().unwrap().contains(&k.into()));
    }
}

#[test]
fn threads_do_not_change_reports() {
    let sandbox = Sandbox::new();
    for fuel in ["900", "1000000"] {
        let run = |jobs| {
            let args = [
                "batt", "--data", "demo", "--json", "-", "--jobs", jobs, "--fuel", fuel,
            ];
            sandbox.leyden(&args).ok().stdout
        };
        let first = run("1");
        let expected = without_times(&first);
        assert!(fuel != "900" || first.contains("\"Fuel\""));
        for jobs in ["2", "3"] {
            assert_eq!(without_times(&run(jobs)), expected);
        }
    }
}

#[test]
fn no_switch_changes_a_result() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| {
        let args = ["batt", "--data", "demo", "--json", "-"];
        results(&sandbox.leyden(&[&args[..], more].concat()).ok().stdout)
    };
    let expected = run(&[]);
    for switches in [
        &["--no-share"][..],
        &["--no-rules"],
        &["--exact-order"],
        &["--no-batch"],
        &["--no-cache"],
        &["--no-batch", "--no-rules"],
        &["--no-cache", "--no-rules"],
        &["--no-share", "--exact-order"],
        &["--no-cache", "--exact-order"],
    ] {
        assert!(run(switches) == expected, "{switches:?}");
    }
}

#[test]
fn a_battery_from_a_file_gives_what_its_programs_give() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let card = "card --data demo --all --freeze --solvers a.py --out a.batt";
    let words: Vec<&str> = card.split(' ').collect();
    sandbox.leyden(&words).ok();
    let run = |source: &[&str]| {
        let args = ["batt", "--data", "demo", "--tasks", "9", "--json", "-"];
        results(&sandbox.leyden(&[&args[..], source].concat()).ok().stdout)
    };
    let expected = run(&["--solvers", "a.py"]);
    assert!(run(&["a.batt"]) == expected);
    for switch in ["--no-share", "--no-batch", "--no-cache", "--exact-order"] {
        assert!(run(&["a.batt", switch]) == expected, "{switch}");
    }
}

#[test]
fn mutants_know_where_they_came_from() {
    let sandbox = Sandbox::new();
    let card = "card --data demo -c 80 --seed 3 --out a.batt";
    let words: Vec<&str> = card.split(' ').collect();
    sandbox.leyden(&words).ok();
    let run = |jobs| {
        let args = [
            "batt", "a.batt", "--data", "demo", "--json", "-", "--jobs", jobs,
        ];
        sandbox.leyden(&args).ok().stdout
    };
    let report = run("1");
    assert_eq!(without_times(&run("2")), without_times(&report));
    let report = json(&report);
    let programs = report["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 80);
    let is_mutant = |program: &&Value| program.get("origin").is_some();
    let mutant = programs.iter().find(is_mutant).unwrap();
    let origin = mutant["origin"].as_str().unwrap();
    assert!(mutant["name"].as_str().unwrap().starts_with(origin));
}

#[test]
fn an_exploding_program_ends_alone_and_is_named() {
    let sandbox = Sandbox::new();
    write_mirrors(&sandbox);
    let fixture = include_str!("../fixtures/exploding.batt");
    sandbox.write("exploding.batt", fixture);
    let is_tame = |line: &&str| !line.contains("_m1(") && !line.contains("_m2(");
    let tame: Vec<&str> = fixture.lines().filter(is_tame).collect();
    sandbox.write("tame.batt", &tame.join("\n"));
    let run = |file: &str, more: &[&str]| {
        let args = ["batt", file, "--data", "0a1b2c3d.json", "--json", "-"];
        let more = [&["--fuel", "2000000"], more].concat();
        sandbox.leyden(&[&args[..], &more].concat()).ok()
    };
    let tame = hashes(&json(&run("tame.batt", &[]).stdout));
    for switches in [
        &[][..],
        &["--no-share"],
        &["--no-batch"],
        &["--no-cache"],
        &["--no-rules"],
        &["--exact-order"],
        &["--exact-order", "--no-cache"],
        &["--jobs", "2"],
    ] {
        let ran = run("exploding.batt", switches);
        let report = json(&ran.stdout);
        let all = hashes(&report);
        assert_eq!((tame.len(), all.len()), (9, 15));
        assert!(tame.iter().all(|(key, hash)| all[key] == *hash));
        assert_eq!(report["programs"][0]["solves"][0], "0a1b2c3d");
        for (k, fault) in [(1, "Memory"), (3, "Fuel")] {
            assert_eq!(report["programs"][k]["faults"][fault], 2, "{fault}");
        }
        let row = |name: &str| {
            let mut lines = ran.stderr.lines();
            lines.find(|line| line.contains(name)).unwrap().to_owned()
        };
        assert!(
            row("solve_0a1b2c3d_m1 ").contains("Memory in 2 runs"),
            "{}",
            ran.stderr
        );
        assert!(
            row("solve_1a1b2c3d_m2 ").contains("Fuel in 2 runs"),
            "{}",
            ran.stderr
        );
        // The runaway burnt the whole tank twice, and the small sample took little.
        let runaway = &report["programs"][3];
        assert_eq!(runaway["most_fuel"], 2_000_000, "{switches:?}");
        let sum = runaway["fuel"].as_u64().unwrap();
        assert!((4_000_000..4_100_000).contains(&sum), "{sum}");
        let first = serde_json::json!({ "task": "0a1b2c3d", "sample": 1 });
        assert_eq!(runaway["most_fuel_on"], first);
        let words = "at most 2,000,000; on 0a1b2c3d train[1], 0a1b2c3d test[0]";
        assert!(row("solve_1a1b2c3d_m2 ").contains(words), "{}", ran.stderr);
    }
}

#[test]
fn programs_do_not_see_test_outputs_and_fits_are_told_from_solutions() {
    let sandbox = Sandbox::new();
    write_mirrors(&sandbox);
    let peeking = "def solve_0a1b2c3d(S, I, C):\n    return C\n";
    let right = "def solve_1a1b2c3d(I):\n    return vmirror(I)\n";
    sandbox.write("a.py", &[peeking, right].concat());
    for share in [&[][..], &["--no-share"]] {
        let args = ["batt", "--solvers", "a.py", "--data", "0a1b2c3d.json"];
        let json_too = [&args[..], &["--json", "-"], share].concat();
        let ran = sandbox.leyden(&json_too).ok();
        let report = json(&ran.stdout);
        let task = &report["per_task"][0];
        assert_eq!(task["fitted_by"], serde_json::json!([0]));
        assert_eq!(task["solved_by"], serde_json::json!([1]));
        assert_eq!(report["transferred"], 1);
        assert!(
            ran.stderr.contains(
                "all demonstrations right, but not the tests\n  0a1b2c3d  solve_0a1b2c3d"
            ),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn scoring_programs_can_be_replaced_or_left_out() {
    let sandbox = Sandbox::new();
    write_mirrors(&sandbox);
    sandbox.write("a.py", "def solve_0a1b2c3d(I):\n    return hmirror(I)\n");
    let scores = "
def score_height(S, I, C):
    return (multiply(100, equality(height(I), height(C))), height(I))

def score_half(S, I, C):
    return (50, first(palette(C)))

def score_broken(S, I, C):
    return (first(difference(palette(C), palette(C))), 0)
";
    sandbox.write("scores.py", scores);
    let run = |more: &[&str]| {
        let args = words("batt --solvers a.py --data 0a1b2c3d.json --json -");
        sandbox.leyden(&[&args[..], more].concat()).ok()
    };
    let ran = run(&["--scores", "scores.py"]);
    let report = json(&ran.stdout);
    assert_eq!(report["per_task"][0]["partial"], serde_json::json!([50.0]));
    // Three scoring programs run on two demonstrations, each for the program's output and for the
    // right one; none runs on the test.
    assert_eq!(report["work"]["score_runs"], 12);
    assert_eq!(
        report["scores"][2],
        serde_json::json!({"name": "score_broken", "failed": 2})
    );
    assert!(
        ran.stderr.contains("score_broken gave no number in 2 runs"),
        "{}",
        ran.stderr
    );
    let marks = &report["per_task"][0]["closest"]["marks"];
    assert_eq!(marks[0], serde_json::json!({"number": 100, "witness": 1}));
    assert_eq!(marks[1], serde_json::json!({"number": 50, "witness": 1}));
    let report = json(&run(&["--no-scores"]).stdout);
    assert_eq!(report["scores"], serde_json::json!([]));
    assert!(report["per_task"][0].get("partial").is_none());
    assert!(report["per_task"][0].get("closest").is_none());
    let ran = run(&[]);
    assert!(json(&ran.stdout)["scores"].as_array().unwrap().len() >= 12);
    assert!(
        ran.stderr.contains("closest, where no program fits"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("cells 0: {\"set\":[[0,1],[0,0]]}"),
        "{}",
        ran.stderr
    );
}

#[test]
fn bad_usage_is_refused_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def solve_00000001(I):\n    return I\n");
    sandbox.write("bad.batt", "battery 1\nt1 = vmiror(I)\n");
    let check = |args: &[&str], words: &[&str]| {
        let args = [&["batt", "--data", "demo", "--json", "out.json"], args].concat();
        sandbox.leyden(&args).refused(words);
        assert!(!sandbox.path("out.json").exists(), "{args:?}");
    };
    sandbox.write("notes.py", "import this\n");
    check(&["notes.py"], &["no programs in notes.py"]);
    check(&["bad.batt"], &["bad.batt:2:6", "did you mean `vmirror`?"]);
    check(&["none.batt"], &["none.batt"]);
    check(&["bad.batt", "--solvers", "a.py"], &["cannot be used with"]);
    check(&["--task", "1e7d9999"], &["has no task 1e7d9999"]);
    check(&["--scores", "none.py"], &["none.py"]);
    check(
        &["--scores", "a.py", "--no-scores"],
        &["cannot be used with"],
    );
    check(&["--jobs", "0"], &["0"]);
}
