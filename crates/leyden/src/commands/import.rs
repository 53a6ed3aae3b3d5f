//! `leyden import`: programs, checked and in normal form.

use leyden_lang::{Diagnostic, Program, print_python_file, print_text_file, verify};
use leyden_store::library::ProgramHash;
use serde_json::{Value, json};

use crate::args::{ImportArgs, ProgramFormat};
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::output::remark;
use crate::programs::{Differs, Known, Library, Source, with_own_names};

pub(crate) fn run(args: ImportArgs) -> Result<(), Failure> {
    if args.differs {
        return differs(&args);
    }
    let library = Library::read(&[Source::Path(args.file.clone())], &args.language, 1)?;
    let mut findings = Vec::new();
    for (k, file) in library.files.iter().enumerate() {
        let known = library.programs.iter().filter(|known| known.file == k);
        let warnings: Vec<Diagnostic> = known.flat_map(|known| verify(&known.program)).collect();
        remark(&file.render(&warnings));
        let found = warnings.iter();
        findings.extend(found.map(|it| json!({ "file": file.name, "message": it.message })));
    }
    let programs = library.programs.into_iter();
    let programs = programs.map(|Known { program, .. }| program).collect();
    write(&args, &with_own_names(programs), &findings)
}

/// Prints the scores of a generated batt file's differs, as programs.
fn differs(args: &ImportArgs) -> Result<(), Failure> {
    let differs = Differs::read(&args.file)?.ok_or_else(|| {
        let path = args.file.display();
        Failure::bad_input(format!(
            "{path}: expected a batt file that tokpidjin's card.py generated, for --differs"
        ))
    })?;
    write(args, &differs.all(), &[])
}

fn write(args: &ImportArgs, programs: &[Program], warnings: &[Value]) -> Result<(), Failure> {
    let text = match args.format {
        ProgramFormat::Python => print_python_file(programs),
        ProgramFormat::Text => print_text_file(programs),
    };
    let report = || {
        let programs = programs.iter().map(in_json);
        json!({
            "programs": programs.collect::<Vec<_>>(),
            "warnings": warnings,
        })
    };
    write_with_json(&text, args.out.as_ref(), args.json.as_ref(), report)
}

fn in_json(program: &Program) -> Value {
    json!({
        "name": program.name,
        "task": program.task_id(),
        "dialect": program.dialect.name(),
        "lines": program.lines.len(),
        "hash": ProgramHash::of(program).to_string(),
    })
}
