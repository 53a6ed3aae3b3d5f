//! `leyden import`: a file of programs, checked and in normal form.

use leyden_exec::with_large_stack;
use leyden_lang::{Diagnostic, Program, parse, print_python_file, print_text_file, verify};

use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::output::remark;
use crate::programs::SourceFile;

pub(crate) fn run(args: ImportArgs) -> Result<(), Failure> {
    let file = SourceFile::read(&args.file)?;
    let parsed = with_large_stack(|| parse(&file.text, &file.name, args.dialect));
    let programs = parsed.map_err(|errors| Failure::Diagnosed(file.render(&errors)))?;
    let warnings: Vec<Diagnostic> = programs.iter().flat_map(verify).collect();
    remark(&file.render(&warnings));
    args.out.write(&normal_form(&programs, args.python))
}

fn normal_form(programs: &[Program], python: bool) -> String {
    match python {
        true => print_python_file(programs),
        false => print_text_file(programs),
    }
}
