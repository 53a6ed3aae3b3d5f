//! The tables and their version.

/// The version of the tables. It rises with every change of them.
pub const SCHEMA_VERSION: i64 = 1;

/// Marks the file as ours among SQLite files: `LEYD`.
pub(super) const APPLICATION_ID: i64 = 0x4c45_5944;

/// The table `score` has one row for each program and task. Its `samples` are a JSON list with
/// `[is_exact, partial, fuel]` for each demonstration pair. The other columns are the sums of this
/// list, so selection need not open it. `parent` is a hash and not a reference, because a parent
/// may be pruned.
pub(super) const TABLES: &str = "
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    command TEXT NOT NULL,
    seed INTEGER,
    engine TEXT NOT NULL,
    data_name TEXT NOT NULL,
    data_hash TEXT NOT NULL,
    started INTEGER,
    ended INTEGER,
    stop_reason TEXT,
    n_evaluations INTEGER NOT NULL DEFAULT 0,
    state BLOB
) STRICT;

CREATE TABLE program (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 16),
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    n_lines INTEGER NOT NULL,
    source TEXT NOT NULL,
    parent BLOB CHECK (parent IS NULL OR length(parent) = 16),
    mutation TEXT NOT NULL,
    seed INTEGER,
    run INTEGER REFERENCES run (id)
) STRICT;
CREATE INDEX program_name ON program (name);

CREATE TABLE task (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 16),
    n_demos INTEGER NOT NULL,
    UNIQUE (name, hash)
) STRICT;

CREATE TABLE score (
    program INTEGER NOT NULL REFERENCES program (id) ON DELETE CASCADE,
    task INTEGER NOT NULL REFERENCES task (id),
    n_exact INTEGER NOT NULL,
    partial REAL NOT NULL,
    fuel INTEGER NOT NULL,
    samples TEXT NOT NULL,
    PRIMARY KEY (program, task)
) STRICT, WITHOUT ROWID;
CREATE INDEX score_task ON score (task, n_exact DESC, partial DESC);
";
