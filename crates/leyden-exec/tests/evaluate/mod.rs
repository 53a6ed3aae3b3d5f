//! Values of expressions, primitive by primitive, for tests that write values as text.

use leyden_dsl::cx::{Cx, call_prim};
use leyden_dsl::value::Value;
use leyden_lang::Expr;

pub(crate) fn evaluate(cx: &mut Cx, expr: &Expr) -> Value {
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
