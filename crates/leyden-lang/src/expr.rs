//! Expressions in the notation of the table's examples.

use leyden_dsl::table::{Dialect, Prim};
use ruff_python_ast::{Expr as Syntax, ExprCall};
use ruff_python_parser::parse_expression;

use crate::diagnostic::Diagnostic;
use crate::guard;
use crate::names::global;
use crate::parse::{check_size, integer, span_of, syntax_error, unsupported_expression};
use crate::program::{ConstId, Operand};

/// A value or a call, written out. The table's examples consist of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A whole number.
    Int(i64),
    /// `True` or `False`; `T` and `F` are [`Expr::Const`].
    Bool(bool),
    /// `None`.
    None,
    /// A primitive that is passed as a value.
    Prim(Prim),
    /// A named constant.
    Const(ConstId),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `{a, b}`: a frozenset, built in this order.
    Set(Vec<Expr>),
    /// A call of a primitive.
    Call(Prim, Vec<Expr>),
}

/// Reads an expression such as `size(objects(((1, 0), (1, 0)), T, F, T))`.
///
/// ```
/// use leyden_dsl::table::Prim;
/// use leyden_lang::{Expr, parse_expr};
///
/// let call = parse_expr("initset((1, -2))").unwrap();
/// let pair = Expr::Tuple(vec![Expr::Int(1), Expr::Int(-2)]);
/// assert_eq!(call, Expr::Call(Prim::initset, vec![pair]));
/// assert_eq!(parse_expr("{}").unwrap(), Expr::Set(vec![]));
/// assert!(parse_expr("1 + 2").is_err());
/// ```
pub fn parse_expr(text: &str) -> Result<Expr, Diagnostic> {
    parse_expr_in(Dialect::ArcDsl, text)
}

/// Reads an expression with the names of a dialect, like [`parse_expr`].
pub fn parse_expr_in(dialect: Dialect, text: &str) -> Result<Expr, Diagnostic> {
    check_size(text)?;
    guard::check_depth(text)?;
    let parsed = parse_expression(text).map_err(|error| syntax_error(&error))?;
    convert(dialect, parsed.expr())
}

fn convert(dialect: Dialect, syntax: &Syntax) -> Result<Expr, Diagnostic> {
    match syntax {
        Syntax::BooleanLiteral(literal) => Ok(Expr::Bool(literal.value)),
        Syntax::NoneLiteral(_) => Ok(Expr::None),
        Syntax::Name(name) => named(dialect, name.id.as_str(), syntax),
        Syntax::Tuple(tuple) => Ok(Expr::Tuple(convert_all(dialect, &tuple.elts)?)),
        Syntax::Set(set) => Ok(Expr::Set(convert_all(dialect, &set.elts)?)),
        Syntax::Dict(dict) if dict.items.is_empty() => Ok(Expr::Set(Vec::new())),
        Syntax::Call(call) => convert_call(dialect, call),
        other => integer(other).map(Expr::Int),
    }
}

fn convert_all(dialect: Dialect, items: &[Syntax]) -> Result<Vec<Expr>, Diagnostic> {
    items.iter().map(|item| convert(dialect, item)).collect()
}

fn named(dialect: Dialect, name: &str, syntax: &Syntax) -> Result<Expr, Diagnostic> {
    match global(dialect, name) {
        Some(Operand::Prim(prim)) => Ok(Expr::Prim(prim)),
        Some(Operand::Const(id)) => Ok(Expr::Const(id)),
        _ => {
            let message = format!("unknown name `{name}`");
            Err(Diagnostic::error(message, span_of(syntax)).label("not a primitive or constant"))
        }
    }
}

fn convert_call(dialect: Dialect, call: &ExprCall) -> Result<Expr, Diagnostic> {
    let Expr::Prim(prim) = convert(dialect, &call.func)? else {
        let message = "only primitives can be called here";
        return Err(Diagnostic::error(message, span_of(call.func.as_ref())));
    };
    if let Some(keyword) = call.arguments.keywords.first() {
        return Err(unsupported_expression(&keyword.value).label("pass it by position"));
    }
    let args = convert_all(dialect, &call.arguments.args)?;
    Ok(Expr::Call(prim, args))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_dsl::table::{TABLE, TOKPIDJIN_TABLE};

    #[test]
    fn all_examples_of_the_table_are_read() {
        for entry in TABLE {
            let call = parse_expr(entry.example.call).unwrap();
            assert!(matches!(call, Expr::Call(..)), "{}", entry.name);
            assert!(mentions(&call, entry.prim), "{}", entry.name);
            parse_expr(entry.example.result).unwrap();
        }
        for entry in TOKPIDJIN_TABLE {
            let call = parse_expr_in(Dialect::Tokpidjin, entry.example.call).unwrap();
            assert!(mentions(&call, entry.prim), "{}", entry.name);
            assert!(parse_expr(entry.example.call).is_err(), "{}", entry.name);
        }
    }

    fn mentions(expr: &Expr, prim: Prim) -> bool {
        match expr {
            Expr::Prim(other) => *other == prim,
            Expr::Call(other, args) => *other == prim || args.iter().any(|arg| mentions(arg, prim)),
            Expr::Tuple(items) | Expr::Set(items) => items.iter().any(|item| mentions(item, prim)),
            Expr::Int(_) | Expr::Bool(_) | Expr::None | Expr::Const(_) => false,
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let message = |text: &str| parse_expr(text).unwrap_err().message;
        assert_eq!(message("x"), "unknown name `x`");
        assert_eq!(message("[1]"), "a list is not supported");
        assert_eq!(message("1(2)"), "only primitives can be called here");
        assert_eq!(
            message("99999999999999999999"),
            "this number does not fit in 64 bits"
        );
        assert!(message("").starts_with("syntax error"));
        assert!(message("1 2").starts_with("syntax error"));
        assert!(message(&"(".repeat(300)).starts_with("more than 200 brackets"));
    }
}
