//! `leyden primitives`: the reference, generated from the table.

use anstream::adapter::strip_str;
use leyden_dsl::table::{Dialect, Prim};
use serde_json::json;

use crate::args::{PageArgs, PageFormat, PrimitivesArgs};
use crate::failure::{Failure, closest};
use crate::output::{Target, say, write_stdout};
use crate::report::{pretty_json, reference};

pub(crate) fn run(args: PrimitivesArgs) -> Result<(), Failure> {
    let page = match &args.name {
        Some(name) => explain(name, args.page.format)?,
        None => Page {
            text: match args.page.format {
                PageFormat::Text => reference::overview(),
                PageFormat::Md => reference::markdown(),
            },
            json: reference::json(reference::all_entries()),
        },
    };
    page.write(&args.page)
}

/// Primitives, in both forms.
struct Page {
    text: String,
    json: String,
}

impl Page {
    fn write(&self, args: &PageArgs) -> Result<(), Failure> {
        if let Some(target) = &args.json {
            target.write(&self.json)?;
        }
        let is_stdout_taken = args.json == Some(Target::Stdout);
        match &args.out {
            Some(target) => target.write(&strip_str(&self.text).to_string()),
            None if args.format == PageFormat::Md && !is_stdout_taken => write_stdout(&self.text),
            None => say(&self.text, is_stdout_taken),
        }
    }
}

fn explain(name: &str, format: PageFormat) -> Result<Page, Failure> {
    let mut constants = Dialect::Tokpidjin.constants();
    if let Some(constant) = constants.find(|(known, _)| *known == name) {
        return Ok(Page {
            text: reference::constant(constant),
            json: pretty_json(
                &json!([{ "name": constant.0, "value": reference::spell(constant.1) }]),
            )?,
        });
    }
    let entry = named(name).ok_or_else(|| unknown(name))?.entry();
    Ok(Page {
        text: match format {
            PageFormat::Text => reference::explanation(entry),
            PageFormat::Md => reference::markdown_entry(entry),
        },
        json: reference::json([entry].into_iter()),
    })
}

/// The primitive with this name or alias.
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
