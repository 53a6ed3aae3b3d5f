//! `leyden options`: every option of every command, from clap's own definitions.

use crate::args::{PageArgs, PageFormat};
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::report::options::Overview;

pub(crate) fn run(args: &PageArgs) -> Result<(), Failure> {
    let overview = Overview::of(&crate::args::definition());
    let text = match args.format {
        PageFormat::Text => overview.table(),
        PageFormat::Md => overview.page(),
    };
    write_with_json(&text, args.out.as_ref(), args.json.as_ref(), || {
        overview.to_json()
    })
}
