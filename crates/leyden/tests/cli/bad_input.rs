//! Bad input: the exit code is 2, the error names the file, and the command writes no file.

use crate::{Sandbox, words};

#[test]
fn bad_data_is_refused() {
    let sandbox = Sandbox::new();
    let run = |name: &str| {
        sandbox.leyden(&[
            "run",
            "--data",
            name,
            "--solvers",
            "a.py",
            "--json",
            "out.json",
        ])
    };
    sandbox.write("a.py", "def solve_0a1b2c3d(I):\n    return I\n");
    let bad = [
        (
            "ragged.json",
            r#"{"train": [{"input": [[1, 2], [3]], "output": [[1]]}], "test": []}"#,
            "train[0].input",
        ),
        (
            "colour.json",
            r#"{"train": [{"input": [[11]], "output": [[1]]}], "test": []}"#,
            "11",
        ),
        (
            "truncated.json",
            r#"{"train": [{"input": [[1"#,
            "truncated.json",
        ),
        ("empty.json", "", "empty.json"),
        ("number.json", "7", "number.json"),
    ];
    for (name, text, words) in bad {
        sandbox.write(name, text);
        run(name).refused(&[name, words]);
    }
    run("missing.json").refused(&["missing.json"]);
    assert!(!sandbox.path("out.json").exists());
}

#[test]
fn bad_programs_are_refused() {
    let sandbox = Sandbox::new();
    let run = |name: &str| {
        sandbox.leyden(&[
            "run",
            "--data",
            "demo",
            "--solvers",
            name,
            "--json",
            "out.json",
        ])
    };
    sandbox.write(
        "loop.py",
        "def solve_0a1b2c3d(I):\n    while T:\n        pass\n    return I\n",
    );
    run("loop.py").refused(&["loop.py:2:5", "while"]);
    sandbox.write("empty.py", "");
    run("empty.py").refused(&["empty.py", "no programs"]);
    std::fs::write(sandbox.path("binary.py"), [0xff, 0xfe, 0x00]).unwrap();
    run("binary.py").refused(&["binary.py", "UTF-8"]);
    run("missing.py").refused(&["missing.py"]);
    std::fs::create_dir(sandbox.path("directory")).unwrap();
    run("directory").refused(&["directory", "there are no programs"]);
    assert!(!sandbox.path("out.json").exists());
}

#[test]
fn bad_inputs_of_eval_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def solve_0a1b2c3d(I):\n    return I\n");
    let eval = |solvers: &str, inputs: &str, out: &str| {
        sandbox.leyden(&[
            "eval",
            "--solvers",
            solvers,
            "--inputs",
            inputs,
            "--out",
            out,
        ])
    };
    sandbox.write("grids.json", "[[[1]]]");
    sandbox.write("not-grids.json", r#"{"a": 1}"#);
    eval("a.py", "not-grids.json", "out.jsonl").refused(&["not-grids.json"]);
    eval("a.py", "missing.json", "out.jsonl").refused(&["missing.json"]);
    eval("missing.py", "grids.json", "out.jsonl").refused(&["missing.py"]);
    eval("a.py", "grids.json", "none/out.jsonl")
        .refused(&["none/out.jsonl", "there is no directory none"]);
    eval("a.py", "grids.json", ".").refused(&["this is a directory"]);
    assert_eq!(sandbox.names(), ["a.py", "grids.json", "not-grids.json"]);
}

#[test]
fn bad_usage_is_refused() {
    let sandbox = Sandbox::new();
    sandbox
        .leyden(&["run", "--data", "arc1"])
        .refused(&["arc1:training", "arc1:evaluation"]);
    sandbox
        .leyden(&["run", "--data", "demo", "--task", "1e7d002x"])
        .refused(&["1e7d002x", "did you mean"]);
    sandbox.leyden(&["run", "--jobs", "0"]).refused(&["--jobs"]);
    sandbox
        .leyden(&["run", "--fuel", "none"])
        .refused(&["--fuel"]);
    sandbox
        .leyden(&["run", "--dialect", "latin"])
        .refused(&["arc-dsl", "re-arc"]);
    sandbox
        .leyden(&["run", "--solutions", "s.json"])
        .refused(&["--data"]);
    sandbox
        .leyden(&["run", "--data", "demo", "--json", "none/out"])
        .refused(&["none/out"]);
    sandbox
        .leyden(&["primitives", "--format", "html"])
        .refused(&["--format", "text, md"]);
    sandbox.leyden(&[]).refused(&["Usage"]);
}

#[test]
fn solutions_must_fit_the_challenges() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def solve_0a1b2c3d(I):\n    return I\n");
    sandbox.write("c.json", r#"{"0a1b2c3d": {"train": [{"input": [[1]], "output": [[1]]}], "test": [{"input": [[1]]}]}}"#);
    sandbox.write("s.json", r#"{"0a1b2c3d": [[[1]]], "ffffffff": [[[1]]]}"#);
    let args = words("run --data c.json --solutions s.json --solvers a.py");
    sandbox.leyden(&args).refused(&["s.json", "ffffffff"]);
}

#[test]
fn data_that_cannot_be_fetched_is_a_failure_when_asked_for_by_name() {
    let sandbox = Sandbox::new();
    let ran = sandbox.leyden(&["run", "--data", "arc2:training"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("cannot fetch"), "{}", ran.stderr);
}

#[test]
fn names_cannot_steer_the_terminal() {
    let sandbox = Sandbox::new();
    let name = "solve_0a1b2c3d\\u{1b}]0;owned\\u{7}";
    let battery =
        format!("battery 1\nt1 = identity(I)\nout \"{name}\"(I) arc-dsl = t1 from a lines t1\n");
    sandbox.write("a.batt", &battery);
    let refused = sandbox.leyden(&["batt", "a.batt", "--data", "demo"]);
    refused.refused(&["a.batt:3:", "control character"]);
    let missing = sandbox.leyden(&["run", "--data", "no\u{1b}[2Jdata.json"]);
    missing.refused(&["no␛[2Jdata.json"]);
}

/// An endless device is refused like a file that is too large.
#[cfg(unix)]
#[test]
fn reading_ends_at_a_limit() {
    let sandbox = Sandbox::new();
    let endless = "/dev/zero";
    let commands = [
        &["profile", "refilter", endless][..],
        &["profile", "compare", endless, endless],
        &["solve", "--data", "demo", "--moves", endless],
        &["profile", "dsl", "--data", "demo", "--expect", endless],
        &["run", "--data", "demo", "--solvers", endless],
    ];
    for command in commands {
        sandbox.leyden(command).refused(&[endless, "larger than"]);
    }
}

#[test]
fn a_program_file_has_an_end() {
    let sandbox = Sandbox::new();
    let lines = "    x = vmirror(I)\n".repeat(600_000);
    let source = format!("def solve_0a1b2c3d(I):\n{lines}    return x\n");
    sandbox.write("large.py", &source);
    let ran = sandbox.leyden(&["import", "large.py"]);
    ran.refused(&["large.py", "more than 2,500,000 words and signs"]);
}

#[test]
fn moves_that_multiply_have_an_end() {
    let sandbox = Sandbox::new();
    let words: String = ('a'..='h')
        .map(|word| format!("let {word} = 1 | 2 | 3 | 4 | 5\n"))
        .collect();
    let line = "3 all: fill(I, {a}, {b}, {c}, {d}, {e}, {f}, {g}, {h})\n";
    sandbox.write("moves.txt", &(words + line));
    let ran = sandbox.leyden(&["solve", "--data", "demo", "--moves", "moves.txt"]);
    ran.refused(&["moves.txt", "line 9", "more than 100000 moves"]);
}

/// Any input file may begin with the mark of UTF-8.
#[test]
fn a_byte_order_mark_is_accepted() {
    let sandbox = Sandbox::new();
    let pair = r#"{"input": [[1, 2]], "output": [[2, 1]]}"#;
    let files = [
        (
            "a1.json",
            format!(r#"{{"train": [{pair}], "test": [{pair}]}}"#),
        ),
        (
            "a1.py",
            "def solve_a1(I):\n    return vmirror(I)\n".to_owned(),
        ),
        ("grids.json", "[[[1, 2]]]".to_owned()),
        (
            "submission.json",
            r#"{"a1": [{"attempt_1": [[2, 1]], "attempt_2": [[0]]}]}"#.to_owned(),
        ),
        ("moves.txt", "3 flip: vmirror(I)\n".to_owned()),
        (
            "text.leyden",
            "program solve_a1(I) arc-dsl\n  x1 = vmirror(I)\n  return x1\n".to_owned(),
        ),
    ];
    for (name, text) in files {
        sandbox.write(name, &format!("\u{feff}{text}"));
    }
    let commands = [
        &["run", "--data", "a1.json", "--solvers", "a1.py"][..],
        &["run", "--data", "a1.json", "--solvers", "text.leyden"],
        &[
            "eval",
            "--solvers",
            "a1.py",
            "--inputs",
            "grids.json",
            "--out",
            "-",
        ],
        &["score", "submission.json", "--data", "a1.json"],
        &["submit-check", "submission.json", "--data", "a1.json"],
        &[
            "solve",
            "--data",
            "a1.json",
            "--moves",
            "moves.txt",
            "--fuel-per-task",
            "10000",
        ],
    ];
    for command in commands {
        sandbox.leyden(command).ok();
    }
}

/// The error does not say that the file is not a part: it may be one, and is only too large.
#[test]
fn a_part_that_is_too_large_is_named() {
    let sandbox = Sandbox::new();
    let file = std::fs::File::create(sandbox.path("large.json")).unwrap();
    file.set_len(5 << 30).unwrap();
    sandbox
        .leyden(&["merge", "out.json", "large.json"])
        .refused(&["large.json: larger than 4 GB"]);
}

#[test]
fn a_report_gets_its_directory() {
    let sandbox = Sandbox::new();
    let args = [
        "profile", "dsl", "1e7d0001", "--data", "demo", "--report", "new/er",
    ];
    sandbox.leyden(&args).ok();
    assert_eq!(
        std::fs::read_dir(sandbox.path("new/er")).unwrap().count(),
        1
    );
}

/// A directory is refused by every command that takes a store.
#[test]
fn a_directory_is_not_a_store() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("here")).unwrap();
    sandbox.write("a.py", &crate::demo_solvers());
    let commands = [
        &["library", "list", "--store", "here"][..],
        &["library", "check", "--store", "here"],
        &["library", "import", "a.py", "--store", "here"],
        &[
            "evolve", "--data", "demo", "--rounds", "1", "--store", "here",
        ],
    ];
    for command in commands {
        sandbox.leyden(command).refused(&["here"]);
    }
}
