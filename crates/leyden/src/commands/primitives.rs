//! `leyden primitives`: the reference, from the table.

use leyden_dsl::table::{Dialect, Prim};

use crate::args::{PrimitivesArgs, ReferenceFormat};
use crate::failure::Failure;
use crate::output::{print, write_stdout};
use crate::report::{closest, reference};

pub(crate) fn run(args: PrimitivesArgs) -> Result<(), Failure> {
    match (args.name, args.format) {
        (Some(name), format) => explain(&name, format),
        (None, ReferenceFormat::Terminal) => print(&reference::overview()),
        (None, ReferenceFormat::Markdown) => write_stdout(&reference::markdown()),
        (None, ReferenceFormat::Json) => write_stdout(&reference::json(reference::all_entries())),
    }
}

fn explain(name: &str, format: ReferenceFormat) -> Result<(), Failure> {
    let mut constants = Dialect::Tokpidjin.constants();
    if let Some(constant) = constants.find(|(known, _)| *known == name) {
        return print(&reference::constant(constant));
    }
    let entry = named(name).ok_or_else(|| unknown(name))?.entry();
    match format {
        ReferenceFormat::Terminal => print(&reference::explanation(entry)),
        ReferenceFormat::Markdown => write_stdout(&reference::markdown_entry(entry)),
        ReferenceFormat::Json => write_stdout(&reference::json([entry].into_iter())),
    }
}

/// The primitive of that name, or the one it is another name for.
fn named(name: &str) -> Option<Prim> {
    let aliases = Dialect::Tokpidjin.aliases().iter();
    let mut aliases = aliases.filter(|(alias, _)| *alias == name);
    Prim::by_name(name).or_else(|| aliases.next().map(|(_, prim)| *prim))
}

fn unknown(name: &str) -> Failure {
    let names = reference::all_entries().map(|entry| entry.name);
    let known = names.chain(Dialect::Tokpidjin.constants().map(|(name, _)| *name));
    let hint = match closest(name, known) {
        Some(near) => format!("did you mean {near}?"),
        None => "`leyden primitives` lists all".to_owned(),
    };
    Failure::bad_input(format!("there is no primitive or constant {name}; {hint}"))
}
