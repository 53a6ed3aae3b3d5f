//! The fast engine against what CPython answered: it may give up, it may not differ.

use std::path::Path;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::table::{Dialect, Prim, TABLE};
use serde_json::Value as Json;

use super::{EXACT, R, Stop, Val, Vm};

fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

/// The value of an argument of a vector; see `tools/make_vectors.py` for the notation.
fn argument(vm: &mut Vm, json: &Json, refs: &[Val]) -> R {
    let mut parts = |items: &[Json]| {
        items
            .iter()
            .map(|json| argument(vm, json, refs))
            .collect::<R<Vec<_>>>()
    };
    if let Some(k) = json.get("ref").and_then(Json::as_u64) {
        return Ok(refs[k as usize].clone());
    }
    if let Some([name, args @ ..]) = json.get("call").map(list) {
        let args = parts(args)?;
        return vm.call_prim(prim(name), &args.iter().collect::<Vec<_>>());
    }
    if let Some(items) = json.get("set") {
        return Val::set(parts(list(items))?);
    }
    Ok(match json {
        Json::Array(items) => Val::tuple(parts(items)?),
        Json::Null => Val::None,
        Json::Bool(b) => Val::Bool((*b).into()),
        Json::Number(n) => Val::Int(n.as_i64().expect("a number")),
        // Functions that are no primitives cannot be compared.
        _ => Val::Prim(
            json["fn"]
                .as_str()
                .and_then(Prim::by_name)
                .ok_or(EXACT)?
                .entry(),
        ),
    })
}

fn prim(name: &Json) -> Prim {
    name.as_str().and_then(Prim::by_name).expect("a primitive")
}

fn arguments(vm: &mut Vm, json: &Json) -> R<Vec<Val>> {
    let mut values = Vec::new();
    for json in list(json) {
        values.push(argument(vm, json, &values)?);
    }
    Ok(values)
}

/// A notation in which sets have no order, nor have tuples whose order is unknown.
fn notation(value: &Val) -> String {
    let join = |mut items: Vec<String>, is_sorted: bool| {
        if is_sorted {
            items.sort();
        }
        items.join(", ")
    };
    let each = |items: &[Val]| items.iter().map(notation).collect::<Vec<_>>();
    match value {
        Val::None => "None".into(),
        Val::Bool(b) => format!("{:?}", b.get()),
        Val::Int(n) => n.to_string(),
        Val::Prim(entry) => entry.name.into(),
        Val::Func(_) => "<lambda>".into(),
        Val::Bag(items) => format!("bag({})", join(each(items), true)),
        _ => {
            let items = each(&value.elements().expect("a container"));
            if value.is_set() {
                format!("{{{}}}", join(items, true))
            } else {
                format!("({})", join(items, false))
            }
        }
    }
}

/// The notation of an expected outcome; a tuple as a bag if that is all we know of it.
fn expected(vm: &mut Vm, json: &Json, ours: &Val) -> R<String> {
    let value = argument(vm, json, &[])?;
    match (ours, value.elements()) {
        (Val::Bag(_), Some(items)) => Ok(notation(&Val::bag(items))),
        _ => Ok(notation(&value)),
    }
}

/// Whether the engine answered; panics where the answer is not CPython's.
fn check(vm: &mut Vm, outcome: R, out: Option<&Json>, err: Option<&Json>, what: &str) -> bool {
    let fault = outcome.as_ref().err().map(|stop| stop.take_fault());
    match (outcome, out, err) {
        (Err(_), ..) if fault == Some(None) => false,
        (Err(_), None, Some(class)) => {
            assert_eq!(fault.flatten().map(Fault::name), class.as_str(), "{what}");
            true
        }
        (Ok(ours), Some(out), _) => match expected(vm, out, &ours) {
            Ok(theirs) => {
                assert_eq!(notation(&ours), theirs, "{what}");
                true
            }
            Err(_) => false,
        },
        (outcome, ..) => panic!("{outcome:?} in {what}"),
    }
}

fn run_case(prim: Prim, dialect: Dialect, case: &Json, what: &str) -> bool {
    let vm = &mut Vm::new(dialect, DEFAULT_FUEL, CancelToken::new());
    let Ok(args) = arguments(vm, &case["args"]) else {
        Stop::forget_fault();
        return false;
    };
    let args: Vec<&Val> = args.iter().collect();
    let outcome = vm.call_prim(prim, &args);
    let (Some(calls), Ok(callee)) = (case.get("then"), &outcome) else {
        return check(vm, outcome, case.get("out"), case.get("err"), what);
    };
    let mut is_answered = true;
    for (args, expected) in list(calls).iter().zip(list(&case["out"])) {
        let Ok(args) = arguments(vm, args) else {
            Stop::forget_fault();
            return false;
        };
        let outcome = vm.call(callee, &args.iter().collect::<Vec<_>>());
        is_answered &= check(vm, outcome, expected.get("out"), expected.get("err"), what);
    }
    is_answered
}

#[test]
fn answers_are_those_of_cpython() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let (mut n_cases, mut n_answered) = (0, 0);
    for entry in TABLE {
        let path = folder.join(entry.name).with_extension("jsonl");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for (k, line) in text.lines().enumerate() {
            let case: Json = serde_json::from_str(line).expect("a case");
            let dialects = Dialect::CLASSIC
                .into_iter()
                .filter(|d| case["d"] == "both" || case["d"] == d.name());
            for dialect in dialects {
                let what = format!("{} line {} in {dialect}", entry.name, k + 1);
                n_answered += usize::from(run_case(entry.prim, dialect, &case, &what));
                n_cases += 1;
            }
        }
    }
    // Half of the cases are odd on purpose, and odd ones are left to the exact engine.
    assert!(
        n_cases > 20_000 && n_answered * 2 > n_cases,
        "{n_answered} of {n_cases}"
    );
}
