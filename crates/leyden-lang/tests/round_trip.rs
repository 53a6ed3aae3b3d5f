//! A printed program reads back as an equal program, in both forms.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use leyden_dsl::table::Dialect;
use leyden_lang::{
    Program, parse, parse_python, parse_text, print_python_file, print_text, print_text_file,
    verify,
};

const OWN: &str = r#"
"""Programs that use all of the language."""
from dsl import *
from constants import *
import arc_types


def solve_00000001(I):
    """Mirrors."""
    x1 = vmirror(I)
    O = hconcat(I, x1)
    return O


def solve_00000002(I: Grid) -> Grid:
    x: Objects = objects(grid=I, univalued=T, diagonal=False, without_bg=True)  # keywords
    x = order(x, size)
    x = last(x)
    return subgrid(x, grid=I)


def solve_00000003(S, I, C):
    a = ((1, -2), (), (I,), ((3, 4), None))
    b = a
    c = b
    size = first(c)
    d = rbind(equality, size)
    e = d(first(S))
    return branch(e, I, C)


def solve_00000004(I):
    unused = compose(flip, bordering)(I)
    early = vmirror(I)
    late = hmirror(early)
    return early


def solve_00000005(I):
    x = 9223372036854775807
    y = -9223372036854775808
    return (x, y, 0x10, 1_000)


def solve_00000006(I): return I
def solve_00000007(I):
    return UNITY
def verify_00000008(I):
    x0 = branch(condition=T, if_value=I, else_value=dedupe(iterable=I)); x1 = vmirror()
    return x1


def solve_00000009(I):
    x = add(
        (ONE),
        # within a call
        TWO,
    )
    return x(-1, x)
"#;

fn check(programs: &[Program], source: &str) {
    let same = |again: &[Program]| {
        assert_eq!(programs.len(), again.len());
        for (program, again) in programs.iter().zip(again) {
            assert!(program.same_code(again), "{program}\n{again}\n{source}");
            assert_eq!(program.content_hash(), again.content_hash());
        }
    };
    let text = print_text_file(programs);
    let from_text = parse_text(&text, "text", None).unwrap();
    same(&from_text);
    assert_eq!(print_text_file(&from_text), text);
    same(&parse(&text, "text", None).unwrap());
    let python = print_python_file(programs);
    let from_python = parse_python(&python, "python", None).unwrap();
    same(&from_python);
    assert_eq!(print_python_file(&from_python), python);
}

#[test]
fn own_programs() {
    let programs = parse_python(OWN, "own.py", None).unwrap();
    assert_eq!(programs.len(), 9);
    check(&programs, OWN);
}

#[test]
fn the_normal_form_of_own_programs() {
    let programs = parse_python(OWN, "own.py", None).unwrap();
    let text = |k: usize| programs[k].to_string();
    assert_eq!(
        text(1),
        "program solve_00000002(I) arc-dsl
  x1 = objects(I, T, F, T)
  x2 = order(x1, size)
  x3 = last(x2)
  x4 = subgrid(x3, I)
  return x4
"
    );
    assert_eq!(
        text(2),
        "program solve_00000003(S, I, C) arc-dsl
  x1 = (1, -2)
  x2 = ()
  x3 = (I,)
  x4 = (3, 4)
  x5 = (x4, None)
  x6 = (x1, x2, x3, x5)
  x7 = x6
  x8 = x7
  x9 = first(x8)
  x10 = rbind(equality, x9)
  x11 = first(S)
  x12 = x10(x11)
  x13 = branch(x12, I, C)
  return x13
"
    );
    assert_eq!(programs[7].dialect, Dialect::ReArc);
    assert_eq!(
        text(7),
        "program verify_00000008(I) re-arc
  x1 = dedupe(I)
  x2 = branch(T, I, x1)
  x3 = vmirror()
  return x3
"
    );
}

/// Programs of our own, in the manner of tokpidjin's solvers.
const SAMPLES_FIRST: &str = "
def solve_0a1b2c3d(S, I, C):
    x1 = o_g(I, R5)
    x2 = merge_f(x1)
    x3 = get_color_rank_f(x2, L1)
    O = fill(I, x3, x2)
    return O

def solve_0a1b2c3e(S, I, C):
    return trim(I)

def solve_0a1b2c3f(I):
    return trim(I)
";

#[test]
fn programs_that_take_samples_first_and_use_tokpidjins_names_are_tokpidjins() {
    let programs = parse_python(SAMPLES_FIRST, "own.py", None).unwrap();
    let dialects: Vec<Dialect> = programs.iter().map(|program| program.dialect).collect();
    use Dialect::{ArcDsl, Tokpidjin};
    assert_eq!(dialects, [Tokpidjin, Tokpidjin, ArcDsl]);
    assert_eq!(
        print_text(&programs[0]),
        "program solve_0a1b2c3d(S, I, C) tokpidjin
  x1 = o_g(I, R5)
  x2 = merge(x1)
  x3 = get_color_rank_f(x2, L1)
  x4 = fill(I, x3, x2)
  return x4
"
    );
    check(&programs[..2], "");
    let alone = SAMPLES_FIRST.split("\n\n").nth(1).unwrap();
    assert_eq!(
        parse_python(alone, "own.py", None).unwrap()[0].dialect,
        ArcDsl
    );
}

#[test]
fn a_dialect_knows_its_own_names_only() {
    let message = |source: &str, dialect| {
        let found = parse_python(source, "own.py", Some(dialect)).unwrap_err();
        found.into_iter().next().unwrap().message
    };
    let classic = "def solve(S, I, C):\n    return height(I)\n";
    assert_eq!(
        message(classic, Dialect::Tokpidjin),
        "unknown name `height`"
    );
    let typed = "def solve(S, I, C):\n    return height_t(I)\n";
    assert_eq!(message(typed, Dialect::ArcDsl), "unknown name `height_t`");
    for entry in Dialect::Tokpidjin.entries() {
        let source = format!(
            "program solve(I) tokpidjin\n  x1 = {}(I, F0)\n  return x1\n",
            entry.name
        );
        let programs = parse(&source, "own.txt", None).unwrap();
        assert_eq!(print_text(&programs[0]), source);
    }
}

#[test]
fn spans_point_at_the_calls() {
    let programs = parse_python(OWN, "own.py", None).unwrap();
    let line = &programs[0].lines[1];
    assert_eq!(
        &OWN[line.span.start as usize..line.span.end as usize],
        "hconcat(I, x1)"
    );
    assert_eq!(
        OWN.lines().nth(line.source_line as usize - 1),
        Some("    O = hconcat(I, x1)")
    );
}

/// The original files, if `LEYDEN_TEST_PEERS` names a directory with them.
#[test]
fn programs_of_others() {
    let Some(folder) = std::env::var_os("LEYDEN_TEST_PEERS").map(PathBuf::from) else {
        return;
    };
    let places = [
        ("solvers.py", Dialect::ArcDsl),
        ("verifiers.py", Dialect::ReArc),
        ("michaelhodel+arc-dsl/solvers.py", Dialect::ArcDsl),
        (
            "pypi/rg/reasoning_gym/arc/rearc_utils/verifiers.py",
            Dialect::ReArc,
        ),
        ("tokpidjin/solvers_pre.py", Dialect::Tokpidjin),
    ];
    let files = places.map(|(place, dialect)| (folder.join(place), dialect));
    let files: Vec<_> = files
        .into_iter()
        .filter(|(file, _)| file.exists())
        .collect();
    assert!(
        !files.is_empty(),
        "neither solvers.py nor verifiers.py in {folder:?}"
    );
    for (file, dialect) in files {
        let source = std::fs::read_to_string(&file).unwrap();
        let programs = parse_python(&source, "peer", None).unwrap();
        assert_eq!(programs.len(), 400, "{file:?}");
        assert!(programs.iter().all(|program| program.dialect == dialect));
        assert!(programs.iter().all(|program| program.task_id().is_some()));
        check(&programs, "");
        if !dialect.is_classic() {
            // One of these programs passes a container for a number, and the printer replaces
            // aliases.
            continue;
        }
        let dead = "the result of this line is never used";
        let mut warnings = programs.iter().flat_map(verify);
        assert!(warnings.all(|warning| warning.message == dead));
        assert_eq!(words(&print_python_file(&programs)), words(&source));
    }
}

/// The words of a Python file, without the names of variables and the types.
fn words(source: &str) -> Vec<&str> {
    let functions = source.split_once("\ndef ").map_or("", |(_, rest)| rest);
    let words = functions.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| !is_variable(word) && *word != "Grid")
        .collect()
}

fn is_variable(word: &str) -> bool {
    let number = word.strip_prefix('x').unwrap_or(word);
    word == "O" || number.bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn a_name_that_python_keeps_for_itself_is_refused() {
    let text = "program yield(C) re-arc\n  return C\n";
    let found = leyden_lang::parse_text(text, "a", None).unwrap_err();
    assert_eq!(
        found[0].message,
        "`yield` is a word of Python and cannot be a program's name"
    );
}
