//! The fast engine against CPython's answers: it may give up, it may not differ.

use std::path::Path;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::table::{Dialect, Entry, Prim, TABLE};
use serde_json::Value as Json;

use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::values::arena::Room;
use crate::vm::values::word::FloatWord;
use crate::vm::{EXACT, Maybe, Memo, R, Stop, Val, Vm};

fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

/// The value of an argument of a vector; see `tools/make_vectors.py` for the notation.
fn argument<'a>(vm: &mut Vm<'a>, json: &Json, refs: &[Val<'a>]) -> R<'a> {
    let mut parts = |items: &[Json]| {
        items
            .iter()
            .map(|json| argument(vm, json, refs))
            .collect::<Maybe<Vec<_>>>()
    };
    if let Some(k) = json.get("ref").and_then(Json::as_u64) {
        return Ok(refs[k as usize]);
    }
    if let Some([name, args @ ..]) = json.get("call").map(list) {
        let args = parts(args)?;
        return vm.call_prim(prim(name), &args);
    }
    if let Some(items) = json.get("set") {
        let items = parts(list(items))?;
        let items = vm.arena.alloc_slice_copy(&items);
        let made = Made::by(vm.arena, Recipe::Listed(items));
        return Val::set(vm.arena, items, made);
    }
    if let Some(x) = json.get("float") {
        let x = x.as_str().and_then(|x| x.parse().ok()).expect("a number");
        return Ok(Val::Float(FloatWord::new(x)));
    }
    Ok(match json {
        Json::Array(items) => {
            let items = parts(items)?;
            Val::tuple(vm.arena, vm.arena.alloc_slice_copy(&items))
        }
        Json::Null => Val::None,
        Json::Bool(b) => Val::Bool((*b).into()),
        Json::Number(n) => Val::Int(n.as_i64().expect("a number")),
        // Functions that are not primitives cannot be compared.
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

fn arguments<'a>(vm: &mut Vm<'a>, json: &Json) -> Maybe<Vec<Val<'a>>> {
    let mut values = Vec::new();
    for json in list(json) {
        values.push(argument(vm, json, &values)?);
    }
    Ok(values)
}

/// A notation in which sets and tuples of unknown order have no order.
fn notation<'a>(vm: &mut Vm<'a>, value: &Val<'a>) -> String {
    let value = vm.settled(value).unwrap_or(*value);
    match value {
        Val::None => "None".into(),
        Val::Bool(b) => format!("{:?}", b.get()),
        Val::Int(n) => n.to_string(),
        Val::Prim(entry) => entry.name.into(),
        Val::Func(_) => "<lambda>".into(),
        Val::Float(x) => x.get().to_string(),
        _ => {
            let items = value.elements(vm.arena).expect("a container");
            let mut items: Vec<String> = items.iter().map(|item| notation(vm, item)).collect();
            let is_bag = matches!(value, Val::Bag(_));
            if value.is_set() || is_bag {
                items.sort();
            }
            let [open, close] = match (value.is_set(), is_bag) {
                (true, _) => ["{", "}"],
                (_, true) => ["bag(", ")"],
                _ => ["(", ")"],
            };
            format!("{open}{}{close}", items.join(", "))
        }
    }
}

/// The notation of an expected outcome; a tuple becomes a bag if its order is unknown here.
fn expected<'a>(vm: &mut Vm<'a>, json: &Json, ours: &Val<'a>) -> Maybe<String> {
    let value = argument(vm, json, &[])?;
    match (vm.settled(ours), value.elements(vm.arena)) {
        (None, Some(items)) => {
            let bag = Val::bag(vm, items, Made::Somehow);
            Ok(notation(vm, &bag))
        }
        _ => Ok(notation(vm, &value)),
    }
}

/// Checks that the order of a set is CPython's, if the engine claims to know it.
fn check_order<'a>(vm: &mut Vm<'a>, ours: &Val<'a>, json: &Json, what: &str) -> bool {
    let Some(theirs) = json.get("set").map(list) else {
        return false;
    };
    let Some(ours) = vm.in_order(ours) else {
        return false;
    };
    let ours: Vec<String> = ours.iter().map(|item| notation(vm, item)).collect();
    let theirs: Vec<String> = theirs
        .iter()
        .filter_map(|json| {
            let item = argument(vm, json, &[]).ok()?;
            Some(notation(vm, &item))
        })
        .collect();
    assert_eq!(ours, theirs, "order of {what}");
    true
}

/// The numbers of cases, of answers, and of sets with known orders.
#[derive(Default)]
struct Tally {
    n_cases: usize,
    n_answered: usize,
    n_orders: usize,
}

impl Tally {
    /// Runs the cases of a primitive's file, each in these dialects.
    fn add_file(&mut self, folder: &Path, entry: &Entry, dialects: impl Fn(&Json) -> Vec<Dialect>) {
        let path = folder.join(entry.name).with_extension("jsonl");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for (k, line) in text.lines().enumerate() {
            let case: Json = serde_json::from_str(line).expect("a case");
            for dialect in dialects(&case) {
                let what = format!("{} line {} in {dialect}", entry.name, k + 1);
                let is_answered = run_case(entry.prim, dialect, &case, &what, self);
                self.n_answered += usize::from(is_answered);
                self.n_cases += 1;
            }
        }
    }
}

/// Whether the engine answered; panics if the answer differs from CPython's.
fn check<'a>(
    vm: &mut Vm<'a>,
    outcome: R<'a>,
    (out, err): (Option<&Json>, Option<&Json>),
    what: &str,
    tally: &mut Tally,
) -> bool {
    let fault = outcome.as_ref().err().map(|stop| stop.take_fault());
    match (outcome, out, err) {
        (Err(_), ..) if fault == Some(None) => false,
        (Err(_), None, Some(class)) => {
            assert_eq!(fault.flatten().map(Fault::name), class.as_str(), "{what}");
            true
        }
        (Ok(ours), Some(out), _) => match expected(vm, out, &ours) {
            Ok(theirs) => {
                assert_eq!(notation(vm, &ours), theirs, "{what}");
                tally.n_orders += usize::from(check_order(vm, &ours, out, what));
                true
            }
            Err(_) => false,
        },
        (outcome, ..) => panic!("{outcome:?} in {what}"),
    }
}

fn run_case(prim: Prim, dialect: Dialect, case: &Json, what: &str, tally: &mut Tally) -> bool {
    let arena = Room::default();
    let memo = Memo::default();
    let cancel = CancelToken::new();
    let vm = &mut Vm::new(&arena, &memo, dialect, DEFAULT_FUEL, &cancel);
    let Ok(args) = arguments(vm, &case["args"]) else {
        Stop::forget_fault();
        return false;
    };
    let outcome = vm.call_prim(prim, &args);
    let (Some(calls), Ok(callee)) = (case.get("then"), &outcome) else {
        return check(vm, outcome, (case.get("out"), case.get("err")), what, tally);
    };
    let mut is_answered = true;
    for (args, expected) in list(calls).iter().zip(list(&case["out"])) {
        let Ok(args) = arguments(vm, args) else {
            Stop::forget_fault();
            return false;
        };
        let outcome = vm.call(callee, &args);
        let expected = (expected.get("out"), expected.get("err"));
        is_answered &= check(vm, outcome, expected, what, tally);
    }
    is_answered
}

#[test]
fn answers_are_those_of_cpython() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let mut tally = Tally::default();
    for entry in TABLE {
        tally.add_file(&folder, entry, |case| {
            let is_meant = |d: &Dialect| case["d"] == "both" || case["d"] == d.name();
            Dialect::CLASSIC.into_iter().filter(is_meant).collect()
        });
    }
    // Half of the cases are odd on purpose and left to the reference engine.
    let Tally {
        n_cases,
        n_answered,
        n_orders,
    } = tally;
    assert!(
        n_cases > 20_000 && n_answered * 2 > n_cases && n_orders * 10 > n_cases,
        "{n_answered} of {n_cases} answered, {n_orders} orders"
    );
}

#[test]
fn answers_in_tokpidjin_are_those_of_its_python() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/tokpidjin");
    let (mut tally, dialect) = (Tally::default(), Dialect::Tokpidjin);
    for entry in dialect.entries() {
        tally.add_file(&folder, entry, |_| vec![dialect]);
    }
    // If a kernel stops, the reference engine answers that call.
    let Tally {
        n_cases,
        n_answered,
        n_orders,
    } = tally;
    assert!(
        n_cases > 8_000 && n_answered * 10 > n_cases * 9 && n_orders * 20 > n_cases,
        "{n_answered} of {n_cases} answered, {n_orders} orders"
    );
}
