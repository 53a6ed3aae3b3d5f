//! Every example of the table gives the documented result.

#![allow(clippy::unwrap_used)]

mod evaluate;

use leyden_dsl::cx::Cx;
use leyden_dsl::table::{Dialect, Entry, TABLE, TOKPIDJIN_TABLE};
use leyden_lang::parse_expr_in;

use evaluate::evaluate;

fn check(dialect: Dialect, entry: &Entry) {
    let example = entry.example;
    let expr = parse_expr_in(dialect, example.call).unwrap();
    let value = evaluate(&mut Cx::new(dialect), &expr);
    assert_eq!(value.to_string(), example.result, "{}", example.call);
}

#[test]
fn examples_hold_in_both_classic_dialects() {
    for entry in TABLE {
        for dialect in Dialect::CLASSIC {
            check(dialect, entry);
        }
    }
}

#[test]
fn tokpidjins_examples_hold_there() {
    for entry in TOKPIDJIN_TABLE {
        check(Dialect::Tokpidjin, entry);
    }
}
