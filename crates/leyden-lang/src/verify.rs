//! Warnings about programs that can run but look wrong.

use std::ops::Range;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Dialect, Prim};
use leyden_dsl::types::Type;

use crate::diagnostic::Diagnostic;
use crate::functions::Functions;
use crate::program::{Input, Line, Op, Operand, Program};

/// Finds lines that will fault, lines whose results are never used, and an input grid that is never
/// read. All findings are warnings.
///
/// A type is wrong only if the kinds of the argument and of the parameter have no value in common:
/// a function for a grid, a set for a number. Signatures name the usual types and Python accepts
/// more, so a program with warnings may still be right.
///
/// ```
/// let source = "def solve(I):\n    x1 = vmirror(I, T)\n    return I\n";
/// let program = leyden_lang::parse(source, "a.py", None).unwrap().remove(0);
/// let warnings: Vec<String> = leyden_lang::verify(&program)
///     .into_iter()
///     .map(|warning| warning.message)
///     .collect();
/// assert_eq!(warnings, [
///     "`vmirror` takes 1 argument, not 2",
///     "the result of this line is never used",
/// ]);
/// ```
pub fn verify(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let functions = Functions::of(program.ops());
    let used = used_lines(program);
    for (line, used) in program.lines.iter().zip(&used) {
        check_call(program.dialect, line, &functions, &mut found);
        if !used {
            let message = "the result of this line is never used";
            found.push(Diagnostic::warning(message, span_of(line)));
        }
    }
    found.extend(unread_input(program));
    found
}

fn span_of(line: &Line) -> Range<usize> {
    line.span.start as usize..line.span.end as usize
}

/// Marks the lines that the output depends on.
fn used_lines(program: &Program) -> Vec<bool> {
    let mut used = vec![false; program.lines.len()];
    mark(&mut used, program.output);
    for k in (0..program.lines.len()).rev() {
        if used[k] {
            let operands = program.lines[k].op.operands();
            operands.for_each(|operand| mark(&mut used, operand));
        }
    }
    used
}

fn mark(used: &mut [bool], operand: Operand) {
    if let Operand::Var(k) = operand
        && let Some(used) = used.get_mut(k as usize)
    {
        *used = true;
    }
}

fn unread_input(program: &Program) -> Option<Diagnostic> {
    let operands = program.ops().flat_map(Op::operands);
    let mut operands = operands.chain([program.output]);
    let reads = operands.any(|operand| operand == Operand::Input(Input::I));
    let span = program.lines.first().map_or(0..0, span_of);
    let message = format!("`{}` never reads the input grid `I`", program.name);
    (!reads).then(|| Diagnostic::warning(message, span))
}

fn check_call(dialect: Dialect, line: &Line, functions: &Functions, found: &mut Vec<Diagnostic>) {
    let Op::Call { callee, args } = &line.op else {
        return;
    };
    let kinds = functions.kinds(*callee);
    if !kinds.meet(Kinds::FUNCTION) {
        let message = format!("{} cannot be called", describe(kinds));
        found.push(Diagnostic::warning(message, span_of(line)));
        return;
    }
    let n_params = functions
        .function(*callee)
        .map(|function| function.n_args());
    match (callee, n_params) {
        (_, Some(n_params)) if n_params != args.len() => {
            found.push(wrong_count(dialect, *callee, n_params, line, args.len()));
        }
        (Operand::Prim(prim), _) => found.extend(wrong_types(*prim, args, line, functions)),
        _ => {}
    }
}

fn wrong_count(
    dialect: Dialect,
    callee: Operand,
    n_params: usize,
    line: &Line,
    n_args: usize,
) -> Diagnostic {
    let callee = match callee {
        Operand::Prim(prim) => format!("`{prim}`"),
        _ => "this function".to_owned(),
    };
    let arguments = match n_params {
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let message = format!("{callee} takes {arguments}, not {n_args}");
    let label = if dialect.is_classic() {
        "a TypeError when it runs"
    } else {
        "an empty value when it runs"
    };
    Diagnostic::warning(message, span_of(line)).label(label)
}

fn wrong_types(
    prim: Prim,
    args: &[Operand],
    line: &Line,
    functions: &Functions,
) -> impl Iterator<Item = Diagnostic> {
    let params = prim.entry().params.iter().zip(args);
    let wrong = params.filter(move |(param, arg)| {
        let given = functions.kinds(**arg);
        !takes_anything(prim) && !given.meet(wanted_as(param.ty))
    });
    wrong.map(move |(param, arg)| {
        let given = describe(functions.kinds(*arg));
        let message = format!(
            "`{}` of `{prim}` should be {}, not {given}",
            param.name, param.ty
        );
        Diagnostic::warning(message, span_of(line))
    })
}

/// Whether a primitive's signature is too narrow. `astuple` has a pair of numbers there, but
/// programs also pair functions.
fn takes_anything(prim: Prim) -> bool {
    prim == Prim::astuple
}

/// The kinds that a parameter of a type accepts. A condition accepts any value: Python only tests
/// its truth.
fn wanted_as(ty: Type) -> Kinds {
    match ty {
        Type::Any | Type::Boolean => Kinds::ANY,
        Type::Integer => Kinds::NUMBER.or(Kinds::NONE),
        Type::Numerical => Kinds::NUMBER.or(Kinds::ANY_TUPLE),
        Type::IntegerTuple | Type::Grid => Kinds::ANY_TUPLE,
        Type::Callable => Kinds::FUNCTION,
        _ => Kinds::CONTAINER,
    }
}

fn describe(kinds: Kinds) -> &'static str {
    let words = [
        (Kinds::NONE, "None"),
        (Kinds::NUMBER, "a number"),
        (Kinds::ANY_TUPLE, "a tuple"),
        (Kinds::ANY_SET, "a set"),
        (Kinds::FUNCTION, "a function"),
        (Kinds::CONTAINER, "a container"),
    ];
    let mut fitting = words.iter().filter(|(all, _)| kinds.within(*all));
    fitting
        .next()
        .map_or("a value of this kind", |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn check(body: &str, expected: &[&str]) {
        let source = format!("def solve(I):\n    {}\n", body.replace("; ", "\n    "));
        let program = parse(&source, "a.py", None).unwrap().remove(0);
        let found: Vec<String> = verify(&program).into_iter().map(|w| w.message).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn sound_programs_pass() {
        check(
            "x = objects(I, T, F, T); y = argmax(x, size); return subgrid(y, I)",
            &[],
        );
        check("x = rbind(add, ONE); y = apply(x, I); return y", &[]);
        check("return I", &[]);
    }

    #[test]
    fn wrong_counts_are_found() {
        check(
            "return vmirror()",
            &[
                "`vmirror` takes 1 argument, not 0",
                "`solve` never reads the input grid `I`",
            ],
        );
        check("return fill(I, ONE)", &["`fill` takes 3 arguments, not 2"]);
        check(
            "x = compose(size, vmirror); return x(I, T)",
            &["this function takes 1 argument, not 2"],
        );
    }

    #[test]
    fn certain_type_errors_are_found() {
        check(
            "return fill(I, ONE, size)",
            &["`patch` of `fill` should be Patch, not a function"],
        );
        check(
            "return apply(I, I)",
            &["`function` of `apply` should be Callable, not a tuple"],
        );
        check("x = UNITY(I); return x", &["a tuple cannot be called"]);
        check(
            "x = canvas(ZERO, THREE); return combine(x, I)",
            &["`dimensions` of `canvas` should be IntegerTuple, not a number"],
        );
        check(
            "x = compose(asindices, vmirror); y = x(I); return y(I)",
            &["a container cannot be called"],
        );
    }

    #[test]
    fn dead_lines_are_found() {
        check(
            "x = vmirror(I); y = hmirror(x); return I",
            &["the result of this line is never used"; 2],
        );
        check("return T", &["`solve` never reads the input grid `I`"]);
    }
}
