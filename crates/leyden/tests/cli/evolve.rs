use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use leyden_store::library::Store;
use serde_json::Value;

use crate::{Ran, Sandbox, json};

/// A small run on the first built-in tasks.
const SMALL: [&str; 9] = [
    "evolve",
    "--data",
    "demo",
    "--tasks",
    "20",
    "--children",
    "8",
    "--broad",
    "16",
];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

fn spawn(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = sandbox.command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// The report without the fields that differ between equal runs.
fn report(text: &str) -> Value {
    let mut report = json(text);
    let fields = report.as_object_mut().unwrap();
    fields.remove("times");
    fields.remove("store");
    report
}

fn export(sandbox: &Sandbox, store: &str) -> String {
    let args = ["library", "export", "--store", store];
    sandbox.leyden(&args).ok().stdout
}

/// The number of rounds that a store's last run has saved.
fn n_rounds_saved(store: &Store) -> u64 {
    let runs = store.runs().unwrap();
    let state = runs.last().and_then(|run| run.state.clone());
    let state = state.unwrap_or_default();
    let line = state.split(|byte| *byte == b'\n').next().unwrap();
    let state: Value = serde_json::from_slice(line).unwrap_or_default();
    state["totals"][0].as_u64().unwrap_or(0)
}

/// The last round that was reported as saved.
fn n_rounds_reported(stderr: &str) -> u64 {
    let saved = stderr.lines().filter(|line| line.ends_with(", saved"));
    let number = |line: &str| line.strip_prefix("round ")?.split(':').next()?.parse().ok();
    saved.filter_map(number).max().unwrap_or(0)
}

#[test]
fn equal_seeds_give_equal_stores_on_any_number_of_threads() {
    let sandbox = Sandbox::new();
    let run = |store, jobs, seed, limit: [&str; 2]| {
        let more = [
            "--store", store, "--jobs", jobs, "--seed", seed, "--json", "-",
        ];
        let ran = sandbox.leyden(&small(&[&more[..], &limit].concat())).ok();
        report(&ran.stdout)
    };
    let fuel = ["--total-fuel", "4000000"];
    let first = run("a.db", "1", "7", fuel);
    assert_eq!(run("b.db", "3", "7", fuel), first);
    assert_eq!(export(&sandbox, "a.db"), export(&sandbox, "b.db"));
    assert_eq!(first["stop_reason"], "fuel");
    assert!(first["fuel"].as_u64().unwrap() >= 4_000_000);
    assert!(first["evaluations"].as_u64().unwrap() > 2_000, "{first}");
    assert!(first["behaviours"].as_u64().unwrap() > 200, "{first}");
    let rounds = first["rounds"].to_string();
    let same = run("c.db", "2", "7", ["--rounds", &rounds]);
    assert_eq!(same["content_hash"], first["content_hash"]);
    assert_eq!(same["stop_reason"], "rounds");
    let other = run("d.db", "2", "8", ["--rounds", &rounds]);
    assert_ne!(other["content_hash"], first["content_hash"]);
}

#[test]
fn findings_are_in_the_store_with_origin_and_scores() {
    let sandbox = Sandbox::new();
    sandbox.leyden(&small(&["--rounds", "5"])).ok();
    let checked = sandbox.leyden(&["library", "check", "--json", "-"]).ok();
    assert!(json(&checked.stdout)["n_scores"].as_u64().unwrap() > 50);
    let best = sandbox
        .leyden(&["library", "best", "--top", "9", "--json", "-"])
        .ok();
    let best = json(&best.stdout);
    let is_evolved = |ranked: &&Value| ranked["name"].as_str().unwrap().contains("_r");
    let evolved = best.as_array().unwrap().iter().find(is_evolved).unwrap();
    let hash = evolved["hash"].as_str().unwrap();
    let shown = sandbox
        .leyden(&["library", "show", hash, "--json", "-"])
        .ok();
    let shown = shown.stdout;
    assert!(shown.contains("leyden evolve"), "{shown}");
    assert!(shown.contains("\"parent\": \""), "{shown}");
    // Programs that are known at the start of a run do not count as found, and no test output is
    // needed.
    let again = sandbox
        .leyden(&small(&["--rounds", "1", "--json", "-"]))
        .ok();
    assert!(json(&again.stdout)["library"].as_u64().unwrap() > 50);
}

#[test]
fn every_parent_is_in_the_store() {
    let sandbox = Sandbox::new();
    sandbox
        .leyden(&small(&["--rounds", "30", "--store", "a.db"]))
        .ok();
    let records = Store::open(&sandbox.path("a.db"))
        .unwrap()
        .records()
        .unwrap();
    let known: BTreeSet<String> = records.iter().map(|it| it.hash.to_string()).collect();
    let parents = records.iter().filter_map(|it| it.origin.parent);
    let missing = parents
        .clone()
        .filter(|parent| !known.contains(&parent.to_string()));
    assert!(parents.clone().count() > 50);
    assert_eq!(missing.count(), 0);
}

#[test]
fn progress_has_a_line_for_each_round_and_continues() {
    let sandbox = Sandbox::new();
    let more = |rounds| {
        [
            "--rounds",
            rounds,
            "--store",
            "a.db",
            "--progress",
            "p.jsonl",
            "--json",
            "-",
        ]
    };
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(sandbox.path("p.jsonl")).unwrap();
        text.lines().map(json).collect()
    };
    let first = sandbox.leyden(&small(&more("9"))).ok();
    let first = json(&first.stdout);
    let rounds = |lines: &[Value]| -> Vec<u64> {
        lines
            .iter()
            .filter_map(|line| line["round"].as_u64())
            .collect()
    };
    assert_eq!(rounds(&lines()), (1..=9).collect::<Vec<_>>());
    let last = lines().pop().unwrap();
    for name in [
        "evaluations",
        "fuel",
        "children",
        "behaviours",
        "transferred",
        "evolved",
    ] {
        assert_eq!(last[name], first[name], "{name}");
    }
    let finds: Vec<Value> = lines()
        .into_iter()
        .filter(|line| line["fits"] == true)
        .collect();
    assert_eq!(finds.len() as u64, last["fitting"].as_u64().unwrap());
    let store = Store::open(&sandbox.path("a.db")).unwrap();
    for find in &finds {
        assert_eq!(
            store.find(find["program"].as_str().unwrap()).unwrap().len(),
            1,
            "{find}"
        );
    }
    // A run that ended is no run to resume: the file of the new run begins again.
    sandbox
        .leyden(&small(&[&more("3")[..], &["--resume"]].concat()))
        .ok();
    assert_eq!(rounds(&lines()), [1, 2, 3]);
    let wrong = sandbox.leyden(&small(&["--rounds", "1", "--progress", "-"]));
    assert!(
        wrong.stderr.contains("--progress -: expected a file"),
        "{}",
        wrong.stderr
    );
}

/// Kills a run 20 times at arbitrary moments, and checks the store each time.
#[test]
fn twenty_kills_lose_nothing_and_change_nothing() {
    let sandbox = Sandbox::new();
    let more = |store| {
        [
            "--store", store, "--rounds", "150", "--seed", "3", "--json", "-",
        ]
    };
    let undisturbed = sandbox.leyden(&small(&more("calm.db"))).ok();
    let path = sandbox.path("killed.db");
    let mut n_reported = 0;
    for k in 0..20u64 {
        let is_begun = path.exists() && !Store::open(&path).unwrap().runs().unwrap().is_empty();
        let resume: &[&str] = if is_begun { &["--resume"] } else { &[] };
        let mut child = spawn(&sandbox, &[&small(&more("killed.db")), resume].concat());
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // Every fourth kill comes while the run opens the store or makes its first round.
        let first = (k % 4 != 0).then(|| lines.next());
        std::thread::sleep(Duration::from_millis(k * 7_919 % 45));
        child.kill().unwrap();
        child.wait().unwrap();
        let lines: Vec<String> = first
            .flatten()
            .into_iter()
            .chain(lines)
            .map_while(Result::ok)
            .collect();
        n_reported = n_reported.max(n_rounds_reported(&lines.join("\n")));
        if path.exists() {
            let store = Store::open(&path).unwrap();
            assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
            assert!(
                n_rounds_saved(&store) >= n_reported,
                "kill {k}: {}",
                lines.join("\n")
            );
        }
    }
    assert!((1..150).contains(&n_reported), "{n_reported}");
    let resumed = sandbox
        .leyden(&small(&[&more("killed.db")[..], &["--resume"]].concat()))
        .ok();
    assert_eq!(report(&resumed.stdout), report(&undisturbed.stdout));
    assert_eq!(export(&sandbox, "killed.db"), export(&sandbox, "calm.db"));
}

#[test]
fn signals_save_and_the_run_can_be_resumed() {
    check_signal("-INT", 130);
    check_signal("-TERM", 143);
}

fn check_signal(signal: &str, code: i32) {
    let sandbox = Sandbox::new();
    let endless = ["evolve", "--data", "demo", "--budget", "1h"];
    let child = spawn(&sandbox, &endless);
    let path = sandbox.path("library.db");
    let is_going = || path.exists() && Store::open(&path).is_ok_and(|s| n_rounds_saved(&s) > 1);
    let begin = Instant::now();
    while !is_going() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    let pressed = Instant::now();
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(
        pressed.elapsed() < Duration::from_secs(1),
        "{:?}",
        pressed.elapsed()
    );
    assert_eq!(ran.code, code, "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("stopped       because it was cancelled"),
        "{}",
        ran.stdout
    );
    let n_saved = n_rounds_saved(&Store::open(&path).unwrap());
    assert_eq!(n_saved, n_rounds_reported(&ran.stderr));
    let rounds = (n_saved + 1).to_string();
    let args = [
        "evolve", "--data", "demo", "--rounds", &rounds, "--resume", "--json", "-",
    ];
    let resumed = json(&sandbox.leyden(&args).ok().stdout);
    assert_eq!(resumed["rounds"].as_u64(), Some(n_saved + 1));
    // This run is finished, so the next one starts from the beginning and prints a note.
    let again = sandbox.leyden(&args).ok();
    assert!(
        again.stderr.contains("no unfinished run") && again.stderr.contains("a new one begins"),
        "{}",
        again.stderr
    );
}

/// A run that was killed before it saved a state has nothing to resume, and loses nothing.
#[test]
fn resuming_nothing_begins_and_says_so() {
    let sandbox = Sandbox::new();
    let more = |store| ["--rounds", "3", "--store", store, "--json", "-"];
    let calm = sandbox.leyden(&small(&more("calm.db"))).ok();
    // The kill came after the import of the programs.
    let solvers = sandbox.write("mine.py", &crate::demo_solvers());
    let import = [
        "library",
        "import",
        solvers.to_str().unwrap(),
        "--store",
        "s.db",
    ];
    sandbox.leyden(&import).ok();
    let resume = small(&[&more("s.db")[..], &["--resume"]].concat());
    let ran = sandbox.leyden(&resume).ok();
    let words = "note: s.db: no unfinished run has these tasks, seed and sizes; a new one begins\n";
    assert!(ran.stderr.starts_with(words), "{}", ran.stderr);
    let mut reports = [report(&calm.stdout), report(&ran.stdout)];
    for report in &mut reports {
        // The hash covers the origin of programs, which is another file here.
        report.as_object_mut().unwrap().remove("content_hash");
    }
    assert_eq!(reports[0], reports[1]);
    assert_eq!(export(&sandbox, "s.db"), export(&sandbox, "calm.db"));
}

#[test]
fn a_budget_of_time_is_kept() {
    let sandbox = Sandbox::new();
    let begin = Instant::now();
    let args = ["evolve", "--data", "demo", "--budget", "2s", "--json", "-"];
    let report = json(&sandbox.leyden(&args).ok().stdout);
    assert_eq!(report["stop_reason"], "budget");
    let wall = report["times"]["wall_s"].as_f64().unwrap();
    assert!((2.0..2.5).contains(&wall), "{wall}");
    assert!(
        begin.elapsed() < Duration::from_secs(8),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn two_processes_on_one_store_both_save() {
    let sandbox = Sandbox::new();
    let children = ["1", "2"].map(|seed| {
        let args = small(&["--rounds", "8", "--seed", seed, "--solvers", "mine.py"]);
        sandbox.write("mine.py", &crate::demo_solvers());
        spawn(&sandbox, &args)
    });
    for child in children {
        Ran::of(child.wait_with_output().unwrap()).ok();
    }
    let store = Store::open(&sandbox.path("library.db")).unwrap();
    assert_eq!(store.check().unwrap().findings, Vec::<String>::new());
    let runs = store.runs().unwrap();
    let mut seeds: Vec<_> = runs.iter().map(|run| run.seed.unwrap()).collect();
    seeds.sort_unstable();
    assert_eq!(seeds, [1, 2]);
    assert!(
        runs.iter()
            .all(|run| run.stop_reason.as_deref() == Some("rounds"))
    );
}

#[test]
fn a_store_that_another_process_holds_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.leyden(&small(&["--rounds", "2"])).ok();
    let mut store = Store::open(&sandbox.path("library.db")).unwrap();
    let before = store.content_hash().unwrap();
    let ran = store
        .write(|_| Ok(sandbox.leyden(&small(&["--rounds", "3"]))))
        .unwrap();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("another process is writing"),
        "{}",
        ran.stderr
    );
    assert_eq!(store.content_hash().unwrap(), before);
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.leyden(&small(&["--rounds", "1"])).ok();
    let path = sandbox.path("library.db");
    drop(Store::open(&path).unwrap());
    let mut bytes = std::fs::read(&path).unwrap();
    // SQLite keeps `user_version` here, the most significant byte first.
    bytes[60..64].copy_from_slice(&[0, 0, 0, 99]);
    std::fs::write(&path, &bytes).unwrap();
    sandbox.leyden(&small(&["--rounds", "1"])).refused(&[
        "format 99",
        "newer Leyden",
        "nothing was changed",
    ]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn wrong_arguments_are_explained() {
    let sandbox = Sandbox::new();
    sandbox
        .leyden(&["evolve", "--data", "demo", "--islands", "0"])
        .refused(&["--islands", "expected a whole number, 1 or more"]);
    sandbox
        .leyden(&small(&["--library", "none.db"]))
        .refused(&["none.db", "there is no store"]);
    let help = sandbox.leyden(&["help", "evolve"]).ok().stdout;
    assert!(
        help.contains("Examples:") && help.contains("--resume"),
        "{help}"
    );
}

/// A disk of three megabytes in a separate namespace, which needs no rights if the system allows
/// it.
const SMALL_DISK: &str = r#"
mount -t tmpfs -o size=3m none "$DISK" || exit 99
run() { "$LEYDEN" evolve --data demo --tasks 20 --children 8 --broad 16 --rounds 60 --store "$DISK/s.db" "$@"; }
run; echo "full $?"
mount -o remount,size=300m "$DISK"
"$LEYDEN" library check --store "$DISK/s.db" > /dev/null; echo "check $?"
run --resume --json "$OUT"; echo "resumed $?"
mount -o remount,ro "$DISK"
run; echo "read-only $?"
"$LEYDEN" library check --store "$DISK/s.db" > /dev/null; echo "check $?"
"#;

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_and_a_read_only_one_cost_nothing_that_was_saved() {
    let sandbox = Sandbox::new();
    let disk = sandbox.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let out = sandbox.path("out.json");
    let Some(ran) = on_small_disk(&disk, &out) else {
        // The system does not allow a disk. LEYDEN_TEST_DISK=1 makes this an error.
        assert!(
            std::env::var_os("LEYDEN_TEST_DISK").is_none(),
            "LEYDEN_TEST_DISK is set, but no small disk can be made"
        );
        // This goes past the test harness, which would hide it.
        let skipped = b"SKIPPED: no small disk can be made here (unshare, mount)\n";
        std::io::stderr().write_all(skipped).unwrap();
        return;
    };
    assert!(ran.stderr.contains("the disk is full"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the store is read-only"),
        "{}",
        ran.stderr
    );
    let codes = ran
        .stdout
        .lines()
        .filter(|line| line.split(' ').count() == 2);
    let codes: Vec<&str> = codes.collect();
    let expected = ["full 1", "check 0", "resumed 0", "read-only 2", "check 0"];
    assert_eq!(codes, expected, "{}", ran.stderr);
    let calm = sandbox
        .leyden(&small(&["--rounds", "60", "--json", "-"]))
        .ok();
    let resumed = report(&std::fs::read_to_string(out).unwrap());
    assert_eq!(resumed, report(&calm.stdout));
}

#[cfg(target_os = "linux")]
fn on_small_disk(disk: &Path, out: &Path) -> Option<Ran> {
    let output = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            SMALL_DISK,
        ])
        .env("DISK", disk)
        .env("OUT", out)
        .env("LEYDEN", env!("CARGO_BIN_EXE_leyden"))
        .output()
        .ok()?;
    let ran = Ran::of(output);
    let is_possible = ran.code != 99 && ran.stdout.contains("full ");
    is_possible.then_some(ran)
}
