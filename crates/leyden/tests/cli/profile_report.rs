//! The content of reports of `leyden profile`; code of users of the old profilers still runs.

use std::process::Command;

use serde_json::Value as Json;

use crate::{Sandbox, demo_solvers, json};

/// A phrase that only the verdict has, for each kind of profile.
const VERDICTS: [(&[&str], &str); 5] = [
    (&["dsl"], "execute time"),
    (&["batch"], "execute time"),
    (&["framework"], "running programs takes "),
    (&["pipeline"], "twice as fast, it makes the whole "),
    (&["lines", "1e7d0001"], "of the time of all lines"),
];

fn profile<'a>(kind: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["profile"], kind, &["--data", "demo"], more].concat()
}

#[test]
fn every_form_of_every_report_opens_with_its_verdict() {
    let sandbox = Sandbox::new();
    for (kind, said) in VERDICTS {
        let text = sandbox.leyden(&profile(kind, &["--json", "p.json"])).ok();
        let verdict = text.stdout.lines().nth(3).unwrap().to_owned();
        assert!(verdict.contains(said), "{kind:?}: {verdict}");
        assert!(verdict.ends_with('.'), "{kind:?}: {verdict}");
        assert_eq!(json(&sandbox.read("p.json"))["verdict"], verdict);
        // The circumstances of the measurement come last.
        let end = text.stdout.rfind("\nHow this was measured\n").unwrap();
        assert!(text.stdout[end..].contains("\nhardware "));
        assert!(!text.stdout[..end].contains("\nhardware "));

        let markdown = sandbox.leyden(&profile(kind, &["--format", "md"])).ok();
        let line = markdown.stdout.lines().nth(2).unwrap();
        assert!(line.starts_with("**") && line.ends_with(".**"), "{line}");
        let html = sandbox.leyden(&profile(kind, &["--format", "html"])).ok();
        let body = html.stdout.split("<body>").nth(1).unwrap();
        let at = body.find("class=\"verdict\"").unwrap();
        assert!(at < body.find("<noscript>").unwrap());
    }
}

#[test]
fn the_slow_path_is_the_first_lever() {
    let sandbox = Sandbox::new();
    let args = profile(&["batch"], &["--exact-order", "--json", "p.json"]);
    let shown = sandbox.leyden(&args).ok().stdout;
    let verdict = shown.lines().nth(3).unwrap();
    assert!(
        verdict.starts_with("the reference engine takes ") && verdict.contains(", running "),
        "{verdict}"
    );
    assert!(verdict.contains("as --exact-order asks"), "{verdict}");
    let profile = json(&sandbox.read("p.json"));
    let first = &profile["advice"]["steps"][0];
    assert_eq!(first["what"], "leave out --exact-order");
    assert!(first["gain"].as_f64().unwrap() > 1.1, "{first}");
    assert!(shown.contains("\nPrograms on the slow path\n"), "{shown}");
}

/// A script in the style of notebooks that read the old profilers' files.
const SNIPPETS: &str = r#"
import json
with open('batch.json') as f:
    data = json.load(f)
aggregate = data['aggregate']
print(f"Successful tasks: {aggregate['successful_tasks']}/{len(data['task_results'])}")
if data['aggregate']['failed_tasks']:
    print(f"Failed tasks: {', '.join(data['aggregate']['failed_tasks'])}")
print(f"Average per task: {aggregate['total_execution_time'] * 1000 / aggregate['successful_tasks']:.2f}ms")
high = [r for r in aggregate['recommendations'] if r['gpu_priority'] in ('HIGH', 'MEDIUM', 'LOW', 'MINIMAL')]
assert len(high) == len(aggregate['recommendations']) > 0
for rec in aggregate['recommendations']:
    print(f"{rec['function']:<20} {rec['total_calls']:>8} {rec['total_cumtime_ms']:>12.2f} "
          f"{rec['avg_time_per_call_ms']:>10.4f} {rec['avg_time_per_task_ms']:>10.2f} "
          f"{rec['percent_of_total']:>7.1f}% {rec['task_count']:>6} {rec['gpu_priority']:>8}")
assert sum(r['percent_of_total'] for r in aggregate['recommendations']) <= 100.5
by_time = sorted(aggregate['function_totals'].items(), key=lambda item: item[1]['total_time'], reverse=True)
name, totals = by_time[0]
assert abs(totals['avg_time_per_call'] - totals['total_time'] / totals['total_calls']) < 1e-9
assert abs(totals['avg_time_per_task'] - totals['total_cumtime'] / totals['task_count']) < 1e-9
for task_id, result in data['task_results'].items():
    if result['success']:
        analysis = result['analysis']
        print(f"{task_id}: {analysis['total_time'] * 1000:.1f}ms, {result['output_count']} outputs")
        for func, stats in analysis['function_stats'].items():
            assert stats['calls'] > 0 and stats['cumtime'] >= stats['total_time'] * 0.99, (func, stats)
    else:
        print(f"{task_id}: {result['error']}")
meta = data['metadata']
assert meta['num_tasks'] == meta['successful'] + meta['failed'] == len(data['task_results'])
assert meta['failed'] == len(aggregate['failed_tasks'])
assert abs(meta['total_time_ms'] - aggregate['total_execution_time'] * 1000) < 1e-6
print(meta['batt_file'])

with open('single.json') as f:
    single = json.load(f)
print(f"Total execution time: {single['total_time'] * 1000:.2f} ms")
for rec in single['recommendations']:
    print(f"{rec['function']:<20} {rec['calls']:>8} {rec['total_time_ms']:>12.2f} {rec['cumtime_ms']:>12.2f} "
          f"{rec['avg_time_ms']:>10.4f} {rec['percent_of_total']:>7.1f}% {rec['gpu_priority']:>6}")
for func, stats in single['function_stats'].items():
    print(func, stats['calls'], stats['total_time'], stats['cumtime'], stats['avg_time'])
"#;

#[test]
fn notebooks_of_the_old_system_run_unchanged() {
    let sandbox = Sandbox::new();
    // One program faults on every sample, so its task fails.
    let mut programs = demo_solvers();
    let at = programs.find("def solve_1e7d0002").unwrap();
    let end = programs[at..]
        .find("\n\n")
        .map_or(programs.len(), |n| at + n);
    let faulty = "def solve_1e7d0002(I):\n    x1 = divide(ONE, ZERO)\n    return x1";
    programs.replace_range(at..end, faulty);
    sandbox.write("a.py", &programs);
    // The options of the old profilers.
    let batch = "profile batch -d demo --solvers a.py -n 20 --start 0 -o batch.json";
    sandbox.leyden(&batch.split(' ').collect::<Vec<_>>()).ok();
    let single = "profile dsl -d demo --solvers a.py -i 1e7d0001 -o single.json";
    sandbox.leyden(&single.split(' ').collect::<Vec<_>>()).ok();
    sandbox.write("snippets.py", SNIPPETS);
    let ran = Command::new("python3")
        .arg(sandbox.path("snippets.py"))
        .current_dir(sandbox.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let wrong = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}{wrong}");
    assert!(said.contains("Successful tasks: 19/20"), "{said}");
    assert!(said.contains("Failed tasks: 1e7d0002\n"), "{said}");
}

#[test]
fn options_of_the_old_profilers_are_understood() {
    let sandbox = Sandbox::new();
    let run = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        sandbox.leyden(&args).ok().stdout
    };
    let searched = run("profile framework -d demo --tasks 10 --search objects mapply");
    let rows = searched.split("Primitives, by self time").nth(1).unwrap();
    assert!(
        rows.contains("objects") && !rows.contains("(schedule)"),
        "{rows}"
    );
    let all = run("profile framework -d demo --tasks 10 --top all");
    let ten = run("profile framework -d demo --tasks 10 --top 10");
    assert!(all.lines().count() > ten.lines().count() + 20);
    run("profile batch -d demo --num-tasks 6 --start 2 --output b.json");
    assert_eq!(json(&sandbox.read("b.json"))["metadata"]["num_tasks"], 6);
    let scaled = run("profile pipeline -d demo --draw 10 --scale 120,240");
    assert!(scaled.contains("\n  120 "), "{scaled}");
}

#[test]
fn a_primitive_can_be_imagined_faster() {
    let sandbox = Sandbox::new();
    let what_if = [
        "--what-if",
        "objects=3x",
        "--what-if",
        "objects=3x,execute=2x",
    ];
    for kind in [&["dsl"], &["batch"], &["pipeline"]] {
        let args = [&what_if[..], &["--scale", "200,400", "--json", "p.json"]].concat();
        let shown = sandbox.leyden(&profile(kind, &args)).ok().stdout;
        assert!(shown.contains("\nImagined speedups\n"), "{shown}");
        let profile = json(&sandbox.read("p.json"));
        let rows = profile["what_ifs"].as_array().unwrap();
        let becomes = |k: usize| rows[k]["execute_becomes_ns"].as_u64().unwrap();
        let before = rows[0]["execute_ns"].as_u64().unwrap();
        assert!(becomes(0) < before && becomes(1) <= becomes(0).div_ceil(2) + 1);
        let n_projections = profile["projections"].as_array().unwrap().len();
        assert_eq!(n_projections, 6);
        for row in profile["projections"].as_array().unwrap() {
            let high = row["estimate"]["high_ns"].as_f64().unwrap();
            assert!(high <= row["cap_ns"].as_f64().unwrap());
        }
    }
    for (wrong, word) in [
        ("objcts=3x", "objcts"),
        ("objects", "objects"),
        ("objects=0x", "0x"),
    ] {
        let args = profile(&["batch"], &["--what-if", wrong, "--json", "out.json"]);
        sandbox.leyden(&args).refused(&[word]);
        assert!(!sandbox.path("out.json").exists());
    }
}

/// Writes twelve tasks whose programs search for objects again and again. With an outlier, one of
/// them does so far more often.
fn tasks_with_many_objects(sandbox: &Sandbox, has_outlier: bool) {
    let row = |i: u32| -> Vec<u32> { (0..9).map(|j| (i * 7 + j * j) % 5).collect() };
    let grid: Vec<Vec<u32>> = (0..9).map(row).collect();
    let pair = serde_json::json!({"input": grid, "output": grid});
    let task = serde_json::json!({"train": [pair, pair], "test": [pair]});
    std::fs::create_dir(sandbox.path("tasks")).unwrap();
    let mut programs = String::new();
    for k in 0..12 {
        let id = format!("000000{k:02x}");
        sandbox.write(&format!("tasks/{id}.json"), &task.to_string());
        let n_lines = if has_outlier && k == 5 { 2000 } else { 20 };
        let line = |n: usize| format!("    x{n} = objects(I, T, {}, F)\n", ["T", "F"][n % 2]);
        let lines: String = (0..n_lines).map(line).collect();
        programs += &format!("def solve_{id}(I):\n{lines}    return I\n\n");
    }
    sandbox.write("a.py", &programs);
}

const OBJECTS: [&str; 5] = ["--data", "tasks", "--solvers", "a.py", "--no-share"];

#[test]
fn all_of_a_priority_together_at_each_scale() {
    let sandbox = Sandbox::new();
    tasks_with_many_objects(&sandbox, false);
    let args = ["profile", "batch", "--scale", "200,400", "--json", "p.json"];
    let shown = sandbox.leyden(&[&args, &OBJECTS[..]].concat()).ok().stdout;
    let verdict = shown.lines().nth(3).unwrap();
    assert!(verdict.starts_with("objects takes "), "{verdict}");
    assert!(verdict.contains(" in a run of 200 tasks and "), "{verdict}");
    let profile = json(&sandbox.read("p.json"));
    let rows = profile["advice"]["combined"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "{rows:?}");
    for which in rows.chunks(3) {
        let tasks: Vec<&Json> = which.iter().map(|row| &row["n_tasks"]).collect();
        assert_eq!(tasks, [&Json::Null, &200.into(), &400.into()]);
        for row in which {
            let (saved, total) = (row["saved_ns"].as_f64(), row["total_ns"].as_f64());
            assert!(saved > Some(0.0) && saved < total, "{row}");
        }
    }
    let judged = profile["advice"]["judged"].as_str().unwrap();
    assert!(judged.starts_with("Effort is an estimate"), "{judged}");
}

#[test]
fn budgets_have_rows_of_their_own() {
    let sandbox = Sandbox::new();
    let budget = ["--scale", "400,800", "--budget", "8h", "--workers", "4"];
    let args = [
        &budget[..],
        &["--what-if", "execute=2x", "--json", "p.json"],
    ]
    .concat();
    let shown = sandbox.leyden(&profile(&["pipeline"], &args)).ok().stdout;
    let table = shown.split("\nBudgets\n").nth(1).unwrap();
    let rows = table
        .lines()
        .filter(|line| line.starts_with("8h on 4 workers"));
    assert_eq!(rows.count(), 4, "{table}");
    let budgets = json(&sandbox.read("p.json"))["budgets"].clone();
    for row in budgets.as_array().unwrap() {
        assert!(row["at_least"].as_u64() <= row["expected"].as_u64());
        assert!(row["expected"].as_u64() <= row["at_most"].as_u64());
    }
}

#[test]
fn a_search_never_projects_more_than_its_limit_allows() {
    let sandbox = Sandbox::new();
    let args = "profile pipeline --solve --data demo --draw 6 --per-task 50ms --library none --json p.json";
    let shown = sandbox
        .leyden(&args.split(' ').collect::<Vec<_>>())
        .ok()
        .stdout;
    assert!(shown.contains("the limit of 50.0 ms"), "{shown}");
    let profile = json(&sandbox.read("p.json"));
    let slowest = profile["tasks"].as_array().unwrap().iter();
    let slowest = slowest.map(|task| task["self_ns"].as_f64().unwrap());
    let slowest = slowest.fold(50e6, f64::max);
    let projection = &profile["projections"][0];
    let high = projection["estimate"]["high_ns"].as_f64().unwrap();
    let around = profile["totals"]["whole_ns"].as_f64().unwrap();
    assert!(
        high <= 1.1 * 400.0 * slowest + 2.0 * around * 400.0 / 6.0,
        "{high}"
    );
    let steps = profile["advice"]["steps"].as_array().unwrap();
    let is_phase = |step: &Json| step["what"].as_str().unwrap().starts_with("phase ");
    assert!(steps.iter().any(is_phase), "{steps:?}");
    assert!(
        steps
            .iter()
            .all(|step| !step["what"].as_str().unwrap().contains("load"))
    );
}

#[test]
fn lines_can_be_sorted_cut_and_asked_of_one_task() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let args = "profile lines a.py --data demo --task 1e7d0001 --sort time --top 2 --json p.json";
    let shown = sandbox
        .leyden(&args.split(' ').collect::<Vec<_>>())
        .ok()
        .stdout;
    assert_eq!(shown.matches("\nFunction: ").count(), 1, "{shown}");
    assert!(shown.contains("\nFunction: solve_1e7d0001 "), "{shown}");
    let rows = shown.split("====\n").nth(1).unwrap();
    let times: Vec<f64> = rows
        .lines()
        .take_while(|line| !line.contains(" not shown"))
        .map(|line| line.split_whitespace().nth(2).unwrap().parse().unwrap())
        .collect();
    assert!(times.len() == 2 && times[0] >= times[1], "{rows}");
    assert!(rows.contains(" not shown, together"), "{rows}");
    let by_short_name = ["profile", "lines", "--task", "1e7d0001", "--data", "demo"];
    sandbox.leyden(&by_short_name).ok();
}

#[test]
fn filtering_counts_what_is_left() {
    let sandbox = Sandbox::new();
    tasks_with_many_objects(&sandbox, true);
    let batch = ["profile", "batch", "--json", "all.json"];
    sandbox.leyden(&[&batch, &OBJECTS[..]].concat()).ok();
    let args = ["profile", "refilter", "all.json", "--json", "rest.json"];
    let shown = sandbox.leyden(&args).ok().stdout;
    let rest = json(&sandbox.read("rest.json"));
    let n_left = rest["tasks"].as_array().unwrap().len();
    // On a busy machine, other tasks may be outliers, too.
    assert!((1..12).contains(&n_left));
    let title = format!("Profile: {n_left} of 12 tasks of ");
    assert!(shown.starts_with(&title), "{shown}");
    assert!(
        shown.contains(&format!("{n_left} of 12 tasks remain.")),
        "{shown}"
    );
    assert_eq!(rest["metadata"]["num_tasks"], n_left);
    assert_eq!(rest["accuracy"][0]["of"], n_left);
}

#[test]
fn a_profile_against_its_copy_raises_no_alarm() {
    let sandbox = Sandbox::new();
    // The comparison of separate runs depends on the machine; tools/compare_equal.py tests it.
    let args = ["profile", "batch", "--data", "demo", "--json", "a.json"];
    sandbox.leyden(&args).ok();
    std::fs::copy(sandbox.path("a.json"), sandbox.path("b.json")).unwrap();
    let args = ["profile", "compare", "a.json", "b.json"];
    let compared = sandbox.leyden(&args).ok().stdout;
    assert!(compared.contains("A is a.json, B is b.json"), "{compared}");
    let verdict = compared.lines().nth(3).unwrap();
    let same = "Verdict: no difference beyond noise (";
    assert!(verdict.starts_with(same), "{compared}");
    for alarm in ["slower", "faster", " new", " gone"] {
        assert!(!compared.contains(alarm), "{alarm}: {compared}");
    }
    let args = [
        "profile", "compare", "a.json", "b.json", "--format", "html", "--out", "c.html",
    ];
    sandbox.leyden(&args).ok();
    let html = sandbox.read("c.html");
    assert!(html.contains("class=\"verdict\"") && html.contains("a.json"));
    let args = ["profile", "compare", "a.json", "b.json", "--format", "json"];
    let found = json(&sandbox.leyden(&args).ok().stdout);
    assert_eq!(found["comparison"]["total"]["verdict"], "same");
    assert!(found["verdict"].is_string());
}

#[test]
fn rows_that_only_one_profile_has_are_new() {
    let sandbox = Sandbox::new();
    let other = demo_solvers().replace("hmirror", "vmirror");
    assert!(other != demo_solvers(), "the demo programs have no hmirror");
    sandbox.write("b.py", &other);
    sandbox
        .leyden(&profile(&["batch"], &["--json", "a.json"]))
        .ok();
    let of_b = profile(&["batch"], &["--solvers", "b.py", "--json", "b.json"]);
    sandbox.leyden(&of_b).ok();
    let compare = |a: &str, b: &str| {
        let args = ["profile", "compare", a, b, "--format", "json"];
        let found = json(&sandbox.leyden(&args).ok().stdout);
        let rows = found["comparison"]["primitives"]
            .as_array()
            .unwrap()
            .clone();
        let row = rows.iter().find(|row| row["name"] == "hmirror").cloned();
        row.unwrap()["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(compare("b.json", "a.json"), "new");
    assert_eq!(compare("a.json", "b.json"), "gone");
    let text = sandbox.leyden(&["profile", "compare", "b.json", "a.json", "--top", "500"]);
    let text = text.ok().stdout;
    let row = text
        .lines()
        .find(|line| line.starts_with("hmirror "))
        .unwrap();
    assert!(row.contains("absent") && row.contains("new"), "{row}");
}
