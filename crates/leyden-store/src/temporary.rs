//! Unfinished files and directories. Their names identify them, a process removes its own when it
//! ends, and the next one sweeps up after a process that was killed.
//!
//! A process locks each of its temporary files. A lock ends with its process, so a temporary file
//! that another process can lock belongs to a dead one.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempDir};

const PREFIX: &str = ".leyden-";
const SUFFIX: &str = ".tmp";
/// The number of random letters and digits in a name.
const N_RANDOM: usize = 6;

/// The unfinished files and directories of this process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The directories that this process has swept. It sweeps each of them once.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn locked<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A guard: while it lives, no temporary file can be made or renamed.
#[derive(Debug)]
pub struct Sealed(#[allow(dead_code)] MutexGuard<'static, BTreeSet<PathBuf>>);

/// Removes all unfinished files and directories of this process. The caller ends the process while
/// it holds the seal, so that nothing new begins.
pub fn remove_unfinished() -> Sealed {
    let unfinished = locked(&UNFINISHED);
    for path in unfinished.iter() {
        remove(path);
    }
    Sealed(unfinished)
}

/// Removes a file or directory, and ignores a failure: nothing can be done about it.
fn remove(path: &Path) {
    let _ = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
}

/// An entry in the list of unfinished files and directories.
#[derive(Debug)]
struct Entry(PathBuf);

impl Drop for Entry {
    fn drop(&mut self) {
        locked(&UNFINISHED).remove(&self.0);
    }
}

fn builder<'b>() -> tempfile::Builder<'b, 'b> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(N_RANDOM);
    builder
}

/// A file that gets its name when it is complete. Dropped before that, it vanishes.
///
/// The new file takes over the rights of the file that it replaces. It follows a symbolic link.
#[derive(Debug)]
pub struct NewFile {
    // This field is dropped first, so the file vanishes before its entry does.
    file: NamedTempFile,
    entry: Entry,
    name: PathBuf,
}

impl NewFile {
    /// Makes a temporary file in the directory of `path`, its future name.
    pub fn at(path: &Path) -> io::Result<NewFile> {
        let old = fs::metadata(path).ok();
        let name = match old {
            Some(_) => fs::canonicalize(path)?,
            None => path.to_owned(),
        };
        let directory = directory_of(&name);
        sweep(&directory);
        let (file, entry) = made(&directory)?;
        set_mode(file.as_file(), old.as_ref())?;
        Ok(NewFile { file, entry, name })
    }

    /// The path of the file until it is complete.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Syncs the file to the disk, then gives it its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let NewFile { file, entry, name } = self;
        {
            let mut unfinished = locked(&UNFINISHED);
            file.persist(name)?;
            unfinished.remove(&entry.0);
        }
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Makes a file or directory and lists it in one step, under the lock.
fn listed<T>(
    make: impl FnOnce() -> io::Result<T>,
    path: impl Fn(&T) -> &Path,
) -> io::Result<(T, Entry)> {
    let mut unfinished = locked(&UNFINISHED);
    let made = make()?;
    unfinished.insert(path(&made).to_owned());
    let entry = Entry(path(&made).to_owned());
    Ok((made, entry))
}

/// Makes a new file, locks and lists it. If a sweeper removes the file before it is locked, makes
/// another.
fn made(directory: &Path) -> io::Result<(NamedTempFile, Entry)> {
    loop {
        let mut builder = builder();
        // Temporary files are private by default; this one becomes an ordinary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, entry) = listed(|| builder.tempfile_in(directory), NamedTempFile::path)?;
        if take_lock(file.as_file()) && file.path().exists() {
            return Ok((file, entry));
        }
    }
}

/// Locks a new file; returns false if a sweeper holds it. On a file system without locks it returns
/// true, since sweepers get no lock there either.
fn take_lock(file: &File) -> bool {
    !cfg!(unix) || !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Copies the rights of the replaced file. Without one, the rights are the system's default.
fn set_mode(file: &File, old: Option<&fs::Metadata>) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::PermissionsExt;
        let mode = old.permissions().mode() & 0o777;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    let _ = (file, old);
    Ok(())
}

/// The directory of a file.
pub fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A private directory that vanishes when it is dropped.
#[derive(Debug)]
pub(crate) struct NewDirectory {
    dir: TempDir,
    _lock: Option<File>,
    _entry: Entry,
}

impl NewDirectory {
    pub(crate) fn inside(parent: &Path) -> io::Result<NewDirectory> {
        sweep(parent);
        loop {
            let (dir, entry) = listed(|| builder().tempdir_in(parent), TempDir::path)?;
            let lock = File::open(dir.path()).ok();
            if lock.as_ref().is_none_or(take_lock) && dir.path().exists() {
                return Ok(NewDirectory {
                    dir,
                    _lock: lock,
                    _entry: entry,
                });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes the temporary files that dead processes left in a directory.
fn sweep(directory: &Path) {
    let real = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    if cfg!(unix) && locked(&SWEPT).insert(real) {
        sweep_now(directory);
    }
}

fn sweep_now(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let names = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(is_ours)
    });
    for path in names.map(|entry| entry.path()) {
        if is_abandoned(&path) {
            remove(&path);
        }
    }
}

/// Whether [`builder`] makes such a name, or SQLite puts a file of this name beside one.
fn is_ours(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|rest| {
        rest.strip_suffix("-journal")
            .unwrap_or(rest)
            .strip_suffix(SUFFIX)
    });
    random.is_some_and(|random| {
        random.len() == N_RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Whether no living process holds the lock. Our temporary entries are always files or directories.
fn is_abandoned(path: &Path) -> bool {
    let is_plain = |found: fs::Metadata| found.is_file() || found.is_dir();
    let lock = || File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    fs::symlink_metadata(path).is_ok_and(is_plain) && lock()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::testing::names_in;

    #[test]
    fn what_a_dead_process_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let strange = [
            ".leyden-notes.tmp",
            ".leyden-abc",
            "x.leyden-abcdef.tmp",
            ".leyden-ab-def.tmp",
        ];
        for name in strange {
            fs::write(dir.path().join(name), "mine").unwrap();
        }
        std::os::unix::fs::symlink("elsewhere", dir.path().join(".leyden-links1.tmp")).unwrap();
        fs::write(dir.path().join(".leyden-abcde1.tmp"), "half").unwrap();
        fs::create_dir(dir.path().join(".leyden-abcde2.tmp")).unwrap();
        fs::write(dir.path().join(".leyden-abcde2.tmp/inner"), "half").unwrap();
        let held = File::create(dir.path().join(".leyden-abcde3.tmp")).unwrap();
        held.lock().unwrap();
        sweep_now(dir.path());
        let mut left = strange.to_vec();
        left.extend([".leyden-abcde3.tmp", ".leyden-links1.tmp"]);
        left.sort_unstable();
        assert_eq!(names_in(dir.path()), left);
        drop(held);
        sweep_now(dir.path());
        assert!(!names_in(dir.path()).contains(&".leyden-abcde3.tmp".to_owned()));
    }

    #[test]
    fn what_is_being_written_is_not_swept() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = NewFile::at(&dir.path().join("out")).unwrap();
        let inner = NewDirectory::inside(dir.path()).unwrap();
        assert!(is_ours(inner.path().file_name().unwrap().to_str().unwrap()));
        sweep_now(dir.path());
        assert_eq!(names_in(dir.path()).len(), 2);
        file.write_all(b"whole").unwrap();
        file.finish().unwrap();
        drop(inner);
        assert_eq!(names_in(dir.path()), ["out"]);
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_rights() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret");
        for mode in [0o600, 0o640, 0o444, 0o666] {
            let _ = fs::remove_file(&path);
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mut file = NewFile::at(&path).unwrap();
            file.write_all(b"new").unwrap();
            file.finish().unwrap();
            let found = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(format!("{found:o}"), format!("{mode:o}"));
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }
}
