//! Warnings about programs that can run but look wrong.

use std::ops::Range;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Dialect, Prim};
use leyden_dsl::types::Type;

use crate::diagnostic::Diagnostic;
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
    let mut kinds: Vec<Kinds> = Vec::with_capacity(program.lines.len());
    let used = used_lines(program);
    for (line, used) in program.lines.iter().zip(&used) {
        check_call(program.dialect, line, &kinds, &mut found);
        if !used {
            let message = "the result of this line is never used";
            found.push(Diagnostic::warning(message, span_of(line)));
        }
        kinds.push(kinds_of_op(&line.op, &kinds));
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

fn check_call(dialect: Dialect, line: &Line, kinds: &[Kinds], found: &mut Vec<Diagnostic>) {
    let Op::Call { callee, args } = &line.op else {
        return;
    };
    match callee {
        Operand::Prim(prim) if prim.arity() != args.len() => {
            found.push(wrong_count(dialect, *prim, args, line))
        }
        Operand::Prim(prim) => found.extend(wrong_types(*prim, args, line, kinds)),
        other if !kinds_of(*other, kinds).meet(Kinds::FUNCTION) => {
            let message = format!("{} cannot be called", describe(kinds_of(*other, kinds)));
            found.push(Diagnostic::warning(message, span_of(line)));
        }
        _ => {}
    }
}

fn wrong_count(dialect: Dialect, prim: Prim, args: &[Operand], line: &Line) -> Diagnostic {
    let arguments = match prim.arity() {
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let message = format!("`{prim}` takes {arguments}, not {}", args.len());
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
    kinds: &[Kinds],
) -> impl Iterator<Item = Diagnostic> {
    let params = prim.entry().params.iter().zip(args);
    let wrong = params.filter(move |(param, arg)| {
        let given = kinds_of(**arg, kinds);
        !takes_anything(prim) && !given.meet(wanted_as(param.ty))
    });
    wrong.map(move |(param, arg)| {
        let given = describe(kinds_of(*arg, kinds));
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

/// The kinds that a result of a type can have. A `FrozenSet` is a tuple if the argument was one,
/// and `Integer` stands for elements and keys of any kind.
fn given_as(ty: Type) -> Kinds {
    match ty {
        Type::Any | Type::Integer | Type::Boolean => Kinds::ANY,
        Type::Numerical => Kinds::NUMBER.or(Kinds::ANY_TUPLE),
        Type::IntegerTuple | Type::Grid | Type::Tuple | Type::TupleTuple => Kinds::ANY_TUPLE,
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

fn kinds_of(operand: Operand, kinds: &[Kinds]) -> Kinds {
    match operand {
        Operand::Var(k) => kinds.get(k as usize).copied().unwrap_or(Kinds::ANY),
        Operand::Input(_) => Kinds::ANY_TUPLE,
        Operand::Const(id) => Kinds::of_constant(id.value()),
        Operand::Int(_) => Kinds::INTEGER,
        Operand::None => Kinds::NONE,
        Operand::Prim(_) => Kinds::FUNCTION,
    }
}

fn kinds_of_op(op: &Op, kinds: &[Kinds]) -> Kinds {
    match op {
        Op::Copy(value) => kinds_of(*value, kinds),
        Op::Tuple(_) => Kinds::ANY_TUPLE,
        Op::Call {
            callee: Operand::Prim(prim),
            ..
        } => given_as(prim.entry().result),
        Op::Call { .. } => Kinds::ANY,
    }
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
