//! Every call of the list answers in the form that the list names.

use std::path::Path;

use serde_json::{Value, json};

use crate::page::{Page, TASK, json_of, run, wait_for};

/// The form of a reply, as the list writes it.
#[derive(Clone, Debug)]
enum Form {
    /// Fields with their forms.
    Fields(Vec<(String, Form)>),
    /// A list whose elements have a form.
    List(Box<Form>),
    /// One of several forms.
    OneOf(Vec<Form>),
    Any,
}

/// Reads forms such as `{"id", "tasks": [{"id", "state"}]}`.
struct Reader<'t>(&'t str);

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn form(&mut self) -> Form {
        let mut all = vec![self.one()];
        while self.takes("or ") {
            all.push(self.one());
        }
        match all.len() {
            1 => all.remove(0),
            _ => Form::OneOf(all),
        }
    }

    fn one(&mut self) -> Form {
        if self.takes("{") {
            let mut fields = Vec::new();
            while !self.takes("}") {
                assert!(self.takes("\""), "{}", self.0);
                let (name, rest) = self.0.split_once('"').unwrap();
                let name = name.to_owned();
                self.0 = rest;
                let form = if self.takes(":") {
                    self.form()
                } else {
                    Form::Any
                };
                fields.push((name, form));
                self.takes(",");
            }
            return Form::Fields(fields);
        }
        if self.takes("[") {
            let first = self.form();
            let is_pair = self.takes(",");
            while !self.takes("]") {
                self.form();
                self.takes(",");
            }
            return if is_pair {
                Form::Any
            } else {
                Form::List(Box::new(first))
            };
        }
        let end = self.0.find([',', ']', '}']).unwrap_or(self.0.len());
        let end = self.0[..end].find(" or ").unwrap_or(end);
        self.0 = &self.0[end..];
        Form::Any
    }
}

/// The differences between a value and its form.
fn differences(value: &Value, form: &Form, at: &str, found: &mut Vec<String>) {
    match form {
        Form::Any => {}
        Form::OneOf(forms) => {
            let fits = |form: &Form| {
                let mut found = Vec::new();
                differences(value, form, at, &mut found);
                found.is_empty()
            };
            if !forms.iter().any(fits) {
                found.push(format!("{at}: fits no form: {value}"));
            }
        }
        Form::List(form) => match value.as_array() {
            Some(all) => all
                .iter()
                .for_each(|it| differences(it, form, &format!("{at}[]"), found)),
            None => found.push(format!("{at}: is no list: {value}")),
        },
        Form::Fields(fields) => {
            for (name, form) in fields {
                let at = format!("{at}.{name}");
                match value.get(name) {
                    None => found.push(format!("{at}: is missing")),
                    // A part that does not exist for this example.
                    Some(Value::Null) => {}
                    Some(value) => differences(value, form, &at, found),
                }
            }
        }
    }
}

/// Files of every kind for the server to open.
fn write_files(dir: &Path) {
    let profile = ["profile", "batch", "--data", "demo", "-n", "3", "--json"];
    for name in ["p.json", "q.json"] {
        run(dir, &[&profile[..], &[name]].concat());
    }
    let solve = "solve --data demo --per-task 50ms --out s.json --json r.json --task";
    let solve: Vec<&str> = solve.split(' ').chain([TASK]).collect();
    run(dir, &solve);
    let card = "card --data demo --count 9 --seed 3 --out a.batt";
    run(dir, &card.split(' ').collect::<Vec<_>>());
    let other = json!({ TASK: [{ "attempt_1": [[0]], "attempt_2": [[0]] }] });
    std::fs::write(dir.join("t.json"), other.to_string()).unwrap();
}

const TEXT: &str = "def solve(I):\n    x1 = vmirror(I)\n    return x1\n";

/// The query or body of an example for each call that needs one.
fn example(method: &str, path: &str) -> (String, Value) {
    let on_task = json!({ "text": TEXT, "set": "demo", "task": TASK });
    let with = |name: &str, value: Value| {
        let mut body = on_task.clone();
        body[name] = value;
        (String::new(), body)
    };
    match (method, path) {
        ("POST", "eval") => with("sample", 0.into()),
        ("POST", "variants") => with("position", 25.into()),
        ("POST", "repair") => with("painted", json!([{ "sample": 0, "grid": [[1]] }])),
        ("POST", "library" | "export") => (String::new(), on_task),
        ("POST", "judge") => {
            let proposal = json!({ "id": 1, "task": TASK, "program": TEXT });
            (
                String::new(),
                json!({ "set": "demo", "proposals": [proposal] }),
            )
        }
        ("POST", "runs") => {
            let options = json!({ "per_task": "100ms", "tasks": [TASK] });
            let body = json!({ "command": "solve", "set": "demo", "options": options });
            (String::new(), body)
        }
        ("GET", "batteries/{battery}/matrix") => ("?set=demo&limit=2".to_owned(), Value::Null),
        _ => (String::new(), json!({})),
    }
}

#[test]
fn every_call_answers_as_the_list_says() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let files = ["p.json", "q.json", "s.json", "t.json", "r.json", "a.batt"];
    let page = Page::open(dir.path(), &[&files[..], &["--store", "a.db"]].concat());
    let hash = page.get("programs?task=1e7d0001")["programs"][0]["hash"].clone();
    let node = page.get("batteries/shelf/nodes?limit=1")["nodes"][0]["id"].clone();
    let (_, first_run) = example("POST", "runs");
    let run = page.post("runs", &first_run)["id"].clone();
    let run = run.as_str().unwrap();
    let all = json_of(dir.path(), &["options", "--api", "--json", "-"]);
    let mut all = all.as_array().unwrap().clone();
    // A run can be forgotten once everything else was asked of it.
    all.sort_by_key(|it| it["method"] == "DELETE");
    let mut problems = Vec::new();
    for endpoint in &all {
        let [method, path, gives] =
            ["method", "path", "gives"].map(|it| endpoint[it].as_str().unwrap());
        let (query, body) = example(method, path);
        let (of_file, of_other) = match path.split('/').next().unwrap() {
            "profiles" => ("x1", "x2"),
            "submissions" => ("x3", "x4"),
            _ => ("x5", ""),
        };
        let filled = path
            .replace("{set}", "demo")
            .replace("{task}", TASK)
            .replace("{run}", run)
            .replace("{hash}", hash.as_str().unwrap())
            .replace("{battery}", "shelf")
            .replace("{node}", node.as_str().unwrap())
            .replace("{profile}", of_file)
            .replace("{submission}", of_file)
            .replace("{report}", of_file)
            .replace("{other}", of_other);
        if path.ends_with("/resume") {
            // Only a stopped run can go on.
            let long = json!({ "command": "solve", "set": "demo", "options": { "tasks": [TASK], "per_task": "300s" } });
            let long = page.post("runs", &long)["id"].as_str().unwrap().to_owned();
            page.post(&format!("runs/{long}/stop"), &json!({}));
            wait_for("stop", || {
                (page.get(&format!("runs/{long}"))["state"] == "stopped").then_some(())
            });
            assert_eq!(
                page.post(&format!("runs/{long}/resume"), &json!({}))["id"],
                long
            );
            page.post(&format!("runs/{long}/stop"), &json!({}));
            continue;
        }
        if path == "runs/{run}" {
            wait_for("end", || {
                (page.get(&format!("runs/{run}"))["state"] != "running").then_some(())
            });
        }
        let reply = page.reply(method, &format!("{filled}{query}"), &body.to_string());
        let name = format!("{method} {path}");
        if reply.status != 200 {
            problems.push(format!("{name}: {} {}", reply.status, reply.text()));
            continue;
        }
        let kind = reply.head.to_lowercase();
        let expected = match gives {
            "bytes" => "application/octet-stream",
            "events" => "text/event-stream",
            "file" => "text/html",
            _ => "application/json",
        };
        if !kind.contains(&format!("content-type: {expected}")) {
            problems.push(format!("{name}: {kind}"));
        }
        if gives.starts_with('{') {
            let mut reader = Reader(gives);
            let form = reader.form();
            assert!(reader.0.trim().is_empty(), "{name}: {}", reader.0);
            differences(&reply.json(), &form, &name, &mut problems);
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(all.len() > 30);
}

#[test]
fn the_page_of_calls_names_each_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let text = run(dir.path(), &["options", "--api"]).stdout;
    let text = String::from_utf8(text).unwrap();
    let all = json_of(dir.path(), &["options", "--api", "--json", "-"]);
    for endpoint in all.as_array().unwrap() {
        let [method, path] = ["method", "path"].map(|it| endpoint[it].as_str().unwrap());
        assert!(
            text.contains(&format!("### `{method} {path}`")),
            "{method} {path}"
        );
    }
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explore-api.md");
    assert_eq!(
        std::fs::read_to_string(written).unwrap(),
        text,
        "`cargo xtask docs` writes it"
    );
}
