//! The forms of programs that users of tokpidjin have.

use std::fs;
use std::path::Path;

use crate::{Ran, Sandbox, json, words};

/// Three candidates and two differs, in the form of tokpidjin's `card.py`.
const BATT: &str = include_str!("../fixtures/tokpidjin/batt.py");

/// Solvers in tokpidjin's form.
const SOLVERS: &str = include_str!("../fixtures/tokpidjin/solvers.py");

/// A program as tokpidjin stores it: only the path has its name.
const LEFT_RIGHT: &str = "from dsl import *\nfrom constants import *\n\ndef solve(S, I, C):\n    O = vmirror_t(I)\n    return O\n";

/// A program whose names arc-dsl has, too.
const UPSIDE_DOWN: &str = "def solve(S, I, C):\n    O = rot180(I)\n    return O\n";

fn put(sandbox: &Sandbox, name: &str, text: &str) {
    let path = sandbox.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn heads(ran: &Ran) -> Vec<&str> {
    let lines = ran.stdout.lines();
    lines
        .filter_map(|line| line.strip_prefix("program "))
        .collect()
}

#[cfg(unix)]
fn link(sandbox: &Sandbox, target: &str, name: &str) {
    let path = sandbox.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(Path::new(target), path).unwrap();
}

#[test]
fn a_directory_may_hold_a_file_for_each_program() {
    let sandbox = Sandbox::new();
    put(&sandbox, "all/00000001.py", "def solve(I):\n    return I\n");
    put(&sandbox, "all/solve_00000002.py", UPSIDE_DOWN);
    put(
        &sandbox,
        "all/deep/00000003/a.py",
        "def turn(I):\n    return rot90(I)\n",
    );
    put(
        &sandbox,
        "all/deep/00000003/b.py",
        "def turn(I):\n    return rot270(I)\n",
    );
    put(
        &sandbox,
        "all/dsl.py",
        "def vmirror(piece):\n    for x in y: pass\n",
    );
    let ran = sandbox.leyden(&["import", "all"]).ok();
    let expected = [
        "solve_00000001(I) arc-dsl",
        "turn_00000003_a(I) arc-dsl",
        "turn_00000003_b(I) arc-dsl",
        "solve_00000002(S, I, C) arc-dsl",
    ];
    assert_eq!(heads(&ran), expected);
}

#[test]
fn below_a_module_of_many_programs_nothing_is_looked_for() {
    let sandbox = Sandbox::new();
    put(&sandbox, "all/solvers.py", SOLVERS);
    put(
        &sandbox,
        "all/old/solvers.py",
        "def solve_00000001(I):\n    return broken(I)\n",
    );
    let ran = sandbox.leyden(&["import", "all"]).ok();
    let names = heads(&ran);
    assert_eq!(names.len(), 2, "{names:?}");
}

#[cfg(unix)]
#[test]
fn a_solver_store_is_read_through_its_links() {
    let sandbox = Sandbox::new();
    let (one, two) = ("1".repeat(32), "2".repeat(32));
    put(&sandbox, &format!("solver_md5/{one}.py"), LEFT_RIGHT);
    put(&sandbox, &format!("solver_md5/{two}.py"), UPSIDE_DOWN);
    let at =
        |task: &str, score: u32, md5: &str| format!("solver_dir/solve_{task}/{score}/11/{md5}.py");
    let near = |md5: &str| format!("../../../../solver_md5/{md5}.py");
    let far = |md5: &str| format!("/not/here/solver_md5/{md5}.py");
    link(&sandbox, &near(&one), &at("00000001", 4000, &one));
    link(&sandbox, &near(&one), &at("00000001", 3000, &one));
    link(&sandbox, &far(&two), &at("00000001", 2000, &two));
    link(&sandbox, &far(&two), &at("00000002", 2000, &two));
    link(
        &sandbox,
        &far(&"3".repeat(32)),
        &at("00000003", 1000, &"3".repeat(32)),
    );
    link(&sandbox, "..", "solver_dir/solve_00000002/around");
    let ran = sandbox.leyden(&["import", "solver_dir"]).ok();
    let expected = [
        "solve_00000001_22222222(S, I, C) tokpidjin",
        "solve_00000001_11111111(S, I, C) tokpidjin",
        "solve_00000002(S, I, C) tokpidjin",
    ];
    assert_eq!(heads(&ran), expected);
    assert!(ran.stderr.contains("solve_00000003/1000"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("skipped, a link to /not/here"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.leyden(&["import", "solver_md5"]).ok();
    let expected = [one, two].map(|md5| format!("solve_{md5}(S, I, C) tokpidjin"));
    assert_eq!(heads(&ran), expected);
}

#[cfg(unix)]
#[test]
fn a_differ_with_several_scores_counts_once() {
    let sandbox = Sandbox::new();
    let md5 = "d".repeat(32);
    let text = "def differ(S, I, C):\n    x1 = height_t(I)\n    O = astuple(x1, I)\n    return O\n";
    put(&sandbox, &format!("differ_md5/{md5}.py"), text);
    for task in ["00000001", "00000002"] {
        let name = format!("differ_dir/solve_{task}/900/11/{md5}.py");
        link(&sandbox, &format!("../../../../differ_md5/{md5}.py"), &name);
    }
    for store in ["differ_dir", "differ_md5"] {
        let ran = sandbox.leyden(&["import", store]).ok();
        let expected = format!("differ_{md5}(S, I, C) tokpidjin");
        assert_eq!(heads(&ran), [expected]);
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_refused_alone() {
    let sandbox = Sandbox::new();
    link(&sandbox, "gone.py", "all/solve_00000001.py");
    let refused = sandbox.leyden(&["import", "all/solve_00000001.py"]);
    refused.refused(&["all/solve_00000001.py: a link to gone.py, which does not exist"]);
    let refused = sandbox.leyden(&["run", "--data", "demo", "--solvers", "all"]);
    refused.refused(&["1 link to files that do not exist", "solve_00000001.py"]);
}

#[test]
fn the_path_of_a_single_program_names_it_in_every_command() {
    let sandbox = Sandbox::new();
    let text = "from dsl import *\nfrom constants import *\n\n\
                def solve(S, I, C):\n    x1 = o_g(I, R5)\n    O = rot180(I)\n    return O\n";
    let md5 = "a".repeat(32);
    let file = format!("solver_dir/solve_1e7d0001/4000/9/{md5}.py");
    put(&sandbox, &file, text);
    let ran = sandbox.leyden(&["import", &file]).ok();
    assert_eq!(heads(&ran), ["solve_1e7d0001(S, I, C) tokpidjin"]);
    let ran = sandbox
        .leyden(&["run", "--data", "demo", "--solvers", &file])
        .ok();
    assert!(ran.stdout.contains("1e7d0001"), "{}", ran.stdout);
    let ran = sandbox.leyden(&["library", "import", "solver_dir"]).ok();
    assert!(ran.stdout.contains("1 program new"), "{}", ran.stdout);
    let ran = sandbox.leyden(&["library", "show", "solve_1e7d0001"]).ok();
    // The old score appears only in the path of the origin.
    assert!(
        ran.stdout.contains("solve_1e7d0001/4000/9"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_name_without_a_suffix_finds_its_file() {
    let sandbox = Sandbox::new();
    sandbox.write("mine.py", "def solve_00000001(I):\n    return I\n");
    let ran = sandbox.leyden(&["import", "mine"]).ok();
    assert_eq!(heads(&ran), ["solve_00000001(I) arc-dsl"]);
    let refused = sandbox.leyden(&["import", "yours"]);
    refused.refused(&["yours: there is no such file"]);
}

fn lines(ran: &Ran) -> Vec<serde_json::Value> {
    ran.stdout.lines().map(json).collect()
}

#[test]
fn a_generated_batt_gives_what_its_candidates_give() {
    let sandbox = Sandbox::new();
    sandbox.write("batt.py", BATT);
    sandbox.write("grids.json", "[[[1, 2], [3, 4]]]");
    let args = words("eval --solvers batt --inputs grids.json --out -");
    let expected = [
        json(r#"{"solver":"solve_1e7d0001","input":0,"grid":[[2,1],[4,3]]}"#),
        // The program calls a number, and the line catches the fault.
        json(r#"{"solver":"solve_1e7d0002","input":0,"value":[]}"#),
        json(r#"{"solver":"solve_1e7d0001_t24","input":0,"grid":[[2,4],[1,3]]}"#),
    ];
    for more in [&[][..], &["--no-share"][..], &["--exact-order"][..]] {
        let ran = sandbox.leyden(&[&args[..], more].concat()).ok();
        assert_eq!(lines(&ran), expected);
    }
}

#[test]
fn every_command_takes_a_generated_batt() {
    let sandbox = Sandbox::new();
    sandbox.write("batt.py", BATT);
    let data = ["--data", "demo"];
    let ran = sandbox
        .leyden(&[&["batt", "batt.py"], &data[..]].concat())
        .ok();
    assert!(ran.stdout.contains("3 programs"), "{}", ran.stdout);
    let scored = ["batt", "batt.py", "--scores", "batt.py"];
    sandbox.leyden(&[&scored, &data[..]].concat()).ok();
    let run = ["run", "--solvers", "batt.py"];
    sandbox.leyden(&[&run, &data[..]].concat()).ok();
    let card = words("card --freeze --solvers batt.py --out out.batt");
    let ran = sandbox.leyden(&[&card, &data[..]].concat()).ok();
    assert!(
        ran.stdout.contains("wrote the battery to out.batt"),
        "{}",
        ran.stdout
    );
    let trace = ["trace", "1e7d0002", "--solvers", "batt.py"];
    let ran = sandbox.leyden(&[&trace, &data[..]].concat()).ok();
    assert!(ran.stdout.contains("t16 = t15(I)"), "{}", ran.stdout);
    let ran = sandbox.leyden(&["library", "import", "batt.py"]).ok();
    assert!(ran.stdout.contains("3 programs new"), "{}", ran.stdout);
    let ran = sandbox
        .leyden(&["library", "export", "--format", "python"])
        .ok();
    assert!(
        ran.stdout.contains("_get_safe_default(x1)"),
        "{}",
        ran.stdout
    );
}

#[test]
fn differs_of_a_generated_batt_are_told_apart() {
    let sandbox = Sandbox::new();
    sandbox.write("batt.py", BATT);
    let ran = sandbox.leyden(&["import", "batt.py"]).ok();
    let expected = [
        "solve_1e7d0001(S, I, C) tokpidjin",
        "solve_1e7d0002(S, I, C) tokpidjin-batt",
        "solve_1e7d0001_t24(S, I, C) tokpidjin-batt",
    ];
    assert_eq!(heads(&ran), expected);
    let ran = sandbox.leyden(&["import", "batt.py", "--differs"]).ok();
    assert_eq!(heads(&ran).len(), 8);
    assert!(heads(&ran).iter().all(|head| head.starts_with("differ_")));
    sandbox.write("a.py", SOLVERS);
    let refused = sandbox.leyden(&["import", "a.py", "--differs"]);
    refused.refused(&["a.py: expected a batt file"]);
}

#[test]
fn a_batt_that_is_not_understood_is_pointed_at() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "batt.py",
        &BATT.replace("    s = []\n", "    s = []\n    print(task_id)\n"),
    );
    for args in [&["batt", "batt.py"][..], &["run", "--solvers", "batt.py"]] {
        let refused = sandbox.leyden(&[args, &["--data", "demo"]].concat());
        refused.refused(&["batt.py:9:5", "a generated batt has steps"]);
    }
}

#[test]
fn card_writes_the_form_that_the_suffix_or_the_programs_ask_for() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", SOLVERS);
    let card = |more: &[&str]| {
        let args = words("card --all --freeze --data demo --solvers a.py");
        sandbox.leyden(&[&args, more].concat())
    };
    let ran = card(&["--out", "out.py"]).ok();
    let wrote = "wrote its calls to out_call.py\nwrote tokpidjin's batt to out.py\n";
    assert!(ran.stdout.ends_with(wrote), "{}", ran.stdout);
    assert!(sandbox.read("out_call.py").contains("t_call = {"));
    let head = "def batt(task_id, S, I, C, log_path):";
    assert!(sandbox.read("out.py").contains(head));
    let read = sandbox.leyden(&["import", "out.py"]).ok();
    let own = sandbox.leyden(&["import", "a.py"]).ok();
    assert_eq!(heads(&read), heads(&own));
    card(&["--out", "out.batt", "--python", "again.py"]).ok();
    assert_eq!(sandbox.read("again.py"), sandbox.read("out.py"));
    assert!(sandbox.read("out.batt").starts_with("battery 1"));
    card(&["--out", "b.py", "--format", "arc-dsl"]).refused(&["different dialects"]);
    let classic = ["card", "--freeze", "--data", "demo", "--out", "d.py"];
    let refused = sandbox.leyden(&[&classic[..], &["--format", "tokpidjin"]].concat());
    refused.refused(&["some of these are in another"]);
    let ran = sandbox.leyden(&classic).ok();
    assert!(
        ran.stdout.ends_with("wrote the Python module to d.py\n"),
        "{}",
        ran.stdout
    );
    let names = words("a.py again.py again_call.py d.py out.batt out.py out_call.py");
    assert_eq!(sandbox.names(), names);
}
