//! Finds the user's store, and tells stores from other files.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::LibraryError;
use crate::cache::{named_path, user_directory};

/// The first bytes of every SQLite file.
const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Whether the file looks like a store. [`Store::open_read_only`](super::Store::open_read_only)
/// checks it fully.
pub fn is_store(path: &Path) -> bool {
    let mut head = [0; SQLITE_MAGIC.len()];
    let read = |mut file: File| file.read_exact(&mut head);
    path.is_file() && File::open(path).and_then(read).is_ok() && head == *SQLITE_MAGIC
}

/// The store of this user: `$LEYDEN_STORE`, or `leyden/library.db` in `$XDG_DATA_HOME`, or in
/// `$HOME/.local/share`.
pub fn default_store_path() -> Result<PathBuf, LibraryError> {
    locate(|name| std::env::var_os(name)).ok_or(LibraryError::NoPlace)
}

fn locate(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let directory = || user_directory(&variable, "XDG_DATA_HOME", ".local/share");
    named_path(&variable, "LEYDEN_STORE").or_else(|| Some(directory()?.join("leyden/library.db")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::tests::environment;

    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let found = locate(environment(variables));
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn the_most_special_variable_wins() {
        let home = ("HOME", "/h");
        check(&[home], Some("/h/.local/share/leyden/library.db"));
        check(
            &[home, ("XDG_DATA_HOME", "/x")],
            Some("/x/leyden/library.db"),
        );
        check(
            &[home, ("XDG_DATA_HOME", "relative")],
            Some("/h/.local/share/leyden/library.db"),
        );
        check(&[home, ("LEYDEN_STORE", "mine.db")], Some("mine.db"));
        check(&[], None);
    }
}
