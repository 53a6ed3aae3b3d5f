//! Names for unsupported parts of Python, and advice about replacements.

use ruff_python_ast::{CmpOp, Expr, Operator, Stmt, UnaryOp};

/// The supported content of a program, as advice.
pub(crate) const SUPPORTED: &str = "a program is a list of lines like `x = f(a, b)`: calls, \
     tuples, numbers and copies, and a last `return x`";

/// The name of a statement in errors.
pub(crate) fn statement_name(statement: &Stmt) -> &'static str {
    match statement {
        Stmt::FunctionDef(_) => "a function within a function",
        Stmt::ClassDef(_) => "a class",
        Stmt::Return(_) => "a `return`",
        Stmt::Delete(_) => "`del`",
        Stmt::TypeAlias(_) => "a type alias",
        Stmt::Assign(_) => "an assignment",
        Stmt::AugAssign(_) => "an assignment with an operator",
        Stmt::AnnAssign(_) => "an annotation without a value",
        Stmt::For(_) => "a `for` loop",
        Stmt::While(_) => "a `while` loop",
        Stmt::If(_) => "an `if` statement",
        Stmt::With(_) => "a `with` block",
        Stmt::Match(_) => "a `match` statement",
        Stmt::Raise(_) => "`raise`",
        Stmt::Try(_) => "a `try` block",
        Stmt::Assert(_) => "`assert`",
        Stmt::Import(_) | Stmt::ImportFrom(_) => "an import within a program",
        Stmt::Global(_) => "`global`",
        Stmt::Nonlocal(_) => "`nonlocal`",
        Stmt::Expr(_) => "an expression whose value is not used",
        Stmt::Pass(_) => "`pass`",
        Stmt::Break(_) => "`break`",
        Stmt::Continue(_) => "`continue`",
        Stmt::IpyEscapeCommand(_) => "a notebook command",
    }
}

/// Whether a statement has a body. Errors then mark only its first word.
pub(crate) fn has_body(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::If(_)
            | Stmt::With(_)
            | Stmt::Match(_)
            | Stmt::Try(_)
    )
}

/// Advice about a replacement for a statement.
pub(crate) fn instead_of_statement(statement: &Stmt) -> &'static str {
    match statement {
        Stmt::For(_) => "use `apply`, `mapply`, `sfilter` or `power` instead",
        Stmt::If(_) => "use `branch(condition, a, b)` instead",
        Stmt::AugAssign(_) => "write it as a call: `x = add(x, ONE)`",
        Stmt::Expr(_) => "give it a name: `x = …`",
        _ => SUPPORTED,
    }
}

/// The name of an expression in errors.
pub(crate) fn expression_name(expression: &Expr) -> &'static str {
    match expression {
        Expr::BoolOp(_) => "`and` or `or`",
        Expr::Named(_) => "an assignment within an expression",
        Expr::BinOp(_) | Expr::UnaryOp(_) => "an operator",
        Expr::Lambda(_) => "a `lambda`",
        Expr::If(_) => "a conditional expression",
        Expr::Dict(_) => "a dictionary",
        Expr::Set(_) => "a set literal",
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) => "a comprehension",
        Expr::Generator(_) => "a generator expression",
        Expr::Await(_) => "`await`",
        Expr::Yield(_) | Expr::YieldFrom(_) => "`yield`",
        Expr::Compare(_) => "a comparison",
        Expr::Call(_) => "a call",
        Expr::FString(_) | Expr::TString(_) | Expr::StringLiteral(_) => "a string",
        Expr::BytesLiteral(_) => "a bytes literal",
        Expr::NumberLiteral(_) => "a number that is not whole",
        Expr::BooleanLiteral(_) => "a truth value",
        Expr::NoneLiteral(_) => "`None`",
        Expr::EllipsisLiteral(_) => "`...`",
        Expr::Attribute(_) => "access to an attribute",
        Expr::Subscript(_) => "indexing with `[…]`",
        Expr::Starred(_) => "unpacking with `*`",
        Expr::Name(_) => "a name",
        Expr::List(_) => "a list",
        Expr::Tuple(_) => "a tuple",
        Expr::Slice(_) => "a slice",
        Expr::IpyEscapeCommand(_) => "a notebook command",
    }
}

/// Advice about a replacement for an expression.
pub(crate) fn instead_of_expression(expression: &Expr) -> &'static str {
    match expression {
        Expr::BoolOp(_) => "use `both(a, b)` or `either(a, b)` instead",
        Expr::BinOp(binary) => instead_of_operator(binary.op),
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => "use `flip(a)` instead",
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => "use `invert(a)` instead",
        Expr::Lambda(_) => "build functions with `compose`, `chain`, `fork`, `rbind` or `lbind`",
        Expr::If(_) => "use `branch(condition, a, b)` instead",
        Expr::Set(_) => "use `initset` and `insert` instead",
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::Generator(_) => {
            "use `apply`, `mapply` or `sfilter` instead"
        }
        Expr::Compare(compare) => instead_of_comparison(compare.ops.first().copied()),
        Expr::List(_) => "write a tuple instead: `(a, b)`",
        Expr::NumberLiteral(_) => "numbers are whole",
        _ => SUPPORTED,
    }
}

fn instead_of_operator(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "use `add(a, b)` instead",
        Operator::Sub => "use `subtract(a, b)` instead",
        Operator::Mult => "use `multiply(a, b)` instead",
        Operator::Div | Operator::FloorDiv => "use `divide(a, b)` instead",
        Operator::BitOr => "use `combine(a, b)` instead",
        Operator::BitAnd => "use `intersection(a, b)` instead",
        _ => SUPPORTED,
    }
}

fn instead_of_comparison(operator: Option<CmpOp>) -> &'static str {
    match operator {
        Some(CmpOp::Eq | CmpOp::NotEq | CmpOp::Is | CmpOp::IsNot) => "use `equality(a, b)` instead",
        Some(CmpOp::In | CmpOp::NotIn) => "use `contained(value, container)` instead",
        _ => "use `greater(a, b)` instead",
    }
}
