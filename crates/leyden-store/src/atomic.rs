//! Writes files so that no reader ever sees half of one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::error::StoreError;
use crate::temporary::NewFile;

/// Writes a temporary file in the directory of `path` and renames it to `path`.
///
/// Readers see the old content or the new, and a failure leaves the old. The function writes
/// directly to a device or a pipe such as `/dev/stdout`, and follows a symbolic link.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let result = match fs::metadata(path) {
        Ok(found) if !found.is_file() => fs::write(path, bytes),
        _ => replace(path, bytes),
    };
    result.map_err(|cause| StoreError::io(path, cause))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::at(path)?;
    file.write_all(bytes)?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_content_replaces_the_old_and_nothing_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.json");
        write_atomic(&path, b"old and longer").unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_directory_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none/out.json");
        let message = write_atomic(&path, b"x").unwrap_err().to_string();
        assert!(
            message.starts_with(&path.display().to_string()),
            "{message}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        write_atomic(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_atomic(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_was_written() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (ours, plain) = (dir.path().join("ours"), dir.path().join("plain"));
        write_atomic(&ours, b"").unwrap();
        fs::write(&plain, b"").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
