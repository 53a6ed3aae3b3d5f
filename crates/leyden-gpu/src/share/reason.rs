//! The reasons why a device leaves a run to the CPU.

use std::collections::BTreeSet;

use leyden_dsl::fault::Fault;
use leyden_dsl::table::{OrderUse, Prim};
use leyden_exec::Outcome;
use leyden_lang::{Op, Operand, Program};

use crate::batch::Answer;
use crate::compile::{Refusal, device_primitives};

/// The reason of runs that end by fuel.
pub const ENDLESS: &str = "runs out of fuel";

/// The primitives that programs miss most.
const MISSED: [&str; 5] = ["order", "totuple", "dedupe", "mostcommon", "leastcommon"];

pub(super) fn of_refusal(program: &Program, refusal: Refusal) -> String {
    match refusal {
        Refusal::Primitive(_) => of_missing(program),
        Refusal::Use(_) => "a use of a primitive that the device does not know".to_owned(),
        other => other.to_string(),
    }
}

fn of_missing(program: &Program) -> String {
    let known: BTreeSet<Prim> = device_primitives().into_iter().collect();
    let operands = program.lines.iter().flat_map(|line| line.op.operands());
    let mut missing = operands.filter_map(|operand| match operand {
        Operand::Prim(prim) if !known.contains(&prim) => Some(prim.name()),
        _ => None,
    });
    if missing.all(|name| MISSED.contains(&name)) {
        format!("lacks only some of {}", MISSED.join(", "))
    } else {
        "lacks other primitives".to_owned()
    }
}

/// The reason why the device is not sure, and the place.
pub(super) fn of_doubt(program: &Program, answer: &Answer, outcome: &Outcome) -> (String, String) {
    let Answer::Unsure { line: Some(line) } = answer else {
        return ("no memory for its values".to_owned(), "memory".to_owned());
    };
    let prim = match program.lines.get(*line as usize).map(|line| &line.op) {
        Some(Op::Call {
            callee: Operand::Prim(prim),
            ..
        }) => Some(*prim),
        _ => None,
    };
    let place = prim.map_or("a call of a function, or the output", Prim::name);
    let is_ordered = prim.is_some_and(|prim| prim.entry().order == OrderUse::Observes);
    let reason = match outcome.fault() {
        Some(Fault::Fuel) => ENDLESS,
        Some(_) => "a fault within an iteration or on an odd value",
        None if is_ordered => "the order of a set may decide",
        None => "a value of another size or kind",
    };
    (reason.to_owned(), place.to_owned())
}
