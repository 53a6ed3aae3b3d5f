//! [`LibraryError`]: what can be wrong with a store, in words.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

use super::records::ProgramHash;
use super::schema::SCHEMA_VERSION;
use crate::words::io_words;

/// Why a store could not be read or changed. Whatever it says, what was saved before is still
/// there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The file cannot be opened, read or written.
    #[error("{}: {}", path.display(), io_words(cause))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// There is no such file.
    #[error("{}: there is no store yet; `leyden library import FILE` makes one", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error(
        "{}: {}; expected a file that `leyden library import` or `leyden evolve` made",
        path.display(),
        no_store(path)
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The store was made by a later version.
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
    /// The directory of the store cannot be written to.
    #[error(
        "{}: SQLite cannot make its log beside the file; is the directory writable? (nothing was \
         changed)",
        path.display()
    )]
    NoLog {
        /// The file.
        path: PathBuf,
    },
    /// There is no room left.
    #[error(
        "{}: the disk is full; the last change was not saved, all before it was",
        path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// What was removed is removed, but its room is not given back.
    #[error(
        "{}: what was removed is gone, but the file keeps its size: {cause}",
        path.display()
    )]
    NotCompacted {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        cause: rusqlite::Error,
    },
    /// A copy that was not made.
    #[error("{}: no copy was made: {cause}", path.display())]
    NotCopied {
        /// The file that the copy was to be.
        path: PathBuf,
        /// What SQLite says.
        cause: rusqlite::Error,
    },
    /// The content is not what was written.
    #[error(
        "{}: the store is damaged: {what}; `leyden library check` says more",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// A program that would not come back as it went in.
    #[error("the program {name:?} cannot be kept: {why}")]
    BadProgram {
        /// Its name.
        name: String,
        /// Why not.
        why: String,
    },
    /// Scores that cannot be.
    #[error("scores for {task} cannot be kept: {why}")]
    BadScore {
        /// The task.
        task: String,
        /// Why not.
        why: String,
    },
    /// There is no such program.
    #[error("the store has no program {0}; `leyden library list` shows all")]
    UnknownProgram(ProgramHash),
    /// There is no such run.
    #[error("the store has no run {0}")]
    UnknownRun(i64),
    /// Anything else that SQLite complains about.
    #[error("{}: {cause}", path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        cause: rusqlite::Error,
    },
    /// No place for the store is known.
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

    /// What an error of SQLite means to a user.
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

/// SQLite has a code of its own for an index of the log that the disk has no room for.
fn has_no_room(cause: &rusqlite::Error) -> bool {
    let code = cause.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Is it about a value that no call of ours writes?
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
