//! Runs docs/from-tokpidjin.md line by line, on files in tokpidjin's forms.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

use crate::Sandbox;

const TASKS: [&str; 5] = ["1e7d0002", "1e7d0006", "1e7d0009", "1e7d0010", "1e7d0047"];

fn project(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    fs::read_to_string(path).unwrap()
}

/// A working directory as users of tokpidjin have it.
fn working_directory() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("solvers_pre.py", &project("tests/forms/tokpidjin.py"));
    sandbox.write("differs.py", &project("tests/forms/differs.py"));
    sandbox.write("generated.py", &project("tests/forms/batt.py"));
    write_challenges(&sandbox);
    write_solver_dir(&sandbox);
    sandbox
}

/// Writes Kaggle's two files with built-in tasks.
fn write_challenges(sandbox: &Sandbox) {
    let all: Json = serde_json::from_str(&project("crates/leyden-store/demo/tasks.json")).unwrap();
    let (mut challenges, mut solutions) = (Map::new(), Map::new());
    for id in TASKS {
        let tests = all[id]["test"].as_array().unwrap();
        let inputs: Vec<Json> = tests
            .iter()
            .map(|pair| json!({"input": pair["input"]}))
            .collect();
        let outputs: Vec<&Json> = tests.iter().map(|pair| &pair["output"]).collect();
        challenges.insert(
            id.into(),
            json!({"train": all[id]["train"], "test": inputs}),
        );
        solutions.insert(id.into(), json!(outputs));
    }
    fs::create_dir(sandbox.path("arc-prize-2025")).unwrap();
    let write = |name: &str, content| {
        let name = format!("arc-prize-2025/arc-agi_training_{name}.json");
        sandbox.write(&name, &Json::Object(content).to_string());
    };
    write("challenges", challenges);
    write("solutions", solutions);
}

/// Writes a store with one solver, as a link.
fn write_solver_dir(sandbox: &Sandbox) {
    let text = "from dsl import *\nfrom constants import *\n\ndef solve(S, I, C):\n    \
                x1 = f_ofcolor(I, BLACK)\n    x2 = rot180(I)\n    O = subgrid(x1, x2)\n    return O\n";
    let file = "0123456789abcdef0123456789abcdef.py";
    fs::create_dir(sandbox.path("solver_md5")).unwrap();
    sandbox.write(&format!("solver_md5/{file}"), text);
    let place = sandbox.path("solver_dir/solve_1e7d0006/4000/12");
    fs::create_dir_all(&place).unwrap();
    symlink(format!("../../../../solver_md5/{file}"), place.join(file)).unwrap();
}

#[test]
fn every_line_of_the_page_works() {
    let page = project("docs/from-tokpidjin.md");
    let sandbox = working_directory();
    let lines = page.lines().filter_map(|line| line.strip_prefix("leyden "));
    let mut n_lines = 0;
    for line in lines {
        let ran = sandbox.leyden(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "leyden {line}\n{}{}", ran.stdout, ran.stderr);
        n_lines += 1;
    }
    assert!(n_lines >= 15, "{n_lines} lines");
}
