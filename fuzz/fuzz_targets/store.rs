//! Any bytes are a store of programs or an error. A store that `check` calls sound can be listed,
//! exported and changed.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use leyden_store::library::{Filter, Keep, Store};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const KEEP: Keep = Keep {
    per_task: 1,
    unscored: false,
};

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a directory"));

fuzz_target!(|bytes: &[u8]| {
    let path = place("store.db", bytes);
    if let Ok(store) = Store::open_read_only(&path) {
        let sound = store.check().is_ok_and(|report| report.findings.is_empty());
        let read = [
            store.standings(&Filter::default()).is_ok(),
            store.records().is_ok(),
            store.runs().is_ok(),
            store.tasks().is_ok(),
            store.content_hash().is_ok(),
        ];
        assert!(!sound || read == [true; 5], "sound, and yet {read:?}");
    }
    if let Ok(mut store) = Store::open_existing(&path) {
        // A damaged store refuses; it must not panic.
        let _ = store.prune(KEEP);
        let _ = store.compact();
    }
});

fn place(name: &str, bytes: &[u8]) -> PathBuf {
    let path = DIRECTORY.path().join(name);
    for suffix in ["-wal", "-shm", "-journal"] {
        // Most runs leave no such files.
        let _ = fs::remove_file(DIRECTORY.path().join(format!("{name}{suffix}")));
    }
    fs::write(&path, bytes).expect("a file");
    path
}
