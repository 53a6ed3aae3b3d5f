//! `leyden import`: programs, checked and in normal form.

use leyden_lang::{Diagnostic, Program, print_python_file, print_text_file, verify};

use crate::args::ImportArgs;
use crate::commands::library::with_own_names;
use crate::failure::Failure;
use crate::output::remark;
use crate::programs::{Differs, Known, Library, Source};

pub(crate) fn run(args: ImportArgs) -> Result<(), Failure> {
    if args.differs {
        return differs(&args);
    }
    let library = Library::read(&[Source::Path(args.file)], args.dialect, 1)?;
    for (k, file) in library.files.iter().enumerate() {
        let known = library.programs.iter().filter(|known| known.file == k);
        let warnings: Vec<Diagnostic> = known.flat_map(|known| verify(&known.program)).collect();
        remark(&file.render(&warnings));
    }
    let programs = library.programs.into_iter();
    let programs = programs.map(|Known { program, .. }| program).collect();
    args.out
        .write(&normal_form(&with_own_names(programs), args.python))
}

/// What the differs of a generated batt file say, as programs.
fn differs(args: &ImportArgs) -> Result<(), Failure> {
    let differs = Differs::read(&args.file)?.ok_or_else(|| {
        let path = args.file.display();
        Failure::bad_input(format!(
            "{path}: expected a batt file that tokpidjin's card.py generated, for --differs"
        ))
    })?;
    args.out.write(&normal_form(&differs.all(), args.python))
}

fn normal_form(programs: &[Program], python: bool) -> String {
    match python {
        true => print_python_file(programs),
        false => print_text_file(programs),
    }
}
