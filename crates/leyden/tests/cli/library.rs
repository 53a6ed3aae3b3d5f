use leyden_lang::parse;
use leyden_store::demo;
use leyden_store::library::{NewRun, ProgramHash, SampleScore, Store, TaskKey};

use crate::{Sandbox, demo_solvers, json};

/// A sandbox whose store has the 50 built-in programs.
fn with_programs() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("solvers.py", &demo_solvers());
    let ran = sandbox.leyden(&["library", "import", "solvers.py"]).ok();
    assert!(
        ran.stdout.starts_with("50 programs new, 0 known"),
        "{}",
        ran.stdout
    );
    sandbox
}

/// A sandbox with programs, of which one fits its task and another nearly fits.
fn with_scores() -> Sandbox {
    let sandbox = with_programs();
    let mut store = Store::open_existing(&sandbox.path("library.db")).unwrap();
    let programs = parse(&demo_solvers(), "solvers.py", None).unwrap();
    let task = &demo::tasks()[0];
    let key = TaskKey::of(&task.puzzle());
    for (program, is_exact) in programs.iter().zip([true, false]) {
        let sample = SampleScore {
            is_exact,
            partial: if is_exact { 100.0 } else { 62.5 },
            fuel: 10,
        };
        let samples = vec![sample; task.demos.len()];
        let hash = ProgramHash::of(program);
        store.record_scores(hash, &key, &samples).unwrap();
    }
    sandbox
}

/// The name of the first built-in solver.
fn first_name() -> String {
    let solvers = demo_solvers();
    let rest = solvers.split("def ").nth(1).unwrap();
    rest.split('(').next().unwrap().to_owned()
}

#[test]
fn programs_go_in_once_and_come_out_as_they_were() {
    let sandbox = with_programs();
    let again = sandbox
        .leyden(&["library", "import", "solvers.py", "--json", "-"])
        .ok();
    let report = json(&again.stdout);
    assert_eq!(report["n_new"], 0);
    assert_eq!(report["n_known"], 50);
    assert_eq!(report["n_programs"], 50);
    for (form, file) in [("text", "out.leyden"), ("python", "out.py")] {
        let args = ["library", "export", "--format", form, "--out", file];
        sandbox.leyden(&args).ok();
        let other = format!("{form}.db");
        let args = ["library", "import", file, "--store", &other];
        let ran = sandbox.leyden(&args).ok();
        assert!(ran.stdout.starts_with("50 programs new"), "{}", ran.stdout);
        let back = sandbox.leyden(&["library", "import", &other]).ok();
        assert!(
            back.stdout.starts_with("0 programs new, 50 known"),
            "{}",
            back.stdout
        );
    }
}

#[test]
fn the_best_programs_are_listed_first() {
    let sandbox = with_scores();
    let ran = sandbox.leyden(&["library", "list", "--top", "3"]).ok();
    assert!(
        ran.stdout.starts_with("50 programs and 2 scores in "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("47 more"), "{}", ran.stdout);
    let first = first_name();
    let list = |args: &[&str]| {
        let args = [&["library", "list", "--json", "-"], args].concat();
        json(&sandbox.leyden(&args).ok().stdout)["programs"].clone()
    };
    assert_eq!(list(&[])[0]["name"], first);
    assert_eq!(list(&[]).as_array().unwrap().len(), 50);
    assert_eq!(list(&["--fitting"]).as_array().unwrap().len(), 1);
    let task = demo::tasks()[0].id.to_string();
    assert_eq!(list(&["--task", &task]).as_array().unwrap().len(), 2);
    let best = sandbox
        .leyden(&["library", "best", &task, "--top", "5", "--json", "-"])
        .ok();
    let best = json(&best.stdout);
    assert_eq!(best[0]["name"], first);
    assert_eq!(best[1]["score"]["partial"], 62.5);
    let all = sandbox.leyden(&["library", "best"]).ok().stdout;
    assert_eq!(all.lines().count(), 2, "{all}");
}

#[test]
fn a_program_is_shown_by_name_or_hash() {
    let sandbox = with_scores();
    let name = first_name();
    let shown = sandbox.leyden(&["library", "show", &name]).ok().stdout;
    for word in ["program solve_", "from solvers.py", "100.0"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let hash = shown.lines().next().unwrap();
    let report = sandbox
        .leyden(&["library", "show", &hash[..8], "--json", "-"])
        .ok();
    assert_eq!(json(&report.stdout)["hash"], *hash);
    let python = sandbox
        .leyden(&["library", "show", hash, "--format", "python"])
        .ok()
        .stdout;
    assert!(python.starts_with(&format!("def {name}(I):\n")), "{python}");
    let unknown = sandbox.leyden(&["library", "show", "nobody"]);
    unknown.refused(&["no program of the name or hash nobody"]);
}

#[test]
fn pruning_keeps_what_is_asked_for() {
    let sandbox = with_scores();
    let ran = sandbox.leyden(&["library", "prune", "--keep", "1"]).ok();
    assert!(
        ran.stdout.starts_with("1 program removed, 49 kept"),
        "{}",
        ran.stdout
    );
    let ran = sandbox
        .leyden(&["library", "prune", "--keep", "1", "--unscored"])
        .ok();
    assert!(
        ran.stdout.starts_with("48 programs removed, 1 kept"),
        "{}",
        ran.stdout
    );
    let ran = sandbox.leyden(&["library", "check"]).ok();
    assert!(
        ran.stdout.starts_with("sound: 1 program and 1 score"),
        "{}",
        ran.stdout
    );
}

#[test]
fn damage_is_reported_and_the_exit_code_says_so() {
    let sandbox = with_programs();
    let path = sandbox.path("library.db");
    let mut bytes = std::fs::read(&path).unwrap();
    // Replace the word everywhere: unused parts of the file may have old copies.
    for at in 0..bytes.len() - 7 {
        if bytes[at..].starts_with(b"vmirror") {
            bytes[at] = b'h';
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let ran = sandbox.leyden(&["library", "check", "--json", "found.json"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("has another hash"), "{}", ran.stderr);
    assert_eq!(json(&sandbox.read("found.json"))["is_sound"], false);
}

/// A store takes any bytes as a state; `library check` tests that a run could read them.
#[test]
fn a_state_that_makes_no_sense_is_found() {
    let sandbox = with_programs();
    let store = sandbox.path("library.db");
    let mut opened = Store::open(&store).unwrap();
    let begun = NewRun::default();
    opened
        .write(|batch| {
            let run = batch.begin_run(&begun)?;
            batch.save_state(run, b"{}")
        })
        .unwrap();
    drop(opened);
    sandbox
        .leyden(&["library", "check"])
        .refused(&["damaged", "the state of run 1 is damaged"]);
}

#[test]
fn a_copy_holds_everything() {
    let sandbox = with_scores();
    let args = ["library", "export", "--format", "store", "--out", "copy.db"];
    sandbox.leyden(&args).ok();
    let content = |name: &str| {
        let store = Store::open_read_only(&sandbox.path(name)).unwrap();
        store.content_hash().unwrap()
    };
    assert_eq!(content("copy.db"), content("library.db"));
    let args = ["library", "import", "copy.db", "--store", "third.db"];
    let ran = sandbox.leyden(&args).ok();
    assert!(ran.stdout.contains("2 scores brought"), "{}", ran.stdout);
    assert_eq!(content("third.db"), content("library.db"));
}

#[test]
fn a_battery_is_drawn_by_score() {
    let sandbox = with_scores();
    let card = |out: &str| {
        let args = [
            "card",
            "--library",
            "own",
            "-c",
            "300",
            "--seed",
            "3",
            "--out",
            out,
        ];
        sandbox.leyden(&args).ok()
    };
    let ran = card("a.batt");
    assert!(
        ran.stdout.contains("300 programs from 50"),
        "{}",
        ran.stdout
    );
    card("b.batt");
    assert_eq!(sandbox.read("a.batt"), sandbox.read("b.batt"));
    let best = demo_solvers();
    let best = best
        .split("def ")
        .nth(1)
        .unwrap()
        .split('(')
        .next()
        .unwrap();
    let battery = sandbox.read("a.batt");
    let from = format!(" from {best} ");
    // Equal chances would give six of three hundred.
    let n_drawn = battery.matches(&from).count();
    assert!(n_drawn > 50, "{n_drawn}");
    let task = demo::tasks()[0].id.to_string();
    let args = [
        "card",
        "--library",
        "library.db",
        "--freeze",
        "--all",
        "--task",
        &task,
    ];
    let ran = sandbox.leyden(&args).ok();
    assert!(
        ran.stdout.starts_with("2 programs from 2"),
        "{}",
        ran.stdout
    );
}

#[test]
fn bad_stores_are_refused_with_a_message() {
    let sandbox = Sandbox::new();
    let check = |args: &[&str], words: &[&str]| {
        sandbox
            .leyden(&[&["library"], args].concat())
            .refused(words);
    };
    for action in [
        &["list"][..],
        &["check"],
        &["best"],
        &["export"],
        &["prune", "--keep", "1"],
    ] {
        check(action, &["library.db", "there is no store yet"]);
    }
    assert!(!sandbox.path("library.db").exists());
    sandbox.write("text.db", "this is no store at all, only text");
    check(
        &["list", "--store", "text.db"],
        &["text.db: this is not a Leyden store"],
    );
    check(&["import", "none.py"], &["none.py"]);
    sandbox.write("bad.py", "def solve_00000001(I):\n    return vmiror(I)\n");
    check(
        &["import", "bad.py"],
        &["bad.py:2:12", "did you mean `vmirror`?"],
    );
    assert!(!sandbox.path("library.db").exists());
    check(&["export", "--format", "store"], &["--out FILE"]);
    sandbox
        .leyden(&["card", "--library", "own"])
        .refused(&["there is no store yet"]);
    let newer = Store::open(&sandbox.path("newer.db")).unwrap();
    drop(newer);
    let mut bytes = std::fs::read(sandbox.path("newer.db")).unwrap();
    // SQLite keeps the user's version at byte 60.
    bytes[60..64].copy_from_slice(&9u32.to_be_bytes());
    std::fs::write(sandbox.path("newer.db"), bytes).unwrap();
    check(
        &["list", "--store", "newer.db"],
        &["has format 9", "use a newer Leyden"],
    );
}
