//! Every example of the table gives what the table says.

#![allow(clippy::unwrap_used)]

use leyden_dsl::cx::{Cx, call_prim};
use leyden_dsl::table::{Dialect, Entry, TABLE, TOKPIDJIN_TABLE};
use leyden_dsl::value::Value;
use leyden_lang::{Expr, parse_expr_in};

fn evaluate(cx: &mut Cx, expr: &Expr) -> Value {
    let mut each = |items: &[Expr]| {
        items
            .iter()
            .map(|item| evaluate(cx, item))
            .collect::<Vec<_>>()
    };
    match expr {
        Expr::Int(n) => Value::Int(*n),
        Expr::Bool(b) => Value::Bool(*b),
        Expr::None => Value::None,
        Expr::Prim(prim) => Value::Prim(*prim),
        Expr::Const(id) => Value::from(id.value()),
        Expr::Tuple(items) => Value::tuple(each(items)).unwrap(),
        Expr::Set(items) => Value::set(each(items).into_iter().collect()).unwrap(),
        Expr::Call(prim, args) => {
            let args = each(args);
            call_prim(cx, *prim, &args).unwrap()
        }
    }
}

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
