//! Calls the page of `leyden explore` as its screens do, and looks at what comes back.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::page::{Page, TASK, json_of, leyden, run};

fn text(body: &str) -> String {
    format!("def solve(I):\n{body}")
}

fn facet<'v>(list: &'v Value, name: &str) -> &'v Vec<Value> {
    let facets = list["facets"].as_array().unwrap();
    let found = facets.iter().find(|facet| facet["name"] == name).unwrap();
    found["values"].as_array().unwrap()
}

#[test]
fn the_list_of_programs_has_facets_pages_and_a_search() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &["--store", "none.db"]);
    let all = page.get("programs?limit=200");
    assert_eq!((&all["total"], &all["store"]), (&json!(50), &json!(false)));
    for name in ["origin", "dialect", "size", "state"] {
        let sum: u64 = facet(&all, name)
            .iter()
            .map(|it| it["n"].as_u64().unwrap())
            .sum();
        assert_eq!(sum, 50, "{name}");
    }
    let short = page.get("programs?size=1%E2%80%935&sort=-lines&limit=3");
    let lines = |list: &Value| -> Vec<u64> {
        let programs = list["programs"].as_array().unwrap();
        programs
            .iter()
            .map(|it| it["lines"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(lines(&short), [5, 5, 5]);
    let sizes: u64 = facet(&short, "size")
        .iter()
        .map(|it| it["n"].as_u64().unwrap())
        .sum();
    assert_eq!(
        sizes, 50,
        "the counts of a facet do not depend on its own choice"
    );

    let found = page.get("programs?q=HMIRROR%20switch");
    let hash = found["programs"][0]["hash"].as_str().unwrap();
    let program = page.get(&format!("programs/{hash}"));
    let text = program["text"].as_str().unwrap();
    assert!(
        text.contains("hmirror") && text.contains("switch"),
        "{text}"
    );
    assert_eq!(page.get("programs?q=nothingofthiskind")["total"], 0);

    let second = page.get("programs?sort=name&limit=1&offset=1");
    assert_eq!(
        second["programs"][0],
        page.get("programs?sort=name&limit=2")["programs"][1]
    );
    let (status, message) = page.refusal("GET", "programs?sort=beauty", &Value::Null);
    assert_eq!((status, message.contains("`merit`")), (400, true));
    let (status, message) = page.refusal("GET", "programs?limit=201", &Value::Null);
    assert_eq!(
        (status, message.as_str()),
        (400, "limit: expected 1 to 200")
    );
    assert_eq!(
        page.refusal("GET", "programs/../../etc", &Value::Null).0,
        404
    );
    assert_eq!(page.refusal("GET", "programs/12", &Value::Null).0, 400);
    let unknown = format!("programs/{}", "0".repeat(32));
    assert_eq!(page.refusal("GET", &unknown, &Value::Null).0, 404);
}

#[test]
fn a_saved_program_has_scores_and_ancestors() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &["--store", "made/new.db"]);
    let own = page.get(&format!("programs?task={TASK}"));
    let parent = own["programs"][0]["hash"].as_str().unwrap();
    let parent_text = page.get(&format!("programs/{parent}"));
    let parent_text = parent_text["text"].as_str().unwrap();
    let child_text = parent_text.replacen("\n    x1 = ", "\n    x0 = hmirror(I)\n    x1 = ", 1);
    let saved = page.post(
        "library",
        &json!({ "text": child_text, "set": "demo", "task": TASK, "parent": parent }),
    );
    assert_eq!(
        (&saved["is_new"], &saved["fits"]),
        (&json!(true), &json!(true))
    );
    let hash = saved["hash"].as_str().unwrap();

    let child = page.get(&format!("programs/{hash}"));
    assert_eq!(
        (&child["parent"], &child["task"]),
        (&json!(parent), &json!(TASK))
    );
    assert_eq!(child["origin"], "leyden explore");
    assert_eq!(child["scores"][0]["task"], TASK);
    assert_eq!(child["scores"][0]["set"], "demo");
    assert_eq!(child["scores"][0]["credit"], 100.0);
    assert_eq!(child["judged"]["right"], child["judged"]["pairs"]);

    let below = page.get(&format!("programs/{parent}/lineage"));
    assert_eq!(below["nodes"].as_array().unwrap().len(), 2);
    assert_eq!(below["edges"][0]["to"], hash);
    let above = page.get(&format!("programs/{hash}/lineage"));
    let layers: Vec<i64> = above["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["layer"].as_i64().unwrap())
        .collect();
    assert_eq!(layers, [-1, 0]);
    let edge = &above["edges"][0];
    assert_eq!(
        (&edge["from"], &edge["mutation"]),
        (&json!(parent), &json!("edited by hand"))
    );
    assert!(edge["added"].to_string().contains("hmirror(I)"), "{edge}");

    let again = page.post(
        "library",
        &json!({ "text": child_text, "set": "demo", "task": TASK }),
    );
    assert_eq!(
        (&again["hash"], &again["is_new"]),
        (&json!(hash), &json!(false))
    );
    assert_eq!(page.get(&format!("programs/{hash}"))["parent"], parent);
    let checked = json_of(
        dir.path(),
        &["library", "--store", "made/new.db", "check", "--json", "-"],
    );
    assert_eq!(
        (&checked["is_sound"], &checked["n_programs"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn a_program_without_a_name_is_called_after_its_task() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &["--store", "new.db"]);
    let body = json!({ "text": text("    return hmirror(I)\n"), "set": "demo", "task": TASK });
    let saved = page.post("library", &body);
    assert_eq!(saved["name"], format!("solve_{TASK}"));
    assert_eq!(saved["fits"], false);
    let listed = page.get("programs?state=in%20part");
    assert_eq!(listed["programs"][0]["hash"], saved["hash"]);
    assert!(listed["programs"][0]["credit"].as_f64().unwrap() < 100.0);
}

#[test]
fn nothing_is_saved_where_it_cannot_be() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("notes.db"),
        "these are notes, and not a store of programs",
    )
    .unwrap();
    let page = Page::open(dir.path(), &["--store", "notes.db"]);
    let whole = json!({ "text": text("    return I\n"), "set": "demo", "task": TASK });
    let (status, message) = page.refusal("POST", "library", &whole);
    assert!(
        status >= 400 && message.contains("notes.db"),
        "{status} {message}"
    );
    let with = |name: &str, value: &str| {
        let mut body = whole.clone();
        body[name] = value.into();
        page.refusal("POST", "library", &body)
    };
    let (status, message) = with("text", "def solve(I):\n    return vmiror(I)\n");
    assert_eq!(
        (status, message.contains("vmiror")),
        (400, true),
        "{message}"
    );
    assert_eq!(with("task", "00000000").0, 404);
    assert_eq!(with("parent", "../../etc/passwd").0, 400);

    let page = Page::open(dir.path(), &["--store", "new.db"]);
    let mut body = whole.clone();
    body["parent"] = "f".repeat(32).into();
    assert_eq!(page.refusal("POST", "library", &body).0, 404);
    assert!(!dir.path().join("new.db").exists());
}

#[test]
fn batteries_count_share_and_run() {
    let dir = tempfile::tempdir().unwrap();
    run(
        dir.path(),
        &[
            "card", "--data", "demo", "--count", "30", "--seed", "3", "--out", "a.batt",
        ],
    );
    let page = Page::open(dir.path(), &["a.batt"]);
    let all = page.get("batteries");
    assert_eq!(all["batteries"][0]["id"], "shelf");
    assert_eq!(all["batteries"][1]["name"], "a.batt");
    let counts = page.get("batteries/shelf");
    let n = |name: &str| counts[name].as_u64().unwrap();
    assert_eq!((n("programs"), n("saved")), (50, n("lines") - n("nodes")));

    let most = page.get("batteries/shelf/nodes?sort=programs&limit=1");
    let node = &most["nodes"][0];
    let id = node["id"].as_str().unwrap();
    let near = page.get(&format!("batteries/shelf/nodes/{id}"));
    assert_eq!(
        near["programs"].as_array().unwrap().len() as u64,
        node["programs"]
    );
    let users = near["edges"].as_array().unwrap();
    let users = users.iter().filter(|edge| edge[0] == id).count() as u64;
    assert_eq!(users, node["users"].as_u64().unwrap().min(24));
    let found = page.get("batteries/shelf/nodes?q=vmirror&limit=200");
    let texts = found["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["text"].to_string());
    assert!(texts.clone().count() > 0 && texts.clone().all(|text| text.contains("vmirror")));

    let constant = page.get("batteries/shelf/nodes?q=ofcolor%20TWO");
    assert_eq!(constant["nodes"][0]["text"], "ofcolor(I, TWO)");

    let matrix = page.get("batteries/shelf/matrix?set=demo&limit=4&offset=2");
    let tasks = matrix["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 4);
    for (k, task) in tasks.iter().enumerate() {
        let own = |row: &&Value| row["task"] == task["id"];
        let row = matrix["rows"].as_array().unwrap().iter().find(own).unwrap();
        assert_eq!(
            row["right"][k], task["demos"],
            "a solver solves its own task"
        );
        let hash = row["hash"].as_str().unwrap();
        assert_eq!(page.get(&format!("programs/{hash}"))["name"], row["name"]);
    }
    assert_eq!(page.get("batteries/x1")["programs"], 30);
    for path in [
        "batteries/x2",
        "batteries/shelf/nodes/t0",
        "batteries/shelf/nodes/9",
    ] {
        assert_eq!(page.refusal("GET", path, &Value::Null).0, 404, "{path}");
    }
    let limit = page.refusal(
        "GET",
        "batteries/shelf/matrix?set=demo&limit=11",
        &Value::Null,
    );
    assert_eq!(limit, (400, "limit: expected 1 to 10".to_owned()));
}

#[test]
fn files_are_known_by_their_content() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let profile = |name: &str| {
        run(
            here,
            &[
                "profile", "batch", "--data", "demo", "-n", "5", "--json", name,
            ],
        )
    };
    profile("a.json");
    profile("b.json");
    let solve = [
        "solve",
        "--data",
        "demo",
        "--task",
        TASK,
        "--per-task",
        "100ms",
    ];
    run(
        here,
        &[&solve[..], &["--out", "s.json", "--json", "r.json"]].concat(),
    );
    let page = Page::open(here, &["a.json", "b.json", "s.json", "r.json"]);
    let kinds: Vec<Value> = page.get("about")["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["kind"].clone())
        .collect();
    assert_eq!(kinds, ["profile", "profile", "submission", "report"]);

    let profile = page.get("profiles/x1");
    let written: Value =
        serde_json::from_slice(&std::fs::read(here.join("a.json")).unwrap()).unwrap();
    assert_eq!(profile, written);
    let against = page.get("profiles/x1/against/x2");
    assert_eq!(
        (&against["a"], &against["n_tasks"]),
        (&json!("a.json"), &json!(5))
    );
    assert!(
        against["sentence"].as_str().unwrap().contains("noise"),
        "{}",
        against["sentence"]
    );
    assert_eq!(page.refusal("GET", "profiles/x3", &Value::Null).0, 404);

    let hidden = page.get("reports/x4");
    let whole = page.get("reports/x4?tests=1");
    assert!(hidden.get("solved").is_none() && whole["solved"].is_u64());
    assert!(!hidden.to_string().contains("is_right") && whole.to_string().contains("is_right"));
    assert_eq!(hidden["rows"][0]["task"], TASK);
}

#[test]
fn an_unknown_file_ends_the_command_before_it_serves() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("notes.txt", "buy milk");
    write("list.json", "[1, 2]");
    write("odd.json", r#"{"format": "leyden-profile/9"}"#);
    write("odd.batt", "battery 1\nt1 = vmiror(I)\n");
    write("empty.json", "");
    for name in [
        "notes.txt",
        "list.json",
        "odd.json",
        "odd.batt",
        "empty.json",
        "missing.json",
    ] {
        let args = ["explore", "--data", "demo", "--no-open", name];
        let output = leyden(dir.path()).args(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.contains(name), "{error}");
        assert!(output.stdout.is_empty(), "{name}");
    }
}

/// Answers to two tasks: right, and wrong at first; and a key that no task has.
fn write_submissions(dir: &Path, page: &Page) -> [PathBuf; 2] {
    let tasks = page.get("sets/demo/tasks");
    let ids: Vec<&str> = (0..2)
        .map(|k| tasks["tasks"][k]["id"].as_str().unwrap())
        .collect();
    let right = |id: &str| page.get(&format!("sets/demo/tasks/{id}/solutions"))["outputs"].clone();
    let answers = |id: &str, attempts: fn(&Value) -> Value| -> Value {
        right(id).as_array().unwrap().iter().map(attempts).collect()
    };
    let good = |grid: &Value| json!({ "attempt_1": grid, "attempt_2": [[0]] });
    let late = |grid: &Value| json!({ "attempt_1": [[0]], "attempt_2": grid });
    let bad = |_: &Value| json!({ "attempt_1": [[0]], "attempt_2": [[1, 2], [3]] });
    let write = |name: &str, content: Value| {
        let path = dir.join(name);
        std::fs::write(&path, content.to_string()).unwrap();
        path
    };
    [
        write(
            "a.json",
            json!({ ids[0]: answers(ids[0], good), ids[1]: answers(ids[1], late), "zz": [] }),
        ),
        write(
            "b.json",
            json!({ ids[0]: answers(ids[0], bad), ids[1]: answers(ids[1], late) }),
        ),
    ]
}

#[test]
fn a_submission_scores_as_the_commands_say() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    write_submissions(here, &Page::open(here, &[]));
    let page = Page::open(here, &["a.json", "b.json"]);
    for (id, name) in [("x1", "a.json"), ("x2", "b.json")] {
        let shown = page.get(&format!("submissions/{id}?limit=500"));
        let scored = json_of(here, &["score", name, "--data", "demo", "--json", "-"]);
        for rule in ["outputs", "tasks", "solved"] {
            assert_eq!(shown["scores"][rule], scored[rule], "{name} {rule}");
        }
        let verdicts = |list: &Value, field: &str| -> Vec<Value> {
            list.as_array()
                .unwrap()
                .iter()
                .map(|it| it[field].clone())
                .collect()
        };
        assert_eq!(
            verdicts(&shown["tasks"], "verdicts"),
            verdicts(&scored["per_task"], "answers")
        );
        let check = ["submit-check", name, "--data", "demo", "--json", "-"];
        let checked = leyden(here).args(check).output().unwrap();
        let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
        assert_eq!(
            shown["problems"],
            checked["problems"].as_array().unwrap().len()
        );
        assert_eq!(shown["answered"], 2);
    }
    let listed = page.get("submissions/x1")["listed"].to_string();
    assert!(listed.contains("task zz"), "{listed}");
    let second = page.get("submissions/x1?verdict=second");
    assert_eq!(second["total"], 1);

    let id = second["tasks"][0]["id"].as_str().unwrap();
    let hidden = page.get(&format!("submissions/x1/tasks/{id}"));
    assert_eq!(hidden["tests"][0]["output"], Value::Null);
    assert_eq!(hidden["tests"][0]["attempts"][0], json!([[0]]));
    let shown = page.get(&format!("submissions/x1/tasks/{id}?truth=1"));
    assert_eq!(
        shown["tests"][0]["output"],
        shown["tests"][0]["attempts"][1]
    );

    let against = page.get("submissions/x1/against/x2");
    assert_eq!(
        (&against["total"], &against["only_b"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(against["rows"][0]["differs"], json!([true, true]));
    assert_eq!(
        (&against["rows"][0]["a"], &against["rows"][0]["b"]),
        (&json!("first"), &json!("wrong"))
    );
    assert_eq!(
        page.refusal("GET", "submissions/x1?set=mini", &Value::Null)
            .0,
        404
    );
}

/// Proposals for every task, good ones and bad ones.
fn proposals() -> Vec<Value> {
    let ids: Vec<String> = (1..=50).map(|k| format!("1e7d00{k:02}")).collect();
    let expressions = [
        "I",
        "compress(I)",
        "vmirror(I)",
        "vconcat(I, I)",
        "palette(I)",
        "first(())",
        "((1, 2), (3,))",
        "vmiror(I)",
    ];
    let long = text("    return apply(rbind(repeat, 100), repeat(I, 100))\n");
    let mut all = vec![
        json!(7),
        Value::Null,
        json!([]),
        json!({}),
        json!({ "task": TASK }),
        json!({ "id": [1], "task": 7, "program": "" }),
        json!({ "id": "ü\u{0}", "task": TASK, "program": "\u{0}" }),
        json!({ "id": "long", "task": TASK, "program": long }),
        json!({ "task": "unknown", "program": text("    return I\n") }),
        json!({ "task": TASK, "program": text("    return I\n"), "name": "solv" }),
        json!({ "task": TASK, "program": text("    return I\n"), "dialect": "latin" }),
    ];
    for (k, id) in ids.iter().enumerate() {
        all.extend(expressions.iter().map(|expression| {
            let program = text(&format!("    return {expression}\n"));
            json!({ "id": k, "task": id, "program": program, "dialect": "arc-dsl" })
        }));
    }
    all
}

#[test]
fn judging_equals_the_lines_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let proposals = proposals();
    let lines: String = proposals.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(dir.path().join("in.jsonl"), lines).unwrap();
    let page = Page::open(dir.path(), &["--store", "none.db"]);
    for outputs in [false, true] {
        let body = json!({ "set": "demo", "proposals": proposals, "outputs": outputs });
        let reply = page.post("judge", &body);
        let mut args = vec!["judge", "--data", "demo", "in.jsonl"];
        args.extend(outputs.then_some("--outputs"));
        let ran = run(dir.path(), &args);
        let lines = String::from_utf8(ran.stdout).unwrap();
        let expected: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(expected.len(), 411);
        assert_eq!(reply["verdicts"].as_array().unwrap(), &expected);
        let fits = expected.iter().filter(|verdict| verdict["fit"] == true);
        assert!(fits.count() >= 1);
    }
    let many = json!({ "set": "demo", "proposals": vec![0; 1_001] });
    let (status, message) = page.refusal("POST", "judge", &many);
    let expected = "proposals: at most 1000 at a time, not 1001";
    assert_eq!((status, message.as_str()), (400, expected));
    for wrong in [
        json!({ "set": "demo" }),
        json!({ "set": "demo", "proposals": {} }),
    ] {
        let refused = page.refusal("POST", "judge", &wrong);
        assert_eq!(refused, (400, "proposals: expected a list".to_owned()));
    }
    let body = json!({ "set": "demo", "dialect": "cobol", "proposals": [] });
    assert_eq!(page.refusal("POST", "judge", &body).0, 400);
}

#[test]
fn an_exported_page_stands_alone_and_hides_test_outputs() {
    let dir = tempfile::tempdir().unwrap();
    let page = Page::open(dir.path(), &[]);
    let body = json!({
        "text": "def solve(I):\n    x1 = vmirror(I)  # <script>alert(1)</script> & \"more\"\n    return hconcat(I, x1)\n",
        "set": "demo", "task": TASK,
    });
    let (status, html) = page.answer("POST", "export", &body.to_string());
    assert_eq!(status, 200);
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;"));
    assert!(!html.contains("<script") && !html.contains("src=") && !html.contains("://"));
    assert!(
        html.contains("x1 = vmirror(I)") && html.contains("train 1: <span class=\"bad\">wrong")
    );

    let task = [
        "explore", "--data", "demo", "--export", "t.html", "--task", TASK,
    ];
    run(dir.path(), &task);
    let html = std::fs::read_to_string(dir.path().join("t.html")).unwrap();
    assert!(html.contains(&format!("solve_{TASK}")) && html.contains(">right</span>"));
    // Each right demonstration draws its output twice; the input of a test comes once.
    let n_pictures = html.matches("role=\"img\" aria-label=").count();
    assert!(n_pictures > 8, "{n_pictures}");
    let facts = json_of(
        dir.path(),
        &[
            "explore", "--data", "demo", "--export", "all.html", "--json", "-",
        ],
    );
    assert_eq!(facts, json!({ "set": "demo", "tasks": 50 }));
    let html = std::fs::read_to_string(dir.path().join("all.html")).unwrap();
    assert_eq!(html.matches("<figure id=").count(), 50);

    let unknown = [
        "explore", "--data", "demo", "--export", "no.html", "--task", "00000000",
    ];
    let two = [&unknown[..], &["--task", TASK]].concat();
    for args in [&unknown[..], &two] {
        let output = leyden(dir.path()).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(!dir.path().join("no.html").exists());
    }
}

#[test]
fn no_call_names_a_directory_of_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.py");
    std::fs::write(&file, "def solve_1e7d0001(I):\n    return vmirror(I)\n").unwrap();
    let page = Page::open(dir.path(), &["--solvers", file.to_str().unwrap()]);
    run(dir.path(), &["library", "import", file.to_str().unwrap()]);
    let place = dir.path().to_str().unwrap();
    for path in ["programs", "batteries", "batteries/shelf/nodes"] {
        assert!(!page.get(path).to_string().contains(place), "{path}");
    }
    assert_eq!(page.get("programs")["programs"][0]["origin"], "mine.py");
}
