//! `leyden options`: every option of every command, from clap's own definitions.

use crate::args::{OptionsArgs, PageFormat};
use crate::commands::write_with_json;
#[cfg(feature = "explore")]
use crate::explore::reference;
use crate::failure::Failure;
use crate::report::options::Overview;

pub(crate) fn run(args: &OptionsArgs) -> Result<(), Failure> {
    #[cfg(feature = "explore")]
    if args.is_api {
        let (page, args) = (reference::page(), &args.page);
        return write_with_json(&page, args.out.as_ref(), args.json.as_ref(), || {
            reference::to_json()
        });
    }
    let args = &args.page;
    let overview = Overview::of(&crate::args::definition());
    let text = match args.format {
        PageFormat::Text => overview.table(),
        PageFormat::Md => overview.page(),
    };
    write_with_json(&text, args.out.as_ref(), args.json.as_ref(), || {
        overview.to_json()
    })
}
