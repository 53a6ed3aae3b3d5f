//! The forms in which users of tokpidjin have their programs.

use std::fs;
use std::path::Path;

use crate::{Ran, Sandbox};

/// A program as that system stores it: its name is in the path alone.
const LEFT_RIGHT: &str = "from dsl import *\nfrom constants import *\n\ndef solve(S, I, C):\n    O = vmirror_t(I)\n    return O\n";

/// One that uses only names that arc-dsl has too.
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
    // The old score is kept where it came from, and nowhere else.
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
    refused.refused(&["yours: No such file"]);
}
