//! `--library`: the programs that a command knows before it begins.

use std::path::{Path, PathBuf};

use leyden_lang::{Language, Program};
use leyden_search::solve::Known;
use leyden_store::Cache;
use leyden_store::library::{Store, default_store_path};

use super::{Library, Source};
use crate::args::Shelf;
use crate::failure::Failure;

/// The store, file or directory that the option names.
pub(crate) fn place(shelf: &Shelf) -> Result<Option<PathBuf>, Failure> {
    Ok(match shelf {
        Shelf::Nothing => None,
        Shelf::Own => Some(own_store()?),
        Shelf::Public => Some(public()?.ok_or_else(not_fetched)?),
        Shelf::Path(path) => Some(path.clone()),
    })
}

/// Reads the programs. Without a choice it reads the user's store and the public programs.
pub(crate) fn read(shelf: Option<&Shelf>, language: &Language) -> Result<Known, Failure> {
    let places: Vec<PathBuf> = match shelf {
        Some(shelf) => place(shelf)?.into_iter().collect(),
        None => own().into_iter().chain(public()?).collect(),
    };
    let mut programs = Vec::new();
    for place in &places {
        programs.extend(at(place, language)?);
    }
    Ok(Known::new(programs))
}

/// The user's store. If it is missing, opening it gives the best error.
fn own_store() -> Result<PathBuf, Failure> {
    let path = default_store_path()?;
    if !path.exists() {
        Store::open_read_only(&path)?;
    }
    Ok(path)
}

fn not_fetched() -> Failure {
    Failure::bad_input(
        "--library public: the public programs are not in the cache; `leyden get` fetches them",
    )
}

/// The user's store, if it exists.
fn own() -> Option<PathBuf> {
    default_store_path().ok().filter(|path| path.is_file())
}

fn public() -> Result<Option<PathBuf>, Failure> {
    match Cache::from_env() {
        Ok(cache) => Ok(cache.programs_path()?),
        Err(_) => Ok(None),
    }
}

fn at(path: &Path, language: &Language) -> Result<Vec<Program>, Failure> {
    let library = Library::read(&[Source::Path(path.to_owned())], language, 1)?;
    let programs = library.programs.into_iter();
    Ok(programs.map(|known| known.program).collect())
}
