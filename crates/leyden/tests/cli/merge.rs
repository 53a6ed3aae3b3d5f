use serde_json::Value;

use crate::{Ran, Sandbox, json, words};

/// The report without times, which have their own lines.
fn without_times(report: &str) -> Vec<&str> {
    let is_time = |line: &&str| line.contains("_s\":");
    report.lines().filter(|line| !is_time(line)).collect()
}

/// Runs a command in parts and returns the names of their files.
fn shard(sandbox: &Sandbox, command: &[&str], of: usize) -> Vec<String> {
    let part = |index: usize| {
        let (shard, name) = (format!("{index}/{of}"), format!("part-{index}-{of}.json"));
        let args = [command, &["--shard", &shard, "--json", &name]].concat();
        sandbox.leyden(&args).ok();
        name
    };
    (0..of).map(part).collect()
}

fn merge(sandbox: &Sandbox, out: &str, parts: &[&str]) -> Ran {
    sandbox.leyden(&[&["merge"], parts, &["--json", out]].concat())
}

/// Checks that merged parts equal the report of one run, for any number, order and repetition of
/// parts.
pub(crate) fn check_merging(sandbox: &Sandbox, command: &[&str]) {
    let whole_args = [command, &["--json", "whole.json"]].concat();
    sandbox.leyden(&whole_args).ok();
    let whole = sandbox.read("whole.json");
    for of in [1, 2, 3, 7] {
        let parts = shard(sandbox, command, of);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let backwards: Vec<&str> = parts.iter().rev().copied().collect();
        let twice = [backwards.as_slice(), &[parts[0]]].concat();
        for given in [parts, backwards, twice] {
            merge(sandbox, "out.json", &given).ok();
            let merged = sandbox.read("out.json");
            assert_eq!(without_times(&merged), without_times(&whole), "{given:?}");
        }
    }
}

#[test]
fn merged_parts_of_a_run_are_the_run() {
    check_merging(&Sandbox::new(), &["run", "--data", "demo"]);
}

#[test]
fn candidates_and_wrong_answers_survive() {
    let sandbox = Sandbox::new();
    let demo = crate::demo_solvers();
    sandbox.write("a.py", &demo);
    sandbox.write(
        "b.py",
        "def solve_1e7d0001(I):\n    return I\n\ndef solve_1e7d0002(I):\n    x = first(ZERO)\n    return x\n",
    );
    let command = words("run --data demo --solvers a.py --solvers b.py");
    check_merging(&sandbox, &command);
    let whole = json(&sandbox.read("whole.json"));
    assert_eq!(
        whole["per_task"][0]["candidates"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn merged_parts_of_a_battery_are_the_battery() {
    check_merging(&Sandbox::new(), &["batt", "--data", "demo"]);
}

#[test]
fn without_scores_and_with_little_fuel_too() {
    let sandbox = Sandbox::new();
    check_merging(&sandbox, &["batt", "--data", "demo", "--no-scores"]);
    let poor = ["batt", "--data", "demo", "--fuel", "300", "--tasks", "9"];
    check_merging(&sandbox, &poor);
    let whole = json(&sandbox.read("whole.json"));
    assert!(whole["outcomes"]["faults"]["Fuel"].as_u64().unwrap() > 0);
}

#[test]
fn parts_of_another_number_of_shards_complete_each_other() {
    let sandbox = Sandbox::new();
    let command = ["run", "--data", "demo"];
    let (halves, thirds) = (shard(&sandbox, &command, 2), shard(&sandbox, &command, 3));
    let mixed: [&str; 4] = [&halves[0], &thirds[0], &thirds[1], &thirds[2]];
    merge(&sandbox, "out.json", &mixed).ok();
    sandbox
        .leyden(&["run", "--data", "demo", "--json", "whole.json"])
        .ok();
    let (merged, whole) = (sandbox.read("out.json"), sandbox.read("whole.json"));
    assert_eq!(without_times(&merged), without_times(&whole));
    let one_half: [&str; 2] = [&halves[0], &thirds[0]];
    merge(&sandbox, "out.json", &one_half).refused(&[
        "the parts lack ",
        ": 1e7d0002, ",
        "--partial",
    ]);
}

#[test]
fn records_name_what_they_are_about() {
    let sandbox = Sandbox::new();
    let parts = shard(&sandbox, &["run", "--data", "demo"], 2);
    let part = json(&sandbox.read(&parts[0]));
    assert_eq!(
        (&part["part_of"], &part["shard"]),
        (&"run".into(), &"0/2".into())
    );
    let key = &part["records"][0]["key"];
    assert_eq!(key["data"], part["job"]["data_hash"]);
    assert_eq!(key["programs"], part["job"]["programs"]);
    assert_eq!(key["engine"], env!("CARGO_PKG_VERSION"));
    assert_eq!(key["task"].as_str().unwrap().len(), 32);
    assert_eq!(part["records"][0]["result"]["task"], "1e7d0001");
}

#[test]
fn nonsense_is_refused_before_any_work() {
    let sandbox = Sandbox::new();
    for shard in ["4/4", "0/0", "-1/2", "one/two", "1", "0.5/2", ""] {
        let shard = format!("--shard={shard}");
        let args = ["run", "--data", "demo", &shard, "--json", "x.json"];
        sandbox.leyden(&args).refused(&["invalid value"]);
    }
    let args = ["batt", "--data", "demo", "--shard", "0/2"];
    sandbox.leyden(&args).refused(&["--json"]);
    let last = ["run", "--shard", "4/4", "--json", "x.json"];
    sandbox.leyden(&last).refused(&["the last of 4 is 3/4"]);
    assert_eq!(sandbox.names(), Vec::<String>::new());
}

#[test]
fn missing_parts_are_named_or_done_without() {
    let sandbox = Sandbox::new();
    let parts = shard(&sandbox, &["run", "--data", "demo"], 7);
    let some: [&str; 5] = [&parts[0], &parts[2], &parts[3], &parts[5], &parts[6]];
    let words = [
        "tasks of the shards 1/7, 4/7: 1e7d0002, 1e7d0005, ",
        ", …; give all parts",
    ];
    merge(&sandbox, "out.json", &some).refused(&words);
    assert!(!sandbox.names().contains(&"out.json".to_owned()));
    let ran = merge(
        &sandbox,
        "out.json",
        &[&["--partial"], some.as_slice()].concat(),
    )
    .ok();
    assert_eq!(ran.stdout, "5 parts merged: 36 tasks of 50, 36 solved\n");
    assert_eq!(json(&sandbox.read("out.json"))["tasks"], 36);
}

#[test]
fn parts_of_other_jobs_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("other.py", "def solve_1e7d0001(I):\n    return I\n");
    let part = |name: &str, args: &[&str]| {
        let common = ["--data", "demo", "--shard", "1/2", "--json", name];
        sandbox.leyden(&[args, common.as_slice()].concat()).ok();
    };
    sandbox
        .leyden(&[
            "run", "--data", "demo", "--shard", "0/2", "--json", "a.json",
        ])
        .ok();
    part("batt.json", &["batt"]);
    part("programs.json", &["run", "--solvers", "other.py"]);
    part("tasks.json", &["run", "--tasks", "9"]);
    part("fuel.json", &["run", "--fuel", "1000"]);
    let check = |other: &str, words: &str| {
        merge(&sandbox, "out.json", &["a.json", other]).refused(&[words])
    };
    check("batt.json", "the parts come from different commands");
    check(
        "programs.json",
        "programs.json: other programs than in a.json",
    );
    check(
        "tasks.json",
        "tasks.json: another choice of tasks than in a.json",
    );
    check(
        "fuel.json",
        "fuel.json: other settings of the engine than in a.json",
    );
    let edited = |name: &str, key: &str, value: &str| {
        let mut part = json(&sandbox.read("a.json"));
        part["job"][key] = Value::from(value);
        sandbox.write(name, &part.to_string());
    };
    edited("engine.json", "engine", "0.0.0");
    check(
        "engine.json",
        "engine.json: another version of Leyden than in a.json",
    );
    edited("data.json", "data_hash", "00");
    check("data.json", "data.json: other data than in a.json");
}

#[test]
fn parts_that_disagree_or_are_damaged_are_refused() {
    let sandbox = Sandbox::new();
    let a = &shard(&sandbox, &["run", "--data", "demo"], 1)[0];
    let edited = |name: &str, edit: &dyn Fn(&mut Value)| {
        let mut part = json(&sandbox.read(a));
        edit(&mut part);
        sandbox.write(name, &part.to_string());
    };
    let check = |name: &str, words: &str| merge(&sandbox, "out.json", &[a, name]).refused(&[words]);
    edited("b.json", &|part| {
        part["records"][3]["result"]["correct"] = 0.into()
    });
    check(
        "b.json",
        "b.json: another result for 1e7d0004 than in another part",
    );
    edited("c.json", &|part| {
        part["records"][3]["key"]["data"] = "x".into()
    });
    check("c.json", "c.json: the part is damaged");
    edited("d.json", &|part| {
        part["records"][3]["result"]["task"] = "x".into()
    });
    check("d.json", "d.json: the part is damaged");
    sandbox.write("e.json", "{\"part_of\": \"run\"");
    check("e.json", "e.json: this is not a part that `--shard` wrote");
    sandbox
        .leyden(&["run", "--data", "demo", "--json", "f.json"])
        .ok();
    check("f.json", "f.json: this is not a part that `--shard` wrote");
    check("none.json", "none.json");
    merge(&sandbox, a, &[a]).refused(&["a part cannot be the result as well"]);
}

/// Merging damaged parts of a battery is refused.
#[test]
fn damaged_batteries_are_refused() {
    let sandbox = Sandbox::new();
    let command = ["batt", "--data", "demo", "--tasks", "3"];
    let a = &shard(&sandbox, &command, 1)[0];
    let check = |path: &str, value: Value| {
        let mut part = json(&sandbox.read(a));
        let result = &mut part["records"][0]["result"];
        *result.pointer_mut(path).unwrap() = value;
        sandbox.write("b.json", &part.to_string());
        merge(&sandbox, "out.json", &["b.json"]).refused(&["damaged"]);
    };
    let huge = || Value::from(u64::MAX);
    check("/demos", huge());
    check("/tests", 0.into());
    check("/known_tests", huge());
    check("/outputs/0/0", 4_000_000_000_u32.into());
    check("/outputs/0", Value::Array(Vec::new()));
    check("/right", Value::Array(Vec::new()));
    check("/right/0", 4_000_000_000_u32.into());
    check("/fuel", Value::Array(Vec::new()));
    check("/credits", Value::Array(Vec::new()));
    check("/unscored", Value::Array(Vec::new()));
    check("/seen/0/0", "no hash".into());
    check("/seen/0/1", "NoError".into());
}

#[test]
fn a_merged_report_can_go_to_standard_output() {
    let sandbox = Sandbox::new();
    let parts = shard(&sandbox, &["run", "--data", "demo"], 2);
    let ran = merge(&sandbox, "-", &[&parts[0], &parts[1]]).ok();
    assert_eq!(json(&ran.stdout)["solved"], 50);
    assert_eq!(ran.stderr, "2 parts merged: 50 tasks, 50 solved\n");
}

/// Before 0.2 the first file was the result.
#[test]
fn the_old_order_of_files_is_understood() {
    let sandbox = Sandbox::new();
    let parts = shard(&sandbox, &["run", "--data", "demo"], 2);
    let old = ["merge", "out.json", &parts[0], &parts[1]];
    for _ in 0..2 {
        let ran = sandbox.leyden(&old).ok();
        assert!(
            ran.stderr.contains("is now `merge PART… --json OUT`"),
            "{}",
            ran.stderr
        );
        assert_eq!(json(&sandbox.read("out.json"))["solved"], 50);
    }
    let new = sandbox.leyden(&["merge", &parts[0], &parts[1]]).ok();
    assert_eq!(new.stderr, "");
    assert_eq!(new.stdout, "2 parts merged: 50 tasks, 50 solved\n");
    // A damaged part is not a report, so it may not be overwritten.
    sandbox.write("damaged.json", "{\"part_of\": \"run\"");
    let damaged = sandbox.leyden(&["merge", "damaged.json", &parts[1]]);
    damaged.refused(&["damaged.json"]);
}
