//! `leyden primitives`: the reference, from the table.

use leyden_dsl::table::{CONSTANTS, TABLE};

use crate::args::{PrimitivesArgs, ReferenceFormat};
use crate::failure::Failure;
use crate::output::{print, write_stdout};
use crate::report::{closest, reference};

pub(crate) fn run(args: PrimitivesArgs) -> Result<(), Failure> {
    match (args.name, args.format) {
        (Some(name), format) => explain(&name, format),
        (None, ReferenceFormat::Terminal) => print(&reference::overview()),
        (None, ReferenceFormat::Markdown) => write_stdout(&reference::markdown()),
        (None, ReferenceFormat::Json) => write_stdout(&reference::json(TABLE)),
    }
}

fn explain(name: &str, format: ReferenceFormat) -> Result<(), Failure> {
    if let Some(constant) = CONSTANTS.iter().find(|(known, _)| *known == name) {
        return print(&reference::constant(constant));
    }
    let entry = TABLE
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| unknown(name))?;
    match format {
        ReferenceFormat::Terminal => print(&reference::explanation(entry)),
        ReferenceFormat::Markdown => write_stdout(&reference::markdown_entry(entry)),
        ReferenceFormat::Json => write_stdout(&reference::json(std::slice::from_ref(entry))),
    }
}

fn unknown(name: &str) -> Failure {
    let names = TABLE.iter().map(|entry| entry.name);
    let known = names.chain(CONSTANTS.iter().map(|(name, _)| *name));
    let hint = match closest(name, known) {
        Some(near) => format!("did you mean {near}?"),
        None => "`leyden primitives` lists all".to_owned(),
    };
    Failure::bad_input(format!("no primitive or constant is called {name}; {hint}"))
}
