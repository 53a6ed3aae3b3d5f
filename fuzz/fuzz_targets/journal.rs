//! `leyden solve --resume` accepts or refuses any bytes after the first line of a journal.
#![no_main]

mod mutate_json;

use std::ffi::OsString;
use std::fs;
use std::sync::LazyLock;

use leyden::Ended;
use leyden_dsl::meter::CancelToken;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use tempfile::TempDir;

const TASK: &str = r#"{"train":[{"input":[[1,2]],"output":[[2,1]]},{"input":[[3,4]],"output":[[4,3]]}],"test":[{"input":[[5,6]]}]}"#;

/// A single move: reading the usual moves would take nearly all of the time.
const MOVES: &str = "1 all: vmirror(I)\n";

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| {
    let directory = TempDir::new().expect("a directory");
    fs::write(directory.path().join("a.json"), TASK).expect("a task");
    fs::write(directory.path().join("moves.txt"), MOVES).expect("moves");
    directory
});

/// The first line of a run that was stopped before its first task.
static HEADER: LazyLock<Vec<u8>> = LazyLock::new(|| {
    solve();
    let journal = fs::read(DIRECTORY.path().join("s.json.journal")).expect("a journal");
    let end = journal
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a line");
    journal[..=end].to_vec()
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json::mutate(data, size, max_size, seed)
});

fuzz_target!(|bytes: &[u8]| {
    let journal = DIRECTORY.path().join("s.json.journal");
    fs::write(journal, [&HEADER, bytes].concat()).expect("a file");
    let out = DIRECTORY.path().join("s.json");
    let ended = solve();
    match ended.code {
        0 | 130 => assert!(fs::remove_file(out).is_ok(), "no submission"),
        2 => assert!(!ended.message.is_empty() && !out.exists()),
        code => panic!("{code}: {}", ended.message),
    }
});

/// Runs `solve`, stopped before it begins: it reads the journal and writes the submission, and
/// spends no time on the search.
fn solve() -> Ended {
    let cancel = CancelToken::new();
    cancel.cancel();
    let path = |name: &str| DIRECTORY.path().join(name).into_os_string();
    let words = [
        "leyden",
        "solve",
        "--resume",
        "--library",
        "none",
        "--fuel-per-task",
        "1",
        "-j",
        "1",
    ];
    let words = words.into_iter().map(OsString::from);
    let files = [
        "--data".into(),
        path("a.json"),
        "--moves".into(),
        path("moves.txt"),
        "--out".into(),
        path("s.json"),
    ];
    leyden::command(words.chain(files), cancel)
}
