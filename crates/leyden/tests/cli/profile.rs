//! `leyden profile` and `leyden trace`.

use serde_json::Value as Json;

use crate::{Sandbox, demo_solvers, json, words};

fn sum(rows: &Json, of: &str) -> f64 {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row[of].as_f64().unwrap()).sum()
}

#[track_caller]
fn assert_close(parts: f64, whole: &Json) {
    let whole = whole.as_f64().unwrap();
    assert!((parts / whole - 1.0).abs() < 0.02, "{parts} of {whole}");
}

/// Checks that all parts add up to their wholes.
fn check_sums(profile: &Json) {
    let totals = &profile["totals"];
    assert_close(
        sum(&profile["stacks"]["paths"], "self_ns"),
        &totals["whole_ns"],
    );
    check_tables(profile);
}

/// Checks the sums without stacks, which are not separated by task.
fn check_tables(profile: &Json) {
    let totals = &profile["totals"];
    assert_close(
        sum(&profile["primitives"], "self_ns"),
        &totals["execute_ns"],
    );
    assert_close(sum(&profile["layers"], "self_ns"), &totals["whole_ns"]);
    assert_close(sum(&profile["phases"], "self_ns"), &totals["whole_ns"]);
    let outside = totals["outside_tasks_ns"].as_f64().unwrap();
    assert_close(
        sum(&profile["tasks"], "self_ns") + outside,
        &totals["execute_ns"],
    );
}

#[test]
fn sums_hold_for_programs_batteries_and_threads() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    sandbox
        .leyden(&[
            "card",
            "-c",
            "30",
            "--data",
            "demo",
            "--solvers",
            "a.py",
            "--out",
            "a.batt",
        ])
        .ok();
    for args in [
        &["dsl", "--data", "demo"][..],
        &["batch", "--data", "demo", "--jobs", "2"],
        &["framework", "--data", "demo", "--battery", "a.batt"],
        &[
            "framework",
            "--data",
            "demo",
            "--battery",
            "a.batt",
            "--jobs",
            "2",
        ],
        &["batch", "--data", "demo", "--exact-order"],
        &["batch", "--data", "demo", "--no-share"],
    ] {
        let args = [&["profile"], args, &["--json", "out.json"]].concat();
        let mut shown = String::new();
        // On a busy machine, a short wait is two percent of such small workloads.
        let adds_up = (0..20).any(|_| {
            shown = sandbox.leyden(&args).ok().stdout;
            shown.contains("All sums add up")
        });
        assert!(adds_up, "{shown}");
        check_sums(&json(&sandbox.read("out.json")));
    }
}

#[test]
fn old_notebooks_find_what_they_look_for() {
    let sandbox = Sandbox::new();
    let ran = sandbox.leyden(&["profile", "batch", "--data", "demo", "--format", "json"]);
    let profile = json(&ran.ok().stdout);
    let first = &profile["aggregate"]["recommendations"][0];
    assert!(first["function"].is_string());
    assert!(["HIGH", "MEDIUM", "LOW"].contains(&first["gpu_priority"].as_str().unwrap()));
    assert!(first["percent_of_total"].is_number());
}

#[test]
fn every_format_is_available() {
    let sandbox = Sandbox::new();
    for (format, start) in [
        ("text", "Profile: "),
        ("json", "{\"format\":\"leyden-profile/1\""),
        ("csv", "primitive"),
        ("md", "# Profile: "),
        ("speedscope", "{"),
        ("collapsed", ""),
        ("svg", "<?xml"),
        ("html", "<!"),
    ] {
        let args = ["profile", "dsl", "--data", "demo", "--format", format];
        let ran = sandbox.leyden(&args).ok();
        let text = ran.stdout.to_lowercase();
        assert!(
            text.starts_with(&start.to_lowercase()),
            "{format}: {}",
            &text[..text.len().min(80)]
        );
        assert!(!text.is_empty());
    }
    sandbox
        .leyden(&[
            "profile", "dsl", "--data", "demo", "--format", "pprof", "--out", "a.pb.gz",
        ])
        .ok();
    assert!(sandbox.path("a.pb.gz").metadata().unwrap().len() > 100);
}

#[test]
fn saved_profiles_can_be_filtered_and_compared() {
    let sandbox = Sandbox::new();
    for name in ["a.json", "b.json"] {
        sandbox
            .leyden(&[
                "profile", "batch", "--data", "demo", "--json", name, "--report", ".",
            ])
            .ok();
    }
    let reports = sandbox
        .names()
        .iter()
        .filter(|name| name.ends_with(".txt"))
        .count();
    assert!(reports >= 1);
    let filtered = sandbox.leyden(&["profile", "refilter", "a.json"]).ok();
    assert!(filtered.stdout.contains("utliers"), "{}", filtered.stdout);
    let compared = sandbox
        .leyden(&["profile", "compare", "a.json", "b.json"])
        .ok();
    assert!(compared.stdout.contains("Verdict: "), "{}", compared.stdout);
}

#[test]
fn projections_and_budgets_are_made() {
    let sandbox = Sandbox::new();
    let args = words(
        "profile pipeline --data demo --scale 400,1000 --what-if execute=35x --budget 8h --workers 4",
    );
    let ran = sandbox.leyden(&args).ok();
    assert!(ran.stdout.contains("execute=35x"), "{}", ran.stdout);
    assert!(ran.stdout.contains("8h on 4 workers"), "{}", ran.stdout);
}

#[test]
fn a_search_is_seen_by_its_phases() {
    let sandbox = Sandbox::new();
    // The known programs solve some tasks, but not all.
    let all = crate::demo_solvers();
    let some: Vec<&str> = all.split("\ndef ").take(4).collect();
    let solvers = sandbox.write("known.py", &some.join("\ndef "));
    let args = "profile pipeline --solve --data demo --draw 6 --per-task 100ms --json p.json";
    let mut args: Vec<&str> = args.split(' ').collect();
    args.extend(["--library", solvers.to_str().unwrap()]);
    let ran = sandbox.leyden(&args).ok();
    let sums = "All sums add up within 2 %";
    assert!(ran.stdout.contains(sums), "{}", ran.stdout);
    let profile = crate::json(&sandbox.read("p.json"));
    let rows = profile["phases"].as_array().unwrap();
    let time = |phase: &str| {
        let row = rows.iter().find(|row| row["phase"] == phase).unwrap();
        row["self_ns"].as_u64().unwrap()
    };
    for phase in ["transfer", "mutate", "enumerate", "compose", "rank"] {
        assert!(time(phase) > 0, "{phase}");
    }
}

#[test]
fn lines_have_their_source_beside_them() {
    let sandbox = Sandbox::new();
    let ran = sandbox
        .leyden(&["profile", "lines", "1e7d0001", "--data", "demo"])
        .ok();
    assert!(ran.stdout.contains("def solve_1e7d0001"), "{}", ran.stdout);
}

#[test]
fn expected_shares_stand_beside_the_measured_ones() {
    let sandbox = Sandbox::new();
    sandbox.write("e.json", r#"{"objects": 40, "box": 2}"#);
    sandbox
        .leyden(&[
            "profile", "dsl", "--data", "demo", "--expect", "e.json", "--json", "out.json",
        ])
        .ok();
    let profile = json(&sandbox.read("out.json"));
    let rows = profile["primitives"].as_array().unwrap();
    let objects = rows.iter().find(|row| row["name"] == "objects").unwrap();
    assert_eq!(objects["expected_share"], 0.4);
    sandbox.write("bad.txt", "objects\n");
    sandbox
        .leyden(&["profile", "dsl", "--data", "demo", "--expect", "bad.txt"])
        .refused(&["bad.txt"]);
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "faults.py",
        "def solve_1e7d0001(I):\n    x1 = divide(ONE, ZERO)\n    return x1\n",
    );
    sandbox.write("none.py", "def solve_00000000(I):\n    return I\n");
    sandbox.write("other.json", r#"{"format": "leyden-profile/99"}"#);
    sandbox.write("empty.json", "");
    sandbox
        .leyden(&[
            "card",
            "--all",
            "--freeze",
            "--data",
            "demo",
            "--solvers",
            "faults.py",
            "--out",
            "faults.batt",
        ])
        .ok();
    let refused = |args: &[&str], words: &[&str]| {
        let args = [&["profile"], args, &["--json", "out.json"]].concat();
        sandbox.leyden(&args).refused(words);
        assert!(!sandbox.path("out.json").exists());
    };
    refused(&["dsl", "1e7d9999", "--data", "demo"], &["1e7d9999"]);
    refused(&["batch", "--data", "demo", "--start", "4000"], &["4000"]);
    refused(
        &["dsl", "--data", "demo", "--solvers", "none.py"],
        &["no program is meant for these tasks"],
    );
    refused(
        &["batch", "--data", "demo", "--battery", "faults.batt"],
        &["ended in a fault"],
    );
    refused(
        &[
            "dsl",
            "1e7d0001",
            "--data",
            "demo",
            "--solvers",
            "faults.py",
        ],
        &["ended in a fault"],
    );
    refused(
        &["refilter", "other.json"],
        &["other.json", "leyden-profile/99"],
    );
    refused(&["refilter", "empty.json"], &["empty.json"]);
    let compare = |a: &str| sandbox.leyden(&["profile", "compare", a, a]);
    compare("other.json").refused(&["leyden-profile/99"]);
    compare("missing.json").refused(&["missing.json"]);
    sandbox
        .leyden(&["trace", "1e7d0001", "--data", "demo", "--sample", "99"])
        .refused(&["99"]);
}

#[test]
fn traces_draw_every_line() {
    let sandbox = Sandbox::new();
    let ran = sandbox
        .leyden(&["trace", "1e7d0001", "--data", "demo"])
        .ok();
    assert!(
        ran.stdout.contains("solve_1e7d0001 on 1e7d0001 train[0]"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\nright\n"), "{}", ran.stdout);
    sandbox
        .leyden(&[
            "trace", "1e7d0001", "--data", "demo", "--format", "html", "--out", "t.html",
        ])
        .ok();
    assert!(sandbox.read("t.html").contains("<svg"));
    sandbox.write(
        "f.py",
        "def solve_1e7d0001(I):\n    x1 = divide(ONE, ZERO)\n    return x1\n",
    );
    let ran = sandbox
        .leyden(&["trace", "1e7d0001", "--data", "demo", "--solvers", "f.py"])
        .ok();
    assert!(
        ran.stdout.contains("fault: ZeroDivisionError"),
        "{}",
        ran.stdout
    );
}

const PLANTED: &str = "000000ff";

/// Writes tasks that take about equally long, and one that takes a thousand times as long because
/// it searches for objects again and again.
fn tasks_with_an_outlier(sandbox: &Sandbox) {
    let grid: Vec<Vec<u32>> = (0..20)
        .map(|i| (0..20).map(|j| (i * 7 + j * j) % 5).collect())
        .collect();
    let pair = serde_json::json!({"input": grid, "output": grid});
    let task = serde_json::json!({"train": [pair, pair], "test": [pair]});
    let mut programs = String::new();
    for id in (1..=24).map(|k| format!("000000{k:02x}")) {
        let line = "    O = hconcat(rot90(I), vmirror(I))\n";
        programs += &format!("def solve_{id}(I):\n{line}    return O\n\n");
        sandbox.write(&format!("tasks/{id}.json"), &task.to_string());
    }
    let search = |k: usize| format!("    x{k} = objects(I, T, F, {})\n", ["T", "F"][k % 2]);
    let searches: String = (0..400).map(search).collect();
    programs += &format!("def solve_{PLANTED}(I):\n{searches}    O = vmirror(I)\n    return O\n");
    sandbox.write(&format!("tasks/{PLANTED}.json"), &task.to_string());
    sandbox.write("a.py", &programs);
}

/// The number of calls of every primitive.
fn calls(profile: &Json) -> Vec<(String, u64)> {
    let rows = profile["primitives"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["kind"] == "primitive" && row["calls"] != 0);
    let mut calls: Vec<(String, u64)> = rows
        .map(|row| {
            let name = row["name"].as_str().unwrap().to_owned();
            (name, row["calls"].as_u64().unwrap())
        })
        .collect();
    calls.sort();
    calls
}

fn ids(profile: &Json) -> Vec<String> {
    let tasks = profile["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn without_a_planted_outlier_the_profile_is_that_of_the_rest() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("tasks")).unwrap();
    tasks_with_an_outlier(&sandbox);
    let work = ["--data", "tasks", "--solvers", "a.py", "--no-share"];
    let batch = [&["profile", "batch", "--json", "all.json"], &work[..]].concat();
    let shown = sandbox.leyden(&batch).ok().stdout;
    let outliers = shown.split("\nOutliers\n").nth(1).unwrap();
    assert!(outliers.contains(PLANTED), "{shown}");
    let all = json(&sandbox.read("all.json"));
    let n_searches = ("objects".to_owned(), 1200);
    assert!(calls(&all).contains(&n_searches), "{:?}", calls(&all));

    let refilter = ["profile", "refilter", "all.json", "--json", "rest.json"];
    sandbox.leyden(&refilter).ok();
    let filtered = json(&sandbox.read("rest.json"));
    let kept = ids(&filtered);
    // On a busy machine, other tasks may be outliers, too.
    assert!(
        !kept.is_empty() && !kept.contains(&PLANTED.to_owned()),
        "{kept:?}"
    );
    check_tables(&filtered);

    let named: Vec<&str> = kept.iter().map(String::as_str).collect();
    let rest = [
        &["profile", "dsl", "--json", "only.json"],
        &named[..],
        &work,
    ]
    .concat();
    sandbox.leyden(&rest).ok();
    let rest = json(&sandbox.read("only.json"));
    assert_eq!(ids(&rest), kept);
    assert_eq!(calls(&rest), calls(&filtered));
    assert_eq!(rest["totals"]["runs"], filtered["totals"]["runs"]);
}

#[test]
fn work_that_several_programs_repeat_is_pointed_out() {
    let sandbox = Sandbox::new();
    let grid = vec![vec![1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]; 12];
    let pair = serde_json::json!({"input": grid, "output": grid});
    let task = serde_json::json!({"train": [pair, pair], "test": [pair]});
    sandbox.write("00000001.json", &task.to_string());
    let program = |name: &str, paint: &str| {
        let body = format!("    x = objects(I, T, F, T)\n    y = merge(x)\n    O = {paint}\n");
        format!("def solve_00000001_{name}(I):\n{body}    return O\n\n")
    };
    sandbox.write(
        "a.py",
        &(program("a", "paint(I, y)") + &program("b", "fill(I, TWO, y)")),
    );
    let repeats = |more: &[&str]| {
        let args = ["profile", "framework", "--data", "00000001.json"];
        let outputs = ["--solvers", "a.py", "--json", "out.json"];
        sandbox.leyden(&[&args, &outputs[..], more].concat()).ok();
        json(&sandbox.read("out.json"))["repeats"].clone()
    };
    let alone = repeats(&["--no-share"]);
    let mut found = alone.as_array().unwrap().iter();
    let search = found.find(|repeat| repeat["what"] == "objects(I, T, F, T)");
    let search = search.unwrap_or_else(|| panic!("{alone}"));
    assert_eq!(
        (&search["times"], &search["distinct"]),
        (&6.into(), &3.into())
    );
    assert_eq!(repeats(&[]), Json::Array(Vec::new()));
}
