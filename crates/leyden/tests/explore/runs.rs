//! Runs that begin, stop, go on and survive: by calls, by signals and by kills.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::page::{Page, TASK, json_of, wait_for};

/// An event of a stream.
#[derive(Debug)]
struct Event {
    id: u64,
    kind: String,
    data: Value,
}

/// A stream of events.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(page: &Page, run: &str, after: Option<u64>) -> Stream {
        let mut stream = page.connect();
        let after = after.map_or_else(String::new, |id| format!("Last-Event-ID: {id}\r\n"));
        let head = page.head("GET", &format!("runs/{run}/events"));
        stream
            .write_all(format!("{head}{after}\r\n").as_bytes())
            .unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0);
        }
        Stream(reader)
    }

    /// The lines of the stream, without the frames of HTTP.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        (self.0.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
    }

    fn next(&mut self) -> Option<Event> {
        let (mut id, mut kind) = (None, None);
        loop {
            let line = self.line()?;
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().ok();
            } else if let Some(text) = line.strip_prefix("event: ") {
                kind = Some(text.to_owned());
            } else if let Some(text) = line.strip_prefix("data: ") {
                return Some(Event {
                    id: id?,
                    kind: kind?,
                    data: serde_json::from_str(text).unwrap(),
                });
            }
        }
    }

    /// All events up to the end of the stream.
    fn rest(mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

fn start(page: &Page, command: &str, options: Value) -> String {
    let body = json!({ "command": command, "set": "demo", "options": options });
    page.post("runs", &body)["id"].as_str().unwrap().to_owned()
}

fn state(page: &Page, run: &str) -> Value {
    page.get(&format!("runs/{run}"))
}

fn wait_for_state(page: &Page, run: &str, expected: &str) -> Value {
    wait_for(&format!("{run} {expected}"), || {
        let state = state(page, run);
        (state["state"] == expected).then_some(state)
    })
}

/// The first tasks of the built-in data.
fn some_tasks(page: &Page, n: usize) -> Vec<String> {
    let tasks = page.get("sets/demo/tasks");
    let tasks = tasks["tasks"].as_array().unwrap().iter().take(n);
    tasks
        .map(|it| it["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_run_of_solve_tells_its_story_to_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &["--store", "a.db"]);
    let tasks = some_tasks(&page, 3);
    let run = start(
        &page,
        "solve",
        json!({ "per_task": "200ms", "tasks": tasks, "library": "none" }),
    );
    let live = Stream::open(&page, &run, Some(0)).rest();
    let done = wait_for_state(&page, &run, "done");
    assert_eq!((&done["done"], &done["total"]), (&json!(3), &json!(3)));
    assert_eq!(done["finds"].as_array().unwrap().len(), done["solved"]);
    let last = live.last().unwrap();
    assert_eq!(
        (last.kind.as_str(), &last.data["state"]),
        ("end", &json!("done"))
    );
    let ids: Vec<u64> = live.iter().map(|it| it.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());

    // A page that comes back hears the rest, and one with a strange number starts again.
    let missed = Stream::open(&page, &run, Some(ids.len() as u64 - 1)).rest();
    assert_eq!((missed.len(), missed[0].kind.as_str()), (1, "end"));
    let strange = Stream::open(&page, &run, Some(1 << 40)).rest();
    assert_eq!(strange[0].kind, "reset");
    assert_eq!(strange.len(), ids.len() + 1);

    let (status, message) = page.refusal("POST", &format!("runs/{run}/resume"), &json!({}));
    assert_eq!((status, message.as_str()), (409, "this run is complete"));
    // The run is there after a restart, with its curve.
    drop(page);
    let page = Page::open(dir.path(), &["--store", "a.db"]);
    let again = state(&page, &run);
    for name in [
        "state", "options", "done", "total", "solved", "finds", "tasks", "curve",
    ] {
        assert_eq!(again[name], done[name], "{name}");
    }
    assert_eq!(page.answer("DELETE", &format!("runs/{run}"), "").0, 200);
    assert_eq!(page.get("runs")["runs"], json!([]));
    assert_eq!(
        page.refusal("GET", &format!("runs/{run}"), &Value::Null).0,
        404
    );
    let left = std::fs::read_dir(dir.path().join("a.runs"))
        .unwrap()
        .count();
    assert_eq!(left, 0, "its files are gone");
}

#[test]
fn a_killed_evolution_goes_on_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut page = Page::open(dir.path(), &["--store", "a.db"]);
    let options = json!({ "budget": "6s", "seed": 3, "tasks": some_tasks(&page, 12) });
    let run = start(&page, "evolve", options);
    let mut live = Stream::open(&page, &run, Some(0));
    let begun = live.next().unwrap();
    assert!(
        begun.kind == "progress" || begun.kind == "find",
        "{begun:?}"
    );
    wait_for("second round", || {
        (state(&page, &run)["rounds"].as_u64().unwrap() >= 2).then_some(())
    });
    page.child.kill().unwrap();
    page.child.wait().unwrap();
    drop(page);

    let check = ["library", "--store", "a.db", "check", "--json", "-"];
    assert_eq!(json_of(dir.path(), &check)["is_sound"], true);
    let page = Page::open(dir.path(), &["--store", "a.db"]);
    let stopped = state(&page, &run);
    assert_eq!(stopped["state"], "stopped");
    let n_before = stopped["rounds"].as_u64().unwrap();
    assert!(n_before >= 2);
    page.post(&format!("runs/{run}/resume"), &json!({}));
    let events = Stream::open(&page, &run, Some(0)).rest();
    let done = wait_for_state(&page, &run, "done");
    assert!(done["rounds"].as_u64().unwrap() > n_before, "{done}");
    assert_eq!(events.last().unwrap().kind, "end");
    assert_eq!(json_of(dir.path(), &check)["is_sound"], true);
    // Its programs have their lineage on the page.
    let evolved = page.get("programs?origin=leyden%20evolve&limit=1");
    let hash = evolved["programs"][0]["hash"].as_str().unwrap();
    let lineage = page.get(&format!("programs/{hash}/lineage"));
    let nodes = lineage["nodes"].as_array().unwrap();
    assert!(nodes.len() > 1 && nodes.iter().all(|node| node["is_missing"] != true));
}

#[test]
fn runs_stop_resume_and_are_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &["--store", "a.db"]);
    let long = json!({ "per_task": "300s", "tasks": [TASK], "library": "none" });
    let first = start(&page, "solve", long.clone());
    let second = start(&page, "solve", long.clone());
    let body = json!({ "command": "solve", "set": "demo", "options": long });
    let (status, message) = page.refusal("POST", "runs", &body);
    assert_eq!(
        (status, message.contains("2 runs")),
        (409, true),
        "{message}"
    );
    for (method, path) in [("DELETE", ""), ("POST", "/resume")] {
        let path = format!("runs/{first}{path}");
        assert_eq!(page.refusal(method, &path, &json!({})).0, 409, "{path}");
    }
    page.post(&format!("runs/{first}/stop"), &json!({}));
    wait_for_state(&page, &first, "stopped");
    page.post(&format!("runs/{first}/resume"), &json!({}));
    wait_for_state(&page, &first, "running");
    for run in [&first, &second] {
        page.post(&format!("runs/{run}/stop"), &json!({}));
        wait_for_state(&page, run, "stopped");
    }
    assert_eq!(page.answer("DELETE", &format!("runs/{second}"), "").0, 200);
    // No run gets the number of a forgotten one.
    let third = start(
        &page,
        "solve",
        json!({ "per_task": "100ms", "tasks": [TASK] }),
    );
    assert_ne!(third, second);
    let listed = page.get("runs");
    let ids: Vec<&Value> = listed["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids, [&json!(third), &json!(first)]);
}

#[test]
fn hostile_options_are_refused_before_a_run_begins() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret.py");
    std::fs::write(&secret, "password").unwrap();
    let page = Page::open(dir.path(), &["--store", "a.db"]);
    let post = |body: Value| page.refusal("POST", "runs", &body);
    for (command, options) in [
        ("solve", json!({ "per_task": "soon" })),
        ("solve", json!({ "per_task": "--help" })),
        ("solve", json!({ "per_task": "1s --out=x" })),
        ("solve", json!({ "per_task": "-1s" })),
        ("solve", json!({ "budget": "1s\n--json=x" })),
        ("solve", json!({ "budget": "\u{0}" })),
        ("solve", json!({ "library": secret.to_str().unwrap() })),
        ("solve", json!({ "library": "/etc" })),
        ("solve", json!({ "out": "x.json" })),
        ("solve", json!({ "seed": -1 })),
        ("solve", json!({ "seed": 1 })),
        ("solve", json!({ "tasks": "all" })),
        ("evolve", json!({ "per_task": "1s" })),
        ("evolve", json!({ "store": "b.db" })),
        ("evolve", json!("fast")),
        ("get", json!({})),
        ("solve --help", json!({})),
    ] {
        let body = json!({ "command": command, "set": "demo", "options": options });
        let (status, message) = post(body);
        assert_eq!(status, 400, "{command} {options}: {message}");
        assert!(!message.contains("password"), "{message}");
    }
    for task in ["../../etc/passwd", "--help", "-i", ""] {
        let body = json!({ "command": "solve", "set": "demo", "options": { "tasks": [task] } });
        assert_eq!(post(body).0, 404, "{task}");
    }
    assert_eq!(post(json!({ "command": "solve", "set": "/etc" })).0, 404);
    assert_eq!(page.get("runs")["runs"], json!([]));
    let left = std::fs::read_dir(dir.path().join("a.runs"));
    assert_eq!(left.map_or(0, Iterator::count), 0, "no run left a file");
    page.is_well();
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_runs_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut page = Page::open(dir.path(), &["--store", "a.db"]);
    let solve = start(
        &page,
        "solve",
        json!({ "per_task": "300s", "library": "none" }),
    );
    let evolve = start(
        &page,
        "evolve",
        json!({ "budget": "10m", "tasks": some_tasks(&page, 12) }),
    );
    wait_for("round", || {
        (state(&page, &evolve)["rounds"].as_u64().unwrap() >= 1).then_some(())
    });
    let silent = page.connect();
    let begin = Instant::now();
    let id = page.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap();
    assert!(sent.success());
    let status = page.child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
    drop(silent);
    let check = ["library", "--store", "a.db", "check", "--json", "-"];
    assert_eq!(json_of(dir.path(), &check)["is_sound"], true);
    let again = Page::open(dir.path(), &["--store", "a.db"]);
    for run in [solve, evolve] {
        assert_eq!(state(&again, &run)["state"], "stopped", "{run}");
    }
}
