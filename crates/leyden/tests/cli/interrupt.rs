#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Ran, Sandbox, words};

/// A program that would run for hours with enough fuel.
pub(crate) const ENDLESS: &str = "
def solve_00000001(I):
    x1 = interval(0, 500, 1)
    x2 = product(x1, x1)
    x3 = lbind(lbind(branch, T), x2)
    x4 = compose(lbind(apply, double), x3)
    return apply(x4, x2)
";

/// The signals that end a run, with the exit codes for them.
const SIGNALS: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

/// [`SIGNALS`] without the hang-up where `nohup` keeps it from all processes.
pub(crate) fn signals() -> impl Iterator<Item = (&'static str, i32)> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    let is_hang_up_ignored = ignored & 1 != 0;
    let all = SIGNALS.into_iter();
    all.filter(move |(signal, _)| *signal != "-HUP" || !is_hang_up_ignored)
}

/// Interrupts a running command, which must then end at once.
fn press_ctrl_c(child: Child) -> Ran {
    send(child, "-INT")
}

/// A stopped command may still work this long. The aim is to end within 100 ms of wall time, which a
/// busy machine does not grant. Processor time does not depend on other processes.
const MOST_WORK: Duration = Duration::from_secs(2);

/// A stopped command may wait this long for a processor.
const MOST_WAITING: Duration = Duration::from_secs(20);

/// Sends a signal to a running command, which must then end at once.
pub(crate) fn send(mut child: Child, signal: &str) -> Ran {
    let (id, sent) = (child.id().to_string(), Instant::now());
    let before = processor_time(&id);
    let killed = Command::new("kill").args([signal, &id]).status().unwrap();
    assert!(killed.success());
    while child.try_wait().unwrap().is_none() {
        let work = processor_time(&id).saturating_sub(before);
        if work > MOST_WORK || sent.elapsed() > MOST_WAITING {
            child.kill().unwrap();
            let waited = sent.elapsed();
            panic!("{signal} has not ended it after {waited:?}, of which it worked {work:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ran::of(child.wait_with_output().unwrap())
}

/// The processor time of a process in user and kernel mode; zero if the system has no `/proc`.
pub(crate) fn processor_time(id: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.map(|field| field.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

#[test]
fn signals_stop_at_once_and_leave_nothing() {
    let modes = [&[][..], &["--exact-order"]];
    let every = modes
        .iter()
        .flat_map(|mode| signals().map(move |it| (mode, it)));
    for (mode, (signal, code)) in every {
        let sandbox = Sandbox::new();
        sandbox.write("a.py", ENDLESS);
        sandbox.write("grids.json", "[[[1]]]");
        let args = words(
            "eval --solvers a.py --inputs grids.json --out out.jsonl --fuel 1000000000000000",
        );
        let mut command = sandbox.command(&[&args[..], *mode].concat());
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The temporary file exists when the work begins.
        while !sandbox
            .names()
            .iter()
            .any(|name| name.starts_with(".leyden-"))
        {
            std::thread::yield_now();
        }
        let ran = send(child, signal);
        assert_eq!(ran.code, code);
        assert!(ran.stderr.starts_with("leyden: stopped"), "{}", ran.stderr);
        assert_eq!(sandbox.names(), ["a.py", "grids.json"]);
    }
}

/// A program that is quick on grids of one row, and endless on others.
const SOMETIMES_ENDLESS: &str = "
def solve_00000001(I):
    x0 = multiply(500, decrement(height(I)))
    x1 = interval(0, x0, 1)
    x2 = product(x1, x1)
    x3 = lbind(lbind(branch, T), x2)
    x4 = compose(lbind(apply, double), x3)
    x5 = apply(x4, x2)
    return branch(equality(x5, x2), I, I)
";

#[test]
fn a_stopped_battery_says_what_it_finished() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", SOMETIMES_ENDLESS);
    std::fs::create_dir(sandbox.path("tasks")).unwrap();
    for (id, grid) in [("00000001", "[[1]]"), ("00000002", "[[1], [2]]")] {
        let pair = format!(r#"{{"input": {grid}, "output": {grid}}}"#);
        let task = format!(r#"{{"train": [{pair}], "test": [{pair}]}}"#);
        sandbox.write(&format!("tasks/{id}.json"), &task);
    }
    let args = "batt --solvers a.py --data tasks --json out.json --jobs 1 --fuel 1000000000000000";
    let args: Vec<&str> = args.split(' ').collect();
    let mut command = sandbox.command(&args);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The end of the first task is not visible from outside; it takes milliseconds.
    let (id, began) = (child.id().to_string(), Instant::now());
    while processor_time(&id) < Duration::from_millis(500) && began.elapsed() < MOST_WAITING {
        std::thread::sleep(Duration::from_millis(20));
    }
    let ran = press_ctrl_c(child);
    assert_eq!(ran.code, 130);
    assert!(
        ran.stdout.contains("stopped after 1 of 2 tasks"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("00000001  solve_00000001"),
        "{}",
        ran.stdout
    );
    let words = "leyden: stopped: 1 of 2 tasks were run; no JSON was written\n";
    assert_eq!(ran.stderr, words);
    assert_eq!(sandbox.names(), ["a.py", "tasks"]);
}

#[test]
fn pip_is_ended_with_the_command_that_waits_for_it() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("bin")).unwrap();
    // This Python takes long, and writes the id of its process.
    let script = format!(
        "#!/bin/sh\necho $$ > {}\nexec sleep 60\n",
        sandbox.path("id").display()
    );
    let python = sandbox.write("bin/python3", &script);
    std::fs::set_permissions(python, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        sandbox.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let child = sandbox
        .command(&["get"])
        .env("PATH", path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !sandbox.path("id").exists() || sandbox.read("id").is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ran = send(child, "-TERM");
    assert_eq!(ran.code, 143, "{}", ran.stderr);
    assert!(ran.stderr.contains("leyden: stopped"), "{}", ran.stderr);
    let id = sandbox.read("id");
    let is_there = Command::new("kill").args(["-0", id.trim()]).output();
    assert!(!is_there.unwrap().status.success(), "pip goes on");
    assert_eq!(std::fs::read_dir(sandbox.path("cache")).unwrap().count(), 0);
}

/// `nohup` makes a process ignore the hangup of a terminal, and Leyden respects that.
#[test]
#[cfg(target_os = "linux")]
fn a_hangup_that_is_ignored_stays_ignored() {
    let sandbox = Sandbox::new();
    let script = "trap '' HUP; exec \"$LEYDEN\" solve --data demo --task 1e7d0001 --per-task 2s --library none --out s.json";
    let child = Command::new("sh")
        .args(["-c", script])
        .current_dir(sandbox.path("."))
        .env("LEYDEN", env!("CARGO_BIN_EXE_leyden"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while sandbox.names().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-HUP", &id]).status().unwrap();
    assert!(sent.success());
    Ran::of(child.wait_with_output().unwrap()).ok();
}

#[test]
fn a_stopped_search_leaves_a_complete_submission() {
    for (signal, code) in signals() {
        check_stopped_search(signal, code);
    }
}

fn check_stopped_search(signal: &str, code: i32) {
    let sandbox = Sandbox::new();
    let args = words("solve --data demo --per-task 1h --out s.json");
    let child = sandbox
        .command(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The search begins when its journal exists; on a busy machine that may take a while.
    let began = Instant::now();
    while sandbox.names().is_empty() && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let ran = send(child, signal);
    assert_eq!(ran.code, code, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the submission is complete"),
        "{}",
        ran.stderr
    );
    sandbox
        .leyden(&["submit-check", "s.json", "--data", "demo"])
        .ok();
}
