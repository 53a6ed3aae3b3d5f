//! The token of a page at a port that the user chose: it stays, so that bookmarks and open pages
//! outlive a restart of the server.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use leyden_explore::{fresh_token, is_token};

/// The token that is kept beside a store. The first call draws it.
pub(crate) fn kept_token(store: &Path) -> io::Result<String> {
    let path = store.with_extension("token");
    if let Ok(text) = fs::read_to_string(&path)
        && is_token(text.trim())
    {
        return Ok(text.trim().to_owned());
    }
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir)?;
    }
    let token = fresh_token()?;
    let draft = draft_of(&path);
    let kept = private(&draft).and_then(|mut file| file.write_all(token.as_bytes()));
    kept.and_then(|()| fs::rename(&draft, &path))?;
    Ok(token)
}

/// The file is complete before it has its name.
fn draft_of(path: &Path) -> PathBuf {
    path.with_extension(format!("token.{}", std::process::id()))
}

/// A new file that only its owner can read.
fn private(path: &Path) -> io::Result<File> {
    let _ = fs::remove_file(path);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stays_until_its_file_is_broken() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("deep/own.db");
        let first = kept_token(&store).unwrap();
        assert_eq!(kept_token(&store).unwrap(), first);
        fs::write(store.with_extension("token"), "abc").unwrap();
        let second = kept_token(&store).unwrap();
        assert!(is_token(&second) && second != first);
        assert_eq!(fs::read_dir(dir.path().join("deep")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_reads_a_token() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("own.db");
        kept_token(&store).unwrap();
        let found = fs::metadata(store.with_extension("token")).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
    }
}
