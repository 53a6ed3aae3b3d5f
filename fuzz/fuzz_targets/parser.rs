//! Any text gives programs or diagnostics; programs survive printing and reading in both forms.
#![no_main]

use leyden_lang::{
    Diagnostic, Program, parse, parse_python, parse_text, print_python, print_text, render, verify,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    for read in [parse, parse_python, parse_text] {
        match read(source, "fuzz", None) {
            Ok(programs) => programs.iter().for_each(check),
            Err(found) => assert!(!render(&found, source, "fuzz", false).is_empty()),
        }
    }
});

fn check(program: &Program) {
    verify(program);
    let (text, python) = (print_text(program), print_python(program));
    same(program, parse_text(&text, "text", None), &text);
    same(
        program,
        parse_python(&python, "python", Some(program.dialect)),
        &python,
    );
}

fn same(program: &Program, again: Result<Vec<Program>, Vec<Diagnostic>>, printed: &str) {
    match again.as_deref() {
        Ok([again]) => assert!(program.same_code(again), "{printed}"),
        Ok(other) => panic!("{} programs in\n{printed}", other.len()),
        Err(found) => panic!("{}", render(found, printed, "printed", false)),
    }
}
