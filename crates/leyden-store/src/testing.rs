//! Helpers for the tests of several modules.

use std::fs;
use std::io;
use std::path::Path;

/// The names of a directory's entries, sorted.
pub(crate) fn names_in(dir: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let names = fs::read_dir(dir).unwrap().map(name);
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}
