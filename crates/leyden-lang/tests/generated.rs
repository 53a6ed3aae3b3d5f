//! Generated batt files: the programs in them, and the errors about files that cannot be read.

#![allow(clippy::unwrap_used)]

use leyden_dsl::table::Dialect;
use leyden_lang::{
    Battery, BatteryFile, BatteryHeader, Program, Rules, is_generated_batt, parse, parse_battery,
    parse_generated_batt, parse_python, print_battery, print_python_file, print_text_file, render,
};

const CAUGHT: &str = "except (TypeError, AttributeError, ValueError, IndexError, KeyError):";

/// A batt with these statements.
fn batt(statements: &str) -> String {
    let body: String = statements
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect();
    format!(
        "from pile import *\n\ndef batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n{body}    return o, s\n"
    )
}

fn step(t: &str, callee: &str, args: &str) -> String {
    format!("try:\n    {t} = {callee}({args})\n{CAUGHT}\n    {t} = _get_safe_default({callee})\n")
}

fn refusal(statements: &str) -> String {
    let source = batt(statements);
    let findings = parse_generated_batt(&source, "batt.py").unwrap_err();
    render(&findings, &source, "batt.py", false)
}

fn text(program: &Program) -> String {
    program.to_string()
}

#[test]
fn candidates_are_backward_slices_named_after_their_solvers() {
    let source = batt(
        &[
            &step("t1", "height_t", "I"),
            &step("t2", "vmirror_t", "I"),
            "o.append((2, False, '0a1b2c3d', t2))\n",
            &step("t3", "canvas", "t1, C"),
            "o.append((3, True, '0a1b2c3d', t3))\n",
            "o.append((3, True, '0a1b2c3d', t3))\n",
        ]
        .concat(),
    );
    assert!(is_generated_batt(&source));
    let read = parse_generated_batt(&source, "batt.py").unwrap();
    assert!(read.differs.is_empty());
    let texts: Vec<String> = read.candidates.iter().map(text).collect();
    let body = "(S, I, C) tokpidjin\n  x1 = height_t(I)\n  x2 = canvas(x1, None)\n  return x2\n";
    let expected = [
        "program solve_0a1b2c3d(S, I, C) tokpidjin\n  x1 = vmirror_t(I)\n  return x1\n".to_owned(),
        format!("program solve_0a1b2c3d_t3{body}"),
        format!("program solve_0a1b2c3d_t3_2{body}"),
    ];
    assert_eq!(texts, expected);
    assert_eq!(parse(&source, "batt.py", None).unwrap(), read.candidates);
    let lines: Vec<u32> = read.candidates[1]
        .lines
        .iter()
        .map(|it| it.source_line)
        .collect();
    assert_eq!(lines, [7, 16]);
}

#[test]
fn differs_are_apart_and_read_what_is_expected() {
    let md5 = "c".repeat(32);
    let source = batt(
        &[
            &step("t1", "equality", "I, C"),
            &format!("s.append((1, 'None', 'differ_{md5}', t1))\n"),
            &step("t2", "vmirror_t", "I"),
            "o.append((2, False, '0a1b2c3d', t2))\n",
            &step("t3", "equality", "t2, C"),
            &format!("s.append((3, '0a1b2c3d', 'differ_{md5}', t3))\n"),
        ]
        .concat(),
    );
    let read = parse_generated_batt(&source, "batt.py").unwrap();
    assert_eq!(read.candidates.len(), 1);
    let [on_input, on_candidate] = read.differs.as_slice() else {
        panic!("{:?}", read.differs);
    };
    assert_eq!(on_input.solver, None);
    assert_eq!(on_input.program.name, format!("differ_{md5}"));
    assert_eq!(on_candidate.solver.as_deref(), Some("0a1b2c3d"));
    assert_eq!(on_candidate.program.name, format!("differ_{md5}_t3"));
    assert_eq!(on_candidate.program.task_id(), None);
    assert!(text(&on_candidate.program).contains("equality(x1, C)"));
}

#[test]
fn only_calls_of_values_have_something_to_catch() {
    let plain = step("t1", "rbind", "add, ONE");
    let value = step("t2", "t1", "I");
    let source = batt(&[&plain, &value, "o.append((2, False, '0a1b2c3d', t2))\n"].concat());
    let programs = parse(&source, "batt.py", None).unwrap();
    assert_eq!(programs[0].dialect, Dialect::TokpidjinBatt);
    let source = batt(&[&plain, "o.append((1, False, '0a1b2c3d', t1))\n"].concat());
    let programs = parse(&source, "batt.py", None).unwrap();
    assert_eq!(programs[0].dialect, Dialect::Tokpidjin);
    let vectorized = batt("t1 = rbind(add, ONE)\nt2 = t1(I)\no.append((2, False, '0a1b2c3d', t2))");
    let programs = parse(&vectorized, "batt.py", None).unwrap();
    assert_eq!(programs[0].dialect, Dialect::Tokpidjin);
}

#[test]
fn lines_that_catch_survive_all_forms() {
    let source = batt(
        &[
            &step("t1", "rbind", "add, ONE"),
            &step("t2", "t1", "I"),
            &step("t3", "t2", "I"),
            "o.append((3, False, '0a1b2c3d', t3))\n",
        ]
        .concat(),
    );
    let programs = parse(&source, "batt.py", None).unwrap();
    let same = |read: &[Program]| read.len() == 1 && read[0].same_code(&programs[0]);
    let written = print_text_file(&programs);
    assert!(written.contains("tokpidjin-batt"), "{written}");
    assert!(same(&parse(&written, "a.leyden", None).unwrap()));
    let python = print_python_file(&programs);
    assert!(python.contains("_get_safe_default(x1)"), "{python}");
    assert!(
        same(&parse_python(&python, "a.py", None).unwrap()),
        "{python}"
    );
    let battery = Battery::from_programs(&programs, Rules::ALL);
    let file = BatteryFile {
        header: BatteryHeader::default(),
        battery,
    };
    let read = parse_battery(&print_battery(&file)).unwrap();
    assert_eq!(read, file);
    assert!(read.battery.program(0).same_code(&programs[0]));
}

#[test]
fn nodes_are_shared_where_there_is_nothing_to_catch() {
    let source = |dialect: &str| {
        format!(
            "program solve_0a1b2c3d(S, I, C) {dialect}\n  x1 = rbind(add, ONE)\n  x2 = x1(I)\n  return x2\n"
        )
    };
    let program = |dialect| parse(&source(dialect), "a", None).unwrap().remove(0);
    let programs = [program("tokpidjin"), program("tokpidjin-batt")];
    let battery = Battery::from_programs(&programs, Rules::ALL);
    assert_eq!(battery.nodes.len(), 3);
    assert_eq!(battery.outs[0].lines[0], battery.outs[1].lines[0]);
    assert_ne!(battery.outs[0].lines[1], battery.outs[1].lines[1]);
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let check = |statements: &str, words: &[&str]| {
        let said = refusal(statements);
        for word in words {
            assert!(said.contains(word), "{word:?} is not in:\n{said}");
        }
    };
    check("for x in I:\n    pass", &["batt.py:6:5", "a `for` loop"]);
    check("o.append((1, 2))", &["batt.py:6:5", "appending this"]);
    check("print(I)", &["batt.py:6:5", "this expression"]);
    check(
        "t1 = vmiror_t(I)",
        &["batt.py:6:10", "did you mean `vmirror_t`"],
    );
    check("t1 = identity(task_id)", &["batt.py:6:19", "task_id"]);
    let other =
        "try:\n    t1 = height_t(I)\nexcept Exception:\n    t1 = _get_safe_default(height_t)";
    check(other, &["batt.py:8:12", "these five"]);
    let other =
        format!("try:\n    t1 = height_t(I)\n{CAUGHT}\n    t1 = _get_safe_default(width_t)");
    check(&other, &["batt.py:9:9", "the callee's own"]);
    let nested =
        format!("try:\n    t1 = size(rot90(I))\n{CAUGHT}\n    t1 = _get_safe_default(size)");
    check(&nested, &["batt.py:7:19", "within the call"]);
    let mixed = [&step("t1", "rbind", "add, ONE"), "t2 = t1(I)"].concat();
    check(&mixed, &["batt.py:10:10", "without `try`"]);
    check("return o", &["batt.py:6:5", "`o, s`"]);
}

#[test]
fn the_dialect_of_a_batt_is_not_for_choice() {
    let source = batt("t1 = rot90(I)\no.append((1, False, '0a1b2c3d', t1))");
    let findings = parse(&source, "batt.py", Some(Dialect::ArcDsl)).unwrap_err();
    assert!(findings[0].message.contains("tokpidjin's dialect"));
    assert!(parse(&source, "batt.py", Some(Dialect::Tokpidjin)).is_ok());
}

#[test]
fn python_batteries_of_arc_dsl_are_told_so() {
    let programs = parse("def f(I):\n    return rot90(I)\n", "a.py", None).unwrap();
    let battery = Battery::from_programs(&programs, Rules::ALL);
    let python = leyden_lang::print_battery_python(&battery).unwrap();
    let findings = parse(&python, "out.py", None).unwrap_err();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.contains("cannot be read back"));
}

#[test]
fn files_that_would_fill_the_memory_are_refused() {
    let steps: String = (1..4_000)
        .map(|k| format!("t{} = rot90(t{k})\n", k + 1))
        .collect();
    let appended = "o.append((4000, False, '0a1b2c3d', t4000))\n".repeat(300);
    let said = refusal(&format!("t1 = rot90(I)\n{steps}{appended}"));
    assert!(said.contains("1,000,000 lines"), "{said}");
}
