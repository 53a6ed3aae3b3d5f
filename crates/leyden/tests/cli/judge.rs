//! `leyden judge`: verdicts for proposers, and tools for language models.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{Ran, Sandbox, demo_solvers, json, words};

/// A task whose outputs are mirrored inputs. Its test output occurs nowhere else.
const TASK: &str = r#"{"0a1b2c3d": {
    "train": [{"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]},
              {"input": [[5, 0, 0]], "output": [[0, 0, 5]]}],
    "test": [{"input": [[6, 7, 9]], "output": [[9, 7, 6]]}]}}"#;

const JUDGE: [&str; 3] = ["judge", "--data", "task.json"];

/// A directory with the task.
fn courtroom() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("task.json", TASK);
    sandbox
}

impl Sandbox {
    /// Runs `leyden judge` on an input.
    fn judge(&self, more: &[&str], input: &[u8]) -> Ran {
        self.fed(&[&JUDGE[..], more].concat(), input)
    }

    /// Runs a command on an input.
    fn fed(&self, args: &[&str], input: &[u8]) -> Ran {
        let Partner {
            child,
            input: mut pipe,
            output,
        } = Partner::start(self, args);
        std::thread::scope(|scope| {
            // A command that refuses its arguments reads nothing.
            scope.spawn(move || _ = pipe.write_all(input));
            let heard = scope.spawn(|| std::io::read_to_string(output).unwrap());
            let ran = Ran::of(child.wait_with_output().unwrap());
            Ran {
                stdout: heard.join().unwrap(),
                ..ran
            }
        })
    }
}

/// A command that answers line by line.
struct Partner {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Partner {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Partner {
        let mut child = sandbox
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Partner {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn say(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        json(&line)
    }

    /// The end after the end of the input.
    fn end(self) -> Ran {
        drop(self.input);
        Ran::of(self.child.wait_with_output().unwrap())
    }

    /// The most memory so far, in bytes.
    #[cfg(target_os = "linux")]
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap();
        let mut lines = status.lines();
        let peak = lines.find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim_end_matches("kB").trim().parse::<u64>().unwrap() << 10
    }
}

/// A line that proposes a program for the task.
fn proposal(id: impl Into<Value>, program: &str) -> String {
    let fields = json!({ "id": id.into(), "task": "0a1b2c3d", "program": program });
    format!("{fields}\n")
}

fn verdicts(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(json).collect()
}

fn returning(expression: &str) -> String {
    format!("def solve(I):\n    return {expression}\n")
}

/// Checks the verdict on a proposal: it has at least these fields.
fn check(more: &Value, expected: &Value) {
    let mut fields = json!({ "id": 1, "task": "0a1b2c3d" });
    add(&mut fields, more);
    let ran = courtroom()
        .judge(&[], format!("{fields}\n").as_bytes())
        .ok();
    let [verdict] = &verdicts(&ran)[..] else {
        panic!("{}", ran.stdout)
    };
    let mut complete = verdict.clone();
    add(&mut complete, expected);
    assert_eq!(*verdict, complete, "{fields}");
}

fn add(fields: &mut Value, more: &Value) {
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
}

#[test]
fn a_verdict_tells_how_close_a_program_is_and_where_it_goes_wrong_first() {
    let fits = json!({
        "id": 1, "task": "0a1b2c3d", "fit": true, "credit": 100.0, "right": 2, "pairs": 2,
        "first_wrong": null, "error": null,
    });
    check(&json!({ "program": returning("vmirror(I)") }), &fits);
    let wrong = |expression: &str, right: usize, first_wrong: Value| {
        let expected = json!({
            "fit": false, "right": right, "pairs": 2, "first_wrong": first_wrong, "error": null,
        });
        check(&json!({ "program": returning(expression) }), &expected);
    };
    let cell = |demo, (row, column): (usize, usize), got, expected| {
        json!({ "demo": demo, "kind": "cell", "row": row, "column": column,
                "got": got, "expected": expected })
    };
    let size = |got: [usize; 2], expected: [usize; 2]| json!({ "demo": 0, "kind": "size", "got": got, "expected": expected });
    wrong("I", 0, cell(0, (0, 0), 1, 2));
    wrong("replace(vmirror(I), FIVE, SEVEN)", 1, cell(1, (0, 2), 7, 5));
    wrong("replace(vmirror(I), THREE, 77)", 1, cell(0, (1, 1), 77, 3));
    wrong("vconcat(I, I)", 0, size([4, 2], [2, 2]));
    wrong("((1, 2), (3,))", 0, json!({ "demo": 0, "kind": "ragged" }));
    wrong("palette(I)", 0, json!({ "demo": 0, "kind": "value" }));
    wrong("vmirror", 0, json!({ "demo": 0, "kind": "value" }));
}

#[test]
fn only_programs_that_fit_have_full_credit_and_closer_ones_have_more() {
    let lines: String = ["vmirror(I)", "replace(vmirror(I), FIVE, SEVEN)", "I", "ONE"]
        .iter()
        .map(|expression| proposal(*expression, &returning(expression)))
        .collect();
    let found = verdicts(&courtroom().judge(&[], lines.as_bytes()).ok());
    let credits: Vec<f64> = found
        .iter()
        .map(|it| it["credit"].as_f64().unwrap())
        .collect();
    assert!(credits.is_sorted_by(|a, b| a > b), "{credits:?}");
    assert_eq!((credits[0], credits[3]), (100.0, 0.0));
    let none = courtroom().judge(&["--fuel", "1"], proposal(1, &returning("I")).as_bytes());
    assert_eq!(
        verdicts(&none)[0]["credit"],
        credits[2],
        "a copy costs no fuel"
    );
}

#[test]
fn errors_have_their_line() {
    let error = |fields: Value, class: &str, place: (Value, Value), message: &str| {
        let (line, column) = place;
        let error = json!({ "class": class, "message": message, "line": line, "column": column });
        check(
            &fields,
            &json!({ "fit": false, "credit": 0.0, "error": error }),
        );
    };
    let text = "# a comment\ndef solve(I):\n    x1 = I\n\n    x2 = first(())\n    return x2\n";
    let message = "demonstration 0 ends with StopIteration in line 5: x2 = first(())";
    let program = |text: &str| json!({ "program": text });
    error(
        program(text),
        "StopIteration",
        (json!(5), Value::Null),
        message,
    );
    let sometimes = returning("branch(greater(width(I), 2), first(()), I)");
    // Both branches run, as in Python.
    let message = "demonstration 0 ends with StopIteration in line 2: return branch(greater(width(I), 2), first(()), I)";
    error(
        program(&sometimes),
        "StopIteration",
        (json!(2), Value::Null),
        message,
    );
    let message = "unknown name `vmiror`; did you mean `vmirror`?";
    error(
        program(&returning("vmiror(I)")),
        "SyntaxError",
        (json!(2), json!(12)),
        message,
    );
    let bare = "code outside of a program is not supported; only imports and `def` may stand here";
    error(
        program("return vmirror(I)"),
        "SyntaxError",
        (json!(1), json!(1)),
        bare,
    );
    let text = program(&returning("I"));
    let with = |name: &str, value: Value| {
        let mut fields = text.clone();
        fields[name] = value;
        fields
    };
    let nowhere = || (Value::Null, Value::Null);
    let message = "task.json has no task 0a1b2c3e; did you mean 0a1b2c3d?";
    error(
        with("task", json!("0a1b2c3e")),
        "UnknownTask",
        nowhere(),
        message,
    );
    let message = "`dialect`: expected one of arc-dsl, re-arc, tokpidjin, found `latin`";
    error(
        with("dialect", json!("latin")),
        "BadField",
        nowhere(),
        message,
    );
    let message = "`name`: the text has no function `solvd`; did you mean `solve`?";
    error(with("name", json!("solvd")), "BadField", nowhere(), message);
}

#[test]
fn a_fault_on_a_later_demonstration_is_reported_too() {
    let text = "def solve(I):\n    x1 = branch(greater(width(I), 2), first, identity)\n    x2 = x1(())\n    return vmirror(I)\n";
    let expected = json!({
        "fit": false, "right": 1, "first_wrong": { "demo": 1, "kind": "error" },
        "error": { "class": "StopIteration", "line": 3, "column": null,
                   "message": "demonstration 1 ends with StopIteration in line 3: x2 = x1(())" },
    });
    check(&json!({ "program": text }), &expected);
}

/// A program that meets every limit of fuel.
const RUNAWAY: &str = "def solve(I):\n    x1 = interval(0, 500, 1)\n    x2 = product(x1, x1)\n    \
    x3 = lbind(lbind(branch, T), x2)\n    x4 = compose(lbind(apply, double), x3)\n    return apply(x4, x2)\n";

#[test]
fn runaways_end_with_an_error() {
    let line = proposal(1, RUNAWAY);
    let ran = courtroom()
        .judge(&["--fuel", "100000"], line.as_bytes())
        .ok();
    let error = &verdicts(&ran)[0]["error"];
    assert_eq!(
        (&error["class"], &error["line"]),
        (&json!("Fuel"), &json!(3))
    );
    assert!(
        ran.stderr
            .starts_with("1 proposal, 0 fit, 1 with an error, in "),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_proposal_is_a_program_in_any_form_and_dialect() {
    let fits = |program: &str, name: Option<&str>, dialect: Option<&str>| {
        let fields = json!({ "program": program, "name": name, "dialect": dialect, "mine": [1] });
        check(&fields, &json!({ "fit": true, "error": null }));
    };
    fits(&returning("vmirror(I)"), None, None);
    fits(
        "def f(I: Grid) -> Grid:\n    \"\"\"Mirrors.\"\"\"\n    return vmirror(I)",
        None,
        None,
    );
    fits(
        "from dsl import *\r\n\r\ndef solve(I):\r\n\tO = vmirror(I)\r\n\treturn O\r\n",
        None,
        None,
    );
    fits(
        "program solve(I) arc-dsl\n  x1 = vmirror(I)\n  return x1\n",
        None,
        None,
    );
    fits(
        "battery 1\nt1 = vmirror(I)\nout solve_0a1b2c3d(I) arc-dsl = t1 from solve_0a1b2c3d lines t1\n",
        None,
        None,
    );
    fits(
        "def verify_0a1b2c3d(I):\n    return vmirror(I)\n",
        None,
        None,
    );
    fits(
        "def solve(I):\n    return vmirror(I)\n",
        None,
        Some("re-arc"),
    );
    fits(
        "def solve(S, I, C):\n    return mir_rot_t(I, R2)\n",
        None,
        None,
    );
    fits(
        "def solve(S, I, C):\n    return mir_rot_t(I, R2)\n",
        None,
        Some("tokpidjin"),
    );
    // The last function counts, or the one with the name.
    let two = "def other_one(I):\n    return I\n\ndef solve(I):\n    return vmirror(I)\n";
    fits(two, None, None);
    fits(two, Some("solve"), None);
    let first = json!({ "program": two, "name": "other_one" });
    check(&first, &json!({ "fit": false, "right": 0, "error": null }));
}

#[test]
fn options_choose_dialect_and_names_for_all_proposals() {
    let sandbox = courtroom();
    sandbox.write("names.txt", "vertical_mirror = vmirror\n");
    let fits = |more: &[&str], program: &str| {
        let ran = sandbox.judge(more, proposal(1, program).as_bytes()).ok();
        assert_eq!(verdicts(&ran)[0]["fit"], true, "{}", ran.stdout);
    };
    fits(&["--names", "names.txt"], &returning("vertical_mirror(I)"));
    let tokpidjin = "def solve(S, I, C):\n    return vmirror_t(I)\n";
    fits(&["--dialect", "tokpidjin"], tokpidjin);
    // A proposal's own dialect counts.
    let fields = json!({ "task": "0a1b2c3d", "program": tokpidjin, "dialect": "tokpidjin" });
    let ran = sandbox.judge(&["--dialect", "arc-dsl"], fields.to_string().as_bytes());
    assert_eq!(verdicts(&ran.ok())[0]["fit"], true);
}

#[test]
fn outputs_are_written_as_eval_writes_them() {
    let lines = [
        proposal(1, &returning("vmirror(I)")),
        proposal(2, &returning("palette(I)")),
        proposal(3, &returning("first(difference(palette(I), palette(I)))")),
        proposal(4, &returning("apply(rbind(repeat, 300), repeat(I, 300))")),
        proposal(5, "garbage"),
    ];
    let ran = courtroom()
        .judge(&["--outputs"], lines.concat().as_bytes())
        .ok();
    let found = verdicts(&ran);
    let [mirrored, sets, errors, long, garbage] = &found[..] else {
        panic!("{}", ran.stdout)
    };
    assert_eq!(
        mirrored["outputs"],
        json!([{ "grid": [[2, 1], [4, 3]] }, { "grid": [[0, 0, 5]] }])
    );
    assert_eq!(mirrored["tests"], json!([{ "grid": [[9, 7, 6]] }]));
    assert_eq!(sets["outputs"][1], json!({ "value": { "set": [0, 5] } }));
    assert_eq!(errors["tests"], json!([{ "error": "StopIteration" }]));
    let left_out = long["outputs"][0]["left_out"].as_str().unwrap();
    assert!(left_out.ends_with(" bytes of JSON"), "{left_out}");
    assert!(garbage["outputs"].is_null() && garbage["tests"].is_null());
}

/// A judge that knew the test output would treat these programs in another way.
#[test]
fn test_outputs_change_nothing_and_never_appear() {
    let sandbox = courtroom();
    sandbox.write("other.json", &TASK.replace("[[9, 7, 6]]", "[[1]]"));
    let challenge = TASK.replace(", \"output\": [[9, 7, 6]]", "");
    assert_ne!(challenge, TASK);
    sandbox.write("challenge.json", &challenge);
    let prints = returning("((9, 7, 6),)");
    let other = returning("((9, 7, 8),)");
    let programs = [&prints, &other, &returning("I"), &returning("hmirror(I)")];
    let lines: String = programs.iter().map(|text| proposal(1, text)).collect();
    let judged = |data: &str| {
        let ran = sandbox.fed(&["judge", "--data", data, "--outputs"], lines.as_bytes());
        ran.ok().stdout
    };
    let found = judged("task.json");
    assert_eq!(judged("other.json"), found);
    assert_eq!(judged("challenge.json"), found);
    let [printed, other, rest @ ..] = &found.lines().map(json).collect::<Vec<_>>()[..] else {
        panic!("{found}")
    };
    for field in ["fit", "credit", "right", "first_wrong"] {
        assert_eq!(printed[field], other[field], "{field}");
    }
    assert!(
        rest.iter().all(|it| !it.to_string().contains("[9,7,6]")),
        "{found}"
    );
    let mut asked = String::new();
    for (k, (name, arguments)) in calls().into_iter().enumerate() {
        asked += &request(
            k as u64,
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        );
    }
    for data in ["other.json", "challenge.json"] {
        let serve = |data: &str| sandbox.fed(&["judge", "--mcp", "--data", data], asked.as_bytes());
        let (here, there) = (serve("task.json").ok().stdout, serve(data).ok().stdout);
        assert_eq!(here, there.replace(data, "task.json"));
        let shows = |text: &str| here.contains(text);
        assert!(
            shows("6 7 9") && !shows("9 7 6") && !shows("[9,7,6]"),
            "{here}"
        );
    }
}

#[test]
fn expected_outputs_are_hidden_from_programs() {
    let text = "def solve(S, I, C):\n    return C\n";
    let expected =
        json!({ "fit": false, "right": 0, "first_wrong": { "demo": 0, "kind": "value" } });
    check(&json!({ "program": text, "dialect": "arc-dsl" }), &expected);
}

#[test]
fn verdicts_have_the_order_of_proposals_with_any_number_of_threads() {
    let sandbox = courtroom();
    let line = |k: usize| match k % 10 {
        0 => proposal(k, RUNAWAY),
        1 => "garbage\n".to_owned(),
        2 => "\n".to_owned(),
        n => proposal(k, &returning(&format!("replace(vmirror(I), {n}, FIVE)"))),
    };
    let lines: String = (0..400).map(line).collect();
    let judged = |jobs: &str| {
        let options = ["--outputs", "--fuel", "300000", "--jobs", jobs];
        let ran = sandbox.judge(&options, lines.as_bytes());
        ran.ok().stdout
    };
    let found = judged("1");
    let ids: Vec<Value> = found.lines().map(|line| json(line)["id"].clone()).collect();
    let expected = (0..400).filter(|k| k % 10 != 2);
    let expected: Vec<Value> = expected
        .map(|k| if k % 10 == 1 { Value::Null } else { k.into() })
        .collect();
    assert_eq!(ids, expected);
    for jobs in ["2", "3", "16"] {
        assert_eq!(judged(jobs), found, "--jobs {jobs}");
    }
}

#[test]
fn a_verdict_comes_before_the_next_proposal() {
    for jobs in ["1", "4"] {
        let sandbox = courtroom();
        let args = [&JUDGE[..], &["--jobs", jobs]].concat();
        let mut judge = Partner::start(&sandbox, &args);
        for k in 0..20 {
            judge.say(&proposal(k, &returning("vmirror(I)")));
            assert_eq!(judge.hear()["id"], k);
        }
        judge.end().ok();
    }
}

#[test]
fn any_id_comes_back() {
    let ids = [
        json!(0),
        json!(-7),
        json!(u64::MAX),
        json!(0.5),
        json!("ü\u{1}\u{fffd}\u{10ffff}"),
        json!(true),
        json!([1, [2, {}]]),
        json!({ "a": null, "b": "x" }),
        Value::Null,
    ];
    let lines: String = ids
        .iter()
        .map(|id| proposal(id.clone(), &returning("I")))
        .collect();
    let found = verdicts(&courtroom().judge(&[], lines.as_bytes()).ok());
    let found: Vec<&Value> = found.iter().map(|verdict| &verdict["id"]).collect();
    assert_eq!(found, ids.iter().collect::<Vec<_>>());
}

/// Lines that make no sense, with the class of the error and words of its message.
fn garbage() -> Vec<(Vec<u8>, &'static str, &'static str)> {
    let text = |fields: Value| fields.to_string().into_bytes();
    let program = |text: &str| json!({ "task": "0a1b2c3d", "program": text });
    vec![
        (b"{".to_vec(), "NotJson", "EOF"),
        (b"hello".to_vec(), "NotJson", "expected value"),
        (
            b"7".to_vec(),
            "NotJson",
            "expected an object, found a number",
        ),
        (
            b"[]".to_vec(),
            "NotJson",
            "expected an object, found a list",
        ),
        (
            b"null".to_vec(),
            "NotJson",
            "expected an object, found null",
        ),
        (b"{} {}".to_vec(), "NotJson", "trailing characters"),
        (b"{}".to_vec(), "BadField", "the field `task` is missing"),
        (b"{\"task\": \"\xff\"}".to_vec(), "NotUtf8", "not UTF-8"),
        (b"\x00".to_vec(), "NotJson", "expected value"),
        (
            b"{\"task\": \"a\x00\"}".to_vec(),
            "NotJson",
            "control character",
        ),
        (
            b"{\"task\": \"\\ud800\"}".to_vec(),
            "NotJson",
            "the line is not JSON",
        ),
        (b"{\"id\": 1e999}".to_vec(), "NotJson", "out of range"),
        (
            "[".repeat(500_000).into_bytes(),
            "NotJson",
            "recursion limit",
        ),
        (
            "{\"a\":".repeat(100_000).into_bytes(),
            "NotJson",
            "recursion limit",
        ),
        (
            text(json!({ "task": 7, "program": "" })),
            "BadField",
            "`task`: expected a text, found a number",
        ),
        (
            text(json!({ "task": "0a1b2c3d", "program": ["x"] })),
            "BadField",
            "`program`: expected a text, found a list",
        ),
        (
            text(json!({ "task": "0a1b2c3d", "program": null })),
            "BadField",
            "found null",
        ),
        (
            text(json!({ "task": "0a1b2c3d", "program": "", "name": 1 })),
            "BadField",
            "`name`",
        ),
        (
            text(json!({ "task": "0a1b2c3d", "program": "", "dialect": {} })),
            "BadField",
            "`dialect`",
        ),
        (
            text(json!({ "task": "", "program": "" })),
            "UnknownTask",
            "has no task",
        ),
        (
            text(json!({ "task": "../../etc/passwd", "program": "" })),
            "UnknownTask",
            "has no task",
        ),
        (
            text(json!({ "task": "x".repeat(900_000), "program": "" })),
            "UnknownTask",
            "has no task",
        ),
        (
            text(program("")),
            "SyntaxError",
            "no programs in the program",
        ),
        (text(program("\0")), "SyntaxError", ""),
        (text(program(&returning("I\0"))), "SyntaxError", ""),
        (text(program("def solve(I):\n")), "SyntaxError", ""),
        (text(program("while True: pass")), "SyntaxError", ""),
        (
            text(program("import os\nos.remove('task.json')\n")),
            "SyntaxError",
            "code outside",
        ),
        (
            text(program(&returning(&"v".repeat(900_000)))),
            "SyntaxError",
            "unknown name `vvv",
        ),
        (
            text(program(&returning(&"(".repeat(500_000)))),
            "SyntaxError",
            "200 brackets",
        ),
        (
            text(program(&returning(&"-".repeat(500_000)))),
            "SyntaxError",
            "1000 parts",
        ),
        (
            text(program(&returning(&"9".repeat(500_000)))),
            "SyntaxError",
            "64 bits",
        ),
        (text(program("battery 99\n")), "SyntaxError", "battery"),
        (
            text(program("program solve(I) latin\n  return I\n")),
            "SyntaxError",
            "",
        ),
        (vec![b'x'; 10 << 20], "TooLong", "more than 1048576 bytes"),
        (vec![b' '; 10 << 20], "TooLong", "more than 1048576 bytes"),
    ]
}

#[test]
fn garbage_gets_an_error_and_the_next_proposal_a_verdict() {
    let good = proposal("good", &returning("vmirror(I)"));
    let garbage = garbage();
    let mut input = Vec::new();
    for (line, ..) in &garbage {
        input.extend_from_slice(line);
        input.extend_from_slice(b"\r\n \t\n");
        input.extend_from_slice(good.as_bytes());
    }
    let ran = courtroom().judge(&[], &input).ok();
    let found = verdicts(&ran);
    assert_eq!(found.len(), 2 * garbage.len());
    for (k, ((line, class, words), pair)) in garbage.iter().zip(found.chunks(2)).enumerate() {
        let (error, start) = (&pair[0]["error"], String::from_utf8_lossy(line));
        let start: String = start.chars().take(60).collect();
        assert_eq!(error["class"], *class, "{start}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{start}: {message}");
        assert!(
            message.chars().count() <= 500,
            "{start}: {} bytes",
            message.len()
        );
        assert_eq!(
            (&pair[0]["fit"], &pair[0]["credit"]),
            (&json!(false), &json!(0.0))
        );
        // Such errors have the number of the line in the input.
        if ["NotJson", "NotUtf8", "TooLong"].contains(class) {
            assert_eq!(error["line"], 3 * k + 1, "{start}: {error}");
        }
        assert_eq!(
            (&pair[1]["id"], &pair[1]["fit"]),
            (&json!("good"), &json!(true))
        );
    }
    let n = garbage.len();
    let said = format!("{} proposals, {n} fit, {n} with an error, in ", 2 * n);
    assert!(ran.stderr.starts_with(&said), "{}", ran.stderr);
}

#[test]
fn the_input_may_end_anywhere() {
    let whole = proposal(1, &returning("vmirror(I)"));
    let whole = whole.trim_end();
    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        let found = verdicts(&courtroom().judge(&[], &whole.as_bytes()[..end]).ok());
        let classes: Vec<&Value> = found.iter().map(|it| &it["error"]["class"]).collect();
        let expected = if end == 0 { vec![] } else { vec!["NotJson"] };
        assert_eq!(classes, expected, "after {end} bytes");
    }
    // A last line without an end counts.
    let found = verdicts(&courtroom().judge(&[], whole.as_bytes()).ok());
    assert_eq!(found[0]["fit"], true);
}

#[test]
fn a_line_that_never_ends_and_long_answers_take_little_memory() {
    let sandbox = courtroom();
    let mut judge = Partner::start(&sandbox, &[&JUDGE[..], &["--jobs", "3"]].concat());
    judge.say(&proposal(0, &returning("I")));
    judge.hear();
    #[cfg(target_os = "linux")]
    let before = judge.peak();
    let piece = "x".repeat(1 << 20);
    for _ in 0..150 {
        judge.say(&piece);
    }
    judge.say("\n");
    assert_eq!(judge.hear()["error"]["class"], "TooLong");
    // Verdicts that wait for a slow one before them.
    let long = "y".repeat(900_000);
    let lines: String = (0..20_000)
        .map(|k| format!("    x{k} = vmirror(I)\n"))
        .collect();
    let slow = proposal("slow", &format!("def solve(I):\n{lines}    return x7\n"));
    let Partner { input, output, .. } = &mut judge;
    let ids = std::thread::scope(|scope| {
        scope.spawn(move || {
            input.write_all(slow.as_bytes()).unwrap();
            for _ in 0..150 {
                let line = proposal(long.as_str(), &returning("I"));
                input.write_all(line.as_bytes()).unwrap();
            }
        });
        let lines = output.lines().take(151);
        lines
            .map(|line| json(&line.unwrap())["id"].to_string().len())
            .collect::<Vec<_>>()
    });
    assert_eq!((ids[0], ids[150]), (6, 900_002));
    #[cfg(target_os = "linux")]
    {
        let grown = judge.peak().saturating_sub(before) >> 20;
        assert!(grown < 100, "{grown} MB");
    }
    judge.end().ok();
}

#[test]
fn a_reader_that_goes_away_ends_the_judge_quietly() {
    let sandbox = courtroom();
    for args in [&JUDGE[..], &["judge", "--data", "task.json", "--mcp"]] {
        let mut judge = Partner::start(&sandbox, args);
        let line = match args.contains(&"--mcp") {
            true => request(1, "ping", json!({})),
            false => proposal(1, &returning("I")),
        };
        judge.say(&line);
        judge.hear();
        drop(judge.output);
        // The proposer goes on until the judge is gone.
        while judge.input.write_all(line.as_bytes()).is_ok() {}
        let ran = Ran::of(judge.child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
#[cfg(unix)]
fn signals_stop_a_judge_that_waits_or_computes() {
    use crate::interrupt::{processor_time, send, signals};
    use std::time::Duration;

    let sandbox = courtroom();
    let endless = ["--fuel", "1000000000000000"];
    let asked = json!({ "task": "0a1b2c3d", "program": RUNAWAY });
    let call = json!({ "name": "judge_program", "arguments": asked });
    let partners = [
        (["--jobs", "1"], proposal(1, RUNAWAY)),
        (["--jobs", "16"], proposal(1, RUNAWAY)),
        (["--out", "out.jsonl"], proposal(1, RUNAWAY)),
        (
            ["--mcp", "--data=task.json"],
            request(1, "tools/call", call),
        ),
    ];
    let every = partners
        .iter()
        .flat_map(|it| signals().map(move |signal| (it, signal)));
    for ((options, work), (signal, code)) in every {
        for works in [false, true] {
            let args = [&["judge"][..], options, &endless, &["--data", "task.json"]].concat();
            let args = match options[0] {
                "--mcp" => &args[..args.len() - 2],
                _ => &args[..],
            };
            let mut judge = Partner::start(&sandbox, args);
            let id = judge.child.id().to_string();
            if works {
                judge.say(work);
                while processor_time(&id) < Duration::from_millis(100) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            } else if options[0] == "--out" {
                while sandbox.names().len() == 1 {
                    std::thread::sleep(Duration::from_millis(5));
                }
            } else {
                let line = match options[0] {
                    "--mcp" => request(1, "ping", json!({})),
                    _ => proposal(1, &returning("I")),
                };
                judge.say(&line);
                judge.hear();
            }
            let ran = send(judge.child, signal);
            let about = format!("{options:?} {signal} {works}: {}", ran.stderr);
            assert_eq!(ran.code, code, "{about}");
            assert!(ran.stderr.starts_with("leyden: stopped"), "{about}");
            assert_eq!(sandbox.names(), ["task.json"], "{about}");
        }
    }
}

#[test]
fn files_and_reports_work_like_those_of_other_commands() {
    let sandbox = courtroom();
    let lines = [proposal(1, &returning("vmirror(I)")), "x\n".to_owned()];
    sandbox.write("in.jsonl", &lines.concat());
    let line = "judge --data task.json in.jsonl --out out.jsonl --json report.json";
    let ran = sandbox.leyden(&words(line)).ok();
    assert_eq!(ran.stdout, "");
    assert_eq!(
        sandbox.read("out.jsonl"),
        sandbox.judge(&[], lines.concat().as_bytes()).stdout
    );
    let report = json(&sandbox.read("report.json"));
    let counts = ["proposals", "fits", "errors", "fuel"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1, 50_000_000]);
    assert!(
        report["data"] == "task.json"
            && report["data_hash"].is_string()
            && report["seconds"].is_f64()
    );
    let args = words("judge --data task.json --mcp --json report.json");
    let asked =
        request(1, "tools/call", json!({ "name": "list_tasks" })) + &request(2, "ping", json!({}));
    sandbox.fed(&args, asked.as_bytes()).ok();
    assert_eq!(json(&sandbox.read("report.json"))["calls"], 1);
}

#[test]
fn the_example_of_the_help_is_true() {
    let sandbox = Sandbox::new();
    let help = sandbox.leyden(&["judge", "--help"]).ok().stdout;
    let example = help.split("A proposal and its verdict:\n").nth(1).unwrap();
    let example = example.split("\n\n").next().unwrap();
    let (asked, shown) = example.split_once('\n').unwrap();
    let shown: String = shown.lines().map(str::trim).collect();
    let ran = sandbox.fed(&["judge", "--data", "demo"], asked.trim().as_bytes());
    assert_eq!(ran.ok().stdout, shown + "\n");
}

/// A request of the Model Context Protocol.
fn request(id: u64, method: &str, params: Value) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    format!("{message}\n")
}

/// A call of each tool.
fn calls() -> Vec<(&'static str, Value)> {
    let program = returning("I");
    vec![
        ("list_tasks", json!({})),
        ("show_task", json!({ "task": "0a1b2c3d" })),
        (
            "judge_program",
            json!({ "task": "0a1b2c3d", "program": program }),
        ),
        (
            "run_program",
            json!({ "task": "0a1b2c3d", "sample": 2, "program": program }),
        ),
        ("primitives", json!({ "query": "vmirror" })),
    ]
}

/// The answers of `leyden judge --mcp` to some lines.
fn answers(lines: &str) -> Vec<Value> {
    let ran = courtroom().judge(&["--mcp"], lines.as_bytes()).ok();
    verdicts(&ran)
}

/// Checks the answer to a message.
fn check_answer(line: &str, expected: &Value) {
    let found = answers(&format!("{line}\n"));
    assert_eq!(found, std::slice::from_ref(expected), "{line}");
}

#[test]
fn a_client_and_the_server_agree_on_a_version() {
    for (wanted, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": wanted, "capabilities": {}, "clientInfo": client });
        let [answer] = &answers(&request(7, "initialize", params))[..] else {
            panic!("no answer")
        };
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!(7))
        );
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], agreed);
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        assert_eq!(result["serverInfo"]["name"], "leyden");
        assert!(
            result["instructions"]
                .as_str()
                .unwrap()
                .contains("judge_program")
        );
    }
    check_answer(
        r#"{"jsonrpc": "2.0", "id": "a", "method": "ping"}"#,
        &json!({ "jsonrpc": "2.0", "id": "a", "result": {} }),
    );
}

#[test]
fn every_listed_tool_has_a_schema_and_works() {
    let listed = answers(&request(1, "tools/list", json!({})));
    let tools = listed[0]["result"]["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        calls().iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    for (tool, (name, arguments)) in tools.iter().zip(calls()) {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        assert!(tool["description"].as_str().unwrap().len() > 20);
        let arguments_known = arguments.as_object().unwrap().keys();
        assert!(
            arguments_known
                .into_iter()
                .all(|it| schema["properties"][it].is_object())
        );
        for property in schema["properties"].as_object().unwrap().values() {
            assert!(property["type"] != "array" || property["items"]["type"] == "array");
        }
        for required in schema["required"].as_array().unwrap() {
            let required = required.as_str().unwrap();
            let mut fewer = arguments.clone();
            fewer.as_object_mut().unwrap().remove(required);
            let (text, is_error, _) = called(name, fewer);
            assert!(
                is_error && text.contains(&format!("`{required}` is missing")),
                "{text}"
            );
        }
        let (text, is_error, data) = called(name, arguments);
        assert!(
            !is_error && !text.is_empty() && data.is_object(),
            "{name}: {text}"
        );
    }
}

/// A tool's text, whether it is an error, and the data.
fn called(name: &str, arguments: Value) -> (String, bool, Value) {
    let line = request(
        1,
        "tools/call",
        json!({ "name": name, "arguments": arguments }),
    );
    let found = answers(&line);
    let result = &found[0]["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let is_error = result["isError"].as_bool().unwrap();
    (
        text.to_owned(),
        is_error,
        result["structuredContent"].clone(),
    )
}

#[test]
fn tools_say_what_a_model_needs() {
    let said = |name: &str, arguments: Value, expected: &[&str]| {
        let (text, is_error, data) = called(name, arguments);
        assert!(!is_error, "{name}: {text}");
        for words in expected {
            assert!(text.contains(words), "{words:?} is not in:\n{text}");
        }
        data
    };
    let listed = [
        "0a1b2c3d  2 demonstrations, 1 test  2×2 → 2×2, 1×3 → 1×3\n",
        "1 of 1 task from 0",
    ];
    let data = said("list_tasks", json!({ "query": "1b", "offset": 0 }), &listed);
    assert_eq!(data, json!({ "tasks": ["0a1b2c3d"], "total": 1 }));
    said(
        "list_tasks",
        json!({ "offset": 9 }),
        &["0 of 1 task from 9"],
    );
    let shown = [
        "train[0] input, 2×2\n1 2\n3 4\n",
        "train[0] output, 2×2\n2 1\n4 3\n",
        "test[0] input, 1×3\n6 7 9\n",
    ];
    let data = said("show_task", json!({ "task": "0a1b2c3d" }), &shown);
    assert_eq!(data["test"], json!([{ "input": [[6, 7, 9]] }]));
    assert_eq!(
        data["train"][1],
        json!({ "input": [[5, 0, 0]], "output": [[0, 0, 5]] })
    );
    let judged = |expression: &str, expected: &[&str]| {
        let arguments = json!({ "task": "0a1b2c3d", "program": returning(expression) });
        said("judge_program", arguments, expected)
    };
    let data = judged(
        "vmirror(I)",
        &["The program fits: 2 of 2 demonstrations right, credit 100 of 100, fuel "],
    );
    assert_eq!(
        (&data["fit"], &data["task"], data.get("id")),
        (&json!(true), &json!("0a1b2c3d"), None)
    );
    judged(
        "replace(vmirror(I), FIVE, SEVEN)",
        &[
            "does not fit: 1 of 2",
            "First wrong: train[1], row 0, column 2: 7, expected 5",
            "a digit is a wrong result\n. . 7\n",
        ],
    );
    judged(
        "vconcat(I, I)",
        &["the size is 4×2, expected 2×2", "result, 4×2\n1 2\n"],
    );
    judged(
        "palette(I)",
        &[
            "the result is not a grid",
            "{\"value\":{\"set\":[1,2,3,4]}}",
        ],
    );
    judged("((1, 2), (3,))", &["the rows have different lengths"]);
    judged(
        "first(())",
        &[
            "Error: demonstration 0 ends with StopIteration in line 2: return first(())",
            "the run ends with an error",
        ],
    );
    let program = "def solve(I):\n    x1 = vmirror(I)\n    x2 = palette(x1)\n    return x1\n";
    let traced = [
        "solve on the grid",
        "2: x1 = vmirror(I)",
        "3: x2 = palette(x1)",
        "01\n    32",
    ];
    let data = said(
        "run_program",
        json!({ "program": program, "grid": [[1, 0], [2, 3]] }),
        &traced,
    );
    assert_eq!(data, json!({ "grid": [[0, 1], [3, 2]] }));
    let data = said(
        "run_program",
        json!({ "program": returning("first(())"), "grid": [[1]] }),
        &["ended with StopIteration"],
    );
    assert_eq!(data, json!({ "error": "StopIteration" }));
    let long = returning("apply(rbind(repeat, 3000), repeat(I, 3000))");
    said(
        "run_program",
        json!({ "program": long, "grid": [[1]] }),
        &["solve on the grid"],
    );
    let data = said(
        "primitives",
        json!({ "query": "mirror", "dialect": "arc-dsl" }),
        &["vmirror(piece: Piece) -> Piece"],
    );
    assert_eq!(
        data["primitives"].as_array().unwrap()[..4],
        ["hmirror", "vmirror", "dmirror", "cmirror"]
    );
    said(
        "primitives",
        json!({ "query": "nothing like this" }),
        &["no primitive matches"],
    );
    said("primitives", json!({}), &["… and "]);
}

#[test]
fn wrong_arguments_of_a_tool_are_a_result_that_the_model_can_read() {
    let refused = |name: &str, arguments: Value, words: &str| {
        let (text, is_error, _) = called(name, arguments);
        assert!(is_error && text.contains(words), "{name}: {text}");
    };
    let program = returning("I");
    refused(
        "show_task",
        json!({ "task": "0a1b2c3e" }),
        "UnknownTask: task.json has no task 0a1b2c3e; did you mean 0a1b2c3d?",
    );
    refused(
        "judge_program",
        json!({ "task": "0a1b2c3d", "program": returning("vmiror(I)") }),
        "SyntaxError in line 2, column 12: unknown name `vmiror`; did you mean `vmirror`?",
    );
    refused(
        "judge_program",
        json!({ "task": 1, "program": program }),
        "`task`: expected a text, found a number",
    );
    refused(
        "run_program",
        json!({ "program": program }),
        "expected either `grid` or `task`",
    );
    refused(
        "run_program",
        json!({ "program": program, "grid": [[1]], "task": "0a1b2c3d" }),
        "either",
    );
    refused(
        "run_program",
        json!({ "program": program, "grid": [[1, 2], [3]] }),
        "`grid`",
    );
    refused(
        "run_program",
        json!({ "program": program, "grid": [[10]] }),
        "`grid`",
    );
    refused(
        "run_program",
        json!({ "program": program, "grid": [[0.5]] }),
        "colours from 0 to 9",
    );
    refused(
        "run_program",
        json!({ "program": program, "grid": [] }),
        "`grid`",
    );
    refused(
        "run_program",
        json!({ "program": program, "grid": "x" }),
        "`grid`",
    );
    refused(
        "run_program",
        json!({ "program": program, "task": "0a1b2c3d", "sample": 3 }),
        "`sample`: 3 is too large; 0a1b2c3d has 3 samples, from 0",
    );
    refused(
        "run_program",
        json!({ "program": program, "task": "0a1b2c3d", "sample": -1 }),
        "`sample`: expected a whole number, 0 or more",
    );
    refused(
        "list_tasks",
        json!({ "offset": "x" }),
        "`offset`: expected a whole number",
    );
    refused(
        "primitives",
        json!({ "dialect": "latin" }),
        "arc-dsl, re-arc, tokpidjin",
    );
}

#[test]
fn messages_that_make_no_sense_get_an_error_of_the_protocol() {
    let refused = |line: &str, id: Value, code: i64, message: &str| {
        let error = json!({ "code": code, "message": message });
        check_answer(line, &json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    };
    let message = |more: &str| format!(r#"{{"jsonrpc": "2.0", "id": 3, {more}}}"#);
    refused(
        "hello",
        Value::Null,
        -32700,
        "the line is not JSON: expected value",
    );
    refused(
        &"[".repeat(100_000),
        Value::Null,
        -32600,
        "a message is one object; this server takes no batches",
    );
    refused(
        &"{\"a\":".repeat(100_000),
        Value::Null,
        -32700,
        "the line is not JSON: recursion limit exceeded",
    );
    refused(
        &"x".repeat(10 << 20),
        Value::Null,
        -32700,
        "the line has more than 1048576 bytes",
    );
    refused(
        "7",
        Value::Null,
        -32700,
        "expected an object, found a number",
    );
    refused(
        r#"{"id": 3, "method": "ping"}"#,
        json!(3),
        -32600,
        "`jsonrpc`: expected \"2.0\"",
    );
    refused(
        r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#,
        Value::Null,
        -32600,
        "`id`: expected a text or a number, found null",
    );
    refused(
        r#"{"jsonrpc": "2.0", "id": 3}"#,
        json!(3),
        -32600,
        "the field `method` is missing",
    );
    refused(
        &message(r#""method": 7"#),
        json!(3),
        -32600,
        "`method`: expected a text, found a number",
    );
    refused(
        &message(r#""method": "ping", "params": []"#),
        json!(3),
        -32600,
        "`params`: expected an object, found a list",
    );
    refused(
        &message(r#""method": "resources/list""#),
        json!(3),
        -32601,
        "there is no method `resources/list`",
    );
    refused(
        &message(r#""method": "tools/call""#),
        json!(3),
        -32602,
        "`name`: expected a text",
    );
    refused(
        &message(r#""method": "tools/call", "params": {"name": "judge"}"#),
        json!(3),
        -32602,
        "there is no tool `judge`",
    );
    refused(
        &message(r#""method": "tools/call", "params": {"name": "show_tasks"}"#),
        json!(3),
        -32602,
        "there is no tool `show_tasks`; did you mean `show_task`?",
    );
    refused(
        &message(r#""method": "tools/call", "params": {"name": "show_task", "arguments": 7}"#),
        json!(3),
        -32602,
        "`arguments`: expected an object, found a number",
    );
}

#[test]
fn notifications_and_answers_get_no_answer() {
    let lines = [
        r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
        r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}"#,
        r#"{"jsonrpc": "2.0", "method": "unheard/of"}"#,
        r#"{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_tasks"}}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}"#,
        "",
        "  \t",
        r#"{"jsonrpc": "2.0", "id": 9, "method": "ping"}"#,
    ];
    let found = answers(&lines.join("\r\n"));
    assert_eq!(found, [json!({ "jsonrpc": "2.0", "id": 9, "result": {} })]);
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Runs a Python program of the project with the command under test.
fn python(sandbox: &Sandbox, path: &str, args: &str) -> Ran {
    let ran = Command::new("python3")
        .arg(project(path))
        .args(["--leyden", env!("CARGO_BIN_EXE_leyden")])
        .args(words(args))
        .current_dir(sandbox.path(""))
        .env("LEYDEN_CACHE", sandbox.path("cache"))
        .env("LEYDEN_STORE", sandbox.path("library.db"))
        .output()
        .unwrap();
    Ran::of(ran)
}

/// A slice of what tools/check_judge.py compares.
#[test]
fn verdicts_on_mutants_equal_the_results_of_eval() {
    let sandbox = Sandbox::new();
    let ran = python(
        &sandbox,
        "tools/check_judge.py",
        "--data demo --count 500 --sample 2",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.starts_with("500 proposals compared, 0 differ; "),
        "{}",
        ran.stdout
    );
}

#[test]
fn every_demo_solver_fits_its_task() {
    let whole = demo_solvers();
    let names = whole
        .lines()
        .filter_map(|line| line.strip_prefix("def solve_"));
    let names: Vec<&str> = names.map(|rest| &rest[..8]).collect();
    let lines = names.iter().map(|id| {
        let fields =
            json!({ "id": id, "task": id, "program": whole, "name": format!("solve_{id}") });
        format!("{fields}\n")
    });
    let ran = Sandbox::new().fed(
        &["judge", "--data", "demo"],
        lines.collect::<String>().as_bytes(),
    );
    let found = verdicts(&ran.ok());
    assert_eq!(found.len(), 50);
    assert!(found.iter().all(|verdict| verdict["fit"] == true));
}

#[test]
fn the_proposer_of_the_examples_solves_tasks() {
    let sandbox = Sandbox::new();
    let args =
        "--data demo --task 1e7d0010 --task 1e7d0031 --task 1e7d0001 --per-task 400 --seed 1";
    let ran = python(&sandbox, "examples/proposer.py", args).ok();
    assert!(ran.stdout.contains("\n# 2 of 3 tasks, "), "{}", ran.stdout);
    sandbox.write("found.py", &ran.stdout);
    let run = words("run --data demo --task 1e7d0010 --task 1e7d0031 --solvers found.py --json -");
    assert_eq!(json(&sandbox.leyden(&run).ok().stdout)["solved"], 2);
}

#[test]
fn the_tool_loop_of_the_examples_runs_without_a_model_and_with_one() {
    let sandbox = Sandbox::new();
    let ran = python(&sandbox, "examples/tool_loop.py", "--task 1e7d0010").ok();
    let expected = "this program fits:\ndef solve(I):\n    return compress(I)\n";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    let model = "\
def answer(messages, tools):
    assert messages[0]['role'] == 'system' and '1e7d0031' in messages[1]['content']
    assert 'judge_program' in [tool['name'] for tool in tools]
    if len(messages) == 2:
        return {'text': 'first', 'calls': [{'id': '1', 'name': 'judge_it', 'arguments': {}}]}
    assert messages[-1] == {'role': 'tool', 'id': '1', 'content': 'there is no tool `judge_it`'}
    return {'text': 'I give up', 'calls': []}
";
    sandbox.write("my_model.py", model);
    let ran = python(
        &sandbox,
        "examples/tool_loop.py",
        "--task 1e7d0031 --model my_model:answer",
    );
    assert_eq!(
        (ran.code, ran.stdout.contains("no program fits")),
        (1, true),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}
