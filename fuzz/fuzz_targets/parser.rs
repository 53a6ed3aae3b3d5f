//! Any text gives programs or diagnostics; programs survive printing and reading in both forms.
#![no_main]

use leyden_lang::{
    Diagnostic, Program, is_text_form, parse_python, parse_text, print_python, print_text, render,
    verify,
};
use libfuzzer_sys::fuzz_target;

/// The number of errors to draw: all of them would take nearly all of the time.
const MOST_DRAWN: usize = 2;

fuzz_target!(|source: &str| {
    is_text_form(source);
    for read in [parse_python, parse_text] {
        match read(source, "fuzz", None) {
            Ok(programs) => programs.iter().for_each(check),
            Err(found) => draw(&found, source),
        }
    }
});

fn draw(found: &[Diagnostic], source: &str) {
    let some = &found[..found.len().min(MOST_DRAWN)];
    assert!(!render(some, source, "fuzz", false).is_empty());
}

fn check(program: &Program) {
    verify(program);
    let (text, python) = (print_text(program), print_python(program));
    same(program, parse_text(&text, "text", None), &text);
    let dialect = Some(program.dialect);
    same(program, parse_python(&python, "python", dialect), &python);
}

fn same(program: &Program, again: Result<Vec<Program>, Vec<Diagnostic>>, printed: &str) {
    match again.as_deref() {
        Ok([again]) => assert!(program.same_code(again), "{printed}"),
        Ok(other) => panic!("{} programs in\n{printed}", other.len()),
        Err(found) => panic!("{}", render(found, printed, "printed", false)),
    }
}
