//! The command line as a whole: each name has one meaning, old spellings work, and wrong values are
//! refused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Sandbox, demo_solvers, json};

/// Every command with its options, from `leyden options`.
fn commands() -> Vec<Value> {
    let ran = Sandbox::new().leyden(&["options", "--json", "-"]).ok();
    json(&ran.stdout).as_array().unwrap().clone()
}

fn options(command: &Value) -> &Vec<Value> {
    command["options"].as_array().unwrap()
}

#[test]
fn one_name_has_one_meaning() {
    let commands = commands();
    let all = commands.iter().flat_map(options);
    let mut meanings: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for option in all {
        let long = option["long"].as_str().unwrap();
        let meaning = option["meaning"].as_str().unwrap();
        assert!(!meaning.is_empty(), "--{long}");
        meanings.entry(long).or_default().insert(meaning);
        let value = option["value"].as_str().unwrap_or_default();
        values.entry(long).or_default().insert(value);
        if let Some(short) = option["short"].as_str() {
            names.entry(short).or_default().insert(long);
        }
    }
    for (long, meanings) in &meanings {
        assert_eq!(meanings.len(), 1, "--{long}: {meanings:?}");
        assert_eq!(values[long].len(), 1, "--{long}: {:?}", values[long]);
    }
    for (short, names) in &names {
        assert_eq!(names.len(), 1, "-{short}: {names:?}");
    }
    let short = |option: &Value| (option["long"].clone(), option["short"].clone());
    let all: BTreeSet<_> = commands
        .iter()
        .flat_map(options)
        .map(short)
        .map(|it| format!("{it:?}"))
        .collect();
    assert_eq!(
        all.len(),
        meanings.len(),
        "a name is short in some commands only"
    );
}

#[test]
fn every_command_writes_json() {
    let commands = commands();
    let name = |command: &Value| command["command"].as_str().unwrap().to_owned();
    let names: Vec<String> = commands.iter().map(name).collect();
    for command in &commands {
        let name = name(command);
        let is_group = names.iter().any(|it| it.starts_with(&format!("{name} ")));
        if is_group || name == "leyden completions" {
            continue;
        }
        let has_json = options(command).iter().any(|it| it["long"] == "json");
        assert!(has_json, "{name}");
    }
}

#[test]
fn help_names_every_command_and_shows_no_old_spelling() {
    let sandbox = Sandbox::new();
    let help = sandbox.leyden(&["--help"]).ok().stdout;
    assert!(help.contains("Find programs:\n  solve"), "{help}");
    let page = sandbox.leyden(&["options", "--format", "md"]).ok().stdout;
    for old in [
        "--challenges",
        "--markdown",
        "--run-fuel",
        "--limit",
        "--num-tasks",
        "nobody",
    ] {
        assert!(!page.contains(old), "{old}");
    }
    assert!(page.contains("\n## leyden profile dsl\n"));
}

/// Command lines in an old spelling, and the notes about them.
const OLD: &[(&str, &str)] = &[
    ("card --data demo -c 3 -f a.batt", "`-f` is now `--out`"),
    (
        "card --data demo -c 3 --file=b.batt",
        "`--file` is now `--out`",
    ),
    (
        "card --data demo -c 3 --python c.py",
        "`--python FILE` is now `--out FILE.py`",
    ),
    (
        "card --data demo -c 3 --out d.py --form arc-dsl",
        "`--form` is now `--format`",
    ),
    ("library import solvers.py", ""),
    (
        "card --freeze --library -c 3",
        "`--library` is now `--library own`",
    ),
    ("library list -n 2", "`-n` is now `--top`"),
    ("library list --limit 2", "`--limit` is now `--top`"),
    ("library export --as python", "`--as` is now `--format`"),
    (
        "library show solve_1e7d0001 --python",
        "`--python` is now `--format python`",
    ),
    (
        "import solvers.py --python",
        "`--python` is now `--format python`",
    ),
    ("primitives --markdown", "`--markdown` is now `--format md`"),
    ("primitives --json", "`--json` is now `--json -`"),
    ("primitives --json objects", "`--json` is now `--json -`"),
    (
        "profile dsl --data demo -t 1e7d0001",
        "`-t` is now `--task`",
    ),
    (
        "profile batch --data demo --n 1 --all",
        "`--n` is now `--tasks`",
    ),
    (
        "profile batch --data demo -f a.batt -n 1 --json p.json",
        "`-f` is now `--battery`",
    ),
    (
        "profile batch --data demo --file a.batt -n 1",
        "`--file` is now `--battery`",
    ),
    (
        "profile compare p.json p.json --markdown",
        "`--markdown` is now `--format md`",
    ),
    (
        "evolve --data demo --rounds 1 --tasks 1 --run-fuel 100000",
        "`--run-fuel` is now `--fuel`",
    ),
    (
        "solve --data demo --tasks 1 --fuel-per-task 1000 --library none --out s.json",
        "",
    ),
    ("run --data demo -c 2", ""),
    ("batt -b a -c 2 -s 1 --data demo", ""),
    (
        "profile batch --data demo --num-tasks 1 --output q.json",
        "",
    ),
    ("card -fs -fd -c 2 --data demo", ""),
];

#[test]
fn old_spellings_work_and_say_the_new_one() {
    let sandbox = Sandbox::new();
    sandbox.write("solvers.py", &demo_solvers());
    for (line, remark) in OLD {
        let ran = sandbox.leyden(&line.split(' ').collect::<Vec<_>>()).ok();
        if remark.is_empty() {
            assert!(!ran.stderr.contains("is now"), "{line}: {}", ran.stderr);
        } else {
            assert_eq!(
                ran.stderr.matches(remark).count(),
                1,
                "{line}: {}",
                ran.stderr
            );
        }
    }
    let task = r#"{"1e7d0001": {"train": [], "test": [{"input": [[1]], "output": [[1]]}]}}"#;
    sandbox.write("c.json", task);
    let answer = r#"{"1e7d0001": [{"attempt_1": [[1]], "attempt_2": [[0]]}]}"#;
    sandbox.write("answers.json", answer);
    for command in ["score", "submit-check"] {
        let ran = sandbox
            .leyden(&[command, "answers.json", "--challenges", "c.json"])
            .ok();
        assert!(
            ran.stderr.contains("`--challenges` is now `--data`"),
            "{}",
            ran.stderr
        );
    }
}

/// Command lines with a wrong value, and words of the error.
const REFUSED: &[(&str, &str)] = &[
    (
        "profile pipeline --data demo --scale 0",
        "expected a whole number, 1 or more",
    ),
    (
        "profile pipeline --data demo --workers 0",
        "expected a whole number, 1 or more",
    ),
    (
        "profile batch --data demo --top 0",
        "expected a whole number, 1 or more, or `all`",
    ),
    (
        "profile compare a.json b.json --top 0",
        "expected a whole number, 1 or more, or `all`",
    ),
    (
        "library list --top none",
        "expected a whole number, 1 or more, or `all`",
    ),
    (
        "evolve --data demo --rounds 0",
        "expected a whole number, 1 or more",
    ),
    ("evolve --data demo --rounds 1 --islands 17", "from 1 to 16"),
    (
        "run --data demo --tasks 0",
        "expected a whole number, 1 or more",
    ),
    (
        "solve --data demo --tasks 0",
        "expected a whole number, 1 or more",
    ),
    (
        "evolve --data demo --tasks 0",
        "expected a whole number, 1 or more",
    ),
    (
        "run --data demo --jobs 0",
        "expected a whole number, 1 or more",
    ),
    (
        "run --data demo --jobs -1",
        "expected a whole number, 1 or more",
    ),
    (
        "run --data demo --start -1",
        "expected a whole number, 0 or more",
    ),
    (
        "run --data demo --fuel many",
        "expected a whole number, 1 or more",
    ),
    ("card --data demo --seed 99999999999999999999", "too large"),
    ("solve --data demo --per-task 4", "ms, s, m or h"),
    ("solve --data demo --budget -1s", "ms, s, m or h"),
    ("solve --data demo --moves empty.txt", "no moves"),
    ("run --data empty.json", "has no pairs"),
    ("show empty.json", "has no pairs"),
    ("library list --store dir", "dir: this is a directory"),
    (
        "library import a.py --store dir",
        "dir: this is a directory",
    ),
    (
        "evolve --data demo --rounds 1 --store dir",
        "dir: this is a directory",
    ),
    ("card --data demo --library none", "no programs"),
    ("card --data demo --library own", "there is no store yet"),
    ("solve --data demo --library own", "there is no store yet"),
    (
        "solve --data demo --library public",
        "`leyden get` fetches them",
    ),
    ("card --data demo --format python", "--out"),
    ("trace --data demo", "TASK"),
    ("solve --data demo --resume", "--out FILE"),
    ("import a.py --out - --json -", "only one output"),
];

#[test]
fn values_without_meaning_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def solve_0a1b2c3d(I):\n    return I\n");
    sandbox.write("empty.json", r#"{"train": [], "test": []}"#);
    sandbox.write("empty.txt", "# nothing\n");
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    let names = sandbox.names();
    for (line, words) in REFUSED {
        let ran = sandbox.leyden(&line.split(' ').collect::<Vec<_>>());
        assert!(ran.stderr.contains(words), "{line}: {}", ran.stderr);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line}");
        assert_eq!(sandbox.names(), names, "{line}");
    }
}

/// The commands that print JSON since 0.2, with a pointer into it.
const JSON: &[(&str, &str)] = &[
    ("import solvers.py --json -", "/programs/0/name"),
    ("trace 1e7d0001 --data demo --json -", "/0/steps/0/result"),
    ("show 1e7d0001 --json -", "/train/0/input"),
    ("primitives objects --json -", "/0/name"),
    (
        "eval --solvers solvers.py --inputs grids.json --out r.jsonl --json -",
        "/runs",
    ),
    ("library export --json - --out all.py", "/programs/0/hash"),
    ("profile compare p.json p.json --json -", ""),
];

#[test]
fn json_stands_beside_the_text() {
    let sandbox = Sandbox::new();
    sandbox.write("solvers.py", &demo_solvers());
    sandbox.write("grids.json", "[[[1, 2]]]");
    sandbox.leyden(&["library", "import", "solvers.py"]).ok();
    let profile = "profile batch --data demo --tasks 1 --out p.json";
    sandbox.leyden(&profile.split(' ').collect::<Vec<_>>()).ok();
    for (line, pointer) in JSON {
        let ran = sandbox.leyden(&line.split(' ').collect::<Vec<_>>()).ok();
        assert!(
            json(&ran.stdout).pointer(pointer).is_some(),
            "{line}: {}",
            ran.stdout
        );
    }
}

#[test]
fn the_suffix_decides_the_form() {
    let sandbox = Sandbox::new();
    for (name, begin) in [
        ("p.json", "{"),
        ("p.html", "<!"),
        ("p.md", "#"),
        ("p.svg", "<?xml"),
        ("p.speedscope.json", "{"),
    ] {
        let args = ["profile", "dsl", "1e7d0001", "--data", "demo", "-o", name];
        assert_eq!(sandbox.leyden(&args).ok().stdout, "");
        let text = sandbox.read(name);
        assert!(text.starts_with(begin), "{name}: {}", &text[..40]);
    }
    assert!(sandbox.read("p.speedscope.json").contains("speedscope"));
}

/// `--solvers` takes all words up to the next option; a task after it is still a task.
#[test]
fn a_task_may_stand_behind_the_programs() {
    let sandbox = Sandbox::new();
    sandbox.write("solvers.py", &demo_solvers());
    for command in [&["trace"][..], &["profile", "lines"], &["profile", "dsl"]] {
        let args = ["--data", "demo", "--solvers", "solvers.py", "1e7d0001"];
        let ran = sandbox.leyden(&[command, &args].concat()).ok();
        assert!(ran.stdout.contains("1e7d0001"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("1e7d0002"), "{}", ran.stdout);
    }
}
