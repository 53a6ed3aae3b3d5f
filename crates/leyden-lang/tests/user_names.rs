//! The user's names: the possible content of a file of names, and programs that are read with it.

use std::sync::Arc;

use leyden_dsl::table::Dialect;
use leyden_lang::{Language, Program, UserNames, parse, parse_in, print_python};

fn language(names: &str) -> Language {
    let names = UserNames::parse(names).expect("good names");
    Language {
        dialect: None,
        names: Some(Arc::new(names)),
    }
}

fn read(source: &str, names: &str) -> Program {
    let programs = parse_in(source, "a.py", &language(names));
    programs.expect("a good program").remove(0)
}

/// The first error about a file of names, with its line and column.
fn complaint(names: &str) -> (String, (usize, usize)) {
    let found = UserNames::parse(names).expect_err("bad names").remove(0);
    let place = found.position(names);
    (found.message, place)
}

/// The first error about a program that is read with names.
fn refusal(source: &str, names: &str) -> String {
    let found = parse_in(source, "a.py", &language(names));
    found.expect_err("a bad program").remove(0).message
}

#[test]
fn programs_read_with_names_are_ordinary_programs() {
    let names = "\
# a fork
flip_columns = vmirror   # a primitive
mirrored = flip_columns
BLACK = 0
RED = TWO
BACK = (-1, 0)
FAR = (7, (BLACK, -9))
yes = True
";
    let source = "\
def solve_00000001(I):
    x1 = flip_columns(I)
    x2 = replace(x1, BLACK, RED)
    x3 = apply(mirrored, objects(x2, yes, BACK, FAR))
    return x3
";
    let expected = "\
def solve_00000001(I):
    x1 = vmirror(I)
    x2 = replace(x1, 0, TWO)
    x3 = (0, -9)
    x4 = (7, x3)
    x5 = objects(x2, T, UP, x4)
    O = apply(vmirror, x5)
    return O
";
    let program = read(source, names);
    assert_eq!(print_python(&program), expected);
    let plain = parse(expected, "b.py", None).expect("a program").remove(0);
    assert!(program.same_code(&plain));
}

#[test]
fn variables_come_before_names_as_in_python() {
    let source = "def solve_00000001(I):\n    flipped = hmirror(I)\n    return flipped\n";
    let program = read(source, "flipped = vmirror\n");
    assert!(print_python(&program).contains("hmirror(I)"));
    let early = "def solve_00000001(I):\n    x1 = go(I)\n    go = hmirror(I)\n    return go\n";
    let message = refusal(early, "go = vmirror\n");
    assert_eq!(message, "`go` is read before it is assigned");
}

#[test]
fn a_file_may_import_a_name_but_not_define_it() {
    let import = "from mine import go\ndef solve_00000001(I):\n    return go(I)\n";
    assert!(print_python(&read(import, "go = vmirror\n")).contains("vmirror"));
    let own = "def go(I):\n    return I\ndef solve_00000001(I):\n    return go(I)\n";
    let message = refusal(own, "go = vmirror\n");
    assert_eq!(
        message,
        "`go` is something else in this file: line 1 defines it"
    );
}

#[test]
fn a_line_may_say_what_is_true_already() {
    for line in ["vmirror = vmirror", "UP = (-1, 0)", "TWO = 2", "T = True"] {
        let names = UserNames::parse(line).expect(line);
        assert_eq!(names.all().count(), 0, "{line}");
    }
}

#[test]
fn names_hold_in_the_dialect_that_the_file_names() {
    let verify = "def verify_00000001(I):\n    return go(I)\n";
    assert_eq!(read(verify, "go = vmirror\n").dialect, Dialect::ReArc);
    let told = "dialect = arc-dsl\ngo = vmirror\n";
    assert_eq!(read(verify, told).dialect, Dialect::ArcDsl);
    let theirs = "go = height_t\ndialect = tokpidjin\n";
    let program = "def solve_00000001(I):\n    return go(I)\n";
    assert_eq!(read(program, theirs).dialect, Dialect::Tokpidjin);
    let commented = format!("# dialect: re-arc\n{program}");
    assert_eq!(refusal(&commented, theirs), "unknown name `go`");
    assert_eq!(read(&commented, "go = vmirror\n").dialect, Dialect::ReArc);
}

/// Tokpidjin has a primitive `height_t`; a file of names may use this name for arc-dsl programs.
#[test]
fn a_name_of_another_dialect_does_not_change_the_dialect() {
    let source = "def solve_00000001(S, I, C):\n    return height_t(I)\n";
    let program = read(source, "height_t = height\n");
    assert_eq!(program.dialect, Dialect::ArcDsl);
}

#[test]
fn unknown_names_get_the_nearest_name_of_the_users() {
    let source = "def solve_00000001(I):\n    return vertical_miror(I)\n";
    let found = parse_in(source, "a.py", &language("vertical_mirror = vmirror\n"));
    let help = found.expect_err("a bad program").remove(0).help;
    assert_eq!(help.as_deref(), Some("did you mean `vertical_mirror`?"));
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let cases = [
        ("go = vmiror", "unknown name `vmiror`", (1, 6)),
        ("\n a = I", "unknown name `I`", (2, 6)),
        ("go = hmirror\n\ngo = vmirror", "`go` has two lines", (3, 1)),
        (
            "order = vmirror",
            "`order` is a primitive of arc-dsl with another meaning",
            (1, 1),
        ),
        (
            "ZERO = 1",
            "`ZERO` is a constant of arc-dsl with another meaning",
            (1, 1),
        ),
        ("I = ZERO", "`I` is a parameter of programs", (1, 1)),
        ("2x = vmirror", "`2x` is not a name in Python", (1, 1)),
        ("a b = vmirror", "`a b` is not a name in Python", (1, 1)),
        (
            "lambda = vmirror",
            "`lambda` is not a name in Python",
            (1, 1),
        ),
        ("None = vmirror", "`None` is not a name in Python", (1, 1)),
        ("a = b\nb = a", "unknown name `b`", (1, 5)),
        ("a = a", "unknown name `a`", (1, 5)),
        ("just words", "a line without `=`", (1, 1)),
        ("go =  # nothing", "nothing after `=`", (1, 1)),
        ("= vmirror", "nothing before `=`", (1, 1)),
        (
            "a = 1.5",
            "a number that is not whole is not supported",
            (1, 5),
        ),
        (
            "a = compose(vmirror, hmirror)",
            "a call is not supported",
            (1, 5),
        ),
        ("dialect = lisp", "no such dialect", (1, 11)),
        (
            "dialect = re-arc\ndialect = re-arc",
            "the file names a dialect twice",
            (2, 1),
        ),
        (
            "a = (1, 2, 3, 4, 5, 6, 7, 8)\nb = (a, a)",
            "a value of more than 16 parts",
            (2, 5),
        ),
    ];
    for (names, message, place) in cases {
        assert_eq!(complaint(names), (message.to_owned(), place), "{names}");
    }
    let (message, place) = complaint("é = (1,\nb = 2");
    assert!(message.starts_with("syntax error"), "{message}");
    assert_eq!(place.0, 1);
}

#[test]
fn all_mistakes_of_a_file_are_found() {
    let found = UserNames::parse("a = x\nb\nc = y\n").expect_err("bad names");
    assert_eq!(found.len(), 3);
}

/// In a cycle, a line uses a name that no line above gives. One mistake is reported once.
#[test]
fn a_cycle_says_where_the_other_line_is() {
    let found = UserNames::parse("a = b\nb = a\n").expect_err("a cycle");
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].label,
        "line 2 gives it; a line uses names above it"
    );
}

#[test]
fn hostile_files_end_soon() {
    let doubling: String = (1..60)
        .map(|k| format!("a{k} = (a{}, a{})\n", k - 1, k - 1))
        .collect();
    assert!(UserNames::parse(&format!("a0 = 0\n{doubling}")).is_err());
    let deep = format!("a = {}0{}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(UserNames::parse(&deep).is_err());
    let chain: String = (1..50_000)
        .map(|k| format!("a{k} = a{}\n", k - 1))
        .collect();
    let names = UserNames::parse(&format!("a0 = vmirror\n{chain}")).expect("a chain");
    assert_eq!(names.all().count(), 50_000);
    let unknown: String = (0..20_000).map(|k| format!("a{k} = b{k}\n")).collect();
    assert!(UserNames::parse(&unknown).is_err());
}
