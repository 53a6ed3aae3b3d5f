//! Opens stores.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, MAIN_DB, OpenFlags, TransactionBehavior};

use super::schema::{APPLICATION_ID, SCHEMA_VERSION, TABLES};
use super::{LibraryError, Outcome, Store};

/// The time to wait for another process before giving up.
const PATIENCE: Duration = Duration::from_secs(5);

/// The length of one wait. SQLite waits for a step, then this code does.
const STEP: Duration = Duration::from_millis(20);
const MOST_STEPS: u32 = 125;

impl Store {
    /// Opens a store for reading and writing. Makes the store and its directory if they are
    /// missing.
    pub fn open(path: &Path) -> Outcome<Store> {
        if let Some(parent) = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            fs::create_dir_all(parent).map_err(|error| LibraryError::io(parent, error))?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Store::for_writing(path, flags)
    }

    /// Opens an existing store for reading and writing.
    pub fn open_existing(path: &Path) -> Outcome<Store> {
        must_exist(path)?;
        Store::for_writing(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens an existing store for reading only. This also works in a directory that is not
    /// writable.
    pub fn open_read_only(path: &Path) -> Outcome<Store> {
        must_exist(path)?;
        // SQLite opens the file for writing if it can: only a writer tidies up its log.
        let store = Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let only_read = store.connection.pragma_update(None, "query_only", true);
        only_read.map_err(|error| store.failed(error))?;
        match store.versions() {
            Err(LibraryError::NoLog { .. }) if is_at_rest(path) => Store::frozen(path),
            Err(error) => Err(error),
            Ok(versions) => store.refuse_others(versions),
        }
    }

    /// Sets the time to wait for another process. The default is five seconds.
    pub fn set_patience(&self, patience: Duration) -> Outcome<()> {
        let set = self.connection.busy_timeout(patience);
        set.map_err(|error| self.failed(error))
    }

    fn for_writing(path: &Path, flags: OpenFlags) -> Outcome<Store> {
        let mut store = Store::connect(path, flags)?;
        store.prepare_patiently()?;
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Outcome<Store> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(|error| cannot_open(path, error))?;
        let store = Store {
            connection,
            path: path.to_owned(),
        };
        store.set_patience(PATIENCE)?;
        Ok(store)
    }

    /// Opens a file on a read-only disk without locks. No process writes there, and SQLite could
    /// not make locks.
    pub(super) fn frozen(path: &Path) -> Outcome<Store> {
        let uri = PathBuf::from(format!("file:{}?immutable=1", percent_encoded(path)));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mut store = Store::connect(&uri, flags)?;
        store.path = path.to_owned();
        let versions = store.versions()?;
        store.refuse_others(versions)
    }

    /// Waits while another process makes the store. SQLite would give up at once.
    fn prepare_patiently(&mut self) -> Outcome<()> {
        self.set_patience(STEP)?;
        let mut prepared = self.prepare();
        for _ in 0..MOST_STEPS {
            if !matches!(prepared, Err(LibraryError::Busy { .. })) {
                break;
            }
            std::thread::sleep(STEP);
            prepared = self.prepare();
        }
        prepared?;
        self.set_patience(PATIENCE)
    }

    fn prepare(&mut self) -> Outcome<()> {
        self.refuse_read_only()?;
        let versions = self.versions()?;
        if !versions.are_blank() {
            refuse_others(&self.path, versions)?;
        }
        self.set_up()?;
        if versions.are_blank() {
            self.create_tables()
        } else {
            Ok(())
        }
    }

    fn set_up(&self) -> Outcome<()> {
        let set_up = || {
            self.connection.pragma_update(None, "journal_mode", "wal")?;
            // SQLite syncs its log at every commit, so saved changes outlive a loss of power.
            self.connection.pragma_update(None, "synchronous", "full")?;
            self.connection.pragma_update(None, "foreign_keys", true)
        };
        set_up().map_err(|error| self.failed(error))
    }

    /// Creates the tables. Two processes may get here at once; the second finds the tables of the
    /// first.
    fn create_tables(&mut self) -> Outcome<()> {
        let path = self.path.clone();
        let failed = |error| LibraryError::sql(&path, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        if count_tables(&transaction).map_err(failed)? == 0 {
            transaction.execute_batch(TABLES).map_err(failed)?;
            let ids = [
                ("application_id", APPLICATION_ID),
                ("user_version", SCHEMA_VERSION),
            ];
            for (name, value) in ids {
                transaction
                    .pragma_update(None, name, value)
                    .map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)?;
        refuse_others(&path, self.versions()?)
    }

    /// Reads the file's application id and version in one transaction, since another process may be
    /// making the store.
    fn versions(&self) -> Outcome<Versions> {
        let read = || {
            let moment = self.connection.unchecked_transaction()?;
            let pragma = |name| moment.pragma_query_value(None, name, |row| row.get(0));
            Ok(Versions {
                application: pragma("application_id")?,
                tables: pragma("user_version")?,
                n_tables: count_tables(&moment)?,
            })
        };
        read().map_err(|error| self.failed(error))
    }

    fn refuse_others(self, versions: Versions) -> Outcome<Store> {
        refuse_others(&self.path, versions)?;
        Ok(self)
    }

    fn refuse_read_only(&self) -> Outcome<()> {
        let is_read_only = self.connection.is_readonly(MAIN_DB);
        if is_read_only.map_err(|error| self.failed(error))? {
            Err(LibraryError::ReadOnly {
                path: self.path.clone(),
            })
        } else {
            Ok(())
        }
    }
}

/// The application id and version of a file.
#[derive(Clone, Copy)]
struct Versions {
    application: i64,
    tables: i64,
    n_tables: i64,
}

impl Versions {
    fn are_blank(self) -> bool {
        (self.application, self.tables, self.n_tables) == (0, 0, 0)
    }
}

fn must_exist(path: &Path) -> Outcome<()> {
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(LibraryError::Missing {
            path: path.to_owned(),
        }),
        Err(error) => Err(LibraryError::io(path, error)),
    }
}

/// Explains why a file cannot be opened. SQLite only says that it cannot; the system knows why.
fn cannot_open(path: &Path, error: rusqlite::Error) -> LibraryError {
    if path.is_dir() {
        let path = path.to_owned();
        return LibraryError::NotAStore { path };
    }
    match fs::OpenOptions::new().append(true).create(true).open(path) {
        Err(source) => LibraryError::io(path, source),
        Ok(_) => LibraryError::sql(path, error),
    }
}

fn refuse_others(path: &Path, versions: Versions) -> Outcome<()> {
    let path = path.to_owned();
    match (versions.application, versions.tables) {
        (APPLICATION_ID, SCHEMA_VERSION) => Ok(()),
        (APPLICATION_ID, found) if found > SCHEMA_VERSION => {
            Err(LibraryError::Newer { path, found })
        }
        _ => Err(LibraryError::NotAStore { path }),
    }
}

fn count_tables(connection: &Connection) -> rusqlite::Result<i64> {
    let query = "SELECT count(*) FROM sqlite_schema";
    connection.query_row(query, [], |row| row.get(0))
}

/// Whether all content is in the file itself, and none in a log beside it.
fn is_at_rest(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or(true, |found| found.len() == 0)
}

fn percent_encoded(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
    let encode = |byte: &u8| {
        if plain(byte) {
            char::from(*byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(encode)
        .collect()
}
