//! Reads a line that catches: `try: t = f(a)`, and in the `except` `t = _get_safe_default(f)`.

use ruff_python_ast::{
    ExceptHandler, ExceptHandlerExceptHandler, Expr, ExprCall, Stmt, StmtFunctionDef, StmtTry,
};

use super::generated::is_batt;
use super::{not_supported, span_of};
use crate::diagnostic::Diagnostic;

/// The exceptions that such a line catches.
pub(crate) const CAUGHT: [&str; 5] = [
    "TypeError",
    "AttributeError",
    "ValueError",
    "IndexError",
    "KeyError",
];

/// The function that returns the default value of a failed call.
pub(crate) const DEFAULT: &str = "_get_safe_default";

const FORM: &str = "a line that catches is `try: t = f(a)` and `except (TypeError, \
     AttributeError, ValueError, IndexError, KeyError): t = _get_safe_default(f)`";

/// Does a function seem to have lines that catch? [`caught_step`] checks them.
pub(super) fn catches(function: &StmtFunctionDef) -> bool {
    let gives_default = |ExceptHandler::ExceptHandler(handler): &ExceptHandler| {
        let value = assignment(&handler.body).map(|(_, value)| value);
        value.and_then(default_of).is_some()
    };
    let mut attempts = function.body.iter().filter_map(Stmt::as_try_stmt);
    attempts.any(|attempt| is_batt(function) || attempt.handlers.iter().any(gives_default))
}

/// The target and the call of a line that catches.
pub(super) fn caught_step<'a>(
    statement: &'a StmtTry,
    source: &str,
) -> Result<(&'a Expr, &'a Expr), Diagnostic> {
    let [ExceptHandler::ExceptHandler(handler)] = statement.handlers.as_slice() else {
        return Err(odd("this `try`", first_word(statement)));
    };
    if !statement.orelse.is_empty() || !statement.finalbody.is_empty() || statement.is_star {
        return Err(odd("this `try`", first_word(statement)));
    }
    let (target, value) = assignment(&statement.body)
        .ok_or_else(|| odd("what this `try` does", first_word(statement)))?;
    let Expr::Call(call) = value else {
        return Err(odd("a `try` around anything but a call", span_of(value)));
    };
    if let Some(inner) = inner_call(call) {
        let what = "a call within the call that is caught";
        return Err(odd(what, span_of(inner)));
    }
    check_handler(handler, target, call, source)?;
    Ok((target, value))
}

fn check_handler(
    handler: &ExceptHandlerExceptHandler,
    target: &Expr,
    call: &ExprCall,
    source: &str,
) -> Result<(), Diagnostic> {
    if !catches_all(handler) {
        let caught = handler.type_.as_deref();
        let span = caught.map_or_else(|| span_of(handler), span_of);
        return Err(odd("catching anything but these five", span));
    }
    let text = |expr: &Expr| source.get(span_of(expr));
    let default = assignment(&handler.body).and_then(|(name, value)| {
        let callee = default_of(value)?;
        (text(name) == text(target)).then_some(callee)
    });
    match default {
        Some(callee) if text(callee) == text(&call.func) => Ok(()),
        _ => {
            let span = handler
                .body
                .first()
                .map_or_else(|| span_of(handler), span_of);
            Err(odd("another default than the callee's own", span))
        }
    }
}

fn catches_all(handler: &ExceptHandlerExceptHandler) -> bool {
    let Some(Expr::Tuple(classes)) = handler.type_.as_deref() else {
        return false;
    };
    let names = classes.elts.iter().filter_map(Expr::as_name_expr);
    let mut names: Vec<&str> = names.map(|name| name.id.as_str()).collect();
    names.sort_unstable();
    let mut expected = CAUGHT;
    expected.sort_unstable();
    handler.name.is_none() && classes.elts.len() == CAUGHT.len() && names == expected
}

/// The target and the value of a body with one statement that assigns to one name.
fn assignment(body: &[Stmt]) -> Option<(&Expr, &Expr)> {
    let [Stmt::Assign(assign)] = body else {
        return None;
    };
    match assign.targets.as_slice() {
        [target @ Expr::Name(_)] => Some((target, &assign.value)),
        _ => None,
    }
}

/// The callee in `_get_safe_default(callee)`.
fn default_of(value: &Expr) -> Option<&Expr> {
    let call = value.as_call_expr()?;
    let is_default = call.func.as_name_expr()?.id.as_str() == DEFAULT;
    match &*call.arguments.args {
        [callee] if is_default && call.arguments.keywords.is_empty() => Some(callee),
        _ => None,
    }
}

/// A call inside the caught call. The `try` would also catch its exceptions, but with the outer
/// call's default.
fn inner_call(call: &ExprCall) -> Option<&Expr> {
    let keywords = call.arguments.keywords.iter().map(|keyword| &keyword.value);
    let mut waiting: Vec<&Expr> = call.arguments.args.iter().chain(keywords).collect();
    waiting.push(&call.func);
    while let Some(expr) = waiting.pop() {
        match expr {
            Expr::Call(_) => return Some(expr),
            Expr::Tuple(tuple) => waiting.extend(&tuple.elts),
            _ => {}
        }
    }
    None
}

fn first_word(statement: &StmtTry) -> std::ops::Range<usize> {
    let start = span_of(statement).start;
    start..start + "try".len()
}

fn odd(what: &str, span: std::ops::Range<usize>) -> Diagnostic {
    not_supported(what, span, FORM)
}
