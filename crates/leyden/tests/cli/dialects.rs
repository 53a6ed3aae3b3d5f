//! Every command on programs of tokpidjin's dialect, alone and mixed with others.

use std::path::Path;

use leyden_dsl::table::Dialect;
use leyden_lang::{Program, parse, parse_battery};
use serde_json::Value;

use crate::merge::check_merging;
use crate::{Sandbox, demo_solvers, json, words};

/// Leyden's own solvers of the built-in tasks, in tokpidjin's dialect.
fn tokpidjin_solvers() -> String {
    let path = "../leyden-search/tests/fixtures/tokpidjin.py";
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Scoring programs in tokpidjin's dialect: a fair one, and one that prefers every output except
/// the right one.
const DIFFERS: &str = "
def differ_size(S, I, C):
    x1 = shape_t(I)
    x2 = shape_t(C)
    x3 = equality(x1, x2)
    x4 = branch(x3, THOUSAND, HUNDRED)
    return astuple(x4, x1)

def differ_backwards(S, I, C):
    x1 = equality(I, C)
    x2 = branch(x1, ZERO, THOUSAND)
    return astuple(x2, F0)
";

/// A directory with programs of two dialects: `theirs.py`, `ours.py` and `differs.py`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("theirs.py", &tokpidjin_solvers());
    sandbox.write("ours.py", &demo_solvers());
    sandbox.write("differs.py", DIFFERS);
    sandbox
}

fn n_theirs(programs: &[Program]) -> usize {
    let is_theirs = |program: &&Program| program.dialect == Dialect::Tokpidjin;
    programs.iter().filter(is_theirs).count()
}

fn report(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [args, &["--json", "report.json"]].concat();
    sandbox.leyden(&args).ok();
    json(&sandbox.read("report.json"))
}

#[test]
fn batteries_are_dealt_from_every_dialect() {
    let sandbox = sandbox();
    for solvers in [
        &["theirs.py"][..],
        &["theirs.py", "ours.py"],
        &["differs.py"],
    ] {
        let args = [
            &[
                "card",
                "--data",
                "demo",
                "-c",
                "200",
                "--out",
                "a.batt",
                "--solvers",
            ],
            solvers,
        ]
        .concat();
        let of_card = report(&sandbox, &args);
        assert_eq!(
            of_card["library"]["mutable"],
            of_card["library"]["programs"]
        );
        assert!(of_card["mutants"].as_u64().unwrap() > 80, "{of_card}");
        let battery = parse_battery(&sandbox.read("a.batt")).unwrap().battery;
        let programs = (0..battery.outs.len()).map(|k| battery.program(k));
        let programs: Vec<Program> = programs.collect();
        let theirs = n_theirs(&programs);
        let is_mixed = solvers.len() > 1;
        assert_eq!(theirs == programs.len(), !is_mixed, "{theirs}");
        assert!(theirs > 30, "{theirs}");
        let of_batt = report(
            &sandbox,
            &["batt", "a.batt", "--data", "demo", "--tasks", "3"],
        );
        assert_eq!(of_batt["battery"]["programs"], programs.len());
    }
}

#[test]
fn a_battery_of_mixed_programs_gives_what_they_give_alone() {
    let sandbox = sandbox();
    let args = words("batt --data demo --solvers theirs.py ours.py");
    let merged = report(&sandbox, &args);
    let alone = report(&sandbox, &[&args[..], &["--no-share"]].concat());
    assert_eq!(merged["solved"], 50);
    assert_eq!(merged["per_task"], alone["per_task"]);
    let solvers = |task: usize| {
        merged["per_task"][task]["solved_by"]
            .as_array()
            .unwrap()
            .len()
    };
    // Each program follows the rules of its dialect, and one of each dialect solves the first task.
    assert_eq!(solvers(0), 2);
}

#[test]
fn programs_of_every_dialect_evolve() {
    let sandbox = sandbox();
    let args = words(
        "evolve --data demo --tasks 8 --children 8 --broad 32 --rounds 4 --solvers theirs.py --solvers ours.py",
    );
    let evolved = report(&sandbox, &args);
    assert_eq!(evolved["library"], 72);
    assert_eq!(
        evolved["unsure"].as_u64().map(|n| n < 500),
        Some(true),
        "{evolved}"
    );
    let exported = sandbox.leyden(&["library", "export"]).ok().stdout;
    let programs = parse(&exported, "exported", None).unwrap();
    let is_child = |program: &&Program| program.name.contains("_r");
    let children: Vec<Program> = programs.iter().filter(is_child).cloned().collect();
    let theirs = n_theirs(&children);
    assert!(theirs > 0 && theirs < children.len(), "{theirs}");
}

#[test]
fn known_programs_of_every_dialect_answer() {
    let sandbox = sandbox();
    let args = words(
        "solve --data demo --tasks 8 --fuel-per-task 3000000 --library theirs.py --programs found",
    );
    let solved = report(&sandbox, &args);
    assert_eq!(solved["known_programs"], 22);
    let first = &solved["rows"][0]["answers"][0][0];
    assert_eq!(first["dialect"], "tokpidjin", "{first}");
    assert_eq!(first["source"], "transfer");
    let written = std::fs::read_to_string(sandbox.path("found").join("1e7d0001.py")).unwrap();
    let programs = parse(&written, "found", None).unwrap();
    assert_eq!(programs[0].dialect, Dialect::Tokpidjin, "{written}");
    let ran = report(
        &sandbox,
        &[
            "run",
            "--data",
            "demo",
            "--tasks",
            "8",
            "--solvers",
            "found",
        ],
    );
    assert_eq!(ran["solved"], solved["solved"]);
}

#[test]
fn scoring_programs_in_a_library_are_named_as_left_out() {
    let sandbox = sandbox();
    let args = words("solve --data demo --tasks 1 --fuel-per-task 1000 --library differs.py");
    let ran = sandbox.leyden(&args).ok();
    assert!(
        ran.stderr.contains("2 programs of the library left out"),
        "{}",
        ran.stderr
    );
}

#[test]
fn stores_keep_the_dialect_of_each_program() {
    let sandbox = sandbox();
    let import = ["library", "import", "theirs.py", "ours.py", "differs.py"];
    let ran = sandbox.leyden(&import).ok();
    assert!(ran.stdout.starts_with("74 programs new"), "{}", ran.stdout);
    let text = sandbox.leyden(&["library", "export"]).ok().stdout;
    let python = ["library", "export", "--format", "python", "--out", "all.py"];
    sandbox.leyden(&python).ok();
    let again = ["library", "import", "--store", "again.db", "all.py"];
    sandbox.leyden(&again).ok();
    let export = ["library", "export", "--store", "again.db"];
    let sorted = |text: &str| {
        let mut programs = parse(text, "exported", None).unwrap();
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        let texts = programs.iter().map(Program::to_string);
        texts.collect::<Vec<String>>()
    };
    let exported = sandbox.leyden(&export).ok().stdout;
    assert_eq!(sorted(&exported), sorted(&text));
    let card = words("card --library library.db -c 50 --out a.batt");
    sandbox.leyden(&card).ok();
    let battery = parse_battery(&sandbox.read("a.batt")).unwrap().battery;
    assert_eq!(battery.outs.len(), 50);
}

#[test]
fn comments_name_dialects_and_unknown_ones_are_refused() {
    let sandbox = Sandbox::new();
    let source = "# dialect: tokpidjin\ndef solve_1e7d0042(I):\n    return tophalf(I)\n";
    sandbox.write("a.py", source);
    let ran = sandbox.leyden(&["import", "a.py"]).ok();
    assert!(ran.stdout.contains("(I) tokpidjin"), "{}", ran.stdout);
    sandbox.write("b.py", &source.replace("tokpidjin", "tokpisin"));
    let words = [
        "b.py:1:1",
        "no such dialect",
        "`arc-dsl`, `re-arc`, `tokpidjin`",
    ];
    sandbox.leyden(&["import", "b.py"]).refused(&words);
}

#[test]
fn programs_of_tokpidjin_are_traced_and_evaluated() {
    let sandbox = sandbox();
    let trace = words("trace 1e7d0001 --data demo --solvers theirs.py");
    let ran = sandbox.leyden(&trace).ok();
    assert!(ran.stdout.contains("o_g(I, R4)"), "{}", ran.stdout);
    sandbox.write("grids.json", "[[[1,0],[0,2]]]");
    let eval = words("eval --solvers theirs.py ours.py --inputs grids.json --out -");
    let ran = sandbox.leyden(&eval).ok();
    assert_eq!(ran.stdout.lines().count(), 72);
}

#[test]
fn differs_count_what_is_better_than_the_input() {
    let sandbox = sandbox();
    let args = words("batt --data demo --solvers theirs.py --scores differs.py");
    let report = report(&sandbox, &args);
    let scores = report["scores"].as_array().unwrap();
    assert_eq!(
        (&scores[0]["scale"], &scores[0]["over_input"]),
        (&1000.into(), &true.into())
    );
    assert_eq!(scores[0].get("misranked"), None);
    assert!(scores[1]["misranked"].as_u64().unwrap() > 50, "{scores:?}");
    for task in report["per_task"].as_array().unwrap() {
        let n_demos = task["demos"].as_u64().unwrap();
        let right: Vec<usize> = serde_json::from_value(task["solved_by"].clone()).unwrap();
        let partial: Vec<f64> = serde_json::from_value(task["partial"].clone()).unwrap();
        let differs: Vec<Vec<u64>> = serde_json::from_value(task["differ_scores"].clone()).unwrap();
        for (program, partial) in partial.iter().enumerate() {
            // The second scoring program gives nothing to right outputs.
            if right.contains(&program) {
                assert_eq!((*partial, differs[1][program]), (100.0, 0))
            } else {
                assert!(*partial < 100.0 && differs[1][program] <= 1000 * n_demos)
            }
            assert!(differs[0][program] <= 2000 * n_demos);
        }
    }
    let text = sandbox.leyden(&args).ok().stdout;
    assert!(
        text.contains("differ_backwards ranks a wrong output above the right one"),
        "{text}"
    );
    assert!(!text.contains("differ_size ranks"), "{text}");
}

#[test]
fn files_tell_the_scale_of_their_scores() {
    let sandbox = sandbox();
    let source = "
def score_one(I, C):
    return (100, I)

# scale: 40
def score_two(I, C):
    return (100, I)
";
    sandbox.write("scores.py", source);
    sandbox.write("same.py", "def solve_1e7d0001(I):\n    return I\n");
    let args = words("batt --data demo --tasks 2 --solvers same.py --scores scores.py");
    let of_batt = report(&sandbox, &args);
    let expected = [
        serde_json::json!({"name": "score_one", "failed": 0}),
        serde_json::json!({"name": "score_two", "scale": 40, "failed": 0}),
    ];
    assert_eq!(of_batt["scores"], Value::from(expected.to_vec()));
    // Both give full marks to an output that is wrong.
    assert_eq!(of_batt["per_task"][0]["partial"][0], 99.9);
    sandbox.write("scores.py", &source.replace("40", "many"));
    sandbox
        .leyden(&args)
        .refused(&["scores.py:5", "a scale is a whole number"]);
}

#[test]
fn merged_parts_of_a_mixed_battery_are_the_battery() {
    let sandbox = sandbox();
    let command =
        words("batt --data demo --tasks 9 --solvers theirs.py ours.py --scores differs.py");
    check_merging(&sandbox, &command);
}
