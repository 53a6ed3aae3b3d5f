//! The programs that are known before a search.

use std::path::Path;

use leyden_lang::Program;
use leyden_search::solve::Known;
use leyden_store::Cache;
use leyden_store::library::default_store_path;

use crate::args::Shelf;
use crate::failure::Failure;
use crate::programs::{Library, Source};

/// Reads the programs; without a choice, all that can be found.
pub(crate) fn read(shelf: Option<&Shelf>) -> Result<Known, Failure> {
    Ok(Known::new(match shelf {
        Some(Shelf::Nothing) => Vec::new(),
        Some(Shelf::Public) => public()?.ok_or_else(not_fetched)?,
        Some(Shelf::Path(path)) => at(path)?,
        None => own()?
            .into_iter()
            .chain(public()?.unwrap_or_default())
            .collect(),
    }))
}

fn not_fetched() -> Failure {
    Failure::bad_input(
        "--library public: the public programs are not in the cache; `leyden get` fetches them",
    )
}

/// Those of the own store, if there is one.
fn own() -> Result<Vec<Program>, Failure> {
    match default_store_path() {
        Ok(path) if path.is_file() => at(&path),
        _ => Ok(Vec::new()),
    }
}

fn public() -> Result<Option<Vec<Program>>, Failure> {
    let Ok(cache) = Cache::from_env() else {
        return Ok(None);
    };
    cache.programs_path()?.map(|path| at(&path)).transpose()
}

fn at(path: &Path) -> Result<Vec<Program>, Failure> {
    let library = Library::read(&[Source::Path(path.to_owned())], None, 1)?;
    let programs = library.programs.into_iter();
    Ok(programs.map(|known| known.program).collect())
}
