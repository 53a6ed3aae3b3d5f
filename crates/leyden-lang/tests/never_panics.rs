//! Readers return programs or errors for any input, and never panic.

#![allow(clippy::unwrap_used)]

use leyden_dsl::table::{Dialect, TABLE};
use leyden_lang::{
    ConstId, Input, Line, Op, Operand, Program, parse, parse_expr, parse_generated_batt,
    parse_python, parse_text, print_python, print_text, render, verify,
};
use proptest::prelude::*;

const PYTHON: &str = "from dsl import *\n\n\ndef solve_0a1b2c3d(I: Grid) -> Grid:\n    \
    \"\"\"doc\"\"\"\n    x1 = objects(I, univalued=T, diagonal=F, without_bg=T)\n    \
    x2: Any = rbind(add, -1)  # comment\n    x3 = (x1, (1, 2), ())\n    return fill(I, x2(x3), x1)\n";
const TEXT: &str = "program solve_0a1b2c3d(S, I) arc-dsl\n  x1 = vmirror(I)\n  x2 = (x1, -1)\n  \
    x3 = x2(None, T)\n  return x3\n\nprogram f(C) re-arc\n  return C\n";

const BATT: &str = "from pile import *\n\ndef batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n    \
    try:\n        t1 = rbind(add, ONE)\n    \
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):\n        \
    t1 = _get_safe_default(rbind)\n    try:\n        t2 = t1(C)\n    \
    except (TypeError, AttributeError, ValueError, IndexError, KeyError):\n        \
    t2 = _get_safe_default(t1)\n    s.append((2, 'None', 'differ_a', t2))\n    \
    o.append((2, True, '0a1b2c3d', t2))\n    return o, s\n";

/// Pieces that are likely to get far into a parser.
const PIECES: &[&str] = &[
    "def ",
    "solve_a",
    "(",
    ")",
    "I",
    ":",
    "\n",
    "    ",
    "\n    ",
    "x",
    " = ",
    "vmirror",
    ",",
    "return ",
    "=",
    "program ",
    "arc-dsl",
    "-",
    "1",
    "99999999999999999999",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "\"\"\"",
    "f'",
    "#",
    "\\",
    "\\\n",
    "\r",
    "\t",
    "lambda ",
    "not ",
    "*",
    "**",
    "if ",
    "else ",
    "for ",
    "in ",
    "class ",
    "async ",
    "await ",
    "@",
    "->",
    ";",
    "é",
    "😀",
    "\u{0}",
    "\u{feff}",
    "None",
    "T",
    "...",
    ".",
    "~",
    "match ",
    "case ",
    "yield ",
    "import ",
    "from ",
    "with ",
    "as ",
    "try",
    "try:\n        ",
    "append",
    "o.",
    "_get_safe_default",
    "except",
    "1.5",
    "0x",
    "1_0",
    "!",
    "?",
    "$",
    "`",
    ":=",
    "\u{0c}",
];

fn feed(source: &str) {
    for result in [
        parse(source, "a", None),
        parse_python(source, "a", Some(Dialect::ReArc)),
        parse_text(source, "a", None),
    ] {
        match result {
            Ok(programs) => programs.iter().for_each(again),
            Err(found) => {
                assert!(!found.is_empty());
                assert!(
                    found
                        .iter()
                        .all(|found| source.get(found.span.clone()).is_some())
                );
                assert!(render(&found, source, "a", false).contains("error"));
            }
        }
    }
    if let Err(found) = parse_expr(source) {
        render(&[found], source, "a", true);
    }
}

fn again(program: &Program) {
    verify(program);
    let text = print_text(program);
    let from_text = parse_text(&text, "a", None).unwrap();
    assert!(program.same_code(&from_text[0]), "{text}");
    let python = print_python(program);
    let from_python = parse_python(&python, "a", Some(program.dialect)).unwrap();
    assert!(program.same_code(&from_python[0]), "{python}");
    assert_eq!(program.content_hash(), from_python[0].content_hash());
}

fn pieces(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..most).prop_map(|list| list.concat())
}

/// A source in which some stretches are replaced.
fn mutated(source: &'static str) -> impl Strategy<Value = String> {
    let edit = (0..source.len(), 0..12_usize, pieces(4));
    prop::collection::vec(edit, 1..5).prop_map(|edits| {
        let mut text = source.to_owned();
        for (at, length, piece) in edits {
            let start = text.floor_char_boundary(at.min(text.len()));
            let end = text.floor_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end.max(start), &piece);
        }
        text
    })
}

fn operand(n_lines: usize) -> BoxedStrategy<Operand> {
    let variables = 0..n_lines.max(1) as u32;
    let constants: Vec<ConstId> = ConstId::all().collect();
    prop_oneof![
        variables.prop_map(move |k| match n_lines {
            0 => Operand::None,
            _ => Operand::Var(k),
        }),
        prop::sample::select(&Input::ALL[..]).prop_map(Operand::Input),
        prop::sample::select(constants).prop_map(Operand::Const),
        any::<i64>().prop_map(Operand::Int),
        (-3..3_i64).prop_map(Operand::Int),
        Just(Operand::None),
        (0..TABLE.len()).prop_map(|k| Operand::Prim(TABLE[k].prim)),
    ]
    .boxed()
}

fn op(n_lines: usize) -> impl Strategy<Value = Op> {
    let list = || prop::collection::vec(operand(n_lines), 0..5);
    prop_oneof![
        4 => (operand(n_lines), list()).prop_map(|(callee, args)| Op::Call { callee, args }),
        1 => list().prop_map(Op::Tuple),
        1 => operand(n_lines).prop_map(Op::Copy),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let ops = (0..8_usize).prop_flat_map(|n| (0..n).map(op).collect::<Vec<_>>());
    let inputs = Just(Input::ALL.to_vec()).prop_shuffle();
    let dialect = prop::sample::select(&Dialect::CLASSIC[..]);
    (ops, inputs, dialect).prop_flat_map(|(ops, inputs, dialect)| {
        operand(ops.len()).prop_map(move |output| Program {
            name: "solve_0a1b2c3d".to_owned(),
            dialect,
            inputs: inputs.clone(),
            lines: ops.iter().cloned().map(line).collect(),
            output,
        })
    })
}

fn line(op: Op) -> Line {
    Line {
        op,
        source_line: 1,
        span: 0..0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        feed(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_pieces(source in pieces(40)) {
        feed(&source);
        feed(&format!("def f(I):\n    x = {source}\n    return x\n"));
        feed(&format!("program f(I) arc-dsl\n  x = {source}\n  return x\n"));
    }

    #[test]
    fn mutated_python(source in mutated(PYTHON)) {
        feed(&source);
    }

    #[test]
    fn mutated_batt(source in mutated(BATT)) {
        feed(&source);
        if let Err(found) = parse_generated_batt(&source, "a") {
            assert!(render(&found, &source, "a", false).contains("error"));
        }
    }

    #[test]
    fn mutated_text(source in mutated(TEXT)) {
        feed(&source);
    }

    #[test]
    fn random_programs_survive_both_forms(program in program()) {
        again(&program);
    }
}

#[test]
fn the_sources_themselves_are_sound() {
    assert_eq!(parse(PYTHON, "a", None).unwrap().len(), 1);
    assert_eq!(parse(TEXT, "a", None).unwrap().len(), 2);
    let batt = parse_generated_batt(BATT, "a").unwrap();
    assert_eq!((batt.candidates.len(), batt.differs.len()), (1, 1));
}

/// The deepest text that the scan before the parser lets through, on a stack as small as a
/// thread's.
#[test]
fn deep_sources_fit_on_a_small_stack() {
    let deep = || {
        let links = [
            ("(", ")"),
            ("vmirror(", ")"),
            ("f(a=", ")"),
            ("[", "]"),
            ("{1: ", "}"),
            ("-", ""),
            ("not ", ""),
            ("lambda: ", ""),
            ("", "()"),
            ("", ".x"),
            ("2**", ""),
            ("", "+1"),
            ("a if b else ", ""),
            ("x[", "]"),
            ("(1, ", ")"),
            ("await ", ""),
            ("*", ""),
            ("(yield ", ")"),
            ("'' ", ""),
            ("f(", ""),
            ("if x: ", ""),
            ("x = ", ""),
        ];
        for (open, close) in links {
            for n in [50, 150, 199, 240, 300, 400, 490, 900, 999, 1_500, 100_000] {
                let chain = format!("{}I{}", open.repeat(n), close.repeat(n));
                feed(&format!("def f(I):\n    return {chain}\n"));
                feed(&chain);
            }
        }
        let blocks: String = (1..400)
            .map(|n| format!("{}if x:\n", " ".repeat(n)))
            .collect();
        feed(&format!("def f(I):\n{blocks}"));
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(deep).unwrap().join().unwrap();
}

#[test]
fn files_that_are_too_large_are_refused() {
    let source = " ".repeat(leyden_lang::MAX_SOURCE_BYTES + 1);
    let found = parse(&source, "a", None).unwrap_err();
    assert_eq!(found[0].message, "the file is larger than 64 MB");
}

#[test]
fn hopeless_files_take_linear_time() {
    let unknown = "    x = qwertz(asdfgh, yxcvbn)\n".repeat(20_000);
    let found = parse(&format!("def f(I):\n{unknown}    return x\n"), "a", None).unwrap_err();
    assert_eq!(found.len(), 501);
    let broken = "def f(I):\n    x = = 1\n    return x\n".repeat(5_000);
    assert_eq!(parse(&broken, "a", None).unwrap_err().len(), 501);
}
