//! Compares every primitive with CPython's answers, iteration order and error class included.

use std::path::{Path, PathBuf};

use leyden_dsl::codec::{decode, encode};
use leyden_dsl::cx::{Cx, call, call_prim};
use leyden_dsl::fault::Fault;
use leyden_dsl::table::{Dialect, Entry, Prim, TABLE};
use leyden_dsl::value::Value;
use serde_json::{Value as Json, json};

const MIN_CASES: usize = 25;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors")
}

/// The value of an argument: written out, the value of a call (`call`), or an earlier argument
/// itself (`ref`).
fn argument(cx: &mut Cx, json: &Json, refs: &[Value]) -> Result<Value, Fault> {
    let mut parts = |list: &[Json]| -> Result<Vec<Value>, Fault> {
        list.iter().map(|json| argument(cx, json, refs)).collect()
    };
    if let Some(k) = json.get("ref").and_then(Json::as_u64) {
        return Ok(refs[k as usize].clone());
    }
    if let Some([name, args @ ..]) = json.get("call").map(list) {
        let prim = name.as_str().and_then(Prim::by_name).expect("a primitive");
        let args = parts(args)?;
        return call_prim(cx, prim, &args);
    }
    if let Some(items) = json.get("set") {
        return Value::set(parts(list(items))?.into_iter().collect());
    }
    match json {
        Json::Array(items) => Value::tuple(parts(items)?),
        _ => Ok(decode(json).expect("a value")),
    }
}

fn arguments(cx: &mut Cx, list: &[Json]) -> Result<Vec<Value>, Fault> {
    let mut values = Vec::new();
    for json in list {
        values.push(argument(cx, json, &values)?);
    }
    Ok(values)
}

fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

fn report(outcome: Result<Value, Fault>) -> Json {
    match outcome {
        Ok(value) => json!({ "out": encode(&value) }),
        Err(fault) => json!({ "err": fault.name() }),
    }
}

fn call_value(cx: &mut Cx, callee: &Value, args: &Json) -> Json {
    let args = arguments(cx, list(args));
    report(args.and_then(|args| call(cx, callee, &args)))
}

/// The answer of Leyden's kernel, in the form of the vector's own answer.
fn answer(prim: Prim, dialect: Dialect, case: &Json) -> Json {
    let cx = &mut Cx::new(dialect);
    let args = arguments(cx, list(&case["args"]));
    let outcome = args.and_then(|args| call_prim(cx, prim, &args));
    match (case.get("then"), outcome) {
        (Some(calls), Ok(callee @ (Value::Prim(_) | Value::Func(_)))) => {
            let call_with = |args| call_value(cx, &callee, args);
            json!({ "out": list(calls).iter().map(call_with).collect::<Vec<_>>() })
        }
        (_, outcome) => report(outcome),
    }
}

fn expected(case: &Json) -> Json {
    match case.get("err") {
        Some(class) => json!({ "err": class }),
        None => json!({ "out": case["out"] }),
    }
}

fn is_in(dialect: Dialect, case: &Json) -> bool {
    case["d"] == "both" || case["d"] == dialect.name()
}

fn check(prim: Prim, dialect: Dialect, cases: &[Json]) -> Vec<String> {
    let cases: Vec<_> = cases.iter().filter(|case| is_in(dialect, case)).collect();
    let mut wrong = Vec::new();
    if cases.len() < MIN_CASES {
        wrong.push(format!(
            "{prim} in {dialect} has {} cases only",
            cases.len()
        ));
    }
    for case in cases {
        let (ours, theirs) = (answer(prim, dialect, case), expected(case));
        if ours != theirs {
            wrong.push(format!("{prim} in {dialect}: {case}\n  gives {ours}"));
        }
    }
    wrong
}

/// The cases of a file, one in each line.
fn cases(name: &str) -> Vec<Json> {
    let path = vectors().join(format!("{name}.jsonl"));
    let text = std::fs::read_to_string(path).expect("a file of vectors");
    let parse = |line| serde_json::from_str(line).expect("a case");
    text.lines().map(parse).collect()
}

fn check_primitives() -> Vec<String> {
    let mut wrong = Vec::new();
    for entry in TABLE {
        let cases = cases(entry.name);
        for dialect in Dialect::CLASSIC {
            wrong.extend(check(entry.prim, dialect, &cases));
        }
    }
    wrong
}

fn check_tokpidjin() -> Vec<String> {
    let dialect = Dialect::Tokpidjin;
    let cases_of = |entry: &Entry| cases(&format!("tokpidjin/{}", entry.name));
    let checked = dialect
        .entries()
        .map(|entry| check(entry.prim, dialect, &cases_of(entry)));
    checked.flatten().collect()
}

fn check_set_orders() -> Vec<String> {
    let mut wrong = Vec::new();
    for case in cases("pyset") {
        let cx = &mut Cx::new(Dialect::ArcDsl);
        let values = arguments(cx, list(&case["ops"])).expect("values");
        let order = values.last().map(encode).expect("an op");
        if order != json!({ "set": case["order"] }) {
            wrong.push(format!("{case}\n  gives {order}"));
        }
    }
    wrong
}

/// Deep recursion needs more stack than a test's thread has.
fn on_a_large_stack<T: Send + 'static>(body: fn() -> T) -> T {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread
        .spawn(body)
        .expect("a thread")
        .join()
        .expect("no panic")
}

fn assert_none(wrong: Vec<String>) {
    let shown = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{shown}", wrong.len());
}

#[test]
fn every_primitive_answers_as_cpython_does() {
    assert_none(on_a_large_stack(check_primitives));
}

#[test]
fn every_primitive_of_tokpidjin_answers_as_its_python_does() {
    assert_none(on_a_large_stack(check_tokpidjin));
}

#[test]
fn sets_have_the_order_of_cpython() {
    assert_none(on_a_large_stack(check_set_orders));
}
