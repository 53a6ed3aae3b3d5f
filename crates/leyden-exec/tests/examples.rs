//! Every example of the table gives what the table says.

#![allow(clippy::unwrap_used)]

use leyden_dsl::cx::{Cx, call_prim};
use leyden_dsl::table::{Dialect, TABLE};
use leyden_dsl::value::Value;
use leyden_lang::{Expr, parse_expr};

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

#[test]
fn examples_hold_in_every_dialect() {
    for entry in TABLE {
        for dialect in Dialect::ALL {
            let expr = parse_expr(entry.example.call).unwrap();
            let value = evaluate(&mut Cx::new(dialect), &expr);
            assert_eq!(
                value.to_string(),
                entry.example.result,
                "{}",
                entry.example.call
            );
        }
    }
}
