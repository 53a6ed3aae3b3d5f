//! [`LibraryError`]: everything that can be wrong with a store, with messages for users.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

use super::records::ProgramHash;
use super::schema::SCHEMA_VERSION;
use crate::words::io_words;

/// The reason why a store could not be read or changed. Everything saved before is still there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The file cannot be opened, read or written.
    #[error("{}: {}", path.display(), io_words(cause))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// There is no such file.
    #[error("{}: there is no store yet; `leyden library import FILE` makes one", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a store.
    #[error(
        "{}: {}; expected a file that `leyden library import` or `leyden evolve` made",
        path.display(),
        no_store(path)
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// A later version of Leyden made the store.
    #[error(
        "{}: the store has format {found}, this Leyden knows {SCHEMA_VERSION}; use a newer Leyden \
         (nothing was changed)",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// Another process holds the store.
    #[error(
        "{}: another process is writing to this store and did not finish in time; try again later \
         (nothing was changed)",
        path.display()
    )]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The store may only be read.
    #[error("{}: the store is read-only (nothing was changed)", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The directory of the store is not writable.
    #[error(
        "{}: SQLite cannot make its log beside the file; is the directory writable? (nothing was \
         changed)",
        path.display()
    )]
    NoLog {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full.
    #[error(
        "{}: the disk is full; the last change was not saved, all before it was",
        path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The rows are removed, but the file did not shrink.
    #[error(
        "{}: what was removed is gone, but the file keeps its size: {cause}",
        path.display()
    )]
    NotCompacted {
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        cause: rusqlite::Error,
    },
    /// No copy was made.
    #[error("{}: no copy was made: {cause}", path.display())]
    NotCopied {
        /// The file of the copy.
        path: PathBuf,
        /// SQLite's error.
        cause: rusqlite::Error,
    },
    /// The content of the store is damaged.
    #[error(
        "{}: the store is damaged: {what}; `leyden library check` says more",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem.
        what: String,
    },
    /// A program that would read back as another one.
    #[error("the program {name:?} cannot be kept: {why}")]
    BadProgram {
        /// Its name.
        name: String,
        /// The reason.
        why: String,
    },
    /// Scores that are impossible.
    #[error("scores for {task} cannot be kept: {why}")]
    BadScore {
        /// The task.
        task: String,
        /// The reason.
        why: String,
    },
    /// The store has no such program.
    #[error("the store has no program {0}; `leyden library list` shows all")]
    UnknownProgram(ProgramHash),
    /// The store has no such run.
    #[error("the store has no run {0}")]
    UnknownRun(i64),
    /// Any other error of SQLite.
    #[error("{}: {cause}", path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        cause: rusqlite::Error,
    },
    /// No variable names a place for the store.
    #[error("there is no place for the store; set LEYDEN_STORE, XDG_DATA_HOME or HOME")]
    NoPlace,
}

fn no_store(path: &Path) -> &'static str {
    if path.is_dir() {
        "this is a directory, not a Leyden store"
    } else {
        "this is not a Leyden store"
    }
}

impl LibraryError {
    pub(super) fn io(path: &Path, cause: io::Error) -> LibraryError {
        LibraryError::Io {
            path: path.to_owned(),
            cause,
        }
    }

    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> LibraryError {
        LibraryError::Damaged {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// Translates an error of SQLite for a user.
    pub(super) fn sql(path: &Path, cause: rusqlite::Error) -> LibraryError {
        let path = path.to_owned();
        if is_unreadable(&cause) {
            let what = cause.to_string();
            return LibraryError::Damaged { path, what };
        }
        if has_no_room(&cause) {
            return LibraryError::Full { path };
        }
        match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                LibraryError::Busy { path }
            }
            Some(ErrorCode::CannotOpen) => LibraryError::NoLog { path },
            Some(ErrorCode::ReadOnly) => LibraryError::ReadOnly { path },
            Some(ErrorCode::DiskFull) => LibraryError::Full { path },
            Some(ErrorCode::NotADatabase) => LibraryError::NotAStore { path },
            Some(ErrorCode::DatabaseCorrupt) => LibraryError::Damaged {
                path,
                what: cause.to_string(),
            },
            _ => LibraryError::Sql { path, cause },
        }
    }
}

/// Whether the disk is full. SQLite has a separate code for an index of its log that does not fit.
fn has_no_room(cause: &rusqlite::Error) -> bool {
    let code = cause.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether the error is about a value that Leyden never writes.
pub(super) fn is_unreadable(cause: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
    };
    matches!(
        cause,
        FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | Utf8Error(..)
    )
}
