//! `leyden merge` makes a report of any part, or names the problem.
#![no_main]

mod mutate_json;

use std::ffi::OsString;
use std::fs;
use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use tempfile::TempDir;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a directory"));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json::mutate(data, size, max_size, seed)
});

fuzz_target!(|bytes: &[u8]| {
    let part = DIRECTORY.path().join("part.json");
    let out = DIRECTORY.path().join("all.json");
    fs::write(&part, bytes).expect("a file");
    let words = ["leyden", "merge", "--partial"].map(OsString::from);
    let files = [out.clone(), part.clone(), part].map(OsString::from);
    let ended = leyden::command(words.into_iter().chain(files), Default::default());
    match ended.code {
        0 => assert!(fs::remove_file(out).is_ok(), "no report"),
        2 => assert!(!ended.message.is_empty() && !out.exists()),
        code => panic!("{code}: {}", ended.message),
    }
});
